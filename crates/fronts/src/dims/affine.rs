//! Declares, solves and guards sums of indices, such as `ih = oh*2 + ky - 1` of a convolution.
//!
//! Any index of such an equation follows from all the others. The index on the left is computed as the sum on the
//! right. An index on the right is computed as a quotient: the other terms of the equation, divided by the coefficient
//! of the index. The quotient is a valid index only if the division leaves no remainder and the quotient is less than
//! the size of the dimension. [`Indices::inside`] returns these conditions.

use super::declare::Dims;
use super::error::{DimsError, ErrorKind};
use super::flow::{Fault, Source, State};
use super::indices::Indices;
use super::layout::{Digit, Flow, Layout};
use super::model::{Affine, Relation};
use super::report::Direction;
use super::symbols::shared;
use super::{Dim, Equation, IntoSide, Term};
use quaff::domain::{Interval, intervals_of};
use quaff::expr::sum::{Sum, written};
use quaff::expr::{Dag, Expr, Op, int};
use rustc_hash::FxHashSet;
use std::collections::VecDeque;

/// The most recursive steps that reading one sum may take: 65,536.
const MOST_STEPS: usize = 1 << 16;

/// The dimensions of a sum with their coefficients, and its constant.
pub type Terms = (Vec<(Dim, Expr)>, Expr);

impl Dims {
    /// States, in the current scope, that the index of `left` is a linear combination of the indices of other
    /// dimensions, plus a constant. The equation says nothing about sizes.
    ///
    /// A coefficient, or the constant, is a number or an expression over variables of the kernel, such as a stride that
    /// is a parameter. If one index of the equation is unknown, on the left or on the right, it follows from the
    /// others.
    ///
    /// The sum may be no valid index of `left`, as at the border of an image.
    /// [`Indices::inside`](super::Indices::inside) is the condition that the sum is a valid index. If an index on the
    /// right was solved, the condition also says that the division leaves no remainder. Conditions that always hold are
    /// left out.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    /// use quaff::expr::var;
    ///
    /// let mut dims = Dims::new();
    /// let (ih, oh, ky) = (dims.dim("ih", 32)?, dims.dim("oh", 16)?, dims.dim("ky", 3)?);
    /// dims.affine(ih, [(oh, 2), (ky, 1)], -1)?;
    ///
    /// // a convolution reads where it is inside
    /// let mut ix = dims.init()?;
    /// ix.set(oh, var("y"))?;
    /// ix.set(ky, var("k"))?;
    /// assert_eq!(ix.get_raw(ih)?.to_string(), "y*2 + k - 1");
    /// assert_eq!(ix.inside(&[ih])?.unwrap().to_string(), "0 <= y*2 + k - 1");
    ///
    /// // a transposed one goes the other way
    /// let mut ix = dims.init()?;
    /// ix.set(ih, var("y"))?;
    /// ix.set(ky, var("k"))?;
    /// assert_eq!(ix.get_raw(oh)?.to_string(), "(y - k + 1)//2");
    /// assert_eq!(ix.inside(&[oh])?.unwrap().to_string(), "0 <= (y - k + 1)//2 and (y - k + 1)//2 < 16 and (y - k + 1)%2 < 1");
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// `not_affine` without a dimension on the right, for a dimension that occurs twice in the equation, and for a
    /// coefficient 0. `foreign_dim` for a dimension of another `Dims`. `frozen` after [`init`](Dims::init).
    pub fn affine<C: Into<Expr>>(
        &mut self,
        left: Dim,
        terms: impl IntoIterator<Item = (Dim, C)>,
        constant: impl Into<Expr>,
    ) -> Result<Equation, DimsError> {
        let (dims, coefficients): (Vec<Term>, Vec<Expr>) =
            terms.into_iter().map(|(dim, c)| (Term::Dim(dim), c.into())).unzip();
        let twice = |(at, dim): (usize, &Term)| *dim == Term::Dim(left) || dims[..at].contains(dim);
        let reason = if dims.is_empty() {
            Some("there is no dimension on the right")
        } else if dims.iter().enumerate().any(twice) {
            Some("a dimension stands in it twice")
        } else if coefficients.iter().any(|c| c.as_const() == Some(0)) {
            Some("a coefficient is 0")
        } else {
            None
        };
        let relation = Relation::Affine(Affine { coefficients, constant: constant.into() });
        if let Some(reason) = reason {
            let equation = self.model().equation_text(&[left.into_side(), dims], &relation).into();
            return Err(ErrorKind::NotAffine { equation, reason }.into());
        }
        self.relate(left.into_side(), dims, relation)
    }
}

/// Reads a sum of indices. `dim` returns the dimension of a name, and all other variables are values.
///
/// The time is proportional to the length of the sum.
///
/// ```
/// use quaff_fronts::dims::{Dims, affine_terms};
/// use quaff::expr::Expr;
///
/// let mut dims = Dims::new();
/// let (oh, ky) = (dims.dim("oh", 16)?, dims.dim("ky", 3)?);
/// let named = |name: &str| [("oh", oh), ("ky", ky)].into_iter().find(|(n, _)| *n == name).map(|(_, d)| d);
/// let right: Expr = "2*oh + ky*dilation - pad".parse()?;
/// let (terms, constant) = affine_terms(&right, named)?;
/// assert_eq!(terms.iter().map(|(_, c)| c.to_string()).collect::<Vec<_>>(), ["2", "dilation"]);
/// assert_eq!(constant.to_string(), "-pad");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// `not_affine` for a product or another function of indices, and for a number that exceeds 64 bits. An index may be
/// multiplied only by numbers, and by variables that are not indices.
pub fn affine_terms(right: &Expr, dim: impl Fn(&str) -> Option<Dim>) -> Result<Terms, DimsError> {
    let refused = |reason| DimsError::from(ErrorKind::NotAffine { equation: right.to_string().into(), reason });
    let dag = Dag::new(std::slice::from_ref(right));
    let number = |id: u32| dag.nodes()[id as usize].as_const();
    let sum = Sum::of(dag.nodes(), [(dag.roots()[0], 1)], number, MOST_STEPS)
        .ok_or_else(|| refused("it is too long, or its numbers leave 64 bits"))?;
    let mut terms: Vec<(Dim, Vec<(Expr, i64)>)> = vec![];
    let mut constant: Vec<(Expr, i64)> = vec![];
    for (node, factor) in sum.terms {
        let (mut own, mut rest, mut open) = (None, None, vec![dag.origin(node).clone()]);
        while let Some(part) = open.pop() {
            match part.op() {
                Op::Mul => open.extend(part.args().iter().rev().cloned()),
                Op::Var(name) if dim(name).is_some() && own.is_none() => own = dim(name),
                _ if part.variables().iter().any(|name| dim(name).is_some()) => {
                    return Err(refused(
                        "it multiplies two indices, or one by what is no number or value; a parameter is declared among the values",
                    ));
                }
                _ => rest = Some(rest.map_or(part.clone(), |rest: Expr| rest * part)),
            }
        }
        let value = (rest.unwrap_or_else(|| int(1)), factor);
        match own.map(|own| (own, terms.iter().position(|(dim, _)| *dim == own))) {
            None => constant.push(value),
            Some((_, Some(at))) => terms[at].1.push(value),
            Some((own, None)) => terms.push((own, vec![value])),
        }
    }
    constant.push((int(sum.constant), 1));
    Ok((terms.into_iter().map(|(dim, parts)| (dim, written(parts))).collect(), written(constant)))
}

impl Affine {
    /// The sum of the given indices, each multiplied by its coefficient, plus the constant.
    pub(super) fn sum(&self, indices: impl Iterator<Item = Expr>) -> Expr {
        let terms = indices.zip(&self.coefficients).map(|(index, c)| scaled(index, Some(c), 1));
        written(terms.chain([scaled(self.constant.clone(), None, 1)]))
    }
}

/// `sign * index * coefficient` as an expression and an integer factor.
fn scaled(index: Expr, coefficient: Option<&Expr>, sign: i64) -> (Expr, i64) {
    let number = coefficient.map(|c| c.as_const().and_then(|c| c.checked_mul(sign)));
    let (index, factor) = match (coefficient, number) {
        (_, Some(Some(factor))) => (index, factor),
        (Some(c), _) => (index * c, sign),
        (None, _) => (index, sign),
    };
    match (index.op(), index.args(), factor.checked_neg()) {
        (Op::Neg, [inner], Some(opposite)) => (inner.clone(), opposite),
        _ => (index, factor),
    }
}

/// The numerator and the denominator of an index that a sum determines.
struct Quotient {
    numerator: Expr,
    /// The divisor. `None` means 1.
    denominator: Option<Expr>,
}

impl Quotient {
    fn value(&self) -> Expr {
        match &self.denominator {
            None => self.numerator.clone(),
            Some(denominator) => self.numerator.floor_div(denominator),
        }
    }
}

impl State {
    /// If exactly one index of a sum is open (not yet known), solves it. Does nothing if several indices are open.
    pub(super) fn follow_sum(&mut self, flow: u32, queue: &mut VecDeque<u32>) -> Result<(), Fault> {
        let layout = self.layout.clone();
        if self.direction(flow).is_some() {
            return Ok(());
        }
        let mut open = self.open_digits(&layout, flow);
        match (open.next(), open.next()) {
            (Some((side, digit)), None) => {
                drop(open);
                let value = self.quotient(flow, side, digit)?.value();
                self.direct(flow, if side == 0 { Direction::Backward } else { Direction::Forward });
                self.solve(digit.dim, value, Source::Flow(flow), queue);
                Ok(())
            }
            (Some(_), Some(_)) => Ok(()),
            (None, _) => Err(Fault::Conflict(flow)),
        }
    }

    /// The digits of a sum whose index is open, each with its side.
    fn open_digits<'l>(&self, layout: &'l Layout, flow: u32) -> impl Iterator<Item = (usize, &'l Digit)> {
        let sides = layout.flows[flow as usize].sides.iter().enumerate();
        let digits = sides.flat_map(|(side, s)| s.digits.iter().map(move |digit| (side, digit)));
        digits.filter(|(_, digit)| self.index[digit.dim as usize].is_none())
    }

    /// Of the sums that are solved only when an index is read, the sums with exactly one open index.
    fn ready_sums(&self) -> impl Iterator<Item = u32> {
        let ready = |&flow: &u32| self.is_active(flow) && self.open_digits(&self.layout, flow).count() == 1;
        self.layout.late_sums.iter().copied().filter(ready)
    }

    pub(super) fn has_late_sum(&self) -> bool {
        self.ready_sums().next().is_some()
    }

    /// Solves the sums of `ready_sums`, each at most once, and all indices that follow from them. Skips a sum that
    /// contradicts other indices.
    pub(super) fn follow_late_sums(&mut self) {
        let mut failed = FxHashSet::default();
        let next = |state: &State, failed: &FxHashSet<u32>| state.ready_sums().find(|flow| !failed.contains(flow));
        while let Some(flow) = next(self, &failed) {
            let mark = self.mark();
            let mut queue = VecDeque::new();
            let followed = self.follow_sum(flow, &mut queue);
            if followed.and_then(|()| self.propagate(queue)).is_err() {
                self.rewind(mark);
                failed.insert(flow);
            }
        }
    }

    /// The index of a digit as a quotient of the other indices of its sum, which are all known.
    fn quotient(&self, flow: u32, side: usize, digit: &Digit) -> Result<Quotient, Fault> {
        let numerator = self.difference(flow, side, Some(digit.dim));
        let Some(coefficient) = &digit.stride else { return Ok(Quotient { numerator, denominator: None }) };
        match (coefficient.as_const(), self.is_positive(coefficient)) {
            (Some(-1), _) => Ok(Quotient { numerator: -numerator, denominator: None }),
            (_, Some(true)) => Ok(Quotient { numerator, denominator: Some(coefficient.clone()) }),
            (c, Some(false)) => {
                let denominator = c.and_then(i64::checked_neg).map_or(-coefficient, int);
                Ok(Quotient { numerator: -numerator, denominator: Some(denominator) })
            }
            _ => Err(Fault::Sign(flow, digit.dim, coefficient.clone())),
        }
    }

    /// Whether `value` is proved to be at least 1 (`Some(true)`) or proved to be at most -1 (`Some(false)`).
    fn is_positive(&self, value: &Expr) -> Option<bool> {
        let range = self.interval(value);
        match (range.lo(), range.hi()) {
            (Some(1..), _) => Some(true),
            (_, Some(..=-1)) => Some(false),
            _ => {
                let mut facts = shared().facts(&self.domain());
                let mut holds = |condition: Expr| matches!(facts.prove(&condition), Ok(Some(true)));
                if holds(value.ge(1)) { Some(true) } else { holds(value.le(-1)).then_some(false) }
            }
        }
    }

    /// The sum of the other side minus the sum of this side. The term of the dimension `without` is left out.
    fn difference(&self, flow: u32, side: usize, without: Option<u32>) -> Expr {
        let Flow { sides, sum, .. } = &self.layout.flows[flow as usize];
        let mut terms = vec![];
        for at in [1 - side, side] {
            let sign = if at == side { -1 } else { 1 };
            for digit in sides[at].digits.iter().filter(|digit| Some(digit.dim) != without) {
                if let Some((index, _)) = &self.index[digit.dim as usize] {
                    terms.push(scaled(index.clone(), digit.stride.as_ref(), sign));
                }
            }
        }
        let sign = if side == 0 { 1 } else { -1 };
        terms.extend(sum.iter().map(|sum| scaled(sum.constant.clone(), None, sign)));
        written(terms)
    }

    fn interval(&self, value: &Expr) -> Interval {
        let dag = Dag::new(std::slice::from_ref(value));
        let known = |name: &str| self.ranges.get(name).copied().unwrap_or(Interval::ALL);
        intervals_of(&dag, known)[dag.roots()[0] as usize]
    }
}

impl Indices {
    /// Pairs of an expression and its exclusive upper bound. If all bounds hold, the equation holds and the index that
    /// it determines is valid.
    pub(super) fn sum_limits(&self, flow: u32) -> Vec<(Expr, Expr)> {
        let Flow { sides, .. } = &self.layout().flows[flow as usize];
        let mut limits = vec![];
        let mut below = |index: Expr, end: Expr| {
            let (index_range, end_range) = (self.state.interval(&index), self.state.interval(&end));
            if !matches!((index_range.hi(), end_range.lo()), (Some(most), Some(least)) if most < least) {
                limits.push((index, end));
            }
        };
        let side = match self.state.direction(flow) {
            Some(Direction::Backward) => 0,
            Some(Direction::Forward) => 1,
            None => {
                let is_known = |digit: &Digit| self.state.index[digit.dim as usize].is_some();
                if sides.iter().flat_map(|side| &side.digits).all(is_known) {
                    let rest = self.state.difference(flow, 0, None);
                    below(-&rest, int(1));
                    below(rest, int(1));
                }
                return limits;
            }
        };
        let solved = |digit: &&Digit| matches!(&self.state.index[digit.dim as usize], Some((_, Source::Flow(by))) if *by == flow);
        let Some(digit) = sides[side].digits.iter().find(solved) else { return limits };
        let Ok(quotient) = self.state.quotient(flow, side, digit) else { return limits };
        let value = quotient.value();
        below(-&value, int(1));
        below(value, digit.size.clone());
        if let Some(denominator) = quotient.denominator {
            below(quotient.numerator.floor_mod(denominator), int(1));
        }
        limits
    }
}

/// The condition `index < end`. If `index` is a negation and `end` is 1, the condition says that the negated expression
/// is not negative.
pub(super) fn below(index: &Expr, end: &Expr) -> Expr {
    not_negative(index, end).map_or_else(|| index.lt(end), |inner| int(0).le(inner))
}

/// The expression whose sign decides the condition `index < end`: the condition holds if the expression is not
/// negative. `None` if the condition has another form.
pub(super) fn not_negative<'e>(index: &'e Expr, end: &Expr) -> Option<&'e Expr> {
    match (index.op(), index.args(), end.as_const()) {
        (Op::Neg, [inner], Some(1)) => Some(inner),
        _ => None,
    }
}
