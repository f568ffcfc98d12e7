//! Greedy extraction of DAGs. Every class stores the cheapest selection (a node for each class below it) that was found
//! for it. A candidate costs its own price plus the cost of the union of its operands' selections. So parts that the
//! operands of one node share count once. But no class takes a costlier selection to share parts with other classes.

use quaff::inspect::Extraction;
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// The most entries of selections that are copied. A search that would copy more ends without a selection.
const MAX_COPIED: usize = 20_000_000;

/// The order in which classes are first visited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    AsGiven,
    Backwards,
}

/// A selection for one class: the chosen candidate of each class in it, and their total cost.
struct Found {
    cost: u64,
    chosen: FxHashMap<usize, usize>,
}

/// The chosen candidate of each class. Whenever the selection of a class gets cheaper, the classes that use it are
/// visited again.
///
/// Copying selections takes most of the time. It is proportional to the product of the number of candidates, the number
/// of times that a class gets cheaper, and the size of a selection.
pub(super) fn greedy(problem: &Extraction, order: Order) -> Vec<Option<usize>> {
    let classes = problem.classes();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); classes.len()];
    for (class, candidates) in classes.iter().enumerate() {
        for &operand in candidates.iter().flat_map(|c| &c.operands) {
            if users[operand].last() != Some(&class) {
                users[operand].push(class);
            }
        }
    }
    let mut todo: VecDeque<usize> = (0..classes.len()).collect();
    if order == Order::Backwards {
        todo.make_contiguous().reverse();
    }
    let mut waiting = vec![true; classes.len()];
    let mut found: Vec<Option<Found>> = classes.iter().map(|_| None).collect();
    let mut copied = 0;
    while let Some(class) = todo.pop_front() {
        if copied > MAX_COPIED {
            return vec![None; classes.len()];
        }
        waiting[class] = false;
        let known = found[class].as_ref().map_or(u64::MAX, |f| f.cost);
        let best = (0..classes[class].len())
            .filter_map(|o| with_operands(problem, &found, class, o))
            .inspect(|f| copied += f.chosen.len())
            .min_by_key(|f| f.cost)
            .filter(|f| f.cost < known);
        if let Some(best) = best {
            found[class] = Some(best);
            let again = users[class].iter().filter(|&&user| !std::mem::replace(&mut waiting[user], true));
            todo.extend(again);
        }
    }
    found.iter().enumerate().map(|(class, f)| f.as_ref().map(|f| f.chosen[&class])).collect()
}

/// The selection of candidate `o` of `class`, joined with the selections of its operands. If the selections of two
/// operands have different candidates for a class, the candidate of the larger selection is taken. `None` if an operand
/// has no selection, or if its selection contains `class`.
fn with_operands(problem: &Extraction, found: &[Option<Found>], class: usize, o: usize) -> Option<Found> {
    let candidate = &problem.classes()[class][o];
    let mut parts: Vec<&Found> = candidate.operands.iter().map(|&c| found[c].as_ref()).collect::<Option<_>>()?;
    if parts.iter().any(|p| p.chosen.contains_key(&class)) {
        return None;
    }
    parts.sort_by_key(|p| std::cmp::Reverse(p.chosen.len()));
    let mut all = parts.first().map_or_else(FxHashMap::default, |p| p.chosen.clone());
    for part in parts.iter().skip(1) {
        for (&class, &o) in &part.chosen {
            all.entry(class).or_insert(o);
        }
    }
    all.insert(class, o);
    let price = |(&class, &o): (&usize, &usize)| problem.classes()[class][o].price;
    let cost = all.iter().map(price).fold(0, u64::saturating_add);
    Some(Found { cost, chosen: all })
}

#[cfg(test)]
mod tests {
    use super::*;
    use quaff::inspect::{Candidate, Method};

    fn candidate(price: u64, operands: &[usize]) -> Candidate {
        Candidate { label: String::new(), price, operands: operands.to_vec() }
    }

    #[test]
    fn what_operands_share_counts_once() {
        // class 0 can use classes 1 and 2. Each of them costs 4 as a tree, but together they cost 5, because they share
        // class 3
        let classes = vec![
            vec![candidate(7, &[]), candidate(0, &[1, 2])],
            vec![candidate(5, &[]), candidate(1, &[3])],
            vec![candidate(5, &[]), candidate(1, &[3])],
            vec![candidate(3, &[])],
        ];
        let problem = Extraction::new(classes, vec![0]).unwrap();
        for order in [Order::AsGiven, Order::Backwards] {
            assert_eq!(problem.cost(&greedy(&problem, order)), Some(5));
        }
        assert_eq!(problem.select(Method::Trees).cost, Some(7));
        assert_eq!(problem.select(Method::Exact { steps: 1000 }).cost, Some(5));
    }

    #[test]
    fn sharing_between_classes_is_not_seen() {
        // classes 1 and 2 each choose a node of cost 4, but one shared node of cost 6 is cheaper for both together
        let classes = vec![
            vec![candidate(0, &[1, 2])],
            vec![candidate(4, &[]), candidate(0, &[3])],
            vec![candidate(4, &[]), candidate(0, &[3])],
            vec![candidate(6, &[])],
        ];
        let problem = Extraction::new(classes, vec![0]).unwrap();
        assert_eq!(problem.cost(&greedy(&problem, Order::AsGiven)), Some(8));
        assert_eq!(problem.select(Method::Engine).cost, Some(6));
    }

    #[test]
    fn cycles_are_never_chosen() {
        let classes = vec![vec![candidate(0, &[1]), candidate(9, &[])], vec![candidate(0, &[0])]];
        let problem = Extraction::new(classes, vec![0]).unwrap();
        assert_eq!(greedy(&problem, Order::AsGiven), [Some(1), Some(0)]);
        let empty = Extraction::new(vec![vec![candidate(0, &[0])]], vec![0]).unwrap();
        assert_eq!(greedy(&empty, Order::Backwards), [None]);
    }
}
