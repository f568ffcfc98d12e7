//! Building, reading, printing and evaluating expressions. Periods and equality.

use crate::hostile::{domain, expression, monsters, name, number, op, text, wide};
use crate::{config, show};
use proptest::prelude::*;
use quaff::emit;
use quaff::expr::parse::{self, ParseError};
use quaff::expr::{self, Dag, DagNode, EvalError, Expr, FlatNodes, Nodes, Op, Parsed, Program};
use quaff::quasi::{self, Canonical, Decision, Method, Options, Period, Verdict, Witness};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Options with little work. They exclude solvers, because the answer of a solver depends on the machine.
fn options(seed: u64, points: u64) -> Options {
    let threads = NonZeroUsize::new(1 + (seed & 1) as usize).expect("not 0");
    Options {
        max_points: points,
        max_evaluations: points,
        max_steps: points,
        ranges_above: seed,
        split_above: points >> 3,
        samples: (seed & 31) as u32,
        seed,
        threads,
        smt_timeout: Duration::ZERO,
    }
}

fn shown(decision: &Decision) {
    show(decision);
    show(&Method::as_str(decision.method));
    let _ = decision.verdict.to_string();
    if let Verdict::Differs { witness } = &decision.verdict {
        show(&(Witness::values(witness), Witness::get(witness, "x"), Witness::get(witness, "")));
        show(&(Witness::first(witness), Witness::second(witness)));
    }
}

proptest! {
    #![proptest_config(config(1_500))]

    #[test]
    fn building(op in op(), args in prop::collection::vec(expression(), 0..5), a in expression(), b in expression(), c in number(), name in name()) {
        let count = args.len();
        let made = Expr::try_new(op.clone(), args);
        prop_assert_eq!(made.is_ok(), count == Op::arity(&op));
        show(&made);
        show(&(Expr::try_new(op.clone(), std::iter::repeat(a.clone())).is_ok(), Op::symbol(&op), Op::sign(&op)));
        show(&(Op::with_symbol(Op::symbol(&op)), Op::with_symbol(name), Op::precedence(&op), Op::is_call(&op)));
        show(&(Op::is_associative(&op), Op::is_division(&op), Op::is_extremum(&op), Op::is_comparison(&op)));
        show(&Op::is_truncation(&op));
        show(&(Op::is_truth(&op), Op::is_bitwise(&op), Op::is_shift(&op), Op::is_lazy(&op), Op::is_partial(&op)));
        show(&Op::eval(&op, [Ok(i128::MIN), Ok(c.into()), Err(EvalError::Overflow)]));
        let all = [
            Expr::floor_div(&a, &b), Expr::floor_mod(&a, 0), Expr::trunc_div(&a, &b), Expr::trunc_mod(&a, 0), Expr::min(&a, c), Expr::max(&a, &b), Expr::lt(&a, &b),
            Expr::le(&a, c), Expr::gt(&a, &b), Expr::ge(&a, &b), Expr::equals(&a, &b), Expr::differs(&a, c),
            Expr::and(&a, &b), Expr::or(&a, &b), Expr::not(&a), expr::var(name), expr::int(c),
            expr::select(&a, &b, c), &a << 200, &a >> b.clone(), -&a, c % &a, c / &b, &a & &b, &a | c, &a ^ &b, c - &a,
        ];
        for e in all {
            show(&(Expr::op(&e), Expr::args(&e).len(), Expr::as_const(&e), Expr::address(&e) == Expr::address(&a)));
            let flat = FlatNodes::of(&[e.clone(), a.clone()]);
            let name = Op::name(Expr::op(&e));
            show(&(FlatNodes::exprs(&flat).ok(), Op::named(name), Op::code(Expr::op(&e)), Op::all().len()));
            show(&(Expr::tree_size(&e), Expr::eval(&e, |_| Some(c)), Expr::eval(&e, |_| None), e == a));
            show(&(Expr::to_infix(&e, 99), Expr::to_sexp(&e, 0), emit::sexp(&e, 7), Expr::to_infix(&e, usize::MAX)));
        }
    }

    #[test]
    fn nodes_of_a_reader(op in op(), args in prop::collection::vec(expression(), 0..4), start in 0usize..9, text in text()) {
        let (mut nodes, span) = (Nodes::default(), start..start + 3);
        let args: Vec<Expr> = args.into_iter().map(|e| Nodes::one(&mut nodes, e, &span)).collect();
        let made = Nodes::applied(&mut nodes, &op, &args, &span);
        let more = args.first().map(|e| (Nodes::complement(&mut nodes, e, &span), Nodes::abs(&mut nodes, e, &span)));
        show(&Nodes::gcd(&mut nodes, &args, &span).is_ok());
        show(&more);
        for parsed in Nodes::finish(nodes, made.clone().into_iter().chain(args), &text) {
            prop_assert_eq!(Parsed::span_of(&parsed, Parsed::expr(&parsed)), Some(span.clone()));
        }
    }

    #[test]
    fn reading(text in text()) {
        for parsed in [parse::parse(&text), parse::parse_sexp(&text)] {
            match parsed {
                Ok(parsed) => {
                    let e = Parsed::expr(&parsed).clone();
                    show(&(Parsed::source(&parsed), Parsed::span_of(&parsed, &e), Parsed::span_of(&parsed, &expr::int(3))));
                    let other = Parsed::with_expr(parsed.clone(), &e + 1);
                    show(&(Parsed::span_of(&other, &e), Parsed::into_expr(parsed)));
                }
                Err(e) => {
                    show(&(ParseError::kind(&e), ParseError::span(&e)));
                    prop_assert!(text.get(ParseError::span(&e)).is_some() || ParseError::source_text(&e) != text);
                    let _ = format!("{e} {:?}", miette::Report::new(e.clone()));
                }
            }
        }
    }

    #[test]
    fn evaluation(a in expression(), b in expression(), point in prop::collection::vec(wide(), 0..5), names in prop::collection::vec(name(), 0..4)) {
        let mut buffer = Vec::new();
        for variables in [&["x", "y", "n"][..], &["n", "n", "y", "x"], &names] {
            if let Ok(program) = Program::new(&[a.clone(), b.clone()], variables) {
                let values = Program::eval(&program, &point);
                prop_assert_eq!(Program::eval_into(&program, &point, &mut buffer).collect::<Vec<_>>(), values);
            }
        }
        let dag = Dag::new(&[a, b]);
        show(&(Dag::nodes(&dag), Dag::roots(&dag), Dag::expr(&dag, 0), Dag::expr(&dag, u32::MAX)));
        show(&Dag::rebuilt(&dag, |id, args| (id % 3 == 1).then(|| args.first().cloned().unwrap_or_else(|| expr::int(1)))));
        let odd = DagNode { op: Op::Select, args: [u32::MAX; 3] };
        show(&(DagNode::args(&odd), Dag::nodes(&Dag::new(&[]))));
    }

    #[test]
    fn periods(e in expression(), x in wide(), (length, rise) in (wide(), wide()), name in name()) {
        for variable in ["x", name] {
            show(&Period::of(&e, variable));
            if let Ok(form) = Canonical::of(&e, variable) {
                show(&(Canonical::period(&form), Canonical::slope(&form), Canonical::before_zero(&form)));
                show(&(Canonical::jumps(&form).len(), Canonical::value(&form, x)));
                if Canonical::period(&form) < 100 {
                    show(&Canonical::to_expr(&form, variable));
                }
            }
        }
        show(&(Period::slope(Period { length, rise }), Period::slope(Period { length: 0, rise: 0 })));
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn equality(a in expression(), b in expression(), d in domain(), seed in any::<u64>(), few in any::<bool>()) {
        let options = options(seed, if few { seed & 1 } else { 1_000 });
        shown(&quasi::decide(&a, &b, &d, &options));
        shown(&quasi::decide(&a, &a, &d, &options));
        shown(&quasi::enumerate(&a, &b, &d, &options));
    }
}

#[test]
fn equality_with_the_default_options() {
    let e = (expr::var("x") * 4 + 3) / 4;
    let d = quaff::domain::Domain::new().with("x", 0..9);
    show(&(quasi::equivalent(&e, &expr::var("x"), &d), quasi::equivalent(&e, &expr::var("z"), &d)));
    show(&(quasi::decide(&e, &e, &d, &options(0, 0)), quasi::enumerate(&e, &e, &d, &options(0, 0))));
}

#[test]
fn nothing_recurses_over_an_expression() {
    for e in monsters(60, 50_000) {
        show(&(Expr::tree_size(&e), Expr::to_infix(&e, 1_000), Expr::to_sexp(&e, 1_000), e == e.clone()));
        show(&(Period::of(&e, "x"), Canonical::of(&e, "x").is_ok(), Expr::eval(&e, |_| Some(7))));
        let _ = e.to_string();
    }
}
