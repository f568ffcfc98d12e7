// Stands in for the device: blocks run one after the other, the threads of a block at the same time.
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

#define __global__
#define __shared__ static
#define __restrict__
#define __align__(n) __attribute__((aligned(n)))

struct dim3 {
  unsigned x, y, z;
  dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
struct alignas(8) float2 { float x, y; };
struct alignas(16) float4 { float x, y, z, w; };

static dim3 blockIdx;
static thread_local dim3 threadIdx;

static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }

struct Barrier {
  std::mutex mutex;
  std::condition_variable all;
  unsigned expected = 0, waiting = 0, round = 0;
  void wait() {
    std::unique_lock<std::mutex> lock(mutex);
    const unsigned mine = round;
    if (++waiting == expected) {
      waiting = 0;
      ++round;
      all.notify_all();
    } else {
      all.wait(lock, [&] { return round != mine; });
    }
  }
};
static Barrier barrier;
static inline void __syncthreads() { barrier.wait(); }

template <class Kernel> static void launch(dim3 grid, dim3 block, Kernel kernel) {
  barrier.expected = block.x;
  for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y)
    for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
      std::vector<std::thread> threads;
      for (unsigned t = 0; t < block.x; ++t) threads.emplace_back([&, t] {
        threadIdx.x = t;
        kernel();
      });
      for (std::thread& t : threads) t.join();
    }
}

// An array of exactly this length, aligned like what cudaMalloc returns.
struct Array {
  float* data;
  int length;
  explicit Array(int n) : length(n) {
    if (posix_memalign((void**)&data, 256, n ? n * sizeof(float) : 1)) abort();
    for (int i = 0; i < n; ++i) data[i] = -77777;
  }
  Array(const Array&) = delete;
  ~Array() { free(data); }
  operator float*() { return data; }
  void count() {
    for (int i = 0; i < length; ++i) data[i] = i;
  }
  // small integers: sums of their products are exact
  void fill(unsigned seed) {
    unsigned state = seed * 2654435761u + 1;
    for (int i = 0; i < length; ++i) {
      state = state * 1664525u + 1013904223u;
      data[i] = (float)(int)((state >> 16) % 17) - 8;
    }
  }
};

static int compared = 0;
static inline void near(double got, double wanted, double tolerance) {
  ++compared;
  if (!(fabs(got - wanted) <= tolerance)) {
    printf("value %d: got %g, wanted %g\n", compared, got, wanted);
    exit(1);
  }
}
static inline void expect(float got, float wanted) { near(got, wanted, 0); }
static inline int right() {
  printf("%d values are right\n", compared);
  return 0;
}
