//! The answer to what does not fit into an e-graph: the input as it is written.

use super::answer::{Effort, Simplified};
use super::candidate::{Candidate, InputPrice};
use super::error::SimplifyError;
use super::settings::Settings;
use crate::cost::price;
use crate::domain::{Domain, Interval, intervals_of};
use crate::egraph::StopReason;
use crate::expr::{Dag, Expr, Op};
use std::time::Duration;

/// `exprs` as they are written. Of the errors of a search, it returns those that the ranges of variables show.
pub(super) fn as_written(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
    let vars = domain.resolve()?;
    let dag = Dag::with_origins(exprs);
    let ranges = intervals_of(&dag, |name| domain.position(name).map_or(Interval::ALL, |p| vars[p].interval));
    for (i, node) in dag.nodes().iter().enumerate() {
        let origin = |i: u32| dag.origin(i).clone();
        match &node.op {
            Op::Var(name) if domain.position(name).is_none() => {
                return Err(SimplifyError::UnknownVariable(origin(i as u32)));
            }
            Op::FloorDiv | Op::FloorMod if !domain.is_defined() && ranges[node.args[1] as usize].contains(0) => {
                let range = ranges[node.args[1] as usize];
                return Err(SimplifyError::DivisorMayBeZero { divisor: origin(node.args[1]), range });
            }
            Op::Shl | Op::Shr if !ranges[node.args[1] as usize].within(0, 126) => {
                let range = ranges[node.args[1] as usize];
                return Err(SimplifyError::ShiftOutOfRange { count: origin(node.args[1]), range });
            }
            _ => {}
        }
    }
    let price = price(&dag, &ranges, settings.model());
    Ok(Simplified {
        chosen: Candidate::new(exprs.to_vec(), vars.into(), settings.model.clone()).with_price(price),
        input_price: InputPrice { declared: price, assumed: price },
        effort: Effort { stop: StopReason::TermLimit, rounds: 0, nodes: 0 },
        trace: Vec::new(),
        target: settings.target,
        elapsed: Duration::ZERO,
    })
}
