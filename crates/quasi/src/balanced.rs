//! Recognises sequences of jumps `f(x) - f(x - 1)` of a single quotient `f(x) = (a*x + b)//d`: balanced words.
//!
//! The jumps of `(a*x + b)//d` are `a//d` and `a//d + 1`, spread as evenly as can be. Such a sequence of two values is called a
//! balanced or mechanical word (Lothaire, "Algebraic Combinatorics on Words", chapter 2).

use quaff_expr::integer::{floor_div, floor_mod};

/// The function `linear*x + height*((slope*x + offset)//period)`, up to a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Balanced {
    pub(super) linear: i128,
    pub(super) height: i128,
    pub(super) slope: i128,
    pub(super) offset: i128,
}

/// A function of the form [`Balanced`] whose jumps are `jumps`, if there is one. A form without the term `linear*x` is
/// preferred. The time is linear in the number of jumps.
pub(super) fn balanced(jumps: &[i128]) -> Option<Balanced> {
    let (low, high) = (*jumps.iter().min()?, *jumps.iter().max()?);
    let difference = high.checked_sub(low).filter(|d| *d > 0)?;
    if jumps.iter().any(|j| *j != low && *j != high) {
        return None;
    }
    // a jump is either the low value, plus the difference at some points, or the high value, minus the difference at
    // some points
    let both = [(difference, low), (-difference, high)];
    let found = both.into_iter().filter_map(|(height, from)| {
        let word = jumps.iter().map(|j| *j != from);
        let (slope, offset) = mechanical(word, jumps.len() as i128)?;
        let whole = floor_div(from, height);
        match floor_mod(from, height) {
            // if `from` is a multiple of the height, the slope includes it, and no linear term is needed
            0 => {
                let slope = slope.checked_add(whole.checked_mul(jumps.len() as i128)?)?;
                Some(Balanced { linear: 0, height, slope, offset })
            }
            _ => Some(Balanced { linear: from, height, slope, offset }),
        }
    });
    found.min_by_key(|b| b.linear != 0)
}

/// Numbers `a` and `b` such that `word[x] = (a*x + b)//d - (a*(x - 1) + b)//d`.
fn mechanical(word: impl Iterator<Item = bool> + Clone, d: i128) -> Option<(i128, i128)> {
    let a = word.clone().filter(|one| *one).count() as i128;
    // the bounds of `b` make the quotient 0 at -1, so the quotient at `x` is the number of ones up to `x`
    let (mut least, mut most, mut ones) = (a, a + d - 1, 0);
    for (one, x) in word.zip(0_i128..) {
        ones += i128::from(one);
        least = least.max(d * ones - a * x);
        most = most.min(d * (ones + 1) - a * x - 1);
    }
    (least <= most).then_some((a, least))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotients_are_found_again() {
        for d in 2..12_i128 {
            for a in 0..2 * d {
                for b in 0..d {
                    let value = |x: i128| 3 * floor_div(a * x + b, d) - x;
                    let jumps: Vec<i128> = (0..d).map(|x| value(x) - value(x - 1)).collect();
                    let Some(found) = balanced(&jumps) else {
                        assert!(jumps.iter().all(|j| *j == jumps[0]), "{jumps:?}");
                        continue;
                    };
                    let again =
                        |x: i128| found.linear * x + found.height * floor_div(found.slope * x + found.offset, d);
                    assert!((0..d).all(|x| again(x) - again(x - 1) == jumps[x as usize]), "{jumps:?}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn other_words_are_none() {
        assert_eq!(balanced(&[0, 0, 1, 1]), None);
        assert_eq!(balanced(&[0, 1, 2]), None);
        assert_eq!(balanced(&[]), None);
    }
}
