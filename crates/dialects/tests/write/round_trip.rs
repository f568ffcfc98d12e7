//! Writes expressions in every dialect, reads the texts, and compares the values.

use crate::random::{Case, NAMES, case};
use proptest::prelude::*;
use quaff_dialects::{Dialect, read, write};
use quaff_expr::domain::Interval;
use quaff_expr::expr::{Expr, Program};

fn has_reader(dialect: Dialect) -> bool {
    read("x", dialect).is_ok()
}

/// Writes and reads the roots of `case`, and compares all values. Does nothing if the dialect has no text for them.
fn check_results(case: &Case, dialect: Dialect) -> Result<(), TestCaseError> {
    let Ok(written) = write(&case.roots, dialect, &|e| case.range(e)) else { return Ok(()) };
    let read = read(&written.text, dialect).map_err(|error| {
        let at = &written.text[error.span()];
        TestCaseError::fail(format!("{dialect}: {error} at `{at}`, {:?} in\n{}", error.help_text(), written.text))
    })?;
    let results: Vec<Expr> = read.results.into_iter().map(|r| r.into_expr()).collect();
    prop_assert_eq!(results.len(), case.roots.len(), "{}: {}", dialect, written.text);
    let program = Program::new(&results, &NAMES).expect("the same variables");
    for (point, values) in case.points(30) {
        let found = program.eval(&point.iter().map(|&v| v.into()).collect::<Vec<i128>>());
        let expected: Vec<_> = values.into_iter().map(Ok).collect();
        prop_assert_eq!(&found, &expected, "{}: {} at {:?}", dialect, written.text, point);
    }
    Ok(())
}

fn check(case: &Case, dialect: Dialect) -> Result<(), TestCaseError> {
    if matches!(dialect, Dialect::Mlir | Dialect::Xla) {
        return check_results(case, dialect);
    }
    // only MLIR and XLA have maps, so in the other dialects each root is a text by itself
    let parts = case.roots.iter().map(|e| Case { roots: vec![e.clone()], ranges: case.ranges.clone() });
    parts.into_iter().try_for_each(|part| check_results(&part, dialect))
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
        // MLIR and XLA have a text for every affine expression
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

#[test]
fn what_a_language_defines_is_read_back() {
    let cases = [
        (Dialect::Cuda, "blockIdx.x*blockDim.y + threadIdx.z"),
        (Dialect::Triton, "program_id_0*num_programs_1 + arange_0_128"),
        (Dialect::Mlir, "a.b + 4"),
    ];
    for (dialect, text) in cases.into_iter().filter(|c| has_reader(c.0)) {
        let e: Expr = text.parse().unwrap();
        let written = write(std::slice::from_ref(&e), dialect, &|_| Interval::ALL).unwrap();
        assert_eq!(*read(&written.text, dialect).unwrap().results[0].expr(), e, "{dialect}: {}", written.text);
    }
}
