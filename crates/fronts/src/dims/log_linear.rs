//! Solves size equations that can be solved only together, by linear algebra on exponents.
//!
//! The system `A = 2 * B, A * B = 32` has one solution, but none of its equations has a single unknown. Over a coprime
//! [`Base`](super::base), the equations are linear in the exponents of the unknown sizes, with one right-hand side per
//! base element.
//!
//! Sizes that are known at run time are further elements of the base. A product with no negative exponent is an integer
//! for all values of these sizes. If an exponent is negative, the facts about the parameters decide.
//!
//! # Exactness
//! The elimination runs modulo the prime [`P`] = 2^61 - 1 instead of over the rationals. Entries stay one word, whereas
//! rational entries would exceed 128 bits in a system of a thousand tied sizes. The result is still exact:
//! - A size fits `i64`, so its exponents are in 0..=62 and are determined by their residues. If the residues are no
//!   such exponents, or the system is inconsistent, no sizes exist, because sizes would solve the system modulo `P`
//!   too.
//! - Columns that are independent modulo `P` are independent over the rationals, so a solution that leaves no column
//!   free is unique.
//! - When columns stay free, a determinant could be a multiple of `P`. Hadamard's bound excludes this case up to about
//!   sixty connected equations. In a larger system with free columns, no unknown counts as determined.

use quaff::integer::{floor_div, floor_mod};

/// The modulus, a Mersenne prime.
const P: u64 = (1 << 61) - 1;

/// Up to this length, a row counts as sparse, and the elimination chooses an order that keeps rows short. No order
/// keeps longer rows short.
const SPARSE: usize = 8;

/// Sorted pairs `(column, residue)` without zero residues.
type Row = Vec<(u32, u64)>;

/// One equation: the exponents of the unknowns (columns `0..unknowns`), and the exponents of the base on the right.
pub(super) struct Equation<'a> {
    pub(super) unknowns: &'a [(u32, i64)],
    pub(super) right: &'a [(u32, i64)],
}

/// For every unknown of one connected system, its nonzero exponents over the base elements. An entry is `None` if it
/// depends on a free unknown, or if it may be wrong over the rationals.
pub(super) type Solution = Vec<Option<Vec<(u32, Residue)>>>;

/// The equations (by position) whose combination is `factor = 1` without unknowns, although `factor` is not 1.
pub(super) struct Inconsistent {
    pub(super) equations: Vec<usize>,
    pub(super) factor: Vec<(u32, Residue)>,
}

/// An exponent modulo [`P`].
#[derive(Clone, Copy)]
pub(super) struct Residue(u64);

impl Residue {
    /// The exponent as an integer, if its absolute value is below 2^20. A size in `i64` has exponents far below this
    /// limit. A negative exponent is part of a size only if a symbol can compensate it.
    pub(super) fn as_exponent(self) -> Option<i64> {
        const LIMIT: u64 = 1 << 20;
        match (self.0, P - self.0) {
            (x, _) if x < LIMIT => Some(x as i64),
            (_, x) if x < LIMIT => Some(-(x as i64)),
            _ => None,
        }
    }

    /// The least fraction `numerator / denominator` with this residue, if there is a small fraction. Except in
    /// contrived cases this is the value over the rationals. It is used in messages only.
    pub(super) fn as_fraction(self) -> Option<(i64, i64)> {
        const LIMIT: i128 = 1 << 20;
        let (mut r0, mut r1, mut t0, mut t1) = (P as i128, self.0 as i128, 0i128, 1i128);
        while r1 >= LIMIT {
            let q = floor_div(r0, r1);
            (r0, r1) = (r1, r0 - q * r1);
            (t0, t1) = (t1, t0 - q * t1);
        }
        (t1.abs() < LIMIT).then(|| if t1 < 0 { (-r1 as i64, -t1 as i64) } else { (r1 as i64, t1 as i64) })
    }
}

/// Solves the system with `unknowns` columns and `base` right-hand sides.
///
/// When every unknown is determined, the caller must check the equations that were not needed. The elimination takes
/// about `rows * unknowns` steps on sparse systems. A core of k unknowns that fills in adds k^3 / 3 steps.
pub(super) fn solve(equations: &[Equation<'_>], unknowns: usize, base: usize) -> Result<Solution, Inconsistent> {
    match eliminate(equations, unknowns, base, false) {
        Ok(solution) => Ok(solution),
        // the equations that contribute are recorded only after a failure, because the record makes rows longer
        Err(_) => eliminate(equations, unknowns, base, true),
    }
}

fn eliminate(equations: &[Equation<'_>], unknowns: usize, base: usize, tagged: bool) -> Result<Solution, Inconsistent> {
    let tag = |i: usize| (tagged).then_some(((unknowns + base + i) as u32, 1));
    let mut active: Vec<Row> = equations
        .iter()
        .enumerate()
        .map(|(i, e)| {
            let left = e.unknowns.iter().map(|&(column, x)| (column, residue(x)));
            let right = e.right.iter().map(|&(element, x)| (unknowns as u32 + element, residue(x)));
            left.chain(right).chain(tag(i)).collect()
        })
        .collect();
    let width = |row: &Row| row.partition_point(|&(column, _)| (column as usize) < unknowns);
    let mut uses = vec![0u32; unknowns];
    for row in &active {
        row[..width(row)].iter().for_each(|&(column, _)| uses[column as usize] += 1);
    }
    let mut pivots: Vec<(u32, Row)> = Vec::with_capacity(unknowns);
    loop {
        // a row without unknowns says `right = 1`. Of the other rows, the elimination of the shortest row makes the
        // fewest new entries (Markowitz)
        let mut shortest = None;
        let mut i = 0;
        while i < active.len() {
            let w = width(&active[i]);
            if w == 0 {
                check_empty(&active.swap_remove(i), unknowns, base)?;
                continue;
            }
            if shortest.is_none_or(|(least, _)| w < least) {
                shortest = Some((w, i));
            }
            i += 1;
        }
        let Some((w, at)) = shortest.filter(|&(w, _)| w <= SPARSE) else { break };
        let row = active.swap_remove(at);
        row[..w].iter().for_each(|&(column, _)| uses[column as usize] -= 1);
        let Some(&(pivot, lead)) = row[..w].iter().min_by_key(|&&(column, _)| uses[column as usize]) else { break };
        let row = scaled(row, lead);
        for other in &mut active {
            if let Ok(found) = other.binary_search_by_key(&pivot, |&(column, _)| column) {
                other[..width(other)].iter().for_each(|&(column, _)| uses[column as usize] -= 1);
                *other = minus_scaled(other, other[found].1, &row);
                other[..width(other)].iter().for_each(|&(column, _)| uses[column as usize] += 1);
            }
        }
        pivots.push((pivot, row));
    }
    // the remaining rows are dense, so they are eliminated one by one until every column has a pivot
    let sparse = pivots.len();
    for mut row in active {
        if pivots.len() == unknowns {
            break;
        }
        for (pivot, by) in &pivots[sparse..] {
            if let Ok(found) = row.binary_search_by_key(pivot, |&(column, _)| column) {
                row = minus_scaled(&row, row[found].1, by);
            }
        }
        match row.first() {
            Some(&(pivot, lead)) if (pivot as usize) < unknowns => pivots.push((pivot, scaled(row, lead))),
            _ => check_empty(&row, unknowns, base)?,
        }
    }
    Ok(back_substitute(pivots, equations, unknowns, base))
}

/// Checks a row without unknowns, which says that its right side is 1. The row holds if its right side has no
/// exponents.
fn check_empty(row: &Row, unknowns: usize, base: usize) -> Result<(), Inconsistent> {
    let factor: Vec<_> = right_side(row, unknowns, base).collect();
    if factor.is_empty() {
        return Ok(());
    }
    let used = row.iter().filter(|&&(column, _)| column as usize >= unknowns + base);
    let equations = used.map(|&(column, _)| column as usize - unknowns - base).collect();
    Err(Inconsistent { equations, factor })
}

/// The value of every determined unknown. `pivots` are in order of elimination, and a row contains no earlier pivot.
fn back_substitute(mut pivots: Vec<(u32, Row)>, equations: &[Equation<'_>], unknowns: usize, base: usize) -> Solution {
    let mut determined = vec![None; unknowns];
    if pivots.len() < unknowns && !bounded(equations, unknowns) {
        return determined;
    }
    let mut order = vec![None; unknowns];
    for (i, &(column, _)) in pivots.iter().enumerate() {
        order[column as usize] = Some(i);
    }
    for i in (0..pivots.len()).rev() {
        let (pivot, mut row) = std::mem::take(&mut pivots[i]);
        let later: Vec<_> = row.iter().copied().take_while(|&(column, _)| (column as usize) < unknowns).collect();
        for (column, factor) in later {
            if let Some(j) = order[column as usize].filter(|&j| j > i) {
                row = minus_scaled(&row, factor, &pivots[j].1);
            }
        }
        if row.iter().all(|&(column, _)| column == pivot || column as usize >= unknowns) {
            determined[pivot as usize] = Some(right_side(&row, unknowns, base).collect());
        }
        pivots[i] = (pivot, row);
    }
    determined
}

/// Whether Hadamard's bound proves every minor of the system to be below `P`: a minor is at most the product of the row
/// norms.
fn bounded(equations: &[Equation<'_>], unknowns: usize) -> bool {
    let norm = |e: &Equation<'_>| e.unknowns.iter().map(|&(_, x)| (x as i128) * (x as i128)).sum::<i128>();
    let mut bits: Vec<u32> = equations.iter().map(|e| i128::BITS - norm(e).leading_zeros()).collect();
    bits.sort_unstable_by(|a, b| b.cmp(a));
    // norm^2 < 2^bits; the product of the norms must stay below 2^60
    bits.iter().take(unknowns).sum::<u32>() <= 120
}

fn right_side(row: &Row, unknowns: usize, base: usize) -> impl Iterator<Item = (u32, Residue)> + '_ {
    let range = unknowns..unknowns + base;
    row.iter()
        .filter(move |&&(column, _)| range.contains(&(column as usize)))
        .map(move |&(column, x)| (column - unknowns as u32, Residue(x)))
}

/// The row divided by `lead`.
fn scaled(mut row: Row, lead: u64) -> Row {
    let inverse = power(lead, P - 2);
    row.iter_mut().for_each(|(_, x)| *x = times(*x, inverse));
    row
}

/// `a - factor * b`.
fn minus_scaled(a: &Row, factor: u64, b: &Row) -> Row {
    let factor = P - factor;
    let mut out = Row::with_capacity(a.len() + b.len());
    let (mut a, mut b) = (a.iter().copied().peekable(), b.iter().copied().peekable());
    loop {
        match (a.peek().copied(), b.peek().copied()) {
            (Some((i, x)), Some((j, y))) if i == j => {
                let sum = reduce(x as u128 + factor as u128 * y as u128);
                if sum != 0 {
                    out.push((i, sum));
                }
                a.next();
                b.next();
            }
            (Some(entry), other) if other.is_none_or(|(j, _)| entry.0 < j) => {
                out.push(entry);
                a.next();
            }
            (_, Some((j, y))) => {
                out.push((j, times(factor, y)));
                b.next();
            }
            _ => return out,
        }
    }
}

fn residue(x: i64) -> u64 {
    floor_mod(x as i128, P as i128) as u64
}

fn times(a: u64, b: u64) -> u64 {
    reduce(a as u128 * b as u128)
}

/// `x` modulo `P` for `x < 2^123`: 2^61 is 1, so the high part is added to the low part.
fn reduce(x: u128) -> u64 {
    let folded = (x & P as u128) + (x >> 61);
    let folded = ((folded & P as u128) + (folded >> 61)) as u64;
    if folded >= P { folded - P } else { folded }
}

fn power(base: u64, exponent: u64) -> u64 {
    let (mut square, mut product) = (base, 1);
    for bit in 0..61 {
        if exponent >> bit & 1 == 1 {
            product = times(product, square);
        }
        square = times(square, square);
    }
    product
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field() {
        for x in [1, 2, 3, 12345, P - 1] {
            assert_eq!(times(x, power(x, P - 2)), 1);
        }
        assert_eq!(reduce((P as u128 - 1) * (P as u128 - 1)), 1);
        assert_eq!(Residue(times(residue(-5), power(2, P - 2))).as_fraction(), Some((-5, 2)));
        assert_eq!(Residue(0).as_fraction(), Some((0, 1)));
    }

    #[test]
    fn determined_unknowns_beside_free_ones() {
        // A*C*D = 4, A^2*C*D = 8: A is 2, and C and D stay free
        let equations = [
            Equation { unknowns: &[(0, 1), (1, 1), (2, 1)], right: &[(0, 2)] },
            Equation { unknowns: &[(0, 2), (1, 1), (2, 1)], right: &[(0, 3)] },
        ];
        let solution = solve(&equations, 3, 1).ok().unwrap();
        let exponents = solution[0].as_ref().unwrap();
        assert_eq!(exponents[0].1.as_exponent(), Some(1));
        assert!(solution[1].is_none() && solution[2].is_none());
    }

    #[test]
    fn nothing_is_determined_beside_free_unknowns_of_a_system_without_a_bound() {
        // A^2 = 4 and a chain of products of two, whose ends stay free. With 10 equations A is determined. With 100
        // equations the determinants could be multiples of the modulus
        for (count, known) in [(10, true), (100, false)] {
            let links: Vec<[(u32, i64); 2]> = (1..count).map(|i| [(i, 1), (i + 1, 1)]).collect();
            let first = Equation { unknowns: &[(0, 2)], right: &[(0, 2)] };
            let others = links.iter().map(|unknowns| Equation { unknowns, right: &[] });
            let equations: Vec<Equation<'_>> = std::iter::once(first).chain(others).collect();
            let solution = solve(&equations, count as usize + 1, 1).ok().unwrap();
            assert_eq!(solution[0].is_some(), known);
            assert!(solution[1..].iter().all(Option::is_none));
        }
    }

    #[test]
    fn a_contradiction_names_its_equations() {
        let equations = [
            Equation { unknowns: &[(0, 1), (1, -1)], right: &[(0, 1)] },
            Equation { unknowns: &[(0, 1), (1, 1)], right: &[(0, 5)] },
            Equation { unknowns: &[(0, 1), (1, -1)], right: &[(1, 1)] },
        ];
        let mut bad = solve(&equations, 2, 2).err().unwrap();
        bad.equations.sort_unstable();
        assert!(bad.equations == [0, 2] || bad.equations == [0, 1, 2], "{:?}", bad.equations);
    }
}
