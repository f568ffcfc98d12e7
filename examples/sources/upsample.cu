// Larger images: each pixel several times, or weighted means of its neighbours.

// Position in an image of [planes][height][width].
__device__ __forceinline__ size_t offset(size_t plane, int y, int x, int height, int width) {
  return (plane * height + y) * width + x;
}

// Each pixel `scale` times in both directions.
__global__ void upsample_nearest(const float* __restrict__ in, float* __restrict__ out, int planes, int height, int width,
                                 int scale) {
  // quaff: planes in 1..1024, height in 1..128, width in 1..128, scale in 1..4
  const int out_h = height * scale;
  const int out_w = width * scale;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= planes * out_h * out_w) {
    return;
  }
  const int ox = i % out_w;
  const int oy = i / out_w % out_h;
  const int plane = i / (out_w * out_h);
  const int y = min(oy / scale, height - 1);
  const int x = min(ox / scale, width - 1);
  out[offset(plane, oy, ox, out_h, out_w)] = in[offset(plane, y, x, height, width)];
}

// The sum of the gradients of all copies of a pixel, a thread for each pixel.
__global__ void upsample_nearest_backward(const float* __restrict__ grad_out, float* __restrict__ grad_in, int planes,
                                          int height, int width, int scale) {
  // quaff: planes in 1..1024, height in 1..128, width in 1..128, scale in 1..4
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < planes * height * width) {
    const int plane = i / (height * width);
    const int y = i % (height * width) / width;
    const int x = i % (height * width) % width;
    float sum = 0.0f;
    for (int k = 0; k < scale * scale; ++k) {
      const int oy = y * scale + k / scale;
      const int ox = x * scale + k % scale;
      if (oy / scale == y && ox / scale == x) {
        sum += grad_out[(plane * height * scale + oy) * (width * scale) + ox];
      }
    }
    grad_in[(plane * height + y) * width + x] = sum;
  }
}

// Twice as large, bilinear, with the corners of both images in the same place as their pixels are areas. NHWC, in 64 bits.
// quaff: batch in 1..64, height in 1..4096, width in 1..4096, channels in 1..64
__global__ void __launch_bounds__(256)
upsample_bilinear_2x(const float* __restrict__ in, float* __restrict__ out, int batch, int height, int width,
                     int channels) {
  const long long i = (long long)blockIdx.x * 256 + threadIdx.x;
  const long long out_h = 2 * height;
  const long long out_w = 2 * width;
  if (i >= batch * out_h * out_w * channels) return;
  const long long c = i % channels;
  const long long ox = i / channels % out_w;
  const long long oy = i / channels / out_w % out_h;
  const long long n = i / (channels * out_w * out_h);

  // The nearer neighbour has three quarters of the weight, the one beyond has the rest.
  const long long y = oy / 2;
  const long long x = ox / 2;
  const long long beyond_y = oy % 2 == 0 ? max(y - 1, 0LL) : min(y + 1, (long long)height - 1);
  const long long beyond_x = ox % 2 == 0 ? max(x - 1, 0LL) : min(x + 1, (long long)width - 1);
  const float near_y = in[((n * height + y) * width + x) * channels + c] * 0.75f +
                       in[((n * height + y) * width + beyond_x) * channels + c] * 0.25f;
  const float far_y = in[((n * height + beyond_y) * width + x) * channels + c] * 0.75f +
                      in[((n * height + beyond_y) * width + beyond_x) * channels + c] * 0.25f;
  out[((n * out_h + oy) * out_w + ox) * channels + c] = near_y * 0.75f + far_y * 0.25f;
}
