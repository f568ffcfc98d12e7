"""In the place of `triton.language`. Integers have 32 or 64 bits and may not overflow; `//` and `%` round towards zero; an access
outside of its array is an error."""

import builtins
import contextlib

import numpy as np

int1, int32, int64, float32 = np.dtype(np.bool_), np.dtype(np.int32), np.dtype(np.int64), np.dtype(np.float32)
# From the narrowest to the widest: an operation has the wider type of its operands.
TYPES = [int1, int32, int64, float32]
# What a masked element has that no `other` was given for.
POISON = -77777


class constexpr:
    """Marks parameters that are known when a kernel is compiled, and makes such numbers."""

    def __new__(cls, value):
        return value


def fits(value):
    return -(2**31) <= value < 2**31


def cast(x, dtype):
    """An array of another type: integers keep their values."""
    if dtype == int32 and x.dtype == int64 and x.size and not (fits(x.min()) and fits(x.max())):
        raise OverflowError("an integer leaves 32 bits")
    return x.astype(dtype)


def quotient(a, b):
    if a.dtype == float32:
        raise TypeError("`//` of numbers with a fraction")
    safe = np.where(b == 0, 1, b)
    return np.where(b == 0, 0, np.sign(a) * np.sign(safe) * (np.abs(a) // np.abs(safe)))


def constant(value, dtype):
    """A number beside a tensor of this type."""
    if isinstance(value, bool):
        return np.array(value)
    if isinstance(value, float) or dtype == float32:
        return np.array(value, float32)
    return np.array(value, int32 if fits(value) else int64)


def operands(a, b):
    """Both as arrays, and the type of what is computed of them."""
    if not isinstance(a, Tensor):
        a = Tensor(constant(a, b.data.dtype))
    if not isinstance(b, Tensor):
        b = Tensor(constant(b, a.data.dtype))
    dtype = builtins.max(a.data.dtype, b.data.dtype, key=TYPES.index)
    return a.data, b.data, dtype


def arithmetic(compute, narrowest=int32):
    """An operator whose result has the type of its operands, and the one with exchanged operands."""

    def left(a, b):
        if isinstance(b, Pointer):
            return NotImplemented
        x, y, dtype = operands(a, b)
        dtype = builtins.max(dtype, narrowest, key=TYPES.index)
        wide = int64 if dtype == int32 else dtype
        return Tensor(cast(np.asarray(compute(x.astype(wide), y.astype(wide))), dtype))

    return left, lambda b, a: left(a, b)


def comparison(compute):
    def compare(a, b):
        x, y, dtype = operands(a, b)
        return Tensor(compute(x.astype(dtype), y.astype(dtype)))

    return compare


def divided(a, b):
    x, y, _ = operands(a, b)
    return Tensor(x.astype(float32) / y.astype(float32))


class Tensor:
    """An array with the operators of Triton; without dimensions, a scalar."""

    def __init__(self, data):
        self.data = np.asarray(data)
        if self.data.dtype not in TYPES:
            raise TypeError(f"values of {self.data.dtype}")

    @staticmethod
    def of(value):
        return value if isinstance(value, Tensor) else Tensor(constant(value, int32))

    __add__, __radd__ = arithmetic(np.add)
    __sub__, __rsub__ = arithmetic(np.subtract)
    __mul__, __rmul__ = arithmetic(np.multiply)
    __floordiv__, __rfloordiv__ = arithmetic(quotient)
    __mod__, __rmod__ = arithmetic(lambda a, b: a - quotient(a, b) * b)
    __lshift__, __rlshift__ = arithmetic(np.left_shift)
    __rshift__, __rrshift__ = arithmetic(np.right_shift)
    __and__, __rand__ = arithmetic(np.bitwise_and, int1)
    __or__, __ror__ = arithmetic(np.bitwise_or, int1)
    __xor__, __rxor__ = arithmetic(np.bitwise_xor, int1)
    __lt__, __le__ = comparison(np.less), comparison(np.less_equal)
    __gt__, __ge__ = comparison(np.greater), comparison(np.greater_equal)
    __eq__, __ne__ = comparison(np.equal), comparison(np.not_equal)
    __truediv__ = divided
    __hash__ = None

    def __rtruediv__(self, other):
        return divided(other, self)

    def __neg__(self):
        return 0 - self

    def __invert__(self):
        return Tensor(np.invert(self.data))

    def __bool__(self):
        return bool(self.scalar())

    def __index__(self):
        return int(self.scalar())

    def scalar(self):
        if self.data.ndim:
            raise TypeError("a tensor with dimensions where a scalar is needed")
        return self.data.item()

    def __getitem__(self, index):
        return Tensor(self.data[index])

    def to(self, dtype):
        return Tensor(self.data.astype(dtype))

    @property
    def dtype(self):
        return self.data.dtype

    @property
    def shape(self):
        return self.data.shape

    @property
    def T(self):
        return Tensor(self.data.T)


class Pointer:
    """Places in an array, as numbers of elements."""

    def __init__(self, array, places):
        self.array, self.places = array, places

    @staticmethod
    def to(array):
        if not array.flags.c_contiguous:
            raise TypeError("an array with gaps")
        return Pointer(array.reshape(-1), np.array(0, int64))

    def __add__(self, offset):
        return Pointer(self.array, self.places + Tensor.of(offset).data.astype(int64))

    __radd__ = __add__

    def __sub__(self, offset):
        return self + -Tensor.of(offset)

    def __getitem__(self, index):
        return Pointer(self.array, self.places[index])

    def active(self, mask, shape):
        """Places, and which of them are accessed."""
        places = np.broadcast_to(self.places, shape)
        active = np.broadcast_to(Tensor.of(True if mask is None else mask).data.astype(bool), shape)
        outside = active & ((places < 0) | (places >= self.array.size))
        if outside.any():
            raise IndexError(f"element {places[outside].flat[0]} of {self.array.size}")
        return places, active


def load(pointer, mask=None, other=None, eviction_policy="", cache_modifier="", volatile=False):
    shape = np.broadcast_shapes(pointer.places.shape, Tensor.of(True if mask is None else mask).shape)
    places, active = pointer.active(mask, shape)
    fill = Tensor.of(POISON if other is None else other).data.astype(pointer.array.dtype)
    safe = pointer.array[np.where(active, places, 0)] if pointer.array.size else fill
    return Tensor(np.where(active, safe, fill))


def store(pointer, value, mask=None, eviction_policy="", cache_modifier=""):
    places, active = pointer.active(mask, pointer.places.shape)
    values = np.broadcast_to(Tensor.of(value).data, places.shape)
    pointer.array[places[active]] = values[active].astype(pointer.array.dtype)


def atomic_add(pointer, value, mask=None, sem=None):
    places, active = pointer.active(mask, pointer.places.shape)
    values = np.broadcast_to(Tensor.of(value).data, places.shape)
    np.add.at(pointer.array, places[active], values[active].astype(pointer.array.dtype))


_place, _counts = (0, 0, 0), (1, 1, 1)


@contextlib.contextmanager
def programs(place, counts):
    """The program that runs."""
    global _place, _counts
    _place, _counts = place, counts
    yield


def program_id(axis):
    return Tensor.of(_place[axis])


def num_programs(axis):
    return Tensor.of(_counts[axis])


def arange(start, end):
    if (end - start) & (end - start - 1):
        raise ValueError("the length of a tensor is a power of two")
    return Tensor(np.arange(start, end, dtype=int32))


def range(*ends, num_stages=None):
    """Of a loop that is not unrolled: its variable is a tensor."""
    return map(Tensor.of, builtins.range(*ends))


static_range = builtins.range


def zeros(shape, dtype):
    return Tensor(np.zeros(tuple(shape), dtype))


def full(shape, value, dtype):
    return Tensor(np.full(tuple(shape), value, dtype))


def where(condition, a, b):
    if not isinstance(a, Tensor) and not isinstance(b, Tensor):
        a = Tensor.of(a)
    x, y, dtype = operands(a, b)
    return Tensor(np.where(Tensor.of(condition).data, x.astype(dtype), y.astype(dtype)))


def extreme(compute):
    def of_two(a, b):
        if not isinstance(a, Tensor) and not isinstance(b, Tensor):
            return compute(a, b).item()
        x, y, dtype = operands(a, b)
        return Tensor(compute(x.astype(dtype), y.astype(dtype)))

    return of_two


minimum, maximum = extreme(np.minimum), extreme(np.maximum)


def reduction(compute):
    def over(x, axis=None):
        return Tensor(np.asarray(compute(x.data, axis=axis)).astype(x.dtype))

    return over


sum, max, min = reduction(np.sum), reduction(np.max), reduction(np.min)


def unary(compute):
    return lambda x: Tensor(compute(Tensor.of(x).data.astype(float32)).astype(float32))


exp, log, sqrt, rsqrt = unary(np.exp), unary(np.log), unary(np.sqrt), unary(lambda x: 1 / np.sqrt(x))


def dot(a, b, acc=None, **_):
    product = Tensor(np.matmul(a.data, b.data))
    return product if acc is None else acc + product


def cdiv(a, b):
    return (a + b - 1) // b


def next_power_of_2(n):
    return 1 << (n - 1).bit_length()
