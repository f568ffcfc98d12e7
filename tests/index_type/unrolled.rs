//! Unrolled accesses: the value of each copy, and the instructions of a copy before and after splitting.

use crate::golden;
use crate::samples::Random;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Dag, Expr, Op, int, var};
use quaff_fronts::index_type::{Idx, Types, check};
use std::fmt::Write;

struct Access {
    name: String,
    ty: Idx,
    /// The domain of all variables. The values of `i` are the values of the first copy.
    domain: Domain,
    expr: Expr,
}

fn accesses() -> Vec<Access> {
    let lines = include_str!("../data/unrolled.txt").lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split(" | ").map(str::trim).collect();
            // the index may contain ` | `, so its fields are joined again
            let [name, trips, vars] = fields[..3] else { panic!("{line}") };
            let (range, factor) = trips.split_once(" unroll ").expect(line);
            let (low, high) = range.split_once("..").expect(line);
            let [low, high, factor] = [low, high, factor].map(|t| t.parse::<i64>().expect(line));
            let mut domain = Domain::new();
            vars.split(", ").for_each(|v| domain.declare(v).expect(line));
            domain = domain.with("i", low..=high - factor).stride("i", factor, low % factor);
            let ty = Idx::unrolled(low, high, factor).expect(line);
            Access { name: name.into(), ty, domain, expr: fields[3..].join(" | ").parse().expect(line) }
        })
        .collect()
}

/// `e` in copy `s`, without folding of constants.
fn substituted(e: &Expr, s: i64) -> Expr {
    let dag = Dag::new(std::slice::from_ref(e));
    let mut made: Vec<Expr> = Vec::new();
    for node in dag.nodes() {
        let args = node.args().iter().map(|a| made[*a as usize].clone());
        made.push(match &node.op {
            Op::Var(v) if &**v == "i" && s > 0 => var("i") + int(s),
            op => Expr::try_new(op.clone(), args).expect("arity"),
        });
    }
    made[dag.roots()[0] as usize].clone()
}

/// Checks that all copies have the values of the expression, at random points of the domain.
fn confirm(access: &Access, copies: &[Expr]) {
    let facts = access.domain.resolve().expect("consistent");
    let mut random = Random(3);
    for _ in 0..50 {
        let values: Vec<i64> = facts
            .iter()
            .map(|f| {
                let ((low, high), step) = (f.interval.bounded().expect("bounded"), f.congruence.modulus().max(1));
                low + random.within((0, (high - low) / step)) as i64 * step
            })
            .collect();
        for (copy, s) in copies.iter().zip(0..) {
            let value = |name: &str, by: i64| {
                let at = facts.iter().position(|f| &*f.name == name)?;
                Some(values[at] + if name == "i" { by } else { 0 })
            };
            let expected = access.expr.eval(|n| value(n, s));
            assert_eq!(copy.eval(|n| value(n, 0)), expected, "{}: copy {s} is {copy}", access.name);
        }
    }
}

/// The instructions of a copy, counted in three ways. The first is the simplified index alone. The second is a share of
/// all copies, with `i + s` in place of `i`. The third counts the shared part once, and the constant of a copy costs
/// nothing.
#[test]
fn copies_share_what_is_dynamic() {
    let simplifier = Simplifier::default();
    let (mut text, mut totals) = (String::new(), [0.0; 3]);
    writeln!(text, "access                copies   one  each  shared").expect("a string");
    let all = accesses();
    for access in &all {
        let mut facts = Domain::new();
        for f in access.domain.resolve().expect("consistent").iter().filter(|f| &*f.name != "i") {
            let (low, high) = f.interval.bounded().expect("bounded");
            facts = facts.with(f.name.clone(), low..=high);
            facts = facts.stride(f.name.clone(), f.congruence.modulus().max(1), f.congruence.residue());
        }
        let types = Types::new(&facts).expect("consistent").with("i", access.ty);
        let checked = check(&access.expr, &types).expect("has a type");
        let copies = checked.copies().expect("small constants");
        confirm(access, &copies);
        let cost = |exprs: &[Expr]| {
            let answer = simplifier.simplify_all(exprs, &access.domain).expect("no divisor is 0");
            answer.cost().instructions()
        };
        let n = copies.len() as f64;
        let each: Vec<Expr> = (0..copies.len() as i64).map(|s| substituted(&access.expr, s)).collect();
        let after = match checked.shared() {
            Some((base, _)) => cost(std::slice::from_ref(base)),
            None => cost(&copies),
        };
        let row = [cost(std::slice::from_ref(&access.expr)), cost(&each) / n, after / n];
        totals.iter_mut().zip(row).for_each(|(total, cost)| *total += cost);
        let apart = if checked.shared().is_none() { "  apart" } else { "" };
        let [one, each, shared] = row;
        writeln!(text, "{:<22}{n:>6}{one:>6.1}{each:>6.2}{shared:>8.2}{apart}", access.name).expect("a string");
    }
    let [one, each, shared] = totals;
    writeln!(text, "{:<22}{:>6}{one:>6.1}{each:>6.2}{shared:>8.2}", "all", all.len()).expect("a string");
    assert!(all.len() >= 50 && shared < each && each < one, "{totals:?}");
    golden::check("unrolled.txt", &text);
}

/// If ranges decide the value of an operation, all copies are one constant, for any operator.
#[test]
fn copies_of_one_value_are_a_constant() {
    let domain = Domain::new().with("x", 0..=9);
    let types = Types::new(&domain).expect("declared").with("i", Idx::unrolled(0, 9, 3).expect("whole trips"));
    for (expr, value) in [("(i + x)//1000", 0), ("(x - i - 90)//100", -1), ("i*x < 100", 1)] {
        let checked = check(&expr.parse().expect(expr), &types).expect(expr);
        assert!(checked.together().is_ok(), "{expr}: {}", checked.ty());
        assert_eq!(checked.len(), 3, "{expr}");
        assert!(checked.copies().expect("small").iter().all(|copy| *copy == int(value)), "{expr}");
    }
}
