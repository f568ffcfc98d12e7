//! [`Block`]: a block of statements being recorded.

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

/// What recording gives.
pub type Recorded<T = ()> = Result<T, KernelError>;

/// A block of a kernel being recorded: the kernel's body, a loop's, or a guard's.
///
/// Code refers to what was asked for by placeholders: `$name` (or `${name}`) for an index or expression named in this
/// block or one around it, and for loop variables; `$|dim|` for the size of a dimension; `$$` for a dollar sign.
/// Everything a closure records, and every index it sets, ends with it. A call that gives an error changes nothing, but for one
/// whose closure gives it.
pub struct Block<'a> {
    pub(super) ix: &'a mut Indices,
    pub(super) rec: &'a mut Recorder,
    pub(super) simplifier: &'a Simplifier,
}

impl Block<'_> {
    /// The indices as they are here: sizes, what is solved, and why.
    pub fn indices(&self) -> &Indices {
        self.ix
    }

    /// Sets the index of `dim` to a built-in value, such as `threadIdx.x`, under a name of its own. Its range is that
    /// of the dimension. A dimension of size 1 needs no value.
    ///
    /// # Errors
    /// As [`Indices::set`]; a name that is taken.
    pub fn bind(&mut self, dim: Dim, name: &str, builtin: &str) -> Recorded<Expr> {
        let (size, name) = (self.ix.size_expr(dim)?, self.rec.take(name)?);
        // setting the index makes the range known to the indices
        if let Err(e) = self.ix.set(dim, var(name.clone())) {
            self.rec.release(&name);
            return Err(e.into());
        }
        self.rec.mentioned.extend(identifiers(builtin).map(str::to_string));
        self.rec.launch.push((builtin.to_string(), size.clone()));
        Ok(self.rec.define(name, vec![Piece::Text(builtin.to_string())], Bounds::from(int(0)..size)))
    }

    /// Defines a variable by code, such as a value loaded from memory, with the range that it has. The engine takes it
    /// as one unknown; it is computed here, once.
    ///
    /// # Errors
    /// A name that is taken; a placeholder that stands for nothing.
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

    /// States a condition that holds wherever the rest of this block uses an index, as one does that its code checks by itself.
    pub fn assume(&mut self, condition: impl Into<Expr>) {
        self.ix.assume_that(condition);
    }

    /// Sets the index of `dim`; see [`Indices::set`]. What it is made of must have been declared.
    ///
    /// # Errors
    /// As [`Indices::set`].
    pub fn set(&mut self, dim: Dim, value: impl Into<Expr>) -> Recorded {
        let value = value.into();
        let taken = matches!(value.op(), Op::Var(name) if !self.ix.is_known(name));
        self.ix.set(dim, value.clone())?;
        let (size, block) = (self.ix.size_expr(dim)?, self.rec.here);
        // A fact of the whole kernel only where it is taken to hold wherever the variable does.
        if let Op::Var(name) = value.op()
            && taken
            && size.as_const() != Some(1)
            && let Some(variable) = self.rec.variable(name).filter(|v| v.place.block == block)
        {
            variable.bounds.push(Bounds::from(int(0)..size));
        }
        Ok(())
    }

    /// Asks for the index of `dim` under a name, wherever it lies ([`inside`](Block::inside) guards it). An index that no code mentions is declared as a variable of that name,
    /// which nothing else that is visible here may have.
    ///
    /// # Errors
    /// `unsolved`, and `lanes` where one access does not cover a [vector](Block::vectorize), as [`Indices::get`].
    pub fn index(&mut self, name: &str, dim: Dim) -> Recorded {
        let raw = self.ix.get_raw(dim)?;
        self.ix.check_lanes(&[dim], self.simplifier, || self.rec.domain())?;
        self.expr(name, raw);
        Ok(())
    }

    /// As [`index`](Block::index), for any expression over declared variables: an address, a condition.
    pub fn expr(&mut self, name: &str, value: impl Into<Expr>) {
        let root = self.rec.root(name, value.into());
        self.rec.name_root(name, root);
        self.rec.ask(root, self.rec.here);
    }

    /// A line, or several lines, of code.
    ///
    /// # Errors
    /// A placeholder that stands for nothing here.
    pub fn code(&mut self, code: &str) -> Recorded {
        for line in self.rec.templates(code.lines(), self.ix)? {
            self.rec.push(self.rec.here, Statement::Code(line));
        }
        Ok(())
    }

    /// `__syncthreads();`
    pub fn sync(&mut self) {
        self.rec.push(self.rec.here, Statement::Code(vec![Piece::Text("__syncthreads();".into())]));
    }

    /// Declares a shared array, aligned for vector accesses.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn shared(&mut self, name: &str, element: Element, length: i64) -> Recorded<Buffer> {
        self.array("__shared__ __align__(16) ", name, element, length, "")
    }

    /// Declares an array that lives in registers, once all loops over it are unrolled.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn registers(&mut self, name: &str, element: Element, length: i64) -> Recorded<Buffer> {
        self.array("__align__(16) ", name, element, length, "")
    }

    /// As [`registers`](Block::registers), starting at zero.
    ///
    /// # Errors
    /// A name that is taken.
    pub fn accumulators(&mut self, name: &str, element: Element, length: i64) -> Recorded<Buffer> {
        self.array("__align__(16) ", name, element, length, " = {}")
    }

    fn array(&mut self, qualifier: &str, name: &str, element: Element, length: i64, init: &str) -> Recorded<Buffer> {
        let buffer = self.rec.buffer(name, element, 16, self.rec.here)?;
        let text = format!("{qualifier}{} {name}[{length}]{init};", element.c_name());
        self.rec.push(self.rec.here, Statement::Code(vec![Piece::Text(text)]));
        Ok(buffer)
    }

    /// Records `body` in a loop over `dim`. `$variable` is the loop variable in code. A dimension of size 1 gives no
    /// loop: its index is 0, and so is `$variable`.
    ///
    /// # Errors
    /// As [`Indices::loop_over`], and those of `body`.
    pub fn loop_over(
        &mut self,
        dim: Dim,
        variable: &str,
        unroll: Unroll,
        body: impl FnOnce(&mut Block<'_>) -> Recorded,
    ) -> Recorded {
        self.within(&Enter::Loop(dim, variable.into(), unroll), body)
    }

    /// Records `body` with the equations of `scope`.
    ///
    /// # Errors
    /// As [`Indices::scope`], and those of `body`.
    pub fn scope(&mut self, scope: Scope, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Scope(scope), body)
    }

    /// Records `body` with settings of its own.
    ///
    /// # Errors
    /// Those of `body`.
    pub fn frame(&mut self, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Frame, body)
    }

    /// Records `body` for the first of the `lanes` elements of `dim` that one access covers. Guards hold for all lanes.
    ///
    /// # Errors
    /// As [`Indices::vectorize`], and those of `body`.
    pub fn vectorize(&mut self, dim: Dim, lanes: i64, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Vector(dim, lanes), body)
    }

    /// Records `body` under `if (condition)`; without the `if` when the condition always holds.
    ///
    /// # Errors
    /// Those of simplifying the condition, and of `body`.
    pub fn guard(&mut self, condition: impl Into<Expr>, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::If(condition.into()), body)
    }

    /// Records `body` under a guard that the indices of `dims` lie inside of their sizes, as far as they come from products that
    /// only [cover](crate::dims::Dims::covered) them; without one where none is needed, or where a block around this one has
    /// it. Transfers and loads of these indices need no guard of their own in there.
    ///
    /// In a [vector](Block::vectorize) the guard holds for all lanes. An end that may be between two of them needs the code of one
    /// element: [`inside_or_each`](Block::inside_or_each).
    ///
    /// # Errors
    /// As [`guard`](Block::guard), and `foreign_dim`; in a vector, [`KernelError::CutVector`], and `lanes` as [`Indices::inside`].
    pub fn inside(&mut self, dims: &[Dim], body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        self.within(&Enter::Inside(dims.to_vec()), body)
    }

    /// As [`inside`](Block::inside), with `rest` for the vectors that an end cuts: it is recorded in a loop over the lanes, under a
    /// guard for each of them. It is left out where no end cuts a vector.
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
    /// As [`inside`](Block::inside), but for `CutVector`, and those of `rest`.
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

    /// The guards of `dims` that nothing around this block has.
    pub(super) fn open_guards(&self, dims: &[Dim]) -> Recorded<Vec<Guard>> {
        let guards = self.ix.guards(dims)?;
        Ok(guards.into_iter().filter(|guard| !self.rec.held.contains(guard)).collect())
    }

    /// The loop variable or defined value that code calls `$name`, as an expression; the variable `name` where there is none.
    ///
    /// A loop variable may have another name in the text, where a loop before has its own. That of a loop of one trip is 0.
    pub fn variable(&self, name: &str) -> Expr {
        let text = self.rec.text_of(name).unwrap_or(name);
        text.parse::<i64>().map_or_else(|_| var(text), int)
    }
}
