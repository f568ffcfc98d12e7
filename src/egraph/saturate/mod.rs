//! Saturation: matching rules, evaluating their results, and the loop that repeats both.

mod alternatives;
pub(crate) mod evaluate;
mod factors;
pub(crate) mod limits;
mod lookups;
pub(crate) mod matcher;
pub(crate) mod profile;
pub(crate) mod saturation;
mod share;
mod state;
