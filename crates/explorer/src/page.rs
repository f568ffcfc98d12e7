//! [`page()`]: the page around the views.

use crate::{examples, views};
use quaff_dialects::Dialect;
use quaff_draw::page::{PARTS_STYLE, head, json};
use serde_json::{Value, json as value};

const STYLE: &str = include_str!("built/explorer.css");
const BODY: &str = include_str!("../web/explorer.html");
const SCRIPT: &str = include_str!("built/explorer.js");

/// The page of the explorer: one HTML file, which needs no other.
///
/// It sends its requests to the address `api` beside its own, or to `window.quaffEngine.respond` where a script before it sets that.
///
/// ```
/// let page = quaff_explorer::page();
/// assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("src="));
/// ```
pub fn page() -> String {
    let choices = value!({
        "from": Dialect::ALL.map(Dialect::name),
        "target": ["sm_80", "sm_90", "sm_100", "plain"],
        "emit": views::languages().collect::<Vec<_>>(),
        "machine": ["nvidia", "cdna3", "cdna3-write", "cdna4", "cdna4-write"],
    });
    let element = |id: &str, data: &Value| {
        format!("<script type=\"application/json\" id=\"{id}\">{}</script>\n", json(&data.to_string()))
    };
    format!(
        "{}<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n{BODY}\n{}{}<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        head("quaff explorer", &format!("{PARTS_STYLE}{STYLE}")),
        element("examples", &examples::all()),
        element("choices", &choices),
    )
}
