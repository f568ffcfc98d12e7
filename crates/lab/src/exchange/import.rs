//! Writes rules of other systems in the rule language of quaff.

use super::foreign::Foreign;
use super::rewrite::Condition;
use super::term::{Monomial, Term};
use quaff::expr::Op;
use std::collections::{BTreeMap, BTreeSet};

/// A rule of another system, in quaff's rule language.
pub(super) enum Written {
    /// The text of the rule.
    Rule(String),
    /// Both sides have the same normal form in quaff, so no rule is needed.
    NormalForm,
}

/// Writes the rule `foreign` of the file `file` in quaff's rule language, under the name `name`.
///
/// # Errors
/// The reason why the rule language of quaff cannot express the rule.
pub(super) fn written(name: &str, file: &str, foreign: &Foreign) -> Result<Written, String> {
    let (left, right) = (normal(&foreign.rewrite.left), normal(&foreign.rewrite.right));
    if unordered(&left) == unordered(&right) {
        return Ok(Written::NormalForm);
    }
    let unbound: Vec<String> = right.variables().difference(&left.variables()).map(|v| v.to_string()).collect();
    if !unbound.is_empty() {
        return Err(format!("the left side does not have {}", unbound.join(", ")));
    }
    let mut pattern = Pattern::new(&left);
    let (matched, result) = pattern.root(&left, &right)?;
    for condition in &foreign.rewrite.conditions {
        pattern.guard(condition)?;
    }
    let reason = format!("{}, from {file}:{}", foreign.written.replace('"', "'"), foreign.position);
    let mut text = format!("(rule {name} \"{reason}\"\n  (match {matched})\n");
    pattern.clauses.iter().for_each(|clause| text.extend(["  ", clause, "\n"]));
    text.push_str(&format!("  (yield {result}))\n"));
    Ok(Written::Rule(text))
}

/// Puts a term into quaff's normal form. Comparisons become comparisons with 0, shifts by numbers become products and
/// quotients, and sums become sums of products.
fn normal(term: &Term) -> Term {
    let compared = |op: Op, left: Term| Term::two(op, sum_of(left), Term::Int(0));
    let below = |a: &Term, b: &Term, gap| Term::two(Op::Sub, Term::two(Op::Sub, b.clone(), a.clone()), Term::Int(gap));
    term.map(&|term| {
        let Term::Apply(op, operands) = &term else { return term };
        match (op, &operands[..]) {
            (Op::Lt, [a, b]) | (Op::Gt, [b, a]) => compared(Op::Ge, below(a, b, 1)),
            (Op::Le, [a, b]) | (Op::Ge, [b, a]) => compared(Op::Ge, below(a, b, 0)),
            (Op::Eq, [a, b]) => compared(Op::Eq, below(b, a, 0)),
            (Op::Ne, [a, b]) => Term::Apply(Op::Not, vec![compared(Op::Eq, below(b, a, 0))]),
            (Op::Shl, [a, Term::Int(by @ 0..=62)]) => sum_of(Term::two(Op::Mul, a.clone(), Term::Int(1 << by))),
            (Op::Shr, [a, Term::Int(by @ 0..=62)]) => Term::two(Op::FloorDiv, a.clone(), Term::Int(1 << by)),
            (Op::Add | Op::Sub | Op::Mul | Op::Neg, _) => sum_of(term),
            _ => term,
        }
    })
}

fn sum_of(term: Term) -> Term {
    term.sum().map_or(term, |sum| Term::of_sum(&sum))
}

/// Sorts the operands of commutative operations, so that terms can be compared.
fn unordered(term: &Term) -> Term {
    term.map(&|term| match term {
        Term::Apply(op, mut operands) if op.is_associative() => {
            let mut all = Vec::new();
            while let Some(operand) = operands.pop() {
                match operand {
                    Term::Apply(of, inner) if of == op => operands.extend(inner),
                    other => all.push(other),
                }
            }
            all.sort();
            Term::many(&op, all, Term::Int(0))
        }
        other => other,
    })
}

/// A pattern under construction, with the clauses of the rule that define further names and compare values.
struct Pattern {
    /// The number of occurrences of each variable on the left side.
    count: BTreeMap<Term, usize>,
    bound: BTreeMap<Term, Bound>,
    clauses: Vec<String>,
    /// Names that are already used.
    names: BTreeSet<String>,
}

/// The way in which the rule binds a variable.
#[derive(Clone, Copy, PartialEq)]
enum Bound {
    /// The pattern binds the variable to an e-class.
    Class,
    /// The pattern binds the variable to a sum of terms.
    Sum,
    /// A clause binds the variable.
    Clause,
    /// The variable is the list of an `and`'s further operands, which the pattern does not name one by one.
    AllOf,
    /// The variable is the list of an `or`'s further operands, which the pattern does not name one by one.
    AnyOf,
}

type Text = Result<String, String>;

impl Pattern {
    fn new(left: &Term) -> Pattern {
        let mut count = BTreeMap::new();
        for part in left.parts() {
            if let Term::Any(_) | Term::Number(_) = part {
                *count.entry(part.clone()).or_insert(0) += 1;
            }
        }
        let names = count.keys().map(|v| v.to_string()).collect();
        Pattern { count, bound: BTreeMap::new(), clauses: Vec::new(), names }
    }

    fn fresh(&mut self, name: &str) -> String {
        let free = (1..).map(|i| format!("?{name}{i}")).find(|n| !self.names.contains(n)).unwrap_or_default();
        self.names.insert(free.clone());
        free
    }

    /// Writes the pattern and the result of the whole rule.
    fn root(&mut self, left: &Term, right: &Term) -> Result<(String, String), String> {
        let sum = left.sum().filter(|_| !is_operation(left));
        let Some(sum) = sum else {
            let Term::Apply(op @ (Op::And | Op::Or), _) = left else {
                let pattern = self.pattern(left)?;
                return Ok((pattern, self.result(right)?));
            };
            // the matched `and` or `or` may have further operands, which the result must keep
            let parts = flat(left, op);
            let patterns = parts.iter().map(|p| self.pattern(p)).collect::<Result<Vec<_>, _>>()?;
            let rest = self.fresh("others");
            let pattern = format!("({} {} {rest}...)", op.symbol(), patterns.join(" "));
            return Ok((pattern, format!("({} {} {rest}...)", op.symbol(), self.result(right)?)));
        };
        let (constants, terms): (Vec<_>, Vec<_>) = sum.into_iter().partition(|m| m.1.is_empty());
        let constant = constants.first().map_or(0, |m| m.0);
        match &terms[..] {
            [] => return Err("the left side is a number".into()),
            [(_, product)] if matches!(product[..], [Term::Any(_) | Term::Number(_)]) => {
                return Err("the left side is one variable: everything matches".into());
            }
            _ => {}
        }
        // a pattern of a product also matches its multiples by numbers, so bind this factor and multiply the result by
        // it
        let scaled = terms.len() == 1 && terms[0].0 == 1 && constant == 0 && numbers(&terms[0].1).is_empty();
        let factor = self.fresh("factor").replacen('?', "#", 1);
        let picks = terms.iter().map(|m| match scaled {
            true => Ok(format!("(* {factor} {})", self.product(&m.1)?)),
            false => self.pick(m),
        });
        let picks = picks.collect::<Result<Vec<_>, String>>()?;
        let rest = self.fresh("rest");
        let pattern = format!("(+ {} {rest}...)", picks.join(" "));
        let result = self.result(right)?;
        Ok((
            pattern,
            match (scaled, constant) {
                (true, _) => format!("(+ {rest} (* {factor} {result}))"),
                (false, 0) => format!("(+ {rest} {result})"),
                (false, c) => format!("(+ {rest} {result} (- {c}))"),
            },
        ))
    }

    fn pattern(&mut self, term: &Term) -> Text {
        if matches!(term, Term::Apply(..))
            && !is_operation(term)
            && let Some(sum) = term.sum()
        {
            return self.sum(&sum);
        }
        match term {
            Term::Apply(op @ (Op::Ge | Op::Eq), sides) => {
                Ok(format!("({} {} 0)", op.symbol(), self.pattern(&sides[0])?))
            }
            Term::Apply(op @ (Op::And | Op::Or), _) => {
                let mut parts = flat(term, op);
                let once = |p: &Term| matches!(p, Term::Any(_)) && self.count.get(p) == Some(&1);
                let at = parts.iter().rposition(once);
                let at = at.ok_or_else(|| {
                    format!("an inner `{}` none of whose operands is a variable of its own", op.symbol())
                })?;
                let rest = parts.remove(at);
                let patterns = parts.iter().map(|p| self.pattern(p)).collect::<Result<Vec<_>, _>>()?;
                self.bound.insert(rest.clone(), if *op == Op::And { Bound::AllOf } else { Bound::AnyOf });
                Ok(format!("({} {} {rest}...)", op.symbol(), patterns.join(" ")))
            }
            Term::Apply(op, operands) => {
                let operands = operands.iter().map(|t| self.pattern(t)).collect::<Result<Vec<_>, _>>()?;
                Ok(format!("({} {})", op.symbol(), operands.join(" ")))
            }
            Term::Fact(name, _) => Err(format!("`{name}` in a pattern")),
            leaf => Ok(self.leaf(leaf)),
        }
    }

    fn leaf(&mut self, leaf: &Term) -> String {
        match (leaf, self.bound.get(leaf).copied()) {
            (Term::Int(n), _) => n.to_string(),
            (Term::Number(name), _) => {
                self.bound.insert(leaf.clone(), Bound::Class);
                format!("#{name}")
            }
            (_, Some(Bound::Sum)) => format!("{leaf}..."),
            (_, Some(Bound::Clause | Bound::AllOf | Bound::AnyOf)) => {
                let other = self.fresh("same");
                self.is_zero(&format!("(- {other} {leaf})"));
                other
            }
            (_, None | Some(Bound::Class)) => {
                self.bound.insert(leaf.clone(), Bound::Class);
                leaf.to_string()
            }
        }
    }

    /// Writes the pattern of a product, which is a term of a sum or the whole pattern.
    fn product(&mut self, product: &[Term]) -> Text {
        let Some((first, others)) = product.split_first() else { return Ok("1".into()) };
        let first = self.pattern(first)?;
        Ok(if others.is_empty() { first } else { format!("(* {first} {})", self.product(others)?) })
    }

    /// Writes the pattern of one term of a sum, with its numeric factor.
    fn pick(&mut self, (factor, product): &Monomial) -> Text {
        let numbers = numbers(product);
        let others: Vec<Term> = product.iter().filter(|t| !numbers.contains(t)).cloned().collect();
        let pattern = self.product(&others)?;
        match (&numbers[..], factor) {
            ([], 1) => Ok(pattern),
            ([], factor) => Ok(format!("(* {factor} {pattern})")),
            ([number], 1) => Ok(format!("(* {} {pattern})", self.leaf(number))),
            _ => {
                let name = self.fresh("factor").replacen('?', "#", 1);
                let all: Vec<String> = numbers.iter().map(|n| self.leaf(n)).collect();
                self.clauses.push(format!("(when (= {name} (* {factor} {})))", all.join(" ")));
                Ok(format!("(* {name} {pattern})"))
            }
        }
    }

    /// Writes the pattern of a sum that is an operand. If possible, one of its variables becomes `?name...`, which
    /// matches all remaining terms.
    fn sum(&mut self, sum: &[Monomial]) -> Text {
        let (constants, terms): (Vec<&Monomial>, Vec<&Monomial>) =
            sum.iter().partition(|m| m.1.iter().all(Term::is_number));
        let known = constants.iter().find(|m| m.1.is_empty()).map_or(0, |m| m.0);
        let symbols: Vec<&&Monomial> = constants.iter().filter(|m| !m.1.is_empty()).collect();
        match (&terms[..], &symbols[..]) {
            ([], []) => return Ok(known.to_string()),
            ([], [(1, number)]) if known == 0 && number.len() == 1 => return Ok(self.leaf(&number[0])),
            ([], _) => return Err("a computed number in a pattern".into()),
            ([(1, product)], []) if known == 0 && numbers(product).is_empty() => return self.product(product),
            _ => {}
        }
        let alone = |m: &&Monomial| m.0.abs() == 1 && matches!(m.1[..], [Term::Any(_)]);
        let once = |m: &&Monomial| self.count.get(&m.1[0]) == Some(&1);
        let unbound = |m: &&Monomial| !self.bound.contains_key(&m.1[0]);
        let candidates: Vec<usize> = (0..terms.len()).filter(|&i| alone(&terms[i]) && unbound(&terms[i])).collect();
        let at = candidates.iter().rev().find(|&&i| once(&terms[i])).or(candidates.last()).copied();
        let at = at.filter(|_| symbols.is_empty());
        let picked: Vec<&Monomial> = (0..terms.len()).filter(|&i| Some(i) != at).map(|i| terms[i]).collect();
        if picked.is_empty() {
            // the sum is a single variable, possibly with a numeric factor
            return Ok(self.rest(terms[0], known));
        }
        let picks = picked.into_iter().map(|m| self.pick(m)).collect::<Result<Vec<_>, _>>()?;
        let rest = match at {
            Some(at) => self.rest(terms[at], known),
            None => self.number_rest(known, &symbols)?,
        };
        Ok(format!("(+ {} {rest})", picks.join(" ")))
    }

    /// Writes the variable that matches all remaining terms of a sum.
    fn rest(&mut self, (factor, product): &Monomial, known: i64) -> String {
        let variable = &product[0];
        if (*factor, known) == (1, 0) {
            self.bound.insert(variable.clone(), Bound::Sum);
            return format!("{variable}...");
        }
        let rest = self.fresh("rest");
        let value = if *factor == 1 { format!("(- {rest} {known})") } else { format!("(- {known} {rest})") };
        self.clauses.push(format!("(let {variable} {value})"));
        self.bound.insert(variable.clone(), Bound::Clause);
        format!("{rest}...")
    }

    /// Writes the rest of a sum whose other terms are all named. A clause requires that the rest is the constant of the
    /// sum.
    fn number_rest(&mut self, known: i64, symbols: &[&&Monomial]) -> Text {
        let rest = self.fresh("rest");
        match symbols {
            [] if known == 0 => self.clauses.push(format!("(when (not (nontrivial {rest})))")),
            [] => self.clauses.push(format!("(when (constant {rest}) (= (constant-of {rest}) {known}))")),
            [(1, number)] if number.len() == 1 => {
                let Term::Number(name) = &number[0] else { return Err("a computed number in a pattern".into()) };
                let value = format!("(- (constant-of {rest}) {known})");
                self.clauses.push(format!("(when (constant {rest}))"));
                self.clauses.push(match self.bound.insert(number[0].clone(), Bound::Class) {
                    None => format!("(let #{name} {value})"),
                    Some(_) => format!("(when (= #{name} {value}))"),
                });
            }
            _ => return Err("a computed number in a pattern".into()),
        }
        Ok(format!("{rest}..."))
    }

    fn is_zero(&mut self, difference: &str) {
        let name = self.fresh("difference");
        self.clauses.push(format!("(let {name} {difference})"));
        self.clauses.push(format!("(when (not (nontrivial {name})))"));
    }

    fn guard(&mut self, condition: &Condition) -> Result<(), String> {
        let Condition::Is { holds, word, terms } = condition else { return Err("a choice of conditions".into()) };
        let texts = terms.iter().map(|t| self.result(t)).collect::<Result<Vec<_>, _>>()?;
        match (&word[..], &texts[..], holds) {
            ("equal", [a, b], true) if terms.iter().all(Term::is_number) => {
                self.clauses.push(format!("(when (= {a} {b}))"))
            }
            ("equal", [a, b], true) => self.is_zero(&format!("(- {a} {b})")),
            (_, _, true) => self.clauses.push(format!("(when ({word} {}))", texts.join(" "))),
            (_, _, false) => self.clauses.push(format!("(when (not ({word} {})))", texts.join(" "))),
        }
        Ok(())
    }

    /// Writes a term of the right side of a rule.
    fn result(&self, term: &Term) -> Text {
        Ok(match term {
            Term::Int(n) => n.to_string(),
            Term::Number(name) => format!("#{name}"),
            Term::Any(_) => match self.bound.get(term) {
                Some(Bound::AllOf) => format!("(and {term}...)"),
                Some(Bound::AnyOf) => format!("(or {term}...)"),
                Some(_) => term.to_string(),
                None => return Err(format!("the left side does not have {term}")),
            },
            Term::Fact(name, _) => return Err(format!("`{name}` in a result")),
            Term::Apply(op @ (Op::Shl | Op::Shr), _) => {
                return Err(format!("`{}` by an unknown in a result", op.symbol()));
            }
            Term::Apply(op, operands) => {
                let operands = operands.iter().map(|t| self.result(t)).collect::<Result<Vec<_>, _>>()?;
                format!("({} {})", op.symbol(), operands.join(" "))
            }
        })
    }
}

/// The operands of a term, with nested operations `op` flattened.
fn flat(term: &Term, op: &Op) -> Vec<Term> {
    match term {
        Term::Apply(of, operands) if of == op => operands.iter().flat_map(|t| flat(t, op)).collect(),
        other => vec![other.clone()],
    }
}

/// Whether a term is an operation other than a sum or a product.
fn is_operation(term: &Term) -> bool {
    matches!(term, Term::Apply(op, _) if !matches!(op, Op::Add | Op::Sub | Op::Mul | Op::Neg))
}

/// The factors of a product that are numbers.
fn numbers(product: &[Term]) -> Vec<Term> {
    product.iter().filter(|t| t.is_number()).cloned().collect()
}
