//! Tests of `quaff simplify` and `quaff rules`.

use crate::golden;
use crate::quaff_program;
use crate::quaff_program::{quaff, quaff_with};
use serde_json::Value;
use std::fmt::Write;

#[test]
fn the_answer_is_one_line() {
    let out = quaff(&["simplify", "(i*512 + j) // 512", "--var", "i=0..1023", "--var", "j=0..511"]);
    assert_eq!((out.code, out.stdout.as_str(), out.stderr.as_str()), (0, "i\n", ""));
}

#[test]
fn symbolic_ends_strides_and_signs_are_understood() {
    let symbolic = ["simplify", "(r*w + c) % w", "--var", "w=1..4096", "--var", "c=0..w-1", "--var", "r=0..99"];
    assert_eq!(quaff(&symbolic).stdout, "c\n");
    assert_eq!(quaff(&["simplify", "x % 4", "--var", "x=0..96 step 4 from 1"]).stdout, "1\n");
    assert_eq!(quaff(&["simplify", "-x // 1", "--var", "x=0..5"]).stdout, "-x\n", "a leading minus is no option");
}

#[test]
fn the_expression_comes_from_standard_input_when_absent_or_a_dash() {
    for args in [&["simplify", "--var", "x=0..9"][..], &["simplify", "-", "--var", "x=0..9"]] {
        let out = quaff_with(args, b"(4*x + 3) // 4\n");
        assert_eq!((out.code, out.stdout.as_str()), (0, "x\n"));
    }
}

#[test]
fn every_language_is_printed() {
    let emit = |language| {
        let out = quaff(&["simplify", "x // 7 % 8", "--var", "x=0..9999", "--emit", language]);
        assert_eq!(out.code, 0, "{language}: {}", out.stderr);
        out.stdout
    };
    assert_eq!(emit("infix"), "x//7%8\n");
    assert_eq!(emit("sexp"), "(% (// x 7) 8)\n");
    assert!(emit("cuda").contains("__umulhi"));
    assert!(emit("c").contains("static inline unsigned __umulhi"), "C text is complete");
    assert_eq!(emit("python"), "return x // 7 % 8\n");
    assert!(emit("rust").contains("div_euclid"));
}

#[test]
fn prepared_divisors_come_with_their_host_code() {
    let out =
        quaff(&["simplify", "x // n", "--var", "x=0..9999", "--var", "n=1..99", "--uniform", "n", "--emit", "cuda"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert!(out.stdout.contains("quaff_fastdivmod_t quaff_fastdivmod_any(unsigned d) {"), "{}", out.stdout);
    let contract = "// parameters: int x, int n, quaff_fastdivmod_t n_div\n// result: int\n// host: n_div = quaff_fastdivmod_any(n)\nreturn ";
    assert!(out.stdout.contains(contract), "{}", out.stdout);
}

#[test]
fn json_has_the_answer_its_cost_and_the_way() {
    let out = quaff(&["simplify", "(4*x + 3) // 4", "--var", "x=0..9", "--json", "--trace"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    assert_eq!(v["out"], "x");
    assert_eq!(v["cuda"], "return x;");
    assert_eq!(v["cost"], 0.0);
    assert!(v["input_cost"].as_f64() > Some(0.0));
    assert_eq!(v["stop"], "saturated");
    assert!(v["rounds"].is_u64() && v["nodes"].is_u64() && v["us"].as_f64() > Some(0.0));
    let steps = v["steps"].as_array().expect("a list");
    assert!(!steps.is_empty() && steps.iter().all(|s| s["rule"].is_string() && s["after"].is_string()));
}

#[test]
fn json_without_ranges_says_why_there_is_no_cuda() {
    let out = quaff(&["simplify", "x // 4", "--var", "x=..", "--var", "y=..", "--json"]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    let out = quaff(&["simplify", "x * y * 8", "--var", "x=0..", "--var", "y=..", "--json"]);
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    assert!(v["cuda"].is_null() && v["cuda_why"].is_string(), "{v}");
}

#[test]
fn conditions_are_assumed() {
    let mask = ["--var", "r=0..27", "--var", "a=0..2", "--assume", "r + a >= 1", "--assume", "r + a < 29"];
    let run = |args: &[&str]| {
        let out = quaff(&[args, &mask[..]].concat());
        assert_eq!(out.stderr, "", "{args:?}");
        (out.code, out.stdout)
    };
    assert_eq!(run(&["simplify", "(r + a + 27)%28"]), (0, "r + a - 1\n".into()));
    assert_eq!(
        run(&["simplify", "(r + a + 27)%28", "--emit", "cuda"]),
        (0, "// parameters: int r, int a\n// result: int\nreturn r + a - 1;\n".into())
    );
    assert_eq!(run(&["simplify", "(r + a + 27)%28", "--verify"]), (0, "r + a - 1\n".into()));
    assert_eq!(run(&["simplify", "where(r + a < 1, 5, r)"]), (0, "r\n".into()));
    assert_eq!(run(&["verify", "(r + a + 27)%28", "r + a - 1"]), (0, "equal\n".into()));
    let (code, json) = run(&["simplify", "(r + a + 27)%28", "--json"]);
    let v: Value = serde_json::from_str(&json).expect("valid JSON");
    assert_eq!((code, v["out"].as_str(), v["cost"].as_f64()), (0, Some("r + a - 1"), Some(1.0)));
    // without the conditions, the expressions differ
    let out = quaff(&["verify", "(r + a + 27)%28", "r + a - 1", "--var", "r=0..27", "--var", "a=0..2"]);
    assert_eq!((out.code, out.stdout.as_str()), (1, "different at r = 0, a = 0: 27 but -1\n"));
}

#[test]
fn a_trace_names_rules_on_standard_error() {
    let out = quaff(&["simplify", "(4*x + 3) // 4", "--var", "x=0..9", "--trace"]);
    assert_eq!(out.stdout, "x\n");
    assert!(out.stderr.contains("  ->  x") && out.stderr.contains("cost "), "{}", out.stderr);
}

/// One case for each reason why input can be refused.
#[test]
fn messages_show_the_place() {
    let rules = tempfile::tempdir().expect("a folder");
    std::fs::write(rules.path().join("bad.rules"), "(rule first \"no reason\"\n  (match (// ?x #n))\n  (yield ?z))\n")
        .expect("writable");
    let folder = rules.path().display().to_string();
    let long = format!("{} + zzz + {}", ["i"; 300].join(" + "), ["i"; 300].join(" + "));
    let cases: &[&[&str]] = &[
        &["simplify", "(i + 1"],
        &["simplify", "i +* 2", "--var", "i=0..3"],
        &["simplify", "i / 2", "--var", "i=0..3"],
        &["simplify", ""],
        &["simplify", "99999999999999999999"],
        &["simplify", "i + j*2", "--var", "i=0..3"],
        &["simplify", "i // (j - 2) + 1", "--var", "i=0..3", "--var", "j=0..5"],
        &["simplify", "i % 0", "--var", "i=0..3"],
        &["simplify", "i << j", "--var", "i=0..3", "--var", "j=0..500"],
        &["simplify", &long, "--var", "i=0..3"],
        &["simplify", "i", "--var", "i:0..3"],
        &["simplify", "i", "--var", "i=0..3+"],
        &["simplify", "i", "--var", "i=7"],
        &["simplify", "True + 1", "--var", "True=5..9"],
        &["simplify", "i", "--var", "i=0..3", "--uniform", "not"],
        &["simplify", "i", "--var", "i=0..j"],
        &["simplify", "i", "--var", "i=5..0"],
        &["simplify", "i", "--var", "i=1..3 step 8"],
        &["simplify", "i", "--var", "i=0..3", "--assume", "i <"],
        &["simplify", "i", "--var", "i=0..3", "--assume", "i < 2", "--assume", "k > 0"],
        &["simplify", "i", "--var", "i=0..3", "--assume", "i > 0 and 4//i > 1"],
        &["simplify", "i", "--var", "i=0..3", "--assume", "i < 2", "--assume", "i > 2"],
        &["simplify", "i//n", "--var", "i=0..3", "--uniform", "n"],
        &["access", "i", "--var", "i=0..3", "--uniform", "i", "--uniform", "j"],
        &["explain", "3", "--uniform", "n"],
        &["simplify", "i*i*i*i", "--var", "i=0..999999", "--emit", "cuda"],
        &["simplify", "i", "--var", "i=0..3", "--rules", &folder],
        &["simplify", "i", "--var", "i=0..3", "--rules", "no-such-folder"],
        &["rules", "show", "div-split"],
        &["rules", "show", "no-such-rule"],
        &["simplify", "i", "--no-such-option"],
        &["simplify", "i", "--emit", "cobol"],
        &["simplify", "i", "--json", "--emit", "c"],
        &["no-such-command"],
        &["batch", "no-such-file.jsonl"],
    ];
    let mut all = String::new();
    for args in cases {
        let out = quaff(args);
        assert!(!out.stderr.contains('\u{1b}'), "no colours in a file: {}", out.stderr);
        let shown: Vec<String> = args
            .iter()
            .map(|a| if a.len() > 40 { "LONG".into() } else { format!("{a:?}") })
            .map(|a: String| a.replace(&folder, "DIR"))
            .collect();
        let shown =
            shown.join(" ").replace("LONG", if args[0] == "simplify" && args[1] == long { "LONG" } else { "DIR" });
        let stderr: String =
            out.stderr.replace(&folder, "DIR").lines().map(|l| format!("{}\n", l.trim_end())).collect();
        writeln!(all, "$ quaff {shown}\nexit {}\n{}{stderr}", out.code, out.stdout).expect("a string");
    }
    golden::check("cli_errors.txt", &all);
}

#[test]
fn help_has_examples_that_work() {
    let top = quaff(&["--help"]);
    assert_eq!(top.code, 0);
    assert!(top.stdout.contains("Exit codes:") && top.stdout.contains("  64 "));
    for command in ["simplify", "batch", "verify", "explain", "egraph", "rules"] {
        assert!(quaff(&[command, "--help"]).stdout.contains("Examples:"), "{command}");
    }
    if cfg!(unix) {
        let help = quaff(&["simplify", "--help"]).stdout;
        let examples = help.lines().map(str::trim).filter(|l| l.contains("quaff simplify '") || l.starts_with("echo"));
        let examples: Vec<&str> = examples.collect();
        assert!(examples.len() >= 4, "{help}");
        for example in examples {
            let out = quaff_program::shell(example);
            assert_eq!(out.code, 0, "{example}: {}", out.stderr);
        }
    }
}

#[test]
fn rules_are_listed_and_shown() {
    let list = quaff(&["rules", "list"]).stdout;
    let names: Vec<&str> = list.lines().filter_map(|l| l.split('\t').next()).collect();
    assert!(names.len() > 10 && list.lines().all(|l| l.split('\t').count() == 3), "{list}");
    for name in names {
        let out = quaff(&["rules", "show", name]);
        assert!(out.stdout.contains(&format!("(rule {name} ")), "{}", out.stdout);
    }
}

#[test]
fn rules_of_a_folder_replace_the_built_in_ones() {
    let rules = tempfile::tempdir().expect("a folder");
    std::fs::write(
        rules.path().join("one.rules"),
        "(rule only \"floor division composes\" (match (// (// ?x... #a) #b)) (when (> #a 0) (> #b 0)) \
         (yield (// ?x (* #a #b))))",
    )
    .expect("writable");
    let folder = rules.path().display().to_string();
    let out = quaff(&["simplify", "x // 3 // 5", "--var", "x=0..999", "--rules", &folder]);
    assert_eq!((out.code, out.stdout.as_str()), (0, "x//15\n"));
    assert_eq!(quaff(&["rules", "list", "--rules", &folder]).stdout.lines().count(), 1);
    // a wrong rule, which no built-in rule implies, shows that both rule sets are used
    std::fs::write(rules.path().join("one.rules"), "(rule only \"for the test\" (match (// ?x 77)) (yield 5))")
        .expect("writable");
    let out = quaff(&[
        "simplify",
        "x // 77 + y*4//4",
        "--var",
        "x=0..999",
        "--var",
        "y=0..9",
        "--trust-rules",
        "--add-rules",
        &folder,
    ]);
    assert_eq!((out.code, out.stdout.as_str()), (0, "y + 5\n"));
}

/// The number of nested operators.
const DEPTH: usize = 10_000;

/// Huge inputs are answered or refused with a short message. An input that hangs fails by the time limit of
/// [`quaff_with`].
#[test]
fn huge_inputs_end() {
    let chain = format!("{}x{}", "(".repeat(DEPTH), " + 1) // 2".repeat(DEPTH));
    let nested = format!("{}x{}", "min(1, ".repeat(DEPTH), ")".repeat(DEPTH));
    let parentheses = format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000));
    let sum = format!("{}x{}", "(x + ".repeat(100_000), ")".repeat(100_000));
    let unclosed = "(".repeat(5_000_000);
    let wide = ["x//3*7 % 11"; 5_000_000 / 14].join(" + ");
    let zero = format!("{} + x // y", ["x"; 1_250_000].join(" + "));
    let cases = [
        ("chain", chain),
        ("nested", nested),
        ("parentheses", parentheses),
        ("sum", sum),
        ("unclosed", unclosed),
        ("wide", wide),
        ("zero", zero),
    ];
    for (what, text) in cases {
        let out = quaff_with(&["simplify", "--var", "x=0..99", "--var", "y=0..1"], text.as_bytes());
        assert!(matches!(out.code, 0 | 1), "{what}: exit {} {}", out.code, out.stderr);
        assert!(out.stderr.len() < 2_000, "{what}: {} bytes of message", out.stderr.len());
        eprintln!("{what}: {} bytes, exit {}", text.len(), out.code);
    }
}

#[test]
fn json_says_what_a_text_relies_on() {
    let args =
        ["simplify", "x//n + threadIdx.x + float", "--var", "x=0..4000000000", "--var", "n=2..99", "--uniform", "n"];
    let more = ["--var", "threadIdx.x=0..1023", "--var", "float=0..9", "--json"];
    let v: Value = serde_json::from_str(&quaff(&[&args[..], &more].concat()).stdout).expect("valid JSON");
    assert!(v["cuda"].as_str().is_some_and(|t| t.contains("threadIdx.x") && t.contains("float_2")), "{v}");
    assert_eq!(v["renamed"], serde_json::json!({"float": "float_2"}));
    let params = v["params"].as_array().expect("a list");
    assert!(params.contains(&serde_json::json!({"name": "x", "type": "unsigned"})), "{v}");
    let args = ["simplify", "x//(n*3)", "--var", "x=0..4000000", "--var", "n=2..99", "--uniform", "n", "--json"];
    let v: Value = serde_json::from_str(&quaff(&args).stdout).expect("valid JSON");
    let divisor = serde_json::json!({"name": "n3_div", "divisor": "n*3", "helper": "quaff_fastdivmod"});
    assert_eq!((&v["divisors"][0], &v["results"]), (&divisor, &serde_json::json!(["int"])));
    assert_eq!(v["params"][1], serde_json::json!({"name": "n", "type": "int"}));
    assert!(v["definitions"].as_str().is_some_and(|t| t.contains("typedef")), "{v}");
    assert!(v["host"].as_str().is_some_and(|t| t.contains("quaff_fastdivmod(unsigned d)")), "{v}");
}
