//! What an e-class knows of its value.
//!
//! What goes in are the facts that single nodes, rules and assumptions give; what is kept of them is their intersection, and the
//! best few spellings. All of it holds at every point of the domain (and of the context).

use crate::domain::{Congruence, Interval};
use crate::egraph::language::linear_form::LinearForm;
use crate::rules::operator::Operator;
use egg::DidMerge;
use smallvec::SmallVec;
use std::rc::Rc;

/// Alternative spellings kept per class next to the canonical one; without a bound some real kernels run away, and
/// three sufficed in the measurements that shaped this engine.
pub(crate) const MAX_SPELLINGS: usize = 3;
/// The same once late rules are run.
pub(crate) const MAX_LATE_SPELLINGS: usize = 12;

/// How often the range of a class may shrink. Where a class is part of itself, each look at it may take one more off its
/// end, from 2^31 down; a class that became one number says so at any time.
const MAX_NARROWINGS: u8 = 64;

/// A spelling of a class as a linear form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Spelling {
    /// What it costs; lower is better.
    pub(crate) rank: u32,
    /// How far apart the ends of its range are, as its terms tell; `u64::MAX` when an end is open.
    pub(crate) width: u64,
    pub(crate) lin: Rc<LinearForm>,
}

/// The data of an e-class. All facts hold at every point of the domain, and those of all members are intersected.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) interval: Interval,
    pub(crate) congruence: Congruence,
    /// Bits that are 0 in every value (two's complement, sign included); kept for bit operations only.
    pub(crate) zeros: u64,
    /// Size of the smallest operation in the class, `u32::MAX` when it has sums only. See [`Facts::canon`].
    pub(in crate::egraph) weight: u32,
    /// The linear form that every sum writes in place of this class; `None`: the class is an atom.
    ///
    /// Its terms weigh less than the class, so that replacing classes by their linear forms terminates.
    pub(super) canon: Option<(u32, Rc<LinearForm>)>,
    /// Other spellings, cheapest first, at most [`MAX_SPELLINGS`].
    pub(crate) spellings: SmallVec<[Spelling; 2]>,
    /// Which operators occur among the nodes: bit `Operator as u32`.
    pub(crate) operators: u32,
    /// Cost of the cheapest operation in the class, without its operands.
    pub(in crate::egraph) atom_cost: u32,
    /// Changes so far, to know which nodes have to be looked at again.
    pub(in crate::egraph) version: u32,
    /// Changes of the range so far, see [`MAX_NARROWINGS`].
    narrowings: u8,
}

impl Facts {
    pub(crate) fn canon(&self) -> Option<&Rc<LinearForm>> {
        self.canon.as_ref().map(|c| &c.1)
    }

    /// How large the operations are that the canonical form is made of, and how many terms it has.
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

    /// Whether the class is a variable and nothing else: no rule is about it.
    pub(crate) fn is_leaf(&self) -> bool {
        self.operators == 1 << Operator::Var as u32 && self.canon.is_none() && self.spellings.is_empty()
    }

    /// Whether some node of the class is an operation or a variable: the class is a term of canonical forms, unless it is
    /// replaced by one.
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

    /// Makes interval and congruence agree with one another; answers whether anything changed.
    pub(crate) fn restrict(&mut self, interval: Interval, congruence: Congruence) -> bool {
        let before = (self.interval, self.congruence);
        let narrowed_enough = self.narrowings >= MAX_NARROWINGS;
        if narrowed_enough && self.interval.meet(interval).is_none_or(|m| m.as_point().is_none()) {
            return false;
        }
        // An empty meet would mean that the domain has no point (or a rule lied); keep what is known.
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

    /// Offers `lin`, whose terms weigh at most `weight`, as the canonical linear form; answers whether it was taken.
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

    /// Offers a spelling; answers whether it was kept. The cheapest stay, and the one whose terms bound the value
    /// best: the rules about ranges need it, however dear it is.
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

    /// Bits known to be 0, from the mask, the interval and the congruence.
    pub(crate) fn zero_bits(&self) -> u64 {
        let mut z = self.zeros;
        if let (true, Some(hi)) = (self.interval.is_nonneg(), self.interval.hi()) {
            // everything above the highest bit of the greatest value
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
        // a linear form that does not fit below the smaller weight, or is not the better one, lives on as a spelling
        for (_, lin) in canons.into_iter().flatten() {
            if a.canon().is_none_or(|c| *c != lin) {
                // ranked as if every term were a product: the engine ranks it anew when it next looks at the class
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

/// Weight of one node. Bits of coefficients count one each, so that of two divisions of the same shape the one with
/// smaller numbers is lighter, and the other is replaced by it.
pub(super) const NODE: u32 = 256;
/// Heavier is no different: operands used again and again weigh more than any number holds.
pub(super) const MAX_WEIGHT: u32 = 1 << 30;
