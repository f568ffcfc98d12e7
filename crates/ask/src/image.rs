//! The values of an index: the range, the distance between values, and the missing values (holes).

use crate::AskError;
use crate::answer::Answer;
use crate::iter_sums::{Leaf, Reader};
use crate::points::Points;
use quaff::Simplifier;
use quaff::domain::{Connected, Domain, Interval};
use quaff::expr::substitute::substituted_all;
use quaff::expr::sum::written;
use quaff::expr::{Expr, int, var};
use quaff::integer::{floor_div, floor_mod, gcd};

/// The set of values of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// An interval that contains all values. An end is open if no bound is found.
    pub range: Interval,
    /// Whether both ends of the range are themselves values of the index.
    pub has_ends: bool,
    /// A number that divides the difference of any two values, and 0 if there is only one value. If `is_dense` is
    /// decided, the stride is the greatest such number.
    pub stride: i64,
    /// Whether each number from the least to the greatest value, in steps of the stride, is a value. The witness
    /// against it is such a number that is not a value.
    pub is_dense: Answer<i64>,
    /// The number of different values, if it is found.
    pub count: Option<i64>,
}

/// The values of an index over all points of the domain.
///
/// If the domain has up to 131,072 points, they are evaluated one by one. For more points, the answer is exact if the
/// index is a sum of digits, such as `4*(i//8)`, of independent variables. For other indices, the range and the stride
/// are proved bounds, which may be loose.
///
/// ```
/// use quaff::Simplifier;
/// use quaff_ask::{Answer, image};
///
/// let ask = |text: &str| image(&Simplifier::default(), &text.parse().unwrap(), &"i=0..99999, j=0..9".parse().unwrap()).unwrap();
/// let found = ask("i*20 + j*2 + 7");
/// assert_eq!((found.range.to_string(), found.stride, found.is_dense), ("7..2000005".into(), 2, Answer::Yes));
/// // rows of 20 numbers, of which the last 10 are padding
/// assert_eq!(ask("i*20 + j").is_dense, Answer::No(10));
/// assert_eq!(ask("i*20 + j").count, Some(1_000_000));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// The errors of [`Simplifier::simplify`].
pub fn image(simplifier: &Simplifier, index: &Expr, domain: &Domain) -> Result<Image, AskError> {
    let all = std::slice::from_ref(index);
    // returns an error if the index has no value at some point
    simplifier.simplify(index, domain)?;
    if let Some(values) = Points::of(domain, all, &[]).and_then(|points| points.values(all))
        && let Some(found) = of_values(values.into_iter().flatten())
    {
        return Ok(found);
    }
    if let Some(found) = of_digits(simplifier, index, domain)? {
        return Ok(found);
    }
    let mut facts = simplifier.facts(domain);
    let (range, congruence) = (facts.bounds(index)?, facts.congruence(index)?);
    let corners = Points::corners(domain, all).and_then(|corners| corners.values(all)).unwrap_or_default();
    let is_value = |end: Option<i64>| end.is_some_and(|end| corners.iter().any(|value| value[0] == i128::from(end)));
    let is_dense = Answer::NotProved;
    let has_ends = is_value(range.lo()) && is_value(range.hi());
    Ok(Image { range, has_ends, stride: congruence.modulus(), is_dense, count: None })
}

/// Computes an image from all values. `None` if there are no values, or if a number exceeds 64 bits.
fn of_values(values: impl Iterator<Item = i128>) -> Option<Image> {
    let mut values: Vec<i64> = values.map(|value| i64::try_from(value).ok()).collect::<Option<_>>()?;
    values.sort_unstable();
    values.dedup();
    let (first, last) = (*values.first()?, *values.last()?);
    let apart = values.windows(2).map(|pair| i128::from(pair[1]) - i128::from(pair[0]));
    let stride = i64::try_from(apart.fold(0, gcd)).ok()?;
    let hole = values.windows(2).find_map(|pair| pair[0].checked_add(stride).filter(|next| *next != pair[1]));
    Some(Image {
        range: Interval::new(first, last)?,
        has_ends: true,
        stride,
        is_dense: hole.map_or(Answer::Yes, Answer::No),
        count: i64::try_from(values.len()).ok(),
    })
}

/// The image of an index that is a sum of digits which take all their values independently of each other. `None` if the
/// index is not such a sum.
fn of_digits(simplifier: &Simplifier, index: &Expr, domain: &Domain) -> Result<Option<Image>, AskError> {
    let own = Connected::new(domain).about([index]);
    let vars = own.resolve()?;
    if !own.conditions().is_empty() || vars.iter().any(|v| v.lower.is_some() || v.upper.is_some()) {
        return Ok(None);
    }
    // replace each variable by its least value plus its step times a counter
    let (mut counted, mut values, mut counts) = (Domain::new(), vec![], vec![]);
    for v in &vars {
        let Some((low, high)) = v.interval.bounded() else { return Ok(None) };
        let step = v.congruence.modulus().max(1);
        let Ok(last) = i64::try_from(floor_div(i128::from(high) - i128::from(low), step.into())) else {
            return Ok(None);
        };
        counted.add_bounds(v.name.clone(), 0..=last);
        values.push(written([(var(v.name.clone()), step), (int(low), 1)]));
        counts.push((v.name.clone(), i128::from(last) + 1));
    }
    let value = |name: &str| vars.iter().position(|v| *v.name == *name).map(|at| values[at].clone());
    let Some(index) = substituted_all(std::slice::from_ref(index), value).pop() else { return Ok(None) };
    let names: Vec<&str> = counts.iter().map(|(name, _)| &**name).collect();
    let exprs = [index];
    let mut reader = Reader::new(simplifier, &exprs, &names, &counted)?;
    let Ok((leaves, base)) = reader.sum(0, false) else { return Ok(None) };
    let count = |e: &Expr| {
        let name = e.variables().pop().filter(|_| e.args().is_empty())?;
        counts.iter().find(|(own, _)| *own == name).map(|(_, count)| *count)
    };
    Ok(are_free(&leaves, count).then(|| of_free_digits(&leaves, &reader.simple(&base))).flatten())
}

/// Whether the digits are independent: all combinations of their values occur.
fn are_free(leaves: &[Leaf], count: impl Fn(&Expr) -> Option<i128>) -> bool {
    leaves.iter().all(|leaf| {
        let Some(values) = count(&leaf.digit.of) else { return false };
        let is_alone = leaves.iter().filter(|other| other.digit.of == leaf.digit.of).count() == 1;
        let lower = leaf.digit.lower.as_const().map(i128::from);
        let is_free = |lower: i128| match &leaf.digit.extent {
            // a digit without a remainder takes each value together with all values of the lower digits if `lower`
            // divides the number of values
            None => floor_mod(values, lower) == 0,
            Some(extent) => extent.as_const().is_some_and(|extent| lower * i128::from(extent) <= values),
        };
        is_alone || lower.is_some_and(is_free)
    })
}

/// The image of `base + Σ scale * digit`. The digits are independent, and the one with the greatest scale is first.
fn of_free_digits(leaves: &[Leaf], base: &Expr) -> Option<Image> {
    let base = i128::from(base.as_const()?);
    let numbers = |leaf: &Leaf| Some((i128::from(leaf.scale.as_const()?), i128::from(leaf.extent.as_const()?)));
    let digits: Vec<(i128, i128)> = leaves.iter().rev().map(numbers).collect::<Option<_>>()?;
    let stride = digits.iter().fold(0, |stride, (scale, _)| gcd(stride, *scale));
    let (mut last, mut hole, mut is_system, mut count) = (0i128, None, true, 1i128);
    for (scale, extent) in digits {
        // the next multiple of the stride above all sums of the digits with smaller scales
        let next = last + stride;
        hole = hole.or((next < scale).then_some(base + next));
        is_system &= scale > last;
        last = scale.checked_mul(extent - 1)?.checked_add(last)?;
        count = count.checked_mul(extent)?;
    }
    let dense_count = if stride == 0 { 1 } else { floor_div(last, stride) + 1 };
    let count = if hole.is_none() { Some(dense_count) } else { Some(count).filter(|_| is_system) };
    let is_dense = match hole {
        None => Answer::Yes,
        Some(hole) => Answer::No(i64::try_from(hole).ok()?),
    };
    Some(Image {
        range: Interval::new(i64::try_from(base).ok()?, i64::try_from(base.checked_add(last)?).ok()?)?,
        has_ends: true,
        stride: i64::try_from(stride).ok()?,
        is_dense,
        count: count.and_then(|count| i64::try_from(count).ok()),
    })
}
