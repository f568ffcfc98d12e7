#include "device.hpp"
#include KERNEL_FILE

static void largest(int batch, int height, int width, int channels, int window, int stride, int pad) {
  const int out_h = (height + 2 * pad - window) / stride + 1, out_w = (width + 2 * pad - window) / stride + 1;
  Array in(batch * height * width * channels), out(batch * out_h * out_w * channels);
  in.fill(1);
  launch_for(out.length, 128,
             [&] { max_pool_nhwc(in, out, batch, height, width, channels, window, stride, pad); });
  int at = 0;
  for (int n = 0; n < batch; ++n) for (int oy = 0; oy < out_h; ++oy) for (int ox = 0; ox < out_w; ++ox)
    for (int c = 0; c < channels; ++c) {
      float best = -3.0e38f;
      for (int ky = 0; ky < window; ++ky) for (int kx = 0; kx < window; ++kx) {
        const int y = oy * stride - pad + ky, x = ox * stride - pad + kx;
        if (y >= 0 && y < height && x >= 0 && x < width)
          best = max(best, in[((n * height + y) * width + x) * channels + c]);
      }
      expect(out[at++], best);
    }
  out.print("max_pool_nhwc");
}

static void means(int batch, int height, int width, int channels) {
  Array in(batch * height * width * channels), out(batch * (height / 2) * (width / 2) * channels);
  in.fill(2);
  launch_for(out.length / 4, 256, [&] { avg_pool_2x2(in, out, batch, height, width, channels); });
  int at = 0;
  for (int n = 0; n < batch; ++n) for (int oy = 0; oy < height / 2; ++oy) for (int ox = 0; ox < width / 2; ++ox)
    for (int c = 0; c < channels; ++c) {
      float sum = 0;
      for (int y = oy * 2; y < oy * 2 + 2; ++y) for (int x = ox * 2; x < ox * 2 + 2; ++x)
        sum += in[((n * height + y) * width + x) * channels + c];
      expect(out[at++], sum / 4);
    }
  out.print("avg_pool_2x2");
}

static void windows(int height, int width, int channels, int ws, int shift) {
  Array in(height * width * channels), out((height / ws) * (width / ws) * channels);
  in.fill(3);
  launch_for(out.length, 64, [&] { window_mean(in, out, height, width, channels, ws, shift); });
  int at = 0;
  for (int wy = 0; wy < height / ws; ++wy) for (int wx = 0; wx < width / ws; ++wx) for (int c = 0; c < channels; ++c) {
    float sum = 0;
    for (int y = wy * ws; y < (wy + 1) * ws; ++y) for (int x = wx * ws; x < (wx + 1) * ws; ++x)
      sum += in[(((y + shift) % height) * width + (x + shift) % width) * channels + c];
    expect(out[at++], sum / (float)(ws * ws));
  }
  out.print("window_mean");
}

int main() {
  largest(2, 8, 8, 4, 2, 2, 0);
  largest(1, 9, 7, 3, 3, 2, 1);
  largest(3, 5, 6, 1, 5, 1, 2);
  means(2, 8, 12, 8);
  means(1, 2, 6, 4);
  windows(8, 12, 5, 4, 2);
  windows(6, 9, 2, 3, 0);
  windows(14, 7, 3, 7, 6);
  return right();
}
