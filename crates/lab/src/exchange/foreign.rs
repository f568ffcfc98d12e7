//! Reads rules of other systems in their own syntax: lines of text, JSON reports, and egglog programs.

use super::rewrite::{Condition, Rewrite};
use super::term::Term;
use super::words::{in_condition, in_line, in_program, number_in_program};
use quaff::internals::rules::{Datum, Fail, read};
use quaff::rules::Position;
use std::collections::BTreeMap;

/// A rule of another system, with its text and its position in the file.
#[derive(Clone, Debug)]
pub(super) struct Foreign {
    pub(super) position: Position,
    /// The text of the rule, on one line.
    pub(super) written: String,
    pub(super) rewrite: Rewrite,
}

/// For each rule of a text, the rule that was read, or the error.
pub(super) type Found = Vec<Result<Foreign, Fail>>;

/// Reads lines of Enumo and Ruler: `LEFT ==> RIGHT`, `LEFT => RIGHT` or `LEFT <=> RIGHT`, optionally followed by `if
/// CONDITION`.
pub(super) fn lines(text: &str) -> Found {
    let mut found = Vec::new();
    for (line, at) in text.lines().zip(1..) {
        if !line.trim().is_empty() && !line.trim_start().starts_with([';', '#']) {
            found.extend(line_of(line, Position { line: at, column: 1 }));
        }
    }
    found
}

/// Reads a line that begins at `start`. A line with `<=>` gives two rules, one for each direction.
fn line_of(line: &str, start: Position) -> Found {
    let (data, fails) = read(line);
    let moved = |p: Position| Position { line: start.line, column: start.column + p.column - 1 };
    if let Some((p, why)) = fails.into_iter().next() {
        return vec![Err((moved(p), why))];
    }
    let arrow = |d: &Datum| matches!(d.word(), Some("==>" | "=>" | "<=>"));
    let one = || {
        let fail = |d: Option<&Datum>, why: &str| (d.map_or(start, |d| moved(d.position())), why.to_string());
        let ([left, arrow, right], condition) = match &data[..] {
            [left, word, right] if arrow(word) => ([left, word, right], None),
            [left, word, right, when, condition] if arrow(word) && when.word() == Some("if") => {
                ([left, word, right], Some(condition))
            }
            _ => {
                return Err(fail(
                    data.first(),
                    "a rule reads LEFT ==> RIGHT, LEFT => RIGHT or LEFT <=> RIGHT [if CONDITION]",
                ));
            }
        };
        let term = |d| in_line(d).map_err(|(p, why)| (moved(p), why));
        let (left, right) = (term(left)?, term(right)?);
        let conditions = match condition {
            Some(condition) => in_condition(condition).map_err(|(p, why)| (moved(p), why))?,
            None => Vec::new(),
        };
        Ok((arrow.word() == Some("<=>"), Rewrite { left, right, conditions }))
    };
    match one() {
        Ok((both, rewrite)) => both_ways(start, line.trim(), rewrite, both),
        Err(fail) => vec![Err(fail)],
    }
}

fn both_ways(position: Position, written: &str, rewrite: Rewrite, both: bool) -> Found {
    let back = both.then(|| Rewrite { left: rewrite.right.clone(), right: rewrite.left.clone(), ..rewrite.clone() });
    let foreign = |rewrite| Ok(Foreign { position, written: written.into(), rewrite });
    [Some(rewrite), back].into_iter().flatten().map(foreign).collect()
}

/// The fields of a Ruler report that contain rules.
const LISTS: [&str; 5] = ["eqs", "rules", "new_rws", "new_eqs", "all_eqs"];

/// Reads a report of Ruler, which is a list of rules or an object with lists of rules. Each rule is a string with a
/// line, or an object with `lhs`, `rhs` and an optional `bidirectional`.
pub(super) fn report(text: &str) -> Found {
    let value: serde_json::Value = match serde_json::from_str(text) {
        Ok(value) => value,
        Err(e) => {
            let at = |n: usize| u32::try_from(n).unwrap_or(u32::MAX).max(1);
            return vec![Err((Position { line: at(e.line()), column: at(e.column()) }, format!("no JSON: {e}")))];
        }
    };
    let lists: Vec<&serde_json::Value> = match &value {
        serde_json::Value::Object(fields) => LISTS.iter().filter_map(|name| fields.get(*name)).collect(),
        list => vec![list],
    };
    let rules: Vec<&serde_json::Value> = lists.iter().filter_map(|l| l.as_array()).flatten().collect();
    let (mut found, mut from) = (Vec::new(), 0);
    if rules.is_empty() {
        let why = format!("no list of rules: a report has one, or a field {}", LISTS.join(", "));
        found.push(Err((Position { line: 1, column: 1 }, why)));
    }
    for rule in rules {
        let side = |name: &str| rule.get(name).and_then(serde_json::Value::as_str);
        let first = rule.as_str().or_else(|| side("lhs")).unwrap_or_default();
        let quoted = serde_json::to_string(first).unwrap_or_default();
        // find the position of a rule by a search for its text after the previous rule
        let at = text.get(from..).and_then(|t| t.find(&quoted)).map_or(from, |at| from + at);
        from = at + 1;
        let position = position_of(text, at);
        let line = match (rule.as_str(), side("lhs"), side("rhs")) {
            (Some(line), ..) => line.to_string(),
            (_, Some(left), Some(right)) => {
                let both = rule.get("bidirectional").and_then(serde_json::Value::as_bool).unwrap_or(false);
                format!("{left} {} {right}", if both { "<=>" } else { "==>" })
            }
            _ => {
                found.push(Err((position, "a rule is a line, or has texts `lhs` and `rhs`".into())));
                continue;
            }
        };
        found.extend(line_of(&line.replace('\n', " "), position));
    }
    found
}

fn position_of(text: &str, at: usize) -> Position {
    let before = text.get(..at).unwrap_or_default();
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX - 1) + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count();
    Position { line: count(before.matches('\n').count()), column: count(column) }
}

/// Reads the `rewrite` and `birewrite` commands of an egglog program. A `rule` is refused, and all other commands are
/// ignored.
pub(super) fn program(text: &str) -> Found {
    let (data, fails) = read(text);
    let mut found: Found = fails.into_iter().map(Err).collect();
    for command in &data {
        let items = command.list().unwrap_or_default();
        match items.first().and_then(Datum::word) {
            Some(word @ ("rewrite" | "birewrite")) => match rewrite(command, items) {
                Ok(read) => {
                    found.extend(both_ways(command.position(), &command.to_string(), read, word == "birewrite"))
                }
                Err(fail) => found.push(Err(fail)),
            },
            Some("rule") => {
                found.push(Err((command.position(), "of rules, `rewrite` and `birewrite` are read".into())))
            }
            _ => {}
        }
    }
    found
}

fn rewrite(command: &Datum, items: &[Datum]) -> Result<Rewrite, Fail> {
    let [_, left, right, options @ ..] = items else {
        return Err((command.position(), "a rewrite has two sides".into()));
    };
    let (mut read, mut values) =
        (Rewrite { left: in_program(left)?, right: in_program(right)?, conditions: Vec::new() }, BTreeMap::new());
    let mut options = options.iter();
    while let Some(option) = options.next() {
        match option.word() {
            Some(":subsume") => {}
            Some(":ruleset" | ":name") => drop(options.next()),
            Some(":when") => {
                let facts = options.next().and_then(Datum::list);
                for fact in facts.ok_or_else(|| (option.position(), "`:when` has a list of facts".to_string()))? {
                    read.conditions.extend(fact_of(fact, &read.left, &mut values)?);
                }
            }
            _ => return Err((option.position(), format!("`{option}` is no option of a rewrite that is read"))),
        }
    }
    let full = |term: &Term| term.map(&|leaf| values.get(&leaf).cloned().unwrap_or(leaf));
    let conditions = read.conditions.iter().map(|c| c.map(&full)).collect();
    Ok(Rewrite { left: read.left, right: full(&read.right), conditions })
}

/// Reads a fact of `:when` as a condition. `None` if the fact gives a value to a new name.
fn fact_of(fact: &Datum, left: &Term, values: &mut BTreeMap<Term, Term>) -> Result<Option<Condition>, Fail> {
    let refused = || (fact.position(), format!("`{fact}` is no condition that a guard says"));
    let Some([op, a, b]) = fact.list() else { return Err(refused()) };
    let op = op.word().unwrap_or_default();
    let bound: Vec<Term> = left.variables().into_iter().cloned().collect();
    let numbers = [a, b].map(number_in_program);
    let [Ok(x), Ok(y)] = numbers else {
        // the fact states that two terms are equal
        return match op {
            "=" => Ok(Some(Condition::is("equal", vec![in_program(a)?, in_program(b)?]))),
            _ => Err(refused()),
        };
    };
    let is = |holds: bool, word: &str, terms: Vec<Term>| Ok(Some(Condition::Is { holds, word: word.into(), terms }));
    // in egglog, a plain word is a variable if the left side of the rule contains it
    let any = |n: &Term| match n {
        Term::Number(name) => Some(Term::Any(name.clone())).filter(|t| bound.contains(t)),
        _ => None,
    };
    match (op, any(&x), any(&y)) {
        ("=", Some(x), Some(y)) => return Ok(Some(Condition::is("equal", vec![x, y]))),
        (_, None, None) => {}
        _ => return Err(refused()),
    }
    match (op, &x, &y) {
        ("=", name @ Term::Number(_), _) if !bound.contains(name) && !values.contains_key(name) => {
            values.insert(name.clone(), y);
            Ok(None)
        }
        ("=" | "!=", Term::Int(0), Term::Fact(what, of)) => is(op == "=", what, of.clone()),
        ("=" | "!=", Term::Fact(what, of), Term::Int(0)) => is(op == "=", what, of.clone()),
        (_, Term::Fact(..), _) | (_, _, Term::Fact(..)) => Err(refused()),
        ("=" | "!=" | "<" | "<=" | ">" | ">=", ..) => is(true, op, vec![x, y]),
        _ => Err(refused()),
    }
}
