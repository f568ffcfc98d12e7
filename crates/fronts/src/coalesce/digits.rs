//! Schedules that permute the digits of a number. Some digits may also be reversed.

use crate::dims::{Dim, Dims, DimsError, Term};
use crate::view::chain::Chain;
use quaff::expr::{Expr, int, var};
use quaff::integer::{floor_div, floor_mod};

/// A permutation of the numbers below the product of some radices. It writes the digits of a number `u` in another
/// order.
///
/// Digit `j` of the result has the weight `D_j`, the product of the radices before it. `order` lists the digits as they
/// occur in `u`, the least significant first. A digit that is `flipped` counts backwards. So
/// `sigma(u) = sum of ((u//U_j) % r_j) * D_j`, with `U_j` the product of the radices of the digits before it in
/// `order`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digits {
    radices: Vec<i64>,
    order: Vec<usize>,
    flipped: Vec<bool>,
}

impl Digits {
    /// The permutation with these radices, order and flips. `order` must be a permutation of the positions of
    /// `radices`, and `flipped` must have the same length. `None` if they are not, if a radix is not positive, or if
    /// the product of the radices exceeds 32 bits.
    ///
    /// ```
    /// use quaff_fronts::coalesce::Digits;
    ///
    /// let transpose = Digits::new(&[8, 32], &[1, 0], &[false, false]).unwrap();
    /// assert_eq!(transpose.expr("u").to_string(), "u%32*8 + u//32");
    /// assert_eq!((transpose.extent(), transpose.value(33)), (256, 9));
    /// assert!(Digits::new(&[8, 32], &[1, 1], &[false, false]).is_none());
    /// ```
    pub fn new(radices: &[i64], order: &[usize], flipped: &[bool]) -> Option<Digits> {
        let mut seen = vec![false; radices.len()];
        for j in order {
            if std::mem::replace(seen.get_mut(*j)?, true) {
                return None;
            }
        }
        let whole = order.len() == radices.len() && flipped.len() == radices.len();
        let extent = radices.iter().try_fold(1_i64, |n, r| if *r > 0 { n.checked_mul(*r) } else { None })?;
        (whole && extent <= i64::from(u32::MAX)).then(|| Digits {
            radices: radices.to_vec(),
            order: order.to_vec(),
            flipped: flipped.to_vec(),
        })
    }

    /// The permutation in which every digit stays at its position.
    pub(super) fn identity(radices: &[i64]) -> Digits {
        Digits { radices: radices.to_vec(), order: (0..radices.len()).collect(), flipped: vec![false; radices.len()] }
    }

    /// The radices of the digits of the result, the least significant digit first.
    pub fn radices(&self) -> &[i64] {
        &self.radices
    }

    /// The positions of the digits in the order in which they occur in `u`, the least significant first.
    pub fn order(&self) -> &[usize] {
        &self.order
    }

    /// For each digit of the result, whether it counts backwards.
    pub fn flipped(&self) -> &[bool] {
        &self.flipped
    }

    pub(super) fn order_mut(&mut self) -> &mut Vec<usize> {
        &mut self.order
    }

    pub(super) fn flip(&mut self, digit: usize) {
        if let Some(f) = self.flipped.get_mut(digit) {
            *f = !*f;
        }
    }

    /// The product of all radices. Both `u` and the result are less than this product.
    pub fn extent(&self) -> i64 {
        self.radices.iter().product()
    }

    /// The product of the radices before each digit.
    pub(super) fn weights(&self) -> Vec<i64> {
        let below = self.radices.iter().scan(1, |weight, radix| {
            let below = *weight;
            *weight *= radix;
            Some(below)
        });
        below.collect()
    }

    /// The result for `u`, which is taken modulo [`Digits::extent`].
    pub fn value(&self, u: i64) -> i64 {
        let mut out = [0];
        self.fill(u, &mut out);
        out[0]
    }

    /// Writes the results for `from` and the numbers after it into `out`. The time is linear in the length of `out`.
    pub(super) fn fill(&self, from: i64, out: &mut [i64]) {
        let weights = self.weights();
        let mut rest = i128::from(from);
        // for each digit of `u`: its value, its radix, and the change of the result when the digit rises by 1
        let mut counters: Vec<(i64, i64, i64)> = Vec::with_capacity(self.order.len());
        let mut value = 0;
        for j in &self.order {
            let radix = self.radices[*j];
            let count = floor_mod(rest, radix.into()) as i64;
            rest = floor_div(rest, radix.into());
            let step = if self.flipped[*j] { -weights[*j] } else { weights[*j] };
            value += if self.flipped[*j] { (radix - 1) * weights[*j] } else { 0 } + count * step;
            counters.push((count, radix, step));
        }
        for slot in out {
            *slot = value;
            for (count, radix, step) in &mut counters {
                *count += 1;
                if *count < *radix {
                    value += *step;
                    break;
                }
                *count = 0;
                value -= (*radix - 1) * *step;
            }
        }
    }

    /// The same permutation with the fewest digits. Two digits that are neighbours in `u` and in the result are merged,
    /// and digits of radix 1 are dropped.
    pub fn fused(&self) -> Digits {
        // the digits of u, each as a list of digits of the result, the least significant first
        let mut runs: Vec<Vec<usize>> = Vec::new();
        // a digit of radix 1 is always 0, so it can be dropped
        let worth = |j: &usize| self.radices[*j] > 1;
        let next = |j: usize| (j + 1..self.radices.len()).find(|k| worth(k));
        for j in self.order.iter().copied().filter(worth) {
            match runs.last_mut() {
                Some(run)
                    if run
                        .last()
                        .is_some_and(|last| next(*last) == Some(j) && self.flipped[*last] == self.flipped[j]) =>
                {
                    run.push(j);
                }
                _ => runs.push(vec![j]),
            }
        }
        let mut by_result: Vec<usize> = (0..runs.len()).collect();
        by_result.sort_by_key(|r| runs[*r][0]);
        let radices = by_result.iter().map(|r| runs[*r].iter().map(|j| self.radices[*j]).product()).collect();
        let flipped = by_result.iter().map(|r| self.flipped[runs[*r][0]]).collect();
        let mut order = vec![0; runs.len()];
        by_result.iter().enumerate().for_each(|(place, run)| order[*run] = place);
        Digits { radices, order, flipped }
    }

    /// The permutation as an expression over `variable`, whose range is `0..extent`. The expression is not simplified,
    /// but it has no quotients by 1, and no remainder for the most significant digit.
    pub fn expr(&self, variable: &str) -> Expr {
        let weights = self.weights();
        let (mut below, mut sum) = (1, None);
        for (place, j) in self.order.iter().enumerate() {
            let radix = self.radices[*j];
            let mut digit = var(variable);
            if below > 1 {
                digit = digit.floor_div(int(below));
            }
            if place + 1 < self.order.len() {
                digit = digit.floor_mod(int(radix));
            }
            if self.flipped[*j] {
                digit = int(radix - 1) - digit;
            }
            if weights[*j] > 1 {
                digit = digit * int(weights[*j]);
            }
            sum = Some(match sum {
                Some(sum) => sum + digit,
                None => digit,
            });
            below *= radix;
        }
        sum.unwrap_or_else(|| int(0))
    }

    /// The permutation as a chain of view movements of a row of numbers. In the resulting view, the element at position
    /// `u` is the result for `u`.
    ///
    /// ```
    /// use quaff_fronts::coalesce::Digits;
    ///
    /// let digits = Digits::new(&[8, 32], &[1, 0], &[true, false]).unwrap();
    /// assert_eq!(digits.chain_text(), "shape(256).reshape(32, 8).flip(1).permute(1, 0).reshape(256)");
    /// assert_eq!(digits.chain().unwrap().movements().count(), 4);
    /// ```
    pub fn chain_text(&self) -> String {
        let count = self.radices.len();
        let list = |all: &[String]| all.join(", ");
        // the first axis of a view is the most significant digit
        let axis = |digit: usize| (count - 1 - digit).to_string();
        let mut text = format!("shape({})", self.extent());
        if count > 1 {
            text += &format!(".reshape({})", list(&self.radices.iter().rev().map(i64::to_string).collect::<Vec<_>>()));
        }
        let flips: Vec<String> = (0..count).rev().filter(|j| self.flipped[*j]).map(axis).collect();
        if !flips.is_empty() {
            text += &format!(".flip({})", list(&flips));
        }
        if self.order.iter().enumerate().any(|(place, j)| place != *j) {
            text += &format!(".permute({})", list(&self.order.iter().rev().map(|j| axis(*j)).collect::<Vec<_>>()));
        }
        if count > 1 {
            text += &format!(".reshape({})", self.extent());
        }
        text
    }

    /// The chain that [`Digits::chain_text`] writes.
    ///
    /// # Errors
    /// No error is possible, because the text is always a chain. The error type is the error type of the parser of
    /// chains.
    pub fn chain(&self) -> Result<Chain, crate::view::chain::ChainError> {
        self.chain_text().parse()
    }
}

impl Digits {
    /// Two new dimensions of `dims`, called `lane` and `element`, which are products of the same digits in the two
    /// orders. When the index of one dimension is set, the index of the other dimension follows. `None` if a digit is
    /// flipped, because equations of dimensions cannot express that.
    ///
    /// Each digit is a dimension too. Its name is the name of `element` followed by the position of the digit.
    ///
    /// ```
    /// use quaff_fronts::coalesce::Digits;
    /// use quaff_fronts::dims::Dims;
    /// use quaff::expr::var;
    ///
    /// let digits = Digits::new(&[8, 32], &[1, 0], &[false, false]).unwrap();
    /// let mut dims = Dims::new();
    /// let (lane, element) = digits.declare(&mut dims, "lane", "element")?.unwrap();
    /// let mut indices = dims.init()?;
    /// indices.set(lane, var("u"))?;
    /// assert_eq!(indices.get(element)?.to_string(), "u*8 - u//32*255");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Dims::dim`] and [`Dims::dim_eq`]: `bad_name` for a name that is no identifier, and `frozen`
    /// after [`Dims::init`].
    pub fn declare(&self, dims: &mut Dims, lane: &str, element: &str) -> Result<Option<(Dim, Dim)>, DimsError> {
        if self.flipped.contains(&true) {
            return Ok(None);
        }
        let digits =
            self.radices.iter().enumerate().map(|(place, radix)| dims.dim(&format!("{element}{place}"), *radix));
        let digits = digits.collect::<Result<Vec<Dim>, _>>()?;
        // the most significant factor of a product comes first
        let places: Vec<usize> = (0..self.radices.len()).collect();
        let mut product = |name: &str, order: &[usize]| {
            let factors: Vec<Term> = order.iter().rev().map(|j| digits[*j].into()).collect();
            if factors.is_empty() { dims.dim(name, 1) } else { dims.dim_eq(name, factors) }
        };
        let lane = product(lane, &self.order)?;
        Ok(Some((lane, product(element, &places)?)))
    }

    /// The equations of [`Digits::declare`] as a program for `quaff dims`, which sets `lane` to `u` and prints
    /// `element`. `None` if a digit is flipped, or if there are no digits.
    pub fn dims_text(&self) -> Option<String> {
        if self.flipped.contains(&true) || self.radices.is_empty() {
            return None;
        }
        let product = |order: &mut dyn Iterator<Item = usize>| {
            let factors: Vec<String> = order.map(|j| format!("digit{j}")).collect();
            factors.join(" * ")
        };
        let lane = product(&mut self.order.iter().rev().copied());
        let element = product(&mut (0..self.radices.len()).rev());
        let mut text = format!("equations = [\"lane = {lane}\", \"element = {element}\"]\n[sizes]\n");
        for (place, radix) in self.radices.iter().enumerate() {
            text += &format!("digit{place} = {radix}\n");
        }
        text += "[set]\nlane = \"u\"\n[[want]]\nget = [\"element\"]\n";
        Some(text)
    }
}

#[cfg(test)]
mod tests {
    use super::Digits;

    #[test]
    fn fusing_keeps_the_function() {
        let cases = [
            (vec![2, 2, 2], vec![2, 0, 1], vec![false; 3], 2),
            (vec![2, 3, 1, 5], vec![3, 0, 1, 2], vec![false; 4], 2),
            (vec![4, 1, 4], vec![0, 2, 1], vec![true, false, true], 1),
            (vec![2, 2], vec![0, 1], vec![true, false], 2),
            (vec![1, 1], vec![1, 0], vec![false; 2], 0),
        ];
        for (radices, order, flipped, digits) in cases {
            let all = Digits::new(&radices, &order, &flipped).expect("digits");
            let fused = all.fused();
            assert_eq!(fused.radices().len(), digits, "{all:?}");
            for u in 0..all.extent() {
                assert_eq!(all.value(u), fused.value(u), "{all:?} at {u}");
            }
        }
    }

    #[test]
    fn text_and_values_agree() {
        let digits = Digits::new(&[3, 4, 5], &[1, 2, 0], &[false, true, false]).expect("digits");
        let mut values = vec![0; 60];
        digits.fill(0, &mut values);
        let e = digits.expr("u");
        for (u, v) in (0..).zip(&values) {
            assert_eq!(e.eval(|_| Some(u)), Ok(i128::from(*v)));
            assert_eq!(digits.value(u), *v);
        }
        values.sort_unstable();
        assert!(values.iter().zip(0..).all(|(v, i)| *v == i));
    }
}
