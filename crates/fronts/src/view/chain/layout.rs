//! Parses layouts `(shape):(strides)` in the notation of CuTe, and the printed form of views, with an offset and a
//! mask.
//!
//! A layout maps a coordinate to `Σ coordinate * stride`, like a view without offset and mask. Modes that are grouped
//! in parentheses are flattened: `((2, 4), 3):((1, 6), 2)` has the three axes 2, 4 and 3. A single number for all modes
//! runs through the first mode fastest in CuTe, but a reshape of a view runs through the last axis fastest.

use super::arguments::{Source, size};
use super::error::{ChainError, ChainErrorKind};
use super::scan::{closing, group, pair, split};
use quaff::expr::{Expr, int};
use std::ops::Range;

/// The deepest nesting of groups.
const MAX_DEPTH: usize = 64;

/// One strided window as it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) shape: Vec<Expr>,
    pub(super) strides: Vec<Expr>,
    pub(super) offset: Expr,
    pub(super) mask: Option<Vec<(Expr, Expr)>>,
}

/// The text between two views.
const THEN: &str = " then ";

/// Parses the views at `at`. The view that addresses memory comes first.
pub(super) fn read(source: Source<'_>, at: Range<usize>) -> Result<Vec<Window>, ChainError> {
    let text = source.text;
    let (mut windows, mut start) = (Vec::new(), at.start);
    for (found, _) in text[at.clone()].match_indices(THEN) {
        windows.push(window(source, start..at.start + found)?);
        start = at.start + found + THEN.len();
    }
    windows.push(window(source, start..at.end)?);
    Ok(windows)
}

/// Parses `(sizes):(strides) + offset, mask (begin, end) ...`.
fn window(source: Source<'_>, at: Range<usize>) -> Result<Window, ChainError> {
    let text = source.text;
    let refused = |expected, at| Err(ChainError::new(ChainErrorKind::Argument { expected }, text, at));
    let outer = split(text, at.clone(), ',')?;
    let (layout, mask) = match outer.as_slice() {
        [layout] => (layout.clone(), None),
        [layout, mask] if text[mask.clone()].split(['(', ' ']).next() == Some("mask") => {
            (layout.clone(), Some(mask.clone()))
        }
        [_, other, ..] => return refused("`mask` with a pair `(begin, end)` for each axis", other.clone()),
        [] => return refused("a layout `(sizes):(strides)`", at),
    };
    let parts = split(text, layout.clone(), ':')?;
    let [shape, strides] = parts.as_slice() else {
        return refused("a layout `(sizes):(strides)`", layout);
    };
    let (strides, offset) = with_offset(text, strides.clone());
    let (mut sizes, mut steps) = (Vec::new(), Vec::new());
    leaves(source, shape.clone(), &mut sizes, MAX_DEPTH)?;
    leaves(source, strides.clone(), &mut steps, MAX_DEPTH)?;
    if sizes.len() != steps.len() {
        return refused("as many strides as sizes", strides);
    }
    // the text of the offset includes a minus sign, so it is parsed as a whole
    let offset = offset.map_or(Ok(int(0)), |at| size(source, &at))?;
    let mask = mask.map(|at| ends(source, at)).transpose()?;
    Ok(Window { shape: sizes, strides: steps, offset, mask })
}

/// Splits `(strides) + offset` into the strides and the offset.
fn with_offset(text: &str, at: Range<usize>) -> (Range<usize>, Option<Range<usize>>) {
    let Some(end) = text[at.clone()].starts_with('(').then(|| closing(text, at.start)).flatten() else {
        return (at, None);
    };
    let behind = &text[end + 1..at.end];
    match behind.trim_start().starts_with(['+', '-']) {
        // the sign `+` is left out, because an expression cannot begin with it
        true => {
            let sign = at.end - behind.trim_start().len();
            (at.start..end + 1, Some(if text[sign..].starts_with('+') { sign + 1 } else { sign }..at.end))
        }
        false => (at, None),
    }
}

/// Parses the pairs of `mask (0, 8) (1, 13)`.
fn ends(source: Source<'_>, at: Range<usize>) -> Result<Vec<(Expr, Expr)>, ChainError> {
    let text = source.text;
    let refused = |at: Range<usize>| {
        let expected = "a pair `(begin, end)` for each axis";
        ChainError::new(ChainErrorKind::Argument { expected }, text, at)
    };
    let (mut ends, mut next) = (Vec::new(), at.start + "mask".len());
    loop {
        next += text[next..at.end].len() - text[next..at.end].trim_start().len();
        if next == at.end {
            return Ok(ends);
        }
        let close = text[next..].starts_with('(').then(|| closing(text, next)).flatten();
        let part = next..close.ok_or_else(|| refused(next..at.end))? + 1;
        let Some([begin, end]) = pair(text, part.clone())? else { return Err(refused(part)) };
        ends.push((size(source, &begin)?, size(source, &end)?));
        next = part.end;
    }
}

/// Collects the expressions of a group and of its nested groups.
fn leaves(source: Source<'_>, at: Range<usize>, out: &mut Vec<Expr>, depth: usize) -> Result<(), ChainError> {
    let Some(inside) = group(source.text, &at) else {
        out.push(size(source, &at)?);
        return Ok(());
    };
    let Some(depth) = depth.checked_sub(1) else {
        let expected = "fewer groups in groups";
        return Err(ChainError::new(ChainErrorKind::Argument { expected }, source.text, at));
    };
    if source.text[inside.clone()].trim().is_empty() {
        return Ok(());
    }
    split(source.text, inside, ',')?.into_iter().try_for_each(|part| leaves(source, part, out, depth))
}
