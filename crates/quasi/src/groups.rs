//! Splits the difference of two expressions into groups: parts that have no variables in common, with the conditions on
//! their variables.

use super::budget::Budget;
use super::lanes::LaneProgram;
use super::poly::{Mono, Poly};
use super::question::Axis;
use super::scan::Grid;
use super::shift::{Shift, needed, shift, stretch};
use super::terms::{Terms, atoms_of};
use super::text::Writer;
use quaff_expr::domain::Interval;
use quaff_expr::expr::{Dag, Expr};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A part of the difference with the conditions on its variables, or only conditions.
#[derive(Debug)]
pub(super) struct Group {
    /// The variables in ascending order.
    pub(super) variables: Vec<u32>,
    /// The part of the difference, followed by the conditions.
    roots: Vec<Expr>,
    /// Whether the group contains terms of the difference. Otherwise it has only conditions.
    pub(super) has_part: bool,
    grid: Option<Grid>,
    /// Two points at which the part has different values, because the part rises along a variable. The points are one
    /// period of that variable apart. `None` if the group has conditions.
    pub(super) rises: Option<(Vec<i64>, Vec<i64>)>,
}

impl Group {
    /// The number of points to enumerate. `u64::MAX` if there are more points or infinitely many.
    pub(super) fn points(&self) -> u64 {
        match (&self.grid, &self.rises) {
            (_, Some(_)) => 2,
            (Some(grid), None) => grid.points(),
            (None, None) => u64::MAX,
        }
    }

    pub(super) fn grid(&self) -> Option<&Grid> {
        self.grid.as_ref()
    }

    pub(super) fn roots(&self) -> usize {
        self.roots.len()
    }

    /// Compiles the part and its conditions over the variables of the group.
    pub(super) fn compile(&self, axes: &[Axis]) -> Option<LaneProgram> {
        let names: Vec<&str> = self.variables.iter().map(|v| &*axes[*v as usize].name).collect();
        LaneProgram::new(&self.roots, &names).ok()
    }
}

/// A partition of the variables. Variables that occur together are in the same group.
struct Partition {
    parent: Vec<u32>,
}

impl Partition {
    fn find(&mut self, mut v: u32) -> u32 {
        while self.parent[v as usize] != v {
            let up = self.parent[self.parent[v as usize] as usize];
            self.parent[v as usize] = up;
            v = up;
        }
        v
    }

    fn join(&mut self, variables: &[u32]) {
        for pair in variables.windows(2) {
            let (a, b) = (self.find(pair[0]), self.find(pair[1]));
            self.parent[a.max(b) as usize] = a.min(b);
        }
    }
}

/// The variables of atoms, in ascending order. `None` if the budget is spent.
fn variables_of(terms: &Terms, atoms: impl Iterator<Item = u32>) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for atom in atoms {
        terms.budget().spend(terms.variables_of(atom).len())?;
        all.extend_from_slice(terms.variables_of(atom));
    }
    all.sort_unstable();
    all.dedup();
    Some(all)
}

/// Splits `difference` (without its constant) and `conditions` into groups. The groups are sorted by their number of
/// points, the smallest first.
///
/// `None` if a term without variables is not a constant, because such a term belongs to no group. Also `None` if the
/// budget is spent.
pub(super) fn groups(
    terms: &Terms,
    axes: &[Axis],
    ranges: &[Interval],
    difference: &Poly,
    conditions: &[Poly],
) -> Option<Vec<Group>> {
    let mut partition = Partition { parent: (0..axes.len() as u32).collect() };
    terms.budget().spend(axes.len())?;
    let variables = |(mono, _): &(Mono, i64)| variables_of(terms, mono.iter().copied());
    let of_terms: Vec<Vec<u32>> = difference.terms.iter().map(variables).collect::<Option<_>>()?;
    let of_conditions: Vec<Vec<u32>> =
        conditions.iter().map(|p| variables_of(terms, atoms_of(p))).collect::<Option<_>>()?;
    if of_terms.iter().chain(&of_conditions).any(Vec::is_empty) {
        return None;
    }
    of_terms.iter().chain(&of_conditions).for_each(|variables| partition.join(variables));
    let names: Vec<Arc<str>> = axes.iter().map(|axis| axis.name.clone()).collect();
    let mut writer = Writer::new(terms, &names);
    let mut parts: BTreeMap<u32, (Poly, Vec<&Poly>)> = BTreeMap::new();
    for (term, variables) in difference.terms.iter().zip(&of_terms) {
        parts.entry(partition.find(variables[0])).or_default().0.terms.push(term.clone());
    }
    for (condition, variables) in conditions.iter().zip(&of_conditions) {
        parts.entry(partition.find(variables[0])).or_default().1.push(condition);
    }
    let mut groups = Vec::with_capacity(parts.len());
    for (part, chosen) in parts.into_values() {
        let atoms: Vec<u32> = atoms_of(&part).chain(chosen.iter().flat_map(|p| atoms_of(p))).collect();
        let variables = variables_of(terms, atoms.into_iter())?;
        let roots: Vec<Expr> = std::iter::once(&part).chain(chosen).map(|p| writer.write(p)).collect();
        groups.push(Group::new(variables, roots, !part.is_zero(), axes, ranges, terms.budget())?);
    }
    groups.sort_by_key(Group::points);
    Some(groups)
}

impl Group {
    /// `None` if the budget is spent.
    fn new(
        variables: Vec<u32>,
        roots: Vec<Expr>,
        has_part: bool,
        axes: &[Axis],
        ranges: &[Interval],
        budget: &Budget,
    ) -> Option<Group> {
        let dag = Dag::new(&roots);
        budget.spend(dag.nodes().len())?;
        let mut group = Group { variables, roots, has_part, grid: None, rises: None };
        let (mut start, mut count) = (Vec::new(), Vec::new());
        for v in &group.variables {
            let range = ranges[*v as usize];
            let part = shift(&dag, &axes[*v as usize].name, budget)?.and_then(of_part);
            if let Some((length, change)) = part
                && change != 0
                && group.roots.len() == 1
                && let Some((first, count)) = stretch(range, length.checked_add(1))
                && i128::from(count) > length
            {
                let value = |u: &u32| {
                    let start = stretch(ranges[*u as usize], Some(1)).map_or(0, |(first, _)| first);
                    if u == v { first } else { start }
                };
                let at: Vec<i64> = group.variables.iter().map(value).collect();
                let other = group.variables.iter().zip(&at).map(|(u, t)| if u == v { t + length as i64 } else { *t });
                let other = other.collect();
                group.rises = Some((at, other));
                return Some(group);
            }
            match stretch(range, part.and_then(|(length, change)| needed(length, change))) {
                Some((first, points)) => {
                    start.push(first);
                    count.push(points);
                }
                // 0 marks a range with too many points. The loop goes on, because a later variable may rise, which
                // decides the group
                None => count.push(0),
            }
        }
        if !count.contains(&0) {
            group.grid = Grid::new(start, count);
        }
        Some(group)
    }
}

/// The period of the part, and its change over this period. `None` if a condition changes.
fn of_part(Shift { length, changes }: Shift) -> Option<(i128, i128)> {
    let (part, conditions) = changes.split_first()?;
    conditions.iter().all(|change| *change == 0).then_some((length, *part))
}
