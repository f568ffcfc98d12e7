//! Reads calls: the function, its types, and its value.

use super::functions::{Function, Unknown, find};
use super::reader::Reader;
use super::token::shown;
use super::types::{Named, Type, is_type_word, named};
use super::value::{Maker, Value};
use crate::error::ReadError;
use quaff_expr::expr::Op;
use std::ops::Range;
use tree_sitter::Node;

/// A function with the types of a call.
#[derive(Clone, Copy)]
pub(super) struct Call {
    function: Function,
    /// The number of operands.
    pub(super) count: usize,
    /// The type that the call names.
    ty: Option<Type>,
}

/// Reads the call `node`, and returns it with its operands.
pub(super) fn call<'n>(reader: &Reader, node: &Node<'n>) -> Result<(Call, Vec<Node<'n>>), ReadError> {
    let field = |name: &str| node.child_by_field_name(name);
    let failed = || {
        let help = "an operator may be missing before `(`";
        reader.error("only a function can be called", node).with_help(help)
    };
    let (function, arguments) = field("function").zip(field("arguments")).ok_or_else(failed)?;
    let operands: Vec<Node> = arguments.named_children(&mut arguments.walk()).collect();
    let count = operands.len();
    let (name, ty) = match function.kind() {
        "identifier" => (function, None),
        "template_function" => {
            let parts = function.child_by_field_name("name").zip(function.child_by_field_name("arguments"));
            let (name, types) = parts.ok_or_else(failed)?;
            let only = Some(types).filter(|t| t.named_child_count() == 1).and_then(|t| t.named_child(0));
            let only = only.ok_or_else(|| reader.error("one type is expected between `<` and `>`", &types))?;
            (name, Some(reader.integer_type(&only)?))
        }
        _ => return Err(failed()),
    };
    let word = reader.of(&name);
    if is_type_word(word) {
        return conversion(reader, &name, count).map(|call| (call, operands));
    }
    let found = find(word, reader.maker.dialect).map_err(|why| unknown(reader, &name, why))?;
    let is_odd_select = found.function == Function::Select && count.is_multiple_of(2);
    if count < found.fewest || count > found.most || is_odd_select {
        let needs = match (found.function, found.fewest) {
            (Function::Select, _) => "3, or one value more for each condition more",
            (_, 1) => "1",
            (_, 2) if found.most > 2 => "2 or more",
            (_, 2) => "2",
            _ => "3",
        };
        let word = shown(word);
        let message = format!("{word} takes {needs} arguments, found {count}");
        return Err(reader.error(message.replace("1 arguments", "1 argument"), node));
    }
    match (found.function, ty) {
        (Function::Load, _) => {
            let help = "declare the value as a variable, such as `v`";
            Err(reader.error("what an array holds is not known", node).with_help(help))
        }
        (Function::Cast, None) => Err(reader
            .error(format!("{} needs a type", shown(word)), node)
            .with_help(format!("write `{word}<int>(x)`"))),
        (function, ty) => Ok((Call { function, count, ty }, operands)),
    }
}

/// Reads a conversion such as `int64_t(x)`.
fn conversion(reader: &Reader, name: &Node, count: usize) -> Result<Call, ReadError> {
    let word = reader.of(name);
    let ty = match named(std::iter::once(word)) {
        Some(Named::Integer(ty)) => ty,
        _ => return Err(reader.error(format!("values of {} are no integers", shown(word)), name)),
    };
    if count != 1 {
        return Err(reader.error(format!("a conversion to {} takes 1 argument, found {count}", shown(word)), name));
    }
    Ok(Call { function: Function::Cast, count, ty: Some(ty) })
}

fn unknown(reader: &Reader, name: &Node, why: Unknown) -> ReadError {
    let word = shown(reader.of(name));
    match why {
        Unknown::Float => {
            let error = reader.error(format!("{word} is a function of numbers that are no integers"), name);
            error.with_help("use `min`, `max`, `abs`, `/` and `%` of integers")
        }
        Unknown::Near(help) => reader.error(format!("{word} is no function that is known"), name).with_help(help),
    }
}

impl Call {
    /// Whether the function is `gcd`, whose value may have no expression.
    pub(super) fn is_gcd(&self) -> bool {
        self.function == Function::Gcd
    }

    /// The value of the call.
    pub(super) fn value(self, maker: &mut Maker, args: &[Value], span: &Range<usize>) -> Value {
        let both = |maker: &mut Maker, op, a: &Value, b: &Value| maker.exact(op, a, b, span);
        let args: Vec<Value> = match self.parameter() {
            Some(ty) => args.iter().map(|v| maker.converted(v, ty, span)).collect(),
            None => args.to_vec(),
        };
        match (self.function, args.as_slice()) {
            (Function::Min | Function::MinUnsigned, args) => folded(maker, Op::Min, args, span),
            (Function::Max | Function::MaxUnsigned, args) => folded(maker, Op::Max, args, span),
            (Function::Abs, [v]) => maker.abs(v, span),
            (Function::Clamp, [v, lo, hi]) => {
                let below = both(maker, Op::Min, v, hi);
                both(maker, Op::Max, &below, lo)
            }
            (Function::CeilDiv, [a, b]) => {
                let one = maker.number(1, Type::INT, span);
                let sum = maker.ring(Op::Add, a, b, span);
                let last = maker.ring(Op::Sub, &sum, &one, span);
                maker.division(Op::FloorDiv, &last, b, span)
            }
            (Function::FloorDiv, [a, b]) => both(maker, Op::FloorDiv, a, b),
            (Function::FloorMod, [a, b]) if maker.is_halide() => maker.division(Op::FloorMod, a, b, span),
            (Function::FloorMod, [a, b]) => both(maker, Op::FloorMod, a, b),
            (Function::TruncDiv, [a, b]) => maker.truncated(Op::FloorDiv, a, b, span),
            (Function::TruncMod, [a, b]) => maker.truncated(Op::FloorMod, a, b, span),
            (Function::HighUnsigned | Function::HighSigned, [a, b]) => maker.high(a, b, span),
            (Function::ShortUnsigned | Function::ShortSigned, [a, b]) => {
                let is_unsigned = self.function == Function::ShortUnsigned;
                maker.short_product(a, b, is_unsigned, span)
            }
            (Function::Select, args) => selected(maker, args, span),
            (Function::Cast, [v]) => Value { is_literal: false, ..v.clone() },
            // all remaining functions have one operand
            (_, args) => args.first().cloned().unwrap_or_else(|| maker.number(0, Type::INT, span)),
        }
    }

    /// The type that all operands are converted to. `None` if they are not converted.
    fn parameter(self) -> Option<Type> {
        match self.function {
            Function::MinUnsigned | Function::MaxUnsigned | Function::HighUnsigned | Function::ShortUnsigned => {
                Some(Type::UNSIGNED)
            }
            Function::HighSigned | Function::ShortSigned => Some(Type::INT),
            _ => self.ty,
        }
    }
}

/// `min` and `max` of two or more operands.
fn folded(maker: &mut Maker, op: Op, args: &[Value], span: &Range<usize>) -> Value {
    let both = |a: Value, b: Value| maker.exact(op.clone(), &a, &b, span);
    let all = args.iter().cloned().reduce(both);
    all.unwrap_or_else(|| maker.number(0, Type::INT, span))
}

/// The value of `select(c, a, d, b, otherwise)`: the operand that follows the first true condition.
fn selected(maker: &mut Maker, args: &[Value], span: &Range<usize>) -> Value {
    let Some((otherwise, pairs)) = args.split_last() else { return maker.number(0, Type::INT, span) };
    pairs.chunks_exact(2).rev().fold(otherwise.clone(), |rest, pair| maker.select(&pair[0], &pair[1], &rest, span))
}
