"""Pooling of images whose channels are innermost (NHWC)."""

import triton
import triton.language as tl


@triton.jit
def max_pool(
    x_ptr,
    y_ptr,
    batch,
    height,
    width,
    channels,
    out_h,
    out_w,
    WINDOW: tl.constexpr,
    STRIDE: tl.constexpr,
    PAD: tl.constexpr,
    BLOCK: tl.constexpr,
):
    # quaff: batch in 1..64, height in 1..128, width in 1..128, channels in 1..64, out_h in 1..128, out_w in 1..128
    # quaff: WINDOW in 1..7, STRIDE in 1..7, PAD in 0..3, BLOCK in 16..1024
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < batch * out_h * out_w * channels
    c = i % channels
    ox = i // channels % out_w
    oy = i // (channels * out_w) % out_h
    n = i // (channels * out_w * out_h)

    best = tl.full((BLOCK,), -3.0e38, dtype=tl.float32)
    for k in range(0, WINDOW * WINDOW):
        y = oy * STRIDE - PAD + k // WINDOW
        x = ox * STRIDE - PAD + k % WINDOW
        inside = (y >= 0) & (y < height) & (x >= 0) & (x < width)
        at = ((n * height + y) * width + x) * channels + c
        best = tl.maximum(best, tl.load(x_ptr + at, mask=mask & inside, other=-3.0e38))
    tl.store(y_ptr + ((n * out_h + oy) * out_w + ox) * channels + c, best, mask=mask)


@triton.jit
def window_partition(x_ptr, y_ptr, height, width, channels, WS: tl.constexpr, shift, BLOCK: tl.constexpr):
    # An image that is rolled by `shift`, cut into WS x WS windows that follow each other.
    # quaff: height in 4..256, width in 4..256, channels in 1..64, WS == 4, height % 4 == 0, width % 4 == 0, shift in 0..3
    # quaff: BLOCK in 16..1024
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < height * width * channels
    c = i % channels
    t = i // channels
    window = t // (WS * WS)
    y = window // (width // WS) * WS + t % (WS * WS) // WS
    x = window % (width // WS) * WS + t % WS
    from_y = (y + shift) % height
    from_x = (x + shift) % width
    values = tl.load(x_ptr + (from_y * width + from_x) * channels + c, mask=mask)
    tl.store(y_ptr + (window * WS * WS + t % (WS * WS)) * channels + c, values, mask=mask)
