//! Answers of the simplifier must have the values of their inputs.
#![no_main]

#[path = "../campaign/mod.rs"]
mod campaign;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    if let Some(case) = campaign::Case::from_bytes(bytes) {
        case.check(64).unwrap_or_else(|wrong| panic!("{wrong}"));
    }
});
