//! The views: each makes a fragment of HTML of the input, or says what is wrong with it.

mod answer;
mod banks;
mod coalescing;
mod kernel;
mod layout;
mod memory;
mod parts;
mod prices;
mod rules;
mod story;

pub(crate) use answer::{answer, languages};
pub(crate) use banks::banks;
pub(crate) use coalescing::schedules;
pub(crate) use kernel::{accesses, kernel};
pub(crate) use layout::{is_chain, layout, view};
pub(crate) use memory::{lane_of, memory};
pub(crate) use rules::rules;
pub(crate) use story::{steps, story};

use crate::problem::Problem;
use maud::Markup;

/// A view, or what is wrong beside the problems of the input.
pub(crate) type Shown = Result<Markup, Vec<Problem>>;
