//! `quaff ask parts`: an index as a sum of parts.

use super::asked::{Asked, texts};
use crate::input;
use crate::report::{Failure, Problem};
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::domain::Interval;
use quaff_ask::{base_and_immediate, parts};
use serde::Serialize;

/// Split an index into a sum of parts, each a function of given variables
///
/// A part contains only variables of its own `--part`, and variables that are in no `--part`, such as sizes. Terms that cannot
/// be split are listed.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask parts '(wg*32 + t//8)*K + t%8*8 + 4100' --part wg --part t --var wg=0..1023 \\
      --var t=0..255 --var K=8..8192
  quaff ask parts 't*16 + 4100' --part t --immediate 0..4095 --var t=0..255")]
pub(crate) struct Arguments {
    /// The index; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    index: Option<String>,

    /// The variables of one part, such as `wg,k`; may be given several times
    #[arg(long = "part", value_name = "NAMES", required = true)]
    parts: Vec<String>,

    /// Separate a constant in this range from the shared terms, for the immediate operand of an instruction
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    immediate: Option<String>,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{text}` is no range of immediate operands")]
#[diagnostic(code(quaff::ask::immediate), help("write two numbers, such as `0..4095`"))]
struct BadImmediate {
    text: String,
}

#[derive(Serialize)]
struct AnswerJson {
    /// The sum of the terms of each set of variables, in the order of the sets.
    parts: Vec<String>,
    /// The terms without variables of any set.
    shared: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    immediate: Option<i64>,
    /// The terms with variables of several sets, which cannot be split.
    mixed: Vec<String>,
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let given = args.asked.known.expression(args.index.as_deref(), "expression")?;
    let domain = args.asked.known.domain(&[&given])?;
    let range = args.immediate.as_deref().map(immediate).transpose()?;
    let sets: Vec<Vec<&str>> = args.parts.iter().map(|set| set.split(',').map(str::trim).collect()).collect();
    for name in sets.iter().flatten() {
        input::has_range(&domain, "--part", name)?;
    }
    let sets: Vec<&[&str]> = sets.iter().map(Vec::as_slice).collect();
    let found = parts(&Simplifier::default(), given.parsed.expr(), &sets, &domain);
    let Some(found) = args.asked.found(found, &given)? else { return Ok(()) };
    let split = range.and_then(|range| base_and_immediate(&found.shared, range));
    let (shared, immediate) = split.map_or((found.shared, None), |(base, immediate)| (base, Some(immediate)));
    let answer =
        AnswerJson { parts: texts(&found.parts), shared: shared.to_string(), immediate, mixed: texts(&found.mixed) };
    args.asked.print(&answer, || {
        let mut lines: Vec<String> =
            args.parts.iter().zip(&answer.parts).map(|(set, part)| format!("{set}: {part}")).collect();
        lines.push(format!("shared: {}", answer.shared));
        lines.extend(answer.immediate.map(|immediate| format!("immediate: {immediate}")));
        lines.extend(answer.mixed.iter().map(|term| format!("does not come apart: {term}")));
        lines.join("\n") + "\n"
    })
}

fn immediate(text: &str) -> Result<Interval, Failure> {
    let ends = text.split_once("..").map(|(low, high)| (low.trim().parse(), high.trim().parse()));
    let range = match ends {
        Some((Ok(low), Ok(high))) => Interval::new(low, high).filter(|range| range.bounded().is_some()),
        _ => None,
    };
    range.ok_or_else(|| Problem::at_value(&BadImmediate { text: text.into() }, "--immediate", text).into())
}
