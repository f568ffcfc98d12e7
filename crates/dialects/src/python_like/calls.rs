//! Reads calls of functions and methods.

use super::functions::Function;
use super::numbers::{Number, number};
use super::reader::Reader;
use super::refusal::{Reading, Refusal, shorten};
use super::value::{Item, Shape, Truth, Value};
use crate::reading::Requirement;
use quaff_expr::domain::Bounds;
use quaff_expr::expr::name::is_readable;
use quaff_expr::expr::{Expr, Op, int, var};
use std::ops::Range;
use std::rc::Rc;

/// The arguments of one call.
pub(super) struct Arguments<'a, 't> {
    /// The function name in the text.
    pub(super) function: &'t str,
    pub(super) span: Range<usize>,
    pub(super) positional: Vec<&'a Item>,
    pub(super) keywords: Vec<(&'t str, &'a Item)>,
}

impl<'a> Arguments<'a, '_> {
    /// The argument at `place`, or the argument with the keyword `name`.
    pub(super) fn get(&self, place: usize, name: &str) -> Option<&'a Item> {
        let keyword = || self.keywords.iter().find(|k| k.0 == name).map(|k| k.1);
        self.positional.get(place).copied().or_else(keyword)
    }

    /// The argument at `place` or with the keyword `name`. A missing argument is an error.
    pub(super) fn need(&self, place: usize, name: &str) -> Reading<&'a Item> {
        match self.get(place, name) {
            Some(item) => Ok(item),
            None => Refusal::new(format!("`{}` needs an argument `{name}`", self.function), &self.span).err(),
        }
    }

    /// All arguments. There must be exactly `N`, without keywords.
    fn exactly<const N: usize>(&self) -> Reading<[&'a Item; N]> {
        if let Some((name, item)) = self.keywords.first() {
            let message = format!("`{}` has no argument `{name}` here", self.function);
            return Refusal::new(message, &item.span).help("write the arguments without names").err();
        }
        <[&Item; N]>::try_from(&self.positional[..]).or_else(|_| self.wrong_number(N))
    }

    fn wrong_number<T>(&self, expected: usize) -> Reading<T> {
        let expected = ["no arguments", "one argument", "two arguments", "three arguments"].get(expected);
        let (function, found) = (self.function, self.positional.len());
        let message = format!("`{function}` takes {}, found {found}", expected.unwrap_or(&"two or more arguments"));
        Refusal::new(message, &self.span).err()
    }
}

impl<'t> Reader<'t> {
    /// Reads `function(arguments)`.
    pub(super) fn call(
        &mut self,
        function: &Item,
        arguments: &Item,
        span: &Range<usize>,
        shape: Shape,
    ) -> Reading<(Value, Shape)> {
        // `(int)(x)` is a call, too
        let name = self.text[function.span.clone()].trim_matches(['(', ')', ' ']);
        let items = match &arguments.value {
            Value::Many(items) => items,
            Value::Refused(refusal) => return Err(Rc::clone(refusal)),
            _ => return self.unknown(name, &function.span),
        };
        let mut found = Arguments { function: name, span: span.clone(), positional: Vec::new(), keywords: Vec::new() };
        for item in items.iter() {
            match &item.value {
                Value::Keyword(value) => {
                    let text = &self.text[item.span.clone()];
                    let name = text.split('=').next().unwrap_or_default().trim();
                    // `evaluate=False` of sympy affects only printing
                    if name != "evaluate" {
                        found.keywords.push((name, value));
                    }
                }
                _ => found.positional.push(item),
            }
        }
        if let Some(meaning) = self.language.function(name) {
            return self.meaning(meaning, &found, shape);
        }
        if let Value::Member(object) = &function.value {
            let method = name.rsplit('.').next().unwrap_or_default().trim();
            if let Some(meaning) = self.language.method(method) {
                found.positional.insert(0, object);
                found.function = method;
                return self.meaning(meaning, &found, shape.max(object.shape));
            }
        }
        self.unknown(name, &function.span)
    }

    fn unknown<T>(&self, name: &str, at: &Range<usize>) -> Reading<T> {
        let dialect = self.language.dialect;
        let refusal = Refusal::new(format!("`{}` is no function of `{dialect}`", shorten(name)), at);
        if matches!(name, "sizeof" | "__umulhi" | "min_t" | "max_t") {
            return refusal.help("`--from c` reads texts of C").err();
        }
        if !is_readable(name) {
            return refusal.help("an operator is missing before the parentheses").err();
        }
        refusal.help(self.language.hint(name)).err()
    }

    fn meaning(&mut self, function: Function, args: &Arguments, shape: Shape) -> Reading<(Value, Shape)> {
        let span = &args.span;
        let shape = match function {
            Function::CeilDiv | Function::TensorCeilDiv | Function::Same | Function::Abs | Function::Round(_) => shape,
            // the other functions turn literals into tensors
            _ => shape.max(Shape::Any),
        };
        let value = match function {
            Function::Apply(op) => return self.operator(op, args, shape),
            Function::Fold(op) => Value::Int(self.folded(op, args)?),
            Function::Gcd => Value::Int(self.gcd(args)?),
            Function::Symbol | Function::Variable => Value::Int(self.symbol(args)?),
            Function::Assume => {
                let condition = self.int(args.need(0, "cond")?)?;
                self.assumptions.push(condition);
                Value::nothing(span)
            }
            Function::Silent => Value::nothing(span),
            Function::Piecewise => Value::Int(self.piecewise(args)?),
            Function::Axis(name, ranges) => return Ok((Value::Int(self.axis(name, ranges, args)?), Shape::Any)),
            Function::Arange => return Ok((Value::Int(self.arange(args)?), Shape::Tensor(1))),
            Function::Load => self.access(args, 1)?,
            Function::Store => self.access(args, 2)?,
            Function::Same => args.need(0, "x")?.value.clone(),
            Function::Cast { value, number } => {
                let (value, named) = (args.need(value, "value")?, args.need(number, "dtype")?);
                if let Value::Access(_) = value.value {
                    return Ok((value.value.clone(), value.shape));
                }
                let name = self.text[named.span.clone()].trim_matches(['"', '\'']);
                Value::Int(self.cast(value, name.rsplit('.').next().unwrap_or_default(), &named.span, span)?)
            }
            Function::Number(name) => {
                let value = args.need(0, "value")?;
                Value::Int(self.cast(value, name, span, span)?)
            }
            Function::Refused(reason) => {
                return Refusal::new(format!("`{}` {reason}", args.function), span).err();
            }
            _ => self.arithmetic(function, args, shape)?,
        };
        Ok((value, shape))
    }

    /// Applies the operator that the function is equivalent to.
    fn operator(&mut self, op: &Op, args: &Arguments, shape: Shape) -> Reading<(Value, Shape)> {
        let span = &args.span;
        let value = match op.arity() {
            1 => {
                let [x] = args.exactly()?;
                let x = self.int(x)?;
                self.apply(op, &[x], span)
            }
            3 => {
                let [condition, then, otherwise] = args.exactly()?;
                return Ok((self.choice([condition, then, otherwise], span)?, shape));
            }
            _ => {
                let [a, b] = args.exactly()?;
                let [a, b] = if op.is_comparison() { self.sides(a, b, span)? } else { [self.int(a)?, self.int(b)?] };
                self.of_two(op, a, b, span)
            }
        };
        Ok((Value::Int(value), shape))
    }

    fn arithmetic(&mut self, function: Function, args: &Arguments, shape: Shape) -> Reading<Value> {
        let span = &args.span;
        if let Function::Round(rounding) = function {
            let [x] = args.exactly()?;
            return Ok(Value::Int(self.rounded(x, rounding, span)?));
        }
        if let Function::TrueDiv = function {
            // `Rational(3)` is an integer
            return match args.positional[..] {
                [x] => Ok(x.value.clone()),
                _ => {
                    let [a, b] = args.exactly()?;
                    Ok(Value::Fraction(self.quotient_of(a, b, span)?))
                }
            };
        }
        if let Function::Abs | Function::Complement = function {
            let [x] = args.exactly()?;
            let x = self.int(x)?;
            let is_abs = matches!(function, Function::Abs);
            return Ok(Value::Int(if is_abs { self.nodes.abs(&x, span) } else { self.complement(&x, span)? }));
        }
        if let Function::Clip = function {
            return self.clip(args);
        }
        if let Function::ModularIndexing = function {
            let [x, a, b] = args.exactly()?;
            let (x, a, b) = (self.int(x)?, self.int(a)?, self.int(b)?);
            let quotient = self.apply(&Op::FloorDiv, &[x, a], span);
            return Ok(Value::Int(self.apply(&Op::FloorMod, &[quotient, b], span)));
        }
        let [a_item, b_item] = args.exactly()?;
        let (a, b) = (self.int(a_item)?, self.int(b_item)?);
        Ok(Value::Int(match function {
            Function::TruncDiv => self.nodes.one(a.trunc_div(b), span),
            Function::TruncMod => self.nodes.one(a.trunc_mod(b), span),
            Function::CeilDiv => self.ceil_div(&a, &b, span, Shape::Literal),
            Function::TensorCeilDiv => self.ceil_div(&a, &b, span, shape),
            Function::Divmod => {
                let quotient = self.apply(&Op::FloorDiv, &[a.clone(), b.clone()], span);
                let remainder = self.apply(&Op::FloorMod, &[a, b], span);
                let item = |e| Item { value: Value::Int(e), span: span.clone(), shape };
                return Ok(Value::Many(Rc::new([item(quotient), item(remainder)])));
            }
            _ => self.power(&a, &b, &b_item.span, span)?,
        }))
    }

    /// Builds `(a + b - 1) // b`.
    fn ceil_div(&mut self, a: &Expr, b: &Expr, span: &Range<usize>, shape: Shape) -> Expr {
        let numerator = match b.as_const().and_then(|b| b.checked_sub(1)) {
            Some(less) => {
                let less = self.nodes.one(int(less), span);
                self.apply(&Op::Add, &[a.clone(), less], span)
            }
            None => {
                let sum = self.apply(&Op::Add, &[a.clone(), b.clone()], span);
                let one = self.nodes.one(int(1), span);
                self.apply(&Op::Sub, &[sum, one], span)
            }
        };
        self.quotient(&numerator, b, span, shape)
    }

    /// The greatest common divisor of two or more arguments.
    fn gcd(&mut self, args: &Arguments) -> Reading<Expr> {
        let operands = self.operands(args)?;
        let divisor = self.nodes.gcd(&operands, &args.span).map_err(|[a, b]| {
            let message = format!("the gcd of `{a}` and `{b}` is not known, and a result has no gcd");
            Refusal::new(message, &args.span).help("one of both has to be a number, or a multiple of the other")
        })?;
        Ok(divisor.unwrap_or_else(|| operands[0].clone()))
    }

    /// Applies an operator to two or more arguments, or to the items of one tuple.
    fn folded(&mut self, op: &Op, args: &Arguments) -> Reading<Expr> {
        let operands = self.operands(args)?;
        Ok(self.nodes.applied(op, &operands, &args.span).unwrap_or_else(|| operands[0].clone()))
    }

    /// The operands: two or more arguments, or the items of one tuple.
    fn operands(&mut self, args: &Arguments) -> Reading<Vec<Expr>> {
        if let Some((name, item)) = args.keywords.first() {
            return Refusal::new(format!("`{}` has no argument `{name}` here", args.function), &item.span).err();
        }
        let operands: Reading<Vec<Expr>> = match args.positional[..] {
            [Item { value: Value::Many(items), .. }] => items.iter().map(|item| self.int(item)).collect(),
            _ => args.positional.iter().map(|item| self.int(item)).collect(),
        };
        let operands = operands?;
        if operands.len() < 2 {
            return args.wrong_number(4);
        }
        Ok(operands)
    }

    /// Builds `min(max(x, low), high)`. Bounds that are `None` are left out.
    fn clip(&mut self, args: &Arguments) -> Reading<Value> {
        let mut value = self.int(args.need(0, "x")?)?;
        let bound = |place, name, long| args.get(place, name).map_or_else(|| args.need(place, long), Ok);
        let bounds = [(Op::Max, bound(1, "min", "a_min")?), (Op::Min, bound(2, "max", "a_max")?)];
        for (op, bound) in bounds.into_iter().filter(|(_, bound)| !matches!(bound.value, Value::None)) {
            let bound = self.int(bound)?;
            value = self.apply(&op, &[value, bound], &args.span);
        }
        Ok(Value::Int(value))
    }

    /// Reads `Piecewise((value, condition), ..., (value, True))`.
    fn piecewise(&mut self, args: &Arguments) -> Reading<Expr> {
        let mut pieces = Vec::new();
        for item in &args.positional {
            match &item.value {
                Value::Many(pair) if pair.len() == 2 => pieces.push((self.int(&pair[0])?, self.int(&pair[1])?)),
                _ => {
                    return Refusal::new("a piece is a value and a condition", &item.span)
                        .help("write `Piecewise((a, c), (b, True))`")
                        .err();
                }
            }
        }
        let Some((last, condition)) = pieces.pop() else { return args.wrong_number(4) };
        if condition.as_const() != Some(1) {
            return Refusal::new("there is no value where no condition holds", &args.span)
                .help("the condition of the last piece is `True`")
                .err();
        }
        let choice =
            |otherwise, (value, condition)| self.apply(&Op::Select, &[condition, value, otherwise], &args.span);
        Ok(pieces.into_iter().rev().fold(last, choice))
    }

    /// Reads `Symbol('x')` and `Variable("x", low, high)`.
    fn symbol(&mut self, args: &Arguments) -> Reading<Expr> {
        let name_at = &args.need(0, "name")?.span;
        let name = self.text[name_at.clone()].trim_matches(['"', '\'']);
        if !is_readable(name) {
            return Refusal::new(format!("`{}` is no name of a variable", shorten(name)), name_at).err();
        }
        let says = |word: &str| args.keywords.iter().any(|k| k.0 == word && &self.text[k.1.span.clone()] == "True");
        let ends = [args.get(1, "low"), args.get(2, "high")].map(|end| end.and_then(|end| self.int(end).ok()));
        let least = if says("positive") { Some(1) } else { says("nonnegative").then_some(0) };
        let [low, high] = ends;
        let range = Bounds::new(low.or(least.map(int)), high);
        if range != Bounds::default() {
            self.add_range(name.into(), range);
        }
        Ok(self.nodes.one(var(name), &args.span))
    }

    /// Converts `value` to the number type `name`.
    fn cast(&mut self, value: &Item, name: &str, name_at: &Range<usize>, span: &Range<usize>) -> Reading<Expr> {
        let Some(number) = number(name) else {
            return Refusal::new(format!("`{}` is no type of integers", shorten(name)), name_at)
                .help("types are int8 to int64, uint8 to uint64 and bool")
                .err();
        };
        let value = self.int(value)?;
        match number {
            Number::Wide => Ok(value),
            Number::Truth if self.truth(&value) == Truth::Yes => Ok(value),
            Number::Truth => {
                let zero = self.nodes.one(int(0), span);
                Ok(self.apply(&Op::Ne, &[value, zero], span))
            }
            Number::Narrow(range, reason) => {
                self.requirements.push(Requirement { value: value.clone(), part: value.clone(), range, reason });
                Ok(value)
            }
        }
    }
}
