"""Questions about indices whose answers are proved.

>>> from quaff import ask
>>> domain = "pid=0..65535, t=0..127, n=16..1048576 step 16"
>>> ask.lanes("pid*128 + t", "t", domain, mask="pid*128 + t < n")["vector"]
16

Every answer is proved, and holds at all points of the domain.
"""

from quaff._quaff import (
    When,
    detect,
    disjoint,
    image,
    injective,
    inverse,
    lanes,
    parts,
    ranges,
    rescale,
    strides,
    subspace_divide,
    surjective,
    when,
    when_disjoint,
    when_vector,
)

__all__ = [
    "When",
    "detect",
    "disjoint",
    "image",
    "injective",
    "inverse",
    "lanes",
    "parts",
    "ranges",
    "rescale",
    "strides",
    "subspace_divide",
    "surjective",
    "when",
    "when_disjoint",
    "when_vector",
]
