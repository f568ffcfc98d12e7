// Matrix products whose blocks are visited in groups of rows, so that neighbours in time share tiles in the L2 cache.

constexpr int TILE = 16;
constexpr int GROUP = 4;

struct TileId {
  int m, n;
};

// The tile of the `pid`-th block: GROUP tiles down, then one to the right.
// quaff: pid in 0..1048575, tiles_m in 1..1024, tiles_n in 1..1024, pid < tiles_m * tiles_n
__device__ __forceinline__ TileId swizzle(int pid, int tiles_m, int tiles_n) {
  const int in_group = GROUP * tiles_n;
  const int group = pid / in_group;
  const int first = group * GROUP;
  const int size = min(tiles_m - first, GROUP);
  return {first + (pid % in_group) % size, (pid % in_group) / size};
}

// C = A * B for `problems` products of the same shape, one after the other in memory.
__global__ void __launch_bounds__(256)
grouped_gemm(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int problems, int M, int N,
             int K) {
  // quaff: problems in 1..64, M in 16..1024, N in 16..1024, K in 16..1024, M % 16 == 0, N % 16 == 0, K % 16 == 0
  __shared__ float As[TILE][TILE];
  __shared__ float Bs[TILE][TILE + 1];

  const int tiles_m = (M + TILE - 1) / TILE;
  const int tiles_n = (N + TILE - 1) / TILE;
  const int problem = blockIdx.x / (tiles_m * tiles_n);
  if (problem >= problems) {
    return;
  }
  const TileId tile = swizzle(blockIdx.x % (tiles_m * tiles_n), tiles_m, tiles_n);
  const int ty = threadIdx.x / TILE;
  const int tx = threadIdx.x % TILE;
  const int row = tile.m * TILE + ty;
  const int col = tile.n * TILE + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < (K + TILE - 1) / TILE; ++k0) {
    const int ka = k0 * TILE + threadIdx.x % TILE;
    const int kb = k0 * TILE + threadIdx.x / TILE;
    As[ty][tx] = row < M && ka < K ? A[(problem * M + row) * K + ka] : 0.0f;
    Bs[ty][tx] = kb < K && col < N ? B[(problem * K + kb) * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) {
      sum += As[ty][k] * Bs[k][tx];
    }
    __syncthreads();
  }
  if (row < M && col < N) {
    C[(problem * M + row) * N + col] = sum;
  }
}

// The same walk with the group's arithmetic in the kernel, over tiles whose number is a multiple of the group.
// quaff: tiles_m in 4..1024, tiles_n in 1..1024, tiles_m % 4 == 0
__global__ void tile_order(int* __restrict__ order, int tiles_m, int tiles_n) {
  const int pid = blockIdx.x * blockDim.x + threadIdx.x;
  if (pid >= tiles_m * tiles_n) {
    return;
  }
  const int group = pid / (GROUP * tiles_n);
  const int size = min(tiles_m - group * GROUP, GROUP);
  const int pid_m = group * GROUP + pid % size;
  const int pid_n = pid % (GROUP * tiles_n) / size;
  order[pid_m * tiles_n + pid_n] = pid;
}

#ifdef __CUDACC__
// Host code: the launch is no index arithmetic of a kernel.
void launch_grouped_gemm(const float* A, const float* B, float* C, int problems, int M, int N, int K) {
  const dim3 block(TILE * TILE);
  const dim3 grid(problems * ((M + TILE - 1) / TILE) * ((N + TILE - 1) / TILE));
  grouped_gemm<<<grid, block>>>(A, B, C, problems, M, N, K);
}
#endif
