//! Chains as text, and their pictures.

use crate::golden;
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff_fronts::view::chain::{Chain, ChainErrorKind, Movement};
use quaff_fronts::view::{ErrorKind, ViewStack};
use std::fmt::Write;

fn sizes() -> Domain {
    Domain::new().with("n", 1..=64).with("p", 0..=7)
}

fn read(text: &str) -> ViewStack {
    let chain: Chain = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    chain.stack(&sizes()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn every_movement_is_the_method_of_its_name() {
    let start = ViewStack::row_major_in(sizes(), [8, 12]).unwrap();
    let same = |text: &str, moved: ViewStack| assert_eq!(read(&format!("shape(8, 12){text}")), moved, "{text}");
    same("", start.clone());
    same(".reshape(4, 2, 12)", start.reshape([4, 2, 12]).unwrap());
    same(" . permute( 1 , 0 ) ", start.permute(&[1, 0]).unwrap());
    same(".reshape(96, 1).expand(96, 3)", start.reshape([96, 1]).unwrap().expand([96, 3]).unwrap());
    same(".pad((0, 1), (2, 3))", start.pad([(0, 1), (2, 3)]).unwrap());
    same(".shrink((0, 8), (2, 3))", start.shrink([(0, 8), (2, 3)]).unwrap());
    same(".flip(1)", start.flip(&[1]).unwrap());
    same(".stride(2, -3)", start.stride(&[2, -3]).unwrap());
    let chain: Chain = "shape(4).flip(0)".parse().unwrap();
    assert_eq!(chain.movements().collect::<Vec<_>>(), [&Movement::Flip(vec![0])]);
}

#[test]
fn arguments_are_expressions() {
    assert_eq!(read("shape(n*4).reshape(n, 4).pad((0, p), (0, max(p, 2)))").to_string(), {
        let start = ViewStack::row_major_in(sizes(), ["n*4".parse::<quaff::expr::Expr>().unwrap()]).unwrap();
        let [zero, n, p, most] = ["0", "n", "p", "max(p, 2)"].map(|t| t.parse::<quaff::expr::Expr>().unwrap());
        let rows = start.reshape([n, 4.into()]).unwrap();
        rows.pad([(zero.clone(), p), (zero, most)]).unwrap().to_string()
    });
}

#[test]
fn layouts_are_read_and_printed() {
    for text in ["(8, 12):(1, 8)", "(4):(0)", "(n, 4):(4, 1)", "(2, 3, 4):(12, 4, 1)"] {
        assert_eq!(read(text).to_string(), text);
    }
    assert_eq!(read("((2, (2, 2)), 12):((12, (24, 48)), 1)").to_string(), "(2, 2, 2, 12):(12, 24, 48, 1)");
    assert_eq!(read("(8, 12):(12, 1)"), read("shape(8, 12)"));
}

#[test]
fn views_are_read_as_they_are_printed() {
    let texts = [
        "(2, 6, 12):(12, 24, 1) - 24, mask (0, 2) (1, 5) (0, 12)",
        "(8, n):(n, 1) + p*2 + 3",
        "(4, n + p):(1, 4), mask (0, 4) (0, n)",
        "(5, 3):(1, 5) then (15):(1)",
        "():() + 7",
    ];
    for text in texts {
        assert_eq!(read(text).to_string(), text);
    }
    assert_eq!(
        read("(2, 6):(1, 2) - 2, mask (0, 2) (1, 3).reshape(12)").to_string(),
        read("(2, 2):(1, 2).pad((0, 0), (1, 3)).reshape(12)").to_string()
    );
}

/// Every kind of error in a text, with its place and help.
#[test]
fn messages() {
    let cases = [
        "",
        "shape",
        "reshape(4)",
        "(4, 2):(2, 1), masks (0, 1)",
        "(4, 2):(2, 1), mask (0, 1) 3",
        "(4, 2):(2, 1), mask (0, 1)",
        "(4, 2):(2, 1) + x,",
        "shape(8, 12",
        "shape(8, 12))",
        "shape(8, 12).",
        "shape(8, 12) flip(0)",
        "shape(8, 12).premute(1, 0)",
        "shape(8, 12).transmogrify(1)",
        "shape(8, 12).permute(1, x)",
        "shape(8, 12).permute(1, -1)",
        "shape(8, 12).pad(1, 1)",
        "shape(8, 12).pad((1, 1, 1), (0, 0))",
        "shape(8, 12).stride(2, n)",
        "shape(8, ).flip(0)",
        "shape(8, 3 + )",
        "shape(8, 12.5)",
        "(8, 12)",
        "(8, 12):(1)",
        "(8, 12):(1, 8):(2, 3)",
        "shape(k)",
        "shape(-1)",
        "shape(8, 12).reshape(5, 20)",
        "shape(8, 12).permute(0, 2)",
        "shape(n).reshape(n//4, 4)",
    ];
    let mut text = String::new();
    for case in cases {
        let error = case.parse::<Chain>().map(|c| c.stack(&sizes())).and_then(|s| s);
        let error = error.expect_err(case);
        let span = error.span();
        assert_eq!(error.source_text(), case);
        assert!(
            span.end <= case.len() && case.is_char_boundary(span.start) && case.is_char_boundary(span.end),
            "{case}"
        );
        let help = miette::Diagnostic::help(&error).map_or(String::new(), |h| format!("  help: {h}\n"));
        let code = miette::Diagnostic::code(&error).expect("a code");
        let _ = write!(text, "{case}\n  {code}, {span:?} `{}`\n  {error}\n{help}\n", &case[span.clone()]);
    }
    golden::check("view_text_errors.txt", &text);
}

#[test]
fn deep_and_long_texts_are_read_or_refused() {
    let groups = format!("{}2{}:{}1{}", "(".repeat(500), ")".repeat(500), "(".repeat(500), ")".repeat(500));
    let error = groups.parse::<Chain>().unwrap_err();
    assert!(matches!(error.kind(), ChainErrorKind::Argument { .. }));
    let long = format!("shape(2, 3){}", ".permute(1, 0)".repeat(2000));
    assert_eq!(read(&long).to_string(), "(2, 3):(3, 1)");
    let wide = format!("shape({})", vec!["1"; 5000].join(", "));
    assert!(wide.parse::<Chain>().unwrap().stack(&sizes()).is_err());
}

#[test]
fn a_picture_shows_what_each_position_reads() {
    let chain = "shape(8, 12).reshape(4, 2, 12).permute(1, 0, 2).pad((0, 0), (1, 1), (0, 0))";
    let picture = read(chain).svg(chain).unwrap();
    // the page on views shows this picture
    golden::check("../../docs/view.svg", &picture);
    assert_eq!(picture.matches("<g>").count(), 2 * 6 * 12);
    assert_eq!(picture.matches(": masked, nothing is read, lane ").count(), 2 * 2 * 12);
    assert!(picture.contains("<title>index (1, 2, 3): address 39, not masked, lane 3 of warp 3</title>"));
    assert_eq!(read("shape(2, 0, 3)").svg("").unwrap().matches("<g>").count(), 0);
    assert!(read("shape()").svg("").unwrap().contains("address 0"));
}

#[test]
fn what_is_not_drawn() {
    for text in ["shape(2, 2, 2, 2)", "shape(64, 65)", "shape(n, 4)", "(4):(n)"] {
        let error = read(text).svg("").unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotDrawn { .. }), "{text}: {error}");
    }
}

proptest! {
    #[test]
    fn no_text_panics(text in "[a-z0-9(),.: +*-]{0,60}") {
        if let Ok(chain) = text.parse::<Chain>() {
            let _ = chain.stack(&sizes());
        }
    }

    #[test]
    fn no_chain_panics(calls in prop::collection::vec(
        ("shape|reshape|permute|expand|pad|shrink|flip|stride", prop::collection::vec("-?[0-9]{1,3}|\\([0-9], [0-9]\\)|n|p", 0..4)),
        1..6,
    )) {
        let text = calls.iter().map(|(name, of)| format!("{name}({})", of.join(", "))).collect::<Vec<_>>().join(".");
        if let Ok(chain) = text.parse::<Chain>() {
            let _ = chain.stack(&sizes()).map(|s| s.svg(&text));
        }
    }
}
