//! Reads maps and sets: names of dimensions and symbols, and expressions over these names.

use super::lex::Kind;
use super::reader::{Reader, Scope};
use crate::error::ReadError;
use quaff_expr::expr::{Expr, Op};
use std::ops::Range;

/// The values of the dimensions and symbols of a map.
#[derive(Clone, Copy)]
pub(super) enum Operands<'a> {
    /// Variables with the names of the dimensions and symbols.
    Names,
    /// The given dimensions and symbols, and their place in the text.
    Values([&'a [Expr]; 2], &'a Range<usize>),
}

/// A name with its place.
type Name<'s> = (&'s str, Range<usize>);

impl<'s> Reader<'s> {
    /// Reads `affine_map<...>` or `affine_set<...>`.
    pub(super) fn map(&mut self, operands: Operands<'_>) -> Result<Vec<Expr>, ReadError> {
        let is_set = self.peek() == "affine_set";
        self.next();
        self.expect("<")?;
        let scope = self.dimensions(operands)?;
        self.expect(if is_set { ":" } else { "->" })?;
        let results = match is_set {
            true => self.list(["(", ")"], |r| r.constraint(&scope))?,
            false => self.results(&scope)?,
        };
        self.expect(">")?;
        Ok(results)
    }

    /// Reads `(expression, expression, ...)`.
    pub(super) fn results(&mut self, scope: &Scope<'s>) -> Result<Vec<Expr>, ReadError> {
        let span = self.span();
        let results = self.list(["(", ")"], |r| Ok(r.expression(scope)?.0))?;
        if results.is_empty() {
            return Err(self.error("the map has no result", span));
        }
        Ok(results)
    }

    /// Reads `(d0, d1)[s0]` and returns the meaning of these names in the rest of the map.
    pub(super) fn dimensions(&mut self, operands: Operands<'_>) -> Result<Scope<'s>, ReadError> {
        const A_NAME: &str = "the name of a dimension or symbol";
        let dimensions = self.list(["(", ")"], |r| r.name(A_NAME))?;
        let symbols = if self.peek() == "[" { self.list(["[", "]"], |r| r.name(A_NAME))? } else { Vec::new() };
        let mut scope = Scope { is_closed: true, ..Scope::default() };
        match operands {
            Operands::Names => {
                for name in dimensions.into_iter().chain(symbols) {
                    let value = self.variable(name.0, &name.1)?;
                    self.bind(&mut scope, name, value)?;
                }
            }
            Operands::Values(values, at) => {
                for (names, values, what) in [(dimensions, values[0], "dimensions"), (symbols, values[1], "symbols")] {
                    if names.len() != values.len() {
                        let message = format!("the map has {} {what}, found {} operands", names.len(), values.len());
                        return Err(self.error(message, at.clone()));
                    }
                    for (name, value) in names.into_iter().zip(values) {
                        self.bind(&mut scope, name, value.clone())?;
                    }
                }
            }
        }
        Ok(scope)
    }

    /// Gives a name its value.
    pub(super) fn bind(&self, scope: &mut Scope<'s>, name: Name<'s>, value: Expr) -> Result<(), ReadError> {
        match scope.names.insert(name.0, value) {
            None => Ok(()),
            Some(_) => Err(self.error(format!("`{}` is named twice", name.0), name.1)),
        }
    }

    /// Reads a constraint: `expression >= expression`, or with `==` or `<=` in the place of `>=`.
    fn constraint(&mut self, scope: &Scope<'s>) -> Result<Expr, ReadError> {
        let (left, start) = self.expression(scope)?;
        let op = match (self.kind(), self.peek()) {
            (Kind::Sign, ">=") => Op::Ge,
            (Kind::Sign, "<=") => Op::Le,
            (Kind::Sign, "==") => Op::Eq,
            _ => return Err(self.unexpected("an operator, `>=`, `<=` or `==`")),
        };
        self.next();
        let (right, end) = self.expression(scope)?;
        Ok(self.nodes.one(Expr::new(op, [left, right]), &(start.start..end.end)))
    }
}
