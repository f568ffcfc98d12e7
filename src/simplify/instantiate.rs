//! Replaces the variables of an answer by expressions.

use super::answer::Simplified;
use super::candidate::Candidate;
use crate::domain::{Interval, VarFacts};
use crate::expr::{Dag, Expr, Op};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl Simplified {
    /// The answer over the variables `vars`, with each variable replaced by its value in `value_of`, if it has one.
    /// Facts about a part also hold for the part that replaces it.
    pub(crate) fn instantiated(self, value_of: impl Fn(&str) -> Option<Expr>, vars: &[VarFacts]) -> Simplified {
        let dag = Dag::with_origins(self.exprs());
        let mut made: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
        let mut ranges: FxHashMap<usize, Interval> = FxHashMap::default();
        for (node, id) in dag.nodes().iter().zip(0..) {
            let origin = dag.origin(id);
            let same = node.args().iter().all(|&a| made[a as usize].address() == dag.origin(a).address());
            let expr = match &node.op {
                Op::Var(name) => value_of(name).unwrap_or_else(|| origin.clone()),
                _ if same => origin.clone(),
                op => Expr::new(op.clone(), node.args().iter().map(|&a| made[a as usize].clone())),
            };
            if let Some(range) = self.range_of(origin) {
                ranges.insert(expr.address(), range);
            }
            made.push(expr);
        }
        let exprs = dag.roots().iter().map(|&r| made[r as usize].clone()).collect();
        let (vars, model) = (Arc::from(vars), self.chosen.model.clone());
        let chosen = Candidate::new(exprs, vars, model).with_ranges(ranges);
        Simplified { chosen, ..self }
    }

    /// The answer with other expressions as its roots. The facts about their parts are kept.
    pub(crate) fn with_exprs(self, exprs: Vec<Expr>) -> Simplified {
        Simplified { chosen: self.chosen.with_exprs(exprs), ..self }
    }
}
