//! The corpora of a command: their files and their cases.

use crate::output::{Target, apart, handle_of};
use crate::progress;
use crate::report::{self, Failure, Problem, io_failure};
use clap::Args;
use miette::Diagnostic;
use quaff_lab::experiment::{BadLine, Corpus};
use same_file::{Handle, is_same_file};
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Where the cases come from.
#[derive(Args)]
pub(crate) struct Corpora {
    /// Files of JSON lines, as for `quaff batch`, or folders of `*.jsonl` files; `-` is standard input
    #[arg(value_name = "CORPUS", required = true)]
    paths: Vec<PathBuf>,

    /// Threads; 0 means one for each core
    #[arg(short = 'j', long, value_name = "N", default_value_t = 0, value_parser = progress::threads())]
    pub(crate) threads: usize,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`{name}` is both the folder of the corpora and the one for the results")]
#[diagnostic(code(quaff::io::same_file), help("results would be taken for a corpus: give another folder with -o"))]
struct SameFolder {
    name: String,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the corpora have no line to compare rule sets on")]
#[diagnostic(code(quaff::rules::no_cases), help("a line of a corpus has the fields `vars` and `expr`"))]
struct NoCases;

impl Corpora {
    /// Refuses to write `files` into `folder` if the command reads one of them. Also refuses a folder of corpora,
    /// because later runs would read the results as a corpus.
    pub(crate) fn apart_from_folder(&self, folder: &Path, files: &[&str]) -> Result<(), Failure> {
        for path in self.paths.iter().filter(|path| path.is_dir()) {
            if is_same_file(path, folder).map_err(io_failure(folder))? {
                let name = path.display().to_string();
                return Err(Failure::Usage(Box::new(Problem::new(&SameFolder { name }))));
            }
        }
        self.apart_from(files.iter().map(|name| folder.join(name)))
    }

    /// Refuses to write files that the command reads.
    pub(crate) fn apart_from(&self, files: impl IntoIterator<Item = PathBuf>) -> Result<(), Failure> {
        let outputs: Vec<Target> = files.into_iter().map(Target::File).collect();
        for path in &self.paths {
            if path == Path::new("-") {
                apart(Handle::stdin(), &outputs)?;
            } else if path.is_dir() {
                for entry in std::fs::read_dir(path).map_err(io_failure(path))?.flatten() {
                    apart(handle_of(&entry.path()), &outputs)?;
                }
            } else {
                apart(handle_of(path), &outputs)?;
            }
        }
        Ok(())
    }

    pub(crate) fn load(&self) -> Result<Vec<Corpus>, Failure> {
        load(&self.paths)
    }
}

/// The corpora in files and folders. `-` is standard input.
pub(crate) fn load(paths: &[PathBuf]) -> Result<Vec<Corpus>, Failure> {
    let mut corpora = Vec::new();
    for path in paths {
        if path == Path::new("-") {
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).map_err(io_failure(path))?;
            corpora.push(Corpus::parse("standard input", &bytes));
        } else {
            corpora.extend(Corpus::load(path).map_err(io_failure(path))?);
        }
    }
    let slips: BTreeSet<_> = corpora.iter().flat_map(Corpus::slips).collect();
    slips.iter().for_each(|(written, meant)| report::warn_slip("", written, meant));
    Ok(corpora)
}

/// Returns the corpora if any of them has a case. Otherwise lists their invalid lines on standard error and fails.
pub(crate) fn with_cases(corpora: Vec<Corpus>) -> Result<Vec<Corpus>, Failure> {
    if corpora.iter().all(|corpus| corpus.cases().is_empty()) {
        let bad: Vec<&[BadLine]> = corpora.iter().map(Corpus::bad).collect();
        report::list_lines(&bad);
        return Err(Problem::new(&NoCases).into());
    }
    Ok(corpora)
}

/// The number of lines in all corpora, including lines without a case.
pub(crate) fn lines(corpora: &[Corpus]) -> usize {
    corpora.iter().map(|corpus| corpus.cases().len() + corpus.bad().len()).sum()
}
