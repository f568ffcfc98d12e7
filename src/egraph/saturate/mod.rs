//! Saturation: matching rules, evaluating what they yield, and the loop around both.

mod factors;
pub(crate) mod limits;
pub(crate) mod matcher;
pub(crate) mod profile;
pub(crate) mod search;
mod shared;
mod shared_comparisons;
mod state;
pub(crate) mod terms;
