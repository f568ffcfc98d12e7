//! Whole functions, with the host functions that prepare the divisors. They compile as printed, and have the values of
//! the expression.

use crate::contract::{answers, by_hand};
use crate::host::{CUDA_SHIM, Case, Target};
use crate::names::table;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::emit::{self, Text};
use quaff::expr::{Dag, Expr};
use quaff::lower::lower;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("functions");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Qualifiers of CUDA, and a check of one value.
const QUALIFIERS: &str = "
#include <cstdio>
#include <cstdlib>
#define __device__
#define __forceinline__ inline
static void same(int of, long long got, long long wanted) {
  if (got != wanted) { printf(\"case %d: %lld but %lld\\n\", of, got, wanted); exit(1); }
}
";

/// Cases with several results and with divisors of several forms.
fn more() -> Vec<Case> {
    let case = |roots: &[&str], domain: &str| {
        let roots: Vec<Expr> = roots.iter().map(|r| r.parse().expect("an expression")).collect();
        let vars = domain.parse::<Domain>().expect("a domain").resolve().expect("ranges");
        Case { id: format!("{roots:?}"), vars, meaning: roots.clone(), lowered: None, roots }
    };
    vec![
        case(&["x//n", "x%n + y*8192"], "x=0..9999, y=0..1048575, n=1..99, invariant n"),
        case(&["x//(n - m)", "x%(n + 1)", "x//(n*m*64)"], "x=0..9999, n=5..99, m=1..4, invariant n, invariant m"),
        case(&["x*2", "x*3"], "x=0..9"),
        case(&["x//(n*3) + x//(n*3 + 1) + x//(3*n + 2)"], "x=0..9999, n=1..99, invariant n"),
    ]
}

/// `text` in a C++ namespace, and calls of its function at some points.
fn program(i: usize, case: &Case, text: &Text, calls: &mut String) -> String {
    let name = "quaff_case";
    assert_eq!(text.function(name).expect_err("reserved").reason, "the language or its texts reserve it");
    let (contract, function) = (text.contract(), text.function("f").expect("a free name"));
    for (point, wanted) in table(case) {
        let value = |name: &str| {
            let renamed = contract.renamed.iter().find(|(_, new)| *new == name).map_or(name, |(variable, _)| variable);
            let at = case.vars.iter().position(|v| *v.name == *renamed).expect("a variable of the case");
            format!("{}ll", point[at])
        };
        for (v, value) in
            case.vars.iter().zip(&point).filter(|(v, _)| v.name.contains("Idx.") || v.name.contains("Dim."))
        {
            let _ = writeln!(calls, "  {} = (unsigned){value}ll;", v.name);
        }
        // a variable that only the host needs is not a parameter
        let signature = function.lines().find(|line| line.contains(" f(")).expect("a function");
        let params = contract
            .params
            .iter()
            .filter(|p| signature.contains(&format!("{p},")) || signature.contains(&format!("{p})")));
        let mut arguments: Vec<String> = params.map(|p| format!("({}){}", p.ty, value(&p.name))).collect();
        for d in &contract.divisors {
            let of_host: Vec<String> = d.variables.iter().map(|v| value(v)).collect();
            arguments.push(format!("case{i}::f_{}({})", d.name, of_host.join(", ")));
        }
        let call = |arguments: &[String]| format!("case{i}::f({})", arguments.join(", "));
        if let [wanted] = wanted[..] {
            let _ = writeln!(calls, "  same({i}, (long long){}, {wanted}ll);", call(&arguments));
            continue;
        }
        arguments.push("out".into());
        let is_same = contract.results.iter().all(|ty| *ty == contract.results[0]);
        let ty = if is_same { &contract.results[0] } else { "long long" };
        let _ = writeln!(calls, "  {{ {ty} out[{}]; {};", wanted.len(), call(&arguments));
        for (k, wanted) in wanted.iter().enumerate() {
            let _ = writeln!(calls, "    same({i}, (long long)out[{k}], {wanted}ll);");
        }
        let _ = writeln!(calls, "  }}");
    }
    format!("namespace case{i} {{\n{function}}}\n")
}

#[test]
fn functions_of_c_and_cuda_have_the_values() {
    for (target, name, seed) in [(Target::C, "c", 191), (Target::Cuda, "cuda", 192)] {
        let cases: Vec<Case> = by_hand().into_iter().chain(more()).chain(answers(seed, 80)).collect();
        let mut source = emit::c_library() + CUDA_SHIM + QUALIFIERS;
        let mut calls = String::new();
        for (i, case) in cases.iter().enumerate() {
            let lowered = case.lowered.clone();
            let lowered = lowered.unwrap_or_else(|| lower(&Dag::new(&case.roots), &case.vars).expect("fits"));
            let text = if target == Target::C { emit::c(&lowered) } else { emit::cuda(&lowered) };
            source += &program(i, case, &text, &mut calls);
        }
        let _ = writeln!(source, "int main() {{\n{calls}  return 0;\n}}");
        let path = folder().join(format!("{name}.cpp"));
        std::fs::write(&path, source).expect("a file");
        let built = Command::new("c++").args(["-w", "-o"]).arg(path.with_extension("")).arg(&path).output();
        let Ok(built) = built else { return println!("skipped: no compiler `c++`") };
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        let ran = Command::new(path.with_extension("")).output().expect("runs");
        assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
        println!("{} functions in {name}", cases.len());
    }
}

/// A printed C function compiles as C99, without a warning.
#[test]
fn functions_are_c() {
    for (i, case) in by_hand().into_iter().chain(more()).enumerate() {
        let lowered = case.lowered.unwrap_or_else(|| lower(&Dag::new(&case.roots), &case.vars).expect("fits"));
        let path = folder().join(format!("case{i}.c"));
        std::fs::write(&path, emit::c(&lowered).function("index_of").expect("a free name")).expect("a file");
        let flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-fsyntax-only"];
        let Ok(built) = Command::new("cc").args(flags).arg(&path).output() else {
            return println!("skipped: no compiler `cc`");
        };
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    }
}

fn answer(expr: &str, domain: &str) -> quaff::Simplified {
    let (root, domain): (Expr, Domain) = (expr.parse().expect("an expression"), domain.parse().expect("a domain"));
    Simplifier::default().simplify(&root, &domain).expect("an answer")
}

#[test]
fn every_divisor_says_its_expression_and_has_its_function() {
    let sizes = "i=0..100000, h=1..100, w=1..100, invariant h, invariant w";
    let text = answer("i//(h*w) + i//(w*3) + i//h", sizes).cuda().expect("fits");
    let names: Vec<String> = text.divisors.iter().map(|d| format!("{} {} {}", d.name, d.divisor, d.helper)).collect();
    for wanted in ["h_w_div h*w quaff_fastdivmod_any", "w3_div w*3 quaff_fastdivmod", "h_div h quaff_fastdivmod_any"] {
        assert!(names.iter().any(|n| n == wanted), "{names:?}");
    }
    let function = text.function("row").expect("a free name");
    for wanted in [
        "static inline quaff_fastdivmod_t row_h_w_div(int h, int w) { return quaff_fastdivmod_any(h*w); }\n",
        "static inline quaff_fastdivmod_t row_w3_div(int w) { return quaff_fastdivmod(w*3); }\n",
        "__device__ __forceinline__ int row(int i, quaff_fastdivmod_t ",
    ] {
        assert!(function.contains(wanted), "{function}");
    }
    // a name of a divisor has a suffix only if two divisors would have the same name
    let text = answer("i//(h*w) + i//(h*w + 1)", sizes).cuda().expect("fits");
    let names: Vec<&str> = text.divisors.iter().map(|d| d.name.as_str()).collect();
    assert!(names.contains(&"h_w_div") && names.contains(&"h_w_plus_1_div"), "{names:?}");
    let vars: Domain =
        "i=0..9999, a=2..9, b=2..9, a_b=2..9, invariant a, invariant b, invariant a_b".parse().expect("ranges");
    let roots: [Expr; 1] = ["i//(a*b) + i//a_b".parse().expect("an expression")];
    let text = emit::cuda(&lower(&Dag::new(&roots), &vars.resolve().expect("ranges")).expect("fits"));
    let names: Vec<&str> = text.divisors.iter().map(|d| d.name.as_str()).collect();
    assert_eq!(names, ["a_b_div", "a_b_div_2"]);
}

/// C code for the host has no `max`. A divisor may be 0 where nothing divides by it.
#[test]
fn a_divisor_that_is_not_always_positive_is_made_in_c() {
    let domain = "i=0..9999, n=0..9, invariant n";
    let roots: [Expr; 1] = ["where(n > 0, i//n, 0)".parse().expect("an expression")];
    let answer = Simplifier::default().simplify(&roots[0], &domain.parse().expect("a domain")).expect("an answer");
    let text = answer.c().expect("fits");
    if let [divisor] = &text.divisors[..] {
        assert_eq!(divisor.setup(), "quaff_fastdivmod_any(n > 1 ? n : 1)");
    }
}

#[test]
fn functions_in_each_language() {
    let answer = answer("x//8 + fn*y", "x=0..99, fn=0..9, y=0..9");
    let wanted = "// renamed: `fn` is fn_2\npub fn f(x: i64, fn_2: i64, y: i64) -> i64 {\n    ";
    let rust = answer.rust().expect("fits").function("f").expect("a free name");
    assert!(rust.starts_with(wanted) && rust.ends_with(";\n}\n"), "{rust}");
    let python = answer.python().function("f").expect("a free name");
    assert_eq!(python, "def f(x, fn, y):\n    return x // 8 + fn * y\n");
    let triton = answer.triton().expect("fits").function("f").expect("a free name");
    let wanted =
        "import triton\nimport triton.language as tl\n\n@triton.jit\ndef f(x, fn, y):\n    return x // 8 + fn * y\n";
    assert_eq!(triton, wanted);
    let c = answer.c().expect("fits").function("f").expect("a free name");
    assert!(c.starts_with("static inline int f(int x, int fn, int y) {\n  return "), "{c}");
}

#[test]
fn a_function_has_a_name_of_its_own() {
    let text = answer("x//n + x%n*(x//n)", "x=0..999, n=1..9, invariant n").cuda().expect("fits");
    let reason = |name: &str| text.function(name).map_err(|e| e.reason);
    for (name, wanted) in [
        ("", "it is no identifier"),
        ("9f", "it is no identifier"),
        ("a b", "it is no identifier"),
        ("f() {} int g", "it is no identifier"),
        ("float", "the language or its texts reserve it"),
        ("__umulhi", "the language or its texts reserve it"),
        ("quaff_fastdivmod", "the language or its texts reserve it"),
        ("threadIdx", "the language or its texts reserve it"),
        ("x", "something in the text has this name"),
        ("n", "something in the text has this name"),
        ("n_div", "something in the text has this name"),
        ("t0", "something in the text has this name"),
    ] {
        assert_eq!(reason(name), Err(wanted), "{name}");
    }
    assert!(reason("row_of").is_ok());
    let triton = answer("x//3", "x=0..9").triton().expect("fits");
    assert!(triton.function("tl").is_err() && triton.function("lambda").is_err() && triton.function("f").is_ok());
    assert_eq!(
        text.function("a\nb").expect_err("no name").to_string(),
        "no function of this text can be called `a\\nb`: it is no identifier"
    );
}
