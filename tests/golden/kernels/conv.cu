// blockIdx.y < 392, blockIdx.x < 4, threadIdx.x < 256
extern "C" __global__ void conv(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out) {
  const int by = blockIdx.y;
  const int bx = blockIdx.x;
  const int t = threadIdx.x;
  __shared__ __align__(16) float cols[256];
  __shared__ __align__(16) float taps[256];
  float sum = 0.f;
  const int t0 = t >> 4;
  const int t1 = by * 16 + t0;
  const int t2 = (int)__umulhi((unsigned)t1, 153391690u);
  const int t3 = t1 - t2 * 28;
  const int t7 = t2 - (int)__umulhi((unsigned)by, 87652394u) * 28;
  const int t9 = by * 1536 + t + t0 * 80 + t2 * 2688;
  const int t10 = bx * 16;
  const int t11 = t0 * 48;
  const int t12 = t10 + t + t11;
  const int t13 = t & -16;
  const int t14 = t & 15;
#pragma unroll 1
  for (int s = 0; s < 27; ++s) {
    const int t4 = (int)__umulhi((unsigned)s, 1431655766u);
    const int t5 = (int)__umulhi((unsigned)s, 477218589u);
    const int t6 = t3 + t4 - t5 * 3;
    const int t8 = t7 + t5;
    cols[t] = (t6 < 29 && t8 < 29 && t6 >= 1 && t8 >= 1) ? in[t9 + s * 16 + t4 * 48 + t5 * 5088 - 5472] : 0.f;
    taps[t] = weight[t12 + s * 1024];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      sum += cols[t13 + k] * taps[t14 + k * 16];
    }
    __syncthreads();
  }
  out[by * 1024 + t10 + t + t11] = sum;
}
