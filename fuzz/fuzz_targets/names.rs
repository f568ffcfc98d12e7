//! Texts over hostile names must be complete, and use a separate name for each variable.
#![no_main]

#[path = "../campaign/mod.rs"]
mod campaign;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(case) = campaign::names::Case::from_bytes(bytes) {
        case.check(16).map(drop).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
});
