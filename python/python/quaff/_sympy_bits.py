"""Functions of sympy for bitwise operations on integers. sympy itself only has them for truth values."""

from __future__ import annotations

import operator
from typing import Any

import sympy


class _Bitwise(sympy.Function):
    """A bitwise operation on two integers. A negative integer has infinitely many bits."""

    is_integer = True
    _operation: Any

    @classmethod
    def eval(cls, a, b):
        if isinstance(a, sympy.Integer) and isinstance(b, sympy.Integer):
            return sympy.Integer(cls._operation(int(a), int(b)))
        return None


class bitand(_Bitwise):
    """The bits that both numbers have.

    >>> quaff.sympy.bitand(12, 10)
    8
    """

    _operation = staticmethod(operator.and_)


class bitor(_Bitwise):
    """The bits that at least one of two numbers has.

    >>> quaff.sympy.bitor(12, 10)
    14
    """

    _operation = staticmethod(operator.or_)


class bitxor(_Bitwise):
    """The bits that exactly one of two numbers has.

    >>> quaff.sympy.bitxor(12, 10)
    6
    """

    _operation = staticmethod(operator.xor)


# The functions by the names of quaff's operators.
BITS = {"bitand": bitand, "bitor": bitor, "bitxor": bitxor}
