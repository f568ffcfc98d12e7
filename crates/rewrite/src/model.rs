//! The model of kernels in a source file, which is the same for all languages.
//!
//! A kernel has *sites*: places of the text that compute an integer. The value of a site is an expression of variables.
//! A variable has a *definition* if the kernel defines it once, by an expression that can be read. All other variables
//! are unknowns.

use crate::notes::Fact;
use quaff::domain::Domain;
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Dag, Expr};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// A function (a *kernel*), with the integers that it computes.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The byte range of the function.
    pub(crate) span: Range<usize>,
    /// The facts about the variables. They come from types, from limits of the machine, from notes in the file, and
    /// from the caller.
    pub(crate) domain: Domain,
    /// The variables, by their names in expressions.
    pub(crate) variables: FxHashMap<Arc<str>, Variable>,
    /// The loops in the order of the text.
    pub(crate) loops: Vec<Loop>,
    /// Conditions on the variables that hold at every place of the kernel.
    pub(crate) facts: Vec<Expr>,
    /// The blocks in the order of the text. A block comes after the block around it. The first block is the body.
    pub(crate) blocks: Vec<Block>,
    /// The sites (places that compute an integer), in the order in which they are read. A site may be inside another
    /// site: in `x[lens[b]]`, the site `b` is inside the site `lens[b]`.
    pub(crate) sites: Vec<Site>,
    /// The definitions in the order of the text.
    pub(crate) definitions: Vec<Definition>,
    /// The contexts of statements, as a tree. A context is a condition and the index of an earlier context, whose
    /// conditions also hold. So the conditions at a place form a path to the root.
    pub(crate) contexts: Vec<Context>,
    /// The identifiers of the function. New names must differ from them.
    pub(crate) words: Vec<String>,
    /// Sentences that state assumptions on which the new text relies, and which the old text does not guarantee.
    pub(crate) assumed: Vec<String>,
    /// Places that compute integers but cannot be read, each with the reason. They stay unchanged.
    pub(crate) not_followed: Vec<NotFollowed>,
}

/// A variable of expressions.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// The spelling of the variable in the text: `i`, `p.h`, `lens[b]`, `offs[:, None]`.
    pub(crate) spelling: String,
    /// The byte range of the variable in the text, if the variable is a part that is not analysed further, such as
    /// `lens[b]`. Sites inside this range are edited, too.
    pub(crate) source: Option<Range<usize>>,
    /// Whether the type of the variable is unsigned, so that arithmetic with it may wrap around.
    pub(crate) is_unsigned: bool,
    /// The statement after which the value of the variable can be used.
    pub(crate) declared: Place,
    /// Whether the variable may have different values at different places. Expressions that contain it are not moved.
    pub(crate) changes: bool,
    /// The axes of a tensor along which the values of the variable vary, each named by a word. The list is empty for a
    /// single number. The new text of a site must vary along the same axes.
    pub(crate) axes: Vec<Arc<str>>,
}

/// A variable that counts the iterations of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) variable: Arc<str>,
    /// The least value of the variable, if it is known.
    pub(crate) lower: Option<Expr>,
    /// The greatest value of the variable, if it is known.
    pub(crate) upper: Option<Expr>,
    /// The difference between successive values, and one of the values. `None` if the difference is 1.
    pub(crate) step: Option<(i64, Expr)>,
    /// The variables of the loops around this loop, the outermost first.
    pub(crate) around: Vec<Arc<str>>,
}

/// The position of a statement: its block and its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) block: usize,
    /// The byte at which the statement begins.
    pub(crate) start: usize,
}

/// A sequence of statements, such as the body of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The statement that contains the block. `None` for the body of the kernel.
    pub(crate) parent: Option<Place>,
    /// Whether new statements can be inserted into the block. This is impossible for a single statement without braces.
    pub(crate) takes_statements: bool,
    /// Whether the block is the body of a loop.
    pub(crate) is_loop: bool,
    /// The context of each statement with a site: the conditions that hold before it. The key is the first byte of the
    /// statement.
    pub(crate) contexts: FxHashMap<usize, Option<usize>>,
}

/// A condition that holds at a place of the text, with the context of the other conditions that hold there.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) before: Option<usize>,
    pub(crate) condition: Expr,
}

/// The role of a site (a place of the text that computes an integer).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The value of a variable's definition, given by its index in `definitions`.
    Definition(usize),
    /// An index or an offset.
    Address,
    /// A condition, a mask, or the bound of a loop.
    Condition,
    /// A value that the kernel uses in any other way.
    Value,
}

/// A place of the text that computes an integer.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The byte range that computes the value.
    pub(crate) span: Range<usize>,
    pub(crate) role: Role,
    pub(crate) place: Place,
    /// The value of the site. In this expression, definitions are variables.
    pub(crate) expr: Expr,
    /// The conditions that hold where the value is computed, as an index into `contexts`. `None` if there are none.
    pub(crate) context: Option<usize>,
    /// Whether a part of the value is computed with 64 bits. Otherwise each part is computed with 32 bits.
    pub(crate) is_wide: bool,
    /// Whether all numbers and conversions in the text are signed. Then only operations on unsigned variables are
    /// unsigned.
    pub(crate) is_signed: bool,
    /// The names of constants in the text of the site, with their values.
    pub(crate) numbers: Vec<(String, i64)>,
    /// Whether any expression can replace the text without parentheses. Otherwise, only a single word needs no
    /// parentheses.
    pub(crate) is_free: bool,
    /// A prefix that converts the text to the type that it must have, such as `(unsigned)`. It is empty if any integer
    /// type is allowed.
    pub(crate) conversion: &'static str,
}

/// The definition of a variable that is defined once and whose value can be read.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) variable: Arc<str>,
    /// The site that computes the value of the variable, as an index into `sites`.
    pub(crate) site: usize,
    /// The text to remove if the definition is no longer used: its declarator, such as `i = 0` in `int i = 0, j;`, or
    /// the whole statement.
    pub(crate) removal: Removal,
    /// Whether the definition must stay in the text, usually because the variable is used outside of sites.
    pub(crate) is_used_elsewhere: bool,
    /// Whether the value can also be computed at any later place, because no variable in it changes.
    pub(crate) is_constant: bool,
}

/// The text to remove when a definition has no remaining use.
#[derive(Clone, Debug)]
pub(crate) struct Removal {
    /// The statement.
    pub(crate) statement: Range<usize>,
    /// The declarators of the statement, in order, and the index of the declarator to remove. If there is only one
    /// declarator, the whole statement is removed.
    pub(crate) declarators: Vec<Range<usize>>,
    pub(crate) position: usize,
}

/// A place that stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotFollowed {
    pub(crate) span: Range<usize>,
    /// The reason, such as "the function `index` is not known".
    pub(crate) reason: String,
}

/// The most expression nodes in the value of a definition. A definition with a larger value is not inlined. The values
/// in real kernels have some tens of nodes.
const LARGEST: usize = 64;

impl Kernel {
    /// A kernel without any sites or facts.
    pub(crate) fn new(name: &str, span: Range<usize>) -> Kernel {
        Kernel {
            name: name.into(),
            span,
            domain: Domain::new(),
            variables: FxHashMap::default(),
            loops: Vec::new(),
            facts: Vec::new(),
            blocks: Vec::new(),
            sites: Vec::new(),
            definitions: Vec::new(),
            contexts: Vec::new(),
            words: Vec::new(),
            assumed: Vec::new(),
            not_followed: Vec::new(),
        }
    }

    /// Adds a fact, which refers to variables by their names in the source file. A fact with names that the kernel does
    /// not have is ignored.
    pub(crate) fn know(&mut self, fact: &Fact) {
        if let Fact::Range { name, range } = fact {
            let named =
                self.variables.iter().filter(|(_, v)| v.spelling == *name).map(|(variable, _)| variable.clone());
            let mut named: Vec<Arc<str>> = named.filter(|variable| self.definition(variable).is_none()).collect();
            named.sort();
            for variable in &named {
                // the declaration cannot fail, because the range was checked when the fact was read
                let _ = self.domain.declare(&format!("{variable}={range}"));
            }
            if !named.is_empty() {
                return;
            }
        }
        let is_known = |condition: &Expr| condition.variables().iter().all(|name| self.variables.contains_key(name));
        let conditions: Vec<Expr> = fact.conditions().into_iter().filter(is_known).collect();
        self.facts.extend(conditions);
    }

    /// Treats definitions with large values as plain variables.
    pub(crate) fn limit_definitions(&mut self) {
        let mut values: FxHashMap<Arc<str>, Expr> = FxHashMap::default();
        for definition in self.definitions.iter_mut().filter(|d| d.is_constant) {
            let value = substituted_all(&[self.sites[definition.site].expr.clone()], |name| values.get(name).cloned());
            let nodes = Dag::new(&value).nodes().len();
            match value.into_iter().next().filter(|_| nodes <= LARGEST) {
                Some(value) => drop(values.insert(definition.variable.clone(), value)),
                None => definition.is_constant = false,
            }
        }
    }

    /// The conditions of a context, the last condition first.
    pub(crate) fn conditions(&self, context: Option<usize>) -> Vec<&Expr> {
        let chain = std::iter::successors(context, |&at| self.contexts[at].before);
        chain.map(|at| &self.contexts[at].condition).collect()
    }

    /// The names of constants in the text of a site and in the texts of the definitions that it uses, by value.
    pub(crate) fn numbers(&self, site: usize) -> FxHashMap<i64, &str> {
        let (mut found, mut seen, mut sites) = (FxHashMap::default(), FxHashSet::default(), vec![site]);
        while let Some(site) = sites.pop() {
            if seen.insert(site) {
                let site = &self.sites[site];
                for (name, value) in &site.numbers {
                    found.entry(*value).or_insert(name.as_str());
                }
                sites.extend(site.expr.variables().iter().filter_map(|name| Some(self.definition(name)?.site)));
            }
        }
        found
    }

    /// The axes of a tensor along which the values of an expression vary, sorted and without duplicates.
    pub(crate) fn axes(&self, e: &Expr) -> Vec<&str> {
        let of = |name: Arc<str>| self.variables.get(&name).map(|v| &v.axes[..]).unwrap_or_default();
        let mut axes: Vec<&str> = e.variables().into_iter().flat_map(of).map(|axis| &**axis).collect();
        axes.sort_unstable();
        axes.dedup();
        axes
    }

    /// The definition of a variable, if it has one.
    pub(crate) fn definition(&self, variable: &str) -> Option<&Definition> {
        self.definitions.iter().find(|d| *d.variable == *variable)
    }
}
