//! Texts with Python's grammar: Triton, Inductor, sympy, TVM, tinygrad and Python itself.

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
use quaff_expr::expr::{Dag, Expr, Op};
use reader::Reader;
use rustc_hash::FxHashSet;

/// Reads `text` with the grammar of Python and the meaning of `dialect`.
pub(crate) fn read(text: &str, dialect: Dialect) -> Result<Read, ReadError> {
    let mut reader = Reader::new(text, Language::of(dialect));
    let results = reader.results().map_err(|refusal| refusal.error(text))?;
    // definitions that no result uses say nothing
    let dag = Dag::new(&results);
    let names: FxHashSet<&str> = dag
        .nodes()
        .iter()
        .filter_map(|node| match &node.op {
            Op::Var(name) => Some(&**name),
            _ => None,
        })
        .collect();
    let mut domain = Domain::new();
    for (name, bounds) in std::mem::take(&mut reader.ranges) {
        if names.contains(&*name) && !domain.contains(&name) {
            domain.add_bounds(name, bounds);
        }
    }
    let used = addresses(&results);
    let mut requirements = std::mem::take(&mut reader.requirements);
    requirements.retain(|r| used.contains(&r.value.address()));
    Ok(Read { results: reader.nodes.finish(results, text), domain, requirements })
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
