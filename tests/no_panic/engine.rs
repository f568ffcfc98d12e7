//! Simplification, explanation, lowering and printing.

use crate::hostile::{Prices, domain, expression, interval, limits, monsters, name, number, prices};
use crate::{config, show};
use proptest::prelude::*;
use quaff::access::{Access, Gate, NestedAccesses, SimplifiedAccesses};
use quaff::domain::{Domain, DomainError, VarFacts};
use quaff::egraph::StopReason;
use quaff::emit::{Contract, HostDivisor, Text};
use quaff::expr::{Dag, Expr, int, var};
use quaff::inspect::{self, Extraction, Method, Work};
use quaff::lower::{self, Compare, FastDivisor, Instr, Lowered, Machine, Sampling, Target, Type, Value};
use quaff::quasi::Options;
use quaff::rules::RuleSet;
use quaff::{
    Explained, Explanation, Fact, Facts, Reason, Simplified, Simplifier, SimplifyError, Stage, Statistics, emit,
};
use quaff_lab::extraction::{self, Comparison, Extractor};
use quaff_lab::plain_egg::{self, Baseline};
use std::time::Duration;

fn shown(answer: &Simplified) {
    show(&(
        Simplified::expr(answer),
        Simplified::exprs(answer),
        Simplified::cost(answer),
        Simplified::input_cost(answer),
    ));
    show(&(Simplified::rounds(answer), Simplified::nodes(answer), Simplified::trace(answer).len()));
    show(&Simplified::elapsed(answer));
    show(&(StopReason::as_str(Simplified::stop(answer)), Simplified::vars(answer)));
    show(&(Simplified::range_of(answer, Simplified::expr(answer)), Simplified::range_of(answer, &int(3))));
    show(&Simplified::least_cost(answer));
    show(&Simplified::flat_nodes(answer));
    show(&Simplified::ranges(answer));
    show(&(Simplified::wide(answer), Simplified::cuda(answer), Simplified::c(answer), Simplified::python(answer)));
    show(&Simplified::rust(answer));
    show(&(Simplified::triton(answer), Simplified::target(answer)));
    for text in [Simplified::cuda(answer), Simplified::c(answer), Simplified::rust(answer), Simplified::triton(answer)]
    {
        for name in ["f", "x", "", "int", "\u{e9}\n"] {
            show(&text.as_ref().map(|text| Text::function(text, name)));
        }
    }
    show(&Simplified::cuda(&Simplified::for_target(answer.clone(), Target::SM_100)));
    let other = [int(7), var("nowhere")];
    for (meaning, domain) in
        [(&other[..1], Domain::new()), (&other[..], Domain::new()), (&[], Domain::new().with("x", (int(3), int(1))))]
    {
        let sampling = Sampling { points: 9, seed: 0 };
        show(&(
            Simplified::compare_machine(answer, meaning, &domain, sampling),
            Simplified::compare_rust(answer, meaning, &domain, sampling),
        ));
    }
    if let Ok(lowered) = Simplified::lowered(answer) {
        shown_lowered(&lowered);
    }
}

/// Evaluates `l` for the least values of its variables, for the greatest values, for 0, and without values.
fn run(l: &Lowered) {
    let names: Vec<String> = Lowered::params(l).iter().map(|p| p.name.to_string()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    show(&Machine::new(l, &[]).is_ok());
    let Ok(machine) = Machine::new(l, &names) else { return };
    for point in [vec![i64::MIN; names.len()], vec![i64::MAX; names.len()], vec![0; names.len()], vec![]] {
        show(&(Machine::run(&machine, &point), Machine::run_into(&machine, &point, &mut vec![])));
    }
    for few in [vec![], vec![0; 9]] {
        show(&lower::compare(&[int(0), int(1)], &Domain::new(), Sampling::default(), |_| Ok(few.clone())));
    }
}

fn shown_lowered(l: &Lowered) {
    run(l);
    show(&(Compare::holds(Compare::Lt, i128::MIN, i128::MAX), Compare::holds(Compare::Ne, 0, 0)));
    show(&(Lowered::values(l), Lowered::roots(l), Lowered::params(l), Lowered::divisors(l), Lowered::wide(l)));
    show(&Lowered::use_counts(l));
    for value in Lowered::values(l) {
        show(&(Value::args(value), Instr::arity(value.instr), Type::is_wide(value.ty), Type::c_name(value.ty)));
    }
    show(&(emit::cuda(l), emit::c(l)));
    let text = emit::cuda(l);
    let contract = Text::contract(&text);
    show(&(Text::whole(&text), text.to_string(), Contract::signature(&contract), contract.to_string()));
    for divisor in &contract.divisors {
        show(&HostDivisor::setup(divisor));
    }
}

fn culprit(e: &SimplifyError) {
    show(&SimplifyError::culprit(e));
    show(&SimplifyError::is_empty_domain(e));
    if let SimplifyError::Domain(e) = e {
        show(&DomainError::is_empty(e));
    }
    let _ = format!("{e} {:?}", miette::Report::new(e.clone()));
}

fn simplifier(limits: quaff::egraph::Limits, prices: Option<Prices>, traced: bool) -> Simplifier {
    let s = Simplifier::with_limits(Simplifier::default(), limits);
    let s = Simplifier::with_trace(s, traced);
    let s = Simplifier::for_target(s, Target::SM_100);
    match prices {
        Some(prices) => Simplifier::with_cost_model(s, prices),
        None => s,
    }
}

proptest! {
    #![proptest_config(config(500))]

    #[test]
    fn simplification(a in expression(), b in expression(), d in domain(), l in limits(), p in prop::option::of(prices()), traced: bool) {
        let s = simplifier(l, p, traced);
        match Simplifier::simplify_all(&s, &[a.clone(), b.clone()], &d) {
            Ok(answer) => {
                shown(&answer);
                shown(&Simplified::with_input_as_answer(answer.clone(), &[var("nowhere"), b.clone()]));
                shown(&Simplified::with_input_as_answer(answer, &[]));
            }
            Err(e) => culprit(&e),
        }
        let mut facts = Simplifier::facts(&s, &d);
        let asked = [Facts::prove(&mut facts, &a).ok(), Facts::equal(&mut facts, &a, &b).ok()];
        show(&(asked, Facts::bounds(&mut facts, &a).ok(), Facts::is_multiple_of(&mut facts, &a, 8).ok()));
        show(&Facts::congruence(&mut facts, &a).ok());
        Facts::push(&mut facts);
        Facts::assume(&mut facts, b.clone());
        show(&Facts::prove(&mut facts, &a).ok());
        Facts::add(&mut facts, &d);
        show(&(Facts::bounds(&mut facts, &a).ok(), Domain::assumptions_beyond(Facts::domain(&facts), &d).map(<[Expr]>::len)));
        show(&[Facts::pop(&mut facts), Facts::pop(&mut facts)]);
        match Simplifier::simplify(&s, &a, &d) {
            Ok(answer) => shown(&answer),
            Err(e) => culprit(&e),
        }
    }

    #[test]
    fn lowering(a in expression(), b in expression(), d in domain(), facts in prop::collection::vec(interval(), 1..9), (i, other) in (interval(), name())) {
        let dag = Dag::new(&[a, b]);
        let mut vars = Domain::resolve(&d).unwrap_or_default();
        for _ in 0..2 {
            show(&lower::lower(&dag, &vars).map(|l| shown_lowered(&l)));
            let known = |id: u32| facts.get(id as usize).copied().unwrap_or(i);
            show(&lower::lower_with(&dag, &vars, known, &Target::SM_100).map(|l| shown_lowered(&l)));
            for name in ["sm_80", "plain", other] {
                show(&Target::by_name(name).map(|t| lower::lower_for(&dag, &vars, &t).map(|l| shown_lowered(&l))));
            }
            show(&(emit::python(&dag), emit::rust(&dag, &vars)));
            show(&(emit::triton(&dag, &vars), emit::triton_with(&dag, &vars, known)));
            // the next round has facts that contradict one another
            if let Some(VarFacts { interval, name, .. }) = vars.first_mut() {
                (*interval, *name) = (i, other.into());
            }
        }
    }

    #[test]
    fn accesses(index in expression(), lane in expression(), gate in expression(), d in domain(), l in limits(), text in name()) {
        let load = Access::load(text, "from", index.clone());
        let load = Access::otherwise(Access::element(Access::lane(Access::when(load, gate.clone()), lane.clone()), text), "-1");
        let store = Access::ungated(Access::store("to", index.clone(), text), &int(0));
        let never = Access::when(Access::store("to", lane, "v"), int(0));
        let same = Access::ungated(Access::load("v", "b", index.clone()), &index);
        for a in [&load, &store, &never, &same] {
            show(&(Access::buffer(a), Access::element_type(a), Access::direction(a), Access::gate(a), Access::index(a)));
            show(&Access::statements(a));
            show(&(Access::lanes(a), Gate::condition(Access::gate(a)), Gate::from(gate.clone())));
        }
        let s = simplifier(l, None, false);
        show(&Simplifier::split_by(&s, &index, "x", &d));
        show(&Access::compared_with(&load, &store, &d).len());
        let aligned = [Access::aligned(load.clone(), 16), Access::aligned(store.clone(), u32::MAX), Access::aligned(never.clone(), 0)];
        if let Ok(vectors) = Simplifier::vectorised(&Simplifier::default(), &aligned, &d) {
            show(&vectors.iter().map(|a| (Access::width(a, 0), Access::width(a, 99), Access::elements(a))).collect::<Vec<_>>());
        }
        show(&Simplifier::simplify(&s, &index, &d).map(|answer| Simplified::split_by(&answer, "y")));
        show(&Simplifier::simplify_access(&s, &load, &d).is_ok());
        for all in [&[load, store.clone(), never, same][..], &[store], &[]] {
            show(&Simplifier::cost_of_accesses(&s, all, &d));
            match Simplifier::simplify_accesses(&s, all, &d) {
                Ok(answer) => {
                    show(&(SimplifiedAccesses::accesses(&answer), SimplifiedAccesses::vars(&answer)));
                    show(&(SimplifiedAccesses::cost(&answer), SimplifiedAccesses::input_cost(&answer)));
                    show(&SimplifiedAccesses::stop(&answer));
                    show(&SimplifiedAccesses::trace(&answer).len());
                    show(&SimplifiedAccesses::c(&SimplifiedAccesses::for_target(answer.clone(), Target::PLAIN)));
                    show(&(SimplifiedAccesses::wide(&answer), SimplifiedAccesses::cuda(&answer), SimplifiedAccesses::c(&answer)));
                    let sampling = Sampling { points: 5, seed: 1 };
                    show(&SimplifiedAccesses::compare_machine(&answer, all, &d, sampling));
                    for nests in [&[][..], &[vec!["x".into()], vec!["x".into(), "y".into()]], &[vec!["none".into()]]] {
                        let Ok(nested) = Simplifier::in_loops(&s, &answer, nests, &d) else { continue };
                        show(&(NestedAccesses::accesses(&nested), NestedAccesses::carried(&nested)));
                        show(&NestedAccesses::unprinted(&nested));
                        show(&(NestedAccesses::cost(&nested), NestedAccesses::cuda(&nested), NestedAccesses::c(&nested)));
                        show(&NestedAccesses::lines(&nested, |access| vec![access.buffer().to_string()]));
                    }
                }
                Err(e) => culprit(&e),
            }
        }
    }
}

fn shown_steps(steps: &[Explained]) {
    for step in steps {
        show(&(Explained::texts(step), Reason::name(&step.reason)));
        for fact in &step.facts {
            show(&Fact::text(fact));
        }
        shown_steps(&step.steps);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn explanations(e in expression(), d in domain(), l in limits(), points in number()) {
        let s = simplifier(l, None, false);
        let options = Options { max_points: points.unsigned_abs() & 0xff, smt_timeout: Duration::ZERO, samples: 9, ..Options::default() };
        match Simplifier::explain(&s, &e, &d, &options) {
            Ok(explanation) => {
                show(&(Explanation::input(&explanation), Explanation::answer(&explanation), Explanation::check(&explanation)));
                show(&(Explanation::is_checked(&explanation), Explanation::is_wrong(&explanation)));
                show(&Explanation::shortened(&explanation));
                shown_steps(Explanation::steps(&explanation));
                let _ = explanation.to_string();
            }
            Err(e) => culprit(&e),
        }
        for stage in Stage::ALL {
            let without = Simplifier::without_stage(s.clone(), stage);
            show(&(Stage::name(stage), Simplifier::simplify(&without, &e, &d).is_ok()));
        }
        let engine = Baseline::with_limits(Baseline::new(plain_egg::Facts::Ranges), 50, 2);
        show(&(Baseline::simplify(&engine, &e, &d).is_ok(), plain_egg::cost(&e, &d)));
        let both = [e.clone(), e];
        show(&(inspect::dot(&s, &both, &d).is_ok(), inspect::picture(&s, &both, &d).is_ok()));
        if let Ok(problem) = Extraction::of(&s, &both, &d) {
            extracted(&problem);
        }
        let (answer, mut work) = inspect::work(&s, |counted| counted.simplify_all(&both, &d));
        let once = work.clone();
        Work::add(&mut work, &once);
        show(&(answer.is_ok(), Work::nodes(&work), Work::rounds(&work), Work::searches(&work)));
        show(&(Work::instructions(&work), Work::late_instructions(&work)));
        if let Ok((answer, mut statistics)) = inspect::statistics(&s, &both, &d) {
            shown(&answer);
            show(&(Statistics::rules(&statistics).len(), Statistics::shared(&statistics)));
            // after 130 doublings, the counts of the statistics exceed all integer types
            for _ in 0..130 {
                let all = statistics.clone();
                Statistics::add(&mut statistics, &all);
            }
            show(&(Statistics::total(&statistics), Statistics::calls(&statistics)));
        }
    }
}

/// Runs each search and extractor on a problem, and writes and reads the problem.
fn extracted(problem: &Extraction) {
    for method in [Method::Trees, Method::LocalSearch, Method::Exact { steps: 3_000 }, Method::Engine] {
        let found = Extraction::select(problem, method);
        show(&(Extraction::cost(problem, &found.chosen), Extraction::cost(problem, &[Some(usize::MAX); 3])));
    }
    let extractors = [Extractor::Trees, Extractor::Greedy, Extractor::GreedyBackwards];
    show(&extractors.map(|e| (Extractor::name(e), Extractor::run(e, problem))));
    let mut comparison = Comparison::new(&extractors);
    Comparison::add(&mut comparison, problem);
    let all = comparison.clone();
    Comparison::merge(&mut comparison, &all);
    show(&(Comparison::rows(&comparison).len(), Comparison::bound(&comparison)));
    show(&(Comparison::proved(&comparison), Comparison::optimum(&comparison), Comparison::problems(&comparison)));
    if let Ok(text) = extraction::write(problem) {
        show(&extraction::read(text.as_bytes()).is_ok());
    }
}

proptest! {
    #![proptest_config(config(48))]

    #[test]
    fn problems_of_any_kind(
        classes in prop::collection::vec(
            prop::collection::vec((any::<u64>(), prop::collection::vec(0..9_usize, 0..3)), 0..3), 0..9),
        roots in prop::collection::vec(0..9_usize, 0..3),
        json in crate::hostile::text(),
    ) {
        let candidate = |(price, operands)| inspect::Candidate { label: "x".into(), price, operands };
        let classes = classes.into_iter().map(|c| c.into_iter().map(candidate).collect()).collect();
        if let Ok(problem) = Extraction::new(classes, roots) {
            show(&(Extraction::classes(&problem).len(), Extraction::roots(&problem)));
            extracted(&problem);
        }
        show(&extraction::read(json.as_bytes()).is_ok());
    }
}

#[test]
fn nothing_is_asked() {
    let s = Simplifier::with_rules(Simplifier::default(), RuleSet::empty());
    show(&(Simplifier::rules(&s).rules().len(), RuleSet::own(Simplifier::rules(&s)).count()));
    for s in [s, Simplifier::default()] {
        let answer = s.simplify_all(&[], &Domain::new()).expect("no expressions");
        assert_eq!(answer.expr().as_const(), Some(0));
        shown(&answer);
        show(&(
            inspect::dot(&s, &[], &Domain::new()),
            quaff_lab::inspect::browse(&s, &[], &Domain::new()).is_ok(),
            quaff_lab::inspect::svg(&s, &[], &Domain::new()).is_ok(),
            inspect::picture(&s, &[], &Domain::new()).map(|p| quaff_lab::inspect::egraph(&p, &[(9, String::new())])),
            inspect::picture(&s, &[], &Domain::new()),
            inspect::statistics(&s, &[], &Domain::new()).is_ok(),
        ));
    }
    shown_lowered(&Lowered::default());
    show(&(
        emit::c_library(),
        emit::python(&Dag::new(&[])),
        emit::rust(&Dag::default(), &[]),
        emit::triton(&Dag::default(), &[]),
    ));
    let _ = emit::python(&Dag::new(&[])).to_string();
    for text in ["", "_", "9", "a b", "int", "\u{e9}", "*", "::", " ", "\0"] {
        show(&(emit::is_name(text), emit::is_type(text)));
    }
}

#[test]
fn limits_without_end() {
    let limits = quaff::egraph::Limits {
        rounds: u32::MAX,
        nodes: usize::MAX,
        visits: usize::MAX,
        work: u64::MAX,
        passes: u32::MAX,
    };
    let s = simplifier(limits, Some(Prices { greatest: true, seed: 0 }), true);
    let domain = Domain::new().with("x", 0..100).with("y", 0..8);
    for text in ["(x*8 + y)//8 + x%7", "where(x < 4 and y > 2, (x + y)//3, min(x, y))"] {
        shown(&s.simplify(&text.parse::<Expr>().expect(text), &domain).expect(text));
    }
}

#[test]
fn monsters_are_answered_or_refused() {
    let domain = Domain::new().with("x", 0..100).with("y", 0..100);
    for e in monsters(12, 200) {
        match Simplifier::default().simplify(&e, &domain) {
            Ok(answer) => show(&(answer.cost(), answer.expr(), answer.cuda().is_ok())),
            Err(e) => culprit(&e),
        }
    }
}

#[test]
fn comparisons() {
    use Compare::{Eq, Ge, Gt, Le, Lt, Ne};
    for c in [Eq, Ge, Gt, Le, Lt, Ne] {
        assert_eq!(Compare::negated(Compare::negated(c)), c);
        assert_eq!(Compare::mirrored(Compare::mirrored(c)), c);
        assert_eq!(Compare::of(&Compare::op(c)), Some(c));
        show(&(Compare::symbol(c), Compare::is_order(c)));
    }
    show(&FastDivisor { divisor: var("n"), name: "".into(), may_be_one: true });
}
