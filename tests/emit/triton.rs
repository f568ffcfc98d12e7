//! Triton text: it is valid Python, Triton compiles it, and it has the values of the expression although `//` rounds
//! towards zero.

use crate::host::{Case, RANGES, corpus, corpus_files, random_cases};
use crate::names::table;
use quaff::domain::Domain;
use quaff::emit::{self, Text};
use quaff::expr::{Dag, Expr, int, var};
use serde_json::{Map, json};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The output of `tests/support/check_triton.py` for a file of functions. `None` without Python.
fn checked(mode: &str, path: &Path) -> Option<Output> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/check_triton.py");
    let out = Command::new("python3").arg(script).arg(mode).arg(path).output();
    if out.is_err() {
        println!("skipped: no `python3`");
    }
    out.ok()
}

/// Writes a file with the functions of all cases that fit, and calls of each function. Returns the path and the number
/// of functions.
fn written(name: &str, cases: &[Case]) -> (PathBuf, usize) {
    let mut source = String::from("import triton\nimport triton.language as tl\n");
    let (mut calls, mut count) = (String::new(), 0);
    for (i, case) in cases.iter().enumerate() {
        let Ok(text) = emit::triton(&Dag::with_origins(&case.roots), &case.vars) else { continue };
        let function = text.function(&format!("case_{i}")).expect("a free name");
        source += function.strip_prefix(&text.prelude).expect("imports come first");
        for (point, values) in table(case) {
            calls += &call(i, case, &text, &point, &values);
        }
        count += 1;
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, source + &calls).expect("a file");
    (path, count)
}

fn call(i: usize, case: &Case, text: &Text, point: &[i64], values: &[i128]) -> String {
    let value = |variable: &str| case.vars.iter().zip(point).find(|(v, _)| *v.name == *variable).map(|(_, v)| *v);
    let arguments: Map<_, _> =
        text.inputs.iter().filter(|i| !i.defined).map(|i| (i.name.clone(), json!(value(&i.variable)))).collect();
    let point: Map<_, _> = case.vars.iter().zip(point).map(|(v, value)| (v.name.to_string(), json!(value))).collect();
    let values: Vec<i64> = values.iter().map(|v| i64::try_from(*v).expect("fits")).collect();
    format!("#? case_{i} {}\n", json!([arguments, point, values]))
}

fn have_the_values(name: &str, cases: &[Case]) -> usize {
    let (path, count) = written(name, cases);
    if let Some(out) = checked("run", &path) {
        assert!(out.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&out.stderr));
        println!("{count} functions, {}", String::from_utf8_lossy(&out.stdout).trim_end());
    }
    count
}

fn case(roots: &[&str], domain: &str) -> Case {
    let roots: Vec<Expr> = roots.iter().map(|r| r.parse().expect("an expression")).collect();
    let vars = domain.parse::<Domain>().expect("a domain").resolve().expect("ranges");
    Case { id: format!("{roots:?}"), vars, meaning: roots.clone(), lowered: None, roots }
}

/// Each form at the ends of its ranges.
fn by_hand() -> Vec<Case> {
    vec![
        case(&["program_id_0*128 + arange_0_128"], "program_id_0=0..4095, arange_0_128=0..127"),
        case(&["(program_id_1 - 3)//n", "(program_id_1 - 3)%n"], "program_id_1=0..9, n=1..9"),
        case(&["x*8192 + n"], "x=0..1048575, n=0..9"),
        case(&["where(x < n, x, n)*4096"], "x=0..4294967296, n=0..4294967296"),
        case(&["(x < y) + (x == y)*3", "where(x < y and not x == 3 or y > 7, 1, y)"], "x=0..9, y=0..9"),
        case(&["x << k", "x >> k", "min(x, k) - max(x, 3)"], "x=-9..9, k=0..40"),
        case(&["((x//7)//n)//n", "((x%7 - 3)%n - 3)%n"], "x=-99..99, n=1..9"),
        case(&["x//3 + 1099511627776*(x == 3)"], "x=-2147483648..2147483647"),
        case(&["x//3", "x%3", "x//n", "x%-n"], "x=-2147483648..-5, n=1..9"),
        case(&["(x & 1099511627775) % 3"], "x=-2147483648..2147483647"),
    ]
}

/// Constant and variable divisors of either sign, at the ends of the types.
fn divisions() -> Vec<Case> {
    let mut cases = Vec::new();
    for range in RANGES {
        for d in [1i64, 2, 3, 7, 64, 641, 1 << 20, 2_147_483_647, 1 << 31, 1 << 33, (3 << 33) + 9]
            .iter()
            .flat_map(|d| [*d, -d])
        {
            let vars = Domain::new().with("x", range).resolve().expect("a range");
            let roots = vec![var("x") / int(d), var("x") % int(d)];
            cases.push(Case { id: format!("{range:?} {d}"), vars, meaning: roots.clone(), lowered: None, roots });
        }
        for (lo, hi) in [(1, 9), (2, 1000), (-50, -1), (i64::from(i32::MIN), -1), (5, 1 << 40)] {
            let vars = Domain::new().with("x", range).with("n", lo..=hi).resolve().expect("ranges");
            let roots = vec![var("x") / var("n"), var("x") % var("n")];
            cases.push(Case { id: format!("{range:?} {lo} {hi}"), vars, meaning: roots.clone(), lowered: None, roots });
        }
    }
    cases
}

#[test]
fn values_by_hand() {
    assert_eq!(have_the_values("triton_by_hand.py", &by_hand()), by_hand().len());
    assert_eq!(have_the_values("triton_divisions.py", &divisions()), divisions().len());
}

#[test]
fn values_of_random_expressions() {
    let cases = random_cases(77, 1500);
    assert!(have_the_values("triton_random.py", &cases) * 2 > cases.len());
}

#[test]
fn values_of_corpora() {
    let cases: Vec<Case> = corpus_files().iter().flat_map(|f| corpus(f)).step_by(20).collect();
    have_the_values("triton_corpora.py", &cases);
}

#[test]
fn triton_compiles_it() {
    let cases: Vec<Case> = by_hand().into_iter().chain(divisions().into_iter().step_by(11)).collect();
    let (path, _) = written("triton_compiled.py", &cases);
    match checked("compile", &path) {
        Some(out) if out.status.code() == Some(3) => println!("skipped: no Triton"),
        Some(out) => {
            assert!(out.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&out.stderr));
            println!("{}", String::from_utf8_lossy(&out.stdout).trim_end());
        }
        None => {}
    }
}

fn text(expr: &str, domain: &str) -> String {
    let case = case(&[expr], domain);
    emit::triton(&Dag::with_origins(&case.roots), &case.vars).expect("fits").to_string()
}

#[test]
fn spellings() {
    let mut shown = String::new();
    for (expr, domain, wanted) in [
        ("x//8", "x=0..9", "x // 8"),
        ("x//8", "x=-9..9", "x >> 3"),
        ("x%8", "x=-9..9", "x & 7"),
        ("x//3", "x=-9..9", "(x + 9) // 3 - 3"),
        ("x%3", "x=-9..9", "(x + 9) % 3"),
        ("x//n", "x=-9..9, n=1..5", "(x ^ (x >> 31)) // n ^ (x >> 31)"),
        ("x%n", "x=-9..-1, n=1..5", "((x ^ (x >> 31)) % n ^ (x >> 31)) + (n & (x >> 31))"),
        ("x//-4", "x=-9..9", "(-x) >> 2"),
        ("x*8192", "x=0..1048575", "tl.cast(x, tl.int64) * 8192"),
        ("program_id_0*1048576", "program_id_0=0..9999", "tl.program_id(0).to(tl.int64) * 1048576"),
        ("x < 3 and x > 1", "x=0..9", "tl.cast((x < 3) & (x > 1), tl.int32)"),
        ("program_id_9 + arange_0_100", "program_id_9=0..9, arange_0_100=0..9", "program_id_9 + arange_0_100"),
    ] {
        assert_eq!(text(expr, domain), format!("return {wanted}\n"), "{expr} where {domain}");
        let _ = writeln!(shown, "{wanted}");
    }
    println!("{shown}");
}

/// A built-in variable of Triton is not a parameter, unless its range exceeds the range of the built-in variable.
#[test]
fn what_triton_has_is_no_parameter() {
    let case = case(&["program_id_0 + tl + program_id_2"], "program_id_0=0..9, tl=0..9, program_id_2=0..1099511627776");
    let text = emit::triton(&Dag::with_origins(&case.roots), &case.vars).expect("fits");
    let params: Vec<String> = text.contract().params.iter().map(|p| p.name.clone()).collect();
    assert_eq!(params, ["tl_2", "program_id_2"]);
    assert_eq!(text.contract().renamed.len(), 1);
    assert!(text.whole().contains("# renamed: `tl` is tl_2\n"), "{}", text.whole());
}
