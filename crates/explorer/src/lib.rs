//! The explorer: a page that shows an index, its answer, the steps to the answer, and the behaviour of the index on a
//! GPU.
//!
//! [`page()`] returns the page. The page sends a request to its engine for one view at a time, and [`respond()`]
//! answers it. Requests and responses are JSON, so the engine may be a server or a library in the browser.
//!
//! ```
//! let request = r#"{"view": "answer", "input": {"text": "(i*512 + j)//512", "vars": ["i=0..1023", "j=0..511"]}}"#;
//! let response = quaff_explorer::respond(request);
//! assert!(response.contains(r#""problems":[]"#) && response.contains("<code"));
//! ```
//!
//! The size of a request is limited by [`MAX_REQUEST`], and its work by the step limits of the engine. Between
//! requests, only the result of testing the last added rules is kept.

mod commands;
mod examples;
mod input;
mod names;
mod page;
mod part;
mod problem;
mod request;
mod respond;
mod rule_input;
mod source;
mod views;

pub use input::is_source;
pub use page::{page, page_of_site};
pub use part::Part;
pub use request::{VIEWS, fields_of};
pub use respond::{MAX_REQUEST, respond};
