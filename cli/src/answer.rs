//! An answer of the library as text.

use crate::report::shortened;
use clap::ValueEnum;
use miette::Diagnostic;
use quaff::domain::{Domain, Interval};
use quaff::emit::{self, Contract, FunctionName, Text};
use quaff::expr::{DISPLAY_LIMIT, Expr, TooLarge};
use quaff::lower::{Compared, LowerError, Mismatch, Sampling, Wide};
use quaff::{CompareError, Simplified, Step};
use quaff_dialects::{Dialect, WriteError, Written, write};
use rustc_hash::FxHashSet;
use serde::Serialize;

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
    /// Triton: `//` and `%` that are exact though Triton rounds towards zero; `program_id_0` is `tl.program_id(0)`, and `arange_0_128` is
    /// `tl.arange(0, 128)`
    Triton,
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
    /// The name of the function.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Function(#[from] FunctionName),
    /// A function of what is no program text.
    #[error("`--function` has no meaning for a text that is one expression")]
    #[diagnostic(code(quaff::function_language), help("say `--emit cuda`, `c`, `rust`, `python` or `triton`"))]
    NoFunction,
}

/// The answers in `language`, with line ends; as a whole function where it has a name.
pub(crate) fn text(answer: &Simplified, language: Language, function: Option<&str>) -> Result<String, NoText> {
    let lines = |print: fn(&Expr) -> Result<String, TooLarge>| -> Result<String, NoText> {
        answer.exprs().iter().map(|e| Ok(print(e)? + "\n")).collect()
    };
    let text = match language {
        Language::Infix | Language::Sexp if function.is_some() => return Err(NoText::NoFunction),
        Language::Infix => return lines(|e| e.to_infix(DISPLAY_LIMIT)),
        Language::Sexp => return lines(|e| emit::sexp(e, DISPLAY_LIMIT)),
        Language::Python => answer.python(),
        Language::Triton => answer.triton()?,
        Language::Rust => answer.rust()?,
        Language::Cuda => answer.cuda()?,
        Language::C => answer.c()?,
    };
    Ok(match (function, language) {
        (Some(name), _) => text.function(name)?,
        (None, Language::Python | Language::Triton) if text.results.len() > 1 => one_by_one(&text),
        (None, _) => text.whole(),
    })
}

/// Several results of a language that returns values: a line for each.
fn one_by_one(text: &Text) -> String {
    let results = text.results.iter().map(|r| format!("return {}", r.text));
    text.statements.iter().cloned().chain(results).map(|line| line + "\n").collect()
}

/// The answers in `dialect`, with a line end. Names that are others there are said on standard error.
pub(crate) fn written(answer: &Simplified, dialect: Dialect) -> Result<String, WriteError> {
    let range_of = |e: &Expr| answer.range_of(e).unwrap_or(Interval::ALL);
    let written = write(answer.exprs(), dialect, &range_of)?;
    say_names(&written);
    Ok(written.text + "\n")
}

/// Says which names are others in the text, on standard error.
pub(crate) fn say_names(written: &Written) {
    for (variable, name) in &written.renamed {
        eprintln!("quaff: `{}` is written {name}", variable.escape_debug());
    }
}

/// CUDA text with all that it relies on, or why there is none.
#[derive(Serialize)]
pub(crate) struct CudaJson {
    /// Temporaries and result: the body of a function; null where there is none.
    cuda: Option<String>,
    /// The function.
    #[serde(flatten)]
    contract: Option<Contract>,
    /// What the text needs before its function.
    #[serde(skip_serializing_if = "String::is_empty")]
    definitions: String,
    /// What the host needs to prepare divisors.
    #[serde(skip_serializing_if = "String::is_empty")]
    host: String,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    cuda_why: Option<String>,
}

impl CudaJson {
    pub(crate) fn new(text: Result<Text, LowerError>) -> CudaJson {
        match text {
            Ok(text) => CudaJson {
                cuda: Some(text.to_string().trim_end().to_string()),
                contract: Some(text.contract()),
                definitions: text.prelude,
                host: text.host,
                cuda_why: None,
            },
            Err(why) => CudaJson::none(why.to_string()),
        }
    }

    /// In place of a text that is wrong.
    pub(crate) fn withheld(mismatch: &Mismatch) -> CudaJson {
        CudaJson::none(format!("{WITHHELD}different at {mismatch}"))
    }

    /// No text, and why.
    pub(crate) fn none(why: String) -> CudaJson {
        let (definitions, host) = Default::default();
        CudaJson { cuda: None, contract: None, definitions, host, cuda_why: Some(shortened(&why)) }
    }
}

/// A part that needs 64 bits.
#[derive(Serialize)]
pub(crate) struct WideJson {
    expr: String,
    range: EndsJson,
}

impl WideJson {
    pub(crate) fn all(parts: &[Wide]) -> Vec<WideJson> {
        parts.iter().map(|w| WideJson { expr: shortened(&w.expr.to_string()), range: w.range.into() }).collect()
    }
}

/// Both ends of a range, inclusive; an open one is null.
#[derive(Serialize)]
pub(crate) struct EndsJson([Option<i64>; 2]);

impl From<Interval> for EndsJson {
    fn from(range: Interval) -> EndsJson {
        EndsJson([range.lo(), range.hi()])
    }
}

/// The rules that fired and the steps of the engine, a line for each. A search that begins where another one ended takes some steps again:
/// they are shown once.
pub(crate) fn steps<'s>(steps: impl IntoIterator<Item = &'s Step>) -> String {
    let (mut out, mut seen) = (String::new(), FxHashSet::default());
    for s in steps {
        let mut line = format!("{}: {}  ->  {}", s.rule, s.before, s.after);
        let conditions: Vec<String> = s.conditions.iter().map(|c| c.to_string()).collect();
        line += &if conditions.is_empty() { "\n".into() } else { format!("  (where {})\n", conditions.join(" and ")) };
        if seen.insert(line.clone()) {
            out += &line;
        }
    }
    out
}

/// [`steps`] of an answer, and what the search came to.
pub(crate) fn trace(answer: &Simplified) -> String {
    steps(answer.trace())
        + &format!(
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

impl From<Result<Compared, CompareError>> for Ran {
    fn from(compared: Result<Compared, CompareError>) -> Ran {
        match compared {
            Ok(Compared { mismatch: Some(mismatch), .. }) => Ran::Wrong(mismatch),
            Ok(compared) => Ran::Right(compared.points),
            Err(_) => Ran::Nothing,
        }
    }
}

/// Runs the text of `answer` in `language` as a machine would, against `input`.
pub(crate) fn run(answer: &Simplified, language: Language, input: &[Expr], domain: &Domain) -> Ran {
    match language {
        Language::Cuda | Language::C => answer.compare_machine(input, domain, Sampling::default()).into(),
        Language::Rust => answer.compare_rust(input, domain, Sampling::default()).into(),
        Language::Infix | Language::Python | Language::Triton | Language::Sexp => Ran::Nothing,
    }
}

/// Begins the reason why there is no text of an answer whose text is wrong.
const WITHHELD: &str = "withheld: ";

/// Whether `why` is such a reason.
pub(crate) fn is_withheld(why: &str) -> bool {
    why.starts_with(WITHHELD)
}
