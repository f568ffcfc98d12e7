//! Finds the cheapest trees of an and-or graph, and a lower bound of the cost of all selections. A tree counts a shared
//! operation once for each use. The search for the cheapest selection starts with these trees, and ends when its cost
//! is equal to the lower bound.

use super::choices::{Choices, NEVER};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The maximum number of rounds over all places. Real expressions need a few. If the order of places needs more rounds,
/// `settled` finds the cheapest trees instead.
const MAX_ROUNDS: u32 = 32;

/// The cost of a tree that is not known yet.
const UNREACHED: u64 = u64::MAX;

/// Bounds on the cost of a place or a candidate with its operands, in fractions.
#[derive(Clone, Copy)]
struct Bounds {
    /// The cost of the cheapest tree.
    tree: u64,
    /// A lower bound of the cost, even with full sharing.
    least: u64,
    /// The places with a cost that a selection may use here, as a bit set by position. If there are too many places,
    /// all bits are set.
    below: u64,
}

/// The candidate of each place with the cheapest tree, and a lower bound of the cost of all selections.
///
/// The algorithm is Bellman-Ford over tree costs, which also computes the lower bounds. Every round finds the final
/// tree of at least one more place.
pub(crate) fn cheapest_trees(p: &Choices) -> (Vec<u32>, u64) {
    let mut chosen = vec![NEVER; p.places.len()];
    // the weakest lower bounds: cost 0, and any place may be used
    let mut known = vec![Bounds { tree: UNREACHED, least: 0, below: u64::MAX }; p.places.len()];
    for _ in 0..MAX_ROUNDS {
        let mut changed = false;
        // operands have higher numbers than their users, so the walk goes backwards
        for place in (0..p.places.len()).rev() {
            let mut of_place = Bounds { tree: known[place].tree, least: UNREACHED, below: 0 };
            for &o in &p.places[place] {
                let of_candidate = of_candidate(p, o, &known);
                if of_candidate.tree < of_place.tree {
                    of_place.tree = of_candidate.tree;
                    chosen[place] = o;
                    changed = true;
                }
                of_place.least = of_place.least.min(of_candidate.least);
                of_place.below |= of_candidate.below;
            }
            if of_place.least > 0 {
                of_place.below |= 1u64.checked_shl(place as u32).unwrap_or(u64::MAX);
            }
            known[place] = of_place;
        }
        if !changed {
            return (chosen, together(&p.roots, &known).least);
        }
    }
    // the lower bounds hold after any number of rounds
    (settled(p), together(&p.roots, &known).least)
}

/// The candidate of each place with the cheapest tree. Places are settled in the order of their costs (Knuth 1977), in
/// time n log n.
fn settled(p: &Choices) -> Vec<u32> {
    let mut chosen = vec![NEVER; p.places.len()];
    let mut costs: Vec<u64> = (0..p.candidates.len() as u32).map(|o| p.price_alone(o)).collect();
    let mut open: Vec<usize> = p.candidates.iter().map(|o| o.operands.len()).collect();
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); p.places.len()];
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); p.candidates.len()];
    for (place, candidates) in p.places.iter().enumerate() {
        candidates.iter().for_each(|&o| places[o as usize].push(place as u32));
    }
    let mut heap: BinaryHeap<Reverse<(u64, u32)>> = BinaryHeap::new();
    for (o, candidate) in p.candidates.iter().enumerate() {
        candidate.operands.iter().for_each(|&place| users[place as usize].push(o as u32));
        if candidate.operands.is_empty() {
            heap.push(Reverse((costs[o], o as u32)));
        }
    }
    while let Some(Reverse((cost, o))) = heap.pop() {
        for &place in &places[o as usize] {
            if chosen[place as usize] != NEVER {
                continue;
            }
            chosen[place as usize] = o;
            for &user in &users[place as usize] {
                let user = user as usize;
                costs[user] = costs[user].saturating_add(cost);
                open[user] -= 1;
                if open[user] == 0 {
                    heap.push(Reverse((costs[user], user as u32)));
                }
            }
        }
    }
    chosen
}

/// The bounds for several places together. Their lower bounds are added only if the places cannot share anything.
/// Otherwise the greatest one counts.
fn together(places: &[u32], known: &[Bounds]) -> Bounds {
    let mut all = Bounds { tree: 0, least: 0, below: 0 };
    for &place in places {
        let one = known[place as usize];
        all.tree = all.tree.saturating_add(one.tree);
        let disjoint = all.below & one.below == 0;
        all.least = if disjoint { all.least.saturating_add(one.least) } else { all.least.max(one.least) };
        all.below |= one.below;
    }
    all
}

fn of_candidate(p: &Choices, candidate: u32, known: &[Bounds]) -> Bounds {
    let o = &p.candidates[candidate as usize];
    let mut all = together(&o.operands, known);
    all.least = all.least.saturating_add(o.price);
    if all.tree != UNREACHED {
        // the tree pays for the quotient that the candidate needs. Selections usually share it with another user
        all.tree = all.tree.saturating_add(p.price_alone(candidate)).min(UNREACHED - 1);
    }
    if o.needs.is_some() {
        all.below = u64::MAX;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::branch_and_bound::{Gap, improve};
    use super::super::choices::{candidate, problem};
    use super::super::local_search::Selection;
    use super::super::reach::Reach;
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chain_costs_what_its_parts_cost() {
        // 0 -> 1 -> 2, and place 1 has two candidates
        let candidates =
            vec![candidate(3, &[1], None), candidate(5, &[2], None), candidate(9, &[], None), candidate(2, &[], None)];
        let p = problem(candidates, &[&[0], &[1, 2], &[3]], &[0]);
        assert_eq!(cheapest_trees(&p), (vec![0, 1, 3], 10));
    }

    #[test]
    fn what_may_be_shared_is_paid_for_once_and_the_rest_for_each() {
        // 0 uses 1 and 2, and both of them use 3
        let sharing = vec![
            candidate(1, &[1, 2], None),
            candidate(4, &[3], None),
            candidate(6, &[3], None),
            candidate(8, &[], None),
        ];
        let p = problem(sharing, &[&[0], &[1], &[2], &[3]], &[0]);
        assert_eq!(cheapest_trees(&p).1, 1 + 6 + 8);
        assert_eq!(Selection::cheapest(&p).cost, Some(1 + 4 + 6 + 8));
        // if the shared place costs nothing, the costs of 1 and 2 add up
        let apart = vec![
            candidate(1, &[1, 2], None),
            candidate(4, &[3], None),
            candidate(6, &[3], None),
            candidate(0, &[], None),
        ];
        let p = problem(apart, &[&[0], &[1], &[2], &[3]], &[0]);
        assert_eq!(cheapest_trees(&p).1, 1 + 4 + 6);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// Both algorithms find trees of the same cost.
        #[test]
        fn both_ways_find_the_cheapest_trees(
            of_places in prop::collection::vec(
                prop::collection::vec((0u32..9, prop::collection::vec(0u32..8, 0..3)), 1..4),
                8,
            ),
        ) {
            let mut p = problem(Vec::new(), &[], &[0]);
            for choices in of_places {
                let first = p.candidates.len() as u32;
                p.places.push((first..first + choices.len() as u32).collect());
                p.candidates.extend(choices.into_iter().map(|(price, operands)| candidate(price, &operands, None)));
            }
            let tree = |chosen: &[u32], from: u32| -> Option<u64> {
                let (mut total, mut todo) = (0, vec![from]);
                while let Some(place) = todo.pop() {
                    let o = *chosen.get(place as usize).filter(|o| **o != NEVER)?;
                    total += p.price_alone(o);
                    todo.extend(p.candidates[o as usize].operands.iter());
                    if todo.len() > 10_000 {
                        return None;
                    }
                }
                Some(total)
            };
            let (rounds, order) = (cheapest_trees(&p).0, settled(&p));
            for place in 0..8 {
                prop_assert_eq!(tree(&rounds, place), tree(&order, place));
            }
        }
    }

    #[test]
    fn a_chain_in_the_worst_order_is_settled_for_good() {
        // place i uses place i - 1, so each round of the backward walk settles only one place
        let n = 4 * MAX_ROUNDS;
        let mut candidates = vec![candidate(1, &[], None)];
        candidates.extend((1..n).map(|i| candidate(1, &[i - 1], None)));
        let choices: Vec<Vec<u32>> = (0..n).map(|i| vec![i]).collect();
        let choices: Vec<&[u32]> = choices.iter().map(|c| &c[..]).collect();
        let p = problem(candidates, &choices, &[n - 1]);
        assert_eq!(Selection::cheapest(&p).cost, Some(n.into()));
    }

    /// The cost of the cheapest selection, by trying all of them.
    fn cheapest(p: &Choices, reach: &mut Reach) -> Option<u64> {
        let choices = || p.places.iter().map(|c| c.len().max(1));
        let best = (0..choices().product::<usize>()).filter_map(|mut i| {
            let chosen: Vec<u32> = p
                .places
                .iter()
                .zip(choices())
                .map(|(c, n)| {
                    let at = i.rem_euclid(n);
                    i = i.div_euclid(n);
                    c.get(at).copied().unwrap_or(NEVER)
                })
                .collect();
            reach.cost(p, &chosen)
        });
        best.min()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The problems include cycles, candidates without cost, operands used twice, and quotients.
        #[test]
        fn no_selection_costs_less(
            of_places in prop::collection::vec(
                prop::collection::vec((0u32..4, prop::collection::vec(0u32..7, 0..3), prop::option::weighted(0.1, 0u32..99)), 1..4),
                7,
            ),
            roots in prop::collection::vec(0u32..7, 1..3),
        ) {
            let count = of_places.iter().map(Vec::len).sum::<usize>() as u32;
            let mut p = problem(Vec::new(), &[], &roots);
            for choices in of_places {
                let first = p.candidates.len() as u32;
                p.places.push((first..first + choices.len() as u32).collect());
                let needs = |q: Option<u32>| q.map(|q| q.rem_euclid(count));
                p.candidates.extend(choices.into_iter().map(|(price, operands, q)| candidate(price, &operands, needs(q))));
            }
            let mut reach = Reach::new(&p);
            // a place that was merged into its user changes no cost
            let (collapsed, chosen) = (p.collapsed(), Selection::trees(&p).chosen);
            prop_assert_eq!(reach.cost(&p, &chosen), Reach::new(&collapsed).cost(&collapsed, &chosen));
            if let Some(best) = cheapest(&p, &mut reach) {
                let (_, least) = cheapest_trees(&p);
                prop_assert!(least <= best, "{least} {best}");
                prop_assert!(Selection::cheapest(&p).cost.is_none_or(|c| c >= best));
                let Selection { mut chosen, cost, least } = Selection::trees(&p);
                let Some(cost) = cost else { return Ok(()) };
                let mut gap = Gap { cost, least };
                for steps in [0, 40, 160, u64::MAX] {
                    gap = improve(&p, &mut reach, &mut chosen, gap, 1, steps);
                    prop_assert!(gap.least <= best && best <= gap.cost, "{gap:?} {best}");
                    prop_assert!(reach.cost(&p, &chosen) == Some(gap.cost));
                    prop_assert!(steps < u64::MAX || gap.least == gap.cost);
                }
            }
        }
    }
}
