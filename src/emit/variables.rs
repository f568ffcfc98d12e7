//! The names of variables in a text, on the device and on the host.

use super::names::Names;
use crate::expr::{Dag, Expr, Op, var};
use crate::lower::Lowered;
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Variables<'l> {
    names: FxHashMap<&'l str, String>,
}

impl<'l> Variables<'l> {
    /// Takes names for the parameters, and for what only the host's divisors are made of.
    pub(super) fn new(lowered: &'l Lowered, names: &mut Names) -> Variables<'l> {
        let mut all: Vec<&str> = lowered.params().iter().map(|p| &*p.name).collect();
        let mut known: FxHashSet<&str> = all.iter().copied().collect();
        for divisor in lowered.divisors() {
            // a walk over shared parts would need the flat form, whose names do not live long enough
            let mut seen: FxHashSet<usize> = FxHashSet::default();
            let mut stack = vec![&divisor.divisor];
            while let Some(e) = stack.pop() {
                match e.op() {
                    Op::Var(name) if known.insert(name) => all.push(name),
                    _ if seen.insert(e.address()) => stack.extend(e.args()),
                    _ => {}
                }
            }
        }
        let given = names.variables(all.iter().copied());
        Variables { names: all.into_iter().zip(given).collect() }
    }

    /// The name of a variable in the text.
    pub(super) fn name<'a>(&'a self, variable: &'a str) -> &'a str {
        self.names.get(variable).map_or(variable, String::as_str)
    }

    /// The same expression over the names of the text.
    pub(super) fn renamed(&self, e: &Expr) -> Expr {
        let dag = Dag::new(std::slice::from_ref(e));
        let mut made: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            made.push(match &node.op {
                Op::Var(name) => var(self.name(name)),
                op => Expr::new(op.clone(), node.args().iter().map(|&a| made[a as usize].clone())),
            });
        }
        made.swap_remove(dag.roots()[0] as usize)
    }
}
