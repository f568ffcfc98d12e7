//! Expressions over variables with hostile names, such as reserved words. Each text must be complete, use a separate
//! valid name for each variable, and compute the same values.

use super::Checked;
use super::host::{DEVICE, Host, Random};
use arbitrary::{Arbitrary, Result, Unstructured};
use quaff::domain::{Domain, VarFacts};
use quaff::emit::{self, Text};
use quaff::expr::{Dag, Expr, Program, int, parse, parse_sexp, select, var};
use quaff::lower::lower;
use quaff::{Simplified, Simplifier};
use std::collections::HashSet;
use std::fmt::{self, Write as _};

/// Words that have a meaning in some language or in the printed texts.
const WORDS: &[&str] = &[
    "int",
    "for",
    "NULL",
    "and_eq",
    "typeof",
    "bool",
    "linux",
    "errno",
    "size_t",
    "INT_MAX",
    "class",
    "this",
    "template",
    "new",
    "min",
    "max",
    "abs",
    "where",
    "threadIdx",
    "dim3",
    "int4",
    "__umulhi",
    "atomicAdd",
    "half",
    "warpSize",
    "lambda",
    "None",
    "print",
    "is",
    "in",
    "pass",
    "fn",
    "i64",
    "Self",
    "Some",
    "crate",
    "_",
    "let",
    "out",
    "t0",
    "t1",
    "T0",
    "v",
    "idx",
    "n",
    "n_div",
    "divisor_div",
    "x",
    "a",
    "b",
    "m",
    "s",
    "quaff_",
    "quaff_x",
    "quaff_v",
    "quaff_min_int",
    "quaff_fastdivmod",
    "__x",
    "_X",
    "step",
    "from",
    "i",
    "I",
    "",
    " ",
    "a b",
    "threadIdx.x",
    "9",
    "{}",
    "*/",
    "//",
    "\n",
    "\\",
    "é",
    "名",
    "#define x y",
    "x;y",
    "\"",
    "`",
];
const NOTATION: [&str; 7] = ["True", "False", "and", "or", "not", "if", "else"];

/// An expression over hostile names, with the range of each.
pub(crate) struct Case {
    names: Vec<String>,
    ranges: Vec<(i64, i64)>,
    /// Whether the last variable has one value during a launch.
    uniform: bool,
    expr: Expr,
    seed: u64,
}

fn name(u: &mut Unstructured<'_>, before: &[String]) -> Result<String> {
    let word = (*u.choose(WORDS)?).to_string();
    let of = |u: &mut Unstructured<'_>| match before.is_empty() {
        true => Ok(word.clone()),
        false => u.choose(before).cloned(),
    };
    Ok(match u.int_in_range(0..=9)? {
        0..=3 => word,
        4 => of(u)? + "_2",
        5 => of(u)?.to_uppercase(),
        6 => of(u)?.to_lowercase(),
        7 => format!("{word}{}", of(u)?),
        8 => format!("v_{}", of(u)?),
        _ => format!("t{}", u.int_in_range(0..=3)?),
    })
}

fn expression(u: &mut Unstructured<'_>, names: &[String], size: &mut u32) -> Result<Expr> {
    *size = size.saturating_sub(1);
    if *size == 0 || u.is_empty() {
        return Ok(var(u.choose(names)?.as_str()));
    }
    let a = expression(u, names, size)?;
    let kind = u.int_in_range(0..=11)?;
    let c = int(*u.choose(&[2, 3, 4, 7, 8, 12, 100])?);
    if matches!(kind, 2 | 3) {
        return Ok(if kind == 2 { a / c } else { a % c });
    }
    let b = expression(u, names, size)?;
    // the last variable is positive, so it can be a divisor
    let last = var(names[names.len() - 1].as_str());
    Ok(match kind {
        0 => a + b,
        1 => a - b * c,
        4 => a / last + b,
        5 => a % last * c + b,
        6 => a.min(b),
        7 => a.max(b),
        8 => select(a.lt(&b), b, c),
        9 => a.ge(c).and(b.lt(100)) + a,
        10 => (a + &b) % 7 * (b % 5),
        _ => a * c + b,
    })
}

impl<'a> Arbitrary<'a> for Case {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Case> {
        let seed = u.arbitrary()?;
        let mut names: Vec<String> = vec![];
        for _ in 0..u.int_in_range(2..=5)? {
            let name = name(u, &names)?;
            if !names.contains(&name) && !NOTATION.contains(&name.as_str()) {
                names.push(name);
            }
        }
        let mut ranges = vec![];
        for _ in &names {
            ranges.push(*u.choose(&[(0, 9), (0, 1000), (-50, 50), (0, 1 << 20), (-100_000, 70_000)])?);
        }
        if let Some(last) = ranges.last_mut() {
            *last = (1, 77);
        }
        let uniform = u.ratio(1, 2)?;
        let mut size = u.int_in_range(4..=24)?;
        let expr = expression(u, &names, &mut size)?;
        Ok(Case { names, ranges, uniform, expr, seed })
    }
}

/// A case with its answer and its texts.
pub(crate) struct Printed {
    shown: String,
    vars: Vec<VarFacts>,
    points: Vec<Vec<i64>>,
    values: Vec<i128>,
    /// The texts in C, CUDA, Python and Rust. `None` if a value exceeds the integers of the language.
    texts: [Option<Text>; 4],
}

impl Printed {
    /// The same case with at most `count` points.
    pub(crate) fn at_most(mut self, count: usize) -> Printed {
        self.points.truncate(count);
        self.values.truncate(count);
        self
    }
}

impl Case {
    /// The case that is built from `bytes`. `None` if building it fails.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Option<Case> {
        Case::arbitrary(&mut Unstructured::new(bytes)).ok()
    }

    fn domain(&self, names: &[String]) -> Domain {
        let mut domain = Domain::new();
        for (name, &(lo, hi)) in names.iter().zip(&self.ranges) {
            domain.add_bounds(name.as_str(), lo..=hi);
        }
        match names.last() {
            Some(last) if self.uniform => domain.launch_invariant(last.as_str()),
            _ => domain,
        }
    }

    /// Simplifies the expression, compares values at `count` points, prints the text in each language and checks its
    /// names.
    ///
    /// # Errors
    /// A complete description of the first wrong result.
    pub(crate) fn check(&self, count: u32) -> std::result::Result<(Checked, Option<Printed>), String> {
        let domain = self.domain(&self.names);
        let Ok(answer) = Simplifier::default().simplify(&self.expr, &domain) else {
            return Ok((Checked::default(), None));
        };
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let roots = [self.expr.clone(), answer.expr().clone()];
        let program = Program::new(&roots, &names).map_err(|e| format!("{self}\n{e}"))?;
        let mut random = Random(self.seed);
        let (mut points, mut values) = (vec![], vec![]);
        for _ in 0..count {
            let point: Vec<i64> = self.ranges.iter().map(|&(lo, hi)| random.within(lo, hi)).collect();
            let wide: Vec<i128> = point.iter().map(|&v| v.into()).collect();
            match program.eval(&wide)[..] {
                [Ok(wanted), Ok(got)] if wanted == got => {
                    points.push(point);
                    values.push(wanted);
                }
                ref other => return Err(format!("{self}\nanswer {}\nat {point:?}: {other:?}", answer.expr())),
            }
        }
        self.check_names_do_not_matter(&answer)?;
        let texts = self.texts(&answer)?;
        let checked = Checked { evaluations: points.len() as u64, answers: 1, ..Checked::default() };
        let vars = answer.vars().to_vec();
        Ok((checked, Some(Printed { shown: self.to_string(), vars, points, values, texts })))
    }

    /// Checks that plain names give the same answer, except for the names.
    fn check_names_do_not_matter(&self, answer: &Simplified) -> std::result::Result<(), String> {
        let plain: Vec<String> = (0..self.names.len()).map(|i| format!("p{i}")).collect();
        let renamed = |e: &Expr| {
            let dag = Dag::new(std::slice::from_ref(e));
            let mut made: Vec<Expr> = vec![];
            for node in dag.nodes() {
                made.push(match &node.op {
                    quaff::expr::Op::Var(name) => {
                        let at = self.names.iter().position(|n| n.as_str() == &**name).unwrap_or(0);
                        var(plain[at].as_str())
                    }
                    op => {
                        Expr::try_new(op.clone(), node.args().iter().map(|&a| made[a as usize].clone())).expect("arity")
                    }
                });
            }
            made[dag.roots()[0] as usize].clone()
        };
        let other = Simplifier::default().simplify(&renamed(&self.expr), &self.domain(&plain));
        match other {
            Ok(other) if *other.expr() == renamed(answer.expr()) => Ok(()),
            other => Err(format!(
                "{self}\nanswer {}\nunder other names {:?}",
                answer.expr(),
                other.map(|o| o.expr().clone())
            )),
        }
    }

    fn texts(&self, answer: &Simplified) -> std::result::Result<[Option<Text>; 4], String> {
        let texts = [answer.c().ok(), answer.cuda().ok(), Some(answer.python()), answer.rust().ok()];
        // the text of the input is checked as well, because it has more operations than the text of the answer
        let dag = Dag::new(std::slice::from_ref(&self.expr));
        let more = lower(&dag, answer.vars()).ok().map(|l| emit::cuda(&l));
        for text in texts.iter().flatten().chain(&more) {
            let mut seen = HashSet::new();
            // a variable that CUDA defines keeps its name
            let own =
                text.inputs.iter().filter(|i| !i.defined).map(|i| &i.name).chain(text.divisors.iter().map(|d| &d.name));
            for name in own {
                let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                if !word || name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() || !seen.insert(name) {
                    return Err(format!("{self}\nthe name `{name}` in\n{text}"));
                }
            }
        }
        let readable = |n: &String| {
            n.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && n.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        };
        if self.names.iter().all(readable) {
            let (infix, sexp) = (answer.expr().to_string(), answer.expr().to_sexp(1 << 20).unwrap_or_default());
            let reads =
                |again: std::result::Result<quaff::expr::Parsed, _>| again.is_ok_and(|p| p.expr() == answer.expr());
            if !reads(parse(&infix)) || !reads(parse_sexp(&sexp)) {
                return Err(format!("{self}\n`{infix}` or `{sexp}` does not read back"));
            }
        }
        Ok(texts)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, names {:?}, ranges {:?}, uniform {}", self.expr, self.names, self.ranges, self.uniform)
    }
}

/// Compiles the texts of many cases in one language and compares their values. Returns the number of compared values.
///
/// # Errors
/// A complete description of the first wrong result.
pub(crate) fn compiled(host: Host, cases: &[Printed]) -> std::result::Result<u64, String> {
    let (mut functions, mut calls, mut count) = (String::new(), String::new(), 0);
    let column = match host {
        Host::C => 0,
        Host::Cpp => 1,
        Host::Python => 2,
        Host::Rust => 3,
    };
    for (i, case) in cases.iter().enumerate() {
        let Some(text) = &case.texts[column] else { continue };
        let Some(wanted) = case.values.iter().map(|&v| i64::try_from(v).ok()).collect::<Option<Vec<i64>>>() else {
            continue;
        };
        count += wanted.len() as u64;
        let place = |variable: &str| case.vars.iter().position(|v| &*v.name == variable).unwrap_or(0);
        match host {
            Host::C | Host::Cpp => c_function(i, text, place, &mut functions),
            Host::Python => python_function(i, text, place, &mut functions),
            Host::Rust => rust_function(i, text, place, &mut functions),
        }
        for (point, value) in case.points.iter().zip(wanted) {
            let point = point.iter().map(|v| literal(*v, host)).collect::<Vec<_>>().join(", ");
            let value = literal(value, host);
            let _ = match host {
                Host::C | Host::Cpp => {
                    writeln!(calls, "  {{ const long long p[] = {{{point}}}; check({i}, f{i}(p), {value}); }}")
                }
                Host::Python => writeln!(calls, "check({i}, f{i}([{point}]), {value})"),
                Host::Rust => writeln!(calls, "    check({i}, f{i}(&[{point}]), {value});"),
            };
        }
    }
    let check = "static int wrong = 0;\nstatic void check(int i, long long got, long long wanted) {\n  \
        if (got != wanted) { printf(\"case %d: %lld for %lld\\n\", i, got, wanted); wrong = 1; }\n}\n";
    let main = format!("int main(void) {{\n{calls}  return wrong;\n}}\n");
    let source = match host {
        Host::C => format!(
            "#include <stdio.h>\n#include <stdint.h>\n#include <limits.h>\n{}{check}{functions}{main}",
            emit::c_library()
        ),
        Host::Cpp => {
            let library = emit::c_library();
            let host_only = library.find("typedef struct").map_or("", |at| &library[at..]);
            format!("{DEVICE}{host_only}{check}{functions}{main}")
        }
        Host::Python => {
            format!("def check(i, got, wanted):\n    assert got == wanted, (i, got, wanted)\n{functions}{calls}")
        }
        Host::Rust => format!(
            "#![allow(warnings)]\nfn check(i: usize, got: i64, wanted: i64) {{ assert_eq!((i, got), (i, wanted)); }}\n{functions}fn main() \
             {{\n{calls}}}\n"
        ),
    };
    let named = |e: String| {
        let number = e.split("case ").nth(1).and_then(|t| t.split(':').next()?.parse::<usize>().ok());
        let case = number.and_then(|n| cases.get(n)).map(|c| c.shown.clone()).unwrap_or_default();
        format!("{host:?}: {e}\n{case}")
    };
    host.run(&source).map_err(named)?;
    Ok(count)
}

fn literal(v: i64, host: Host) -> String {
    match host {
        Host::C | Host::Cpp => format!("{v}ll"),
        Host::Python | Host::Rust => v.to_string(),
    }
}

fn c_function(i: usize, text: &Text, place: impl Fn(&str) -> usize, out: &mut String) {
    let _ = writeln!(out, "static long long f{i}(const long long *quaff_v) {{");
    for input in text.inputs.iter().chain(&text.host_inputs) {
        let (name, ty, at) = (&input.name, input.ty, place(&input.variable));
        let _ = match input.defined {
            true => writeln!(out, "  {name} = (unsigned)quaff_v[{at}];"),
            false => writeln!(out, "  const {ty} {name} = ({ty})quaff_v[{at}];"),
        };
    }
    for divisor in &text.divisors {
        let _ = writeln!(out, "  const quaff_fastdivmod_t {} = {};", divisor.name, divisor.setup());
    }
    let _ = writeln!(out, "{text}}}");
}

fn python_function(i: usize, text: &Text, place: impl Fn(&str) -> usize, out: &mut String) {
    let _ = writeln!(out, "def f{i}(__values):");
    for input in &text.inputs {
        let _ = writeln!(out, "    {} = __values[{}]", input.name, place(&input.variable));
    }
    for line in text.to_string().lines() {
        let _ = writeln!(out, "    {line}");
    }
}

fn rust_function(i: usize, text: &Text, place: impl Fn(&str) -> usize, out: &mut String) {
    let _ = writeln!(out, "fn f{i}(values_of_the_case: &[i64]) -> i64 {{");
    for input in &text.inputs {
        let _ = writeln!(out, "    let {}: i64 = values_of_the_case[{}];", input.name, place(&input.variable));
    }
    let _ = writeln!(out, "{text}}}");
}
