//! Counts how often an answer is the cheapest form, for small expressions.
//!
//! ```text
//! cargo run --release --example optimality                 # the cases of tests/data/optimality.jsonl
//! cargo run --release --example optimality -- FILE         # those of another file
//! cargo run --release --example optimality -- --add-rules DIR    # with the rules of a folder as well
//! ```
//! The program prints the cases that have a cheaper form or are not decided, and the number of cases of each kind.
//! `docs/optimality.md` describes which programs are tried and what the verdicts mean.
//!
//! ```text
//! case.rs       reads a case, searches, and asks whether a form that agrees at all points is one
//! points.rs     the points at which programs are compared
//! numbers.rs    the constants that programs are made of
//! value.rs      what a program has computed, and what operations cost at least
//! search.rs     programs in the order in which they compute values
//! last.rs       their last operation, which is solved for
//! tails.rs      a last operation on a sum, which is solved for, too
//! sums.rs       sums that are exactly what is wanted
//! between.rs    sums that lie between bounds
//! reasons.rs    what a cheaper form has that the answer has not
//! ```

mod between;
mod case;
mod last;
mod numbers;
mod points;
mod reasons;
mod search;
mod sums;
mod tails;
mod value;

use case::{Case, Outcome, tenths};
use quaff::Simplifier;
use quaff::rules::RuleSet;
use reasons::reason;
use std::collections::BTreeMap;

/// The results of all cases whose answers have the same number of instructions.
#[derive(Clone, Copy, Default)]
struct Row {
    least: usize,
    fewest: usize,
    /// The number of cases with a form that is cheaper by less than one instruction.
    by_tenths: usize,
    cheaper: usize,
    open: usize,
}

impl Row {
    fn add(&mut self, other: Row) {
        self.least += other.least;
        self.fewest += other.fewest;
        self.by_tenths += other.by_tenths;
        self.cheaper += other.cheaper;
        self.open += other.open;
    }

    fn print(&self, name: &str) {
        let Row { least, fewest, by_tenths, cheaper, open } = self;
        println!("| {name} | {least} | {fewest} | {by_tenths} | {cheaper} | {open} |");
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut path, mut rules) = ("tests/data/optimality.jsonl".to_string(), RuleSet::shipped().clone());
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match (argument.as_str(), arguments.next()) {
            ("--add-rules", Some(folder)) => rules = rules.and(RuleSet::load(folder.as_ref())?),
            (_, None) => path = argument,
            (_, Some(more)) => return Err(format!("`{more}` is not understood").into()),
        }
    }
    let simplifier = Simplifier::default().with_rules(rules);
    let mut rows = BTreeMap::<u64, Row>::new();
    let mut reasons = BTreeMap::<&str, Row>::new();
    for line in std::fs::read_to_string(path)?.lines() {
        let case = Case::read(line, &simplifier)?;
        let outcome = case.outcome()?;
        let mut counted = Row::default();
        match &outcome {
            Outcome::Least => counted.least = 1,
            Outcome::FewestInstructions => counted.fewest = 1,
            Outcome::Open(why) => {
                counted.open = 1;
                println!("{}: {} costs {}; not decided: {why}", case.id, case.answer, tenths(case.price));
            }
            Outcome::Cheaper(form, price) => {
                let is_instruction = price.div_euclid(10) < case.price.div_euclid(10);
                *(if is_instruction { &mut counted.cheaper } else { &mut counted.by_tenths }) = 1;
                let reason = reason(&case, form);
                reasons.entry(reason).or_default().add(counted);
                let (before, after) = (tenths(case.price), tenths(*price));
                println!("{}: {} costs {before}; {form} costs {after}: {reason}", case.id, case.answer);
            }
        }
        rows.entry(case.price.div_euclid(10)).or_default().add(counted);
    }
    println!(
        "\n| instructions | cheapest | fewest instructions | cheaper by tenths | cheaper by instructions | not decided |"
    );
    println!("|---|---|---|---|---|---|");
    let mut all = Row::default();
    for (instructions, row) in &rows {
        row.print(&instructions.to_string());
        all.add(*row);
    }
    all.print("all");
    println!("\n| a cheaper form has | by tenths | by instructions |\n|---|---|---|");
    for (reason, row) in &reasons {
        println!("| {reason} | {} | {} |", row.by_tenths, row.cheaper);
    }
    Ok(())
}
