//! What is written is read back, in every dialect that has a reader.

use crate::random::{Case, NAMES, case};
use proptest::prelude::*;
use quaff_dialects::{Dialect, Written, read, write};
use quaff_expr::expr::{Expr, Program};

fn has_reader(dialect: Dialect) -> bool {
    read("x", dialect).is_ok()
}

/// The text, and what it is read as.
fn round_trip(case: &Case, results: &[Expr], dialect: Dialect) -> Option<(Written, Vec<Expr>)> {
    let written = write(results, dialect, &|e| case.range(e)).ok()?;
    let read = read(&written.text, dialect).unwrap_or_else(|error| {
        let at = &written.text[error.span()];
        panic!("{dialect}: {error} at `{at}`, {:?} in\n{}", error.help_text(), written.text)
    });
    Some((written, read.results.into_iter().map(|r| r.into_expr()).collect()))
}

fn check(case: &Case, dialect: Dialect) -> Result<(), TestCaseError> {
    // a text of these dialects is a map, and those of the others have one expression
    let is_map = matches!(dialect, Dialect::Mlir | Dialect::Xla);
    let parts: Vec<&[Expr]> = if is_map { vec![&case.roots] } else { case.roots.chunks(1).collect() };
    for part in parts {
        let case = Case { roots: part.to_vec(), ranges: case.ranges.clone() };
        let Some((written, results)) = round_trip(&case, part, dialect) else { continue };
        prop_assert_eq!(results.len(), part.len(), "{}: {}", dialect, written.text);
        let program = Program::new(&results, &NAMES).expect("the same variables");
        for (point, values) in case.points(30) {
            let found = program.eval(&point.iter().map(|&v| v.into()).collect::<Vec<i128>>());
            let expected: Vec<_> = values.into_iter().map(Ok).collect();
            prop_assert_eq!(&found, &expected, "{}: {} at {:?}", dialect, written.text, point);
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn any_expression_is_read_back(case in case(false)) {
        for dialect in Dialect::ALL.into_iter().filter(|&d| has_reader(d)) {
            check(&case, dialect)?;
        }
    }

    #[test]
    fn affine_expressions_are_read_back(case in case(true)) {
        for dialect in Dialect::ALL.into_iter().filter(|&d| has_reader(d)) {
            check(&case, dialect)?;
        }
        // these are written and read whatever the ranges are
        for dialect in [Dialect::Mlir, Dialect::Xla] {
            let text = write(&case.roots, dialect, &|e| case.range(e));
            prop_assert!(text.is_ok(), "{:?}", text);
        }
    }
}

#[test]
fn the_domain_of_a_map_of_xla_is_that_of_its_variables() {
    let case = Case { roots: vec!["x//4 + y".parse().unwrap()], ranges: vec![(0, 9), (-3, 5), (0, 0), (0, 0)] };
    let written = write(&case.roots, Dialect::Xla, &|e| case.range(e)).unwrap();
    assert_eq!(read(&written.text, Dialect::Xla).unwrap().domain.to_string(), "x=0..9, y=-3..5");
}
