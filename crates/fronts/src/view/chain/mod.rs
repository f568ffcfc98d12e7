//! Chains of movements as text: `shape(8, 12).reshape(4, 2, 12).permute(1, 0, 2)`.
//!
//! ```text
//! chain     = start ("." movement)*
//! start     = "shape(" size, ... ")"            row-major
//!           | view (" then " view)*                the view that addresses memory first
//! view      = "(" size, ... ")" ":" "(" stride, ... ")"     a layout; groups of modes are taken apart
//!             (("+" | "-") offset)? (", mask" (" (" begin "," end ")")*)?
//! movement  = "reshape(" size, ... ")"          | "permute(" axis, ... ")"
//!           | "expand(" size, ... ")"           | "flip(" axis, ... ")"
//!           | "pad(" (before, after), ... ")"   | "shrink(" (begin, end), ... ")"
//!           | "stride(" step, ... ")"
//! ```
//!
//! The printed form of a view is accepted too: `(2, 6, 12):(12, 24, 1) - 24, mask (0, 2) (1, 5) (0, 12)`. Sizes,
//! strides and ends are expressions over variables of a domain. Axes are numbers from 0 on, and a step is a number
//! other than 0. Each of `expand`, `pad`, `shrink` and `stride` takes one argument for each axis.
//!
//! ```
//! use quaff::domain::Domain;
//! use quaff_fronts::view::chain::Chain;
//!
//! let chain: Chain = "shape(8, 12).reshape(4, 2, 12).permute(1, 0, 2)".parse()?;
//! assert_eq!(chain.stack(&Domain::new())?.to_string(), "(2, 4, 12):(12, 24, 1)");
//! let layout: Chain = "((2, 4), 12):((12, 24), 1)".parse()?;
//! assert_eq!(layout.stack(&Domain::new())?, chain.stack(&Domain::new())?);
//! let wrong = "shape(8, 12).premute(1, 0)".parse::<Chain>().unwrap_err();
//! assert_eq!((wrong.to_string().as_str(), wrong.span()), ("unknown movement `premute`", 13..20));
//! # Ok::<(), quaff_fronts::view::chain::ChainError>(())
//! ```

mod arguments;
mod error;
mod layout;
mod scan;

pub use error::{ChainError, ChainErrorKind};

use crate::view::{ViewError, ViewStack};
use arguments::{Source, numbers, pairs, sizes};
use error::MOVEMENTS;
use layout::Window;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff_dialects::Dialect;
use scan::calls;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// One movement: a change of the shape or the positions of a view, which copies no elements.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Movement {
    /// The movement [`ViewStack::reshape`].
    Reshape(Vec<Expr>),
    /// The movement [`ViewStack::permute`].
    Permute(Vec<usize>),
    /// The movement [`ViewStack::expand`].
    Expand(Vec<Expr>),
    /// The movement [`ViewStack::pad`].
    Pad(Vec<(Expr, Expr)>),
    /// The movement [`ViewStack::shrink`].
    Shrink(Vec<(Expr, Expr)>),
    /// The movement [`ViewStack::flip`].
    Flip(Vec<usize>),
    /// The movement [`ViewStack::stride`].
    Stride(Vec<i64>),
}

impl Movement {
    /// Applies this movement to `view`.
    ///
    /// # Errors
    /// [`ViewError`] when the movement is not possible.
    pub fn apply(&self, view: &ViewStack) -> Result<ViewStack, ViewError> {
        match self {
            Movement::Reshape(shape) => view.reshape(shape.iter().cloned()),
            Movement::Permute(axes) => view.permute(axes),
            Movement::Expand(sizes) => view.expand(sizes.iter().cloned()),
            Movement::Pad(amounts) => view.pad(amounts.iter().cloned()),
            Movement::Shrink(bounds) => view.shrink(bounds.iter().cloned()),
            Movement::Flip(axes) => view.flip(axes),
            Movement::Stride(steps) => view.stride(steps),
        }
    }
}

/// A chain that was parsed from text: the initial view and its movements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chain {
    source: String,
    start: Start,
    first: Range<usize>,
    movements: Vec<(Movement, Range<usize>)>,
}

/// The initial view of a chain.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Start {
    Shape(Vec<Expr>),
    Views(Vec<Window>),
}

impl FromStr for Chain {
    type Err = ChainError;

    /// Parses a chain. The grammar is in the documentation of the [module](self). The time is linear in the length of
    /// the text.
    ///
    /// # Errors
    /// [`ChainError`] with its place in the text when the text is no chain.
    fn from_str(text: &str) -> Result<Chain, ChainError> {
        Chain::read(text, Dialect::Infix)
    }
}

impl Chain {
    /// Parses a chain whose sizes, strides and ends are expressions of the dialect `from`. The time is linear in the
    /// length of the text.
    ///
    /// ```
    /// use quaff::domain::Domain;
    /// use quaff_dialects::Dialect;
    /// use quaff_fronts::view::chain::Chain;
    ///
    /// let domain: Domain = "n=1..64".parse()?;
    /// let chain = Chain::read("shape((n*8) >> 1, 2).reshape(n*8)", Dialect::C)?;
    /// assert_eq!(chain.stack(&domain)?.to_string(), "(n*8):(1)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ChainError`] with its place in the text when the text is no chain. The error also occurs when an expression
    /// has several results, or needs a condition on the ranges of its variables.
    pub fn read(text: &str, from: Dialect) -> Result<Chain, ChainError> {
        let source = Source { text, from };
        let calls = calls(text)?;
        let (first, rest) = (&calls[0], &calls[1..]);
        let start = match &text[first.name.clone()] {
            "shape" => Start::Shape(sizes(source, &first.arguments)?),
            "" if !first.arguments[0].is_empty() => Start::Views(layout::read(source, first.span.clone())?),
            _ => return Err(ChainError::new(ChainErrorKind::ExpectedShape, text, first.span.clone())),
        };
        let movements = rest.iter().map(|call| Ok((movement(source, call)?, call.span.clone())));
        let movements = movements.collect::<Result<_, ChainError>>()?;
        Ok(Chain { source: text.into(), start, first: first.span.clone(), movements })
    }

    /// The movements in their order.
    pub fn movements(&self) -> impl Iterator<Item = &Movement> {
        self.movements.iter().map(|(m, _)| m)
    }

    /// The ranges of bytes in the text of the initial view and of each movement, in their order.
    ///
    /// ```
    /// use quaff_fronts::view::chain::Chain;
    ///
    /// let text = "shape(2, 3).flip(0)";
    /// let chain: Chain = text.parse()?;
    /// assert_eq!(chain.spans().map(|span| &text[span]).collect::<Vec<_>>(), ["shape(2, 3)", "flip(0)"]);
    /// # Ok::<(), quaff_fronts::view::chain::ChainError>(())
    /// ```
    pub fn spans(&self) -> impl Iterator<Item = Range<usize>> {
        std::iter::once(self.first.clone()).chain(self.movements.iter().map(|(_, span)| span.clone()))
    }

    /// The text of the chain.
    pub fn source_text(&self) -> &str {
        &self.source
    }

    /// The resulting view. Its sizes are expressions over the variables of `domain`.
    ///
    /// # Errors
    /// [`ChainError`] with its place in the text when a movement is not possible.
    pub fn stack(&self, domain: &Domain) -> Result<ViewStack, ChainError> {
        let placed = |span: &Range<usize>| {
            let span = span.clone();
            move |e| ChainError::new(ChainErrorKind::View(e), &self.source, span)
        };
        let mut stack = match &self.start {
            Start::Shape(shape) => ViewStack::row_major_in(domain.clone(), shape.iter().cloned()),
            Start::Views(windows) => windows_of(windows, domain),
        }
        .map_err(placed(&self.first))?;
        for (movement, span) in &self.movements {
            stack = movement.apply(&stack).map_err(placed(span))?;
        }
        Ok(stack)
    }
}

/// The stack of `windows`, each applied to the window before it.
fn windows_of(windows: &[Window], domain: &Domain) -> Result<ViewStack, ViewError> {
    let one = |w: &Window| ViewStack::strided(domain.clone(), &w.shape, &w.strides, &w.offset, w.mask.as_deref());
    let mut all = windows.iter().map(one);
    // `windows` is never empty
    let first = all.next().unwrap_or_else(|| ViewStack::row_major::<Expr>([]))?;
    all.try_fold(first, |below, top| below.then(&top?))
}

impl fmt::Display for Chain {
    /// Writes the text from which the chain was parsed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.source)
    }
}

/// The description of an axis in messages.
const AXIS: &str = "an axis, counted from 0";

fn movement(source: Source<'_>, call: &scan::Call) -> Result<Movement, ChainError> {
    let text = source.text;
    let arguments = &call.arguments;
    Ok(match &text[call.name.clone()] {
        "reshape" => Movement::Reshape(sizes(source, arguments)?),
        "permute" => Movement::Permute(numbers(text, arguments, AXIS)?),
        "expand" => Movement::Expand(sizes(source, arguments)?),
        "pad" => Movement::Pad(pairs(source, arguments, "a pair `(before, after)`")?),
        "shrink" => Movement::Shrink(pairs(source, arguments, "a pair `(begin, end)`")?),
        "flip" => Movement::Flip(numbers(text, arguments, AXIS)?),
        "stride" => Movement::Stride(numbers(text, arguments, "a step, which is a number")?),
        name => {
            let near = MOVEMENTS.iter().map(|m| (strsim::damerau_levenshtein(m, name), *m)).min();
            let nearest = near.filter(|&(distance, _)| distance <= 2).map(|(_, m)| m);
            let kind = ChainErrorKind::UnknownMovement { name: shortened(name), nearest };
            return Err(ChainError::new(kind, text, call.name.clone()));
        }
    })
}

/// `name`, shortened for messages.
fn shortened(name: &str) -> String {
    const MAX: usize = 40;
    name.chars().take(MAX).collect()
}
