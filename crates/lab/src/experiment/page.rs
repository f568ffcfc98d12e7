//! A report as one HTML page: figures, plots, and the changed cases.

use super::corpus::BadLine;
use super::outcome::{Changed, Earlier, Elimination, Report, Row};
use super::run::Answer;
use super::times::Times;
use crate::plot::{self, Bar};
use maud::{Markup, PreEscaped, html};
use quaff::cost::Cost;
use quaff::inspect::Round;
use quaff_draw::page::{Static, counted};

/// The most changed cases of a variant on the page. The page shows the cases whose cost changes most.
const SHOWN: usize = 60;
/// The most bars of a plot.
const BARS: usize = 40;
/// The least difference, in instructions, at which two effects are listed as different.
const APART: f64 = 0.05;

impl Report {
    /// The report as a page that needs no other file. The page has a table of the variants (the compared rule sets),
    /// and plots of cost and time. For each variant, the page has the figures by corpus and the changed cases whose
    /// cost changes most, up to 60.
    pub fn html(&self) -> String {
        let title = format!("{} rule sets compared with {}", self.rows.len(), self.base.variant);
        let (changing, same): (Vec<&Row>, Vec<&Row>) = self.by_effect().into_iter().partition(|r| r.changed > 0);
        let body = html! {
            h1 { (title) }
            p { strong { (self.headline()) } }
            p {
                (counted(self.base.cases, "case")) " with " (counted(self.base.rules, "rule")) ": cost " (self.base.cost) ", "
                (self.base.divisions) " divisions left, " (self.base.nodes) " e-nodes, " (self.base.work.instructions()) " instructions of rules."
            }
            h2 { "Rule sets" }
            p { "Differences from the base are in parentheses. A click on a head sorts the table, and a name leads to the changed cases." }
            p { label { "Search " input type="search" class="filter" data-filter="#rows"; } }
            (self.table("rows", &[&[&self.base], &changing[..]].concat()))
            @if !same.is_empty() {
                details { summary { (counted(same.len(), "rule set")) " without another answer" } (self.table("same", &same)) }
            }
            h2 { "Plots" }
            (PreEscaped(self.plots()))
            @if let Some(earlier) = &self.earlier { (self.beside(earlier)) }
            @if let Some(e) = &self.elimination { (smallest(e)) }
            @if !changing.is_empty() { h2 { "Changed cases" } }
            @for row in &changing { (self.variant(row)) }
            (troubles(&self.bad, &self.refused))
        };
        Static { title: &title, body: &body.into_string() }.html()
    }

    /// The outcome of the experiment in one sentence.
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
            let sets = if other == 1 { "another one changes" } else { "others change" };
            let number = if other == 1 { String::new() } else { format!("{other} ") };
            text += &format!("; {number}{sets} answers, and not their cost");
        }
        text + "."
    }

    /// The variants in the order of the total cost of their answers, the highest cost first.
    fn by_effect(&self) -> Vec<&Row> {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| b.effect(&self.base).total_cmp(&a.effect(&self.base)));
        rows
    }

    fn plots(&self) -> String {
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
        plots
    }

    /// A table with one row of figures for each of `rows`.
    fn table(&self, id: &str, rows: &[&Row]) -> Markup {
        html! {
            table id=(id) class="sortable" {
                thead { tr { th data-sort="" { "variant" } (self.heads()) } }
                tbody { @for row in rows {
                    tr {
                        td { @if row.changed > 0 { a href=(format!("#{}", self.place(row))) { (row.variant) } } @else { (row.variant) } }
                        (self.figures(row, &self.base))
                    }
                } }
            }
        }
    }

    fn heads(&self) -> Markup {
        html! {
            @for name in ["cost", "divisions", "nodes", "work", "changed", "cheaper", "costlier"] {
                th class="number" data-sort="" { (name) }
            }
            @if self.has_interactions() { th class="number" data-sort="" { "interaction" } }
            @if self.base.times.is_some() { th class="number" data-sort="" { "ms" } }
        }
    }

    /// The cells of a table row, with the differences from `base`.
    fn figures(&self, row: &Row, base: &Row) -> Markup {
        let count = |own: u64, base: u64| {
            let more = i128::from(own) - i128::from(base);
            html! { td class="number" data-value=(own) { (own) @if more != 0 { " (" (format!("{more:+}")) ")" } } }
        };
        let (cost, effect) = (row.cost.instructions(), row.effect(base));
        html! {
            td class="number" data-value=(cost) { (format!("{cost:.1}")) @if effect != 0.0 { " (" (format!("{effect:+.1}")) ")" } }
            (count(row.divisions, base.divisions))
            (count(row.nodes, base.nodes))
            (count(row.work.instructions(), base.work.instructions()))
            @for n in [row.changed, row.cheaper, row.costlier] { td class="number" { (n) } }
            @if self.has_interactions() { td class="number" { @if let Some(more) = row.interaction { (format!("{more:.1}")) } } }
            @if self.base.times.is_some() { (time(row.times.as_ref(), std::ptr::eq(row, &self.base))) }
        }
    }

    fn has_interactions(&self) -> bool {
        self.rows.iter().any(|r| r.interaction.is_some())
    }

    /// The link target of the section about `row`.
    fn place(&self, row: &Row) -> String {
        let at = self.rows.iter().position(|r| r.variant == row.variant).unwrap_or_default();
        format!("variant-{at}")
    }

    /// The figures of a variant by corpus, and the cases whose cost it changes most.
    fn variant(&self, row: &Row) -> Markup {
        let corpora = self.by_corpus.iter().filter(|r| r.variant == row.variant);
        let base = |r: &Row| self.by_corpus.iter().find(|b| b.variant == self.base.variant && b.corpus == r.corpus);
        let mut all: Vec<&Changed> = self.changed.iter().filter(|c| c.variant == row.variant).collect();
        all.sort_by(|a, b| b.difference().abs().total_cmp(&a.difference().abs()));
        html! {
            details id=(self.place(row)) {
                summary { (row.variant) ", " (counted(row.changed, "changed case")) }
                table {
                    thead { tr { th { "corpus" } th class="number" { "cases" } (self.heads()) } }
                    tbody { @for r in corpora {
                        tr { td { (r.corpus) } td class="number" { (r.cases) } (self.figures(r, base(r).unwrap_or(r))) }
                    } }
                }
                @if all.len() > SHOWN { p class="muted" { "These are the " (SHOWN) " cases whose cost changes most." } }
                @for c in all.iter().take(SHOWN) { (case(c)) }
            }
        }
    }

    /// The comparison with the results of an earlier program.
    fn beside(&self, e: &Earlier) -> Markup {
        let gap = |there: f64, here: f64| (there - here).abs();
        let mut apart: Vec<_> = e.effects.iter().filter(|r| gap(r.there, r.here) > APART).collect();
        apart.sort_by(|a, b| gap(b.there, b.here).total_cmp(&gap(a.there, a.here)));
        let cases: Vec<&Changed> = self.changed.iter().filter(|c| c.variant == e.name).collect();
        html! {
            h2 { "Beside " (e.name) }
            p {
                "The cost is " (tenths(e.base.cost)) " there and " (tenths(e.cost_here)) " here. " (counted(e.base.changed, "answer"))
                " differ: " (e.base.cheaper) " are cheaper there, and " (e.base.costlier) " are cheaper here."
            }
            @if !e.missing.is_empty() { p { "There are no results there of " (e.missing.join(" ")) "." } }
            @if !apart.is_empty() {
                table {
                    thead { tr { th { "rule set" } th class="number" { "costs more there" } th class="number" { "costs more here" } } }
                    tbody { @for r in &apart { tr {
                        td { (r.variant) } td class="number" { (format!("{:.1}", r.there)) } td class="number" { (format!("{:.1}", r.here)) }
                    } } }
                }
            }
            details { summary { (counted(cases.len(), "changed case")) } @for c in &cases { (case(c)) } }
        }
    }

    /// The whole report as JSON: `headline`, `base`, `rows`, `by_corpus`, `changed`, `bad`, `refused`, and
    /// `elimination` and `earlier` if they exist.
    pub fn json(&self) -> serde_json::Value {
        super::report::json(self)
    }
}

/// The quartiles of the times in milliseconds. For a variant, also the difference from the base, with its 99 %
/// interval.
fn time(times: Option<&Times>, is_base: bool) -> Markup {
    let Some(times) = times else { return html! { td {} } };
    let (own, more) = (times.own(), times.difference());
    html! {
        td class="number" data-value=(if is_base { 0.0 } else { more.ms }) {
            (format!("{:.1} [{:.1}, {:.1}]", own.median, own.first, own.third))
            @if is_base {} @else if more.is_noise() { " (noise)" } @else { (format!(" ({:+.1} [{:.1}, {:.1}])", more.ms, more.low, more.high)) }
        }
    }
}

/// A changed case, as a part of the page.
fn case(c: &Changed) -> Markup {
    html! {
        details {
            summary { (format!("{:+.1}", c.difference())) " " (c.corpus) " line " (c.line) ": " (c.id) }
            p { strong { "input: " } code { (c.input) } }
            p { strong { "ranges: " } code { (c.ranges) } }
            (side("base", &c.before))
            (side(&c.variant, &c.after))
        }
    }
}

fn side(name: &str, answer: &Result<Answer, String>) -> Markup {
    html! {
        p { strong { (name) ": " } @match answer {
            Ok(a) => { code { (a.text) } small { " cost " (a.cost) ", " (a.divisions) " divisions, " (a.nodes) " e-nodes" } },
            Err(why) => { "no answer: " (why) }
        } }
    }
}

/// The search for a small rule set, as a part of the page.
fn smallest(e: &Elimination) -> Markup {
    html! {
        h2 { "Smallest set found" }
        p { (counted(e.kept.len(), "rule")) " stay: " code { (e.kept.join(" ")) } }
        p { (counted(e.left_out.len(), "rule")) " are left out: " code { (e.left_out.join(" ")) } }
        details { summary { (counted(e.trials.len(), "attempt")) } table {
            thead { tr { th { "rule" } th class="number" { "cost without it" } th class="number" { "costlier cases" } th {} } }
            tbody { @for t in &e.trials { tr {
                td { (t.rule) } td class="number" { (tenths(t.cost)) } td class="number" { (t.costlier) } td { @if t.left_out { "left out" } @else { "needed" } }
            } } }
        } }
    }
}

/// The corpus lines without an answer, as a part of the page.
fn troubles(bad: &[BadLine], refused: &[BadLine]) -> Markup {
    let all = bad.iter().map(|b| ("not a question", b)).chain(refused.iter().map(|b| ("refused", b)));
    html! {
        @if !bad.is_empty() || !refused.is_empty() {
            details { summary { (counted(bad.len() + refused.len(), "line")) " without an answer" } table {
                tbody { @for (what, b) in all { tr { td { (what) } td { (b.corpus) " line " (b.line) } td { code { (b.why) } } } } }
            } }
        }
    }
}

fn tenths(cost: Cost) -> String {
    format!("{:.1}", cost.instructions())
}

/// The bars whose values are farthest from 0, in descending order of their values. Bars with the value 0 are left out.
fn farthest<'a>(bars: impl Iterator<Item = Bar<'a>>) -> Vec<Bar<'a>> {
    let mut bars: Vec<Bar<'_>> = bars.filter(|b| b.value != 0.0).collect();
    bars.sort_by(|a, b| b.value.abs().total_cmp(&a.value.abs()));
    bars.truncate(BARS);
    bars.sort_by(|a, b| b.value.total_cmp(&a.value));
    bars
}
