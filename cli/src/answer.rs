//! Prints an answer of the library as text.

use crate::report::shortened;
use clap::ValueEnum;
use miette::Diagnostic;
use quaff::domain::{Domain, Interval};
use quaff::emit::{self, Contract, FunctionName, Text};
use quaff::expr::{DISPLAY_LIMIT, Expr, TooLarge};
use quaff::lower::{Compared, LowerError, Mismatch, Sampling, Wide};
use quaff::{CompareError, Explanation, Simplified, Step};
use quaff_dialects::{Dialect, WriteError, Written, write};
use quaff_draw::page::counted;
use rustc_hash::FxHashSet;
use serde::Serialize;
use std::collections::BTreeSet;

/// A language of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Language {
    /// one expression in Python's grammar (`//` and `%` are floor), which `simplify` reads back
    Infix,
    /// CUDA C++: types of 32 bits if they suffice, and no division by constants
    Cuda,
    /// C99: types of 32 bits if they suffice, and no division by constants
    C,
    /// Python, with temporaries for shared parts
    Python,
    /// Rust on i64, with temporaries for shared parts
    Rust,
    /// Triton text that computes floor division, although `//` and `%` of Triton round towards zero. `program_id_0` is
    /// `tl.program_id(0)`, and `arange_0_128` is `tl.arange(0, 128)`
    Triton,
    /// an s-expression
    Sexp,
}

impl Language {
    /// Whether texts in this language choose between 32 and 64 bits.
    pub(crate) fn has_widths(self) -> bool {
        matches!(self, Language::Cuda | Language::C)
    }
}

/// The reason why an answer has no text in a language.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub(crate) enum NoText {
    /// The target machine cannot represent a number of the answer.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Lower(#[from] LowerError),
    /// The text is too long, because it repeats each shared part.
    #[error(transparent)]
    #[diagnostic(code(quaff::too_large), help("--emit python and others name shared parts instead of repeating them"))]
    TooLarge(#[from] TooLarge),
    /// The name of the function is refused.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Function(#[from] FunctionName),
    /// A whole function is requested in a language whose text is one expression.
    #[error("`--function` has no meaning for a text that is one expression")]
    #[diagnostic(code(quaff::function_language), help("say `--emit cuda`, `c`, `rust`, `python` or `triton`"))]
    NoFunction,
}

/// The answers as lines in `language`. If `function` is given, the text is a whole function with this name.
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

/// The text of several results in a language whose functions return values, with one result on each line.
fn one_by_one(text: &Text) -> String {
    let results = text.results.iter().map(|r| format!("return {}", r.text));
    text.statements.iter().cloned().chain(results).map(|line| line + "\n").collect()
}

/// The answers in `dialect`, with a line end. Names that must be changed for that dialect are reported on standard
/// error.
pub(crate) fn written(answer: &Simplified, dialect: Dialect) -> Result<String, WriteError> {
    let range_of = |e: &Expr| answer.range_of(e).unwrap_or(Interval::ALL);
    let written = write(answer.exprs(), dialect, &range_of)?;
    say_names(&written);
    Ok(written.text + "\n")
}

/// Reports on standard error the names that were changed in the text.
pub(crate) fn say_names(written: &Written) {
    for (variable, name) in &written.renamed {
        eprintln!("quaff: `{}` is written {name}", variable.escape_debug());
    }
}

/// The CUDA text with its parameters and definitions, or the reason why there is no text.
#[derive(Serialize)]
pub(crate) struct CudaJson {
    /// The temporaries and the result, as the body of a function. Null without a text.
    cuda: Option<String>,
    /// The parameters, results and divisors of the function.
    #[serde(flatten)]
    contract: Option<Contract>,
    /// Code that the text needs before its function.
    #[serde(skip_serializing_if = "String::is_empty")]
    definitions: String,
    /// Code that the host needs to prepare divisors.
    #[serde(skip_serializing_if = "String::is_empty")]
    host: String,
    /// The reason why there is no text.
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

    /// The JSON value in place of a wrong text, which is not printed.
    pub(crate) fn withheld(mismatch: &Mismatch) -> CudaJson {
        CudaJson::none(format!("{WITHHELD}different at {mismatch}"))
    }

    /// The value for an answer without text, for the reason `why`.
    pub(crate) fn none(why: String) -> CudaJson {
        let (definitions, host) = Default::default();
        CudaJson { cuda: None, contract: None, definitions, host, cuda_why: Some(shortened(&why)) }
    }
}

/// A part of the answer that needs 64 bits.
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

/// Both ends of a range, inclusive. An open end is null.
#[derive(Serialize)]
pub(crate) struct EndsJson([Option<i64>; 2]);

impl From<Interval> for EndsJson {
    fn from(range: Interval) -> EndsJson {
        EndsJson([range.lo(), range.hi()])
    }
}

/// The rules that fired and the steps of the engine, one on each line. A step that a later search repeats is shown only
/// once. If `needed` is given, the rules in it are marked, because the answer needs them.
pub(crate) fn steps<'s>(steps: impl IntoIterator<Item = &'s Step>, needed: Option<&BTreeSet<String>>) -> String {
    let (mut out, mut seen) = (String::new(), FxHashSet::default());
    for s in steps {
        let mark = needed.map_or("", |needed| if needed.contains(&*s.rule) { "* " } else { "  " });
        let (before, after) = (s.before.to_string(), s.after.to_string());
        if before == after {
            // skip a step that does not change the text of a part
            continue;
        }
        let mut line = format!("{mark}{}: {before}  ->  {after}", s.rule);
        let conditions: Vec<String> = s.conditions.iter().map(|c| c.to_string()).collect();
        line += &if conditions.is_empty() { "\n".into() } else { format!("  (where {})\n", conditions.join(" and ")) };
        if seen.insert(line.clone()) {
            out += &line;
        }
    }
    out
}

/// The [`steps`] of an answer, and the outcome of the search.
pub(crate) fn trace(answer: &Simplified, needed: Option<&BTreeSet<String>>) -> String {
    let steps = steps(answer.trace(), needed);
    let has_marks = steps.lines().any(|line| line.starts_with("* "));
    let legend = if has_marks { "* the answer needs this rule\n" } else { "" };
    let outcome = format!(
        "cost {} -> {}, {} after {} with {}\n",
        answer.input_cost(),
        answer.cost(),
        answer.stop().as_str(),
        counted(answer.rounds() as usize, "round"),
        counted(answer.nodes(), "e-node")
    );
    steps + legend + &outcome
}

/// The names of all rules and steps in an explanation.
pub(crate) fn needed(explanation: &Explanation) -> BTreeSet<String> {
    let all = explanation.steps().iter().flat_map(|step| std::iter::once(step).chain(&step.steps));
    all.map(|step| step.reason.name().to_string()).collect()
}

/// The outcome of running the text of an answer.
#[derive(Clone, Debug, Default)]
pub(crate) enum Ran {
    /// Nothing was run, because there is no text, or because texts in this language are not run.
    #[default]
    Nothing,
    /// The text computed the values of the input at this number of points.
    Right(u64),
    /// The text computed another value than the input.
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

/// Evaluates the text of `answer` in `language` with the integer types of the machine, and compares the values with
/// `input`.
pub(crate) fn run(answer: &Simplified, language: Language, input: &[Expr], domain: &Domain) -> Ran {
    match language {
        Language::Cuda | Language::C => answer.compare_machine(input, domain, Sampling::default()).into(),
        Language::Rust => answer.compare_rust(input, domain, Sampling::default()).into(),
        Language::Infix | Language::Python | Language::Triton | Language::Sexp => Ran::Nothing,
    }
}

/// The first word of the message that a wrong text is not printed.
const WITHHELD: &str = "withheld: ";

/// Whether `why` says that a wrong text is not printed.
pub(crate) fn is_withheld(why: &str) -> bool {
    why.starts_with(WITHHELD)
}
