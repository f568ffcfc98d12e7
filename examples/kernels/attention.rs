//! Attention for one tile of queries. Several query heads share one head of keys and values.

use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, Transfer};

/// `out = softmax(Q K^T / sqrt(d)) V` for `heads` query heads. Each group of `group` heads shares keys and values.
pub(crate) fn kernel(heads: i64, group: i64, queries: i64, keys: i64, depth: i64) -> Result<Kernel, KernelError> {
    let mut dims = Dims::new();
    let (head, shared_head, group) = (dims.dim("head", heads)?, dims.dim("kv", None)?, dims.dim("group", group)?);
    dims.eq(head, (shared_head, group))?;
    let (query, key, depth) = (dims.dim("query", queries)?, dims.dim("key", keys)?, dims.dim("depth", depth)?);
    let (block, row) = (dims.dim("block", None)?, dims.dim("row", 16)?);
    let (step, column) = (dims.dim("step", None)?, dims.dim("column", 16)?);
    dims.eq(query, (block, row))?;
    dims.eq(key, (step, column))?;
    let q = dims.dim_eq("q", (head, query, depth))?;
    let cache = dims.dim_eq("cache", (shared_head, key, depth))?;
    // tiles in shared memory
    let (tile_q, tile_k) = (dims.dim_eq("tile_q", (row, depth))?, dims.dim_eq("tile_k", (column, depth))?);
    let scores = dims.dim_eq("scores", (row, column))?;
    let thread = dims.dim("thread", 256)?;
    let (load_q, load_kv) = (dims.new_scope("load_q")?, dims.new_scope("load_kv")?);
    let (pass, pass_q, lane) = (dims.dim("pass", None)?, dims.dim("pass_q", None)?, dims.dim("lane", 4)?);
    dims.scope(load_q)?.eq(tile_q, (pass_q, thread, lane))?;
    dims.scope(load_kv)?.eq(tile_k, (pass, thread, lane))?;
    // a thread computes one score, and then its part of one row of the result
    let (score, sum) = (dims.new_scope("score")?, dims.new_scope("sum")?);
    dims.scope(score)?.eq(thread, (row, column))?;
    let (part, own) = (dims.dim("part", 16)?, dims.dim("own", None)?);
    dims.scope(sum)?.eq(thread, (row, part))?;
    dims.scope(sum)?.eq(depth, (part, own))?;

    let mut kernel = Kernel::new("attention", dims.init()?);
    let q_buffer = kernel.input("Q", Element::F32)?.aligned(16);
    let k_buffer = kernel.input("K", Element::F32)?.aligned(16);
    let v_buffer = kernel.input("V", Element::F32)?.aligned(16);
    let out = kernel.output("out", Element::F32)?.aligned(16);
    kernel.parameter("float", "scale")?;
    kernel.body(|body| {
        body.bind(head, "h", "blockIdx.y")?;
        body.bind(block, "b", "blockIdx.x")?;
        body.bind(thread, "t", "threadIdx.x")?;
        let size = |d| body.indices().size(d);
        let (size_q, size_k, size_s, size_own) = (size(tile_q)?, size(tile_k)?, size(scores)?, size(own)?);
        let shared_q = body.shared("Qs", Element::F32, size_q)?;
        let shared_k = body.shared("Ks", Element::F32, size_k)?;
        let shared_v = body.shared("Vs", Element::F32, size_k)?;
        body.shared("Ps", Element::F32, size_s)?;
        let sums = body.accumulators("sums", Element::F32, size_own)?;
        body.code("float highest = -1e30f, total = 0.f;")?;
        body.scope(load_q, |body| {
            body.loop_over(pass_q, "p", Unroll::Full, |body| {
                body.transfer(&Transfer::new((&shared_q, tile_q), (&q_buffer, q), lane))
            })
        })?;
        body.loop_over(step, "s", Unroll::By(1), |body| {
            body.scope(load_kv, |body| {
                body.loop_over(pass, "p", Unroll::Full, |body| {
                    body.transfer(&Transfer::new((&shared_k, tile_k), (&k_buffer, cache), lane))?;
                    body.transfer(&Transfer::new((&shared_v, tile_k), (&v_buffer, cache), lane))
                })
            })?;
            body.sync();
            body.scope(score, |body| {
                body.code("float product = 0.f;")?;
                body.loop_over(depth, "d", Unroll::By(8), |body| {
                    body.index("left", tile_q)?;
                    body.index("right", tile_k)?;
                    body.code("product += Qs[$left] * Ks[$right];")
                })?;
                body.index("score", scores)?;
                body.code("Ps[$score] = product * scale;")
            })?;
            body.sync();
            body.scope(sum, |body| {
                body.code("float next = highest;")?;
                body.loop_over(column, "c", Unroll::Full, |body| {
                    body.index("score", scores)?;
                    body.code("next = fmaxf(next, Ps[$score]);")
                })?;
                body.code("const float fade = expf(highest - next);\nhighest = next;\ntotal *= fade;")?;
                body.loop_over(own, "e", Unroll::Full, |body| body.code("sums[$e] *= fade;"))?;
                body.loop_over(column, "c", Unroll::Full, |body| {
                    body.index("score", scores)?;
                    body.code("const float weight = expf(Ps[$score] - next);\ntotal += weight;")?;
                    body.loop_over(own, "e", Unroll::Full, |body| {
                        body.index("value", tile_k)?;
                        body.code("sums[$e] += weight * Vs[$value];")
                    })
                })
            })?;
            body.sync();
            Ok(())
        })?;
        body.scope(sum, |body| {
            body.loop_over(own, "e", Unroll::Full, |body| body.code("sums[$e] /= total;"))?;
            body.transfer(&Transfer::new((&out, q), (&sums, own), own))
        })
    })?;
    Ok(kernel)
}
