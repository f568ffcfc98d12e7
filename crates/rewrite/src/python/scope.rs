//! Finds the assignment that gives a name its value at each place of a function.

use super::outline::{Kind, Outline};
use super::tree::Tree;
use crate::model::Place;
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The origin of the value of a slot (a name with one value).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// An argument of the function, with the text of its type.
    Parameter(Option<String>),
    /// A name from outside of the function.
    Global,
    /// An assignment of the value at this node. The node is the whole right side, or one item of a list on the right
    /// side.
    Value { node: usize, is_whole: bool },
    /// An assignment of a part of a value whose parts are not written out, as in `a, b = f(x)`.
    Part,
    /// The head of a loop over this node.
    Counter(usize),
    /// Several assignments. `values` are the right sides of plain assignments, and `changes` the operands of
    /// assignments such as `x += node`. If `is_open` is set, there are further assignments with unknown values.
    Several { values: Vec<usize>, changes: Vec<usize>, is_open: bool },
}

/// A name, with one of the values that it has in the function. For example, the counters of two loops with the same
/// name have two slots.
#[derive(Clone, Debug)]
pub(super) struct Slot<'t> {
    pub(super) name: &'t str,
    pub(super) source: Source,
    /// The statement that assigns the value.
    pub(super) declared: Place,
    /// Whether the value is known at compile time.
    pub(super) is_constexpr: bool,
    /// Whether the slot may have different values at different places.
    pub(super) changes: bool,
    /// The slot that determines the type of this slot.
    pub(super) typed_as: usize,
    /// Another slot of this name to which the value of this slot may flow.
    pub(super) joins: Option<usize>,
}

/// The slots of a function.
pub(super) struct Scope<'t> {
    pub(super) slots: Vec<Slot<'t>>,
    /// The slot of each node that is a name, and `usize::MAX` for all other nodes.
    of_node: Vec<usize>,
}

#[derive(Clone)]
struct Binding {
    source: BindingSource,
    declared: Place,
    is_constexpr: bool,
    /// The node of the name that gets a value.
    target: usize,
    /// The byte range in which the value may be used. Later assignments may be inside it.
    extent: Range<usize>,
}

#[derive(Clone, PartialEq, Eq)]
enum BindingSource {
    Of(Source),
    /// A change such as `x += node`.
    Change(usize),
    /// An assignment by a construct that is not analysed, such as a comprehension.
    Wild,
}

#[derive(Default)]
struct Name {
    bindings: Vec<Binding>,
    /// The nodes that use the name.
    uses: Vec<usize>,
}

impl Scope<'_> {
    /// The slot of the name at `node`.
    pub(super) fn slot(&self, node: usize) -> Option<usize> {
        self.of_node.get(node).copied().filter(|slot| *slot != usize::MAX)
    }

    /// The slot that determines the type of the name at `node`.
    pub(super) fn typed(&self, node: usize) -> Option<usize> {
        self.slot(node).map(|slot| self.slots[slot].typed_as)
    }
}

/// Whether the annotation says that a value is known at compile time.
fn is_constexpr(annotation: &str) -> bool {
    annotation.ends_with("constexpr")
}

/// Finds the slots (names with one value) of the function. The time is n log n for n nodes.
pub(super) fn scope<'t>(tree: &Tree<'t>, outline: &Outline) -> Scope<'t> {
    let mut names = Names { tree, order: Vec::new(), names: FxHashMap::default() };
    names.parameters(outline);
    names.counters(outline);
    for unit in &outline.units {
        let block = &outline.bodies[unit.block].span;
        let place = Place { block: unit.block, start: names.start(outline, unit.block, unit.node) };
        let behind = tree.span(unit.node).end..block.end;
        names.unit(unit.node, place, behind);
    }
    let mut scope = Scope { slots: Vec::new(), of_node: vec![usize::MAX; tree.nodes.len()] };
    let entry = Place { block: 0, start: tree.span(0).start };
    for name in names.order {
        if let Some(found) = names.names.remove(name) {
            scope.add(tree, outline, name, found, entry);
        }
    }
    scope
}

struct Names<'a, 't> {
    tree: &'a Tree<'t>,
    /// The names, in the order in which they were found.
    order: Vec<&'t str>,
    names: FxHashMap<&'t str, Name>,
}

impl<'t> Names<'_, 't> {
    fn name(&mut self, node: usize) -> &mut Name {
        let text = self.tree.text_of(node);
        self.names.entry(text).or_insert_with(|| {
            self.order.push(text);
            Name::default()
        })
    }

    /// The first byte of the statement that contains `node`.
    fn start(&self, outline: &Outline, block: usize, node: usize) -> usize {
        let at = self.tree.span(node).start;
        let statements = &outline.bodies[block].statements;
        let behind = statements.partition_point(|s| self.tree.span(s.node).start <= at);
        behind.checked_sub(1).map_or(at, |last| statements[last].place.start)
    }

    fn parameters(&mut self, outline: &Outline) {
        let tree = self.tree;
        let Some(parameters) = tree.child(0, "parameters") else { return };
        let end = outline.bodies.first().map_or(0, |body| body.span.end);
        for parameter in tree.children(parameters) {
            let annotation = tree.child(parameter, "type").map(|node| tree.text_of(node));
            let named = match tree.kind(parameter) {
                "identifier" => Some(parameter),
                _ => tree.child(parameter, "name").or_else(|| tree.children(parameter).next()),
            };
            let Some(target) = named.filter(|&node| tree.kind(node) == "identifier") else { continue };
            let binding = Binding {
                source: BindingSource::Of(Source::Parameter(annotation.map(String::from))),
                declared: Place { block: 0, start: tree.span(0).start },
                is_constexpr: annotation.is_some_and(is_constexpr),
                target,
                extent: tree.span(parameters).end..end,
            };
            self.name(target).bindings.push(binding);
        }
    }

    fn counters(&mut self, outline: &Outline) {
        let tree = self.tree;
        for statement in outline.bodies.iter().flat_map(|body| &body.statements) {
            let Kind::For { target, iterable, body } = statement.kind else { continue };
            let is_static = tree.text_of(iterable).contains("static_range");
            let is_one = tree.kind(target) == "identifier";
            for node in target..tree.node(target).end {
                if tree.kind(node) == "identifier" {
                    let binding = Binding {
                        source: BindingSource::Of(if is_one { Source::Counter(iterable) } else { Source::Part }),
                        declared: Place { block: body, start: outline.bodies[body].span.start.saturating_sub(1) },
                        is_constexpr: is_static,
                        target: node,
                        extent: outline.bodies[body].span.clone(),
                    };
                    self.name(node).bindings.push(binding);
                }
            }
        }
    }

    /// Collects all names in a unit (a part of the function that contains no block). The values that the unit assigns
    /// to names can be used in the byte range `behind`.
    fn unit(&mut self, unit: usize, place: Place, behind: Range<usize>) {
        let tree = self.tree;
        let mut targets: FxHashMap<usize, (BindingSource, bool)> = FxHashMap::default();
        if let Some(first) = tree.inner(unit).filter(|_| tree.kind(unit) == "expression_statement") {
            self.targets(first, &mut targets);
        }
        for node in unit..tree.node(unit).end {
            if tree.kind(node) != "identifier" || !is_value(tree, node) {
                continue;
            }
            let found =
                targets.remove(&node).or_else(|| is_wild(tree, node, unit).then_some((BindingSource::Wild, false)));
            let Some((source, is_constexpr)) = found else {
                self.name(node).uses.push(node);
                continue;
            };
            if let BindingSource::Change(_) = source {
                self.name(node).uses.push(node);
            }
            let binding = Binding { source, declared: place, is_constexpr, target: node, extent: behind.clone() };
            self.name(node).bindings.push(binding);
        }
    }

    /// Collects the names to which an assignment gives values. For each name, the flag says whether its value is known
    /// at compile time.
    fn targets(&self, node: usize, targets: &mut FxHashMap<usize, (BindingSource, bool)>) {
        let tree = self.tree;
        let (Some(left), Some(right)) = (tree.child(node, "left"), tree.child(node, "right")) else { return };
        let is_constexpr = tree.child(node, "type").is_some_and(|node| is_constexpr(tree.text_of(node)));
        match (tree.kind(node), tree.kind(left)) {
            ("augmented_assignment", "identifier") => {
                targets.insert(left, (BindingSource::Change(right), false));
            }
            ("assignment", "identifier") if tree.kind(right) != "assignment" => {
                let source = Source::Value { node: right, is_whole: true };
                targets.insert(left, (BindingSource::Of(source), is_constexpr));
            }
            ("assignment", "pattern_list" | "tuple_pattern" | "list_pattern") => {
                let names: Vec<usize> = tree.children(left).collect();
                let is_list = matches!(tree.kind(right), "expression_list" | "tuple" | "list");
                let items: Vec<usize> = if is_list { tree.children(right).collect() } else { Vec::new() };
                for (i, &name) in names.iter().enumerate().filter(|(_, name)| tree.kind(**name) == "identifier") {
                    let source = match items.get(i).filter(|_| items.len() == names.len()) {
                        Some(&node) => Source::Value { node, is_whole: false },
                        None => Source::Part,
                    };
                    targets.insert(name, (BindingSource::Of(source), false));
                }
            }
            _ => {}
        }
    }
}

/// Whether the identifier at `node` is a value or an assignment target. Otherwise it is the name of an attribute, of a
/// keyword argument, or of a type.
fn is_value(tree: &Tree, node: usize) -> bool {
    let of = tree.node(node);
    match tree.kind(of.parent) {
        "attribute" => of.field != Some("attribute"),
        "keyword_argument" => of.field != Some("name"),
        "type" => false,
        _ => true,
    }
}

/// Whether a construct that is not analysed, such as a comprehension, gives the identifier at `node` a value.
fn is_wild(tree: &Tree, node: usize, unit: usize) -> bool {
    let (mut child, mut levels) = (node, 0);
    // targets such as `(a, b)` in a comprehension have fewer than four levels
    while child != unit && levels < 4 {
        let parent = tree.node(child).parent;
        match tree.kind(parent) {
            "assignment" | "augmented_assignment" | "for_in_clause" | "for_statement" => {
                return tree.node(child).field == Some("left");
            }
            "named_expression" => return tree.node(child).field == Some("name"),
            "pattern_list" | "tuple_pattern" | "list_pattern" | "lambda_parameters" | "as_pattern_target" => {
                return true;
            }
            "global_statement" | "nonlocal_statement" | "delete_statement" | "parameters" => return true,
            "import_statement" | "import_from_statement" | "dotted_name" | "aliased_import" => return true,
            "function_definition" | "class_definition" => return tree.node(child).field == Some("name"),
            // an assignment to an element of a tensor does not assign a name
            "subscript" | "attribute" | "call" | "argument_list" => return false,
            _ => {}
        }
        (child, levels) = (parent, levels + 1);
    }
    false
}

/// A version of a name: the value that the name has in a whole range of the text.
struct Version {
    declared: Place,
    /// The index of the assignment that gives the value. `None` for the value after a statement such as an `if` that
    /// contains assignments.
    binding: Option<usize>,
    extent: Range<usize>,
}

/// The versions of a name in the order of the text. Their ranges do not overlap, and no range contains another
/// assignment.
fn versions(tree: &Tree, outline: &Outline, bindings: &[Binding]) -> Vec<Version> {
    let mut found = Vec::new();
    let mut seen: FxHashSet<Place> = FxHashSet::default();
    for (at, binding) in bindings.iter().enumerate() {
        found.push(Version { declared: binding.declared, binding: Some(at), extent: binding.extent.clone() });
        let mut parent = outline.blocks.get(binding.declared.block).and_then(|block| block.parent);
        while let Some(place) = parent.filter(|place| seen.insert(*place)) {
            let body = &outline.bodies[place.block];
            let statement = body.statements.partition_point(|statement| statement.place.start < place.start);
            if let Some(statement) = body.statements.get(statement) {
                let extent = tree.span(statement.node).end..body.span.end;
                found.push(Version { declared: place, binding: None, extent });
            }
            parent = outline.blocks[place.block].parent;
        }
    }
    found.retain(|version| {
        let Range { start, end } = version.extent;
        let behind = bindings.partition_point(|b| b.extent.start <= start);
        let before = bindings.partition_point(|b| b.extent.start < start);
        let is_alone = version.binding.is_none() || behind - before == 1;
        is_alone && bindings.get(behind).is_none_or(|next| next.extent.start > end)
    });
    found.sort_by_key(|version| (version.extent.start, version.extent.end));
    found
}

impl<'t> Scope<'t> {
    fn add(&mut self, tree: &Tree<'t>, outline: &Outline, name: &'t str, mut found: Name, entry: Place) {
        found.bindings.sort_by_key(|b| b.extent.start);
        let bindings = &found.bindings;
        if bindings.is_empty() {
            let slot = self.push(name, Source::Global, entry, true, false);
            found.uses.into_iter().for_each(|node| self.of_node[node] = slot);
            return;
        }
        let is_wild = bindings.iter().any(|b| b.source == BindingSource::Wild);
        let versions = if is_wild { Vec::new() } else { versions(tree, outline, bindings) };
        let version_of = |node: usize| {
            let at = tree.span(node).start;
            let behind = versions.partition_point(|version| version.extent.start <= at);
            behind.checked_sub(1).filter(|&last| at < versions[last].extent.end)
        };
        let of_uses: Vec<Option<usize>> = found.uses.iter().map(|&node| version_of(node)).collect();
        let is_plain =
            |version: &Version| version.binding.is_some_and(|at| matches!(bindings[at].source, BindingSource::Of(_)));
        let is_one = |version: &Option<usize>| version.is_some_and(|version| is_plain(&versions[version]));
        let are_plain = versions.iter().filter(|version| is_plain(version)).count() == bindings.len();
        // if a use may get its value from several assignments, a common slot represents all of them, with their common
        // type
        let all = (!are_plain || !of_uses.iter().all(is_one)).then(|| {
            let declared = bindings[0].declared;
            self.push(name, several(bindings), declared, false, true)
        });
        let mut slots: Vec<Option<usize>> = Vec::with_capacity(versions.len());
        for version in &versions {
            let binding = version.binding.map(|at| &bindings[at]);
            let slot = match (binding.map(|b| &b.source), all) {
                (Some(BindingSource::Of(source)), _) => {
                    let is_constexpr = binding.is_some_and(|b| b.is_constexpr);
                    self.push(name, source.clone(), version.declared, is_constexpr, false)
                }
                (_, Some(all)) => {
                    let slot = self.push(name, Source::Part, version.declared, false, false);
                    self.slots[slot].typed_as = all;
                    slot
                }
                // no name uses this version
                _ => {
                    slots.push(None);
                    continue;
                }
            };
            self.slots[slot].joins = all;
            slots.push(Some(slot));
        }
        // first give all assignments the common slot, and then give assignments with their own version the slot of that
        // version
        let of_all = bindings.iter().filter_map(|binding| Some((binding, all?)));
        of_all.for_each(|(binding, all)| self.of_node[binding.target] = all);
        for (version, slot) in versions.iter().zip(&slots) {
            let binding = version.binding.zip(*slot);
            binding.into_iter().for_each(|(at, slot)| self.of_node[bindings[at].target] = slot);
        }
        for (&node, version) in found.uses.iter().zip(of_uses) {
            let slot = version.and_then(|version| slots[version]).or(all);
            slot.into_iter().for_each(|slot| self.of_node[node] = slot);
        }
    }

    fn push(&mut self, name: &'t str, source: Source, declared: Place, is_constexpr: bool, changes: bool) -> usize {
        let typed_as = self.slots.len();
        self.slots.push(Slot { name, source, declared, is_constexpr, changes, typed_as, joins: None });
        typed_as
    }
}

/// The origin of a value that may come from any of these assignments.
fn several(bindings: &[Binding]) -> Source {
    let (mut values, mut changes, mut is_open) = (Vec::new(), Vec::new(), false);
    for binding in bindings {
        match binding.source {
            BindingSource::Of(Source::Value { node, .. }) => values.push(node),
            BindingSource::Change(node) => changes.push(node),
            _ => is_open = true,
        }
    }
    Source::Several { values, changes, is_open }
}
