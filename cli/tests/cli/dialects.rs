//! Tests of `--from`, `--to` and `--let`, and of messages about texts that cannot be read.

use crate::quaff_program::{Run, quaff, quaff_with};
use serde_json::Value;

/// The standard output of a call that must succeed.
fn printed(args: &[&str]) -> String {
    let Run { code, stdout, stderr } = quaff(args);
    assert_eq!(code, 0, "{args:?}: {stderr}");
    stdout
}

#[test]
fn a_text_has_the_meaning_of_its_language() {
    let simplified = |from, text, var| printed(&["simplify", "--from", from, text, "--var", var]);
    assert_eq!(simplified("c", "x % 4", "x=0..9"), "x%4\n");
    assert_eq!(simplified("c", "x / 4 * 4 + x % 4", "x=-9..9"), "x\n");
    assert_eq!(simplified("c", "x & 3 == 0", "x=0..9"), "0\n");
    assert_eq!(simplified("python", "(x & 3) == 0", "x=0..9"), "x%4 == 0\n");
    assert_eq!(simplified("halide", "x / 4 * 4 + x % 4", "x=-9..9"), "x\n");
    assert_eq!(
        simplified("triton", "tl.cdiv(tl.program_id(0), 4) * 4", "tl.program_id(0)=0..3"),
        "(program_id_0 + 3)//4*4\n"
    );
}

#[test]
fn a_map_has_several_results_and_may_bring_its_ranges() {
    let map = "(d0, d1) -> ((d0*8 + d1) floordiv 8, (d0*8 + d1) mod 8), domain: d0 in [0, 99], d1 in [0, 7]";
    assert_eq!(printed(&["simplify", "--from", "xla", map]), "d0\nd1\n");
    assert_eq!(printed(&["simplify", "--from", "xla", "--emit", "python", map]), "return d0\nreturn d1\n");
    assert_eq!(printed(&["simplify", "--from", "xla", "--to", "mlir", map]), "affine_map<(d0, d1) -> (d0, d1)>\n");
    let json: Value = serde_json::from_str(&printed(&["simplify", "--from", "xla", "--json", map])).expect("JSON");
    assert_eq!(json["outs"], serde_json::json!(["d0", "d1"]));
    let two = quaff(&["explain", "--from", "xla", map]);
    assert!(two.code == 1 && two.stderr.contains("has 2 results"), "{}", two.stderr);
}

#[test]
fn an_answer_goes_back_to_where_it_came_from() {
    let text = "(blockIdx.x * blockDim.x + threadIdx.x) / 32 * 32 + threadIdx.x % 32";
    let vars = ["--var", "blockIdx.x=0..1023", "--var", "blockDim.x=256"];
    let to_cuda = [&["simplify", "--from", "cuda", "--to", "cuda", text][..], &vars].concat();
    let answer = printed(&to_cuda);
    assert_eq!(answer, "blockIdx.x * 256 + threadIdx.x\n");
    let args = [&["verify", "--from", "cuda", text, answer.trim()][..], &vars].concat();
    assert_eq!(printed(&args), "equal\n");
}

#[test]
fn definitions_are_substituted() {
    let lets = ["--let", "row=i//96", "--let", "col=i - row*96", "--var", "i=0..9999"];
    assert_eq!(printed(&[&["simplify", "row*96 + col"][..], &lets].concat()), "i\n");
    let text = "int row = i / 96, col = i % 96; row*96 + col";
    assert_eq!(printed(&["simplify", "--from", "c", text, "--var", "i=0..9999"]), "i\n");
    let none = quaff(&["simplify", "row", "--let", "row", "--var", "i=0..9"]);
    assert!(none.stderr.contains("`--let` needs a name and an expression"), "{}", none.stderr);
}

#[test]
fn what_definitions_and_assumptions_rely_on_is_checked() {
    let cuda = printed(&["simplify", "--from", "cuda", "--let", "lane=threadIdx.x % 32", "lane / 32"]);
    assert_eq!(cuda, "0\n");
    let lets = |var| {
        quaff(&["simplify", "--from", "c", "--let", "q=(size_t)(x - 4) / 3", "q + y", "--var", var, "--var", "y=0..9"])
    };
    assert!(lets("x=0..9").stderr.contains("quaff::requirement"), "{}", lets("x=0..9").stderr);
    assert_eq!(lets("x=4..9").code, 0);
    let used = quaff(&["simplify", "--from", "c", "--let", "d=x - 4", "(size_t)d / 3", "--var", "x=0..9"]);
    assert!(used.stderr.contains("quaff::requirement"), "{}", used.stderr);
    let assumed = quaff(&["simplify", "--from", "c", "x", "--var", "x=0..9", "--assume", "(size_t)(x - 4) < 3"]);
    assert!(assumed.stderr.contains("quaff::requirement"), "{}", assumed.stderr);
    // a definition does not move the places of other parts
    let place = quaff(&["simplify", "a + b + c", "--let", "a=1", "--var", "b=0..9"]);
    assert!(place.stderr.contains("-- not declared"), "{}", place.stderr);
}

#[test]
fn names_that_a_language_cannot_have_are_said() {
    let out = quaff(&["simplify", "threadIdx.x + 1", "--var", "threadIdx.x=0..9", "--to", "c"]);
    assert_eq!(
        (out.stdout.as_str(), out.stderr.as_str()),
        ("threadIdx_x + 1\n", "quaff: `threadIdx.x` is written threadIdx_x\n")
    );
}

#[test]
fn several_expressions_are_answered_together() {
    assert_eq!(printed(&["simplify", "x*8//8", "x*8%8", "--var", "x=0..9"]), "x\n0\n");
    let cuda = printed(&["simplify", "x//7 + 1", "x//7*3", "--var", "x=0..99", "--emit", "cuda"]);
    assert!(cuda.contains("out[0] = ") && cuda.contains("out[1] = "), "{cuda}");
    let checked = printed(&["simplify", "x//7", "x%7", "--var", "x=0..99", "--verify", "--json"]);
    assert!(checked.contains("\"verified\": \"equal\""), "{checked}");
    let traced = printed(&["simplify", "x*8//8", "x*8%8", "--var", "x=0..99", "--trace", "--json"]);
    let json: Value = serde_json::from_str(&traced).expect("JSON");
    let steps = json["steps"].as_array().expect("steps");
    assert!(steps.iter().any(|s| s["before"] == "x*8//8" && s["after"] == "x"), "{traced}");
    assert!(json["rounds"].is_u64() && json["wide"] == serde_json::json!([]), "{traced}");
}

#[test]
fn all_undeclared_variables_are_reported_at_once_with_flags_to_paste() {
    let out = quaff(&["simplify", "row*Width + col", "--var", "width=1..64", "--var", "row=0..9"]);
    assert_eq!(out.code, 1);
    for part in [
        "2 variables are not declared: Width, col",
        "--var Width=0..1023 --var col=0..1023",
        "`width` is declared and near `Width`",
    ] {
        assert!(out.stderr.replace("\n", " ").contains(part), "{part}: {}", out.stderr);
    }
}

#[test]
fn a_value_that_may_mean_something_else_is_refused() {
    let asked = |var| quaff(&["simplify", "--from", "c", "(size_t)(x - 4) / 3", "--var", var]);
    let refused = asked("x=0..99");
    assert!(refused.code == 1 && refused.stderr.contains("quaff::requirement"), "{}", refused.stderr);
    assert_eq!(asked("x=4..99").stdout, "(x - 4)//3\n");
    // wrapping around at 32 bits is part of the expression
    assert_eq!(printed(&["simplify", "--from", "c", "(unsigned)(x - 4) / 3", "--var", "x=4..99"]), "(x - 4)//3\n");
    assert_eq!(printed(&["simplify", "--from", "c", "(unsigned)(x - 4) > 7", "--var", "x=0..3"]), "1\n");
}

#[test]
fn foreign_texts_are_told_where_they_can_be_read() {
    let out = quaff(&["simplify", "x > 3 && y", "--var", "x=0..9", "--var", "y=0..1", "--from", "python"]);
    assert!(out.stderr.contains("--from c"), "{}", out.stderr);
    for (text, flag) in [("x / 4", "c"), ("threadIdx.x / 4", "cuda"), ("d0 floordiv 4", "mlir"), ("Mod(x, 4)", "sympy")]
    {
        let read = format!("`--from {flag}` reads this text");
        for args in [&["simplify", text][..], &["simplify", "x", "--let", &format!("x={text}")]] {
            let out = quaff(args);
            assert!(out.code == 1 && out.stderr.contains(&read), "{text}: {}", out.stderr);
        }
    }
    let nobody = quaff(&["simplify", "x + 0.5"]);
    assert!(nobody.code == 1 && !nobody.stderr.contains("--from"), "{}", nobody.stderr);
    let dialect = quaff(&["simplify", "--from", "cudda", "x"]);
    assert!(dialect.code == 64 && dialect.stderr.contains("cuda"), "{}", dialect.stderr);
}

#[test]
fn programs_say_the_language_of_their_expressions_or_have_it_said() {
    let kernel = r#"{"vars": {"x": [-9, 9]}, "accesses": [{"expr": "x / 4 * 4 + x % 4", "gate": "x > 3 && x"}]}"#;
    let answer = |args: &[&str], text: &str| quaff_with(args, text.as_bytes());
    let c = answer(&["kernel", "--from", "c", "--json", "-"], kernel);
    let found: Value = serde_json::from_str(&c.stdout).expect(&c.stderr);
    assert_eq!((&found["outs"][0], &found["gates"][0]), (&"x".into(), &"x >= 4".into()));
    let own = kernel.replace("{\"vars\"", "{\"from\": \"c\", \"vars\"");
    assert_eq!(answer(&["kernel", "--from", "python", "--json", "-"], &own).stdout, c.stdout);
    let infix = answer(&["kernel", "-"], kernel);
    assert!(infix.code == 1 && infix.stderr.contains("`\"from\": \"c\"` reads this text"), "{}", infix.stderr);

    let line = r#"{"vars": {"x": [-9, 9]}, "expr": "x / 4 * 4 + x % 4"}"#;
    let found: Value = serde_json::from_str(&answer(&["batch", "--from", "c", "-"], line).stdout).expect("JSON");
    assert_eq!(found["out"], "x");
    let own = line.replace("{\"vars\"", "{\"from\": \"halide\", \"vars\"");
    let found: Value = serde_json::from_str(&answer(&["batch", "--from", "c", "-"], &own).stdout).expect("JSON");
    assert_eq!(found["out"], "x");
}

#[test]
fn sizes_of_files_and_chains_are_in_a_language() {
    let file = |from: &str, condition: &str| {
        format!(
            "{from}equations = [\"n = rows * lane\"]\nassume = [\"{condition}\"]\n[sizes]\nlane = 32\nn = {{ range = \"32..4096\" }}"
        )
    };
    let sizes = |args: &[&str], text: &str| {
        let out = quaff_with(&[&["dims", "-"], args].concat(), text.as_bytes());
        (out.code, out.stdout + &out.stderr)
    };
    for (args, from) in [(&["--from", "c"][..], ""), (&[], "from = \"c\"\n"), (&["--from", "mlir"], "from = \"c\"\n")] {
        let (code, text) = sizes(args, &file(from, "n % 32 == 0 && n > 1"));
        assert!(code == 0 && text.contains("rows = n//32"), "{text}");
    }
    let (code, text) = sizes(&[], &file("", "n % 32 == 0 && n > 1"));
    assert!(code == 1 && text.contains("`from = \"c\"` reads this text"), "{text}");
    let (code, text) = sizes(&[], &file("from = \"fortran\"\n", "n % 32 == 0"));
    assert!(code == 1 && text.contains("`fortran` is no dialect"), "{text}");
    let (code, text) = sizes(&["--from", "c"], &file("", "(size_t)(n - 64)/2 > 0"));
    assert!(code == 1 && text.contains("a value of it wraps around"), "{text}");
    let (code, text) = sizes(&["--from", "mlir"], &file("", "affine_map<(d0) -> (d0, d0)>"));
    assert!(code == 1 && text.contains("one result"), "{text}");

    let view = |args: &[&str]| {
        quaff(&[&["view", "shape(n >> 1, 2).reshape(n/2*2)", "--var", "n=2..64 step 2"], args].concat())
    };
    let c = view(&["--from", "c", "--assume", "n > 3 && 1"]);
    assert!(c.code == 0 && c.stdout.contains("contiguous  yes"), "{}{}", c.stdout, c.stderr);
    let infix = view(&[]);
    assert!(infix.code == 1 && infix.stderr.contains("`--from c` reads this text"), "{}", infix.stderr);
}

#[test]
fn a_misspelt_option_is_told_the_nearest_one() {
    let place = ["x//3", "--var", "x=0..9"];
    for (command, written, near) in [
        ("simplify", "--verfy", "--verify"),
        ("simplify", "--asume=x>3", "--assume"),
        ("verify", "--asume", "--assume"),
        ("access", "--gat", "--gate"),
        ("banks", "--lan", "--lane"),
        ("coalesce", "--gat", "--gate"),
        ("explain", "--jsno", "--json"),
        ("egraph", "--vr", "--var"),
    ] {
        for args in [[&[command, written][..], &place].concat(), [&[command, "x"], &place[..], &[written]].concat()] {
            let out = quaff(&args);
            let is_told = out.stderr.contains(&format!("a similar argument exists: '{near}'"));
            assert!(out.code == 64 && is_told, "{args:?}: {}", out.stderr);
        }
    }
    let expression = quaff(&["simplify", "--wholly-other", "--var", "x=0..9"]);
    let is_told = expression.stderr.contains("an expression that begins with '--' needs parentheses");
    assert!(expression.code == 64 && is_told, "{}", expression.stderr);
    assert_eq!(printed(&["simplify", "(--x)", "--var", "x=0..9"]), "x\n");
}

#[test]
fn a_range_of_one_value_is_no_definition() {
    let told = |var| quaff(&["simplify", "x + 1", "--var", "n=1..9", "--var", var]);
    let warned = told("x=n - 1..n - 1");
    assert_eq!((warned.code, warned.stdout.as_str()), (0, "n\n"));
    let words = warned.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in ["this range has one value: `x` is equal to `n - 1`", "write `x=n - 1` if that is meant"] {
        assert!(words.contains(part), "{part}: {}", warned.stderr);
    }
    for silent in ["x=n - 1", "x=0..n", "x=n..n + 1"] {
        let out = told(silent);
        assert_eq!((out.code, out.stderr.as_str()), (0, ""), "{silent}");
    }
    let out = quaff(&["simplify", "x + 1", "--var", "x=3..3"]);
    assert_eq!((out.code, out.stderr.as_str()), (0, ""));
}

#[test]
fn lines_of_a_batch_name_their_language() {
    let lines = br#"{"id": 1, "from": "cuda", "vars": {"threadIdx.x": [0, 255]}, "expr": "threadIdx.x >> 5"}
{"id": 2, "from": "triton", "vars": {"tl.program_id(0)": [0, 7]}, "exprs": ["tl.program_id(0) // 8", "tl.program_id(0) % 8"]}
{"id": 3, "from": "xla", "expr": "(d0) -> (d0 mod 8, d0), domain: d0 in [0, 7]"}
{"id": 4, "vars": {"x": [0, 9]}, "expr": "x / 4"}
{"id": 5, "from": "fortran", "vars": {"x": [0, 9]}, "expr": "x / 4"}
{"id": 6, "from": "c", "vars": {"x": [0, 9]}, "expr": "(size_t)(x - 4) / 3"}
"#;
    let out = quaff_with(&["batch", "-"], lines);
    let answers: Vec<Value> = out.stdout.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    assert_eq!(answers[0]["out"], "threadIdx.x//32");
    assert_eq!(answers[1]["outs"], serde_json::json!(["0", "program_id_0"]));
    assert_eq!(answers[2]["outs"], serde_json::json!(["d0", "d0"]));
    assert_eq!(
        (answers[3]["help"].as_str(), answers[3]["code"].as_str()),
        (Some("use // for floor division\n`\"from\": \"c\"` reads this text"), Some("quaff::parse"))
    );
    assert!(answers[4]["why"].as_str().is_some_and(|why| why.contains("`fortran` is no dialect")), "{}", answers[4]);
    assert!(answers[5]["why"].as_str().is_some_and(|why| why.contains("this value")), "{}", answers[5]);
}
