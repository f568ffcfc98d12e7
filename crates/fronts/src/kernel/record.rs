//! [`Recorder`]: a tree of statements, the variables with their facts, and the requested values (*roots*).

use super::KernelError;
use super::buffer::Buffer;
use super::report::AccessReport;
use super::template::{Part, Piece, Template, parts};
use crate::dims::{Dim, Guard, Indices, Unroll};
use quaff::domain::{Bounds, Domain};
use quaff::emit::Element;
use quaff::emit::{self, identifiers};
use quaff::expr::{Expr, int, var};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// A position in the program: before statement `at` of `block`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) block: u32,
    pub(super) at: u32,
}

#[derive(Clone, Debug)]
pub(super) enum Statement {
    Code(Template),
    /// The index or expression of a root was requested here.
    Ask(u32),
    /// Code defines a variable here.
    Define(u32),
    Loop(u32),
    If {
        condition: u32,
        then: u32,
        otherwise: Option<u32>,
    },
}

/// A loop that may have more than one trip.
#[derive(Clone, Debug)]
pub(super) struct LoopHead {
    pub(super) variable: Arc<str>,
    pub(super) trips: Expr,
    /// The root of the number of trips, if it is known only at run time.
    pub(super) end: Option<u32>,
    pub(super) unroll: Unroll,
}

impl LoopHead {
    /// Whether the loop is unrolled completely, so that its variable is a constant in each copy of the body.
    pub(super) fn is_unrolled(&self) -> bool {
        self.unroll == Unroll::Full
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct BlockDef {
    /// The place of the block in its parent.
    pub(super) parent: Option<Place>,
    pub(super) looped: Option<LoopHead>,
    pub(super) statements: Vec<Statement>,
}

#[derive(Clone, Debug)]
pub(super) struct Root {
    pub(super) name: Arc<str>,
    /// The expression as it was built.
    pub(super) raw: Expr,
    /// The expression that is simplified and printed. It has the same value wherever it is used.
    pub(super) value: Expr,
}

#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Arc<str>,
    /// The place from which the variable has its value.
    pub(super) place: Place,
    pub(super) bounds: Vec<Bounds>,
    pub(super) strides: Vec<(i64, i64)>,
    /// The code that defines the variable. `None` for loop variables and parameters.
    pub(super) text: Option<Template>,
    pub(super) parameter: bool,
    /// Whether the variable becomes a constant when loops are unrolled completely.
    pub(super) unrolled: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    /// Type and qualifiers. `None` for a scalar, whose type follows from its range.
    pub(super) ty: Option<String>,
    pub(super) name: Arc<str>,
}

/// A name that the text declares in a block. A name that belongs to a root is declared only if no code mentions the
/// root.
#[derive(Clone, Debug)]
pub(super) struct Declared {
    pub(super) name: Arc<str>,
    pub(super) block: u32,
    pub(super) root: Option<u32>,
}

/// The meaning of a name in a placeholder.
#[derive(Clone, Debug)]
enum Target {
    Root(u32),
    Text(String),
}

/// The second part of a guard whose end cuts vectors: the dimensions of the guard, and the block of its `else`.
#[derive(Clone, Debug)]
pub(super) struct Rest {
    pub(super) dims: Vec<Dim>,
    pub(super) block: u32,
}

/// The state that the end of an open block restores.
#[derive(Clone, Debug)]
pub(super) struct Level {
    /// The position in the log of changes to the indices.
    pub(super) mark: usize,
    /// The block into which statements were recorded.
    pub(super) here: u32,
    /// The number of guards that held.
    pub(super) held: usize,
    /// The second part of the block, if an end cuts vectors.
    pub(super) rest: Option<Rest>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Recorder {
    pub(super) blocks: Vec<BlockDef>,
    /// The block into which statements are recorded.
    pub(super) here: u32,
    /// The open blocks, the innermost last.
    pub(super) levels: Vec<Level>,
    pub(super) roots: Vec<Root>,
    pub(super) variables: Vec<Variable>,
    by_name: FxHashMap<Arc<str>, u32>,
    pub(super) parameters: Vec<Parameter>,
    pub(super) headers: Vec<&'static str>,
    pub(super) reports: Vec<AccessReport>,
    pub(super) launch: Vec<(String, Expr)>,
    /// The parameters that are sizes, which come last.
    pub(super) sizes: Vec<Arc<str>>,
    /// The assumed conditions on `sizes`.
    assumptions: Vec<Expr>,
    /// The guards that hold at the current place.
    pub(super) held: Vec<Guard>,
    /// The declarations in the order of the program.
    pub(super) declared: Vec<Declared>,
    /// The block in which each buffer is declared, and its element type.
    buffers: FxHashMap<Arc<str>, (u32, Element)>,
    /// All names that the text uses.
    taken: FxHashSet<Arc<str>>,
    /// The identifiers that occur in code.
    pub(super) mentioned: FxHashSet<String>,
    scopes: Vec<FxHashMap<Arc<str>, Target>>,
}

impl Recorder {
    /// A recorder whose only parameters are the run-time sizes of `ix`.
    pub(super) fn new(ix: &Indices) -> Recorder {
        let mut rec =
            Recorder { blocks: vec![BlockDef::default()], scopes: vec![FxHashMap::default()], ..Recorder::default() };
        let (sizes, assumptions) = ix.run_time_sizes();
        for (name, range, step) in sizes {
            rec.taken.insert(name.clone());
            rec.sizes.push(name.clone());
            rec.add_parameter(name, range.into(), vec![(step, 0)]);
        }
        rec.assumptions = assumptions.to_vec();
        rec
    }

    /// Reserves a name for a declaration of the text.
    pub(super) fn take(&mut self, name: &str) -> Result<Arc<str>, KernelError> {
        let reason = if !emit::is_free_name(name) {
            "it is no identifier, or reserved"
        } else if self.taken.contains(name) {
            "it is taken"
        } else {
            let name: Arc<str> = name.into();
            self.taken.insert(name.clone());
            return Ok(name);
        };
        Err(KernelError::Name { name: name.into(), reason })
    }

    /// Reserves a name that is `wanted` or similar. Two loops may request the same name if the first one is closed, and
    /// each gets its own variable.
    pub(super) fn take_similar(&mut self, wanted: &str) -> Result<Arc<str>, KernelError> {
        if !self.taken.contains(wanted) {
            return self.take(wanted);
        }
        let mut number = 2;
        while self.taken.contains(format!("{wanted}_{number}").as_str()) {
            number += 1;
        }
        self.take(&format!("{wanted}_{number}"))
    }

    /// Releases a reserved name that no declaration uses.
    pub(super) fn release(&mut self, name: &str) {
        self.taken.remove(name);
    }

    /// The names that temporaries must not have.
    pub(super) fn reserved(&self) -> impl Iterator<Item = &str> {
        self.taken.iter().map(|n| &**n).chain(self.mentioned.iter().map(String::as_str))
    }

    /// Records that `block` declares a name after the statements that it has so far.
    pub(super) fn declare(&mut self, name: &Arc<str>, block: u32) {
        self.declared.push(Declared { name: name.clone(), block, root: None });
    }

    /// Requests a root at the end of `block`.
    pub(super) fn ask(&mut self, root: u32, block: u32) {
        let name = self.roots[root as usize].name.clone();
        self.declared.push(Declared { name, block, root: Some(root) });
        self.push(block, Statement::Ask(root));
    }

    pub(super) fn end_of(&self, block: u32) -> Place {
        Place { block, at: self.blocks[block as usize].statements.len() as u32 }
    }

    pub(super) fn push(&mut self, block: u32, statement: Statement) {
        self.blocks[block as usize].statements.push(statement);
    }

    pub(super) fn root(&mut self, name: &str, raw: Expr) -> u32 {
        self.root_as(name, raw.clone(), raw)
    }

    /// Adds a root that was built as `raw` and is equal to `value` wherever it is used.
    pub(super) fn root_as(&mut self, name: &str, raw: Expr, value: Expr) -> u32 {
        self.roots.push(Root { name: name.into(), raw, value });
        (self.roots.len() - 1) as u32
    }

    fn block(&mut self, parent: Place, looped: Option<LoopHead>) -> u32 {
        self.blocks.push(BlockDef { parent: Some(parent), looped, statements: vec![] });
        (self.blocks.len() - 1) as u32
    }

    /// Adds a loop at the end of `block`. The name `variable` must be reserved already.
    pub(super) fn open_loop(&mut self, block: u32, variable: Arc<str>, trips: &Expr, unroll: Unroll) -> u32 {
        let end = trips.as_const().is_none().then(|| self.root("trips", trips.clone()));
        let head = LoopHead { variable: variable.clone(), trips: trips.clone(), end, unroll };
        let id = self.block(self.end_of(block), Some(head));
        self.push(block, Statement::Loop(id));
        self.declare(&variable, id);
        self.add_variable(Variable {
            name: variable,
            place: Place { block: id, at: 0 },
            bounds: vec![Bounds::from(int(0)..trips.clone())],
            strides: vec![],
            text: None,
            parameter: false,
            unrolled: unroll == Unroll::Full,
        });
        id
    }

    /// Adds `if (condition)` at the end of `block`, with an empty `else` if `with_else` is set.
    pub(super) fn open_if(&mut self, block: u32, condition: Expr, with_else: bool) -> (u32, Option<u32>) {
        let condition = self.root("inside", condition);
        let place = self.end_of(block);
        let then = self.block(place, None);
        let otherwise = with_else.then(|| self.block(place, None));
        self.push(block, Statement::If { condition, then, otherwise });
        (then, otherwise)
    }

    /// Adds a variable that `text` defines. The variable has its value from here on. The name `name` must be reserved
    /// already.
    pub(super) fn define(&mut self, name: Arc<str>, text: Template, bounds: Bounds) -> Expr {
        let block = self.here;
        let mut place = self.end_of(block);
        place.at += 1;
        self.declare(&name, block);
        let id = self.add_variable(Variable {
            name: name.clone(),
            place,
            bounds: vec![bounds],
            strides: vec![],
            text: Some(text),
            parameter: false,
            unrolled: false,
        });
        self.push(block, Statement::Define(id));
        self.name(&name, name.to_string());
        var(name)
    }

    pub(super) fn scalar(&mut self, name: &str, bounds: Bounds) -> Result<Expr, KernelError> {
        let name = self.take(name)?;
        self.parameters.push(Parameter { ty: None, name: name.clone() });
        self.add_parameter(&name, bounds, vec![]);
        Ok(var(name))
    }

    fn add_parameter(&mut self, name: &Arc<str>, bounds: Bounds, strides: Vec<(i64, i64)>) {
        self.declare(name, 0);
        self.add_variable(Variable {
            name: name.clone(),
            place: Place { block: 0, at: 0 },
            bounds: vec![bounds],
            strides,
            text: None,
            parameter: true,
            unrolled: false,
        });
        self.name(name, name.to_string());
    }

    pub(super) fn buffer(
        &mut self,
        name: &str,
        element: Element,
        alignment: i64,
        block: u32,
    ) -> Result<Buffer, KernelError> {
        let name = self.take(name)?;
        self.declare(&name, block);
        self.buffers.insert(name.clone(), (block, element));
        if let Some(header) = element.header().filter(|h| !self.headers.contains(h)) {
            self.headers.push(header);
        }
        Ok(Buffer { name, element, alignment })
    }

    /// Returns an error unless the buffer belongs to this kernel and is visible here.
    pub(super) fn check_buffer(&self, buffer: &Buffer) -> Result<(), KernelError> {
        let mut around = std::iter::successors(Some(self.here), |&b| Some(self.blocks[b as usize].parent?.block));
        match self.buffers.get(&buffer.name) {
            Some(&(block, element)) if element == buffer.element && around.any(|b| b == block) => Ok(()),
            _ => Err(KernelError::UnknownBuffer { name: buffer.name.clone() }),
        }
    }

    /// The variable called `name`, if there is one. Facts that are added to the variable hold in the whole kernel.
    pub(super) fn variable(&mut self, name: &str) -> Option<&mut Variable> {
        self.by_name.get(name).map(|&at| &mut self.variables[at as usize])
    }

    /// The variable with this unique name.
    pub(super) fn named(&self, name: &str) -> Option<&Variable> {
        self.by_name.get(name).map(|&at| &self.variables[at as usize])
    }

    fn add_variable(&mut self, variable: Variable) -> u32 {
        let at = self.variables.len() as u32;
        self.by_name.insert(variable.name.clone(), at);
        self.variables.push(variable);
        at
    }

    /// The facts about all variables.
    pub(super) fn domain(&self) -> Domain {
        let mut domain = self.assumptions.iter().fold(Domain::new(), |domain, a| domain.assume(a.clone()));
        for v in &self.variables {
            v.bounds.iter().for_each(|b| domain.add_bounds(v.name.clone(), b.clone()));
            v.strides.iter().for_each(|&(m, r)| domain.add_stride(v.name.clone(), m, r));
            if v.parameter {
                domain = domain.launch_invariant(v.name.clone());
            }
        }
        domain
    }

    pub(super) fn enter(&mut self) {
        self.scopes.push(FxHashMap::default());
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// Binds `$name` to a text until the current block ends.
    pub(super) fn name(&mut self, name: &str, text: String) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.into(), Target::Text(text));
        }
    }

    /// Binds `$name` to a root until the current block ends.
    pub(super) fn name_root(&mut self, name: &str, root: u32) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name.into(), Target::Root(root));
        }
    }

    /// The variable or number to which `$name` is bound.
    pub(super) fn text_of(&self, name: &str) -> Option<&str> {
        match self.scopes.iter().rev().find_map(|s| s.get(name)) {
            Some(Target::Text(text)) => Some(text),
            Some(Target::Root(_)) | None => None,
        }
    }

    /// Parses lines of code with placeholders. An error changes nothing.
    pub(super) fn templates<'c>(
        &mut self,
        lines: impl IntoIterator<Item = &'c str>,
        ix: &Indices,
    ) -> Result<Vec<Template>, KernelError> {
        let (before, mut mentioned) = (self.roots.len(), vec![]);
        let made = lines.into_iter().map(|line| self.template(line, ix, &mut mentioned)).collect();
        match made {
            Ok(_) => self.mentioned.extend(mentioned),
            Err(_) => self.roots.truncate(before),
        }
        made
    }

    fn template(&mut self, code: &str, ix: &Indices, mentioned: &mut Vec<String>) -> Result<Template, KernelError> {
        let mut template = vec![];
        for part in parts(code) {
            let unknown = |placeholder: String| KernelError::Placeholder { placeholder, text: code.trim().to_string() };
            template.push(match part {
                Part::Text(text) => {
                    mentioned.extend(identifiers(text).map(str::to_string));
                    Piece::Text(text.to_string())
                }
                Part::Size(dim) => {
                    let dim = ix.dim_named(dim).ok_or_else(|| unknown(format!("$|{dim}|")))?;
                    match ix.size_expr(dim)? {
                        size if size.as_const().is_some() => Piece::Text(size.to_string()),
                        size => Piece::Root(self.root("size", size)),
                    }
                }
                Part::Name(name) => match self.scopes.iter().rev().find_map(|s| s.get(name)) {
                    Some(Target::Root(root)) => Piece::Root(*root),
                    Some(Target::Text(text)) => Piece::Text(text.clone()),
                    None => return Err(unknown(format!("${name}"))),
                },
            });
        }
        Ok(template)
    }
}
