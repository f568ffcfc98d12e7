//! Answers as inputs: every answer of a corpus is printed, read and simplified again.
//!
//! A second answer must exist. It must cost no more than its input, and no more than the first answer. The program
//! prints each violation, and the number of answers that change at all.
//!
//! ```text
//! cargo run --release --example feedback -- tests/data/*.jsonl
//! ```

use quaff::Simplifier;
use quaff::cost::Cost;
use quaff::domain::Domain;
use quaff::expr::{DISPLAY_LIMIT, Expr, parse};
use quaff_lab::experiment::Line;
use serde_json::Value;

#[derive(Default)]
struct Counts {
    cases: usize,
    unanswered: usize,
    refused: usize,
    costlier_than_text: usize,
    costlier_than_answer: usize,
    text_costlier: usize,
    text_cheaper: usize,
    changed: usize,
    cheaper: usize,
    saved: f64,
    cost: Cost,
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simplifier = Simplifier::default();
    let mut all = Counts::default();
    for path in std::env::args().skip(1) {
        let mut counts = Counts::default();
        for line in std::fs::read_to_string(&path)?.lines() {
            for (id, expr, domain) in questions(line)? {
                feed_back(&simplifier, &id, &expr, &domain, &mut counts)?;
            }
        }
        show(&path, &counts);
        all.add(&counts);
    }
    show("all", &all);
    Ok(())
}

impl Counts {
    fn add(&mut self, other: &Counts) {
        self.cases += other.cases;
        self.unanswered += other.unanswered;
        self.refused += other.refused;
        self.costlier_than_text += other.costlier_than_text;
        self.costlier_than_answer += other.costlier_than_answer;
        self.text_costlier += other.text_costlier;
        self.text_cheaper += other.text_cheaper;
        self.changed += other.changed;
        self.cheaper += other.cheaper;
        self.saved += other.saved;
        self.cost += other.cost;
    }
}

fn show(name: &str, c: &Counts) {
    println!(
        "{name}: {} answers ({} questions without), {} refused, {} costlier than the text, {} costlier than the answer; \
         {} texts cost more than the answer, {} less; {} change, {} of them to something cheaper, by {:.1} of {:.1}",
        c.cases,
        c.unanswered,
        c.refused,
        c.costlier_than_text,
        c.costlier_than_answer,
        c.text_costlier,
        c.text_cheaper,
        c.changed,
        c.cheaper,
        c.saved,
        c.cost
    );
}

/// The name of a question, its expression and its domain.
type Question = (String, Expr, Domain);

/// The expression of a line, and its accesses, gates and indices, each with its domain.
fn questions(line: &str) -> Result<Vec<Question>, Box<dyn std::error::Error>> {
    let fields: Value = serde_json::from_str(line)?;
    let id = fields["id"].as_str().unwrap_or_default().to_string();
    let mut out = Vec::new();
    let mut domain = Domain::new();
    let of = |text: &Value| -> Result<Option<Expr>, Box<dyn std::error::Error>> {
        Ok(text.as_str().map(parse).transpose()?.map(|p| p.into_expr()))
    };
    // the reader needs an expression, so the ranges are read together with an expression that is valid in every domain
    let mut as_question = fields.clone();
    as_question["expr"] = "0".into();
    if fields["vars"].is_object()
        && let Ok((_, known)) = Line::read(as_question.to_string().as_bytes())?.question()
    {
        domain = known;
    }
    for condition in fields["assume"].as_array().into_iter().flatten() {
        if let Some(condition) = of(condition)? {
            domain = domain.assume(condition);
        }
    }
    if let Some(expr) = of(&fields["expr"])? {
        out.push((id.clone(), expr, domain.clone()));
    }
    for (i, access) in fields["accesses"].as_array().into_iter().flatten().enumerate() {
        let mut inside = domain.clone();
        if let Some(gate) = of(&access["gate"])? {
            out.push((format!("{id} gate {i}"), gate.clone(), domain.clone()));
            inside = inside.assume(gate);
        }
        if let Some(expr) = of(&access["expr"])? {
            out.push((format!("{id} index {i}"), expr, inside));
        }
    }
    Ok(out)
}

fn feed_back(
    simplifier: &Simplifier,
    id: &str,
    expr: &Expr,
    domain: &Domain,
    counts: &mut Counts,
) -> Result<(), Box<dyn std::error::Error>> {
    let first = match simplifier.simplify(expr, domain) {
        Ok(first) => first,
        Err(e) => {
            println!("{id}: no answer: {e}");
            counts.unanswered += 1;
            return Ok(());
        }
    };
    counts.cases += 1;
    counts.cost += first.cost();
    if first.cost() > first.input_cost() {
        println!("{id}: DEARER {} -> {}", first.input_cost(), first.cost());
    }
    let text = first.expr().to_infix(DISPLAY_LIMIT)?;
    let again = parse(&text)?.into_expr();
    let second = match simplifier.simplify(&again, domain) {
        Ok(second) => second,
        Err(e) => {
            println!("{id}: refused: {e}\n  {text}");
            counts.refused += 1;
            return Ok(());
        }
    };
    let (said, fed, got) = (first.cost(), second.input_cost(), second.cost());
    counts.text_costlier += usize::from(fed > said);
    counts.text_cheaper += usize::from(fed < said);
    counts.changed += usize::from(second.expr() != &again);
    if got < said {
        counts.cheaper += 1;
        counts.saved += said.instructions() - got.instructions();
    }
    counts.costlier_than_text += usize::from(got > fed);
    counts.costlier_than_answer += usize::from(got > said);
    if got > fed || got > said {
        println!("{id}: said {said}, fed back {fed}, then {got}\n  {text}\n  {}", second.expr());
        println!("  {:?}", domain.resolve()?.iter().map(|v| format!("{}={}", v.name, v.interval)).collect::<Vec<_>>());
    }
    Ok(())
}
