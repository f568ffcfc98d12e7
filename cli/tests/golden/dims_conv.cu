// blockIdx.x < 4, threadIdx.x < 64
extern "C" __global__ void conv(const float* __restrict__ in, const float* __restrict__ weights, float* __restrict__ out) {
  const int bx = blockIdx.x;
  const int tx = threadIdx.x;
  float sum = 0;
  const int t0 = tx >> 4;
  const int t1 = bx | t0;
  const int t3 = (tx & -16) - tx;
  const int t4 = bx * 256 + tx * 2 + t0 * 32;
  for (int ky = 0; ky < 3; ++ky) {
    const bool t2 = (t1 | ky) != 0;
    const int t5 = t4 + ky * 32;
    const int t6 = ky * 3;
    for (int kx = 0; kx < 3; ++kx) {
      if (t2 && t3 < kx) {
        sum += in[t5 + kx - 33] * weights[t6 + kx];
      }
    }
  }
  out[bx * 64 + tx] = sum;
}
