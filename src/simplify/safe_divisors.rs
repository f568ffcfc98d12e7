//! Divisors that are not 0 because of the conditions around them.
//!
//! What goes in are expressions, one of which was refused because a divisor may be 0; what comes out are expressions with the same values in
//! which no divisor is: `where(n > 0, x//n, 0)` becomes `where(n > 0, x//max(n, 1), 0)`. The text of an answer may compute both branches
//! of a selection, and division by 0 is undefined in C.

use super::error::SimplifyError;
use super::facts::Facts;
use super::settings::Settings;
use crate::domain::{Domain, DomainError};
use crate::expr::{Expr, Op, int};

/// Nodes that are looked at, each time they are used; it bounds the depth as well. Each division among them takes a few searches.
const MAX_NODES: usize = 512;

/// The answer of `question` to `exprs`, and where a divisor of theirs may be 0, to the same with guarded divisors.
pub(super) fn with_guards<T>(
    settings: &Settings,
    exprs: &[Expr],
    domain: &Domain,
    question: impl Fn(&[Expr]) -> Result<T, SimplifyError>,
) -> Result<T, SimplifyError> {
    match question(exprs) {
        Err(refused @ SimplifyError::DivisorMayBeZero { .. }) => match guarded(settings, exprs, domain) {
            // proofs ask for expressions without conditions around them: there is an end to this
            Some(guarded) if guarded != exprs => question(&guarded),
            _ => Err(refused),
        },
        answer => answer,
    }
}

/// `exprs` with `max(n, 1)` or `min(n, -1)` in the place of each divisor `n` whose sign only the conditions say under which it is used.
/// `None` where a divisor is not proved to be other than 0 by these either.
fn guarded(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Option<Vec<Expr>> {
    let mut guard = Guard { settings, domain, left: MAX_NODES };
    exprs.iter().map(|e| guard.rewritten(e, domain)).collect()
}

struct Guard<'a> {
    settings: &'a Settings,
    /// What holds without any condition.
    domain: &'a Domain,
    /// Nodes that may still be looked at.
    left: usize,
}

impl Guard<'_> {
    /// `e`, which is used where `domain` and what it assumes hold.
    fn rewritten(&mut self, e: &Expr, domain: &Domain) -> Option<Expr> {
        self.left = self.left.checked_sub(1)?;
        if e.args().is_empty() {
            return Some(e.clone());
        }
        let args = match (e.op(), e.args()) {
            (Op::Select, [condition, then, otherwise]) => {
                let condition = self.rewritten(condition, domain)?;
                let then = self.under(&condition, then, domain)?;
                let otherwise = self.under(&condition.clone().not(), otherwise, domain)?;
                vec![condition, then, otherwise]
            }
            (Op::And, [a, b]) => {
                let a = self.rewritten(a, domain)?;
                vec![a.clone(), self.under(&a, b, domain)?]
            }
            (Op::Or, [a, b]) => {
                let a = self.rewritten(a, domain)?;
                vec![a.clone(), self.under(&a.not(), b, domain)?]
            }
            (op, [x, divisor]) if op.is_division() => {
                let divisor = self.rewritten(divisor, domain)?;
                vec![self.rewritten(x, domain)?, self.divisor(divisor, domain)?]
            }
            (_, args) => args.iter().map(|a| self.rewritten(a, domain)).collect::<Option<_>>()?,
        };
        Expr::try_new(e.op().clone(), args).ok()
    }

    /// `e`, which is used where `condition` holds.
    fn under(&mut self, condition: &Expr, e: &Expr, domain: &Domain) -> Option<Expr> {
        let inside = domain.clone().assume(condition.clone());
        match inside.resolve() {
            // it is never used
            Err(DomainError::NeverHolds { .. }) => Some(int(0)),
            _ => self.rewritten(e, &inside),
        }
    }

    /// The divisor `n`, with its sign where only `inside` says it.
    fn divisor(&self, n: Expr, inside: &Domain) -> Option<Expr> {
        if self.proves(Op::Ne, &n, 0, self.domain) {
            Some(n)
        } else if self.proves(Op::Ge, &n, 1, inside) {
            Some(Expr::new(Op::Max, [n, int(1)]))
        } else if self.proves(Op::Le, &n, -1, inside) {
            Some(Expr::new(Op::Min, [n, int(-1)]))
        } else {
            None
        }
    }

    /// Whether a comparison of `n` is proved to hold everywhere in `domain`.
    fn proves(&self, op: Op, n: &Expr, end: i64, domain: &Domain) -> bool {
        match Facts::new(self.settings, domain).prove(&Expr::new(op, [n.clone(), int(end)])) {
            // there is no such point
            Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => true,
            proved => proved.is_ok_and(|proved| proved == Some(true)),
        }
    }
}
