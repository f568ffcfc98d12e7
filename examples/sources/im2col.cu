// Unfolds the windows of a convolution into the columns of a matrix, so that the convolution becomes a matrix product.

#define GRID_LOOP(i, n) for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// The image is channels x height x width, the matrix (channels * K * K) x (out_h * out_w).
template <int K>
__global__ void im2col(const float* __restrict__ image, float* __restrict__ columns, int channels, int height, int width,
                       int pad, int stride, int out_h, int out_w) {
  // quaff: channels in 1..64, height in 1..256, width in 1..256, pad in 0..3, stride in 1..4
  // quaff: out_h in 1..256, out_w in 1..256
  const int total = channels * K * K * out_h * out_w;
  GRID_LOOP(index, total) {
    const int ox = index % out_w;
    const int oy = (index / out_w) % out_h;
    const int row = index / out_w / out_h;
    const int kx = row % K;
    const int ky = (row / K) % K;
    const int c = row / K / K;

    const int x = ox * stride - pad + kx;
    const int y = oy * stride - pad + ky;
    float value = 0.0f;
    if (x >= 0 && x < width && y >= 0 && y < height) {
      value = image[(c * height + y) * width + x];
    }
    columns[((c * K + ky) * K + kx) * (out_h * out_w) + oy * out_w + ox] = value;
  }
}

// A batch of images with one thread for each column; each thread writes the K * K rows of its channel.
__global__ void __launch_bounds__(256)
im2col_batched(const float* __restrict__ images, float* __restrict__ columns, int batch, int channels, int height,
               int width) {
  // Filters are 3 x 3, with a padding of 1 and a step of 1: the output is as large as the image.
  // quaff: batch in 1..32, channels in 1..64, height in 1..128, width in 1..128
  const int K = 3;
  const int pad = K / 2;
  const int plane = height * width;
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= batch * channels * plane) {
    return;
  }
  const int n = id / (channels * height * width);
  const int c = id / (height * width) % channels;
  const int y = id % (height * width) / width;
  const int x = id % width;

  for (int k = 0; k < K * K; ++k) {
    const int iy = y + k / K - pad;
    const int ix = x + k % K - pad;
    const bool inside = iy >= 0 && iy < height && ix >= 0 && ix < width;
    const int from = ((n * channels + c) * height + iy) * width + ix;
    const int to = ((n * channels + c) * K * K + k) * plane + id % plane;
    columns[to] = inside ? images[from] : 0.0f;
  }
}
