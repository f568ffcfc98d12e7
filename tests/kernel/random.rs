//! Random loop trees: the simplified text and the text as built record the same values in the same order. Some trees
//! have a number of iterations that is known at run time, and are run for several numbers.

use quaff::expr::{Expr, var};
use quaff_fronts::dims::{Dim, Dims, Unroll};
use quaff_fronts::kernel::{Block, Kernel, KernelError, Recorded};
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

const KERNELS: u64 = 60;
/// The number of further kernels, which have sizes that are known at run time.
const RUN_TIME: u64 = 20;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (((self.0 >> 33) * n as u64) >> 31) as usize
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// An expression over the values `known`. The expression is never negative.
fn expression(random: &mut Random, known: &[Expr]) -> Expr {
    let mut e = random.pick(known) * (1 + random.below(9) as i64);
    for _ in 0..1 + random.below(4) {
        let other = random.pick(known);
        e = match random.below(5) {
            0 => e + other,
            1 => e + other * (random.below(12) as i64 + 1),
            2 => e.floor_div(2 + random.below(12) as i64),
            3 => e.floor_mod(2 + random.below(12) as i64),
            _ => (e + other + random.below(5) as i64) * (1 + random.below(6) as i64),
        };
    }
    e
}

/// Adds random statements that may use the values `known`. The statements are loops over the dimensions `free`, guards,
/// and requests for values.
fn fill(b: &mut Block<'_>, random: &mut Random, known: &[Expr], free: &[Dim], depth: usize) -> Recorded {
    let mut known = known.to_vec();
    for _ in 0..2 + random.below(3) {
        match random.below(if depth < 4 { 6 } else { 3 }) {
            0..=2 => {
                b.expr("x", expression(random, &known));
                b.code("record($x);")?;
                if random.below(2) == 0 {
                    b.code("record($x + 1);")?;
                }
            }
            3 => {
                let condition = expression(random, &known).floor_mod(7).lt(random.below(7) as i64);
                b.guard(condition, |b| fill(b, random, &known, free, depth + 1))?;
            }
            4 if depth < 2 => {
                b.expr("at", expression(random, &known).floor_mod(16));
                let name = format!("v{depth}_{}", random.below(1 << 20));
                let value = b.value(&name, "table[$at]", 0..=99)?;
                known.push(value);
            }
            _ => {
                if let Some((&dim, rest)) = free.split_first() {
                    let unroll = random.pick(&[Unroll::Auto, Unroll::Full, Unroll::By(2)]);
                    let unroll = if b.indices().size(dim).is_err() { Unroll::By(2) } else { unroll };
                    b.loop_over(dim, &format!("i{depth}"), unroll, |b| {
                        let index = b.indices().get_raw(dim)?;
                        let mut known = known.clone();
                        known.push(index);
                        fill(b, random, &known, rest, depth + 1)
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn kernel(seed: u64) -> Result<Kernel, KernelError> {
    let mut random = Random(seed * 7919 + 1);
    let mut dims = Dims::new();
    let mut size = || 1 + random.below(6) as i64;
    let thread = dims.dim("thread", 24)?;
    let run_time = if seed < KERNELS { 0..0 } else { 0..1 + i64::from(seed & 1 == 0) };
    let mut free: Vec<Dim> = run_time.map(|i| dims.run_time(&format!("r{i}"), 1..=6, 1)).collect::<Result<_, _>>()?;
    for i in free.len()..4 {
        free.push(dims.dim(&format!("d{i}"), size())?);
    }
    let mut kernel = Kernel::new(&format!("k{seed}"), dims.init()?);
    kernel.scalar("n", 0..=50)?;
    kernel.body(|b| {
        b.bind(thread, "t", "threadIdx.x")?;
        fill(b, &mut random, &[var("t"), var("n")], &free, 0)
    })?;
    Ok(kernel)
}

#[test]
fn placed_text_records_what_the_raw_text_records() -> Result<(), KernelError> {
    let mut source = String::from(
        "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n#define __global__\n
         struct { unsigned x; } threadIdx;
         static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
         static unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
          return (unsigned)((((unsigned long long)hi << 32 | lo) << (by & 31)) >> 32); }
         template <class T> T min(T a, T b) { return b < a ? b : a; }
         template <class T> T max(T a, T b) { return a < b ? b : a; }
         const int table[16] = {3, 99, 0, 7, 12, 55, 1, 98, 64, 32, 31, 8, 5, 77, 21, 40};
         std::vector<long long> values;
         static void record(long long x) { values.push_back(x); }\n",
    );
    let mut main = String::from("int main() {\n");
    for seed in 0..KERNELS + RUN_TIME {
        let kernel = kernel(seed)?;
        let text = kernel.emit()?;
        assert!(text.contract.divisors.is_empty() && text.cost <= text.input_cost);
        let raw = kernel.emit_raw()?.replace(&format!("k{seed}("), &format!("raw{seed}("));
        source += &text.source;
        source += &raw;
        let (sizes, arguments) = match seed {
            ..KERNELS => ("1", "n"),
            _ if seed & 1 == 0 => ("1, 2, 5, 6", "n, r, 7 - r"),
            _ => ("1, 2, 5, 6", "n, r"),
        };
        write!(
            main,
            "for (int t = 0; t < 24; t += 1) for (int n : {{0, 1, 17, 50}}) for (int r : {{{sizes}}}) {{
               threadIdx.x = t;
               values.clear(); k{seed}({arguments}); auto got = values;
               values.clear(); raw{seed}({arguments});
               if (got != values) {{ printf(\"kernel {seed}, t = %d, n = %d, r = %d\\n\", t, n, r); return 1; }}
             }}\n"
        )
        .unwrap();
    }
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernel_random");
    std::fs::create_dir_all(&folder).unwrap();
    let (file, program) = (folder.join("kernels.cpp"), folder.join("kernels"));
    std::fs::write(&file, format!("{source}\n{main} printf(\"same\\n\"); }}\n")).unwrap();
    let command = Command::new("c++").args(["-std=c++17", "-w", "-O0"]).arg(&file).arg("-o").arg(&program).output();
    let Ok(built) = command else {
        println!("skipped: no C++ compiler");
        return Ok(());
    };
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let out = Command::new(&program).output().unwrap();
    let text = String::from_utf8_lossy(&out.stdout);
    assert!(out.status.success() && text.contains("same"), "{text}{}", file.display());
    Ok(())
}
