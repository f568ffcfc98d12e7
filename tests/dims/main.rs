//! Tests of dims: dimensions with sizes, equations between products of dimensions, and scopes.

mod affine;
mod behaviour;
mod errors;
mod properties;
mod run_time;
mod scenarios;
mod simplified;
mod work;
