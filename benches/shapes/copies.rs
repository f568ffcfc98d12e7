//! Copies of an access in an unrolled loop.
#![allow(dead_code)] // each program that includes this file uses only a part of it

use quaff::access::Access;
use quaff::domain::Domain;
use quaff::expr::Expr;

const INDEX: &str = "(i*224 + k*7 + u)//11*64 + (i*224 + k*7 + u)%11 + u//3*k";
const GATE: &str = "(i*224 + k*7 + u)//11 < 600 and i + u%5 >= 2";

/// The facts about the variables that are not unrolled.
pub(crate) fn domain() -> Domain {
    Domain::new().with("i", 0..=63).with("k", 0..=31)
}

/// Copies of a gated access for `u` in `0..count`, as in an unrolled loop.
pub(crate) fn copies(count: usize) -> Vec<Access> {
    let copy = |text: &str, u: usize| -> Expr { text.replace('u', &u.to_string()).parse().expect("an expression") };
    (0..count).map(|u| Access::load(format!("v{u}"), "in", copy(INDEX, u)).when(copy(GATE, u))).collect()
}
