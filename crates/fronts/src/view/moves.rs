//! The movements of views.

use super::error::{ErrorKind, ViewError};
use super::facts::Facts;
use super::limits::MAX_AXES;
use super::nearest::nearest_shape;
use super::settle::settled;
use super::stack::ViewStack;
use super::strided::View;
use quaff::expr::{Expr, int};

impl ViewStack {
    /// The stack after a movement with this name, which applies `change` to the last view.
    fn movement(
        &self,
        name: &'static str,
        change: impl FnOnce(&Facts, View) -> Result<View, ViewError>,
    ) -> Result<ViewStack, ViewError> {
        let made = || {
            let changed = change(self.facts(), self.top().clone())?.canonical(self.facts())?;
            let mut views = self.views().to_vec();
            views.pop();
            views.push(changed);
            settled(self.facts(), views)
        };
        let place = |e: ViewError| e.within(self.movements() + 1, name);
        made().map(|views| self.moved(views)).map_err(place)
    }

    /// The same elements in the same row-major order with other axes.
    ///
    /// The result is a single view if a single view is enough, and otherwise has one more view. This is decided exactly
    /// for constant sizes. For other sizes, it depends on the proofs of the engine (see
    /// [`is_one_view`](Self::is_one_view)).
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let padded = ViewStack::row_major([8, 12])?.pad([(1, 1), (0, 0)])?;
    /// assert_eq!(padded.reshape([5, 2, 12])?.reshape([120])?.to_string(), "(120):(1) - 12, mask (12, 108)");
    /// let error = padded.reshape([5, 20]).unwrap_err();
    /// assert_eq!(error.name(), "reshape");
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Reshape`] when the shape has another number of elements. [`ErrorKind::Undecided`] when its number
    /// of elements is not known to be equal.
    pub fn reshape<S: Into<Expr>>(&self, shape: impl IntoIterator<Item = S>) -> Result<ViewStack, ViewError> {
        let facts = self.facts();
        let made = || {
            let shape = facts.shape(shape)?;
            let (elements, asked) = (facts.product(self.shape())?, facts.product(&shape)?);
            let nearest = || nearest_shape(facts, &elements, &shape);
            match facts.same(&elements, &asked) {
                Some(true) => {}
                Some(false) => {
                    let (from, nearest) = (self.shape().to_vec(), nearest());
                    return Err(ErrorKind::Reshape { from, elements, to: shape, asked, nearest }.into());
                }
                None => {
                    let (condition, nearest) = (elements.equals(&asked), nearest());
                    return Err(ErrorKind::Undecided { what: "the number of elements", condition, nearest }.into());
                }
            }
            if shape == self.shape() {
                return Ok(self.views().to_vec());
            }
            let top = View::row_major(facts, shape)?;
            if elements.as_const() == Some(0) {
                return Ok(vec![top]);
            }
            let mut views = self.views().to_vec();
            views.push(top);
            settled(facts, views)
        };
        let place = |e: ViewError| e.within(self.movements() + 1, "reshape");
        made().map(|views| self.moved(views)).map_err(place)
    }

    /// Reorders the axes: axis `k` of the result is axis `axes[k]` of the view.
    ///
    /// # Errors
    /// [`ErrorKind::Rank`], [`ErrorKind::Axis`] or [`ErrorKind::RepeatedAxis`] unless `axes` names every axis exactly
    /// once.
    pub fn permute(&self, axes: &[usize]) -> Result<ViewStack, ViewError> {
        self.movement("permute", |facts, view| {
            facts.one_each(("axis", "axes"), view.rank(), axes.len())?;
            check_axes(axes, view.rank())?;
            Ok(View {
                shape: axes.iter().map(|&a| view.shape[a].clone()).collect(),
                strides: axes.iter().map(|&a| view.strides[a].clone()).collect(),
                offset: view.offset,
                mask: view.mask.map(|mask| axes.iter().map(|&a| mask[a].clone()).collect()),
            })
        })
    }

    /// Repeats axes of size 1. Other axes keep their sizes. Axes are aligned at the last axis, as in numpy: additional
    /// sizes in front are new axes.
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let row = ViewStack::row_major([3])?;
    /// assert_eq!(row.expand([2, 3])?.to_string(), "(2, 3):(0, 1)");
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Expand`] for a changed size of an axis whose size is not 1, or is not known to be 1.
    pub fn expand<S: Into<Expr>>(&self, sizes: impl IntoIterator<Item = S>) -> Result<ViewStack, ViewError> {
        self.movement("expand", |facts, mut view| {
            let sizes = facts.shape(sizes)?;
            let further = sizes.len().saturating_sub(view.rank());
            view.shape.splice(0..0, vec![int(1); further]);
            view.strides.splice(0..0, vec![int(0); further]);
            if let Some(mask) = &mut view.mask {
                mask.splice(0..0, vec![(int(0), int(1)); further]);
            }
            facts.one_each(("size", "sizes"), view.rank(), sizes.len())?;
            for (axis, asked) in sizes.into_iter().enumerate() {
                if facts.same(&view.shape[axis], &asked) == Some(true) {
                    continue;
                }
                if !facts.is(&view.shape[axis], 1) {
                    return Err(ErrorKind::Expand { axis, size: view.shape[axis].clone(), asked }.into());
                }
                if let Some(mask) = &mut view.mask {
                    // the only index of an axis of size 1 is either valid or not
                    let valid = facts.is(&mask[axis].1, 1) && facts.is(&mask[axis].0, 0);
                    mask[axis] = (int(0), if valid { asked.clone() } else { int(0) });
                }
                view.shape[axis] = asked;
            }
            facts.product(&view.shape)?;
            Ok(view)
        })
    }

    /// Adds invalid indices: for each axis, the given numbers before the first index and after the last index.
    ///
    /// # Errors
    /// [`ErrorKind::NegativePad`] for a negative amount, and [`ErrorKind::Undecided`] for an amount that is not known
    /// to be 0 or more.
    pub fn pad<B: Into<Expr>, A: Into<Expr>>(
        &self,
        amounts: impl IntoIterator<Item = (B, A)>,
    ) -> Result<ViewStack, ViewError> {
        self.movement("pad", |facts, mut view| {
            let amounts = pairs(facts, &view, amounts)?;
            let mut mask = Vec::with_capacity(amounts.len());
            for (axis, (before, after)) in amounts.into_iter().enumerate() {
                match (facts.le(&int(0), &before), facts.le(&int(0), &after)) {
                    (Some(true), Some(true)) => {}
                    (Some(false), _) | (_, Some(false)) => {
                        return Err(ErrorKind::NegativePad { axis, before, after }.into());
                    }
                    (first, _) => {
                        let condition = if first.is_none() { before.ge(0) } else { after.ge(0) };
                        return Err(ErrorKind::Undecided { what: "padding", condition, nearest: None }.into());
                    }
                }
                let (begin, end) = view.valid(axis);
                mask.push((facts.add(&begin, &before)?, facts.add(&end, &before)?));
                let more = facts.add(&before, &after)?;
                view.shape[axis] = facts.add(&view.shape[axis], &more)?;
                let adds = facts.mul(&before, &view.strides[axis])?;
                view.offset = facts.sub(&view.offset, &adds)?;
            }
            facts.product(&view.shape)?;
            Ok(View { mask: Some(mask), ..view })
        })
    }

    /// Keeps the indices from `begin` to the exclusive `end` of each axis.
    ///
    /// # Errors
    /// [`ErrorKind::Bounds`] if `0 <= begin <= end <= size` is false, and [`ErrorKind::Undecided`] if it is not proved.
    pub fn shrink<B: Into<Expr>, E: Into<Expr>>(
        &self,
        bounds: impl IntoIterator<Item = (B, E)>,
    ) -> Result<ViewStack, ViewError> {
        self.movement("shrink", |facts, mut view| {
            let bounds = pairs(facts, &view, bounds)?;
            let mut mask = Vec::with_capacity(bounds.len());
            for (axis, (begin, end)) in bounds.into_iter().enumerate() {
                check_bounds(facts, axis, &begin, &end, &view.shape[axis])?;
                let size = facts.sub(&end, &begin)?;
                let (first, last) = view.valid(axis);
                let first = facts.max(&facts.sub(&first, &begin)?, &int(0))?;
                let last = facts.min(&facts.sub(&last, &begin)?, &size)?;
                mask.push((first, facts.max(&last, &int(0))?));
                view.shape[axis] = size;
                let adds = facts.mul(&begin, &view.strides[axis])?;
                view.offset = facts.add(&view.offset, &adds)?;
            }
            Ok(View { mask: Some(mask), ..view })
        })
    }

    /// Reverses the given axes.
    ///
    /// # Errors
    /// [`ErrorKind::Axis`] for an axis that does not exist, and [`ErrorKind::RepeatedAxis`] for an axis that is named
    /// twice.
    pub fn flip(&self, axes: &[usize]) -> Result<ViewStack, ViewError> {
        self.movement("flip", |facts, view| {
            check_axes(axes, view.rank())?;
            axes.iter().try_fold(view, |view, &axis| flipped(facts, view, axis))
        })
    }

    /// Keeps every `steps[k]`-th index of axis `k`, beginning with the first. With a negative step, the axis is
    /// reversed first.
    ///
    /// # Errors
    /// [`ErrorKind::Step`] for a step of 0.
    pub fn stride(&self, steps: &[i64]) -> Result<ViewStack, ViewError> {
        self.movement("stride", |facts, mut view| {
            facts.one_each(("step", "steps"), view.rank(), steps.len())?;
            for (axis, &step) in steps.iter().enumerate() {
                if step == 0 {
                    return Err(ErrorKind::Step { axis }.into());
                }
                if step < 0 {
                    view = flipped(facts, view, axis)?;
                }
                let step = step.checked_abs().ok_or(ErrorKind::Overflow { what: "a step" })?;
                let (begin, end) = view.valid(axis);
                let valid = (facts.ceil_div(&begin, step)?, facts.ceil_div(&end, step)?);
                if let Some(mask) = &mut view.mask {
                    mask[axis] = valid;
                }
                view.shape[axis] = facts.ceil_div(&view.shape[axis], step)?;
                view.strides[axis] = facts.mul(&view.strides[axis], &int(step))?;
            }
            Ok(view)
        })
    }
}

fn flipped(facts: &Facts, mut view: View, axis: usize) -> Result<View, ViewError> {
    let size = view.shape[axis].clone();
    let last = facts.sub(&size, &int(1))?;
    view.offset = facts.add(&view.offset, &facts.mul(&last, &view.strides[axis])?)?;
    view.strides[axis] = facts.neg(&view.strides[axis])?;
    if let Some(mask) = &mut view.mask {
        let (begin, end) = mask[axis].clone();
        mask[axis] = (facts.sub(&size, &end)?, facts.sub(&size, &begin)?);
    }
    Ok(view)
}

/// Checks that all axes exist, and none is named twice.
fn check_axes(axes: &[usize], rank: usize) -> Result<(), ViewError> {
    let mut seen = vec![false; rank];
    for &axis in axes {
        match seen.get_mut(axis) {
            None => return Err(ErrorKind::Axis { axis, axes: rank }.into()),
            Some(true) => {
                let missing = (0..rank).filter(|a| !axes.contains(a)).collect();
                return Err(ErrorKind::RepeatedAxis { axis, missing }.into());
            }
            Some(new) => *new = true,
        }
    }
    Ok(())
}

/// The pairs in normal form, one for each axis.
fn pairs<A: Into<Expr>, B: Into<Expr>>(
    facts: &Facts,
    view: &View,
    given: impl IntoIterator<Item = (A, B)>,
) -> Result<Vec<(Expr, Expr)>, ViewError> {
    let mut out = Vec::with_capacity(view.rank());
    for (a, b) in given.into_iter().take(MAX_AXES + 1) {
        let (a, b) = (a.into(), b.into());
        facts.check(&a)?;
        facts.check(&b)?;
        out.push((facts.normal(&a)?, facts.normal(&b)?));
    }
    facts.one_each(("pair", "pairs"), view.rank(), out.len())?;
    Ok(out)
}

fn check_bounds(facts: &Facts, axis: usize, begin: &Expr, end: &Expr, size: &Expr) -> Result<(), ViewError> {
    match facts.in_order(begin, end, size) {
        Ok(true) => Ok(()),
        Ok(false) => {
            let (begin, end, size) = (begin.clone(), end.clone(), size.clone());
            let nearest = match (begin.as_const(), end.as_const(), size.as_const()) {
                (Some(b), Some(e), Some(s)) => {
                    let b = b.clamp(0, s);
                    Some((int(b), int(e.clamp(b, s))))
                }
                _ => None,
            };
            Err(ErrorKind::Bounds { axis, size, begin, end, nearest }.into())
        }
        Err(condition) => Err(ErrorKind::Undecided { what: "the bounds of an axis", condition, nearest: None }.into()),
    }
}
