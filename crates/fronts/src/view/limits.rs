//! Limits that bound the time for any input.

/// The most axes of a view.
pub const MAX_AXES: usize = 64;
/// The most views of a stack. Each view costs at least one division for every access.
pub const MAX_VIEWS: usize = 64;
