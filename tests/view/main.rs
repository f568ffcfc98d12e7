//! Views: movements, one view or several, merged dimensions.

mod rows;
#[path = "../support/views.rs"]
mod views;
