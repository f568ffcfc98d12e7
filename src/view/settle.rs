//! As few views as say the same.

use super::error::{ErrorKind, ViewError};
use super::facts::Facts;
use super::limits::MAX_VIEWS;
use super::strided::View;

/// The views after the last one, or what it holds, changed.
pub(super) fn settled(_facts: &Facts, views: Vec<View>) -> Result<Vec<View>, ViewError> {
    if views.len() > MAX_VIEWS {
        return Err(ErrorKind::TooManyViews { limit: MAX_VIEWS }.into());
    }
    Ok(views)
}
