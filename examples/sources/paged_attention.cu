// Attention of one new token over keys and values that are kept in pages. A table has the pages of each sequence.

#define PAGE 16
#define HEAD_DIM 64
#define VEC 4
#define THREADS 128
#define MAX_TOKENS 512

// Keys are [page][kv_head][HEAD_DIM / VEC][PAGE][VEC], values [page][kv_head][HEAD_DIM][PAGE]. A block serves one head of one
// sequence.
__global__ void __launch_bounds__(THREADS)
paged_attention_decode(const float* __restrict__ query, const float* __restrict__ keys, const float* __restrict__ values,
                       const int* __restrict__ table, const int* __restrict__ lengths, float* __restrict__ out,
                       int heads, int kv_heads, int max_pages, float scale) {
  // quaff: heads in 1..64, kv_heads in 1..64, heads % kv_heads == 0, max_pages in 1..32
  __shared__ float q[HEAD_DIM];
  __shared__ float scores[MAX_TOKENS];
  __shared__ float total;

  const int seq = blockIdx.x / heads;
  const int head = blockIdx.x % heads;
  const int kv_head = head / (heads / kv_heads);
  const int length = lengths[seq];
  if (threadIdx.x < HEAD_DIM) {
    q[threadIdx.x] = query[(seq * heads + head) * HEAD_DIM + threadIdx.x % HEAD_DIM];
  }
  __syncthreads();

  // Scores: a thread for each token.
  for (int t = threadIdx.x; t < length && t < MAX_TOKENS; t += THREADS) {
    const int page = table[seq * max_pages + t / PAGE];
    const int slot = t % PAGE;
    float score = 0.0f;
    for (int d = 0; d < HEAD_DIM; ++d) {
      const long long at =
          (((long long)page * kv_heads + kv_head) * (HEAD_DIM / VEC) + d / VEC) * (PAGE * VEC) + slot * VEC + d % VEC;
      score += q[d] * keys[at];
    }
    scores[t / PAGE * PAGE + slot] = score * scale;
  }
  __syncthreads();

  if (threadIdx.x == 0) {
    float top = scores[0];
    for (int t = 1; t < length; ++t) top = max(top, scores[t]);
    float sum = 0.0f;
    for (int t = 0; t < length; ++t) {
      scores[t] = expf(scores[t] - top);
      sum += scores[t];
    }
    total = sum;
  }
  __syncthreads();

  // Output: a thread for each element of the head; the rest of the block has nothing to do.
  const int d = threadIdx.x;
  if (d >= HEAD_DIM) {
    return;
  }
  float sum = 0.0f;
  for (int p = 0; p < (length + PAGE - 1) / PAGE; ++p) {
    const long long page = table[blockIdx.x / heads * max_pages + p];
    for (int slot = 0; slot < PAGE; ++slot) {
      const int t = p * PAGE + slot;
      if (t < length) {
        sum += scores[t] * values[((page * kv_heads + kv_head) * HEAD_DIM + d % HEAD_DIM) * PAGE + t % PAGE];
      }
    }
  }
  out[(blockIdx.x / heads * heads + blockIdx.x % heads) * HEAD_DIM + d] = sum / total;
}

// Writes the key of each new token to its slot; `slots` counts tokens over all pages, and is negative for padding.
__global__ void store_keys(const float* __restrict__ fresh, float* __restrict__ keys, const long long* __restrict__ slots,
                           int tokens, int kv_heads) {
  // quaff: tokens in 1..4096, kv_heads in 1..64
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= tokens * kv_heads * HEAD_DIM) return;
  const int token = i / (kv_heads * HEAD_DIM);
  const int head = i % (kv_heads * HEAD_DIM) / HEAD_DIM;
  const int d = i % (kv_heads * HEAD_DIM) % HEAD_DIM;
  const long long slot = slots[token];
  if (slot < 0) return;
  const long long page = slot / PAGE;
  keys[((page * kv_heads + head) * (HEAD_DIM / VEC) + d / VEC) * (PAGE * VEC) + slot % PAGE * VEC + d % VEC] =
      fresh[((long long)token * kv_heads + head) * HEAD_DIM + d];
}
