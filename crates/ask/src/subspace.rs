//! Splits a map into an outer map and an inner map, each over some of the inputs.

use crate::AskError;
use crate::digits::{each_once, product};
use crate::iter_sums::{Leaf, Leaves, Reader};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::monomials::{monomials, sum_of};
use quaff::expr::sum::written;
use quaff::expr::{Expr, int};

/// One output, split into `outer * stride + inner`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Division {
    /// The outer part, an expression without inner inputs. Its values are in `0..outer_extent`.
    pub outer: Expr,
    /// An upper bound on the number of values of the outer part.
    pub outer_extent: Expr,
    /// The stride of the outer part. If the outer part has several values, the stride is at least the number of values
    /// of the inner part.
    pub stride: Expr,
    /// The inner part, an expression without outer inputs. It includes the constant term of the output.
    pub inner: Expr,
    /// An upper bound on the greatest value of the inner part minus the least value, plus 1.
    pub inner_extent: Expr,
}

/// A map, split into an outer map and an inner map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subspace {
    /// The divided outputs, in the order of the outputs of the map.
    pub outputs: Vec<Division>,
    /// The conditions of the domain on the outer inputs.
    pub outer_conditions: Vec<Expr>,
    /// The conditions of the domain on the inner inputs.
    pub inner_conditions: Vec<Expr>,
}

/// A split map, or the reason why the map cannot be split.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Divided {
    /// The map is split into an outer map and an inner map.
    Map(Subspace),
    /// The map cannot be split.
    Not {
        /// The output, condition or part that prevents the split. Either it has both outer and inner inputs, or it is
        /// an outer part whose stride does not exceed the strides of all inner parts.
        part: Expr,
    },
}

/// Splits a map into a map over the inputs `inner` and a map over all other inputs. For example, this separates the
/// inner loops of a block of a kernel from its outer loops.
///
/// Each output is `outer * stride + inner`.
///
/// A call takes a proof for each output and two proofs for each digit of the output.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::{Divided, subspace_divide};
///
/// let domain = "z=0..4, y=0..3, x=0..2, c=0..99".parse()?;
/// let output = "z*12 + y*3 + x + c".parse()?;
/// let Divided::Map(found) = subspace_divide(&Simplifier::default(), &[output], &["x", "y", "z"], &["x"], &domain)? else { panic!() };
/// let one = &found.outputs[0];
/// assert_eq!((one.outer.to_string().as_str(), one.inner.to_string().as_str()), ("z*4 + y", "x + c"));
/// assert_eq!((one.outer_extent.as_const(), one.stride.as_const()), (Some(20), Some(3)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`injective`](crate::injective), and [`AskError::Unknown`] if a name in `inner` is not an input.
pub fn subspace_divide(
    simplifier: &Simplifier,
    outputs: &[Expr],
    inputs: &[&str],
    inner: &[&str],
    domain: &Domain,
) -> Result<Divided, AskError> {
    each_once(inner)?;
    if let Some(name) = inner.iter().find(|name| !inputs.contains(name)) {
        return Err(AskError::Unknown { name: (*name).into() });
    }
    let mut reader = Reader::new(simplifier, outputs, inputs, domain)?;
    let sides = Sides { inputs, inner };
    let mut found = Subspace { outputs: vec![], outer_conditions: vec![], inner_conditions: vec![] };
    for condition in domain.assumptions() {
        match sides.of(condition) {
            Some(Side::Inner) => found.inner_conditions.push(condition.clone()),
            Some(Side::Outer) => found.outer_conditions.push(condition.clone()),
            Some(Side::Neither) => {}
            None => return Ok(Divided::Not { part: condition.clone() }),
        }
    }
    for (at, output) in outputs.iter().enumerate() {
        let divided = reader.sum(at, false).and_then(|sum| sides.divided(&mut reader, output, sum));
        match divided {
            Ok(division) => found.outputs.push(division),
            Err(part) => return Ok(Divided::Not { part }),
        }
    }
    Ok(Divided::Map(found))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Inner,
    Outer,
    Neither,
}

struct Sides<'a> {
    inputs: &'a [&'a str],
    inner: &'a [&'a str],
}

impl Sides<'_> {
    /// The side, inner or outer, that has all inputs of `e`. `None` if `e` has inputs of both.
    fn of(&self, e: &Expr) -> Option<Side> {
        let variables = e.variables();
        let (inner, outer): (Vec<&str>, Vec<&str>) = variables
            .iter()
            .map(|name| &**name)
            .filter(|name| self.inputs.contains(name))
            .partition(|name| self.inner.contains(name));
        match (inner.is_empty(), outer.is_empty()) {
            (true, true) => Some(Side::Neither),
            (false, true) => Some(Side::Inner),
            (true, false) => Some(Side::Outer),
            (false, false) => None,
        }
    }

    fn divided(&self, reader: &mut Reader<'_>, output: &Expr, (leaves, base): Leaves) -> Result<Division, Expr> {
        let (mut outer, mut inner): (Vec<Leaf>, Vec<Leaf>) = (vec![], vec![]);
        for leaf in leaves {
            match self.of(&leaf.span.of) {
                Some(Side::Outer) if !inner.is_empty() => return Err(leaf.span.expr()),
                Some(Side::Outer) => outer.push(leaf),
                Some(_) => inner.push(leaf),
                None => return Err(leaf.span.expr()),
            }
        }
        let mut one = |leaves: Vec<Leaf>| {
            let (mut leaves, base) = reader.in_order((leaves, int(0)), true)?;
            let last = leaves.pop().unwrap_or_else(Leaf::unit);
            if leaves.is_empty() { Ok((last, base)) } else { Err(output.clone()) }
        };
        let ((outer, outer_base), (inner, inner_base)) = (one(outer)?, one(inner)?);
        let scaled = product(&inner.span.expr(), &inner.scale);
        let below = written([(scaled, 1), (base, 1), (inner_base, 1), (outer_base, 1)]);
        let inner_extent = match inner.scale.as_const() {
            Some(1) => inner.extent,
            _ => written([(product(&(inner.extent - 1), &inner.scale), 1), (int(1), 1)]),
        };
        let stride = if outer.extent.as_const() == Some(1) { inner_extent.clone() } else { outer.scale };
        if !reader.always(&stride.ge(&inner_extent)) {
            return Err(output.clone());
        }
        let [outer_extent, stride, inner_extent] = [outer.extent, stride, inner_extent].map(|e| reader.simple(&e));
        Ok(Division { outer: flat(&outer.span.expr()), outer_extent, stride, inner: flat(&below), inner_extent })
    }
}

/// `e` as a sum without inner parentheses.
fn flat(e: &Expr) -> Expr {
    monomials(e).map_or_else(|| e.clone(), |all| sum_of(&all))
}
