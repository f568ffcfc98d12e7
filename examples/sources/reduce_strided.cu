// Reductions over an axis in the middle of a tensor [outer][axis][inner].

// Largest value and its place, a thread for each output. The place counts elements of the whole tensor.
__global__ void arg_max(const float* __restrict__ x, int* __restrict__ place, int* __restrict__ along, int outer, int axis,
                        int inner) {
  // quaff: outer in 1..256, axis in 1..256, inner in 1..256
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= outer * inner) {
    return;
  }
  int best = i / inner * axis * inner + i % inner;
  for (int k = 1; k < axis; ++k) {
    const int at = (i / inner * axis + k) * inner + i % inner;
    if (x[at] > x[best]) {
      best = at;
    }
  }
  place[i / inner * inner + i % inner] = best;
  along[i] = best / inner % axis;
}

// Sums where the axis is long: a block has 32 neighbours of `inner`, and 8 threads for each share the axis.
__global__ void __launch_bounds__(256)
sum_strided(const float* __restrict__ x, float* __restrict__ out, int outer, int axis, int inner) {
  // quaff: outer in 1..256, axis in 8..1024, inner in 32..1024, inner % 32 == 0, axis % 8 == 0
  __shared__ float partial[8 * 32];

  const int blocks = (inner + 31) / 32;
  const int o = blockIdx.x / blocks;
  const int lane = threadIdx.x % 32;
  const int part = threadIdx.x / 32;
  const int in = blockIdx.x % blocks * 32 + lane;
  if (o >= outer) {
    return;
  }
  float sum = 0.0f;
  if (in < inner) {
    for (int k = part; k < axis; k += 8) {
      sum += __ldg(&x[o * (axis * inner) + k * inner + in]);
    }
  }
  partial[threadIdx.x / 32 * 32 + threadIdx.x % 32] = sum;
  __syncthreads();
  for (int half = 4; half > 0; half /= 2) {
    if (part < half) {
      partial[part * 32 + lane] += partial[(part + half) * 32 + lane];
    }
    __syncthreads();
  }
  if (part == 0 && in < inner) {
    out[o * inner + blockIdx.x % blocks * 32 + threadIdx.x % 32] = partial[threadIdx.x];
  }
}

// Sums over the first and the third of four axes [a][b][c][d], as for the bias of a convolution; a block for each pair (b, d).
__global__ void sum_outer_axes(const float* __restrict__ x, float* __restrict__ out, int A, int B, int C, int D) {
  // quaff: A in 1..64, B in 1..64, C in 1..64, D in 1..64
  __shared__ float partial[64];
  const int b = blockIdx.x / D;
  const int d = blockIdx.x % D;
  float sum = 0.0f;
  for (int k = threadIdx.x; k < A * C; k += 64) {
    sum += x[((k / C * B + b) * C + k % C) * D + d];
  }
  partial[threadIdx.x % 64] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float all = 0.0f;
    for (int t = 0; t < 64; ++t) {
      all += partial[t];
    }
    out[b * D + d] = all;
  }
}
