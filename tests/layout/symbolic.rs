//! Layouts with names in their sizes and strides, compared with layouts of numbers for all values of the names.

use crate::oracle::{index, indices};
use quaff::domain::Domain;
use quaff::expr::{Expr, Program, var};
use quaff_fronts::layout::{Layout, LayoutError, SymbolicLayout, Tiler, evaluate_in};
use quaff_fronts::view::ViewStack;
use std::collections::BTreeSet;

/// The names of the sizes. `K` is a multiple of 4.
const NAMES: [&str; 3] = ["M", "N", "K"];
const LEFTS: [&str; 12] = [
    "M:1",
    "M:N",
    "(M,N):(1,M)",
    "(M,N):(N,1)",
    "(K,N):(1,K)",
    "(K,N):(N,1)",
    "(4,M):(1,4)",
    "(4,M):(M,1)",
    "(K,4,M):(4*M,M,1)",
    "((2,K//4),N):((1,2),K)",
    "(M,1,N):(N,0,1)",
    "(M,N):(0,-1)",
];

fn domain() -> Domain {
    "M=1..4, N=1..3, K=4..12 step 4".parse().expect("a domain")
}

fn symbolic(text: &str) -> SymbolicLayout {
    SymbolicLayout::parse(text, &domain()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// All values of the names.
fn values() -> Vec<[i64; 3]> {
    let ns = (1..=4).flat_map(|m| (1..=3).map(move |n| (m, n)));
    ns.flat_map(|(m, n)| [4, 8, 12].map(|k| [m, n, k])).collect()
}

fn value_of(values: [i64; 3]) -> impl Fn(&str) -> Option<i64> {
    move |name| NAMES.iter().position(|known| *known == name).map(|at| values[at])
}

fn at(layout: &SymbolicLayout, values: [i64; 3]) -> Layout {
    layout.evaluated(value_of(values)).unwrap_or_else(|e| panic!("{layout} at {values:?}: {e}"))
}

fn number(e: &Expr, values: [i64; 3]) -> i64 {
    e.eval(value_of(values)).ok().and_then(|n| i64::try_from(n).ok()).unwrap_or_else(|| panic!("{e} at {values:?}"))
}

/// Whether the error reports a condition that is not proved, or that is false for some values of the names.
fn is_open(error: &LayoutError) -> bool {
    matches!(error, LayoutError::NotProved { .. } | LayoutError::Refuted { .. })
}

#[test]
fn sizes_and_indices_are_those_of_numbers() {
    for text in LEFTS {
        let layout = symbolic(text);
        let [size, cosize] = [layout.size(), layout.cosize()].map(|e| e.expect("a form"));
        let (least, most) = layout.reach().expect("a form");
        let joined = layout.coalesce().expect("a form");
        let names: Vec<String> = (0..layout.rank()).map(|k| format!("i{k}")).collect();
        let answer = layout.simplify(&quaff::Simplifier::default(), &names).expect("an answer");
        let all: Vec<&str> = NAMES.into_iter().chain(names.iter().map(String::as_str)).collect();
        let program = Program::new(answer.exprs(), &all).expect("these names");
        let whole = layout.index(&[var("c")]).expect("one coordinate");
        let [injective, surjective] =
            [layout.is_injective(), layout.is_surjective()].map(|known| known.expect("an answer"));
        for values in values() {
            let plain = at(&layout, values);
            assert_eq!(number(&size, values), plain.size(), "{text} at {values:?}");
            assert_eq!(number(&cosize, values), plain.cosize().expect("small"), "{text} at {values:?}");
            let ends = (number(&least, values), number(&most, values));
            assert_eq!(ends, plain.reach().expect("small"), "{text} at {values:?}");
            assert_eq!(indices(&at(&joined, values)), indices(&plain), "{text} at {values:?}");
            assert_eq!(indices(&at(&layout.flatten(), values)), indices(&plain), "{text} at {values:?}");
            for (c, expected) in indices(&plain).into_iter().enumerate() {
                let mut rest = c as i64;
                let mut point: Vec<i128> = values.map(i128::from).to_vec();
                for size in plain.sizes() {
                    point.push((rest % size).into());
                    rest /= size;
                }
                assert_eq!(program.eval(&point), [Ok(expected.into())], "{text} at {point:?}");
                let by_number = whole.eval(|name| if name == "c" { Some(c as i64) } else { value_of(values)(name) });
                assert_eq!(by_number.ok(), Some(expected.into()), "{text} at {values:?}, {c}");
            }
            for (known, decided) in [(injective, plain.is_injective()), (surjective, plain.is_surjective())] {
                assert!(known.is_none_or(|known| decided.as_ref().ok() == Some(&known)), "{text} at {values:?}");
            }
        }
    }
    let compact = [symbolic("(M,N):(N,1)"), symbolic("(K,4,M):(4*M,M,1)")];
    assert!(compact.iter().all(|l| matches!((l.is_injective(), l.is_surjective()), (Ok(Some(true)), Ok(Some(true))))));
    assert_eq!(symbolic("(M,K):(1,0)").is_injective().expect("an answer"), Some(false));
    assert_eq!(symbolic("(4,M):(1,4)").coalesce().expect("a form").to_string(), "M*4:1");
    assert_eq!(symbolic("((2,K//4),N):((1,2),K)").coalesce().expect("a form").to_string(), "(K//4*2,N):(1,K)");
}

#[test]
fn a_composition_is_one_layout_after_another_for_all_values() {
    let inners = [
        "2:1",
        "4:1",
        "M:1",
        "N:M",
        "(N,M):(M,1)",
        "(M,N):(1,M)",
        "K:1",
        "(4,K//4):(1,4)",
        "(K//4,4):(4,1)",
        "(2,N):(1,K)",
        "(K//2,N):(2,K)",
        "(N,2):(K,2)",
        "M:0",
        "(4,M*N):(M*N,1)",
        "(2,2):(1,1)",
        "N:-1",
    ];
    let (mut made, mut open) = (0, 0);
    for left in LEFTS {
        let left = symbolic(left);
        for inner in inners {
            let inner = symbolic(inner);
            let both = match left.compose(&inner) {
                Ok(both) => both,
                Err(e) => {
                    open += 1;
                    assert!(is_open(&e), "{left} after {inner}: {e}");
                    continue;
                }
            };
            made += 1;
            for values in values() {
                let [left, inner, both] = [&left, &inner, &both].map(|layout| at(layout, values));
                assert_eq!(both.size(), inner.size(), "{left} after {inner} is {both}");
                assert!(inner.rank() == 1 || both.sizes() == inner.sizes(), "{left} after {inner} is {both}");
                for c in 0..inner.size() {
                    let there = index(&inner, c);
                    if there < left.size() {
                        assert_eq!(index(&both, c), index(&left, there), "{left} after {inner} is {both}, at {c}");
                    }
                }
            }
        }
    }
    assert!(made > 100 && open > 20, "{made} {open}");
}

#[test]
fn a_complement_has_the_indices_that_are_left_for_all_values() {
    let ends = ["1", "M*N", "4*K", "K*M*N", "M + 3"];
    let (mut made, mut open) = (0, 0);
    for layout in LEFTS {
        let layout = symbolic(layout);
        for end in ends {
            let end: Expr = end.parse().expect("an expression");
            let rest = match layout.complement(&end) {
                Ok(rest) => rest,
                Err(e) => {
                    open += 1;
                    assert!(is_open(&e), "complement of {layout} below {end}: {e}");
                    continue;
                }
            };
            made += 1;
            for values in values() {
                let [own, other] = [&layout, &rest].map(|layout| indices(&at(layout, values)));
                let own: BTreeSet<i64> = own.into_iter().collect();
                let mut sums: Vec<i64> = other.iter().flat_map(|b| own.iter().map(move |a| a + b)).collect();
                sums.sort_unstable();
                let all: Vec<i64> = (0..sums.len() as i64).collect();
                assert_eq!(sums, all, "{layout} and its complement {rest} at {values:?}");
                assert!(sums.len() as i64 >= number(&end, values), "{rest} ends before {end} at {values:?}");
            }
        }
    }
    assert!(made > 30 && open > 5, "{made} {open}");
}

#[test]
fn inverses_undo_the_layout_for_all_values() {
    let (mut left, mut right, mut open) = (0, 0, 0);
    let gaps = ["(M,4):(8,1)", "(M,N):(N*2,1)", "(2,K//2):(K,2)", "(N,M):(3,1)", "(M,N):(1,2*M)", "(4,K):(1,8)"];
    for layout in LEFTS.into_iter().chain(gaps) {
        let layout = symbolic(layout);
        for (found, is_left) in [(layout.left_inverse(), true), (layout.right_inverse(), false)] {
            let inverse = match found {
                Ok(inverse) => inverse,
                Err(e) => {
                    open += 1;
                    assert!(is_open(&e), "inverse of {layout}: {e}");
                    continue;
                }
            };
            *(if is_left { &mut left } else { &mut right }) += 1;
            for values in values() {
                let [layout, inverse] = [&layout, &inverse].map(|layout| at(layout, values));
                let (first, second) = if is_left { (&layout, &inverse) } else { (&inverse, &layout) };
                for c in 0..first.size() {
                    assert_eq!(index(second, index(first, c)), c, "{inverse} of {layout} at {values:?}");
                }
            }
        }
    }
    assert!(left > 9 && right > 9 && open > 3, "{left} {right} {open}");
}

#[test]
fn divisions_and_products_are_those_of_numbers() {
    type Operation = fn(&SymbolicLayout, &Tiler<SymbolicLayout>) -> Result<SymbolicLayout, LayoutError>;
    type Plain = fn(&Layout, &Tiler) -> Result<Layout, LayoutError>;
    let operations: [(Operation, Plain); 4] = [
        (SymbolicLayout::logical_divide, Layout::logical_divide),
        (SymbolicLayout::zipped_divide, Layout::zipped_divide),
        (SymbolicLayout::tiled_divide, Layout::tiled_divide),
        (SymbolicLayout::flat_divide, Layout::flat_divide),
    ];
    let cases: [(&str, &[&str]); 5] = [
        ("(K,N):(N,1)", &["4:1"]),
        ("(K,N):(N,1)", &["2:2", "N:1"]),
        ("(K,2*M):(1,K)", &["4:1", "2:1"]),
        ("(M*N,K):(K,1)", &["M:N", "K//4:4"]),
        ("(K,M,N):(M,1,K*M)", &["4:1", "M:1"]),
    ];
    for (layout, tiles) in cases {
        let layout = symbolic(layout);
        let modes: Vec<SymbolicLayout> = tiles.iter().map(|tile| symbolic(tile)).collect();
        for (operation, plain) in operations {
            let found = operation(&layout, &Tiler::Modes(modes.clone())).unwrap_or_else(|e| panic!("{layout}: {e}"));
            for values in values() {
                let tiles: Vec<Layout> = modes.iter().map(|tile| at(tile, values)).collect();
                let expected = plain(&at(&layout, values), &Tiler::Modes(tiles)).expect("a layout");
                let found = at(&found, values);
                assert_eq!(found.sizes(), expected.sizes(), "{layout} at {values:?}");
                assert_eq!(indices(&found), indices(&expected), "{layout} at {values:?}");
            }
        }
    }
    for (layout, tile) in [("(K,N):(1,K)", "4:1"), ("K:N", "2:2")] {
        let [layout, tile] = [layout, tile].map(symbolic);
        for (operation, plain) in operations {
            let found = operation(&layout, &tile.clone().into()).unwrap_or_else(|e| panic!("{layout}: {e}"));
            for values in values() {
                let expected = plain(&at(&layout, values), &at(&tile, values).into()).expect("a layout");
                assert_eq!(indices(&at(&found, values)), indices(&expected), "{layout} at {values:?}");
            }
        }
    }
}

#[test]
fn products_are_those_of_numbers() {
    type Product = fn(&SymbolicLayout, &SymbolicLayout) -> Result<SymbolicLayout, LayoutError>;
    type Plain = fn(&Layout, &Layout) -> Result<Layout, LayoutError>;
    let products: [(Product, Plain); 3] = [
        (SymbolicLayout::logical_product, Layout::logical_product),
        (SymbolicLayout::blocked_product, Layout::blocked_product),
        (SymbolicLayout::raked_product, Layout::raked_product),
    ];
    for (block, tiles) in [("(M,4):(4,1)", "N:1"), ("M:1", "(N,2):(2,1)"), ("(K,N):(1,K)", "M:1")] {
        let [block, tiles] = [block, tiles].map(symbolic);
        for (operation, plain) in products {
            let found = operation(&block, &tiles).unwrap_or_else(|e| panic!("{block} times {tiles}: {e}"));
            for values in values() {
                let expected = plain(&at(&block, values), &at(&tiles, values)).expect("a layout");
                assert_eq!(indices(&at(&found, values)), indices(&expected), "{found} at {values:?}");
            }
        }
    }
}

#[test]
fn texts_have_names_and_expressions() {
    let cases = [
        ("(M, 4):(4, 1)", "(M,4):(4,1)"),
        ("(2*M, (N + 1)*4):(4*N + 4, 1)", "(2*M,(N + 1)*4):(4*N + 4,1)"),
        ("(2*4, 8):(8, 1)", "(8,8):(8,1)"),
        ("coalesce((M,N):(1,M) o (N,M):(M,1))", "(N,M):(M,1)"),
        ("zipped_divide((K,N):(N,1), (4, N))", "((4,N),(K//4,1)):((N,1),(N*4,0))"),
        ("row_major((M,N,K))", "(M,N,K):(N*K,K,1)"),
        ("col_major((M,4))", "(M,4):(1,M)"),
        ("complement(M:N)", "N:1"),
        ("((M + 1)):((N)*2)", "(M + 1):(N*2)"),
        ("((8),M):(1,8)", "(8,M):(1,8)"),
        ("complement(4:1, min(M*8,64))", "M*2:4"),
        ("mode(make_layout(M:1, (4,K):(K,1)), 1)", "(4,K):(K,1)"),
        ("Swizzle<1,0,2> o (K,4):(4,1)", "Swizzle<1, 0, 2> o (K,4):(4,1)"),
        ("left_inverse((M,4):(8,1))", "(4,2,M):(M,0,1)"),
        ("right_inverse((M,N):(N,1))", "(N,M):(M,1)"),
        ("(K,N):(N,1) o <K//4:4, N>", "(K//4,N):(N*4,1)"),
        ("(4,M):(-N, 1) o 2:1", "2:-N"),
        ("2:-N", "2:-N"),
        ("coalesce_modes(((M,N),4):((1,M),M*N))", "(M*N,4):(1,M*N)"),
    ];
    for (text, expected) in cases {
        let found = evaluate_in(text, &domain()).unwrap_or_else(|e| panic!("{text}: {e}")).value.to_string();
        assert_eq!(found, expected, "{text}");
    }
    let wrong = [
        ("(M,X):(1,M)", "(M,X):(1,M)", "the name `X` is not declared"),
        ("(M - 1):1", "(M - 1):1", "it is not proved that `M - 1 >= 1`: a size is at least 1"),
        ("(M - 9):1", "(M - 9):1", "`M - 9 >= 1` is false: a size is at least 1"),
        ("(M,N):(1,M,4)", "(M,N):(1,M,4)", "are not nested alike"),
        ("layout(M:1)", "M:1", "expected a function of bits"),
        (
            "logical_product(4:1, Sw<1,0,2> o M:1)",
            "logical_product(4:1, Sw<1,0,2> o M:1)",
            "no product of a swizzled layout",
        ),
        ("linear(M:1, [x], y)", "M:1", "expected a layout of numbers"),
        ("coalesc((M,N):(N,1))", "coalesc", "unknown operation `coalesc`"),
        ("(M,N):(N,1) o 2:1", "(M,N):(N,1) o 2:1", "it is not proved that `2%M == 0`"),
        ("(M,M **):1", "*", "expected a layout, a number or an operation"),
        ("(K,{x: 1}):(1,2)", "{x: 1}", "expected an expression"),
    ];
    for (text, place, message) in wrong {
        let error = evaluate_in(text, &domain()).expect_err(text);
        let found = (&text[error.span()], error.to_string());
        assert!(found.0 == place && found.1.contains(message), "{text}: {found:?}");
    }
}

#[test]
fn notes_of_names_say_where_a_result_may_reach_further() {
    let notes = |text: &str| {
        let found = evaluate_in(text, &domain()).unwrap_or_else(|e| panic!("{text}: {e}"));
        found.notes.iter().map(|n| format!("{} {}", n.size, n.reached)).collect::<Vec<_>>()
    };
    assert!(notes("logical_divide(K:1, 4)").is_empty());
    assert_eq!(notes("logical_divide(M:1, 4)"), ["M 4"]);
    assert_eq!(notes("M:2 o 8:1"), ["M 7"]);
    assert!(notes("(M,N):(N,1) o (M,N):(1,M)").is_empty());
}

#[test]
fn views_and_layouts_of_other_domains() {
    let view = symbolic("(M,N):(N,1)").to_view().expect("a view");
    assert_eq!(view.to_string(), "(M, N):(N, 1)");
    assert_eq!(SymbolicLayout::of_view(&view).expect("a layout"), symbolic("(M,N):(N,1)"));
    let padded = ViewStack::row_major([4, 8]).and_then(|v| v.pad([(1, 1), (0, 0)])).expect("a view");
    assert!(matches!(SymbolicLayout::of_view(&padded), Err(LayoutError::NotStrided { .. })));
    let other = SymbolicLayout::parse("M:1", &"M=1..9".parse().expect("a domain")).expect("a layout");
    assert!(matches!(symbolic("M:1").compose(&other), Err(LayoutError::Domains)));
    let names = symbolic("(M,N):(N,1)").simplify(&quaff::Simplifier::default(), &["N", "j"]);
    assert!(matches!(names, Err(LayoutError::NameTaken { .. })));
    let twice =
        symbolic("(2,4):(4,1)").to_layout().expect("numbers").simplify(&quaff::Simplifier::default(), &["i", "i"]);
    assert!(matches!(twice, Err(LayoutError::NameTaken { .. })));
    for outside in [[5, 1, 4], [1, 0, 4], [1, 1, 6]] {
        let found = symbolic("(M,N,K):(1,M,M*N)").evaluated(value_of(outside));
        assert!(matches!(found, Err(LayoutError::OutsideDomain { .. })), "{outside:?}");
    }
    assert!(matches!(other.evaluated(|_| None), Err(LayoutError::Undeclared { .. })));
    assert_eq!(symbolic("(2,4):(4,1)").to_layout().map(|l| l.to_string()).as_deref(), Some("(2,4):(4,1)"));
    assert_eq!(other.to_layout(), None);
}
