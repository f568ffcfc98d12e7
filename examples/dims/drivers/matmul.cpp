// The kernel of matmul.toml against plain loops.
#include "device.hpp"
#include KERNEL_FILE

int main() {
  const int M = 64, N = 48, K = 96;
  Array a(M * K), b(K * N), c(M * N);
  a.fill(1);
  b.fill(2);
  launch(dim3(3, 4), dim3(16, 16), [&] { matmul(a, b, c); });
  for (int m = 0; m < M; ++m) for (int n = 0; n < N; ++n) {
    float sum = 0;
    for (int k = 0; k < K; ++k) sum += a[m * K + k] * b[k * N + n];
    expect(c[m * N + n], sum);
  }
  return right();
}
