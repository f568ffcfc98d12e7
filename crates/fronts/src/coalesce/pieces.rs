//! Schedules in pieces: the ascending order of addresses, if it is periodic. In each piece, the element is a sum of
//! quotients of the lane.

use quaff::expr::{Expr, int, select, var};
use quaff::integer::floor_mod;
use quaff::quasi::{Canonical, FloorSum};

/// The most pieces of one schedule: 16, because each further piece costs a comparison and a selection.
const PIECES: usize = 16;
/// The most quotients of one schedule. With more quotients, the index costs more than the schedule saves.
const TERMS: usize = 96;
/// Limits for short pieces, which are tried one after another. A stretch before or after the periodic part becomes one
/// piece if it has at most this number of elements.
const SINGLE: [usize; 3] = [48, 16, 8];
/// An order of more than this number of elements (4,096) is cut into pieces in one way only.
const LONG: usize = 1 << 12;
/// The longest period that is tried, besides the periods that the caller names.
const PERIOD: usize = 64;
/// The most elements of an order that is tried as a schedule: 262,144.
pub(super) const ORDERED: usize = 1 << 18;

/// A schedule in pieces of successive lanes. In each piece, the element is a sum of quotients.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Pieces {
    extent: i64,
    /// The first lane of each piece, and the element as a function of the lane. The first piece begins at lane 0.
    pieces: Vec<(i64, FloorSum)>,
}

/// The lanes `from..to`.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    from: usize,
    to: usize,
}

impl Pieces {
    /// The schedule whose lanes take the elements in the order `order`, if it has few pieces with few terms. The middle
    /// piece is periodic, with a period of at most 64 or one of `periods`. Short pieces may precede and follow it. Of
    /// several ways to cut the order, the way with the fewest terms and pieces is taken.
    ///
    /// The time is proportional to the length times the number of periods and of pieces.
    pub(super) fn of(order: &[u32], periods: &[usize]) -> Option<Pieces> {
        let weight = |p: &Pieces| p.pieces.len() + p.pieces.iter().map(|(_, sum)| sum.terms().len()).sum::<usize>();
        // a long order is cut in one way only, because each cut takes long
        let ways = if order.len() > LONG { 1 } else { SINGLE.len() };
        SINGLE[..ways].iter().filter_map(|single| Pieces::cut(order, periods, *single)).min_by_key(weight)
    }

    /// The schedule when stretches of up to `single` elements become pieces of their own.
    fn cut(order: &[u32], periods: &[usize], single: usize) -> Option<Pieces> {
        let mut lengths: Vec<usize> = (1..=PERIOD).chain(periods.iter().copied()).filter(|l| *l > 0).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let mut pieces = Vec::new();
        // the remaining stretches, the last stretch first, so that pieces are found in order
        let mut left = vec![Stretch { from: 0, to: order.len() }];
        while let Some(stretch) = left.pop() {
            if pieces.len() == PIECES {
                return None;
            }
            let short = stretch.to - stretch.from <= single;
            let whole = |part: Stretch| part.from == stretch.from && part.to == stretch.to;
            match repeating(order, stretch, &lengths).filter(|(part, _)| !short || whole(*part)) {
                // the stretch before the part is pushed last, so that it is handled first
                Some((part, _)) if part.from > stretch.from => {
                    left.push(Stretch { from: part.from, ..stretch });
                    left.push(Stretch { to: part.from, ..stretch });
                }
                Some((part, length)) => {
                    pieces.push((part.from as i64, periodic(order, part, length)?));
                    if part.to < stretch.to {
                        left.push(Stretch { from: part.to, ..stretch });
                    }
                }
                None => pieces.push((stretch.from as i64, alone(order, stretch, single)?)),
            }
        }
        let terms: usize = pieces.iter().map(|(_, sum)| sum.terms().len()).sum();
        (terms <= TERMS).then_some(Pieces { extent: order.len() as i64, pieces })
    }

    /// The number of lanes.
    pub fn extent(&self) -> i64 {
        self.extent
    }

    /// The first lane of each piece, and the element as a function of the lane within the piece.
    pub fn pieces(&self) -> &[(i64, FloorSum)] {
        &self.pieces
    }

    /// The element of lane `u`.
    pub fn value(&self, u: i64) -> i64 {
        let piece = self.pieces.iter().rev().find(|(from, _)| *from <= u).or(self.pieces.first());
        let value = piece.and_then(|(_, sum)| sum.value(u.into()));
        value.and_then(|v| i64::try_from(v).ok()).unwrap_or(i64::MAX)
    }

    /// The element as an expression over `variable`, whose range is `0..extent`.
    pub fn expr(&self, variable: &str) -> Expr {
        let lane = var(variable);
        let mut pieces = self.pieces.iter().rev();
        // the coefficients are numbers of lanes and elements, far below 64 bits
        let text = |sum: &FloorSum| sum.to_expr(variable).unwrap_or_else(|| int(0));
        let Some((mut from, last)) = pieces.next().map(|(from, sum)| (*from, text(sum))) else { return int(0) };
        let mut whole = last;
        for (before, sum) in pieces {
            whole = select(lane.lt(int(from)), text(sum), whole);
            from = *before;
        }
        whole
    }
}

/// The periodic part of `stretch` whose length minus two of its periods is the greatest. Also returns its period, in
/// lanes.
fn repeating(order: &[u32], stretch: Stretch, lengths: &[usize]) -> Option<(Stretch, usize)> {
    let mut best: Option<(usize, Stretch, usize)> = None;
    for length in lengths.iter().copied().take_while(|l| 2 * l < stretch.to - stretch.from) {
        let step = |x: usize| i64::from(order[x + length]) - i64::from(order[x]);
        let mut from = stretch.from;
        let last = stretch.to - length;
        for x in stretch.from..last {
            if x + 1 < last && step(x + 1) == step(x) {
                continue;
            }
            // the lanes `from..x + length + 1` are periodic
            let part = Stretch { from, to: x + length + 1 };
            let beyond = (part.to - part.from).saturating_sub(2 * length);
            if beyond > best.map_or(0, |b| b.0) {
                best = Some((beyond, part, length));
            }
            from = x + 1;
        }
    }
    best.map(|(_, part, length)| (part, length))
}

/// The element as a function of the lane in `part`, which has the period `length`.
fn periodic(order: &[u32], part: Stretch, length: usize) -> Option<FloorSum> {
    let at = |x: usize| i128::from(order[x]);
    let mut jumps = vec![0; length];
    for x in part.from + 1..=part.from + length {
        jumps[floor_mod(x as i128, length as i128) as usize] = at(x) - at(x - 1);
    }
    // a lane of the first period that is -1 modulo the period
    let lane = (part.from..part.from + length).find(|x| (x + 1).is_multiple_of(length))?;
    let periods = (lane + 1).div_ceil(length) as i128;
    let before = at(lane) - periods * jumps.iter().sum::<i128>();
    FloorSum::fewest(&Canonical::from_jumps(before, jumps)?)
}

/// A function that gives the elements of the lanes of `stretch`, which has at most `most` lanes. Its values for other
/// lanes do not matter.
fn alone(order: &[u32], stretch: Stretch, most: usize) -> Option<FloorSum> {
    let Stretch { from, to } = stretch;
    if to - from > most {
        return None;
    }
    let at = |x: usize| i128::from(order[x]);
    let length = to - from;
    let inner: Vec<i128> = (from + 1..to).map(|x| at(x) - at(x - 1)).collect();
    // the jump from one period to the next may have any value: try the values of the other jumps, and 0
    let mut free = inner.clone();
    free.push(0);
    free.sort_unstable();
    free.dedup();
    let sums = free.into_iter().filter_map(|jump| {
        let mut jumps = vec![0; length];
        for (x, j) in (from..to).zip(std::iter::once(&jump).chain(&inner)) {
            jumps[floor_mod(x as i128, length as i128) as usize] = *j;
        }
        let lane = (from..to).find(|x| (x + 1).is_multiple_of(length))?;
        let periods = (lane + 1).div_ceil(length) as i128;
        let before = at(lane) - periods * jumps.iter().sum::<i128>();
        FloorSum::fewest(&Canonical::from_jumps(before, jumps)?)
    });
    sums.min_by_key(|sum| sum.terms().len())
}

#[cfg(test)]
mod tests {
    use super::Pieces;
    use quaff::quasi::FloorSum;

    fn check(order: &[u32]) -> Option<Pieces> {
        let pieces = Pieces::of(order, &[])?;
        let e = pieces.expr("u");
        for (u, i) in (0..).zip(order) {
            assert_eq!(pieces.value(u), i64::from(*i), "{e} at {u}");
            assert_eq!(e.eval(|_| Some(u)), Ok(i128::from(*i)), "{e} at {u}");
        }
        Some(pieces)
    }

    #[test]
    fn what_repeats_is_one_piece() {
        let transposed: Vec<u32> = (0..256).map(|u| u % 8 * 32 + u / 8).collect();
        assert_eq!(check(&transposed).map(|p| p.pieces().len()), Some(1));
        // columns of 26 elements, followed by columns of 25
        let ragged: Vec<u32> = (0..10).flat_map(|c| (0..256).filter(move |i| i % 10 == c)).collect();
        assert_eq!(check(&ragged).map(|p| p.pieces().len()), Some(2));
    }

    #[test]
    fn ends_are_pieces_of_their_own() {
        let mut order: Vec<u32> = vec![1, 0, 3, 2];
        order.extend((0..60).map(|u| 4 + (u + 1) % 60));
        let pieces = check(&order).expect("pieces");
        assert!(pieces.pieces().len() <= 3, "{}", pieces.expr("u"));
        assert!(pieces.pieces().iter().map(|(_, s): &(i64, FloorSum)| s.terms().len()).sum::<usize>() < 12);
    }

    #[test]
    fn without_a_pattern_there_are_none() {
        let squares: Vec<u32> = (0..257).map(|u: u32| u * u % 257).collect();
        assert_eq!(check(&squares), None);
        assert_eq!(check(&[]).map(|p| p.pieces().len()), None);
        assert_eq!(check(&[0]).map(|p| p.pieces().len()), Some(1));
    }
}
