//! Infers which values are integers. Python declares no types, so the types follow from operands and from uses.

use super::calls::{Arguments, Callee, HINTS, range_of};
use super::outline::Outline;
use super::scope::{Scope, Slot, Source};
use super::tree::{Tree, is_arithmetic, is_axes};
use std::collections::BTreeSet;

/// The most passes over all values. If the type of a loop-carried value is still unknown after these passes, the value
/// counts as no integer.
const MAX_PASSES: usize = 6;

/// The most nodes that are visited to check whether a value consists of arguments and numbers.
const MAX_ASSUMED: usize = 200;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Type {
    /// The type is not known yet.
    #[default]
    Unset,
    /// An integer, a truth value, or a tensor of integers or truth values.
    Int,
    Pointer,
    /// Any other type, such as a float, or an undetermined type.
    Other,
}

impl Type {
    /// The type of a value that has one of these two types, depending on the control flow.
    fn or(self, other: Type) -> Type {
        match (self, other) {
            (Type::Unset, known) | (known, Type::Unset) => known,
            (a, b) if a == b => a,
            _ => Type::Other,
        }
    }
}

/// The types of a function's syntax nodes and slots (names with one value).
pub(super) struct Types {
    of_node: Vec<Type>,
    pub(super) of_slot: Vec<Type>,
    /// Arguments that are assumed to be integers, because they are compared with integers.
    pub(super) assumed: BTreeSet<usize>,
}

impl Types {
    pub(super) fn is_int(&self, node: usize) -> bool {
        self.of_node[node] == Type::Int
    }

    pub(super) fn is_pointer(&self, node: usize) -> bool {
        self.of_node[node] == Type::Pointer
    }

    pub(super) fn of_slot(&self, slot: &Slot) -> Type {
        self.of_slot[slot.typed_as]
    }
}

pub(super) struct Inference<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) scope: &'a Scope<'t>,
    pub(super) outline: &'a Outline,
    /// For each node, the type that follows from its uses: integer, pointer or unknown.
    pub(super) used_as: Vec<Type>,
    /// For each slot (a name with one value), the type that follows from its uses.
    pub(super) slot_used_as: Vec<Type>,
    /// For each node, whether its operands allow that it is a pointer.
    pub(super) may_be_pointer: Vec<bool>,
    pub(super) types: Types,
    /// Whether further arguments may be assumed to be integers.
    assumes: bool,
    pub(super) todo: Vec<(usize, Type)>,
}

/// Infers the types of a function. The slots in `known` are integers, because facts contain them.
///
/// Each pass takes linear time, and the number of passes is small.
pub(super) fn types(tree: &Tree, scope: &Scope, outline: &Outline, known: &[usize]) -> Types {
    let types = Types {
        of_node: vec![Type::Unset; tree.nodes.len()],
        of_slot: vec![Type::Unset; scope.slots.len()],
        assumed: BTreeSet::new(),
    };
    let used_as = vec![Type::Unset; tree.nodes.len()];
    let slot_used_as = vec![Type::Unset; scope.slots.len()];
    let mut inference = Inference {
        tree,
        scope,
        outline,
        used_as,
        slot_used_as,
        may_be_pointer: vec![false; tree.nodes.len()],
        types,
        assumes: true,
        todo: Vec::new(),
    };
    for &slot in known {
        inference.slot_is(scope.slots[slot].typed_as, Type::Int);
    }
    inference.declared();
    inference.uses();
    inference.candidates();
    inference.addresses();
    inference.settle();
    inference.types
}

impl Inference<'_, '_> {
    /// Sets the types of annotated names and of loop counters.
    fn declared(&mut self) {
        for (at, slot) in self.scope.slots.iter().enumerate() {
            match &slot.source {
                Source::Parameter(Some(text)) if is_integer_type(text) => self.slot_is(at, Type::Int),
                Source::Counter(iterable) if range_of(self.tree, *iterable).is_some() => self.slot_is(at, Type::Int),
                _ => {}
            }
        }
    }
}

fn is_integer_type(text: &str) -> bool {
    let name = text.trim_matches(['"', '\'']).rsplit('.').next().unwrap_or_default();
    matches!(name, "int" | "int32" | "int64" | "uint32" | "i32" | "i64")
}

/// Infers the types of values from their operands.
impl Inference<'_, '_> {
    fn settle(&mut self) {
        for _ in 0..MAX_PASSES {
            let before = (self.types.of_slot.clone(), self.types.assumed.len());
            self.pass();
            if before == (self.types.of_slot.clone(), self.types.assumed.len()) {
                return;
            }
        }
        // loop-carried values whose type is still unknown become `Other`. Then one pass determines all other types
        self.assumes = false;
        for (slot, found) in self.types.of_slot.iter_mut().enumerate() {
            if self.scope.slots[slot].changes && self.slot_used_as[slot] == Type::Unset {
                (*found, self.slot_used_as[slot]) = (Type::Other, Type::Other);
            }
        }
        self.pass();
    }

    fn pass(&mut self) {
        for unit in &self.outline.units {
            let nodes = unit.node..self.tree.node(unit.node).end;
            for node in nodes.clone().rev() {
                self.types.of_node[node] = self.type_of(node);
            }
            // determine the types of assigned names after the types of the statement's expressions
            nodes.for_each(|node| self.bind(node));
        }
    }

    /// If `node` is a name that gets a value, sets the type of its slot. Also sets the type of the joined slot to which
    /// the value may flow.
    fn bind(&mut self, node: usize) {
        let of = self.tree.node(node);
        let is_listed = || matches!(self.tree.kind(of.parent), "pattern_list" | "tuple_pattern" | "list_pattern");
        if of.kind != "identifier" || of.field != Some("left") && !is_listed() {
            return;
        }
        let slots =
            self.scope.typed(node).into_iter().chain(self.scope.slot(node).and_then(|s| self.scope.slots[s].joins));
        for slot in slots.filter(|&slot| self.slot_used_as[slot] == Type::Unset).collect::<Vec<_>>() {
            let of = |node: &usize| self.types.of_node[*node];
            self.types.of_slot[slot] = match &self.scope.slots[slot].source {
                Source::Value { node, .. } => of(node),
                Source::Several { values, changes, is_open } => {
                    let open = if *is_open { Type::Other } else { Type::Unset };
                    values.iter().chain(changes).map(of).fold(open, Type::or)
                }
                _ => Type::Other,
            };
        }
    }

    fn type_of(&mut self, node: usize) -> Type {
        if self.tree.kind(node) == "comparison_operator" {
            self.compared(node);
        }
        if self.used_as[node] != Type::Unset {
            return self.used_as[node];
        }
        let tree = self.tree;
        let of = |node: usize| self.types.of_node[node];
        let all = |nodes: &[usize]| nodes.iter().map(|&node| of(node)).fold(Type::Unset, Type::or);
        match tree.kind(node) {
            "integer" | "true" | "false" | "comparison_operator" | "not_operator" | "boolean_operator" => Type::Int,
            "identifier" => self.scope.typed(node).map_or(Type::Other, |slot| self.of_slot(slot)),
            "parenthesized_expression" => tree.inner(node).map_or(Type::Other, of),
            "unary_operator" => tree.child(node, "argument").map_or(Type::Other, of),
            "binary_operator" => {
                let sides: Vec<Type> = tree.children(node).map(of).collect();
                match (tree.sign(node), &sides[..]) {
                    ("+" | "-", [Type::Pointer, _] | [_, Type::Pointer]) => Type::Pointer,
                    (sign, [a, b]) if is_arithmetic(sign) => a.or(*b),
                    _ => Type::Other,
                }
            }
            "conditional_expression" => {
                let parts: Vec<usize> = tree.children(node).collect();
                if let [then, _, otherwise] = parts[..] { of(then).or(of(otherwise)) } else { Type::Other }
            }
            "subscript" if is_axes(tree, node) => tree.child(node, "value").map_or(Type::Other, of),
            "call" => {
                let (callee, arguments) = (Callee::of(tree, node), Arguments::of(tree, node));
                match callee {
                    Callee::Function("arange" | "program_id" | "num_programs" | "cdiv") => Type::Int,
                    Callee::Helper("div_floor_integer" | "remainder_integer") => Type::Int,
                    Callee::Function("where") if arguments.positional.len() == 3 => all(&arguments.positional[1..]),
                    Callee::Function("cast" | "full" | "zeros") | Callee::Method(_, "to") => {
                        let last = arguments.positional.last().into_iter().chain(arguments.named.iter().map(|n| &n.1));
                        let is_integer = last.into_iter().any(|&n| is_integer_type(tree.text_of(n)));
                        if is_integer { Type::Int } else { Type::Other }
                    }
                    Callee::Function(name) if HINTS.contains(&name) => {
                        all(&arguments.positional[..1.min(arguments.positional.len())])
                    }
                    _ if callee.is_read(tree, node) => all(&arguments.positional),
                    _ => Type::Other,
                }
            }
            _ => Type::Other,
        }
    }

    /// The type of a slot. It is `Other` for an argument or a global name without a known type.
    fn of_slot(&self, slot: usize) -> Type {
        match (self.types.of_slot[slot], &self.scope.slots[slot].source) {
            (Type::Unset, Source::Parameter(_) | Source::Global) => Type::Other,
            (found, _) => found,
        }
    }

    /// If one operand of a comparison is an integer, assumes that the other operand is one, too, if it consists of
    /// arguments and numbers.
    fn compared(&mut self, comparison: usize) {
        let operands: Vec<usize> = self.tree.children(comparison).collect();
        let is_known = |&&node: &&usize| self.types.of_node[node] == Type::Int && self.tree.kind(node) != "integer";
        if !self.assumes || !operands.iter().any(|node| is_known(&node)) {
            return;
        }
        for operand in operands {
            if self.types.of_node[operand] == Type::Int {
                continue;
            }
            let mut slots = Vec::new();
            let mut budget = MAX_ASSUMED;
            if self.is_of_arguments(operand, &mut slots, &mut budget) {
                self.types.assumed.extend(slots);
                self.is_int(operand);
            }
        }
    }

    /// Whether `node` consists of numbers, integers and arguments. The arguments are collected in `slots`.
    fn is_of_arguments(&self, node: usize, slots: &mut Vec<usize>, budget: &mut usize) -> bool {
        let mut todo = vec![node];
        while let Some(node) = todo.pop() {
            let Some(rest) = budget.checked_sub(1) else { return false };
            *budget = rest;
            if self.types.of_node[node] == Type::Int {
                continue;
            }
            let Some(slot) = self.scope.typed(node) else {
                let operands = self.operands(node);
                if operands.is_empty() {
                    return false;
                }
                todo.extend(operands);
                continue;
            };
            match (&self.scope.slots[slot].source, self.types.of_slot[slot]) {
                (_, Type::Int) => {}
                (Source::Parameter(_), Type::Unset) => slots.push(slot),
                (Source::Value { node, .. }, Type::Unset | Type::Other) => todo.push(*node),
                _ => return false,
            }
        }
        true
    }
}
