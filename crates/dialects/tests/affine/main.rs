//! The readers of MLIR and XLA.

use proptest::prelude::*;
use quaff_dialects::{Dialect, ReadError, read};
use quaff_expr::domain::{Domain, Points};
use quaff_expr::expr::{Expr, Program};
use serde_json::Value;
use std::path::Path;

fn results(text: &str, dialect: Dialect) -> Result<Vec<String>, ReadError> {
    Ok(read(text, dialect)?.results.iter().map(|r| r.expr().to_string()).collect())
}

#[track_caller]
fn reads(text: &str, dialect: Dialect, expected: &[&str]) {
    match results(text, dialect) {
        Ok(found) => assert_eq!(found, expected, "{text}"),
        Err(error) => panic!("{text}: {error} at {:?}, {:?}", error.span(), error.help_text()),
    }
}

/// Checks the error for `text`: the message, the part of the text that it marks, and the help.
#[track_caller]
fn refuses(text: &str, dialect: Dialect, message: &str, part: &str, help: &str) {
    let error = read(text, dialect).expect_err(text);
    assert_eq!(
        (error.to_string().as_str(), &text[error.span()], error.help_text().unwrap_or_default()),
        (message, part, help),
        "{text}"
    );
}

#[test]
fn expressions_of_mlir() {
    for (text, expected) in [
        ("d0 floordiv 8 + d1 mod 4", "d0//8 + d1%4"),
        ("s0 ceildiv 4", "-(-s0//4)"),
        ("-d0 floordiv 8 - -3", "-d0//8 - -3"),
        ("-(d0 + 1) * 4", "-(d0 + 1)*4"),
        ("a - b - c", "a - b - c"),
        ("a - (b - c)", "a - (b - c)"),
        ("a floordiv 4 * 4 mod 3", "a//4*4%3"),
        ("%arg0 * 0x10 + %i", "arg0*16 + i"),
        ("%0 + 1", "_0 + 1"),
        ("// a comment\nd0 + 1", "d0 + 1"),
        ("((d0))", "d0"),
        ("d0 * -1", "d0*-1"),
        ("d0 - 9223372036854775807", "d0 - 9223372036854775807"),
        ("-9223372036854775808", "-9223372036854775808"),
    ] {
        reads(text, Dialect::Mlir, &[expected]);
    }
}

#[test]
fn maps_sets_and_operations_of_mlir() {
    let cases: [(&str, &[&str]); 10] = [
        ("affine_map<(d0, d1)[s0] -> (d0 floordiv 8, d1 mod 4 + s0)>", &["d0//8", "d1%4 + s0"]),
        ("affine_map<(i) -> (i)>", &["i"]),
        ("#map = affine_map<(d0) -> (d0 + 1, d0)>", &["d0 + 1", "d0"]),
        ("affine_set<(d0) : (d0 - 1 >= 0, d0 mod 4 == 0, d0 <= 9)>", &["d0 - 1 >= 0", "d0%4 == 0", "d0 <= 9"]),
        ("affine.apply affine_map<(d0)[s0] -> (d0 floordiv 4 + s0)>(%i)[%n]", &["i//4 + n"]),
        ("#map = affine_map<(d0) -> (d0 mod 4)>\naffine.apply #map(%i)", &["i%4"]),
        ("affine.min affine_map<(d0)[s0] -> (d0, s0 - d0, 8)>(%i)[%n]", &["min(min(i, n - i), 8)"]),
        ("affine.max affine_map<(d0) -> (d0, 0)>(%i)", &["max(i, 0)"]),
        (
            "#m = affine_map<(d0, d1) -> (d0 * 8 + d1)>\n%0 = affine.apply #m(%i, %j)\n%1 = affine.apply #m(%0, %k)\n\
             %2 = affine.apply #m(%1, %0)",
            &["((i*8 + j)*8 + k)*8 + (i*8 + j)"],
        ),
        ("affine_map<() -> (5)>", &["5"]),
    ];
    for (text, expected) in cases {
        reads(text, Dialect::Mlir, expected);
    }
}

#[test]
fn operations_of_arith() {
    let text = |lines: &str| format!("%c4 = arith.constant 4 : i32\n%true = arith.constant true\n{lines}");
    for (lines, expected) in [
        ("%0 = arith.floordivsi %a, %c4 : i32", "a//4"),
        ("arith.ceildivsi %a, %c4 : i32", "-(-a//4)"),
        ("%0 = arith.addi %a, %b : index\n%1 = arith.muli %0, %c4 : i32", "(a + b)*4"),
        ("%0 = arith.shrsi %a, %c4 : i64\n%1 = arith.shli %0, %c4 overflow<nsw, nuw> : i64", "a >> 4 << 4"),
        ("%0 = arith.cmpi slt, %a, %b : i32\n%1 = arith.select %0, %a, %b : i32", "where(a < b, a, b)"),
        ("%0 = arith.cmpi eq, %a, %b : i32\n%1 = arith.xori %0, %true : i1", "(a == b) ^ 1"),
        ("%0 = arith.index_cast %a : i32 to index\n%1 = affine.apply affine_map<(d0) -> (d0 mod 8)>(%0)", "a%8"),
        ("%0 = arith.cmpi sle, %a, %b : i32\n%1 = arith.extui %0 : i1 to i32", "a <= b"),
        ("%0 = arith.cmpi sle, %a, %b : i32\n%1 = arith.extsi %0 : i1 to i32", "-(a <= b)"),
        ("%0 = arith.minsi %a, %b : i32\n%1 = arith.maxui %0, %a : i32", "max(min(a, b), a)"),
    ] {
        reads(&text(lines), Dialect::Mlir, &[expected]);
    }
    for (operation, a, b, value) in
        [("divsi", -7, 2, -3), ("remsi", -7, 2, -1), ("divsi", 7, -2, -3), ("remsi", 7, -2, 1)]
    {
        let read = read(&format!("arith.{operation} %a, %b : i32"), Dialect::Mlir).unwrap();
        assert_eq!(read.results[0].expr().eval(|name| Some(if name == "a" { a } else { b })).unwrap(), value);
    }
}

#[test]
fn what_arith_requires() {
    for (text, expected) in [
        ("arith.addi %a, %b : i32", "a + b in -2147483648..2147483647"),
        ("arith.addi %a, %b overflow<nsw> : i32", ""),
        ("arith.divui %a, %b : i32", "a in 0.., b in 0.."),
        ("arith.cmpi ult, %a, %b : index", "a in 0.., b in 0.."),
        ("arith.trunci %a : i64 to i8", "a in -128..127"),
        ("arith.index_cast %a : index to i32", "a in -2147483648..2147483647"),
        ("arith.index_cast %a : i32 to index", ""),
        ("arith.divsi %a, %b : i32", ""),
    ] {
        let read = read(text, Dialect::Mlir).unwrap();
        let found: Vec<String> = read.requirements.iter().map(|r| format!("{} in {}", r.value, r.range)).collect();
        assert_eq!(found.join(", "), expected, "{text}");
    }
    let part = "arith.addf";
    let error = read("arith.addf %a, %b : f32", Dialect::Mlir).unwrap_err();
    assert_eq!((error.to_string().as_str(), error.span()), ("the operation `arith.addf` is not read", 0..part.len()));
    refuses(
        "arith.addi %a, %b : f32",
        Dialect::Mlir,
        "expected a type: `index`, or `i1` to `i64`, found `f32`",
        "f32",
        "",
    );
    refuses("arith.addi %a, 4 : i32", Dialect::Mlir, "expected a value such as `%i`, found `4`", "4", "");
    refuses(
        "arith.cmpi lt, %a, %b : i32",
        Dialect::Mlir,
        "expected eq, ne, slt, sle, sgt, sge, ult, ule, ugt or uge, found `lt`",
        "lt",
        "",
    );
}

#[test]
fn maps_of_xla() {
    let text = "(d0, d1)[s0] -> (d0 floordiv 8, d1 mod 4), domain: d0 in [0, 99], d1 in [0, 9], s0 in [0, 3], \
                d0 mod 4 in [0, 0], d0 + d1 in [1, 50], is_simplified: true";
    reads(text, Dialect::Xla, &["d0//8", "d1%4"]);
    let domain = read(text, Dialect::Xla).unwrap().domain;
    let expected = "d0=0..99, d1=0..9, s0=0..3, assume d0%4 == 0, assume d0 + d1 >= 1, assume d0 + d1 <= 50";
    assert_eq!(domain.to_string(), expected);
    let lines =
        "(bl_x, th_x){rt0} -> (bl_x * 128 + th_x + rt0)\ndomain:\nbl_x in [0, 9]\nth_x in [-9223372036854775808, 127]";
    reads(lines, Dialect::Xla, &["bl_x*128 + th_x + rt0"]);
    assert_eq!(read(lines, Dialect::Xla).unwrap().domain.to_string(), "bl_x=0..9, th_x=..127");
    reads("(d0 + 1) floordiv 8", Dialect::Xla, &["(d0 + 1)//8"]);
    reads("() -> (5)", Dialect::Xla, &["5"]);
}

#[test]
fn a_divisor_that_varies_is_required_to_be_positive() {
    let read = read("d0 floordiv s0", Dialect::Mlir).unwrap();
    let [required] = &read.requirements[..] else { panic!("{:?}", read.requirements) };
    assert_eq!((required.value.to_string(), required.range.to_string()), ("s0".into(), "1..".into()));
    assert!(read.results[0].span_of(&required.value).is_some(), "the value is a node of the result");
}

#[test]
fn places_are_those_of_the_text() {
    let text = "affine_map<(d0) -> (d0 floordiv 8, (d0 + 1) mod 4)>";
    let read = read(text, Dialect::Mlir).unwrap();
    for (result, part) in read.results.iter().zip(["d0 floordiv 8", "(d0 + 1) mod 4"]) {
        assert_eq!(&text[result.span_of(result.expr()).unwrap()], part);
    }
}

#[test]
fn errors_say_what_could_be_written() {
    let operand = "a number, a name, `-` or `(`";
    let mlir: [(&str, String, &str, &str); 24] = [
        (
            "",
            "the text is empty".into(),
            "",
            "write an expression or a map, such as `affine_map<(d0) -> (d0 floordiv 8)>`",
        ),
        ("d0 +", format!("expected {operand}, found the end of the text"), "", ""),
        (
            "d0 // 8",
            "expected an operator, found `//`".into(),
            "//",
            "write floordiv, and a comment on a line of its own; `--from python` reads `//`",
        ),
        ("d0 / 8", "expected an operator, found `/`".into(), "/", "write floordiv; `--from c` reads `/`"),
        (
            "d0 % 8",
            "expected an operator, found `%`".into(),
            "%",
            "write mod; `--from python` reads `%`, and `--from c` the remainder of C",
        ),
        (
            "d0 %n",
            "expected an operator, found `%n`".into(),
            "%n",
            "write mod; `--from python` reads `%`, and `--from c` the remainder of C",
        ),
        (
            "min(d0, 8)",
            format!("expected {operand}, found `min`"),
            "min",
            "calls are not affine; `--from infix` reads `min(...)`",
        ),
        (
            "tl.cdiv(n, 8)",
            format!("expected {operand}, found `tl.cdiv`"),
            "tl.cdiv",
            "calls are not affine; `--from triton` reads `tl.cdiv(...)`",
        ),
        (
            "d0 && d1",
            "expected an operator, found `&&`".into(),
            "&&",
            "affine expressions have no conditions; `--from c` reads `&&`",
        ),
        ("d0 mod 0", "the divisor 0 is not positive".into(), "0", ""),
        ("d0 floordiv -2", "the divisor -2 is not positive".into(), "-2", ""),
        ("d0 ceildiv (-2)", "the divisor -2 is not positive".into(), "(-2)", ""),
        ("(d0 + 1", "expected an operator or `)`, found the end of the text".into(), "", ""),
        ("d0)", "expected an operator or the end of the text, found `)`".into(), ")", ""),
        ("d0 4", "expected an operator, found `4`".into(), "4", ""),
        ("4x", "`4x` is not an integer".into(), "4x", ""),
        (
            "d0 + 9223372036854775808",
            "the integer `9223372036854775808` does not fit 64 bits".into(),
            "9223372036854775808",
            "",
        ),
        ("affine_map<(d0) -> (d1)>", "`d1` is no dimension or symbol of this map".into(), "d1", "these are d0"),
        ("affine_map<(d0, d0) -> (d0)>", "`d0` is named twice".into(), "d0", ""),
        ("affine_map<(d0) -> (d0)", "expected `>`, found the end of the text".into(), "", ""),
        (
            "affine.apply affine_map<(d0) -> (d0)>(%i, %j)",
            "the map has 1 dimensions, found 2 operands".into(),
            "(%i, %j)",
            "",
        ),
        ("affine.apply #map(%i)", "`#map` is not defined before".into(), "#map", ""),
        (
            "affine.if #set(%i)",
            "the operation `affine.if` is not read".into(),
            "affine.if",
            "these are: affine.apply, affine.min, affine.max, and those of arith",
        ),
        (
            "and + 1",
            "`and` cannot be the name of a variable".into(),
            "and",
            "it is a word of the notation that results are written in",
        ),
    ];
    for (text, message, part, help) in mlir {
        refuses(text, Dialect::Mlir, &message, part, help);
    }
    refuses("(d0) -> (d0), domain: d0 in [4, 2]", Dialect::Xla, "the range is empty", "[4, 2]", "");
    refuses("(d0) -> (d0), domain: d0 = 4", Dialect::Xla, "expected an operator or `in`, found `=`", "=", "");
    refuses(
        "(d0) -> (d0), domains",
        Dialect::Xla,
        "expected `, domain:` or the end of the text, found `domains`",
        "domains",
        "",
    );
}

#[test]
fn deep_texts_do_not_overflow_the_stack() {
    const DEPTH: usize = 50_000;
    let parentheses = format!("{}d0{}", "(".repeat(DEPTH), " + 1)".repeat(DEPTH));
    let signs = format!("{}d0", "- ".repeat(DEPTH));
    for dialect in [Dialect::Mlir, Dialect::Xla] {
        for text in [&parentheses, &signs] {
            let value = read(text, dialect).unwrap().results[0].expr().eval(|_| Some(2)).unwrap();
            assert!(value == 2 || value == 2 + DEPTH as i128);
        }
        for open in ["(", "[", "affine_map<", "(d0) -> (", "{", "- ("] {
            assert!(read(&open.repeat(DEPTH), dialect).is_err());
        }
    }
}

const TOKENS: &[&str] = &[
    "d0",
    "d1",
    "s0",
    "%i",
    "%0",
    "#map",
    "affine_map",
    "affine_set",
    "affine.apply",
    "affine.min",
    "<",
    ">",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "->",
    ">=",
    "==",
    "=",
    "+",
    "-",
    "*",
    "floordiv",
    "ceildiv",
    "mod",
    "4",
    "0",
    "-1",
    "domain",
    "in",
    "is_simplified",
    "true",
    "//",
    "%",
    "é",
    "9223372036854775808",
    "\n",
    "arith.addi",
    "arith.constant",
    "i32",
    "index",
    "and",
];

proptest! {
    #[test]
    fn no_text_makes_a_reader_panic(picks in prop::collection::vec((0..TOKENS.len(), any::<bool>()), 0..24)) {
        let text: String = picks.iter().map(|&(at, space)| format!("{}{}", TOKENS[at], if space { " " } else { "" })).collect();
        check_places(&text)?;
    }

    #[test]
    fn no_characters_make_a_reader_panic(text in "[-a-z0-9 %#<>()\\[\\],:=+*é.]{0,40}") {
        check_places(&text)?;
    }

    #[test]
    fn no_change_of_a_text_makes_a_reader_panic(which in 0..3usize, from in 0..90usize, length in 0..9usize, new in "[-a-z0-9 %()<>,]{0,3}") {
        let text = [
            "#m = affine_map<(d0, d1)[s0] -> (d0 floordiv 8, d1 mod 4)>",
            "affine.min affine_map<(d0)[s0] -> (d0 ceildiv 4 + s0, 8)>(%i)[%n]",
            "(d0, d1)[s0] -> (d0 floordiv 8), domain: d0 in [0, 99], d1 in [0, 9], d0 mod 4 in [0, 0]",
        ][which];
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        check_places(&format!("{}{new}{}", &text[..from], &text[to..]))?;
    }
}

/// Reads texts that people might paste, and compares their values. The file with the texts is not part of the project.
#[test]
fn texts_as_people_paste_them() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/dialects/paste.jsonl");
    let Ok(lines) = std::fs::read_to_string(path) else { return eprintln!("skipped: there are no pasted texts") };
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(dialect) = line["from"].as_str().and_then(|name| name.parse::<Dialect>().ok()) else { continue };
        if !matches!(dialect, Dialect::Mlir | Dialect::Xla) {
            continue;
        }
        let read = read(line["text"].as_str().unwrap(), dialect).unwrap();
        let values = match &line["value"] {
            Value::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        assert_eq!(read.results.len(), values.len(), "{line}");
        let domain: Domain = line["vars"]
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, range)| (name.as_str(), range[0].as_i64().unwrap()..=range[1].as_i64().unwrap()))
            .collect();
        if line["own_domain"] == Value::Bool(true) {
            assert_eq!(read.domain, domain, "{line}");
        }
        let names: Vec<&str> = domain.vars().collect();
        for (result, value) in read.results.iter().zip(&values) {
            let value: Expr = value.as_str().unwrap().parse().unwrap();
            let program = Program::new(&[result.expr().clone(), value], &names).unwrap();
            for point in Points::new(&domain, 1).unwrap().take(200) {
                let values = program.eval(&point.iter().map(|&v| v.into()).collect::<Vec<i128>>());
                assert_eq!(values[0], values[1], "{line} at {point:?}");
            }
        }
    }
}

/// Checks that the places of results and errors are parts of the text.
fn check_places(text: &str) -> Result<(), TestCaseError> {
    for dialect in [Dialect::Mlir, Dialect::Xla] {
        match read(text, dialect) {
            Ok(read) => {
                for result in &read.results {
                    let span = result.span_of(result.expr());
                    prop_assert!(span.is_some_and(|s| text.get(s).is_some()), "{text:?}");
                }
            }
            Err(error) => prop_assert!(text.get(error.span()).is_some(), "{text:?}: {error}"),
        }
    }
    Ok(())
}
