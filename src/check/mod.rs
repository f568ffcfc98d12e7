//! Whether rules are right: every rule on instances made from its own text.
//!
//! An instance is an expression that the rule's pattern matches, its constants from a grid and its sums and variables of
//! small shapes, with a domain that satisfies the guards or just violates them. The engine runs on it with that one rule;
//! each single match, each step taken one after the other, and the answer are compared by [`crate::quasi`], which knows
//! nothing of rules. Everything is
//! determined by the rule's text and [`Options::seed`].
//!
//! ```
//! use quaff::check::{Options, Status, check_rule};
//! use quaff::rules::RuleSet;
//!
//! let text = r#"(rule careless "the remainder is dropped"
//!                 (match (// (+ (* #c ?x) ?r...) #n)) (when (> #n 1) (divides #n #c))
//!                 (yield (* (/ #c #n) ?x)))"#;
//! let report = check_rule(&RuleSet::parse("example.rules", text)?.rules()[0], &Options::default());
//! assert_eq!(report.status, Status::Unsound);
//! println!("{}", report.counterexample.unwrap());
//! # Ok::<(), quaff::rules::RuleErrors>(())
//! ```
//!
//! # Limits
//! A rule that passes has met no counterexample among its instances: strong evidence, no proof. Each instance of a rule
//! without symbolic divisors or products is decided for all points of its domain.

mod instance;
mod random;

use crate::expr::Expr;
use crate::quasi::{self, Verdict, Witness};
use crate::rules::read::{Datum, read};
use crate::rules::{Place, Rule, RuleSet};
use crate::simplify::Simplifier;
use instance::{Generator, Instance};
use random::Random;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

/// How much is tried.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Instances made of each rule at the most: 6,000 by default.
    pub tries: usize,
    /// Instances on which the rule fires, after which it counts as checked: 200 by default.
    pub fired: usize,
    /// Determines the instances.
    pub seed: u64,
    /// The limits of each comparison; no solver is asked by default.
    pub decide: quasi::Options,
}

impl Default for Options {
    fn default() -> Options {
        let decide = quasi::Options {
            max_points: 1 << 16,
            samples: 256,
            threads: NonZeroUsize::MIN,
            smt_timeout: Duration::ZERO,
            ..quasi::Options::default()
        };
        Options { tries: 6_000, fired: 200, seed: 1, decide }
    }
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It fired, and no step was wrong.
    Sound,
    /// A step was wrong.
    Unsound,
    /// It fired on no instance.
    NeverFired,
    /// It matched, but the engine knew all that it said, from normal forms and facts.
    NoChange,
    /// It fired, but no step could be compared at all points.
    Undecided,
}

impl Status {
    /// `"sound"`, `"unsound"`, `"never fired"`, `"changes nothing"` or `"undecided"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Sound => "sound",
            Status::Unsound => "unsound",
            Status::NeverFired => "never fired",
            Status::NoChange => "changes nothing",
            Status::Undecided => "undecided",
        }
    }
}

/// Two expressions that a rule takes for equal and that are not.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Counterexample {
    /// What the engine was given.
    pub input: Expr,
    /// What is known of the variables, in the form of [`Domain::declare`](crate::domain::Domain::declare).
    pub domain: Vec<String>,
    /// What the rule matched.
    pub before: Expr,
    /// What it wrote.
    pub after: Expr,
    /// A point at which they differ.
    pub witness: Witness,
}

impl fmt::Display for Counterexample {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "input:  {}", self.input)?;
        writeln!(f, "domain: {}", self.domain.join(", "))?;
        writeln!(f, "before: {}", self.before)?;
        writeln!(f, "after:  {}", self.after)?;
        write!(f, "at:     {}", self.witness)
    }
}

/// What was found out about one rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RuleReport {
    /// The rule's name.
    pub name: String,
    /// The file that it came from.
    pub file: String,
    /// Where in the file it begins.
    pub place: Place,
    /// The outcome.
    pub status: Status,
    /// Instances given to the engine.
    pub tried: usize,
    /// Instances on which the rule fired.
    pub fired: usize,
    /// Steps compared at all points of their domains.
    pub decided: usize,
    /// Steps compared at some points only.
    pub sampled: usize,
    /// Of an unsound rule.
    pub counterexample: Option<Counterexample>,
}

impl RuleReport {
    /// Whether the rule is sound.
    pub fn passed(&self) -> bool {
        self.status == Status::Sound
    }
}

impl fmt::Display for RuleReport {
    /// One line, and the counterexample below it, if there is one.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleReport { name, status, tried, fired, decided, sampled, .. } = self;
        write!(f, "{}\t{name}\ttried {tried}, fired {fired}, decided {decided}, sampled {sampled}", status.as_str())?;
        match &self.counterexample {
            Some(c) => write!(f, "\n  {}", c.to_string().replace('\n', "\n  ")),
            None => Ok(()),
        }
    }
}

/// Checks all rules of a set, one after the other.
pub fn check(rules: &RuleSet, options: &Options) -> Vec<RuleReport> {
    rules.rules().iter().map(|r| check_rule(r, options)).collect()
}

/// Remainders enter the engine by their definition; this one writes them, for rules that match them.
const COMPANION: &str = r#"(rule written-remainder "the definition of x % n"
  (match (+ (* #b (// ?x... ?n)) ?r...))
  (for #a (ratios ?r ?x))
  (yield (+ (- ?r (* #a ?x)) (* #a (% ?x ?n)) (* #a ?n (// ?x ?n)) (* #b (// ?x ?n)))))"#;

/// Checks one rule.
///
/// Time: at most [`Options::tries`] calls of the engine and the comparison of their steps; a tenth of a second for most
/// rules.
pub fn check_rule(rule: &Rule, options: &Options) -> RuleReport {
    let mut report = RuleReport {
        name: rule.name().into(),
        file: rule.file().into(),
        place: rule.place(),
        status: Status::NeverFired,
        tried: 0,
        fired: 0,
        decided: 0,
        sampled: 0,
        counterexample: None,
    };
    let Some(pattern) = pattern_of(rule) else { return report };
    // the text has been compiled before
    let Ok(rules) = RuleSet::parse(rule.file(), rule.text()) else { return report };
    let alone = Simplifier::default().with_rules(rules.clone());
    let companion = RuleSet::parse("companion", COMPANION).ok().filter(|_| pattern.to_string().contains("(% "));
    let rules = companion.map_or(rules.clone(), |c| rules.and(c));
    let engine = Simplifier::default().with_rules(rules).with_trace(true);
    let mut instances = Generator::new(&pattern, Random::new(options.seed, rule.text()));
    let mut changed = false;
    for _ in 0..options.tries {
        if report.fired >= options.fired {
            break;
        }
        let Some(instance) = instances.next() else { continue };
        let Ok(answer) = engine.simplify(&instance.expr, &instance.domain) else { continue };
        let direct = alone.matches(&instance.expr, &instance.domain).unwrap_or_default();
        report.tried += 1;
        let own: Vec<_> = answer.trace().iter().filter(|s| s.rule == rule.name()).collect();
        let direct: Vec<_> = direct.iter().filter(|s| s.rule == rule.name()).collect();
        if own.is_empty() && direct.is_empty() {
            continue;
        }
        report.fired += 1;
        changed |= !own.is_empty();
        let steps = direct.iter().chain(&own).map(|s| (&s.before, &s.after)).chain([(&instance.expr, answer.expr())]);
        let mut wrong = None;
        for (before, after) in steps {
            match quasi::decide(before, after, &instance.domain, &options.decide).verdict {
                Verdict::Equal => report.decided += 1,
                Verdict::Undecided { .. } => report.sampled += 1,
                Verdict::Differs { witness } => {
                    wrong = Some((before.clone(), after.clone(), witness));
                    break;
                }
            }
        }
        if let Some((before, after, witness)) = wrong {
            let Instance { expr: input, declarations: domain, .. } = instance;
            report.counterexample = Some(Counterexample { input, domain, before, after, witness });
            report.status = Status::Unsound;
            return report;
        }
    }
    report.status = match report.fired {
        0 => Status::NeverFired,
        _ if !changed => Status::NoChange,
        _ if report.decided == 0 => Status::Undecided,
        _ => Status::Sound,
    };
    report
}

fn pattern_of(rule: &Rule) -> Option<Datum> {
    let (data, _) = read(rule.text());
    let clauses = data.first()?.list()?;
    let matched = clauses.iter().filter_map(Datum::list).find(|c| c.first().and_then(Datum::word) == Some("match"))?;
    matched.get(1).cloned()
}
