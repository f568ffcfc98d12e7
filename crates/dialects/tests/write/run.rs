//! The languages themselves compute the values of the texts. Python runs texts of Python and sympy, and a C++ compiler
//! runs texts of C and CUDA. Python classes compute like Triton, TVM and tinygrad, and a C++ class computes like
//! Halide.

use crate::random::{Case, NAMES, cases};
use quaff_dialects::{Dialect, write};
use quaff_expr::domain::interval_of;
use quaff_expr::expr::substitute::substituted;
use quaff_expr::expr::var;
use std::fmt::Write;
use std::path::Path;
use std::process::{Command, Output};

/// A case with one result and its text.
struct Sample {
    case: Case,
    text: String,
}

/// The samples among the first `count` cases for which the dialect has a text. In CUDA, `threadIdx.x` replaces the
/// variable `z`.
fn samples(dialect: Dialect, count: usize) -> Vec<Sample> {
    let one =
        |case: Case| case.roots.clone().into_iter().map(move |e| Case { roots: vec![e], ranges: case.ranges.clone() });
    let all = cases(count, false).into_iter().flat_map(one);
    let sample = |mut case: Case| {
        let mut root = case.roots[0].clone();
        if dialect == Dialect::Cuda {
            case.ranges[2] = (0, 1023);
            root = substituted(&root, "z", &var("threadIdx.x"));
        }
        let range = |name: &str| case.interval(if name == "threadIdx.x" { "z" } else { name });
        let text = write(&[root], dialect, &|e| interval_of(e, range)).ok()?.text;
        Some(Sample { case, text })
    };
    let samples: Vec<Sample> = all.filter_map(sample).collect();
    assert!(samples.len() > count / 3, "{dialect}: {}", samples.len());
    samples
}

/// The output of a program, which must succeed. If the program is missing, prints a line and returns `None`.
fn output(command: &mut Command, what: &str) -> Option<String> {
    let Ok(Output { status, stdout, stderr }) = command.output() else {
        eprintln!("skipped: there is no {what}");
        return None;
    };
    let (stdout, stderr) = (String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr));
    assert!(status.success(), "{what}: {}", stderr.chars().take(3000).collect::<String>());
    Some(stdout.into_owned())
}

/// Compares each line of a program's output with the expected values of one sample.
fn compare(dialect: Dialect, samples: &[Sample], points: usize, output: &str) {
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.len(), samples.len(), "{dialect}");
    let mut compared = 0;
    for (sample, line) in samples.iter().zip(lines) {
        let points = sample.case.points(points);
        let expected: Vec<String> = points.iter().map(|(_, values)| values[0].to_string()).collect();
        let found: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(found.len(), expected.len(), "{dialect}: {}", sample.text);
        for ((found, expected), (point, _)) in found.iter().zip(&expected).zip(&points).filter(|(f, _)| *f.0 != "-") {
            assert_eq!(found, expected, "{dialect}: {} as\n{}\nat {point:?}", sample.case.roots[0], sample.text);
            compared += 1;
        }
    }
    assert!(compared > samples.len(), "{dialect}: {compared}");
}

/// Runs `prelude` and all texts in Python. The last line of each text is an expression, and the lines before it are
/// definitions.
fn python(dialect: Dialect, prelude: &str, count: usize, points: usize) {
    let samples = samples(dialect, count);
    let mut program = String::from(prelude);
    for sample in &samples {
        let (definitions, result) = sample.text.rsplit_once('\n').unwrap_or(("", &sample.text));
        let points: Vec<Vec<i64>> = sample.case.points(points).into_iter().map(|p| p.0).collect();
        writeln!(program, "run({definitions:?}, {result:?}, {points:?}, {:?})", sample.case.ranges).unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("texts.py");
    std::fs::write(&path, program.replace("\\'", "'")).unwrap();
    if let Some(output) = output(Command::new("python3").arg(path), "python3") {
        compare(dialect, &samples, points, &output);
    }
}

const RUN: &str = "
def run(definitions, result, points, ranges):
    out = []
    for point in points:
        scope = dict(GLOBALS)
        for name, value, (low, high) in zip('xyzn', point, ranges):
            scope[name] = variable(value, low, high)
        exec(definitions, scope)
        out.append(str(number(eval(result, scope))))
    print(*out)
";

#[test]
fn python_computes_what_is_written() {
    let prelude = "GLOBALS = {}\nvariable = lambda value, low, high: value\nnumber = int\n";
    python(Dialect::Python, &format!("{prelude}{RUN}"), 400, 20);
    let inductor = "GLOBALS = {'ModularIndexing': lambda x, a, b: x // a % b}\n";
    python(Dialect::Inductor, &format!("{prelude}{inductor}{RUN}"), 400, 20);
}

/// Python classes of 32-bit and 64-bit integers. An assertion fails if a value leaves its width.
const FIXED: &str = "
class Int:
    def __init__(self, value, bits):
        value = int(value)
        assert -2**(bits - 1) <= value < 2**(bits - 1), 'leaves %d bits' % bits
        self.value, self.bits = value, bits

class Truth:
    def __init__(self, value):
        self.value = bool(value)
    def __and__(self, other): return Truth(self.value & truth(other))
    def __or__(self, other): return Truth(self.value | truth(other))
    def __invert__(self): return Truth(not self.value)

def truth(x):
    assert isinstance(x, Truth), 'no truth'
    return x.value

def fixed(x):
    if isinstance(x, int) and not isinstance(x, bool):
        return Int(x, 32 if -2**31 <= x < 2**31 else 64)
    assert isinstance(x, Int), 'no number'
    return x

def binary(compute):
    def apply(a, b):
        a, b = fixed(a), fixed(b)
        if SAME and a.bits != b.bits: raise TypeError('%d and %d bits' % (a.bits, b.bits))
        bits = max(a.bits, b.bits)
        return Int(compute(a.value, b.value), bits)
    return apply

def shift(compute):
    def apply(a, b):
        a, b = fixed(a), fixed(b)
        # such a shift may be in a branch that is not selected, so it gets any value
        if not 0 <= b.value < a.bits: return Int(0, a.bits)
        return Int(compute(a.value, b.value), a.bits)
    return apply

def comparison(compute):
    def apply(a, b):
        a, b = fixed(a), fixed(b)
        if SAME and a.bits != b.bits: raise TypeError('%d and %d bits' % (a.bits, b.bits))
        return Truth(compute(a.value, b.value))
    return apply

def select(c, a, b):
    if isinstance(a, Truth): return a if truth(c) else b
    a, b = fixed(a), fixed(b)
    if SAME and a.bits != b.bits: raise TypeError('%d and %d bits' % (a.bits, b.bits))
    return Int(a.value if truth(c) else b.value, max(a.bits, b.bits))

def trunc_div(a, b):
    if b == 0: return 0
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q

def trunc_mod(a, b):
    return a - b * trunc_div(a, b)

import operator as o
for name, compute in dict(add=o.add, sub=o.sub, mul=o.mul, floordiv=DIV, mod=MOD, xor=o.xor).items():
    setattr(Int, '__%s__' % name, binary(compute))
    setattr(Int, '__r%s__' % name, (lambda f: lambda a, b: f(b, a))(binary(compute)))
for name, compute in {'and': o.and_, 'or': o.or_}.items():
    setattr(Int, '__%s__' % name, binary(compute))
    setattr(Int, '__r%s__' % name, (lambda f: lambda a, b: f(b, a))(binary(compute)))
for name, compute in dict(lshift=o.lshift, rshift=o.rshift).items():
    setattr(Int, '__%s__' % name, shift(compute))
    setattr(Int, '__r%s__' % name, (lambda f: lambda a, b: f(b, a))(shift(compute)))
for name in 'lt le gt ge eq ne'.split():
    setattr(Int, '__%s__' % name, comparison(getattr(o, name)))
Int.__neg__ = lambda a: Int(-a.value, a.bits)
Int.to = lambda a, bits: Int(a.value, bits)

def variable(value, low, high):
    return Int(value, 32 if -2**31 <= low and high < 2**31 else 64)

def number(x):
    return int(x.value) if isinstance(x, (Int, Truth)) else int(x)
";

#[test]
fn triton_computes_what_is_written() {
    let prelude = "SAME = False\nDIV = lambda a, b: trunc_div(a, b)\nMOD = lambda a, b: trunc_mod(a, b)\n";
    let module = "
class tl:
    int64 = 64
    cast = staticmethod(lambda c, bits: Int(c, bits))
    where = staticmethod(select)
    minimum = staticmethod(binary(min))
    maximum = staticmethod(binary(max))
GLOBALS = {'tl': tl}
";
    python(Dialect::Triton, &format!("{prelude}{FIXED}{module}{RUN}"), 400, 20);
}

#[test]
fn tvm_computes_what_is_written() {
    let prelude = "SAME = True\nDIV = MOD = None\n";
    let module = "
import operator as o
class T:
    floordiv = staticmethod(binary(lambda a, b: a // b if b else 0))
    floormod = staticmethod(binary(lambda a, b: a % b if b else 0))
    truncdiv, truncmod = staticmethod(binary(trunc_div)), staticmethod(binary(trunc_mod))
    min, max = staticmethod(binary(min)), staticmethod(binary(max))
    And = staticmethod(lambda a, b: Truth(truth(a) and truth(b)))
    Or = staticmethod(lambda a, b: Truth(truth(a) or truth(b)))
    Not = staticmethod(lambda a: Truth(not truth(a)))
    Select = if_then_else = staticmethod(select)
    bitwise_and, bitwise_or = staticmethod(binary(o.and_)), staticmethod(binary(o.or_))
    bitwise_xor = staticmethod(binary(o.xor))
    shift_left, shift_right = staticmethod(shift(o.lshift)), staticmethod(shift(o.rshift))
    int64 = staticmethod(lambda c: Int(c, 64))
    Cast = staticmethod(lambda kind, a: Int(fixed(a).value, 64))
GLOBALS = {'T': T}
";
    python(Dialect::Tvm, &format!("{prelude}{FIXED}{module}{RUN}"), 400, 20);
}

#[test]
fn tinygrad_computes_what_is_written() {
    let prelude = "SAME = False\nDIV = lambda a, b: a // b if b else 0\nMOD = lambda a, b: a % b if b else 0\n";
    let module = "
Int.__init__ = lambda self, value, bits: self.__dict__.update(value=int(value), bits=bits)
Int.minimum, Int.maximum = binary(min), binary(max)
def no(*_): raise TypeError('no node')
Int.__eq__ = no
Truth.where = select
Truth.__ne__ = lambda a, b: Truth(a.value != (b if isinstance(b, bool) else truth(b)))
clamp = lambda f: lambda a, b: f(a, min(max(b, 0), 127))
for name, compute in dict(lshift=o.lshift, rshift=o.rshift).items():
    setattr(Int, '__%s__' % name, binary(clamp(compute)))
    setattr(Int, '__r%s__' % name, (lambda f: lambda a, b: f(b, a))(binary(clamp(compute))))
GLOBALS = {}
";
    python(Dialect::Tinygrad, &format!("{prelude}{FIXED}{module}{RUN}"), 400, 20);
}

#[test]
fn sympy_computes_what_is_written() {
    if !Command::new("python3").args(["-c", "import sympy"]).output().is_ok_and(|o| o.status.success()) {
        return eprintln!("skipped: there is no sympy");
    }
    let prelude = "
import sympy
number = lambda value: int(bool(value)) if value in (True, False) else int(value)
symbols = dict(zip('xyzn', sympy.symbols('x y z n', integer=True)))
def value(text, point):
    try:
        # sympy 1.14 simplifies Mod(2*Mod(z, 3), 7) wrongly to Mod(2*Mod(z, 3)**2, 7), so symbols are replaced before evaluation
        return number(sympy.sympify(text, locals=symbols, evaluate=False).xreplace(point))
    except ZeroDivisionError:
        # sympy evaluates both branches, and fails if the branch that is not selected has no value
        return '-'
def run(definitions, result, points, ranges):
    print(*(value(result, {symbols[n]: sympy.Integer(v) for n, v in zip('xyzn', p)}) for p in points))
";
    python(Dialect::Sympy, prelude, 80, 3);
}

/// Compiles and runs one program with a function for each text.
fn compiled(dialect: Dialect, prelude: &str, count: usize, points: usize) {
    let samples = samples(dialect, count);
    let mut program = format!("#include <cstdio>\n{prelude}\n");
    let mut main = String::new();
    for (i, sample) in samples.iter().enumerate() {
        let (definitions, result) = sample.text.rsplit_once('\n').unwrap_or(("", &sample.text));
        let ty = |&(lo, hi): &(i64, i64)| {
            let is_int = i32::try_from(lo).is_ok() && i32::try_from(hi).is_ok();
            if is_int { "Narrow" } else { "Wide" }
        };
        let parameters: Vec<String> =
            NAMES.iter().zip(&sample.case.ranges).map(|(name, range)| format!("{} {name}", ty(range))).collect();
        let parameters = parameters.join(", ");
        writeln!(program, "static Result f{i}({parameters}) {{ BEGIN {definitions}\nreturn {result}; }}").unwrap();
        for (point, _) in sample.case.points(points) {
            let arguments: Vec<String> = point.iter().map(|v| format!("{v}LL")).collect();
            writeln!(main, "printf(\"%lld \", value(f{i}({})));", arguments.join(", ")).unwrap();
        }
        main += "puts(\"\");\n";
    }
    writeln!(program, "int main() {{ {main} }}").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (source, binary) = (folder.path().join("texts.cpp"), folder.path().join("texts"));
    std::fs::write(&source, program).unwrap();
    let sanitize = ["-fsanitize=undefined", "-fno-sanitize-recover=all"];
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O0", "-w"]).args(sanitize).arg(&source).arg("-o").arg(&binary);
    if output(&mut compiler, "g++").is_some() {
        let output = output(&mut Command::new(Path::new(&binary)), "program").unwrap();
        compare(dialect, &samples, points, &output);
    }
}

/// The types of the parameters and the result of a text.
const PLAIN: &str = "
typedef int Narrow; typedef long long Wide; typedef long long Result;
static long long value(Result r) { return r; }";

#[test]
fn c_computes_what_is_written() {
    compiled(Dialect::C, &format!("{PLAIN}\n#define BEGIN\n"), 120, 12);
}

#[test]
fn cuda_computes_what_is_written() {
    let overloads = "
#define BOTH(T) static T min(T a, T b) { return a < b ? a : b; } static T max(T a, T b) { return a > b ? a : b; }
BOTH(int) BOTH(unsigned) BOTH(long long)
static struct { unsigned x; } threadIdx;
#define BEGIN threadIdx.x = z;
";
    compiled(Dialect::Cuda, &format!("{PLAIN}{overloads}"), 120, 12);
}

/// A C++ class for values of Halide. A type has 1, 32 or 64 bits, and no result may leave its type.
const EXPR: &str = "
#include <cstdint>
#include <cstdlib>
struct Expr {
    long long v; int bits;
    Expr(int v) : v(v), bits(32) {}
    explicit Expr(int64_t v) : v(v), bits(64) {}
    Expr(__int128 r, int bits) : v((long long)r), bits(bits) {
        __int128 most = (__int128)1 << (bits - 1);
        if (bits > 1 && (r < -most || r >= most)) { fprintf(stderr, \"leaves %d bits\", bits); abort(); }
    }
};
struct Narrow : Expr { Narrow(long long v) : Expr((int)v) {} };
struct Wide : Expr { Wide(long long v) : Expr((int64_t)v) {} };
typedef Expr Result;
static long long value(Expr e) { return e.v; }
static void is(bool known) { if (!known) { fprintf(stderr, \"type\"); abort(); } }
static int bits(Expr a, Expr b) { is(a.bits > 1 && b.bits > 1); return a.bits > b.bits ? a.bits : b.bits; }
static __int128 mod(__int128 a, __int128 b) { if (!b) return 0; a %= b; return a < 0 ? a + (b < 0 ? -b : b) : a; }
#define OP(sign, result) static Expr operator sign(Expr a, Expr b) { __int128 x = a.v, y = b.v; return Expr(result, bits(a, b)); }
OP(+, x + y) OP(-, x - y) OP(*, x * y) OP(/, y ? (x - mod(x, y)) / y : 0) OP(%, mod(x, y))
OP(&, x & y) OP(|, x | y) OP(^, x ^ y)
#define COMPARE(sign) static Expr operator sign(Expr a, Expr b) { bits(a, b); return Expr((__int128)(a.v sign b.v), 1); }
COMPARE(<) COMPARE(<=) COMPARE(>) COMPARE(>=) COMPARE(==) COMPARE(!=)
static Expr operator-(Expr a) { return Expr(-(__int128)a.v, bits(a, a)); }
static Expr operator!(Expr a) { is(a.bits == 1); return Expr((__int128)!a.v, 1); }
static Expr operator&&(Expr a, Expr b) { is(a.bits == 1 && b.bits == 1); return Expr((__int128)(a.v && b.v), 1); }
static Expr operator||(Expr a, Expr b) { is(a.bits == 1 && b.bits == 1); return Expr((__int128)(a.v || b.v), 1); }
static Expr operator<<(Expr a, Expr b) { is(b.v >= 0 && b.v < a.bits); return Expr((__int128)a.v * ((__int128)1 << b.v), a.bits); }
static Expr operator>>(Expr a, Expr b) { is(b.v >= 0 && b.v < a.bits); return Expr((__int128)(a.v >> b.v), a.bits); }
static Expr min(Expr a, Expr b) { return Expr((__int128)(a.v < b.v ? a.v : b.v), bits(a, b)); }
static Expr max(Expr a, Expr b) { return Expr((__int128)(a.v > b.v ? a.v : b.v), bits(a, b)); }
static Expr div_round_to_zero(Expr a, Expr b) { return Expr(b.v ? (__int128)a.v / b.v : 0, bits(a, b)); }
static Expr mod_round_to_zero(Expr a, Expr b) { return Expr(b.v ? (__int128)a.v % b.v : 0, bits(a, b)); }
static Expr select(Expr c, Expr a, Expr b) { is(c.bits == 1); return Expr((__int128)(c.v ? a.v : b.v), a.bits > b.bits ? a.bits : b.bits); }
template <class T> static Expr cast(Expr a) { return Expr((__int128)a.v, 64); }
#define BEGIN
";

#[test]
fn halide_computes_what_is_written() {
    compiled(Dialect::Halide, EXPR, 120, 12);
}
