//! The values of random texts are compared with the values that a C++ compiler computes.

use quaff_dialects::{Dialect, Read, read};
use quaff_expr::domain::Random;
use quaff_expr::expr::{Expr, Op, Program};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// The types and names of the variables, in the order of the values of a point.
const NAMES: [(&str, &str); 10] = [
    ("int", "a"),
    ("int", "b"),
    ("unsigned", "u"),
    ("unsigned", "v"),
    ("int8_t", "c"),
    ("uint8_t", "d"),
    ("uint16_t", "e"),
    ("bool", "t"),
    ("long long", "k"),
    ("size_t", "m"),
];
const TEXTS: usize = 1000;
const POINTS: usize = 16;

const PROLOGUE: &str = r#"
#include <algorithm>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <type_traits>
static sigjmp_buf before;
static void undefined(int) { siglongjmp(before, 1); }
template <class T> static void print(T v) {
    if (std::is_signed<T>::value) printf("%lld\n", (long long)v); else printf("%llu\n", (unsigned long long)v);
}
template <class A, class B> static auto min(A a, B b) -> decltype(a + b) { decltype(a + b) x = a, y = b; return y < x ? y : x; }
template <class A, class B> static auto max(A a, B b) -> decltype(a + b) { decltype(a + b) x = a, y = b; return x < y ? y : x; }
template <class A> static auto abs(A a) -> decltype(+a) { return a < 0 ? -a : +a; }
static unsigned umin(unsigned a, unsigned b) { return a < b ? a : b; }
static unsigned __umulhi(unsigned a, unsigned b) { return (uint64_t)a * b >> 32; }
static int __mulhi(int a, int b) { return (int64_t)a * b >> 32; }
static unsigned __umul24(unsigned a, unsigned b) { return (a & 0xFFFFFF) * (b & 0xFFFFFF); }
static int __mul24(int a, int b) { return (int64_t)((int)((unsigned)a << 8) >> 8) * ((int)((unsigned)b << 8) >> 8); }
template <class A, class B> static auto ceil_div(A a, B b) -> decltype(a + b) { return (a + b - 1) / b; }
"#;

struct Writer {
    random: Random,
}

impl Writer {
    fn pick<'t>(&mut self, all: &[&'t str]) -> &'t str {
        all[self.random.below(all.len() as i128) as usize]
    }

    /// A random expression. It often lacks the parentheses that would show its structure.
    fn text(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.below(8) == 0 {
            return self.leaf();
        }
        let next = depth - 1;
        match self.random.below(19) {
            0 => {
                let (sign, operand) = (self.pick(&["-", "~", "!", "+"]), self.operand(next));
                // without the space, two signs would become `++` or `--`
                let space = if operand.starts_with(sign) { " " } else { "" };
                format!("{sign}{space}{operand}")
            }
            1 => {
                let types = [
                    "int",
                    "unsigned",
                    "int8_t",
                    "uint8_t",
                    "int16_t",
                    "unsigned short",
                    "long long",
                    "size_t",
                    "bool",
                ];
                format!("({}){}", self.pick(&types), self.operand(next))
            }
            // `0 + ` is needed because `(int64_t(int64_t(a)))` is a type in C++
            2 => format!("{}(0 + {})", self.pick(&["int64_t", "uint32_t", "static_cast<int>"]), self.text(next)),
            3 => format!(
                "{}({}, {})",
                self.pick(&["min", "max", "min", "max", "umin", "__umulhi", "__mulhi", "__umul24", "__mul24"]),
                self.text(next),
                self.text(next)
            ),
            4 => format!("({} ? {} : {})", self.text(next), self.text(next), self.text(next)),
            5 => format!("abs((int)({}))", self.text(next)),
            6 => format!("ceil_div({}, {})", self.text(next), self.pick(&["4", "3u", "b"])),
            // the result of a further operation depends on the type of the conversion
            8..=10 => {
                let (ty, sign) =
                    (self.pick(&["unsigned", "unsigned", "uint16_t", "int"]), self.pick(&["/", "%", ">>"]));
                format!("({ty})({}) {sign} {}", self.text(next), self.pick(&["3", "7", "2"]))
            }
            7 => format!("{} {} {}", self.operand(next), self.pick(&["<<", ">>"]), self.random.below(6)),
            _ => {
                let signs = [
                    "+", "-", "*", "/", "%", "+", "-", "*", "/", "%", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=",
                    "&&", "||",
                ];
                let space = self.pick(&[" ", ""]);
                let sign = self.pick(&signs);
                // without the space, `a& &b` would become `a&&b`
                format!("{}{space}{sign} {}", self.operand(next), self.operand(next))
            }
        }
    }

    /// A definition with an assignment to its variable, and an expression that uses the variable.
    fn program(&mut self, depth: u32) -> (String, String) {
        let types = ["int", "unsigned", "uint8_t", "int16_t", "long long", "auto", "const auto", "bool"];
        let ty = self.pick(&types);
        let mut statements = format!("{ty} x = {};", self.text(depth));
        if !ty.starts_with("const") {
            let sign = self.pick(&["", "+", "-", "*", "/", "%", "&", "|", "^"]);
            write!(statements, " x {sign}= {};", self.text(1)).unwrap();
        }
        (statements, format!("x {} {}", self.pick(&["+", "*", "/", "<"]), self.operand(1)))
    }

    fn operand(&mut self, depth: u32) -> String {
        let text = self.text(depth);
        if self.random.below(2) == 0 { text } else { format!("({text})") }
    }

    fn leaf(&mut self) -> String {
        match self.random.below(3) {
            0 => self.pick(&["0", "1", "3", "7", "32", "5u", "0x1F", "11", "0xFFFFFFFF", "4ll", "2ull", "13"]).into(),
            _ => self.pick(&["a", "b", "a", "b", "u", "v", "u", "v", "c", "d", "e", "t", "k", "m"]).into(),
        }
    }

    fn value(&mut self, ty: &str) -> i128 {
        let (lo, hi): (i128, i128) = match ty {
            "int" => (-(1 << 31), (1 << 31) - 1),
            "unsigned" => (0, (1 << 32) - 1),
            "int8_t" => (-128, 127),
            "uint8_t" => (0, 255),
            "uint16_t" => (0, 65535),
            "bool" => (0, 1),
            "long long" => (-(1 << 40), 1 << 40),
            _ => (0, 1 << 40),
        };
        let value = match self.random.below(8) {
            0 => lo + self.random.below(4),
            1 => hi - self.random.below(4),
            2 => lo + self.random.below(hi - lo + 1),
            _ => self.random.below(41) - 20,
        };
        value.clamp(lo, hi)
    }
}

/// A C++ program that prints the value of each text at each point, or `undefined`.
fn program(texts: &[(String, String)], points: &[Vec<i128>]) -> String {
    let mut out = PROLOGUE.to_string();
    let members: Vec<String> = NAMES.iter().map(|(ty, name)| format!("{ty} {name};")).collect();
    writeln!(out, "struct P {{ {} }};", members.join(" ")).unwrap();
    let aliases: Vec<String> =
        NAMES.iter().map(|(ty, name)| format!("volatile {ty} {name}_ = p.{name}; {ty} {name} = {name}_;")).collect();
    for (i, (before, text)) in texts.iter().enumerate() {
        writeln!(out, "static void f{i}(const P &p) {{ {} {before} print({text}); }}", aliases.join(" ")).unwrap();
    }
    let rows: Vec<String> =
        points.iter().map(|p| format!("{{{}}}", p.iter().map(cpp).collect::<Vec<_>>().join(","))).collect();
    writeln!(out, "static const P points[] = {{ {} }};", rows.join(",\n")).unwrap();
    let names: Vec<String> = (0..texts.len()).map(|i| format!("f{i}")).collect();
    writeln!(out, "static void (*const all[])(const P &) = {{ {} }};", names.join(", ")).unwrap();
    out + r#"
int main() {
    for (int s : {SIGILL, SIGTRAP, SIGFPE}) signal(s, undefined);
    for (auto f : all) for (auto &p : points) { if (sigsetjmp(before, 1)) puts("undefined"); else f(p); }
}
"#
}

fn cpp(value: &i128) -> String {
    // the least `int` is not a literal of type `int`
    if *value == -(1 << 31) { "-2147483647 - 1".into() } else { value.to_string() }
}

/// The output of the compiled program. `None` if there is no compiler.
fn compiled(source: &str) -> Option<Vec<Option<i128>>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (input, output) = (folder.join("c_like.cpp"), folder.join("c_like.out"));
    std::fs::write(&input, source).unwrap();
    let flags = [
        "-std=c++17",
        "-O0",
        "-w",
        "-fsanitize=signed-integer-overflow,integer-divide-by-zero,shift",
        "-fsanitize-undefined-trap-on-error",
    ];
    let built = Command::new("g++").args(flags).arg(&input).arg("-o").arg(&output).output().ok()?;
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let ran = Command::new(&output).output().unwrap();
    let lines = String::from_utf8(ran.stdout).unwrap();
    Some(lines.lines().map(|l| l.parse().ok()).collect())
}

/// All nodes of the results, and of the expressions that the reader requires not to be negative.
fn nodes(read: &Read) -> Vec<Expr> {
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    let mut stack = vec![read.results[0].expr().clone()];
    while let Some(e) = stack.pop() {
        if seen.insert(e.address()) {
            stack.extend(e.args().iter().cloned());
            found.push(e);
        }
    }
    found
}

#[test]
fn values_are_those_of_a_compiler() {
    let mut writer = Writer { random: Random::new(11) };
    let texts: Vec<(String, String)> = (0..TEXTS)
        .map(|i| match i % 5 {
            0 => writer.program(2),
            depth => (String::new(), writer.text(depth as u32)),
        })
        .collect();
    let points: Vec<Vec<i128>> = (0..POINTS).map(|_| NAMES.iter().map(|(ty, _)| writer.value(ty)).collect()).collect();
    let Some(expected) = compiled(&program(&texts, &points)) else {
        println!("skipped: there is no g++");
        return;
    };
    let declared: String = NAMES.iter().map(|(ty, name)| format!("{ty} {name}; ")).collect();
    let names: Vec<&str> = NAMES.iter().map(|(_, name)| *name).collect();
    let (mut compared, mut negative) = (0, 0);
    for ((before, text), expected) in texts.iter().zip(expected.chunks(POINTS)) {
        let read = read(&format!("{declared}{before}{text}"), Dialect::C).unwrap_or_else(|e| panic!("{text}: {e}"));
        let nodes = nodes(&read);
        let required: Vec<Expr> = read.requirements.iter().map(|r| r.value.clone()).collect();
        let (of_nodes, of_required) = (Program::new(&nodes, &names).unwrap(), Program::new(&required, &names).unwrap());
        for (point, expected) in points.iter().zip(expected) {
            // at this point, the text has no defined value in C
            let Some(expected) = expected else { continue };
            // the compiler computes in 64 bits, so points at which a node needs more bits are skipped
            let values = of_nodes.eval(point);
            let is_small = values.iter().all(|v| v.is_err() || v.is_ok_and(|v| v.unsigned_abs() < 1 << 63));
            let is_met = of_required.eval(point).iter().all(|v| v.is_ok_and(|v| v >= 0));
            // a shift of a 1 into the sign bit has a value in C++, but is undefined in C
            let sign = 1 << 31..1 << 32;
            let is_in_sign =
                nodes.iter().zip(&values).any(|(e, v)| *e.op() == Op::Shl && v.is_ok_and(|v| sign.contains(&v)));
            if !is_small || !is_met || is_in_sign {
                continue;
            }
            assert_eq!(
                values[0],
                Ok(*expected),
                "{before} {text} = {} at {names:?} = {point:?}",
                read.results[0].expr()
            );
            compared += 1;
            negative += usize::from(*expected < 0);
        }
    }
    println!("{compared} values compared, {negative} of them negative");
    assert!(compared > TEXTS * POINTS / 2 && negative > 300, "{compared} {negative}");
}
