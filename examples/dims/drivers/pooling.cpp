// The kernel of pooling.toml against plain loops, for rows that do and do not fill the last block.
#include "device.hpp"
#include KERNEL_FILE

int main() {
  for (int iw : {2, 64, 126, 128, 130, 512}) {
    const int ow = iw / 2;
    Array in(12 * iw), out(6 * ow);
    in.fill(1);
    launch(dim3((iw + 127) / 128, 6), dim3(64), [&] { pooling(in, out, iw); });
    for (int oh = 0; oh < 6; ++oh) for (int x = 0; x < ow; ++x) {
      float greatest = -1e30f;
      for (int ih = oh * 2 - 1; ih <= oh * 2 + 1; ++ih) for (int at = 0; at < 2; ++at)
        if (ih >= 0) greatest = fmaxf(greatest, in[ih * iw + x * 2 + at]);
      expect(out[oh * ow + x], greatest);
    }
  }
  return right();
}
