//! The views. Each view turns the input into an HTML fragment, or reports the problems.

mod answer;
mod banks;
mod coalescing;
mod kernel;
mod lanes;
mod layout;
mod memory;
mod operations;
mod parts;
mod prices;
mod rules;
mod story;
mod tile;

pub(crate) use answer::{answer, answered, languages};
pub(crate) use banks::banks;
pub(crate) use coalescing::schedules;
pub(crate) use kernel::{accesses, kernel, printed_kernel};
pub(crate) use lanes::lane_of;
pub(crate) use layout::{is_chain, layout, view};
pub(crate) use memory::memory;
pub(crate) use rules::rules;
pub(crate) use story::{steps, story};
pub(crate) use tile::{TileOfIndices, tile_of};

use crate::problem::Problem;
use maud::Markup;

/// A view, or its problems, which are added to the problems of the input.
pub(crate) type Shown = Result<Markup, Vec<Problem>>;
