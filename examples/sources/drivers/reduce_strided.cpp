#include "device.hpp"
#include KERNEL_FILE

static void largest(int outer, int axis, int inner) {
  Array x(outer * axis * inner);
  Ints place(outer * inner), along(outer * inner);
  x.fill(1);
  launch_for(outer * inner, 64, [&] { arg_max(x, place, along, outer, axis, inner); });
  for (int o = 0; o < outer; ++o) for (int i = 0; i < inner; ++i) {
    int best = 0;
    for (int k = 1; k < axis; ++k)
      if (x[(o * axis + k) * inner + i] > x[(o * axis + best) * inner + i]) best = k;
    expect(along[o * inner + i], best);
    expect(place[o * inner + i], (o * axis + best) * inner + i);
  }
  place.print("arg_max");
}

static void sums(int outer, int axis, int inner) {
  Array x(outer * axis * inner), out(outer * inner);
  x.fill(2);
  // one block too many: it must return
  launch(dim3(outer * (inner / 32) + 1), dim3(256), [&] { sum_strided(x, out, outer, axis, inner); });
  for (int o = 0; o < outer; ++o) for (int i = 0; i < inner; ++i) {
    float sum = 0;
    for (int k = 0; k < axis; ++k) sum += x[(o * axis + k) * inner + i];
    expect(out[o * inner + i], sum);
  }
  out.print("sum_strided");
}

static void outer_axes(int A, int B, int C, int D) {
  Array x(A * B * C * D), out(B * D);
  x.fill(3);
  launch(dim3(B * D), dim3(64), [&] { sum_outer_axes(x, out, A, B, C, D); });
  for (int b = 0; b < B; ++b) for (int d = 0; d < D; ++d) {
    float sum = 0;
    for (int a = 0; a < A; ++a) for (int c = 0; c < C; ++c) sum += x[((a * B + b) * C + c) * D + d];
    expect(out[b * D + d], sum);
  }
  out.print("sum_outer_axes");
}

int main() {
  largest(4, 8, 16);
  largest(3, 5, 7);
  largest(1, 1, 2);
  sums(2, 16, 64);
  sums(3, 24, 32);
  sums(1, 8, 96);
  outer_axes(4, 3, 16, 2);
  outer_axes(3, 2, 23, 5);
  return right();
}
