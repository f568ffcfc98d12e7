//! Prints expressions that are not lowered, for languages that have divisions and wide enough integers of their own.
//! Python is in this file, Rust in `rust.rs`, and Triton in `triton.rs`.

use super::language::Language;
use super::program::Statement;
use super::text::{Input, Output, Text};
use crate::domain::{Interval, VarFacts};
use crate::expr::{Dag, DagNode, Op, precedence as prec};
use crate::lower::{LowerError, name_of, ranges};
use quaff_expr::names::Names;

/// A part of a node's text.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Text(&'static str),
    Owned(String),
    /// A numeric operand, with the least precedence that needs no parentheses.
    Number(u32, u8),
    /// An operand that is a truth value.
    Truth(u32, u8),
}

/// The spelling of nodes in one language.
pub(super) trait Spelling {
    const LANGUAGE: Language;
    /// The type of variables and results.
    const TYPE: &'static str;
    /// Whether a value of the text may be undefined, as `x//0` is. A shared value that only branches need then becomes
    /// a function, which is called where the value is used.
    const LAZY: bool;

    /// The language's own text for the variable `id` with this name. `None` when the language does not define it.
    fn builtin(&self, _id: u32, _name: &str) -> Option<String> {
        None
    }

    /// How often the text of a node contains the text of each operand.
    fn repeats(&self, _id: u32) -> u32 {
        1
    }

    /// The text of a node from its parts, and its precedence. Truth values are the results of comparisons.
    fn node(&self, id: u32, node: &DagNode) -> (Vec<Piece>, u8);

    /// The text that converts a truth value to a number. It contains the truth value with the precedence that this
    /// place requires.
    fn number_of_truth(&self, value: u32) -> (Vec<Piece>, u8);
}

/// The sign and the precedence of a binary operator that all these languages have.
pub(super) fn binary(op: &Op) -> Option<(&'static str, u8)> {
    use Op::*;
    match op {
        Mul => Some((" * ", prec::MUL)),
        Add | Sub | BitAnd | BitOr | BitXor | Shl | Shr | Lt | Le | Gt | Ge | Eq | Ne => {
            Some((op.sign(), op.precedence()))
        }
        // these operators differ between the languages
        Const(_) | Var(_) | Neg | FloorDiv | FloorMod | TruncDiv | TruncMod | Min | Max | And | Or | Not | Select => {
            None
        }
    }
}

/// The text `a op b`, with parentheses where the language needs them. Comparisons do not chain.
pub(super) fn infix(node: &DagNode, sign: &'static str, own: u8) -> (Vec<Piece>, u8) {
    let left = if own == prec::COMPARE { own + 1 } else { own };
    (vec![Piece::Number(node.args[0], left), Piece::Text(sign), Piece::Number(node.args[1], own + 1)], own)
}

/// Prints all roots of `dag`. The time is linear in its nodes.
pub(super) fn print<S: Spelling>(dag: &Dag, spelling: &S) -> Text {
    let mut names = Names::new(S::LANGUAGE.words());
    let builtins: Vec<Option<String>> =
        (0..).zip(dag.nodes()).map(|(id, n)| spelling.builtin(id, n.as_variable()?)).collect();
    let own = dag.nodes().iter().zip(&builtins).filter(|(_, builtin)| builtin.is_none());
    let variables: Vec<&str> = own.filter_map(|(n, _)| n.as_variable()).map(|name| &**name).collect();
    let mut variable_names = names.variables(variables.iter().copied()).into_iter();
    let (strict, partial, uses) = (strict(dag), partial(dag), uses(dag, |id| spelling.repeats(id)));

    let mut text = Text::new(S::LANGUAGE);
    let mut named: Vec<Option<String>> = vec![None; dag.nodes().len()];
    for (id, node) in dag.nodes().iter().enumerate() {
        if let Op::Var(variable) = &node.op {
            let defined = builtins[id].is_some();
            let name = builtins[id].clone().or_else(|| variable_names.next()).unwrap_or_default();
            named[id] = Some(name.clone());
            text.inputs.push(Input { variable: variable.clone(), name, ty: S::TYPE, defined });
        } else if node.op.arity() > 0 && uses[id] > 1 {
            let lazy = S::LAZY && partial[id] && !strict[id];
            let body = value(dag, spelling, &named, Piece::Number(id as u32, 0), node.op.is_truth());
            let (name, value) = (names.temporary(), if lazy { format!("lambda: {body}") } else { body });
            text.add(&[Statement::Define { ty: S::TYPE.into(), name: name.clone(), value }]);
            named[id] = Some(if lazy { format!("{name}()") } else { name });
        }
    }
    for &root in dag.roots() {
        let body = value(dag, spelling, &named, Piece::Number(root, 0), false);
        text.results.push(Output { text: body, ty: S::TYPE });
    }
    text
}

/// For each node whether it is computed whatever the values of conditions are.
fn strict(dag: &Dag) -> Vec<bool> {
    let mut strict = vec![false; dag.nodes().len()];
    for &r in dag.roots() {
        strict[r as usize] = true;
    }
    for (id, node) in dag.nodes().iter().enumerate().rev() {
        if strict[id] {
            let always = if node.op.is_lazy() { 1 } else { 3 };
            for &a in node.args().iter().take(always) {
                strict[a as usize] = true;
            }
        }
    }
    strict
}

/// For each node whether it may have no value, because a divisor or a shift count in it is not a valid constant.
fn partial(dag: &Dag) -> Vec<bool> {
    let mut partial: Vec<bool> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let own = match dag.nodes()[node.args[1] as usize].op {
            _ if !node.op.is_partial() => false,
            Op::Const(c) => {
                if node.op.is_division() {
                    c == 0
                } else {
                    c < 0
                }
            }
            _ => true,
        };
        partial.push(own || node.args().iter().any(|&a| partial[a as usize]));
    }
    partial
}

/// How often the text of each node occurs.
fn uses(dag: &Dag, repeats: impl Fn(u32) -> u32) -> Vec<u32> {
    let mut uses = vec![0; dag.nodes().len()];
    dag.roots().iter().for_each(|&r| uses[r as usize] += 1);
    for (id, node) in (0..).zip(dag.nodes()) {
        node.args().iter().for_each(|&a| uses[a as usize] += repeats(id));
    }
    uses
}

/// The range of every node of `dag`. All values must fit 64 bits, no divisor may be 0, and shift counts must be in
/// range.
///
/// # Errors
/// [`LowerError`] when one of these conditions does not hold.
pub(super) fn checked_ranges(
    dag: &Dag,
    vars: &[VarFacts],
    facts: impl Fn(u32) -> Interval,
) -> Result<Vec<Interval>, LowerError> {
    let ranges = ranges(dag, vars, facts)?;
    for (id, node) in dag.nodes().iter().enumerate() {
        let text = || name_of(dag.origin(id as u32));
        let right = ranges[node.args[1] as usize];
        if ranges[id].bounded().is_none() && !matches!(node.op, Op::Const(_)) {
            return Err(LowerError::TooWide { expr: text() });
        }
        match &node.op {
            // the text negates a negative divisor
            op if op.is_division() && right.lo().is_none() => return Err(LowerError::TooWide { expr: text() }),
            op if op.is_division() && right.contains(0) => return Err(LowerError::ZeroDivisor { expr: text() }),
            Op::Shl if !right.within(0, 63) => return Err(LowerError::Shift { expr: text() }),
            Op::Shr if !right.is_nonneg() => return Err(LowerError::Shift { expr: text() }),
            _ => {}
        }
    }
    Ok(ranges)
}

/// The text of a value. Parts with names are printed by their names. If `keep_truth`, a truth value is not converted to
/// a number.
fn value<S: Spelling>(dag: &Dag, spelling: &S, named: &[Option<String>], first: Piece, keep_truth: bool) -> String {
    let mut out = String::new();
    let first = match first {
        Piece::Number(id, least) if keep_truth => Piece::Truth(id, least),
        other => other,
    };
    let mut stack = vec![first];
    while let Some(piece) = stack.pop() {
        let (id, least, wants_truth) = match piece {
            Piece::Text(t) => {
                out.push_str(t);
                continue;
            }
            Piece::Owned(t) => {
                out.push_str(&t);
                continue;
            }
            Piece::Number(id, least) => (id, least, false),
            Piece::Truth(id, least) => (id, least, true),
        };
        let node = &dag.nodes()[id as usize];
        let truth = node.op.is_truth();
        let (pieces, own) = if truth && !wants_truth {
            spelling.number_of_truth(id)
        } else if !truth && wants_truth {
            (vec![Piece::Number(id, prec::COMPARE + 1), Piece::Text(" != 0")], prec::COMPARE)
        } else if let Some(name) = &named[id as usize] {
            (vec![Piece::Owned(name.clone())], prec::ATOM)
        } else {
            spelling.node(id, node)
        };
        if own < least {
            out.push('(');
            stack.push(Piece::Text(")"));
        }
        stack.extend(pieces.into_iter().rev());
    }
    out
}

struct Python<'d>(&'d Dag);

impl Python<'_> {
    /// The text of `truncdiv` and `truncmod` by floor operators. The floor operators are applied to nonnegative
    /// operands, or to operands with the same sign.
    fn truncated(&self, node: &DagNode) -> Vec<Piece> {
        use Piece::{Number, Owned, Text};
        let [a, b, _] = node.args;
        let divisor = match self.0.nodes()[b as usize].op {
            Op::Const(c) => Some(c),
            _ => None,
        };
        let (sign, by, is_opposite) = match (&node.op, divisor) {
            // the remainder does not depend on the sign of the divisor
            (Op::TruncMod, Some(c)) => (" % ", vec![Owned(c.unsigned_abs().to_string())], None),
            (Op::TruncMod, None) => (" % ", vec![Text("abs("), Number(b, 0), Text(")")], None),
            (_, Some(c)) => (" // ", vec![Number(b, prec::MUL + 1)], (c < 0).then_some(" > 0")),
            (_, None) => (" // ", vec![Number(b, prec::MUL + 1)], Some("")),
        };
        let mut pieces = vec![Text("-(-"), Number(a, prec::UNARY), Text(sign)];
        pieces.extend(by.iter().cloned());
        pieces.push(Text(") if "));
        pieces.extend(match is_opposite {
            Some("") => vec![
                Text("("),
                Number(a, prec::COMPARE + 1),
                Text(" < 0) != ("),
                Number(b, prec::COMPARE + 1),
                Text(" < 0)"),
            ],
            other => vec![Number(a, prec::COMPARE + 1), Text(other.unwrap_or(" < 0"))],
        });
        pieces.extend([Text(" else "), Number(a, prec::MUL), Text(sign)]);
        pieces.extend(by);
        pieces
    }
}

impl Spelling for Python<'_> {
    const LANGUAGE: Language = Language::Python;
    const TYPE: &'static str = "";
    const LAZY: bool = true;

    fn node(&self, _: u32, node: &DagNode) -> (Vec<Piece>, u8) {
        use Piece::{Number, Owned, Text, Truth};
        let [a, b, c] = node.args;
        if let Some((sign, own)) = binary(&node.op) {
            return infix(node, sign, own);
        }
        match &node.op {
            Op::Const(c) => (vec![Owned(c.to_string())], if *c < 0 { prec::UNARY } else { prec::ATOM }),
            Op::Neg => (vec![Text("-"), Number(a, prec::UNARY)], prec::UNARY),
            Op::Not => (vec![Text("not "), Truth(a, prec::NOT)], prec::NOT),
            Op::And => (vec![Truth(a, prec::AND), Text(" and "), Truth(b, prec::AND + 1)], prec::AND),
            Op::Or => (vec![Truth(a, prec::OR), Text(" or "), Truth(b, prec::OR + 1)], prec::OR),
            Op::FloorMod => infix(node, " % ", prec::MUL),
            op if op.is_truncation() => (self.truncated(node), prec::CONDITIONAL),
            op if op.is_extremum() => {
                (vec![Text(op.sign()), Text("("), Number(a, 0), Text(", "), Number(b, 0), Text(")")], prec::ATOM)
            }
            Op::Select => {
                let parts =
                    [Number(b, prec::OR), Text(" if "), Truth(a, prec::OR), Text(" else "), Number(c, prec::OR)];
                (parts.into(), prec::CONDITIONAL)
            }
            _ => infix(node, " // ", prec::MUL),
        }
    }

    fn repeats(&self, id: u32) -> u32 {
        if self.0.nodes()[id as usize].op.is_truncation() { 2 } else { 1 }
    }

    fn number_of_truth(&self, value: u32) -> (Vec<Piece>, u8) {
        (vec![Piece::Text("int("), Piece::Truth(value, 0), Piece::Text(")")], prec::ATOM)
    }
}

/// The Python text of all roots, without lowering, because Python's `//` and `%` are the floor operators.
///
/// Shared values are assigned to temporaries. A value may be undefined in a branch that is not taken. Such a value is
/// computed by a function without arguments, where it is used. Opaque values are printed by their names. The time is
/// linear in the nodes of `dag`.
pub fn python(dag: &Dag) -> Text {
    print(dag, &Python(dag))
}
