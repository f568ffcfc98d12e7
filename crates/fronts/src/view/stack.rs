//! A stack of views, the result of a chain of movements.

use super::error::{ErrorKind, ViewError};
use super::facts::Facts;
#[cfg(feature = "serde")]
use super::limits::MAX_VIEWS;
use super::settle::settled;
use super::strided::View;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use std::fmt;
use std::sync::Arc;

/// A stack of views. The last view maps its index to an address. This address is the row-major index of an element of
/// the view before it. This continues down to the first view, whose addresses are addresses of memory.
///
/// [`views`](Self::views) returns the view that addresses memory first, and the view with the visible shape last. An
/// index is valid when it is valid in all views. As long as a single view is enough, there is only one: see
/// [`ViewStack::reshape`].
///
/// Two stacks are equal when their views are equal and their facts about sizes are equal.
#[derive(Clone, Debug)]
pub struct ViewStack {
    views: Vec<View>,
    facts: Arc<Facts>,
    movements: usize,
}

impl PartialEq for ViewStack {
    fn eq(&self, other: &ViewStack) -> bool {
        self.views == other.views && self.domain() == other.domain()
    }
}

impl Eq for ViewStack {}

impl ViewStack {
    /// All elements of `shape` in row-major order: the last index is innermost in memory. A shape without sizes has one
    /// element.
    ///
    /// # Errors
    /// [`ErrorKind::NegativeSize`] for a negative size, [`ErrorKind::TooManyAxes`] for more than
    /// [`MAX_AXES`](super::MAX_AXES) sizes, and [`ErrorKind::Overflow`] for more than 2^63 - 1 elements.
    pub fn row_major<S: Into<Expr>>(shape: impl IntoIterator<Item = S>) -> Result<ViewStack, ViewError> {
        ViewStack::row_major_in(Domain::new(), shape)
    }

    /// [`row_major`](Self::row_major) with variables in the sizes. `sizes` has the facts about these variables. No size
    /// may be negative for any of their values.
    ///
    /// ```
    /// use quaff::domain::Domain;
    /// use quaff::expr::{int, var};
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let sizes = Domain::new().with("n", 1..=4096);
    /// let rows = ViewStack::row_major_in(sizes, [var("n") * 4])?.reshape([var("n"), int(4)])?;
    /// assert_eq!(rows.to_string(), "(n, 4):(4, 1)");
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`row_major`](Self::row_major). Also [`ErrorKind::Undeclared`] for a variable that is not
    /// declared, and [`ErrorKind::Undecided`] for a size that is not known to be 0 or more.
    pub fn row_major_in<S: Into<Expr>>(
        sizes: Domain,
        shape: impl IntoIterator<Item = S>,
    ) -> Result<ViewStack, ViewError> {
        let made = || {
            let facts = Facts::new(sizes)?;
            let view = View::row_major(&facts, facts.shape(shape)?)?;
            Ok(ViewStack { views: vec![view], facts: Arc::new(facts), movements: 0 })
        };
        made().map_err(|e: ViewError| e.within(0, "shape"))
    }

    /// A single view with the given strides, offset and mask. The index `x` has the address
    /// `offset + sum(x[i] * strides[i])` if each `x[i]` satisfies `begin <= x[i] < end` for its pair in `mask`. Strides
    /// may be 0 or negative.
    ///
    /// # Errors
    /// The errors of [`row_major_in`](Self::row_major_in). Also [`ErrorKind::Rank`] unless each axis has one stride
    /// and, if there is a mask, one pair. Also [`ErrorKind::Mask`] for a mask outside of the shape.
    pub fn strided(
        sizes: Domain,
        shape: &[Expr],
        strides: &[Expr],
        offset: &Expr,
        mask: Option<&[(Expr, Expr)]>,
    ) -> Result<ViewStack, ViewError> {
        let made = || {
            let facts = Facts::new(sizes)?;
            let view = facts.view(shape, strides, offset, mask)?;
            Ok(ViewStack { views: vec![view], facts: Arc::new(facts), movements: 0 })
        };
        made().map_err(|e: ViewError| e.within(0, "view"))
    }

    /// The stack `top` applied to this stack. The addresses of `top` are row-major indices of the visible shape of this
    /// stack. Both must have the same facts about sizes.
    ///
    /// ```
    /// use quaff_fronts::view::ViewStack;
    ///
    /// let columns = ViewStack::row_major([4, 6])?.permute(&[1, 0])?;
    /// let every_fourth = ViewStack::row_major([24])?.stride(&[4])?;
    /// assert_eq!(columns.then(&every_fourth)?.to_string(), "(6):(1)");
    /// # Ok::<(), quaff_fronts::view::ViewError>(())
    /// ```
    ///
    /// # Errors
    /// [`ErrorKind::Chained`] if `top` reaches an address without an element, and [`ErrorKind::Undecided`] if this is
    /// not decided.
    pub fn then(&self, top: &ViewStack) -> Result<ViewStack, ViewError> {
        let place = |e: ViewError| e.within(self.movements + 1, "then");
        let facts = match (self.domain().is_empty(), top.domain().is_empty()) {
            (_, true) => &self.facts,
            (true, false) => &top.facts,
            _ if self.facts == top.facts => &self.facts,
            _ => return Err(place(ErrorKind::DomainsDiffer.into())),
        };
        let mut views = self.views.clone();
        let Some(lowest) = top.views.first() else { return Ok(self.clone()) };
        match reaches_only(facts, lowest, self.top()) {
            Ok(true) => {}
            Ok(false) => return Err(place(chained(facts, lowest, &self.views)?)),
            Err(error) => return Err(place(error)),
        }
        views.extend(top.views.iter().cloned());
        let views = settled(facts, views).map_err(place)?;
        Ok(ViewStack { views, facts: facts.clone(), movements: self.movements + 1 })
    }

    /// The stack that was serialised as `views`. The result is an error only if a view certainly reaches beyond the
    /// view below it.
    #[cfg(feature = "serde")]
    pub(super) fn from_views(facts: Facts, views: Vec<View>) -> Result<ViewStack, ViewError> {
        if views.is_empty() || views.len() > MAX_VIEWS {
            return Err(ErrorKind::TooManyViews { limit: MAX_VIEWS }.into());
        }
        for (below, pair) in views.windows(2).enumerate() {
            if let [base, top] = pair
                && matches!(reaches_only(&facts, top, base), Ok(false))
            {
                return Err(chained(&facts, top, &views[..=below])?);
            }
        }
        Ok(ViewStack { views, facts: Arc::new(facts), movements: 0 })
    }

    /// The stack with the same facts and one more movement, whose result is `views`.
    pub(super) fn moved(&self, views: Vec<View>) -> ViewStack {
        ViewStack { views, facts: self.facts.clone(), movements: self.movements + 1 }
    }

    pub(super) fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The number of movements so far.
    pub(super) fn movements(&self) -> usize {
        self.movements
    }

    /// The views. The view that addresses memory comes first.
    pub fn views(&self) -> &[View] {
        &self.views
    }

    /// The view with the visible shape.
    pub(super) fn top(&self) -> &View {
        // `views` is never empty
        &self.views[self.views.len() - 1]
    }

    /// The view, if there is only one.
    pub fn as_view(&self) -> Option<&View> {
        match &self.views[..] {
            [one] => Some(one),
            _ => None,
        }
    }

    /// The sizes of the visible shape.
    pub fn shape(&self) -> &[Expr] {
        &self.top().shape
    }

    /// The number of axes of the visible shape.
    pub fn rank(&self) -> usize {
        self.top().rank()
    }

    /// The facts about the variables in sizes.
    pub fn domain(&self) -> &Domain {
        self.facts.domain()
    }
}

impl fmt::Display for ViewStack {
    /// Writes the views, beginning with the view that addresses memory: `(6, 4):(1, 6) then (24):(1)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, view) in self.views.iter().enumerate() {
            if at > 0 {
                f.write_str(" then ")?;
            }
            view.fmt(f)?;
        }
        Ok(())
    }
}

/// Whether all valid addresses of `top` are elements of `base`.
///
/// # Errors
/// [`ErrorKind::Undecided`] when neither this nor the opposite is proved.
fn reaches_only(facts: &Facts, top: &View, base: &View) -> Result<bool, ViewError> {
    if top.is_empty(facts) {
        return Ok(true);
    }
    let elements = facts.product(&base.shape)?;
    let (least, most) = top.reach(facts)?;
    match (facts.le(&int(0), &least), facts.lt(&most, &elements)) {
        (Some(true), Some(true)) => Ok(true),
        (Some(false), _) | (_, Some(false)) => Ok(false),
        (low, _) => {
            let condition = if low.is_none() { least.ge(0) } else { most.lt(elements) };
            Err(ErrorKind::Undecided { what: "the addresses of a view", condition, nearest: None }.into())
        }
    }
}

/// The error for a view that reaches beyond the last view of `below`.
fn chained(facts: &Facts, top: &View, below: &[View]) -> Result<ViewError, ViewError> {
    let elements = facts.product(below.last().map_or(&[][..], |base| &base.shape))?;
    Ok(ErrorKind::Chained { view: below.len(), reaches: top.reach(facts)?, elements }.into())
}
