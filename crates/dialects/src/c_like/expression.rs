//! Reads expressions. The walk over the tree has its own stack, so the depth is not limited.

use super::call::{Call, call};
use super::reader::Reader;
use super::token::{Kind, shown};
use super::types::{self, Problem, Type};
use super::value::Value;
use crate::cuda;
use crate::dialect::Dialect;
use crate::error::ReadError;
use quaff_expr::expr::Op;
use std::ops::Range;
use tree_sitter::Node;

/// An operation that is applied after its operands are read.
#[derive(Clone, Copy)]
enum Step {
    Negated,
    Complement,
    Plus,
    Not,
    Ring(&'static Op),
    Logic(&'static Op),
    Comparison(&'static Op),
    Shift(&'static Op),
    Division(&'static Op),
    Select,
    Cast(Type),
    Call(Call),
}

enum Task<'t> {
    Visit(Node<'t>),
    Apply(Step, Range<usize>),
}

/// The binary operators.
const BINARY: &[(&str, Step)] = &[
    ("+", Step::Ring(&Op::Add)),
    ("-", Step::Ring(&Op::Sub)),
    ("*", Step::Ring(&Op::Mul)),
    ("&", Step::Ring(&Op::BitAnd)),
    ("|", Step::Ring(&Op::BitOr)),
    ("^", Step::Ring(&Op::BitXor)),
    ("/", Step::Division(&Op::FloorDiv)),
    ("%", Step::Division(&Op::FloorMod)),
    ("<<", Step::Shift(&Op::Shl)),
    (">>", Step::Shift(&Op::Shr)),
    ("<", Step::Comparison(&Op::Lt)),
    ("<=", Step::Comparison(&Op::Le)),
    (">", Step::Comparison(&Op::Gt)),
    (">=", Step::Comparison(&Op::Ge)),
    ("==", Step::Comparison(&Op::Eq)),
    ("!=", Step::Comparison(&Op::Ne)),
    ("&&", Step::Logic(&Op::And)),
    ("and", Step::Logic(&Op::And)),
    ("||", Step::Logic(&Op::Or)),
    ("or", Step::Logic(&Op::Or)),
];

impl Reader<'_> {
    /// The value of an expression.
    pub(super) fn value(&mut self, node: Node<'_>) -> Result<Value, ReadError> {
        let mut tasks = vec![Task::Visit(node)];
        let mut values: Vec<Value> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Visit(node) => self.visit(node, &mut tasks, &mut values)?,
                Task::Apply(step, span) => self.apply(step, &span, &mut values)?,
            }
        }
        values.pop().ok_or_else(|| self.error("there is no expression", &node))
    }

    fn visit<'n>(
        &mut self,
        node: Node<'n>,
        tasks: &mut Vec<Task<'n>>,
        values: &mut Vec<Value>,
    ) -> Result<(), ReadError> {
        let field = |name: &str| node.child_by_field_name(name);
        let (step, operands) = match node.kind() {
            "number_literal" | "identifier" | "true" | "false" => {
                values.push(self.leaf(&node)?);
                return Ok(());
            }
            "parenthesized_expression" => {
                let inner = node.named_child(0).ok_or_else(|| self.refused(&node))?;
                tasks.push(Task::Visit(inner));
                return Ok(());
            }
            "binary_expression" => (self.binary(&node)?, [field("left"), field("right"), None]),
            "unary_expression" => (self.unary(&node)?, [field("argument"), None, None]),
            "cast_expression" => {
                let ty = field("type").ok_or_else(|| self.refused(&node))?;
                (Step::Cast(self.integer_type(&ty)?), [field("value"), None, None])
            }
            "conditional_expression" if field("consequence").is_some() => {
                (Step::Select, [field("condition"), field("consequence"), field("alternative")])
            }
            "call_expression" => {
                let (call, operands) = call(self, &node)?;
                tasks.push(Task::Apply(Step::Call(call), self.place(&node)));
                tasks.extend(operands.into_iter().rev().map(Task::Visit));
                return Ok(());
            }
            _ => return Err(self.refused(&node)),
        };
        tasks.push(Task::Apply(step, self.place(&node)));
        tasks.extend(operands.into_iter().rev().flatten().map(Task::Visit));
        Ok(())
    }

    fn apply(&mut self, step: Step, span: &Range<usize>, values: &mut Vec<Value>) -> Result<(), ReadError> {
        let count = match step {
            Step::Negated | Step::Complement | Step::Plus | Step::Not | Step::Cast(_) => 1,
            Step::Select => 3,
            Step::Call(call) => call.count,
            _ => 2,
        };
        let args = values.split_off(values.len().saturating_sub(count));
        let maker = &mut self.maker;
        let value = match (step, args.as_slice()) {
            (Step::Negated, [v]) => maker.negated(v, span),
            (Step::Complement, [v]) => maker.complement(v, span),
            (Step::Plus, [v]) => maker.promoted(v, span),
            (Step::Not, [v]) => maker.logic(Op::Not, &[v], span),
            (Step::Cast(ty), [v]) => maker.cast(v, ty, span),
            (Step::Ring(op), [a, b]) => maker.ring(op.clone(), a, b, span),
            (Step::Logic(op), [a, b]) => maker.logic(op.clone(), &[a, b], span),
            (Step::Comparison(op), [a, b]) => maker.comparison(op.clone(), a, b, span),
            (Step::Shift(op), [a, b]) => maker.shift(op.clone(), a, b, span),
            (Step::Division(op), [a, b]) => maker.division(op.clone(), a, b, span),
            (Step::Select, [c, a, b]) => maker.select(c, a, b, span),
            (Step::Call(call), [a, b]) if call.is_gcd() => maker.gcd(a, b, span).map_err(|[a, b]| {
                let message = format!("the gcd of `{a}` and `{b}` is not known, and a result has no gcd");
                let help = "one of both has to be a number, or a multiple of the other";
                ReadError::new(message, self.text, span.clone()).with_help(help)
            })?,
            (Step::Call(call), args) => call.value(maker, args, span),
            _ => return Err(ReadError::new("an operand is missing", self.text, span.clone())),
        };
        values.push(value);
        Ok(())
    }

    fn binary(&self, node: &Node) -> Result<Step, ReadError> {
        let sign = node.child_by_field_name("operator").map_or("", |o| self.of(&o));
        let found = BINARY.iter().find(|(known, _)| *known == sign);
        found.map(|(_, step)| *step).ok_or_else(|| self.error(format!("{} is not read", shown(sign)), node))
    }

    /// The value of `operator` applied to two values, as in a compound assignment.
    pub(super) fn combined(&mut self, operator: &str, a: Value, b: Value, node: &Node) -> Result<Value, ReadError> {
        let found = BINARY.iter().find(|(known, _)| *known == operator);
        let (_, step) = found.ok_or_else(|| self.error("this assignment is not read", node))?;
        let mut values = vec![a, b];
        self.apply(*step, &self.place(node), &mut values)?;
        values.pop().ok_or_else(|| self.error("this assignment is not read", node))
    }

    fn unary(&self, node: &Node) -> Result<Step, ReadError> {
        match node.child_by_field_name("operator").map_or("", |o| self.of(&o)) {
            "-" => Ok(Step::Negated),
            "+" => Ok(Step::Plus),
            "~" => Ok(Step::Complement),
            "!" | "not" => Ok(Step::Not),
            sign => Err(self.error(format!("{} is not read", shown(sign)), node)),
        }
    }

    /// Reads a name or a literal.
    fn leaf(&mut self, node: &Node) -> Result<Value, ReadError> {
        let span = self.place(node);
        // the grammar reads a sign as part of the number
        match self.text[span.clone()].as_bytes() {
            [b'-', ..] => {
                let value = self.operand(span.start + 1..span.end)?;
                Ok(self.maker.negated(&value, &span))
            }
            [b'+', ..] => {
                let value = self.operand(span.start + 1..span.end)?;
                Ok(self.maker.promoted(&value, &span))
            }
            _ => self.operand(span),
        }
    }

    /// Reads a name or a literal without a sign.
    fn operand(&mut self, span: Range<usize>) -> Result<Value, ReadError> {
        let text = &self.text[span.clone()];
        let is_number = self.token_before(span.end).is_some_and(|t| t.kind == Kind::Number);
        match text {
            "true" | "false" => return Ok(self.maker.number(i64::from(text == "true"), Type::BOOL, &span)),
            _ if is_number => return self.literal(span),
            _ if text.ends_with(')') => return self.size(span),
            _ => {}
        }
        if text.contains("::") {
            let help = "write the value, or declare it as a variable, such as `v`";
            let message = format!("the value of {} is not known", shown(text));
            return Err(ReadError::new(message, self.text, span).with_help(help));
        }
        if let Some(value) = self.defined.get(text) {
            return Ok(value.clone());
        }
        if let Some(&ty) = self.declared.get(text) {
            return Ok(self.maker.unknown(text, ty, ty.range(), true, &span));
        }
        let is_cuda = self.maker.dialect == Dialect::Cuda;
        if let Some(near) = cuda::nearest(text).filter(|_| is_cuda) {
            let message = format!("{} is no variable of CUDA", shown(text));
            return Err(ReadError::new(message, self.text, span).with_help(format!("write `{near}`")));
        }
        let machine = cuda::builtin(text).filter(|_| is_cuda);
        let (ty, range) = match machine {
            Some((true, range)) => (Type::UNSIGNED, range),
            Some((false, range)) => (Type::INT, range),
            None => (Type::INT, Type::INT.range()),
        };
        Ok(self.maker.unknown(text, ty, range, machine.is_some(), &span))
    }

    fn literal(&mut self, span: Range<usize>) -> Result<Value, ReadError> {
        let text = &self.text[span.clone()];
        let (message, help) = match types::literal(text) {
            Ok((value, ty)) => return Ok(self.maker.number(value, ty, &span)),
            Err(Problem::Float) => (format!("{} is no integer", shown(text)), "write an integer, such as `4`"),
            Err(Problem::TooLarge) => {
                (format!("{} is outside of 64 bits with a sign", shown(text)), "the largest is 9223372036854775807")
            }
            Err(Problem::Malformed) => {
                let help = "a name begins with a letter; suffixes are u, l, ul, ll, ull and z";
                (format!("{} is neither a number nor a name", shown(text)), help)
            }
        };
        Err(ReadError::new(message, self.text, span).with_help(help))
    }

    /// Reads `sizeof(T)`.
    fn size(&mut self, span: Range<usize>) -> Result<Value, ReadError> {
        let text = &self.text[span.clone()];
        // the type is between the parentheses
        let open = text.find('(').unwrap_or_default() + 1;
        let size = match text.contains('*') {
            true => Some(8),
            false => self.named_within(span.start + open..span.end - 1).and_then(types::size),
        };
        match size {
            Some(size) => Ok(self.maker.number(size, Type::SIZE, &span)),
            None => Err(ReadError::new(format!("{} is not known", shown(text)), self.text, span)
                .with_help("write the number, or the size of a type such as `float`")),
        }
    }

    /// The reason why an expression of this kind has no meaning, with a suggestion.
    fn refused(&self, node: &Node) -> ReadError {
        let (message, help) = match node.kind() {
            "subscript_expression" => {
                ("what an array holds is not known", "declare the value as a variable, such as `v`")
            }
            "update_expression" => (
                "a step has no meaning within an expression",
                "write `i + 1` for the value behind the step, and `i` for the one before it",
            ),
            "assignment_expression" => (
                "an assignment has no meaning within an expression",
                "write it as a statement of its own: `x = 4; x + 1`",
            ),
            "comma_expression" => ("`,` has no meaning here", "give one expression, or write statements with `;`"),
            "pointer_expression" if self.of(node).starts_with('&') => {
                ("an address is no integer", "give the index alone")
            }
            "pointer_expression" => {
                ("what a pointer points to is not known", "give the index alone, such as `p[i]` or `i`")
            }
            "field_expression" => {
                ("a member of a value has no meaning here", "declare the member as a variable, such as `v`")
            }
            "conditional_expression" => ("`?:` needs both values", "write `a ? a : b`"),
            "call_expression" => ("only a function can be called", "an operator may be missing before `(`"),
            _ => ("this is no index expression", "give integers, names and operators"),
        };
        self.error(message, node).with_help(help)
    }
}
