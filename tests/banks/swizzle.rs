//! Swizzles of CuTe, and layouts of tiles.

use quaff::expr::{int, var};
use quaff_fronts::banks::{Layout, Swizzle, Tile};
use std::collections::BTreeSet;

#[test]
fn texts_are_read_and_written() {
    for (text, written) in [
        ("Swizzle<3, 4, 3>", "Swizzle<3, 4, 3>"),
        (" cute::Swizzle< 2,3 , 3 > ", "Swizzle<2, 3, 3>"),
        ("Sw<1,0,-4>", "Swizzle<1, 0, -4>"),
        ("Swizzle<0,4,0>", "Swizzle<0, 4, 0>"),
    ] {
        assert_eq!(text.parse::<Swizzle>().expect(text).to_string(), written);
        assert_eq!(written.parse::<Swizzle>().expect(written), text.parse().expect(text));
    }
    for text in
        ["", "Swizzle", "Swizzle<3, 4>", "Swizzle<3, 4, 2>", "Swizzle<3,4,3", "Swizzle<-1, 0, 0>", "Swizzle<30, 3, 30>"]
    {
        let error = text.parse::<Swizzle>().expect_err(text);
        assert_eq!(error.to_string(), format!("`{text}` is no swizzle"));
    }
}

/// The value that the C++ code of CuTe computes: `x ^ shiftr(x & yyy_msk, num_shft)`.
fn cute(bits: u32, base: u32, shift: i32, x: i64) -> i64 {
    let bit_mask = (1_i64 << bits) - 1;
    let yyy = bit_mask << (base as i32 + shift.max(0));
    let read = x & if shift >= 0 { yyy } else { bit_mask << base };
    x ^ if shift >= 0 { read >> shift } else { read << -shift }
}

#[test]
fn swizzles_are_those_of_cute_and_exchanges() {
    for (bits, base) in (0..=3).flat_map(|b| (0..=3).map(move |m| (b, m))) {
        for shift in -4_i32..=4 {
            let Ok(swizzle) = Swizzle::new(bits, base, shift) else {
                assert!(shift.unsigned_abs() < bits);
                continue;
            };
            assert_eq!((swizzle.bits(), swizzle.base(), swizzle.shift()), (bits, base, shift));
            let index = swizzle.index(&var("x"));
            for x in 0..2048 {
                let y = swizzle.apply(x);
                assert_eq!((y, swizzle.apply(y)), (cute(bits, base, shift, x), x), "{swizzle}");
                assert_eq!(index.eval(|_| Some(x)), Ok(y.into()), "{swizzle}");
            }
        }
    }
}

#[test]
fn layouts_keep_elements_apart_and_have_the_index_they_say() {
    for (rows, cols) in [(8, 8), (5, 16), (16, 12), (32, 32)] {
        let tile = Tile::new(rows, cols, 4).expect("a tile");
        assert_eq!((tile.rows(), tile.cols(), tile.bytes()), (rows, cols, 4));
        let mut layouts = vec![Layout::Padding(0), Layout::Padding(3)];
        for (bits, base) in (1..=3).flat_map(|b| (0..=3).map(move |m| (b, m))) {
            layouts.extend((0..=2).map(|skip| Layout::Xor { bits, base, skip }));
        }
        for layout in layouts.iter().filter(|l| match l {
            Layout::Xor { bits, base, .. } => bits + base <= cols.trailing_zeros(),
            Layout::Padding(_) => true,
        }) {
            let mut seen = BTreeSet::new();
            let index = layout.index(&tile, &var("r"), &var("c"));
            for (r, c) in (0..rows.into()).flat_map(|r| (0..cols.into()).map(move |c| (r, c))) {
                let element = layout.element(&tile, r, c);
                assert!(
                    seen.insert(element) && (0..i128::from(layout.bytes(&tile))).contains(&(element * 4)),
                    "{layout}"
                );
                assert_eq!(index.eval(|n| Some(if n == "r" { r } else { c })), Ok(element), "{layout}");
                if let Some(swizzle) = layout.swizzle(&tile) {
                    assert_eq!(i128::from(swizzle.apply(r * i64::from(cols) + c)), element, "{layout} {swizzle}");
                }
            }
        }
    }
    assert_eq!(Layout::Padding(2).index(&Tile::new(4, 4, 2).expect("a tile"), &int(1), &int(2)).eval(|_| None), Ok(8));
}
