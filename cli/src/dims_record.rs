//! Records the kernel of a TOML file: its indices, blocks and copies.

use crate::dims_error::{FileError, builtin, syntax, unknown, wanted};
use crate::dims_read::{
    Answer, Why, buffer_entry, dim_named, element, expression, expression_at, limits, quoted, range, value_entry,
};
use crate::dims_text::{BufferEntry, File, Source, Text, TransferEntry, Value, ValueEntry, Want};
use quaff::domain::Bounds;
use quaff::expr::name::free;
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, int, var};
use quaff_dialects::IntegerType;
use quaff_fronts::dims::{Dim, Indices, Scope, Unroll};
use quaff_fronts::kernel::{Block, Buffer, Enter, Recorded, Transfer};
use std::cell::Cell;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// The state of recording a kernel from a file.
pub(crate) struct Recording<'f> {
    file: &'f File,
    source: Source<'f>,
    scopes: &'f HashMap<String, Scope>,
    buffers: HashMap<String, Buffer>,
    why: Option<&'f str>,
    whys: Vec<Why>,
    asked: Vec<Answer>,
    /// The names of the variables that hold `threadIdx.x` and other built-in variables.
    builtins: HashMap<String, String>,
    /// The ranges that the file gives for `threadIdx.x` and other built-in variables.
    builtin_ranges: HashMap<String, Bounds>,
    /// The place of the part of the file that is being recorded.
    here: Cell<(usize, usize)>,
}

enum Step {
    /// A block to enter, such as a loop. An expression in it may contain names of dimensions.
    Enter(Enter),
    /// A loop over all lanes of the dimension.
    Vectorize(Dim),
    Set(Dim, Expr),
    Assume(Expr),
}

/// A step with its place.
type Placed = (Step, Range<usize>);

/// A copy between buffers, with its place.
struct Copy {
    to: (Buffer, Dim),
    from: (Buffer, Dim),
    lanes: Option<Dim>,
    limits: Vec<(Dim, Expr)>,
    zero: bool,
    place: Range<usize>,
}

/// A value that a statement computes with code from the file, with its place.
struct Computed {
    name: String,
    code: String,
    range: Bounds,
    place: Range<usize>,
}

/// A `[[want]]` of the file after reading.
struct Leaf<'f> {
    place: String,
    copies: Vec<Copy>,
    gets: Vec<(String, Dim, Range<usize>)>,
    values: Vec<Computed>,
    sets: Vec<(Dim, Expr, Range<usize>)>,
    /// The statements within this statement, each with its steps.
    body: Vec<(Vec<Placed>, Leaf<'f>)>,
    want: &'f Want,
}

impl<'f> Recording<'f> {
    pub(crate) fn new(
        file: &'f File,
        source: Source<'f>,
        scopes: &'f HashMap<String, Scope>,
        buffers: HashMap<String, Buffer>,
        why: Option<&'f str>,
    ) -> Recording<'f> {
        let (builtins, builtin_ranges) = (HashMap::new(), HashMap::new());
        let (whys, asked, here) = (vec![], vec![], Cell::new((0, 0)));
        Recording { file, source, scopes, buffers, why, whys, asked, builtins, builtin_ranges, here }
    }

    /// The requested indices before simplification, and the explanations.
    pub(crate) fn results(self) -> (Vec<Answer>, Vec<Why>) {
        (self.asked, self.whys)
    }

    pub(crate) fn record(&mut self, b: &mut Block<'_>) -> Result<(), FileError> {
        for (name, value) in self.file.buffers.iter() {
            let array = self.array(b, name.get_ref(), &buffer_entry(name.get_ref(), value)?);
            let array = array.map_err(|e| e.named(self.file).at(value.span()))?;
            self.buffers.extend(array.map(|buffer| (name.get_ref().clone(), buffer)));
        }
        for (name, value) in self.file.values.iter() {
            let entry = value_entry(name.get_ref(), value)?;
            let range = range(&entry.range).map_err(|e| e.at(value.span()))?;
            if builtin(name.get_ref()).is_some() {
                if entry.code.is_some() {
                    return Err(syntax(name.get_ref(), "a range alone, as CUDA has its value").at(value.span()));
                }
                self.builtin_ranges.insert(name.get_ref().clone(), range);
            } else if let Some(code) = &entry.code {
                let made = b.value(name.get_ref(), code, range);
                made.map_err(|e| FileError::from(e).named(self.file).at(value.span()))?;
            }
        }
        self.set(b)?;
        if let Some(why) = self.why
            && self.file.want.is_empty()
        {
            let text = explain(b.indices(), why)?;
            self.whys.push(Why { place: "root".into(), text });
        }
        let wanted: Vec<(Vec<Placed>, Leaf<'f>)> =
            self.file.want.iter().map(|want| self.statement(b.indices(), want, None)).collect::<Result<_, _>>()?;
        // `threadIdx.x` and other built-in variables are visible everywhere
        for name in wanted.iter().flat_map(builtins_of) {
            self.builtin(b, &name)?;
        }
        for (steps, leaf) in wanted {
            let recorded = self.enter(b, &steps, &leaf);
            let (start, end) = self.here.get();
            recorded.map_err(|e| FileError::from(e).named(self.file).at(start..end))?;
        }
        Ok(())
    }

    /// Sets indices for the whole kernel. Indices that are `threadIdx.x` or another built-in variable come first,
    /// because expressions may contain them.
    fn set(&mut self, b: &mut Block<'_>) -> Result<(), FileError> {
        let is_plain =
            |(_, value): &(&Text, &Value)| value.get_ref().as_str().is_some_and(|text| builtin(text).is_some());
        let file = self.file;
        let (first, others): (Vec<_>, Vec<_>) = file.set.iter().partition(is_plain);
        for (dim, value) in first.into_iter().chain(others) {
            let d = dim_named(b.indices(), dim.get_ref()).map_err(|e| e.at(dim.span()))?;
            let text = quoted(dim, value)?;
            let set = match (builtin(text), self.builtins.contains_key(text.trim())) {
                // the variable has the range of the dimension
                (Some(short), false) => {
                    let name = self.free_name(b, &short);
                    self.builtins.insert(text.trim().into(), name.clone());
                    b.bind(d, &name, text.trim()).map(drop)
                }
                _ => {
                    let expr = expression_at(self.source, value, text)?;
                    self.with_indices(b, &expr).and_then(|expr| b.set(d, expr))
                }
            };
            set.map_err(|e| FileError::from(e).named(self.file).at(value.span()))?;
        }
        Ok(())
    }

    fn array(&self, b: &mut Block<'_>, name: &str, entry: &BufferEntry) -> Result<Option<Buffer>, FileError> {
        let (element, _) = element(&entry.ty)?;
        match (entry.shared, entry.registers) {
            (None, None) => Ok(None),
            (Some(length @ 1..), None) => Ok(Some(b.shared(name, element, length)?)),
            (None, Some(length @ 1..)) => Ok(Some(b.registers(name, element, length)?)),
            _ => Err(syntax(name, "either `shared` or `registers` elements, at least 1")),
        }
    }

    /// Reads a statement: the blocks to enter (steps), and the statement inside them. `around` is the place of the
    /// enclosing statement.
    fn statement(
        &self,
        ix: &Indices,
        want: &'f Want,
        around: Option<&str>,
    ) -> Result<(Vec<Placed>, Leaf<'f>), FileError> {
        let steps = want.enter.iter().map(|s| Ok((self.step(ix, s).map_err(|e| e.at(s.span()))?, s.span())));
        Ok((steps.collect::<Result<Vec<Placed>, FileError>>()?, self.leaf(ix, want, around)?))
    }

    fn leaf(&self, ix: &Indices, want: &'f Want, around: Option<&str>) -> Result<Leaf<'f>, FileError> {
        let entered: Vec<&str> = around.into_iter().chain(want.enter.iter().map(|s| s.get_ref().as_str())).collect();
        let inner = (!entered.is_empty()).then(|| entered.join(", "));
        let body = want.body.iter().map(|inside| self.statement(ix, inside, inner.as_deref()));
        let body = body.collect::<Result<Vec<_>, _>>()?;
        let place = inner.unwrap_or_else(|| "root".to_string());
        let mut values = vec![];
        for (name, value) in want.values.iter() {
            let ValueEntry { range: text, code } = value_entry(name.get_ref(), value)?;
            let no_code = || syntax(name.get_ref(), "`code`, as a value within statements is computed there");
            let code = code.ok_or_else(no_code).map_err(|e| e.at(value.span()))?;
            let range = range(&text).map_err(|e| e.at(value.span()))?;
            values.push(Computed { name: name.get_ref().clone(), code, range, place: value.span() });
        }
        let mut sets = vec![];
        for (dim, value) in want.set.iter() {
            let d = dim_named(ix, dim.get_ref()).map_err(|e| e.at(dim.span()))?;
            sets.push((d, expression_at(self.source, value, quoted(dim, value)?)?, value.span()));
        }
        let copies = want.transfer.iter().map(|t| self.copy(ix, t)).collect::<Result<_, _>>()?;
        let mut gets = vec![];
        for get in &want.get {
            let (name, dim) = wanted(get.get_ref());
            gets.push((name.to_string(), dim_named(ix, dim).map_err(|e| e.at(get.span()))?, get.span()));
        }
        Ok(Leaf { place, copies, gets, values, sets, body, want })
    }

    fn copy(&self, ix: &Indices, entry: &TransferEntry) -> Result<Copy, FileError> {
        let element = |text: &Text| {
            let expected = "an element of a buffer: `buffer[dimension]`";
            let parts = text.get_ref().trim().strip_suffix(']').and_then(|t| t.split_once('['));
            let (buffer, dim) = parts.ok_or_else(|| syntax(text.get_ref(), expected).at(text.span()))?;
            let found = self.buffers.get(buffer.trim()).cloned();
            let known = || self.buffers.keys().map(String::as_str);
            let buffer = found.ok_or_else(|| unknown("buffer", buffer.trim(), known()).at(text.span()))?;
            Ok::<_, FileError>((buffer, dim_named(ix, dim.trim()).map_err(|e| e.at(text.span()))?))
        };
        let lanes = entry.lanes.as_ref();
        let lanes = lanes.map(|l| dim_named(ix, l.get_ref().trim()).map_err(|e| e.at(l.span()))).transpose()?;
        Ok(Copy {
            to: element(&entry.to)?,
            from: element(&entry.from)?,
            lanes,
            limits: limits(ix, self.source, &entry.below)?,
            zero: entry.zero,
            place: entry.to.span().start..entry.from.span().end.max(entry.to.span().end),
        })
    }

    fn at(&self, place: &Range<usize>) {
        self.here.set((place.start, place.end));
    }

    /// Records a statement within the blocks of its steps.
    fn enter(&mut self, b: &mut Block<'_>, steps: &[Placed], leaf: &Leaf<'f>) -> Recorded {
        let mut open = vec![];
        for (step, place) in steps {
            self.at(place);
            let enter = match step {
                Step::Enter(Enter::If(condition)) => Enter::If(self.with_indices(b, condition)?),
                Step::Enter(enter) => enter.clone(),
                Step::Vectorize(dim) => Enter::Vector(*dim, b.indices().size(*dim)?),
                Step::Set(..) | Step::Assume(_) => Enter::Frame,
            };
            open.push(b.open(&enter)?);
            match step {
                Step::Set(dim, value) => {
                    let value = self.with_indices(b, value)?;
                    b.set(*dim, value)?;
                }
                Step::Assume(condition) => {
                    let condition = self.with_indices(b, condition)?;
                    b.assume(condition);
                }
                Step::Enter(_) | Step::Vectorize(_) => {}
            }
        }
        b.frame(|b| self.wanted(b, leaf))?;
        open.into_iter().rev().try_for_each(|opened| b.close(opened))
    }

    /// `e`, with the names of dimensions replaced by their indices. Built-in variables such as `threadIdx.x`, and loop
    /// variables, become variables. A declared variable takes precedence over a dimension with the same name.
    fn with_indices(&mut self, b: &mut Block<'_>, e: &Expr) -> Recorded<Expr> {
        let mut values: HashMap<Arc<str>, Expr> = HashMap::new();
        for name in e.variables() {
            let variable = b.variable(&name);
            if builtin(&name).is_some() {
                let variable = self.builtin(b, &name)?;
                values.insert(name, variable);
            } else if variable != var(name.clone()) {
                values.insert(name, variable);
            } else if !b.indices().facts().contains(&name)
                && let Some(dim) = b.indices().dim_named(&name)
            {
                values.insert(name, b.indices().get_raw(dim)?);
            }
        }
        let new = substituted_all(std::slice::from_ref(e), |name| values.get(name).cloned());
        Ok(new.into_iter().next().unwrap_or_else(|| e.clone()))
    }

    /// The variable that holds the built-in variable `text`, such as `threadIdx.x`. The file may give its range.
    /// Otherwise it has the range of the machine.
    fn builtin(&mut self, b: &mut Block<'_>, text: &str) -> Recorded<Expr> {
        let (known, short) = (self.builtins.get(text), builtin(text).unwrap_or_else(|| text.into()));
        if let Some(known) = known {
            return Ok(var(known.as_str()));
        }
        let given = self.builtin_ranges.get(text).cloned();
        let of_machine = || IntegerType::of_builtin(text).map_or(Bounds::default(), |(_, range)| range.into());
        let name = self.free_name(b, &short);
        self.builtins.insert(text.into(), name.clone());
        b.value(&name, text, given.unwrap_or_else(of_machine))
    }

    /// `short`, or a similar name that is unused in the file.
    fn free_name(&self, b: &Block<'_>, short: &str) -> String {
        let mut taken: HashSet<&str> = HashSet::new();
        let texts = self.file.parameters.iter().chain(self.file.want.iter().flat_map(words_of));
        taken.extend(texts.flat_map(|text| identifiers(text.get_ref())));
        let keys = self.file.values.iter().chain(self.file.buffers.iter()).map(|(name, _)| name.get_ref().as_str());
        taken.extend(keys);
        let is_taken = |name: &str| taken.contains(name) || b.indices().dim_named(name).is_some();
        free(short.into(), is_taken)
    }

    /// Records the values of a statement, and the indices that it sets.
    fn declared(&mut self, b: &mut Block<'_>, leaf: &Leaf<'f>) -> Recorded {
        for Computed { name, code, range, place } in &leaf.values {
            self.at(place);
            // the code may contain names of dimensions after `$`
            for mentioned in code.split('$').skip(1).filter_map(|behind| identifiers(behind).next()) {
                if let Some(dim) = b.indices().dim_named(mentioned) {
                    b.index(mentioned, dim)?;
                }
            }
            b.value(name, code, range.clone())?;
        }
        for (dim, value, place) in &leaf.sets {
            self.at(place);
            let value = self.with_indices(b, value)?;
            b.set(*dim, value)?;
        }
        Ok(())
    }

    fn wanted(&mut self, b: &mut Block<'_>, leaf: &Leaf<'f>) -> Recorded {
        self.declared(b, leaf)?;
        if let Some(why) = self.why {
            let text = explain(b.indices(), why).unwrap_or_else(|e| e.to_string());
            self.whys.push(Why { place: leaf.place.clone(), text });
            // if a requested index has no solution, the output is the explanation and not the answer
            let solved = leaf.gets.iter().all(|(_, d, _)| b.indices().is_solved(*d).unwrap_or(false));
            if !solved {
                return Ok(());
            }
        }
        for copy in &leaf.copies {
            self.at(&copy.place);
            let (to, from) = ((&copy.to.0, copy.to.1), (&copy.from.0, copy.from.1));
            let transfer = match copy.lanes {
                Some(lanes) => Transfer::new(to, from, lanes),
                None => Transfer::one(to, from),
            };
            let transfer = copy.limits.iter().fold(transfer, |t, (dim, limit)| t.below(*dim, limit.clone()));
            b.transfer(&if copy.zero { transfer.or_zero() } else { transfer })?;
        }
        // if nothing follows the copies, the barrier at the end of the statement suffices
        let has_more = !leaf.gets.is_empty() || leaf.want.code.is_some() || !leaf.body.is_empty();
        if leaf.want.sync && has_more && !leaf.copies.is_empty() {
            b.sync();
        }
        let guarded: Vec<Dim> = if leaf.want.guard { leaf.gets.iter().map(|g| g.1).collect() } else { vec![] };
        if !leaf.gets.is_empty() || leaf.want.code.is_some() {
            if let Some(get) = leaf.gets.first() {
                self.at(&get.2);
            }
            // compute this before the guard begins, because the condition always holds inside the guard
            let inside = leaf.gets.iter().map(|(_, dim, _)| b.indices().inside(&[*dim]));
            let inside = inside.collect::<Result<Vec<Option<Expr>>, _>>()?;
            let (here, answers) = (&self.here, &mut self.asked);
            match &leaf.want.rest {
                None => b.inside(&guarded, |b| asked(b, leaf, inside, here, answers))?,
                Some(code) => {
                    b.inside_or_each(
                        &guarded,
                        |b| asked(b, leaf, inside, here, answers),
                        |b| rest(b, leaf, here, code),
                    )?;
                }
            }
        }
        for (steps, inner) in &leaf.body {
            self.enter(b, steps, inner)?;
        }
        if leaf.want.sync {
            b.sync();
        }
        Ok(())
    }

    fn step(&self, ix: &Indices, text: &Text) -> Result<Step, FileError> {
        let words: Vec<&str> = text.get_ref().split_whitespace().collect();
        let dim = |name: &str| dim_named(ix, name);
        let looped = |d: &str, variable: &str, unroll| Ok(Step::Enter(Enter::Loop(dim(d)?, variable.into(), unroll)));
        match words[..] {
            ["scope", name] => {
                let known = || self.scopes.keys().map(String::as_str);
                Ok(Step::Enter(Enter::Scope(*self.scopes.get(name).ok_or_else(|| unknown("scope", name, known()))?)))
            }
            ["loop", d, "as", variable] => looped(d, variable, Unroll::Auto),
            ["loop", d, "as", variable, "unroll"] => looped(d, variable, Unroll::Full),
            ["loop", d, "as", variable, "unroll", n] => {
                let n = n.parse().ok().filter(|n| *n > 0);
                let n = n.ok_or_else(|| syntax(text.get_ref(), "`unroll` takes a number of copies, at least 1"))?;
                looped(d, variable, Unroll::By(n))
            }
            ["vectorize", d] => Ok(Step::Vectorize(dim(d)?)),
            ["vectorize", d, n] => {
                let n = n.parse().map_err(|_| syntax(text.get_ref(), "`vectorize` takes a number of lanes"))?;
                Ok(Step::Enter(Enter::Vector(dim(d)?, n)))
            }
            ["inside", _, ..] => {
                Ok(Step::Enter(Enter::Inside(words[1..].iter().map(|d| dim(d)).collect::<Result<_, _>>()?)))
            }
            ["assume", ..] => Ok(Step::Assume(expression(self.source, text, after(text, "assume"))?)),
            ["if", ..] => Ok(Step::Enter(Enter::If(expression(self.source, text, after(text, "if"))?))),
            ["set", d, "=", ..] => Ok(Step::Set(dim(d)?, expression(self.source, text, after(text, "="))?)),
            _ => {
                let expected = "one of `scope S`, `loop D as v`, `loop D as v unroll`, `vectorize D`, `vectorize D 4`, `set D = EXPR`, \
                                `if EXPR`, `assume EXPR`, `inside D`";
                Err(syntax(text.get_ref(), expected))
            }
        }
    }
}

/// Records the requested indices, the condition that each index is inside, and the code.
fn asked(
    b: &mut Block<'_>,
    leaf: &Leaf<'_>,
    inside: Vec<Option<Expr>>,
    here: &Cell<(usize, usize)>,
    answers: &mut Vec<Answer>,
) -> Recorded {
    for ((name, dim, place), inside) in leaf.gets.iter().zip(inside) {
        here.set((place.start, place.end));
        b.index(name, *dim)?;
        let (raw, place, name, simplified) = (b.indices().get_raw(*dim)?, leaf.place.clone(), name.clone(), int(0));
        answers.push(Answer { place, name, raw, simplified, inside });
    }
    leaf.want.code.iter().try_for_each(|code| lines(b, here, code))
}

/// Records the code for one lane of a vector.
fn rest(b: &mut Block<'_>, leaf: &Leaf<'_>, here: &Cell<(usize, usize)>, code: &Text) -> Recorded {
    leaf.gets.iter().try_for_each(|(name, dim, _)| b.index(name, *dim))?;
    lines(b, here, code)
}

fn lines(b: &mut Block<'_>, here: &Cell<(usize, usize)>, code: &Text) -> Recorded {
    here.set((code.span().start, code.span().end));
    b.code(code.get_ref())
}

/// Built-in variables such as `threadIdx.x` in the expressions of a statement and of nested statements.
fn builtins_of((steps, leaf): &(Vec<Placed>, Leaf<'_>)) -> Vec<Arc<str>> {
    let of_steps = steps.iter().filter_map(|(step, _)| match step {
        Step::Set(_, e) | Step::Enter(Enter::If(e)) | Step::Assume(e) => Some(e),
        Step::Enter(_) | Step::Vectorize(_) => None,
    });
    let names = of_steps.chain(leaf.sets.iter().map(|(_, e, _)| e)).flat_map(Expr::variables);
    let own = names.filter(|name| builtin(name).is_some());
    own.chain(leaf.body.iter().flat_map(builtins_of)).collect()
}

/// All texts with names in a statement and in nested statements: blocks, requested indices and values.
fn words_of(want: &Want) -> Vec<&Text> {
    let inner = want.body.iter().flat_map(words_of);
    want.enter.iter().chain(&want.get).chain(want.values.iter().map(|(name, _)| name)).chain(inner).collect()
}

/// The identifiers in `text`.
fn identifiers(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The position in `text` after the first `word`.
fn after(text: &Text, word: &str) -> usize {
    text.get_ref().find(word).map_or(0, |at| at + word.len())
}

fn explain(ix: &Indices, name: &str) -> Result<String, FileError> {
    let dim = dim_named(ix, name)?;
    match ix.why_solved(dim) {
        Ok(origin) => Ok(format!("{origin}; its index is `{}`", ix.get_raw(dim)?)),
        Err(e) => Ok(e.to_string()),
    }
}
