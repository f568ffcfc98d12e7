//! Vectors over sizes that are at most a product of dimensions. For random sizes, orders of factors and tails, every
//! element is visited once, in a vector or as a single element. No element outside of the buffer is visited. The
//! simplified and the raw text run for all sizes.

use crate::compiled::run;
use quaff_fronts::dims::{Dim, Dims, DimsError, Term, Unroll};
use quaff_fronts::kernel::{Block, Element, Kernel, KernelError, Recorded};
use std::fmt::Write;

/// The number of kernels, unless `QUAFF_KERNELS` sets another number.
const KERNELS: u64 = 120;

fn count() -> u64 {
    std::env::var("QUAFF_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(KERNELS)
}

struct Random(u64);

impl Random {
    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        from[(((self.0 >> 33) * from.len() as u64) >> 31) as usize]
    }
}

/// A covered size, and the product that covers it.
struct Cover {
    /// The sizes of all runs: a single number, or several values of a parameter.
    sizes: Vec<i64>,
    /// The step of the parameter. `None` for a number.
    step: Option<i64>,
    rows: i64,
    loops: i64,
    threads: i64,
    /// The number of lanes of each vector. If there are two, both together are one vector.
    lanes: Vec<i64>,
    /// Whether a dimension of its own has threads and lanes as its factors.
    chunks: bool,
    /// Whether the lanes are not neighbours in memory.
    apart: bool,
}

impl Cover {
    fn new(seed: u64) -> Cover {
        let mut random = Random(seed * 7919 + 3);
        let lanes = random.pick(&[&[4][..], &[2], &[8], &[3], &[2, 2], &[1, 4]]);
        let step = random.pick(&[None, None, Some(1), Some(1), Some(2), Some(4), Some(24)]);
        let number = random.pick(&[1, 2, 3, 4, 5, 7, 8, 31, 32, 33, 48, 57, 64, 65, 96, 99, 100, 101, 126, 127]);
        let sizes = match step {
            None => vec![number],
            Some(step) => [1, 2, 3, 4, 5, 6, 7, 11, 16, 23].map(|n| n * step).to_vec(),
        };
        Cover {
            sizes,
            step,
            rows: random.pick(&[1, 1, 1, 3]),
            loops: random.pick(&[1, 1, 2, 3]),
            threads: random.pick(&[1, 2, 5, 8]),
            lanes: lanes.to_vec(),
            chunks: random.pick(&[true, false, false]),
            apart: random.pick(&[true, false, false, false, false]),
        }
    }

    fn vector(&self) -> i64 {
        self.lanes.iter().product()
    }

    /// The kernel, and the number of blocks for each size.
    fn kernel(&self, name: &str) -> Result<(Kernel, Vec<i64>), KernelError> {
        let mut dims = Dims::new();
        let n = match self.step {
            None => dims.dim("N", self.sizes[0])?,
            Some(step) => dims.run_time("N", step..=step * 30, step)?,
        };
        let (row, block, step) = (dims.dim("row", self.rows)?, dims.dim("block", None)?, dims.dim("step", self.loops)?);
        let thread = dims.dim("thread", self.threads)?;
        let lanes: Vec<Dim> =
            self.lanes.iter().enumerate().map(|(i, &n)| dims.dim(&format!("v{i}"), n)).collect::<Result<_, _>>()?;
        let lane_terms = || lanes.iter().copied().map(Term::Dim);
        let inner: Vec<Term> = match self.apart {
            true => lane_terms().chain([thread.into()]).collect(),
            false => [thread.into()].into_iter().chain(lane_terms()).collect(),
        };
        let inner = if self.chunks { vec![Term::Dim(dims.dim_eq("chunk", inner)?)] } else { inner };
        dims.covered(n, [block.into(), step.into()].into_iter().chain(inner).collect::<Vec<Term>>())?;
        let whole = dims.dim_eq("whole", (row, n))?;
        let blocks = dims.size_expr(block)?;
        let blocks = self.sizes.iter().map(|&n| i64::try_from(blocks.eval(|_| Some(n)).unwrap()).unwrap());
        let blocks = blocks.collect();
        let mut kernel = Kernel::new(name, dims.init()?);
        kernel.body(|b| {
            b.bind(row, "y", "blockIdx.y")?;
            b.bind(block, "b", "blockIdx.x")?;
            b.bind(thread, "t", "threadIdx.x")?;
            b.loop_over(step, "i", Unroll::Auto, |b| visit(b, &lanes, &self.lanes, whole, self.vector()))
        })?;
        Ok((kernel, blocks))
    }
}

/// Visits the elements of `whole` by vectors over `lanes`, and one by one where the end cuts a vector.
fn visit(b: &mut Block<'_>, lanes: &[Dim], sizes: &[i64], whole: Dim, vector: i64) -> Recorded {
    if let (Some((&dim, lanes)), Some((&size, sizes))) = (lanes.split_first(), sizes.split_first()) {
        return b.vectorize(dim, size, |b| visit(b, lanes, sizes, whole, vector));
    }
    let visited = |code: String| {
        move |b: &mut Block<'_>| {
            b.index("at", whole)?;
            b.code(&code)
        }
    };
    b.inside_or_each(&[whole], visited(format!("visit($at, {vector});")), visited("visit($at, 1);".to_string()))
}

// two tests, because the C++ compiler takes most of the time and uses one core

#[test]
#[ignore = "a campaign"]
fn every_element_is_visited_once_by_even_kernels() -> Result<(), KernelError> {
    every_element_is_visited_once(0)
}

#[test]
#[ignore = "a campaign"]
fn every_element_is_visited_once_by_odd_kernels() -> Result<(), KernelError> {
    every_element_is_visited_once(1)
}

fn every_element_is_visited_once(first: u64) -> Result<(), KernelError> {
    let mut source = String::from(
        "#include <vector>
         static std::vector<int> visits; static long long size; static const int ZONE = 4096;
         static void visit(long long at, int lanes) {
           if (at % lanes != 0) { printf(\"%lld is no multiple of %d\\n\", at, lanes); exit(1); }
           for (int i = 0; i < lanes; ++i) {
             if (at + i < -ZONE || at + i >= size + ZONE) { printf(\"far outside: %lld\\n\", at + i); exit(1); }
             ++visits[at + i + ZONE];
           }
         }
         template <class F> static void check(int kernel, int rows, int n, int blocks, int threads, F run) {
           size = (long long)rows * n;
           visits.assign(size + 2 * ZONE, 0);
           for (int y = 0; y < rows; ++y) for (int b = 0; b < blocks; ++b) for (int t = 0; t < threads; ++t) {
             blockIdx.y = y; blockIdx.x = b; threadIdx.x = t;
             run();
           }
           for (long long i = 0; i < size + 2 * ZONE; ++i) {
             const int wanted = i >= ZONE && i < size + ZONE;
             if (visits[i] != wanted) {
               printf(\"kernel %d, N = %d: element %lld of %lld is visited %d times\\n\", kernel, n, i - ZONE, size, visits[i]);
               exit(1);
             }
           }
         }\n",
    );
    let (mut main, mut covers, mut refused) = (String::from("int main() {\n"), 0, 0);
    for seed in (first..count()).step_by(2) {
        let cover = Cover::new(seed);
        let vector = cover.vector();
        let (kernel, blocks) = match cover.kernel(&format!("k{seed}")) {
            Ok(made) => made,
            Err(KernelError::Dims(e)) if e.name() == "lanes" => {
                // the lanes are not neighbours, or rows do not begin at a multiple of the lanes
                let rows_begin_anywhere = cover.rows > 1 && cover.sizes.iter().any(|n| n % vector != 0);
                assert!(cover.apart || rows_begin_anywhere, "kernel {seed}: {e}");
                refused += 1;
                continue;
            }
            Err(e) => return Err(e),
        };
        // the lanes of a single thread are neighbours, and a size of 1 has no vectors
        let is_one = cover.threads == 1 || cover.sizes == [1];
        assert!(!cover.apart || is_one, "kernel {seed} has lanes that are apart");
        let text = kernel.emit()?;
        assert!(text.contract.divisors.is_empty(), "kernel {seed}");
        source += &text.source;
        source += &kernel.emit_raw()?.replace(&format!("k{seed}("), &format!("raw{seed}("));
        let Cover { rows, threads, .. } = cover;
        for (n, blocks) in cover.sizes.iter().zip(blocks) {
            let argument = if cover.step.is_some() { n.to_string() } else { String::new() };
            for name in ["k", "raw"] {
                writeln!(main, "check({seed}, {rows}, {n}, {blocks}, {threads}, [] {{ {name}{seed}({argument}); }});")
                    .unwrap();
            }
            covers += 1;
        }
    }
    // usually, 120 kernels are run with 500 sizes in total, and 10 of the kernels are refused
    let half = count() / 2;
    assert!(covers * 6 >= half * 25 && refused * 12 >= half, "{covers} covers, {refused} refused");
    run(&format!("vectors{first}"), &source, &format!("{main} printf(\"right\\n\"); return 0; }}\n"));
    Ok(())
}

/// A kernel with `N <= block * thread * v`, in which `v` does not divide the size of `N`.
fn cut(
    covered: impl FnOnce(&mut Dims, Dim, [Dim; 3]) -> Result<(), DimsError>,
) -> Result<(Kernel, Dim, Dim), KernelError> {
    let mut dims = Dims::new();
    let (n, block) = (dims.dim("N", 1002)?, dims.dim("block", None)?);
    let (thread, v) = (dims.dim("thread", 64)?, dims.dim("v", 4)?);
    covered(&mut dims, n, [block, thread, v])?;
    let mut kernel = Kernel::new("cut", dims.init()?);
    kernel.output("x", Element::F32)?.aligned(16);
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x").map(drop)
    })?;
    Ok((kernel, n, v))
}

#[test]
fn an_end_that_cuts_a_vector_needs_the_code_of_one_element() -> Result<(), KernelError> {
    let code = |b: &mut Block<'_>, n: Dim| {
        b.index("at", n)?;
        b.code("use($at);")
    };
    let (mut kernel, n, v) = cut(|dims, n, all| dims.covered(n, all).map(drop))?;
    let alone = kernel.clone().body(|b| b.vectorize(v, 4, |b| b.inside(&[n], |b| code(b, n))));
    assert!(matches!(alone, Err(KernelError::CutVector { lanes: 4, .. })), "{alone:?}");
    kernel.body(|b| b.vectorize(v, 4, |b| b.inside_or_each(&[n], |b| code(b, n), |b| code(b, n))))?;
    let text = kernel.emit()?.source;
    // the sum `b * 64 + t` is also the number of the vector
    assert!(text.contains("const int t0 = b * 64 + t;") && text.contains("if (t0 < 250) {"), "{text}");
    assert!(text.contains("} else {"), "{text}");

    // lanes that are not neighbours in memory do not become a vector
    let (mut kernel, n, v) = cut(|dims, n, [block, thread, v]| dims.covered(n, (block, v, thread)).map(drop))?;
    let apart = kernel.body(|b| b.vectorize(v, 4, |b| code(b, n)));
    let Err(KernelError::Dims(error)) = apart else { panic!("{apart:?}") };
    assert_eq!(error.name(), "lanes");
    assert!(error.to_string().contains("`b*256 + t + lane*64`"), "{error}");
    Ok(())
}
