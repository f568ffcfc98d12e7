//! From expressions to typed, division-free machine operations.

pub mod forms;
pub mod magic;
