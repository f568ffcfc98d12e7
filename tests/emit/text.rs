//! The printed CUDA texts: their instruction forms, the widths of values, names and errors.

use quaff::domain::{Domain, Interval};
use quaff::emit;
use quaff::expr::{Dag, Expr, var};
use quaff::lower::{LowerError, Machine, Sampling, Target, compare, lower, lower_for, lower_with};

fn domain(vars: &[&str]) -> Domain {
    let mut domain = Domain::new();
    for v in vars {
        domain.declare(v).expect(v);
    }
    domain
}

fn dag(roots: &[&str]) -> Dag {
    Dag::new(&roots.iter().map(|r| r.parse().expect(r)).collect::<Vec<Expr>>())
}

/// The CUDA text of `roots`: its statements and its `return`, one on each line.
fn cuda(vars: &[&str], roots: &[&str]) -> String {
    emit::cuda(&lower(&dag(roots), &domain(vars).resolve().expect("ranges")).expect("lowers")).to_string()
}

/// The returned expression of the CUDA text if the text has no temporaries, and otherwise the whole text.
fn one(vars: &[&str], root: &str) -> String {
    let text = cuda(vars, &[root]);
    text.strip_prefix("return ").and_then(|t| t.strip_suffix(";\n")).unwrap_or(&text).to_string()
}

/// Spellings (instruction forms) that a target prefers: expressions whose text a spelling changes, and similar
/// expressions whose text stays unchanged. Each case has the text for the target and the plain text.
#[test]
fn spellings_of_targets() {
    let vars = &["x=0..99", "y=0..99", "z=0..99"];
    let cases = [
        // a sum that is compared only with 0, and whose terms are never negative
        ("where(x*3 + y >= 1, z, 7)", "(x | y) != 0 ? z : 7", "x * 3 + y >= 1 ? z : 7"),
        ("where(x + y*2 + z < 1, z, 7)", "((x | y) | z) == 0 ? z : 7", "x + y * 2 + z < 1 ? z : 7"),
        ("where(4 <= x + y + 3, z, 7)", "(x | y) != 0 ? z : 7", "4 <= x + y + 3 ? z : 7"),
        ("where(x - y >= 1, z, 7)", "x - y >= 1 ? z : 7", "x - y >= 1 ? z : 7"),
        ("where(x + y >= 2, z, 7)", "x + y >= 2 ? z : 7", "x + y >= 2 ? z : 7"),
        // a complement under a mask
        ("(7 - x)%8 + y*40", "((x & 7) ^ 7) + y * 40", "((7 - x) & 7) + y * 40"),
        ("(6 - x)%8 + y*40", "((6 - x) & 7) + y * 40", "((6 - x) & 7) + y * 40"),
        // a power of two times a term is added with a negative factor, instead of being subtracted
        ("x - y*8 + 3", "x + y * -8 + 3", "x - y * 8 + 3"),
        ("x - y*7 + 3", "x - y * 7 + 3", "x - y * 7 + 3"),
        ("x - y", "x - y", "x - y"),
        // a left shift after a mask or after another shift
        ("x//4*8 + y", "(int)__funnelshift_l(0u, (unsigned)(x >> 2), 3) + y", "(x >> 2) * 8 + y"),
        ("x%4*8 + y", "(int)__funnelshift_l(0u, (unsigned)(x & 3), 3) + y", "(x & 3) * 8 + y"),
        ("x//4*7 + y", "(x >> 2) * 7 + y", "(x >> 2) * 7 + y"),
        ("x//4*4 + y", "(x & -4) + y", "(x & -4) + y"),
        (
            "x//7*8 + y",
            "(int)__umulhi((unsigned)x, 613566757u) * 8 + y",
            "(int)__umulhi((unsigned)x, 613566757u) * 8 + y",
        ),
        // a remainder next to a multiple of a quotient
        (
            "x//12*5 + y%5",
            "(int)__umulhi((unsigned)x, 357913942u) * 5 \
             + (int)__funnelshift_l(0u, (unsigned)(y - (int)__umulhi((unsigned)y, 858993460u) * 5), 0)",
            "(int)__umulhi((unsigned)x, 357913942u) * 5 + (y - (int)__umulhi((unsigned)y, 858993460u) * 5)",
        ),
        // a truth value times a constant
        ("x + y*3 + (x < z)*5", "x < z ? x + y * 3 + 5 : x + y * 3", "x + y * 3 + (x < z) * 5"),
        ("y + (x < z)*5", "y + (x < z) * 5", "y + (x < z) * 5"),
        // constants are added last
        ("5 - x", "5 - x", "5 - x"),
        ("x*-3 + 5 + y", "y - x * 3 + 5", "y - x * 3 + 5"),
    ];
    let resolved = domain(vars).resolve().expect("ranges");
    let fenced = Target { fences: true, ..Target::SM_90 };
    for (e, machine, plain) in cases {
        for (target, wanted) in [(fenced, machine), (Target::PLAIN, plain)] {
            let text = emit::cuda(&lower_for(&dag(&[e]), &resolved, &target).expect("lowers")).to_string();
            let lines: Vec<&str> = text.lines().collect();
            let inlined = match lines[..] {
                [definition, last] => {
                    let (name, value) = definition["const int ".len()..].split_once(" = ").expect("a definition");
                    last.replace(name, value.trim_end_matches(';'))
                }
                _ => text.trim_end().to_string(),
            };
            assert_eq!(inlined, format!("return {wanted};"), "{e}");
        }
    }
}

/// The text of `e` for a target. Checks that it has the values of `e`.
fn right(vars: &[&str], e: &str, target: &Target) -> String {
    let domain = domain(vars);
    let lowered = lower_for(&dag(&[e]), &domain.resolve().expect("ranges"), target).expect("lowers");
    let names: Vec<&str> = domain.vars().collect();
    let machine = Machine::new(&lowered, &names).expect("variables");
    let meaning: [Expr; 1] = [e.parse().expect(e)];
    let compared = compare(&meaning, &domain, Sampling::default(), |p| machine.run(p)).expect("a domain");
    assert_eq!((compared.mismatch, compared.points > 0), (None, true), "{e}");
    emit::cuda(&lowered).to_string()
}

/// Spellings of numerators with a factor, of sums with computed parts, and of quotients with a constant. Each case has
/// a part of the text for the target that the plain text does not have. The part is empty if both texts are equal.
#[test]
fn sums_and_numerators_that_take_less() {
    let cases: &[(&[&str], &str, &str)] = &[
        // the multiplier takes a factor and a constant, for terms with a common factor or with both signs
        (&["x=0..49"], "(x*57 + 902)//9", "__umulhi((unsigned)(x * 16 + 253), 1700091221u)"),
        (&["x=0..9", "y=0..7"], "(x*200 + y*25 + 4224)//24", " * 2 + 338), 2236962133u)"),
        (&["x=0..7"], "(135 - x*18)//8", "(int)(((long long)(x * 8 - 60) * -1207959552) >> 32)"),
        (&["x=-50..50"], "x//7", "(int)(((long long)(x * 2 + 1) * 306783378) >> 32)"),
        // the multiplier takes nothing if the sum is needed in any case, if the numerator has no factor, or if the
        // quotient is a shift for both signs
        (&["x=0..49"], "(x*57 + 902)//9*(x*57 + 902)", ""),
        (&["x=0..49"], "(x + 902)//9", ""),
        (&["x=0..49"], "(x*17 - 2)//16", ""),
        // `x + 20` and `x - x//5*5` are computed in any case
        (&["x=0..99"], "(x + 20)//7 + x*36 + 720", "t0 * 36"),
        (&["x=0..99"], "(x + 20)//7 + x*36 + 721", ""),
        (&["x=0..99"], "where(x - x//5*5 >= 1, x*16 - x//5*79 - 18, -1)", "t0 + t1 * 16 - 18"),
        (&["x=0..99"], "where(x - x//5*5 >= 1, x*16 - x//5*78 - 18, -1)", ""),
        // the constant moves into the numerator, unless the quotient also has another use
        (&["x=0..99"], "x//25 + 25", "__umulhi((unsigned)(x + 625), 171798692u)"),
        (&["x=0..99"], "(x//25 + 25)*(x//25)", ""),
        // a term that is shifted right comes last
        (&["x=0..99", "y=0..99"], "x//2 + y//2*4", "(y >> 1) * 4 + (x >> 1)"),
    ];
    for &(vars, e, part) in cases {
        let (machine, plain) = (right(vars, e, &Target::SM_90), right(vars, e, &Target::PLAIN));
        if part.is_empty() {
            assert_eq!(machine, plain, "{e}");
        } else {
            assert!(machine.contains(part) && !plain.contains(part), "{e}: {machine}{plain}");
        }
    }
}

/// A numerator is scaled for ranges up to some size, and for no wider range.
#[test]
fn ranges_of_scaled_numerators() {
    for e in ["(x*11 + 5)//97", "(x*57 + 900)//98"] {
        let fires = |hi: u32| {
            let (vars, target) = ([format!("x=0..{hi}")], Target::SM_90);
            let vars = vars.each_ref().map(|v| v.as_str());
            right(&vars, e, &target) != right(&vars, e, &Target::PLAIN)
        };
        let (mut taken, mut refused) = (49, 30_000_000);
        assert!(fires(taken) && !fires(refused), "{e}");
        while taken + 1 < refused {
            let middle = taken.midpoint(refused);
            if fires(middle) { taken = middle } else { refused = middle }
        }
    }
}

/// In a condition of three or more clauses, the text has one clause first, and the other clauses in parentheses. The
/// first clause bounds a variable that, if possible, no other clause bounds.
#[test]
fn conditions_of_a_selection() {
    let resolved = domain(&["x=0..99", "y=0..99", "z=0..99"]).resolve().expect("ranges");
    for (e, wanted) in [
        ("where(x >= 1 and y >= 2 and z < 7, x + y, -1)", "x >= 1 && (y >= 2 && z < 7) ? x + y : -1"),
        ("where(x >= 1 and x < 9 and z < 7, x + y, -1)", "z < 7 && (x >= 1 && x < 9) ? x + y : -1"),
        ("where(x >= 1 and z < 7, x + y, -1)", "x >= 1 && z < 7 ? x + y : -1"),
        ("where(x >= 1 and x < 9 and x + y < 50, x, -1)", "x >= 1 && (x < 9 && x + y < 50) ? x : -1"),
    ] {
        let text = emit::cuda(&lower_for(&dag(&[e]), &resolved, &Target::SM_100).expect("lowers"));
        assert_eq!(text.results[0].text, wanted);
    }
}

/// Loop-invariant terms are added first.
#[test]
fn terms_in_the_order_of_loops() {
    let domain = domain(&["i=0..99", "b=0..99", "t=0..99"]).loop_variable("i");
    let lowered = lower(&dag(&["i*4 + b*16 + 3 + t"]), &domain.resolve().expect("ranges")).expect("lowers");
    assert_eq!(emit::cuda(&lowered).results[0].text, "b * 16 + t + i * 4 + 3");
}

#[test]
fn divisions_and_remainders() {
    let small = &["x=0..1000000"][..];
    let signed = &["x=-1000..1000"][..];
    let cases = [
        (small, "x // 8", "x >> 3"),
        (small, "x % 8", "x & 7"),
        (signed, "x // 8", "x >> 3"),
        (signed, "x // 8 * 8", "x & -8"),
        (signed, "x % 8", "x & 7"),
        (small, "x // 7", "(int)__umulhi((unsigned)x, 613566757u)"),
        (small, "x % 7", "x - (int)__umulhi((unsigned)x, 613566757u) * 7"),
        (small, "x // 1000001", "0"),
        (small, "x % 1000001", "x"),
        (signed, "x // 7", "(int)(((long long)(x * 2 + 1) * 306783378) >> 32)"),
        (signed, "x // -8", "-x >> 3"),
        (&["x=0..2147483647"], "x // 7", "(int)(__umulhi((unsigned)x, 2454267027u) >> 2)"),
        (&["x=0..13"], "x % 7", "(int)min((unsigned)x, (unsigned)x - 7u)"),
        (&["x=-7..6"], "x % 7", "(int)min((unsigned)x + 7u, (unsigned)x)"),
        (&["x=-7..6"], "x // 7", "x >> 31"),
        (&["x=7..13"], "x % 7", "x - 7"),
        (&["x=0..99", "y=1..9"], "x // y", "(int)((unsigned)x / (unsigned)y)"),
        (&["x=0..99", "y=1..9"], "x % y", "(int)((unsigned)x % (unsigned)y)"),
    ];
    for (vars, e, text) in &cases {
        assert_eq!(one(vars, e), *text, "{e} on {vars:?}");
    }
}

#[test]
fn widths_and_wrapping() {
    // the result fits into 32 bits. The computation is unsigned, because the product does not fit into `int`
    let large = &["x=0..2147483647", "y=0..2147483647"][..];
    assert_eq!(one(large, "x*y % 1024"), "(int)(((unsigned)x * (unsigned)y) & 1023u)");
    assert_eq!(one(large, "x + y - 2147483647"), "(int)((unsigned)x + (unsigned)y - 2147483647u)");
    // a division needs the exact value, so it computes in 64 bits, and the result is 32 bits again
    assert_eq!(one(large, "(x + y*4) // 8"), "(int)(((long long)x + (long long)y * 4ll) >> 3)");
    assert_eq!(one(large, "x + y < 5"), "(unsigned)x + (unsigned)y < 5u");
    assert_eq!(one(&["x=0..99", "y=0..99", "z=0..9"], "x*24 + y*6 + z"), "x * 24 + y * 6 + z");
    assert_eq!(one(&["x=0..1099511627776"], "x % 256"), "(int)((unsigned)x & 255u)");
    let text = cuda(&["x=0..1099511627776"], &["x // 28672"]);
    assert_eq!(text, "return (int)__umulhi((unsigned)(x >> 12), 613566757u);\n");
}

#[test]
fn conditions() {
    let vars = &["x=-10..10", "n=1..8", "y=0..3"][..];
    assert_eq!(one(vars, "where(0 <= x and x < n, x, -1)"), "(unsigned)x < (unsigned)n ? x : -1");
    assert_eq!(one(vars, "where(not x < 0 and y != 2 and x <= 5, x, y)"), "y != 2 && (unsigned)x <= 5u ? x : y");
    assert_eq!(one(vars, "(x < 3)*4 + y"), "y + (x < 3) * 4");
    assert_eq!(one(vars, "x and y"), "x != 0 && y != 0");
    assert_eq!(one(vars, "where(y < 7, x, 1 // (y - 9))"), "x");
    assert_eq!(one(vars, "min(max(x, 0), n)"), "min(max(x, 0), n)");
}

/// A lower and an upper bound that contain the same unknowns become one unsigned comparison.
#[test]
fn windows() {
    let vars = &["x=-50..50", "a=-9..9", "b=0..9", "far=-2147483647..2147483647"][..];
    for (e, wanted) in [
        ("where(x > a and x <= a + 16, x, 7)", "(unsigned)(x - a - 1) < 16u ? x : 7"),
        ("where(x >= -a and x < 5 - a, x, 7)", "(unsigned)(x + a) < 5u ? x : 7"),
        ("where(a + 3 >= x and x > a - 2, x, 7)", "(unsigned)(x - (a - 2) - 1) < 5u ? x : 7"),
        ("where(x < 8 + (a - b) and b != 3 and x >= a - b, x, 7)", "(unsigned)(x - (a - b)) < 8u && b != 3 ? x : 7"),
        // two comparisons remain if the bounds have different unknowns or factors, if no value satisfies both, or if
        // the difference needs more than 32 bits
        ("where(x > a and x <= b + 6, x, 7)", "x > a && x <= b + 6 ? x : 7"),
        ("where(x > a and x <= a*2 + 6, x, 7)", "x > a && x <= a * 2 + 6 ? x : 7"),
        ("where(x > a and x <= a, x, 7)", "x > a && x <= a ? x : 7"),
        ("where(far > a and far <= a + 64, x, 7)", "far > a && far <= a + 64 ? x : 7"),
    ] {
        assert_eq!(one(vars, e), wanted, "{e}");
    }
}

/// The unsigned comparison holds where both bounds hold, even at the ends of the window and of the ranges.
#[test]
fn windows_are_right_everywhere() {
    let domain = domain(&["x=-12..12", "a=-4..4", "b=0..3"]);
    let vars = domain.resolve().expect("ranges");
    for e in [
        "where(x > a and x <= a + 6, 1, 0)",
        "where(x >= -a and x < 5 - a, 1, 0)",
        "where(x < 2 + (a - b) and b != 2 and x >= a - b, 1, 0)",
        "where(a + 3 >= x and x > a + 2, 1, 0)",
    ] {
        let lowered = lower(&dag(&[e]), &vars).expect("lowers");
        assert!(emit::cuda(&lowered).to_string().contains("(unsigned)("), "{e}");
        let wanted: Expr = e.parse().expect("an expression");
        let machine = Machine::new(&lowered, &["x", "a", "b"]).expect("its variables");
        for (x, a, b) in (-12..=12).flat_map(|x| (-4..=4).flat_map(move |a| (0..=3).map(move |b| (x, a, b)))) {
            let value_of = |name: &str| {
                Some(match name {
                    "x" => x,
                    "a" => a,
                    _ => b,
                })
            };
            let found = machine.run(&[x, a, b]).expect("a value");
            assert_eq!(found, [wanted.eval(value_of).expect("a value")], "{e} at x={x} a={a} b={b}");
        }
    }
}

#[test]
fn shared_values_are_named_once() {
    let text = cuda(&["x=0..100000", "t0=0..3"], &["x // 7 + t0", "x % 7", "x // 7 % 5"]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "const int t1 = (int)__umulhi((unsigned)x, 613566757u);");
    assert_eq!(lines[1], "out[0] = t1 + t0;");
    assert_eq!(lines[2], "out[1] = x - t1 * 7;");
}

#[test]
fn names_that_a_language_reserves() {
    let d = Dag::new(&[var("min") + var("lambda") + var("fn")]);
    let vars = domain(&["min=0..9", "lambda=0..9", "fn=0..9"]).resolve().expect("ranges");
    assert_eq!(emit::cuda(&lower(&d, &vars).expect("lowers")).results[0].text, "min_2 + lambda + fn");
    assert_eq!(emit::python(&d).results[0].text, "min_2 + lambda_2 + fn");
    assert_eq!(emit::rust(&d, &vars).expect("fits").results[0].text, "min + lambda + fn_2");
}

#[test]
fn names_with_dots_become_identifiers_of_their_own() {
    let vars = ["shape.x=0..9", "shape_x=0..9", "shape.y=0..9"];
    let text = one(&vars, "shape.x*4 + shape_x*2 + shape.y");
    assert!(!text.contains("shape.") && text.contains("shape_x_2") && text.contains("shape_y"), "{text}");
}

#[test]
fn opaque_values_are_read_once() {
    let d = Domain::new().opaque("row", "rows[blockIdx.x]", 0..=1023).with("i", 0..=7);
    let e = (var("row") / 8) * 64 + var("row") % 8 * 9 + var("i");
    let kernel = emit::cuda(&lower(&Dag::new(&[e]), &d.resolve().expect("ranges")).expect("lowers"));
    assert_eq!(kernel.statements, ["const int row = (int)(rows[blockIdx.x]);"]);
    assert_eq!(kernel.results[0].text.matches("row").count(), 2);
}

#[test]
fn prepared_divisors() {
    let vars = domain(&["x=0..99999", "n=2..512"]).launch_invariant("n").resolve().expect("ranges");
    let kernel = emit::cuda(&lower(&dag(&["x // n", "x % n"]), &vars).expect("lowers"));
    assert_eq!(kernel.statements, ["const int t0 = (int)(__umulhi((unsigned)x, n_div.m) >> n_div.s);"]);
    assert_eq!(kernel.results[1].text, "x - t0 * n");
    assert_eq!(kernel.divisors[0].setup(), "quaff_fastdivmod(n)");
    assert!(kernel.host.contains("quaff_fastdivmod_t quaff_fastdivmod(unsigned d)"));
}

#[test]
fn what_cannot_be_lowered_is_an_error() {
    let error = |vars: &[&str], root: &str| lower(&dag(&[root]), &domain(vars).resolve().expect("ranges")).err();
    let wide = ["x=0..4611686018427387904", "y=-3..3"];
    assert_eq!(error(&wide, "x*x + 1"), Some(LowerError::TooWide { expr: "x*x".into() }));
    assert_eq!(error(&wide, "x*x // 3 % 2"), Some(LowerError::TooWide { expr: "x*x".into() }));
    assert_eq!(error(&wide, "x // y"), Some(LowerError::ZeroDivisor { expr: "x//y".into() }));
    assert_eq!(error(&wide, "x % 0"), Some(LowerError::ZeroDivisor { expr: "x%0".into() }));
    assert_eq!(error(&wide, "x >> y"), Some(LowerError::Shift { expr: "x >> y".into() }));
    assert_eq!(error(&wide, "z"), Some(LowerError::Unknown { name: "z".into() }));
    // the low bits of a product are exact for values of any size, so this remainder is no error
    assert_eq!(error(&wide, "x*x % 256"), None);
}

#[test]
fn a_truth_in_an_extremum_is_an_int() {
    // the C++ templates `max` and `min` need two operands of the same type
    assert_eq!(one(&["x=-9..9", "y=0..9"], "max(x, y >= 3)"), "max(x, (int)(y >= 3))");
    assert_eq!(one(&["x=-9..9", "y=0..9"], "min(y >= 3, x)"), "min((int)(y >= 3), x)");
}

#[test]
fn facts_of_the_caller_narrow_forms() {
    let vars = domain(&["x=0..1000", "y=0..1000"]).resolve().expect("ranges");
    let d = dag(&["(x - y) // 8 % 4"]);
    let text = |facts: &dyn Fn(u32) -> Interval| {
        emit::cuda(&lower_with(&d, &vars, facts, &Target::default()).expect("lowers")).results[0].text.clone()
    };
    assert_eq!(text(&|_| Interval::ALL), "((x - y) >> 3) & 3");
    let known = |id: u32| if d.expr(id).expect("a node").to_string() == "x - y" { Interval::new(0, 31) } else { None };
    assert_eq!(text(&|id| known(id).unwrap_or(Interval::ALL)), "(x - y) >> 3");
    let tiny = |id: u32| if d.expr(id).expect("a node").to_string() == "x - y" { Interval::new(8, 15) } else { None };
    assert_eq!(text(&|id| tiny(id).unwrap_or(Interval::ALL)), "1");
}

#[test]
fn python_does_not_compute_what_may_have_no_value() {
    let text = emit::python(&dag(&["where(y != 0, x // y + x // y % 3, 0)"]));
    assert_eq!(text.statements, ["t0 = lambda: x // y"]);
    assert_eq!(text.results[0].text, "t0() + t0() % 3 if y != 0 else 0");
}

#[test]
#[ignore = "a campaign"]
fn deep_and_shared_expressions() {
    let deep = (0..20_000).fold(var("x"), |e, i| (e * 3 + i) % 1000);
    let vars = domain(&["x=0..1000"]).resolve().expect("ranges");
    let d = Dag::new(&[deep]);
    assert!(emit::cuda(&lower(&d, &vars).expect("lowers")).results[0].text.len() > 10);
    assert!(!emit::python(&d).results[0].text.is_empty());
    let clauses = (0..8_000).fold(var("x").lt(1), |e, i| e.and(var("x").ge(i % 9)));
    let d = Dag::new(&[clauses]);
    assert!(emit::cuda(&lower(&d, &vars).expect("lowers")).results[0].text.len() > 10);
    let shared = (0..60).fold(var("x"), |e, _| (&e + &e) / 2);
    let d = Dag::new(&[shared]);
    assert!(emit::cuda(&lower(&d, &vars).expect("lowers")).to_string().len() < 10_000);
    assert!(emit::rust(&d, &vars).expect("fits").to_string().len() < 10_000);
}

#[test]
fn the_same_text_whatever_variables_are_called() {
    let text = |names: [&str; 3]| {
        let [a, b, c] = names;
        let vars: Vec<String> = names.iter().map(|n| format!("{n}=0..9999")).collect();
        let vars: Vec<&str> = vars.iter().map(String::as_str).collect();
        let root = format!("({a}*24 + {b}*6 + {c}) // 7 % 5 + ({a}*24 + {b}*6 + {c}) % 7 + {b} % 3");
        let text = cuda(&vars, &[&root]);
        names.iter().zip(["p", "q", "r"]).fold(text, |t, (from, to)| t.replace(from, to))
    };
    assert_eq!(text(["aa", "bb", "cc"]), text(["zz", "yy", "xx"]));
}
