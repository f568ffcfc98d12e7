//! quaff for Python: the classes and functions of `quaff._quaff`. The package that users import, `quaff`, is in
//! `python/python/quaff`.
//!
//! Searches release the interpreter's lock. Questions of `Facts` and `Analyzer`, and operations of layouts, hold it.
//! Every class except `Facts` is frozen, so that threads may share its objects.

#![allow(
    clippy::doc_lazy_continuation,
    reason = "docstrings have examples for an interpreter, which Markdown takes for quotes"
)]

mod accesses;
mod answer;
mod arguments;
mod ask;
mod building;
mod dialects;
mod dims;
mod domain;
mod errors;
mod explain;
mod explore;
mod expr;
mod facts;
mod fronts;
mod function;
mod index_type;
mod kernel;
mod layout;
mod linear_layout;
mod many;
mod memo;
mod nodes;
mod numbers;
mod pickle;
mod ranges;
mod rewrite;
mod simplifier;
mod substitution;
mod symbolic_layout;
mod view;
mod when;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

#[pymodule]
fn _quaff(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<expr::PyExpr>()?;
    module.add_class::<function::PyFunction>()?;
    module.add_class::<rewrite::PyRewritten>()?;
    module.add_class::<domain::PyDomain>()?;
    module.add_class::<dims::PyDims>()?;
    module.add_class::<dims::PyDim>()?;
    module.add_class::<dims::PyProduct>()?;
    module.add_class::<dims::PySum>()?;
    module.add_class::<dims::PyEquation>()?;
    module.add_class::<dims::PyScope>()?;
    module.add_class::<dims::PyIndices>()?;
    module.add_class::<kernel::PyKernel>()?;
    module.add_class::<kernel::PyBuffer>()?;
    module.add_class::<kernel::PyKernelText>()?;
    module.add_class::<simplifier::PySimplifier>()?;
    module.add_class::<facts::PyFacts>()?;
    module.add_class::<answer::PySimplified>()?;
    module.add_class::<answer::PyStep>()?;
    module.add_class::<accesses::PyAccess>()?;
    module.add_class::<accesses::PySimplifiedAccesses>()?;
    module.add_class::<explain::PyDecision>()?;
    module.add_class::<explain::PyExplanation>()?;
    module.add_class::<explain::PyExplained>()?;
    module.add_class::<explore::PyExplorer>()?;
    module.add_class::<memo::PyMemo>()?;
    module.add_class::<view::PyView>()?;
    module.add_class::<layout::PyLayout>()?;
    module.add_class::<linear_layout::PyLinearLayout>()?;
    module.add_class::<symbolic_layout::PySymbolicLayout>()?;
    module.add_class::<index_type::PyIndexType>()?;
    module.add_class::<fronts::PyLaneOrder>()?;
    module.add_function(wrap_pyfunction!(nodes::from_nodes, module)?)?;
    module.add_function(wrap_pyfunction!(nodes::to_nodes, module)?)?;
    module.add_function(wrap_pyfunction!(dialects::read, module)?)?;
    module.add_function(wrap_pyfunction!(rewrite::rewrite, module)?)?;
    module.add_function(wrap_pyfunction!(explain::verify, module)?)?;
    module.add_function(wrap_pyfunction!(explore::explore, module)?)?;
    module.add_function(wrap_pyfunction!(explore::program, module)?)?;
    module.add_function(wrap_pyfunction!(fronts::bank_conflicts, module)?)?;
    module.add_function(wrap_pyfunction!(fronts::coalesce, module)?)?;
    module.add_function(wrap_pyfunction!(index_type::canonical, module)?)?;
    module.add_function(wrap_pyfunction!(ask::lanes, module)?)?;
    module.add_function(wrap_pyfunction!(ask::parts, module)?)?;
    module.add_function(wrap_pyfunction!(ask::strides, module)?)?;
    module.add_function(wrap_pyfunction!(ask::injective, module)?)?;
    module.add_function(wrap_pyfunction!(ask::surjective, module)?)?;
    module.add_function(wrap_pyfunction!(ask::inverse, module)?)?;
    module.add_function(wrap_pyfunction!(ask::detect, module)?)?;
    module.add_function(wrap_pyfunction!(ask::subspace_divide, module)?)?;
    module.add_function(wrap_pyfunction!(ask::image, module)?)?;
    module.add_function(wrap_pyfunction!(ranges::ranges, module)?)?;
    module.add_function(wrap_pyfunction!(ranges::rescale, module)?)?;
    module.add_function(wrap_pyfunction!(ask::disjoint, module)?)?;
    module.add_function(wrap_pyfunction!(when::when, module)?)?;
    module.add_function(wrap_pyfunction!(when::when_vector, module)?)?;
    module.add_function(wrap_pyfunction!(when::when_disjoint, module)?)?;
    module.add_class::<when::PyWhen>()?;
    module.add("OPERATORS", nodes::operators(module.py())?)?;
    Ok(())
}
