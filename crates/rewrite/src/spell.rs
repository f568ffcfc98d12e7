//! Texts of expressions in the language of a file.

use crate::model::{Kernel, variables_of};
use crate::question::{Question, expanded};
use quaff::Facts;
use quaff::Simplifier;
use quaff::domain::Interval;
use quaff::expr::{Dag, Expr, Op};
use quaff_dialects::{Dialect, write};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The numbers of 32 bits.
const NARROW: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);

/// Writes expressions, for the places of one kernel.
pub(crate) struct Speller<'k> {
    kernel: &'k Kernel,
    question: &'k Question,
    simplifier: &'k Simplifier,
    dialect: Dialect,
    /// What is known under each condition.
    facts: FxHashMap<Option<Expr>, Facts>,
    /// The values of new variables.
    temporaries: FxHashMap<Arc<str>, Expr>,
    /// The texts of variables that are parts of the source, as they are edited.
    pub(crate) sources: FxHashMap<Arc<str>, String>,
}

/// A text.
#[derive(Clone, Debug)]
pub(crate) struct Spelt {
    pub(crate) text: String,
    /// Whether its value may need 64 bits.
    pub(crate) is_wide: bool,
}

impl<'k> Speller<'k> {
    pub(crate) fn new(
        kernel: &'k Kernel,
        question: &'k Question,
        simplifier: &'k Simplifier,
        dialect: Dialect,
    ) -> Speller<'k> {
        let (facts, temporaries, sources) = (FxHashMap::default(), FxHashMap::default(), FxHashMap::default());
        Speller { kernel, question, simplifier, dialect, facts, temporaries, sources }
    }

    /// Makes `variable` one that has the value `e`.
    pub(crate) fn define(&mut self, variable: &Arc<str>, e: &Expr) {
        let value = self.full(e);
        self.temporaries.insert(variable.clone(), value);
    }

    /// `e` without names for values.
    fn full(&self, e: &Expr) -> Expr {
        expanded(&expanded(e, &self.temporaries), &self.question.values)
    }

    /// The text of `e` where `condition` holds. `promised` are expressions whose values have 32 bits wherever they are computed, as the
    /// language says of what the file computes; `is_narrow` says that all parts of the text have to be computed with 32 bits.
    pub(crate) fn text(
        &mut self,
        e: &Expr,
        condition: Option<&Expr>,
        promised: &[&Expr],
        is_narrow: bool,
    ) -> Option<Spelt> {
        let dag = Dag::with_origins(std::slice::from_ref(e));
        let root = *dag.roots().first()? as usize;
        let known = self.ranges(&dag, condition, promised)?;
        if is_narrow && !known.iter().all(|range| range.within(NARROW.0, NARROW.1)) {
            return None;
        }
        let ranges: FxHashMap<Expr, Interval> =
            (0..).zip(&known).map(|(id, range)| (dag.origin(id).clone(), *range)).collect();
        let range_of = |e: &Expr| ranges.get(e).copied().unwrap_or(Interval::ALL);
        let written = write(std::slice::from_ref(e), self.dialect, &range_of).ok()?;
        if written.text.contains('\n') {
            return None;
        }
        let is_positive = known.iter().all(|range| range.within(0, NARROW.1));
        let mut spellings: FxHashMap<String, String> = FxHashMap::default();
        for variable in variables_of(e) {
            let name = written.renamed.get(&*variable).cloned().unwrap_or_else(|| variable.to_string());
            let spelling = self.spelling(&variable, is_positive, written.wide.contains(&*variable));
            if spelling != name {
                spellings.insert(name, spelling);
            }
        }
        let is_wide = !known[root].within(NARROW.0, NARROW.1);
        Some(Spelt { text: replaced(&written.text, &spellings)?, is_wide })
    }

    /// How the text calls a variable.
    fn spelling(&self, variable: &Arc<str>, is_positive: bool, is_wide: bool) -> String {
        let Some(known) = self.kernel.variables.get(variable) else { return variable.to_string() };
        let text = self.sources.get(variable).unwrap_or(&known.spelling);
        match (known.is_unsigned && !is_positive, is_wide) {
            (false, _) => text.clone(),
            (true, false) => format!("(int){text}"),
            (true, true) => format!("(long long){text}"),
        }
    }

    /// The ranges of the nodes of `dag`.
    fn ranges(&mut self, dag: &Dag, condition: Option<&Expr>, promised: &[&Expr]) -> Option<Vec<Interval>> {
        let narrow = Interval::from_wide(NARROW.0, NARROW.1);
        let promised = parts(promised);
        let mut known = Vec::with_capacity(dag.nodes().len());
        for id in 0..dag.nodes().len() as u32 {
            let full = self.full(dag.origin(id));
            let range = match full.as_const() {
                Some(value) => Interval::point(value),
                None => self.facts_under(condition).bounds(&full).ok()?,
            };
            known.push(if promised.contains(&full) { range.meet(narrow).unwrap_or(range) } else { range });
        }
        // the parts of a sum that are not negative are no greater than the sum
        for (id, node) in dag.nodes().iter().enumerate().rev() {
            let (range, args) = (known[id], node.args());
            let least = match node.op {
                Op::Add => 0,
                Op::Mul => 1,
                _ => continue,
            };
            let [a, b] = [0, 1].map(|i| args[i] as usize);
            let Some(hi) = range.hi() else { continue };
            for (part, other) in [(a, b), (b, a)] {
                let is_bounded = known[other].lo() >= Some(least) && known[part].lo() >= Some(0);
                let below = Interval::from_wide(0, hi.max(0).into());
                if is_bounded {
                    known[part] = known[part].meet(below).unwrap_or(known[part]);
                }
            }
        }
        Some(known)
    }

    fn facts_under(&mut self, condition: Option<&Expr>) -> &mut Facts {
        let key = condition.cloned();
        let (domain, simplifier) = (&self.question.domain, self.simplifier);
        self.facts.entry(key).or_insert_with(|| {
            let domain = domain.clone();
            simplifier.facts(&condition.map_or(domain.clone(), |condition| domain.assume(condition.clone())))
        })
    }
}

/// All parts of `exprs`.
fn parts(exprs: &[&Expr]) -> FxHashSet<Expr> {
    let exprs: Vec<Expr> = exprs.iter().map(|e| (*e).clone()).collect();
    let dag = Dag::with_origins(&exprs);
    (0..dag.nodes().len() as u32).map(|id| dag.origin(id).clone()).collect()
}

/// `text` with other words in the place of some. `None` where one of them, which is more than a word, would need parentheses that a
/// postfix operator does not allow for.
fn replaced(text: &str, spellings: &FxHashMap<String, String>) -> Option<String> {
    if spellings.is_empty() {
        return Some(text.into());
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if length == 0 {
            out.push(c);
            rest = &rest[c.len_utf8()..];
            continue;
        }
        let (word, behind) = rest.split_at(length);
        match spellings.get(word).filter(|_| !out.ends_with('.')) {
            Some(spelling) => out += spelling,
            None => out += word,
        }
        rest = behind;
    }
    Some(out)
}
