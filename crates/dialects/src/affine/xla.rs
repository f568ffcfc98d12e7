//! Reads indexing maps of XLA.

use super::lex::Kind;
use super::map::Operands;
use super::reader::{Reader, Scope};
use crate::error::ReadError;
use crate::reading::Read;
use quaff_expr::domain::{Bounds, Domain, Interval};
use quaff_expr::expr::{Expr, Op, int};

/// Reads a map with its domain, or an expression.
pub(crate) fn xla(text: &str) -> Result<Read, ReadError> {
    let mut reader = Reader::new(text);
    if reader.kind() == Kind::End {
        let error = reader.error("the text is empty", 0..text.len());
        return Err(error.with_help("write a map, such as `(d0) -> (d0 floordiv 8), domain: d0 in [0, 99]`"));
    }
    let (mut results, mut domain) = (Vec::new(), Domain::new());
    let is_map = reader.at_indexing_map();
    if is_map {
        let mut scope = reader.dimensions(Operands::Names)?;
        if reader.peek() == "{" {
            for name in reader.list(["{", "}"], |r| r.name("the name of a value of the run time"))? {
                let value = reader.variable(name.0, &name.1)?;
                reader.bind(&mut scope, name, value)?;
            }
        }
        reader.expect("->")?;
        results.extend(reader.results(&scope)?);
        reader.accept(",");
        if reader.accept("domain") {
            reader.expect(":")?;
            domain = reader.domain(&scope)?;
        }
    } else {
        results.push(reader.expression(&Scope::default())?.0);
    }
    if reader.kind() == Kind::End {
        return Ok(reader.finish(results, domain));
    }
    let expected = if is_map { "`, domain:` or the end of the text" } else { "an operator or the end of the text" };
    Err(reader.unexpected(expected))
}

impl<'s> Reader<'s> {
    /// Whether a map begins here. Otherwise it is an expression in parentheses.
    fn at_indexing_map(&self) -> bool {
        let behind = self.behind_bracket().map_or("", |position| self.text_at(position));
        self.peek() == "(" && matches!(behind, "->" | "[" | "{")
    }

    /// Reads `d0 in [0, 9], d0 mod 4 in [0, 0], is_simplified: true`. The parts may be separated by commas or by
    /// nothing.
    fn domain(&mut self, scope: &Scope<'s>) -> Result<Domain, ReadError> {
        let mut domain = Domain::new();
        while self.kind() != Kind::End {
            if self.peek() == "is_simplified" && !scope.names.contains_key("is_simplified") {
                self.next();
                self.expect(":")?;
                if !self.accept("true") && !self.accept("false") {
                    return Err(self.unexpected("`true` or `false`"));
                }
            } else {
                domain = self.range(scope, domain)?;
            }
            self.accept(",");
        }
        Ok(domain)
    }

    /// Reads `expression in [0, 9]`.
    fn range(&mut self, scope: &Scope<'s>, mut domain: Domain) -> Result<Domain, ReadError> {
        let (expr, _) = self.expression(scope)?;
        if !self.accept("in") {
            return Err(self.unexpected("an operator or `in`"));
        }
        let start = self.span().start;
        self.expect("[")?;
        let lo = self.integer()?;
        self.expect(",")?;
        let hi = self.integer()?;
        self.expect("]")?;
        let Some(range) = Interval::new(lo, hi) else {
            return Err(self.error("the range is empty", start..self.behind()));
        };
        let name = match expr.op() {
            Op::Var(name) => name.clone(),
            _ => return Ok(within(&expr, range).into_iter().fold(domain, Domain::assume)),
        };
        domain.add_bounds(name, Bounds::from(range));
        Ok(domain)
    }
}

/// The conditions that `expr` is in `range`.
fn within(expr: &Expr, range: Interval) -> Vec<Expr> {
    if let Some(value) = range.as_point() {
        return vec![expr.equals(int(value))];
    }
    let above = range.lo().map(|lo| expr.ge(int(lo)));
    let below = range.hi().map(|hi| expr.le(int(hi)));
    above.into_iter().chain(below).collect()
}
