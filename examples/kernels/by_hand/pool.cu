extern "C" __global__ void pool(const float* __restrict__ in, float* __restrict__ out) {
  const int C = 64, H = 112, W = 112, OH = 56, OW = 56;
  const int i = blockIdx.x * 128 + threadIdx.x;
  const int c = i % C, ox = i / C % OW, oy = i / (C * OW) % OH, n = i / (C * OW * OH);
  float sum = 0.f;
#pragma unroll
  for (int r = 0; r < 3; ++r)
#pragma unroll
    for (int s = 0; s < 3; ++s) {
      const int y = oy * 2 - 1 + r, x = ox * 2 - 1 + s;
      if (y >= 0 && y < H && x >= 0 && x < W) sum += in[((n * C + c) * H + y) * W + x];
    }
  out[i] = sum / 9.f;
}
