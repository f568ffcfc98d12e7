// blockIdx.x < 4, threadIdx.x < 16
extern "C" __global__ void paged_decode(const float* __restrict__ q, const float* __restrict__ keys, float* __restrict__ scores, const int* __restrict__ table) {
  const int bx = blockIdx.x;
  const int tx = threadIdx.x;
  const int t0 = tx * 8;
  const int t2 = bx * 8;
  const int t3 = bx * 96 + tx;
  for (int p = 0; p < 6; ++p) {
    const int entry = table[p];
    float sum = 0;
    const int t1 = t0 + entry * 128;
    for (int d = 0; d < 8; ++d) {
      sum += keys[t1 + d] * q[t2 + d];
    }
    scores[t3 + p * 16] = sum;
  }
}
