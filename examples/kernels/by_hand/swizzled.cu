extern "C" __global__ void swizzled(const float* __restrict__ from, float* __restrict__ to) {
  const int R = 4096, C = 2048;
  __shared__ float tile[32][32];
  const int x = threadIdx.x % 32, y = threadIdx.x / 32;
  const int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
#pragma unroll
  for (int j = 0; j < 32; j += 8) tile[y + j][x ^ (y + j)] = from[(row0 + y + j) * C + col0 + x];
  __syncthreads();
#pragma unroll
  for (int j = 0; j < 32; j += 8) to[(col0 + y + j) * R + row0 + x] = tile[x][(y + j) ^ x];
}
