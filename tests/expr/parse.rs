//! The infix and s-expression grammars: precedence, errors, depth, size and random text.

use allocation_counter::measure;
use miette::Diagnostic;
use proptest::prelude::*;
use quaff::expr::{Expr, Op, ParseError, Parsed, int, parse, parse_sexp, select, var};

fn expr(text: &str) -> Expr {
    parse(text).unwrap_or_else(|e| panic!("{text}: {e}")).into_expr()
}

/// Each operator of Python's table of precedence, with the fully parenthesised text.
#[test]
fn precedence_is_python_s() {
    // both texts have the same tree in Python, except where quaff expresses an operator by other operators
    let cases = [
        ("a or b and c", "a or (b and c)"),
        ("a and b or c", "(a and b) or c"),
        ("not a and b", "(not a) and b"),
        ("not a == b", "not (a == b)"),
        ("not not a", "not (not a)"),
        ("a < b | c", "a < (b | c)"),
        ("a | b ^ c", "a | (b ^ c)"),
        ("a ^ b & c", "a ^ (b & c)"),
        ("a & b << c", "a & (b << c)"),
        ("a << b + c", "a << (b + c)"),
        ("a + b * c", "a + (b * c)"),
        ("a - b - c", "(a - b) - c"),
        ("a - b + c", "(a - b) + c"),
        ("a // b * c % d", "((a // b) * c) % d"),
        ("a * b // c", "(a * b) // c"),
        ("a << b >> c", "(a << b) >> c"),
        ("-a * b", "(-a) * b"),
        ("-a // b", "(-a) // b"),
        ("a * -b", "a * (-b)"),
        ("a - -b", "a - (-b)"),
        ("+a", "a"),
        ("~a", "-a - 1"),
        ("~a * b", "(-a - 1) * b"),
        ("-~a", "-(-a - 1)"),
        ("a < b < c", "(a < b) and (b < c)"),
        ("a < b <= c != d", "((a < b) and (b <= c)) and (c != d)"),
        ("(a < b) < c", "(a < b) < c"),
        ("not a < b < c", "not ((a < b) and (b < c))"),
        ("a < b and c < d or e", "((a < b) and (c < d)) or e"),
        ("a if b else c", "where(b, a, c)"),
        ("a if b else c if d else e", "where(b, a, where(d, c, e))"),
        ("a + 1 if b or c else d + 2", "where(b or c, a + 1, d + 2)"),
        ("(a if b else c) + 1", "where(b, a, c) + 1"),
        ("min(a, b, c)", "min(min(a, b), c)"),
        ("max(a, b + 1 if c else d,)", "max(a, where(c, b + 1, d))"),
        ("abs(a - b)", "max(a - b, -(a - b))"),
        ("gcd(a*12, 18) + gcd(12, 8, 6)", "where(a*2%3 == 0, 3, 1)*6 + 2"),
        ("gcd(a*n, n)", "max(n, -n)"),
        ("where(a<b,a,b)", "where((a < b), (a), (b))"),
        ("a&b==c", "(a & b) == c"),
        ("\ta\n+\r\nb ", "a + b"),
        ("True + False", "1 + 0"),
        ("0x1F + 0b11 + 0o17 + 1_000", "31 + 3 + 15 + 1000"),
        ("min", "(min)"),
        ("_x1", "(_x1)"),
    ];
    for (text, explicit) in cases {
        assert_eq!(expr(text), expr(explicit), "{text}");
    }
}

#[test]
fn trees_are_the_expected_ones() {
    let (a, b, c) = (&var("a"), &var("b"), &var("c"));
    assert_eq!(expr("a//b%c"), (a / b) % c);
    assert_eq!(expr("a < b <= c"), a.lt(b).and(b.le(c)));
    assert_eq!(expr("where(not a, b, c)"), select(a.not(), b, c));
    assert_eq!(expr("-5"), int(-5));
    assert_eq!(expr("- 5 * a"), int(-5) * a);
    assert_eq!(expr("-(5)"), -int(5));
    assert_eq!(expr("--5"), -int(-5));
    assert_eq!(expr("-9223372036854775808"), int(i64::MIN));
    assert_eq!(expr("9223372036854775807"), int(i64::MAX));
    assert_eq!(expr("-x").op(), &Op::Neg);
    assert_eq!(expr("a - 5"), a - 5);
}

#[test]
fn a_chain_shares_its_middle_operand() {
    let e = expr("0 <= i*8 < n");
    assert_eq!(e.args()[0].args()[1].address(), e.args()[1].args()[0].address());
}

#[test]
fn spans_tell_where_a_node_was_read() {
    let text = "(a + bb) * min(c, -7) if 1 < a < 9 else ~d";
    let parsed = parse(text).expect("valid");
    let at = |e: &Expr| &text[parsed.span_of(e).expect("a node of the text")];
    let root = parsed.expr();
    assert_eq!(at(root), text);
    let [cond, then, otherwise] = root.args() else { panic!("where has three operands") };
    assert_eq!(at(then), "(a + bb) * min(c, -7)");
    assert_eq!(at(&then.args()[0]), "a + bb");
    assert_eq!(at(&then.args()[0].args()[1]), "bb");
    assert_eq!(at(&then.args()[1]), "min(c, -7)");
    assert_eq!(at(&then.args()[1].args()[1]), "-7");
    assert_eq!(at(cond), "1 < a < 9");
    assert_eq!(at(&cond.args()[1]), "a < 9");
    assert_eq!(at(otherwise), "~d");
    assert_eq!(parsed.span_of(&var("a")), None);

    let text = "(+ (* i 16) j -1)";
    let parsed = parse_sexp(text).expect("valid");
    let at = |e: &Expr| &text[parsed.span_of(e).expect("a node of the text")];
    let root = parsed.expr();
    assert_eq!((at(root), at(&root.args()[0]), at(&root.args()[1])), (text, text, "-1"));
    assert_eq!(at(&root.args()[0].args()[0]), "(* i 16)");
}

/// The message, the marked text and the help of an error.
fn blame(result: Result<Parsed, ParseError>) -> (String, String, String) {
    let e = result.expect_err("not an expression");
    let labels = e.labels().map_or(0, |l| l.count());
    assert!(labels >= 1 && e.source_code().is_some() && e.code().is_some());
    let help = e.help().map(|h| h.to_string()).unwrap_or_default();
    (e.to_string(), e.source_text()[e.span()].to_string(), help)
}

#[test]
fn errors_of_infix_text() {
    let many = "9".repeat(50);
    let cases = [
        ("", "the expression is empty", "", "write an expression such as `i*16 + j`"),
        (" \n", "the expression is empty", " \n", "write an expression such as `i*16 + j`"),
        ("a / b", "`/` is not an operator here", "/", "use // for floor division"),
        ("a +", "expected a number, a name or `(`, found the end of the text", "", ""),
        ("a + * b", "expected a number, a name or `(`, found `*`", "*", ""),
        ("a ** b", "expected another operator, found `**`", "**", ""),
        ("()", "expected a number, a name or `(`, found `)`", ")", ""),
        ("(a + (b * c)", "this `(` is never closed", "(", "add the missing `)`"),
        ("min(a, b", "this `(` is never closed", "(", "add the missing `)`"),
        ("a + b)", "this `)` closes nothing", ")", "remove it, or add the missing `(`"),
        ("sin(a)", "unknown function `sin`", "sin", "known functions: abs, gcd, max, min, truncdiv, truncmod, where"),
        ("1 + min(a)", "`min` takes two or more arguments, found 1", "min(a)", ""),
        ("max ()", "`max` takes two or more arguments, found 0", "max ()", ""),
        ("where(a, b)", "`where` takes three arguments, found 2", "where(a, b)", ""),
        ("abs(a, b)", "`abs` takes one argument, found 2", "abs(a, b)", ""),
        ("gcd(a)", "`gcd` takes two or more arguments, found 1", "gcd(a)", ""),
        (
            "1 + gcd(a*n, b*n)",
            "the gcd of `a` and `b` is not known, and a result has no gcd",
            "gcd(a*n, b*n)",
            "one of both has to be a number, or a multiple of the other",
        ),
        (
            "a + 9223372036854775808",
            "the integer `9223372036854775808` does not fit 64 bits",
            "9223372036854775808",
            "integers lie in -9223372036854775808..9223372036854775807",
        ),
        ("a b", "`b` follows a complete expression", "b", "an operator is missing before it"),
        ("a, b", "`,` follows a complete expression", ",", "an operator is missing before it"),
        ("(a, b)", "expected an operator or `)`, found `,`", ",", ""),
        ("(a b)", "expected an operator or `)`, found `b`", "b", ""),
        ("min(a b)", "expected an operator, `,` or `)`, found `b`", "b", ""),
        ("a = b", "`=` is not part of any operator, name or number", "=", "use == to compare"),
        ("!a", "`!` is not part of any operator, name or number", "!", "use `not a`, or != to compare"),
        (
            "a + β",
            "`β` is not part of any operator, name or number",
            "β",
            "operators are + - * // % & | ^ << >> ~ and comparisons; names are ASCII",
        ),
        ("1.5 + a", "`1.5` is not an integer", "1.5", "all values are integers"),
        ("2 * 12ab", "`12ab` is not an integer", "12ab", "all values are integers"),
        ("1__0", "`1__0` is not an integer", "1__0", "all values are integers"),
        (
            "a + not b",
            "`not` needs parentheses here",
            "not",
            "`not` binds less tightly than this operator: write (not ...)",
        ),
        ("a if b", "expected `else`, found the end of the text", "", ""),
        ("(a if b)", "expected `else`, found `)`", ")", ""),
        ("a else b", "expected an operator, found `else`", "else", ""),
        ("and a", "expected a number, a name or `(`, found `and`", "and", ""),
    ];
    for (text, message, blamed, help) in cases {
        let expected = (message.to_string(), blamed.to_string(), help.to_string());
        assert_eq!(blame(parse(text)), expected, "{text}");
    }
    let (message, blamed, _) = blame(parse(&many));
    assert_eq!(message, format!("the integer `{}...` does not fit 64 bits", &many[..40]));
    assert_eq!(blamed, many);
    let unclosed = parse("(a + (b * c)").expect_err("unclosed");
    assert_eq!(unclosed.span(), 0..1);
    assert_eq!(unclosed.labels().map(|l| l.map(|l| l.offset()).collect()), Some(vec![0, 12]));
}

#[test]
fn s_expressions_mean_what_infix_text_means() {
    let cases = [
        ("(// (+ (* i 16) j) 4)", "(i*16 + j)//4"),
        ("(+ a b c d)", "a + b + c + d"),
        ("(+ a)", "a"),
        ("(* 2 a -3)", "2*a*-3"),
        ("(- a)", "-a"),
        ("(- a b)", "a - b"),
        ("(min a b c)", "min(a, b, c)"),
        ("(and (< a b) (not (== a 0)) (or a b))", "a < b and not a == 0 and (a or b)"),
        ("(where (<= a b) (& a 7) (<< a 2))", "where(a <= b, a & 7, a << 2)"),
        ("(| (^ a b) (>> a 1))", "(a ^ b) | (a >> 1)"),
        ("(!= (>= a b) (> (% a 3) True))", "(a >= b) != (a % 3 > True)"),
        ("\n (abs\t(~ a)\r\n) ", "abs(~a)"),
        ("(gcd a 2)", "gcd(a, 2)"),
        ("0x10", "16"),
        ("-9223372036854775808", "-9223372036854775808"),
        ("x", "x"),
    ];
    for (sexp, infix) in cases {
        assert_eq!(parse_sexp(sexp).unwrap_or_else(|e| panic!("{sexp}: {e}")).into_expr(), expr(infix), "{sexp}");
    }
}

#[test]
fn errors_of_s_expressions() {
    let known =
        "known operators: + - * // % & | ^ << >> ~ < <= > >= == != abs and gcd max min not or truncdiv truncmod where";
    let cases = [
        ("", "the expression is empty", "", "write an expression such as `i*16 + j`"),
        ("(+ a (* b c)", "this `(` is never closed", "(", "add the missing `)`"),
        ("(+ a b))", "this `)` closes nothing", ")", "remove it, or add the missing `(`"),
        ("(+ a b) c", "`c` follows a complete expression", "c", "an operator is missing before it"),
        ("()", "expected an operator and its operands, found `()`", "()", ""),
        ("((+ a) b)", "expected an operator, found `(+ a)`", "(+ a)", ""),
        ("(plus a b)", "unknown operator `plus`", "plus", known),
        ("(/ a b)", "`/` is not an operator here", "/", "use // for floor division"),
        ("(+ 1 (// a))", "`//` takes two operands, found 1", "(// a)", ""),
        ("(where a b)", "`where` takes three operands, found 2", "(where a b)", ""),
        ("(+ a -b)", "expected an integer, a name or `(`, found `-b`", "-b", ""),
        ("(+ a 1.5)", "`1.5` is not an integer", "1.5", "all values are integers"),
        (
            "(+ a 99999999999999999999)",
            "the integer `99999999999999999999` does not fit 64 bits",
            "99999999999999999999",
            "integers lie in -9223372036854775808..9223372036854775807",
        ),
    ];
    for (text, message, blamed, help) in cases {
        let expected = (message.to_string(), blamed.to_string(), help.to_string());
        assert_eq!(blame(parse_sexp(text)), expected, "{text}");
    }
    let deep = format!("{}x{}", "(- ".repeat(100_000), ")".repeat(100_000));
    assert_eq!(blame(parse_sexp(&deep)).0, "the s-expression is nested deeper than 512 levels");
    let allowed = format!("{}x{}", "(- ".repeat(512), ")".repeat(512));
    assert!(parse_sexp(&allowed).is_ok());
}

/// Parses, prints, evaluates and drops an expression on a thread with a small stack.
fn survives(text: String) {
    std::thread::Builder::new()
        .stack_size(256 << 10)
        .spawn(move || {
            let parsed = parse(&text).unwrap_or_else(|e| panic!("{e}"));
            assert!(parsed.span_of(parsed.expr()).is_some());
            let e = parsed.into_expr();
            let printed = e.to_string();
            let again: Expr = printed.parse().unwrap_or_else(|e| panic!("{e}"));
            assert!(again == e, "printed text gives another expression");
            assert!(e.eval(|_| Some(1)).is_ok());
            let longest = printed.len().max(text.len());
            assert!(e.to_sexp(20 * longest).is_ok());
            assert!(!format!("{e:?}").is_empty());
        })
        .expect("a thread")
        .join()
        .expect("no overflow");
}

#[test]
fn nesting_of_100_000_levels() {
    const N: usize = 100_000;
    survives(format!("{}x{}", "(".repeat(N), ")".repeat(N)));
    survives(format!("{}x", "-".repeat(N)));
    survives(format!("{}x", "not ".repeat(N)));
    survives(format!("x{}", " - 1".repeat(N)));
    survives(format!("{}x{}", "(1 - ".repeat(N), ")".repeat(N)));
    survives(format!("{}x{}", "min(x, ".repeat(N), ")".repeat(N)));
    survives(format!("{}x", "x if x else ".repeat(N)));
    survives(format!("x{}", " < x".repeat(N)));
    survives(format!("{}x{}", "where(x, ".repeat(N), ", 1)".repeat(N)));
    let many = format!("max(x{})", ", x".repeat(N));
    survives(many);
}

#[test]
fn the_work_for_five_megabytes_is_linear() {
    let sum = |terms: usize| format!("x{}", " + (i*16 + j)//4%8".repeat(terms));
    let work = |terms: usize| measure(|| drop(parse(&sum(terms)).expect("valid")));
    // hash tables double in size, so sizes that differ by a power of two are comparable
    let (quarter, whole) = (work(70_000), work(280_000));
    for (few, many) in [
        (quarter.count_total, whole.count_total),
        (quarter.bytes_total, whole.bytes_total),
        (quarter.bytes_max, whole.bytes_max),
    ] {
        assert!(many * 2 <= few * 9, "{few} for a quarter, {many} for all");
    }
    let text = sum(280_000);
    assert!(text.len() > 5_000_000);
    let parsed = parse(&text).expect("valid");
    assert!(parsed.span_of(parsed.expr()) == Some(0..text.len()));
    assert_eq!(parsed.expr().tree_size(), 1 + 280_000 * 10);
}

/// A random tree.
fn random_expr() -> impl Strategy<Value = Expr> {
    let leaf = prop_oneof![
        prop::sample::select(vec!["i", "j", "n", "x_1"]).prop_map(var),
        any::<i64>().prop_map(int),
        (-3i64..10).prop_map(int),
    ];
    leaf.prop_recursive(8, 60, 3, |inner| {
        use Op::*;
        let binary = vec![
            Add, Sub, Mul, FloorDiv, FloorMod, Min, Max, Lt, Le, Gt, Ge, Eq, Ne, And, Or, BitAnd, BitOr, BitXor, Shl,
            Shr, TruncDiv, TruncMod,
        ];
        prop_oneof![
            8 => (prop::sample::select(binary), inner.clone(), inner.clone())
                .prop_map(|(op, a, b)| Expr::try_new(op, [a, b]).expect("arity")),
            1 => inner.clone().prop_map(|a| -a),
            1 => inner.clone().prop_map(|a| a.not()),
            1 => (inner.clone(), inner.clone(), inner).prop_map(|(c, a, b)| select(c, a, b)),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn printed_text_gives_the_same_expression(e in random_expr()) {
        prop_assert_eq!(&e.to_string().parse::<Expr>().expect("printed text"), &e);
        let sexp = e.to_sexp(1 << 20).expect("small");
        let read = parse_sexp(&sexp).expect("printed text").into_expr();
        prop_assert_eq!(read, e);
    }

    #[test]
    fn removing_any_pair_of_parentheses_changes_the_expression(e in random_expr()) {
        // each pair of parentheses is needed: without it, the text has another meaning or no meaning
        let text = e.to_string();
        for (open, close) in grouping_pairs(&text) {
            let shorter = format!("{}{}{}", &text[..open], &text[open + 1..close], &text[close + 1..]);
            if let Ok(other) = shorter.parse::<Expr>() {
                prop_assert_ne!(&other, &e, "{} {}", text, shorter);
            }
        }
    }

    #[test]
    fn random_tokens_never_panic(tokens in prop::collection::vec(prop::sample::select(TOKENS.to_vec()), 0..40)) {
        let text = tokens.concat();
        check_places(&text);
        check_places(&tokens.join(" "));
    }

    #[test]
    fn random_text_never_panics(text in "\\PC{0,30}") {
        check_places(&text);
    }
}

const TOKENS: &[&str] = &[
    "(",
    ")",
    "(",
    ")",
    ",",
    "+",
    "-",
    "*",
    "//",
    "/",
    "%",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "~",
    "<",
    "<=",
    ">",
    ">=",
    "==",
    "!=",
    "=",
    "!",
    " and ",
    " or ",
    " not ",
    " if ",
    " else ",
    "min(",
    "max(",
    "where(",
    "abs(",
    "f(",
    "a",
    "b",
    "1",
    "0x",
    "9223372036854775808",
    "1.",
    "é",
    "\n",
    "True",
    "\"",
];

/// For any text, places lie in the text, and the printed form of an accepted text is read as the same expression.
fn check_places(text: &str) {
    for result in [parse(text), parse_sexp(text)] {
        match result {
            Ok(parsed) => {
                let again: Expr = parsed.expr().to_string().parse().expect("printed text");
                assert_eq!(again.to_string(), parsed.expr().to_string());
                assert!(parsed.span_of(parsed.expr()).is_some());
            }
            Err(e) => assert!(text.get(e.span()).is_some(), "{text:?}: {:?}", e.span()),
        }
    }
}

/// The places of all parentheses that do not belong to a call.
fn grouping_pairs(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut open = Vec::new();
    let mut pairs = Vec::new();
    for (at, b) in bytes.iter().enumerate() {
        match b {
            b'(' => open.push(at),
            b')' => {
                let start = open.pop().expect("balanced");
                let call = start > 0 && bytes[start - 1].is_ascii_alphanumeric();
                if !call {
                    pairs.push((start, at));
                }
            }
            _ => {}
        }
    }
    pairs
}

/// The fuzz target `texts` found this case: the printer omitted a sign of 0.
#[test]
fn signs_of_zero_are_kept() {
    for text in ["-0", "--0", "~0", "x - -----0"] {
        let read = parse(text).expect(text).into_expr();
        let printed = read.to_string();
        assert_eq!(parse(&printed).expect(&printed).into_expr(), read, "{text} printed as {printed}");
    }
}
