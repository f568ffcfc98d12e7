//! Tests that run the program.

mod ablate;
mod access;
mod ask;
mod audit;
mod banks;
mod batch;
mod bench;
mod capabilities;
mod coalesce;
mod dialects;
mod dims;
mod egraph_page;
mod explain;
mod explore;
mod figures;
#[cfg(unix)]
mod files;
mod functions;
#[cfg(unix)]
mod help_examples;
mod large_inputs;
mod layout;
mod page_texts;
mod program;
#[cfg(unix)]
mod readme;
mod rewrite;
mod rules_check;
mod rules_in_and_out;
mod rules_stats;
mod simplify;
mod sources;
mod types;
mod verify;
mod view;

#[path = "../../../tests/support/cpp.rs"]
mod cpp;
#[path = "../../../tests/support/golden.rs"]
mod golden;
mod kernel;
mod quaff_program;
#[path = "../../../tests/support/samples.rs"]
mod samples;
#[path = "../../../benches/shapes/mod.rs"]
mod shapes;

/// The path of a file or folder in the repository.
fn repository(path: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)
}
