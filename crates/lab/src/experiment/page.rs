//! A report as one HTML page: figures, plots, and the changed cases to click through.

use super::outcome::Report;
use super::plot;
use crate::inspect::page::{Page, escaped};
use serde_json::Value;

/// Changed cases of a variant that the page holds, those whose cost changes most.
const SHOWN: usize = 60;
/// Bars of a plot.
const BARS: usize = 40;

impl Report {
    /// The report as a page that needs no other file: a table of the variants, plots of cost and time, and for each
    /// variant its figures by corpus and up to 60 changed cases, those whose cost changes most.
    pub fn html(&self) -> String {
        let title = format!("{} rule sets compared with {}", self.rows.len(), self.base.variant);
        let cost =
            self.rows.iter().map(|r| (r.variant.as_str(), r.cost.instructions() - self.base.cost.instructions()));
        let time = self.rows.iter().map(|r| (r.variant.as_str(), r.ms - self.base.ms));
        let mut plots = String::new();
        for (caption, bars) in [
            ("instructions more than the base", farthest(cost)),
            ("milliseconds more than the base, all cases together", farthest(time)),
        ] {
            plots += &plot::bars(caption, &bars);
        }
        if let Some(e) = &self.elimination {
            let costs: Vec<f64> = e.trials.iter().filter(|t| t.left_out).map(|t| t.cost.instructions()).collect();
            plots += &plot::descent("total cost as rules are left out", e.cost.instructions(), &costs);
        }
        let body = format!(
            "<h1>{}</h1>\n<p>{} cases with {} rules: cost {}, {} divisions left, {} e-nodes, {:.0} ms. Click a rule set to see \
             its changed cases, a head to sort.</p>\n<p><input id=\"filter\" placeholder=\"filter\" aria-label=\"filter\"></p>\n\
             <div id=\"summary\"></div>\n<div id=\"variant\"></div>\n<div id=\"elimination\"></div>\n<h2>Plots</h2>\n{plots}\n\
             <div id=\"troubles\"></div>",
            escaped(&title),
            self.base.cases,
            self.base.rules,
            self.base.cost,
            self.base.divisions,
            self.base.nodes,
            self.base.ms
        );
        let data = self.most_changed(SHOWN).json();
        Page { title: &title, style: "", body: &body, data: &data, script: include_str!("page.js") }.html()
    }

    /// With at most so many changed cases of each variant, those whose cost changes most first.
    fn most_changed(&self, count: usize) -> Report {
        let mut fewer = Report { changed: Vec::new(), ..self.clone() };
        for part in self.changed.chunk_by(|a, b| a.variant == b.variant) {
            let mut part = part.to_vec();
            part.sort_by(|a, b| b.difference().abs().total_cmp(&a.difference().abs()));
            part.truncate(count);
            fewer.changed.extend(part);
        }
        fewer
    }

    /// Everything as JSON: `base`, `rows`, `by_corpus`, `changed`, `bad`, `refused`, and `elimination` if there is one.
    pub fn json(&self) -> Value {
        super::report::json(self)
    }
}

/// The bars farthest from 0, in the order given; none for 0.
fn farthest<'a>(bars: impl Iterator<Item = (&'a str, f64)>) -> Vec<(&'a str, f64)> {
    let mut bars: Vec<(usize, (&str, f64))> = bars.enumerate().filter(|b| b.1.1 != 0.0).collect();
    bars.sort_by(|a, b| b.1.1.abs().total_cmp(&a.1.1.abs()));
    bars.truncate(BARS);
    bars.sort_by_key(|b| b.0);
    bars.into_iter().map(|b| b.1).collect()
}
