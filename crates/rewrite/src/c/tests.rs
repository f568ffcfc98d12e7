//! Tests with texts for which an incorrect rewrite is likely.

use crate::{Language, Options, rewrite};
use quaff::Simplifier;

/// The new text of the body of a kernel with the parameters `x`, `n`, `w` and `u`. The text `before` is inserted before
/// the kernel.
fn body_of(before: &str, body: &str) -> String {
    let head = format!("{before}__global__ void f(int* x, int n, int w, unsigned u) {{\n");
    let source = format!("{head}{body}}}\n");
    let answer = rewrite(&source, Language::Cuda, &Options::default(), &Simplifier::default()).unwrap();
    let text = answer.text.strip_prefix(&head).expect("nothing before the body changes");
    text.strip_suffix("}\n").expect("the end").to_owned()
}

/// Asserts that a kernel with the body `body` is rewritten to the body `wanted`.
#[track_caller]
fn becomes(before: &str, body: &str, wanted: &str) {
    assert_eq!(body_of(before, body), wanted);
}

const GAIN: &str = "  x[n / 4 * 4 + n % 4] = 1;\n";
const GAINED: &str = "  x[n] = 1;\n";

/// The definition of a name remains if something other than an integer expression uses the name.
#[test]
fn what_uses_a_definition_keeps_it() {
    let kept = [
        ("#define ROW (i / 4)\n", "  int i = n / 2;\n", "  x[0] = ROW;\n"),
        ("#define ROW ROW_OF(2)\n#define ROW_OF(a) (i / a)\n", "  int i = n / 2;\n", "  x[0] = ROW;\n"),
        ("", "  constexpr int i = 64 / 4;\n", "  __shared__ float s[i * 2];\n"),
        (
            "template <int N> __device__ int g(int a) { return a; }\n",
            "  constexpr int i = 64 / 4;\n",
            "  x[0] = g<i>(n);\n",
        ),
        ("", "  constexpr int i = 64 / 4;\n", "  #pragma unroll i\n  for (int k = 0; k < 4; ++k) x[k] = 1;\n"),
        ("", "  int i = n / 2;\n", "  auto g = [=]() { return i; };\n"),
        ("", "  int i = n / 2;\n", "  x[0] = sizeof(i);\n"),
        ("", "  int i = n / 2;\n", "  for (int v : {1, 2}) x[v] = i;\n"),
    ];
    for (before, definition, used) in kept {
        becomes(before, &format!("{definition}{used}{GAIN}"), &format!("{definition}{used}{GAINED}"));
    }
}

/// A shift to the left drops the bits above the type, so a shift back must not be cancelled. It extends a sign or
/// extracts a field.
#[test]
fn fields_of_bits_stay() {
    for kept in [
        "  x[(n << 24) >> 24] = 1;\n",
        "  x[((n << 4)) >> 28] = 1;\n",
        "  int y = n << 24;\n  x[y >> 24] = 1;\n",
        "  x[(n << w) >> w] = 1;\n",
        "  long long z = n;\n  x[(z << 32) >> 32] = 1;\n",
    ] {
        becomes("", kept, kept);
    }
    becomes("", "  x[n << 2 << 1] = (n << 2) / 4;\n", "  x[n << 2 << 1] = n;\n");
    // the shift of a small value drops no bits
    becomes("", "  x[(n & 31) << 2 >> 2] = 1;\n", "  x[n & 31] = 1;\n");
    becomes("", "  int y = (n & 31) << 2;\n  x[y >> 2] = 1;\n", "  x[n & 31] = 1;\n");
}

/// Division by 0 is undefined in C, so where a program divides by `w`, `w` is not 0 and may be cancelled, whatever its
/// sign.
#[test]
fn divisors_of_unknown_sign_cancel() {
    becomes("", "  x[n / w * w + n % w] = 1;\n", GAINED);
    becomes("", "  if (n > 3) {\n  x[n / w * w + n % w] = 1;\n}\n", &format!("  if (n > 3) {{\n{GAINED}}}\n"));
    let kept = "  x[n / w] = 1;\n";
    becomes("", kept, kept);
}

/// A variable of an inner scope hides the variable with the same name in an outer scope.
#[test]
fn inner_names_hide_outer_ones() {
    let own = [
        "  for (int n : {5, 6}) x[n * 4 / 4 + n % 4] = 1;\n",
        "  {\n    auto [n, m] = g();\n    x[n * 4 / 4 + n % 4] = 1;\n  }\n",
        "  struct S { int n; __device__ int h() { return n * 4 / 4 + n % 4; } };\n",
        "  x[({ int n = 7; n * 4 / 4; })] = 1;\n",
        "  if (int n = g()) x[n * 4 / 4] = 1;\n",
        "  while (int n = g()) x[n * 4 / 4] = 1;\n",
    ];
    for body in own {
        let whole = format!("  if (n == 3) {{\n{body}  }}\n{GAIN}");
        becomes("", &whole, &whole.replace(GAIN, GAINED));
    }
    let cases = "  switch (w) {\n    case 0:\n      int n = w / 4;\n      x[n * 4 + w % 4] = 1;\n  }\n";
    becomes("", cases, &cases.replace("n * 4 + w % 4", "w"));
}

/// A variable that is changed through another name is not constant.
#[test]
fn other_names_change_variables() {
    let changes = [
        ("", "  int& r = w > 0 ? i : j;\n  r = 5;\n"),
        ("", "  int* p = &(w > 0 ? i : j);\n  *p = 5;\n"),
        ("", "  asm volatile(\"mov.u32 %0, 3;\" : \"=r\"(i));\n"),
        ("#define STEP i += 2\n", "  STEP;\n"),
        ("__device__ void g(int& i) { i = 3; }\n", "  g(i);\n"),
        ("__device__ void g(int& a_const) { a_const = 3; }\n", "  g(i);\n"),
    ];
    for (before, change) in changes {
        let body = format!("  int i = n / 4, j = n / 4;\n  x[j] = 1;\n{change}  x[i * 4 + n % 4] = 1;\n");
        becomes(before, &body, &body);
    }
}

/// A variable with a known value is not replaced by its number where it is bound to a reference or decremented.
#[test]
fn variables_stay_where_they_are_needed() {
    let body = "  // quaff: w in 4..4\n  int& r = w;\n  g(w);\n  --w;\n";
    becomes("", &format!("{body}{GAIN}"), &format!("{body}{GAINED}"));
}

#[test]
fn names_for_numbers_have_types() {
    for (before, own) in [("", "  const unsigned K = 4;\n"), ("#define K 4u\n", "")] {
        // with a signed `K` it would be `(n - 8) % 64`, which is negative for some `n`
        let body = format!("{own}  int i = n - 8;\n  x[i % K + i / K % 16 * 4] = 1;\n");
        assert!(body_of(before, &body).contains("x[i & 63]"), "{}", body_of(before, &body));
    }
    let body = "  const unsigned char K = 260;\n  x[n * K / K] = 1;\n";
    becomes("", body, body);
    let body = "  x[n / K * 3 + n % 3] = 1;\n";
    becomes("namespace a { const int K = 3; }\nnamespace b { const int K = 4; }\n", body, body);
    let body = "  x[n / 4 * 4 + k % 4] = 1;\n";
    becomes("int constant_k;\n", &body.replace('k', "constant_k"), &body.replace('k', "constant_k"));
}

#[test]
fn narrow_types_wrap() {
    let body = "  short s = n * 3;\n  x[s - n * 3] = 1;\n";
    becomes("", body, body);
    let body = "  volatile int v = n;\n  x[v / 4 * 4 + v % 4] = 1;\n";
    becomes("", body, body);
}

#[test]
fn comments_stay() {
    let body = "  x[w / 4 * 4 /* row */ + w % 4] = 1;\n  int i = n / 4 /* of the row */;\n";
    becomes("", &format!("{body}  x[n / 8 * 8 + n % 8] = i;\n"), &format!("{body}  x[n] = i;\n"));
}

/// `(w) + 4` is not a conversion of `+4`.
#[test]
fn sums_are_no_conversions() {
    let body = "  x[-(w) + 4 * 32 / 32] = 1;\n";
    becomes("", body, body);
}

#[test]
fn functions_with_jumps_stay() {
    let body = format!("  if (n == 3) goto end;\n{GAIN}end:\n  x[0] = 1;\n");
    becomes("", &body, &body);
}

/// The result of unsigned arithmetic can exceed the range of a signed 32-bit number, so its arithmetic stays unsigned.
#[test]
fn values_that_may_overflow_stay_without_a_sign() {
    let body = "  w += 1;\n  x[(u / 5 * (n + w)) % 8] = 1;\n";
    assert!(!body_of("", body).contains("(int)"), "{}", body_of("", body));
    becomes("", "  x[(5u + n) & 63] = 1;\n", "  x[(5u + n) & 63] = 1;\n");
    // the product is computed only after the guard
    let body = "  if (n > 3) x[n * w / 8 * 8 + n * w % 8] = 1;\n  else x[n * w / 8 * 8 + n * w % 8] = 2;\n";
    assert!(!body_of("", body).contains("= n * w;\n  if"), "{}", body_of("", body));
}

/// In a declaration of two variables, the first variable is removed, and the index in the second initial value changes.
#[test]
fn declarators_are_edited_one_by_one() {
    let body = "  int d = n / 4, v = x[n / 4 * 4 + n % 4] * 8 / 8;\n  x[d * 4 + n % 4] = v;\n";
    becomes("", body, "  int v = x[n];\n  x[n] = v;\n");
}

/// The argument of an assertion is not rewritten. A constant is not replaced by its number if its definition must
/// remain.
#[test]
fn what_gains_nothing_stays() {
    let body = "  assert(n % 4 == 0);\n  const int k = 16 / 4;\n  __shared__ int s[k];\n  x[n] = k;\n";
    becomes("", body, body);
}

/// The rewriter assumes that signed arithmetic in the file does not overflow. Rewritten forms rely on this, too.
#[test]
fn quotients_of_parameters_cancel_within_sums() {
    becomes("", "  x[n * 16 / 16 * 3 + w] = 1;\n", "  x[w + n * 3] = 1;\n");
    becomes("", "  x[n * 12 / 4] = 1;\n", "  x[n * 3] = 1;\n");
    becomes("", "  x[(n * 8 + w * 8) / 8] = 1;\n", "  x[n + w] = 1;\n");
    // no fact shows that the sum fits
    let kept = "  x[(n * 8ll + w * 8ll) / 8] = 1;\n";
    assert!(!body_of("", kept).contains("[n + w]"));
}

/// A linear index is split into row and column under a guard. The new text uses the names of row and column.
#[test]
fn a_flat_index_that_is_taken_apart_has_its_names() {
    let head =
        "  int col = blockIdx.x * 32 + threadIdx.x;\n  int row = blockIdx.y * 8 + threadIdx.y;\n  if (col < w) {\n";
    let body = "    int k = row * w + col;\n    x[k % w * n + k / w] = 1;\n  }\n";
    becomes("", &format!("{head}{body}"), &format!("{head}    x[row + n * col] = 1;\n  }}\n"));
    // without the guard, the column may be in the next row
    let open = head.replace("col < w", "col < n");
    becomes("", &format!("{open}{body}"), &format!("{open}{body}"));
}

/// The new text also uses a name whose value contains a division, if the text is then cheaper.
#[test]
fn names_of_quotients_stay() {
    let head = "  int j = blockIdx.x * 32 + threadIdx.x % 32;\n  int k = blockIdx.y * 32 + threadIdx.x / 32;\n";
    let old = format!("{head}  if (j < n && k < w) x[(k * n + j) / n * n + (k * n + j) % n] = 1;\n");
    becomes("", &old, &format!("{head}  if (j < n && k < w) x[j + n * k] = 1;\n"));
    // a quotient and its remainder are combined even if the kernel also uses each of them alone
    let parts = "  int lane = threadIdx.x % 32, part = threadIdx.x / 32;\n  x[n * part] = lane;\n";
    let old = format!("{parts}  x[threadIdx.x / 32 * 32 + threadIdx.x % 32] = 1;\n");
    becomes("", &old, &format!("{parts}  x[threadIdx.x] = 1;\n"));
}

/// The new text of a condition has no parentheses around arithmetic. A value is not rewritten if only its type changes.
#[test]
fn texts_have_no_needless_parts() {
    let head = "  // quaff: n in 32..4096, n % 32 == 0\n  for (int k = 0; ";
    let tail = "; k++) x[k] = 1;\n";
    becomes("", &format!("{head}k < (n + 31) / 32{tail}"), &format!("{head}k < n / 32{tail}"));
    let rest = "  unsigned b = blockIdx.x % (n / 32 * 32);\n  x[b] = 1;\n";
    becomes("", &format!("  // quaff: n in 32..4096\n{rest}"), &format!("  // quaff: n in 32..4096\n{rest}"));
}

/// The kernel splits the block index into a quotient and a remainder, and combines both. The new text has the block
/// index.
#[test]
fn numbers_of_blocks_are_put_together() {
    let head = "  // quaff: w in 1..128\n";
    let parts = "  int s = blockIdx.x / w, h = blockIdx.x % w;\n";
    for (old, new) in [("(s * w + h) * 64", "blockIdx.x * 64"), ("s * w + h + threadIdx.x", "threadIdx.x + blockIdx.x")]
    {
        becomes("", &format!("{head}{parts}  x[{old}] = 1;\n"), &format!("{head}  x[{new}] = 1;\n"));
    }
}

/// A value that is proved to be a number is written as this number, although the price of both texts is 0.
#[test]
fn values_that_are_numbers_become_numbers() {
    let head = "  // quaff: n in 1..100\n";
    becomes("", &format!("{head}  x[(n + 7) / 8 * 8 % 8] = 1;\n"), &format!("{head}  x[0] = 1;\n"));
}

/// A division under a guard implies nothing about the guard itself. The other values of the kernel are rewritten.
#[test]
fn a_guard_of_a_divisor_stays() {
    let head = "  // quaff: w in 0..64, n in 0..1000\n";
    becomes(
        "",
        &format!("{head}  x[1] = w == 0 ? 1 : 2;\n  if (w > 0) x[n / w * w + n % w] = 1;\n"),
        &format!("{head}  x[1] = w == 0 ? 1 : 2;\n  if (w > 0) x[n] = 1;\n"),
    );
}

/// The report names a function with a syntax error, and the other functions are rewritten.
#[test]
fn syntax_errors_are_reported() {
    let good = "__global__ void f(int *p) { p[threadIdx.x * 8 / 8] = 1; }\n";
    for (broken, name, reason) in [
        ("__global__ void g(int *p, int n) { p[threadIdx.x * 4 / 4] = n }\n", "g", "is missing"),
        ("__global__ void __launch_bounds__(64) g(int *p) { p[threadIdx.x * 4 / 4] = ; }\n", "g", "has no place"),
        ("__global__ void g(int *p) { p[(threadIdx.x * 4 / 4] = 1; }\n", "g", ""),
    ] {
        let source = format!("{broken}{good}");
        let answer = rewrite(&source, Language::Cuda, &Options::default(), &Simplifier::default()).unwrap();
        let [one, other] = &answer.kernels[..] else { panic!("{:?}", answer.kernels) };
        assert_eq!((&*one.name, &*other.name), (name, "f"));
        assert!(one.left[0].reason.contains(reason), "{:?}", one.left);
        assert!(answer.text.starts_with(broken) && answer.text.contains("p[threadIdx.x] = 1"), "{}", answer.text);
    }
    let open = good.trim_end().trim_end_matches('}');
    let answer = rewrite(open, Language::Cuda, &Options::default(), &Simplifier::default()).unwrap();
    let left = &answer.kernels[0].left[0];
    assert_eq!((&*left.reason, &*left.text), ("a `}` is missing after this", open.trim_end()));
}
