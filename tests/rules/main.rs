//! The shipped rules, their language and their checker.

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
