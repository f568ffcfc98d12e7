//! Finds where each step of an explanation applies: in the input, or in the result of an earlier step.

use super::steps::{Explained, Source};
use crate::expr::{Dag, Expr};

/// For each of `steps`, finds the place of the part to which the step applies. The first step begins with `input`.
///
/// The time is linear in the size of all expressions of the steps. Shared sub-expressions of one step count once.
pub(super) fn find_sources(input: &Expr, steps: &mut [Explained]) {
    let sides = steps.iter().flat_map(|s| [&s.before, &s.after]);
    let exprs: Vec<Expr> = std::iter::once(input).chain(sides).cloned().collect();
    let dag = Dag::new(&exprs);
    let mut latest: Vec<Option<Source>> = vec![None; dag.nodes().len()];
    let mark = |root: u32, source: Source, latest: &mut Vec<Option<Source>>| {
        let mut todo = vec![root];
        while let Some(at) = todo.pop() {
            if latest[at as usize].replace(source) != Some(source) {
                todo.extend(dag.nodes()[at as usize].args());
            }
        }
    };
    mark(dag.roots()[0], Source::Input, &mut latest);
    for (i, (step, sides)) in steps.iter_mut().zip(dag.roots()[1..].chunks(2)).enumerate() {
        step.source = latest[sides[0] as usize].unwrap_or(Source::Spelling);
        mark(sides[1], Source::Step(i), &mut latest);
    }
}
