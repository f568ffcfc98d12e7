//! Tests of the functions for C, called as C calls them.

mod more_questions;
mod questions;
mod refused;
mod simplify;
#[expect(unsafe_code, reason = "reads what a call has written")]
mod support;
