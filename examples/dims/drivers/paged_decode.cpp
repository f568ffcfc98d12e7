// The kernel of paged_decode.toml against plain loops.
#include "device.hpp"
#include KERNEL_FILE

int main() {
  const int PAGES = 6, SLOTS = 16, DIM = 8, HEADS = 4, FRAMES = 32;
  Array q(HEADS * DIM), keys(FRAMES * SLOTS * DIM), scores(HEADS * PAGES * SLOTS);
  ArrayOf<int> table(PAGES);
  q.fill(1);
  keys.fill(2);
  for (int p = 0; p < PAGES; ++p) table.data[p] = (p * 11 + 31) % FRAMES;
  launch(dim3(HEADS), dim3(SLOTS), [&] { paged_decode(q, keys, scores, table.data); });
  for (int h = 0; h < HEADS; ++h) for (int p = 0; p < PAGES; ++p) for (int s = 0; s < SLOTS; ++s) {
    float sum = 0;
    for (int d = 0; d < DIM; ++d) sum += keys[(table.data[p] * SLOTS + s) * DIM + d] * q[h * DIM + d];
    expect(scores[h * PAGES * SLOTS + p * SLOTS + s], sum);
  }
  return right();
}
