//! The reader of C, CUDA and Halide.
//!
//! A text goes through four steps:
//! - `scan` splits the text into tokens.
//! - `mask` decides which words are values, functions and types.
//! - `syntax` builds a tree with a grammar of C++.
//! - `statements` and `expression` walk the tree.
//!
//! `value` defines the operations on typed values, and [`Dialect::C`] describes the language.

mod access;
mod call;
mod comment;
mod expression;
mod functions;
mod mask;
mod reader;
mod scan;
mod statements;
mod syntax;
mod token;
mod types;
mod value;

use crate::dialect::Dialect;
use crate::error::ReadError;
use crate::reading::{Read, Requirement};
use quaff_expr::expr::Expr;
use reader::Reader;
use rustc_hash::{FxHashMap, FxHashSet};
pub use types::IntegerType;
use value::Maker;

/// Reads a text of `dialect`, which is C, CUDA or Halide.
pub(crate) fn c_like(text: &str, dialect: Dialect) -> Result<Read, ReadError> {
    let tokens = scan::scan(text)?;
    if tokens.is_empty() {
        return Err(ReadError::new("the expression is empty", text, 0..text.len()));
    }
    let masked = mask::mask(text, &tokens)?;
    let tree = syntax::tree(text, &masked, &tokens)?;
    let (defined, declared) = (FxHashMap::default(), FxHashMap::default());
    let mut reader = Reader { text, tokens: &tokens, maker: Maker::new(dialect), defined, declared };
    let results = statements::results(&mut reader, &tree)?;
    let Maker { nodes, domain, requirements, .. } = reader.maker;
    let requirements = of_results(requirements, &results);
    Ok(Read { results: nodes.finish(results, text), domain, requirements })
}

/// The `requirements` whose values are parts of `results`. The values of all other requirements do not affect the
/// results.
fn of_results(requirements: Vec<Requirement>, results: &[Expr]) -> Vec<Requirement> {
    if requirements.is_empty() {
        return requirements;
    }
    let mut found = FxHashSet::default();
    let mut stack: Vec<&Expr> = results.iter().collect();
    while let Some(e) = stack.pop() {
        if found.insert(e.address()) {
            stack.extend(e.args());
        }
    }
    requirements.into_iter().filter(|r| found.contains(&r.part.address())).collect()
}
