//! The errors for expressions without a type, and their places.

use crate::golden;
use miette::{GraphicalReportHandler, GraphicalTheme};
use quaff::domain::Domain;
use quaff::expr::parse;
use quaff_fronts::index_type::{Idx, Placed, Types, check};
use std::fmt::Write;

fn rendered(placed: &Placed) -> String {
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor()).with_width(100);
    handler.render_report(&mut out, placed).expect("a string");
    out
}

#[test]
fn errors_name_the_operator_and_its_place() {
    let domain = Domain::new().with("x", 0..1000).with("n", 0..9).with("far", ..);
    let types = Types::new(&domain).expect("consistent");
    let types = types.with("i", Idx::unrolled(0, 64, 8).expect("divides"));
    let types = types.with("wide", Idx::new(0..1_i64 << 62, 0..1).expect("2^62 copies"));
    let cases = [
        "2 + (i + x)//3",
        "x*64 + (i + x) % 12",
        "i*x + 1",
        "i ^ x",
        "min(i, x)",
        "x + i//n",
        "i % 0",
        "i + y",
        "i + far*4",
        "wide*2 + i",
        "i * 4611686018427387904",
    ];
    let mut text = String::new();
    for case in cases {
        let parsed = parse(case).expect(case);
        let placed = match check(parsed.expr(), &types) {
            Ok(checked) => checked.together().expect_err(case).placed(&parsed),
            Err(error) => error.placed(&parsed),
        };
        assert!(placed.span().is_some(), "{case}");
        writeln!(text, "{case}\n{}", rendered(&placed)).expect("a string");
    }
    golden::check("index_type_errors.txt", &text);
}
