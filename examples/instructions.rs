//! Calls the simplifier once for each line of a corpus, in a function of its own whose instructions a profiler counts.
//! `scripts/instructions` runs this program.
//!
//! ```text
//! instructions CORPUS PART PARTS [EFFORT]
//! ```
//! Every PARTS-th line of CORPUS is simplified, from line PART on (counted from 0). For each line, its number (counted
//! from 1) is printed, and the costs of its expression and of the answer in tenths of an instruction.

use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::egraph::Limits;
use quaff::expr::{Expr, parse};
use serde_json::Value;
use std::hint::black_box;

/// The allocator of the program `quaff`.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (corpus, part, parts, effort) = match arguments.as_slice() {
        [corpus, part, parts] => (corpus, part, parts, 1),
        [corpus, part, parts, effort] => (corpus, part, parts, effort.parse()?),
        _ => return Err("usage: instructions CORPUS PART PARTS [EFFORT]".into()),
    };
    let text = std::fs::read_to_string(corpus)?;
    let simplifier = Simplifier::default().with_limits(Limits::effort(effort));
    for (i, line) in text.lines().enumerate().skip(part.parse()?).step_by(parts.parse()?) {
        let (expr, domain) = question(line)?;
        // the first call makes values that the library or the allocator keeps, so it is not counted
        let answer = simplifier.simplify(&expr, &domain)?;
        black_box(measured_call(&simplifier, &expr, &domain));
        println!("{} {} {}", i + 1, answer.input_cost().tenths(), answer.cost().tenths());
    }
    Ok(())
}

/// The counted call: the answer and its cost, which some answers compute only on request.
#[inline(never)]
fn measured_call(simplifier: &Simplifier, expr: &Expr, domain: &Domain) -> Option<Cost> {
    let answer = simplifier.simplify(black_box(expr), black_box(domain)).ok()?;
    Some(answer.cost())
}

fn question(line: &str) -> Result<(Expr, Domain), Box<dyn std::error::Error>> {
    let fields: Value = serde_json::from_str(line)?;
    let mut domain = Domain::new();
    for (name, ends) in fields["vars"].as_object().into_iter().flatten() {
        let (Some(low), Some(high)) = (ends[0].as_i64(), ends[1].as_i64()) else {
            return Err(format!("the range of `{name}` is not a pair of integers").into());
        };
        domain.add_bounds(name.as_str(), low..=high);
    }
    let text = fields["expr"].as_str().ok_or("there is no text in the field `expr`")?;
    Ok((parse(text)?.into_expr(), domain))
}
