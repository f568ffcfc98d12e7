//! Uniform variables, blocks of threads and objectives, compared with plain enumeration.

use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff_fronts::coalesce::{Access, Digits, Found, Measure, Objective, Question, Schedule, Taken, Warp};
use std::collections::BTreeSet;

fn access(text: &str) -> Access {
    Access::new(text.parse().expect(text), 4).expect("an access")
}

/// The sectors and the gap (a distance measure of neighbouring lanes) of `index`, with the elements in the order of
/// `elements`. Both are summed over all values of `pid`.
fn measured(index: &Expr, elements: &[i64], pids: std::ops::Range<i64>) -> (u128, u128) {
    let (mut sectors, mut gap) = (0, 0);
    for pid in pids {
        let at = |i: i64| index.eval(|n| Some(if n == "pid" { pid } else { i })).expect("a value");
        for group in elements.chunks(32) {
            let values: Vec<i128> = group.iter().map(|i| at(*i)).collect();
            sectors += values.iter().map(|v| v.div_euclid(8)).collect::<BTreeSet<_>>().len() as u128;
            gap += values.windows(2).filter(|p| p[1] != p[0] + 1).map(|p| p[1].abs_diff(p[0])).sum::<u128>();
        }
    }
    (sectors, gap)
}

fn elements(found: &Found) -> Vec<i64> {
    let schedule = found.candidates()[0].schedule();
    (0..schedule.extent()).map(|u| schedule.value(u)).collect()
}

/// The search evaluates only some values of a uniform variable, but the traffic counts all values.
#[test]
fn uniform_variables_count_at_all_of_their_values() {
    for (text, pids) in [
        ("i%16*16 + i//16 + pid", 40),
        ("(i + 3*pid)%64*4 + i//64", 19),
        ("i*2 + pid//3", 50),
        ("i + 1000*pid", 1 << 30),
    ] {
        let accesses = [access(text)];
        let question = Question::new(&accesses, "i", 256, Warp::default());
        let found =
            question.with_uniform(Domain::new().with("pid", 0..pids)).search(&Simplifier::default()).expect(text);
        let best = &found.candidates()[0];
        if pids < 1000 {
            let index = accesses[0].index();
            let identity: Vec<i64> = (0..256).collect();
            assert_eq!((found.identity().sectors, found.identity().gap), measured(index, &identity, 0..pids), "{text}");
            let own = (best.traffic().sectors, best.traffic().gap);
            assert_eq!(own, measured(index, &elements(&found), 0..pids), "{text}");
        }
        // the index still contains the uniform variable
        for (u, element) in (0..).zip(elements(&found)) {
            for pid in [0, 1, pids - 1] {
                let value = best.indices()[0].eval(|n| Some(if n == "pid" { pid } else { u }));
                let expected = accesses[0].index().eval(|n| Some(if n == "pid" { pid } else { element }));
                assert_eq!(value, expected, "{text} at u = {u}, pid = {pid}");
            }
        }
    }
}

/// If no schedule is good for all values of a uniform variable, each residue of the variable gets its own schedule. The
/// additional cost of a common schedule is known.
#[test]
fn each_residue_may_have_its_own_schedule() {
    // the index reads rows if `pid` is even, and columns if it is odd
    let accesses = [access("i*(1 - pid%2) + (i%32*32 + i//32)*(pid%2)")];
    let question = Question::new(&accesses, "i", 1024, Warp::default()).with_uniform(Domain::new().with("pid", 0..2));
    let found = question.search(&Simplifier::default()).expect("an answer");
    let (together, apart) = (found.candidates()[0].traffic(), found.traffic_apart().expect("two values"));
    assert_eq!((found.apart().len(), apart.sectors), (2, 256));
    assert!(together.sectors > apart.sectors, "{together:?}");
    let names: Vec<String> = found.apart().iter().map(|a| a.residues()[0].to_string()).collect();
    assert_eq!(names, ["pid == 0", "pid == 1"]);
    for own in found.apart() {
        let pid = own.residues()[0].value();
        let elements: Vec<i64> = (0..1024).map(|u| own.candidate().schedule().value(u)).collect();
        let (sectors, gap) = measured(accesses[0].index(), &elements, pid..pid + 1);
        assert_eq!((own.candidate().traffic().sectors, own.candidate().traffic().gap), (sectors, gap));
    }
}

/// The fetches of a step are the lines that the step touches and the previous step does not touch.
#[test]
fn fetches_are_the_new_lines_of_each_step() {
    for (text, n, threads) in [("i%64*64 + i//64", 4096, 128), ("i//2", 512, 64), ("i%7*100 + i//7", 448, 32)] {
        let accesses = [access(text)];
        let question = Question::new(&accesses, "i", n, Warp::default()).with_threads(threads);
        let question = question.by(Measure::Fetches.into());
        let found = question.search(&Simplifier::default()).expect(text);
        for candidate in found.candidates() {
            let (mut before, mut fetches) = (BTreeSet::new(), 0);
            for step in 0..n as i64 / i64::from(threads) {
                let line = |t: i64| {
                    let element = candidate.schedule().value(t + i64::from(threads) * step);
                    accesses[0].index().eval(|_| Some(element)).expect("a value").div_euclid(32)
                };
                let lines: BTreeSet<i128> = (0..i64::from(threads)).map(line).collect();
                fetches += lines.difference(&before).count() as u128;
                before = lines;
            }
            assert_eq!(candidate.traffic().fetches, fetches, "{text}: {}", candidate.sigma());
        }
        let least = found.candidates().iter().map(|c| c.traffic().fetches).min();
        assert_eq!(Some(found.candidates()[0].traffic().fetches), least, "{text}");
    }
}

/// A schedule maps pairs of thread and step to elements, as a bijection.
#[test]
fn steps_of_threads_take_each_element_once() {
    for (text, n, threads, vector) in
        [("i%64*64 + i//64", 4096, 128, 1), ("i%16*64 + i//16", 1024, 64, 4), ("i%12*20 + i//12", 384, 32, 2)]
    {
        let accesses = [access(text)];
        let warp = Warp::default().with_vector(vector).expect("a vector");
        let question = Question::new(&accesses, "i", n, warp).with_threads(threads);
        let found = question.search(&Simplifier::default()).expect(text);
        for candidate in found.candidates() {
            let steps = question.steps(candidate, &Simplifier::default()).expect(text);
            let mut taken = Vec::new();
            for (t, s) in (0..i64::from(threads)).flat_map(|t| (0..steps.steps()).map(move |s| (t, s))) {
                let first = steps.sigma().eval(|n| Some(if n == "t" { t } else { s })).expect("a value");
                let number = (t + i64::from(threads) * s) * i64::from(steps.vector());
                assert_eq!(first, i128::from(candidate.schedule().value(number)), "{text}: {}", steps.sigma());
                taken.extend((0..i64::from(steps.vector())).map(|e| candidate.schedule().value(number + e)));
            }
            taken.sort_unstable();
            assert!(taken.into_iter().eq(0..n as i64), "{text}: {}", steps.sigma());
        }
    }
}

/// For every objective, the first candidate has the least value of all candidates. The objective may be a function of
/// the user.
#[test]
fn any_function_chooses_the_first_schedule() {
    let accesses = [access("3*(i%16) + 2*(i//16)")];
    let objectives = [
        Objective::new(|t: &Taken| -(t.traffic.gap as f64)),
        Objective::new(|t: &Taken| t.traffic.sectors as f64 + 3.0 * t.cost),
        Objective::new(|_| f64::NAN),
        "2*sectors + cost".parse().expect("a sum"),
    ];
    for objective in objectives {
        let question = Question::new(&accesses, "i", 128, Warp::default()).by(objective.clone());
        let found = question.search(&Simplifier::default()).expect("an answer");
        let values: Vec<f64> = found.candidates().iter().map(|c| objective.of(&c.taken())).collect();
        assert!(values[0].is_nan() || values.iter().all(|v| values[0] <= *v), "{values:?}");
    }
}

/// The search finds the sorted order for sums of strides that are not nested.
#[test]
fn sorted_orders_of_overlapping_strides_are_found() {
    for (text, n) in [("3*(i%16) + 2*(i//16)", 256), ("3*(i%16) + 2*(i//16)", 128), ("5*(i%8) + 3*(i//8)", 64)] {
        let found = Question::new(&[access(text)], "i", n, Warp::default()).search(&Simplifier::default()).expect(text);
        let found = found.sorted_by(Measure::Gap);
        assert_eq!(found.candidates()[0].traffic().gap, found.optimum().gap, "{text}");
    }
}

/// The search finds chains of reshapes whose sizes do not divide one another.
#[test]
fn chains_of_reshapes_that_do_not_divide_are_found() {
    // the schedule must undo two transpositions, such as 8 x 12 followed by 6 x 16
    for (inner, index, n) in [
        ("(i%8*12 + i//8)", "INNER%6*16 + INNER//6", 96),
        ("(i%9*32 + i//9)", "INNER%16*18 + INNER//16", 288),
        ("(i%10*48 + i//10)", "INNER%32*15 + INNER//32", 480),
    ] {
        let text = index.replace("INNER", inner);
        let accesses = [access(&text)];
        let found = Question::new(&accesses, "i", n, Warp::default()).search(&Simplifier::default()).expect(&text);
        let best = &found.candidates()[0];
        assert_eq!(
            (best.traffic().gap, best.traffic().sectors),
            (0, found.optimum().sectors),
            "{text}: {}",
            best.sigma()
        );
        let mut taken = elements(&found);
        taken.sort_unstable();
        assert!(taken.into_iter().eq(0..n as i64), "{text}");
    }
    // both parts of a composed schedule are movements of one chain of a view
    let first = Digits::new(&[8, 12], &[1, 0], &[false; 2]).expect("digits");
    let second = Digits::new(&[6, 16], &[1, 0], &[false, true]).expect("digits");
    let schedule = Schedule::Composed(first, second);
    let text = schedule.chain_text().expect("movements");
    let chain: quaff_fronts::view::chain::Chain = text.parse().expect("a chain");
    assert_eq!(chain.movements().count(), 7, "{text}");
    for u in 0..96 {
        assert_eq!(schedule.expr("u").eval(|_| Some(u)), Ok(i128::from(schedule.value(u))));
    }
}
