//! [`rewrite`]: replaces the index arithmetic of a source file by cheaper equal arithmetic.

use crate::answer::{Answer, answer};
use crate::c::{Functions, Prepared, kernels, prepared};
use crate::edit::{Edit, apply, edits};
use crate::language::Language;
use crate::model::{Kernel, Site};
use crate::options::Options;
use crate::python;
use crate::question::{Expand, Question};
use crate::verify::{Compared, compared, cost};
use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::Expr;
use std::ops::Range;

/// A source file, rewritten.
#[derive(Clone, Debug)]
pub struct Rewritten {
    /// The new text. If nothing is cheaper, it is the old text.
    pub text: String,
    /// A report for each kernel, in the order of the text.
    pub kernels: Vec<Report>,
}

/// The report about one kernel of a rewritten file.
#[derive(Clone, Debug)]
pub struct Report {
    /// The name of the function.
    pub name: String,
    /// The line on which the function begins, counted from 1.
    pub line: usize,
    /// The cost of the integer values in the old text, in instructions.
    pub before: Cost,
    /// The cost of the integer values in the new text. A division by a run-time value has the same price whether or not
    /// the host precomputes its divisor.
    pub after: Cost,
    /// The integer values whose text changed.
    pub changes: Vec<Change>,
    /// The assumptions of the new text that neither the language nor a note guarantees, as sentences.
    pub assumed: Vec<String>,
    /// The places that compute integers and stay unchanged, because they cannot be read.
    pub left: Vec<Left>,
    /// The variables that the kernel divides by, and that are not proved to be positive. A fact such as `n >= 1` may
    /// make more values cheaper.
    pub unknown_signs: Vec<String>,
    /// The number of values that were proved to be unchanged.
    pub proved: usize,
    /// The number of values that could not be proved to be unchanged, but agree with the old values at all tested
    /// points.
    pub tried: usize,
    /// The divisors for which the host precomputes a multiplication and a shift, if [`Options::host`] is set. The kernel
    /// takes these values as additional parameters, in the order of this list.
    pub prepared: Vec<Prepared>,
}

/// An integer value whose text changed.
#[derive(Clone, Debug)]
pub struct Change {
    /// The line, counted from 1.
    pub line: usize,
    /// The old text.
    pub before: String,
    /// The new text.
    pub after: String,
    /// The costs of the value in the old text and in the new text, each without the other values of the kernel.
    pub cost: Option<(Cost, Cost)>,
    /// The old value, as an expression of the parameters and counters of the kernel.
    pub value: Expr,
    /// The facts that hold where the value is computed.
    pub domain: Domain,
}

/// A place that stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The line, counted from 1.
    pub line: usize,
    /// The text.
    pub text: String,
    /// The reason, as a sentence about the place.
    pub reason: String,
}

/// The reason why a file was not rewritten.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
pub enum RewriteError {
    /// The parser cannot parse the text.
    #[error("the grammar of the language has no answer for this text")]
    #[diagnostic(code(quaff::source), help("it may be a file of another language, or have many errors"))]
    NotParsed,
}

/// Rewrites the kernels of `source`.
///
/// Each kernel is read, simplified as a whole, written, and read again. A kernel changes only if its new text is
/// cheaper. Each value of the new text must be proved equal to the old value, or agree with it at all tested points.
///
/// The time is n log n for a text of n bytes, plus the calls of `simplifier` for each kernel.
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
/// [`RewriteError::NotParsed`] if the text cannot be parsed. A function with a syntax error stays unchanged, and the
/// report lists it.
pub fn rewrite(
    source: &str,
    language: Language,
    options: &Options,
    simplifier: &Simplifier,
) -> Result<Rewritten, RewriteError> {
    let kernels = read(source, language, options)?;
    let asked = |expand: Expand| kernels.iter().map(|kernel| Question::new(kernel, expand, simplifier)).collect();
    let expand = [Expand::Divisions, Expand::Divided, Expand::All, Expand::Nothing];
    let questions: [Vec<Question>; 4] = expand.map(asked);
    let [_, _, whole, _] = &questions;
    let unchanged = kernels.iter().zip(whole).map(|(kernel, whole)| Outcome::unchanged(kernel, whole, simplifier));
    let mut best: Vec<Outcome> = unchanged.collect();
    for (at, now) in questions.iter().enumerate() {
        let asked = kernels.iter().zip(now).zip(&best).enumerate().map(|(number, ((kernel, question), best))| {
            let is_repeated = questions[..at].iter().any(|before| before[number].values == question.values);
            let answer = if is_repeated { None } else { answer(question, simplifier) };
            Attempt { kernel, question, whole: &whole[number], answer, best: best.clone() }
        });
        let mut attempts: Vec<Attempt> = asked.collect();
        for _ in 0..ATTEMPTS {
            if !attempted(source, &mut attempts, language, options, simplifier)? {
                break;
            }
        }
        best = attempts.into_iter().map(|attempt| attempt.best).collect();
    }
    let text = text_of(source, &best);
    let lines = line_ends(source);
    let reports = best.into_iter().zip(kernels.iter().zip(whole)).map(|(outcome, (kernel, whole))| {
        let unknown_signs = whole.unknown_signs.iter().map(ToString::to_string).collect();
        Report { unknown_signs, ..outcome.report(source, &lines, kernel) }
    });
    let reports = reports.collect();
    let answer = Rewritten { text, kernels: reports };
    Ok(if options.has_host && language == Language::Cuda { answer.with_host(options, simplifier) } else { answer })
}

/// The most times that the file is written and read again with the answers to one set of questions.
const ATTEMPTS: usize = 4;

/// A kernel, its question for the simplifier, and the answer that the next attempt writes into the file.
struct Attempt<'k> {
    kernel: &'k Kernel,
    question: &'k Question,
    /// The question with all definitions expanded.
    whole: &'k Question,
    /// `None` if there is nothing to try.
    answer: Option<Answer>,
    best: Outcome,
}

/// Writes the answers of all kernels into the file, and reads it again. The new text of a kernel is accepted if it is
/// cheaper and computes the same values. If a value differs, it is removed from the answer for the next attempt.
/// Returns whether another attempt is needed.
fn attempted(
    source: &str,
    attempts: &mut [Attempt<'_>],
    language: Language,
    options: &Options,
    simplifier: &Simplifier,
) -> Result<bool, RewriteError> {
    let made = attempts.iter().map(|attempt| match &attempt.answer {
        Some(answer) => Outcome::new(source, (attempt.kernel, attempt.question), answer, simplifier, language),
        None => Outcome::default(),
    });
    let made: Vec<Outcome> = made.collect();
    if made.iter().all(|outcome| outcome.edits.is_empty()) {
        return Ok(false);
    }
    let again = read(&text_of(source, &made), language, options)?;
    if again.len() != attempts.len() {
        return Ok(false);
    }
    for ((attempt, made), new) in attempts.iter_mut().zip(made).zip(&again) {
        let differs = attempt.best.take(made, (attempt.kernel, attempt.whole), new, simplifier);
        let changed = |answer: &mut Answer| differs.and_then(|site| answer[site].take()).is_some();
        if !attempt.answer.as_mut().is_some_and(changed) {
            attempt.answer = None;
        }
    }
    Ok(attempts.iter().any(|attempt| attempt.answer.is_some()))
}

impl Rewritten {
    /// Lets the host prepare divisors, and adds them to the reports. If no divisor can be prepared, the result does not
    /// change.
    fn with_host(mut self, options: &Options, simplifier: &Simplifier) -> Rewritten {
        let Some((text, found)) = prepared(&self.text, options, simplifier) else { return self };
        for (report, found) in self.kernels.iter_mut().zip(found) {
            report.prepared = found.prepared;
            report.left.extend(found.kept.into_iter().map(|kept| {
                let reason = format!("the host prepares no divisor for it: {}", kept.reason);
                Left { line: report.line, text: kept.text, reason }
            }));
        }
        Rewritten { text, ..self }
    }
}

/// The text with the edits of all kernels.
fn text_of(source: &str, outcomes: &[Outcome]) -> String {
    let edits: Vec<Edit> = outcomes.iter().flat_map(|o| o.edits.iter().cloned()).collect();
    apply(source, 0..source.len(), &edits)
}

/// The positions of the line ends.
pub(crate) fn line_ends(source: &str) -> Vec<usize> {
    source.match_indices('\n').map(|(at, _)| at).collect()
}

/// The line of a byte, counted from 1.
pub(crate) fn line_at(line_ends: &[usize], byte: usize) -> usize {
    1 + line_ends.partition_point(|end| *end < byte)
}

pub(crate) fn read(source: &str, language: Language, options: &Options) -> Result<Vec<Kernel>, RewriteError> {
    let found = match language {
        Language::Cuda => kernels(source, Functions::OfDevice, options),
        Language::C => kernels(source, Functions::All, options),
        Language::Triton => Some(python::kernels(source, options)),
    };
    let mut found = found.ok_or(RewriteError::NotParsed)?;
    found.iter_mut().for_each(Kernel::limit_definitions);
    Ok(found)
}

/// The result for a kernel, before the new text is checked.
#[derive(Clone, Debug, Default)]
struct Outcome {
    edits: Vec<Edit>,
    /// The byte ranges of the values of removed definitions.
    removed: Vec<Range<usize>>,
    changes: Vec<(usize, Change)>,
    /// Whether a value of the new text is a number, or a condition with a known result. The cost model gives such a
    /// value the price 0 in both texts, but a compiler may not know the value.
    decides: bool,
    before: Cost,
    after: Cost,
    proved: usize,
    tried: usize,
    /// The reason why a new text was rejected.
    failure: Option<String>,
}

/// A kernel's text is written in several versions, which use different names of the file. A later version is accepted
/// only if it costs less than this percentage of an accepted earlier version.
const CLEARLY: u128 = 97;

impl Outcome {
    /// The result for a kernel that stays unchanged.
    fn unchanged(kernel: &Kernel, whole: &Question, simplifier: &Simplifier) -> Outcome {
        let before = cost(kernel, whole, simplifier).unwrap_or_default();
        Outcome { before, after: before, ..Outcome::default() }
    }

    /// The planned edits for a kernel. The new text is not read here.
    fn new(
        source: &str,
        (kernel, question): (&Kernel, &Question),
        answer: &Answer,
        simplifier: &Simplifier,
        language: Language,
    ) -> Outcome {
        let made = edits(source, kernel, question, answer, simplifier, language);
        let cost = |e: &Expr| question.price([e], simplifier);
        let change = |(site, text): (usize, String)| {
            let (value, span) = (question.accesses[site].index().clone(), kernel.sites[site].span.clone());
            let new = answer[site].as_ref();
            let domain = question.inside(site).unwrap_or_default();
            let cost = cost(&value).zip(new.and_then(cost));
            (site, Change { line: 0, before: source[span].into(), after: text, cost, value, domain })
        };
        let changes = made.sites.into_iter().map(change).collect();
        let is_decided = |(site, new): (&Site, &Option<Expr>)| {
            site.expr.as_const().is_none() && new.as_ref().is_some_and(|new| new.as_const().is_some())
        };
        let decides = kernel.sites.iter().zip(answer).any(is_decided);
        Outcome { edits: made.all, removed: made.removed, changes, decides, ..Outcome::default() }
    }

    /// Replaces the outcome by `made` if the new text has the same values and costs less. `new` is the kernel in the
    /// new text, and `old` is the old kernel with its question. Returns the site whose value differs, if there is one.
    fn take(
        &mut self,
        made: Outcome,
        old: (&Kernel, &Question),
        new: &Kernel,
        simplifier: &Simplifier,
    ) -> Option<usize> {
        if made.edits.is_empty() {
            return None;
        }
        let compared = compared(old, new, &made.removed, simplifier);
        let found = match compared {
            Ok(found) => found,
            Err(difference) => {
                self.failure = Some(difference.reason);
                return difference.site;
            }
        };
        let after = found.cost?;
        let is_better = match self.edits.is_empty() {
            true => after < self.before || after == self.before && made.decides,
            false => u128::from(after.tenths()) * 100 < u128::from(self.after.tenths()) * CLEARLY,
        };
        if is_better {
            let Compared { proved, tried, .. } = found;
            *self = Outcome { before: self.before, after, proved, tried, failure: None, ..made };
        }
        None
    }

    fn report(self, source: &str, line_ends: &[usize], kernel: &Kernel) -> Report {
        let line = |at: usize| line_at(line_ends, at);
        let at = |(site, change): (usize, Change)| Change { line: line(kernel.sites[site].span.start), ..change };
        let changes = self.changes.into_iter().map(at).collect();
        let mut left: Vec<Left> = Vec::new();
        for place in &kernel.not_followed {
            let text = source[place.span.clone()].into();
            left.push(Left { line: line(place.span.start), text, reason: place.reason.clone() });
        }
        if let Some(reason) = self.failure.filter(|_| self.edits.is_empty()) {
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
            unknown_signs: Vec::new(),
            proved: self.proved,
            tried: self.tried,
            prepared: Vec::new(),
        }
    }
}
