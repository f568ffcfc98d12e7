//! `quaff ask` for facts about expressions: ranges, congruences, conditions and equality.

use super::asked::{Asked, refused};
use crate::report::{Failure, Given};
use clap::Args;
use quaff::domain::Domain;
use quaff::{Facts, Simplifier, SimplifyError};
use quaff_ask::AskError;
use serde::Serialize;

/// The range of the values of an expression
///
/// Prints `LOW..HIGH`, both ends inclusive. An end is left out if no bound is found for it.
#[derive(Args)]
#[command(after_help = "Examples:\n  quaff ask bounds '(m + n)*32 - m*n' --var m=1..64 --var n=1..64")]
pub(crate) struct Bounds {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,
    #[command(flatten)]
    asked: Asked,
}

/// A congruence that all values of an expression satisfy
///
/// Prints `RESIDUE mod MODULUS`. A modulus of 1 is no information. A modulus of 0 means that RESIDUE is the only value.
#[derive(Args)]
#[command(after_help = "Examples:\n  quaff ask congruence 'r*ld + 20' --var r=0..99 --var 'ld=8..8192 step 8'")]
pub(crate) struct Congruence {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,
    #[command(flatten)]
    asked: Asked,
}

/// Whether a condition always holds, or never
///
/// Prints `always`, `never` or `not proved`.
#[derive(Args)]
#[command(after_help = "Examples:\n  quaff ask prove 'pid//n < m' --var m=1..64 --var n=1..64 --var 'pid=0..m*n-1'")]
pub(crate) struct Prove {
    /// The condition; read from standard input when absent or `-`
    #[arg(value_name = "CONDITION", allow_hyphen_values = true)]
    condition: Option<String>,
    #[command(flatten)]
    asked: Asked,
}

/// Whether two expressions are always equal, or never
///
/// Prints `always`, `never` or `not proved`.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  quaff ask equal 'x%(h*d)//d' 'x//d%h' --var h=1..64 --var d=1..64 --var x=0..99999"
)]
pub(crate) struct Equal {
    /// One expression
    #[arg(value_name = "A", allow_hyphen_values = true)]
    a: String,
    /// The other expression
    #[arg(value_name = "B", allow_hyphen_values = true)]
    b: String,
    #[command(flatten)]
    asked: Asked,
}

#[derive(Serialize)]
struct BoundsJson {
    lower: Option<i64>,
    upper: Option<i64>,
}

#[derive(Serialize)]
struct CongruenceJson {
    residue: i64,
    modulus: i64,
}

#[derive(Serialize)]
struct HoldsJson {
    /// Whether the condition always holds (true) or never holds (false). None if neither is proved.
    always: Option<bool>,
    /// True when the domain has no point.
    #[serde(skip_serializing_if = "Option::is_none")]
    empty: Option<bool>,
}

/// The answer of `question`. `None` when the domain has no point.
fn asked<T>(
    asked: &Asked,
    given: &Given,
    domain: &Domain,
    question: impl FnOnce(&mut Facts) -> Result<T, SimplifyError>,
) -> Result<Option<T>, Failure> {
    let mut facts = Simplifier::default().facts(domain);
    asked.found(question(&mut facts).map_err(AskError::from), given)
}

pub(super) fn bounds(args: &Bounds) -> Result<(), Failure> {
    let given = args.asked.known.expression(args.expr.as_deref(), "expression")?;
    let domain = args.asked.known.domain(&[&given])?;
    let range = asked(&args.asked, &given, &domain, |facts| facts.bounds(given.parsed.expr()))?;
    range.map_or(Ok(()), |range| {
        args.asked.print(&BoundsJson { lower: range.lo(), upper: range.hi() }, || format!("{range}\n"))
    })
}

pub(super) fn congruence(args: &Congruence) -> Result<(), Failure> {
    let given = args.asked.known.expression(args.expr.as_deref(), "expression")?;
    let domain = args.asked.known.domain(&[&given])?;
    let found = asked(&args.asked, &given, &domain, |facts| facts.congruence(given.parsed.expr()))?;
    found.map_or(Ok(()), |found| {
        let (residue, modulus) = (found.residue(), found.modulus());
        args.asked.print(&CongruenceJson { residue, modulus }, || format!("{residue} mod {modulus}\n"))
    })
}

/// Prints whether `question` always holds. In a domain without points, every question holds.
fn print_holds(
    asked: &Asked,
    given: &Given,
    domain: &Domain,
    question: impl FnOnce(&mut Facts) -> Result<Option<bool>, SimplifyError>,
) -> Result<(), Failure> {
    let (always, text, empty) = match question(&mut Simplifier::default().facts(domain)) {
        Ok(Some(true)) => (Some(true), "always\n", None),
        Ok(Some(false)) => (Some(false), "never\n", None),
        Ok(None) => (None, "not proved\n", None),
        Err(error) if asked.empty_ok && error.is_empty_domain() => (Some(true), "always (no point)\n", Some(true)),
        Err(error) => return Err(refused(error.into(), given).into()),
    };
    asked.print(&HoldsJson { always, empty }, || text.into())
}

pub(super) fn prove(args: &Prove) -> Result<(), Failure> {
    let given = args.asked.known.expression(args.condition.as_deref(), "expression")?;
    let domain = args.asked.known.domain(&[&given])?;
    print_holds(&args.asked, &given, &domain, |facts| facts.prove(given.parsed.expr()))
}

pub(super) fn equal(args: &Equal) -> Result<(), Failure> {
    let [a, b] = [
        args.asked.known.expression(Some(&args.a), "expression")?,
        args.asked.known.expression(Some(&args.b), "expression")?,
    ];
    let domain = args.asked.known.domain(&[&a, &b])?;
    print_holds(&args.asked, &a, &domain, |facts| facts.equal(a.parsed.expr(), b.parsed.expr()))
}
