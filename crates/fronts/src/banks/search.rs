//! Searches a layout of a tile in which no access has bank conflicts.

use super::error::BankError;
use super::layout::{Layout, Tile};
use super::machine::Machine;
use super::memory::{Memory, is_width};
use super::points::{Walk, shown};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::integer::floor_div;
use quaff::{Simplified, Simplifier};

/// The most warp accesses that one search evaluates, over all layouts: 262,144. A search that needs more returns an
/// error.
const SERVED: u128 = 1 << 18;

/// An access of a tile: the row, the first column and the bytes that each lane accesses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileAccess {
    row: Expr,
    col: Expr,
    width: u32,
}

impl TileAccess {
    /// An access to `width` bytes (1, 2, 4, 8 or 16) of row `row` from column `col` on.
    ///
    /// # Errors
    /// [`BankError::Width`] for another width.
    pub fn new(row: Expr, col: Expr, width: u32) -> Result<TileAccess, BankError> {
        if is_width(width) {
            Ok(TileAccess { row, col, width })
        } else {
            Err(BankError::Width { what: "an access", bytes: width })
        }
    }
}

/// A layout with its costs.
#[derive(Clone, Debug)]
pub struct Candidate {
    layout: Layout,
    bytes: u64,
    degrees: Vec<u32>,
    indices: Simplified,
}

impl Candidate {
    /// The layout.
    pub fn layout(&self) -> Layout {
        self.layout
    }

    /// The number of bytes of the tile.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The degree of the bank conflicts of each access, at its worst point. It is 1 without conflicts.
    pub fn degrees(&self) -> &[u32] {
        &self.degrees
    }

    /// Whether no access has conflicts.
    pub fn is_free(&self) -> bool {
        self.degrees.iter().all(|d| *d <= 1)
    }

    /// The cost of the indices of all accesses together.
    pub fn cost(&self) -> Cost {
        self.indices.cost()
    }

    /// The indices of the accesses, simplified together. An index is the number of an element, counted from the
    /// beginning of the tile.
    pub fn indices(&self) -> &Simplified {
        &self.indices
    }

    /// Whether the candidate is at least as good as `other` in bytes, cost and all degrees.
    fn covers(&self, other: &Candidate) -> bool {
        self.bytes <= other.bytes
            && self.cost() <= other.cost()
            && self.degrees.iter().zip(&other.degrees).all(|(a, b)| a <= b)
    }
}

/// The result of a search.
#[derive(Clone, Debug)]
pub struct Found {
    candidates: Vec<Candidate>,
    tried: u32,
}

impl Found {
    /// The layouts that are Pareto-optimal in bytes, instructions and degrees. No other layout is at least as good in
    /// all of them and better in one. Layouts without conflicts come first. Within both groups, the order is by
    /// degrees, bytes and cost. The list is never empty.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// The number of layouts that were tried.
    pub fn tried(&self) -> u32 {
        self.tried
    }
}

/// Searches layouts of `tile` that have the least cost for all `accesses` together. The candidates are paddings up to
/// one row of banks, and exclusive ors of column bits with row bits. `lane` is the variable that differs between lanes.
/// For all other variables, the values with the most conflicts count.
///
/// A layout in which an access would be misaligned is left out. The answer is the same on every run. The search tries
/// at most a few hundred layouts. It evaluates each at every point of the domain, with at most 262,144 accesses in
/// total.
///
/// ```
/// use quaff_fronts::banks::{Layout, Memory, Tile, TileAccess, search};
/// use quaff::domain::Domain;
/// use quaff::expr::var;
///
/// let domain = Domain::new().with("t", 0..32).with("k", 0..32);
/// let accesses = [TileAccess::new(var("k"), var("t"), 4)?, TileAccess::new(var("t"), var("k"), 4)?];
/// let found = search(&Tile::new(32, 32, 4)?, &accesses, "t", &domain, Memory::default(), &Default::default())?;
/// let free: Vec<Layout> = found.candidates().iter().filter(|c| c.is_free()).map(|c| c.layout()).collect();
/// assert_eq!(free, [Layout::Xor { bits: 5, base: 0, skip: 0 }, Layout::Padding(1)]);
/// # Ok::<(), quaff_fronts::banks::BankError>(())
/// ```
///
/// # Errors
/// [`BankError::NoAccess`] without an access. [`BankError::Outside`] for an access that leaves the tile,
/// [`BankError::Narrow`] for an access narrower than an element, and [`BankError::Misaligned`] for an access that is
/// misaligned in every layout. Also the errors of [`decide`](super::decide()).
pub fn search(
    tile: &Tile,
    accesses: &[TileAccess],
    lane: &str,
    domain: &Domain,
    machine: impl Into<Machine>,
    simplifier: &Simplifier,
) -> Result<Found, BankError> {
    let machine = machine.into();
    let of_access = |(i, a)| coordinates(tile, a, lane, domain).map_err(|e| e.at_access(i));
    let points = accesses.iter().enumerate().map(of_access).collect::<Result<Vec<_>, _>>()?;
    let widest = accesses.iter().map(|a| a.width).max().ok_or(BankError::NoAccess)?;
    let layouts = layouts(tile, widest, machine.memory());
    let served = layouts.len() as u128 * points.iter().map(|p| p.len() as u128).sum::<u128>();
    if served > SERVED {
        return Err(BankError::TooMany { addresses: served, limit: SERVED });
    }
    let mut valid: Vec<(Layout, Vec<u32>)> = Vec::new();
    let mut misaligned = None;
    for layout in &layouts {
        match degrees(tile, layout, accesses, &points, &machine) {
            Ok(degrees) => valid.push((*layout, degrees)),
            Err(error) => misaligned = misaligned.or(Some(error)),
        }
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for (layout, degrees) in worth_a_price(tile, &valid) {
        let exprs: Vec<Expr> = accesses.iter().map(|a| layout.index(tile, &a.row, &a.col)).collect();
        let indices = simplifier.simplify_all(&exprs, domain)?;
        let candidate = Candidate { layout, bytes: layout.bytes(tile), degrees, indices };
        if !candidates.iter().any(|c| c.covers(&candidate)) {
            candidates.retain(|c| !candidate.covers(c));
            candidates.push(candidate);
        }
    }
    let price = |c: &Candidate| {
        let degrees: u64 = c.degrees.iter().copied().map(u64::from).sum();
        (!c.is_free(), degrees, c.bytes, c.cost(), c.layout)
    };
    candidates.sort_by_key(price);
    match (candidates.is_empty(), misaligned) {
        (true, Some(error)) => Err(error),
        _ => Ok(Found { candidates, tried: layouts.len() as u32 }),
    }
}

/// The row and column of each lane at one point. `None` for a lane that is not active.
type Coordinates = Vec<Option<(i64, i64)>>;

/// The coordinates of an access at every point, without duplicates.
fn coordinates(tile: &Tile, access: &TileAccess, lane: &str, domain: &Domain) -> Result<Vec<Coordinates>, BankError> {
    if access.width < tile.bytes {
        return Err(BankError::Narrow { access: 0, width: access.width, bytes: tile.bytes });
    }
    let walk = Walk::new(&[access.row.clone(), access.col.clone()], lane, domain, None)?;
    let elements = floor_div(access.width.into(), tile.bytes.into());
    let (mut seen, mut points, mut buffer) = (rustc_hash::FxHashSet::default(), Vec::new(), Vec::new());
    for number in 0..walk.len() {
        let mut at_point: Coordinates = Vec::new();
        for (position, values) in walk.lanes(number, &mut buffer)?.into_iter().enumerate() {
            let Some([row, col]) = values.as_deref() else {
                at_point.push(None);
                continue;
            };
            let (rows, cols) = (i128::from(tile.rows), i128::from(tile.cols));
            let inside =
                (0..rows).contains(row) && *col >= 0 && col.checked_add(elements).is_some_and(|end| end <= cols);
            match (i64::try_from(*row), i64::try_from(*col)) {
                (Ok(row), Ok(col)) if inside => at_point.push(Some((row, col))),
                _ => {
                    let (lane, at) = (walk.lane_number(position), shown(&walk.at(number)));
                    return Err(BankError::Outside { access: 0, lane, row: *row, col: *col, at });
                }
            }
        }
        if seen.insert(at_point.clone()) {
            points.push(at_point);
        }
    }
    Ok(points)
}

/// All layouts that are tried, the simplest first.
fn layouts(tile: &Tile, widest: u32, memory: Memory) -> Vec<Layout> {
    let row = floor_div(memory.row_bytes().into(), tile.bytes.into()).max(1);
    let mut all: Vec<Layout> = (0..=u32::try_from(row).unwrap_or(0)).map(Layout::Padding).collect();
    // the bytes that one lane accesses stay contiguous, and elements stay in their row
    let least = floor_div(widest.into(), tile.bytes.into()).max(1).ilog2();
    let (columns, rows) = (tile.cols.trailing_zeros(), tile.rows.next_power_of_two().ilog2());
    for bits in 1..=columns.min(rows) {
        for base in least..=columns - bits {
            all.extend((0..=rows - bits).map(|skip| Layout::Xor { bits, base, skip }));
        }
    }
    all
}

fn degrees(
    tile: &Tile,
    layout: &Layout,
    accesses: &[TileAccess],
    points: &[Vec<Coordinates>],
    machine: &Machine,
) -> Result<Vec<u32>, BankError> {
    let mut degrees = Vec::with_capacity(accesses.len());
    for (number, (access, points)) in accesses.iter().zip(points).enumerate() {
        let mut worst = 0;
        for lanes in points {
            let address = |(row, col): (i64, i64)| layout.element(tile, row, col) * i128::from(tile.bytes);
            let addresses: Vec<Option<i128>> = lanes.iter().map(|l| l.map(address)).collect();
            let service = machine.words(&addresses, access.width).map_err(|m| BankError::Misaligned {
                access: number,
                lane: m.lane as i64,
                address: m.address,
                width: access.width,
                at: String::new(),
            })?;
            worst = worst.max(service.degree());
        }
        degrees.push(worst);
    }
    Ok(degrees)
}

/// The layouts that may be Pareto-optimal for any cost of their indices. A longer padding costs as many instructions as
/// a shorter padding, and an exclusive or costs more than a padding. So compared with each padding that takes no more
/// bytes, a layout of the result has a smaller degree in some access.
fn worth_a_price(tile: &Tile, valid: &[(Layout, Vec<u32>)]) -> Vec<(Layout, Vec<u32>)> {
    let mut kept: Vec<(Layout, Vec<u32>)> = Vec::new();
    for (layout, degrees) in valid {
        let covered = kept.iter().any(|(other, best)| {
            let plain = matches!(other, Layout::Padding(_)) && other.bytes(tile) <= layout.bytes(tile);
            plain && best.iter().zip(degrees).all(|(a, b)| a <= b)
        });
        if !covered {
            kept.push((*layout, degrees.clone()));
        }
    }
    kept
}
