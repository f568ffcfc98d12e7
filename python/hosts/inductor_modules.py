"""Modules with interesting indices: views, windows, pads, slices, gathers, convolutions, run-time sizes.

Each module is a function of tensors, with the shapes of these tensors. ``DYNAMIC`` marks the axes whose sizes are known only at run time.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch
import torch.nn.functional as F


@dataclass(frozen=True)
class Module:
    """A function, and a description of the tensors for its call.

    Attributes:
        name: unique.
        run: the function.
        shapes: the shape of each argument; arguments are floats unless ``ints`` says below which number they are.
        ints: for an argument by its position, the exclusive upper end of its integers.
        dynamic: whether it is compiled for run-time sizes.
    """

    name: str
    run: object
    shapes: tuple
    ints: dict = field(default_factory=dict)
    dynamic: bool = False

    def arguments(self, *, device="cpu", seed=0) -> list:
        """The tensors for a call. Equal seeds give equal tensors."""
        generator = torch.Generator().manual_seed(seed)
        made = []
        for at, shape in enumerate(self.shapes):
            if at in self.ints:
                made.append(torch.randint(0, self.ints[at], shape, generator=generator).to(device))
            else:
                made.append(torch.randn(shape, generator=generator).to(device))
        return made


def _window_partition(x):
    b, h, w, c = x.shape
    return x.view(b, h // 7, 7, w // 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, c) * 2


def _window_reverse(x):
    return x.view(2, 4, 4, 7, 7, 12).permute(0, 1, 3, 2, 4, 5).reshape(2, 28, 28, 12) + 1


def _swin_shift(x):
    return _window_partition(torch.roll(x, (-3, -3), (1, 2)))


def _causal(q, k):
    scores = q @ k.transpose(-1, -2)
    at = torch.arange(scores.shape[-1], device=q.device)
    return scores.masked_fill(at[None, :] > at[:, None], float("-inf")).softmax(-1)


def _local(q):
    at = torch.arange(q.shape[-1], device=q.device)
    near = (at[None, :] - at[:, None]).abs() < 5
    return q.masked_fill(~near, 0.0)


def _relative(x):
    # the skew of relative attention is a pad, a reshape and a slice
    b, h, n, m = x.shape
    return F.pad(x, (1, 0)).reshape(b, h, m + 1, n)[:, :, 1:].reshape(b, h, n, m)


def _rope(x):
    a, b = x[..., ::2], x[..., 1::2]
    return torch.stack((-b, a), -1).reshape(x.shape) + x


def _im2col_gemm(x, w):
    columns = F.unfold(x, 3, padding=1, stride=2)
    return w.reshape(w.shape[0], -1) @ columns + columns.sum(1, keepdim=True)


def _shuffle_channels(x):
    b, c, h, w = x.shape
    return x.view(b, 4, c // 4, h, w).transpose(1, 2).reshape(b, c, h, w) * x


def _conv_backward(x, w):
    loss = lambda x: F.conv2d(F.pad(F.pixel_shuffle(x, 2), (1, 2, 0, 1)), w, stride=2).relu().sum()  # noqa: E731
    return torch.func.grad(loss)(x)


def _unfold_backward(x):
    return F.fold(F.unfold(x, 3, padding=1), x.shape[-2:], 3, padding=1)


def _avg_backward(g):
    return torch.ops.aten.avg_pool2d_backward(g, torch.zeros(2, 3, 14, 15, device=g.device), [3, 3], [2, 2], [1, 1], False, True, None)


def _patches(x):
    b, c, h, w = x.shape
    return x.reshape(b, c, h // 4, 4, w // 4, 4).permute(0, 2, 4, 1, 3, 5).reshape(b, -1, c * 16).tanh()


def _unpatch(x):
    return x.reshape(2, 7, 6, 3, 4, 4).permute(0, 3, 1, 4, 2, 5).reshape(2, 3, 28, 24) - 1


def _heads(x):
    b, n, d = x.shape
    return x.view(b, n, 4, d // 4).transpose(1, 2).reshape(b * 4, n, d // 4).relu()


def _merge_heads(x):
    return x.view(2, 4, 13, 8).transpose(1, 2).reshape(2, 13, 32).relu()


def _interleave(a, b):
    return torch.stack((a, b), 2).flatten(1, 2)[:, 1:-1] * 3


def _cat_strided(a, b):
    return torch.cat((a[:, ::3], b[:, 1::2], a[:, 5:11]), 1).reshape(-1, 5)


def _upsample(x):
    return F.interpolate(x, scale_factor=3, mode="nearest").reshape(2, -1, 6)


def _diagonals(x):
    return x.as_strided((10, 10), (11, 1)) + x.as_strided((10, 10), (1, 11)).flip(0)


def _ring(x, at):
    # a ring buffer that is read from a given position
    n = x.shape[0]
    return x[(torch.arange(n, device=x.device) + at) % n]


def _blocks(x):
    return x.reshape(6, 4, 10, 3).transpose(1, 2).reshape(60, 12).reshape(12, 60).t().contiguous()


def _patch_sum(x):
    return (x.view(2, 3, 4, 8, 4, 8).permute(0, 2, 4, 1, 3, 5).reshape(2, 16, 192) ** 2).sum()


def _windows(x):
    b, c = x.shape[:2]
    return x.unfold(2, 3, 2).unfold(3, 3, 2).permute(0, 1, 4, 5, 2, 3).reshape(b, c * 9, -1) * 2


MODULES = [
    Module("unfold", lambda x: F.unfold(x, 3, padding=1) * 2, ((2, 3, 8, 9),)),
    Module("unfold_stride", lambda x: F.unfold(x, (3, 2), stride=(2, 1), dilation=2) + 1, ((2, 3, 12, 9),)),
    Module("fold", _unfold_backward, ((2, 3, 8, 9),)),
    Module("im2col_gemm", _im2col_gemm, ((2, 3, 9, 10), (4, 3, 3, 3))),
    Module("roll", lambda x: torch.roll(x, (1, 3), (0, 2)) * 2, ((4, 3, 7, 6),)),
    Module("roll_reshape", lambda x: torch.roll(x.reshape(6, -1), (1, 3), (0, 1)).reshape(-1, 7)[:, ::2] + 1, ((2, 3, 7, 6),)),
    Module("window_partition", _window_partition, ((2, 28, 28, 12),)),
    Module("window_reverse", _window_reverse, ((32, 49, 12),)),
    Module("swin_shift", _swin_shift, ((2, 28, 28, 12),)),
    Module("pixel_shuffle", lambda x: F.pixel_shuffle(x, 2) + 1, ((2, 8, 5, 5),)),
    Module("pixel_unshuffle", lambda x: F.pixel_unshuffle(x, 3) + 1, ((2, 2, 9, 12),)),
    Module("channel_shuffle", _shuffle_channels, ((2, 12, 5, 7),)),
    Module("patches", _patches, ((2, 3, 28, 24),)),
    Module("unpatch", _unpatch, ((2, 42, 48),)),
    Module("heads", _heads, ((2, 13, 32),)),
    Module("merge_heads", _merge_heads, ((8, 13, 8),)),
    Module("unfold_pad", lambda x: F.unfold(x, 3, padding=1) * 2, ((1, 4, 8, 8),)),
    Module("unfold_pad_stride", lambda x: F.unfold(x, 3, padding=1, stride=2) * 2, ((2, 4, 17, 17),)),
    Module("pad_rows", lambda x: F.pad(x, (1, 2)).reshape(-1, 7) * 2, ((6, 11),)),
    Module("pad_planes", lambda x: F.pad(x, (1, 2, 3, 4)).reshape(-1, 7) * 2, ((2, 3, 14, 11),)),
    Module("patch_sum", _patch_sum, ((2, 3, 32, 32),)),
    Module("relative_shift", lambda x: F.pad(x, (1, 0)).reshape(2, 3, 8, 7)[:, :, 1:].reshape(x.shape).transpose(2, 3) * 2, ((2, 3, 7, 7),)),
    Module("swin_reverse", lambda x: torch.roll(_window_reverse(x), (3, 3), (1, 2)) * 2, ((32, 49, 12),)),
    Module("adaptive_pool", lambda x: F.adaptive_avg_pool2d(x, (3, 5)) * 2, ((2, 3, 11, 13),)),
    Module("pad_permute", lambda x: F.pad(x, (1, 2, 3, 4)).permute(0, 2, 3, 1).reshape(-1, 5) * 2, ((2, 5, 6, 7),)),
    Module("pad_reflect", lambda x: F.pad(x, (2, 3, 1, 2), mode="reflect").reshape(2, -1) * 2, ((2, 3, 6, 7),)),
    Module("pad_replicate", lambda x: F.pad(x, (2, 3, 1, 2), mode="replicate") * 2, ((2, 3, 6, 7),)),
    Module("pad_circular", lambda x: F.pad(x, (2, 3, 1, 2), mode="circular") * 2, ((2, 3, 6, 7),)),
    Module("cat_strided", _cat_strided, ((5, 12), (5, 10))),
    Module("interleave", _interleave, ((3, 7, 4), (3, 7, 4))),
    Module("strided_slices", lambda x: x[:, 1::3, ::2].reshape(-1, 6) - 1, ((4, 10, 12),)),
    Module("flip_reshape", lambda x: x.flip(1).reshape(6, -1).flip(0) * 2, ((4, 9, 5),)),
    Module("rope", _rope, ((2, 9, 16),)),
    Module("causal", _causal, ((2, 11, 8), (2, 11, 8))),
    Module("local_mask", _local, ((3, 17, 17),)),
    Module("relative_skew", _relative, ((2, 3, 7, 7),)),
    Module("embedding", lambda i, w: F.embedding(i, w).reshape(-1, 12) * 2, ((4, 9), (31, 6)), {0: 31}),
    Module("gather", lambda x, i: x.reshape(8, -1).gather(1, i.reshape(8, -1)), ((4, 2, 15), (2, 4, 5)), {1: 15}),
    Module("index_select", lambda x, i: x[:, i].transpose(1, 2).reshape(-1, 6) + 1, ((4, 9, 5), (6,)), {1: 9}),
    Module("conv_backward", _conv_backward, ((2, 12, 8, 9), (4, 3, 3, 3))),
    Module("conv_relu_view", lambda x, w: F.conv2d(x, w, padding=1).relu().view(2, 2, 2, 8, 9).transpose(1, 2).reshape(2, -1), ((2, 3, 8, 9), (4, 3, 3, 3))),
    Module("avg_pool", lambda x: F.avg_pool2d(x, 3, 2, 1).reshape(2, -1) + 1, ((2, 3, 14, 15),)),
    Module("avg_pool_backward", _avg_backward, ((2, 3, 7, 8),)),
    Module("upsample", _upsample, ((2, 3, 4, 5),)),
    Module("diagonals", _diagonals, ((121,),)),
    Module("tril", lambda x: x.tril(2).reshape(-1, 6) * 2, ((4, 9, 8),)),
    Module("repeat_reshape", lambda x: x.repeat(2, 3, 2).reshape(-1, 14) + 1, ((2, 3, 7),)),
    Module("blocks", _blocks, ((720,),)),
    Module("ring", _ring, ((23, 4), (1,)), {1: 23}),
    Module("softmax_rows", lambda x: x.reshape(-1, 21).softmax(-1).reshape(x.shape), ((6, 7, 9),)),
    Module("norm_groups", lambda x: F.group_norm(x, 3).permute(0, 2, 3, 1).reshape(-1, 6), ((2, 6, 5, 7),)),
    Module("dynamic_heads", _heads, ((2, 13, 32),), dynamic=True),
    Module("dynamic_shuffle", _shuffle_channels, ((2, 12, 5, 7),), dynamic=True),
    Module("dynamic_patches", _patches, ((2, 3, 28, 24),), dynamic=True),
    Module("dynamic_roll", lambda x: torch.roll(x, (1, 3), (0, 2)).reshape(x.shape[0], -1) * 2, ((4, 3, 7, 6),), dynamic=True),
    Module("dynamic_unfold", _windows, ((2, 4, 17, 17),), dynamic=True),
    Module("dynamic_window", lambda x: x.reshape(x.shape[0], -1, 4, x.shape[2]).transpose(1, 2).reshape(x.shape[0], -1), ((3, 12, 5),), dynamic=True),
]
