//! Finds the names in the text of accesses, and counts how often the text uses each value.

use super::{Access, Direction, Gate};
use crate::emit::{Parameter, identifiers, is_name};
use crate::lower::Lowered;
use std::collections::BTreeMap;

/// The number of uses of each value. The key is the number of the value. Unused values are left out.
pub(super) type Uses = BTreeMap<u32, u32>;

/// The number of uses of each value of `lowered` by `ids` and by the values that only `ids` need. The operands of
/// `unconditional` values are not counted here.
pub(super) fn uses_inside(lowered: &Lowered, ids: &[u32], unconditional: &[bool]) -> Uses {
    let mut uses = Uses::new();
    ids.iter().for_each(|&id| *uses.entry(id).or_default() += 1);
    let mut next = uses.last_key_value().map(|(&id, _)| id);
    // operands come before their users
    while let Some(id) = next {
        if !unconditional[id as usize] {
            let operands = lowered.values()[id as usize].args();
            operands.iter().for_each(|&a| *uses.entry(a).or_default() += 1);
        }
        next = uses.range(..id).next_back().map(|(&id, _)| id);
    }
    uses
}

/// The parameters of accesses other than variables: the buffers, and the stored values that are single names.
pub(super) fn objects(accesses: &[Access]) -> Vec<Parameter> {
    let happens = || accesses.iter().filter(|a| a.gate != Gate::Never);
    let mut all: Vec<Parameter> = Vec::new();
    let mut add = |name: &str, ty: String| {
        if is_name(name) && all.iter().all(|p| p.name != name) {
            all.push(Parameter { name: name.into(), ty });
        }
    };
    for access in happens() {
        let is_store = |a: &Access| matches!(a.direction, Direction::Store { .. });
        let is_written = happens().any(|a| a.buffer == access.buffer && is_store(a));
        add(&access.buffer, format!("{}{} *", if is_written { "" } else { "const " }, access.element));
    }
    for access in happens() {
        let Direction::Store { value } = &access.direction else { continue };
        // the text itself declares the values that it loads
        let is_loaded = |a: &Access| matches!(&a.direction, Direction::Load { into, .. } if into == value);
        if !accesses.iter().any(is_loaded) {
            let many = access.elements() > 1;
            add(value, if many { format!("const {} *", access.element) } else { access.element.to_string() });
        }
    }
    all
}

/// The identifiers in the text of an access.
pub(super) fn taken(access: &Access) -> impl Iterator<Item = &str> {
    let texts = match &access.direction {
        Direction::Load { into, otherwise } => [into, otherwise],
        Direction::Store { value } => [value, value],
    };
    [&access.buffer, &access.element].into_iter().chain(texts).flat_map(|text| identifiers(text))
}
