//! Files of dims: kernels, or an error.
#![no_main]

#[allow(dead_code)] // the command line uses more of it
#[path = "../../cli/src/dims_file.rs"]
mod dims_file;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(program) = dims_file::Program::read(text) {
        let _ = program.answer(None);
    }
});
