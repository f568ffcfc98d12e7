//! The shipped rules, their language and their checker.

/// The allocator of the program `quaff`. With the system allocator, these tests spend a fifth of their time on
/// allocation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

mod broken;
mod cases;
mod catalogue;
mod check;
mod language;
mod mutants;
mod needed;
mod peers;
mod proofs;
mod soundness;

#[path = "../support/samples.rs"]
mod samples;

#[path = "../support/golden.rs"]
mod golden;

#[path = "../support/rule_cases.rs"]
mod rule_cases;

#[path = "../support/cores.rs"]
mod cores;
