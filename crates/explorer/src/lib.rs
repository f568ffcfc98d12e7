//! The explorer: a page that shows an index, its answer, how the answer follows, and what a GPU does with it.
//!
//! [`page()`] is the page. It asks its engine for one view at a time: [`respond()`] answers such a request.
//! Requests and responses are JSON, so that the engine may be a server or a library in the browser.
//!
//! ```
//! let request = r#"{"view": "answer", "input": {"text": "(i*512 + j)//512", "vars": ["i=0..1023", "j=0..511"]}}"#;
//! let response = quaff_explorer::respond(request);
//! assert!(response.contains(r#""problems":[]"#) && response.contains("<code"));
//! ```
//!
//! A request is bounded: its size by [`MAX_REQUEST`], its work by counted limits of the engine. Nothing of a request is kept.

mod commands;
mod examples;
mod input;
mod page;
mod part;
mod problem;
mod request;
mod respond;
mod rule_input;
mod views;

pub use page::page;
pub use part::Part;
pub use respond::{MAX_REQUEST, respond};
