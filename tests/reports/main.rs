//! Public reports about indices in compilers: each row has the question of one report in own words, and the answer that is right.
//!
//! A name such as `triton #7425` is an issue or a pull request of the project's repository.

mod layouts;
mod questions;
mod simplified;
mod support;
mod texts;
