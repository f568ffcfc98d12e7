//! Compiles patterns to matching instructions.

use super::compiler::{Compiled, Compiler, Kind};
use crate::expr::Junction;
use crate::rules::operator::Operator;
use crate::rules::program::{Instr, IntExpr, Slot};
use crate::rules::read::{Datum, Position};

/// The operator with the name `word`, and the number of its operands.
fn operator_of(word: &str) -> Option<(Operator, usize)> {
    let operator = Operator::named(word)?;
    Some((operator, operator.arity()?))
}

/// The operator named by the word `d`.
pub(super) fn operator(d: &Datum) -> Compiled<Operator> {
    let named = d.word().and_then(operator_of);
    named.map(|(operator, _)| operator).ok_or_else(|| (d.position(), format!("`{d}` is no operator")))
}

/// Splits the pattern of an operation into its operator and the patterns of its operands.
fn operation(d: &Datum) -> Compiled<(Operator, &[Datum])> {
    let items = d.list().unwrap_or_default();
    let op = items.first().and_then(Datum::word).unwrap_or_default();
    let (operator, arity) = operator_of(op).ok_or_else(|| (d.position(), format!("unknown operation `{op}`")))?;
    let mut operands = &items[1..];
    if matches!(operator, Operator::NonNeg | Operator::Zero) {
        match operands {
            [_, Datum::Word(_, zero)] if zero == "0" => operands = &operands[..1],
            _ => return Err((d.position(), format!("a comparison is matched as ({op} PATTERN 0)"))),
        }
    }
    match operands.len() == arity {
        true => Ok((operator, operands)),
        false => Err((d.position(), format!("`{op}` takes {arity} operands, found {}", operands.len()))),
    }
}

impl Compiler {
    pub(super) fn root(&mut self, at: &Datum, parts: &[Datum]) -> Compiled<Operator> {
        let pattern = self.one(at, parts)?;
        let items = pattern.list().unwrap_or_default();
        let root = self.fresh(Kind::Class, pattern.position())?;
        match items.first().and_then(Datum::word) {
            Some("+") => {
                // the engine calls a rule about sums with one spelling at a time
                let sum = self.fresh(Kind::Sum, pattern.position())?;
                self.sum_pattern(pattern, sum)?;
                Ok(Operator::Sum)
            }
            Some("and") => self.pattern(pattern, root, true).map(|()| Operator::And),
            Some("or") => self.pattern(pattern, root, true).map(|()| Operator::Or),
            Some("*") => Err((pattern.position(), "products are normal forms; match a sum or an operation".into())),
            Some(w) if operator_of(w).is_some() => {
                self.pattern(pattern, root, true)?;
                Ok(operator_of(w).map_or(Operator::Div, |h| h.0))
            }
            _ => {
                Err((pattern.position(), "a rule matches an operation: (// ..), (% ..), (+ ..), (min ..), ...".into()))
            }
        }
    }

    /// Matches the class in `class` against `d`. If `all`, every spelling of a sum directly below the root is tried.
    pub(super) fn pattern(&mut self, d: &Datum, class: Slot, all: bool) -> Compiled<()> {
        match d {
            Datum::Text(p, _) => Err((*p, "text is no pattern".into())),
            Datum::Word(p, w) => self.leaf(*p, w, d, class, all),
            Datum::List(p, items) => {
                let op = items.first().and_then(Datum::word).unwrap_or_default();
                match op {
                    "+" => {
                        let sum = self.fresh(Kind::Sum, *p)?;
                        self.code.push(Instr::Spelling { class, to: sum, all });
                        self.sum_pattern(d, sum)
                    }
                    "*" => {
                        let [_, one, others] = &items[..] else {
                            return Err((*p, "a product is matched as (* FACTOR REST)".into()));
                        };
                        let (picked, rest) = (self.fresh(Kind::Class, *p)?, self.fresh(Kind::Class, *p)?);
                        self.code.push(Instr::Factor { class, picked, rest });
                        self.pattern(one, picked, false)?;
                        self.pattern(others, rest, false)
                    }
                    "and" => self.junction_pattern(d, class, Junction::And, &items[1..]),
                    "or" => self.junction_pattern(d, class, Junction::Or, &items[1..]),
                    _ => {
                        let (operator, operands) = operation(d)?;
                        let slots = self.fresh_classes(operands)?;
                        self.code.push(Instr::Node { class, operator, operands: slots.clone() });
                        self.operand_patterns(operands.iter().zip(slots), all)
                    }
                }
            }
        }
    }

    /// Compiles `(there PATTERN)`, which matches an operation anywhere in the e-graph.
    pub(super) fn there(&mut self, d: &Datum) -> Compiled<()> {
        let (operator, operands) = operation(d)?;
        let first = operands.first().and_then(|o| self.class_of(o));
        let slots = self.fresh_classes(operands)?;
        self.code.push(Instr::There { operator, first, operands: slots.clone() });
        // the instruction already requires that the first operand is the class in `first`
        let known = usize::from(first.is_some());
        self.operand_patterns(operands.iter().zip(slots).skip(known), false)
    }

    /// The class of a bound name. For a name that is bound to a sum, the result is the class that this sum spells.
    fn class_of(&self, d: &Datum) -> Option<Slot> {
        match self.lookup(d.word()?)? {
            (Kind::Class, slot) => Some(slot),
            (Kind::Sum, slot) => self.code.iter().find_map(|i| match i {
                Instr::Spelling { class, to, .. } if *to == slot => Some(*class),
                _ => None,
            }),
            _ => None,
        }
    }

    fn fresh_classes(&mut self, operands: &[Datum]) -> Compiled<Vec<Slot>> {
        operands.iter().map(|o| self.fresh(Kind::Class, o.position())).collect()
    }

    /// Matches the operands. Constants and repeated names come first, because they fail fastest.
    fn operand_patterns<'d>(&mut self, operands: impl Iterator<Item = (&'d Datum, Slot)>, all: bool) -> Compiled<()> {
        let (simple, other): (Vec<_>, Vec<_>) =
            operands.partition(|(o, _)| o.word().is_some_and(|w| !w.starts_with('?')));
        for (o, s) in simple.into_iter().chain(other) {
            self.pattern(o, s, all && (o.word().is_some() || is_sum(o)))?;
        }
        Ok(())
    }

    pub(super) fn leaf(&mut self, p: Position, w: &str, d: &Datum, class: Slot, all: bool) -> Compiled<()> {
        if let Ok(n) = w.parse::<i64>() {
            let to = self.fresh(Kind::Int, p)?;
            self.code.push(Instr::Constant { class, to });
            self.code.push(Instr::SameInt { a: to, b: IntExpr::Literal(n) });
            return Ok(());
        }
        if let Some(name) = w.strip_prefix('?').filter(|n| n.ends_with("...")) {
            if name.len() == 3 {
                return Err((p, "a sum needs a name: ?x...".into()));
            }
            if let Some((Kind::Sum, b)) = self.lookup(w) {
                let a = self.fresh(Kind::Sum, p)?;
                self.code.push(Instr::Spelling { class, to: a, all });
                self.code.push(Instr::SameSum { a, b });
            } else {
                let to = self.bind(d, Kind::Sum)?;
                self.code.push(Instr::Spelling { class, to, all });
            }
            return Ok(());
        }
        match (self.lookup(w), w.as_bytes().first()) {
            (Some((Kind::Class, b)), _) => self.code.push(Instr::SameClass { a: class, b }),
            (Some((Kind::Int, b)), _) => {
                let to = self.fresh(Kind::Int, p)?;
                self.code.push(Instr::Constant { class, to });
                self.code.push(Instr::SameInt { a: to, b: IntExpr::Slot(b) });
            }
            (Some(_), _) => return Err((p, format!("`{w}` is a sum: write it with dots"))),
            (None, Some(b'#')) => {
                let to = self.bind(d, Kind::Int)?;
                self.code.push(Instr::Constant { class, to });
            }
            (None, Some(b'?')) if w.len() > 1 => {
                self.names.insert(w.to_string(), (Kind::Class, class));
            }
            _ => return Err((p, format!("`{w}` is no pattern: constants are #n, classes ?x, sums ?x..."))),
        }
        Ok(())
    }

    /// Compiles the pattern `(+ PICK... ?rest...)`. A pick is `P`, `(* 3 P)` or `(* #c P)`.
    pub(super) fn sum_pattern(&mut self, d: &Datum, mut sum: Slot) -> Compiled<()> {
        let items = &d.list().unwrap_or_default()[1..];
        let [picks @ .., rest] = items else {
            return Err((d.position(), "a sum pattern reads (+ PICK... ?rest...)".into()));
        };
        if picks.is_empty() {
            return Err((d.position(), "a sum pattern picks at least one term; any sum is ?x...".into()));
        }
        if !rest.word().is_some_and(|w| w.starts_with('?') && w.ends_with("...")) {
            return Err((rest.position(), "a sum pattern ends with the sum of the other terms, ?rest...".into()));
        }
        for (i, pick) in picks.iter().enumerate() {
            let (coeff, class) = (self.fresh(Kind::Int, pick.position())?, self.fresh(Kind::Class, pick.position())?);
            let last = i + 1 == picks.len();
            let others = if last { self.bind(rest, Kind::Sum)? } else { self.fresh(Kind::Sum, pick.position())? };
            let at = self.fresh(Kind::Int, pick.position())?;
            self.code.push(Instr::Pick { sum, at, coeff, class });
            let inner = match pick.list() {
                Some([Datum::Word(_, star), c @ Datum::Word(_, first), inner])
                    if star == "*" && !first.starts_with('?') =>
                {
                    match c.word() {
                        Some(w) if w.starts_with('#') && self.lookup(w).is_none() => {
                            self.names.insert(w.to_string(), (Kind::Int, coeff));
                        }
                        _ => {
                            let b = self.int(c)?;
                            self.code.push(Instr::SameInt { a: coeff, b });
                        }
                    }
                    inner
                }
                _ => {
                    self.code.push(Instr::SameInt { a: coeff, b: IntExpr::Literal(1) });
                    pick
                }
            };
            self.pattern(inner, class, false)?;
            // the rest is computed after the term has matched, because most terms do not match
            self.code.push(Instr::Without { sum, at, to: others });
            sum = others;
        }
        Ok(())
    }

    pub(super) fn junction_pattern(
        &mut self,
        d: &Datum,
        class: Slot,
        junction: Junction,
        items: &[Datum],
    ) -> Compiled<()> {
        let [picks @ .., rest] = items else {
            return Err((d.position(), "a pattern of and/or reads (and PATTERN... ?rest...)".into()));
        };
        if !rest.word().is_some_and(|w| w.ends_with("...")) {
            return Err((rest.position(), "a pattern of and/or ends with the other clauses, ?rest...".into()));
        }
        let picked: Vec<Slot> = picks.iter().map(|p| self.fresh(Kind::Class, p.position())).collect::<Compiled<_>>()?;
        let rest = self.bind(rest, Kind::List)?;
        self.code.push(Instr::Junction { class, junction, picked: picked.clone(), rest });
        for (p, s) in picks.iter().zip(picked) {
            self.pattern(p, s, false)?;
        }
        Ok(())
    }
}

fn is_sum(d: &Datum) -> bool {
    d.list().and_then(|l| l.first()).and_then(Datum::word) == Some("+")
}
