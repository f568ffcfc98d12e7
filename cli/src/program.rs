//! The identity of the running program.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::OnceLock;

/// The file that contains the code of the program, if it is not the executable file of the process.
static FILE: OnceLock<PathBuf> = OnceLock::new();

/// Records that `file` contains the code of the program.
pub(crate) fn is_in(file: PathBuf) {
    // a second call in one process gives the same file, so its failure does not matter
    let _ = FILE.set(file);
}

/// A text that identifies this build. A run continues only results of its own build.
pub(crate) fn identity() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let file = FILE.get().cloned().or_else(|| std::env::current_exe().ok());
    let Some(bytes) = file.and_then(|p| std::fs::read(p).ok()) else { return version.into() };
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    format!("{version}-{:016x}", hasher.finish())
}
