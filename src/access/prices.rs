//! Chooses the cheapest combination of gates and indices from several forms of the same accesses.
//!
//! The input is candidates: the same accesses, with gates and indices in different forms. The output is a mix of
//! candidates: each gate and each index may come from a different candidate. A move copies gates or indices from one
//! candidate to the best mix so far. A move copies all gates or all indices, or only those that are equal to one
//! another. The cost of a form depends on the values that other accesses compute, so the whole mix is priced after
//! every move.

use super::scopes::Scopes;
use super::shape::{Known, Ranges, Shape};
use super::{Access, Gate};
use crate::cost::Cost;
use crate::domain::{Domain, DomainError, Interval, VarFacts, intervals_within};
use crate::expr::offset::split_offset;
use crate::expr::{Dag, Expr};
use crate::simplify::{NodeRanges, Settings, SimplifyError, Step, price_together};
use rustc_hash::FxHashMap;

/// The largest number of moves that are priced for one choice. A kernel of ten accesses has some tens of moves.
const MAX_MOVES: usize = 96;
/// Limits of the data that is kept for other candidates: nodes with known ranges, domains, and e-graphs. The limits
/// bound the memory of a call.
const MAX_NODES: usize = 1 << 17;
const MAX_DOMAINS: usize = 1 << 12;
const MAX_GRAPHS: usize = 64;
/// The work that pricing one node counts as. All prices of one choice may together take at most
/// [`Limits::work`](crate::egraph::Limits). No kernel of the test corpora takes a tenth of the default.
const WORK_OF_A_NODE: u64 = 2;

/// The ranges of the values in gates and indices. A range depends on the group of the access (see `scopes.rs`) and on
/// the gate under which the value is computed.
pub(super) struct FactsByGate<'a> {
    settings: &'a Settings,
    scopes: &'a Scopes,
    facts: FxHashMap<(usize, Option<Expr>), NodeRanges>,
    /// The number of nodes in all entries of `facts`.
    nodes: usize,
    /// The number of e-graphs in all entries of `facts`.
    graphs: usize,
}

impl<'a> FactsByGate<'a> {
    pub(super) fn new(settings: &'a Settings, scopes: &'a Scopes) -> FactsByGate<'a> {
        FactsByGate { settings, scopes, facts: FxHashMap::default(), nodes: 0, graphs: 0 }
    }

    /// The ranges of the nodes of `shape`.
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`simplify`](crate::simplify::simplify).
    pub(super) fn of(&mut self, shape: &Shape) -> Result<Ranges, SimplifyError> {
        let mut facts = Ranges { groups: Vec::new(), regions: Vec::new() };
        for (group, outer) in shape.groups.iter().enumerate() {
            let roots: Vec<usize> = outer.iter().map(|&at| shape.outer[at]).collect();
            let dag = Dag::new(&shape.exprs(&roots));
            let ranges = self.ranges(group, None, &dag)?;
            facts.groups.push(shape.part(Known { dag, ranges }));
        }
        for region in &shape.regions {
            let dag = Dag::new(&shape.exprs(&region.roots));
            let ranges = match self.ranges(region.group, Some(&region.gate), &dag) {
                // the gate never holds, although no search found this. Any range is then correct
                Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => vec![Interval::ALL; dag.nodes().len()],
                ranges => ranges?,
            };
            facts.regions.push(shape.part(Known { dag, ranges }));
        }
        Ok(facts)
    }

    /// The ranges of the nodes of `dag`, which is computed in `group` when `gate` is open.
    fn ranges(&mut self, group: usize, gate: Option<&Expr>, dag: &Dag) -> Result<Vec<Interval>, SimplifyError> {
        if self.facts.len() >= MAX_DOMAINS || self.nodes > MAX_NODES {
            self.facts.clear();
            (self.nodes, self.graphs) = (0, 0);
        } else if self.graphs > MAX_GRAPHS {
            self.facts.values_mut().for_each(NodeRanges::forget_graphs);
            self.graphs = 0;
        }
        let domain = self.scopes.domain(group);
        let facts = self.facts.entry((group, gate.cloned())).or_insert_with(|| match gate {
            Some(gate) => NodeRanges::new(self.settings, &domain.clone().assume(gate.clone())),
            None => NodeRanges::new(self.settings, domain),
        });
        (self.nodes, self.graphs) = (self.nodes - facts.parts(), self.graphs - facts.graphs());
        let ranges = facts.of(dag);
        (self.nodes, self.graphs) = (self.nodes + facts.parts(), self.graphs + facts.graphs());
        ranges
    }
}

/// The prices of candidates.
pub(super) struct Prices<'a> {
    facts: FactsByGate<'a>,
    vars: &'a [VarFacts],
    /// The number of nodes that may still be priced for one choice.
    left: u64,
    /// The steps of the searches whose results were priced.
    pub(super) trace: Vec<Step>,
}

impl<'a> Prices<'a> {
    pub(super) fn new(settings: &'a Settings, scopes: &'a Scopes, vars: &'a [VarFacts]) -> Prices<'a> {
        let left = settings.limits().work / WORK_OF_A_NODE;
        Prices { facts: FactsByGate::new(settings, scopes), vars, left, trace: Vec::new() }
    }

    /// Whether the limit on work is reached, which ends the choice.
    pub(super) fn are_spent(&self) -> bool {
        self.left == 0
    }

    /// The facts about the accesses of the first group.
    pub(super) fn domain(&self) -> &'a Domain {
        self.facts.scopes.domain(0)
    }

    /// The cost of `accesses`. Shared sub-expressions count once. A value that is computed under a gate has the ranges
    /// that hold under this gate. The constant term of an index costs nothing.
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`simplify`](crate::simplify::simplify).
    pub(super) fn of(&mut self, accesses: &[Access]) -> Result<Cost, SimplifyError> {
        self.with_offsets(&without_offsets(accesses))
    }

    /// The cost of `accesses` if the constant terms of indices are not free.
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`simplify`](crate::simplify::simplify).
    pub(super) fn with_offsets(&mut self, accesses: &[Access]) -> Result<Cost, SimplifyError> {
        let shape = Shape::new(accesses, self.facts.scopes);
        let facts = self.facts.of(&shape)?;
        let domain = self.domain();
        let range_of = |name: &str| domain.position(name).map_or(Interval::ALL, |p| self.vars[p].interval);
        let known = shape.ranges(&facts);
        let ranges = intervals_within(&shape.dag, range_of, |id| known[id as usize]);
        self.left = self.left.saturating_sub(shape.dag.nodes().len() as u64);
        Ok(price_together(&shape.dag, &ranges, self.facts.settings.model(), self.vars))
    }

    /// `accesses` with their price.
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`simplify`](crate::simplify::simplify).
    pub(super) fn priced(&mut self, accesses: Vec<Access>) -> Result<Priced, SimplifyError> {
        Ok(Priced { cost: self.of(&accesses)?, accesses })
    }

    /// A form that a search found, with its price. `None` when a divisor in the form is not proved to be nonzero. The
    /// divisors in the caller's form are already proved to be nonzero.
    ///
    /// # Errors
    /// [`SimplifyError`], for the same reasons as in [`simplify`](crate::simplify::simplify).
    pub(super) fn priced_form(&mut self, accesses: Vec<Access>) -> Result<Option<Priced>, SimplifyError> {
        match self.priced(accesses) {
            Err(SimplifyError::DivisorMayBeZero { .. }) => Ok(None),
            priced => priced.map(Some),
        }
    }
}

/// `accesses` without the constant terms of their indices. These constants cost nothing, because a load or store
/// instruction adds an offset to its address.
pub(super) fn without_offsets(accesses: &[Access]) -> Vec<Access> {
    let mut accesses = accesses.to_vec();
    accesses.iter_mut().flat_map(|a| &mut a.lanes).for_each(|lane| *lane = split_offset(lane).0);
    accesses
}

/// Accesses that may become the answer, with their cost.
#[derive(Clone)]
pub(super) struct Priced {
    pub(super) cost: Cost,
    pub(super) accesses: Vec<Access>,
}

/// The part of an access that is moved from one candidate to another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Gates,
    Indices,
}

impl Part {
    fn is_equal(self, a: &Access, b: &Access) -> bool {
        match self {
            Part::Gates => a.gate == b.gate,
            Part::Indices => a.lanes == b.lanes,
        }
    }

    /// The expressions of this part of an access.
    fn exprs(self, access: &Access) -> Vec<&Expr> {
        match self {
            Part::Gates => access.gate.condition().into_iter().collect(),
            Part::Indices => access.lanes.iter().collect(),
        }
    }

    fn copy(self, from: &Access, to: &mut Access) {
        match self {
            Part::Gates => to.gate.clone_from(&from.gate),
            Part::Indices => to.lanes.clone_from(&from.lanes),
        }
    }

    /// The positions at which `accesses` and `others` differ, in groups. A group has the positions whose parts are
    /// equal in `accesses`, except for the constant terms of indices. An access that never happens has no other form.
    fn groups(self, accesses: &[Access], others: &[Access]) -> Vec<Vec<usize>> {
        let bare = without_offsets(accesses);
        let mut groups: Vec<Vec<usize>> = Vec::new();
        let mut known: FxHashMap<Vec<&Expr>, usize> = FxHashMap::default();
        for (i, (a, b)) in accesses.iter().zip(others).enumerate() {
            if a.gate == Gate::Never || b.gate == Gate::Never || self.is_equal(a, b) {
                continue;
            }
            let at = *known.entry(self.exprs(&bare[i])).or_insert(groups.len());
            if at == groups.len() {
                groups.push(Vec::new());
            }
            groups[at].push(i);
        }
        groups
    }
}

/// Moves gates and indices of `others`, the same accesses in other forms, into `best` while that reduces the cost.
///
/// # Errors
/// [`SimplifyError`], for the same reasons as in [`simplify`](crate::simplify::simplify).
pub(super) fn exchange_parts(
    best: &mut Priced,
    others: &[Vec<Access>],
    prices: &mut Prices<'_>,
) -> Result<(), SimplifyError> {
    let mut moves = 0;
    let mut is_better = true;
    while std::mem::take(&mut is_better) {
        for (other, part) in others.iter().flat_map(|other| [(other, Part::Gates), (other, Part::Indices)]) {
            let groups = part.groups(&best.accesses, other);
            let all = (groups.len() > 1).then(|| groups.concat());
            for positions in all.into_iter().chain(groups) {
                if moves == MAX_MOVES || prices.are_spent() {
                    return Ok(());
                }
                moves += 1;
                let moved = prices.priced_form(moved(&best.accesses, other, part, &positions))?;
                if let Some(moved) = moved.filter(|moved| moved.cost < best.cost) {
                    *best = moved;
                    is_better = true;
                }
            }
        }
    }
    Ok(())
}

/// `accesses` with `part` copied from `others` at `positions`.
fn moved(accesses: &[Access], others: &[Access], part: Part, positions: &[usize]) -> Vec<Access> {
    let mut moved = accesses.to_vec();
    positions.iter().for_each(|&i| part.copy(&others[i], &mut moved[i]));
    moved
}
