//! Cost models: the prices of whole expressions, and their effect on extraction.

use quaff::cost::{Cost, CostModel, Gpu, OpCount, Operation, Truncating, price};
use quaff::domain::{Domain, Interval, intervals_of};
use quaff::expr::{Dag, Expr, Op};
use quaff::{Simplified, Simplifier};

fn expr(text: &str) -> Expr {
    text.parse().expect("an expression")
}

/// The price in instructions under `model`, with every variable in 0..=1000.
fn cost(texts: &[&str], model: &dyn CostModel) -> f64 {
    let dag = Dag::new(&texts.iter().map(|t| expr(t)).collect::<Vec<_>>());
    let ranges = intervals_of(&dag, |_| Interval::new(0, 1000).expect("a range"));
    price(&dag, &ranges, model).instructions()
}

/// The price of the answer's text, as if it were an input that is not simplified.
pub(crate) fn text_price(answer: &Simplified, model: &dyn CostModel) -> Cost {
    price(&Dag::new(answer.exprs()), &answer.ranges(), model)
}

#[test]
fn sums_are_fused() {
    for (text, instructions) in [
        ("x", 0.0),
        ("x + y", 1.0),
        ("x + y + z", 1.0),
        ("x + y + z + 5", 2.0),
        ("x*7 + y", 1.0),
        ("x*24 + y*6 + z", 2.0),
        ("x*24 + y*6 + z*2 + w", 3.0),
        ("(x*24 + y)*2 + x*3", 2.0),
        ("x - x", 0.0),
    ] {
        assert_eq!(cost(&[text], &Gpu), instructions, "{text}");
    }
}

#[test]
fn divisions_cost_what_their_range_makes_them() {
    let of = |text| cost(&[text], &Gpu);
    assert_eq!(of("x // 8"), 1.0);
    assert_eq!(of("x % 8"), 1.0);
    assert!(of("x // 7") > of("x // 8") && of("x // 7") < 2.0);
    assert!(of("x % 7") > of("x // 7"));
    // the quotient exists already, so the remainder costs one multiply-subtract
    assert_eq!(of("x // 7 * y + x % 7 * z") - of("x // 7 * y + z * z"), 1.0);
    assert!(of("(x - 500) // 7") > of("x // 7"), "a sign costs");
    assert!(of("x // (y + 1)") > 10.0, "a variable divisor is a real division");
    assert_eq!(of("x // 2000"), 0.0);
}

#[test]
fn cleared_bits_are_one_instruction() {
    let of = |text| cost(&[text], &Gpu);
    assert_eq!(of("x // 8 * 8"), 1.0);
    // `x // 8 * 8` is priced as a shift and a multiplication if another part needs the quotient, or if the factor is
    // not the divisor
    assert_eq!(of("x // 8 * 8 + y // 2 * (x // 8)") - of("y // 2 * (x // 8)"), 1.0);
    assert_eq!(of("x // 8 * 16"), 2.0);
}

#[test]
fn a_truth_as_a_term_of_sums_becomes_a_number_once() {
    let of = |texts: &[&str]| cost(texts, &Gpu);
    assert_eq!(of(&["x < y"]), 1.0);
    assert_eq!(of(&["x + (y < 3)*64"]), 2.2);
    // a comparison that is only a condition is not converted to a number
    assert_eq!(of(&["where(y < 3, x, z)"]), 2.0);
    assert_eq!(of(&["x + (y < 3)*64", "z + (y < 3)*8"]), 3.2);
    assert_eq!(of(&["x >= (y < 3)"]), 2.2);
    assert_eq!(of(&["(y < 3) == 0"]), 2.0);
    assert_eq!(cost(&["x + (y < 3)*64"], &OpCount), 3.0);
}

#[test]
fn extraction_pays_for_truths_that_are_numbers() {
    let domain = Domain::new().with("x", 0..=1000).with("y", 0..=9).with("z", 0..=1000);
    for text in ["x*4 + (z >= y*3)*64", "x*4 + (z >= y*3 and x >= 4)*64"] {
        let answer = Simplifier::default().simplify(&expr(text), &domain).unwrap();
        // the proved lower bound includes the price of converting the truth value to a number
        assert_eq!(answer.least_cost(), answer.cost(), "{text}: {}", answer.expr());
        assert_eq!(answer.cost().tenths() % 10, 2, "{text}: {}", answer.expr());
    }
}

#[test]
fn a_number_as_a_condition_is_compared() {
    let of = |text| cost(&[text], &Gpu);
    assert_eq!(of("where(x % 2, y, z)") - of("x % 2"), 2.0);
    assert_eq!(of("where(x % 2 >= 1, y, z)"), of("where(x % 2, y, z)"));
}

#[test]
fn shared_values_count_once_over_all_roots() {
    let one = cost(&["(x*3 + y)//7"], &Gpu);
    assert_eq!(cost(&["(x*3 + y)//7", "(x*3 + y)//7 + z"], &Gpu), one + 1.0);
    assert!(cost(&["x//7 + y//7"], &Gpu) > cost(&["x//7 + x//7"], &Gpu));
}

#[test]
fn sixty_four_bits_are_costlier() {
    assert!(cost(&["x*3000000 + y"], &Gpu) > 2.0 * cost(&["x*3000 + y"], &Gpu));
}

#[test]
fn operations_are_counted() {
    assert_eq!(cost(&["x + y + z"], &OpCount), 2.0);
    assert_eq!(cost(&["x*7 + y"], &OpCount), 2.0);
    assert_eq!(cost(&["x // 7 + x % 7"], &OpCount), 3.0);
}

/// A cost model in which quotients cost nothing, and remainders are too costly to use.
struct FreeQuotients;

impl CostModel for FreeQuotients {
    fn price(&self, operation: &Operation) -> Cost {
        match operation {
            Operation::Mod { .. } => Cost::from_tenths(100_000),
            Operation::Div { .. } => Cost::ZERO,
            other => Gpu.price(other),
        }
    }
}

#[test]
fn a_model_of_ones_own_decides() {
    let domain = Domain::new().with("x", 0..1000).with("y", 0..1000);
    let input = expr("x % 12 + y");
    let gpu = Simplifier::default().simplify(&input, &domain).expect("an answer");
    assert!(gpu.expr().to_string().contains('%'), "{}", gpu.expr());
    let own = Simplifier::default().with_cost_model(FreeQuotients).simplify(&input, &domain).expect("an answer");
    assert_eq!(own.expr().to_string(), "x + y - x//12*12");
    assert!(own.cost() < own.input_cost());
}

#[test]
fn a_truncating_host_pays_for_a_sign() {
    let of = |text| cost(&[text], &Truncating);
    assert_eq!(of("x*3 + y"), cost(&["x*3 + y"], &OpCount));
    for (shown, hidden) in [
        ("(x + 500) // 8", "(x - 500) // 8"),
        ("(x + 500) % 7", "(x - 500) % 7"),
        ("(x + y) // (z + 1)", "(x - y) // (z + 1)"),
        ("(x + 5000) // 7", "(x - 5000) // 7"),
        ("(x + 500) // 7", "(x + 500) // -7"),
    ] {
        assert!(of(hidden) > of(shown) + 5.0, "{shown} against {hidden}");
    }
    let divisors = ["(x*9 + y)//8", "(x*9 + y)//12", "(x*9 + y)//(z + 1)"];
    assert!(divisors.is_sorted_by(|a, b| of(a) < of(b)));
}

#[test]
fn numerators_stay_non_negative_for_a_truncating_host() {
    let domain = Domain::new().with("q", 0..12).with("r", 0..6);
    let input = expr("(q*6 + r)%8 - (q*6 + r)//8%9");
    let gpu = Simplifier::default().simplify(&input, &domain).expect("an answer");
    let host = Simplifier::default().with_cost_model(Truncating);
    let answer = host.simplify(&input, &domain).expect("an answer");
    assert!(answer.cost() <= answer.input_cost());
    let dag = Dag::new(std::slice::from_ref(answer.expr()));
    let price = |e: &Expr| {
        let dag = Dag::new(std::slice::from_ref(e));
        let ranges = intervals_of(&dag, |name| Interval::new(0, if name == "q" { 11 } else { 5 }).expect("a range"));
        price(&dag, &ranges, &Truncating)
    };
    assert!(price(answer.expr()) < price(gpu.expr()), "{} against {}", answer.expr(), gpu.expr());
    let ranges = answer.ranges();
    let divisions = dag.nodes().iter().filter(|n| matches!(n.op, Op::FloorDiv | Op::FloorMod));
    for node in divisions {
        assert!(ranges[node.args()[0] as usize].is_nonneg(), "{}", answer.expr());
    }
}

#[test]
fn one_call_for_many_roots_shares_what_they_share() {
    let domain = Domain::new().with("t", 0..4096);
    let roots = [expr("t // 24"), expr("t % 24 // 6"), expr("t % 6 + t // 24")];
    let s = Simplifier::default();
    let together = s.simplify_all(&roots, &domain).expect("answers");
    let apart: Cost = roots.iter().map(|r| s.simplify(r, &domain).expect("an answer").cost()).sum();
    assert!(together.cost() < apart, "{} against {apart}", together.cost());
    assert_eq!(together.exprs().len(), 3);
}

#[test]
fn costs_are_counted_in_tenths_of_instructions() {
    let costs = [0, 1, 10, 21, 30, 1_000_000].map(Cost::from_tenths);
    assert_eq!(costs.map(|c| c.to_string()), ["0", "0.1", "1", "2.1", "3", "100000"]);
    assert_eq!(costs.map(|c| format!("{c:>6.1}")), ["   0.0", "   0.1", "   1.0", "   2.1", "   3.0", "100000.0"]);
    assert!(costs.is_sorted() && costs.iter().all(|c| c.instructions() * 10.0 == c.tenths() as f64));
    assert_eq!(costs.into_iter().sum::<Cost>(), Cost::from_tenths(1_000_062));
    assert_eq!([Cost::MAX, Cost::from_tenths(1)].into_iter().sum::<Cost>(), Cost::MAX);
    assert_eq!(Cost::default(), Cost::ZERO);
}

/// In a loop, the text of an answer may repeat an operation that the extraction counted less often. The cost of this
/// text must still be at most the cost of the input.
#[test]
fn answers_in_loops_cost_no_more_than_the_input() {
    let looped: fn(Domain) -> Domain = |domain| domain.loop_variable("q");
    let unrolled: fn(Domain) -> Domain = |domain| domain.unrolled("n");
    for (text, domain, kind) in [
        ("9*(q*n - m)*min(n, m)", "n=1..6, m=2..4, q=211..226", looped),
        ("(n*n - m*6)*(n*2 - m*2) + m", "n=1..5, m=1..8", unrolled),
        ("idx//n%n", "n=1..9, idx=-n..n//2", unrolled),
        ("T*7//24*7 + T*7%24*4 + T*7//where(T == 0, 6, 24)", "T=0..13, n=-6..24, assume n*-9 == T", unrolled),
    ] {
        let domain = kind(domain.parse().expect("a domain"));
        let answer = Simplifier::default().simplify(&expr(text), &domain).expect("an answer");
        let (cost, input) = (answer.cost(), answer.input_cost());
        assert!(cost <= input, "{text} in {domain}: {cost}, the input {input}");
    }
}
