//! Finds the selection of least cost by branch and bound.
//!
//! The input is an and-or graph, the best known selection, and a number of steps. A *place* of the graph is a value to
//! compute, and a *candidate* is one way to compute it (`operations.rs`). The output is a selection that costs no more,
//! and a lower bound of the cost of all selections. If the cost and the bound are equal, the selection is proved to be
//! optimal.
//!
//! A node of the search is a set of allowed candidates. Its paid cost is the cost of the part that all its selections
//! share: the places that the roots reach through places with one candidate. The search branches on a place that is
//! reached and has several candidates. The bound of a node is the paid cost plus a bound for the open places. If two
//! parts of a selection may overlap, the bound of their union is the sum of both bounds minus the most that the overlap
//! can cost.

use super::choices::{Choices, NEVER};
use super::reach::Reach;
use std::cmp::Reverse;

/// The last bit of a set of places, which is a bit mask of 64 bits. All places beyond the first 63 share this bit.
const LAST_BIT: u32 = 63;

/// The cost of a selection, and a lower bound of the cost of every selection, in fractions of a tenth of an
/// instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gap {
    pub(super) cost: u64,
    pub(super) least: u64,
}

/// Lowers the cost of the selection `chosen` and raises the bound, until the two are less than a `unit` apart. It makes
/// at most `steps` visits of candidates. The result is deterministic.
pub(super) fn improve(p: &Choices, reach: &mut Reach, chosen: &mut Vec<u32>, known: Gap, unit: u64, steps: u64) -> Gap {
    if known.cost < known.least.saturating_add(unit) || steps < p.count() as u64 {
        return known;
    }
    let mut root = Node {
        chosen: vec![NEVER; p.places.len()],
        paid: vec![false; p.candidates.len()],
        reached: vec![false; p.places.len()],
        total: 0,
    };
    if !p.roots.iter().all(|&r| root.reach(p, r)) {
        return known;
    }
    let best = std::mem::take(chosen);
    let mut search =
        Exact { p, shares: Shares::new(p), reach, best, cost: known.cost, unit, count: p.count() as u64, steps };
    let least = search.branch(&root, known.least);
    *chosen = search.best;
    Gap { cost: search.cost, least: least.min(search.cost) }
}

/// The costs that parts of a selection can share. Sets of places are bit masks.
struct Shares {
    /// For each candidate, the bit of its place in a set of places.
    bits: Vec<u32>,
    /// For each bit, the most that the chosen candidates of the places with this bit cost.
    most: Vec<u64>,
}

impl Shares {
    fn new(p: &Choices) -> Shares {
        let mut shares = Shares { bits: vec![LAST_BIT; p.candidates.len()], most: vec![0; LAST_BIT as usize + 1] };
        let mut next = 0;
        let mut placed = vec![false; p.candidates.len()];
        for candidates in &p.places {
            let most = candidates.iter().map(|&o| p.candidates[o as usize].price).max().unwrap_or(0);
            if most == 0 {
                continue;
            }
            let bit = next.min(LAST_BIT);
            next += 1;
            shares.add(bit, most);
            for &o in candidates {
                // if a second place has the same candidate, both places may be in a selection with different choices,
                // so the price is added to the bit of the first place
                if std::mem::replace(&mut placed[o as usize], true) {
                    shares.add(shares.bits[o as usize], p.candidates[o as usize].price);
                } else {
                    shares.bits[o as usize] = bit;
                }
            }
        }
        // a quotient that a remainder needs is paid even if its place chooses another candidate, so its price is added
        // too
        let mut needed = vec![false; p.candidates.len()];
        for q in p.candidates.iter().filter_map(|o| o.needs) {
            if !std::mem::replace(&mut needed[q as usize], true) {
                shares.add(shares.bits[q as usize], p.candidates[q as usize].price);
            }
        }
        shares
    }

    fn add(&mut self, bit: u32, price: u64) {
        let most = &mut self.most[bit as usize];
        *most = most.saturating_add(price);
    }

    /// A lower bound of the cost of both parts together.
    #[inline]
    fn union(&self, a: Bound, b: Bound) -> Bound {
        let below = a.below | b.below;
        if b.least == 0 {
            return Bound { least: a.least, below };
        }
        let mut overlap = a.below & b.below;
        let mut both = a.least.saturating_add(b.least);
        while overlap != 0 {
            both = both.saturating_sub(self.most[overlap.trailing_zeros() as usize]);
            overlap &= overlap - 1;
        }
        Bound { least: both.max(a.least).max(b.least), below }
    }
}

struct Exact<'a> {
    p: &'a Choices,
    shares: Shares,
    reach: &'a mut Reach,
    best: Vec<u32>,
    cost: u64,
    unit: u64,
    /// The number of candidates of all places.
    count: u64,
    /// The remaining visits of candidates.
    steps: u64,
}

/// A set of selections.
#[derive(Clone)]
struct Node {
    /// For each place the candidate that all selections of the set choose if they need the place. [`NEVER`] while the
    /// place is open.
    chosen: Vec<u32>,
    /// For each candidate whether all selections have it.
    paid: Vec<bool>,
    /// For each place whether all selections need it.
    reached: Vec<bool>,
    /// The cost of all paid candidates.
    total: u64,
}

impl Node {
    /// Marks `place` as needed, and the places below it that have only one candidate. Returns false if a place has no
    /// candidate.
    fn reach(&mut self, p: &Choices, place: u32) -> bool {
        let mut todo = vec![place];
        while let Some(place) = todo.pop() {
            if std::mem::replace(&mut self.reached[place as usize], true) {
                continue;
            }
            match *p.places[place as usize] {
                [] => return false,
                [only] => {
                    self.chosen[place as usize] = only;
                    self.pay(p, only, &mut todo);
                }
                _ => {}
            }
        }
        true
    }

    /// Adds `candidate` to all selections. Its operands are added to `todo`.
    fn pay(&mut self, p: &Choices, candidate: u32, todo: &mut Vec<u32>) {
        let mut next = Some(candidate);
        while let Some(o) = next.filter(|&o| !std::mem::replace(&mut self.paid[o as usize], true)) {
            let candidate = &p.candidates[o as usize];
            self.total = self.total.saturating_add(candidate.price);
            todo.extend(&candidate.operands);
            next = candidate.needs;
        }
    }

    /// The subset of selections that choose `candidate` for the open `place`. `None` if the subset is empty.
    fn choosing(&self, p: &Choices, place: u32, candidate: u32) -> Option<Node> {
        let mut node = self.clone();
        node.chosen[place as usize] = candidate;
        let mut todo = Vec::new();
        node.pay(p, candidate, &mut todo);
        todo.iter().all(|&operand| node.reach(p, operand)).then_some(node)
    }
}

/// A lower bound for a part of a selection, without the costs of paid candidates and of reached places. `below` holds
/// the places that the part may contain.
#[derive(Clone, Copy, Default)]
struct Bound {
    least: u64,
    /// The places whose candidates the part may contain, as a set of their numbers.
    below: u64,
}

impl Exact<'_> {
    /// Searches the set `node`. `known` is a lower bound of the cost of its selections. Returns a better lower bound.
    fn branch(&mut self, node: &Node, known: u64) -> u64 {
        if self.steps == 0 {
            return known;
        }
        let bounds = self.bounds(node);
        let open: Vec<u32> = (0..self.p.places.len() as u32)
            .filter(|&l| node.reached[l as usize] && node.chosen[l as usize] == NEVER)
            .collect();
        let all = open.iter().fold(Bound::default(), |all, &l| self.shares.union(all, bounds[l as usize]));
        let least = node.total.saturating_add(all.least).max(known);
        if self.cost < least.saturating_add(self.unit) {
            return least;
        }
        let Some(&place) = open.iter().max_by_key(|&&l| (bounds[l as usize].least, Reverse(l))) else {
            return self.complete(node);
        };
        let others = open.iter().filter(|&&l| l != place);
        let others = others.fold(Bound::default(), |all, &l| self.shares.union(all, bounds[l as usize]));
        let candidates = self.p.places[place as usize].iter();
        let mut choices: Vec<(Bound, u32)> = candidates.map(|&o| (self.of_candidate(node, &bounds, o), o)).collect();
        // of candidates with equal bounds, the one in the best selection is tried first. So a choice changes only if
        // that lowers the cost
        choices.sort_by_key(|&(bound, o)| (bound.least, o != self.best[place as usize]));
        let mut of_children = u64::MAX;
        for (bound, o) in choices {
            let least = node.total.saturating_add(self.shares.union(others, bound).least).max(least);
            let child = if self.cost < least.saturating_add(self.unit) {
                least
            } else {
                node.choosing(self.p, place, o).map_or(u64::MAX, |child| self.branch(&child, least))
            };
            of_children = of_children.min(child);
        }
        of_children
    }

    /// Evaluates the only selection of a node without open places. Returns its cost.
    fn complete(&mut self, node: &Node) -> u64 {
        let mut chosen = self.best.clone();
        for place in (0..chosen.len()).filter(|&l| node.reached[l]) {
            chosen[place] = node.chosen[place];
        }
        // a selection with a cycle has no cost
        let Some(cost) = self.reach.cost(self.p, &chosen) else { return u64::MAX };
        if cost < self.cost {
            self.cost = cost;
            self.best = chosen;
        }
        cost
    }

    /// The bounds of all places. The time is linear in the size of the graph.
    fn bounds(&mut self, node: &Node) -> Vec<Bound> {
        self.steps = self.steps.saturating_sub(self.count);
        let mut bounds = vec![Bound::default(); self.p.places.len()];
        // operands have higher numbers than their users, so one walk from the end suffices, except for cycles
        for place in (0..self.p.places.len() as u32).rev() {
            // a paid place adds nothing to a bound
            if node.chosen[place as usize] != NEVER {
                continue;
            }
            let candidates = &self.p.places[place as usize];
            let of_candidates = candidates.iter().map(|&o| self.of_candidate(node, &bounds, o));
            let of_place = of_candidates.reduce(|a, b| Bound { least: a.least.min(b.least), below: a.below | b.below });
            bounds[place as usize] = of_place.unwrap_or_default();
        }
        bounds
    }

    /// The least cost of `candidate` with all its operands, without the costs that `node` already pays and the places
    /// it reaches.
    fn of_candidate(&self, node: &Node, bounds: &[Bound], candidate: u32) -> Bound {
        let needed = self.p.candidates[candidate as usize].needs;
        let mut all = Bound::default();
        for o in [Some(candidate), needed].into_iter().flatten().filter(|&o| !node.paid[o as usize]) {
            let candidate = &self.p.candidates[o as usize];
            if candidate.price > 0 {
                let below = 1 << self.shares.bits[o as usize];
                all = self.shares.union(all, Bound { least: candidate.price, below });
            }
            for &operand in candidate.operands.iter().filter(|&&l| !node.reached[l as usize]) {
                all = self.shares.union(all, bounds[operand as usize]);
            }
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::super::choices::{Candidate, candidate, problem};
    use super::super::trees::cheapest_trees;
    use super::*;

    /// Groups of three places and a fourth place that they can share. Each of the three places costs 3 alone, or 1 if it
    /// uses the fourth place, which costs 4.
    fn groups(count: u32) -> Choices {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut choices: Vec<Vec<u32>> = Vec::new();
        for group in 0..count {
            let shared = group * 4 + 3;
            for _ in 0..3 {
                let first = candidates.len() as u32;
                candidates.extend([candidate(3, &[], None), candidate(1, &[shared], None)]);
                choices.push(vec![first, first + 1]);
            }
            candidates.push(candidate(4, &[], None));
            choices.push(vec![candidates.len() as u32 - 1]);
        }
        let choices: Vec<&[u32]> = choices.iter().map(|c| &c[..]).collect();
        let roots: Vec<u32> = (0..count * 4).filter(|place| place & 3 != 3).collect();
        problem(candidates, &choices, &roots)
    }

    fn searched(p: &Choices, steps: u64) -> Gap {
        let (mut chosen, least) = cheapest_trees(p);
        let mut reach = Reach::new(p);
        let cost = reach.cost(p, &chosen).expect("no cycle");
        let found = improve(p, &mut reach, &mut chosen, Gap { cost, least }, 1, steps);
        assert_eq!(reach.cost(p, &chosen), Some(found.cost));
        found
    }

    #[test]
    fn what_several_places_share_is_found_and_proved() {
        let p = groups(3);
        assert_eq!(searched(&p, 0).cost, 27);
        assert_eq!(searched(&p, u64::MAX), Gap { cost: 21, least: 21 });
    }

    /// There are more places than numbers in a set of places.
    #[test]
    fn bounds_hold_for_many_places_and_few_steps() {
        let p = groups(40);
        for steps in [0, 300, 3_000, 30_000] {
            let found = searched(&p, steps);
            assert!(found.least <= 40 * 7 && found.cost >= 40 * 7, "{steps}: {found:?}");
        }
    }
}
