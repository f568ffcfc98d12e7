#include "device.hpp"
#include KERNEL_FILE

static void norm(int batch, int tokens, int hidden) {
  Array x(batch * tokens * hidden), gamma(hidden), beta(hidden), y(x.length);
  x.fill(1);
  gamma.fill(2);
  beta.fill(3);
  const float eps = 0.5f;
  // one block too many: it must return
  launch(dim3(batch * tokens + 1), dim3(256), [&] { layer_norm(x, gamma, beta, y, batch, tokens, hidden, eps); });
  for (int b = 0; b < batch; ++b) for (int t = 0; t < tokens; ++t) {
    const float* row = x + (b * tokens + t) * hidden;
    double mean = 0, variance = 0;
    for (int i = 0; i < hidden; ++i) mean += row[i];
    mean /= hidden;
    for (int i = 0; i < hidden; ++i) variance += (row[i] - mean) * (row[i] - mean);
    variance /= hidden;
    for (int i = 0; i < hidden; ++i)
      near(y[(t * batch + b) * hidden + i], (row[i] - mean) / sqrt(variance + eps) * gamma[i] + beta[i], 1e-3);
  }
  y.print("layer_norm");
}

static void affine(int batch, int groups, int size, int plane) {
  Array x(batch * groups * size * plane), before(x.length), mean(batch * groups), scale(batch * groups);
  Array gamma(groups * size);
  x.fill(4);
  before.fill(4);
  mean.fill(5);
  scale.fill(6);
  gamma.fill(7);
  launch_for(x.length, 64, [&] { group_affine(x, mean, scale, gamma, batch, groups, size, plane); });
  int at = 0;
  for (int n = 0; n < batch; ++n) for (int g = 0; g < groups; ++g) for (int c = 0; c < size; ++c)
    for (int p = 0; p < plane; ++p, ++at)
      expect(x[at], (before[at] - mean[n * groups + g]) * scale[n * groups + g] * gamma[g * size + c]);
  x.print("group_affine");
}

int main() {
  norm(2, 3, 128);
  norm(1, 5, 384);
  norm(3, 1, 1152);
  affine(2, 4, 2, 16);
  affine(3, 1, 5, 7);
  affine(1, 3, 1, 1);
  return right();
}
