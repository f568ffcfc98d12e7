//! The state of a kernel that is being recorded.

use super::PyKernel;
use super::buffer::Place;
use super::text::PyKernelText;
use crate::arguments::Asked;
use crate::dims::{PyDims, PyIndices, dim_of, loop_variable, unroll_of};
use crate::errors;
use crate::simplifier::PySimplifier;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quaff::expr::Parsed;
use quaff_fronts::dims::Dim;
use quaff_fronts::kernel::{Enter, Kernel, KernelError, Transfer};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub(super) enum Recording {
    Going(Box<Kernel>),
    /// The reason why the kernel cannot record more.
    Ended(&'static str),
}

/// The exception for an error of a kernel. It has a place if the expression was given as text.
pub(super) fn failed(e: &KernelError, asked: &[Option<&Parsed>]) -> PyErr {
    match e {
        KernelError::Dims(e) => errors::other("DimsError", e),
        KernelError::Simplify(e) => errors::simplify(e, asked),
        KernelError::Lower(e) => errors::other("LowerError", e),
        KernelError::View(e) => errors::other("ViewError", e),
        e => errors::other("KernelError", e),
    }
}

/// The error about a block or a kernel that is used after its end.
pub(super) fn nesting(reason: &'static str) -> KernelError {
    KernelError::Nesting { reason }
}

impl PyKernel {
    /// A kernel without any recorded statement.
    pub(super) fn begun(
        name: String,
        dims: &Bound<'_, PyAny>,
        simplifier: Option<Py<PySimplifier>>,
    ) -> PyResult<PyKernel> {
        let py = dims.py();
        let (indices, own) = match (dims.cast::<PyDims>(), dims.cast::<PyIndices>()) {
            (Ok(dims), _) => (dims.get().indices()?, None),
            (_, Ok(indices)) => indices.get().now(py)?,
            _ => return Err(PyTypeError::new_err("a kernel is over a Dims or its Indices")),
        };
        let simplifier = simplifier.or(own);
        let kernel = Kernel::new(&name, indices.clone());
        let kernel = match &simplifier {
            None => kernel,
            Some(with) => kernel.with_simplifier(with.get().simplifier.clone()),
        };
        Ok(PyKernel { name, indices, simplifier, recording: Mutex::new(Recording::Going(Box::new(kernel))) })
    }

    pub(super) fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the kernel, with the interpreter's lock released.
    pub(super) fn record<T: Send>(
        &self,
        py: Python<'_>,
        asked: &[Option<&Parsed>],
        work: impl FnOnce(&mut Kernel) -> Result<T, KernelError> + Send,
    ) -> PyResult<T> {
        let done = py.detach(|| match &mut *self.recording() {
            Recording::Going(kernel) => work(kernel),
            Recording::Ended(reason) => Err(nesting(reason)),
        });
        done.map_err(|e| failed(&e, asked))
    }

    /// Ends the kernel, because of `reason`.
    pub(super) fn end(&self, py: Python<'_>, reason: &'static str) {
        py.detach(|| *self.recording() = Recording::Ended(reason));
    }

    pub(super) fn dim(&self, object: &Bound<'_, PyAny>) -> PyResult<Dim> {
        dim_of(&self.indices, object)
    }

    pub(super) fn dims(&self, objects: &Bound<'_, PyTuple>) -> PyResult<Vec<Dim>> {
        objects.iter().map(|object| self.dim(&object)).collect()
    }

    /// The given name, or else the name of the dimension.
    pub(super) fn named(&self, name: Option<String>, dim: Dim) -> PyResult<String> {
        let label = || self.indices.label(dim).map(|label| label.to_string());
        name.map_or_else(label, Ok).map_err(|e| failed(&e.into(), &[]))
    }

    /// A loop, as the method `loop` describes it.
    pub(super) fn loop_over(
        &self,
        dim: &Bound<'_, PyAny>,
        variable: Option<String>,
        unroll: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Enter> {
        let (at, unroll) = (self.dim(dim)?, unroll_of(unroll)?);
        let variable = variable.map_or_else(|| loop_variable(&self.indices, at), Ok);
        let variable = variable.map_err(|e| failed(&e.into(), &[]))?;
        Ok(Enter::Loop(at, variable.into(), unroll))
    }

    /// A vector, as the method `vectorize` describes it.
    pub(super) fn vector_over(&self, dim: &Bound<'_, PyAny>, size: Option<i64>) -> PyResult<Enter> {
        let at = self.dim(dim)?;
        let size = size.map_or_else(|| self.indices.size(at), Ok).map_err(|e| failed(&e.into(), &[]))?;
        Ok(Enter::Vector(at, size))
    }

    /// Ends the kernel and prints it.
    pub(super) fn finished(&self, py: Python<'_>) -> PyResult<PyKernelText> {
        let done = py.detach(|| {
            let mut recording = self.recording();
            let text = match &*recording {
                Recording::Going(kernel) => kernel.emit()?,
                Recording::Ended(reason) => return Err(nesting(reason)),
            };
            match std::mem::replace(&mut *recording, Recording::Ended("the kernel is finished")) {
                Recording::Going(kernel) => Ok(PyKernelText::new(kernel, text)),
                Recording::Ended(reason) => Err(nesting(reason)),
            }
        });
        done.map_err(|e| failed(&e, &[]))
    }

    /// Records a copy of elements, as the method `transfer` describes it.
    pub(super) fn copied(
        &self,
        py: Python<'_>,
        to: Place<'_>,
        source: Place<'_>,
        lanes: Option<Bound<'_, PyAny>>,
        below: Option<&Bound<'_, PyDict>>,
        zero: bool,
    ) -> PyResult<()> {
        let element = |(buffer, dim): Place<'_>| Ok::<_, PyErr>((buffer.get().0.clone(), self.dim(&dim)?));
        let (to, source) = (element(to)?, element(source)?);
        let lanes = lanes.map(|lanes| self.dim(&lanes)).transpose()?;
        let limit = |(dim, end): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok::<_, PyErr>((self.dim(&dim)?, end.extract::<Asked>()?))
        };
        let limits: Vec<(Dim, Asked)> = below.into_iter().flatten().map(limit).collect::<PyResult<_>>()?;
        let asked: Vec<_> = limits.iter().map(|(_, end)| end.parsed.as_ref()).collect();
        let ends: Vec<_> = limits.iter().map(|(dim, end)| (*dim, end.expr.clone())).collect();
        self.record(py, &asked, |k| {
            let (to, source) = ((&to.0, to.1), (&source.0, source.1));
            let copy = lanes.map_or_else(|| Transfer::one(to, source), |lanes| Transfer::new(to, source, lanes));
            let copy = ends.into_iter().fold(copy, |copy, (dim, end)| copy.below(dim, end));
            k.block().transfer(&if zero { copy.or_zero() } else { copy })
        })
    }
}
