//! Options and output of the exact decision procedure for equality: its limits, and its verdicts as text and JSON.

use crate::answer::Ran;
use clap::Args;
use quaff::quasi::{Decision, Method, Options, Verdict};
use serde::Serialize;
use serde_json::{Map, Value};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Limits of the exact procedure.
#[derive(Args)]
#[command(next_help_heading = "Limits of checks")]
pub(crate) struct Limits {
    /// The most points at which two expressions are compared in one check
    #[arg(long, value_name = "N", default_value_t = Options::default().max_points)]
    max_points: u64,

    /// The most steps of algebra in one check. This limit bounds time and memory for a large expression
    #[arg(long, value_name = "N", default_value_t = Options::default().max_steps)]
    max_steps: u64,

    /// The most operators that are evaluated in one check, at all points together
    #[arg(long, value_name = "N", default_value_t = Options::default().max_evaluations)]
    max_evaluations: u64,

    /// Seconds that an SMT solver may take for one check, if a solver is installed; 0 uses no solver
    #[arg(long, value_name = "SECONDS", default_value = "5", value_parser = seconds)]
    solver_timeout: Duration,
}

impl Limits {
    pub(crate) fn options(&self) -> Options {
        Options {
            max_points: self.max_points,
            max_steps: self.max_steps,
            max_evaluations: self.max_evaluations,
            smt_timeout: self.solver_timeout,
            ..Options::default()
        }
    }

    /// The options as words of the command line, with their values.
    pub(crate) fn by_name(&self) -> [(&'static str, String); 4] {
        [
            ("--max-points", self.max_points.to_string()),
            ("--max-steps", self.max_steps.to_string()),
            ("--max-evaluations", self.max_evaluations.to_string()),
            ("--solver-timeout", format!("{:?}", self.solver_timeout)),
        ]
    }

    /// The options for one of several checks that run in parallel.
    pub(crate) fn on_one_thread(&self) -> Options {
        Options { threads: NonZeroUsize::MIN, ..self.options() }
    }
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_string())?;
    Duration::try_from_secs_f64(seconds).map_err(|e| e.to_string())
}

/// The verdict as one word: `"equal"`, `"differs"` or `"undecided"`.
pub(crate) fn word(verdict: &Verdict) -> &'static str {
    match verdict {
        Verdict::Equal => "equal",
        Verdict::Differs { .. } => "differs",
        Verdict::Undecided { .. } => "undecided",
    }
}

/// The verdict on an answer: `equal`, `undecided: why` or `wrong: different at ...`.
pub(crate) fn verified(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Differs { .. } => format!("wrong: {verdict}"),
        _ => verdict.to_string(),
    }
}

/// A verdict in detail.
#[derive(Serialize)]
pub(crate) struct VerdictJson {
    /// `equal`, `differs` or `undecided`.
    verdict: &'static str,
    /// The method that found the verdict.
    method: &'static str,
    /// The number of compared points.
    points: u64,
    #[serde(flatten)]
    reason: ReasonJson,
}

/// The evidence of a verdict.
#[derive(Serialize)]
#[serde(untagged)]
enum ReasonJson {
    Equal {},
    Differs {
        /// Variables and their values.
        witness: Map<String, Value>,
        /// The value of the first expression at this point.
        first: NumberJson,
        /// The value of the second expression at this point. Null when it has no value.
        second: Option<NumberJson>,
        /// The reason why the second expression has no value.
        #[serde(skip_serializing_if = "Option::is_none")]
        second_why: Option<String>,
    },
    Undecided {
        why: String,
    },
}

impl From<&Decision> for VerdictJson {
    fn from(decision: &Decision) -> VerdictJson {
        let reason = match &decision.verdict {
            Verdict::Equal => ReasonJson::Equal {},
            Verdict::Differs { witness } => {
                let second = witness.second();
                ReasonJson::Differs {
                    witness: point(witness.values()),
                    first: witness.first().into(),
                    second_why: second.as_ref().err().map(|why| why.to_string()),
                    second: second.ok().map(NumberJson::from),
                }
            }
            Verdict::Undecided { why } => ReasonJson::Undecided { why: why.to_string() },
        };
        let (verdict, method) = (word(&decision.verdict), decision.method.as_str());
        VerdictJson { verdict, method, points: decision.points, reason }
    }
}

/// A JSON object of values by variable name.
pub(crate) fn point<'a, N: ToString + 'a>(values: impl IntoIterator<Item = &'a (N, i64)>) -> Map<String, Value> {
    values.into_iter().map(|(name, value)| (name.to_string(), (*value).into())).collect()
}

/// A number. If readers of JSON would round the number, it is written as text.
#[derive(Serialize)]
#[serde(untagged)]
enum NumberJson {
    Number(i64),
    Digits(String),
}

impl From<i128> for NumberJson {
    fn from(value: i128) -> NumberJson {
        i64::try_from(value).map_or_else(|_| NumberJson::Digits(value.to_string()), NumberJson::Number)
    }
}

/// Counts of the equal answers in a batch by method, and of undecided answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    exact: usize,
    otherwise: usize,
    undecided: usize,
    wrong: usize,
    /// The number of equal answers that an earlier run found. Their method is not known.
    earlier: usize,
    /// The number of right texts, the number of points at which they were evaluated, and the number of wrong texts.
    texts: usize,
    points: u64,
    wrong_texts: usize,
}

impl Tally {
    pub(crate) fn add(&mut self, decision: &Decision) {
        *match (&decision.verdict, decision.method) {
            (Verdict::Equal, Method::Exact) => &mut self.exact,
            (Verdict::Equal, _) => &mut self.otherwise,
            (Verdict::Undecided { .. }, _) => &mut self.undecided,
            (Verdict::Differs { .. }, _) => &mut self.wrong,
        } += 1;
    }

    /// Adds an answer of an earlier run. The argument is the text that [`verified`] returned for it.
    pub(crate) fn add_earlier(&mut self, verified: &str) {
        *match verified {
            _ if verified.starts_with("equal") => &mut self.earlier,
            _ if verified.starts_with("wrong") => &mut self.wrong,
            _ => &mut self.undecided,
        } += 1;
    }

    pub(crate) fn add_text(&mut self, ran: &Ran) {
        match ran {
            Ran::Nothing => {}
            Ran::Right(points) => {
                self.texts += 1;
                self.points += points;
            }
            Ran::Wrong(_) => self.wrong_texts += 1,
        }
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Tally { exact, otherwise, undecided, wrong, earlier, texts, points, wrong_texts } = self;
        let before = if *earlier > 0 { format!("{earlier} equal in an earlier run, ") } else { String::new() };
        writeln!(
            f,
            "verified: {before}{exact} equal exactly, {otherwise} by another method, {undecided} undecided, {wrong} wrong"
        )?;
        write!(f, "{texts} texts run at {points} points, {wrong_texts} wrong")
    }
}
