//! How commands find their answers, show how they were found, and check them.

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

    /// Show which rules fired, and the cost, on standard error
    #[arg(long)]
    trace: bool,

    /// Check each answer by a procedure that knows nothing of the rules, as is done in any case for rules that are not built in. CUDA, C and
    /// Rust text of expressions and accesses is run in its machine types at corners and random points as well. What is wrong is reported and
    /// not printed (exit code 65 when a rule of --rules or --add-rules is at fault, else 70: a bug)
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    limits: Limits,
}

/// `arg` after `change`, where it is one of the options of [`Answering`].
pub(crate) fn if_shared(arg: Arg, change: impl FnOnce(Arg) -> Arg) -> Arg {
    let shared = Answering::augment_args(Command::new(""));
    if shared.get_arguments().any(|option| option.get_id() == arg.get_id()) { change(arg) } else { arg }
}

impl Answering {
    /// The simplifier that answers are found with.
    pub(crate) fn simplifier(&self) -> Result<Simplifier, Failure> {
        let simplifier = Simplifier::default().for_target(self.target.table()).with_trace(self.trace);
        self.rules.given_to(simplifier)
    }

    /// Whether answers are checked: on request, and under rules that are not built in.
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

    /// With `--trace`, shows `steps` on standard error, each once, and the line `end`.
    pub(crate) fn show<'s>(&self, steps: impl IntoIterator<Item = &'s Step>, end: &str) {
        if self.trace {
            eprint!("{}", answer::steps(steps));
            eprintln!("{end}");
        }
    }

    /// Checks `answer` to `asked`, with `--verify`.
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

    /// Checks that `after` has the values of one of `forms` everywhere in `domain`, with `--verify`. What is undecided is said on standard
    /// error.
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

/// The outcome of running a text. One that cannot be made is reported where it is printed.
fn ran(compared: Result<Compared, CompareError>) -> Result<(), Failure> {
    match compared.map(|compared| compared.mismatch) {
        Ok(Some(mismatch)) => Err(wrong(&format!("the CUDA text is different at {mismatch}"))),
        Ok(None) | Err(_) => Ok(()),
    }
}

/// Reports an answer that is wrong.
fn wrong(why: &str) -> Failure {
    eprintln!("quaff: internal error, please report it with the input: {why}");
    Failure::Wrong
}
