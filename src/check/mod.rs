//! Checks whether rules are correct, by instances made from the text of each rule.
//!
//! An instance is an expression that the rule's pattern matches, with a domain that satisfies the rule's guards or
//! narrowly violates them. The constants of an instance are from a fixed list of numbers (the grid), its sums have few
//! terms, and its variables have short ranges. The engine runs on the instance with only that rule. Then
//! [`crate::quasi`], which does not depend on rules, compares the two sides of each match and of each rewrite step. It
//! also compares the answer with the input. The rule's text and [`Options::seed`] determine all instances, so a check
//! gives the same result every time.
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
//! [`mutants`] are rules without one of their guards. The checker must reject each mutant, or a solver must prove it.
//! [`fingerprint`] shows whether a recorded result still applies to the text of a rule. The crate `quaff-lab` asks an
//! SMT solver whether a rule holds for all integers.
//!
//! # Limits
//! A rule that passes has no counterexample among its instances. The constants in the instances include the numbers in
//! the rule's text, their neighbours and large numbers. Such a rule is not refuted, but not proved either. For a rule
//! without symbolic divisors or products, both sides are compared at all points of the domain of each instance. The
//! assumptions of a proof are in `docs/trust.md`.

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

/// The recorded check results of the shipped rules, as `quaff rules check --record` writes them: JSON text.
pub const SHIPPED_RECORD: &str = include_str!("../../rules/proofs.json");

/// The limits of a check.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Options {
    /// The maximum number of instances of each rule, 6,000 by default.
    pub tries: usize,
    /// The number of instances on which the rule must fire to count as checked, 200 by default.
    pub fired: usize,
    /// The number of instances on which the other rules are compared with this rule, 20 by default. With 0, no
    /// comparison is made.
    pub compared: usize,
    /// The seed of the random instances.
    pub seed: u64,
    /// The limits of each comparison. No solver is used by default.
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

/// The outcome of the check of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
    /// The rule fired, and no rewrite step was wrong on the instances that were tried. This result is no proof.
    NotRefuted,
    /// A rewrite step was wrong: its two sides differ at some point.
    Unsound,
    /// The rule fired on no instance.
    NeverFired,
    /// The rule matched, but normal forms and facts of the engine already implied all its results.
    NoChange,
    /// The rule fired, but no step could be compared at all points.
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

/// Two expressions that a rule claims to be equal, although their values differ.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Counterexample {
    /// The input of the engine.
    pub input: Expr,
    /// The facts about the variables, in the form of [`Domain::declare`](crate::domain::Domain::declare).
    pub domain: Vec<String>,
    /// The expression that the rule matched.
    pub before: Expr,
    /// The expression that the rule wrote.
    pub after: Expr,
    /// A point at which `before` and `after` differ.
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

/// The results of the check of one rule.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RuleReport {
    /// The rule's name.
    pub name: String,
    /// The file that the rule came from.
    pub file: String,
    /// The place in the file at which the rule begins.
    pub position: Position,
    /// The outcome.
    pub status: Status,
    /// The number of instances given to the engine.
    pub tried: usize,
    /// The number of instances on which the rule fired.
    pub fired: usize,
    /// The number of further instances on which the rule fired. These instances use the numbers in the rule's text,
    /// their neighbours and large numbers.
    pub fired_on_numbers: usize,
    /// The number of steps that were compared at all points of their domains.
    pub decided: usize,
    /// The number of steps that were compared at some points only.
    pub sampled: usize,
    /// The number of firing instances in which the result costs more than the matched expression under
    /// [`Gpu`](crate::cost::Gpu), with operands in their cheapest form.
    pub costlier: usize,
    /// The number of instances on which the other rules were tried, if the other rules find the same results in all of
    /// them. The results are the same if the other rules find both sides of each step equal, and if their answer costs
    /// no more. `None` if the other rules miss an instance, or if they were not tried ([`check_rule`]).
    pub subsumed: Option<usize>,
    /// The counterexample of an unsound rule.
    pub counterexample: Option<Counterexample>,
    /// The reason why the rule is kept although it changes nothing, is costlier or is subsumed. The rule's text states
    /// this reason.
    pub because: Option<String>,
}

impl RuleReport {
    /// Whether the rule passes. A rule passes if it is not refuted, or if it changes nothing and states why it is kept.
    pub fn passed(&self) -> bool {
        self.status == Status::NotRefuted || (self.status == Status::NoChange && self.because.is_some())
    }

    /// The remarks on a rule that is not wrong and changes something. A remark does not make the rule fail. One remark
    /// is that the rule makes more than half of its instances costlier and states no reason (`(because "...")`). The
    /// other remark is that the other rules find the same results.
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
    /// Writes one line about the rule, and below it the remarks and the counterexample, if there are any.
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

/// Checks all rules of a set, one after another.
pub fn check(rules: &RuleSet, options: &Options) -> Vec<RuleReport> {
    rules.rules().iter().map(|r| check_among(r, rules, options)).collect()
}

/// A rule that fired on fewer instances than `FEW` is tried on more instances, up to `PATIENCE` times as many as
/// requested.
const FEW: usize = 5;
const PATIENCE: usize = 8;

/// One in this many instances uses the numbers in a rule's text, their neighbours and large numbers.
const NUMBERED: usize = 4;

/// The divisor in the instances of rules that match a sum only if some division has this sum as its operand.
const DIVISOR: &str = "7";

/// The e-graph stores a remainder as `x - x//n*n`. This rule adds `%` nodes, for rules that match them.
const COMPANION: &str = r#"(rule written-remainder "the definition of x % n"
  (match (+ (* #b (// ?x... ?n)) ?r...))
  (for #a (ratios ?r ?x))
  (yield (+ (- ?r (* #a ?x)) (* #a (% ?x ?n)) (* #a ?n (// ?x ?n)) (* #b (// ?x ?n)))))"#;

/// Checks one rule of `rules` as [`check_rule`] does, and whether the other rules find the same results without it.
pub fn check_among(rule: &Rule, rules: &RuleSet, options: &Options) -> RuleReport {
    checked(rule, Some(rules).filter(|_| options.compared > 0), options)
}

/// Checks one rule independently of other rules.
///
/// Time: at most [`Options::tries`] calls of the engine, and the comparison of their steps. A rule that fires on almost
/// no instance takes eight times as many calls. Most rules take a tenth of a second.
pub fn check_rule(rule: &Rule, options: &Options) -> RuleReport {
    checked(rule, None, options)
}

fn checked(rule: &Rule, among: Option<&RuleSet>, options: &Options) -> RuleReport {
    let mut report = RuleReport::untried(rule);
    let patterns = patterns_of(rule);
    if patterns.is_empty() {
        return report;
    }
    // the text was compiled before, so it parses
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
        // every second instance gets symbolic sizes. The others keep numbers, because the rule may only be rare with
        // numbers
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
        // the comparison ends at the first instance that the other rules miss
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

    /// Compares the two sides of each step. Returns a counterexample if they differ.
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

    /// Compares the matches of `rule` in an instance that uses the numbers in the rule's text or large numbers. The
    /// engine `alone` has no other rule.
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

/// The pattern that a rule matches, followed by the patterns of other expressions that the rule needs in the e-graph.
fn patterns_of(rule: &Rule) -> Vec<Datum> {
    let (data, _) = read(rule.text());
    let clauses = data.first().and_then(Datum::list).unwrap_or_default();
    let mut patterns = Vec::new();
    for clause in clauses.iter().filter_map(Datum::list) {
        let [Datum::Word(_, word), operands @ ..] = clause else { continue };
        match (&**word, operands) {
            ("match" | "there", [pattern]) => patterns.push(pattern.clone()),
            ("for", [name, Datum::List(at, from)]) if from.len() > 2 && from[0].word() == Some("operands") => {
                // a comparison has 0 as its second operand
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
