//! Tests of `quaff explain` and `quaff egraph`.

use crate::golden;
use crate::quaff_program;
use crate::quaff_program::quaff;
use crate::repository;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Options, Verdict, equivalent};
use quaff::{Explained, Reason, Simplifier};
use serde_json::Value;
use std::collections::{BTreeSet, HashSet};

/// Expressions and declarations whose explanations have steps of all kinds.
const CASES: [&[&str]; 14] = [
    &["(i*512 + j) // 512", "--var", "i=0..1023", "--var", "j=0..511"],
    &["(t*12 + c)//96*128 + (t*12 + c)%96", "--var", "t=0..8191", "--var", "c=0..11"],
    &["where(i < 3, (i*4 + j)//12, i//8)", "--var", "i=0..7", "--var", "j=0..3"],
    &["x//4%2*4 + x%4", "--var", "x=0..99"],
    &["(r*w + c)//w*p + (r*w + c)%w", "--var", "w=1..16", "--var", "p=1..99", "--var", "r=0..9", "--var", "c=0..w-1"],
    &["x//4", "--var", "x=0..99"],
    &["2 + x*0", "--var", "x=.."],
    &["min(x//3, x//6) + (x & 7)", "--var", "x=0..99"],
    &["(x < 4) + (x//4 < 1)", "--var", "x=0..99"],
    // this expression has parts under conditions, and steps of the engine that use no rule
    &[
        "where(a*9 + b < 27, (a*9 + b)//9%3, where(x < 8 and x//8 < 1, 1, 0))",
        "--var",
        "a=0..99",
        "--var",
        "b=0..8",
        "--var",
        "x=0..99",
    ],
    &["where(x >= y, max(x, y), 0) + where(x < y, 7, 1)", "--var", "x=0..99", "--var", "y=0..99"],
    &["where(x < y, x, y) + (x < 3 and x < 8)", "--var", "x=0..99", "--var", "y=0..99"],
    &["x >= 8 or x//8*3 + y == 0", "--var", "x=0..99", "--var", "y=0..9"],
    &[
        "where(x < 4, where(y < 8, (x*8 + y)//32 + z, x), where(x >= 3, x//4*4, z))",
        "--var",
        "x=0..99",
        "--var",
        "y=0..99",
        "--var",
        "z=0..9",
    ],
];

#[test]
fn explanations_are_as_reviewed() {
    let mut all = String::new();
    for case in CASES {
        // without a solver, because the result must not depend on installed programs
        let out = quaff(&[&["explain", "--solver-timeout", "0"], case].concat());
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{case:?}");
        all += &format!("$ quaff explain {}\n{}\n", case.join(" "), out.stdout);
    }
    golden::check("explain.txt", &all);
}

#[test]
fn json_has_every_step_with_its_check() {
    for case in CASES {
        let out = quaff(&[&["explain", "--json", "--solver-timeout", "0"], case].concat());
        let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
        assert_eq!((&v["input"].is_string(), &v["check"]["verdict"]), (&true, &"equal".into()));
        let steps = v["steps"].as_array().expect("a list");
        let last = steps.last().expect("a step");
        assert_eq!((&last["kind"], &last["after"], &last["cost_after"]), (&"choice".into(), &v["expr"], &v["cost"]));
        for s in steps {
            json_step(s, 1 + steps.len());
        }
    }
}

/// Checks a step, which may refer to steps with numbers below `end`, and the steps inside of it.
fn json_step(s: &Value, end: usize) {
    let kind = s["kind"].as_str().expect("a kind");
    assert_eq!(s["check"]["verdict"], "equal", "{s}");
    assert!(s["name"].is_string() && s["before"].is_string() && s["after"].is_string(), "{s}");
    assert_eq!(kind == "rule", s["rule"] == s["name"], "{s}");
    assert_eq!(["rule", "engine", "context"].contains(&kind), s["reason"].is_string(), "{s}");
    assert_eq!(kind == "context", s["conditions"].is_array(), "{s}");
    let place = &s["in"];
    assert!(place.is_null() || place == "input" || place.as_u64().is_some_and(|n| n > 0 && (n as usize) < end), "{s}");
    for fact in s["facts"].as_array().into_iter().flatten() {
        let value = fact["value"].is_i64() || fact["expr"].is_string() && fact["range"].is_array();
        assert!(fact["end"].is_string() || fact["name"].is_string() && value, "{s}");
    }
    for inner in s["steps"].as_array().into_iter().flatten() {
        assert_ne!(inner["kind"], "context", "{s}");
        json_step(inner, end);
    }
}

#[test]
fn the_step_that_is_wrong_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let rule = "(rule careless \"x // n is taken for x\" (match (// ?x #n)) (when (> #n 1)) (yield ?x))\n";
    std::fs::write(folder.path().join("careless.rules"), rule).expect("writable");
    let rules = folder.path().to_str().expect("UTF-8");
    let out = quaff(&["explain", "x//3 + y", "--var", "x=0..9", "--var", "y=0..9", "--trust-rules", "--rules", rules]);
    assert_eq!(out.code, 65);
    let step = "careless: x // n is taken for x (wrong: different at x = 1: 0 but 1)\n     x//3\n   = x\n";
    assert!(out.stdout.contains(step), "{}", out.stdout);
    assert!(out.stderr.contains("the rule `careless` of ") && out.stderr.contains("is wrong"), "{}", out.stderr);
}

#[test]
fn what_cannot_be_decided_is_said() {
    let none = ["--max-points", "1", "--solver-timeout", "0"];
    let args = ["explain", "(x*y + c)//y", "--var", "x=0..", "--var", "y=1..9", "--var", "c=0..y-1"];
    let out = quaff(&[&args[..], &none].concat());
    assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{}", out.stdout);
    assert!(out.stdout.contains("answer and input: "), "{}", out.stdout);
}

#[test]
fn only_rules_that_matter_are_told() {
    let domain = Domain::new().with("a", 0..8).with("b", 0..30).with("c", 0..16);
    let expr: Expr = "(a*480 + b*16 + c)//16%30*64 + (a*480 + b*16 + c)//480*1920".parse().expect("an expression");
    let simplifier = Simplifier::default();
    let explanation = simplifier.explain(&expr, &domain, &Options::default()).expect("an answer");
    assert!(explanation.is_checked() && !explanation.is_wrong());
    let told: HashSet<&str> = explanation
        .steps()
        .iter()
        .filter_map(|s| match &s.reason {
            Reason::Rule { name, .. } => Some(name.as_str()),
            _ => None,
        })
        .collect();
    let with = |keep: &dyn Fn(&str) -> bool| {
        let rules = simplifier.rules().retain(keep);
        simplifier.clone().with_rules(rules).simplify(&expr, &domain).expect("an answer").expr().clone()
    };
    let answer = explanation.answer().expr();
    assert_eq!(&with(&|r| told.contains(r)), answer, "they suffice");
    for name in &told {
        assert_ne!(&with(&|r| told.contains(r) && r != *name), answer, "{name} is needed");
    }
}

fn domain(vars: &[&str]) -> Domain {
    let mut domain = Domain::new();
    for v in vars {
        domain.declare(v).expect(v);
    }
    domain
}

/// All steps. A nested step comes after the step that contains it.
fn flat(steps: &[Explained]) -> Vec<&Explained> {
    steps.iter().flat_map(|s| std::iter::once(s).chain(flat(&s.steps))).collect()
}

#[test]
fn what_simplify_answers_is_explained() {
    let simplifier = Simplifier::default();
    let mut names = BTreeSet::new();
    for (text, vars) in [
        ("where(a*9 + b < 20, (a*9 + b)//20, 1)", &["a=0..99", "b=0..8"][..]),
        ("where(a*9 + b < 27, (a*9 + b)//9%3, where(x < 8 and x//8 < 1, 1, 0))", &["a=0..99", "b=0..8", "x=0..99"]),
        ("where(x >= y, max(x, y), 0)", &["x=0..99", "y=0..99"]),
        ("where(x < y, x, y) + where(x*2 < y*2, 1, 2)", &["x=0..99", "y=0..99"]),
        ("x < 4 and (x//4)*y + z < 5", &["x=0..99", "y=0..9", "z=0..9"]),
        ("x >= 8 or x//8*3 + y == 0", &["x=0..99", "y=0..9"]),
        ("x < 3 and y < 2 and z == 4 and x > 5", &["x=0..9", "y=0..9", "z=0..9"]),
        ("x < 3 or (x//3 < 1 and y < 2) or (x >= 1 and (y == 2 or x < 2))", &["x=0..9", "y=0..9"]),
        ("where(x < 4, where(x < 8, y//4*4, x), where(x%4 == 1, x//4*4, 7)) + min(x, x + y)", &["x=0..99", "y=0..99"]),
        ("where(x%4 == 1, x//4*4, where(x < 3, y, y + 0*x))", &["x=0..99", "y=0..99"]),
    ] {
        let domain = domain(vars);
        let expr: Expr = text.parse().expect(text);
        let explanation = simplifier.explain(&expr, &domain, &Options::default()).expect(text);
        let answer = simplifier.simplify(&expr, &domain).expect(text);
        assert_eq!(explanation.answer().expr(), answer.expr(), "{text}");
        assert_eq!(explanation.answer().cost(), answer.cost(), "{text}");
        assert!(explanation.is_checked(), "{text}\n{explanation}");
        let steps = explanation.steps();
        assert_eq!(&steps.last().expect("a step").after, answer.expr(), "{text}");
        // after the choice of a form, its parts are simplified under conditions. One step then puts these parts in
        // place
        let in_place: Vec<usize> = (0..steps.len()).filter(|&i| steps[i].reason == Reason::InPlace).collect();
        let parts = steps.iter().filter(|s| matches!(s.reason, Reason::Context { .. })).count();
        assert_eq!(in_place.len(), usize::from(parts > 0), "{text}\n{explanation}");
        for at in in_place {
            let chosen = steps[..at].iter().rposition(|s| matches!(s.reason, Reason::Choice { .. })).expect("a choice");
            assert_eq!((&steps[chosen].after, at - chosen), (&steps[at].before, parts + 1), "{text}\n{explanation}");
        }
        for s in flat(steps) {
            let under = s.conditions.iter().cloned().fold(domain.clone(), Domain::assume);
            if steps.iter().any(|outer| std::ptr::eq(outer, s)) {
                assert_eq!(s.check.verdict, equivalent(&s.before, &s.after, &under), "{text}");
            }
            // the inner steps of a normal form change separate parts, so they do not lead from the whole input to the
            // result
            let inner = if s.reason == Reason::NormalForm { &[] } else { &s.steps[..] };
            for (a, b) in inner.first().into_iter().zip(inner.last()) {
                assert_eq!((&a.before, &b.after), (&s.before, &s.after), "from end to end: {text}\n{explanation}");
            }
            names.insert(s.reason.name().to_string());
        }
    }
    let own = names.iter().filter(|n| simplifier.rules().get(n).is_none());
    let own: Vec<&str> = own.map(String::as_str).collect();
    for name in ["cheapest", "in-place", "normal-form", "under-conditions", "clause-implied", "selection-is-extremum"] {
        assert!(own.contains(&name), "{name}: {own:?}");
    }
}

#[test]
fn traces_have_steps_under_conditions_and_of_the_engine() {
    let domain = domain(&["a=0..99", "b=0..8", "x=0..99"]);
    let expr: Expr =
        "where(a*9 + b < 27, (a*9 + b)//9%3, where(x < 8 and x//8 < 1, 1, 0))".parse().expect("an expression");
    let plain = Simplifier::default();
    let traced = plain.clone().with_trace(true).simplify(&expr, &domain).expect("an answer");
    assert!(plain.simplify(&expr, &domain).expect("an answer").trace().is_empty());
    let under: Vec<_> = traced.trace().iter().filter(|s| !s.conditions.is_empty()).collect();
    assert!(under.iter().any(|s| s.rule == "under-conditions"), "{under:?}");
    for s in traced.trace() {
        let under = s.conditions.iter().cloned().fold(domain.clone(), Domain::assume);
        assert_eq!(equivalent(&s.before, &s.after, &under), Verdict::Equal, "{s:?}");
    }
    let out = quaff(&["simplify", "x < 8 and x//8 < 1", "--var", "x=0..99", "--trace"]);
    assert!(out.stderr.contains(":"), "{}", out.stderr);
}

#[test]
fn steps_say_what_satisfied_their_guards() {
    let domain = domain(&["w=1..4096", "r=0..99", "c=0..w - 1"]);
    let expr: Expr = "(r*w + c)//w".parse().expect("an expression");
    let explanation = Simplifier::default().explain(&expr, &domain, &Options::default()).expect("an answer");
    let step = explanation.steps().iter().find(|s| s.reason.name() == "div-in-range").expect("0 <= c < w");
    let facts: Vec<String> = step.facts.iter().map(|f| f.to_string()).collect();
    assert_eq!(facts, ["x = c in 0..4095", "n = w in 1..4096", "c <= w - 1"]);
    let expr: Expr = "(x + 2)//6".parse().expect("an expression");
    let domain = Domain::new().with("x", 0..600).stride("x", 3, 0);
    let explanation = Simplifier::default().explain(&expr, &domain, &Options::default()).expect("an answer");
    let facts = explanation.steps().iter().flat_map(|s| &s.facts);
    assert!(facts.clone().any(|f| f.to_string().ends_with("0 mod 3")), "{:?}", facts.collect::<Vec<_>>());
}

#[test]
fn explanations_of_kernels_have_no_wrong_step() {
    let corpus = repository("tests/data/inductor_kernels.jsonl");
    let options = Options { smt_timeout: std::time::Duration::ZERO, max_points: 1 << 16, ..Options::default() };
    let mut steps = 0;
    for line in std::fs::read_to_string(corpus).expect("there").lines().step_by(35) {
        let v: Value = serde_json::from_str(line).expect(line);
        let mut domain = Domain::new();
        for (name, range) in v["vars"].as_object().expect("ranges") {
            let end = |i: usize| range[i].as_i64().expect("an end");
            domain.add_bounds(name.as_str(), end(0)..=end(1));
        }
        let expr: Expr = v["expr"].as_str().expect("a text").parse().expect(line);
        let explanation = Simplifier::default().explain(&expr, &domain, &options).expect(line);
        assert!(!explanation.is_wrong(), "{line}\n{explanation}");
        let answer = Simplifier::default().simplify(&expr, &domain).expect(line);
        assert_eq!(explanation.answer().expr(), answer.expr(), "{line}");
        steps += explanation.steps().len();
    }
    assert!(steps > 20, "{steps}");
}

/// The names of boxes and nodes, and both ends of arrows, for the subset of Graphviz's language that is used.
fn parsed(dot: &str) -> (HashSet<String>, Vec<(String, String)>) {
    let (mut names, mut arrows, mut depth) = (HashSet::new(), Vec::new(), 0);
    for line in dot.lines().map(str::trim) {
        let name = line.split([' ', '[']).next().unwrap_or_default().to_string();
        if let Some(head) = line.strip_suffix('{') {
            depth += 1;
            names.extend(head.strip_prefix("subgraph ").map(|n| n.trim().to_string()));
        } else if line == "}" {
            depth -= 1;
        } else {
            assert!(line.ends_with(';') && line.matches('"').count() % 2 == 0, "{line}");
            assert_eq!(line.contains('['), line.contains(']'), "{line}");
            match line.split_once(" -> ") {
                Some((from, to)) => {
                    arrows.push((from.into(), to.split(' ').next().unwrap_or_default().into()));
                    if let Some((_, end)) = to.split_once("lhead=") {
                        arrows.push((from.into(), end.split([',', ']']).next().unwrap_or_default().into()));
                    }
                }
                None if line.contains("[label") => drop(names.insert(name)),
                None => {}
            }
        }
    }
    assert_eq!(depth, 0, "{dot}");
    (names, arrows)
}

#[test]
fn the_e_graph_is_text_for_graphviz() {
    for case in CASES {
        let out = quaff(&[&["egraph"], case, &["--dot"]].concat());
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{case:?}");
        assert!(out.stdout.starts_with("digraph egraph {\n"));
        let (names, arrows) = parsed(&out.stdout);
        assert!(names.contains("root0") && names.contains("cluster_0"), "{}", out.stdout);
        for (from, to) in &arrows {
            assert!(names.contains(from) && names.contains(to), "{from} -> {to}: {}", out.stdout);
        }
        assert!(out.stdout.contains("style=bold"), "something was chosen: {}", out.stdout);
        assert_eq!(quaff(&[&["egraph"], case].concat()).stdout, out.stdout, "text is the default");
    }
    let strided = quaff(&["egraph", "x//2", "--var", "x=0..96 step 4 from 1"]);
    assert!(strided.stdout.contains(", 1 mod 4"), "{}", strided.stdout);
}

#[test]
fn help_has_examples_that_work() {
    if !cfg!(unix) {
        return;
    }
    for (command, codes) in [("verify", &[0, 1][..]), ("explain", &[0]), ("egraph", &[0])] {
        let help = quaff(&[command, "--help"]).stdout;
        let start = format!("quaff {command} '");
        // only the commands of quaff are run, without the programs that read their output, such as `jq` and `dot`
        let examples = help.lines().map(str::trim).filter(|l| l.starts_with(&start) && !l.contains("--svg"));
        let examples: Vec<&str> = examples.filter_map(|l| l.split(" | ").next()?.split(" > ").next()).collect();
        assert!(!examples.is_empty(), "{help}");
        for example in examples {
            let out = quaff_program::shell(example);
            assert!(codes.contains(&out.code), "{example}: {}", out.stderr);
        }
    }
}

#[test]
fn svg_needs_graphviz() {
    let out = quaff(&["egraph", "x//2", "--var", "x=0..9", "--svg"]);
    match out.code {
        0 => assert!(out.stdout.contains("<svg"), "{}", out.stdout),
        74 => assert!(out.stderr.contains("Graphviz"), "{}", out.stderr),
        _ => panic!("{}: {}", out.code, out.stderr),
    }
}

#[test]
fn steps_are_what_the_procedure_says() {
    let domain = Domain::new().with("x", 0..100);
    let expr: Expr = "x//4%2*4 + x%4".parse().expect("an expression");
    let explanation = Simplifier::default().explain(&expr, &domain, &Options::default()).expect("an answer");
    for s in explanation.steps() {
        assert_eq!(s.check.verdict, equivalent(&s.before, &s.after, &domain));
        assert_eq!(s.check.verdict, Verdict::Equal);
    }
}

/// A remainder is expanded by its definition, which contains its operand twice, so n nested remainders have 2^n copies.
#[test]
fn long_chains_are_explained_in_short() {
    let chain = (0..64).fold("x".to_string(), |e, i| match i % 2 {
        0 => format!("({e}//{} + y)", 2 + i % 3),
        _ => format!("({e}%{})", 1000 + 7 * i),
    });
    let limits = ["--max-points", "1000", "--solver-timeout", "0"];
    let out = quaff(&[&["explain", &chain, "--var", "x=0..1000000", "--var", "y=0..7"], &limits[..]].concat());
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stdout.len() < 1 << 21, "{} bytes", out.stdout.len());
    assert!(out.stdout.contains("different parts)"));
}

/// The field that the example in the help selects with jq exists in the output.
#[test]
fn the_example_with_jq_names_a_field() {
    let help = quaff(&["explain", "--help"]).stdout;
    assert!(help.contains("| jq '.steps[].name'"), "{help}");
    let out = quaff(&["explain", "x // 7 // 8", "--var", "x=0..9999", "--json"]);
    let value: Value = serde_json::from_str(&out.stdout).expect("JSON");
    let steps = value["steps"].as_array().expect("steps");
    assert!(!steps.is_empty() && steps.iter().all(|s| s["name"].is_string()), "{value}");
}
