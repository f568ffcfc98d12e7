//! Tests of `quaff view`.

use crate::quaff_program::{quaff, quaff_with};
use crate::repository;
use serde_json::Value;

const CHAIN: &str = "shape(8, 12).reshape(4, 2, 12).permute(1, 0, 2).pad((0, 0), (1, 1), (0, 0))";

fn json(arguments: &[&str]) -> Value {
    let out = quaff(&[&["view", "--json"], arguments].concat());
    assert_eq!(out.code, 0, "{}", out.stderr);
    serde_json::from_str(&out.stdout).expect("JSON")
}

#[test]
fn json_says_all_that_the_text_says() {
    let value = json(&[CHAIN]);
    let chain = &value["chains"][0];
    assert_eq!(chain["shape"], serde_json::json!(["2", "6", "12"]));
    assert_eq!(chain["views"][0]["strides"], serde_json::json!(["12", "24", "1"]));
    assert_eq!(chain["views"][0]["mask"][1], serde_json::json!(["1", "5"]));
    assert_eq!((&chain["valid"], &chain["contiguous"]), (&"i1 >= 1 and i1 < 5".into(), &false.into()));
    assert_eq!((&chain["innermost"], &chain["vector"]), (&2.into(), &4.into()));
    assert!(value["cuda"].as_str().is_some_and(|t| t.contains("(in - 24)[i0 * 12 + i1 * 24 + i2]")), "{value}");
    assert!(value["cost"].as_f64() <= value["input_cost"].as_f64());
}

#[test]
fn chains_of_one_shape_share_their_loops() {
    let value = json(&["shape(4, 6, 8)", "shape(8, 6, 8).shrink((2, 6), (0, 6), (0, 8))"]);
    assert_eq!(value["loops"], serde_json::json!([["i0", "192"]]));
    let value = json(&["shape(4, 6)", "shape(6, 4).permute(1, 0)", "--names", "r,c"]);
    assert_eq!(value["loops"], serde_json::json!([["r", "4"], ["c", "6"]]));
    let differ = quaff(&["view", "shape(4, 6)", "shape(6, 4)"]);
    assert!(differ.code == 1 && differ.stderr.contains("view::shapes_differ"), "{}", differ.stderr);
}

#[test]
fn names_and_elements_are_those_asked_for() {
    let value = json(&["shape(4, 6)", "--names", "row,column", "--type", "__half", "--bytes", "2"]);
    assert_eq!(value["cuda"], "const __half v = in[row * 6 + column];");
    assert_eq!(value["chains"][0]["vector"], 2);
    let few = quaff(&["view", "shape(4, 6)", "--names", "row"]);
    assert!(few.code == 1 && few.stderr.contains("`--names` has 1 name for 2 axes"), "{}", few.stderr);
    let taken = quaff(&["view", "shape(n)", "--var", "n=1..9", "--names", "n"]);
    assert!(taken.code == 1 && taken.stderr.contains("view::name_taken"), "{}", taken.stderr);
}

#[test]
fn errors_have_their_place_in_the_chain() {
    let out = quaff(&["view", "shape(8, 12).flip(0).reshape(5, 20)"]);
    assert_eq!((out.code, out.stdout.as_str()), (1, ""));
    assert!(out.stderr.contains("[chain:1:22]") && out.stderr.contains("`reshape(4, 24)` has 96"), "{}", out.stderr);
}

#[test]
fn a_picture_is_written_whole() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("picture.svg");
    let out = quaff(&["view", CHAIN, "--svg", path.to_str().expect("a name")]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let stored = std::fs::read_to_string(repository("docs/view.svg")).expect("there");
    assert_eq!(std::fs::read_to_string(path).expect("written"), stored);
    let large = quaff(&["view", "shape(100, 100)", "--svg", "never.svg"]);
    assert!(large.code == 1 && large.stderr.contains("view::not_drawn"), "{}", large.stderr);
}

/// The command has the options that all commands with accesses as answers share with `simplify`.
#[test]
fn rules_targets_and_checks_are_those_of_simplify() {
    let chain = "shape(3, 5).permute(1, 0).reshape(15)";
    let out = quaff(&["view", chain, "--verify", "--target", "sm_80", "--effort", "2", "--emit", "cuda"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    assert!(out.stdout.starts_with("// parameters: ") && out.stdout.contains("const float v = in["), "{}", out.stdout);
    let infix = quaff(&["view", chain, "--emit", "infix"]);
    assert_eq!(infix.stdout, "v = in[i0*5 - i0//3*14]\n");
    // the output reports a limit of the check
    let symbolic = ["view", "shape(n, m).reshape(n*m).reshape(m, n)", "--var", "n=1..4096", "--var", "m=1..4096"];
    let limited = quaff(
        &[&symbolic[..], &["--verify", "--max-points", "1", "--max-steps", "1", "--solver-timeout", "0"]].concat(),
    );
    assert_eq!(limited.code, 0, "{}", limited.stderr);
    assert!(limited.stderr.is_empty() || limited.stderr.starts_with("quaff: not verified: "), "{}", limited.stderr);
    let kernel = repository("examples/accesses/conv.json").display().to_string();
    for args in [
        vec!["kernel", &kernel, "--verify", "--target", "sm_100"],
        vec!["access", "x%8//4", "--var", "x=0..99", "--verify"],
    ] {
        let out = quaff(&args);
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{args:?}");
    }
    let program = "equations = [\"n = a * b\"]\n[sizes]\nn = 96\nb = 12\n[set]\nn = \"threadIdx.x\"\n[[want]]\nget = [\"a\", \"b\"]\n";
    let dims = |flags: &[&str]| quaff_with(&[&["dims", "-"], flags].concat(), program.as_bytes());
    assert_eq!(dims(&["--target", "sm_80", "--effort", "0"]).code, 0);
    assert_ne!(dims(&["--rules", "nowhere"]).code, 0);
}
