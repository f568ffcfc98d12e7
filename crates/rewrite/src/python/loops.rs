//! Counters of loops.

use super::calls::range_of;
use super::parts::of_32_bits;
use super::reader::replaced;
use super::scope::Source;
use super::variables::Key;
use super::walk::Walk;
use quaff::domain::{Bounds, Interval, interval_of};
use quaff::expr::{Dag, Expr, int, var};
use quaff::integer::floor_mod;
use std::sync::Arc;

/// Nodes of an expression that the end of a range may have.
const MAX_END: usize = 200;

/// Definitions in one another that are put into the end of a range.
const MAX_DEPTH: usize = 16;

impl Walk<'_, '_> {
    /// The statements of a loop over `iterable`.
    pub(super) fn counted(&mut self, target: usize, iterable: usize, body: usize, context: Option<usize>) {
        let slot = self.scope.slot(target).filter(|&slot| !self.scope.slots[slot].changes);
        let is_counter = |slot: &usize| matches!(self.scope.slots[*slot].source, Source::Counter(_));
        let ends = range_of(self.tree, iterable);
        let (Some(slot), Some((start, end, step))) = (slot.filter(is_counter), ends) else {
            return self.block(body, context);
        };
        let mut inside = context;
        let mut end_of = |node: Option<usize>, default: i64| match node {
            Some(node) => self.reader.read(node).ok().map(|reading| reading.expr),
            None => Some(int(default)),
        };
        let (start, end, step) = (end_of(start, 0), end_of(Some(end), 0), end_of(step, 1));
        let variable = self.counter(slot, [&start, &end, &step]);
        let name = Arc::clone(&self.reader.variables.names[variable]);
        let is_static = self.scope.slots[slot].is_constexpr;
        if let (Some(start), Some(step)) = (start, step) {
            match (start.as_const(), step.as_const()) {
                (_, Some(1)) => {}
                (Some(start), Some(step @ 2..)) => {
                    let residue = floor_mod(start.into(), step.into());
                    self.reader.domain.add_stride(Arc::clone(&name), step, i64::try_from(residue).unwrap_or(0));
                }
                _ if !self.changes(&start) && !self.changes(&step) => {
                    let counter = var(Arc::clone(&name));
                    let way = if start.as_const() == Some(0) { counter } else { counter - start };
                    let holds = (way % step).equals(int(0));
                    inside = self.with(inside, vec![holds]);
                }
                _ => {}
            }
        }
        let mut domain = std::mem::take(&mut self.reader.domain);
        if is_static {
            domain = domain.unrolled(Arc::clone(&name));
        } else {
            self.reader.loops.push((body, Arc::clone(&name)));
            domain = domain.loop_nest(self.reader.loops.iter().map(|(_, counter)| Arc::clone(counter)));
        }
        self.reader.domain = domain;
        inside = self.facts_of(slot, inside);
        self.block(body, inside);
        if !is_static {
            self.reader.loops.pop();
        }
    }

    /// The variable that counts from a start to an end by steps, of which each may be unknown.
    fn counter(&mut self, slot: usize, [start, end, step]: [&Option<Expr>; 3]) -> usize {
        let of = &self.scope.slots[slot];
        let range = |e: &Option<Expr>| match e {
            Some(e) => interval_of(e, |name| self.reader.variables.range(name)),
            None => Interval::ALL,
        };
        let [first, last, by] = [start, end, step].map(range);
        let mut known = self.reader.known(of.name, of.declared, of_32_bits());
        let mut variables = [start, end, step].into_iter().flatten().flat_map(|e| self.reader.variables_of(e));
        known.is_wide = variables.any(|at| self.reader.variables.all[at].is_wide);
        let is_upward = by.lo().is_some_and(|lo| lo >= 0);
        if known.is_wide {
            known.range = Interval::ALL;
        }
        if is_upward {
            let reached = first.hull(last.plus(Interval::point(-1)));
            known.range = if known.is_wide { reached } else { reached.meet(of_32_bits()).unwrap_or(reached) };
            let lower = start.as_ref().and_then(|start| self.end(start));
            let upper = end.as_ref().and_then(|end| self.end(end)).map(|end| match end.as_const() {
                Some(end) => int(end.saturating_sub(1)),
                None => end - 1,
            });
            let constant = |end: Option<i64>| end.map(int);
            let bounds =
                Bounds::new(lower.or_else(|| constant(known.range.lo())), upper.or_else(|| constant(known.range.hi())));
            known.bounds = Some(bounds);
        }
        known.is_truth = Some(false);
        known.is_constexpr = of.is_constexpr;
        self.reader.add(Key::Slot(slot), of.name, known)
    }

    /// An end of a range, with values in the place of definitions; `None` where it may change or is large.
    fn end(&mut self, end: &Expr) -> Option<Expr> {
        let mut end = end.clone();
        for _ in 0..MAX_DEPTH {
            if Dag::new(std::slice::from_ref(&end)).nodes().len() > MAX_END {
                return None;
            }
            let variables = self.reader.variables_of(&end);
            let of = |at: &usize| &self.reader.variables.all[*at];
            if variables.iter().map(of).any(|known| known.variable.changes) {
                return None;
            }
            let values: Vec<(Arc<str>, Expr)> = variables
                .iter()
                .filter_map(|at| Some((Arc::clone(&self.reader.variables.names[*at]), of(at).value.clone()?)))
                .collect();
            if values.is_empty() {
                return Some(end);
            }
            end = replaced(&end, &values);
        }
        None
    }
}
