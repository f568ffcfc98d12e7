extern "C" __global__ void conv(const float* __restrict__ in, const float* __restrict__ weight, float* __restrict__ out) {
  const int H = 56, W = 56, C = 48, F = 64, S = 3, OH = 28, OW = 28, stride = 2, padding = 2, dilation = 2;
  __shared__ float cols[16][16];
  __shared__ float taps[16][16];
  const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;
  const int pixel = blockIdx.y * 16 + ty;
  const int n = pixel / (OH * OW), oy = pixel / OW % OH, ox = pixel % OW;
  const int f = blockIdx.x * 16 + tx;
  float sum = 0.f;
#pragma unroll 1
  for (int t0 = 0; t0 < 432; t0 += 16) {
    const int tap = t0 + tx;
    const int c = tap % C, s = tap / C % S, r = tap / (C * S);
    const int y = oy * stride - padding + r * dilation, x = ox * stride - padding + s * dilation;
    const bool inside = y >= 0 && y < H && x >= 0 && x < W;
    cols[ty][tx] = inside ? in[((n * H + y) * W + x) * C + c] : 0.f;
    taps[ty][tx] = weight[(t0 + ty) * F + f];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) sum += cols[ty][k] * taps[k][tx];
    __syncthreads();
  }
  out[pixel * F + f] = sum;
}
