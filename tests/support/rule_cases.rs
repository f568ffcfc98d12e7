//! The cases in `tests/data/rules/cases.txt`. For every shipped rule, they have expressions on which the rule fires,
//! and expressions on which a guard of the rule fails. The top of the file describes the format.
#![allow(dead_code)] // each test file uses its part

use quaff::Simplifier;
use quaff::domain::{Domain, VarFacts};
use quaff::expr::{Dag, EvalError, Expr, Op, Program, Value};
use quaff::rules::RuleSet;
use std::path::PathBuf;

/// The expected behaviour of a rule on the expression of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Expect {
    Fires,
    Refuses,
}

/// A case, which is one line of the file.
#[derive(Clone, Debug)]
pub(crate) struct RuleCase {
    /// The number of the line, from 1.
    pub(crate) line: usize,
    pub(crate) rule: String,
    /// Further rules that run in this case. Some rules match only results of other rules.
    pub(crate) with: Vec<String>,
    pub(crate) expect: Expect,
    pub(crate) expr: String,
    /// Declarations for [`Domain::declare`].
    pub(crate) vars: Vec<String>,
    /// The text of the answer, if the rule fires.
    pub(crate) answer: String,
}

pub(crate) fn path() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/rules/cases.txt")
}

/// The text of the file, and its cases.
pub(crate) fn load() -> (String, Vec<RuleCase>) {
    let text = std::fs::read_to_string(path()).expect("the cases can be read").replace("\r\n", "\n");
    let (mut rule, mut with) = (String::new(), Vec::new());
    let mut cases = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let bad = || -> ! { panic!("cases.txt:{}: no case: {line}", i + 1) };
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with(';') {
            continue;
        }
        if let Some(name) = trimmed.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
            (rule, with) = (name.to_string(), Vec::new());
            continue;
        }
        let (word, rest) = trimmed.split_once(' ').unwrap_or_else(|| bad());
        let expect = match word {
            "with" => {
                with = rest.split_whitespace().map(String::from).collect();
                continue;
            }
            "fires" => Expect::Fires,
            "refuses" => Expect::Refuses,
            _ => bad(),
        };
        let (question, answer) = rest.split_once("->").unwrap_or((rest, ""));
        let mut parts = question.split(';').map(|p| p.trim().to_string());
        let expr = parts.next().unwrap_or_default();
        let answer = answer.trim().to_string();
        let (rule, with, line) = (rule.clone(), with.clone(), i + 1);
        cases.push(RuleCase { line, rule, with, expect, expr, vars: parts.collect(), answer });
    }
    (text, cases)
}

impl RuleCase {
    pub(crate) fn expr(&self) -> Expr {
        self.expr.parse().unwrap_or_else(|e| panic!("cases.txt:{}: {e}", self.line))
    }

    pub(crate) fn domain(&self) -> Domain {
        domain(&self.vars).unwrap_or_else(|e| panic!("cases.txt:{}: {e}", self.line))
    }

    /// A simplifier that has only this rule and the further rules of the case.
    pub(crate) fn alone(&self) -> Simplifier {
        let wanted = |name: &str| name == self.rule || self.with.iter().any(|w| w == name);
        let set = RuleSet::shipped().retain(wanted);
        assert_eq!(set.rules().len(), 1 + self.with.len(), "cases.txt:{}: an unknown rule", self.line);
        Simplifier::default().with_rules(set).with_trace(true)
    }
}

pub(crate) fn domain(vars: &[String]) -> Result<Domain, quaff::domain::DomainError> {
    let mut domain = Domain::new();
    for v in vars {
        domain.declare(v)?;
    }
    Ok(domain)
}

/// Points of a domain: all points if there are at most `most`, and otherwise an even selection. An open upper end is
/// replaced by the greater of 6 and the lower end plus 6, and an open lower end correspondingly.
pub(crate) fn points(vars: &[VarFacts], most: usize) -> Vec<Vec<i128>> {
    let ends: Vec<(i64, i64)> = vars
        .iter()
        .map(|v| match (v.interval.lo(), v.interval.hi()) {
            (Some(l), Some(h)) => (l, h),
            (Some(l), None) => (l, l.max(0) + 6),
            (None, Some(h)) => (h.min(0) - 6, h),
            (None, None) => (-6, 6),
        })
        .collect();
    let names: Vec<&str> = vars.iter().map(|v| &*v.name).collect();
    let bounds: Vec<Expr> = vars.iter().flat_map(|v| v.lower.iter().chain(&v.upper).cloned()).collect();
    let bounds = Program::new(&bounds, &names).expect("ends are over the domain's variables");
    let count = |e: &(i64, i64)| (e.1 as i128 - e.0 as i128 + 1) as u128;
    let total = ends.iter().fold(1u128, |n, e| n.saturating_mul(count(e)));
    // an odd step shares no factor 2 with the counts, so the selection has points of all residues
    let step = if total <= most as u128 { 1 } else { (total / most as u128) | 1 };
    let mut out = Vec::new();
    let mut at = 0;
    while at < total {
        let mut left = at;
        let point: Vec<i128> = ends
            .iter()
            .map(|e| {
                let digit = left % count(e);
                left /= count(e);
                e.0 as i128 + digit as i128
            })
            .collect();
        at = at.saturating_add(step);
        let values = bounds.eval(&point);
        let mut values = values.iter().map(|v| v.unwrap_or(0));
        let inside = vars.iter().zip(&point).all(|(v, &x)| {
            let above = v.lower.as_ref().is_none_or(|_| values.next().is_some_and(|l| l <= x));
            let below = v.upper.as_ref().is_none_or(|_| values.next().is_some_and(|h| x <= h));
            above && below && i64::try_from(x).is_ok_and(|x| v.congruence.contains(x))
        });
        if inside {
            out.push(point);
        }
    }
    out
}

/// The first point at which `a` has a value and `b` has another value or none.
pub(crate) fn difference(a: &Expr, b: &Expr, vars: &[VarFacts], points: &[Vec<i128>]) -> Option<String> {
    disagreement(a, b, vars, points, |a, b| a.is_ok() && a != b)
}

/// The first point at which both sides of a step differ. A step is about integers of any size, so points at which a
/// side exceeds 128 bits are ignored.
pub(crate) fn difference_of_step(a: &Expr, b: &Expr, vars: &[VarFacts], points: &[Vec<i128>]) -> Option<String> {
    disagreement(a, b, vars, points, |a, b| a.is_ok() && a != b && *b != Err(EvalError::Overflow))
}

fn disagreement(
    a: &Expr,
    b: &Expr,
    vars: &[VarFacts],
    points: &[Vec<i128>],
    disagree: impl Fn(&Value, &Value) -> bool,
) -> Option<String> {
    let names: Vec<&str> = vars.iter().map(|v| &*v.name).collect();
    let program = Program::new(&[a.clone(), b.clone()], &names).expect("the same variables");
    let mut buffer = Vec::new();
    points.iter().find_map(|p| {
        let values: Vec<_> = program.eval_into(p, &mut buffer).collect();
        disagree(&values[0], &values[1]).then(|| format!("{a}  and  {b}: {values:?} at {names:?} = {p:?}"))
    })
}

/// `e` with its constants replaced by `new`, in the order of their first use.
pub(crate) fn with_constants(e: &Expr, mut new: impl FnMut(i64) -> i64) -> Expr {
    let dag = Dag::new(std::slice::from_ref(e));
    let mut made: Vec<Expr> = Vec::with_capacity(dag.nodes().len());
    for n in dag.nodes() {
        let args: Vec<Expr> = n.args().iter().map(|i| made[*i as usize].clone()).collect();
        made.push(match n.op {
            Op::Const(c) => quaff::expr::int(new(c)),
            ref op => Expr::try_new(op.clone(), args).expect("arity"),
        });
    }
    made[dag.roots()[0] as usize].clone()
}
