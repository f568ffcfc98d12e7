// blockIdx.x < 4096, threadIdx.x < 256
extern "C" __global__ void copy(const float* __restrict__ from, float* __restrict__ to, const int n) {
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  const int t0 = b * 2048 + t * 4;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int to_at = t0 + i * 1024;
    if (to_at + 3 < n) {
      *reinterpret_cast<float4*>(&to[to_at]) = *reinterpret_cast<const float4*>(&from[to_at]);
    } else {
#pragma unroll
      for (int lane = 0; lane < 4; ++lane) {
        const int to_at_2 = to_at + lane;
        if (to_at_2 < n) {
          to[to_at_2] = from[to_at_2];
        }
      }
    }
  }
}
