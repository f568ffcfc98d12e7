//! `quaff ask iters`: maps as sums of iterators such as `4*(i//8)`, and maps split into an outer and an inner map.

use super::asked::{Asked, each_name, texts};
use super::maps::said;
use crate::input;
use crate::parts::at_commas;
use crate::report::{Failure, Given};
use clap::Args;
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_ask::{Detected, Divided, Division, IterMap, IterSum, IterTerm, Padding, Subspace, detect, subspace_divide};
use serde::Serialize;

/// Write a map as sums of iterators, or divide it into an outer and an inner map
///
/// Each output is a base plus a sum of iterators. An iterator is a digit of a variable or of several joined variables. The map is bijective
/// if inputs and digits determine each other, and if the digits take all combinations of their values. With `--inner`, each output is
/// `outer * stride + inner`, and only the inner part has the inputs of `--inner`.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask iters '(i*8 + j)//4, (i*8 + j)%4' --input i,j --var i=0..15 --var j=0..7
  quaff ask iters 'z*12 + y*3 + x' --input x,y,z --inner x --var z=0..4 --var y=0..3 --var x=0..2")]
pub(crate) struct Arguments {
    /// The outputs of the map, with commas between them; read from standard input when absent or `-`
    #[arg(value_name = "EXPRS", allow_hyphen_values = true)]
    outputs: Option<String>,

    /// The variables that the map is a function of, such as `x,y`, with ranges that begin at 0; may be given several times
    #[arg(long = "input", value_name = "NAMES", required = true)]
    inputs: Vec<String>,

    /// Inputs of the inner map, such as `x,y`; may be given several times
    #[arg(long, value_name = "NAMES")]
    inner: Vec<String>,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct MapJson {
    outputs: Vec<SumJson>,
    padding: Vec<PaddingJson>,
    /// Whether the map is bijective. None when that is not decided.
    bijective: Option<bool>,
}

#[derive(Serialize)]
struct SumJson {
    output: String,
    /// The iterators, the one with the greatest scale (the slowest) first.
    iterators: Vec<IteratorJson>,
    base: String,
}

#[derive(Serialize)]
struct IteratorJson {
    /// The digit without its scale, as an expression such as `i//8%4`.
    digit: String,
    source: String,
    lower: String,
    modulus: Option<String>,
    extent: String,
    scale: String,
}

#[derive(Serialize)]
struct PaddingJson {
    source: String,
    lower: String,
    left: String,
    right: String,
}

#[derive(Serialize)]
struct SubspaceJson {
    outputs: Vec<DivisionJson>,
    outer_conditions: Vec<String>,
    inner_conditions: Vec<String>,
}

#[derive(Serialize)]
struct DivisionJson {
    output: String,
    outer: String,
    outer_extent: String,
    stride: String,
    inner: String,
    inner_extent: String,
}

#[derive(Serialize)]
struct NotJson {
    /// The part of the map that is no iterator, or that prevents the split.
    not: String,
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let (text, file) = input::text(args.outputs.as_deref(), "outputs")?;
    let parts = at_commas(&text);
    let given = parts.iter().map(|part| args.asked.known.reading.one(part, file));
    let given: Vec<Given> = given.collect::<Result<_, _>>()?;
    let domain = args.asked.known.domain(&given.iter().collect::<Vec<_>>())?;
    let outputs: Vec<Expr> = given.iter().map(|given| given.parsed.expr().clone()).collect();
    let (inputs, inner) = (each_name(&args.inputs), each_name(&args.inner));
    let simplifier = Simplifier::default();
    if !inner.is_empty() {
        let found = subspace_divide(&simplifier, &outputs, &inputs, &inner, &domain);
        return match args.asked.found(found, &given[0])? {
            None => Ok(()),
            Some(Divided::Not { part }) => not(args, "does not come apart", &part),
            Some(Divided::Map(found)) => {
                let answer = subspace(&outputs, &found);
                args.asked.print(&answer, || subspace_text(&answer))
            }
        };
    }
    match args.asked.found(detect(&simplifier, &outputs, &inputs, &domain), &given[0])? {
        None => Ok(()),
        Some(Detected::Not { part, .. }) => not(args, "no iterator", &part),
        Some(Detected::Map(found)) => {
            let answer = map(&outputs, &found);
            args.asked.print(&answer, || map_text(&answer))
        }
    }
}

fn not(args: &Arguments, why: &str, part: &Expr) -> Result<(), Failure> {
    let answer = NotJson { not: part.to_string() };
    args.asked.print(&answer, || format!("{why}: {}\n", answer.not))
}

fn map(outputs: &[Expr], found: &IterMap) -> MapJson {
    let sums = outputs.iter().zip(&found.outputs).map(|(output, IterSum { iterators, base })| SumJson {
        output: output.to_string(),
        iterators: iterators.iter().map(iterator).collect(),
        base: base.to_string(),
    });
    let padding = |Padding { source, lower, left, right }: &Padding| PaddingJson {
        source: source.to_string(),
        lower: lower.to_string(),
        left: left.to_string(),
        right: right.to_string(),
    };
    MapJson {
        outputs: sums.collect(),
        padding: found.padding.iter().map(padding).collect(),
        bijective: found.is_bijective,
    }
}

fn iterator(found: &IterTerm) -> IteratorJson {
    IteratorJson {
        digit: found.digit().to_string(),
        source: found.source.to_string(),
        lower: found.lower.to_string(),
        modulus: found.modulus.as_ref().map(ToString::to_string),
        extent: found.extent.to_string(),
        scale: found.scale.to_string(),
    }
}

fn map_text(answer: &MapJson) -> String {
    let mut lines = vec![];
    for SumJson { output, iterators, base } in &answer.outputs {
        lines.push(output.clone());
        lines
            .extend(iterators.iter().map(|one| format!("  {}: extent {}, scale {}", one.digit, one.extent, one.scale)));
        lines.push(format!("  base: {base}"));
    }
    let padded = |PaddingJson { source, lower, left, right }: &PaddingJson| {
        format!("padding of {source} by {lower}: {left} before, {right} behind")
    };
    lines.extend(answer.padding.iter().map(padded));
    lines.push(format!("bijective: {}", said(answer.bijective)));
    lines.join("\n") + "\n"
}

fn subspace(outputs: &[Expr], found: &Subspace) -> SubspaceJson {
    let of = |(output, division): (&Expr, &Division)| {
        let Division { outer, outer_extent, stride, inner, inner_extent } = division;
        DivisionJson {
            output: output.to_string(),
            outer: outer.to_string(),
            outer_extent: outer_extent.to_string(),
            stride: stride.to_string(),
            inner: inner.to_string(),
            inner_extent: inner_extent.to_string(),
        }
    };
    SubspaceJson {
        outputs: outputs.iter().zip(&found.outputs).map(of).collect(),
        outer_conditions: texts(&found.outer_conditions),
        inner_conditions: texts(&found.inner_conditions),
    }
}

fn subspace_text(answer: &SubspaceJson) -> String {
    let mut lines = vec![];
    for DivisionJson { output, outer, outer_extent, stride, inner, inner_extent } in &answer.outputs {
        lines.push(output.clone());
        lines.push(format!("  outer: {outer}, extent {outer_extent}, stride {stride}"));
        lines.push(format!("  inner: {inner}, extent {inner_extent}"));
    }
    lines.extend(answer.outer_conditions.iter().map(|condition| format!("outer where {condition}")));
    lines.extend(answer.inner_conditions.iter().map(|condition| format!("inner where {condition}")));
    lines.join("\n") + "\n"
}
