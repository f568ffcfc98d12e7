"""Attention of one new token over keys and values that are kept in pages. A table has the pages of each sequence."""

import triton
import triton.language as tl


@triton.jit
def paged_decode(
    q_ptr,
    k_ptr,
    v_ptr,
    table_ptr,
    length_ptr,
    out_ptr,
    heads,
    kv_heads,
    max_pages,
    scale,
    PAGE: tl.constexpr,
    DIM: tl.constexpr,
    BLOCK: tl.constexpr,
):
    # Keys and values are [page][slot][kv_head][DIM]. A program serves one head of one sequence.
    # quaff: heads in 1..64, kv_heads in 1..64, heads % kv_heads == 0, max_pages in 1..1024, PAGE == 16, DIM == 32, BLOCK == 32
    pid = tl.program_id(0)
    seq = pid // heads
    head = pid % heads
    kv_head = head // (heads // kv_heads)
    length = tl.load(length_ptr + seq)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + (seq * heads + head) * DIM + d % DIM)

    top = -3.0e38
    total = 0.0
    sums = tl.zeros((DIM,), dtype=tl.float32)
    for block in range(0, tl.cdiv(length, BLOCK)):
        t = block * BLOCK + tl.arange(0, BLOCK)
        valid = t < length
        page = tl.load(table_ptr + pid // heads * max_pages + t // PAGE, mask=valid, other=0)
        slot = page.to(tl.int64) * PAGE + t % PAGE
        at = (slot[:, None] * kv_heads + kv_head) * DIM + d[None, :]
        k = tl.load(k_ptr + at, mask=valid[:, None], other=0.0)
        scores = tl.where(valid, tl.sum(q[None, :] * k, axis=1) * scale, -3.0e38)
        higher = tl.maximum(tl.max(scores, axis=0), top)
        old = tl.exp(top - higher)
        weights = tl.exp(scores - higher)
        v = tl.load(v_ptr + at, mask=valid[:, None], other=0.0)
        sums = sums * old + tl.sum(weights[:, None] * v, axis=0)
        total = total * old + tl.sum(weights, axis=0)
        top = higher
    tl.store(out_ptr + (pid // heads * heads + pid % heads) * DIM + d, sums / total)


@triton.jit
def store_tokens(x_ptr, pages_ptr, slot_ptr, count, kv_heads, PAGE: tl.constexpr, DIM: tl.constexpr, BLOCK: tl.constexpr):
    # Writes new keys or values to their slots; a negative slot is padding.
    # quaff: count in 1..4096, kv_heads in 1..64, PAGE == 16, DIM == 32, BLOCK in 16..1024
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < count * kv_heads * DIM
    token = i // (kv_heads * DIM)
    head = i // DIM % kv_heads
    d = i % (kv_heads * DIM) % DIM
    slot = tl.load(slot_ptr + token, mask=mask, other=-1)
    to = ((slot // PAGE * PAGE + slot % PAGE) * kv_heads + head) * DIM + d
    x = tl.load(x_ptr + (token * kv_heads + head) * DIM + d, mask=mask)
    tl.store(pages_ptr + to, x, mask=mask & (slot >= 0))
