//! The library for C: `include/quaff.h`, which cbindgen generates from these files, and the functions that it declares.
//!
//! A C pointer is a Rust reference here, and NULL is `None`. So the functions are safe code, and their types state the
//! requirements on pointers. A `const` pointer is a shared reference, and any other pointer is an exclusive reference.
//! A pointer that a `_free` function takes is a box. Spans (a pointer and a length) are read in `span`, the only module
//! with unsafe blocks.

#![allow(non_camel_case_types, reason = "the names of C")]
#![allow(clippy::type_complexity, reason = "cbindgen gives a type alias a name of its own in the header")]

#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod answer;
mod call;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod domain;
mod ended;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod error;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod expr;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod facts;
pub mod failure;
pub mod handle;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod image;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod iters;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod lanes;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod maps;
pub mod node;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod nodes;
pub mod op;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod parts;
pub mod place;
pub mod range;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod ranges;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod simplifier;
#[expect(unsafe_code, reason = "pointers of C")]
pub mod span;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod strides;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod subspace;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod text;
#[expect(unsafe_code, reason = "the name of a symbol")]
pub mod when;
