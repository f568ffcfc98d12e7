//! Writes the answers of a batch.

use super::counts::Counts;
use super::made_from::{MadeFrom, Origin};
use super::resume::{Question, take_up};
use crate::output::{Part, Target, open_direct};
use crate::report::{Failure, Problem, io_failure};
use miette::Diagnostic;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// The output of a batch.
pub(super) enum Output {
    /// A stream, which other programs may read while it is written.
    Stream(Box<dyn Write>),
    /// A file that is renamed when it is complete, and the file that records its program, options, rules and lines.
    Part(BufWriter<Part>, BufWriter<Origin>),
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{path}` has answers of a run that was stopped")]
#[diagnostic(code(quaff::batch::part), help("--resume goes on after them; remove the file to begin again"))]
struct Unfinished {
    path: String,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("there is nothing to resume in an output that is no file")]
#[diagnostic(code(quaff::batch::resume), help("give a file for the answers: -o FILE"))]
struct NoFile;

impl Output {
    /// Opens `target`, called `name`, for answers made from `made_from`. Answers of a stopped run are compared with
    /// `made_from` and with the lines. New answers are appended to these answers.
    pub(super) fn open(
        target: Target,
        name: &Path,
        made_from: impl FnOnce() -> MadeFrom,
        resume: Option<Question<'_>>,
    ) -> Result<(Output, Counts), Failure> {
        let path = match target {
            _ if resume.is_some() && !matches!(target, Target::File(_)) => {
                return Err(Failure::Usage(Box::new(Problem::new(&NoFile))));
            }
            Target::Standard => return Ok((Output::Stream(Box::new(BufWriter::new(io::stdout()))), Counts::default())),
            Target::Direct(path) => {
                let file = open_direct(&path).map_err(io_failure(name))?;
                return Ok((Output::Stream(Box::new(BufWriter::new(file))), Counts::default()));
            }
            Target::File(path) => path,
        };
        let what = format!("{}, which becomes {} when it is whole", Part::path_for(&path).display(), name.display());
        let beside = io_failure(Path::new(&what));
        let mut part = Part::open(&path).map_err(&beside)?;
        let path = part.path().to_path_buf();
        let is_empty = part.file().metadata().map_err(&beside)?.len() == 0;
        if resume.is_none() && !is_empty {
            return Err(Problem::new(&Unfinished { path: path.display().to_string() }).into());
        }
        let made_from = made_from();
        let (earlier, origin) = match resume {
            Some(question) if !is_empty => take_up(part.file(), &path, &made_from, question)?,
            _ => (Counts::default(), Origin::begin(&path, &made_from, &[])?),
        };
        Ok((Output::Part(BufWriter::new(part), BufWriter::new(origin)), earlier))
    }

    /// Writes the answer `text` to the input line with the hash `line`.
    pub(super) fn write(&mut self, text: &str, line: &str) -> io::Result<()> {
        match self {
            Output::Stream(out) => out.write_all(text.as_bytes()),
            Output::Part(out, origin) => {
                writeln!(origin, "{line}")?;
                out.write_all(text.as_bytes())
            }
        }
    }

    /// Flushes all answers, so that readers see them.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        match self {
            Output::Stream(out) => out.flush(),
            Output::Part(out, origin) => {
                origin.flush()?;
                out.flush()
            }
        }
    }

    /// Closes the output after the last answer.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        match self {
            Output::Stream(_) => Ok(()),
            Output::Part(out, origin) => {
                out.into_inner().map_err(|e| e.into_error())?.finish()?;
                origin.into_inner().map_err(|e| e.into_error())?.remove()
            }
        }
    }
}
