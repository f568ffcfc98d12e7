//! Copy of any number of elements, in vectors of four. Single elements are copied if the end cuts a vector.

use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, Transfer};

/// `to[i] = from[i]` for `0 <= i < n`, with up to `blocks` blocks of 256 threads that copy 8 elements each.
pub(crate) fn kernel(blocks: i64) -> Result<Kernel, KernelError> {
    let mut dims = Dims::new();
    let (block, step, thread) = (dims.dim("block", blocks)?, dims.dim("step", 2)?, dims.dim("thread", 256)?);
    let lane = dims.dim("lane", 4)?;
    let element = dims.dim_eq("element", (block, step, thread, lane))?;

    let mut kernel = Kernel::new("copy", dims.init()?);
    let from = kernel.input("from", Element::F32)?.aligned(16);
    let to = kernel.output("to", Element::F32)?.aligned(16);
    let n = kernel.scalar("n", 0..=kernel.indices().size(element)?)?;
    kernel.body(|body| {
        body.bind(block, "b", "blockIdx.x")?;
        body.bind(thread, "t", "threadIdx.x")?;
        body.loop_over(step, "i", Unroll::Full, |body| {
            body.transfer(&Transfer::new((&to, element), (&from, element), lane).below(element, n))
        })
    })?;
    Ok(kernel)
}
