//! The values of texts are compared with the values that Python and sympy compute. If Python or sympy is missing, the
//! test prints this and compares nothing.

use quaff_dialects::{Dialect, read};
use quaff_expr::domain::Random;
use quaff_expr::expr::{EvalError, EvalFailure};
use std::io::Write;
use std::process::{Command, Stdio};

const NAMES: [&str; 3] = ["x", "y", "z"];

/// The output of `python3` for `script` with `input`. `None` if Python is missing or the script fails.
fn python(script: &str, input: &str) -> Option<String> {
    let mut child = Command::new("python3")
        .args(["-W", "ignore", "-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // the output is read while the input is written, because otherwise both processes may wait for each other
    let mut stdin = child.stdin.take()?;
    let input = input.to_string();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().ok()?;
    writer.join().ok()?.ok();
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A generator of random texts in Python.
struct Texts(Random);

impl Texts {
    fn below(&mut self, n: usize) -> usize {
        usize::try_from(self.0.below(n as i128)).unwrap()
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len())]
    }

    fn operand(&mut self, depth: usize) -> String {
        let kind = self.below(12);
        if depth == 0 || kind < 5 {
            return self.pick(&NAMES).into();
        }
        if kind < 7 {
            return self.pick(&["0", "1", "2", "3", "4", "7", "0x10", "0b11", "0o17", "9_6"]).into();
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        let divisor = self.pick(&["2", "4", "7", "-3"]);
        match self.below(9) {
            0 => format!("min({a}, {b})"),
            1 => format!("max({a}, {b}, x)"),
            2 => format!("abs({a})"),
            3 => format!("divmod({a}, {b})[0]"),
            4 => format!("divmod({a}, {b})[1]"),
            5 => format!("int(({a}) / {divisor})"),
            6 => format!("math.ceil(({a}) / {divisor})"),
            // floating-point numbers represent quotients by powers of two exactly
            7 => format!("math.floor(({a})/4 - ({b})/2 + 1/8)"),
            _ => format!("({a})"),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        const SIGNS: &[&str] = &[
            "+", "-", "*", "//", "%", "//", "%", "&", "|", "^", "<", "<=", "==", "!=", ">=", "and", "or", "<< 2 +",
            ">> 1 -",
        ];
        let mut text = String::new();
        for i in 0..1 + self.below(4) {
            if i > 0 {
                text += &format!(" {} ", self.pick(SIGNS));
            }
            text += self.pick(&["", "", "", "", "", "-", "+", "~"]);
            text += &self.operand(depth);
            text += self.pick(&["", "", "", "", "", "", "", " ** 2"]);
        }
        match self.below(10) {
            0 => format!("not {text}"),
            1 => format!("{text} if {} else {}", self.operand(depth), self.operand(depth)),
            _ => text,
        }
    }

    /// A text of Triton without the operators for which Python needs the truth value of an operand.
    fn tensor(&mut self, depth: usize) -> String {
        let kind = self.below(12);
        if depth == 0 || kind < 4 {
            return self.pick(&["x", "y", "z", "x", "y", "z", "2", "7", "(-7)", "(-3)"]).into();
        }
        let (a, b) = (self.tensor(depth - 1), self.tensor(depth - 1));
        let sign = self.pick(&["+", "-", "*", "//", "%", "&", "|", "^", "<", "<=", "==", "!="]);
        match kind {
            4 => format!("tl.cdiv({a}, {b})"),
            5 => format!("tl.where({a} < {b}, {b}, {a})"),
            6 => format!("tl.minimum({a}, {b})"),
            7 => format!("~({a} < {b})"),
            8 => format!("~({a} // {b})"),
            9 => format!("-({a} {sign} {b})"),
            10 => format!("abs({a})"),
            _ => format!("({a} {sign} {b})"),
        }
    }

    /// A random value, negative in about half of the cases.
    fn value(&mut self) -> i64 {
        [-100, -17, -9, -4, -1, 0, 1, 2, 5, 31][self.below(10)]
    }
}

/// A script that evaluates each line `x y z text`, and prints the value or a word.
const EVALUATE: &str = "
import math, sys
for line in sys.stdin:
    x, y, z, text = line.rstrip('\\n').split(' ', 3)
    try:
        print(int(eval(text, {'x': int(x), 'y': int(y), 'z': int(z), 'math': math})))
    except SyntaxError:
        print('syntax')
    except Exception:
        print('undefined')
";

#[test]
fn values_are_those_of_python() {
    let mut texts = Texts(Random::new(7));
    let mut cases = Vec::new();
    while cases.len() < 4_000 {
        let text = texts.expression(2);
        let point = [texts.value(), texts.value(), texts.value()];
        cases.push((text, point));
    }
    let input: String = cases.iter().map(|(text, [x, y, z])| format!("{x} {y} {z} {text}\n")).collect();
    let Some(output) = python(EVALUATE, &input) else {
        println!("skipped: python3 is missing");
        return;
    };
    assert_eq!(output.lines().count(), cases.len());
    let (mut compared, mut undefined) = (0, 0);
    for ((text, point), expected) in cases.iter().zip(output.lines()) {
        let parsed = match read(text, Dialect::Python) {
            Ok(read) => read.results[0].clone(),
            // texts that need the truth value of a number, some exponents, and texts that are not Python are refused on
            // purpose
            Err(error) => {
                let message = error.to_string();
                let is_known = message.contains("truth value") || message.contains("exponent");
                assert!(is_known || expected == "syntax", "{text}: {message}");
                continue;
            }
        };
        let value_of = |name: &str| NAMES.iter().position(|n| *n == name).map(|i| point[i]);
        match parsed.expr().eval(value_of) {
            Err(EvalFailure::Undefined(EvalError::Overflow | EvalError::Shift)) => {}
            Err(EvalFailure::Undefined(EvalError::DivisionByZero)) => {
                assert_eq!(expected, "undefined", "{text} at {point:?}");
                undefined += 1;
            }
            value => {
                assert_eq!(value.map(|v| v.to_string()), Ok(expected.into()), "{text} at {point:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000 && undefined > 50, "{compared} compared, {undefined} undefined");
}

/// The script of `EVALUATE` with numbers that divide like tensors of Triton. Literals stay numbers of Python.
const TENSORS: &str = "
import sys
class T:
    def __init__(self, v, truth=False): self.v, self.truth = int(v), truth
    def __int__(self): return self.v
    def __bool__(self): return self.v != 0
    def __neg__(self): return T(-self.v)
    def __abs__(self): return T(abs(self.v))
    def __invert__(self): return T(1 - self.v, True) if self.truth else T(~self.v)
def div(a, b): return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
def mod(a, b): return a - b * div(a, b)
def both(name, f, truth):
    t = lambda a, b: truth or getattr(a, 'truth', False) and getattr(b, 'truth', False) and name in ('and', 'or', 'xor')
    setattr(T, f'__{name}__', lambda a, b: T(f(int(a), int(b)), t(a, b)))
    setattr(T, f'__r{name}__', lambda a, b: T(f(int(b), int(a)), t(a, b)))
for name, f in dict(add=int.__add__, sub=int.__sub__, mul=int.__mul__, floordiv=div, mod=mod).items(): both(name, f, False)
both('and', int.__and__, False); both('or', int.__or__, False); both('xor', int.__xor__, False)
for name in ('lt', 'le', 'gt', 'ge', 'eq', 'ne'): both(name, getattr(int, f'__{name}__'), True)
class tl:
    cdiv = lambda a, b: (a + b - 1) // b
    where = lambda c, a, b: T(a if c else b)
    minimum = lambda a, b: T(min(int(a), int(b)))
for line in sys.stdin:
    x, y, z, text = line.rstrip('\\n').split(' ', 3)
    try:
        print(int(eval(text, {'x': T(x), 'y': T(y), 'z': T(z), 'tl': tl})))
    except SyntaxError:
        print('syntax')
    except Exception:
        print('undefined')
";

#[test]
fn values_are_those_of_tensors() {
    let mut texts = Texts(Random::new(11));
    let mut cases = Vec::new();
    while cases.len() < 3_000 {
        let mut text = texts.tensor(2);
        for _ in 0..texts.below(3) {
            let sign = texts.pick(&["+", "-", "*", "//", "%", "//", "%", "&", "|", "^", "<", "=="]);
            text = format!("{text} {sign} {}", texts.tensor(2));
        }
        cases.push((text, [texts.value(), texts.value(), texts.value()]));
    }
    let input: String = cases.iter().map(|(text, [x, y, z])| format!("{x} {y} {z} {text}\n")).collect();
    let Some(output) = python(TENSORS, &input) else {
        println!("skipped: python3 is missing");
        return;
    };
    assert_eq!(output.lines().count(), cases.len());
    let mut compared = 0;
    for ((text, point), expected) in cases.iter().zip(output.lines()) {
        let parsed = read(text, Dialect::Triton).unwrap_or_else(|error| panic!("{text}: {error}"));
        let value_of = |name: &str| NAMES.iter().position(|n| *n == name).map(|i| point[i]);
        match parsed.results[0].expr().eval(value_of) {
            Err(EvalFailure::Undefined(_)) => assert_eq!(expected, "undefined", "{text} at {point:?}"),
            // Python computes both branches of `where`, so its value may be undefined here
            _ if expected == "undefined" => {}
            value => {
                assert_eq!(value.map(|v| v.to_string()), Ok(expected.into()), "{text} at {point:?}");
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}

/// A script that prints random expressions of sympy, each with a point and its value.
const EXPRESSIONS: &str = "
import random, sympy
r = random.Random(7)
S = sympy.symbols('x y z', integer=True)
def integer(d):
    k = r.randrange(12)
    if d <= 0 or k < 2: return r.choice([*S, sympy.Integer(r.choice([-3, -1, 1, 2, 4, 7]))])
    if k < 4: return integer(d - 1) + integer(d - 1)
    if k < 5: return integer(d - 1) * integer(d - 1)
    if k < 7: return sympy.Mod(integer(d - 1), r.choice([2, 3, 4, -5]))
    if k < 9: return sympy.floor(fraction(d - 1))
    if k < 10: return sympy.ceiling(fraction(d - 1))
    if k < 11: return r.choice([sympy.Min, sympy.Max])(integer(d - 1), integer(d - 1))
    return sympy.Piecewise((integer(d - 1), condition(d - 1)), (integer(d - 1), True))
def fraction(d):
    terms = [integer(d - 1) * sympy.Rational(r.choice([1, -1, 3]), r.choice([2, 3, 4, 6])) for _ in range(r.choice([1, 2]))]
    return sum(terms, sympy.Rational(r.choice([0, 0, 1, -1]), r.choice([2, 3, 8])))
def condition(d):
    c = r.choice([sympy.Lt, sympy.Le, sympy.Eq, sympy.Ne, sympy.Gt])(integer(d - 1), integer(d - 1))
    return r.choice([c, c, sympy.And(c, condition(d - 1)), sympy.Or(c, condition(d - 1))]) if d > 0 else c
n = 0
while n < 150:
    try: e = integer(3)
    except Exception: continue
    point = [r.choice([-40, -9, -4, -1, 0, 1, 2, 5, 17]) for _ in S]
    value = e.subs(dict(zip(S, point)))
    if e.free_symbols and value.is_Integer:
        print(*point, value, e)
        n += 1
";

#[test]
fn values_are_those_of_sympy() {
    let Some(output) = python(EXPRESSIONS, "") else {
        println!("skipped: python3 or sympy is missing");
        return;
    };
    for line in output.lines() {
        let mut parts = line.splitn(5, ' ');
        let mut number = || parts.next().unwrap().parse::<i64>().unwrap();
        let (point, expected) = ([number(), number(), number()], number());
        let text = parts.next().unwrap();
        let read = read(text, Dialect::Sympy).unwrap_or_else(|error| panic!("{text}: {error}"));
        let value_of = |name: &str| NAMES.iter().position(|n| *n == name).map(|i| point[i]);
        assert_eq!(read.results[0].expr().eval(value_of), Ok(expected.into()), "{text} at {point:?}");
    }
}
