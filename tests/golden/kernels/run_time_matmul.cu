// blockIdx.y < (M + 7) / 8, blockIdx.x < (N + 7) / 8, threadIdx.x < 64
extern "C" __global__ void matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, const int M, const int N, const int K) {
  const int by = blockIdx.y;
  const int bx = blockIdx.x;
  const int t = threadIdx.x;
  __shared__ __align__(16) float As[64];
  __shared__ __align__(16) float Bs[64];
  float sum = 0;
  const int t0 = t >> 3;
  const int t1 = by * 8 + t0;
  const int t2 = t & 7;
  const int t4 = K * t1 + t2;
  const bool t5 = t1 < M;
  const int t6 = bx * 8;
  const int t7 = t6 + t2;
  const bool t9 = t7 < N;
  const int t10 = t & -8;
  for (int s = 0; s < ((K + 7) >> 3); ++s) {
    const int t3 = s * 8;
    if (t5 && t2 + t3 < K) {
      As[t] = A[t4 + t3];
    } else {
      As[t] = 0;
    }
    const int t8 = t0 + t3;
    if (t9 && t8 < K) {
      Bs[t] = B[t7 + N * t8];
    } else {
      Bs[t] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      sum += As[t10 + i] * Bs[t2 + i * 8];
    }
    __syncthreads();
  }
  if (t9 && t5) {
    C[t6 + N * t1 + t2] = sum;
  }
}
