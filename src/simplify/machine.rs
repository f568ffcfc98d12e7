//! Answers as machines compute them, against the expressions that they answer.

use super::answer::Simplified;
use crate::domain::{Domain, DomainError};
use crate::emit;
use crate::expr::{Expr, UnknownVariable};
use crate::lower::{Compared, LowerError, Machine, Sampling, compare};

/// Why an answer cannot be compared as machines compute it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum CompareError {
    /// There is no such text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// There are no points.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Domain(#[from] DomainError),
    /// The answer mentions a variable that the domain does not declare.
    #[error(transparent)]
    Unknown(#[from] UnknownVariable),
}

impl Simplified {
    /// Compares what CUDA and C texts of this answer compute, operation by operation in their machine types, with the
    /// values of `input` at points of `domain`: both as they were given to the call.
    ///
    /// ```
    /// use quaff::lower::Sampling;
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let input: Expr = "x//12*16 + x%12".parse()?;
    /// let domain = Domain::new().with("x", 0..1 << 20);
    /// let answer = Simplifier::default().simplify(&input, &domain)?;
    /// let compared = answer.compare_machine(&[input], &domain, Sampling::default())?;
    /// assert_eq!((compared.points, compared.mismatch), (512, None));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// When there is no such text, or `domain` is another one.
    pub fn compare_machine(
        &self,
        input: &[Expr],
        domain: &Domain,
        sampling: Sampling,
    ) -> Result<Compared, CompareError> {
        let lowered = self.lowered()?;
        let machine = Machine::new(&lowered, &domain.vars().collect::<Vec<_>>())?;
        Ok(compare(input, domain, sampling, |point| machine.run(point))?)
    }

    /// The same for Rust text, all parts of which are `i64`.
    ///
    /// # Errors
    /// Those of [`compare_machine`](Self::compare_machine).
    pub fn compare_rust(&self, input: &[Expr], domain: &Domain, sampling: Sampling) -> Result<Compared, CompareError> {
        self.rust()?;
        let run = emit::run_rust(self.exprs(), &domain.vars().collect::<Vec<_>>())?;
        Ok(compare(input, domain, sampling, run)?)
    }
}
