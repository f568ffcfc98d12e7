//! Matrix product with shared tiles and register tiles. The rows of A and C may end inside the last tile.

use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, Transfer};

/// `C[m, n] = A[m, k] * B[k, n]`, all row-major. The sizes are multiples of the tiles. Only the first `rows` rows of A
/// and C exist.
pub(crate) fn kernel(m: i64, n: i64, k: i64) -> Result<Kernel, KernelError> {
    let mut dims = Dims::new();
    let (m, n, k) = (dims.dim("m", m)?, dims.dim("n", n)?, dims.dim("k", k)?);
    // a block computes one tile of C, in steps along k
    let (block_m, block_n, step) = (dims.dim("block_m", None)?, dims.dim("block_n", None)?, dims.dim("step", None)?);
    let (tile_m, tile_n, tile_k) = (dims.dim("tile_m", 64)?, dims.dim("tile_n", 64)?, dims.dim("tile_k", 16)?);
    dims.eq(m, (block_m, tile_m))?;
    dims.eq(n, (block_n, tile_n))?;
    dims.eq(k, (step, tile_k))?;
    // global and shared memory
    let (a, b, c) = (dims.dim_eq("a", (m, k))?, dims.dim_eq("b", (k, n))?, dims.dim_eq("c", (m, n))?);
    let (tile_a, tile_b) = (dims.dim_eq("tile_a", (tile_m, tile_k))?, dims.dim_eq("tile_b", (tile_k, tile_n))?);
    // a thread computes 4 by 4 elements of the tile
    let (thread_m, thread_n) = (dims.dim("thread_m", None)?, dims.dim("thread_n", None)?);
    let (own_m, own_n) = (dims.dim("own_m", 4)?, dims.dim("own_n", 4)?);
    let thread = dims.dim_eq("thread", (thread_m, thread_n))?;
    let own = dims.dim_eq("own", (own_m, own_n))?;
    let compute = dims.new_scope("compute")?;
    dims.scope(compute)?.eq(tile_m, (thread_m, own_m))?;
    dims.scope(compute)?.eq(tile_n, (thread_n, own_n))?;
    // all threads together load a tile, four elements each
    let (load_a, load_b) = (dims.new_scope("load_a")?, dims.new_scope("load_b")?);
    let (pass_a, pass_b, lane) = (dims.dim("pass_a", None)?, dims.dim("pass_b", None)?, dims.dim("lane", 4)?);
    dims.scope(load_a)?.eq(tile_a, (pass_a, thread, lane))?;
    dims.scope(load_b)?.eq(tile_b, (pass_b, thread, lane))?;

    let mut kernel = Kernel::new("matmul", dims.init()?);
    let a_buffer = kernel.input("A", Element::F32)?.aligned(16);
    let b_buffer = kernel.input("B", Element::F32)?.aligned(16);
    let c_buffer = kernel.output("C", Element::F32)?.aligned(16);
    let rows = kernel.scalar("rows", 1..=kernel.indices().size(m)?)?;
    kernel.body(|body| {
        body.bind(block_m, "by", "blockIdx.y")?;
        body.bind(block_n, "bx", "blockIdx.x")?;
        body.bind(thread, "t", "threadIdx.x")?;
        let size = |d| body.indices().size(d);
        let (size_a, size_b, size_own) = (size(tile_a)?, size(tile_b)?, size(own)?);
        let shared_a = body.shared("As", Element::F32, size_a)?;
        let shared_b = body.shared("Bs", Element::F32, size_b)?;
        let sums = body.accumulators("sums", Element::F32, size_own)?;
        body.loop_over(step, "s", Unroll::By(1), |body| {
            body.scope(load_a, |body| {
                body.loop_over(pass_a, "p", Unroll::Full, |body| {
                    let rows = rows.clone();
                    body.transfer(&Transfer::new((&shared_a, tile_a), (&a_buffer, a), lane).below(m, rows).or_zero())
                })
            })?;
            body.scope(load_b, |body| {
                body.loop_over(pass_b, "p", Unroll::Full, |body| {
                    body.transfer(&Transfer::new((&shared_b, tile_b), (&b_buffer, b), lane))
                })
            })?;
            body.sync();
            body.scope(compute, |body| {
                body.loop_over(tile_k, "k", Unroll::Full, |body| {
                    let left = body.registers("left", Element::F32, 4)?;
                    let right = body.registers("right", Element::F32, 4)?;
                    body.transfer(&Transfer::new((&left, own_m), (&shared_a, tile_a), own_m))?;
                    body.transfer(&Transfer::new((&right, own_n), (&shared_b, tile_b), own_n))?;
                    body.loop_over(own_m, "i", Unroll::Full, |body| {
                        body.loop_over(own_n, "j", Unroll::Full, |body| {
                            body.index("own", own)?;
                            body.code("sums[$own] += left[$i] * right[$j];")
                        })
                    })
                })
            })?;
            body.sync();
            Ok(())
        })?;
        body.scope(compute, |body| {
            body.loop_over(own_m, "i", Unroll::Full, |body| {
                body.transfer(&Transfer::new((&c_buffer, c), (&sums, own), own_n).below(m, rows))
            })
        })
    })?;
    Ok(kernel)
}
