//! Reads printed CUDA text, and returns the expression that a machine computes for the text.
//!
//! The types are the types of C. Operations on `unsigned` are taken modulo 2^32, and a conversion to `int` wraps
//! around. Sums and products of `int` are computed without wrapping, because the printer promises that they do not
//! overflow. `unsigned long long` is not supported.

use quaff::expr::{Expr, int, select, var};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Type {
    Int,
    Unsigned,
    Long,
}

/// An expression with its type in C.
#[derive(Clone, Debug)]
struct Value(Expr, Type);

impl Value {
    fn cast(self, to: Type) -> Value {
        let Value(e, from) = self;
        let word = int(1 << 32);
        Value(
            match (from, to) {
                (_, Type::Unsigned) if from != to => e.floor_mod(word),
                (Type::Unsigned | Type::Long, Type::Int) => (e + int(1 << 31)).floor_mod(word) - int(1 << 31),
                _ => e,
            },
            to,
        )
    }
}

/// The expression that `body` returns. `body` has definitions `const type name = value;`, and ends with
/// `return value;`.
pub(crate) fn returned(body: &str) -> Expr {
    let mut reader = Reader::new(body, Vec::new());
    while reader.define() {}
    assert!(reader.take("return"), "definitions, and a result: {body}");
    let Value(result, _) = reader.conditional();
    assert!(reader.take(";") && reader.at == reader.tokens.len(), "one result: {body}");
    result
}

/// The indices of all loads in `text`, for each buffer `in0`, `in1`, ..., and whether the indices count vectors. `text`
/// has only definitions and unconditional loads.
pub(crate) fn loaded(text: &str) -> Vec<(bool, Vec<Expr>)> {
    let (mut named, mut all) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let place = all.len();
        let index = |rest: &str| {
            let mut depth = 1;
            let close = |c: char| {
                depth += i32::from(c == '[') - i32::from(c == ']');
                depth == 0
            };
            let index = &rest[..rest.find(close).expect("closed")];
            Reader::new(index, named.clone()).conditional().0
        };
        let (buffer, mut rest) = (format!("in{place}"), line);
        let (mut are_vectors, mut indices) = (false, Vec::new());
        while let Some(at) = rest.find(&buffer) {
            rest = &rest[at + buffer.len()..];
            let vectors = rest.starts_with(')');
            let Some((moved, after)) = rest[usize::from(vectors)..].split_once('[') else { break };
            // `in0[..]`, `(in0 + 4)[..]`, and the same forms with a pointer to vectors
            let Some(by) = offset(moved) else { continue };
            are_vectors = vectors;
            indices.push(index(after) + by);
        }
        if indices.is_empty() {
            let mut reader = Reader::new(line, named);
            assert!(reader.define(), "a definition: {line}");
            named = reader.named;
            continue;
        }
        all.push((are_vectors, indices));
    }
    all
}

/// The offset: 4 for ` + 4)`, -4 for ` - 4)`, and 0 for an empty text.
fn offset(text: &str) -> Option<i64> {
    let number = |digits: &str| digits.strip_suffix(')')?.parse::<i64>().ok();
    match (text.strip_prefix(" + "), text.strip_prefix(" - ")) {
        (Some(digits), _) => number(digits),
        (_, Some(digits)) => number(digits).map(|n| -n),
        _ => text.is_empty().then_some(0),
    }
}

fn tokens(text: &str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let doubled = ["<<", ">>", "<=", ">=", "==", "!=", "&&", "||"].iter().any(|op| rest.starts_with(op));
        let length = if word(first) { rest.find(|c| !word(c)).unwrap_or(rest.len()) } else { 1 + usize::from(doubled) };
        all.push(rest[..length].to_string());
        rest = rest[length..].trim_start();
    }
    all
}

/// The binary operators by precedence, the lowest precedence first.
const LEVELS: [&[&str]; 10] = [
    &["||"],
    &["&&"],
    &["|"],
    &["^"],
    &["&"],
    &["==", "!="],
    &["<", "<=", ">", ">="],
    &["<<", ">>"],
    &["+", "-"],
    &["*"],
];

struct Reader {
    tokens: Vec<String>,
    at: usize,
    named: Vec<(String, Value)>,
}

impl Reader {
    fn new(text: &str, named: Vec<(String, Value)>) -> Reader {
        Reader { tokens: tokens(text), at: 0, named }
    }

    /// Reads a definition, if the text continues with one.
    fn define(&mut self) -> bool {
        if !self.take("const") {
            return false;
        }
        let ty = self.type_name().expect("a type");
        let name = self.next();
        assert!(self.take("="), "a value of {name}");
        let value = self.conditional().cast(ty);
        assert!(self.take(";"), "the end of {name}");
        self.named.push((name, value));
        true
    }

    fn peek(&self, ahead: usize) -> &str {
        self.tokens.get(self.at + ahead).map_or("", String::as_str)
    }

    fn next(&mut self) -> String {
        self.at += 1;
        self.tokens[self.at - 1].clone()
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek(0) == token;
        self.at += usize::from(found);
        found
    }

    fn type_name(&mut self) -> Option<Type> {
        if self.take("long") {
            assert!(self.take("long"), "long long");
            return Some(Type::Long);
        }
        match self.peek(0) {
            "int" | "bool" => self.at += 1,
            "unsigned" => {
                self.at += 1;
                assert_ne!(self.peek(0), "long", "64 bits without a sign are not read");
                return Some(Type::Unsigned);
            }
            _ => return None,
        }
        Some(Type::Int)
    }

    fn conditional(&mut self) -> Value {
        let condition = self.binary(0);
        if !self.take("?") {
            return condition;
        }
        let then = self.conditional();
        assert!(self.take(":"), "both branches");
        let otherwise = self.conditional();
        let ty = then.1.max(otherwise.1);
        Value(select(condition.0, then.cast(ty).0, otherwise.cast(ty).0), ty)
    }

    fn binary(&mut self, level: usize) -> Value {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1);
        while operators.contains(&self.peek(0)) {
            let operator = self.next();
            let right = self.binary(level + 1);
            left = apply(&operator, left, right);
        }
        left
    }

    fn unary(&mut self) -> Value {
        if self.take("-") {
            let Value(e, ty) = self.unary();
            return wrapped(-e, ty);
        }
        if self.take("!") {
            return Value(self.unary().0.not(), Type::Int);
        }
        if self.peek(0) == "(" && matches!(self.peek(1), "int" | "bool" | "unsigned" | "long") {
            self.at += 1;
            let ty = self.type_name().expect("a type");
            assert!(self.take(")"), "a conversion");
            return self.unary().cast(ty);
        }
        self.primary()
    }

    fn primary(&mut self) -> Value {
        let token = self.next();
        if token == "(" {
            let inner = self.conditional();
            assert!(self.take(")"), "closed");
            return inner;
        }
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = token.trim_end_matches(['u', 'l']);
            let ty = match &token[digits.len()..] {
                "" => Type::Int,
                "u" => Type::Unsigned,
                "ll" => Type::Long,
                suffix => panic!("a number with {suffix}"),
            };
            let number: i64 = digits.parse().expect("a number");
            return Value(int(number), if number > i32::MAX.into() { ty.max(Type::Unsigned) } else { ty });
        }
        if self.take("(") {
            let a = self.conditional();
            assert!(self.take(","), "two arguments of {token}");
            let b = self.conditional();
            if token == "__funnelshift_l" {
                assert!(a.0.as_const() == Some(0) && self.take(","), "three arguments, the first of them 0");
                let by = self.conditional();
                assert!(self.take(")"), "three arguments of {token}");
                return wrapped(b.cast(Type::Unsigned).0 << by.0, Type::Unsigned);
            }
            assert!(self.take(")"), "two arguments of {token}");
            let ty = a.1.max(b.1);
            return match token.as_str() {
                "__umulhi" => {
                    let [a, b] = [a, b].map(|v| v.cast(Type::Unsigned).0);
                    Value((a * b).floor_div(int(1 << 32)), Type::Unsigned)
                }
                "min" => Value(a.cast(ty).0.min(b.cast(ty).0), ty),
                "max" => Value(a.cast(ty).0.max(b.cast(ty).0), ty),
                name => panic!("a call of {name}"),
            };
        }
        match self.named.iter().find(|(name, _)| *name == token) {
            Some((_, value)) => value.clone(),
            None => Value(var(token), Type::Int),
        }
    }
}

/// The result of an operation on operands of type `ty`.
fn wrapped(e: Expr, ty: Type) -> Value {
    Value(if ty == Type::Unsigned { e.floor_mod(int(1 << 32)) } else { e }, ty)
}

fn apply(operator: &str, left: Value, right: Value) -> Value {
    let shifted = left.1;
    if operator == "<<" || operator == ">>" {
        let (Value(a, _), Value(b, _)) = (left, right);
        return wrapped(if operator == "<<" { a << b } else { a >> b }, shifted);
    }
    if operator == "&&" || operator == "||" {
        return Value(if operator == "&&" { left.0.and(right.0) } else { left.0.or(right.0) }, Type::Int);
    }
    let ty = left.1.max(right.1);
    let (Value(a, _), Value(b, _)) = (left.cast(ty), right.cast(ty));
    let truth = match operator {
        "<" => a.lt(b),
        "<=" => a.le(b),
        ">" => a.gt(b),
        ">=" => a.ge(b),
        "==" => a.equals(b),
        "!=" => a.differs(b),
        _ => {
            let e = match operator {
                "+" => a + b,
                "-" => a - b,
                "*" => a * b,
                "&" => a & b,
                "|" => a | b,
                "^" => a ^ b,
                _ => panic!("the operator {operator}"),
            };
            return wrapped(e, ty);
        }
    };
    Value(truth, Type::Int)
}
