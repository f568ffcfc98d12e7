//! The seven kernels of `examples/kernels` run on this machine. The tests run every thread of small launches, with
//! barriers, and with checks of addresses and alignment. They compare the results with direct loop nests.
//! `tests/golden/kernels` has the texts for large sizes, and `BLESS=1 cargo test --test kernel compiled` rewrites it.

#[path = "../../examples/kernels/attention.rs"]
mod attention;
#[path = "../../examples/kernels/conv.rs"]
mod conv;
#[path = "../../examples/kernels/copy.rs"]
mod copy;
#[path = "../../examples/kernels/matmul.rs"]
mod matmul;
#[path = "../../examples/kernels/pool.rs"]
mod pool;
#[path = "../../examples/kernels/transpose.rs"]
mod transpose;

use crate::cpp;
use quaff_fronts::Error;
use quaff_fronts::kernel::{Kernel, KernelError, KernelText};
use std::path::{Path, PathBuf};

/// C++ code that replaces the device. Blocks run one after the other, and their threads take turns.
const SHIM: &str = include_str!("../support/device.hpp");

/// Compiles `text` with a `main` that returns 0 if the kernel is right, and runs it.
pub(crate) fn run(name: &str, text: &str, main: &str) {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("kernel_{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    let source = folder.join("kernel.cpp");
    std::fs::write(&source, format!("{SHIM}\n{text}\n{main}")).unwrap();
    match cpp::run(&source, &folder.join("kernel"), &[]) {
        None => println!("skipped: no C++ compiler"),
        Some(Ok(out)) => assert!(out.contains("right"), "{}: {out}", source.display()),
        Some(Err(e)) => panic!("{}: {e}", source.display()),
    }
}

/// Checks the simplified and the raw text. If each operation counts once, the simplified text costs no more than the
/// raw text.
fn check(name: &str, kernel: &Kernel, main: &str) -> Result<KernelText, KernelError> {
    let text = check_executed(name, kernel, main)?;
    assert!(text.cost <= text.input_cost);
    Ok(text)
}

/// Checks the simplified and the raw text, and that a thread executes no more than as built. The shared parts of
/// unrolled copies may be more operations, but fewer of them are executed.
fn check_executed(name: &str, kernel: &Kernel, main: &str) -> Result<KernelText, KernelError> {
    let text = kernel.emit()?;
    run(name, &format!("{}{}", text.host, text.source), main);
    run(&format!("{name}_raw"), &kernel.emit_raw()?, main);
    assert!(text.executed <= text.input_executed);
    Ok(text)
}

pub(crate) fn golden(name: &str, text: &str) {
    golden_file(&format!("{name}.cu"), text);
}

fn golden_file(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/kernels").join(name);
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, stored, "{name}: run with BLESS=1 to accept the new text");
}

pub(crate) fn accesses(text: &KernelText) -> Vec<String> {
    text.accesses.iter().map(ToString::to_string).collect()
}

#[test]
fn matmul() -> Result<(), KernelError> {
    let text = check(
        "matmul",
        &matmul::kernel(128, 128, 32)?,
        "int main() {
           for (int rows : {128, 101, 64, 1}) {
             Array A(rows * 32), B(32 * 128), C(rows * 128);
             A.fill(5); B.fill(7);
             launch(dim3(2, 2), dim3(256), [&] { matmul(A, B, C, rows); });
             for (int m = 0; m < rows; ++m) for (int n = 0; n < 128; ++n) {
               float sum = 0;
               for (int k = 0; k < 32; ++k) sum += A[m * 32 + k] * B[k * 128 + n];
               expect(C[m * 128 + n], sum);
             }
           }
           return right();
         }",
    )?;
    assert_eq!(accesses(&text)[..2], ["As <- A: float4", "Bs <- B: float4"]);
    assert_eq!(
        accesses(&text)[2..],
        [
            "left <- As: 4 single elements, as lanes of `As` are not proved to be neighbours",
            "right <- Bs: float4",
            "C <- sums: float4"
        ]
    );
    golden("matmul", &matmul::kernel(4096, 4096, 4096)?.emit()?.source);
    Ok(())
}

/// The instructions that a thread executes for the indices of the kernels at their large sizes.
#[test]
fn executed() -> Result<(), Error> {
    let kernels = [
        ("matmul", matmul::kernel(4096, 4096, 4096)?),
        ("transpose", transpose::padded(4096, 2048)?),
        ("swizzled", transpose::swizzled(4096, 2048)?),
        ("copy", copy::kernel(4096)?),
        ("conv", conv::kernel(conv::LARGE)?),
        ("pool", pool::kernel(pool::Shape { images: 8, channels: 64, input: [112, 112] })?),
        ("attention", attention::kernel(32, 4, 1024, 4096, 64)?),
    ];
    let mut table = format!("{:<10}{:>10}{:>10}\n", "kernel", "executed", "as built");
    for (name, kernel) in &kernels {
        let text = kernel.emit()?;
        let [ours, built] = [text.executed, text.input_executed].map(|c| c.instructions());
        table.push_str(&format!("{name:<10}{ours:>10.1}{built:>10.1}\n"));
    }
    golden_file("executed.txt", &table);
    Ok(())
}

fn transposes(name: &str, small: &Kernel) -> Result<KernelText, KernelError> {
    let main = "int main() {
           Array from(96 * 64), to(64 * 96);
           from.count();
           launch(dim3(2, 3), dim3(256), [&] { NAME(from, to); });
           for (int r = 0; r < 96; ++r) for (int c = 0; c < 64; ++c) expect(to[c * 96 + r], from[r * 64 + c]);
           return right();
         }";
    check_executed(name, small, &main.replace("NAME", name))
}

#[test]
fn transpose() -> Result<(), Error> {
    let text = transposes("transpose", &transpose::padded(96, 64)?)?;
    assert!(text.cost <= text.input_cost);
    golden("transpose", &transpose::padded(4096, 2048)?.emit()?.source);
    Ok(())
}

#[test]
fn swizzled() -> Result<(), Error> {
    transposes("swizzled", &transpose::swizzled(96, 64)?)?;
    let text = transpose::swizzled(4096, 2048)?.emit()?;
    // each copy of an access to the tile computes one exclusive or with a constant. If no two copies shared a part of a
    // sum, the text would take 34 instructions, and as built it takes 28
    assert!(text.executed.instructions() <= 0.6 * 34.0 && text.executed < text.input_executed);
    golden("swizzled", &text.source);
    Ok(())
}

#[test]
fn copy() -> Result<(), KernelError> {
    let text = check(
        "copy",
        &copy::kernel(3)?,
        "int main() {
           for (int n : {0, 1, 3, 4, 5, 1023, 1024, 2047, 2050, 6143, 6144}) {
             Array from(n), to(n);
             from.count();
             launch(dim3(3), dim3(256), [&] { copy(from, to, n); });
             for (int i = 0; i < n; ++i) expect(to[i], from[i]);
           }
           return right();
         }",
    )?;
    assert_eq!(accesses(&text), ["to <- from: float4"]);
    golden("copy", &copy::kernel(4096)?.emit()?.source);
    Ok(())
}

#[test]
fn pool() -> Result<(), KernelError> {
    let text = check(
        "pool",
        &pool::kernel(pool::Shape { images: 2, channels: 8, input: [12, 8] })?,
        "int main() {
           const int N = 2, C = 8, H = 12, W = 8;
           Array in(N * C * H * W), out(N * (H / 2) * (W / 2) * C);
           in.fill(5);
           launch(dim3(N * (H / 2) * (W / 2) * C / 128), dim3(128), [&] { pool(in, out); });
           for (int n = 0; n < N; ++n) for (int y = 0; y < H / 2; ++y) for (int x = 0; x < W / 2; ++x)
             for (int c = 0; c < C; ++c) {
               float sum = 0;
               for (int r = 0; r < 3; ++r) for (int s = 0; s < 3; ++s) {
                 const int iy = y * 2 - 1 + r, ix = x * 2 - 1 + s;
                 if (iy >= 0 && iy < H && ix >= 0 && ix < W) sum += in[((n * C + c) * H + iy) * W + ix];
               }
               expect(out[((n * (H / 2) + y) * (W / 2) + x) * C + c], sum / 9.f);
             }
           return right();
         }",
    )?;
    let inside: Vec<_> = text.indices.iter().filter(|i| &*i.name == "inside").collect();
    assert_eq!(inside.len(), 1);
    // a window may begin above the first row or left of the first pixel, but never ends outside of the image
    let clauses = |e: &quaff::expr::Expr| e.to_string().split(" and ").count();
    assert_eq!((clauses(&inside[0].raw), clauses(&inside[0].simplified)), (4, 2));
    golden("pool", &pool::kernel(pool::Shape { images: 8, channels: 64, input: [112, 112] })?.emit()?.source);
    Ok(())
}

#[test]
fn conv() -> Result<(), KernelError> {
    let shapes = [
        conv::Shape {
            images: 2,
            input: [8, 11],
            channels: 16,
            filter: [3, 3],
            filters: 16,
            stride: 2,
            padding: 2,
            dilation: 2,
        },
        conv::Shape {
            images: 2,
            input: [9, 7],
            channels: 12,
            filter: [2, 2],
            filters: 32,
            stride: 1,
            padding: 0,
            dilation: 3,
        },
        conv::Shape {
            images: 4,
            input: [6, 9],
            channels: 16,
            filter: [5, 3],
            filters: 16,
            stride: 1,
            padding: 1,
            dilation: 1,
        },
    ];
    for (i, shape) in shapes.into_iter().enumerate() {
        let [oh, ow] = shape.output();
        let main = format!(
            "int main() {{
               const int N = {}, H = {}, W = {}, C = {}, R = {}, S = {}, F = {}, OH = {oh}, OW = {ow};
               Array in(N * H * W * C), weight(R * S * C * F), out(N * OH * OW * F);
               in.fill(5); weight.fill(7);
               launch(dim3(F / 16, N * OH * OW / 16), dim3(256), [&] {{ conv(in, weight, out); }});
               for (int n = 0; n < N; ++n) for (int y = 0; y < OH; ++y) for (int x = 0; x < OW; ++x)
                 for (int f = 0; f < F; ++f) {{
                   float sum = 0;
                   for (int r = 0; r < R; ++r) for (int s = 0; s < S; ++s) for (int c = 0; c < C; ++c) {{
                     const int iy = y * {stride} - {padding} + r * {dilation}, ix = x * {stride} - {padding} + s * {dilation};
                     if (iy >= 0 && iy < H && ix >= 0 && ix < W)
                       sum += in[((n * H + iy) * W + ix) * C + c] * weight[((r * S + s) * C + c) * F + f];
                   }}
                   expect(out[((n * OH + y) * OW + x) * F + f], sum);
                 }}
               return right();
             }}",
            shape.images,
            shape.input[0],
            shape.input[1],
            shape.channels,
            shape.filter[0],
            shape.filter[1],
            shape.filters,
            stride = shape.stride,
            padding = shape.padding,
            dilation = shape.dilation,
        );
        let kernel = conv::kernel(shape)?;
        let text = kernel.emit()?;
        run(&format!("conv{i}"), &text.source, &main);
        assert!(text.cost <= text.input_cost && text.executed <= text.input_executed);
    }
    golden("conv", &conv::kernel(conv::LARGE)?.emit()?.source);
    Ok(())
}

#[test]
fn attention() -> Result<(), KernelError> {
    let text = check(
        "attention",
        &attention::kernel(4, 2, 32, 48, 64)?,
        "int main() {
           const int H = 4, G = 2, Q = 32, S = 48, D = 64;
           Array q(H * Q * D), k(H / G * S * D), v(H / G * S * D), out(H * Q * D);
           q.fill(5); k.fill(7); v.fill(3);
           const float scale = 0.01f;
           launch(dim3(Q / 16, H), dim3(256), [&] { attention(q, k, v, out, scale); });
           for (int h = 0; h < H; ++h) for (int i = 0; i < Q; ++i) {
             double weight[48], total = 0, highest = -1e30;
             for (int s = 0; s < S; ++s) {
               double sum = 0;
               for (int d = 0; d < D; ++d) sum += (double)q[(h * Q + i) * D + d] * k[(h / G * S + s) * D + d];
               weight[s] = sum * scale;
               highest = fmax(highest, weight[s]);
             }
             for (double& w : weight) total += w = exp(w - highest);
             for (int d = 0; d < D; ++d) {
               double sum = 0;
               for (int s = 0; s < S; ++s) sum += weight[s] * v[(h / G * S + s) * D + d];
               near(out[(h * Q + i) * D + d], sum / total, 1e-4);
             }
           }
           return right();
         }",
    )?;
    assert!(text.accesses.iter().all(|a| a.is_vector()), "{:?}", text.accesses);
    golden("attention", &attention::kernel(32, 4, 1024, 4096, 64)?.emit()?.source);
    Ok(())
}
