//! Pictures and pages: grids as SVG, and HTML pages that need no other file.
//!
//! ```
//! use quaff_draw::grid::{Cell, Fill, Panel, svg};
//!
//! let cell = |label: &str, fill| Cell { label: label.into(), tip: format!("element {label}"), fill };
//! let cells = vec![cell("0", Fill::Shade(0.0)), cell("8", Fill::Shade(1.0)), cell("-", Fill::Masked)];
//! let panel = Panel { title: "a row".into(), axes: ["i".into(), "j".into()], columns: 3, cells };
//! let picture = svg("elements", &[panel]);
//! assert!(picture.starts_with("<svg") && picture.contains("element 8"));
//! ```
//!
//! Every text from a caller is escaped.

pub mod grid;
pub mod page;
