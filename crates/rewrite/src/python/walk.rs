//! Visits the statements of a kernel and collects its sites (parts that compute integers), in the order of the text.

use super::calls::{Arguments, Callee};
use super::facts::Facts;
use super::outline::{Kind, Outline, Statement};
use super::reader::{Reader, Reading};
use super::scope::{Scope, Source};
use super::tree::{Tree, terms};
use super::types::{Type, Types};
use super::variables::Known;
use crate::model::{Context, Definition, Loop, NotFollowed, Place, Role, Site};
use quaff::expr::Expr;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The state of the walk, with the parts of the kernel that are collected.
pub(super) struct Walk<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) scope: &'a Scope<'t>,
    pub(super) types: &'a Types,
    pub(super) outline: &'a mut Outline,
    pub(super) reader: Reader<'a, 't>,
    pub(super) facts: Facts,
    pub(super) sites: Vec<Site>,
    pub(super) definitions: Vec<Definition>,
    pub(super) contexts: Vec<Context>,
    pub(super) loops: Vec<Loop>,
    pub(super) not_followed: Vec<NotFollowed>,
    /// For each node, whether it is a name inside a site. The definition of a name that is used elsewhere stays in the
    /// text.
    pub(super) is_read: Vec<bool>,
    /// The values of variables such as `x[:, None]` that were already determined. `None` if a value is unknown or too
    /// large.
    pub(super) along_axes: FxHashMap<usize, Option<Expr>>,
}

/// The place and context in which a value is computed, and the role of the value.
#[derive(Clone, Copy)]
pub(super) struct At {
    pub(super) role: Role,
    pub(super) place: Place,
    pub(super) context: Option<usize>,
    /// Whether a new text of the value needs no parentheses.
    pub(super) is_free: bool,
}

impl Walk<'_, '_> {
    /// Reads the statements of a block, and of all blocks in it. The function calls itself for inner blocks, whose
    /// depth is limited.
    pub(super) fn block(&mut self, block: usize, mut context: Option<usize>) {
        let statements = std::mem::take(&mut self.outline.bodies[block].statements);
        for statement in &statements {
            self.outline.blocks[block].contexts.entry(statement.place.start).or_insert(context);
            self.reader.place = statement.place;
            context = self.statement(statement, context);
        }
        self.outline.bodies[block].statements = statements;
    }

    /// Reads one statement and returns the context after it.
    fn statement(&mut self, statement: &Statement, context: Option<usize>) -> Option<usize> {
        let at = At { role: Role::Condition, place: statement.place, context, is_free: true };
        match &statement.kind {
            Kind::Simple => self.simple(statement, At { role: Role::Value, ..at }),
            Kind::If(arms) => self.choice(arms, at),
            &Kind::For { iterable, body, target } => {
                self.range(iterable, at);
                self.counted(target, iterable, body, context);
                context
            }
            &Kind::While { condition, body } => {
                self.value(condition, at);
                let holds = self.conditions(condition);
                let inside = self.with(context, holds);
                self.block(body, inside);
                context
            }
            Kind::Other(blocks) => {
                blocks.iter().for_each(|&block| self.block(block, context));
                context
            }
        }
    }

    fn choice(&mut self, arms: &[(Option<usize>, usize)], at: At) -> Option<usize> {
        let mut before = at.context;
        let mut behind = at.context;
        let mut leaves = true;
        for &(condition, body) in arms {
            let mut inside = before;
            let mut otherwise = Vec::new();
            if let Some(condition) = condition {
                self.reader.place = at.place;
                self.value(condition, At { context: before, ..at });
                let holds = self.conditions(condition);
                otherwise = self.opposite(condition);
                inside = self.with(before, holds);
            }
            self.block(body, inside);
            before = self.with(before, otherwise);
            // if all branches so far leave the block, the statements after the `if` are executed only where all
            // conditions so far are false
            leaves &= condition.is_some() && self.leaves(body);
            if leaves {
                behind = before;
            }
        }
        behind
    }

    /// Whether execution never continues after a block, because the block returns or leaves a loop.
    fn leaves(&self, block: usize) -> bool {
        let last = self.outline.bodies[block].statements.last();
        last.is_some_and(|last| {
            matches!(self.tree.kind(last.node), "return_statement" | "continue_statement" | "break_statement")
        })
    }

    fn simple(&mut self, statement: &Statement, at: At) -> Option<usize> {
        let tree = self.tree;
        let node = statement.node;
        match tree.kind(node) {
            "expression_statement" => {
                for part in tree.children(node).collect::<Vec<_>>() {
                    match tree.kind(part) {
                        "assignment" => self.assignment(part, statement, at),
                        "augmented_assignment" => self.augmented(part, at),
                        _ => self.value(part, at),
                    }
                }
            }
            "return_statement" => tree.children(node).collect::<Vec<_>>().into_iter().for_each(|n| self.value(n, at)),
            _ => {}
        }
        let mut context = at.context;
        if let Some(condition) = self.assumed(node) {
            let holds = self.conditions(condition);
            context = self.with(context, holds);
        }
        for slot in self.bound(node) {
            context = self.facts_of(slot, context);
        }
        context
    }

    /// The condition of `tl.assume(c)` or `tl.static_assert(c)`.
    fn assumed(&self, statement: usize) -> Option<usize> {
        let call = self.tree.inner(statement).filter(|&call| self.tree.kind(call) == "call")?;
        match Callee::of(self.tree, call) {
            Callee::Function("assume" | "static_assert") => Arguments::of(self.tree, call).positional.first().copied(),
            _ => None,
        }
    }

    /// The slots (names with one value) to which a statement assigns values.
    fn bound(&self, statement: usize) -> Vec<usize> {
        let tree = self.tree;
        let assignment = tree.inner(statement).filter(|&part| tree.kind(part) == "assignment");
        let Some(left) = assignment.and_then(|part| tree.child(part, "left")) else { return Vec::new() };
        let slots = (left..tree.node(left).end).filter_map(|node| self.scope.slot(node));
        slots.filter(|&slot| !self.scope.slots[slot].changes).collect()
    }

    fn assignment(&mut self, part: usize, statement: &Statement, at: At) {
        let tree = self.tree;
        let (Some(left), Some(right)) = (tree.child(part, "left"), tree.child(part, "right")) else { return };
        match tree.kind(left) {
            "identifier" => {
                if !self.define(left, right, statement, at) {
                    self.assigned(left, right, at);
                }
            }
            "pattern_list" | "tuple_pattern" | "list_pattern" => {
                let names: Vec<usize> = tree.children(left).collect();
                let items: Vec<usize> = tree.children(right).collect();
                let is_list = matches!(tree.kind(right), "expression_list" | "tuple" | "list");
                if !is_list || names.len() != items.len() {
                    return self.value(right, at);
                }
                for (name, item) in names.into_iter().zip(items) {
                    if tree.kind(name) != "identifier" || !self.define(name, item, statement, at) {
                        self.assigned(name, item, at);
                    }
                }
            }
            _ => {
                self.value(left, at);
                match tree.kind(right) {
                    "assignment" => self.assignment(right, statement, at),
                    _ => self.value(right, at),
                }
            }
        }
    }

    /// Reads the right side of an assignment that does not define a name.
    fn assigned(&mut self, left: usize, right: usize, at: At) {
        let is_pointer =
            self.scope.slot(left).is_some_and(|slot| self.types.of_slot(&self.scope.slots[slot]) == Type::Pointer);
        match is_pointer {
            true => self.address(right, At { role: Role::Address, ..at }),
            false => self.value(right, at),
        }
    }

    fn augmented(&mut self, part: usize, at: At) {
        let tree = self.tree;
        let (Some(left), Some(right)) = (tree.child(part, "left"), tree.child(part, "right")) else { return };
        let is_pointer =
            self.scope.slot(left).is_some_and(|slot| self.types.of_slot(&self.scope.slots[slot]) == Type::Pointer);
        let role = if is_pointer { Role::Address } else { Role::Value };
        self.value(right, At { role, ..at });
    }

    /// Reads the arguments of `range` in the head of a loop.
    fn range(&mut self, iterable: usize, at: At) {
        match Callee::of(self.tree, iterable) {
            Callee::Function("range") => {
                let arguments = Arguments::of(self.tree, iterable).positional;
                arguments.into_iter().for_each(|argument| self.value(argument, at));
            }
            _ => self.value(iterable, at),
        }
    }
}

/// Reads values.
impl Walk<'_, '_> {
    /// Finds the sites in the value at `node`. The function calls itself for inner nodes, whose depth is limited.
    pub(super) fn value(&mut self, node: usize, at: At) {
        let tree = self.tree;
        match tree.kind(node) {
            "string" | "concatenated_string" | "lambda" | "type" => return,
            "integer" if at.role == Role::Value => return,
            "list_comprehension" | "generator_expression" | "set_comprehension" | "dictionary_comprehension" => return,
            "call" if Callee::of(tree, node).is_kept() => return,
            "call" if Callee::of(tree, node).mask().is_some() => return self.memory(node, at),
            _ => {}
        }
        if self.types.is_int(node) && self.site(&[(true, node)], tree.span(node), at) {
            return;
        }
        self.inside(node, at);
    }

    /// Finds the sites in the operands of a value that is not itself a site.
    fn inside(&mut self, node: usize, at: At) {
        let tree = self.tree;
        let is_free = matches!(
            tree.kind(node),
            "argument_list" | "parenthesized_expression" | "tuple" | "list" | "expression_list" | "keyword_argument"
        );
        // an operand of a condition also has the role of a condition if its new text needs no parentheses
        let role = if is_free && at.role == Role::Condition { Role::Condition } else { Role::Value };
        for child in tree.children(node).collect::<Vec<_>>() {
            // `x[:, None]` and `x.to(tl.int64)` are variables as a whole, and the name `x` in them is no site
            let is_part = matches!(tree.node(child).field, Some("value" | "object")) && !is_free;
            let is_name = matches!(tree.node(child).field, Some("name" | "attribute" | "function"))
                || is_part && tree.kind(child) == "identifier";
            match (is_name, tree.kind(child)) {
                (true, "attribute") => self.value(child, At { role, is_free: false, ..at }),
                (true, _) => {}
                _ => self.value(child, At { role, is_free, ..at }),
            }
        }
    }

    /// Reads a memory access, such as a call of `tl.load`.
    fn memory(&mut self, call: usize, at: At) {
        let tree = self.tree;
        let arguments = Arguments::of(tree, call);
        let mask = Callee::of(tree, call).mask().and_then(|place| arguments.mask(tree, place));
        let holds = mask.map(|mask| self.conditions(mask)).unwrap_or_default();
        let pointer = arguments.get(0, "pointer");
        let at = At { is_free: true, ..at };
        if let Some(pointer) = pointer {
            let context = self.with(at.context, holds);
            self.address(pointer, At { role: Role::Address, context, ..at });
        }
        for &argument in arguments.positional.iter().chain(arguments.named.iter().map(|named| &named.1)) {
            let role = if Some(argument) == mask { Role::Condition } else { Role::Value };
            if Some(argument) != pointer {
                self.value(argument, At { role, ..at });
            }
        }
    }

    /// Finds the offsets that are added to the pointer of an address.
    pub(super) fn address(&mut self, node: usize, at: At) {
        let tree = self.tree;
        if tree.kind(node) == "parenthesized_expression" {
            return tree.inner(node).into_iter().for_each(|inner| self.address(inner, At { is_free: true, ..at }));
        }
        let all = terms(tree, node);
        if all.len() == 1 {
            // the address is a pointer without an offset
            let is_name = tree.kind(node) == "identifier";
            if !is_name {
                self.value(node, At { role: Role::Value, ..at });
            }
            return;
        }
        let Some(pointer) = all.iter().position(|term| self.types.is_pointer(term.1)) else {
            let reason = "no term of this address is known to be its pointer".into();
            self.not_followed.push(NotFollowed { span: tree.span(node), reason });
            return;
        };
        self.offset(&all[..pointer], at);
        self.address(all[pointer].1, At { is_free: false, ..at });
        self.offset(&all[pointer + 1..], at);
    }

    /// Reads adjacent terms of a sum. Several terms form one site if the first of them is not subtracted.
    fn offset(&mut self, terms: &[(bool, usize)], at: At) {
        let (Some(first), Some(last)) = (terms.first(), terms.last()) else { return };
        let at = At { is_free: false, ..at };
        let span = self.tree.span(first.1).start..self.tree.span(last.1).end;
        if terms.len() > 1 && first.0 && self.site(terms, span, at) {
            return;
        }
        terms.iter().for_each(|term| self.value(term.1, at));
    }

    /// Adds a site for these terms of a sum. Returns false if they cannot be read. Then smaller parts of the sum may be
    /// sites.
    fn site(&mut self, terms: &[(bool, usize)], span: Range<usize>, at: At) -> bool {
        let reading = match self.reader.read_sum(terms, span.clone()) {
            Ok(reading) => reading,
            Err(not_followed) => {
                self.not_followed.push(not_followed);
                return false;
            }
        };
        let variables = self.reader.variables_of(&reading.expr);
        let is_number = variables.is_empty();
        // the text of a compile-time constant stays, because it costs nothing, and some functions require such a
        // constant
        let is_kept = variables.iter().all(|&variable| self.reader.variables.all[variable].is_constexpr);
        if is_kept && at.role != Role::Address && !(is_number && at.role == Role::Condition) {
            self.inside_parts(&reading, at);
            return true;
        }
        let is_truth = matches!(terms, [(_, node)] if self.reader.truth(*node) == Some(true));
        let role = if is_truth && at.role == Role::Value { Role::Condition } else { at.role };
        self.add(reading, span, At { role, ..at });
        true
    }

    /// Adds a site for an expression that was read. Returns its index, or `None` if the text cannot be changed.
    pub(super) fn add(&mut self, reading: Reading, span: Range<usize>, at: At) -> Option<usize> {
        let variables = self.reader.variables_of(&reading.expr);
        let of = |&at: &usize| &self.reader.variables.all[at];
        let has_axes = variables.iter().map(of).any(|known| !known.variable.axes.is_empty());
        let reason = if self.tree.has_comment(&span) {
            Some("a comment is inside of it")
        } else if !has_axes && variables.iter().map(of).any(|known| known.is_unit) {
            Some("it is a tensor of one element")
        } else {
            None
        };
        self.inside_parts(&reading, at);
        if let Some(reason) = reason {
            self.not_followed.push(NotFollowed { span, reason: reason.into() });
            return None;
        }
        for &name in &reading.names {
            self.is_read[name] = true;
        }
        let of = |&at: &usize| &self.reader.variables.all[at];
        let is_wide = variables.iter().map(of).any(|known| known.is_wide);
        let named = |known: &Known| Some((known.variable.spelling.clone(), known.range.as_point()?));
        let numbers = variables.iter().filter_map(|at| named(of(at))).collect();
        let At { role, place, context, is_free } = at;
        let expr = reading.expr;
        let (is_signed, conversion) = (true, "");
        self.sites.push(Site { span, role, place, expr, context, is_wide, is_signed, numbers, is_free, conversion });
        Some(self.sites.len() - 1)
    }

    /// Finds the sites inside the parts of the text that became variables of an expression.
    fn inside_parts(&mut self, reading: &Reading, at: At) {
        for &part in &reading.parts {
            let at = At { role: Role::Value, is_free: true, ..at };
            match self.tree.kind(part) {
                "call" if Callee::of(self.tree, part).is_kept() => {}
                "call" if Callee::of(self.tree, part).mask().is_some() => self.memory(part, at),
                _ => self.inside(part, At { is_free: false, ..at }),
            }
        }
    }

    /// Whether the slot (a name with one value) gets its value from one assignment.
    pub(super) fn is_value(&self, slot: usize) -> bool {
        matches!(self.scope.slots[slot].source, Source::Value { .. })
    }
}
