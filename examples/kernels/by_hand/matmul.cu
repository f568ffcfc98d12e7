extern "C" __global__ void matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, const int rows) {
  const int N = 4096, K = 4096;
  __shared__ __align__(16) float As[64][16];
  __shared__ __align__(16) float Bs[16][64];
  __align__(16) float sums[4][4] = {};
  const int tid = threadIdx.x;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int loadRowA = tid / 4, loadColA = tid % 4 * 4;
  const int loadRowB = tid / 16, loadColB = tid % 16 * 4;
  const int threadRow = tid / 16 * 4, threadCol = tid % 16 * 4;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += 16) {
    float4 a = {};
    if (row0 + loadRowA < rows) a = *reinterpret_cast<const float4*>(&A[(row0 + loadRowA) * K + k0 + loadColA]);
    *reinterpret_cast<float4*>(&As[loadRowA][loadColA]) = a;
    *reinterpret_cast<float4*>(&Bs[loadRowB][loadColB]) = *reinterpret_cast<const float4*>(&B[(k0 + loadRowB) * N + col0 + loadColB]);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float left[4];
      float4 r = *reinterpret_cast<const float4*>(&Bs[k][threadCol]);
      const float right[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
      for (int i = 0; i < 4; ++i) left[i] = As[threadRow + i][k];
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += left[i] * right[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = row0 + threadRow + i;
    if (row < rows)
      *reinterpret_cast<float4*>(&C[row * N + col0 + threadCol]) = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
  }
}
