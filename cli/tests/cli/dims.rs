//! Runs every example of `docs/dims.md`. An example is a `toml` block, followed by a `text` block with the output of
//! `quaff dims`. `BLESS=1 cargo test --test cli dims::` rewrites the `text` blocks.

use crate::quaff_program::quaff_with;
use crate::repository;
use std::fmt::Write;

/// The output of the program for `toml`.
fn output(toml: &str, why: Option<&str>) -> String {
    let mut args = vec!["dims", "-"];
    if let Some(name) = why {
        args.extend(["--why", name]);
    }
    let run = quaff_with(&args, toml.as_bytes());
    if run.code == 0 {
        return run.stdout;
    }
    assert_eq!(run.code, 1, "{}", run.stderr);
    assert!(run.stdout.is_empty());
    let json = quaff_with(&["dims", "-", "--json"], toml.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let part = |key: &str| value["error"][key].as_str().unwrap().to_string();
    let mut text = String::new();
    writeln!(text, "error\n  {}\n  {}\nhelp: {}", part("code"), part("message"), part("help")).unwrap();
    text
}

#[test]
fn examples_print_what_the_manual_says() {
    let path = repository("docs/dims.md");
    let manual = std::fs::read_to_string(&path).unwrap();
    let mut blocks = manual.split("```");
    let mut rebuilt = blocks.next().unwrap_or_default().to_string();
    let mut expected: Option<String> = None;
    let mut count = 0;
    for (i, block) in blocks.enumerate() {
        rebuilt.push_str("```");
        let is_code = i & 1 == 0;
        match block.split_once('\n') {
            Some((head, body)) if is_code && head.starts_with("toml") => {
                expected = Some(output(body, head.strip_prefix("toml why=")));
                rebuilt.push_str(block);
            }
            Some(("text", _)) if is_code => {
                let text = expected.take().expect("a toml block before");
                write!(rebuilt, "text\n{text}").unwrap();
                count += 1;
            }
            _ => rebuilt.push_str(block),
        }
    }
    assert!(count >= 8, "{count} examples");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &rebuilt).unwrap();
    } else {
        assert!(rebuilt == manual, "run with BLESS=1 to accept the new text:\n{rebuilt}");
    }
}

/// A file to which statements can be added.
const LOOP: &str = "equations = [\"n = a * b\"]\n[sizes]\na = 6\nb = 4\n[set]\na = \"threadIdx.x\"\n[[want]]\nenter = [\"loop b as i\"]\n";

#[test]
fn files_that_are_wrong_say_where() {
    let cases = [
        ("equations = [\"a\"]", "an equation has a `=`"),
        ("equations = [\"a = b // 1\"]", "an equation is products of names and integers"),
        ("equations = [\"a * b = c + 1\"]", "an equation with a sum has one dimension on the left"),
        ("equations = [\"a = b*c + 1\"]", "`b*c + 1` is no sum of indices: it multiplies two indices"),
        ("equations = [\"a = b + a\"]", "`a = b + a` is no sum of indices: a dimension stands in it twice"),
        ("equations = [\"a = b +\"]", "not an expression"),
        ("size = 1", "unknown field `size`"),
        ("[sizes]\na = \"4\"", "a size is an integer"),
        ("[[want]]\nget = [\"x\"]", "there is no dimension `x`"),
        ("[[want]]\nenter = [\"scope s\"]", "there is no scope `s`"),
        ("[[want]]\nenter = [\"jump\"]", "one of `scope S`"),
        ("[scopes.s]\nparent = \"t\"", "there is no scope that can be a parent, `t`"),
        ("[sizes]\na = 4\n[set]\na = \"1 +\"", "not an expression"),
        ("[values]\nv = \"4..x\"", "a range such as"),
        ("[[want]]\ncode = \"$x\"", "`$x` is not known here"),
        ("[sizes]\na = 0", "it must be at least 1"),
    ];
    cases.iter().for_each(|(toml, wanted)| refused(toml, wanted));
}

/// Checks that the file is refused with a message that contains `wanted`, ignoring line breaks.
fn refused(toml: &str, wanted: &str) {
    let run = quaff_with(&["dims", "-"], toml.as_bytes());
    let flat = run.stderr.split_whitespace().filter(|w| *w != "|").collect::<Vec<_>>().join(" ");
    assert!(run.code == 1 && flat.contains(wanted), "{toml}\n{}", run.stderr);
    let json = quaff_with(&["dims", "-", "--json"], toml.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    assert!(value["error"]["message"].is_string(), "{value}");
}

#[test]
fn names_are_refused_with_their_places() {
    let cases = [
        (
            "[sizes]\n\"a b}\" = 3".to_string(),
            "`a b}` cannot be the name of a dimension: it is no identifier in `[sizes]`: `a b}`",
        ),
        (
            "equations = [\"4a = 8\"]".to_string(),
            "`4a` cannot be the name of a dimension: it is no identifier in `equations`: `4a = 8`",
        ),
        (
            "name = \"my kernel{}\"".to_string(),
            "`my kernel{}` cannot be a name in a kernel: it is no identifier, or reserved in `name`",
        ),
        (
            format!("{LOOP}get = [\"i = a\", \"y = b\"]"),
            "something else has it here in `enter` of `[[want]]` 1: `loop b as i` in `get` of `[[want]]` 1: `i = a`",
        ),
        (format!("{LOOP}get = [\"for = a\"]"), "it is no identifier, or reserved in `get` of `[[want]]` 1: `for = a`"),
        (
            format!("{LOOP}get = [\"x = a\", \"x = b\"]"),
            "in `get` of `[[want]]` 1: `x = a` in `get` of `[[want]]` 1: `x = b`",
        ),
        (
            format!("parameters = [\"float* y\"]\n{LOOP}get = [\"y = b\"]"),
            "in `parameters`: `float* y` in `get` of `[[want]]` 1: `y = b`",
        ),
        (LOOP.replace("as i", "as for"), "in `enter` of `[[want]]` 1: `loop b as for`"),
        (
            "[values]\nTrue = \"5..9\"".to_string(),
            "`True` cannot be a name in a kernel: it is no identifier, or reserved in `[values]`: `True`",
        ),
    ];
    cases.iter().for_each(|(toml, wanted)| refused(toml, wanted));
}

/// The parts of `toml` that the error message underlines, in the order of the message.
fn underlined(toml: &str) -> Vec<String> {
    let json = quaff_with(&["dims", "-", "--json"], toml.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&json.stdout).unwrap();
    let places = value["error"]["places"].as_array().cloned().unwrap_or_default();
    let run = quaff_with(&["dims", "-"], toml.as_bytes());
    for place in &places {
        let (line, column) = (place["line"].as_u64().unwrap(), place["column"].as_u64().unwrap());
        // the first place in the report is the place of the error
        let line_of = toml.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
        assert!(
            line_of[usize::try_from(column).unwrap() - 1..].starts_with(place["text"].as_str().unwrap()),
            "{place}"
        );
        assert!(run.stderr.contains(line_of) && run.stderr.contains("here"), "{}", run.stderr);
    }
    places.iter().map(|p| p["text"].as_str().unwrap().to_string()).collect()
}

#[test]
fn errors_are_underlined_in_their_places() {
    let cases: [(String, &[&str]); 16] = [
        ("[sizes]\na = 4\n[set]\na = \"x + * 3\"".into(), &["*"]),
        (LOOP.replace("loop b as i", "if  b << "), &[""]),
        (LOOP.replace("loop b as i", "set b = 1 +* 2"), &["*"]),
        (LOOP.replace("loop b as i", "jump b"), &["\"jump b\""]),
        (LOOP.replace("loop b as i", "loop c as i"), &["\"loop c as i\""]),
        (format!("{LOOP}get = [\"a\", \"c\"]"), &["\"c\""]),
        (format!("{LOOP}code = \"use($x);\""), &["\"use($x);\""]),
        (format!("{LOOP}transfer = [{{ to = \"x[n]\", from = \"x[n]\" }}]"), &["\"x[n]\""]),
        ("equations = [\"a = 4\", \"a = b // 1\"]".into(), &["\"a = b // 1\""]),
        ("equations = [\"a * 2 = b\"]\n[sizes]\nb = 7".into(), &["\"a * 2 = b\""]),
        ("assume = [\"N % == 1\"]\n[sizes]\nN = { range = \"1..9\" }".into(), &["=="]),
        ("assume = [\"M == 1\"]".into(), &["\"M == 1\""]),
        ("[sizes]\nN = { range = \"0..9\" }".into(), &["N"]),
        ("[sizes]\nN = { range = \"1..\" }".into(), &["{ range = \"1..\" }"]),
        ("[values]\nv = \"4..x\"".into(), &["\"4..x\""]),
        ("[sizes]\na = 4\n[set]\na = \"9\"".into(), &["\"9\""]),
    ];
    for (toml, wanted) in cases {
        assert_eq!(underlined(&toml), wanted, "{toml}\n{}", quaff_with(&["dims", "-"], toml.as_bytes()).stderr);
    }
    // if the text has escapes, all of it is underlined
    assert_eq!(underlined("[sizes]\na = 4\n[set]\na = \"x +\\t* 3\""), ["\"x +\\t* 3\""]);
}

#[test]
fn equations_are_underlined_however_they_are_written() {
    let tied = "\na = 6\n[scopes.s]\nequations = [\"a=3*b\", \"a  =  2 *  b\"]";
    let cases: [(String, &[&str]); 6] = [
        ("equations = [\"X*4=Y\"]\n[sizes]\nY = 30".into(), &["\"X*4=Y\""]),
        ("equations = [\" X *  4=Y \"]\n[sizes]\nY = 30".into(), &["\" X *  4=Y \""]),
        ("equations = [\"N<=b*4\"]\n[sizes]\nN = 30\nb = 7".into(), &["\"N<=b*4\""]),
        // the equation that gave a size is underlined as well
        (format!("[sizes]{tied}"), &["\"a  =  2 *  b\"", "\"a=3*b\""]),
        ("equations = [\"a*b=4\"]".into(), &["\"a*b=4\""]),
        // the setting, and the equation that contradicts it
        ("equations = [\"n=a*b\"]\n[sizes]\na = 4\nb = 4\n[set]\na = \"x\"\nn = \"y\"".into(), &["\"y\"", "\"n=a*b\""]),
    ];
    for (toml, wanted) in cases {
        assert_eq!(underlined(&toml), wanted, "{toml}\n{}", quaff_with(&["dims", "-"], toml.as_bytes()).stderr);
    }
}

#[test]
fn an_index_that_is_set_is_inside() {
    let toml = |value: &str, enter: &str| {
        format!(
            "[sizes]\nB = 8\n[values]\nq = \"0..100\"\n[[want]]\nenter = [{enter}\"set B = {value}\"]\nget = [\"B\"]\n"
        )
    };
    for (value, wanted) in [
        ("q + 8", "`q + 8` is never an index of `B`, whose size is 8 it lies in 8..108"),
        ("q + 2", "`q + 2` is not proved to be an index of `B`, whose size is 8 it lies in 2..102"),
        ("q", "`q` is not proved to be an index of `B`"),
    ] {
        refused(&toml(value, ""), wanted);
        assert_eq!(underlined(&toml(value, "")), [format!("\"set B = {value}\"")]);
    }
    for enter in ["\"if q < 8\", ", "\"assume q < 8\", "] {
        let run = quaff_with(&["dims", "-"], toml("q", enter).as_bytes());
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(run.stdout.contains("if (q < 8)"), enter.contains("if"), "{}", run.stdout);
    }
    // errors in the settings at the top of the file
    let top = "[sizes]\nB = 8\n[values]\nq = \"0..100\"\n[set]\nB = \"q + 8\"\n";
    assert_eq!(underlined(top), ["\"q + 8\""]);
}

#[test]
fn vectors_are_guarded_and_proved() {
    let toml = "equations = [\"N <= block * thread * v\"]\n[sizes]\nN = 1002\nthread = 64\nv = 4\n[set]\nblock = \"blockIdx.x\"\nthread = \"threadIdx.x\"\n[[want]]\nenter = [\"vectorize v\"]\nget = [\"N\"]\ncode = \"*(float4*)(x + $N) = z;\"\n";
    refused(toml, "the end 1002 may cut a vector of 4 lanes");
    assert_eq!(underlined(toml), ["\"N\""]);
    let with_rest = format!("{toml}rest = \"x[$N] = z.x;\"\n");
    let run = quaff_with(&["dims", "-", "--json"], with_rest.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["indices"][0]["inside"], "bx*256 + tx*4 + 0 + 3 < 1002");
    let cuda = value["cuda"].as_str().unwrap();
    assert!(
        cuda.contains("const int t0 = bx * 64 + tx;") && cuda.contains("if (t0 < 250) {"),
        "the sum is also the number of the vector: {cuda}"
    );
    assert!(cuda.contains("} else {") && cuda.contains("= z.x;"), "{cuda}");
    // no guard cuts a vector if the size is a multiple of the lanes, or if the code contains the guard itself
    for with in [toml.replace("1002", "1004"), toml.replace("code =", "guard = false\ncode =")] {
        assert_eq!(quaff_with(&["dims", "-"], with.as_bytes()).code, 0, "{with}");
    }
    let apart = toml.replace("<= block * thread * v", "= block * v * thread").replace("1002", "1024");
    refused(&apart, "4 lanes of `N` are not one access: they are not proved to be neighbours");
    assert_eq!(underlined(&apart), ["\"N\""]);
}

#[test]
fn sizes_at_run_time_are_in_the_json() {
    let toml = "equations = [\"N <= b * t\"]\n[sizes]\nN = { range = \"1..4096\", step = 2 }\nt = 64\n[set]\nb = \"x\"\nt = \"y\"\n[[want]]\nget = [\"i = N\"]\n";
    let run = quaff_with(&["dims", "-", "--json"], toml.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["sizes"]["b"], "(N + 63)//64");
    assert_eq!(value["sizes"]["t"], 64);
    assert_eq!(value["run_time"]["N"], serde_json::json!({ "low": 1, "high": 4096, "step": 2 }));
    assert_eq!(value["indices"][0]["inside"], "x*64 + y < N");
    let why = quaff_with(&["dims", "-", "--why", "b"], toml.as_bytes());
    assert!(why.stdout.starts_with("size of b: (N + 63)//64, solved by the equations\n"), "{}", why.stdout);
}

#[test]
fn transfers_are_told_and_checked() {
    let toml = "equations = [\"n = t * v\"]\n[sizes]\nt = 32\nv = 4\n[buffers]\nx = \"const float\"\ns = { type = \"float\", shared = 128 }\n[set]\nt = \"threadIdx.x\"\n[[want]]\nsync = true\ntransfer = [{ to = \"s[n]\", from = \"x[n]\", lanes = \"v\", below = { n = \"100\" }, zero = true }]\n";
    let run = quaff_with(&["dims", "-", "--json"], toml.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    let told = "s <- x: 4 single elements, as `x` is not known to start at a multiple of 16 bytes";
    assert_eq!(value["transfers"], serde_json::json!([told]));
    let cuda = value["cuda"].as_str().unwrap();
    assert!(cuda.contains("__shared__ __align__(16) float s[128];") && cuda.contains("= 0;"), "{cuda}");
    // the barrier after the transfer also serves as the barrier at the end
    assert_eq!(cuda.matches("__syncthreads();").count(), 1, "{cuda}");
    // if a transfer is inside of a vector, its lanes are those of the vector
    let within = toml.replace("[[want]]\n", "[[want]]\nenter = [\"vectorize v\"]\n").replace("lanes = \"v\", ", "");
    let within = within.replace("\"const float\"", "{ type = \"const float\", align = 8 }");
    assert!(
        quaff_with(&["dims", "-"], within.as_bytes()).stdout.contains("transfers\n  s <- x: 2 float2\n"),
        "{within}"
    );
    let with_code = format!("{toml}code = \"use(s);\"\n");
    assert_eq!(self::cuda(&with_code).matches("__syncthreads();").count(), 2);
    let aligned = toml.replace("\"const float\"", "{ type = \"const float\", align = 16 }");
    assert!(quaff_with(&["dims", "-"], aligned.as_bytes()).stdout.contains("transfers\n  s <- x: float4\n"));
    refused(&toml.replace("const float", "const floats"), "one of `float`, `double`");
    refused(&toml.replace("x[n]", "y[n]"), "there is no buffer `y`");
    refused(&toml.replace("x[n]", "x(n)"), "an element of a buffer");
    refused(&toml.replace("shared = 128", "shared = 0"), "at least 1");
}

#[test]
fn json_has_everything() {
    let toml =
        "equations = [\"n = a * b\"]\n[sizes]\nn = 64\nb = 8\n[set]\nn = \"x\"\n[[want]]\nget = [\"a\", \"b\"]\n";
    let run = quaff_with(&["dims", "-", "--json"], toml.as_bytes());
    let value: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(value["sizes"]["a"], 8);
    assert_eq!(value["indices"][1]["simplified"], "x%8");
    assert!(value["cuda"].as_str().unwrap().contains("const int b = x & 7;"), "{}", run.stdout);
    let cuda = quaff_with(&["dims", "-", "--cuda"], toml.as_bytes());
    assert_eq!(value["cuda"], cuda.stdout);
}

/// The files of `examples/dims` are kernels. Their texts compile, compute the same as plain loops, and stay within
/// their arrays.
#[test]
fn examples_compute_what_plain_loops_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut ran = 0;
    for entry in std::fs::read_dir(repository("examples/dims")).expect("a folder of examples") {
        let path = entry.expect("a file").path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()).and_then(|n| n.strip_suffix(".toml")) else {
            continue;
        };
        let run = quaff_with(&["dims", &path.display().to_string(), "--json"], b"");
        assert_eq!(run.code, 0, "{name}: {}", run.stderr);
        let value: serde_json::Value = serde_json::from_str(&run.stdout).expect("JSON");
        let text = ["cuda", "host"].map(|key| value[key].as_str().unwrap_or_default()).join("\n");
        // the Python tests record the same kernels
        crate::golden::check(&format!("dims_{name}.cu"), value["cuda"].as_str().unwrap_or_default());
        let kernel = folder.path().join(format!("{name}.cu"));
        std::fs::write(&kernel, &text).expect("a source");
        let driver = repository(&format!("examples/dims/drivers/{name}.cpp"));
        let options =
            [format!("-I{}", repository("tests/support").display()), format!("-DKERNEL_FILE=\"{}\"", kernel.display())];
        match crate::cpp::run(&driver, &kernel.with_extension("program"), &options) {
            None => println!("skipped: {name} needs a compiler of C++"),
            Some(Ok(out)) => assert!(out.ends_with(" values are right\n"), "{name}: {out}"),
            Some(Err(e)) => panic!("{name}: {e}\n{text}"),
        }
        ran += 1;
    }
    assert!(ran >= 3, "{ran}");
}

/// The CUDA text for the kernel of a file.
fn cuda(toml: &str) -> String {
    let run = quaff_with(&["dims", "-", "--cuda"], toml.as_bytes());
    assert_eq!(run.code, 0, "{toml}\n{}", run.stderr);
    run.stdout
}

/// Built-in variables such as `threadIdx.x` are loaded once, even if a file has them several times. Names in the file
/// take precedence over names that quaff chooses.
#[test]
fn builtins_stand_in_expressions() {
    let head = "equations = [\"A = tx * B\"]\n[sizes]\ntx = 64\nB = 4\n";
    let text = cuda(&format!(
        "{head}[set]\ntx = \"threadIdx.x // 4\"\nB = \"threadIdx.x % 4\"\n[[want]]\nget = [\"A\", \"tx\"]\n[values]\n\"threadIdx.x\" = \"0..255\"\n"
    ));
    assert!(text.contains("const int tx_ = threadIdx.x;") && text.contains("const int tx = tx_ >> 2;"), "{text}");
    assert!(text.contains("const int A = tx_;"), "{text}");
    // two dimensions that are set to the same variable share one declaration
    let both =
        "[sizes]\nA = 256\nB = 256\n[set]\nA = \"threadIdx.x\"\nB = \"threadIdx.x\"\n[[want]]\nget = [\"A\", \"B\"]\n";
    assert_eq!(cuda(both).matches("threadIdx.x;").count(), 1);
    // the variable is also declared once if a dimension that is set to an expression of it comes first
    let mixed =
        "[sizes]\nA = 64\nB = 256\n[set]\nA = \"threadIdx.x // 4\"\nB = \"threadIdx.x\"\n[[want]]\nget = [\"A\"]\n";
    assert!(cuda(mixed).contains("const int A = tx >> 2;"));
    refused(&format!("{head}[values]\n\"threadIdx.x\" = \"many\"\n"), "a range such as `0..63`");
    refused(&format!("{head}[values]\n\"threadIdx.x\" = {{ range = \"0..3\", code = \"1\" }}\n"), "a range alone");
    // without a declared range, `threadIdx.x` has the range that the GPU allows, which is too large here
    refused(
        &format!("{head}[set]\ntx = \"threadIdx.x // 4\"\n[[want]]\nget = [\"tx\"]\n"),
        "not proved to be an index",
    );
    let of_launch = "[sizes]\nA = 8192\n[set]\nA = \"blockDim.x*4 + threadIdx.x\"\n[[want]]\nget = [\"A\"]\n";
    assert!(cuda(of_launch).contains("const int threads_x = blockDim.x;"));
}

/// Expressions in `set`, `if` and `assume` may contain solved indices.
#[test]
fn solved_indices_stand_in_expressions() {
    let head = "equations = [\"pixel = oh * ow\", \"image = ih * iw\"]\n[sizes]\noh = 8\now = 8\nih = 8\niw = 8\n[set]\npixel = \"t\"\n";
    let text = cuda(&format!(
        "{head}[[want]]\nenter = [\"if oh < 7\", \"set ih = oh + 1\", \"set iw = ow\"]\nget = [\"image\"]\n"
    ));
    assert!(text.contains("if (t < 56)") && text.contains("const int image = t + 8;"), "{text}");
    refused(
        &format!("{head}[[want]]\nenter = [\"set iw = ih\"]\nget = [\"image\"]\n"),
        "the index of `ih` is not known",
    );
    refused(&format!("{head}[[want]]\nenter = [\"set ih = oh + 1\"]\nget = [\"ih\"]\n"), "not proved to be an index");
    refused(
        &format!("{head}[[want]]\nenter = [\"set iw = nowhere\", \"set ih = oh\"]\nget = [\"image\"]\n"),
        "`nowhere`",
    );
}

/// Statements can be nested, values are computed where the file requests them, and a vector states its number of lanes.
#[test]
fn statements_nest() {
    let text = cuda(
        "equations = [\"n = p * s\"]\n[sizes]\np = 4\ns = 8\n[buffers]\ntable = \"const int\"\n[[want]]\nenter = [\"loop p as i\"]\n[[want.do]]\nvalues = { first = { range = \"0..7\", code = \"table[$p]\" } }\nset = { s = \"first\" }\nget = [\"n\"]\ncode = \"use($n);\"\n[[want.do]]\nsync = true\n",
    );
    let wanted = "  for (int i = 0; i < 4; ++i) {\n    const int first = table[i];\n    use(i * 8 + first);\n    __syncthreads();\n  }\n";
    assert!(text.contains(wanted), "{text}");
    let vector = "equations = [\"n = t * v\"]\n[sizes]\nt = 32\nv = 4\n[set]\nt = \"threadIdx.x\"\n[[want]]\nenter = [\"vectorize v 4\"]\nget = [\"n\"]\n";
    assert!(cuda(vector).contains("tx * 4"));
    refused(&vector.replace("v 4", "v 8"), "8");
    refused(&vector.replace("v 4", "v four"), "a number of lanes");
    let value = "[sizes]\np = 4\n[[want]]\nvalues = { a = \"0..3\" }\n";
    refused(value, "`code`, as a value within statements is computed there");
    assert_eq!(underlined(value), ["\"0..3\""]);
    let range = value.replace("\"0..3\"", "{ range = \"three\", code = \"x\" }");
    refused(&range, "a range such as `0..63`");
}

/// Two loops in a file have the same name, and each expression uses the variable of its own loop.
#[test]
fn loops_of_one_name_are_apart() {
    let file = |value: &str, enter: &str| {
        format!(
            "equations = [\"n = a * b\"]\n[sizes]\na = 8\nb = 4\nc = 3\nd = 7\none = 1\n[set]\nb = \"threadIdx.x\"\n[[want]]\nenter = [\"loop c as s\"]\ncode = \"first($s);\"\n[[want]]\nenter = [{enter}]\nset = {{ a = \"{value}\" }}\nget = [\"n\"]\ncode = \"use($n);\"\n"
        )
    };
    let text = cuda(&file("s + 1", "\"loop d as s\""));
    assert!(text.contains("use(tx + s_2 * 4 + 4);"), "{text}");
    let text = cuda(&file("s + 1", "\"loop one as s\""));
    assert!(text.contains("use(tx + 4);"), "{text}");
    refused(&file("s", ""), "`n` has the variable `s`, which has no value there");
}
