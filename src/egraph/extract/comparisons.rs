//! Makes the candidates that compare a sum with 0.
//!
//! The terms of the sum are divided between two sides. Each side is a sum of its own, and a place of the and-or graph.
//! Comparisons of one sum with several constants share this place with all other users of the sum.

use super::choices::NEVER;
use super::fused::cleared_terms;
use super::loops::terms_of;
use super::offset_sums::{OffsetSums, Reading};
use super::operations::{Builder, OffsetComparison, Role, Write};
use crate::cost::{Cost, Operation};
use crate::domain::Interval;
use crate::egraph::analysis::form_facts::range_by_terms;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Node, Relation};
use crate::egraph::language::price::is_wide;
use crate::egraph::normal::spellings::spellings;
use crate::expr::Op;
use egg::Id;
use smallvec::SmallVec;
use std::rc::Rc;

/// A comparison, with its two sides as the expression has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Comparison {
    pub(crate) op: Op,
    pub(crate) left: LinearForm,
    pub(crate) right: LinearForm,
}

impl Comparison {
    /// The comparison of `lin` with 0. Positive terms are on the left, and negated negative terms are on the right. The
    /// constant is on the side where it saves an addition.
    pub(crate) fn by_sign(lin: &LinearForm, relation: Relation) -> Comparison {
        let (to_the_right, constant_left) = sides(lin, relation);
        let [mut left, mut right] = [LinearForm::default(), LinearForm::default()];
        for ((c, t), to_the_right) in lin.iter().zip(to_the_right) {
            // a coefficient i64::MIN stays on the left
            if to_the_right { right.push(t, -c) } else { left.push(t, c) }
        }
        let k = lin.constant;
        if left.is_constant() {
            let (op, bound) = at_most(k, relation);
            return Comparison { op, left: right, right: LinearForm::constant(bound) };
        }
        // `x + 3 < n` and not `n >= x + 4`, because `x + 3` is the last index and has the smaller constant
        if k < 0 && relation == Relation::NonNegative && !right.is_constant() {
            if constant_left {
                left.constant = k + 1
            } else {
                right.constant = -(k + 1)
            }
            return Comparison { op: Op::Lt, left: right, right: left };
        }
        match k.checked_neg().filter(|_| !constant_left) {
            Some(other_side) => right.constant = other_side,
            None => left.constant = k,
        }
        Comparison { op: op(relation), left, right }
    }

    /// All terms of `lin` compared with its constant. The first coefficient is positive. `None` if a number cannot be
    /// negated.
    fn with_constant(lin: &LinearForm, relation: Relation) -> Option<Comparison> {
        let flipped = lin.coeffs().first().is_some_and(|&c| c < 0);
        let left = lin.terms_only();
        let left = if flipped { left.scaled(-1)? } else { left };
        let (op, bound) = against(lin.constant, flipped, relation)?;
        Some(Comparison { op, left, right: LinearForm::constant(bound) })
    }

    /// The terms that are computed `often` on the left, and all other terms and the constant on the right. `None` if a
    /// number cannot be negated.
    fn hoisted(lin: &LinearForm, relation: Relation, often: &[bool]) -> Option<Comparison> {
        let flipped = lin.iter().zip(often).filter(|(_, often)| **often).all(|((c, _), _)| c < 0);
        let [mut left, mut right] = [LinearForm::default(), LinearForm::default()];
        for ((c, t), &often) in lin.iter().zip(often) {
            let c = if often == flipped { c.checked_neg()? } else { c };
            if often { left.push(t, c) } else { right.push(t, c) }
        }
        // L + R + k >= 0 is written as L >= -R - k, or as -L <= R + k if flipped. The comparison is strict if that
        // removes the constant
        let k = if flipped { lin.constant } else { lin.constant.checked_neg()? };
        let (op, k) = match (relation, flipped) {
            (Relation::Zero, _) => (Op::Eq, k),
            (Relation::NonNegative, false) if k == 1 => (Op::Gt, 0),
            (Relation::NonNegative, false) => (Op::Ge, k),
            (Relation::NonNegative, true) if k == -1 => (Op::Lt, 0),
            (Relation::NonNegative, true) => (Op::Le, k),
        };
        right.constant = k;
        Some(Comparison { op, left, right })
    }
}

fn op(relation: Relation) -> Op {
    match relation {
        Relation::Zero => Op::Eq,
        Relation::NonNegative => Op::Ge,
    }
}

/// The operator and the constant with which `side` is compared, instead of comparing `side + k` (or `k - side` if
/// `flipped`) with 0. For example, `side + 3 >= 0` becomes `side >= -3`. `None` if `k` cannot be negated.
fn against(k: i64, flipped: bool, relation: Relation) -> Option<(Op, i64)> {
    if flipped { Some(at_most(k, relation)) } else { Some((op(relation), k.checked_neg()?)) }
}

/// The operator and the constant with which `side` is compared, instead of comparing `k - side` with 0. For example,
/// `3 - side >= 0` becomes `side < 4`.
fn at_most(k: i64, relation: Relation) -> (Op, i64) {
    match (relation, k.checked_add(1)) {
        (Relation::Zero, _) => (Op::Eq, k),
        (Relation::NonNegative, Some(above)) => (Op::Lt, above),
        (Relation::NonNegative, None) => (Op::Le, k),
    }
}

/// Divides the comparison of `lin` with 0 into two sides. Returns for each term whether it is negated and goes to the
/// right, and whether the constant goes to the left.
fn sides(lin: &LinearForm, relation: Relation) -> (SmallVec<[bool; 8]>, bool) {
    // a coefficient i64::MIN cannot be negated, so it stays on the left
    let mut right: SmallVec<[bool; 8]> = lin.coeffs().iter().map(|&c| c < 0 && c != i64::MIN).collect();
    let plain = |right: &[bool], side: bool| {
        lin.coeffs().iter().zip(right).filter(|(c, r)| c.unsigned_abs() == 1 && **r == side).count()
    };
    let (l, r) = (plain(&right, false), plain(&right, true));
    if right.iter().all(|r| *r) || lin.constant == i64::MIN {
        return (right, lin.constant == i64::MIN && !lin.coeffs().iter().all(|c| *c < 0));
    }
    if lin.constant != 0 && !is_strict(lin, relation) {
        // one machine instruction adds three operands. A plain term has the coefficient 1 or -1. A side with an
        // odd number of plain terms uses all of its additions, so the constant goes to the side with an even number
        let constant_left = r & 1 == 1 && l & 1 == 0 && right.contains(&true);
        return (right, constant_left);
    }
    // a right side with an even number of plain terms takes one more at no cost, even next to a product
    if l > 0
        && l & 1 == 0
        && right.contains(&true)
        && r & 1 == 0
        && let Some(i) = lin.coeffs().iter().position(|c| *c == 1)
    {
        right[i] = true;
    }
    (right, false)
}

/// Whether `lin >= 0` is written as `left > right` without a constant, with each term on the side of its sign.
fn is_strict(lin: &LinearForm, relation: Relation) -> bool {
    relation == Relation::NonNegative
        && lin.constant == -1
        && lin.coeffs().iter().any(|c| *c < 0)
        && lin.coeffs().iter().any(|c| *c > 0)
}

impl Builder<'_> {
    /// Adds the candidates of the class `id` that compare `x` with 0, for `place`.
    pub(super) fn comparisons(&mut self, place: u32, id: Id, x: Id, relation: Relation, out: &mut SmallVec<[u32; 4]>) {
        let mut spellings = spellings(self.e, x);
        // if costs are equal, the first spelling is taken: `x%12 == 2`, and not `x == x//12*12 + 2`
        spellings.sort_by_key(|lin| lin.len());
        for lin in spellings {
            if relation == Relation::Zero && lin.as_atom().is_some_and(|a| self.e.is_condition(a)) {
                self.negation(id, &lin, out);
                continue;
            }
            let by_sides = self.hoisted(&lin, relation).unwrap_or_else(|| Comparison::by_sign(&lin, relation));
            let with_constant = Comparison::with_constant(&lin, relation).filter(|c| *c != by_sides && lin.len() > 1);
            for comparison in [Some(by_sides), with_constant].into_iter().flatten() {
                out.push(self.comparison(id, comparison));
            }
            if lin.len() > 1 {
                self.comparisons.push(OffsetComparison { place, class: id, lin, relation });
            }
        }
    }

    /// Adds the candidate that negates a number which the input uses as a condition.
    fn negation(&mut self, id: Id, lin: &LinearForm, out: &mut SmallVec<[u32; 4]>) {
        for &number in lin.terms() {
            let operand = self.condition(number);
            let price = self.loops.executed(self.e, self.model.price(&Operation::Logic), &[number]);
            out.push(self.push(id, Write::Node(Node::Not([number])), price, SmallVec::from_slice(&[operand]), None));
        }
    }

    /// The comparison of `lin` with 0 that has the most often computed terms on one side and the other terms on the
    /// other side. `None` if all terms are computed equally often.
    fn hoisted(&self, lin: &LinearForm, relation: Relation) -> Option<Comparison> {
        if self.loops.is_empty() {
            return None;
        }
        let (terms, constant) = terms_of(lin, &[]);
        let parts = self.loops.parts(self.e, &terms, constant, false);
        let last = parts.last().filter(|_| parts.len() > 1)?;
        let often: SmallVec<[bool; 8]> =
            lin.terms().iter().map(|&t| self.loops.times(self.e, t) == last.times).collect();
        Comparison::hoisted(lin, relation, &often)
    }

    /// The candidate of the class `id` that computes `comparison`.
    pub(super) fn comparison(&mut self, id: Id, comparison: Comparison) -> u32 {
        let Comparison { op, left, right } = comparison;
        let price = self.comparison_price(&[&left, &right]);
        let is_of_two_values = !left.is_constant() && !right.is_constant();
        let (mut operands, mut constants) = (SmallVec::new(), [None; 2]);
        for (side, constant) in [left, right].into_iter().zip(&mut constants) {
            match side.as_atom() {
                // a truth may be compared with a constant without a conversion to a number
                Some(term) if is_of_two_values => operands.push(self.number(term)),
                Some(term) => operands.push(self.place(term, Role::Operation)),
                None if side.is_constant() => *constant = Some(side.constant),
                None => operands.push(self.side(side)),
            }
        }
        self.push(id, Write::Compare(op, constants), price, operands, None)
    }

    /// The price of a comparison of two sums, without the prices of the sums.
    fn comparison_price(&self, sides: &[&LinearForm]) -> Cost {
        let is_wide = |side: &&LinearForm| is_wide(self.range_of_side(side));
        let price = self.model.price(&Operation::Compare { wide: sides.iter().any(is_wide) });
        if self.loops.is_empty() {
            return price;
        }
        let terms: SmallVec<[Id; 8]> = sides.iter().flat_map(|side| side.terms()).copied().collect();
        self.loops.executed(self.e, price, &terms)
    }

    fn range_of_side(&self, side: &LinearForm) -> Interval {
        match side.as_atom() {
            Some(term) => self.e.facts(term).interval,
            None => range_by_terms(&self.e.graph, side),
        }
    }

    /// The class that computes `sum`, if there is one.
    fn class_of(&self, sum: &Rc<LinearForm>) -> Option<Id> {
        self.e.graph.lookup(Node::Sum(sum.clone()))
    }

    /// The place of a sum that is a side of one or more comparisons.
    fn side(&mut self, side: LinearForm) -> u32 {
        let side = Rc::new(side);
        if let Some(id) = self.class_of(&side) {
            return self.place(id, Role::Any);
        }
        if let Some(&place) = self.sides.get(&side) {
            return place;
        }
        // users come before operands
        let place = self.open_place();
        let mut operands = self.operations(&side);
        let price = self.sum_price(&side, &[], false, &mut operands);
        let plain = self.push(side.terms()[0], Write::Side(side.clone()), price, operands, None);
        let divisors = cleared_terms(self.e, self.model, &side);
        let clearing = divisors.map(|d| self.clearing(side.terms()[0], Write::Side(side.clone()), &side, &d));
        self.graph.choices.places[place as usize] = [plain].into_iter().chain(clearing).collect();
        self.sides.insert(side, place);
        place
    }

    /// Adds comparisons that read an already computed sum with a different constant.
    pub(super) fn compare_offset_sums(&mut self) {
        let comparisons = std::mem::take(&mut self.comparisons);
        if comparisons.is_empty() {
            return;
        }
        let mut sums = OffsetSums::default();
        for &[place, _] in self.ids.iter().filter(|places| places[Role::Any as usize] != NEVER) {
            let mut last: Option<&Rc<LinearForm>> = None;
            for &candidate in &self.graph.choices.places[place as usize] {
                // a sum without a constant is left out, because comparisons of its terms already use it. A sum that
                // clears bits is left out, because the candidate before it has the same linear form
                if let Write::Sum(lin) = &self.graph.writes[candidate as usize].1
                    && lin.constant != 0
                    && last.is_none_or(|l| !Rc::ptr_eq(l, lin))
                {
                    sums.insert(place, lin);
                    last = Some(lin);
                }
            }
        }
        for OffsetComparison { place, class, lin, relation } in comparisons {
            for Reading { place: sum, constant, flipped } in sums.readings(&lin) {
                let Some((op, constant)) = against(constant, flipped, relation) else { continue };
                let price = self.comparison_price(&[&lin, &LinearForm::constant(constant)]);
                let write = Write::Compare(op, [None, Some(constant)]);
                let candidate = self.push(class, write, price, SmallVec::from_slice(&[sum]), None);
                let place = self.kinds.get(&class).map_or(place, |kinds| kinds.truths);
                self.graph.choices.places[place as usize].push(candidate);
            }
        }
    }
}
