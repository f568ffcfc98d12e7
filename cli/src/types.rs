//! `quaff types`: the integers that the copies of unrolled loops cover together, and the part that the copies share.

use crate::answering::Answering;
use crate::dialect::{self, Reading};
use crate::input;
use crate::json;
use crate::parts::at_commas;
use crate::report::{Failure, Given, Problem, io_failure, no_answer};
use crate::types_unroll::{Loop, combinations, read_loop};
use clap::Args;
use miette::Diagnostic;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::{SimplifyError, Step};
use quaff_fronts::banks::{CopiesInBanks, copies_in_grid};
use quaff_fronts::index_type::{CheckError, Checked, Lost, Outcome, Types, check};
use serde::Serialize;
use std::io::Write as _;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  quaff types 'i//4*64 + i%4' --unroll i=0..64/8
  quaff types 'i*x' --unroll i=0..64/4 --var x=0..999
  quaff types '(i + x)%3' --unroll i=0..10/4 --var x=0..99
  quaff types 'i + x, j' --unroll i=0..64/4 --unroll j=0..64/2 --var x=0..99 --banks 4x2";

/// Find the part of an index that all copies of an unrolled loop body share
///
/// An index type `idx<ls..hs, ld..hd>` is the set of the `hs - ls` integers `ls + k*d, ls + k*d + 1, ..` with `k = hs - ls`, for a dynamic
/// number `d` in `ld..hd`. Upper ends are exclusive. The command prints the part that all copies share, the number that each copy adds to
/// it, and the operator after which the copies share nothing. In printed expressions, the name of an unrolled variable is the value of the
/// variable in the first copy.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The index, or one for each dimension with commas between them; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    index: Option<String>,

    /// An unrolled loop: the variable, its range with an exclusive end, and the number of copies of the body. Remaining trips, fewer
    /// than the copies, become a separate part. May be given several times
    #[arg(long = "unroll", value_name = "NAME=LOW..END/COPIES")]
    loops: Vec<String>,

    /// The range of another variable, written as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    #[command(flatten)]
    reading: Reading,

    /// Also print the banks that the copies use. COUNT is the number of banks of a dimension; element `x` is in bank `x mod COUNT`
    #[arg(long, value_name = "COUNT[xCOUNT..]")]
    banks: Option<String>,

    /// Print one JSON object: parts (loops, dimensions (type, copies, shared, adds, indices, lost, cost), banks)
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    answering: Answering,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
enum BadArgument {
    #[error("`{text}` has no banks")]
    #[diagnostic(code(quaff::types::banks), help("write a number for each dimension, such as `--banks 4x2`"))]
    Banks { text: String },
    #[error("{dimensions} dimensions, but banks for {banks}")]
    #[diagnostic(code(quaff::types::dimensions), help("write a number for each dimension, such as `--banks 4x2`"))]
    Dimensions { dimensions: usize, banks: usize },
}

/// The result for one combination of parts of the loops: for each loop its main part, or the rest after the last full
/// unrolled iteration.
struct Part<'a> {
    loops: Vec<&'a Loop>,
    dimensions: Vec<Dimension>,
    banks: Option<Result<CopiesInBanks, Lost>>,
}

/// The index of one dimension.
struct Dimension {
    checked: Checked,
    /// The part that all copies share, simplified. `None` unless the copies share exactly one part.
    shared: Option<Expr>,
    /// The simplified expression of each copy, for at most `SHOWN` copies.
    indices: Vec<Expr>,
    /// The rules that fired.
    trace: Vec<Step>,
}

/// The largest number of copies whose expressions are built.
const SHOWN: usize = 64;

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let (text, file) = input::text(args.index.as_deref(), "index")?;
    let given = at_commas(&text).into_iter().map(|part| args.reading.one(&part, file));
    let given = given.collect::<Result<Vec<Given>, _>>()?;
    let loops = args.loops.iter().map(|l| read_loop(l, &args.reading)).collect::<Result<Vec<Vec<Loop>>, _>>()?;
    let mut domain = Domain::new();
    input::declare(&mut domain, &args.vars, &args.reading)?;
    let unrolled: Vec<String> = loops.iter().flatten().map(|l| l.name.clone()).collect();
    let domain = dialect::known_but(domain, &given.iter().collect::<Vec<_>>(), &unrolled)?;
    let banks = banks(args, given.len())?;
    let mut parts = Vec::new();
    for loops in combinations(&loops)? {
        parts.push(part(&args.answering, &given, loops, &domain, banks.as_deref())?);
    }
    args.answering.show(parts.iter().flat_map(|p| &p.dimensions).flat_map(|d| &d.trace), "");
    let out = match args.json {
        true => json::indented(&AllJson { parts: parts.iter().map(PartJson::from).collect() }),
        false => listed(&parts, &given),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The banks of each dimension.
fn banks(args: &Arguments, dimensions: usize) -> Result<Option<Vec<u32>>, Failure> {
    let Some(text) = &args.banks else { return Ok(None) };
    let all = text.split('x').map(|n| n.trim().parse().ok().filter(|n| *n > 0)).collect::<Option<Vec<u32>>>();
    let wrong = || Problem::at_value(&BadArgument::Banks { text: text.clone() }, "--banks", text);
    let all = all.ok_or_else(wrong)?;
    match all.len() == dimensions {
        true => Ok(Some(all)),
        false => Err(Problem::new(&BadArgument::Dimensions { dimensions, banks: all.len() }).into()),
    }
}

fn part<'a>(
    answering: &Answering,
    given: &[Given],
    loops: Vec<&'a Loop>,
    domain: &Domain,
    banks: Option<&[u32]>,
) -> Result<Part<'a>, Failure> {
    let types = Types::new(domain).map_err(|e| Problem::new(&e))?;
    let types = loops.iter().fold(types, |types, l| types.with(l.name.as_str(), l.ty));
    // the name of an unrolled variable means its value in the first copy
    let domain = loops.iter().fold(domain.clone(), |domain, l| l.ty.first_copy(&l.name, domain));
    let mut dimensions = Vec::new();
    for index in given {
        let checked = check(index.parsed.expr(), &types).map_err(|e| refused(&e, index))?;
        dimensions.push(Dimension::new(answering, checked, &domain)?);
    }
    let banks = banks.map(|banks| {
        let grid: Vec<(&Checked, u32)> = dimensions.iter().map(|d| &d.checked).zip(banks.iter().copied()).collect();
        copies_in_grid(&grid)
    });
    Ok(Part { loops, dimensions, banks })
}

/// The problem for `error`, shown in the text of `given`.
fn refused(error: &CheckError, given: &Given) -> Problem {
    let place = given.parsed.span_of(error.culprit()).map(|span| ("here", span));
    Problem::at_places(error, given, place.into_iter().collect())
}

impl Dimension {
    fn new(answering: &Answering, checked: Checked, domain: &Domain) -> Result<Dimension, Failure> {
        let simplifier = answering.simplifier()?;
        let mut trace = Vec::new();
        let mut simplified = |e: &Expr| match simplifier.simplify(e, domain) {
            Ok(answer) => {
                answering.check_equal([e], answer.expr(), domain)?;
                trace.extend_from_slice(answer.trace());
                Ok(answer.expr().clone())
            }
            Err(e @ SimplifyError::WrongAnswer(_)) => Err(no_answer(&e, || Problem::new(&e))),
            // an expression that cannot be simplified stays as it is
            Err(_) => Ok(e.clone()),
        };
        let shared = checked.shared().map(|(base, _)| simplified(base)).transpose()?;
        let copies = checked.copies().map_err(|e| Problem::new(&e))?.into_iter().take(SHOWN);
        let indices = match checked.ty() {
            _ if shared.is_some() => Vec::new(),
            // these copies are sums of multiples of the shared parts, which need no simplification
            Outcome::Several(_) => copies.collect(),
            _ => copies.map(|e| simplified(&e)).collect::<Result<_, _>>()?,
        };
        Ok(Dimension { checked, shared, indices, trace })
    }

    /// Whether the copies together always cover all integers of the type, although no part of the index is shared.
    fn is_set(&self) -> bool {
        self.shared.is_none() && matches!(self.checked.ty(), Outcome::Exact(_))
    }

    /// The operator after which the copies share no part.
    fn lost(&self) -> Option<&Lost> {
        self.checked.lost().filter(|_| !matches!(self.checked.ty(), Outcome::Several(_)))
    }

    /// The offset of each copy. If the copies do not share exactly one part, it is the expression of each copy.
    fn copies(&self) -> String {
        let own = |s: usize| {
            let at: Vec<String> = self.checked.copy(s).iter().map(|(_, number)| number.to_string()).collect();
            at.join(",")
        };
        let names: Vec<&str> = self.checked.unrolled().map(|(name, _)| name).collect();
        let more = self.checked.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        match self.checked.shared() {
            Some((_, offsets)) => {
                let all: Vec<String> = offsets.iter().take(SHOWN).map(i128::to_string).collect();
                format!("adds    {}{more}\n", all.join(", "))
            }
            None => {
                let head = names.join(",");
                let width = (0..self.indices.len()).map(|s| own(s).len()).fold(head.len(), usize::max);
                let mut out = format!("        {head:<width$}  index\n");
                for (s, index) in self.indices.iter().enumerate() {
                    out += &format!("        {:<width$}  {index}\n", own(s));
                }
                out + &if more.is_empty() { String::new() } else { format!("       {}\n", &more[1..]) }
            }
        }
    }
}

fn listed(parts: &[Part<'_>], given: &[Given]) -> String {
    let mut out = String::new();
    for (number, part) in parts.iter().enumerate() {
        if number > 0 {
            out += "\n";
        }
        if parts.len() > 1 {
            let loops: Vec<String> = part.loops.iter().map(|l| l.to_string()).collect();
            out += &format!("{}:\n", loops.join(", "));
        }
        for (dimension, index) in part.dimensions.iter().zip(given) {
            if given.len() > 1 {
                out += &format!("index   {}\n", index.parsed.source().trim());
            }
            out += &said(dimension);
        }
        if let Some(banks) = &part.banks {
            out += &bank_text(banks);
        }
    }
    out
}

fn said(dimension: &Dimension) -> String {
    let checked = &dimension.checked;
    let mut out = format!("type    {}\ncopies  {}\n", checked.ty(), checked.len());
    if let Some(shared) = &dimension.shared {
        out += &format!("shared  {shared}\n");
    }
    if let Outcome::Several(parts) = checked.ty() {
        let all: Vec<String> = parts.parts().iter().map(|p| p.base().to_string()).collect();
        out += &format!("shared  {}\n", all.join("; "));
    }
    match dimension.lost() {
        Some(lost) if dimension.is_set() => {
            let operator = lost.operator();
            out += &format!(
                "set     the copies have these integers together at all times; after `{operator}` each computes its own\n"
            );
        }
        Some(lost) => out += &format!("lost    {lost}\n"),
        None => {}
    }
    out + &dimension.copies()
}

fn bank_text(banks: &Result<CopiesInBanks, Lost>) -> String {
    match banks {
        Err(lost) => format!("banks   not known: {lost}\n"),
        Ok(used) => {
            let mut out = match used.conflict {
                None => "banks   no conflict".to_string(),
                Some((a, b, bank)) => {
                    format!("banks   {}-way conflict, such as copies {a} and {b} in bank {bank}", used.degree)
                }
            };
            out += if used.broadcast { ", broadcast" } else { "" };
            match &used.banks {
                Some(all) => {
                    let all: Vec<String> = all.iter().map(u32::to_string).collect();
                    out += &format!(", always banks {}\n", all.join(", "));
                }
                None => out += ", banks move with the dynamic part\n",
            }
            out
        }
    }
}

/// The output of `--json`.
#[derive(Serialize)]
struct AllJson {
    /// A result for each combination of main parts and rests of the loops.
    parts: Vec<PartJson>,
}

#[derive(Serialize)]
struct PartJson {
    /// The loops, such as `i in 0..8 by 4`.
    loops: Vec<String>,
    dimensions: Vec<DimensionJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    banks: Option<BanksJson>,
}

#[derive(Serialize)]
struct DimensionJson {
    #[serde(rename = "type")]
    ty: String,
    copies: usize,
    /// The parts that all copies share. There can be one, several or none.
    shared: Vec<String>,
    /// The number that each copy adds to the shared part.
    #[serde(skip_serializing_if = "Option::is_none")]
    adds: Option<Vec<String>>,
    /// The expression of each copy, if the copies do not share one part.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    indices: Vec<String>,
    /// The operator after which the copies share no part, and the reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    lost: Option<LostJson>,
    /// Whether the copies together always cover all integers of the type, although no part of the index is shared.
    set: bool,
}

#[derive(Serialize)]
struct LostJson {
    operator: String,
    why: &'static str,
}

#[derive(Serialize)]
struct BanksJson {
    degree: Option<u32>,
    broadcast: Option<bool>,
    /// Two copies whose elements are in one bank, and the number of the bank.
    conflict: Option<(usize, usize, u32)>,
    /// The banks, if they do not depend on the dynamic part.
    banks: Option<Vec<u32>>,
}

impl From<&Part<'_>> for PartJson {
    fn from(part: &Part<'_>) -> PartJson {
        let banks = part.banks.as_ref().map(|used| {
            let used = used.as_ref().ok();
            BanksJson {
                degree: used.map(|u| u.degree),
                broadcast: used.map(|u| u.broadcast),
                conflict: used.and_then(|u| u.conflict),
                banks: used.and_then(|u| u.banks.clone()),
            }
        });
        let dimensions = part.dimensions.iter().map(DimensionJson::from).collect();
        PartJson { loops: part.loops.iter().map(|l| l.to_string()).collect(), dimensions, banks }
    }
}

impl From<&Dimension> for DimensionJson {
    fn from(dimension: &Dimension) -> DimensionJson {
        let checked = &dimension.checked;
        let shared = match checked.ty() {
            Outcome::Several(parts) => parts.parts().iter().map(|p| p.base().to_string()).collect(),
            _ => dimension.shared.iter().map(Expr::to_string).collect(),
        };
        DimensionJson {
            ty: checked.ty().to_string(),
            copies: checked.len(),
            shared,
            adds: checked.shared().map(|(_, offsets)| offsets.iter().map(i128::to_string).collect()),
            indices: dimension.indices.iter().map(Expr::to_string).collect(),
            lost: dimension.lost().map(|l| LostJson { operator: l.operator().to_string(), why: l.why() }),
            set: dimension.is_set(),
        }
    }
}
