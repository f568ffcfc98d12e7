//! Tests of complete functions: all commands describe parameters, divisors and names in the same way.

use crate::quaff_program::{quaff, quaff_with};
use serde_json::{Value, json};

/// The arguments for an expression with two prepared divisors, and a variable whose name C, Python and Rust do not
/// accept.
fn arguments<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let expression = ["simplify", "i//(w*3) + i//h + break", "--uniform", "w", "--uniform", "h"];
    let ranges = ["--var", "i=0..99999", "--var", "w=1..99", "--var", "h=1..99", "--var", "break=0..9"];
    [&expression[..], &ranges, more].concat()
}

#[test]
fn a_function_has_its_parameters_and_what_the_host_calls() {
    for (language, wanted) in [
        ("cuda", "__device__ __forceinline__ int row(int i, int break_2, quaff_fastdivmod_t "),
        ("c", "static inline int row(int i, int break_2, quaff_fastdivmod_t "),
        ("rust", "pub fn row(break_2: i64, i: i64, "),
        ("python", "def row(break_2, i, "),
        ("triton", "@triton.jit\ndef row(break_2, i, "),
    ] {
        let run = quaff(&arguments(&["--emit", language, "--function", "row"]));
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert!(run.stdout.contains(wanted), "{language}: {}", run.stdout);
        assert!(run.stdout.contains("renamed: `break` is break_2\n"), "{language}: {}", run.stdout);
        let makers = [
            "row_w3_div(int w) { return quaff_fastdivmod(w*3); }",
            "row_h_div(int h) { return quaff_fastdivmod_any(h); }",
        ];
        let has_makers = makers.iter().all(|maker| run.stdout.contains(maker));
        assert_eq!(has_makers, ["cuda", "c"].contains(&language), "{language}: {}", run.stdout);
    }
    let plain = quaff(&arguments(&["--emit", "cuda"])).stdout;
    assert!(
        plain.contains("w3_div = quaff_fastdivmod(w*3)") && plain.contains("h_div = quaff_fastdivmod_any(h)"),
        "{plain}"
    );
}

#[test]
fn a_function_has_a_name_of_its_own_in_a_language_of_functions() {
    for (more, code, help) in [
        (["--emit", "c", "--function", "i"], "quaff::function_name", "nothing in the text has it"),
        (["--emit", "rust", "--function", "fn"], "quaff::function_name", "no word of the language"),
        (["--emit", "triton", "--function", "9"], "quaff::function_name", "begins with no digit"),
        (["--emit", "infix", "--function", "row"], "quaff::function_language", "--emit cuda"),
        (["--emit", "sexp", "--function", "row"], "quaff::function_language", "--emit cuda"),
    ] {
        let run = quaff(&arguments(&more));
        assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{more:?}");
        let said = run.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(said.contains(code) && said.contains(help), "{more:?}: {said}");
    }
    assert_eq!(quaff(&arguments(&["--json", "--function", "row"])).code, 64);
}

/// A kernel that reads a buffer at a divided index. It has a variable whose name C does not accept.
const KERNEL: &str = r#"{"vars": {"x": [0, 9999], "n": [1, 99], "float": [0, 9]}, "kinds": {"n": "size"}, "uniform": ["n"],
    "accesses": [{"expr": "x//n + float", "buf": "in"}]}"#;

#[test]
fn every_command_says_params_divisors_and_names_as_data() {
    let domain = ["--var", "x=0..9999", "--var", "n=1..99", "--var", "float=0..9", "--uniform", "n", "--json"];
    let with = |command: &[&str]| quaff(&[command, &domain].concat()).stdout;
    let view = ["view", "shape(x, n).permute(1, 0).reshape(x*n)", "--names", "float", "--json"];
    let view = quaff(&[&view[..], &["--var", "x=1..99", "--var", "n=1..99", "--uniform", "x"]].concat()).stdout;
    let batch = |line: &str| quaff_with(&["batch", "-"], line.replace('\n', " ").as_bytes()).stdout;
    let question =
        r#"{"vars": {"x": [0, 9999], "n": [1, 99], "float": [0, 9]}, "uniform": ["n"], "expr": "x//n + float"}"#;
    let several = question.replace(r#""expr": "x//n + float""#, r#""exprs": ["x//n + float", "x%n"]"#);
    let dims = "equations = [\"thread = row * n\"]\n[sizes]\nn = { range = \"1..64\" }\nrow = 8\n[set]\nthread = \"threadIdx.x\"\n[[want]]\nget = [\"row\"]\n";
    for (command, out, is_renamed) in [
        ("simplify", with(&["simplify", "x//n + float"]), true),
        ("access", with(&["access", "x//n + float"]), true),
        ("view", view, true),
        ("kernel", quaff_with(&["kernel", "-", "--json"], KERNEL.as_bytes()).stdout, true),
        ("batch", batch(question), true),
        ("batch of several", batch(&several), true),
        ("batch of accesses", batch(KERNEL), true),
        // `dims` refuses a name that CUDA does not accept
        ("dims", quaff_with(&["dims", "-", "--json"], dims.as_bytes()).stdout, false),
    ] {
        let value: Value = serde_json::from_str(&out).unwrap_or_else(|e| panic!("{command}: {e}: {out}"));
        let (divisor, params) = (&value["divisors"][0], value["params"].as_array().expect("a list"));
        let name = divisor["divisor"].as_str().unwrap_or_else(|| panic!("{command}: {out}"));
        assert_eq!(divisor["name"], json!(format!("{name}_div")), "{command}");
        assert_eq!(divisor["helper"], json!("quaff_fastdivmod_any"), "{command}");
        assert!(params.iter().all(|p| p["name"].is_string() && p["type"].is_string()), "{command}: {params:?}");
        assert!(
            value["host"].as_str().is_some_and(|host| host.contains("quaff_fastdivmod_any(unsigned d)")),
            "{command}"
        );
        let renamed = if is_renamed { json!({"float": "float_2"}) } else { json!({}) };
        assert_eq!(value["renamed"], renamed, "{command}");
    }
}

#[test]
fn every_command_says_which_names_are_others() {
    let view = ["view", "shape(8, 4).permute(1, 0)", "--names", "float,k"];
    let banks = ["banks", "--search", "--tile", "32x32", "--access", "k, float", "--access", "float, k"];
    let banks = [&banks[..], &["--lane", "float=0..31", "--var", "k=0..31"]].concat();
    let range = ["--var", "float=0..9"];
    let kernel = KERNEL.as_bytes();
    for out in [
        quaff(&[&["access", "float//3", "--emit", "cuda"], &range[..]].concat()).stdout,
        quaff(&[&["access", "float//3", "--emit", "c"], &range[..]].concat()).stdout,
        quaff(&view).stdout,
        quaff(&banks).stdout,
        quaff_with(&["kernel", "-", "--emit", "cuda"], kernel).stdout,
        quaff_with(&["kernel", "-", "--emit", "c"], kernel).stdout,
    ] {
        assert!(out.contains("// renamed: `float` is float_2\n"), "{out}");
    }
    for (language, name) in [("cuda", "float"), ("c", "int"), ("python", "lambda"), ("triton", "tl"), ("rust", "fn")] {
        let var = format!("{name}=0..9");
        let out = quaff(&["simplify", name, "--var", &var, "--emit", language]).stdout;
        assert!(out.contains(&format!("renamed: `{name}` is {name}_2\n")), "{out}");
    }
}
