//! `--cost` and `--without`: a call with another cost model, or without some of its rules and stages.

use crate::report::Failure;
use crate::rule_folders::known;
use clap::{Args, ValueEnum};
use quaff::cost::{OpCount, Truncating};
use quaff::{Simplifier, Stage};

/// A cost model by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Model {
    /// machine instructions of the target, the default of every command
    Instructions,
    /// operations, whatever they take
    Operations,
    /// instructions of a host whose `//` and `%` truncate
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

/// What is another in a call, for experiments.
#[derive(Args)]
pub(crate) struct Variant {
    /// The cost model that answers are chosen with, and that `cost` counts
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
            simplifier = match Stage::ALL.iter().find(|stage| stage.name() == name) {
                Some(&stage) => simplifier.without_stage(stage),
                None => {
                    let rules = simplifier.rules();
                    let left_out = known(rules, name)?.name();
                    let rules = rules.retain(|rule| rule != left_out);
                    simplifier.with_rules(rules)
                }
            };
        }
        Ok(simplifier)
    }

    /// The options and their values.
    pub(crate) fn by_name(&self) -> [(&'static str, String); 2] {
        [("--cost", self.cost.name()), ("--without", self.without.join(","))]
    }
}
