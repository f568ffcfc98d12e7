//! Parts of a difference over disjoint variables.

use super::kernel::Kernel;
use super::period::{Period, lcm, periods};
use super::plain::{needed, stretch};
use super::poly::Poly;
use super::question::Axis;
use super::scan::Grid;
use super::terms::{Terms, atoms_of};
use super::text::Writer;
use crate::domain::Interval;
use crate::expr::{Dag, Expr};
use std::sync::Arc;

/// A part of the difference with the conditions on its variables, or conditions alone.
#[derive(Debug)]
pub(super) struct Group {
    /// Ascending.
    pub(super) variables: Vec<u32>,
    /// The part of the difference, then the conditions.
    roots: Vec<Expr>,
    /// Whether there is a part of the difference; else it is 0.
    pub(super) has_part: bool,
    grid: Option<Grid>,
    /// Two points one length of a variable apart between which the part rises, when there are no conditions.
    pub(super) rises: Option<(Vec<i64>, Vec<i64>)>,
}

impl Group {
    /// Points to look at; `u64::MAX` when there are more or no end of them.
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

    /// The part and its conditions over the group's variables.
    pub(super) fn compile(&self, axes: &[Axis]) -> Option<Kernel> {
        let names: Vec<&str> = self.variables.iter().map(|v| &*axes[*v as usize].name).collect();
        Kernel::new(&self.roots, &names).ok()
    }
}

/// Groups of variables that occur together.
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

fn variables_of<'a>(terms: &Terms, atoms: impl Iterator<Item = u32> + 'a) -> Vec<u32> {
    let mut all: Vec<u32> = atoms.flat_map(|a| terms.variables_of(a).to_vec()).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Splits `difference` (without its constant) and `conditions` into groups, the ones with fewest points first.
///
/// `None` when something without variables is left that is not a constant; it would belong to no group.
pub(super) fn groups(
    terms: &Terms,
    axes: &[Axis],
    ranges: &[Interval],
    difference: &Poly,
    conditions: &[Poly],
) -> Option<Vec<Group>> {
    let mut partition = Partition { parent: (0..axes.len() as u32).collect() };
    let of_terms: Vec<Vec<u32>> =
        difference.terms.iter().map(|(mono, _)| variables_of(terms, mono.iter().copied())).collect();
    let of_conditions: Vec<Vec<u32>> = conditions.iter().map(|p| variables_of(terms, atoms_of(p))).collect();
    if of_terms.iter().chain(&of_conditions).any(Vec::is_empty) {
        return None;
    }
    of_terms.iter().chain(&of_conditions).for_each(|variables| partition.join(variables));
    let names: Vec<Arc<str>> = axes.iter().map(|axis| axis.name.clone()).collect();
    let mut writer = Writer::new(terms, &names);
    let mut groups = Vec::new();
    for root in 0..axes.len() as u32 {
        if partition.find(root) != root {
            continue;
        }
        let mut inside = |variables: &Vec<u32>| variables.first().is_some_and(|v| partition.find(*v) == root);
        let part: Vec<_> =
            difference.terms.iter().zip(&of_terms).filter(|(_, v)| inside(v)).map(|(t, _)| t.clone()).collect();
        let part = Poly { terms: part, constant: 0 };
        let chosen: Vec<&Poly> =
            conditions.iter().zip(&of_conditions).filter(|(_, v)| inside(v)).map(|(p, _)| p).collect();
        if part.is_zero() && chosen.is_empty() {
            continue;
        }
        let atoms: Vec<u32> = atoms_of(&part).chain(chosen.iter().flat_map(|p| atoms_of(p))).collect();
        let variables = variables_of(terms, atoms.into_iter());
        let roots: Vec<Expr> = std::iter::once(&part).chain(chosen).map(|p| writer.write(p)).collect();
        groups.push(Group::new(variables, roots, !part.is_zero(), axes, ranges));
    }
    groups.sort_by_key(Group::points);
    Some(groups)
}

impl Group {
    fn new(variables: Vec<u32>, roots: Vec<Expr>, has_part: bool, axes: &[Axis], ranges: &[Interval]) -> Group {
        let dag = Dag::new(&roots);
        let mut group = Group { variables, roots, has_part, grid: None, rises: None };
        let (mut start, mut count) = (Vec::new(), Vec::new());
        for v in &group.variables {
            let range = ranges[*v as usize];
            let difference = together(&dag, &axes[*v as usize].name);
            if let Some(Period { length, rise }) = difference
                && rise != 0
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
                return group;
            }
            match stretch(range, difference.and_then(needed)) {
                Some((first, points)) => {
                    start.push(first);
                    count.push(points);
                }
                // another variable may still rise
                None => count.push(0),
            }
        }
        if !count.contains(&0) {
            group.grid = Grid::new(start, count);
        }
        group
    }
}

/// The period of the part over a length that is one of the conditions', too.
fn together(dag: &Dag, name: &str) -> Option<Period> {
    let periods = periods(dag, name);
    let mut all = Period { length: 1, rise: 0 };
    for (i, root) in dag.roots().iter().enumerate() {
        let p = periods[*root as usize]?;
        if i > 0 && p.rise != 0 {
            return None;
        }
        let length = lcm(all.length, p.length)?;
        let rise = if i == 0 { p.rise } else { all.stretched(length)?.rise };
        all = Period { length, rise };
    }
    Some(all)
}
