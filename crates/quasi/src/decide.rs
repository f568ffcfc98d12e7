//! Decides whether two expressions are equal. The exact procedure comes first, then enumeration, then samples, then a
//! solver.

use super::exact;
use super::options::Options;
use super::question::{Checker, Question};
use super::sample;
#[cfg(feature = "smt")]
use super::smt;
use super::verdict::{Decision, Method, Outcome, Verdict, Why, Work};
use super::without_quotients;
use quaff_expr::domain::Domain;
use quaff_expr::expr::{Expr, select};

/// Decides whether `a` and `b` are equal wherever `a` has a value, with the default [`Options`].
///
/// ```
/// use quaff_expr::domain::Domain;
/// use quaff_expr::expr::{Expr, var};
/// use quaff_quasi::{Verdict, equivalent};
///
/// // ranges may be open and their ends symbolic
/// let domain = Domain::new().with("n", 1..=64).with("i", (0, var("n") - 1)).with("x", ..);
/// let (a, b): (Expr, Expr) = ("(x*n + i) // n + x%6//2".parse()?, "x + x//2 - 3*(x//6)".parse()?);
/// assert_eq!(equivalent(&a, &b, &domain), Verdict::Equal);
/// # Ok::<(), quaff_expr::expr::ParseError>(())
/// ```
pub fn equivalent(a: &Expr, b: &Expr, domain: &Domain) -> Verdict {
    decide(a, b, domain, &Options::default()).verdict
}

/// Decides as [`equivalent`] does, within limits, and also reports the method that found the verdict.
///
/// Points that [`Domain::assume`] excludes do not count.
///
/// Expressions with the same text are equal, regardless of their size, their ranges and the points without a value.
///
/// The time is linear in the size of both expressions. In addition, it is limited by [`Options::max_steps`] of algebra,
/// [`Options::max_evaluations`] of operators, [`Options::samples`] evaluations (fewer for large expressions), and
/// [`Options::smt_timeout`]. Most index expressions take microseconds.
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
        // enumerating each expression may need fewer points than enumerating the difference
        let limited = matches!(outcome, Outcome::Unknown(Why::TooManySteps { .. } | Why::TooManyEvaluations { .. }));
        let other = limited
            || matches!(outcome, Outcome::Unknown(Why::Unrepresentable | Why::Overflow | Why::TooManyPoints { .. }));
        if !question.total || other {
            method = Method::Enumeration;
            let (second, more) = without_quotients::enumerate(question, options, true);
            work = work.plus(more);
            // if both methods fail, the reason of the exact procedure is reported, because it is the more useful one
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

/// Compares `a` and `b` at every point of the domain, one after the other, without using their structure. This is the
/// slow and simple reference for [`decide`].
///
/// The time is the number of points times the number of operators. The verdict is [`Verdict::Undecided`] if there are
/// more points than [`Options::max_points`] or if a range has an open end.
pub fn enumerate(a: &Expr, b: &Expr, domain: &Domain, options: &Options) -> Decision {
    with_question(a, b, domain, |question, checker| {
        let (outcome, work) = without_quotients::enumerate(question, options, false);
        conclude(checker, outcome, Method::Enumeration, work)
    })
}

/// Writes the question whether `a` and `b` are equal as SMT-LIB text for a solver. The expressions are equal if the
/// solver answers `unsat`. `None` if an operator is not supported, if ranges contradict each other, and without the
/// feature `smt`.
///
/// The time is linear in the number of shared nodes of both expressions.
pub fn smt_text(a: &Expr, b: &Expr, domain: &Domain) -> Option<String> {
    let question = question(a, b, domain).ok()?;
    #[cfg(feature = "smt")]
    {
        smt::written(&question)
    }
    #[cfg(not(feature = "smt"))]
    {
        let _ = question;
        None
    }
}

fn with_question(
    a: &Expr,
    b: &Expr,
    domain: &Domain,
    decide: impl Fn(&Question, &Checker<'_>) -> Decision,
) -> Decision {
    let question = match question(a, b, domain) {
        Ok(question) => question,
        Err(why) => return Decision::not_asked(why),
    };
    match question.checker() {
        Ok(checker) => decide(&question, &checker),
        Err(why) => Decision::not_asked(why),
    }
}

/// Builds the question for `a` and `b`.
fn question(a: &Expr, b: &Expr, domain: &Domain) -> Result<Question, Why> {
    let domain = &*domain.seen_from(&[a.clone(), b.clone()]);
    // where the assumptions do not hold, the value of each expression is taken as 0
    let inside = |e: &Expr| {
        let condition = domain.assumptions().iter().cloned().reduce(|c, d| c.and(d));
        condition.map_or_else(|| e.clone(), |c| select(c, e.clone(), 0))
    };
    Question::new(&inside(a), &inside(b), domain)
}

/// Confirms a difference by evaluating both expressions, because the difference may depend on a value that exceeds 128
/// bits. The witness is then moved to small values.
fn conclude(checker: &Checker<'_>, outcome: Outcome, method: Method, work: Work) -> Decision {
    match outcome {
        Outcome::Equal => Decision::new(Verdict::Equal, method, work),
        Outcome::Differs(point) => match checker.small_witness(&point) {
            Some(witness) => Decision::new(Verdict::Differs { witness }, method, work),
            None => Decision::undecided(Why::Overflow, work),
        },
        Outcome::Unknown(why) => Decision::undecided(why, work),
    }
}

#[cfg(feature = "smt")]
fn solve(question: &Question, checker: &Checker<'_>, options: &Options, so_far: Decision) -> Decision {
    if options.smt_timeout.is_zero() {
        return so_far;
    }
    let work = Work { points: so_far.points, steps: so_far.steps, evaluations: so_far.evaluations };
    match smt::solve(question, options.smt_timeout) {
        // if no solver decided, the reason of the exact procedure is the more useful one
        None => so_far,
        Some(Outcome::Unknown(why)) => Decision::undecided(why, work),
        Some(outcome) => conclude(checker, outcome, Method::Solver, work),
    }
}

#[cfg(not(feature = "smt"))]
fn solve(_: &Question, _: &Checker<'_>, _: &Options, so_far: Decision) -> Decision {
    so_far
}
