//! The node types of plain egg: numbers, variables and the operators of expressions.

use egg::{FromOp, Id, Language, RecExpr, Symbol, define_language};
use quaff::expr::{Dag, Expr, Op, int, var};
use std::sync::{Arc, OnceLock};

define_language! {
    /// An operation, a number or a variable.
    pub(crate) enum Math {
        Num(i64),
        "+" = Add([Id; 2]),
        "-" = Sub([Id; 2]),
        "-" = Neg(Id),
        "*" = Mul([Id; 2]),
        "//" = Div([Id; 2]),
        "%" = Mod([Id; 2]),
        "min" = Min([Id; 2]),
        "max" = Max([Id; 2]),
        "<" = Lt([Id; 2]),
        "<=" = Le([Id; 2]),
        ">" = Gt([Id; 2]),
        ">=" = Ge([Id; 2]),
        "==" = Eq([Id; 2]),
        "!=" = Ne([Id; 2]),
        "and" = And([Id; 2]),
        "or" = Or([Id; 2]),
        "not" = Not(Id),
        "where" = Select([Id; 3]),
        Symbol(Symbol),
        Other(Symbol, Vec<Id>),
    }
}

/// The variables of an expression, each with its symbol.
pub(super) type Variables = Vec<(Symbol, Arc<str>)>;

/// Reads the root of `dag` for egg. Variables get the symbols `v0`, `v1` and so on, in the order of the nodes.
pub(super) fn read(dag: &Dag) -> (RecExpr<Math>, Variables) {
    let (mut out, mut variables) = (RecExpr::default(), Vec::new());
    let mut ids: Vec<Id> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let operands = || node.args().iter().map(|&a| ids[a as usize]).collect();
        let math = match (node.as_const(), node.as_variable()) {
            (Some(c), _) => Math::Num(c),
            (_, Some(name)) => {
                let symbol = symbol_of(variables.len());
                variables.push((symbol, name.clone()));
                Math::Symbol(symbol)
            }
            // `from_op` accepts every text as an operator, even one that no rule mentions
            _ => Math::from_op(node.op.symbol(), operands())
                .unwrap_or_else(|_| Math::Other(node.op.symbol().into(), operands())),
        };
        ids.push(out.add(math));
    }
    (out, variables)
}

/// Converts `nodes` to an expression. All operators in them must be operators of expressions.
pub(super) fn written(nodes: &RecExpr<Math>, variables: &Variables) -> Expr {
    let mut made: Vec<Expr> = Vec::with_capacity(nodes.len());
    for node in nodes {
        let operands: Vec<Expr> = node.children().iter().map(|&c| made[usize::from(c)].clone()).collect();
        made.push(match node {
            Math::Num(c) => int(*c),
            Math::Symbol(symbol) => {
                let name = variables.iter().find(|(of, _)| of == symbol).map(|(_, name)| name.clone());
                var(name.unwrap_or_else(|| symbol.as_str().into()))
            }
            node => Expr::new(op(node).expect("an operator of expressions"), operands),
        });
    }
    made.pop().unwrap_or_else(|| int(0))
}

/// The operator of a node. `None` for numbers and variables.
pub(super) fn op(node: &Math) -> Option<Op> {
    match node {
        Math::Num(_) | Math::Symbol(_) => None,
        Math::Neg(_) => Some(Op::Neg),
        Math::Other(symbol, _) => Op::with_symbol(symbol.as_str()),
        node => Op::with_symbol(&node.to_string()),
    }
}

/// The symbol of the variable with the number `at`. egg numbers symbols in the order of their creation, and orders
/// nodes by these numbers. The first 256 symbols are created together, so that the order of nodes does not depend on
/// threads.
fn symbol_of(at: usize) -> Symbol {
    static FIRST: OnceLock<Vec<Symbol>> = OnceLock::new();
    let first = FIRST.get_or_init(|| {
        Op::all().iter().for_each(|op| {
            let _ = Symbol::from(op.symbol());
        });
        (0..256).map(|at| Symbol::from(format!("v{at}"))).collect()
    });
    first.get(at).copied().unwrap_or_else(|| Symbol::from(format!("v{at}")))
}
