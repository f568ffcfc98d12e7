//! Texts with the grammar of Python, and the expressions that the reader builds from them.

use quaff_dialects::{Dialect, Read, read};

/// The results as infix text, with `; ` between them.
fn shown(text: &Read) -> String {
    let results: Vec<String> = text.results.iter().map(|parsed| parsed.expr().to_string()).collect();
    results.join("; ")
}

fn check(dialect: Dialect, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        match read(text, dialect) {
            Ok(found) => assert_eq!(shown(&found), *expected, "{dialect}: {text}"),
            Err(error) => panic!("{dialect}: {text}: {error}, at {:?}", error.span()),
        }
    }
}

#[test]
fn python() {
    check(
        Dialect::Python,
        &[
            ("(row*128 + col) // 4 % 8", "(row*128 + col)//4%8"),
            ("-7 // 2 + 0x1F + 0b101 + 0o17 + 1_000", "-7//2 + 31 + 5 + 15 + 1000"),
            ("-9223372036854775808", "-9223372036854775808"),
            ("-0", "0"),
            ("True + False", "1 + 0"),
            ("x // 4 ** 2", "x//(4*4)"),
            ("-x ** 2", "-(x*x)"),
            ("pow(x, 3) + 2 ** n", "x*x*x + (1 << n)"),
            // `&` binds more tightly than `^`
            ("a & b ^ c & d", "a & b ^ c & d"),
            ("a ^ b & c | d", "a ^ b & c | d"),
            ("a & (b ^ c)", "a & (b ^ c)"),
            ("0 <= i < n != m", "0 <= i and i < n and n != m"),
            ("not a < b and c == d", "not a < b and c == d"),
            // on integers, `and` and `or` return one of the operands
            ("a and b", "where(a, b, a)"),
            ("a or b < 3", "where(a, a, b < 3)"),
            ("a if b else c if d else e", "where(b, a, where(d, c, e))"),
            ("min(a, b, 3) - max([a, b])", "min(min(a, b), 3) - max(a, b)"),
            ("abs(x)", "max(x, -x)"),
            ("divmod(a, b)[0]*8 + divmod(a, b)[1]", "a//b*8 + a%b"),
            ("int(x) + int(a < b)", "x + (a < b)"),
            ("math.floor(x / 4)", "x//4"),
            ("math.ceil(x / 4) + -(-x // 4)", "-(-x//4) + -(-x//4)"),
            ("math.floor(x/4 + y/6 - 1/2)", "(3*x + 2*y - 6)//12"),
            ("math.floor((x + 1)/n)", "(x + 1)//n"),
            ("x/4 < y/6", "3*x < 2*y"),
            ("np.where(i < n, i, 0)", "where(i < n, i, 0)"),
            ("numpy.floor_divide(np.minimum(a, b), 4)", "min(a, b)//4"),
            ("np.mod(a, 4) + np.remainder(b, 4)", "a%4 + b%4"),
            ("np.clip(x, 0, n - 1) + np.clip(x, 0, None)", "min(max(x, 0), n - 1) + max(x, 0)"),
            ("np.logical_and(a < b, np.logical_not(c))", "a < b and not c"),
            ("np.clip(x, a_min=0, a_max=3)", "min(max(x, 0), 3)"),
            ("np.abs(x) + np.int64(y)", "max(x, -x) + y"),
            ("math.gcd(x*6, 15) + np.gcd(x*y, y)", "where(x*2%5 == 0, 5, 1)*3 + max(y, -y)"),
            ("x.astype(np.int64)[:, None]*n", "x*n"),
            ("(a < b) & (c < d) | (e != f)", "(a < b) & (c < d) | (e != f)"),
            ("x \\\n  // 4  # a comment", "x//4"),
            ("(x +\n  # a comment\n  3)", "x + 3"),
        ],
    );
}

#[test]
fn definitions() {
    check(
        Dialect::Python,
        &[
            ("row = i // 96\ncol = i % 96\nrow*128 + col", "i//96*128 + i%96"),
            ("q, r = divmod(a, b); q*8 + r;", "a//b*8 + a%b"),
            ("(q, r), s = (a, b), c; q + r*s", "a + b*c"),
            ("x = y = i + 1\nx * y", "(i + 1)*(i + 1)"),
            ("x = 3; x += y; x //= 2; return x, y", "(3 + y)//2; y"),
            ("x: int = 4\nx + 1", "4 + 1"),
            // a definition uses the values that names have at its place, and not later ones
            ("y = x + 1; x = 3; y*x", "(x + 1)*3"),
            ("'the index'\ni + 1", "i + 1"),
            ("a, b", "a; b"),
            ("idx = i*4", "i*4"),
            // a definition without a meaning that no result uses
            ("scale = 0.5; name = 'x'\ni + 1", "i + 1"),
            ("  a = 1\n  -a + b", "-(1) + b"),
        ],
    );
}

#[test]
fn triton() {
    check(
        Dialect::Triton,
        &[
            (
                "tl.where(i < n, i, 0) + tl.minimum(a, 8) + tl.maximum(a, 8)",
                "where(i < n, i, 0) + min(a, 8) + max(a, 8)",
            ),
            ("tl.program_id(0) * 128 + tl.arange(0, 128)", "program_id_0*128 + arange_0_128"),
            ("tl.program_id(axis=1) < tl.num_programs(1)", "program_id_1 < num_programs_1"),
            ("pid.to(tl.int64) * tl.multiple_of(x, 16)", "pid*x"),
            ("offs[:, None] * stride + cols[None, :]", "offs*stride + cols"),
            ("tl.arange(0, 64)[:, None]*64 + tl.arange(0, 32)[None, :]", "arange_0_64*64 + arange_0_32"),
            // on literals, `//` and `%` round down as in Python
            ("-7 // 2 + (-7 - 1) % 3", "-7//2 + (-7 - 1)%3"),
            ("tl.load(x_ptr + offs, mask=offs < n, other=0.0)", "offs; offs < n"),
            ("tl.load(x + (i*4 + j))", "i*4 + j"),
            ("tl.load(i*4 + in_ptr0 - j)", "i*4 - j"),
            ("tl.load(in_ptr0 - j)", "-j"),
            ("tl.load(ptr)", "0"),
            ("tl.load(i + xptrs + j)", "i + j"),
            ("tl.store(out_ptr + i, v * 0.5, mask=m)", "i; m"),
            ("p = a_ptr + i*4\nt = tl.load(p)\ntl.load(b_ptr + t)", "t"),
            ("BLOCK: tl.constexpr = 128\ntl.arange(0, BLOCK)", "arange_0_128"),
            ("a < b and c", "a < b and c"),
            ("~(a < b) & mask", "(not a < b) & mask"),
            ("~x & 7", "-x - 1 & 7"),
        ],
    );
    let pid =
        read("pid = tl.program_id(0)\npid*128 + tl.arange(0, BLOCK) + 0*tl.program_id(2)", Dialect::Triton).unwrap();
    assert_eq!(
        pid.domain.to_string(),
        "program_id_0=0..2147483646, BLOCK=1.., arange_0_BLOCK=0..BLOCK - 1, program_id_2=0..65534"
    );
}

#[test]
fn texts_say_what_holds() {
    for (dialect, text, result, domain) in [
        (Dialect::Triton, "tl.assume(n > 0)\ntl.device_assert(m > 0)\ni*n", "i*n", "assume n > 0"),
        (Dialect::Triton, "tl.static_assert(k % 8 == 0)\ni*n", "i*n", ""),
        (Dialect::Tinygrad, "Variable(\"i\", 0, 9)*4", "i*4", "i=0..9"),
        (Dialect::Sympy, "Symbol('n', integer=True, positive=True) + m", "n + m", "n=1.."),
    ] {
        let text = read(text, dialect).unwrap();
        assert_eq!((shown(&text), text.domain.to_string()), (result.into(), domain.into()));
    }
}

#[test]
fn division_of_triton_truncates() {
    let value = |text: &str, x: i64| {
        let text = read(text, Dialect::Triton).unwrap();
        text.results[0].expr().eval(|name| Some(if name == "x" { x } else { 4 })).unwrap()
    };
    for x in -9..=9 {
        let c = i128::from(x);
        assert_eq!(value("x // 4", x), c / 4);
        assert_eq!(value("x % n", x), c % 4);
        assert_eq!(value("tl.cdiv(x, 4)", x), (c + 3) / 4);
        assert_eq!(value("triton.cdiv(x, 4)", x), (c + 3).div_euclid(4));
        assert_eq!(value("y = x; y //= n; y", x), c / 4);
    }
}

#[test]
fn inductor() {
    check(
        Dialect::Inductor,
        &[
            ("x0 + 64*(x1 // (ks0*ks1)) % 4", "x0 + 64*(x1//(ks0*ks1))%4"),
            ("ModularIndexing(x0, 4, 8) + FloorDiv(x1, ks0) + CleanDiv(s0*s1, 2)", "x0//4%8 + x1//ks0 + s0*s1//2"),
            ("CeilDiv(x, 4) + PythonMod(x, 4) + Mod(x, 4) + Identity(x)", "(x + 3)//4 + x%4 + x%4 + x"),
            ("Where(x < 4, x, 0)", "where(x < 4, x, 0)"),
            ("triton_helpers.div_floor_integer(x0, ks0)", "x0//ks0"),
            ("triton_helpers.remainder_integer(x0, triton_helpers.maximum(1, ks0))", "x0%max(1, ks0)"),
            ("tmp0 + tl.full([XBLOCK], 4, tl.int64)", "tmp0 + 4"),
            ("tl.load(in_ptr0 + (x0 + 64*x1), xmask, eviction_policy='evict_last')", "x0 + 64*x1; xmask"),
            (
                "xoffset = tl.program_id(0) * XBLOCK\nxindex = xoffset + tl.arange(0, XBLOCK)[:]\nxmask = xindex < 99\n\
                 tmp0 = tl.load(in_ptr0 + xindex % 64, xmask, other=0.0).to(tl.float32)",
                "(program_id_0*XBLOCK + arange_0_XBLOCK)%64; program_id_0*XBLOCK + arange_0_XBLOCK < 99",
            ),
        ],
    );
}

#[test]
fn sympy() {
    check(
        Dialect::Sympy,
        &[
            ("Mod(x, 4) + floor(x/4)", "x%4 + x//4"),
            ("floor(x/4 + 1/2)", "(x + 2)//4"),
            ("floor(Rational(1, 2)*x) + ceiling(x/8)", "x//2 + -(-x//8)"),
            ("floor(2*x/3) + floor(x*y/(4*z))", "2*x//3 + x*y//(4*z)"),
            ("Piecewise((a, c < 4), (b, True))", "where(c < 4, a, b)"),
            ("Min(x, y, 8) + Max(x, Integer(3))", "min(min(x, y), 8) + max(x, 3)"),
            ("And(x < 3, Eq(y, 2)) | ~(x > 3)", "(x < 3 and y == 2) | (not x > 3)"),
            ("ITE(Ne(x, 1), Lt(x, 2), StrictGreaterThan(x, 3))", "where(x != 1, x < 2, x > 3)"),
            ("Symbol('x', integer=True) + Abs(y)", "x + max(y, -y)"),
            ("Not(Or(x < 3, Ge(x, 5)))", "not (x < 3 or x >= 5)"),
            ("x**2*ModularIndexing(x, 4, 8)", "x*x*(x//4%8)"),
        ],
    );
}

#[test]
fn tvm() {
    check(
        Dialect::Tvm,
        &[
            ("T.floordiv(x, 4) * 4 + tir.floormod(x, 4)", "x//4*4 + x%4"),
            ("floordiv(x, 4) + tvm.tir.indexmod(x, 4) + T.ceildiv(x, 4)", "x//4 + x%4 + (x + 3)//4"),
            ("T.if_then_else(x < 4, x, 0) + T.Select(x < 4, x, 0)", "where(x < 4, x, 0) + where(x < 4, x, 0)"),
            ("T.min(x, T.max(y, 4))", "min(x, max(y, 4))"),
            ("T.int32(4) + T.int64(-4) + T.Cast(\"int32\", x) + i.astype(\"int64\")", "4 + -4 + x + i"),
            ("T.bitwise_and(i, 7) + T.shift_right(i, 3) + T.shift_left(i, 3)", "(i & 7) + (i >> 3) + (i << 3)"),
            ("T.And(a < b, T.Not(T.likely(c < d)))", "a < b and not c < d"),
            ("A[vi // 8, vi % 8]", "vi//8; vi%8"),
            ("blockIdx.x*4 + threadIdx.x", "blockIdx.x*4 + threadIdx.x"),
            ("i.outer*32 + i.j.fused.inner", "i.outer*32 + i.j.fused.inner"),
            ("vi // 8 == vj", "vi//8 == vj"),
        ],
    );
    for text in ["x / 4", "T.truncdiv(x, 4)", "T.Div(x, 4)"] {
        let quotient = read(text, Dialect::Tvm).unwrap();
        assert_eq!(quotient.results[0].expr().eval(|_| Some(-7)), Ok(-1), "{text}");
    }
}

#[test]
fn tinygrad() {
    check(
        Dialect::Tinygrad,
        &[
            ("(gidx0//4)*16+(lidx0%4)", "gidx0//4*16 + lidx0%4"),
            ("((gidx0<2)&(lidx0<3))", "(gidx0 < 2) & (lidx0 < 3)"),
            ("((gidx0<2)!=True)", "(gidx0 < 2) != 1"),
            ("(x<3).where(a, b).maximum(c)", "max(where(x < 3, a, b), c)"),
            ("x.cast(dtypes.int) + (long)((y+1)) + max(x, y)", "x + (y + 1) + max(x, y)"),
            ("(a if (x<3) else b)", "where(x < 3, a, b)"),
        ],
    );
    for (text, expected) in [("cdiv(x, 4)", -1), ("cmod(x, 4)", -3), ("x//4", -2), ("x%4", 1)] {
        let result = read(text, Dialect::Tinygrad).unwrap();
        assert_eq!(result.results[0].expr().eval(|_| Some(-7)), Ok(expected), "{text}");
    }
}

#[test]
fn narrow_types_are_requirements() {
    let text = read("x.to(tl.uint8) + y.to(tl.int64)\n", Dialect::Triton).unwrap();
    let [requirement] = &text.requirements[..] else { panic!("{:?}", text.requirements) };
    assert_eq!((requirement.value.to_string(), requirement.range.to_string()), ("x".into(), "0..255".into()));
    let unused = read("a = x.to(tl.uint8); y", Dialect::Triton).unwrap();
    assert!(unused.requirements.is_empty());
}

#[test]
fn quotients_without_a_rest_are_requirements() {
    for (dialect, text, result, rest) in [
        (Dialect::Sympy, "B*floor(T/34)/2 + B/2", "(B*(T//34) + B)//2", "(B*(T//34) + B)%2 in 0..0"),
        (Dialect::Sympy, "Rational(1, 2)*B + x/3", "(3*B + 2*x)//6", "(3*B + 2*x)%6 in 0..0"),
        (Dialect::Sympy, "Mod(x/n, 4)", "x//n%4", "x%n in 0..0"),
        (Dialect::Python, "(x/4 + 1)*n", "(x + 4)*n//4", "(x + 4)*n%4 in 0..0"),
    ] {
        let found = read(text, dialect).unwrap_or_else(|e| panic!("{text}: {e}"));
        let [required] = &found.requirements[..] else { panic!("{text}: {:?}", found.requirements) };
        assert_eq!(found.results[0].expr().to_string(), result, "{text}");
        assert_eq!(format!("{} in {}", required.value, required.range), rest, "{text}");
        assert!(found.results[0].span_of(&required.part).is_some(), "{text}");
    }
    let unused = read("a = x/4\nmath.floor(a)", Dialect::Python).unwrap();
    assert!(unused.requirements.is_empty());
}

#[test]
fn places_are_those_of_the_text() {
    let text = read("row = (i + 1) // 96\nrow*128", Dialect::Python).unwrap();
    let product = text.results[0].expr();
    assert_eq!(text.results[0].span_of(product), Some(20..27));
    assert_eq!(text.results[0].span_of(&product.args()[0]), Some(6..19));
    assert_eq!(text.results[0].span_of(&product.args()[0].args()[0]), Some(7..12));
}

#[test]
fn variables_have_names() {
    for (dialect, text, name) in [
        (Dialect::Triton, "tl.program_id(0)", "program_id_0"),
        (Dialect::Triton, "tl.program_id(axis=2)", "program_id_2"),
        (Dialect::Triton, "tl.arange(0, 128)", "arange_0_128"),
        (Dialect::Inductor, "tl.num_programs(1)", "num_programs_1"),
        (Dialect::Tvm, "threadIdx.x", "threadIdx.x"),
        (Dialect::Python, "tl.program_id(0)", "tl.program_id(0)"),
        (Dialect::Sympy, "x + 1", "x + 1"),
    ] {
        assert_eq!(dialect.variable(text), name);
    }
}

const DEPTH: usize = 50_000;

/// `middle` inside of [`DEPTH`] nested levels. Each copy of `open` opens `levels` levels.
fn around(levels: usize, open: &str, middle: &str, close: &str) -> String {
    [&open.repeat(DEPTH / levels), middle, &close.repeat(DEPTH / levels)].concat()
}

#[test]
fn depth_is_not_limited() {
    for text in [
        around(5, "(1 + abs(-min(x, x & (y ^ ", "x", "))))"),
        around(4, "-(not (x and ~divmod(x, ", "y", ")[0]))"),
        around(1, "", "x", " + 1"),
        around(1, "", "x", " < 1"),
        around(1, "", "x", " if a else b"),
    ] {
        let result = read(&text, Dialect::Python);
        assert!(result.is_ok(), "{}...: {:?}", &text[..20], result.map_err(|e| e.to_string()).err());
    }
}

#[test]
fn depth_of_what_is_refused_is_not_limited() {
    for text in [
        around(3, "[(abs(a=", "x", ",),)]"),
        around(3, "", "x", ".y[0](0)"),
        around(1, "x = ", "0.5", ""),
        around(1, "(", "", ""),
        around(1, "x && ", "y", ""),
        around(1, "lambda: ", "x", ""),
    ] {
        assert!(read(&text, Dialect::Python).is_err(), "{}...", &text[..20]);
    }
}

/// A function that builds a text of a given length.
type OfLength = fn(usize) -> String;

#[test]
fn work_is_linear_in_the_text() {
    let texts: [(&str, OfLength); 9] = [
        ("a sum", |n| format!("x{}", " + y*3".repeat(n))),
        ("calls", |n| format!("{}x{}", "max(y, ".repeat(n), ")".repeat(n))),
        ("many arguments", |n| format!("min(x{})", ", y + 1".repeat(n))),
        ("a chain", |n| format!("x{}", " < y".repeat(n))),
        ("definitions", |n| format!("x = y\n{}x", "x = x*x + 1\n".repeat(n))),
        ("names", |n| (0..n).map(|i| format!("v{i} = {i}; ")).collect::<String>() + "x"),
        ("floats", |n| format!("x{}", " + 0.5".repeat(n))),
        ("places", |n| {
            format!("r = np.int64(x)\n{}r", "r = r[:, None] + r[:, None]; ".repeat(n.min(1)) + &"r = r + 1; ".repeat(n))
        }),
        ("results", |n| format!("x{}", ", y//4".repeat(n))),
    ];
    for (name, text) in texts {
        let [small, large] = [1_000, 4_000].map(|n| {
            let text = text(n);
            allocation_counter::measure(|| drop(read(&text, Dialect::Python))).bytes_total
        });
        assert!(large < 5 * small, "{name}: {small} bytes, and {large} for a text four times as long");
    }
}
