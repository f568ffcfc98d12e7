//! Lanes that are neighbours, as vectors that one instruction reads or writes.

use super::{Access, Gate};
use crate::domain::Domain;
use crate::emit::Element;
use crate::expr::{Expr, int};
use crate::simplify::{Facts, Settings, SimplifyError};

/// Elements of the widest vector.
const WIDEST: u32 = 16;

/// The accesses with vectors in the place of lanes; see [`Simplifier::vectorised`](crate::Simplifier::vectorised).
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
    let mut facts = Facts::new(settings, &inside);
    let (mut lanes, mut widths, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(first) = access.lanes.get(at) {
        let mut width = WIDEST;
        while width > 1 && !is_vector(access, element, at, width, &mut facts)? {
            width /= 2;
        }
        lanes.push(first.clone());
        widths.push(width);
        at += width as usize;
    }
    if widths.iter().all(|&width| width == 1) {
        return Ok(access.clone());
    }
    Ok(Access { lanes, widths, ..access.clone() })
}

/// Whether one instruction takes the `width` lanes from `at` on: they are neighbours, and begin at a multiple of their number.
fn is_vector(
    access: &Access,
    element: Element,
    at: usize,
    width: u32,
    facts: &mut Facts,
) -> Result<bool, SimplifyError> {
    let bytes = i64::from(width) * element.bytes();
    // of the buffer, and of the array that holds the elements
    let is_aligned = i64::from(access.alignment) % bytes == 0 && at.is_multiple_of(width as usize);
    let Some(lanes) = access.lanes.get(at..at + width as usize) else { return Ok(false) };
    if !is_aligned || element.vector(width.into()).is_none() {
        return Ok(false);
    }
    let mut holds = |condition: Expr| -> Result<bool, SimplifyError> { Ok(facts.prove(&condition)? == Some(true)) };
    if !holds((lanes[0].clone() % i64::from(width)).equals(int(0)))? {
        return Ok(false);
    }
    for (lane, offset) in lanes.iter().zip(0i64..).skip(1) {
        if !holds((lane.clone() - lanes[0].clone()).equals(int(offset)))? {
            return Ok(false);
        }
    }
    Ok(true)
}
