//! Lines of tinygrad's corpus with the lowest cost that any answer had until now. The answers must stay at most as
//! costly. The lines have extrema that replace selections, parities, and digits of sums.

use crate::samples::load;
use quaff::Simplifier;
use quaff::cost::Cost;
use std::collections::HashMap;
use std::path::Path;

/// A line, and the largest cost of its answer in tenths of an instruction.
const AT_MOST: [(&str, u64); 14] = [
    // max(r0 + r1*11 + r2*11, 395) - 396
    ("reshape-gated/0026", 40),
    ("reshape-gated/0011", 30),
    ("reshape-gated/0022", 20),
    ("flat-gated/0039", 30),
    ("lower-gated/0892", 20),
    ("kernel-gated/0040", 71),
    ("merge-gated/0435", 72),
    ("opt-gated/0112", 70),
    ("opt-gated/0114", 80),
    ("final-gated/0622", 60),
    // (gidx1 + r1)%2 + (gidx0 + r2)%2 >= 2
    ("final-valid/0332", 60),
    // r7%2 >= 1 and (r1 + r6 + 1)%3 < 1
    ("lower-valid/0273", 61),
    // r2 + r7 >= 1 and r2 + r7 < 17 and (r1 + r6 + 1)%3 < 1
    ("kernel-valid/0006", 71),
    // r0 + r1*60 + r2*17 - (r0 - r2*3 < 0)*8 + 62
    ("opt/0047", 62),
];

#[test]
fn answers_cost_no_more_than_the_best_that_is_known() {
    let corpus = load(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tinygrad_kernels.jsonl"));
    let by_id: HashMap<&str, _> = corpus.iter().map(|c| (c.id.as_str(), c)).collect();
    let costlier = AT_MOST.iter().filter_map(|&(id, tenths)| {
        let case = by_id[format!("tinygrad-kernel/{id}").as_str()];
        let answer = Simplifier::default().simplify(&case.expr, &case.domain()).expect(id);
        (answer.cost() > Cost::from_tenths(tenths)).then(|| format!("{id}: {} costs {}", answer.expr(), answer.cost()))
    });
    let costlier: Vec<String> = costlier.collect();
    assert!(costlier.is_empty(), "{costlier:#?}");
}
