"""Twenty small programs of tinygrad. All kernels of these networks and algorithms are measured: of the forward pass, and in some programs
of the backward pass.

The sizes lead to divisions in indices, as in real networks: odd sizes, windows, strides, paddings and merged dimensions.
"""

from __future__ import annotations

from tinygrad import Tensor, Variable, nn


class Layers:
    """A network. Its layers are attributes, so that their parameters are found."""

    def __init__(self, forward, **layers):
        self.forward = forward
        self.__dict__.update(layers)

    def __call__(self, x: Tensor) -> Tensor:
        return self.forward(self, x)


def conv(inside: int, outside: int, kernel: int, **more) -> nn.Conv2d:
    return nn.Conv2d(inside, outside, kernel, bias=False, **more)


class Basic:
    """The block of a ResNet-18 with batch normalisation."""

    def __init__(self, inside: int, planes: int, stride: int):
        self.c1, self.n1 = conv(inside, planes, 3, stride=stride, padding=1), nn.BatchNorm(planes)
        self.c2, self.n2 = conv(planes, planes, 3, padding=1), nn.BatchNorm(planes)
        self.down = conv(inside, planes, 1, stride=stride) if stride > 1 or inside != planes else None

    def __call__(self, x: Tensor) -> Tensor:
        y = self.n2(self.c2(self.n1(self.c1(x)).relu()))
        return (y + (x if self.down is None else self.down(x))).relu()


def resnet() -> tuple:
    """A ResNet-18 of half the usual width."""
    sizes = [(32, 32, 1), (32, 32, 1), (32, 64, 2), (64, 64, 1), (64, 128, 2), (128, 128, 1), (128, 256, 2), (256, 256, 1)]
    net = Layers(
        lambda m, x: m.last(x.sequential([m.first, m.norm, Tensor.relu, lambda t: t.max_pool2d(3, 2, padding=1), *m.blocks]).mean((2, 3))),
        first=conv(3, 32, 7, stride=2, padding=3),
        norm=nn.BatchNorm(32),
        blocks=[Basic(*s) for s in sizes],
        last=nn.Linear(256, 10),
    )
    return net, Tensor.empty(2, 3, 112, 112)


def small_resnet() -> tuple:
    """Two blocks for images of 36 by 36 pixels."""
    return Layers(lambda m, x: m.b(m.a(x)).mean((2, 3)), a=Basic(12, 20, 2), b=Basic(20, 20, 1)), Tensor.empty(3, 12, 36, 36)


def unet3d() -> tuple:
    """A U-Net of three dimensions and two levels."""

    def forward(m, x):
        a = m.n0(m.c0(x)).relu()
        b = m.n1(m.c1(a)).relu()
        up = m.up(m.c2(b).relu())
        return m.out(m.c3(up.cat(a, dim=1)).relu())

    k = (3, 3, 3)
    net = Layers(
        forward,
        c0=conv(2, 8, k, padding=1),
        n0=nn.InstanceNorm(8),
        c1=conv(8, 16, k, stride=2, padding=1),
        n1=nn.InstanceNorm(16),
        c2=conv(16, 16, k, padding=1),
        up=nn.ConvTranspose2d(16, 8, (2, 2, 2), stride=2),
        c3=conv(16, 8, k, padding=1),
        out=nn.Conv2d(8, 3, (1, 1, 1)),
    )
    return net, Tensor.empty(1, 2, 12, 20, 28)


def unet() -> tuple:
    """A U-Net for images, with pooling on the way down and interpolation on the way up."""

    def forward(m, x):
        a = m.c0(x).relu()
        b = m.c1(a.max_pool2d(2)).relu()
        c = m.c2(b.max_pool2d(2)).relu()
        b = m.c3(c.interpolate((22, 30), mode="nearest").cat(b, dim=1)).relu()
        return m.c4(b.interpolate((44, 60), mode="linear").cat(a, dim=1))

    at = [(3, 12), (12, 24), (24, 24), (48, 12), (24, 3)]
    return Layers(forward, **{f"c{i}": conv(a, b, 3, padding=1) for i, (a, b) in enumerate(at)}), Tensor.empty(1, 3, 44, 60)


def swin() -> tuple:
    """Attention in shifted windows of 7 by 7, and the merging of patches."""

    def forward(m, x):
        b, h, w, c = x.shape
        y = m.norm(x).roll((-3, -3), (1, 2)).reshape(b, h // 7, 7, w // 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(-1, 49, c)
        q, k, v = m.qkv(y).reshape(-1, 49, 3, 3, c // 3).permute(2, 0, 3, 1, 4).split(1)
        y = q[0].scaled_dot_product_attention(k[0], v[0]).transpose(1, 2).reshape(-1, 49, c)
        y = m.out(y).reshape(b, h // 7, w // 7, 7, 7, c).permute(0, 1, 3, 2, 4, 5).reshape(b, h, w, c).roll((3, 3), (1, 2))
        x = x + y
        return m.merge(x[:, ::2, ::2].cat(x[:, 1::2, ::2], x[:, ::2, 1::2], x[:, 1::2, 1::2], dim=-1))

    layers = {"norm": nn.LayerNorm(24), "qkv": nn.Linear(24, 72), "out": nn.Linear(24, 24), "merge": nn.Linear(96, 48)}
    return Layers(forward, **layers), Tensor.empty(1, 28, 28, 24)


def vision_transformer() -> tuple:
    """Patches of 14 by 14, a token for the class, and one layer of attention."""

    def forward(m, x):
        y = m.patch(x).flatten(2).transpose(1, 2)
        y = m.token.expand(y.shape[0], 1, 40).cat(y, dim=1) + m.place
        q, k, v = m.qkv(m.norm(y)).chunk(3, dim=-1)
        q, k, v = (t.reshape(t.shape[0], -1, 5, 8).transpose(1, 2) for t in (q, k, v))
        return m.head(q.scaled_dot_product_attention(k, v).transpose(1, 2).flatten(2)[:, 0])

    layers = {"patch": nn.Conv2d(3, 40, 14, stride=14), "norm": nn.LayerNorm(40), "qkv": nn.Linear(40, 120)}
    free = {"token": Tensor.empty(1, 1, 40), "place": Tensor.empty(1, 26, 40)}
    return Layers(forward, head=nn.Linear(40, 10), **layers, **free), Tensor.empty(2, 3, 70, 70)


def rotary() -> tuple:
    """Attention with rotary embedding, groups of heads, and a growing cache."""
    n = Variable("n", 0, 100).bind(17)

    def forward(m, x):
        q, kv = m.q(x).reshape(1, 3, 6, 20), m.kv(x).reshape(1, 3, 2, 2, 20)
        turn = m.angles[n : n + 3].reshape(1, 3, 1, 10)

        def rotated(t):
            a, b = t[..., ::2], t[..., 1::2]
            return (a * turn.cos() - b * turn.sin()).stack(a * turn.sin() + b * turn.cos(), dim=-1).flatten(-2)

        k, v = rotated(kv[:, :, 0]), kv[:, :, 1]
        keys = m.cache[0, :, :n].cat(k, dim=1).repeat_interleave(3, dim=2)
        values = m.cache[1, :, :n].cat(v, dim=1).repeat_interleave(3, dim=2)
        scores = rotated(q).transpose(1, 2) @ keys.transpose(1, 2).transpose(2, 3)
        return m.out((scores.softmax(-1) @ values.transpose(1, 2)).transpose(1, 2).reshape(1, 3, 120))

    layers = {"q": nn.Linear(120, 120), "kv": nn.Linear(120, 80), "out": nn.Linear(120, 120)}
    return Layers(forward, angles=Tensor.empty(104, 10), cache=Tensor.empty(2, 1, 104, 2, 20), **layers), Tensor.empty(1, 3, 120)


def relative() -> tuple:
    """Attention with relative positions, which are shifted as in a Transformer-XL."""

    def forward(m, x):
        q, k = m.q(x).reshape(2, 19, 4, 6).transpose(1, 2), m.k(x).reshape(2, 19, 4, 6).transpose(1, 2)
        far = q @ m.far.reshape(1, 4, 6, 19)
        far = far.pad(((0, 0), (0, 0), (0, 0), (1, 0))).reshape(2, 4, 20, 19)[:, :, 1:].reshape(2, 4, 19, 19)
        return (q @ k.transpose(2, 3) + far).tril().softmax(-1)

    return Layers(forward, q=nn.Linear(24, 24), k=nn.Linear(24, 24), far=Tensor.empty(4, 6, 19)), Tensor.empty(2, 19, 24)


def mobile() -> tuple:
    """A block of a MobileNet of stride 2, then shuffled channels."""

    def forward(m, x):
        y = m.down(m.deep(m.up(x).relu()).relu())
        return y.reshape(2, 3, 10, 15, 15).transpose(1, 2).reshape(2, 30, 15, 15).contiguous() * m.deep2(y)

    layers = {"up": conv(10, 40, 1), "deep": conv(40, 40, 3, stride=2, padding=1, groups=40), "down": conv(40, 30, 1)}
    return Layers(forward, deep2=conv(30, 30, 5, padding=2, groups=30), **layers), Tensor.empty(2, 10, 30, 30)


def dense() -> tuple:
    """Layers that read the outputs of all earlier layers, then an average pooling."""

    def forward(m, x):
        for c in m.layers:
            x = x.cat(c(x.relu()), dim=1)
        return x.avg_pool2d(3, 2, padding=1)

    return Layers(forward, layers=[conv(9 + 7 * i, 7, 3, padding=1) for i in range(3)]), Tensor.empty(2, 9, 26, 26)


def inception() -> tuple:
    """Branches with different window sizes, which are concatenated."""

    def forward(m, x):
        return m.a(x).cat(m.b(x), m.c(m.d(x)), x.max_pool2d(3, 1, padding=1), dim=1).relu()

    pointed, square = conv(10, 6, 1), conv(10, 9, 5, padding=2)
    high, wide = conv(5, 7, (7, 1), padding=(3, 0)), conv(10, 5, (1, 7), padding=(0, 3))
    return Layers(forward, a=pointed, b=square, c=high, d=wide), Tensor.empty(2, 10, 17, 23)


def next_convolution() -> tuple:
    """A block of a ConvNeXt: a depthwise convolution, then layers over the channels."""

    def forward(m, x):
        y = m.low(m.up(m.norm(m.deep(x).permute(0, 2, 3, 1))).gelu()).permute(0, 3, 1, 2)
        return m.down(x + y)

    layers = {"deep": conv(18, 18, 7, padding=3, groups=18), "norm": nn.LayerNorm(18), "up": nn.Linear(18, 72), "low": nn.Linear(72, 18)}
    return Layers(forward, down=conv(18, 36, 2, stride=2), **layers), Tensor.empty(1, 18, 22, 30)


def super_resolution() -> tuple:
    """Layers of features, then a shuffle of each value to three by three pixels."""

    def forward(m, x):
        y = m.b(m.a(x).relu())
        return y.reshape(1, 3, 3, 3, 25, 31).permute(0, 1, 4, 2, 5, 3).reshape(1, 3, 75, 93).contiguous()

    return Layers(forward, a=conv(3, 14, 5, padding=2), b=conv(14, 27, 3, padding=1)), Tensor.empty(1, 3, 25, 31)


def generator() -> tuple:
    """Transposed convolutions, as in a generator of images."""

    def forward(m, x):
        return m.c(m.b(m.a(x).relu()).relu()).tanh()

    a = nn.ConvTranspose2d(20, 16, 4, stride=1, bias=False)
    b, c = nn.ConvTranspose2d(16, 10, 4, stride=2, padding=1, bias=False), nn.ConvTranspose2d(10, 3, 5, stride=3, padding=1, output_padding=1)
    return Layers(forward, a=a, b=b, c=c), Tensor.empty(2, 20, 3, 5)


def waves() -> tuple:
    """One-dimensional convolutions with gates, whose dilation doubles."""

    def forward(m, x):
        for i, c in enumerate(m.layers):
            y = c(x.pad(((0, 0), (0, 0), (2 << i, 0))))
            x = x + y[:, :9].tanh() * y[:, 9:].sigmoid()
        return x

    return Layers(forward, layers=[nn.Conv1d(9, 18, 3, dilation=1 << i) for i in range(4)]), Tensor.empty(2, 9, 150)


def recurrent() -> tuple:
    """Three steps of an LSTM."""

    def forward(m, x):
        h = c = None
        for t in range(3):
            h, c = m.cell(x[:, t], None if h is None else (h, c))
        return h.cat(c, dim=1)

    return Layers(forward, cell=nn.LSTMCell(21, 30)), Tensor.empty(5, 3, 21)


def experts() -> tuple:
    """The best of several layers for each row, chosen by a gather."""

    def forward(m, x):
        chosen = m.choice(x).argmax(-1)
        return (x.unsqueeze(1) @ m.weights[chosen]).squeeze(1)

    return Layers(forward, choice=nn.Linear(20, 6), weights=Tensor.empty(6, 20, 28)), Tensor.empty(15, 20)


def words() -> tuple:
    """Embeddings of n-grams, which are summed under a mask."""

    def forward(m, x):
        grams = x.abs().cast("int").unfold(1, 3, 1)
        mask = (grams > 0).unsqueeze(-1)
        return m.table(grams).mul(mask).sum(2).reshape(4, -1)[:, 5:65].reshape(6, 40)

    return Layers(forward, table=nn.Embedding(50, 9)), Tensor.empty(4, 14)


def scans() -> tuple:
    """Running sums in several directions, running maxima, and sorted rows."""

    def forward(m, x):
        return x.cumsum(1) + x.flip(1).cumsum(1).flip(1) + x.cumsum(0) + x.cummax(1)[0] + x.sort(1)[0]

    return Layers(forward), Tensor.empty(11, 70)


def blur() -> tuple:
    """One level of a Laplacian pyramid: a filter over reflected edges, an image of half the size, and the difference to its enlargement."""

    def forward(m, x):
        small = x.pad((2, 2, 2, 2), mode="reflect").conv2d(m.filter)[:, :, ::2, ::2]
        return x - small.repeat_interleave(2, dim=2).repeat_interleave(2, dim=3)[:, :, :27, :33]

    return Layers(forward, filter=Tensor.empty(1, 1, 5, 5)), Tensor.empty(2, 1, 27, 33)


# each name maps to a network, its input, and whether the backward pass is also measured
PROGRAMS = {
    "ResNet-18": (resnet, False),
    "small ResNet": (small_resnet, True),
    "U-Net 3D": (unet3d, False),
    "U-Net": (unet, True),
    "windows of attention": (swin, True),
    "vision transformer": (vision_transformer, True),
    "rotary attention": (rotary, False),
    "relative attention": (relative, True),
    "MobileNet block": (mobile, True),
    "dense block": (dense, True),
    "inception block": (inception, True),
    "ConvNeXt block": (next_convolution, True),
    "super resolution": (super_resolution, True),
    "generator": (generator, True),
    "waves": (waves, True),
    "recurrent": (recurrent, True),
    "experts": (experts, False),
    "words": (words, False),
    "scans": (scans, False),
    "pyramid": (blur, True),
}
