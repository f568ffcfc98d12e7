//! Saturation: matching rules, evaluating what they yield, and the loop around both.

pub(crate) mod limits;
pub(crate) mod matcher;
pub(crate) mod profile;
pub(crate) mod search;
pub(crate) mod terms;
