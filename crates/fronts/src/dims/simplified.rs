//! Methods of [`Indices`] that simplify indices or return the names of dimensions.

use super::error::{DimsError, ErrorKind};
use super::symbols::shared;
use super::{Dim, DimRef, Indices, Unroll};
use crate::index_type::copies_apart;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::{Simplified, Simplifier, SimplifyError};
use std::sync::Arc;

impl Indices {
    /// The name of `dim` in messages. The second dimension of a name is `name#2`.
    ///
    /// # Errors
    /// `foreign_dim` for a dimension of another `Dims`.
    pub fn label(&self, dim: Dim) -> Result<Arc<str>, DimsError> {
        let d = self.dim(dim, "to ask for a name")?;
        Ok(self.layout().model.dims[d].label.clone())
    }

    /// The dimension whose [`label`](Indices::label) is `label`.
    pub fn dim_named(&self, label: &str) -> Option<Dim> {
        self.layout().model.dim_labelled(label)
    }

    /// All dimensions, in order of declaration.
    pub fn dims(&self) -> impl Iterator<Item = DimRef> + '_ {
        (0..self.layout().sizes.len()).map(|d| self.layout().model.dim_ref(d))
    }

    /// The simplified index of `dim`. It is the cheapest expression found that equals [`get_raw`](Indices::get_raw) for
    /// all values of the variables that [`facts`](Indices::facts) allows.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// # let (thread, warp, lane) = (dims.dim("thread", 256)?, dims.dim("warp", None)?, dims.dim("lane", 32)?);
    /// # dims.eq(thread, (warp, lane))?;
    /// let consumer = dims.dim("consumer", None)?;
    /// dims.eq(consumer, (warp, lane))?;
    /// let mut ix = dims.init()?;
    /// ix.set(thread, var("t"))?;
    /// assert_eq!(ix.get_raw(consumer)?.to_string(), "t//32*32 + t%32");
    /// assert_eq!(ix.get(consumer)?.to_string(), "t");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// The codes are:
    ///
    /// - `unsolved` for an index that is not known, as for [`get_raw`](Indices::get_raw);
    /// - `lanes` in a [vector region](Indices::vectorize) for an index that one access does not cover;
    /// - `not_simplified` when a set value divides by an expression that may be 0, or the facts about the variables
    ///   contradict one another.
    pub fn get(&self, dim: Dim) -> Result<Expr, DimsError> {
        Ok(self.simplified(&[dim])?.expr().clone())
    }

    /// The indices of several dimensions, simplified together. Shared subexpressions are counted once and stay shared.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// # let (n, a, b) = (dims.dim("n", 70)?, dims.dim("a", None)?, dims.dim("b", 7)?);
    /// # dims.eq(n, (a, b))?;
    /// let mut ix = dims.init()?;
    /// ix.set(n, var("x"))?;
    /// let both = ix.get_all(&[a, b])?;
    /// assert_eq!(both[0].to_string(), "x//7");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`get`](Indices::get).
    pub fn get_all(&self, dims: &[Dim]) -> Result<Vec<Expr>, DimsError> {
        Ok(self.simplified(dims)?.exprs().to_vec())
    }

    /// The indices as [`get_all`](Indices::get_all) returns them, with their costs and their text in CUDA and other
    /// languages.
    ///
    /// In loops that are unrolled completely, the part of an index that all copies of the body share is separated from
    /// the constants of each copy. This happens only if it reduces the executed operations. An operation still counts
    /// once in [`Simplified::cost`].
    ///
    /// # Errors
    /// The errors of [`get`](Indices::get).
    pub fn simplified(&self, dims: &[Dim]) -> Result<Simplified, DimsError> {
        self.simplified_by(shared(), dims)
    }

    /// The result of [`simplified`](Indices::simplified) with the rules, the cost model and the limits of `simplifier`.
    ///
    /// # Errors
    /// The errors of [`get`](Indices::get).
    pub fn simplified_by(&self, simplifier: &Simplifier, dims: &[Dim]) -> Result<Simplified, DimsError> {
        self.simplified_with(simplifier, dims, None)
    }

    /// The result of [`simplified`](Indices::simplified), followed by the condition of [`inside`](Indices::inside) as a
    /// last expression, if there is one. The indices are valid only if this condition holds.
    ///
    /// # Errors
    /// The errors of [`get`](Indices::get) and [`inside`](Indices::inside).
    pub fn simplified_inside(&self, dims: &[Dim]) -> Result<Simplified, DimsError> {
        self.simplified_inside_by(shared(), dims)
    }

    /// The result of [`simplified_inside`](Indices::simplified_inside) with the rules, the cost model and the limits of
    /// `simplifier`.
    ///
    /// # Errors
    /// The errors of [`get`](Indices::get) and [`inside`](Indices::inside).
    pub fn simplified_inside_by(&self, simplifier: &Simplifier, dims: &[Dim]) -> Result<Simplified, DimsError> {
        self.simplified_with(simplifier, dims, self.inside(dims)?)
    }

    fn simplified_with(
        &self,
        simplifier: &Simplifier,
        dims: &[Dim],
        condition: Option<Expr>,
    ) -> Result<Simplified, DimsError> {
        let raw = dims.iter().map(|&d| self.get_raw(d)).chain(condition.map(Ok)).collect::<Result<Vec<Expr>, _>>()?;
        let answer = simplifier.simplify_all(&raw, &self.facts());
        let answer = answer.map_err(|reason| self.not_simplified(dims, reason))?;
        self.check_lanes(dims, simplifier, || self.facts())?;
        Ok(self.copies_apart(&raw, simplifier, &answer).unwrap_or(answer))
    }

    pub(super) fn not_simplified(&self, dims: &[Dim], reason: SimplifyError) -> DimsError {
        let dims = dims.iter().map(|d| self.layout().model.dim_ref(d.index())).collect();
        ErrorKind::NotSimplified { dims, reason }.into()
    }

    /// The indices `raw` with the shared part of the copies of unrolled loops separated. `None` unless this form
    /// executes fewer operations in the open loops than `answer`.
    fn copies_apart(&self, raw: &[Expr], simplifier: &Simplifier, answer: &Simplified) -> Option<Simplified> {
        let unrolled = self.loops().iter().filter(|l| l.unroll == Unroll::Full);
        let unrolled: Vec<(Arc<str>, i64)> =
            unrolled.filter_map(|l| Some((l.variable.clone(), l.trips.as_const()?))).collect();
        if unrolled.is_empty() {
            return None;
        }
        let apart = copies_apart(raw, &unrolled, &self.facts(), simplifier)?;
        let vars = self.in_loops(self.facts()).resolve().ok()?;
        let executed = |answer: &Simplified| answer.executed(answer.exprs(), simplifier.model(), &vars);
        (executed(&apart) < executed(answer)).then_some(apart)
    }

    /// `domain` with the open loops added.
    fn in_loops(&self, domain: Domain) -> Domain {
        let unrolled = self.loops().iter().filter(|l| l.unroll == Unroll::Full);
        let domain = domain.loop_nest(self.loops().iter().map(|l| l.variable.clone()));
        unrolled.fold(domain, |domain, l| domain.unrolled(l.variable.clone()))
    }
}
