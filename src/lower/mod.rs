//! From expressions to typed, division-free machine operations.
//!
//! [`lower`] turns the nodes of a [`Dag`] into a graph of operations ([`Lowered`]), each with a C type. Lowering decides
//! widths and instruction forms; it does no algebra but that a sum may be added up of other values that are there, and
//! moves nothing. [`emit`](crate::emit) prints the result.
//!
//! - **Widths.** `+ - * <<` and the bit operations are ring operations: their low 32 bits depend on the low 32 bits of
//!   their operands only. A value that fits 32 bits is computed in 32 bits, whatever the size of what it is made from.
//!   Everything else (`//`, `%`, `>>`, comparisons, `min`, `max`, conditions, widening) *observes* its operands, which
//!   must then be exact: 32 bits where the range allows, else 64.
//! - **Signs.** Arithmetic is `int` where operands and result fit; it is `unsigned` where a partial result wraps, so
//!   signed overflow, which C leaves undefined, never happens.
//! - **Divisions.** See [`forms`] for constants. By variables: unsigned division, with the sign folded in by exclusive
//!   or; or, for a divisor that is fixed per launch, multiply-high by a multiplier that the host prepares
//!   ([`Lowered::divisors`]). Divisions that round towards zero by variables are C's own where a sign is not known.
//!
//! Every operation is safe to execute unconditionally, also those of a branch that is not taken.
//!
//! ```
//! use quaff::domain::Domain;
//! use quaff::expr::{Dag, Expr};
//! use quaff::{emit, lower::lower};
//!
//! let vars = Domain::new().with("x", 0..=1_000_000).with("y", -50..=50).resolve()?;
//! let roots: [Expr; 2] = ["x // 7 * 3 + x % 7".parse()?, "y // 8 * 8".parse()?];
//! let kernel = emit::cuda(&lower(&Dag::new(&roots), &vars)?);
//! assert_eq!(kernel.results[0].text, "x + (int)__umulhi((unsigned)x, 613566757u) * -4");
//! assert_eq!(kernel.results[1].text, "y & -8");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bits;
pub(crate) mod build;
mod conditions;
mod defined;
mod divide;
mod divide_truncated;
mod emit_fused_division;
mod error;
pub mod forms;
pub(crate) mod fused_division;
mod graph;
mod machine;
pub mod magic;
mod plan;
mod prices;
mod relations;
mod reuse_sums;
mod run_texts;
mod short_name;
mod sums;
mod target;
mod translate;
mod translator;
pub(crate) mod truncation;
mod wide;

pub use crate::expr::Compare;
pub use error::LowerError;
pub(crate) use error::name_of;
pub use graph::{FastDivisor, Instr, Lowered, Param, Type, Value, Wide};
pub use machine::{Fault, Machine};
pub(crate) use plan::ranges;
pub use prices::Prices;
pub use run_texts::{Compared, Mismatch, Sampling, compare};
pub use target::Target;

use crate::domain::{Interval, VarFacts};
use crate::expr::Dag;
use translate::Piece;

/// Lowers all roots of `dag` together, so that they share what they have in common.
///
/// `vars` says what is known of the variables, as [`Domain::resolve`](crate::domain::Domain::resolve) gives it. An open
/// end of a variable's range is taken to be 2^63 - 2 or its opposite, nearly that of `long long`. Linear in the nodes of
/// `dag`.
///
/// # Errors
/// [`LowerError`] when some value needs more than 64 bits, a divisor may be 0, a shift amount may be out of range, or a
/// variable is not in `vars`.
pub fn lower(dag: &Dag, vars: &[VarFacts]) -> Result<Lowered, LowerError> {
    lower_for(dag, vars, &Target::default())
}

/// [`lower`] in the spellings that pay on `target`.
///
/// # Errors
/// Like [`lower`].
pub fn lower_for(dag: &Dag, vars: &[VarFacts], target: &Target) -> Result<Lowered, LowerError> {
    lower_with(dag, vars, |_| Interval::ALL, target)
}

/// [`lower_for`] for a caller who knows more: `facts` gives an interval for each node of `dag` that holds for all values of
/// the variables; it is intersected with what interval arithmetic finds.
///
/// # Errors
/// Like [`lower`].
pub fn lower_with(
    dag: &Dag,
    vars: &[VarFacts],
    facts: impl Fn(u32) -> Interval,
    target: &Target,
) -> Result<Lowered, LowerError> {
    let ranges = ranges(dag, vars, facts)?;
    Ok(translate::translate(dag, vars, vec![Piece { roots: dag.roots(), ranges, inside: None }], target)?.0)
}

/// Some roots of a dag, and what is known of all nodes where those roots are computed.
pub(crate) struct Part<'a> {
    pub(crate) roots: &'a [u32],
    pub(crate) facts: &'a dyn Fn(u32) -> Interval,
    /// The part before it that is computed wherever this one is; `None` where it is computed unconditionally.
    pub(crate) inside: Option<usize>,
}

/// Several parts of `dag` in one graph, with the roots of each. A part uses what the part computes that it is inside of; all else relies
/// on its own facts and must be computed where these hold.
///
/// # Errors
/// Like [`lower`].
pub(crate) fn lower_parts<'a>(
    dag: &Dag,
    vars: &[VarFacts],
    parts: &[Part<'a>],
    target: &Target,
) -> Result<(Lowered, Vec<Vec<u32>>), LowerError> {
    let piece =
        |p: &Part<'a>| Ok(Piece { roots: p.roots, ranges: self::ranges(dag, vars, p.facts)?, inside: p.inside });
    let pieces = parts.iter().map(piece).collect::<Result<_, LowerError>>()?;
    translate::translate(dag, vars, pieces, target)
}
