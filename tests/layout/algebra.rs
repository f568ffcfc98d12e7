//! For random layouts, the result of each operation has the indices that the definition of the operation demands, at
//! all coordinates.

use crate::oracle::{Random, index, indices, is_some_layout};
use quaff_fronts::layout::{Layout, LayoutError, Tiler};
use std::collections::BTreeSet;

const SIZES: [i64; 8] = [1, 2, 2, 3, 4, 4, 6, 8];
const STRIDES: [i64; 14] = [0, 1, 1, 2, 2, 3, 4, 5, 6, 8, 12, 16, 24, -1];
/// The number of random cases.
const CASES: usize = 8_000;

fn layout(text: &str) -> Layout {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn at_is_the_definition() {
    let mut random = Random(1);
    for _ in 0..CASES {
        let a = random.layout(&SIZES, &STRIDES);
        let expected = indices(&a);
        assert_eq!(a.indices().expect("few"), expected, "{a}");
        for c in 0..a.size() * 2 {
            assert_eq!(a.at(c), Some(index(&a, c)), "{a} at {c}");
        }
        assert_eq!(a.at(-1), Some(index(&a, -1)), "{a} at -1");
        let sizes = a.sizes();
        for c in 0..a.size() {
            let mut rest = c;
            let at: Vec<i64> = sizes.iter().map(|s| (rest % s, rest /= s).0).collect();
            assert_eq!(a.at_coordinate(&at), Some(expected[c as usize]), "{a} at {at:?}");
        }
        assert_eq!(layout(&a.to_string()), a, "it is read as it is printed");
    }
}

#[test]
fn coalesce_is_the_same_for_the_same_indices() {
    let mut random = Random(2);
    let mut seen = std::collections::BTreeMap::new();
    for _ in 0..CASES {
        let a = random.layout(&SIZES, &STRIDES);
        for b in [a.coalesce(), a.coalesce_modes(), a.flatten()] {
            for c in -2..a.size() + 4 {
                assert_eq!(b.at(c), a.at(c), "{a} and {b} at {c}");
            }
        }
        assert_eq!(a.coalesce_modes().sizes(), a.sizes());
        let first = seen.entry(indices(&a)).or_insert_with(|| a.coalesce());
        assert_eq!(*first, a.coalesce(), "{a} has the indices of {first}");
    }
}

/// A composition is right at all coordinates. If the composition is refused, no layout with the modes of `b` has its
/// indices.
#[test]
fn composition_is_one_layout_after_another_and_complete() {
    let mut random = Random(3);
    let (mut made, mut refused) = (0, 0);
    for case in 0..CASES * 2 {
        let a = if case % 2 == 0 { random.chain(&SIZES) } else { random.layout(&SIZES, &STRIDES) };
        let b = random.layout(&SIZES, &STRIDES);
        let expected: Vec<i64> = indices(&b).iter().map(|c| index(&a, *c)).collect();
        match a.compose(&b) {
            Ok(found) => {
                made += 1;
                assert_eq!(indices(&found), expected, "{a} o {b} is not {found}");
                // a mode of the composition has the same size as the mode of the right layout `b`
                let modes = if b.rank() == 1 { vec![found.size()] } else { found.sizes() };
                assert_eq!(modes, b.sizes(), "{a} o {b} is not {found}");
            }
            Err(LayoutError::NoLayout { at, index: wrong, expected: other, .. }) => {
                refused += 1;
                assert_eq!(at.len(), b.leaves().len());
                let number = b.leaves().iter().zip(&at).rev().fold(0, |n, (leaf, c)| n * leaf.size + c);
                assert_eq!(expected[number as usize], wrong, "{a} o {b} at {at:?}");
                assert_ne!(wrong, other);
                // a refusal has one of two reasons. Either the indices along one mode are no layout, or an index is not
                // the sum of the indices along the modes
                let lines: Vec<Vec<i64>> =
                    b.leaves().iter().map(|l| (0..l.size).map(|c| index(&a, c * l.stride)).collect()).collect();
                let sums = |mut c: i64| -> i64 {
                    let digit = |line: &Vec<i64>| {
                        let at = c % line.len() as i64;
                        c /= line.len() as i64;
                        line[at as usize]
                    };
                    lines.iter().map(digit).sum()
                };
                let is_sum = (0..b.size()).all(|c| expected[c as usize] == sums(c));
                assert!(!is_sum || lines.iter().any(|line| !is_some_layout(line)), "{a} o {b} is a layout");
            }
            Err(other) => panic!("{a} o {b}: {other}"),
        }
    }
    assert!(made > CASES / 2 && refused > CASES / 4, "{made} layouts and {refused} that are none");
}

#[test]
fn compositions_of_the_reports() {
    let cases = [
        ("(10,2):(16,4) o (3,4):(1,5)", "(3,(2,2)):(16,(80,4))"),
        ("(2,3):(1,2) o (2,3):(3,1)", "(2,3):(3,1)"),
        ("(4,8):(8,1) o 32:1", "(4,8):(8,1)"),
        ("(6,2):(8,2) o (4,3):(3,1)", "((2,2),3):((24,2),8)"),
        ("20:2 o (5,4):(4,1)", "(5,4):(8,2)"),
        ("(10,2):(16,4) o (5,4):(1,5)", "(5,(2,2)):(16,(80,4))"),
        ("(12,(4,8)):(59,(13,1)) o <3:4, 8:2>", "(3,(2,4)):(236,(26,1))"),
        ("Swizzle<3,3,3> o (8,64):(64,1) o <4, 8:8>", "Swizzle<3, 3, 3> o (4,8):(64,8)"),
    ];
    for (text, expected) in cases {
        assert_eq!(layout(text).to_string(), expected, "{text}");
    }
    for text in ["(4,6,8):(2,3,5) o 6:3", "(4,6):(1,5) o (3,2):(2,1)"] {
        let error = text.parse::<Layout>().expect_err(text).to_string();
        assert!(error.contains("it is no layout: at coordinate"), "{text}: {error}");
    }
    // the layout has too many coordinates to check each of them
    let large = layout("(4000,6000,8000):(2,3,5)").compose(&layout("3000003:3000"));
    let Err(LayoutError::NoLayout { at, left: Some(left), .. }) = large else { panic!("{large:?}") };
    assert_eq!((at, left.to_string()), (vec![2], "4000:2".into()));
    assert_eq!(layout("(1000000,1000000):(1000000,1) o (1000,1000000):(1000,1000000)").size(), 1_000_000_000);
}

/// An index of the layout plus an index of the complement is different for each pair. The sums are all numbers from 0
/// up to a limit that is at least `end`.
#[test]
fn a_complement_has_the_indices_that_are_left() {
    let mut random = Random(4);
    let mut made = 0;
    for case in 0..CASES {
        let a = if case % 2 == 0 { random.chain(&SIZES) } else { random.layout(&SIZES, &STRIDES) };
        let end = 1 + random.below(200);
        let own: BTreeSet<i64> = indices(&a).into_iter().collect();
        match a.complement(end) {
            Ok(rest) => {
                made += 1;
                let rest_indices = indices(&rest);
                assert!(rest_indices.windows(2).all(|w| w[0] < w[1]), "{rest} of {a} ascends");
                let sums: Vec<i64> = own.iter().flat_map(|x| rest_indices.iter().map(move |y| x + y)).collect();
                let different: BTreeSet<i64> = sums.iter().copied().collect();
                assert_eq!(different.len(), sums.len(), "{rest} of {a} has each sum once");
                let all = different.len() as i64;
                assert!(
                    different.first() == Some(&0) && different.last() == Some(&(all - 1)),
                    "{rest} of {a} has gaps"
                );
                let longest = rest.leaves().last().map_or(1, |leaf| leaf.stride);
                assert!(
                    all >= end
                        && (all - end < longest
                            || all == 1 + own.last().expect("0")
                            || rest.size() <= all / own.len() as i64),
                    "{rest} of {a} is too long"
                );
            }
            Err(LayoutError::Complement { mode, reach }) => {
                assert!(mode.stride % reach != 0 || mode.stride < reach, "{a}: {mode} after {reach}");
            }
            Err(LayoutError::Negative { mode, .. }) => assert!(mode.stride < 0, "{a}"),
            Err(other) => panic!("complement({a}, {end}): {other}"),
        }
    }
    assert!(made > CASES / 3, "{made}");
}

#[test]
fn a_division_is_the_layout_after_the_tile_and_its_complement() {
    let mut random = Random(5);
    let mut made = 0;
    for _ in 0..CASES {
        let (a, tile) = (random.chain(&SIZES), random.chain(&[2, 3, 4]));
        let Ok(found) = a.logical_divide(&Tiler::Whole(tile.clone())) else { continue };
        made += 1;
        let rest = tile.complement(a.size()).expect("a division has one");
        let both = Layout::of_modes(&[tile.clone(), rest.clone()]).expect("a tuple");
        let expected: Vec<i64> = indices(&both).iter().map(|c| index(&a, *c)).collect();
        assert_eq!(indices(&found), expected, "{a} by {tile}");
        assert_eq!(found.sizes(), [tile.size(), rest.size()]);
        // if the tile divides the layout, the result has the indices of the layout in another order
        if found.size() == a.size() {
            let sorted = |mut all: Vec<i64>| (all.sort(), all).1;
            assert_eq!(sorted(indices(&found)), sorted(indices(&a)), "{a} by {tile}");
        }
    }
    assert!(made > CASES / 10, "{made}");
}

#[test]
fn divisions_of_modes_have_the_same_indices_in_other_orders() {
    let mut random = Random(6);
    let mut made = 0;
    for _ in 0..CASES {
        let modes: Vec<Layout> = (0..1 + random.below(3)).map(|_| random.chain(&SIZES)).collect();
        let a = Layout::of_modes(&modes).expect("a tuple");
        let tiles: Vec<Layout> =
            modes.iter().take(1 + random.below(3) as usize).map(|_| random.chain(&[1, 2, 3, 4])).collect();
        let tiler = Tiler::Modes(tiles.clone());
        let Ok(logical) = a.logical_divide(&tiler) else { continue };
        made += 1;
        let [zipped, tiled, flat] = [Layout::zipped_divide, Layout::tiled_divide, Layout::flat_divide]
            .map(|f| f(&a, &tiler).expect("the same"));
        let parts = logical.modes();
        let inner: Vec<Layout> = parts[..tiles.len()].iter().map(|p| p.modes()[0].clone()).collect();
        let mut outer: Vec<Layout> = parts[..tiles.len()].iter().map(|p| p.modes()[1].clone()).collect();
        outer.extend(parts[tiles.len()..].iter().cloned());
        for (at, (tile, divided)) in tiles.iter().zip(&inner).enumerate() {
            let expected: Vec<i64> = indices(tile).iter().map(|c| index(&modes[at], *c)).collect();
            assert_eq!(indices(divided), expected, "{a} by {tile}");
        }
        let tuple = |modes: &[Layout]| Layout::of_modes(modes).expect("a tuple");
        let tile = tuple(&inner);
        assert_eq!(zipped, tuple(&[tile.clone(), tuple(&outer)]));
        assert_eq!(tiled, tuple(&[&[tile], &outer[..]].concat()));
        assert_eq!(flat, tuple(&[inner, outer].concat()));
    }
    assert!(made > CASES / 10, "{made}");
}

/// A product repeats the block: each repetition is a copy of the block, and the copies do not overlap.
#[test]
fn a_product_repeats_the_block_without_overlap() {
    let mut random = Random(7);
    let mut made = 0;
    for _ in 0..CASES {
        let (block, tiles) = (random.chain(&[1, 2, 3, 4]), random.chain(&[1, 2, 3]));
        let Ok(found) = block.logical_product(&tiles) else { continue };
        made += 1;
        let modes = found.modes();
        assert_eq!(modes[0], block);
        let room = block.complement(block.size() * tiles.cosize().expect("small")).expect("a product has one");
        let expected: Vec<i64> = indices(&tiles).iter().map(|c| index(&room, *c)).collect();
        assert_eq!(indices(&modes[1]), expected, "{block} by {tiles}");
        assert!(found.is_injective().expect("small"), "{found}");
        for (layout, order) in [(block.blocked_product(&tiles), [0, 1]), (block.raked_product(&tiles), [1, 0])] {
            let Ok(layout) = layout else { continue };
            let sorted = |mut all: Vec<i64>| (all.sort(), all).1;
            assert_eq!(sorted(indices(&layout)), sorted(indices(&found)), "{block} by {tiles}: {layout}");
            for (at, mode) in layout.modes().iter().enumerate() {
                let part = &mode.modes()[order[0]];
                assert_eq!(Some(part), block.modes().get(at).or(Some(&Layout::new(1, 0).expect("one"))), "{layout}");
            }
        }
    }
    assert!(made > CASES / 3, "{made}");
}

#[test]
fn inverses_undo_the_layout() {
    let mut random = Random(8);
    let (mut left, mut long) = (0, 0);
    for case in 0..CASES {
        let a = if case % 2 == 0 { random.chain(&SIZES) } else { random.layout(&SIZES, &STRIDES) };
        let right = a.right_inverse().expect("there is always one");
        for (i, c) in indices(&right).into_iter().enumerate() {
            assert_eq!(index(&a, c), i as i64, "{right} of {a}");
            assert!(c < a.size());
        }
        long += usize::from(right.size() > 1);
        // for an injective layout, no right inverse is longer, because no coordinate has the next number
        let all = indices(&a);
        let different: BTreeSet<i64> = all.iter().copied().collect();
        if different.len() == all.len() && !all.iter().any(|i| *i < 0) {
            assert!(!different.contains(&right.size()), "{right} of {a} could be longer");
        }
        match a.left_inverse() {
            Ok(inverse) => {
                left += 1;
                for c in 0..a.size() {
                    assert_eq!(index(&inverse, index(&a, c)), c, "{inverse} of {a}");
                }
            }
            Err(LayoutError::NotInjective { .. }) => assert!(different.len() < all.len(), "{a}"),
            Err(LayoutError::Negative { mode, .. }) => assert!(mode.stride < 0, "{a}"),
            Err(LayoutError::Complement { mode, reach }) => {
                assert!(mode.stride % reach != 0 || mode.stride < reach, "{a}")
            }
            Err(other) => panic!("left_inverse({a}): {other}"),
        }
    }
    assert!(left > CASES / 3 && long > CASES / 3, "{left} {long}");
}
