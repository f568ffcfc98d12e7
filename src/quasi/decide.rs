//! The verdict and the way to it.

use super::exact;
use super::plain::{self, Outcome};
use super::question::{Checker, Question};
use super::sample;
use super::witness::Witness;
use crate::domain::{Domain, DomainError};
use crate::expr::{Expr, UnknownVariable, select};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// Whether two expressions are equal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// They have the same value at every point of the domain at which the first one has a value.
    Equal,
    /// They do not.
    Differs {
        /// A point at which they differ.
        witness: Witness,
    },
    /// Neither is known.
    Undecided {
        /// What stood in the way.
        why: Why,
    },
}

/// Why nothing is known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// The domain contradicts itself.
    #[error(transparent)]
    Domain(DomainError),
    /// A variable is not declared.
    #[error("the variable `{}` is not declared", .0.name)]
    Unknown(UnknownVariable),
    /// More points than [`Options::max_points`] would have to be looked at.
    #[error("more than {limit} points would have to be compared")]
    TooManyPoints {
        /// The limit.
        limit: u64,
    },
    /// More steps of algebra than [`Options::max_steps`] would have to be taken.
    #[error("more than {limit} steps of algebra would have to be taken")]
    TooManySteps {
        /// The limit.
        limit: u64,
    },
    /// The points that would have to be looked at times the operators are more than [`Options::max_evaluations`].
    #[error("more than {limit} operators would have to be evaluated")]
    TooManyEvaluations {
        /// The limit.
        limit: u64,
    },
    /// It was not asked: the questions of the same call before it took all the work that there was for them.
    #[error("other checks took all the work that is allowed for them")]
    NothingLeft,
    /// The range of a variable in which an expression is irregular has an open end.
    #[error("the range of `{name}` is open and the expressions are not periodic in it")]
    Unbounded {
        /// The variable.
        name: Arc<str>,
    },
    /// A value that matters is outside of 128 bits.
    #[error("a value is outside of 128 bits")]
    Overflow,
    /// A coefficient of the difference is outside of 64 bits.
    #[error("a coefficient is outside of 64 bits")]
    Unrepresentable,
    /// The solver found no answer in [`Options::smt_timeout`], or failed.
    #[error("the solver does not know: {message}")]
    Solver {
        /// What it said.
        message: String,
    },
}

/// What found a [`Verdict`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// The exact procedure on the difference.
    Exact,
    /// Enumeration of both expressions: of every point, or of enough in each period.
    Enumeration,
    /// Corners and random points.
    Sampling,
    /// An SMT solver.
    Solver,
    /// Nothing: the verdict is [`Verdict::Undecided`].
    None,
}

impl Method {
    /// `"exact"`, `"enumeration"`, `"sampling"`, `"solver"` or `"none"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Method::Exact => "exact",
            Method::Enumeration => "enumeration",
            Method::Sampling => "sampling",
            Method::Solver => "solver",
            Method::None => "none",
        }
    }
}

/// A verdict and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The verdict.
    pub verdict: Verdict,
    /// What found it.
    pub method: Method,
    /// Points at which something was enumerated.
    pub points: u64,
    /// Steps of algebra that were taken, as [`Options::max_steps`] counts them.
    pub steps: u64,
    /// Operators that were evaluated, as [`Options::max_evaluations`] counts them, and for samples.
    pub evaluations: u64,
}

/// What was done for a question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Work {
    pub(super) points: u64,
    pub(super) steps: u64,
    pub(super) evaluations: u64,
}

impl Work {
    fn plus(self, other: Work) -> Work {
        Work {
            points: self.points.saturating_add(other.points),
            steps: self.steps.saturating_add(other.steps),
            evaluations: self.evaluations.saturating_add(other.evaluations),
        }
    }
}

impl Decision {
    fn new(verdict: Verdict, method: Method, work: Work) -> Decision {
        let Work { points, steps, evaluations } = work;
        Decision { verdict, method, points, steps, evaluations }
    }

    /// Nothing was asked, for this reason.
    pub(crate) fn not_asked(why: Why) -> Decision {
        undecided(why, Work::default())
    }
}

/// Limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Points that are enumerated at most: 2^24 by default, over all parts of the difference, and as many of both
    /// expressions where that did not suffice.
    pub max_points: u64,
    /// Steps of algebra that are taken at most, and as many to find periods where that did not suffice: 2^24 by default. A
    /// step is one term of a polynomial that is read, written or kept, or two operators whose period in one variable is
    /// found; it takes some tens of nanoseconds, and some tens of bytes where it is kept.
    pub max_steps: u64,
    /// Operators that are evaluated at most, at all points that are enumerated together: 2^32 by default, of which some
    /// take a nanosecond. What has more than 2^14 operators is evaluated point by point, which counts eightfold.
    pub max_evaluations: u64,
    /// Points above which the ranges of the variables are used to write the difference shorter, 4,096 by default. Below,
    /// only identities that hold for all integers are relied on.
    pub ranges_above: u64,
    /// Points above which a question is split in cases, 65,536 by default.
    pub split_above: u64,
    /// Corner and random points that are tried when the exact procedure gives up: 4,096 by default.
    pub samples: u32,
    /// Determines the random points.
    pub seed: u64,
    /// The most threads that enumerate: one for each core by default. The answer does not depend on it.
    pub threads: NonZeroUsize,
    /// How long a solver may take; 0 to use none, 5 seconds by default. What a solver decides depends on whether it is
    /// installed and how fast the machine is, all else is the same on every machine.
    pub smt_timeout: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            max_points: 1 << 24,
            max_steps: 1 << 24,
            max_evaluations: 1 << 32,
            ranges_above: 1 << 12,
            split_above: 1 << 16,
            samples: 1 << 12,
            seed: 0x71a5_1aff,
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            smt_timeout: Duration::from_secs(5),
        }
    }
}

/// Whether `a` and `b` are equal wherever `a` has a value, with the default [`Options`].
///
/// ```
/// use quaff::domain::Domain;
/// use quaff::expr::{Expr, var};
/// use quaff::quasi::{Verdict, equivalent};
///
/// // ranges may be open and their ends symbolic
/// let domain = Domain::new().with("n", 1..=64).with("i", (0, var("n") - 1)).with("x", ..);
/// let (a, b): (Expr, Expr) = ("(x*n + i) // n + x%6//2".parse()?, "x + x//2 - 3*(x//6)".parse()?);
/// assert_eq!(equivalent(&a, &b, &domain), Verdict::Equal);
/// # Ok::<(), quaff::expr::ParseError>(())
/// ```
pub fn equivalent(a: &Expr, b: &Expr, domain: &Domain) -> Verdict {
    decide(a, b, domain, &Options::default()).verdict
}

/// [`equivalent`] with limits, and what found the verdict.
///
/// Points that [`Domain::assume`] leaves out do not count.
///
/// Expressions that are equal as they are written are equal, whatever their size, their ranges and the points without a
/// value.
///
/// Time: linear in the size of both expressions, [`Options::max_steps`] of algebra, [`Options::max_evaluations`] of
/// operators, then [`Options::samples`] evaluations (fewer of large expressions), then [`Options::smt_timeout`]. Most
/// index expressions take microseconds.
pub fn decide(a: &Expr, b: &Expr, domain: &Domain, options: &Options) -> Decision {
    with_question(a, b, domain, |question, checker| {
        if question.a == question.b {
            return Decision::new(Verdict::Equal, Method::Exact, Work::default());
        }
        let (mut outcome, mut work) = (Outcome::Unknown(Why::Unrepresentable), Work::default());
        let mut method = Method::Exact;
        if question.total {
            (outcome, work) = exact::decide(question, checker, options);
        }
        // a difference that needs too many points may be of two expressions on few
        let limited = matches!(outcome, Outcome::Unknown(Why::TooManySteps { .. } | Why::TooManyEvaluations { .. }));
        let other = limited
            || matches!(outcome, Outcome::Unknown(Why::Unrepresentable | Why::Overflow | Why::TooManyPoints { .. }));
        if !question.total || other {
            method = Method::Enumeration;
            let (second, more) = plain::enumerate(question, options, true);
            work = work.plus(more);
            // what ended the stronger procedure is the better reason
            if !(limited && matches!(second, Outcome::Unknown(_))) {
                outcome = second;
            }
        }
        let mut decision = conclude(checker, outcome, method, work);
        let Verdict::Undecided { .. } = decision.verdict else { return decision };
        let (found, evaluations) = sample::search(question, checker, options.samples, options.seed);
        work = work.plus(Work { evaluations, ..Work::default() });
        if let Some(point) = found {
            return conclude(checker, Outcome::Differs(point), Method::Sampling, work);
        }
        decision.evaluations = work.evaluations;
        solve(question, checker, options, decision)
    })
}

/// Compares `a` and `b` at every point of the domain, one after the other and without regard to their structure: the
/// slow, plain reference for [`decide`].
///
/// Time: the points times the operators. [`Verdict::Undecided`] when there are more points than
/// [`Options::max_points`] or a range has an open end.
pub fn enumerate(a: &Expr, b: &Expr, domain: &Domain, options: &Options) -> Decision {
    with_question(a, b, domain, |question, checker| {
        let (outcome, work) = plain::enumerate(question, options, false);
        conclude(checker, outcome, Method::Enumeration, work)
    })
}

fn with_question(
    a: &Expr,
    b: &Expr,
    domain: &Domain,
    decide: impl Fn(&Question, &Checker<'_>) -> Decision,
) -> Decision {
    // outside of what is assumed both are taken to be 0
    let inside = |e: &Expr| {
        let condition = domain.assumptions().iter().cloned().reduce(|c, d| c.and(d));
        condition.map_or_else(|| e.clone(), |c| select(c, e.clone(), 0))
    };
    let question = match Question::new(&inside(a), &inside(b), domain) {
        Ok(question) => question,
        Err(why) => return Decision::not_asked(why),
    };
    match question.checker() {
        Ok(checker) => decide(&question, &checker),
        Err(why) => Decision::not_asked(why),
    }
}

fn undecided(why: Why, work: Work) -> Decision {
    Decision::new(Verdict::Undecided { why }, Method::None, work)
}

/// A difference counts only when evaluation confirms it: it may rest on a value beyond 128 bits.
fn conclude(checker: &Checker<'_>, outcome: Outcome, method: Method, work: Work) -> Decision {
    match outcome {
        Outcome::Equal => Decision::new(Verdict::Equal, method, work),
        Outcome::Differs(point) => match checker.witness(&point) {
            Some(witness) => Decision::new(Verdict::Differs { witness }, method, work),
            None => undecided(Why::Overflow, work),
        },
        Outcome::Unknown(why) => undecided(why, work),
    }
}

#[cfg(feature = "smt")]
fn solve(question: &Question, checker: &Checker<'_>, options: &Options, so_far: Decision) -> Decision {
    if options.smt_timeout.is_zero() {
        return so_far;
    }
    let work = Work { points: so_far.points, steps: so_far.steps, evaluations: so_far.evaluations };
    match super::smt::solve(question, options.smt_timeout) {
        // without a solver, what the exact procedure met is the better reason
        None => so_far,
        Some(Outcome::Unknown(why)) => undecided(why, work),
        Some(outcome) => conclude(checker, outcome, Method::Solver, work),
    }
}

#[cfg(not(feature = "smt"))]
fn solve(_: &Question, _: &Checker<'_>, _: &Options, so_far: Decision) -> Decision {
    so_far
}

impl fmt::Display for Verdict {
    /// For example `equal`, `different at x = 3: 7 but 8`, `undecided: ...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Equal => f.write_str("equal"),
            Verdict::Differs { witness } => write!(f, "different at {witness}"),
            Verdict::Undecided { why } => write!(f, "undecided: {why}"),
        }
    }
}

impl Options {
    pub(super) fn cores(&self) -> usize {
        self.threads.get()
    }
}
