//! A report as one HTML page: figures, plots, and the changed cases to click through.

use super::outcome::Report;
use crate::plot::{self, Bar};
use quaff::inspect::Round;
use quaff_draw::page::{Page, escaped};
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
        let cost = self.rows.iter().map(|r| Bar::new(&r.variant, r.effect(&self.base)));
        let time = self.rows.iter().filter_map(|r| {
            let more = r.times.as_ref()?.difference();
            Some(Bar::new(&r.variant, more.ms).within(more.low, more.high))
        });
        let base_work = self.base.work.instructions() as f64;
        let work = self.rows.iter().map(|r| Bar::new(&r.variant, r.work.instructions() as f64 - base_work));
        let mut plots = String::new();
        for (caption, bars) in [
            ("instructions of all answers more than the base", farthest(cost)),
            ("instructions of rules more than the base", farthest(work)),
            ("milliseconds more than the base, all cases together, with intervals of 99 %", farthest(time)),
        ] {
            plots += &plot::bars(caption, &bars);
        }
        let rounds = self.base.work.rounds();
        let of = |count: fn(&Round) -> u64| rounds.iter().map(|r| count(r) as f64).collect();
        let curves = [("e-nodes", of(|r| r.nodes)), ("e-classes", of(|r| r.classes)), ("merges", of(|r| r.merges))];
        plots += &plot::curves("the e-graphs of the base, all searches together", "round", &curves);
        if let Some(e) = &self.elimination {
            let costs: Vec<f64> = e.trials.iter().filter(|t| t.left_out).map(|t| t.cost.instructions()).collect();
            let costs = [("cost", std::iter::once(e.cost.instructions()).chain(costs).collect())];
            plots += &plot::curves("total cost as rules are left out", "rules left out", &costs);
        }
        let body = format!(
            "<h1>{}</h1>\n<p><b>{}</b></p>\n<p>{} cases with {} rules: cost {}, {} divisions left, {} e-nodes, {} instructions of \
             rules. Click a rule set to see its changed cases, a head to sort.</p>\n<p><input id=\"filter\" placeholder=\"filter\" aria-label=\"filter\"></p>\n\
             <div id=\"summary\"></div>\n<div id=\"variant\"></div>\n<div id=\"earlier\"></div>\n<div id=\"elimination\"></div>\n<h2>Plots</h2>\n{plots}\n\
             <div id=\"troubles\"></div>",
            escaped(&title),
            escaped(&self.headline()),
            self.base.cases,
            self.base.rules,
            self.base.cost,
            self.base.divisions,
            self.base.nodes,
            self.base.work.instructions()
        );
        let data = self.most_changed(SHOWN).json();
        Page { title: &title, style: "", body: &body, data: &data, script: include_str!("page.js") }.html()
    }

    /// The outcome in a sentence.
    pub fn headline(&self) -> String {
        let effects: Vec<f64> = self.rows.iter().map(|r| r.effect(&self.base)).collect();
        let count = |is: fn(&f64) -> bool| effects.iter().filter(|e| is(e)).count();
        let (more, less) = (count(|e| *e > 0.0), count(|e| *e < 0.0));
        let other = self.rows.iter().zip(&effects).filter(|(r, e)| **e == 0.0 && r.changed > 0).count();
        let of = self.rows.len();
        let mut text = format!(
            "{} of {of} rule sets matter: with {more} of them the answers cost more, with {less} less",
            more + less
        );
        if other > 0 {
            text += &format!("; {other} others change answers, and not their cost");
        }
        text + "."
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

    /// Everything as JSON: `headline`, `base`, `rows`, `by_corpus`, `changed`, `bad`, `refused`, and `elimination` and `earlier` where there
    /// is one.
    pub fn json(&self) -> Value {
        super::report::json(self)
    }
}

/// The bars farthest from 0, the greatest first; none for 0.
fn farthest<'a>(bars: impl Iterator<Item = Bar<'a>>) -> Vec<Bar<'a>> {
    let mut bars: Vec<Bar<'_>> = bars.filter(|b| b.value != 0.0).collect();
    bars.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    bars.truncate(BARS);
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    bars
}
