//! One call of the simplifier. Its answer, the machine operations and the printed text are compared with the input.

use super::c_text;
use quaff::domain::{Domain, DomainError, Points};
use quaff::emit;
use quaff::expr::{Dag, EvalError, Expr, Program};
use quaff::lower::{LowerError, Lowered, Machine, Sampling, lower};
use quaff::quasi::{self, Verdict};
use quaff::{Simplified, Simplifier, SimplifyError};
use std::num::NonZeroUsize;
use std::time::Duration;

/// The most points of a domain that the exact procedure enumerates. More points would take too long.
const MAX_POINTS: u64 = 1 << 12;
/// The number of points at which the printed text of an answer is evaluated. Its machine operations are evaluated at
/// all points.
const TEXT_POINTS: usize = 8;
/// An expression, the facts about its variables, and the simplifier that is called.
pub(crate) struct Question {
    pub(crate) expr: Expr,
    pub(crate) domain: Domain,
    /// The variables, in the order of the domain.
    pub(crate) names: Vec<&'static str>,
    pub(crate) simplifier: Simplifier,
    /// The seed of the random points.
    pub(crate) seed: u64,
    /// Whether an end of a range is outside of `Interval::ENDS`, so that the call must be refused.
    pub(crate) is_beyond_reach: bool,
    /// The text of the question, as arguments of `quaff simplify`.
    pub(crate) text: String,
}

/// The counts of one or several checked calls.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Checked {
    /// The number of points at which answers and inputs were compared.
    pub(crate) evaluations: u64,
    /// The number of calls that gave an answer.
    pub(crate) answers: u64,
    /// The number of answers that the exact procedure proved.
    pub(crate) decided: u64,
    /// The number of texts that were run, of answers and of inputs.
    pub(crate) texts: u64,
    /// The number of points at which texts were compared with the input.
    pub(crate) runs: u64,
    /// The number of calls that were refused because no range can have the given end.
    pub(crate) beyond_reach: u64,
    /// The number of texts that were refused because a value exceeds 64 bits.
    pub(crate) too_wide: u64,
}

impl Checked {
    /// The sums of both counts.
    pub(crate) fn plus(self, other: Checked) -> Checked {
        Checked {
            evaluations: self.evaluations + other.evaluations,
            answers: self.answers + other.answers,
            decided: self.decided + other.decided,
            texts: self.texts + other.texts,
            runs: self.runs + other.runs,
            beyond_reach: self.beyond_reach + other.beyond_reach,
            too_wide: self.too_wide + other.too_wide,
        }
    }
}

impl Question {
    /// Simplifies the expression, and compares the answer with the input at `count` points. The exact procedure compares them
    /// too, if it needs few steps. The machine operations of the answer and of the input are compared with the input at the
    /// same points, and the printed texts at some of them.
    ///
    /// # Errors
    /// A complete description of the first wrong result.
    pub(crate) fn check(&self, count: u32) -> Result<Checked, String> {
        let Question { expr, domain, names, simplifier, seed, is_beyond_reach, text } = self;
        let answer = match simplifier.simplify(expr, domain) {
            Ok(_) if *is_beyond_reach => return Err(format!("{text}\nan end is taken for another")),
            Ok(answer) => answer,
            // these calls are refused for a valid reason
            Err(SimplifyError::DivisorMayBeZero { .. }) => return Ok(Checked::default()),
            Err(SimplifyError::ShiftOutOfRange { .. }) => return Ok(Checked::default()),
            Err(SimplifyError::Domain(DomainError::BeyondReach { .. })) if *is_beyond_reach => {
                return Ok(Checked { beyond_reach: 1, ..Checked::default() });
            }
            // the assumptions hold at no point
            Err(SimplifyError::Domain(DomainError::NeverHolds { .. })) if !domain.assumptions().is_empty() => {
                return Ok(Checked::default());
            }
            // the range may contain no value with the stride
            Err(SimplifyError::Domain(DomainError::NoMultiple { .. })) => return Ok(Checked::default()),
            Err(e) => return Err(format!("{text}\nrefused: {e}")),
        };
        if answer.cost() > answer.input_cost() {
            return Err(format!("{text}\ncostlier: {} -> {}", answer.input_cost(), answer.cost()));
        }
        let roots = [expr.clone(), answer.expr().clone()];
        let program = Program::new(&roots, names).map_err(|e| format!("{text}\nanswer {}: {e}", answer.expr()))?;
        let mut checked = Checked { answers: 1, ..Checked::default() };
        let texts = self.texts(&answer, &mut checked)?;
        let machine = |(kind, lowered, text)| Ok((kind, Machine::new(lowered, names)?, text));
        let machines: Vec<(&str, Machine<'_>, &c_text::Program)> = (texts.iter().map(|(k, l, t)| machine((*k, l, t))))
            .collect::<Result<_, quaff::expr::UnknownVariable>>()
            .map_err(|e| format!("{text}\n{e}"))?;
        let mut buffer = Vec::new();
        let points = Points::new(domain, *seed).map_err(|e| format!("{text}\n{e}"))?;
        for (i, point) in points.take(count as usize).enumerate() {
            let wide: Vec<i128> = point.iter().copied().map(i128::from).collect();
            let values: Vec<_> = program.eval_into(&wide, &mut buffer).collect();
            let Ok(wanted) = values[0] else { continue };
            let at = || format!("at {names:?} = {point:?}: {wanted} but");
            // an answer may be a sum of products of more than 128 bits, which exceed the evaluator
            if values[1] == Err(EvalError::Overflow) {
                continue;
            }
            if values[0] != values[1] {
                return Err(format!("{text}\nanswer {}\n{} {:?}", answer.expr(), at(), values[1]));
            }
            checked.evaluations += 1;
            for (kind, machine, printed) in &machines {
                let found = machine.run(&point);
                if found != Ok(vec![wanted]) {
                    return Err(format!("{text}\nanswer {}\nits {kind} {} {found:?}", answer.expr(), at()));
                }
                checked.runs += 1;
                if i < TEXT_POINTS {
                    let value_of = |name: &str| names.iter().position(|n| *n == name).map_or(0, |i| point[i]);
                    let found = printed.run(value_of);
                    if found != Ok(vec![wanted]) {
                        return Err(format!("{text}\nanswer {}\nCUDA of its {kind} {} {found:?}", answer.expr(), at()));
                    }
                }
            }
        }
        let few = Sampling { points: TEXT_POINTS as u32, seed: *seed };
        if let Ok(compared) = answer.compare_rust(std::slice::from_ref(expr), domain, few)
            && let Some(mismatch) = compared.mismatch
        {
            return Err(format!("{text}\nanswer {}\nRust {mismatch}", answer.expr()));
        }
        let options = quasi::Options {
            max_points: MAX_POINTS,
            samples: 0,
            threads: NonZeroUsize::MIN,
            smt_timeout: Duration::ZERO,
            ..quasi::Options::default()
        };
        match quasi::decide(expr, answer.expr(), domain, &options).verdict {
            Verdict::Equal => checked.decided = 1,
            Verdict::Differs { witness } => {
                return Err(format!("{text}\nanswer {}\nexactly: {witness}", answer.expr()));
            }
            Verdict::Undecided { .. } => {}
        }
        Ok(checked)
    }

    /// The machine operations and the printed text, both for the answer and for the unsimplified input.
    fn texts(
        &self,
        answer: &Simplified,
        checked: &mut Checked,
    ) -> Result<Vec<(&'static str, Lowered, c_text::Program)>, String> {
        let question = &self.text;
        let mut texts = Vec::new();
        let plain = lower(&Dag::new(std::slice::from_ref(&self.expr)), answer.vars());
        for (kind, lowered) in [("answer", answer.lowered()), ("input", plain)] {
            match lowered {
                Ok(lowered) => {
                    let text = emit::cuda(&lowered);
                    let read = c_text::Program::read(&text).map_err(|e| format!("{question}\n{text}: {e}"))?;
                    texts.push((kind, lowered, read));
                    checked.texts += 1;
                }
                Err(LowerError::TooWide { .. }) => checked.too_wide += 1,
                // a division or shift without a value, even in a branch that is not taken, has no text
                Err(LowerError::ZeroDivisor { .. } | LowerError::Shift { .. }) => {}
                Err(e) => return Err(format!("{question}\n{e}")),
            }
        }
        Ok(texts)
    }
}
