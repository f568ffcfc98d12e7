// blockIdx.y < 128, blockIdx.x < 64, threadIdx.x < 256
extern "C" __global__ void swizzled(const float* __restrict__ from, float* __restrict__ to) {
  const int by = blockIdx.y;
  const int bx = blockIdx.x;
  const int t = threadIdx.x;
  __shared__ __align__(16) float tile[1024];
  const int t0 = t >> 5;
  const int t1 = t & 31;
  const int t2 = t0 ^ t1;
  const int t3 = (t & -32) + t2;
  const int t4 = by * 65536 + bx * 32 + t + t0 * 2016;
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    tile[s * 256 + ((s * 8) ^ t3)] = from[t4 + s * 16384];
  }
  __syncthreads();
  const int t5 = t1 * 32 + t2;
  const int t6 = by * 32 + bx * 131072 + t + t0 * 4064;
#pragma unroll
  for (int s_2 = 0; s_2 < 4; ++s_2) {
    to[t6 + s_2 * 32768] = tile[(s_2 * 8) ^ t5];
  }
}
