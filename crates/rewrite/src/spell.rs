//! Writes expressions as texts in the language of a file.

use crate::model::{Kernel, Place};
use crate::promises::Promises;
use crate::question::{Question, expanded};
use crate::reuse::Spot;
use quaff::Simplifier;
use quaff::domain::{Interval, interval_of_op};
use quaff::expr::{Dag, DagNode, Expr, Op, var};
use quaff_dialects::{Dialect, IntegerType, write};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The range of signed numbers of 32 bits.
const NARROW: (i128, i128) = (i32::MIN as i128, i32::MAX as i128);

/// The least number that is written as a name of the file with this value. A smaller number often has another meaning.
/// For example, the 2 in `2 * i` is seldom a width of 2.
const LEAST_NAMED: i64 = 3;

/// Writes expressions for the sites of one kernel.
pub(crate) struct Speller<'k> {
    kernel: &'k Kernel,
    question: &'k Question,
    simplifier: &'k Simplifier,
    dialect: Dialect,
    promises: Promises,
    /// The statement into which texts are written, and the conditions that hold there.
    pub(crate) at: Spot,
    /// The values of the new variables that are added to the file.
    temporaries: FxHashMap<Arc<str>, Expr>,
    /// The new texts of variables that are parts of the source, such as `lens[b]`.
    pub(crate) sources: FxHashMap<Arc<str>, String>,
}

impl<'k> Speller<'k> {
    pub(crate) fn new(
        kernel: &'k Kernel,
        question: &'k Question,
        simplifier: &'k Simplifier,
        dialect: Dialect,
    ) -> Speller<'k> {
        let promises = Promises::new(kernel, question, simplifier);
        let at = (Place { block: 0, start: 0 }, None);
        let (temporaries, sources) = (FxHashMap::default(), FxHashMap::default());
        Speller { kernel, question, simplifier, dialect, promises, at, temporaries, sources }
    }

    /// Records that the new variable `variable` has the value `e`.
    pub(crate) fn define(&mut self, variable: &Arc<str>, e: &Expr) {
        let value = self.full(e);
        self.temporaries.insert(variable.clone(), value);
    }

    /// `e` with all definitions and new variables replaced by their values.
    fn full(&self, e: &Expr) -> Expr {
        expanded(&expanded(e, &self.temporaries), &self.question.values)
    }

    /// The text of `e` at points where `condition` holds. If `is_narrow`, all parts must be computed with 32 bits, as
    /// in the old text. `numbers` has the constants' names in the file, by value.
    pub(crate) fn text(
        &mut self,
        e: &Expr,
        condition: Option<&Expr>,
        is_narrow: bool,
        numbers: &FxHashMap<i64, &str>,
    ) -> Option<String> {
        let (e, wrapped) = self.without_wrapped(e);
        let dag = Dag::with_origins(std::slice::from_ref(&e));
        let known = self.ranges(&dag, condition, is_narrow)?;
        if is_narrow && !known.iter().all(|range| range.within(NARROW.0, NARROW.1)) {
            return None;
        }
        let ranges: FxHashMap<Expr, Interval> =
            (0..).zip(&known).map(|(id, range)| (dag.origin(id).clone(), *range)).collect();
        let range_of = |e: &Expr| ranges.get(e).copied().unwrap_or(Interval::ALL);
        let written = write(std::slice::from_ref(&e), self.dialect, &range_of).ok()?;
        if written.text.contains('\n') {
            return None;
        }
        let is_positive = known.iter().all(|range| range.within(0, NARROW.1));
        let mut spellings: FxHashMap<String, String> = FxHashMap::default();
        for variable in e.variables() {
            let name = written.renamed.get(&*variable).cloned().unwrap_or_else(|| variable.to_string());
            let is_wide = written.wide.contains(&*variable);
            let spelling = match wrapped.iter().find(|(known, _)| *known == variable) {
                Some((_, text)) => with_type(text, !is_positive, is_wide),
                None => self.spelling(&variable, is_positive, is_wide),
            };
            if spelling != name {
                spellings.insert(name, spelling);
            }
        }
        for (value, name) in numbers.iter().filter(|(value, _)| **value >= LEAST_NAMED) {
            spellings.insert(value.to_string(), (*name).into());
        }
        wrapped.iter().for_each(|(variable, _)| drop(self.temporaries.remove(variable)));
        Some(match wrapped.iter().find(|(variable, _)| written.text == **variable) {
            // remove the parentheses around the text of an unsigned expression, which are not needed here
            Some((_, text)) if is_positive => text[1..text.len() - 1].into(),
            _ => replaced(&written.text, &spellings),
        })
    }

    /// The text of `e` in unsigned arithmetic, at points where `condition` holds. The value may be too large for a
    /// signed variable of 32 bits, as `blockIdx.x + threadIdx.x` may be.
    pub(crate) fn unsigned(&mut self, e: &Expr, condition: Option<&Expr>) -> Option<String> {
        if self.dialect != Dialect::Cuda {
            return None;
        }
        if let Some(inner) = modulo(e) {
            return self.unsigned_text(inner);
        }
        let dag = Dag::with_origins(std::slice::from_ref(e));
        let range = *self.ranges(&dag, condition, true)?.last()?;
        self.unsigned_text(e).filter(|_| range.within(0, u32::MAX.into()))
    }

    /// Replaces each unsigned sum or product modulo 2^32 by a variable. Returns the new expression, and the text of
    /// each variable in parentheses. Unsigned arithmetic computes modulo 2^32, so the text contains no modulo.
    fn without_wrapped(&mut self, e: &Expr) -> (Expr, Vec<(Arc<str>, String)>) {
        let mut wrapped: Vec<(Arc<str>, String)> = Vec::new();
        if self.dialect != Dialect::Cuda {
            return (e.clone(), wrapped);
        }
        let dag = Dag::with_origins(std::slice::from_ref(e));
        let new = dag.rebuilt(|id, _| {
            let own = dag.origin(id);
            let text = self.unsigned_text(modulo(own)?)?;
            let variable: Arc<str> = format!("wrapped_{}", wrapped.len()).into();
            self.temporaries.insert(variable.clone(), self.full(own));
            wrapped.push((variable.clone(), format!("({text})")));
            Some(var(variable))
        });
        (new.into_iter().next().unwrap_or_else(|| e.clone()), wrapped)
    }

    /// The text of `e` in unsigned arithmetic, if `e` is a sum or product of unsigned variables and numbers.
    fn unsigned_text(&self, e: &Expr) -> Option<String> {
        let dag = Dag::new(std::slice::from_ref(e));
        let is_ring = dag.nodes().iter().all(|node| match &node.op {
            Op::Const(c) => (0..=i64::from(i32::MAX)).contains(c),
            Op::Var(name) => {
                let is_builtin = IntegerType::of_builtin(name).is_some_and(|(ty, _)| ty == IntegerType::UNSIGNED);
                is_builtin || self.kernel.variables.get(name).is_some_and(|v| v.is_unsigned && v.source.is_none())
            }
            op => matches!(op, Op::Add | Op::Sub | Op::Mul),
        });
        // an operation on two constants would be signed
        let mixes =
            |node: &DagNode| node.args().iter().any(|&a| dag.nodes()[a as usize].op.arity() > 0 || !is_const(&dag, a));
        if !is_ring || !dag.nodes().iter().filter(|node| !node.args().is_empty()).all(mixes) {
            return None;
        }
        let small = |_: &Expr| Interval::from_wide(0, NARROW.1);
        let written = write(std::slice::from_ref(e), self.dialect, &small).ok()?;
        let renamed = |name: &Arc<str>| written.renamed.get(&**name).cloned().unwrap_or_else(|| name.to_string());
        let spellings = e.variables().into_iter().filter_map(|name| {
            let spelling = self.kernel.variables.get(&name)?.spelling.clone();
            Some((renamed(&name), spelling))
        });
        let text = replaced(&written.text, &spellings.collect());
        (!text.contains('\n') && !text.contains("(int)")).then_some(text)
    }

    /// The text for `e` if `e` is a variable of the kernel. `None` for any other expression.
    pub(crate) fn variable(&self, e: &Expr) -> Option<String> {
        match e.op() {
            Op::Var(name) if self.kernel.variables.contains_key(name) => Some(self.spelling(name, true, false)),
            _ => None,
        }
    }

    /// The text for a variable.
    fn spelling(&self, variable: &Arc<str>, is_positive: bool, is_wide: bool) -> String {
        let Some(known) = self.kernel.variables.get(variable) else { return variable.to_string() };
        let text = self.sources.get(variable).unwrap_or(&known.spelling);
        with_type(text, known.is_unsigned && !is_positive, is_wide)
    }

    /// The ranges of the nodes of `dag`.
    fn ranges(&mut self, dag: &Dag, condition: Option<&Expr>, is_narrow: bool) -> Option<Vec<Interval>> {
        let narrow = Interval::from_wide(NARROW.0, NARROW.1);
        let whole = self.full(dag.exprs().first()?);
        let mut facts = self.simplifier.facts(&self.question.about(&[&whole], condition));
        let mut known: Vec<Interval> = Vec::with_capacity(dag.nodes().len());
        for (id, node) in (0..).zip(dag.nodes()) {
            let operands: Vec<Interval> = node.args().iter().map(|&a| known[a as usize]).collect();
            let by_operands = interval_of_op(&node.op, &operands);
            // if the ranges of the operands prove that a value is in `0..=2^31-1`, no further facts are needed
            if !operands.is_empty() && by_operands.within(0, NARROW.1) {
                known.push(by_operands);
                continue;
            }
            let full = self.full(dag.origin(id));
            let range = match full.as_const() {
                Some(value) => Interval::point(value),
                None => facts.bounds(&full).ok()?.meet(by_operands).unwrap_or(by_operands),
            };
            // a value that the file computes with signed 32-bit arithmetic is in the range `narrow`, because it must
            // not overflow
            let is_open = is_narrow && range.meet(narrow) != Some(range);
            let is_promised =
                is_open && self.promises.hold((self.kernel, self.question), &full, self.at, self.simplifier);
            known.push(if is_promised { range.meet(narrow).unwrap_or(range) } else { range });
        }
        // if no term of a sum is negative, each term is at most the sum
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
}

/// The dividend of `e`, if `e` is a remainder modulo 2^32.
fn modulo(e: &Expr) -> Option<&Expr> {
    match (e.op(), e.args()) {
        (Op::FloorMod, [inner, modulus]) if modulus.as_const() == Some(1 << 32) => Some(inner),
        _ => None,
    }
}

fn is_const(dag: &Dag, id: u32) -> bool {
    matches!(dag.nodes()[id as usize].op, Op::Const(_))
}

/// `text`, converted to a signed type if `has_none` is set, because its type is unsigned and signed arithmetic is
/// needed.
fn with_type(text: &str, has_none: bool, is_wide: bool) -> String {
    match (has_none, is_wide) {
        (false, _) => text.into(),
        (true, false) => format!("(int){text}"),
        (true, true) => format!("(long long){text}"),
    }
}

/// `text` with some words replaced.
pub(crate) fn replaced(text: &str, spellings: &FxHashMap<String, String>) -> String {
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
    out
}
