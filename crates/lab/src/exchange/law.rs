//! Reads a rule's law (the equality that the rule states) as rewrites over binary operators.

use super::rewrite::{Condition, Rewrite};
use super::term::Term;
use quaff::expr::Op;
use quaff::internals::rules::{Datum, read};
use quaff::rules::Rule;
use std::collections::BTreeMap;

/// The rewrites that express a rule. There is one for each result of the rule, and for each value in a `list` clause.
/// If a clause splits a sum into parts, the rewrite matches the sum of these parts. The conditions of a rewrite are the
/// guards of the rule and the conditions that its clauses imply.
///
/// # Errors
/// The reason why the rule cannot be expressed by rewrites, in a few words.
pub(super) fn rewrites(rule: &Rule) -> Result<Vec<Rewrite>, String> {
    let (data, _) = read(rule.text());
    let clauses = data.first().and_then(Datum::list).unwrap_or_default();
    let Some(pattern) = clauses.get(3).and_then(Datum::list).and_then(|c| c.get(1)) else {
        return Err("a rule without a pattern".into());
    };
    let mut law = Law {
        text: rule.text().into(),
        pattern: Term::Int(0),
        values: BTreeMap::new(),
        conditions: Vec::new(),
        remainders: BTreeMap::new(),
        lists: BTreeMap::new(),
    };
    law.pattern = law.term(pattern)?;
    for factor in factors(pattern) {
        let factor = law.term(factor)?;
        law.conditions.push(Condition::is("!=", vec![factor, Term::Int(0)]));
    }
    let mut found = Vec::new();
    law.clauses(&clauses[4..], &mut found)?;
    Ok(found)
}

/// The numeric factors of the terms of sums in a pattern, which are never 0.
fn factors(pattern: &Datum) -> Vec<&Datum> {
    let items = pattern.list().unwrap_or_default();
    let is_sum = items.first().and_then(Datum::word) == Some("+");
    let factor = |pick: &'_ Datum| match pick.list() {
        Some([star, factor, _]) if star.word() == Some("*") => factor.word().is_some_and(|w| w.starts_with('#')),
        _ => false,
    };
    let own = items.iter().filter(|pick| is_sum && factor(pick)).filter_map(|pick| pick.list()?.get(1));
    own.chain(items.iter().flat_map(factors)).collect()
}

/// The law of a rule, as it follows from the clauses that were read so far.
#[derive(Clone)]
struct Law {
    /// The text of the rule. New variables get names that do not occur in it.
    text: String,
    pattern: Term,
    /// The values of the variables that clauses define. A value may contain other variables with values.
    values: BTreeMap<Term, Term>,
    conditions: Vec<Condition>,
    /// The divisor of each variable whose value is a remainder.
    remainders: BTreeMap<Term, Term>,
    /// For each variable that represents the remaining operands of an `and` or `or`, this operation.
    lists: BTreeMap<String, Op>,
}

type Read<T> = Result<T, String>;

impl Law {
    fn clauses(mut self, clauses: &[Datum], found: &mut Vec<Rewrite>) -> Read<()> {
        for (at, clause) in clauses.iter().enumerate() {
            let items = clause.list().unwrap_or_default();
            let word = items.first().and_then(Datum::word).unwrap_or_default();
            match (word, &items[items.len().min(1)..]) {
                ("done" | "phase" | "because", _) => {}
                ("yield", [term]) => {
                    let right = self.term(term)?;
                    found.push(self.rewrite(&right)?);
                }
                ("when", guards) => guards.iter().try_for_each(|g| self.guard(g))?,
                ("let", [name, value]) => {
                    let (name, value) = (self.term(name)?, self.term(value)?);
                    self.define(name, value)?;
                }
                ("for", [name, from]) => {
                    let from = from.list().unwrap_or_default();
                    if from.first().and_then(Datum::word) == Some("list") {
                        for value in &from[1..] {
                            let mut one = self.clone();
                            let (name, value) = (one.term(name)?, one.term(value)?);
                            one.define(name, value)?;
                            one.clauses(&clauses[at + 1..], found)?;
                        }
                        return Ok(());
                    }
                    let name = self.term(name)?;
                    self.choice(name, from)?;
                }
                (word, operands) => self.taken_apart(word, operands)?,
            }
        }
        Ok(())
    }

    /// Reads the clause `(for NAME FROM)`, in which the rule chooses a value for the name. The law holds for any value
    /// that the conditions allow.
    fn choice(&mut self, name: Term, from: &[Datum]) -> Read<()> {
        let word = from.first().and_then(Datum::word).unwrap_or_default();
        match (word, &from[from.len().min(1)..]) {
            ("gcds" | "multiples", [_, n]) => {
                let n = self.term(n)?;
                self.conditions.push(Condition::is(">", vec![name.clone(), Term::Int(1)]));
                if n != Term::Int(0) {
                    self.conditions.push(Condition::is("divides", vec![name, n]));
                }
            }
            ("factors" | "shared-factors", _) => {}
            ("ratios", [sum, part]) => {
                let (sum, part) = (self.term(sum)?, self.term(part)?);
                self.conditions.push(Condition::is("!=", vec![name.clone(), Term::Int(0)]));
                // a sum without a value gets the value `name * part` plus a new variable
                if self.is_free(&sum) {
                    let rest = self.fresh(&sum);
                    self.define(sum, Term::two(Op::Add, Term::two(Op::Mul, name, part), rest))?;
                }
            }
            _ => return Err(format!("the clause `{word}`")),
        }
        Ok(())
    }

    /// Reads a clause that splits a sum into parts.
    fn taken_apart(&mut self, word: &str, operands: &[Datum]) -> Read<()> {
        if !["split", "split-by", "residue", "split-multiples", "common-factor"].contains(&word) {
            return Err(format!("the clause `{word}`"));
        }
        let operands = operands.iter().map(|d| self.term(d)).collect::<Read<Vec<_>>>()?;
        let sum =
            |by: &Term, q: &Term, r: &Term| Term::two(Op::Add, Term::two(Op::Mul, by.clone(), q.clone()), r.clone());
        let parts = match (word, &operands[..]) {
            ("split", [x, by, q, r]) | ("residue", [x, by, _, q, r]) => {
                self.conditions.push(Condition::is(">", vec![by.clone(), Term::Int(0)]));
                self.remainders.insert(r.clone(), by.clone());
                vec![(x, sum(by, q, r))]
            }
            ("split-by", [x, by, q, r]) => vec![(x, sum(by, q, r))],
            ("split-multiples", [x, by, q, r]) => {
                self.conditions.push(Condition::is("multiple-of", vec![q.clone(), by.clone()]));
                vec![(x, Term::two(Op::Add, q.clone(), r.clone()))]
            }
            ("common-factor", [x, n, g, y, m]) => {
                let product = |over: &Term| Term::two(Op::Mul, g.clone(), over.clone());
                vec![(x, product(y)), (n, product(m))]
            }
            _ => return Err(format!("the clause `{word}`")),
        };
        for (x, value) in parts {
            if !self.is_free(x) {
                return Err(format!("`{word}` of a sum that is computed or taken apart before"));
            }
            self.define(x.clone(), value)?;
        }
        Ok(())
    }

    fn define(&mut self, name: Term, value: Term) -> Read<()> {
        self.is_short(&value, &self.values)?;
        if full(&value, &self.values).variables().contains(&name) {
            return Err("sums that are parts of one another".into());
        }
        self.values.insert(name, value);
        Ok(())
    }

    fn guard(&mut self, guard: &Datum) -> Read<()> {
        let condition = self.condition(guard)?;
        match &condition {
            Condition::Is { holds: false, word, terms } if word == "nontrivial" => {
                let [x] = &terms[..] else { return Ok(()) };
                // the clause requires that `x` is 0. If `x` is a variable of the pattern, it gets the value 0.
                // Otherwise a condition compares it with 0
                if self.is_free(x) || !self.values.contains_key(x) {
                    self.values.insert(x.clone(), Term::Int(0));
                } else {
                    let zero = match self.values.get(x) {
                        Some(Term::Apply(Op::Sub, sides)) => sides.clone(),
                        _ => vec![x.clone(), Term::Int(0)],
                    };
                    self.conditions.push(Condition::is("equal", zero));
                }
            }
            Condition::Is { holds: true, word, terms } if word == "constant" => match &terms[..] {
                [x @ Term::Any(name)] if !self.values.contains_key(x) => {
                    // a number that is a remainder is in `0..divisor`
                    if let Some(by) = self.remainders.get(x) {
                        self.conditions.push(Condition::is("within", vec![x.clone(), Term::Int(0), by.clone()]));
                    }
                    let other = if self.text.contains(&format!("#{name}")) { "-number" } else { "" };
                    self.values.insert(x.clone(), Term::Number(format!("{name}{other}")));
                }
                _ => self.conditions.push(condition),
            },
            _ => self.conditions.push(condition),
        }
        Ok(())
    }

    fn condition(&mut self, guard: &Datum) -> Read<Condition> {
        let items = guard.list().unwrap_or_default();
        let word = items.first().and_then(Datum::word).unwrap_or_default();
        let operands = &items[items.len().min(1)..];
        match (word, operands) {
            ("any", _) => Ok(Condition::Any(operands.iter().map(|g| self.condition(g)).collect::<Read<_>>()?)),
            ("not", [guard]) => match self.condition(guard)? {
                Condition::Is { holds, word, terms } => Ok(Condition::Is { holds: !holds, word, terms }),
                Condition::Any(_) => Err("the negation of `any`".into()),
            },
            _ => Ok(Condition::is(word, operands.iter().map(|d| self.term(d)).collect::<Read<_>>()?)),
        }
    }

    /// Whether the variable occurs in the pattern and has no value yet.
    fn is_free(&self, x: &Term) -> bool {
        matches!(x, Term::Any(_)) && !self.values.contains_key(x) && self.pattern.parts().contains(&x)
    }

    /// A new variable for a part of the variable `of`.
    fn fresh(&self, of: &Term) -> Term {
        let Term::Any(name) = of else { return of.clone() };
        let known = |name: &str| {
            let used = Term::Any(name.into());
            self.pattern.parts().contains(&&used) || self.values.values().any(|v| v.parts().contains(&&used))
        };
        let free = (1..).map(|i| format!("{name}{i}")).find(|name| !known(name));
        Term::Any(free.unwrap_or_default())
    }

    /// Reads a term of the rule. Its variables are not yet replaced by their values.
    fn term(&mut self, datum: &Datum) -> Read<Term> {
        let Some(items) = datum.list() else {
            let word = datum.word().unwrap_or_default();
            return Ok(match (word.parse(), word.strip_prefix('#')) {
                (Ok(n), _) => Term::Int(n),
                (_, Some(name)) => Term::Number(name.into()),
                _ => Term::Any(word.trim_start_matches('?').trim_end_matches("...").into()),
            });
        };
        let word = items.first().and_then(Datum::word).unwrap_or_default();
        let operands = &items[items.len().min(1)..];
        if operands.len() > MAX_OPERANDS {
            return Err(format!("operations of more than {MAX_OPERANDS} operands"));
        }
        if let "and" | "or" = word {
            return self.junction(if word == "and" { Op::And } else { Op::Or }, operands);
        }
        let mut terms = operands.iter().map(|d| self.term(d)).collect::<Read<Vec<_>>>()?;
        Ok(match (word, terms.len()) {
            ("+", _) => Term::many(&Op::Add, terms, Term::Int(0)),
            ("*", _) => Term::many(&Op::Mul, terms, Term::Int(1)),
            ("-", 1) => Term::Apply(Op::Neg, terms),
            ("-", _) => Term::Apply(Op::Sub, terms),
            // a rule matches only if this division has no remainder
            ("/", 2) => {
                self.conditions.push(Condition::is("divides", terms.iter().rev().cloned().collect()));
                Term::Apply(Op::FloorDiv, terms)
            }
            ("bucket" | "quotient", 2) => {
                self.conditions.push(Condition::is("one-bucket", terms.clone()));
                Term::Apply(Op::FloorDiv, terms)
            }
            _ => match Op::with_symbol(word).filter(|op| op.arity() == terms.len()) {
                Some(op) => Term::Apply(op, std::mem::take(&mut terms)),
                None => Term::Fact(word.into(), terms),
            },
        })
    }

    fn junction(&mut self, op: Op, operands: &[Datum]) -> Read<Term> {
        let mut terms = Vec::new();
        for operand in operands {
            if let Some(rest) = operand.word().filter(|w| w.ends_with("...")) {
                let of = self.lists.entry(rest.into()).or_insert_with(|| op.clone());
                if *of != op {
                    return Err("the others of an `and` in an `or`".into());
                }
            }
            terms.push(self.term(operand)?);
        }
        let none = Term::Int(i64::from(op == Op::And));
        // an `and` or `or` of one clause is the truth value of that clause
        Ok(match terms.len() {
            1 => Term::two(op, terms.remove(0), none),
            _ => Term::many(&op, terms, none),
        })
    }

    /// The rewrite from the pattern to `right`.
    fn rewrite(&self, right: &Term) -> Read<Rewrite> {
        let exact = self.resolved(right, &self.values);
        match exact {
            Err(fact) => {
                // the values of some numbers are facts about other terms. If the pattern contains such a number, it
                // becomes a variable, because the law holds for every value that the conditions allow
                let of_facts = |v: &Term| v.parts().into_iter().any(|p| matches!(p, Term::Fact(..)));
                let mut free = self.values.clone();
                free.retain(|name, value| !(matches!(name, Term::Number(_)) && of_facts(value)));
                self.resolved(right, &free).map_err(|_| fact)
            }
            exact => exact,
        }
    }

    /// Returns an error if a term becomes too long when its variables are replaced by their values.
    fn is_short(&self, term: &Term, values: &BTreeMap<Term, Term>) -> Read<()> {
        match size(term, values, &mut BTreeMap::new()) <= MAX_SIZE {
            true => Ok(()),
            false => Err(format!("terms of more than {MAX_SIZE} operations")),
        }
    }

    fn resolved(&self, right: &Term, values: &BTreeMap<Term, Term>) -> Read<Rewrite> {
        let conditions = self.conditions.iter().flat_map(Condition::terms);
        conditions.chain([&self.pattern, right]).try_for_each(|term| self.is_short(term, values))?;
        let pattern = full(&self.pattern, values);
        // a variable for numbers and a variable for terms may have the same name in the rule, so rename the former
        let twin = |name: &str| pattern.parts().contains(&&Term::Any(name.into()));
        let apart = |leaf: Term| match leaf {
            Term::Number(name) if twin(&name) => Term::Number(format!("{name}-number")),
            other => other,
        };
        let full = |term: &Term| full(term, values).map(&apart).tidy();
        let (left, right) = (full(&self.pattern), full(right));
        for side in [&left, &right] {
            if let Some(Term::Fact(name, _)) = side.parts().into_iter().find(|p| matches!(p, Term::Fact(..))) {
                return Err(format!("`{name}` in a result"));
            }
        }
        let matched = left.variables();
        let mut conditions: Vec<Condition> = Vec::new();
        for condition in &self.conditions {
            let condition = condition.map(&full);
            // a guard that only says when the rule is useful is dropped if it has variables that the left side does not
            // have
            let known = condition.terms().iter().all(|t| t.variables().is_subset(&matched));
            let spelling = |p: &Term| matches!(p, Term::Fact(name, _) if name == "constant-of" || name == "content");
            if !condition.is_of_use() && condition.terms().iter().any(|t| t.parts().into_iter().any(spelling)) {
                return Err("a guard about the numbers in a sum".into());
            }
            match (known, condition.is_of_use()) {
                _ if says_nothing(&condition) || conditions.contains(&condition) => {}
                (true, _) => conditions.push(condition),
                (false, true) => {}
                (false, false) => return Err("a condition on what the pattern does not have".into()),
            }
        }
        let mut conditions: Vec<_> = conditions.iter().filter(|c| !follows(c, &conditions)).cloned().collect();
        // in quaff, truth values are 0 or 1, but in other systems they may be any numbers, so add a condition
        let (mut truths, mut values) = (Vec::new(), Vec::new());
        uses(&left, false, &mut truths, &mut Vec::new());
        uses(&right, false, &mut Vec::new(), &mut values);
        truths.retain(|t| values.contains(t));
        conditions.extend(truths.into_iter().map(|t| Condition::is("boolean", vec![t.clone()])));
        if !right.variables().is_subset(&matched) {
            return Err("a result of what the pattern does not have".into());
        }
        if left == right {
            return Err("a fact about the value is all that it says".into());
        }
        Ok(Rewrite { left, right, conditions })
    }
}

/// The most operations, numbers and variables of a term.
const MAX_SIZE: usize = 500;

/// The most operands of one operation.
const MAX_OPERANDS: usize = 64;

/// The number of parts of a term after its variables are replaced by their values.
fn size(term: &Term, values: &BTreeMap<Term, Term>, known: &mut BTreeMap<Term, usize>) -> usize {
    let Some(value) = values.get(term) else {
        return term.operands().iter().fold(1, |sum, t| sum.saturating_add(size(t, values, known)));
    };
    if let Some(size) = known.get(term) {
        return *size;
    }
    let size = size(value, values, known);
    known.insert(term.clone(), size);
    size
}

/// The term with its variables replaced by their values, until no variable has a value.
fn full(term: &Term, values: &BTreeMap<Term, Term>) -> Term {
    term.map(&|leaf| match values.get(&leaf) {
        Some(value) => full(value, values),
        None => match leaf {
            Term::Fact(name, terms)
                if name == "constant-of" && terms.iter().all(Term::is_number) && terms.len() == 1 =>
            {
                terms.into_iter().next().unwrap_or(Term::Int(0))
            }
            other => other,
        },
    })
}

/// Collects the variables that are used as truth values in `truths`, and those that are used as numbers in `values`.
fn uses<'t>(term: &'t Term, is_truth: bool, truths: &mut Vec<&'t Term>, values: &mut Vec<&'t Term>) {
    match term {
        Term::Any(_) if is_truth && !truths.contains(&term) => truths.push(term),
        Term::Any(_) if !is_truth => values.push(term),
        Term::Apply(op, operands) => {
            for (operand, at) in operands.iter().zip(0..) {
                let asked = matches!(op, Op::And | Op::Or | Op::Not) || *op == Op::Select && at == 0;
                uses(operand, asked, truths, values);
            }
        }
        _ => {}
    }
}

/// Whether a condition follows from another condition of `all`: `x > 1` implies `x > 0`, and both `x > 0` and `x < 0`
/// imply `x != 0`.
fn follows(condition: &Condition, all: &[Condition]) -> bool {
    let Condition::Is { holds: true, word, terms } = condition else { return false };
    let [n, Term::Int(0)] = &terms[..] else { return false };
    let given = |word: &str, end: i64| all.contains(&Condition::is(word, vec![n.clone(), Term::Int(end)]));
    match &word[..] {
        ">" => given(">", 1),
        "!=" => given(">", 0) || given(">", 1) || given("<", 0),
        _ => false,
    }
}

/// Whether a condition always holds: a true comparison of constants, an equality of equal terms, or the guard that a
/// number is constant.
fn says_nothing(condition: &Condition) -> bool {
    let Condition::Is { holds: true, word, terms } = condition else { return false };
    match (&word[..], &terms[..]) {
        (">", [Term::Int(a), Term::Int(b)]) => a > b,
        ("!=", [Term::Int(a), Term::Int(b)]) => a != b,
        ("constant", [t]) => t.is_number(),
        ("equal" | "=", [a, b]) => a == b,
        _ => false,
    }
}
