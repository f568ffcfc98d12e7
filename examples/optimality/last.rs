//! The last operation of a program. Its constants are solved for, so any constant is found, not only the listed
//! constants (`numbers.rs`).

use super::search::Search;
use super::sums::{Fit, Term};
use super::value::{Binary, Operand, PointSet, SIMPLE, points_where};
use quaff::expr::{Expr, int, select};
use quaff::integer::gcd;

impl Search<'_> {
    /// Tries all programs that end with one more operation and cost at most `budget`. The newest value is one of its
    /// operands.
    pub(crate) fn last(&mut self, budget: u64) {
        let terms = self.terms();
        let mut hits: Vec<(Expr, u64)> = Vec::new();
        if self.newest().is_none_or(|n| !self.known[n].is_sum()) {
            let sums = self.over(&terms, budget);
            let sums = if sums.can_be_exact(&self.field, &self.rests) { sums.exact(&self.field) } else { Vec::new() };
            hits.extend(sums.iter().map(|f| (self.writer().sum(&f.terms, f.constant), f.price())));
        }
        self.last_connective(budget, &terms, &mut hits);
        if budget >= SIMPLE {
            for i in 0..self.known.len() {
                if self.is_new(i) {
                    self.last_with_number(i, budget, &mut hits);
                }
                for j in (0..self.known.len()).filter(|j| *j != i && (self.is_new(i) || self.is_new(*j))) {
                    self.last_of_two(i, j, &mut hits);
                }
            }
            self.last_selection(&mut hits);
        }
        for (form, price) in hits {
            self.found(form, price);
        }
    }

    /// The operations on value `i` and a number.
    fn last_with_number(&self, i: usize, budget: u64, hits: &mut Vec<(Expr, u64)>) {
        let (a, field) = (&self.known[i], &self.field);
        let mut add = |op: Binary, k: i64, negated: bool| {
            let price = self.step_price(op, i, Some(k));
            if price <= budget {
                let form = op.expr(self.writer().known(i), int(k));
                hits.push((if negated { form.not() } else { form }, price));
            }
        };
        if let Some((least, most)) = divisors(&a.values, &field.wanted) {
            let power = (least as u64).next_power_of_two() as i64;
            for d in if power <= most { vec![power] } else { vec![least, most] } {
                add(Binary::Div, d, false);
            }
        }
        if let Some(d) = modulus(&a.values, &field.wanted, field.high) {
            add(Binary::Mod, d, false);
        }
        if (field.low, field.high) == (0, 1) {
            let ends = |on: i32| {
                let side = a.values.iter().zip(&field.wanted).filter(move |(_, w)| **w == on).map(|(v, _)| *v);
                (side.clone().min().unwrap_or(0), side.max().unwrap_or(0))
            };
            let (off, on) = (ends(0), ends(1));
            if off.1 < on.0 {
                add(Binary::Least, on.0.into(), false);
            }
            if on.1 < off.0 {
                add(Binary::Least, off.0.into(), true);
            }
            let equals =
                |k: i32, value: i32| a.values.iter().zip(&field.wanted).all(|(v, w)| (*v == k) == (*w == value));
            if on.0 == on.1 && equals(on.0, 1) {
                add(Binary::Equal, on.0.into(), false);
            }
            if off.0 == off.1 && equals(off.0, 0) {
                add(Binary::Equal, off.0.into(), true);
            }
        }
        let of_bits =
            [(Binary::And, field.bits[0]), (Binary::Or, field.bits[1]), (Binary::Xor, a.values[0] ^ field.wanted[0])];
        for (op, k) in of_bits.into_iter().chain([(Binary::Min, field.high), (Binary::Max, field.low)]) {
            if a.values.iter().zip(&field.wanted).all(|(v, w)| op.at(*v, k) == i64::from(*w)) {
                add(op, k.into(), false);
            }
        }
        if a.values.iter().zip(&field.wanted).all(|(v, w)| Binary::Times.at(*v, *v) == i64::from(*w)) {
            hits.push((Binary::Times.expr(self.writer().known(i), self.writer().known(i)), SIMPLE));
        }
        // the number whose left shift is the wanted value
        let shifted = i64::from(field.wanted[0]) >> a.values[0].clamp(0, 30);
        if let Ok(k) = i32::try_from(shifted)
            && a.values.iter().zip(&field.wanted).all(|(v, w)| Binary::Left.at(k, *v) == i64::from(*w))
        {
            hits.push((Binary::Left.expr(int(k.into()), self.writer().known(i)), SIMPLE));
        }
    }

    /// The operations on two values.
    fn last_of_two(&self, i: usize, j: usize, hits: &mut Vec<(Expr, u64)>) {
        let (a, b) = (&self.known[i], &self.known[j]);
        let is_condition = (self.field.low, self.field.high) == (0, 1);
        let is_one_of_them = a.equal | b.equal == self.field.all;
        for op in Binary::OF_VALUES.into_iter().filter(|op| i < j || !op.is_symmetric()) {
            let is_possible = match op {
                Binary::Least | Binary::Equal => is_condition,
                Binary::Min | Binary::Max => is_one_of_them,
                _ => true,
            };
            if !is_possible {
                continue;
            }
            let at = |p: usize| op.at(a.values[p], b.values[p]);
            let agrees = |flip: i64| (0..self.field.len()).all(|p| at(p) ^ flip == i64::from(self.field.wanted[p]));
            if agrees(0) {
                hits.push((op.expr(self.writer().known(i), self.writer().known(j)), SIMPLE));
            }
            if matches!(op, Binary::Least | Binary::Equal) && agrees(1) {
                hits.push((op.expr(self.writer().known(i), self.writer().known(j)).not(), SIMPLE));
            }
        }
    }

    /// A function of conditions, either alone or as a term of a sum.
    fn last_connective(&self, budget: u64, terms: &[usize], hits: &mut Vec<(Expr, u64)>) {
        let (conditions, field) = (self.conditions(), &self.field);
        if conditions.is_empty() {
            return;
        }
        let has_new = conditions.iter().any(|c| self.is_new(*c));
        let mut try_rest = |rest: &[Term]| {
            if !has_new && !rest.iter().any(|t| self.is_new(t.0)) {
                return;
            }
            let at = |p: usize| {
                let wanted = i64::from(field.wanted[p]);
                rest.iter().fold(wanted, |left, (i, c)| left - i64::from(self.known[*i].values[p]) * c)
            };
            let first = at(0);
            let mut second = first;
            for p in 1..field.len() {
                let value = at(p);
                if value != first && value != second {
                    // a third value, or a factor that makes the condition a product next to two other terms
                    if second != first || rest.len() > 1 && budget < 2 * SIMPLE && value.abs_diff(first) > 1 {
                        return;
                    }
                    second = value;
                }
            }
            if first == second {
                return;
            }
            let (low, high) = (first.min(second), first.max(second));
            let on: PointSet = points_where(&field.wanted, |p, _| at(p) == high);
            for (on, factor, constant) in [(on, high - low, low), (field.all & !on, low - high, high)] {
                let Some(truth) = self.function(&conditions, on, field.all & !on) else { return };
                // the first condition is a placeholder, because only its factor affects the price
                let fit = Fit { terms: rest.iter().copied().chain([(conditions[0], factor)]).collect(), constant };
                let price = if rest.is_empty() && factor == 1 && constant == 0 { 0 } else { fit.price() };
                if price <= budget {
                    let term = self.writer().truth(&truth);
                    let rest = self.writer().sum(rest, constant);
                    let scaled = if factor == 1 { term } else { term * factor };
                    hits.push((if rest.as_const() == Some(0) { scaled } else { rest + scaled }, price));
                }
            }
        };
        try_rest(&[]);
        for (n, &i) in terms.iter().enumerate().filter(|_| budget >= SIMPLE) {
            for s in [1, -1] {
                try_rest(&[(i, s)]);
                for &j in &terms[n + 1..] {
                    [1, -1].iter().for_each(|&t| try_rest(&[(i, s), (j, t)]));
                }
            }
            if budget >= 2 * SIMPLE {
                self.numbers.factors.iter().for_each(|&c| try_rest(&[(i, c)]));
            }
        }
    }

    /// A selection between two values, or between a value and a number, by a function of the conditions.
    fn last_selection(&self, hits: &mut Vec<(Expr, u64)>) {
        let (conditions, field) = (self.conditions(), &self.field);
        if conditions.is_empty() {
            return;
        }
        let has_new = conditions.iter().any(|c| self.is_new(*c));
        for (i, a) in self.known.iter().enumerate().filter(|(_, a)| a.equal != 0 && a.equal != field.all) {
            let rest = field.all & !a.equal;
            let number = i64::from(field.wanted[rest.trailing_zeros() as usize]);
            let equal = points_where(&field.wanted, |_, v| i64::from(v) == number);
            let others = self.known.iter().enumerate().skip(i + 1).map(|(j, b)| (Operand::Known(j), b.equal));
            for (other, equal) in others.chain([(Operand::Number(number), equal)]) {
                let is_new = has_new || self.is_new(i) || matches!(other, Operand::Known(j) if self.is_new(j));
                if !is_new || rest & !equal != 0 {
                    continue;
                }
                if let Some(truth) = self.function(&conditions, field.all & !equal, rest) {
                    let form =
                        select(self.writer().truth(&truth), self.writer().known(i), self.writer().operand(other));
                    hits.push((form, SIMPLE));
                }
            }
        }
    }
}

/// The least and the greatest divisor for which the quotients of `values` are `wanted`.
fn divisors(values: &[i32], wanted: &[i32]) -> Option<(i64, i64)> {
    let (mut least, mut most) = (2_i64, i64::from(i32::MAX));
    for (v, w) in values.iter().zip(wanted) {
        let (v, w) = (i64::from(*v), i64::from(*w));
        if (v < 0) != (w < 0) {
            return None;
        }
        // `d*w <= v < d*(w + 1)`
        match w {
            0 => least = least.max(v + 1),
            -1 => least = least.max(-v),
            _ if w > 0 => {
                least = least.max(v.div_euclid(w + 1) + 1);
                most = most.min(v.div_euclid(w));
            }
            _ => {
                least = least.max(-(v.div_euclid(-w)));
                most = most.min((-v - 1).div_euclid(-w - 1));
            }
        }
        if least > most {
            return None;
        }
    }
    Some((least, most))
}

/// A modulus for which the remainders of `values` are `wanted`. `high` is the greatest of `wanted`.
fn modulus(values: &[i32], wanted: &[i32], high: i32) -> Option<i64> {
    let mut common = 0_i64;
    for (v, w) in values.iter().zip(wanted) {
        if *w < 0 {
            return None;
        }
        let difference = i64::from(*v) - i64::from(*w);
        if difference != 0 {
            common = gcd(common.into(), difference.into()) as i64;
            if common <= i64::from(high) {
                return None;
            }
        }
    }
    let power = 1_i64 << common.trailing_zeros().min(30);
    (common > 1).then_some(if power > i64::from(high) { power } else { common })
}
