//! A walk over one function: what is known at each place.

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

/// What is known on the way through a function.
pub(super) struct Walker<'f, 't> {
    pub(super) file: &'f File<'t>,
    pub(super) kernel: Kernel,
    /// The names of each scope, the innermost last.
    pub(super) scopes: Vec<FxHashMap<&'t str, Name>>,
    /// Names whose variables may change.
    pub(super) changing: FxHashSet<&'t str>,
    /// The name of each definition, and the end of the block in which it is visible.
    pub(super) visible: Vec<(&'t str, usize)>,
    /// The end of the block in which the walk is.
    pub(super) end: usize,
    /// Members of structures that notes are about, such as `p.h`.
    pub(super) members: FxHashSet<String>,
    /// How many variables a name has had.
    counts: FxHashMap<String, usize>,
    /// Types of nodes that were looked at; `None` where they are no integers.
    pub(super) kinds: FxHashMap<usize, Option<IntegerType>>,
    /// Ranges of the types of variables.
    pub(super) ranges: FxHashMap<Arc<str>, Interval>,
    /// Where the walk is.
    pub(super) place: Place,
    pub(super) context: Option<usize>,
    pub(super) loops: Vec<Arc<str>>,
    /// Whether the last expression that was read has a part of 64 bits.
    pub(super) is_wide: bool,
    /// Whether only variables without a sign make parts of it values without one, and no number or conversion.
    pub(super) is_signed: bool,
    /// The names for numbers in the last expression that was read.
    pub(super) numbers: Vec<(String, i64)>,
    /// The divisions that were read, where they are wanted, by their nodes.
    pub(super) divisions: Option<FxHashMap<usize, Division>>,
}

/// A quotient or remainder of integers of at most 32 bits.
#[derive(Clone, Debug)]
pub(super) struct Division {
    pub(super) numerator: Expr,
    /// Whether the type of the numerator has a sign, so that it is below 2^31.
    pub(super) has_sign: bool,
    pub(super) divisor: Expr,
    /// The bytes of the divisor.
    pub(super) span: Range<usize>,
    /// What holds there: a position in the contexts of the kernel.
    pub(super) context: Option<usize>,
}

impl<'f, 't> Walker<'f, 't> {
    /// The sites of `function`.
    pub(super) fn kernel(file: &'f File<'t>, function: &Function<'t>, options: &Options) -> Kernel {
        Walker::walked(file, function, options, None).kernel
    }

    /// The sites of `function`, and its divisions.
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
            walker.not_followed(misfit(function.node), "the grammar of C++ has no place for this");
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
        let own: Vec<Node<'t>> = [&function.comments[..], &found.comments].concat();
        self.kernel.words = found.words.into_iter().map(String::from).collect();
        self.place = Place { block: 0, start: block.start_byte() };
        self.parameters(function, options);
        let mut facts = options.facts.clone();
        // a note about all functions may have names of some
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

    /// The facts of the notes among `comments`. What is wrong with a note is reported, and so is a name in it that is not `known`.
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

    /// A new variable for something that the text calls `base`.
    pub(super) fn variable(&mut self, base: &str, ty: IntegerType, changes: bool) -> Arc<str> {
        let count = self.counts.entry(base.into()).or_default();
        *count += 1;
        let name = if *count == 1 { base.to_owned() } else { format!("{base}_{count}") };
        // some names are those of types in the dialect, such as `half`
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

    /// Notes the range of the type of `variable`.
    pub(super) fn has_type(&mut self, variable: &Arc<str>, range: Interval) {
        self.kernel.domain.add_bounds(variable.clone(), range);
        self.ranges.insert(variable.clone(), range);
    }

    /// What `name` is here.
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

    /// Notes something that the values rely on.
    pub(super) fn assume(&mut self, sentence: String) {
        if !self.kernel.assumed.contains(&sentence) {
            self.kernel.assumed.push(sentence);
        }
    }

    /// Adds a site; answers its position.
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

    /// Whether `expr` has one value wherever its variables are visible.
    pub(super) fn is_constant(&self, expr: &Expr) -> bool {
        let changes = |name: &str| self.kernel.variables.get(name).is_none_or(|v| v.changes);
        expr.variables().iter().all(|name| !changes(name))
    }

    /// Adds a condition to the context, where it is one for good.
    pub(super) fn know(&mut self, condition: Expr) {
        if self.is_constant(&condition) && condition.as_const().is_none() {
            self.kernel.contexts.push(Context { before: self.context, condition });
            self.context = Some(self.kernel.contexts.len() - 1);
        }
    }

    /// A new block; answers its number.
    pub(super) fn block(&mut self, parent: Option<Place>, takes_statements: bool, is_loop: bool) -> usize {
        self.kernel.blocks.push(Block { parent, takes_statements, is_loop, contexts: FxHashMap::default() });
        self.kernel.blocks.len() - 1
    }
}

/// The first place in `node` that the grammar could not read.
fn misfit(node: Node) -> Range<usize> {
    let mut cursor = node.walk();
    loop {
        let node = cursor.node();
        if node.is_missing() || node.is_error() {
            return node.byte_range();
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return node.byte_range();
            }
        }
    }
}
