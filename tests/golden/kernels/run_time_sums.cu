typedef struct { unsigned m, s; } quaff_fastdivmod_t;
// blockIdx.x < ((rows * columns) + 31) / 32, threadIdx.x < 32
// columns_div = quaff_fastdivmod_any(columns)
extern "C" __global__ void sums(const float* __restrict__ in, float* __restrict__ out, const int rows, const int columns, const int depth, const quaff_fastdivmod_t columns_div) {
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  const int at = b * 32 + t;
  if (at < rows * columns) {
    float sum = 0;
    const unsigned t0 = (unsigned)at;
    const int t1 = (int)((__umulhi(t0, columns_div.m) + t0) >> columns_div.s);
    const int t2 = rows * 2;
    const int t3 = (at - t1 * columns) * (rows * depth) + t1 * 2;
#pragma unroll 2
    for (int h = 0; h < (depth >> 1); ++h) {
      const int t4 = t3 + h * t2;
#pragma unroll
      for (int p = 0; p < 2; ++p) {
        sum += in[t4 + p] * depth;
      }
    }
    out[at] = sum;
  }
}
