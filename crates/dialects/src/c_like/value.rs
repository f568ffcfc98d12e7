//! Values with their types, and the operations on them.
//!
//! A value of an unsigned type of up to 32 bits is stored as an integer that is equal to it modulo a power of two.
//! Sums, products and bit operations on such integers are equal to the results in C modulo this power. The remainder
//! `%` is written only where the value itself is used.

use super::types::Type;
use crate::dialect::Dialect;
use crate::reading::Requirement;
use quaff_expr::domain::{Domain, Interval, interval_of_op};
use quaff_expr::expr::{Expr, Nodes, Op, int, var};
use quaff_expr::integer::floor_mod;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// An integer value of a type.
#[derive(Clone, Debug)]
pub(super) struct Value {
    /// An expression that is equal to the value. If the type wraps around, it is equal modulo the power of two of the
    /// type.
    pub(super) expr: Expr,
    /// The range of `expr`.
    pub(super) range: Interval,
    pub(super) ty: Type,
    /// Whether the value is a literal. In Halide, a literal gets the type of the other operand.
    pub(super) is_literal: bool,
}

/// Builds values, and collects their requirements.
pub(super) struct Maker {
    pub(super) dialect: Dialect,
    pub(super) nodes: Nodes,
    pub(super) domain: Domain,
    pub(super) requirements: Vec<Requirement>,
    /// The addresses of the values in `requirements`, which prevent duplicates.
    required: FxHashSet<usize>,
    /// The free names with their values.
    free: FxHashMap<String, Value>,
}

/// The reason why a 64-bit unsigned number must be in range.
const WRAPS: &str = "wraps around at 2^64 where it is negative";
/// The reason why a value that is shifted to the left and back to the right must fit its type.
const LOSES_BITS: &str = "may lose bits above its type before it is shifted to the right";

impl Maker {
    pub(super) fn new(dialect: Dialect) -> Maker {
        let (nodes, domain, requirements) = (Nodes::default(), Domain::new(), Vec::new());
        let (required, free) = (FxHashSet::default(), FxHashMap::default());
        Maker { dialect, nodes, domain, requirements, required, free }
    }

    pub(super) fn is_halide(&self) -> bool {
        self.dialect == Dialect::Halide
    }

    pub(super) fn number(&mut self, value: i64, ty: Type, span: &Range<usize>) -> Value {
        let expr = self.nodes.one(int(value), span);
        Value { expr, range: Interval::point(value), ty, is_literal: true }
    }

    /// The value of the unknown `name`, which is in `range`. If the range is guaranteed, the first use adds it to the
    /// domain.
    pub(super) fn unknown(
        &mut self,
        name: &str,
        ty: Type,
        range: Interval,
        is_guaranteed: bool,
        span: &Range<usize>,
    ) -> Value {
        let expr = self.nodes.one(var(name), span);
        if let Some(known) = self.free.get(name) {
            return known.clone();
        }
        if is_guaranteed && range != Interval::ALL {
            self.domain.add_bounds(name, range);
        }
        let value = Value { expr, range, ty, is_literal: false };
        self.free.insert(name.into(), value.clone());
        value
    }

    /// Applies `op` to expressions with ranges.
    fn applied(&mut self, op: Op, args: &[&Value], ty: Type, span: &Range<usize>) -> Value {
        let ranges: Vec<Interval> = args.iter().map(|a| a.range).collect();
        let range = interval_of_op(&op, &ranges);
        let expr = self.nodes.one(Expr::new(op, args.iter().map(|a| a.expr.clone())), span);
        Value { expr, range, ty, is_literal: false }
    }

    /// `v` with an expression that is equal to the value itself, and not only modulo a power of two.
    pub(super) fn settled(&mut self, v: &Value, span: &Range<usize>) -> Value {
        let Some(modulus) = v.ty.modulus() else {
            if v.ty.is_unsigned && !v.range.is_nonneg() {
                self.require(&v.expr, Type::SIZE.range(), WRAPS);
                let range = v.range.meet(v.ty.range()).unwrap_or(v.ty.range());
                return Value { range, ..v.clone() };
            }
            return v.clone();
        };
        self.modulo(v, modulus, span)
    }

    fn modulo(&mut self, v: &Value, modulus: i64, span: &Range<usize>) -> Value {
        if v.range.within(0, i128::from(modulus) - 1) {
            return v.clone();
        }
        if let Some(c) = v.expr.as_const() {
            let value = i64::try_from(floor_mod(c.into(), modulus.into())).unwrap_or(c);
            return Value { is_literal: v.is_literal, ..self.number(value, v.ty, span) };
        }
        let modulus = self.number(modulus, v.ty, span);
        self.applied(Op::FloorMod, &[v, &modulus], v.ty, span)
    }

    /// `v` as a signed number of `bits` bits.
    fn wrapped(&mut self, v: &Value, bits: u32, span: &Range<usize>) -> Value {
        let (half, ty) = (1i64 << (bits - 1), Type { bits, is_unsigned: false });
        if v.range.within(-i128::from(half), i128::from(half) - 1) {
            return Value { ty, ..v.clone() };
        }
        if let Some(c) = v.expr.as_const() {
            let value = floor_mod(i128::from(c) + i128::from(half), 1 << bits) - i128::from(half);
            return Value { is_literal: v.is_literal, ..self.number(i64::try_from(value).unwrap_or(c), ty, span) };
        }
        let half = self.number(half, ty, span);
        let sum = self.applied(Op::Add, &[v, &half], ty, span);
        let remainder = self.modulo(&sum, 1 << bits, span);
        self.applied(Op::Sub, &[&remainder, &half], ty, span)
    }

    fn require(&mut self, value: &Expr, range: Interval, reason: &'static str) {
        if self.required.insert(value.address()) {
            self.requirements.push(Requirement { value: value.clone(), part: value.clone(), range, reason });
        }
    }

    /// `v` converted to `ty`.
    pub(super) fn converted(&mut self, v: &Value, ty: Type, span: &Range<usize>) -> Value {
        let is_wider = ty.bits > v.ty.bits;
        if ty == Type::BOOL {
            return self.truth(v, span);
        }
        if v.ty.is_unsigned && is_wider {
            // an unsigned value is extended with zeros, which needs its exact value
            return Value { ty, ..self.settled(v, span) };
        }
        if ty.is_unsigned || ty.bits == 64 || !v.ty.is_unsigned && ty.bits >= v.ty.bits {
            return Value { ty, ..v.clone() };
        }
        self.wrapped(v, ty.bits, span)
    }

    /// A conversion in the text. Its result is not a literal.
    pub(super) fn cast(&mut self, v: &Value, ty: Type, span: &Range<usize>) -> Value {
        Value { is_literal: false, ..self.converted(v, ty, span) }
    }

    /// The `bool` that is 1 if `v` is not 0.
    fn truth(&mut self, v: &Value, span: &Range<usize>) -> Value {
        let v = self.settled(v, span);
        if v.range.within(0, 1) {
            return Value { ty: Type::BOOL, ..v };
        }
        let zero = self.number(0, v.ty, span);
        self.applied(Op::Ne, &[&v, &zero], Type::BOOL, span)
    }

    /// The two operands, converted to the type of the result.
    pub(super) fn common(&mut self, a: &Value, b: &Value, span: &Range<usize>) -> (Value, Value) {
        let ty = match (self.is_halide(), a.is_literal, b.is_literal) {
            (false, ..) => a.ty.common(b.ty),
            (true, true, false) => b.ty,
            (true, false, true) => a.ty,
            (true, ..) => a.ty.matched(b.ty),
        };
        (self.converted(a, ty, span), self.converted(b, ty, span))
    }

    /// `v` as the operand of a unary operator or of a shift.
    pub(super) fn promoted(&mut self, v: &Value, span: &Range<usize>) -> Value {
        let ty = if self.is_halide() { v.ty } else { v.ty.promoted() };
        self.converted(v, ty, span)
    }

    /// The operators `+ - * & | ^`. Their operands may be values that are known only modulo a power of two.
    pub(super) fn ring(&mut self, op: Op, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        let (a, b) = self.common(a, b, span);
        let result = self.applied(op.clone(), &[&a, &b], a.ty, span);
        if a.ty.modulus().is_none() || result.range.bounded().is_some() {
            return self.narrow(result, span);
        }
        // products of more than two wrapped numbers would exceed 128 bits
        let (a, b) = (self.settled(&a, span), self.settled(&b, span));
        self.applied(op, &[&a, &b], a.ty, span)
    }

    /// Wraps a signed value of 8 or 16 bits, which Halide sums may have.
    fn narrow(&mut self, v: Value, span: &Range<usize>) -> Value {
        if v.ty.is_unsigned || v.ty.bits >= 32 { v } else { self.wrapped(&v, v.ty.bits, span) }
    }

    pub(super) fn comparison(&mut self, op: Op, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        let (a, b) = self.operands(a, b, span);
        self.applied(op, &[&a, &b], self.truth_type(), span)
    }

    /// The type of a comparison, as in C++. The type differs from C, which is visible only with `auto`.
    fn truth_type(&self) -> Type {
        if self.is_halide() { Type::INT } else { Type::BOOL }
    }

    /// The operators `&& || !`.
    pub(super) fn logic(&mut self, op: Op, args: &[&Value], span: &Range<usize>) -> Value {
        let settled: Vec<Value> = args.iter().map(|a| self.settled(a, span)).collect();
        let args: Vec<&Value> = settled.iter().collect();
        self.applied(op, &args, self.truth_type(), span)
    }

    pub(super) fn negated(&mut self, v: &Value, span: &Range<usize>) -> Value {
        let v = self.promoted(v, span);
        match v.expr.as_const().and_then(i64::checked_neg) {
            Some(c) => Value { is_literal: v.is_literal, ..self.number(c, v.ty, span) },
            None => {
                let minus = self.applied(Op::Neg, &[&v], v.ty, span);
                self.narrow(minus, span)
            }
        }
    }

    pub(super) fn complement(&mut self, v: &Value, span: &Range<usize>) -> Value {
        let v = self.promoted(v, span);
        if let Some(c) = v.expr.as_const() {
            return Value { is_literal: v.is_literal, ..self.number(!c, v.ty, span) };
        }
        let range = v.range.scaled(-1).plus(Interval::point(-1));
        Value { expr: self.nodes.complement(&v.expr, span), range, ty: v.ty, is_literal: false }
    }

    pub(super) fn shift(&mut self, op: Op, a: &Value, count: &Value, span: &Range<usize>) -> Value {
        let (mut a, count) = (self.promoted(a, span), self.settled(count, span));
        if op == Op::Shr && *a.expr.op() == Op::Shl && !a.ty.is_unsigned {
            // `(x << 24) >> 24` extends the sign of a byte, because the bits above the type are dropped. An interval
            // cannot exclude a value of more than 64 bits, so a type of 64 bits has to hold the value in 63 bits.
            let bits = a.ty.bits.min(63);
            self.require(&a.expr, Type { bits, is_unsigned: false }.range(), LOSES_BITS);
        }
        let result = self.applied(op.clone(), &[&a, &count], a.ty, span);
        if op == Op::Shl && (a.ty.modulus().is_none() || result.range.bounded().is_some()) {
            return self.narrow(result, span);
        }
        a = self.settled(&a, span);
        self.applied(op, &[&a, &count], a.ty, span)
    }

    pub(super) fn select(&mut self, condition: &Value, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        let condition = self.settled(condition, span);
        if a.ty == b.ty {
            return self.applied(Op::Select, &[&condition, a, b], a.ty, span);
        }
        let (a, b) = self.common(a, b, span);
        self.applied(Op::Select, &[&condition, &a, &b], a.ty, span)
    }

    pub(super) fn abs(&mut self, v: &Value, span: &Range<usize>) -> Value {
        let v = self.promoted(v, span);
        let v = self.converted(&v, Type { is_unsigned: false, ..v.ty }, span);
        if v.range.is_nonneg() {
            return v;
        }
        let minus = self.applied(Op::Neg, &[&v], v.ty, span);
        let expr = self.nodes.abs(&v.expr, span);
        Value { expr, range: v.range.max(minus.range), ..minus }
    }

    /// The greatest common divisor. If it has no expression, the error contains the two remaining operands.
    pub(super) fn gcd(&mut self, a: &Value, b: &Value, span: &Range<usize>) -> Result<Value, [Expr; 2]> {
        let (a, b) = self.operands(a, b, span);
        let both = [a.expr.clone(), b.expr.clone()];
        let expr = self.nodes.gcd(&both, span)?.unwrap_or(a.expr);
        let range = a.range.hull(b.range).max(a.range.hull(b.range).scaled(-1)).max(Interval::point(0));
        let range = range.hull(Interval::point(0));
        Ok(Value { expr, range, ty: a.ty, is_literal: false })
    }

    /// The operators `/` and `%` of the dialect. They are `//` and `%` if no operand is negative.
    pub(super) fn division(&mut self, op: Op, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        if self.is_halide() { self.euclidean(op, a, b, span) } else { self.truncated(op, a, b, span) }
    }

    /// The two operands, converted to one type, with exact expressions.
    fn operands(&mut self, a: &Value, b: &Value, span: &Range<usize>) -> (Value, Value) {
        let (a, b) = self.common(a, b, span);
        (self.settled(&a, span), self.settled(&b, span))
    }

    /// The operators `// % min max`, on operands that are converted to one type.
    pub(super) fn exact(&mut self, op: Op, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        let (a, b) = self.operands(a, b, span);
        self.applied(op, &[&a, &b], a.ty, span)
    }

    /// The quotient that is rounded towards zero, or its remainder.
    pub(super) fn truncated(&mut self, op: Op, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        let (a, b) = self.operands(a, b, span);
        if a.ty.is_unsigned || a.range.is_nonneg() && b.range.is_nonneg() {
            return self.applied(op, &[&a, &b], a.ty, span);
        }
        let magnitude = |r: Interval| r.max(r.scaled(-1)).max(Interval::point(0));
        let magnitude = interval_of_op(&op, &[magnitude(a.range), magnitude(b.range)]);
        let both = magnitude.hull(magnitude.scaled(-1));
        let (expr, range) = match op {
            Op::FloorMod if a.range.is_nonneg() => (a.expr.trunc_mod(&b.expr), magnitude),
            Op::FloorMod => (a.expr.trunc_mod(&b.expr), both),
            _ => (a.expr.trunc_div(&b.expr), both),
        };
        Value { expr: self.nodes.one(expr, span), range, ty: a.ty, is_literal: false }
    }

    /// The quotient whose remainder is never negative, or that remainder.
    fn euclidean(&mut self, op: Op, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        let (a, b) = self.operands(a, b, span);
        if b.range.is_nonneg() {
            return self.applied(op, &[&a, &b], a.ty, span);
        }
        let minus = self.negated(&b, span);
        if op == Op::FloorMod {
            let magnitude =
                if minus.range.is_nonneg() { minus } else { self.applied(Op::Max, &[&b, &minus], b.ty, span) };
            return self.applied(op, &[&a, &magnitude], a.ty, span);
        }
        let quotient = self.applied(op.clone(), &[&a, &minus], a.ty, span);
        let below = self.applied(Op::Neg, &[&quotient], a.ty, span);
        if minus.range.is_nonneg() {
            return below;
        }
        let above = self.applied(op, &[&a, &b], a.ty, span);
        let zero = self.number(0, b.ty, span);
        let is_above = self.applied(Op::Gt, &[&b, &zero], Type::INT, span);
        self.applied(Op::Select, &[&is_above, &above, &below], a.ty, span)
    }

    /// The upper 32 bits of the product of two numbers of 32 bits.
    pub(super) fn high(&mut self, a: &Value, b: &Value, span: &Range<usize>) -> Value {
        let (a, b) = self.operands(a, b, span);
        let product = self.applied(Op::Mul, &[&a, &b], Type::LONG, span);
        let modulus = self.number(1 << 32, Type::LONG, span);
        let upper = self.applied(Op::FloorDiv, &[&product, &modulus], a.ty, span);
        Value { range: upper.range.meet(a.ty.range()).unwrap_or(upper.range), ..upper }
    }

    /// The lower 32 bits of the product of the lower 24 bits of two numbers.
    pub(super) fn short_product(&mut self, a: &Value, b: &Value, is_unsigned: bool, span: &Range<usize>) -> Value {
        let mut lower = |v: &Value| match is_unsigned {
            true => self.modulo(v, 1 << 24, span),
            false => self.wrapped(v, 24, span),
        };
        let (a, b) = (lower(a), lower(b));
        let ty = Type { bits: 32, is_unsigned };
        let product = self.applied(Op::Mul, &[&a, &b], ty, span);
        if is_unsigned { product } else { self.wrapped(&product, 32, span) }
    }
}
