//! Complete CUDA kernels from dims: loops, indices, guards and vector accesses.
//!
//! A [`Kernel`] is recorded as a tree of scopes, loops, requested indices, accesses, and lines of code with
//! placeholders. Printing it simplifies all indices and conditions of the kernel *together*, so that shared parts are
//! computed once. Every shared or loop-invariant value is declared outside of all loops that do not change it.
//!
//! ```
//! use quaff_fronts::dims::{Dims, Unroll};
//! use quaff_fronts::kernel::{Element, Kernel, Transfer};
//!
//! let mut dims = Dims::new();
//! let (block, thread, lane) = (dims.dim("block", 64)?, dims.dim("thread", 256)?, dims.dim("lane", 4)?);
//! let step = dims.dim("step", 2)?;
//! let element = dims.dim_eq("element", (block, step, thread, lane))?;
//!
//! let mut kernel = Kernel::new("copy", dims.init()?);
//! let from = kernel.input("from", Element::F32)?.aligned(16);
//! let to = kernel.output("to", Element::F32)?.aligned(16);
//! let n = kernel.scalar("n", 0..=131072)?;
//! kernel.body(|b| {
//!     b.bind(block, "b", "blockIdx.x")?;
//!     b.bind(thread, "t", "threadIdx.x")?;
//!     b.loop_over(step, "i", Unroll::Full, |b| {
//!         b.transfer(&Transfer::new((&to, element), (&from, element), lane).below(element, n))
//!     })
//! })?;
//! let text = kernel.emit()?;
//! assert_eq!(text.accesses[0].to_string(), "to <- from: float4");
//! assert!(text.source.contains("const int t0 = b * 2048 + t * 4;"), "{}", text.source);
//! assert!(text.source.contains("*reinterpret_cast<float4*>(&to[to_at])"), "{}", text.source);
//! # Ok::<(), quaff_fronts::kernel::KernelError>(())
//! ```
//!
//! Sizes may be known only at run time ([`Dims::run_time`](crate::dims::Dims::run_time)). They are parameters of the
//! kernel, and ends of its loops. If a product only [covers](crate::dims::Dims::covered) a size, transfers and loads
//! print a guard against elements beyond the size, and [`Block::inside`] puts other code under the guard.
//!
//! ```
//! use quaff_fronts::dims::Dims;
//! use quaff_fronts::kernel::{Element, Kernel, Transfer};
//!
//! let mut dims = Dims::new();
//! let n = dims.run_time("N", 1..=1 << 20, 4)?;
//! let (block, thread, lane) = (dims.dim("block", None)?, dims.dim("thread", 256)?, dims.dim("lane", 4)?);
//! dims.covered(n, (block, thread, lane))?;
//! let mut kernel = Kernel::new("copy", dims.init()?);
//! let from = kernel.input("from", Element::F32)?.aligned(16);
//! let to = kernel.output("to", Element::F32)?.aligned(16);
//! kernel.body(|b| {
//!     b.bind(block, "b", "blockIdx.x")?;
//!     b.bind(thread, "t", "threadIdx.x")?;
//!     b.transfer(&Transfer::new((&to, n), (&from, n), lane))
//! })?;
//! let text = kernel.emit()?.source;
//! assert!(text.starts_with("// blockIdx.x < (N + 1023) / 1024, threadIdx.x < 256"), "{text}");
//! assert!(text.contains("const int N) {") && text.contains("if (to_at < N) {"), "{text}");
//! # Ok::<(), quaff_fronts::kernel::KernelError>(())
//! ```
//!
//! In a vector, the guard holds for all lanes. If an end may cut a vector, [`Block::inside_or_each`] records code for
//! single elements. Transfers generate this code themselves.
//!
//! A block is recorded in a closure. Callers from other languages, which have no closures, open and close blocks by
//! calls ([`Block::open`], [`Block::close`]).
//!
//! The engine proves alignments, that lanes are neighbours, and that guards are unnecessary. If a proof fails, the
//! access stays scalar, or the guard stays.

mod access;
mod block;
mod buffer;
mod choose;
mod enter;
mod error;
mod executed;
mod load;
mod names;
mod open;
mod order;
mod place;
mod print;
mod record;
mod report;
mod schedule;
mod template;

pub use access::Transfer;
pub use block::{Block, Recorded};
pub use buffer::Buffer;
pub use enter::{Enter, Opened};
pub use error::KernelError;
pub use quaff::emit::Element;
pub use report::{AccessReport, KernelIndex, KernelText};

use crate::dims::Indices;
use quaff::Simplifier;
use quaff::domain::{Bounds, Domain};
use quaff::expr::Expr;
use record::{Parameter, Recorder};
use std::sync::Arc;

/// The reason in the error of a call that needs the text while a block is open.
const OPEN: &str = "a block of the kernel is open";

/// The reason why a parameter cannot be declared within a block.
const WITHIN: &str = "parameters are declared outside of all blocks";

/// A kernel while it is recorded.
#[derive(Clone)]
pub struct Kernel {
    name: Arc<str>,
    ix: Indices,
    rec: Recorder,
    simplifier: Simplifier,
}

impl Kernel {
    /// An empty kernel over the dimensions of `indices`. Their [run-time sizes](crate::dims::Dims::run_time) are
    /// parameters of the kernel, after all other parameters and in order of declaration. Code refers to them as
    /// `$name`.
    pub fn new(name: &str, indices: Indices) -> Kernel {
        let rec = Recorder::new(&indices);
        Kernel { name: name.into(), ix: indices, rec, simplifier: Simplifier::default() }
    }

    /// The same kernel with the rules, the cost model and the limits of `simplifier`.
    pub fn with_simplifier(mut self, simplifier: Simplifier) -> Kernel {
        self.simplifier = simplifier;
        self
    }

    /// The indices, before or after recording. While a block is [open](Block::open), these are the indices of the
    /// innermost block.
    pub fn indices(&self) -> &Indices {
        &self.ix
    }

    /// The facts about the variables of the text, under which all indices are simplified. The caller can simplify other
    /// expressions under these facts.
    pub fn facts(&self) -> Domain {
        self.rec.domain()
    }

    /// A pointer parameter that is only read.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken or no identifier, and [`KernelError::Nesting`] while a block is open.
    pub fn input(&mut self, name: &str, element: Element) -> Result<Buffer, KernelError> {
        self.pointer(name, element, "const ")
    }

    /// A pointer parameter that is written.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken or no identifier, and [`KernelError::Nesting`] while a block is open.
    pub fn output(&mut self, name: &str, element: Element) -> Result<Buffer, KernelError> {
        self.pointer(name, element, "")
    }

    fn pointer(&mut self, name: &str, element: Element, qualifier: &str) -> Result<Buffer, KernelError> {
        self.outside(WITHIN)?;
        let buffer = self.rec.buffer(name, element, element.bytes(), 0)?;
        let ty = Some(format!("{qualifier}{}* __restrict__ ", element.c_name()));
        self.rec.parameters.push(Parameter { ty, name: buffer.name.clone() });
        Ok(buffer)
    }

    /// An integer parameter with its range, the same for all threads. Its type is the first of `int`, `unsigned` and
    /// `long long` that can represent the range.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken or no identifier, and [`KernelError::Nesting`] while a block is open.
    pub fn scalar(&mut self, name: &str, bounds: impl Into<Bounds>) -> Result<Expr, KernelError> {
        self.outside(WITHIN)?;
        let bounds = bounds.into();
        let value = self.rec.scalar(name, bounds.clone())?;
        self.ix.assume(name, bounds);
        Ok(value)
    }

    /// States that the parameter `name` is a multiple of `modulus`.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that no parameter has, and [`KernelError::Nesting`] while a block is open.
    pub fn multiple(&mut self, name: &str, modulus: i64) -> Result<(), KernelError> {
        self.outside(WITHIN)?;
        match self.rec.variable(name) {
            Some(variable) => {
                variable.strides.push((modulus, 0));
                self.ix.assume_stride(name, modulus, 0);
                Ok(())
            }
            None => Err(KernelError::Name { name: name.into(), reason: "it is not declared" }),
        }
    }

    /// Declares a parameter of any other type. `ty` is the text of the type with its qualifiers.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken or no identifier, and [`KernelError::Nesting`] while a block is open.
    pub fn parameter(&mut self, ty: &str, name: &str) -> Result<(), KernelError> {
        self.outside(WITHIN)?;
        let name = self.rec.take(name)?;
        self.rec.declare(&name, 0);
        self.rec.parameters.push(Parameter { ty: Some(format!("{ty} ")), name });
        Ok(())
    }

    /// Records the body. A second call appends to it.
    ///
    /// # Errors
    /// The errors of the recorded methods. The kernel is then incomplete.
    pub fn body(&mut self, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        body(&mut self.block())
    }

    /// The innermost [open](Block::open) block, or the body if no block is open.
    pub fn block(&mut self) -> Block<'_> {
        Block { ix: &mut self.ix, rec: &mut self.rec, simplifier: &self.simplifier }
    }

    /// Returns an error unless all blocks are closed.
    fn outside(&self, reason: &'static str) -> Recorded {
        if self.rec.levels.is_empty() { Ok(()) } else { Err(KernelError::Nesting { reason }) }
    }

    /// The CUDA text with all indices simplified together.
    ///
    /// # Errors
    /// [`KernelError::Simplify`] when the facts contradict one another or a divisor can be 0. [`KernelError::Lower`]
    /// when an index needs more than 64 bits. [`KernelError::Name`] when the kernel, or an index that no code mentions,
    /// has a name that is invalid or already has another meaning in CUDA. [`KernelError::Nesting`] when a block is
    /// [open](Block::open).
    pub fn emit(&self) -> Result<KernelText, KernelError> {
        self.outside(OPEN)?;
        print::simplified(&self.name, &self.rec, &self.simplifier)
    }

    /// The CUDA text with all indices as the solver built them, for comparison. The text uses the `/` and `%` of C, and
    /// shares no subexpressions. It is correct if no dividend is negative, which holds for all indices of dimensions.
    ///
    /// # Errors
    /// [`KernelError::Raw`] when an expression has an operator without a spelling in C. [`KernelError::Simplify`] for a
    /// variable that is not declared. Also [`KernelError::Name`] for the same names as [`emit`](Kernel::emit).
    pub fn emit_raw(&self) -> Result<String, KernelError> {
        self.outside(OPEN)?;
        print::raw(&self.name, &self.rec)
    }
}
