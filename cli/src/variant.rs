//! The options `--cost` and `--without`: a call with another cost model, or without some of its rules and stages.

use crate::report::Failure;
use crate::rule_folders::known;
use clap::{Args, ValueEnum};
use quaff::cost::{OpCount, Truncating};
use quaff::rules::{Rule, RuleSet};
use quaff::{Simplifier, Stage};

/// A cost model by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// machine instructions of the target, the default of every command
    Instructions,
    /// number of operations, each with the same cost
    Operations,
    /// instructions of a host whose division and remainder truncate
    Truncating,
}

impl Model {
    pub(crate) fn given_to(self, simplifier: Simplifier) -> Simplifier {
        match self {
            Model::Instructions => simplifier,
            Model::Operations => simplifier.with_cost_model(OpCount),
            Model::Truncating => simplifier.with_cost_model(Truncating),
        }
    }

    pub(crate) fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |v| v.get_name().to_string())
    }
}

/// A part of the engine that can be left out: a stage or a rule.
pub(crate) enum Part<'a> {
    Stage(Stage),
    Rule(&'a Rule),
}

impl<'a> Part<'a> {
    /// The stage called `name`, or else the rule called `name` among `rules`.
    pub(crate) fn named(rules: &'a RuleSet, name: &str) -> Result<Part<'a>, Failure> {
        match Stage::ALL.iter().find(|stage| stage.name() == name) {
            Some(&stage) => Ok(Part::Stage(stage)),
            None => Ok(Part::Rule(known(rules, name)?)),
        }
    }
}

/// The options of a call that differs from others, for experiments.
#[derive(Args)]
pub(crate) struct Variant {
    /// The cost model by which answers are chosen, and by which `cost` is computed
    #[arg(long, value_enum, value_name = "MODEL", default_value = "instructions")]
    cost: Model,

    /// Leave out these rules and stages of a call
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    without: Vec<String>,
}

impl Variant {
    /// `simplifier` with these changes.
    pub(crate) fn of(&self, simplifier: Simplifier) -> Result<Simplifier, Failure> {
        let mut simplifier = self.cost.given_to(simplifier);
        for name in &self.without {
            simplifier = match Part::named(simplifier.rules(), name)? {
                Part::Stage(stage) => simplifier.without_stage(stage),
                Part::Rule(left_out) => {
                    let rules = simplifier.rules().retain(|rule| rule != left_out.name());
                    simplifier.with_rules(rules)
                }
            };
        }
        Ok(simplifier)
    }

    /// The options as words of the command line, with their values.
    pub(crate) fn by_name(&self) -> [(&'static str, String); 2] {
        [("--cost", self.cost.name()), ("--without", self.without.join(","))]
    }
}
