"""Runs pointwise Triton kernels of Inductor with numpy. The result is the stored values, for buffers of random numbers."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np

# The number of elements of an input buffer.
_SIZE = 1 << 16


class Tensor(np.ndarray):
    """An array whose ``//`` and ``%`` round towards zero, as in Triton."""

    def to(self, dtype):
        return self if dtype is None else np.asarray(self).astype(dtype).view(Tensor)

    def __floordiv__(self, other):
        a, b = np.asarray(self), np.asarray(other)
        return (np.sign(a) * np.sign(b) * (abs(a) // abs(b))).view(Tensor)

    def __mod__(self, other):
        return (np.asarray(self) - np.asarray(self // other) * np.asarray(other)).view(Tensor)


def _tensor(value) -> Tensor:
    return np.asarray(value).view(Tensor)


class _Pointer:
    def __init__(self, name: str, dtype: str, stored: dict):
        random = np.random.default_rng(sum(map(ord, name)))
        self.values = random.integers(0, 3, _SIZE) if dtype.startswith("*i") else random.standard_normal(_SIZE)
        self.name, self.stored = name, stored

    def __add__(self, at):
        return SimpleNamespace(buffer=self, at=at)


def _broadcast(*parts):
    return [np.asarray(p) for p in np.broadcast_arrays(*parts)]


def _load(pointer, mask=True, other=0.0, **_):
    at, mask, other = _broadcast(pointer.at, True if mask is None else mask, other)
    assert ((at >= 0) & (at < _SIZE))[mask].all(), f"{pointer.buffer.name} is read outside of the buffer"
    values = pointer.buffer.values
    return _tensor(np.where(mask, values[np.where(mask, at, 0)], other).astype(values.dtype))


def _store(pointer, value, mask=True, **_):
    at, mask, value = _broadcast(pointer.at, True if mask is None else mask, value)
    stored = pointer.buffer.stored.setdefault(pointer.buffer.name, {})
    stored.update(zip(at[mask].tolist(), value[mask].tolist()))


_TL = SimpleNamespace(
    arange=lambda begin, end: _tensor(np.arange(begin, end)),
    program_id=lambda axis: _tensor(0),
    num_programs=lambda axis: _tensor(1),
    full=lambda shape, value, dtype=None: _tensor(value),
    where=lambda test, then, otherwise: _tensor(np.where(test, then, otherwise)),
    maximum=lambda a, b, *_: _tensor(np.maximum(a, b)),
    device_assert=lambda *_: None,
    load=_load,
    store=_store,
    constexpr=None,
    PropagateNan=SimpleNamespace(ALL=None),
    int1=bool,
    int8=np.int64,
    int32=np.int64,
    int64=np.int64,
    float32=np.float64,
)
_HELPERS = SimpleNamespace(
    div_floor_integer=lambda a, b: _tensor(np.floor_divide(a, b)),
    remainder_integer=lambda a, b: _tensor(np.mod(a, b)),
    maximum=lambda a, b: _tensor(np.maximum(a, b)),
    minimum=lambda a, b: _tensor(np.minimum(a, b)),
)
_MATH = SimpleNamespace(abs=lambda a: _tensor(np.abs(a)))
_LIBDEVICE = SimpleNamespace(tanh=lambda a: _tensor(np.tanh(a)), rsqrt=lambda a: _tensor(1 / np.sqrt(np.abs(a) + 1)))


def is_pointwise(text: str) -> bool:
    """Whether ``run`` can run the kernel. It cannot run kernels with reductions."""
    return "def triton_poi_" in text


def run(text: str, sizes: dict | None = None) -> list[dict[int, float]]:
    """The values that the kernel ``text`` stores: for each buffer, a dict from addresses to values, in the order of the stores.

    Args:
        text: a kernel as Inductor prints it.
        sizes: the values of parameters that are sizes.
    """
    stored: dict = {}
    names = re.search(r"def (triton_poi_\w+)\((.*?)\):", text)
    kinds = dict(re.findall(r"'(\w+)': '([^']*)'", re.search(r"'signature': \{(.*?)\}", text)[1]))
    space = {"tl": _TL, "triton_helpers": _HELPERS, "tl_math": _MATH, "libdevice": _LIBDEVICE}
    exec(text[names.start() :], space)
    arguments = []
    for name in (p.split(":")[0].strip() for p in names[2].split(",")):
        if kinds.get(name, "").startswith("*"):
            arguments.append(_Pointer(name, kinds[name], stored))
        elif name.endswith("BLOCK"):
            # the block has three more elements than the tensor, and the mask excludes them
            numel = (sizes or {}).get(f"{name[0].lower()}numel") or int(re.search(rf"{name[0].lower()}numel = (\d+)", text)[1])
            arguments.append(numel + 3)
        else:
            arguments.append(_tensor((sizes or {}).get(name, 0)))
    space[names[1]](*arguments)
    return list(stored.values())
