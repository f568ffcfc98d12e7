//! Scopes, frames, loops and vector regions. Each of them is a guard that restores the indices when it is dropped.

use super::error::{DimsError, ErrorKind};
use super::flow::{Fact, Source};
use super::indices::Indices;
use super::loops::{Loop, Unroll};
use super::{Dim, Scope};
use quaff::emit::is_free_name;
use quaff::expr::{int, var};
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// [`Indices`] inside a scope, frame, loop or vector region.
///
/// A frame is used like the `Indices` from which it was made. Dropping the frame restores every index, origin,
/// direction and entered scope.
#[derive(Debug)]
#[must_use = "the frame ends when this value is dropped"]
pub struct Frame<'a> {
    indices: &'a mut Indices,
    mark: usize,
    opened: Option<usize>,
}

impl Frame<'_> {
    /// The loop that this frame opened. `None` for other frames, and for a loop of one trip, which needs no code.
    pub fn opened_loop(&self) -> Option<&Loop> {
        self.opened.and_then(|at| self.indices.state.loops.get(at))
    }

    /// Ends the frame, but keeps all of its changes in the original indices. It is for callers whose blocks do not end
    /// where a Rust scope ends. The caller clones the indices, opens the frame in the clone, and drops the clone at the
    /// end of the block.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// # let limit = dims.dim("limit", 5)?;
    /// # let ix = dims.init()?;
    /// let mut inner = ix.clone();
    /// let mut frame = inner.frame();
    /// frame.set(limit, var("m"))?;
    /// frame.keep();
    /// assert!(inner.is_solved(limit)? && !ix.is_solved(limit)?);
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    pub fn keep(self) {
        std::mem::forget(self);
    }
}

impl Deref for Frame<'_> {
    type Target = Indices;
    fn deref(&self) -> &Indices {
        self.indices
    }
}

impl DerefMut for Frame<'_> {
    fn deref_mut(&mut self) -> &mut Indices {
        self.indices
    }
}

impl Drop for Frame<'_> {
    fn drop(&mut self) {
        self.indices.state.rewind(self.mark);
    }
}

impl Indices {
    /// The current position in the log, for [`rewind`](Indices::rewind).
    pub(crate) fn mark(&self) -> usize {
        self.state.mark()
    }

    /// Undoes everything since `mark`, as the end of a frame does.
    pub(crate) fn rewind(&mut self, mark: usize) {
        self.state.rewind(mark);
    }

    /// Opens a frame for temporary settings, without equations of its own.
    ///
    /// ```
    /// # use quaff_fronts::dims::Dims;
    /// # use quaff::expr::var;
    /// # let mut dims = Dims::new();
    /// # let limit = dims.dim("limit", 5)?;
    /// # let mut ix = dims.init()?;
    /// {
    ///     let mut ix = ix.frame(); // inside `if (m < 5)`
    ///     ix.set(limit, var("m"))?;
    /// }
    /// assert!(ix.get_raw(limit).is_err());
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    pub fn frame(&mut self) -> Frame<'_> {
        let mark = self.state.mark();
        Frame { indices: self, mark, opened: None }
    }

    /// Enters a scope: its equations are active until the frame ends.
    ///
    /// The parent of the scope must be entered too. It need not be the innermost scope, because siblings may be active
    /// together. Entering an active scope again has no effect.
    ///
    /// # Errors
    /// `scope_parent` when the parent is not entered. `conflict` or `overdetermined` when the equations of the scope
    /// contradict the set indices. `foreign_dim` for a scope of another `Dims`.
    pub fn scope(&mut self, scope: Scope) -> Result<Frame<'_>, DimsError> {
        let id = self.layout().model.check_scope(scope, "to enter a scope")? as u32;
        let parent = self.layout().model.scopes[id as usize].parent;
        if !self.state.is_entered(parent) {
            let (scope, parent) = (self.scope_ref(id), self.scope_ref(parent));
            return Err(ErrorKind::ScopeParent { scope, parent, active: self.active_scopes() }.into());
        }
        let mut frame = self.frame();
        if !frame.state.is_entered(id) {
            let cause = |ix: &Indices| format!("when scope `{}` is entered", ix.scope_ref(id));
            frame.transaction(cause, |ix| Ok(ix.state.enter(id)))?;
        }
        Ok(frame)
    }

    /// Opens a loop over `dim` and sets its index to the loop variable. A dimension of size 1 needs no loop: its index
    /// is 0 and [`Frame::opened_loop`] is `None`. A dimension whose size is known at run time always gives a loop,
    /// although it may run once.
    ///
    /// ```
    /// # use quaff_fronts::dims::{Dims, Unroll};
    /// # let mut dims = Dims::new();
    /// let (n, rows, columns) = (dims.dim("n", None)?, dims.dim("rows", 3)?, dims.dim("columns", 4)?);
    /// dims.eq(n, (rows, columns))?;
    /// let mut ix = dims.init()?;
    /// let mut ix = ix.loop_over(rows, "i", Unroll::Auto)?;
    /// let ix = ix.loop_over(columns, "j", Unroll::Full)?;
    /// assert_eq!(ix.get_raw(n)?.to_string(), "i*4 + j");
    /// assert_eq!(ix.loops()[0].trips.as_const(), Some(3));
    /// # Ok::<(), quaff_fronts::dims::DimsError>(())
    /// ```
    ///
    /// # Errors
    /// The codes are:
    ///
    /// - `already_solved` when the index of `dim` is already known;
    /// - `run_time` when the loop is to be unrolled completely and its number of trips is known only at run time;
    /// - `bad_name` for a variable that is no identifier or reserved in CUDA;
    /// - `name_taken` when `variable` names an open loop or a variable of a set index;
    /// - `conflict` and `overdetermined` as for [`set`](Indices::set).
    pub fn loop_over(&mut self, dim: Dim, variable: &str, unroll: Unroll) -> Result<Frame<'_>, DimsError> {
        let d = self.dim(dim, "to open a loop")?;
        self.check_unsolved(d)?;
        let trips = self.layout().size_expr(d);
        if self.layout().sizes[d].is_one() {
            return Ok(self.frame());
        }
        if unroll == Unroll::Full {
            self.number(d, "a loop that is unrolled completely")?;
        }
        let range = self.index_range(d);
        let mut frame = self.frame();
        let name: Arc<str> = variable.into();
        if !is_free_name(&name) {
            let reason = "it is no identifier, or reserved in CUDA";
            return Err(ErrorKind::BadName { what: "loop variable", name, reason }.into());
        }
        if frame.state.ranges.contains_key(&name) {
            return Err(ErrorKind::NameTaken { name }.into());
        }
        frame.transaction(
            |ix| format!("when `{}` is looped over", ix.layout().model.dims[d].label),
            |ix| {
                ix.state.set_range(&name, range);
                ix.state.state_fact(Fact::Bounds(name.clone(), (int(0)..trips.clone()).into()));
                ix.state.open_loop(Loop { dim, variable: name.clone(), trips, unroll });
                Ok(ix.state.set(d as u32, var(name.clone()), Source::Loop(name)))
            },
        )?;
        frame.opened = Some(frame.state.loops.len() - 1);
        Ok(frame)
    }
}
