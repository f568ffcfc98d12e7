//! One line of a batch: read, answered, checked, and written as JSON.

use super::made_from;
use super::service::{Notes, Service};
use super::several::{self, SeveralJson};
use crate::answer::{self, CudaJson, Language, Ran};
use crate::answer_json::{CheckedJson, FoundJson, OneJson};
use crate::blame::{self, Evidence, Wrong};
use crate::json;
use crate::progress;
use crate::report::shortened;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::quasi::{Decision, Options, Verdict, decide};
use quaff::{Simplified, SimplifyError};
use quaff_lab::experiment::{Asked, LineError};
use serde::Serialize;
use serde_json::value::RawValue;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// One line of output, its end included.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) ok: bool,
    /// What came of checking the answer.
    pub(super) decision: Option<Decision>,
    /// What came of running its text.
    pub(super) ran: Ran,
    /// What there is to say of a wrong answer.
    pub(super) wrong: Option<Wrong>,
    /// Fields that are passed over and may be meant for others.
    pub(super) slips: Vec<(String, &'static str)>,
    /// Stands for the line that was read.
    pub(super) hash: String,
    /// The bytes that were read.
    pub(super) read: u64,
}

/// A line of the output.
#[derive(Serialize)]
struct LineJson {
    /// That of the line of input, as it is written; null where it has none.
    id: Box<RawValue>,
    /// Whether there is an answer.
    ok: bool,
    #[serde(flatten)]
    answer: Option<LineAnswer>,
    #[serde(flatten)]
    why: Option<WhyJson>,
}

/// Why there is no answer.
#[derive(Serialize)]
struct WhyJson {
    why: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// The kind of error.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

impl From<String> for WhyJson {
    fn from(why: String) -> WhyJson {
        WhyJson { why, help: None, code: None }
    }
}

impl From<LineError> for WhyJson {
    fn from(error: LineError) -> WhyJson {
        WhyJson { why: error.to_string(), help: error.help, code: error.code }
    }
}

/// What a line is answered with.
#[derive(Serialize)]
#[serde(untagged)]
enum LineAnswer {
    One(OneJson),
    Several(SeveralJson),
}

pub(super) fn answer_line(service: &Service, number: usize, line: &[u8]) -> Line {
    let mut notes = Notes::default();
    // nothing of a call is kept when it panics; the rules and limits that are shared never change
    let outcome = catch_unwind(AssertUnwindSafe(|| answered(service, line, &mut notes)));
    let result = outcome.unwrap_or_else(|_| Err(progress::internal_error().into()));
    let Notes { id, decision, ran, wrong, slips } = notes;
    let ok = result.is_ok();
    let (answer, why) = match result {
        Ok(answer) => (Some(answer), None),
        Err(found) => (None, Some(WhyJson { why: shortened(&format!("line {number}, {}", found.why)), ..found })),
    };
    let text = json::line(&LineJson { id, ok, answer, why });
    Line { text, ok, decision, ran, wrong, slips, hash: made_from::hash(&line), read: line.len() as u64 }
}

/// The answer, or why there is none, with the column.
fn answered(service: &Service, line: &[u8], notes: &mut Notes) -> Result<LineAnswer, WhyJson> {
    let line = quaff_lab::experiment::Line::read(line)?.in_dialect(service.from);
    notes.id = line.id.to_owned();
    notes.slips = line.slips().map(|(written, meant)| (written.to_string(), meant)).collect();
    let (asked, domain) = line.asked()?;
    let several = match &asked {
        Asked::Expr(part) => {
            let answer = one(service, part.expr(), &domain, notes)?;
            return answer.map(LineAnswer::One).map_err(|e| line.refused(&e, &asked).into());
        }
        Asked::Exprs(parts) => {
            let exprs: Vec<Expr> = parts.iter().map(|p| p.expr().clone()).collect();
            several::expressions(service, &exprs, &domain, notes)?
        }
        Asked::Accesses(_, accesses) => several::accesses(service, accesses, &domain, notes)?,
    };
    several.map(LineAnswer::Several).map_err(|e| line.refused(&e, &asked).into())
}

/// The answer to one expression, or why it is refused.
fn one(
    service: &Service,
    expr: &Expr,
    domain: &Domain,
    notes: &mut Notes,
) -> Result<Result<OneJson, SimplifyError>, String> {
    let start = Instant::now();
    let result = service.simplifier.simplify(expr, domain);
    let us = start.elapsed().as_nanos() as f64 / 1000.0;
    let mut answer = match result {
        Ok(answer) => answer,
        Err(refused) => return Ok(Err(refused)),
    };
    if let Some(options) = &service.exact {
        let decision = decide(expr, answer.expr(), domain, options);
        if let verdict @ Verdict::Differs { .. } = &decision.verdict {
            let evidence = Evidence::Answer(verdict);
            notes.wrong = Some(report(service, &notes.id, (expr, domain), &answer, &evidence, options));
            answer = answer.with_input_as_answer(std::slice::from_ref(expr));
        }
        notes.decision = Some(decision);
    }
    let mut found = FoundJson::new(&answer, us);
    if notes.decision.is_some() {
        notes.ran = answer::run(&answer, Language::Cuda, std::slice::from_ref(expr), domain);
    }
    if let Ran::Wrong(mismatch) = &notes.ran {
        let options = service.exact.clone().unwrap_or_default();
        let text = report(service, &notes.id, (expr, domain), &answer, &Evidence::Text(mismatch), &options);
        notes.wrong = Some(match notes.wrong.take() {
            // the text of an input that came back is no rule's doing
            Some(earlier) => Wrong { report: earlier.report + &text.report, rules: Vec::new() },
            None => text,
        });
        found.cuda = CudaJson::withheld(mismatch);
    }
    let checked = CheckedJson::new(notes.decision.as_ref(), notes.wrong.as_ref(), domain);
    OneJson::new(&answer, found, checked).map(Ok).map_err(|e| e.to_string())
}

/// What there is to say of a wrong answer or text, after the `id` of its line.
fn report(
    service: &Service,
    id: &RawValue,
    question: (&Expr, &Domain),
    answer: &Simplified,
    evidence: &Evidence<'_>,
    options: &Options,
) -> Wrong {
    let wrong = blame::report(&service.simplifier, question, answer, evidence, options);
    Wrong { report: format!("{id}: {}", wrong.report), ..wrong }
}
