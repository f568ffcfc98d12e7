// blockIdx.y < 128, blockIdx.x < 64, threadIdx.x < 256
extern "C" __global__ void transpose(const float* __restrict__ from, float* __restrict__ to) {
  const int by = blockIdx.y;
  const int bx = blockIdx.x;
  const int t = threadIdx.x;
  __shared__ __align__(16) float tile[1056];
  const int t0 = t >> 5;
  const int t1 = t + t0;
  const int t2 = by * 65536 + bx * 32 + t + t0 * 2016;
#pragma unroll
  for (int s = 0; s < 4; ++s) {
    tile[t1 + s * 264] = from[t2 + s * 16384];
  }
  __syncthreads();
  const int t3 = t * 33 - t0 * 1055;
  const int t4 = by * 32 + bx * 131072 + t + t0 * 4064;
#pragma unroll
  for (int s_2 = 0; s_2 < 4; ++s_2) {
    to[t4 + s_2 * 32768] = tile[t3 + s_2 * 8];
  }
}
