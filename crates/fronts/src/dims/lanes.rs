//! Lanes of a vector: how an index depends on the lane, and which lanes are below a limit.
//!
//! Inside of a [vector region](Indices::vectorize), the index of its dimension is a variable for the number of the
//! lane. When an index is read, this variable is replaced by 0 for the first lane, or by the loop variable of a loop
//! over the lanes. In a proof, it is replaced by one variable that counts all lanes on which the index depends.

use super::Dim;
use super::affine::{below, not_negative};
use super::error::{DimsError, ErrorKind};
use super::flow::{Fact, Source};
use super::frame::Frame;
use super::indices::Indices;
use super::loops::{Loop, Region, Unroll};
use quaff::domain::{Domain, Interval};
use quaff::expr::substitute::{substituted, substituted_all};
use quaff::expr::{Dag, Expr, int, var};
use quaff::{Simplifier, SimplifyError};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The variable that counts the lanes of an access. No variable of a program has this name.
const LANE: &str = "the lane";

/// The most lanes that are written out one by one, in a condition or in an access.
pub(crate) const MOST_LANES: i64 = 64;

/// An index as a function of the lane of an access.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Moving {
    /// The index at the first lane.
    pub(crate) first: Expr,
    /// The index as a function of the lane variable.
    lane: Expr,
    /// The number of lanes. It is 1 if the index does not depend on the lane.
    pub(crate) lanes: i64,
}

impl Moving {
    /// The index at the lane `lane`.
    pub(crate) fn at(&self, lane: &Expr) -> Expr {
        substituted(&self.lane, LANE, lane)
    }

    /// The facts that are proved about the index over all lanes.
    ///
    /// # Errors
    /// The errors of the simplifier.
    pub(crate) fn along(&self, simplifier: &Simplifier, domain: Domain) -> Result<Along, SimplifyError> {
        let lanes = Lanes { count: self.lanes, simplifier };
        lanes.prove(&self.first, &self.lane, None, domain).map(|(along, _)| along)
    }

    /// Proves how the index relates to the end of its range, over all lanes.
    ///
    /// # Errors
    /// The errors of the simplifier.
    pub(crate) fn limit(
        &self,
        end: &Expr,
        simplifier: &Simplifier,
        domain: impl Fn() -> Domain,
    ) -> Result<Limit, SimplifyError> {
        if self.lanes == 1 {
            return Ok(Limit::Together);
        }
        let lanes = Lanes { count: self.lanes, simplifier };
        let Some((first, lane)) = not_negative(&self.first, end).zip(not_negative(&self.lane, end)) else {
            return lanes.prove(&self.first, &self.lane, Some(end), domain()).map(|(_, limit)| limit);
        };
        // the condition is `x >= 0` for an expression `x`, and 0 is a multiple of any number of lanes
        let (along, below) = lanes.prove(first, lane, Some(&int(0)), domain())?;
        let always = || simplifier.facts(&domain().with(LANE, 0..self.lanes.max(1))).prove(&lane.ge(0));
        Ok(match below {
            _ if always()? == Some(true) => Limit::Always,
            Limit::Always => Limit::Together,
            _ if along.fixed || (along.grows && along.aligned) => Limit::Together,
            _ if along.grows => Limit::Cut,
            _ => Limit::Unknown,
        })
    }

    /// The condition under which the index is below the end in all lanes. `limit` is the relation that was proved.
    /// `None` if nothing is proved and there are too many lanes to list.
    pub(crate) fn all_below(&self, end: &Expr, limit: Limit) -> Option<Expr> {
        match limit {
            Limit::Always | Limit::Together => Some(below(&self.first, end)),
            // `first >= 0` is enough for all lanes, because the expression grows with the lane
            Limit::Cut if not_negative(&self.first, end).is_some() => Some(below(&self.first, end)),
            Limit::Cut => Some(below(&(&self.first + (self.lanes - 1)), end)),
            Limit::Unknown if self.lanes > MOST_LANES => None,
            Limit::Unknown => {
                let at = |lane: i64| below(&self.at(&int(lane)), end);
                (0..self.lanes).map(at).reduce(|a, b| a.and(b))
            }
        }
    }
}

/// The facts that are proved about an index over the lanes of an access.
#[derive(Clone, Copy)]
pub(crate) struct Along {
    /// Whether the index is the same for all lanes.
    pub(crate) fixed: bool,
    /// Whether the index grows by one from lane to lane.
    pub(crate) grows: bool,
    /// Whether the index at the first lane is a multiple of the number of lanes.
    pub(crate) aligned: bool,
}

/// The relation that is proved between an index and a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Limit {
    /// All lanes are below the limit.
    Always,
    /// All lanes are on the same side of the limit.
    Together,
    /// The index grows by one from lane to lane, and the limit may be between any two lanes.
    Cut,
    /// No relation between the index and the limit is proved.
    Unknown,
}

/// The lanes of an access.
struct Lanes<'a> {
    count: i64,
    simplifier: &'a Simplifier,
}

impl Lanes<'_> {
    /// The facts that are proved about an index and its limit. `first` is the index at the first lane, and `lane` the
    /// index as a function of the lane variable. Without a limit, the second result means nothing. All conditions are
    /// simplified together.
    ///
    /// # Errors
    /// The errors of the simplifier, such as a divisor that may be 0.
    fn prove(
        &self,
        first: &Expr,
        lane: &Expr,
        limit: Option<&Expr>,
        domain: Domain,
    ) -> Result<(Along, Limit), SimplifyError> {
        let mut questions = vec![lane - first - var(LANE), first.floor_mod(self.count), lane - first];
        questions.extend(limit.into_iter().flat_map(|limit| [limit.floor_mod(self.count), lane.lt(limit)]));
        let domain = domain.with(LANE, 0..self.count.max(1));
        let answers = self.simplifier.simplify_all(&questions, &domain)?;
        let mut constants = answers.exprs().iter().map(Expr::as_const);
        let mut is = |value: i64| constants.next().flatten() == Some(value);
        let along = Along { grows: is(0), aligned: is(0), fixed: is(0) };
        let (multiple, always) = (is(0), is(1));
        let limit = match always {
            true => Limit::Always,
            false if along.fixed || (along.grows && along.aligned && multiple) => Limit::Together,
            false if along.grows => Limit::Cut,
            false => Limit::Unknown,
        };
        Ok((along, limit))
    }
}

impl Indices {
    /// Opens a vector region over `dim`: one access covers all of its `lanes` elements. Indices are read at the first
    /// lane, at which the index of `dim` is 0.
    ///
    /// The lanes of one access must be neighbours, and the first index must be a multiple of their number.
    /// [`get`](Indices::get) and a [kernel](crate::kernel) prove this for each index that depends on the lane.
    /// [`get_raw`](Indices::get_raw) needs no proof. Regions that are open together form one vector, in which the lanes
    /// of the inner region are neighbours.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    /// use quaff::expr::var;
    ///
    /// let mut dims = Dims::new();
    /// let (thread, v) = (dims.dim("thread", 64)?, dims.dim("v", 4)?);
    /// let rows = dims.dim_eq("rows", (thread, v))?;
    /// let columns = dims.dim_eq("columns", (v, thread))?;
    /// let mut ix = dims.init()?;
    /// ix.set(thread, var("t"))?;
    /// let ix = ix.vectorize(v, 4)?;
    /// assert_eq!(ix.get(rows)?.to_string(), "t*4");
    /// // lanes are 64 elements apart
    /// assert_eq!(ix.get(columns).unwrap_err().name(), "lanes");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// `vector_size` unless the size of `dim` is `lanes`. `run_time` when the size is known only at run time.
    /// `already_solved` when `dim` has an index. `conflict` and `overdetermined` as for [`set`](Indices::set).
    pub fn vectorize(&mut self, dim: Dim, lanes: i64) -> Result<Frame<'_>, DimsError> {
        let d = self.dim(dim, "to open a vector region")?;
        let size = self.number(d, "a vector")?;
        if size != lanes {
            return Err(ErrorKind::VectorSize { dim: self.layout().model.dim_ref(d), size, lanes }.into());
        }
        self.check_unsolved(d)?;
        let mut frame = self.frame();
        if size > 1 {
            let variable: Arc<str> = format!("lane of {}", frame.layout().model.dims[d].label).into();
            frame.transaction(
                |ix| format!("when `{}` is vectorised", ix.layout().model.dims[d].label),
                |ix| {
                    let region = Region { dim: d as u32, variable: variable.clone(), lanes, looped: None };
                    ix.state.open_region(region);
                    ix.state.set_range(&variable, Interval::from_wide(0, i128::from(lanes) - 1));
                    Ok(ix.state.set(d as u32, var(variable), Source::Vectorize))
                },
            )?;
        }
        Ok(frame)
    }

    /// The outermost vector region on whose lanes the indices of `dims` or their guards depend, and its number of
    /// lanes.
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`.
    pub(crate) fn region(&self, dims: &[Dim]) -> Result<Option<(usize, i64)>, DimsError> {
        let indices = dims.iter().filter_map(|&dim| self.solved(dim).ok());
        let indices: Vec<Expr> = indices.chain(self.covers(dims)?.into_iter().map(|(index, _)| index)).collect();
        let dag = Dag::new(&indices);
        let mut own = self.moved(&dag);
        Ok(own.next().map(|(position, region)| (position, region.lanes)))
    }

    /// Replaces the lanes of an open vector region by a loop over `variable`. The name must be unused.
    pub(crate) fn each_lane(&mut self, position: usize, variable: &str) -> Frame<'_> {
        let mut frame = self.frame();
        let (variable, region) = (Arc::<str>::from(variable), &frame.state.regions[position]);
        let (dim, lanes) = (region.dim, region.lanes);
        let (dim, range) = (frame.layout().model.dim(dim as usize), Interval::from_wide(0, i128::from(lanes) - 1));
        frame.state.loop_over_lanes(position, variable.clone());
        frame.state.set_range(&variable, range);
        frame.state.state_fact(Fact::Bounds(variable.clone(), range.into()));
        frame.state.open_loop(Loop { dim, variable, trips: int(lanes), unroll: Unroll::Full });
        frame
    }

    /// The vector regions that occur in the expressions and whose lanes are covered by one access.
    fn moved<'s>(&'s self, dag: &'s Dag) -> impl Iterator<Item = (usize, &'s Region)> {
        let names: FxHashSet<&str> = dag.variables().map(|name| &**name).collect();
        let regions = self.state.regions.iter().enumerate();
        regions.filter(move |(_, region)| region.looped.is_none() && names.contains(&*region.variable))
    }

    /// Whether an open vector region has lanes that are covered by one access.
    fn is_vector(&self) -> bool {
        self.state.regions.iter().any(|region| region.looped.is_none())
    }

    /// The index at the lane at which indices are read: the first lane, or the lane of a loop over the lanes.
    pub(super) fn at_first(&self, index: &Expr) -> Expr {
        if self.state.regions.is_empty() { index.clone() } else { self.at_lanes(index, Region::read) }
    }

    fn at_lanes(&self, index: &Expr, lane: impl Fn(&Region) -> Expr) -> Expr {
        let regions = &self.state.regions;
        let value = |name: &str| regions.iter().find(|region| &*region.variable == name).map(&lane);
        let new = substituted_all(std::slice::from_ref(index), value);
        new.into_iter().next().unwrap_or_else(|| int(0))
    }

    /// The index as a function of the lanes on which it depends.
    pub(crate) fn moving(&self, index: &Expr) -> Moving {
        let mut one = self.moving_together(std::slice::from_ref(index));
        one.pop().unwrap_or_else(|| Moving { first: index.clone(), lane: index.clone(), lanes: 1 })
    }

    /// Indices over the lanes of open vector regions, as functions of all lanes on which any of them depends.
    pub(crate) fn moving_together(&self, indices: &[Expr]) -> Vec<Moving> {
        let dag = Dag::new(indices);
        let own: Vec<&Region> = self.moved(&dag).map(|(_, region)| region).collect();
        let mut lanes = 1i64;
        let mut digits: Vec<(u32, Expr)> = vec![];
        for (i, region) in own.iter().enumerate().rev() {
            let quotient = if lanes == 1 { var(LANE) } else { var(LANE).floor_div(lanes) };
            digits.push((region.dim, if i == 0 { quotient } else { quotient.floor_mod(region.lanes) }));
            lanes = lanes.saturating_mul(region.lanes);
        }
        let digit = |region: &Region| digits.iter().find(|(dim, _)| *dim == region.dim).map(|(_, digit)| digit.clone());
        let along = |index: &Expr| {
            let first = self.at_first(index);
            let lane = match own.is_empty() {
                true => first.clone(),
                false => self.at_lanes(index, |region| digit(region).unwrap_or_else(|| region.read())),
            };
            Moving { first, lane, lanes }
        };
        indices.iter().map(along).collect()
    }

    /// Returns an error unless one access covers the lanes of every index. Either the index is the same for all lanes,
    /// or the lanes are neighbours and the first index is a multiple of their number. `domain` has the facts about the
    /// variables.
    pub(crate) fn check_lanes(
        &self,
        dims: &[Dim],
        simplifier: &Simplifier,
        domain: impl Fn() -> Domain,
    ) -> Result<(), DimsError> {
        if !self.is_vector() {
            return Ok(());
        }
        for &dim in dims {
            let moving = self.moving(&self.solved(dim)?);
            if moving.lanes == 1 {
                continue;
            }
            let along = moving.along(simplifier, domain());
            let Moving { lane, lanes, .. } = moving;
            let reason = match along.map_err(|reason| self.not_simplified(&[dim], reason))? {
                Along { fixed: true, .. } | Along { grows: true, aligned: true, .. } => continue,
                Along { grows: true, .. } => "the first one is not proved to be a multiple of their number",
                _ => "they are not proved to be neighbours",
            };
            let index = simplifier.simplify(&lane, &domain().with(LANE, 0..lanes)).map(|s| s.expr().clone());
            let index = substituted(&index.unwrap_or(lane), LANE, &var("lane"));
            let dim = self.layout().model.dim_ref(dim.index());
            return Err(ErrorKind::Lanes { dim, lanes, index, reason }.into());
        }
        Ok(())
    }
}
