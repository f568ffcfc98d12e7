//! The cost of the accesses of a warp.

use super::error::CoalesceError;
use std::ops::AddAssign;

/// The base-2 logarithm of the number of bytes of a sector, the smallest memory transfer of a GPU.
const SECTOR: u32 = 5;
/// The base-2 logarithm of the number of bytes of a cache line.
const LINE: u32 = 7;

/// In tables of addresses, this value marks an element or a lane without an access.
pub(super) const MASKED: i64 = i64::MIN;

/// The lanes that access memory together, and the number of elements that each of them accesses at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Warp {
    lanes: u32,
    vector: u32,
}

impl Default for Warp {
    /// 32 lanes with one element each.
    fn default() -> Warp {
        Warp { lanes: 32, vector: 1 }
    }
}

impl Warp {
    /// A warp of `lanes` lanes (1 to 1024), each of which accesses one element.
    ///
    /// # Errors
    /// [`CoalesceError::Warp`] for another number of lanes.
    pub fn new(lanes: u32) -> Result<Warp, CoalesceError> {
        if (1..=1024).contains(&lanes) { Ok(Warp { lanes, vector: 1 }) } else { Err(CoalesceError::Warp { lanes }) }
    }

    /// The warp whose lanes access `elements` (1, 2, 4, 8 or 16) neighbours at once, if these are contiguous and
    /// aligned to the width of the vector. A search also tries fewer elements for each lane.
    ///
    /// # Errors
    /// [`CoalesceError::Vector`] for another number of elements.
    pub fn with_vector(self, elements: u32) -> Result<Warp, CoalesceError> {
        match elements {
            1 | 2 | 4 | 8 | 16 => Ok(Warp { vector: elements, ..self }),
            _ => Err(CoalesceError::Vector { elements, bytes: 1 }),
        }
    }

    /// The number of lanes.
    pub fn lanes(&self) -> u32 {
        self.lanes
    }

    /// The number of elements that a lane accesses at once.
    pub fn vector(&self) -> u32 {
        self.vector
    }

    /// Warps with the same lanes, each of which accesses 1, 2, 4, ... elements, up to the number of this warp.
    pub(super) fn widths(self) -> impl Iterator<Item = Warp> {
        (0..=self.vector.max(1).ilog2()).map(move |power| Warp { vector: 1 << power, ..self })
    }

    /// The same lanes with one element each.
    pub(super) fn one_each(self) -> Warp {
        Warp { vector: 1, ..self }
    }

    /// The number of elements of all lanes together.
    pub(super) fn group(&self) -> usize {
        self.lanes as usize * self.vector as usize
    }
}

/// One measure of a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Measure {
    /// The measure [`Traffic::sectors`].
    Sectors,
    /// The measure [`Traffic::gap`].
    Gap,
    /// The measure [`Traffic::lines`].
    Lines,
    /// The measure [`Traffic::requests`].
    Requests,
    /// The cost of the indices and gates of one element.
    Cost,
    /// The measure [`Traffic::distance`].
    Distance,
    /// The measure [`Traffic::fetches`].
    Fetches,
}

impl Measure {
    /// The measure called `name`, which is the name of a field of [`Traffic`], or `cost` for the cost of the index.
    pub fn named(name: &str) -> Option<Measure> {
        match name {
            "sectors" => Some(Measure::Sectors),
            "gap" => Some(Measure::Gap),
            "lines" => Some(Measure::Lines),
            "requests" => Some(Measure::Requests),
            "cost" => Some(Measure::Cost),
            "distance" => Some(Measure::Distance),
            "fetches" => Some(Measure::Fetches),
            _ => None,
        }
    }
}

/// The cost of accesses, in several measures. Lanes without access cost nothing.
///
/// All measures are 0 by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Traffic {
    /// The sum of the distances between the elements of neighbouring lanes, in elements. Two neighbours in memory have
    /// the distance 0.
    pub gap: u128,
    /// The number of sectors of 32 bytes that the requests of a warp touch, summed over all requests.
    pub sectors: u128,
    /// The number of lines of 128 bytes that the requests of a warp touch, summed over all requests.
    pub lines: u128,
    /// The sum of the distances between the elements of neighbouring lanes, in elements. Two neighbours in memory have
    /// the distance 1.
    pub distance: u128,
    /// The number of instructions that access memory, counted once for each warp.
    pub requests: u128,
    /// The number of lines of 128 bytes that the warps of a block touch together in a step and did not touch in the
    /// step before. The measure assumes that a cache holds the lines of two steps. It is 0 if the threads of a block
    /// are not given.
    pub fetches: u128,
}

impl Traffic {
    /// The traffic multiplied by `times`. It saturates at the greatest number of 128 bits, far beyond any real machine.
    pub(super) fn times(self, times: impl Into<u128>) -> Traffic {
        let times = times.into();
        let by = |n: u128| n.saturating_mul(times);
        Traffic {
            gap: by(self.gap),
            sectors: by(self.sectors),
            lines: by(self.lines),
            distance: by(self.distance),
            requests: by(self.requests),
            fetches: by(self.fetches),
        }
    }
}

impl AddAssign for Traffic {
    fn add_assign(&mut self, other: Traffic) {
        self.gap = self.gap.saturating_add(other.gap);
        self.sectors = self.sectors.saturating_add(other.sectors);
        self.lines = self.lines.saturating_add(other.lines);
        self.distance = self.distance.saturating_add(other.distance);
        self.requests = self.requests.saturating_add(other.requests);
        self.fetches = self.fetches.saturating_add(other.fetches);
    }
}

/// Measures groups of addresses. It reuses its buffers, so that a search allocates no memory for each measurement.
#[derive(Debug, Default)]
pub(super) struct Meter {
    request: Vec<i64>,
    sorted: Vec<i64>,
}

impl Meter {
    /// The traffic when the lanes of `warp` access `addresses`, elements of `bytes` bytes. The addresses of lane 0 come
    /// first, and each lane has as many addresses as it accesses at once. [`MASKED`] marks a missing access. The
    /// addresses of the last lanes may be missing.
    pub(super) fn group(&mut self, addresses: &[i64], bytes: u32, warp: Warp) -> Traffic {
        let at_once = if are_vectors(addresses, warp) { 1 } else { warp.vector as usize };
        self.requests(addresses, bytes, at_once)
    }

    /// The traffic of `count` requests. Request `k` accesses the addresses `k`, `k + count`, `k + 2*count` and so on.
    pub(super) fn requests(&mut self, addresses: &[i64], bytes: u32, count: usize) -> Traffic {
        let mut traffic = Traffic::default();
        for first in 0..count {
            self.request.clear();
            self.request.extend(addresses.iter().skip(first).step_by(count));
            traffic += self.request(bytes);
        }
        traffic
    }

    /// The traffic of one instruction that accesses all addresses in `self.request`.
    fn request(&mut self, bytes: u32) -> Traffic {
        self.request.retain(|a| *a != MASKED);
        let (mut gap, mut distance) = (0_u128, 0_u128);
        for pair in self.request.windows(2) {
            let step = pair[1].wrapping_sub(pair[0]);
            let length = u128::from(step.unsigned_abs());
            distance += length;
            gap += if step == 1 { 0 } else { length };
        }
        let shift = bytes.max(1).ilog2();
        let [sectors, lines] = [SECTOR, LINE].map(|unit| self.distinct(shift, unit));
        Traffic { gap, sectors, lines, distance, requests: u128::from(!self.request.is_empty()), fetches: 0 }
    }

    /// The distinct lines that contain elements of `2^bytes` bytes, in ascending order.
    pub(super) fn lines(addresses: &[i64], bytes: u32) -> Vec<i64> {
        let by = LINE.saturating_sub(bytes.max(1).ilog2());
        let mut lines: Vec<i64> = addresses.iter().filter(|a| **a != MASKED).map(|a| a >> by).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// The number of distinct sectors or lines (units of `2^unit` bytes) that contain accessed elements of `2^bytes`
    /// bytes.
    fn distinct(&mut self, bytes: u32, unit: u32) -> u128 {
        let by = unit.saturating_sub(bytes);
        let changes = |all: &[i64]| {
            let mut last = None;
            let mut ascending = true;
            let mut count = 0;
            for at in all.iter().map(|a| a >> by) {
                ascending &= last.is_none_or(|l| l <= at);
                count += u128::from(last != Some(at));
                last = Some(at);
            }
            (count, ascending)
        };
        let (count, ascending) = changes(&self.request);
        if ascending {
            return count;
        }
        self.sorted.clear();
        self.sorted.extend_from_slice(&self.request);
        self.sorted.sort_unstable();
        changes(&self.sorted).0
    }
}

/// Whether every lane accesses either all of its elements as one vector, or nothing.
pub(super) fn are_vectors(addresses: &[i64], warp: Warp) -> bool {
    let vector = warp.vector as usize;
    vector == 1 || addresses.chunks(vector).all(|lane| is_vector(lane, vector))
}

/// Whether a lane accesses either all addresses of `lane` as one vector, or nothing.
fn is_vector(lane: &[i64], vector: usize) -> bool {
    if lane.iter().all(|a| *a == MASKED) {
        return true;
    }
    // the width is a power of two, so the alignment can be tested with a mask
    let aligned = lane.first().is_some_and(|a| *a != MASKED && a & (vector as i64 - 1) == 0);
    aligned && lane.len() == vector && lane.windows(2).all(|p| p[1] == p[0].wrapping_add(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(addresses: &[i64], bytes: u32, warp: Warp) -> Traffic {
        Meter::default().group(addresses, bytes, warp)
    }

    #[test]
    fn neighbours_are_free_in_one_direction_only() {
        let up: Vec<i64> = (0..32).collect();
        let down: Vec<i64> = up.iter().rev().copied().collect();
        let warp = Warp::default();
        assert_eq!(of(&up, 4, warp), Traffic { gap: 0, sectors: 4, lines: 1, distance: 31, requests: 1, fetches: 0 });
        assert_eq!(
            of(&down, 4, warp),
            Traffic { gap: 31, sectors: 4, lines: 1, distance: 31, requests: 1, fetches: 0 }
        );
        assert_eq!(
            of(&[5; 32], 4, warp),
            Traffic { gap: 0, sectors: 1, lines: 1, distance: 0, requests: 1, fetches: 0 }
        );
    }

    #[test]
    fn lanes_without_access_cost_nothing() {
        let warp = Warp::default();
        assert_eq!(of(&[MASKED; 32], 4, warp), Traffic::default());
        assert_eq!(of(&[7, MASKED, 8, MASKED, 20], 4, warp).gap, 12);
    }

    #[test]
    fn vectors_are_one_request_where_they_can_be() {
        let warp = Warp::new(4).and_then(|w| w.with_vector(4)).expect("a warp");
        let aligned: Vec<i64> = (0..16).collect();
        assert_eq!(
            of(&aligned, 4, warp),
            Traffic { gap: 0, sectors: 2, lines: 1, distance: 15, requests: 1, fetches: 0 }
        );
        let shifted: Vec<i64> = (1..17).collect();
        // each instruction loads one element of each lane. The loads from bytes 4, 8 and 12 on touch two sectors, and
        // the loads from byte 16 on touch three
        let expected = Traffic { gap: 48, sectors: 9, lines: 4, distance: 48, requests: 4, fetches: 0 };
        assert_eq!(of(&shifted, 4, warp), expected);
    }

    #[test]
    fn wide_elements_and_negative_addresses() {
        let warp = Warp::default();
        assert_eq!(of(&[-1, 0], 16, warp).sectors, 2);
        assert_eq!(of(&[-1, 0], 16, warp).lines, 2);
        assert_eq!(of(&[0, 1, 2, 3], 16, warp).sectors, 2);
    }
}
