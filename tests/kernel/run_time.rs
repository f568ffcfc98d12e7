//! Kernels with sizes that are known only at run time. Each kernel is compiled once, and run for several sizes: for the
//! least size, for sizes that fill all tiles, and for sizes that end inside of a tile. The results are compared with
//! direct loop nests.

use crate::compiled::{accesses, golden, run};
use quaff::expr::var;
use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, KernelText, Transfer};
use quaff_fronts::view::ViewStack;

/// Runs the simplified and the raw text. In `main`, `DIVISORS` is replaced by the prepared divisors of the simplified
/// text.
fn check(name: &str, kernel: &Kernel, main: &str) -> Result<KernelText, KernelError> {
    let text = kernel.emit()?;
    let divisors: String = text.contract.divisors.iter().map(|d| format!(", {}", d.setup())).collect();
    run(&format!("run_time_{name}"), &format!("{}{}", text.source, text.host), &main.replace("DIVISORS", &divisors));
    run(&format!("run_time_{name}_raw"), &kernel.emit_raw()?, &main.replace("DIVISORS", ""));
    assert!(text.executed <= text.input_executed);
    golden(&format!("run_time_{name}"), &text.source);
    Ok(text)
}

/// A copy of `N` elements by vectors of four elements, in blocks of 32 threads.
fn copy(step: i64) -> Result<Kernel, KernelError> {
    let mut dims = Dims::new();
    let n = dims.run_time("N", 1..=1 << 20, step)?;
    let (block, thread, lane) = (dims.dim("block", None)?, dims.dim("thread", 32)?, dims.dim("lane", 4)?);
    dims.covered(n, (block, thread, lane))?;
    let mut kernel = Kernel::new("copy", dims.init()?);
    let from = kernel.input("from", Element::F32)?.aligned(16);
    let to = kernel.output("to", Element::F32)?.aligned(16);
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x")?;
        b.transfer(&Transfer::new((&to, n), (&from, n), lane))
    })?;
    Ok(kernel)
}

fn copied(sizes: &str) -> String {
    "int main() {
       for (int n : {SIZES}) {
         Array from(n), to(n);
         from.count();
         launch(dim3((n + 127) / 128), dim3(32), [&] { copy(from, to, n); });
         for (int i = 0; i < n; ++i) expect(to[i], from[i]);
       }
       return right();
     }"
    .replace("SIZES", sizes)
}

#[test]
fn copies_end_anywhere() -> Result<(), KernelError> {
    let text = check("copy", &copy(1)?, &copied("1, 3, 4, 127, 128, 129, 250, 256, 1021"))?;
    assert_eq!(accesses(&text), ["to <- from: float4"]);
    // one condition for a vector that is completely inside, and one for single elements at the end
    assert_eq!(text.source.matches("if (").count(), 2, "{}", text.source);
    Ok(())
}

#[test]
fn copies_of_a_multiple_of_the_vector_have_one_path() -> Result<(), KernelError> {
    let text = check("copy4", &copy(4)?, &copied("4, 8, 124, 128, 132, 256, 1020"))?;
    assert_eq!(accesses(&text), ["to <- from: float4"]);
    assert_eq!(text.source.matches("if (").count(), 1, "{}", text.source);
    Ok(())
}

#[test]
fn copies_of_a_multiple_of_the_block_have_no_guard() -> Result<(), KernelError> {
    let text = check("copy128", &copy(128)?, &copied("128, 256, 1024"))?;
    assert!(!text.source.contains("if ("), "{}", text.source);
    assert!(text.source.starts_with("// blockIdx.x < N / 128, threadIdx.x < 32\n"), "{}", text.source);
    Ok(())
}

/// `C[m, n] = sum of A[m, k] * B[k, n]` with tiles of 8 by 8 in shared memory. No size is a multiple of a tile.
#[test]
fn matrices_of_any_size() -> Result<(), KernelError> {
    let mut dims = Dims::new();
    let m = dims.run_time("M", 1..=4096, 1)?;
    let n = dims.run_time("N", 1..=4096, 1)?;
    let k = dims.run_time("K", 1..=4096, 1)?;
    let [bm, bn, steps] = [dims.dim("bm", None)?, dims.dim("bn", None)?, dims.dim("steps", None)?];
    let (thread, row, column, inner) =
        (dims.dim("thread", 64)?, dims.dim("row", 8)?, dims.dim("column", 8)?, dims.dim("inner", 8)?);
    let (a, b_, c) = (dims.dim_eq("a", (m, k))?, dims.dim_eq("b", (k, n))?, dims.dim_eq("c", (m, n))?);
    dims.eq(thread, (row, column))?;
    let slot = dims.dim_eq("slot", (row, column))?;
    dims.covered(m, (bm, row))?;
    dims.covered(n, (bn, column))?;
    let [left, right] = [dims.new_scope("left")?, dims.new_scope("right")?];
    dims.scope(left)?.covered(k, (steps, column))?;
    dims.scope(right)?.covered(k, (steps, row))?;
    let across = dims.dim_eq("across", (row, inner))?;
    let down = dims.dim_eq("down", (inner, column))?;
    let mut kernel = Kernel::new("matmul", dims.init()?);
    let from_a = kernel.input("A", Element::F32)?;
    let from_b = kernel.input("B", Element::F32)?;
    kernel.output("C", Element::F32)?;
    kernel.body(|b| {
        b.bind(bm, "by", "blockIdx.y")?;
        b.bind(bn, "bx", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x")?;
        let tile_a = b.shared("As", Element::F32, 64)?;
        let tile_b = b.shared("Bs", Element::F32, 64)?;
        b.code("float sum = 0;")?;
        b.loop_over(steps, "s", Unroll::Auto, |b| {
            b.scope(left, |b| b.transfer(&Transfer::one((&tile_a, slot), (&from_a, a)).or_zero()))?;
            b.scope(right, |b| b.transfer(&Transfer::one((&tile_b, slot), (&from_b, b_)).or_zero()))?;
            b.sync();
            b.loop_over(inner, "i", Unroll::Full, |b| {
                b.index("left", across)?;
                b.index("right", down)?;
                b.code("sum += As[$left] * Bs[$right];")
            })?;
            b.sync();
            Ok(())
        })?;
        b.inside(&[c], |b| {
            b.index("at", c)?;
            b.code("C[$at] = sum;")
        })
    })?;
    let text = check(
        "matmul",
        &kernel,
        "int main() {
           const int shapes[][3] = {{1, 1, 1}, {8, 8, 8}, {16, 8, 24}, {9, 7, 17}, {15, 17, 8}, {3, 20, 33}};
           for (auto [M, N, K] : shapes) {
             Array A(M * K), B(K * N), C(M * N);
             A.fill(5); B.fill(7);
             launch(dim3((N + 7) / 8, (M + 7) / 8), dim3(64), [&] { matmul(A, B, C, M, N, K DIVISORS); });
             for (int m = 0; m < M; ++m) for (int n = 0; n < N; ++n) {
               float sum = 0;
               for (int k = 0; k < K; ++k) sum += A[m * K + k] * B[k * N + n];
               expect(C[m * N + n], sum);
             }
           }
           return right();
         }",
    )?;
    assert!(text.source.contains("for (int s = 0; s < ((K + 7) >> 3); ++s) {"), "{}", text.source);
    Ok(())
}

/// A flat index is split by a size that is known at run time. A loop that may have only one iteration stays a loop.
#[test]
fn sums_of_rows_with_a_prepared_divisor() -> Result<(), KernelError> {
    let mut dims = Dims::new();
    let (rows, columns) = (dims.run_time("rows", 1..=1000, 1)?, dims.run_time("columns", 1..=1000, 1)?);
    let depth = dims.run_time("depth", 2..=64, 2)?;
    let half = dims.dim("half", None)?;
    dims.eq(depth, (half, 2))?;
    let (block, thread, pair) = (dims.dim("block", None)?, dims.dim("thread", 32)?, dims.dim("pair", 2)?);
    let out = dims.dim_eq("out", (rows, columns))?;
    dims.covered(out, (block, thread))?;
    let input = dims.dim_eq("input", (columns, half, rows, pair))?;
    let mut kernel = Kernel::new("sums", dims.init()?);
    kernel.input("in", Element::F32)?;
    kernel.output("out", Element::F32)?;
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x")?;
        b.inside(&[out], |b| {
            b.code("float sum = 0;")?;
            b.loop_over(half, "h", Unroll::By(2), |b| {
                b.loop_over(pair, "p", Unroll::Full, |b| {
                    b.index("from", input)?;
                    b.code("sum += in[$from] * $|depth|;")
                })
            })?;
            b.index("at", out)?;
            b.code("out[$at] = sum;")
        })
    })?;
    let text = check(
        "sums",
        &kernel,
        "int main() {
           const int shapes[][3] = {{1, 1, 2}, {4, 8, 2}, {5, 7, 6}, {33, 3, 4}, {1, 40, 8}};
           for (auto [rows, columns, depth] : shapes) {
             Array in(rows * columns * depth), out(rows * columns);
             in.fill(5);
             launch(dim3((rows * columns + 31) / 32), dim3(32), [&] { sums(in, out, rows, columns, depth DIVISORS); });
             for (int r = 0; r < rows; ++r) for (int c = 0; c < columns; ++c) {
               float sum = 0;
               for (int h = 0; h < depth / 2; ++h) for (int p = 0; p < 2; ++p)
                 sum += in[((c * (depth / 2) + h) * rows + r) * 2 + p] * depth;
               expect(out[r * columns + c], sum);
             }
           }
           return right();
         }",
    )?;
    assert_eq!(text.contract.divisors.len(), 1, "{}", text.source);
    assert!(text.source.contains("h < (depth >> 1)"), "{}", text.source);
    Ok(())
}

/// A view with a run-time size is read through two dimensions, one of which is covered.
#[test]
fn views_are_read_inside_only() -> Result<(), Box<dyn std::error::Error>> {
    let domain = "n=1..100000".parse()?;
    let view = ViewStack::row_major_in(domain, [var("n"), 3.into()])?.flip(&[0])?;
    let mut dims = Dims::new();
    let n = dims.run_time("n", 1..=100000, 1)?;
    let (block, thread, three) = (dims.dim("block", None)?, dims.dim("thread", 32)?, dims.dim("three", 3)?);
    dims.covered(n, (block, thread))?;
    let mut kernel = Kernel::new("flip", dims.init()?);
    let from = kernel.input("from", Element::F32)?;
    kernel.output("to", Element::F32)?;
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x")?;
        b.loop_over(three, "j", Unroll::Full, |b| {
            b.load("value", &from, &view, &[n, three])?;
            b.index("row", n)?;
            b.code("to[$row * 3 + $j] = $value;")
        })
    })?;
    check(
        "flip",
        &kernel,
        "int main() {
           for (int n : {1, 31, 32, 33, 100}) {
             const int rows = (n + 31) / 32 * 32;
             Array from(n * 3), to(rows * 3);
             from.count();
             launch(dim3(rows / 32), dim3(32), [&] { flip(from, to, n DIVISORS); });
             for (int i = 0; i < rows; ++i) for (int j = 0; j < 3; ++j)
               expect(to[i * 3 + j], i < n ? from[(n - 1 - i) * 3 + j] : 0);
           }
           return right();
         }",
    )?;
    Ok(())
}
