//! Compositions, divisions and inverses from CuTe's tests: the index of each case is found to be the expected layout.
//! The test is skipped if the file of the cases is missing.

use quaff::expr::Expr;
use quaff_fronts::layout::Layout;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;

#[test]
fn each_case_of_cute_is_the_expected_layout() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/peer-tests/suites.jsonl");
    let Ok(text) = std::fs::read_to_string(&path) else {
        eprintln!("skipped: there is no file of other systems' cases");
        return;
    };
    let (mut cases, mut negative) = (0, BTreeSet::new());
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).expect("a case");
        let text = |field: &str| case[field].as_str().expect("a text");
        if !text("origin").starts_with("NVIDIA/cutlass") {
            continue;
        }
        cases += 1;
        let vars = case["vars"].as_object().expect("ranges");
        let sizes: Vec<(&str, i64)> =
            vars.iter().map(|(name, ends)| (name.as_str(), ends[1].as_i64().expect("an end") + 1)).collect();
        let sizes = if sizes.is_empty() { vec![("c", 1)] } else { sizes };
        let [found, expected] = ["expr", "expected"].map(|field| {
            let index: Expr = text(field).parse().expect("an index");
            Layout::of_index(&index, &sizes).unwrap_or_else(|e| panic!("{}: {e}", text("id")))
        });
        assert_eq!(found, expected, "{}", text("id"));
        if found.leaves().iter().any(|leaf| leaf.stride < 0) {
            negative.insert(text("id").to_string());
        }
    }
    assert!(cases > 100 && !negative.is_empty(), "{cases}");
}
