extern "C" __global__ void attention(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* __restrict__ out, float scale) {
  const int D = 64, QUERIES = 1024, KEYS = 4096, GROUP = 4;
  __shared__ __align__(16) float Qs[16][D];
  __shared__ __align__(16) float Ks[16][D];
  __shared__ __align__(16) float Vs[16][D];
  __shared__ float Ps[16][16];
  float sums[4] = {};
  float highest = -1e30f, total = 0.f;
  const int head = blockIdx.y, kv = head / GROUP, q0 = blockIdx.x * 16;
  const int loadRow = threadIdx.x / 16, loadCol = threadIdx.x % 16 * 4;
  const int row = threadIdx.x / 16, col = threadIdx.x % 16;
  const float* q = Q + (head * QUERIES + q0) * D;
  const float* k = K + kv * KEYS * D;
  const float* v = V + kv * KEYS * D;
  *reinterpret_cast<float4*>(&Qs[loadRow][loadCol]) = *reinterpret_cast<const float4*>(&q[loadRow * D + loadCol]);
#pragma unroll 1
  for (int s0 = 0; s0 < KEYS; s0 += 16) {
    *reinterpret_cast<float4*>(&Ks[loadRow][loadCol]) = *reinterpret_cast<const float4*>(&k[(s0 + loadRow) * D + loadCol]);
    *reinterpret_cast<float4*>(&Vs[loadRow][loadCol]) = *reinterpret_cast<const float4*>(&v[(s0 + loadRow) * D + loadCol]);
    __syncthreads();
    float product = 0.f;
#pragma unroll 8
    for (int d = 0; d < D; ++d) product += Qs[row][d] * Ks[col][d];
    Ps[row][col] = product * scale;
    __syncthreads();
    float next = highest;
#pragma unroll
    for (int c = 0; c < 16; ++c) next = fmaxf(next, Ps[row][c]);
    const float fade = expf(highest - next);
    highest = next;
    total *= fade;
#pragma unroll
    for (int e = 0; e < 4; ++e) sums[e] *= fade;
#pragma unroll
    for (int c = 0; c < 16; ++c) {
      const float weight = expf(Ps[row][c] - next);
      total += weight;
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[e] += weight * Vs[c][col * 4 + e];
    }
    __syncthreads();
  }
  *reinterpret_cast<float4*>(&out[(head * QUERIES + q0 + row) * D + col * 4]) =
      make_float4(sums[0] / total, sums[1] / total, sums[2] / total, sums[3] / total);
}
