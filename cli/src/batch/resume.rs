//! What a run that was stopped has left, taken up.

use super::counts::Counts;
use super::read::Numbered;
use crate::answer;
use crate::report::{Failure, Problem, io_failure, shortened};
use miette::Diagnostic;
use quaff::experiment::Line;
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Seek, SeekFrom};
use std::path::Path;

/// What the answers must be answers to.
pub(super) struct Question<'a> {
    /// The lines of the input; those that are answered are taken from it.
    pub(super) lines: &'a mut dyn Iterator<Item = io::Result<Numbered>>,
    /// What they are read from.
    pub(super) input: &'a Path,
    /// Whether answers are checked.
    pub(super) verify: bool,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{path}` cannot be resumed: {why}")]
#[diagnostic(
    code(quaff::batch::resume),
    help("resume with the same input and options, or remove the file to begin again")
)]
struct Strange {
    path: String,
    why: String,
}

/// What counts of an answer; its id is compared as it is written.
#[derive(Deserialize)]
struct Answered {
    ok: bool,
    verified: Option<String>,
    cuda_why: Option<String>,
    wrong_rules: Option<Vec<String>>,
}

/// Reads the answers in `part`, which is called `path`, beside the lines of `question`, and cuts off half a line at its
/// end. What is written after it goes on where it ends.
pub(super) fn take_up(part: &mut File, path: &Path, question: Question<'_>) -> Result<Counts, Failure> {
    let failed = io_failure(path);
    let Question { lines, input, verify } = question;
    let strange = |why: String| Failure::from(Problem::new(&Strange { path: path.display().to_string(), why }));
    let mut counts = Counts::default();
    let mut whole = 0;
    let mut answers = BufReader::new(&mut *part);
    loop {
        let mut answer = Vec::new();
        answers.read_until(b'\n', &mut answer).map_err(&failed)?;
        if answer.last() != Some(&b'\n') {
            break;
        }
        whole += answer.len() as u64;
        let at = counts.lines + 1;
        let found = Line::read(&answer).map_or(RawValue::NULL, |l| l.id);
        let Ok(Answered { ok, verified, cuda_why, wrong_rules }) = serde_json::from_slice(&answer) else {
            return Err(strange(format!("its line {at} is no answer")));
        };
        let verified = verified.as_deref();
        if ok && verify != verified.is_some() {
            return Err(strange(format!("its line {at} is of a run with{} --verify", if verify { "out" } else { "" })));
        }
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
        counts.lines += 1;
        counts.failed += usize::from(!ok);
        if let Some(verdict) = verified {
            counts.tally.add_earlier(verdict);
        }
        let withheld = cuda_why.as_deref().is_some_and(answer::is_withheld);
        counts.wrong += usize::from(withheld || verified.is_some_and(|v| v.starts_with("wrong")));
        counts.blamed += usize::from(wrong_rules.is_some());
    }
    part.set_len(whole).and_then(|()| part.seek(SeekFrom::Start(whole))).map_err(&failed)?;
    Ok(counts)
}
