import driver
import numpy as np

kernels = driver.kernels()
PAGE, DIM = 16, 32

for heads, kv_heads, max_pages, sizes in [(4, 2, 3, [48, 17]), (3, 1, 7, [1, 100]), (2, 2, 1, [16])]:
    pages = len(sizes) * max_pages
    q, out = driver.fill(len(sizes), heads, DIM, seed=1), driver.empty(len(sizes), heads, DIM)
    k, v = driver.fill(pages, PAGE, kv_heads, DIM, seed=2), driver.fill(pages, PAGE, kv_heads, DIM, seed=3)
    table = np.random.default_rng(4).permutation(pages).astype(np.int32).reshape(len(sizes), max_pages)
    kernels.paged_decode[(len(sizes) * heads,)](
        q, k, v, table, np.array(sizes, np.int32), out, heads, kv_heads, max_pages, 0.01, PAGE=PAGE, DIM=DIM, BLOCK=32
    )
    wanted = np.empty(out.shape)
    for s, size in enumerate(sizes):
        for h in range(heads):
            keys, values = (x[table[s]].reshape(-1, kv_heads, DIM)[:size, h * kv_heads // heads] for x in (k, v))
            weights = np.exp(0.01 * (keys.astype(np.float64) @ q[s, h]))
            wanted[s, h] = weights @ values / weights.sum()
    driver.expect("paged_decode", out, wanted, 1e-3)

for count, kv_heads in [(9, 2), (30, 3)]:
    x, stored = driver.fill(count, kv_heads, DIM, seed=5), driver.empty(4, PAGE, kv_heads, DIM)
    slots = np.array([-1 if i % 5 == 3 else (i * 29 + 6) % 64 for i in range(count)], np.int32)
    kernels.store_tokens[(-(-x.size // 128),)](x, stored, slots, count, kv_heads, PAGE=PAGE, DIM=DIM, BLOCK=128)
    wanted = driver.empty(4 * PAGE, kv_heads, DIM)
    wanted[slots[slots >= 0]] = x[slots >= 0]
    driver.expect("store_tokens", stored, wanted)
driver.right()
