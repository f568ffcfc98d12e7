//! Compiles and runs the texts of many cases as one program on this machine, so that each case takes only milliseconds.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// The language of a compiled program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Host {
    C,
    Cpp,
    Python,
    Rust,
}

impl Host {
    fn file(self) -> &'static str {
        match self {
            Host::C => "texts.c",
            Host::Cpp => "texts.cpp",
            Host::Python => "texts.py",
            Host::Rust => "texts.rs",
        }
    }

    fn program(self) -> &'static str {
        match self {
            Host::C => "cc",
            Host::Cpp => "c++",
            Host::Python => "python3",
            Host::Rust => "rustc",
        }
    }

    fn compile(self, source: &Path, program: &Path) -> Option<Command> {
        let mut command = Command::new(self.program());
        match self {
            Host::C => command.args(["-std=c99", "-O0", "-w"]),
            Host::Cpp => command.args(["-std=c++17", "-O0", "-w"]),
            Host::Rust => command.args(["--edition", "2024", "-C", "overflow-checks=on"]),
            Host::Python => return None,
        };
        command.arg(source).arg("-o").arg(program);
        Some(command)
    }

    /// Whether the compiler or interpreter of the language is installed.
    pub(crate) fn is_there(self) -> bool {
        Command::new(self.program()).arg("--version").output().is_ok_and(|o| o.status.success())
    }

    /// Compiles and runs a program, which prints each wrong value and fails if there is one.
    ///
    /// # Errors
    /// The output of the compiler or of the program, with the path of the source file.
    pub(crate) fn run(self, source: &str) -> Result<(), String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("quaff-texts-{}-{number}", std::process::id()));
        let outcome = self.run_in(&folder, source);
        if outcome.is_ok() {
            // the source of a program that fails is kept for inspection
            let _ = std::fs::remove_dir_all(&folder);
        }
        outcome
    }

    fn run_in(self, folder: &Path, source: &str) -> Result<(), String> {
        let at = folder.join(self.file());
        let said = |what: &str, out: std::process::Output| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(3000).collect::<String>();
            match out.status.success() {
                true => Ok(()),
                false => Err(format!("{what} {}:\n{}{}", at.display(), text(&out.stdout), text(&out.stderr))),
            }
        };
        let failed = |e: std::io::Error| format!("{}: {e}", at.display());
        std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&at, source)).map_err(failed)?;
        let program: PathBuf = folder.join("program");
        let mut command = match self.compile(&at, &program) {
            Some(mut compile) => {
                said("compiling", compile.output().map_err(failed)?)?;
                Command::new(&program)
            }
            None => {
                let mut interpreter = Command::new(self.program());
                interpreter.arg(&at);
                interpreter
            }
        };
        said("running", command.output().map_err(failed)?)
    }
}

/// A random generator (splitmix64) for the values of points. The number is the seed.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let x = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        x ^ (x >> 31)
    }

    /// A random number in `lo..=hi`. The ends are more frequent than other numbers.
    pub(crate) fn within(&mut self, lo: i64, hi: i64) -> i64 {
        match self.next() % 8 {
            0 => lo,
            1 => hi,
            _ => lo + ((u128::from(self.next()) * ((hi - lo) as u128 + 1)) >> 64) as i64,
        }
    }
}

/// Definitions that a program needs before a CUDA text, because the host compiler does not have them.
pub(crate) const DEVICE: &str = "#include <cstdio>
#define __global__
#define __align__(n) __attribute__((aligned(n)))
static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim, gridDim;
static int warpSize;
static inline unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)(((unsigned long long)a * b) >> 32); }
static inline unsigned __funnelshift_l(unsigned lo, unsigned hi, unsigned by) {
  return (unsigned)((((unsigned long long)hi << 32 | lo) << (by & 31)) >> 32); }
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return (unsigned long long)(((unsigned __int128)a * b) >> 64);
}
template <class T> static inline T min(T a, T b) { return b < a ? b : a; }
template <class T> static inline T max(T a, T b) { return a < b ? b : a; }
";
