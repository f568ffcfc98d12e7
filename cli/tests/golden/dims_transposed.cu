typedef struct { unsigned m, s; } quaff_fastdivmod_t;
// blockIdx.x < 33, threadIdx.x < 32
// stride_div = quaff_fastdivmod_any(stride)
extern "C" __global__ void transposed(const float* __restrict__ in, const float* __restrict__ weights, float* __restrict__ out, const int stride, const int dilation, const int pad, const quaff_fastdivmod_t stride_div) {
  const int bx = blockIdx.x;
  const int tx = threadIdx.x;
  float sum = 0;
  const int t0 = pad + bx;
  const int t3 = pad + tx;
  for (int ky = 0; ky < 3; ++ky) {
    const int t1 = t0 - dilation * ky;
    const bool t2 = t1 >= 0;
    const int t8 = t1 >> 31;
    const unsigned t9 = (unsigned)(t1 ^ t8);
    const int t10 = (int)((__umulhi(t9, stride_div.m) + t9) >> stride_div.s) ^ t8;
    const bool t11 = t10 < 16;
    const bool t12 = t1 - t10 * stride < 1;
    const int t13 = t10 * 16;
    const int t14 = ky * 3;
    for (int kx = 0; kx < 3; ++kx) {
      const int t4 = t3 - dilation * kx;
      const int t5 = t4 >> 31;
      const unsigned t6 = (unsigned)(t4 ^ t5);
      const int t7 = (int)((__umulhi(t6, stride_div.m) + t6) >> stride_div.s) ^ t5;
      if (t2 && t4 - t7 * stride < 1 && t4 >= 0 && t7 < 16 && t11 && t12) {
        sum += in[t13 + t7] * weights[t14 + kx];
      }
    }
  }
  out[bx * 32 + tx] = sum;
}
