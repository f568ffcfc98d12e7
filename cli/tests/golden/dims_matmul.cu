// blockIdx.y < 4, blockIdx.x < 3
extern "C" __global__ void matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c) {
  __shared__ __align__(16) float shared_a[512];
  __shared__ __align__(16) float shared_b[512];
  const int by = blockIdx.y;
  const int bx = blockIdx.x;
  const int ty = threadIdx.y;
  const int tx = threadIdx.x;
  float sum = 0;
  const int t0 = ty * 16;
  const int shared_a_at = t0 + tx;
  const int a_at = by * 1536 + ty * 96 + tx;
  shared_a[shared_a_at] = a[a_at];
  const int t1 = bx * 16;
  const int t2 = ty * 48;
  const int b_at = t1 + t2 + tx;
  shared_b[shared_a_at] = b[b_at];
  for (int s = 0; s < 6; ++s) {
    __syncthreads();
    const int t3 = (s & 1) * 256;
    if (s < 5) {
      const int shared_a_at_2 = shared_a_at - t3 + 256;
      shared_a[shared_a_at_2] = a[a_at + s * 16 + 16];
      shared_b[shared_a_at_2] = b[b_at + s * 768 + 768];
    }
    const int t4 = t0 + t3;
    const int t5 = tx + t3;
    for (int i = 0; i < 16; ++i) {
      sum += shared_a[t4 + i] * shared_b[t5 + i * 16];
    }
  }
  c[by * 768 + t1 + t2 + tx] = sum;
}
