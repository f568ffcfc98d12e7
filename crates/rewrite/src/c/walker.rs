//! Reads one function in the order of its text, and records the facts that hold at each place.

use super::changes::changes;
use super::file::{File, Function, facts_of};
use super::names::Name;
use super::tree::is_deep;
use crate::model::{Block, Context, Kernel, NotFollowed, Place, Role, Site, Variable};
use crate::notes::Fact;
use crate::options::Options;
use quaff::domain::Interval;
use quaff::expr::name::free;
use quaff::expr::{Expr, Op};
use quaff_dialects::{Dialect, IntegerType, read};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::Node;

/// The state of reading a function.
pub(super) struct Walker<'f, 't> {
    pub(super) file: &'f File<'t>,
    pub(super) kernel: Kernel,
    /// The names of each scope. The innermost scope is last.
    pub(super) scopes: Vec<FxHashMap<&'t str, Name>>,
    /// The names of variables whose values may change.
    pub(super) changing: FxHashSet<&'t str>,
    /// Names on the left side of `>>`. If such a name is defined by `<<`, the definition is not used, because the shift
    /// may drop upper bits.
    pub(super) shifted: FxHashSet<&'t str>,
    /// The name of each definition, and the end of the block in which the name is visible.
    pub(super) visible: Vec<(&'t str, usize)>,
    /// The last byte of the current block, where its names end.
    pub(super) end: usize,
    /// Members of structures that occur in notes, such as `p.h`.
    pub(super) members: FxHashSet<String>,
    /// For each name, the number of variables that have it.
    counts: FxHashMap<String, usize>,
    /// The types of the nodes that were already examined. `None` for a node that is not an integer.
    pub(super) kinds: FxHashMap<usize, Option<IntegerType>>,
    /// The range of each variable's type.
    pub(super) ranges: FxHashMap<Arc<str>, Interval>,
    /// The current position.
    pub(super) place: Place,
    pub(super) context: Option<usize>,
    pub(super) loops: Vec<Arc<str>>,
    /// Whether a part of the last expression that was read has 64 bits.
    pub(super) is_wide: bool,
    /// Whether no number or conversion in the last expression is unsigned, so that only unsigned variables make parts
    /// unsigned.
    pub(super) is_signed: bool,
    /// The names of constants in the last expression that was read.
    pub(super) numbers: Vec<(String, i64)>,
    /// The divisions that were read, by their nodes. `None` if the caller does not need them.
    pub(super) divisions: Option<FxHashMap<usize, Division>>,
}

/// A quotient or remainder of integers of at most 32 bits.
#[derive(Clone, Debug)]
pub(super) struct Division {
    pub(super) numerator: Expr,
    /// Whether the numerator has a signed type, so that it is below 2^31.
    pub(super) has_sign: bool,
    pub(super) divisor: Expr,
    /// The byte range of the divisor.
    pub(super) span: Range<usize>,
    /// The conditions that hold at the division: an index into the contexts of the kernel.
    pub(super) context: Option<usize>,
}

impl<'f, 't> Walker<'f, 't> {
    /// Reads `function`, and returns it with its sites (the parts that compute integers).
    pub(super) fn kernel(file: &'f File<'t>, function: &Function<'t>, options: &Options) -> Kernel {
        Walker::walked(file, function, options, None).kernel
    }

    /// Reads `function`, and returns it with its sites, and with its divisions.
    pub(super) fn with_divisions(
        file: &'f File<'t>,
        function: &Function<'t>,
        options: &Options,
    ) -> (Kernel, Vec<Division>) {
        let walker = Walker::walked(file, function, options, Some(FxHashMap::default()));
        let mut divisions: Vec<Division> = walker.divisions.into_iter().flatten().map(|(_, d)| d).collect();
        divisions.sort_by_key(|d| d.span.start);
        (walker.kernel, divisions)
    }

    fn walked(
        file: &'f File<'t>,
        function: &Function<'t>,
        options: &Options,
        divisions: Option<FxHashMap<usize, Division>>,
    ) -> Walker<'f, 't> {
        let kernel = Kernel::new(function.name, function.node.byte_range());
        let mut walker = Walker {
            file,
            kernel,
            scopes: vec![FxHashMap::default()],
            changing: FxHashSet::default(),
            shifted: FxHashSet::default(),
            visible: Vec::new(),
            end: function.node.end_byte(),
            members: FxHashSet::default(),
            counts: FxHashMap::default(),
            kinds: FxHashMap::default(),
            ranges: FxHashMap::default(),
            place: Place { block: 0, start: 0 },
            context: None,
            loops: Vec::new(),
            is_wide: false,
            is_signed: true,
            numbers: Vec::new(),
            divisions,
        };
        if function.node.has_error() {
            let (span, reason) = misfit(function.node, file.text);
            walker.not_followed(span, reason);
        } else if is_deep(function.node) {
            walker.not_followed(function.node.byte_range(), "it is nested too deeply");
        } else {
            walker.function(function, options);
        }
        walker
    }

    fn function(&mut self, function: &Function<'t>, options: &Options) {
        let Some(block) = function.node.child_by_field_name("body").filter(|b| b.kind() == "compound_statement") else {
            return;
        };
        let found = changes(self.file, function.node);
        if let Some(jump) = found.jump {
            return self.not_followed(jump.byte_range(), "a jump leads past what is known of its target");
        }
        self.changing = found.changing;
        self.shifted = found.shifted;
        let own: Vec<Node<'t>> = [&function.comments[..], &found.comments].concat();
        self.kernel.words = found.words.into_iter().map(String::from).collect();
        self.place = Place { block: 0, start: block.start_byte() };
        self.parameters(function, options);
        let mut facts = options.facts.clone();
        // a note outside of functions may have names that this function does not have
        facts.extend(self.noted(self.file.notes.clone(), |_| true));
        let words = self.kernel.words.clone();
        let is_word = |name: &str| words.iter().any(|word| Some(word.as_str()) == name.split('.').next());
        facts.extend(self.noted(own, |name| is_word(name) || IntegerType::of_builtin(name).is_some()));
        let names = facts.iter().filter_map(|fact| if let Fact::Range { name, .. } = fact { Some(name) } else { None });
        self.members = names.filter(|name| name.contains('.')).cloned().collect();
        self.statements(block, None, false);
        self.find_other_uses(function.node);
        facts.iter().for_each(|fact| self.kernel.know(fact));
        if !self.kernel.sites.is_empty() {
            self.assume("signed integers do not overflow".into());
        }
    }

    /// The facts of the notes among `comments`. Invalid notes and notes with names that are not `known` are added to
    /// the report.
    fn noted(&mut self, comments: Vec<Node<'t>>, known: impl Fn(&str) -> bool) -> Vec<Fact> {
        let mut all = Vec::new();
        for (comment, facts) in facts_of(self.file.text, comments) {
            let unknown = facts.iter().flatten().flat_map(Fact::names).find(|name| !known(name));
            let reason = match (facts, unknown) {
                (Err(reason), _) => reason,
                (Ok(_), Some(name)) => format!("`{name}` is no name in this function"),
                (Ok(facts), None) => {
                    all.extend(facts);
                    continue;
                }
            };
            self.not_followed(comment.byte_range(), reason);
        }
        all
    }

    /// Adds a variable whose text in the source is `base`.
    pub(super) fn variable(&mut self, base: &str, ty: IntegerType, changes: bool) -> Arc<str> {
        let count = self.counts.entry(base.into()).or_default();
        *count += 1;
        let name = if *count == 1 { base.to_owned() } else { format!("{base}_{count}") };
        // some names, such as `half`, are types when expressions are parsed, and cannot name a variable
        let is_variable = |name: &str| {
            let read = read(name, Dialect::Cuda);
            read.is_ok_and(|read| matches!(read.results[0].expr().op(), Op::Var(own) if **own == *name))
        };
        let is_taken = |name: &str| self.kernel.variables.contains_key(name) || !is_variable(name);
        let variable: Arc<str> =
            free(name, |name| *count > 1 && self.kernel.words.iter().any(|word| word == name) || is_taken(name)).into();
        let known = Variable {
            spelling: base.into(),
            source: None,
            is_unsigned: ty.is_unsigned() && ty.bits() >= 32,
            declared: self.place,
            changes,
            axes: Vec::new(),
        };
        self.kernel.variables.insert(variable.clone(), known);
        self.has_type(&variable, ty.range());
        variable
    }

    /// Records `range` as the range of the type of `variable`.
    pub(super) fn has_type(&mut self, variable: &Arc<str>, range: Interval) {
        self.kernel.domain.add_bounds(variable.clone(), range);
        self.ranges.insert(variable.clone(), range);
    }

    /// The meaning of `name` at the current position.
    pub(super) fn name(&self, name: &str) -> Option<&Name> {
        self.scopes.iter().rev().find_map(|scope| scope.get(name)).or_else(|| self.file.names.get(name))
    }

    pub(super) fn declare(&mut self, name: &'t str, what: Name) {
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, what);
        }
    }

    pub(super) fn of(&self, node: Node<'t>) -> &'t str {
        self.file.of(node)
    }

    pub(super) fn not_followed(&mut self, span: Range<usize>, reason: impl Into<String>) {
        self.kernel.not_followed.push(NotFollowed { span, reason: reason.into() });
    }

    /// Records an assumption about the kernel, which the report lists.
    pub(super) fn assume(&mut self, sentence: String) {
        if !self.kernel.assumed.contains(&sentence) {
            self.kernel.assumed.push(sentence);
        }
    }

    /// Adds a site and returns its number.
    pub(super) fn site(&mut self, node: Node<'t>, role: Role, expr: Expr, is_free: bool) -> usize {
        self.site_of(node.byte_range(), role, expr, is_free)
    }

    pub(super) fn site_of(&mut self, span: Range<usize>, role: Role, expr: Expr, is_free: bool) -> usize {
        let (place, context) = (self.place, self.context);
        self.kernel.blocks[place.block].contexts.entry(place.start).or_insert(context);
        let (is_wide, is_signed, numbers, conversion) = (self.is_wide, self.is_signed, self.numbers.clone(), "");
        let site = Site { span, role, place, expr, context, is_wide, is_signed, numbers, is_free, conversion };
        self.kernel.sites.push(site);
        self.kernel.sites.len() - 1
    }

    /// Whether no variable of `expr` changes, so that `expr` has one value wherever its variables are visible.
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        let changes = |name: &str| self.kernel.variables.get(name).is_none_or(|v| v.changes);
        expr.variables().iter().all(|name| !changes(name))
    }

    /// Adds a condition to the context, if its variables cannot change.
    pub(super) fn know(&mut self, condition: Expr) {
        if self.is_constant(&condition) && condition.as_const().is_none() {
            self.kernel.contexts.push(Context { before: self.context, condition });
            self.context = Some(self.kernel.contexts.len() - 1);
        }
    }

    /// Adds a block and returns its number.
    pub(super) fn block(&mut self, parent: Option<Place>, takes_statements: bool, is_loop: bool) -> usize {
        self.kernel.blocks.push(Block { parent, takes_statements, is_loop, contexts: FxHashMap::default() });
        self.kernel.blocks.len() - 1
    }
}

/// The first place in `node` that the grammar could not read, and the reason.
fn misfit(node: Node, text: &str) -> (Range<usize>, String) {
    const NO_PLACE: &str = "the grammar of C++ has no place for this";
    let mut cursor = node.walk();
    loop {
        let node = cursor.node();
        if node.is_missing() {
            // report the part of the line before the missing text
            let before = text[..node.start_byte()].trim_end();
            let line = before.rfind('\n').map_or(0, |at| at + 1);
            return (line..before.len(), format!("a `{}` is missing after this", node.kind()));
        }
        if node.is_error() {
            return (node.byte_range(), NO_PLACE.into());
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return (node.byte_range(), NO_PLACE.into());
            }
        }
    }
}
