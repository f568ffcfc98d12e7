//! HTML pages that need nothing but themselves: style, script and data stand in them.

use serde_json::Value;

/// What a page is made of.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    /// Style sheet of this page, after the one of all pages.
    pub(crate) style: &'a str,
    /// The body, trusted HTML.
    pub(crate) body: &'a str,
    /// What the script finds in `data`.
    pub(crate) data: &'a Value,
    pub(crate) script: &'a str,
}

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

impl Page<'_> {
    /// The whole page.
    pub(crate) fn html(&self) -> String {
        let Page { title, style, body, data, script } = self;
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n{body}\n\
             <script type=\"application/json\" id=\"data\">{}</script>\n<script>\n{SCRIPT}{script}</script>\n</body>\n</html>\n",
            escaped(title),
            json(data),
        )
    }
}

/// `text` as it may stand in HTML, attributes included.
pub(crate) fn escaped(text: &str) -> String {
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

/// JSON that cannot end the element it stands in: `<` occurs in texts only, where an escape means the same.
fn json(data: &Value) -> String {
    data.to_string().replace('<', "\\u003c")
}
