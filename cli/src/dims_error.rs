//! Errors in a file of `quaff dims`, with their places.

use crate::dialect::nearest;
use crate::dims_text::{File, Source, Text, part_of};
use miette::{Diagnostic, LabeledSpan};
use quaff::SimplifyError;
use quaff_dialects::{Dialect, ReadError, UnknownDialect};
use quaff_fronts::dims::{DimsError, ErrorKind};
use quaff_fronts::kernel::KernelError;
use std::fmt::{self, Display};
use std::ops::Range;

/// An error in a file, or an error of the library.
#[derive(Debug, thiserror::Error, Diagnostic)]
pub(crate) enum What {
    #[error("{0}")]
    #[diagnostic(code(dims::file))]
    Toml(String),
    #[error("`{text}`: {expected}")]
    #[diagnostic(code(dims::file))]
    Syntax {
        text: String,
        expected: String,
        #[help]
        help: Option<String>,
    },
    #[error(transparent)]
    #[diagnostic(code(dims::file))]
    Dialect(UnknownDialect),
    #[error("there is no {what} `{name}`")]
    #[diagnostic(code(dims::file))]
    Unknown {
        what: &'static str,
        name: String,
        #[help]
        help: Option<String>,
    },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Kernel(#[from] KernelError),
    #[error("{error}{}", places.iter().map(|p| format!("\n  in {p}")).collect::<String>())]
    #[diagnostic(forward(error))]
    Name { error: KernelError, places: Vec<String> },
}

/// An error with its places in the file.
#[derive(Debug)]
pub(crate) struct FileError {
    what: Box<What>,
    places: Vec<Range<usize>>,
}

impl<E: Into<What>> From<E> for FileError {
    fn from(error: E) -> FileError {
        FileError { what: Box::new(error.into()), places: vec![] }
    }
}

impl From<DimsError> for FileError {
    fn from(error: DimsError) -> FileError {
        KernelError::from(error).into()
    }
}

impl Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.what, f)
    }
}

impl std::error::Error for FileError {}

impl Diagnostic for FileError {
    fn code<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.what.code()
    }

    fn help<'a>(&'a self) -> Option<Box<dyn Display + 'a>> {
        self.what.help()
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let labels = self.places.iter().map(|p| LabeledSpan::new(Some("here".into()), p.start, p.len()));
        (!self.places.is_empty()).then(|| Box::new(labels) as _)
    }
}

impl FileError {
    /// Adds a place, unless the error already has one.
    pub(crate) fn at(mut self, place: Range<usize>) -> FileError {
        if self.places.is_empty() {
            self.places.push(place);
        }
        self
    }

    /// The error of the library, if it says that an answer is wrong.
    pub(crate) fn wrong_answer(&self) -> Option<&SimplifyError> {
        let error = match &*self.what {
            What::Kernel(KernelError::Simplify(error)) => error,
            What::Kernel(KernelError::Dims(error)) => match error.kind() {
                ErrorKind::NotSimplified { reason, .. } => reason,
                _ => return None,
            },
            _ => return None,
        };
        matches!(error, SimplifyError::WrongAnswer(_)).then_some(error)
    }

    pub(crate) fn places(&self) -> &[Range<usize>] {
        &self.places
    }

    /// Adds the places of the equations that the error concerns. `places` holds the place of each equation.
    pub(crate) fn at_equations(mut self, places: &[Range<usize>]) -> FileError {
        if let What::Kernel(KernelError::Dims(error)) = &*self.what {
            let own = error.equations().into_iter().filter_map(|e| places.get(e.index()).cloned());
            self.places.extend(own);
            self.places.truncate(PLACES);
        }
        self
    }

    /// Adds the places of a name in the file, if the error is about a name.
    pub(crate) fn named(mut self, file: &File) -> FileError {
        let named = match &*self.what {
            What::Kernel(KernelError::Name { name, .. }) => kernel_names(file, name),
            What::Kernel(KernelError::Dims(e)) => match e.kind() {
                ErrorKind::BadName { what: "dimension" | "run-time size", name, .. } => dimensions(file, name),
                ErrorKind::BadName { name, .. } | ErrorKind::NameTaken { name } => kernel_names(file, name),
                ErrorKind::BadRange { name, .. } => dimensions(file, name),
                _ => vec![],
            },
            _ => vec![],
        };
        let (texts, places): (Vec<String>, Vec<Range<usize>>) = named.into_iter().take(PLACES).unzip();
        if let (What::Kernel(error), false) = (&*self.what, texts.is_empty()) {
            *self.what = What::Name { error: error.clone(), places: texts };
        }
        if self.places.is_empty() {
            self.places = places;
        }
        self
    }
}

/// The error for a text that does not have the `expected` form.
pub(crate) fn syntax(text: &str, expected: impl Into<String>) -> FileError {
    What::Syntax { text: text.into(), expected: expected.into(), help: None }.into()
}

/// The error for a `name` that is not in `known`, with the name that was probably meant.
pub(crate) fn unknown<'k>(what: &'static str, name: &str, known: impl Iterator<Item = &'k str>) -> FileError {
    let mut known: Vec<&str> = known.collect();
    known.sort_unstable();
    let help = nearest(name, &known).map(|near| format!("did you mean `{near}`?"));
    What::Unknown { what, name: name.into(), help }.into()
}

/// The error for the part of `text` from byte `start` on, which cannot be read as an expression.
pub(crate) fn unread(error: ReadError, source: Source<'_>, text: &Text, start: usize) -> FileError {
    let error = match source.from {
        Dialect::Infix => error.naming_dialect(|dialect| format!("from = \"{dialect}\"")),
        _ => error,
    };
    let inner = start + error.span().start..start + error.span().end;
    let expected = format!("not an expression: {error}");
    let help = error.help_text().map(String::from);
    let error = FileError::from(What::Syntax { text: text.get_ref().trim().into(), expected, help });
    error.at(part_of(source.text, text, inner))
}

/// The largest number of places in a message.
const PLACES: usize = 4;

/// All equations of the file. Equations of scopes come last.
fn equations(file: &File) -> impl Iterator<Item = &Text> {
    file.equations.iter().chain(file.scopes.values().flat_map(|s| &s.equations))
}

/// The places of dimensions called `name`.
fn dimensions(file: &File, name: &str) -> Vec<(String, Range<usize>)> {
    let sizes = file.sizes.iter().filter(|(n, _)| n.get_ref() == name);
    let sizes = sizes.map(|(n, _)| (format!("`[sizes]`: `{}`", n.get_ref().escape_debug()), n.span()));
    let mentions = |e: &&Text| e.get_ref().split(['*', '=', '<']).any(|term| term.trim() == name);
    let quoted = |e: &Text| (format!("`equations`: `{}`", e.get_ref().escape_debug()), e.span());
    sizes.chain(equations(file).filter(mentions).map(quoted)).collect()
}

/// The places in the kernel where `name` is declared.
fn kernel_names(file: &File, name: &str) -> Vec<(String, Range<usize>)> {
    let mut places = vec![];
    let mut list = |section: &str, entry: &str, own: &str, place: Range<usize>| {
        if own == name {
            places.push((format!("{section}: `{}`", entry.escape_debug()), place));
        }
    };
    if let Some(own) = &file.name {
        list("`name`", own.get_ref(), own.get_ref(), own.span());
    }
    file.parameters.iter().for_each(|p| list("`parameters`", p.get_ref(), parameter(p.get_ref()).1, p.span()));
    file.sizes.iter().filter(|(_, v)| v.get_ref().is_table()).for_each(|(n, _)| {
        list("`[sizes]`", n.get_ref(), n.get_ref(), n.span());
    });
    file.buffers.iter().for_each(|(n, _)| list("`[buffers]`", n.get_ref(), n.get_ref(), n.span()));
    file.values.iter().for_each(|(n, _)| list("`[values]`", n.get_ref(), n.get_ref(), n.span()));
    for (dim, value) in file.set.iter() {
        let text = value.get_ref().as_str().unwrap_or_default();
        let short = builtin(text).unwrap_or_else(|| text.trim().to_string());
        list("`[set]`", &format!("{} = {text}", dim.get_ref()), &short, value.span());
    }
    for (number, want) in file.want.iter().enumerate() {
        let section = |key: &str| format!("`{key}` of `[[want]]` {}", number + 1);
        for step in &want.enter {
            if let ["loop", _, "as", variable, ..] = step.get_ref().split_whitespace().collect::<Vec<_>>()[..] {
                list(&section("enter"), step.get_ref(), variable, step.span());
            }
        }
        want.get.iter().for_each(|get| list(&section("get"), get.get_ref(), wanted(get.get_ref()).0, get.span()));
    }
    places
}

/// The type and the name of a parameter.
pub(crate) fn parameter(text: &str) -> (&str, &str) {
    let (ty, name) = text.split_at(text.rfind([' ', '*', '&']).map_or(0, |at| at + 1));
    (ty.trim(), name)
}

/// The name and the dimension in `dim` or `name = dim`.
pub(crate) fn wanted(text: &str) -> (&str, &str) {
    text.split_once('=').map_or((text.trim(), text.trim()), |(n, d)| (n.trim(), d.trim()))
}

/// A short name such as `tx` for `threadIdx.x` and other built-in variables.
pub(crate) fn builtin(text: &str) -> Option<String> {
    let (base, axis) = text.trim().split_once('.')?;
    let short = match base {
        "threadIdx" => "t",
        "blockIdx" => "b",
        "blockDim" => "threads_",
        "gridDim" => "blocks_",
        _ => return None,
    };
    matches!(axis, "x" | "y" | "z").then(|| format!("{short}{axis}"))
}
