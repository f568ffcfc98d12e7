//! Finds the names whose values change, before the statements of a function are read.

use super::file::{File, Macro};
use super::tree::children;
use rustc_hash::FxHashSet;
use tree_sitter::Node;

/// The results of a first pass over a function.
#[derive(Default)]
pub(super) struct Changes<'t> {
    /// Names that are assigned or whose address is taken, except loop counters that only the head of the loop changes.
    pub(super) changing: FxHashSet<&'t str>,
    /// Names that occur on the left side of `>>`.
    pub(super) shifted: FxHashSet<&'t str>,
    /// All identifiers of the function.
    pub(super) words: FxHashSet<&'t str>,
    pub(super) comments: Vec<Node<'t>>,
    /// A jump such as `goto`, if the function has one.
    pub(super) jump: Option<Node<'t>>,
}

/// Prefixes of the names of functions that are assumed to change none of their arguments.
const HARMLESS: &[&str] = &["__", "atomic", "printf", "assert", "static_assert"];

/// Functions of C++ and of CUDA that change none of their arguments.
const KNOWN: &[&str] = &[
    "min",
    "max",
    "abs",
    "fabs",
    "fabsf",
    "fminf",
    "fmaxf",
    "fmin",
    "fmax",
    "sqrt",
    "sqrtf",
    "rsqrtf",
    "rsqrt",
    "exp",
    "expf",
    "exp2f",
    "log",
    "logf",
    "log2f",
    "pow",
    "powf",
    "tanh",
    "tanhf",
    "floor",
    "floorf",
    "ceil",
    "ceilf",
    "fma",
    "fmaf",
    "float",
    "int",
    "half",
    "double",
    "float2",
    "float4",
    "make_float2",
    "make_float4",
    "make_int2",
    "make_int4",
    "umin",
    "umax",
    "cdiv",
    "ceil_div",
    "std::min",
    "std::max",
    "isnan",
    "isinf",
    "roundf",
    "round",
    "erff",
    "sinf",
    "cosf",
    "rintf",
];

/// Finds the names in `function` whose values change.
pub(super) fn changes<'t>(file: &File<'t>, function: Node<'t>) -> Changes<'t> {
    let mut found = Changes::default();
    let mut nodes = vec![function];
    while let Some(node) = nodes.pop() {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => drop(found.words.insert(file.of(node))),
            "comment" => found.comments.push(node),
            "goto_statement" => found.jump = Some(node),
            "gnu_asm_output_operand" => found.changed(file, field("value")),
            "assignment_expression" => found.changed(file, field("left")),
            "binary_expression" if field("operator").is_some_and(|sign| file.of(sign) == ">>") => {
                let name = field("left").filter(|left| left.kind() == "identifier");
                found.shifted.extend(name.map(|name| file.of(name)));
            }
            "update_expression" => found.changed(file, field("argument")),
            "pointer_expression" if file.of(node).starts_with('&') => found.changed(file, field("argument")),
            "call_expression" => found.called(file, node),
            "reference_declarator" => {
                // a reference may change the variable to which it refers
                let value = node.parent().and_then(|declarator| declarator.child_by_field_name("value"));
                found.changed(file, value);
                found.changed(file, node.named_child(0));
            }
            "for_statement" => {
                // the update of a loop head changes only its own counter
                let counter = counter(file, node);
                let update = field("update").filter(|update| counter.is_some() && counter == updated(file, *update));
                nodes.extend(children(node).into_iter().filter(|c| Some(*c) != update));
                continue;
            }
            "lambda_capture_specifier" => continue,
            _ => {}
        }
        nodes.extend(children(node));
    }
    found.comments.sort_by_key(Node::start_byte);
    found.changed_by_macros(file);
    found
}

impl<'t> Changes<'t> {
    fn changed(&mut self, file: &File<'t>, node: Option<Node<'t>>) {
        let mut nodes: Vec<Node<'t>> = node.into_iter().collect();
        while let Some(node) = nodes.pop() {
            match node.kind() {
                "identifier" | "field_expression" => drop(self.changing.insert(file.of(node))),
                "parenthesized_expression" | "conditional_expression" | "comma_expression" => {
                    nodes.extend(children(node));
                }
                _ => {}
            }
        }
    }

    /// Adds the names that macros in the function may change.
    fn changed_by_macros(&mut self, file: &File<'t>) {
        let is_change = |known: &&Macro| {
            let text =
                known.text.replace("==", "").replace("<=", "").replace(">=", "").replace("!=", "").replace("&&", "");
            ["=", "++", "--", "&"].iter().any(|sign| text.contains(sign))
        };
        let used = self.words.iter().flat_map(|word| file.with_macros(word));
        let macros = used.filter_map(|word| file.macros.get(word)).flatten();
        let changed: Vec<&str> = macros.filter(is_change).flat_map(|known| known.names.iter().copied()).collect();
        self.changing.extend(changed);
    }

    /// Adds the arguments of a call of an unknown function, whose parameters may be references.
    fn called(&mut self, file: &File<'t>, call: Node<'t>) {
        let Some((function, arguments)) =
            call.child_by_field_name("function").zip(call.child_by_field_name("arguments"))
        else {
            return;
        };
        let name = function.child_by_field_name("name").unwrap_or(function);
        let name = file.of(name);
        let is_harmless = !file.changing.contains(name)
            && (file.harmless.contains(name)
                || KNOWN.contains(&name)
                || HARMLESS.iter().any(|begin| name.starts_with(begin))
                || name.ends_with("_cast"));
        if !is_harmless {
            children(arguments).into_iter().for_each(|argument| self.changed(file, Some(argument)));
        }
    }
}

/// The variable that the head of a loop declares.
pub(super) fn counter<'t>(file: &File<'t>, node: Node<'t>) -> Option<&'t str> {
    let declaration = node.child_by_field_name("initializer").filter(|i| i.kind() == "declaration")?;
    let mut cursor = declaration.walk();
    let mut declarators = declaration.children_by_field_name("declarator", &mut cursor);
    let first = declarators.next().filter(|d| d.kind() == "init_declarator")?;
    let name = first.child_by_field_name("declarator").filter(|n| n.kind() == "identifier")?;
    declarators.next().is_none().then(|| file.of(name))
}

/// The variable that `++i`, `i++` or `i += 2` changes.
pub(super) fn updated<'t>(file: &File<'t>, node: Node<'t>) -> Option<&'t str> {
    let name = match node.kind() {
        "update_expression" => node.child_by_field_name("argument"),
        "assignment_expression" => node.child_by_field_name("left"),
        _ => None,
    };
    name.filter(|n| n.kind() == "identifier").map(|n| file.of(n))
}
