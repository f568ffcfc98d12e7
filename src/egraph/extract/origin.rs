//! Writes the equality that a rule found as two expressions, for traces.
//!
//! Each class is written as the first member that it got, not as its cheapest one. A wrong merge is then visible in the
//! step that made it, and not in all later steps.

use crate::egraph::extract::operations::Write;
use crate::egraph::extract::rebuild::{write, write_comparison};
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::normal::graph::EGraph;
use crate::egraph::trace::firing::{Firing, Matched};
use crate::expr::{Expr, Interner, Op, int};
use egg::{Id, Language};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Writes e-nodes in the form in which they were added.
pub(crate) struct Origins<'a> {
    e: &'a EGraph,
    variables: &'a [Expr],
    done: FxHashMap<Id, Expr>,
    /// Shares equal subexpressions, because the terms of sums often contain the same sums.
    interner: Interner,
}

/// The expression as which a node is written, without its operands.
enum What {
    Write(Write),
    /// A sum compared with 0.
    Comparison(Rc<LinearForm>, Relation),
}

impl<'a> Origins<'a> {
    pub(crate) fn new(e: &'a EGraph, variables: &'a [Expr]) -> Origins<'a> {
        Origins { e, variables, done: FxHashMap::default(), interner: Interner::default() }
    }

    /// The two sides of the equality that `fired` found.
    pub(crate) fn step(&mut self, fired: &Firing) -> Option<(Expr, Expr)> {
        let before = match &fired.from {
            Matched::Node(node) => node.clone(),
            Matched::Sum(lin) => Node::Sum(lin.clone()),
            Matched::Quotient(x, n) => {
                let quotient = self.sum(x)?.floor_div(int(*n));
                return Some((quotient, self.sum(&fired.to)?));
            }
            Matched::Comparison { sum, relation } => {
                let op = if *relation == Relation::Zero { Op::Eq } else { Op::Ge };
                return Some((Expr::new(op, [self.sum(sum)?, int(0)]), self.sum(&fired.to)?));
            }
        };
        Some((self.written(&before)?, self.sum(&fired.to)?))
    }

    /// A sum with the terms that it was made of.
    pub(crate) fn sum(&mut self, lin: &LinearForm) -> Option<Expr> {
        self.written(&Node::Sum(Rc::new(lin.clone())))
    }

    fn written(&mut self, node: &Node) -> Option<Expr> {
        let (what, operands) = self.what(node);
        // this loop ends, because the operands of a node are older than the node
        let mut todo = operands.clone();
        while let Some(&id) = todo.last() {
            if self.done.contains_key(&id) {
                todo.pop();
                continue;
            }
            let (what, operands) = self.what(self.e.graph.nodes().get(usize::from(id))?);
            if operands.iter().any(|&o| o >= id) {
                return None;
            }
            let missing: Vec<Id> = operands.iter().copied().filter(|o| !self.done.contains_key(o)).collect();
            if missing.is_empty() {
                let written = self.on_operands(&what, &operands);
                self.done.insert(id, written);
                todo.pop();
            }
            todo.extend(missing);
        }
        Some(self.on_operands(&what, &operands))
    }

    /// Applies `what` to `operands`, which are already written.
    fn on_operands(&mut self, what: &What, operands: &[Id]) -> Expr {
        let x = operands.iter().map(|o| self.done[o].clone()).collect();
        let written = match what {
            What::Write(what) => write(self.e, what, x, self.variables),
            What::Comparison(lin, relation) => write_comparison(self.e, lin, *relation, &x),
        };
        self.interner.intern(&written)
    }

    /// The expression as which `node` is written, and the operands of this expression.
    fn what(&self, node: &Node) -> (What, Vec<Id>) {
        match node {
            Node::Const(c) => (What::Write(Write::Constant(*c)), Vec::new()),
            Node::Var(v) => (What::Write(Write::Variable(*v)), Vec::new()),
            Node::Sum(lin) => (What::Write(Write::Sum(lin.clone())), lin.terms().to_vec()),
            Node::NonNeg([x]) | Node::Zero([x]) => {
                let relation = if matches!(node, Node::Zero(_)) { Relation::Zero } else { Relation::NonNegative };
                let lin = match self.e.graph.nodes().get(usize::from(*x)) {
                    Some(Node::Sum(lin)) => lin.clone(),
                    _ => Rc::new(LinearForm::atom(*x)),
                };
                let operands = lin.terms().to_vec();
                (What::Comparison(lin, relation), operands)
            }
            _ => (What::Write(Write::Node(node.clone())), node.children().to_vec()),
        }
    }
}
