//! Tests of domains: the facts about variables, and the consequences of these facts.

mod declare;
mod division;
mod facts;
mod scope;
mod serialize;
