//! HTML pages that need no other file: style, script and data are in them.
//!
//! ```
//! use quaff_draw::page::{Page, escaped};
//!
//! let title = "x < y";
//! let body = format!("<h1>{}</h1>", escaped(title));
//! let page = Page { title, style: "", body: &body, data: &serde_json::Value::Null, script: "" }.html();
//! assert!(page.starts_with("<!DOCTYPE html>") && page.contains("<h1>x &lt; y</h1>"));
//! ```

use serde_json::Value;

/// A page of parts that the explorer has as well: they share its style sheet and its script.
///
/// Without a script the page shows all parts; the script adds sliders, zoom and selection.
#[derive(Clone, Copy, Debug)]
pub struct Static<'a> {
    /// Its title, as plain text.
    pub title: &'a str,
    /// The body, trusted HTML.
    pub body: &'a str,
}

/// Style of parts of pages, made from `crates/explorer/web`.
pub const PARTS_STYLE: &str = include_str!("built/parts.css");
/// Script of parts of pages, made from `crates/explorer/web`.
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

/// The begin of a page, up to the style sheet in its head.
pub fn head(title: &str, style: &str) -> String {
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{}</title>\n<style>\n{style}</style>\n",
        escaped(title)
    )
}

/// The parts of a page with a script of its own.
pub struct Page<'a> {
    /// Its title, as plain text.
    pub title: &'a str,
    /// Style sheet of this page, after the one of all pages.
    pub style: &'a str,
    /// The body, trusted HTML.
    pub body: &'a str,
    /// The value that the script finds in `data`.
    pub data: &'a Value,
    /// Script of this page, after the one of all pages.
    pub script: &'a str,
}

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Page<'_> {
    /// The whole page.
    pub fn html(&self) -> String {
        let Page { title, style, body, data, script } = self;
        let head = head(title, &format!("{STYLE}{style}"));
        let data = json(&data.to_string());
        format!(
            "{head}</head>\n<body>\n{body}\n<script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n{SCRIPT}{script}</script>\n</body>\n</html>\n"
        )
    }
}

/// `text` as it may stand in HTML, attributes included.
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

/// `text`, which is JSON, as the content of a script element. `<` occurs in texts only, where an escape means the same.
pub fn json(text: &str) -> String {
    text.replace('<', "\\u003c")
}

/// A number with its noun, for sentences of pages and pictures: `1 row`, `2 rows`.
pub fn counted(n: usize, noun: &str) -> String {
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}s") }
}
