//! Coalescing: costs of accesses, schedules, and the corpus of access functions.

mod corpus;
mod cost;
mod patterns;
mod printed;
mod question;
mod vectors;
