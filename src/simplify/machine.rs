//! Compares an answer with its input, where the answer is computed in machine integers.

use super::answer::Simplified;
use crate::domain::{Domain, DomainError};
use crate::emit;
use crate::expr::{Expr, UnknownVariable};
use crate::lower::{Compared, LowerError, Machine, Sampling, compare};

/// The reason why an answer cannot be compared on machine integers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum CompareError {
    /// The answer cannot be written as this text, for example because a value needs more than 64 bits.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// The domain has no points.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Domain(#[from] DomainError),
    /// The answer mentions a variable that the domain does not declare.
    #[error(transparent)]
    Unknown(#[from] UnknownVariable),
}

impl Simplified {
    /// Compares the values that CUDA and C texts of this answer compute with the values of `input` at points of
    /// `domain`. The texts are computed operation by operation in their machine types. `input` and `domain` must be the
    /// same as in the call.
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
    /// A [`CompareError`] if the answer cannot be written in C, `domain` has no points, or `domain` does not declare a
    /// variable of the answer.
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

    /// Like [`compare_machine`](Self::compare_machine), for Rust text, in which all parts are `i64`.
    ///
    /// # Errors
    /// The errors of [`compare_machine`](Self::compare_machine).
    pub fn compare_rust(&self, input: &[Expr], domain: &Domain, sampling: Sampling) -> Result<Compared, CompareError> {
        self.rust()?;
        let run = emit::run_rust(self.exprs(), &domain.vars().collect::<Vec<_>>())?;
        Ok(compare(input, domain, sampling, run)?)
    }
}
