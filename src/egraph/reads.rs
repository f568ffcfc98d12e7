//! Whether what conditions say could concern any part that is used under them.
//!
//! A cheap test by variables alone, for the many selections and conjunctions whose conditions are about one index and
//! whose other operands are about another, or use the index in sums only. Where it passes, [`refine`](crate::refine) has
//! nothing to look at.

use super::extract::Write;
use super::facts::var_bit;
use super::graph::EClasses;
use super::node::Node;
use egg::Id;

/// What a written part depends on.
#[derive(Clone, Copy, Default)]
pub(crate) struct Reads {
    /// Its variables, as [`var_bit`]s.
    vars: u64,
    /// Those that something else than the sum around them is made of.
    inner: u64,
    /// Whether it is a sum of variables, or a comparison of such.
    linear: bool,
    /// Whether something may have one value where this holds, or where it fails.
    pins: bool,
}

impl Reads {
    /// Those of `class` written as `what` on `operands`, and whether no condition in it says anything of what stands under it.
    pub(crate) fn of(e: &EClasses, class: Id, what: &Write, operands: &[Reads]) -> (Reads, bool) {
        let vars = operands.iter().fold(0, |all, o| all | o.vars);
        let inner = operands.iter().fold(0, |all, o| all | o.inner);
        let linear = operands.iter().all(|o| o.linear);
        let other = Reads { vars, inner: vars, linear: false, pins: true };
        match what {
            Write::Constant(_) => (Reads { linear: true, ..other }, true),
            Write::Variable(v) => (Reads { vars: var_bit(*v), inner: 0, linear: true, pins: true }, true),
            Write::Sum(_) | Write::Side(_) => (Reads { inner, linear, ..other }, true),
            Write::Compare { zero, .. } | Write::CompareSide { zero, .. } => {
                (Reads { linear, pins: *zero || holds_or_fails_at_an_end(e, class), ..other }, true)
            }
            Write::Node(Node::Not(_)) => (Reads { pins: operands.iter().any(|o| o.pins), ..other }, true),
            Write::Node(Node::And(_) | Node::Or(_)) => {
                // what linear comparisons say of one another was seen when the conjunction as a whole was simplified; those of
                // an `or` have their negations beside them, which `refine` takes for no comparisons
                let seen = |o: &&Reads| matches!(what, Write::Node(Node::And(_))) && o.linear && o.inner != 0;
                let known = operands.iter().filter(seen).fold(0, |all, o| all | o.vars);
                let mut others = operands.iter().filter(|o| !seen(o));
                let apart = others.try_fold(known, |all, o| (all & o.vars == 0).then_some(all | o.vars));
                (Reads { pins: operands.iter().any(|o| o.pins), ..other }, apart.is_some())
            }
            Write::Node(Node::Select(_)) => {
                let [c, branches @ ..] = operands else { return (other, false) };
                let free = |b: &Reads| c.vars & b.inner == 0 && !(c.pins && c.vars & b.vars != 0);
                (other, branches.iter().all(free))
            }
            Write::Node(_) => (other, true),
        }
    }
}

/// Whether a comparison in `class` holds, or fails, where its sides are at an end of their ranges only.
fn holds_or_fails_at_an_end(e: &EClasses, class: Id) -> bool {
    e.nodes(class).iter().any(|node| {
        let Node::NonNeg([x]) = node else { return false };
        let range = e.facts(*x).interval;
        range.hi() == Some(0) || range.lo() == Some(-1)
    })
}
