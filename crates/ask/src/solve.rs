//! Solves a map for its inputs: computes the inputs from the outputs, by splitting each output into parts.
//!
//! The value of an output is called its *place*. An equation `output == place` yields equations for the parts of the
//! output. If one term of a sum is a multiple of a number that exceeds the sum of all other terms, the place is divided
//! by it. The quotient gives this term (the *slowest*), and the remainder gives the other terms. An exclusive or with a
//! known value is undone. If all quotients and remainders of an expression are known, the expression is known.

use crate::digits::product;
use crate::prove::Prover;
use crate::span::{Span, exact_quotient, quotient};
use quaff::expr::monomials::{Monomial, monomials};
use quaff::expr::substitute::substituted;
use quaff::expr::sum::written;
use quaff::expr::{Dag, Expr, Op, int, var};
use quaff::integer::{gcd, inverse};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The most equations that are read for one map.
const MOST_EQUATIONS: usize = 128;
/// The most steps to undo a swizzle such as `x ^ x//8`, in which higher bits change lower bits.
const MOST_SWIZZLES: usize = 62;

/// Each input as an expression of the places (the values of the outputs). The result is not proved.
///
/// A call takes a few proofs for each operation of the outputs.
pub(crate) fn solved(prover: &mut Prover<'_>, outputs: &[Expr], places: &[Expr], inputs: &[&str]) -> Option<Vec<Expr>> {
    let plain = with_plain_bits(outputs);
    let open: Vec<Equation> = plain.into_iter().zip(places.iter().cloned()).collect();
    let only = |prover: &mut Prover<'_>, input: Expr| Some((prover.bounds(&input).as_point()?, input));
    let known = inputs.iter().filter_map(|input| only(prover, var(*input))).map(|(value, input)| (input, int(value)));
    let known = known.collect();
    let mut solver = Solver { prover, inputs, known, open, sources: vec![], steps: 0 };
    loop {
        let mut is_closer = false;
        for (e, value) in std::mem::take(&mut solver.open) {
            solver.steps += 1;
            match solver.step(&e, &value) {
                Some(parts) => {
                    solver.known.insert(e, value);
                    solver.open.extend(parts);
                    is_closer = true;
                }
                None => solver.open.push((e, value)),
            }
        }
        is_closer |= solver.read_sources();
        let values: Option<Vec<Expr>> = inputs.iter().map(|input| solver.known.get(&var(*input)).cloned()).collect();
        if values.is_some() || !is_closer || solver.steps > MOST_EQUATIONS {
            return values;
        }
    }
}

/// The variable for the operand that a swizzle changes.
const PART: &str = "the part";

/// An expression over the inputs, and its value as an expression over the places.
type Equation = (Expr, Expr);

struct Solver<'a, 'p> {
    prover: &'a mut Prover<'p>,
    inputs: &'a [&'a str],
    known: FxHashMap<Expr, Expr>,
    open: Vec<Equation>,
    sources: Vec<Source>,
    steps: usize,
}

/// An expression of which some quotients and remainders (digits) are known.
struct Source {
    of: Expr,
    digits: Vec<Digit>,
    is_known: bool,
}

/// A digit `source // lower % extent` of a source, with its value.
#[derive(Clone)]
struct Digit {
    lower: Expr,
    extent: Option<Expr>,
    value: Expr,
}

/// The terms of a sum with the same unknown part: `stride * part`.
struct Group {
    part: Expr,
    stride: Expr,
    /// The stride as an expression of the places.
    value: Expr,
}

impl Solver<'_, '_> {
    /// `e` with all known parts replaced by their values.
    fn with_known(&self, e: &Expr) -> Expr {
        let dag = Dag::with_origins(std::slice::from_ref(e));
        dag.rebuilt(|id, _| self.known.get(dag.origin(id)).cloned()).pop().unwrap_or_else(|| e.clone())
    }

    /// The value of `e` as an expression of the places, if it is known.
    fn value(&self, e: &Expr) -> Option<Expr> {
        let value = self.with_known(e);
        let is_input = |name: &Arc<str>| self.inputs.contains(&&**name);
        (!value.variables().iter().any(is_input)).then_some(value)
    }

    /// The equations for parts of `e` that follow from `e == value`. `None` if more parts must be known first.
    fn step(&mut self, e: &Expr, value: &Expr) -> Option<Vec<Equation>> {
        if self.value(e).is_some() || matches!(e.op(), Op::Var(_)) {
            return Some(vec![]);
        }
        match e.op() {
            Op::FloorDiv | Op::FloorMod => {
                let positive = |prover: &mut Prover<'_>, by: &Expr| prover.holds(&by.ge(1));
                let Span { of, lower, extent } =
                    Span::read(e, |by| self.value(by).is_some() && positive(self.prover, by))?;
                let digit = Digit { lower, extent, value: value.clone() };
                match self.sources.iter_mut().find(|source| source.of == of) {
                    Some(source) => source.digits.push(digit),
                    None => self.sources.push(Source { of, digits: vec![digit], is_known: false }),
                }
                Some(vec![])
            }
            Op::BitXor => self.of_swizzle(e, value),
            _ => self.of_sum(e, value),
        }
    }

    /// Adds an equation for each source whose known digits determine it. Returns whether an equation was added.
    fn read_sources(&mut self) -> bool {
        let mut is_closer = false;
        for at in 0..self.sources.len() {
            let source = &self.sources[at];
            if source.is_known {
                continue;
            }
            let (value, end) = covered(&source.digits);
            let of = source.of.clone();
            let equation = match end {
                None => Some((of, value)),
                Some(end) => self.wrapped(&of, &value, &end),
            };
            if let Some(equation) = equation {
                self.sources[at].is_known = true;
                self.open.push(equation);
                is_closer = true;
            }
        }
        is_closer
    }

    /// The equation for the unknown terms that follows from `of % modulus == value`. The unknown terms must have at
    /// most `modulus` possible values.
    fn wrapped(&mut self, of: &Expr, value: &Expr, modulus: &Expr) -> Option<Equation> {
        let (groups, rest) = self.groups(of)?;
        let by = self.value(modulus)?;
        let own = written([(value.clone(), 1), (rest, -1)]);
        let strides: Option<Vec<i64>> = groups.iter().map(|group| group.stride.as_const()).collect();
        let factor = strides.as_deref().map_or(1, common_factor);
        let own = match (factor, modulus.as_const()) {
            (0, _) => return None,
            (1, _) => own,
            (-1, _) => -own,
            (c, Some(n)) if n > 0 && gcd(c.into(), n.into()) == 1 => {
                own * int(i64::try_from(inverse(c.into(), n.into())).ok()?)
            }
            _ => return None,
        };
        let term = |group: &Group| match group.stride.as_const() {
            Some(stride) => Some((group.part.clone(), exact_quotient(stride, factor)?)),
            None => Some((product(&group.part, &group.stride), 1)),
        };
        let part = written(groups.iter().map(term).collect::<Option<Vec<_>>>()?);
        let low = self.prover.bounds(&part).lo()?;
        let above = written([(part.clone(), 1), (int(low), -1)]);
        self.prover.holds(&above.lt(modulus)).then(|| {
            let digit = written([(own, 1), (int(low), -1)]).floor_mod(&by);
            (part, written([(digit, 1), (int(low), 1)]))
        })
    }

    /// The terms of the sum `e` that contain unknown parts, and the value of its other terms.
    fn groups(&self, e: &Expr) -> Option<(Vec<Group>, Expr)> {
        let mut parts: Vec<(Expr, Vec<Monomial>)> = vec![];
        let mut rest = vec![];
        for Monomial { coefficient, factors } in monomials(e)? {
            let (known, unknown): (Vec<Expr>, Vec<Expr>) = factors.into_iter().partition(|f| self.value(f).is_some());
            let of_known = Monomial { coefficient, factors: known };
            match unknown.into_iter().reduce(|a, b| a * b) {
                None => rest.push((self.value(&of_known.expr())?, 1)),
                Some(part) => match parts.iter_mut().find(|(own, _)| *own == part) {
                    Some((_, strides)) => strides.push(of_known),
                    None => parts.push((part, vec![of_known])),
                },
            }
        }
        let group = |(part, strides): (Expr, Vec<Monomial>)| {
            let stride = written(strides.iter().map(|stride| (stride.expr(), 1)));
            Some(Group { part, value: self.value(&stride)?, stride })
        };
        Some((parts.into_iter().map(group).collect::<Option<_>>()?, written(rest)))
    }

    fn of_sum(&mut self, e: &Expr, value: &Expr) -> Option<Vec<Equation>> {
        let (mut groups, rest) = self.groups(e)?;
        if matches!(&groups[..], [group] if group.part == *e) {
            return None;
        }
        let mut own = written([(value.clone(), 1), (rest, -1)]);
        let mut found = vec![];
        while !groups.is_empty() {
            let (at, is_negative, low) = (0..groups.len()).find_map(|at| self.slowest(&groups, at))?;
            let Group { part, value: stride, .. } = groups.remove(at);
            let above = written([(own, 1), (int(low), -1)]);
            let stride = if is_negative { -stride } else { stride };
            let digit = if stride.as_const() == Some(1) { above.clone() } else { above.floor_div(&stride) };
            found.push((part, if is_negative { -digit } else { digit }));
            own = written([(above.floor_mod(&stride), 1), (int(low), 1)]);
        }
        Some(found)
    }

    /// The term at `at`, if the size of its stride exceeds the greatest sum of all other terms minus their least sum.
    /// Also returns whether the stride is negative, and the least sum of the other terms.
    fn slowest(&mut self, groups: &[Group], at: usize) -> Option<(usize, bool, i64)> {
        let Group { stride, .. } = &groups[at];
        let is_negative = match self.prover.holds(&stride.ge(1)) {
            true => false,
            false if self.prover.holds(&stride.le(-1)) => true,
            false => return None,
        };
        let others = groups.iter().enumerate().filter(|(other, _)| *other != at);
        let sum = written(others.map(|(_, group)| (product(&group.part, &group.stride), 1)));
        if groups.len() == 1 {
            return Some((at, is_negative, 0));
        }
        let low = self.prover.bounds(&sum).lo()?;
        let stride = if is_negative { -stride } else { stride.clone() };
        self.prover.holds(&written([(sum, 1), (int(low), -1)]).lt(stride)).then_some((at, is_negative, low))
    }

    fn of_swizzle(&mut self, e: &Expr, value: &Expr) -> Option<Vec<Equation>> {
        let mut operands = vec![];
        let mut todo = vec![e.clone()];
        while let Some(next) = todo.pop() {
            match (next.op(), next.args()) {
                (Op::BitXor, [a, b]) => todo.extend([b.clone(), a.clone()]),
                _ => operands.push(next),
            }
        }
        let (known, unknown): (Vec<Expr>, Vec<Expr>) = operands.into_iter().partition(|e| self.value(e).is_some());
        let values = known.iter().map(|e| self.value(e)).collect::<Option<Vec<Expr>>>()?;
        let own = values.into_iter().fold(value.clone(), exclusive);
        if let [part] = &unknown[..] {
            return Some(vec![(part.clone(), own)]);
        }
        (0..unknown.len()).find_map(|at| {
            let (part, others) = without(&unknown, at)?;
            self.of_higher_bits(&part, &others, &own).or_else(|| self.of_lower_bits(&part, &others, &own))
        })
    }

    /// Solves `part ^ others == value` if `others` depends on higher bits of `part`. Each step finds more of the lower
    /// bits of `part`.
    fn of_higher_bits(&mut self, part: &Expr, others: &Expr, value: &Expr) -> Option<Vec<Equation>> {
        let own = var(PART);
        let dag = Dag::with_origins(std::slice::from_ref(others));
        let others = dag.rebuilt(|id, _| (dag.origin(id) == part).then(|| own.clone())).pop()?;
        let known = self.value(&others)?;
        let range = self.prover.bounds(part);
        let swizzled = exclusive(own.clone(), others.clone());
        let (mut candidate, mut checked) = (value.clone(), swizzled.clone());
        for _ in 0..MOST_SWIZZLES {
            candidate = exclusive(value.clone(), substituted(&known, PART, &candidate));
            checked = exclusive(swizzled.clone(), substituted(&others, PART, &checked));
            let both = self.prover.merged(&[own.clone(), checked.clone()], Some((PART, range)));
            if both[0] == both[1] {
                return Some(vec![(part.clone(), candidate)]);
            }
        }
        None
    }

    /// Solves `part ^ others == value` if `part` is a sum, and one term of it has only bits above those of `others` and
    /// of its other terms.
    fn of_lower_bits(&mut self, part: &Expr, others: &Expr, value: &Expr) -> Option<Vec<Equation>> {
        let terms = monomials(part)?;
        for (at, slow) in terms.iter().enumerate() {
            let Some(end) = lowest_bit(slow.coefficient) else { continue };
            let faster = terms.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, term)| (term.expr(), 1));
            let faster = written(faster);
            let is_below = |prover: &mut Prover<'_>, e: &Expr| prover.holds(&e.ge(0)) && prover.holds(&e.lt(end));
            if slow.factors.is_empty() || !is_below(self.prover, &faster) || !is_below(self.prover, others) {
                continue;
            }
            let low = if faster.as_const() == Some(0) { others.clone() } else { exclusive(faster, others.clone()) };
            return Some(vec![(slow.expr() + low, value.clone())]);
        }
        None
    }
}

/// The operand at `at`, and the exclusive or of the other operands.
fn without(all: &[Expr], at: usize) -> Option<(Expr, Expr)> {
    let others = all.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, e)| e.clone());
    Some((all[at].clone(), others.reduce(exclusive)?))
}

fn exclusive(a: Expr, b: Expr) -> Expr {
    Expr::new(Op::BitXor, [a, b])
}

/// The value that the lowest digits determine, up to the first digit that is missing. The second result is the modulus
/// of this value, and `None` if the digits determine the whole expression.
fn covered(digits: &[Digit]) -> (Expr, Option<Expr>) {
    let (mut value, mut end) = (vec![], int(1));
    for _ in 0..=digits.len() {
        let Some(next) = digits.iter().find_map(|digit| from(digit, &end)) else { break };
        let Digit { lower, extent, value: own } = next;
        value.push(match lower.as_const() {
            Some(c) => (own, c),
            None => (own * &lower, 1),
        });
        match extent {
            None => return (written(value), None),
            Some(extent) => end = product(&lower, &extent),
        }
    }
    (written(value), Some(end))
}

/// The quotient of a digit that begins at the divisor `end`. `None` if the digit does not continue above `end`.
fn from(digit: &Digit, end: &Expr) -> Option<Digit> {
    if digit.lower == *end {
        return Some(digit.clone());
    }
    let by = quotient(end, &digit.lower).filter(|by| by.as_const().is_some_and(|by| by > 1))?;
    let extent = match &digit.extent {
        None => None,
        Some(extent) => Some(quotient(extent, &by).filter(|rest| rest.as_const().is_some_and(|rest| rest > 1))?),
    };
    Some(Digit { lower: end.clone(), extent, value: digit.value.floor_div(by) })
}

/// The greatest common divisor of all numbers. It is negative if all numbers are negative, and 0 if there are none.
fn common_factor(all: &[i64]) -> i64 {
    let factor = all.iter().fold(0, |factor, c| gcd(factor, i128::from(*c)));
    let factor = i64::try_from(factor).unwrap_or(0);
    if all.iter().all(|c| *c < 0) { -factor } else { factor }
}

/// The value of the lowest 1 bit of a positive number.
fn lowest_bit(c: i64) -> Option<i64> {
    1i64.checked_shl(c.trailing_zeros()).filter(|bit| c > 0 && *bit > 0)
}

/// Replaces shifts and masks by quotients, remainders and products.
fn with_plain_bits(exprs: &[Expr]) -> Vec<Expr> {
    let dag = Dag::with_origins(exprs);
    dag.rebuilt(|id, args| {
        let [of, by] = args else { return None };
        let (of, number) = match (of.as_const(), by.as_const()) {
            (_, Some(number)) => (of, number),
            (Some(number), None) if dag.nodes()[id as usize].op == Op::BitAnd => (by, number),
            _ => return None,
        };
        let power = |bits: i64| u32::try_from(bits).ok().filter(|bits| *bits < 63).map(|bits| 1i64 << bits);
        match dag.nodes()[id as usize].op {
            Op::Shl => power(number).map(|power| of * power),
            Op::Shr => power(number).map(|power| of.floor_div(power)),
            Op::BitAnd => {
                let lowest = lowest_bit(number)?;
                let extent =
                    lowest_bit(number.checked_add(lowest)?).filter(|end| number.checked_add(lowest) == Some(*end))?;
                let span = Span { of: of.clone(), lower: int(lowest), extent: quotient(&int(extent), &int(lowest)) };
                Some(product(&span.expr(), &int(lowest)))
            }
            _ => None,
        }
    })
}
