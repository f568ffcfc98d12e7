//! Reads expressions as sums of iterators. An iterator is a digit (a quotient or remainder of inputs) with a scale,
//! such as `4 * (i//8 % 2)`.

use crate::AskError;
use crate::digits::{Affine, Digits, product};
use crate::prove::Prover;
use crate::span::{Span, exact_quotient, quotient};
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::monomials::{Monomial, monomials};
use quaff::expr::sum::written;
use quaff::expr::{Expr, int, var};
use quaff::integer::floor_mod;

/// Padding of a quotient `source // lower`, which divides the values of `source` into blocks of `lower`. The first
/// block has `left` places before the first value, and the last block has `right` places after the last value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Padding {
    /// The numerator of the quotient.
    pub source: Expr,
    /// The divisor of the quotient.
    pub lower: Expr,
    /// The number of unused places in the first block, before the first value of `source`.
    pub left: Expr,
    /// The number of unused places in the last block, after the last value of `source`.
    pub right: Expr,
}

/// An iterator `scale * span`. Its digit `span` takes values in `0..extent`.
#[derive(Clone)]
pub(crate) struct Leaf {
    pub(crate) span: Span,
    /// The digit as it was read. `span` differs if a negative scale was reversed, or if conditions narrow the range.
    pub(crate) digit: Span,
    pub(crate) extent: Expr,
    pub(crate) scale: Expr,
}

impl Leaf {
    pub(crate) fn new(span: Span, extent: Expr, scale: Expr) -> Leaf {
        Leaf { digit: span.clone(), span, extent, scale }
    }

    /// An iterator with a single value.
    pub(crate) fn unit() -> Leaf {
        Leaf::new(Span::whole(int(0)), int(1), int(1))
    }
}

/// The iterators of a sum, the one with the greatest scale (the slowest) first, and the constant part of the sum.
pub(crate) type Leaves = (Vec<Leaf>, Expr);

pub(crate) struct Reader<'a> {
    simplifier: &'a Simplifier,
    outputs: &'a [Expr],
    /// The outputs in their simplest form.
    simple: Vec<Expr>,
    domain: &'a Domain,
    inputs: &'a [&'a str],
    prover: Prover<'a>,
    digits: Digits<'a>,
    has_conditions: bool,
    pub(crate) padding: Vec<Padding>,
}

impl<'a> Reader<'a> {
    /// # Errors
    /// The errors of [`Simplifier::simplify`] and [`Digits::new`].
    pub(crate) fn new(
        simplifier: &'a Simplifier,
        outputs: &'a [Expr],
        inputs: &'a [&'a str],
        domain: &'a Domain,
    ) -> Result<Reader<'a>, AskError> {
        let digits = Digits::new(simplifier, outputs, inputs, domain)?;
        let simple = outputs.iter().map(|e| Ok(simplifier.simplify(e, domain)?.expr().clone()));
        let simple = simple.collect::<Result<Vec<Expr>, AskError>>()?;
        let prover = Prover::new(simplifier, domain)?;
        let has_conditions = !domain.assumptions().is_empty();
        Ok(Reader { simplifier, outputs, simple, domain, inputs, prover, digits, has_conditions, padding: vec![] })
    }

    /// The iterators of an output. If `is_joined` is set, two iterators are joined into one if the slower one continues
    /// the values of the faster one. The error is a part of the output that is not an iterator.
    pub(crate) fn sum(&mut self, output: usize, is_joined: bool) -> Result<Leaves, Expr> {
        let e = &self.outputs[output];
        let simple = self.simple[output].clone();
        if let Some(found) = self.of_digits(&simple, is_joined).filter(|found| self.is_proved(e, found)) {
            return Ok(found);
        }
        // if the simplest form is not a sum of iterators, for example because it contains a comparison, the output as
        // written may be one
        let found = self.in_terms(&simple, is_joined).or_else(|part| match simple == *e {
            true => Err(part),
            false => self.in_terms(e, is_joined).map_err(|_| part),
        })?;
        if self.is_proved(e, &found) { Ok(found) } else { Err(e.clone()) }
    }

    fn in_terms(&mut self, e: &Expr, is_joined: bool) -> Result<Leaves, Expr> {
        self.of_terms(e).and_then(|found| self.in_order(found, is_joined))
    }

    fn is_proved(&mut self, e: &Expr, (leaves, base): &Leaves) -> bool {
        let terms = leaves.iter().map(|leaf| (product(&leaf.span.expr(), &leaf.scale), 1));
        let sum = written(terms.chain([(base.clone(), 1)]));
        let is_digit = |leaf: &Leaf| {
            let digit = leaf.span.expr();
            self.prover.always(&digit.ge(0)) && self.prover.always(&digit.lt(&leaf.extent))
        };
        leaves.iter().all(is_digit) && self.prover.are_equal(e, &sum)
    }

    /// Whether the condition is proved for all points.
    pub(crate) fn always(&mut self, condition: &Expr) -> bool {
        self.prover.always(condition)
    }

    fn has_input(&self, e: &Expr) -> bool {
        e.variables().iter().any(|name| self.inputs.contains(&&**name))
    }

    /// The number of values of `e`, if `e` is an input.
    fn count(&self, e: &Expr) -> Option<Expr> {
        let name = e.variables().pop().filter(|_| e.args().is_empty())?;
        self.inputs.contains(&&*name).then(|| self.digits.count(&name, 1))?
    }

    /// Reads `e` as a sum of digits of the inputs.
    fn of_digits(&mut self, e: &Expr, is_joined: bool) -> Option<Leaves> {
        let names: Vec<String> = self.digits.digits.iter().map(|digit| digit.name.clone()).collect();
        let mut facts = self.simplifier.facts(&self.digits.domain);
        let Affine { strides, offset } = self.digits.affine(&self.digits.in_digits(e), &names, &mut facts)?;
        let mut leaves = vec![];
        for (at, (digit, scale)) in self.digits.digits.iter().zip(strides).enumerate() {
            if scale.as_const() == Some(0) {
                continue;
            }
            let extent = digit.extent.clone()?;
            let modulus = (!self.digits.is_slowest(at)).then(|| extent.clone());
            let span = Span { of: var(digit.axis.clone()), lower: int(digit.below), extent: modulus };
            leaves.push(Leaf::new(span, extent, scale));
        }
        self.in_order((leaves, offset), is_joined).ok()
    }

    /// Reads the terms of a sum as they are written.
    fn of_terms(&mut self, e: &Expr) -> Result<Leaves, Expr> {
        let (mut leaves, mut base): (Vec<Leaf>, Vec<(Expr, i64)>) = (vec![], vec![]);
        for Monomial { coefficient, factors } in monomials(e).ok_or_else(|| e.clone())? {
            let (own, known): (Vec<Expr>, Vec<Expr>) = factors.into_iter().partition(|factor| self.has_input(factor));
            let scale = Monomial { coefficient, factors: known }.expr();
            match &own[..] {
                [] => base.push((scale, 1)),
                [part] => {
                    let (leaf, low) = self.leaf(part, &scale)?;
                    if leaves.iter().any(|other| !self.are_independent(other, &leaf)) {
                        return Err(part.clone());
                    }
                    base.push((product(&low, &scale), 1));
                    leaves.push(leaf);
                }
                _ => return Err(Monomial { coefficient: 1, factors: own }.expr()),
            }
        }
        Ok((leaves, written(base)))
    }

    /// Reads a variable, or a quotient or remainder of a sum of iterators. Returns the iterator and its least value.
    fn leaf(&mut self, part: &Expr, scale: &Expr) -> Result<(Leaf, Expr), Expr> {
        let of_scale = |span: Span, extent: Expr| Leaf::new(span, extent, scale.clone());
        if let Some(extent) = self.count(part) {
            return Ok((of_scale(Span::whole(part.clone()), extent), int(0)));
        }
        let inputs = self.inputs;
        let prover = &mut self.prover;
        let is_divisor = |by: &Expr| {
            let has_input = by.variables().iter().any(|name| inputs.contains(&&**name));
            !has_input && prover.holds(&by.ge(1))
        };
        let span = Span::read(part, is_divisor).ok_or_else(|| part.clone())?;
        let (low, count) = match self.count(&span.of) {
            Some(count) => (int(0), count),
            None => self.range(&span.of).ok_or_else(|| part.clone())?,
        };
        let low = self.simple(&low);
        let first = self.simple(&low.floor_div(&span.lower));
        let left = low.floor_mod(&span.lower);
        let places = written([(left.clone(), 1), (count.clone(), 1), (int(-1), 1)]).floor_div(&span.lower) + 1;
        let places = self.simple(&places);
        // if the least value is not a number, the number of blocks may vary, so its upper bound is used
        let most = low.as_const().is_none().then(|| self.prover.bounds(&places).hi()).flatten();
        let places = most.map_or(places, int);
        let shifted = written([(span.of.clone(), 1), (product(&first, &span.lower), -1)]);
        let whole = Span { of: self.simple(&shifted), lower: span.lower.clone(), extent: None };
        match &span.extent {
            None => {
                self.pad(&whole, &left, &count, &places);
                Ok((of_scale(whole, places), first))
            }
            // the remainder can be omitted if all values are in one period of the modulus
            Some(modulus) => match (first.as_const(), places.as_const(), modulus.as_const()) {
                (Some(first), Some(count), Some(n))
                    if floor_mod(first.into(), n.into()) + i128::from(count) <= n.into() =>
                {
                    let low = i64::try_from(floor_mod(first.into(), n.into())).map_or_else(|_| int(0), int);
                    Ok((of_scale(whole, places), low))
                }
                _ => Ok((of_scale(span.clone(), modulus.clone()), int(0))),
            },
        }
    }

    pub(crate) fn simple(&self, e: &Expr) -> Expr {
        self.simplifier.simplify(e, self.domain).map_or_else(|_| e.clone(), |simple| simple.expr().clone())
    }

    /// The least value of a sum, and the number of values from the least to the greatest one.
    fn range(&mut self, of: &Expr) -> Option<(Expr, Expr)> {
        let found = self.of_terms(of).and_then(|found| self.in_order(found, true));
        match found {
            Ok((leaves, base)) => match &leaves[..] {
                [] => Some((base, int(1))),
                [one] if one.scale.as_const() == Some(1) => Some((base, one.extent.clone())),
                _ => self.bounded(of),
            },
            Err(_) => None,
        }
    }

    fn bounded(&mut self, of: &Expr) -> Option<(Expr, Expr)> {
        let (low, high) = self.prover.bounds(of).bounded()?;
        Some((int(low), int(high.checked_sub(low)?.checked_add(1)?)))
    }

    fn pad(&mut self, whole: &Span, left: &Expr, count: &Expr, places: &Expr) {
        let right = written([(product(places, &whole.lower), 1), (left.clone(), -1), (count.clone(), -1)]);
        let (left, right) = (self.simple(left), self.simple(&right));
        let found = Padding { source: whole.of.clone(), lower: whole.lower.clone(), left, right };
        if (found.left.as_const(), found.right.as_const()) != (Some(0), Some(0)) && !self.padding.contains(&found) {
            self.padding.push(found);
        }
    }

    /// Orders the iterators by their scales. If `is_joined` is set, an iterator that continues the values of a faster
    /// one (with a smaller scale) is joined with it.
    pub(crate) fn in_order(&mut self, (leaves, base): Leaves, is_joined: bool) -> Result<Leaves, Expr> {
        let mut base = vec![(base, 1)];
        let mut sorted: Vec<Leaf> = vec![];
        for leaf in leaves {
            let Some(leaf) = self.turned(leaf.clone(), &mut base) else { return Err(leaf.span.expr()) };
            let leaf = self.narrowed(leaf, &mut base);
            if leaf.extent.as_const() == Some(1) {
                continue;
            }
            let place = (0..sorted.len()).find(|&at| self.prover.holds(&sorted[at].scale.le(&leaf.scale)));
            sorted.insert(place.unwrap_or(sorted.len()), leaf);
        }
        if !is_joined {
            return Ok((sorted, written(base)));
        }
        let mut found: Vec<Leaf> = vec![];
        while let Some(slow) = sorted.pop() {
            let Some(fast) = found.pop() else {
                found.push(slow);
                continue;
            };
            match self.joined(&slow, &fast) {
                Some(one) => found.push(self.narrowed(one, &mut base)),
                None if self.prover.holds(&slow.scale.ge(product(&fast.scale, &fast.extent))) => {
                    found.extend([fast, slow]);
                }
                None => return Err(slow.span.expr()),
            }
        }
        found.reverse();
        Ok((found, written(base)))
    }

    /// The iterator with a positive scale. If the scale is negative, the digit is reversed. `None` if the sign is not
    /// known.
    fn turned(&mut self, leaf: Leaf, base: &mut Vec<(Expr, i64)>) -> Option<Leaf> {
        if self.prover.holds(&leaf.scale.ge(1)) {
            return Some(leaf);
        }
        if !self.prover.holds(&leaf.scale.le(-1)) {
            return None;
        }
        let last = self.simple(&(&leaf.extent - 1));
        base.push((product(&last, &leaf.scale), 1));
        let of = written([(last, 1), (leaf.span.expr(), -1)]);
        let scale = self.simple(&-leaf.scale);
        Some(Leaf { span: Span::whole(of), extent: leaf.extent, scale, digit: leaf.digit })
    }

    /// The iterator, with its digit restricted to the range that the conditions allow.
    fn narrowed(&mut self, leaf: Leaf, base: &mut Vec<(Expr, i64)>) -> Leaf {
        let digit = leaf.span.expr();
        let extent = leaf.extent.as_const().filter(|_| self.has_conditions);
        let range = extent.and_then(|_| self.prover.bounds(&digit).bounded());
        match (range, extent) {
            (Some((low, high)), Some(extent)) if low > 0 || high < extent - 1 => {
                base.push((product(&int(low), &leaf.scale), 1));
                let of = written([(digit, 1), (int(low), -1)]);
                let span = if low == 0 { leaf.span } else { Span::whole(of) };
                Leaf { span, extent: int(high - low + 1), scale: leaf.scale, digit: leaf.digit }
            }
            _ => leaf,
        }
    }

    /// Whether two iterators have no input in common, or are separate digits of one expression.
    fn are_independent(&self, a: &Leaf, b: &Leaf) -> bool {
        let names = a.span.of.variables();
        let common =
            b.span.of.variables().into_iter().any(|name| self.inputs.contains(&&*name) && names.contains(&name));
        let is_below = |low: &Span, high: &Span| {
            let end = low.extent.as_ref().map(|extent| product(&low.lower, extent));
            end.is_some_and(|end| quotient(&high.lower, &end).is_some())
        };
        !common || a.span.of == b.span.of && (is_below(&a.span, &b.span) || is_below(&b.span, &a.span))
    }

    /// Joins two iterators into one if the values of the slower one continue or overlap those of the faster one, as in
    /// `i*8 + j` with `j` in `0..7`.
    fn joined(&mut self, slow: &Leaf, fast: &Leaf) -> Option<Leaf> {
        let scale = fast.scale.clone();
        let is_next = self.prover.are_equal(&slow.scale, &product(&fast.scale, &fast.extent));
        let ratio = match is_next {
            true => fast.extent.clone(),
            false => {
                let ratio = exact_quotient(slow.scale.as_const()?, fast.scale.as_const()?)?;
                int(fast.extent.as_const().filter(|extent| ratio <= *extent).map(|_| ratio)?)
            }
        };
        let is_one_source = is_next
            && slow.span.of == fast.span.of
            && fast.span.extent.as_ref() == Some(&fast.extent)
            && product(&fast.span.lower, &fast.extent) == slow.span.lower;
        if is_one_source {
            let (of, lower) = (fast.span.of.clone(), fast.span.lower.clone());
            let extent = slow.span.extent.as_ref().map(|extent| product(extent, &fast.extent));
            let own = (extent.is_none() && lower.as_const() == Some(1)).then(|| self.count(&of)).flatten();
            let count = own.unwrap_or_else(|| product(&slow.extent, &fast.extent));
            return Some(Leaf::new(Span { of, lower, extent }, count, scale));
        }
        let of = written([(product(&slow.span.expr(), &ratio), 1), (fast.span.expr(), 1)]);
        let extent = match (slow.extent.as_const(), ratio.as_const(), fast.extent.as_const()) {
            (Some(slow), Some(ratio), Some(fast)) => int((slow - 1).checked_mul(ratio)?.checked_add(fast)?),
            _ if is_next => product(&slow.extent, &fast.extent),
            _ => written([(product(&(&slow.extent - 1), &ratio), 1), (fast.extent.clone(), 1)]),
        };
        Some(Leaf::new(Span::whole(of), extent, scale))
    }
}
