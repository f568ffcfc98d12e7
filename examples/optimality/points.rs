//! The points of a domain at which programs are compared.

use super::value::MOST_POINTS;
use std::collections::HashSet;

/// The largest number of points of a domain at which all points are used.
const WHOLE: u64 = 100;
/// The number of points of a larger domain.
const SOME: usize = 60;

/// Points within `ends`, the ends of the variables. For a small domain, all of its points are returned. Otherwise the
/// points are corners, points next to multiples of `numbers`, and random points of a fixed generator.
pub(crate) fn points(ends: &[(i64, i64)], numbers: &[i64]) -> Vec<Vec<i64>> {
    let widths: Vec<u64> = ends.iter().map(|(low, high)| high.abs_diff(*low).saturating_add(1)).collect();
    let all = widths.iter().fold(1_u64, |product, width| product.saturating_mul(*width));
    if all <= WHOLE {
        return (0..all).map(|i| nth(ends, &widths, i)).collect();
    }
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = |n: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33).checked_rem(n).unwrap_or(0)
    };
    let mut seen = HashSet::new();
    let mut rows: Vec<Vec<i64>> = Vec::new();
    let corners = 1_usize << ends.len().min(4);
    // a small domain may have fewer points than wanted, so the number of tries is bounded as well
    for i in 0..4 * SOME {
        let row: Vec<i64> = (0..ends.len())
            .map(|k| {
                let (low, high) = ends[k];
                let inside = low.saturating_add_unsigned(draw(widths[k]));
                if i < corners {
                    return if i >> k & 1 == 1 { high } else { low };
                }
                match (draw(6), numbers.get(draw(numbers.len() as u64) as usize)) {
                    (0, _) => low.saturating_add_unsigned(draw(3)).min(high),
                    (1, _) => high.saturating_sub_unsigned(draw(3)).max(low),
                    // a multiple, or the value before it
                    (2 | 3, Some(&n)) if n > 1 => {
                        let multiple = inside.div_euclid(n).saturating_mul(n);
                        multiple.saturating_sub_unsigned(draw(2)).clamp(low, high)
                    }
                    _ => inside,
                }
            })
            .collect();
        if rows.len() < SOME && rows.len() < MOST_POINTS && seen.insert(row.clone()) {
            rows.push(row);
        }
    }
    rows
}

/// Point number `i` of a box. The first variable changes fastest.
fn nth(ends: &[(i64, i64)], widths: &[u64], mut i: u64) -> Vec<i64> {
    let mut row = Vec::with_capacity(ends.len());
    for ((low, _), width) in ends.iter().zip(widths) {
        row.push(low.saturating_add_unsigned(i.checked_rem(*width).unwrap_or(0)));
        i = i.checked_div(*width).unwrap_or(0);
    }
    row
}
