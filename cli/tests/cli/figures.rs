//! Tests of the table in `docs/experiments.md`: each figure of the pages has a command that prints its data.

use crate::repository;
use std::path::Path;
use std::process::Command;

/// The output of `scripts/figures --check` about a page, and whether it succeeded. `None` if Python is not installed.
fn checked(page: &Path) -> Option<(bool, String)> {
    let out = Command::new("python3")
        .arg(repository("scripts/figures"))
        .args(["--check", env!("CARGO_BIN_EXE_quaff"), "--page"])
        .arg(page)
        .output()
        .ok()?;
    let said = String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr);
    Some((out.status.success(), said))
}

#[test]
fn each_figure_has_a_command_that_is_there() {
    let Some((is_right, said)) = checked(&repository("docs/experiments.md")) else {
        println!("skipped: the table of figures needs python3");
        return;
    };
    assert!(is_right && said.ends_with(" figures, and each command is there\n"), "{said}");
}

#[test]
fn a_command_or_place_that_is_not_there_is_found() {
    let page = std::fs::read_to_string(repository("docs/experiments.md")).expect("a page");
    let changes = [
        ("bench extract tests/data/views", "bench extracts tests/data/views", "quaff bench has no extracts"),
        ("bench egg tests", "benches egg tests", "quaff has no subcommand benches"),
        ("--minimal --keep every-case", "--minimal --keeps every-case", "quaff rules ablate has no --keeps"),
        (
            "rules stats tests/data/tiny",
            "rules stats tests/data/small",
            "there is no tests/data/smallgrad_kernels.jsonl",
        ),
        ("--example optimality", "--example optimalities", "there is no example optimalities"),
        ("--bench contexts", "--bench context", "there is no benchmark context"),
        ("--test coalesce ", "--test coalesces ", "there is no test coalesces"),
        ("`scripts/instructions`", "`scripts/instruction`", "there is no scripts/instruction"),
        ("expressions.py --count", "expressions.py --counts", "benches/sass/expressions.py has no --counts"),
        ("sizes.md#machine-instructions", "sizes.md#instructions", "docs/sizes.md has no heading #instructions"),
        ("(baseline.md)", "(base.md)", "there is no page base.md"),
        ("| `coalesce` |", "| `dims` |", "dims: the name is there twice"),
        ("`cargo bench --bench dims`", "`cargo bench --bench coalesce`", "docs/dims.md has figures of dims"),
    ];
    let wrong = changes.iter().fold(page, |page, (before, after, _)| {
        assert!(page.contains(before), "{before}");
        page.replace(before, after)
    });
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("experiments.md");
    std::fs::write(&file, wrong).expect("a page");
    let Some((is_right, said)) = checked(&file) else {
        println!("skipped: the table of figures needs python3");
        return;
    };
    assert!(!is_right);
    for (_, _, finding) in changes {
        assert!(said.contains(finding), "{finding}: {said}");
    }
}
