//! Tests of `quaff rewrite`: patches, files, notes, and parts that are not changed.

use crate::quaff_program::quaff;
use crate::sources::{Source, outcomes, run};
use rayon::prelude::*;
use serde_json::Value;

/// The object that `--json` prints for one file with `text`, and the exit code.
fn rewritten(name: &str, text: &str, flags: &[&str]) -> (Value, i32) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("a source");
    let path = file.to_string_lossy().into_owned();
    let out = quaff(&[&["rewrite", "--json", &path], flags].concat());
    let all: Value =
        serde_json::from_str(&out.stdout).unwrap_or_else(|e| panic!("{name}: {e}: {}{}", out.stdout, out.stderr));
    (all[0].clone(), out.code)
}

fn text_of(name: &str, text: &str) -> String {
    rewritten(name, text, &[]).0["text"].as_str().expect("a text").to_owned()
}

/// The number of files of `examples/sources` that `quaff rewrite` improves.
const GAIN: usize = 12;

/// After rewriting, each source file compiles, computes the same bits, and costs less.
#[test]
#[ignore = "a campaign"]
fn sources_compute_the_same() {
    let changed: Vec<bool> = outcomes()
        .par_iter()
        .map(|Source { name, text: before, outcome }| {
            let (answer, code) = rewritten(name, before, &[]);
            assert_eq!(code, 0, "{name}");
            let after = answer["text"].as_str().expect("a text");
            for kernel in answer["kernels"].as_array().expect("kernels") {
                let [before, after] = ["before", "after"].map(|key| kernel[key].as_f64().expect("a cost"));
                let changes = kernel["changes"].as_array().expect("changes").len();
                assert!(after < before || after == before && changes == 0, "{name}: {kernel}");
            }
            if after == before {
                return false;
            }
            match run(name, after) {
                None => println!("skipped: {name} needs a compiler of C++, or Python with numpy"),
                found => assert_eq!(found, *outcome, "{name}:\n{after}"),
            }
            true
        })
        .collect();
    assert!(changed.iter().filter(|c| **c).count() >= GAIN, "{changed:?}");
}

/// For each kernel of `source` with prepared divisors, a function with the parameters of the original kernel. It
/// launches the rewritten kernel with these divisors.
fn launchers(source: &str, answer: &Value) -> String {
    let mut text = String::new();
    for kernel in answer["kernels"].as_array().expect("kernels") {
        let prepared = kernel["prepared"].as_array().expect("divisors");
        if prepared.is_empty() {
            continue;
        }
        let name = kernel["name"].as_str().expect("a name");
        let (before, behind) = source
            .split_once(&format!(" {name}("))
            .or_else(|| source.split_once(&format!("\n{name}(")))
            .expect("a kernel");
        let (parameters, _) = behind.split_once(") {").expect("a body");
        let start = before.rfind("\n\n").map_or(0, |at| at + 2);
        let template = before[start..].lines().find(|line| line.starts_with("template")).unwrap_or_default();
        let last_word = |p: &str| p.rsplit(|c: char| !(c.is_alphanumeric() || c == '_')).next().map(str::to_owned);
        let names = |list: &str| list.split(',').filter_map(last_word).collect::<Vec<String>>();
        let templates = names(template.trim_start_matches("template").trim_matches(['<', '>', ' ']));
        let templates =
            if templates.concat().is_empty() { String::new() } else { format!("<{}>", templates.join(", ")) };
        let mut arguments = names(parameters);
        arguments.extend(prepared.iter().map(|p| format!("quaff_divisor({})", p["divisor"].as_str().expect("a text"))));
        text += &format!("{template}\nvoid {name}({parameters}) {{ {name}{templates}({}); }}\n", arguments.join(", "));
    }
    text
}

/// The number of kernels in which the host prepares divisors.
const PREPARED: usize = 10;

/// With prepared divisors, each CUDA source file compiles and computes the same bits.
#[test]
#[ignore = "a campaign"]
fn sources_with_prepared_divisors_compute_the_same() {
    let prepared: Vec<usize> = outcomes()
        .par_iter()
        .filter(|source| source.name.ends_with(".cu"))
        .map(|Source { name, text: before, outcome }| {
            let (answer, code) = rewritten(name, before, &["--host"]);
            assert_eq!(code, 0, "{name}");
            let after = answer["text"].as_str().expect("a text").to_owned() + &launchers(before, &answer);
            match run(name, &after) {
                None => println!("skipped: {name} needs a compiler of C++"),
                found => assert_eq!(found, *outcome, "{name}:\n{after}"),
            }
            let kernels = answer["kernels"].as_array().expect("kernels");
            kernels.iter().filter(|kernel| !kernel["prepared"].as_array().expect("divisors").is_empty()).count()
        })
        .collect();
    assert!(prepared.iter().sum::<usize>() >= PREPARED, "{prepared:?}");
}

/// Quotients by values that are fixed for a launch become quotients by prepared divisors. The launches in the file pass
/// these divisors, and nothing else changes.
#[test]
fn launches_pass_prepared_divisors() {
    let kernel = "__global__ void f(int* out, int n, int w) {\n  // quaff: w in 1..64, n in 1..9999\n  \
                  int i = threadIdx.x;\n  out[i] = i / (w * n) + i % w;\n}\n";
    let launch = "void g(int* p, int k) { f<<<1, 64>>>(p, k + 1, 3); }\n";
    let (answer, _) = rewritten("a.cu", &format!("{kernel}{launch}"), &["--host"]);
    let text = answer["text"].as_str().expect("a text");
    assert!(
        text.contains("f(int* out, int n, int w, quaff_divisor w_n_div, quaff_divisor w_div) {\n  // w_n_div is "),
        "{text}"
    );
    assert!(text.contains("out[i] = i / w_n_div + i % w_div;"), "{text}");
    assert!(text.contains("(p, k + 1, 3, quaff_divisor(3 * (k + 1)), quaff_divisor(3));"), "{text}");
    assert_eq!(answer["kernels"][0]["prepared"][1]["launches"], 1);
    // rewriting the result again does not change it
    assert_eq!(rewritten("a.cu", text, &["--host"]).0["text"], text);
    // a header defines the type of prepared divisors inside its include guard. A file that includes several headers
    // gets one definition
    let header = format!("#ifndef F\n#define F\nnamespace a {{\n// The rows.\n{kernel}}}\n#endif\n");
    let (answer, _) = rewritten("a.cuh", &header, &["--host"]);
    let text_of_header = answer["text"].as_str().expect("a text");
    assert!(text_of_header.starts_with("#ifndef F\n#define F\n#ifndef QUAFF_DIVISOR\n"), "{text_of_header}");
    assert!(text_of_header.contains("#endif\n\nnamespace a {\n// The rows.\n"), "{text_of_header}");
    assert_eq!(rewritten("a.cuh", text_of_header, &["--host"]).0["text"], text_of_header);
    // a rewrite without `--host` keeps the divisions
    assert!(text_of("a.cu", &format!("{kernel}{launch}")).contains("i % w;"));

    let is_left = |text: &str, reason: &str| {
        let (answer, _) = rewritten("a.cu", text, &["--host"]);
        assert_eq!(answer["text"], text);
        let left = answer["kernels"][0]["left"].to_string();
        assert!(left.contains(reason), "{left}");
    };
    is_left(&format!("{kernel}void g(int* p) {{ f<<<1, 64>>>(p, 3, next()); }}\n"), "would be computed twice");
    is_left(&format!("{kernel}auto g = f;\n"), "line 6 uses it, and is no launch");
    is_left(&format!("#define RUN f<<<1, 64>>>\n{kernel}"), "a macro has its name");
    is_left(&kernel.replace("int w)", "int w = 3)"), "a parameter is optional");
    // numerators that may be negative, and divisors that may be 0, are not changed
    let signed = kernel.replace("= threadIdx.x;", "= threadIdx.x - 32;").replace("w in 1", "w in 0");
    let (answer, _) = rewritten("a.cu", &signed, &["--host"]);
    assert_eq!(text_of("a.cu", &signed), answer["text"]);
    let left = answer["kernels"][0]["left"].to_string();
    assert!(left.contains("\"i / (w*n)\"") && left.contains("it is not proved that `i` is not negative"), "{left}");
    let inside = kernel.replace("out[i]", "if (w > n) out[i]").replace("w in 1", "w in 0");
    let (answer, _) = rewritten("a.cu", &inside.replace("n in 1", "n in -4"), &["--host"]);
    let left = answer["kernels"][0]["left"].to_string();
    assert!(left.contains("it is not proved that `w*n` is positive"), "{left}");
    is_left(&kernel.replace("= threadIdx.x;", "= threadIdx.x - 32;"), "it is not proved that `i` is not negative");
}

/// A kernel whose index simplifies to the flat index, and whose guard compares a row with `n`.
const ROWS: &str = "\
// Rows of 96.
__global__ void rows(float* x, int n) {
\t// quaff: n in 1..4096, n % 4 == 0
\tint row = (blockIdx.x * blockDim.x + threadIdx.x) / 96, col = (blockIdx.x * blockDim.x + threadIdx.x) % 96; // both
\tif (row >= n) return;
\t/* a store */ x[row * 96 + col] = 1; /* x[row * 96 + col] */
}
#if 0
__global__ void off(float* x) { x[threadIdx.x / 4 * 4 + threadIdx.x % 4] = 0; }
#endif
void host(float* x) { rows<<<1, 1>>>(x, 4 / 4 * 4 + 4 % 4); }
";

#[test]
fn only_integers_of_kernels_change() {
    let text = text_of("rows.cu", ROWS);
    let index = "/* a store */ x[threadIdx.x + blockIdx.x * blockDim.x] = 1; /* x[row * 96 + col] */";
    assert!(text.contains(index) || text.contains("x[blockIdx.x * blockDim.x + threadIdx.x] = 1;"), "{text}");
    assert!(
        text.contains("int row = (blockIdx.x * blockDim.x + threadIdx.x) / 96; // both\n\tif (row >= n) return;"),
        "{text}"
    );
    // code outside of kernels is not changed
    assert_eq!(text[text.find("#if 0").expect("a branch")..], ROWS[ROWS.find("#if 0").expect("a branch")..]);
    // line ends are not changed either
    let crlf = text_of("rows.cu", &ROWS.replace('\n', "\r\n"));
    assert_eq!(crlf, text.replace('\n', "\r\n"));
}

#[test]
fn what_cannot_be_read_is_left_and_told() {
    let text = "\
#define AT(i) ((i) * 4)
__global__ void macro(float* x) { x[AT(threadIdx.x) % 4] = 0; }
__global__ void broken(float* x) { x[threadIdx.x / 4 * 4 + threadIdx.x % 4] = ; }
__global__ void fine(float* x) { x[threadIdx.x / 4 * 4 + threadIdx.x % 4] = 0; }
";
    let (answer, code) = rewritten("left.cu", text, &[]);
    assert_eq!(code, 0);
    let after = answer["text"].as_str().expect("a text");
    assert_eq!(
        after,
        text.replace("fine(float* x) { x[threadIdx.x / 4 * 4 + threadIdx.x % 4]", "fine(float* x) { x[threadIdx.x]")
    );
    let left = |kernel: usize| answer["kernels"][kernel]["left"][0]["reason"].as_str().unwrap_or_default();
    assert_eq!(left(0), "the function or macro `AT` is not known");
    assert_eq!(left(1), "the grammar of C++ has no place for this");
}

#[test]
fn arithmetic_is_that_of_the_language() {
    // an unsigned number wraps around, and C does not round the quotient of a negative number down
    let kernel = |body: &str| format!("__global__ void f(float* x, int n, unsigned u) {{ x[{body}] = 0; }}\n");
    for unchanged in ["(u + 5) % 8 / 8 + (u - 1) / 2 * 2", "n / 4 * 4 + 1", "n % 4 + 1"] {
        assert_eq!(text_of("f.cu", &kernel(unchanged)), kernel(unchanged));
    }
    assert_eq!(text_of("f.cu", &kernel("n / 4 * 4 + n % 4")), kernel("n"));
    assert_eq!(text_of("f.cu", &kernel("u / 4 * 4 + u % 4")), kernel("u"));
}

#[test]
fn the_condition_of_a_loop_ends_it() {
    let text = "__global__ void f(float* x) { for (int k = 0; k < 4; ++k) { if (k < 4) x[k] = 0; } }\n";
    let after = text_of("f.cu", text);
    assert!(after.contains("for (int k = 0; k < 4; ++k)") && after.contains("if (true)"), "{after}");
}

#[test]
fn flags_say_what_notes_say() {
    let text = "template <int TILE> __global__ void f(float* x, int n) { x[n / TILE * TILE + threadIdx.x / blockDim.x] = 0; }\n";
    let flags = ["--var", "n=0..4096", "--assume", "n % 16 == 0", "--define", "TILE=8", "--block", "64"];
    let (answer, code) = rewritten("f.cu", text, &flags);
    assert_eq!(
        (answer["text"].as_str(), code),
        (Some(&*text.replace("n / TILE * TILE + threadIdx.x / blockDim.x", "n")), 0)
    );
}

#[test]
fn names_of_notes_and_flags_that_are_nowhere_are_told() {
    let text = "__global__ void f(float* x, int n) {\n  // quaff: m in 1..64\n  x[n / 4 * 4 + n % 4] = 0; // quaff: n + 1\n}\n";
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("f.cu");
    std::fs::write(&file, text).expect("a source");
    let path = file.to_string_lossy().into_owned();
    let run = quaff(&["rewrite", &path, "--var", "k=0..3", "--define", "T=4"]);
    assert_eq!(run.code, 0);
    assert!(
        run.stdout.contains("left: line 2: `// quaff: m in 1..64`: `m` is no name in this function\n"),
        "{}",
        run.stdout
    );
    assert!(run.stdout.contains("line 3: `// quaff: n + 1`: `n + 1` is no condition;"), "{}", run.stdout);
    for name in ["k", "T"] {
        assert!(run.stderr.contains(&format!("no file has the name `{name}`")), "{}", run.stderr);
    }
    for (flag, value, told) in [
        ("--var", "n", "expected `=`"),
        ("--var", "n=1..x y", "--var:1:"),
        ("--assume", "n <", "`n <` is no condition"),
        ("--define", "T", "a name and a number are needed"),
        ("--block", "1,2,3,4", "one to three numbers from 1 to 1024 are needed"),
        ("--grid", "0", "one to three numbers from 1 to 2147483647 are needed"),
    ] {
        let run = quaff(&["rewrite", &path, flag, value]);
        assert!(run.code == 64 && run.stderr.contains(told), "{flag} {value}: {}", run.stderr);
    }
}

/// A conversion that is executed only under a guard implies no fact for code before the guard.
#[test]
fn what_a_conversion_says_holds_where_it_is() {
    let text = "\
__global__ void f(int* x, unsigned u) {
  x[0] = u * 8 > 2147483647u;
  if (u < 9) {
    int i = u * 8;
    x[i / 8 * 8 + i % 8] = 1;
  }
}
";
    let after = text_of("f.cu", text);
    assert!(after.contains("x[0] = u * 8 > 2147483647u;") && after.contains("x[i] = 1;"), "{after}");
}

#[test]
fn members_are_integers_where_notes_say_so() {
    let text = "struct P { int w; };\n__global__ void f(float* x, P p) {\n  // quaff: p.w in 1..64\n  x[threadIdx.x / p.w * p.w + threadIdx.x % p.w] = 0;\n}\n";
    assert_eq!(text_of("f.cu", text), text.replace("threadIdx.x / p.w * p.w + threadIdx.x % p.w", "threadIdx.x"));
    let (answer, _) = rewritten("f.cu", &text.replace("quaff:", ""), &[]);
    let reason = answer["kernels"][0]["left"][0]["reason"].as_str().expect("a reason");
    assert_eq!(reason, "the member `p.w` is not known; a note such as `// quaff: p.w in 1..64` makes it an integer");
}

#[test]
fn a_check_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("rows.cu");
    let path = file.to_string_lossy().into_owned();
    std::fs::write(&file, ROWS).expect("a source");
    let checked = quaff(&["rewrite", "--check", &path]);
    assert_eq!((checked.code, checked.stdout), (1, format!("{path}\n")));
    assert_eq!(std::fs::read_to_string(&file).expect("a source"), ROWS);
    let written = quaff(&["rewrite", "--write", &path]);
    assert_eq!(written.code, 0);
    assert_eq!(std::fs::read_to_string(&file).expect("a source"), text_of("rows.cu", ROWS));
    // no further improvement is possible
    let checked = quaff(&["rewrite", "--check", &path]);
    assert_eq!((checked.code, checked.stdout.as_str()), (0, ""));
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
}

#[test]
fn other_files_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = |name: &str, text: &[u8]| {
        let file = folder.path().join(name);
        std::fs::write(&file, text).expect("a file");
        let run = quaff(&["rewrite", &file.to_string_lossy()]);
        (run.code, run.stdout + &run.stderr)
    };
    assert_eq!(refused("notes.txt", b"").0, 64);
    assert_eq!(refused("latin.cu", b"// \xe9\n").0, 74);
    let (code, told) = refused("empty.cu", b"int main() { return 4 / 2 * 2; }\n");
    assert!(code == 0 && told.ends_with("empty.cu: no kernels\n"), "{code} {told}");
}

/// 10,000 lines, including a kernel of 1,000 lines.
#[test]
fn long_files_are_read() {
    let kernel = |n: usize| {
        format!(
            "__global__ void f{n}(float* x) {{\n  int i = threadIdx.x / 4;\n  x[i * 4 + threadIdx.x % 4] = {n};\n}}\n"
        )
    };
    let line = "// a line of a comment, in which 4 / 4 * 4 + 4 % 4 is nothing\n";
    let text: String = (0..500).map(|n| kernel(n) + &line.repeat(16)).collect();
    let after = text_of("long.cu", &text);
    assert_eq!(after.matches("x[threadIdx.x] = ").count(), 500);
    assert_eq!(after.matches(line).count(), 8_000);
    let statement = |n: usize| format!("  int a{n} = (t + {n}) / 4;\n  x[a{n} * 4 + (t + {n}) % 4] = 0;\n");
    let text: String = (0..500).map(statement).collect();
    let after = text_of("long.cu", &format!("__global__ void f(float* x) {{\n  int t = threadIdx.x;\n{text}}}\n"));
    assert!(after.contains("x[t] = 0;") && after.contains("x[t + 499] = 0;"), "{}", &after[..500]);
}
