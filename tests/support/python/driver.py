"""Of drivers of sources for Triton: `python driver.py FILE`, where FILE has the kernels."""

import hashlib
import importlib.util
import sys

import numpy as np

compared = 0


def kernels():
    """The module of the file that is named on the command line."""
    spec = importlib.util.spec_from_file_location("kernels", sys.argv[1])
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fill(*shape, seed):
    """Small integers: sums of their products are exact."""
    return np.random.default_rng(seed).integers(-8, 9, shape).astype(np.float32)


def empty(*shape):
    return np.full(shape, -77777, np.float32)


def expect(what, got, wanted, tolerance=0.0):
    """Compares, and prints one line: how many values there are, and a number that is another one when any bit of them is."""
    global compared
    wrong = np.flatnonzero(~(np.abs(got.reshape(-1) - np.asarray(wanted).reshape(-1)) <= tolerance))
    if wrong.size:
        at = wrong[0]
        sys.exit(f"{what}: value {at}: got {got.reshape(-1)[at]}, wanted {np.asarray(wanted).reshape(-1)[at]}")
    compared += got.size
    print(f"{what}: {got.size} values, {hashlib.sha256(got.tobytes()).hexdigest()[:16]}")


def right():
    print(f"{compared} values are right")
