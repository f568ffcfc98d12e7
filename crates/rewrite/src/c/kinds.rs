//! Determines which expressions are integers, and their types.

use super::names::Name;
use super::tree::children;
use super::walker::Walker;
use crate::model::{Place, Variable};
use quaff_dialects::IntegerType;
use tree_sitter::Node;

/// Functions on integers, with the number of their operands.
const FUNCTIONS: &[(&str, usize)] = &[
    ("min", 2),
    ("max", 2),
    ("std::min", 2),
    ("std::max", 2),
    ("umin", 2),
    ("umax", 2),
    ("abs", 1),
    ("__mul24", 2),
    ("__umul24", 2),
    ("__umulhi", 2),
    ("__mulhi", 2),
];

/// Functions that round a quotient up, by their usual names.
const CEIL_DIV: &[&str] = &["ceil_div", "ceildiv", "cdiv", "CEIL_DIV", "div_up", "DIVUP", "DIV_UP"];

impl<'t> Walker<'_, 't> {
    /// The type of `node`, if it is an integer whose value can be read.
    pub(super) fn kind(&mut self, node: Node<'t>) -> Option<IntegerType> {
        if let Some(known) = self.kinds.get(&node.id()) {
            return *known;
        }
        let kind = self.kind_of(node);
        self.kinds.insert(node.id(), kind);
        kind
    }

    fn kind_of(&mut self, node: Node<'t>) -> Option<IntegerType> {
        let field = |name: &str| node.child_by_field_name(name);
        let text = self.of(node);
        match node.kind() {
            // the parser includes a sign in the number
            "number_literal" => IntegerType::of_literal(text.trim_start_matches(['-', '+'])),
            "true" | "false" => Some(IntegerType::BOOL),
            "identifier" => match self.name(text)? {
                Name::Integer { ty, .. } => Some(*ty),
                Name::Constant { ty, .. } => Some(*ty),
                Name::Elements { .. } | Name::Other => None,
            },
            "field_expression" => IntegerType::of_builtin(text).map(|(ty, _)| ty).or_else(|| self.member(text)),
            "parenthesized_expression" => self.kind(node.named_child(0).filter(|_| node.named_child_count() == 1)?),
            "sizeof_expression" => Some(IntegerType::SIZE),
            "unary_expression" => {
                let inner = self.kind(field("argument")?)?;
                let is_truth = matches!(self.of(field("operator")?), "!" | "not");
                Some(if is_truth { IntegerType::BOOL } else { inner.promoted() })
            }
            "binary_expression" => {
                let (left, right) = (self.kind(field("left")?), self.kind(field("right")?));
                let (left, right) = (left?, right?);
                Some(match self.of(field("operator")?) {
                    "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => left.common(right),
                    "<<" | ">>" => left.promoted(),
                    "<" | "<=" | ">" | ">=" | "==" | "!=" | "&&" | "||" | "and" | "or" => IntegerType::BOOL,
                    _ => return None,
                })
            }
            "conditional_expression" => {
                let parts = [field("condition")?, field("consequence")?, field("alternative")?];
                let [condition, then, otherwise] = parts.map(|part| self.kind(part));
                condition.and(then)?.common(otherwise?).into()
            }
            "cast_expression" => {
                self.kind(field("value")?)?;
                self.file.integer(self.of(field("type")?))
            }
            "call_expression" => self.call(node),
            "subscript_expression" => self.elements(node).and_then(|what| match what {
                Name::Elements { element, indices: 0 } => element,
                _ => None,
            }),
            _ => None,
        }
    }

    /// The integer type of a structure's member such as `p.h`, if a note gives a range for it.
    fn member(&mut self, text: &'t str) -> Option<IntegerType> {
        if self.name(text).is_none() && self.members.contains(text) {
            let (place, ty) = (self.place, IntegerType::INT);
            let whole = text.split('.').next().unwrap_or(text);
            let changes = self.changing.contains(text) || self.changing.contains(whole);
            self.place = Place { block: 0, start: self.kernel.span.start };
            let variable = self.variable(text, ty, changes);
            self.place = place;
            self.scopes.first_mut()?.insert(text, Name::Integer { variable, ty });
        }
        match self.name(text)? {
            Name::Integer { ty, .. } => Some(*ty),
            _ => None,
        }
    }

    /// The reason why `node` is not a known integer.
    pub(super) fn reason(&mut self, node: Node<'t>) -> String {
        let text = self.of(node);
        match node.kind() {
            "identifier" => format!("`{text}` is no integer that is known"),
            "field_expression" => {
                format!(
                    "the member `{text}` is not known; a note such as `// quaff: {text} in 1..64` makes it an integer"
                )
            }
            "call_expression" => {
                let function = node.child_by_field_name("function").map(|f| self.of(f)).unwrap_or_default();
                format!("the function or macro `{function}` is not known")
            }
            _ => {
                let inner = children(node).into_iter().find(|&c| !c.kind().ends_with("type") && self.kind(c).is_none());
                inner.map_or_else(|| "it is no integer that is known".into(), |inner| self.reason(inner))
            }
        }
    }

    fn call(&mut self, node: Node<'t>) -> Option<IntegerType> {
        let function = node.child_by_field_name("function")?;
        let arguments = children(node.child_by_field_name("arguments")?);
        if let "template_function" = function.kind() {
            let name = self.of(function.child_by_field_name("name")?);
            let ty = function.child_by_field_name("arguments")?.named_child(0)?;
            self.kind(*arguments.first().filter(|_| name == "static_cast" && arguments.len() == 1)?)?;
            return self.file.integer(self.of(ty));
        }
        let name = self.of(function);
        if let ("__ldg", [address]) = (name, &arguments[..]) {
            return match self.pointed(*address)? {
                Name::Elements { element, indices: 1 } => element,
                _ => None,
            };
        }
        if let (Some(ty), [value]) = (IntegerType::named(name), &arguments[..]) {
            return self.kind(*value).map(|_| ty);
        }
        let is_own = self.file.harmless.contains(name) || self.file.changing.contains(name);
        let known = FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, count)| *count);
        let count = known.or_else(|| CEIL_DIV.contains(&name).then_some(2)).filter(|_| !is_own)?;
        let kinds: Vec<Option<IntegerType>> = arguments.iter().map(|&a| self.kind(a)).collect();
        let kinds = kinds.into_iter().collect::<Option<Vec<IntegerType>>>().filter(|kinds| kinds.len() == count)?;
        match name {
            "__umul24" | "__umulhi" | "umin" | "umax" => Some(IntegerType::UNSIGNED),
            _ => kinds.into_iter().reduce(IntegerType::common).map(IntegerType::promoted),
        }
    }

    /// The type of the elements and the number of indices of `node`, if it is a pointer or an array.
    pub(super) fn elements(&mut self, node: Node<'t>) -> Option<Name> {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "identifier" => self.name(self.of(node)).filter(|n| matches!(n, Name::Elements { .. })).cloned(),
            "parenthesized_expression" => self.elements(node.named_child(0)?),
            "subscript_expression" => {
                let list = field("indices").filter(|list| list.named_child_count() == 1)?;
                self.kind(list.named_child(0)?)?;
                match self.elements(field("argument")?)? {
                    Name::Elements { element, indices } => {
                        Some(Name::Elements { element, indices: indices.checked_sub(1)? })
                    }
                    _ => None,
                }
            }
            "binary_expression" if matches!(self.of(field("operator")?), "+" | "-") => {
                self.kind(field("right")?)?;
                self.elements(field("left")?)
            }
            "pointer_expression" if self.of(node).starts_with('&') => self.pointed(node),
            "cast_expression" => self.cast_pointer(field("type")?),
            "call_expression" => {
                let function = field("function").filter(|f| f.kind() == "template_function")?;
                let name = self.of(function.child_by_field_name("name")?);
                let ty = function.child_by_field_name("arguments")?.named_child(0)?;
                self.cast_pointer(ty).filter(|_| matches!(name, "reinterpret_cast" | "static_cast" | "const_cast"))
            }
            _ => None,
        }
    }

    /// The elements to which `p + i` and `&p[i]` point.
    fn pointed(&mut self, node: Node<'t>) -> Option<Name> {
        let argument = node.child_by_field_name("argument").filter(|_| node.kind() == "pointer_expression");
        match argument {
            Some(element) => match self.elements(element)? {
                Name::Elements { element, indices } => Some(Name::Elements { element, indices: indices + 1 }),
                _ => None,
            },
            None => self.elements(node),
        }
    }

    /// The elements of a pointer that is converted to the type `ty`.
    fn cast_pointer(&self, ty: Node<'t>) -> Option<Name> {
        let words = self.of(ty).replace("__restrict__", "");
        let stars = words.matches('*').count();
        let words: String = words.chars().filter(|c| *c != '*').collect();
        (stars > 0).then(|| Name::Elements { element: self.file.integer(&words), indices: stars })
    }

    /// If `name` is a built-in variable of CUDA, adds it to the kernel. Returns whether it is one.
    pub(super) fn builtin(&mut self, name: &str) -> bool {
        let Some((ty, range)) = IntegerType::of_builtin(name) else { return false };
        if !self.kernel.variables.contains_key(name) {
            let declared = Place { block: 0, start: 0 };
            // built-in variables need no conversion, because the module that writes expressions knows their types
            let known = Variable {
                spelling: name.into(),
                source: None,
                is_unsigned: false,
                declared,
                changes: false,
                axes: Vec::new(),
            };
            self.kernel.variables.insert(name.into(), known);
            self.has_type(&name.into(), range.meet(ty.range()).unwrap_or(range));
        }
        true
    }
}
