//! Blocks that are opened and closed by calls.

use super::block::{Block, Recorded};
use super::enter::{Enter, Opened};
use super::error::KernelError;
use super::record::{Level, Rest};
use crate::coalesce::Schedule;
use crate::dims::{Dim, Guard, Limit, Unroll};
use quaff::expr::{Expr, int, var};

impl Block<'_> {
    /// Opens a block at the end of this one. Later statements are recorded in the new block, until
    /// [`close`](Block::close) ends it. It is for callers whose blocks do not end with closures, such as callers from
    /// other languages.
    ///
    /// ```
    /// use quaff_fronts::dims::{Dims, Unroll};
    /// use quaff_fronts::kernel::{Enter, Kernel};
    ///
    /// let mut dims = Dims::new();
    /// let n = dims.dim("n", 8)?;
    /// let mut kernel = Kernel::new("each", dims.init()?);
    /// let mut block = kernel.block();
    /// let each = block.open(&Enter::Loop(n, "i".into(), Unroll::Auto))?;
    /// block.index("at", n)?;
    /// block.code("use($at);")?;
    /// block.close(each)?;
    /// assert!(kernel.emit()?.source.contains("for (int i = 0; i < 8; ++i) {\n    use(i);"));
    /// # Ok::<(), quaff_fronts::kernel::KernelError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the method of [`Block`] that records this kind of block. An error changes nothing.
    pub fn open(&mut self, enter: &Enter) -> Recorded<Opened> {
        let (mut level, outside) = (self.level(), self.rec.levels.len());
        match self.begin(enter, &mut level) {
            Ok(variable) => {
                self.rec.levels.push(level);
                self.rec.enter();
                if let (Enter::Loop(_, name, _), Some(variable)) = (enter, &variable) {
                    self.rec.name(name, variable.to_string());
                }
                Ok(Opened { levels: (outside, outside + 1), variable })
            }
            Err(e) => {
                self.ix.rewind(level.mark);
                Err(e)
            }
        }
    }

    /// Ends the innermost open block. Indices that were set and conditions that were assumed in it end with it.
    ///
    /// # Errors
    /// [`KernelError::Nesting`] if `opened` is not the innermost block. An error changes nothing.
    pub fn close(&mut self, opened: Opened) -> Recorded {
        let (outside, inside) = opened.levels;
        if self.rec.levels.len() != inside {
            return Err(KernelError::Nesting { reason: "a block ends, and another one is the innermost that is open" });
        }
        self.unwind(outside);
        Ok(())
    }

    /// Ends the first part of a block of [`Enter::InsideOrEach`], and opens its second part, the code for single
    /// elements. `None` if no end cuts a vector, and for all other kinds of blocks.
    ///
    /// # Errors
    /// The errors of [`close`](Block::close) and [`inside`](Block::inside). The kernel is then incomplete.
    pub fn rest(&mut self, opened: Opened) -> Recorded<Option<Opened>> {
        let rest = self.rec.levels.last().and_then(|level| level.rest.clone());
        self.close(opened)?;
        let Some(Rest { dims, block }) = rest else { return Ok(None) };
        let outside = self.rec.levels.len();
        match self.each_lane(&dims, block) {
            Ok(()) => Ok(Some(Opened { levels: (outside, self.rec.levels.len()), variable: None })),
            Err(e) => {
                self.unwind(outside);
                Err(e)
            }
        }
    }

    /// Records `body` in a block within this one.
    ///
    /// # Errors
    /// The errors of [`open`](Block::open), [`close`](Block::close) and `body`.
    pub fn within(&mut self, enter: &Enter, body: impl FnOnce(&mut Block<'_>) -> Recorded) -> Recorded {
        let opened = self.open(enter)?;
        self.ending(opened, |block, opened| {
            body(block)?;
            block.close(opened)
        })
    }

    /// Calls `body`, which must end `opened`. If it fails, ends `opened` and all blocks within it.
    pub(super) fn ending(&mut self, opened: Opened, body: impl FnOnce(&mut Block<'_>, Opened) -> Recorded) -> Recorded {
        let (outside, _) = opened.levels;
        let recorded = body(self, opened);
        if recorded.is_err() {
            self.unwind(outside);
        }
        recorded
    }

    /// The state that the end of a new block restores.
    fn level(&self) -> Level {
        Level { mark: self.ix.mark(), here: self.rec.here, held: self.rec.held.len(), rest: None }
    }

    /// Ends all blocks except the first `outside`.
    fn unwind(&mut self, outside: usize) {
        while self.rec.levels.len() > outside
            && let Some(level) = self.rec.levels.pop()
        {
            self.ix.rewind(level.mark);
            self.rec.here = level.here;
            self.rec.held.truncate(level.held);
            self.rec.leave();
        }
    }

    /// Begins a block, and returns the variable if it is a loop. An error changes the indices only.
    fn begin(&mut self, enter: &Enter, level: &mut Level) -> Recorded<Option<Expr>> {
        match enter {
            Enter::Frame => {}
            Enter::Scope(scope) => self.ix.scope(*scope)?.keep(),
            Enter::Vector(dim, lanes) => self.ix.vectorize(*dim, *lanes)?.keep(),
            Enter::Loop(dim, variable, unroll) => return self.begin_loop(*dim, variable, *unroll).map(Some),
            Enter::If(condition) => {
                let always = self.always(condition)?;
                self.begin_if(condition.clone(), always);
            }
            Enter::Inside(dims) => {
                if let Some((condition, guards, _)) = self.unguarded(dims, false)? {
                    self.begin_guarded(condition, guards)?;
                }
            }
            Enter::InsideOrEach(dims) => match self.unguarded(dims, true)? {
                Some((condition, guards, true)) => {
                    let (then, otherwise) = self.rec.open_if(self.rec.here, condition.clone(), true);
                    level.rest = otherwise.map(|block| Rest { dims: dims.clone(), block });
                    self.rec.here = then;
                    self.ix.assume_that(condition);
                    self.rec.held.extend(guards);
                }
                Some((condition, guards, false)) => self.begin_guarded(condition, guards)?,
                None => {}
            },
            Enter::Scheduled(element, schedule, lane) => self.begin_scheduled(*element, schedule, lane)?,
        }
        Ok(None)
    }

    /// Begins a loop and returns its variable, or 0 for a loop of one trip.
    fn begin_loop(&mut self, dim: Dim, variable: &str, unroll: Unroll) -> Recorded<Expr> {
        let trips = self.ix.size_expr(dim)?;
        if trips.as_const() == Some(1) {
            self.ix.loop_over(dim, variable, unroll)?.keep();
            return Ok(int(0));
        }
        let unique = self.rec.take_similar(variable)?;
        match self.ix.loop_over(dim, &unique, unroll) {
            Ok(frame) => frame.keep(),
            Err(e) => {
                self.rec.release(&unique);
                return Err(e.into());
            }
        }
        self.rec.here = self.rec.open_loop(self.rec.here, unique.clone(), &trips, unroll);
        Ok(var(unique))
    }

    /// Whether a condition always holds here.
    fn always(&self, condition: &Expr) -> Recorded<bool> {
        Ok(self.simplifier.simplify(condition, &self.rec.domain())?.expr().as_const().is_some_and(|known| known > 0))
    }

    /// Begins `if (condition)`. The `if` is left out if the condition always holds.
    fn begin_if(&mut self, condition: Expr, always: bool) {
        if !always {
            self.rec.here = self.rec.open_if(self.rec.here, condition.clone(), false).0;
        }
        self.ix.assume_that(condition);
    }

    fn begin_guarded(&mut self, condition: Expr, guards: Vec<Guard>) -> Recorded {
        let always = self.always(&condition)?;
        self.begin_if(condition, always);
        self.rec.held.extend(guards);
        Ok(())
    }

    fn begin_scheduled(&mut self, element: Dim, schedule: &Schedule, lane: &Expr) -> Recorded {
        let (elements, lanes) = (self.ix.size(element)?, schedule.extent());
        if lanes < elements {
            return Err(KernelError::Schedule { elements, lanes });
        }
        let index = schedule.at(lane);
        if lanes == elements {
            return self.set(element, index);
        }
        let condition = index.lt(elements);
        let always = self.always(&condition)?;
        // the index is in range only under the condition
        self.ix.assume_that(condition.clone());
        self.ix.set(element, index)?;
        self.begin_if(condition, always);
        Ok(())
    }

    /// The condition that the indices of `dims` are below their ends, the guards from which it is made, and whether an
    /// end cuts a vector. `None` if no guard is needed. `rest` is set if cut vectors have code for single elements.
    fn unguarded(&self, dims: &[Dim], rest: bool) -> Recorded<Option<(Expr, Vec<Guard>, bool)>> {
        let guards = self.open_guards(dims)?;
        let (mut condition, mut cut): (Option<Expr>, bool) = (None, false);
        for Guard { index, end } in &guards {
            let limit = index.limit(end, self.simplifier, || self.rec.domain())?;
            cut |= matches!(limit, Limit::Cut | Limit::Unknown);
            if cut && !rest {
                let (lanes, index) = (index.lanes, index.first.clone());
                return Err(KernelError::CutVector { lanes, index, end: end.clone() });
            }
            let below = index.all_below(end, limit).ok_or_else(|| self.ix.scattered(dims, index))?;
            condition = Some(condition.map_or(below.clone(), |all| all.and(below)));
        }
        Ok(condition.map(|condition| (condition, guards, cut)))
    }

    /// Opens loops in `block` over the lanes on which the indices depend, and the guard of a single lane in them.
    fn each_lane(&mut self, dims: &[Dim], block: u32) -> Recorded {
        self.push_level(block);
        while let Some((region, lanes)) = self.ix.region(dims)? {
            let variable = self.rec.take_similar("lane")?;
            let inner = self.rec.open_loop(self.rec.here, variable.clone(), &int(lanes), Unroll::Full);
            self.push_level(inner);
            self.ix.each_lane(region, &variable).keep();
        }
        // the guard ends together with the loops
        self.open(&Enter::Inside(dims.to_vec())).map(drop)
    }

    /// Begins a separate level in `block`.
    fn push_level(&mut self, block: u32) {
        self.rec.levels.push(self.level());
        self.rec.here = block;
        self.rec.enter();
    }
}
