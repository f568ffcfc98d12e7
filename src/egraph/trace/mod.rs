//! What was found equal to what, and why.

pub(crate) mod applied_forms;
pub(crate) mod builtin_step;
pub(crate) mod firing;
pub(crate) mod normal_form;
