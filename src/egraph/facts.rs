//! What an e-class knows of its value, and how facts flow from operands to results.

use super::lin::Lin;
use super::node::{Head, Node};
use super::price;
use super::rows::Rows;
use crate::cost::CostModel;
use crate::domain::{Congruence, Interval};
use egg::{Analysis, DidMerge, EGraph, Id};
use smallvec::SmallVec;
use std::cell::OnceCell;
use std::rc::Rc;
use std::sync::Arc;

/// Alternative spellings kept per class next to the canonical one; without a bound some real kernels run away, and
/// three sufficed in the measurements that shaped this engine.
pub(crate) const MAX_FORMS: usize = 3;

/// How often the range of a class may shrink. Where a class is part of itself, each look at it may take one more off its
/// end, from 2^31 down; a class that became one number says so at any time.
const MAX_NARROWINGS: u8 = 64;

/// A spelling of a class as a linear combination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Form {
    /// What it costs; lower is better.
    pub(crate) rank: u32,
    /// How far apart the ends of its range are, as its terms tell; `u64::MAX` when an end is open.
    pub(crate) width: u64,
    pub(crate) lin: Rc<Lin>,
}

/// The data of an e-class. All facts hold at every point of the domain, and those of all members are intersected.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) interval: Interval,
    pub(crate) congruence: Congruence,
    /// Bits that are 0 in every value (two's complement, sign included); kept for bit operations only.
    pub(crate) zeros: u64,
    /// Size of the smallest operation in the class, `u32::MAX` when it has sums only. See [`Facts::canon`].
    pub(crate) weight: u32,
    /// The linear combination that every sum writes in place of this class; `None`: the class is an atom.
    ///
    /// Its terms weigh less than the class, so that replacing classes by their combinations terminates.
    canon: Option<(u32, Rc<Lin>)>,
    /// Other spellings, cheapest first, at most [`MAX_FORMS`].
    pub(crate) forms: SmallVec<[Form; 2]>,
    /// The class as a combination of its own, kept because it is asked for all the time.
    atom: OnceCell<Rc<Lin>>,
    /// Which heads occur among the nodes: bit `Head as u32`.
    pub(crate) heads: u32,
    /// The variables that the value depends on where nothing is assumed, as [`var_bit`]s; there may be fewer.
    pub(crate) vars: u64,
    /// Cost of the cheapest operation in the class, without its operands.
    pub(crate) atom_cost: u32,
    /// Changes so far, to know which nodes have to be looked at again.
    pub(crate) version: u32,
    /// Changes of the range so far, see [`MAX_NARROWINGS`].
    narrowings: u8,
}

impl Facts {
    pub(crate) fn canon(&self) -> Option<&Rc<Lin>> {
        self.canon.as_ref().map(|c| &c.1)
    }

    /// `1 * id`, where `id` is the class of these facts.
    pub(crate) fn as_atom(&self, id: Id) -> Rc<Lin> {
        let known = self.atom.get_or_init(|| Rc::new(Lin::atom(id)));
        // merged classes keep one of two ids
        if known.terms() == [id] { known.clone() } else { Rc::new(Lin::atom(id)) }
    }

    pub(crate) fn constant(&self) -> Option<i64> {
        self.interval.as_point()
    }

    /// Whether some node of the class has this head.
    pub(crate) fn has(&self, head: Head) -> bool {
        self.heads & (1 << head as u32) != 0
    }

    /// Whether the class is a variable and nothing else: no rule is about it.
    pub(crate) fn is_leaf(&self) -> bool {
        self.heads == 1 << Head::Var as u32 && self.canon.is_none() && self.forms.is_empty()
    }

    /// Whether every value is 0 or 1.
    pub(crate) fn is_bool(&self) -> bool {
        self.interval.within(0, 1)
    }

    fn unknown() -> Facts {
        Facts {
            interval: Interval::ALL,
            congruence: Congruence::ANY,
            zeros: 0,
            weight: u32::MAX,
            canon: None,
            forms: SmallVec::new(),
            atom: OnceCell::new(),
            heads: 0,
            vars: 0,
            atom_cost: u32::MAX,
            version: 0,
            narrowings: 0,
        }
    }

    fn exact(c: i64) -> Facts {
        Facts {
            interval: Interval::point(c),
            congruence: Congruence::point(c),
            zeros: !(c as u64),
            weight: NODE,
            canon: Some((0, Rc::new(Lin::constant(c)))),
            atom_cost: 0,
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
            self.canon = Some((0, Rc::new(Lin::constant(c))));
        }
        let news = before != (self.interval, self.congruence);
        self.narrowings += u8::from(news && !narrowed_enough);
        news
    }

    /// Offers `lin`, whose terms weigh at most `weight`, as the canonical combination; answers whether it was taken.
    pub(crate) fn offer_canon(&mut self, weight: u32, lin: &Rc<Lin>) -> bool {
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
    pub(crate) fn offer_form(&mut self, form: Form, most: usize) -> bool {
        if self.forms.iter().any(|f| f.lin == form.lin) {
            return false;
        }
        let lin = form.lin.clone();
        let at = self.forms.partition_point(|f| (f.rank, &f.lin) < (form.rank, &form.lin));
        self.forms.insert(at, form);
        if self.forms.len() > most {
            let tightest = (0..self.forms.len()).min_by_key(|&i| (self.forms[i].width, i));
            let last = self.forms.len() - 1;
            self.forms.remove(if tightest == Some(last) { last - 1 } else { last });
        }
        self.forms.iter().any(|f| f.lin == lin)
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

/// What egg keeps per class: where its facts stand in [`FactFlow`].
///
/// Facts are read all the time, and a vector answers faster than egg's table of classes, which also moves everything it
/// holds as it grows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    Class(Id),
    /// Facts made anew from a node, about to be merged into a class.
    Remade,
}

/// What the analysis needs to know and collects.
pub(crate) struct FactFlow {
    pub(crate) vars: Vec<(Interval, Congruence)>,
    /// By id of the class; those of merged classes are void.
    facts: Vec<Facts>,
    remade: Option<Facts>,
    /// Whether a merge told a class what it did not know; whoever asks sets it back.
    pub(crate) news: bool,
    /// The heads of all nodes ever made, as bits.
    pub(crate) heads: u32,
    /// Counts changes of any class: what was derived from the graph is fresh while this stands still.
    pub(crate) epoch: u64,
    /// Classes that are new or changed since the last time this was taken.
    pub(crate) dirty: Vec<Id>,
    /// Linear facts of the context that this e-graph is for; see [`super::assume`].
    pub(crate) rows: Rows,
    pub(crate) model: Arc<dyn CostModel>,
}

pub(crate) type Graph = EGraph<Node, FactFlow>;

impl FactFlow {
    pub(crate) fn new(vars: Vec<(Interval, Congruence)>, model: Arc<dyn CostModel>) -> FactFlow {
        FactFlow {
            vars,
            facts: Vec::with_capacity(64),
            remade: None,
            news: false,
            heads: 0,
            epoch: 0,
            dirty: Vec::new(),
            rows: Rows::default(),
            model,
        }
    }
}

/// Variable `v` in a set of variables; from the 65th on several share a bit.
pub(crate) fn var_bit(v: u32) -> u64 {
    1u64.rotate_left(v)
}

/// What is known of a class.
#[inline]
pub(crate) fn facts(graph: &Graph, id: Id) -> &Facts {
    &graph.analysis.facts[usize::from(graph.find(id))]
}

/// What is known of a class whose id is current and stands for no combination; `None` for any other id.
#[inline]
pub(crate) fn atom_facts(graph: &Graph, id: Id) -> Option<&Facts> {
    let known = &graph.analysis.facts[usize::from(id)];
    (known.canon.is_none() && graph.find(id) == id).then_some(known)
}

#[inline]
pub(crate) fn facts_mut(graph: &mut Graph, id: Id) -> &mut Facts {
    let id = graph.find(id);
    &mut graph.analysis.facts[usize::from(id)]
}

/// Interval and congruence of a linear combination.
pub(crate) fn lin_facts(graph: &Graph, lin: &Lin) -> (Interval, Congruence) {
    let mut i = Interval::point(lin.constant);
    let mut c = Congruence::point(lin.constant);
    for (f, id) in lin.iter() {
        let d = facts(graph, id);
        i = i.plus(d.interval.scaled(f));
        if c != Congruence::ANY {
            c = c.plus(d.congruence.scaled(f));
        }
    }
    let i = graph.analysis.rows.range(graph, lin, i).unwrap_or(i);
    (c.tighten(i).unwrap_or(i), c)
}

/// Weight of one node. Bits of coefficients count one each, so that of two divisions of the same shape the one with
/// smaller numbers is lighter, and the other is replaced by it.
const NODE: u32 = 256;

pub(crate) fn lin_weight(graph: &Graph, lin: &Lin) -> u32 {
    let bits = |c: i64| 64 - c.unsigned_abs().leading_zeros();
    lin.iter().fold(NODE + bits(lin.constant), |w, (c, t)| {
        w.saturating_add(facts(graph, t).weight.min(1 << 30)).saturating_add(bits(c) - 1)
    })
}

fn weight_of(graph: &Graph, id: Id) -> u32 {
    let d = facts(graph, id);
    match d.canon() {
        Some(l) if d.weight == u32::MAX => lin_weight(graph, l),
        _ => d.weight.min(1 << 30),
    }
}

impl Facts {
    /// What a node says of its value.
    fn of(g: &Graph, node: &Node) -> Facts {
        let at = |id: &Id| facts(g, *id);
        let mut f = Facts::unknown();
        let mut interval;
        let mut congruence = Congruence::ANY;
        match node {
            Node::Const(c) => return Facts { heads: 1 << Head::Const as u32, ..Facts::exact(*c) },
            Node::Var(v) => {
                (interval, congruence) = g.analysis.vars[*v as usize];
                f.vars = var_bit(*v);
            }
            Node::Sum(lin) => {
                (interval, congruence) = lin_facts(g, lin);
                let heaviest = lin.terms().iter().map(|t| at(t).weight.min(1 << 30)).max().unwrap_or(0);
                f.canon = Some((heaviest, lin.clone()));
            }
            Node::Product(x) => {
                interval = Interval::point(1);
                congruence = Congruence::point(1);
                for id in x {
                    interval = interval.times(at(id).interval);
                    congruence = congruence.times(at(id).congruence);
                }
                if x.windows(2).all(|w| w[0] == w[1]) && floor_even(x.len()) {
                    interval = interval.meet(Interval::new(0, i64::MAX).unwrap_or(Interval::ALL)).unwrap_or(interval);
                }
            }
            Node::Div([a, b]) => {
                interval = at(a).interval.floor_div(at(b).interval).unwrap_or(Interval::ALL);
                if let Some(c) = at(b).constant().filter(|c| *c > 0) {
                    congruence = at(a).congruence.floor_div(c);
                }
            }
            Node::Mod([a, b]) => {
                interval = at(a).interval.floor_mod(at(b).interval).unwrap_or(Interval::ALL);
                // a - b*q keeps every common modulus of a and b
                congruence = at(a).congruence.plus(at(b).congruence.times(Congruence::ANY));
            }
            Node::Min([a, b]) => {
                interval = at(a).interval.min(at(b).interval);
                congruence = at(a).congruence.join(at(b).congruence);
            }
            Node::Max([a, b]) => {
                interval = at(a).interval.max(at(b).interval);
                congruence = at(a).congruence.join(at(b).congruence);
            }
            Node::Select([c, a, b]) => {
                let (a, b) = (at(a), at(b));
                (interval, congruence) = match at(c).interval {
                    i if i.as_point() == Some(0) => (b.interval, b.congruence),
                    i if !i.contains(0) => (a.interval, a.congruence),
                    _ => (a.interval.hull(b.interval), a.congruence.join(b.congruence)),
                };
            }
            Node::NonNeg([x]) => {
                let x = at(x).interval;
                interval = Interval::BOOL;
                if x.is_nonneg() {
                    interval = Interval::point(1);
                } else if x.hi().is_some_and(|h| h < 0) {
                    interval = Interval::point(0);
                }
            }
            Node::Zero([x]) => {
                let x = at(x);
                interval = Interval::BOOL;
                if x.constant() == Some(0) {
                    interval = Interval::point(1);
                } else if !x.interval.contains(0) || !x.congruence.contains(0) {
                    interval = Interval::point(0);
                }
            }
            Node::Not([x]) => {
                interval = Interval::BOOL;
                if at(x).constant() == Some(0) {
                    interval = Interval::point(1);
                } else if !at(x).interval.contains(0) {
                    interval = Interval::point(0);
                }
            }
            Node::And(x) => {
                interval = Interval::BOOL;
                if x.iter().any(|i| at(i).constant() == Some(0)) {
                    interval = Interval::point(0);
                } else if x.iter().all(|i| !at(i).interval.contains(0)) {
                    interval = Interval::point(1);
                }
            }
            Node::Or(x) => {
                interval = Interval::BOOL;
                if x.iter().any(|i| !at(i).interval.contains(0)) {
                    interval = Interval::point(1);
                } else if x.iter().all(|i| at(i).constant() == Some(0)) {
                    interval = Interval::point(0);
                }
            }
            Node::BitAnd([a, b]) => {
                let (a, b) = (at(a), at(b));
                interval = a.interval.bit_and(b.interval);
                f.zeros = a.zero_bits() | b.zero_bits();
            }
            Node::BitOr([a, b]) => {
                let (a, b) = (at(a), at(b));
                interval = a.interval.bit_or(b.interval);
                f.zeros = a.zero_bits() & b.zero_bits();
            }
            Node::BitXor([a, b]) => {
                let (a, b) = (at(a), at(b));
                interval = a.interval.bit_xor(b.interval);
                f.zeros = a.zero_bits() & b.zero_bits();
            }
            Node::Shl([a, b]) => interval = at(a).interval.shift_left(at(b).interval),
            Node::Shr([a, b]) => interval = at(a).interval.shift_right(at(b).interval),
        }
        if f.zeros & 1 != 0 {
            congruence =
                congruence.meet(Congruence::new(1i64 << f.zeros.trailing_ones().min(62), 0)).unwrap_or(congruence);
        }
        if !matches!(node, Node::Sum(_)) {
            let range = |id: Id| at(&id).interval;
            f.atom_cost = price::operation(node, &range, false).map_or(0, |o| g.analysis.model.price(&o));
            f.weight = egg::Language::children(node)
                .iter()
                .fold(NODE, |w, &c| w.saturating_add(weight_of(g, c)))
                .saturating_add(if matches!(node, Node::Mod(_) | Node::Product(_)) { NODE } else { 0 })
                .min(1 << 30);
        }
        f.heads = 1 << node.head() as u32;
        f.vars |= egg::Language::children(node).iter().fold(0, |vars, c| vars | at(c).vars);
        f.restrict(interval, congruence);
        f
    }

    /// Intersects the facts of two classes that are equal.
    fn merge(&mut self, b: Facts) -> DidMerge {
        let a = self;
        let differs = |x: &Facts, y: &Facts| {
            x.interval != y.interval || x.congruence != y.congruence || x.zeros != y.zeros || x.canon != y.canon
        };
        let old = (a.interval, a.congruence, a.zeros, a.canon.clone());
        a.zeros |= b.zeros;
        a.heads |= b.heads;
        a.vars &= b.vars;
        a.weight = a.weight.min(b.weight);
        a.atom_cost = a.atom_cost.min(b.atom_cost);
        let canons = [a.canon.clone(), b.canon.clone()];
        if a.canon.as_ref().is_some_and(|c| c.0 >= a.weight) {
            a.canon = None;
        }
        if let Some((w, lin)) = &b.canon {
            a.offer_canon(*w, lin);
        }
        // a combination that does not fit below the smaller weight, or is not the better one, lives on as a form
        for (_, lin) in canons.into_iter().flatten() {
            if a.canon().is_none_or(|c| *c != lin) {
                // ranked as if every term were a product: the engine ranks it anew when it next looks at the class
                a.offer_form(Form { rank: 10 * lin.len() as u32, width: u64::MAX, lin }, MAX_FORMS);
            }
        }
        for f in &b.forms {
            a.offer_form(f.clone(), MAX_FORMS);
        }
        a.restrict(b.interval, b.congruence);
        a.narrowings = a.narrowings.max(b.narrowings);
        a.version = a.version.max(b.version) + 1;
        DidMerge(old != (a.interval, a.congruence, a.zeros, a.canon.clone()), differs(a, &b))
    }
}

impl Analysis<Node> for FactFlow {
    type Data = Place;

    fn make(graph: &mut Graph, node: &Node, id: Id) -> Place {
        let made = Facts::of(graph, node);
        debug_assert_eq!(graph.analysis.facts.len(), usize::from(id));
        graph.analysis.heads |= made.heads;
        graph.analysis.facts.push(made);
        Place::Class(id)
    }

    fn remake(graph: &mut Graph, node: &Node, _: Id) -> Place {
        graph.analysis.remade = Some(Facts::of(graph, node));
        Place::Remade
    }

    fn merge(&mut self, a: &mut Place, b: Place) -> DidMerge {
        let other = match b {
            Place::Class(id) => Some(std::mem::replace(&mut self.facts[usize::from(id)], Facts::unknown())),
            Place::Remade => self.remade.take(),
        };
        let merged = match (*a, other) {
            (Place::Class(id), Some(other)) => self.facts[usize::from(id)].merge(other),
            // egg merges into classes only, and never merges what it remade twice
            _ => DidMerge(false, false),
        };
        self.news |= merged.0;
        merged
    }

    fn modify(graph: &mut Graph, id: Id) {
        facts_mut(graph, id).version += 1;
        graph.analysis.epoch += 1;
        graph.analysis.dirty.push(id);
    }
}

fn floor_even(n: usize) -> bool {
    n & 1 == 0
}
