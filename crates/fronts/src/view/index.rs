//! The address and the validity of an index as expressions.

use super::error::{ErrorKind, ViewError};
use super::locate::{Located, index_domain, index_names, locate};
use super::stack::ViewStack;
use quaff::Simplifier;
use quaff::access::{Access, SimplifiedAccesses};
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use std::sync::Arc;

impl ViewStack {
    /// The address and the validity at `indices`, with one expression for each axis. Each expression is assumed to be
    /// within its axis.
    ///
    /// The expressions are not simplified, and have a division for each axis of the views below the last view: see
    /// [`simplify`](Self::simplify). The time and the size of the expressions are linear in the number of axes of all
    /// views.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] unless there is exactly one index for each axis.
    pub fn at(&self, indices: &[Expr]) -> Result<Located, ViewError> {
        let facts = self.facts();
        facts.one_each(("index", "indices"), self.rank(), indices.len())?;
        locate(facts, self.views(), indices)
    }

    /// Returns an error unless `given` equals the number of axes. `what` names the counted items in singular and
    /// plural.
    pub(crate) fn check_rank(&self, what: (&'static str, &'static str), given: usize) -> Result<(), ViewError> {
        self.facts().one_each(what, self.rank(), given)
    }

    /// The domain of the variables in sizes, followed by one index for each axis with the given name:
    /// `0 <= index < size`. An axis of size 0 has no valid index, so its index is declared as 0.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`] unless there is exactly one name for each axis. [`ErrorKind::NameTaken`] for a name that
    /// another index or a variable in sizes has.
    pub fn index_domain<N: Into<Arc<str>> + Clone>(&self, names: &[N]) -> Result<Domain, ViewError> {
        self.facts().one_each(("index", "indices"), self.rank(), names.len())?;
        let names: Vec<Arc<str>> = names.iter().map(|n| n.clone().into()).collect();
        index_domain(self.facts(), self.shape(), &names)
    }

    /// Names for the indices that differ from all variables in sizes: `i0`, `i1` and so on.
    pub fn index_names(&self) -> Vec<Arc<str>> {
        index_names(self.facts(), self.rank())
    }

    /// A load of the element at `indices` of `buffer`, under its validity condition.
    ///
    /// # Errors
    /// The errors of [`at`](Self::at).
    pub fn load(
        &self,
        into: impl Into<Arc<str>>,
        buffer: impl Into<Arc<str>>,
        indices: &[Expr],
    ) -> Result<Access, ViewError> {
        let Located { address, valid } = self.at(indices)?;
        Ok(Access::load(into, buffer, address).when(valid))
    }

    /// The address and the validity for indices with the given names, simplified as one access of a buffer `data`. The
    /// validity is simplified without assumptions, and the address under the assumption that the index is valid.
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
    /// The errors of [`index_domain`](Self::index_domain). Also [`ErrorKind::Simplify`] when a divisor may be 0.
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
