//! Tests of `quaff banks`.

use crate::golden;
use crate::quaff_program::{quaff, quaff_with, transcript};
use serde_json::{Value, json};

const TRANSPOSE: &[&str] = &[
    "banks", "--search", "--tile", "32x32", "--bytes", "4", "--access", "k, t", "--access", "t, k", "--lane",
    "t=0..31", "--var", "k=0..31",
];

#[test]
fn degrees_and_maps_are_printed() {
    golden::check(
        "banks.txt",
        &transcript(&[
            &["banks", "t*4 + k", "--lane", "t=0..31", "--var", "k=0..31"],
            &["banks", "t//8*64 + t%8*8", "--lane", "t=0..31", "--bytes", "2", "--width", "16"],
            &["banks", "t*64", "--lane", "t=0..15", "--bytes", "2", "--width", "16"],
            &["banks", "row*32 + (t ^ row%4)", "--lane", "t=0..7", "--var", "row=0..1073741823", "--banks", "8"],
        ]),
    );
}

/// A lane for which a condition is false makes no access.
#[test]
fn conditions_make_lanes_inactive() {
    let degree = |args: &[&str]| {
        let out = quaff(&[&["banks", "--lane", "t=0..31", "--json"], args].concat());
        serde_json::from_str::<Value>(&out.stdout).expect("valid JSON")["degree"].as_u64().expect("a number")
    };
    assert_eq!(degree(&["t*32"]), 32);
    assert_eq!(degree(&["t*32", "--assume", "t < 8"]), 8);
    assert_eq!(degree(&["t*32", "--assume", "t < 8", "--assume", "t%2 == 0"]), 4);
    assert_eq!(degree(&["t*32", "--var", "k=0..3", "--assume", "t < k"]), 3);
    // the search for a layout counts only the conflicts of active lanes
    let narrow =
        ["--search", "--tile", "32x32", "--access", "t, 0", "--lane", "t=0..31", "--assume", "t < 1", "--json"];
    let out = quaff(&[&["banks"][..], &narrow].concat()).stdout;
    assert_eq!(serde_json::from_str::<Value>(&out).expect("valid JSON")["candidates"][0]["layout"], "no padding");
}

/// The index in each dimension, and the sizes of the array, determine the element.
#[test]
fn indices_of_several_dimensions_are_those_of_the_element() {
    let lanes: &[&str] = &["--lane", "t=0..31", "--var", "k=0..31", "--json"];
    let of = |args: &[&str]| quaff(&[&["banks"], args, lanes].concat()).stdout;
    for (indices, shape, index) in [
        ("t, k", "32x33", "t*33 + k"),
        ("k, t", "32x32", "k*32 + t"),
        ("k//8, t, k%8", "4x32x9", "(k//8*32 + t)*9 + k%8"),
    ] {
        assert_eq!(of(&["--index", indices, "--shape", shape]), of(&[index]), "{indices}");
        assert_eq!(of(&[indices, "--shape", shape]), of(&[index]), "{indices}");
    }
}

/// Machines that serve other groups of lanes together: built-in machines by name, and one in a file.
#[test]
fn machines_serve_other_lanes_together() {
    let read: &[&str] =
        &["banks", "t%16*64 + t//16*8", "--lane", "t=0..63", "--bytes", "2", "--width", "16", "--machine"];
    let of = |machine: &str| quaff(&[read, &[machine, "--json"]].concat());
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("machine.toml");
    let groups = ["0..3, 20..23", "4..7, 16..19", "8..11, 28..31", "12..15, 24..27"];
    let other = ["32..35, 52..55", "36..39, 48..51", "40..43, 60..63", "44..47, 56..59"];
    let text = format!("banks = 32\nbank_bytes = 4\n[phases]\n16 = {:?}\n", [groups, other].concat());
    std::fs::write(&file, text).expect("written");
    let cdna3 = of("cdna3");
    assert_eq!(of(file.to_str().expect("UTF-8")).stdout, cdna3.stdout);
    let degree = |run: &crate::quaff_program::Run| {
        serde_json::from_str::<Value>(&run.stdout).expect("valid JSON")["degree"].as_u64()
    };
    assert_eq!((degree(&cdna3), degree(&of("cdna3-write")), degree(&of("nvidia"))), (Some(4), Some(8), Some(8)));
    for wrong in ["banks = 0\nbank_bytes = 4", "banks = 32", "banks = 32\nbank_bytes = 4\n[phases]\n16 = [\"0..3, 3\"]"]
    {
        std::fs::write(&file, wrong).expect("written");
        assert_eq!(of(file.to_str().expect("UTF-8")).code, 1, "{wrong}");
    }
    assert_eq!(of("a machine").code, 1);
}

#[test]
fn searches_are_printed() {
    let gemm: &[&str] = &[
        "banks",
        "--search",
        "--tile",
        "64x64",
        "--bytes",
        "2",
        "--access",
        "k*4 + t//8, t%8*8, 16",
        "--access",
        "t%16, k%4*16 + t//16*8, 16",
        "--lane",
        "t=0..31",
        "--var",
        "k=0..15",
    ];
    golden::check("banks_search.txt", &transcript(&[TRANSPOSE, gemm]));
}

#[test]
fn errors_have_their_place() {
    golden::check(
        "banks_errors.txt",
        &transcript(&[
            &["banks", "t*32 + y", "--lane", "t=0..31"],
            &["banks", "t +* 2", "--lane", "t=0..31"],
            &["banks", "t + 1", "--lane", "t=0.."],
            &["banks", "t", "--lane", "t=0..99999999"],
            &["banks", "t", "--lane", "0..31"],
            &["banks", "t%(x*x + 1)", "--lane", "t=0..31", "--var", "x=.."],
            &["banks", "t", "--lane", "t=0..31", "--width", "16"],
            &["banks", "t", "--lane", "t=0..31", "--bytes", "3"],
            &["banks", "t", "--lane", "t=0..31", "--banks", "0"],
            &["banks", "t//n", "--lane", "t=0..31", "--var", "n=0..3"],
            &["banks", "--index", "t, k", "--shape", "32x32", "--lane", "t=0..31", "--var", "k=0..32"],
            &["banks", "--index", "t, k", "--shape", "32", "--lane", "t=0..31", "--var", "k=0..31"],
            &["banks", "t", "--shape", "32x", "--lane", "t=0..31"],
            &["banks", "t", "--lane", "t=0..31", "--assume", "z < 8"],
            &["banks", "t", "--lane", "t=0..31", "--assume", "t > 80"],
            &["banks", "t", "--lane", "t=0..31", "--machine", "rdna"],
            &["banks", "--search", "--tile", "32", "--access", "t, 0", "--lane", "t=0..31"],
            &["banks", "--search", "--tile", "32x32", "--access", "t", "--lane", "t=0..31"],
            &["banks", "--search", "--tile", "32x32", "--access", "t, z", "--lane", "t=0..31"],
            &["banks", "--search", "--tile", "32x32", "--access", "t*2, 0", "--lane", "t=0..31"],
            &["banks", "--search", "--tile", "32x32", "--access", "t, 0", "--access", "0, t + 1", "--lane", "t=0..31"],
            &["banks", "--search", "--tile", "32x32", "--access", "t, 0", "--access", "t, 1, 16", "--lane", "t=0..31"],
        ]),
    );
    assert_eq!(quaff(&["banks", "t"]).code, 64);
    assert_eq!(quaff(&["banks", "--search", "--lane", "t=0..31"]).code, 64);
}

#[test]
fn json_has_the_documented_keys() {
    let out = quaff(&["banks", "t*16", "--lane", "t=0..3", "--json"]);
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    assert_eq!(v, json!({ "degree": 2, "broadcast": false, "conflicts": [[0, 2, 0], [1, 3, 16]], "phases": 1 }));
    // the numbers of lanes in the output are values of `t`
    let out = quaff_with(&["banks", "--lane", "t=8..11", "--json"], b"t//2*32");
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    assert_eq!(v, json!({ "degree": 2, "broadcast": true, "conflicts": [[8, 10, 0]], "phases": 1 }));
    let out = quaff(&[TRANSPOSE, &["--json"]].concat());
    let v: Value = serde_json::from_str(&out.stdout).expect("valid JSON");
    let padded = v["candidates"].as_array().expect("a list").iter().find(|c| c["padding"] == 1).expect("padding 1");
    assert_eq!((&padded["degrees"], &padded["bytes"]), (&json!([1, 1]), &json!(4224)));
    assert_eq!(padded["indices"], json!(["t + k*33", "t*33 + k"]));
    assert!(v["candidates"][0]["swizzle"] == "Swizzle<5, 0, 5>" && padded["cuda"].is_string(), "{v}");
}

#[test]
fn maps_are_written_as_svg() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("map.svg");
    let path = file.to_str().expect("UTF-8");
    let args = ["banks", "t*2", "--lane", "t=0..31", "--svg"];
    let out = quaff(&[&args[..], &[path]].concat());
    assert!(out.code == 0 && out.stdout.starts_with("2-way bank conflict in 1 phase"), "{}", out.stdout);
    let svg = std::fs::read_to_string(&file).expect("written");
    assert!(svg.starts_with("<svg ") && svg.contains("<title>bank 0, word 32: lane 16</title>"), "{svg}");
    assert_eq!(quaff(&[&args[..], &["-"]].concat()).stdout, svg);
}
