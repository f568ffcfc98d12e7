//! [`FlatNodes`] holds expressions as one list of integers, to pass them to other languages and to other processes.
//!
//! Passing an expression node by node takes one call for each node. Passing a list takes one call.

use super::{Dag, Expr, Op};
use std::sync::Arc;

/// Expressions as a list of integers. Operands come before their users.
///
/// A node is its [`Op::code`], followed by some words. A constant has one word, its value. A variable has one word, its
/// place in [`names`](Self::names). Any other operator has one word for each operand, the number of an earlier node.
/// Nodes are numbered from 0 in the order of the list. Equal sub-expressions may be one node.
///
/// ```
/// use quaff_expr::expr::{Expr, FlatNodes, Op};
///
/// let e: Expr = "(i + 3) % 8".parse()?;
/// let flat = FlatNodes::of(&[e.clone()]);
/// assert_eq!(flat.names.len(), 1);
/// assert_eq!(flat.words[..2], [Op::Var("i".into()).code(), 0]);
/// assert_eq!(flat.roots, [4]);
/// assert_eq!(flat.exprs()?, [e]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FlatNodes {
    /// The codes and the words of all nodes, in order.
    pub words: Vec<i64>,
    /// The names of the variables.
    pub names: Vec<Arc<str>>,
    /// The numbers of the root nodes, one for each expression.
    pub roots: Vec<i64>,
}

/// The error for a list of integers that is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("word {at}: {wrong}")]
pub struct FlatError {
    /// The place in [`FlatNodes::words`], or in [`FlatNodes::roots`] for [`FlatProblem::NoRoot`].
    pub at: usize,
    /// The problem at this place.
    pub wrong: FlatProblem,
}

/// The reason why a list of integers is no expression.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FlatProblem {
    /// No operator has this code.
    #[error("no operator has the code {0}")]
    Code(i64),
    /// The list ends inside a node.
    #[error("the list ends where a word of `{0}` should stand")]
    Ends(&'static str),
    /// No variable has this number.
    #[error("there is no name number {0}")]
    Name(i64),
    /// An operand is not the number of an earlier node.
    #[error("the operand {operand} is no node before node {node}")]
    Operand {
        /// The given number.
        operand: i64,
        /// The node with this operand.
        node: usize,
    },
    /// A root is not the number of a node.
    #[error("the root {0} is no node")]
    NoRoot(i64),
}

impl FlatNodes {
    /// The list of `exprs`. Every distinct sub-expression is one node. Time: linear in the number of shared nodes.
    pub fn of(exprs: &[Expr]) -> FlatNodes {
        FlatNodes::of_dag(&Dag::new(exprs))
    }

    /// The list of the nodes of `dag`.
    pub fn of_dag(dag: &Dag) -> FlatNodes {
        let mut flat = FlatNodes {
            words: Vec::with_capacity(dag.nodes().len() * 3),
            names: Vec::new(),
            roots: dag.roots().iter().map(|&r| r.into()).collect(),
        };
        for node in dag.nodes() {
            flat.words.push(node.op.code());
            match &node.op {
                Op::Const(value) => flat.words.push(*value),
                Op::Var(name) => {
                    // each variable is one node of the graph
                    flat.words.push(flat.names.len() as i64);
                    flat.names.push(name.clone());
                }
                _ => flat.words.extend(node.args().iter().map(|&a| i64::from(a))),
            }
        }
        flat
    }

    /// The expressions of the list. The time is linear in its length.
    ///
    /// # Errors
    /// [`FlatError`] with the place of the first invalid word.
    pub fn exprs(&self) -> Result<Vec<Expr>, FlatError> {
        let mut nodes: Vec<Expr> = Vec::with_capacity(self.words.len() >> 1);
        let mut rest = self.words.iter().copied().enumerate();
        while let Some((at, code)) = rest.next() {
            let kind = Code::of(code).ok_or(FlatError { at, wrong: FlatProblem::Code(code) })?;
            let mut word = |of| rest.next().ok_or(FlatError { at: self.words.len(), wrong: FlatProblem::Ends(of) });
            let node = match kind {
                Code::Constant => Expr::new(Op::Const(word("const")?.1), []),
                Code::Variable => {
                    let (at, name) = word("var")?;
                    let found = usize::try_from(name).ok().and_then(|n| self.names.get(n));
                    let name = found.ok_or(FlatError { at, wrong: FlatProblem::Name(name) })?;
                    Expr::new(Op::Var(name.clone()), [])
                }
                Code::Operator(op) => {
                    let mut operand = || {
                        let (at, operand) = word(op.name())?;
                        let found = usize::try_from(operand).ok().and_then(|n| nodes.get(n));
                        let wrong = FlatProblem::Operand { operand, node: nodes.len() };
                        found.cloned().ok_or(FlatError { at, wrong })
                    };
                    match op.arity() {
                        1 => Expr::new(op.clone(), [operand()?]),
                        2 => Expr::new(op.clone(), [operand()?, operand()?]),
                        _ => Expr::new(op.clone(), [operand()?, operand()?, operand()?]),
                    }
                }
            };
            nodes.push(node);
        }
        let root = |(at, &root): (usize, &i64)| {
            let found = usize::try_from(root).ok().and_then(|n| nodes.get(n));
            found.cloned().ok_or(FlatError { at, wrong: FlatProblem::NoRoot(root) })
        };
        self.roots.iter().enumerate().map(root).collect()
    }
}

/// The meaning of a code.
enum Code {
    Constant,
    Variable,
    Operator(&'static Op),
}

impl Code {
    fn of(code: i64) -> Option<Code> {
        match code {
            0 => Some(Code::Constant),
            1 => Some(Code::Variable),
            _ => Op::all().get(usize::try_from(code - 2).ok()?).map(Code::Operator),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::{int, var};

    #[test]
    fn every_operator_is_read_as_it_was_written() {
        for op in Op::all() {
            let args: Vec<Expr> = (0..op.arity()).map(|n| var(format!("v{n}")) + int(n as i64)).collect();
            let e = Expr::new(op.clone(), args);
            let flat = FlatNodes::of(std::slice::from_ref(&e));
            assert_eq!(flat.exprs().expect("what was made of an expression"), [e]);
        }
    }

    #[test]
    fn shared_parts_are_one_node_and_roots_keep_their_order() {
        let (a, b) = (var("a") + var("b"), var("b") * int(-7));
        let roots = [b.clone(), a.clone() % int(5), a, b];
        let flat = FlatNodes::of(&roots);
        assert_eq!(flat.names.len(), 2);
        assert_eq!(flat.roots[0], flat.roots[3]);
        assert_eq!(flat.exprs().expect("expressions"), roots);
    }

    #[test]
    fn what_is_no_expression_is_refused_with_the_place() {
        let wrong = |words: &[i64], roots: &[i64]| {
            let flat = FlatNodes { words: words.to_vec(), names: vec!["i".into()], roots: roots.to_vec() };
            flat.exprs().expect_err("no expression").to_string()
        };
        assert_eq!(wrong(&[99], &[]), "word 0: no operator has the code 99");
        assert_eq!(wrong(&[-1], &[]), "word 0: no operator has the code -1");
        assert_eq!(wrong(&[0], &[]), "word 1: the list ends where a word of `const` should stand");
        assert_eq!(wrong(&[1, 1], &[]), "word 1: there is no name number 1");
        assert_eq!(wrong(&[0, 5, 3, 0, 1], &[]), "word 4: the operand 1 is no node before node 1");
        assert_eq!(wrong(&[0, 5, 3, 0, -1], &[]), "word 4: the operand -1 is no node before node 1");
        assert_eq!(wrong(&[0, 5, 3, 0], &[]), "word 4: the list ends where a word of `add` should stand");
        assert_eq!(wrong(&[0, 5], &[1]), "word 0: the root 1 is no node");
    }
}
