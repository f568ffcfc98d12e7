//! Tests of `quaff access`, and of warnings about indices that need 64 bits.

use crate::golden;
use crate::quaff_program;
use crate::quaff_program::{quaff, quaff_with, quoted};
use serde_json::Value;
use std::fmt::Write;

const PADDED: &[&str] =
    &["access", "(t//16 + r - 1)*16 + t%16", "--var", "t=0..287", "--var", "r=0..2", "--buffer", "image"];

fn padded(more: &[&str]) -> quaff_program::Run {
    let gates = ["--gate", "t//16 + r >= 1", "--gate", "t//16 + r < 17"];
    quaff(&[PADDED, &gates, more].concat())
}

#[test]
fn the_index_is_simplified_under_the_gate() {
    let out = padded(&[]);
    assert_eq!(
        (out.code, out.stdout.as_str(), out.stderr.as_str()),
        (0, "v = image[t + r*16 - 16] if t + r*16 < 272 and t + r*16 >= 16 else 0\n", "")
    );
}

#[test]
fn texts_compute_nothing_where_the_gate_is_closed() {
    assert_eq!(
        padded(&["--emit", "cuda", "--type", "half"]).stdout,
        "// parameters: int t, int r, const half *image\nconst int t0 = t + r * 16;\nconst half v = t0 < 272 && t0 >= 16 ? (image - 16)[t0] : 0;\n"
    );
    let store = [
        "access",
        "x//12*100 + x//12%7",
        "--lane",
        "x//12 + 5",
        "--gate",
        "x%5 == 0",
        "--var",
        "x=0..9999",
        "--store",
        "w",
        "--emit",
        "c",
    ];
    let out = quaff(&store);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let open = out.stdout.find("if (").expect("an if");
    assert!(out.stdout[open..].contains("in[") && !out.stdout[..open].contains("in["), "{}", out.stdout);
}

#[test]
fn gates_that_always_or_never_hold_are_gone() {
    let run = |gate| quaff(&["access", "i", "--gate", gate, "--var", "i=0..9"]).stdout;
    assert_eq!(run("i < 10"), "v = in[i]\n");
    assert_eq!(run("i > 9"), "v = 0\n");
    let store = quaff(&["access", "i", "--gate", "i > 9", "--var", "i=0..9", "--store", "1", "--emit", "cuda"]);
    assert_eq!((store.code, store.stdout.as_str()), (0, ""));
}

#[test]
fn an_invalid_index_is_a_gate() {
    let args = [
        "access",
        "where(i >= 1, i - 1, -1)",
        "--invalid",
        "-1",
        "--var",
        "i=0..64",
        "--store",
        "v",
        "--buffer",
        "out",
    ];
    assert_eq!(quaff(&args).stdout, "if i >= 1: out[i - 1] = v\n");
}

#[test]
fn an_invalid_index_may_stand_below_operations() {
    let run = |index, invalid| quaff(&["access", index, "--invalid", invalid, "--var", "x=0..9"]);
    for (index, invalid, answer) in [
        ("where(x < 5, x*3, -1) + 0", "-1", "v = in[x*3] if x < 5 else 0\n"),
        ("where(x < 5, x*3, NONE)*4 + 1", "NONE", "v = in[x*12 + 1] if x < 5 else 0\n"),
        ("where(x < 5, where(x > 1, x, NONE) + 7, NONE)*2", "NONE", "v = in[x*2 + 14] if x >= 2 and x < 5 else 0\n"),
        ("NONE*2", "NONE", "v = 0\n"),
    ] {
        let out = run(index, invalid);
        assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (0, answer, ""), "{index}");
    }
}

#[test]
fn an_index_without_a_gate_is_warned_of() {
    for (index, invalid) in
        [("x*3", "-1"), ("where(x < 5, x*3, -2)", "-1"), ("where(x < 5, x*3, -1)*2", "-1"), ("x*3", "NONE")]
    {
        let out = quaff(&["access", index, "--invalid", invalid, "--var", "x=0..9"]);
        assert_eq!(out.code, 0, "{}", out.stderr);
        assert!(out.stderr.contains("quaff::access::no_gate") && out.stderr.contains("index:1:1"), "{}", out.stderr);
        assert!(out.stdout.starts_with("v = in["), "{}", out.stdout);
    }
    // the warning also appears if there is an additional gate
    let out = quaff(&["access", "x*3", "--invalid", "-1", "--gate", "x < 5", "--var", "x=0..9"]);
    assert!(out.stderr.contains("quaff::access::no_gate"), "{}", out.stderr);
    // a mask that always holds counts as a mask
    let out = quaff(&["access", "where(x < 10, x*3, -1)", "--invalid", "-1", "--var", "x=0..9"]);
    assert_eq!((out.stdout.as_str(), out.stderr.as_str()), ("v = in[x*3]\n", ""));
}

#[test]
fn json_has_gate_indices_and_cost() {
    let v: Value = serde_json::from_str(&padded(&["--json"]).stdout).expect("valid JSON");
    assert_eq!(v["gate"], "t + r*16 < 272 and t + r*16 >= 16");
    assert_eq!(v["indices"], serde_json::json!(["t + r*16 - 16"]));
    assert!(v["cost"].as_f64() < v["input_cost"].as_f64(), "{v}");
    assert_eq!(v["stop"], "saturated", "{v}");
    assert!(v["cuda"].is_string() && v["wide"] == serde_json::json!([]), "{v}");
    let buffer = serde_json::json!({"name": "image", "type": "const float *"});
    assert_eq!(
        (&v["params"][2], &v["results"], &v["renamed"]),
        (&buffer, &serde_json::json!([]), &serde_json::json!({}))
    );
}

#[test]
fn errors_have_their_place_in_the_text_they_are_in() {
    let out = quaff(&["access", "i", "--mask", "i//k > 0", "--var", "i=0..9", "--var", "k=0..3"]);
    assert_eq!(out.code, 1);
    assert!(out.stderr.contains("quaff::zero_divisor") && out.stderr.contains("--mask:1:4"), "{}", out.stderr);
    // under the gate, the divisor is not 0
    let out = quaff(&["access", "i//k", "--gate", "k > 0", "--var", "i=0..9", "--var", "k=0..3"]);
    assert_eq!((out.code, out.stdout.as_str()), (0, "v = in[i//k] if k >= 1 else 0\n"));
    assert_eq!(quaff_with(&["access", "--var", "i=0..9"], b"i//1").stdout, "v = in[i]\n");
}

#[test]
fn values_are_called_like_no_buffer() {
    for more in [&["--buffer", "v"][..], &["--buffer", "a", "--into", "a"], &["--store", "x", "--buffer", "x"]] {
        let out = quaff(&[&["access", "i", "--var", "i=0..9"], more].concat());
        assert!(out.code == 1 && out.stderr.contains("the buffer has this name"), "{more:?}: {}", out.stderr);
    }
}

/// Warnings about wide indices, and the places that they show.
#[test]
fn wide_indices_are_warned_of() {
    let commands: &[&[&str]] = &[
        &["simplify", "i*s + j", "--var", "i=0..1048575", "--var", "s=0..8192", "--var", "j=0..9", "--emit", "cuda"],
        &[
            "simplify",
            "a*s//7 + c*s",
            "--var",
            "a=0..99999",
            "--var",
            "s=0..99999",
            "--var",
            "c=0..99999",
            "--emit",
            "c",
        ],
        &["simplify", "x + 1", "--var", "x=0..5000000000", "--emit", "cuda"],
        &["simplify", "x < y", "--var", "x=-5..5", "--var", "y=0..4294967295", "--emit", "cuda"],
        &[
            "simplify",
            "i*s + j - i*s",
            "--var",
            "i=0..1048575",
            "--var",
            "s=0..8192",
            "--var",
            "j=0..9",
            "--emit",
            "cuda",
        ],
        &["simplify", "i*s", "--var", "i=0..1048575", "--var", "s=0..8192"],
        &["access", "i + 1", "--gate", "i*s < 9", "--var", "i=0..1048575", "--var", "s=0..8192", "--emit", "cuda"],
        &["access", "i*s", "--gate", "i < 9", "--var", "i=0..1048575", "--var", "s=0..8192", "--emit", "cuda"],
    ];
    let mut text = String::new();
    for command in commands {
        let out = quaff(command);
        assert_eq!(out.code, 0, "{}", out.stderr);
        let trimmed: String = out.stderr.lines().map(|l| l.trim_end().to_string() + "\n").collect();
        writeln!(text, "$ quaff {}\n{trimmed}{}", quoted(command), out.stdout).expect("a string");
    }
    golden::check("wide.txt", &text);
}

#[test]
fn names_and_types_are_no_code() {
    for (option, text) in
        [("--buffer", "a b; system()"), ("--buffer", "int"), ("--into", "v = 0; int w"), ("--type", "float x; int")]
    {
        let out = quaff(&["access", "i", "--var", "i=0..9", option, text]);
        assert!(out.code == 1 && out.stderr.contains(&format!("`{option}` is `{text}`")), "{}", out.stderr);
    }
    let out = quaff(&["access", "i", "--var", "i=0..9", "--type", "unsigned long long", "--emit", "c"]);
    assert_eq!(out.stdout, "// parameters: int i, const unsigned long long *in\nconst unsigned long long v = in[i];\n");
    let out = quaff(&["view", "shape(4)", "--type", "float; x"]);
    assert!(out.code == 1 && out.stderr.contains("`--type` is"), "{}", out.stderr);
}

#[test]
fn an_alignment_is_a_power_of_two() {
    for (aligned, message) in [("3", "is a power of two"), ("0", "is a power of two"), ("x", "is a number of bytes")] {
        let refused = quaff(&["access", "t", "--var", "t=0..3", "--aligned", aligned]);
        assert!(refused.code == 64 && refused.stderr.contains(message), "{}", refused.stderr);
    }
    assert_eq!(quaff(&["access", "t", "--var", "t=0..3", "--aligned", "16"]).code, 0);
}
