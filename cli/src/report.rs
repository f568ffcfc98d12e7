//! Reports errors to users: messages with the place underlined, and exit codes.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode};
use quaff::SimplifyError;
use quaff::domain::Domain;
use quaff::domain::{DomainError, VarFacts};
use quaff::expr::{Dag, Parsed, int};
use quaff::lower::{Wide, lower};
use quaff::rules::RuleErrors;
use quaff_dialects::{ReadError, Requirement};
use quaff_draw::page::counted;
use quaff_fronts::view::chain::ChainError;
use quaff_lab::experiment::BadLine;
use std::fmt;
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::path::Path;

/// Exit code: the input was refused.
const REFUSED: u8 = 1;
/// Exit code: the command line was not understood (`EX_USAGE` of BSD).
pub(crate) const USAGE: u8 = 64;
/// Exit code: a rule of the user is wrong (`EX_DATAERR`).
const WRONG_RULE: u8 = 65;
/// Exit code: a bug of this program (`EX_SOFTWARE`).
const INTERNAL: u8 = 70;
/// Exit code: a file could not be read or written (`EX_IOERR`).
pub(crate) const IO: u8 = 74;

/// Exit code: ^C was pressed.
pub(crate) const STOPPED: u8 = 130;

/// The reason why a command ended before all of its work was done.
pub(crate) enum Failure {
    /// The input is at fault.
    Refused(Box<Problem>),
    /// The input is at fault, in a command that gives exit code 1 another meaning.
    Usage(Box<Problem>),
    /// An answer is wrong. The report was printed on standard error.
    Wrong,
    /// An answer is wrong, and a rule of the user is the cause.
    WrongRule,
    /// Rule files have errors, which have places.
    Rules(RuleErrors),
    /// Some lines of a batch have no answer.
    Lines { failed: usize, of: usize, place: &'static str },
    /// ^C was pressed after this number of lines was answered.
    Stopped { lines: usize },
    /// A file could not be read or written.
    Io { what: String, error: io::Error },
}

impl From<Problem> for Failure {
    fn from(p: Problem) -> Failure {
        Failure::Refused(Box::new(p))
    }
}

impl From<RuleErrors> for Failure {
    fn from(e: RuleErrors) -> Failure {
        Failure::Rules(e)
    }
}

/// A function that turns an error of reading or writing `path` into a [`Failure`].
pub(crate) fn io_failure(path: &Path) -> impl Fn(io::Error) -> Failure + use<> {
    let what = if path == Path::new("-") { "standard input or output".into() } else { path.display().to_string() };
    move |error| Failure::Io { what: what.clone(), error }
}

/// Prints `failure` to standard error, and returns its exit code.
pub(crate) fn print(failure: &Failure) -> u8 {
    match failure {
        Failure::Refused(problem) => {
            eprint!("{}", rendered(&**problem));
            REFUSED
        }
        Failure::Usage(problem) => {
            eprint!("{}", rendered(&**problem));
            USAGE
        }
        Failure::Wrong => INTERNAL,
        Failure::WrongRule => WRONG_RULE,
        Failure::Rules(errors) => {
            eprint!("{}", rendered(errors));
            REFUSED
        }
        Failure::Lines { failed, of, place } => {
            let lines = if *of == 1 { "line has" } else { "lines have" };
            eprintln!("quaff: {failed} of {of} {lines} no answer; {place}");
            REFUSED
        }
        Failure::Stopped { lines } => {
            eprintln!("quaff: stopped after {}; `--resume` continues", counted(*lines, "line"));
            STOPPED
        }
        Failure::Io { what, error } => {
            eprintln!("quaff: {what}: {error}");
            IO
        }
    }
}

/// The failure of a command for which the library returned `error`. `problem` shows the error at its place, and is not
/// called if the error is a wrong answer.
pub(crate) fn no_answer(error: &SimplifyError, problem: impl FnOnce() -> Problem) -> Failure {
    match error {
        SimplifyError::WrongAnswer(wrong) => {
            eprintln!("quaff: {wrong}");
            if wrong.culprits.is_empty() { Failure::Wrong } else { Failure::WrongRule }
        }
        _ => problem().into(),
    }
}

/// Warns of an ignored field that was probably meant to be another field. `place` is the beginning of the message, such
/// as `line 3: `. It is empty if the line is not known.
pub(crate) fn warn_slip(place: &str, written: &str, meant: &str) {
    eprintln!("quaff: warning: {place}the field `{written}` is ignored; did you mean `{meant}`?");
}

/// Lists the first lines without an answer on standard error.
pub(crate) fn list_lines(lists: &[&[BadLine]]) {
    const SHOWN: usize = 20;
    for l in lists.iter().flat_map(|l| l.iter()).take(SHOWN) {
        eprintln!("quaff: {} line {}: {}", l.corpus, l.line, shortened(&l.why));
    }
}

/// Lists lines as [`list_lines`] does. Fails if there are any.
pub(crate) fn lines_without_answer(lists: &[&[BadLine]], of: usize) -> Result<(), Failure> {
    list_lines(lists);
    match lists.iter().map(|l| l.len()).sum() {
        0 => Ok(()),
        failed => Err(Failure::Lines { failed, of, place: "the first ones are above, `--json` has all of them" }),
    }
}

/// The report as text. It has colours only for a terminal, and never when `NO_COLOR` is set.
fn rendered(problem: &dyn Diagnostic) -> String {
    const WIDTH: usize = 100;
    let terminal = io::stderr().is_terminal();
    let colour = terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
    let theme = match (terminal, colour) {
        (_, true) => GraphicalTheme::unicode(),
        (true, false) => GraphicalTheme::unicode_nocolor(),
        (false, false) => GraphicalTheme::none(),
    };
    let mut out = String::new();
    let handler = GraphicalReportHandler::new_themed(theme).with_width(WIDTH).with_links(false);
    match handler.render_report(&mut out, problem) {
        Ok(()) => out,
        Err(_) => format!("{problem}\n"),
    }
}

/// An error of the library, with the text in which it is shown. A long text is cut to fit a screen.
#[derive(Debug)]
pub(crate) struct Problem {
    message: String,
    code: Option<String>,
    help: Option<String>,
    severity: Option<Severity>,
    source: Option<NamedSource<String>>,
    labels: Vec<LabeledSpan>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Problem {}

impl Diagnostic for Problem {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|c| Box::new(c) as _)
    }

    fn severity(&self) -> Option<Severity> {
        self.severity
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|h| Box::new(h) as _)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.source.as_ref().map(|s| s as _)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as _)
    }
}

impl Problem {
    /// `error` without a place.
    pub(crate) fn new(error: &dyn Diagnostic) -> Problem {
        Problem {
            message: shortened(&error.to_string()),
            code: error.code().map(|c| c.to_string()),
            help: error.help().map(|h| h.to_string()),
            severity: error.severity(),
            source: None,
            labels: Vec::new(),
        }
    }

    /// `error`, whose labels are places in `text`. The text comes from `file`.
    fn labelled(error: &dyn Diagnostic, file: &str, text: &str) -> Problem {
        let labels = error.labels().map(Iterator::collect).unwrap_or_default();
        Problem::new(error).at(file, text, labels)
    }

    fn at(mut self, file: &str, text: &str, labels: Vec<LabeledSpan>) -> Problem {
        let (skipped, mut text, mut labels) = excerpt(text, labels);
        // a place without width, such as the end of the text, gets a width, so that it is underlined
        for l in labels.iter_mut().filter(|l| l.is_empty()) {
            *l = LabeledSpan::new(l.label().map(Into::into), l.offset(), 1);
        }
        text.push(' ');
        let file = if skipped > 0 { format!("{file} from byte {skipped}") } else { file.into() };
        self.source = Some(NamedSource::new(file, text));
        self.labels = labels;
        self
    }

    /// An error with places in a file.
    pub(crate) fn in_file(error: &dyn Diagnostic, file: &str, text: &str) -> Problem {
        if error.labels().is_some() { Problem::labelled(error, file, text) } else { Problem::new(error) }
    }

    /// The problem for a chain of movements that cannot be read.
    pub(crate) fn chain(error: &ChainError, text: &str) -> Problem {
        Problem::labelled(error, "chain", text)
    }

    /// The problem for a declaration of `--var` that cannot be read.
    pub(crate) fn declaration(error: &DomainError, text: &str) -> Problem {
        Problem::labelled(error, "--var", text)
    }

    /// The problem for a declaration of the option `flag` that cannot be read.
    pub(crate) fn declared_by(error: &DomainError, flag: &str, text: &str) -> Problem {
        Problem::labelled(error, flag, text)
    }

    /// `error` at the first place of a variable in `given`. `None` when `given` does not contain the variable.
    pub(crate) fn at_variable(error: &dyn Diagnostic, given: &Given, name: &str) -> Option<Problem> {
        let span = given.place_of(name)?;
        Some(Problem::new(error).at(given.file, given.parsed.source(), vec![label_at("here", span)]))
    }

    /// The problem for `error`, which concerns all of `given`.
    pub(crate) fn at_whole(error: &dyn Diagnostic, given: &Given) -> Problem {
        let span = given.parsed.span_of(given.parsed.expr());
        let labels = span.map(|s| label_at("here", s)).into_iter().collect();
        Problem::new(error).at(given.file, given.parsed.source(), labels)
    }

    /// `error` at a place of `text`, which comes from `file`.
    pub(crate) fn at_place(error: &dyn Diagnostic, file: &str, text: &str, span: Range<usize>) -> Problem {
        Problem::new(error).at(file, text, vec![label_at("here", span)])
    }

    /// `error` at several places of `given`, each with a label.
    pub(crate) fn at_places(error: &dyn Diagnostic, given: &Given, places: Vec<(&str, Range<usize>)>) -> Problem {
        let labels = places.into_iter().map(|(label, span)| label_at(label, span)).collect();
        Problem::new(error).at(given.file, given.parsed.source(), labels)
    }

    /// The problem for a text that cannot be read in its dialect.
    pub(crate) fn unread(error: &ReadError, file: &str) -> Problem {
        Problem::labelled(error, file, error.source_text())
    }

    /// Prints the problem to standard error. The command continues.
    pub(crate) fn warn(&self) {
        eprint!("{}", rendered(self));
    }

    /// `error` about `text`, the value of the option `flag`.
    pub(crate) fn at_value(error: &dyn Diagnostic, flag: &str, text: &str) -> Problem {
        Problem::new(error).at(flag, text, vec![label_at("here", 0..text.len())])
    }

    /// The problem for an expression that the simplifier refuses.
    pub(crate) fn refused(error: &SimplifyError, file: &str, parsed: &Parsed) -> Problem {
        let label = match error {
            SimplifyError::DivisorMayBeZero { .. } => "this divisor",
            SimplifyError::UnknownVariable(_) => "not declared",
            _ => "here",
        };
        match error.culprit().and_then(|e| parsed.span_of(e)) {
            Some(span) => Problem::new(error).at(file, parsed.source(), vec![label_at(label, span)]),
            None => Problem::new(error),
        }
    }
}

/// An expression from the user, with its text and a name for the origin of the text.
pub(crate) struct Given {
    pub(crate) parsed: Parsed,
    pub(crate) file: &'static str,
    /// Facts about variables that follow from the text or its language.
    pub(crate) domain: Domain,
    /// The requirements under which the expression has the same value as its text in its language.
    pub(crate) requirements: Vec<Requirement>,
}

impl Given {
    /// This input with the expression replaced by 0.
    pub(crate) fn zero(self) -> Given {
        Given { parsed: self.parsed.with_expr(int(0)), requirements: vec![], ..self }
    }

    /// The names of the variables in the expression.
    pub(crate) fn variables(&self) -> Vec<String> {
        let dag = Dag::new(std::slice::from_ref(self.parsed.expr()));
        dag.variables().map(|name| name.to_string()).collect()
    }

    /// The first place of the variable `name` in the text.
    pub(crate) fn place_of(&self, name: &str) -> Option<Range<usize>> {
        let dag = Dag::new(std::slice::from_ref(self.parsed.expr()));
        let id = dag.nodes().iter().position(|n| n.as_variable().is_some_and(|v| **v == *name))?;
        self.parsed.span_of(dag.expr(u32::try_from(id).ok()?)?)
    }
}

/// Warns that `parts` of an answer need 64 bits. The warning shows the parts of the input that cause this.
pub(crate) fn warn_wide(parts: &[Wide], vars: &[VarFacts], inputs: &[&Given]) {
    let Some(first) = parts.first() else { return };
    let forced = inputs.iter().find_map(|given| {
        let wide = lower(&Dag::new(std::slice::from_ref(given.parsed.expr())), vars).ok()?.wide().to_vec();
        let label = |w: &Wide| Some(label_at(&w.range.to_string(), given.parsed.span_of(&w.expr)?));
        let labels: Vec<LabeledSpan> = wide.iter().filter_map(label).take(WARNED).collect();
        let problem = Problem::new(wide.first()?).at(given.file, given.parsed.source(), labels);
        (!problem.labels.is_empty()).then_some(problem)
    });
    forced.unwrap_or_else(|| Problem::new(first)).warn();
}

fn label_at(label: &str, span: Range<usize>) -> LabeledSpan {
    LabeledSpan::new(Some(label.into()), span.start, span.len())
}

/// The largest number of places in one warning.
const WARNED: usize = 4;
/// The longest line that is shown completely. Of a longer line, this number of characters is shown on both sides of an
/// underlined place.
const LINE: usize = 160;
const AROUND: usize = 60;

/// The part of `text` to show, the number of bytes before it, and `labels` moved to it. The part is short even if the
/// expression has megabytes on one line.
fn excerpt(text: &str, labels: Vec<LabeledSpan>) -> (usize, String, Vec<LabeledSpan>) {
    let Some(first) = labels.first() else { return (0, String::new(), labels) };
    if text.len() <= LINE || text.lines().all(|l| l.len() <= LINE) {
        return (0, text.into(), labels);
    }
    let at = first.offset().min(text.len());
    let line_start = text[..at].rfind('\n').map_or(0, |n| n + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |n| at + n);
    let start = floor_boundary(text, line_start.max(at.saturating_sub(AROUND)));
    let end = floor_boundary(text, line_end.min(at + AROUND));
    let before = if start > line_start { "... " } else { "" };
    let after = if end < line_end { " ..." } else { "" };
    let moved = |l: &LabeledSpan| {
        let from = l.offset().clamp(start, end);
        let to = (l.offset() + l.len()).clamp(from, end);
        LabeledSpan::new(l.label().map(Into::into), from - start + before.len(), to - from)
    };
    let visible = |l: &&LabeledSpan| (start..=end).contains(&l.offset());
    let labels = labels.iter().filter(visible).map(moved).collect();
    (start, format!("{before}{}{after}", &text[start..end]), labels)
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// `message`, without its middle lines if it has more than a few lines.
pub(crate) fn shortened(message: &str) -> String {
    const HEAD: usize = 240;
    const TAIL: usize = 120;
    if message.len() <= HEAD + TAIL + 8 {
        return message.into();
    }
    let (head, tail) = (floor_boundary(message, HEAD), floor_boundary(message, message.len() - TAIL));
    format!("{} ... {}", &message[..head], &message[tail..])
}

/// Installs a hook for panics, which are always bugs. The hook reports the panic and ends the program with a special
/// exit code.
pub(crate) fn install_panic_report() {
    std::panic::set_hook(Box::new(|info| {
        eprintln!("quaff: internal error, please report it with the input: {info}");
        std::process::exit(i32::from(INTERNAL));
    }));
}
