//! Index types: each typing rule is compared with the sets of values, and each expression with its copies.

mod copies;
mod errors;
mod general;
#[path = "../support/golden.rs"]
mod golden;
mod page;
mod rules;
#[path = "../support/samples.rs"]
mod samples;
mod split;
mod unrolled;

use quaff_fronts::index_type::Idx;
use std::collections::BTreeSet;

/// All types with at most `widest` copies and with small ends.
fn small_types(widest: i64) -> Vec<Idx> {
    let mut types = Vec::new();
    for width in 1..=widest {
        for first in -3..=4 {
            for low in -2..=1 {
                for count in [1, 2, 3, 5] {
                    types.push(Idx::new(first..first + width, low..low + count).expect("small"));
                }
            }
        }
    }
    types
}

/// Whether an `idx` denotes these sets. This holds exactly if the sets are intervals of one width and their least
/// elements agree modulo the width.
fn have_a_type(sets: &[BTreeSet<i128>]) -> bool {
    let first = |s: &BTreeSet<i128>| *s.first().expect("not empty");
    let width = sets[0].len() as i128;
    sets.iter().all(|s| {
        let dense = s.last().expect("not empty") - first(s) == width - 1;
        s.len() as i128 == width && dense && (first(s) - first(&sets[0])).rem_euclid(width) == 0
    })
}
