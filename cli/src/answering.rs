//! The options with which commands simplify, trace and check their answers.

use crate::answer;
use crate::exact::Limits;
use crate::report::{Failure, shortened};
use crate::rule_folders::AnswerRules;
use crate::target::TargetName;
use clap::{Arg, Args, Command};
use quaff::access::{Access, SimplifiedAccesses};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::lower::{Compared, Sampling};
use quaff::quasi::{Options, Verdict, decide};
use quaff::{CompareError, Simplifier, Step};

/// Rules, target machine, and whether answers are traced and checked: the options of every command that simplifies.
#[derive(Args)]
pub(crate) struct Answering {
    #[command(flatten)]
    rules: AnswerRules,

    #[command(flatten)]
    target: TargetName,

    /// Show the rules that fired, and the cost, on standard error. For one expression, the rules that the answer needs are
    /// marked
    #[arg(long)]
    trace: bool,

    /// Check each answer by a procedure that uses no rules. Answers found with rules that are not built in are always checked, unless
    /// --trust-rules is given. CUDA, C and Rust text of expressions and accesses is also run with its machine types, at corners of the
    /// ranges and at random points. A wrong answer is reported and not printed. The exit code is then 65 if a rule of --rules or
    /// --add-rules is at fault, and 70 (a bug) otherwise
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    limits: Limits,
}

/// `arg` after `change` if it is one of the options of [`Answering`], otherwise `arg` itself.
pub(crate) fn if_shared(arg: Arg, change: impl FnOnce(Arg) -> Arg) -> Arg {
    let shared = Answering::augment_args(Command::new(""));
    if shared.get_arguments().any(|option| option.get_id() == arg.get_id()) { change(arg) } else { arg }
}

impl Answering {
    /// The simplifier with the rules and limits that the options select.
    pub(crate) fn simplifier(&self) -> Result<Simplifier, Failure> {
        let simplifier = Simplifier::default().for_target(self.target.table()).with_trace(self.trace);
        self.rules.given_to(simplifier)
    }

    /// Whether answers are checked: on request, and with rules that are not built in.
    pub(crate) fn checks(&self) -> Result<bool, Failure> {
        Ok(self.verify || self.rules.are_compared(&self.rules.set()?))
    }

    /// Whether the rules that fired are shown.
    pub(crate) fn traces(&self) -> bool {
        self.trace
    }

    /// The limits of a check.
    pub(crate) fn options(&self) -> Options {
        self.limits.options()
    }

    /// With `--trace`, prints `steps` and then the line `end` on standard error. A step that occurs twice is printed
    /// once.
    pub(crate) fn show<'s>(&self, steps: impl IntoIterator<Item = &'s Step>, end: &str) {
        if self.trace {
            eprint!("{}", answer::steps(steps, None));
            eprintln!("{end}");
        }
    }

    /// With `--verify`, checks that `answer` is equal to `asked`.
    pub(crate) fn check(&self, asked: &[Access], answer: &SimplifiedAccesses, domain: &Domain) -> Result<(), Failure> {
        if !self.verify {
            return Ok(());
        }
        for (before, after, inside) in asked.iter().zip(answer.accesses()).flat_map(|(a, b)| a.compared_with(b, domain))
        {
            self.check_equal([&before], &after, &inside)?;
        }
        ran(answer.compare_machine(asked, domain, Sampling::default()))
    }

    /// With `--verify`, checks that `after` equals one of `forms` everywhere in `domain`. A check without a decision is
    /// reported on standard error.
    pub(crate) fn check_equal<'e>(
        &self,
        forms: impl IntoIterator<Item = &'e Expr>,
        after: &Expr,
        domain: &Domain,
    ) -> Result<(), Failure> {
        let mut why = None;
        for before in forms.into_iter().filter(|_| self.verify) {
            let verdict = decide(before, after, domain, &self.limits.options()).verdict;
            if verdict == Verdict::Equal {
                return Ok(());
            }
            why = Some((before, verdict));
        }
        let after = shortened(&after.to_string());
        match why {
            None => Ok(()),
            Some((_, verdict @ Verdict::Undecided { .. })) => {
                eprintln!("quaff: not verified: `{after}`: {verdict}");
                Ok(())
            }
            Some((before, verdict)) => {
                Err(wrong(&format!("`{}` became `{after}`: {verdict}", shortened(&before.to_string()))))
            }
        }
    }
}

/// Reports a text that computes a wrong value. Other errors are ignored, because the code that prints the text reports
/// them.
fn ran(compared: Result<Compared, CompareError>) -> Result<(), Failure> {
    match compared.map(|compared| compared.mismatch) {
        Ok(Some(mismatch)) => Err(wrong(&format!("the CUDA text is different at {mismatch}"))),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Reports that an answer is wrong.
fn wrong(why: &str) -> Failure {
    eprintln!("quaff: internal error, please report it with the input: {why}");
    Failure::Wrong
}
