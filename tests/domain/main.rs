//! What is known of variables, and what follows from it.

mod declare;
mod division;
mod facts;
mod scope;
mod serialize;
