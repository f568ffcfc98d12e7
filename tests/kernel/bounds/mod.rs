//! No printed kernel accesses memory outside of its buffers. Random programs are printed, compiled and run for several
//! sizes. A zone around each buffer must be neither read nor written. The buffers are compared with the results of an
//! interpreter.

mod meaning;
mod program;
mod record;

use crate::cpp;
use meaning::Run;
use program::{Buffer, Kind, Program, Role, Size};
use quaff_fronts::kernel::KernelError;
use std::collections::HashMap;
use std::fmt::Write;
use std::path::PathBuf;

/// The number of kernels, unless `QUAFF_KERNELS` sets another number.
const KERNELS: u64 = 60;
/// The number of kernels in one compiled source file.
const TOGETHER: u64 = 60;

/// C++ code for the memory of a buffer. Its alignment is exactly the stated alignment.
const MEMORY: &str = r#"
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
static const bool has_sanitizer = true;
#else
#define __asan_poison_memory_region(at, size)
#define __asan_unpoison_memory_region(at, size)
static const bool has_sanitizer = false;
#endif
template <class T> struct Memory {
  static const long long ZONE = 1 << 14;
  char *all;
  T *data;
  long long length, whole;
  Memory(long long n, long long align) : length(n), whole(2 * ZONE + n * (long long)sizeof(T) + 4096) {
    if (posix_memalign((void **)&all, 4096, whole)) abort();
    memset(all, 0x5a, whole);
    data = (T *)(all + ZONE + align);
    __asan_poison_memory_region(all, (char *)data - all);
    __asan_poison_memory_region(data + n, all + whole - (char *)(data + n));
  }
  operator T *() { return data; }
  void fill(long long first, long long modulus, long long least) {
    for (long long i = 0; i < length; ++i) data[i] = (T)((i * 7 + first) % modulus + least);
  }
  void print(int kernel, int run, int number) {
    __asan_unpoison_memory_region(all, whole);
    for (char *at = all; at < all + whole; ++at)
      if ((at < (char *)data || at >= (char *)(data + length)) && *at != 0x5a) {
        printf("kernel %d, run %d: a write outside of buffer %d\n", kernel, run, number);
        exit(1);
      }
    printf("%d %d %d", kernel, run, number);
    for (long long i = 0; i < length; ++i) printf(" %lld", (long long)data[i]);
    printf("\n");
    free(all);
  }
};
static void visit(int *counts, long long at, int lanes) {
  if (at % lanes != 0) { printf("%lld is no multiple of %d\n", at, lanes); exit(1); }
  for (int i = 0; i < lanes; ++i) ++counts[at + i];
}
"#;

fn count() -> u64 {
    std::env::var("QUAFF_KERNELS").ok().and_then(|n| n.parse().ok()).unwrap_or(KERNELS)
}

fn alignment(buffer: &Buffer) -> i64 {
    buffer.aligned.unwrap_or(1).max(buffer.element.bytes())
}

/// The values of the outputs after a run, by the number of the run and the number of the buffer.
type Outputs = Vec<((usize, usize), Vec<i64>)>;

/// A C++ function that calls the kernel `name` for each run, and the expected outputs.
fn calls(program: &Program, name: &str, divisors: &str) -> (String, Outputs) {
    let (mut tables, mut outputs) = (vec![], vec![]);
    for (number, given) in program.runs.iter().enumerate() {
        let mut run = Run::new(program, given);
        let launch = [Kind::Block, Kind::Thread].map(|kind| run.launch(kind)).concat();
        let lengths = run.buffers.iter().map(|values| values.len() as i64);
        let row: Vec<i64> = launch.into_iter().chain([given.1]).chain(given.0.iter().copied()).chain(lengths).collect();
        tables.push(format!("{{{}}}", row.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")));
        run.run();
        for (i, (buffer, values)) in program.buffers.iter().zip(run.buffers).enumerate() {
            if matches!(buffer.role, Role::To | Role::Counts) {
                outputs.push(((number, i), values));
            }
        }
    }
    let columns = 7 + program.axes.len() + program.buffers.len();
    let mut text =
        format!("static void run(int kernel) {{\n  static const int all[][{columns}] = {{{}}};\n", tables.join(", "));
    let _ = writeln!(text, "  for (int run = 0; run < {}; ++run) {{\n    const int *r = all[run];", tables.len());
    for (i, buffer) in program.buffers.iter().enumerate() {
        let (ty, length) = (buffer.element.c_name(), 7 + program.axes.len() + i);
        let (first, modulus, least) = buffer.role.before(i);
        let _ = writeln!(text, "    Memory<{ty}> p{i}(r[{length}], {});", alignment(buffer));
        let _ = writeln!(text, "    p{i}.fill({first}, {modulus}, {least});");
    }
    let axes = program.axes.iter().enumerate();
    let sizes = axes.filter(|(_, axis)| matches!(axis.size, Size::RunTime { .. })).map(|(a, _)| a);
    sizes.clone().for_each(|a| {
        let _ = writeln!(text, "    const int n{a} = r[{}];", 7 + a);
    });
    let buffers = (0..program.buffers.len()).map(|i| format!("p{i}"));
    let arguments = buffers.chain(["r[6]".into()]).chain(sizes.map(|a| format!("n{a}"))).collect::<Vec<_>>().join(", ");
    let _ = writeln!(
        text,
        "    launch(dim3(r[0], r[1], r[2]), dim3(r[3], r[4], r[5]), [&] {{ {name}({arguments}{divisors}); }});"
    );
    for (i, _) in program.buffers.iter().enumerate().filter(|(_, b)| matches!(b.role, Role::To | Role::Counts)) {
        let _ = writeln!(text, "    p{i}.print(kernel, run, {i});");
    }
    (text + "  }\n}\n", outputs)
}

/// A source of several kernels, and the expected outputs by kernel, run and buffer.
#[derive(Default)]
struct Source {
    text: String,
    main: String,
    wanted: HashMap<(u64, usize, usize), Vec<i64>>,
    refused: u64,
    vectors: u64,
}

impl Source {
    fn add(&mut self, seed: u64) -> Result<(), KernelError> {
        let program = Program::random(seed);
        let kernel = match record::kernel(&program, &format!("k{seed}")) {
            Ok(kernel) => kernel,
            // the lanes are not neighbours, or an end cuts a vector without code for single elements
            Err(KernelError::CutVector { .. }) => {
                self.refused += 1;
                return Ok(());
            }
            Err(KernelError::Dims(e)) if e.name() == "lanes" => {
                self.refused += 1;
                return Ok(());
            }
            Err(e) => panic!("kernel {seed}: {e:?}\n{program:#?}"),
        };
        let text = kernel.emit()?;
        self.vectors += u64::from(text.source.contains("reinterpret_cast"));
        let raw = kernel.emit_raw()?.replace(&format!("k{seed}("), &format!("raw{seed}("));
        let divisors: String = text.contract.divisors.iter().map(|d| format!(", {}", d.setup())).collect();
        let kernels = [
            (2 * seed, format!("k{seed}"), format!("{}{}", text.source, text.host), divisors),
            (2 * seed + 1, format!("raw{seed}"), raw, String::new()),
        ];
        for (number, name, text, divisors) in kernels {
            let (calls, outputs) = calls(&program, &name, &divisors);
            let _ = writeln!(self.text, "namespace of_{name} {{\n{text}{calls}}}");
            let _ = writeln!(self.main, "  of_{name}::run({number});");
            self.wanted.extend(outputs.into_iter().map(|((run, i), values)| ((number, run, i), values)));
        }
        Ok(())
    }

    fn check(mut self, name: &str) {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("kernel_bounds");
        std::fs::create_dir_all(&folder).unwrap();
        let source = folder.join(format!("{name}.cpp"));
        let shim = include_str!("../../support/device.hpp");
        std::fs::write(&source, format!("{shim}{MEMORY}{}int main() {{\n{}}}\n", self.text, self.main)).unwrap();
        let out = match cpp::run(&source, &folder.join(name), &["-O0".into()]) {
            None => return println!("skipped: no C++ compiler"),
            Some(Ok(out)) => out,
            Some(Err(e)) => panic!("{}: {}", source.display(), &e[..e.len().min(6000)]),
        };
        for line in out.lines() {
            let mut numbers = line.split(' ').map(|n| n.parse::<i64>().expect("a number"));
            let [kernel, run, buffer] = [0; 3].map(|_| numbers.next().expect("three numbers"));
            let key = (kernel as u64, run as usize, buffer as usize);
            let (got, wanted) = (numbers.collect::<Vec<i64>>(), self.wanted.remove(&key).expect("a buffer"));
            let seed = kernel / 2;
            assert!(got == wanted, "kernel {seed}, run {run}: buffer {buffer} holds\n{got:?}\nand not\n{wanted:?}");
        }
        assert!(self.wanted.is_empty());
    }
}

#[test]
fn nothing_outside_is_accessed() -> Result<(), KernelError> {
    let count = count();
    let (mut refused, mut vectors) = (0, 0);
    for first in (0..count).step_by(TOGETHER as usize) {
        let mut source = Source::default();
        for seed in first..(first + TOGETHER).min(count) {
            source.add(seed)?;
        }
        (refused, vectors) = (refused + source.refused, vectors + source.vectors);
        source.check(&format!("from{first}"));
    }
    // usually 6 of 60 kernels are refused, and 15 have vectors
    assert!(refused * 5 <= count && vectors * 8 >= count, "{refused} refused, {vectors} with vectors");
    Ok(())
}
