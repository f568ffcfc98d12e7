//! The facts about variables, and their consequences.

mod declare;
mod division;
mod facts;
mod scope;
mod serialize;
