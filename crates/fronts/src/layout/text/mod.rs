//! Operations on layouts as text: `zipped_divide((128,64):(64,1), (32,16))`, `(4,8):(8,1) o 32:1`, `invert({x: [2, 1]} -> {y: 4})`.

mod error;
mod linear;
mod read;
mod symbolic;
mod unknown;

pub use error::{LayoutTextError, LayoutTextErrorKind};

use super::divide::Tiler;
use super::error::LayoutError;
use super::linear::LinearLayout;
use super::mode::Mode;
use super::symbolic::SymbolicLayout;
use super::tree::Layout;
use crate::banks::Swizzle;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use read::{Kind, Part};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A layout, or a function of bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Sizes and strides.
    Layout(Layout),
    /// Sizes and strides with names in them.
    Symbolic(SymbolicLayout),
    /// A function of bits.
    Linear(LinearLayout),
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Layout(layout) => layout.fmt(f),
            Value::Symbolic(layout) => layout.fmt(f),
            Value::Linear(layout) => layout.fmt(f),
        }
    }
}

/// The value of a text, and what a reader of the text may not expect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The value.
    pub value: Value,
    /// Operations whose result has other coordinates than a reader may expect.
    pub notes: Vec<Note>,
}

/// Says that the result of an operation reaches beyond a layout that it is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The bytes of the text that the operation is.
    pub span: Range<usize>,
    /// How many coordinates the layout has.
    pub size: Expr,
    /// How many coordinates the result has, or the greatest index of the right layout.
    pub reached: Expr,
    /// Whether it is a division, and not a composition.
    pub divided: bool,
}

/// What an operation does with its operands.
enum Operation {
    One(fn(&Layout) -> Result<Layout, LayoutError>),
    Two(fn(&Layout, &Layout) -> Result<Layout, LayoutError>),
    Divide(fn(&Layout, &Tiler) -> Result<Layout, LayoutError>),
    Sizes(fn(&[i64]) -> Result<Layout, LayoutError>),
    Compose,
    Complement,
    Mode,
    Modes,
}

const OPERATIONS: [(&str, Operation); 19] = [
    ("coalesce", Operation::One(|layout| Ok(layout.coalesce()))),
    ("coalesce_modes", Operation::One(|layout| Ok(layout.coalesce_modes()))),
    ("flatten", Operation::One(|layout| Ok(layout.flatten()))),
    ("left_inverse", Operation::One(Layout::left_inverse)),
    ("right_inverse", Operation::One(Layout::right_inverse)),
    ("logical_product", Operation::Two(Layout::logical_product)),
    ("blocked_product", Operation::Two(Layout::blocked_product)),
    ("raked_product", Operation::Two(Layout::raked_product)),
    ("logical_divide", Operation::Divide(Layout::logical_divide)),
    ("zipped_divide", Operation::Divide(Layout::zipped_divide)),
    ("tiled_divide", Operation::Divide(Layout::tiled_divide)),
    ("flat_divide", Operation::Divide(Layout::flat_divide)),
    ("col_major", Operation::Sizes(Layout::column_major)),
    ("row_major", Operation::Sizes(Layout::row_major)),
    ("compose", Operation::Compose),
    ("composition", Operation::Compose),
    ("complement", Operation::Complement),
    ("mode", Operation::Mode),
    ("make_layout", Operation::Modes),
];

/// The layout or the function of bits that `text` says.
///
/// A layout is `shape:stride`, such as `(4,(2,2)):(1,(8,4))`; a number `8` is `8:1`. `A o B` is `A` after `B`, and `Swizzle<3, 3, 3> o A` is a
/// swizzled layout. Tiles are written as a tuple `(32, 16)`, or as `<32:1, 16:2>`. Operations are those of [`Layout`] by their
/// names, and `row_major((4,8))`, `col_major((4,8))`, `make_layout(A, B)`, `mode(A, 0)`.
///
/// A function of bits is `{x: [(1,0), (2,2)], y: [(0,1)]} -> {row: 4, column: 4}`: the bases of each input, and the size of each output. Without sizes the
/// outputs are `dim0`, `dim1` and so on, each of the least size. Triton's `#ttg.linear<{x = [[1, 0], [2, 2]]}>` is read, too. `A * B` is the product, and
/// operations are those of [`LinearLayout`]; names are written in brackets: `sublayout(A, [x], [row])`. `linear(L, [row, column], offset)` is
/// [`LinearLayout::of_layout`], and `layout(A)` is [`LinearLayout::to_layout`].
///
/// ```
/// use quaff_fronts::layout::{Value, evaluate};
///
/// let found = evaluate("zipped_divide((128,64):(64,1), (32,16))")?;
/// assert!(matches!(found.value, Value::Layout(l) if l.to_string() == "((32,16),(4,4)):((64,1),(2048,16))"));
/// # Ok::<(), quaff_fronts::Error>(())
/// ```
///
/// # Errors
/// [`LayoutTextError`] with the place of what is wrong.
pub fn evaluate(text: &str) -> Result<Evaluated, LayoutTextError> {
    evaluate_in(text, &Domain::new())
}

/// As [`evaluate`], with sizes and strides that are expressions of the names of `domain`: `(M,N//4):(N,1)`.
///
/// Operations are those of [`SymbolicLayout`] where a name is in an operand, and else those of [`Layout`].
///
/// # Errors
/// As [`evaluate`]; operations whose conditions are not proved.
pub fn evaluate_in(text: &str, domain: &Domain) -> Result<Evaluated, LayoutTextError> {
    let part = read::read(text)?;
    let mut evaluator = Evaluator { text, domain, notes: Vec::new() };
    let value = evaluator.value(&part)?;
    Ok(Evaluated { value, notes: evaluator.notes })
}

impl FromStr for Layout {
    type Err = LayoutTextError;

    /// As [`evaluate`], for texts that say a layout.
    fn from_str(text: &str) -> Result<Layout, LayoutTextError> {
        Evaluator { text, domain: &Domain::new(), notes: Vec::new() }.layout(&read::read(text)?)
    }
}

impl FromStr for LinearLayout {
    type Err = LayoutTextError;

    /// As [`evaluate`], for texts that say a function of bits.
    fn from_str(text: &str) -> Result<LinearLayout, LayoutTextError> {
        Evaluator { text, domain: &Domain::new(), notes: Vec::new() }.linear(&read::read(text)?)
    }
}

impl SymbolicLayout {
    /// As [`evaluate_in`], for texts that say a layout, with names or without.
    ///
    /// # Errors
    /// As [`evaluate_in`].
    pub fn parse(text: &str, domain: &Domain) -> Result<SymbolicLayout, LayoutTextError> {
        Evaluator { text, domain, notes: Vec::new() }.symbolic(&read::read(text)?)
    }
}

struct Evaluator<'t> {
    text: &'t str,
    domain: &'t Domain,
    notes: Vec<Note>,
}

impl Evaluator<'_> {
    fn refused(&self, kind: LayoutTextErrorKind, part: &Part) -> LayoutTextError {
        LayoutTextError::new(kind, self.text, part.span.clone())
    }

    fn expected<T>(&self, expected: &'static str, part: &Part) -> Result<T, LayoutTextError> {
        Err(self.refused(LayoutTextErrorKind::Expected { expected }, part))
    }

    /// The result of an operation at its place.
    fn at<T>(&self, part: &Part, result: Result<T, LayoutError>) -> Result<T, LayoutTextError> {
        result.map_err(|error| self.refused(LayoutTextErrorKind::Layout(error), part))
    }

    fn value(&mut self, part: &Part) -> Result<Value, LayoutTextError> {
        match &part.kind {
            Kind::Tuple(parts) if parts.len() == 1 => self.value(&parts[0]),
            _ if self.is_linear(part) => self.linear(part).map(Value::Linear),
            _ if self.is_symbolic(part) => {
                let layout = self.symbolic(part)?;
                Ok(layout.to_layout().map_or(Value::Symbolic(layout), Value::Layout))
            }
            _ => self.layout(part).map(Value::Layout),
        }
    }

    fn layout(&mut self, part: &Part) -> Result<Layout, LayoutTextError> {
        match &part.kind {
            Kind::Number(size) => self.at(part, Layout::new(*size, 1)),
            Kind::Tuple(parts) if parts.len() == 1 => self.layout(&parts[0]),
            Kind::Tuple(_) => Err(self.refused(LayoutTextErrorKind::NoStrides, part)),
            Kind::Tiles(_) => self.expected("a layout, and not tiles", part),
            Kind::Swizzle(_) => self.expected("a layout behind the swizzle: `o` and a layout", part),
            Kind::Layout(both) => {
                let mode = self.mode(&both[0], &both[1], part)?;
                self.at(part, Layout::checked(mode, Vec::new()))
            }
            Kind::After(parts) => self.after(parts),
            Kind::Call(name, operands) => self.call(part, name.clone(), operands),
            Kind::Name | Kind::List(_) => self.expected("a layout", part),
            Kind::Arithmetic => self.expected("a layout of numbers", part),
            Kind::Table(_) | Kind::Map(_) | Kind::Product(_) => {
                self.expected("a layout of sizes and strides; `layout(..)` makes one of a function of bits", part)
            }
        }
    }

    /// The mode of sizes and strides that are nested alike.
    fn mode(&self, sizes: &Part, strides: &Part, whole: &Part) -> Result<Mode, LayoutTextError> {
        match (&sizes.kind, &strides.kind) {
            (Kind::Number(size), Kind::Number(stride)) => Ok(Mode::leaf(*size, *stride)),
            (Kind::Tuple(sizes), Kind::Tuple(strides)) if sizes.len() == strides.len() => {
                let modes = sizes.iter().zip(strides).map(|(size, stride)| self.mode(size, stride, whole));
                Ok(Mode::Group(modes.collect::<Result<_, _>>()?))
            }
            (Kind::Number(_) | Kind::Tuple(_), Kind::Number(_) | Kind::Tuple(_)) => {
                let [sizes, strides] = [sizes, strides].map(|part| self.text[part.span.clone()].to_string());
                self.at(whole, Err(LayoutError::Profile { sizes, strides }))
            }
            (Kind::Number(_) | Kind::Tuple(_), _) => {
                self.expected("strides: a number, or numbers in parentheses", strides)
            }
            _ => self.expected("sizes: a number, or numbers in parentheses", sizes),
        }
    }

    /// `a o b o c` is `a o (b o c)`.
    fn after(&mut self, parts: &[Part]) -> Result<Layout, LayoutTextError> {
        let mut parts = parts.iter().rev();
        let Some(last) = parts.next() else { return Ok(Layout { mode: Mode::leaf(1, 0), swizzles: Vec::new() }) };
        // tiles need the layout that they are tiles of
        let mut right = match &last.kind {
            Kind::Tiles(_) | Kind::Tuple(_) => match parts.next() {
                Some(left) => self.composed(left, last)?,
                None => self.layout(last)?,
            },
            _ => self.layout(last)?,
        };
        let mut end = last.span.end;
        for part in parts {
            let span = part.span.start..end;
            end = part.span.end.max(end);
            right = match self.swizzle(part) {
                Some(swizzle) => self.at(part, right.swizzled(swizzle))?,
                None => {
                    let left = self.layout(part)?;
                    self.note_composed(&left, &right, span.clone());
                    let found = left.compose(&right);
                    self.at(&Part { span, kind: Kind::Number(0) }, found)?
                }
            };
        }
        Ok(right)
    }

    fn swizzle(&self, part: &Part) -> Option<Swizzle> {
        match &part.kind {
            Kind::Swizzle(swizzle) => Some(*swizzle),
            Kind::Tuple(parts) if parts.len() == 1 => self.swizzle(&parts[0]),
            _ => None,
        }
    }

    /// A layout or a swizzle after a layout or tiles.
    fn composed(&mut self, left: &Part, right: &Part) -> Result<Layout, LayoutTextError> {
        let whole = Part { span: left.span.start..right.span.end, kind: Kind::Number(0) };
        if let Some(swizzle) = self.swizzle(left) {
            let right = self.layout(right)?;
            return self.at(&whole, right.swizzled(swizzle));
        }
        let left = self.layout(left)?;
        match self.tiler(right)? {
            Tiler::Whole(right) => {
                self.note_composed(&left, &right, whole.span.clone());
                self.at(&whole, left.compose(&right))
            }
            Tiler::Modes(tiles) => self.at(&whole, left.compose_modes(&tiles)),
        }
    }

    fn note_composed(&mut self, left: &Layout, right: &Layout, span: Range<usize>) {
        if let Ok((_, most)) = right.reach()
            && most >= left.size()
        {
            self.notes.push(Note { span, size: int(left.size()), reached: int(most), divided: false });
        }
    }

    fn tiler(&mut self, part: &Part) -> Result<Tiler, LayoutTextError> {
        match &part.kind {
            Kind::Tuple(parts) if parts.len() == 1 => self.tiler(&parts[0]),
            Kind::Tuple(parts) | Kind::Tiles(parts) => {
                Ok(Tiler::Modes(parts.iter().map(|part| self.layout(part)).collect::<Result<_, _>>()?))
            }
            _ => self.layout(part).map(Tiler::Whole),
        }
    }

    fn call(&mut self, whole: &Part, name: Range<usize>, operands: &[Part]) -> Result<Layout, LayoutTextError> {
        let written = &self.text[name.clone()];
        if written == "layout" {
            let [one] = operands else { return Err(self.operands("layout", "one operand", operands, whole)) };
            let linear = self.linear(one)?;
            return self.at(whole, linear.to_layout());
        }
        let Some((name, operation)) = OPERATIONS.iter().find(|(known, _)| *known == written) else {
            return Err(self.unknown(name));
        };
        let wrong = |wanted| Err(self.operands(name, wanted, operands, whole));
        let found = match (operation, operands) {
            (Operation::One(f), [one]) => f(&self.layout(one)?),
            (Operation::Two(f), [a, b]) => f(&self.layout(a)?, &self.layout(b)?),
            (Operation::Sizes(f), [sizes]) => f(&self.sizes(sizes)?),
            (Operation::Compose, [a, b]) => return self.composed(a, b),
            (Operation::Divide(f), [layout, tile]) => {
                let (layout, tile) = (self.layout(layout)?, self.tiler(tile)?);
                let divided = self.at(whole, f(&layout, &tile))?;
                let (size, reached) = (layout.size(), divided.size());
                if size != reached {
                    let (size, reached) = (int(size), int(reached));
                    self.notes.push(Note { span: whole.span.clone(), size, reached, divided: true });
                }
                Ok(divided)
            }
            (Operation::Complement, [layout, rest @ ..]) if rest.len() < 2 => {
                let layout = self.layout(layout)?;
                let end = match rest.first().map(|part| &part.kind) {
                    None => self.at(whole, layout.cosize())?,
                    Some(Kind::Number(end)) => *end,
                    Some(_) => return self.expected("a number: where the indices end", &rest[0]),
                };
                layout.complement(end)
            }
            (Operation::Mode, [layout, at]) => {
                let mut modes = self.layout(layout)?.modes();
                match at.kind {
                    Kind::Number(at) if (0..modes.len() as i64).contains(&at) => Ok(modes.swap_remove(at as usize)),
                    _ => return self.expected("the number of a mode, from 0 on", at),
                }
            }
            (Operation::Modes, modes) => {
                Layout::of_modes(&modes.iter().map(|mode| self.layout(mode)).collect::<Result<Vec<_>, _>>()?)
            }
            (Operation::One(_) | Operation::Sizes(_), _) => return wrong("one operand"),
            (Operation::Complement, _) => return wrong("a layout, and the end of the indices"),
            _ => return wrong("two operands"),
        };
        self.at(whole, found)
    }

    fn operands(&self, name: &'static str, wanted: &'static str, given: &[Part], whole: &Part) -> LayoutTextError {
        self.refused(LayoutTextErrorKind::Operands { name, wanted, given: given.len() }, whole)
    }

    /// Sizes without tuples in one another.
    fn sizes(&self, part: &Part) -> Result<Vec<i64>, LayoutTextError> {
        let number = |part: &Part| match part.kind {
            Kind::Number(number) => Ok(number),
            _ => self.expected("a size", part),
        };
        match &part.kind {
            Kind::Tuple(parts) => parts.iter().map(number).collect(),
            _ => Ok(vec![number(part)?]),
        }
    }
}
