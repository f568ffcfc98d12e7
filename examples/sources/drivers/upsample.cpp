#include "device.hpp"
#include KERNEL_FILE

static void nearest(int planes, int height, int width, int scale) {
  Array in(planes * height * width), out(in.length * scale * scale), grad(in.length);
  in.fill(1);
  launch_for(out.length, 128, [&] { upsample_nearest(in, out, planes, height, width, scale); });
  launch_for(in.length, 128, [&] { upsample_nearest_backward(out, grad, planes, height, width, scale); });
  int at = 0;
  for (int p = 0; p < planes; ++p) for (int y = 0; y < height * scale; ++y) for (int x = 0; x < width * scale; ++x)
    expect(out[at++], in[(p * height + y / scale) * width + x / scale]);
  for (int i = 0; i < in.length; ++i) expect(grad[i], in[i] * scale * scale);
  out.print("upsample_nearest");
  grad.print("upsample_nearest_backward");
}

// The neighbour beyond the nearer one, at the end of the image that one again.
static int beyond(int position, int size) {
  const int neighbour = position / 2 + (position % 2 == 0 ? -1 : 1);
  return neighbour < 0 ? 0 : neighbour >= size ? size - 1 : neighbour;
}

static void bilinear(int batch, int height, int width, int channels) {
  Array in(batch * height * width * channels), out(in.length * 4);
  in.fill(2);
  launch_for(out.length, 256, [&] { upsample_bilinear_2x(in, out, batch, height, width, channels); });
  int at = 0;
  for (int n = 0; n < batch; ++n) for (int oy = 0; oy < height * 2; ++oy) for (int ox = 0; ox < width * 2; ++ox)
    for (int c = 0; c < channels; ++c) {
      const int ys[2] = {oy / 2, beyond(oy, height)}, xs[2] = {ox / 2, beyond(ox, width)};
      float sum = 0;
      for (int j = 0; j < 4; ++j)
        sum += in[((n * height + ys[j / 2]) * width + xs[j % 2]) * channels + c] * (j / 2 ? 1 : 3) * (j % 2 ? 1 : 3);
      expect(out[at++], sum / 16);
    }
  out.print("upsample_bilinear_2x");
}

int main() {
  nearest(3, 4, 8, 2);
  nearest(2, 5, 3, 3);
  nearest(1, 7, 1, 1);
  bilinear(2, 4, 8, 4);
  bilinear(1, 3, 5, 3);
  bilinear(2, 1, 1, 1);
  return right();
}
