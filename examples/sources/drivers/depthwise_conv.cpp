#include "device.hpp"
#include KERNEL_FILE

template <int K, int STRIDE> static void nchw(int batch, int channels, int multiplier, int height, int width) {
  const int out_h = (height - 1) / STRIDE + 1, out_w = (width - 1) / STRIDE + 1, out_c = channels * multiplier;
  Array in(batch * channels * height * width), weight(out_c * K * K), bias(out_c), out(batch * out_c * out_h * out_w);
  in.fill(1);
  weight.fill(2);
  bias.fill(3);
  launch_for(out.length, 128, [&] {
    depthwise_nchw<K, STRIDE>(in, weight, bias, out, batch, channels, multiplier, height, width, out_h, out_w);
  });
  int at = 0;
  for (int n = 0; n < batch; ++n) for (int c = 0; c < channels; ++c) for (int m = 0; m < multiplier; ++m)
    for (int oy = 0; oy < out_h; ++oy) for (int ox = 0; ox < out_w; ++ox) {
      float sum = bias[c * multiplier + m];
      for (int ky = 0; ky < K; ++ky) for (int kx = 0; kx < K; ++kx) {
        const int y = oy * STRIDE - K / 2 + ky, x = ox * STRIDE - K / 2 + kx;
        if (y >= 0 && y < height && x >= 0 && x < width)
          sum += in[((n * channels + c) * height + y) * width + x] * weight[((c * multiplier + m) * K + ky) * K + kx];
      }
      expect(out[at++], sum);
    }
  out.print("depthwise_nchw");
}

static void panorama(int batch, int height, int width, int channels) {
  Array in(batch * height * width * channels), weight(9 * channels), out(in.length);
  in.fill(4);
  weight.fill(5);
  launch_for(out.length, 256, [&] { depthwise_panorama(in, weight, out, batch, height, width, channels); });
  int at = 0;
  for (int n = 0; n < batch; ++n) for (int y = 0; y < height; ++y) for (int x = 0; x < width; ++x)
    for (int c = 0; c < channels; ++c) {
      float sum = 0;
      for (int ky = 0; ky < 3; ++ky) for (int kx = 0; kx < 3; ++kx) {
        const int from_y = y + ky - 1, from_x = (x + kx - 1 + width) % width;
        if (from_y >= 0 && from_y < height)
          sum += in[((n * height + from_y) * width + from_x) * channels + c] * weight[(ky * 3 + kx) * channels + c];
      }
      expect(out[at++], sum);
    }
  out.print("depthwise_panorama");
}

int main() {
  nchw<3, 1>(2, 3, 1, 8, 8);
  nchw<3, 2>(1, 2, 3, 7, 10);
  nchw<5, 1>(2, 1, 2, 4, 9);
  panorama(2, 3, 8, 32);
  panorama(1, 4, 5, 64);
  panorama(1, 1, 2, 32);
  return right();
}
