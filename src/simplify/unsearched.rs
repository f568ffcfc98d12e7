//! The answer for an input that does not fit into an e-graph: the input as written.

use super::answer::{Effort, Simplified};
use super::candidate::{Candidate, InputPrice};
use super::error::SimplifyError;
use super::settings::Settings;
use crate::cost::price;
use crate::domain::{Domain, Interval, error_of_op, intervals_of};
use crate::egraph::StopReason;
use crate::expr::{Dag, EvalError, Expr, Op};
use std::time::Duration;

/// The answer that consists of `exprs` as written. Of the errors that a search reports, this function finds those that
/// follow from the ranges of variables alone.
pub(super) fn as_written(settings: &Settings, exprs: &[Expr], domain: &Domain) -> Result<Simplified, SimplifyError> {
    let vars = domain.resolve()?;
    let dag = Dag::with_origins(exprs);
    let ranges = intervals_of(&dag, |name| domain.position(name).map_or(Interval::ALL, |p| vars[p].interval));
    for (i, node) in dag.nodes().iter().enumerate() {
        let origin = |i: u32| dag.origin(i).clone();
        if let Op::Var(name) = &node.op
            && domain.position(name).is_none()
        {
            return Err(SimplifyError::UnknownVariable(origin(i as u32)));
        }
        let range = ranges[node.args[1] as usize];
        match error_of_op(&node.op, &node.args.map(|a| ranges[a as usize])) {
            Some(EvalError::DivisionByZero) if !domain.is_defined() => {
                return Err(SimplifyError::DivisorMayBeZero { divisor: origin(node.args[1]), range });
            }
            Some(EvalError::Shift) => {
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
