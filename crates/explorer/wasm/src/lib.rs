//! The engine of the explorer as WebAssembly: `crates/explorer/site` builds it, with the page around it.

use wasm_bindgen::prelude::wasm_bindgen;

/// The response to a request of the page, as [`quaff_explorer::respond`] gives it.
#[wasm_bindgen]
pub fn respond(request: &str) -> String {
    quaff_explorer::respond(request)
}
