//! Divides sums in loops into partial sums: the terms that change least often are added up first.

use super::loops::Term;
use super::operations::{Builder, Write};
use crate::cost::loop_nest::PartialSum;
use smallvec::SmallVec;

impl Builder<'_> {
    /// The place of the partial sum of `parts`, which is an operand of a larger sum. `None` if there are no parts.
    pub(super) fn part(&mut self, mut parts: Vec<PartialSum<Term>>, wide: bool) -> Option<u32> {
        let constant = parts.first()?.constant;
        let terms: Vec<(Term, i128)> = parts.iter().flat_map(|p| &p.terms).copied().collect();
        if let Some(&place) = self.parts.get(&(terms.clone(), constant)) {
            return Some(place);
        }
        let last = parts.pop()?;
        let mut operands: SmallVec<[u32; 4]> = last.terms.iter().map(|t| self.term(t.0)).collect();
        operands.extend(self.part(parts, wide));
        let price = last.price(self.model, wide, |t| self.loops.hoists(self.e, t.class, last.times));
        let place = self.graph.choices.places.len() as u32;
        let candidate = self.push(terms[0].0.class, Write::Part, price, operands, None);
        self.graph.choices.places.push(SmallVec::from_slice(&[candidate]));
        self.parts.insert((terms, constant), place);
        Some(place)
    }
}
