//! Questions that compilers ask beside simplification: ranges, congruences, and whether conditions hold.
//!
//! [`Facts`] answers them for the expressions of one domain. Its e-graph is kept between questions: the assumptions of the domain enter it
//! once, and each part of an expression enters it once. Where the normal form of an expression leaves a question open, the rules are run
//! in one search, as in the first pass of [`Simplifier::simplify`].

use super::error::SimplifyError;
use super::problem::Ground;
use super::search::Search;
use super::settings::Settings;
use crate::domain::{Congruence, Domain, Interval, Scope, interval_of_op, intervals_of};
use crate::egraph::context::definitions::range_by_definitions;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::normal::budget::Budget;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::prover::corners::range_at_corners;
use crate::egraph::normal::symbolic_bounds::proves_nonneg;
use crate::expr::{Dag, DagNode, Expr, Op, int};
use crate::integer::floor_mod;
use egg::Id;
use rustc_hash::FxHashMap;
use std::slice::from_ref;

/// In expressions with more nodes, the e-graph is not asked for the ranges of the inner nodes of chains. Such a node of a sum of n terms
/// has up to n terms itself, so that all of them together have n*n.
const MAX_NODES_WITH_CHAINS: usize = 1000;

/// Nodes that enter an e-graph together, and nodes of an e-graph that is kept. The bound limits the memory of a call.
const MAX_NODES_AT_ONCE: usize = 1 << 13;

/// What is proved of expressions at the points of one domain.
///
/// Every answer holds at all points at which the expression has a value. What cannot be proved is left open: an open end of a range, a
/// congruence modulo 1, `None`. Questions about one domain are cheapest if one `Facts` answers all of them.
///
/// ```
/// use quaff::{Simplifier, domain::Domain};
///
/// let simplifier = Simplifier::default();
/// let mut facts = simplifier.facts(&"m=1..64, n=1..64, pid=0..m*n-1".parse::<Domain>()?);
/// assert_eq!(facts.bounds(&"pid//n".parse()?)?.to_string(), "0..63");
/// assert_eq!(facts.prove(&"pid//n < m".parse()?)?, Some(true));
/// assert_eq!(facts.equal(&"pid//n*n + pid%n".parse()?, &"pid".parse()?)?, Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Facts {
    settings: Settings,
    domain: Domain,
    /// By the variables in scope.
    places: Vec<(Scope, Place)>,
}

/// What is known where certain variables are in scope.
struct Place {
    domain: Domain,
    /// The e-graph of the domain, without what rules find; made when it is needed.
    graph: Option<Ground>,
    parts: Parts,
}

/// Parts of expressions that have been looked at, and their ranges.
#[derive(Default)]
struct Parts {
    ids: FxHashMap<DagNode, u32>,
    ranges: Vec<Interval>,
}

impl Settings {
    /// What is known at the points of `domain`. Nothing is computed before the first question.
    pub(crate) fn facts(&self, domain: &Domain) -> Facts {
        Facts { settings: self.clone(), domain: domain.clone(), places: Vec::new() }
    }
}

impl Facts {
    /// A range that all values of `expr` lie in, both ends inclusive; an end is open where none is found.
    ///
    /// It takes one search, and so time that is linear in the size of `expr` beside [`Limits`](crate::egraph::Limits). Where there are products
    /// or symbolic ends, proofs about these move the ends inwards.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"m=1..64, n=1..64, x=0..m*n-1".parse()?);
    /// assert_eq!(facts.bounds(&"x//n".parse()?)?.to_string(), "0..63");
    /// assert_eq!(facts.bounds(&"(m + n)*32 - m*n".parse()?)?.to_string(), "0..2016");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Simplifier::simplify`].
    pub fn bounds(&mut self, expr: &Expr) -> Result<Interval, SimplifyError> {
        let search = self.search(expr)?;
        let e = &search.graph.e;
        let root = search.graph.roots[0];
        let sum = e.canonical(root);
        let closer = [range_by_definitions(e, &sum), range_at_corners(e, &sum)];
        let known = closer.into_iter().fold(e.facts(root).interval, |known, range| known.meet(range).unwrap_or(known));
        let range = proved_range(e, &sum, known);
        for end in [range.lo().map(|lo| expr.ge(int(lo))), range.hi().map(|hi| expr.le(int(hi)))] {
            end.map_or(Ok(()), |holds| self.settings.confirm_truth(&holds, true, &self.domain))?;
        }
        Ok(range)
    }

    /// A congruence that all values of `expr` satisfy: modulus 1 where none is found, modulus 0 where there is one value only.
    ///
    /// It takes one search, and so time that is linear in the size of `expr` beside [`Limits`](crate::egraph::Limits).
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"ld=8..8192 step 8, r=0..99".parse()?);
    /// let congruence = facts.congruence(&"r*ld + 20".parse()?)?;
    /// assert_eq!((congruence.residue(), congruence.modulus()), (4, 8));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Simplifier::simplify`].
    pub fn congruence(&mut self, expr: &Expr) -> Result<Congruence, SimplifyError> {
        let search = self.search(expr)?;
        let congruence = search.graph.e.facts(search.graph.roots[0]).congruence;
        self.confirm_congruence(expr, congruence)?;
        Ok(congruence)
    }

    /// Whether `n` is proved to divide every value of `expr`. It takes no search where the normal form shows it, and two where the rules
    /// do not show it at once.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"ld=8..8192, r=0..99, assume ld % 8 == 0".parse()?);
    /// assert!(facts.is_multiple_of(&"r*ld + 16".parse()?, 8)?);
    /// assert!(!facts.is_multiple_of(&"r*ld + 4".parse()?, 8)?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Simplifier::simplify`]. 0 divides 0 alone.
    pub fn is_multiple_of(&mut self, expr: &Expr, n: i64) -> Result<bool, SimplifyError> {
        if n == 0 {
            return Ok(self.prove(&Expr::new(Op::Eq, [expr.clone(), int(0)]))? == Some(true));
        }
        let divides = |c: i64| floor_mod(c.into(), n.into()) == 0;
        let decided = |known: Congruence| divides(known.modulus()).then(|| divides(known.residue()));
        if let Some(divides) = self.in_normal_form(from_ref(expr), |e, ids| decided(e.facts(ids[0]).congruence))? {
            return Ok(divides);
        }
        let congruence = self.congruence(expr)?;
        match decided(congruence) {
            Some(divides) => Ok(divides),
            None => Ok(self.prove(&Expr::new(Op::Eq, [expr.clone() % int(n), int(0)]))? == Some(true)),
        }
    }

    /// Whether `condition` holds at every point (`Some(true)`), or at none (`Some(false)`). `None` where neither is proved.
    ///
    /// It takes no search where the normal form shows it, and the time of [`simplify`](Simplifier::simplify) where one search does not.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"m=1..64, n=1..64, pid=0..m*n-1".parse()?);
    /// assert_eq!(facts.prove(&"pid//n < m".parse()?)?, Some(true));
    /// assert_eq!(facts.prove(&"pid//n*n > pid".parse()?)?, Some(false));
    /// assert_eq!(facts.prove(&"pid < n".parse()?)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Simplifier::simplify`].
    pub fn prove(&mut self, condition: &Expr) -> Result<Option<bool>, SimplifyError> {
        let truth = |e: &EGraph, id: Id| {
            let range = e.facts(id).interval;
            if range.contains(0) { range.as_point().map(|value| value != 0) } else { Some(true) }
        };
        if let Some(holds) = self.in_normal_form(from_ref(condition), |e, ids| truth(e, ids[0]))? {
            return Ok(Some(holds));
        }
        let search = self.search(condition)?;
        if let Some(holds) = truth(&search.graph.e, search.graph.roots[0]) {
            self.settings.confirm_truth(condition, holds, &self.domain)?;
            return Ok(Some(holds));
        }
        let answer = self.settings.simplify(condition, &self.domain)?;
        Ok(answer.expr().as_const().map(|value| value != 0))
    }

    /// Whether `a` and `b` are equal at every point (`Some(true)`), or at none (`Some(false)`). `None` where neither is proved.
    ///
    /// It takes no search where the normal forms show it. Otherwise it takes one search over both together, and the time of
    /// [`prove`](Self::prove) where the search does not show it.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain};
    ///
    /// let mut facts = Simplifier::default().facts(&"h=1..64, d=1..64, x=0..99999".parse::<Domain>()?);
    /// let mut equal = |a: &str, b: &str| facts.equal(&a.parse().unwrap(), &b.parse().unwrap());
    /// assert_eq!(equal("x%(h*d)//d", "x//d%h")?, Some(true));
    /// assert_eq!(equal("x", "x + h")?, Some(false));
    /// assert_eq!(equal("x%h", "x%d")?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Simplifier::simplify`].
    pub fn equal(&mut self, a: &Expr, b: &Expr) -> Result<Option<bool>, SimplifyError> {
        let both = [a.clone(), b.clone()];
        let are_equal = |e: &EGraph, ids: &[Id]| {
            let difference: Option<LinearForm> = e.canonical(ids[0]).plus(-1, &e.canonical(ids[1]));
            match difference.and_then(|d| d.is_constant().then_some(d.constant)) {
                Some(constant) => Some(constant == 0),
                None => (e.graph.find(ids[0]) == e.graph.find(ids[1])).then_some(true),
            }
        };
        if let Some(known) = self.in_normal_form(&both, are_equal)? {
            return Ok(Some(known));
        }
        let domain = &*self.domain.seen_from(&both);
        let call = self.settings.for_call(&both);
        let search = call.with_guards(&both, domain, |exprs| call.search(exprs, domain))?;
        let equation = Expr::new(Op::Eq, [a.clone(), b.clone()]);
        match are_equal(&search.graph.e, &search.graph.roots) {
            Some(holds) => call.confirm_truth(&equation, holds, domain).map(|()| Some(holds)),
            None => self.prove(&equation),
        }
    }

    /// The range of every node of `dag`, by the normal forms of the nodes and the ranges of their operands.
    ///
    /// # Errors
    /// Those of [`Simplifier::simplify`].
    pub(crate) fn ranges(&mut self, dag: &Dag) -> Result<Vec<Interval>, SimplifyError> {
        let Facts { settings, domain, places } = self;
        place_of(dag.exprs(), domain, places).ranges(dag, settings, &budget_of(settings))
    }

    /// Forgets the e-graphs, and keeps what is known of parts.
    pub(crate) fn forget_graphs(&mut self) {
        self.places.iter_mut().for_each(|(_, place)| place.graph = None);
    }

    /// The number of e-graphs that are kept.
    pub(crate) fn graphs(&self) -> usize {
        self.places.iter().filter(|(_, place)| place.graph.is_some()).count()
    }

    /// The number of parts whose ranges are kept.
    pub(crate) fn parts(&self) -> usize {
        self.places.iter().map(|(_, place)| place.parts.ranges.len()).sum()
    }

    /// The e-graph of `expr` once the rules have been run.
    fn search(&self, expr: &Expr) -> Result<Search, SimplifyError> {
        let call = self.settings.for_call(from_ref(expr));
        call.with_guards(from_ref(expr), &self.domain, |exprs| call.search(exprs, &self.domain))
    }

    /// What `found` finds among the classes of `exprs` in normal form. None as well where an expression has none: the search says why.
    fn in_normal_form<T>(
        &mut self,
        exprs: &[Expr],
        found: impl FnOnce(&EGraph, &[Id]) -> Option<T>,
    ) -> Result<Option<T>, SimplifyError> {
        let Facts { settings, domain, places } = self;
        let place = place_of(exprs, domain, places);
        match place.enter(&Dag::new(exprs), settings, &budget_of(settings)) {
            Err(SimplifyError::Domain(e)) => Err(e.into()),
            Err(_) => Ok(None),
            Ok((graph, ids)) => Ok(found(&graph.e, &ids)),
        }
    }

    /// Compares `expr` with what a search under own rules says of it.
    fn confirm_congruence(&self, expr: &Expr, congruence: Congruence) -> Result<(), SimplifyError> {
        let (modulus, residue) = (congruence.modulus(), int(congruence.residue()));
        let rest = if modulus == 0 { expr.clone() } else { expr.clone() % int(modulus) };
        self.settings.confirm_truth(&Expr::new(Op::Eq, [rest, residue]), true, &self.domain)
    }
}

/// The place in `places` where `exprs` are computed.
fn place_of<'p>(exprs: &[Expr], domain: &Domain, places: &'p mut Vec<(Scope, Place)>) -> &'p mut Place {
    let scope = domain.scope_of(exprs);
    let at = places.iter().position(|(known, _)| *known == scope).unwrap_or(places.len());
    if at == places.len() {
        let domain = domain.in_scope(&scope).into_owned();
        places.push((scope, Place { domain, graph: None, parts: Parts::default() }));
    }
    let place = &mut places[at].1;
    if place.domain.is_defined() {
        // that a divisor is not 0 is known where the division is used, and says nothing of other expressions
        (place.graph, place.parts) = (None, Parts::default());
    }
    place
}

/// What bounds the proofs of one question.
fn budget_of(settings: &Settings) -> Budget {
    settings.budget.clone().unwrap_or_else(|| Budget::new(settings.limits.work))
}

impl Place {
    /// The e-graph with `dag` in it, and the classes of the roots of `dag`.
    fn enter(&mut self, dag: &Dag, settings: &Settings, budget: &Budget) -> Result<(&Ground, Vec<Id>), SimplifyError> {
        let is_full = |graph: &Ground| graph.e.graph.nodes().len() > MAX_NODES_AT_ONCE || graph.e.is_exhausted();
        let graph = match self.graph.take().filter(|graph| !is_full(graph)) {
            Some(graph) => graph,
            None => settings.ground(&self.domain)?,
        };
        // what enters before an error is known as well
        let graph = self.graph.insert(graph);
        graph.e.budget = budget.clone();
        let roots = graph.enter(dag, &self.domain)?.roots;
        Ok((graph, roots))
    }

    /// The range of every node of `dag`.
    fn ranges(&mut self, dag: &Dag, settings: &Settings, budget: &Budget) -> Result<Vec<Interval>, SimplifyError> {
        let nodes = dag.nodes();
        let places = self.parts.places(nodes);
        let links = if nodes.len() > MAX_NODES_WITH_CHAINS { links_of_chains(dag) } else { vec![false; nodes.len()] };
        let asked: Vec<usize> = (0..nodes.len()).filter(|&i| places[i].is_none() && !links[i]).collect();
        let mut found: Vec<Option<Interval>> = vec![None; nodes.len()];
        for some in asked.chunks(MAX_NODES_AT_ONCE) {
            let parts: Vec<Expr> = some.iter().map(|&i| dag.origin(i as u32).clone()).collect();
            let (graph, ids) = match self.enter(&Dag::new(&parts), settings, budget) {
                Err(SimplifyError::TooManyTerms) => {
                    let vars = self.domain.resolve()?;
                    let range_of = |name: &str| self.domain.position(name).map_or(Interval::ALL, |p| vars[p].interval);
                    return Ok(intervals_of(dag, range_of));
                }
                entered => entered?,
            };
            some.iter().zip(ids).for_each(|(&i, id)| found[i] = Some(graph.e.facts(id).interval));
        }
        let mut ranges: Vec<Interval> = Vec::with_capacity(nodes.len());
        for ((node, found), place) in nodes.iter().zip(found).zip(&places) {
            ranges.push(match place {
                Some(place) => self.parts.ranges[*place as usize],
                None => {
                    let operands: Vec<Interval> = node.args().iter().map(|&a| ranges[a as usize]).collect();
                    let by_operands = interval_of_op(&node.op, &operands);
                    // the normal form of a sum may be bounded less closely than the operands as they are written
                    found.map_or(by_operands, |own| own.meet(by_operands).unwrap_or(own))
                }
            });
        }
        self.parts.add(nodes, &places, &ranges);
        Ok(ranges)
    }
}

impl Parts {
    /// The number of each of `nodes`, none for those that are new.
    fn places(&self, nodes: &[DagNode]) -> Vec<Option<u32>> {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(nodes.len());
        for node in nodes {
            places.push(self.renumbered(node, &places).and_then(|node| self.ids.get(&node).copied()));
        }
        places
    }

    /// `node` with the numbers that its operands have here.
    fn renumbered(&self, node: &DagNode, places: &[Option<u32>]) -> Option<DagNode> {
        let mut args = node.args;
        for a in &mut args[..node.op.arity()] {
            *a = places[*a as usize]?;
        }
        Some(DagNode { op: node.op.clone(), args })
    }

    /// Adds those of `nodes` that have no place.
    fn add(&mut self, nodes: &[DagNode], places: &[Option<u32>], ranges: &[Interval]) {
        let mut places = places.to_vec();
        for (i, node) in nodes.iter().enumerate() {
            if places[i].is_some() {
                continue;
            }
            if let Some(node) = self.renumbered(node, &places) {
                let id = self.ranges.len() as u32;
                self.ids.insert(node, id);
                self.ranges.push(ranges[i]);
                places[i] = Some(id);
            }
        }
    }
}

/// `known`, the range of `sum`, with its ends moved inwards by proofs.
fn proved_range(e: &EGraph, sum: &LinearForm, known: Interval) -> Interval {
    if !e.has_symbols() || known.as_point().is_some() {
        return known;
    }
    let lo = proved_end(e, sum, known.lo());
    let hi = sum.scaled(-1).and_then(|negated| proved_end(e, &negated, known.hi()?.checked_neg()));
    let hi = hi.and_then(i64::checked_neg);
    // no end is moved beyond the other one where there are points
    Interval::new(lo.unwrap_or(i64::MIN), hi.unwrap_or(i64::MAX)).and_then(|range| range.meet(known)).unwrap_or(known)
}

/// The greatest number found that `sum` is proved to be at least, not below `known`. Steps are doubled while they succeed, and halved then.
fn proved_end(e: &EGraph, sum: &LinearForm, known: Option<i64>) -> Option<i64> {
    let is_at_least = |k: i64| {
        let less = k.checked_neg().and_then(|k| sum.clone().plus_constant(k));
        less.is_some_and(|less| proves_nonneg(e, &less))
    };
    let mut end = match known {
        Some(known) => known,
        None if is_at_least(0) => 0,
        None => return None,
    };
    let mut step = 1i64;
    while let Some(next) = end.checked_add(step).filter(|next| is_at_least(*next)) {
        end = next;
        let Some(doubled) = step.checked_mul(2) else { break };
        step = doubled;
    }
    while step > 1 {
        step >>= 1;
        if let Some(next) = end.checked_add(step).filter(|next| is_at_least(*next)) {
            end = next;
        }
    }
    Some(end)
}

/// Which nodes are used once, as an operand of the same kind of chain: sums in sums, conjunctions in conjunctions.
fn links_of_chains(dag: &Dag) -> Vec<bool> {
    let nodes = dag.nodes();
    let mut uses = vec![0u32; nodes.len()];
    nodes.iter().flat_map(|n| n.args()).chain(dag.roots()).for_each(|&a| uses[a as usize] += 1);
    let kind = |op: &Op| match op {
        Op::Add | Op::Sub | Op::Neg => 1,
        Op::Mul => 2,
        Op::And => 3,
        Op::Or => 4,
        _ => 0,
    };
    let mut links = vec![false; nodes.len()];
    for node in nodes {
        for &a in node.args().iter().filter(|&&a| uses[a as usize] == 1) {
            let own = kind(&node.op);
            links[a as usize] = own != 0 && kind(&nodes[a as usize].op) == own;
        }
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::var;

    #[test]
    fn long_chains_are_bounded_by_their_operands() {
        let x = var("x");
        let long = (0..MAX_NODES_WITH_CHAINS as i64).fold(int(0), |sum, k| sum + &x / int(k + 2));
        let dag = Dag::with_origins(&[long]);
        let domain = Domain::new().with("x", 0..100);
        let ranges = Settings::default().facts(&domain).ranges(&dag).expect("entered");
        let plain = intervals_of(&dag, |_| Interval::new(0, 99).expect("ordered"));
        assert_eq!(ranges.len(), plain.len());
        for (known, plain) in ranges.iter().zip(&plain) {
            assert_eq!(known.meet(*plain), Some(*known), "{known} {plain}");
        }
        assert!(links_of_chains(&dag).iter().filter(|l| **l).count() > MAX_NODES_WITH_CHAINS - 3);
    }
}
