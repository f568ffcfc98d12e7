//! Compiles and runs C++ programs on this machine, with checks of addresses and overflow.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::LazyLock;

/// The flags of the compiler. They include the sanitizers if the compiler has them. `None` without a compiler.
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

/// Compiles `source` to `program` with further options, and runs it. `None` without a compiler.
///
/// # Errors
///
/// The messages of the compiler or of the program, if one of them fails.
pub(crate) fn run(source: &Path, program: &Path, options: &[String]) -> Option<Result<String, String>> {
    let flags = FLAGS.as_ref()?;
    let built = Command::new("c++").args(flags).args(options).arg(source).arg("-o").arg(program).output();
    Some(printed(built.expect("the compiler starts")).and_then(|_| {
        // programs do not free their memory
        let run = Command::new(program).env("ASAN_OPTIONS", "detect_leaks=0:halt_on_error=1").output();
        printed(run.expect("the program starts"))
    }))
}

/// The output of a program. If the program failed, an error with its messages.
pub(crate) fn printed(out: Output) -> Result<String, String> {
    let [stdout, stderr] = [&out.stdout, &out.stderr].map(|text| String::from_utf8_lossy(text));
    if out.status.success() { Ok(stdout.into()) } else { Err(format!("{}\n{stdout}\n{stderr}", out.status)) }
}
