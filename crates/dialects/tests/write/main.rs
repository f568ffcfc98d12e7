//! Tests of the writers of all dialects: the texts, the names of variables, and the values that the languages compute.

mod names;
mod random;
mod round_trip;
mod run;
mod texts;
