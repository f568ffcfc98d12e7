//! The serialized form of an answer for serde.

use super::answer::{Effort, Simplified};
use super::candidate::{Candidate, InputPrice};
use super::step::Step;
use crate::cost::{Cost, Gpu};
use crate::domain::{Interval, VarFacts};
use crate::egraph::StopReason;
use crate::expr::{FlatError, FlatNodes};
use crate::lower::Target;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::sync::Arc;
use std::time::Duration;

/// All data of an answer except the cost model. The costs of the answer are written instead of the model.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saved {
    words: Vec<i64>,
    names: Vec<Arc<str>>,
    roots: Vec<i64>,
    vars: Vec<VarFacts>,
    /// The ranges of nodes by their numbers, if they are tighter than the ranges of their operands imply.
    ranges: Vec<(u32, Interval)>,
    is_narrow: bool,
    cost: Cost,
    least_cost: Cost,
    declared_cost: Cost,
    assumed_cost: Cost,
    stop: StopReason,
    rounds: u32,
    nodes: usize,
    trace: Vec<Step>,
    target: Target,
    elapsed: Duration,
}

impl Serialize for Simplified {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let Simplified { chosen, input_price, effort, trace, target, elapsed } = self;
        let dag = chosen.dag();
        let FlatNodes { words, names, roots } = FlatNodes::of_dag(dag);
        let ids = (0..).take(dag.nodes().len());
        let saved = Saved {
            words,
            names,
            roots,
            vars: chosen.vars.to_vec(),
            ranges: ids.filter_map(|id| Some((id, chosen.range_of(dag.origin(id))?))).collect(),
            is_narrow: chosen.is_known_to_be_narrow(),
            cost: chosen.price(),
            least_cost: chosen.least(),
            declared_cost: input_price.declared,
            assumed_cost: input_price.assumed,
            stop: effort.stop,
            rounds: effort.rounds,
            nodes: effort.nodes,
            trace: trace.clone(),
            target: *target,
            elapsed: *elapsed,
        };
        saved.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Simplified {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Simplified, D::Error> {
        Saved::deserialize(from)?.answer().map_err(D::Error::custom)
    }
}

impl Saved {
    fn answer(self) -> Result<Simplified, FlatError> {
        let exprs = FlatNodes { words: self.words, names: self.names, roots: self.roots }.exprs()?;
        let chosen = Candidate::new(exprs, self.vars.into(), Arc::new(Gpu));
        let count = chosen.dag().nodes().len();
        let known = self.ranges.into_iter().filter(|(id, _)| (*id as usize) < count);
        let known = known.map(|(id, range)| (chosen.dag().origin(id).address(), range)).collect();
        let chosen = chosen.with_ranges(known).with_least(self.least_cost);
        let chosen = if self.is_narrow { chosen.known_to_be_narrow() } else { chosen };
        Ok(Simplified {
            chosen: chosen.with_price(self.cost),
            input_price: InputPrice { declared: self.declared_cost, assumed: self.assumed_cost },
            effort: Effort { stop: self.stop, rounds: self.rounds, nodes: self.nodes },
            trace: self.trace,
            target: self.target,
            elapsed: self.elapsed,
        })
    }
}
