//! Splits a piece with too many points into cases.

use super::piece::Piece;
use super::poly::Poly;
use super::terms::{Atom, Terms, atoms_of};
use quaff_expr::domain::Interval;
use rustc_hash::FxHashSet;

/// The most values of a variable for which a piece is split into one case for each value.
const MAX_VALUES: u64 = 1 << 10;

/// Splits `piece` into cases that together are equivalent to the piece. `heavy` lists the variables of the group with
/// the most points. `None` if no way to split applies, or if a coefficient exceeds 64 bits.
pub(super) fn split(piece: &Piece, heavy: &[u32]) -> Option<Vec<Piece>> {
    let terms = &piece.terms;
    let of_difference: Vec<u32> = reachable(terms, std::iter::once(&piece.difference))
        .into_iter()
        .filter(|a| terms.variables_of(*a).iter().any(|v| heavy.contains(v)))
        .collect();
    let everywhere = reachable(terms, piece.conditions.iter().chain([&piece.difference]));
    // first try to split at the zero of `v + c` for a variable `v`, where a comparison changes. The variable with the
    // most values comes first
    let thresholds = everywhere.iter().filter_map(|a| threshold(terms, *a)).filter(|(v, _)| heavy.contains(v));
    if let Some((v, at)) = thresholds.max_by_key(|(v, _)| piece.ranges[*v as usize].count().unwrap_or(u64::MAX))
        && let Some(cases) = at_threshold(piece, v, at)
    {
        return Some(cases);
    }
    // a disjunction is split into its first operand and the opposite of that operand
    for condition in &piece.conditions {
        if let Some((atom, false)) = condition.as_literal()
            && let Atom::All(parts) = terms.atom(atom)
            && terms.variables_of(atom).iter().any(|v| heavy.contains(v))
        {
            return by_truth(piece, &parts[0]);
        }
    }
    let truth = |a: &&u32| terms.atom(**a).is_truth();
    // conditions that are terms of the difference itself come before conditions inside quotients
    let direct: Vec<u32> = atoms_of(&piece.difference).filter(|a| of_difference.contains(a)).collect();
    if let Some(atom) = direct.iter().find(truth).or_else(|| of_difference.iter().find(truth)) {
        return by_truth(piece, &Poly::atom(*atom));
    }
    by_value(piece, &of_difference)
}

/// The atoms (variables, quotients and truth values) in some polynomials, directly or inside other atoms, in ascending
/// order.
fn reachable<'p>(terms: &Terms, roots: impl Iterator<Item = &'p Poly>) -> Vec<u32> {
    let mut all: Vec<u32> = Vec::new();
    let mut seen: FxHashSet<u32> = FxHashSet::default();
    let mut stack: Vec<u32> = roots.flat_map(atoms_of).collect();
    while let Some(atom) = stack.pop() {
        if seen.insert(atom) {
            all.push(atom);
            stack.extend(terms.atom(atom).operands().into_iter().flat_map(atoms_of));
        }
    }
    all.sort_unstable();
    all
}

/// The variable `v` and the value `c`, if the atom compares `v` with `c`.
fn threshold(terms: &Terms, atom: u32) -> Option<(u32, i64)> {
    let (Atom::NonNegative(p) | Atom::Zero(p)) = terms.atom(atom) else { return None };
    match &p.terms[..] {
        [(mono, 1)] if mono.len() == 1 => match terms.atom(mono[0]) {
            Atom::Var(v) => Some((*v, p.constant.checked_neg()?)),
            _ => None,
        },
        _ => None,
    }
}

/// Splits the range of `v` into the values below `at` and the values from `at` on. If `at` is the first value, the
/// cases are `at` alone and the values above it.
fn at_threshold(piece: &Piece, v: u32, at: i64) -> Option<Vec<Piece>> {
    let range = piece.ranges[v as usize];
    let ends = |lo: i64, hi: i64| range.meet(Interval::new(lo, hi)?);
    let split = |first: i64| Some((ends(i64::MIN, first.checked_sub(1)?)?, ends(first, i64::MAX)?));
    let (below, above) = split(at).or_else(|| split(at.checked_add(1)?))?;
    let case = |part: Interval| {
        let mut ranges = piece.ranges.clone();
        ranges[v as usize] = part;
        piece.narrowed(&ranges, &[])
    };
    Some(vec![case(below)?, case(above)?])
}

fn by_truth(piece: &Piece, truth: &Poly) -> Option<Vec<Piece>> {
    let opposite = truth.opposite()?;
    let case = |truth: &Poly| piece.narrowed(&piece.ranges, std::slice::from_ref(truth));
    Some(vec![case(truth)?, case(&opposite)?])
}

/// Splits a piece into the values of one variable. The variable is one for which an atom or a product is not periodic.
/// Among all such variables, the one with the fewest values is chosen.
fn by_value(piece: &Piece, atoms: &[u32]) -> Option<Vec<Piece>> {
    let terms = &piece.terms;
    let mut irregular: Vec<u32> = Vec::new();
    for (mono, _) in piece.difference.terms.iter().filter(|(mono, _)| mono.len() > 1) {
        irregular.extend(mono.iter().flat_map(|a| terms.variables_of(*a)));
    }
    for atom in atoms {
        match terms.atom(*atom) {
            Atom::Quotient(_, n) if n.as_constant().is_none() => {
                irregular.extend(atoms_of(n).flat_map(|a| terms.variables_of(a)));
            }
            Atom::Other(..) => irregular.extend(terms.variables_of(*atom)),
            other => {
                let products = other.operands().into_iter().flat_map(|p| &p.terms).filter(|(mono, _)| mono.len() > 1);
                irregular.extend(products.flat_map(|(mono, _)| mono).flat_map(|a| terms.variables_of(*a)));
            }
        }
    }
    let count = |v: &u32| piece.ranges[*v as usize].count().unwrap_or(u64::MAX);
    let v = irregular.into_iter().filter(|v| count(v) > 1).min_by_key(|v| (count(v), *v))?;
    let (lo, hi) = piece.ranges[v as usize].bounded().filter(|_| count(&v) <= MAX_VALUES)?;
    let case = |value: i64| {
        let mut ranges = piece.ranges.clone();
        ranges[v as usize] = Interval::point(value);
        piece.narrowed(&ranges, &[])
    };
    (lo..=hi).map(case).collect()
}
