//! Texts with the expressions that they mean, and texts with their errors.

use quaff_dialects::{Dialect, read};
use quaff_expr::expr::parse;

use Dialect::{C, Cuda, Halide};

/// Texts without signed division, with the expressions of quaff that they mean. `;` separates several results.
const READ: &[(Dialect, &str, &str)] = &[
    // precedence and associativity
    (C, "a - b - c", "a - b - c"),
    (C, "a + b * c << 1", "(a + b*c) << 1"),
    (C, "a & b == c", "a & (b == c)"),
    (C, "a | b ^ c & d", "a | (b ^ (c & d))"),
    (C, "a & b | c && d || e", "((a & b | c) and d) or e"),
    (C, "a < b == c < d", "(a < b) == (c < d)"),
    (C, "0 <= x < 8", "(0 <= x) < 8"),
    (C, "a ? b : c ? d : e", "where(a, b, where(c, d, e))"),
    (C, "a < 3 ? b + 1 : c", "where(a < 3, b + 1, c)"),
    (C, "!a + 1", "(not a) + 1"),
    (C, "~a & 7", "(~a) & 7"),
    (C, "- a * b", "-a*b"),
    (C, "a - -b", "a - (-b)"),
    (C, "a -1", "a - 1"),
    (C, "+a", "a"),
    (C, "not a and b or c", "((not a) and b) or c"),
    (C, "(a < b) + 1", "(a < b) + 1"),
    // values that look like a type, a template or a declaration
    (C, "(a) - b * c", "a - b*c"),
    (C, "(a) & b", "a & b"),
    (C, "(a) * b + c", "a*b + c"),
    (C, "a * b;", "a*b"),
    (C, "a & b;", "a & b"),
    (C, "a < b && c > (d)", "a < b and c > d"),
    (C, "sizeof(int) - 1", "4 - 1"),
    (C, "sizeof(int) * n", "4*n"),
    // literals
    (C, "0x1F + 0b101 + 017 + 1'000 + 0", "31 + 5 + 15 + 1000 + 0"),
    (C, "1u + 2ull", "1 + 2"),
    (C, "3z + 4LL", "3 + 4"),
    (C, "true + false", "1 + 0"),
    (C, "0x1F'FFu & i", "8191 & i"),
    (C, "-1", "-1"),
    (C, "9223372036854775807", "9223372036854775807"),
    // conversions of types
    (C, "(int)x", "x"),
    (C, "(long long)x * 4", "x*4"),
    (C, "(unsigned)x", "x%4294967296"),
    (C, "(unsigned char)x", "x%256"),
    (C, "(uint8_t)x + 300", "x%256 + 300"),
    (C, "(int8_t)x", "(x + 128)%256 - 128"),
    (C, "(int)(x * 4LL)", "(x*4 + 2147483648)%4294967296 - 2147483648"),
    (C, "(int)(x & 255u)", "x & 255"),
    (C, "(bool)x", "x != 0"),
    (C, "(bool)(x < 3)", "x < 3"),
    (C, "static_cast<std::int64_t>(x)", "x"),
    (C, "int64_t(x) + unsigned(y)", "x + y%4294967296"),
    (C, "unsigned(3)", "3"),
    (C, "(unsigned)-1", "4294967295"),
    (C, "(int8_t)200", "-56"),
    // unsigned arithmetic that wraps around
    (C, "unsigned i; unsigned n; i - n", "(i - n)%4294967296"),
    (C, "unsigned i; i * 4 + 1", "(i*4 + 1)%4294967296"),
    (C, "unsigned i; (i + 1) >> 2", "(i + 1)%4294967296 >> 2"),
    (C, "unsigned i; (i - 1) & 31", "(i - 1) & 31"),
    (C, "unsigned i; i < 8", "i < 8"),
    (C, "i < 8u", "i%4294967296 < 8"),
    (C, "(unsigned)(i - 1) < (unsigned)n", "(i - 1)%4294967296 < n%4294967296"),
    (C, "unsigned i; -i", "-i%4294967296"),
    (C, "~0u", "4294967295"),
    (C, "uint8_t a; uint8_t b; a - b", "a - b"),
    (C, "uint16_t a; a * 4u / 3", "a*4//3"),
    (C, "unsigned i; (uint64_t)(i + 1) * 8", "(i + 1)%4294967296*8"),
    (C, "unsigned x; x << 3 | x >> 29", "(x << 3 | x >> 29)%4294967296"),
    (C, "size_t n; n / 4 % 3", "n//4%3"),
    (C, "size_t n; (unsigned)(n - 1)", "(n - 1)%4294967296"),
    // calls of functions
    (C, "min(a, max(b, 3))", "min(a, max(b, 3))"),
    (C, "std::min(a, b) + std::max<int>(a, b)", "min(a, b) + max(a, b)"),
    (C, "std::abs(a)", "abs(a)"),
    (C, "std::gcd(a, 4)", "gcd(a, 4)"),
    (C, "umin(a, 4u)", "min(a%4294967296, 4)"),
    (C, "std::clamp(a, 0, n - 1)", "max(min(a, n - 1), 0)"),
    (C, "c10::div_floor_integer(a, 4L)", "a//4"),
    (C, "at::native::div_floor_integer(a, b)", "a//b"),
    (C, "floordiv(a, b) + c10::div_mod(a, b)", "a//b + a%b"),
    (C, "unsigned n; ceil_div(n, 4u)", "(n + 4 - 1)%4294967296//4"),
    (C, "__umulhi(0xAAAAAAABu, x)", "2863311531*(x%4294967296)//4294967296"),
    (C, "__mulhi(x, 7)", "x*7//4294967296"),
    (C, "uint16_t x; __umul24(x, 3)", "x*3"),
    (C, "sizeof(float4) + sizeof(unsigned long long) + sizeof(__half)", "16 + 8 + 2"),
    (C, "sizeof(int3) + sizeof(char) + sizeof(float*)", "12 + 1 + 8"),
    // texts with several statements
    (C, "unsigned i; int row = i / 96, col = i % 96; row*128 + col", ROWS),
    (C, "const auto w = a + 1; constexpr int h = 4; return w*h;", "(a + 1)*4"),
    (C, "int x = a; x += 3; x *= b; x", "(a + 3)*b"),
    (C, "x = 4; x <<= n; x", "4 << n"),
    (C, "uint8_t x = a; x", "a%256"),
    (C, "uint8_t x = 3; x += a; x", "(3 + a)%256"),
    (C, "int n; i*n", "i*n"),
    (C, "idx = i*4 + j;", "i*4 + j"),
    (C, "i*4 // the row\n + j /* the column */", "i*4 + j"),
    (C, "int r = i & 3; // r = 3\nr + 1", "(i & 3) + 1"),
    (C, "// i*4\ni*4 // = 4*i", "i*4"),
    (C, "(i & 31) // 0..31", "i & 31"),
    (C, "i & 31 // 32 lanes", "i & 31"),
    // elements of arrays
    (C, "A[i*4 + j]", "i*4 + j"),
    (C, "A[i][j + 1]", "i; j + 1"),
    (C, "&A[i]", "i"),
    (C, "(float)A[i]", "i"),
    (C, "out[i*4 + j] = in[k];", "i*4 + j; k"),
    (C, "out[i] = v;", "i"),
    (C, "out[i] += in[j + 1];", "i; j + 1"),
    (C, "int j = i*2; a[j] = b[j + 1]; c[3]", "i*2; i*2 + 1; 3"),
    (Cuda, "__ldg(&a[i + 1])", "i + 1"),
    (Cuda, "__ldg(p + i)", "p + i"),
    (C, "p + i*4", "p + i*4"),
    // texts of CUDA
    (Cuda, "threadIdx.x & 31", "threadIdx.x & 31"),
    (Cuda, "threadIdx.x / 32 * 8 + threadIdx.x % 32", "threadIdx.x//32*8 + threadIdx.x%32"),
    (Cuda, "(int)threadIdx.x / 4 - 1", "threadIdx.x//4 - 1"),
    (Cuda, "threadIdx.y * blockDim.x + threadIdx.x", "threadIdx.y*blockDim.x + threadIdx.x"),
    (Cuda, "blockIdx.x * blockDim.x + threadIdx.x", "(blockIdx.x*blockDim.x + threadIdx.x)%4294967296"),
    (Cuda, "threadIdx.x / warpSize", "threadIdx.x//warpSize"),
    (Cuda, "threadIdx.x - 1", "(threadIdx.x - 1)%4294967296"),
    (C, "threadIdx.x - 1", "threadIdx.x - 1"),
    // texts of Halide
    (Halide, "x/8*8 + x%8", "x//8*8 + x%8"),
    (Halide, "x / -4", "-(x//4)"),
    (Halide, "x % -4", "x%4"),
    (Halide, "x / n", "where(n > 0, x//n, -(x//(-n)))"),
    (Halide, "x % n", "x%max(n, -n)"),
    (Halide, "Halide::min(x, y, 3)", "min(min(x, y), 3)"),
    (Halide, "select(x < 4, y, 0)", "where(x < 4, y, 0)"),
    (Halide, "select(x < 4, 1, x < 8, 2, 3)", "where(x < 4, 1, where(x < 8, 2, 3))"),
    (Halide, "likely(x < 4) && likely_if_innermost(y)", "x < 4 and y"),
    (Halide, "clamp(x, 0, 9)", "max(min(x, 9), 0)"),
    (Halide, "cast<uint8_t>(x) + 1", "(x + 1)%256"),
    (Halide, "cast<int>(x) - 1", "x - 1"),
    (Halide, "mod(x, 4)", "x%4"),
];

const ROWS: &str = "i//96*128 + i%96";

/// Texts that the reader refuses, each with the wrong part of the text and the error.
const REFUSED: &[(Dialect, &str, &str, &str)] = &[
    (C, "", "", "the expression is empty"),
    (C, "int n;", "int n;", "the text has no expression"),
    (C, "a +", "", "expected an operand behind `+`, found the end of the text"),
    (C, "a + / b", "/", "expected an operand behind `+`, found `/`"),
    (C, "(a +) * b", ")", "expected an operand behind `+`, found `)`"),
    (C, "a and", "", "expected an operand behind `and`, found the end of the text"),
    (C, "4 b", "b", "expected an operator between `4` and `b`"),
    (C, "(T)x", "x", "expected an operator between `)` and `x`"),
    (C, "a b", "a", "`a` is no type that is known"),
    (C, "index_t n = 3; n", "index_t", "`index_t` is no type that is known"),
    (C, "(a + b", "(", "`(` is never closed"),
    (C, "a + b)", ")", "`)` closes nothing"),
    (C, "(a + b]", "]", "`]` closes `(`"),
    (C, "()", ")", "expected an operand behind `(`, found `)`"),
    (C, "a ? b", "?", "`?` has no `:` behind it"),
    (C, "a : b", ":", "`:` has no `?` before it"),
    (C, "a ?: b", "a ?: b", "`?:` needs both values"),
    (C, "a /* b", "/*", "the comment is never closed"),
    (C, "1.5f * a", "1.5f", "`1.5f` is no integer"),
    (C, "1e3 + a", "1e3", "`1e3` is no integer"),
    (C, "4x", "4x", "`4x` is neither a number nor a name"),
    (C, "1 + 0xFFFFFFFFFFFFFFFF", "0xFFFFFFFFFFFFFFFF", "`0xFFFFFFFFFFFFFFFF` is outside of 64 bits with a sign"),
    (C, "a + 'b'", "'", "texts and characters are no integers"),
    (C, "a # b", "#", "lines of the preprocessor are not read"),
    (C, "a @ b", "@", "`@` is part of no operator, name or number"),
    (C, "a + é", "é", "`é` is part of no operator, name or number"),
    (C, "{ a }", "{", "a block has no meaning as an index expression"),
    (C, "a ** 2", "**", "`**` is no operator of C"),
    (C, "foo(a)", "foo", "`foo` is no function that is known"),
    (C, "1 + celi_div(a, 4)", "celi_div", "`celi_div` is no function that is known"),
    (C, "std::foo(a)", "std::foo", "`std::foo` is no function that is known"),
    (C, "foo<int>(a)", "foo", "`foo` is no function that is known"),
    (C, "min<int, long>(a, b)", "<int, long>", "one type is expected between `<` and `>`"),
    (C, "min<T>(a, b)", "T", "`T` is no type that is known"),
    (C, "select(a, b, c)", "select", "`select` is no function that is known"),
    (C, "fminf(a, b)", "fminf", "`fminf` is a function of numbers that are no integers"),
    (C, "min(a, b, c)", "min(a, b, c)", "`min` takes 2 arguments, found 3"),
    (C, "abs()", "abs()", "`abs` takes 1 argument, found 0"),
    (C, "gcd(a, b)", "gcd(a, b)", "the gcd of `a` and `b` is not known, and a result has no gcd"),
    (C, "int64_t(a, b)", "int64_t", "a conversion to `int64_t` takes 1 argument, found 2"),
    (C, "static_cast(a)", "static_cast(a)", "`static_cast` needs a type"),
    (C, "static_cast<float>(a)", "float", "values of `float` are no integers"),
    (C, "(float*)a + 1", "float*", "pointers are no integers"),
    (C, "(float)a * 2", "float", "values of `float` are no integers"),
    (C, "(a)(b)", "(a)(b)", "only a function can be called"),
    (C, "a::b + 1", "a::b", "the value of `a::b` is not known"),
    (C, "sizeof(a)", "sizeof", "only the size of a type is known"),
    (C, "1 + sizeof a", "sizeof", "only the size of a type is known"),
    (C, "sizeof(void)", "sizeof(void)", "`sizeof(void)` is not known"),
    (C, "i++ + 1", "i++", "a step has no meaning within an expression"),
    (C, "a = b = 3", "b = 3", "an assignment has no meaning within an expression"),
    (C, "a, b", "a, b", "`,` has no meaning here"),
    (C, "*p + 1", "*p", "what a pointer points to is not known"),
    (C, "1 + &p", "&p", "an address is no integer"),
    (C, "p->n + 1", "->", "a member of a value has no meaning here"),
    (C, "A[i].n", ".", "a member of a value has no meaning here"),
    (C, "A[i] + 1", "A[i]", "what an array holds is not known"),
    (C, "A[B[i]]", "B[i]", "what an array holds is not known"),
    (C, "-A[i]", "-A", "what has an index here is no name"),
    (C, "out[i] = a[j] + 1", "a[j] + 1", "what is stored is neither an element nor a name"),
    (C, "float v = 3; v", "float", "values of `float` are no integers"),
    (C, "int *p; p", "*p", "only names of integers are declared here"),
    (C, "int a[4]; a", "a[4]", "only names of integers are declared here"),
    (C, "int a{3}; a", "{", "a block has no meaning as an index expression"),
    (C, "auto a; a", "a", "`auto` needs a value"),
    (C, "int return = 3", "return", "`return` is a word of C"),
    (C, "return a; b", "b", "nothing is computed behind `return`"),
    (C, "a if c else b", "if", "`if` has no meaning in an index expression"),
    (C, "for (;;) a", "for", "`for` has no meaning in an index expression"),
    (C, "x // 4", "// 4", "`//` begins a comment in C"),
    (C, "x // n + 1", "// n + 1", "`//` begins a comment in C"),
    (C, "rows + x // rows", "// rows", "`//` begins a comment in C"),
    (Cuda, "__ldg(&a[i]) + 1", "__ldg(&a[i])", "what an array holds is not known"),
    (Cuda, "threadidx.x[", "[", "`[` is never closed"),
    (Cuda, "4 + threadIdx", "threadIdx", "`threadIdx` is no variable of CUDA"),
    (Cuda, "threadidx.x + 4", "threadidx.x", "`threadidx.x` is no variable of CUDA"),
    (C, "08", "08", "`08` is neither a number nor a name"),
    (Halide, "f(x, y)", "f", "`f` is no function that is known"),
    (
        Halide,
        "select(x, y)",
        "select(x, y)",
        "`select` takes 3, or one value more for each condition more arguments, found 2",
    ),
];

#[test]
fn texts_are_read_with_the_meaning_of_c() {
    for (dialect, text, expected) in READ {
        let read = read(text, *dialect).unwrap_or_else(|e| panic!("{text}: {e}"));
        let expected: Vec<_> = expected.split(';').map(|e| parse(e).unwrap().into_expr()).collect();
        let found: Vec<_> = read.results.iter().map(|p| p.expr().clone()).collect();
        assert_eq!(found, expected, "{text}: {}", found.iter().map(|e| e.to_string()).collect::<Vec<_>>().join("; "));
    }
}

#[test]
fn what_has_no_meaning_is_refused_at_its_place() {
    for (dialect, text, part, message) in REFUSED {
        let error = read(text, *dialect).err().unwrap_or_else(|| panic!("{text} is read"));
        assert_eq!(error.to_string(), *message, "{text}");
        assert_eq!(&text[error.span()], *part, "{text}: {message}");
    }
}

#[test]
fn an_error_says_what_to_write() {
    for (dialect, text, help) in [
        (C, "celi_div(a, 4)", "`ceil_div` is the nearest function"),
        (C, "select(a, b, c)", "`--from halide` knows this function"),
        (C, "A[i] + 1", "declare the value as a variable, such as `v`"),
        (C, "(T)x", "`T` is no type that is known; use one such as `int64_t`"),
        (C, "i++", "write `i + 1` for the value behind the step, and `i` for the one before it"),
        (C, "x // 4", "the language `python` reads it as a floor division; a comment may be on a line of its own"),
        (Halide, "mim(x, 3)", "`min` is the nearest function"),
    ] {
        assert_eq!(read(text, dialect).unwrap_err().help_text(), Some(help), "{text}");
    }
}

#[test]
fn what_the_language_guarantees_is_in_the_domain() {
    for (dialect, text, domain) in [
        (Cuda, "threadIdx.x + threadIdx.x", "threadIdx.x=0..1023"),
        (Cuda, "blockIdx.y * gridDim.x + warpSize", "blockIdx.y=0..65534, gridDim.x=1..2147483647, warpSize=32"),
        (C, "threadIdx.x + n", ""),
        (C, "uint8_t n; size_t m; long k; n + m + k", "n=0..255, m=0.."),
        (C, "unsigned n; int i; i*4", "i=-2147483648..2147483647"),
        (C, "unsigned n = 4; n", ""),
    ] {
        assert_eq!(read(text, dialect).unwrap().domain.to_string(), domain, "{text}");
    }
}

#[test]
fn a_number_of_64_bits_without_a_sign_is_required_not_to_be_negative() {
    for (text, required) in [
        ("(size_t)i * n + j", &["i*n + j"][..]),
        ("size_t n; n*4", &[]),
        ("size_t n; (n - 1) / 4 + (n - 1) % 4", &["n - 1"]),
        ("size_t n; size_t unused = n - 1; n", &[]),
        ("size_t n; (int)(n - 1)", &[]),
        ("i * sizeof(float) < 8", &["i*4"]),
        ("(uint64_t)i & 7", &[]),
    ] {
        let read = read(text, C).unwrap();
        let found: Vec<_> = read.requirements.iter().map(|r| r.value.to_string()).collect();
        assert_eq!(found, required, "{text}");
        assert!(read.requirements.iter().all(|r| r.range.to_string() == "0.."), "{text}");
    }
}

#[test]
fn results_have_places() {
    let text = "int row = i / 96; out[row * 4] = in[(row + 1) * 4];";
    let read = read(text, C).unwrap();
    let places: Vec<_> = read.results.iter().map(|r| &text[r.span_of(r.expr()).unwrap()]).collect();
    assert_eq!(places, ["row * 4", "(row + 1) * 4"]);
}

#[test]
fn a_shift_back_needs_a_value_that_fits() {
    for (text, value, range) in [
        ("(a << 24) >> 24", "a << 24", "-2147483648..2147483647"),
        ("a << n >> 4 << 2", "a << n", "-2147483648..2147483647"),
        ("(int)(a << 8) >> 8", "a << 8", "-2147483648..2147483647"),
        ("int64_t b; (b << 32) >> 32", "b << 32", "-4611686018427387904..4611686018427387903"),
    ] {
        let read = read(text, C).unwrap();
        let found: Vec<_> = read.requirements.iter().map(|r| (r.value.to_string(), r.range.to_string())).collect();
        assert_eq!(found, [(value.to_string(), range.to_string())], "{text}");
    }
    for text in ["a << 24 << 2", "(a << 24) / 4", "uint32_t b; (b << 24) >> 24", "a >> 2 << 2", "(1 << 4) >> 2"] {
        let read = read(text, C).unwrap();
        let fits = |r: &quaff_dialects::Requirement| r.value.as_const().is_some() || r.value.to_string() == "1 << 4";
        assert!(read.requirements.iter().all(fits), "{text}: {:?}", read.requirements);
    }
}
