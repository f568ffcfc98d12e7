//! Programs of dims and kernels: simplified indices must have the values of the indices that the solver built.
#![no_main]

#[path = "../campaign/mod.rs"]
mod campaign;

use campaign::programs::{Case, Refused};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    match Case::from_bytes(bytes, 0) {
        Ok(case) => case.check(16).map(drop).unwrap_or_else(|wrong| panic!("{wrong}")),
        Err(Refused::Wrong(why)) => panic!("{why}"),
        Err(Refused::Bytes | Refused::Name) => {}
    }
});
