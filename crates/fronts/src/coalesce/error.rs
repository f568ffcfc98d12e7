//! Why there is no answer about coalescing.

use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::expr::{EvalError, UnknownVariable};
use std::sync::Arc;

/// Why a question about coalescing has no answer.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum CoalesceError {
    /// Lanes that no warp has.
    #[error("there is no warp of {lanes} lanes")]
    #[diagnostic(code(quaff::coalesce::warp), help("1 to 1024 lanes"))]
    Warp {
        /// Lanes.
        lanes: u32,
    },
    /// Bytes of an element that no lane accesses at once.
    #[error("an element of {bytes} bytes: it must be 1, 2, 4, 8 or 16")]
    #[diagnostic(code(quaff::coalesce::element))]
    Element {
        /// Bytes.
        bytes: u32,
    },
    /// Elements that no lane accesses at once.
    #[error("{elements} elements of {bytes} bytes at once: together they must be 1, 2, 4, 8 or 16 bytes")]
    #[diagnostic(code(quaff::coalesce::vector))]
    Vector {
        /// Elements of each lane.
        elements: u32,
        /// Bytes of an element.
        bytes: u32,
    },
    /// A weight of 0, or one that is too large.
    #[error("an access that counts {weight} times: it must be 1 to {limit}")]
    #[diagnostic(code(quaff::coalesce::weight))]
    Weight {
        /// The weight.
        weight: u32,
        /// The largest.
        limit: u32,
    },
    /// A search without accesses, or with too many.
    #[error("{count} accesses: a search takes 1 to {limit}")]
    #[diagnostic(code(quaff::coalesce::accesses))]
    Accesses {
        /// How many there are.
        count: usize,
        /// The most.
        limit: usize,
    },
    /// Elements that are no whole number of warps.
    #[error("{n} elements are no whole number of warps that access {group} at once")]
    #[diagnostic(code(quaff::coalesce::no_whole_warps), help("{}", nearest(*n, *group)))]
    NoWholeWarps {
        /// The elements.
        n: u64,
        /// What one warp accesses at once.
        group: u64,
    },
    /// More elements than are enumerated.
    #[error("{n} elements are more than the {limit} that are enumerated")]
    #[diagnostic(
        code(quaff::coalesce::too_many),
        help(
            "ask about one tile: what a block adds to all of its addresses alike does not matter, if it adds whole lines"
        )
    )]
    TooMany {
        /// Elements, or accesses of all lanes.
        n: u128,
        /// The limit.
        limit: u64,
    },
    /// A variable other than the element's number.
    #[error("`{}` has no range here: only `{variable}` has one", .unknown.name)]
    #[diagnostic(code(quaff::coalesce::unknown_variable), help("write `{variable}` for the number of the element"))]
    Unknown {
        /// The variable that has none.
        unknown: UnknownVariable,
        /// The one that has.
        variable: Arc<str>,
    },
    /// A variable without a range.
    #[error("`{name}` needs a range with two ends")]
    #[diagnostic(code(quaff::coalesce::open))]
    Open {
        /// The variable.
        name: Arc<str>,
    },
    /// An index that has no value.
    #[error("the index has no value {at}: {why}")]
    #[diagnostic(code(quaff::coalesce::value))]
    NoValue {
        /// `at i = 3`.
        at: String,
        /// What is wrong.
        why: EvalError,
    },
    /// An address beyond what a GPU has.
    #[error("the index is {value} {at}: beyond 2^40 elements")]
    #[diagnostic(code(quaff::coalesce::address))]
    Address {
        /// The element.
        value: i128,
        /// `at i = 3`.
        at: String,
    },
    /// Text that is no measure, and no sum of multiples of measures.
    #[error("`{text}` is no measure of schedules: {why}")]
    #[diagnostic(
        code(quaff::coalesce::objective),
        help(
            "there are sectors, gap, distance, lines, requests, fetches and cost, and sums such as `2*sectors + cost`"
        )
    )]
    Objective {
        /// The text.
        text: String,
        /// What is wrong.
        why: String,
    },
    /// Threads whose steps are no whole number, or no whole number of warps.
    #[error(
        "{threads} threads of {vector} elements each take no whole number of steps for {n} elements, or are no whole number of warps"
    )]
    #[diagnostic(
        code(quaff::coalesce::threads),
        help(
            "threads times the elements of one at once must divide the elements, and a multiple of the lanes of a warp must be threads"
        )
    )]
    Threads {
        /// Threads of a block.
        threads: u32,
        /// Elements that each takes at once.
        vector: u32,
        /// All elements.
        n: u64,
    },
    /// A measure that needs the threads of a block.
    #[error("fetches are those of the steps of a block: its threads are not given")]
    #[diagnostic(code(quaff::coalesce::no_threads))]
    NoThreads,
    /// A variable with a name that schedules use.
    #[error("`{name}` is a name that schedules use")]
    #[diagnostic(code(quaff::coalesce::name), help("call it otherwise: `u` is a lane, `t` a thread and `s` a step"))]
    Name {
        /// The name.
        name: Arc<str>,
    },
    /// A variable with more values than are looked at.
    #[error("more than {limit} values of `{name}` and the other variables matter")]
    #[diagnostic(
        code(quaff::coalesce::values),
        help("give the variable a shorter range: what moves all addresses by whole lines does not matter")
    )]
    Values {
        /// The variable of which most values matter.
        name: Arc<str>,
        /// The limit.
        limit: u64,
    },
    /// A schedule of other elements than those asked about, or none at all.
    #[error("{0}")]
    #[diagnostic(code(quaff::coalesce::schedule))]
    Schedule(String),
    /// The domain, or an expression that cannot be simplified over it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
}

fn nearest(n: u64, group: u64) -> String {
    let above = n.max(1).checked_next_multiple_of(group.max(1)).unwrap_or(group);
    format!("ask about {above} elements, and gate those that are too many")
}
