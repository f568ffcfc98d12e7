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
//! [`mutants`] are rules with a guard left out, which the checker must reject or a solver prove; [`fingerprint`] says whether a
//! recorded result is about a rule as it is. The crate `quaff-lab` asks an SMT solver whether a rule holds for all integers.
//!
//! # Limits
//! A rule that passes has met no counterexample among its instances, which include the numbers in its text, their neighbours and large
//! ones. It is not refuted, and not proved. Each instance of a rule
//! without symbolic divisors or products is decided for all points of its domain. What a proof takes for granted stands in
//! `docs/trust.md`.

mod blame;
mod fingerprint;
mod instance;
mod mutant;
mod random;
mod remark;

use crate::expr::Expr;
use crate::quasi::{self, Verdict, Witness};
use crate::rules::read::{Datum, read};
use crate::rules::{Position, Rule, RuleSet};
use crate::simplify::{Settings, matches, simplify_all};
use instance::{Generator, Instance};
use random::Random;
use remark::{Others, costlier};
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

pub(crate) use blame::culprits;
pub use fingerprint::fingerprint;
pub use mutant::{Mutant, mutants};

/// What was found out about the shipped rules, as `quaff rules check --record` writes it: JSON text.
pub const SHIPPED_RECORD: &str = include_str!("../../rules/proofs.json");

/// How much is tried.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Instances made of each rule at the most: 6,000 by default.
    pub tries: usize,
    /// Instances on which the rule fires, after which it counts as checked: 200 by default.
    pub fired: usize,
    /// Instances on which the other rules are asked whether they find the same: 20 by default, 0 asks nothing.
    pub compared: usize,
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
        Options { tries: 6_000, fired: 200, compared: 20, seed: 1, decide }
    }
}

/// What became of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// It fired, and no step was wrong on the instances that were tried. That is no proof.
    NotRefuted,
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
    /// `"not refuted"`, `"unsound"`, `"never fired"`, `"changes nothing"` or `"undecided"`.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::NotRefuted => "not refuted",
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
    pub position: Position,
    /// The outcome.
    pub status: Status,
    /// Instances given to the engine.
    pub tried: usize,
    /// Instances on which the rule fired.
    pub fired: usize,
    /// Further instances on which it fired, with the numbers in its text, their neighbours and large ones.
    pub fired_on_numbers: usize,
    /// Steps compared at all points of their domains.
    pub decided: usize,
    /// Steps compared at some points only.
    pub sampled: usize,
    /// Instances, of those on which the rule fired, on which what it wrote costs more than what it matched under
    /// [`Gpu`](crate::cost::Gpu), operands in their cheapest form.
    pub costlier: usize,
    /// The instances on which the other rules were asked, when they find the same in all of them: they take both sides of
    /// each step for equal, and their answer costs no more. `None` when they miss one or were not asked
    /// ([`check_rule`]).
    pub subsumed: Option<usize>,
    /// Of an unsound rule.
    pub counterexample: Option<Counterexample>,
    /// Why the rule is kept although it changes nothing, is costlier or subsumed, as it says itself.
    pub because: Option<String>,
}

impl RuleReport {
    /// Whether the rule is not refuted, and is of use or says why it is kept.
    pub fn passed(&self) -> bool {
        self.status == Status::NotRefuted || (self.status == Status::NoChange && self.because.is_some())
    }

    /// What is worth saying of a rule that is not wrong and changes something, and fails no check: that it makes more than
    /// half of its instances costlier and does not say what that is good for, `(because "...")`; that the other rules find
    /// the same.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if !matches!(self.status, Status::NotRefuted | Status::Undecided) {
            return remarks;
        }
        let RuleReport { fired, costlier, .. } = self;
        if 2 * costlier > *fired && self.because.is_none() {
            remarks.push(format!("costlier in {costlier} of {fired} instances"));
        }
        if let Some(n) = self.subsumed {
            let kept = self.because.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
            remarks.push(format!("the other rules find the same in all {n} instances{kept}"));
        }
        remarks
    }
}

impl fmt::Display for RuleReport {
    /// One line, and the remarks and the counterexample below it, if there are any.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RuleReport { name, status, tried, fired, fired_on_numbers, decided, sampled, .. } = self;
        let word = status.as_str();
        write!(
            f,
            "{word}\t{name}\ttried {tried}, fired {fired}, and {fired_on_numbers} with its own or large numbers; "
        )?;
        write!(f, "decided {decided}, sampled {sampled}")?;
        if let (Status::NoChange, Some(why)) = (status, &self.because) {
            write!(f, "; {why}")?;
        }
        for remark in self.remarks() {
            write!(f, "\n  remark: {remark}")?;
        }
        match &self.counterexample {
            Some(c) => write!(f, "\n  {}", c.to_string().replace('\n', "\n  ")),
            None => Ok(()),
        }
    }
}

/// Checks all rules of a set, one after the other.
pub fn check(rules: &RuleSet, options: &Options) -> Vec<RuleReport> {
    rules.rules().iter().map(|r| check_among(r, rules, options)).collect()
}

/// A rule that fired less often than this is tried on more instances than asked for, so many times at most.
const FEW: usize = 5;
const PATIENCE: usize = 8;

/// One in so many instances is made with the numbers in a rule's text, their neighbours and large ones.
const NUMBERED: usize = 4;

/// What divides a sum of which a rule asks that something does.
const DIVISOR: &str = "7";

/// Remainders enter the engine by their definition; this one writes them, for rules that match them.
const COMPANION: &str = r#"(rule written-remainder "the definition of x % n"
  (match (+ (* #b (// ?x... ?n)) ?r...))
  (for #a (ratios ?r ?x))
  (yield (+ (- ?r (* #a ?x)) (* #a (% ?x ?n)) (* #a ?n (// ?x ?n)) (* #b (// ?x ?n)))))"#;

/// Checks one rule of `rules`: [`check_rule`], and whether the others find the same without it.
pub fn check_among(rule: &Rule, rules: &RuleSet, options: &Options) -> RuleReport {
    checked(rule, Some(rules).filter(|_| options.compared > 0), options)
}

/// Checks one rule, whatever others there are.
///
/// Time: at most [`Options::tries`] calls of the engine, eight times as many for a rule that fires on next to none, and the
/// comparison of their steps; a tenth of a second for most rules.
pub fn check_rule(rule: &Rule, options: &Options) -> RuleReport {
    checked(rule, None, options)
}

fn checked(rule: &Rule, among: Option<&RuleSet>, options: &Options) -> RuleReport {
    let mut report = RuleReport::untried(rule);
    let patterns = patterns_of(rule);
    if patterns.is_empty() {
        return report;
    }
    // the text has been compiled before
    let Ok(rules) = RuleSet::parse(rule.file(), rule.text()) else { return report };
    let alone = Settings::default().with_rules(rules.clone()).trusting_rules();
    let companion =
        RuleSet::parse("companion", COMPANION).ok().filter(|_| patterns.iter().any(|p| p.to_string().contains("(% ")));
    let mut others = among.map(|set| Others::new(rule, set, companion.as_ref()));
    let mut compared = 0;
    let rules = companion.map_or(rules.clone(), |c| rules.and(c));
    let engine = Settings::default().with_rules(rules).trusting_rules().with_trace(true);
    let mut instances = Generator::new(&patterns, Random::new(options.seed, rule.text()));
    let mut changed = false;
    let mut symbols = false;
    for tried in 0..options.tries.saturating_mul(PATIENCE) {
        if report.fired >= options.fired || tried >= options.tries && report.fired >= FEW {
            break;
        }
        // every second one, for a rule may be rare with numbers, too
        symbols |= tried == options.tries && report.fired == 0;
        instances.with_sizes(symbols && tried & 1 == 0);
        let Some(instance) = instances.next() else { continue };
        let Ok(answer) = simplify_all(&engine, &instance.exprs, &instance.domain) else { continue };
        let direct = matches(&alone, &instance.exprs, &instance.domain).unwrap_or_default();
        report.tried += 1;
        let own: Vec<_> = answer.trace().iter().filter(|s| s.rule == rule.name() && s.conditions.is_empty()).collect();
        let direct: Vec<_> = direct.iter().filter(|s| s.rule == rule.name()).collect();
        if own.is_empty() && direct.is_empty() {
            continue;
        }
        report.fired += 1;
        changed |= !own.is_empty();
        let steps = direct.iter().chain(&own).map(|s| (&s.before, &s.after)).chain([(instance.expr(), answer.expr())]);
        if let Some(found) = report.compare(&instance, steps, options) {
            return report.refuted(found);
        }
        let written = if direct.is_empty() { &own } else { &direct };
        report.costlier += usize::from(costlier(written, answer.vars()));
        // one instance that they miss is enough
        if !own.is_empty() && compared < options.compared {
            others = others.filter(|o| o.find(&instance, &own));
            compared += 1;
            report.subsumed = others.is_some().then_some(compared);
        }
    }
    instances.with_sizes(false);
    instances.with_numbers_of(&read(rule.text()).0);
    let fires = |i: &Instance| {
        simplify_all(&engine, &i.exprs, &i.domain).is_ok_and(|a| a.trace().iter().any(|s| s.rule == rule.name()))
    };
    for _ in 0..options.tries.div_ceil(NUMBERED) {
        if report.fired_on_numbers >= options.fired.div_ceil(NUMBERED) {
            break;
        }
        let Some(instance) = instances.next() else { continue };
        if let Some(found) = report.try_numbers(rule, &alone, &instance, options) {
            return report.refuted(found);
        }
        changed = changed || report.fired_on_numbers > 0 && fires(&instance);
    }
    report.status = match report.fired + report.fired_on_numbers {
        0 => Status::NeverFired,
        _ if !changed => Status::NoChange,
        _ if report.decided == 0 => Status::Undecided,
        _ => Status::NotRefuted,
    };
    report
}

impl RuleReport {
    fn untried(rule: &Rule) -> RuleReport {
        RuleReport {
            name: rule.name().into(),
            file: rule.file().into(),
            position: rule.position(),
            status: Status::NeverFired,
            tried: 0,
            fired: 0,
            fired_on_numbers: 0,
            decided: 0,
            sampled: 0,
            costlier: 0,
            subsumed: None,
            counterexample: None,
            because: rule.because().map(String::from),
        }
    }

    /// Compares the sides of each step; a counterexample where they differ.
    fn compare<'s>(
        &mut self,
        instance: &Instance,
        steps: impl Iterator<Item = (&'s Expr, &'s Expr)>,
        options: &Options,
    ) -> Option<Counterexample> {
        for (before, after) in steps {
            match quasi::decide(before, after, &instance.domain, &options.decide).verdict {
                Verdict::Equal => self.decided += 1,
                Verdict::Undecided { .. } => self.sampled += 1,
                Verdict::Differs { witness } => {
                    let (before, after) = (before.clone(), after.clone());
                    let (input, domain) = (instance.expr().clone(), instance.declarations.clone());
                    return Some(Counterexample { input, domain, before, after, witness });
                }
            }
        }
        None
    }

    /// Compares the matches of `rule` in an instance with its own or large numbers, by an engine with that rule `alone`.
    fn try_numbers(
        &mut self,
        rule: &Rule,
        alone: &Settings,
        instance: &Instance,
        options: &Options,
    ) -> Option<Counterexample> {
        let steps = matches(alone, &instance.exprs, &instance.domain).unwrap_or_default();
        let mut steps = steps.iter().filter(|s| s.rule == rule.name()).map(|s| (&s.before, &s.after)).peekable();
        self.fired_on_numbers += usize::from(steps.peek().is_some());
        self.compare(instance, steps, options)
    }

    /// The report of a rule that is wrong.
    fn refuted(self, counterexample: Counterexample) -> RuleReport {
        let counterexample = Some(counterexample);
        RuleReport { status: Status::Unsound, subsumed: None, counterexample, ..self }
    }
}

/// The pattern that a rule matches, and after it those of what it asks for in the e-graph.
fn patterns_of(rule: &Rule) -> Vec<Datum> {
    let (data, _) = read(rule.text());
    let clauses = data.first().and_then(Datum::list).unwrap_or_default();
    let mut patterns = Vec::new();
    for clause in clauses.iter().filter_map(Datum::list) {
        let [Datum::Word(_, word), operands @ ..] = clause else { continue };
        match (&**word, operands) {
            ("match" | "there", [pattern]) => patterns.push(pattern.clone()),
            ("for", [name, Datum::List(at, from)]) if from.len() > 2 && from[0].word() == Some("operands") => {
                // a comparison is with 0
                let second = |operator: &Datum| if operator.word() == Some("//") { DIVISOR } else { "0" };
                let pattern = |operator: &Datum| {
                    let name = Datum::Word(*at, format!("{name}..."));
                    Datum::List(*at, vec![operator.clone(), name, Datum::Word(*at, second(operator).into())])
                };
                patterns.extend(from[2..].iter().map(pattern));
            }
            _ => {}
        }
    }
    patterns
}
