//! Integer index expressions: the inputs and outputs of a simplifier.
//!
//! An [`Expr`] is a node of a shared, immutable graph over *mathematical* integers. `//` is floor division and `%` is
//! floor modulo, everywhere. The values of comparisons, `and`, `or` and `not` are 0 and 1. Any non-zero value counts as
//! true. This module builds, parses, prints and evaluates expressions, and never simplifies them.
//!
//! ```
//! use quaff_expr::expr::{Expr, int, var};
//!
//! let built = (var("i") * 16 + var("j")) / int(4);
//! let read: Expr = "(i*16 + j) // 4".parse()?;
//! assert_eq!(built, read);
//! assert_eq!(read.to_string(), "(i*16 + j)//4");
//! assert_eq!(read.eval(|name| Some(if name == "i" { 3 } else { -5 }))?, 10);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod build;
mod compare;
mod dag;
pub mod divisor;
mod eval;
mod flat;
mod identity;
mod intern;
mod junction;
pub mod monomials;
pub mod name;
pub mod offset;
mod op;
pub mod parse;
pub mod precedence;
mod print;
pub mod substitute;
pub mod sum;

pub use build::{int, select, var};
pub use compare::Compare;
pub use dag::{Dag, DagNode};
pub use eval::{EvalError, EvalFailure, Program, UnknownVariable, Value};
pub use flat::{FlatError, FlatNodes, FlatProblem};
pub use intern::Interner;
pub use junction::Junction;
pub use op::Op;
pub use parse::{Nodes, ParseError, ParseErrorKind, Parsed, parse, parse_sexp};
pub use print::{DISPLAY_LIMIT, TooLarge};

use smallvec::SmallVec;
use std::sync::Arc;

/// The error for more or fewer operands than an operator takes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{}` takes {} operands", .op.symbol(), .op.arity())]
pub struct WrongArity {
    /// The operator.
    pub op: Op,
}

struct Node {
    op: Op,
    args: SmallVec<[Expr; 2]>,
}

/// An immutable, cheaply cloned integer expression.
///
/// Sub-expressions may be shared. So an `Expr` is a DAG, and its text can be exponentially longer. Every traversal in
/// this crate visits a shared node once. No operation recurses, so only memory limits the depth.
///
/// `==` and hashing are structural. Expressions are equal when their trees are equal, however nodes are shared.
#[derive(Clone)]
pub struct Expr(Arc<Node>);

impl Expr {
    /// The node `op(args...)`.
    ///
    /// # Errors
    /// [`WrongArity`] when the number of operands is not [`Op::arity`].
    pub fn try_new(op: Op, args: impl IntoIterator<Item = Expr>) -> Result<Expr, WrongArity> {
        // one operand too many is enough to detect the error: the iterator may be endless
        let args: SmallVec<[Expr; 2]> = args.into_iter().take(op.arity() + 1).collect();
        if args.len() == op.arity() { Ok(Expr(Arc::new(Node { op, args }))) } else { Err(WrongArity { op }) }
    }

    /// [`Expr::try_new`] for a caller who passes the right number of operands.
    #[doc(hidden)]
    pub fn new(op: Op, args: impl IntoIterator<Item = Expr>) -> Expr {
        let args: SmallVec<[Expr; 2]> = args.into_iter().collect();
        debug_assert_eq!(op.arity(), args.len(), "{op:?}");
        Expr(Arc::new(Node { op, args }))
    }

    /// The operator of the root.
    #[inline]
    pub fn op(&self) -> &Op {
        &self.0.op
    }

    /// The operands of the root.
    #[inline]
    pub fn args(&self) -> &[Expr] {
        &self.0.args
    }

    /// The value when the root is a constant. `None` for another root.
    #[inline]
    pub fn as_const(&self) -> Option<i64> {
        match self.0.op {
            Op::Const(c) => Some(c),
            _ => None,
        }
    }

    /// Whether another `Expr` holds the same node.
    #[inline]
    pub fn has_several_owners(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// The address of the node. Two `Expr` have the same address exactly when they share the node, not merely when they
    /// are equal.
    #[inline]
    pub fn address(&self) -> usize {
        Arc::as_ptr(&self.0) as usize
    }
}

impl Drop for Node {
    /// Frees the operands without recursion, because a chain of 100,000 nodes must not overflow the stack.
    fn drop(&mut self) {
        if self.args.iter().all(|a| a.0.args.is_empty()) {
            return;
        }
        // most expressions are small
        let mut stack: SmallVec<[Expr; 16]> = self.args.drain(..).collect();
        while let Some(Expr(arc)) = stack.pop() {
            if let Some(mut node) = Arc::into_inner(arc) {
                stack.extend(node.args.drain(..));
            }
        }
    }
}
