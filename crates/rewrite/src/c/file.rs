//! Reads the text outside of functions: macros, constants, type names, notes, and the list of functions.

use super::names::{DIVISOR, Name};
use super::tree::{children, identifiers};
use crate::notes::{Fact, facts, note};
use crate::options::Options;
use quaff_dialects::IntegerType;
use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::{Node, Tree};

/// The declarations, macros and notes of a file that its functions use, and the functions.
pub(super) struct File<'t> {
    pub(super) text: &'t str,
    pub(super) functions: Vec<Function<'t>>,
    /// The meanings of the names that the file declares outside of functions.
    pub(super) names: FxHashMap<&'t str, Name>,
    /// Aliases of integer types, such as `index_t` in `using index_t = int;`.
    pub(super) types: FxHashMap<&'t str, &'t str>,
    /// Functions of the file that may change one of their arguments, such as `void f(int& i)`.
    pub(super) changing: FxHashSet<&'t str>,
    /// Functions of the file that change none of their arguments.
    pub(super) harmless: FxHashSet<&'t str>,
    pub(super) macros: FxHashMap<&'t str, Vec<Macro<'t>>>,
    /// Notes outside of functions that apply to all functions.
    pub(super) notes: Vec<Node<'t>>,
}

/// A macro definition.
pub(super) struct Macro<'t> {
    pub(super) text: &'t str,
    /// The identifiers in the macro's text that are not its parameters.
    pub(super) names: Vec<&'t str>,
}

/// A function definition.
pub(super) struct Function<'t> {
    pub(super) node: Node<'t>,
    pub(super) name: &'t str,
    pub(super) is_of_device: bool,
    /// The parameter lists of the templates around the function.
    pub(super) templates: Vec<Node<'t>>,
    /// The comments directly before the function.
    pub(super) comments: Vec<Node<'t>>,
}

impl<'t> File<'t> {
    pub(super) fn new(text: &'t str, tree: &'t Tree, options: &Options) -> File<'t> {
        let (functions, notes) = (Vec::new(), Vec::new());
        let (names, types) = (FxHashMap::default(), FxHashMap::default());
        let (changing, harmless) = (FxHashSet::default(), FxHashSet::default());
        let macros = macros(text, tree.root_node());
        let mut file = File { text, functions, names, types, changing, harmless, macros, notes };
        file.scan(tree.root_node(), options);
        file
    }

    pub(super) fn of(&self, node: Node<'t>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// Reads everything outside of functions, in the order of the text.
    fn scan(&mut self, root: Node<'t>, options: &Options) {
        let mut undefined = FxHashSet::default();
        let mut tasks = vec![(root, Vec::new())];
        while let Some((node, templates)) = tasks.pop() {
            let mut inner: Vec<(Node<'t>, Vec<Node<'t>>)> = Vec::new();
            let mut comments: Vec<Node<'t>> = Vec::new();
            for child in children(node) {
                match child.kind() {
                    "comment" => {
                        let is_apart = comments
                            .last()
                            .is_some_and(|last| last.end_position().row + 1 < child.start_position().row);
                        if is_apart {
                            self.notes.append(&mut comments);
                        }
                        comments.push(child);
                        continue;
                    }
                    "function_definition" => self.function(child, templates.clone(), std::mem::take(&mut comments)),
                    "template_declaration" => self.template(child, templates.clone(), std::mem::take(&mut comments)),
                    "preproc_def" => self.define(child, &mut undefined),
                    "preproc_call" if self.of(child).starts_with("#undef") => {
                        undefined.insert(self.of(child).trim_start_matches("#undef").trim());
                    }
                    "declaration" if child.has_error() && function_declarator(child).is_some() => self.broken(child),
                    "declaration" => self.declaration(child, &mut undefined),
                    "alias_declaration" | "type_definition" => self.alias(child),
                    // the text inside a header guard is read. Text under other preprocessor conditions is skipped
                    "preproc_ifdef" if is_guard(child, self.text) => inner.push((child, templates.clone())),
                    "struct_specifier" if child.child_by_field_name("name").is_some_and(|n| self.of(n) == DIVISOR) => {}
                    "namespace_definition"
                    | "linkage_specification"
                    | "declaration_list"
                    | "class_specifier"
                    | "struct_specifier"
                    | "field_declaration_list" => inner.push((child, templates.clone())),
                    "ERROR" => self.broken(child),
                    _ => {}
                }
                self.notes.append(&mut comments);
            }
            self.notes.append(&mut comments);
            tasks.extend(inner.into_iter().rev());
        }
        self.functions.sort_by_key(|f| f.node.start_byte());
        undefined.iter().for_each(|name| drop(self.names.remove(name)));
        for (name, value) in &options.values {
            let known = self.names.get_mut(name.as_str());
            if let Some((known, ty)) = known.and_then(|known| known.integer().map(|ty| (known, ty))) {
                *known = Name::constant(*value, ty);
            }
        }
    }

    /// Reads the template of a function. Other templates are skipped.
    fn template(&mut self, node: Node<'t>, mut templates: Vec<Node<'t>>, comments: Vec<Node<'t>>) {
        templates.extend(node.child_by_field_name("parameters"));
        for child in children(node) {
            match child.kind() {
                "function_definition" => return self.function(child, templates, comments),
                "template_declaration" => templates.extend(child.child_by_field_name("parameters")),
                _ => {}
            }
        }
    }

    fn function(&mut self, node: Node<'t>, templates: Vec<Node<'t>>, comments: Vec<Node<'t>>) {
        let Some(declarator) = function_declarator(node) else { return };
        let Some(name) = declarator.child_by_field_name("declarator") else { return };
        let name = self.of(name);
        let before = &self.text[node.start_byte()..declarator.start_byte()];
        let is_of_device = before.contains("__global__") || before.contains("__device__");
        let parameters = declarator.child_by_field_name("parameters").map(|p| self.of(p)).unwrap_or_default();
        let is_const = |p: &str| identifiers(p).any(|word| word == "const");
        let changes = parameters.split(',').any(|p| p.contains('&') && !is_const(p));
        if changes {
            self.changing.insert(name)
        } else {
            self.harmless.insert(name)
        };
        self.functions.push(Function { node, name, is_of_device, templates, comments });
    }

    /// If the syntax error at `node` contains the head of a function, records the function, so that the report names
    /// it.
    fn broken(&mut self, node: Node<'t>) {
        let text = self.of(node);
        let qualifier = ["__global__", "__device__"].into_iter().find_map(|word| text.find(word));
        // text without `__global__` or `__device__` counts as a function only if it has a body
        let Some(head) = text.get(qualifier.unwrap_or(0)..).filter(|_| qualifier.is_some() || text.contains('{'))
        else {
            return;
        };
        let is_name = |name: &&str| !name.is_empty() && !matches!(*name, "__launch_bounds__" | "__attribute__");
        let names = head.match_indices('(').map(|(at, _)| identifiers(&head[..at]).last().unwrap_or_default());
        if let Some(name) = names.into_iter().find(is_name) {
            let (templates, comments) = (Vec::new(), Vec::new());
            self.functions.push(Function { node, name, is_of_device: qualifier.is_some(), templates, comments });
        }
    }

    /// Reads a macro such as `#define TILE 32`.
    fn define(&mut self, node: Node<'t>, undefined: &mut FxHashSet<&'t str>) {
        let Some(name) = node.child_by_field_name("name").map(|n| self.of(n)) else { return };
        let value = node.child_by_field_name("value").map(|v| self.of(v).trim()).unwrap_or_default();
        match number(value) {
            Some((value, ty)) if self.macros.get(name).is_some_and(|texts| texts.len() == 1) => {
                self.names.insert(name, Name::constant(value, ty));
            }
            _ => drop(undefined.insert(name)),
        }
    }

    /// Reads declarations such as `constexpr int TILE = 32;` and `__constant__ int n;`.
    fn declaration(&mut self, node: Node<'t>, undefined: &mut FxHashSet<&'t str>) {
        let Some(ty) = node.child_by_field_name("type").and_then(|ty| self.integer(self.of(ty))) else { return };
        let mut words = self.of(node).split_whitespace();
        let is_constant = words.any(|word| matches!(word, "const" | "constexpr" | "__constant__"));
        for declarator in node.children_by_field_name("declarator", &mut node.walk()) {
            let (name, value) = match declarator.kind() {
                "identifier" => (declarator, None),
                "init_declarator" => {
                    let Some(name) = declarator.child_by_field_name("declarator") else { continue };
                    (name, declarator.child_by_field_name("value").and_then(|v| number(self.of(v))))
                }
                _ => continue,
            };
            if name.kind() == "identifier" && is_constant {
                let name = self.of(name);
                let other = || Name::Integer { variable: name.into(), ty };
                let known = value.map_or_else(other, |(value, _)| Name::constant(value, ty));
                // a name that two namespaces declare has no known meaning
                if self.names.insert(name, known).is_some() {
                    undefined.insert(name);
                }
            }
        }
    }

    /// Reads type aliases such as `using index_t = int;` and `typedef int index_t;`.
    fn alias(&mut self, node: Node<'t>) {
        let name = node.child_by_field_name("name").or_else(|| node.child_by_field_name("declarator"));
        let Some((name, ty)) = name.zip(node.child_by_field_name("type")) else { return };
        if IntegerType::named(self.of(ty)).is_some() {
            self.types.insert(self.of(name), self.of(ty));
        }
    }

    /// The integer type that `words` name.
    pub(super) fn integer(&self, words: &str) -> Option<IntegerType> {
        let known = |word: &'_ str| self.types.get(word).copied();
        if words.split_whitespace().any(|word| word == "volatile") {
            return None;
        }
        IntegerType::named(words).or_else(|| IntegerType::named(known(words.trim())?))
    }
}

/// The facts of each note among `comments`, or the error message if the note is invalid.
pub(super) fn facts_of<'t>(
    text: &str,
    comments: impl IntoIterator<Item = Node<'t>>,
) -> Vec<(Node<'t>, Result<Vec<Fact>, String>)> {
    let notes = comments.into_iter().filter_map(|c| note(&text[c.byte_range()]).map(|note| (c, facts(note))));
    notes.collect()
}

/// The declarator of a function: the part with its name and its parameters.
pub(super) fn function_declarator(node: Node<'_>) -> Option<Node<'_>> {
    let mut inner = node.child_by_field_name("declarator")?;
    while inner.kind() != "function_declarator" {
        inner = inner.child_by_field_name("declarator").or_else(|| inner.named_child(0))?;
    }
    Some(inner)
}

/// The value and the type of `text`, if it is an integer literal, with or without parentheses.
fn number(text: &str) -> Option<(i64, IntegerType)> {
    let inner = text.trim().strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text).trim();
    let ty = IntegerType::of_literal(inner.trim_start_matches(['-', '+']))?;
    let read = quaff_dialects::read(inner, quaff_dialects::Dialect::C).ok()?;
    Some((read.results[0].expr().as_const()?, ty))
}

/// All macros, by name.
fn macros<'t>(text: &'t str, root: Node<'t>) -> FxHashMap<&'t str, Vec<Macro<'t>>> {
    let (mut found, mut cursor) = (FxHashMap::<&str, Vec<Macro>>::default(), root.walk());
    loop {
        let node = cursor.node();
        if matches!(node.kind(), "preproc_def" | "preproc_function_def") {
            let of = |name: &str| node.child_by_field_name(name).map(|part| &text[part.byte_range()]);
            if let Some(name) = of("name") {
                let (text, parameters) = (of("value").unwrap_or_default(), of("parameters").unwrap_or_default());
                let parameters: FxHashSet<&str> = identifiers(parameters).collect();
                let names = identifiers(text).filter(|name| !parameters.contains(name)).collect();
                found.entry(name).or_default().push(Macro { text, names });
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Whether `node` is `#ifndef NAME`, followed by the definition of `NAME`.
pub(super) fn is_guard(node: Node, text: &str) -> bool {
    let of = |n: Node| &text[n.byte_range()];
    let first = node.named_child(1).filter(|first| first.kind() == "preproc_def");
    let defined = first.and_then(|first| first.child_by_field_name("name")).map(of);
    of(node).starts_with("#ifndef") && defined.is_some() && defined == node.child_by_field_name("name").map(of)
}
