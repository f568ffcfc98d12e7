//! [`page()`]: the HTML page that contains the views.

use crate::{examples, views};
use quaff_dialects::Dialect;
use quaff_draw::page::{PARTS_STYLE, escaped, head, json};
use serde_json::{Value, json as value};

const STYLE: &str = include_str!("built/explorer.css");
const BODY: &str = include_str!("../web/explorer.html");
const SCRIPT: &str = include_str!("built/explorer.js");

/// The page of the explorer: one HTML file, which needs no other file.
///
/// The page sends its requests to the relative address `api`. If an earlier script sets `window.quaffEngine.respond`,
/// the page calls that function.
///
/// ```
/// let page = quaff_explorer::page();
/// assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("src="));
/// ```
pub fn page() -> String {
    page_with("")
}

/// The page of the explorer with its engine in a script. The script has the address `engine`, relative to the page.
///
/// ```
/// assert!(quaff_explorer::page_of_site("engine.js").contains("<script src=\"engine.js\">"));
/// ```
pub fn page_of_site(engine: &str) -> String {
    page_with(&format!("<script src=\"{}\"></script>\n", escaped(engine)))
}

fn page_with(engine: &str) -> String {
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
        "{}<link rel=\"icon\" href=\"data:,\">\n</head>\n<body>\n{BODY}\n{}{}{engine}<script>\n{SCRIPT}</script>\n</body>\n</html>\n",
        head("quaff explorer", &format!("{PARTS_STYLE}{STYLE}")),
        element("examples", &examples::all()),
        element("choices", &choices),
    )
}
