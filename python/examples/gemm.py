"""A tiled GEMM: blocks in groups for the L2 cache, and a tile of shared memory without bank conflicts."""

import quaff

# The blocks of up to 8 rows form a group, which shares columns of B in the L2 cache. One index numbers all rows x 32 blocks of a launch.
COLUMNS, GROUP = 32, 8
pid = quaff.var("pid")


def blocks(rows):
    """The row and the column of the block `pid`, in a launch with `rows` rows of blocks."""
    first = pid // (GROUP * COLUMNS) * GROUP
    height = (rows - first).min(GROUP)
    return [first + pid % (GROUP * COLUMNS) % height, pid % (GROUP * COLUMNS) // height]


for rows in (16, 12):
    answer = quaff.simplify_all(blocks(rows), {"pid": (0, rows * COLUMNS - 1)})
    row, column = answer.exprs
    print(f"{rows} rows: row {row}, column {column}; cost {answer.cost}")
    # every block is visited once
    visited = {(row.eval(pid=p), column.eval(pid=p)) for p in range(rows * COLUMNS)}
    assert visited == {(r, c) for r in range(rows) for c in range(COLUMNS)}
print()

# A warp stores a row of a 32 x 32 tile and loads a column. Without a swizzle, all elements of a column are in one bank.
lanes = {"t": (0, 31), "k": (0, 31)}
for name, store, load in [
    ("rows of 32", "k*32 + t", "t*32 + k"),
    ("rows of 33", "k*33 + t", "t*33 + k"),
    ("swizzled", "k*32 + (t ^ k)", "t*32 + (k ^ t)"),
]:
    degrees = [quaff.bank_conflicts(index, "t", lanes)["degree"] for index in (store, load)]
    print(f"{name:12} store {degrees[0]:2} times, load {degrees[1]:2} times")
print()

# The index of an element in the swizzled tile, computed from the number of the thread and the number of the step.
thread = quaff.Domain({"thread": (0, 255), "step": (0, 3)})
flat = quaff.Expr("thread + step*256")
tile = (flat // 32) * 32 + ((flat % 32) ^ (flat // 32))
answer = quaff.simplify(tile, thread)
print(answer.expr)
print(answer.cuda())
base, kind, steps = quaff.split_by("thread//32*32 + step*256", "step", thread)
print(f"row part: {base}, then {kind} {steps[0]}")
