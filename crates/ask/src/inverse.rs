//! Inverses of maps. Each inverse is proved: for all values of the inputs, it maps the outputs back to the inputs.

use crate::AskError;
use crate::digits::{each_once, last_of};
use crate::prove::Prover;
use crate::solve::solved;
use crate::systems::Map;
use quaff::domain::{Bounds, Domain};
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, int, var};
use quaff::{Simplifier, SimplifyError};

/// Returns an error unless each output has an extent, and each extent that is a number is at least 1.
pub(crate) fn check_extents<'e>(
    outputs: &[Expr],
    extents: impl ExactSizeIterator<Item = &'e Expr>,
) -> Result<(), AskError> {
    if extents.len() != outputs.len() {
        return Err(AskError::Extents { outputs: outputs.len(), extents: extents.len() });
    }
    match extents.filter_map(Expr::as_const).find(|extent| *extent < 1) {
        Some(extent) => Err(AskError::Empty { extent }),
        None => Ok(()),
    }
}

/// The inverse of a map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inverse {
    /// Each input, as an expression over the outputs.
    pub inputs: Vec<Expr>,
    /// The condition under which a point within the extents is an output of the map. All other points are padding.
    /// `None` if every point is an output.
    pub inside: Option<Expr>,
}

/// The inverse of a map: each input as an expression of the outputs. The outputs are variables named `names`, each in
/// `0..extent`. `None` if no inverse is proved.
///
/// The map may be a sum of digits, a reversal such as `63 - x`, a rotation such as `(x + s)%n`, a swizzle such as `x ^
/// x//8`, or a combination of these.
///
/// ```
/// use quaff::{Simplifier, SimplifyError};
/// use quaff::expr::int;
/// use quaff_ask::inverse;
///
/// let invert = |text: &str, end: i64| {
///     let domain = "i=0..27".parse().unwrap();
///     let outputs = [text.parse().unwrap(), "i%8".parse().unwrap()];
///     inverse(&Simplifier::default(), &outputs, &[("tile", int(end)), ("lane", int(8))], &["i"], &domain).unwrap().unwrap()
/// };
/// let found = invert("i//8", 4);
/// assert_eq!(found.inputs[0].to_string(), "tile*8 + lane");
/// // of 32 places the last four are padding
/// assert_eq!(found.inside.unwrap().to_string(), "tile*8 + lane < 28");
/// ```
///
/// # Errors
/// The errors of [`surjective`](crate::surjective), [`AskError::Twice`] if two outputs have one name, and
/// [`AskError::Taken`] if an output has the name of a variable.
pub fn inverse(
    simplifier: &Simplifier,
    outputs: &[Expr],
    names: &[(&str, Expr)],
    inputs: &[&str],
    domain: &Domain,
) -> Result<Option<Inverse>, AskError> {
    check_extents(outputs, names.iter().map(|(_, extent)| extent))?;
    each_once(&names.iter().map(|(name, _)| *name).collect::<Vec<_>>())?;
    if let Some((name, _)) = names.iter().find(|(name, _)| domain.position(name).is_some()) {
        return Err(AskError::Taken { name: (*name).into() });
    }
    let places: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
    let Some(values) = proved_values(simplifier, outputs, &places, inputs, domain)? else { return Ok(None) };
    let mut points = domain.clone();
    for (name, extent) in names {
        points.add_bounds(*name, Bounds::new(Some(int(0)), Some(extent - 1)));
    }
    match simple(simplifier, outputs, &places, inputs, values, (domain, &points)) {
        // the inverse may divide by 0 at a point that is not an output. Then it is not returned
        Err(AskError::Simplify(SimplifyError::DivisorMayBeZero { .. } | SimplifyError::ShiftOutOfRange { .. })) => {
            Ok(None)
        }
        found => found.map(Some),
    }
}

/// Simplifies the values of an inverse, over the domain of the inputs and over the domain of the outputs.
fn simple(
    simplifier: &Simplifier,
    outputs: &[Expr],
    places: &[&str],
    inputs: &[&str],
    values: Vec<Expr>,
    (domain, points): (&Domain, &Domain),
) -> Result<Inverse, AskError> {
    // with facts about an input, the simplifier may replace a size by an expression over that input, but an inverse
    // must not contain inputs
    let has_input = |e: &Expr| e.variables().iter().any(|name| inputs.contains(&&**name));
    let by_places = |simple: &Expr, own: &Expr| if has_input(simple) { own.clone() } else { simple.clone() };
    let simplified = simplifier.simplify_all(&values, points)?;
    let values: Vec<Expr> = simplified.exprs().iter().zip(&values).map(|(e, own)| by_places(e, own)).collect();
    let conditions = conditions(outputs, places, inputs, &values, domain)?;
    let mut prover = Prover::new(simplifier, points)?;
    // the conditions that are not proved are simplified together, because one may imply another
    let open = conditions.into_iter().filter(|condition| !prover.always(condition));
    let inside = open.reduce(|all, next| all.and(next)).unwrap_or_else(|| int(1));
    let inside = by_places(simplifier.simplify(&inside, points)?.expr(), &inside);
    let inside = (inside.as_const().is_none_or(|value| value == 0)).then_some(inside);
    Ok(Inverse { inputs: values, inside })
}

/// The conditions under which the computed inputs are valid: they lie in their ranges, and the map takes them to the
/// given outputs.
fn conditions(
    outputs: &[Expr],
    places: &[&str],
    inputs: &[&str],
    values: &[Expr],
    domain: &Domain,
) -> Result<Vec<Expr>, AskError> {
    let value_of = |name: &str| inputs.iter().position(|input| *input == name).map(|at| values[at].clone());
    let by_places = |e: &Expr| with_values(e, &value_of);
    let vars = domain.resolve()?;
    let mut conditions: Vec<Expr> = vec![];
    for (input, value) in inputs.iter().zip(values) {
        let known = domain.position(input).and_then(|at| vars.get(at));
        let last = known.and_then(|v| last_of(v, &vars));
        conditions.push(int(0).le(value));
        conditions.extend(last.map(|last| value.le(by_places(&last))));
    }
    let has_input = |e: &&Expr| e.variables().iter().any(|name| inputs.contains(&&**name));
    conditions.extend(domain.conditions().iter().filter(has_input).map(by_places));
    conditions.extend(outputs.iter().zip(places).map(|(output, name)| by_places(output).equals(var(*name))));
    Ok(conditions)
}

fn with_values(e: &Expr, value_of: &impl Fn(&str) -> Option<Expr>) -> Expr {
    substituted_all(std::slice::from_ref(e), value_of).pop().unwrap_or_else(|| e.clone())
}

/// Each input as an expression over the outputs (*places*), proved for all points. `None` if no such expression is
/// found.
pub(crate) fn proved_values(
    simplifier: &Simplifier,
    outputs: &[Expr],
    places: &[&str],
    inputs: &[&str],
    domain: &Domain,
) -> Result<Option<Vec<Expr>>, AskError> {
    let mut map = Map::new(simplifier, outputs, inputs, domain)?;
    let mut prover = Prover::new(simplifier, domain)?;
    let proved = |prover: &mut Prover<'_>, values: Vec<Expr>| {
        let output_of = |name: &str| places.iter().position(|place| *place == name).map(|at| outputs[at].clone());
        let mut pairs = inputs.iter().zip(&values);
        pairs.all(|(input, value)| prover.are_equal(&with_values(value, &output_of), &var(*input))).then_some(values)
    };
    let of_system = map.systems().and_then(|systems| map.read(&systems, places));
    if let Some(values) = of_system.and_then(|values| proved(&mut prover, values)) {
        return Ok(Some(values));
    }
    let by_name: Vec<Expr> = places.iter().map(|place| var(*place)).collect();
    let simple = simplifier.simplify_all(outputs, domain).map(|simple| simple.exprs().to_vec()).ok();
    for form in std::iter::once(outputs).chain(simple.as_deref()) {
        let found = solved(&mut prover, form, &by_name, inputs);
        if let Some(values) = found.and_then(|values| proved(&mut prover, values)) {
            return Ok(Some(values));
        }
    }
    let found = in_digits(simplifier, &map, outputs, &by_name)?;
    Ok(found.and_then(|values| proved(&mut prover, values)))
}

/// Each input as an expression over the outputs (*places*). First each digit of an input is computed, and then the
/// input.
fn in_digits(
    simplifier: &Simplifier,
    map: &Map<'_>,
    outputs: &[Expr],
    places: &[Expr],
) -> Result<Option<Vec<Expr>>, AskError> {
    let digits = &map.digits;
    let forms: Vec<Expr> = outputs.iter().map(|output| digits.in_digits(output)).collect();
    let Some(simple) = digits.simplified(&forms) else { return Ok(None) };
    let names: Vec<&str> = digits.digits.iter().map(|digit| digit.name.as_str()).collect();
    let mut prover = Prover::new(simplifier, &digits.domain)?;
    let Some(values) = solved(&mut prover, &simple, places, &names) else { return Ok(None) };
    Ok(Some(digits.by_axis(values)))
}
