//! Decides bank conflicts between the copies of an unrolled index, from the index types of these copies.

use crate::index_type::{Checked, Lost};
use quaff::integer::{floor_div, floor_mod};
use std::collections::BTreeMap;

/// How the copies of an index use the banks of an array. The result holds for every value of the dynamic number, which
/// is the part of the index that all copies share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopiesInBanks {
    /// The largest number of distinct elements that one bank must serve.
    pub degree: u32,
    /// Whether several copies access the same element.
    pub broadcast: bool,
    /// Two copies that access different elements of one bank, and the number of this bank. The bank of the shared
    /// dynamic part counts as bank 0. `None` if there are no conflicts.
    pub conflict: Option<(usize, usize, u32)>,
    /// The banks that are used, if they do not depend on the dynamic part.
    pub banks: Option<Vec<u32>>,
}

/// The use of `banks` banks by the copies of an expression, when all copies access the array at once. Element `x` is in
/// bank `x mod banks`.
///
/// The copies have the indices `s + m*d`, with one static offset `s` for each copy and a shared dynamic number `d`. Two
/// copies are in the same bank exactly when their offsets agree modulo `banks`, for every `d`. So there is no conflict
/// exactly when distinct offsets have distinct residues. The numbers of the banks are known if `banks` divides `m`, or
/// if there is no dynamic part.
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
    copies_in_grid(&[(checked, banks)])
}

/// The use of the banks of an array with several dimensions, each with its index and its number of banks. Element
/// `(x, y)` is in bank `(x mod p, y mod q)`, whose number is `x mod p * q + y mod q`.
///
/// The copies are all combinations of the unrolled variables of all indices. Two copies use the same bank exactly when
/// their banks agree in every dimension.
///
/// ```
/// use quaff_fronts::banks::copies_in_grid;
/// use quaff::domain::Domain;
/// use quaff_fronts::index_type::{Idx, Types, check};
///
/// let types = Types::new(&Domain::new().with("x", 0..100))?;
/// let types = types.with("i", Idx::unrolled(0, 64, 4)?).with("j", Idx::unrolled(0, 64, 2)?);
/// let (row, col) = (check(&"i + x".parse()?, &types)?, check(&"j".parse()?, &types)?);
/// assert_eq!(copies_in_grid(&[(&row, 4), (&col, 2)])?.degree, 1);
/// let used = copies_in_grid(&[(&row, 2), (&col, 2)])?;
/// assert_eq!((used.degree, used.conflict), (2, Some((0, 4, 0))));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`Lost`] when the copies of one index have no dynamic part in common.
pub fn copies_in_grid(dimensions: &[(&Checked, u32)]) -> Result<CopiesInBanks, Lost> {
    let mut fixed = true;
    for (checked, banks) in dimensions {
        fixed &= floor_mod(checked.together().map_err(Lost::clone)?.multiplier(), banks_of(*banks)) == 0;
    }
    let elements = elements(dimensions);
    let bank_of = |element: &[i128]| {
        let digits = element.iter().zip(dimensions).map(|(x, (_, banks))| (floor_mod(*x, banks_of(*banks)), *banks));
        digits.fold(0, |number: i128, (digit, banks)| number.saturating_mul(banks_of(banks)).saturating_add(digit))
    };
    let mut by_bank: BTreeMap<i128, Vec<(&[i128], usize)>> = BTreeMap::new();
    let mut broadcast = false;
    for (copy, element) in elements.iter().enumerate() {
        let own = by_bank.entry(bank_of(element)).or_default();
        match own.iter().any(|(e, _)| e == element) {
            true => broadcast = true,
            false => own.push((element, copy)),
        }
    }
    let number = |bank: &i128| u32::try_from(*bank).unwrap_or(u32::MAX);
    let degree = by_bank.values().map(|e| e.len() as u32).max().unwrap_or(0);
    let conflict = by_bank.iter().find_map(|(bank, elements)| match elements[..] {
        [(_, a), (_, b), ..] => Some((a, b, number(bank))),
        _ => None,
    });
    let banks = fixed.then(|| by_bank.keys().map(number).collect());
    Ok(CopiesInBanks { degree, broadcast, conflict, banks })
}

/// The number of banks, but at least one.
fn banks_of(banks: u32) -> i128 {
    banks.max(1).into()
}

/// The offsets of all dimensions for each copy. The copies are all combinations of the unrolled variables, and the last
/// variable changes fastest.
fn elements(dimensions: &[(&Checked, u32)]) -> Vec<Vec<i128>> {
    let mut names: Vec<(&str, usize)> = Vec::new();
    for (name, copies) in dimensions.iter().flat_map(|(checked, _)| checked.unrolled()) {
        if !names.iter().any(|(known, _)| *known == name) {
            names.push((name, copies));
        }
    }
    // the type check has already enumerated the copies of each variable, which limits these numbers
    let all: usize = names.iter().map(|(_, copies)| copies).product();
    let number_of = |copy: usize, name: &str| {
        let faster = names.iter().rev().take_while(|(n, _)| *n != name).map(|(_, copies)| copies).product::<usize>();
        let own = names.iter().find(|(n, _)| *n == name).map_or(1, |(_, copies)| *copies);
        floor_mod(floor_div(copy as i128, faster.max(1) as i128), own.max(1) as i128) as usize
    };
    let offset = |checked: &Checked, copy: usize| {
        let own = checked.unrolled().fold(0, |at, (name, copies)| at * copies + number_of(copy, name));
        checked.shared().and_then(|(_, offsets)| offsets.get(own)).copied().unwrap_or(0)
    };
    (0..all).map(|copy| dimensions.iter().map(|(checked, _)| offset(checked, copy)).collect()).collect()
}
