#include "device.hpp"
#include KERNEL_FILE

static int key_at(int page, int kv_heads, int kv, int d, int slot) {
  return (((page * kv_heads + kv) * 16 + d / 4) * 16 + slot) * 4 + d % 4;
}

static void decode(int heads, int kv_heads, int max_pages, std::vector<int> sizes) {
  const int seqs = (int)sizes.size(), pages = seqs * max_pages;
  Array query(seqs * heads * 64), keys(pages * kv_heads * 64 * 16), values(pages * kv_heads * 64 * 16), out(query.length);
  Ints table(seqs * max_pages), lengths(seqs);
  query.fill(1);
  keys.fill(2);
  values.fill(3);
  for (int i = 0; i < table.length; ++i) table[i] = (i * 5 + 3) % pages;
  for (int i = 0; i < seqs; ++i) lengths[i] = sizes[i];
  const float scale = 0.01f;
  launch(dim3(seqs * heads), dim3(128), [&] {
    paged_attention_decode(query, keys, values, table, lengths, out, heads, kv_heads, max_pages, scale);
  });
  for (int s = 0; s < seqs; ++s) for (int h = 0; h < heads; ++h) {
    const int kv = h / (heads / kv_heads);
    std::vector<double> weights;
    double total = 0;
    for (int t = 0; t < sizes[s]; ++t) {
      double score = 0;
      for (int d = 0; d < 64; ++d)
        score += query[(s * heads + h) * 64 + d] * keys[key_at(table[s * max_pages + t / 16], kv_heads, kv, d, t % 16)];
      weights.push_back(exp(score * scale));
      total += weights.back();
    }
    for (int d = 0; d < 64; ++d) {
      double sum = 0;
      for (int t = 0; t < sizes[s]; ++t)
        sum += weights[t] * values[((table[s * max_pages + t / 16] * kv_heads + kv) * 64 + d) * 16 + t % 16];
      near(out[(s * heads + h) * 64 + d], sum / total, 1e-3);
    }
  }
  out.print("paged_attention_decode");
}

static void store(int tokens, int kv_heads) {
  Array fresh(tokens * kv_heads * 64), keys(4 * kv_heads * 64 * 16);
  ArrayOf<long long> slots(tokens);
  fresh.fill(4);
  for (int t = 0; t < tokens; ++t) slots[t] = t % 5 == 3 ? -1 : (t * 29 + 6) % 64;
  launch_for(fresh.length, 128, [&] { store_keys(fresh, keys, slots, tokens, kv_heads); });
  for (int t = 0; t < tokens; ++t) for (int h = 0; h < kv_heads; ++h) for (int d = 0; d < 64; ++d)
    if (slots[t] >= 0)
      expect(keys[key_at(slots[t] / 16, kv_heads, h, d, slots[t] % 16)], fresh[(t * kv_heads + h) * 64 + d]);
  keys.print("store_keys");
}

int main() {
  decode(4, 2, 3, {48, 17});
  decode(3, 1, 10, {1, 150});
  decode(2, 2, 1, {16});
  store(9, 2);
  store(30, 3);
  return right();
}
