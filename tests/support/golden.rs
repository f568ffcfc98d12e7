//! Golden files. `BLESS=1 cargo test` writes them again. Read the diff before the commit.

use std::path::Path;

/// Compares `actual` with the file `tests/golden/<name>`, line by line.
pub(crate) fn check(name: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("BLESS").is_some_and(|v| v == "1") {
        std::fs::write(&path, actual).expect("golden files can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
    if expected == actual {
        return;
    }
    let (mut e, mut a) = (expected.lines(), actual.lines());
    for line in 1.. {
        let (expected, actual) = (e.next(), a.next());
        assert_eq!(expected, actual, "tests/golden/{name}:{line} (BLESS=1 writes it anew)");
        if expected.is_none() {
            break;
        }
    }
    panic!("tests/golden/{name} differs in line ends");
}
