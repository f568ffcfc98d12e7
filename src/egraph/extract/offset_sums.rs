//! Makes comparisons with a constant from sums that are computed for another use.
//!
//! `x - y < 3` is equivalent to `x - y + 5 < 8`. If an index computes `x - y + 5`, the comparison needs no sum of its
//! own. The input is the sums that are places of an and-or graph, and the comparisons in the graph. The output is the
//! sums that a comparison can read, and the constant with which each is compared.

use crate::egraph::language::linear_form::LinearForm;
use crate::integer::floor_div;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A sum that is computed for another use: `factor * terms + constant`. `terms` have no common factor.
struct OffsetSum {
    place: u32,
    factor: i64,
    constant: i64,
}

/// The way in which a comparison reads a sum: it compares `sum + constant` with 0, or `constant - sum` if `flipped`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) place: u32,
    pub(super) constant: i64,
    pub(super) flipped: bool,
}

/// The sums that are computed in a graph, by their terms.
#[derive(Default)]
pub(super) struct OffsetSums {
    by_terms: FxHashMap<LinearForm, SmallVec<[OffsetSum; 2]>>,
}

impl OffsetSums {
    /// Adds the sum `lin` that is in `place`. A sum of one term is not added, because comparisons read the term
    /// directly.
    pub(super) fn insert(&mut self, place: u32, lin: &LinearForm) {
        if let Some((factor, terms)) = primitive(lin) {
            self.by_terms.entry(terms).or_default().push(OffsetSum { place, factor, constant: lin.constant });
        }
    }

    /// The ways in which existing sums can replace `lin` in a comparison with 0.
    pub(super) fn readings(&self, lin: &LinearForm) -> SmallVec<[Reading; 2]> {
        let Some((factor, terms)) = primitive(lin) else { return SmallVec::new() };
        let sums = self.by_terms.get(&terms).into_iter().flatten();
        sums.filter_map(|sum| sum.reading(factor, lin.constant)).collect()
    }
}

impl OffsetSum {
    /// The comparison of `factor * terms + constant` with 0, as a comparison of this sum. The comparison is scaled so
    /// that its terms have the factor of this sum.
    fn reading(&self, factor: i64, constant: i64) -> Option<Reading> {
        let (own, factor) = (i128::from(self.factor), i128::from(factor));
        let scale = floor_div(own.abs(), factor.abs());
        if scale * factor.abs() != own.abs() {
            return None;
        }
        let flipped = (factor < 0) != (own < 0);
        // both fit in 64 bits, so the product fits in 128 bits
        let scaled = i128::from(constant) * scale;
        let constant = if flipped { scaled + i128::from(self.constant) } else { scaled - i128::from(self.constant) };
        // the constant moves to the other side, so it must have a negative
        let constant = i64::try_from(constant).ok().filter(|&c| c != i64::MIN)?;
        Some(Reading { place: self.place, constant, flipped })
    }
}

/// `(f, t)` with the terms of `lin` equal to `f * t`. `t` has no common factor, and its first coefficient is positive.
/// `None` for fewer than two terms.
fn primitive(lin: &LinearForm) -> Option<(i64, LinearForm)> {
    if lin.len() < 2 {
        return None;
    }
    let content = lin.content();
    let terms = if content > 1 { lin.terms_only().split(content).0 } else { lin.terms_only() };
    let negative = terms.coeffs()[0] < 0;
    Some(if negative { (-content, terms.scaled(-1)?) } else { (content, terms) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use egg::Id;

    fn lin(constant: i64, a: i64, b: i64) -> LinearForm {
        let terms = [(Id::from(1), i128::from(a)), (Id::from(2), i128::from(b))];
        LinearForm::from_terms(constant, terms.into_iter().collect()).unwrap()
    }

    fn read(sum: LinearForm, compared: LinearForm) -> Option<(i64, bool)> {
        let mut sums = OffsetSums::default();
        sums.insert(7, &sum);
        let readings = sums.readings(&compared);
        assert!(readings.iter().all(|r| r.place == 7));
        readings.first().map(|r| (r.constant, r.flipped))
    }

    #[test]
    fn a_comparison_reads_a_sum_of_its_terms() {
        // x - y - 3 and x - y + 5
        assert_eq!(read(lin(5, 1, -1), lin(-3, 1, -1)), Some((-8, false)));
        // 3 - (x - y) is 8 - (x - y + 5)
        assert_eq!(read(lin(5, 1, -1), lin(3, -1, 1)), Some((8, true)));
        // x + 2*y - 3 >= 0 read from 4*x + 8*y + 1: 4*x + 8*y + 1 - 13 >= 0
        assert_eq!(read(lin(1, 4, 8), lin(-3, 1, 2)), Some((-13, false)));
    }

    #[test]
    fn a_comparison_reads_no_other_sum() {
        assert_eq!(read(lin(5, 1, 2), lin(-3, 1, -1)), None);
        // 2*x + 2*y - 3 >= 0 cannot be read from x + y + 5, because that would need half of the comparison
        assert_eq!(read(lin(5, 1, 1), lin(-3, 2, 2)), None);
        assert_eq!(read(lin(i64::MIN, 1, 1), lin(1, 1, 1)), None);
        assert_eq!(read(LinearForm::term(3, Id::from(1)), LinearForm::term(1, Id::from(1))), None);
    }
}
