//! Errors of questions about coalescing.

use miette::Diagnostic;
use quaff::SimplifyError;
use quaff::expr::{EvalError, UnknownVariable};
use std::sync::Arc;

/// The reason why a question about coalescing has no answer.
#[derive(Clone, Debug, thiserror::Error, Diagnostic)]
#[non_exhaustive]
pub enum CoalesceError {
    /// A number of lanes outside of 1 to 1,024.
    #[error("there is no warp of {lanes} lanes")]
    #[diagnostic(code(quaff::coalesce::warp), help("1 to 1024 lanes"))]
    Warp {
        /// The number of lanes.
        lanes: u32,
    },
    /// An element size other than 1, 2, 4, 8 or 16 bytes.
    #[error("an element of {bytes} bytes: it must be 1, 2, 4, 8 or 16")]
    #[diagnostic(code(quaff::coalesce::element))]
    Element {
        /// The size in bytes.
        bytes: u32,
    },
    /// A number of elements of one lane that is no power of two, or whose bytes exceed 16.
    #[error(
        "{elements} elements at once: their number must be a power of two, and together they have at most 16 bytes"
    )]
    #[diagnostic(code(quaff::coalesce::vector))]
    Vector {
        /// The number of elements of each lane.
        elements: u32,
        /// The size of an element in bytes.
        bytes: u32,
    },
    /// A weight of 0, or a weight that is too large.
    #[error("an access that counts {weight} times: it must be 1 to {limit}")]
    #[diagnostic(code(quaff::coalesce::weight))]
    Weight {
        /// The weight.
        weight: u32,
        /// The largest weight.
        limit: u32,
    },
    /// A search without accesses, or with too many.
    #[error("{count} accesses: a search takes 1 to {limit}")]
    #[diagnostic(code(quaff::coalesce::accesses))]
    Accesses {
        /// The number of accesses.
        count: usize,
        /// The largest number of accesses.
        limit: usize,
    },
    /// A number of elements that is no whole number of warps.
    #[error("{n} elements are no whole number of warps that access {group} at once")]
    #[diagnostic(code(quaff::coalesce::no_whole_warps), help("{}", nearest(*n, *group)))]
    NoWholeWarps {
        /// The number of elements.
        n: u64,
        /// The number of elements that one warp accesses at once.
        group: u64,
    },
    /// More elements than the search enumerates.
    #[error("{n} elements are more than the {limit} that are enumerated")]
    #[diagnostic(
        code(quaff::coalesce::too_many),
        help(
            "ask about one tile: what a block adds to all of its addresses alike does not matter, if it adds whole lines"
        )
    )]
    TooMany {
        /// The number of elements, or of accesses by all lanes.
        n: u128,
        /// The largest number of elements.
        limit: u64,
    },
    /// A variable other than the number of the element.
    #[error("`{}` has no range here: only `{variable}` has one", .unknown.name)]
    #[diagnostic(code(quaff::coalesce::unknown_variable), help("write `{variable}` for the number of the element"))]
    Unknown {
        /// The variable without a range.
        unknown: UnknownVariable,
        /// The variable for the number of the element, which has a range.
        variable: Arc<str>,
    },
    /// A variable without a range.
    #[error("`{name}` needs a range with two ends")]
    #[diagnostic(code(quaff::coalesce::open))]
    Open {
        /// The variable.
        name: Arc<str>,
    },
    /// An index that has no value for some element.
    #[error("the index has no value {at}: {why}")]
    #[diagnostic(code(quaff::coalesce::value))]
    NoValue {
        /// The place, such as `at i = 3`.
        at: String,
        /// The error of the evaluation.
        why: EvalError,
    },
    /// An address beyond the memory of any GPU.
    #[error("the index is {value} {at}: beyond 2^40 elements")]
    #[diagnostic(code(quaff::coalesce::address))]
    Address {
        /// The value of the index.
        value: i128,
        /// The place, such as `at i = 3`.
        at: String,
    },
    /// Text that is no measure, and no sum of multiples of measures.
    #[error("`{text}` is not read as a measure: {why}")]
    #[diagnostic(
        code(quaff::coalesce::objective),
        help(
            "there are sectors, gap, distance, lines, requests, fetches and cost, and sums such as `2*sectors + cost`"
        )
    )]
    Objective {
        /// The text.
        text: String,
        /// The reason why it is no measure.
        why: String,
    },
    /// A number of threads that is no whole number of warps, or with which the elements take no whole number of steps.
    #[error(
        "{threads} threads of {vector} elements each take no whole number of steps for {n} elements, or are no whole number of warps"
    )]
    #[diagnostic(
        code(quaff::coalesce::threads),
        help(
            "threads times the elements of one at once must divide the elements, and threads must be a multiple of the lanes of a warp"
        )
    )]
    Threads {
        /// The number of threads of a block.
        threads: u32,
        /// The number of elements that each thread takes at once.
        vector: u32,
        /// The number of all elements.
        n: u64,
    },
    /// The number of threads of a block is not given, but a measure needs it.
    #[error("fetches are counted for the steps of a block, and the number of its threads is not given")]
    #[diagnostic(code(quaff::coalesce::no_threads))]
    NoThreads,
    /// A variable with a name that schedules use for their own variables (`u`, `t` or `s`).
    #[error("`{name}` is a name that schedules use")]
    #[diagnostic(code(quaff::coalesce::name), help("call it otherwise: `u` is a lane, `t` a thread and `s` a step"))]
    Name {
        /// The name.
        name: Arc<str>,
    },
    /// Variables with more values than a search tries.
    #[error("the addresses depend on too many values of `{name}` and the other variables: the limit is {limit}")]
    #[diagnostic(
        code(quaff::coalesce::values),
        help("give the variable a shorter range; values that move all addresses by whole cache lines do not count")
    )]
    Values {
        /// The variable with the most relevant values.
        name: Arc<str>,
        /// The largest number of values.
        limit: u64,
    },
    /// A schedule whose elements are not the elements of the question, or text that is no schedule.
    #[error("{0}")]
    #[diagnostic(code(quaff::coalesce::schedule))]
    Schedule(String),
    /// An error of the domain, or an expression that cannot be simplified over it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Simplify(#[from] SimplifyError),
}

fn nearest(n: u64, group: u64) -> String {
    let above = n.max(1).checked_next_multiple_of(group.max(1)).unwrap_or(group);
    format!("ask about {above} elements, with a mask that leaves out those that are too many")
}
