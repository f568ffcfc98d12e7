//! A source file on the page: its language, the facts about its kernels, and the integers that its kernels compute.

use crate::input::Input;
use crate::problem::{Field, Problem};
use crate::request::State;
use quaff::cost::Cost;
use quaff_dialects::Dialect;
use quaff_rewrite::{Language, Left, Options, Report, Rewritten, Value, rewrite, values};

/// The language of a source file: the language of `from`, or else the language that its text suggests.
pub(crate) fn language_of(from: Dialect, text: &str) -> Language {
    match from {
        Dialect::Triton | Dialect::Python => Language::Triton,
        Dialect::C => Language::C,
        Dialect::Cuda => Language::Cuda,
        _ if text.contains("__global__") => Language::Cuda,
        _ if text.contains("def ") => Language::Triton,
        _ => Language::C,
    }
}

/// The facts that the page gives about the kernels of a source file, as options of the rewriter.
pub(crate) fn options(state: &State) -> Result<Options, Vec<Problem>> {
    let mut options = Options::default();
    for (line, text) in state.vars.iter().enumerate() {
        let Some((name, range)) = text.split_once('=') else { continue };
        let note = format!("{} in {}", name.trim(), range.trim());
        options = options.note(&note).map_err(|e| vec![Problem::new(Field { name: "vars", line, text }, e)])?;
    }
    for (line, text) in state.assume.iter().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        options = options.note(text).map_err(|e| vec![Problem::new(Field { name: "assume", line, text }, e)])?;
    }
    Ok(options)
}

/// The byte at which a line begins. Lines are counted from 1.
fn line_start(text: &str, line: usize) -> usize {
    let ends = text.match_indices('\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).nth(line.saturating_sub(1)).unwrap_or(0)
}

impl Input<'_> {
    /// The values that the kernels of the source file compute. They are computed once.
    pub(crate) fn values(&self) -> &Result<Vec<Value>, Vec<Problem>> {
        self.values.get_or_init(|| self.values_of(&self.state.text))
    }

    /// The values of `text`, which is the source file or its rewritten form.
    pub(crate) fn values_of(&self, text: &str) -> Result<Vec<Value>, Vec<Problem>> {
        let language = language_of(self.from, &self.state.text);
        let found = values(text, language, &options(self.state)?, &self.simplifier());
        found.map_err(|e| vec![Problem::of(&e, Field::new("text", text))])
    }

    /// The rewritten form of the source file. It is computed once.
    pub(crate) fn rewritten(&self) -> &Result<Rewritten, Vec<Problem>> {
        self.rewritten.get_or_init(|| {
            let text = &self.state.text;
            let found = rewrite(text, language_of(self.from, text), &options(self.state)?, &self.simplifier());
            found.map_err(|e| vec![Problem::of(&e, Field::new("text", text))])
        })
    }

    /// Warnings about places, such as syntax errors, because of which whole kernels stay as written. The list is empty
    /// until the file is rewritten.
    pub(crate) fn unread(&self) -> Vec<Problem> {
        let Some(Ok(found)) = self.rewritten.get() else { return Vec::new() };
        let is_unread = |k: &&Report| k.changes.is_empty() && k.before == Cost::ZERO;
        let field = Field::new("text", &self.state.text);
        let warning = |left: &Left| {
            let line = line_start(field.text, left.line);
            let begin = line + field.text[line..].find(&left.text).unwrap_or(0);
            Problem::new(field, format!("line {}: {}", left.line, left.reason))
                .at(field, begin..begin + left.text.len())
                .warning()
        };
        found.kernels.iter().filter(is_unread).flat_map(|k| &k.left).map(warning).collect()
    }
}
