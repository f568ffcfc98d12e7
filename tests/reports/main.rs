//! Public reports about indices in compilers. Each row has the question of one report in our own words, and the right
//! answer.
//!
//! A name such as `triton #7425` is an issue or a pull request of the project's repository.

mod layouts;
mod questions;
mod simplified;
mod support;
mod texts;
