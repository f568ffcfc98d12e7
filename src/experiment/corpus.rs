//! Corpora: files of expressions, one JSON object a line.

use crate::domain::{Bounds, Domain};
use crate::expr::{self, Expr};
use serde_json::Value;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

/// One line of a corpus, read as JSON and no further.
#[derive(Clone, Debug)]
pub struct Line {
    /// What the field `id` holds; null when there is none.
    pub id: Value,
    fields: Value,
}

impl Line {
    /// Reads a line; bytes, because one that is not UTF-8 must cost only itself.
    ///
    /// # Errors
    /// When it is not JSON.
    pub fn read(bytes: &[u8]) -> Result<Line, String> {
        let mut fields: Value = serde_json::from_slice(bytes).map_err(|e| format!("not JSON: {e}"))?;
        let id = fields.get_mut("id").map_or(Value::Null, Value::take);
        Ok(Line { id, fields })
    }

    /// The expression in `expr` and the ranges in `vars`, in the order of the file.
    ///
    /// # Errors
    /// What is wrong with them.
    pub fn question(&self) -> Result<(Expr, Domain), String> {
        let field = |name| self.fields.get(name).unwrap_or(&Value::Null);
        let text = field("expr").as_str().ok_or("there is no text in the field `expr`")?;
        let domain = domain(field("vars"))?;
        let parsed = expr::parse(text).map_err(|e| format!("{e}, at byte {}", e.span().start))?;
        Ok((parsed.into_expr(), domain))
    }

    /// Expression and ranges as they stand in the file.
    fn shown(&self) -> (String, String) {
        let text = self.fields.get("expr").and_then(Value::as_str).unwrap_or_default().to_string();
        let end = |v: &Value| match v {
            Value::Null => String::new(),
            Value::String(s) => s.clone(),
            other => other.to_string(),
        };
        let vars = self.fields.get("vars").and_then(Value::as_object).into_iter().flatten();
        let ranges = vars.map(|(name, ends)| format!("{name}={}..{}", end(&ends[0]), end(&ends[1])));
        (text, ranges.collect::<Vec<_>>().join(", "))
    }
}

fn domain(vars: &Value) -> Result<Domain, String> {
    let mut domain = Domain::new();
    let vars = match vars {
        Value::Null => return Ok(domain),
        Value::Object(vars) => vars,
        _ => return Err("the field `vars` is not an object".into()),
    };
    for (name, ends) in vars {
        let Some([lower, upper]) = ends.as_array().map(Vec::as_slice) else {
            return Err(format!("the range of `{name}` is not a list of two ends"));
        };
        domain.add_bounds(name.as_str(), Bounds::new(end(name, lower)?, end(name, upper)?));
    }
    Ok(domain)
}

fn end(name: &str, value: &Value) -> Result<Option<Expr>, String> {
    match value {
        Value::Null => Ok(None),
        Value::Number(n) => match n.as_i64() {
            Some(c) => Ok(Some(c.into())),
            None => Err(format!("an end of the range of `{name}` is not a 64-bit integer: {n}")),
        },
        Value::String(s) => match expr::parse(s) {
            Ok(e) => Ok(Some(e.into_expr())),
            Err(e) => Err(format!("an end of the range of `{name}`: {e}")),
        },
        _ => Err(format!("an end of the range of `{name}` is neither an integer, an expression nor null")),
    }
}

/// A question of a corpus.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Case {
    /// The line's number, from 1.
    pub line: usize,
    /// Its `id`, or its number where there is none.
    pub id: String,
    /// The expression.
    pub expr: Expr,
    /// What is known of its variables.
    pub domain: Domain,
    /// The expression as it stands in the file.
    pub text: String,
    /// The ranges, for people.
    pub ranges: String,
}

impl Case {
    /// The case as one that has no answer.
    pub fn refused(&self, corpus: &Corpus, why: &str) -> BadLine {
        BadLine { corpus: corpus.name.clone(), line: self.line, why: why.into() }
    }
}

/// A line without a question, or whose question has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadLine {
    /// The corpus.
    pub corpus: String,
    /// The line's number, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

/// A file of questions. A line that cannot be read costs only itself.
///
/// ```
/// use quaff::experiment::Corpus;
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
}

impl Corpus {
    /// Reads lines; empty ones are passed over.
    pub fn parse(name: &str, bytes: &[u8]) -> Corpus {
        let mut hasher = DefaultHasher::new();
        bytes.hash(&mut hasher);
        let (mut cases, mut bad) = (Vec::new(), Vec::new());
        for (i, bytes) in bytes.split(|b| *b == b'\n').enumerate().filter(|(_, l)| !l.trim_ascii().is_empty()) {
            let line = i + 1;
            let read = Line::read(bytes).and_then(|l| l.question().map(|q| (l, q)));
            match read {
                Ok((read, (expr, domain))) => {
                    let id = match &read.id {
                        Value::Null => line.to_string(),
                        Value::String(s) => s.clone(),
                        other => other.to_string(),
                    };
                    let (text, ranges) = read.shown();
                    cases.push(Case { line, id, expr, domain, text, ranges });
                }
                Err(why) => bad.push(BadLine { corpus: name.into(), line, why }),
            }
        }
        Corpus { name: name.into(), key: format!("{:016x}", hasher.finish()), cases, bad }
    }

    /// Reads a file, or all `*.jsonl` files of a folder in order of their names. A corpus is called as its file without
    /// the ending.
    ///
    /// # Errors
    /// When a file or folder cannot be read, or a folder holds no such file.
    pub fn load(path: &Path) -> io::Result<Vec<Corpus>> {
        let paths = if path.is_dir() { files_of(path)? } else { vec![path.to_path_buf()] };
        let read = |p: &PathBuf| {
            let name = p.file_stem().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
            Ok(Corpus::parse(&name, &std::fs::read(p)?))
        };
        paths.iter().map(read).collect()
    }

    /// What the corpus is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A hash of its text.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The questions.
    pub fn cases(&self) -> &[Case] {
        &self.cases
    }

    /// The lines that are none.
    pub fn bad(&self) -> &[BadLine] {
        &self.bad
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
