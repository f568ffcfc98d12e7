//! Layouts with names, and the operations on them, as text.

use super::error::{LayoutTextError, LayoutTextErrorKind};
use super::read::{Kind, Part};
use super::{Evaluator, Note};
use crate::layout::divide::Tiler;
use crate::layout::error::LayoutError;
use crate::layout::mode::Mode;
use crate::layout::symbolic::SymbolicLayout;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use std::ops::Range;
use std::sync::Arc;

type Made = Result<SymbolicLayout, LayoutError>;

/// What an operation does with its operands.
enum Operation {
    One(fn(&SymbolicLayout) -> Made),
    Two(fn(&SymbolicLayout, &SymbolicLayout) -> Made),
    Divide(fn(&SymbolicLayout, &Tiler<SymbolicLayout>) -> Made),
    Sizes(fn(&[Expr], &Domain) -> Made),
    Compose,
    Complement,
    Mode,
    Modes,
}

/// Those of layouts of numbers.
const OPERATIONS: [(&str, Operation); 19] = [
    ("coalesce", Operation::One(SymbolicLayout::coalesce)),
    ("coalesce_modes", Operation::One(SymbolicLayout::coalesce_modes)),
    ("flatten", Operation::One(|layout| Ok(layout.flatten()))),
    ("left_inverse", Operation::One(SymbolicLayout::left_inverse)),
    ("right_inverse", Operation::One(SymbolicLayout::right_inverse)),
    ("logical_product", Operation::Two(SymbolicLayout::logical_product)),
    ("blocked_product", Operation::Two(SymbolicLayout::blocked_product)),
    ("raked_product", Operation::Two(SymbolicLayout::raked_product)),
    ("logical_divide", Operation::Divide(SymbolicLayout::logical_divide)),
    ("zipped_divide", Operation::Divide(SymbolicLayout::zipped_divide)),
    ("tiled_divide", Operation::Divide(SymbolicLayout::tiled_divide)),
    ("flat_divide", Operation::Divide(SymbolicLayout::flat_divide)),
    ("col_major", Operation::Sizes(SymbolicLayout::column_major)),
    ("row_major", Operation::Sizes(SymbolicLayout::row_major)),
    ("compose", Operation::Compose),
    ("composition", Operation::Compose),
    ("complement", Operation::Complement),
    ("mode", Operation::Mode),
    ("make_layout", Operation::Modes),
];

impl Evaluator<'_> {
    /// Whether a size or a stride is an expression.
    pub(super) fn is_symbolic(&self, part: &Part) -> bool {
        match &part.kind {
            Kind::Name | Kind::Arithmetic | Kind::Product(_) => !self.is_linear(part),
            Kind::Tuple(parts) | Kind::Tiles(parts) | Kind::After(parts) => {
                parts.iter().any(|part| self.is_symbolic(part))
            }
            Kind::Layout(both) => both.iter().any(|part| self.is_expression(part)),
            Kind::Call(name, operands) => {
                self.text[name.clone()] != *"layout"
                    && !self.is_linear(part)
                    && !operands.iter().any(|part| self.is_linear(part))
                    && operands.iter().any(|part| self.is_symbolic(part))
            }
            _ => false,
        }
    }

    /// Whether sizes or strides are not all numbers.
    fn is_expression(&self, part: &Part) -> bool {
        match &part.kind {
            Kind::Tuple(parts) => parts.iter().any(|part| self.is_expression(part)),
            Kind::Call(..) => true,
            _ => self.is_symbolic(part),
        }
    }

    pub(super) fn symbolic(&mut self, part: &Part) -> Result<SymbolicLayout, LayoutTextError> {
        if !self.is_symbolic(part) {
            let layout = self.layout(part)?;
            return self.at(part, SymbolicLayout::of_layout(&layout, self.domain));
        }
        match &part.kind {
            Kind::Tuple(parts) if parts.len() == 1 => self.symbolic(&parts[0]),
            Kind::Tuple(_) => Err(self.refused(LayoutTextErrorKind::NoStrides, part)),
            Kind::Tiles(_) => self.expected("a layout, and not tiles", part),
            Kind::Layout(both) => {
                let mode = self.symbolic_mode(&both[0], &both[1], part)?;
                self.at(part, SymbolicLayout::checked(mode, Arc::new(self.domain.clone())))
            }
            Kind::After(parts) => self.symbolic_after(parts),
            Kind::Call(name, operands) => self.symbolic_call(part, name.clone(), operands),
            _ => {
                let size = self.size(part)?;
                self.at(part, SymbolicLayout::new(&size, &int(1), self.domain))
            }
        }
    }

    /// The mode of sizes and strides that are nested alike.
    fn symbolic_mode(&self, sizes: &Part, strides: &Part, whole: &Part) -> Result<Mode<Expr>, LayoutTextError> {
        match (&sizes.kind, &strides.kind) {
            (Kind::Tuple(sizes), Kind::Tuple(strides)) if sizes.len() == strides.len() => {
                let modes = sizes.iter().zip(strides).map(|(size, stride)| self.symbolic_mode(size, stride, whole));
                Ok(Mode::Group(modes.collect::<Result<_, _>>()?))
            }
            (Kind::Tuple(parts), _) | (_, Kind::Tuple(parts)) if parts.len() != 1 => {
                let [sizes, strides] = [sizes, strides].map(|part| self.text[part.span.clone()].to_string());
                self.at(whole, Err(LayoutError::Profile { sizes, strides }))
            }
            _ => Ok(Mode::leaf(self.size(sizes)?, self.size(strides)?)),
        }
    }

    /// A size or a stride.
    fn size(&self, part: &Part) -> Result<Expr, LayoutTextError> {
        match self.text[part.span.clone()].parse() {
            Ok(e) => Ok(e),
            Err(_) => self.expected("an expression", part),
        }
    }

    /// `a o b o c` is `a o (b o c)`.
    fn symbolic_after(&mut self, parts: &[Part]) -> Result<SymbolicLayout, LayoutTextError> {
        let mut found: Option<(Tiler<SymbolicLayout>, Range<usize>)> = None;
        for part in parts.iter().rev() {
            found = Some(match found {
                None => (self.symbolic_tiler(part)?, part.span.clone()),
                Some((right, span)) => {
                    let span = part.span.start..span.end;
                    let whole = Part { span: span.clone(), kind: Kind::Name };
                    (self.symbolic_composed(part, &right, &whole)?.into(), span)
                }
            });
        }
        match found {
            Some((Tiler::Whole(layout), _)) => Ok(layout),
            _ => self.expected("a layout", &parts[0]),
        }
    }

    /// A layout or a swizzle after a layout or tiles.
    fn symbolic_composed(
        &mut self,
        left: &Part,
        right: &Tiler<SymbolicLayout>,
        whole: &Part,
    ) -> Result<SymbolicLayout, LayoutTextError> {
        if let (Some(swizzle), Tiler::Whole(right)) = (self.swizzle(left), right) {
            return self.at(whole, right.swizzled(swizzle));
        }
        let left = self.symbolic(left)?;
        match right {
            Tiler::Whole(right) => {
                let found = self.at(whole, left.compose(right))?;
                let both = left.size().and_then(|size| Ok((size, right.reach()?.1)));
                if let Ok((size, most)) = both
                    && !self.proves(&most.lt(&size))
                {
                    self.notes.push(Note { span: whole.span.clone(), size, reached: most, divided: false });
                }
                Ok(found)
            }
            Tiler::Modes(tiles) => self.at(whole, left.compose_modes(tiles)),
        }
    }

    fn proves(&self, condition: &Expr) -> bool {
        matches!(Simplifier::default().facts(self.domain).prove(condition), Ok(Some(true)))
    }

    fn symbolic_tiler(&mut self, part: &Part) -> Result<Tiler<SymbolicLayout>, LayoutTextError> {
        match &part.kind {
            Kind::Tuple(parts) if parts.len() == 1 => self.symbolic_tiler(&parts[0]),
            Kind::Tuple(parts) | Kind::Tiles(parts) => {
                Ok(Tiler::Modes(parts.iter().map(|part| self.symbolic(part)).collect::<Result<_, _>>()?))
            }
            _ => self.symbolic(part).map(Tiler::Whole),
        }
    }

    fn symbolic_call(
        &mut self,
        whole: &Part,
        name: Range<usize>,
        operands: &[Part],
    ) -> Result<SymbolicLayout, LayoutTextError> {
        let written = &self.text[name.clone()];
        let Some((name, operation)) = OPERATIONS.iter().find(|(known, _)| *known == written) else {
            return Err(self.unknown(name));
        };
        let wrong = |wanted| Err(self.operands(name, wanted, operands, whole));
        let found = match (operation, operands) {
            (Operation::One(f), [one]) => f(&self.symbolic(one)?),
            (Operation::Two(f), [a, b]) => f(&self.symbolic(a)?, &self.symbolic(b)?),
            (Operation::Sizes(f), [sizes]) => f(&self.size_list(sizes)?, self.domain),
            (Operation::Compose, [a, b]) => {
                let right = self.symbolic_tiler(b)?;
                return self.symbolic_composed(a, &right, whole);
            }
            (Operation::Divide(f), [layout, tile]) => return self.symbolic_divided(*f, layout, tile, whole),
            (Operation::Complement, [layout, rest @ ..]) if rest.len() < 2 => {
                let layout = self.symbolic(layout)?;
                let end = rest.first().map_or_else(|| self.at(whole, layout.cosize()), |end| self.size(end))?;
                layout.complement(&end)
            }
            (Operation::Mode, [layout, at]) => {
                let mut modes = self.symbolic(layout)?.modes();
                match at.kind {
                    Kind::Number(at) if (0..modes.len() as i64).contains(&at) => Ok(modes.swap_remove(at as usize)),
                    _ => return self.expected("the number of a mode, from 0 on", at),
                }
            }
            (Operation::Modes, modes) => {
                SymbolicLayout::of_modes(&modes.iter().map(|mode| self.symbolic(mode)).collect::<Result<Vec<_>, _>>()?)
            }
            (Operation::One(_) | Operation::Sizes(_), _) => return wrong("one operand"),
            (Operation::Complement, _) => return wrong("a layout, and the end of the indices"),
            _ => return wrong("two operands"),
        };
        self.at(whole, found)
    }

    fn symbolic_divided(
        &mut self,
        divide: fn(&SymbolicLayout, &Tiler<SymbolicLayout>) -> Made,
        layout: &Part,
        tile: &Part,
        whole: &Part,
    ) -> Result<SymbolicLayout, LayoutTextError> {
        let (layout, tile) = (self.symbolic(layout)?, self.symbolic_tiler(tile)?);
        let divided = self.at(whole, divide(&layout, &tile))?;
        let (size, reached) = (self.at(whole, layout.size())?, self.at(whole, divided.size())?);
        if !self.proves(&size.equals(&reached)) {
            self.notes.push(Note { span: whole.span.clone(), size, reached, divided: true });
        }
        Ok(divided)
    }

    fn size_list(&self, part: &Part) -> Result<Vec<Expr>, LayoutTextError> {
        match &part.kind {
            Kind::Tuple(parts) => parts.iter().map(|part| self.size(part)).collect(),
            _ => Ok(vec![self.size(part)?]),
        }
    }
}
