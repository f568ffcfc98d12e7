//! Whole functions that are made only from a text and its contract (the signature and the requirements of the
//! function). They compile, and have the values of the expression.

use crate::host::{CUDA_SHIM, Case, Random, Target, check, corpus, corpus_files, expression};
use quaff::Simplifier;
use quaff::access::Access;
use quaff::domain::Domain;
use quaff::emit::{self, Text};
use quaff::expr::{Expr, var};
use quaff_lab::experiment::{Asked, Line};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

/// Ranges at the ends of the machine types, and usual ranges.
const RANGES: [(i64, i64); 14] = [
    (0, 1023),
    (-1000, 999),
    (1, 4096),
    (1, 1 << 31),
    ((1 << 31) - 50, (1 << 31) + 50),
    (3_037_000_491, 3_037_000_500),
    (0, (1 << 32) - 1),
    (1, 1 << 32),
    ((1 << 32) - 9, (1 << 32) + 9),
    (-(1 << 31), (1 << 31) - 1),
    (-(1 << 31) - 1, 5),
    (0, i64::MAX / 2),
    (i64::MAX - 1000, i64::MAX - 1),
    (i64::MIN + 2, i64::MIN + 300),
];

/// Answers to random questions with these ranges. Some variables have names that C does not accept, and some are fixed
/// for a launch.
pub(crate) fn answers(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random(seed);
    let names = ["x", "threadIdx.x", "float", "n"];
    let mut cases = Vec::new();
    for i in 0..count {
        let used = 1 + random.below(names.len() as u64) as usize;
        let mut domain = Domain::new();
        for name in &names[..used] {
            // built-in variables of CUDA have 32 bits
            let few = if *name == "threadIdx.x" { 3 } else { RANGES.len() };
            domain.add_bounds(*name, *random.pick(&RANGES[..few]));
        }
        if random.below(2) == 0 {
            domain = domain.launch_invariant(names[used - 1]);
        }
        let steps = 2 + random.below(6) as usize;
        let Some(root) = expression(&mut random, &names[..used], steps).pop() else { continue };
        let Ok(answer) = Simplifier::default().simplify(&root, &domain) else { continue };
        let Ok(lowered) = answer.lowered() else { continue };
        let (roots, vars) = (answer.exprs().to_vec(), domain.resolve().expect("ranges"));
        cases.push(Case { id: format!("{i}: {root}"), vars, roots, lowered: Some(lowered), meaning: vec![root] });
    }
    cases
}

/// Expressions such as `z//31//(z%15 + 1)`, whose texts are right only with the types in their contracts.
pub(crate) fn by_hand() -> Vec<Case> {
    let case = |text: &str, domain: &str| {
        let (root, domain): (Expr, Domain) = (text.parse().expect("an expression"), domain.parse().expect("a domain"));
        let answer = Simplifier::default().simplify(&root, &domain).expect("an answer");
        let (roots, vars) = (answer.exprs().to_vec(), domain.resolve().expect("ranges"));
        let lowered = Some(answer.lowered().expect("fits"));
        Case { id: text.into(), vars, roots, lowered, meaning: vec![root] }
    };
    vec![
        case("z//31//(z%15 + 1)", "z=3037000491..3037000500"),
        case("x//max(y, 1)", "x=0..4294967295, y=0..4294967295"),
        case("x - n*3", "x=0..9, n=1..2147483648"),
        case("i//(h*w) + i//(w*3) + i//h", "i=0..100000, h=1..100, w=1..100, invariant h, invariant w"),
        case(
            "blockIdx.x*256 + threadIdx.x - 9 < blockDim.x",
            "blockIdx.x=0..99, threadIdx.x=0..255, blockDim.x=1..1024",
        ),
    ]
}

#[test]
fn a_text_and_its_contract_are_a_function() {
    for (target, name, seed) in [(Target::C, "contract_c", 91), (Target::Cuda, "contract_cuda", 92)] {
        let cases: Vec<Case> = by_hand().into_iter().chain(answers(seed, 500)).collect();
        assert!(cases.len() > 150, "{} cases", cases.len());
        let Some(summary) = check(target, name, &cases, 2, 32) else { return };
        println!("{} compared at {} values", summary.compared, summary.values);
    }
}

#[test]
fn corpora_as_cuda() {
    let cases: Vec<Case> = corpus_files().iter().flat_map(|f| corpus(f)).step_by(40).collect();
    if let Some(summary) = check(Target::Cuda, "contract_corpora", &cases, 2, 16) {
        println!("{} compared at {} values", summary.compared, summary.values);
    }
}

#[test]
fn what_a_text_relies_on() {
    let answer = |text: &str, domain: &str| {
        let (root, domain): (Expr, Domain) = (text.parse().expect("an expression"), domain.parse().expect("a domain"));
        Simplifier::default().simplify(&root, &domain).expect("an answer")
    };
    let minimum = answer("z//31//(z%15 + 1)", "z=3037000491..3037000500");
    assert!(minimum.c().expect("fits").whole().contains("\n// parameters: unsigned z\n// result: int\nreturn "));
    let sizes = "i=0..100000, h=1..100, w=1..100, invariant h, invariant w";
    let contract = answer("i//(h*w) + i//(w*3)", sizes).cuda().expect("fits").contract();
    let setups: Vec<String> = contract.divisors.iter().map(|d| format!("{} = {}", d.name, d.setup())).collect();
    assert_eq!(setups.len(), 2);
    assert!(setups.iter().any(|s| s.ends_with("= quaff_fastdivmod(w*3)")), "{setups:?}");
    assert!(setups.iter().any(|s| s.ends_with("= quaff_fastdivmod_any(h*w)")), "{setups:?}");
    // the host prepares the divisors from parameters of the function
    let params: Vec<String> = contract.params.iter().map(ToString::to_string).collect();
    assert_eq!((params.join(", ").as_str(), contract.host_params.len()), ("int i, int h, int w", 0));
    let rust = answer("fn + 1", "fn=0..9").rust().expect("fits");
    assert_eq!(rust.whole(), "// parameters: fn_2: i64\n// result: i64\n// renamed: `fn` is fn_2\nreturn fn_2 + 1;\n");
    let python = answer("lambda + x", "lambda=0..9, x=0..9").python();
    assert_eq!(python.whole(), "# parameters: lambda_2, x\n# renamed: `lambda` is lambda_2\nreturn lambda_2 + x\n");
    assert_eq!(answer("x + 1", "x=0..9").python().whole(), "return x + 1\n");
}

#[test]
fn accesses_say_their_buffers() {
    let domain = Domain::new().with("i", 0..100);
    let load = Access::load("v", "in", var("i") / 3).element("half").when(var("i").lt(50));
    let store = Access::store("out", var("i"), "v");
    let other = Access::store("out", var("i") + 100, "w");
    let answer = Simplifier::default().simplify_accesses(&[load, store, other], &domain).expect("an answer");
    let params = |text: &Text| text.contract().signature().join(", ");
    assert_eq!(params(&answer.c().expect("fits")), "int i, const half *in, float *out, float w");
    assert_eq!(answer.c().expect("fits").objects, answer.cuda().expect("fits").objects);
}

/// Kernels at the edges: names, steps, ends beyond 32 bits, and loops that no index depends on.
const KERNELS: [&str; 8] = [
    r#"{"vars": {"t": [0, 255], "k": [3, 40]}, "step": {"k": [4, 3]}, "kinds": {"k": "loop"}, "accesses": [{"expr": "t*40 + k", "loops": ["k"]}]}"#,
    r#"{"vars": {"float": [0, 3], "t": [0, 9]}, "accesses": [{"expr": "t", "loops": ["float"]}, {"expr": "t*9 + float", "loops": ["float"]}]}"#,
    r#"{"vars": {"threadIdx.x": [0, 3], "blockIdx.x": [0, 9], "for": [0, 1]}, "accesses": [{"expr": "blockIdx.x*8 + threadIdx.x//3", "loops": ["threadIdx.x", "for"]}]}"#,
    r#"{"vars": {"n": [0, 6000000000], "m": [0, 6000000000], "t": [0, 9], "k": [0, null]}, "symbolic": {"k": "min(n, m + t)"}, "accesses": [{"expr": "t + min(n, m)", "buf": "a", "kind": "store", "loops": ["k"]}]}"#,
    r#"{"vars": {"n": [1, 100], "i": [0, 1000000], "k": [0, null]}, "symbolic": {"k": "n"}, "kinds": {"n": "size", "k": "loop"}, "accesses": [{"expr": "i//n + k", "gate": "i%n < 3", "loops": ["k"]}]}"#,
    r#"{"vars": {"t": [0, 255], "K": [0, 39]}, "accesses": [{"expr": "(t + K)%3*256 + t", "loops": ["K"]}, {"expr": "t", "buf": "in", "kind": "store"}]}"#,
    r#"{"vars": {"k": [0, 4000000000], "t": [0, 9]}, "accesses": [{"expr": "t + k%7", "loops": ["k"]}]}"#,
    r#"{"vars": {"k": [3, 3], "t": [0, 9]}, "accesses": [{"expr": "t + k", "loops": ["k"]}]}"#,
];

/// The texts of a kernel in CUDA and in C. Empty if the kernel is refused.
fn kernel(line: &str) -> Vec<Text> {
    let line = Line::read(line.as_bytes()).expect("an object");
    let (asked, domain) = line.asked().expect("a question");
    let Asked::Accesses(_, accesses) = asked else { panic!("accesses") };
    let nests: Vec<Vec<Arc<str>>> =
        line.nests().expect("nests").into_iter().map(|nest| nest.into_iter().map(Arc::from).collect()).collect();
    let simplifier = Simplifier::default();
    let Ok(answer) = simplifier.simplify_accesses(&accesses, &domain) else { return Vec::new() };
    let nested = simplifier.in_loops(&answer, &nests, &domain).expect("loops");
    [nested.cuda(), nested.c()].into_iter().flatten().collect()
}

/// A function for each text, each in a separate namespace.
fn functions(texts: &[Text], qualifiers: &str, with_host: bool) -> String {
    let mut source = String::new();
    for (i, text) in texts.iter().enumerate() {
        let contract = text.contract();
        let result = contract.results.first().map_or("void", |ty| ty);
        let host = if with_host { &*text.host } else { "" };
        let signature = contract.signature().join(", ");
        let _ = writeln!(
            source,
            "namespace text{i} {{\n{}{host}{qualifiers} {result} f({signature}) {{\n{text}}}\n}}",
            text.prelude
        );
    }
    source
}

#[test]
fn kernels_compile() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/kernels.jsonl");
    let corpus = std::fs::read_to_string(corpus).expect("the corpus");
    let lines: Vec<&str> = KERNELS.into_iter().chain(corpus.lines().step_by(9)).collect();
    let texts: Vec<Vec<Text>> = lines.iter().map(|line| kernel(line)).collect();
    assert!(texts.iter().filter(|t| t.len() == 2).count() > lines.len() * 9 / 10);
    for (text, line) in texts.iter().take(KERNELS.len()).zip(KERNELS) {
        assert!(text[0].to_string().contains("for (") && text[1].to_string().contains("for ("), "{line}\n{}", text[1]);
    }
    let [cuda, c] = [0, 1].map(|i| texts.iter().filter_map(|t| t.get(i).cloned()).collect::<Vec<Text>>());
    let answers: Vec<Text> = answers(93, 60).iter().filter_map(|c| c.lowered.as_ref().map(emit::cuda)).collect();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("contract_kernels");
    std::fs::create_dir_all(&folder).expect("a folder");
    let library = emit::c_library() + CUDA_SHIM;
    for (name, texts) in [("cuda", &cuda), ("c", &c)] {
        let path = folder.join(format!("{name}.cpp"));
        std::fs::write(&path, library.clone() + &functions(texts, "static", true)).expect("a file");
        let Ok(out) = Command::new("c++").args(["-w", "-fsyntax-only"]).arg(&path).output() else {
            return println!("skipped: no compiler `c++`");
        };
        assert!(out.status.success(), "{}: {}", path.display(), String::from_utf8_lossy(&out.stderr));
    }
    // NVIDIA's compiler, if it is installed
    let path = folder.join("texts.cu");
    let device: Vec<Text> = cuda.into_iter().chain(answers).collect();
    std::fs::write(&path, functions(&device, "__device__", false)).expect("a file");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/nvrtc.py");
    match Command::new("python3").arg(script).arg(&path).output() {
        Ok(out) if out.status.success() => println!("{} texts compiled by NVRTC", device.len()),
        Ok(out) if out.status.code() == Some(1) => panic!("{}", String::from_utf8_lossy(&out.stdout)),
        _ => println!("skipped: no NVRTC"),
    }
}
