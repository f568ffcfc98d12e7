//! Compiles emitted C text for this machine, runs it, and compares the results with the evaluator.

#![allow(dead_code)] // each test program uses its part

use quaff::domain::{Domain, Interval, VarFacts};
use quaff::emit;
use quaff::expr::{Dag, Expr, Program, int, select, var};
use quaff::lower::{LowerError, Lowered, lower};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A small generator of pseudo-random numbers (xorshift64*). It gives the same numbers in every run, so failures can be
/// repeated.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A random number in `0..n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((self.next() as u128 * n as u128) >> 64) as u64
    }

    /// A random number in `lo..=hi`.
    pub(crate) fn within(&mut self, lo: i64, hi: i64) -> i64 {
        let span = (hi as i128 - lo as i128 + 1) as u128;
        (lo as i128 + ((self.next() as u128 * span) >> 64) as i128) as i64
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}

/// Expressions to lower and print, and the expressions with the expected values.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) vars: Vec<VarFacts>,
    /// The expressions that are lowered and printed.
    pub(crate) roots: Vec<Expr>,
    /// The operations that are printed instead of the lowered `roots`. A caller sets them if it knows more facts.
    pub(crate) lowered: Option<Lowered>,
    /// The expressions that give the expected values. They differ from `roots` if the roots were transformed.
    pub(crate) meaning: Vec<Expr>,
}

/// A random value of a variable: an end of its range, a value near 0, or any value.
fn value(range: Interval, congruence: quaff::domain::Congruence, corner: bool, random: &mut Random) -> i64 {
    let (lo, hi) = (range.lo().unwrap_or(1 - i64::MAX), range.hi().unwrap_or(i64::MAX - 1));
    let v = match random.below(if corner { 4 } else { 6 }) {
        0 => lo,
        1 => hi,
        2 => random.within(-1, 1).clamp(lo, hi),
        3 => random.within(lo, lo.saturating_add(20).min(hi)),
        _ => random.within(lo, hi),
    };
    let modulus = congruence.modulus().max(1);
    // rounds down to a value of the congruence, or up if the value would leave the range
    let v = v - quaff::domain::floor_mod(v as i128 - congruence.residue() as i128, modulus as i128) as i64;
    if v < lo { v + modulus } else { v }
}

/// Random points that also satisfy symbolic ends.
pub(crate) fn points(vars: &[VarFacts], count: usize, random: &mut Random) -> Vec<Vec<i64>> {
    let names: Vec<&str> = vars.iter().map(|v| &*v.name).collect();
    let bounds: Vec<Expr> = vars
        .iter()
        .enumerate()
        .flat_map(|(i, v)| {
            let x = quaff::expr::var(names[i]);
            let below = v.upper.as_ref().map(|u| x.le(u));
            let above = v.lower.as_ref().map(|l| x.ge(l));
            below.into_iter().chain(above)
        })
        .collect();
    let program = Program::new(&bounds, &names).expect("declared");
    let mut found = Vec::new();
    for i in 0..count * 20 {
        if found.len() == count {
            break;
        }
        let point: Vec<i64> = vars.iter().map(|v| value(v.interval, v.congruence, i < 16, random)).collect();
        let wide: Vec<i128> = point.iter().map(|v| *v as i128).collect();
        if program.eval(&wide).iter().all(|v| *v == Ok(1)) {
            found.push(point);
        }
    }
    found
}

/// The results of a run.
#[derive(Default, Debug)]
pub(crate) struct Summary {
    pub(crate) compared: usize,
    pub(crate) values: usize,
    pub(crate) refused: Vec<(String, LowerError)>,
}

/// The language of the compiled text. CUDA text is compiled as C++, with functions that replace functions of the
/// device.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    C,
    Cuda,
}

impl Target {
    fn compiler(self) -> &'static str {
        if self == Target::C { "cc" } else { "c++" }
    }

    fn extension(self) -> &'static str {
        if self == Target::C { "c" } else { "cpp" }
    }
}

pub(crate) const CUDA_SHIM: &str = r#"
#define SHIM(T) static inline T min(T a, T b) { return b < a ? b : a; } \
                static inline T max(T a, T b) { return a < b ? b : a; }
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (by & 31)) >> 32); }
SHIM(int) SHIM(unsigned) SHIM(long long) SHIM(unsigned long long)
static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim, gridDim;
static int warpSize;
"#;

/// The flags of the compiler. They turn on the sanitizers `checks` if the compiler has these. `None` without a
/// compiler.
fn compiler(target: Target, folder: &Path, checks: &str) -> Option<Vec<String>> {
    let source = folder.join("probe").with_extension(target.extension());
    std::fs::write(&source, "int main(void) { return 0; }\n").ok()?;
    let checks = format!("-fsanitize={checks}");
    let flags = ["-O0", &checks, "-fno-sanitize-recover=all"];
    for flags in [&flags[..], &flags[..1]] {
        let out = folder.join("probe");
        let status = Command::new(target.compiler()).args(flags).arg(&source).arg("-o").arg(&out).output();
        if status.is_ok_and(|s| s.status.success()) && Command::new(&out).status().is_ok_and(|s| s.success()) {
            return Some(flags.iter().map(|f| f.to_string()).collect());
        }
    }
    None
}

const DRIVER: &str = r#"
#include <stdio.h>
#include <stdlib.h>
typedef void (*function_t)(const long long *v, long long *out);
typedef struct { function_t f; int inputs, outputs, points; } case_t;
static int run(const case_t *cases, int count, const char *path) {
  FILE *in = fopen(path, "rb");
  long long v[64], want[64], got[64];
  if (!in) return 2;
  for (int i = 0; i < count; ++i)
    for (int p = 0; p < cases[i].points; ++p) {
      if (fread(v, 8, cases[i].inputs, in) != (size_t)cases[i].inputs) return 3;
      if (fread(want, 8, cases[i].outputs, in) != (size_t)cases[i].outputs) return 3;
      cases[i].f(v, got);
      for (int r = 0; r < cases[i].outputs; ++r)
        if (got[r] != want[r]) {
          printf("%d %d %lld %lld", i, r, got[r], want[r]);
          for (int k = 0; k < cases[i].inputs; ++k) printf(" %lld", v[k]);
          printf("\n");
          return 1;
        }
    }
  return 0;
}
"#;

/// The C function `f{index}` of a case, which maps an array of values of variables to an array of results. It is made
/// only from the text and its contract (the signature and the requirements of the function).
fn function(index: usize, printed: &Printed) -> String {
    let Printed { case, text, before, .. } = printed;
    let contract = text.contract();
    let own = |name: &str| {
        let renamed = contract.renamed.iter().find(|(_, new)| *new == name);
        let variable = renamed.map_or(name, |(variable, _)| variable);
        let at = case.vars.iter().position(|v| &*v.name == variable);
        at.unwrap_or_else(|| panic!("`{name}` is no variable: {contract}"))
    };
    let mut values = String::new();
    for (at, v) in case.vars.iter().enumerate() {
        // a built-in variable of CUDA is not a parameter, and keeps its name with a dot
        let is_kept = text.inputs.iter().any(|i| i.variable == v.name && *i.name == *v.name && i.defined);
        if is_kept && v.text.is_none() {
            let _ = writeln!(values, "  {} = (unsigned)quaff_v[{at}];", v.name);
        }
    }
    let single = text.results.len() == 1 && text.objects.is_empty() && before.is_empty();
    for parameter in contract.params.iter().chain(&contract.host_params).filter(|p| !text.objects.contains(p)) {
        let at = own(&parameter.name);
        let _ = writeln!(values, "  const {ty} {} = ({ty})quaff_v[{at}];", parameter.name, ty = parameter.ty);
    }
    if single {
        let (ty, signature) = (&contract.results[0], contract.signature().join(", "));
        let signature = if signature.is_empty() { "void".into() } else { signature };
        let divisors = contract.divisors.iter().map(|d| d.setup());
        let arguments: Vec<String> = contract.params.iter().map(|p| p.name.clone()).chain(divisors).collect();
        return format!(
            "static {ty} quaff_g{index}({signature}) {{\n{text}}}\n\
             static void f{index}(const long long *quaff_v, long long *quaff_out) {{\n{values}  \
             quaff_out[0] = (long long)quaff_g{index}({});\n}}\n",
            arguments.join(", ")
        );
    }
    let mut out = format!("static void f{index}(const long long *quaff_v, long long *quaff_out) {{\n{before}{values}");
    for divisor in &text.divisors {
        let _ = writeln!(out, "  const quaff_fastdivmod_t {} = {};", divisor.name, divisor.setup());
    }
    for statement in &text.statements {
        let _ = writeln!(out, "  {statement}");
    }
    for (i, result) in text.results.iter().enumerate() {
        let _ = writeln!(out, "  quaff_out[{i}] = (long long)({});", result.text);
    }
    out.push_str("}\n");
    out
}

/// A case with its printed text.
pub(crate) struct Printed {
    pub(crate) case: Case,
    pub(crate) text: emit::Text,
    /// Code that must precede the text in its function.
    pub(crate) before: String,
    /// The points at which the text is run. If `None`, the points are random.
    pub(crate) points: Option<Vec<Vec<i64>>>,
}

/// Lowers, prints, compiles and runs all cases in `files` programs, each case at `count` points. Panics at the first
/// wrong value, with the expression and the point. `None` without a C compiler.
pub(crate) fn check(target: Target, name: &str, cases: &[Case], files: usize, count: usize) -> Option<Summary> {
    let (mut printed, mut refused) = (Vec::new(), Vec::new());
    for case in cases {
        match case.lowered.clone().map_or_else(|| lower(&Dag::new(&case.roots), &case.vars), Ok) {
            Ok(lowered) => {
                let text = if target == Target::C { emit::c(&lowered) } else { emit::cuda(&lowered) };
                printed.push(Printed { case: case.clone(), text, before: String::new(), points: None });
            }
            Err(e) => refused.push((case.id.clone(), e)),
        }
    }
    Some(Summary { refused, ..run(target, name, "undefined", "", &printed, files, count)? })
}

/// Compiles and runs texts. All texts share the definitions in `shim`.
pub(crate) fn run(
    target: Target,
    name: &str,
    checks: &str,
    shim: &str,
    texts: &[Printed],
    files: usize,
    count: usize,
) -> Option<Summary> {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder for programs");
    let Some(flags) = compiler(target, &folder, checks) else {
        println!("skipped: no compiler `{}`", target.compiler());
        return None;
    };
    let mut summary = Summary::default();
    let size = texts.len().div_ceil(files).max(1);
    let mut jobs = Vec::new();
    for (file, part) in texts.chunks(size).enumerate() {
        let (mut source, mut table, mut data) = (DRIVER.to_string() + &emit::c_library(), String::new(), Vec::new());
        if target == Target::Cuda {
            source.push_str(CUDA_SHIM);
        }
        source.push_str(shim);
        let mut printed = Vec::new();
        for text in part {
            let case = &text.case;
            let index = printed.len();
            let function = function(index, text);
            let mut random = Random(0x9E37_79B9_7F4A_7C15 ^ (file * size + index) as u64);
            let points = text.points.clone().unwrap_or_else(|| points(&case.vars, count, &mut random));
            let names: Vec<&str> = case.vars.iter().map(|v| &*v.name).collect();
            let program = Program::new(&case.meaning, &names).expect("declared");
            let mut used = 0;
            for point in points {
                let wide: Vec<i128> = point.iter().map(|v| *v as i128).collect();
                let values = program.eval(&wide);
                // the expression has no value at this point, so nothing is compared
                let Some(values) = values
                    .into_iter()
                    .map(|v| v.ok().and_then(|v| i64::try_from(v).ok()))
                    .collect::<Option<Vec<i64>>>()
                else {
                    continue;
                };
                data.extend(point.iter().chain(&values).flat_map(|v| v.to_ne_bytes()));
                summary.values += values.len();
                used += 1;
            }
            let _ = writeln!(table, "  {{f{index}, {}, {}, {used}}},", case.vars.len(), case.meaning.len());
            source.push_str(&function);
            printed.push((case, function));
        }
        summary.compared += printed.len();
        let _ = writeln!(source, "static const case_t cases[] = {{\n{table}  {{0, 0, 0, 0}}\n}};");
        let _ =
            writeln!(source, "int main(int n, char **a) {{ (void)n; return run(cases, {}, a[1]); }}", printed.len());
        let path = folder.join(format!("part{file}.{}", target.extension()));
        std::fs::write(&path, source).expect("a source file");
        std::fs::write(path.with_extension("bin"), data).expect("a data file");
        jobs.push((path, printed));
    }
    for pair in jobs.chunks(2) {
        let compile = |path: &Path| {
            Command::new(target.compiler())
                .args(&flags)
                .args(["-w", "-o"])
                .arg(path.with_extension(""))
                .arg(path)
                .spawn()
        };
        let children: Vec<_> = pair.iter().map(|(path, _)| compile(path).expect("a compiler")).collect();
        for mut child in children {
            assert!(
                child.wait().expect("a compiler").success(),
                "the emitted text does not compile, see {}",
                folder.display()
            );
        }
        for (path, printed) in pair {
            let mut program = Command::new(path.with_extension(""));
            // buffers are never freed, so leaks are not reported
            program.arg(path.with_extension("bin")).env("ASAN_OPTIONS", "detect_leaks=0");
            let out = program.output().expect("runs");
            let text = String::from_utf8_lossy(&out.stdout);
            if out.status.success() {
                continue;
            }
            let first = text.lines().next().unwrap_or_default();
            let index: usize = first.split(' ').next().and_then(|i| i.parse().ok()).unwrap_or(0);
            let (case, function) = &printed[index];
            panic!(
                "{}: case, root, got, wanted, point: {first}\n{:?}\n{:?}\n{function}\n{}",
                case.id,
                case.roots,
                case.vars.iter().map(|v| (&v.name, v.interval)).collect::<Vec<_>>(),
                String::from_utf8_lossy(&out.stderr)
            );
        }
    }
    Some(summary)
}

/// The cases of a corpus file that have an expression and numeric ranges. `tests/simplify/corpora.rs` compares the
/// cases with run-time sizes.
pub(crate) fn corpus(path: &Path) -> Vec<Case> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let mut cases = Vec::new();
    for line in text.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("one record a line");
        let (Some(expr), Some(vars)) = (record["expr"].as_str(), record["vars"].as_object()) else { continue };
        let mut domain = Domain::new();
        let ends = |r: &serde_json::Value| Some(r[0].as_i64()?..=r[1].as_i64()?);
        let ranges: Option<Vec<_>> = vars.iter().map(|(name, r)| Some((name.as_str(), ends(r)?))).collect();
        let Some(ranges) = ranges.filter(|_| record["assume"].is_null()) else { continue };
        for (name, range) in ranges {
            domain.add_bounds(name, range);
        }
        let Ok(e) = expr.parse::<Expr>() else { continue };
        let Ok(vars) = domain.resolve() else { continue };
        let id = record["id"].as_str().unwrap_or("?").to_string();
        cases.push(Case { id, vars, roots: vec![e.clone()], lowered: None, meaning: vec![e] });
    }
    cases
}

/// The files of the corpora, if they exist beside the crate or beside its parent folder.
pub(crate) fn corpus_files() -> Vec<PathBuf> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = here.ancestors().skip(1).take(2).map(|a| a.join("shared/corpus")).find(|f| f.is_dir());
    let mut files: Vec<PathBuf> = ["generated", "peer-tests"]
        .iter()
        .filter_map(|part| std::fs::read_dir(folder.as_ref()?.join(part)).ok())
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|e| e == "jsonl"))
        .collect();
    files.sort();
    files
}

/// Ranges of different kinds: small ranges, signed ranges, and ranges near the ends of the machine types.
pub(crate) const RANGES: [(i64, i64); 14] = [
    (0, 7),
    (0, 1023),
    (-5, 5),
    (-1000, 999),
    (0, 1_000_000),
    (-123_456, 7_890_123),
    (0, i32::MAX as i64),
    (i32::MIN as i64, i32::MAX as i64),
    (i32::MAX as i64 - 100, i32::MAX as i64 + 100),
    (0, u32::MAX as i64),
    (1, 65_535),
    (-9, -2),
    (-(1 << 40), 1 << 40),
    (3, 12),
];
const CONSTANTS: [i64; 24] =
    [1, 2, 3, 4, 5, 7, 8, 12, 24, 31, 32, 60, 64, 100, 128, 641, 1000, 1024, 4097, 65_536, 1_000_003, -1, -3, 6];

fn constant(random: &mut Random) -> Expr {
    let c = *random.pick(&CONSTANTS);
    int(if random.below(12) == 0 { -c } else { c })
}

/// A random expression that uses earlier parts several times.
pub(crate) fn expression(random: &mut Random, names: &[&str], steps: usize) -> Vec<Expr> {
    let mut pool: Vec<Expr> = names.iter().map(|n| var(*n)).collect();
    for _ in 0..steps {
        let recent = pool.len().saturating_sub(6);
        let a = &if random.below(3) == 0 { random.pick(&pool).clone() } else { random.pick(&pool[recent..]).clone() };
        let b = &if random.below(3) == 0 { constant(random) } else { random.pick(&pool).clone() };
        let c = &constant(random);
        let e = match random.below(33) {
            0..=3 => a + b,
            4..=5 => a - b,
            6..=8 => a * c,
            9 => a * b,
            10..=13 => a / c,
            14..=17 => a % c,
            18 => a / b,
            19 => a % b,
            20 => a.min(b),
            21 => a.max(b),
            22 => select(a.lt(b), a, c),
            23 => select(a.ge(0).and(a.lt(c)).and(b.le(5).not()), b, a + 1),
            24 => a & (*random.pick(&[1i64, 7, 255, 1023, -8, 0xFFFF_FFFF])),
            25 => (a | b) ^ c,
            26 => a / 8 * 8,
            27 => a >> (random.below(40) as i64),
            28 => -a,
            29 => a >> (b & 63),
            30 => (a & 1023) << (b & 15),
            31 => (a << (b & 31)) & 0xFFFF,
            _ => a.equals(c).or(b) + (a << (random.below(5) as i64)),
        };
        pool.push(e);
    }
    let roots = 1 + random.below(3) as usize;
    pool.split_off(pool.len() - roots.min(steps))
}

/// `count` random cases, each with one to three roots over one to four variables.
pub(crate) fn random_cases(seed: u64, count: usize) -> Vec<Case> {
    let mut random = Random(seed);
    (0..count)
        .map(|i| {
            let names = ["x", "y", "min", "t0"];
            let used = 1 + random.below(names.len() as u64) as usize;
            let mut domain = Domain::new();
            for name in &names[..used] {
                domain.add_bounds(*name, *random.pick(&RANGES));
            }
            if random.below(3) == 0 {
                domain = domain.launch_invariant(names[used - 1]);
            }
            let steps = 2 + random.below(8) as usize;
            let roots = expression(&mut random, &names[..used], steps);
            let vars = domain.resolve().expect("ranges");
            Case { id: format!("random/{i}"), vars, meaning: roots.clone(), lowered: None, roots }
        })
        .collect()
}
