//! `quaff_answer`: the answer of `quaff_simplify`.

use crate::call::{call, look, needed};
use crate::failure::{Failure, quaff_error};
use crate::handle::{made_all, quaff_expr};
use crate::node::quaff_nodes;
use crate::place::quaff_status;
use crate::range::quaff_range;
use crate::text::quaff_text;
use quaff::Simplified;
use quaff::egraph::StopReason;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

/// An answer. It never changes, so any number of threads may use it at once. It is freed by `quaff_answer_free`.
pub struct quaff_answer {
    found: Simplified,
    exprs: Vec<quaff_expr>,
    nodes: OnceLock<quaff_nodes>,
}

/// The languages of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub enum quaff_language {
    /// CUDA.
    Cuda = 0,
    /// C99.
    C = 1,
    /// Rust.
    Rust = 2,
    /// Python.
    Python = 3,
    /// Triton.
    Triton = 4,
}

impl quaff_answer {
    pub(crate) fn new(found: Simplified) -> quaff_answer {
        quaff_answer { exprs: made_all(found.exprs().iter().cloned()), found, nodes: OnceLock::new() }
    }
}

/// The number of expressions in the answer, which equals the number of expressions of the call. The result is 0 for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_count(answer: Option<&quaff_answer>) -> usize {
    answer.map_or(0, |answer| answer.exprs.len())
}

/// Expression number `at`, in the order of the call. The result is borrowed from `answer`, and NULL if there is no such
/// expression.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_expr(answer: Option<&quaff_answer>, at: usize) -> Option<&quaff_expr> {
    answer?.exprs.get(at)
}

/// The nodes of all expressions with their ranges, and a root for each expression. The result is borrowed from
/// `answer`, and NULL for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_nodes(answer: Option<&quaff_answer>) -> Option<&quaff_nodes> {
    look(None, || {
        let answer = answer?;
        Some(answer.nodes.get_or_init(|| {
            let ranges = answer.found.ranges().into_iter().map(quaff_range::of).collect();
            quaff_nodes::new(&answer.found.flat_nodes(), ranges)
        }))
    })
}

/// The cost of the answer, in simple 32-bit instructions. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_cost(answer: Option<&quaff_answer>) -> f64 {
    look(0.0, || answer.map_or(0.0, |answer| answer.found.cost().instructions()))
}

/// The cost of the expressions of the call as they were written. The result is 0 for NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_input_cost(answer: Option<&quaff_answer>) -> f64 {
    look(0.0, || answer.map_or(0.0, |answer| answer.found.input_cost().instructions()))
}

/// A lower bound on the cost of all forms that the last search found. The result is 0 for NULL, and if there is no
/// bound.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_least_cost(answer: Option<&quaff_answer>) -> f64 {
    look(0.0, || answer.map_or(0.0, |answer| answer.found.least_cost().instructions()))
}

/// Whether the search ended because there was nothing left to find, and not because of a limit. The result is false for
/// NULL.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_saturated(answer: Option<&quaff_answer>) -> bool {
    answer.is_some_and(|answer| answer.found.stop() == StopReason::Saturated)
}

/// The text of all expressions in `language`, one of `quaff_language`.
///
/// The caller owns `*text`, which is NULL after an error. The status is `QUAFF_STATUS_LOWER` if a value may exceed 64
/// bits.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_text(
    answer: Option<&quaff_answer>,
    language: u32,
    text: Option<&mut MaybeUninit<Option<Box<quaff_text>>>>,
    error: Option<&mut MaybeUninit<Option<Box<quaff_error>>>>,
) -> quaff_status {
    const CUDA: u32 = quaff_language::Cuda as u32;
    const C: u32 = quaff_language::C as u32;
    const RUST: u32 = quaff_language::Rust as u32;
    const PYTHON: u32 = quaff_language::Python as u32;
    const TRITON: u32 = quaff_language::Triton as u32;
    call(text, error, || {
        let found = &needed(answer, "answer")?.found;
        let text = match language {
            CUDA => found.cuda(),
            C => found.c(),
            RUST => found.rust(),
            PYTHON => Ok(found.python()),
            TRITON => found.triton(),
            _ => return Err(Failure::Argument(format!("no language has the number {language}")).into()),
        };
        let text = text.map_err(|e| quaff_error::of(quaff_status::Lower, &e))?;
        Ok(Some(Box::new(quaff_text::new(text))))
    })
}

/// Frees an answer. NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn quaff_answer_free(answer: Option<Box<quaff_answer>>) {
    drop(answer);
}
