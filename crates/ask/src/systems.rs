//! Reads outputs as numbers in a mixed-radix system: sums of digits of the inputs, each times a stride. A stride is
//! greater than the largest sum of the digits with smaller strides.

use crate::AskError;
use crate::digits::{Affine, Digits, product};
use quaff::domain::Domain;
use quaff::expr::sum::written;
use quaff::expr::{Expr, int, var};
use quaff::{Facts, Simplifier};

pub(crate) struct Map<'a> {
    outputs: &'a [Expr],
    pub(crate) digits: Digits<'a>,
    facts: Facts,
}

/// One output as a mixed-radix number: its digits with their strides, the greatest stride first, and the constant part.
pub(crate) struct System {
    digits: Vec<(usize, Expr)>,
    offset: Expr,
}

impl<'a> Map<'a> {
    pub(crate) fn new(
        simplifier: &'a Simplifier,
        outputs: &'a [Expr],
        inputs: &[&str],
        domain: &Domain,
    ) -> Result<Map<'a>, AskError> {
        let digits = Digits::new(simplifier, outputs, inputs, domain)?;
        let facts = simplifier.facts(&digits.domain);
        Ok(Map { outputs, digits, facts })
    }

    /// All outputs as mixed-radix numbers. `None` if an output is not proved to be such a number.
    pub(crate) fn systems(&mut self) -> Option<Vec<System>> {
        (0..self.outputs.len()).map(|at| self.system(at)).collect()
    }

    fn system(&mut self, output: usize) -> Option<System> {
        let names: Vec<String> = self.digits.digits.iter().map(|digit| digit.name.clone()).collect();
        let e = self.digits.in_digits(&self.outputs[output]);
        let Affine { strides, offset } = self.digits.affine(&e, &names, &mut self.facts)?;
        let mut digits: Vec<(usize, Expr)> = vec![];
        for (digit, stride) in strides.into_iter().enumerate().filter(|(_, stride)| stride.as_const() != Some(0)) {
            if !self.holds(&stride.ge(1)) {
                return None;
            }
            // the digits are in descending order of strides, so insert this digit before the first one with a smaller
            // or equal stride
            let place = (0..digits.len()).find(|&at| self.holds(&digits[at].1.le(&stride)));
            digits.insert(place.unwrap_or(digits.len()), (digit, stride));
        }
        // a stride must be at least the number of values that the faster digits reach together
        for pair in digits.windows(2) {
            let [(_, slow), (fast, stride)] = pair else { return None };
            let extent = self.digits.digits[*fast].extent.clone()?;
            if !self.holds(&product(stride, &extent).le(slow)) {
                return None;
            }
        }
        Some(System { digits, offset })
    }

    fn holds(&mut self, condition: &Expr) -> bool {
        matches!(self.facts.prove(condition), Ok(Some(true)))
    }

    fn is_one(&self, digit: usize) -> bool {
        self.digits.digits[digit].extent.as_ref().and_then(Expr::as_const) == Some(1)
    }

    /// Whether each digit of the inputs occurs in some output.
    pub(crate) fn are_all_read(&self, systems: &[System]) -> bool {
        let is_read = |digit: usize| systems.iter().any(|system| system.digits.iter().any(|(own, _)| *own == digit));
        (0..self.digits.digits.len()).all(|digit| self.is_one(digit) || is_read(digit))
    }

    /// Whether no digit occurs in two outputs.
    pub(crate) fn are_independent(&self, systems: &[System]) -> bool {
        let mut all: Vec<usize> = systems.iter().flat_map(|system| system.digits.iter().map(|(own, _)| *own)).collect();
        let count = all.len();
        all.sort_unstable();
        all.dedup();
        all.len() == count
    }

    /// Whether the output takes all values of `0..extent`. For this, each digit must take all of its values. The
    /// slowest digit `i//m` of an input `i` must occur for `m` values of `i` each.
    pub(crate) fn is_dense(&mut self, system: &System, extent: &Expr) -> bool {
        let mut next = int(1);
        for (digit, stride) in system.digits.iter().rev() {
            let own = self.digits.digits[*digit].clone();
            let Some(count) = own.extent else { return false };
            let has_all = match self.digits.is_slowest(*digit) {
                true => self.digits.is_exact(&own.axis, own.below, &count, &mut self.facts),
                // if the end of the input is known only at run time, the input may have fewer values than one period of
                // the digit
                false => {
                    let values = self.digits.count(&own.axis, 1);
                    values.is_some_and(|values| self.holds(&values.ge(product(&int(own.below), &count))))
                }
            };
            if !has_all {
                return false;
            }
            if !self.holds(&stride.equals(&next)) {
                return false;
            }
            next = product(stride, &count);
        }
        self.holds(&system.offset.equals(int(0))) && self.holds(&extent.le(&next))
    }

    /// Each input as an expression over the outputs. `None` if one of its digits occurs in no output.
    pub(crate) fn read(&mut self, systems: &[System], places: &[&str]) -> Option<Vec<Expr>> {
        let mut values: Vec<Option<Expr>> = vec![None; self.digits.digits.len()];
        for (system, place) in systems.iter().zip(places) {
            let mut rest = written([(var(*place), 1), (system.offset.clone(), -1)]);
            for (digit, stride) in &system.digits {
                let value = if stride.as_const() == Some(1) { rest.clone() } else { rest.floor_div(stride) };
                rest = if stride.as_const() == Some(1) { int(0) } else { rest.floor_mod(stride) };
                values[*digit].get_or_insert(value);
            }
        }
        let is_one = |at: usize| self.is_one(at).then(|| int(0));
        let values = values.into_iter().enumerate().map(|(at, value)| value.or_else(|| is_one(at)));
        Some(self.digits.by_axis(values.collect::<Option<_>>()?))
    }
}
