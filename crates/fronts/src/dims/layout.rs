//! The frozen program: the strides and digits of every side of an equation, prepared for index propagation.

use super::Term;
use super::error::{DimsError, ErrorKind};
use super::model::{Affine, EquationDef, Model, Relation, dims_of};
use super::product::Product;
use super::symbols::Symbols;
use quaff::expr::Expr;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The position of one dimension in a linear index. Dimensions of size 1 are no digits.
pub(super) struct Digit {
    pub(super) dim: u32,
    /// The product of all sizes to the right. `None` means 1.
    pub(super) stride: Option<Expr>,
    pub(super) size: Expr,
    /// Whether the linear index has a more significant digit, so that this digit is computed by a `%`.
    pub(super) wraps: bool,
}

/// One side of a flow. Index information flows from one side of an equation to the other.
pub(super) struct Side {
    pub(super) digits: Vec<Digit>,
    /// The number of distinct dimensions among the digits.
    pub(super) distinct: u32,
    /// A dimension that occurs twice on this side.
    pub(super) repeated: Option<u32>,
    /// Whether any dimension occurs on this side, even one of size 1. A side of integers states a size, but never an
    /// index.
    pub(super) has_dim: bool,
}

/// The statement of an equation about indices: both sides have the same linear index. Digit alignment may split one
/// equation into several flows.
pub(super) struct Flow {
    pub(super) equation: u32,
    pub(super) sides: [Side; 2],
    /// The bound of the left side, if the right side may be larger.
    pub(super) tail: Option<Tail>,
    /// The additional data of a sum of indices. The strides of its digits are the coefficients.
    pub(super) sum: Option<SumFlow>,
}

/// The additional data of a sum of indices.
pub(super) struct SumFlow {
    /// The constant that is added on the right.
    pub(super) constant: Expr,
    /// Whether some dimension has size 1. Such a sum is solved only when an index is read. Until then, the caller may
    /// set the index of any of its dimensions. So a program stays valid when one of its sizes is changed to 1.
    pub(super) late: bool,
}

/// The bound of a left side that may be smaller than the right side. A linear index of the right side is an index of
/// the left side only if it is below this bound.
pub(super) struct Tail {
    pub(super) end: Expr,
    /// All dimensions of the left side, including dimensions of size 1.
    pub(super) dims: Vec<u32>,
}

pub(super) struct Layout {
    pub(super) model: Arc<Model>,
    pub(super) sizes: Vec<Product>,
    pub(super) symbols: Symbols,
    pub(super) flows: Vec<Flow>,
    /// For each dimension, the flows that mention it and whose right side may be larger than the left side. For a
    /// dimension of size 1, the list also has the sums that mention the dimension.
    pub(super) tails: Vec<Vec<u32>>,
    /// For each dimension of size 1, the equations in which all dimensions have size 1.
    pub(super) ones: Vec<Vec<u32>>,
    /// For each dimension, the flows and sides that have it as a digit.
    pub(super) uses: Vec<Vec<(u32, u8)>>,
    pub(super) by_scope: Vec<Vec<u32>>,
    pub(super) by_equation: Vec<Vec<u32>>,
    /// The flows of which one side has only integers and dimensions of size 1. Each entry also has the position of the
    /// other side, whose index is read as 0.
    pub(super) zero_reads: Vec<(u32, u8)>,
    /// The sums that are solved only when an index is read.
    pub(super) late_sums: Vec<u32>,
}

impl Layout {
    /// Builds the layout, in time linear in the length of the program.
    pub(super) fn new(
        model: Arc<Model>,
        sizes: Vec<Product>,
        symbols: Symbols,
        align: bool,
    ) -> Result<Layout, DimsError> {
        let mut layout = Layout {
            sizes,
            symbols,
            flows: vec![],
            tails: vec![vec![]; model.dims.len()],
            ones: vec![vec![]; model.dims.len()],
            uses: vec![vec![]; model.dims.len()],
            by_scope: vec![vec![]; model.scopes.len()],
            by_equation: vec![vec![]; model.equations.len()],
            zero_reads: vec![],
            late_sums: vec![],
            model: model.clone(),
        };
        for (i, equation) in model.equations.iter().enumerate() {
            let [left, right] = &equation.sides;
            if let Relation::Affine(affine) = &equation.relation {
                layout.add_affine(i, affine);
                continue;
            }
            let products = layout.products(i)?;
            if products.iter().all(Product::is_one) {
                let dims = equation.sides.iter().flat_map(|side| dims_of(side));
                dims.for_each(|d| layout.ones[d].push(i as u32));
            }
            let align = align && equation.relation.is_equal();
            let pieces = if align { layout.align(left, right) } else { vec![[&left[..], &right[..]]] };
            // an equation with two equal sides states nothing, and its dimensions would conflict with themselves, so
            // the filter drops it
            for [left, right] in pieces.into_iter().filter(|[left, right]| left != right) {
                let sides = [layout.side(left, i)?, layout.side(right, i)?];
                let covers = equation.relation == Relation::Covered && products[0] != products[1];
                let dims = dims_of(left).map(|d| d as u32);
                let tail = covers.then(|| Tail { end: layout.symbols.expr(&products[0]), dims: dims.collect() });
                layout.add(Flow { equation: i as u32, sides, tail, sum: None }, equation.scope);
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
            // the index of a product that covers a left side of size 1, or of a sum, need not be 0
            let product = flow.tail.is_none() && flow.sum.is_none();
            let zero = product && side.has_dim && side.digits.is_empty();
            if zero && !flow.sides[1 - s].digits.is_empty() {
                self.zero_reads.push((id, 1 - s as u8));
            }
        }
        let tail = flow.tail.iter().flat_map(|tail| &tail.dims);
        tail.for_each(|&d| self.tails[d as usize].push(id));
        self.by_scope[scope as usize].push(id);
        self.by_equation[flow.equation as usize].push(id);
        self.flows.push(flow);
    }

    /// Adds a sum of indices. Dimensions of size 1 add nothing to the sum, and are no digits.
    fn add_affine(&mut self, equation: usize, affine: &Affine) {
        let model = self.model.clone();
        let EquationDef { sides, scope, .. } = &model.equations[equation];
        let all = sides.iter().flat_map(|side| dims_of(side));
        let digits = |side: &[Term], coefficient: &dyn Fn(usize) -> Option<Expr>| {
            let dims = dims_of(side).enumerate().filter(|&(_, d)| !self.sizes[d].is_one());
            let digit = |(at, d): (usize, usize)| Digit {
                dim: d as u32,
                stride: coefficient(at),
                size: self.size_expr(d),
                wraps: false,
            };
            let digits: Vec<Digit> = dims.map(digit).collect();
            Side { distinct: digits.len() as u32, digits, repeated: None, has_dim: true }
        };
        let coefficient = |at: usize| affine.coefficients.get(at).filter(|c| c.as_const() != Some(1)).cloned();
        let both = [digits(&sides[0], &|_| None), digits(&sides[1], &coefficient)];
        for d in all.filter(|&d| self.sizes[d].is_one()) {
            self.tails[d].push(self.flows.len() as u32);
        }
        let late = both.iter().map(|side| side.digits.len()).sum::<usize>() < sides.iter().map(Vec::len).sum();
        if late {
            self.late_sums.push(self.flows.len() as u32);
        }
        let sum = Some(SumFlow { constant: affine.constant.clone(), late });
        self.add(Flow { equation: equation as u32, sides: both, tail: None, sum }, *scope);
    }

    fn size_of(&self, term: Term) -> Product {
        match term {
            Term::Dim(d) => self.sizes[d.index()].clone(),
            Term::Int(n) => Product::number(n),
        }
    }

    /// The size of a dimension as an expression.
    pub(super) fn size_expr(&self, dim: usize) -> Expr {
        self.symbols.expr(&self.sizes[dim])
    }

    /// The products of both sides. They must fit `i64`, because linear indices must fit `i64`.
    fn products(&self, equation: usize) -> Result<[Product; 2], DimsError> {
        let product = |side: &[Term]| {
            let product = side.iter().try_fold(Product::ONE, |product, &t| product.times(&self.size_of(t)));
            let fits = product.filter(|p| self.symbols.range(p).bounded().is_some());
            fits.ok_or_else(|| self.overflow(side, equation))
        };
        let [left, right] = &self.model.equations[equation].sides;
        Ok([product(left)?, product(right)?])
    }

    fn overflow(&self, side: &[Term], equation: usize) -> DimsError {
        let what = format!("the product of `{}`", self.model.side_text(side));
        ErrorKind::Overflow { what, value: None, equations: vec![self.model.equation_ref(equation)] }.into()
    }

    fn side(&self, terms: &[Term], equation: usize) -> Result<Side, DimsError> {
        let (mut digits, mut stride) = (vec![], Product::ONE);
        let mut before_first = None;
        for &term in terms.iter().rev() {
            let size = self.size_of(term);
            let next = stride.times(&size).ok_or_else(|| self.overflow(terms, equation))?;
            if let Term::Dim(d) = term
                && !size.is_one()
            {
                let stride = (!stride.is_one()).then(|| self.symbols.expr(&stride));
                digits.push(Digit { dim: d.index, stride, size: self.symbols.expr(&size), wraps: true });
                before_first = Some(next.clone());
            }
            stride = next;
        }
        digits.reverse();
        if let (Some(first), Some(end)) = (digits.first_mut(), before_first) {
            first.wraps = end != stride;
        }
        let mut dims: Vec<u32> = digits.iter().map(|d| d.dim).collect();
        dims.sort_unstable();
        let repeated = dims.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
        dims.dedup();
        let has_dim = terms.iter().any(|t| matches!(t, Term::Dim(_)));
        Ok(Side { digits, distinct: dims.len() as u32, repeated, has_dim })
    }

    /// Cuts an equation at suffixes of both sides with equal products. When the linear indices of both sides are
    /// divided by this product, their quotients and their remainders are equal. So each piece is an equation of its
    /// own.
    ///
    /// Every piece has a dimension above size 1 on both sides. A piece with only integers on one side would state that
    /// the other side is 0, and this fact would be lost.
    fn align<'t>(&self, left: &'t [Term], right: &'t [Term]) -> Vec<[&'t [Term]; 2]> {
        let digit = |t: &Term| matches!(t, Term::Dim(_)) && !self.size_of(*t).is_one();
        // the products of the suffixes of the right side, each with the shortest suffix
        let mut suffixes: FxHashMap<Product, usize> = FxHashMap::default();
        for (at, product) in self.suffixes(right) {
            suffixes.entry(product).or_insert(at);
        }
        let mut pieces: Vec<[&[Term]; 2]> = vec![];
        let mut ends = [left.len(), right.len()];
        for (at, product) in self.suffixes(left) {
            let Some(&other) = suffixes.get(&product).filter(|other| **other <= ends[1]) else { continue };
            let piece = [&left[at..ends[0]], &right[other..ends[1]]];
            if piece.iter().all(|side| side.iter().any(digit)) {
                pieces.push(piece);
                ends = [at, other];
            }
        }
        // one side of the remaining terms has no digit, so these terms join the most significant piece
        if ends != [0, 0] {
            let end = pieces.pop().map_or([left.len(), right.len()], |last| [0, 1].map(|s| ends[s] + last[s].len()));
            pieces.push([&left[..end[0]], &right[..end[1]]]);
        }
        pieces
    }

    /// The start and the product of each suffix of a side, shortest first, until a product exceeds 64 bits.
    fn suffixes(&self, side: &[Term]) -> Vec<(usize, Product)> {
        let mut product = Product::ONE;
        let starts = (0..side.len()).rev();
        let suffixes = starts.map_while(|at| {
            product = product.times(&self.size_of(side[at]))?;
            Some((at, product.clone()))
        });
        suffixes.collect()
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
            sizes: [6, 4, 6, 1].map(Product::number).to_vec(),
            symbols: Symbols::new(&model),
            flows: vec![],
            tails: vec![],
            ones: vec![],
            uses: vec![],
            by_scope: vec![],
            by_equation: vec![],
            zero_reads: vec![],
            late_sums: vec![],
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
