//! The facts about the values of an e-class: interval, congruence, zero bits and spellings.
//!
//! The input is the facts that single nodes, rules and assumptions give. A class keeps their intersection and the best
//! few spellings. All facts hold at every point of the domain (and of the context).

use crate::domain::{Congruence, Interval};
use crate::egraph::language::linear_form::LinearForm;
use crate::rules::operator::Operator;
use egg::DidMerge;
use smallvec::SmallVec;
use std::rc::Rc;

/// The maximum number of spellings that a class keeps besides its canonical form. Without a bound, the e-graphs of some
/// real kernels grow without end. Three spellings sufficed in the measurements for this engine.
pub(crate) const MAX_SPELLINGS: usize = 3;
/// The maximum number of spellings that a class keeps when late rules run.
pub(crate) const MAX_LATE_SPELLINGS: usize = 12;

/// The maximum number of times that the range or the congruence of a class may change. If a class is its own operand,
/// directly or through others, each visit may lower the end of its range by one, from 2^31 down. A range may still
/// shrink to a single number after that.
const MAX_NARROWINGS: u8 = 64;

/// A spelling of a class as a linear form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// The cost of the spelling: its sum and the operations that are its terms. Lower is better.
    pub(crate) rank: u32,
    /// The width of the range of the sum, by the ranges of its terms. `u64::MAX` if an end is open.
    pub(crate) width: u64,
    pub(crate) lin: Rc<LinearForm>,
}

/// The data of an e-class. All facts hold at every point of the domain. The facts of all members are intersected.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) interval: Interval,
    pub(crate) congruence: Congruence,
    /// Bits that are 0 in every value (two's complement, sign included). Kept for bit operations only.
    pub(crate) zeros: u64,
    /// The weight of the lightest operation in the class, see [`Facts::canon`]. `u32::MAX` if the class has only sums.
    pub(in crate::egraph) weight: u32,
    /// The linear form that replaces this class in every sum. `None` if the class is an atom.
    ///
    /// The terms of this linear form weigh less than the class. So replacing classes by their linear forms terminates.
    pub(super) canon: Option<(u32, Rc<LinearForm>)>,
    /// Other spellings, cheapest first. There are at most [`MAX_SPELLINGS`], and more only after late rules.
    pub(crate) spellings: SmallVec<[Spelling; 2]>,
    /// The operators of the nodes of the class. An operator sets the bit with the number `Operator as u32`.
    pub(crate) operators: u32,
    /// Cost of the cheapest operation in the class, without its operands.
    pub(in crate::egraph) atom_cost: u32,
    /// The number of changes of these facts so far. It shows which nodes must be visited again.
    pub(in crate::egraph) version: u32,
    /// The number of times that the range or the congruence has changed, see [`MAX_NARROWINGS`].
    narrowings: u8,
}

impl Facts {
    pub(crate) fn canon(&self) -> Option<&Rc<LinearForm>> {
        self.canon.as_ref().map(|c| &c.1)
    }

    /// The weight of the heaviest operation in the canonical form, and the number of its terms.
    pub(crate) fn nesting(&self) -> (u32, usize) {
        self.canon.as_ref().map_or((self.weight, 1), |(weight, lin)| (*weight, lin.len()))
    }

    pub(crate) fn constant(&self) -> Option<i64> {
        self.interval.as_point()
    }

    /// Whether some node of the class has this operator.
    pub(crate) fn has(&self, operator: Operator) -> bool {
        self.operators & (1 << operator as u32) != 0
    }

    /// Whether the class is only a variable. No rule applies to such a class.
    pub(crate) fn is_leaf(&self) -> bool {
        self.operators == 1 << Operator::Var as u32 && self.canon.is_none() && self.spellings.is_empty()
    }

    /// Whether some node of the class is an operation or a variable. Such a class can be a term of a canonical form,
    /// unless it has a canonical form itself, which then replaces it.
    pub(crate) fn has_operation(&self) -> bool {
        self.weight != u32::MAX
    }

    /// Whether every value is 0 or 1.
    pub(crate) fn is_bool(&self) -> bool {
        self.interval.within(0, 1)
    }

    pub(super) fn unknown() -> Facts {
        Facts {
            interval: Interval::ALL,
            congruence: Congruence::ANY,
            zeros: 0,
            weight: u32::MAX,
            canon: None,
            spellings: SmallVec::new(),
            operators: 0,
            atom_cost: u32::MAX,
            version: 0,
            narrowings: 0,
        }
    }

    pub(super) fn exact(c: i64) -> Facts {
        Facts {
            interval: Interval::point(c),
            congruence: Congruence::point(c),
            zeros: !(c as u64),
            weight: NODE,
            canon: Some((0, Rc::new(LinearForm::constant(c)))),
            atom_cost: 0,
            operators: 1 << Operator::Const as u32,
            ..Facts::unknown()
        }
    }

    /// Intersects the facts with `interval` and `congruence`, and moves the ends of the range to values of the
    /// congruence. Returns whether a fact changed.
    pub(crate) fn restrict(&mut self, interval: Interval, congruence: Congruence) -> bool {
        let before = (self.interval, self.congruence);
        let narrowed_enough = self.narrowings >= MAX_NARROWINGS;
        if narrowed_enough && self.interval.meet(interval).is_none_or(|m| m.as_point().is_none()) {
            return false;
        }
        // An empty meet means that the domain has no point, or that a rule is wrong. The old facts stay.
        if let Some(m) = self.interval.meet(interval) {
            self.interval = m;
        }
        if let Some(m) = self.congruence.meet(congruence) {
            self.congruence = m;
        }
        if let Some(m) = self.congruence.tighten(self.interval) {
            self.interval = m;
        }
        if let Some(c) = self.interval.as_point() {
            self.congruence = Congruence::point(c);
            self.canon = Some((0, Rc::new(LinearForm::constant(c))));
        }
        let news = before != (self.interval, self.congruence);
        self.narrowings += u8::from(news && !narrowed_enough);
        news
    }

    /// Offers `lin`, whose terms weigh at most `weight`, as the canonical linear form. Returns whether it was taken.
    pub(crate) fn offer_canon(&mut self, weight: u32, lin: &Rc<LinearForm>) -> bool {
        if weight >= self.weight {
            return false;
        }
        let better = match &self.canon {
            None => true,
            Some((w, old)) => (lin.len(), weight, &**lin) < (old.len(), *w, &**old),
        };
        if better {
            self.canon = Some((weight, lin.clone()));
        }
        better
    }

    /// Offers a spelling and returns whether it was kept. The class keeps its cheapest spellings. It also keeps the
    /// spelling whose terms bound the value best, whatever its cost, because the rules about ranges need it.
    pub(crate) fn offer_spelling(&mut self, spelling: Spelling, most: usize) -> bool {
        if self.spellings.iter().any(|f| f.lin == spelling.lin) {
            return false;
        }
        let lin = spelling.lin.clone();
        let at = self.spellings.partition_point(|f| (f.rank, &f.lin) < (spelling.rank, &spelling.lin));
        self.spellings.insert(at, spelling);
        if self.spellings.len() > most {
            let tightest = (0..self.spellings.len()).min_by_key(|&i| (self.spellings[i].width, i));
            let last = self.spellings.len() - 1;
            self.spellings.remove(if tightest == Some(last) { last - 1 } else { last });
        }
        self.spellings.iter().any(|f| f.lin == lin)
    }

    /// The bits that are 0 in every value, because of the known zero bits, the interval or the congruence.
    pub(crate) fn zero_bits(&self) -> u64 {
        let mut z = self.zeros;
        if let (true, Some(hi)) = (self.interval.is_nonneg(), self.interval.hi()) {
            // all bits above the highest bit of the greatest value
            z |= (!0u64).checked_shl(64 - hi.leading_zeros()).unwrap_or(0);
        }
        let m = self.congruence.modulus();
        if m != 0 {
            let low = (1u64 << m.trailing_zeros()) - 1;
            z |= low & !(self.congruence.residue() as u64);
        }
        z
    }
}

impl Facts {
    /// Intersects the facts of two classes that are equal.
    pub(super) fn merge(&mut self, b: Facts) -> DidMerge {
        let a = self;
        let differs = |x: &Facts, y: &Facts| {
            x.interval != y.interval || x.congruence != y.congruence || x.zeros != y.zeros || x.canon != y.canon
        };
        let old = (a.interval, a.congruence, a.zeros, a.canon.clone());
        a.zeros |= b.zeros;
        a.operators |= b.operators;
        a.weight = a.weight.min(b.weight);
        a.atom_cost = a.atom_cost.min(b.atom_cost);
        let canons = [a.canon.clone(), b.canon.clone()];
        if a.canon.as_ref().is_some_and(|c| c.0 >= a.weight) {
            a.canon = None;
        }
        if let Some((w, lin)) = &b.canon {
            a.offer_canon(*w, lin);
        }
        // the merged class has the smaller of the two weights, and at most one canonical form. A form that is too heavy
        // for this weight, or worse than the other form, becomes a spelling
        for (_, lin) in canons.into_iter().flatten() {
            if a.canon().is_none_or(|c| *c != lin) {
                // ranked as if every term were a product. The engine ranks it again at its next visit of the class
                a.offer_spelling(Spelling { rank: 10 * lin.len() as u32, width: u64::MAX, lin }, MAX_SPELLINGS);
            }
        }
        let most = a.spellings.len().max(b.spellings.len()).max(MAX_SPELLINGS);
        for f in &b.spellings {
            a.offer_spelling(f.clone(), most);
        }
        a.restrict(b.interval, b.congruence);
        a.narrowings = a.narrowings.max(b.narrowings);
        a.version = a.version.max(b.version) + 1;
        DidMerge(old != (a.interval, a.congruence, a.zeros, a.canon.clone()), differs(a, &b))
    }
}

/// Weight of one node, on a scale on which one bit of a coefficient weighs 1. Of two divisions of the same shape, the
/// one with smaller numbers is lighter, and replaces the other one.
pub(super) const NODE: u32 = 256;
/// The greatest weight. Repeatedly nested operands would otherwise exceed the range of the type.
pub(super) const MAX_WEIGHT: u32 = 1 << 30;
