//! Transpose through shared memory whose rows are padded by one element, so that columns hit different banks.

use quaff::dims::{Dims, Unroll};
use quaff::kernel::{Element, Kernel, KernelError};

/// `to[c, r] = from[r, c]`, in tiles of 32 by 32.
pub(crate) fn kernel(rows: i64, columns: i64) -> Result<Kernel, KernelError> {
    let mut dims = Dims::new();
    let (row, column) = (dims.dim("row", rows)?, dims.dim("column", columns)?);
    let (block_r, block_c) = (dims.dim("block_r", None)?, dims.dim("block_c", None)?);
    let (tile_r, tile_c) = (dims.dim("tile_r", 32)?, dims.dim("tile_c", 32)?);
    dims.eq(row, (block_r, tile_r))?;
    dims.eq(column, (block_c, tile_c))?;
    let (from, to) = (dims.dim_eq("from", (row, column))?, dims.dim_eq("to", (column, row))?);
    let pitch = dims.dim("pitch", 33)?;
    let padded = dims.dim_eq("padded", (tile_r, pitch))?;
    let (step, warp, lane) = (dims.dim("step", None)?, dims.dim("warp", 8)?, dims.dim("lane", 32)?);
    let thread = dims.dim_eq("thread", (warp, lane))?;
    // lanes run along rows of what is read, then along rows of what is written
    let load = dims.new_scope("load")?;
    dims.scope(load)?.eq(tile_r, (step, warp))?;
    dims.scope(load)?.eq(tile_c, lane)?;
    let store = dims.new_scope("store")?;
    dims.scope(store)?.eq(tile_c, (step, warp))?;
    dims.scope(store)?.eq(tile_r, lane)?;

    let mut kernel = Kernel::new("transpose", dims.init()?);
    kernel.input("from", Element::F32)?;
    kernel.output("to", Element::F32)?;
    kernel.body(|body| {
        body.bind(block_r, "by", "blockIdx.y")?;
        body.bind(block_c, "bx", "blockIdx.x")?;
        body.bind(thread, "t", "threadIdx.x")?;
        let length = body.indices().size(padded)?;
        body.shared("tile", Element::F32, length)?;
        for (scope, copy) in [(load, "tile[$shared] = from[$global];"), (store, "to[$global] = tile[$shared];")] {
            body.scope(scope, |body| {
                body.loop_over(step, "s", Unroll::Full, |body| {
                    let across = body.indices().get_raw(tile_c)?;
                    body.set(pitch, across)?;
                    body.index("shared", padded)?;
                    body.index("global", if scope == load { from } else { to })?;
                    body.code(copy)
                })
            })?;
            if scope == load {
                body.sync();
            }
        }
        Ok(())
    })?;
    Ok(kernel)
}
