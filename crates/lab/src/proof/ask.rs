//! Asks an SMT solver whether one rule is right, and evaluates its answers.

use super::bits::masked;
use super::encode::{Encoder, How, POWERS, Stop};
use super::outcome::Proof;
use easy_smt::{Response, SExpr};
use quaff::internals::rules::{Datum, Instr, code, operator, read};
use quaff::quasi::solver::{Session, Solver, read_number};
use quaff::rules::Rule;
use rustc_hash::FxHashMap;
use std::time::{Duration, Instant};

/// The time limit of all cases of a rule together, as a multiple of the limit of one question.
const CASES: u32 = 12;

/// Values of the constants in a rule. They are tried if the solver does not decide the rule for all constants.
const CONSTANTS: [i64; 8] = [2, 3, 4, 6, 12, 1, -1, -2];
/// The number of proved choices of constants after which no further choice is tried.
const ENOUGH: usize = 120;

/// Masks of 1 to 31 adjacent bits at several positions, and masks of all bits except some lowest bits.
fn masks() -> impl Iterator<Item = i64> {
    let widths = [1, 2, 3, 5, 8, 16, 31];
    let places = [0, 1, 2, 3, 8, 16, 31];
    let fields = widths.into_iter().flat_map(move |w| places.into_iter().map(move |p| ((1 << w) - 1) << p));
    fields.chain(widths.into_iter().map(|w| -(1 << w))).chain([i64::MAX, i64::MIN])
}

/// The questions about a rule, as SMT-LIB text. Each result of the rule has two questions: one with only the simple
/// guards, and one with all guards. The result is right if the answer to either question is `unsat`.
///
/// # Errors
/// The reason why the rule cannot be written as a question.
pub(crate) fn written(rule: &Rule) -> Result<Vec<[String; 2]>, String> {
    is_short(rule)?;
    let results = code(rule).iter().filter(|i| matches!(i, Instr::Yield(_))).count();
    let one = |which: usize, how: How| -> Result<String, Stop> {
        let mut paper = Session::on_paper()?;
        let mut encoder = Encoder::new(&mut paper, how, &[]);
        let wrong = encoder.wrong(operator(rule), code(rule), which)?;
        encoder.assert(wrong.ok_or(Stop::Unsupported("rules without a result"))?)?;
        encoder.c.check()?;
        Ok(paper.written().unwrap_or_default().to_string())
    };
    let why = |stop: Stop| match stop {
        Stop::Io(error) => error.to_string(),
        Stop::Unsupported(what) => what.to_string(),
    };
    (0..results)
        .map(|which| Ok([one(which, How::Lean)?, one(which, How::Full)?]))
        .collect::<Result<_, _>>()
        .map_err(why)
}

/// The most operations of a clause of a rule after each name is replaced by its value. A question contains all of these
/// operations.
const MAX_OPERATIONS: usize = 10_000;

/// Returns an error if a term of the rule is too long for a question.
fn is_short(rule: &Rule) -> Result<(), String> {
    fn size(datum: &Datum, known: &FxHashMap<&str, usize>) -> usize {
        match datum {
            Datum::List(_, items) => items.iter().fold(0, |sum, d| sum.saturating_add(size(d, known))),
            Datum::Word(_, word) => known.get(&word[..]).copied().unwrap_or(1),
            Datum::Text(..) => 1,
        }
    }
    let (data, _) = read(rule.text());
    let mut known = FxHashMap::default();
    for clause in data.first().and_then(Datum::list).unwrap_or_default() {
        let size = size(clause, &known);
        if size > MAX_OPERATIONS {
            return Err(format!("terms of more than {MAX_OPERATIONS} operations"));
        }
        if let Some([word, Datum::Word(_, name), _]) = clause.list()
            && word.word() == Some("let")
        {
            known.insert(name, size);
        }
    }
    Ok(())
}

enum Answer {
    Holds,
    /// The rule holds for this number of choices of constants.
    HoldsFor(usize),
    /// The solver found integers for which the two sides of the rule differ. The text says why the rule may still be
    /// right.
    MayDiffer(String),
    Unknown(String),
}

pub(super) fn prove(solvers: &[(Solver, String)], timeout: Duration, rule: &Rule) -> Proof {
    if let Err(what) = is_short(rule) {
        return Proof::None { why: format!("{what} are not asked about") };
    }
    let yields = code(rule).iter().filter(|i| matches!(i, Instr::Yield(_))).count();
    let mut why = String::from("it has no result");
    for by_constants in [false, true] {
        for (solver, version) in solvers {
            let solver_of = || version.clone();
            match (Question { solver, timeout, rule, by_constants }).results(yields) {
                Answer::Holds => return Proof::AllIntegers { solver: solver_of() },
                Answer::HoldsFor(choices) => return Proof::Constants { solver: solver_of(), choices },
                Answer::MayDiffer(w) => return Proof::None { why: w },
                Answer::Unknown(w) => why = w,
            }
        }
    }
    Proof::None { why }
}

struct Question<'q> {
    solver: &'q Solver,
    timeout: Duration,
    rule: &'q Rule,
    by_constants: bool,
}

impl Question<'_> {
    /// The answer for all results of the rule.
    fn results(&self, count: usize) -> Answer {
        let mut fewest = None;
        for which in 0..count {
            match self.result(which) {
                Answer::Holds => {}
                Answer::HoldsFor(n) => fewest = Some(fewest.map_or(n, |f: usize| f.min(n))),
                other => return other,
            }
        }
        fewest.map_or(Answer::Holds, Answer::HoldsFor)
    }

    /// The answer for result number `which` of the rule.
    fn result(&self, which: usize) -> Answer {
        let answer = match self.by_constants {
            true => self.for_constants(which),
            false => match self.at_once(which, How::Lean) {
                Ok(Some(Answer::Holds)) => Ok(Answer::Holds),
                _ => match self.at_once(which, How::Full) {
                    Ok(None) => self.by_cases(which),
                    Ok(Some(answer)) => Ok(answer),
                    Err(e) => Err(e),
                },
            },
        };
        let answer = match answer {
            Ok(Answer::Holds) if self.says_nothing(which) => {
                Ok(Answer::MayDiffer("no values satisfy its guards".into()))
            }
            answer => answer,
        };
        match answer {
            Ok(a) => a,
            // at its time limit, a solver ends or is killed by this process
            Err(Stop::Io(e)) => Answer::Unknown(format!("the solver came to no end: {e}")),
            Err(Stop::Unsupported(what)) => Answer::Unknown(format!("{what} are not asked about")),
        }
    }

    /// Whether the assertions contradict each other. Then a proof would be worthless, because everything follows from a
    /// contradiction.
    fn says_nothing(&self, which: usize) -> bool {
        let limit = self.timeout.min(Duration::from_secs(1));
        matches!(self.with(limit, How::Full, which, &[], |e, _| Ok(e.c.check()?)), Ok(Response::Unsat))
    }

    /// Asks one question about all integers. `None` if the power of two in the rule must be tried value by value.
    fn at_once(&self, which: usize, how: How) -> Result<Option<Answer>, Stop> {
        self.with(self.timeout, how, which, &[], |e, wrong| {
            if e.powers.len() == 1 {
                return Ok(None);
            }
            e.assert(wrong)?;
            answer(e).map(Some)
        })
    }

    /// Asks one question for each value of an integer that guards restrict to powers of two. Its value must determine
    /// all constants of the rule, which have 64 bits.
    fn by_cases(&self, which: usize) -> Result<Answer, Stop> {
        let choices = self.with(self.timeout.saturating_mul(CASES), How::Full, which, &[], |e, _| {
            let Some(power) = e.powers.first().copied() else { return Ok(None) };
            let (lo, hi) = (e.number(i64::MIN), e.number(i64::MAX));
            for (_, c) in e.chosen.clone() {
                e.assert(e.c.and(e.c.lte(lo, c), e.c.lte(c, hi)))?;
            }
            let mut choices = Vec::new();
            for k in POWERS {
                e.c.push()?;
                let value = e.c.numeral(1u64 << k);
                e.equal(power, value)?;
                if e.c.check()? != Response::Unsat {
                    let mut given = Vec::new();
                    for (name, c) in e.chosen.clone() {
                        let Some(value) = only_value(e, c)? else { return Ok(None) };
                        given.push((name, value));
                    }
                    choices.push(given);
                }
                e.c.pop()?;
            }
            Ok(Some(choices))
        })?;
        let Some(choices) = choices else {
            return Ok(Answer::Unknown("its powers of two leave constants open".into()));
        };
        for given in choices {
            match self.with(self.timeout, How::Full, which, &given, case)? {
                Answer::Holds => {}
                other => return Ok(other),
            }
        }
        Ok(Answer::Holds)
    }

    /// Asks one question for each of some choices of the constants. With numbers in place of the constants, a question
    /// is linear.
    fn for_constants(&self, which: usize) -> Result<Answer, Stop> {
        let names = self.with(self.timeout, How::Full, which, &[], |e, _| {
            let mut names: Vec<String> = e.chosen.iter().map(|c| c.0.clone()).collect();
            names.dedup();
            Ok((names, !e.common.is_empty()))
        })?;
        let (names, bits) = names;
        let masks = masks().take(if bits { usize::MAX } else { 0 });
        let values: Vec<i64> = CONSTANTS.into_iter().chain(masks).collect();
        // `None` if the end is beyond the range of the clock. Then there is no limit
        let end = Instant::now().checked_add(self.timeout.saturating_mul(CASES) / 3);
        let mut asked = 0;
        let choices = values.len().pow(names.len().min(8) as u32);
        // this order visits all choices, and successive choices differ in every constant
        let stride = (choices / 3 * 2 + 1) | 1;
        for i in 0..choices {
            if asked >= ENOUGH || end.is_some_and(|end| Instant::now() >= end) {
                break;
            }
            let mut rest = i.wrapping_mul(stride) % choices;
            let given: Vec<(String, i64)> = names
                .iter()
                .map(|n| {
                    let value = values[rest % values.len()];
                    rest /= values.len();
                    (n.clone(), value)
                })
                .collect();
            let answer = self.with(self.timeout, How::Full, which, &given, |e, wrong| {
                if e.c.check()? == Response::Unsat {
                    return Ok(None);
                }
                case(e, wrong).map(Some)
            });
            match answer {
                // a choice that does not satisfy the hypotheses, or that takes too long, does not count
                Ok(None) | Err(Stop::Io(_)) => {}
                Ok(Some(Answer::Holds)) => asked += 1,
                Ok(Some(other)) => return Ok(other),
                Err(e) => return Err(e),
            }
        }
        if asked == 0 { Ok(Answer::Unknown("no constants fit".into())) } else { Ok(Answer::HoldsFor(asked)) }
    }

    fn with<T>(
        &self,
        limit: Duration,
        how: How,
        which: usize,
        given: &[(String, i64)],
        f: impl FnOnce(&mut Encoder<'_, '_>, SExpr) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let mut context = self.solver.start(limit)?;
        let mut encoder = Encoder::new(&mut context, how, given);
        let wrong = encoder.wrong(operator(self.rule), code(self.rule), which)?;
        let wrong = wrong.ok_or(Stop::Unsupported("rules without a result"))?;
        f(&mut encoder, wrong)
    }
}

fn answer(e: &mut Encoder<'_, '_>) -> Result<Answer, Stop> {
    Ok(match e.c.check()? {
        Response::Unsat => Answer::Holds,
        Response::Unknown => Answer::Unknown("the solver gave up".into()),
        Response::Sat => Answer::MayDiffer("what makes it right is not in the question".into()),
    })
}

/// Asks the question for one choice of constants, with which masks are numbers.
fn case(e: &mut Encoder<'_, '_>, wrong: SExpr) -> Result<Answer, Stop> {
    for [a, b, common] in e.common.clone() {
        for (mask, x) in [(a, b), (b, a)] {
            if let Some(mask) = read_number(e.c, mask) {
                masked(e, x, mask, common)?;
                break;
            }
        }
    }
    e.assert(wrong)?;
    answer(e)
}

/// The value of `x` if no other value is possible.
fn only_value(e: &mut Encoder<'_, '_>, x: SExpr) -> Result<Option<i64>, Stop> {
    if let Some(value) = read_number(e.c, x) {
        return Ok(Some(value));
    }
    if e.c.check()? != Response::Sat {
        return Ok(None);
    }
    let values = e.c.get_value(&[x])?;
    let Some(value) = values.first().and_then(|v| read_number(e.c, *v)) else { return Ok(None) };
    e.c.push()?;
    let literal = e.number(value);
    e.assert(e.c.not(e.c.eq(x, literal)))?;
    let only = e.c.check()? == Response::Unsat;
    e.c.pop()?;
    Ok(only.then_some(value))
}
