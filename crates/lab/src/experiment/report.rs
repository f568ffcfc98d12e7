//! Reports as CSV and JSON.

use super::corpus::BadLine;
use super::outcome::{Changed, Elimination, Report, Row};
use super::run::Answer;
use serde_json::{Value, json};
use std::io::{self, Write};

/// A cell with a text from a file. One that a spreadsheet would take as a formula is quoted by `'`.
fn cell(text: &str) -> String {
    let begins = text.starts_with(['=', '+', '-', '@', '\t', '\r']);
    if begins { format!("'{text}") } else { text.into() }
}

impl Report {
    /// The figures, a row for each rule set and corpus and one for all corpora together: `variant`, `corpus`, `rules`,
    /// `cases`, `cost`, `divisions`, `nodes`, `ms`, `changed`, `cheaper`, `dearer`.
    ///
    /// # Errors
    /// When `out` cannot be written to.
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
            "ms",
            "changed",
            "cheaper",
            "dearer",
        ])?;
        for r in std::iter::once(&self.base).chain(&self.rows) {
            let own = self.by_corpus.iter().filter(|c| c.variant == r.variant);
            for r in own.chain([r]) {
                out.write_record([
                    cell(&r.variant),
                    cell(&r.corpus),
                    r.rules.to_string(),
                    r.cases.to_string(),
                    format!("{:.1}", r.cost),
                    r.divisions.to_string(),
                    r.nodes.to_string(),
                    format!("{:.3}", r.ms),
                    r.changed.to_string(),
                    r.cheaper.to_string(),
                    r.dearer.to_string(),
                ])?;
            }
        }
        out.flush()
    }

    /// The changed cases, a row each: `variant`, `corpus`, `line`, `id`, `difference`, `cost_before`, `cost_after`,
    /// `input`, `ranges`, `before`, `after`. A text that begins with `=`, `+`, `-` or `@` has a `'` before it, so that no
    /// spreadsheet takes it as a formula.
    ///
    /// # Errors
    /// When `out` cannot be written to.
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

pub(super) fn json(r: &Report) -> Value {
    let mut out = json!({
        "base": row(&r.base),
        "rows": r.rows.iter().map(row).collect::<Value>(),
        "by_corpus": r.by_corpus.iter().map(row).collect::<Value>(),
        "changed": r.changed.iter().map(changed).collect::<Value>(),
        "bad": r.bad.iter().map(bad).collect::<Value>(),
        "refused": r.refused.iter().map(bad).collect::<Value>(),
    });
    if let Some(e) = &r.elimination {
        out["elimination"] = elimination(e);
    }
    out
}

fn row(r: &Row) -> Value {
    json!({
        "variant": r.variant, "corpus": r.corpus, "rules": r.rules, "cases": r.cases, "cost": r.cost,
        "divisions": r.divisions, "nodes": r.nodes, "ms": r.ms,
        "changed": r.changed, "cheaper": r.cheaper, "dearer": r.dearer,
    })
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
            "text": *a.text, "cost": a.cost, "divisions": a.divisions, "nodes": a.nodes,
        }),
        Err(why) => json!({"why": why, "cost": 0}),
    }
}

fn bad(b: &BadLine) -> Value {
    json!({"corpus": b.corpus, "line": b.line, "why": b.why})
}

fn elimination(e: &Elimination) -> Value {
    let trials = e.trials.iter();
    let trials: Value =
        trials.map(|t| json!({"rule": t.rule, "cost": t.cost, "dearer": t.dearer, "left_out": t.left_out})).collect();
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
