//! The choice among several forms of the same accesses.
//!
//! What goes in are candidates: the same accesses, each with gates and indices in another form. What comes out is the cheapest mix that is
//! found by moving gates or indices, all of them or those that are alike, from one candidate to another. What a form costs depends on what
//! the other accesses compute, so every move is priced as a whole.

use super::scopes::Scopes;
use super::shape::{Known, Ranges, Shape};
use super::{Access, Gate};
use crate::cost::Cost;
use crate::domain::{Domain, DomainError, Interval, VarFacts, intervals_within};
use crate::expr::offset::split_offset;
use crate::expr::{Dag, Expr};
use crate::simplify::{NodeRanges, Settings, SimplifyError, Step, price_together};
use rustc_hash::FxHashMap;

/// Moves that are priced in one choice: a kernel of ten accesses has some tens.
const MAX_MOVES: usize = 96;
/// What is kept for other candidates: nodes whose ranges are known, domains, and e-graphs. The bounds limit the memory of a call.
const MAX_NODES: usize = 1 << 17;
const MAX_DOMAINS: usize = 1 << 12;
const MAX_GRAPHS: usize = 64;
/// The part of [`Limits::work`](crate::egraph::Limits) that the price of one node takes. No kernel of the corpora takes a tenth of the default.
const WORK_OF_A_NODE: u64 = 2;

/// What is known of the parts of accesses, by the group and the gate under which they are computed.
pub(super) struct FactsByGate<'a> {
    settings: &'a Settings,
    scopes: &'a Scopes,
    facts: FxHashMap<(usize, Option<Expr>), NodeRanges>,
    /// The nodes that all of them keep.
    nodes: usize,
    /// The e-graphs that all of them keep.
    graphs: usize,
}

impl<'a> FactsByGate<'a> {
    pub(super) fn new(settings: &'a Settings, scopes: &'a Scopes) -> FactsByGate<'a> {
        FactsByGate { settings, scopes, facts: FxHashMap::default(), nodes: 0, graphs: 0 }
    }

    /// The ranges of the nodes of `shape`.
    ///
    /// # Errors
    /// Those of [`simplify`](crate::simplify::simplify).
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
                // the access never happens, and no search found that
                Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) => vec![Interval::ALL; dag.nodes().len()],
                ranges => ranges?,
            };
            facts.regions.push(shape.part(Known { dag, ranges }));
        }
        Ok(facts)
    }

    /// The ranges of the nodes of `dag`, which are computed in `group` where `gate` is open.
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
    /// Nodes that may still be priced for a choice.
    left: u64,
    /// What the searches did whose answers were priced.
    pub(super) trace: Vec<Step>,
}

impl<'a> Prices<'a> {
    pub(super) fn new(settings: &'a Settings, scopes: &'a Scopes, vars: &'a [VarFacts]) -> Prices<'a> {
        let left = settings.limits().work / WORK_OF_A_NODE;
        Prices { facts: FactsByGate::new(settings, scopes), vars, left, trace: Vec::new() }
    }

    /// Whether no other form is to be looked at: a limit on work ends the choice.
    pub(super) fn are_spent(&self) -> bool {
        self.left == 0
    }

    /// What is known of the accesses of the first group.
    pub(super) fn domain(&self) -> &'a Domain {
        self.facts.scopes.domain(0)
    }

    /// What `accesses` cost: what is shared counts once, what stands under a gate has the ranges it has there, and the constant that an index
    /// adds last costs nothing.
    ///
    /// # Errors
    /// Those of [`simplify`](crate::simplify::simplify).
    pub(super) fn of(&mut self, accesses: &[Access]) -> Result<Cost, SimplifyError> {
        self.with_offsets(&without_offsets(accesses))
    }

    /// The same with all constants paid for.
    ///
    /// # Errors
    /// Those of [`simplify`](crate::simplify::simplify).
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
    /// Those of [`simplify`](crate::simplify::simplify).
    pub(super) fn priced(&mut self, accesses: Vec<Access>) -> Result<Priced, SimplifyError> {
        Ok(Priced { cost: self.of(&accesses)?, accesses })
    }

    /// A form that a search found, with its price; `None` where a divisor in it is not proved to be other than 0, as that of the form
    /// that the caller gave is.
    ///
    /// # Errors
    /// Those of [`simplify`](crate::simplify::simplify).
    pub(super) fn priced_form(&mut self, accesses: Vec<Access>) -> Result<Option<Priced>, SimplifyError> {
        match self.priced(accesses) {
            Err(SimplifyError::DivisorMayBeZero { .. }) => Ok(None),
            priced => priced.map(Some),
        }
    }
}

/// `accesses` with indices without the constant that is added last: an address takes it for nothing.
pub(super) fn without_offsets(accesses: &[Access]) -> Vec<Access> {
    let mut accesses = accesses.to_vec();
    accesses.iter_mut().flat_map(|a| &mut a.lanes).for_each(|lane| *lane = split_offset(lane).0);
    accesses
}

/// Accesses that may become the answer, and what they cost.
#[derive(Clone)]
pub(super) struct Priced {
    pub(super) cost: Cost,
    pub(super) accesses: Vec<Access>,
}

/// What is moved from one candidate to another.
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

    /// The expressions that make this part of an access.
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

    /// The positions at which `accesses` and `others` differ, those together that are alike in `accesses`, but for constants that indices
    /// add last. An access that never happens has no other form.
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

/// Moves gates and indices of `others`, the same accesses in other forms, into `best` as long as that is cheaper.
///
/// # Errors
/// Those of [`simplify`](crate::simplify::simplify).
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

/// `accesses` with a part of those of `others` at `positions`.
fn moved(accesses: &[Access], others: &[Access], part: Part, positions: &[usize]) -> Vec<Access> {
    let mut moved = accesses.to_vec();
    positions.iter().for_each(|&i| part.copy(&others[i], &mut moved[i]));
    moved
}
