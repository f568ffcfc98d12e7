//! Translates expressions to typed machine operations without divisions.
//!
//! [`lower`] turns the nodes of a [`Dag`] into a graph of operations ([`Lowered`]), each with a C type. Lowering
//! decides widths and instruction forms, and moves no operations. It does not rewrite expressions, with one exception:
//! a sum may be computed from other values of the graph. [`emit`](crate::emit) prints the result.
//!
//! - **Widths.** `+ - * <<` and the bit operations are ring operations: the low 32 bits of their results depend only on
//!   the low 32 bits of their operands. A value that fits 32 bits is computed in 32 bits, even if its operands are
//!   larger. All other operations (`//`, `%`, `>>`, comparisons, `min`, `max`, conditions, widening) *observe* their
//!   operands. Observed operands must be exact: in 32 bits if their range permits it, and otherwise in 64 bits.
//! - **Signs.** Arithmetic is `int` if operands and result fit `int`. Arithmetic is `unsigned` if an intermediate
//!   result wraps. So there is never signed overflow, which C leaves undefined.
//! - **Divisions.** [`forms`] describes division by constants. Division by a variable uses unsigned division, and an
//!   exclusive or handles the sign. A divisor that is fixed for a launch is replaced by a multiply-high with a
//!   multiplier that the host prepares ([`Lowered::divisors`]). A division by a variable that rounds towards zero
//!   becomes C's own division if the sign of an operand is not known.
//!
//! Every operation is safe to execute unconditionally, even in a branch that is not taken.
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

/// Lowers all roots of `dag` together, so that they share common values.
///
/// `vars` has the facts about the variables, as returned by [`Domain::resolve`](crate::domain::Domain::resolve). An
/// open end of a variable's range is replaced by 2^63 - 2 or its negation, which are nearly the ends of `long long`.
/// The time is linear in the nodes of `dag`.
///
/// # Errors
/// [`LowerError`] when a value needs more than 64 bits, a divisor may be 0, a shift count may be out of range, or a
/// variable is not in `vars`.
pub fn lower(dag: &Dag, vars: &[VarFacts]) -> Result<Lowered, LowerError> {
    lower_for(dag, vars, &Target::default())
}

/// Like [`lower`], but with the spellings that are best for `target`.
///
/// # Errors
/// [`LowerError`], for the same reasons as in [`lower`].
pub fn lower_for(dag: &Dag, vars: &[VarFacts], target: &Target) -> Result<Lowered, LowerError> {
    lower_with(dag, vars, |_| Interval::ALL, target)
}

/// Like [`lower_for`], but with additional facts. `facts` returns an interval for each node of `dag` that holds for all
/// values of the variables. The interval is intersected with the result of interval arithmetic.
///
/// # Errors
/// [`LowerError`], for the same reasons as in [`lower`].
pub fn lower_with(
    dag: &Dag,
    vars: &[VarFacts],
    facts: impl Fn(u32) -> Interval,
    target: &Target,
) -> Result<Lowered, LowerError> {
    let ranges = ranges(dag, vars, facts)?;
    Ok(translate::translate(dag, vars, vec![Piece { roots: dag.roots(), ranges, inside: None }], target)?.0)
}

/// Some roots of a DAG that are computed under one condition, with the facts that hold under this condition.
pub(crate) struct Part<'a> {
    pub(crate) roots: &'a [u32],
    pub(crate) facts: &'a dyn Fn(u32) -> Interval,
    /// An earlier part that is computed whenever this part is computed. `None` when this part is computed
    /// unconditionally.
    pub(crate) inside: Option<usize>,
}

/// Lowers several parts of `dag` into one graph, and returns the roots of each. A part reuses the values of the part
/// that it is inside of. Its own values rely on its facts, so they must be computed only when these facts hold.
///
/// # Errors
/// [`LowerError`], for the same reasons as in [`lower`].
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
