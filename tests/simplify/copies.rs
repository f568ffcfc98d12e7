//! Copies of an access that differ only in numbers. All answers have the same form, and no operation on constants
//! remains. No copy costs more than alone, and the work grows in proportion to the number of copies.

use crate::shapes::copies::{copies, domain};
use allocation_counter::measure;
use quaff::Simplifier;
use quaff::access::{Access, Gate, SimplifiedAccesses};
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{Dag, Expr, Op, int, var};
use quaff::quasi::{Verdict, equivalent};

fn answered(accesses: &[Access]) -> SimplifiedAccesses {
    Simplifier::default().simplify_accesses(accesses, &domain()).expect("an answer")
}

fn exprs(access: &Access) -> impl Iterator<Item = &Expr> {
    access.gate().condition().into_iter().chain(access.lanes())
}

/// The text of `e`, with `#` in place of each number.
fn form(e: &Expr) -> String {
    let text = e.to_string();
    let words: Vec<String> = text
        .split_inclusive(|c: char| !c.is_ascii_alphanumeric())
        .map(|w| {
            if w.starts_with(|c: char| c.is_ascii_digit()) {
                w.replace(|c: char| c.is_ascii_digit(), "") + "#"
            } else {
                w.into()
            }
        })
        .collect();
    words.concat()
}

/// The operations in `e` that should have been folded: operations on constants only, and operations with a neutral
/// operand such as `x + 0`.
fn idle(e: &Expr) -> Vec<String> {
    let dag = Dag::new(std::slice::from_ref(e));
    let value = |a: u32| match dag.nodes()[a as usize].op {
        Op::Const(c) => Some(c),
        _ => None,
    };
    let is_sum_with_number = |a: u32| {
        let n = &dag.nodes()[a as usize];
        matches!(n.op, Op::Add | Op::Sub) && n.args().iter().any(|&b| value(b).is_some())
    };
    let is_idle = |n: &&quaff::expr::DagNode| {
        let values: Vec<Option<i64>> = n.args().iter().map(|&a| value(a)).collect();
        let all = !values.is_empty() && values.iter().all(Option::is_some);
        let neutral = match n.op {
            Op::Add => values.contains(&Some(0)),
            Op::Sub => values[1] == Some(0),
            Op::Mul => values.contains(&Some(0)) || values.contains(&Some(1)),
            Op::FloorDiv | Op::FloorMod => values[1] == Some(1),
            Op::And | Op::Or => values.iter().any(Option::is_some),
            _ => false,
        };
        // a sum with two constants
        let twice = matches!(n.op, Op::Add | Op::Sub)
            && values.iter().any(Option::is_some)
            && n.args().iter().any(|&a| is_sum_with_number(a));
        all || neutral || twice
    };
    dag.nodes().iter().filter(is_idle).map(|_| e.to_string()).collect()
}

/// The total cost of `accesses` if each is simplified alone.
fn alone(accesses: &[Access]) -> Cost {
    accesses.iter().map(|a| answered(std::slice::from_ref(a)).cost()).fold(Cost::ZERO, |sum, cost| sum + cost)
}

#[test]
fn copies_have_one_form_and_cost_no_more_than_alone() {
    let mut before = Cost::ZERO;
    for (count, most) in [(1, 71), (16, 801), (128, 3201), (512, 11431)] {
        let written = copies(count);
        let answer = answered(&written);
        assert!(answer.cost() <= Cost::from_tenths(most), "{count}: {}", answer.cost());
        assert!(answer.cost() > before);
        before = answer.cost();
        if count <= 128 {
            assert!(answer.cost() <= alone(&written), "{count}");
        }
        let left: Vec<String> = answer.accesses().iter().flat_map(exprs).flat_map(idle).collect();
        assert!(left.is_empty(), "{count}: {left:?}");
        // no copy has fewer or more divisions than the first one, such as a division that is multiplied by 0
        let divisions = |e: &Expr| {
            let dag = Dag::new(std::slice::from_ref(e));
            [Op::FloorDiv, Op::FloorMod].map(|op| dag.nodes().iter().filter(|n| n.op == op).count())
        };
        let first = divisions(answer.accesses()[0].index());
        assert!(answer.accesses().iter().all(|a| divisions(a.index()) == first), "{count}: {:?}", answer.accesses());
        let mut gates: Vec<String> = answer.accesses().iter().filter_map(|a| a.gate().condition()).map(form).collect();
        gates.sort();
        gates.dedup();
        assert!(gates.len() <= 2, "with and without the bound of `i`: {gates:?}");
    }
}

#[test]
fn none_costs_less_in_the_form_that_it_has_alone() {
    let written = copies(16);
    let together = answered(&written);
    for i in 0..written.len() {
        let mut other = together.accesses().to_vec();
        other[i] = answered(std::slice::from_ref(&written[i])).accesses()[0].clone();
        let cost = answered(&other).input_cost();
        assert!(cost >= together.cost(), "{}: {cost} in place of {}", other[i].index(), together.cost());
    }
}

#[test]
fn copies_have_the_values_that_were_written() {
    let truth = |gate: &Gate| match gate {
        Gate::Always => int(1),
        Gate::Never => int(0),
        Gate::When(condition) => condition.differs(0),
    };
    let written = copies(128);
    for (old, new) in written.iter().zip(answered(&written).accesses()) {
        let [before, after] = [old, new].map(|a| truth(a.gate()));
        assert_eq!(equivalent(&before, &after, &domain()), Verdict::Equal, "{} and {}", old.gate(), new.gate());
        let inside = domain().assume(before);
        let verdict = equivalent(old.index(), new.index(), &inside);
        assert!(!matches!(verdict, Verdict::Differs { .. }), "{} and {}: {verdict}", old.index(), new.index());
    }
}

#[test]
fn work_grows_with_the_number_of_copies() {
    let work = |count: usize| {
        let written = copies(count);
        measure(|| drop(answered(&written))).count_total
    };
    let [few, many] = [128, 512].map(work);
    println!("{few} allocations for 128 copies, {many} for 512");
    assert!(many < 6 * few, "{few} allocations for 128 copies, {many} for 512");
}

#[test]
fn names_of_copies_are_none_of_the_domain() {
    let domain = Domain::new().with("copy0", 0..64).with("copy1", 0..9);
    let load = |u: i64| {
        let index: Expr = format!("(copy0*7 + {u})//5*9 + copy1 + {}", u % 3).parse().expect("an index");
        Access::load("v", "in", index)
    };
    let accesses: Vec<Access> = (0..6).map(load).collect();
    let answer = Simplifier::default().simplify_accesses(&accesses, &domain).expect("an answer");
    for (old, new) in accesses.iter().zip(answer.accesses()) {
        assert_eq!(equivalent(old.index(), new.index(), &domain), Verdict::Equal);
    }
}

/// If 4 divides the size, either all of four neighbouring elements are below it, or none. So all four have the same
/// gate.
#[test]
fn neighbours_below_a_multiple_have_one_gate() {
    let domain: Domain = "t=0..255, N=4..1024 step 4".parse().expect("a domain");
    let copy = |u: usize| {
        let index: Expr = format!("t*4 + {u}").parse().expect("an index");
        Access::load(format!("v{u}"), "in", index.clone()).when(index.lt(var("N")))
    };
    let gates = |count: usize| -> Vec<String> {
        let written: Vec<Access> = (0..count).map(copy).collect();
        let answer = Simplifier::default().simplify_accesses(&written, &domain).expect("an answer");
        answer.accesses().iter().map(|a| a.gate().to_string()).collect()
    };
    assert_eq!(gates(2), ["t*4 < N"; 2]);
    let all = gates(4);
    assert!(all.iter().all(|gate| *gate == all[0]), "{all:?}");
}

/// The same for the copies of an unrolled loop: the gate does not contain the variable of the loop, so it is computed
/// once.
#[test]
fn an_unrolled_loop_below_a_multiple_has_one_gate() {
    let domain: Domain = "t=0..255, u=0..3, N=4..1024 step 4".parse().expect("a domain");
    let index: Expr = "t*4 + u".parse().expect("an index");
    let load = Access::load("v", "in", index.clone()).when(index.lt(var("N")));
    let answer = Simplifier::default().simplify_accesses(&[load], &domain.unrolled("u")).expect("an answer");
    let gate = answer.accesses()[0].gate().to_string();
    assert!(!gate.contains('u'), "{gate}: computed in each copy");
}
