//! Compiles the texts of CUDA, C, Rust, Python and Triton on the pages of `docs`. Each text becomes the body of the
//! function that its comments describe.

use crate::repository;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// C++ definitions that replace types and functions of the GPU, in addition to `tests/support/device.hpp`.
const DEVICE: &str = "
struct quaff_fastdivmod_t { unsigned m, s; };
struct half { unsigned short bits; };
";

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Language {
    /// CUDA, or C, which a C++ compiler also accepts.
    C,
    Rust,
    Python,
}

/// A text with the place of its first line.
struct Text {
    place: String,
    language: Language,
    source: String,
}

/// All pages.
fn pages() -> Vec<PathBuf> {
    let mut all = vec![repository("README.md"), repository("python/README.md")];
    for folder in ["docs", "docs/design", "python/docs"] {
        let files = std::fs::read_dir(repository(folder)).expect("a folder of pages");
        all.extend(files.map(|file| file.expect("a page").path()).filter(|p| p.extension().is_some_and(|e| e == "md")));
    }
    all.sort();
    all
}

/// The output of programs in each block of `page`. An entry has the number of the first line, the command if there is
/// one, and the lines.
fn printed(page: &str) -> Vec<(usize, String, Vec<&str>)> {
    let mut all: Vec<(usize, String, Vec<&str>)> = Vec::new();
    let (mut block, mut is_command) = ("", false);
    for (at, line) in page.lines().enumerate() {
        if let Some(language) = line.strip_prefix("```") {
            block = if block.is_empty() && matches!(language, "console" | "text" | "pycon") { language } else { "" };
            all.push((at + 1, String::new(), Vec::new()));
        } else if let Some(command) =
            line.strip_prefix("$ ").or(line.strip_prefix(">>> ")).filter(|_| !block.is_empty())
        {
            all.push((at + 1, command.into(), Vec::new()));
            is_command = command.ends_with('\\');
        } else if let Some((start, command, lines)) = all.last_mut().filter(|_| !block.is_empty()) {
            if is_command {
                *command += line;
                is_command = line.ends_with('\\');
            } else {
                *start = if lines.is_empty() { at + 1 } else { *start };
                lines.push(line);
            }
        }
    }
    all.retain(|(.., lines)| !lines.is_empty());
    all
}

/// The texts in the output of programs on a page.
fn texts(page: &Path) -> Vec<Text> {
    let text = std::fs::read_to_string(page).expect("a page");
    let mut all = Vec::new();
    for (at, command, lines) in printed(&text) {
        let said = |option: &str| command.contains(&format!("--emit {option}"));
        let language = match () {
            () if said("rust") => Language::Rust,
            () if said("python") || said("triton") => Language::Python,
            () => Language::C,
        };
        let mut add = |at: usize, source: String| {
            all.push(Text { place: format!("{}:{at}", page.display()), language, source });
        };
        if language != Language::C {
            let source: String = lines.iter().map(|line| format!("{line}\n")).collect();
            let is_function = command.contains("--function");
            add(at, if is_function { source } else { body(&source, language) });
            continue;
        }
        if let Some(json) = lines.first().filter(|line| line.starts_with('{') && line.contains("\"cuda\":\"")) {
            add(at, function_of_json(json));
        }
        let mut rest = &lines[..];
        let mut source = String::new();
        while let Some(skip) = rest.iter().position(|line| begins_a_text(line)) {
            rest = &rest[skip..];
            let (text, length) = next_text(rest);
            // each text gets a separate function
            source += &text.replace("quaff_f(", &format!("quaff_f{}(", rest.len()));
            rest = &rest[length..];
        }
        if !source.is_empty() {
            add(at, source);
        }
    }
    all
}

fn begins_a_text(line: &str) -> bool {
    begins_a_contract(line) || begins_a_definition(line) || begins_a_body(line)
}

fn begins_a_contract(line: &str) -> bool {
    ["// parameters: ", "// result: "].iter().any(|start| line.trim_start().starts_with(start))
}

fn begins_a_definition(line: &str) -> bool {
    let starts = ["typedef ", "static inline ", "__device__ ", "extern \"C\" ", "/* for "];
    starts.iter().any(|start| line.starts_with(start))
}

/// Whether a line begins a body that is shown without its contract (the comments about parameters and result).
fn begins_a_body(line: &str) -> bool {
    (line.starts_with("const ") || line.starts_with("return ")) && line.ends_with(';')
}

/// The source code of the text at the start of `lines`, and the number of lines of this text.
fn next_text(lines: &[&str]) -> (String, usize) {
    let first = lines[0];
    let joined = |count: usize| lines[..count].iter().map(|line| format!("{line}\n")).collect::<String>();
    if begins_a_definition(first) {
        let is_whole = first.ends_with('}') || first.ends_with(';') || first.ends_with("*/");
        let end = lines.iter().position(|line| *line == "}").filter(|_| !is_whole).unwrap_or(0);
        return (joined(end + 1), end + 1);
    }
    if begins_a_body(first) {
        let end = lines.iter().position(|line| !line.ends_with(';')).unwrap_or(lines.len());
        return (bare(&joined(end)), end);
    }
    let indent = first.len() - first.trim_start().len();
    let is_inside = |line: &str| line.get(..indent).is_some_and(|start| start.trim().is_empty()) && line.len() > indent;
    let is_next = |line: &&str| !is_inside(line) || line.trim_start().starts_with("// parameters: ");
    let end = lines[1..].iter().position(is_next).map_or(lines.len(), |end| end + 1);
    let source: String = lines[..end].iter().map(|line| format!("{}\n", &line[indent..])).collect();
    (body(&source, Language::C), end)
}

/// A function for a body that is shown without its contract. Its variables are `int` and its buffers are `float`.
fn bare(body: &str) -> String {
    let is_defined = |name: &str| body.contains(&format!(" {name} = "));
    let mut names: Vec<&str> =
        quaff::emit::identifiers(body).filter(|n| quaff::emit::is_name(n) && !is_defined(n)).collect();
    names.sort();
    names.dedup();
    // the names in `image[..]` and `(image - 16)[..]`
    let before = body.match_indices(")[").filter_map(|(at, _)| body[..at].rsplit('(').next());
    let moved: Vec<&str> = before.filter_map(|sum| sum.split(' ').next()).collect();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let is_indexed = |name: &str| body.match_indices(&format!("{name}[")).any(|(at, _)| !body[..at].ends_with(is_word));
    let ty = |name: &&str| match name {
        name if name.ends_with("_div") => "quaff_fastdivmod_t ",
        name if moved.contains(name) || is_indexed(name) => "float *",
        _ => "int ",
    };
    let parameters: Vec<String> = names.iter().map(|n| format!("{}{n}", ty(n))).collect();
    let result = if body.contains("return ") { "int" } else { "void" };
    format!("__device__ {result} quaff_f({}) {{\n{body}}}\n", parameters.join(", "))
}

/// The function that the comments of `body` describe.
fn body(body: &str, language: Language) -> String {
    let said = |title: &str| {
        let line = body.lines().find_map(|l| l.strip_prefix("// ").or(l.strip_prefix("# "))?.strip_prefix(title));
        line.unwrap_or_default().to_string()
    };
    let (parameters, result, results) = (said("parameters: "), said("result: "), said("results: "));
    match language {
        Language::Python => {
            let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
            format!("def quaff_f({parameters}):\n{lines}")
        }
        Language::Rust => format!("fn quaff_f({parameters}) -> ({result}{results}) {{\n{body}}}\n"),
        Language::C => {
            let result = if result.is_empty() { "void" } else { &result };
            let out = results.split(", ").next().filter(|ty| !ty.is_empty()).map(|ty| format!("{ty} *out"));
            let all: Vec<String> = Some(parameters).filter(|p| !p.is_empty()).into_iter().chain(out).collect();
            format!("__device__ {result} quaff_f({}) {{\n{body}}}\n", all.join(", "))
        }
    }
}

/// The function for an answer in JSON.
fn function_of_json(line: &str) -> String {
    let answer: serde_json::Value = serde_json::from_str(line).expect("an object");
    let named = |p: &serde_json::Value| {
        format!("{} {}", p["type"].as_str().expect("a type"), p["name"].as_str().expect("a name"))
    };
    let parameters: Vec<String> = answer["params"].as_array().expect("parameters").iter().map(named).collect();
    let (result, cuda) = (answer["results"][0].as_str().expect("a result"), answer["cuda"].as_str().expect("a text"));
    format!("__device__ {result} quaff_f({}) {{\n{cuda}\n}}\n", parameters.join(", "))
}

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page_texts");
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs a compiler on a file of texts. Its messages name the pages.
fn compile(command: &mut Command, path: &Path) {
    match command.arg(path).output() {
        Ok(out) => {
            let said = [out.stderr, out.stdout].concat();
            assert!(out.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&said));
        }
        Err(_) => println!("skipped: no {:?}", command.get_program()),
    }
}

#[test]
fn texts_of_the_pages_compile() {
    let all: Vec<Text> = pages().iter().flat_map(|page| texts(page)).collect();
    let count = |language| all.iter().filter(|t| t.language == language).count();
    println!(
        "{} texts of C and CUDA, {} of Rust, {} of Python",
        count(Language::C),
        count(Language::Rust),
        count(Language::Python)
    );
    assert!(count(Language::C) >= 43 && count(Language::Python) >= 1, "{} texts of C and CUDA", count(Language::C));
    let (mut device, mut rust) = (String::new(), String::from("#![allow(warnings)]\n"));
    for (i, text) in all.iter().enumerate() {
        let (place, source) = (&text.place, &text.source);
        match text.language {
            Language::C => drop(writeln!(device, "#line 1 \"{place}\"\nnamespace text{i} {{\n{source}}}")),
            Language::Rust => drop(writeln!(rust, "// {place}\nmod text{i} {{\n{source}}}")),
            Language::Python => {
                let path = folder().join(format!("text{i}.py"));
                std::fs::write(&path, format!("# {place}\n{source}")).expect("a file");
                compile(
                    Command::new("python3").args(["-c", "import ast, sys; ast.parse(open(sys.argv[1]).read())"]),
                    &path,
                );
            }
        }
    }
    let shim = std::fs::read_to_string(repository("tests/support/device.hpp")).expect("a header");
    let path = folder().join("texts.cpp");
    std::fs::write(&path, format!("{shim}{DEVICE}{device}")).expect("a file");
    compile(Command::new("c++").args(["-std=c++17", "-w", "-fsyntax-only"]), &path);
    let path = folder().join("texts.rs");
    std::fs::write(&path, rust).expect("a file");
    let metadata = folder().join("texts.rmeta");
    compile(
        Command::new("rustc")
            .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-o"])
            .arg(metadata),
        &path,
    );
    by_nvidia(&device);
}

/// Compiles with NVIDIA's compiler, if its wheel is installed.
fn by_nvidia(device: &str) {
    let path = folder().join("texts.cu");
    // C linkage does not allow two kernels with the same name
    let texts = DEVICE.to_string() + &device.replace("extern \"C\" ", "");
    std::fs::write(&path, texts).expect("a file");
    let script = repository("tests/support/nvrtc.py");
    match Command::new("python3").arg(script).arg(&path).arg("--device-as-default-execution-space").output() {
        Ok(out) if out.status.success() => println!("the texts are compiled by NVRTC"),
        Ok(out) if out.status.code() == Some(1) => {
            panic!("{}: {}", path.display(), String::from_utf8_lossy(&out.stdout))
        }
        _ => println!("skipped: no NVRTC"),
    }
}
