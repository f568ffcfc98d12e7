"""A matrix product whose programs are visited in groups of rows, so that neighbours in time share blocks in the L2 cache."""

import triton
import triton.language as tl


@triton.jit
def swizzle(pid, num_m, num_n, GROUP_M: tl.constexpr):
    # quaff: pid in 0..1048575, num_m in 1..1024, num_n in 1..1024, pid < num_m * num_n
    in_group = GROUP_M * num_n
    group = pid // in_group
    first = group * GROUP_M
    size = min(num_m - first, GROUP_M)
    return first + (pid % in_group) % size, (pid % in_group) // size


@triton.jit
def grouped_matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr,
    GROUP_M: tl.constexpr,
):
    # Sizes of rows and of the inner dimension are those of whole blocks.
    # quaff: M in 16..8192, N in 1..8192, K in 16..8192, M % 16 == 0, K % 16 == 0
    # quaff: BLOCK_M == 16, BLOCK_N == 32, BLOCK_K == 16, GROUP_M in 1..8
    pid = tl.program_id(0)
    num_m = tl.cdiv(M, BLOCK_M)
    num_n = tl.cdiv(N, BLOCK_N)
    pid_m, pid_n = swizzle(pid, num_m, num_n, GROUP_M)

    rows = (pid_m * BLOCK_M + tl.arange(0, BLOCK_M)) % M
    cols = (pid_n * BLOCK_N + tl.arange(0, BLOCK_N)) % N
    inner = tl.arange(0, BLOCK_K)
    sums = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for k in range(0, tl.cdiv(K, BLOCK_K)):
        left = inner[None, :] < K - k * BLOCK_K
        below = inner[:, None] < K - k * BLOCK_K
        a = tl.load(a_ptr + rows[:, None] * K + (k * BLOCK_K + inner[None, :]), mask=left, other=0.0)
        b = tl.load(b_ptr + (k * BLOCK_K + inner[:, None]) * N + cols[None, :], mask=below, other=0.0)
        sums += tl.dot(a, b)

    out_rows = pid_m * BLOCK_M + tl.arange(0, BLOCK_M)
    out_cols = pid_n * BLOCK_N + tl.arange(0, BLOCK_N)
    mask = (out_rows[:, None] < M) & (out_cols[None, :] < N)
    tl.store(c_ptr + out_rows[:, None] * N + out_cols[None, :], sums, mask=mask)
