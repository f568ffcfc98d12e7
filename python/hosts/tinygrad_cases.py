"""The tensors whose kernels are measured: views, reductions, convolutions, blocks of networks, and the programs of `tinygrad_programs.py`.

Nothing is computed, because all tensors are empty tensors of a device without memory.
"""

from __future__ import annotations

from tinygrad import Tensor, Variable, nn
from tinygrad.nn.state import get_parameters

from tinygrad_programs import PROGRAMS


def _views():
    x = Tensor.empty(4, 3, 30, 30)
    yield "pad and split", [x.pad(((0, 0), (0, 0), (1, 1), (1, 1))).reshape(12, 32 * 32).transpose().reshape(8, -1)]
    yield "transposed split", [Tensor.empty(24, 30).T.reshape(36, 20).T]
    yield "permute of blocks", [Tensor.empty(6, 35, 22).reshape(6, 5, 7, 22).permute(2, 0, 3, 1).reshape(7, -1)]
    yield "window of rows", [Tensor.empty(100, 96)[:, 5:89].reshape(60, 140)]
    yield "strided", [Tensor.empty(97, 61)[::3, 1::2].reshape(-1)]
    yield "flip and join", [Tensor.empty(31, 17).flip(0).reshape(17, 31).flip(1)]
    yield "cat", [Tensor.empty(5, 40).cat(Tensor.empty(7, 40), Tensor.empty(9, 40)).reshape(28, 30)]
    yield "cat of columns", [Tensor.empty(64, 10).cat(Tensor.empty(64, 14), dim=1).reshape(-1)]
    yield "roll", [Tensor.empty(13, 29).roll((3, 5), (0, 1))]
    yield "repeat", [Tensor.empty(7, 11).repeat(3, 2).reshape(-1)]
    yield "repeat interleaved", [Tensor.empty(9, 10).repeat_interleave(3, dim=1)]
    yield "tril", [Tensor.empty(45, 45).tril().reshape(-1)]
    yield "diagonal", [Tensor.empty(12, 12).pad(((0, 0), (0, 1))).reshape(-1)[:144].reshape(12, 12).T]
    yield "unfold", [Tensor.empty(3, 40).unfold(1, 6, 4).reshape(-1)]
    yield "pixel shuffle", [Tensor.empty(2, 18, 14, 14).reshape(2, 2, 3, 3, 14, 14).permute(0, 1, 4, 2, 5, 3).reshape(2, 2, 42, 42)]
    yield "space to depth", [Tensor.empty(2, 3, 28, 28).reshape(2, 3, 7, 4, 7, 4).permute(0, 3, 5, 1, 2, 4).reshape(2, 48, 7, 7)]
    yield "window partition", [Tensor.empty(2, 28, 28, 24).reshape(2, 4, 7, 4, 7, 24).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, 24)]
    yield "shifted windows", [
        Tensor.empty(1, 28, 28, 24).roll((-3, -3), (1, 2)).reshape(1, 4, 7, 4, 7, 24).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, 24)
    ]
    yield "arange of blocks", [Tensor.arange(1200).reshape(30, 40).T.reshape(50, 24).contiguous()]
    yield "gather", [Tensor.empty(50, 36)[Tensor.empty(20, dtype="int")].reshape(30, 24)]
    yield "circular pad", [Tensor.empty(2, 3, 10, 12).pad((2, 2, 3, 3), mode="circular")]
    yield "reflected pad", [Tensor.empty(2, 3, 10, 12).pad((2, 2, 3, 3), mode="reflect")]
    n = Variable("n", 1, 64).bind(17)
    yield "symbolic rows", [Tensor.empty(64, 20)[:n].sum(1)]
    yield "symbolic columns", [Tensor.empty(20, 64)[:, :n].sum(1)]


def _reductions():
    yield "sum of a view", [Tensor.empty(4, 3, 30, 31).permute(3, 1, 0, 2).reshape(93, -1)[:, 7:100].sum(0)]
    yield "max pool", [Tensor.empty(2, 8, 31, 31).max_pool2d(3, 2)]
    yield "average pool", [Tensor.empty(2, 8, 31, 31).avg_pool2d(3, 2, padding=1)]
    yield "cumsum", [Tensor.empty(6, 700).cumsum(1)]
    yield "interpolate", [Tensor.empty(1, 3, 14, 14).interpolate((30, 30), mode="linear")]


def _convolutions():
    x = Tensor.empty(2, 6, 28, 28)
    yield "conv 3x3", [x.conv2d(Tensor.empty(8, 6, 3, 3), padding=1)]
    yield "conv 3x3, stride 2", [x.conv2d(Tensor.empty(8, 6, 3, 3), padding=1, stride=2)]
    yield "conv 5x5, dilation 2", [x.conv2d(Tensor.empty(7, 6, 5, 5), padding=4, dilation=2)]
    yield "conv of groups", [x.conv2d(Tensor.empty(12, 2, 3, 3), groups=3, padding=1)]
    yield "depthwise conv", [x.conv2d(Tensor.empty(6, 1, 3, 3), groups=6, padding=1)]
    yield "conv 7x7, stride 2", [Tensor.empty(1, 3, 56, 56).conv2d(Tensor.empty(16, 3, 7, 7), padding=3, stride=2)]
    yield "transposed conv", [x.conv_transpose2d(Tensor.empty(6, 5, 3, 3), stride=2, padding=1, output_padding=1)]
    yield "conv 1d", [Tensor.empty(3, 5, 101).conv2d(Tensor.empty(7, 5, 4), stride=3)]
    yield "conv 3d", [Tensor.empty(1, 3, 9, 10, 11).conv2d(Tensor.empty(4, 3, 3, 3, 3), padding=1)]


class _Residual:
    """Two convolutions with a shortcut, as in a ResNet."""

    def __init__(self, inside: int, planes: int, stride: int):
        self.c1 = nn.Conv2d(inside, planes, 3, stride=stride, padding=1, bias=False)
        self.c2 = nn.Conv2d(planes, planes, 3, padding=1, bias=False)
        self.n1, self.n2 = nn.GroupNorm(1, planes), nn.GroupNorm(1, planes)
        self.down = nn.Conv2d(inside, planes, 1, stride=stride, bias=False)

    def __call__(self, x: Tensor) -> Tensor:
        return (self.n2(self.c2(self.n1(self.c1(x)).relu())) + self.down(x)).relu()


class _Attention:
    """A block of a transformer: attention of heads under a mask, then two layers."""

    def __init__(self, width: int, heads: int):
        self.heads = heads
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.n1, self.n2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.low = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def __call__(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        qkv = self.qkv(self.n1(x)).reshape(b, t, 3, self.heads, c // self.heads)
        q, k, v = (qkv[:, :, i].transpose(1, 2) for i in range(3))
        x = x + self.out(q.scaled_dot_product_attention(k, v, is_causal=True).transpose(1, 2).reshape(b, t, c))
        return x + self.low(self.up(self.n2(x)).gelu())


class _Inverted:
    """An inverted bottleneck with a gate of channels, as in an EfficientNet."""

    def __init__(self, inside: int, wide: int, outside: int, kernel: int, stride: int):
        self.expand = nn.Conv2d(inside, wide, 1, bias=False)
        self.deep = nn.Conv2d(wide, wide, kernel, stride=stride, padding=kernel // 2, groups=wide, bias=False)
        self.squeeze, self.excite = nn.Conv2d(wide, inside // 4, 1), nn.Conv2d(inside // 4, wide, 1)
        self.project = nn.Conv2d(wide, outside, 1, bias=False)

    def __call__(self, x: Tensor) -> Tensor:
        x = self.deep(self.expand(x).swish()).swish()
        gate = self.excite(self.squeeze(x.mean((2, 3), keepdim=True)).swish()).sigmoid()
        return self.project(x * gate)


def _models():
    yield "ResNet block", _Residual(24, 40, 2), Tensor.empty(2, 24, 28, 28)
    yield "transformer block", _Attention(60, 5), Tensor.empty(2, 26, 60)
    yield "EfficientNet block", _Inverted(16, 48, 24, 5, 2), Tensor.empty(2, 16, 28, 28)


def cases():
    """Yields ``(group, name, tensors to compute)`` for each case."""
    for group, tensors in (("views", _views()), ("reductions", _reductions()), ("convolutions", _convolutions())):
        for name, wanted in tensors:
            yield group, name, [t.contiguous() for t in wanted]
    for name, model, x in _models():
        yield from _directions(name, name, model, x, True)
    for name, (make, has_backward) in PROGRAMS.items():
        yield from _directions("programs", name, *make(), has_backward)


def _directions(group, name, model, x, has_backward):
    """The tensors of the backward pass and of the forward pass of a network."""
    parameters = get_parameters(model)
    for p in parameters:
        p.replace(Tensor.empty(*p.shape, dtype=p.dtype))
    # scheduling turns tensors into buffers, so each direction needs a separate graph
    if has_backward:
        loss = model(x).square().mean()
        used = set(loss.uop.toposort())
        yield group, f"{name}, backward", loss.gradient(*(p for p in parameters if p.is_floating_point() and p.uop in used))
    yield group, f"{name}, forward", [model(x)]
