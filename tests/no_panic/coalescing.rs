//! Coalescing: accesses, costs, schedules and searches.

use crate::hostile::{domain, expression, name, number, text};
use crate::{config, show};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use quaff::quasi::{self, Canonical, Case, Flattened, FloorSum, FloorTerm};
use quaff_fronts::coalesce::{
    self, Access, Apart, Candidate, CoalesceError, Digits, Found, Measure, Objective, Pieces, Question, Residue,
    Schedule, Steps, Taken, Warp,
};
use quaff_fronts::dims::Dims;

fn told<T>(result: Result<T, CoalesceError>) -> Option<T> {
    if let Err(e) = &result {
        let _ = format!("{e} {:?}", miette::Report::new(e.clone()));
    }
    result.ok()
}

fn small() -> impl Strategy<Value = u32> {
    prop_oneof![4 => prop::sample::select(vec![0, 1, 2, 3, 4, 8, 16, 32, 64]), 1 => any::<u32>()]
}

fn warp() -> impl Strategy<Value = Warp> {
    (small(), small()).prop_map(|(lanes, vector)| {
        let warp = told(Warp::new(lanes)).unwrap_or_default();
        let warp = told(Warp::with_vector(warp, vector)).unwrap_or(warp);
        show(&(Warp::lanes(&warp), Warp::vector(&warp)));
        warp
    })
}

fn access(e: Expr, gate: Option<Expr>, bytes: u32, weight: u32) -> Option<Access> {
    let access = told(Access::new(e, bytes))?;
    let access = gate.into_iter().fold(access, Access::when);
    let access = told(Access::with_weight(access.clone(), weight)).unwrap_or(access);
    show(&(Access::index(&access), Access::gate(&access), Access::bytes(&access), Access::weight(&access)));
    Some(access)
}

fn shown(candidate: &Candidate) {
    show(&(Candidate::traffic(candidate), Candidate::sigma(candidate), Candidate::indices(candidate)));
    show(&(Candidate::gates(candidate), Candidate::cost(candidate), Candidate::trace(candidate).count()));
    show(&(Candidate::vector(candidate), Candidate::at_once(candidate)));
    show(&(Candidate::sigma_cuda(candidate), Candidate::cuda(candidate)));
    let schedule = Candidate::schedule(candidate);
    show(&(Schedule::extent(schedule), Schedule::expr(schedule, "")));
    show(&[i64::MIN, -1, 0, i64::MAX].map(|u| Schedule::value(schedule, u)));
    if let Schedule::Pieces(p) = schedule {
        show(&(Pieces::extent(p), Pieces::pieces(p), Pieces::value(p, i64::MAX), Pieces::expr(p, "x\0")));
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn digit_orders(radices in prop::collection::vec(prop_oneof![3 => 1..9_i64, 1 => number()], 0..9), order in prop::collection::vec(0..9_usize, 0..9), flipped in any::<[bool; 9]>(), u in number()) {
        let count = radices.len();
        let sorted: Vec<usize> = (0..count).rev().collect();
        for order in [order, sorted] {
            let flips = &flipped[..count];
            let Some(digits) = Digits::new(&radices, &order, flips) else { continue };
            show(&(Digits::radices(&digits), Digits::order(&digits), Digits::flipped(&digits), Digits::extent(&digits)));
            show(&(Digits::value(&digits, u), Digits::fused(&digits), Digits::expr(&digits, "u")));
            show(&(Digits::chain_text(&digits), Digits::chain(&digits).expect("a chain"), Digits::dims_text(&digits)));
            show(&(Digits::declare(&digits, &mut Dims::new(), "", "a b"), Digits::declare(&digits, &mut Dims::new(), "u", "i")));
            show(&Schedule::at(&Schedule::Digits(digits.clone()), &(var("x") + u)));
            show(&Schedule::chain_text(&Schedule::Composed(digits.clone(), digits)));
        }
        prop_assert!(Digits::new(&radices, &[], &[]).is_none() || count == 0);
    }

    #[test]
    fn costs(e in expression(), gate in prop::option::of(expression()), domain in domain(), warp in warp(), (bytes, weight) in (small(), small()), lane in name()) {
        let domain = Domain::with(domain, "t", 0..64);
        for (e, lane) in [(e.clone(), lane), (e + var("t"), "t")] {
            if let Some(access) = access(e, gate.clone(), bytes, weight) {
                show(&told(coalesce::measure(&access, lane, &domain, warp)));
            }
        }
    }

    #[test]
    fn floor_sums(e in expression(), x in number(), before in number(), jumps in prop::collection::vec(number(), 0..20)) {
        let wide: Vec<i128> = jumps.into_iter().map(i128::from).collect();
        show(&[&["x", "y"][..], &["x"], &[], &["", "x", "x"]].map(|names| quasi::separated(&e, names)));
        let given = Canonical::from_jumps(before.into(), wide).and_then(|c| FloorSum::fewest(&c));
        for sum in [FloorSum::of(&e, "x").ok(), given].into_iter().flatten() {
            show(&(FloorSum::constant(&sum), FloorSum::terms(&sum), FloorSum::slope(&sum), FloorSum::digits(&sum)));
            show(&(FloorSum::value(&sum, x.into()), FloorSum::value(&sum, i128::MAX), FloorSum::to_expr(&sum, "x").is_some()));
            sum.terms().iter().for_each(|t| show(&FloorTerm::rate(t)));
        }
        for name in ["gap", "", "x"] {
            show(&Measure::named(name));
        }
        if let Ok(flat) = Flattened::of(&e, "x") {
            show(&(Flattened::symbols(&flat).len(), Flattened::sum(&flat).is_some()));
            for case in Flattened::cases(&flat) {
                show(&(Case::residues(case), Case::canonical(case), Case::fewest(case), Case::sum(case, "x").is_some()));
            }
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn searches(e in expression(), gate in prop::option::of(expression()), warp in warp(), n in prop_oneof![Just(64_u64), Just(0), 1..300_u64, any::<u64>()], weight in small()) {
        for (e, gate) in [(e.clone(), gate), (e.floor_mod(32) + var("x"), None)] {
            let Some(access) = access(e, gate, 4, weight) else { continue };
            let found = coalesce::search(&[access.clone(), access.clone()], "x", n, warp, &Simplifier::default());
            let Some(found) = told(found) else { continue };
            show(&(Found::identity(&found), Found::optimum(&found), Found::measured(&found)));
            Found::candidates(&found).iter().chain(Found::padded(&found)).for_each(shown);
            let found = Found::sorted_by(found, coalesce::Measure::Lines);
            let schedule = Found::candidates(&found)[0].schedule();
            prop_assert!(told(coalesce::picture("<", &access, "x", n, warp, schedule)).is_some());
            show(&told(coalesce::picture("", &access, "y", 3, warp, schedule)));
        }
        show(&told(coalesce::search(&[], "x", 32, warp, &Simplifier::default())));
    }

    #[test]
    fn questions(e in expression(), domain in domain(), threads in prop_oneof![Just(32_u32), Just(64), small()], by in text()) {
        let Some(access) = access(e.floor_mod(64) + var("x"), None, 4, 1) else { return Ok(()) };
        let objective = by.parse().ok().unwrap_or_else(|| Objective::new(|taken: &Taken| 0.0 / taken.cost));
        show(&Objective::of(&objective, &Taken::default()).is_nan());
        let accesses = [access];
        let question = Question::new(&accesses, "x", 64, Warp::default());
        let question = Question::by(Question::with_threads(Question::with_uniform(question, domain), threads), objective.clone());
        let Some(found) = told(Question::search(&question, &Simplifier::default())) else { return Ok(()) };
        let found = Found::sorted_for(found, &objective);
        show(&Found::traffic_apart(&found));
        for apart in Found::apart(&found) {
            shown(Apart::candidate(apart));
            Apart::residues(apart).iter().for_each(|r| {
                let _ = format!("{r}");
                show(&(Residue::name(r), Residue::value(r), Residue::modulus(r)));
                show(&Residue::within(r, &Domain::new()));
            });
        }
        for candidate in Found::candidates(&found) {
            show(&Candidate::taken(candidate));
            show(&told(Question::picture(&question, "", candidate)).is_some());
            let Some(steps) = told(Question::steps(&question, candidate, &Simplifier::default())) else { continue };
            show(&(Steps::threads(&steps), Steps::steps(&steps), Steps::vector(&steps), Steps::cost(&steps)));
            show(&(Steps::sigma(&steps).tree_size(), Steps::indices(&steps).len()));
            show(&(Steps::sigma_cuda(&steps).is_ok(), Steps::cuda(&steps).is_ok()));
        }
    }
}
