//! Errors in the text of a layout, with their places.

use crate::layout::LayoutError;
use miette::{Diagnostic, LabeledSpan, SourceCode};
use std::fmt;
use std::ops::Range;

/// The reason why a text is no layout.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{}", .inner.kind)]
pub struct LayoutTextError {
    // The data is boxed, because an error is large, and every result would reserve space for it.
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    kind: LayoutTextErrorKind,
    source: String,
    span: Range<usize>,
}

/// The cases of a [`LayoutTextError`].
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutTextErrorKind {
    /// The text does not have the expected form.
    #[error("expected {expected}")]
    Expected {
        /// The expected form.
        expected: &'static str,
    },
    /// A name that is no operation.
    #[error("unknown operation `{name}`")]
    UnknownOperation {
        /// The name as written.
        name: String,
        /// The operation with the most similar name, if there is a similar one.
        nearest: Option<&'static str>,
        /// The names of all operations.
        known: Vec<&'static str>,
    },
    /// An operation with a wrong number of operands.
    #[error("`{name}` takes {wanted}, and here are {given} operands")]
    Operands {
        /// The operation that has these operands.
        name: &'static str,
        /// The number of operands that the operation takes.
        wanted: &'static str,
        /// The number of operands that are given.
        given: usize,
    },
    /// A number that exceeds 64 bits.
    #[error("this number leaves 64 bits")]
    Number,
    /// Parentheses that are nested too deeply.
    #[error("these are more than {limit} parentheses and calls in one another")]
    TooDeep {
        /// The deepest allowed nesting.
        limit: usize,
    },
    /// Sizes without strides.
    #[error("these sizes have no strides")]
    NoStrides,
    /// Text between `<` and `>` that is no swizzle.
    #[error("this is no swizzle")]
    Swizzle,
    /// An operation that has no layout as its result.
    #[error("{0}")]
    Layout(LayoutError),
}

impl LayoutTextError {
    pub(super) fn new(kind: LayoutTextErrorKind, source: &str, span: Range<usize>) -> LayoutTextError {
        LayoutTextError { inner: Box::new(Inner { kind, source: source.into(), span }) }
    }

    /// The kind of the error.
    pub fn kind(&self) -> &LayoutTextErrorKind {
        &self.inner.kind
    }

    /// The range of bytes in the text that caused the error. It may be empty at the end of the text.
    pub fn span(&self) -> Range<usize> {
        self.inner.span.clone()
    }

    /// The text that was read.
    pub fn source_text(&self) -> &str {
        &self.inner.source
    }
}

impl Diagnostic for LayoutTextError {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        match self.kind() {
            LayoutTextErrorKind::Layout(error) => error.code(),
            _ => Some(Box::new("quaff::layout::text")),
        }
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        use LayoutTextErrorKind as K;
        let text = match self.kind() {
            K::Layout(error) => return error.help(),
            K::Expected { .. } => {
                "a layout is written `(4,8):(8,1)`, one after another `(4,8):(8,1) o 32:1`, and a function of bits `{x: [1, 2]} -> {y: 4}`".to_string()
            }
            K::UnknownOperation { nearest: Some(nearest), .. } => format!("did you mean `{nearest}`?"),
            K::UnknownOperation { known, .. } => format!("operations are {}", known.join(", ")),
            K::NoStrides => "write `(4,8):(1,4)`, `col_major((4,8))` or `row_major((4,8))`".into(),
            K::Swizzle => {
                "write `Swizzle<3, 4, 3>`: bits, lowest bit and distance, the distance not below the bits".into()
            }
            K::Operands { .. } | K::Number | K::TooDeep { .. } => return None,
        };
        Some(Box::new(text))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.inner.source)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let label = match self.kind() {
            LayoutTextErrorKind::Layout(_) => "this operation",
            _ => "here",
        };
        let span = self.span();
        Some(Box::new(std::iter::once(LabeledSpan::new(Some(label.into()), span.start, span.len()))))
    }
}
