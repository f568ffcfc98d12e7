//! Layouts: their algebra, their texts, and linear layouts.

use crate::hostile::{expression, number, text};
use crate::{config, show};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{int, var};
use quaff_fronts::banks::Swizzle;
use quaff_fronts::layout::{
    self, Layout, LayoutError, LayoutTextError, LinearLayout, MAX_DEPTH, SymbolicLayout, Tiler,
};
use quaff_fronts::view::ViewStack;

fn told<T>(result: Result<T, LayoutError>) -> Option<T> {
    if let Err(e) = &result {
        let _ = format!("{e} {:?}", miette::Report::new(e.clone()));
    }
    result.ok()
}

fn mode() -> impl Strategy<Value = Option<Layout>> {
    let size = prop_oneof![8 => 1..9_i64, 1 => number(), 1 => Just(1 << 31)];
    let stride = prop_oneof![8 => -2..20_i64, 1 => number(), 1 => Just(1 << 31)];
    (size, stride).prop_map(|(size, stride)| told(Layout::new(size, stride)))
}

fn basis() -> impl Strategy<Value = i64> {
    prop_oneof![8 => 0..64_i64, 1 => number()]
}

fn any_layout() -> impl Strategy<Value = Layout> {
    let modes = prop::collection::vec(mode(), 1..5);
    let swizzle = prop::option::of((0..4_u32, 0..4_u32, 4..9_i32));
    (modes, any::<bool>(), swizzle).prop_map(|(modes, nested, swizzle)| {
        let modes: Vec<Layout> = modes.into_iter().flatten().collect();
        let layout = told(Layout::of_modes(&modes)).unwrap_or_else(|| Layout::new(4, 2).expect("a layout"));
        let layout =
            if nested { told(Layout::of_modes(&[layout.clone(), layout.clone()])).unwrap_or(layout) } else { layout };
        let swizzled = swizzle.and_then(|(bits, base, shift)| Swizzle::new(bits, base, shift).ok());
        swizzled.and_then(|s| told(Layout::swizzled(&layout, s))).unwrap_or(layout)
    })
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn one_layout(a in any_layout(), c in number(), sizes in prop::collection::vec(number(), 0..4)) {
        show(&(Layout::swizzles(&a), Layout::modes(&a), Layout::rank(&a), Layout::sizes(&a), Layout::leaves(&a), Layout::size(&a)));
        show(&(Layout::flatten(&a), Layout::coalesce(&a), Layout::coalesce_modes(&a), Layout::without_swizzles(&a)));
        show(&(Layout::at(&a, c), Layout::at_coordinate(&a, &[c]), Layout::at_coordinate(&a, &[c, c, 1, -1])));
        told(Layout::reach(&a));
        told(Layout::cosize(&a));
        told(Layout::is_injective(&a));
        told(Layout::is_surjective(&a));
        told(Layout::left_inverse(&a));
        told(Layout::right_inverse(&a));
        told(Layout::complement(&a, c));
        told(Layout::complement(&a, 64));
        told(Layout::row_major(&sizes));
        told(Layout::column_major(&sizes));
        if Layout::size(&a) < 10_000 {
            told(Layout::indices(&a));
        }
        told(Layout::svg(&a, "<&>"));
        if let Some(view) = told(Layout::to_view(&a)) {
            told(Layout::of_view(&view));
        }
        told(Layout::index(&a, &[var("c")]));
        told(Layout::index(&a, &[var("c"), int(c), var("d")]));
        told(Layout::coordinate_domain(&a, &["c"]));
        told(Layout::coordinate_domain(&a, &["c", "c"]));
        if let Some(linear) = told(LinearLayout::of_layout(&a, &["c"], "index")) {
            told(LinearLayout::to_layout(&linear));
            told(LinearLayout::simplify(&linear, &Simplifier::default()));
        }
        let _ = a.to_string().parse::<Layout>().map(|read| assert_eq!(read, a));
    }

    #[test]
    fn two_layouts(a in any_layout(), b in any_layout(), tiles in prop::collection::vec(any_layout(), 0..4)) {
        told(Layout::compose(&a, &b));
        told(Layout::compose_modes(&a, &tiles));
        told(Layout::logical_product(&a, &b));
        told(Layout::blocked_product(&a, &b));
        told(Layout::raked_product(&a, &b));
        for tiler in [Tiler::from(b), Tiler::Modes(tiles)] {
            told(Layout::logical_divide(&a, &tiler));
            told(Layout::zipped_divide(&a, &tiler));
            told(Layout::tiled_divide(&a, &tiler));
            told(Layout::flat_divide(&a, &tiler));
        }
    }

    #[test]
    fn texts(text in text(), a in any_layout(), at in 0..20_usize) {
        let mut changed = format!("zipped_divide({a}, (2, 4:2)) o {a}");
        let cut = changed.char_indices().map(|(i, _)| i).nth(at).unwrap_or(0);
        changed.insert_str(cut, &text);
        for text in [text, changed, format!("complement({a}, 9)")] {
            match layout::evaluate(&text) {
                Ok(found) => show(&found),
                Err(e) => {
                    show(&(LayoutTextError::kind(&e), LayoutTextError::span(&e), LayoutTextError::source_text(&e).len()));
                    let _ = format!("{:?}", miette::Report::new(e));
                }
            }
        }
    }

    #[test]
    fn bits(bases in prop::collection::vec(prop::collection::vec((basis(), basis()), 0..5), 0..3), sizes in (number(), number()), c in number()) {
        let names = ["x", "y", "z"];
        let ins: Vec<(&str, Vec<Vec<i64>>)> =
            names.iter().zip(&bases).map(|(name, all)| (*name, all.iter().map(|(a, b)| vec![*a, *b]).collect())).collect();
        told(LinearLayout::new(&ins, &[("p", sizes.0), ("q", sizes.1)]));
        told(LinearLayout::strided(sizes.0, sizes.1, "x", "y"));
        told(LinearLayout::identity(sizes.0, "x", "y"));
        told(LinearLayout::zeros(sizes.0, "x", "y", sizes.1));
        let Some(a) = told(LinearLayout::of_bases(&ins, &["p", "q"])) else { return Ok(()) };
        show(&(LinearLayout::bases(&a), LinearLayout::ins(&a), LinearLayout::outs(&a), LinearLayout::rank(&a)));
        show(&(LinearLayout::is_injective(&a), LinearLayout::is_surjective(&a), LinearLayout::free_masks(&a), LinearLayout::apply(&a, &[c, 1])));
        show(&(LinearLayout::divide_left(&a, &a), LinearLayout::divide_right(&a, &a)));
        let other = told(LinearLayout::flatten_ins(&a, "q")).unwrap_or_else(|| a.clone());
        for f in [LinearLayout::compose, LinearLayout::product, LinearLayout::invert_and_compose] {
            told(f(&a, &a));
            told(f(&a, &other));
        }
        told(LinearLayout::compose(&a, &a));
        told(LinearLayout::product(&a, &a));
        told(LinearLayout::invert_and_compose(&a, &a));
        told(LinearLayout::invert(&a));
        told(LinearLayout::left_inverse(&a));
        told(LinearLayout::right_inverse(&a));
        told(LinearLayout::sublayout(&a, &["x"], &["q"]));
        told(LinearLayout::transpose_ins(&a, &["y", "x"]));
        told(LinearLayout::transpose_outs(&a, &["q", "p"]));
        told(LinearLayout::reshape_ins(&a, &[("x", sizes.0), ("y", sizes.1)]));
        told(LinearLayout::reshape_outs(&a, &[("x", sizes.0), ("y", sizes.1)]));
        told(LinearLayout::flatten_outs(&a, "y"));
        told(LinearLayout::to_layout(&a));
        told(LinearLayout::index(&a, &[var("x"), var("y")]));
        let _ = a.to_string().parse::<LinearLayout>().map(|read| assert_eq!(read, a));
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn indices(e in expression(), size in prop_oneof![4 => 1..40_i64, 1 => number()]) {
        told(Layout::of_index(&e, &[("x", size), ("y", 3), ("z", 2)]));
        told(Layout::of_index(&(var("x") * size), &[("x", size)]));
        told(Layout::of_index(&e, &[]));
    }

    #[test]
    fn names(a in any_layout(), size in expression(), stride in expression(), ends in (number(), number())) {
        let domain = Domain::new().with("x", 1..=9).with("y", ends.0..=ends.1).with("n", 4..=64);
        let own = told(SymbolicLayout::new(&size, &stride, &domain));
        let rows = told(SymbolicLayout::row_major(&[var("x"), var("n")], &domain));
        let columns = told(SymbolicLayout::column_major(&[var("n"), int(4), size.clone()], &domain));
        let plain = told(SymbolicLayout::of_layout(&a, &domain));
        let all: Vec<SymbolicLayout> = [own, rows, columns, plain].into_iter().flatten().collect();
        told(SymbolicLayout::of_modes(&all));
        for a in &all {
            show(&(SymbolicLayout::swizzles(a), SymbolicLayout::modes(a), SymbolicLayout::rank(a), SymbolicLayout::domain(a).len()));
            show(&(SymbolicLayout::leaves(a), SymbolicLayout::flatten(a), SymbolicLayout::to_layout(a)));
            told(SymbolicLayout::coalesce_modes(a));
            told(SymbolicLayout::sizes(a));
            told(SymbolicLayout::size(a));
            told(SymbolicLayout::reach(a));
            told(SymbolicLayout::cosize(a));
            told(SymbolicLayout::coalesce(a));
            told(SymbolicLayout::left_inverse(a));
            told(SymbolicLayout::right_inverse(a));
            told(SymbolicLayout::is_injective(a));
            told(SymbolicLayout::is_surjective(a));
            told(SymbolicLayout::evaluated(a, |_| Some(ends.0)));
            told(SymbolicLayout::complement(a, &size));
            told(SymbolicLayout::index(a, &[var("c")]));
            told(SymbolicLayout::coordinate_domain(a, &["c", "x"]));
            told(SymbolicLayout::simplify(a, &Simplifier::default(), &["c"]));
            told(SymbolicLayout::swizzled(a, Swizzle::new(1, 0, 2).expect("a swizzle")));
            if let Some(view) = told(SymbolicLayout::to_view(a)) {
                told(SymbolicLayout::of_view(&view));
            }
            let _ = SymbolicLayout::parse(&a.to_string(), &domain).map_err(|e| e.to_string());
            let _ = layout::evaluate_in(&a.to_string(), &domain).map_err(|e| e.to_string());
        }
        let (Some(a), Some(b)) = (all.first(), all.last()) else { return Ok(()) };
        told(SymbolicLayout::compose(a, b));
        told(SymbolicLayout::compose_modes(b, std::slice::from_ref(a)));
        told(SymbolicLayout::logical_product(a, b));
        told(SymbolicLayout::blocked_product(a, b));
        told(SymbolicLayout::raked_product(b, a));
        for tiler in [Tiler::Whole(a.clone()), Tiler::Modes(vec![a.clone()])] {
            told(SymbolicLayout::logical_divide(b, &tiler));
            told(SymbolicLayout::zipped_divide(b, &tiler));
            told(SymbolicLayout::tiled_divide(b, &tiler));
            told(SymbolicLayout::flat_divide(b, &tiler));
        }
    }

    #[test]
    fn simplified(a in any_layout()) {
        if let Some(answer) = told(Layout::simplify(&a, &Simplifier::default(), &["c"])) {
            let _ = answer.cuda();
        }
    }
}

#[test]
fn tuples_in_one_another_have_a_bound() {
    let mut layout = Layout::new(2, 1).expect("a layout");
    for _ in 0..MAX_DEPTH {
        layout = Layout::of_modes(&[layout]).expect("within the bound");
    }
    told(Layout::of_modes(&[layout]));
    let symbolic = ViewStack::row_major([4, 8]).and_then(|v| v.pad([(1, 1), (0, 0)])).expect("a view");
    assert!(told(Layout::of_view(&symbolic)).is_none());
}
