//! The exact texts that the writers of all dialects produce.

use quaff_dialects::{Dialect, WriteError, Written, write};
use quaff_expr::domain::{Domain, Interval, RangesByName, interval_of};
use quaff_expr::expr::Expr;

/// Writes `text` for variables with the ranges in `domain`. Other variables have no range.
pub(crate) fn written(text: &str, domain: &str, dialect: Dialect) -> Result<Written, WriteError> {
    let roots: Vec<Expr> = text.split(';').map(|t| t.parse().unwrap()).collect();
    let facts = domain.parse::<Domain>().unwrap().resolve().unwrap();
    let ranges = RangesByName::new(&facts);
    write(&roots, dialect, &|e| interval_of(e, |name| ranges.of(name)))
}

#[track_caller]
fn writes(text: &str, domain: &str, expected: &[(Dialect, &str)]) {
    for (dialect, expected) in expected {
        match written(text, domain, *dialect) {
            Ok(found) => assert_eq!(found.text, *expected, "{dialect}: {text}"),
            Err(error) => panic!("{dialect}: {text}: {error}"),
        }
    }
}

use Dialect::*;

#[test]
fn divisions_of_values_that_are_not_negative() {
    writes(
        "x//6%4",
        "x=0..99",
        &[
            (Infix, "x//6%4"),
            (Sexp, "(% (// x 6) 4)"),
            (C, "x / 6 % 4"),
            (Cuda, "x / 6 % 4"),
            (Triton, "x//6%4"),
            (Inductor, "ModularIndexing(x, 6, 4)"),
            (Sympy, "Mod(floor(x/6), 4)"),
            (Tvm, "T.floormod(T.floordiv(x, 6), 4)"),
            (Mlir, "x floordiv 6 mod 4"),
            (Xla, "(x) -> (x floordiv 6 mod 4), domain: x in [0, 99]"),
            (Halide, "x / 6 % 4"),
            (Tinygrad, "x//6%4"),
            (Python, "x//6%4"),
        ],
    );
}

#[test]
fn divisions_of_values_that_may_be_negative() {
    let truncating = |text: &str, domain: &str, expected: &[&str; 2]| {
        writes(text, domain, &[(C, expected[0]), (Cuda, expected[0]), (Triton, expected[1])]);
    };
    truncating("x//8", "x=-9..99", &["x >> 3", "x >> 3"]);
    truncating("(x + 1)%8", "x=-9..99", &["(x + 1) & 7", "(x + 1) & 7"]);
    truncating("x//6", "x=-9..99", &["(x + 12) / 6 - 2", "(x + 12)//6 - 2"]);
    truncating("x%6", "x=-9..99", &["(x + 12) % 6", "(x + 12)%6"]);
    truncating("x//n", "x=-9..99, n=1..9", &["x / n - (x % n < 0)", "x//n - tl.where(x%n < 0, 1, 0)"]);
    truncating("x%n", "x=-9..99, n=1..9", &["(x % n + n) % n", "(x%n + n)%n"]);
    truncating(
        "x//n",
        "x=-9..99, n=-3..9",
        &["x / n - (x % n != 0 && ((x % n) ^ n) < 0)", "x//n - tl.where((x%n != 0) & (((x%n) ^ n) < 0), 1, 0)"],
    );
    truncating("x//-8", "x=-9..99", &["-x >> 3", "-x >> 3"]);
    truncating("x%-8", "x=-9..99", &["-(-x & 7)", "-(-x & 7)"]);
    truncating("x//6", "x=-2147483648..99", &["x / 6 - (x % 6 < 0)", "x//6 - tl.where(x%6 < 0, 1, 0)"]);
    writes(
        "x//6; x%6; x//n",
        "x=-9..99, n=-3..9",
        &[
            (Python, "x//6\nx%6\nx//n"),
            (Halide, "x / 6\nx % 6\nselect(n > 0, x / n, -x / -n)"),
            (Sympy, "floor(x/6)\nMod(x, 6)\nfloor(x/n)"),
        ],
    );
    writes("x%n", "n=-3..-1, x=0..9", &[(Halide, "-(-x % -n)"), (Python, "x%n")]);
}

#[test]
fn divisions_that_round_towards_zero() {
    for (op, text) in [("truncdiv", "//"), ("truncmod", "%")] {
        let expected = |signed: &str| signed.replace("//", text);
        let write = |domain: &str, dialect| written(&format!("{op}(x, n)"), domain, dialect).unwrap().text;
        let (any, positive) = ("x=-9..9, n=-3..3", "x=-9..9, n=1..3");
        for domain in [any, positive, ""] {
            assert_eq!(write(domain, C), if op == "truncdiv" { "x / n" } else { "x % n" });
            assert_eq!(write(domain, Triton), expected("x//n"));
            assert_eq!(write(domain, Tvm), format!("T.{op}(x, n)"));
        }
        assert_eq!(write(positive, Python), expected("x//n if x >= 0 else -(-x//n)"));
        assert_eq!(write(positive, Tinygrad), expected("(x >= 0).where(x//n, -(-x//n))"));
        assert_eq!(write("x=0..9, n=1..3", Python), expected("x//n"));
        assert_eq!(write("x=-9..0, n=1..3", Python), expected("-(-x//n)"));
    }
    writes("truncdiv(x, 4)", "x=-9..0", &[(Mlir, "x ceildiv 4")]);
    writes("truncdiv(x, 4)", "x=0..9", &[(Mlir, "x floordiv 4")]);
    writes("truncdiv(x, 4)", "x=-9..9", &[(Halide, "div_round_to_zero(x, 4)"), (Infix, "truncdiv(x, 4)")]);
    writes("truncmod(x, -4)", "x=-9..9", &[(Python, "x%4 if x >= 0 else -(-x%4)")]);
    writes("truncdiv(x, -4)", "x=0..9", &[(Python, "-(x//4)")]);
    assert!(written("truncmod(x, 4)", "x=-9..9", Mlir).is_err());
}

#[test]
fn conditions_and_selections() {
    writes(
        "where(i < n and not j == 3, min(i, 8), 0)",
        "i=0..99, n=1..99, j=0..9",
        &[
            (C, "i < n && j != 3 ? (i < 8 ? i : 8) : 0"),
            (Cuda, "i < n && j != 3 ? min(i, 8) : 0"),
            (Triton, "tl.where((i < n) & (j != 3), tl.minimum(i, 8), 0)"),
            (Sympy, "Piecewise((Min(i, 8), (i < n) & Ne(j, 3)), (0, True))"),
            (Tvm, "T.Select(T.And(i < n, j != 3), T.min(i, 8), 0)"),
            (Halide, "select(i < n && j != 3, min(i, 8), 0)"),
            (Tinygrad, "((i < n) & (j != 3)).where(i.minimum(8), 0)"),
            (Python, "min(i, 8) if i < n and j != 3 else 0"),
            (Inductor, "min(i, 8) if i < n and j != 3 else 0"),
        ],
    );
    writes(
        "(i < 3)*4 + (not i)",
        "i=0..99",
        &[
            (C, "(i < 3) * 4 + !i"),
            (Triton, "tl.where(i < 3, 1, 0)*4 + tl.where(~(i != 0), 1, 0)"),
            (Sympy, "Piecewise((1, i < 3), (0, True))*4 + Piecewise((1, ~Ne(i, 0)), (0, True))"),
            (Halide, "select(i < 3, 1, 0) * 4 + select(!(i != 0), 1, 0)"),
            (Tinygrad, "(i < 3).where(1, 0)*4 + ((i != 0) != True).where(1, 0)"),
            (Python, "(i < 3)*4 + (not i)"),
        ],
    );
    writes("where(i == 2, 1, 5//i)", "i=0..99", &[(Tvm, "T.if_then_else(i == 2, 1, T.floordiv(5, i))")]);
    writes(
        "i and n",
        "i=0..9, n=0..9",
        &[(Python, "i != 0 and n != 0"), (C, "i && n"), (Tvm, "T.And(i != 0, n != 0)")],
    );
    writes("i == 2", "i=0..9", &[(Tinygrad, "(i != 2) != True"), (Sympy, "Eq(i, 2)")]);
    writes("max(3, i)", "i=0..9", &[(Tinygrad, "i.maximum(3)"), (Triton, "tl.maximum(3, i)"), (Sympy, "Max(3, i)")]);
}

#[test]
fn values_beyond_32_bits() {
    writes(
        "i*j + 4",
        "i=0..99999, j=0..99999",
        &[
            (C, "(long long)i * j + 4"),
            (Triton, "i.to(tl.int64)*j + 4"),
            (Tvm, "T.Cast(\"int64\", i)*T.Cast(\"int64\", j) + T.int64(4)"),
            (Halide, "cast<int64_t>(i) * j + 4"),
            (Python, "i*j + 4"),
        ],
    );
    writes("i*4", "i=0..2147483647", &[(C, "i * 4LL"), (Triton, "i.to(tl.int64)*4")]);
    writes("i + 5000000000", "i=0..9", &[(C, "i + 5000000000LL"), (Tvm, "T.Cast(\"int64\", i) + T.int64(5000000000)")]);
    writes("min(i, j)", "i=0..9, j=0..5000000000", &[(Cuda, "min((long long)i, j)"), (C, "i < j ? i : j")]);
    let wide = written("i//4", "", C).unwrap();
    assert_eq!((wide.text.as_str(), wide.wide.iter().next().map(String::as_str)), ("i >> 2", Some("i")));
    for (text, domain) in [("i*4", ""), ("i*j", "i=0..5000000000, j=0..5000000000"), ("i << j", "i=0..9, j=0..99")] {
        for dialect in [C, Cuda, Triton, Tvm, Halide] {
            let error = written(text, domain, dialect).unwrap_err();
            assert_eq!(error.expr().to_string(), text, "{dialect}: {error}");
        }
        assert!(written(text, domain, Python).is_ok());
    }
}

#[test]
fn shifts() {
    writes("i << 3", "i=0..9", &[(C, "i << 3"), (Tvm, "T.shift_left(i, 3)"), (Sympy, "i*8"), (Mlir, "i * 8")]);
    // in C, the shift of a negative number is undefined
    writes("i << 3", "i=-9..9", &[(C, "i * 8"), (Python, "i << 3")]);
    writes("i << j", "i=-9..9, j=0..5", &[(C, "i * (1 << j)")]);
    writes("i << j", "i=0..9, j=0..40", &[(C, "(long long)i << j")]);
    // in C, a shift by the width of the type is undefined
    writes("i >> j", "i=0..9, j=0..40", &[(C, "i >> (j < 31 ? j : 31)"), (Cuda, "i >> min(j, 31)")]);
    writes("i >> 3", "i=-9..9", &[(Mlir, "i floordiv 8"), (Sympy, "floor(i/8)")]);
    writes("i & 7", "i=-9..9", &[(Mlir, "i mod 8"), (Sympy, "Mod(i, 8)"), (Tvm, "T.bitwise_and(i, 7)")]);
}

#[test]
fn variables_of_cuda_and_triton() {
    writes(
        "blockIdx.x*blockDim.x + threadIdx.x",
        "blockIdx.x=0..99",
        &[(Cuda, "blockIdx.x * blockDim.x + threadIdx.x"), (C, "blockIdx_x * 256 + threadIdx_x")][..1],
    );
    writes("threadIdx.x//32 - 8", "", &[(Cuda, "(int)(threadIdx.x / 32) - 8")]);
    writes("min(threadIdx.x, 31)", "", &[(Cuda, "min((int)threadIdx.x, 31)")]);
    writes("where(i < 4, threadIdx.x, -1)", "i=0..9", &[(Cuda, "i < 4 ? (int)threadIdx.x : -1")]);
    writes("threadIdx.x > i", "i=-9..9", &[(Cuda, "(int)threadIdx.x > i")]);
    writes("blockIdx.x*1024", "", &[(Cuda, "blockIdx.x * 1024LL")]);
    writes(
        "program_id_0*128 + arange_0_128",
        "program_id_0=0..99",
        &[(Triton, "tl.program_id(0)*128 + tl.arange(0, 128)"), (Python, "program_id_0*128 + arange_0_128")][..1],
    );
}

#[test]
fn maps() {
    writes(
        "d0//8; d1%4",
        "d0=0..99",
        &[
            (Mlir, "affine_map<(d0, d1) -> (d0 floordiv 8, d1 mod 4)>"),
            (
                Xla,
                "(d0, d1) -> (d0 floordiv 8, d1 mod 4), domain: d0 in [0, 99], d1 in [-9223372036854775808, 9223372036854775807]",
            ),
        ],
    );
    writes("-(-x//4) + 2*y", "", &[(Mlir, "x ceildiv 4 + 2 * y")]);
    writes("x*n//m", "n=4, m=8", &[(Mlir, "x * 4 floordiv 8")]);
    writes("5", "", &[(Xla, "() -> (5)"), (Mlir, "5")]);
}

#[test]
fn what_is_not_affine() {
    for (text, message) in [
        ("1 + min(x, 4)", "`min` is not affine"),
        ("1 + max(x, 4)", "`max` is not affine"),
        ("where(x, y, 4)", "`where` is not affine"),
        ("x*y", "a product of values that vary is not affine"),
        ("x//y", "the divisor varies, which is not affine"),
        ("x%-4", "the divisor is not positive, which is not affine"),
        ("x < 4", "the condition `<` is no affine value"),
        ("x and y", "the condition `and` is no affine value"),
        ("x | y", "it has no operation `|` on the bits of numbers"),
        ("x & 6", "it has no operation `&` on the bits of numbers"),
    ] {
        for dialect in [Mlir, Xla] {
            let error = written(text, "", dialect).expect_err(text);
            assert_eq!(error.to_string(), format!("`{dialect}` cannot write this: {message}"));
        }
    }
}

/// Nested expressions, each of which uses the next one twice. For 60 levels, the tree has 2^60 operations.
fn tower(levels: usize) -> Expr {
    (0..levels).fold("x + y".parse().unwrap(), |e: Expr, i| (&e + i as i64) % 1000 - e)
}

#[test]
fn texts_are_as_long_as_the_graph() {
    let range = |e: &Expr| {
        if e.args().is_empty() { Interval::new(-9, 9).unwrap() } else { Interval::new(-2000, 2000).unwrap() }
    };
    let e = tower(60);
    for dialect in [C, Cuda, Triton, Inductor, Python, Tvm, Tinygrad] {
        let text = write(std::slice::from_ref(&e), dialect, &range).unwrap().text;
        assert!(text.len() < 8000, "{dialect}: {}", text.len());
    }
    for dialect in [Mlir, Xla, Sympy, Halide, Infix, Sexp] {
        let error = write(std::slice::from_ref(&e), dialect, &range).unwrap_err();
        assert!(error.to_string().ends_with("its text is longer than 1048576 bytes"), "{error}");
        assert!(write(&[tower(8)], dialect, &range).is_ok());
    }
    let text = written("(x*y + z*x)//7 + (x*y + z*x)%5", "x=0..9, y=0..9, z=0..999999999, t0=0..9", C).unwrap().text;
    assert_eq!(text, "long long t0 = x * y + (long long)z * x;\nt0 / 7 + t0 % 5");
}

#[test]
fn what_may_have_no_value_is_not_defined_in_front() {
    let text = "where(n > 0, (x*y + x)//n*2 + (x*y + x)//n, 0)";
    let defined = "t0 = (x*y + x)//n*2\n";
    assert!(!written(text, "n=0..9", Python).unwrap().text.contains(defined));
    let text = written(text, "n=0..9", Python).unwrap().text;
    assert_eq!(text, "(x*y + x)//n*2 + (x*y + x)//n if n > 0 else 0");
}

#[test]
fn deep_expressions_do_not_overflow_the_stack() {
    let deep = (0..100_000).fold("x".parse().unwrap(), |e: Expr, _| (e + 1) % 7);
    for dialect in Dialect::ALL {
        let range =
            |e: &Expr| if e.args().is_empty() { Interval::new(0, 9).unwrap() } else { Interval::new(0, 16).unwrap() };
        let _ = write(std::slice::from_ref(&deep), dialect, &range);
    }
}
