// The kernel of conv.toml against plain loops.
#include "device.hpp"
#include KERNEL_FILE

int main() {
  Array in(32 * 32), weights(9), out(16 * 16);
  in.fill(1);
  weights.fill(2);
  launch(dim3(4), dim3(64), [&] { conv(in, weights, out); });
  for (int oh = 0; oh < 16; ++oh) for (int ow = 0; ow < 16; ++ow) {
    float sum = 0;
    for (int y = 0; y < 3; ++y) for (int x = 0; x < 3; ++x) {
      const int ih = oh * 2 + y - 1, iw = ow * 2 + x - 1;
      if (ih >= 0 && ih < 32 && iw >= 0 && iw < 32) sum += in[ih * 32 + iw] * weights[y * 3 + x];
    }
    expect(out[oh * 16 + ow], sum);
  }
  return right();
}
