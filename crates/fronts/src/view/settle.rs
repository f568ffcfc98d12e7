//! As few views as say the same.

use super::error::{ErrorKind, ViewError};
use super::exact::{OneView, one_view};
use super::facts::Facts;
use super::limits::MAX_VIEWS;
use super::merge::groups;
use super::project::projected;
use super::strided::View;
use super::symbolic;

/// The views after the last one, or what it holds, changed: the last ones are put together as long as they are one view.
///
/// Of the views below the last ones nothing new can be known: they were settled before.
pub(super) fn settled(facts: &Facts, mut views: Vec<View>) -> Result<Vec<View>, ViewError> {
    if let Some(top) = views.last()
        && top.is_empty(facts)
    {
        return Ok(vec![top.clone()]);
    }
    'again: loop {
        for from in (0..views.len().saturating_sub(1)).rev() {
            if let Some(one) = as_one(facts, &views[from..])? {
                views.truncate(from);
                views.push(one);
                continue 'again;
            }
        }
        break;
    }
    // the axes of a view below the last one are seen by nobody: as few as possible make short addresses
    if let Some(below) = views.len().checked_sub(2) {
        views[below] = fused(facts, &views[below])?;
    }
    if views.len() > MAX_VIEWS {
        return Err(ErrorKind::TooManyViews { limit: MAX_VIEWS }.into());
    }
    Ok(views)
}

/// The same elements in the same row-major order, with neighbouring axes as one where they are.
fn fused(facts: &Facts, view: &View) -> Result<View, ViewError> {
    let (offset, groups) = groups(facts, view)?;
    let mut fused = View { shape: Vec::new(), strides: Vec::new(), offset, mask: None };
    let mut mask = Vec::with_capacity(groups.len());
    for group in groups {
        fused.shape.push(group.size);
        fused.strides.push(group.stride);
        mask.push((group.begin, group.end));
    }
    fused.mask = Some(mask);
    fused.canonical(facts)
}

/// The one view that says the same as `views`, if there is one that can be found.
fn as_one(facts: &Facts, views: &[View]) -> Result<Option<View>, ViewError> {
    if let [base, top] = views
        && let Some(view) = projected(facts, base, top)?
    {
        return Ok(Some(view));
    }
    if !views.iter().all(View::is_constant) {
        return symbolic::one_view(facts, views);
    }
    match one_view(facts, views) {
        OneView::Yes(view) => view.canonical(facts).map(Some),
        OneView::No | OneView::Open => Ok(None),
    }
}
