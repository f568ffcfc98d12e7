//! Random texts: no text makes a reader panic, and the place of every error is a part of the text.

use quaff_dialects::{Dialect, read};
use quaff_expr::domain::Random;

const DIALECTS: [Dialect; 6] =
    [Dialect::Triton, Dialect::Inductor, Dialect::Sympy, Dialect::Tvm, Dialect::Tinygrad, Dialect::Python];

/// Parts of texts of all dialects, and parts that no dialect has.
const TOKENS: &[&str] = &[
    "x",
    "y",
    "q",
    "xmask",
    "ptr",
    "a_ptr",
    "0",
    "1",
    "2",
    "7",
    "0x1F",
    "1_0",
    "017",
    "15u",
    "1.5",
    "1e3",
    "'s'",
    "\"",
    "é",
    "\0",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "**",
    "<<",
    ">>",
    "&",
    "|",
    "^",
    "~",
    "<",
    "<=",
    "==",
    "!=",
    "@",
    "=",
    "+=",
    ":=",
    "//=",
    "and",
    "or",
    "not",
    "if",
    "else",
    "in",
    "is",
    "lambda",
    "for",
    "return",
    "def",
    "import",
    "True",
    "False",
    "None",
    "(",
    ")",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ",",
    ":",
    ";",
    ".",
    "\n",
    "\n  ",
    "\\\n",
    "# c\n",
    " ",
    "\t",
    "&&",
    "||",
    "?",
    "!",
    "->",
    "(int)",
    "::",
    "min(",
    "max(",
    "abs(",
    "divmod(",
    "int(",
    "np.where(",
    "np.clip(",
    "math.floor(",
    "floor(",
    "ceiling(",
    "Mod(",
    "Piecewise((",
    "Rational(1, 2)",
    "Symbol('x')",
    "tl.program_id(0)",
    "tl.arange(0, 8)",
    "tl.arange(0, x)",
    "tl.load(",
    "tl.store(",
    "mask=",
    "axis=",
    "[:, None]",
    "[None, :]",
    "[:]",
    "[0]",
    "[x]",
    ".to(tl.int8)",
    ".astype(",
    ".where(",
    ".x",
    "T.Cast(",
    "\"int8\"",
    "T.floordiv(",
    "tl.full(",
    "tl.cdiv(",
    "ModularIndexing(",
    "FloorDiv(",
];

#[test]
fn random_tokens() {
    let mut random = Random::new(19);
    let mut below = |n: usize| usize::try_from(random.below(n as i128)).unwrap();
    let (mut read_texts, mut refused) = (0, 0);
    for _ in 0..20_000 {
        let length = 1 + below(12);
        let mut text = String::new();
        for _ in 0..length {
            text.push_str(TOKENS[below(TOKENS.len())]);
            if below(3) == 0 {
                text.push(' ');
            }
        }
        let dialect = DIALECTS[below(DIALECTS.len())];
        match read(&text, dialect) {
            Ok(found) => {
                read_texts += 1;
                assert!(!found.results.is_empty(), "{dialect}: {text}");
                for parsed in &found.results {
                    let span = parsed.span_of(parsed.expr());
                    assert!(span.is_some_and(|span| text.get(span).is_some()), "{dialect}: {text}");
                }
            }
            Err(error) => {
                refused += 1;
                assert!(text.get(error.span()).is_some(), "{dialect}: {text}: {:?}", error.span());
                assert_eq!(error.source_text(), text);
                assert!(!error.to_string().is_empty());
            }
        }
    }
    // enough texts are read, and enough are refused
    assert!(read_texts > 200 && refused > 10_000, "{read_texts} read, {refused} refused");
}

#[test]
fn random_bytes_in_a_text() {
    let seeds = [
        "row = i // 96; q, r = divmod(row, 4)\nq*128 + (r if i < n else -1)",
        "tl.load(x_ptr + tl.program_id(0)*64 + tl.arange(0, 64)[:, None], mask=m)",
        "Piecewise((floor(x/4 + 1/2), x < 4), (Mod(x, 4), True))",
    ];
    let mut random = Random::new(23);
    let mut below = |n: usize| usize::try_from(random.below(n as i128)).unwrap();
    for _ in 0..10_000 {
        let mut text: Vec<char> = seeds[below(seeds.len())].chars().collect();
        for _ in 0..1 + below(3) {
            let at = below(text.len());
            match below(3) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, char::from(u8::try_from(below(127)).unwrap())),
                _ => text[at] = ['(', ')', '\'', '#', 'é', '&', '='][below(7)],
            }
        }
        let text: String = text.into_iter().collect();
        if let Err(error) = read(&text, DIALECTS[below(DIALECTS.len())]) {
            assert!(text.get(error.span()).is_some(), "{text}: {:?}", error.span());
        }
    }
}
