//! Banks of the copies of an unrolled index: the rule of index types.

use crate::index_type::{Checked, Lost};
use quaff::integer::floor_mod;
use std::collections::BTreeMap;

/// How the copies of an index use the banks of an array, at every dynamic number alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiesInBanks {
    /// The most different elements that any bank has to give.
    pub degree: u32,
    /// Whether copies access the same element.
    pub broadcast: bool,
    /// Two copies with different elements in one bank, and the distance of that bank from the one of a common dynamic part;
    /// `None` without conflicts.
    pub conflict: Option<(usize, usize, u32)>,
    /// The banks that are used, where these do not depend on the dynamic part.
    pub banks: Option<Vec<u32>>,
}

/// How the copies of an expression use `banks` banks, element `x` in bank `x mod banks`, when all are accessed at once.
///
/// Conflict-free exactly when the residues modulo `banks` of the different static offsets are different, whatever the
/// dynamic part is: `s + m*d` and `s' + m*d` agree modulo `banks` exactly when `s` and `s'` do. Which banks these are is known
/// when `banks` divides `m`, or nothing is dynamic.
///
/// ```
/// use quaff_fronts::banks::copies_in_banks;
/// use quaff::domain::Domain;
/// use quaff_fronts::index_type::{Idx, Types, check};
///
/// let types = Types::new(&Domain::new().with("x", 0..100))?.with("i", Idx::unrolled(0, 64, 8)?);
/// let used = copies_in_banks(&check(&"i*5 + x".parse()?, &types)?, 8)?;
/// assert_eq!((used.degree, used.conflict, used.banks), (1, None, None));
/// let used = copies_in_banks(&check(&"i*4 + x*8".parse()?, &types)?, 8)?;
/// assert_eq!((used.degree, used.conflict, used.banks), (4, Some((0, 2, 0)), Some(vec![0, 4])));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Lost`] when the copies have no dynamic part in common.
pub fn copies_in_banks(checked: &Checked, banks: u32) -> Result<CopiesInBanks, Lost> {
    let ty = checked.together().map_err(Lost::clone)?;
    let offsets = checked.shared().map_or(&[][..], |(_, offsets)| offsets);
    // one bank, where an array declares none
    let banks = i128::from(banks.max(1));
    let mut by_bank: BTreeMap<i128, Vec<(i128, usize)>> = BTreeMap::new();
    let mut broadcast = false;
    for (copy, offset) in offsets.iter().enumerate() {
        let elements = by_bank.entry(floor_mod(*offset, banks)).or_default();
        match elements.iter().any(|(o, _)| o == offset) {
            true => broadcast = true,
            false => elements.push((*offset, copy)),
        }
    }
    let degree = by_bank.values().map(|e| e.len() as u32).max().unwrap_or(0);
    let conflict = by_bank.iter().find_map(|(bank, elements)| match elements[..] {
        [(_, a), (_, b), ..] => Some((a, b, *bank as u32)),
        _ => None,
    });
    let fixed = floor_mod(ty.multiplier(), banks) == 0;
    let banks = fixed.then(|| by_bank.keys().map(|b| *b as u32).collect());
    Ok(CopiesInBanks { degree, broadcast, conflict, banks })
}
