// blockIdx.x < 12544, threadIdx.x < 128
extern "C" __global__ void pool(const float* __restrict__ in, float* __restrict__ out) {
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  float sum = 0.f;
  const int t0 = (int)__umulhi((unsigned)b, 153391690u);
  const int t1 = t >> 6;
  const int t2 = (b - t0 * 28) | t1;
  const int t3 = (int)__umulhi((unsigned)b, 2739138u);
  const int t4 = t3 * 56;
  const int t6 = b * 4 + t0 * 112 + t3 * 790272 + t * 12544 - t1 * 802814;
#pragma unroll
  for (int r = 0; r < 3; ++r) {
    const bool t5 = t4 - r < t0;
    const int t7 = t6 + r * 112;
#pragma unroll
    for (int s = 0; s < 3; ++s) {
      const float value = ((t2 | s) != 0 && t5) ? in[t7 + s - 113] : (float)0;
      sum += value;
    }
  }
  out[b * 128 + t] = sum / 9.f;
}
