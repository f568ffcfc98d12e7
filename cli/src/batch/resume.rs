//! Continues a stopped run after the answers that it has written.

use super::counts::Counts;
use super::made_from::{self, MadeFrom, Origin};
use super::read::Numbered;
use crate::answer;
use crate::report::{Failure, Problem, io_failure, shortened};
use miette::Diagnostic;
use quaff_lab::experiment::Line;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

/// The input of the run. The existing answers must be answers to its lines.
pub(super) struct Question<'a> {
    /// The lines of the input. Lines with an answer are taken from this iterator.
    pub(super) lines: &'a mut dyn Iterator<Item = io::Result<Numbered>>,
    /// The file that the lines are read from.
    pub(super) input: &'a Path,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{path}` cannot be resumed: {why}")]
#[diagnostic(
    code(quaff::batch::resume),
    help("resume with the same input, options and rules, or remove the file to begin again")
)]
struct Strange {
    path: String,
    why: String,
}

/// The fields of an answer that are counted.
#[derive(Deserialize)]
struct Answered {
    ok: bool,
    verified: Option<String>,
    cuda_why: Option<String>,
    wrong_rules: Option<Vec<String>>,
    #[serde(default)]
    input_cost: f64,
    #[serde(default)]
    cost: f64,
}

/// Reads the answers in `part`, whose path is `path`, together with the lines of `question`. An incomplete line at the
/// end is cut off, and later answers are appended. The file beside `part` must record `made_from`. The record is then
/// written again, with the hashes of the answered lines.
pub(super) fn take_up(
    part: &mut File,
    path: &Path,
    made_from: &MadeFrom,
    question: Question<'_>,
) -> Result<(Counts, Origin), Failure> {
    let failed = io_failure(path);
    let Question { lines, input } = question;
    let strange = |why: String| Failure::from(Problem::new(&Strange { path: path.display().to_string(), why }));
    let mut counts = Counts::default();
    let mut whole = 0;
    let (difference, mut hashes) = Origin::read(path, made_from).map_err(&failed)?;
    let mut known = hashes.iter();
    let mut answers = BufReader::new(&mut *part);
    loop {
        let mut answer = Vec::new();
        answers.read_until(b'\n', &mut answer).map_err(&failed)?;
        if answer.last() != Some(&b'\n') {
            break;
        }
        let at = counts.lines + 1;
        if at == 1
            && let Some(why) = &difference
        {
            return Err(strange(why.clone()));
        }
        let found = Line::read(&answer).map_or(RawValue::NULL, |l| l.id);
        let Ok(Answered { ok, verified, cuda_why, wrong_rules, input_cost, cost }) = serde_json::from_slice(&answer)
        else {
            return Err(strange(format!("its line {at} is no answer")));
        };
        // an answer without a hash may belong to another line, so its line is answered again
        let Some(hash) = known.next() else { break };
        whole += answer.len() as u64;
        let Some(line) = lines.next() else {
            return Err(strange(format!("it has more answers than {} has lines", input.display())));
        };
        let (number, bytes) = line.map_err(io_failure(input))?;
        let id = Line::read(&bytes).map_or(RawValue::NULL, |l| l.id);
        if id.get() != found.get() {
            let [found, expected] = [found, id].map(|v| shortened(v.get()));
            let why = format!("its line {at} answers {found}, line {number} of the input is {expected}");
            return Err(strange(why));
        }
        if *hash != made_from::hash(&bytes) {
            return Err(strange(format!("its line {at} answers another text than line {number} of the input")));
        }
        counts.lines += 1;
        counts.failed += usize::from(!ok);
        counts.read += bytes.len() as u64;
        counts.add_cost([input_cost, cost]);
        let verified = verified.as_deref();
        if let Some(verdict) = verified {
            counts.tally.add_earlier(verdict);
        }
        let withheld = cuda_why.as_deref().is_some_and(answer::is_withheld);
        counts.wrong += usize::from(withheld || verified.is_some_and(|v| v.starts_with("wrong")));
        counts.blamed += usize::from(wrong_rules.is_some());
    }
    part.set_len(whole).and_then(|()| part.seek(SeekFrom::Start(whole))).map_err(&failed)?;
    hashes.truncate(counts.lines);
    let origin = Origin::begin(path, made_from, &hashes)?;
    Ok((counts, origin))
}
