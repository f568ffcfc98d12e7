//! The frozen program: strides and digits of every side, ready for index propagation.

use super::error::{DimsError, ErrorKind};
use super::model::{EquationDef, Model};
use super::{Exact, Term};
use std::sync::Arc;

/// One dimension's place in a linear index; dimensions of size 1 have none.
pub(super) struct Digit {
    pub(super) dim: u32,
    /// Product of everything to the right.
    pub(super) stride: i64,
    pub(super) size: i64,
    /// Whether something more significant shares the linear index, so that reading the digit takes a `%`.
    pub(super) wraps: bool,
}

/// One side of a flow.
pub(super) struct Side {
    pub(super) digits: Vec<Digit>,
    /// Number of different dimensions among the digits.
    pub(super) distinct: u32,
    /// A dimension that stands here twice.
    pub(super) repeated: Option<u32>,
    /// Whether any dimension stands here, if only of size 1; a side of integers states a size and never an index.
    pub(super) has_dim: bool,
}

/// What an equation says of indices: both sides have the same linear index. Digit alignment makes several of one.
pub(super) struct Flow {
    pub(super) equation: u32,
    pub(super) sides: [Side; 2],
}

pub(super) struct Layout {
    pub(super) model: Arc<Model>,
    pub(super) sizes: Vec<i64>,
    pub(super) flows: Vec<Flow>,
    /// For each dimension, the flows and sides that have it as a digit.
    pub(super) uses: Vec<Vec<(u32, u8)>>,
    pub(super) by_scope: Vec<Vec<u32>>,
    pub(super) by_equation: Vec<Vec<u32>>,
    /// Flows with a side of dimensions of size 1 (and integers) only; given is the other side, which reads as 0.
    pub(super) zero_reads: Vec<(u32, u8)>,
}

impl Layout {
    /// Linear in the length of the program.
    pub(super) fn new(model: Arc<Model>, sizes: Vec<i64>, align: bool) -> Result<Layout, DimsError> {
        let mut layout = Layout {
            sizes,
            flows: vec![],
            uses: vec![vec![]; model.dims.len()],
            by_scope: vec![vec![]; model.scopes.len()],
            by_equation: vec![vec![]; model.equations.len()],
            zero_reads: vec![],
            model: model.clone(),
        };
        for (i, equation) in model.equations.iter().enumerate() {
            layout.check_products(equation)?;
            let [left, right] = &equation.sides;
            let pieces = if align { layout.align(left, right) } else { vec![[&left[..], &right[..]]] };
            // Two equal sides say nothing, and must not let their own dimensions conflict.
            for [left, right] in pieces.into_iter().filter(|[left, right]| left != right) {
                let sides = [layout.side(left), layout.side(right)];
                layout.add(Flow { equation: i as u32, sides }, equation.scope);
            }
        }
        Ok(layout)
    }

    fn add(&mut self, flow: Flow, scope: u32) {
        let id = self.flows.len() as u32;
        for (s, side) in flow.sides.iter().enumerate() {
            for digit in &side.digits {
                let uses = &mut self.uses[digit.dim as usize];
                if uses.last() != Some(&(id, s as u8)) {
                    uses.push((id, s as u8));
                }
            }
            if side.has_dim && side.digits.is_empty() && !flow.sides[1 - s].digits.is_empty() {
                self.zero_reads.push((id, 1 - s as u8));
            }
        }
        self.by_scope[scope as usize].push(id);
        self.by_equation[flow.equation as usize].push(id);
        self.flows.push(flow);
    }

    fn size_of(&self, term: Term) -> i64 {
        match term {
            Term::Dim(d) => self.sizes[d.index()],
            Term::Int(n) => n,
        }
    }

    /// A linear index must fit `i64`, so the product of a side must.
    fn check_products(&self, equation: &EquationDef) -> Result<(), DimsError> {
        for side in &equation.sides {
            if side.iter().try_fold(1i64, |product, &t| product.checked_mul(self.size_of(t))).is_none() {
                let what = format!("the product of `{}`", self.model.side_text(side));
                let value: Option<Exact> = None;
                return Err(ErrorKind::Overflow { what, value, equations: vec![equation.text.clone()] }.into());
            }
        }
        Ok(())
    }

    fn side(&self, terms: &[Term]) -> Side {
        let (mut digits, mut stride) = (vec![], 1);
        for &term in terms.iter().rev() {
            let size = self.size_of(term);
            if let (Term::Dim(d), 2..) = (term, size) {
                digits.push(Digit { dim: d.index, stride, size, wraps: true });
            }
            stride *= size;
        }
        digits.reverse();
        if let Some(first) = digits.first_mut() {
            first.wraps = first.stride * first.size != stride;
        }
        let mut dims: Vec<u32> = digits.iter().map(|d| d.dim).collect();
        dims.sort_unstable();
        let repeated = dims.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        dims.dedup();
        let has_dim = terms.iter().any(|t| matches!(t, Term::Dim(_)));
        Side { digits, distinct: dims.len() as u32, repeated, has_dim }
    }

    /// Cuts an equation where suffixes of both sides have equal products: quotient and remainder by that product are
    /// unique, so both pieces hold by themselves.
    ///
    /// Every piece keeps a dimension above size 1 on both sides: a piece with integers only would state that the other
    /// side is 0 and then lose it.
    fn align<'t>(&self, left: &'t [Term], right: &'t [Term]) -> Vec<[&'t [Term]; 2]> {
        let sides = [left, right];
        let digit = |t: &Term| matches!(t, Term::Dim(_)) && self.size_of(*t) > 1;
        let mut pieces: Vec<[&[Term]; 2]> = vec![];
        let (mut ends, mut starts) = ([left.len(), right.len()], [left.len(), right.len()]);
        let mut products = [1i64, 1];
        while starts != [0, 0] {
            let s = if (products[0] <= products[1] && starts[0] > 0) || starts[1] == 0 { 0 } else { 1 };
            starts[s] -= 1;
            products[s] *= self.size_of(sides[s][starts[s]]);
            let piece = [0, 1].map(|s| &sides[s][starts[s]..ends[s]]);
            if products[0] == products[1] && piece.iter().all(|side| side.iter().any(digit)) {
                pieces.push(piece);
                (ends, products) = (starts, [1, 1]);
            }
        }
        // What is left in front has no digit on one side; it stays with the most significant piece.
        if ends != [0, 0] {
            let end = pieces.pop().map_or([left.len(), right.len()], |last| [0, 1].map(|s| ends[s] + last[s].len()));
            pieces.push([&left[..end[0]], &right[..end[1]]]);
        }
        pieces
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Dims, IntoSide};
    use super::*;

    #[test]
    fn cuts() {
        let mut dims = Dims::new();
        let [a, b, c, one] = [6, 4, 6, 1].map(|size| dims.dim("d", size).unwrap());
        let model = Model::new(0);
        let layout = Layout {
            sizes: vec![6, 4, 6, 1],
            flows: vec![],
            uses: vec![],
            by_scope: vec![],
            by_equation: vec![],
            zero_reads: vec![],
            model: Arc::new(model),
        };
        let count = |l: Vec<Term>, r: Vec<Term>| layout.align(&l, &r).len();
        assert_eq!(count((a, b).into_side(), (c, b).into_side()), 2);
        assert_eq!(count((a, b, one).into_side(), (one, c, b).into_side()), 2);
        assert_eq!(count((a, b).into_side(), (b, c).into_side()), 1);
        assert_eq!(count((a, b).into_side(), (c, 4).into_side()), 1);
        assert_eq!(count((2, a).into_side(), (c, 2).into_side()), 1);
        assert_eq!(count((a, 2, b).into_side(), (c, 2, b).into_side()), 2);
        let pieces = layout
            .align(&[Term::Int(2), Term::Dim(a), Term::Dim(b)], &[Term::Int(2), Term::Dim(c), Term::Dim(b)])
            .iter()
            .map(|p| p[0].len())
            .collect::<Vec<_>>();
        assert_eq!(pieces, [1, 2]);
    }
}
