// The kernel of transposed.toml against plain loops that scatter, for all strides, dilations and borders.
#include "device.hpp"
#include KERNEL_FILE

int main() {
  Array in(16 * 16), weights(9);
  in.fill(1);
  weights.fill(2);
  for (int stride = 1; stride <= 3; ++stride) for (int dilation = 1; dilation <= 2; ++dilation) for (int pad = 0; pad <= 3; ++pad) {
    Array out(33 * 32);
    launch(dim3(33), dim3(32), [&] { transposed(in, weights, out, stride, dilation, pad, quaff_fastdivmod_any(stride)); });
    float wanted[33 * 32] = {};
    for (int y = 0; y < 3; ++y) for (int x = 0; x < 3; ++x) for (int ih = 0; ih < 16; ++ih) for (int iw = 0; iw < 16; ++iw) {
      const int oh = ih * stride + y * dilation - pad, ow = iw * stride + x * dilation - pad;
      if (oh >= 0 && oh < 33 && ow >= 0 && ow < 32) wanted[oh * 32 + ow] += in[ih * 16 + iw] * weights[y * 3 + x];
    }
    for (int i = 0; i < 33 * 32; ++i) expect(out[i], wanted[i]);
  }
  return right();
}
