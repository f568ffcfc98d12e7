//! The conditions under which a part is used.

use crate::expr::{Expr, Op};

/// Conditions that hold where a part is used. The context without conditions has the id 0, and every other context has
/// its own id.
#[derive(Default)]
pub(super) struct Context {
    pub(super) id: u32,
    pub(super) conditions: Vec<Expr>,
}

impl Context {
    /// This context with `more` conditions.
    pub(super) fn with(&self, id: u32, more: impl IntoIterator<Item = Expr>) -> Context {
        let mut conditions = self.conditions.clone();
        for condition in more {
            add_clauses(&condition, true, &mut conditions);
        }
        Context { id, conditions }
    }
}

/// Adds the conditions that follow from `e` having the truth value `truth`. Disjunctions are left out.
fn add_clauses(e: &Expr, truth: bool, clauses: &mut Vec<Expr>) {
    match (e.op(), truth) {
        (Op::Not, _) => add_clauses(&e.args()[0], !truth, clauses),
        (Op::And, true) | (Op::Or, false) => e.args().iter().for_each(|a| add_clauses(a, truth, clauses)),
        // a disjunction is left out, because it decides none of its clauses
        (Op::And, false) | (Op::Or, true) | (Op::Const(_), _) => {}
        (_, true) => clauses.push(e.clone()),
        (_, false) => clauses.push(e.not()),
    }
}
