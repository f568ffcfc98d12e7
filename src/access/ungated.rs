//! Moves gates out of indices.
//!
//! The input is an index with selections, such as `where(i < n, i, -1)`, in which one branch is a *mark*: a value that
//! means no access. The output is the index without these branches, and the condition under which none of them is
//! taken.

use super::Access;
use crate::expr::{Dag, Expr, Op, int, select};

impl Access {
    /// Moves the gate out of the index. The index `where(c, i, invalid)`, in which `invalid` means no access, becomes
    /// the index `i` with the gate `c`. Nested conditions are moved out as well.
    ///
    /// If such a selection is an operand of another operation, as in `where(c, i, invalid)*4`, the meaning depends on
    /// `invalid`. If `invalid` is a variable, there is no access when the index is computed from this variable. If
    /// `invalid` is any other expression, there is no access when the whole index equals the value of `invalid`. If
    /// `invalid` does not occur in the index, the access is unchanged. An access with several lanes is unchanged, too.
    ///
    /// ```
    /// use quaff::access::Access;
    /// use quaff::expr::{int, var};
    ///
    /// let ungated = |index: &str, invalid| {
    ///     let load = Access::load("v", "from", index.parse().unwrap()).ungated(&invalid);
    ///     (load.gate().to_string(), load.index().to_string())
    /// };
    /// let padded = ungated("where(i >= 1, where(i < 9, i - 1, -1), -1)", int(-1));
    /// assert_eq!(padded, ("i >= 1 and i < 9".into(), "i - 1".into()));
    /// assert_eq!(ungated("where(i < 9, i, none)*4 + 1", var("none")), ("i < 9".into(), "i*4 + 1".into()));
    /// let added = ungated("where(i < 9, i*3, -1) + 0", int(-1));
    /// assert_eq!(added, ("where(i < 9, i*3, -1) + 0 != -1".into(), "where(i < 9, i*3, -1) + 0".into()));
    /// ```
    pub fn ungated(mut self, invalid: &Expr) -> Access {
        let [index] = self.lanes.as_slice() else { return self };
        let (mut index, mut conditions) = (index.clone(), Vec::new());
        while *index.op() == Op::Select {
            let [condition, then, otherwise] = index.args() else { break };
            let (condition, inner) = if otherwise == invalid {
                (condition.clone(), then.clone())
            } else if then == invalid {
                (condition.not(), otherwise.clone())
            } else {
                break;
            };
            conditions.push(condition);
            index = inner;
        }
        if index == *invalid {
            (index, conditions) = (int(0), vec![int(0)]);
        }
        if occurs(invalid, std::iter::once(&index).chain(&conditions)) {
            if matches!(invalid.op(), Op::Var(_)) {
                let exprs: Vec<Expr> = std::iter::once(index).chain(conditions).collect();
                let mut unmarked = unmarked(&exprs, invalid).into_iter();
                // an outer selection decides whether the index inside of it is computed
                let inner = unmarked.next().unwrap_or_else(|| Unmarked { value: int(0), valid: Some(int(0)) });
                index = inner.value;
                conditions = unmarked.flat_map(|c| c.valid.into_iter().chain([c.value])).chain(inner.valid).collect();
            } else {
                conditions.push(index.differs(invalid));
            }
        }
        self.lanes = vec![index];
        conditions.into_iter().fold(self, Access::when)
    }
}

/// Whether `part` is a subexpression of one of `exprs`.
fn occurs<'a>(part: &Expr, exprs: impl Iterator<Item = &'a Expr>) -> bool {
    let exprs: Vec<Expr> = exprs.cloned().collect();
    let dag = Dag::with_origins(&exprs);
    (0..dag.nodes().len()).any(|i| dag.origin(i as u32) == part)
}

/// An expression without a mark.
#[derive(Clone)]
struct Unmarked {
    /// The value of the expression at points at which the mark is not used.
    value: Expr,
    /// The condition that the mark is not used. `None` when it is never used.
    valid: Option<Expr>,
}

/// `exprs` without the variable `mark`. A selection with the mark in one branch becomes the other branch, and is valid
/// when that branch is taken.
fn unmarked(exprs: &[Expr], mark: &Expr) -> Vec<Unmarked> {
    let dag = Dag::with_origins(exprs);
    let mut known: Vec<Unmarked> = Vec::with_capacity(dag.nodes().len());
    for (i, node) in dag.nodes().iter().enumerate() {
        let origin = dag.origin(i as u32);
        let args: Vec<&Unmarked> = node.args().iter().map(|&a| &known[a as usize]).collect();
        let never = |u: &Unmarked| u.valid.as_ref().is_some_and(|v| v.as_const() == Some(0));
        let new = match (&node.op, &args[..]) {
            _ if origin == mark => Unmarked { value: int(0), valid: Some(int(0)) },
            (Op::Select, [condition, then, otherwise]) => {
                let valid = match (&then.valid, &otherwise.valid) {
                    (None, None) => None,
                    _ if never(otherwise) => both(Some(condition.value.clone()), then.valid.clone()),
                    _ if never(then) => both(Some(condition.value.clone().not()), otherwise.valid.clone()),
                    (a, b) => {
                        let or_true = |v: &Option<Expr>| v.clone().unwrap_or_else(|| int(1));
                        Some(select(condition.value.clone(), or_true(a), or_true(b)))
                    }
                };
                let value = match (never(then), never(otherwise)) {
                    (_, true) => then.value.clone(),
                    (true, _) => otherwise.value.clone(),
                    _ => select(condition.value.clone(), then.value.clone(), otherwise.value.clone()),
                };
                Unmarked { value, valid: both(condition.valid.clone(), valid) }
            }
            (_, []) => Unmarked { value: origin.clone(), valid: None },
            (op, args) => {
                let values: Vec<Expr> = args.iter().map(|a| a.value.clone()).collect();
                let value = Expr::try_new(op.clone(), values).unwrap_or_else(|_| origin.clone());
                Unmarked { value, valid: args.iter().fold(None, |valid, a| both(valid, a.valid.clone())) }
            }
        };
        known.push(new);
    }
    dag.roots().iter().map(|&r| known[r as usize].clone()).collect()
}

/// The condition that both hold.
fn both(a: Option<Expr>, b: Option<Expr>) -> Option<Expr> {
    match (a, b) {
        (Some(a), Some(b)) if a == b => Some(a),
        (Some(a), Some(b)) => Some(a.and(b)),
        (a, b) => a.or(b),
    }
}
