// blockIdx.y < 64, blockIdx.x < 64, threadIdx.x < 256
extern "C" __global__ void matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, const int rows) {
  const int by = blockIdx.y;
  const int bx = blockIdx.x;
  const int t = threadIdx.x;
  __shared__ __align__(16) float As[1024];
  __shared__ __align__(16) float Bs[1024];
  __align__(16) float sums[16] = {};
  const int As_at = t * 4;
  const int t0 = by * 262144;
  const int t1 = t >> 2;
  const int t2 = t0 + As_at + t1 * 4080;
  const int t3 = by * 64;
  const bool inside = t3 + t1 < rows;
  const int t4 = bx * 64;
  const int t5 = t >> 4;
  const int t6 = As_at & 63;
  const int t7 = t4 + t5 * 4096 + t6;
  const int t8 = t5 * 64;
  const int t10 = (t & 15) * 4;
#pragma unroll 1
  for (int s = 0; s < 256; ++s) {
    if (inside) {
      *reinterpret_cast<float4*>(&As[As_at]) = *reinterpret_cast<const float4*>(&A[t2 + s * 16]);
    } else {
      *reinterpret_cast<float4*>(&As[As_at]) = float4{};
    }
    *reinterpret_cast<float4*>(&Bs[As_at]) = *reinterpret_cast<const float4*>(&B[t7 + s * 65536]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      __align__(16) float left[4];
      __align__(16) float right[4];
      const int t9 = t8 + k;
#pragma unroll
      for (int lane = 0; lane < 4; ++lane) {
        left[lane] = As[t9 + lane * 16];
      }
      *reinterpret_cast<float4*>(&right[0]) = *reinterpret_cast<const float4*>(&Bs[t10 + k * 64]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[i * 4 + j] += left[i] * right[j];
        }
      }
    }
    __syncthreads();
  }
  const int t11 = t0 + t4 + t5 * 16384 + t6;
  const int t12 = t3 + t5 * 4;
#pragma unroll
  for (int i_2 = 0; i_2 < 4; ++i_2) {
    if (t12 + i_2 < rows) {
      *reinterpret_cast<float4*>(&C[t11 + i_2 * 4096]) = *reinterpret_cast<const float4*>(&sums[i_2 * 4]);
    }
  }
}
