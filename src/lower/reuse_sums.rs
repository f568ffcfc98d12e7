//! Expresses sums by other values that are already computed.
//!
//! When the sum of an index is computed, the sums of conditions, the numerators of quotients, and the remainders of the
//! same divisions are already computed. For example, let `q = x//5`, and let `r = x - q*5` be an operand of a
//! comparison. Then `x*16 - q*79` equals `r*16 + q`, which has one multiplication less.

use super::plan::How;
use super::relations::Relations;
use super::sums::Term;
use super::translator::{NONE, Translator};
use crate::expr::Op;

/// The largest number of changes of one sum.
const MAX_CHANGES: usize = 4;

/// The number of instructions of a sum. A multiply-add adds one product, and an addition adds two further operands. A
/// constant that is added only to products needs one more instruction, which puts it in a register, unless a shift
/// instruction can add it.
fn instructions(terms: &[Term], constant: i128) -> usize {
    let products = terms.iter().filter(|t| t.coefficient.unsigned_abs() != 1).count();
    let (plain, constants) = (terms.len() - products, usize::from(constant != 0));
    match (products, plain) {
        (0, _) => (plain + constants).saturating_sub(1).div_ceil(2),
        (1, 0) if constants == 1 => 1 + usize::from(!terms.iter().all(|t| t.coefficient.count_ones() == 1)),
        (_, 0) => products + constants,
        _ => products + (plain - 1 + constants).div_ceil(2),
    }
}

impl Translator<'_> {
    /// The relations between the computed nodes.
    pub(super) fn relations(&self) -> Relations {
        let mut relations = Relations::of_remainders(self.dag, self.plan);
        for (id, node) in self.dag.nodes().iter().enumerate() {
            let is_sum = matches!(node.op, Op::Add | Op::Sub) && !self.absorbed[id];
            let is_there = matches!(self.plan.how[id], How::Exact32) || self.plan.is_given(id as u32);
            if is_sum
                && is_there
                && let Some(mut sum) = self.linear(id as u32)
            {
                sum.terms.push((id as u32, -1));
                relations.add(sum.terms, sum.constant);
            }
        }
        relations
    }

    /// Replaces the sum by an equal one with fewer instructions, if a relation to other computed nodes gives one.
    pub(super) fn rebase(&self, id: u32, terms: &mut Vec<Term>, constant: &mut i128) {
        for _ in 0..MAX_CHANGES {
            let before = instructions(terms, *constant);
            let best = terms.iter().flat_map(|t| self.without(id, *t, terms, *constant)).min_by_key(|found| found.0);
            match best {
                Some((after, others, k)) if after < before => (*terms, *constant) = (others, k),
                _ => return,
            }
        }
    }

    /// The sums that replace the term `out` by a relation, each with the number of its instructions. If `out` is a
    /// remainder that no other value needs, one more instruction is saved.
    fn without(&self, id: u32, out: Term, terms: &[Term], constant: i128) -> Vec<(usize, Vec<Term>, i128)> {
        let others = self.relations.of(out.node).filter_map(|relation| {
            let pivot = relation.terms.iter().find(|t| t.0 == out.node)?.1;
            let times = out.coefficient.checked_neg()?.checked_mul(pivot).filter(|_| pivot.abs() == 1)?;
            let mut sum = terms.to_vec();
            for &(node, e) in &relation.terms {
                let is_there = node < id && self.values[node as usize] != NONE;
                if node != out.node && !is_there || self.depths[node as usize] != out.depth {
                    return None;
                }
                let more = times.checked_mul(e)?;
                match sum.iter_mut().find(|t| t.node == node) {
                    Some(term) => term.coefficient = term.coefficient.checked_add(more)?,
                    None => sum.push(Term { node, coefficient: more, depth: out.depth }),
                }
            }
            sum.retain(|t| t.coefficient != 0);
            let fits = sum.iter().all(|t| i32::try_from(t.coefficient).is_ok_and(|c| c != i32::MIN));
            let constant = constant + i128::from(times) * i128::from(relation.constant);
            let is_remainder = self.dag.nodes()[out.node as usize].op == Op::FloorMod;
            let saved = usize::from(is_remainder && self.plan.uses[out.node as usize] == 1);
            let count = instructions(&sum, constant);
            (fits && !sum.is_empty()).then(|| (count.saturating_sub(saved), sum, constant))
        });
        others.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_of_sums() {
        let of = |coefficients: &[i64], constant| {
            let terms: Vec<Term> =
                coefficients.iter().map(|&coefficient| Term { node: 0, coefficient, depth: 0 }).collect();
            instructions(&terms, constant)
        };
        assert_eq!((of(&[1], 0), of(&[1], 5), of(&[1, -1], 5), of(&[1, 1, 1], 5)), (0, 1, 1, 2));
        assert_eq!((of(&[3], 5), of(&[4], 5), of(&[3, 4], 5), of(&[3, 1], 5), of(&[3, 1], 0)), (2, 1, 3, 2, 1));
    }
}
