//! `quaff ask when`: the weakest conditions on sizes under which a claim always holds.

use super::asked::{Asked, each_name};
use crate::dialect::dialects;
use crate::input;
use crate::report::{Failure, Given, Problem};
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff_ask::{When, when, when_disjoint, when_vector};
use quaff_dialects::{Dialect, WriteError};
use serde::Serialize;

/// The weakest conditions on sizes under which a condition always holds
///
/// Tries multiples such as `n%4 == 0`, and bounds such as `n <= 65535`, `m*n <= 1048576` and `m <= n`. Each printed line is sufficient on
/// its own. A host can test it to choose between two versions of a kernel. A line is marked `necessary` if the condition fails for all
/// other sizes. With `--emit`, each line is a test in the language of the host.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask when 'i*32 + l < n' --size n --var n=1..64 --var 'i=0..(n + 31)//32 - 1' --var l=0..31
  quaff ask when 'row*ld + t' --fits-32 --size ld --var row=0..99999 --var t=0..31 \\
      --var ld=1..999999
  quaff ask when 'row*ld + t' --vector 4 --lane t --mask 't < n' --size ld --size n \\
      --var row=0..99 --var t=0..127 --var ld=1..4096 --var n=1..4096 --emit c
  quaff ask when t --disjoint 't + d' --input t --size d --var t=0..31 --var d=0..99")]
pub(crate) struct Arguments {
    /// The condition, or the index if --fits-32, --vector or --disjoint is given; read from standard input when absent
    /// or `-`
    #[arg(value_name = "CONDITION", allow_hyphen_values = true)]
    condition: Option<String>,

    /// The sizes that may occur in the answer, such as `m,n`; may be given several times
    #[arg(long = "size", value_name = "NAMES", required = true)]
    sizes: Vec<String>,

    /// Ask when the index fits a signed integer of 32 bits
    #[arg(long)]
    fits_32: bool,

    /// Ask when one access covers this number of neighbouring lanes of the index
    #[arg(long, value_name = "LANES", requires = "lane", conflicts_with = "fits_32")]
    vector: Option<i64>,

    /// The variable that counts lanes, with a range that begins at 0
    #[arg(long, value_name = "NAME", requires = "vector")]
    lane: Option<String>,

    /// The condition of the access of --vector
    #[arg(long, value_name = "CONDITION", requires = "vector", allow_hyphen_values = true)]
    mask: Option<String>,

    /// Ask when the index has no value in common with this second index
    #[arg(long, value_name = "INDEX", requires = "inputs", conflicts_with_all = ["fits_32", "vector"], allow_hyphen_values = true)]
    disjoint: Option<String>,

    /// The variables that may differ between the two indices of --disjoint, such as `x,y`; may be given several times
    #[arg(long = "input", value_name = "NAMES", requires = "disjoint")]
    inputs: Vec<String>,

    /// Print each condition as a test in this language of the host
    #[arg(long, value_name = "DIALECT", value_parser = dialects())]
    emit: Option<Dialect>,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the test of the host: {0}")]
#[diagnostic(code(quaff::ask::emit), help("`c`, `python` and `infix` have texts for all tests"))]
struct NoText(#[from] WriteError);

#[derive(Serialize)]
struct AnswerJson {
    /// Alternative lists of conditions, each of which suffices. There are no alternatives if none was found.
    any: Vec<WhenJson>,
}

#[derive(Serialize)]
struct WhenJson {
    /// The conditions of one alternative, which must hold together. The list is empty when the claim always holds.
    conditions: Vec<String>,
    /// Whether the conditions are also necessary. None when that is not decided.
    necessary: Option<bool>,
    /// With `--emit`, the conjunction of the conditions as code.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<String>,
}

impl WhenJson {
    fn new(when: &When, emit: Option<Dialect>, domain: &Domain) -> Result<WhenJson, Failure> {
        let code = emit.map(|dialect| when.code(dialect, domain)).transpose();
        let code = code.map_err(|e| Problem::new(&NoText(e)))?;
        code.iter().for_each(crate::answer::say_names);
        let test = code.map(|code| code.text);
        Ok(WhenJson { conditions: super::asked::texts(&when.conditions), necessary: when.necessary, test })
    }

    fn line(&self) -> String {
        if let Some(test) = &self.test {
            return format!("{test}\n");
        }
        let conditions = if self.conditions.is_empty() { "always".into() } else { self.conditions.join(" and ") };
        format!("{conditions}{}\n", if self.necessary == Some(true) { " (necessary)" } else { "" })
    }
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let known = &args.asked.known;
    let given = known.expression(args.condition.as_deref(), "expression")?;
    let mask = args.mask.as_deref().map(|mask| known.reading.one(mask, "--mask")).transpose()?;
    let other = args.disjoint.as_deref().map(|other| known.reading.one(other, "--disjoint")).transpose()?;
    let all: Vec<&Given> = std::iter::once(&given).chain(&mask).chain(&other).collect();
    let domain = known.domain(&all)?;
    let [sizes, inputs] = [&args.sizes, &args.inputs].map(|names| each_name(names));
    for name in &sizes {
        input::has_range(&domain, "--size", name)?;
    }
    let (simplifier, own) = (Simplifier::default(), given.parsed.expr());
    let found = match (&other, args.vector.zip(args.lane.as_deref())) {
        (Some(other), _) => when_disjoint(&simplifier, own, other.parsed.expr(), &inputs, &sizes, &domain),
        (_, Some((width, lane))) => {
            let mask = mask.as_ref().map(|mask| mask.parsed.expr());
            when_vector(&simplifier, own, mask, (lane, width), &sizes, &domain)
        }
        _ if args.fits_32 => when(&simplifier, &fits_32(own), &sizes, &domain),
        _ => when(&simplifier, own, &sizes, &domain),
    };
    let Some(found) = args.asked.found(found, &given)? else { return Ok(()) };
    let any = found.iter().map(|when| WhenJson::new(when, args.emit, &domain)).collect::<Result<Vec<_>, _>>()?;
    let answer = AnswerJson { any };
    args.asked.print(&answer, || match answer.any.is_empty() {
        true => "nothing found\n".into(),
        false => answer.any.iter().map(WhenJson::line).collect(),
    })
}

fn fits_32(index: &Expr) -> Expr {
    index.ge(i64::from(i32::MIN)).and(index.le(i64::from(i32::MAX)))
}
