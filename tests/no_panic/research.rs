//! Rule sets, their checks, and experiments with them.

use crate::hostile::{name, number, text};
use crate::{config, show};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::Stage;
use quaff::check::{self, Mutant, RuleReport, Status};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::rules::{Rule, RuleError, RuleErrors, RuleSet};
use quaff_dialects::Dialect;
use quaff_lab::experiment::{
    self, Asked, BadLine, Case, Changed, Corpus, Difference, Experiment, Keep, Line, Part, Report, Results, Row, Times,
    Variant,
};
use quaff_lab::extraction;
use quaff_lab::proof::{self, Law, Prover};
use std::path::Path;
use std::time::Duration;

fn shown_rule(rule: &Rule) {
    show(&(Rule::name(rule), Rule::reason(rule), Rule::because(rule), Rule::file(rule), Rule::position(rule)));
    show(&(Rule::text(rule), check::fingerprint(rule)));
    for mutant in check::mutants(rule) {
        show(&(Mutant::guard(&mutant), Mutant::rule(&mutant).name()));
    }
}

fn told(errors: &RuleErrors) {
    for e in RuleErrors::errors(errors) {
        show(&(RuleError::file(e), RuleError::position(e), RuleError::message(e)));
    }
    let _ = errors.to_string();
}

/// Rules with arbitrary numbers and names.
fn rule() -> impl Strategy<Value = String> {
    let guard = prop::sample::select(vec![
        "(> #n 0)",
        "(divides #g #n)",
        "(within ?x 0 #n)",
        "(coprime #n #g)",
        "(let #m (* #n #n))",
        "",
    ]);
    let what = prop::sample::select(vec![
        "(// ?x #n)",
        "(// (+ ?x... #k) #n)",
        "(+ (* #g ?x) ?r...)",
        "(* ?x #n)",
        "(< ?x #n)",
        "(min ?x #n)",
        "(% ?x #n)",
        "?x",
    ]);
    (what.clone(), guard, what, number()).prop_map(|(before, guard, after, c)| {
        format!("(rule r \"why\" (match {before}) (when {guard}) (yield (+ {after} {c})))")
    })
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn rule_texts(text in prop_oneof![text(), rule()], name in name()) {
        match RuleSet::parse(name, &text) {
            Ok(set) => {
                RuleSet::rules(&set).iter().for_each(shown_rule);
                let all = RuleSet::and(set.clone(), RuleSet::empty());
                show(&(RuleSet::get(&all, name).is_some(), RuleSet::retain(&all, |r| r != name)));
                show(&RuleSet::parse_all([("a".into(), text.clone()), ("b".into(), text)]).is_err());
            }
            Err(e) => told(&e),
        }
        let errors = RuleSet::load(Path::new(name)).err();
        errors.iter().for_each(told);
    }

    #[test]
    fn corpora(text in text(), name in name(), (lo, hi) in (number(), number())) {
        let lines = [
            text.clone().into_bytes(),
            vec![0xff, 0xfe],
            serde_json::json!({"id": lo, "vars": {name: [lo, text], "x": [lo, hi], "y": [null, "x + 1"]}, "expr": "x//7 + y"}).to_string().into_bytes(),
            serde_json::json!({"vars": {"x": [lo, hi]}, "expr": text}).to_string().into_bytes(),
            serde_json::json!({"vars": {"x": [lo, hi]}, "kinds": {"x": text}, "exprs": [text, "x"]}).to_string().into_bytes(),
            serde_json::json!({"vars": {"x": [lo, hi]}, "accesses": [{"expr": text, "gate": text, "buf": lo, "loops": ["x", text], "kind": text}]}).to_string().into_bytes(),
            serde_json::json!({"vars": {"x": [lo, hi], "k": [0, hi]}, "kinds": {"x": "unroll", "k": "loop"}, "accesses": [{"expr": "x*k", "loops": ["k"]}]}).to_string().into_bytes(),
            b"[]\nnull\n7\n{\"expr\": 7}\n{\"expr\": \"x\", \"vars\": 3}".to_vec(),
        ];
        for line in &lines {
            match Line::read(line) {
                Ok(line) => {
                    let foreign = Line::in_dialect(line.clone(), Dialect::Cuda);
                    show(&(Line::question(&foreign), Line::nests(&foreign)));
                    show(&(Line::question(&line), Line::nests(&line)));
                    show(&Line::asked(&line).map(|(asked, _)| matches!(asked, Asked::Expr(part) if Part::expr(&part).args().is_empty())));
                }
                Err(e) => show(&e),
            }
        }
        let corpus = Corpus::parse(name, &lines.join(&b'\n'));
        show(&(Corpus::name(&corpus), Corpus::key(&corpus), Corpus::bad(&corpus)));
        show(&extraction::problems(&Simplifier::default(), &corpus).len());
        show(&BadLine::new(name, 0, &text));
        for case in Corpus::cases(&corpus) {
            show(&Case::refused(case, &corpus, &text));
        }
        show(&Corpus::load(Path::new(name)).is_ok());
    }
}

fn shown_report(report: &Report) {
    let (mut rows, mut changed) = (Vec::new(), Vec::new());
    let mut rounds = Vec::new();
    show(&(Report::write_csv(report, &mut rows), Report::write_changed_csv(report, &mut changed)));
    show(&(Report::write_rounds_csv(report, &mut rounds), Report::headline(report)));
    show(&(Report::html(report).len(), Report::json(report)));
    for row in &report.rows {
        show(&Row::effect(row, &report.base));
        if let Some(times) = &row.times {
            let difference = Times::difference(times);
            show(&(Times::own(times), Times::base(times), Difference::is_noise(&difference)));
        }
    }
}

#[test]
fn experiments() {
    let rules = RuleSet::shipped().retain(|r| ["div-split-multiple", "small-remainder"].contains(&r));
    let base = Variant::new("", rules);
    let without = Variant::without(&base, "div-split-multiple");
    show(&(Variant::name(&without), Variant::rules(&without).rules().len()));
    let mut staged: Vec<Variant> = Stage::ALL.iter().map(|&stage| Variant::without_stage(&without, stage)).collect();
    staged.extend([Variant::alone(&base, "small-remainder"), Variant::half(&base, u64::MAX)]);
    staged.extend([Variant::and(&without, &staged[0]), Variant::and(&without, &without)]);
    show(&staged.iter().map(Variant::name).collect::<Vec<_>>());
    let lines = b"{\"expr\": \"(i*4 + j)//4\", \"vars\": {\"i\": [0, 9], \"j\": [0, 3]}}\n{\"expr\": \"x//(\"}\n{\"expr\": \"1//y\", \"vars\": {\"y\": [0, 1]}}\n{\"vars\": {\"x\": [0, 9]}, \"accesses\": [{\"expr\": \"x//3\", \"gate\": \"x%3 < 1\"}, {\"expr\": \"x//0\"}]}";
    for (number, line) in
        experiment::lines(&b"\xef\xbb\xbf{}\n\n\xff\n{\"vars\": {\"x\": [9, 0]}, \"vras\": 1, \"expr\": \"1//x\"}"[..])
            .flatten()
            .collect::<Vec<_>>()
    {
        let Ok(line) = Line::read(&line) else { continue };
        show(&(number, Line::slips(&line).count()));
        let parsed = quaff::expr::parse("1//nowhere + 2").expect("an expression");
        let error = Simplifier::default().simplify(parsed.expr(), &Domain::new()).expect_err("not declared");
        if let Ok((asked, _)) = Line::asked(&line) {
            show(&Line::refused(&line, &error, &asked));
        }
        show(&line.question().is_ok());
    }
    show(&Corpus::slips(&Corpus::parse("c", b"{\"vras\": 1}")).count());
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("results");
    for text in ["", "{}\n", "null\n[]\n\u{feff}"] {
        std::fs::write(&path, text).expect("written");
        for corpora in [vec![], vec![Corpus::parse("c", lines), Corpus::parse("", b"")]] {
            let e = Experiment::with_times(Experiment::with_engine(Experiment::new(base.clone(), corpora), ""), 2);
            show(&(Experiment::base(&e), Experiment::corpora(&e).len(), Experiment::cases(&e)));
            let kept = Results::open(&path).expect("readable");
            for results in [&Results::in_memory(), &kept] {
                let report =
                    Experiment::compare(&e, &[without.clone(), base.clone()], results, &|_| {}).expect("compared");
                shown_report(&report);
                shown_report(&Experiment::compare(&e, &staged, results, &|_| {}).expect("compared"));
                for keep in [Keep::Total, Keep::EveryCase] {
                    let needed = ["no such rule".to_string()];
                    shown_report(&Experiment::minimal(&e, keep, &needed, results, &|_| {}).expect("a set"));
                }
                show(&Results::computed(results));
                let mut report = report;
                for earlier in [&kept, results] {
                    Experiment::compare_with_earlier(&e, &mut report, "</b>", earlier, results).expect("compared");
                    shown_report(&report);
                }
                // reports are plain data, which a caller can change
                for c in &mut report.changed {
                    show(&Changed::difference(c));
                    c.line = usize::MAX;
                    c.after = Err("</script>".into());
                }
                for (row, x) in report.rows.iter_mut().zip([f64::NAN, f64::NEG_INFINITY]) {
                    (row.cost, row.interaction, row.cases) = (Cost::MAX, Some(x), usize::MAX);
                }
                report.base = Row::default();
                shown_report(&report);
            }
        }
    }
    shown_report(&Report::default());
    show(&(Results::open(folder.path()).is_err(), Results::read(folder.path()).is_err(), Results::read(&path).is_ok()));
}

#[test]
fn checks() {
    let texts = [
        "(rule wrong \"no\" (match (// ?x #n)) (when (> #n 1)) (yield ?x))",
        "(rule nothing \"x is x\" (match (min ?x ?y)) (yield (min ?x ?y)))",
        "(rule far \"constants leave 64 bits\" (match (// ?x #n)) (when (> #n 9223372036854775806)) (yield (* ?x #n)))",
    ];
    for text in texts {
        let Ok(set) = RuleSet::parse("r", text) else { continue };
        let own = Simplifier::default().with_rules(set.clone());
        let (question, domain) = ("min(x, 3)//3".parse().expect("valid"), Domain::new().with("x", 0..9));
        show(&(own.simplify(&question, &domain), Simplifier::trusting_rules(own.clone()).simplify(&question, &domain)));
        show(&Simplifier::culprits(&own, &question, &domain, &[("x".into(), 5)], &quaff::quasi::Options::default()));
        for (tries, fired, compared) in [(0, 0, 0), (40, 3, 1), (9, usize::MAX, usize::MAX)] {
            let mut options = check::Options::default();
            (options.tries, options.fired, options.compared, options.seed) = (tries, fired, compared, u64::MAX);
            for report in check::check(&set, &options) {
                show(&(RuleReport::passed(&report), RuleReport::remarks(&report), Status::as_str(report.status)));
                let _ = format!("{report} {report:?}");
            }
            for rule in set.rules() {
                show(&(check::check_rule(rule, &options), check::check_among(rule, &RuleSet::empty(), &options)));
                shown_rule(rule);
            }
        }
        show(&Prover::silent());
        for limit in [Duration::ZERO, Duration::from_millis(1)] {
            if let Some(prover) = Prover::installed(limit) {
                show(&Prover::prove(&prover, &set.rules()[0]));
                for law in proof::laws() {
                    show(&(Law::name(&law), Law::reason(&law), Prover::prove_law(&prover, &law)));
                }
            }
        }
    }
}

#[test]
fn plots() {
    use quaff_lab::plot::{self, Bar};
    let values = [0.0, -1.5, 1e-300, 1e300, f64::MAX, f64::MIN, f64::INFINITY, f64::NEG_INFINITY, f64::NAN];
    for name in ["", "<script>", "\u{202e}x", &"long ".repeat(100)] {
        let with_intervals = values.iter().map(|&v| Bar::within(Bar::new(name, v), -v, f64::NAN));
        let all: Vec<Bar<'_>> = values.iter().map(|&v| Bar::amount(name, v)).chain(with_intervals).collect();
        for count in 0..=all.len() {
            let picture = plot::bars(name, &all[..count]);
            assert_eq!(count == 0, picture.is_empty(), "{picture}");
            assert!(!picture.contains("<script>"), "{picture}");
            show(&plot::file(&picture));
        }
    }
}
