//! The error type of kernel building.

use crate::dims::DimsError;
use crate::view::ViewError;
use quaff::SimplifyError;
use quaff::expr::Expr;
use quaff::lower::LowerError;
use std::sync::Arc;

/// The reason why a kernel cannot be built or printed.
#[derive(Clone, Debug, thiserror::Error, miette::Diagnostic)]
#[non_exhaustive]
pub enum KernelError {
    /// An index cannot be set or read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dims(#[from] DimsError),
    /// An index, condition or proof cannot be simplified.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
    /// An index cannot be written as machine text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// A buffer cannot be read through a view.
    #[error(transparent)]
    #[diagnostic(transparent)]
    View(#[from] ViewError),
    /// The size of a dimension differs from the size of the axis that it indexes.
    #[error("dimension {dim} has {size} indices and axis {axis} of the view {wanted}")]
    #[diagnostic(
        code(quaff::kernel::view_shape),
        help("a view is read by one dimension for each axis, of the same sizes; `ViewStack::dims` declares them")
    )]
    ViewShape {
        /// The name of the dimension in messages.
        dim: Arc<str>,
        /// The size of the dimension.
        size: Expr,
        /// The number of the axis, from 0 on.
        axis: usize,
        /// The size of the axis.
        wanted: String,
    },
    /// A view has a size that is no number, but a dimension needs one.
    #[error("axis {axis} of the view has the size {size}, and sizes of dimensions are numbers")]
    #[diagnostic(code(quaff::kernel::symbolic_view), help("make the view with a number in place of each variable"))]
    SymbolicView {
        /// The number of the axis, from 0 on.
        axis: usize,
        /// The size of the axis.
        size: String,
    },
    /// A name that is invalid in CUDA, or that the kernel uses already.
    #[error("`{}` cannot be a name in a kernel: {reason}", name.escape_debug())]
    #[diagnostic(code(quaff::kernel::name), help("choose another name"))]
    Name {
        /// The name.
        name: Arc<str>,
        /// The reason why the name is invalid.
        reason: &'static str,
    },
    /// An index or condition is used outside of the block of one of its variables.
    #[error("`{name}` has the variable `{variable}`, which has no value there")]
    #[diagnostic(
        code(quaff::kernel::hidden),
        help("a loop variable has a value in its loop, and a defined value in the rest of its block")
    )]
    Hidden {
        /// The name of the index or condition.
        name: Arc<str>,
        /// The variable.
        variable: Arc<str>,
    },
    /// A buffer of another kernel, or of a block that has ended.
    #[error("`{name}` is no buffer that is visible here")]
    #[diagnostic(
        code(quaff::kernel::buffer),
        help("a parameter is visible in all of its kernel, an array in the block that declares it")
    )]
    UnknownBuffer {
        /// The name of the buffer.
        name: Arc<str>,
    },
    /// Blocks are not closed in the reverse order of their opening.
    #[error("{reason}")]
    #[diagnostic(
        code(quaff::kernel::nesting),
        help("blocks end in the reverse order of their beginnings, and all of them end")
    )]
    Nesting {
        /// The reason why the blocks are not closed correctly.
        reason: &'static str,
    },
    /// The end of a dimension may be between two lanes of a vector, and there is no code for single elements.
    #[error("the end {end} may cut a vector of {lanes} lanes, the first of which has the index {index}")]
    #[diagnostic(
        code(quaff::kernel::cut_vector),
        help(
            "make the end a multiple of {lanes}, by its step; or give the code of one element for the rest, or a transfer; or \
             leave the guard to the code"
        )
    )]
    CutVector {
        /// The number of lanes.
        lanes: i64,
        /// The index at the first lane.
        index: Expr,
        /// The exclusive upper bound of the index.
        end: Expr,
    },
    /// A placeholder that is not defined in its block.
    #[error("`{placeholder}` is not known here, in `{text}`")]
    #[diagnostic(
        code(quaff::kernel::placeholder),
        help(
            "`$name` stands for an index asked for in this block or around it, `$|dim|` for a size, `$$` for a dollar"
        )
    )]
    Placeholder {
        /// The placeholder as written.
        placeholder: String,
        /// The code with the placeholder.
        text: String,
    },
    /// A schedule that has no lane for some elements.
    #[error("a schedule of {lanes} lanes for {elements} elements")]
    #[diagnostic(code(quaff::kernel::schedule), help("search a schedule for as many elements as the dimension has"))]
    Schedule {
        /// The size of the dimension.
        elements: i64,
        /// The number of lanes of the schedule.
        lanes: i64,
    },
    /// Raw text was requested, but an index has an operator without a plain spelling in C.
    #[error("`{expr}` has no plain C text")]
    #[diagnostic(code(quaff::kernel::raw), help("print the simplified kernel instead"))]
    Raw {
        /// The expression.
        expr: String,
    },
}
