//! Declarations of variables as text, such as `i = 0..n - 1`.

use super::ranges::is_beyond_reach;
use super::{Bounds, Domain, DomainError};
use crate::expr::name::{is_readable, is_reserved, is_word, name_length};
use crate::expr::{Expr, Parsed, parse};
use std::ops::Range;

impl Domain {
    /// Adds the facts about one variable that `text` states.
    ///
    /// Both ends of a range in text are **inclusive**, as people write loops: `i=0..15` has 16 values, and so has
    /// `i=0..=15`. A Rust range in [`Domain::with`] excludes its end, as everywhere in Rust. So `with("i", 0..16)`
    /// declares the range of the text `i=0..15`.
    ///
    /// ```text
    /// i = 0..15                  both ends inclusive (also written 0..=15)
    /// j = 0..n - 1               ends are infix expressions over other variables
    /// k = 1..                    either end may be missing
    /// m = 16                     one value
    /// y = 4*x + 1                the same as 4*x + 1..4*x + 1: y is equal to it
    /// x = 0..999 step 4          x ≡ 0 mod 4
    /// x = 0..999 step 4 from 1   x ≡ 1 mod 4
    /// ```
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let mut domain = Domain::new();
    /// for text in ["n=1..64", "i=0..n-1", "x=0..999 step 4 from 1"] {
    ///     domain.declare(text)?;
    /// }
    /// let facts = domain.resolve()?;
    /// assert_eq!(facts[1].interval.to_string(), "0..63");
    /// assert_eq!(facts[2].interval.to_string(), "1..997");
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// [`DomainError::BadDeclaration`] or [`DomainError::BadBound`], with the place, when `text` has none of these
    /// forms. The domain is then unchanged. [`Domain::resolve`] finds whether the facts can be true.
    pub fn declare(&mut self, text: &str) -> Result<(), DomainError> {
        self.declare_within(text, 0..text.len()).map(drop)
    }

    /// Reads only the part `span` of `text` as [`Domain::declare`] does. Returns the name of the variable.
    pub(super) fn declare_within<'t>(&mut self, text: &'t str, span: Range<usize>) -> Result<&'t str, DomainError> {
        let Some(equals) = text[span.clone()].find('=').map(|at| span.start + at) else {
            return Err(bad("`=` after the name", text, span.end..span.end));
        };
        let name_at = trim(text, span.start..equals);
        let name = &text[name_at.clone()];
        if is_reserved(name) {
            return Err(bad("a name that is no word of the notation, as `and` and `True` are", text, name_at));
        }
        if !is_readable(name) {
            return Err(bad("a name: letters, digits, _ and single dots, not starting with a digit", text, name_at));
        }
        let (range_at, stride) = stride(text, equals + 1..span.end)?;
        let bounds = bounds(text, range_at)?;
        self.add_bounds(name, bounds);
        if let Some((modulus, residue)) = stride {
            self.add_stride(name, modulus, residue);
        }
        Ok(name)
    }
}

const POWER: &str = "a number without `^`, which is the exclusive or and no power";
const DOTS: &str = "`..` between the ends of a range: `-` subtracts";
const NO_COLON: &str = "`..` between the ends of a range, both inclusive, as in `0..15`";
const REACH: &str = "an end from -9223372036854775807 to 9223372036854775806, or none where it is open";

pub(super) fn bad(expected: &'static str, text: &str, span: Range<usize>) -> DomainError {
    DomainError::BadDeclaration { expected, text: text.into(), span: span.into() }
}

/// The part of `span` without the white space at both ends.
pub(super) fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let part = &text[span.clone()];
    let start = span.start + (part.len() - part.trim_start().len());
    start..start.max(span.start + part.trim_end().len())
}

/// The modulus and the residue of a stride.
type Stride = (i64, i64);

/// Splits `step m from r` off the end of `span`.
fn stride(text: &str, span: Range<usize>) -> Result<(Range<usize>, Option<Stride>), DomainError> {
    let Some(step) = word(text, span.clone(), "step") else { return Ok((span, None)) };
    let after = step.end..span.end;
    let (modulus_at, residue) = match word(text, after.clone(), "from") {
        Some(from) => (after.start..from.start, integer(text, from.end..span.end)?),
        None => (after, 0),
    };
    Ok((span.start..step.start, Some((integer(text, modulus_at)?, residue))))
}

/// The first occurrence of `wanted` as a whole word outside of parentheses. A part of a name does not count.
fn word(text: &str, span: Range<usize>, wanted: &str) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    let mut depth = 0usize;
    for start in span.clone() {
        match bytes[start] {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        let end = start + wanted.len();
        let before = &bytes[span.start..start];
        // `n.step` is a name, and `0..step 4` is an open range with a step
        let begins = !matches!(before, [.., b] if is_word(*b)) && !matches!(before, [.., b, b'.'] if is_word(*b));
        let is_here = begins && end <= span.end && &bytes[start..end] == wanted.as_bytes();
        if depth == 0 && is_here && name_length(&bytes[start..span.end]) == wanted.len() {
            return Some(start..end);
        }
    }
    None
}

fn integer(text: &str, span: Range<usize>) -> Result<i64, DomainError> {
    let at = trim(text, span);
    // the parser reads the integer, so every spelling of an integer is accepted
    let value = parse(&text[at.clone()]).ok().and_then(|p| p.expr().as_const());
    value.ok_or_else(|| bad("an integer", text, at))
}

fn bounds(text: &str, span: Range<usize>) -> Result<Bounds, DomainError> {
    let at = trim(text, span);
    let Some(dots) = text[at.clone()].find("..").map(|d| at.start + d) else {
        if let Some(colon) = text[at.clone()].find(':').map(|c| at.start + c) {
            return Err(bad(NO_COLON, text, colon..colon + 1));
        }
        let value = end(text, at.clone())?.ok_or_else(|| bad("a range such as `0..15`", text, at.clone()))?;
        if is_difference(&text[at.clone()]) {
            return Err(bad(DOTS, text, at));
        }
        return Ok((&value, &value).into());
    };
    let upper_start = dots + if text[dots..].starts_with("..=") { 3 } else { 2 };
    Ok(Bounds::new(end(text, at.start..dots)?, end(text, upper_start..at.end)?))
}

/// Parses one end of a range. The text is an expression, or empty for an open end.
fn end(text: &str, span: Range<usize>) -> Result<Option<Expr>, DomainError> {
    let at = trim(text, span);
    if at.is_empty() {
        return Ok(None);
    }
    let parsed = parse(&text[at.clone()]).map_err(|e| e.within(text, at.start))?;
    let end = Parsed::into_expr(parsed);
    if is_beyond_reach(&end) {
        return Err(bad(REACH, text, at));
    }
    if text[at.clone()].contains('^') && end.variables().is_empty() {
        return Err(bad(POWER, text, at));
    }
    Ok(Some(end))
}

/// Whether `text` is two numbers with a minus between them, such as `0-15`. Other notations write a range in this way.
fn is_difference(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    text.split_once('-').is_some_and(|(low, high)| is_number(low.trim()) && is_number(high.trim()))
}
