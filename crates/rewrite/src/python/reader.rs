//! Reads expressions in the text of a kernel as integer expressions.

use super::calls::{Arguments, Callee};
use super::scope::Scope;
use super::tree::{Tree, is_arithmetic};
use super::types::Types;
use super::variables::{Key, Variables};
use crate::model::{NotFollowed, Place};
use quaff::domain::Domain;
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, Op, int, var};
use quaff_dialects::{Dialect, read};
use std::ops::Range;
use std::sync::Arc;

/// An expression that was read, with the nodes that became variables.
#[derive(Clone, Debug)]
pub(super) struct Reading {
    pub(super) expr: Expr,
    /// The nodes of the names that became variables.
    pub(super) names: Vec<usize>,
    /// The nodes of the other parts that became variables, such as loads.
    pub(super) parts: Vec<usize>,
}

/// The state for reading expressions.
pub(super) struct Reader<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) scope: &'a Scope<'t>,
    pub(super) types: &'a Types,
    pub(super) variables: Variables,
    pub(super) domain: Domain,
    /// The values that the caller gave to names.
    pub(super) values: &'a [(String, i64)],
    /// The node of a value that is being assigned, and the slot (name) to which it is assigned.
    pub(super) naming: Option<(usize, usize)>,
    /// The current statement.
    pub(super) place: Place,
    /// The bodies of the loops around the statement, the outermost first, with their counters.
    pub(super) loops: Vec<(usize, Arc<str>)>,
}

/// The text of an expression for the engine's expression parser. In it, variables are called `q0`, `q1`, ..., and
/// inserted expressions `p0`, `p1`, ...
#[derive(Default)]
struct Text {
    text: String,
    given: Vec<Expr>,
    names: Vec<usize>,
    parts: Vec<usize>,
}

impl<'a, 't> Reader<'a, 't> {
    /// A reader at the start of a function whose identifiers are `words`.
    pub(super) fn new(
        tree: &'a Tree<'t>,
        scope: &'a Scope<'t>,
        types: &'a Types,
        words: &[String],
        values: &'a [(String, i64)],
    ) -> Reader<'a, 't> {
        let (variables, domain, loops) = (Variables::new(words.iter().cloned()), Domain::new(), Vec::new());
        let place = Place { block: 0, start: tree.span(0).start };
        Reader { tree, scope, types, variables, domain, values, naming: None, place, loops }
    }

    /// Reads the expression at `node`, which is an integer.
    ///
    /// # Errors
    /// The reason why the expression cannot be read.
    pub(super) fn read(&mut self, node: usize) -> Result<Reading, NotFollowed> {
        self.read_sum(&[(true, node)], self.tree.span(node))
    }

    /// Reads the sum of adjacent terms of the text. The caller checks that the first term is not subtracted.
    pub(super) fn read_sum(&mut self, terms: &[(bool, usize)], span: Range<usize>) -> Result<Reading, NotFollowed> {
        let mut text = Text::default();
        for (i, &(is_added, term)) in terms.iter().enumerate() {
            if i > 0 {
                text.text.push_str(if is_added { " + " } else { " - " });
            }
            self.write(term, &mut text);
        }
        let refused = |reason: String| NotFollowed { span: span.clone(), reason };
        let found = read(&text.text, Dialect::Triton).map_err(|error| refused(self.spelled(&error.to_string())))?;
        let [result] = &found.results[..] else { return Err(refused("this is no single value".into())) };
        if let Some(requirement) = found.requirements.first() {
            return Err(refused(format!("a value {}", requirement.reason)));
        }
        let value_of = |name: &str| {
            let at: usize = name.get(1..)?.parse().ok()?;
            match name.starts_with('q') {
                true => self.variables.names.get(at).map(|name| var(Arc::clone(name))),
                false => text.given.get(at).cloned(),
            }
        };
        let expr = substituted_all(std::slice::from_ref(result.expr()), value_of).pop().unwrap_or_else(|| int(0));
        Ok(Reading { expr, names: text.names, parts: text.parts })
    }

    /// An error message of the expression parser, with the names of the source in place of `q0`, `q1` and so on.
    fn spelled(&self, message: &str) -> String {
        let parts = message.split('`').enumerate().map(|(i, part)| {
            let at: Option<usize> = part.strip_prefix('q').and_then(|digits| digits.parse().ok());
            let known = at.filter(|_| i % 2 == 1).and_then(|at| self.variables.all.get(at));
            known.map_or_else(|| part.to_string(), |known| known.variable.spelling.clone())
        });
        parts.collect::<Vec<_>>().join("`")
    }

    /// Writes the text of `node`. It calls itself for inner nodes, whose depth is limited.
    fn write(&mut self, node: usize, text: &mut Text) {
        let tree = self.tree;
        if let Some(at) = self.variable_at(node) {
            if self.scope.slot(node).is_some() && tree.kind(node) == "identifier" {
                text.names.push(node);
            } else {
                text.parts.push(node);
            }
            text.text.push_str(&format!("q{at}"));
            return;
        }
        if let Some((op, sides)) = self.floors(node) {
            return self.write_floor(node, &op, sides, text);
        }
        match tree.kind(node) {
            "integer" => text.text.push_str(tree.text_of(node)),
            "true" => text.text.push_str("True"),
            "false" => text.text.push_str("False"),
            "parenthesized_expression" => {
                text.text.push('(');
                tree.inner(node).into_iter().for_each(|inner| self.write(inner, text));
                text.text.push(')');
            }
            "call" => {
                text.text.push_str(tree.child(node, "function").map_or("", |function| tree.text_of(function)));
                text.text.push('(');
                for argument in Arguments::of(tree, node).positional {
                    self.write(argument, text);
                    text.text.push_str(", ");
                }
                text.text.push(')');
            }
            "binary_operator" if self.is_junction(node) => {
                let word = if tree.sign(node) == "&" { " and " } else { " or " };
                text.text.push('(');
                for (i, operand) in tree.children(node).enumerate() {
                    text.text.push_str(if i > 0 { word } else { "" });
                    self.write(operand, text);
                }
                text.text.push(')');
            }
            "unary_operator" if tree.sign(node) == "~" && self.truth(node) == Some(true) => {
                text.text.push_str("(not ");
                tree.child(node, "argument").into_iter().for_each(|operand| self.write(operand, text));
                text.text.push(')');
            }
            _ => {
                let parts: Vec<usize> = tree.all_children(node).collect();
                for part in parts {
                    match tree.node(part).is_named {
                        true => self.write(part, text),
                        // an operator or a keyword
                        false => text.text.push_str(&format!(" {} ", tree.text_of(part))),
                    }
                }
            }
        }
    }

    /// Whether `node` is `&` or `|` of truth values. Operands with `^` are refused, because the parser wrongly gives
    /// `^` a higher precedence than `&`.
    fn is_junction(&self, node: usize) -> bool {
        let tree = self.tree;
        let is_other = |side: usize| tree.kind(side) == "binary_operator" && tree.sign(side) == "^";
        matches!(tree.sign(node), "&" | "|") && !tree.children(node).any(is_other) && self.truth(node) == Some(true)
    }

    /// Writes a division that rounds down.
    fn write_floor(&mut self, node: usize, op: &Op, sides: [usize; 2], text: &mut Text) {
        if let [Ok(left), Ok(right)] = sides.map(|side| self.read(side)) {
            text.text.push_str(&format!("p{}", text.given.len()));
            text.given.push(Expr::new(op.clone(), [left.expr, right.expr]));
            text.names.extend(left.names.into_iter().chain(right.names));
            text.parts.extend(left.parts.into_iter().chain(right.parts));
        } else {
            text.text.push_str(&format!("q{}", self.part(node)));
            text.parts.push(node);
        }
    }

    /// The operator and operands of a division that rounds down. Such a division is a call of a helper function, or
    /// `//` or `%` on values that are known at compile time.
    fn floors(&self, node: usize) -> Option<(Op, [usize; 2])> {
        let tree = self.tree;
        if tree.kind(node) == "binary_operator" {
            let op = match tree.sign(node) {
                "//" => Op::FloorDiv,
                "%" => Op::FloorMod,
                _ => return None,
            };
            let sides = [tree.child(node, "left")?, tree.child(node, "right")?];
            return self.is_constexpr(node).then_some((op, sides));
        }
        let op = match Callee::of(tree, node) {
            Callee::Helper("div_floor_integer") => Op::FloorDiv,
            Callee::Helper("remainder_integer") => Op::FloorMod,
            _ => return None,
        };
        let [left, right] = Arguments::of(tree, node).positional[..] else { return None };
        Some((op, [left, right]))
    }

    /// Whether the value is known at compile time, because all names in it are known at compile time.
    pub(super) fn is_constexpr(&self, node: usize) -> bool {
        (node..self.tree.node(node).end).all(|inner| match self.tree.kind(inner) {
            "identifier" => self.scope.slot(inner).is_none_or(|slot| self.scope.slots[slot].is_constexpr),
            "call" => false,
            _ => true,
        })
    }

    /// The variable of the part at `node`, if the part is a variable.
    fn variable_at(&mut self, node: usize) -> Option<usize> {
        let tree = self.tree;
        if self.is_read(node) {
            return None;
        }
        if let Some(slot) = self.scope.slot(node).filter(|_| tree.kind(node) == "identifier") {
            return Some(self.slot(slot));
        }
        Some(match self.of_call(node).or_else(|| self.suffixed(node)) {
            Some(found) => found,
            None => self.part(node),
        })
    }

    /// Whether the part at `node` is a number, or an operator whose operands are read.
    fn is_read(&self, node: usize) -> bool {
        let tree = self.tree;
        let are_ints = |mut nodes: Box<dyn Iterator<Item = usize> + '_>| nodes.all(|node| self.types.is_int(node));
        match tree.kind(node) {
            "integer" | "true" | "false" => true,
            "parenthesized_expression" => tree.inner(node).is_some(),
            "not_operator" | "boolean_operator" | "conditional_expression" => are_ints(Box::new(tree.children(node))),
            "unary_operator" => {
                are_ints(Box::new(tree.children(node))) && (tree.sign(node) != "~" || self.truth(node).is_some())
            }
            "binary_operator" => is_arithmetic(tree.sign(node)) && are_ints(Box::new(tree.children(node))),
            "comparison_operator" => {
                let is_sign = |sign: &str| matches!(sign, "<" | "<=" | ">" | ">=" | "==" | "!=");
                let mut signs = tree.all_children(node).filter(|&sign| !tree.node(sign).is_named);
                signs.all(|sign| is_sign(tree.kind(sign))) && are_ints(Box::new(tree.children(node)))
            }
            "call" => {
                let arguments = Arguments::of(tree, node);
                let callee = Callee::of(tree, node);
                arguments.named.is_empty()
                    && are_ints(Box::new(arguments.positional.iter().copied()))
                    && (callee.is_read(tree, node) || self.floors(node).is_some())
            }
            _ => false,
        }
    }

    /// Whether the value is a truth value. `None` if that is not known.
    pub(super) fn truth(&self, node: usize) -> Option<bool> {
        let tree = self.tree;
        match tree.kind(node) {
            "comparison_operator" | "not_operator" | "boolean_operator" | "true" | "false" => Some(true),
            "integer" => Some(false),
            "parenthesized_expression" => tree.inner(node).and_then(|inner| self.truth(inner)),
            "subscript" => tree.child(node, "value").and_then(|value| self.truth(value)),
            "unary_operator" if tree.sign(node) == "~" => {
                tree.child(node, "argument").and_then(|operand| self.truth(operand))
            }
            "binary_operator" if matches!(tree.sign(node), "&" | "|" | "^") => {
                let mut operands = tree.children(node).map(|operand| self.truth(operand));
                let first = operands.next()?;
                operands.all(|operand| operand == first).then_some(first)?
            }
            "binary_operator" | "unary_operator" => Some(false),
            "identifier" => {
                let slot = self.scope.slot(node)?;
                self.variables.get(&Key::Slot(slot)).and_then(|at| self.variables.all[at].is_truth)
            }
            "call" => match Callee::of(tree, node) {
                Callee::Function("arange" | "program_id" | "num_programs" | "cdiv") => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}

/// `expr` with variables replaced by their values.
pub(super) fn replaced(expr: &Expr, values: &[(Arc<str>, Expr)]) -> Expr {
    let value_of = |name: &str| values.iter().find(|(from, _)| **from == *name).map(|(_, to)| to.clone());
    substituted_all(std::slice::from_ref(expr), value_of).pop().unwrap_or_else(|| int(0))
}
