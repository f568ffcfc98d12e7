//! [`Block`]: a block of statements while it is recorded.

use super::KernelError;
use super::buffer::Buffer;
use super::enter::Enter;
use super::record::{Recorder, Statement};
use super::template::Piece;
use crate::dims::{Dim, Guard, Indices, Scope, Unroll};
use quaff::Simplifier;
use quaff::domain::Bounds;
use quaff::emit::Element;
use quaff::emit::identifiers;
use quaff::expr::{Expr, Op, int, var};

/// The result of a recording method.
pub type Recorded<T = ()> = Result<T, KernelError>;

/// A block of a kernel while it is recorded: the body of the kernel, of a loop, or of a guard.
///
/// Code refers to values by placeholders:
///
/// - `$name` (or `${name}`) for an index or expression that was named in this block or in a block around it, and for
///   loop variables;
/// - `$|dim|` for the size of a dimension;
/// - `$$` for a dollar sign.
///
/// The names that a closure defines and the indices that it sets are valid until the closure ends. A call that returns
/// an error changes nothing, unless the error comes from its closure.
pub struct Block<'a> {
    pub(super) ix: &'a mut Indices,
    pub(super) rec: &'a mut Recorder,
    pub(super) simplifier: &'a Simplifier,
}

impl Block<'_> {
    /// The indices at this point: sizes, solved indices, and their origins.
    pub fn indices(&self) -> &Indices {
        self.ix
    }

    /// Sets the index of `dim` to a built-in value, such as `threadIdx.x`, and gives the value a name. The range of the
    /// value is the range of the dimension. A dimension of size 1 needs no value.
    ///
    /// # Errors
    /// The errors of [`Indices::set`], and [`KernelError::Name`] for a name that is taken.
    pub fn bind(&mut self, dim: Dim, name: &str, builtin: &str) -> Recorded<Expr> {
        let (size, name) = (self.ix.size_expr(dim)?, self.rec.take(name)?);
        // setting the index also records the range of the variable
        if let Err(e) = self.ix.set(dim, var(name.clone())) {
            self.rec.release(&name);
            return Err(e.into());
        }
        self.rec.mentioned.extend(identifiers(builtin).map(str::to_string));
        self.rec.launch.push((builtin.to_string(), size.clone()));
        Ok(self.rec.define(name, vec![Piece::Text(builtin.to_string())], Bounds::from(int(0)..size)))
    }

    /// Defines a variable by code, such as a value loaded from memory, with its range. The engine uses only the range
    /// of the variable. The code is executed once, at this place.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken, and [`KernelError::Placeholder`] for a placeholder that is not
    /// defined.
    pub fn value(&mut self, name: &str, code: &str, bounds: impl Into<Bounds>) -> Recorded<Expr> {
        let (name, bounds) = (self.rec.take(name)?, bounds.into());
        match self.rec.templates([code], self.ix) {
            Ok(text) => {
                self.ix.assume(&name, bounds.clone());
                Ok(self.rec.define(name, text.concat(), bounds))
            }
            Err(e) => {
                self.rec.release(&name);
                Err(e)
            }
        }
    }

    /// States a condition that holds wherever the rest of this block uses an index. For example, code that the caller
    /// recorded checks the condition.
    pub fn assume(&mut self, condition: impl Into<Expr>) {
        self.ix.assume_that(condition);
    }

    /// Sets the index of `dim`, as [`Indices::set`] does. All of its variables must have been declared.
    ///
    /// # Errors
    /// The errors of [`Indices::set`].
    pub fn set(&mut self, dim: Dim, value: impl Into<Expr>) -> Recorded {
        let value = value.into();
        let taken = matches!(value.op(), Op::Var(name) if !self.ix.is_known(name));
        self.ix.set(dim, value.clone())?;
        let (size, block) = (self.ix.size_expr(dim)?, self.rec.here);
        // If `value` is a variable, its new bound holds in the whole kernel only if this block is the block of the
        // variable.
        if let Op::Var(name) = value.op()
            && taken
            && size.as_const() != Some(1)
            && let Some(variable) = self.rec.variable(name).filter(|v| v.place.block == block)
        {
            variable.bounds.push(Bounds::from(int(0)..size));
        }
        Ok(())
    }

    /// Requests the index of `dim` under a name. The index may be out of bounds ([`inside`](Block::inside) guards it).
    /// If no code mentions the index, the text declares a variable of this name. Then nothing else that is visible here
    /// may have the name.
    ///
    /// # Errors
    /// `unsolved` if the index is not known, and `lanes` if one access does not cover a [vector](Block::vectorize), as
    /// for [`Indices::get`].
    pub fn index(&mut self, name: &str, dim: Dim) -> Recorded {
        let raw = self.ix.get_raw(dim)?;
        self.ix.check_lanes(&[dim], self.simplifier, || self.rec.domain())?;
        self.expr(name, raw);
        Ok(())
    }

    /// Requests any expression over declared variables, such as an address or a condition, as [`index`](Block::index)
    /// does for an index.
    pub fn expr(&mut self, name: &str, value: impl Into<Expr>) {
        let root = self.rec.root(name, value.into());
        self.rec.name_root(name, root);
        self.rec.ask(root, self.rec.here);
    }

    /// Records one or several lines of code.
    ///
    /// # Errors
    /// [`KernelError::Placeholder`] for a placeholder that is not defined in this block.
    pub fn code(&mut self, code: &str) -> Recorded {
        for line in self.rec.templates(code.lines(), self.ix)? {
            self.rec.push(self.rec.here, Statement::Code(line));
        }
        Ok(())
    }

    /// Records `__syncthreads();`.
    pub fn sync(&mut self) {
        self.rec.push(self.rec.here, Statement::Code(vec![Piece::Text("__syncthreads();".into())]));
    }

    /// Declares a shared array, aligned for vector accesses.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken.
    pub fn shared(&mut self, name: &str, element: Element, length: i64) -> Recorded<Buffer> {
        self.array("__shared__ __align__(16) ", name, element, length, "")
    }

    /// Declares an array. The compiler keeps it in registers if all loops over it are unrolled.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken.
    pub fn registers(&mut self, name: &str, element: Element, length: i64) -> Recorded<Buffer> {
        self.array("__align__(16) ", name, element, length, "")
    }

    /// Declares an array as [`registers`](Block::registers) does, with all elements initialised to zero.
    ///
    /// # Errors
    /// [`KernelError::Name`] for a name that is taken.
    pub fn accumulators(&mut self, name: &str, element: Element, length: i64) -> Recorded<Buffer> {
        self.array("__align__(16) ", name, element, length, " = {}")
    }

    fn array(&mut self, qualifier: &str, name: &str, element: Element, length: i64, init: &str) -> Recorded<Buffer> {
        let buffer = self.rec.buffer(name, element, 16, self.rec.here)?;
        let text = format!("{qualifier}{} {name}[{length}]{init};", element.c_name());
        self.rec.push(self.rec.here, Statement::Code(vec![Piece::Text(text)]));
        Ok(buffer)
    }

    /// Records `body` in a loop over `dim`. In code, `$variable` is the loop variable. A dimension of size 1 gives no
    /// loop: its index and `$variable` are 0.
    ///
    /// # Errors
    /// The errors of [`Indices::loop_over`] and of `body`.
    pub fn loop_over(
        &mut self,
        dim: Dim,
        variable: &str,
        unroll: Unroll,
        body: impl FnOnce(&mut Block<'_>) -> Recorded,
    ) -> Recorded {
        self.within(&Enter::Loop(dim, variable.into(), unroll), body)
    }

    /// Records `body` with the equations of `scope` active.
    ///
    /// # Errors
    /// The errors of [`Indices::scope`] and of `body`.
    pub fn scope(&mut self, scope: Scope, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Scope(scope), body)
    }

    /// Records `body`, at whose end all indices return to their state before it.
    ///
    /// # Errors
    /// The errors of `body`.
    pub fn frame(&mut self, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Frame, body)
    }

    /// Records `body` for `lanes` elements of `dim` that one access covers together. Indices are read at the first
    /// element, and guards hold for all lanes.
    ///
    /// # Errors
    /// The errors of [`Indices::vectorize`] and of `body`.
    pub fn vectorize(&mut self, dim: Dim, lanes: i64, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Vector(dim, lanes), body)
    }

    /// Records `body` under `if (condition)`. The `if` is left out when the condition always holds.
    ///
    /// # Errors
    /// The errors of the simplification of the condition, and the errors of `body`.
    pub fn guard(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::If(condition.into()), body)
    }

    /// Records `body` under the guard that the indices of `dims` are less than their sizes, if they come from products
    /// that only [cover](crate::dims::Dims::covered) the sizes. The guard is left out if none is needed, or if a block
    /// around this one has it. Transfers and loads at these indices in `body` get no further guard.
    ///
    /// In a [vector](Block::vectorize), the guard holds for all lanes. If an end may be between two lanes, code for
    /// single elements is needed: see [`inside_or_each`](Block::inside_or_each).
    ///
    /// # Errors
    /// The errors of [`guard`](Block::guard), and `foreign_dim` for a dimension of another `Dims`. In a vector, also
    /// [`KernelError::CutVector`] if an end may be between two lanes, and the error `lanes` of [`Indices::inside`].
    pub fn inside(&mut self, dims: &[Dim], body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Inside(dims.to_vec()), body)
    }

    /// Records `body` as [`inside`](Block::inside) does, and `rest` for vectors that an end cuts. `rest` is recorded in
    /// a loop over the lanes, with a guard for each lane. If no end cuts a vector, `rest` is left out.
    ///
    /// ```
    /// use quaff_fronts::dims::Dims;
    /// use quaff_fronts::kernel::{Element, Kernel};
    ///
    /// let mut dims = Dims::new();
    /// let (n, block) = (dims.dim("n", 1002)?, dims.dim("block", None)?);
    /// let (thread, lane) = (dims.dim("thread", 64)?, dims.dim("lane", 4)?);
    /// dims.covered(n, (block, thread, lane))?;
    /// let mut kernel = Kernel::new("clear", dims.init()?);
    /// kernel.output("x", Element::F32)?.aligned(16);
    /// kernel.body(|b| {
    ///     b.bind(block, "b", "blockIdx.x")?;
    ///     b.bind(thread, "t", "threadIdx.x")?;
    ///     b.vectorize(lane, 4, |b| {
    ///         b.inside_or_each(
    ///             &[n],
    ///             |b| {
    ///                 b.index("at", n)?;
    ///                 b.code("*(float4*)(x + $at) = float4{};")
    ///             },
    ///             |b| {
    ///                 b.index("at", n)?;
    ///                 b.code("x[$at] = 0;")
    ///             },
    ///         )
    ///     })
    /// })?;
    /// let text = kernel.emit()?.source;
    /// // all four are inside where `b*256 + t*4 + 3 < 1002`, and `t0` is the number of the vector
    /// assert!(text.contains("const int t0 = b * 64 + t;") && text.contains("if (t0 < 250) {"), "{text}");
    /// assert!(text.contains("} else {"), "{text}");
    /// # Ok::<(), quaff_fronts::kernel::KernelError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`inside`](Block::inside), except for `CutVector`, and the errors of `rest`.
    pub fn inside_or_each(
        &mut self,
        dims: &[Dim],
        body: impl FnOnce(&mut Block<'_>) -> Recorded,
        rest: impl FnOnce(&mut Block<'_>) -> Recorded,
    ) -> Recorded {
        let opened = self.open(&Enter::InsideOrEach(dims.to_vec()))?;
        self.ending(opened, |block, opened| {
            body(block)?;
            let Some(each) = block.rest(opened)? else { return Ok(()) };
            rest(block)?;
            block.close(each)
        })
    }

    /// The guards of `dims` that no block around this one has.
    pub(super) fn open_guards(&self, dims: &[Dim]) -> Recorded<Vec<Guard>> {
        let guards = self.ix.guards(dims)?;
        Ok(guards.into_iter().filter(|guard| !self.rec.held.contains(guard)).collect())
    }

    /// The loop variable or defined value that code calls `$name`, as an expression. Without such a value, it is the
    /// variable `name`.
    ///
    /// A loop variable may have another name in the text, if an earlier loop has the same name. The variable of a loop
    /// of one trip is 0.
    pub fn variable(&self, name: &str) -> Expr {
        let text = self.rec.text_of(name).unwrap_or(name);
        text.parse::<i64>().map_or_else(|_| var(text), int)
    }
}
