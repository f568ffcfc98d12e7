//! Handles divisors that are not 0 only because of the conditions around them, as in `where(n > 0, x//n, 0)`.
//!
//! The input is expressions, one of which was refused because a divisor may be 0. The output is expressions with the
//! same values in which no divisor may be 0. For example, `where(n > 0, x//n, 0)` becomes
//! `where(n > 0, x//max(n, 1), 0)`. The replacement is needed because the text of an answer may compute both branches
//! of a selection, and division by 0 is undefined in C.
//!
//! A divisor of unknown sign that is proved to be nonzero stays as it is. Then the domain is marked as
//! [defined](Domain::defined).

use super::error::SimplifyError;
use super::facts::Facts;
use super::settings::Settings;
use crate::domain::{Domain, DomainError};
use crate::expr::{Expr, Op, int};

/// The maximum number of nodes that are visited, counted for each use. This also bounds the depth. Each division among
/// them takes a few searches.
const MAX_NODES: usize = 512;

/// The result of `question` on `exprs` and `domain`. If it fails because a divisor in `exprs` may be 0, `question` is
/// called a second time, with guarded divisors.
pub(super) fn with_guards<T>(
    settings: &Settings,
    exprs: &[Expr],
    domain: &Domain,
    question: impl Fn(&[Expr], &Domain) -> Result<T, SimplifyError>,
) -> Result<T, SimplifyError> {
    match question(exprs, domain) {
        Err(refused @ SimplifyError::DivisorMayBeZero { .. }) => match guarded(settings, exprs, domain) {
            // proofs use smaller expressions with fewer conditions, so this recursion ends
            Some((guarded, true)) => question(&guarded, &domain.clone().defined()),
            Some((guarded, false)) if guarded != exprs => question(&guarded, domain),
            _ => Err(refused),
        },
        answer => answer,
    }
}

/// `exprs` with `max(n, 1)` or `min(n, -1)` in place of each divisor `n` whose sign follows only from the conditions
/// around it. The `bool` says whether some divisor is proved to be nonzero and stays as it is. `None` if some divisor is
/// not proved to be nonzero even with these conditions.
fn guarded(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Option<(Vec<Expr>, bool)> {
    let mut guard = Guard { settings, domain, left: MAX_NODES, keeps_some: false };
    let guarded = exprs.iter().map(|e| guard.rewritten(e, domain)).collect::<Option<_>>()?;
    Some((guarded, guard.keeps_some))
}

struct Guard<'a> {
    settings: &'a Settings,
    /// The domain without any condition.
    domain: &'a Domain,
    /// The number of nodes that may still be visited.
    left: usize,
    /// Whether some divisor is proved to be nonzero and stays as it is.
    keeps_some: bool,
}

impl Guard<'_> {
    /// `e` with guarded divisors. `e` is used only if `domain` and its assumptions hold.
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

    /// `e` with guarded divisors. `e` is used only if `condition` holds.
    fn under(&mut self, condition: &Expr, e: &Expr, domain: &Domain) -> Option<Expr> {
        let inside = domain.clone().assume(condition.clone());
        match inside.resolve() {
            // `e` is never used
            Err(DomainError::NeverHolds { .. }) => Some(int(0)),
            _ => self.rewritten(e, &inside),
        }
    }

    /// The divisor `n`, or `max(n, 1)` or `min(n, -1)` if its sign is known only in `inside`, the domain with the
    /// conditions around the division. `None` if `n` is not proved to be nonzero.
    fn divisor(&mut self, n: Expr, inside: &Domain) -> Option<Expr> {
        if self.proves(Op::Ne, &n, 0, self.domain) {
            self.keeps_some = true;
            Some(n)
        } else if self.proves(Op::Ge, &n, 1, inside) {
            Some(Expr::new(Op::Max, [n, int(1)]))
        } else if self.proves(Op::Le, &n, -1, inside) {
            Some(Expr::new(Op::Min, [n, int(-1)]))
        } else if self.proves(Op::Ne, &n, 0, inside) {
            self.keeps_some = true;
            Some(n)
        } else {
            None
        }
    }

    /// Whether a comparison of `n` is proved to hold everywhere in `domain`.
    fn proves(&self, op: Op, n: &Expr, end: i64, domain: &Domain) -> bool {
        match Facts::new(self.settings, domain).prove(&Expr::new(op, [n.clone(), int(end)])) {
            // the domain has no point
            Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => true,
            proved => proved.is_ok_and(|proved| proved == Some(true)),
        }
    }
}
