//! Writes the outputs of a map as sums of iterators, and fuses and splits iterators. An iterator is a digit of a
//! variable, such as `i//8 % 4`.

use crate::AskError;
use crate::answer::Answer;
use crate::digits::product;
use crate::iter_sums::{Leaf, Padding, Reader};
use crate::maps::{injective, surjective};
use crate::span::Span;
use quaff::domain::Domain;
use quaff::expr::monomials::{monomials, sum_of};
use quaff::expr::sum::written;
use quaff::expr::{Expr, int};
use quaff::integer::ceil_div;
use quaff::{Simplifier, SimplifyError};

/// An iterator with its scale: `scale * (source // lower % modulus)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterTerm {
    /// The expression of which the iterator is a digit: a variable, or a sum of fused iterators.
    pub source: Expr,
    /// The divisor of `source`.
    pub lower: Expr,
    /// The modulus of the remainder. `None` if the iterator is a quotient without a remainder.
    pub modulus: Option<Expr>,
    /// The number of values: the digit `source // lower % modulus` is in `0..extent`.
    pub extent: Expr,
    /// The amount, at least 1, by which the output grows when the digit grows by 1.
    pub scale: Expr,
}

impl IterTerm {
    /// The digit without its scale.
    pub fn digit(&self) -> Expr {
        let (of, lower, extent) = (self.source.clone(), self.lower.clone(), self.modulus.clone());
        Span { of, lower, extent }.expr()
    }
}

/// An output as a sum of iterators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterSum {
    /// The iterators, the one with the greatest scale (the slowest) first. Each scale exceeds the largest sum of all
    /// faster iterators.
    pub iterators: Vec<IterTerm>,
    /// The least value of the output, as an expression without inputs.
    pub base: Expr,
}

/// A map as sums of iterators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IterMap {
    /// One sum for each output.
    pub outputs: Vec<IterSum>,
    /// The quotients in `outputs` whose first or last block is only partly filled.
    pub padding: Vec<Padding>,
    /// Whether the map from the inputs to the digits is bijective: the digits determine the inputs, and all
    /// combinations of digits occur. `None` if that is not decided.
    pub is_bijective: Option<bool>,
}

/// A map as sums of iterators, or the part that prevents this.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detected {
    /// Each output of the map is a sum of iterators.
    Map(IterMap),
    /// Some output is not proved to be a sum of iterators.
    Not {
        /// The position of the first output that is not a sum of iterators.
        output: usize,
        /// The part of that output that is not an iterator, or whose scale is not proved to exceed the sum of the
        /// faster iterators.
        part: Expr,
    },
}

/// Writes each output as a sum of iterators in normal form: `base + Σ scale * (source // lower % modulus)`. If a digit
/// continues the values of a faster digit (one with a smaller scale), both are fused into one iterator. For example,
/// `i*8 + j` with `j < 8` is one iterator with the source `i*8 + j`.
///
/// Conditions of the domain reduce the extents. Iterators with overlapping values are also fused, such as `x + k` in a
/// convolution. An iterator with a negative stride is reversed.
///
/// A call takes a proof for each output, two proofs for each iterator, and the time of [`injective`] and
/// [`surjective`].
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::{Detected, detect};
///
/// let domain = "i=0..15, j=0..7".parse()?;
/// let Detected::Map(found) = detect(&Simplifier::default(), &["i*8 + j + 3".parse()?], &["i", "j"], &domain)? else { panic!() };
/// let [one] = &found.outputs[0].iterators[..] else { panic!() };
/// assert_eq!((one.source.to_string(), one.extent.as_const(), found.outputs[0].base.as_const()), ("i*8 + j".into(), Some(128), Some(3)));
/// assert_eq!(found.is_bijective, Some(true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`injective`].
pub fn detect(
    simplifier: &Simplifier,
    outputs: &[Expr],
    inputs: &[&str],
    domain: &Domain,
) -> Result<Detected, AskError> {
    let mut reader = Reader::new(simplifier, outputs, inputs, domain)?;
    let mut sums = vec![];
    for output in 0..outputs.len() {
        match reader.sum(output, true) {
            Ok((leaves, base)) => sums.push(with_names(simplifier, domain, leaves, base)?),
            Err(part) => return Ok(Detected::Not { output, part }),
        }
    }
    let all: Vec<&IterTerm> = sums.iter().flat_map(|sum| &sum.iterators).collect();
    let digits: Vec<Expr> = all.iter().map(|iterator| iterator.digit()).collect();
    let extents: Vec<Expr> = all.iter().map(|iterator| iterator.extent.clone()).collect();
    let both = [
        decided(injective(simplifier, &digits, inputs, domain)?),
        decided(surjective(simplifier, &digits, &extents, inputs, domain)?),
    ];
    let is_bijective = match both {
        [Some(false), _] | [_, Some(false)] => Some(false),
        [a, b] => a.and(b),
    };
    let padding = reader.padding;
    Ok(Detected::Map(IterMap { outputs: sums, padding, is_bijective }))
}

fn decided<W>(answer: Answer<W>) -> Option<bool> {
    match answer {
        Answer::Yes => Some(true),
        Answer::No(_) => Some(false),
        Answer::NotProved => None,
    }
}

/// Writes the iterators with simplified extents and scales.
fn with_names(
    simplifier: &Simplifier,
    domain: &Domain,
    leaves: Vec<Leaf>,
    base: Expr,
) -> Result<IterSum, SimplifyError> {
    let mut iterators = vec![];
    for leaf in leaves {
        let [extent, scale] = simplified(simplifier, [leaf.extent, leaf.scale], domain)?;
        // write the sum of fused iterators without parentheses
        let source = monomials(&leaf.span.of).map_or(leaf.span.of, |all| sum_of(&all));
        iterators.push(IterTerm { source, lower: leaf.span.lower, modulus: leaf.span.extent, extent, scale });
    }
    let [base] = simplified(simplifier, [base], domain)?;
    Ok(IterSum { iterators, base })
}

fn simplified<const N: usize>(
    simplifier: &Simplifier,
    all: [Expr; N],
    domain: &Domain,
) -> Result<[Expr; N], SimplifyError> {
    let simple = simplifier.simplify_all(&all, domain)?.exprs().to_vec();
    Ok(simple.try_into().unwrap_or(all))
}

/// Fuses iterators into one. Each iterator is given with its extent (its number of values), and the first iterator
/// becomes the slowest. Returns the fused iterator and its extent: `(i, m)` and `(j, n)` give `(i*n + j, m*n)`.
///
/// ```
/// use quaff::expr::{int, var};
///
/// let (iterator, extent) = quaff_ask::fuse(&[(var("i"), int(4)), (var("j"), var("n"))]);
/// assert_eq!((iterator.to_string(), extent.to_string()), ("i*n + j".into(), "4*n".into()));
/// ```
pub fn fuse(iterators: &[(Expr, Expr)]) -> (Expr, Expr) {
    let all = iterators.iter().cloned();
    let joined = |(slow, count): (Expr, Expr), (fast, extent): (Expr, Expr)| {
        (written([(product(&slow, &extent), 1), (fast, 1)]), product(&count, &extent))
    };
    all.reduce(joined).unwrap_or_else(|| (int(0), int(1)))
}

/// Splits an iterator with its extent into two: `(i//factor, ..)` and `(i%factor, factor)`. The remainder has `factor`
/// values, and `factor` is positive. The extent of the quotient is rounded up.
///
/// ```
/// use quaff::expr::{int, var};
///
/// let [slow, fast] = quaff_ask::split(&var("i"), &int(10), &int(4));
/// assert_eq!((slow.0.to_string(), slow.1.as_const()), ("i//4".into(), Some(3)));
/// assert_eq!((fast.0.to_string(), fast.1.as_const()), ("i%4".into(), Some(4)));
/// ```
pub fn split(iterator: &Expr, extent: &Expr, factor: &Expr) -> [(Expr, Expr); 2] {
    let count = match (extent.as_const(), factor.as_const()) {
        (Some(extent), Some(factor @ 1..)) => i64::try_from(ceil_div(extent.into(), factor.into())).ok().map(int),
        _ => None,
    };
    let count = count.unwrap_or_else(|| written([(extent.clone(), 1), (factor - 1, 1)]).floor_div(factor));
    [(iterator.floor_div(factor), count), (iterator.floor_mod(factor), factor.clone())]
}
