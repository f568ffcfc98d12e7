//! Saturation: matching rules, evaluating what they yield, and the loop around both.

pub(crate) mod evaluate;
mod factors;
pub(crate) mod limits;
pub(crate) mod matcher;
pub(crate) mod profile;
mod reuse;
mod reuse_comparisons;
pub(crate) mod saturation;
mod state;
