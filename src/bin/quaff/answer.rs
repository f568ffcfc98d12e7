//! An answer of the library as text.

use crate::report::shortened;
use clap::ValueEnum;
use miette::Diagnostic;
use quaff::Simplified;
use quaff::domain::Domain;
use quaff::emit::{self, Text};
use quaff::expr::{DISPLAY_LIMIT, Expr, TooLarge};
use quaff::lower::{Compared, LowerError, Mismatch, Sampling, Wide};
use serde_json::{Value, json};

/// A language of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// one expression in Python's grammar (`//` and `%` are floor), as the input is read
    Infix,
    /// CUDA C++: 32 bits where they suffice, no division
    Cuda,
    /// C99, likewise
    C,
    /// Python, shared parts in temporaries
    Python,
    /// Rust on i64, shared parts in temporaries
    Rust,
    /// an s-expression
    Sexp,
}

impl Language {
    /// Whether its texts choose between 32 and 64 bits.
    pub(crate) fn has_widths(self) -> bool {
        matches!(self, Language::Cuda | Language::C)
    }
}

/// Why an answer has no text in some language.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub(crate) enum NoText {
    /// The machine has no such numbers.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// Shared parts, written out, exceed all limits.
    #[error(transparent)]
    #[diagnostic(code(quaff::too_large), help("--emit python and others name shared parts instead of repeating them"))]
    TooLarge(#[from] TooLarge),
}

/// The answer in `language`, with a line end.
pub(crate) fn text(answer: &Simplified, language: Language) -> Result<String, NoText> {
    Ok(match language {
        Language::Infix => answer.expr().to_infix(DISPLAY_LIMIT)? + "\n",
        Language::Sexp => emit::sexp(answer.expr(), DISPLAY_LIMIT)? + "\n",
        Language::Python => whole(&answer.python()),
        Language::Rust => whole(&answer.rust()?),
        Language::Cuda => whole(&answer.cuda()?),
        Language::C => whole(&answer.c()?),
    })
}

/// Temporaries and result in CUDA: the body of a function.
pub(crate) fn cuda_body(answer: &Simplified) -> Result<String, LowerError> {
    Ok(answer.cuda()?.to_string().trim_end().to_string())
}

/// What needs 64 bits, for programs.
pub(crate) fn wide(parts: &[Wide]) -> Value {
    let ends = |w: &Wide| json!([w.range.lo(), w.range.hi()]);
    parts.iter().map(|w| json!({"expr": shortened(&w.expr.to_string()), "range": ends(w)})).collect()
}

/// The rules that fired and the steps of the engine, and what the search came to.
pub(crate) fn trace(answer: &Simplified) -> String {
    let mut out = String::new();
    for s in answer.trace() {
        out += &format!("{}: {}  ->  {}", s.rule, s.before, s.after);
        let conditions: Vec<String> = s.conditions.iter().map(|c| c.to_string()).collect();
        out += &if conditions.is_empty() { "\n".into() } else { format!("  (where {})\n", conditions.join(" and ")) };
    }
    out + &format!(
        "cost {} -> {}, {} after {} rounds with {} e-nodes\n",
        answer.input_cost(),
        answer.cost(),
        answer.stop().as_str(),
        answer.rounds(),
        answer.nodes()
    )
}

/// What came of running a text.
#[derive(Clone, Debug, Default)]
pub(crate) enum Ran {
    /// There is none, or none that depends on a machine.
    #[default]
    Nothing,
    /// It gave the input's values at so many points.
    Right(u64),
    /// It did not.
    Wrong(Mismatch),
}

/// Runs the text of `answer` in `language` as a machine would, against `input`.
pub(crate) fn run(answer: &Simplified, language: Language, input: &Expr, domain: &Domain) -> Ran {
    let input = std::slice::from_ref(input);
    let compared = match language {
        Language::Cuda | Language::C => answer.compare_machine(input, domain, Sampling::default()),
        Language::Rust => answer.compare_rust(input, domain, Sampling::default()),
        Language::Infix | Language::Python | Language::Sexp => return Ran::Nothing,
    };
    match compared {
        Ok(Compared { mismatch: Some(mismatch), .. }) => Ran::Wrong(mismatch),
        Ok(compared) => Ran::Right(compared.points),
        Err(_) => Ran::Nothing,
    }
}

/// Begins the reason why there is no text of an answer whose text is wrong.
const WITHHELD: &str = "withheld: ";

/// Why there is no text.
pub(crate) fn withheld(mismatch: &Mismatch) -> String {
    format!("{WITHHELD}different at {mismatch}")
}

/// Whether `why` is such a reason.
pub(crate) fn is_withheld(why: &str) -> bool {
    why.starts_with(WITHHELD)
}

/// Everything that the text needs, then the body.
pub(crate) fn whole(text: &Text) -> String {
    let mut out = String::new();
    for part in [&text.prelude, &text.host] {
        if !part.is_empty() {
            out.push_str(part.trim_end());
            out.push_str("\n\n");
        }
    }
    out + &text.to_string()
}
