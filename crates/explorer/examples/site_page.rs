//! The page of a site without a server, on standard output; `crates/explorer/site` builds what belongs to it.

fn main() {
    print!("{}", quaff_explorer::page_of_site("engine.js"));
}
