//! The algebra of layouts, against what each operation means at every coordinate.

mod algebra;
mod decisions;
mod linear;
mod oracle;
mod suites;
mod symbolic;
mod text;
