//! The algebra of layouts: each operation is compared with its definition at every coordinate.

mod algebra;
mod decisions;
mod linear;
mod oracle;
mod suites;
mod symbolic;
mod text;
