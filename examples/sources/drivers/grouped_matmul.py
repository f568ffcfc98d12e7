import driver

kernel = driver.kernels().grouped_matmul

for M, N, K, group in [(64, 96, 32, 2), (80, 33, 48, 4), (16, 1, 16, 8), (112, 70, 16, 3)]:
    a, b, c = driver.fill(M, K, seed=1), driver.fill(K, N, seed=2), driver.empty(M, N)
    grid = lambda meta: (-(-M // meta["BLOCK_M"]) * -(-N // meta["BLOCK_N"]),)
    kernel[grid](a, b, c, M, N, K, BLOCK_M=16, BLOCK_N=32, BLOCK_K=16, GROUP_M=group, num_warps=4)
    driver.expect("grouped_matmul", c, a @ b)
driver.right()
