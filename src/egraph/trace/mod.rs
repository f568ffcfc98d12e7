//! The records of equalities that were found, with their causes.

pub(crate) mod applied_forms;
pub(crate) mod builtin_step;
pub(crate) mod firing;
pub(crate) mod normal_form;
