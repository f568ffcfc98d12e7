//! `quaff.Block`: blocks of `with` statements.

use super::PyKernel;
use super::recording::nesting;
use crate::expr::PyExpr;
use pyo3::prelude::*;
use quaff::expr::Parsed;
use quaff_fronts::kernel::{Enter, Opened};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The reason why a kernel has ended with an incomplete block.
const LEFT: &str = "a block of the kernel was left with an exception";

/// A block of a `with` statement.
#[pyclass(name = "KernelBlock", module = "quaff", frozen)]
pub(crate) struct PyBlock {
    pub(super) kernel: Py<PyKernel>,
    pub(super) enter: Enter,
    /// The condition of the block with its text.
    pub(super) parsed: Option<Parsed>,
    /// A function that records the code for one element.
    pub(super) rest: Option<Py<PyAny>>,
    pub(super) opened: Mutex<Option<Opened>>,
}

impl PyBlock {
    pub(super) fn new(kernel: &Bound<'_, PyKernel>, enter: Enter) -> PyBlock {
        PyBlock { kernel: kernel.clone().unbind(), enter, parsed: None, rest: None, opened: Mutex::default() }
    }

    /// Locks the state of the block. If the kernel is locked too, it must be locked first.
    fn opened(&self) -> MutexGuard<'_, Option<Opened>> {
        self.opened.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyBlock {
    /// Opens the block. Returns the variable of a loop, and the kernel for other blocks.
    fn __enter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let variable = self.kernel.get().record(py, &[self.parsed.as_ref()], |k| {
            let mut opened = self.opened();
            if opened.is_some() {
                return Err(nesting("the block is open already"));
            }
            Ok(opened.insert(k.block().open(&self.enter)?).variable().cloned())
        })?;
        match variable {
            Some(variable) => Ok(Bound::new(py, PyExpr(variable))?.into_any()),
            None => Ok(self.kernel.bind(py).clone().into_any()),
        }
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let kernel = self.kernel.get();
        if !kind.is_none() {
            kernel.end(py, LEFT);
            return Ok(());
        }
        let with_rest = self.rest.is_some();
        let each = kernel.record(py, &[], |k| {
            let opened = self.opened().take().ok_or_else(|| nesting("the block is not open"))?;
            if with_rest { k.block().rest(opened) } else { k.block().close(opened).map(|()| None) }
        })?;
        let (Some(each), Some(rest)) = (each, &self.rest) else { return Ok(()) };
        if let Err(error) = rest.call0(py) {
            kernel.end(py, LEFT);
            return Err(error);
        }
        kernel.record(py, &[], |k| k.block().close(each))
    }
}
