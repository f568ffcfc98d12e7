//! The reader of kernels in CUDA, C and C++.
//!
//! Its modules are:
//! - `file` reads the text outside of functions.
//! - `statements` walks a function and records its blocks, names and conditions.
//! - `expressions` finds the integers in the expressions of a function (the sites).
//! - `kinds` determines the types of these integers.
//! - `reading` builds expressions of the engine from these integers.
//!
//! For divisors that the host prepares, `host` changes the kernels, and `launches` finds the launches of each kernel.

mod changes;
mod declarations;
mod expressions;
mod file;
mod host;
mod kinds;
mod launches;
mod loops;
mod names;
mod reading;
mod statements;
#[cfg(test)]
mod tests;
mod tree;
mod uses;
mod walker;

use crate::model::Kernel;
use crate::options::Options;
use file::File;
pub use host::Prepared;
pub(crate) use host::prepared;
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, Parser, Tree};
use walker::Walker;

/// Selects the functions of a file that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Functions {
    /// Functions that run on the device.
    OfDevice,
    /// All functions.
    All,
}

/// The functions of `text` with their sites (parts that compute integers). `None` if the text cannot be parsed.
pub(crate) fn kernels(text: &str, functions: Functions, options: &Options) -> Option<Vec<Kernel>> {
    let tree = parsed(text)?;
    let file = File::new(text, &tree, options);
    let wanted = file.functions.iter().filter(|f| functions == Functions::All || f.is_of_device);
    Some(wanted.map(|function| Walker::kernel(&file, function, options)).collect())
}

/// The most steps of the parser for an empty text, in hundreds. Each byte of a text allows one hundred more steps.
const STEPS: usize = 10_000;

fn parsed(text: &str) -> Option<Tree> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_cuda::LANGUAGE.into()).ok()?;
    let (mut steps, limit) = (0, STEPS + text.len());
    let mut progress = |_: &_| {
        steps += 1;
        if steps > limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut progress);
    parser.parse_with_options(&mut |at, _| &text.as_bytes()[at..], None, Some(options))
}
