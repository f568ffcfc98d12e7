// Sums of rows of an embedding table.

#include <cstdint>

#define DIM_OF(i, dim) ((i) % (dim))
#define BAG_OF(i, dim) ((i) / (dim))

// Bags of any size: bag `b` has the tokens from offsets[b] to offsets[b + 1].
__global__ void embedding_bag(const float* __restrict__ table, const int* __restrict__ tokens,
                              const int* __restrict__ offsets, float* __restrict__ out, int bags, int dim, int rows) {
  // quaff: bags in 1..65536, dim in 4..1024, dim % 4 == 0, rows in 1..1048576
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= bags * dim) {
    return;
  }
  const int bag = BAG_OF(i, dim);
  const int first = offsets[bag];
  const int last = offsets[BAG_OF(i, dim) + 1];
  float sum = 0.0f;
  for (int t = first; t < last; ++t) {
    const int row = tokens[t];
    if (row < 0 || row >= rows) {
      continue;  // padding
    }
    const size_t vec = (size_t)row * (dim / 4) + i % dim / 4;
    sum += table[vec * 4 + i % dim % 4];
  }
  out[bag * dim + DIM_OF(i, dim)] = sum;
}

// Bags of BAG tokens each, with a weight for each token. A block has whole bags only.
template <int BAG>
__global__ void __launch_bounds__(256)
embedding_bag_fixed(const float* __restrict__ table, const int* __restrict__ tokens, const float* __restrict__ weights,
                    float* __restrict__ out, unsigned bags, unsigned dim) {
  // quaff: bags in 1..65536, dim in 32..256, 256 % dim == 0, dim % 32 == 0
  const unsigned per_block = 256 / dim;
  const unsigned bag = blockIdx.x * per_block + threadIdx.x / dim;
  const unsigned d = threadIdx.x % dim;
  if (bag >= bags) return;
  float sum = 0.0f;
  for (unsigned t = bag * BAG; t < bag * BAG + BAG; ++t) {
    const size_t row = tokens[t / BAG * BAG + t % BAG];
    sum += table[row * dim + d] * weights[t];
  }
  out[(blockIdx.x * per_block + threadIdx.x / dim) * dim + threadIdx.x % dim] = sum;
}

// The gradient of the table for bags of `size` tokens: all threads add to it at the same time.
__global__ void embedding_bag_backward(const float* __restrict__ grad, const int* __restrict__ tokens,
                                       float* __restrict__ grad_table, int bags, int size, int dim) {
  // quaff: bags in 1..16384, size in 1..64, dim in 1..1024, bags * size * dim <= 2147483647
  const int id = blockIdx.x * blockDim.x + threadIdx.x;
  const int total = bags * size * dim;
  if (id < total) {
    const int d = id % dim;
    const int token = id / dim;
    const int bag = id / (size * dim);
    const int64_t row = tokens[bag * size + token % size];
    atomicAdd(&grad_table[row * dim + d], grad[bag * dim + d]);
  }
}
