// Layer norm over the last dimension of a batch of sequences.

#define WARP 32

// Sum over the 256 threads of a block: first within groups of 32, then over the groups.
__device__ float block_sum(float value, float* partial, float* sums) {
  const int tid = threadIdx.x;
  const int lane = tid % WARP;
  const int warp = tid / WARP;
  partial[warp * WARP + lane] = value;
  __syncwarp();
  if (lane == 0) {
    float sum = 0.0f;
    for (int i = 0; i < WARP; ++i) {
      sum += partial[tid / WARP * WARP + i];
    }
    sums[warp] = sum;
  }
  __syncthreads();
  float sum = 0.0f;
  for (int w = 0; w < 256 / WARP; ++w) {
    sum += sums[w];
  }
  __syncthreads();
  return sum;
}

// Input is [batch][tokens][hidden], output [tokens][batch][hidden]. A block has one row, which it reads in groups of four.
__global__ void __launch_bounds__(256)
layer_norm(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta,
           float* __restrict__ y, int batch, int tokens, int hidden, float eps) {
  // quaff: batch in 1..64, tokens in 1..512, hidden in 128..4096, hidden % 128 == 0
  __shared__ float partial[256];
  __shared__ float sums[256 / WARP];

  const int row = blockIdx.x;
  if (row >= batch * tokens) {
    return;
  }
  const int b = row / tokens;
  const int t = row % tokens;

  float sum = 0.0f;
  for (int g = threadIdx.x; g < (hidden + 3) / 4; g += 256) {
    for (int j = 0; j < 4; ++j) {
      const int col = g * 4 + j;
      if (col < hidden) {
        sum += x[(b * tokens + t) * hidden + col];
      }
    }
  }
  const float mean = block_sum(sum, partial, sums) / (float)hidden;

  float squares = 0.0f;
  for (int g = threadIdx.x; g < hidden / 4; g += 256) {
    for (int j = 0; j < 4; ++j) {
      const float d = x[row * hidden + (g * 4 + j) % hidden] - mean;
      squares += d * d;
    }
  }
  const float scale = rsqrtf(block_sum(squares, partial, sums) / (float)hidden + eps);

  for (int i = threadIdx.x; i < hidden; i += 256) {
    const int from = (row / tokens * tokens + row % tokens) * hidden + i;
    const int to = (row % tokens * batch + row / tokens) * hidden + i;
    y[to] = (x[from] - mean) * scale * gamma[i % hidden] + beta[i];
  }
}

// Scale and shift of normalized values in groups of channels, one element for each thread: [batch][groups][size][plane].
// quaff: batch in 1..64, groups in 1..32, size in 1..32, plane in 1..4096, batch * groups * size * plane <= 2147483647
__global__ void group_affine(float* __restrict__ x, const float* __restrict__ mean, const float* __restrict__ scale,
                             const float* __restrict__ gamma, int batch, int groups, int size, int plane) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch * groups * size * plane) return;
  const int n = i / (groups * size * plane);
  const int channel = i / plane % (groups * size);
  const int group = channel / size;
  const int stat = n * groups + group;
  x[((n * groups + group) * size + channel % size) * plane + i % plane] =
      (x[i] - mean[stat]) * scale[i / plane / size] * gamma[channel];
}
