//! An e-graph as a page to look into.

use crate::inspect::page::{Page, escaped};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::inspect::{Class, Picture, picture};
use quaff::{Simplifier, SimplifyError};
use rust_sugiyama::configure::Config;
use rust_sugiyama::from_vertices_and_edges;
use rustc_hash::FxHashSet;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Classes of a drawing; more are listed only.
const DRAWN: usize = 400;
/// Members of a class in the drawing; the page has all of them.
const ROWS: usize = 12;
/// Longest text of an expression.
const TEXT: usize = 4000;
/// In pixels: a character, a row, and the border of a box.
const CHARACTER: f64 = 7.4;
const ROW: f64 = 16.0;
const BORDER: f64 = 8.0;
/// Between boxes.
const SPACE: f64 = 36.0;

/// The e-graph after saturation as a page to look into, which needs no other file: a drawing, and of each class its facts, its
/// members, what uses it, and a cheap way to write it. Members of the answer are marked, as by [`dot()`](quaff::inspect::dot()).
///
/// ```
/// use quaff::{Simplifier, domain::Domain};
///
/// let domain = Domain::new().with("x", 0..100);
/// let page = quaff_lab::inspect::browse(&Simplifier::default(), &["x*4//2".parse()?], &domain)?;
/// assert!(page.starts_with("<!DOCTYPE html>") && page.contains("x*4//2"));
/// # Ok::<(), quaff::Error>(())
/// ```
///
/// # Errors
/// Those of [`Simplifier::simplify`].
pub fn browse(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
    Ok(page(&picture(simplifier, exprs, domain)?, exprs))
}

/// The page about `exprs`, the results of `view`.
fn page(view: &Picture, exprs: &[Expr]) -> String {
    let text = |x: &Expr| x.to_infix(TEXT).unwrap_or_else(|e| format!("({e})"));
    let classes = view.classes.iter().map(|c| {
        let members = c.members.iter();
        json!({
            "value": c.value,
            "facts": c.facts.iter().map(|(what, value)| json!([what, value])).collect::<Value>(),
            "written": c.written.as_ref().map(text),
            "members": members
                .map(|m| json!({"text": m.template, "operands": m.operands, "chosen": m.chosen}))
                .collect::<Value>(),
        })
    });
    let data = json!({"roots": view.roots, "classes": classes.collect::<Value>()});
    let title = format!("e-graph of {}", exprs.iter().map(text).collect::<Vec<_>>().join("; "));
    let results: Vec<String> =
        view.roots.iter().enumerate().map(|(i, r)| format!("result {i}: <a href=\"#e{r}\">e{r}</a>")).collect();
    let drawing = match view.classes.len() <= DRAWN {
        true => drawing(view),
        false => format!("<p>{} classes are too many to draw; the list has all of them.</p>", view.classes.len()),
    };
    let body = format!(
        "<h1>E-graph after saturation</h1>\n<p><code>{}</code></p>\n<p>{}. Boxes are classes of equal expressions, their rows \
         the members; what the answer is made of is blue. Click a class for its facts, members and users. \
         <button id=\"larger\">larger</button> <button id=\"smaller\">smaller</button></p>\n\
         <main><div><div id=\"drawing\">{drawing}</div><h2>Classes</h2>\
         <p><input id=\"filter\" placeholder=\"filter\" aria-label=\"filter\"></p><ul id=\"list\"></ul></div>\
         <aside id=\"class\"></aside></main>",
        escaped(&exprs.iter().map(text).collect::<Vec<_>>().join("; ")),
        results.join(", "),
    );
    Page {
        title: &title,
        style: include_str!("browse.css"),
        body: &body,
        data: &data,
        script: include_str!("browse.js"),
    }
    .html()
}

/// Rows of a class: what it is, and its members.
fn rows(i: usize, class: &Class) -> Vec<(String, &'static str)> {
    let mut rows = vec![(format!("e{i}: {}", class.value), "head")];
    // what was chosen first: it must be seen
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

/// The classes in layers, users above operands.
fn drawing(view: &Picture) -> String {
    let rows: Vec<_> = view.classes.iter().enumerate().map(|(i, c)| rows(i, c)).collect();
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
    let config = Config { vertex_spacing: SPACE, ..Config::default() };
    // centres of boxes; parts that hang together stand side by side
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
        "<svg width=\"{right:.0}\" height=\"{bottom:.0}\" viewBox=\"0 0 {right:.0} {bottom:.0}\" role=\"img\" \
         aria-label=\"e-graph\">\n"
    );
    for (from, to, chosen) in edges {
        let ((x, y), (u, v)) = (at[from], at[to]);
        let down = if v >= y { 1.0 } else { -1.0 };
        let (y, v) = (y + down * size(from).1 / 2.0, v - down * size(to).1 / 2.0);
        let middle = (y + v) / 2.0;
        let class = if chosen { "edge chosen" } else { "edge" };
        let _ = writeln!(
            out,
            "<path class=\"{class}\" d=\"M{x:.1} {y:.1}C{x:.1} {middle:.1} {u:.1} {middle:.1} {u:.1} {v:.1}\"/>"
        );
    }
    for (i, rows) in rows.iter().enumerate() {
        let ((x, y), (w, h)) = (at[i], size(i));
        let (x, y) = (x - w / 2.0, y - h / 2.0);
        let _ = writeln!(
            out,
            "<g class=\"class\" data-class=\"{i}\" tabindex=\"0\"><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" \
             height=\"{h:.1}\" rx=\"4\"/>"
        );
        for (n, (text, class)) in rows.iter().enumerate() {
            let (x, y) = (x + BORDER, y + BORDER + (n as f64 + 0.75) * ROW);
            let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" class=\"{class}\">{}</text>", escaped(text));
        }
        out.push_str("</g>\n");
    }
    out + "</svg>"
}
