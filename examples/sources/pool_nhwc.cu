// Pooling of images whose channels are innermost (NHWC).

// One output for each thread.
__global__ void max_pool_nhwc(const float* __restrict__ in, float* __restrict__ out, int batch, int height, int width,
                              int channels, int window, int stride, int pad) {
  // quaff: batch in 1..64, height in 1..128, width in 1..128, channels in 1..64
  // quaff: window in 1..7, stride in 1..7, pad in 0..3, 2 * pad <= window, window <= height + 2 * pad, window <= width + 2 * pad
  const int out_h = (height + 2 * pad - window) / stride + 1;
  const int out_w = (width + 2 * pad - window) / stride + 1;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * out_h * out_w * channels) {
    return;
  }
  const int c = i % channels;
  const int ox = i / channels % out_w;
  const int oy = i / channels / out_w % out_h;
  const int n = i / channels / out_w / out_h;

  float best = -3.0e38f;
  for (int ky = 0; ky < window; ++ky) {
    const int y = oy * stride + ky - pad;
    if (y < 0 || y >= height) {
      continue;
    }
    for (int kx = 0; kx < window; ++kx) {
      const int x = ox * stride + kx - pad;
      if (x < 0 || x >= width) {
        continue;
      }
      best = max(best, in[((n * height + y) * width + x) * channels + c]);
    }
  }
  out[((n * out_h + oy) * out_w + ox) * channels + c] = best;
}

// Windows of 2 x 2 that do not overlap; sizes are even and the channels fill whole groups of four.
// quaff: batch in 1..64, height in 2..256, width in 2..256, channels in 4..64
// quaff: height % 2 == 0, width % 2 == 0, channels % 4 == 0
__global__ void __launch_bounds__(256)
avg_pool_2x2(const float* __restrict__ in, float* __restrict__ out, unsigned batch, unsigned height, unsigned width,
             unsigned channels) {
  const unsigned groups = channels / 4;
  const unsigned i = blockIdx.x * 256 + threadIdx.x;
  if (i < batch * (height / 2) * (width / 2) * groups) {
    const unsigned g = i % groups;
    const unsigned ox = i / groups % (width / 2);
    const unsigned oy = i / (groups * (width / 2)) % (height / 2);
    const unsigned n = i / (groups * (width / 2) * (height / 2));
    for (unsigned j = 0; j < 4; ++j) {
      const unsigned c = g * 4 + j;
      float sum = 0.0f;
      for (unsigned k = 0; k < 4; ++k) {
        const unsigned y = oy * 2 + k / 2;
        const unsigned x = ox * 2 + k % 2;
        if (y < height && x < width && c < channels) {
          sum += in[((n * height + y) * width + x) * channels + c];
        }
      }
      out[((n * (height / 2) + oy) * (width / 2) + ox) * (groups * 4) + c] = sum * 0.25f;
    }
  }
}

// Means over ws x ws windows of an image that is rolled by `shift` in both directions, as in attention over shifted windows.
__global__ void window_mean(const float* __restrict__ in, float* __restrict__ out, int height, int width, int channels,
                            int ws, int shift) {
  // quaff: height in 1..256, width in 1..256, channels in 1..64, ws in 2..16, shift in 0..15, shift < ws
  // quaff: height % ws == 0, width % ws == 0
  const int rows = height / ws;
  const int cols = width / ws;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows * cols * channels) return;
  const int window = i / channels;
  float sum = 0.0f;
  for (int t = 0; t < ws * ws; ++t) {
    const int y = window / cols * ws + t / ws;
    const int x = window % cols * ws + t % ws;
    const int from_y = (y + shift) % height;
    const int from_x = (x + shift) % width;
    sum += in[(from_y * width + from_x) * channels + i % channels];
  }
  out[(window / cols * cols + window % cols) * channels + i % channels] = sum / (float)(ws * ws);
}
