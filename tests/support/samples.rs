//! Cases for tests of whole calls: corpora in files, sample points, and equal expressions in other forms.
#![allow(dead_code)] // each test file uses its part

use quaff::domain::Domain;
use quaff::expr::{Dag, Expr, Op, Program, parse};
use serde_json::Value;
use std::path::Path;

/// A case, which is one line of a corpus.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) expr: Expr,
    /// The names of the variables, with inclusive ranges.
    pub(crate) vars: Vec<(String, (i64, i64))>,
}

impl Case {
    pub(crate) fn domain(&self) -> Domain {
        self.vars.iter().fold(Domain::new(), |d, (name, (lo, hi))| d.with(name.as_str(), *lo..=*hi))
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        self.vars.iter().map(|(n, _)| n.as_str()).collect()
    }

    /// Up to `corners` corners of the ranges, and `random` points in the ranges. The points are the same on every run.
    pub(crate) fn points(&self, corners: usize, random: usize) -> Vec<Vec<i128>> {
        let ranges: Vec<(i64, i64)> = self.vars.iter().map(|(_, r)| *r).collect();
        points(&ranges, corners, random)
    }

    /// The first point at which `other` and the expression have different values, with both values.
    ///
    /// Points at which the expression has no value are ignored.
    pub(crate) fn difference(&self, other: &Expr, points: &[Vec<i128>]) -> Option<String> {
        let roots = [self.expr.clone(), other.clone()];
        let program = Program::new(&roots, &self.names()).expect("an answer has the variables of its input");
        let mut buffer = Vec::new();
        points.iter().find_map(|p| {
            let values: Vec<_> = program.eval_into(p, &mut buffer).collect();
            let wrong = values[0].is_ok() && values[0] != values[1];
            wrong.then(|| format!("{:?} at {:?} = {p:?}", values, self.names()))
        })
    }
}

/// The cases of a file of JSON lines.
pub(crate) fn load(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let case = |line: &str| -> Option<Case> {
        let v: Value = serde_json::from_str(line).expect(line);
        let vars = v["vars"].as_object().expect(line).iter();
        let vars = vars.map(|(n, r)| (n.clone(), (r[0].as_i64().expect(line), r[1].as_i64().expect(line)))).collect();
        let expr = parse(v["expr"].as_str().expect(line)).expect(line).into_expr();
        Some(Case { id: v["id"].as_str().expect(line).into(), expr, vars })
    };
    text.lines().filter_map(case).collect()
}

/// Corners of a box, followed by random points. If there are too many corners, they are an even selection.
pub(crate) fn points(ranges: &[(i64, i64)], corners: usize, random: usize) -> Vec<Vec<i128>> {
    let all = 1_u64 << ranges.len().min(40);
    let step = (all / corners.max(1) as u64).max(1);
    let mut out: Vec<Vec<i128>> = (0..all)
        .step_by(step as usize)
        .map(|bits| {
            let end = |(i, r): (usize, &(i64, i64))| i128::from(if bits >> (i % 40) & 1 == 0 { r.0 } else { r.1 });
            ranges.iter().enumerate().map(end).collect()
        })
        .collect();
    let mut random_source = Random(0x2545_f491_4f6c_dd1d);
    for _ in 0..random {
        out.push(ranges.iter().map(|r| random_source.within(*r)).collect());
    }
    out
}

/// Knuth's linear congruential generator. Tests need the same numbers on every machine, but not good random numbers.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        self.0 >> 33
    }

    pub(crate) fn within(&mut self, (lo, hi): (i64, i64)) -> i128 {
        let count = i128::from(hi) - i128::from(lo) + 1;
        let wide = i128::from(self.next()) << 31 | i128::from(self.next());
        i128::from(lo) + wide % count
    }
}

/// `e` in which `node` makes every node again, operands first.
fn rebuilt(e: &Expr, node: impl Fn(&Op, Vec<Expr>) -> Expr) -> Expr {
    let dag = Dag::new(std::slice::from_ref(e));
    let mut made: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
    for n in dag.nodes() {
        let args = n.args().iter().map(|i| made[*i as usize].clone()).collect();
        made.push(node(&n.op, args));
    }
    made[dag.roots()[0] as usize].clone()
}

/// `e` with renamed variables.
pub(crate) fn renamed(e: &Expr, name: impl Fn(&str) -> String) -> Expr {
    rebuilt(e, |op, args| match op {
        Op::Var(v) => Expr::try_new(Op::Var(name(v).into()), args).expect("arity"),
        op => Expr::try_new(op.clone(), args).expect("arity"),
    })
}

/// `e` with swapped operands for the commutative operators and comparisons that `which` accepts.
pub(crate) fn reordered(e: &Expr, which: impl Fn(&Op) -> bool) -> Expr {
    use Op::*;
    rebuilt(e, |op, mut args| {
        if !which(op) {
            return Expr::try_new(op.clone(), args).expect("arity");
        }
        let op = match op {
            Add | Mul | Min | Max | Eq | Ne | And | Or | BitAnd | BitOr | BitXor => op.clone(),
            Lt => Gt,
            Gt => Lt,
            Le => Ge,
            Ge => Le,
            _ => return Expr::try_new(op.clone(), args).expect("arity"),
        };
        args.reverse();
        Expr::try_new(op, args).expect("arity")
    })
}

/// All points of a box, or an even selection if there are more than `most` points.
pub(crate) fn grid(ranges: &[(i64, i64)], most: usize) -> Vec<Vec<i128>> {
    let count = |r: &(i64, i64)| i128::from(r.1) - i128::from(r.0) + 1;
    let total: i128 = ranges.iter().map(count).product();
    // an odd step shares no factor 2 with the counts, so the selection has points of all residues
    let step = if total <= most as i128 { 1 } else { (total / most as i128) | 1 };
    (0..total)
        .step_by(step as usize)
        .map(|mut at| {
            let digit = |r: &(i64, i64)| {
                let digit = at % count(r);
                at /= count(r);
                i128::from(r.0) + digit
            };
            ranges.iter().map(digit).collect()
        })
        .collect()
}
