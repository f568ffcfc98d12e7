// Transposes matrices through shared memory. A column of padding in the tile keeps its banks apart.

#define TILE 32
#define LANES 8

// A batch of row-major matrices, rows x cols, to cols x rows. Blocks have 32 x 8 threads in one dimension.
// quaff: batch in 1..64, rows in 1..1024, cols in 1..1024
__global__ void __launch_bounds__(256)
transpose_batched(const float* __restrict__ in, float* __restrict__ out, int batch, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];

  const int tiles_r = (rows + TILE - 1) / TILE;
  const int tiles_c = (cols + TILE - 1) / TILE;
  const int b = blockIdx.x / (tiles_r * tiles_c);
  const int tr = blockIdx.x / tiles_c % tiles_r;
  const int tc = blockIdx.x % tiles_c;
  const int lane = threadIdx.x % TILE;
  const int first = threadIdx.x / TILE;
  if (b >= batch) {
    return;  // all threads of the block
  }

  for (int r = first; r < TILE; r += LANES) {
    const int row = tr * TILE + r;
    const int col = tc * TILE + lane;
    if (row < rows && col < cols) {
      tile[r][lane] = in[(b * rows + row) * cols + col];
    }
  }
  __syncthreads();
  for (int r = first; r < TILE; r += LANES) {
    const int row = tc * TILE + r;
    const int col = tr * TILE + lane;
    if (row < cols && col < rows) {
      out[(b * cols + row) * rows + col] = tile[lane][r];
    }
  }
}

// To the blocked layout [rows / 32][cols][32] that vector units read, with zeros where rows are missing in the last block.
__global__ void __launch_bounds__(256)
transpose_blocked(const float* __restrict__ in, float* __restrict__ out, int rows, int cols, int padded) {
  // Rows are padded to whole blocks.
  // quaff: rows in 1..4096, cols in 32..4096, padded in 32..4096, cols % 32 == 0, padded % 32 == 0, rows <= padded
  __shared__ float tile[TILE * (TILE + 1)];

  const int tiles_c = (cols + TILE - 1) / TILE;
  const int tr = blockIdx.x / tiles_c;
  const int tc = blockIdx.x - blockIdx.x / tiles_c * tiles_c;

  for (int i = threadIdx.x; i < TILE * TILE; i += 256) {
    const int row = tr * TILE + i / TILE;
    const int col = tc * TILE + i % TILE;
    float value = 0.0f;
    if (row < rows && col < cols) {
      value = in[row * cols + col];
    }
    tile[i / TILE * (TILE + 1) + i % TILE] = value;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < TILE * TILE; i += 256) {
    const int row = tr * TILE + i % TILE;
    const int col = tc * TILE + i / TILE;
    if (row < padded && col < cols) {
      const int block = row / TILE;
      out[(block * cols + col) * TILE + row % TILE] = tile[i % TILE * (TILE + 1) + i / TILE];
    }
  }
}
