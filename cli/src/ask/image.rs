//! `quaff ask image`: the values of an index.

use super::asked::Asked;
use crate::report::Failure;
use clap::Args;
use quaff::Simplifier;
use quaff_ask::{Answer, Image, image};
use serde::Serialize;

/// The values of an index: the least and the greatest value, the stride, and holes
///
/// The values have no holes if each number from the least to the greatest value, in steps of the stride, is a value.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask image 'i*20 + j*2 + 7' --var i=0..99 --var j=0..9
  quaff ask image 'i*20 + j' --var i=0..99999 --var j=0..9")]
pub(crate) struct Arguments {
    /// The index; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    index: Option<String>,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct AnswerJson {
    /// The least value, or a lower bound of it. None if no bound was found. The same holds for the greatest value.
    least: Option<i64>,
    greatest: Option<i64>,
    /// Whether both bounds are values of the index.
    ends_are_values: bool,
    /// A number that divides all differences of values. 0 when there is only one value.
    stride: i64,
    /// Whether each number from the least to the greatest value, in steps of the stride, is a value. None when that is
    /// not decided.
    dense: Option<bool>,
    /// A number between the bounds, in steps of the stride, that is no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    hole: Option<i64>,
    /// The number of different values.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<i64>,
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let given = args.asked.known.expression(args.index.as_deref(), "expression")?;
    let domain = args.asked.known.domain(&[&given])?;
    let found = image(&Simplifier::default(), given.parsed.expr(), &domain);
    let Some(Image { range, has_ends, stride, is_dense, count }) = args.asked.found(found, &given)? else {
        return Ok(());
    };
    let (dense, hole) = match is_dense {
        Answer::Yes => (Some(true), None),
        Answer::No(hole) => (Some(false), Some(hole)),
        Answer::NotProved => (None, None),
    };
    let (least, greatest) = (range.lo(), range.hi());
    let answer = AnswerJson { least, greatest, ends_are_values: has_ends, stride, dense, hole, count };
    args.asked.print(&answer, || {
        let within = if has_ends { "values" } else { "values within" };
        let mut text = format!("{within}: {range}\nstride: {stride}\n");
        text += &match (dense, hole) {
            (Some(true), _) => "holes: none\n".to_string(),
            (_, Some(hole)) => format!("holes: {hole} is no value\n"),
            _ => "holes: not decided\n".to_string(),
        };
        text + &count.map_or_else(String::new, |count| format!("count: {count}\n"))
    })
}
