//! Sub-expressions whose normal form would have a constant that does not fit in 64 bits.
//!
//! Such a sub-expression becomes a new variable, after the variables of the domain. Answers write the sub-expression as
//! in the input. The parts of the sub-expression are added to the e-graph first. So an undeclared variable or a
//! divisor that can be 0 is found in these parts as well.

use crate::domain::{Congruence, Interval};
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::expr::Expr;
use egg::Id;

impl EGraph {
    /// The class of a new variable that represents `expr`. Only the range of its values is known.
    pub(crate) fn opaque(&mut self, expr: Expr, range: Interval) -> Id {
        let v = self.graph.analysis.vars.len();
        self.graph.analysis.vars.push((range, Congruence::ANY));
        self.symbolic.push((None, None));
        self.opaque_parts.push(expr);
        self.add(Node::Var(v as u32))
    }

    /// Whether variable `v` represents a sub-expression.
    pub(crate) fn is_opaque(&self, v: u32) -> bool {
        v as usize >= self.graph.analysis.vars.len() - self.opaque_parts.len()
    }
}
