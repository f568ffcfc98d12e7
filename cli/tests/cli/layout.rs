//! Tests of `quaff layout`.

use crate::quaff_program::quaff;
use serde_json::{Value, json};

fn json_of(arguments: &[&str]) -> Value {
    let out = quaff(&[&["layout", "--json"], arguments].concat());
    assert_eq!(out.code, 0, "{}", out.stderr);
    serde_json::from_str(&out.stdout).expect("JSON")
}

#[test]
fn json_says_all_that_the_text_says() {
    let value = json_of(&["zipped_divide((128,64):(64,1), (32,16))", "--names", "inside,tile"]);
    assert_eq!(value["layout"], "((32,16),(4,4)):((64,1),(2048,16))");
    assert_eq!((&value["size"], &value["cosize"]), (&8192.into(), &8192.into()));
    assert_eq!((&value["injective"], &value["surjective"]), (&true.into(), &true.into()));
    assert_eq!(value["coordinates"], json!([["inside", 512], ["tile", 16]]));
    assert!(value["cuda"].as_str().is_some_and(|t| t.starts_with("return ")), "{value}");
    assert!(value["cost"].as_f64() <= value["input_cost"].as_f64());
    let one = json_of(&["(4,8):(8,1)", "--names", "t"]);
    assert_eq!(one["coordinates"], json!([["t", 32]]));
}

#[test]
fn errors_have_their_place_and_a_coordinate() {
    let out = quaff(&["layout", "coalesce((4,6,8):(2,3,5) o 6:3)"]);
    assert_eq!((out.code, out.stdout.as_str()), (1, ""));
    assert!(
        out.stderr.contains("[layout:1:10]") && out.stderr.contains("at coordinate 4 the index is 9"),
        "{}",
        out.stderr
    );
    assert!(out.stderr.contains("mode 4:2 of the left layout"), "{}", out.stderr);
    let unknown = quaff(&["layout", "zip_divide(8:1, 2)"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("did you mean `zipped_divide`?"), "{}", unknown.stderr);
    let names = quaff(&["layout", "(4,8,2):(8,1,64)", "--names", "a,b"]);
    assert!(names.code == 1 && names.stderr.contains("2 names for 3 modes"), "{}", names.stderr);
    let range = quaff(&["layout", "--index", "i*2", "--var", "i=1..8"]);
    assert!(range.code == 1 && range.stderr.contains("layout::range"), "{}", range.stderr);
}

#[test]
fn a_result_that_reaches_further_is_warned_of() {
    let out = quaff(&["layout", "logical_divide(10:1, 4:1)"]);
    assert!(out.code == 0 && out.stderr.contains("the tiles have 12 coordinates and the layout 10"), "{}", out.stderr);
    let value = json_of(&["4:2 o 8:1"]);
    assert!(value["notes"][0].as_str().is_some_and(|n| n.contains("indices up to 7")), "{value}");
}

#[test]
fn an_index_is_a_layout_or_none() {
    let value = json_of(&["--index", "i%4*8 + i//4 + j*32", "--var", "i=0..7", "--var", "j=0..1"]);
    assert_eq!(value["layout"], "((4,2),2):((8,1),32)");
    // a coordinate that is split into two modes keeps its name
    let value = json_of(&["--index", "(i + 1)//2", "--var", "i=0..7"]);
    assert_eq!((&value["layout"], &value["coordinates"]), (&"(2,4):(1,1)".into(), &json!([["i", 8]])));
    let out = quaff(&["layout", "--index", "(i + 1)//3", "--var", "i=0..7"]);
    assert!(out.code == 1 && out.stderr.contains("it is no layout: at coordinate"), "{}", out.stderr);
}

#[test]
fn a_picture_is_written() {
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("layout.svg");
    let out = quaff(&["layout", "(4,8):(8,1)", "--draw", path.to_str().expect("a name")]);
    assert_eq!(out.code, 0, "{}", out.stderr);
    assert_eq!(std::fs::read_to_string(path).expect("written").matches("<g>").count(), 32);
    let large = quaff(&["layout", "(100,100):(1,100)", "--draw", "never.svg"]);
    assert!(large.code == 1 && large.stderr.contains("layout::picture"), "{}", large.stderr);
}

#[test]
fn functions_of_bits_have_an_index_for_each_output() {
    let value =
        json_of(&["{register: [(0,1), (8,0)], lane: [(0,2), (0,4), (1,0), (2,0), (4,0)]} -> {row: 16, column: 8}"]);
    assert_eq!(value["ins"], json!([["register", 4], ["lane", 32]]));
    assert_eq!(value["outs"], json!([["row", 16], ["column", 8]]));
    assert_eq!((&value["rank"], &value["injective"], &value["surjective"]), (&7.into(), &true.into(), &true.into()));
    assert_eq!(value["index"][0], json!(["row", "register//2*8 + lane//4"]));
    assert!(value["cuda"].is_string() && value["cost"].as_f64() <= value["input_cost"].as_f64(), "{value}");
    let free = quaff(&["layout", "{x: [1, 2, 1]}"]);
    assert!(free.code == 0 && free.stdout.contains("free bits   x 0b100"), "{}", free.stdout);
    for (arguments, message) in [
        (&["layout", "{x: [1]}", "--draw", "never.svg"][..], "a function of bits has no picture"),
        (&["layout", "{x: [1]}", "--names", "y"], "a function of bits has no other names"),
        (&["layout", "invert({x: [1, 1]})"], "it is not injective"),
    ] {
        let out = quaff(arguments);
        assert!(out.code == 1 && out.stdout.is_empty() && out.stderr.contains(message), "{}", out.stderr);
    }
}

#[test]
fn sizes_may_have_names() {
    let names = ["--var", "M=8..4096 step 8", "--var", "N=1..4096"];
    let value = json_of(&[&["zipped_divide((M,N):(N,1), (8,N))", "--names", "inside,tile"][..], &names].concat());
    assert_eq!(value["layout"], "((8,N),(M//8,1)):((N,1),(N*8,0))");
    assert_eq!((&value["size"], &value["cosize"]), (&"M*N".into(), &"M*N".into()));
    assert_eq!((&value["injective"], &value["surjective"]), (&true.into(), &true.into()));
    assert_eq!(value["coordinates"], json!([["inside", "N*8"], ["tile", "M//8"]]));
    assert!(value["notes"].as_array().is_some_and(Vec::is_empty), "{value}");
    let number = json_of(&[&["(2*4,8):(8,1)"][..], &names].concat());
    assert_eq!((&number["size"], &number["layout"]), (&64.into(), &"(8,8):(8,1)".into()));
    let further = json_of(&[&["M:2 o 16:1"][..], &names].concat());
    assert!(further["notes"][0].as_str().is_some_and(|n| n.contains("the left one M coordinates")), "{further}");
    for (arguments, message) in [
        (
            &["layout", "(M,N):(N,1) o 16:1", "--var", "M=8..64", "--var", "N=1..9"][..],
            "it is not proved that `16%M == 0`",
        ),
        (&["layout", "(M,4):(4,1)"], "the name `M` is not declared"),
        (&["layout", "M:1", "--var", "M=1..9", "--draw", "never.svg"], "has no picture"),
        (&["layout", "M:1", "--var", "M=1..9", "--names", "M"], "the coordinate `M` has the name of a size"),
    ] {
        let out = quaff(arguments);
        assert!(out.code == 1 && out.stdout.is_empty() && out.stderr.contains(message), "{}", out.stderr);
    }
    let assumed = quaff(&["layout", "M:1 o 4:1", "--var", "M=1..64", "--assume", "M%4 == 0"]);
    assert!(assumed.code == 0 && assumed.stdout.starts_with("layout      4:1"), "{}", assumed.stderr);
}
