//! Errors and warnings about layouts.

use crate::report::{Failure, Problem};
use miette::Diagnostic;
use quaff_fronts::layout::{LayoutError, Note};

#[derive(Debug, thiserror::Error, Diagnostic)]
pub(super) enum Refused {
    #[error("`{name}` names two coordinates")]
    #[diagnostic(code(quaff::layout::name_taken), help("give each coordinate a name of its own"))]
    Twice { name: String },
    #[error("the range of the coordinate `{name}` does not begin at 0, has no end, or has a step")]
    #[diagnostic(code(quaff::layout::range), help("declare its range, such as `--var {name}=0..31`"))]
    Range { name: String },
    #[error("a function of bits has no {what}")]
    #[diagnostic(code(quaff::layout::linear), help("`layout(..)` makes a layout of sizes and strides of it"))]
    Linear { what: &'static str },
    #[error("a layout with names in its sizes has no picture")]
    #[diagnostic(code(quaff::layout::names))]
    Names,
    #[error("an operation reaches further than its layout")]
    #[diagnostic(code(quaff::layout::beyond), severity(Warning))]
    Beyond {
        #[help]
        help: String,
    },
}

pub(super) fn refused(error: LayoutError) -> Failure {
    Problem::new(&error).into()
}

/// The text of a note.
pub(super) fn said(note: &Note) -> String {
    let Note { size, reached, divided, .. } = note;
    match divided {
        true => format!(
            "the tiles have {reached} coordinates and the layout {size}: its last mode goes on in the last tile"
        ),
        false => format!(
            "the right layout has indices up to {reached}, and the left one {size} coordinates: its last mode goes on"
        ),
    }
}
