//! Arbitrary texts: no reader panics, all places are in the text, and the time is linear in the length of the text.

use quaff_dialects::{Dialect, read};
use quaff_expr::domain::Random;

const TOKENS: &[&str] = &[
    "a",
    "b",
    "x.y",
    "threadIdx.x",
    "std::min",
    "min",
    "max",
    "abs",
    "select",
    "cast",
    "sizeof",
    "int",
    "unsigned",
    "long",
    "size_t",
    "float",
    "auto",
    "const",
    "return",
    "true",
    "static_cast",
    "and",
    "not",
    "if",
    "0",
    "1",
    "0x1F",
    "3u",
    "4ll",
    "1.5",
    "4x",
    "1'0",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "~",
    "!",
    "&&",
    "||",
    "?",
    ":",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "=",
    "+=",
    "<<=",
    "++",
    "--",
    "->",
    ".",
    ",",
    ";",
    "(",
    ")",
    "[",
    "]",
    "(",
    ")",
    "(int)",
    "// a",
    "// a\n",
    "/*",
    "*/",
    "/* b */",
    "{",
    "}",
    "\"",
    "'",
    "#",
    "é",
    "\n",
    "\0",
    "__ldg",
    "A[i]",
    "&A[i]",
    "::",
    "...",
    "<<<",
    "operator",
    "template",
    "@",
];

const VALID: &[&str] = &[
    "int row = i / 96, col = i % 96; row*128 + col",
    "(blockIdx.x * blockDim.x + threadIdx.x) / 96 // columns of é",
    "out[i*4+j] = in[k];",
    "x < 4 && y > (3) ? min<int>(x, 3) : static_cast<int64_t>(y) << 2u",
    "(size_t)i * n + sizeof(float4) - std::max(a, -b) % 0x1F'Fu",
    "select(x < 4, x/8, cast<uint8_t>(x)) /* a */ + likely(y)",
];

/// Reads `text` in the three dialects, and checks the places of results and errors.
fn check(text: &str) -> bool {
    [Dialect::C, Dialect::Cuda, Dialect::Halide].into_iter().any(|dialect| match read(text, dialect) {
        Ok(read) => {
            let places = read.results.iter().map(|r| r.span_of(r.expr()).unwrap());
            places.for_each(|span| assert!(text.get(span.clone()).is_some(), "{text:?} {span:?}"));
            true
        }
        Err(error) => {
            assert!(text.get(error.span()).is_some(), "{text:?} {:?}", error.span());
            assert!(error.to_string().len() < 300, "{error}");
            false
        }
    })
}

#[test]
fn random_tokens_are_read_or_refused() {
    let mut random = Random::new(5);
    let mut read = 0;
    for i in 0..30_000 {
        let tokens = (0..1 + random.below(1 + i % 12)).map(|_| TOKENS[random.below(TOKENS.len() as i128) as usize]);
        let text = tokens.collect::<Vec<_>>().join(if random.below(2) == 0 { " " } else { "" });
        read += usize::from(check(&text));
    }
    assert!(read > 1000, "{read}");
}

#[test]
fn damaged_texts_are_read_or_refused() {
    let mut random = Random::new(6);
    for i in 0..9_000 {
        let mut text: Vec<char> = VALID[i % VALID.len()].chars().collect();
        for _ in 0..1 + random.below(3) {
            let Some(at) = (0..text.len()).nth(random.below(text.len() as i128) as usize) else { break };
            match random.below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, text[random.below(text.len() as i128) as usize]),
                _ => text.truncate(at.max(1)),
            }
        }
        check(&text.into_iter().collect::<String>());
    }
}

#[test]
fn nesting_of_any_depth_is_read() {
    let n = 50_000;
    for (text, value) in [
        (format!("{}x{}", "(".repeat(n), ")".repeat(n)), 2),
        (format!("{}x{}", "(".repeat(n), " + 1)".repeat(n)), 50_002),
        (format!("{}x", "- ".repeat(n)), 2),
        (format!("{}x", "~".repeat(n)), 2),
        (format!("{}x", "(int)".repeat(n)), 2),
        (format!("{}0", "x < 0 ? 1 : ".repeat(n)), 0),
        (format!("{}x{}", "min(".repeat(n), ", 3)".repeat(n)), 2),
        (format!("x{}", " + 1".repeat(n)), 50_002),
        (format!("{}i", "x = x + 1; ".repeat(n)).replace('i', "x"), 50_002),
    ] {
        let read = read(&text, Dialect::C).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(read.results[0].expr().eval(|_| Some(2)).unwrap(), value, "{}", &text[..20]);
    }
    for text in ["(", "A[", "* ", "x ? ", "++", "{", "f(", "x ", "int ", "sizeof(int ", "((int)-", "/*", "x + * ? : "] {
        let text = text.repeat(n);
        let error = read(&text, Dialect::C).unwrap_err();
        assert!(text.get(error.span()).is_some(), "{error}");
    }
}

#[test]
fn work_is_linear_in_the_text() {
    let text = |n: usize| {
        format!(
            "unsigned i; size_t m; int j = 0; {} m*4 + i*j",
            "j += (i*4u + j) & min(j, 3) << 2; // step\n".repeat(n)
        )
    };
    let allocations = |n: usize| {
        let text = text(n);
        allocation_counter::measure(|| drop(read(&text, Dialect::C).unwrap())).count_total
    };
    let (few, many) = (allocations(2_300), allocations(23_000));
    assert!(text(23_000).len() > 900_000);
    assert!(many < 11 * few, "{few} allocations, and {many} for ten times the text");
}
