//! The program `quaff`, which runs [`quaff_cli::run`].

use std::process::ExitCode;

/// An allocator that is faster than the default. A call of the simplifier spends a third of its time in the allocator,
/// because it builds many small e-graphs.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(quaff_cli::run(std::env::args_os(), None))
}
