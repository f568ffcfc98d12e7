//! The state of the compilation of a rule: the bound names, and the instructions so far.

use crate::rules::program::{AnySlot, Instr, Slot, SlotCounts};
use crate::rules::read::{Datum, Fail, Position};
use rustc_hash::FxHashMap;

pub(super) type Compiled<T> = Result<T, Fail>;

/// The clauses that may follow the pattern, as messages list them.
pub(super) const CLAUSES: &str = "let, for, split, split-multiples, split-by, signs, units, residue, common-factor, there, when, yield, done, phase or because";

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    Int,
    Class,
    Sum,
    /// The operands of an `and` or `or`.
    List,
}

#[derive(Default)]
pub(super) struct Compiler {
    pub(super) names: FxHashMap<String, (Kind, Slot)>,
    pub(super) counts: SlotCounts,
    pub(super) code: Vec<Instr>,
}

impl Compiler {
    pub(super) fn one<'d>(&self, at: &Datum, parts: &'d [Datum]) -> Compiled<&'d Datum> {
        match parts {
            [d] => Ok(d),
            _ => Err((at.position(), format!("expected one operand, found {}", parts.len()))),
        }
    }

    pub(super) fn fresh(&mut self, kind: Kind, at: Position) -> Compiled<Slot> {
        let n = match kind {
            Kind::Int => &mut self.counts.ints,
            Kind::Class => &mut self.counts.classes,
            Kind::Sum => &mut self.counts.sums,
            Kind::List => &mut self.counts.lists,
        };
        *n += 1;
        Slot::try_from(*n - 1).map_err(|_| (at, "too many names in one rule".to_string()))
    }

    /// Binds a new name of this kind.
    pub(super) fn bind(&mut self, d: &Datum, kind: Kind) -> Compiled<Slot> {
        let word = d.word().ok_or((d.position(), "expected a name".to_string()))?;
        let ok = match kind {
            Kind::Int => word.starts_with('#') && word.len() > 1,
            _ => word.starts_with('?') && word.len() > 1,
        };
        if !ok {
            return Err((d.position(), format!("`{word}` is no name here: integers are #n, all else is ?x")));
        }
        let name = word.trim_end_matches("...").to_string();
        if self.names.contains_key(&name) {
            return Err((d.position(), format!("`{name}` is already bound")));
        }
        let slot = self.fresh(kind, d.position())?;
        self.names.insert(name, (kind, slot));
        Ok(slot)
    }

    /// The names that the clauses between pattern and result mention, in the order of the text. An explanation of a
    /// firing shows the values of these names.
    pub(super) fn explained_names(&self, clauses: &[Datum]) -> Vec<(String, AnySlot)> {
        let word = |c: &Datum| c.list().and_then(|l| l.first()).and_then(Datum::word).unwrap_or_default().to_string();
        let (written, between): (Vec<&Datum>, Vec<&Datum>) =
            clauses.iter().partition(|c| matches!(&*word(c), "match" | "yield"));
        let mut out = Vec::new();
        let mut words: Vec<String> = Vec::new();
        written.iter().chain(&between).for_each(|c| names_in(c, &mut words));
        for name in words {
            if between.iter().any(|c| mentions(c, &|w| w == name)) {
                let slot = match self.lookup(&name) {
                    Some((Kind::Int, s)) => AnySlot::Int(s),
                    Some((Kind::Class, s)) => AnySlot::Class(s),
                    Some((Kind::Sum, s)) => AnySlot::Sum(s),
                    Some((Kind::List, _)) | None => continue,
                };
                out.push((name.trim_start_matches(['#', '?']).to_string(), slot));
            }
        }
        out
    }

    pub(super) fn lookup(&self, word: &str) -> Option<(Kind, Slot)> {
        self.names.get(word.trim_end_matches("...")).copied()
    }

    pub(super) fn sum(&self, d: &Datum) -> Compiled<Slot> {
        match d.word().and_then(|w| self.lookup(w)) {
            Some((Kind::Sum, s)) => Ok(s),
            _ => Err((d.position(), format!("`{d}` is not a bound sum"))),
        }
    }
}

/// Adds every name `#n` or `?x` in `d` to `out`, each once.
fn names_in(d: &Datum, out: &mut Vec<String>) {
    match d {
        Datum::Word(_, w) if w.starts_with(['#', '?']) => {
            let name = w.trim_end_matches("...").to_string();
            if !out.contains(&name) {
                out.push(name);
            }
        }
        Datum::List(_, items) => items.iter().for_each(|d| names_in(d, out)),
        _ => {}
    }
}

pub(super) fn mentions(d: &Datum, name: &impl Fn(&str) -> bool) -> bool {
    match d {
        Datum::Word(_, w) => name(w.trim_end_matches("...")),
        Datum::Text(..) => false,
        Datum::List(_, items) => items.iter().any(|d| mentions(d, name)),
    }
}
