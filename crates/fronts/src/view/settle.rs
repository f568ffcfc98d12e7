//! Reduces a stack to as few views as possible.

use super::error::{ErrorKind, ViewError};
use super::exact::{OneView, one_view};
use super::facts::Facts;
use super::limits::MAX_VIEWS;
use super::merge::groups;
use super::project::projected;
use super::strided::View;
use super::symbolic;

/// The stack after its last view was added or changed. The last views are merged as long as they equal a single view.
///
/// The views below are not merged with one another, because that was tried when they were added.
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
    // the axes of a view below the last view are not visible, so they are merged to make addresses shorter
    if let Some(below) = views.len().checked_sub(2) {
        views[below] = fused(facts, &views[below])?;
    }
    if views.len() > MAX_VIEWS {
        return Err(ErrorKind::TooManyViews { limit: MAX_VIEWS }.into());
    }
    Ok(views)
}

/// The same elements in the same row-major order, with neighbouring axes merged if possible.
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

/// The single view that equals `views`, if one is found.
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
