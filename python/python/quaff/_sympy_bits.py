"""Functions of sympy for operations on bits, which sympy itself has only for truth values."""

from __future__ import annotations

import operator
from typing import Any

import sympy


class _Bitwise(sympy.Function):
    """An operation on the bits of two integers, of which negative ones have infinitely many."""

    is_integer = True
    operation: Any

    @classmethod
    def eval(cls, a, b):
        if isinstance(a, sympy.Integer) and isinstance(b, sympy.Integer):
            return sympy.Integer(cls.operation(int(a), int(b)))
        return None


class bitand(_Bitwise):
    """Bits that both numbers have."""

    operation = staticmethod(operator.and_)


class bitor(_Bitwise):
    """Bits that one of two numbers has."""

    operation = staticmethod(operator.or_)


class bitxor(_Bitwise):
    """Bits that exactly one of two numbers has."""

    operation = staticmethod(operator.xor)


# By the name of quaff's operator.
BITS = {"bitand": bitand, "bitor": bitor, "bitxor": bitxor}
