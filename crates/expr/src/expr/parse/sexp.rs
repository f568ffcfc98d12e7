//! S-expressions. The crate `symbolic_expressions` reads them, and this module checks them and adds places.
//!
//! That crate recurses and keeps no positions, so one linear scan comes first. The scan bounds the depth and finds
//! unbalanced parentheses. It also records the place of each atom and list, in the order in which the walk over the
//! tree visits them.

use super::error::{ParseError, ParseErrorKind, shorten};
use super::lex::integer;
use super::nodes::Nodes;
use super::parsed::Parsed;
use crate::expr::name::is_readable;
use crate::expr::{Expr, Op, int, var};
use std::ops::Range;
use symbolic_expressions::Sexp;

/// The greatest depth of parentheses. The reader needs some hundred bytes of stack for each level.
const MAX_DEPTH: usize = 512;

const AN_OPERAND: &str = "an integer, a name or `(`";

/// Reads an s-expression such as `(// (+ (* i 16) j) 4)`.
///
/// The operators are:
///
/// - of one or more operands: `+` and `*`;
/// - of one or two operands: `-`;
/// - of two or more operands: `min` `max` `gcd` `and` `or` `&` `|` `^`;
/// - of two operands: `//` `%` `truncdiv` `truncmod` `<<` `>>` `<` `<=` `>` `>=` `==` `!=`;
/// - of one operand: `not` `~` `abs`;
/// - of three operands: `where`.
///
/// More than two operands are grouped to the left. Integers may have a sign. The time is linear in the text.
///
/// ```
/// use quaff_expr::expr::{Expr, parse_sexp};
///
/// let parsed = parse_sexp("(% (+ i (* 8 j) k) 64)")?;
/// assert_eq!(parsed.expr().to_string(), "(i + 8*j + k)%64");
/// # Ok::<(), quaff_expr::expr::ParseError>(())
/// ```
///
/// # Errors
/// [`ParseError`], with the place, for any other text. More than 512 levels of parentheses give
/// [`ParseErrorKind::TooDeep`]. The infix form has no such limit.
pub fn parse_sexp(source: &str) -> Result<Parsed, ParseError> {
    let places = scan(source)?;
    // the reader needs only one kind of white space
    let plain: String = source.trim().chars().map(|c| if c.is_ascii_whitespace() { ' ' } else { c }).collect();
    let tree = symbolic_expressions::parser::parse_str(&plain).map_err(|_| {
        // the scan has already refused every text that the crate refuses, so this error should never occur
        let kind = ParseErrorKind::UnexpectedEnd { expected: "an s-expression" };
        ParseError::new(kind, source, 0..source.len())
    })?;
    Builder { source, places: places.into_iter(), operands: Vec::new(), nodes: Nodes::default() }.build(&tree)
}

/// The places of lists and atoms, in the order of their first bytes.
fn scan(source: &str) -> Result<Vec<Range<usize>>, ParseError> {
    let error = |kind, span| Err(ParseError::new(kind, source, span));
    let mut places: Vec<Range<usize>> = Vec::new();
    // the indices of the open lists
    let mut open: Vec<usize> = Vec::new();
    let mut at = 0;
    while let Some(c) = source[at..].chars().next() {
        let start = at;
        at += c.len_utf8();
        if c.is_ascii_whitespace() {
            continue;
        }
        if c == ')' {
            match open.pop() {
                Some(list) => places[list].end = at,
                None => return error(ParseErrorKind::Unopened, start..at),
            }
            continue;
        }
        let end = if c == '(' { at } else { atom_end(source, start) };
        if open.is_empty() && !places.is_empty() {
            return error(ParseErrorKind::TrailingText { found: shorten(&source[start..end]) }, start..end);
        }
        if c == '(' {
            open.push(places.len());
            if open.len() > MAX_DEPTH {
                return error(ParseErrorKind::TooDeep { limit: MAX_DEPTH }, start..at);
            }
        } else if let Some((i, bad)) =
            source[start..end].char_indices().find(|(_, c)| !c.is_ascii_graphic() || *c == '"')
        {
            return error(ParseErrorKind::UnknownCharacter(bad), start + i..start + i + bad.len_utf8());
        }
        places.push(start..end);
        at = end;
    }
    match (open.last(), places.is_empty()) {
        (Some(list), _) => {
            error(ParseErrorKind::Unclosed { at: source.len() }, places[*list].start..places[*list].start + 1)
        }
        (None, true) => error(ParseErrorKind::Empty, 0..source.len()),
        (None, false) => Ok(places),
    }
}

fn atom_end(source: &str, start: usize) -> usize {
    let ends = |c: char| c == '(' || c == ')' || c.is_ascii_whitespace();
    source[start..].find(ends).map_or(source.len(), |length| start + length)
}

struct Builder<'s> {
    source: &'s str,
    places: std::vec::IntoIter<Range<usize>>,
    operands: Vec<Expr>,
    nodes: Nodes,
}

enum Task<'t> {
    Visit(&'t Sexp),
    /// A list whose operands are complete, with its operator, its number of operands and its place.
    Apply(&'t str, usize, Range<usize>),
}

impl Builder<'_> {
    fn error<T>(&self, kind: ParseErrorKind, span: Range<usize>) -> Result<T, ParseError> {
        Err(ParseError::new(kind, self.source, span))
    }

    fn unexpected<T>(&self, span: Range<usize>, expected: &'static str) -> Result<T, ParseError> {
        let found = shorten(&self.source[span.clone()]);
        self.error(ParseErrorKind::UnexpectedToken { found, expected }, span)
    }

    /// The place of the next list or atom in the order of the walk.
    fn place(&mut self) -> Range<usize> {
        self.places.next().unwrap_or(0..self.source.len())
    }

    fn build(mut self, tree: &Sexp) -> Result<Parsed, ParseError> {
        let mut tasks = vec![Task::Visit(tree)];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Apply(head, count, span) => self.apply(head, count, span)?,
                Task::Visit(Sexp::String(text)) => self.atom(text)?,
                Task::Visit(Sexp::List(items)) => {
                    let span = self.place();
                    let Some((head, operands)) = items.split_first() else {
                        return self.unexpected(span, "an operator and its operands");
                    };
                    let head_at = self.place();
                    let Sexp::String(head) = head else { return self.unexpected(head_at, "an operator") };
                    self.check(head, head_at, operands.len(), &span)?;
                    tasks.push(Task::Apply(head, operands.len(), span));
                    tasks.extend(operands.iter().rev().map(Task::Visit));
                }
                Task::Visit(Sexp::Empty) => return self.error(ParseErrorKind::Empty, 0..self.source.len()),
            }
        }
        match self.operands.pop() {
            Some(expr) => Ok(self.nodes.finish_one(expr, self.source)),
            None => self.error(ParseErrorKind::Empty, 0..self.source.len()),
        }
    }

    fn push(&mut self, expr: Expr, span: &Range<usize>) {
        let expr = self.nodes.one(expr, span);
        self.operands.push(expr);
    }

    fn atom(&mut self, text: &str) -> Result<(), ParseError> {
        let span = self.place();
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        if digits.starts_with(|c: char| c.is_ascii_digit()) {
            let magnitude = match integer(digits) {
                Some(magnitude) => magnitude.map(i128::from),
                None => return self.error(ParseErrorKind::NotAnInteger { text: shorten(text) }, span),
            };
            let value = magnitude.and_then(|m| i64::try_from(if negative { -m } else { m }).ok());
            let Some(value) = value else {
                return self.error(ParseErrorKind::LiteralTooLarge { text: shorten(text) }, span);
            };
            self.push(int(value), &span);
            return Ok(());
        }
        match text {
            "True" => self.push(int(1), &span),
            "False" => self.push(int(0), &span),
            // these words are no names in infix text either
            "and" | "or" | "not" | "if" | "else" => return self.unexpected(span, AN_OPERAND),
            _ if is_readable(text) => self.push(var(text), &span),
            _ => return self.unexpected(span, AN_OPERAND),
        }
        Ok(())
    }

    /// Checks that the operator exists and takes `found` operands.
    fn check(&self, head: &str, at: Range<usize>, found: usize, list: &Range<usize>) -> Result<(), ParseError> {
        let op = Op::with_symbol(head);
        let (fits, expected) = match (head, &op) {
            ("/", _) => return self.error(ParseErrorKind::SingleSlash, at),
            ("~" | "abs", _) => (found == 1, "one operand"),
            ("gcd", _) => (found >= 2, "two or more operands"),
            ("-", _) => (found == 1 || found == 2, "one or two operands"),
            (_, None) => return self.error(ParseErrorKind::UnknownOperator { name: shorten(head) }, at),
            (_, Some(Op::Add | Op::Mul)) => (found >= 1, "one or more operands"),
            (_, Some(op)) if op.is_associative() => (found >= 2, "two or more operands"),
            (_, Some(op)) => (found == op.arity(), ["one operand", "two operands", "three operands"][op.arity() - 1]),
        };
        if fits {
            return Ok(());
        }
        self.error(ParseErrorKind::WrongArguments { function: head.into(), expected, found }, list.clone())
    }

    /// Applies an operator that passed [`check`](Self::check) to the last `count` operands.
    fn apply(&mut self, head: &str, count: usize, span: Range<usize>) -> Result<(), ParseError> {
        let args = self.operands.split_off(self.operands.len().saturating_sub(count));
        let expr = match (head, args.as_slice()) {
            ("-", [a]) => self.nodes.one(-a, &span),
            ("~", [a]) => self.nodes.complement(a, &span),
            ("abs", [a]) => self.nodes.abs(a, &span),
            ("gcd", args) => match self.nodes.gcd(args, &span) {
                Ok(Some(divisor)) => divisor,
                Ok(None) => return self.unexpected(span, "an operand"),
                Err([a, b]) => return self.error(ParseErrorKind::gcd_left(&a, &b), span),
            },
            (_, args) => match Op::with_symbol(head).and_then(|op| self.nodes.applied(&op, args, &span)) {
                Some(expr) => expr,
                None => return self.unexpected(span, "an operator"),
            },
        };
        self.operands.push(expr);
        Ok(())
    }
}
