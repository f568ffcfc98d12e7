//! The weakest conditions on sizes under which something always holds.

use super::asked::{Asked, refused};
use crate::input;
use crate::report::Failure;
use clap::Args;
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_ask::{When, when};
use serde::Serialize;

/// The weakest conditions on sizes under which a condition always holds
///
/// Tries multiples such as `n%4 == 0`, and bounds such as `n <= 65535` and `m*n <= 1048576`. Each line that is printed suffices, for two versions of a
/// kernel: the host tests it. A line is marked `necessary` where the condition fails for all other sizes.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask when 'i*32 + l < n' --size n --var n=1..64 --var 'i=0..(n + 31)//32 - 1' --var l=0..31
  quaff ask when 'row*ld + t' --fits-32 --size ld --var row=0..99999 --var t=0..31 --var ld=1..999999")]
pub(crate) struct Arguments {
    /// The condition; read from standard input when absent or `-`
    #[arg(value_name = "CONDITION", allow_hyphen_values = true)]
    condition: Option<String>,

    /// A size that the answer may have; may be given several times
    #[arg(long = "size", value_name = "NAME", required = true)]
    sizes: Vec<String>,

    /// Ask when an index, given in the place of the condition, fits a signed integer of 32 bits
    #[arg(long)]
    fits_32: bool,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct AnswerJson {
    /// Each suffices; none where nothing was found.
    any: Vec<WhenJson>,
}

#[derive(Serialize)]
struct WhenJson {
    /// All of them together; none where the condition always holds.
    conditions: Vec<String>,
    /// None where it was not decided.
    necessary: Option<bool>,
}

impl From<&When> for WhenJson {
    fn from(when: &When) -> WhenJson {
        WhenJson { conditions: super::asked::texts(&when.conditions), necessary: when.necessary }
    }
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let given = args.asked.known.expression(args.condition.as_deref(), "expression")?;
    let domain = args.asked.known.domain(&[&given])?;
    for name in &args.sizes {
        input::has_range(&domain, "--size", name)?;
    }
    let sizes: Vec<&str> = args.sizes.iter().map(String::as_str).collect();
    let own = given.parsed.expr();
    let condition = if args.fits_32 { fits_32(own) } else { own.clone() };
    let found = when(&Simplifier::default(), &condition, &sizes, &domain).map_err(|e| refused(e, &given))?;
    let answer = AnswerJson { any: found.iter().map(WhenJson::from).collect() };
    args.asked.print(&answer, || {
        let line = |when: &WhenJson| {
            let conditions = if when.conditions.is_empty() { "always".into() } else { when.conditions.join(" and ") };
            format!("{conditions}{}\n", if when.necessary == Some(true) { " (necessary)" } else { "" })
        };
        if answer.any.is_empty() { "nothing found\n".into() } else { answer.any.iter().map(line).collect() }
    })
}

fn fits_32(index: &Expr) -> Expr {
    index.ge(i64::from(i32::MIN)).and(index.le(i64::from(i32::MAX)))
}
