//! Questions about layouts, their expressions, views and pictures.

use crate::oracle::{Random, indices, is_some_layout};
use quaff::Simplifier;
use quaff::expr::{Expr, Program, var};
use quaff_fronts::banks::Swizzle;
use quaff_fronts::layout::{Layout, LayoutError};
use quaff_fronts::view::ViewStack;
use std::collections::BTreeSet;

const SIZES: [i64; 6] = [1, 2, 3, 4, 5, 8];
const STRIDES: [i64; 12] = [0, 1, 1, 2, 3, 4, 6, 8, 9, 12, -1, -4];

#[test]
fn reach_and_injective_and_surjective_are_decided() {
    let mut random = Random(11);
    let mut seen = [0; 4];
    for case in 0..20_000 {
        let mut a = if case % 2 == 0 { random.chain(&SIZES) } else { random.layout(&SIZES, &STRIDES) };
        if case % 4 == 0 {
            let (bits, base) = (random.below(4) as u32, random.below(3) as u32);
            a = a.swizzled(Swizzle::new(bits, base, 3).expect("a swizzle")).expect("no negative strides");
        }
        let all = indices(&a);
        let different: BTreeSet<i64> = all.iter().copied().collect();
        let ends = (*different.first().expect("one"), *different.last().expect("one"));
        assert_eq!(a.reach().expect("few"), ends, "{a}");
        assert_eq!(a.cosize().expect("few"), ends.1 - ends.0 + 1, "{a}");
        let (injective, surjective) = (different.len() == all.len(), different.len() as i64 == ends.1 - ends.0 + 1);
        assert_eq!(a.is_injective().expect("few"), injective, "{a}");
        assert_eq!(a.is_surjective().expect("few"), surjective, "{a}");
        seen[usize::from(injective) + 2 * usize::from(surjective)] += 1;
    }
    assert!(seen.iter().all(|count| *count > 500), "{seen:?}");
}

#[test]
fn large_layouts_are_decided_without_a_look_at_each_coordinate() {
    let decided = |text: &str| {
        let layout: Layout = text.parse().expect(text);
        (layout.is_injective().expect(text), layout.is_surjective().expect(text), layout.cosize().expect(text))
    };
    assert_eq!(decided("(1000000,1000000):(1000000,1)"), (true, true, 1_000_000_000_000));
    assert_eq!(decided("(1000000,1000000):(1000001,1)"), (true, false, 999_999 * 1_000_002 + 1));
    assert_eq!(decided("(1000000,1000000):(3,2)"), (false, false, 999_999 * 5 + 1));
    assert_eq!(decided("Swizzle<3,3,3> o (65536,65536):(65536,1)"), (true, true, 1 << 32));
    let overlapping: Layout = "(1000,1000,1000):(7001,7013,7019)".parse().expect("a layout");
    assert!(matches!(overlapping.is_injective(), Err(LayoutError::Undecided { .. })));
}

#[test]
fn an_index_is_a_layout_or_fails_at_a_coordinate() {
    let mut random = Random(12);
    for _ in 0..2_000 {
        let a = random.layout(&SIZES, &STRIDES);
        let index = a.index(&[var("c")]).expect("one number for all");
        let found = Layout::of_index(&index, &[("c", a.size())]).expect("it is a layout");
        assert_eq!(found, a.coalesce(), "{a}: {index}");
        let names: Vec<String> = (0..a.rank()).map(|i| format!("c{i}")).collect();
        let coordinates: Vec<Expr> = names.iter().map(|n| var(n.as_str())).collect();
        let sizes: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(a.sizes()).collect();
        let found = Layout::of_index(&a.index(&coordinates).expect("one for each"), &sizes).expect("it is a layout");
        let modes =
            if a.rank() == 1 { found.coalesce() == a.coalesce() } else { found.modes() == a.coalesce_modes().modes() };
        assert!(modes, "{a}: {found}");
    }
    // each table has the indices of a layout, and one of its indices may be changed
    let mut refused = 0;
    for _ in 0..5_000 {
        let mut values = indices(&random.layout(&[2, 3, 4], &[1, 2, 3, 4, 6]));
        let at = random.below(values.len() as u64) as usize;
        values[at] += random.below(3);
        let size = values.len() as i64;
        let table = values.iter().enumerate().skip(1).fold(values[0].into(), |sum: Expr, (c, v)| {
            let here = var("c").floor_div(c as i64).min(1) - var("c").floor_div(c as i64 + 1).min(1);
            sum + here * (*v - values[0])
        });
        match Layout::of_index(&table, &[("c", size)]) {
            Ok(found) => assert_eq!(indices(&found), values),
            Err(LayoutError::NoLayout { at, index, expected, .. }) => {
                refused += 1;
                assert_eq!(values[at[0] as usize], index);
                assert_ne!(index, expected);
                assert!(!is_some_layout(&values), "{values:?}");
            }
            Err(LayoutError::Offset { index }) => assert_eq!(index, values[0]),
            Err(other) => panic!("{other}"),
        }
    }
    assert!(refused > 1_000, "{refused}");
}

#[test]
fn the_index_has_the_value_of_the_layout_before_and_after_it_is_simplified() {
    let mut random = Random(13);
    let simplifier = Simplifier::default();
    for case in 0..400 {
        let mut a = random.layout(&SIZES, &[0, 1, 2, 3, 4, 8, 16]);
        if case % 3 == 0 {
            a = a.swizzled(Swizzle::new(2, 1, 2).expect("a swizzle")).expect("no negative strides");
        }
        let built = a.index(&[var("c")]).expect("one number for all");
        let answer = a.simplify(&simplifier, &["c"]).expect("an answer");
        let program = Program::new(&[built, answer.expr().clone()], &["c"]).expect("one variable");
        for (c, expected) in indices(&a).into_iter().enumerate() {
            for value in program.eval(&[c as i128]) {
                assert_eq!(value, Ok(expected.into()), "{a} at {c}");
            }
        }
    }
}

#[test]
fn views_and_layouts_are_the_same_axes() {
    let mut random = Random(14);
    for _ in 0..500 {
        let a = random.layout(&[2, 3, 4], &[1, 2, 4, 8, -3]);
        let view = a.to_view().expect("a view");
        let back = Layout::of_view(&view).expect("a layout");
        assert_eq!(back.leaves(), a.leaves());
    }
    let rows = ViewStack::row_major([4, 8]).expect("a view");
    assert_eq!(Layout::of_view(&rows).expect("a layout").to_string(), "(4,8):(8,1)");
    let refused = |view: ViewStack| Layout::of_view(&view).expect_err("no layout").to_string();
    assert_eq!(refused(rows.pad([(1, 0), (0, 0)]).expect("a view")), "the view is no layout: it has a mask");
    let later = "the view is no layout: its first element is not at address 0";
    assert_eq!(refused(rows.shrink([(1, 3), (0, 8)]).expect("a view")), later);
}

#[test]
fn a_picture_has_a_cell_for_each_coordinate() {
    let a: Layout = "(2,(2,3)):(3,(6,1))".parse().expect("a layout");
    let picture = a.svg("a").expect("small");
    assert_eq!(picture.matches("<g>").count(), 12);
    assert!(picture.contains("(1, 2): index 4"), "{picture}");
    let large = Layout::new(5000, 1).expect("a layout").svg("");
    assert!(matches!(large, Err(LayoutError::NotDrawn { cells: 5000, limit: 4096 })));
}
