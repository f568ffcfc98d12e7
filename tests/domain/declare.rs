//! Declarations: their facts, and the errors for declarations that cannot be true.

use miette::Diagnostic;
use proptest::prelude::*;
use quaff::domain::{Bounds, Congruence, Domain, DomainError, Interval, Points, VarFacts};
use quaff::expr::{Expr, Op, int, parse, parse_sexp, var};

fn expr(text: &str) -> Expr {
    text.parse().expect(text)
}

fn one(domain: Domain) -> VarFacts {
    domain.resolve().expect("consistent").remove(0)
}

fn declared(texts: &[&str]) -> Domain {
    let mut domain = Domain::new();
    for text in texts {
        domain.declare(text).expect(text);
    }
    domain
}

#[test]
fn all_forms_of_bounds() {
    let n = var("n");
    let cases: [(Bounds, &str); 16] = [
        ((0..=15).into(), "0..15"),
        ((0..16).into(), "0..15"),
        ((5..).into(), "5.."),
        ((..).into(), ".."),
        ((..=7).into(), "..7"),
        ((..8).into(), "..7"),
        ((-3, 4).into(), "-3..4"),
        ((0, &n).into(), "0..100"),
        ((0, &n - 1).into(), "0..99"),
        ((-n.clone(), n.clone()).into(), "-100..100"),
        ((int(0)..n.clone()).into(), "0..99"),
        ((int(0)..int(8)).into(), "0..7"),
        ((int(0)..=n.clone()).into(), "0..100"),
        ((n.clone()..).into(), "1.."),
        ((..n.clone()).into(), "..99"),
        (Interval::point(3).into(), "3..3"),
    ];
    for (bounds, interval) in cases {
        let facts = Domain::new().with("x", bounds.clone()).with("n", 1..=100).resolve().expect("consistent");
        assert_eq!(facts[0].interval.to_string(), interval, "{bounds:?}");
    }
}

#[test]
fn order_is_that_of_first_mention() {
    let domain = Domain::new()
        .with("j", 0..4)
        .stride("i", 2, 0)
        .opaque("t", "table[0]", 0..9)
        .launch_invariant("n")
        .with("i", 0..8);
    assert_eq!(domain.vars().collect::<Vec<_>>(), ["j", "i", "t", "n"]);
    assert_eq!((domain.len(), domain.is_empty(), domain.contains("t"), domain.contains("u")), (4, false, true, false));
    assert_eq!((domain.position("n"), domain.position("u")), (Some(3), None));
    let facts = domain.resolve().expect("consistent");
    assert_eq!(facts[1].interval.to_string(), "0..6");
    assert_eq!(facts[2].text.as_deref(), Some("table[0]"));
    assert_eq!(facts.iter().map(|f| f.launch_invariant).collect::<Vec<_>>(), [false, false, false, true]);
    assert_eq!(facts[3].interval, Interval::ALL);
    assert!(Domain::new().resolve().expect("consistent").is_empty());
}

#[test]
fn facts_of_one_name_intersect() {
    let facts = one(Domain::new().with("x", 0..100).with("x", 10..=200).stride("x", 4, 1).stride("x", 6, 3));
    assert_eq!(facts.interval.to_string(), "21..93");
    assert_eq!(facts.congruence, Congruence::new(12, 9));
    assert_eq!((facts.lower, facts.upper), (None, None));

    let domain = Domain::new().with("x", (0, "n - 1".parse::<Expr>().expect("valid"))).with("x", (var("m"), 50));
    let domain = domain.with("x", (1, var("k"))).with("n", 1..=64).with("m", 3..9).with("k", 10..20);
    let facts = one(domain);
    assert_eq!(facts.interval.to_string(), "3..19");
    assert_eq!(facts.lower, Some(var("m")));
    assert_eq!(facts.upper, Some(expr("min(n - 1, k)")));
}

#[test]
fn symbolic_ends_go_through_other_symbolic_ends() {
    let domain = declared(&["k=0..j*4 + 3", "j=0..n-1", "n=1..m//2", "m=..=256"]);
    let intervals = |domain: &Domain| {
        let facts = domain.resolve().expect("consistent");
        facts.iter().map(|f| f.interval.to_string()).collect::<Vec<String>>()
    };
    assert_eq!(intervals(&domain.seen_from(&[var("k")])), ["0..511", "0..127", "1..128", "2..256"]);
    // without `k` and `j`, `n` has a value for each `m` for which the range of `n` is not empty
    assert_eq!(intervals(&domain.seen_from(&[var("n")]))[2..], ["1..128", "2..256"]);
    assert_eq!(intervals(&domain.seen_from(&[var("m")]))[3], "..256");
    let facts = domain.resolve().expect("consistent");
    assert_eq!(facts[0].upper, Some(expr("j*4 + 3")));
}

#[test]
fn declarations_as_text() {
    let cases = [
        ("i=0..15", "0..15"),
        ("i = 0 ..= 15", "0..15"),
        ("i=0..", "0.."),
        ("i=..5", "..5"),
        ("i=..", ".."),
        (" i =16 ", "16..16"),
        ("i=-5..-1", "-5..-1"),
        ("i=0x10..1_000", "16..1000"),
        ("i=0..3*4 + min(1, 2)", "0..13"),
        ("i=0..999 step 4", "0..996"),
        ("i=0..999 step 4 from 1", "1..997"),
        ("i=0..999 step 0x10 from -1", "15..991"),
        ("i=.. step 8", ".."),
    ];
    for (text, interval) in cases {
        let facts = one(declared(&[text]));
        assert_eq!((&*facts.name, facts.interval.to_string().as_str()), ("i", interval), "{text}");
    }
    assert_eq!(one(declared(&["i=.. step 8 from 3"])).congruence, Congruence::new(8, 3));
}

#[test]
fn text_that_declares_nothing() {
    let cases = [
        ("", "expected `=` after the name", ""),
        ("i", "expected `=` after the name", ""),
        ("=0..4", "expected a name: letters, digits, _ and single dots, not starting with a digit", ""),
        ("2i=0..4", "expected a name: letters, digits, _ and single dots, not starting with a digit", "2i"),
        ("i + 1 = 0..4", "expected a name: letters, digits, _ and single dots, not starting with a digit", "i + 1"),
        ("é=0..4", "expected a name: letters, digits, _ and single dots, not starting with a digit", "é"),
        ("i= ", "expected a range such as `0..15`", ""),
        ("i=0..9 step", "expected an integer", ""),
        ("i=0..9 step n", "expected an integer", "n"),
        ("i=0..9 step 4 from", "expected an integer", ""),
        ("i=0..9 step 4 from 1 2", "expected an integer", "1 2"),
        ("i=0..n /2", "`/` is not an operator here", "/"),
        ("i=0..(n", "this `(` is never closed", "("),
        ("i=0..9..10", "`.` is not part of any operator, name or number", "."),
        ("i=0..é", "`é` is not part of any operator, name or number", "é"),
    ];
    for (text, message, blamed) in cases {
        let mut domain = Domain::new();
        let error = domain.declare(text).expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
        let label = error.labels().and_then(|mut l| l.next()).expect("a place");
        assert_eq!(&text[label.offset()..label.offset() + label.len()], blamed, "{text}");
        assert!(error.source_code().is_some() && domain.is_empty());
    }
}

#[test]
fn contradictions() {
    let cases: Vec<(Domain, &str)> = vec![
        (Domain::new().with("i", (5, 4)), "the range of `i` is empty: 5 is above 4"),
        (Domain::new().with("i", 0..0), "the range of `i` is empty: 0 is above -1"),
        (Domain::new().with("i", ..i64::MIN), "the range of `i` is empty: 0 is above -1"),
        (Domain::new().with("i", 0..4).with("i", 4..8), "the range of `i` is empty: 4 is above 3"),
        (Domain::new().with("i", (var("n"), 3)).with("n", 5..=9), "the range of `i` is empty: n is above 3"),
        (
            Domain::new().with("i", (0, var("n") * -1 - 1)).with("n", 0..9),
            "the range of `i` is empty: 0 is above n*-1 - 1",
        ),
        (
            Domain::new().with("i", var("n") + 1..var("n") + 1).with("n", 0..),
            "the range of `i` is empty: n + 1 is above n + 1 - 1",
        ),
        (Domain::new().with("i", 1..4).stride("i", 8, 0), "no value of `i` in 1..3 is 0 modulo 8"),
        (Domain::new().stride("i", 4, 1).stride("i", 6, 2), "no integer `i` is both 1 modulo 4 and 2 modulo 6"),
        (Domain::new().stride("i", 0, 1), "the stride of `i` is 0"),
        (Domain::new().stride("i", -4, 1), "the stride of `i` is -4"),
        (Domain::new().with("i", (0, var("i"))), "the bounds of `i` depend on each other"),
        (
            Domain::new()
                .with("z", (0, var("i")))
                .with("i", (0, var("j")))
                .with("j", (var("k"), 9))
                .with("k", (0, var("i"))),
            "the bounds of `i`, `j`, `k` depend on each other",
        ),
        (Domain::new().with("i", (0, var("n") - 1)), "a bound of `i` mentions `n`, which is not declared"),
        (Domain::new().opaque("t", "a[0]", ..).opaque("t", "a[1]", ..), "`t` is both `a[0]` and `a[1]`"),
    ];
    for (domain, message) in cases {
        let error = domain.resolve().expect_err(message);
        assert_eq!(error.to_string(), message);
        assert!(error.code().is_some());
    }
}

/// The least and the greatest `i64` represent open ends inside of quaff. A user who writes one of them means the
/// number, so quaff refuses it.
#[test]
fn ends_at_the_limits_of_64_bits_are_refused_with_their_place() {
    let cases = [
        ("j=-9223372036854775808..63", "-9223372036854775808"),
        ("j=0..9223372036854775807", "9223372036854775807"),
        ("j=9223372036854775807", "9223372036854775807"),
        ("j=9223372036854775807..", "9223372036854775807"),
        ("j=..-9223372036854775808", "-9223372036854775808"),
        ("j = 0..9223372036854775806 + 1 step 2", "9223372036854775806 + 1"),
        ("j=0..1<<63", "1<<63"),
        ("j=0..9223372036854775807*9223372036854775807", "9223372036854775807*9223372036854775807"),
    ];
    for (text, blamed) in cases {
        let mut domain = Domain::new();
        let error = domain.declare(text).expect_err(text);
        assert!(error.to_string().contains("9223372036854775806"), "{error}");
        let label = error.labels().and_then(|mut l| l.next()).expect("a place");
        assert_eq!(&text[label.offset()..label.offset() + label.len()], blamed, "{text}");
        assert!(domain.is_empty());
    }
    // declarations by calls of the library have no text, so their errors have no place
    let bounds: [(Bounds, &str); 8] = [
        ((i64::MIN..=63).into(), "-9223372036854775808"),
        ((0..=i64::MAX).into(), "9223372036854775807"),
        ((i64::MIN..63).into(), "-9223372036854775808"),
        ((i64::MAX..).into(), "9223372036854775807"),
        ((..=i64::MIN).into(), "-9223372036854775808"),
        ((..i64::MIN + 1).into(), "-9223372036854775808"),
        ((i64::MIN, i64::MAX).into(), "-9223372036854775808"),
        ((0, int(i64::MAX - 1) + 1).into(), "9223372036854775806 + 1"),
    ];
    for (bounds, end) in bounds {
        let error = Domain::new().with("j", bounds.clone()).resolve().expect_err("out of reach");
        let expected = DomainError::BeyondReach { name: "j".into(), end: end.into() };
        assert_eq!(error, expected, "{bounds:?}");
        assert!(error.code().is_some() && error.help().is_some());
    }
    // the numbers next to these two are ordinary ends, and an open end is no number
    for (bounds, interval) in [
        ((i64::MIN + 1..=63).into(), "-9223372036854775807..63"),
        ((0..i64::MAX).into(), "0..9223372036854775806"),
        (Bounds::from(..), ".."),
        (Interval::ALL.into(), ".."),
        ((0, var("n") * int(i64::MAX)).into(), "0.."),
    ] {
        let facts = Domain::new().with("j", bounds).with("n", 1..=64).resolve().expect("a range");
        assert_eq!(facts[0].interval.to_string(), interval);
    }
}

/// Points satisfy all declarations, and include the ends of ranges.
#[test]
fn points_lie_in_the_domain_and_at_its_corners() {
    let domain = declared(&["k=0..j*4 + 3", "j=0..n-1", "n=1..64", "x=-5..999 step 4 from 1", "y=..", "z=7.."]);
    let domain = domain.assume(expr("k + x != 3"));
    let points: Vec<Vec<i64>> = Points::new(&domain, 1).expect("consistent").take(2000).collect();
    assert_eq!(points.len(), 2000);
    for p in &points {
        let (k, j, n, x, z) = (p[0], p[1], p[2], p[3], p[5]);
        assert!((0..=j * 4 + 3).contains(&k) && (0..n).contains(&j) && (1..=64).contains(&n) && z >= 7, "{p:?}");
        assert!((-5..=999).contains(&x) && x.rem_euclid(4) == 1 && k + x != 3, "{p:?}");
    }
    let (least, most) = (i64::MIN + 2, i64::MAX - 1);
    assert_eq!(points[0], [0, 0, 1, -3, least, 7]);
    assert_eq!(points[1], [255, 63, 64, 997, most, most]);
    let again: Vec<Vec<i64>> = Points::new(&domain, 1).expect("consistent").take(2000).collect();
    assert_eq!(points, again, "the same for the same seed");
    // without any point, the iterator ends and does not hang
    let never = declared(&["i=0..9"]).assume(expr("i > 20"));
    assert_eq!(Points::new(&never, 1).expect("consistent").next(), None);
    let unknown = declared(&["i=0..9"]).assume(expr("i > q"));
    assert_eq!(Points::new(&unknown, 1).err(), Some(DomainError::NotDeclared { name: "q".into() }));
}

#[test]
fn a_range_that_may_be_empty_is_no_error() {
    // the range of `i` is empty only for n = 0
    let facts = declared(&["i=0..n-1", "n=0..8"]).resolve().expect("consistent");
    assert_eq!(facts[0].interval.to_string(), "0..7");
    // the ends of `i` have overlapping ranges, so the range may be empty
    assert!(declared(&["i=m..n", "m=0..8", "n=0..8"]).resolve().is_ok());
}

#[test]
fn long_chains_of_bounds_do_not_recurse() {
    let mut domain = Domain::new();
    for i in 0..20_000 {
        domain.add_bounds(format!("v{i}"), (0, var(format!("v{}", i + 1)) + 1));
    }
    let facts = domain.with("v20000", 0..=0).resolve().expect("consistent");
    assert_eq!(facts[0].interval.to_string(), "0..20000");
}

#[test]
fn errors_of_bounds_keep_the_whole_text() {
    let error = Domain::new().declare("row = 0..sin(n)").expect_err("no such function");
    assert!(matches!(&error, DomainError::BadBound(e) if e.span() == (9..12) && e.source_text() == "row = 0..sin(n)"));
    assert_eq!(
        error.help().map(|h| h.to_string()).as_deref(),
        Some("known functions: abs, gcd, max, min, truncdiv, truncmod, where")
    );
}

/// In quaff, `2^31` is an exclusive or with the value 29, and `0-47` is a single value. A user who writes them means a
/// power and a range, so quaff refuses both.
#[test]
fn ranges_of_other_notations_are_refused() {
    for (text, says, span) in [
        ("i=0..2^31", "no power", 5..9),
        ("i = 2^3", "no power", 4..7),
        ("i=0-47", "`..`", 2..6),
        ("i=0:47", "`..`", 3..4),
        ("i = 0 - 47 step 4", "`..`", 4..10),
    ] {
        let error = Domain::new().declare(text).expect_err(text);
        let DomainError::BadDeclaration { expected, span: found, .. } = &error else { panic!("{error}") };
        assert!(expected.contains(says), "{text}: {error}");
        assert_eq!((found.offset(), found.offset() + found.len()), (span.start, span.end), "{text}");
    }
    for text in ["i=-47", "i=0..48-1", "i=n-1", "i=0..n^1", "i=(0-47)"] {
        let mut domain: Domain = "n=0..9".parse().expect("a domain");
        domain.declare(text).expect(text);
    }
}

#[test]
fn declarations_with_a_word_are_neither_ranges_nor_conditions() {
    for text in ["loop i", " computed x in i", "unrolled u", "nonempty i", "defined", "invariant n", "assume i < 3"] {
        assert!(Domain::is_declaration(text), "{text}");
    }
    for text in ["loop=0..3", "loop < 4", "defined < 1", "i < 3", "loops i", "i=0..3", "", "invariant"] {
        assert!(!Domain::is_declaration(text), "{text}");
    }
}

/// A word with another meaning in the notation cannot be a variable, in a text or in the library. All other names can.
#[test]
fn words_of_the_notation_are_no_variables() {
    for word in ["True", "False", "and", "or", "not", "if", "else"] {
        let error = Domain::new().declare(&format!(" {word} = 5..9")).unwrap_err();
        let DomainError::BadDeclaration { span, .. } = &error else { panic!("{error}") };
        assert_eq!((span.offset(), span.len()), (1, word.len()), "{word}");
        let reserved =
            |domain: Domain| matches!(domain.resolve(), Err(DomainError::ReservedName { name }) if &*name == word);
        assert!(reserved(Domain::new().with(word, 5..=9)) && reserved(Domain::new().stride(word, 4, 1)), "{word}");
        assert!(reserved(Domain::new().launch_invariant(word)) && reserved(Domain::new().opaque(word, "a[0]", 5..=9)));
        for parsed in [parse(word), parse_sexp(word)] {
            assert!(!parsed.is_ok_and(|p| matches!(p.expr().op(), Op::Var(_))), "{word}");
        }
    }
    for word in ["min", "max", "where", "abs", "true", "And", "NOT", "step", "from", "lambda", "quaff_x", "_"] {
        let mut domain = Domain::new();
        domain.declare(&format!("{word}=5..9")).unwrap();
        domain.resolve().unwrap();
        for parsed in [parse(word), parse_sexp(word)] {
            assert_eq!(parsed.unwrap().expr(), &var(word));
        }
    }
}

#[test]
fn ranges_of_all_integer_types_are_the_same() {
    let one = |b: Bounds| Domain::new().with("x", b).resolve().expect("a range")[0].interval.to_string();
    let all = [
        one((3_u8..9).into()),
        one((3_i16..9).into()),
        one((3_u32..=8).into()),
        one((3_usize..9).into()),
        one((3_u64..=8).into()),
        one((3_i128..9).into()),
    ];
    assert!(all.iter().all(|r| r == "3..8"), "{all:?}");
    assert_eq!(one((..9_usize).into()), "..8");
    // numbers beyond 64 bits are refused, and not truncated
    for beyond in [Bounds::from(0..=u64::MAX), (0..u128::MAX).into(), (i128::MIN..=0).into(), (0..usize::MAX).into()] {
        let error = Domain::new().with("x", beyond).resolve().expect_err("out of reach");
        assert!(matches!(error, DomainError::BeyondReach { .. }), "{error}");
    }
    assert_eq!(Expr::try_from(7_usize).ok(), Some(int(7)));
    assert!(Expr::try_from(u64::MAX).is_err());
}

#[test]
fn text_and_domain_are_the_same() {
    let domain = Domain::new()
        .with("n", 1..=64)
        .with("step", 0..4)
        .with("i", (0, (var("n") - 1).min(15)))
        .with("i", int(0)..var("step"))
        .stride("i", 2, 0)
        .stride("i", 4, 2)
        .with("open", ..)
        .with("only", 7..=7)
        .opaque("q", r#"row["a, b"]\x;"#, ..=9)
        .launch_invariant("n")
        .assume("i*4 + q < min(n, 72) and i != 3".parse::<Expr>().expect("a condition"));
    let text = domain.to_string();
    assert_eq!(
        text,
        r#"n=1..64, step=0..3, i=0..min(n - 1, 15) step 2, i=0..(step - 1) step 4 from 2, open=.., only=7, "#
            .to_string()
            + r#"q=..9 as "row[\"a, b\"]\\x;", invariant n, assume i*4 + q < min(n, 72) and i != 3"#
    );
    assert_eq!(text.parse::<Domain>(), Ok(domain));
    assert_eq!("".parse::<Domain>(), Ok(Domain::new()));
    assert_eq!(" i = 0 ..15 ;\n\n j=1 ;".parse::<Domain>(), Ok(Domain::new().with("i", 0..16).with("j", 1..=1)));
    // variables that have the names of words of the notation
    let words = Domain::new().with("assume", 0..4).with("invariant", 0..4).with("as", 1..3);
    assert_eq!(words.to_string().parse::<Domain>(), Ok(words));
}

#[test]
fn errors_in_a_text_of_several_declarations_have_their_place_in_all_of_it() {
    for (text, message, at) in [
        ("i=0..3, j=0..+", "expected a number, a name or `(`, found the end of the text", ""),
        ("i=0..3, j", "expected `=` after the name", ""),
        ("i=0..3; and=1..2", "expected a name that is no word of the notation, as `and` and `True` are", "and"),
        ("i=0..3, assume i <", "expected a number, a name or `(`, found the end of the text", ""),
        ("i=0..3, invariant k", "expected a variable that is declared before", "k"),
        ("i=0..3 \"text\"", "expected `as` before the text of an opaque value", "\""),
        ("i=0..3 as \"text\" x", "expected one text in quotes at the end", "\"text\" x"),
        ("i=0..3 as \"text", "expected one text in quotes at the end", "\"text"),
    ] {
        let error = text.parse::<Domain>().expect_err(text);
        assert_eq!(error.to_string(), message, "{text}");
        let label = error.labels().expect("a place").next().expect("a place");
        assert_eq!(&text[label.offset()..label.offset() + label.len()], at, "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "[-ijx0-9=., ;()\"\\\\stepfromasuinvr\n<+*]{0,40}") {
        if let Ok(domain) = text.parse::<Domain>() {
            prop_assert_eq!(domain.to_string().parse::<Domain>(), Ok(domain));
        }
    }
}

#[test]
fn names_with_dots_are_read_in_ranges_and_steps() {
    let text = "a.n=1..64, a.i=0..a.n-1, b.0.step=a.n..a.n+4 step 2, c=..a.from step 3 from 1, a.from=0..8, d=0..a.step, a.step=1..9";
    let domain: Domain = text.parse().unwrap();
    assert_eq!(domain.vars().collect::<Vec<_>>(), ["a.n", "a.i", "b.0.step", "c", "a.from", "d", "a.step"]);
    assert_eq!(domain.to_string().parse::<Domain>().unwrap(), domain);
    assert_eq!(expr("a.i//4 + a.n%b.0.step").to_string(), "a.i//4 + a.n%b.0.step");
    assert_eq!(parse_sexp("(+ a.i 1)").unwrap().expr(), &expr("a.i + 1"));
    for text in ["a.=0..1", ".a=0..1", "a..b=0..1", "a.=1"] {
        assert!(Domain::new().declare(text).is_err(), "{text}");
    }
}
