//! Draws the addresses that each warp touches, with and without a schedule.

use super::access::{Access, Table};
use super::candidate::Candidate;
use super::error::CoalesceError;
use super::schedule::Schedule;
use super::search::Question;
use super::traffic::{MASKED, Warp};
use quaff::integer::floor_div;
use quaff_draw::grid::{Cell, Fill, Panel, svg};

/// The most warps of a picture, and the most cells. If one warp alone exceeds the limit of cells, the picture shows one
/// warp.
const WARPS: usize = 16;
const CELLS: i128 = 4096;
/// The size of a sector in bytes.
const SECTOR: i64 = 32;

/// A picture in SVG of the addresses that the first 16 warps access at `access`, in the order of the elements and under
/// `schedule`. It has one row for each warp and one cell for each lane. A darker cell has a lower address. The tool tip
/// of a cell shows its element, address and sector.
///
/// # Errors
/// [`CoalesceError`] when the addresses of the elements cannot be computed.
pub fn picture(
    title: &str,
    access: &Access,
    variable: &str,
    n: u64,
    warp: Warp,
    schedule: &Schedule,
) -> Result<String, CoalesceError> {
    if n > super::access::ELEMENTS {
        return Err(CoalesceError::TooMany { n: n.into(), limit: super::access::ELEMENTS });
    }
    let table = Table::new(access, variable, n)?;
    let rows = floor_div(CELLS, warp.group() as i128).clamp(1, WARPS as i128);
    let shown = rows as usize * warp.group();
    let before: Vec<i64> = (0..n as i64).take(shown).collect();
    let mut after = vec![0; shown.min(usize::try_from(schedule.extent()).unwrap_or(shown))];
    schedule.fill(0, &mut after);
    let panels =
        [panel(format!("before: {variable} = u"), &table, &before, warp), panel("after".into(), &table, &after, warp)];
    Ok(svg(title, &panels))
}

impl Question<'_> {
    /// The [`picture`] of the first access under `candidate`, at the first value of each uniform variable. `candidate`
    /// must be an answer to this question.
    ///
    /// # Errors
    /// The errors of [`Question::search`].
    pub fn picture(&self, title: &str, candidate: &Candidate) -> Result<String, CoalesceError> {
        let first = self.at_first()?;
        let warp = self.warp.with_vector(candidate.vector())?;
        picture(title, &first, self.variable, self.n, warp, candidate.schedule())
    }
}

fn panel(name: String, table: &Table, elements: &[i64], warp: Warp) -> Panel {
    let inside = table.addresses.iter().filter(|a| **a != MASKED);
    let (low, high) = (inside.clone().min().copied().unwrap_or(0), inside.max().copied().unwrap_or(0));
    let scale = ((high - low).max(1) as f64).recip();
    let by = SECTOR.checked_div(table.bytes.into()).unwrap_or(1);
    let sector = |address: i64| floor_div(address.into(), by.into());
    let (mut cells, mut sectors) = (Vec::with_capacity(elements.len()), 0);
    for (number, group) in elements.chunks(warp.group()).enumerate() {
        let mut touched: Vec<i128> = Vec::new();
        for (lane, element) in group.iter().enumerate() {
            let lane = floor_div(lane as i128, warp.vector().into());
            let address = table.at(*element);
            if address == MASKED {
                let tip = format!("warp {number}, lane {lane}: no access");
                cells.push(Cell { label: "-".into(), tip, fill: Fill::Masked });
                continue;
            }
            touched.push(sector(address));
            let tip =
                format!("warp {number}, lane {lane}: element {element}, address {address}, sector {}", sector(address));
            let along = (address - low) as f64 * scale;
            cells.push(Cell { label: address.to_string(), tip, fill: Fill::Shade(along) });
        }
        touched.sort_unstable();
        touched.dedup();
        sectors += touched.len();
    }
    let warps = elements.chunks(warp.group()).count();
    Panel {
        title: format!("{name}: {sectors} sectors of the first {warps} warps"),
        axes: ["warp".into(), "lane".into()],
        columns: warp.group(),
        cells,
    }
}
