"""Expressions that sympy cannot simplify because it has no ranges, and parts that stay unchanged."""

import sympy

from quaff.sympy import from_sympy, simplify, simplify_all

i, j = sympy.symbols("i j", integer=True)
n = sympy.Symbol("n", integer=True, positive=True)

index = sympy.floor((16 * i + j) / 16) * 512 + sympy.Mod(16 * i + j, 16)
print(index, "->", simplify(index, {i: (0, 99), j: (0, 15)}))

# a range with a symbolic end
row = sympy.Mod(i * n + j, n)
print(row, "->", simplify(row, {j: (0, n - 1), i: (0, 99)}))

# a condition of a Piecewise that always holds
masked = sympy.Piecewise((sympy.Mod(i, 8), i < 8), (0, True))
print(masked, "->", simplify(masked, {i: (0, 7)}))
print(simplify(sympy.And(i >= 0, i < 100, j < 4), {i: (0, 99), j: (0, 15)}))

# quaff treats an unknown function as a variable. Its range is given, or follows from sympy's assumptions
table = sympy.Function("table", integer=True, nonnegative=True)
print(simplify(sympy.Mod(table(i), 64) + sympy.Max(table(j), 0), {table(i): (0, 63)}))

# several expressions at once, and an expression as quaff reads it
print(simplify_all([sympy.floor(j / 16), sympy.Mod(j, 16)], {j: (0, 15)}))
expr, domain, meaning = from_sympy(table(i) // 4 + j, {j: (0, 15)})
print(expr, "|", domain, "|", meaning)
