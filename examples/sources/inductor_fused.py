"""Kernels in the form that Inductor generates: flat indices, their digits, and sizes that are known."""

import triton
import triton.language as tl


@triton.jit
def triton_poi_fused_add_permute_0(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    # A permuted image of 24 x 16 pixels and 12 channels, and a bias for each channel.
    # quaff: XBLOCK in 32..2048
    xnumel = 9216
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % 12
    x1 = (xindex // 12) % 16
    x2 = (xindex // 192) % 24
    x3 = xindex // 4608
    x4 = xindex // 12
    x5 = xindex
    tmp0 = tl.load(in_ptr0 + (x1 + 16 * x2 + 384 * x0 + 4608 * x3), xmask, eviction_policy="evict_last")
    tmp1 = tl.load(in_ptr1 + (x5 - 12 * x4), xmask, eviction_policy="evict_last")
    tmp2 = tmp0 + tmp1
    tl.store(out_ptr0 + (x0 + 12 * (x1 + 16 * x2) + 4608 * x3), tmp2, xmask)


@triton.jit
def triton_poi_fused_cat_constant_pad_nd_1(in_ptr0, in_ptr1, out_ptr0, xnumel, XBLOCK: tl.constexpr):
    # Two tensors of 20 and 12 rows side by side, with a border of two columns of zeros: 5 x 32 x 36.
    # quaff: XBLOCK in 32..2048
    xnumel = 5760
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:]
    xmask = xindex < xnumel
    x0 = xindex % 36
    x1 = (xindex // 36) % 32
    x2 = xindex // 1152
    x3 = xindex // 36
    tmp0 = x1
    tmp1 = tl.full([1], 20, tl.int64)
    tmp2 = tmp0 < tmp1
    tmp3 = ((-2) + x0 >= 0) & ((-2) + x0 < 32)
    tmp4 = tl.load(in_ptr0 + ((-2) + x0 + 32 * x1 + 640 * x2), xmask & tmp2 & tmp3, other=0.0)
    tmp5 = tmp0 >= tmp1
    tmp6 = tl.load(in_ptr1 + ((-2) + x0 + 32 * ((-20) + x3 % 32) + 384 * (x3 // 32)), xmask & tmp5 & tmp3, other=0.0)
    tmp7 = tl.where(tmp2, tmp4, tmp6)
    tl.store(out_ptr0 + (x0 + 36 * (x3 % 32) + 1152 * (x3 // 32)), tmp7, xmask)


@triton.jit
def triton_poi_fused_clone_2(in_ptr0, out_ptr0, ks0, ks1, ynumel, xnumel, YBLOCK: tl.constexpr, XBLOCK: tl.constexpr):
    # The two inner axes are exchanged; sizes are those of a dynamic shape. ynumel is 3 * ks0, xnumel is ks1.
    # quaff: ks0 in 1..4096, ks1 in 1..4096, ynumel == 3 * ks0, xnumel == ks1, YBLOCK in 1..64, XBLOCK in 16..64
    yoffset = tl.program_id(1) * YBLOCK
    yindex = yoffset + tl.arange(0, YBLOCK)[None, :]
    ymask = yindex < ynumel
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    x2 = xindex
    y0 = yindex % ks0
    y1 = yindex // ks0
    y3 = yindex
    tmp0 = tl.load(in_ptr0 + (y0 + ks0 * x2 + ks0 * ks1 * y1), xmask & ymask, eviction_policy="evict_last")
    tl.store(out_ptr0 + (x2 + ks1 * (y3 % ks0) + ks0 * ks1 * (y3 // ks0)), tmp0, xmask & ymask)


@triton.jit
def triton_per_fused_mean_3(in_ptr0, out_ptr0, xnumel, rnumel, XBLOCK: tl.constexpr, RBLOCK: tl.constexpr):
    # Means over 7 x 7 pixels of 96 channels, of images of 8 x 8 pixels.
    # quaff: xnumel in 96..98304, xnumel % 96 == 0, XBLOCK in 1..64, RBLOCK == 64
    rnumel = 49
    xoffset = tl.program_id(0) * XBLOCK
    xindex = xoffset + tl.arange(0, XBLOCK)[:, None]
    xmask = xindex < xnumel
    rindex = tl.arange(0, RBLOCK)[None, :]
    rmask = rindex < rnumel
    r2 = rindex % 7
    r3 = (rindex // 7) % 7
    x0 = xindex % 96
    x1 = xindex // 96
    tmp0 = tl.load(in_ptr0 + (x0 + 96 * r2 + 768 * r3 + 6144 * x1), xmask & rmask, other=0.0)
    tmp1 = tl.sum(tmp0, 1)[:, None]
    tmp2 = 49.0
    tmp3 = tmp1 / tmp2
    tl.store(out_ptr0 + (96 * (xindex // 96) + x0), tmp3, xmask)
