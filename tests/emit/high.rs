//! Python and Rust texts, compared with the evaluator.

use crate::host::{Case, Random, points, random_cases};
use crate::truncations::truncations;
use quaff::emit::{self, Text};
use quaff::expr::{Dag, Program};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Points at which all roots have values, with these values.
fn table(case: &Case, count: usize) -> Vec<(Vec<i64>, Vec<i128>)> {
    let names: Vec<&str> = case.vars.iter().map(|v| &*v.name).collect();
    let program = Program::new(&case.meaning, &names).expect("declared");
    let values = |point: Vec<i64>| {
        let wide: Vec<i128> = point.iter().map(|v| *v as i128).collect();
        let values = program.eval(&wide).into_iter().collect::<Result<Vec<i128>, _>>().ok()?;
        Some((point, values))
    };
    points(&case.vars, count, &mut Random(7)).into_iter().filter_map(values).collect()
}

/// The names that the text has for the variables of a case. Variables that do not occur in the text become `unused0`,
/// `unused1`, and so on.
fn parameters(case: &Case, text: &Text) -> Vec<String> {
    let of = |i: usize, name: &str| {
        let input = text.inputs.iter().find(|input| &*input.variable == name);
        input.map_or(format!("unused{i}"), |input| input.name.clone())
    };
    case.vars.iter().enumerate().map(|(i, v)| of(i, &v.name)).collect()
}

fn indented(text: &Text) -> String {
    text.to_string().lines().map(|l| format!("    {l}\n")).collect()
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    folder
}

fn list<T: std::fmt::Display>(values: &[T]) -> String {
    values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}

#[test]
fn python_text_computes_the_same() {
    if Command::new("python3").arg("--version").output().is_err() {
        println!("skipped: no `python3`");
        return;
    }
    let mut script = String::from(
        "def check(i, f, table):\n    for point, want in table:\n        got = f(*point)\n        got = got if isinstance(got, tuple) else (got,)\n        assert got == want, (i, point, got, want)\n",
    );
    for (i, case) in random_cases(11, 800).iter().chain(truncations().iter().step_by(7)).enumerate() {
        let text = emit::python(&Dag::new(&case.roots));
        let _ = write!(script, "def f{i}({}):\n{}", list(&parameters(case, &text)), indented(&text));
        let rows = table(case, 12);
        let rows: Vec<String> = rows.iter().map(|(p, v)| format!("(({},), ({},))", list(p), list(v))).collect();
        let _ = writeln!(script, "check({i}, f{i}, [{}])", rows.join(", "));
    }
    let path = folder("python").join("all.py");
    std::fs::write(&path, script).expect("a script");
    let out = Command::new("python3").arg(&path).output().expect("runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn rust_text_computes_the_same_without_overflow() {
    if Command::new("rustc").arg("--version").output().is_err() {
        println!("skipped: no `rustc`");
        return;
    }
    let (mut source, mut calls, mut printed) = (String::from("#![allow(warnings)]\n"), String::new(), 0);
    for (i, case) in random_cases(12, 400).iter().chain(truncations().iter().step_by(11)).enumerate() {
        let Ok(text) = emit::rust(&Dag::new(&case.roots), &case.vars) else { continue };
        printed += 1;
        let parameters = parameters(case, &text);
        let names: Vec<String> = parameters.iter().map(|p| format!("{p}: i64")).collect();
        let result = if text.results.len() == 1 {
            "i64".into()
        } else {
            format!("({})", list(&vec!["i64"; text.results.len()]))
        };
        let _ = write!(source, "fn f{i}({}) -> {result} {{\n{}}}\n", list(&names), indented(&text));
        for (point, values) in table(case, 8) {
            let want = if values.len() == 1 { list(&values) } else { format!("({})", list(&values)) };
            let _ = writeln!(calls, "    assert_eq!(f{i}({}), {want});", list(&point));
        }
    }
    assert!(printed > 200, "most random expressions fit 64 bits");
    let _ = write!(source, "fn main() {{\n{calls}}}\n");
    let path = folder("rust").join("all.rs");
    std::fs::write(&path, source).expect("a source file");
    let program = path.with_extension("");
    let out = Command::new("rustc")
        .args(["--edition", "2024", "-C", "overflow-checks=on", "-o"])
        .arg(&program)
        .arg(&path)
        .output()
        .expect("rustc");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    let out = Command::new(&program).output().expect("runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}
