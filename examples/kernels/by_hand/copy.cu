extern "C" __global__ void copy(const float* __restrict__ from, float* __restrict__ to, const int n) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int at = (blockIdx.x * 2 + i) * 1024 + threadIdx.x * 4;
    if (at + 3 < n) {
      *reinterpret_cast<float4*>(&to[at]) = *reinterpret_cast<const float4*>(&from[at]);
    } else {
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (at + j < n) to[at + j] = from[at + j];
    }
  }
}
