//! The view of kernels: accesses in their loops, and source files.

use super::{ask, changed, examples, html, pressed, problem, problems};
use serde_json::json;

#[test]
fn a_kernel_is_shown_whole_and_access_by_access() {
    let (_, kernel) = examples().pop().expect("the last example is a kernel");
    let response = ask("kernel", &kernel);
    assert!(
        html(&response).contains("for k:") && html(&response).contains("for (int k = 0; k &lt; 8; ++k)"),
        "{response}"
    );
    let memory = pressed(&kernel, html(&response), |set| set["view"] == "memory" && set["access"] == 1);
    assert!(problems(&ask("memory", &changed(&kernel, &json!({"access": memory["access"]})))).is_empty());
    let variables = response["variables"].as_array().expect("a list");
    assert_eq!(variables.iter().map(|v| &v["high"]).collect::<Vec<_>>(), [&json!(255), &json!(7)]);
    let second = ask("answer", &changed(&kernel, &json!({"access": 1})));
    assert!(problems(&second).is_empty() && html(&second).contains("Access of the kernel"), "{second}");
    let none = ask("answer", &changed(&kernel, &json!({"access": 2})));
    assert!(problem(&none)["message"].as_str().expect("text").contains("no access of this number"));
    let source = ask(
        "kernel",
        &json!({"from": "cuda", "text": "__global__ void f(float* x) { x[threadIdx.x / 32 * 32 + threadIdx.x % 32] = 0; }"}),
    );
    assert!(html(&source).contains("x[threadIdx.x] = 0"), "{source}");
    let ranged = json!({"from": "cuda", "text": "__global__ void f(float* x) { x[blockIdx.x / 4] = 0; }", "vars": ["blockIdx.x=0..3"]});
    let found = ask("kernel", &ranged);
    let command = found["command"].as_str().expect("text");
    assert!(command.starts_with("cat > kernel.cu <<'END'\n__global__ void f"), "{command}");
    assert!(command.ends_with("}\nEND\nquaff rewrite kernel.cu --var blockIdx.x=0..3"), "{command}");
    let python = found["python"].as_str().expect("text");
    assert!(python.ends_with("\"cuda\", notes=[\"blockIdx.x in 0..3\"]).text)\n"), "{python}");
    let unknown = json!({"text": "__global__ void f(int* x, int w) { x[0] = threadIdx.x / w; }", "vars": ["n=1..4"]});
    let set = pressed(&unknown, html(&ask("kernel", &unknown)), |set| set["vars"].is_array() && set["view"].is_null());
    assert_eq!(set["vars"], json!(["n=1..4", "w=1.."]));
    // conditions of a source file are notes, with names of its kernels
    let noted = json!({"from": "cuda", "text": "__global__ void f(int* x, int n) { x[0] = n / 64 * 64 + n % 64; }",
        "assume": ["n in 0..4096, n % 64 < 60", "n !! 3"]});
    let wrong = ask("kernel", &noted);
    assert_eq!((&problem(&wrong)["field"], &problem(&wrong)["line"]), (&json!("assume"), &json!(1)), "{wrong}");
    let noted = ask("kernel", &changed(&noted, &json!({"assume": ["n in 0..4096, n % 64 < 60"]})));
    assert!(problems(&noted).is_empty() && html(&noted).contains("x[0] = n"), "{noted}");
    assert_eq!(ask("kernel", &changed(&kernel, &json!({"vars": ["t=0..3"]})))["command"], "");
    let triton = "@triton.jit\ndef f(x):\n    i = tl.program_id(0)*128 + tl.arange(0, 128)\n    tl.store(x + i//128*128 + i%128, 0.0)\n";
    let triton = ask("kernel", &json!({"from": "triton", "text": triton}));
    assert!(problems(&triton).is_empty() && html(&triton).contains("class=\"diff\""), "{triton}");
}

#[test]
fn lines_of_a_kernel_have_their_executed_instructions() {
    let source = "__global__ void f(float* x) {\n  int i = blockIdx.x * 256 + threadIdx.x;\n  x[i / 512 * 512 + i % 512] = 0;\n}\n";
    let response = ask("kernel", &json!({"from": "cuda", "text": source}));
    let text = "<del>     4 -   x[i / 512 * 512 + i % 512] = 0;\n</del><ins>     1 +   x[i] = 0;\n</ins>";
    assert!(html(&response).contains(text), "{response}");
    let accesses = json!({"text": r#"{"vars": {"t": [0, 31], "k": [0, 7]}, "kinds": {"k": "loop"},
        "accesses": [{"expr": "t*9 + k", "loops": ["k"]}, {"expr": "t//4", "buf": "out", "kind": "store"}]}"#});
    let response = ask("kernel", &accesses);
    assert!(html(&response).contains("= value  # 1\n"), "{response}");
    let sum = ask("answer", &json!({"text": "t//4", "vars": ["t=0..31"]}));
    assert!(html(&sum).contains("1 → 1 instruction"), "{sum}");
}
