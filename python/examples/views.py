"""The input of a convolution as a view, which is padded, permuted and flattened without a copy."""

import quaff
from quaff import View

image = View([64, 56, 56])
padded = image.pad([(0, 0), (1, 1), (1, 1)])
rows = padded.permute([1, 2, 0]).reshape([58 * 58, 64])
assert rows == View.parse("shape(64, 56, 56).pad((0, 0), (1, 1), (1, 1)).permute(1, 2, 0).reshape(3364, 64)")
print(rows.depth, "strided views,", "strides", [str(s) for s in rows.strides])

answer = rows.simplify(["pixel", "channel"])
(access,) = answer.accesses
print("reads where", access.gate)
print("at", access.index)
print(f"cost {answer.cost} of {answer.input_cost}")
print(answer.cuda())

# the mask is right at every corner of the border
for pixel in (0, 57, 58, 59, 58 * 57, 58 * 58 - 1):
    y, x = divmod(pixel, 58)
    inside = 1 <= y < 57 and 1 <= x < 57
    assert bool(access.gate.eval(pixel=pixel, channel=5)) == inside
    assert not inside or access.index.eval(pixel=pixel, channel=5) == 5 * 56 * 56 + (y - 1) * 56 + x - 1

# a view with sizes that are known only at run time
view = View(["h", "w"], {"h": (1, 4096), "w": (1, 4096)}).permute([1, 0]).reshape(["h*w"])
(access,) = view.simplify(["i"]).accesses
print("transposed:", access.index)
