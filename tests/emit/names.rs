//! Variables whose names have a meaning in a language or a text. For such names, every printer terminates, its text
//! compiles, and the text has the values of the expression.

use crate::host;
use crate::host::{Case, Printed, Random, Target, points};
use quaff::Simplifier;
use quaff::access::Access;
use quaff::domain::Domain;
use quaff::emit::{self, Text};
use quaff::expr::{Dag, Expr, Program, var};
use quaff::lower::lower;
use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const C: &str = "auto break case char const continue default do double else enum extern float for goto if inline int long \
    register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool \
    _Complex _Imaginary _Alignas _Alignof _Atomic _Generic _Noreturn _Static_assert _Thread_local asm typeof NULL bool true \
    false INT_MAX INT_MIN UINT_MAX LLONG_MAX INT32_MAX UINT64_MAX SIZE_MAX CHAR_BIT EOF errno stdin NAN INFINITY linux unix \
    __func__ __LINE__ __umulhi main offsetof int32_t uint64_t size_t";
const CPP: &str = "alignas alignof and and_eq bitand bitor catch char16_t char32_t char8_t class co_await co_return co_yield \
    compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export friend mutable \
    namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires \
    static_assert static_cast template this thread_local throw try typeid typename using virtual wchar_t xor xor_eq final \
    override import module";
const CUDA: &str = "threadIdx blockIdx blockDim gridDim warpSize dim3 int1 int2 int3 int4 uint4 char4 uchar1 short2 ushort3 long1 \
    ulong4 longlong2 ulonglong1 float2 float4 double2 half half2 __half __half2 nv_bfloat16 __nv_bfloat162 min max umin \
    __umulhi __umul64hi __syncthreads __syncwarp __ldg __global__ __device__ __shared__ __restrict__ __launch_bounds__ \
    atomicAdd atomicSub atomicExch atomicMin atomicMax atomicInc atomicDec atomicCAS atomicAnd atomicOr atomicXor clock \
    clock64 printf malloc free";
const PYTHON: &str = "False None True and as assert async await break class continue def del elif else except finally for from \
    global if import in is lambda nonlocal not or pass raise return try while with yield abs all any bin bool bytes chr dict \
    dir divmod enumerate eval exec exit float hash hex id input int iter len list map max min next object open ord pow print \
    range repr round set slice sorted str sum super tuple type vars zip Exception NotImplemented __debug__ __import__";
const RUST: &str = "Self abstract as async await become box break const continue crate do dyn else enum extern false final fn for \
    gen if impl in let loop macro match mod move mut override priv pub ref return self static struct super trait true try type \
    typeof unsafe unsized use virtual where while yield union bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 \
    u128 usize Some None Ok Err Option Result Vec String Box From Into drop Clone Copy";
/// Names that the texts use: temporaries, parameters and helpers. Other names differ from these only by case or suffix.
const OWN: &str = "t0 T0 t_0 t1 t2 i I in In in_2 in_3 v v_2 V idx out out_2 n N n_div N_div n_div_2 divisor divisor_div min_2 int_2 \
    a b c d f m s x q quaff_ quaff_x quaff_min_int quaff_fastdivmod quaff_fastdivmod_t quaff_v quaff_out __x ___ _x _X _ __ v_ v_x \
    v_quaff_x where abs u0 l0 T t self_2 lambda_2 None_2";
/// Names that are no identifiers. Only the library accepts them as names of variables.
const NO_IDENTIFIERS: [&str; 14] =
    ["", " ", "a b", "a.b", "threadIdx.x", "9", "9a", "{}", "*/", "a\nb", "é", "名", "x; int y", "x`"];

/// Words of the notation, which cannot be variables.
const NOTATION: [&str; 7] = ["True", "False", "and", "or", "not", "if", "else"];

/// All names that a variable can have. The names of `more` come first.
fn names(more: &[String]) -> Vec<String> {
    let lists = [C, CPP, CUDA, PYTHON, RUST, OWN].map(str::split_whitespace);
    let all = lists.into_iter().flatten().chain(NO_IDENTIFIERS).map(str::to_string);
    let mut seen = HashSet::new();
    let free = |n: &String| !NOTATION.contains(&n.as_str()) && seen.insert(n.clone());
    more.iter().cloned().chain(all).filter(free).collect()
}

/// Expressions over a few names at a time, with shared parts, prepared divisors, minima, and one or more results.
fn cases(names: &[String]) -> Vec<Case> {
    let together = |(at, few): (usize, &[String])| {
        let x = |i: usize| var(few[i % few.len()].as_str());
        let (divisor, other) = (x(1) + 1, x(2));
        let shared = (x(0) * 7 + x(3)) / 5 + x(4) % 3;
        let mut roots = vec![
            shared.clone() * shared.clone() + x(0) / &divisor + x(0) % &divisor,
            (x(0) + x(4)).min(&other * 3).max(x(5) - 4) + x(0) / (x(1) + 2) + shared.lt(9).and(other.ge(1)),
            (x(5) * (1i64 << 33) + x(0)) / 1_000_003 + x(3) / x(1),
        ];
        roots.truncate(1 + at % 3);
        let by = at / 3 % roots.len();
        roots.rotate_left(by);
        let mut domain = Domain::new();
        for (i, name) in few.iter().enumerate() {
            domain.add_bounds(name.as_str(), if i == 1 { 1..=77 } else { 0..=1000 });
        }
        let vars = domain.launch_invariant(few[1 % few.len()].as_str()).resolve().expect("ranges");
        Case { id: format!("{few:?}"), vars, meaning: roots.clone(), lowered: None, roots }
    };
    names.chunks(6).filter(|few| few.len() == 6).enumerate().map(together).collect()
}

fn printed(case: &Case, text: Text) -> Printed {
    Printed { case: case.clone(), text, before: String::new(), points: None }
}

/// Checks that inputs, temporaries and divisors have different names, and that no name is in `words`.
fn check_names(text: &Text, words: &HashSet<&str>) {
    let temporaries = text.statements.iter().filter_map(|s| s.split(" = ").next()?.split(' ').next_back());
    // variables that CUDA defines keep their names
    let all = text.inputs.iter().filter(|i| !i.defined).map(|i| i.name.as_str()).chain(temporaries);
    let mut seen = HashSet::new();
    for name in all.chain(text.divisors.iter().map(|d| d.name.as_str())) {
        assert!(!words.contains(name) && seen.insert(name.to_string()), "{name} in\n{text}");
        assert!(name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_'), "{name}");
    }
}

fn words(lists: &[&'static str]) -> HashSet<&'static str> {
    lists
        .iter()
        .flat_map(|l| l.split_whitespace())
        .filter(|w| !["offsetof", "final", "override", "import", "module"].contains(w))
        .collect()
}

const HEADERS: &str = "#include <stddef.h>\n#include <stdint.h>\n#include <limits.h>\n#include <stdbool.h>\n#include <stdio.h>\n\
    #include <stdlib.h>\n#include <string.h>\n#include <float.h>\n#include <math.h>\n#include <errno.h>\n";

/// The macros without parameters that the C compiler defines after these headers. Empty on systems whose macros are not
/// in the table of names.
fn macros() -> Vec<String> {
    if !cfg!(all(target_os = "linux", target_env = "gnu")) {
        return vec![];
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("headers.c");
    std::fs::write(&path, HEADERS).expect("a file");
    let Ok(out) = Command::new("cc").args(["-std=c99", "-dM", "-E"]).arg(&path).output() else { return vec![] };
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let names = text.lines().filter_map(|l| l.strip_prefix("#define ")?.split_whitespace().next());
    // a macro with parameters replaces a name only before `(`. Names with two underscores are reserved
    let own = |n: &&str| !n.contains('(') && !n.starts_with("__");
    names.filter(own).map(str::to_string).collect()
}

#[test]
fn c_text_by_every_name() {
    let names = names(&macros());
    let cases = cases(&names);
    let reserved = words(&[C, CPP]);
    let texts = |languages: &str| -> Vec<Printed> {
        let one = |case: &Case| {
            let text = emit::c(&lower(&Dag::new(&case.roots), &case.vars).expect(languages));
            check_names(&text, &reserved);
            printed(case, text)
        };
        cases.iter().map(one).collect()
    };
    for (target, name) in [(Target::C, "names_c"), (Target::Cuda, "names_c_as_cpp")] {
        if let Some(summary) = host::run(target, name, "undefined", HEADERS, &texts("C"), 1, 6) {
            assert!(summary.compared * 6 + 6 > names.len() && summary.values > summary.compared * 6, "{summary:?}");
        }
    }
}

#[test]
fn cuda_text_by_every_name() {
    let cases = cases(&names(&[]));
    let reserved = words(&[C, CPP, CUDA]);
    let text = |case: &Case| {
        let text = emit::cuda(&lower(&Dag::new(&case.roots), &case.vars).expect("CUDA"));
        check_names(&text, &reserved);
        printed(case, text)
    };
    let texts: Vec<Printed> = cases.iter().map(text).collect();
    host::run(Target::Cuda, "names_cuda", "undefined", HEADERS, &texts, 1, 6);
}

/// The arguments of the function of a text at a point.
fn arguments(case: &Case, text: &Text, point: &[i64]) -> Vec<i64> {
    let value =
        |variable: &str| case.vars.iter().zip(point).find(|(v, _)| *v.name == *variable).map(|(_, value)| *value);
    text.inputs.iter().map(|input| value(&input.variable).expect("a variable of the case")).collect()
}

fn list<T: std::fmt::Display>(values: &[T]) -> String {
    values.iter().map(|v| v.to_string()).collect::<Vec<_>>().join(", ")
}

pub(crate) fn table(case: &Case) -> Vec<(Vec<i64>, Vec<i128>)> {
    let names: Vec<&str> = case.vars.iter().map(|v| &*v.name).collect();
    let program = Program::new(&case.meaning, &names).expect("declared");
    let values = |point: Vec<i64>| {
        let wide: Vec<i128> = point.iter().map(|v| *v as i128).collect();
        let values = program.eval(&wide).into_iter().collect::<Result<Vec<i128>, _>>().ok()?;
        Some((point, values))
    };
    points(&case.vars, 6, &mut Random(7)).into_iter().filter_map(values).collect()
}

#[test]
fn python_text_by_every_name() {
    let ask = "import builtins, keyword; print(' '.join(keyword.kwlist + dir(builtins)))";
    let Ok(out) = Command::new("python3").args(["-c", ask]).output() else {
        println!("skipped: no `python3`");
        return;
    };
    let own = String::from_utf8_lossy(&out.stdout).into_owned();
    let own: Vec<String> = own.split_whitespace().map(str::to_string).collect();
    let reserved: HashSet<&str> = words(&[PYTHON]).into_iter().chain(own.iter().map(String::as_str)).collect();
    // `_` has a meaning only in an interactive session
    let reserved: HashSet<&str> = reserved.into_iter().filter(|w| *w != "_").collect();
    let mut script = String::new();
    for (i, case) in cases(&names(&own)).iter().enumerate() {
        let text = emit::python(&Dag::new(&case.roots));
        check_names(&text, &reserved);
        script += &text.function(&format!("case_{i}")).expect("a free name");
        for (point, values) in table(case) {
            let want = if values.len() == 1 { list(&values) } else { format!("({})", list(&values)) };
            let _ = writeln!(script, "assert case_{i}({}) == {want}", list(&arguments(case, &text, &point)));
        }
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names.py");
    std::fs::write(&path, script).expect("a script");
    let out = Command::new("python3").arg(&path).output().expect("runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

#[test]
fn rust_text_by_every_name() {
    let reserved = words(&[RUST]);
    let (mut source, mut calls) = (String::from("#![allow(warnings)]\n"), String::new());
    for (i, case) in cases(&names(&[])).iter().enumerate() {
        let text = emit::rust(&Dag::new(&case.roots), &case.vars).expect("fits 64 bits");
        check_names(&text, &reserved);
        source += &text.function(&format!("case_{i}")).expect("a free name");
        for (point, values) in table(case) {
            let _ = writeln!(
                calls,
                "    assert_eq!(case_{i}({}), ({}));",
                list(&arguments(case, &text, &point)),
                list(&values)
            );
        }
    }
    let _ = write!(source, "fn main() {{\n{calls}}}\n");
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("names.rs");
    std::fs::write(&path, source).expect("a source file");
    let program = path.with_extension("");
    let built = Command::new("rustc").args(["--edition", "2024", "-o"]).arg(&program).arg(&path).output();
    let Ok(built) = built else {
        println!("skipped: no `rustc`");
        return;
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let out = Command::new(&program).output().expect("runs");
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
}

/// The text of an access keeps its buffer, its variable, its element type and the value for a false gate.
#[test]
fn accesses_keep_their_words() {
    for (into, buffer, element) in [("v", "in", "float"), ("t0", "T0", "half"), ("x", "p->x", "t_0")] {
        let names = ["v", "in", "t0", "T0", "t_0", "x", "half", "p", "in_2", "float", "int", "NULL"];
        let sum =
            |scale: i64| names.iter().enumerate().fold(Expr::from(0), |e, (i, n)| e + var(*n) / 3 * (i as i64 + scale));
        let domain = names.iter().fold(Domain::new(), |d, n| d.with(*n, 0..=99));
        let access = Access::load(into, buffer, sum(1) + sum(1) % 7).when(sum(2).lt(500)).element(element);
        let answer = Simplifier::default().simplify_access(&access, &domain).expect("an answer");
        for text in [answer.cuda().expect("fits"), answer.c().expect("fits")] {
            let inputs: HashSet<&str> = text.inputs.iter().map(|i| i.name.as_str()).collect();
            assert_eq!(inputs.len(), names.len(), "{text}");
            for word in [into, buffer, element] {
                assert!(
                    !inputs.contains(word)
                        && !text.statements.iter().any(|s| s.contains(&format!("const int {word} ="))),
                    "{text}"
                );
            }
        }
    }
}

#[test]
fn opaque_texts_keep_their_words() {
    let domain = Domain::new().opaque("row", "row[t0]", 0..=1023).with("i", 0..=7);
    let e = (var("row") / 7 + var("i")) * (var("row") / 7 + var("i")) + var("row") % 7;
    let text = emit::cuda(&lower(&Dag::new(&[e]), &domain.resolve().expect("ranges")).expect("lowers"));
    assert_eq!(text.statements[0], "const int row_2 = (int)(row[t0]);");
    assert!(text.statements[1..].iter().all(|s| !s.contains("const int t0 ")), "{text}");
}

#[test]
fn divisors_are_made_of_the_names_of_the_text() {
    let domain = Domain::new().with("x", 0..=9999).with("int", 1..=99).with("a b", 1..=9).with("NULL", 2..=5);
    let domain = domain.launch_invariant("int").launch_invariant("a b").launch_invariant("NULL");
    let roots = [var("x") / (var("int") * var("a b")) + var("x") / var("NULL")];
    let text = emit::cuda(&lower(&Dag::new(&roots), &domain.resolve().expect("ranges")).expect("lowers"));
    let setups: Vec<String> = text.divisors.iter().map(|d| d.setup()).collect();
    assert_eq!(setups, ["quaff_fastdivmod_any(int_2*a_b)", "quaff_fastdivmod(NULL_2)"]);
}

/// Built-in variables of CUDA keep their names in CUDA, and are converted to `int` if the text needs it. On the host,
/// they have other names.
#[test]
fn variables_of_cuda_keep_their_names() {
    let names = ["threadIdx.x", "blockIdx.y", "blockDim.x", "warpSize"];
    let domain = names.iter().fold(Domain::new(), |d, n| d.with(*n, 1..=1024)).launch_invariant("blockDim.x");
    let [t, b, n, w] = names.map(var);
    let roots = [(&t - 5).lt(&b) + t / n + w];
    let lowered = lower(&Dag::new(&roots), &domain.resolve().expect("ranges")).expect("lowers");
    let text = emit::cuda(&lowered);
    let whole = text.to_string();
    assert!(whole.contains("(int)threadIdx.x - 5 < (int)blockIdx.y") && whole.contains(" warpSize"), "{whole}");
    let contract = text.contract();
    assert!(
        contract.params.is_empty() && contract.divisors[0].setup() == "quaff_fastdivmod_any(blockDim_x)",
        "{contract}"
    );
    assert_eq!(contract.host_params[0].to_string(), "int blockDim_x");
    // C has no built-in variables
    let text = emit::c(&lowered);
    let contract = text.contract();
    assert_eq!(contract.renamed["threadIdx.x"], "threadIdx_x");
    assert!(!text.to_string().contains("Idx.") && contract.params.len() == 4, "{contract}");
    // a variable of more than 32 bits is not CUDA's built-in variable
    let far = Domain::new().with("threadIdx.x", 0..1i64 << 40).resolve().expect("a range");
    let text = emit::cuda(&lower(&Dag::new(&[var("threadIdx.x")]), &far).expect("lowers"));
    assert_eq!(
        text.whole(),
        "// parameters: long long threadIdx_x\n// result: long long\n// renamed: `threadIdx.x` is threadIdx_x\nreturn threadIdx_x;\n"
    );
}

/// A name with a line end does not end the comment that lists the renamed variables.
#[test]
fn names_in_comments_stay_there() {
    let vars = Domain::new().with("a\nb\\", 0..=9).resolve().expect("a range");
    let text = emit::c(&lower(&Dag::new(&[var("a\nb\\") + 1]), &vars).expect("lowers"));
    assert_eq!(text.whole().lines().nth(2), Some("// renamed: `a\\nb\\\\` is a_b_"));
}

/// Several results are assigned to `out`, so a variable `out` is renamed.
#[test]
fn the_results_keep_their_name() {
    let vars = Domain::new().with("out", 0..=9).resolve().expect("a range");
    let text = |roots: &[Expr]| emit::c(&lower(&Dag::new(roots), &vars).expect("lowers")).to_string();
    assert_eq!(text(&[var("out") + 1]), "return out + 1;\n");
    assert_eq!(text(&[var("out") + 1, var("out") * 2]), "out[0] = out_2 + 1;\nout[1] = out_2 * 2;\n");
}
