//! Compiles integers and terms, which guards read and results contain.

use super::compiler::{Compiled, Compiler, Kind};
use crate::expr::Junction;
use crate::rules::operator::Operator;
use crate::rules::program::{IntExpr, Term};
use crate::rules::read::Datum;

/// Whether the integer functions of the rule language include `operator`.
fn is_of_integers(operator: Operator) -> bool {
    matches!(operator, Operator::Div | Operator::Mod | Operator::Min | Operator::Max)
}

/// Whether the terms of the rule language can apply `operator`.
fn is_of_terms(operator: Operator) -> bool {
    operator.commutes() || operator.divides()
}

impl Compiler {
    pub(super) fn int(&mut self, d: &Datum) -> Compiled<IntExpr> {
        let bad = || (d.position(), format!("`{d}` is no integer expression"));
        match d {
            Datum::Text(..) => Err(bad()),
            Datum::Word(p, w) => {
                if let Ok(n) = w.parse::<i64>() {
                    return Ok(IntExpr::Literal(n));
                }
                match self.lookup(w) {
                    Some((Kind::Int, s)) => Ok(IntExpr::Slot(s)),
                    Some(_) => Err(bad()),
                    None => Err((*p, format!("`{w}` is not bound"))),
                }
            }
            Datum::List(_, items) => {
                let op = items.first().and_then(Datum::word).unwrap_or_default();
                self.int_function(d, op, &items[items.len().min(1)..])
            }
        }
    }

    /// Compiles the integer function `d`, which applies `op` to `args`.
    fn int_function(&mut self, d: &Datum, op: &str, args: &[Datum]) -> Compiled<IntExpr> {
        let two = |c: &mut Compiler| -> Compiled<Box<[IntExpr; 2]>> {
            match args {
                [a, b] => Ok(Box::new([c.int(a)?, c.int(b)?])),
                _ => Err((d.position(), format!("`{op}` takes two operands"))),
            }
        };
        Ok(match (op, args) {
            ("+", _) => IntExpr::Add(args.iter().map(|a| self.int(a)).collect::<Compiled<_>>()?),
            ("*", _) => IntExpr::Mul(args.iter().map(|a| self.int(a)).collect::<Compiled<_>>()?),
            ("-", [a]) => IntExpr::Sub(Box::new([IntExpr::Literal(0), self.int(a)?])),
            ("-", _) => IntExpr::Sub(two(self)?),
            ("/", _) => IntExpr::Div(two(self)?),
            ("gcd", _) => IntExpr::Gcd(two(self)?),
            ("abs", [a]) => IntExpr::Abs(Box::new(self.int(a)?)),
            ("lowest", [x]) => IntExpr::Lowest(Box::new(self.term(x)?)),
            ("highest", [x]) => IntExpr::Highest(Box::new(self.term(x)?)),
            ("modulus", [x]) => IntExpr::Modulus(Box::new(self.term(x)?)),
            ("residue-of", [x]) => IntExpr::ResidueOf(Box::new(self.term(x)?)),
            ("constant-of", [x]) => IntExpr::ConstantOf(self.sum(x)?),
            ("content", [x]) => IntExpr::Content(self.sum(x)?),
            ("terms", [x]) => IntExpr::Terms(self.sum(x)?),
            ("bucket", [x, n]) => IntExpr::Bucket(Box::new((self.term(x)?, self.int(n)?))),
            ("quotient", [x, y]) => IntExpr::Quotient(Box::new([self.term(x)?, self.term(y)?])),
            _ => match Operator::named(op).filter(|operator| is_of_integers(*operator)) {
                Some(operator) => IntExpr::Apply(operator, two(self)?),
                None => return Err((d.position(), format!("`{d}` is no integer expression"))),
            },
        })
    }

    pub(super) fn term(&mut self, d: &Datum) -> Compiled<Term> {
        match d {
            Datum::Text(p, _) => Err((*p, "text is no term".into())),
            Datum::Word(p, w) => {
                if let Ok(n) = w.parse::<i64>() {
                    return Ok(Term::Int(IntExpr::Literal(n)));
                }
                match self.lookup(w) {
                    Some((Kind::Int, s)) => Ok(Term::Int(IntExpr::Slot(s))),
                    Some((Kind::Class, s)) => Ok(Term::Class(s)),
                    Some((Kind::Sum, s)) => Ok(Term::Sum(s)),
                    Some((Kind::List, _)) => Err((*p, format!("`{w}` can only be the rest of an and/or"))),
                    None => Err((*p, format!("`{w}` is not bound"))),
                }
            }
            Datum::List(_, items) => {
                let op = items.first().and_then(Datum::word).unwrap_or_default();
                self.operation(d, op, &items[items.len().min(1)..])
            }
        }
    }

    /// Compiles the term `d`, which applies `op` to `args`.
    fn operation(&mut self, d: &Datum, op: &str, args: &[Datum]) -> Compiled<Term> {
        let two = |c: &mut Compiler| -> Compiled<Box<[Term; 2]>> {
            match args {
                [a, b] => Ok(Box::new([c.term(a)?, c.term(b)?])),
                _ => Err((d.position(), format!("`{op}` takes two operands"))),
            }
        };
        let minus = |t| Term::Mul(vec![Term::Int(IntExpr::Literal(-1)), t]);
        Ok(match (op, args) {
            ("+", _) => Term::Add(args.iter().map(|a| self.term(a)).collect::<Compiled<_>>()?),
            ("*", _) => Term::Mul(args.iter().map(|a| self.term(a)).collect::<Compiled<_>>()?),
            ("-", [a]) => minus(self.term(a)?),
            ("-", [a, b]) => Term::Add(vec![self.term(a)?, minus(self.term(b)?)]),
            (">=", _) => {
                let [a, b] = *two(self)?;
                Term::NonNeg(Box::new(Term::Add(vec![a, minus(b)])))
            }
            ("==", _) => {
                let [a, b] = *two(self)?;
                Term::Zero(Box::new(Term::Add(vec![a, minus(b)])))
            }
            ("not", [a]) => Term::Not(Box::new(self.term(a)?)),
            ("and", _) => self.junction(Junction::And, args)?,
            ("or", _) => self.junction(Junction::Or, args)?,
            ("where", [c, a, b]) => Term::Select(Box::new([self.term(c)?, self.term(a)?, self.term(b)?])),
            _ => match Operator::named(op).filter(|operator| is_of_terms(*operator)) {
                Some(operator) => Term::Apply(operator, two(self)?),
                None => Term::Int(self.int(d)?),
            },
        })
    }

    fn junction(&mut self, junction: Junction, args: &[Datum]) -> Compiled<Term> {
        let (operands, rest) = match args.split_last() {
            Some((r, init)) if r.word().is_some_and(|w| w.ends_with("...")) => {
                match r.word().and_then(|w| self.lookup(w)) {
                    Some((Kind::List, s)) => (init, Some(s)),
                    _ => return Err((r.position(), format!("`{r}` is not the rest of an and/or"))),
                }
            }
            _ => (args, None),
        };
        let operands = operands.iter().map(|a| self.term(a)).collect::<Compiled<_>>()?;
        Ok(Term::Junction { junction, operands, rest })
    }
}
