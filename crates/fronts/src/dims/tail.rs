//! The conditions under which an index is below the size of its dimension, for products that cover a size and for sums.

use super::Dim;
use super::affine::below;
use super::error::{DimsError, ErrorKind};
use super::flow::Source;
use super::indices::Indices;
use super::lanes::Moving;
use super::layout::Flow;
use super::model::dims_of;
use super::report::Direction;
use super::symbols::shared;
use quaff::expr::Expr;
use rustc_hash::FxHashSet;

/// The condition `index < end`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guard {
    pub(crate) index: Moving,
    pub(crate) end: Expr,
}

impl Guard {
    /// The condition that the index at the first lane is below the end.
    pub(crate) fn condition(&self) -> Expr {
        below(&self.index.first, &self.end)
    }
}

impl Indices {
    /// The condition under which the indices of `dims` are less than their sizes. It concerns indices that follow,
    /// directly or through other equations, from products that only [cover](super::Dims::covered) a size, or from
    /// [sums](super::Dims::affine). It is `None` if no condition is needed. In a [vector region](Indices::vectorize) it
    /// is the condition for all lanes.
    ///
    /// The time is proportional to the number of equations from which the indices follow. In a vector region, each
    /// condition needs one search, to prove how the index depends on the lane. The condition is not simplified:
    /// simplify it under [`facts`](Indices::facts), or let a [kernel](crate::kernel::Block::inside) print it.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    /// use quaff::expr::var;
    ///
    /// let mut dims = Dims::new();
    /// let (row, b, t) = (dims.dim("row", 1000)?, dims.dim("b", None)?, dims.dim("t", 256)?);
    /// dims.covered(row, (b, t))?;
    /// let byte = dims.dim_eq("byte", (row, 4))?;
    /// let mut ix = dims.init()?;
    /// assert_eq!(ix.size(b)?, 4);
    /// ix.set(b, var("x"))?;
    /// ix.set(t, var("y"))?;
    /// assert_eq!(ix.inside(&[byte])?.unwrap().to_string(), "x*256 + y < 1000");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`. In a vector region, `lanes` for more than 64 lanes that are not
    /// proved to be neighbours, and `not_simplified` as [`get`](Indices::get). An index that is not solved gives no
    /// condition and no error.
    pub fn inside(&self, dims: &[Dim]) -> Result<Option<Expr>, DimsError> {
        let mut all: Option<Expr> = None;
        for Guard { index, end } in self.guards(dims)? {
            let limit = index.limit(&end, shared(), || self.facts());
            let limit = limit.map_err(|reason| self.not_simplified(dims, reason))?;
            let below = index.all_below(&end, limit).ok_or_else(|| self.scattered(dims, &index))?;
            all = Some(all.map_or(below.clone(), |all| all.and(below)));
        }
        Ok(all)
    }

    /// The error for too many lanes that are not proved to be neighbours.
    pub(crate) fn scattered(&self, dims: &[Dim], index: &Moving) -> DimsError {
        let dim = self.layout().model.dim_ref(dims.first().map_or(0, |d| d.index()));
        let reason = "they are not proved to be neighbours";
        ErrorKind::Lanes { dim, lanes: index.lanes, index: index.first.clone(), reason }.into()
    }

    /// The guards of the indices of `dims`, in order of the equations.
    pub(crate) fn guards(&self, dims: &[Dim]) -> Result<Vec<Guard>, DimsError> {
        let covers = self.covers(dims)?.into_iter();
        Ok(covers.map(|(index, end)| Guard { index: self.moving(&index), end }).collect())
    }

    /// The dimensions of size 1 through which the unsolved dimension `d` reads as 0.
    fn zero_sources(&self, d: usize) -> impl Iterator<Item = usize> {
        let layout = self.layout();
        let reads = layout.zero_reads.iter().filter(move |&&(flow, side)| {
            let digits = &layout.flows[flow as usize].sides[side as usize].digits;
            self.state.is_active(flow) && digits.iter().any(|digit| digit.dim as usize == d)
        });
        reads.flat_map(|&(flow, side)| {
            let equation = layout.flows[flow as usize].equation as usize;
            dims_of(&layout.model.equations[equation].sides[1 - side as usize])
        })
    }

    /// Pairs of an index over the lanes of open vector regions and its exclusive upper bound.
    pub(crate) fn covers(&self, dims: &[Dim]) -> Result<Vec<(Expr, Expr)>, DimsError> {
        match self.with_zero_reads() {
            Some(state) => Indices { state }.covers_here(dims),
            None => self.covers_here(dims),
        }
    }

    fn covers_here(&self, dims: &[Dim]) -> Result<Vec<(Expr, Expr)>, DimsError> {
        let layout = self.layout();
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        let mut open = vec![];
        for &dim in dims {
            open.push(self.dim(dim, "to ask for a guard")?);
        }
        let mut wanted: Vec<u32> = vec![];
        while let Some(d) = open.pop() {
            if !seen.insert(d) {
                continue;
            }
            wanted.extend(layout.tails[d].iter().filter(|&&flow| self.state.is_active(flow)));
            match &self.state.index[d] {
                Some((_, Source::Flow(flow))) => {
                    let equation = &layout.model.equations[layout.flows[*flow as usize].equation as usize];
                    if layout.flows[*flow as usize].sum.is_some() {
                        wanted.push(*flow);
                        open.extend(equation.sides.iter().flat_map(|side| dims_of(side)));
                        continue;
                    }
                    match self.state.direction(*flow) {
                        Some(Direction::Forward) => open.extend(dims_of(&equation.sides[0])),
                        Some(Direction::Backward) => open.extend(dims_of(&equation.sides[1])),
                        // the index reads as 0, which follows from dimensions of size 1
                        None => open.extend(self.zero_sources(d)),
                    }
                }
                // no index flows through these equations, but a product that covers a size of 1 may be larger than 1
                Some((_, Source::SizeOne)) => {
                    let equations = layout.ones[d].iter().map(|&e| &layout.model.equations[e as usize]);
                    let active = equations.filter(|e| self.state.is_entered(e.scope));
                    open.extend(active.flat_map(|e| &e.sides).flat_map(|side| dims_of(side)));
                }
                // the index reads as 0, because it equals dimensions of size 1 and integers
                None => open.extend(self.zero_sources(d)),
                _ => {}
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        let cover = |&flow: &u32| {
            let Flow { sides, tail, sum, .. } = &layout.flows[flow as usize];
            if sum.is_some() {
                return self.sum_limits(flow);
            }
            let from_right = self.state.direction(flow) != Some(Direction::Forward);
            let index = self.state.linearise(&sides[1]).filter(|_| from_right);
            index.zip(tail.as_ref()).map(|(index, tail)| (index, tail.end.clone())).into_iter().collect()
        };
        Ok(wanted.iter().flat_map(cover).collect())
    }
}
