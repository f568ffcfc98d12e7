//! The catalogue of index arithmetic, row by row, with the shipped rules: identities that are normal forms, identities
//! of rules, and sizes that are known only at run time.

use crate::rule_cases::{difference, domain, points};
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff::rules::RuleSet;
use quaff_lab::proof::laws;

fn declared(vars: &str) -> Vec<String> {
    vars.split(';').map(|v| v.trim().to_string()).collect()
}

fn answer(text: &str, vars: &str) -> String {
    let expr: Expr = text.parse().unwrap_or_else(|e| panic!("{text}: {e}"));
    let vars = declared(vars);
    let out =
        Simplifier::default().simplify(&expr, &domain(&vars).expect(text)).unwrap_or_else(|e| panic!("{text}: {e}"));
    let wrong = difference(&expr, out.expr(), out.vars(), &points(out.vars(), 5000));
    assert!(wrong.is_none(), "{text}: {wrong:?}");
    out.expr().to_string()
}

/// Checks the text of the answer for each row.
fn becomes(rows: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(from, vars, to)| {
            let found = answer(from, vars);
            (found != *to).then(|| format!("{from}; {vars}: {found}, not {to}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

/// Checks that the engine finds both expressions equal, by simplifying their difference to 0.
fn equal(rows: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(a, b, vars)| {
            let found = answer(&format!("({a}) - ({b})"), vars);
            (found != "0").then(|| format!("{a}  and  {b}; {vars}: the difference is {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

const ANY: &str = "x=-999..999; y=-99..99; z=-9..9";

#[test]
fn identities_that_are_normal_forms() {
    becomes(&[
        ("x%7 + (x//7)*7", ANY, "x"),
        ("x%-7 + (x//-7)*-7", ANY, "x"),
        ("y + x%7 + (x//7)*7", ANY, "x + y"),
        ("(x%4)*3 + (x//4)*12", ANY, "x*3"),
        ("(x%4)*-3 - (x//4)*12", ANY, "x*-3"),
        ("(x//3)%5 + (x//15)*5", ANY, "x//3"),
        ("2*((x//3)%5) + z + (x//15)*10", ANY, "z + x//3*2"),
        ("5 + 12*y + 3*(x%4) + 12*(x//4)", ANY, "x*3 + y*12 + 5"),
        ("z*7 - 5*(x%4) + 12*y - 20*(x//4)", ANY, "y*12 - x*5 + z*7"),
        ("4*(x%10) + 40*(x//10%10) + 400*(x//100)", ANY, "x*4"),
        ("(x + y)%7 + (x + y)//7*7 - y", ANY, "x"),
        ("3*(x + y) - 3*x", ANY, "y*3"),
        ("(6*x + 12*y)//6", ANY, "x + y*2"),
        ("(6*x + y)//6 - x", ANY, "y//6"),
        ("(y - 6*x)//6 + x", ANY, "y//6"),
    ]);
    equal(&[
        ("(x//6)%5", "(x%30)//6", ANY),
        ("x%30%6", "x%6", ANY),
        ("(4*x + r)%12", "4*(x%3) + r", "x=-99..99; r=0..3"),
        ("x%-8", "-(-x%8)", ANY),
        ("x//-8", "-x//8", ANY),
        ("z*x//n*n + z*x%n", "z*x", "x=-9..9; z=-9..9; n=1..99"),
        ("y + 3*(x%n) + 3*n*(x//n)", "y + 3*x", "x=-99..99; y=0..9; n=1..99"),
        ("y + 3*(x%n) + 3*n*(x//n)", "y + 3*x", "x=-99..99; y=0..9; n=-99..-1"),
    ]);
}

#[test]
fn ranges_and_constants() {
    becomes(&[
        ("(x//4 + 3)//5", ANY, "(x + 12)//20"),
        ("x%8", "x=0..7", "x"),
        ("x%8", "x=0..8", "x%8"),
        ("(16*x + y)%8", ANY, "y%8"),
        ("(16*x + y)//8", ANY, "x*2 + y//8"),
        ("x//8", "x=-8..-1", "-1"),
        ("(x + 3)//8", "x=0..96 step 4", "x//8"),
        ("(4*x + 3)//8", ANY, "x//2"),
        ("(x - 8)//8", ANY, "x//8 - 1"),
    ]);
}

#[test]
fn quotients_and_remainders_of_sums() {
    becomes(&[
        ("x//y", "x=64..99; y=33..49", "x//y"),
        ("x//y", "x=66..67; y=33..33", "2"),
        ("x//y", "x=70..79; y=24..26", "x//y"),
        ("x//y", "x=78..95; y=24..26", "3"),
        ("x%y", "x=78..95; y=24..26", "x - y*3"),
        ("(a%4 + b)%2", "a=-99..99; b=-99..99", "(a + b)%2"),
        ("(3*v + 2)%5", "v=0..1", "v*-2 + 2"),
        ("(3*v + 2)//5", "v=0..1", "v"),
        ("(8*r + v)//7", "r=0..2; v=0..4", "r"),
        ("(8*r + v)%7", "r=0..2; v=0..4", "r + v"),
        ("(4*a)//(2*b)", "a=0..99; b=1..99", "a*2//b"),
        ("(4*a)%(2*b)", "a=0..99; b=1..99", "a*2%b*2"),
        ("(8*a + 3*b)//8", "a=0..99; b=0..99", "a + b*3//8"),
        ("(8*a + 3*b)%8", "a=0..99; b=0..99", "b*3%8"),
    ]);
    equal(&[
        ("(6*a + 4*b)//8", "(3*a + 2*b)//4", "a=-99..99; b=-99..99"),
        ("(6*a + 4*b + 5)//8", "(3*a + 2*b + 2)//4", "a=-99..99; b=-99..99"),
        ("(6*a + 4*b + 5)%8", "2*((3*a + 2*b + 2)%4) + 1", "a=-99..99; b=-99..99"),
        ("(6*a + 4*b)//12", "(3*a + 2*b)//6", "a=-99..99; b=-99..99"),
        ("(6*a + b)//12", "(a + b//6)//2", "a=-99..99; b=0..11"),
    ]);
}

/// The normal forms that have names: cases in which the law of the form applies, and cases in which its condition fails
/// by one.
#[test]
fn normal_forms_that_have_a_name() {
    let bare = |text: &str, vars: &str| {
        let simplifier = Simplifier::default().with_rules(RuleSet::empty()).with_trace(true);
        let answer = simplifier
            .simplify(&text.parse().expect("an expression"), &domain(&declared(vars)).expect(vars))
            .expect("an answer");
        let names: Vec<String> = answer.trace().iter().map(|s| s.rule.clone()).collect();
        (answer.expr().to_string(), names)
    };
    for (name, text, vars, becomes) in [
        ("div-one-bucket", "(9*q + r)//9", "q=-9..9; r=0..8", "q"),
        ("div-one-bucket", "(9*q + r)//9", "q=-9..9; r=9..17", "q + 1"),
        ("div-one-bucket", "(8*r + v)//7", "r=0..2; v=0..4", "r"),
        ("div-one-bucket", "(6*r + v)//7", "r=0..2; v=2..6", "r"),
        ("div-one-bucket", "(4*r + v)//8 - r", "r=0..1; v=4..7", "0"),
        ("quotient-of-quotient", "x//4//5", "x=-99..99", "x//20"),
        ("quotient-of-quotient", "x//-4//5", "x=-99..99", "x//-20"),
        ("compare-common-factor", "4*x + 6 >= 0", "x=-9..9", "x >= -1"),
        ("compare-common-factor", "4*x + 8*y < 7", "x=-9..9; y=-9..9", "x + y*2 < 2"),
    ] {
        assert_eq!(bare(text, vars), (becomes.to_string(), vec![name.to_string()]), "{text}");
    }
    for (text, vars) in [
        ("(9*q + r)//9", "q=-9..9; r=0..9"),
        ("(9*q + r)//9", "q=-9..9; r=-1..8"),
        ("(8*r + v)//7", "r=0..2; v=0..5"),
        ("(8*r + v)//7", "r=0..2; v=-1..4"),
        ("x//4//-5", "x=-99..99"),
        ("4*x + 3*y >= 0", "x=-9..9; y=-9..9"),
    ] {
        assert!(bare(text, vars).1.is_empty(), "{text}; {vars}");
    }
}

#[test]
fn the_worked_example() {
    becomes(&[
        ("R0//8*8 + R0%8", "R0=0..31", "R0"),
        ("(R1*4 + R2)//8", "R1=0..7; R2=0..3", "R1//2"),
        ("(R3*8 + R4*4 + R2)//8", "R3=0..3; R4=0..1; R2=0..3", "R3"),
        ("(R3*8 + R4*4 + R2)%8", "R3=0..3; R4=0..1; R2=0..3", "R4*4 + R2"),
        ("(R3*8 + R4*4 + R2)//8*8 + (R3*8 + R4*4 + R2)%8", "R3=0..3; R4=0..1; R2=0..3", "R3*8 + R4*4 + R2"),
    ]);
}

#[test]
fn negative_factors_constants_and_divisors() {
    becomes(&[
        ("(3 - 8*x)//8", ANY, "-x"),
        ("(3 - 8*x)%8", ANY, "3"),
        ("(-8*x - 1)//8", ANY, "-x - 1"),
        ("x//-8*-8 + x%-8", ANY, "x"),
        ("(8*x + 3)//-8", ANY, "-x - 1"),
        ("(31 - x)//8 + x//8", ANY, "3"),
        ("(31 - x)//8*8 + x", ANY, "x%8 + 24"),
        ("-1//y", "y=1..99", "-1"),
        ("-1//y", "y=-99..-2", "0"),
        ("1//y", "y=2..99", "0"),
        ("-1%y", "y=1..99", "y - 1"),
    ]);
    equal(&[
        ("(31 - x)//8", "3 - x//8", ANY),
        ("(-x - 1)//8", "-1 - x//8", ANY),
        ("x//-3", "(-x)//3", ANY),
        ("(x//-3)//4", "(-x)//12", ANY),
        ("(x//3)//-4", "-(x//3)//4", ANY),
    ]);
}

#[test]
fn sizes_known_at_run_time() {
    const SIZES: &str = "N=1..64; M=1..64; i=0..99; j=0..N-1; k=0..M-1; x=-999..999";
    becomes(&[
        ("(i*N + j)//N", SIZES, "i"),
        ("(i*N + j)%N", SIZES, "j"),
        ("(N*i + N*x)//N", SIZES, "i + x"),
        ("(i*N)//(M*N)", SIZES, "i//M"),
        ("x//N*N + x%N", SIZES, "x"),
        ("(x//N)//M", SIZES, "x//(N*M)"),
        ("(x%(N*M))%N", SIZES, "x%N"),
        ("(x*N + N - 1)//N", SIZES, "x"),
        ("((i*N + j)*M + k)//(N*M)", SIZES, "i"),
        ("((i*N + j)*M + k)//M%N", SIZES, "j"),
        ("((i*N + j)*M + k)%M", SIZES, "k"),
        ("j//N", "N=1..64; j=0..N", "j >= N"),
        ("(i*N + j)//N", "N=-64..-1; i=0..9; j=-9..9", "i + j//N"),
    ]);
    equal(&[
        ("(x%(N*M))//N", "(x//N)%M", SIZES),
        ("((i*N + j)*M + k)%(N*M)", "j*M + k", SIZES),
        ("(i*N)%(M*N)", "i%M*N", SIZES),
        ("(i*N*M + x)//N", "i*M + x//N", SIZES),
    ]);
}

/// If a rule finds two expressions equal, the difference of the two expressions is 0.
#[test]
fn sums_see_quotients_found_equal() {
    for (a, b, vars) in [
        ("(8*r + v)%7", "(r + v)%7", "r=0..99; v=0..99"),
        ("(8*r + v)//7", "r + (r + v)//7", "r=0..99; v=0..99"),
        ("(31 - x - 3*y)//8", "3 - (x + 3*y)//8", "x=0..99; y=0..9"),
        ("(x + 1003)//8", "(x + 3)//8 + 125", ANY),
    ] {
        assert_eq!(answer(&format!("{a} - ({b})"), vars), "0", "{a} and {b}");
    }
}

#[test]
fn the_reference_names_rules_that_exist() {
    let text = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/README.md")).expect("the reference");
    let (_, catalogue) = text.split_once("## The catalogue").expect("the section");
    let known = |name: &str| RuleSet::shipped().get(name).is_some() || laws().iter().any(|l| l.name() == name);
    let rows: Vec<&str> = catalogue.lines().filter(|l| l.starts_with("| ")).skip(1).collect();
    assert!(rows.len() >= 19, "{} rows", rows.len());
    for row in rows {
        let rules = row.split('|').nth(2).expect("a column").split('`').skip(1).step_by(2);
        for rule in rules {
            assert!(known(rule), "{rule} is neither a rule nor a normal form: {row}");
        }
    }
    // each name of the catalogue is the name of a rule, or has a row in one of the tables
    let names = "core composed-divisor scaled three-term nested-division mod-in-range mod-drop-multiple \
                 div-split-multiple div-one-bucket div-drop-small-constant div-split-large-constant cancel-divmod \
                 remove-nested-mod fold-binary-numerator congruence gcd-with-remainder divide-by-gcd factor-remainder \
                 nest-by-smallest-factor small-remainder";
    for name in names.split_whitespace() {
        assert!(known(name) || text.contains(&format!("\n| {name} |")), "{name}");
    }
}
