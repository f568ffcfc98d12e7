//! Widths: an answer needs 64 bits only if its input does, and no computation in 32 bits overflows.

use crate::host::{Case, Random, Target, check, expression};
use quaff::domain::{Bounds, Domain, Interval};
use quaff::egraph::Limits;
use quaff::emit;
use quaff::expr::{Dag, Expr, int, var};
use quaff::lower::{LowerError, Lowered, Machine, Sampling, compare, lower};
use quaff::rules::RuleSet;
use quaff::{CompareError, Simplifier};
use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, Transfer};

/// Ranges around the ends of `int` and of `unsigned`.
const ENDS: [(i64, i64); 12] = [
    (0, i32::MAX as i64),
    (0, i32::MAX as i64 - 7),
    (0, (1 << 30) - 1),
    (0, 1 << 29),
    (i32::MIN as i64, i32::MAX as i64),
    (i32::MIN as i64 + 9, -1),
    (-(1 << 30), 1 << 30),
    (0, u32::MAX as i64),
    (i32::MAX as i64 - 100, u32::MAX as i64 - 100),
    (0, 715_827_882),
    (0, 1023),
    (-5, 60),
];

fn cases(seed: u64, count: usize) -> Vec<(Domain, Vec<Expr>)> {
    let mut random = Random(seed);
    let names = ["x", "y", "z"];
    let case = |_| {
        let used = 1 + random.below(3) as usize;
        let domain = names[..used].iter().fold(Domain::new(), |d, n| {
            let (lo, hi) = *random.pick(&ENDS);
            d.with(*n, lo..=hi)
        });
        let steps = 2 + random.below(6) as usize;
        let roots = expression(&mut random, &names[..used], steps);
        (domain, roots)
    };
    (0..count).map(case).collect()
}

fn plain(domain: &Domain, roots: &[Expr]) -> Option<Lowered> {
    lower(&Dag::new(roots), &domain.resolve().expect("ranges")).ok()
}

/// The number of cases. The environment variable `QUAFF_WIDTH_CASES` replaces the usual number.
fn count(usual: usize) -> usize {
    std::env::var("QUAFF_WIDTH_CASES").ok().and_then(|v| v.parse().ok()).unwrap_or(usual)
}

#[test]
fn answers_need_64_bits_only_where_their_inputs_do() {
    for effort in [0, 1] {
        answers_are_no_wider(&Simplifier::default().with_limits(Limits::effort(effort)));
    }
}

fn answers_are_no_wider(simplifier: &Simplifier) {
    let (mut narrow, mut wide, mut narrower) = (0, 0, 0);
    for (i, (domain, roots)) in cases(5, count(1500)).into_iter().enumerate() {
        let Some(input) = plain(&domain, &roots) else { continue };
        let Ok(answer) = simplifier.simplify_all(&roots, &domain) else { continue };
        let parts = answer.wide().unwrap_or_else(|e| panic!("{i}: {roots:?} {e}"));
        // `wide` skips the exact analysis if the ranges of all values fit into 32 bits. This must not change its result
        let looked = answer.lowered().unwrap_or_else(|e| panic!("{i}: {roots:?} {e}")).wide().len();
        assert_eq!(parts.len(), looked, "{i}: {roots:?}\n{:?}", answer.exprs());
        if input.wide().is_empty() {
            narrow += 1;
            assert!(parts.is_empty(), "{i}: {roots:?}\n{:?}\n{parts:?}", answer.exprs());
        } else {
            wide += 1;
            narrower += usize::from(parts.is_empty());
        }
    }
    println!("{narrow} inputs are narrow, {wide} wide, of which {narrower} have narrow answers");
    assert!(narrow > 300 && wide > 100 && narrower > 0);
}

#[test]
fn what_64_bits_hold_is_answered_in_64_bits() {
    // a form with a single numerator would need 66 bits
    let input: Expr = "z + z - (z + z >> 33)".parse().expect("an expression");
    let mut answered = 0;
    for (lo, hi) in ENDS {
        let domain = Domain::new().with("z", lo..=hi);
        if plain(&domain, std::slice::from_ref(&input)).is_some() {
            let answer = Simplifier::default().simplify(&input, &domain).expect("an answer");
            assert!(answer.lowered().is_ok(), "{lo}..{hi}: {:?}", answer.expr());
            answered += 1;
        }
    }
    assert_eq!(answered, ENDS.len());
}

#[test]
#[ignore = "a campaign"]
fn sums_near_the_ends_of_int_do_not_overflow() {
    let simplifier = Simplifier::default();
    let answered = cases(6, count(900)).into_iter().enumerate().filter_map(|(i, (domain, roots))| {
        let answer = simplifier.simplify_all(&roots, &domain).ok()?;
        let vars = domain.resolve().expect("ranges");
        let (lowered, answers) = (answer.lowered().ok()?, answer.exprs().to_vec());
        Some(Case { id: format!("ends/{i}"), vars, roots: answers, lowered: Some(lowered), meaning: roots })
    });
    let answered: Vec<Case> = answered.collect();
    for target in [Target::C, Target::Cuda] {
        let Some(summary) = check(target, "width", &answered, 4, 48) else { return };
        println!("{} compared at {} values", summary.compared, summary.values);
        assert!(summary.compared > 400);
    }
}

/// An expression, its ranges, its CUDA text, and the parts that need 64 bits.
type Width = (&'static str, &'static [(&'static str, i64, i64)], &'static str, &'static [&'static str]);

const WIDTHS: &[Width] = &[
    // a value that fits is computed modulo 2^32, whatever its operands are
    ("x + y - x", &[("x", 0, INT), ("y", 0, 9)], "return y;", &[]),
    (
        "where(x + y >= z, x + y - z, 0) & 255",
        &[("x", 0, INT), ("y", 0, INT), ("z", 0, 9)],
        "const unsigned t0 = (unsigned)x + (unsigned)y;\nreturn (int)((t0 >= (unsigned)z ? t0 - (unsigned)z : 0u) & 255u);",
        &[],
    ),
    // the value is unsigned if it fits into 32 bits, and `long long` otherwise
    ("x*2 + 1", &[("x", 0, INT)], "return (unsigned)x * 2u + 1u;", &[]),
    ("x*2 + 2", &[("x", 0, INT)], "return (long long)((unsigned)x * 2u) + 2ll;", &["2 + x*2 in 2..4294967296"]),
    (
        "x + y - z",
        &[("x", 0, INT), ("y", 0, INT), ("z", 0, 9)],
        "return (long long)(x - z) + (long long)y;",
        &["-z + x + y in -9..4294967294"],
    ),
    // a selection is as wide as its value, and not as wide as its condition
    (
        "where(y < 3, x, 7)",
        &[("x", 0, 9), ("y", 0, 1099511627776)],
        "return y < 3ll ? x : 7;",
        &["y in 0..1099511627776"],
    ),
    (
        "where(y < 3, x*4, 7)",
        &[("x", 0, INT), ("y", 0, 9)],
        "return y < 3 ? (long long)x * 4ll : 7ll;",
        &["x*4 in 0..8589934588"],
    ),
    // comparisons, `min` and `max` need exact values. So a comparison of signed and unsigned values needs 64 bits
    ("x < y", &[("x", -5, 5), ("y", 0, UNSIGNED)], "return (long long)x < (long long)y;", &["x < y in -5..4294967295"]),
    (
        "min(x, y)",
        &[("x", -5, 5), ("y", 0, UNSIGNED)],
        "return (int)min((long long)x, (long long)y);",
        &["min(x, y) in -5..4294967295"],
    ),
    ("min(x, y)", &[("x", 0, 5), ("y", 0, UNSIGNED)], "return (int)min((unsigned)x, y);", &[]),
    ("x + y < z", &[("x", 0, INT), ("y", 0, INT), ("z", 0, 9)], "return (unsigned)x + (unsigned)y < (unsigned)z;", &[]),
    (
        "x + x + y < z",
        &[("x", 0, INT), ("y", 0, INT), ("z", 0, 9)],
        "return (long long)y + (long long)((unsigned)x * 2u) < (long long)z;",
        &["y + x*2 in 0..6442450941"],
    ),
    // divisions also need exact values
    (
        "(x + y)//3",
        &[("x", 0, INT), ("y", 0, INT)],
        "return (int)(__umulhi((unsigned)x + (unsigned)y, 2863311531u) >> 1);",
        &[],
    ),
    (
        "(x*4 + y)//3",
        &[("x", 0, INT), ("y", 0, 2)],
        "return (unsigned)x + (__umulhi((unsigned)y + (unsigned)x, 2863311531u) >> 1);",
        &[],
    ),
];
const INT: i64 = i32::MAX as i64;
const UNSIGNED: i64 = u32::MAX as i64;

#[test]
fn widths_follow_values() {
    let mut wrong = Vec::new();
    for (expr, vars, text, wide) in WIDTHS {
        let domain = vars.iter().fold(Domain::new(), |d, (n, lo, hi)| d.with(*n, *lo..=*hi));
        let answer = Simplifier::default().simplify(&expr.parse().expect(expr), &domain).expect(expr);
        let cuda = answer.cuda().expect(expr).to_string();
        let parts: Vec<String> =
            answer.wide().expect(expr).iter().map(|w| format!("{} in {}", w.expr, w.range)).collect();
        assert!(!parts.is_empty() || !cuda.contains("ll"), "{expr}: {cuda}");
        if cuda.trim_end() != *text || parts != *wide {
            wrong.push(format!("{expr}: {cuda}{parts:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The CUDA text of a kernel that copies `blocks * 2 * 256 * 4` elements. Each thread copies its lanes in a loop.
fn copy(blocks: i64, element: Element) -> Result<String, KernelError> {
    let mut dims = Dims::new();
    let (block, thread, lane) = (dims.dim("block", blocks)?, dims.dim("thread", 256)?, dims.dim("lane", 4)?);
    let step = dims.dim("step", 2)?;
    let all = dims.dim_eq("all", (block, step, thread, lane))?;
    let mut kernel = Kernel::new("copy", dims.init()?);
    // the buffers have no stated alignment, so the kernel copies single elements
    let (from, to) = (kernel.input("from", element)?, kernel.output("to", element)?);
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x")?;
        b.loop_over(step, "i", Unroll::Auto, |b| b.transfer(&Transfer::new((&to, all), (&from, all), lane)))
    })?;
    Ok(kernel.emit()?.source)
}

#[test]
fn loops_and_lanes_are_as_wide_as_the_largest_index() -> Result<(), KernelError> {
    let int = copy(1 << 20, Element::F32)?;
    assert!(!int.contains("unsigned") && !int.contains("long long"), "{int}");
    let unsigned = copy(1 << 21, Element::F32)?;
    assert!(unsigned.contains("unsigned") && !unsigned.contains("long long"), "{unsigned}");
    let wide = copy((1 << 21) + 1, Element::F32)?;
    assert!(wide.contains("long long"), "{wide}");
    Ok(())
}

#[test]
fn an_assumed_bound_narrows() {
    let index = var("i") * var("n") + var("j");
    let domain = Domain::new().with("i", 0..1 << 20).with("n", 1..=1 << 20).with("j", 0..100);
    let simplifier = Simplifier::default();
    assert!(!simplifier.simplify(&index, &domain).expect("answered").wide().expect("64 bits").is_empty());
    // the gate bounds the sum in the index, so 32 bits are enough for this sum
    let inside = domain.assume(index.lt(1 << 20));
    let answer = simplifier.simplify(&index, &inside).expect("answered");
    assert_eq!(answer.wide().expect("64 bits"), []);
    assert_eq!(answer.range_of(answer.expr()).and_then(Interval::bounded), Some((0, (1 << 20) - 1)));
}

#[test]
fn an_answer_kept_narrow_is_measured_by_the_input() {
    // the cheapest answer comes from a search under conditions, and needs 64 bits
    let text = "z + (x + ((5 or y)//max(y, 1) + 2)*36)*6%12%max(y, 1) + x and x";
    let expr: Expr = text.parse().expect("an expression");
    let domain = Domain::new().with("x", 0..=45).with("y", -2147483648..=2147483647).with("z", -9..=3);
    let answer = Simplifier::default().simplify(&expr, &domain).expect("answered");
    let plain = Simplifier::default().with_rules(RuleSet::empty()).simplify(&expr, &domain).expect("answered");
    assert_eq!(answer.input_cost(), plain.input_cost());
    assert!(answer.cost() <= answer.input_cost(), "{} for {}", answer.cost(), answer.input_cost());
}

/// The fuzz campaign found this case. One sum of the answer exceeds 32 bits by one, which the choice of the answer must
/// take into account.
#[test]
fn a_wide_answer_is_not_costlier_than_its_input() {
    let e: Expr = "x//16 + (not (z + z + x)//4096)".parse().expect("an expression");
    let domain = Domain::new().with("x", 1..=3).with("z", 0..=2_147_483_647);
    let answer = Simplifier::default().simplify(&e, &domain).expect("answered");
    assert!(answer.cost() <= answer.input_cost(), "{} costs {}", answer.expr(), answer.cost());
}

/// Expressions with an intermediate value beyond 64 bits whose exact value is needed.
const BEYOND: &[(&str, Ranges)] = &[
    ("x*y%7", NEAR),
    ("x*y//7", NEAR),
    ("x*y//x", NEAR),
    ("x*y%x", NEAR),
    ("min(x*y, x*x)", NEAR),
    ("max(x*y, y*y) & 1", NEAR),
    ("x*y < x*x", NEAR),
    ("(x*y == x*x) + 1", NEAR),
    ("where(x*y, 1, 2)", &[("x", -4294967299, 4294967299), ("y", 4294967296, 4294967299)]),
    ("x*y >> 40", NEAR),
    ("(j*3)//4", &[("j", 1 << 62, (1 << 62) + 6)]),
    ("(j*3)%5", &[("j", 1 << 62, (1 << 62) + 6)]),
    ("(j + j + j)//1000003", &[("j", 1 << 62, (1 << 62) + 6)]),
    ("(0 - j*3)//4", &[("j", 1 << 62, (1 << 62) + 6)]),
    ("(0 - j*3)//-4", &[("j", 1 << 62, (1 << 62) + 6)]),
    ("x*y", NEAR),
    ("x << y", &[("x", 1, 3), ("y", 61, 63)]),
    ("j + 9223372036854775806", &[("j", 1, 2)]),
];
/// Names of variables with their ends.
type Ranges = &'static [(&'static str, i64, i64)];

const NEAR: Ranges = &[("x", 1 << 32, (1 << 32) + 3), ("y", 1 << 32, (1 << 32) + 3)];

/// Expressions with an intermediate value beyond 64 bits of which only the low bits are needed.
const LOW_BITS: &[(&str, Ranges, &str)] = &[
    ("x*y%8", NEAR, "return (int)(((unsigned)x * (unsigned)y) & 7u);"),
    ("x*y & 255", NEAR, "return (int)(((unsigned)x * (unsigned)y) & 255u);"),
    ("(x*y*x + 5)%-8", NEAR, "return "),
    ("x*y%4294967296", NEAR, "return "),
    ("x*y%1099511627776", NEAR, "return "),
    ("(x*y ^ x) & 1023", NEAR, "return "),
    ("(x*y << 3)%64", NEAR, "return "),
    ("where(x > y, x*y, x*x)%16", NEAR, "return "),
];

fn domain_of(vars: &[(&str, i64, i64)]) -> Domain {
    vars.iter().fold(Domain::new(), |d, (n, lo, hi)| d.with(*n, *lo..=*hi))
}

#[test]
fn values_beyond_64_bits_have_no_text() {
    for (text, vars) in BEYOND {
        let (expr, domain): (Expr, Domain) = (text.parse().expect(text), domain_of(vars));
        let facts = domain.resolve().expect("ranges");
        let dag = Dag::new(std::slice::from_ref(&expr));
        // the unchanged input has no text in either language
        assert!(matches!(lower(&dag, &facts), Err(LowerError::TooWide { .. })), "{text}");
        assert!(matches!(emit::rust(&dag, &facts), Err(LowerError::TooWide { .. })), "{text}");
        // an answer may avoid the large value, and its text is then right
        let answer = Simplifier::default().simplify(&expr, &domain).expect(text);
        match answer.compare_machine(std::slice::from_ref(&expr), &domain, Sampling::default()) {
            Ok(compared) => assert_eq!((compared.points, compared.mismatch), (512, None), "{text}"),
            Err(e) => assert!(matches!(e, CompareError::Lower(LowerError::TooWide { .. })), "{text}: {e}"),
        }
    }
}

#[test]
fn low_bits_of_values_beyond_64_bits_are_computed() {
    for (text, vars, start) in LOW_BITS {
        let (expr, domain): (Expr, Domain) = (text.parse().expect(text), domain_of(vars));
        let lowered = plain(&domain, std::slice::from_ref(&expr)).unwrap_or_else(|| panic!("{text} is refused"));
        let machine = Machine::new(&lowered, &["x", "y"]).expect("all variables");
        let compared =
            compare(std::slice::from_ref(&expr), &domain, Sampling::default(), |p| machine.run(p)).expect("points");
        assert_eq!((compared.points, compared.mismatch), (512, None), "{text}");
        let cuda = emit::cuda(&lowered).to_string();
        assert!(cuda.starts_with(start), "{text}: {cuda}");
    }
}

#[test]
fn open_ends_and_the_last_ends_of_64_bits_are_told_apart() {
    let least = *Interval::ENDS.start();
    let far: Expr = format!("j > {least}").parse().expect("an expression");
    // the range contains a single value for which the condition is false
    for (domain, text) in [
        (Domain::new().with("j", least..=63), "return j >= -9223372036854775806ll;"),
        (Domain::new().with("j", ..=63), "return 1;"),
    ] {
        let facts = domain.resolve().expect("a range");
        let cuda = emit::cuda(&lower(&Dag::new(std::slice::from_ref(&far)), &facts).expect("lowers")).to_string();
        let compared = Simplifier::default().simplify(&far, &domain).expect("answered");
        let compared = compared.compare_machine(std::slice::from_ref(&far), &domain, Sampling::default());
        assert_eq!(compared.expect("text").mismatch, None);
        assert!(cuda.trim_end() == text || cuda.contains(&least.to_string()), "{cuda}");
    }
}

/// No operation overflows on a variable at the ends of `long long`.
#[test]
fn operations_at_the_ends_of_64_bits_are_defined() {
    let (least, most) = (*Interval::ENDS.start(), *Interval::ENDS.end());
    let exprs = [
        "-j",
        "j - 1",
        "j + 1",
        "abs(j)",
        "0 - j",
        "j*-1",
        "j//-1",
        "j%-1",
        "j//-3",
        "j%-3",
        "j//3",
        "j%3",
        "-(j//2)",
        "-j//2",
        "j//-2",
        "j%-2",
        "max(-j, j)",
        "min(j, 5) - 1",
        "j >> 1",
        "~j",
        "j ^ 1",
        "where(j < 0, -j, j)",
        "j - j",
        "j//j2",
        "j%j2",
        "j//-j2",
        "-(j%j2)",
        "j << 1",
        "j & -2",
        "j//2*2",
        "j//2147483648",
        "j//4611686018427387904*2",
    ];
    let ranges: [(Option<i64>, Option<i64>); 8] = [
        (Some(least), Some(63)),
        (Some(least + 1), Some(63)),
        (None, Some(63)),
        (Some(0), Some(most)),
        (Some(0), None),
        (Some(least), Some(most)),
        (None, None),
        (Some(most), Some(most)),
    ];
    let (mut run, mut refused) = (0, 0);
    for (lo, hi) in ranges {
        let domain = Domain::new().with("j", Bounds::new(lo.map(int), hi.map(int))).with("j2", 1..=most);
        for text in exprs {
            let expr: Expr = text.parse().expect(text);
            let input = plain(&domain, std::slice::from_ref(&expr));
            // the answer may contain a number beyond 64 bits, such as `j << 1` for a known `j`
            let answer = Simplifier::default().simplify(&expr, &domain).ok().and_then(|a| a.lowered().ok());
            for lowered in [input, answer] {
                let Some(lowered) = lowered else {
                    refused += 1;
                    continue;
                };
                let machine = Machine::new(&lowered, &["j", "j2"]).expect("all variables");
                let compared = compare(std::slice::from_ref(&expr), &domain, Sampling::default(), |p| machine.run(p));
                let compared = compared.expect("points");
                assert_eq!(compared.mismatch, None, "{text} on {lo:?}..{hi:?}");
                run += usize::from(compared.points > 0);
            }
        }
    }
    println!("{run} run, {refused} refused");
    assert!(run > 2 * refused, "{run} run, {refused} refused");
}
