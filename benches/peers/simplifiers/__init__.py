"""Simplifiers of other systems behind one interface, for `benches/peers/run`.

A system is a class of a module here. Each runs in a process of its own, so that a crash or a hang of one costs one line.
"""

# The key of each system, its module and class, what the tables call it, and the packages that it needs.
SYSTEMS = {
    "quaff": ("of_quaff", "Apart", "quaff, apart", ["quaff"]),
    "quaff-together": ("of_quaff", "Together", "quaff, together", ["quaff"]),
    "quaff-python": ("of_quaff", "ThroughPython", "quaff, through Python", ["quaff"]),
    "tinygrad": ("of_tinygrad", "Tinygrad", "tinygrad", ["tinygrad"]),
    "tvm": ("of_tvm", "Tvm", "TVM", ["apache-tvm"]),
    "halide": ("of_halide", "Halide", "Halide", ["halide"]),
    "isl": ("of_isl", "Isl", "isl", ["islpy"]),
    "inductor": ("of_sympy", "Inductor", "Inductor", ["torch"]),
    "sympy": ("of_sympy", "Sympy", "sympy", ["sympy"]),
    "mlir": ("of_mlir", "Mlir", "MLIR", ["iree-base-compiler"]),
}
