//! Sizes, equations and scopes.

mod affine;
mod behaviour;
mod errors;
mod properties;
mod run_time;
mod scenarios;
mod simplified;
mod work;
