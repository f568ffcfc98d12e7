//! Rules change no value: every rule on its own, and all together, on the cases and on many variations of them.
//!
//! A variation replaces the constants of a case and the ranges of its variables: negative, zero, one, powers of two,
//! primes, and one more or less than what stood there. Input and answer, and both sides of every step, are evaluated at
//! all points of the (small) domain.

use crate::cores::on_all_cores;
use crate::rule_cases::{Expect, RuleCase, difference, difference_of_step, domain, load, points, with_constants};
use crate::samples::Random;
use quaff::expr::{Dag, Expr, Op, int};
use quaff::rules::RuleSet;
use quaff::{Simplified, Simplifier};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

/// Variations of each case.
const VARIATIONS: usize = 60;
/// Variations of a case on which its rule has to fire, or a broken rule has to show.
const MOST_VARIATIONS: usize = 150;
/// Points looked at in each.
const POINTS: usize = 600;
const CONSTANTS: [i64; 22] = [-16, -12, -8, -7, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 24];

/// What is wrong with an answer, and the rules that fired.
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

/// `e` where all of `conditions` hold, 0 elsewhere.
fn where_all(conditions: &[Expr], e: &Expr) -> Expr {
    conditions.iter().fold(e.clone(), |e, c| Expr::try_new(Op::Select, [c.clone(), e, int(0)]).expect("arity"))
}

/// Another expression and domain of the same shape.
fn variation(case: &RuleCase, random: &mut Random) -> (Expr, Vec<String>) {
    let mut pick = |list: &[i64]| list[random.next() as usize % list.len()];
    // half of them stay near the case, where guards just hold or just fail
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
                // as in the case, or one off
                0 | 1 if h - l < 40 => (l + pick(&[0, 0, -1, 1]), h + pick(&[0, 0, -1, 1])),
                // whole buckets of some constant, or one more
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

/// A seed from the text of a case, wherever its line is in the file: FNV-1a.
fn seed(case: &RuleCase) -> u64 {
    case.expr.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, b| (hash ^ u64::from(b)).wrapping_mul(0x100_0000_01b3))
}

/// Errors in the answers to a case and its variations, and the number of variations on which each rule fired. A rule that
/// has not fired on the fewest variations has the most.
fn vary(
    case: &RuleCase,
    simplifier: &Simplifier,
    variations: RangeInclusive<usize>,
) -> (Vec<String>, BTreeMap<String, usize>) {
    let (mut wrong, mut counts) = (Vec::new(), BTreeMap::new());
    let mut random = Random(seed(case));
    let mut run = |expr: &Expr, vars: &[String]| -> Option<BTreeSet<String>> {
        // a domain without points or a divisor that can be 0 is refused, and rightly so
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

/// Varies all cases; answers how often each rule fired in the varied part.
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

/// Shipped rules with one condition taken out or off by one. The sweep must notice each of them.
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
                // a variable that can be anything, or nearly so
                0 => case.vars.iter().map(|v| format!("{}=..", v.split('=').next().unwrap_or_default())).collect(),
                1 => case
                    .vars
                    .iter()
                    .map(|v| format!("{}=1..{}", v.split('=').next().unwrap_or_default(), pick(9).max(1)))
                    .collect(),
                _ => case.vars.clone(),
            };
            for simplifier in [&alone, &all] {
                // divisors that can be 0, and constants that do not fit, are refused
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
    // not an error: what others do first, or what ranges decide, leaves nothing for these to do
    let idle = RuleSet::shipped().rules().iter().map(|r| r.name()).filter(|r| !counts.contains_key(*r));
    println!("never fired beside the others: {}", idle.collect::<Vec<_>>().join(", "));
}
