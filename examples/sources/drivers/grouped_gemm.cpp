#include "device.hpp"
#include KERNEL_FILE

static void products(int problems, int M, int N, int K) {
  Array A(problems * M * K), B(problems * K * N), C(problems * M * N);
  A.fill(1);
  B.fill(2);
  // one block too many: it must return
  launch(dim3(problems * (M / 16) * (N / 16) + 1), dim3(256), [&] { grouped_gemm(A, B, C, problems, M, N, K); });
  for (int p = 0; p < problems; ++p) for (int m = 0; m < M; ++m) for (int n = 0; n < N; ++n) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += A[(p * M + m) * K + k] * B[(p * K + k) * N + n];
    expect(C[(p * M + m) * N + n], sum);
  }
  C.print("grouped_gemm");
}

static void walk(int tiles_m, int tiles_n) {
  Ints order(tiles_m * tiles_n);
  launch_for(order.length, 64, [&] { tile_order(order, tiles_m, tiles_n); });
  int pid = 0;
  for (int group = 0; group < tiles_m; group += 4) for (int n = 0; n < tiles_n; ++n) for (int m = group; m < group + 4; ++m)
    expect(order[m * tiles_n + n], pid++);
  order.print("tile_order");
}

int main() {
  products(1, 64, 64, 32);
  products(2, 80, 48, 16);
  products(3, 16, 32, 48);
  walk(8, 5);
  walk(4, 1);
  walk(12, 16);
  return right();
}
