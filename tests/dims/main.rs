//! Sizes, equations and scopes.

mod behaviour;
mod errors;
mod properties;
mod scenarios;
mod simplified;
mod work;
