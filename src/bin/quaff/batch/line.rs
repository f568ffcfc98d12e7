//! One line of a batch: read, answered, checked, and written as JSON.

use crate::answer;
use crate::exact;
use crate::progress;
use crate::report::shortened;
use quaff::expr::DISPLAY_LIMIT;
use quaff::quasi::{Decision, Options, Verdict, decide};
use quaff::{Simplified, Simplifier};
use serde_json::{Map, Value};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// What all lines share.
pub(super) struct Service {
    pub(super) simplifier: Simplifier,
    /// For checking answers; `None` when that is not asked for.
    pub(super) exact: Option<Options>,
}

/// One line of output, its end included.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) ok: bool,
    /// What came of checking the answer.
    pub(super) decision: Option<Decision>,
    /// The report of a wrong answer; empty when there is none.
    pub(super) bug: String,
}

/// What one line gives besides its fields.
#[derive(Default)]
struct Notes {
    id: Value,
    decision: Option<Decision>,
    bug: String,
}

pub(super) fn answer_line(service: &Service, line: &[u8]) -> Line {
    let mut notes = Notes::default();
    // nothing of a call is kept when it panics; the rules and limits that are shared never change
    let outcome = catch_unwind(AssertUnwindSafe(|| answered(service, line, &mut notes)));
    let result = outcome.unwrap_or_else(|_| Err(progress::internal_error()));
    let Notes { id, decision, bug } = notes;
    let ok = result.is_ok();
    let mut object = Map::new();
    object.insert("id".into(), id);
    object.insert("ok".into(), ok.into());
    match result {
        Ok(fields) => object.extend(fields),
        Err(why) => {
            object.insert("why".into(), shortened(&why).into());
        }
    }
    Line { text: Value::Object(object).to_string() + "\n", ok, decision, bug }
}

/// The fields of an answer after `id` and `ok`, or why there is none.
fn answered(service: &Service, line: &[u8], notes: &mut Notes) -> Result<Map<String, Value>, String> {
    let line = quaff::experiment::Line::read(line)?;
    notes.id = line.id.clone();
    let (expr, domain) = line.question()?;
    let start = Instant::now();
    let result = service.simplifier.simplify(&expr, &domain);
    let us = start.elapsed().as_nanos() as f64 / 1000.0;
    let mut answer = result.map_err(|e| e.to_string())?;
    notes.decision = service.exact.as_ref().map(|options| decide(&expr, answer.expr(), &domain, options));
    if let Some(Decision { verdict: verdict @ Verdict::Differs { .. }, .. }) = &notes.decision {
        let traced = service.simplifier.clone().with_trace(true).simplify(&expr, &domain);
        notes.bug = format!("{}: ", notes.id) + &answer::bug(&answer, verdict, traced.as_ref().unwrap_or(&answer));
        answer = answer.withdrawn(std::slice::from_ref(&expr));
    }
    let mut fields = fields(&answer, us)?;
    if let Some(d) = &notes.decision {
        fields.insert("verified".into(), exact::verified(&d.verdict).into());
    }
    Ok(fields)
}

fn fields(answer: &Simplified, us: f64) -> Result<Map<String, Value>, String> {
    let out = answer.expr().to_infix(DISPLAY_LIMIT).map_err(|e| e.to_string())?;
    let (cuda, cuda_why) = match answer::cuda_body(answer) {
        Ok(text) => (Value::from(text), None),
        Err(why) => (Value::Null, Some(why.to_string())),
    };
    let mut fields = Map::new();
    fields.insert("out".into(), out.into());
    fields.insert("us".into(), us.into());
    fields.insert("cost".into(), answer.cost().into());
    fields.insert("cuda".into(), cuda);
    fields.insert("stop".into(), answer.stop().as_str().into());
    if let Some(why) = cuda_why {
        fields.insert("cuda_why".into(), shortened(&why).into());
    }
    Ok(fields)
}
