//! Reads the counters of loops.

use super::calls::range_of;
use super::parts::of_32_bits;
use super::scope::Source;
use super::variables::Key;
use super::walk::Walk;
use crate::model::Loop;
use quaff::domain::{Interval, interval_of};
use quaff::expr::{Expr, int, var};
use std::sync::Arc;

impl Walk<'_, '_> {
    /// Reads the statements in the body of a loop over `iterable`, such as `range(n)`.
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
        let is_upward = step.as_ref().map(|step| self.range_of(step)).and_then(Interval::lo).is_some_and(|lo| lo >= 0);
        let [start, end, step] = [start, end, step].map(|end| end.filter(|end| is_upward && !self.changes(end)));
        let around = self.reader.loops.iter().map(|(_, counter)| Arc::clone(counter)).collect();
        let last = |end: &Expr| end.as_const().map_or_else(|| end - 1, |end| int(end.saturating_sub(1)));
        let mut known = Loop {
            variable: Arc::clone(&name),
            lower: start.clone(),
            upper: end.as_ref().map(last),
            step: None,
            around,
        };
        if let (Some(start), Some(step)) = (start, step) {
            match step.as_const() {
                Some(..=1) => {}
                Some(step) => known.step = Some((step, start)),
                None => {
                    let counter = var(Arc::clone(&name));
                    let way = if start.as_const() == Some(0) { counter } else { counter - start };
                    inside = self.with(inside, vec![(way % step).equals(int(0))]);
                }
            }
        }
        self.loops.push(known);
        if is_static {
            self.reader.domain = std::mem::take(&mut self.reader.domain).unrolled(Arc::clone(&name));
        }
        self.reader.loops.push((body, Arc::clone(&name)));
        inside = self.facts_of(slot, inside);
        self.block(body, inside);
        self.reader.loops.pop();
    }

    fn range_of(&self, e: &Expr) -> Interval {
        interval_of(e, |name| self.reader.variables.range(name))
    }

    /// Adds the variable that counts the iterations of a loop. `ends` are its start, end and step, each of which may be
    /// unknown.
    fn counter(&mut self, slot: usize, ends: [&Option<Expr>; 3]) -> usize {
        let of = &self.scope.slots[slot];
        let mut variables = ends.into_iter().flatten().flat_map(|e| self.reader.variables_of(e));
        let is_wide = variables.any(|at| self.reader.variables.all[at].is_wide);
        let of_type = if is_wide { Interval::ALL } else { of_32_bits() };
        let mut known = self.reader.known(of.name, of.declared, of_type);
        let [first, end, by] = ends.map(|e| e.as_ref().map_or(Interval::ALL, |e| self.range_of(e)));
        if by.lo().is_some_and(|lo| lo >= 0) {
            let reached = first.hull(end.plus(Interval::point(-1)));
            known.range = reached.meet(of_type).unwrap_or(reached);
        }
        known.is_wide = is_wide;
        known.is_truth = Some(false);
        known.is_constexpr = of.is_constexpr;
        self.reader.add(Key::Slot(slot), of.name, known)
    }
}
