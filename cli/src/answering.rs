//! How the accesses of a command are simplified, and checked.

use crate::exact::Limits;
use crate::report::{Failure, shortened};
use crate::rule_folders::AnswerRules;
use crate::target::TargetName;
use quaff::Simplifier;
use quaff::access::{Access, SimplifiedAccesses};
use quaff::domain::Domain;
use quaff::lower::Sampling;
use quaff::quasi::{Verdict, decide};

/// Rules, target machine, and whether answers are checked.
#[derive(clap::Args)]
pub(crate) struct Answering {
    #[command(flatten)]
    rules: AnswerRules,

    #[command(flatten)]
    target: TargetName,

    /// Check each gate, and each index wherever its gate holds, by a procedure that knows nothing of the rules, and run the CUDA text in its
    /// machine types at corners and random points. Nothing is printed where one is wrong (exit code 70: a bug)
    #[arg(long)]
    verify: bool,

    #[command(flatten)]
    limits: Limits,
}

impl Answering {
    /// The simplifier that answers are found with.
    pub(crate) fn simplifier(&self) -> Result<Simplifier, Failure> {
        self.rules.given_to(Simplifier::default().for_target(self.target.table()))
    }

    /// Checks `answer` to `asked`, with `--verify`. What is undecided is said on standard error.
    pub(crate) fn check(&self, asked: &[Access], answer: &SimplifiedAccesses, domain: &Domain) -> Result<(), Failure> {
        if !self.verify {
            return Ok(());
        }
        let options = self.limits.options();
        let pairs = asked.iter().zip(answer.accesses()).flat_map(|(a, b)| a.compared_with(b, domain));
        for (before, after, inside) in pairs {
            let verdict = decide(&before, &after, &inside, &options).verdict;
            let (before, after) = (shortened(&before.to_string()), shortened(&after.to_string()));
            match verdict {
                Verdict::Equal => {}
                Verdict::Undecided { .. } => eprintln!("quaff: not verified: `{after}`: {verdict}"),
                Verdict::Differs { .. } => {
                    let wrong = format!("`{before}` became `{after}`: {verdict}");
                    eprintln!("quaff: internal error, please report it with the input: {wrong}");
                    return Err(Failure::Wrong);
                }
            }
        }
        // a text that cannot be made is reported where it is printed
        match answer.compare_machine(asked, domain, Sampling::default()).map(|compared| compared.mismatch) {
            Ok(Some(mismatch)) => {
                eprintln!(
                    "quaff: internal error, please report it with the input: the CUDA text is different at {mismatch}"
                );
                Err(Failure::Wrong)
            }
            Ok(None) | Err(_) => Ok(()),
        }
    }
}
