//! Expressions with sizes that are known only at run time: masks, tails of tiles, trip counts, and divisors that are
//! sums.

use proptest::prelude::*;
use quaff::access::Access;
use quaff::domain::Domain;
use quaff::expr::{Expr, Op, Program, int, var};
use quaff::quasi::{Options, Verdict, decide};
use quaff::{Simplified, Simplifier, SimplifyError};

const SIZES: &[&str] = &["n=1..1000000", "N=1..4096", "M=1..1000", "T=1..1024", "p=1..127", "q=1..99"];

fn domain(vars: &str) -> Domain {
    let mut domain = Domain::new();
    SIZES.iter().for_each(|size| domain.declare(size).expect(size));
    let (vars, assumed) = vars.split_once(" if ").unwrap_or((vars, ""));
    for v in vars.split("; ") {
        match v.strip_prefix("nonempty ") {
            Some(name) => domain = domain.nonempty(name),
            None => domain.declare(v).expect(v),
        }
    }
    let conditions = assumed.split(" if ").filter(|c| !c.is_empty());
    conditions.fold(domain, |d, c| d.assume(c.parse::<Expr>().expect(c)))
}

fn simplified(expr: &str, vars: &str) -> Simplified {
    Simplifier::default().simplify(&expr.parse().expect(expr), &domain(vars)).unwrap_or_else(|e| panic!("{expr}: {e}"))
}

/// Cases as an expression, its variables, and the answer.
const PROVED: &[(&str, &str, &str)] = &[
    // masks
    ("(i*N + j)//N", "i=0..99; j=0..N-1", "i"),
    ("(i*N + j)//N", "i=0..99; j=0..8191 if j < N", "i"),
    ("(i*N + j)%N", "i=0..99; j=0..8191 if j < N", "j"),
    ("i*N + j < M*N", "i=0..M-1; j=0..N-1", "1"),
    ("i*N + j >= 0", "i=0..M-1; j=0..N-1", "1"),
    ("x//N%M", "x=0..M*N-1", "x//N"),
    ("x//N%M", "x=0..4096000 if x < M*N", "x//N"),
    ("((a*M + b)*N + c)//(M*N)", "a=0..99; b=0..M-1; c=0..N-1", "a"),
    ("((a*M + b)*N + c)//N%M", "a=0..99; b=0..M-1; c=0..N-1", "b"),
    // blocks of 32 elements, and a shorter last block
    ("(n + 31)//32*32 >= n", "i=0..1", "1"),
    ("(n + 31)//32*32 - n < 32", "i=0..1", "1"),
    ("b*32 < n", "b=0..(n+31)//32-1", "1"),
    ("b*32 + t < (n + 31)//32*32", "b=0..(n+31)//32-1; t=0..31", "1"),
    ("(b*32 + t)%n", "b=0..(n+31)//32-1; t=0..31 if b*32 + t < n", "b*32 + t"),
    ("(b*32 + t)//32", "b=0..(n+31)//32-1; t=0..31 if b*32 + t < n", "b"),
    // loops whose numbers of iterations are known only at run time
    ("(k*T + t)//T", "k=0..(n+T-1)//T-1; t=0..T-1", "k"),
    ("k*T + t < (n + T - 1)//T*T", "k=0..(n+T-1)//T-1; t=0..T-1", "1"),
    // divisors that are sums
    ("(r + i*(p*16 + 16))//(p + 1)", "i=0..3; r=0..p", "i*16"),
    ("(r + i*(p*16 + 16))%(p + 1)", "i=0..3; r=0..p", "r"),
    ("((p*16 + 16)*i + r)//(p + 1)", "i=0..3; r=0..999", "i*16 + r//(p + 1)"),
    ("((p*16 + 16)*i + r)%(p + 1)", "i=0..3; r=0..999", "r%(p + 1)"),
    ("(i*(p + q) + j)//(p + q)", "i=0..3; j=0..p+q-1", "i"),
    ("(i*(p + q) + j)%(p + q)", "i=0..3; j=0..p+q-1", "j"),
    // a size `N` that divides one term and the divisor, and another term in 0..`N`-1
    ("(h*N + w)//(2*N)", "h=0..511; w=0..N-1", "h//2"),
    ("(h*N + w)%(2*N)", "h=0..511; w=0..N-1", "w + N*(h%2)"),
    ("(h*N + w)%(4*N)//N", "h=0..511; w=0..N-1", "h%4"),
    ("(q*x + c)//(q*N)", "x=0..9999; c=0..q-1", "x//N"),
    ("(h*N + w)//(q*N)", "h=0..511; w=0..N-1", "h//q"),
    ("((x*C + c)*N + h)//(4*N)", "C=4..64 step 4; x=0..9; c=0..C-1; h=0..N-1", "(c + C*x)//4"),
    ("(h*N*M + c*N + w)//(3*M*N)", "h=0..99; c=0..M-1; w=0..N-1", "h//3"),
    ("(x//N*(N*2) + N + x%N)//(N*2)", "x=0..9999", "x//N"),
    // divisors that are factors of squares, or of products of sums
    ("(p*p + 2*p)//(p + 2)", "i=0..1", "p"),
    ("p*(p*3 + 6)//(p + 2)", "i=0..1", "p*3"),
    ("(6*p + 3)*(p*q + p*T)//((2*p + 1)*(q + T))", "i=0..1", "p*3"),
    // quotients of sums that contain quotients
    ("(x//p + b)//q", "x=0..9999; b=0..99", "(x + p*b)//(p*q)"),
    ("(x//p + b)//p", "x=0..9999; b=0..99", "(x + p*b)//(p*p)"),
    // `min` and `max` of multiples of a size
    ("min(a*N, b*N)", "a=0..99; b=0..99", "N*min(a, b)"),
    ("max(a*N, b*N + N)", "a=0..99; b=0..99", "N*max(a, b + 1)"),
    ("min(a*N + w, b*N)//N", "a=0..99; b=0..99; w=0..N-1", "min(a, b)"),
];

#[test]
fn sizes_at_run_time_are_as_good_as_constants() {
    let wrong: Vec<String> = PROVED
        .iter()
        .filter_map(|(expr, vars, expected)| {
            let answer = simplified(expr, vars).expr().to_string();
            (answer != *expected).then(|| format!("{expr}; {vars}: {answer}, not {expected}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Cases that look like those of `PROVED`, but hold only for most sizes. So the answer must keep the expression.
const KEPT: &[(&str, &str)] = &[
    ("(i*N + j)//N", "i=0..99; j=0..N"),
    ("b*32 + t < n", "b=0..(n+31)//32-1; t=0..31"),
    ("b*32 < n", "b=0..(n+31)//32"),
    ("k*T + t < n", "k=0..(n+T-1)//T-1; t=0..T-1"),
    ("(r + i*(p*16 + 15))//(p + 1)", "i=0..3; r=0..p"),
    ("i*N + j < M*N", "i=0..M; j=0..N-1"),
    ("x//N < M", "x=0..M*N"),
    ("(h*N + w)//(2*N)", "h=0..511; w=0..N"),
    ("(h*N + w)//(2*N)", "h=0..511; w=-1..N-1"),
    ("(p*p + 2*p + q)//(p + 2)", "i=0..1"),
];

#[test]
fn answers_at_small_sizes() {
    let cases = PROVED.iter().map(|c| (c.0, c.1)).chain(KEPT.iter().copied());
    for (expr, vars) in cases {
        let (answer, domain) = (simplified(expr, vars), domain(vars));
        let facts = domain.resolve().expect("ranges");
        let names: Vec<&str> = domain.vars().collect();
        let bounds = facts.iter().flat_map(|v| {
            let x = quaff::expr::var(v.name.clone());
            [v.lower.as_ref().map(|l| x.ge(l)), v.upper.as_ref().map(|u| x.le(u))].into_iter().flatten()
        });
        let mut conditions: Vec<Expr> = bounds.chain(domain.assumptions().iter().cloned()).collect();
        let checked = conditions.len();
        conditions.extend([expr.parse().expect(expr), answer.expr().clone()]);
        let program = Program::new(&conditions, &names).expect("declared");
        let mut seed = 88172645463325252u64;
        let mut points = 0;
        for _ in 0..60_000 {
            let mut point = Vec::with_capacity(names.len());
            for v in &facts {
                seed ^= seed << 13;
                seed ^= seed >> 7;
                seed ^= seed << 17;
                let lo = i128::from(v.interval.lo().expect("an end"));
                let width = i128::from(v.interval.hi().expect("an end")) - lo;
                point.push(lo + i128::from(seed >> 33) % (width.min(if seed & 1 == 0 { 12 } else { 70 }) + 1));
            }
            let values = program.eval(&point);
            if values[..checked].iter().any(|v| *v != Ok(1)) {
                continue;
            }
            points += 1;
            assert_eq!(
                values[checked],
                values[checked + 1],
                "{expr}; {vars}: {} at {names:?} = {point:?}",
                answer.expr()
            );
        }
        assert!(points > 100, "{expr}; {vars}: only {points} points");
    }
}

#[test]
fn what_does_not_hold_is_kept() {
    for (expr, vars) in KEPT {
        let answer = simplified(expr, vars);
        assert!(!answer.expr().args().is_empty(), "{expr}; {vars}: {}", answer.expr());
    }
}

/// A kernel that works for every size: it has a guard for the tail, and rows whose length is known at run time.
#[test]
fn accesses_of_run_time_sizes() {
    let domain = domain("b=0..(n+31)//32-1; t=0..31; i=0..1023; j=0..8191");
    let load = |index: &str, gate: &str| {
        let (index, gate): (Expr, Expr) = (index.parse().expect(index), gate.parse().expect(gate));
        let answer = Simplifier::default().simplify_access(&Access::load("v", "in", index).when(gate), &domain);
        answer.expect("answered").cuda().expect("64 bits").to_string()
    };
    assert_eq!(
        load("(b*32 + t)%n", "b*32 + t < n"),
        "const int t0 = b * 32 + t;\nconst float v = t0 < n ? in[t0] : 0;\n"
    );
    assert_eq!(load("(i*N + j)//N*8 + (i*N + j)%N", "j < N"), "const float v = j < N ? in[i * 8 + j] : 0;\n");
    // the division by `j - i` is allowed, because it happens only under the gate `j > i`
    assert_eq!(
        load("t//(j - i)", "j > i"),
        "const float v = i < j ? in[(int)((unsigned)t / (unsigned)(j - i))] : 0;\n"
    );
}

/// Divisors that are never 0 over the given variables, although their form does not show this directly. Each test
/// divides an `x` in 0..100 by such a divisor.
const DIVISORS: &[(&str, &str)] = &[
    ("s - s//2", "s=2..10"),
    ("s - s//2", "s=1..10"),
    ("s//2 - s", "s=1..10"),
    ("k - k//4*3", "k=1..99"),
    ("k%8 + 1", "k=0..99"),
    ("k%8 + 1", "k=-99..99"),
    ("k - k%8 + 1", "k=0..99"),
    ("8 - k%8", "k=0..1000"),
    ("n - b*128", "b=0..(n - 1)//128"),
    ("k", "k=0..9; i=0..k-1; nonempty i"),
    ("k", "k=0..9; i=1..k; nonempty i"),
    ("k", "k=0..9; l=0..9; i=0..k*l-1; nonempty i"),
    ("k", "k=0..9; l=0..k//2-1; i=0..l-1; nonempty l; nonempty i"),
    ("k - 4", "k=0..9; i=0..(k - 4)//2-1; nonempty i"),
    ("5 - k", "k=0..9; i=k..4; nonempty i"),
];

#[test]
fn divisors_that_are_never_0_are_accepted_and_divided_by() {
    for (divisor, vars) in DIVISORS {
        for expr in [format!("x//({divisor})"), format!("x%({divisor})"), format!("(x + 7)//({divisor})*3")] {
            let vars = format!("x=0..100; {vars}");
            let out = simplified(&expr, &vars);
            for text in [out.cuda().map(|t| t.to_string()), out.c().map(|t| t.to_string())] {
                text.unwrap_or_else(|e| panic!("{expr} with {vars}: {e}"));
            }
            // the answer, as a new input, must be accepted as well
            simplified(&out.expr().to_string(), &vars);
            // the answer has the values of the input at all points, which the decision procedure checks without rules
            let given: Expr = expr.parse().expect("valid");
            let verdict = decide(&given, out.expr(), &domain(&vars), &Options::default()).verdict;
            assert!(!matches!(verdict, Verdict::Differs { .. }), "{expr} with {vars}: {}: {verdict:?}", out.expr());
        }
    }
}

#[test]
fn divisors_that_can_be_0_are_refused() {
    for (divisor, vars) in [
        ("s - s//2", "s=0..10"),
        ("k%8", "k=0..99"),
        ("k - k//4*4", "k=1..99"),
        ("k", "k=0..9; i=0..k"),
        ("k", "k=0..9; i=0..k; nonempty i"),
        ("k", "k=0..9; i=0..k-1"),
        ("k", "k=0..9; i=0..9"),
        ("7 - k%8", "k=0..1000"),
        ("n - b*128", "b=0..n//128"),
    ] {
        let expr: Expr = format!("x//({divisor})").parse().expect("valid");
        let answer = Simplifier::default().simplify(&expr, &domain(&format!("x=0..100; {vars}")));
        assert!(matches!(answer, Err(SimplifyError::DivisorMayBeZero { .. })), "{expr} with {vars}: {answer:?}");
    }
}

/// A product of one or two sizes and a number.
fn radix() -> impl Strategy<Value = Expr> {
    let product = prop::sample::subsequence(vec!["N", "M", "T"], 1..=2);
    (product, 1i64..=3).prop_map(|(names, k)| names.into_iter().fold(int(k), |p, name| p * var(name)))
}

/// The second factor of a divisor. The first factor also divides the numerator.
fn rest_of_divisor() -> impl Strategy<Value = Expr> {
    prop_oneof![prop::sample::select(vec![2, 3, 4, 8]).prop_map(int), Just(var("q")), Just(var("q") * 2)]
}

/// A sum of a number and of multiples of one or both names.
fn sum_of(names: [&'static str; 2]) -> impl Strategy<Value = Expr> {
    (1i64..=4, 0i64..=3, 0i64..=3).prop_map(move |(a, b, k)| var(names[0]) * a + var(names[1]) * b + k)
}

/// Checks that both expressions have the same values at all points with small sizes at which the condition holds.
fn assert_equal_at_small_points(a: &Expr, b: &Expr, condition: &Expr, domain: &Domain) -> Result<(), TestCaseError> {
    let names: Vec<&str> = domain.vars().collect();
    let program = Program::new(&[condition.clone(), a.clone(), b.clone()], &names).expect("declared");
    let facts = domain.resolve().expect("ranges");
    let mut seed = 88172645463325252u64;
    for _ in 0..200 {
        let mut point = Vec::with_capacity(names.len());
        for v in &facts {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let lo = i128::from(v.interval.lo().expect("an end"));
            let width = i128::from(v.interval.hi().expect("an end")) - lo;
            point.push(lo + i128::from(seed >> 33) % (width.min(9) + 1));
        }
        let values = program.eval(&point);
        if values[0] != Ok(1) {
            continue;
        }
        prop_assert_eq!(&values[1], &values[2], "{} and {} at {:?} = {:?}", a, b, names, point);
    }
    Ok(())
}

proptest! {
    #[test]
    fn a_common_factor_of_numerator_and_divisor_leaves_with_the_digit_below_it(
        g in radix(),
        m in rest_of_divisor(),
        high in sum_of(["a", "b"]),
    ) {
        let domain = domain(&format!("a=0..999; b=0..99; d=0..{g} - 1"));
        let digit = var("d");
        let (whole, part) = ((&high * &g + &digit) / (&g * &m), &high / &m);
        let [answer, expected] = [&whole, &part]
            .map(|e| Simplifier::default().simplify(e, &domain).unwrap_or_else(|error| panic!("{e}: {error}")));
        prop_assert!(
            answer.cost() <= expected.cost(),
            "{} is {} ({}), {} is {} ({})",
            whole, answer.expr(), answer.cost(), part, expected.expr(), expected.cost()
        );
        assert_equal_at_small_points(&whole, answer.expr(), &digit.lt(&g), &domain)?;
    }

    #[test]
    fn a_sum_that_was_multiplied_with_leaves_as_the_divisor(
        by in sum_of(["p", "q"]),
        with in sum_of(["p", "N"]),
    ) {
        let domain = domain("i=0..1");
        let product = &by * &with;
        let expanded = multiplied_out(&by, &with);
        for numerator in [product, expanded] {
            for (question, expected) in [(&numerator / &by, Some(&with)), (&numerator % &by, None)] {
                let answer = Simplifier::default().simplify(&question, &domain);
                let answer = answer.unwrap_or_else(|error| panic!("{question}: {error}"));
                match expected {
                    Some(with) => assert_equal_at_small_points(with, answer.expr(), &int(1), &domain)?,
                    None => prop_assert_eq!(answer.expr(), &int(0), "{}", question),
                }
                let divides = answer.expr().to_string().contains(['/', '%']);
                prop_assert!(!divides, "{} is {}", question, answer.expr());
            }
        }
    }
}

/// The product of two sums, written as a sum of products: each term of one sum times each term of the other.
fn multiplied_out(a: &Expr, b: &Expr) -> Expr {
    let terms = |e: &Expr| -> Vec<Expr> {
        let mut terms = vec![e.clone()];
        while let Some(at) = terms.iter().position(|t| t.op() == &Op::Add) {
            let sum = terms.swap_remove(at);
            terms.extend(sum.args().iter().cloned());
        }
        terms
    };
    let (a, b) = (terms(a), terms(b));
    a.iter().flat_map(|x| b.iter().map(move |y| x * y)).reduce(|sum, t| sum + t).expect("sums have terms")
}
