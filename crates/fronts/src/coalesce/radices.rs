//! Finds the digits into which a number is split. The boundaries between digits are periods of the index, and prime
//! factors split the digits further.

use super::access::Access;
use quaff::expr::{Dag, Op};
use quaff::integer::{ceil_div, floor_div, floor_mod};
use quaff::quasi::{Canonical, Period};
use std::collections::BTreeSet;

/// The most quotients and remainders of an index whose periods are used as boundaries. The innermost quotients and
/// remainders come first.
const NODES: usize = 64;
/// The number of boundaries that are tried one by one.
const SINGLE: usize = 16;

/// The periods below `n` of quotients and remainders in the index, and of the whole index.
pub(super) fn boundaries(access: &Access, variable: &str, n: i64) -> BTreeSet<i64> {
    let dag = Dag::new(std::slice::from_ref(access.index()));
    let divides = |op: &Op| op.is_division() || matches!(op, Op::Shr | Op::BitAnd);
    let parts = dag.nodes().iter().zip(0..).filter(|(node, _)| divides(&node.op)).take(NODES);
    let mut all: Vec<i128> = parts.filter_map(|(_, id)| Some(Period::of(dag.expr(id)?, variable)?.length)).collect();
    // tabulating a whole period below `n` takes no longer than tabulating the elements
    let whole = Period::of(access.index(), variable).filter(|p| p.length <= n.into());
    all.extend(whole.and_then(|_| Some(Canonical::of(access.index(), variable).ok()?.period())));
    all.into_iter().filter_map(|l| i64::try_from(l).ok()).filter(|l| (2..n).contains(l)).collect()
}

/// Lists of radices of digits to permute, the least significant digit first. The product of each list is `n`. If the
/// most significant digit is ragged, its last value is not complete, and the product is a little more. The simplest
/// list comes first, and no list occurs twice.
pub(super) fn systems(boundaries: &BTreeSet<i64>, n: i64) -> Vec<Vec<i64>> {
    let exact: Vec<i64> = boundaries.iter().copied().filter(|b| floor_mod(n.into(), (*b).into()) == 0).collect();
    let all: Vec<i64> = boundaries.iter().copied().collect();
    let mut chains = vec![Vec::new(), longest_chain(&exact), longest_chain(&all)];
    chains.extend(all.iter().take(SINGLE).map(|b| vec![*b]));
    let mut systems: Vec<Vec<i64>> = Vec::new();
    let coarse: Vec<Vec<i64>> = chains.iter().map(|chain| cut(chain, n)).collect();
    // lists with few digits come first. Among schedules with equal costs, a schedule with few digits has the cheapest
    // index
    let ascending = coarse.iter().map(|radices| radices.iter().flat_map(|r| primes(*r)).collect::<Vec<i64>>());
    let descending = coarse.iter().map(|radices| radices.iter().flat_map(|r| primes(*r).into_iter().rev()).collect());
    for radices in coarse.iter().cloned().chain(ascending).chain(descending) {
        if !systems.contains(&radices) {
            systems.push(radices);
        }
    }
    systems
}

/// The longest list of numbers of `sorted` in which each number divides the next. Of equally long lists, it is the list
/// whose last member is the least.
fn longest_chain(sorted: &[i64]) -> Vec<i64> {
    let mut best: Vec<Vec<i64>> = Vec::with_capacity(sorted.len());
    for b in sorted {
        let mut chain: Vec<i64> = Vec::new();
        for before in &best {
            let fits = before.last().is_some_and(|last| floor_mod((*b).into(), (*last).into()) == 0);
            if fits && before.len() > chain.len() {
                chain.clone_from(before);
            }
        }
        chain.push(*b);
        best.push(chain);
    }
    best.into_iter().rev().max_by_key(Vec::len).unwrap_or_default()
}

/// The radices of the digits between the boundaries of `chain`, and of the digit above the last boundary, rounded up.
fn cut(chain: &[i64], n: i64) -> Vec<i64> {
    let (mut radices, mut below) = (Vec::with_capacity(chain.len() + 1), 1);
    for b in chain {
        radices.push(floor_div((*b).into(), i128::from(below)) as i64);
        below = *b;
    }
    radices.push(ceil_div(n.into(), below.into()) as i64);
    radices.retain(|r| *r > 1);
    radices
}

/// The prime factors of `n` in ascending order, with multiplicity.
fn primes(n: i64) -> Vec<i64> {
    let (mut rest, mut prime, mut all) = (i128::from(n), 2, Vec::new());
    while rest > 1 {
        if prime * prime > rest {
            prime = rest;
        }
        while floor_mod(rest, prime) == 0 {
            all.push(prime as i64);
            rest = floor_div(rest, prime);
        }
        prime += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, n: i64) -> (Vec<i64>, Vec<Vec<i64>>) {
        let access = Access::new(text.parse().expect(text), 4).expect("an access");
        let all = boundaries(&access, "i", n);
        let systems = systems(&all, n);
        (all.into_iter().collect(), systems)
    }

    #[test]
    fn boundaries_are_periods_of_parts() {
        assert_eq!(of("(i//8)%4*64 + (i%8)*8 + i//32", 256).0, [8, 32]);
        assert_eq!(of("(i*6)//4", 256).0, [2]);
        assert_eq!(of("3*i + 1", 256).0, [] as [i64; 0]);
    }

    #[test]
    fn systems_multiply_to_the_number_or_a_little_more() {
        let (_, all) = of("(i%10)*24 + i//10", 256);
        assert_eq!(all[0], [256]);
        assert!(all.contains(&vec![10, 26]) && all.contains(&vec![2; 8]), "{all:?}");
        for radices in all {
            let product: i64 = radices.iter().product();
            assert!((256..=260).contains(&product), "{radices:?}");
        }
        assert_eq!(systems(&BTreeSet::new(), 1), [Vec::<i64>::new()]);
    }

    #[test]
    fn chains_divide() {
        assert_eq!(longest_chain(&[2, 3, 4, 6, 12, 36]), [2, 4, 12, 36]);
        assert_eq!(longest_chain(&[]), [] as [i64; 0]);
    }
}
