//! `quaff.Kernel`: kernels over dimensions, recorded statement by statement.

mod block;
mod buffer;
mod text;

pub(crate) use buffer::PyBuffer;
pub(crate) use text::PyKernelText;

use crate::arguments::Asked;
use crate::dims::{self, PyDims, PyIndices, PyScope, dim_of, loop_variable, unroll_of};
use crate::domain::bounds;
use crate::errors;
use crate::expr::PyExpr;
use crate::fronts::PyLaneOrder;
use crate::simplifier::PySimplifier;
use crate::view::PyView;
use block::PyBlock;
use buffer::{Place, element_named};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quaff::expr::Parsed;
use quaff_fronts::dims::{Dim, Indices};
use quaff_fronts::kernel::{Enter, Kernel, KernelError, Transfer};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A kernel over dimensions, recorded statement by statement; `finish` prints it with all its indices simplified together.
///
///     k = quaff.Kernel("copy", dims)
///     source, target = k.input("source", align=16), k.output("target", align=16)
///     k.bind(block, "b", "blockIdx.x")
///     k.bind(thread, "t", "threadIdx.x")
///     with k.loop(step, "i", unroll=True):
///         k.transfer(target[element], source[element], lane)
///     print(k.finish())
///
/// Code calls what was asked for by placeholders: `$name` (or `${name}`) for an index or expression that is named in this block or one
/// around it, for loop variables and for values; `$|dim|` for the size of a dimension; `$$` for a dollar sign. What is set, assumed or
/// named in a `with` block ends with it. A call that raises changes nothing. A block that is left with an exception ends the kernel.
///
/// Args:
///     name: what the kernel is called in the text.
///     dims: a `Dims`, or `Indices` as they are when the kernel is made; variables that these are set to are declared in the kernel, as by
///         `value`. Run-time sizes are parameters behind all others.
///     simplifier: rules, limits and target machine; that of the `Indices` where none is given.
///
/// Raises:
///     DimsError: an index that cannot be set or read; `code` names the kind.
///     KernelError: a name that is taken, a placeholder that stands for nothing, blocks that do not nest, a kernel that has ended.
///     SimplifyError: a condition that cannot be simplified.
#[pyclass(name = "Kernel", module = "quaff", frozen)]
pub(crate) struct PyKernel {
    name: String,
    /// The dimensions.
    indices: Indices,
    simplifier: Option<Py<PySimplifier>>,
    recording: Mutex<Recording>,
}

enum Recording {
    Going(Box<Kernel>),
    /// Why nothing more is recorded.
    Ended(&'static str),
}

/// The exception for an error of a kernel; its place is known where the expression was given as text.
fn failed(e: &KernelError, asked: &[Option<&Parsed>]) -> PyErr {
    match e {
        KernelError::Dims(e) => errors::other("DimsError", e),
        KernelError::Simplify(e) => errors::simplify(e, asked),
        KernelError::Lower(e) => errors::other("LowerError", e),
        KernelError::View(e) => errors::other("ViewError", e),
        e => errors::other("KernelError", e),
    }
}

/// The error about blocks and kernels that are used when they have ended.
fn nesting(reason: &'static str) -> KernelError {
    KernelError::Nesting { reason }
}

impl PyKernel {
    fn recording(&self) -> MutexGuard<'_, Recording> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls `work` with the kernel, without the interpreter's lock.
    fn record<T: Send>(
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

    /// Ends the kernel.
    fn end(&self, py: Python<'_>, reason: &'static str) {
        py.detach(|| *self.recording() = Recording::Ended(reason));
    }

    fn dim(&self, object: &Bound<'_, PyAny>) -> PyResult<Dim> {
        dim_of(&self.indices, object)
    }

    fn dims(&self, objects: &Bound<'_, PyTuple>) -> PyResult<Vec<Dim>> {
        objects.iter().map(|object| self.dim(&object)).collect()
    }

    /// The name that was given, or that of the dimension.
    fn named(&self, name: Option<String>, dim: Dim) -> PyResult<String> {
        let label = || self.indices.label(dim).map(|label| label.to_string());
        name.map_or_else(label, Ok).map_err(|e| failed(&e.into(), &[]))
    }
}

#[pymethods]
impl PyKernel {
    #[new]
    #[pyo3(signature = (name, dims, *, simplifier = None))]
    fn new(name: String, dims: &Bound<'_, PyAny>, simplifier: Option<Py<PySimplifier>>) -> PyResult<PyKernel> {
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

    /// Declares a pointer parameter that is only read.
    ///
    /// Args:
    ///     element: the C type of the elements, such as "float", "int" or "__half".
    ///     align: bytes that divide its address, as 256 does for what `cudaMalloc` returns; vector accesses need it.
    #[pyo3(signature = (name, element = "float", *, align = 1))]
    fn input(&self, py: Python<'_>, name: &str, element: &str, align: i64) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        self.record(py, &[], |k| k.input(name, element)).map(|made| PyBuffer(made.aligned(align)))
    }

    /// Declares a pointer parameter that is written; the arguments are those of `input`.
    #[pyo3(signature = (name, element = "float", *, align = 1))]
    fn output(&self, py: Python<'_>, name: &str, element: &str, align: i64) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        self.record(py, &[], |k| k.output(name, element)).map(|made| PyBuffer(made.aligned(align)))
    }

    /// Declares an integer parameter, the same for all threads.
    ///
    /// Args:
    ///     range: as `Domain` has it, such as `(1, 4096)`.
    ///     multiple: a number that divides it.
    #[pyo3(signature = (name, range, *, multiple = None))]
    fn scalar(&self, py: Python<'_>, name: &str, range: &Bound<'_, PyAny>, multiple: Option<i64>) -> PyResult<PyExpr> {
        let range = bounds(name, range)?;
        let made = self.record(py, &[], |k| {
            let made = k.scalar(name, range)?;
            multiple.map_or(Ok(()), |multiple| k.multiple(name, multiple))?;
            Ok(made)
        });
        made.map(PyExpr)
    }

    /// Declares any other parameter: `k.parameter("const float", "scale")`.
    fn parameter(&self, py: Python<'_>, r#type: &str, name: &str) -> PyResult<()> {
        self.record(py, &[], |k| k.parameter(r#type, name))
    }

    /// Declares an array in shared memory, aligned for vector accesses. It is visible in this block.
    #[pyo3(signature = (name, length, element = "float"))]
    fn shared(&self, py: Python<'_>, name: &str, length: i64, element: &str) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        self.record(py, &[], |k| k.block().shared(name, element, length)).map(PyBuffer)
    }

    /// Declares an array that lives in registers, once all loops over it are unrolled. It is visible in this block.
    ///
    /// Args:
    ///     zero: whether it begins with zeros.
    #[pyo3(signature = (name, length, element = "float", *, zero = false))]
    fn registers(&self, py: Python<'_>, name: &str, length: i64, element: &str, zero: bool) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        let made = self.record(py, &[], |k| match zero {
            true => k.block().accumulators(name, element, length),
            false => k.block().registers(name, element, length),
        });
        made.map(PyBuffer)
    }

    /// Sets the index of `dim` to a built-in value such as `threadIdx.x`, under a name of its own: `k.bind(thread, "t", "threadIdx.x")`. Its
    /// range is that of the dimension.
    fn bind(&self, dim: &Bound<'_, PyAny>, name: &str, builtin: &str) -> PyResult<PyExpr> {
        let at = self.dim(dim)?;
        self.record(dim.py(), &[], |k| k.block().bind(at, name, builtin)).map(PyExpr)
    }

    /// Defines a variable by code, such as a value that is loaded: `entry = k.value("entry", (0, 31), "table[$page]")`. It is computed here,
    /// once, and is one unknown with the range given.
    fn value(&self, name: &str, range: &Bound<'_, PyAny>, code: &str) -> PyResult<PyExpr> {
        let bounds = bounds(name, range)?;
        self.record(range.py(), &[], |k| k.block().value(name, code, bounds)).map(PyExpr)
    }

    /// Sets the index of `dim`; what follows from it is solved. The value is proved to be an index of the dimension.
    fn set(&self, dim: &Bound<'_, PyAny>, value: Asked) -> PyResult<()> {
        let at = self.dim(dim)?;
        self.record(dim.py(), &[value.parsed.as_ref()], |k| k.block().set(at, value.expr.clone()))
    }

    /// Takes a condition to hold until the block ends, as one does that the code checks by itself.
    fn assume(&self, py: Python<'_>, condition: Asked) -> PyResult<()> {
        self.record(py, &[], |k| {
            k.block().assume(condition.expr);
            Ok(())
        })
    }

    /// Asks for the index of `dim` under a name, that of the dimension where none is given. Code calls it `$name`; where no code does, the
    /// text declares a variable of that name.
    ///
    /// Returns:
    ///     The index as built, as `raw` gives it.
    #[pyo3(signature = (dim, name = None))]
    fn get(&self, dim: &Bound<'_, PyAny>, name: Option<String>) -> PyResult<PyExpr> {
        let at = self.dim(dim)?;
        let name = self.named(name, at)?;
        let asked = self.record(dim.py(), &[], |k| {
            k.block().index(&name, at)?;
            Ok(k.indices().get_raw(at)?)
        });
        asked.map(PyExpr)
    }

    /// Asks for an expression over declared variables under a name, as `get` does for indices.
    fn expr(&self, py: Python<'_>, name: &str, value: Asked) -> PyResult<()> {
        self.record(py, &[], |k| {
            k.block().expr(name, value.expr);
            Ok(())
        })
    }

    /// Lines of code, with placeholders.
    fn code(&self, py: Python<'_>, code: &str) -> PyResult<()> {
        self.record(py, &[], |k| k.block().code(code))
    }

    /// `__syncthreads();`
    fn barrier(&self, py: Python<'_>) -> PyResult<()> {
        self.record(py, &[], |k| {
            k.block().sync();
            Ok(())
        })
    }

    /// Copies elements: `k.transfer(shared[tile], source[element], lane)`. `buffer[dim]` is the element at the index of a dimension.
    ///
    /// Args:
    ///     lanes: the dimension that one vector access covers where that is proved to be right, and a loop where not.
    ///     below: a dict from dimensions to limits: only elements whose indices are below all of them are copied.
    ///     zero: whether zeros are written where a limit excludes the element.
    #[pyo3(signature = (to, source, lanes = None, *, below = None, zero = false))]
    fn transfer(
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

    /// Declares a variable with the element of `buffer` that `view` reads at the indices of `dims`, one for each axis; 0 where it reads none.
    #[pyo3(signature = (name, buffer, view, *dims))]
    fn load(
        &self,
        name: &str,
        buffer: &Bound<'_, PyBuffer>,
        view: &Bound<'_, PyView>,
        dims: &Bound<'_, PyTuple>,
    ) -> PyResult<()> {
        let (at, from, through) = (self.dims(dims)?, &buffer.get().0, &view.get().0);
        self.record(dims.py(), &[], |k| k.block().load(name, from, through, &at))
    }

    /// A loop over a dimension: `with k.loop(T, "i") as i:` sets its index to the variable `i`. Another loop of the name gives its variable
    /// another one, which `i` and `$i` stand for. A dimension of size 1 needs no loop, and `i` is 0.
    ///
    /// Args:
    ///     variable: the name of the variable; that of the dimension in small letters where none is given.
    ///     unroll: True for all trips, or a number of trips; 1 forbids it.
    #[pyo3(signature = (dim, variable = None, *, unroll = None))]
    fn r#loop(
        slf: &Bound<'_, Self>,
        dim: &Bound<'_, PyAny>,
        variable: Option<String>,
        unroll: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyBlock> {
        let own = slf.get();
        let (at, unroll) = (own.dim(dim)?, unroll_of(unroll)?);
        let variable = variable.map_or_else(|| loop_variable(&own.indices, at), Ok);
        let variable = variable.map_err(|e| failed(&e.into(), &[]))?;
        Ok(PyBlock::new(slf, Enter::Loop(at, variable.into(), unroll)))
    }

    /// A block in which the equations of a scope hold.
    fn scope(slf: &Bound<'_, Self>, scope: &Bound<'_, PyScope>) -> PyBlock {
        PyBlock::new(slf, Enter::Scope(scope.get().scope))
    }

    /// A block for what is set, assumed or named for a while.
    fn frame(slf: &Bound<'_, Self>) -> PyBlock {
        PyBlock::new(slf, Enter::Frame)
    }

    /// A vector over a dimension: an index within is that of the first lane, and one access covers all lanes.
    ///
    /// Args:
    ///     size: how many lanes there are, which is the size of the dimension.
    #[pyo3(signature = (dim, size = None))]
    fn vectorize(slf: &Bound<'_, Self>, dim: &Bound<'_, PyAny>, size: Option<i64>) -> PyResult<PyBlock> {
        let own = slf.get();
        let at = own.dim(dim)?;
        let size = size.map_or_else(|| own.indices.size(at), Ok).map_err(|e| failed(&e.into(), &[]))?;
        Ok(PyBlock::new(slf, Enter::Vector(at, size)))
    }

    /// A block under `if (condition)`, which is left out where the condition always holds.
    fn condition(slf: &Bound<'_, Self>, condition: Asked) -> PyBlock {
        PyBlock { parsed: condition.parsed, ..PyBlock::new(slf, Enter::If(condition.expr)) }
    }

    /// A block under the guard that the indices of `dims` are inside, where they come from products that only cover them. In a vector,
    /// the guard holds for all lanes.
    ///
    /// Args:
    ///     rest: a function without arguments that records the code of one element. It is called when the block ends, where the end of a
    ///         dimension cuts a vector; that is an error without it.
    #[pyo3(signature = (*dims, rest = None))]
    fn inside(slf: &Bound<'_, Self>, dims: &Bound<'_, PyTuple>, rest: Option<Py<PyAny>>) -> PyResult<PyBlock> {
        let dims = slf.get().dims(dims)?;
        let enter = if rest.is_some() { Enter::InsideOrEach(dims) } else { Enter::Inside(dims) };
        Ok(PyBlock { rest, ..PyBlock::new(slf, enter) })
    }

    /// A block with the index of `element` that `order` gives to a lane; under a guard, where there are more lanes than elements.
    ///
    /// Args:
    ///     order: the `order` of what `quaff.coalesce` finds.
    ///     lane: the number of the lane, an expression over loop variables and threads.
    fn scheduled(
        slf: &Bound<'_, Self>,
        element: &Bound<'_, PyAny>,
        order: &Bound<'_, PyLaneOrder>,
        lane: Asked,
    ) -> PyResult<PyBlock> {
        let enter = Enter::Scheduled(slf.get().dim(element)?, order.get().0.clone(), lane.expr);
        Ok(PyBlock { parsed: lane.parsed, ..PyBlock::new(slf, enter) })
    }

    /// The index of a dimension as the equations build it here, for other expressions.
    fn raw(&self, dim: &Bound<'_, PyAny>) -> PyResult<PyExpr> {
        let at = self.dim(dim)?;
        self.record(dim.py(), &[], |k| Ok(k.indices().get_raw(at)?)).map(PyExpr)
    }

    /// The size of a dimension: an integer, or an expression over sizes that are known at run time.
    fn size<'py>(&self, dim: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let size = self.indices.size_expr(self.dim(dim)?).map_err(|e| failed(&e.into(), &[]))?;
        dims::size(dim.py(), size)
    }

    /// The indices as they are here, to ask for what is solved and why. What is set in them is not set in the kernel.
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<PyIndices> {
        let indices = self.record(py, &[], |k| Ok(k.indices().clone()))?;
        Ok(PyIndices::new(indices, self.simplifier.as_ref().map(|simplifier| simplifier.clone_ref(py))))
    }

    /// Prints the kernel, with all its indices simplified together. The kernel has ended then.
    ///
    /// Raises:
    ///     KernelError: a block is open, a name that CUDA does not take, a variable outside of its block.
    ///     DomainError: the facts contradict one another.
    ///     LowerError: an index needs more than 64 bits.
    fn finish(&self, py: Python<'_>) -> PyResult<PyKernelText> {
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

    fn __repr__(&self) -> String {
        format!("<Kernel {}>", self.name)
    }
}
