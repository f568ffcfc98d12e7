//! The meanings of operators.

use super::language::{Complement, Division, Logic, Slash};
use super::reader::Reader;
use super::refusal::{Reading, Refusal, shorten};
use super::value::{Item, Shape, Truth, Value};
use crate::dialect::Dialect;
use quaff_expr::expr::{Expr, Op, int, parse};
use std::ops::Range;

/// The greatest exponent that is read as a product.
const MAX_EXPONENT: i64 = 16;

/// An operand with its place in the text.
type Placed = (Expr, Range<usize>);

impl Reader<'_> {
    /// The integer literal `text`, which may have a minus sign.
    pub(super) fn literal(&mut self, text: &str, span: &Range<usize>) -> Reading<Expr> {
        let digits = text.trim_start_matches('-');
        if digits.ends_with(['l', 'L', 'j', 'J']) {
            return Refusal::new(format!("`{}` is not an integer", shorten(text)), span)
                .help("`--from c` reads integers with a suffix")
                .err();
        }
        let is_octal = digits.starts_with('0') && digits.bytes().any(|b| b.is_ascii_digit() && b != b'0');
        if is_octal && digits.bytes().all(|b| b.is_ascii_digit() || b == b'_') {
            return Refusal::new(format!("`{}` begins with 0", shorten(text)), span)
                .help("octal integers begin with 0o")
                .err();
        }
        match parse(text) {
            // `-0` is not a constant in the infix grammar, so it is read as 0
            Ok(value) => Ok(self.nodes.one(int(value.expr().as_const().unwrap_or(0)), span)),
            Err(error) => {
                let help = miette::Diagnostic::help(&error).map(|h| h.to_string()).unwrap_or_default();
                Refusal::new(error.to_string(), span).help(help).err()
            }
        }
    }

    /// Reads `-x`, `+x` or `~x`.
    pub(super) fn unary(&mut self, sign: &Item, operand: &Item, span: &Range<usize>) -> Reading<Value> {
        let sign = &self.text[sign.span.clone()];
        let text = &self.text[operand.span.clone()];
        let is_literal =
            text.starts_with(|c: char| c.is_ascii_digit()) && text.bytes().all(quaff_expr::expr::name::is_word);
        if sign == "-" && is_literal {
            // the least integer can only be written with its sign, and 0 needs no sign
            return Ok(Value::Int(self.literal(&format!("-{text}"), span)?));
        }
        if let (Value::Fraction(fraction), "-" | "+") = (&operand.value, sign) {
            let value = if sign == "-" { self.negated(fraction, span) } else { fraction.clone() };
            return Ok(Value::Fraction(value));
        }
        let e = self.int(operand)?;
        Ok(Value::Int(match sign {
            "-" => self.apply(&Op::Neg, &[e], span),
            // a truth value of literals is a number, as in Python
            "~" if operand.shape == Shape::Literal && self.language.complement == Complement::NotOfTruths => {
                self.nodes.complement(&e, span)
            }
            "~" => self.complement(&e, span)?,
            _ => e,
        }))
    }

    /// Builds `~e`.
    pub(super) fn complement(&mut self, e: &Expr, span: &Range<usize>) -> Reading<Expr> {
        match (self.language.complement, self.truth(e)) {
            (Complement::Not, _) | (Complement::NotOfTruths, Truth::Yes) => {
                Ok(self.apply(&Op::Not, std::slice::from_ref(e), span))
            }
            (_, Truth::No) => Ok(self.nodes.complement(e, span)),
            (_, Truth::Unclear) => Refusal::new("whether this is a truth value is not in the text", span)
                .help("write `mask == 0` for the other truth value, or the definition of the mask in front")
                .err(),
            (Complement::OfType, Truth::Yes) => {
                Refusal::new("`~` of a truth value is -2 or -1 in Python, and the other truth value in numpy", span)
                    .help("write `not`")
                    .err()
            }
        }
    }

    /// Reads `left sign right`.
    pub(super) fn binary(
        &mut self,
        left: &Item,
        sign_at: &Range<usize>,
        right: &Item,
        span: &Range<usize>,
        shape: Shape,
    ) -> Reading<Value> {
        let sign = &self.text[sign_at.clone()];
        let is_slash = sign == "/" && self.language.slash == Slash::Exact;
        let is_fraction = |item: &Item| matches!(item.value, Value::Fraction(_));
        if is_slash || matches!(sign, "+" | "-" | "*") && (is_fraction(left) || is_fraction(right)) {
            return Ok(Value::Fraction(self.fraction_of(left, sign_at, right, span)?));
        }
        let (a, b) = (self.int(left)?, self.int(right)?);
        let op = match sign {
            "//" => return Ok(Value::Int(self.quotient(&a, &b, span, shape))),
            "%" => return Ok(Value::Int(self.remainder(&a, &b, span, shape))),
            "/" => return Ok(Value::Int(self.nodes.one(a.trunc_div(b), span))),
            "**" => return Ok(Value::Int(self.power(&a, &b, &right.span, span)?)),
            _ => Op::with_symbol(sign),
        };
        let Some(op) = op else {
            return Refusal::new(format!("`{sign}` has no meaning for integers"), sign_at)
                .help("operators are + - * // % ** & | ^ << >> ~ and comparisons")
                .err();
        };
        if (self.language.dialect, &op, a.op()) == (Dialect::Triton, &Op::Shr, &Op::Shl) {
            return Refusal::new(
                "bits above the type are lost between `<<` and `>>`, and the type is not in the text",
                span,
            )
            .help("the sign extension of `n` bits has this expression: `(x + (1 << n - 1)) % (1 << n) - (1 << n - 1)`")
            .err();
        }
        Ok(Value::Int(self.of_two(&op, a, b, span)))
    }

    /// Builds the node of a binary operator. A bit operation on truth values is a truth value.
    pub(super) fn of_two(&mut self, op: &Op, a: Expr, b: Expr, span: &Range<usize>) -> Expr {
        let truth = self.truth(&a).min(self.truth(&b));
        let value = self.apply(op, &[a, b], span);
        if op.is_bitwise() {
            self.truths.insert(value.address(), truth);
        }
        value
    }

    /// Reads operands with `&` and `^` between them. `&` has the higher precedence.
    pub(super) fn bits(&mut self, operands: &[Item]) -> Reading<Value> {
        let mut all = None;
        for product in operands.split(|item| &self.text[item.span.clone()] == "^") {
            let mut value = None;
            // the operators inside a group are all `&`
            for item in product.iter().step_by(2) {
                let next = (self.int(item)?, item.span.clone());
                value = Some(self.joined(&Op::BitAnd, value, next));
            }
            if let Some(next) = value {
                all = Some(self.joined(&Op::BitXor, all, next));
            }
        }
        match all {
            Some((value, _)) => Ok(Value::Int(value)),
            None => Refusal::new("there are no operands here", &(0..self.text.len())).err(),
        }
    }

    /// Builds `before op next` with its place. If `next` is the first operand, the result is `next`.
    fn joined(&mut self, op: &Op, before: Option<Placed>, next: Placed) -> Placed {
        let Some((a, at)) = before else { return next };
        let span = at.start..next.1.end;
        (self.of_two(op, a, next.0, &span), span)
    }

    /// Builds `a // b`.
    pub(super) fn quotient(&mut self, a: &Expr, b: &Expr, span: &Range<usize>, shape: Shape) -> Expr {
        match self.division(shape) {
            Division::Floor => self.apply(&Op::FloorDiv, &[a.clone(), b.clone()], span),
            Division::Truncated => self.nodes.one(a.trunc_div(b), span),
        }
    }

    fn remainder(&mut self, a: &Expr, b: &Expr, span: &Range<usize>, shape: Shape) -> Expr {
        match self.division(shape) {
            Division::Floor => self.apply(&Op::FloorMod, &[a.clone(), b.clone()], span),
            Division::Truncated => self.nodes.one(a.trunc_mod(b), span),
        }
    }

    /// The rounding of a division. Literals are Python numbers in every dialect.
    fn division(&self, shape: Shape) -> Division {
        if shape == Shape::Literal { Division::Floor } else { self.language.division }
    }

    /// Builds `base ** exponent` as a product, or as a shift of 1 if the base is 2.
    pub(super) fn power(
        &mut self,
        base: &Expr,
        exponent: &Expr,
        at: &Range<usize>,
        span: &Range<usize>,
    ) -> Reading<Expr> {
        match (base.as_const(), exponent.as_const()) {
            (_, Some(0)) => Ok(self.nodes.one(int(1), span)),
            (_, Some(n @ 1..=MAX_EXPONENT)) => {
                let factors = vec![base.clone(); n as usize];
                Ok(self.nodes.applied(&Op::Mul, &factors, span).unwrap_or_else(|| base.clone()))
            }
            (Some(2), n) if n.is_none_or(|n| n > 0) => {
                let one = self.nodes.one(int(1), span);
                Ok(self.apply(&Op::Shl, &[one, exponent.clone()], span))
            }
            _ => Refusal::new(format!("`{}` is no exponent that is read", shorten(&self.text[at.clone()])), at)
                .help(format!("exponents are the integers 0 to {MAX_EXPONENT}; `2**n` is `1 << n`"))
                .err(),
        }
    }

    /// Reads `left and right` or `left or right`.
    pub(super) fn logic(&mut self, left: &Item, sign: &Item, right: &Item, span: &Range<usize>) -> Reading<Value> {
        let (a, b) = (self.int(left)?, self.int(right)?);
        let is_and = &self.text[sign.span.clone()] == "and";
        let is_truth = |e: &Expr| self.truth(e) == Truth::Yes || matches!(e.as_const(), Some(0 | 1));
        if self.language.logic == Logic::Truth || is_truth(&a) && is_truth(&b) {
            let op = if is_and { Op::And } else { Op::Or };
            return Ok(Value::Int(self.apply(&op, &[a, b], span)));
        }
        let args = if is_and { [a.clone(), b, a] } else { [a.clone(), a, b] };
        Ok(Value::Int(self.apply(&Op::Select, &args, span)))
    }

    /// Reads a comparison, or a chain of comparisons: operands with signs between them.
    pub(super) fn comparison(&mut self, operands: &[Item], span: &Range<usize>) -> Reading<Value> {
        let mut all: Option<Expr> = None;
        for (i, link) in operands.windows(3).enumerate().step_by(2) {
            let [left, sign, right] = link else { continue };
            let symbol = &self.text[sign.span.clone()];
            let Some(op) = Op::with_symbol(symbol).filter(Op::is_comparison) else {
                return Refusal::new(format!("`{symbol}` has no meaning for integers"), &sign.span)
                    .help("comparisons are < <= > >= == !=")
                    .err();
            };
            let args = self.sides(left, right, &sign.span)?;
            let start = if i == 0 { span.start } else { left.span.start };
            let this = self.apply(&op, &args, &(start..right.span.end));
            all = Some(match all {
                Some(before) => self.apply(&Op::And, &[before, this], &(span.start..right.span.end)),
                None => this,
            });
        }
        match all {
            Some(value) => Ok(Value::Int(value)),
            None => Refusal::new("this comparison has no meaning", span).err(),
        }
    }

    /// Builds `where(condition, then, otherwise)`.
    pub(super) fn choice(&mut self, items: [&Item; 3], span: &Range<usize>) -> Reading<Value> {
        let [condition, then, otherwise] = [self.int(items[0])?, self.int(items[1])?, self.int(items[2])?];
        let truth = self.truth(&then).min(self.truth(&otherwise));
        let value = self.apply(&Op::Select, &[condition, then, otherwise], span);
        self.truths.insert(value.address(), truth);
        Ok(Value::Int(value))
    }

    /// Whether `e` is a truth value, by its operator.
    pub(super) fn truth(&self, e: &Expr) -> Truth {
        match e.op() {
            Op::Var(name) if name.contains("mask") => Truth::Unclear,
            op if op.is_truth() => Truth::Yes,
            _ => self.truths.get(&e.address()).copied().unwrap_or(Truth::No),
        }
    }
}
