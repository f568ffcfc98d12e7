//! Recording the kernel of a TOML file: what is set, entered, copied and asked for.

use crate::dims_error::{FileError, builtin, syntax, unknown, wanted};
use crate::dims_read::{
    Answer, Why, buffer_entry, dim_named, element, expression, expression_at, limits, quoted, range, value_entry,
};
use crate::dims_text::{BufferEntry, File, Source, Text, TransferEntry, Want};
use quaff::expr::{Expr, int};
use quaff_fronts::dims::{Dim, Indices, Scope, Unroll};
use quaff_fronts::kernel::{Block, Buffer, Recorded, Transfer};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

/// A kernel being recorded from a file.
pub(crate) struct Recording<'f> {
    file: &'f File,
    source: Source<'f>,
    scopes: &'f HashMap<String, Scope>,
    buffers: HashMap<String, Buffer>,
    why: Option<&'f str>,
    whys: Vec<Why>,
    asked: Vec<Answer>,
    /// Where the part of the file stands that is recorded now.
    here: Cell<(usize, usize)>,
}

enum Step {
    Scope(Scope),
    Loop(Dim, String, Unroll),
    Vectorize(Dim),
    Set(Dim, Expr),
    If(Expr),
    Assume(Expr),
    Inside(Vec<Dim>),
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

/// What a `[[want]]` says, read.
struct Leaf<'f> {
    place: String,
    copies: Vec<Copy>,
    gets: Vec<(String, Dim, Range<usize>)>,
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
        Recording { file, source, scopes, buffers, why, whys: vec![], asked: vec![], here: Cell::new((0, 0)) }
    }

    /// What was asked for, not simplified yet, and the explanations.
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
            if let Some(code) = &entry.code {
                let range = range(&entry.range).map_err(|e| e.at(value.span()))?;
                let made = b.value(name.get_ref(), code, range);
                made.map_err(|e| FileError::from(e).named(self.file).at(value.span()))?;
            }
        }
        for (dim, value) in self.file.set.iter() {
            let d = dim_named(b.indices(), dim.get_ref()).map_err(|e| e.at(dim.span()))?;
            let text = quoted(dim, value)?;
            let set = match builtin(text) {
                Some(name) => b.bind(d, &name, text.trim()).map(drop),
                None => b.set(d, expression_at(self.source, value, text)?),
            };
            set.map_err(|e| FileError::from(e).named(self.file).at(value.span()))?;
        }
        if let Some(why) = self.why
            && self.file.want.is_empty()
        {
            let text = explain(b.indices(), why)?;
            self.whys.push(Why { place: "root".into(), text });
        }
        for want in &self.file.want {
            let steps =
                want.enter.iter().map(|s| Ok((self.step(b.indices(), s).map_err(|e| e.at(s.span()))?, s.span())));
            let steps = steps.collect::<Result<Vec<Placed>, FileError>>()?;
            let leaf = self.leaf(b.indices(), want)?;
            let recorded = self.enter(b, &steps, &leaf);
            let (start, end) = self.here.get();
            recorded.map_err(|e| FileError::from(e).named(self.file).at(start..end))?;
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

    fn leaf(&self, ix: &Indices, want: &'f Want) -> Result<Leaf<'f>, FileError> {
        let entered: Vec<&str> = want.enter.iter().map(|s| s.get_ref().as_str()).collect();
        let place = if entered.is_empty() { "root".to_string() } else { entered.join(", ") };
        let copies = want.transfer.iter().map(|t| self.copy(ix, t)).collect::<Result<_, _>>()?;
        let mut gets = vec![];
        for get in &want.get {
            let (name, dim) = wanted(get.get_ref());
            gets.push((name.to_string(), dim_named(ix, dim).map_err(|e| e.at(get.span()))?, get.span()));
        }
        Ok(Leaf { place, copies, gets, want })
    }

    fn copy(&self, ix: &Indices, entry: &TransferEntry) -> Result<Copy, FileError> {
        let element = |text: &Text| {
            let expected = "an element of a buffer: `buffer[dimension]`";
            let parts = text.get_ref().trim().strip_suffix(']').and_then(|t| t.split_once('['));
            let (buffer, dim) = parts.ok_or_else(|| syntax(text.get_ref(), expected).at(text.span()))?;
            let found = self.buffers.get(buffer.trim()).cloned();
            let buffer = found.ok_or_else(|| unknown("buffer", buffer.trim()).at(text.span()))?;
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

    fn enter(&mut self, b: &mut Block<'_>, steps: &[Placed], leaf: &Leaf<'f>) -> Recorded {
        let Some(((first, place), rest)) = steps.split_first() else { return b.frame(|b| self.wanted(b, leaf)) };
        self.at(place);
        match first {
            Step::Scope(scope) => b.scope(*scope, |b| self.enter(b, rest, leaf)),
            Step::Loop(dim, variable, unroll) => b.loop_over(*dim, variable, *unroll, |b| self.enter(b, rest, leaf)),
            Step::Vectorize(dim) => {
                let lanes = b.indices().size(*dim)?;
                b.vectorize(*dim, lanes, |b| self.enter(b, rest, leaf))
            }
            Step::Set(dim, value) => b.frame(|b| {
                b.set(*dim, value.clone())?;
                self.enter(b, rest, leaf)
            }),
            Step::If(condition) => b.guard(condition.clone(), |b| self.enter(b, rest, leaf)),
            Step::Assume(condition) => b.frame(|b| {
                b.assume(condition.clone());
                self.enter(b, rest, leaf)
            }),
            Step::Inside(dims) => b.inside(dims, |b| self.enter(b, rest, leaf)),
        }
    }

    fn wanted(&mut self, b: &mut Block<'_>, leaf: &Leaf<'f>) -> Recorded {
        if let Some(why) = self.why {
            let text = explain(b.indices(), why).unwrap_or_else(|e| e.to_string());
            self.whys.push(Why { place: leaf.place.clone(), text });
            // an explanation is wanted exactly where the answer fails
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
        if leaf.want.sync {
            b.sync();
        }
        let guarded: Vec<Dim> = if leaf.want.guard { leaf.gets.iter().map(|g| g.1).collect() } else { vec![] };
        if !leaf.gets.is_empty() || leaf.want.code.is_some() {
            if let Some(get) = leaf.gets.first() {
                self.at(&get.2);
            }
            // before the guard makes it known
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
        if leaf.want.sync {
            b.sync();
        }
        Ok(())
    }

    fn step(&self, ix: &Indices, text: &Text) -> Result<Step, FileError> {
        let words: Vec<&str> = text.get_ref().split_whitespace().collect();
        let dim = |name: &str| dim_named(ix, name);
        match words[..] {
            ["scope", name] => Ok(Step::Scope(*self.scopes.get(name).ok_or_else(|| unknown("scope", name))?)),
            ["loop", d, "as", variable] => Ok(Step::Loop(dim(d)?, variable.into(), Unroll::Auto)),
            ["loop", d, "as", variable, "unroll"] => Ok(Step::Loop(dim(d)?, variable.into(), Unroll::Full)),
            ["loop", d, "as", variable, "unroll", n] => {
                let n = n.parse().map_err(|_| syntax(text.get_ref(), "`unroll` takes a number"))?;
                Ok(Step::Loop(dim(d)?, variable.into(), Unroll::By(n)))
            }
            ["vectorize", d] => Ok(Step::Vectorize(dim(d)?)),
            ["inside", _, ..] => Ok(Step::Inside(words[1..].iter().map(|d| dim(d)).collect::<Result<_, _>>()?)),
            ["assume", ..] => Ok(Step::Assume(expression(self.source, text, after(text, "assume"))?)),
            ["if", ..] => Ok(Step::If(expression(self.source, text, after(text, "if"))?)),
            ["set", d, "=", ..] => Ok(Step::Set(dim(d)?, expression(self.source, text, after(text, "="))?)),
            _ => {
                let expected = "one of `scope S`, `loop D as v`, `loop D as v unroll`, `vectorize D`, `set D = EXPR`, \
                                `if EXPR`, `assume EXPR`, `inside D`";
                Err(syntax(text.get_ref(), expected))
            }
        }
    }
}

/// The indices that are wanted, with the condition that each one is inside, and the code.
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

/// The code of one lane of a vector.
fn rest(b: &mut Block<'_>, leaf: &Leaf<'_>, here: &Cell<(usize, usize)>, code: &Text) -> Recorded {
    leaf.gets.iter().try_for_each(|(name, dim, _)| b.index(name, *dim))?;
    lines(b, here, code)
}

fn lines(b: &mut Block<'_>, here: &Cell<(usize, usize)>, code: &Text) -> Recorded {
    here.set((code.span().start, code.span().end));
    b.code(code.get_ref())
}

/// Where `text` goes on after the first `word`.
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
