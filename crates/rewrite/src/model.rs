//! Kernels of a source file, as all languages are read.
//!
//! A kernel has *sites*: places of the text that compute an integer. A site is an expression of variables. Those that the kernel defines once,
//! by an expression that can be read, are *definitions*; all others are taken as they are.

use crate::notes::Fact;
use quaff::domain::Domain;
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Dag, Expr};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

/// A function whose integers are looked at.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    /// The bytes of the function.
    pub(crate) span: Range<usize>,
    /// What is known of the variables: ranges of their types, of the machine, and those that notes and flags give.
    pub(crate) domain: Domain,
    /// By their names in expressions.
    pub(crate) variables: FxHashMap<Arc<str>, Variable>,
    /// In the order of the text.
    pub(crate) loops: Vec<Loop>,
    /// Conditions on the variables that hold everywhere.
    pub(crate) facts: Vec<Expr>,
    /// In the order of the text; a block comes behind the one around it. The first is the body.
    pub(crate) blocks: Vec<Block>,
    /// In the order in which they are read. A site may lie within another one, as the index of an element in an index does.
    pub(crate) sites: Vec<Site>,
    /// In the order of the text.
    pub(crate) definitions: Vec<Definition>,
    /// Conditions, each with the one it is added to. What holds at a place is a chain of them.
    pub(crate) contexts: Vec<Context>,
    /// Identifiers of the function, which new names have to differ from.
    pub(crate) words: Vec<String>,
    /// What the values rely on and the text does not guarantee, as sentences.
    pub(crate) assumed: Vec<String>,
    /// Places that are left as they are although they compute integers, with the reason.
    pub(crate) not_followed: Vec<NotFollowed>,
}

/// A variable of expressions.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    /// How the text spells it: `i`, `p.h`, `lens[b]`, `offs[:, None]`.
    pub(crate) spelling: String,
    /// The bytes of the text that it was read from, where it is a part that is not followed, such as `lens[b]`. Its sites are edited as well.
    pub(crate) source: Option<Range<usize>>,
    /// Whether its type has no sign, so that arithmetic with it may wrap around.
    pub(crate) is_unsigned: bool,
    /// Where its value is known: from the statement behind this place on.
    pub(crate) declared: Place,
    /// Whether it may have another value at another place, so that nothing that depends on it is moved.
    pub(crate) changes: bool,
    /// The axes of a tensor that its values lie along, each by some word; empty for one number. Another text for a site needs to have the
    /// same axes in all.
    pub(crate) axes: Vec<Arc<str>>,
}

/// A variable that counts the iterations of a loop.
#[derive(Clone, Debug)]
pub(crate) struct Loop {
    pub(crate) variable: Arc<str>,
    /// Its least value, where that is known.
    pub(crate) lower: Option<Expr>,
    /// Its greatest value.
    pub(crate) upper: Option<Expr>,
    /// The difference of neighbouring values, and one of its values; where it is not 1.
    pub(crate) step: Option<(i64, Expr)>,
    /// The variables of the loops around it, the outermost first.
    pub(crate) around: Vec<Arc<str>>,
}

/// A statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Place {
    pub(crate) block: usize,
    /// The first byte of the statement.
    pub(crate) start: usize,
}

/// Statements behind each other.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// The statement that holds the block; `None` for the body of the kernel.
    pub(crate) parent: Option<Place>,
    /// Whether a statement can be put in front of one of these. It cannot where the block is one statement without braces.
    pub(crate) takes_statements: bool,
    /// Whether the statements are repeated.
    pub(crate) is_loop: bool,
    /// What holds in front of each statement that has a site, by the first byte of the statement.
    pub(crate) contexts: FxHashMap<usize, Option<usize>>,
}

/// A condition that holds, and those that held before.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) before: Option<usize>,
    pub(crate) condition: Expr,
}

/// The role of a site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// The value of this definition.
    Definition(usize),
    /// An index or an offset.
    Address,
    /// A condition, mask or bound of a loop.
    Condition,
    /// Another value that the kernel uses.
    Value,
}

/// A place of the text that computes an integer.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The bytes that compute it.
    pub(crate) span: Range<usize>,
    pub(crate) role: Role,
    pub(crate) place: Place,
    /// The value. Definitions are variables in it.
    pub(crate) expr: Expr,
    /// What holds where it is computed: a position in `contexts`.
    pub(crate) context: Option<usize>,
    /// Whether a part of it is computed with 64 bits. Otherwise the language has 32 for each part.
    pub(crate) is_wide: bool,
    /// Whether its numbers and conversions have a sign. Then only an operation on a variable without one has none.
    pub(crate) is_signed: bool,
    /// The names for numbers that its text has, with their values.
    pub(crate) numbers: Vec<(String, i64)>,
    /// Whether its text may be any expression. Otherwise it needs parentheses unless it is one word.
    pub(crate) is_free: bool,
    /// The type that the text needs to have, as a prefix that converts to it, such as `(unsigned)`; empty where any integer will do.
    pub(crate) conversion: &'static str,
}

/// A variable that is defined once, and whose value can be read.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) variable: Arc<str>,
    /// Its value: a position in `sites`.
    pub(crate) site: usize,
    /// The bytes that declare it, from one declarator to the next, or the whole statement with its line: what goes when it is not used.
    pub(crate) removal: Removal,
    /// Whether something other than a site uses it.
    pub(crate) is_used_elsewhere: bool,
    /// Whether its value may be put in its place at any later place.
    pub(crate) is_constant: bool,
}

/// What is removed when a definition is not used any more.
#[derive(Clone, Debug)]
pub(crate) struct Removal {
    /// The statement.
    pub(crate) statement: Range<usize>,
    /// Its declarators, in order, and which of them it is; one of them alone is the statement.
    pub(crate) declarators: Vec<Range<usize>>,
    pub(crate) position: usize,
}

/// A place that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NotFollowed {
    pub(crate) span: Range<usize>,
    /// The reason, such as "the function `index` is not known".
    pub(crate) reason: String,
}

/// Nodes of the value of a definition that is put in the place of its variable. Real kernels have some tens.
const LARGEST: usize = 64;

impl Kernel {
    /// A function in which nothing is found.
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

    /// Adds a fact about the variables that the source calls by its names; one about others says nothing here.
    pub(crate) fn know(&mut self, fact: &Fact) {
        if let Fact::Range { name, range } = fact {
            let named =
                self.variables.iter().filter(|(_, v)| v.spelling == *name).map(|(variable, _)| variable.clone());
            let mut named: Vec<Arc<str>> = named.filter(|variable| self.definition(variable).is_none()).collect();
            named.sort();
            for variable in &named {
                // the form of the range was read before
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

    /// Makes definitions with large values variables that are taken as they are.
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

    /// The conditions of a context, the last one first.
    pub(crate) fn conditions(&self, context: Option<usize>) -> Vec<&Expr> {
        let chain = std::iter::successors(context, |&at| self.contexts[at].before);
        chain.map(|at| &self.contexts[at].condition).collect()
    }

    /// The names for numbers in the text of a site and in those of the definitions that it uses.
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

    /// The axes that the values of an expression lie along, each once and in order.
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
