//! Writes an e-graph as an HTML page for browsing.

use super::egraph::{drawing, egraph, text};
use maud::{PreEscaped, html};
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::inspect::picture;
use quaff::{Simplifier, SimplifyError};
use quaff_draw::page::Static;

/// The e-graph after saturation as a page that can be browsed and needs no other file. The page has a drawing. For each
/// class it shows the facts, the members, the classes that use it, and a cheap expression. The members that the answer
/// uses are marked, as [`dot()`](quaff::inspect::dot()) does.
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
/// The errors of [`Simplifier::simplify`].
pub fn browse(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
    let view = picture(simplifier, exprs, domain)?;
    let asked = exprs.iter().map(text).collect::<Vec<_>>().join("; ");
    let body = html! {
        h1 { "E-graph after saturation" }
        p { code { (asked) } }
        p {
            "A box is a class of equal expressions, and its rows are the members. The answer is made of the blue rows. "
            "A click on a class shows its facts, its members, and the classes that use it."
        }
        (PreEscaped(egraph(&view, &[])))
    };
    Ok(Static { title: &format!("e-graph of {asked}"), body: &body.into_string() }.html())
}

/// The e-graph after saturation as an SVG picture: the drawing of [`browse`].
///
/// # Errors
/// The errors of [`Simplifier::simplify`].
pub fn svg(simplifier: &Simplifier, exprs: &[Expr], domain: &Domain) -> Result<String, SimplifyError> {
    Ok(drawing(&picture(simplifier, exprs, domain)?, &[]))
}
