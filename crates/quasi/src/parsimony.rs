//! Writes the jumps of a function as sums of few recurring steps. The method is called small parsimony, here on chains
//! of divisors.
//!
//! A step of height `k` at `r mod d` is the term `k*((x - r)//d)`. In a chain of divisors, each divides the next one.
//! For such a chain, the residue classes form a tree. The root is all integers, and its children are the classes modulo
//! the first divisor. The leaves are the classes modulo the period, whose values are the jumps. Every class gets a
//! value. A class whose value differs from that of its parent takes one term, and the root takes one term if its value
//! is not 0. The search for the fewest differences that lead to given leaves is called small parsimony in
//! phylogenetics. Fitch's method solves it from the leaves to the root, also if nodes have many children (Hartigan,
//! "Minimum mutation fits to a given tree", 1973).

use quaff_expr::integer::floor_div;

/// A recurring step: `height` at every `x` that is `residue` modulo `divisor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recurring {
    pub(super) height: i128,
    pub(super) residue: usize,
    pub(super) divisor: usize,
}

/// For each class of one level of the tree, its candidate values, in ascending order. These are the values with the
/// fewest differences in the tree below the class.
type Level = Vec<Vec<i128>>;

/// The quotient `n/by` of two positive numbers.
fn part(n: usize, by: usize) -> usize {
    floor_div(n as i128, by as i128) as usize
}

/// Computes the candidate values of each level, from the leaves to the root, and the least number of differences.
fn levels(jumps: &[i128], chain: &[usize]) -> (Vec<Level>, usize) {
    let mut levels: Vec<Level> = vec![jumps.iter().map(|j| vec![*j]).collect()];
    let mut differences = 0;
    let mut all: Vec<i128> = Vec::new();
    for classes in chain.iter().rev().skip(1).copied() {
        let below = &levels[levels.len() - 1];
        let children = part(below.len(), classes.max(1));
        let mut level = Vec::with_capacity(classes);
        for residue in 0..classes {
            all.clear();
            (0..children).for_each(|child| all.extend_from_slice(&below[residue + classes * child]));
            all.sort_unstable();
            let most = all.chunk_by(|a, b| a == b).map(<[i128]>::len).max().unwrap_or(0);
            level.push(all.chunk_by(|a, b| a == b).filter(|run| run.len() == most).map(|run| run[0]).collect());
            differences += children - most;
        }
        levels.push(level);
    }
    let at_root = levels.last().and_then(|l| l.first());
    differences += usize::from(at_root.is_none_or(|values| !values.contains(&0)));
    (levels, differences)
}

/// The number of steps that `jumps` take along `chain`. The chain begins with 1 and ends with the number of jumps.
pub(super) fn fewest(jumps: &[i128], chain: &[usize]) -> usize {
    levels(jumps, chain).1
}

/// The steps that `jumps` take along `chain`. Time and memory are proportional to the number of jumps times the length
/// of the chain, apart from sorting.
pub(super) fn steps(jumps: &[i128], chain: &[usize]) -> Vec<Recurring> {
    let (levels, _) = levels(jumps, chain);
    let mut steps = Vec::new();
    // the values of the level above, one for each class
    let mut above: Vec<i128> = vec![0];
    for (level, divisor) in levels.iter().rev().zip(chain) {
        let mut values = Vec::with_capacity(level.len());
        for (residue, best) in level.iter().enumerate() {
            let parent = above[residue.checked_rem(above.len()).unwrap_or(0)];
            let value = match best.binary_search(&parent) {
                Ok(_) => parent,
                Err(_) => best.first().copied().unwrap_or(0),
            };
            if value != parent {
                steps.push(Recurring { height: value - parent, residue, divisor: *divisor });
            }
            values.push(value);
        }
        above = values;
    }
    steps
}

/// All different chains of divisors from 1 to `n` that add one prime at a time, but at most `limit` chains.
pub(super) fn chains(n: usize, limit: usize) -> Vec<Vec<usize>> {
    let mut chains: Vec<Vec<usize>> = vec![vec![1]];
    loop {
        let mut longer = Vec::new();
        for chain in &chains {
            let last = chain.last().copied().unwrap_or(1);
            for prime in primes(part(n, last)) {
                longer.push([&chain[..], &[last * prime]].concat());
            }
        }
        if longer.is_empty() {
            return chains;
        }
        longer.truncate(limit);
        chains = longer;
    }
}

/// The different prime factors of `n`, in ascending order.
fn primes(n: usize) -> Vec<usize> {
    let (mut rest, mut prime, mut all) = (n, 2, Vec::new());
    while rest > 1 {
        if prime * prime > rest {
            prime = rest;
        }
        if rest.is_multiple_of(prime) {
            all.push(prime);
        }
        while rest.is_multiple_of(prime) {
            rest = part(rest, prime);
        }
        prime += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_add_one_prime_at_a_time() {
        assert_eq!(chains(12, 99), [vec![1, 2, 4, 12], vec![1, 2, 6, 12], vec![1, 3, 6, 12]]);
        assert_eq!(chains(1, 99), [vec![1]]);
        assert_eq!(chains(2 * 3 * 5 * 7, 5).len(), 5);
    }

    #[test]
    fn steps_add_up_to_the_jumps() {
        let jumps = [4, 1, 1, 1, 3, 1, 1, 1];
        let chain = [1, 2, 4, 8];
        let steps = steps(&jumps, &chain);
        assert_eq!((steps.len(), fewest(&jumps, &chain)), (3, 3));
        for (x, jump) in jumps.iter().enumerate() {
            let here = steps.iter().filter(|s| x % s.divisor == s.residue);
            assert_eq!(here.map(|s| s.height).sum::<i128>(), *jump);
        }
    }
}
