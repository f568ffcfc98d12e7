//! Corpora: files of expressions, with one JSON object on each line.

use super::asked::Asked;
use super::line::Line;
use quaff::access::Access;
use quaff::domain::Domain;
use quaff::expr::Expr;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, Read};
use std::path::{Path, PathBuf};

/// The most bytes of a line. Reading a line takes about ten times as much memory as the line. After this number of
/// bytes without a line end, reading stops with an error.
pub const MAX_LINE: usize = 128 << 20;

/// The lines of `input` that are not blank, with their numbers from 1. A byte order mark before the first line is
/// skipped. A line of more than [`MAX_LINE`] bytes is an error, which is the last item.
pub fn lines(input: impl BufRead) -> impl Iterator<Item = io::Result<(usize, Vec<u8>)>> {
    lines_within(input, MAX_LINE)
}

fn lines_within(mut input: impl BufRead, most: usize) -> impl Iterator<Item = io::Result<(usize, Vec<u8>)>> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    let (mut number, mut is_over) = (0, false);
    std::iter::from_fn(move || {
        loop {
            let mut line = Vec::new();
            if is_over {
                return None;
            }
            match input.by_ref().take(most as u64 + 1).read_until(b'\n', &mut line) {
                Ok(0) => return None,
                Ok(_) => number += 1,
                Err(e) => return Some(Err(e)),
            }
            if line.len() > most {
                is_over = true;
                return Some(Err(io::Error::other(format!("line {number} has more than {most} bytes"))));
            }
            if number == 1 && line.starts_with(MARK) {
                line.drain(..MARK.len());
            }
            if !line.trim_ascii().is_empty() {
                return Some(Ok((number, line)));
            }
        }
    })
}

/// The question of a corpus line: the input of one call of the simplifier.
#[derive(Clone, Debug)]
pub enum Question {
    /// An expression, for which a cheaper form is searched.
    Expr(Expr),
    /// The accesses of a kernel, for which cheaper forms are searched together.
    Accesses(Vec<Access>),
}

/// A case: a corpus line with its question.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The line's number, from 1.
    pub line: usize,
    /// The `id` of the line, or the line number if there is none.
    pub id: String,
    /// The question: the expression, or the accesses.
    pub question: Question,
    /// The facts about the variables of the question.
    pub domain: Domain,
    /// The expression as written in the file. It is empty for accesses.
    pub text: String,
    /// The ranges of the variables, as readable text.
    pub ranges: String,
}

impl Case {
    /// A record that the line of this case has no answer, with the reason `why`.
    pub fn refused(&self, corpus: &Corpus, why: &str) -> BadLine {
        BadLine::new(&corpus.name, self.line, why)
    }
}

/// A line that cannot be read, or for which the simplifier returned an error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BadLine {
    /// The corpus.
    pub corpus: String,
    /// The line's number, from 1.
    pub line: usize,
    /// The description of the error.
    pub why: String,
}

impl BadLine {
    /// A record about the line number `line` of `corpus`, with the error `why`.
    pub fn new(corpus: impl Into<String>, line: usize, why: impl ToString) -> BadLine {
        BadLine { corpus: corpus.into(), line, why: why.to_string() }
    }
}

/// A file with one question on each line. A line that cannot be read does not affect other lines.
///
/// ```
/// use quaff_lab::experiment::Corpus;
///
/// let text = r#"{"id": "a", "vars": {"i": [0, 15], "j": [0, 3]}, "expr": "(i*4 + j)//4"}
/// {"id": "b", "vars": {"i": [0, 15]}, "expr": "(i*4"}"#;
/// let corpus = Corpus::parse("two lines", text.as_bytes());
/// assert_eq!((corpus.cases().len(), corpus.bad()[0].line), (1, 2));
/// ```
#[derive(Clone, Debug)]
pub struct Corpus {
    name: String,
    key: String,
    cases: Vec<Case>,
    bad: Vec<BadLine>,
    slips: BTreeSet<(String, &'static str)>,
}

impl Corpus {
    /// Reads lines. Blank lines and a byte order mark are skipped.
    pub fn parse(name: &str, bytes: &[u8]) -> Corpus {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let (mut cases, mut bad, mut slips) = (Vec::new(), Vec::new(), BTreeSet::new());
        // the input is in memory, so the only possible error is a line that is too long
        for (line, bytes) in lines(bytes).filter_map(Result::ok) {
            let question = Line::read(&bytes).and_then(|read| {
                slips.extend(read.slips().map(|(written, meant)| (written.to_string(), meant)));
                let (asked, domain) = read.asked()?;
                let question = match asked {
                    Asked::Accesses(_, accesses) => Question::Accesses(accesses),
                    _ => Question::Expr(read.question()?.0.into_expr()),
                };
                Ok((shown_id(read.id.get(), line), read.shown(), question, domain))
            });
            match question {
                Ok((id, (text, ranges), question, domain)) => {
                    cases.push(Case { line, id, question, domain, text, ranges });
                }
                Err(why) => bad.push(BadLine::new(name, line, why)),
            }
        }
        Corpus { name: name.into(), key: format!("{:016x}", hasher.finish()), cases, bad, slips }
    }

    /// Reads a file, or all `*.jsonl` files of a folder in the order of their names. The name of a corpus is its file
    /// name without the extension.
    ///
    /// # Errors
    /// Fails if a file or folder cannot be read, or if a folder contains no `*.jsonl` file.
    pub fn load(path: &Path) -> io::Result<Vec<Corpus>> {
        let paths = if path.is_dir() { files_of(path)? } else { vec![path.to_path_buf()] };
        let read = |p: &PathBuf| {
            let name = p.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            Ok(Corpus::parse(&name, &std::fs::read(p)?))
        };
        paths.iter().map(read).collect()
    }

    /// The name of the corpus.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A hash of the text of the corpus.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The cases: the lines that were read, with their questions.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The lines that cannot be read as questions.
    pub fn bad(&self) -> &[BadLine] {
        &self.bad
    }

    /// The ignored fields whose names are one edit away from a known field. Each item has the name in the file and the
    /// name that may be meant.
    pub fn slips(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.slips.iter().map(|(written, meant)| (written.as_str(), *meant))
    }
}

/// The field `id` of a line as readable text, or the line number if the field is missing.
fn shown_id(written: &str, line: usize) -> String {
    match serde_json::from_str(written) {
        Ok(Value::Null) => line.to_string(),
        Ok(Value::String(text)) => text,
        _ => written.to_string(),
    }
}

fn files_of(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|x| x == "jsonl") {
            paths.push(path);
        }
    }
    paths.sort();
    if paths.is_empty() {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no *.jsonl files in this folder"));
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_an_end() {
        let read =
            |text: &str| lines_within(text.as_bytes(), 4).map(|l| l.map_err(|e| e.to_string())).collect::<Vec<_>>();
        assert_eq!(read("abc\n\nde\n"), [Ok((1, b"abc\n".to_vec())), Ok((3, b"de\n".to_vec()))]);
        assert_eq!(read("abcd"), [Ok((1, b"abcd".to_vec()))]);
        let too_long = Err("line 2 has more than 4 bytes".to_string());
        assert_eq!(read("ab\nabcd\nab\n"), [Ok((1, b"ab\n".to_vec())), too_long]);
        let endless = io::BufReader::new(io::repeat(0));
        assert_eq!(lines_within(endless, 1 << 12).map(|l| l.is_err()).collect::<Vec<_>>(), [true]);
    }
}
