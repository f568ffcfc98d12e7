"""Simplifiers of other systems with a common interface, for `benches/peers/run`.

A system is a class in a module of this package. Each system runs in a separate process, so a crash or a hang affects only one line.
"""

# The key of each system, its module and class, its name in the tables, and the packages that it needs.
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
