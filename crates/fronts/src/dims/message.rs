//! The text of errors: a headline, indented details, and a help text with advice.

use super::DimRef;
use super::base::Exact;
use super::error::{DimsError, ErrorKind};
use super::report::{Derived, EquationRef, EquationState, Origin, Reduced, Solved};
use quaff::domain::Interval;
use quaff::expr::{Expr, Op};
use std::fmt::{self, Display, Write};

/// The longest list in a message. Longer lists are cut. [`DimsError::kind`] has the whole list.
const LIST_LIMIT: usize = 8;

impl std::error::Error for DimsError {}

impl miette::Diagnostic for DimsError {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(format!("dims::{}", self.name())))
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        Some(Box::new(help(self.kind())))
    }
}

impl Display for DimsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            ErrorKind::BadName { what, name, reason } => {
                write!(f, "`{}` cannot be the name of a {what}: {reason}", name.escape_debug())
            }
            ErrorKind::BadSize { place, value } => write!(f, "{place} is {value}; it must be at least 1"),
            ErrorKind::NotAffine { equation, reason } => write!(f, "`{equation}` is no sum of indices: {reason}"),
            ErrorKind::Sign { equation, dim, coefficient, cause } => {
                write!(
                    f,
                    "`{equation}` cannot be solved for `{dim}`: `{coefficient}` is not known to be positive\n  {cause}"
                )
            }
            ErrorKind::EmptySide { equation } => write!(f, "a side of `{equation}` has no terms"),
            ErrorKind::ForeignDim { what, place } => {
                let article = if what.starts_with('e') { "an" } else { "a" };
                write!(f, "{article} {what} of another `Dims` is used {place}")
            }
            ErrorKind::Frozen { action } => write!(f, "{action} comes after `init`, which froze the program"),
            ErrorKind::Fractional { dim, value, equations, derived } => {
                fractional(f, dim, value)?;
                lines(f, "by", equations)?;
                sizes(f, derived)
            }
            ErrorKind::Root { dim, degree, value, equation } => {
                let all = if value.is_run_time() { " for all run-time sizes" } else { "" };
                write!(f, "`{dim}^{degree} = {value}` has no integer solution{all}\n  by `{equation}`")
            }
            ErrorKind::BadRange { name, reason } => write!(f, "`{name}` cannot be a run-time size: {reason}"),
            ErrorKind::Undecided { what, missing, equations } => {
                write!(f, "{what}\n  missing: `{missing}`")?;
                lines(f, "by", equations)
            }
            ErrorKind::RunTime { dim, size, what } => {
                write!(f, "the size of `{dim}` is `{size}`, known at run time only, and {what} takes a number")
            }
            ErrorKind::Uncovered { equation, factor } => {
                write!(f, "the sizes of `{equation}` cover too little")?;
                factor.iter().try_for_each(|factor| write!(f, ": right / left = {factor}"))
            }
            ErrorKind::Contradiction { equation, factor, with, derived } => {
                contradiction(f, equation, factor, with, derived)
            }
            ErrorKind::Underdetermined { dims, reduced } => underdetermined(f, dims, reduced),
            ErrorKind::Overflow { what, value, equations } => {
                let value = value.as_ref().map_or_else(String::new, |value| format!(": {value}"));
                write!(f, "{what} does not fit 64 bits{value}")?;
                lines(f, "by", equations)
            }
            ErrorKind::AlreadySolved { dim, origin } => write!(f, "the index of `{dim}` is already known: {origin}"),
            ErrorKind::Conflict { equation, left, right, cause } => {
                write!(f, "`{equation}` would receive indices from both sides")?;
                write!(f, "\n  left:  {}\n  right: {}\n  {cause}", solved(left), solved(right))
            }
            ErrorKind::Overdetermined { equation, dim, cause } => {
                write!(f, "`{equation}` cannot be solved for `{dim}`, which stands on one side more than once")?;
                write!(f, "\n  {cause}")
            }
            ErrorKind::Unsolved { dim, active, inactive } => unsolved(f, dim, active, inactive),
            ErrorKind::ScopeParent { scope, parent, active } => {
                let active =
                    if active.is_empty() { "no scope is active".into() } else { format!("active: {}", list(active)) };
                write!(f, "scope `{scope}` is entered without its parent `{parent}`\n  {active}")
            }
            ErrorKind::VectorSize { dim, size, lanes } => {
                write!(f, "`{dim}` has the size {size} and cannot be vectorised by {lanes}")
            }
            ErrorKind::Lanes { dim, lanes, index, reason } => {
                write!(f, "{lanes} lanes of `{dim}` are not one access: {reason}\n  the index at `lane` is `{index}`")
            }
            ErrorKind::OutOfRange { dim, size, value, range, never } => {
                out_of_range(f, [&dim, &size, &value], *range, *never)
            }
            ErrorKind::NameTaken { name } => write!(f, "the loop variable `{name}` has the name of one in use"),
            ErrorKind::NotSimplified { dims, reason } => {
                write!(f, "{} cannot be simplified: {reason}", list(dims))
            }
        }
    }
}

fn underdetermined(f: &mut fmt::Formatter<'_>, dims: &[DimRef], reduced: &[Reduced]) -> fmt::Result {
    let (plural, verb) = if dims.len() == 1 { ("", "is") } else { ("s", "are") };
    write!(f, "the size{plural} of {} {verb} not determined", list(dims))?;
    lines(f, "known:", reduced)
}

fn out_of_range(
    f: &mut fmt::Formatter<'_>,
    [dim, size, value]: [&dyn Display; 3],
    range: Interval,
    never: bool,
) -> fmt::Result {
    let is = if never { "is never an index" } else { "is not proved to be an index" };
    write!(f, "`{value}` {is} of `{dim}`, whose size is {size}")?;
    if range.as_point().is_none() { write!(f, "\n  it lies in {range}") } else { Ok(()) }
}

fn fractional(f: &mut fmt::Formatter<'_>, dim: &DimRef, value: &Option<Exact>) -> fmt::Result {
    match value {
        Some(value) => write!(f, "`{dim}` would have the size {value}, which is not an integer"),
        None => write!(f, "`{dim}` would have a size that is not an integer"),
    }
}

fn contradiction(
    f: &mut fmt::Formatter<'_>,
    equation: &EquationRef,
    factor: &Option<Exact>,
    with: &[EquationRef],
    derived: &[Derived],
) -> fmt::Result {
    write!(f, "the sizes of `{equation}` do not multiply out")?;
    match factor {
        Some(factor) if with.is_empty() => write!(f, ": left / right = {factor}")?,
        Some(factor) => write!(f, ": a factor {factor} is left over")?,
        None => {}
    }
    lines(f, "together with", with)?;
    sizes(f, derived)
}

fn unsolved(
    f: &mut fmt::Formatter<'_>,
    dim: &DimRef,
    active: &[EquationState],
    inactive: &[EquationState],
) -> fmt::Result {
    write!(f, "the index of `{dim}` is not known")?;
    states(f, active, |_| String::new())?;
    states(f, inactive, |e| format!(" (in scope `{}`, not entered)", e.scope))?;
    if active.is_empty() && inactive.is_empty() {
        write!(f, "\n  no equation mentions it")?;
    }
    Ok(())
}

fn help(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::BadName { what: "run-time size", .. } => {
            "a run-time size has a name of its own that CUDA takes, and is declared before what is assumed of it".into()
        }
        ErrorKind::BadName { .. } => "a name is made of letters, digits and _, and does not start with a digit".into(),
        ErrorKind::BadSize { .. } => "a size or stride counts elements; leave the size out to have it solved".into(),
        ErrorKind::NotAffine { .. } => {
            "write one dimension, `=`, and dimensions that are multiplied by numbers or values: `ih = oh*2 + ky - 1`"
                .into()
        }
        ErrorKind::Sign { coefficient, .. } => format!("give its variables ranges, or assume `1 <= {coefficient}`"),
        ErrorKind::EmptySide { .. } => "write the integer 1 for a side without dimensions".into(),
        ErrorKind::ForeignDim { .. } => "handles cannot be mixed: create it with the same `Dims` as the others".into(),
        ErrorKind::Frozen { .. } => "declare all dimensions, equations and scopes before `init`".into(),
        ErrorKind::Fractional { .. } => "change a size or a stride so that the division is exact; \
             for a ragged tile, give the padded extent a dimension of its own"
            .into(),
        ErrorKind::Root { value, .. } if value.is_run_time() => {
            "make the root the run-time size, and have the other one follow from it".into()
        }
        ErrorKind::BadRange { .. } => "a size is at least 1 and a multiple of its step, which is at least 1".into(),
        ErrorKind::Undecided { missing, equations, .. } => undecided_help(missing, equations),
        ErrorKind::RunTime { .. } => {
            "give the dimension a number, or take apart a factor of it that is one; `size_expr` has the expression"
                .into()
        }
        ErrorKind::Uncovered { .. } => "leave one size of the right side out to have the least one that covers".into(),
        ErrorKind::Root { degree, .. } => match degree {
            2 => "change a size or a stride to make this a square".into(),
            3 => "change a size or a stride to make this a cube".into(),
            _ => format!("change a size or a stride to make this a {degree}th power"),
        },
        ErrorKind::Contradiction { .. } => {
            "every equation relates sizes, whatever its scope; correct a size, or leave it out to have it solved".into()
        }
        ErrorKind::Underdetermined { dims, reduced } => match dims.first() {
            Some(dim) if reduced.is_empty() => format!("no equation determines `{dim}`: give it a size"),
            Some(dim) => format!("give `{dim}` a size, or add an equation"),
            None => "give the dimensions sizes".into(),
        },
        ErrorKind::Overflow { .. } => "indices are 64-bit integers: split the dimension or lower a size".into(),
        ErrorKind::AlreadySolved { dim, origin } => match origin {
            Origin::Equation { .. } => {
                format!("read `{dim}` instead of setting it, or set it in place of what the equation solves it from")
            }
            _ => "drop this setting, or make the earlier one in a frame that ends before".into(),
        },
        ErrorKind::Conflict { left, right, .. } => conflict_help(left, right),
        ErrorKind::Overdetermined { dim, .. } => format!("set `{dim}` and let the equation give the other side"),
        ErrorKind::Unsolved { dim, active, inactive } => unsolved_help(&dim.name, active, inactive),
        ErrorKind::ScopeParent { parent, .. } => format!("enter `{parent}` first"),
        ErrorKind::VectorSize { size, .. } => format!("vectorise by {size}, or give the dimension another size"),
        ErrorKind::Lanes { lanes, .. } => format!(
            "order the factors so that the lanes vary fastest and begin at a multiple of {lanes}; or take them one at a time, by a loop"
        ),
        ErrorKind::OutOfRange { dim, size, never, .. } => {
            let last =
                size.as_const().map_or_else(|| (size - 1).to_string(), |size| size.saturating_sub(1).to_string());
            let more = if *never {
                String::new()
            } else {
                format!(
                    "; set it under a condition that says so, or let a product cover `{dim}`, with a guard at the tail"
                )
            };
            format!("an index runs from 0 to {last}{more}")
        }
        ErrorKind::NameTaken { .. } => "give the loop variable a name of its own".into(),
        ErrorKind::NotSimplified { reason, .. } => match miette::Diagnostic::help(reason) {
            Some(help) => help.to_string(),
            None => "`get_raw` gives the index as it is".into(),
        },
    }
}

/// The help for a missing condition. If a size must be divisible by a number, the help suggests a step. If the
/// condition comes from a quotient, the help suggests to round up.
fn undecided_help(missing: &Expr, equations: &[EquationRef]) -> String {
    let divided = match (missing.op(), missing.args()) {
        (Op::Eq, [remainder, _]) if *remainder.op() == Op::FloorMod => Some(remainder.args()),
        _ => None,
    };
    match (divided, equations) {
        (Some([of, by]), [equation]) => {
            let step = match (of.op(), by.as_const()) {
                (Op::Var(name), Some(step)) => format!("give `{name}` the step {step}"),
                _ => format!("assume `{missing}`"),
            };
            let covered = equation.text.split_once(" = ").map(|(l, r)| format!(", `{l} <= {r}` or `{r} <= {l}`,"));
            format!("{step}; or let one side cover the other{} with a guard at the tail", covered.unwrap_or_default())
        }
        _ => format!("state it: assume `{missing}`, or write one of the sizes in terms of the others"),
    }
}

fn conflict_help(left: &[Solved], right: &[Solved]) -> String {
    if let Some(both) = left.iter().find(|l| right.iter().any(|r| r.dim.dim == l.dim.dim)) {
        return format!(
            "`{}` stands on both sides; with `Options::digit_alignment` equal digits are matched one by one",
            both.dim
        );
    }
    let solver = left.iter().chain(right).find_map(|s| match &s.origin {
        Origin::Equation { text, .. } => Some(text),
        _ => None,
    });
    match solver {
        Some(text) => format!(
            "information flows one way through an equation: keep this one and `{text}` in scopes that are not entered \
             together, or drop the settings of one side"
        ),
        None => "information flows one way through an equation: drop the settings of one side".into(),
    }
}

fn unsolved_help(dim: &str, active: &[EquationState], inactive: &[EquationState]) -> String {
    let mut help = format!("set or loop over `{dim}`");
    let missing = active.iter().map(|e| e.others.iter().filter(|(_, solved)| !solved).map(|(d, _)| d).collect());
    let fewest: Option<Vec<_>> = missing.min_by_key(|dims: &Vec<_>| dims.len());
    if let Some(dims) = fewest.filter(|dims| !dims.is_empty()) {
        let _ = write!(help, ", or over {}", list(&dims));
    }
    let mut scopes: Vec<_> = inactive.iter().map(|e| &e.scope.path).collect();
    scopes.dedup();
    if !scopes.is_empty() {
        let names: Vec<_> = scopes.iter().take(LIST_LIMIT).map(|s| format!("`{s}`")).collect();
        let _ = write!(help, "; or enter scope {}", names.join(" or "));
    }
    help
}

fn list(items: &[impl Display]) -> String {
    let mut text = items.iter().take(LIST_LIMIT).map(|d| format!("`{d}`")).collect::<Vec<_>>().join(", ");
    if items.len() > LIST_LIMIT {
        let _ = write!(text, " and {} more", items.len() - LIST_LIMIT);
    }
    text
}

fn solved(dims: &[Solved]) -> String {
    let mut text = dims.iter().take(LIST_LIMIT).map(Solved::to_string).collect::<Vec<_>>().join(", ");
    if dims.len() > LIST_LIMIT {
        let _ = write!(text, " and {} more", dims.len() - LIST_LIMIT);
    }
    text
}

fn lines(f: &mut fmt::Formatter<'_>, lead: &str, items: &[impl Display]) -> fmt::Result {
    for item in items.iter().take(LIST_LIMIT) {
        write!(f, "\n  {lead} `{item}`")?;
    }
    more(f, items.len())
}

/// Writes the origins of the derived sizes.
fn sizes(f: &mut fmt::Formatter<'_>, derived: &[Derived]) -> fmt::Result {
    for size in derived.iter().take(LIST_LIMIT) {
        write!(f, "\n  {size}")?;
    }
    more(f, derived.len())
}

fn states(f: &mut fmt::Formatter<'_>, items: &[EquationState], note: impl Fn(&EquationState) -> String) -> fmt::Result {
    for item in items.iter().take(LIST_LIMIT) {
        write!(f, "\n  {item}{}", note(item))?;
    }
    more(f, items.len())
}

fn more(f: &mut fmt::Formatter<'_>, count: usize) -> fmt::Result {
    match count.checked_sub(LIST_LIMIT) {
        Some(rest @ 1..) => write!(f, "\n  and {rest} more"),
        _ => Ok(()),
    }
}
