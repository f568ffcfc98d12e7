// blockIdx.x < 12544, threadIdx.x < 128
extern "C" __global__ void pool(const float* __restrict__ in, float* __restrict__ out) {
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  float sum = 0.f;
  const int t0 = (int)__umulhi((unsigned)b, 2739138u);
  const int t1 = t0 * 56;
  const int t2 = (int)__umulhi((unsigned)b, 153391690u);
  const int t4 = t >> 6;
  const int t5 = b - t2 * 28 + t4;
  const int t6 = b * 4 + t2 * 112 + t0 * 790272 + t * 12544 - t4 * 802814;
#pragma unroll
  for (int r = 0; r < 3; ++r) {
    const bool t3 = t1 - r < t2;
    const int t7 = t6 + r * 112;
#pragma unroll
    for (int s = 0; s < 3; ++s) {
      const float value = (t3 && t5 + s >= 1) ? in[t7 + s - 113] : (float)0;
      sum += value;
    }
  }
  out[b * 128 + t] = sum / 9.f;
}
