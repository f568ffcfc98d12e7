//! The program in a TOML file of `quaff dims`: its sizes, and its kernel with indices.

use crate::dims_error::{FileError, What, builtin, parameter, syntax, unknown};
use crate::dims_read::{
    Answer, Why, buffer_entry, dim_named, element, expression, expression_at, interval, quoted, range, value_entry,
};
use crate::dims_record::Recording;
use crate::dims_text::{File, RunTimeEntry, Source, Text, Value, table};
use quaff::Simplifier;
use quaff::expr::{Expr, Op, int};
use quaff_dialects::Dialect;
use quaff_fronts::dims::{Dim, Dims, Indices, IntoSide, Scope, Term, affine_terms};
use quaff_fronts::kernel::{Buffer, Kernel, KernelError, KernelText};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;

/// The source of a size.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Given {
    Stated,
    Solved,
    RunTime { low: i64, high: i64, step: i64 },
}

/// A dimension with its size.
pub(crate) struct Sized {
    pub(crate) name: String,
    pub(crate) size: Expr,
    pub(crate) given: Given,
}

/// A program that was read from a file.
pub(crate) struct Program {
    file: File,
    text: String,
    from: Dialect,
    ix: Indices,
    scopes: HashMap<String, Scope>,
    /// The place of each equation.
    equations: Vec<Range<usize>>,
    pub(crate) sizes: Vec<Sized>,
}

fn is_word(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The state of reading the dimensions and equations of a file.
struct Reader<'a> {
    file: &'a File,
    source: Source<'a>,
    dims: Dims,
    names: Vec<(String, Dim, Given)>,
    known: HashMap<String, Dim>,
    /// The place of each equation.
    equations: Vec<Range<usize>>,
}

impl Reader<'_> {
    fn add(&mut self, name: &str, dim: Dim, given: Given) {
        self.names.push((name.into(), dim, given));
        self.known.insert(name.into(), dim);
    }

    fn size(&mut self, name: &Text, value: &Value) -> Result<(), FileError> {
        let expected = "a size is an integer, or `{ range = \"8..4096\", step = 8 }` where it is known at run time";
        let name = name.get_ref();
        if let Some(size) = value.get_ref().as_integer() {
            let dim = self.dims.dim(name, size)?;
            self.add(name, dim, Given::Stated);
            return Ok(());
        }
        let entry: RunTimeEntry = table(value).map_err(|_| syntax(name, expected))?;
        let ends = interval(&entry.range)?;
        let Some((low, high)) = ends.filter(|_| !entry.range.contains("step")) else {
            return Err(syntax(&entry.range, "a range of sizes such as `8..4096`, both ends inclusive"));
        };
        let dim = self.dims.run_time(name, low..=high, entry.step)?;
        self.add(name, dim, Given::RunTime { low, high, step: entry.step });
        Ok(())
    }

    /// The dimension called `name`. A new dimension is added if no dimension has this name.
    fn dim(&mut self, name: &str) -> Result<Dim, FileError> {
        if let Some(dim) = self.known.get(name) {
            return Ok(*dim);
        }
        let dim = self.dims.dim(name, None)?;
        self.add(name, dim, Given::Solved);
        Ok(dim)
    }

    fn side(&mut self, text: &str, equation: &str) -> Result<Vec<Term>, FileError> {
        let mut terms = vec![];
        for term in text.split('*').map(str::trim) {
            if let Ok(stride) = term.parse::<i64>() {
                terms.push(Term::Int(stride));
            } else if is_word(term) {
                terms.push(Term::Dim(self.dim(term)?));
            } else {
                return Err(syntax(equation, "an equation is products of names and integers: `n = blocks * 4`"));
            }
        }
        Ok(terms)
    }

    /// Reads an equation such as `ih = oh*2 + y - 1`. A name in it is a declared value if there is one, and otherwise a
    /// dimension.
    fn sum(&mut self, scope: Scope, equation: &Text) -> Result<(), FileError> {
        let text = equation.get_ref();
        let expected = "an equation with a sum has one dimension on the left: `ih = oh*2 + y - 1`";
        let (left, _) = text.split_once('=').ok_or_else(|| syntax(text, expected))?;
        if !is_word(left.trim()) {
            return Err(syntax(text, expected));
        }
        let right = expression(self.source, equation, left.len() + 1)?;
        let left = self.dim(left.trim())?;
        let file = self.file;
        let is_value = |name: &str| file.values.iter().any(|(value, _)| value.get_ref() == name);
        for name in right.variables().iter().filter(|name| !is_value(name)) {
            self.dim(name)?;
        }
        let (terms, constant) = affine_terms(&right, |name| self.known.get(name).copied())?;
        self.dims.scope(scope)?.affine(left, terms, constant)?;
        self.equations.push(equation.span());
        Ok(())
    }

    fn state(&mut self, scope: Scope, equation: &Text) -> Result<(), FileError> {
        let text = equation.get_ref();
        if text.contains("==") {
            return Err(syntax(text, "an equation has one `=`"));
        }
        if text.contains(['+', '-']) {
            return match text.contains("<=") {
                true => Err(syntax(text, "`<=` is between products; a sum has `=`: `ih = oh*2 + y - 1`")),
                false => self.sum(scope, equation),
            };
        }
        let (sides, covers) = match text.split_once("<=") {
            Some(sides) => (Some(sides), true),
            None => (text.split_once('='), false),
        };
        let (left, right) = sides.ok_or_else(|| syntax(text, "an equation has a `=`, or a `<=`"))?;
        let (left, right) = (self.side(left, text)?.into_side(), self.side(right, text)?.into_side());
        let mut dims = self.dims.scope(scope)?;
        if covers {
            dims.covered(left, right)?
        } else {
            dims.eq(left, right)?
        };
        self.equations.push(equation.span());
        Ok(())
    }

    fn scopes(&mut self) -> Result<HashMap<String, Scope>, FileError> {
        let file = self.file;
        let mut scopes: HashMap<String, Scope> = HashMap::new();
        let mut children: HashMap<&str, Vec<&str>> = HashMap::new();
        let mut ready: BTreeSet<&str> = BTreeSet::new();
        for (name, entry) in &file.scopes {
            match &entry.parent {
                Some(parent) => children.entry(parent.get_ref()).or_default().push(name),
                None => drop(ready.insert(name)),
            }
        }
        while let Some(name) = ready.pop_first() {
            let entry = &file.scopes[name];
            let parent = entry.parent.as_ref().map_or(self.dims.root(), |p| scopes[p.get_ref()]);
            let scope = self.dims.scope(parent)?.new_scope(name)?;
            for equation in &entry.equations {
                self.state(scope, equation).map_err(|e| e.at(equation.span()))?;
            }
            scopes.insert(name.to_string(), scope);
            ready.extend(children.remove(name).into_iter().flatten());
        }
        let missing = file.scopes.iter().find(|(name, _)| !scopes.contains_key(*name));
        if let Some(parent) = missing.and_then(|(_, entry)| entry.parent.as_ref()) {
            let known = scopes.keys().map(String::as_str);
            return Err(unknown("scope that can be a parent,", parent.get_ref(), known).at(parent.span()));
        }
        Ok(scopes)
    }
}

impl Program {
    /// Reads a file and solves its sizes. `from` is the language of its expressions if the file names none.
    pub(crate) fn read(text: &str, from: Dialect) -> Result<Program, FileError> {
        let file: File = toml::from_str(text).map_err(|e| {
            let error = FileError::from(What::Toml(e.message().to_string()));
            e.span().map_or_else(|| What::Toml(e.to_string().trim_end().to_string()).into(), |span| error.at(span))
        })?;
        let named = file.from.as_ref();
        let named =
            named.map(|name| name.get_ref().parse().map_err(|e| FileError::from(What::Dialect(e)).at(name.span())));
        let from = named.unwrap_or(Ok(from))?;
        Program::solve(file, Source { text, from })
    }

    fn solve(file: File, source: Source<'_>) -> Result<Program, FileError> {
        let (names, known, equations) = (vec![], HashMap::new(), vec![]);
        let mut reader = Reader { file: &file, source, dims: Dims::new(), names, known, equations };
        for (name, value) in file.sizes.iter() {
            reader.size(name, value).map_err(|e| e.named(&file).at(value.span()))?;
        }
        for condition in &file.assume {
            let parsed = expression(source, condition, 0)?;
            reader.dims.assume(parsed).map_err(|e| FileError::from(e).at(condition.span()).named(&file))?;
        }
        let root = reader.dims.root();
        for equation in &file.equations {
            reader.state(root, equation).map_err(|e| e.named(&file).at(equation.span()))?;
        }
        let scopes = reader.scopes().map_err(|e| e.named(&file))?;
        let ix = reader.dims.init().map_err(|e| FileError::from(e).at_equations(&reader.equations))?;
        let Reader { names, equations, .. } = reader;
        let mut sizes = vec![];
        for (name, dim, given) in names {
            sizes.push(Sized { name, size: ix.size_expr(dim)?, given });
        }
        let Source { text, from } = source;
        Ok(Program { file, text: text.into(), from, ix, scopes, equations, sizes })
    }

    fn source(&self) -> Source<'_> {
        Source { text: &self.text, from: self.from }
    }

    /// Checks that there is a dimension called `name`.
    pub(crate) fn check_dim(&self, name: &str) -> Result<(), FileError> {
        dim_named(&self.ix, name).map(|_| ())
    }

    /// Builds the indices, simplifies the requested indices, and explains the dimension `why`.
    pub(crate) fn answer(
        &self,
        why: Option<&str>,
        simplifier: Simplifier,
    ) -> Result<(KernelText, Vec<Answer>, Vec<Why>), FileError> {
        self.answered(why, simplifier).map_err(|e| e.named(&self.file).at_equations(&self.equations))
    }

    fn answered(
        &self,
        why: Option<&str>,
        simplifier: Simplifier,
    ) -> Result<(KernelText, Vec<Answer>, Vec<Why>), FileError> {
        let mut kernel = Kernel::new(self.file.name(), self.ix.clone()).with_simplifier(simplifier);
        let buffers = self.parameters(&mut kernel)?;
        let mut recording = Recording::new(&self.file, self.source(), &self.scopes, buffers, why);
        let mut failure = None;
        let recorded = kernel.body(|b| {
            recording.record(b).map_err(|e| {
                failure = Some(e);
                KernelError::Placeholder { placeholder: String::new(), text: String::new() }
            })
        });
        match failure {
            Some(failure) => return Err(failure),
            None => recorded?,
        }
        let (asked, whys) = recording.results();
        let text = kernel.emit()?;
        let mut answers = vec![];
        let mut indices = text.indices.iter();
        for asked in asked {
            if let Some(index) = indices.find(|i| *i.name == *asked.name && i.raw == asked.raw) {
                answers.push(Answer { simplified: index.simplified.clone(), ..asked });
            }
        }
        Ok((text, answers, whys))
    }

    /// Adds the parameters: values without code, and undeclared variables that are set as indices. Returns the buffers
    /// that are parameters.
    fn parameters(&self, kernel: &mut Kernel) -> Result<HashMap<String, Buffer>, FileError> {
        for text in &self.file.parameters {
            let (ty, name) = parameter(text.get_ref());
            kernel.parameter(ty, name).map_err(|e| FileError::from(e).named(&self.file).at(text.span()))?;
        }
        let mut buffers = HashMap::new();
        for (name, value) in self.file.buffers.iter() {
            let made = parameter_buffer(kernel, name.get_ref(), value);
            let made = made.map_err(|e| e.named(&self.file).at(value.span()))?;
            buffers.extend(made.map(|buffer| (name.get_ref().clone(), buffer)));
        }
        for (name, value) in self.file.values.iter().filter(|(name, _)| builtin(name.get_ref()).is_none()) {
            let entry = value_entry(name.get_ref(), value)?;
            if entry.code.is_none() {
                let range = range(&entry.range).map_err(|e| e.at(value.span()))?;
                kernel.scalar(name.get_ref(), range).map_err(|e| FileError::from(e).named(&self.file))?;
            }
        }
        let run_time = self.sizes.iter().filter(|s| matches!(s.given, Given::RunTime { .. })).map(|s| &*s.name);
        let values = self.file.values.iter().map(|(name, _)| name.get_ref().as_str());
        let declared: HashSet<&str> = run_time.chain(values).collect();
        for (dim, value) in self.file.set.iter() {
            let text = quoted(dim, value)?;
            if builtin(text).is_none()
                && let Op::Var(name) = expression_at(self.source(), value, text)?.op()
                && !declared.contains(&**name)
            {
                let place = |e: FileError| e.named(&self.file).at(dim.span());
                let size = self.ix.size_expr(dim_named(&self.ix, dim.get_ref()).map_err(place)?)?;
                kernel.scalar(name, int(0)..size).map_err(|e| place(e.into()))?;
            }
        }
        Ok(buffers)
    }
}

/// The buffer, if it is a parameter. `None` for an array of the kernel.
fn parameter_buffer(kernel: &mut Kernel, name: &str, value: &Value) -> Result<Option<Buffer>, FileError> {
    let entry = buffer_entry(name, value)?;
    if entry.shared.is_some() || entry.registers.is_some() {
        return Ok(None);
    }
    let (element, is_const) = element(&entry.ty)?;
    let buffer = if is_const { kernel.input(name, element)? } else { kernel.output(name, element)? };
    Ok(Some(buffer.aligned(entry.align.unwrap_or(1))))
}
