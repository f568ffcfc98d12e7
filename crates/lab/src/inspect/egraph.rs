//! The drawing of an e-graph, and the text about each of its classes.

use maud::{Markup, PreEscaped, html};
use quaff::expr::Expr;
use quaff::inspect::{Class, Member, Picture};
use quaff_draw::page::{counted, escaped};
use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;
use rustc_hash::FxHashSet;
use std::fmt::Write as _;

/// The most classes of a drawing. A larger e-graph is shown only as a list of its classes.
const DRAWN: usize = 400;
/// The most members of a class in the drawing. The text about the class lists all of them.
const ROWS: usize = 12;
/// The longest text of an expression that is shown, in characters.
const TEXT: usize = 4000;
/// Sizes in pixels: of a character, of a row, and of the border of a box.
const CHARACTER: f64 = 7.4;
const ROW: f64 = 16.0;
const BORDER: f64 = 8.0;
/// The space between boxes.
const SPACE: f64 = 36.0;
/// The style of the drawing, which uses the colours of the page around it, if the page sets them.
const STYLE: &str = "\
.egraph-drawing rect { fill: var(--paper, #fff); stroke: var(--edge, #888) }\
.egraph-drawing text { font: 12px ui-monospace, monospace; fill: var(--ink, #222) }\
.egraph-drawing text.head { font-weight: bold; fill: var(--muted, #666) }\
.egraph-drawing text.chosen { font-weight: bold; fill: var(--accent, #2a6fdb) }\
.egraph-drawing text.note { font-weight: bold; fill: var(--accent-2, #a85400) }\
.egraph-drawing path { fill: none; stroke: var(--edge, #999) }\
.egraph-drawing path.chosen { stroke: var(--accent, #2a6fdb); stroke-width: 2 }\
.egraph-drawing g.root rect { stroke-width: 3 }";

/// The text of an expression, or a sentence if the expression is too long.
pub(super) fn text(x: &Expr) -> String {
    x.to_infix(TEXT).unwrap_or_else(|e| format!("({e})"))
}

/// The drawing of an e-graph as an HTML fragment. The fragment also has a section about each class with its facts, its
/// members, and the classes that use it.
///
/// The members that the answer uses are marked. Each of the `notes`, given with the index of a class, is written into
/// the box of this class. The page around the fragment may show one section at a time. Without a script, all sections
/// are shown.
///
/// ```
/// use quaff::{Simplifier, domain::Domain, inspect::picture};
///
/// let domain = Domain::new().with("x", 0..100);
/// let picture = picture(&Simplifier::default(), &["x*4//2".parse()?], &domain)?;
/// let fragment = quaff_lab::inspect::egraph(&picture, &[(0, "the question".into())]);
/// assert!(fragment.contains("<svg") && fragment.contains("the question"));
/// # Ok::<(), quaff::Error>(())
/// ```
///
/// Up to 400 classes are drawn in layers. A larger e-graph is only listed, in linear time.
pub fn egraph(view: &Picture, notes: &[(usize, String)]) -> String {
    let users = users(view);
    let fragment = html! {
        div class="egraph" {
            @if view.classes.len() <= DRAWN {
                div class="zoom" { (PreEscaped(drawing(view, notes))) }
            } @else {
                p { (view.classes.len()) " classes are too many to draw. The list has all of them." }
            }
            details class="classes" {
                summary { "All classes" }
                p { label { "Filter " input type="search" class="filter" data-filter=""; } }
                table class="sortable" {
                    thead { tr { th data-sort="" { "class" } th data-sort="" { "value" } th data-sort="" { "written" } th class="number" data-sort="" { "members" } } }
                    tbody { @for (i, class) in view.classes.iter().enumerate() { tr {
                        td data-value=(i) { (link(i)) } td { (class.value) }
                        td { @if let Some(written) = &class.written { code { (text(written)) } } }
                        td class="number" { (class.members.len()) }
                    } } }
                }
            }
            div class="abouts" {
                @for (i, class) in view.classes.iter().enumerate() { (about(view, i, class, notes, &users[i])) }
            }
        }
    };
    fragment.into_string()
}

/// The classes and members that use each class.
fn users(view: &Picture) -> Vec<Vec<(usize, &Member)>> {
    let mut users = vec![Vec::new(); view.classes.len()];
    for (i, class) in view.classes.iter().enumerate() {
        for m in &class.members {
            let operands: FxHashSet<usize> = m.operands.iter().copied().collect();
            for o in operands {
                users[o].push((i, m));
            }
        }
    }
    users
}

fn about(view: &Picture, i: usize, class: &Class, notes: &[(usize, String)], users: &[(usize, &Member)]) -> Markup {
    html! {
        section class="about" id=(format!("class-{i}")) {
            h3 { "e" (i) ": " (class.value) }
            @if view.roots.first() == Some(&i) { p { "This class is the result." } }
            @for (_, note) in notes.iter().filter(|(of, _)| *of == i) { p class="note" { (note) } }
            @if let Some(written) = &class.written { p { code { (text(written)) } } }
            @if !class.facts.is_empty() {
                table { tbody {
                    @for (name, value) in &class.facts { tr { th scope="row" { (name) } td { (value) } } }
                } }
            }
            h4 { (counted(class.members.len(), "member")) }
            ul { @for m in &class.members { li class=[m.chosen.then_some("chosen")] { (member(m)) @if m.chosen { " (chosen)" } } } }
            h4 { (counted(users.len(), "user")) }
            ul { @for (user, m) in users { li { (link(*user)) " = " (member(m)) } } }
        }
    }
}

fn link(class: usize) -> Markup {
    html! { a href=(format!("#e{class}")) { "e" (class) } }
}

/// Writes a member with links to its operands.
fn member(m: &Member) -> Markup {
    let (mut parts, mut rest) = (Vec::new(), m.template.as_str());
    for (place, &operand) in m.operands.iter().enumerate() {
        let Some((before, after)) = rest.split_once(&format!("{{{place}}}")) else { break };
        parts.push((before, operand));
        rest = after;
    }
    html! { code { @for (before, operand) in parts { (before) (link(operand)) } (rest) } }
}

/// The rows in the box of a class: its notes, its expression and its members.
fn rows(i: usize, class: &Class, notes: &[(usize, String)]) -> Vec<(String, &'static str)> {
    let mut rows = vec![(format!("e{i}: {}", class.value), "head")];
    rows.extend(notes.iter().filter(|(of, _)| *of == i).map(|(_, note)| (note.clone(), "note")));
    // the members that the answer uses come first, so that the drawing shows them
    let mut members: Vec<_> = class.members.iter().collect();
    members.sort_by_key(|m| !m.chosen);
    for m in members.iter().take(ROWS) {
        let mut text = String::new();
        let mut rest = m.template.as_str();
        for (place, operand) in m.operands.iter().enumerate() {
            let Some((before, after)) = rest.split_once(&format!("{{{place}}}")) else { break };
            let _ = write!(text, "{before}e{operand}");
            rest = after;
        }
        rows.push((text + rest, if m.chosen { "chosen" } else { "" }));
    }
    if members.len() > ROWS {
        rows.push((format!("and {} more", members.len() - ROWS), "head"));
    }
    rows
}

/// The drawing of the classes in layers. Users are above operands.
pub(super) fn drawing(view: &Picture, notes: &[(usize, String)]) -> String {
    let rows: Vec<_> = view.classes.iter().enumerate().map(|(i, c)| rows(i, c, notes)).collect();
    let size = |i: usize| {
        let longest = rows[i].iter().map(|r| r.0.chars().count()).max().unwrap_or(0);
        (longest as f64 * CHARACTER + 2.0 * BORDER, rows[i].len() as f64 * ROW + 2.0 * BORDER)
    };
    let mut edges: Vec<(usize, usize, bool)> = Vec::new();
    for (from, class) in view.classes.iter().enumerate() {
        let mut seen = FxHashSet::default();
        let mut members: Vec<_> = class.members.iter().collect();
        members.sort_by_key(|m| !m.chosen);
        for m in members {
            edges
                .extend(m.operands.iter().filter(|&&to| to != from && seen.insert(to)).map(|&to| (from, to, m.chosen)));
        }
    }
    let vertices: Vec<(u32, (f64, f64))> = (0..rows.len()).map(|i| (i as u32, size(i))).collect();
    let plain: Vec<(u32, u32)> = edges.iter().map(|e| (e.0 as u32, e.1 as u32)).collect();
    // do not let the layout library exchange neighbours, which takes minutes for an e-graph with 200 classes
    let config = Config { vertex_spacing: SPACE, transpose: false, ..Config::default() };
    // the centres of the boxes, with connected parts side by side
    let mut at = vec![(0.0, 0.0); rows.len()];
    let mut right = 0.0;
    for (part, ..) in from_vertices_and_edges(&vertices, &plain, &config) {
        let edge = |f: fn(f64, f64) -> f64, start: f64, side: f64| {
            part.iter().fold(start, |x, (i, (cx, _))| f(x, cx + side * size(*i).0 / 2.0))
        };
        let (left, end) = (edge(f64::min, f64::INFINITY, -1.0), edge(f64::max, f64::NEG_INFINITY, 1.0));
        for (i, (x, y)) in &part {
            at[*i] = (x - left + right, y.abs());
        }
        right += end - left + SPACE;
    }
    let top = (0..rows.len()).map(|i| at[i].1 - size(i).1 / 2.0).fold(f64::INFINITY, f64::min);
    at.iter_mut().for_each(|p| *p = (p.0 + BORDER, p.1 - top + BORDER));
    let bottom = (0..rows.len()).map(|i| at[i].1 + size(i).1 / 2.0).fold(0.0, f64::max) + BORDER;

    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"egraph-drawing\" width=\"{right:.0}\" height=\"{bottom:.0}\" \
         viewBox=\"0 0 {right:.0} {bottom:.0}\">\n<title>e-graph</title>\n<style>{STYLE}</style>\n"
    );
    for (from, to, chosen) in edges {
        let ((x, y), (u, v)) = (at[from], at[to]);
        let down = if v >= y { 1.0 } else { -1.0 };
        let (y, v) = (y + down * size(from).1 / 2.0, v - down * size(to).1 / 2.0);
        let middle = (y + v) / 2.0;
        let class = if chosen { "edge chosen" } else { "edge" };
        let _ = writeln!(
            out,
            "<path class=\"{class}\" data-from=\"{from}\" data-to=\"{to}\" d=\"M{x:.1} {y:.1}C{x:.1} {middle:.1} {u:.1} {middle:.1} {u:.1} {v:.1}\"/>"
        );
    }
    for (i, rows) in rows.iter().enumerate() {
        let ((x, y), (w, h)) = (at[i], size(i));
        let (x, y) = (x - w / 2.0, y - h / 2.0);
        let _ = writeln!(
            out,
            "<g class=\"class{}\" data-class=\"{i}\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" \
             height=\"{h:.1}\" rx=\"4\"/>",
            if view.roots.first() == Some(&i) { " root" } else { "" }
        );
        for (n, (text, class)) in rows.iter().enumerate() {
            let (x, y) = (x + BORDER, y + BORDER + (n as f64 + 0.75) * ROW);
            let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escaped(text));
        }
        out.push_str("</g>\n");
    }
    out + "</svg>"
}
