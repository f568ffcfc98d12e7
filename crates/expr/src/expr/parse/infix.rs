//! The infix grammar, by operator precedence with two explicit stacks (Dijkstra's shunting yard).

use super::error::{ParseError, ParseErrorKind, shorten};
use super::lex::{Lexer, Token};
use super::nodes::Nodes;
use super::parsed::Parsed;
use crate::expr::{Expr, Op, int, precedence, select, var};
use rustc_hash::FxHashMap;
use std::ops::Range;
use std::sync::Arc;

/// An operand and its place in the text, including parentheses.
struct Operand {
    expr: Expr,
    start: usize,
    end: usize,
}

/// An entry of the operator stack, which waits for operands or for a closing bracket.
#[derive(Clone, Debug, PartialEq)]
enum Pending {
    Binary(Op),
    /// Joins the links of a comparison chain. For `a < b < c`, the stack of operands has `b` between the two
    /// comparisons.
    ChainAnd,
    Neg,
    Plus,
    Tilde,
    Not,
    /// `a if`, which waits for `else`.
    If,
    /// `a if c else`, which waits for the last operand.
    Else,
    Paren,
    Call(Function),
}

/// The function of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Function {
    Operator(Op),
    Abs,
    Gcd,
}

impl Function {
    fn named(name: &str) -> Option<Function> {
        match name {
            "abs" => Some(Function::Abs),
            "gcd" => Some(Function::Gcd),
            _ => Op::with_symbol(name).filter(Op::is_call).map(Function::Operator),
        }
    }
}

struct Entry {
    pending: Pending,
    /// The start of the operator or of the bracket's expression.
    start: usize,
    /// The position of the opening parenthesis. For an operator, the position of its end.
    at: usize,
    /// For a call, the height of the operand stack below its arguments.
    base: usize,
}

impl Pending {
    /// The precedence with which the entry binds the operand to its right. Brackets bind nothing.
    fn precedence(&self) -> u8 {
        match self {
            Pending::Binary(op) => op.precedence(),
            Pending::ChainAnd => precedence::COMPARE,
            Pending::Neg | Pending::Plus | Pending::Tilde => precedence::UNARY,
            Pending::Not => precedence::NOT,
            Pending::Else => precedence::CONDITIONAL,
            Pending::If | Pending::Paren | Pending::Call(_) => 0,
        }
    }
}

struct Parser<'s> {
    source: &'s str,
    lexer: Lexer<'s>,
    operands: Vec<Operand>,
    pending: Vec<Entry>,
    nodes: Nodes,
    names: FxHashMap<&'s str, Arc<str>>,
}

pub(super) fn parse(source: &str) -> Result<Parsed, ParseError> {
    let mut p = Parser {
        source,
        lexer: Lexer::new(source),
        operands: Vec::new(),
        pending: Vec::new(),
        nodes: Nodes::default(),
        names: FxHashMap::default(),
    };
    let mut wants_operand = true;
    loop {
        let (token, span) = p.lexer.next()?;
        if wants_operand {
            wants_operand = p.operand(token, span)?;
        } else if token == Token::End {
            return p.finish(span.start);
        } else {
            wants_operand = p.operator(token, span)?;
        }
    }
}

const AN_OPERAND: &str = "a number, a name or `(`";

impl Parser<'_> {
    fn error(&self, kind: ParseErrorKind, span: Range<usize>) -> ParseError {
        ParseError::new(kind, self.source, span)
    }

    fn unexpected(&self, span: Range<usize>, expected: &'static str) -> ParseError {
        let found = shorten(&self.source[span.clone()]);
        self.error(ParseErrorKind::UnexpectedToken { found, expected }, span)
    }

    /// Pushes a node that was read from `span` as the next operand, after interning it.
    fn push(&mut self, expr: Expr, span: Range<usize>) {
        let expr = self.nodes.one(expr, &span);
        self.place(expr, span);
    }

    /// Pushes an interned node as the next operand.
    fn place(&mut self, expr: Expr, Range { start, end }: Range<usize>) {
        self.operands.push(Operand { expr, start, end });
    }

    fn wait(&mut self, pending: Pending, span: Range<usize>) {
        self.pending.push(Entry { pending, start: span.start, at: span.end, base: self.operands.len() });
    }

    /// Takes a token at the start of an operand. Returns whether an operand is still expected afterwards.
    fn operand(&mut self, token: Token, span: Range<usize>) -> Result<bool, ParseError> {
        match token {
            Token::Int(magnitude) => {
                self.integer(magnitude, span)?;
                Ok(false)
            }
            Token::Name => {
                if self.lexer.at_open_paren() {
                    self.open_call(span)?;
                    return Ok(true);
                }
                let text = &self.source[span.clone()];
                let name = self.names.entry(text).or_insert_with(|| text.into()).clone();
                self.push(var(name), span);
                Ok(false)
            }
            Token::Open => {
                self.pending.push(Entry {
                    pending: Pending::Paren,
                    start: span.start,
                    at: span.start,
                    base: self.operands.len(),
                });
                Ok(true)
            }
            Token::Binary(Op::Sub) => {
                self.wait(Pending::Neg, span);
                Ok(true)
            }
            Token::Binary(Op::Add) => {
                self.wait(Pending::Plus, span);
                Ok(true)
            }
            Token::Tilde => {
                self.wait(Pending::Tilde, span);
                Ok(true)
            }
            Token::Not => {
                if self.pending.last().is_some_and(|e| e.pending.precedence() > precedence::NOT) {
                    return Err(self.error(ParseErrorKind::NotInOperand, span));
                }
                self.wait(Pending::Not, span);
                Ok(true)
            }
            Token::Close => match self.pending.last() {
                // `f()`, and the comma that Python allows before `)`
                Some(Entry { pending: Pending::Call(_), .. }) => {
                    self.close(span)?;
                    Ok(false)
                }
                _ => Err(self.unexpected(span, AN_OPERAND)),
            },
            Token::End if self.source.trim_ascii().is_empty() => {
                Err(self.error(ParseErrorKind::Empty, 0..self.source.len()))
            }
            Token::End => Err(self.error(ParseErrorKind::UnexpectedEnd { expected: AN_OPERAND }, span)),
            _ => Err(self.unexpected(span, AN_OPERAND)),
        }
    }

    fn integer(&mut self, magnitude: u64, span: Range<usize>) -> Result<(), ParseError> {
        // a minus sign directly before a number is part of the number, because `i64::MIN` cannot be written in another
        // way. The number 0 has no sign
        let negative = magnitude != 0
            && self.pending.last().is_some_and(|e| {
                e.pending == Pending::Neg
                    && self.source.as_bytes()[e.at..span.start].iter().all(u8::is_ascii_whitespace)
            });
        let signed = if negative { -i128::from(magnitude) } else { i128::from(magnitude) };
        let Ok(value) = i64::try_from(signed) else {
            let text = shorten(&self.source[span.clone()]);
            return Err(self.error(ParseErrorKind::LiteralTooLarge { text }, span));
        };
        let minus = if negative { self.pending.pop() } else { None };
        self.push(int(value), minus.map_or(span.start, |e| e.start)..span.end);
        Ok(())
    }

    fn open_call(&mut self, name: Range<usize>) -> Result<(), ParseError> {
        let text = &self.source[name.clone()];
        let Some(function) = Function::named(text) else {
            return Err(self.error(ParseErrorKind::UnknownFunction { name: shorten(text) }, name));
        };
        let (_, open) = self.lexer.next()?;
        let base = self.operands.len();
        self.pending.push(Entry { pending: Pending::Call(function), start: name.start, at: open.start, base });
        Ok(())
    }

    /// Takes a token in the place of an operator or a closing bracket. Returns whether an operand is expected
    /// afterwards.
    fn operator(&mut self, token: Token, span: Range<usize>) -> Result<bool, ParseError> {
        match token {
            Token::Binary(op) => self.binary(op, span),
            Token::Close => {
                self.reduce(precedence::CONDITIONAL);
                self.close(span)?;
                return Ok(false);
            }
            Token::Comma => {
                self.reduce(precedence::CONDITIONAL);
                match self.pending.last().map(|e| &e.pending) {
                    Some(Pending::Call(_)) => {}
                    Some(Pending::Paren) => return Err(self.unexpected(span, "an operator or `)`")),
                    Some(Pending::If) => return Err(self.unexpected(span, "`else`")),
                    _ => return Err(self.trailing(span)),
                }
            }
            Token::If => {
                // conditional expressions group to the right, so an earlier `else` stays on the stack
                self.reduce(precedence::CONDITIONAL + 1);
                self.wait(Pending::If, span);
            }
            Token::Else => {
                self.reduce(precedence::CONDITIONAL);
                match self.pending.last_mut() {
                    Some(e) if e.pending == Pending::If => e.pending = Pending::Else,
                    _ => return Err(self.unexpected(span, "an operator")),
                }
            }
            _ => return Err(self.trailing(span)),
        }
        Ok(true)
    }

    fn trailing(&self, span: Range<usize>) -> ParseError {
        match self.pending.iter().rev().find(|e| e.pending.precedence() == 0).map(|e| &e.pending) {
            Some(Pending::Paren) => return self.unexpected(span, "an operator or `)`"),
            Some(Pending::Call(_)) => return self.unexpected(span, "an operator, `,` or `)`"),
            Some(_) => return self.unexpected(span, "an operator or `else`"),
            None => {}
        }
        let found = shorten(&self.source[span.clone()]);
        self.error(ParseErrorKind::TrailingText { found }, span)
    }

    fn binary(&mut self, op: Op, span: Range<usize>) {
        let own = op.precedence();
        if own != precedence::COMPARE {
            self.reduce(own);
            return self.wait(Pending::Binary(op), span);
        }
        self.reduce(own + 1);
        if self.pending.last().is_some_and(|e| e.pending.precedence() == own) {
            // a second comparison: a < b < c means (a < b) and (b < c), and both links share b
            let middle = self.operands.last().map(|b| (b.expr.clone(), b.start, b.end));
            self.reduce(own);
            if let Some((expr, start, end)) = middle {
                self.operands.push(Operand { expr, start, end });
                self.wait(Pending::ChainAnd, span.clone());
            }
        }
        self.wait(Pending::Binary(op), span);
    }

    /// Completes all waiting operators whose precedence is at least `limit`, which is at least 1.
    fn reduce(&mut self, limit: u8) {
        while self.pending.last().is_some_and(|e| e.pending.precedence() >= limit) {
            if let Some(entry) = self.pending.pop() {
                self.complete(entry);
            }
        }
    }

    /// Applies one operator. Its operands are on the stack, because operands and operators alternate.
    fn complete(&mut self, entry: Entry) {
        let Some(last) = self.operands.pop() else { return };
        let (start, end) = (entry.start, last.end);
        match entry.pending {
            Pending::Neg => self.push(-last.expr, start..end),
            Pending::Not => self.push(last.expr.not(), start..end),
            Pending::Plus => self.operands.push(Operand { start, ..last }),
            Pending::Tilde => {
                let complement = self.nodes.complement(&last.expr, &(start..end));
                self.place(complement, start..end);
            }
            Pending::Binary(op) => {
                let Some(first) = self.operands.pop() else { return };
                self.push(Expr::new(op, [first.expr, last.expr]), first.start..end);
            }
            Pending::ChainAnd => {
                let Some(first) = self.operands.pop() else { return };
                self.push(first.expr.and(last.expr), first.start..end);
            }
            Pending::Else => {
                let (Some(cond), Some(then)) = (self.operands.pop(), self.operands.pop()) else { return };
                self.push(select(cond.expr, then.expr, last.expr), then.start..end);
            }
            Pending::If | Pending::Paren | Pending::Call(_) => self.operands.push(last),
        }
    }

    /// Takes `)` when everything inside the bracket is complete.
    fn close(&mut self, span: Range<usize>) -> Result<(), ParseError> {
        let Some(mut entry) = self.pending.pop() else {
            return Err(self.error(ParseErrorKind::Unopened, span));
        };
        match &mut entry.pending {
            Pending::Call(function) => {
                let function = function.clone();
                self.call(&function, &entry, span.end)
            }
            Pending::Paren => {
                if let Some(inner) = self.operands.last_mut() {
                    (inner.start, inner.end) = (entry.start, span.end);
                }
                Ok(())
            }
            _ => Err(self.unexpected(span, "`else`")),
        }
    }

    fn call(&mut self, function: &Function, entry: &Entry, end: usize) -> Result<(), ParseError> {
        let found = self.operands.len() - entry.base;
        let (fits, expected) = match function {
            Function::Abs => (found == 1, "one argument"),
            Function::Gcd => (found >= 2, "two or more arguments"),
            Function::Operator(op) if op.is_associative() => (found >= 2, "two or more arguments"),
            Function::Operator(op) => {
                (found == op.arity(), ["one argument", "two arguments", "three arguments"][op.arity() - 1])
            }
        };
        if !fits {
            let function = self.source[entry.start..entry.at].trim_end().into();
            return Err(self.error(ParseErrorKind::WrongArguments { function, expected, found }, entry.start..end));
        }
        let span = entry.start..end;
        let args: Vec<Expr> = self.operands.drain(entry.base..).map(|o| o.expr).collect();
        let expr = match (function, args.as_slice()) {
            (Function::Abs, [x]) => Some(self.nodes.abs(x, &span)),
            (Function::Abs, _) => None,
            (Function::Gcd, args) => match self.nodes.gcd(args, &span) {
                Ok(divisor) => divisor,
                Err([a, b]) => return Err(self.error(ParseErrorKind::gcd_left(&a, &b), span)),
            },
            (Function::Operator(op), args) => self.nodes.applied(op, args, &span),
        };
        if let Some(expr) = expr {
            self.place(expr, span);
        }
        Ok(())
    }

    fn finish(mut self, end: usize) -> Result<Parsed, ParseError> {
        self.reduce(precedence::CONDITIONAL);
        if let Some(entry) = self.pending.last() {
            let (pending, at) = (entry.pending.clone(), entry.at);
            return Err(match pending {
                Pending::If => self.error(ParseErrorKind::UnexpectedEnd { expected: "`else`" }, end..end),
                _ => self.error(ParseErrorKind::Unclosed { at: end }, at..at + 1),
            });
        }
        match self.operands.pop() {
            Some(operand) => Ok(self.nodes.finish_one(operand.expr, self.source)),
            None => Err(self.error(ParseErrorKind::Empty, 0..end)),
        }
    }
}
