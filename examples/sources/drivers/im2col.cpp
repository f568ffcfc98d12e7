#include "device.hpp"
#include KERNEL_FILE

template <int K> static void unfold(int channels, int height, int width, int pad, int stride) {
  const int out_h = (height + 2 * pad - K) / stride + 1, out_w = (width + 2 * pad - K) / stride + 1;
  Array image(channels * height * width), columns(channels * K * K * out_h * out_w);
  image.fill(1);
  // fewer threads than elements: the loop of the kernel is taken
  launch(dim3(3), dim3(64), [&] { im2col<K>(image, columns, channels, height, width, pad, stride, out_h, out_w); });
  int at = 0;
  for (int c = 0; c < channels; ++c) for (int ky = 0; ky < K; ++ky) for (int kx = 0; kx < K; ++kx)
    for (int oy = 0; oy < out_h; ++oy) for (int ox = 0; ox < out_w; ++ox) {
      const int y = oy * stride - pad + ky, x = ox * stride - pad + kx;
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      expect(columns[at++], inside ? image[(c * height + y) * width + x] : 0);
    }
  columns.print("im2col");
}

static void unfold_batch(int batch, int channels, int height, int width) {
  const int count = batch * channels * height * width;
  Array images(count), columns(count * 9);
  images.fill(2);
  launch_for(count, 256, [&] { im2col_batched(images, columns, batch, channels, height, width); });
  int at = 0;
  for (int plane = 0; plane < batch * channels; ++plane) for (int ky = 0; ky < 3; ++ky) for (int kx = 0; kx < 3; ++kx)
    for (int oy = 0; oy < height; ++oy) for (int ox = 0; ox < width; ++ox) {
      const int y = oy - 1 + ky, x = ox - 1 + kx;
      const bool inside = y >= 0 && y < height && x >= 0 && x < width;
      expect(columns[at++], inside ? images[(plane * height + y) * width + x] : 0);
    }
  columns.print("im2col_batched");
}

int main() {
  unfold<3>(3, 7, 9, 1, 1);
  unfold<3>(2, 8, 8, 0, 2);
  unfold<5>(1, 11, 6, 2, 3);
  unfold<1>(4, 5, 5, 0, 1);
  unfold_batch(2, 3, 8, 8);
  unfold_batch(1, 2, 5, 13);
  unfold_batch(3, 1, 1, 1);
  return right();
}
