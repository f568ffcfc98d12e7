//! The last operation of a program when it is an operation on a sum. The constants of the sum and of the operation are
//! solved for, so they may have any values.

use super::between::OPEN;
use super::search::Search;
use super::sums::Fit;
use super::value::{Binary, Operand, SIMPLE, Truth, ends};
use quaff::expr::{Expr, int, select};

/// The exponent of the largest power of two by which a sum is divided.
const MOST_POWER: u32 = 20;

impl Search<'_> {
    /// Tries all programs that end with an operation on a sum, for at most `budget` together. `is_met` is whether the
    /// newest value and two others depend on all variables of the case. No sum of one instruction has more than three
    /// terms.
    pub(crate) fn tails(&mut self, budget: u64, is_met: bool) {
        let mut hits: Vec<(Expr, u64)> = Vec::new();
        let terms = self.terms();
        if self.newest().is_none_or(|n| !self.known[n].is_sum()) {
            if is_met || budget >= 3 * SIMPLE {
                self.quotients_of_sums(budget, &terms, &mut hits);
                self.remainders_of_sums(budget, &terms, &mut hits);
            }
            self.comparisons_of_sums(budget, &terms, &mut hits);
            self.bits_of_sums(&mut hits);
        }
        self.operations_on_sums(budget, &terms, &mut hits);
        self.selections_of_sums(budget, &terms, &mut hits);
        for (form, price) in hits {
            self.found(form, price);
        }
    }

    /// A sum between bounds. The sum must have the newest value among its terms, unless `is_new` says that the
    /// operation itself uses the newest value.
    fn sum(&self, terms: &[usize], budget: u64, low: &[i64], high: &[i64], is_new: bool) -> Option<Fit> {
        let mut sums = self.over(terms, budget);
        if is_new {
            sums.newest = None;
        } else if sums.newest.is_some_and(|n| !terms.contains(&n)) {
            return None;
        }
        sums.between(low, high, &self.numbers.factors)
    }

    fn wanted(&self) -> impl Iterator<Item = i64> + '_ {
        self.field.wanted.iter().map(|w| i64::from(*w))
    }

    fn quotients_of_sums(&self, budget: u64, terms: &[usize], hits: &mut Vec<(Expr, u64)>) {
        let powers = (1..=MOST_POWER).map(|n| 1_i64 << n);
        let others = self.numbers.divisors.iter().copied().filter(|d| d.count_ones() != 1);
        for d in powers.chain(others) {
            let low: Vec<i64> = self.wanted().map(|w| w * d).collect();
            let high: Vec<i64> = low.iter().map(|l| l + d - 1).collect();
            let Some(fit) = self.sum(terms, budget - SIMPLE, &low, &high, false) else { continue };
            let Some(values) = fit.values(&self.known, self.field.len()) else { continue };
            let (low, high) = ends(&values);
            let price = fit.quotient_price(&self.known, low, high, d);
            if price <= budget {
                hits.push((Binary::Div.expr(self.writer().sum(&fit.terms, fit.constant), int(d)), price));
            }
        }
    }

    fn remainders_of_sums(&self, budget: u64, terms: &[usize], hits: &mut Vec<(Expr, u64)>) {
        if self.field.low < 0 {
            return;
        }
        let powers = (1..=MOST_POWER).map(|n| 1_i64 << n);
        let others = self.numbers.divisors.iter().copied().filter(|d| d.count_ones() != 1);
        for d in powers.chain(others).filter(|d| *d > i64::from(self.field.high)) {
            let Some(fit) = self.over(terms, budget - SIMPLE).modulo(&self.field, d, &self.numbers.factors) else {
                continue;
            };
            let Some(values) = fit.values(&self.known, self.field.len()) else { continue };
            let (low, high) = ends(&values);
            self.hit(Binary::Mod, &fit, int(d), Binary::Mod.price(low, high, Some(d)), budget, hits);
        }
    }

    /// Comparisons of a sum with 0 and with known values.
    fn comparisons_of_sums(&self, budget: u64, terms: &[usize], hits: &mut Vec<(Expr, u64)>) {
        if (self.field.low, self.field.high) != (0, 1) {
            return;
        }
        for other in (0..self.known.len()).map(Operand::Known).chain([Operand::Number(0)]) {
            let is_new = matches!(other, Operand::Known(i) if self.is_new(i));
            let at = |p: usize| match other {
                Operand::Known(i) => i64::from(self.known[i].values[p]),
                Operand::Number(k) => k,
            };
            // the comparison is true for a greater sum, for a sum that is at least the other value, or for an equal
            // sum. The comparison may also be negated
            for (on, above, is_equal) in
                [1, 0].into_iter().flat_map(|on| [(on, 0, false), (on, 1, false), (on, 0, true)])
            {
                let bound = |holds: i64, otherwise: i64| {
                    let of = |(p, w): (usize, i64)| {
                        if w == on { at(p).saturating_add(holds) } else { otherwise.saturating_add(at(p)) }
                    };
                    self.wanted().enumerate().map(of).collect::<Vec<i64>>()
                };
                let (low, high) = if is_equal {
                    // bounds cannot express that the sum differs at the other points
                    (bound(0, -OPEN), bound(0, OPEN))
                } else {
                    (bound(above, -OPEN), bound(OPEN, above - 1))
                };
                let Some(fit) = self.sum(terms, budget - SIMPLE, &low, &high, is_new) else { continue };
                let Some(values) = fit.values(&self.known, self.field.len()) else { continue };
                let holds = |p: usize| {
                    let (sum, other) = (i64::from(values[p]), at(p));
                    if is_equal { sum == other } else { sum >= other + above }
                };
                if self.wanted().enumerate().all(|(p, w)| holds(p) == (w == on)) {
                    let (sum, other) = (self.writer().sum(&fit.terms, fit.constant), self.writer().operand(other));
                    let form = match (is_equal, above) {
                        (true, _) => sum.equals(other),
                        (false, 0) => sum.ge(other),
                        (false, _) => sum.gt(other),
                    };
                    hits.push((if on == 1 { form } else { form.not() }, fit.price() + SIMPLE));
                }
            }
        }
    }

    /// Masks and shifts of a sum, and its square. Given bits of a sum are no bounds of the sum, so its constants are
    /// taken from the lists of constants (`numbers.rs`).
    fn bits_of_sums(&self, hits: &mut Vec<(Expr, u64)>) {
        let wanted = &self.field.wanted;
        self.one_instruction_sums(&mut |fit| {
            let Some(values) = fit.values(&self.known, self.field.len()) else { return };
            let mut check = |op: Binary, other: Operand, is_flipped: bool| {
                let agrees = (0..wanted.len()).all(|p| {
                    let other = match other {
                        Operand::Known(i) => self.known[i].values[p],
                        Operand::Number(k) => k as i32,
                    };
                    let (x, y) = if is_flipped { (other, values[p]) } else { (values[p], other) };
                    op.at(x, y) == i64::from(wanted[p])
                });
                if agrees {
                    let (sum, other) = (self.writer().sum(&fit.terms, fit.constant), self.writer().operand(other));
                    let form = if is_flipped { op.expr(other, sum) } else { op.expr(sum, other) };
                    hits.push((form, fit.price() + SIMPLE));
                }
            };
            check(Binary::And, Operand::Number(self.field.bits[0].into()), false);
            check(Binary::Or, Operand::Number(self.field.bits[1].into()), false);
            for i in 0..self.known.len() {
                check(Binary::And, Operand::Known(i), false);
                check(Binary::Or, Operand::Known(i), false);
                for is_flipped in [false, true] {
                    check(Binary::Left, Operand::Known(i), is_flipped);
                    check(Binary::Right, Operand::Known(i), is_flipped);
                }
            }
            if values.iter().zip(wanted).all(|(v, w)| Binary::Times.at(*v, *v) == i64::from(*w)) {
                let sum = self.writer().sum(&fit.terms, fit.constant);
                hits.push((&sum * sum.clone(), fit.price() + SIMPLE));
            }
        });
    }

    /// The minimum, the maximum, the exclusive or and the product of a sum and a known value, and some of them with a
    /// number.
    fn operations_on_sums(&self, budget: u64, terms: &[usize], hits: &mut Vec<(Expr, u64)>) {
        let numbers = [(Binary::Min, self.field.high), (Binary::Max, self.field.low)];
        let masks = self.numbers.masks.iter().map(|&m| (Binary::Xor, m as i32));
        let known = [Binary::Min, Binary::Max, Binary::Xor, Binary::Times];
        let known = (0..self.known.len()).flat_map(|i| known.map(|op| (op, Operand::Known(i))));
        let all = numbers.into_iter().chain(masks).map(|(op, k)| (op, Operand::Number(k.into()))).chain(known);
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for (op, other) in all {
            let is_new = matches!(other, Operand::Known(i) if self.is_new(i));
            low.clear();
            high.clear();
            for (p, wanted) in self.wanted().enumerate() {
                let other = match other {
                    Operand::Known(i) => i64::from(self.known[i].values[p]),
                    Operand::Number(k) => k,
                };
                let (l, h) = match op {
                    Binary::Min if wanted == other => (other, OPEN),
                    Binary::Min if wanted < other => (wanted, wanted),
                    Binary::Max if wanted == other => (-OPEN, other),
                    Binary::Max if wanted > other => (wanted, wanted),
                    Binary::Xor => (wanted ^ other, wanted ^ other),
                    Binary::Times if other == 0 && wanted == 0 => (-OPEN, OPEN),
                    Binary::Times if other != 0 && wanted.rem_euclid(other) == 0 => {
                        (wanted.div_euclid(other), wanted.div_euclid(other))
                    }
                    _ => break,
                };
                low.push(l);
                high.push(h);
            }
            if low.len() == self.field.len()
                && let Some(fit) = self.sum(terms, budget - SIMPLE, &low, &high, is_new)
            {
                self.hit(op, &fit, self.writer().operand(other), SIMPLE, budget, hits);
            }
        }
    }

    /// Selections by a function of the conditions. One branch is a known value or a number, and the other branch is a
    /// sum.
    fn selections_of_sums(&self, budget: u64, terms: &[usize], hits: &mut Vec<(Expr, u64)>) {
        let conditions = self.conditions();
        if conditions.is_empty() {
            return;
        }
        let has_new = conditions.iter().any(|c| self.is_new(*c));
        let rows: Vec<_> = self.rows(&conditions).collect();
        let number = |p: usize| self.field.wanted[p];
        let mut sides: Vec<(Operand, u128)> =
            self.known.iter().enumerate().map(|(i, k)| (Operand::Known(i), k.equal)).collect();
        for row in rows.iter().filter(|r| **r != 0) {
            let k = number(row.trailing_zeros() as usize);
            let side = (Operand::Number(k.into()), super::value::points_where(&self.field.wanted, |_, v| v == k));
            if !sides.contains(&side) {
                sides.push(side);
            }
        }
        for (side, equal) in sides {
            let is_new = has_new || matches!(side, Operand::Known(i) if self.is_new(i));
            let table = rows
                .iter()
                .enumerate()
                .filter(|(_, r)| **r != 0 && **r & !equal == 0)
                .fold(0_u64, |t, (i, _)| t | 1 << i);
            let done = rows.iter().enumerate().filter(|(i, _)| table >> i & 1 == 1).fold(0, |set, (_, r)| set | r);
            if done == 0 || done == self.field.all {
                continue;
            }
            let at =
                |open: i64| self.wanted().enumerate().map(|(p, w)| if done >> p & 1 == 1 { open } else { w }).collect();
            let (low, high): (Vec<i64>, Vec<i64>) = (at(-OPEN), at(OPEN));
            if let Some(fit) = self.sum(terms, budget - SIMPLE, &low, &high, is_new) {
                let truth = Truth { conditions: conditions.clone(), table };
                let sum = self.writer().sum(&fit.terms, fit.constant);
                let form = select(self.writer().truth(&truth), self.writer().operand(side), sum);
                hits.push((form, fit.price() + SIMPLE));
            }
        }
    }

    fn hit(&self, op: Binary, fit: &Fit, other: Expr, price: u64, budget: u64, hits: &mut Vec<(Expr, u64)>) {
        let price = fit.price() + price;
        if price <= budget {
            hits.push((op.expr(self.writer().sum(&fit.terms, fit.constant), other), price));
        }
    }
}
