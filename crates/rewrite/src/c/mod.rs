//! The reader of kernels in CUDA, C and C++.
//!
//! `file` knows what stands outside of functions, `statements` walks a function and keeps its blocks, names and conditions, `expressions` finds
//! the integers in its expressions, `kinds` knows the types of these, and `reading` makes expressions of them. `host` changes a kernel and
//! its `launches` so that the host prepares divisors.

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

/// Which functions are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Functions {
    /// Those that run on the device.
    OfDevice,
    /// All.
    All,
}

/// The functions of `text` with their sites. `None` where the grammar gives up on the text.
pub(crate) fn kernels(text: &str, functions: Functions, options: &Options) -> Option<Vec<Kernel>> {
    let tree = parsed(text)?;
    let file = File::new(text, &tree, options);
    let wanted = file.functions.iter().filter(|f| functions == Functions::All || f.is_of_device);
    Some(wanted.map(|function| Walker::kernel(&file, function, options)).collect())
}

/// Hundreds of steps of the parser for a text, and for each of its bytes.
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
