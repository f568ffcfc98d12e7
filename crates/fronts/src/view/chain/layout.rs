//! Layouts `(shape):(strides)`, in the notation of CuTe.
//!
//! A layout maps a coordinate to `Σ coordinate * stride`, as a view without offset and mask does. Modes that are grouped in
//! parentheses are taken apart: `((2, 4), 3):((1, 6), 2)` has the three axes 2, 4 and 3. What CuTe reads as one number for all
//! modes runs through the first mode fastest, while a reshape of a view runs through the last axis fastest.

use super::arguments::{Source, size};
use super::error::{ChainError, ChainErrorKind};
use super::scan::{group, split};
use quaff::expr::Expr;
use std::ops::Range;

/// Groups in groups that are taken apart.
const MAX_DEPTH: usize = 64;

/// Reads the layout at `at`: its sizes and its strides.
pub(super) fn read(source: Source<'_>, at: Range<usize>) -> Result<(Vec<Expr>, Vec<Expr>), ChainError> {
    let text = source.text;
    let refused = |expected, at| Err(ChainError::new(ChainErrorKind::Argument { expected }, text, at));
    let parts = split(text, at.clone(), ':')?;
    let [shape, strides] = parts.as_slice() else {
        return refused("a layout `(sizes):(strides)`", at);
    };
    let (mut sizes, mut steps) = (Vec::new(), Vec::new());
    leaves(source, shape.clone(), &mut sizes, MAX_DEPTH)?;
    leaves(source, strides.clone(), &mut steps, MAX_DEPTH)?;
    if sizes.len() != steps.len() {
        return refused("as many strides as sizes", strides.clone());
    }
    Ok((sizes, steps))
}

/// The expressions of a group, and those of the groups in it.
fn leaves(source: Source<'_>, at: Range<usize>, out: &mut Vec<Expr>, depth: usize) -> Result<(), ChainError> {
    let Some(inside) = group(source.text, &at) else {
        out.push(size(source, &at)?);
        return Ok(());
    };
    let Some(depth) = depth.checked_sub(1) else {
        let expected = "fewer groups in groups";
        return Err(ChainError::new(ChainErrorKind::Argument { expected }, source.text, at));
    };
    split(source.text, inside, ',')?.into_iter().try_for_each(|part| leaves(source, part, out, depth))
}
