import driver
import numpy as np

kernels = driver.kernels()

for batch, height, width, channels, window, stride, pad in [
    (2, 8, 8, 4, 2, 2, 0),
    (1, 9, 7, 3, 3, 2, 1),
    (3, 5, 6, 1, 5, 1, 2),
]:
    out_h, out_w = (height + 2 * pad - window) // stride + 1, (width + 2 * pad - window) // stride + 1
    x, y = driver.fill(batch, height, width, channels, seed=1), driver.empty(batch, out_h, out_w, channels)
    sizes = batch, height, width, channels, out_h, out_w
    kernels.max_pool[(-(-y.size // 64),)](x, y, *sizes, WINDOW=window, STRIDE=stride, PAD=pad, BLOCK=64)
    around = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)), constant_values=-3.0e38)
    windows = np.lib.stride_tricks.sliding_window_view(around, (window, window), axis=(1, 2))
    driver.expect("max_pool", y, windows[:, ::stride, ::stride].max(axis=(-2, -1)))

for height, width, channels, shift in [(8, 12, 3, 2), (4, 4, 5, 3), (16, 8, 1, 0)]:
    x, y = driver.fill(height, width, channels, seed=2), driver.empty(height * width // 16, 16, channels)
    kernels.window_partition[(-(-x.size // 32),)](x, y, height, width, channels, 4, shift, BLOCK=32)
    rolled = np.roll(x, (-shift, -shift), axis=(0, 1))
    wanted = rolled.reshape(height // 4, 4, width // 4, 4, channels).transpose(0, 2, 1, 3, 4)
    driver.expect("window_partition", y, wanted)
driver.right()
