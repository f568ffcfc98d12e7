//! HTML pages that need no other file. Each page contains its style, script and data.
//!
//! ```
//! use quaff_draw::page::{Static, escaped};
//!
//! let title = "x < y";
//! let body = format!("<h1>{}</h1>", escaped(title));
//! let page = Static { title, body: &body }.html();
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<h1>x &lt; y</h1>"));
//! ```

use std::fmt::Display;

/// A page of parts of the explorer, with the style sheet and the script of the explorer.
///
/// Without a script the page shows all parts. The script adds sliders, zoom and selection.
#[derive(Clone, Copy, Debug)]
pub struct Static<'a> {
    /// The title, as plain text.
    pub title: &'a str,
    /// The body, which is trusted HTML.
    pub body: &'a str,
}

/// The style sheet for parts of pages, built from `crates/explorer/web`.
pub const PARTS_STYLE: &str = include_str!("built/parts.css");
/// The script for parts of pages, built from `crates/explorer/web`.
pub const PARTS_SCRIPT: &str = include_str!("built/parts.js");

impl Static<'_> {
    /// The whole page.
    pub fn html(&self) -> String {
        let Static { title, body } = self;
        let head = head(title, PARTS_STYLE);
        format!(
            "{head}</head>\n<body class=\"quaff static\">\n{body}\n<script>\n{PARTS_SCRIPT}</script>\n</body>\n</html>\n"
        )
    }
}

/// The beginning of a page, up to the style sheet in its head.
pub fn head(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{style}</style>\n",
        escaped(title)
    )
}

/// `text` escaped for HTML, including attributes.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// `text`, which is JSON, as the content of a script element. In JSON, `<` occurs only in strings, where an escape can
/// replace it.
pub fn json(text: &str) -> String {
    text.replace('<', "\\u003c")
}

/// A number with its noun, for sentences on pages and in pictures: `1 row`, `2 rows`.
pub fn counted(n: impl Display, noun: &str) -> String {
    let text = n.to_string();
    let plural = if text == "1" { "" } else { "s" };
    format!("{text} {noun}{plural}")
}
