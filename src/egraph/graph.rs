//! Building in the e-graph: normal forms of sums and products are made here, those of conditions in
//! [`conditions`](super::conditions), while a node is created, and nowhere else.

use super::at_once::Decided;
use super::facts::{FactFlow, Facts, Form, Graph, MAX_FORMS, Place, atom_facts, facts, facts_mut, lin_facts};
use super::judgement::Judgement;
use super::lin::{Lin, Terms};
use super::node::{Head, Ids, Node};
use super::price::{sum_is_wide, sum_shape};
use crate::cost::{CostModel, Gpu, Operation};
use crate::domain::{Congruence, Interval, VarFacts, floor_div, floor_mod};
use crate::expr::Expr;
use crate::rules::program::AtOnce;
use egg::{Id, Language};
use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Once};

/// A product of two sums is multiplied out up to this many terms.
const MAX_DISTRIBUTED_TERMS: usize = 16;

/// Terms of sums, and factors of products, that normal forms may have beyond those of the expression: `x % n` is
/// `x - n*(x//n)`, so that of n remainders of one another the last has n terms. Most expressions have none: short sums do
/// not count.
const MAX_REPEATED_TERMS: usize = 10_000;
/// Sums of so many terms do not count.
pub(super) const SHORT_SUM: usize = 16;

/// The spellings of one class.
pub(crate) type Spellings = SmallVec<[Rc<Lin>; 6]>;

/// An e-graph with its normal forms. Methods that compute constants answer `None` when one would leave `i64`.
pub(crate) struct EClasses {
    pub(crate) graph: Graph,
    /// The last answer of [`EClasses::spellings`] and the class and epoch it holds for: rules ask again and again.
    spelled: RefCell<(Id, u64, Spellings)>,
    /// Whether egg has congruences or facts to propagate.
    unsettled: bool,
    /// Classes with more nodes than before and nothing to propagate.
    grown: SmallVec<[Id; 4]>,
    var_ids: Vec<Id>,
    /// What the variables after those of the domain stand for.
    pub(crate) opaque_parts: Vec<Expr>,
    /// Numbers that the input uses as conditions.
    pub(super) conditions: FxHashSet<Id>,
    /// Symbolic inclusive ends per variable, as linear combinations.
    pub(super) symbolic: Vec<(Option<Lin>, Option<Lin>)>,
    /// Whether anything has a symbolic end: without one, proofs have nothing to substitute.
    pub(super) has_ends: bool,
    /// Whether anything was assumed: variables may have to do with one another, and be one class.
    pub(crate) assumed: bool,
    /// Whether writing a remainder found it equal to something that was there; whoever asks sets it back.
    pub(crate) defined: bool,
    /// Why the last node that was made anew is equal to its class, where that needs a reason.
    judgement: Option<Judgement>,
    /// Sums that define a remainder.
    definitions: FxHashSet<Rc<Lin>>,
    /// Terms that normal forms may still repeat.
    terms_left: usize,
    /// Whether something was entered as it is written because its normal form would have repeated more terms than that.
    pub(crate) is_out_of_terms: bool,
    pub(super) at_once: AtOnce,
    pub(super) decided: Option<Decided>,
}

impl EClasses {
    pub(crate) fn new(vars: &[VarFacts], model: Arc<dyn CostModel>) -> EClasses {
        let n = vars.len();
        let vars = vars.iter().map(|v| (v.interval, v.congruence)).collect();
        let mut graph = Graph::new(FactFlow::new(vars, model));
        let var_ids = (0..n).map(|v| graph.add(Node::Var(v as u32))).collect();
        let spelled = RefCell::new((Id::from(0), u64::MAX, Spellings::new()));
        EClasses {
            graph,
            spelled,
            unsettled: false,
            grown: SmallVec::new(),
            var_ids,
            opaque_parts: Vec::new(),
            conditions: FxHashSet::default(),
            symbolic: vec![(None, None); n],
            has_ends: false,
            assumed: false,
            defined: false,
            judgement: None,
            definitions: FxHashSet::default(),
            terms_left: MAX_REPEATED_TERMS,
            is_out_of_terms: false,
            at_once: AtOnce::default(),
            decided: None,
        }
    }

    /// Whether a normal form may repeat `terms` terms, which are counted then.
    pub(crate) fn may_repeat(&mut self, terms: usize) -> bool {
        let left = self.terms_left.checked_sub(terms);
        self.is_out_of_terms |= left.is_none();
        self.terms_left = left.unwrap_or(self.terms_left);
        left.is_some()
    }

    pub(crate) fn var(&self, v: usize) -> Id {
        self.graph.find(self.var_ids[v])
    }

    pub(crate) fn set_symbolic_ends(&mut self, v: usize, lower: Option<Lin>, upper: Option<Lin>) {
        self.has_ends |= lower.is_some() || upper.is_some();
        self.symbolic[v] = (lower, upper);
    }

    /// Whether anything has a symbolic end that proofs may put in its place.
    pub(crate) fn has_ends(&self) -> bool {
        self.has_ends
    }

    pub(crate) fn union(&mut self, a: Id, b: Id) -> bool {
        let [a, b] = [a, b].map(|id| self.graph.find(id));
        let [users, others] = [a, b].map(|id| self.graph[id].parents().len());
        self.graph.analysis.news = false;
        if !self.graph.union(a, b) {
            return false;
        }
        // what nothing is made of can take another id, and what is new of a class nobody uses concerns nobody
        if users.min(others) > 0 || users.max(others) > 0 && self.graph.analysis.news {
            self.unsettled = true;
        } else {
            self.grown.push(a);
        }
        true
    }

    /// Restores congruence. What was only added to is congruent already: nothing is done until two classes merged or
    /// facts were sharpened from outside.
    pub(crate) fn rebuild(&mut self) {
        let grown = std::mem::take(&mut self.grown);
        if std::mem::take(&mut self.unsettled) {
            self.graph.rebuild();
            return;
        }
        for id in grown {
            let nodes = &mut self.graph[id].nodes;
            nodes.sort_unstable();
            nodes.dedup();
        }
    }

    pub(crate) fn facts(&self, id: Id) -> &Facts {
        facts(&self.graph, id)
    }

    pub(crate) fn nodes(&self, id: Id) -> &[Node] {
        &self.graph[id].nodes
    }

    // ---- linear combinations

    fn is_expanded(&self, lin: &Lin) -> bool {
        lin.terms().iter().all(|&t| atom_facts(&self.graph, t).is_some())
    }

    /// Every class that stands for a combination replaced by it: the canonical spelling.
    pub(crate) fn expand<'a>(&self, lin: &'a Lin) -> Option<Cow<'a, Lin>> {
        if self.is_expanded(lin) {
            return Some(Cow::Borrowed(lin));
        }
        let mut constant = lin.constant as i128;
        let mut out = Terms::new();
        let mut todo: Terms = lin.iter().map(|(c, t)| (t, c as i128)).collect();
        while let Some((t, c)) = todo.pop() {
            let t = self.graph.find(t);
            match self.facts(t).canon() {
                None => out.push((t, c)),
                Some(l) => {
                    constant = constant.checked_add(c.checked_mul(l.constant as i128)?)?;
                    for (d, u) in l.iter() {
                        todo.push((u, c.checked_mul(d as i128)?));
                    }
                }
            }
        }
        Lin::from_terms(i64::try_from(constant).ok()?, out).map(Cow::Owned)
    }

    /// Like [`expand`](Self::expand), but classes that have an operation of their own (`x % 8`) stay.
    pub(crate) fn tidy<'a>(&self, lin: &'a Lin) -> Option<Cow<'a, Lin>> {
        let stays = |t: Id| {
            let f = self.facts(t);
            f.canon().is_none() || (f.weight != u32::MAX && f.constant().is_none())
        };
        if lin.terms().iter().all(|&t| atom_facts(&self.graph, t).is_some() || self.graph.find(t) == t && stays(t)) {
            return Some(Cow::Borrowed(lin));
        }
        let mut constant = lin.constant as i128;
        let mut out = Terms::new();
        let mut todo: Terms = lin.iter().map(|(c, t)| (t, c as i128)).collect();
        while let Some((t, c)) = todo.pop() {
            let t = self.graph.find(t);
            match self.facts(t).canon() {
                Some(l) if !stays(t) => {
                    constant = constant.checked_add(c.checked_mul(l.constant as i128)?)?;
                    for (d, u) in l.iter() {
                        todo.push((u, c.checked_mul(d as i128)?));
                    }
                }
                _ => out.push((t, c)),
            }
        }
        Lin::from_terms(i64::try_from(constant).ok()?, out).map(Cow::Owned)
    }

    /// The class of `lin`; when `lin` is not the canonical spelling it is remembered as a form of the class.
    pub(crate) fn class_of(&mut self, lin: &Lin) -> Option<Id> {
        if self.is_expanded(lin) {
            return Some(self.class_of_canonical(lin));
        }
        let lin = self.tidy(lin)?;
        if let Some(id) = lin.as_atom() {
            return Some(id);
        }
        match self.expand(&lin)? {
            Cow::Borrowed(_) => Some(self.class_of_canonical(&lin)),
            Cow::Owned(canonical) => {
                let id = self.class_of_canonical(&canonical);
                if canonical != *lin {
                    self.add_form(id, lin.into_owned());
                }
                Some(id)
            }
        }
    }

    fn class_of_canonical(&mut self, lin: &Lin) -> Id {
        if lin.is_constant() {
            return self.graph.add(Node::Const(lin.constant));
        }
        match lin.as_atom() {
            Some(id) => id,
            None => self.graph.add(Node::Sum(Rc::new(lin.clone()))),
        }
    }

    /// Remembers a spelling of `id` and what it says of the value; answers whether it was new and kept.
    pub(crate) fn add_form(&mut self, id: Id, lin: Lin) -> bool {
        let id = self.graph.find(id);
        if lin.as_atom() == Some(id) || self.facts(id).canon().is_some_and(|c| **c == lin) {
            return false;
        }
        let (interval, congruence) = lin_facts(&self.graph, &lin);
        let rank = self.rank(&lin);
        let data = facts_mut(&mut self.graph, id);
        let known = data.restrict(interval, congruence);
        let kept = data.offer_form(Form { rank, width: width(interval), lin: Rc::new(lin) }, MAX_FORMS);
        if known {
            self.changed(id);
        } else if kept {
            self.touch(id);
        }
        kept
    }

    /// The same for a spelling, or another class, that a late rule found.
    pub(crate) fn add_late_form(&mut self, id: Id, lin: &Lin) -> bool {
        match lin.as_atom() {
            Some(_) => self.equate(id, lin),
            None => self.add_form(id, lin.clone()),
        }
    }

    /// Brings the forms of a class up to date with merged and newly constant classes.
    pub(crate) fn refresh_forms(&mut self, id: Id) {
        if self.facts(id).forms.is_empty() {
            return;
        }
        let old = std::mem::take(&mut facts_mut(&mut self.graph, id).forms);
        self.graph.analysis.epoch += 1;
        for form in old {
            let Some(lin) = self.tidy(&form.lin) else { continue };
            if lin.as_atom() == Some(id) || self.facts(id).canon().is_some_and(|c| **c == *lin) {
                continue;
            }
            let (rank, width) = (self.rank(&lin), width(lin_facts(&self.graph, &lin).0));
            let lin = match lin {
                Cow::Borrowed(_) => form.lin,
                Cow::Owned(l) => Rc::new(l),
            };
            facts_mut(&mut self.graph, id).offer_form(Form { rank, width, lin }, MAX_FORMS);
        }
    }

    /// Adds what is known of the value of `id`; answers whether that was news.
    pub(crate) fn sharpen(&mut self, id: Id, interval: Interval, congruence: Congruence) -> bool {
        let id = self.graph.find(id);
        let news = facts_mut(&mut self.graph, id).restrict(interval, congruence);
        if news {
            self.changed(id);
        }
        news
    }

    /// Facts of `id` were sharpened outside of egg's analysis: let its users know.
    fn changed(&mut self, id: Id) {
        // the facts stay where they are: what counts is that the parents are queued
        self.graph.set_analysis_data(id, Place::Class(id));
        self.unsettled |= self.graph[id].parents().len() > 0;
        self.touch(id);
    }

    fn touch(&mut self, id: Id) {
        facts_mut(&mut self.graph, id).version += 1;
        self.graph.analysis.epoch += 1;
        self.graph.analysis.dirty.push(id);
    }

    /// Cost of a spelling as the extraction sees it, operands of its operations left out (tenths of instructions).
    pub(crate) fn rank(&self, lin: &Lin) -> u32 {
        let (products, plain) = sum_shape(lin);
        let wide = sum_is_wide(lin, &|t| self.facts(t).interval);
        let own = self.graph.analysis.model.price(&Operation::Sum { products, plain, wide });
        lin.terms().iter().fold(own, |r, &t| r.saturating_add(self.facts(t).atom_cost.min(10_000)))
    }

    /// All spellings of a class worth matching: the canonical one first. An atom is its own only spelling besides
    /// its forms.
    pub(crate) fn spellings(&self, id: Id) -> Spellings {
        let id = self.graph.find(id);
        let epoch = self.graph.analysis.epoch;
        let mut cache = self.spelled.borrow_mut();
        if (cache.0, cache.1) != (id, epoch) {
            *cache = (id, epoch, self.find_spellings(id));
        }
        cache.2.clone()
    }

    fn find_spellings(&self, id: Id) -> Spellings {
        let f = self.facts(id);
        let mut out = Spellings::new();
        let canonical = self.canonical(id);
        out.push(canonical.clone());
        if f.constant().is_some() {
            return out;
        }
        if f.canon().is_some() && f.weight != u32::MAX {
            out.push(f.as_atom(id));
        }
        // as it was written, before some of its terms came to stand for combinations of their own
        if let Some(lin) = f.canon().filter(|l| ***l != *canonical).and_then(|l| self.tidy(l))
            && *lin != *canonical
            && lin.as_atom() != Some(id)
        {
            out.push(Rc::new(lin.into_owned()));
        }
        for form in &f.forms {
            match self.tidy(&form.lin) {
                Some(Cow::Borrowed(_)) => out.push(form.lin.clone()),
                Some(Cow::Owned(l)) if l == *form.lin => out.push(form.lin.clone()),
                Some(Cow::Owned(l)) if !out.iter().any(|o| **o == l) && l.as_atom() != Some(id) => {
                    out.push(Rc::new(l));
                }
                _ => {}
            }
        }
        out
    }

    /// The canonical spelling of a class.
    pub(crate) fn canonical(&self, id: Id) -> Rc<Lin> {
        let id = self.graph.find(id);
        match self.facts(id).canon() {
            None => self.facts(id).as_atom(id),
            Some(l) => match self.expand(l) {
                Some(Cow::Owned(e)) => Rc::new(e),
                Some(Cow::Borrowed(_)) | None => l.clone(),
            },
        }
    }

    /// Whether the class is a sum of variables, or a number: nothing simpler can be found.
    pub(crate) fn is_resolved(&self, id: Id) -> bool {
        let f = self.facts(id);
        match f.canon() {
            None => f.is_leaf(),
            Some(l) => l.terms().iter().all(|&t| self.facts(self.graph.find(t)).is_leaf()),
        }
    }

    /// Which classes, by id, `roots` can be made of: those that no unresolved class needs are left out.
    pub(crate) fn live(&self, roots: impl IntoIterator<Item = Id>) -> Vec<bool> {
        let mut live = vec![false; self.graph.nodes().len()];
        let mut todo: SmallVec<[Id; 32]> = roots.into_iter().collect();
        while let Some(id) = todo.pop() {
            let id = self.graph.find(id);
            if std::mem::replace(&mut live[usize::from(id)], true) || self.is_resolved(id) {
                continue;
            }
            todo.extend(self.nodes(id).iter().flat_map(|n| n.children()).copied());
            todo.extend(self.facts(id).forms.iter().flat_map(|f| f.lin.terms()).copied());
        }
        live
    }

    /// Interval and congruence of a combination; those of its class when that exists.
    pub(crate) fn facts_of(&self, lin: &Lin) -> (Interval, Congruence) {
        match lin.as_atom() {
            Some(id) => (self.facts(id).interval, self.facts(id).congruence),
            None => lin_facts(&self.graph, lin),
        }
    }

    /// The range that the terms of a combination tell.
    pub(crate) fn facts_by_terms(&self, lin: &Lin) -> Interval {
        lin_facts(&self.graph, lin).0
    }

    // ---- operations

    pub(crate) fn add(&mut self, node: Node) -> Id {
        let id = self.graph.add(node);
        self.graph.find(id)
    }

    /// `a % b`, whose class also holds `a - b * (a // b)`.
    pub(crate) fn modulo(&mut self, a: &Lin, b: &Lin) -> Option<Lin> {
        if b.is_constant() && (b.constant == 1 || a.is_constant()) {
            let q = self.div(a, b)?;
            return a.plus(-1, &self.mul(&q, b)?);
        }
        if b.is_constant() && b.constant == 0 {
            return None;
        }
        let (ca, cb) = (self.class_of(a)?, self.class_of(b)?);
        let q = Lin::atom(self.add(Node::Div([ca, cb])));
        let spelled = a.plus(-1, &self.mul(&q, b)?)?;
        let definition = Rc::new(self.expand(&spelled)?.into_owned());
        self.definitions.insert(definition);
        self.has_ends |= !b.is_constant();
        let id = self.add(Node::Mod([ca, cb]));
        self.defined |= self.equate(id, &spelled);
        Some(Lin::atom(self.graph.find(id)))
    }

    /// Whether `lin` is there as `x - n*(x//n)`, the definition of `x % n`: rules about sums find that remainder in it, and
    /// nothing else.
    pub(crate) fn defines_remainder(&self, lin: &Lin) -> bool {
        self.definitions.contains(lin)
    }

    /// `lin` with its term `c * q` written as a remainder that is there already; `None` unless `q` is `x // n`, `n` divides
    /// `c`, and the sum gets no longer by it.
    pub(crate) fn with_remainder(&self, lin: &Lin, c: i64, q: Id) -> Option<Lin> {
        if !self.facts(q).has(Head::Div) {
            return None;
        }
        self.nodes(q).iter().find_map(|node| {
            let Node::Div([x, b]) = node else { return None };
            let n = self.facts(*b).constant().filter(|n| *n > 1)?;
            if floor_mod(c.into(), n.into()) != 0 {
                return None;
            }
            let f = i64::try_from(floor_div(c.into(), n.into())).ok()?;
            let remainder = self.graph.lookup(Node::Mod([self.graph.find(*x), self.graph.find(*b)]))?;
            let without = lin.plus(c.checked_neg()?, &Lin::atom(q))?;
            let out = without.plus(f, &self.canonical(*x))?.plus(f.checked_neg()?, &Lin::atom(remainder))?;
            (out.len() <= lin.len()).then_some(out)
        })
    }

    /// Makes `id` equal to `lin`; answers whether that was news.
    pub(crate) fn equate(&mut self, id: Id, lin: &Lin) -> bool {
        let id = self.graph.find(id);
        let Some(lin) = self.tidy(lin) else { return false };
        let Some(canonical) = self.expand(&lin) else { return false };
        let mut news = false;
        if *self.canonical(id) != *canonical {
            let other = self.class_of_canonical(&canonical);
            news = self.union(id, other);
        }
        if matches!(&canonical, Cow::Owned(c) if *c != *lin) {
            drop(canonical);
            news |= self.add_form(id, lin.into_owned());
        }
        news
    }

    /// `a * b`: constants and small sums are multiplied out, products flattened.
    pub(crate) fn mul(&mut self, a: &Lin, b: &Lin) -> Option<Lin> {
        if a.is_constant() {
            return b.scaled(a.constant);
        }
        if b.is_constant() {
            return a.scaled(b.constant);
        }
        let parts = |l: &Lin| l.len() + usize::from(l.constant != 0);
        if parts(a) == 1 && parts(b) == 1 {
            let (c, d) = (a.coeffs()[0].checked_mul(b.coeffs()[0])?, [a.terms()[0], b.terms()[0]]);
            let id = self.product(&d);
            return Some(Lin::term(c, id));
        }
        let factored = {
            let (x, y) = (self.class_of(a)?, self.class_of(b)?);
            let mut ids: Ids = SmallVec::from_slice(&[x, y]);
            ids.sort_unstable();
            self.add(Node::Product(ids))
        };
        if parts(a) * parts(b) <= MAX_DISTRIBUTED_TERMS {
            let mut sum = b.scaled(a.constant)?;
            for (c, t) in a.iter() {
                if b.constant != 0 {
                    sum = sum.plus(c.checked_mul(b.constant)?, &Lin::atom(t))?;
                }
                for (d, u) in b.iter() {
                    let p = self.product(&[t, u]);
                    sum = sum.plus(c.checked_mul(d)?, &Lin::atom(p))?;
                }
            }
            // factors that stand for sums come with all their terms
            let long = self.expand(&sum).map_or(0, |l| l.len()).checked_sub(SHORT_SUM);
            if long.is_none_or(|terms| self.may_repeat(terms)) {
                self.equate(factored, &sum);
            }
        }
        Some(Lin::atom(self.graph.find(factored)))
    }

    /// The product of all: one monomial of the single terms, then the sums one by one.
    pub(crate) fn mul_all(&mut self, factors: &[Rc<Lin>]) -> Option<Lin> {
        let mut coefficient = 1i64;
        let mut atoms: Vec<Id> = Vec::new();
        let mut sums = Vec::new();
        for l in factors {
            let c = match (l.constant, l.coeffs()) {
                (c, []) => c,
                (0, &[c]) => {
                    atoms.push(l.terms()[0]);
                    c
                }
                _ => {
                    sums.push(l);
                    1
                }
            };
            coefficient = coefficient.checked_mul(c)?;
        }
        let mut out = Lin::constant(coefficient);
        if coefficient != 0 && !atoms.is_empty() {
            out = Lin::term(coefficient, self.product(&atoms));
        }
        for s in sums {
            out = self.mul(&out, s)?;
        }
        Some(out)
    }

    /// The factors of an atom: itself, or those of a product.
    pub(crate) fn factors(&self, id: Id) -> Ids {
        let id = self.graph.find(id);
        if !self.facts(id).has(Head::Product) {
            return SmallVec::from_slice(&[id]);
        }
        for n in self.nodes(id) {
            if let Node::Product(f) = n {
                return f.iter().map(|&i| self.graph.find(i)).collect();
            }
        }
        SmallVec::from_slice(&[id])
    }

    /// The product of atoms.
    pub(crate) fn product(&mut self, atoms: &[Id]) -> Id {
        let mut ids: Ids = SmallVec::new();
        for &a in atoms {
            ids.extend(self.factors(a));
        }
        if ids.len() > SHORT_SUM && ids.len() > atoms.len() && !self.may_repeat(ids.len()) {
            // products of products stay
            ids = atoms.iter().map(|&a| self.graph.find(a)).collect();
        }
        ids.sort_unstable();
        if ids.len() == 1 { ids[0] } else { self.add(Node::Product(ids)) }
    }

    /// Notes why what is being made anew is equal to what it was; the first reason stays.
    pub(crate) fn judge(&mut self, judgement: Judgement) {
        self.judgement.get_or_insert(judgement);
    }

    /// Forgets the reason noted last.
    pub(crate) fn judge_anew(&mut self) {
        self.judgement = None;
    }

    /// The reason for the last answer of [`renormalise`](Self::renormalise); none where sums merged.
    pub(crate) fn judgement(&self) -> Option<Judgement> {
        self.judgement
    }

    /// Re-makes the normal form of a node whose operands changed; answers the class it belongs to now.
    pub(crate) fn renormalise(&mut self, node: &Node) -> Option<Id> {
        self.judge_anew();
        let other = self.remade(node);
        if !matches!(node, Node::Sum(_) | Node::Product(_)) {
            self.judge(Judgement::NormalForm);
        }
        other
    }

    fn remade(&mut self, node: &Node) -> Option<Id> {
        match node {
            Node::Sum(l) => {
                match self.expand(l)? {
                    // it stands where it belongs
                    Cow::Borrowed(_) => None,
                    Cow::Owned(e) => Some(self.class_of_canonical(&e)),
                }
            }
            Node::Product(ids) => {
                let stays = |&id: &Id| self.canonical(id).as_atom() == Some(id) && self.factors(id).len() == 1;
                // operands merge, and their order changes with the ids
                if ids.iter().all(stays) && ids.is_sorted() {
                    return None;
                }
                let factors: Vec<Rc<Lin>> = ids.iter().map(|&id| self.canonical(id)).collect();
                let product = self.mul_all(&factors)?;
                self.class_of(&product)
            }
            Node::And(ids) => Some(self.junction(true, ids)),
            Node::Or(ids) => Some(self.junction(false, ids)),
            Node::Not([x]) => self.not(*x),
            Node::Select([c, a, b]) => {
                let id = self.select(*c, *a, *b);
                if self.facts(id).constant().is_some() || !self.facts(id).has(Head::Select) {
                    self.judge(Judgement::SelectionDecided);
                }
                Some(id)
            }
            Node::Min([a, b]) => Some(self.judged_extremum(true, *a, *b)),
            Node::Max([a, b]) => Some(self.judged_extremum(false, *a, *b)),
            Node::NonNeg([x]) => self.judged_sign(*x).map(|c| {
                self.judge(Judgement::ComparisonDecided);
                self.add(Node::Const(c.into()))
            }),
            _ => None,
        }
    }
}

/// Makes egg ready: it reads a clock at every rebuild, and that clock measures itself when first read, for milliseconds.
pub(crate) fn warm_up() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        Graph::new(FactFlow::new(Vec::new(), Arc::new(Gpu))).rebuild();
    });
}

/// Distance between the ends, `u64::MAX` when one is open.
fn width(i: Interval) -> u64 {
    i.bounded().map_or(u64::MAX, |(lo, hi)| hi.abs_diff(lo))
}

#[cfg(test)]
mod tests;
