// Depthwise convolution: each channel has its own filters, and no channel mixes with another.

// NCHW with a channel multiplier: output channel `oc` reads input channel `oc / multiplier`.
template <int K, int STRIDE>
__global__ void depthwise_nchw(const float* __restrict__ input, const float* __restrict__ weight,
                               const float* __restrict__ bias, float* __restrict__ output, int batch, int channels,
                               int multiplier, int height, int width, int out_h, int out_w) {
  // quaff: batch in 1..32, channels in 1..64, multiplier in 1..4, height in 1..128, width in 1..128
  // quaff: out_h in 1..128, out_w in 1..128
  const int out_channels = channels * multiplier;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= batch * out_channels * out_h * out_w) {
    return;
  }
  const int n = id / out_w / out_h / out_channels;
  const int oc = id / (out_h * out_w) % out_channels;
  const int oy = id % (out_h * out_w) / out_w;
  const int ox = id % out_w;
  const int c = oc / multiplier;

  float sum = bias[id / (out_h * out_w) % (channels * multiplier)];
  const int y0 = oy * STRIDE - K / 2;
  const int x0 = ox * STRIDE - K / 2;
  if (y0 >= 0 && y0 + K <= height && x0 >= 0 && x0 + K <= width) {
    // The whole window is inside.
#pragma unroll
    for (int k = 0; k < K * K; ++k) {
      const int from = ((n * channels + c) * height + y0 + k / K) * width + x0 + k % K;
      sum += input[from] * weight[(oc * K + k / K) * K + k % K];
    }
  } else {
    for (int ky = 0; ky < K; ++ky) {
      for (int kx = 0; kx < K; ++kx) {
        const int y = y0 + ky;
        const int x = x0 + kx;
        if (y >= 0 && y < height && x >= 0 && x < width) {
          sum += input[((n * channels + c) * height + y) * width + x] * weight[(oc * K + ky) * K + kx];
        }
      }
    }
  }
  output[((n * out_channels + oc) * out_h + oy) * out_w + ox] = sum;
}

// NHWC with 3 x 3 filters. Rows end in a circle, as those of a panorama do: the window wraps around the width.
// quaff: batch in 1..32, height in 1..128, width in 2..512, channels in 32..64, channels % 32 == 0
__global__ void __launch_bounds__(256)
depthwise_panorama(const float* __restrict__ input, const float* __restrict__ weight, float* __restrict__ output,
                   int batch, int height, int width, int channels) {
  const int pixel = (blockIdx.x * 256 + threadIdx.x) / channels;
  const int c = (blockIdx.x * 256 + threadIdx.x) % channels;
  const int lane = threadIdx.x % 32;
  const int n = pixel / (height * width);
  const int y = pixel / width % height;
  const int x = pixel % width;
  if (n >= batch) return;

  float sum = 0.0f;
  for (int dy = -1; dy <= 1; ++dy) {
    if (y + dy < 0 || y + dy >= height) continue;
    for (int dx = -1; dx <= 1; ++dx) {
      const int from_x = (x + dx + width) % width;
      const int from = ((n * height + y + dy) * width + from_x) * channels + c / 32 * 32 + lane;
      sum += input[from] * weight[((dy + 1) * 3 + dx + 1) * channels + c];
    }
  }
  output[((n * height + y) * width + x) * channels + c] = sum;
}
