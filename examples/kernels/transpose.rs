//! Transpose through shared memory, in which the elements of a column are in different banks. The first kernel pads
//! each row by one element. The second kernel needs no additional memory, because a search finds an xor swizzle that
//! permutes the columns.

use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use quaff_fronts::Error;
use quaff_fronts::banks::{Layout, Memory, Tile, TileAccess, search};
use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError};

/// The number of rows and of columns of a tile of floats.
const SIDE: u32 = 32;

/// The kernel whose rows are padded by one element.
pub(crate) fn padded(rows: i64, columns: i64) -> Result<Kernel, Error> {
    Ok(kernel("transpose", rows, columns, &Tile::new(SIDE, SIDE, 4)?, Layout::Padding(1))?)
}

/// The kernel with the smallest layout in which neither rows nor columns have a bank conflict.
pub(crate) fn swizzled(rows: i64, columns: i64) -> Result<Kernel, Error> {
    let tile = Tile::new(SIDE, SIDE, 4)?;
    let (row, lane): (Expr, Expr) = (var("row"), var("t"));
    let accesses = [TileAccess::new(row.clone(), lane.clone(), 4)?, TileAccess::new(lane, row, 4)?];
    let domain = Domain::new().with("t", 0..SIDE).with("row", 0..SIDE);
    let found = search(&tile, &accesses, "t", &domain, Memory::default(), &Simplifier::default())?;
    let free = found.candidates().iter().filter(|c| c.is_free());
    let layout = free.min_by_key(|c| (c.bytes(), c.cost())).map_or(Layout::Padding(1), |c| c.layout());
    Ok(kernel("swizzled", rows, columns, &tile, layout)?)
}

/// `to[c, r] = from[r, c]`, in tiles of 32 by 32.
fn kernel(name: &str, rows: i64, columns: i64, tile: &Tile, layout: Layout) -> Result<Kernel, KernelError> {
    let mut dims = Dims::new();
    let (row, column) = (dims.dim("row", rows)?, dims.dim("column", columns)?);
    let (block_r, block_c) = (dims.dim("block_r", None)?, dims.dim("block_c", None)?);
    let (tile_r, tile_c) = (dims.dim("tile_r", i64::from(tile.rows()))?, dims.dim("tile_c", i64::from(tile.cols()))?);
    dims.eq(row, (block_r, tile_r))?;
    dims.eq(column, (block_c, tile_c))?;
    let (from, to) = (dims.dim_eq("from", (row, column))?, dims.dim_eq("to", (column, row))?);
    let (step, warp, lane) = (dims.dim("step", None)?, dims.dim("warp", 8)?, dims.dim("lane", 32)?);
    let thread = dims.dim_eq("thread", (warp, lane))?;
    // lanes run along the rows of the input for loads, and along the rows of the output for stores
    let load = dims.new_scope("load")?;
    dims.scope(load)?.eq(tile_r, (step, warp))?;
    dims.scope(load)?.eq(tile_c, lane)?;
    let store = dims.new_scope("store")?;
    dims.scope(store)?.eq(tile_c, (step, warp))?;
    dims.scope(store)?.eq(tile_r, lane)?;

    let mut kernel = Kernel::new(name, dims.init()?);
    kernel.input("from", Element::F32)?;
    kernel.output("to", Element::F32)?;
    kernel.body(|body| {
        body.bind(block_r, "by", "blockIdx.y")?;
        body.bind(block_c, "bx", "blockIdx.x")?;
        body.bind(thread, "t", "threadIdx.x")?;
        let bytes = i64::try_from(layout.bytes(tile)).unwrap_or(i64::MAX);
        body.shared("tile", Element::F32, bytes / Element::F32.bytes())?;
        for (scope, copy) in [(load, "tile[$shared] = from[$global];"), (store, "to[$global] = tile[$shared];")] {
            body.scope(scope, |body| {
                body.loop_over(step, "s", Unroll::Full, |body| {
                    let (row, column) = (body.indices().get_raw(tile_r)?, body.indices().get_raw(tile_c)?);
                    body.expr("shared", layout.index(tile, &row, &column));
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
