//! The part that the readers of MLIR and XLA share: it reads tokens and builds expression nodes.

use super::foreign;
use super::lex::{Kind, Token, tokens};
use crate::error::ReadError;
use crate::reading::{Read, Requirement};
use quaff_expr::domain::{Domain, Interval};
use quaff_expr::expr::name::is_readable;
use quaff_expr::expr::{Expr, Nodes, Op, int, var};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The names that are visible in a part of a text.
#[derive(Default)]
pub(super) struct Scope<'s> {
    /// The value of each name.
    pub(super) names: FxHashMap<&'s str, Expr>,
    /// Whether only the names in `names` are allowed. A map allows only its dimensions and symbols.
    pub(super) is_closed: bool,
}

/// A text with its tokens and the nodes made so far.
pub(super) struct Reader<'s> {
    pub(super) source: &'s str,
    tokens: Vec<Token>,
    at: usize,
    pub(super) nodes: Nodes,
    pub(super) requirements: Vec<Requirement>,
}

/// An operand of an expression with its place.
struct Operand {
    expr: Expr,
    span: Range<usize>,
}

/// A binary operator.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Binary {
    Node(&'static Op),
    CeilDiv,
}

/// An operator that still needs its last operand, or a bracket that still needs `)`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pending {
    Binary(Binary),
    Minus,
    Open,
}

const ADD: u8 = 1;
const MUL: u8 = 2;
const MINUS: u8 = 3;

impl Pending {
    /// The precedence with which the operator binds the operand to its right. A bracket binds nothing.
    fn precedence(self) -> u8 {
        match self {
            Pending::Open => 0,
            Pending::Binary(Binary::Node(Op::Add | Op::Sub)) => ADD,
            Pending::Binary(_) => MUL,
            Pending::Minus => MINUS,
        }
    }
}

const AN_OPERAND: &str = "a number, a name, `-` or `(`";
const POSITIVE: &str = "divides in floordiv, ceildiv or mod, which have no meaning where it is not positive";

impl<'s> Reader<'s> {
    pub(super) fn new(source: &'s str) -> Reader<'s> {
        let (nodes, requirements) = (Nodes::default(), Vec::new());
        Reader { source, tokens: tokens(source), at: 0, nodes, requirements }
    }

    /// Ends the reading, and returns the text with these results.
    pub(super) fn finish(self, results: Vec<Expr>, domain: Domain) -> Read {
        Read { results: self.nodes.finish(results, self.source), domain, requirements: self.requirements }
    }

    /// The index of the next token.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// The byte position after the last token that was read.
    pub(super) fn behind(&self) -> usize {
        self.tokens[self.at.saturating_sub(1)].span.end
    }

    /// Moves to a token.
    pub(super) fn go_to(&mut self, position: usize) {
        self.at = position;
    }

    fn token(&self, ahead: usize) -> &Token {
        // the last token is the end of the text, which is never passed
        &self.tokens[(self.at + ahead).min(self.tokens.len() - 1)]
    }

    pub(super) fn kind(&self) -> Kind {
        self.token(0).kind
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.token(0).span.clone()
    }

    /// The text of the next token.
    pub(super) fn peek(&self) -> &'s str {
        &self.source[self.span()]
    }

    /// The text of the token that is `ahead` tokens after the next one.
    pub(super) fn peek_at(&self, ahead: usize) -> &'s str {
        &self.source[self.token(ahead).span.clone()]
    }

    pub(super) fn next(&mut self) -> Range<usize> {
        let span = self.span();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        span
    }

    /// Moves past the next token if it is `text`.
    pub(super) fn accept(&mut self, text: &str) -> bool {
        let is = self.peek() == text && self.kind() != Kind::End;
        if is {
            self.next();
        }
        is
    }

    /// Moves past the next token, which must be `text`.
    pub(super) fn expect(&mut self, text: &str) -> Result<(), ReadError> {
        if self.accept(text) { Ok(()) } else { Err(self.unexpected(&format!("`{text}`"))) }
    }

    /// An error about a part of the text.
    pub(super) fn error(&self, message: impl Into<String>, span: Range<usize>) -> ReadError {
        ReadError::new(message, self.source, span)
    }

    /// An error that the next token is not allowed at its place.
    pub(super) fn unexpected(&self, expected: &str) -> ReadError {
        let token = self.peek();
        if self.kind() == Kind::End {
            return self.error(format!("expected {expected}, found the end of the text"), self.span());
        }
        let error = self.error(format!("expected {expected}, found `{}`", shortened(token)), self.span());
        // `%` directly before a name is an operator if an operator is expected: `i %n`
        let sign = if self.kind() == Kind::Value { "%" } else { token };
        match foreign::hint(sign, self.peek_at(1)) {
            Some(hint) => error.with_help(hint),
            None => error,
        }
    }

    /// The token after the closing bracket that matches the next token, which must be an opening bracket. `None` if
    /// there is none.
    pub(super) fn behind_bracket(&self) -> Option<usize> {
        let mut depth = 0usize;
        for (position, token) in self.tokens.iter().enumerate().skip(self.at) {
            match &self.source[token.span.clone()] {
                "(" | "[" | "{" | "<" => depth += 1,
                ")" | "]" | "}" | ">" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(position + 1);
            }
        }
        None
    }

    /// The text of a token by its position.
    pub(super) fn text_at(&self, position: usize) -> &'s str {
        self.tokens.get(position).map_or("", |t| &self.source[t.span.clone()])
    }

    /// Reads a list `open item, item, ... close`, which may be empty.
    pub(super) fn list<T>(
        &mut self,
        [open, close]: [&str; 2],
        mut item: impl FnMut(&mut Self) -> Result<T, ReadError>,
    ) -> Result<Vec<T>, ReadError> {
        self.expect(open)?;
        let mut items = Vec::new();
        if self.accept(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.accept(close) {
                return Ok(items);
            }
            if !self.accept(",") {
                return Err(self.unexpected(&format!("an operator, `,` or `{close}`")));
            }
        }
    }

    /// Reads a word.
    pub(super) fn name(&mut self, what: &str) -> Result<(&'s str, Range<usize>), ReadError> {
        if self.kind() != Kind::Name {
            return Err(self.unexpected(what));
        }
        let span = self.next();
        Ok((&self.source[span.clone()], span))
    }

    /// Reads an integer, with or without a sign.
    pub(super) fn integer(&mut self) -> Result<i64, ReadError> {
        let (start, negative) = (self.span().start, self.accept("-"));
        if self.kind() != Kind::Number {
            return Err(self.unexpected("an integer"));
        }
        let span = start..self.next().end;
        self.number(negative, span)
    }

    /// The value of the integer in `span`. Its sign may be before that range.
    fn number(&self, negative: bool, span: Range<usize>) -> Result<i64, ReadError> {
        let text = self.source[span.clone()].trim_start_matches('-').trim_start();
        let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
        if digits.is_empty() || !digits.chars().all(|c| c.is_digit(radix)) {
            return Err(self.error(format!("`{}` is not an integer", shortened(text)), span));
        }
        let magnitude = i128::from_str_radix(digits, radix).ok();
        let value = magnitude.and_then(|m| i64::try_from(if negative { -m } else { m }).ok());
        value.ok_or_else(|| self.error(format!("the integer `{}` does not fit 64 bits", shortened(text)), span))
    }

    /// The value of `name`, which is at `span`.
    pub(super) fn named(&mut self, name: &'s str, span: &Range<usize>, scope: &Scope<'s>) -> Result<Expr, ReadError> {
        if let Some(known) = scope.names.get(name) {
            return Ok(known.clone());
        }
        if scope.is_closed {
            let error = self.error(format!("`{name}` is no dimension or symbol of this map"), span.clone());
            let mut names: Vec<&str> = scope.names.keys().copied().collect();
            names.sort_unstable();
            return Err(match names.is_empty() {
                true => error.with_help("the map has none"),
                false => error.with_help(format!("these are {}", names.join(", "))),
            });
        }
        self.variable(name, span)
    }

    /// The variable `name`, which was read from `span`. The variable of `%0` is `_0`.
    pub(super) fn variable(&mut self, name: &str, span: &Range<usize>) -> Result<Expr, ReadError> {
        let bare = name.trim_start_matches('%');
        let name = if bare.starts_with(|c: char| c.is_ascii_digit()) { format!("_{bare}") } else { bare.into() };
        if !is_readable(&name) {
            let error = self.error(format!("`{name}` cannot be the name of a variable"), span.clone());
            return Err(error.with_help("it is a word of the notation that results are written in"));
        }
        Ok(self.nodes.one(var(name), span))
    }

    /// Reads an expression: all tokens that can belong to it. The depth is not limited, because nothing recurses.
    pub(super) fn expression(&mut self, scope: &Scope<'s>) -> Result<(Expr, Range<usize>), ReadError> {
        let (mut operands, mut pending): (Vec<Operand>, Vec<(Pending, Range<usize>)>) = Default::default();
        loop {
            self.operand(scope, &mut operands, &mut pending)?;
            while self.peek() == ")" && pending.iter().any(|p| p.0 == Pending::Open) {
                self.reduce(ADD, &mut operands, &mut pending)?;
                let end = self.next().end;
                if let (Some((_, open)), Some(inner)) = (pending.pop(), operands.last_mut()) {
                    inner.span = open.start..end;
                }
            }
            let Some(binary) = self.binary() else { break };
            let next = Pending::Binary(binary);
            self.reduce(next.precedence(), &mut operands, &mut pending)?;
            pending.push((next, self.next()));
        }
        let mistaken = matches!(self.kind(), Kind::Foreign | Kind::Number | Kind::Value);
        self.reduce(ADD, &mut operands, &mut pending)?;
        match (pending.pop(), operands.pop()) {
            (Some(_), _) => Err(self.unexpected("an operator or `)`")),
            (None, Some(operand)) if !mistaken => Ok((operand.expr, operand.span)),
            _ => Err(self.unexpected("an operator")),
        }
    }

    /// The binary operator that the next token is, if it is one.
    fn binary(&self) -> Option<Binary> {
        Some(match self.peek() {
            "+" => Binary::Node(&Op::Add),
            "-" => Binary::Node(&Op::Sub),
            "*" => Binary::Node(&Op::Mul),
            "floordiv" => Binary::Node(&Op::FloorDiv),
            "mod" => Binary::Node(&Op::FloorMod),
            "ceildiv" => Binary::CeilDiv,
            _ => return None,
        })
    }

    /// Reads signs, opening brackets and the operand after them.
    fn operand(
        &mut self,
        scope: &Scope<'s>,
        operands: &mut Vec<Operand>,
        pending: &mut Vec<(Pending, Range<usize>)>,
    ) -> Result<(), ReadError> {
        loop {
            let expr = match (self.kind(), self.peek()) {
                (Kind::Sign, "(") => {
                    pending.push((Pending::Open, self.next()));
                    continue;
                }
                (Kind::Sign, "-") if self.token(1).kind != Kind::Number => {
                    pending.push((Pending::Minus, self.next()));
                    continue;
                }
                (Kind::Number, _) | (Kind::Sign, "-") => {
                    let start = self.span().start;
                    let value = self.integer()?;
                    let span = start..self.behind();
                    operands.push(Operand { expr: self.nodes.one(int(value), &span), span });
                    return Ok(());
                }
                (Kind::Name, "floordiv" | "ceildiv" | "mod") => return Err(self.unexpected(AN_OPERAND)),
                (Kind::Name, name) if self.peek_at(1) != "(" => self.named(name, &self.span(), scope)?,
                (Kind::Value, name) if !scope.is_closed => self.named(name, &self.span(), scope)?,
                _ => return Err(self.unexpected(AN_OPERAND)),
            };
            operands.push(Operand { expr, span: self.next() });
            return Ok(());
        }
    }

    /// Completes every operator whose precedence is at least `limit`.
    fn reduce(
        &mut self,
        limit: u8,
        operands: &mut Vec<Operand>,
        pending: &mut Vec<(Pending, Range<usize>)>,
    ) -> Result<(), ReadError> {
        while let Some((operator, at)) = pending.pop_if(|p| p.0.precedence() >= limit) {
            let Some(last) = operands.pop() else { break };
            match operator {
                Pending::Binary(binary) => {
                    let Some(first) = operands.pop() else { break };
                    operands.push(self.binary_node(binary, first, last)?);
                }
                _ => {
                    let span = at.start..last.span.end;
                    operands.push(Operand { expr: self.nodes.one(-last.expr, &span), span });
                }
            }
        }
        Ok(())
    }

    fn binary_node(&mut self, binary: Binary, a: Operand, b: Operand) -> Result<Operand, ReadError> {
        let span = a.span.start..b.span.end;
        let expr = match binary {
            Binary::Node(op) => {
                if op.is_division() {
                    self.divides(&b.expr, &b.span)?;
                }
                self.nodes.one(Expr::new(op.clone(), [a.expr, b.expr]), &span)
            }
            Binary::CeilDiv => {
                self.divides(&b.expr, &b.span)?;
                self.ceil_div(a.expr, b.expr, &span)
            }
        };
        Ok(Operand { expr, span })
    }

    /// Builds `a ceildiv b`.
    pub(super) fn ceil_div(&mut self, a: Expr, b: Expr, span: &Range<usize>) -> Expr {
        let negated = self.nodes.one(-a, span);
        let quotient = self.nodes.one(negated.floor_div(b), span);
        self.nodes.one(-quotient, span)
    }

    /// Refuses a divisor that is a number and not positive. For any other divisor, adds the requirement that it is
    /// positive.
    fn divides(&mut self, divisor: &Expr, span: &Range<usize>) -> Result<(), ReadError> {
        match divisor.as_const() {
            Some(1..) => Ok(()),
            Some(value) => Err(self.error(format!("the divisor {value} is not positive"), span.clone())),
            None => {
                let range = Interval::new(1, i64::MAX).unwrap_or(Interval::ALL);
                self.requirements.push(Requirement {
                    value: divisor.clone(),
                    part: divisor.clone(),
                    range,
                    reason: POSITIVE,
                });
                Ok(())
            }
        }
    }
}

/// `text`, cut if it is too long for a message.
fn shortened(text: &str) -> String {
    const MAX: usize = 40;
    match text.char_indices().nth(MAX) {
        Some((at, _)) => format!("{}...", &text[..at]),
        None => text.into(),
    }
}
