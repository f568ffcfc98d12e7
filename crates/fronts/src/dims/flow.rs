//! Propagates indices along the active equations until nothing changes. A log can undo all changes since a mark.
//!
//! A *digit* is a dimension on one side of an equation, with its stride. A side is *touched* when one of its digits is
//! solved by something other than the equation itself. It is *known* when all of its digits are solved. If an active
//! equation has one touched side and this side is known, the equation solves the other side. If both sides are touched,
//! they conflict. The solver counts touched and solved digits for all equations. So a change takes time proportional to
//! the number of indices that it solves.

use super::layout::{Flow, Layout, Side};
use super::loops::{Loop, Region};
use super::report::Direction;
use quaff::domain::{Bounds, Domain, Interval};
use quaff::expr::{Expr, int};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::sync::Arc;

/// The origin of an index. Equations are given by position.
#[derive(Clone)]
pub(super) enum Source {
    SizeOne,
    External,
    Loop(Arc<str>),
    Vectorize,
    Flow(u32),
}

/// The reason why propagation stops at an equation: a contradiction, or an index that cannot be solved.
pub(super) enum Fault {
    /// Both sides are touched.
    Conflict(u32),
    /// A dimension occurs twice on the side to solve.
    Repeated(u32, u32),
    /// The coefficient of the dimension to solve may be 0, or has an unknown sign.
    Sign(u32, u32, Expr),
}

/// A fact about variables.
#[derive(Clone)]
pub(super) enum Fact {
    Bounds(Arc<str>, Bounds),
    /// A variable, its modulus and its residue.
    Stride(Arc<str>, i64, i64),
    /// A condition that holds.
    Condition(Expr),
}

/// An entry of the log, with the data that undoes it.
#[derive(Clone)]
enum Change {
    Solved(u32),
    Directed(u32),
    Entered(u32),
    Ranged(Arc<str>, Option<Interval>),
    Opened,
    Vectorised,
    /// A loop over the lanes of this region.
    EachLane(usize),
    Stated,
}

#[derive(Clone)]
pub(super) struct State {
    pub(super) layout: Arc<Layout>,
    pub(super) index: Vec<Option<(Expr, Source)>>,
    /// For each flow (an equation, or a piece of one) and side, the number of solved dimensions.
    solved: Vec<[u32; 2]>,
    /// For each flow and side, the number of solved dimensions that something other than the flow solved.
    touched: Vec<[u32; 2]>,
    active: Vec<bool>,
    direction: Vec<Option<Direction>>,
    /// The entered scopes in order, without the root.
    pub(super) scopes: Vec<u32>,
    /// The numeric range of every variable that occurs.
    pub(super) ranges: FxHashMap<Arc<str>, Interval>,
    pub(super) loops: Vec<Loop>,
    /// The open vector regions, outermost first.
    pub(super) regions: Vec<Region>,
    /// The facts about variables, declared or implied by set indices, in the order in which they were added.
    pub(super) facts: Vec<Fact>,
    log: Vec<Change>,
}

impl State {
    pub(super) fn new(layout: Arc<Layout>) -> State {
        let flows = layout.flows.len();
        let zero = int(0);
        let mut state = State {
            // the index of a dimension of size 1 is always 0. The dimension is not a digit of any flow, and touches no
            // side
            index: layout.sizes.iter().map(|s| s.is_one().then(|| (zero.clone(), Source::SizeOne))).collect(),
            solved: vec![[0; 2]; flows],
            touched: vec![[0; 2]; flows],
            active: vec![false; flows],
            direction: vec![None; flows],
            scopes: vec![],
            ranges: FxHashMap::default(),
            loops: vec![],
            regions: vec![],
            facts: vec![],
            log: vec![],
            layout,
        };
        let parameters = state.layout.model.parameters.iter().map(|p| (p.name.clone(), p.range));
        state.ranges = parameters.collect();
        for &flow in &state.layout.by_scope[0] {
            state.active[flow as usize] = true;
        }
        state
    }

    pub(super) fn is_active(&self, flow: u32) -> bool {
        self.active[flow as usize]
    }

    pub(super) fn direction(&self, flow: u32) -> Option<Direction> {
        self.direction[flow as usize]
    }

    pub(super) fn is_touched(&self, flow: u32, side: u8) -> bool {
        self.touched[flow as usize][side as usize] > 0
    }

    /// Whether some digit of the flow is solved.
    pub(super) fn is_partial(&self, flow: u32) -> bool {
        self.solved[flow as usize].iter().any(|&n| n > 0)
    }

    pub(super) fn is_entered(&self, scope: u32) -> bool {
        scope == 0 || self.scopes.contains(&scope)
    }

    /// The facts about the variables.
    pub(super) fn domain(&self) -> Domain {
        let mut domain = self.layout.symbols.domain().clone();
        for fact in &self.facts {
            match fact {
                Fact::Bounds(name, bounds) => domain.add_bounds(name.clone(), bounds.clone()),
                Fact::Stride(name, modulus, residue) => domain.add_stride(name.clone(), *modulus, *residue),
                Fact::Condition(condition) => domain = domain.assume(condition.clone()),
            }
        }
        domain
    }

    /// The current position in the log, for [`rewind`](State::rewind).
    pub(super) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Undoes everything since `mark`.
    pub(super) fn rewind(&mut self, mark: usize) {
        let layout = self.layout.clone();
        while self.log.len() > mark {
            match self.log.pop() {
                Some(Change::Solved(dim)) => {
                    let source = self.index[dim as usize].take().map(|(_, source)| source);
                    for &(flow, side) in &layout.uses[dim as usize] {
                        self.solved[flow as usize][side as usize] -= 1;
                        if !matches!(source, Some(Source::Flow(f)) if f == flow) {
                            self.touched[flow as usize][side as usize] -= 1;
                        }
                    }
                }
                Some(Change::Directed(flow)) => self.direction[flow as usize] = None,
                Some(Change::Entered(scope)) => {
                    self.scopes.pop();
                    layout.by_scope[scope as usize].iter().for_each(|&f| self.active[f as usize] = false);
                }
                Some(Change::Ranged(name, Some(previous))) => drop(self.ranges.insert(name, previous)),
                Some(Change::Ranged(name, None)) => drop(self.ranges.remove(&name)),
                Some(Change::Opened) => drop(self.loops.pop()),
                Some(Change::Vectorised) => drop(self.regions.pop()),
                Some(Change::EachLane(position)) => self.regions[position].looped = None,
                Some(Change::Stated) => drop(self.facts.pop()),
                None => {}
            }
        }
    }

    /// Solves `dim`, which must be unsolved, and everything that follows from it.
    pub(super) fn set(&mut self, dim: u32, value: Expr, source: Source) -> Result<(), Fault> {
        let mut queue = VecDeque::new();
        self.solve(dim, value, source, &mut queue);
        self.propagate(queue)
    }

    /// Activates the equations of a scope that is not entered.
    pub(super) fn enter(&mut self, scope: u32) -> Result<(), Fault> {
        let layout = self.layout.clone();
        let flows = &layout.by_scope[scope as usize];
        flows.iter().for_each(|&f| self.active[f as usize] = true);
        self.scopes.push(scope);
        self.log.push(Change::Entered(scope));
        self.propagate(flows.iter().copied().collect())
    }

    pub(super) fn open_loop(&mut self, opened: Loop) {
        self.loops.push(opened);
        self.log.push(Change::Opened);
    }

    pub(super) fn open_region(&mut self, region: Region) {
        self.regions.push(region);
        self.log.push(Change::Vectorised);
    }

    /// Replaces the lane of a vector region by the loop variable `variable` in all further reads of indices.
    pub(super) fn loop_over_lanes(&mut self, position: usize, variable: Arc<str>) {
        self.regions[position].looped = Some(variable);
        self.log.push(Change::EachLane(position));
    }

    pub(super) fn state_fact(&mut self, fact: Fact) {
        self.facts.push(fact);
        self.log.push(Change::Stated);
    }

    /// Records the numeric range of a variable.
    pub(super) fn set_range(&mut self, name: &Arc<str>, range: Interval) {
        let previous = self.ranges.insert(name.clone(), range);
        if previous != Some(range) {
            self.log.push(Change::Ranged(name.clone(), previous));
        }
    }

    pub(super) fn direct(&mut self, flow: u32, direction: Direction) {
        self.direction[flow as usize] = Some(direction);
        self.log.push(Change::Directed(flow));
    }

    pub(super) fn solve(&mut self, dim: u32, value: Expr, source: Source, queue: &mut VecDeque<u32>) {
        for &(flow, side) in &self.layout.uses[dim as usize] {
            let (f, s) = (flow as usize, side as usize);
            self.solved[f][s] += 1;
            if !matches!(source, Source::Flow(by) if by == flow) {
                self.touched[f][s] += 1;
                if self.active[f] {
                    queue.push_back(flow);
                }
            }
        }
        self.index[dim as usize] = Some((value, source));
        self.log.push(Change::Solved(dim));
    }

    pub(super) fn propagate(&mut self, mut queue: VecDeque<u32>) -> Result<(), Fault> {
        let layout = self.layout.clone();
        while let Some(flow) = queue.pop_front() {
            let f = flow as usize;
            if let Some(sum) = &layout.flows[f].sum {
                if !sum.late {
                    self.follow_sum(flow, &mut queue)?;
                }
                continue;
            }
            let from = match self.touched[f] {
                [0, 0] => continue,
                [_, 0] => 0,
                [0, _] => 1,
                _ => return Err(Fault::Conflict(flow)),
            };
            let Flow { sides, .. } = &layout.flows[f];
            let target = &sides[1 - from];
            let known = self.solved[f][from] == sides[from].distinct;
            if !known || self.direction[f].is_some() || target.digits.is_empty() {
                continue;
            }
            if let Some(dim) = target.repeated {
                return Err(Fault::Repeated(flow, dim));
            }
            self.direct(flow, if from == 0 { Direction::Forward } else { Direction::Backward });
            let Some(linear) = self.linearise(&sides[from]) else { continue };
            for digit in &target.digits {
                let quotient = digit.stride.as_ref().map_or_else(|| linear.clone(), |stride| linear.floor_div(stride));
                let value = if digit.wraps { quotient.floor_mod(&digit.size) } else { quotient };
                self.solve(digit.dim, value, Source::Flow(flow), &mut queue);
            }
        }
        Ok(())
    }

    /// The sum of the products of index and stride over a known side.
    pub(super) fn linearise(&self, side: &Side) -> Option<Expr> {
        let terms = side.digits.iter().map(|digit| {
            let (index, _) = self.index[digit.dim as usize].as_ref()?;
            Some(digit.stride.as_ref().map_or_else(|| index.clone(), |stride| index * stride))
        });
        terms.reduce(|sum, term| Some(sum? + term?)).flatten()
    }
}
