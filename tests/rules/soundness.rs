//! Rules do not change values. The tests apply every rule alone, and all rules together, to the cases and to many
//! variations of the cases.
//!
//! A variation replaces the constants of a case and the ranges of its variables by negative numbers, 0, 1, powers of
//! two, primes, and by the original numbers plus or minus one. Input and answer, and both sides of every step, are
//! evaluated at all points of the small domain.

use crate::cores::on_all_cores;
use crate::rule_cases::{Expect, RuleCase, difference, difference_of_step, domain, load, points, with_constants};
use crate::samples::Random;
use quaff::expr::{Dag, Expr, Op, int};
use quaff::rules::RuleSet;
use quaff::{Simplified, Simplifier};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// The number of variations of each case.
const VARIATIONS: usize = 60;
/// The maximum number of variations of a case, if its rule has not yet fired or a broken rule is not yet noticed.
const MOST_VARIATIONS: usize = 150;
/// The maximum number of points that are evaluated for each variation.
const POINTS: usize = 600;
const CONSTANTS: [i64; 22] = [-16, -12, -8, -7, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24];

/// Checks an answer and its steps. Returns the rules that fired, or the error.
fn judge(expr: &Expr, out: &Simplified) -> Result<BTreeSet<String>, String> {
    let points = points(out.vars(), POINTS);
    let shown = |d: String| {
        let vars: Vec<String> = out.vars().iter().map(|v| format!("{}={}", v.name, v.interval)).collect();
        format!("{expr}; {}\n  {d}", vars.join("; "))
    };
    if let Some(d) = difference(expr, out.expr(), out.vars(), &points) {
        return Err(shown(d));
    }
    let mut fired = BTreeSet::new();
    for s in out.trace() {
        let (before, after) = (where_all(&s.conditions, &s.before), where_all(&s.conditions, &s.after));
        if let Some(d) = difference_of_step(&before, &after, out.vars(), &points) {
            return Err(shown(format!("{}: {d}", s.rule)));
        }
        fired.insert(s.rule.clone());
    }
    Ok(fired)
}

/// `e` where all of `conditions` hold, and 0 elsewhere.
fn where_all(conditions: &[Expr], e: &Expr) -> Expr {
    conditions.iter().fold(e.clone(), |e, c| Expr::try_new(Op::Select, [c.clone(), e, int(0)]).expect("arity"))
}

/// An expression and a domain of the same shape as the case.
fn variation(case: &RuleCase, random: &mut Random) -> (Expr, Vec<String>) {
    let mut pick = |list: &[i64]| list[random.next() as usize % list.len()];
    // half of the variations stay close to the case, so that guards narrowly hold or fail
    let near = pick(&[0, 1]) == 1;
    let mut renamed: BTreeMap<i64, i64> = BTreeMap::new();
    let mut constant = |c: i64| {
        *renamed.entry(c).or_insert_with(|| match pick(&[0, 1, 2, 3]) {
            0 | 1 => c,
            2 if near => c + pick(&[-1, 1]),
            _ => pick(&CONSTANTS),
        })
    };
    let expr = with_constants(&case.expr(), &mut constant);
    let factors: Vec<i64> = Dag::new(std::slice::from_ref(&expr))
        .nodes()
        .iter()
        .filter_map(|n| match n.op {
            quaff::expr::Op::Const(c) => Some(c),
            _ => None,
        })
        .collect();
    let vars = case.vars.iter().map(|text| {
        let (name, range) = text.split_once('=').expect("a declaration");
        let (ends, stride) = range.split_once(" step ").map_or((range, None), |(e, s)| (e, Some(s)));
        let (lo, hi) = ends.split_once("..").expect("two ends");
        let number = |t: &str| t.trim().parse::<i64>().ok();
        let ends = match (number(lo), number(hi)) {
            (Some(l), Some(h)) => match pick(&[0, 1, 2, 3, 4]) {
                // the ends of the case, or ends that differ by one
                0 | 1 if h - l < 40 => (l + pick(&[0, 0, -1, 1]), h + pick(&[0, 0, -1, 1])),
                // the values with one quotient by a constant of the case, or a range that is longer or shorter by one
                2 if !factors.is_empty() => {
                    let f = factors[pick(&[0, 1, 2, 3]) as usize % factors.len()];
                    let at = f * pick(&[-1, 0, 0, 1, 2]);
                    (at, at + f.abs() - 1 + pick(&[0, 0, 1, -1]))
                }
                _ => {
                    let at = pick(&CONSTANTS);
                    (at, at + pick(&[0, 1, 1, 2, 5, 9, 17]))
                }
            },
            _ => return text.clone(),
        };
        let (l, h) = (ends.0.min(ends.1), ends.0.max(ends.1));
        match stride {
            Some(s) => format!("{name}={l}..{} step {s}", h + 12),
            None => format!("{name}={l}..{h}"),
        }
    });
    let vars = vars.collect();
    (expr, vars)
}

/// A seed that depends only on the text of the case, and not on its line in the file (FNV-1a).
fn seed(case: &RuleCase) -> u64 {
    case.expr.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// The errors in the answers to a case and its variations, and the number of variations on which each rule fired. If
/// the rule of the case does not fire in the minimum number of variations, further variations follow, up to the
/// maximum.
fn vary(
    case: &RuleCase,
    simplifier: &Simplifier,
    variations: RangeInclusive<usize>,
) -> (Vec<String>, BTreeMap<String, usize>) {
    let (mut wrong, mut counts) = (Vec::new(), BTreeMap::new());
    let mut random = Random(seed(case));
    let mut run = |expr: &Expr, vars: &[String]| -> Option<BTreeSet<String>> {
        // the simplifier correctly refuses domains without points and divisors that may be 0
        let out = simplifier.simplify_all(&[expr.clone(), expr.clone()], &domain(vars).ok()?).ok()?;
        judge(expr, &out).map_err(|e| wrong.push(e)).ok()
    };
    run(&case.expr(), &case.vars);
    for i in 0..*variations.end() {
        if i >= *variations.start() && (case.expect != Expect::Fires || counts.contains_key(&case.rule)) {
            break;
        }
        let (expr, vars) = variation(case, &mut random);
        for rule in run(&expr, &vars).into_iter().flatten() {
            *counts.entry(rule).or_default() += 1;
        }
    }
    (wrong, counts)
}

/// Varies all cases. Returns the number of variations on which each rule fired.
fn sweep(
    simplifier_of: impl Fn(&RuleCase) -> Simplifier + Sync,
    variations: RangeInclusive<usize>,
) -> BTreeMap<String, usize> {
    let (_, cases) = load();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (of_case, fired) in on_all_cores(&cases, |case| vary(case, &simplifier_of(case), variations.clone())) {
        wrong.extend(of_case);
        fired.into_iter().for_each(|(rule, count)| *counts.entry(rule).or_default() += count);
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
    counts
}

#[test]
#[ignore = "a campaign"]
fn every_rule_alone_keeps_all_values() {
    let counts = sweep(RuleCase::alone, VARIATIONS..=MOST_VARIATIONS);
    let silent: Vec<&str> =
        RuleSet::shipped().rules().iter().map(|r| r.name()).filter(|r| !counts.contains_key(*r)).collect();
    println!("{counts:?}");
    assert!(silent.is_empty(), "never fired on a variation: {}", silent.join(", "));
}

/// Shipped rules with one condition removed, or changed by one. The sweep must notice each of them.
const BROKEN: [(&str, &str, &str); 8] = [
    ("nested-division-symbolic", "(when (positive ?m) (positive ?n))", ""),
    ("mod-in-range", "(within ?x 0 ?n)", "(within ?x 0 (+ ?n 1))"),
    ("small-remainder", "(bucket ?s #g)", "(// (lowest ?s) #g)"),
    ("gcd-with-remainder", "(constant ?k)", "(has-terms ?q)"),
    ("compare-quotient", "(> #n 1)", "(!= #n 0)"),
    ("or-disjoint", "(disjoint-bits ?x ?y)", "(nonneg ?y)"),
    ("or-complement", "(+ ?x ?y 1)", "(+ ?x ?y 2)"),
    ("fold-binary-numerator", "(= (highest ?v) (+ #lo 1))", "(< #lo (highest ?v))"),
];

#[test]
fn broken_rules_are_noticed() {
    let (_, cases) = load();
    for (name, right, wrong) in BROKEN {
        let text = RuleSet::shipped().get(name).expect(name).text();
        assert!(text.contains(right), "{text}");
        let broken = RuleSet::parse("broken.rules", &text.replace(right, wrong)).expect(name);
        let noticed = cases.iter().filter(|c| c.rule == name).any(|case| {
            let set = case.alone().rules().clone().and(broken.clone());
            let simplifier = Simplifier::default().with_rules(set).trusting_rules().with_trace(true);
            let mut random = Random(1);
            (0..MOST_VARIATIONS).any(|_| {
                let (expr, vars) = variation(case, &mut random);
                let out = domain(&vars).ok().and_then(|d| simplifier.simplify(&expr, &d).ok());
                out.is_some_and(|out| judge(&expr, &out).is_err())
            })
        });
        assert!(noticed, "{name} without its condition");
    }
}

#[test]
#[ignore = "a campaign"]
fn constants_near_the_ends_of_64_bits_do_not_wrap() {
    const FAR: [i64; 10] = [
        i64::MIN,
        i64::MIN + 1,
        -(1 << 62),
        -(1 << 32),
        1 << 31,
        1 << 32,
        (1 << 62) - 1,
        1 << 62,
        i64::MAX - 1,
        i64::MAX,
    ];
    let (_, cases) = load();
    let (mut answers, mut wrong) = (0, Vec::new());
    let all = Simplifier::default().with_trace(true);
    for case in &cases {
        let alone = case.alone();
        let mut random = Random(seed(case));
        for i in 0..18 {
            let mut pick =
                |c: i64| if random.next().is_multiple_of(3) { FAR[random.next() as usize % FAR.len()] } else { c };
            let expr = with_constants(&case.expr(), &mut pick);
            let vars: Vec<String> = match i % 3 {
                // a variable with an open or very large range
                0 => case.vars.iter().map(|v| format!("{}=..", v.split('=').next().unwrap_or_default())).collect(),
                1 => case
                    .vars
                    .iter()
                    .map(|v| format!("{}=1..{}", v.split('=').next().unwrap_or_default(), pick(9).max(1)))
                    .collect(),
                _ => case.vars.clone(),
            };
            for simplifier in [&alone, &all] {
                // the simplifier refuses divisors that may be 0, and constants that do not fit into 64 bits
                let Some(out) = domain(&vars).ok().and_then(|d| simplifier.simplify(&expr, &d).ok()) else { continue };
                answers += 1;
                wrong.extend(judge(&expr, &out).err());
            }
        }
    }
    assert!(answers > 5000, "{answers} answers");
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong[..wrong.len().min(20)].join("\n"));
}

#[test]
#[ignore = "a campaign"]
fn all_rules_together_keep_all_values() {
    let all = Simplifier::default().with_trace(true);
    let counts = sweep(|_| all.clone(), VARIATIONS / 3..=VARIATIONS / 3);
    // a rule may never fire if other rules or ranges always give its result first, so this is no error
    let idle = RuleSet::shipped().rules().iter().map(|r| r.name()).filter(|r| !counts.contains_key(*r));
    println!("never fired beside the others: {}", idle.collect::<Vec<_>>().join(", "));
}
