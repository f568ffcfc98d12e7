//! Reports as CSV and JSON.

use super::corpus::BadLine;
use super::outcome::{Changed, Effects, Elimination, Report, Row};
use super::run::Answer;
use super::times::Times;
use quaff::inspect::Round;
use serde_json::{Value, json};
use std::io::{self, Write};

/// A CSV cell with a text from a file. A text that a spreadsheet would read as a formula gets the prefix `'`.
fn cell(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins { format!("'{text}") } else { text.into() }
}

impl Report {
    /// Writes the figures as CSV, with a row for each rule set and corpus, and a row for each rule set on all corpora
    /// together. The columns are `variant`, `corpus`, `rules`, `cases`, `cost`, `divisions`, `nodes`, `work`,
    /// `changed`, `cheaper`, `costlier`, `interaction`. If times were measured, the next columns are the quartiles
    /// `ms_first`, `ms_median` and `ms_third`, the median of the base `ms_base`, and the difference `ms_more` with its
    /// interval `ms_low` and `ms_high`.
    ///
    /// # Errors
    /// Fails if `out` cannot be written to.
    pub fn write_csv(&self, out: impl Write) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record([
            "variant",
            "corpus",
            "rules",
            "cases",
            "cost",
            "divisions",
            "nodes",
            "work",
            "changed",
            "cheaper",
            "costlier",
            "interaction",
            "ms_first",
            "ms_median",
            "ms_third",
            "ms_base",
            "ms_more",
            "ms_low",
            "ms_high",
        ])?;
        for r in std::iter::once(&self.base).chain(&self.rows) {
            let own = self.by_corpus.iter().filter(|c| c.variant == r.variant);
            for r in own.chain([r]) {
                let figures = [
                    cell(&r.variant),
                    cell(&r.corpus),
                    r.rules.to_string(),
                    r.cases.to_string(),
                    format!("{:.1}", r.cost),
                    r.divisions.to_string(),
                    r.nodes.to_string(),
                    r.work.instructions().to_string(),
                    r.changed.to_string(),
                    r.cheaper.to_string(),
                    r.costlier.to_string(),
                    r.interaction.map_or_else(String::new, |more| format!("{more:.1}")),
                ];
                let times = r.times.as_ref().map_or_else(|| vec![String::new(); 7], milliseconds);
                out.write_record(figures.into_iter().chain(times))?;
            }
        }
        out.flush()
    }

    /// Writes the sizes of the e-graphs in each round of the searches as CSV, for the base and each rule set, over all
    /// corpora. The columns are `variant`, `round`, `searches`, `nodes`, `classes`, `merges`, `instructions`. Round 0
    /// is the state before any rule was applied.
    ///
    /// # Errors
    /// Fails if `out` cannot be written to.
    pub fn write_rounds_csv(&self, out: impl Write) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record(["variant", "round", "searches", "nodes", "classes", "merges", "instructions"])?;
        for r in std::iter::once(&self.base).chain(&self.rows) {
            for (number, round) in r.work.rounds().iter().enumerate() {
                let counts = [round.searches, round.nodes, round.classes, round.merges, round.instructions];
                let counts = counts.map(|count| count.to_string());
                out.write_record([cell(&r.variant), number.to_string()].into_iter().chain(counts))?;
            }
        }
        out.flush()
    }

    /// Writes the changed cases as CSV, one on each row: `variant`, `corpus`, `line`, `id`, `difference`,
    /// `cost_before`, `cost_after`, `input`, `ranges`, `before`, `after`. A text that begins with `=`, `+`, `-` or `@`
    /// gets the prefix `'`, so no spreadsheet reads it as a formula.
    ///
    /// # Errors
    /// Fails if `out` cannot be written to.
    pub fn write_changed_csv(&self, out: impl Write) -> io::Result<()> {
        let mut out = csv::Writer::from_writer(out);
        out.write_record([
            "variant",
            "corpus",
            "line",
            "id",
            "difference",
            "cost_before",
            "cost_after",
            "input",
            "ranges",
            "before",
            "after",
        ])?;
        let cost = |a: &Result<Answer, String>| a.as_ref().map_or_else(|_| String::new(), |a| format!("{:.1}", a.cost));
        let text =
            |a: &Result<Answer, String>| a.as_ref().map_or_else(|e| format!("no answer: {e}"), |a| a.text.to_string());
        for c in &self.changed {
            out.write_record([
                cell(&c.variant),
                cell(&c.corpus),
                c.line.to_string(),
                cell(&c.id),
                format!("{:.1}", c.difference()),
                cost(&c.before),
                cost(&c.after),
                cell(&c.input),
                cell(&c.ranges),
                cell(&text(&c.before)),
                cell(&text(&c.after)),
            ])?;
        }
        out.flush()
    }
}

/// The CSV cells of the times: the quartiles, the median of the base, and the difference with its interval.
fn milliseconds(times: &Times) -> Vec<String> {
    let (own, more) = (times.own(), times.difference());
    let all = [own.first, own.median, own.third, times.base().median, more.ms, more.low, more.high];
    all.iter().map(|ms| format!("{ms:.3}")).collect()
}

pub(super) fn json(r: &Report) -> Value {
    let with_rounds = |r: &Row| {
        let mut out = row(r);
        out["rounds"] = r.work.rounds().iter().map(round).collect();
        out
    };
    let mut out = json!({
        "headline": r.headline(),
        "base": with_rounds(&r.base),
        "rows": r.rows.iter().map(with_rounds).collect::<Value>(),
        "by_corpus": r.by_corpus.iter().map(row).collect::<Value>(),
        "changed": r.changed.iter().map(changed).collect::<Value>(),
        "bad": r.bad.iter().map(bad).collect::<Value>(),
        "refused": r.refused.iter().map(bad).collect::<Value>(),
    });
    if let Some(e) = &r.elimination {
        out["elimination"] = elimination(e);
    }
    if let Some(e) = &r.earlier {
        let effect = |e: &Effects| json!({"variant": e.variant, "there": e.there, "here": e.here});
        let effects: Value = e.effects.iter().map(effect).collect();
        let (base, here) = (row(&e.base), e.cost_here);
        out["earlier"] =
            json!({"name": e.name, "base": base, "cost_here": here, "effects": effects, "missing": e.missing});
    }
    out
}

fn round(r: &Round) -> Value {
    json!({
        "searches": r.searches, "nodes": r.nodes, "classes": r.classes, "merges": r.merges, "instructions": r.instructions,
    })
}

fn row(r: &Row) -> Value {
    let mut out = json!({
        "variant": r.variant, "corpus": r.corpus, "rules": r.rules, "cases": r.cases, "cost": r.cost,
        "divisions": r.divisions, "nodes": r.nodes, "work": r.work.instructions(),
        "changed": r.changed, "cheaper": r.cheaper, "costlier": r.costlier,
    });
    if let Some(more) = r.interaction {
        out["interaction"] = json!(more);
    }
    if let Some(times) = &r.times {
        let (own, more) = (times.own(), times.difference());
        out["times"] = json!({
            "first": own.first, "median": own.median, "third": own.third, "base": times.base().median,
            "more": more.ms, "low": more.low, "high": more.high, "noise": more.is_noise(),
        });
    }
    out
}

fn changed(c: &Changed) -> Value {
    json!({
        "variant": c.variant, "corpus": c.corpus, "line": c.line, "id": c.id,
        "input": c.input, "ranges": c.ranges, "before": answer(&c.before), "after": answer(&c.after),
    })
}

fn answer(a: &Result<Answer, String>) -> Value {
    match a {
        Ok(a) => json!({
            "text": *a.text, "cost": a.cost, "divisions": a.divisions, "nodes": a.nodes, "work": a.work,
        }),
        Err(why) => json!({"why": why, "cost": 0}),
    }
}

fn bad(b: &BadLine) -> Value {
    json!({"corpus": b.corpus, "line": b.line, "why": b.why})
}

fn elimination(e: &Elimination) -> Value {
    let trials = e.trials.iter();
    let trials: Value = trials
        .map(|t| json!({"rule": t.rule, "cost": t.cost, "costlier": t.costlier, "left_out": t.left_out}))
        .collect();
    json!({"cost": e.cost, "kept": e.kept, "left_out": e.left_out, "trials": trials})
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_cell_is_a_formula() {
        for text in ["=HYPERLINK(\"http://e\",1)", "+1", "-x//2", "@a", "\t=1", "\r=1"] {
            assert_eq!(super::cell(text), format!("'{text}"));
        }
        assert_eq!(super::cell("x - 1"), "x - 1");
    }
}
