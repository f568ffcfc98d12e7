// In the place of the device, on this machine. Blocks run one after the other. The threads of a block take turns: each runs until it
// waits at a barrier, so that results do not depend on the machine.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__ static
#define __restrict__
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };
struct alignas(8) int2 { int x, y; };
struct alignas(16) int4 { int x, y, z, w; };
struct alignas(8) uint2 { unsigned x, y; };
struct alignas(16) uint4 { unsigned x, y, z, w; };
struct alignas(16) double2 { double x, y; };

static dim3 gridDim, blockDim, blockIdx, threadIdx;
static const int warpSize = 32;

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (by & 31)) >> 32);
}
// of two types, as the usual conversions of C have it
template <class A, class B> static inline auto min(A a, B b) -> decltype(a + b) { return b < a ? b : a; }
template <class A, class B> static inline auto max(A a, B b) -> decltype(a + b) { return a < b ? b : a; }
static inline float rsqrtf(float x) { return 1.0f / sqrtf(x); }
template <class T> static inline T __ldg(const T* at) { return *at; }
template <class T> static inline T atomicAdd(T* at, T value) {
  const T before = *at;
  *at = before + value;
  return before;
}

namespace device {
enum Wait { READY, AT_WARP, AT_BLOCK, ENDED };
struct Thread {
  ucontext_t place;
  std::vector<char> stack = std::vector<char>(1 << 16);
  Wait wait = ENDED;
};
static std::vector<Thread> threads;
static ucontext_t scheduler;
static unsigned current;
static void (*body)(void*);
static void* body_data;

static inline void pause_until(Wait wait) {
  threads[current].wait = wait;
  swapcontext(&threads[current].place, &scheduler);
}
static void run_thread() {
  body(body_data);
  pause_until(ENDED);
}

static void begin(Thread& thread) {
  getcontext(&thread.place);
  thread.place.uc_stack.ss_sp = thread.stack.data();
  thread.place.uc_stack.ss_size = thread.stack.size();
  thread.place.uc_link = nullptr;
  makecontext(&thread.place, run_thread, 0);
  thread.wait = READY;
}

// Lets all threads that wait there go on; whether there was one.
static bool release(unsigned count, Wait wait) {
  bool any = false;
  for (unsigned t = 0; t < count; ++t)
    if (threads[t].wait == wait) {
      threads[t].wait = READY;
      any = true;
    }
  return any;
}

// Every other block runs its threads from the last to the first: an order without a barrier is found out.
static void run_block(unsigned count, bool reversed) {
  for (unsigned t = 0; t < count; ++t) begin(threads[t]);
  do {
    for (unsigned i = 0; i < count; ++i) {
      current = reversed ? count - 1 - i : i;
      if (threads[current].wait != READY) continue;
      threadIdx = dim3(current % blockDim.x, current / blockDim.x % blockDim.y, current / blockDim.x / blockDim.y);
      swapcontext(&scheduler, &threads[current].place);
    }
  } while (release(count, AT_WARP) || release(count, AT_BLOCK));
}

}  // namespace device

static inline void __syncthreads() { device::pause_until(device::AT_BLOCK); }
static inline void __syncwarp(unsigned = ~0u) { device::pause_until(device::AT_WARP); }

template <class Kernel> static void launch(dim3 grid, dim3 block, Kernel kernel) {
  gridDim = grid;
  blockDim = block;
  device::body = [](void* k) { (*(Kernel*)k)(); };
  device::body_data = &kernel;
  const unsigned count = block.x * block.y * block.z;
  if (device::threads.size() < count) device::threads = std::vector<device::Thread>(count);
  bool reversed = false;
  // the last block first: what a block writes behind its own elements is not written over by the next one
  for (blockIdx.z = grid.z; blockIdx.z-- > 0;)
    for (blockIdx.y = grid.y; blockIdx.y-- > 0;)
      for (blockIdx.x = grid.x; blockIdx.x-- > 0; reversed = !reversed) device::run_block(count, reversed);
}

// As many blocks of `threads` threads as have a thread for each of `count` elements.
template <class Kernel> static void launch_for(long long count, unsigned threads, Kernel kernel) {
  launch(dim3((unsigned)((count + threads - 1) / threads)), dim3(threads), kernel);
}

// An array of exactly this length, aligned like what cudaMalloc returns.
template <class T> struct ArrayOf {
  T* data;
  int length;
  explicit ArrayOf(int n) : length(n) {
    if (posix_memalign((void**)&data, 256, n ? n * sizeof(T) : 1)) abort();
    for (int i = 0; i < n; ++i) data[i] = -77777;
  }
  ArrayOf(const ArrayOf&) = delete;
  ~ArrayOf() { free(data); }
  operator T*() { return data; }
  void count() {
    for (int i = 0; i < length; ++i) data[i] = i;
  }
  // small integers: sums of their products are exact
  void fill(unsigned seed) {
    unsigned state = seed * 2654435761u + 1;
    for (int i = 0; i < length; ++i) {
      state = state * 1664525u + 1013904223u;
      data[i] = (T)(int)((state >> 16) % 17) - 8;
    }
  }
  // one line: how many values there are, and a number that is another one when any bit of them is
  void print(const char* what) const {
    unsigned long long hash = 14695981039346656037ull;
    for (size_t i = 0; i < length * sizeof(T); ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211ull;
    printf("%s: %d values, %016llx\n", what, length, hash);
  }
};
typedef ArrayOf<float> Array;
typedef ArrayOf<int> Ints;

static int compared = 0;
static inline void near(double got, double wanted, double tolerance) {
  ++compared;
  if (!(fabs(got - wanted) <= tolerance)) {
    printf("value %d: got %g, wanted %g\n", compared, got, wanted);
    exit(1);
  }
}
static inline void expect(double got, double wanted) { near(got, wanted, 0); }
static inline int right() {
  printf("%d values are right\n", compared);
  return 0;
}
