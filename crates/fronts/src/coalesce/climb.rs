//! Searches an order of the digits of a schedule. If there are few orders, the search tries all of them. Otherwise a
//! local search improves one order step by step.

use super::access::Table;
use super::candidate::Measured;
use super::digits::Digits;
use super::objective::{Objective, Taken};
use super::schedule::Schedule;
use super::traffic::{MASKED, Meter, Traffic, Warp, are_vectors};
use quaff::integer::{floor_div, floor_mod};

/// The number of lanes, spread over all warps, on which a search measures one schedule: 4,096. The figures of the
/// results are measured on all lanes.
const SAMPLE: u64 = 1 << 12;
/// A search measures only the steps of the first 16,384 lanes.
const STEPS: i64 = 1 << 14;
/// The most lanes that one climb (a local search) measures: 1,048,576. An exhaustive search has the same limit.
const LANES: u64 = 1 << 20;
/// The most lanes that all climbs measure together: 16,777,216.
const ALL_LANES: u64 = 1 << 24;
/// The largest number of digits at which a climb compares all neighbours before it moves to the best of them.
const FEW: usize = 8;

/// The quantity that a search minimises first.
#[derive(Clone, Copy, Debug)]
pub(super) enum Goal<'a> {
    Gap,
    Sectors,
    Own(&'a Objective),
}

impl Goal<'_> {
    pub(super) fn key(self, traffic: Traffic) -> [u128; 5] {
        let Traffic { gap, sectors, lines, requests, .. } = traffic;
        match self {
            Goal::Gap => [0, gap, sectors, lines, requests],
            Goal::Sectors => [0, requests, sectors, lines, gap],
            Goal::Own(objective) => [objective.key(&Taken { traffic, cost: 0.0 }), requests, sectors, lines, gap],
        }
    }
}

/// Measures schedules. The addresses of the accesses are in tables.
#[derive(Debug)]
pub(super) struct Scorer<'a> {
    tables: &'a [Table],
    warp: Warp,
    /// The number of threads of a block, if fetches are counted.
    threads: Option<u32>,
    meter: Meter,
    sigma: Vec<i64>,
    addresses: Vec<i64>,
    /// The number of schedules that were measured.
    pub(super) measured: u64,
    left: u64,
}

impl<'a> Scorer<'a> {
    pub(super) fn new(tables: &'a [Table], warp: Warp, threads: Option<u32>) -> Scorer<'a> {
        let (meter, group) = (Meter::default(), warp.group());
        Scorer {
            tables,
            warp,
            threads,
            meter,
            sigma: vec![0; group],
            addresses: vec![0; group],
            measured: 0,
            left: ALL_LANES,
        }
    }

    /// The number of elements that a lane accesses at once.
    pub(super) fn vector(&self) -> u32 {
        self.warp.vector()
    }

    /// The facts about `schedule`, with the traffic of all accesses together, measured on all lanes.
    pub(super) fn exact(&mut self, schedule: Schedule) -> Measured {
        let extent = schedule.extent();
        let fill = |from: i64, out: &mut [i64]| schedule.fill(from, out);
        let all = groups(extent, self.warp);
        let mut at_once = vec![true; self.tables.len()];
        if self.warp.vector() > 1 {
            self.each(extent, fill, 0..all, |_, warp, access, addresses, _| {
                at_once[access] = at_once[access] && are_vectors(addresses, warp);
            });
        }
        // an access is a vector access in all warps or in none
        let mut total = Traffic::default();
        self.each(extent, fill, 0..all, |meter, warp, access, addresses, table| {
            let requests = if at_once[access] { 1 } else { warp.vector() as usize };
            total += meter.requests(addresses, table.bytes, requests).times(table.weight);
        });
        let fill = |from: i64, out: &mut [i64]| schedule.fill(from, out);
        total.fetches = self.fetches(extent, i64::MAX, fill);
        self.measured += 1;
        let affine = self.affine(&schedule);
        Measured { schedule, vector: self.warp.vector(), traffic: total, at_once: self.of_accesses(&at_once), affine }
    }

    /// For each access, whether the flags of all of its tables are set.
    fn of_accesses(&self, of_tables: &[bool]) -> Vec<bool> {
        let mut all = vec![true; self.tables.iter().map(|t| t.access + 1).max().unwrap_or(0)];
        self.tables.iter().zip(of_tables).for_each(|(t, holds)| all[t.access] &= holds);
        all
    }

    /// For each access whose addresses are evenly spaced and depend on no other variable, their distance and the first
    /// address.
    fn affine(&self, schedule: &Schedule) -> Vec<Option<(i64, i64)>> {
        let mut all = vec![None; self.tables.iter().map(|t| t.access + 1).max().unwrap_or(0)];
        for table in self.tables {
            let alone = self.tables.iter().filter(|t| t.access == table.access).count() == 1;
            if alone && !table.moves {
                all[table.access] = affine(schedule, table);
            }
        }
        all
    }

    /// The number of cache lines that a step of a block touches and the step before it did not touch, summed over the
    /// steps of the first `limit` lanes.
    fn fetches(&mut self, extent: i64, limit: i64, fill: impl Fn(i64, &mut [i64])) -> u128 {
        let Some(threads) = self.threads else { return 0 };
        let step = i64::from(threads) * i64::from(self.warp.vector());
        let mut sigma = vec![0; step.clamp(0, extent.max(0)) as usize];
        let mut before: Vec<Vec<i64>> = vec![Vec::new(); self.tables.len()];
        let mut all = 0_u128;
        for from in (0..extent.min(limit)).step_by(step.max(1) as usize) {
            let count = (extent - from).clamp(0, step) as usize;
            fill(from, &mut sigma[..count]);
            for (table, before) in self.tables.iter().zip(&mut before) {
                self.addresses.splice(.., sigma[..count].iter().map(|i| table.at(*i)));
                let lines = Meter::lines(&self.addresses, table.bytes);
                let new = lines.iter().filter(|line| before.binary_search(line).is_err()).count() as u128;
                all = all.saturating_add(new.saturating_mul(table.weight));
                *before = lines;
            }
        }
        all
    }

    /// The traffic under `digits`, measured on a sample of the warps if there are many. The sample is the same for all
    /// orders of the same digits.
    pub(super) fn sampled(&mut self, digits: &Digits) -> Traffic {
        let extent = digits.extent();
        let fill = |from: i64, out: &mut [i64]| digits.fill(from, out);
        let all = groups(extent, self.warp);
        let wanted = SAMPLE.div_ceil(self.warp.group() as u64);
        let fetches = self.fetches(extent, STEPS, fill);
        if all <= wanted {
            return Traffic { fetches, ..self.over(extent, fill, 0..all) };
        }
        // the samples are multiples of the golden ratio, so that no digit has the same value in all of them
        let spread = |k: u64| floor_mod(i128::from(k) * 0x9E37_79B9_7F4A_7C15, all.into()) as u64;
        Traffic { fetches, ..self.over(extent, fill, (0..wanted).map(spread)) }
    }

    fn over(&mut self, extent: i64, fill: impl Fn(i64, &mut [i64]), groups: impl Iterator<Item = u64>) -> Traffic {
        self.measured += 1;
        let mut total = Traffic::default();
        self.each(extent, fill, groups, |meter, warp, _, addresses, table| {
            total += meter.group(addresses, table.bytes, warp).times(table.weight);
        });
        total
    }

    /// Calls `see` with the number and the addresses of each access, one warp after another.
    fn each(
        &mut self,
        extent: i64,
        fill: impl Fn(i64, &mut [i64]),
        groups: impl Iterator<Item = u64>,
        mut see: impl FnMut(&mut Meter, Warp, usize, &[i64], &Table),
    ) {
        let (group, tables) = (self.warp.group() as i64, self.tables);
        for number in groups {
            let from = number as i64 * group;
            let count = (extent - from).clamp(0, group) as usize;
            fill(from, &mut self.sigma[..count]);
            for (access, table) in tables.iter().enumerate() {
                let sigma = self.sigma[..count].iter();
                self.addresses.splice(.., sigma.map(|i| table.at(*i)));
                see(&mut self.meter, self.warp, access, &self.addresses, table);
            }
        }
    }

    /// The number of lanes that [`Scorer::sampled`] measures, over all values of uniform variables.
    fn lanes(&self, digits: &Digits) -> u64 {
        let of_steps = if self.threads.is_some() { STEPS as u64 } else { 0 };
        let extent = digits.extent() as u64;
        let values = self.tables.iter().filter(|t| t.access == 0).count().max(1) as u64;
        (extent.clamp(1, SAMPLE) + extent.min(of_steps)).saturating_mul(values)
    }

    /// The best of all orders of the digits of `start`, with their directions unchanged. `None` if there are too many
    /// orders.
    pub(super) fn best_order(&mut self, start: &Digits, goal: Goal<'_>) -> Option<Digits> {
        let count = start.radices().len() as u64;
        let orders = (1..=count).try_fold(1_u64, |n, k| n.checked_mul(k))?;
        let lanes = orders.checked_mul(self.lanes(start)).filter(|lanes| *lanes <= LANES.min(self.left))?;
        self.left -= lanes;
        let mut digits = start.clone();
        digits.order_mut().sort_unstable();
        let mut best = (goal.key(self.sampled(&digits)), digits.clone());
        while next_permutation(digits.order_mut()) {
            let key = goal.key(self.sampled(&digits));
            if key < best.0 {
                best = (key, digits.clone());
            }
        }
        Some(best.1)
    }

    /// The local optimum that is reached from `start`. A neighbour of an order is an order with one digit moved, two
    /// digits swapped, or one digit reversed. With few digits, each step takes the best neighbour. With many digits,
    /// each step takes the first neighbour that is better.
    pub(super) fn climb(&mut self, start: &Digits, goal: Goal<'_>) -> Digits {
        let mut best = (goal.key(self.sampled(start)), start.clone());
        let (lanes, greedy) = (self.lanes(start), start.radices().len() > FEW);
        let mut left = LANES.min(self.left);
        self.left -= left;
        loop {
            let (mut next, mut around) = (best.clone(), neighbours(&best.1));
            for at in 0..around.len() {
                if left < lanes {
                    return next.1;
                }
                left -= lanes;
                let neighbour = around[at].clone();
                let key = goal.key(self.sampled(&neighbour));
                if key < next.0 {
                    next = (key, neighbour);
                    if greedy {
                        // all orders have equally many neighbours, so the loop continues at the same position among the
                        // new neighbours
                        around = neighbours(&next.1);
                    }
                }
            }
            if next.0 == best.0 {
                self.left += left;
                return best.1;
            }
            best = next;
        }
    }
}

/// If the addresses of `table` are evenly spaced under `schedule`, their distance and the first address. Stops at the
/// first address with another distance.
fn affine(schedule: &Schedule, table: &Table) -> Option<(i64, i64)> {
    const BLOCK: usize = 64;
    let extent = schedule.extent();
    let mut lanes = [0; BLOCK];
    schedule.fill(0, &mut lanes[..2.min(extent.max(0) as usize)]);
    let (first, second) = (table.at(lanes[0]), if extent > 1 { table.at(lanes[1]) } else { 0 });
    if extent < 1 || first == MASKED || second == MASKED {
        return None;
    }
    let step = if extent > 1 { second - first } else { 0 };
    for from in (0..extent).step_by(BLOCK) {
        let block = &mut lanes[..(extent - from).min(BLOCK as i64) as usize];
        schedule.fill(from, block);
        // addresses and their differences are far below 64 bits
        let even = |(u, element): (i64, &i64)| {
            let at = table.at(*element);
            at != MASKED && i128::from(at) == i128::from(first) + i128::from(step) * i128::from(u)
        };
        if !(from..).zip(block.iter()).all(even) {
            return None;
        }
    }
    Some((step, first))
}

/// The number of warps of a schedule. The last warp may be incomplete.
fn groups(extent: i64, warp: Warp) -> u64 {
    (extent as u64).div_ceil(warp.group() as u64)
}

fn neighbours(digits: &Digits) -> Vec<Digits> {
    let count = digits.radices().len();
    let mut all = Vec::new();
    for from in 0..count {
        for to in 0..count {
            // moving a digit by one place is the same as swapping neighbours
            if from == to || from + 1 == to {
                continue;
            }
            let mut moved = digits.clone();
            let digit = moved.order_mut().remove(from);
            moved.order_mut().insert(to, digit);
            all.push(moved);
            if from > to + 1 {
                let mut swapped = digits.clone();
                swapped.order_mut().swap(from, to);
                all.push(swapped);
            }
        }
    }
    for digit in 0..count {
        let mut flipped = digits.clone();
        flipped.flip(digit);
        all.push(flipped);
    }
    all
}

/// Changes `order` to the next permutation in lexicographic order. Returns `false` after the last permutation.
fn next_permutation(order: &mut [usize]) -> bool {
    let Some(at) = (1..order.len()).rev().find(|k| order[k - 1] < order[*k]) else { return false };
    let with = (at..order.len()).rev().find(|k| order[*k] > order[at - 1]).unwrap_or(at);
    order.swap(at - 1, with);
    order[at..].reverse();
    true
}

/// The digits of `radices`, sorted by stride with the least stride innermost, and with the digits of negative strides
/// reversed. If the index is a sum of multiples of digits and its strides are nested, the addresses of `table` ascend
/// in this order.
pub(super) fn by_stride(radices: &[i64], table: &Table) -> Digits {
    let mut digits = Digits::identity(radices);
    let strides = strides(&digits, table);
    digits.order_mut().sort_by_key(|j| strides[*j].unsigned_abs());
    (0..radices.len()).filter(|j| strides[*j] < 0).for_each(|j| digits.flip(j));
    digits
}

/// The order by stride, for vector accesses. An innermost digit of radix `vector` is split off a digit of stride 1, so
/// that a lane takes neighbours in memory. `None` if no digit has stride 1, or if the radix of this digit is no
/// multiple of `vector`.
pub(super) fn by_vectors(radices: &[i64], table: &Table, vector: i64) -> Option<Digits> {
    let whole = Digits::identity(radices);
    let strides = strides(&whole, table);
    let is_row = |j: &usize| strides[*j].abs() == 1 && floor_mod(radices[*j].into(), vector.into()) == 0;
    let row = (0..radices.len()).find(is_row)?;
    let mut split = radices.to_vec();
    let rest = floor_div(radices[row].into(), vector.into()) as i64;
    split.splice(row..=row, [vector, rest]);
    let mut digits = by_stride(&split, table);
    digits.order_mut().retain(|j| *j != row);
    digits.order_mut().insert(0, row);
    Some(digits)
}

/// The difference between the addresses of successive values of each digit. It is 0 if one of the two elements is not
/// accessed.
fn strides(digits: &Digits, table: &Table) -> Vec<i64> {
    let origin = table.at(0);
    let stride = |weight: &i64| match (origin, table.at(*weight)) {
        (MASKED, _) | (_, MASKED) => 0,
        (a, b) => b - a,
    };
    digits.weights().iter().map(stride).collect()
}
