//! Runs the kernels of `examples/sources` on this machine. The driver of a source file compares all outputs with plain
//! loops, and prints a number for each output. Equivalent texts print the same numbers.

use crate::{cpp, repository};
use rayon::prelude::*;
use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

/// The output of a driver, or its failure. `None` if this machine has no compiler, or no Python with numpy.
pub(crate) type Outcome = Option<Result<String, String>>;

/// Runs the driver of the source `name` with the kernels of `text`.
pub(crate) fn run(name: &str, text: &str) -> Outcome {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    std::fs::write(&file, text).expect("a source");
    let driver = repository("examples/sources/drivers").join(name);
    if name.ends_with(".py") { run_python(&driver, &file) } else { run_cuda(&driver.with_extension("cpp"), &file) }
}

fn run_cuda(driver: &Path, kernels: &Path) -> Outcome {
    let options =
        [format!("-I{}", repository("tests/support").display()), format!("-DKERNEL_FILE=\"{}\"", kernels.display())];
    cpp::run(driver, &kernels.with_extension("program"), &options)
}

fn run_python(driver: &Path, kernels: &Path) -> Outcome {
    let python = |arguments: &[&Path]| {
        let mut command = Command::new("python3");
        command.args(arguments).env("PYTHONDONTWRITEBYTECODE", "1");
        command.env("PYTHONPATH", repository("tests/support/python")).output()
    };
    let has_numpy = python(&["-c".as_ref(), "import numpy".as_ref()]).is_ok_and(|out| out.status.success());
    has_numpy.then(|| cpp::printed(python(&[driver, kernels]).expect("Python starts")))
}

/// The names and texts of all source files, sorted by name.
fn sources() -> Vec<(String, String)> {
    let files = std::fs::read_dir(repository("examples/sources")).expect("a folder of sources");
    let paths = files.map(|file| file.expect("a source").path());
    let mut all: Vec<(String, String)> = paths
        .filter(|path| path.extension().is_some_and(|e| e == "cu" || e == "py"))
        .map(|path| {
            let name = path.file_name().expect("a file").to_string_lossy().into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    all.sort();
    all
}

/// A source file, and the result of its driver with the original kernels.
pub(crate) struct Source {
    pub(crate) name: String,
    pub(crate) text: String,
    pub(crate) outcome: Outcome,
}

/// All source files, sorted by name. Each is compiled and run once for all tests. A rayon thread must not call this
/// function, because the function waits for rayon threads.
pub(crate) fn outcomes() -> &'static [Source] {
    static ALL: LazyLock<Vec<Source>> = LazyLock::new(|| {
        let all = sources().into_par_iter();
        all.map(|(name, text)| Source { outcome: run(&name, &text), name, text }).collect()
    });
    &ALL
}

#[test]
#[ignore = "a campaign"]
fn sources_are_right() {
    let sources = outcomes();
    assert!(sources.len() >= 15, "{} sources", sources.len());
    sources.iter().for_each(|Source { name, outcome, .. }| match outcome {
        None => println!("skipped: {name} needs a compiler of C++, or Python with numpy"),
        Some(Ok(out)) => assert!(out.ends_with(" values are right\n"), "{name}: {out}"),
        Some(Err(e)) => panic!("{name}: {e}"),
    });
}

/// Parts of the messages of drivers that find an error, and of the sanitizers in the compiled drivers.
const FOUND: [&str; 4] = [", wanted ", "runtime error", "AddressSanitizer", "IndexError"];

/// Drivers fail for a wrong value, an access outside of an array, a missing barrier, and an overflow.
#[test]
fn drivers_find_what_is_wrong() {
    let changes = [
        ("im2col.cu", "oy * stride - pad + ky", "oy * stride - pad + kx"),
        ("transpose.cu", "row < cols && col < rows", "row < cols && col <= rows"),
        ("reduce_strided.cu", "__syncthreads();", ""),
        ("upsample.cu", "i / (out_w * out_h)", "i * out_w * 99999999 / (out_w * out_w * out_h * 99999999)"),
        ("max_pool.py", "t % (WS * WS) // WS", "t // WS"),
        ("grouped_matmul.py", "(pid % in_group) // size", "(pid % in_group) // GROUP_M"),
    ];
    let all = sources();
    changes.par_iter().for_each(|(name, from, to)| {
        let (_, text) = all.iter().find(|(n, _)| n == name).expect("a source");
        assert!(text.contains(from), "{name} has no `{from}`");
        match run(name, &text.replacen(from, to, 1)) {
            None => println!("skipped: {name} needs a compiler of C++, or Python with numpy"),
            Some(Ok(out)) => panic!("{name}: {out}"),
            // the failure must not be a compile error
            Some(Err(e)) => assert!(FOUND.iter().any(|message| e.contains(message)), "{name}: {e}"),
        }
    });
}
