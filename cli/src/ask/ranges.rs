//! `quaff ask` for the values of variables under conditions, and for the replacement of variables by counters of their
//! steps.

use super::asked::{Asked, each_name};
use crate::input;
use crate::report::Failure;
use clap::Args;
use quaff::Simplifier;
use quaff_ask::{Counted, Rescaled, VariableRange, ranges, rescale};
use serde::Serialize;

/// The range and the residue of each variable under the conditions
///
/// The ranges together are a box around all points that satisfy the conditions. A range that may be wider than the values is marked
/// `within`. With `--rescale`, a variable whose values are several units apart is replaced by a counter of steps. The command then prints
/// the index and all ranges and conditions with the counters.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask ranges s,t --var s=0..99 --var t=0..9 --assume 's%6 == 3' --assume 's + t <= 40'
  quaff ask ranges s --rescale 's//3*4 + t' --var s=0..99 --var t=0..9 --assume 's%6 == 3'")]
pub(crate) struct Arguments {
    /// The variables, such as `x,y`
    #[arg(value_name = "NAMES")]
    variables: String,

    /// Replace variables by counters of their steps in this index
    #[arg(long, value_name = "INDEX", allow_hyphen_values = true)]
    rescale: Option<String>,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct AnswerJson {
    variables: Vec<VariableJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rescaled: Option<RescaledJson>,
}

#[derive(Serialize)]
struct VariableJson {
    name: String,
    /// The least value, or a lower bound of it. None when there is no bound.
    least: Option<i64>,
    greatest: Option<i64>,
    /// Whether both bounds are proved to be values.
    ends_are_values: bool,
    residue: i64,
    /// The modulus of the values. 1 when there is no residue, 0 when there is only one value.
    modulus: i64,
}

#[derive(Serialize)]
struct RescaledJson {
    index: String,
    domain: String,
    counted: Vec<CountedJson>,
}

#[derive(Serialize)]
struct CountedJson {
    name: String,
    /// The name of the counter. None when the variable has only one value.
    counter: Option<String>,
    /// The variable as an expression in the counter.
    value: String,
    /// The counter as an expression in the variable.
    count: String,
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let known = &args.asked.known;
    let names = each_name(std::slice::from_ref(&args.variables));
    names.iter().try_for_each(|name| input::named("NAMES", name))?;
    // without an index, errors are shown in the sum of the names
    let index = args.rescale.clone().unwrap_or_else(|| names.join(" + "));
    let given = known.reading.one(&index, if args.rescale.is_some() { "--rescale" } else { "NAMES" })?;
    let domain = known.domain(&[&given])?;
    for name in &names {
        input::has_range(&domain, "NAMES", name)?;
    }
    let simplifier = Simplifier::default();
    let Some(found) = args.asked.found(ranges(&simplifier, &names, &domain), &given)? else { return Ok(()) };
    let rescaled = match args.rescale {
        None => None,
        Some(_) => {
            let found = rescale(&simplifier, &[given.parsed.expr().clone()], &names, &domain);
            let Some(found) = args.asked.found(found, &given)? else { return Ok(()) };
            Some(rescaled_json(&found))
        }
    };
    let answer = AnswerJson { variables: found.iter().map(VariableJson::new).collect(), rescaled };
    args.asked.print(&answer, || {
        let ranges = found.iter().map(range_text);
        let rescaled = answer.rescaled.iter().map(rescaled_text);
        ranges.chain(rescaled).collect()
    })
}

impl VariableJson {
    fn new(found: &VariableRange) -> VariableJson {
        VariableJson {
            name: found.name.to_string(),
            least: found.range.lo(),
            greatest: found.range.hi(),
            ends_are_values: found.has_ends,
            residue: found.congruence.residue(),
            modulus: found.congruence.modulus(),
        }
    }
}

/// The text of a range, such as `s: 3..99, 3 mod 6`.
fn range_text(found: &VariableRange) -> String {
    let VariableRange { name, range, congruence, has_ends } = found;
    let within = if *has_ends { "" } else { "within " };
    match congruence.modulus() {
        0 | 1 => format!("{name}: {within}{range}\n"),
        modulus => format!("{name}: {within}{range}, {} mod {modulus}\n", congruence.residue()),
    }
}

fn rescaled_json(found: &Rescaled) -> RescaledJson {
    let counted = |one: &Counted| CountedJson {
        name: one.name.to_string(),
        counter: one.counter.as_ref().map(ToString::to_string),
        value: one.value.to_string(),
        count: one.count.to_string(),
    };
    RescaledJson {
        index: found.exprs.iter().map(ToString::to_string).collect(),
        domain: found.domain.to_string(),
        counted: found.counted.iter().map(counted).collect(),
    }
}

fn rescaled_text(RescaledJson { index, domain, counted }: &RescaledJson) -> String {
    let mut lines = vec![];
    for CountedJson { name, counter, value, count } in counted {
        lines.push(format!("{name} = {value}"));
        lines.extend(counter.iter().map(|counter| format!("{counter} = {count}")));
    }
    lines.push(format!("index: {index}"));
    lines.push(format!("domain: {domain}"));
    lines.join("\n") + "\n"
}
