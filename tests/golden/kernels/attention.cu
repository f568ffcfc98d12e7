// blockIdx.y < 32, blockIdx.x < 64, threadIdx.x < 256
extern "C" __global__ void attention(const float* __restrict__ Q, const float* __restrict__ K, const float* __restrict__ V, float* __restrict__ out, float scale) {
  const int h = blockIdx.y;
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  __shared__ __align__(16) float Qs[1024];
  __shared__ __align__(16) float Ks[1024];
  __shared__ __align__(16) float Vs[1024];
  __shared__ __align__(16) float Ps[256];
  __align__(16) float sums[4] = {};
  float highest = -1e30f, total = 0.f;
  const int Qs_at = t * 4;
  const int Q_at = h * 65536 + b * 1024 + Qs_at;
  *reinterpret_cast<float4*>(&Qs[Qs_at]) = *reinterpret_cast<const float4*>(&Q[Q_at]);
  const int t0 = (h >> 2) * 262144 + Qs_at;
  const int t1 = (t >> 4) * 64;
  const int t2 = t & 15;
  const int t3 = t2 * 64;
  const int t4 = t & -16;
  const int t5 = t2 * 4;
#pragma unroll 1
  for (int s = 0; s < 256; ++s) {
    const int K_at = t0 + s * 1024;
    *reinterpret_cast<float4*>(&Ks[Qs_at]) = *reinterpret_cast<const float4*>(&K[K_at]);
    *reinterpret_cast<float4*>(&Vs[Qs_at]) = *reinterpret_cast<const float4*>(&V[K_at]);
    __syncthreads();
    float product = 0.f;
#pragma unroll 8
    for (int d = 0; d < 64; ++d) {
      product += Qs[t1 + d] * Ks[t3 + d];
    }
    Ps[t] = product * scale;
    __syncthreads();
    float next = highest;
#pragma unroll
    for (int c = 0; c < 16; ++c) {
      next = fmaxf(next, Ps[t4 + c]);
    }
    const float fade = expf(highest - next);
    highest = next;
    total *= fade;
#pragma unroll
    for (int e = 0; e < 4; ++e) {
      sums[e] *= fade;
    }
#pragma unroll
    for (int c_2 = 0; c_2 < 16; ++c_2) {
      const float weight = expf(Ps[t4 + c_2] - next);
      total += weight;
      const int t6 = t5 + c_2 * 64;
#pragma unroll
      for (int e_2 = 0; e_2 < 4; ++e_2) {
        sums[e_2] += weight * Vs[t6 + e_2];
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int e_3 = 0; e_3 < 4; ++e_3) {
    sums[e_3] /= total;
  }
  *reinterpret_cast<float4*>(&out[Q_at]) = *reinterpret_cast<const float4*>(&sums[0]);
}
