"""Layer norm over the channels of images, which are not innermost: [batch][channels][height * width]."""

import triton
import triton.language as tl


@triton.jit
def strided_layer_norm(
    x_ptr, gamma_ptr, beta_ptr, y_ptr, batch, channels, height, width, eps, BLOCK: tl.constexpr
):
    # A program has one pixel of one image, and all of its channels.
    # quaff: batch in 1..64, channels in 1..1024, height in 1..128, width in 1..128, BLOCK in 1..1024, channels <= BLOCK
    pid = tl.program_id(0)
    plane = height * width
    n = pid // (height * width)
    y = pid % (height * width) // width
    x = pid % (height * width) % width
    c = tl.arange(0, BLOCK)
    mask = c < channels

    at = ((n * channels + c) * height + y) * width + x
    values = tl.load(x_ptr + at, mask=mask, other=0.0)
    mean = tl.sum(values, axis=0) / channels
    centred = tl.where(mask, values - mean, 0.0)
    variance = tl.sum(centred * centred, axis=0) / channels
    gamma = tl.load(gamma_ptr + c, mask=mask)
    beta = tl.load(beta_ptr + c, mask=mask)
    normed = centred * tl.rsqrt(variance + eps) * gamma + beta
    tl.store(y_ptr + pid // plane * channels * plane + c * plane + pid % plane, normed, mask=mask)


@triton.jit
def channel_sums(x_ptr, out_ptr, batch, channels, plane, BLOCK: tl.constexpr):
    # The gradient of the bias: a program for each channel, which walks over all images.
    # quaff: batch in 1..64, channels in 1..1024, plane in 1..16384, BLOCK in 16..1024
    channel = tl.program_id(0)
    total = batch * plane
    sums = tl.zeros((BLOCK,), dtype=tl.float32)
    for start in range(0, total, BLOCK):
        i = start + tl.arange(0, BLOCK)
        inside = i < total
        n = i // plane
        pixel = i % plane
        sums += tl.load(x_ptr + (n * channels + channel) * plane + pixel % plane, mask=inside, other=0.0)
    tl.store(out_ptr + channel, tl.sum(sums, axis=0))
