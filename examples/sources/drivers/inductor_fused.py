import driver
import numpy as np

kernels = driver.kernels()

for block in (32, 2048):
    image, bias, out = driver.fill(2, 12, 24, 16, seed=1), driver.fill(12, seed=2), driver.empty(2, 24, 16, 12)
    kernels.triton_poi_fused_add_permute_0[(-(-9216 // block),)](image, bias, out, 9216, XBLOCK=block)
    driver.expect("add_permute", out, image.transpose(0, 2, 3, 1) + bias)

    above, below, out = driver.fill(5, 20, 32, seed=3), driver.fill(5, 12, 32, seed=4), driver.empty(5, 32, 36)
    kernels.triton_poi_fused_cat_constant_pad_nd_1[(-(-5760 // block),)](above, below, out, 5760, XBLOCK=block)
    driver.expect("cat_pad", out, np.pad(np.concatenate([above, below], axis=1), ((0, 0), (0, 0), (2, 2))))

for ks0, ks1 in [(16, 32), (7, 45), (1, 3)]:
    x, out = driver.fill(3, ks1, ks0, seed=5), driver.empty(3, ks0, ks1)
    grid = lambda meta: (-(-ks1 // meta["XBLOCK"]), -(-3 * ks0 // meta["YBLOCK"]))
    kernels.triton_poi_fused_clone_2[grid](x, out, ks0, ks1, 3 * ks0, ks1, YBLOCK=8, XBLOCK=16)
    driver.expect("clone", out, x.transpose(0, 2, 1))

for images in (1, 3):
    x, out = driver.fill(images, 8, 8, 96, seed=6), driver.empty(images, 96)
    kernels.triton_per_fused_mean_3[(-(-images * 96 // 64),)](x, out, images * 96, 49, XBLOCK=64, RBLOCK=64)
    driver.expect("mean", out, x[:, :7, :7].sum(axis=(1, 2)) / np.float32(49))
driver.right()
