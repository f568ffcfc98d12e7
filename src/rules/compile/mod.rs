//! Compiles the text of a rule to instructions. It reports all errors of a rule, not only the first one.

mod clauses;
mod compiler;
mod patterns;
mod terms;

use super::hoist::hoisted;
use super::phase::Phase;
use super::program::{Instr, Rule};
use super::read::{Datum, Fail, Position};
use crate::rules::operator::Operator;
use compiler::{CLAUSES, Compiled, Compiler, mentions};
use rustc_hash::FxHashSet;

pub(super) fn compile(datum: &Datum, file: &str) -> Result<Rule, Vec<Fail>> {
    let position = datum.position();
    let fail = |m: &str| vec![(position, m.to_string())];
    let Some([Datum::Word(_, rule), Datum::Word(_, name), Datum::Text(_, reason), clauses @ ..]) = datum.list() else {
        return Err(fail("a rule reads (rule NAME \"reason\" (match PATTERN) CLAUSE... (yield TERM))"));
    };
    if rule != "rule" {
        return Err(fail(&format!("expected `rule`, found `{rule}`")));
    }
    let mut body = Body::default();
    body.read(clauses);
    let phase = body.phase();
    if body.operator.is_none() && body.errors.is_empty() {
        body.errors.push((position, "no (match PATTERN)".into()));
    }
    if body.yields == 0 && body.errors.is_empty() {
        body.errors.push((position, "no (yield TERM)".into()));
    }
    match (body.operator, body.errors.is_empty()) {
        (Some(operator), true) => Ok(Rule {
            name: name.clone(),
            reason: reason.clone(),
            because: body.because,
            text: datum.to_string(),
            file: file.to_string(),
            position,
            operator,
            phase,
            is_done: body.done.is_some(),
            explained_names: body.compiler.explained_names(clauses),
            code: hoisted(body.compiler.code),
            slots: body.compiler.counts,
        }),
        _ => Err(body.errors),
    }
}

/// The clauses of a rule that have been read so far.
#[derive(Default)]
struct Body<'d> {
    compiler: Compiler,
    errors: Vec<Fail>,
    /// The operator that the pattern matches.
    operator: Option<Operator>,
    yields: usize,
    /// The position of `(done)`.
    done: Option<Position>,
    /// The phase in `(phase NAME)`, and its position.
    phase: Option<(Phase, Position)>,
    /// The first clause that searches the whole e-graph.
    looks: Option<Position>,
    because: Option<String>,
    /// The names that clauses with errors would have bound. Clauses that use these names are not compiled, so that one
    /// mistake gives one error.
    lost: FxHashSet<&'d str>,
}

impl<'d> Body<'d> {
    fn read(&mut self, clauses: &'d [Datum]) {
        for (i, clause) in clauses.iter().enumerate() {
            let parts = clause.list().unwrap_or_default();
            let Some(word) = parts.first().and_then(Datum::word) else {
                self.errors.push((clause.position(), format!("expected a clause: match, {CLAUSES}")));
                continue;
            };
            if (i == 0) != (word == "match") {
                self.errors.push((clause.position(), "the first clause, and only it, is (match PATTERN)".into()));
                if i == 0 {
                    break; // without a pattern, no name has a meaning
                }
                continue;
            }
            self.yields += usize::from(word == "yield");
            if mentions(clause, &|w| self.lost.contains(w)) {
                self.lose(clause);
            } else if let Err(e) = self.clause(clause, word, &parts[1..]) {
                self.errors.push(e);
                self.lose(clause);
            }
        }
    }

    fn clause(&mut self, clause: &'d Datum, word: &'d str, operands: &'d [Datum]) -> Compiled<()> {
        let c = &mut self.compiler;
        match (word, operands) {
            ("match", _) => self.operator = Some(c.root(clause, operands)?),
            ("yield", _) => {
                let term = c.one(clause, operands).and_then(|d| c.term(d))?;
                c.code.push(Instr::Yield(term));
            }
            ("because", [Datum::Text(_, text)]) if self.because.is_none() => self.because = Some(text.clone()),
            ("because", _) => {
                return Err((clause.position(), "one text says why the rule is there: (because \"...\")".into()));
            }
            ("done", []) => self.done = Some(clause.position()),
            ("phase", [Datum::Word(at, name)]) if self.phase.is_none() => {
                let phase = Phase::named(name);
                let unknown = || (*at, format!("`{name}` is no phase: {}", Phase::names()));
                self.phase = Some((phase.ok_or_else(unknown)?, clause.position()));
            }
            ("phase", _) => {
                return Err((clause.position(), format!("a rule has one phase: {}", Phase::names())));
            }
            _ => {
                let known = c.code.len();
                c.clause(clause, word, operands)?;
                let looks = |i: &Instr| matches!(i, Instr::There { .. } | Instr::ForOperands { .. });
                if c.code[known..].iter().any(looks) {
                    self.looks.get_or_insert(clause.position());
                }
            }
        }
        Ok(())
    }

    /// Records the names that a clause with errors mentions and that no earlier clause has bound.
    fn lose(&mut self, clause: &'d Datum) {
        match clause {
            Datum::Word(_, w) if w.starts_with(['#', '?']) && self.compiler.lookup(w).is_none() => {
                self.lost.insert(w.trim_end_matches("..."));
            }
            Datum::List(_, items) => items.iter().for_each(|d| self.lose(d)),
            _ => {}
        }
    }

    /// The phase of the rule. Adds errors if the pattern or the clauses do not fit the phase.
    fn phase(&mut self) -> Phase {
        let (phase, at) = match self.phase {
            Some((phase, at)) => (phase, Some(at)),
            None => (Phase::Search, None),
        };
        let mut wrong = |at: Option<Position>, message: String| self.errors.extend(at.map(|at| (at, message)));
        let name = phase.schedule().name;
        match self.operator {
            Some(Operator::Sum) => {
                let message = "a rule about sums cannot end the work on a node: the engine decides that by cost";
                wrong(self.done, message.into());
            }
            Some(_) if phase.schedule().is_of_sums => {
                wrong(at, format!("only rules about sums can be of the phase `{name}`"));
            }
            _ => {}
        }
        if !phase.schedule().sees_all {
            wrong(
                self.looks,
                "before the phase `share` the e-graph is not complete: `there` and `operands` stand in its rules"
                    .into(),
            );
        }
        phase
    }
}
