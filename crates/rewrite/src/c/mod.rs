//! The reader of kernels in CUDA, C and C++.
//!
//! Its modules are:
//! - `file` reads the text outside of functions.
//! - `statements` walks a function and records its blocks, names and conditions.
//! - `expressions` finds the integers in the expressions of a function.
//! - `kinds` determines the types of these integers.
//! - `reading` builds expressions of the engine from these integers.
//!
//! `host` changes a kernel, and `launches` finds its launches, so that the host prepares divisors.

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

/// The functions that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Functions {
    /// Functions that run on the device.
    OfDevice,
    /// All functions.
    All,
}

/// The functions of `text` with their sites. `None` if the parser gives up on the text.
pub(crate) fn kernels(text: &str, functions: Functions, options: &Options) -> Option<Vec<Kernel>> {
    let tree = parsed(text)?;
    let file = File::new(text, &tree, options);
    let wanted = file.functions.iter().filter(|f| functions == Functions::All || f.is_of_device);
    Some(wanted.map(|function| Walker::kernel(&file, function, options)).collect())
}

/// The limit of parser steps for a text, in hundreds. Each byte of the text adds one hundred steps.
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
