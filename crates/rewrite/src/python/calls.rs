//! Recognises function calls by the name of the function.

use super::tree::Tree;

/// The function of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee<'t> {
    /// A function `tl.name`, or a name without a prefix.
    Function(&'t str),
    /// A function `triton_helpers.name`.
    Helper(&'t str),
    /// A method `object.name`, with the node of the object.
    Method(usize, &'t str),
    Other,
}

/// The arguments of a call.
pub(super) struct Arguments<'t> {
    pub(super) positional: Vec<usize>,
    pub(super) named: Vec<(&'t str, usize)>,
}

/// Functions whose arguments are not rewritten, because they are values for the compiler, strings, or hints for people.
const KEPT: [&str; 11] = [
    "print",
    "static_assert",
    "static_print",
    "static_range",
    "device_print",
    "device_assert",
    "assume",
    "arange",
    "zeros",
    "full",
    "inline_asm_elementwise",
];

/// Functions that return their first argument and state a fact about it.
pub(super) const HINTS: [&str; 3] = ["multiple_of", "max_contiguous", "max_constancy"];

/// Functions of integers that can be read as expressions of the engine.
const READ: [&str; 9] = ["cdiv", "minimum", "maximum", "where", "abs", "min", "max", "logical_and", "logical_or"];

impl<'t> Callee<'t> {
    pub(super) fn of(tree: &Tree<'t>, call: usize) -> Callee<'t> {
        let Some(function) = tree.child(call, "function") else { return Callee::Other };
        if tree.kind(function) == "identifier" {
            return Callee::Function(tree.text_of(function));
        }
        let parts = [tree.child(function, "object"), tree.child(function, "attribute")];
        let ("attribute", [Some(object), Some(name)]) = (tree.kind(function), parts) else { return Callee::Other };
        match tree.text_of(object) {
            "tl" | "triton.language" | "language" | "triton" => Callee::Function(tree.text_of(name)),
            "triton_helpers" => Callee::Helper(tree.text_of(name)),
            _ => Callee::Method(object, tree.text_of(name)),
        }
    }

    /// Whether the arguments of the function are not rewritten.
    pub(super) fn is_kept(self) -> bool {
        matches!(self, Callee::Function(name) if KEPT.contains(&name))
    }

    /// The position of the mask argument, if the function accesses memory. `None` for other functions.
    pub(super) fn mask(self) -> Option<usize> {
        match self {
            Callee::Function("load") => Some(1),
            Callee::Function("store") => Some(2),
            Callee::Function(name) if name.starts_with("atomic_") => Some(if name == "atomic_cas" { 3 } else { 2 }),
            _ => None,
        }
    }

    /// Whether the call is one of the functions `READ` with integers as arguments.
    pub(super) fn is_read(self, tree: &Tree, call: usize) -> bool {
        match self {
            // with one argument, `tl.min` is the least element of a tensor, and not the minimum of two integers
            Callee::Function("min" | "max") => {
                tree.child(call, "function").is_some_and(|function| tree.kind(function) == "identifier")
            }
            Callee::Function(name) => READ.contains(&name),
            _ => false,
        }
    }
}

impl<'t> Arguments<'t> {
    pub(super) fn of(tree: &Tree<'t>, call: usize) -> Arguments<'t> {
        let mut arguments = Arguments { positional: Vec::new(), named: Vec::new() };
        let Some(list) = tree.child(call, "arguments") else { return arguments };
        for argument in tree.children(list) {
            match [tree.child(argument, "name"), tree.child(argument, "value")] {
                [Some(name), Some(value)] if tree.kind(argument) == "keyword_argument" => {
                    arguments.named.push((tree.text_of(name), value));
                }
                _ => arguments.positional.push(argument),
            }
        }
        arguments
    }

    /// The argument at `position`, or the keyword argument `name`.
    pub(super) fn get(&self, position: usize, name: &str) -> Option<usize> {
        let named = || self.named.iter().find(|(found, _)| *found == name).map(|(_, node)| *node);
        self.positional.get(position).copied().or_else(named)
    }

    /// The mask argument of an access to memory, if there is one.
    pub(super) fn mask(&self, tree: &Tree, position: usize) -> Option<usize> {
        self.get(position, "mask").filter(|&mask| tree.kind(mask) != "none")
    }
}

/// The name of the variable for a call that returns a number of the machine: `program_id_0` for `tl.program_id(0)`.
pub(super) fn machine_name(tree: &Tree, call: usize) -> Option<String> {
    let Callee::Function(name @ ("program_id" | "num_programs")) = Callee::of(tree, call) else { return None };
    let axis = tree.text_of(Arguments::of(tree, call).get(0, "axis")?);
    matches!(axis, "0" | "1" | "2").then(|| format!("{name}_{axis}"))
}

/// The nodes of the start, end and step of a `range` loop. The start and the step may be missing.
pub(super) fn range_of(tree: &Tree, iterable: usize) -> Option<(Option<usize>, usize, Option<usize>)> {
    let Callee::Function("range" | "static_range") = Callee::of(tree, iterable) else { return None };
    match Arguments::of(tree, iterable).positional[..] {
        [end] => Some((None, end, None)),
        [start, end] => Some((Some(start), end, None)),
        [start, end, step] => Some((Some(start), end, Some(step))),
        _ => None,
    }
}
