//! Reads texts of MLIR: an expression, a map, a set, or operations. The last operation is the result.

use super::lex::Kind;
use super::map::Operands;
use super::reader::{Reader, Scope};
use crate::error::ReadError;
use crate::reading::Read;
use quaff_expr::domain::Domain;
use quaff_expr::expr::{Expr, Op};
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The definitions of the previous lines.
#[derive(Default)]
struct Defined<'s> {
    /// The values of definitions such as `%0 = ...`.
    values: Scope<'s>,
    /// The maps of definitions such as `#map = affine_map<...>`, each as the index of its first token.
    maps: FxHashMap<&'s str, usize>,
}

/// Reads a text of MLIR.
pub(crate) fn mlir(text: &str) -> Result<Read, ReadError> {
    let mut reader = Reader::new(text);
    let mut defined = Defined::default();
    if reader.kind() == Kind::End {
        let error = reader.error("the text is empty", 0..text.len());
        return Err(error.with_help("write an expression or a map, such as `affine_map<(d0) -> (d0 floordiv 8)>`"));
    }
    loop {
        let (results, is_definition) = reader.statement(&mut defined)?;
        if reader.kind() == Kind::End {
            return Ok(reader.finish(results, Domain::new()));
        }
        if !is_definition {
            return Err(reader.unexpected("an operator or the end of the text"));
        }
    }
}

impl<'s> Reader<'s> {
    /// Reads one statement. Returns its results, and whether another statement can follow.
    fn statement(&mut self, defined: &mut Defined<'s>) -> Result<(Vec<Expr>, bool), ReadError> {
        let (kind, name, span) = (self.kind(), self.peek(), self.span());
        if !matches!(kind, Kind::Attribute | Kind::Value) || self.peek_at(1) != "=" {
            return Ok((self.operation(defined)?, false));
        }
        self.next();
        self.next();
        if kind == Kind::Attribute {
            if !self.at_map() {
                return Err(self.unexpected("`affine_map` or `affine_set`"));
            }
            let at = self.position();
            let results = self.map(Operands::Names)?;
            if defined.maps.insert(name, at).is_some() {
                return Err(self.error(format!("`{name}` is defined twice"), span));
            }
            return Ok((results, true));
        }
        let results = self.operation(defined)?;
        match &results[..] {
            [value] => self.bind(&mut defined.values, (name, span), value.clone())?,
            _ => return Err(self.error(format!("`{name}` is one value, and here are {}", results.len()), span)),
        }
        Ok((results, true))
    }

    /// Whether a map or a set begins here.
    fn at_map(&self) -> bool {
        matches!(self.peek(), "affine_map" | "affine_set") && self.peek_at(1) == "<"
    }

    /// Reads a map, an operation or an expression.
    fn operation(&mut self, defined: &Defined<'s>) -> Result<Vec<Expr>, ReadError> {
        if self.at_map() {
            return self.map(Operands::Names);
        }
        let start = self.span();
        match self.peek() {
            "affine.apply" => self.apply(defined, &start),
            "affine.min" => self.extremum(defined, Op::Min, &start),
            "affine.max" => self.extremum(defined, Op::Max, &start),
            name if name.starts_with("arith.") => Ok(vec![self.arith(&defined.values)?]),
            name if name.starts_with("affine.") && self.kind() == Kind::Name => {
                let error = self.error(format!("the operation `{name}` is not read"), start);
                Err(error.with_help("these are: affine.apply, affine.min, affine.max, and those of arith"))
            }
            _ => Ok(vec![self.expression(&defined.values)?.0]),
        }
    }

    fn apply(&mut self, defined: &Defined<'s>, start: &Range<usize>) -> Result<Vec<Expr>, ReadError> {
        let results = self.applied(defined)?;
        if results.len() == 1 {
            return Ok(results);
        }
        let message = format!("`affine.apply` takes a map of one result, found {}", results.len());
        Err(self.error(message, start.clone()))
    }

    fn extremum(&mut self, defined: &Defined<'s>, op: Op, start: &Range<usize>) -> Result<Vec<Expr>, ReadError> {
        let results = self.applied(defined)?;
        let span = start.start..self.behind();
        Ok(self.nodes.applied(&op, &results, &span).into_iter().collect())
    }

    /// Reads the name of an operation, a map and operands. Returns the results of the map for these operands.
    fn applied(&mut self, defined: &Defined<'s>) -> Result<Vec<Expr>, ReadError> {
        self.next();
        let (name, named) = (self.peek(), self.kind() == Kind::Attribute);
        let map = if named { defined.maps.get(name).copied() } else { self.at_map().then(|| self.position()) };
        let Some(map) = map else {
            return Err(match named {
                true => self.error(format!("`{name}` is not defined before"), self.span()),
                false => self.unexpected("`affine_map<` or the name of a map"),
            });
        };
        if self.text_at(map) == "affine_set" {
            return Err(self.error("a set has no values to apply", self.span()));
        }
        self.next();
        if !named {
            match self.behind_bracket() {
                Some(behind) => self.go_to(behind),
                None => return Err(self.error("this `<` is never closed", self.span())),
            }
        }
        let start = self.span().start;
        let dimensions = self.list(["(", ")"], |r| Ok(r.expression(&defined.values)?.0))?;
        let symbols = match self.peek() {
            "[" => self.list(["[", "]"], |r| Ok(r.expression(&defined.values)?.0))?,
            _ => Vec::new(),
        };
        let (behind, span) = (self.position(), start..self.behind());
        self.go_to(map);
        let results = self.map(Operands::Values([&dimensions, &symbols], &span));
        self.go_to(behind);
        results
    }
}
