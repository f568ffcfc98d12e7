//! Finds the parts of the text that become variables of expressions.

use super::calls::{Arguments, Callee, HINTS, machine_name};
use super::reader::Reader;
use super::scope::Source;
use super::tree::{is_axes, terms};
use super::variables::{Key, Known};
use crate::model::{Place, Variable};
use quaff::domain::{Bounds, Interval, interval_of};
use quaff::expr::{Expr, Op, int};
use std::sync::Arc;

/// The greatest signed value of 32 bits.
const MAX_INT: i64 = i32::MAX as i64;

/// The range of signed values of 32 bits.
pub(super) fn of_32_bits() -> Interval {
    Interval::from_wide(i32::MIN.into(), i32::MAX.into())
}

impl Reader<'_, '_> {
    /// The facts about a variable with a range, which is a plain number of 32 bits or a truth value.
    pub(super) fn known(&self, spelling: &str, declared: Place, range: Interval) -> Known {
        let variable = Variable {
            spelling: spelling.into(),
            source: None,
            is_unsigned: false,
            declared,
            changes: false,
            axes: Vec::new(),
        };
        let is_truth = (range == Interval::BOOL).then_some(true);
        Known {
            variable,
            range,
            bounds: None,
            value: None,
            is_truth,
            is_wide: false,
            is_constexpr: false,
            is_unit: false,
            suffixed: None,
        }
    }

    fn entry(&self) -> Place {
        Place { block: 0, start: self.tree.span(0).start }
    }

    /// Adds a variable. Adds its range to the facts of the kernel, unless its value is known.
    pub(super) fn add(&mut self, key: Key, base: &str, known: Known) -> usize {
        let bounds = known.bounds.clone().unwrap_or_else(|| known.range.into());
        let has_value = known.value.is_some();
        let is_counter = matches!(key, Key::Slot(slot) if matches!(self.scope.slots[slot].source, Source::Counter(_)));
        let at = self.variables.add(key, base, known);
        if !has_value {
            let name = Arc::clone(&self.variables.names[at]);
            self.domain.add_bounds(Arc::clone(&name), bounds);
            let block = self.variables.all[at].variable.declared.block;
            let around = self.loops.iter().filter(|(body, _)| *body <= block).map(|(_, counter)| Arc::clone(counter));
            let around: Vec<Arc<str>> = around.collect();
            if !around.is_empty() && !is_counter {
                self.domain = std::mem::take(&mut self.domain).computed_in(name, around);
            }
        }
        at
    }

    /// The variable of a slot, which is a name with one value.
    pub(super) fn slot(&mut self, slot: usize) -> usize {
        if let Some(at) = self.variables.get(&Key::Slot(slot)) {
            return at;
        }
        let of = &self.scope.slots[slot];
        let is_given = matches!(of.source, Source::Parameter(_) | Source::Global);
        let value = self.values.iter().rev().find(|(name, _)| name == of.name).filter(|_| is_given);
        let is_wide = match &of.source {
            Source::Parameter(annotation) => annotation.as_ref().is_some_and(|text| text.contains("64")),
            Source::Part | Source::Several { .. } => true,
            _ => false,
        };
        let range = match value {
            Some((_, value)) => Interval::point(*value),
            None if of.is_constexpr && matches!(of.source, Source::Parameter(_)) => {
                Interval::from_wide(0, MAX_INT.into())
            }
            None if is_wide => Interval::ALL,
            None => of_32_bits(),
        };
        let mut known = self.known(of.name, of.declared, range);
        known.is_wide = is_wide;
        known.is_constexpr = of.is_constexpr;
        known.variable.changes = of.changes;
        if !is_given && !matches!(of.source, Source::Counter(_)) {
            known.variable.axes = vec![of.name.into()];
        }
        if matches!(of.source, Source::Counter(_)) {
            known.is_truth = Some(false);
        }
        self.add(Key::Slot(slot), of.name, known)
    }

    /// Adds variables for all calls such as `tl.program_id(0)` in the function, so that facts can contain them.
    pub(super) fn calls(&mut self) {
        for node in 0..self.tree.nodes.len() {
            if self.tree.kind(node) == "call" && machine_name(self.tree, node).is_some() {
                self.of_call(node);
            }
        }
    }

    /// The variable of a call that has the same value everywhere: `tl.program_id`, `tl.num_programs` or `tl.arange`.
    pub(super) fn of_call(&mut self, node: usize) -> Option<usize> {
        let tree = self.tree;
        let Callee::Function(name) = Callee::of(tree, node) else { return None };
        let arguments = Arguments::of(tree, node);
        let text: String = tree.text_of(node).split_whitespace().collect();
        let entry = self.entry();
        if let Some(machine) = machine_name(tree, node) {
            let key = Key::Call(machine.clone());
            if let Some(at) = self.variables.get(&key) {
                return Some(at);
            }
            let range = match machine.as_str() {
                "program_id_0" => (0, MAX_INT - 1),
                "num_programs_0" => (1, MAX_INT),
                _ if name == "program_id" => (0, 65_534),
                _ => (1, 65_535),
            };
            let range = Interval::from_wide(range.0.into(), range.1.into());
            let mut known = self.known(tree.text_of(node), entry, range);
            known.is_truth = Some(false);
            return Some(self.add(key, &machine, known));
        }
        let ("arange", [start, end]) = (name, &arguments.positional[..]) else { return None };
        if !self.is_constexpr(*start) || !self.is_constexpr(*end) {
            return None;
        }
        let key = Key::Call(text);
        if let Some(at) = self.variables.get(&key) {
            return Some(at);
        }
        let (start, end) = (self.read(*start).ok()?.expr, self.read(*end).ok()?.expr);
        if let Op::Var(size) = end.op() {
            // the end of an `arange` is greater than its start
            let least = start.as_const().map_or_else(|| &start + 1, |start| int(start.saturating_add(1)));
            self.domain.add_bounds(Arc::clone(size), Bounds::new(Some(least), None));
        }
        let ends = [&start, &end].map(|end| interval_of(end, |name| self.variables.range(name)));
        let range = ends[0].hull(ends[1].plus(Interval::point(-1)));
        let words = [&start, &end].map(|end| match end.op() {
            Op::Var(_) | Op::Const(_) => format!("_{end}"),
            _ => String::new(),
        });
        let mut known = self.known(tree.text_of(node), entry, range);
        known.is_truth = Some(false);
        known.variable.axes = vec!["1".into()];
        let last = end.as_const().map_or_else(|| &end - 1, |end| int(end.saturating_sub(1)));
        known.bounds = Some(Bounds::new(Some(start), Some(last)));
        Some(self.add(key, &format!("arange{}{}", words[0], words[1]), known))
    }

    /// The variable of `value[:, None]` or `value.to(tl.int64)`, if `value` is a variable.
    pub(super) fn suffixed(&mut self, node: usize) -> Option<usize> {
        let tree = self.tree;
        let value = match tree.kind(node) {
            "subscript" if is_axes(tree, node) => tree.child(node, "value")?,
            "call" => match Callee::of(tree, node) {
                Callee::Method(object, "to") if self.is_wide_cast(node) => object,
                _ => return None,
            },
            _ => return None,
        };
        let is_name = tree.kind(value) == "identifier";
        // a conversion of a value that is not known to be an integer may still be an integer
        if !(self.types.is_int(value) || is_name && tree.kind(node) == "call") {
            return None;
        }
        let at = match self.scope.slot(value).filter(|_| is_name) {
            Some(slot) => self.slot(slot),
            None => self.of_call(value).or_else(|| self.suffixed(value))?,
        };
        let suffix: String = tree.text[tree.span(value).end..tree.span(node).end].split_whitespace().collect();
        Some(self.with_suffix(at, suffix, tree.text_of(node)))
    }

    /// Whether a type conversion preserves all values of 32 bits.
    fn is_wide_cast(&self, call: usize) -> bool {
        let arguments = Arguments::of(self.tree, call);
        let number = arguments.positional.last().copied().or_else(|| arguments.get(0, "dtype"));
        number.is_some_and(|number| matches!(self.tree.text_of(number), "tl.int64" | "tl.int32"))
    }

    /// The variable for the variable `at` followed by `suffix`, such as `[:, None]`.
    pub(super) fn with_suffix(&mut self, at: usize, suffix: String, spelling: &str) -> usize {
        let key = Key::Suffixed(at, suffix.clone());
        if let Some(found) = self.variables.get(&key) {
            return found;
        }
        let of = self.variables.all[at].clone();
        let mut known = self.known(spelling, of.variable.declared, of.range);
        known.is_truth = of.is_truth;
        known.is_unit = of.is_unit;
        known.is_wide = of.is_wide || suffix == ".to(tl.int64)";
        known.variable.changes = of.variable.changes;
        let is_axes = suffix.starts_with('[');
        known.variable.axes = match &of.variable.axes[..] {
            axes if !is_axes => axes.to_vec(),
            [one] if **one == *"1" => vec![if suffix == "[:]" { "1".into() } else { suffix.as_str().into() }],
            _ => vec![format!("{}{suffix}", self.variables.names[at]).into()],
        };
        let word = match suffix.as_str() {
            "[:,None]" => "col",
            "[None,:]" => "row",
            ".to(tl.int64)" => "wide",
            _ if is_axes => "axes",
            _ => "cast",
        };
        let base = format!("{}_{word}", self.variables.names[at]);
        known.suffixed = Some((at, suffix));
        known.bounds = of.bounds;
        self.add(key, &base, known)
    }

    /// The variable of a part of the text that is not analysed further, such as a load.
    pub(super) fn part(&mut self, node: usize) -> usize {
        let naming = self.naming.filter(|naming| naming.0 == node);
        if let Some(at) = self.variables.get(&Key::At(node)).filter(|_| naming.is_none()) {
            return at;
        }
        let is_load = |node: usize| Callee::of(self.tree, node).mask().is_some();
        let inner = self.inside_part(node);
        let is_loaded = is_load(inner.unwrap_or(node));
        let is_wide = !is_load(node) && !self.tree.text_of(node).ends_with(".to(tl.int32)");
        let reading = inner.filter(|&inner| self.types.is_int(inner)).and_then(|inner| self.read(inner).ok());
        let range = match &reading {
            _ if self.is_truth(node) => Interval::BOOL,
            Some(reading) => interval_of(&reading.expr, |name| self.variables.range(name)),
            None if is_loaded => of_32_bits(),
            None => Interval::ALL,
        };
        let axes = match reading {
            Some(reading) if self.tree.kind(node) == "call" => Some(self.axes_of([&reading.expr])),
            _ => self.axes_of_load(node),
        };
        if let Some((_, slot)) = naming {
            let of = &self.scope.slots[slot];
            let mut known = self.known(of.name, of.declared, range);
            known.variable.axes = axes.unwrap_or_else(|| vec![of.name.into()]);
            known.is_wide = is_wide;
            return self.add(Key::Slot(slot), of.name, known);
        }
        let mut known = self.known(self.tree.text_of(node), self.place, range);
        known.variable.source = Some(self.tree.span(node));
        known.is_wide = is_wide;
        known.variable.changes = true;
        let base = if is_load(node) { "loaded" } else { "part" };
        known.variable.axes = axes.unwrap_or_else(|| vec![format!("{base}{node}").into()]);
        self.add(Key::At(node), base, known)
    }

    fn is_truth(&self, node: usize) -> bool {
        matches!(self.tree.kind(node), "comparison_operator" | "not_operator" | "boolean_operator")
    }

    /// If a part is a conversion, a hint or a change of axes, the node inside it that has the same values.
    fn inside_part(&self, node: usize) -> Option<usize> {
        let tree = self.tree;
        let first = || Arguments::of(tree, node).positional.first().copied();
        match tree.kind(node) {
            "subscript" if is_axes(tree, node) => tree.child(node, "value"),
            "call" => match Callee::of(tree, node) {
                Callee::Method(object, "to") if self.is_wide_cast(node) => Some(object),
                Callee::Function("cast") if self.is_wide_cast(node) => first(),
                Callee::Function(name) if HINTS.contains(&name) => first(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The axes of a tensor that is loaded from a pointer argument. They are the axes of the offsets and of the mask.
    fn axes_of_load(&mut self, node: usize) -> Option<Vec<Arc<str>>> {
        let tree = self.tree;
        let Callee::Function("load") = Callee::of(tree, node) else { return None };
        let arguments = Arguments::of(tree, node);
        let mut parts = terms(tree, arguments.get(0, "pointer")?);
        let pointer = parts.iter().position(|term| self.types.is_pointer(term.1))?;
        let slot = self.scope.slot(parts.remove(pointer).1)?;
        if !matches!(self.scope.slots[slot].source, Source::Parameter(_)) {
            return None;
        }
        parts.extend(arguments.mask(tree, 1).map(|mask| (true, mask)));
        let mut values: Vec<Expr> = Vec::new();
        for (_, part) in parts {
            values.push(self.types.is_int(part).then(|| self.read(part))?.ok()?.expr);
        }
        Some(self.axes_of(&values))
    }

    /// The axes of all variables in these values.
    pub(super) fn axes_of<'e>(&self, values: impl IntoIterator<Item = &'e Expr>) -> Vec<Arc<str>> {
        let variables = values.into_iter().flat_map(|value| self.variables_of(value));
        let mut axes: Vec<Arc<str>> =
            variables.flat_map(|at| self.variables.all[at].variable.axes.iter().cloned()).collect();
        axes.sort();
        axes.dedup();
        axes
    }

    /// The variables in `expr`.
    pub(super) fn variables_of(&self, expr: &Expr) -> Vec<usize> {
        expr.variables().iter().filter_map(|name| self.variables.named(name)).collect()
    }
}
