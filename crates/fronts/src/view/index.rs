//! Index and validity as expressions.

use super::error::{ErrorKind, ViewError};
use super::locate::{Located, index_domain, index_names, locate};
use super::stack::ViewStack;
use quaff::Simplifier;
use quaff::access::{Access, SimplifiedAccesses};
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use std::sync::Arc;

impl ViewStack {
    /// Address and validity at `indices`, one expression for each axis, each of which is taken to lie in its axis.
    ///
    /// They are built as the definition says, with a division for each axis of the views below the last one, and not
    /// simplified: see [`simplify`](Self::simplify). Time and size: linear in the axes of all views.
    ///
    /// # Errors
    /// When there is not one index for each axis.
    pub fn at(&self, indices: &[Expr]) -> Result<Located, ViewError> {
        let facts = self.facts();
        facts.one_each(("index", "indices"), self.rank(), indices.len())?;
        locate(facts, self.views(), indices)
    }

    /// That `given` is one of `what`, named in the singular and the plural, for each axis.
    pub(crate) fn check_rank(&self, what: (&'static str, &'static str), given: usize) -> Result<(), ViewError> {
        self.facts().one_each(what, self.rank(), given)
    }

    /// The variables in sizes, and after them one index for each axis with the name given for it: `0 <= index < size`.
    /// For an axis of size 0, which has no index, it is 0.
    ///
    /// # Errors
    /// When there is not one name for each axis, and for a name that is taken.
    pub fn index_domain<N: Into<Arc<str>> + Clone>(&self, names: &[N]) -> Result<Domain, ViewError> {
        self.facts().one_each(("index", "indices"), self.rank(), names.len())?;
        let names: Vec<Arc<str>> = names.iter().map(|n| n.clone().into()).collect();
        index_domain(self.facts(), self.shape(), &names)
    }

    /// Names for the indices that no variable in a size has: `i0`, `i1` and so on.
    pub fn index_names(&self) -> Vec<Arc<str>> {
        index_names(self.facts(), self.rank())
    }

    /// A load of the element at `indices` of `buffer`, under its condition.
    ///
    /// # Errors
    /// Those of [`at`](Self::at).
    pub fn load(
        &self,
        into: impl Into<Arc<str>>,
        buffer: impl Into<Arc<str>>,
        indices: &[Expr],
    ) -> Result<Access, ViewError> {
        let Located { address, valid } = self.at(indices)?;
        Ok(Access::load(into, buffer, address).when(valid))
    }

    /// Address and validity for indices with the names given, simplified together as one access of a buffer `data`: the
    /// validity alone, the address where it holds.
    ///
    /// ```
    /// use quaff::Simplifier;
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let image = ViewStack::row_major([8, 12])?.pad([(1, 1), (0, 0)])?;
    /// let windows = image.reshape([120])?.shrink([(0, 119)])?.reshape([7, 17])?;
    /// let answer = windows.simplify(&Simplifier::default(), &["i", "j"])?;
    /// assert_eq!(answer.accesses()[0].gate().to_string(), "i*17 + j < 108 and i*17 + j >= 12");
    /// assert_eq!(answer.accesses()[0].index().to_string(), "i*17 + j - 12");
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`index_domain`](Self::index_domain), and when the engine cannot simplify: a size that divides may be 0.
    pub fn simplify<N: Into<Arc<str>> + Clone>(
        &self,
        simplifier: &Simplifier,
        names: &[N],
    ) -> Result<SimplifiedAccesses, ViewError> {
        let domain = self.index_domain(names)?;
        let indices: Vec<Expr> = names.iter().map(|n| var(n.clone())).collect();
        let load = self.load("value", "data", &indices)?;
        simplifier.simplify_access(&load, &domain).map_err(|e| ErrorKind::Simplify(e).into())
    }
}
