//! Operations on layouts as text: `zipped_divide((128,64):(64,1), (32,16))`, `(4,8):(8,1) o 32:1`, `invert({x: [2, 1]} -> {y: 4})`.

mod error;
mod linear;
mod read;
mod strided;
mod unknown;

pub use error::{LayoutTextError, LayoutTextErrorKind};

use super::error::LayoutError;
use super::linear::LinearLayout;
use super::symbolic::SymbolicLayout;
use super::tree::Layout;
use quaff::domain::Domain;
use quaff::expr::Expr;
use read::{Kind, Part};
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A layout, or a linear layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Sizes and strides.
    Layout(Layout),
    /// Sizes and strides that contain names.
    Symbolic(SymbolicLayout),
    /// A linear function of bits.
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

/// The value of a text, with notes about unexpected results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evaluated {
    /// The value.
    pub value: Value,
    /// Notes about divisions and compositions that reach beyond an operand, which a reader may not expect.
    pub notes: Vec<Note>,
}

/// A note that the result of an operation reaches beyond one of its operands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The range of bytes of the operation in the text.
    pub span: Range<usize>,
    /// The number of coordinates of the operand.
    pub size: Expr,
    /// The number of coordinates of the result of a division, or the greatest index of the right layout of a
    /// composition.
    pub reached: Expr,
    /// Whether the operation is a division, and not a composition.
    pub divided: bool,
}

/// Parses and evaluates a layout or a linear layout.
///
/// A layout is `shape:stride`, such as `(4,(2,2)):(1,(8,4))`. A number `8` means `8:1`. `A o B` applies `B` first and
/// `A` second, and `Swizzle<3, 3, 3> o A` is a swizzled layout. Tiles are written as a tuple `(32, 16)`, or as
/// `<32:1, 16:2>`. The operations are the methods of [`Layout`] by their names. There are also `row_major((4,8))`,
/// `col_major((4,8))`, `make_layout(A, B)` and `mode(A, 0)`.
///
/// A linear layout is `{x: [(1,0), (2,2)], y: [(0,1)]} -> {row: 4, column: 4}`: the bases of each input, and the size
/// of each output. If no sizes are given, the outputs are `dim0`, `dim1` and so on, each with the least size. The
/// notation `#ttg.linear<{x = [[1, 0], [2, 2]]}>` of Triton is accepted too. `A * B` is the product, and the operations
/// are the methods of [`LinearLayout`]. Names are written in brackets: `sublayout(A, [x], [row])`.
/// `linear(L, [row, column], offset)` is [`LinearLayout::of_layout`], and `layout(A)` is [`LinearLayout::to_layout`].
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
/// [`LayoutTextError`] with the place of the error.
pub fn evaluate(text: &str) -> Result<Evaluated, LayoutTextError> {
    evaluate_in(text, &Domain::new())
}

/// Evaluates like [`evaluate`], with sizes and strides that are expressions over the names of `domain`:
/// `(M,N//4):(N,1)`.
///
/// If an operand contains a name, the operations are the operations of [`SymbolicLayout`]. Otherwise they are the
/// operations of [`Layout`].
///
/// # Errors
/// The errors of [`evaluate`], and [`LayoutTextError`] for an operation whose conditions are not proved.
pub fn evaluate_in(text: &str, domain: &Domain) -> Result<Evaluated, LayoutTextError> {
    let part = read::read(text)?;
    let mut evaluator = Evaluator { text, domain: Some(domain), notes: Vec::new() };
    let value = evaluator.value(&part)?;
    Ok(Evaluated { value, notes: evaluator.notes })
}

impl FromStr for Layout {
    type Err = LayoutTextError;

    /// Parses like [`evaluate`], for texts whose value is a layout.
    fn from_str(text: &str) -> Result<Layout, LayoutTextError> {
        Evaluator { text, domain: None, notes: Vec::new() }.numbers(&read::read(text)?)
    }
}

impl FromStr for LinearLayout {
    type Err = LayoutTextError;

    /// Parses like [`evaluate`], for texts whose value is a linear layout.
    fn from_str(text: &str) -> Result<LinearLayout, LayoutTextError> {
        Evaluator { text, domain: None, notes: Vec::new() }.linear(&read::read(text)?)
    }
}

impl SymbolicLayout {
    /// Parses like [`evaluate_in`], for texts whose value is a layout, with or without names.
    ///
    /// # Errors
    /// The errors of [`evaluate_in`].
    pub fn parse(text: &str, domain: &Domain) -> Result<SymbolicLayout, LayoutTextError> {
        let part = read::read(text)?;
        let mut evaluator = Evaluator { text, domain: Some(domain), notes: Vec::new() };
        let layout = evaluator.strided(&part)?.named(domain);
        evaluator.at(&part.span, layout)
    }
}

struct Evaluator<'t> {
    text: &'t str,
    /// The facts about names. `None` if names are not allowed.
    domain: Option<&'t Domain>,
    notes: Vec<Note>,
}

impl Evaluator<'_> {
    fn refused(&self, kind: LayoutTextErrorKind, span: &Range<usize>) -> LayoutTextError {
        LayoutTextError::new(kind, self.text, span.clone())
    }

    fn expected<T>(&self, expected: &'static str, part: &Part) -> Result<T, LayoutTextError> {
        Err(self.refused(LayoutTextErrorKind::Expected { expected }, &part.span))
    }

    fn operands(&self, name: &'static str, wanted: &'static str, given: &[Part], whole: &Part) -> LayoutTextError {
        self.refused(LayoutTextErrorKind::Operands { name, wanted, given: given.len() }, &whole.span)
    }

    /// The result of an operation, with the place of the operation added to an error.
    fn at<T>(&self, span: &Range<usize>, result: Result<T, LayoutError>) -> Result<T, LayoutTextError> {
        result.map_err(|error| self.refused(LayoutTextErrorKind::Layout(error), span))
    }

    fn number(&self, part: &Part) -> Result<i64, LayoutTextError> {
        match part.kind {
            Kind::Number(number) => Ok(number),
            _ => self.expected("a number", part),
        }
    }

    fn value(&mut self, part: &Part) -> Result<Value, LayoutTextError> {
        match self.is_linear(part) {
            true => self.linear(part).map(Value::Linear),
            false => self.strided(part).map(Value::from),
        }
    }
}
