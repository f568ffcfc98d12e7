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
  const unsigned t2 = (unsigned)t1;
  const int t3 = (int)__umulhi(t2, 153391690u);
  const int t4 = t1 - t3 * 28;
  const int t5 = t4 * 3;
  const int t8 = t1 - (int)__umulhi(t2, 5478275u) * 784;
  const int t10 = t & 15;
  const int t11 = t3 * 5376 + t10 + t4 * 96;
  const int t12 = bx * 16;
  const int t13 = t0 * 48;
  const int t14 = t12 + t + t13;
  const int t15 = t & -16;
#pragma unroll 1
  for (int s = 0; s < 27; ++s) {
    const int t6 = (int)__umulhi((unsigned)s, 477218589u);
    const int t7 = t5 + s - t6 * 9;
    const int t9 = t8 + t6 * 28;
    cols[t] = (t7 < 87 && t9 < 812 && t7 >= 3 && t9 >= 28) ? in[t11 + s * 16 + (int)__umulhi((unsigned)s, 1431655766u) * 48 + t6 * 5088 - 5472] : 0.f;
    taps[t] = weight[t14 + s * 1024];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      sum += cols[t15 + k] * taps[t10 + k * 16];
    }
    __syncthreads();
  }
  out[by * 1024 + t12 + t + t13] = sum;
}
