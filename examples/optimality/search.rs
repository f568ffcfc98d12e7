//! The search over programs, in the order in which they compute values.
//!
//! A state is the list of values that a program has computed so far. In each state, the search tries all programs that
//! end with one more operation, or with one operation on a sum (`last.rs`, `tails.rs`). The constants of these last
//! operations are solved for. Then the search continues with each state that has one more value.

use super::numbers::{Numbers, of_step};
use super::sums::{Fit, Sums};
use super::value::{Binary, Field, Make, Operand, PointSet, Rank, SIMPLE, Side, Truth, Value, Writer};
use quaff::expr::Expr;
use rustc_hash::{FxHashMap, FxHashSet};

/// The largest number of states. If a search needs more, nothing is proved.
const MOST_STATES: u64 = 3_000_000;
/// The largest number of conditions whose functions are all tried.
pub(crate) const MOST_CONDITIONS: usize = 6;

/// The reaction to a form that agrees with the case at all points.
pub(crate) enum Answer {
    /// Continue. The form is not equal to the case, or costs as much as the answer.
    GoOn,
    /// Stop the search.
    Stop,
}

/// The callback for forms that agree with the case at all points, with the least possible price of each.
pub(crate) type Ask<'a> = &'a mut dyn FnMut(Expr, u64) -> Answer;

pub(crate) struct Search<'a> {
    pub(crate) field: Field,
    pub(crate) numbers: &'a Numbers,
    pub(crate) names: &'a [String],
    pub(crate) known: Vec<Value>,
    /// The number of variables. Their values come first in `known`.
    pub(crate) variables: usize,
    /// For each step, the fingerprints and ranks of the values that were tried at this step before, with the least
    /// price of each.
    tried: Vec<FxHashMap<(u64, Rank), u64>>,
    /// The variables that the case depends on, one bit each.
    needed: u32,
    /// The fingerprints of the sums to which the newest value may be added.
    pub(crate) rests: FxHashSet<u64>,
    ask: Ask<'a>,
    pub(crate) states: u64,
    pub(crate) is_over: bool,
}

/// A value that could be computed next.
struct Next {
    price: u64,
    value: Value,
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        field: Field,
        columns: Vec<Vec<i32>>,
        numbers: &'a Numbers,
        names: &'a [String],
        needed: u32,
        ask: Ask<'a>,
    ) -> Search<'a> {
        let known = columns
            .into_iter()
            .enumerate()
            .filter_map(|(i, c)| field.value(Make::Variable(i), c, 1 << i))
            .collect::<Vec<_>>();
        let (variables, tried, rests) = (known.len(), Vec::new(), FxHashSet::default());
        Search { field, numbers, names, known, variables, tried, needed, rests, ask, states: 0, is_over: false }
    }

    /// Tries all programs of at most `budget` tenths of an instruction. Returns whether the search was complete.
    pub(crate) fn run(&mut self, budget: u64) -> bool {
        self.extend(budget, true);
        !self.is_over && self.states < MOST_STATES
    }

    pub(crate) fn writer(&self) -> Writer<'_> {
        Writer { known: &self.known, names: self.names }
    }

    /// Passes a form that agrees with the case at all points to the callback.
    pub(crate) fn found(&mut self, form: Expr, price: u64) {
        if !self.is_over && matches!((self.ask)(form, price), Answer::Stop) {
            self.is_over = true;
        }
    }

    /// The place of the value that was computed last. All programs over the earlier values were already tried.
    pub(crate) fn newest(&self) -> Option<usize> {
        (self.known.len() > self.variables).then(|| self.known.len() - 1)
    }

    pub(crate) fn is_new(&self, i: usize) -> bool {
        self.newest().is_none_or(|n| n == i)
    }

    /// The values that can be terms of a sum. Sums are left out, because a sum in a sum is one sum.
    pub(crate) fn terms(&self) -> Vec<usize> {
        (0..self.known.len()).filter(|i| !self.known[*i].is_sum()).collect()
    }

    /// The newest comparisons, the last one first.
    pub(crate) fn conditions(&self) -> Vec<usize> {
        let all = (0..self.known.len()).rev().filter(|i| self.known[*i].truth.is_some());
        all.take(MOST_CONDITIONS).collect()
    }

    /// A function of `conditions` that holds at all points of `on` and at no point of `off`.
    pub(crate) fn function(&self, conditions: &[usize], on: PointSet, off: PointSet) -> Option<Truth> {
        let mut table = 0_u64;
        for (i, row) in self.rows(conditions).enumerate() {
            if row & on != 0 {
                if row & off != 0 {
                    return None;
                }
                table |= 1 << i;
            }
        }
        Some(Truth { conditions: conditions.to_vec(), table })
    }

    /// The points of each row of a truth table. In row `i`, the truth of condition `k` is bit `k` of `i`.
    pub(crate) fn rows(&self, conditions: &[usize]) -> impl Iterator<Item = PointSet> {
        let truths: Vec<PointSet> = conditions.iter().filter_map(|c| self.known[*c].truth).collect();
        let all = self.field.all;
        (0..1_usize << truths.len()).map(move |row| {
            let of = |(k, t): (usize, &PointSet)| if row >> k & 1 == 1 { *t } else { !t };
            truths.iter().enumerate().map(of).fold(all, |set, t| set & t)
        })
    }

    /// Continues with one more value. `is_met` is whether the newest value and two others together depend on all
    /// variables that the case depends on.
    fn extend(&mut self, budget: u64, is_met: bool) {
        self.states += 1;
        if self.is_over || self.states >= MOST_STATES {
            return;
        }
        self.last(budget);
        if budget < 2 * SIMPLE || self.is_over {
            return;
        }
        self.tails(budget, is_met);
        let mut steps = Vec::new();
        self.steps(budget - SIMPLE, &mut steps);
        // an operation comes before a sum with the same values, because it may be a term of other sums
        steps.sort_by_key(|s| (s.price, s.value.is_sum()));
        self.tried.push(FxHashMap::default());
        let terms = self.terms();
        let rests = self.over(&terms, budget - SIMPLE).rests();
        let before = std::mem::replace(&mut self.rests, rests);
        let pairs = self.pairs();
        for Next { price, value } in steps {
            let print = value.print;
            let is_met = self.can_meet(&value, &pairs);
            if budget - price < 2 * SIMPLE && !is_met {
                continue;
            }
            let rank = value.rank();
            let is_tried = |r: Rank| self.tried.iter().any(|t| t.get(&(print, r)).is_some_and(|p| *p <= price));
            if Rank::ALL.into_iter().any(|r| r >= rank && is_tried(r)) {
                continue;
            }
            self.known.push(value);
            self.extend(budget - price, is_met);
            self.known.pop();
            // two values that do not depend on each other are tried in one order only
            if let Some(tried) = self.tried.last_mut() {
                tried.entry((print, rank)).or_insert(price);
            }
        }
        self.tried.pop();
        self.rests = before;
    }

    /// The variables of each pair of values. All conditions count as one value, because combining them costs nothing.
    fn pairs(&self) -> Vec<u32> {
        let alone = self.known.iter().map(|k| k.variables);
        let conditions = self.known.iter().filter(|k| k.truth.is_some()).fold(0, |set, k| set | k.variables);
        let all: Vec<u32> = alone.chain([conditions]).collect();
        let mut pairs: Vec<u32> = all.iter().flat_map(|a| all.iter().map(move |b| a | b)).collect();
        pairs.sort_unstable();
        pairs.dedup();
        pairs
    }

    /// Whether one operation on `value` and two other values can depend on all variables that the case depends on.
    /// `pairs` has the variables of each two values. No operation of one instruction has more than three operands.
    fn can_meet(&self, value: &Value, pairs: &[u32]) -> bool {
        let conditions = self.known.iter().filter(|k| value.truth.is_some() && k.truth.is_some());
        let own = conditions.fold(value.variables, |set, k| set | k.variables);
        pairs.iter().any(|p| (p | own) & self.needed == self.needed)
    }

    /// All new values that one more operation can compute for at most `budget`.
    fn steps(&self, budget: u64, out: &mut Vec<Next>) {
        let known = &self.known;
        // after a sum, only steps that use the sum are tried. A step that does not use it is tried in an earlier state.
        // The sum is also tried as the operand of the last operation
        let after_sum = self.newest().filter(|n| known[*n].is_sum());
        let is_tried = |i: usize, j: usize| after_sum.is_none_or(|n| n == i || n == j);
        let mut scratch = Vec::new();
        for (i, a) in known.iter().enumerate() {
            let [divisors, bounds, masks] = [&self.numbers.divisors, &self.numbers.bounds, &self.numbers.masks]
                .map(|n| of_step(n, i < self.variables));
            for &d in divisors.iter().filter(|_| is_tried(i, i)) {
                let quotients = [a.low, a.high].map(|x| i64::from(x).div_euclid(d));
                // if all quotients are equal, the quotient is a constant and the remainder is the value plus a constant
                if quotients[0] != quotients[1] {
                    self.step(Binary::Div, i, Operand::Number(d), budget, &mut scratch, out);
                    self.step(Binary::Mod, i, Operand::Number(d), budget, &mut scratch, out);
                }
            }
            for &k in bounds.iter().filter(|_| is_tried(i, i)) {
                if i64::from(a.low) <= k && k <= i64::from(a.high) {
                    for op in [Binary::Least, Binary::Equal, Binary::Min, Binary::Max] {
                        self.step(op, i, Operand::Number(k), budget, &mut scratch, out);
                    }
                }
            }
            for &k in masks.iter().filter(|_| is_tried(i, i)) {
                for op in [Binary::And, Binary::Or, Binary::Xor] {
                    self.step(op, i, Operand::Number(k), budget, &mut scratch, out);
                }
            }
            if is_tried(i, i) {
                self.step(Binary::Times, i, Operand::Known(i), budget, &mut scratch, out);
            }
            for j in (0..known.len()).filter(|j| *j != i && is_tried(i, *j)) {
                for op in Binary::OF_VALUES.into_iter().filter(|op| i < j || !op.is_symmetric()) {
                    self.step(op, i, Operand::Known(j), budget, &mut scratch, out);
                }
            }
        }
        self.selections(budget, &is_tried, &mut scratch, out);
        if budget >= 2 * SIMPLE {
            self.sums(out);
        }
    }

    fn step(&self, op: Binary, x: usize, y: Operand, budget: u64, scratch: &mut Vec<i32>, out: &mut Vec<Next>) {
        let a = &self.known[x];
        let (side, number) = match y {
            Operand::Known(j) => (Side::Values(&self.known[j].values), None),
            Operand::Number(k) => (Side::Number(k as i32), Some(k)),
        };
        let price = self.step_price(op, x, number);
        if price <= budget && op.values(&a.values, side, scratch).is_some() {
            self.keep(price, Make::Binary(op, x, y), scratch, out);
        }
    }

    /// The least additional price of an operation on the value at `x`, whose own price is already paid.
    pub(crate) fn step_price(&self, op: Binary, x: usize, number: Option<i64>) -> u64 {
        let a = &self.known[x];
        match (&a.make, number.filter(|_| op == Binary::Div)) {
            // one instruction sequence may compute the quotient together with the sum
            (Make::Sum(terms, constant), Some(d)) => {
                let sum = Fit::new(terms.clone(), *constant);
                sum.quotient_price(&self.known, a.low, a.high, d).saturating_sub(sum.price()).max(SIMPLE)
            }
            _ => op.price(a.low, a.high, number),
        }
    }

    fn keep(&self, price: u64, make: Make, values: &[i32], out: &mut Vec<Next>) {
        let print = self.field.print(values);
        let of = |x: &Operand| if let Operand::Known(i) = x { self.known[*i].variables } else { 0 };
        let variables = match &make {
            Make::Variable(i) => 1 << i,
            Make::Sum(terms, _) => terms.iter().fold(0, |set, (i, _)| set | self.known[*i].variables),
            Make::Binary(_, x, y) => self.known[*x].variables | of(y),
            Make::Select(truth, x, y) => {
                truth.conditions.iter().fold(of(x) | of(y), |set, c| set | self.known[*c].variables)
            }
        };
        if let Some(value) = self.field.value(make, values.to_vec(), variables)
            && self.known.iter().all(|k| k.print != print || k.truth.is_none() && value.truth.is_some())
        {
            out.push(Next { price, value });
        }
    }

    /// Selections between two known values, or a known value and a number, by a condition.
    fn selections(
        &self,
        budget: u64,
        is_tried: &dyn Fn(usize, usize) -> bool,
        scratch: &mut Vec<i32>,
        out: &mut Vec<Next>,
    ) {
        let known = &self.known;
        for (c, condition) in known.iter().enumerate().filter(|_| budget >= SIMPLE) {
            let Some(truth) = condition.truth else { continue };
            for (i, a) in known.iter().enumerate().filter(|(i, _)| *i != c) {
                let bounds = of_step(&self.numbers.bounds, i < self.variables && c < self.variables);
                let sides = (0..known.len()).map(Operand::Known).chain(bounds.iter().map(|&k| Operand::Number(k)));
                for side in sides.filter(|s| *s != Operand::Known(i) && *s != Operand::Known(c)) {
                    let uses = match side {
                        Operand::Known(j) => is_tried(i, j) || is_tried(c, c),
                        Operand::Number(_) => is_tried(i, c),
                    };
                    if !uses {
                        continue;
                    }
                    let other = |p: usize| match side {
                        Operand::Known(j) => known[j].values[p],
                        Operand::Number(k) => k as i32,
                    };
                    scratch.clear();
                    scratch.extend(
                        (0..self.field.len()).map(|p| if truth >> p & 1 == 1 { a.values[p] } else { other(p) }),
                    );
                    let make = Make::Select(Truth { conditions: vec![c], table: 2 }, Operand::Known(i), side);
                    self.keep(SIMPLE, make, scratch, out);
                    // if one branch is a number, the selection with exchanged branches is a separate candidate
                    if matches!(side, Operand::Number(_)) {
                        scratch.clear();
                        let values =
                            (0..self.field.len()).map(|p| if truth >> p & 1 == 0 { a.values[p] } else { other(p) });
                        scratch.extend(values);
                        let make = Make::Select(Truth { conditions: vec![c], table: 2 }, side, Operand::Known(i));
                        self.keep(SIMPLE, make, scratch, out);
                    }
                }
            }
        }
    }

    fn sums(&self, out: &mut Vec<Next>) {
        self.one_instruction_sums(&mut |fit| {
            if let Some(values) = fit.values(&self.known, self.field.len()) {
                self.keep(SIMPLE, Make::Sum(fit.terms, fit.constant), &values, out);
            }
        });
    }

    /// Calls `visit` with all sums of one instruction that have the newest value as a term. Factors and constants are
    /// taken from the lists of constants (`numbers.rs`).
    pub(crate) fn one_instruction_sums(&self, visit: &mut dyn FnMut(Fit)) {
        let (terms, is_first) = (self.terms(), self.newest().is_none());
        let [bounds, factors] = [&self.numbers.bounds, &self.numbers.factors].map(|n| of_step(n, is_first));
        let mut sum = |terms: &[(usize, i64)], constant: i64| {
            if terms.iter().any(|t| self.is_new(t.0)) {
                let fit = Fit { terms: terms.to_vec(), constant };
                if fit.price() == SIMPLE {
                    visit(fit);
                }
            }
        };
        let signs = [1, -1];
        for (n, &i) in terms.iter().enumerate() {
            for &k in bounds {
                signs.iter().chain(factors).for_each(|&c| sum(&[(i, c)], k));
            }
            for &j in terms.iter().filter(|j| **j != i) {
                for (&c, sign) in factors.iter().flat_map(|c| signs.map(|s| (c, s))) {
                    sum(&[(i, c), (j, sign)], 0);
                }
            }
            for (m, &j) in terms.iter().enumerate().skip(n + 1) {
                for (s, t) in signs.iter().flat_map(|s| signs.map(|t| (*s, t))) {
                    bounds.iter().for_each(|&k| sum(&[(i, s), (j, t)], k));
                    terms[m + 1..].iter().for_each(|&l| signs.iter().for_each(|&u| sum(&[(i, s), (j, t), (l, u)], 0)));
                }
            }
        }
    }

    /// The sums over the known values that use the newest one.
    pub(crate) fn over<'b>(&'b self, terms: &'b [usize], budget: u64) -> Sums<'b> {
        Sums { known: &self.known, terms, newest: self.newest(), budget }
    }
}
