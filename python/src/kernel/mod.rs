//! `quaff.Kernel`: kernels over dimensions, recorded statement by statement.

mod block;
mod buffer;
mod recording;
mod text;

pub(crate) use buffer::PyBuffer;
pub(crate) use text::PyKernelText;

use crate::arguments::Asked;
use crate::dims::{self, PyIndices, PyScope};
use crate::domain::bounds;
use crate::expr::PyExpr;
use crate::fronts::PyLaneOrder;
use crate::simplifier::PySimplifier;
use crate::view::PyView;
use block::PyBlock;
use buffer::{Place, element_named};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use quaff_fronts::dims::Indices;
use quaff_fronts::kernel::Enter;
use recording::{Recording, failed};
use std::sync::Mutex;

/// A kernel over dimensions, recorded statement by statement. `finish` prints it with simplified indices.
///
/// >>> dims = quaff.Dims()
/// >>> element, block, thread = dims.new("element=4096 block thread=256")
/// >>> dims.eq(element, block * thread)
/// >>> k = quaff.Kernel("zeros", dims)
/// >>> out, b, t = k.output("out"), k.bind(block, "b", "blockIdx.x"), k.bind(thread, "t", "threadIdx.x")
/// >>> at = k.get(element)
/// >>> k.code("out[$element] = 0;")
/// >>> print(k.finish())
/// // blockIdx.x < 16, threadIdx.x < 256
/// extern "C" __global__ void zeros(float* __restrict__ out) {
///   const int b = blockIdx.x;
///   const int t = threadIdx.x;
///   out[b * 256 + t] = 0;
/// }
/// <BLANKLINE>
///
/// Code has placeholders:
///
/// - `$name` (or `${name}`) is an index or expression that has this name in an open block, a loop variable, or a value;
/// - `$|dim|` is the size of a dimension;
/// - `$$` is a dollar sign.
///
/// Settings, assumptions and names in a `with` block end with the block. A call that raises an exception changes
/// nothing. If an exception leaves a block, the kernel ends.
///
/// Args:
///     name: the name of the kernel in the text.
///     dims: a `Dims`, or the current state of `Indices`. The kernel declares the variables of their settings, as
///         `value` does. Run-time sizes are parameters after all others.
///     simplifier: rules, limits and target machine. By default, they are taken from the `Indices`.
///
/// Raises:
///     DimsError: an index cannot be set or read. `code` names the kind of error.
///     KernelError: a name is taken, a placeholder has no meaning, blocks do not nest, or the kernel has ended.
///     SimplifyError: a condition that cannot be simplified.
#[pyclass(name = "Kernel", module = "quaff", frozen)]
pub(crate) struct PyKernel {
    name: String,
    /// The indices of all dimensions.
    indices: Indices,
    simplifier: Option<Py<PySimplifier>>,
    recording: Mutex<Recording>,
}

#[pymethods]
impl PyKernel {
    #[new]
    #[pyo3(signature = (name, dims, *, simplifier = None))]
    fn new(name: String, dims: &Bound<'_, PyAny>, simplifier: Option<Py<PySimplifier>>) -> PyResult<PyKernel> {
        PyKernel::begun(name, dims, simplifier)
    }

    /// Declares a pointer parameter that is only read.
    ///
    /// Args:
    ///     element: the C type of the elements, such as "float", "int" or "__half".
    ///     align: a number that divides the address, such as 256 for an address from `cudaMalloc`. Vector accesses need
    ///         it.
    ///
    /// >>> quaff.Kernel("f", quaff.Dims()).input("data", "int", align=16)
    /// <Buffer data of int>
    #[pyo3(signature = (name, element = "float", *, align = 1))]
    fn input(&self, py: Python<'_>, name: &str, element: &str, align: i64) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        self.record(py, &[], |k| k.input(name, element)).map(|made| PyBuffer(made.aligned(align)))
    }

    /// Declares a pointer parameter that is written. It has the same arguments as `input`.
    ///
    /// >>> quaff.Kernel("f", quaff.Dims()).output("sums")
    /// <Buffer sums of float>
    #[pyo3(signature = (name, element = "float", *, align = 1))]
    fn output(&self, py: Python<'_>, name: &str, element: &str, align: i64) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        self.record(py, &[], |k| k.output(name, element)).map(|made| PyBuffer(made.aligned(align)))
    }

    /// Declares an integer parameter, whose value is the same for all threads.
    ///
    /// Args:
    ///     range: the range, as in `Domain`, such as `(1, 4096)`.
    ///     multiple: a number that divides the parameter.
    ///
    /// >>> quaff.Kernel("f", quaff.Dims()).scalar("n", (16, 4096), multiple=16)
    /// quaff.Expr('n')
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

    /// Declares another parameter: `k.parameter("const float", "scale")`.
    ///
    /// >>> quaff.Kernel("f", quaff.Dims()).parameter("const float", "scale")
    fn parameter(&self, py: Python<'_>, r#type: &str, name: &str) -> PyResult<()> {
        self.record(py, &[], |k| k.parameter(r#type, name))
    }

    /// Declares an array in shared memory, aligned for vector accesses.
    ///
    /// The array is visible until the end of the current block.
    ///
    /// >>> quaff.Kernel("f", quaff.Dims()).shared("tile", 1024)
    /// <Buffer tile of float>
    #[pyo3(signature = (name, length, element = "float"))]
    fn shared(&self, py: Python<'_>, name: &str, length: i64, element: &str) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        self.record(py, &[], |k| k.block().shared(name, element, length)).map(PyBuffer)
    }

    /// Declares an array that is in registers if all loops over it are unrolled.
    ///
    /// The array is visible until the end of the current block.
    ///
    /// Args:
    ///     zero: whether the elements are initialised with zeros.
    ///
    /// >>> quaff.Kernel("f", quaff.Dims()).registers("sums", 4, zero=True)
    /// <Buffer sums of float>
    #[pyo3(signature = (name, length, element = "float", *, zero = false))]
    fn registers(&self, py: Python<'_>, name: &str, length: i64, element: &str, zero: bool) -> PyResult<PyBuffer> {
        let element = element_named(element)?;
        let made = self.record(py, &[], |k| match zero {
            true => k.block().accumulators(name, element, length),
            false => k.block().registers(name, element, length),
        });
        made.map(PyBuffer)
    }

    /// Sets the index of `dim` to a built-in value, under the given name: `k.bind(thread, "t", "threadIdx.x")`.
    ///
    /// The variable has the range of the dimension.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread = dims.new("thread=64")
    /// >>> quaff.Kernel("f", dims).bind(thread, "t", "threadIdx.x")
    /// quaff.Expr('t')
    fn bind(&self, dim: &Bound<'_, PyAny>, name: &str, builtin: &str) -> PyResult<PyExpr> {
        let at = self.dim(dim)?;
        self.record(dim.py(), &[], |k| k.block().bind(at, name, builtin)).map(PyExpr)
    }

    /// Defines a variable by code, such as a loaded value: `entry = k.value("entry", (0, 31), "table[$page]")`.
    ///
    /// The value is computed here, once. Other expressions treat it as an unknown with the given range.
    ///
    /// >>> k = quaff.Kernel("f", quaff.Dims())
    /// >>> table = k.input("table", "int")
    /// >>> k.value("entry", (0, 31), "table[0]")
    /// quaff.Expr('entry')
    fn value(&self, name: &str, range: &Bound<'_, PyAny>, code: &str) -> PyResult<PyExpr> {
        let bounds = bounds(name, range)?;
        self.record(range.py(), &[], |k| k.block().value(name, code, bounds)).map(PyExpr)
    }

    /// Sets the index of `dim`, and solves the indices that follow from it.
    ///
    /// The method proves that the value is an index of the dimension.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row = dims.new("row=64")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> k.set(row, 3)
    /// >>> k.raw(row)
    /// quaff.Expr('3')
    fn set(&self, dim: &Bound<'_, PyAny>, value: Asked) -> PyResult<()> {
        let at = self.dim(dim)?;
        self.record(dim.py(), &[value.parsed.as_ref()], |k| k.block().set(at, value.expr.clone()))
    }

    /// Assumes that a condition holds until the block ends, such as a condition that the code checks by itself.
    ///
    /// >>> k = quaff.Kernel("f", quaff.Dims())
    /// >>> n = k.scalar("n", (1, 4096))
    /// >>> k.assume(n < 64)
    fn assume(&self, py: Python<'_>, condition: Asked) -> PyResult<()> {
        self.record(py, &[], |k| {
            k.block().assume(condition.expr);
            Ok(())
        })
    }

    /// Requests the index of `dim` under a name. By default it is the name of the dimension.
    ///
    /// Code refers to the index as `$name`. If no code refers to it, the text declares a variable of that name.
    ///
    /// Returns:
    ///     The index as built, as `raw` gives it.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row = dims.new("row=64")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> k.set(row, 3)
    /// >>> k.get(row, "at")
    /// quaff.Expr('3')
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

    /// Requests an expression over declared variables under a name, as `get` requests indices.
    ///
    /// >>> k = quaff.Kernel("f", quaff.Dims())
    /// >>> n, out = k.scalar("n", (1, 4096)), k.output("out", "int")
    /// >>> k.expr("half", n*4//8)
    /// >>> k.code("out[0] = $half;")
    /// >>> "out[0] = n >> 1;" in str(k.finish())
    /// True
    fn expr(&self, py: Python<'_>, name: &str, value: Asked) -> PyResult<()> {
        self.record(py, &[], |k| {
            k.block().expr(name, value.expr);
            Ok(())
        })
    }

    /// Adds lines of code, with placeholders.
    ///
    /// >>> k = quaff.Kernel("f", quaff.Dims())
    /// >>> n, out = k.scalar("n", (1, 4096)), k.output("out", "int")
    /// >>> k.code("out[0] = $n;")
    /// >>> "out[0] = n;" in str(k.finish())
    /// True
    fn code(&self, py: Python<'_>, code: &str) -> PyResult<()> {
        self.record(py, &[], |k| k.block().code(code))
    }

    /// Waits for all threads of the block: `__syncthreads();`.
    ///
    /// >>> quaff.Kernel("f", quaff.Dims()).barrier()
    fn barrier(&self, py: Python<'_>) -> PyResult<()> {
        self.record(py, &[], |k| {
            k.block().sync();
            Ok(())
        })
    }

    /// Copies elements: `k.transfer(shared[tile], source[element], lane)`.
    ///
    /// `buffer[dim]` is the element at the index of a dimension.
    ///
    /// Args:
    ///     lanes: the dimension that one vector access covers if that is proved right. Otherwise the copy is a loop.
    ///     below: a dict from dimensions to limits. Only elements whose indices are below all limits are copied.
    ///     zero: whether zeros are written for elements that a limit excludes.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> element, thread, lane = dims.new("element=256 thread lane=4")
    /// >>> dims.eq(element, thread * lane)
    /// >>> k = quaff.Kernel("copy", dims)
    /// >>> source, target = k.input("source", align=16), k.output("target", align=16)
    /// >>> t = k.bind(thread, "t", "threadIdx.x")
    /// >>> k.transfer(target[element], source[element], lane)
    /// >>> k.finish().accesses[0]["vectors"]
    /// ['float4']
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
        self.copied(py, to, source, lanes, below, zero)
    }

    /// Declares a variable with the element of `buffer` that `view` reads at `dims`. It is 0 if `view` has no element.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row = dims.new("row=12")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> data, r = k.input("data"), k.bind(row, "r", "threadIdx.x")
    /// >>> k.load("v", data, quaff.View([10]).pad([(1, 1)]), row)
    /// >>> print(str(k.finish()).splitlines()[3].strip())
    /// const float v = (r < 11 && r >= 1) ? data[r - 1] : (float)0;
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

    /// A loop over a dimension. `with k.loop(T, "i") as i:` sets the index of `T` to the variable `i`.
    ///
    /// If an outer loop has the same name, the variable gets another name, and `i` and `$i` refer to this new variable.
    /// A dimension of size 1 needs no loop, and `i` is 0.
    ///
    /// Args:
    ///     variable: the name of the variable. By default it is the name of the dimension in lower case.
    ///     unroll: True for all trips, or a number of trips. 1 forbids unrolling.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> step = dims.new("step=4")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> with k.loop(step, "i", unroll=True) as i:
    /// ...     k.raw(step)
    /// quaff.Expr('i')
    #[pyo3(signature = (dim, variable = None, *, unroll = None))]
    fn r#loop(
        slf: &Bound<'_, Self>,
        dim: &Bound<'_, PyAny>,
        variable: Option<String>,
        unroll: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<PyBlock> {
        slf.get().loop_over(dim, variable, unroll).map(|enter| PyBlock::new(slf, enter))
    }

    /// A block in which the equations of a scope hold.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> load = dims.new_scope("load")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> with k.scope(load):
    /// ...     k.code("// load")
    fn scope(slf: &Bound<'_, Self>, scope: &Bound<'_, PyScope>) -> PyBlock {
        PyBlock::new(slf, Enter::Scope(scope.get().scope))
    }

    /// A `with` block. Settings, assumptions and names in it hold until its end.
    ///
    /// >>> k = quaff.Kernel("f", quaff.Dims())
    /// >>> with k.frame():
    /// ...     k.code("// here")
    fn frame(slf: &Bound<'_, Self>) -> PyBlock {
        PyBlock::new(slf, Enter::Frame)
    }

    /// A `with` block in which a dimension is one vector access.
    ///
    /// An index in the block is the index of the first lane, and one access covers all lanes.
    ///
    /// Args:
    ///     size: the number of lanes. It must be the size of the dimension.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> lane = dims.new("lane=4")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> with k.vectorize(lane):
    /// ...     k.raw(lane)
    /// quaff.Expr('0')
    #[pyo3(signature = (dim, size = None))]
    fn vectorize(slf: &Bound<'_, Self>, dim: &Bound<'_, PyAny>, size: Option<i64>) -> PyResult<PyBlock> {
        slf.get().vector_over(dim, size).map(|enter| PyBlock::new(slf, enter))
    }

    /// A `with` block that runs only if `condition` holds. The `if` is left out if the condition always holds.
    ///
    /// >>> k = quaff.Kernel("f", quaff.Dims())
    /// >>> n = k.scalar("n", (1, 4096))
    /// >>> with k.condition(n < 64):
    /// ...     k.code("// a small one")
    /// >>> "if (n < 64) {" in str(k.finish())
    /// True
    fn condition(slf: &Bound<'_, Self>, condition: Asked) -> PyBlock {
        PyBlock { parsed: condition.parsed, ..PyBlock::new(slf, Enter::If(condition.expr)) }
    }

    /// A block with the guard that the indices of `dims` are inside, if a product only covers one of these dimensions.
    ///
    /// In a vector, the guard covers all lanes.
    ///
    /// Args:
    ///     rest: a function without arguments that records the code of one element. It is called at the end of the
    ///         block if the end of a dimension may cut a vector. Without `rest`, such a vector is an error.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> row, block, lane = dims.new("row=100 block lane=32")
    /// >>> dims.covered(row, block * lane)
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> b, t = k.bind(block, "b", "blockIdx.x"), k.bind(lane, "t", "threadIdx.x")
    /// >>> with k.inside(row):
    /// ...     k.code("// a row")
    #[pyo3(signature = (*dims, rest = None))]
    fn inside(slf: &Bound<'_, Self>, dims: &Bound<'_, PyTuple>, rest: Option<Py<PyAny>>) -> PyResult<PyBlock> {
        let dims = slf.get().dims(dims)?;
        let enter = if rest.is_some() { Enter::InsideOrEach(dims) } else { Enter::Inside(dims) };
        Ok(PyBlock { rest, ..PyBlock::new(slf, enter) })
    }

    /// A block with the index of `element` that `order` assigns to a lane. A guard excludes lanes without an element.
    ///
    /// Args:
    ///     order: the `order` in an answer of `quaff.coalesce`.
    ///     lane: the number of the lane, an expression over loop variables and threads.
    ///
    /// >>> order = quaff.coalesce(["i%16*16 + i//16"], "i", 256)[0]["order"]
    /// >>> dims = quaff.Dims()
    /// >>> element = dims.new("element=256")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> u = k.value("u", (0, 255), "threadIdx.x")
    /// >>> with k.scheduled(element, order, u):
    /// ...     k.raw(element)
    /// quaff.Expr('u%16*16 + u//16')
    fn scheduled(
        slf: &Bound<'_, Self>,
        element: &Bound<'_, PyAny>,
        order: &Bound<'_, PyLaneOrder>,
        lane: Asked,
    ) -> PyResult<PyBlock> {
        let enter = Enter::Scheduled(slf.get().dim(element)?, order.get().0.clone(), lane.expr);
        Ok(PyBlock { parsed: lane.parsed, ..PyBlock::new(slf, enter) })
    }

    /// The index of a dimension as the equations build it at this place, for other expressions.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread = dims.new("thread=64")
    /// >>> k = quaff.Kernel("f", dims)
    /// >>> t = k.bind(thread, "t", "threadIdx.x")
    /// >>> k.raw(thread)
    /// quaff.Expr('t')
    fn raw(&self, dim: &Bound<'_, PyAny>) -> PyResult<PyExpr> {
        let at = self.dim(dim)?;
        self.record(dim.py(), &[], |k| Ok(k.indices().get_raw(at)?)).map(PyExpr)
    }

    /// The size of a dimension: an integer, or an expression over sizes that are known at run time.
    ///
    /// >>> dims = quaff.Dims()
    /// >>> thread = dims.new("thread=64")
    /// >>> quaff.Kernel("f", dims).size(thread)
    /// 64
    fn size<'py>(&self, dim: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let size = self.indices.size_expr(self.dim(dim)?).map_err(|e| failed(&e.into(), &[]))?;
        dims::size(dim.py(), size)
    }

    /// The current indices, which can be inspected. Changing them does not change the kernel.
    #[getter]
    fn indices(&self, py: Python<'_>) -> PyResult<PyIndices> {
        let indices = self.record(py, &[], |k| Ok(k.indices().clone()))?;
        Ok(PyIndices::new(indices, self.simplifier.as_ref().map(|simplifier| simplifier.clone_ref(py))))
    }

    /// Prints the kernel, with all its indices simplified together.
    ///
    /// This ends the kernel.
    ///
    /// Raises:
    ///     KernelError: a block is open, a name is not accepted by CUDA, or a variable is used outside of its block.
    ///     DomainError: the facts contradict each other.
    ///     LowerError: an index needs more than 64 bits.
    ///
    /// >>> print(quaff.Kernel("f", quaff.Dims()).finish())
    /// extern "C" __global__ void f() {
    /// }
    /// <BLANKLINE>
    fn finish(&self, py: Python<'_>) -> PyResult<PyKernelText> {
        self.finished(py)
    }

    fn __repr__(&self) -> String {
        format!("<Kernel {}>", self.name)
    }
}
