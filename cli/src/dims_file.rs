//! The text form of dims: a TOML file, and the program it stands for.

use quaff::dims::{Dim, Dims, DimsError, ErrorKind, Indices, IntoSide, Scope, Term, Unroll};
use quaff::domain::{Bounds, Domain, DomainError};
use quaff::expr::{Expr, Op, parse};
use quaff::kernel::{Block, Kernel, KernelError, KernelText, Recorded};
use serde::Deserialize;
use std::collections::{BTreeMap, HashMap};

/// What is wrong with a file, beyond what the library says.
#[derive(Debug, thiserror::Error, miette::Diagnostic)]
pub(crate) enum FileError {
    #[error("{0}")]
    #[diagnostic(code(dims::file))]
    Toml(String),
    #[error("`{text}`: {expected}")]
    #[diagnostic(code(dims::file))]
    Syntax { text: String, expected: &'static str },
    #[error("there is no {what} `{name}`")]
    #[diagnostic(code(dims::file))]
    Unknown { what: &'static str, name: String },
    #[error(transparent)]
    #[diagnostic(transparent)]
    Kernel(#[from] KernelError),
    #[error("{error}{}", places.iter().map(|p| format!("\n  in {p}")).collect::<String>())]
    #[diagnostic(forward(error))]
    Name { error: KernelError, places: Vec<String> },
}

impl From<DimsError> for FileError {
    fn from(e: DimsError) -> FileError {
        FileError::Kernel(e.into())
    }
}

impl FileError {
    /// With the places of the file that have the name, if it is about one.
    fn placed(self, file: &File) -> FileError {
        let places = match &self {
            FileError::Kernel(KernelError::Name { name, .. }) => kernel_names(file, name),
            FileError::Kernel(KernelError::Dims(e)) => match e.kind() {
                ErrorKind::BadName { what: "dimension", name, .. } => dimensions(file, name),
                ErrorKind::BadName { name, .. } | ErrorKind::NameTaken { name } => kernel_names(file, name),
                _ => vec![],
            },
            _ => vec![],
        };
        match self {
            FileError::Kernel(error) if !places.is_empty() => FileError::Name { error, places },
            other => other,
        }
    }
}

/// Places that a message lists at the most.
const PLACES: usize = 4;

/// Where dimensions are named so.
fn dimensions(file: &File, name: &str) -> Vec<String> {
    let sizes = file.sizes.keys().filter(|n| *n == name).map(|n| format!("`[sizes]`: `{}`", n.escape_debug()));
    let scoped = file.scopes.values().flat_map(|s| &s.equations);
    let mentions = |e: &&String| e.split(['*', '=']).any(|term| term.trim() == name);
    let equations = file.equations.iter().chain(scoped).filter(mentions);
    sizes.chain(equations.map(|e| format!("`equations`: `{}`", e.escape_debug()))).take(PLACES).collect()
}

/// Where something in the kernel is named so.
fn kernel_names(file: &File, name: &str) -> Vec<String> {
    let mut places = vec![];
    if file.name == name {
        places.push(format!("`name`: `{}`", name.escape_debug()));
    }
    let mut list = |section: &str, entry: &str, own: &str| {
        if own == name && places.len() < PLACES {
            places.push(format!("{section}: `{}`", entry.escape_debug()));
        }
    };
    file.parameters.iter().for_each(|p| list("`parameters`", p, parameter(p).1));
    file.values.keys().for_each(|n| list("`[values]`", n, n));
    for (dim, value) in &file.set {
        let value = value.as_str().unwrap_or_default();
        let short = builtin(value).unwrap_or_else(|| value.trim().to_string());
        list("`[set]`", &format!("{dim} = {value}"), &short);
    }
    for (number, want) in file.want.iter().enumerate() {
        let section = |key: &str| format!("`{key}` of `[[want]]` {}", number + 1);
        for step in &want.enter {
            if let ["loop", _, "as", variable, ..] = step.split_whitespace().collect::<Vec<_>>()[..] {
                list(&section("enter"), step, variable);
            }
        }
        want.get.iter().for_each(|get| list(&section("get"), get, wanted(get).0));
    }
    places
}

fn syntax(text: &str, expected: &'static str) -> FileError {
    FileError::Syntax { text: text.into(), expected }
}

/// The file as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct File {
    #[serde(default = "unnamed")]
    name: String,
    #[serde(default)]
    equations: Vec<String>,
    #[serde(default)]
    sizes: toml::Table,
    #[serde(default)]
    scopes: BTreeMap<String, ScopeEntry>,
    #[serde(default)]
    parameters: Vec<String>,
    #[serde(default)]
    values: toml::Table,
    #[serde(default)]
    set: toml::Table,
    #[serde(default)]
    want: Vec<Want>,
}

fn unnamed() -> String {
    "kernel".into()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ScopeEntry {
    parent: Option<String>,
    #[serde(default)]
    equations: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ValueEntry {
    range: String,
    code: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Want {
    #[serde(default)]
    enter: Vec<String>,
    #[serde(default)]
    get: Vec<String>,
    #[serde(default)]
    code: String,
}

/// An index that was asked for.
pub(crate) struct Answer {
    /// What was entered before.
    pub(crate) place: String,
    pub(crate) name: String,
    pub(crate) raw: Expr,
    pub(crate) simplified: Expr,
}

/// What one dimension knows of its index somewhere.
pub(crate) struct Why {
    pub(crate) place: String,
    pub(crate) text: String,
}

/// A program that was read.
pub(crate) struct Program {
    file: File,
    ix: Indices,
    scopes: HashMap<String, Scope>,
    /// Name, size, whether it was solved.
    pub(crate) sizes: Vec<(String, i64, bool)>,
}

/// The indices, the scopes by name, and the sizes with whether each was solved.
type Solved = (Indices, HashMap<String, Scope>, Vec<(String, i64, bool)>);

impl Program {
    /// Reads a file and solves its sizes.
    pub(crate) fn read(text: &str) -> Result<Program, FileError> {
        let file: File = toml::from_str(text).map_err(|e| FileError::Toml(e.to_string().trim_end().to_string()))?;
        let (ix, scopes, sizes) = Program::solve(&file).map_err(|e| e.placed(&file))?;
        Ok(Program { file, ix, scopes, sizes })
    }

    fn solve(file: &File) -> Result<Solved, FileError> {
        let mut dims = Dims::new();
        let mut names: Vec<(String, Dim, bool)> = vec![];
        let mut known: HashMap<String, Dim> = HashMap::new();
        for (name, size) in &file.sizes {
            let size = size.as_integer().ok_or_else(|| syntax(name, "a size is an integer"))?;
            let dim = dims.dim(name, size)?;
            names.push((name.clone(), dim, false));
            known.insert(name.clone(), dim);
        }
        let mut side = |dims: &mut Dims, text: &str, equation: &str| -> Result<Vec<Term>, FileError> {
            let mut terms = vec![];
            for term in text.split('*').map(str::trim) {
                if let Ok(stride) = term.parse::<i64>() {
                    terms.push(Term::Int(stride));
                } else if let Some(dim) = known.get(term) {
                    terms.push(Term::Dim(*dim));
                } else if !term.is_empty() && term.chars().all(|c| c.is_alphanumeric() || c == '_') {
                    let dim = dims.dim(term, None)?;
                    names.push((term.to_string(), dim, true));
                    known.insert(term.to_string(), dim);
                    terms.push(Term::Dim(dim));
                } else {
                    return Err(syntax(equation, "an equation is products of names and integers: `n = blocks * 4`"));
                }
            }
            Ok(terms)
        };
        let mut state = |dims: &mut Dims, equation: &str| -> Result<(), FileError> {
            let (left, right) = equation.split_once('=').ok_or_else(|| syntax(equation, "an equation has a `=`"))?;
            let (left, right) = (side(dims, left, equation)?, side(dims, right, equation)?);
            dims.eq(left.into_side(), right.into_side())?;
            Ok(())
        };
        for equation in &file.equations {
            state(&mut dims, equation)?;
        }
        let mut scopes: HashMap<String, Scope> = HashMap::new();
        while scopes.len() < file.scopes.len() {
            let ready = file.scopes.iter().filter(|(name, _)| !scopes.contains_key(*name));
            let mut ready = ready.filter(|(_, s)| s.parent.as_ref().is_none_or(|p| scopes.contains_key(p)));
            let Some((name, entry)) = ready.next() else {
                let missing = file.scopes.iter().find(|(name, _)| !scopes.contains_key(*name));
                let name = missing.and_then(|(_, s)| s.parent.clone()).unwrap_or_default();
                return Err(FileError::Unknown { what: "scope that can be a parent,", name });
            };
            let parent = entry.parent.as_ref().map_or(dims.root(), |p| scopes[p]);
            let mut outer = dims.scope(parent)?;
            let scope = outer.new_scope(name)?;
            let mut inner = outer.scope(scope)?;
            for equation in &entry.equations {
                state(&mut inner, equation)?;
            }
            drop(inner);
            drop(outer);
            scopes.insert(name.clone(), scope);
        }
        let ix = dims.init()?;
        let sizes = names.into_iter().map(|(name, dim, solved)| Ok((name, ix.size(dim)?, solved)));
        let sizes = sizes.collect::<Result<_, DimsError>>()?;
        Ok((ix, scopes, sizes))
    }

    fn dim(&self, name: &str) -> Result<Dim, FileError> {
        let unknown = || FileError::Unknown { what: "dimension", name: name.into() };
        self.ix.dim_named(name).ok_or_else(unknown)
    }

    /// Whether there is a dimension of that name.
    pub(crate) fn check_dim(&self, name: &str) -> Result<(), FileError> {
        self.dim(name).map(|_| ())
    }

    /// Follows the indices, answers what is wanted, and explains the dimension `why`.
    pub(crate) fn answer(&self, why: Option<&str>) -> Result<(KernelText, Vec<Answer>, Vec<Why>), FileError> {
        self.answered(why).map_err(|e| e.placed(&self.file))
    }

    fn answered(&self, why: Option<&str>) -> Result<(KernelText, Vec<Answer>, Vec<Why>), FileError> {
        let mut kernel = Kernel::new(&self.file.name, self.ix.clone());
        let mut whys = vec![];
        let mut asked: Vec<(String, String, Expr)> = vec![];
        self.parameters(&mut kernel)?;
        let mut failure = None;
        let recorded = kernel.body(|b| {
            let result = self.record(b, why, &mut whys, &mut asked);
            result.map_err(|e| match e {
                FileError::Kernel(e) => e,
                other => {
                    let place = KernelError::Placeholder { placeholder: String::new(), text: String::new() };
                    failure = Some(other);
                    place
                }
            })
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        recorded?;
        let text = kernel.emit()?;
        let mut answers = vec![];
        let mut indices = text.indices.iter();
        for (place, name, raw) in asked {
            if let Some(index) = indices.find(|i| *i.name == *name && i.raw == raw) {
                let simplified = index.simplified.clone();
                answers.push(Answer { place, name, raw, simplified });
            }
        }
        Ok((text, answers, whys))
    }

    /// Values without code are parameters; so are the variables that dimensions are set to without further ado.
    fn parameters(&self, kernel: &mut Kernel) -> Result<(), FileError> {
        for text in &self.file.parameters {
            let (ty, name) = parameter(text);
            kernel.parameter(ty, name)?;
        }
        for (name, entry) in &self.file.values {
            let entry = value_entry(name, entry)?;
            if entry.code.is_none() {
                kernel.scalar(name, range(&entry.range)?)?;
            }
        }
        for (dim, value) in &self.file.set {
            let value = text(dim, value)?;
            if builtin(value).is_none()
                && let Op::Var(name) = expression(value)?.op()
                && !self.file.values.contains_key(&**name)
            {
                kernel.scalar(name, 0..self.ix.size(self.dim(dim)?)?)?;
            }
        }
        Ok(())
    }

    fn record(
        &self,
        b: &mut Block<'_>,
        why: Option<&str>,
        whys: &mut Vec<Why>,
        asked: &mut Vec<(String, String, Expr)>,
    ) -> Result<(), FileError> {
        for (name, entry) in &self.file.values {
            let entry = value_entry(name, entry)?;
            if let Some(code) = &entry.code {
                b.value(name, code, range(&entry.range)?)?;
            }
        }
        for (dim, value) in &self.file.set {
            let (d, value) = (self.dim(dim)?, text(dim, value)?);
            match builtin(value) {
                Some(name) => drop(b.bind(d, &name, value.trim())?),
                None => b.set(d, expression(value)?)?,
            }
        }
        if let Some(why) = why
            && self.file.want.is_empty()
        {
            whys.push(Why { place: "root".into(), text: self.explain(b, why)? });
        }
        for want in &self.file.want {
            let steps = want.enter.iter().map(|s| self.step(s)).collect::<Result<Vec<_>, _>>()?;
            let gets = want.get.iter().map(|g| self.get(g)).collect::<Result<Vec<_>, _>>()?;
            let place = if want.enter.is_empty() { "root".to_string() } else { want.enter.join(", ") };
            let mut leaf = |b: &mut Block<'_>| -> Recorded {
                if let Some(why) = why {
                    let text = self.explain(b, why).unwrap_or_else(|e| e.to_string());
                    whys.push(Why { place: place.clone(), text });
                    // an explanation is wanted exactly where the answer fails
                    let solved = gets.iter().all(|(_, d)| b.indices().is_solved(*d).unwrap_or(false));
                    if !solved {
                        return Ok(());
                    }
                }
                for (name, dim) in &gets {
                    b.index(name, *dim)?;
                    asked.push((place.clone(), name.clone(), b.indices().get_raw(*dim)?));
                }
                b.code(&want.code)
            };
            enter(b, &steps, &mut leaf)?;
        }
        Ok(())
    }

    /// `dim`, or `name = dim`.
    fn get(&self, text: &str) -> Result<(String, Dim), FileError> {
        let (name, dim) = wanted(text);
        Ok((name.into(), self.dim(dim)?))
    }

    fn explain(&self, b: &Block<'_>, name: &str) -> Result<String, FileError> {
        let (ix, dim) = (b.indices(), self.dim(name)?);
        match ix.why_solved(dim) {
            Ok(origin) => Ok(format!("{origin}; its index is `{}`", ix.get_raw(dim)?)),
            Err(e) => Ok(e.to_string()),
        }
    }

    fn step(&self, text: &str) -> Result<Step, FileError> {
        let words: Vec<&str> = text.split_whitespace().collect();
        match words[..] {
            ["scope", name] => {
                let unknown = || FileError::Unknown { what: "scope", name: name.into() };
                Ok(Step::Scope(*self.scopes.get(name).ok_or_else(unknown)?))
            }
            ["loop", dim, "as", variable] => Ok(Step::Loop(self.dim(dim)?, variable.into(), Unroll::Auto)),
            ["loop", dim, "as", variable, "unroll"] => Ok(Step::Loop(self.dim(dim)?, variable.into(), Unroll::Full)),
            ["loop", dim, "as", variable, "unroll", n] => {
                let n = n.parse().map_err(|_| syntax(text, "`unroll` takes a number"))?;
                Ok(Step::Loop(self.dim(dim)?, variable.into(), Unroll::By(n)))
            }
            ["vectorize", dim] => Ok(Step::Vectorize(self.dim(dim)?)),
            ["if", ..] => Ok(Step::If(expression(text.trim_start().trim_start_matches("if"))?)),
            ["set", dim, "=", ..] => {
                let (_, value) = text.split_once('=').unwrap_or_default();
                Ok(Step::Set(self.dim(dim)?, expression(value)?))
            }
            _ => Err(syntax(
                text,
                "one of `scope S`, `loop D as v`, `loop D as v unroll`, `vectorize D`, `set D = EXPR`, `if EXPR`",
            )),
        }
    }
}

/// Type and name of a parameter.
fn parameter(text: &str) -> (&str, &str) {
    let (ty, name) = text.split_at(text.rfind([' ', '*', '&']).map_or(0, |at| at + 1));
    (ty.trim(), name)
}

/// Name and dimension of `dim` or `name = dim`.
fn wanted(text: &str) -> (&str, &str) {
    text.split_once('=').map_or((text.trim(), text.trim()), |(n, d)| (n.trim(), d.trim()))
}

enum Step {
    Scope(Scope),
    Loop(Dim, String, Unroll),
    Vectorize(Dim),
    Set(Dim, Expr),
    If(Expr),
}

fn enter(b: &mut Block<'_>, steps: &[Step], leaf: &mut dyn FnMut(&mut Block<'_>) -> Recorded) -> Recorded {
    let Some((first, rest)) = steps.split_first() else { return b.frame(leaf) };
    match first {
        Step::Scope(scope) => b.scope(*scope, |b| enter(b, rest, leaf)),
        Step::Loop(dim, variable, unroll) => b.loop_over(*dim, variable, *unroll, |b| enter(b, rest, leaf)),
        Step::Vectorize(dim) => {
            let lanes = b.indices().size(*dim)?;
            b.vectorize(*dim, lanes, |b| enter(b, rest, leaf))
        }
        Step::Set(dim, value) => b.frame(|b| {
            b.set(*dim, value.clone())?;
            enter(b, rest, leaf)
        }),
        Step::If(condition) => b.guard(condition.clone(), |b| enter(b, rest, leaf)),
    }
}

fn value_entry(name: &str, value: &toml::Value) -> Result<ValueEntry, FileError> {
    if let Some(range) = value.as_str() {
        return Ok(ValueEntry { range: range.into(), code: None });
    }
    let expected = "a value is a range, or `{ range = \"0..63\", code = \"table[i]\" }`";
    value.clone().try_into().map_err(|_| syntax(name, expected))
}

fn range(text: &str) -> Result<Bounds, FileError> {
    let expected = "a range such as `0..63`, both ends inclusive";
    let mut domain = Domain::new();
    domain.declare(&format!("value = {text}")).map_err(|e| match e {
        DomainError::BadDeclaration { expected, .. } => syntax(text, expected),
        _ => syntax(text, expected),
    })?;
    let facts = domain.resolve().map_err(|_| syntax(text, expected))?;
    Ok(facts.first().map_or(Bounds::default(), |v| v.interval.into()))
}

fn text<'v>(name: &str, value: &'v toml::Value) -> Result<&'v str, FileError> {
    value.as_str().ok_or_else(|| syntax(name, "set it to an expression, in quotes"))
}

fn expression(text: &str) -> Result<Expr, FileError> {
    let parsed = parse(text.trim()).map_err(|_| syntax(text, "not an expression"))?;
    Ok(parsed.expr().clone())
}

/// A short name for `threadIdx.x` and its like: `tx`.
fn builtin(text: &str) -> Option<String> {
    let (base, axis) = text.trim().split_once('.')?;
    let letter = match base {
        "threadIdx" => "t",
        "blockIdx" => "b",
        _ => return None,
    };
    matches!(axis, "x" | "y" | "z").then(|| format!("{letter}{axis}"))
}
