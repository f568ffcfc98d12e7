//! Reads texts with the grammar of Python: Triton, Inductor, sympy, TVM, tinygrad and Python itself.

mod access;
mod calls;
mod fractions;
mod functions;
mod language;
mod numbers;
mod operators;
mod reader;
mod refusal;
mod syntax;
mod trouble;
mod value;

use crate::dialect::Dialect;
use crate::error::ReadError;
use crate::reading::Read;
use language::Language;
use quaff_expr::domain::Domain;
use quaff_expr::expr::{Dag, Expr};
use reader::Reader;
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Reads `text` with the grammar of Python and the meaning of `dialect`.
pub(crate) fn read(text: &str, dialect: Dialect) -> Result<Read, ReadError> {
    let mut reader = Reader::new(text, Language::of(dialect));
    let results = reader.results().map_err(|refusal| refusal.error(text))?;
    let ranges = std::mem::take(&mut reader.ranges);
    // definitions that no result uses add no ranges or requirements
    let names = variables(&results);
    let used = ranges.iter().filter(|(name, _)| names.contains(name));
    let ends: Vec<Expr> = used.flat_map(|(_, b)| b.lower().into_iter().chain(b.upper())).cloned().collect();
    let ends = variables(&ends);
    let mut domain = Domain::new();
    for (name, bounds) in ranges {
        if names.contains(&name) || ends.contains(&name) {
            domain.add_bounds(name, bounds);
        }
    }
    for condition in std::mem::take(&mut reader.assumptions) {
        if variables(std::slice::from_ref(&condition)).iter().all(|name| names.contains(name)) {
            domain = domain.assume(condition);
        }
    }
    let used = addresses(&results);
    let mut requirements = std::mem::take(&mut reader.requirements);
    requirements.retain(|r| used.contains(&r.part.address()));
    Ok(Read { results: reader.nodes.finish(results, text), domain, requirements })
}

/// The variables of `roots`.
fn variables(roots: &[Expr]) -> FxHashSet<Arc<str>> {
    Dag::new(roots).variables().cloned().collect()
}

/// The addresses of all nodes of `roots`.
fn addresses(roots: &[Expr]) -> FxHashSet<usize> {
    let mut seen = FxHashSet::default();
    let mut todo: Vec<&Expr> = roots.iter().collect();
    while let Some(e) = todo.pop() {
        if seen.insert(e.address()) {
            todo.extend(e.args());
        }
    }
    seen
}
