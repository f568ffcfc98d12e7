//! Reads an index as a strided access: shape, strides and offset. Block pointers and descriptors of the tensor memory
//! accelerator need this form.

use crate::AskError;
use crate::digits::{Affine, Digit, Digits, MOST_STEPS, product};
use quaff::domain::{Bounds, Domain};
use quaff::expr::sum::{Sum, written};
use quaff::expr::{Dag, Expr, Op, int, var};
use quaff::integer::floor_mod;
use quaff::{Facts, Simplifier};
use std::sync::Arc;

/// A strided access `offset + Σ stride * coordinate` over [`dimensions`](Strided::dimensions).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Strided {
    /// The dimensions of all axes in order. For each axis, the dimension with the greatest divisor (the slowest) is
    /// first.
    pub dimensions: Vec<Dimension>,
    /// The index where all coordinates are 0. It contains no axis.
    pub offset: Expr,
}

/// One dimension of a strided access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dimension {
    /// The variable of the axis, called `x` in the other fields.
    pub axis: Arc<str>,
    /// The divisor in the coordinate `x//below%extent`. For the slowest dimension of an axis, the coordinate is
    /// `x//below`.
    pub below: i64,
    /// The number of values of the coordinate, rounded up for the slowest dimension of an axis. `None` if the range of
    /// `x` is open.
    pub extent: Option<Expr>,
    /// Whether the last value of the coordinate occurs for fewer values of `x` than the other values, because `x` ends
    /// within a block.
    pub partial: bool,
    /// The amount by which the index grows when the coordinate grows by 1.
    pub stride: Expr,
    /// The wrap-around of the coordinate, if the index contains it modulo a number.
    pub wrap: Option<Wrap>,
}

/// A coordinate `c` that wraps around: the index has `(origin + c) % extent` instead of `c`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrap {
    /// The number that is added to the coordinate before the remainder.
    pub origin: Expr,
    /// The modulus of the remainder.
    pub extent: Expr,
}

/// The shape and the strides of an index along its axes, or a term for which no stride was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strides {
    /// The index is a strided access.
    Strided(Strided),
    /// No strides were proved, because of this term of the index.
    Not(Expr),
}

/// Reads an index as a strided access along the variables `axes`, each with a range that begins at 0.
///
/// An axis is split into digits if the index divides it by numbers. For example, `i//8*64 + i%8*2` has the shape `(n/8,
/// 8)` and the strides `(64, 2)`. Two neighbouring dimensions are merged if one continues the other, as in `i//8*8 +
/// i%8`, which equals `i`. Strides and the offset may contain variables that are no axes.
///
/// A call takes one e-graph search, one proof, and one more proof for each dimension.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::{Strides, strides};
///
/// let domain = "i=0..63, p=0..99".parse()?;
/// let Strides::Strided(found) = strides(&Simplifier::default(), &"i//8*64 + i%8*2 + p".parse()?, &["i"], &domain)? else { panic!() };
/// let dimensions: Vec<_> = found.dimensions.iter().map(|d| (d.extent.as_ref().unwrap().as_const(), d.stride.as_const())).collect();
/// assert_eq!(dimensions, [(Some(8), Some(64)), (Some(8), Some(2))]);
/// assert_eq!(found.offset.to_string(), "p");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A tile that wraps around at the end of a matrix:
///
/// ```
/// # use quaff::Simplifier;
/// # use quaff_ask::{Strides, strides};
/// let domain = "pid=0..99, t=0..127, k=0..63, M=1..8192, K=64..4096".parse()?;
/// let index = "(pid*128 + t)%M*K + k".parse()?;
/// let Strides::Strided(found) = strides(&Simplifier::default(), &index, &["t", "k"], &domain)? else { panic!() };
/// let wrap = found.dimensions[0].wrap.as_ref().unwrap();
/// assert_eq!((wrap.origin.to_string().as_str(), wrap.extent.to_string().as_str()), ("pid*128", "M"));
/// assert_eq!((found.dimensions[0].stride.to_string().as_str(), found.dimensions[1].stride.to_string().as_str()), ("K", "1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AskError::Unknown`] if the domain has no such axis. [`AskError::Lane`] if the range of an axis does not begin at
/// 0, and [`AskError::Step`] if its step is not 1. [`AskError::Twice`] if an axis is given twice, and the errors of
/// [`Simplifier::simplify`].
pub fn strides(simplifier: &Simplifier, index: &Expr, axes: &[&str], domain: &Domain) -> Result<Strides, AskError> {
    let simple = simplifier.simplify(index, domain)?.expr().clone();
    let reading = Reading { digits: Digits::new(simplifier, std::slice::from_ref(&simple), axes, domain)? };
    let in_digits = reading.digits.in_digits(&simple);
    if let Some(found) = reading.strided(&in_digits, &[]) {
        return Ok(Strides::Strided(found));
    }
    // otherwise try to replace remainders by new coordinates
    let (without, wraps) = reading.without_wraps(&in_digits);
    match reading.strided(&without, &wraps).filter(|_| !wraps.is_empty()) {
        Some(found) => Ok(Strides::Strided(found)),
        None => Ok(Strides::Not(reading.culprit(index))),
    }
}

/// A remainder of a sum that contains one digit.
struct Found {
    digit: usize,
    /// The name that the index has in place of the remainder.
    name: String,
    wrap: Wrap,
}

struct Reading<'a> {
    digits: Digits<'a>,
}

impl Reading<'_> {
    /// The name of a digit in the index: its own name, or the name of a remainder that replaces it.
    fn name_of(&self, digit: usize, wraps: &[Found]) -> String {
        let wrap = wraps.iter().find(|wrap| wrap.digit == digit);
        wrap.map_or_else(|| self.digits.digits[digit].name.clone(), |wrap| wrap.name.clone())
    }

    /// The dimensions of `e`, an index over digits, if `e` is proved to be affine in the digits.
    fn strided(&self, e: &Expr, wraps: &[Found]) -> Option<Strided> {
        let all = &self.digits.digits;
        let names: Vec<String> = (0..all.len()).map(|at| self.name_of(at, wraps)).collect();
        let mut facts = self.facts(wraps);
        let Affine { strides, offset } = self.digits.affine(e, &names, &mut facts)?;
        let mut dimensions: Vec<Dimension> = vec![];
        for (at, (digit, stride)) in all.iter().zip(strides).enumerate() {
            let wrap = wraps.iter().find(|wrap| wrap.digit == at).map(|found| found.wrap.clone());
            let Digit { axis, below, extent, .. } = digit.clone();
            let mut next = Dimension { axis, below, extent, partial: false, stride, wrap };
            let mut is_slowest = self.digits.is_slowest(at);
            if let Some(last) = dimensions.pop_if(|last| fits(last, &next, &mut facts)) {
                is_slowest = dimensions.last().is_none_or(|before| before.axis != last.axis);
                next.extent = match is_slowest {
                    true => self.digits.count(&next.axis, next.below),
                    false => last.extent.zip(next.extent).map(|(a, b)| product(&a, &b)),
                };
            }
            let exact = |extent: &Expr| self.digits.is_exact(&next.axis, next.below, extent, &mut facts);
            next.partial = is_slowest && !next.extent.as_ref().is_none_or(exact);
            dimensions.push(next);
        }
        dimensions.retain(|d| d.extent.as_ref().and_then(Expr::as_const) != Some(1));
        Some(Strided { dimensions, offset })
    }

    fn facts(&self, wraps: &[Found]) -> Facts {
        let mut domain = self.digits.domain.clone();
        for found in wraps {
            let end = found.wrap.extent.clone() - 1;
            domain.add_bounds(found.name.as_str(), Bounds::new(Some(int(0)), Some(end)));
        }
        self.digits.simplifier.facts(&domain)
    }

    /// `e` with each remainder of `origin + digit` replaced by a new name. Neither the origin nor the divisor may
    /// contain a digit.
    fn without_wraps(&self, e: &Expr) -> (Expr, Vec<Found>) {
        let dag = Dag::with_origins(std::slice::from_ref(e));
        let mut wraps: Vec<Found> = vec![];
        let without = dag.rebuilt(|id, _| {
            let node = dag.origin(id);
            let (Op::FloorMod, [of, by]) = (node.op(), node.args()) else { return None };
            if self.digits.has_digit(by) {
                return None;
            }
            let (digit, origin) = self.origin_and_digit(of, by.as_const())?;
            if self.digits.has_digit(&origin) {
                return None;
            }
            let wrap = Wrap { origin, extent: by.clone() };
            match wraps.iter().find(|found| found.digit == digit) {
                Some(found) if found.wrap == wrap => Some(var(found.name.as_str())),
                Some(_) => None,
                None => {
                    let name = format!("wrapped {}", self.digits.digits[digit].name);
                    wraps.push(Found { digit, name: name.clone(), wrap });
                    Some(var(name))
                }
            }
        });
        (without.into_iter().next().unwrap_or_else(|| e.clone()), wraps)
    }

    /// The digit and the origin, if `e` equals `origin + digit` modulo `modulus`.
    fn origin_and_digit(&self, e: &Expr, modulus: Option<i64>) -> Option<(usize, Expr)> {
        let dag = Dag::with_origins(std::slice::from_ref(e));
        let number = |id: u32| dag.nodes()[id as usize].as_const();
        let sum = Sum::of(dag.nodes(), [(dag.roots()[0], 1)], number, MOST_STEPS)?;
        let position = |id: u32| {
            let name = dag.nodes()[id as usize].as_variable()?;
            self.digits.digits.iter().position(|digit| digit.name == **name)
        };
        let is_multiple = |factor: i64| modulus.is_some_and(|by| by > 0 && floor_mod(factor.into(), by.into()) == 0);
        let mut own = sum.terms.iter().filter(|(id, factor)| *factor == 1 && position(*id).is_some());
        let (digit, _) = *own.next()?;
        let rest = sum
            .terms
            .iter()
            .filter(|(id, factor)| *id != digit && !is_multiple(*factor))
            .map(|&(id, factor)| (dag.origin(id).clone(), factor));
        Some((position(digit)?, written(rest.chain([(int(sum.constant), 1)]))))
    }

    /// The first term of the index that is not affine in the digits.
    fn culprit(&self, index: &Expr) -> Expr {
        let dag = Dag::with_origins(std::slice::from_ref(index));
        let number = |id: u32| dag.nodes()[id as usize].as_const();
        let Some(sum) = Sum::of(dag.nodes(), [(dag.roots()[0], 1)], number, MOST_STEPS) else {
            return index.clone();
        };
        for (id, _) in sum.terms {
            let term = dag.origin(id);
            if self.strided(&self.digits.in_digits(term), &[]).is_none() {
                return term.clone();
            }
        }
        index.clone()
    }
}

/// Whether two neighbouring dimensions of one axis can be merged. A step of the slower one must equal the extent of the
/// faster one times its stride.
fn fits(slow: &Dimension, fast: &Dimension, facts: &mut Facts) -> bool {
    let plain = slow.axis == fast.axis && slow.wrap.is_none() && fast.wrap.is_none();
    let Some(extent) = fast.extent.as_ref().filter(|_| plain) else { return false };
    matches!(facts.equal(&slow.stride, &product(&fast.stride, extent)), Ok(Some(true)))
}
