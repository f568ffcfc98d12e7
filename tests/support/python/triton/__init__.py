"""In the place of Triton: kernels run in Python, one program after the other, over arrays of numpy."""

import inspect
import itertools

from . import language
from .language import Pointer, Tensor, cdiv, next_power_of_2, programs

__all__ = ["Kernel", "cdiv", "jit", "language", "next_power_of_2"]

# Arguments of a launch that say how it is compiled.
OPTIONS = ("num_warps", "num_stages", "num_ctas")


def argument(value, parameter):
    """What a kernel sees of an argument."""
    if parameter.annotation is language.constexpr or value is None:
        return value
    return Pointer.to(value) if hasattr(value, "dtype") else Tensor.of(value)


class Kernel:
    """A function of Triton: called by another one, or launched over a grid."""

    def __init__(self, function):
        self.function = function
        self.signature = inspect.signature(function)
        # a loop counts in a tensor
        function.__globals__["range"] = language.range

    def __call__(self, *args, **kwargs):
        return self.function(*args, **kwargs)

    def __getitem__(self, grid):
        def launch(*args, **kwargs):
            bound = self.signature.bind(*args, **{k: v for k, v in kwargs.items() if k not in OPTIONS})
            bound.apply_defaults()
            counts = grid(bound.arguments) if callable(grid) else grid
            counts = (tuple(counts) + (1, 1))[:3]
            parameters = self.signature.parameters
            values = {name: argument(value, parameters[name]) for name, value in bound.arguments.items()}
            # the last program first: what one writes behind its own elements is not written over by the next one
            for place in itertools.product(*(range(count - 1, -1, -1) for count in counts)):
                with programs(place, counts):
                    self.function(**values)

        return launch


def jit(function=None, **_):
    return Kernel(function) if function else Kernel
