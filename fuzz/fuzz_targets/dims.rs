//! A file for `quaff dims` must give a kernel or an error, and no panic.
#![no_main]

#[allow(dead_code)] // the command line uses more of this module
#[path = "../../cli/src/dims_file.rs"]
mod dims_file;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(program) = dims_file::Program::read(text) {
        let _ = program.answer(None);
    }
});
