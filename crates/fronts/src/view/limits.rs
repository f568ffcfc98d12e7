//! What is counted, so that no input takes forever.

/// The most axes of a view.
pub const MAX_AXES: usize = 64;
/// The most views of a stack: each is a division or more for every access.
pub const MAX_VIEWS: usize = 64;
