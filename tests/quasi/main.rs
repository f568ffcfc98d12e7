//! The procedure that decides whether two expressions are equal, without rules.

mod affine;
mod corpora;
mod equivalence;
mod flattened;
mod growth;
mod smt;
mod terms;

#[path = "../../benches/shapes/hostile.rs"]
mod hostile;
