//! Lists the public functions of the libraries, and checks that these tests call each of them.

use std::fs;
use std::path::{Path, PathBuf};

/// Public functions that need no call, each with the reason.
const EXEMPT: [(&str, &str); 1] =
    [("index", "made by a macro for `Dim`, `Scope` and `Equation`, and called for each of them in programs.rs")];

/// Files whose public functions can be named only by other crates of this workspace: `quaff::internals` with its
/// re-exports, and the solvers.
const HIDDEN: [&str; 9] = [
    "src/internals.rs",
    "src/rules/operator.rs",
    "src/rules/read.rs",
    "src/emit/fragments.rs",
    "src/emit/program.rs",
    "src/lower/build.rs",
    "src/rules/program/slots.rs",
    "src/egraph/trace/normal_form.rs",
    "crates/quasi/src/solver.rs",
];

/// The folders of the libraries.
const LIBRARIES: [&str; 6] =
    ["src", "crates/expr/src", "crates/quasi/src", "crates/fronts/src", "crates/ask/src", "crates/lab/src"];

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|x| x == "rs") {
            found.push(path);
        }
    }
}

/// The name of the type in an `impl` or `trait` line, without generics and paths.
fn subject(line: &str) -> Option<String> {
    let rest = line.strip_prefix("impl").or_else(|| line.strip_prefix("pub trait "))?;
    let rest = match rest.strip_prefix('<') {
        Some(generic) => {
            let mut depth = 1;
            let end = generic.find(|c| {
                depth += i32::from(c == '<') - i32::from(c == '>');
                depth == 0
            })?;
            &generic[end + 1..]
        }
        None => rest,
    };
    let of = rest.split(" for ").last()?.trim();
    Some(of.split(['<', ' ', '{', ':']).next()?.to_string())
}

/// Every public function, with the texts of its possible calls: `Type::name(`, or `module::name(` for a function of a
/// module.
fn public_functions() -> Vec<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    LIBRARIES.iter().for_each(|library| rust_files(&root.join(library), &mut files));
    let is_hidden = |file: &Path| HIDDEN.iter().any(|hidden| file == root.join(hidden));
    let mut functions = Vec::new();
    for file in files.iter().filter(|f| !is_hidden(f) && !f.ends_with("tests.rs")) {
        let text = fs::read_to_string(file).expect("a source file");
        let (mut of, mut in_trait, mut operators, mut hidden) = (None, false, false, false);
        // each of the enclosing modules may re-export the function
        let path = file.strip_prefix(root).expect("below the root").with_extension("");
        let modules: Vec<String> = path.iter().map(|m| m.to_string_lossy().into_owned()).collect();
        for line in text.lines().take_while(|l| *l != "#[cfg(test)]") {
            if let Some(s) = subject(line) {
                (of, in_trait) = (Some(s), line.starts_with("pub trait"));
            }
            if line == "}" {
                (of, in_trait, operators) = (None, false, false);
            }
            // a macro makes these methods for the operators of expressions
            operators |= line == "methods! {";
            if operators && let Some((name, _)) = line.trim().split_once(' ').filter(|_| line.contains('"')) {
                functions.push(vec![format!("Expr::{name}(")]);
            }
            let line = line.trim_start();
            let is_hidden = std::mem::replace(&mut hidden, line == "#[doc(hidden)]");
            let rest = line.strip_prefix("pub const fn ").or_else(|| line.strip_prefix("pub fn "));
            let rest = rest.or_else(|| line.strip_prefix("fn ").filter(|_| in_trait));
            let Some(name) = rest.map(|r| r.split(['(', '<']).next().unwrap_or_default()) else { continue };
            if is_hidden || name.starts_with('$') || EXEMPT.iter().any(|(exempt, _)| *exempt == name && of.is_none()) {
                continue;
            }
            functions.push(match &of {
                Some(of) => vec![format!("{of}::{name}(")],
                None => modules.iter().map(|m| format!("{m}::{name}(")).collect(),
            });
        }
    }
    functions
}

#[test]
fn every_public_function_is_called() {
    let mut here = Vec::new();
    rust_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/no_panic"), &mut here);
    let calls: String = here.iter().map(|f| fs::read_to_string(f).expect("a test file")).collect();
    let functions = public_functions();
    assert!(functions.len() > 300, "only {} public functions were found", functions.len());
    let missing: Vec<String> = functions
        .iter()
        .filter(|ways| !ways.iter().any(|w| calls.contains(w.as_str())))
        .map(|w| w.join(" or "))
        .collect();
    assert!(missing.is_empty(), "not called in tests/no_panic: {missing:#?}");
}

#[test]
fn subjects_of_impls() {
    let cases = [
        ("impl Expr {", "Expr"),
        ("impl<'b> Transfer<'b> {", "Transfer"),
        ("impl<T: Into<Term> + Clone> IntoSide for &[T] {", "&[T]"),
        ("impl fmt::Display for Gate {", "Gate"),
        ("pub trait CostModel: Send + Sync {", "CostModel"),
    ];
    for (line, expected) in cases {
        assert_eq!(subject(line).as_deref(), Some(expected), "{line}");
    }
}
