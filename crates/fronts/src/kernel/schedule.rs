//! Blocks in which the index of a dimension follows a schedule.

use super::block::{Block, Recorded};
use super::enter::Enter;
#[cfg(doc)]
use super::error::KernelError;
use crate::coalesce::Schedule;
use crate::dims::Dim;
use quaff::expr::Expr;

impl Block<'_> {
    /// Records `body` with the index of `element` that `schedule` assigns to the lane number `lane`, an expression over
    /// loop variables and threads. If the schedule has more lanes than there are elements, `body` is under a guard.
    ///
    /// ```
    /// use quaff_fronts::coalesce::{Digits, Schedule};
    /// use quaff_fronts::dims::{Dims, Unroll};
    /// use quaff_fronts::kernel::{Element, Kernel, Transfer};
    ///
    /// let mut dims = Dims::new();
    /// let (step, thread, one) = (dims.dim("step", 4)?, dims.dim("thread", 64)?, dims.dim("one", 1)?);
    /// let lane = dims.dim_eq("lane", (step, thread))?;
    /// let (row, column) = (dims.dim("row", 8)?, dims.dim("column", 32)?);
    /// // elements are counted by columns, and lie in memory by rows
    /// let element = dims.dim_eq("element", (column, row, one))?;
    /// let address = dims.dim_eq("address", (row, column, one))?;
    ///
    /// let schedule = Schedule::Digits(Digits::new(&[8, 32], &[1, 0], &[false, false]).unwrap());
    /// let mut kernel = Kernel::new("copy", dims.init()?);
    /// let from = kernel.input("from", Element::F32)?;
    /// let to = kernel.output("to", Element::F32)?;
    /// kernel.body(|b| {
    ///     b.bind(thread, "t", "threadIdx.x")?;
    ///     b.loop_over(step, "s", Unroll::Auto, |b| {
    ///         let lane = b.indices().get_raw(lane)?;
    ///         b.scheduled(element, &schedule, lane, |b| {
    ///             b.transfer(&Transfer::new((&to, address), (&from, address), one))
    ///         })
    ///     })
    /// })?;
    /// let text = kernel.emit()?.source;
    /// assert!(text.contains("t + s * 64"), "{text}");
    /// assert!(!text.contains('%'), "{text}");
    /// # Ok::<(), quaff_fronts::kernel::KernelError>(())
    /// ```
    ///
    /// # Errors
    /// [`KernelError::Schedule`] for a schedule with fewer lanes than there are elements. The errors of [`Block::set`]
    /// and of `body`.
    pub fn scheduled(
        &mut self,
        element: Dim,
        schedule: &Schedule,
        lane: impl Into<Expr>,
        body: impl FnOnce(&mut Block<'_>) -> Recorded,
    ) -> Recorded {
        self.within(&Enter::Scheduled(element, schedule.clone(), lane.into()), body)
    }
}
