//! Conditions that an index which comes from a covering product is inside of what it covers.

use super::error::DimsError;
use super::flow::Source;
use super::indices::Indices;
use super::report::Direction;
use super::{Dim, Term};
use crate::expr::Expr;

/// `index < end`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guard {
    pub(crate) index: Expr,
    pub(crate) end: Expr,
}

impl Guard {
    pub(crate) fn condition(&self) -> Expr {
        self.index.lt(&self.end)
    }
}

impl Indices {
    /// The condition under which the indices of `dims` lie inside of their sizes, as far as they come from products that only
    /// [cover](super::Dims::covered) them, be it through other equations; `None` where none is needed.
    ///
    /// It takes time in proportion to the equations through which the indices come. The condition is as built: simplify it under [`facts`](Indices::facts), or have a [kernel](crate::kernel::Block::inside)
    /// print it.
    ///
    /// ```
    /// use quaff::dims::Dims;
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
    /// # Ok::<(), quaff::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// `foreign_dim`. An index that is not solved asks for nothing.
    pub fn inside(&self, dims: &[Dim]) -> Result<Option<Expr>, DimsError> {
        Ok(self.guards(dims)?.iter().map(Guard::condition).reduce(|a, b| a.and(b)))
    }

    /// The same one by one, in order of the equations.
    pub(crate) fn guards(&self, dims: &[Dim]) -> Result<Vec<Guard>, DimsError> {
        let layout = self.layout();
        let mut seen = vec![false; layout.sizes.len()];
        let mut open = vec![];
        for &dim in dims {
            open.push(self.dim(dim, "to ask for a guard")?);
        }
        let mut wanted: Vec<u32> = vec![];
        while let Some(d) = open.pop() {
            if std::mem::replace(&mut seen[d], true) {
                continue;
            }
            for &flow in &layout.tails[d] {
                if self.state.is_active(flow) && !wanted.contains(&flow) {
                    wanted.push(flow);
                }
            }
            if let Some((_, Source::Flow(flow))) = &self.state.index[d] {
                let equation = &layout.model.equations[layout.flows[*flow as usize].equation as usize];
                let source = if self.state.direction(*flow) == Some(Direction::Forward) { 0 } else { 1 };
                let terms = equation.sides[source].iter();
                open.extend(terms.filter_map(|t| if let Term::Dim(d) = t { Some(d.index()) } else { None }));
            }
        }
        wanted.sort_unstable();
        let guard = |&flow: &u32| {
            let (sides, tail) = (&layout.flows[flow as usize].sides, layout.flows[flow as usize].tail.as_ref()?);
            let from_right = self.state.direction(flow) != Some(Direction::Forward);
            let index = self.state.linearise(&sides[1]).filter(|_| from_right)?;
            Some(Guard { index, end: tail.end.clone() })
        };
        Ok(wanted.iter().filter_map(guard).collect())
    }
}
