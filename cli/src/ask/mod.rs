//! `quaff ask`: proves facts about an index, other than its simplest form.

mod asked;
mod facts;
mod image;
mod iters;
mod lanes;
mod maps;
mod parts;
mod ranges;
mod strides;
mod when;

use crate::report::Failure;
use clap::Subcommand;

/// Answer the questions of a compiler about an index or a condition
///
/// Every answer holds at all points of the ranges. A fact that is not proved is reported as not proved, or is left out.
#[derive(Subcommand)]
pub(crate) enum Question {
    Bounds(facts::Bounds),
    Congruence(facts::Congruence),
    Prove(facts::Prove),
    Equal(facts::Equal),
    Lanes(lanes::Arguments),
    Parts(parts::Arguments),
    Strides(strides::Arguments),
    Map(maps::Arguments),
    Iters(iters::Arguments),
    Image(image::Arguments),
    Ranges(ranges::Arguments),
    Disjoint(maps::Disjoint),
    When(when::Arguments),
}

pub(crate) fn run(question: &Question) -> Result<(), Failure> {
    match question {
        Question::Bounds(args) => facts::bounds(args),
        Question::Congruence(args) => facts::congruence(args),
        Question::Prove(args) => facts::prove(args),
        Question::Equal(args) => facts::equal(args),
        Question::Lanes(args) => lanes::run(args),
        Question::Parts(args) => parts::run(args),
        Question::Strides(args) => strides::run(args),
        Question::Map(args) => maps::run(args),
        Question::Iters(args) => iters::run(args),
        Question::Image(args) => image::run(args),
        Question::Ranges(args) => ranges::run(args),
        Question::Disjoint(args) => maps::accesses(args),
        Question::When(args) => when::run(args),
    }
}
