//! `quaff ask lanes`: contiguity, constancy and divisibility of an index and its mask along lanes.

use super::asked::Asked;
use crate::report::{Failure, Given};
use clap::Args;
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_ask::{Lanes, lanes, widest_vector};
use serde::Serialize;

/// Contiguity, constancy and divisibility along a lane variable
///
/// In each group of `contiguity` lanes, the index grows by 1 from lane to lane. In each group of `constancy` lanes, all lanes have the same
/// index. Groups begin at multiples of their length. `divisibility` divides the first index of each contiguous group. The widest vector is
/// the largest number of lanes, a power of two, that one access covers.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask lanes 'pid*128 + t' --mask 'pid*128 + t < n' --lane t --var t=0..127 \\
      --var pid=0..65535 --var 'n=16..1048576 step 16'
  quaff ask lanes '(pid*128 + t)%m' --lane t --var t=0..127 --var pid=0..99 \\
      --var 'm=128..8192 step 128'")]
pub(crate) struct Arguments {
    /// The index; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    index: Option<String>,

    /// The variable that counts lanes, with a range that begins at 0
    #[arg(long, value_name = "NAME")]
    lane: String,

    /// The condition of the access
    #[arg(long, value_name = "CONDITION")]
    mask: Option<String>,

    /// The largest number of elements in a vector
    #[arg(long, value_name = "COUNT", default_value_t = 16, value_parser = clap::value_parser!(i64).range(1..))]
    most: i64,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct AnswerJson {
    lanes: i64,
    index: LanesJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    mask: Option<LanesJson>,
    /// The number of elements in the widest vector that index and mask allow.
    vector: i64,
}

#[derive(Serialize)]
struct LanesJson {
    contiguity: i64,
    constancy: i64,
    /// A number that divides the first value of each contiguous group. 0 if all these values are 0.
    divisibility: i64,
}

impl From<&Lanes> for LanesJson {
    fn from(found: &Lanes) -> LanesJson {
        let Lanes { contiguity, constancy, .. } = *found;
        LanesJson { contiguity, constancy, divisibility: found.divisibility() }
    }
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let index = args.asked.known.expression(args.index.as_deref(), "expression")?;
    let mask = args.mask.as_deref().map(|mask| args.asked.known.reading.one(mask, "--mask")).transpose()?;
    let given: Vec<&Given> = std::iter::once(&index).chain(&mask).collect();
    let domain = args.asked.known.domain(&given)?;
    let exprs: Vec<Expr> = given.iter().map(|given| given.parsed.expr().clone()).collect();
    let found = lanes(&Simplifier::default(), &exprs, &args.lane, &domain);
    let Some(found) = args.asked.found(found, &index)? else { return Ok(()) };
    let Some((own, mask)) = found.split_first() else { return Ok(()) };
    let mask = mask.first();
    let vector = widest_vector(own, mask, args.most);
    let answer = AnswerJson { lanes: own.count, index: own.into(), mask: mask.map(LanesJson::from), vector };
    args.asked.print(&answer, || {
        let line = |what: &str, found: &LanesJson| {
            let LanesJson { contiguity, constancy, divisibility } = found;
            format!("{what}: contiguity {contiguity}, constancy {constancy}, divisibility {divisibility}\n")
        };
        let mask = answer.mask.as_ref().map_or_else(String::new, |mask| line("mask", mask));
        format!("{}{mask}widest vector: {vector} of {} lanes\n", line("index", &answer.index), own.count)
    })
}
