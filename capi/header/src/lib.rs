//! Generates `capi/include/quaff.h` from the sources of `quaff-capi` with cbindgen.
//!
//! This is a separate package, so that the dependencies of cbindgen do not change the features with which the library
//! is built.

use std::path::{Path, PathBuf};

/// The source files, in the order of the header.
const SOURCES: [&str; 24] = [
    "place",
    "range",
    "node",
    "handle",
    "failure",
    "span",
    "error",
    "op",
    "nodes",
    "expr",
    "domain",
    "simplifier",
    "answer",
    "text",
    "facts",
    "lanes",
    "parts",
    "strides",
    "maps",
    "when",
    "image",
    "ranges",
    "iters",
    "subspace",
];

/// The folder of `quaff-capi`.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the folder of quaff-capi")
}

fn sources() -> Vec<PathBuf> {
    SOURCES.iter().map(|name| folder().join("src").join(format!("{name}.rs"))).collect()
}

/// The text of the header.
///
/// # Errors
///
/// If a source is missing or has an item that C cannot have.
pub fn header() -> Result<String, String> {
    let config = cbindgen::Config::from_file(folder().join("cbindgen.toml"))?;
    let builder = sources().into_iter().fold(cbindgen::Builder::new().with_config(config), |b, file| b.with_src(file));
    let mut made = vec![];
    builder.generate().map_err(|error| error.to_string())?.write(&mut made);
    String::from_utf8(made).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{folder, header};

    #[test]
    fn the_header_is_that_of_the_sources() {
        let made = header().expect("a header");
        let file = folder().join("include/quaff.h");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&file, &made).expect("written");
        }
        let held = std::fs::read_to_string(&file).expect("the header");
        assert!(held == made, "include/quaff.h is old: BLESS=1 cargo test -p quaff-header");
    }

    #[test]
    fn all_functions_with_a_symbol_are_in_the_header() {
        let header = std::fs::read_to_string(folder().join("include/quaff.h")).expect("the header");
        let mut functions = 0;
        for file in std::fs::read_dir(folder().join("src")).expect("sources") {
            let text = std::fs::read_to_string(file.expect("a file").path()).expect("text");
            for line in text.lines().filter_map(|line| line.strip_prefix("pub extern \"C\" fn ")) {
                let name = line.split(['(', '<']).next().expect("a name");
                assert!(header.contains(&format!("{name}(")), "{name} is not in the header: add its file to SOURCES");
                functions += 1;
            }
        }
        assert!(functions > 80, "{functions} functions");
    }

    #[test]
    fn only_spans_are_read_by_unsafe_code() {
        let mut blocks = 0;
        for file in std::fs::read_dir(folder().join("src")).expect("sources") {
            let path = file.expect("a file").path();
            let text = std::fs::read_to_string(&path).expect("text");
            let code =
                text.lines().filter(|line| !line.trim_start().starts_with("//") && !line.contains("unsafe_code"));
            let found = code.filter(|line| line.contains("unsafe") && line.trim() != "#[unsafe(no_mangle)]").count();
            assert!(found == 0 || path.ends_with("span.rs"), "{}: unsafe code", path.display());
            blocks += found;
        }
        assert!((1..=10).contains(&blocks), "{blocks} lines");
    }
}
