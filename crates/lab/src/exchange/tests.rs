//! Tests of export and import, including the correctness of the exported rewrites.

use super::rewrite::{Condition, Rewrite};
use super::term::Term;
use super::*;
use crate::proof::laws;
use quaff::integer::{floor_mod, gcd};
use std::collections::HashMap;

fn shipped() -> &'static RuleSet {
    RuleSet::shipped()
}

/// A generator of pseudorandom numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

type Point = HashMap<String, i64>;

/// The value of a term at a point. For a fact, such as a lower bound of a term, it is a value for which the fact is
/// true.
fn value(term: &Term, point: &Point) -> Option<i128> {
    match term {
        Term::Fact(name, terms) => {
            let of = value(terms.first()?, point)?;
            let other = terms.get(1).and_then(|t| value(t, point));
            Some(match (&name[..], other) {
                ("lowest", _) => of - i128::from(point.values().next().copied().unwrap_or(0).rem_euclid(3)),
                ("highest", _) => of + 1,
                ("modulus", _) => 4,
                ("residue-of", _) => floor_mod(of, 4),
                ("gcd", Some(other)) => gcd(of, other),
                ("abs", _) => of.abs(),
                _ => return None,
            })
        }
        Term::Apply(op, operands) => {
            let mut values = [Ok(0); 3];
            for (to, operand) in values.iter_mut().zip(operands) {
                *to = Ok(value(operand, point)?);
            }
            op.eval(values).ok()
        }
        Term::Int(n) => Some((*n).into()),
        Term::Number(name) | Term::Any(name) => point.get(name).map(|n| (*n).into()),
    }
}

/// Whether a condition holds at a point. A guard that only decides when a rule is useful counts as true at every point.
fn holds(condition: &Condition, point: &Point) -> bool {
    if condition.is_of_use() {
        return true;
    }
    let (holds, word, terms) = match condition {
        Condition::Any(some) => return some.iter().any(|c| self::holds(c, point)),
        Condition::Is { holds, word, terms } => (*holds, &word[..], terms),
    };
    let Some(v) = terms.iter().map(|t| value(t, point)).collect::<Option<Vec<_>>>() else { return false };
    let is = match (word, &v[..]) {
        ("=" | "equal", [a, b]) => a == b,
        ("!=", [a, b]) => a != b,
        ("<", [a, b]) => a < b,
        ("<=", [a, b]) => a <= b,
        (">", [a, b]) => a > b,
        (">=", [a, b]) => a >= b,
        ("divides", [a, b]) | ("multiple-of", [b, a]) => *a != 0 && b % a == 0,
        ("power-of-two", [a]) => *a > 0 && a & (a - 1) == 0,
        ("within", [x, lo, hi]) => lo <= x && x < hi,
        ("nonneg", [x]) => *x >= 0,
        ("positive", [x]) => *x > 0,
        ("nonzero", [x]) => *x != 0,
        ("boolean", [x]) => [0, 1].contains(x),
        ("disjoint-bits", [a, b]) => a & b == 0,
        ("one-bucket", [_, n]) => *n != 0,
        ("constant", _) => true,
        _ => panic!("a condition without a meaning: {condition}"),
    };
    is == holds
}

/// Tries random points. Returns the number of points, and the first point at which all conditions hold and the sides
/// differ.
fn refuted(rewrite: &Rewrite) -> (usize, Option<Point>) {
    let mut numbers = Numbers(7);
    let mut points = 0;
    for round in 0..2_000 {
        let names = rewrite.left.variables().into_iter().map(|v| v.to_string()[1..].to_string());
        let width = [5, 9, 17, 33][round % 4];
        let point: Point = names.map(|n| (n, numbers.below(2 * width + 1) as i64 - width as i64)).collect();
        // skip a point at which the left side has no value
        let Some(left) = value(&rewrite.left, &point) else { continue };
        if !rewrite.conditions.iter().all(|c| holds(c, &point)) {
            continue;
        }
        points += 1;
        if value(&rewrite.right, &point) != Some(left) {
            return (points, Some(point));
        }
    }
    (points, None)
}

/// Every rewrite holds at all points that satisfy its conditions. The test ignores guards that only decide when a rule
/// is useful, so the rewrites must hold without these guards.
#[test]
fn rewrites_hold_at_points() {
    let (mut met, mut unmet, mut refutations) = (0, Vec::new(), Vec::new());
    for rule in shipped().rules() {
        for rewrite in law::rewrites(rule).into_iter().flatten() {
            let (points, wrong) = refuted(&rewrite);
            let Rewrite { left, right, conditions } = &rewrite;
            refutations
                .extend(wrong.map(|at| format!("{}: {left} is {right} where {conditions:?}: {at:?}", rule.name())));
            met += usize::from(points > 0);
            if points == 0 {
                unmet.push(rule.name());
            }
        }
    }
    assert!(refutations.is_empty(), "{}", refutations.join("\n"));
    assert!(met > 100 && unmet.len() < 20, "{met} rewrites met, others were not: {unmet:?}");
}

#[test]
fn every_rule_and_law_is_written_or_listed_with_a_reason() {
    let languages = [Language::Egg, Language::Egglog, Language::Smt];
    for language in languages {
        let laws = laws();
        let export = export(shipped(), &laws, language);
        let mut names: Vec<&str> = export.written.iter().map(|n| &n[..]).collect();
        names.extend(export.left_out.iter().map(|l| &l.name[..]));
        names.sort_unstable();
        let mut all: Vec<&str> = shipped().rules().iter().map(Rule::name).chain(laws.iter().map(Law::name)).collect();
        all.sort_unstable();
        assert_eq!(names, all, "{language:?}");
        let listed: usize = export.reasons().iter().map(|r| r.1.len()).sum();
        assert_eq!(listed, export.left_out.len());
        assert!(export.left_out.iter().all(|l| !l.why.is_empty()));
    }
}

fn some(names: &[&str]) -> RuleSet {
    shipped().clone().retain(|name| names.contains(&name))
}

#[test]
fn egg_reads_the_text() {
    use crate::plain_egg::language::Math;
    let text = export(shipped(), &laws(), Language::Egg).text;
    let mut count = 0;
    for line in text.lines().filter(|l| l.contains("rewrite!(\"")) {
        let quoted: Vec<&str> = line.split('"').collect();
        let [_, _, _, left, _, right, ..] = quoted[..] else { panic!("{line}") };
        let variables =
            |text: &str| text.parse::<::egg::Pattern<Math>>().unwrap_or_else(|e| panic!("{line}: {e}")).vars();
        let (left, right) = (variables(left), variables(right));
        assert!(right.iter().all(|v| left.contains(v)), "{line}");
        count += 1;
    }
    assert!(count > 100, "{count}");
}

#[test]
fn a_few_rules_in_each_language() {
    let rules = some(&["div-split-multiple", "nested-division", "and-low-bits"]);
    let of = |language| {
        let text = export(&rules, &[], language).text;
        text.lines()
            .filter(|l| l.trim_start().starts_with(['(', 'r', 'i']))
            .map(|l| format!("{}\n", l.trim()))
            .collect::<String>()
    };
    let egg = of(Language::Egg);
    for line in [
        r#"rewrite!("div-split-multiple"; "(// (+ (* ?n ?q) ?r) ?n)" => "(+ ?q (// ?r ?n))""#,
        r#"rewrite!("nested-division"; "(// (+ (// ?y ?m) ?r) ?n)" => "(// (+ ?y (* ?m ?r)) (* ?m ?n))""#,
        r#"if when.greater("?n", "1")"#,
        r#"if when.power_of_two("(+ ?m 1)")"#,
    ] {
        assert!(egg.contains(line), "{line}: {egg}");
    }
    let egglog = of(Language::Egglog);
    for line in [
        "(rewrite (BitAnd x (Num m)) (FloorMod x (Num (+ m 1))) :when ((> m 0) (> (+ m 1) 0) (= 0 (& (+ m 1) (- (+ m 1) 1)))))",
        "(rewrite (FloorDiv (Add (Mul (Num n) q) r) (Num n)) (Add q (FloorDiv r (Num n))) :when ((> n 1)))",
        "(rewrite (FloorDiv (Add (FloorDiv y (Num m)) r) (Num n)) (FloorDiv (Add y (Mul (Num m) r)) (Num (* m n))) :when ((> m 1) (> n 1)))",
    ] {
        assert!(egglog.contains(line), "{line}: {egglog}");
    }
}

/// A rewrite that is written for egglog and read again is unchanged.
#[test]
fn egglog_there_and_back() {
    let mut count = 0;
    for rule in shipped().rules() {
        let Ok(rewrites) = law::rewrites(rule) else { continue };
        for rewrite in rewrites {
            let Ok((commands, _)) = egglog::written(&rewrite) else { continue };
            for command in commands {
                let found = foreign::program(&command);
                let [Ok(read)] = &found[..] else { panic!("{command}: {found:?}") };
                assert_eq!((&read.rewrite.left, refuted(&read.rewrite).1), (&rewrite.left, None), "{command}");
                count += 1;
            }
        }
    }
    assert!(count > 60, "{count}");
}

#[cfg(feature = "smt")]
#[test]
fn questions_are_those_of_the_prover() {
    let text = export(shipped(), &laws(), Language::Smt).text;
    let mut depth = 0_i64;
    for line in text.lines().filter(|l| !l.starts_with(';')) {
        let of = |c| line.matches(c).count() as i64;
        depth += of('(') - of(')');
        assert_eq!(depth, 0, "{line}");
    }
    assert_eq!(text.matches("(push 1)").count(), text.matches("(pop 1)").count());
    assert_eq!(text.matches("(push 1)").count(), text.matches("(check-sat)").count());
    for name in ["nested-division", "mod-recovery"] {
        let rule = shipped().get(name).expect("a rule");
        for [lean, full] in crate::proof::written(rule).expect("questions") {
            assert!(text.contains(&lean) && text.contains(&full), "{name}");
        }
    }
}

fn read(text: &str, source: Source) -> Import {
    import("test", text, source)
}

#[test]
fn lines_and_reports_and_programs_say_the_same() {
    let line = read("(// (* ?a 4) 8) <=> (// ?a 2)\n; a comment\n\n(max ?x ?x) ==> ?x if (< 0 ?x)\n", Source::Enumo);
    let json = r#"{"eqs": [{"lhs": "(// (* ?a 4) 8)", "rhs": "(// ?a 2)", "bidirectional": true}], "rules": ["(max ?x ?x) ==> ?x if (< 0 ?x)"]}"#;
    let json = read(json, Source::Ruler);
    let program =
        "(datatype Math (Num i64))\n(birewrite (FloorDiv (Mul a (Num 4)) (Num 8)) (FloorDiv a (Num 2)) :ruleset r)\n";
    let program = read(program, Source::Egglog);
    let patterns = |i: &Import| -> Vec<String> {
        assert_eq!(i.refused, []);
        i.rules.iter().map(|r| r.text.lines().skip(1).map(str::trim).collect::<Vec<_>>().join(" ")).collect()
    };
    let (line, json, program) = (patterns(&line), patterns(&json), patterns(&program));
    assert_eq!(line, json);
    assert_eq!(line[..2], program[..]);
    assert!(line[0].starts_with("(match (// (+ (* 4 ?a) ?rest1...) 8)) (when (not (nontrivial ?rest1)))"), "{line:?}");
    assert_eq!(line[2], "(match (max ?x ?x)) (when (positive ?x)) (yield ?x))");
}

#[test]
fn what_cannot_be_read_has_a_place() {
    let text =
        "(f ?a) ==> ?a\n  (+ ?a (g 1)) ==> ?b\n(+ ?a ?a) ==> ?b\n?a ==> (+ ?a 0)\n(+ ?a\n(~ ?a) => ?a\n(* a b) => 0\n";
    let places: Vec<String> = read(text, Source::Enumo).refused.iter().map(|(p, why)| format!("{p} {why}")).collect();
    assert_eq!(
        places,
        [
            "1:1 `f` with 1 operands is no operation",
            "2:9 `g` with 1 operands is no operation",
            "3:1 the left side does not have ?b",
            "5:1 `(` is never closed",
            "6:1 `~` is the negation of numbers, of truths or of bits, each in another domain",
            "7:4 `a` is no variable: these begin with `?`",
        ]
    );
    let program =
        "(rewrite (Add x\n (Foo y)) x)\n(rule ((= x y)) ((union x y)))\n(rewrite (Add x y) x :when ((bar x)))";
    let places: Vec<String> = read(program, Source::Egglog).refused.iter().map(|(p, _)| p.to_string()).collect();
    assert_eq!(places, ["2:2", "3:1", "4:29"]);
    let json = read("[\n {\"lhs\": \"(h ?a)\", \"rhs\": \"?a\"},\n 7]", Source::Ruler);
    assert_eq!(json.refused.len(), 2);
    assert_eq!(json.refused[0].0.line, 2);
}

/// The exported text for egg, compiled as a part of this test.
#[expect(unreachable_pub, reason = "the text is a module of another crate, which uses what is public in it")]
mod golden {
    include!("golden/egg.txt");
}

const GOLDEN: &str = r#"
(rule multiple-leaves "a multiple of n leaves the numerator whole"
  (match (// ?x... #n)) (when (> #n 1)) (split ?x #n ?q ?r) (yield (+ ?q (// ?r #n))))
(rule smaller "the smaller one by ranges"
  (match (min ?x ?y)) (when (nonneg (- ?y ?x))) (yield ?x))
(rule either "a choice"
  (match (% ?x #n)) (when (any (= #n 1) (= #n -1)) (not (power-of-two #n))) (yield 0))
(rule signs-of "a clause that is not said"
  (match (max ?x... ?y...)) (signs ?x ?p ?n) (when (has-terms ?p)) (yield (max ?x ?y)))"#;

/// With the exported rewrites, egg finds the equalities that the rules state. The test implements the condition
/// functions, as a user of the exported text would.
#[test]
fn egg_runs_the_text() {
    use crate::plain_egg::{analysis::Known, language::Math};
    use ::egg::{EGraph, Id, RecExpr, Runner, Subst};
    type Holds = Box<dyn Fn(&mut EGraph<Math, Known>, Id, &Subst) -> bool + Send + Sync>;
    struct Numbers;
    fn number(e: &EGraph<Math, Known>, s: &Subst, x: &str) -> Option<i64> {
        x.parse().ok().or_else(|| e[*s.get(x.parse().ok()?)?].data.constant)
    }
    fn numbers(a: &str, b: &str, holds: fn(i64, i64) -> bool) -> Holds {
        let (a, b) = (a.to_string(), b.to_string());
        Box::new(move |e, _, s| number(e, s, &a).zip(number(e, s, &b)).is_some_and(|(a, b)| holds(a, b)))
    }
    impl golden::Guards<Math, Known> for Numbers {
        type Guard = Holds;
        fn not(&self, guard: Holds) -> Holds {
            Box::new(move |e, id, s| !guard(e, id, s))
        }
        fn any(&self, guards: Vec<Holds>) -> Holds {
            Box::new(move |e, id, s| guards.iter().any(|g| g(e, id, s)))
        }
        fn number(&self, x: &str) -> Holds {
            numbers(x, x, |a, b| a == b)
        }
        fn same_number(&self, a: &str, b: &str) -> Holds {
            numbers(a, b, |a, b| a == b)
        }
        fn greater(&self, a: &str, b: &str) -> Holds {
            numbers(a, b, |a, b| a > b)
        }
        fn power_of_two(&self, a: &str) -> Holds {
            numbers(a, a, |a, _| a > 0 && a & (a - 1) == 0)
        }
        fn nonneg(&self, _: &str) -> Holds {
            Box::new(|_, _, _| false)
        }
    }
    let rules = RuleSet::parse("golden.rules", GOLDEN).expect("rules");
    let export = export(&rules, &[], Language::Egg);
    assert_eq!(export.text, include_str!("golden/egg.txt"));
    assert_eq!(export.left_out.len(), 1);
    let rewrites = golden::rules(&Numbers);
    let cases = [("(// (+ (* 4 a) b) 4)", "(+ a (// b 4))", true), ("(% a -1)", "0", true), ("(% a 1)", "0", false)];
    for (left, right, found) in cases.into_iter().chain([("(min a b)", "a", false)]) {
        let [left, right] = [left, right].map(|text| text.parse::<RecExpr<Math>>().expect("a term"));
        let mut runner = Runner::<Math, Known>::default().with_expr(&left).with_expr(&right).run(&rewrites);
        let [a, b] = [runner.roots[0], runner.roots[1]].map(|id| runner.egraph.find(id));
        assert_eq!(a == b, found, "{left} and {right}");
        runner.egraph.rebuild();
    }
}
