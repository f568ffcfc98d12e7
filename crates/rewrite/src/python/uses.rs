//! Infers the types of values from their uses.

use super::calls::{Arguments, Callee, HINTS};
use super::scope::Source;
use super::tree::{is_arithmetic, is_axes, terms};
use super::types::{Inference, Type};

impl Inference<'_, '_> {
    /// Finds the operands and arguments that must be integers because of the operations that use them.
    pub(super) fn uses(&mut self) {
        for node in 0..self.tree.nodes.len() {
            match self.tree.kind(node) {
                "binary_operator" if matches!(self.tree.sign(node), "//" | "<<" | ">>" | "&" | "|" | "^") => {
                    let operands: Vec<usize> = self.tree.children(node).collect();
                    operands.into_iter().for_each(|operand| self.is_int(operand));
                }
                "call" => self.arguments(node),
                _ => {}
            }
        }
    }

    fn arguments(&mut self, call: usize) {
        let callee = Callee::of(self.tree, call);
        let arguments = Arguments::of(self.tree, call);
        match callee {
            Callee::Function("range" | "static_range" | "arange" | "cdiv" | "program_id" | "num_programs") => {
                arguments.positional.iter().for_each(|&argument| self.is_int(argument));
            }
            Callee::Function("advance") => arguments.get(1, "offsets").into_iter().for_each(|n| self.items(n)),
            Callee::Function("make_block_ptr" | "make_tensor_descriptor") => {
                let lists = [(1, "shape"), (2, "strides"), (3, "offsets")];
                lists.iter().filter_map(|(at, name)| arguments.get(*at, name)).for_each(|n| self.items(n));
            }
            Callee::Helper("div_floor_integer" | "remainder_integer") => {
                arguments.positional.iter().for_each(|&argument| self.is_int(argument));
            }
            _ => {
                let mask = callee.mask().and_then(|at| arguments.mask(self.tree, at));
                mask.into_iter().for_each(|mask| self.is_int(mask));
            }
        }
    }

    fn items(&mut self, list: usize) {
        let items: Vec<usize> = self.tree.children(list).collect();
        if matches!(self.tree.kind(list), "tuple" | "list") {
            items.into_iter().for_each(|item| self.is_int(item));
        }
    }

    pub(super) fn is_int(&mut self, node: usize) {
        self.todo.push((node, Type::Int));
        self.spread();
    }

    pub(super) fn slot_is(&mut self, slot: usize, found: Type) {
        if self.slot_used_as[slot] != Type::Unset {
            return;
        }
        self.slot_used_as[slot] = found;
        self.types.of_slot[slot] = found;
        match &self.scope.slots[slot].source {
            Source::Value { node, .. } => self.todo.push((*node, found)),
            Source::Several { values, changes, .. } => {
                self.todo.extend(values.iter().map(|&node| (node, found)));
                // the operand of `x += node` is an integer, even if `x` is a pointer
                self.todo.extend(changes.iter().map(|&node| (node, Type::Int)));
            }
            _ => {}
        }
    }

    /// Propagates types from values to their operands. Each node is visited once.
    fn spread(&mut self) {
        while let Some((node, found)) = self.todo.pop() {
            if self.used_as[node] != Type::Unset {
                continue;
            }
            self.used_as[node] = found;
            if let Some(slot) = self.scope.typed(node) {
                self.slot_is(slot, found);
                continue;
            }
            if found == Type::Pointer {
                // `addresses` determines the types of the terms of a pointer
                continue;
            }
            let operands = self.operands(node);
            self.todo.extend(operands.into_iter().map(|operand| (operand, Type::Int)));
        }
    }

    /// The operands of `node` that must be integers if `node` is an integer.
    pub(super) fn operands(&self, node: usize) -> Vec<usize> {
        let tree = self.tree;
        match tree.kind(node) {
            "parenthesized_expression" | "unary_operator" => tree.children(node).collect(),
            "binary_operator" if is_arithmetic(tree.sign(node)) => tree.children(node).collect(),
            "conditional_expression" => {
                let parts: Vec<usize> = tree.children(node).collect();
                parts.first().into_iter().chain(parts.get(2)).copied().collect()
            }
            "subscript" if is_axes(tree, node) => tree.child(node, "value").into_iter().collect(),
            "call" => {
                let callee = Callee::of(tree, node);
                let arguments = Arguments::of(tree, node).positional;
                match callee {
                    Callee::Function("where") => arguments.into_iter().skip(1).collect(),
                    Callee::Function(name) if HINTS.contains(&name) => arguments.into_iter().take(1).collect(),
                    _ if callee.is_read(tree, node) => arguments,
                    _ => Vec::new(),
                }
            }
            _ => Vec::new(),
        }
    }
}

/// Infers the types of the terms of addresses. One term is the pointer, and all other terms are integers.
impl Inference<'_, '_> {
    pub(super) fn addresses(&mut self) {
        let mut queue: Vec<usize> = (0..self.tree.nodes.len())
            .filter(|&node| self.tree.kind(node) == "call" && Callee::of(self.tree, node).mask().is_some())
            .filter_map(|node| Arguments::of(self.tree, node).get(0, "pointer"))
            .collect();
        // terms that cannot be pointers, such as products, are excluded before a pointer is chosen
        for &address in &queue {
            let terms = terms(self.tree, address);
            for &(_, term) in terms.iter().filter(|_| terms.len() > 1) {
                if !self.may_be_pointer(term) {
                    self.is_int(term);
                }
            }
        }
        let mut seen = vec![false; self.tree.nodes.len()];
        queue.reverse();
        while let Some(address) = queue.pop() {
            if std::mem::replace(&mut seen[address], true) {
                continue;
            }
            let terms = terms(self.tree, address);
            let Some(pointer) = self.pointer(&terms) else { continue };
            terms.iter().filter(|t| t.1 != pointer).for_each(|t| self.is_int(t.1));
            self.todo.push((pointer, Type::Pointer));
            self.spread();
            match self.scope.typed(pointer).map(|slot| &self.scope.slots[slot].source) {
                Some(Source::Value { node, .. }) => queue.push(*node),
                Some(Source::Several { values, .. }) => queue.extend(values),
                Some(_) => {}
                None => match self.tree.kind(pointer) {
                    "parenthesized_expression" => queue.extend(self.tree.inner(pointer)),
                    "conditional_expression" => {
                        let parts: Vec<usize> = self.tree.children(pointer).collect();
                        queue.extend(parts.first().into_iter().chain(parts.get(2)));
                    }
                    _ => {}
                },
            }
        }
    }

    /// The term of an address that is its pointer. It is a term whose name indicates a pointer, or else the first term
    /// that may be a pointer.
    fn pointer(&self, terms: &[(bool, usize)]) -> Option<usize> {
        if let [(_, only)] = terms {
            return Some(*only);
        }
        let may_be = |t: &&(bool, usize)| t.0 && self.may_be_pointer(t.1);
        let is_named = |t: &&(bool, usize)| {
            let name = self.tree.text_of(t.1);
            self.scope.typed(t.1).is_some() && (name.contains("ptr") || name.contains("pointer"))
        };
        terms.iter().filter(may_be).find(is_named).or_else(|| terms.iter().find(may_be)).map(|t| t.1)
    }

    /// Whether the term may be a pointer.
    fn may_be_pointer(&self, term: usize) -> bool {
        let slot = self.scope.typed(term).map_or(Type::Unset, |slot| self.slot_used_as[slot]);
        match (self.used_as[term], slot) {
            (Type::Unset, Type::Unset) => self.may_be_pointer[term],
            (used, slot) => used == Type::Pointer || slot == Type::Pointer,
        }
    }

    /// Marks the nodes whose operands allow that they are pointers.
    pub(super) fn candidates(&mut self) {
        let of_slot = self.scope.slots.iter().map(|slot| match &slot.source {
            Source::Parameter(_) => !slot.is_constexpr,
            Source::Part | Source::Global => true,
            Source::Several { is_open, .. } => *is_open,
            Source::Value { .. } | Source::Counter(_) => false,
        });
        let mut of_slot: Vec<bool> = of_slot.collect();
        for unit in &self.outline.units {
            let nodes = unit.node..self.tree.node(unit.node).end;
            for node in nodes.clone().rev() {
                self.may_be_pointer[node] = match self.scope.typed(node) {
                    Some(slot) => of_slot[slot],
                    None => self.is_candidate(node),
                };
            }
            let joins = |node: usize| self.scope.slot(node).and_then(|slot| self.scope.slots[slot].joins);
            for slot in nodes.flat_map(|node| self.scope.typed(node).into_iter().chain(joins(node))) {
                match &self.scope.slots[slot].source {
                    Source::Value { node, .. } => of_slot[slot] = self.may_be_pointer[*node],
                    Source::Several { values, .. } => {
                        of_slot[slot] |= values.iter().any(|&node| self.may_be_pointer[node]);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Whether a node that is not a name may be a pointer.
    fn is_candidate(&self, node: usize) -> bool {
        let tree = self.tree;
        let mut inside = tree.children(node).map(|child| self.may_be_pointer[child]);
        match tree.kind(node) {
            "parenthesized_expression" | "conditional_expression" | "subscript" => inside.any(|may_be| may_be),
            "binary_operator" if matches!(tree.sign(node), "+" | "-") => inside.any(|may_be| may_be),
            "call" => {
                let integers = ["arange", "program_id", "num_programs", "cdiv"];
                !matches!(Callee::of(tree, node), Callee::Function(name) if integers.contains(&name))
            }
            _ => false,
        }
    }
}
