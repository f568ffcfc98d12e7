//! Turns syntax nodes into expressions. In the text of a node, names are replaced by the names of variables in
//! expressions. The result is parsed as a CUDA expression.

use super::names::Name;
use super::tree::children;
use super::walker::{Division, Walker};
use crate::model::Role;
use quaff::domain::{Interval, interval_of};
use quaff::expr::{Expr, Op};
use quaff_dialects::{Dialect, IntegerType, read};
use std::fmt::Write;
use std::ops::Range;
use std::sync::Arc;
use tree_sitter::Node;

/// The replacements and properties that are collected from the text of an expression.
#[derive(Default)]
struct Pieces {
    /// Byte ranges of the source with their replacements, in order.
    replaced: Vec<(Range<usize>, String)>,
    /// Variables whose type is not `int`.
    typed: Vec<(Arc<str>, IntegerType)>,
    /// Names of constants, with their values.
    numbers: Vec<(String, i64)>,
    /// Whether a part of the text has 64 bits.
    is_wide: bool,
    /// Whether a number or a conversion is unsigned.
    has_unsigned: bool,
}

impl<'t> Walker<'_, 't> {
    /// The value of `node`, converted to `ty` if a type is given.
    ///
    /// # Errors
    /// The reason why the value cannot be read.
    pub(super) fn read(&mut self, node: Node<'t>, ty: Option<IntegerType>) -> Result<Expr, String> {
        if self.kind(node).is_none() {
            return Err(self.reason(node));
        }
        let mut pieces = Pieces::default();
        self.pieces(node, &mut pieces);
        let own = self.kind(node);
        self.read_text(node.byte_range(), pieces, own.zip(ty))
    }

    /// The value of adjacent terms of a sum. Their byte range is `span`, and their syntax nodes are `nodes`.
    pub(super) fn read_terms(&mut self, span: Range<usize>, nodes: &[Node<'t>]) -> Result<Expr, String> {
        let mut pieces = Pieces::default();
        nodes.iter().for_each(|&node| self.pieces(node, &mut pieces));
        self.read_text(span, pieces, None)
    }

    /// Parses a text after the replacements. `types` are the type of the text and the type to which it is converted.
    fn read_text(
        &mut self,
        span: Range<usize>,
        pieces: Pieces,
        types: Option<(IntegerType, IntegerType)>,
    ) -> Result<Expr, String> {
        let ty = types.map(|(_, ty)| ty);
        self.is_wide = pieces.is_wide || ty.is_some_and(|ty| ty.bits() == 64);
        self.is_signed = !pieces.has_unsigned;
        self.numbers = pieces.numbers;
        let mut text = String::new();
        for (variable, ty) in &pieces.typed {
            // writing to a string cannot fail
            let _ = write!(text, "{} {variable};", words(*ty));
        }
        let wraps = ty.filter(|ty| ty.is_unsigned() || ty.bits() < 32);
        text += &wraps.map(|ty| format!("({})(", words(ty))).unwrap_or_default();
        let mut at = span.start;
        for (part, replacement) in pieces.replaced {
            text += &self.file.text[at..part.start];
            text += &replacement;
            at = part.end;
        }
        text += &self.file.text[at..span.end];
        text += if wraps.is_some() { ")" } else { "" };
        let read = read(&text, Dialect::Cuda).map_err(|error| error.to_string())?;
        let [result] = &read.results[..] else { return Err("it is more than one value".into()) };
        for requirement in &read.requirements {
            let range = interval_of(&requirement.value, |name| self.ranges.get(name).copied().unwrap_or(Interval::ALL));
            if !requirement.is_met(range) {
                return Err(format!("`{}` {}", requirement.value, requirement.reason));
            }
        }
        let expr = result.expr().clone();
        let may_not_fit = |own: IntegerType, ty: IntegerType| {
            !ty.is_unsigned() && ty.bits() >= 32 && own.bits() + u32::from(own.is_unsigned()) > ty.bits()
        };
        let ty = types.filter(|(own, ty)| may_not_fit(*own, *ty)).map(|(_, ty)| ty);
        Ok(match ty {
            Some(ty) => self.fitting(expr, ty, span),
            None => expr,
        })
    }

    /// The value of an expression that is converted to the type `ty`. If it may not fit, the report states the
    /// assumption that it fits.
    fn fitting(&mut self, expr: Expr, ty: IntegerType, span: Range<usize>) -> Expr {
        let wrapped = match (expr.op(), expr.args()) {
            (Op::FloorMod, [inner, modulus]) if modulus.as_const() == Some(1 << 32) && ty.bits() == 32 => Some(inner),
            _ => None,
        };
        let range = interval_of(&expr, |name| self.ranges.get(name).copied().unwrap_or(Interval::ALL));
        let fits = |range: Interval| ty.range().meet(range) == Some(range);
        if wrapped.is_none() && fits(range) {
            return expr;
        }
        let text = self.file.text[span].split_whitespace().collect::<Vec<_>>().join(" ");
        self.assume(format!("`{text}` fits `{}`", words(ty)));
        let Some(wrapped) = wrapped.cloned() else { return expr };
        let fits = wrapped.le(i64::from(i32::MAX));
        // if the kernel always computes the value, the fact holds everywhere. Otherwise it holds only after this place
        match self.context.is_none() && self.place.block == 0 {
            true => self.kernel.facts.push(fits),
            false if self.kernel.conditions(self.context).contains(&&fits) => {}
            false => self.know(fits),
        }
        wrapped
    }

    /// Collects the replacements in `node`, which is an integer expression.
    fn pieces(&mut self, node: Node<'t>, pieces: &mut Pieces) {
        let known = self.kinds.get(&node.id()).copied().flatten();
        pieces.is_wide |= known.is_some_and(|ty| ty.bits() == 64);
        let is_variable = match node.kind() {
            "identifier" => matches!(self.name(self.of(node)), Some(Name::Integer { .. })),
            kind => !matches!(kind, "number_literal" | "cast_expression" | "call_expression" | "sizeof_expression"),
        };
        pieces.has_unsigned |= !is_variable && known.is_some_and(|ty| ty.is_unsigned() && ty.bits() >= 32);
        match node.kind() {
            "identifier" => {
                let text = self.of(node);
                match self.name(text).cloned() {
                    Some(Name::Integer { variable, ty }) => self.piece(node, &variable, ty, pieces),
                    Some(Name::Constant { value, ty }) => {
                        let typed = if ty == IntegerType::INT { String::new() } else { format!("({})", words(ty)) };
                        pieces.numbers.push((text.into(), value));
                        pieces.replaced.push((node.byte_range(), format!("({typed}({value}))")));
                    }
                    _ => {}
                }
            }
            "field_expression" => {
                let text = self.of(node);
                if let (false, Some(Name::Integer { variable, ty })) = (self.builtin(text), self.name(text).cloned()) {
                    self.piece(node, &variable, ty, pieces);
                }
            }
            "type_identifier" | "primitive_type" => {
                if let Some(words) = self.file.types.get(self.of(node)) {
                    pieces.replaced.push((node.byte_range(), (*words).into()));
                }
            }
            "subscript_expression" => self.opaque(node, pieces),
            "call_expression" => {
                let function = node.child_by_field_name("function");
                match function.map(|f| self.of(f)) {
                    Some("__ldg") => self.opaque(node, pieces),
                    Some(name) if name.starts_with("static_cast") => {
                        children(node).into_iter().for_each(|c| self.pieces(c, pieces))
                    }
                    _ => {
                        let arguments = node.child_by_field_name("arguments");
                        arguments.into_iter().flat_map(children).for_each(|c| self.pieces(c, pieces));
                    }
                }
            }
            "binary_expression" => {
                self.division(node);
                children(node).into_iter().for_each(|c| self.pieces(c, pieces));
            }
            _ => children(node).into_iter().for_each(|c| self.pieces(c, pieces)),
        }
    }

    /// Records `node` if it is a division, and if the caller needs divisions.
    fn division(&mut self, node: Node<'t>) {
        let is_new = self.divisions.as_ref().is_some_and(|known| !known.contains_key(&node.id()));
        let operator = node.child_by_field_name("operator").map(|o| self.of(o));
        let sides = node.child_by_field_name("left").zip(node.child_by_field_name("right"));
        let (true, Some("/" | "%"), Some((left, right))) = (is_new, operator, sides) else { return };
        // the divisor must be an `int`, because a prepared divisor is read as an `int`
        let Some(ty) = self.kind(left).map(IntegerType::promoted).filter(|ty| ty.bits() <= 32) else { return };
        if self.kind(right).map(IntegerType::promoted) != Some(IntegerType::INT) {
            return;
        }
        let (Ok(numerator), Ok(divisor)) = (self.read(left, None), self.read(right, None)) else { return };
        let (has_sign, span) = (!ty.is_unsigned(), right.byte_range());
        let found = Division { numerator, has_sign, divisor, span, context: self.context };
        self.divisions.as_mut().map(|known| known.insert(node.id(), found));
    }

    fn piece(&mut self, node: Node<'t>, variable: &Arc<str>, ty: IntegerType, pieces: &mut Pieces) {
        if self.of(node) != &**variable {
            pieces.replaced.push((node.byte_range(), variable.to_string()));
        }
        if ty != IntegerType::INT && !pieces.typed.iter().any(|(known, _)| known == variable) {
            pieces.typed.push((variable.clone(), ty));
        }
    }

    /// Makes `node`, such as an element `lens[b]`, a variable with an unknown value.
    fn opaque(&mut self, node: Node<'t>, pieces: &mut Pieces) {
        let Some(ty) = self.kind(node) else { return };
        let variable = match self.kernel.variables.iter().find(|(_, v)| v.source == Some(node.byte_range())) {
            Some((known, _)) => known.clone(),
            None => {
                self.expression(node, Role::Value, true);
                let variable = self.variable("element", ty, true);
                if let Some(known) = self.kernel.variables.get_mut(&variable) {
                    known.source = Some(node.byte_range());
                    known.spelling = self.file.text[node.byte_range()].into();
                }
                variable
            }
        };
        self.piece(node, &variable, ty, pieces);
    }
}

/// The C keywords of the type `ty`.
fn words(ty: IntegerType) -> &'static str {
    match (ty.bits(), ty.is_unsigned()) {
        (1, _) => "bool",
        (8, true) => "unsigned char",
        (8, false) => "signed char",
        (16, true) => "unsigned short",
        (16, false) => "short",
        (32, true) => "unsigned",
        (32, false) => "int",
        (_, true) => "unsigned long long",
        (_, false) => "long long",
    }
}
