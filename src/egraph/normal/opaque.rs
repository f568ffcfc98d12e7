//! Sub-expressions that have no normal form, because one of its constants would leave 64 bits.
//!
//! They enter as variables of their own, after those of the domain, and are written as they stand. What they are made of
//! has been looked at before: a variable without declaration or a divisor that can be 0 is found there, too.

use crate::domain::{Congruence, Interval};
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::expr::Expr;
use egg::Id;

impl EGraph {
    /// The class of `expr`, whose values lie in `range`, as something of which nothing else is known.
    pub(crate) fn opaque(&mut self, expr: Expr, range: Interval) -> Id {
        let v = self.graph.analysis.vars.len();
        self.graph.analysis.vars.push((range, Congruence::ANY));
        self.symbolic.push((None, None));
        self.opaque_parts.push(expr);
        self.add(Node::Var(v as u32))
    }

    /// Whether variable `v` stands for a sub-expression.
    pub(crate) fn is_opaque(&self, v: u32) -> bool {
        v as usize >= self.graph.analysis.vars.len() - self.opaque_parts.len()
    }
}
