"""An index from a text and from operators, which is simplified, explained and printed as CUDA. Also a check of a wrong form, and two
accesses."""

import quaff

# thread `t` has twelve elements, in rows of 96 elements that are padded to 128
domain = quaff.Domain({"t": (0, 8191), "c": (0, 11)})
answer = quaff.simplify("(t*12 + c)//96*128 + (t*12 + c)%96", domain)
print(f"{answer.expr}    cost {answer.cost} of {answer.input_cost}")
print(answer.cuda())

# the same index, built with operators of Python
t, c = quaff.variables("t c")
flat = t * 12 + c
assert quaff.simplify(flat // 96 * 128 + flat % 96, domain).expr == answer.expr

# the steps to the answer. A procedure that does not use the rules checks each step
print(quaff.explain(flat // 96 * 128 + flat % 96, domain))
print()

# if two expressions differ, the verdict has a point where they differ
verdict = quaff.verify("(i*4 + j)//4", "i + j//3", "i=0..15, j=0..3")
print(verdict, verdict.witness)
try:
    quaff.simplify("(i*4 + k)//k", {"i": (0, 9), "k": (0, 8)})
except quaff.SimplifyError as e:
    print(e)
print()

# two accesses of a kernel. Each index is simplified under its gate, and shared parts are computed once
row = quaff.Expr("t//16 + r - 1")
gate = (row >= 0).logical_and(row < 16)
kernel = quaff.simplify_accesses(
    [
        quaff.Access("(t//16 + r - 1)*16 + t%16", gate, buffer="image", load="pixel"),
        quaff.Access("(t//16)*16 + t%16", buffer="out", store="pixel"),
    ],
    {"t": (0, 255), "r": (0, 2)},
)
print(kernel.cuda())
