//! [`Objective`]: the number by which schedules are compared.

use super::error::CoalesceError;
use super::traffic::{Measure, Traffic};
use quaff::expr::{Dag, Expr, Op};
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The measures of a schedule, from which an [`Objective`] is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taken {
    /// The traffic of all accesses together.
    pub traffic: Traffic,
    /// The instructions for the index and the gate of one element. It is 0 during the search, before a schedule has an
    /// expression.
    pub cost: f64,
}

/// A number that a search minimises.
///
/// ```
/// use quaff_fronts::coalesce::{Measure, Objective, Taken, Traffic};
///
/// let weighted: Objective = "2*sectors + cost".parse()?;
/// let taken = Taken { traffic: Traffic { sectors: 28, ..Traffic::default() }, cost: 3.5 };
/// assert_eq!((weighted.of(&taken), Objective::from(Measure::Sectors).of(&taken)), (59.5, 28.0));
/// // anything else is a function
/// let most = Objective::new(|taken: &Taken| taken.traffic.lines.max(taken.traffic.requests) as f64);
/// assert_eq!(most.of(&taken), 0.0);
/// # Ok::<(), quaff_fronts::coalesce::CoalesceError>(())
/// ```
#[derive(Clone)]
pub struct Objective {
    value: Arc<dyn Fn(&Taken) -> f64 + Send + Sync>,
    /// Whether the search minimises the objective, too. The search minimises sectors and gaps in any case.
    pub(super) guides: bool,
    /// Whether the objective depends on the fetches of the steps of a block.
    pub(super) has_fetches: bool,
}

impl fmt::Debug for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Objective")
            .field("guides", &self.guides)
            .field("has_fetches", &self.has_fetches)
            .finish_non_exhaustive()
    }
}

impl Default for Objective {
    /// The default objective, which is the number of sectors.
    fn default() -> Objective {
        Objective::from(Measure::Sectors)
    }
}

impl From<Measure> for Objective {
    fn from(measure: Measure) -> Objective {
        let guides = matches!(measure, Measure::Distance | Measure::Fetches);
        let has_fetches = measure == Measure::Fetches;
        Objective { value: Arc::new(move |taken| measured(measure, taken)), guides, has_fetches }
    }
}

impl Objective {
    /// An objective that any function computes. If a measure in `Taken` rises, the value should not fall. NaN is worse
    /// than all numbers.
    pub fn new(value: impl Fn(&Taken) -> f64 + Send + Sync + 'static) -> Objective {
        Objective { value: Arc::new(value), guides: true, has_fetches: false }
    }

    /// The value of the objective for a schedule.
    pub fn of(&self, taken: &Taken) -> f64 {
        (self.value)(taken)
    }

    /// The value as an integer. These integers have the same order as the values.
    pub(super) fn key(&self, taken: &Taken) -> u128 {
        let value = self.of(taken);
        let bits = if value.is_nan() { f64::INFINITY } else { value }.to_bits();
        // the bits of negative numbers are in reverse order, and must be below the bits of all other numbers
        u128::from(if bits >> 63 == 1 { !bits } else { bits | 1 << 63 })
    }
}

fn measured(measure: Measure, taken: &Taken) -> f64 {
    let Traffic { gap, sectors, lines, distance, requests, fetches } = taken.traffic;
    match measure {
        Measure::Sectors => sectors as f64,
        Measure::Gap => gap as f64,
        Measure::Lines => lines as f64,
        Measure::Requests => requests as f64,
        Measure::Distance => distance as f64,
        Measure::Fetches => fetches as f64,
        Measure::Cost => taken.cost,
    }
}

/// A step in the evaluation of a weighted sum. Its operands are the results of earlier steps.
#[derive(Clone, Debug)]
enum Step {
    Number(f64),
    Measure(Measure),
    Sum(usize, usize),
    Difference(usize, usize),
    Negative(usize),
    Product(usize, usize),
    Least(usize, usize),
    Most(usize, usize),
}

impl FromStr for Objective {
    type Err = CoalesceError;

    /// Reads a measure, or a sum of multiples of measures such as `2*sectors + cost`. The operands of `min` and `max`
    /// may be sums.
    fn from_str(text: &str) -> Result<Objective, CoalesceError> {
        let wrong = |why: String| CoalesceError::Objective { text: text.chars().take(80).collect(), why };
        if let Some(measure) = Measure::named(text.trim()) {
            return Ok(measure.into());
        }
        let expr: Expr = text.parse().map_err(|e| wrong(format!("{e}")))?;
        let dag = Dag::new(std::slice::from_ref(&expr));
        let steps = dag.nodes().iter().map(|node| {
            let at = |k: usize| node.args().get(k).map_or(0, |a| *a as usize);
            let is_number = |k: usize| matches!(dag.nodes().get(at(k)).map(|n| &n.op), Some(Op::Const(_)));
            match &node.op {
                Op::Const(c) => Ok(Step::Number(*c as f64)),
                Op::Var(name) => Measure::named(name)
                    .map(Step::Measure)
                    .ok_or_else(|| wrong(format!("there is no measure `{name}`"))),
                Op::Add => Ok(Step::Sum(at(0), at(1))),
                Op::Sub => Ok(Step::Difference(at(0), at(1))),
                Op::Neg => Ok(Step::Negative(at(0))),
                Op::Mul if is_number(0) || is_number(1) => Ok(Step::Product(at(0), at(1))),
                Op::Min => Ok(Step::Least(at(0), at(1))),
                Op::Max => Ok(Step::Most(at(0), at(1))),
                _ => Err(wrong("it is no sum of multiples of measures".into())),
            }
        });
        let steps = steps.collect::<Result<Vec<Step>, CoalesceError>>()?;
        let has_fetches = steps.iter().any(|s| matches!(s, Step::Measure(Measure::Fetches)));
        Ok(Objective { has_fetches, ..Objective::new(move |taken| evaluated(&steps, taken)) })
    }
}

fn evaluated(steps: &[Step], taken: &Taken) -> f64 {
    let mut values: Vec<f64> = Vec::with_capacity(steps.len());
    for step in steps {
        values.push(match *step {
            Step::Number(number) => number,
            Step::Measure(measure) => measured(measure, taken),
            Step::Sum(a, b) => values[a] + values[b],
            Step::Difference(a, b) => values[a] - values[b],
            Step::Negative(a) => -values[a],
            Step::Product(a, b) => values[a] * values[b],
            Step::Least(a, b) => values[a].min(values[b]),
            Step::Most(a, b) => values[a].max(values[b]),
        });
    }
    values.last().copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_ordered_as_numbers_are() {
        let of = |x: f64| Objective::new(move |_| x).key(&Taken::default());
        let all = [f64::NEG_INFINITY, -2.5, -1.0, 0.0, 0.1, 7.0, 1e300, f64::INFINITY];
        assert!(all.windows(2).all(|p| of(p[0]) < of(p[1])));
        assert_eq!(of(f64::NAN), of(f64::INFINITY));
    }

    #[test]
    fn sums_are_read() {
        let taken = Taken { traffic: Traffic { sectors: 10, gap: 7, lines: 2, ..Traffic::default() }, cost: 1.5 };
        for (text, value) in
            [("sectors", 10.0), ("2*sectors - gap*3 + 1", 0.0), ("max(gap, sectors) + cost", 11.5), ("-lines", -2.0)]
        {
            assert_eq!(text.parse::<Objective>().map(|o| o.of(&taken)).ok(), Some(value), "{text}");
        }
        for text in ["sectors*gap", "sector", "sectors//2", "2*", ""] {
            assert!(text.parse::<Objective>().is_err(), "{text}");
        }
    }
}
