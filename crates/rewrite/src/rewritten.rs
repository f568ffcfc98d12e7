//! [`rewrite`]: a source file with cheaper index arithmetic.

use crate::answer::{Answer, answer};
use crate::c::{Functions, kernels};
use crate::edit::{Edit, apply, edits};
use crate::language::Language;
use crate::model::Kernel;
use crate::options::Options;
use crate::question::{Expand, Question};
use crate::verify::{compared, cost, cost_of};
use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::quasi::Options as Effort;

/// A source file, rewritten.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// The text; where nothing is cheaper, the text that was given.
    pub text: String,
    /// What became of each kernel, in the order of the text.
    pub kernels: Vec<Report>,
}

/// What became of one kernel.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name of the function.
    pub name: String,
    /// The line of its first character, from 1.
    pub line: usize,
    /// What its integers cost, in instructions, and what they cost now.
    pub before: Cost,
    /// The cost of the text that is answered.
    pub after: Cost,
    /// The values that have a new text.
    pub changes: Vec<Change>,
    /// What the values rely on and neither the language nor a note says, as sentences.
    pub assumed: Vec<String>,
    /// Places that were left as they are.
    pub left: Vec<Left>,
    /// Values that were proved to be the same, and those that agree at all points that were tried.
    pub proved: usize,
    /// Values that agree at all points that were tried, and could not be proved to be the same.
    pub tried: usize,
}

/// A value with a new text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The line, from 1.
    pub line: usize,
    /// The text that was there.
    pub before: String,
    /// The new text.
    pub after: String,
    /// The cost of the value by itself, before and now.
    pub cost: Option<(Cost, Cost)>,
}

/// A place that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The line, from 1.
    pub line: usize,
    /// The text.
    pub text: String,
    /// The reason, as a sentence about it.
    pub reason: String,
}

/// Why a file was not rewritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum RewriteError {
    /// The grammar gives up on the text.
    #[error("the grammar of the language has no answer for this text")]
    #[diagnostic(code(quaff::source), help("it may be a file of another language, or have many errors"))]
    NotParsed,
}

/// Rewrites the kernels of `source`.
///
/// Each kernel is read, simplified as a whole, written, and read again: a kernel stays as it is unless each value of the new text was found
/// equal to the one of the old text, and the new text is cheaper.
///
/// Time: n log n for a text of n bytes, beside the calls of `simplifier` for each kernel.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_rewrite::{Language, Options, rewrite};
///
/// let source = "\
/// __global__ void f(float* x, int n) {
///   // quaff: n in 1..1024
///   int i = blockIdx.x * blockDim.x + threadIdx.x;
///   if (i < n * 96) x[i / 96 * 96 + i % 96] = 0;
/// }
/// ";
/// let answer = rewrite(source, Language::Cuda, &Options::default(), &Simplifier::default())?;
/// assert!(answer.text.contains("if (i < n * 96) x[i] = 0;"));
/// assert!(answer.kernels[0].after < answer.kernels[0].before);
/// # Ok::<(), quaff_rewrite::RewriteError>(())
/// ```
///
/// # Errors
/// [`RewriteError::NotParsed`] where there is no tree of the text. A function with an error in it is left as it is, and that is reported.
pub fn rewrite(
    source: &str,
    language: Language,
    options: &Options,
    simplifier: &Simplifier,
) -> Result<Rewritten, RewriteError> {
    let before = read(source, language, options)?;
    let mut all: Vec<Candidate> =
        before.iter().map(|kernel| Candidate::new(source, kernel, simplifier, language)).collect();
    // a kernel whose new text is not the same is put back, and the others are read again
    for _ in 0..=before.len() {
        let changes: Vec<Edit> = all.iter().flat_map(|c| c.edits.iter().cloned()).collect();
        let text = apply(source, 0..source.len(), &changes);
        let after = read(&text, language, options)?;
        let mut is_settled = true;
        for ((kernel, new), candidate) in before.iter().zip(&after).zip(&mut all) {
            if candidate.edits.is_empty() || candidate.is_checked {
                continue;
            }
            candidate.check(kernel, new, simplifier);
            is_settled &= candidate.is_checked;
        }
        if is_settled || before.len() != after.len() {
            let text = if before.len() == after.len() { text } else { source.into() };
            let kernels = before.iter().zip(all).map(|(kernel, c)| c.report(source, kernel)).collect();
            return Ok(Rewritten { text, kernels });
        }
    }
    Ok(Rewritten { text: source.into(), kernels: Vec::new() })
}

fn read(source: &str, language: Language, options: &Options) -> Result<Vec<Kernel>, RewriteError> {
    let found = match language {
        Language::Cuda => kernels(source, Functions::OfDevice, options),
        Language::C => kernels(source, Functions::All, options),
        Language::Triton => None,
    };
    found.ok_or(RewriteError::NotParsed)
}

/// A kernel with what is to become of it.
#[derive(Default)]
struct Candidate {
    edits: Vec<Edit>,
    changes: Vec<(usize, String, Option<(Cost, Cost)>)>,
    before: Cost,
    after: Cost,
    proved: usize,
    tried: usize,
    is_checked: bool,
    /// Why the new text was put back.
    failure: Option<String>,
    /// Texts that cost more, from the next best on.
    others: Vec<Candidate>,
}

impl Candidate {
    fn new(source: &str, kernel: &Kernel, simplifier: &Simplifier, language: Language) -> Candidate {
        let before = cost(kernel, simplifier).unwrap_or_default();
        let mut found: Vec<(Cost, Candidate)> = Vec::new();
        for expand in [Expand::Divisions, Expand::All] {
            let question = Question::new(kernel, expand, simplifier);
            let Some(answer) = answer(&question, simplifier) else { continue };
            let made = Candidate::of(source, kernel, &question, &answer, simplifier, language);
            if !made.edits.is_empty() {
                found.push((made.after, made));
            }
        }
        found.sort_by_key(|(cost, _)| *cost);
        let mut all = found.into_iter().map(|(_, made)| Candidate { before, ..made });
        match all.next() {
            Some(best) => Candidate { others: all.collect(), ..best },
            None => Candidate { before, after: before, is_checked: true, ..Candidate::default() },
        }
    }

    fn of(
        source: &str,
        kernel: &Kernel,
        question: &Question,
        answer: &Answer,
        simplifier: &Simplifier,
        language: Language,
    ) -> Candidate {
        let made = edits(source, kernel, question, answer, simplifier, language);
        let costs = |site: usize| {
            let new = answer.exprs[site].as_ref()?;
            let before = cost_of(question.accesses[site].index(), question, site, simplifier)?;
            Some((before, cost_of(new, question, site, simplifier)?))
        };
        let changes = made.sites.into_iter().map(|(site, text)| (site, text, costs(site))).collect();
        Candidate { edits: made.all, changes, after: answer.after, ..Candidate::default() }
    }

    /// Compares the new text, read again as `new`, with the old one. Where it is not the same, or costs no less, the next text is taken.
    fn check(&mut self, kernel: &Kernel, new: &Kernel, simplifier: &Simplifier) {
        match compared(kernel, new, simplifier, &Effort::default()) {
            Ok(found) if found.cost.is_some_and(|cost| cost < self.before) => {
                (self.proved, self.tried) = (found.proved, found.tried);
                self.after = found.cost.unwrap_or(self.before);
                self.is_checked = true;
            }
            outcome => {
                if std::env::var("DBG").is_ok() { eprintln!("{outcome:?} before {}", self.before); for e in &self.edits { eprintln!("  {e:?}"); } }
                let (before, failure) = (self.before, outcome.err());
                let mut others = std::mem::take(&mut self.others).into_iter();
                *self = match others.next() {
                    Some(next) => Candidate { others: others.collect(), ..next },
                    None => Candidate { before, after: before, ..Candidate::default() },
                };
                self.failure = failure;
            }
        }
    }

    fn report(self, source: &str, kernel: &Kernel) -> Report {
        let line = |at: usize| 1 + source[..at].bytes().filter(|b| *b == b'\n').count();
        let mut changes: Vec<Change> = Vec::new();
        for (site, text, cost) in self.changes.into_iter().filter(|_| !self.edits.is_empty()) {
            let span = kernel.sites[site].span.clone();
            changes.push(Change { line: line(span.start), before: source[span].into(), after: text, cost });
        }
        let mut left: Vec<Left> = Vec::new();
        for place in &kernel.not_followed {
            let text = source[place.span.clone()].into();
            left.push(Left { line: line(place.span.start), text, reason: place.reason.clone() });
        }
        if let Some(reason) = self.failure {
            let reason = format!("its new text was not found equal: {reason}");
            left.push(Left { line: line(kernel.span.start), text: kernel.name.clone(), reason });
        }
        Report {
            name: kernel.name.clone(),
            line: line(kernel.span.start),
            before: self.before,
            after: self.after,
            changes,
            assumed: kernel.assumed.clone(),
            left,
            proved: self.proved,
            tried: self.tried,
        }
    }
}
