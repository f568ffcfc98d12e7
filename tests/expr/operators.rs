//! Tests every operator in each part of quaff that takes expressions. A part without a case for an operator must not
//! treat it as another operator.

use quaff::domain::Domain;
use quaff::expr::{Dag, Expr, Op, int, parse_sexp, var};
use quaff::lower::{Machine, lower};
use quaff::quasi::{Verdict, equivalent};
use quaff::{Simplifier, expr::Program};

const NAMES: [&str; 3] = ["x", "y", "z"];

/// Each operator on variables, on sums and on a constant, with a domain in which all cases have values. The first
/// operand may be negative or positive.
fn cases() -> Vec<(Expr, Domain)> {
    let operands = [
        [var("x"), var("y"), var("z")],
        [var("x") * 3 - var("z"), var("y") + 1, var("x") + var("y")],
        [var("x") * 5 + var("z"), int(3), var("y")],
    ];
    let domain: Domain = "x=-5..5, y=1..3, z=-2..2".parse().expect("a domain");
    let on =
        |op: &Op, operands: &[Expr]| Expr::try_new(op.clone(), operands[..op.arity()].to_vec()).expect("its arity");
    Op::all().iter().flat_map(|op| operands.iter().map(|o| (on(op, o), domain.clone()))).collect()
}

fn points() -> impl Iterator<Item = [i64; 3]> {
    (-5..=5).flat_map(|x| (1..=3).flat_map(move |y| (-2..=2).map(move |z| [x, y, z])))
}

#[test]
fn texts_are_read_back() {
    for (e, _) in cases() {
        assert_eq!(e.to_string().parse::<Expr>().expect("infix"), e);
        let sexp = e.to_sexp(1000).expect("short");
        assert_eq!(parse_sexp(&sexp).expect("an s-expression").into_expr(), e);
    }
}

#[test]
fn answers_and_instructions_have_the_values_of_the_question() {
    for (e, domain) in cases() {
        let answer = Simplifier::default().simplify(&e, &domain).expect("defined").expr().clone();
        let facts = domain.resolve().expect("consistent");
        let exprs = [e.clone(), answer];
        let lowered = lower(&Dag::new(&exprs), &facts).expect("narrow");
        let machine = Machine::new(&lowered, &NAMES).expect("its variables");
        let program = Program::new(&exprs, &NAMES).expect("its variables");
        for point in points() {
            let value = Op::eval(
                e.op(),
                [0, 1, 2].map(|i| {
                    let operand = e
                        .args()
                        .get(i)
                        .map_or(Ok(0), |a| a.eval(|name| Some(point[NAMES.iter().position(|n| *n == name)?])));
                    Ok(operand.expect("defined"))
                }),
            );
            assert_eq!(program.eval(&point.map(i128::from)), [value; 2], "{e} at {point:?}");
            assert_eq!(machine.run(&point), Ok(vec![value.expect("defined"); 2]), "{e} at {point:?}");
        }
    }
}

#[test]
fn the_decision_procedure_knows_equal_from_different() {
    for (e, domain) in cases() {
        let same = equivalent(&e, &(e.clone() + var("x") - var("x")), &domain);
        assert!(matches!(same, Verdict::Equal), "{e}: {same}");
        let other = equivalent(&e, &(e.clone() + var("x").equals(5)), &domain);
        assert!(matches!(other, Verdict::Differs { .. }), "{e}: {other}");
    }
}
