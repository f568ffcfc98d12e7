//! Copies an access, so that two accesses can have different values of the same inputs.

use crate::AskError;
use crate::digits::each_once;
use quaff::domain::{Bounds, Domain};
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, var};

/// Copies the index `e` of an access, with new names for its inputs. Returns the copy, and a domain that has the
/// variables of both accesses.
///
/// # Errors
/// [`AskError::Twice`] if an input is given twice, and [`AskError::Unknown`] if the domain does not have an input.
pub(crate) fn other_access(e: &Expr, inputs: &[&str], domain: &Domain) -> Result<(Expr, Domain), AskError> {
    each_once(inputs)?;
    let other = |name: &str| format!("{name} of the other access");
    let renamed = |e: &Expr| {
        let value = |name: &str| inputs.contains(&name).then(|| var(other(name)));
        substituted_all(std::slice::from_ref(e), value).pop().unwrap_or_else(|| e.clone())
    };
    let vars = domain.resolve()?;
    let mut both = domain.clone();
    for input in inputs {
        let known = domain.position(input).and_then(|at| vars.get(at));
        let known = known.ok_or_else(|| AskError::Unknown { name: (*input).into() })?;
        both.add_bounds(other(input), known.interval);
        both.add_bounds(
            other(input),
            Bounds::new(known.lower.as_ref().map(&renamed), known.upper.as_ref().map(&renamed)),
        );
        if known.congruence.modulus() > 1 {
            both.add_stride(other(input), known.congruence.modulus(), known.congruence.residue());
        }
    }
    for condition in domain.assumptions() {
        both = both.assume(renamed(condition));
    }
    Ok((renamed(e), both))
}
