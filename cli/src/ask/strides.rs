//! `quaff ask strides`: an index as a strided access.

use super::asked::{Asked, each_name};
use crate::report::Failure;
use clap::Args;
use quaff::Simplifier;
use quaff_ask::{Dimension, Strides, strides};
use serde::Serialize;

/// Shape, strides and offset of an index, for block pointers and tensor memory descriptors
///
/// If the index has quotients and remainders of an axis, the axis is split into digits. A coordinate may wrap around at an end. If the
/// index is not strided, the command prints the term that has no stride.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask strides 'i//8*64 + i%8*2' --axis i --var i=0..63
  quaff ask strides '(pid*128 + t)%M*K + k' --axis t --axis k --var pid=0..99 --var t=0..127 \\
      --var k=0..63 --var M=1..8192 --var K=64..4096")]
pub(crate) struct Arguments {
    /// The index; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    index: Option<String>,

    /// The variables that are the axes of the access, such as `x,y`, with ranges that begin at 0; may be given several
    /// times
    #[arg(long = "axis", value_name = "NAMES", required = true)]
    axes: Vec<String>,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct AnswerJson {
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<Vec<DimensionJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<String>,
    /// The term of the index for which no stride was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_strided: Option<String>,
}

#[derive(Serialize)]
struct DimensionJson {
    /// The coordinate, as an expression in the variable of its axis.
    coordinate: String,
    extent: Option<String>,
    /// Whether the last value of the coordinate has fewer elements than the other values.
    partial: bool,
    stride: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    wrap: Option<WrapJson>,
}

#[derive(Serialize)]
struct WrapJson {
    origin: String,
    extent: String,
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let given = args.asked.known.expression(args.index.as_deref(), "expression")?;
    let domain = args.asked.known.domain(&[&given])?;
    let axes = each_name(&args.axes);
    let found = strides(&Simplifier::default(), given.parsed.expr(), &axes, &domain);
    let Some(found) = args.asked.found(found, &given)? else { return Ok(()) };
    let answer = match &found {
        Strides::Not(term) => AnswerJson { dimensions: None, offset: None, not_strided: Some(term.to_string()) },
        Strides::Strided(found) => AnswerJson {
            dimensions: Some((0..found.dimensions.len()).map(|at| dimension(&found.dimensions, at)).collect()),
            offset: Some(found.offset.to_string()),
            not_strided: None,
        },
    };
    args.asked.print(&answer, || text(&answer))
}

fn dimension(all: &[Dimension], at: usize) -> DimensionJson {
    let Dimension { axis, below, extent, partial, stride, wrap } = &all[at];
    let is_slowest = at.checked_sub(1).is_none_or(|before| all[before].axis != *axis);
    let quotient = if *below == 1 { axis.to_string() } else { format!("{axis}//{below}") };
    let extent = extent.as_ref().map(ToString::to_string);
    let coordinate = match extent.as_ref().filter(|_| !is_slowest) {
        Some(extent) => format!("{quotient}%{extent}"),
        None => quotient,
    };
    let wrap = wrap.as_ref().map(|w| WrapJson { origin: w.origin.to_string(), extent: w.extent.to_string() });
    DimensionJson { coordinate, extent, partial: *partial, stride: stride.to_string(), wrap }
}

fn text(answer: &AnswerJson) -> String {
    if let Some(term) = &answer.not_strided {
        return format!("no strides: {term}\n");
    }
    let line = |d: &DimensionJson| {
        let extent = d.extent.as_deref().unwrap_or("open");
        let wrap = match &d.wrap {
            Some(WrapJson { origin, extent }) => format!(", from {origin} on, around at {extent}"),
            None => String::new(),
        };
        let partial = if d.partial { ", the last one in part" } else { "" };
        format!("{}: extent {extent}{partial}, stride {}{wrap}\n", d.coordinate, d.stride)
    };
    let dimensions: String = answer.dimensions.iter().flatten().map(line).collect();
    format!("{dimensions}offset: {}\n", answer.offset.as_deref().unwrap_or_default())
}
