//! Views: movements, one view or several, merged dimensions, and questions about memory.

mod chains;
mod errors;
#[path = "../support/golden.rs"]
mod golden;
mod memory;
mod merged;
mod rows;
mod symbolic;
mod text;
#[path = "../support/views.rs"]
mod views;
