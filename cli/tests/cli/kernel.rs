//! `quaff kernel`.

use crate::quaff_program::{quaff, quaff_with};

const KERNEL: &str = r#"{
  "vars": {"t": [0, 255], "i": [0, 3], "k": [0, 7]},
  "kinds": {"t": "thread"},
  "accesses": [
    {"expr": "i*1024 + t//16*64 + k*8 + t%16", "gate": "k + t%16 >= 2", "buf": "image", "loops": ["i", "k"]},
    {"expr": "t", "gate": null, "buf": "out", "kind": "store", "loops": []}
  ]
}"#;

#[test]
fn accesses_are_printed_in_their_loops() {
    let out = quaff_with(&["kernel", "-"], KERNEL.as_bytes());
    assert_eq!(out.code, 0, "{}", out.stderr);
    let lines: Vec<&str> = out.stdout.lines().collect();
    assert!(lines[0].starts_with("# ") && lines[0].contains(" instructions in place of "), "{}", out.stdout);
    assert_eq!(lines[1..3], ["for i:", "    for k:"]);
    // the loop-invariant part of the condition is alone on the right side
    assert!(
        lines[3].starts_with("        v0 = image[") && lines[3].contains(" if k > ") || lines[3].contains(" if k >= "),
        "{}",
        out.stdout
    );
    assert_eq!(lines[4], "out[t] = value");
}

#[test]
fn other_forms_are_one_text() {
    let cuda = quaff_with(&["kernel", "-", "--emit", "cuda"], KERNEL.as_bytes());
    assert!(cuda.code == 0 && cuda.stdout.contains("v0 =") && !cuda.stdout.contains('%'), "{}", cuda.stdout);
    let json = quaff_with(&["kernel", "-", "--json"], KERNEL.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&json.stdout).expect("an object");
    assert_eq!(value["outs"].as_array().map(Vec::len), Some(2));
    assert_eq!(value["gates"][1], serde_json::Value::Null);
}

#[test]
fn loops_carry_what_executes_less() {
    let ring = KERNEL.replace("i*1024 + t//16*64 + k*8 + t%16", "(t + k)%3*256 + t").replace("[0, 7]", "[0, 63]");
    let out = quaff_with(&["kernel", "-"], ring.as_bytes());
    let has = |line: &str| out.stdout.lines().any(|l| l.trim() == line);
    assert!(has("p0 = t%3*256") && has("p0 += 256") && has("p0 -= 768 if p0 >= 768 else 0"), "{}", out.stdout);
    let c = quaff_with(&["kernel", "-", "--emit", "c"], ring.as_bytes());
    assert!(c.stdout.contains("for (int k = 0; k < 64; ++k) {") && c.stdout.contains("p0 += 256;"), "{}", c.stdout);
    let json = quaff_with(&["kernel", "-", "--json"], ring.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&json.stdout).expect("an object");
    assert_eq!(value["carried"][0]["modulus"], 768);
    assert!(value["carried_cost"].as_f64() < value["cost"].as_f64());
    // nothing is carried here, because the base and the stride of an index together cost one instruction
    for emit in ["infix", "cuda", "c"] {
        let out = quaff_with(&["kernel", "-", "--emit", emit], KERNEL.as_bytes());
        assert!(out.code == 0 && !out.stdout.contains("+="), "{}", out.stdout);
    }
}

#[test]
fn lanes_are_vectors() {
    let kernel = r#"{"vars": {"t": [0, 63], "k": [0, 7]}, "kinds": {"k": "loop"}, "accesses": [
        {"expr": "k*256 + t*4", "lanes": ["k*256 + t*4 + 1", "k*256 + t*4 + 2", "k*256 + t*4 + 3"], "loops": ["k"], "buf": "a", "aligned": 16},
        {"expr": "t*4", "lanes": ["t*4 + 1", "t*4 + 2"], "kind": "store", "buf": "b", "aligned": 16, "type": "int"}]}"#;
    let cuda = quaff_with(&["kernel", "-", "--emit", "cuda"], kernel.as_bytes()).stdout;
    assert!(cuda.contains("*(float4 *)v0 = *(const float4 *)&a["), "{cuda}");
    assert!(cuda.contains("*(int2 *)&b[t0] = *(const int2 *)value;") && cuda.contains("] = value[2];"), "{cuda}");
    let json = quaff_with(&["kernel", "-", "--json", "--verify"], kernel.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&json.stdout).expect("an object");
    assert_eq!(value["widths"], serde_json::json!([4, 2, 1]));
    assert_eq!(value["outs"].as_array().map(Vec::len), Some(3));
    let line = kernel.replace('\n', " ");
    let batch = quaff_with(&["batch", "-", "--verify"], line.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&batch.stdout).expect("an object");
    assert_eq!((&value["ok"], &value["widths"]), (&true.into(), &serde_json::json!([4, 2, 1])));
    for (wrong, why) in [
        (kernel.replace(r#""type": "int""#, r#""type": "int x;""#), "the field `type` is no type in C and CUDA"),
        (kernel.replacen("16", "0", 1), "the field `aligned` is no number of bytes, at least 1"),
        (
            kernel.replace(r#"["t*4 + 1", "t*4 + 2"]"#, r#""t*4""#),
            "the lanes of an access are not a list of expressions",
        ),
    ] {
        let out = quaff_with(&["kernel", "-"], wrong.as_bytes());
        assert!(out.code == 1 && out.stderr.contains(why), "{wrong}: {}", out.stderr);
    }
}

#[test]
fn what_is_wrong_has_its_place() {
    let refused = |text: &str| {
        let out = quaff_with(&["kernel", "-"], text.as_bytes());
        assert_eq!(out.code, 1, "{}", out.stdout);
        out.stderr
    };
    let syntax = refused(&KERNEL.replace("t//16*64", "t//*64"));
    assert!(syntax.contains(":5:") || syntax.contains("5 │") || syntax.contains("5 |"), "{syntax}");
    assert!(refused(&KERNEL.replace(r#"["i", "k"]"#, r#"["i", "j"]"#)).contains("`j` has no range"));
    assert!(refused(r#"{"vars": {"x": [0, 9]}, "expr": "x%3"}"#).contains("no field `accesses`"));
    assert_eq!(quaff(&["kernel", "no-such-file.json"]).code, 74);
    let nested = refused(&KERNEL.replace(r#"["i", "k"]"#, r#"["i", "i"]"#));
    assert!(nested.contains("the loop over `i` is around itself"), "{nested}");
    for buffer in ["a b; system()", "float", "", "p->x", "min", "threadIdx"] {
        let refused = refused(&KERNEL.replace(r#""image""#, &format!("{buffer:?}")));
        assert!(refused.contains("the field `buf` is no free name in C and CUDA"), "{buffer}: {refused}");
    }
    let kind = refused(&KERNEL.replace(r#""store""#, r#""zzz""#));
    assert!(kind.contains("neither `load` nor `store`"), "{kind}");
    // `mask` also has an old name, and only one of the two names may be given
    let line = |names: &str| format!(r#"{{"vars": {{"x": [0, 9]}}, "accesses": [{{"expr": "x", {names}}}]}}"#);
    let twice = refused(&line(r#""mask": "x < 3", "gate": "x < 5""#));
    assert!(twice.contains("`gate` is the old name of `mask`"), "{twice}");
    let [new, old] =
        ["mask", "gate"].map(|name| quaff_with(&["kernel", "-"], line(&format!(r#""{name}": "x < 3""#)).as_bytes()));
    assert!(new.code == 0 && new.stdout.contains("x < 3") && new.stdout == old.stdout, "{}", new.stdout);
}

/// The names of loaded and stored values differ from the names of all buffers.
#[test]
fn values_are_called_like_no_buffer() {
    let kernel = r#"{"vars": {"t": [0, 99]}, "accesses": [{"expr": "t", "buf": "value"}, {"expr": "t*2", "buf": "v0"},
        {"expr": "t", "buf": "b", "kind": "store"}]}"#;
    let cuda = quaff_with(&["kernel", "-", "--emit", "cuda"], kernel.as_bytes()).stdout;
    assert!(cuda.contains("v0_ = value[t]") && cuda.contains("v1 = v0[t * 2]"), "{cuda}");
    assert!(cuda.contains("b[t] = value_;") && cuda.contains("const float *value, "), "{cuda}");
}

#[test]
fn a_loop_counts_by_its_step() {
    let kernel = r#"{"vars":{"t":[0,255],"k":[3,40]},"step":{"k":[4,3]},"kinds":{"k":"loop"},
        "accesses":[{"expr":"t*40+k","buf":"in","loops":["k"]}]}"#;
    let cuda = quaff_with(&["kernel", "-", "--emit", "cuda"], kernel.as_bytes());
    assert!(cuda.stdout.contains("for (int k = 3; k < 40; k += 4) {"), "{}", cuda.stdout);
    assert!(cuda.stdout.starts_with("// parameters: int t, const float *in\n"), "{}", cuda.stdout);
}

#[test]
fn a_text_without_its_loops_says_why() {
    let kernel = KERNEL.replace(r#""k": [0, 7]"#, r#""k": ["i", 7]"#);
    let why = "no loops: the loop over `k` begins at an expression";
    for (emit, sign) in [("infix", "#"), ("cuda", "//"), ("c", "//")] {
        let out = quaff_with(&["kernel", "-", "--emit", emit], kernel.as_bytes());
        assert!(out.stdout.starts_with(&format!("{sign} {why}\n")), "{}", out.stdout);
    }
    let json = quaff_with(&["kernel", "-", "--json"], kernel.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&json.stdout).expect("an object");
    assert_eq!(value["no_loops"], "the loop over `k` begins at an expression");
}
