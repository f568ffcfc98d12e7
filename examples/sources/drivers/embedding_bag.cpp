#include "device.hpp"
#include KERNEL_FILE

static const int ROWS = 37;

static void any_size(int bags, int dim) {
  Array table(ROWS * dim), out(bags * dim);
  Ints offsets(bags + 1), tokens(bags * 4);
  table.fill(1);
  // sizes 0, 1, 2, 3, 0 and so on, and some tokens that are padding
  offsets[0] = 0;
  for (int b = 0; b < bags; ++b) offsets[b + 1] = offsets[b] + b % 4;
  for (int t = 0; t < tokens.length; ++t) tokens[t] = t % 7 == 5 ? -1 : (t * 11 + 26) % ROWS;
  launch_for(out.length, 128, [&] { embedding_bag(table, tokens, offsets, out, bags, dim, ROWS); });
  for (int b = 0; b < bags; ++b) for (int d = 0; d < dim; ++d) {
    float sum = 0;
    for (int t = offsets[b]; t < offsets[b + 1]; ++t) sum += tokens[t] < 0 ? 0 : table[tokens[t] * dim + d];
    expect(out[b * dim + d], sum);
  }
  out.print("embedding_bag");
}

template <int BAG> static void fixed(int bags, int dim) {
  Array table(ROWS * dim), weights(bags * BAG), out(bags * dim);
  Ints tokens(bags * BAG);
  table.fill(2);
  weights.fill(3);
  for (int t = 0; t < tokens.length; ++t) tokens[t] = (t * 13 + 4) % ROWS;
  launch_for(out.length, 256, [&] { embedding_bag_fixed<BAG>(table, tokens, weights, out, bags, dim); });
  for (int b = 0; b < bags; ++b) for (int d = 0; d < dim; ++d) {
    float sum = 0;
    for (int j = 0; j < BAG; ++j) sum += table[tokens[b * BAG + j] * dim + d] * weights[b * BAG + j];
    expect(out[b * dim + d], sum);
  }
  out.print("embedding_bag_fixed");
}

static void gradients(int bags, int size, int dim) {
  Array grad(bags * dim), table(ROWS * dim), wanted(ROWS * dim);
  Ints tokens(bags * size);
  grad.fill(4);
  table.fill(5);
  wanted.fill(5);
  for (int t = 0; t < tokens.length; ++t) tokens[t] = (t * 5 + 1) % ROWS;
  launch_for(bags * size * dim, 64, [&] { embedding_bag_backward(grad, tokens, table, bags, size, dim); });
  for (int b = 0; b < bags; ++b) for (int j = 0; j < size; ++j) for (int d = 0; d < dim; ++d)
    wanted[tokens[b * size + j] * dim + d] += grad[b * dim + d];
  for (int i = 0; i < wanted.length; ++i) expect(table[i], wanted[i]);
  table.print("embedding_bag_backward");
}

int main() {
  any_size(8, 16);
  any_size(13, 4);
  any_size(5, 36);
  fixed<4>(16, 64);
  fixed<3>(7, 32);
  fixed<5>(3, 256);
  gradients(4, 8, 16);
  gradients(11, 3, 5);
  gradients(1, 1, 1);
  return right();
}
