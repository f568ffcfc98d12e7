//! The text of layouts with sizes and strides, and of the operations on them.

use super::error::{LayoutTextError, LayoutTextErrorKind};
use super::read::{Kind, Part};
use super::{Evaluator, Note, Value};
use crate::banks::Swizzle;
use crate::layout::divide::Tiler;
use crate::layout::error::LayoutError;
use crate::layout::mode::Mode;
use crate::layout::symbolic::SymbolicLayout;
use crate::layout::tree::Layout;
use Strided::{Names, Numbers};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use std::ops::Range;
use std::sync::Arc;

/// A layout, or several layouts of the same kind.
pub(super) enum Strided<A = Layout, B = SymbolicLayout> {
    Numbers(A),
    Names(B),
}

type Made<L> = Result<L, LayoutError>;

impl<A, B> Strided<A, B> {
    /// The result of an operation. `f` computes it for layouts of numbers, and `g` for symbolic layouts.
    fn made(self, f: impl Fn(A) -> Made<Layout>, g: impl Fn(B) -> Made<SymbolicLayout>) -> Made<Strided> {
        match self {
            Numbers(a) => f(a).map(Numbers),
            Names(b) => g(b).map(Names),
        }
    }
}

impl Strided {
    fn modes(&self) -> Vec<Strided> {
        match self {
            Numbers(layout) => layout.modes().into_iter().map(Numbers).collect(),
            Names(layout) => layout.modes().into_iter().map(Names).collect(),
        }
    }

    fn size(&self) -> Made<Expr> {
        match self {
            Numbers(layout) => Ok(int(layout.size())),
            Names(layout) => layout.size(),
        }
    }

    /// The greatest index.
    fn greatest(&self) -> Made<Expr> {
        match self {
            Numbers(layout) => layout.reach().map(|(_, most)| int(most)),
            Names(layout) => layout.reach().map(|(_, most)| most),
        }
    }

    /// The layout as a symbolic layout.
    pub(super) fn named(self, domain: &Domain) -> Made<SymbolicLayout> {
        match self {
            Numbers(layout) => SymbolicLayout::of_layout(&layout, domain),
            Names(layout) => Ok(layout),
        }
    }
}

impl From<Strided> for Value {
    /// A symbolic layout without names becomes a layout of numbers.
    fn from(layout: Strided) -> Value {
        match layout {
            Numbers(layout) => Value::Layout(layout),
            Names(layout) => layout.to_layout().map_or(Value::Symbolic(layout), Value::Layout),
        }
    }
}

type One<L> = fn(&L) -> Made<L>;
type Two<L> = fn(&L, &L) -> Made<L>;
type Divide<L> = fn(&L, &Tiler<L>) -> Made<L>;

/// An operation on layouts of numbers and on symbolic layouts.
enum Operation {
    One(One<Layout>, One<SymbolicLayout>),
    Two(Two<Layout>, Two<SymbolicLayout>),
    Divide(Divide<Layout>, Divide<SymbolicLayout>),
    Sizes(fn(&[i64]) -> Made<Layout>, fn(&[Expr], &Domain) -> Made<SymbolicLayout>),
    Compose,
    Complement,
    Mode,
    Modes,
}

const OPERATIONS: [(&str, Operation); 19] = [
    ("coalesce", Operation::One(|layout| Ok(layout.coalesce()), SymbolicLayout::coalesce)),
    ("coalesce_modes", Operation::One(|layout| Ok(layout.coalesce_modes()), SymbolicLayout::coalesce_modes)),
    ("flatten", Operation::One(|layout| Ok(layout.flatten()), |layout| Ok(layout.flatten()))),
    ("left_inverse", Operation::One(Layout::left_inverse, SymbolicLayout::left_inverse)),
    ("right_inverse", Operation::One(Layout::right_inverse, SymbolicLayout::right_inverse)),
    ("logical_product", Operation::Two(Layout::logical_product, SymbolicLayout::logical_product)),
    ("blocked_product", Operation::Two(Layout::blocked_product, SymbolicLayout::blocked_product)),
    ("raked_product", Operation::Two(Layout::raked_product, SymbolicLayout::raked_product)),
    ("logical_divide", Operation::Divide(Layout::logical_divide, SymbolicLayout::logical_divide)),
    ("zipped_divide", Operation::Divide(Layout::zipped_divide, SymbolicLayout::zipped_divide)),
    ("tiled_divide", Operation::Divide(Layout::tiled_divide, SymbolicLayout::tiled_divide)),
    ("flat_divide", Operation::Divide(Layout::flat_divide, SymbolicLayout::flat_divide)),
    ("col_major", Operation::Sizes(Layout::column_major, SymbolicLayout::column_major)),
    ("row_major", Operation::Sizes(Layout::row_major, SymbolicLayout::row_major)),
    ("compose", Operation::Compose),
    ("composition", Operation::Compose),
    ("complement", Operation::Complement),
    ("mode", Operation::Mode),
    ("make_layout", Operation::Modes),
];

/// The names of the operations.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OPERATIONS.iter().map(|(name, _)| *name)
}

/// Whether a size or a stride, possibly within a tuple, is an expression.
fn is_expression(part: &Part) -> bool {
    match &part.kind {
        Kind::Tuple(parts) => parts.iter().any(is_expression),
        Kind::Name | Kind::Arithmetic | Kind::Product(_) | Kind::Call(..) => true,
        _ => false,
    }
}

fn swizzle(part: &Part) -> Option<Swizzle> {
    match &part.kind {
        Kind::Swizzle(swizzle) => Some(*swizzle),
        Kind::Tuple(parts) if parts.len() == 1 => swizzle(&parts[0]),
        _ => None,
    }
}

impl Evaluator<'_> {
    /// Evaluates a layout of sizes and strides.
    pub(super) fn strided(&mut self, part: &Part) -> Result<Strided, LayoutTextError> {
        match &part.kind {
            Kind::Number(size) => self.at(&part.span, Layout::new(*size, 1)).map(Numbers),
            Kind::Tuple(parts) if parts.len() == 1 => self.strided(&parts[0]),
            Kind::Tuple(_) => Err(self.refused(LayoutTextErrorKind::NoStrides, &part.span)),
            Kind::Tiles(_) => self.expected("a layout, and not tiles", part),
            Kind::Swizzle(_) => self.expected("a layout behind the swizzle: `o` and a layout", part),
            Kind::Layout(both) if both.iter().any(is_expression) => {
                self.of_names(self.mode(&both[0], &both[1], &part.span, Self::size)?, part)
            }
            Kind::Layout(both) => {
                let mode = self.mode(&both[0], &both[1], &part.span, Self::number)?;
                self.at(&part.span, Layout::checked(mode, Vec::new())).map(Numbers)
            }
            Kind::List(_) => self.expected("a layout", part),
            _ if self.is_linear(part) => {
                self.expected("a layout of sizes and strides; `layout(..)` makes one of a function of bits", part)
            }
            Kind::After(parts) => self.after(part, parts),
            Kind::Call(name, operands) => self.call(part, name.clone(), operands),
            _ => self.of_names(Mode::leaf(self.size(part)?, int(1)), part),
        }
    }

    /// Evaluates a layout without names.
    pub(super) fn numbers(&mut self, part: &Part) -> Result<Layout, LayoutTextError> {
        match self.strided(part)? {
            Numbers(layout) => Ok(layout),
            Names(_) => self.expected("a layout of numbers", part),
        }
    }

    fn of_names(&self, mode: Mode<Expr>, part: &Part) -> Result<Strided, LayoutTextError> {
        let domain = Arc::new(self.domain(part)?.clone());
        self.at(&part.span, SymbolicLayout::checked(mode, domain)).map(Names)
    }

    /// The facts about the names, or an error if names are not allowed.
    fn domain(&self, part: &Part) -> Result<&Domain, LayoutTextError> {
        self.domain.map_or_else(|| self.expected("a layout of numbers", part), Ok)
    }

    /// The mode of sizes and strides with the same nesting.
    fn mode<N: Clone + From<i64>>(
        &self,
        sizes: &Part,
        strides: &Part,
        whole: &Range<usize>,
        number: fn(&Self, &Part) -> Result<N, LayoutTextError>,
    ) -> Result<Mode<N>, LayoutTextError> {
        match (&sizes.kind, &strides.kind) {
            (Kind::Tuple(sizes), Kind::Tuple(strides)) if sizes.len() == strides.len() => {
                let modes = sizes.iter().zip(strides).map(|(size, stride)| self.mode(size, stride, whole, number));
                Ok(Mode::Group(modes.collect::<Result<_, _>>()?))
            }
            (a, b) => match (number(self, sizes), number(self, strides)) {
                (Ok(size), Ok(stride)) => Ok(Mode::leaf(size, stride)),
                _ if matches!(a, Kind::Tuple(_)) || matches!(b, Kind::Tuple(_)) => {
                    let [sizes, strides] = [sizes, strides].map(|part| self.text[part.span.clone()].to_string());
                    self.at(whole, Err(LayoutError::Profile { sizes, strides }))
                }
                (Err(error), _) | (_, Err(error)) => Err(error),
            },
        }
    }

    /// Parses a size or a stride.
    fn size(&self, part: &Part) -> Result<Expr, LayoutTextError> {
        self.text[part.span.clone()].parse().or_else(|_| self.expected("an expression", part))
    }

    /// Evaluates `a o b o c`, which means `a o (b o c)`.
    fn after(&mut self, whole: &Part, parts: &[Part]) -> Result<Strided, LayoutTextError> {
        let [firsts @ .., left, last] = parts else { return self.expected("a layout", whole) };
        let end = last.span.end;
        // tiles can be the last part only, and are composed with the layout to their left
        let mut right = self.composed(left, last, left.span.start..end)?;
        for left in firsts.iter().rev() {
            right = self.one_after(left, right, left.span.start..end)?;
        }
        Ok(right)
    }

    /// Composes a layout or a swizzle with a layout or tiles on the right.
    fn composed(&mut self, left: &Part, right: &Part, span: Range<usize>) -> Result<Strided, LayoutTextError> {
        let right = match swizzle(left) {
            Some(_) => Tiler::Whole(self.strided(right)?),
            None => self.tiler(right)?,
        };
        match right {
            Tiler::Whole(right) => self.one_after(left, right, span),
            Tiler::Modes(mut all) => {
                all.insert(0, self.strided(left)?);
                let all = self.alike(all, left)?;
                self.at(&span, all.made(|l| l[0].compose_modes(&l[1..]), |l| l[0].compose_modes(&l[1..])))
            }
        }
    }

    /// Composes a layout or a swizzle with a layout on the right.
    fn one_after(&mut self, left: &Part, right: Strided, span: Range<usize>) -> Result<Strided, LayoutTextError> {
        if let Some(swizzle) = swizzle(left) {
            return self.at(&span, right.made(|l| l.swizzled(swizzle), |l| l.swizzled(swizzle)));
        }
        let layout = self.strided(left)?;
        if let (Ok(size), Ok(reached)) = (layout.size(), right.greatest()) {
            let fits = reached.lt(&size);
            self.note(&fits, Note { span: span.clone(), size, reached, divided: false });
        }
        let both = self.alike(vec![layout, right], left)?;
        self.at(&span, both.made(|l| l[0].compose(&l[1]), |l| l[0].compose(&l[1])))
    }

    /// Adds `note` to the notes unless `fits` is proved.
    fn note(&mut self, fits: &Expr, note: Note) {
        let proved = |domain| Simplifier::default().facts(domain).prove(fits);
        let fits = match fits.eval(|_| None) {
            Ok(value) => value != 0,
            Err(_) => matches!(self.domain.map(proved), Some(Ok(Some(true)))),
        };
        if !fits {
            self.notes.push(note);
        }
    }

    fn tiler(&mut self, part: &Part) -> Result<Tiler<Strided>, LayoutTextError> {
        match &part.kind {
            Kind::Tuple(parts) if parts.len() == 1 => self.tiler(&parts[0]),
            Kind::Tuple(parts) | Kind::Tiles(parts) => self.all(parts).map(Tiler::Modes),
            _ => self.strided(part).map(Tiler::Whole),
        }
    }

    fn all(&mut self, parts: &[Part]) -> Result<Vec<Strided>, LayoutTextError> {
        parts.iter().map(|part| self.strided(part)).collect()
    }

    /// Converts all layouts to symbolic layouts if one of them is symbolic.
    fn alike(
        &self,
        all: Vec<Strided>,
        part: &Part,
    ) -> Result<Strided<Vec<Layout>, Vec<SymbolicLayout>>, LayoutTextError> {
        let numbers = all.iter().map(|one| match one {
            Numbers(layout) => Some(layout.clone()),
            Names(_) => None,
        });
        if let Some(numbers) = numbers.collect() {
            return Ok(Numbers(numbers));
        }
        let domain = self.domain(part)?;
        self.at(&part.span, all.into_iter().map(|one| one.named(domain)).collect()).map(Names)
    }

    fn call(&mut self, whole: &Part, name: Range<usize>, operands: &[Part]) -> Result<Strided, LayoutTextError> {
        let written = &self.text[name.clone()];
        if written == "layout" {
            let [one] = operands else { return Err(self.operands("layout", "one operand", operands, whole)) };
            let linear = self.linear(one)?;
            return self.at(&whole.span, linear.to_layout()).map(Numbers);
        }
        let Some((name, operation)) = OPERATIONS.iter().find(|(known, _)| *known == written) else {
            return Err(self.unknown(name));
        };
        let found = match (operation, operands) {
            (Operation::One(f, g), [one]) => self.strided(one)?.made(|l| f(&l), |l| g(&l)),
            (Operation::Two(f, g), [_, _]) => {
                let both = self.all(operands)?;
                self.alike(both, whole)?.made(|l| f(&l[0], &l[1]), |l| g(&l[0], &l[1]))
            }
            (Operation::Modes, modes) => {
                let modes = self.all(modes)?;
                self.alike(modes, whole)?.made(|l| Layout::of_modes(&l), |l| SymbolicLayout::of_modes(&l))
            }
            (Operation::Sizes(f, g), [sizes]) => self.compact(*f, *g, sizes)?,
            (Operation::Compose, [a, b]) => return self.composed(a, b, whole.span.clone()),
            (Operation::Divide(f, g), [layout, tile]) => return self.divided(*f, *g, layout, tile, whole),
            (Operation::Complement, [layout]) => {
                self.strided(layout)?.made(|l| l.complement(l.cosize()?), |l| l.complement(&l.cosize()?))
            }
            (Operation::Complement, [layout, end]) => {
                let layout = self.strided(layout)?;
                match layout {
                    Numbers(layout) if !is_expression(end) => layout.complement(self.number(end)?).map(Numbers),
                    layout => {
                        let layout = self.at(&whole.span, layout.named(self.domain(end)?))?;
                        layout.complement(&self.size(end)?).map(Names)
                    }
                }
            }
            (Operation::Mode, [layout, at]) => {
                let mut modes = self.strided(layout)?.modes();
                match at.kind {
                    Kind::Number(at) if (0..modes.len() as i64).contains(&at) => Ok(modes.swap_remove(at as usize)),
                    _ => return self.expected("the number of a mode, from 0 on", at),
                }
            }
            (operation, _) => return Err(self.operands(name, wanted(operation), operands, whole)),
        };
        self.at(&whole.span, found)
    }

    fn compact(
        &self,
        f: fn(&[i64]) -> Made<Layout>,
        g: fn(&[Expr], &Domain) -> Made<SymbolicLayout>,
        sizes: &Part,
    ) -> Result<Made<Strided>, LayoutTextError> {
        let parts = match &sizes.kind {
            Kind::Tuple(parts) => &parts[..],
            _ => std::slice::from_ref(sizes),
        };
        if !is_expression(sizes) {
            let sizes = parts.iter().map(|part| self.number(part)).collect::<Result<Vec<_>, _>>()?;
            return Ok(f(&sizes).map(Numbers));
        }
        let domain = self.domain(sizes)?;
        let sizes = parts.iter().map(|part| self.size(part)).collect::<Result<Vec<_>, _>>()?;
        Ok(g(&sizes, domain).map(Names))
    }

    fn divided(
        &mut self,
        f: Divide<Layout>,
        g: Divide<SymbolicLayout>,
        layout: &Part,
        tile: &Part,
        whole: &Part,
    ) -> Result<Strided, LayoutTextError> {
        let layout = self.strided(layout)?;
        let size = self.at(&whole.span, layout.size())?;
        let divided = match self.tiler(tile)? {
            Tiler::Whole(tile) => {
                let both = self.alike(vec![layout, tile], whole)?;
                both.made(|l| f(&l[0], &l[1].clone().into()), |l| g(&l[0], &l[1].clone().into()))
            }
            Tiler::Modes(mut all) => {
                all.insert(0, layout);
                let all = self.alike(all, whole)?;
                all.made(|l| f(&l[0], &Tiler::Modes(l[1..].to_vec())), |l| g(&l[0], &Tiler::Modes(l[1..].to_vec())))
            }
        };
        let divided = self.at(&whole.span, divided)?;
        let reached = self.at(&whole.span, divided.size())?;
        let fits = size.equals(&reached);
        self.note(&fits, Note { span: whole.span.clone(), size, reached, divided: true });
        Ok(divided)
    }
}

/// The operands that an operation takes, as text.
fn wanted(operation: &Operation) -> &'static str {
    match operation {
        Operation::One(..) | Operation::Sizes(..) => "one operand",
        Operation::Complement => "a layout, and the end of the indices",
        _ => "two operands",
    }
}
