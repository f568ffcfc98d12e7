"""Expressions as flat lists of nodes."""

from __future__ import annotations

from collections.abc import Sequence

from quaff._quaff import OPERATORS

# An operator and the numbers of its operands. Instead of operands, a constant has its value, and a variable has the
# index of its name in the list of names.
Node = tuple[str, tuple[int, ...]]

_NAMES = {code: name for name, code in OPERATORS.items()}
_ARITY = {"const": 1, "var": 1, "neg": 1, "not": 1, "select": 3}


def nodes_of(words: Sequence[int]) -> list[Node]:
    """The nodes of a flat list in the format of ``to_nodes``. Operands come before their users.

    >>> from quaff import to_nodes
    >>> nodes_of(to_nodes(["i*16"])[0])
    [('var', (0,)), ('const', (16,)), ('mul', (0, 1))]
    """
    nodes, at = [], 0
    while at < len(words):
        name = _NAMES[words[at]]
        end = at + 1 + _ARITY.get(name, 2)
        nodes.append((name, tuple(words[at + 1 : end])))
        at = end
    return nodes
