//! Index and validity as expressions.

use super::error::{ErrorKind, ViewError};
use super::locate::{Located, locate};
use super::stack::ViewStack;
use crate::access::{Access, SimplifiedAccesses};
use crate::domain::Domain;
use crate::expr::{Expr, int, var};
use crate::simplify::Simplifier;
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
        facts.one_each("indices", self.rank(), indices.len())?;
        locate(facts, self.views(), indices)
    }

    /// The variables in sizes, and after them one index for each axis with the name given for it: `0 <= index < size`.
    /// For an axis of size 0, which has no index, it is 0.
    ///
    /// # Errors
    /// When there is not one name for each axis, and for a name that is taken.
    pub fn index_domain<N: Into<Arc<str>> + Clone>(&self, names: &[N]) -> Result<Domain, ViewError> {
        self.facts().one_each("indices", self.rank(), names.len())?;
        let mut domain = self.domain().clone();
        for (name, size) in names.iter().zip(self.shape()) {
            let name: Arc<str> = name.clone().into();
            if domain.contains(&name) {
                return Err(ErrorKind::NameTaken { name }.into());
            }
            let last = match size.as_const() {
                Some(c) => int(c.saturating_sub(1).max(0)),
                None => size - 1,
            };
            domain.add_bounds(name, (int(0), last));
        }
        Ok(domain)
    }

    /// Names for the indices that no variable in a size has: `i0`, `i1` and so on.
    pub fn index_names(&self) -> Vec<Arc<str>> {
        let free = |prefix: &str| (0..self.rank()).all(|k| !self.domain().contains(&format!("{prefix}{k}")));
        let mut prefix = String::from("i");
        while !free(&prefix) {
            prefix.push('_');
        }
        (0..self.rank()).map(|k| format!("{prefix}{k}").into()).collect()
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
    /// use quaff::view::ViewStack;
    ///
    /// let columns = ViewStack::row_major([8, 12])?.permute(&[1, 0])?.pad([(1, 1), (0, 0)])?.reshape([112])?;
    /// let answer = columns.simplify(&Simplifier::default(), &["i"])?;
    /// assert_eq!(answer.accesses()[0].gate().to_string(), "i >= 8 and i < 104");
    /// assert_eq!(answer.accesses()[0].index().to_string(), "i//8 + i%8*12 - 1");
    /// # Ok::<(), quaff::view::ViewError>(())
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
