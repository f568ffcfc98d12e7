"""Compares `Layout` with the layout algebra of pycute, which is the CuTe of the package nvidia-cutlass. Two layouts are equal if they are
the same function."""

from quaff import Layout, LayoutError


def drawn(rng):
    """A random layout of up to three modes, as its shape and stride. Most layouts are permuted and padded."""
    shape = [rng.choice([2, 2, 3, 4, 4, 8]) for _ in range(rng.randint(1, 3))]
    order, strides, step = rng.sample(range(len(shape)), len(shape)), [0] * len(shape), rng.choice([1, 1, 1, 2])
    for at in order:
        strides[at] = step
        step *= shape[at] * rng.choice([1, 1, 1, 2])
    return tuple(shape), tuple(strides)


def written(shape, stride):
    return "({}):({})".format(",".join(map(str, shape)), ",".join(map(str, stride)))


def answer(make, refusals):
    try:
        return make()
    except refusals:
        return None


def verdict(own, theirs, points, truth=None):
    """The verdict on the values of two answers at points. Each answer may be a refusal. An answer of pycute that differs from `truth`
    counts as a refusal."""
    ours, other = ([found(i) for i in points] if found is not None else None for found in (own, theirs))
    other = other if truth in (None, other) else None
    if ours is not None and ours != (truth or other or ours):
        return "wrong"
    if ours is None:
        return "equal" if other is None else "refused"
    return "above" if other is None else "equal"


def compare(rng, count, counts):
    import pycute as peer

    refusals = (AssertionError, NotImplementedError, TypeError, ValueError, ZeroDivisionError)
    for _ in range(count):
        a, b = drawn(rng), drawn(rng)
        (own, other), (a, b) = [Layout(written(*x)) for x in (a, b)], [peer.Layout(*x) for x in (a, b)]
        end = a.size() * rng.choice([1, 2, 4]) * max(a.stride)
        composed = [a(b(i)) for i in range(b.size())]
        for question, make, theirs, truth in [
            ("coalesce", own.coalesce, lambda: peer.coalesce(a), None),
            ("composition", lambda: own.compose(other), lambda: peer.composition(a, b), composed),
            ("complement", lambda: own.complement(end), lambda: peer.complement(a, end), None),
            ("logical_divide", lambda: own.logical_divide(other), lambda: peer.logical_divide(a, b), None),
            ("right_inverse", own.right_inverse, lambda: peer.right_inverse(a), None),
            ("left_inverse", own.left_inverse, lambda: peer.left_inverse(a), None),
        ]:
            made, found = answer(make, LayoutError), answer(theirs, refusals)
            sizes = [made.size if made is not None else 0, found.size() if found is not None else 0]
            # a left inverse is evaluated at the indices of the layout
            points = [a(i) for i in range(a.size())] if question == "left_inverse" else range(max(sizes))
            counts.add(question, verdict(made, found, points, truth))
