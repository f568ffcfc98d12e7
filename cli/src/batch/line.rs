//! Reads, answers and checks one line of a batch, and writes it as JSON.

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

/// One line of the output, with its line end.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) ok: bool,
    /// The result of checking the answer.
    pub(super) decision: Option<Decision>,
    /// The result of evaluating the text of the answer.
    pub(super) ran: Ran,
    /// The report about a wrong answer.
    pub(super) wrong: Option<Wrong>,
    /// Ignored fields, each with the field that was probably meant.
    pub(super) slips: Vec<(String, &'static str)>,
    /// The costs of the input and of the answer, in instructions.
    pub(super) cost: [f64; 2],
    /// The number of the line, counted from 1.
    pub(super) number: usize,
    /// The hash of the input line.
    pub(super) hash: String,
    /// The number of bytes in the input line.
    pub(super) read: u64,
}

/// A line of the output as JSON.
#[derive(Serialize)]
struct LineJson {
    /// The id as the input line has it. Null when the input line has no id.
    id: Box<RawValue>,
    /// Whether the line has an answer.
    ok: bool,
    #[serde(flatten)]
    answer: Option<LineAnswer>,
    #[serde(flatten)]
    why: Option<WhyJson>,
}

/// The reason why a line has no answer.
#[derive(Serialize)]
struct WhyJson {
    why: String,
    /// A hint how to correct the line.
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

/// The answer of a line.
#[derive(Serialize)]
#[serde(untagged)]
enum LineAnswer {
    One(OneJson),
    Several(SeveralJson),
}

impl LineAnswer {
    fn cost(&self) -> [f64; 2] {
        match self {
            LineAnswer::One(one) => one.found().costs(),
            LineAnswer::Several(several) => several.found().costs(),
        }
    }
}

pub(super) fn answer_line(service: &Service, number: usize, line: &[u8]) -> Line {
    let mut notes = Notes::default();
    // after a panic, the shared rules and limits are still valid, because calls never change them
    let outcome = catch_unwind(AssertUnwindSafe(|| answered(service, line, &mut notes)));
    let result = outcome.unwrap_or_else(|_| Err(progress::internal_error().into()));
    let Notes { id, decision, ran, wrong, slips } = notes;
    let ok = result.is_ok();
    let (answer, why) = match result {
        Ok(answer) => (Some(answer), None),
        Err(found) => (None, Some(WhyJson { why: shortened(&format!("line {number}, {}", found.why)), ..found })),
    };
    let cost = answer.as_ref().map(LineAnswer::cost).unwrap_or_default();
    let text = json::line(&LineJson { id, ok, answer, why });
    Line { text, ok, decision, ran, wrong, slips, cost, number, hash: made_from::hash(&line), read: line.len() as u64 }
}

/// The answer to a line, or the reason why there is none, with its column.
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

/// The answer to one expression, or the reason why the expression is refused.
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
            // the text is of the unchanged input, so no rule can be at fault
            Some(earlier) => Wrong { report: earlier.report + &text.report, rules: Vec::new() },
            None => text,
        });
        found.cuda = CudaJson::withheld(mismatch);
    }
    let checked = CheckedJson::new(notes.decision.as_ref(), notes.wrong.as_ref(), domain);
    OneJson::new(&answer, found, checked).map(Ok).map_err(|e| e.to_string())
}

/// The report of a wrong answer or text, after the `id` of its line.
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
