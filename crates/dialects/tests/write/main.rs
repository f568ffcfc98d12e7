//! Writers of all dialects: texts, names, and values in the languages themselves.

mod names;
mod random;
mod round_trip;
mod run;
mod texts;
