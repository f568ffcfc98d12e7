//! Merges neighbouring lanes into vectors, such as `float4`, which one instruction reads or writes.

use super::{Access, Gate};
use crate::domain::Domain;
use crate::emit::Element;
use crate::expr::{Expr, int};
use crate::simplify::{Facts, Settings, SimplifyError};

/// The number of elements of the widest vector.
const WIDEST: u32 = 16;

/// The accesses with vectors in place of neighbouring lanes. See
/// [`Simplifier::vectorised`](crate::Simplifier::vectorised).
pub(crate) fn vectorised(
    settings: &Settings,
    accesses: &[Access],
    domain: &Domain,
) -> Result<Vec<Access>, SimplifyError> {
    accesses.iter().map(|access| of_access(settings, access, domain)).collect()
}

fn of_access(settings: &Settings, access: &Access, domain: &Domain) -> Result<Access, SimplifyError> {
    let element = Element::named(&access.element).filter(|_| access.lanes.len() > 1 && access.widths.is_empty());
    let (Some(element), true) = (element, access.gate != Gate::Never) else { return Ok(access.clone()) };
    let inside = access.gate.condition().map_or_else(|| domain.clone(), |gate| domain.clone().assume(gate.clone()));
    // the second side of the copy is the array in the text that holds the elements
    let places: Vec<Expr> = (0i64..).take(access.lanes.len()).map(int).collect();
    let sides = [&access.lanes[..], &places].map(|lanes| Side { lanes, alignment: access.alignment.into() });
    let widths = widths_of(element, &sides, &mut Facts::new(settings, &inside))?;
    if widths.iter().all(|&width| width == 1) {
        return Ok(access.clone());
    }
    let starts = widths.iter().scan(0, |at, &width| Some(std::mem::replace(at, *at + width as usize)));
    let lanes = starts.filter_map(|at| access.lanes.get(at).cloned()).collect();
    Ok(Access { lanes, widths, ..access.clone() })
}

/// One side of a copy: the elements from which lanes are read, or to which lanes are written.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    /// The index of each lane.
    pub lanes: &'a [Expr],
    /// A number of bytes that divides the address of the element at index 0.
    pub alignment: i64,
}

/// The widths of the vectors that move the lanes from one of the `sides` to the other, in order. A width is 16, 8, 4 or
/// 2 if one instruction moves so many lanes on all sides, and otherwise 1. All sides have the same number of lanes.
/// Proves a few conditions for each lane.
pub(crate) fn widths_of(element: Element, sides: &[Side<'_>], facts: &mut Facts) -> Result<Vec<u32>, SimplifyError> {
    let count = sides.iter().map(|side| side.lanes.len()).min().unwrap_or(0);
    let (mut widths, mut at) = (Vec::new(), 0);
    while at < count {
        let mut width = WIDEST;
        while width > 1 && !is_vector(element, sides, at, width, facts)? {
            width /= 2;
        }
        widths.push(width);
        at += width as usize;
    }
    Ok(widths)
}

/// Whether one instruction moves the `width` lanes from `at` on. On each side, they must be neighbours, and the first
/// index must be a multiple of `width`.
fn is_vector(
    element: Element,
    sides: &[Side<'_>],
    at: usize,
    width: u32,
    facts: &mut Facts,
) -> Result<bool, SimplifyError> {
    let bytes = i64::from(width) * element.bytes();
    if element.vector(width.into()).is_none() || sides.iter().any(|side| side.alignment % bytes != 0) {
        return Ok(false);
    }
    let mut holds = |condition: Expr| -> Result<bool, SimplifyError> { Ok(facts.prove(&condition)? == Some(true)) };
    for side in sides {
        let Some(lanes) = side.lanes.get(at..at + width as usize) else { return Ok(false) };
        if !holds((lanes[0].clone() % i64::from(width)).equals(int(0)))? {
            return Ok(false);
        }
        for (lane, offset) in lanes.iter().zip(0i64..).skip(1) {
            if !holds((lane.clone() - lanes[0].clone()).equals(int(offset)))? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}
