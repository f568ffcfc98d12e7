// blockIdx.x < (n + 31) / 32, threadIdx.x < 32
extern "C" __global__ void flip(const float* __restrict__ from, float* __restrict__ to, const int n) {
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  const int row = b * 32 + t;
  const bool inside = row < n;
  const int t0 = n * 3 - row * 3;
#pragma unroll
  for (int j = 0; j < 3; ++j) {
    const float value = inside ? from[t0 + j - 3] : (float)0;
    to[row * 3 + j] = value;
  }
}
