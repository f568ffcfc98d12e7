//! Programs of C++ for this machine, compiled with checks of addresses and of overflow, and run.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

/// Flags of the compiler, those of checks if it has them; `None` without a compiler.
static FLAGS: LazyLock<Option<Vec<&'static str>>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("probe.cpp"), folder.path().join("probe"));
    std::fs::write(&source, "#include <ucontext.h>\nint main() { ucontext_t here; return getcontext(&here); }\n")
        .ok()?;
    let checks = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let flags = ["-std=c++17", "-O0", "-fno-strict-aliasing", "-w"];
    [[&flags[..], &checks].concat(), flags.to_vec()].into_iter().find(|flags| {
        let built = Command::new("c++").args(flags).arg(&source).arg("-o").arg(&program).output();
        built.is_ok_and(|b| b.status.success()) && Command::new(&program).status().is_ok_and(|s| s.success())
    })
});

/// Compiles `source` to `program` with more options, and runs it.
///
/// # Errors
///
/// Has what the compiler or the program said when it fails. `None` without a compiler.
pub(crate) fn run(source: &Path, program: &Path, options: &[String]) -> Option<Result<String, String>> {
    let flags = FLAGS.as_ref()?;
    let built = Command::new("c++").args(flags).args(options).arg(source).arg("-o").arg(program).output();
    Some(printed(built.expect("the compiler starts")).and_then(|_| {
        // programs leave their memory to the system
        let run = Command::new(program).env("ASAN_OPTIONS", "detect_leaks=0:halt_on_error=1").output();
        printed(run.expect("the program starts"))
    }))
}

/// What a program printed; when it fails, with its messages as an error.
pub(crate) fn printed(out: Output) -> Result<String, String> {
    let [stdout, stderr] = [&out.stdout, &out.stderr].map(|text| String::from_utf8_lossy(text));
    if out.status.success() { Ok(stdout.into()) } else { Err(format!("{}\n{stdout}\n{stderr}", out.status)) }
}
