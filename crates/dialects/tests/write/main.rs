//! The writers of all dialects: texts, names, and the values that the languages themselves compute.

mod names;
mod random;
mod round_trip;
mod run;
mod texts;
