//! Tests of `quaff types` and `quaff canonical`.

use crate::golden;
use crate::quaff_program::{quaff, quaff_with, transcript};
use serde_json::{Value, json};

fn json_of(args: &[&str]) -> Value {
    let out = quaff(&[args, &["--json"]].concat());
    serde_json::from_str(&out.stdout).unwrap_or_else(|e| panic!("{e}: {}", out.stderr))
}

/// The output has the type, the part that all copies share, and the number that each copy adds. It also names the
/// operator after which the copies share no part.
#[test]
fn types_are_printed() {
    golden::check(
        "types.txt",
        &transcript(&[
            &["types", "i//4*64 + i%4", "--unroll", "i=0..64/8"],
            &["types", "i + j*2", "--unroll", "i=0..64/2", "--unroll", "j=0..8/2"],
            &["types", "(i + x)//3", "--unroll", "i=0..64/4", "--var", "x=0..99"],
            &["types", "i*x + 1", "--unroll", "i=0..64/4", "--var", "x=0..999"],
            &["types", "i*j", "--unroll", "i=0..8/4", "--unroll", "j=0..8/2"],
            &["types", "i%5", "--unroll", "i=16..48/8"],
            &["types", "i//4", "--unroll", "i=0..10/4"],
            &["types", "x//8", "--unroll", "x=0..18446744073709551616/1"],
            &[
                "types",
                "i + x, j",
                "--unroll",
                "i=0..64/4",
                "--unroll",
                "j=0..64/2",
                "--var",
                "x=0..99",
                "--banks",
                "4x2",
            ],
            &["types", "i*4, j", "--unroll", "i=0..64/4", "--unroll", "j=0..64/2", "--banks", "8x2"],
        ]),
    );
}

#[test]
fn errors_have_their_place() {
    golden::check(
        "types_errors.txt",
        &transcript(&[
            &["types", "i + y", "--unroll", "i=0..64/8"],
            &["types", "i", "--unroll", "i=0..64"],
            &["types", "i", "--unroll", "i=0..0/4"],
            &["types", "i", "--unroll", "i=0..8/0"],
            &["types", "i%0", "--unroll", "i=0..64/8"],
            &["types", "i, j", "--unroll", "i=0..64/8", "--unroll", "j=0..64/8", "--banks", "4"],
            &["types", "i", "--unroll", "i=0..64/8", "--banks", "four"],
            &["types", "i*2", "--unroll", "i=0..36893488147419103232/1"],
            &["canonical", "x + y"],
            &["canonical", "x*x"],
            &["canonical", "x//1048577"],
            &["canonical", "(x + p//99)//2", "--uniform", "p"],
        ]),
    );
}

/// The copies together have every residue, although each copy computes its residue without a shared part.
#[test]
fn remainders_of_many_copies_are_every_residue() {
    let v = json_of(&["types", "i%5", "--unroll", "i=16..48/8"]);
    let index = &v["parts"][0]["dimensions"][0];
    assert_eq!((&index["type"], &index["set"], &index["copies"]), (&json!("idx<0..5, 0..1>"), &json!(true), &json!(8)));
    assert_eq!(index["indices"].as_array().map(Vec::len), Some(8));
    assert_eq!(index["lost"]["operator"], "i%5");
}

/// Copies share products such as `i*x`, and each copy adds multiples of these products.
#[test]
fn products_of_copies_share_one_product() {
    let v = json_of(&["types", "i*j", "--unroll", "i=0..64/8", "--unroll", "j=0..64/4"]);
    let index = &v["parts"][0]["dimensions"][0];
    assert_eq!((&index["copies"], &index["shared"]), (&json!(32), &json!(["i*j", "i", "j"])));
    let indices: Vec<&str> =
        index["indices"].as_array().expect("a list").iter().map(|i| i.as_str().expect("text")).collect();
    assert_eq!(indices.len(), 32);
    for (s, t) in (0..8).flat_map(|s| (0..4).map(move |t| (s, t))) {
        let index = indices[s * 4 + t];
        assert_eq!(index.matches("i*j").count(), 1, "{index}");
        let copy = format!("(i + {s})*(j + {t})");
        assert_eq!(
            quaff(&["verify", index, &copy, "--var", "i=0..63", "--var", "j=0..63"]).stdout,
            "equal\n",
            "{index}"
        );
    }
}

/// A loop whose number of iterations is not a multiple of the unroll factor. It has a main part and a rest.
#[test]
fn loops_with_a_rest_have_two_parts() {
    let v = json_of(&["types", "i", "--unroll", "i=0..10/4"]);
    let parts: Vec<(&Value, &Value)> =
        v["parts"].as_array().expect("a list").iter().map(|p| (&p["loops"][0], &p["dimensions"][0]["type"])).collect();
    let expected =
        [(json!("i in 0..8 by 4"), json!("idx<0..4, 0..2>")), (json!("i in 8..10 by 2"), json!("idx<8..10, 0..1>"))];
    assert_eq!(parts, expected.iter().map(|(l, t)| (l, t)).collect::<Vec<_>>());
}

/// A single copy that takes all integers of 64 bits.
#[test]
fn integers_of_64_bits_have_a_type() {
    let v = json_of(&["types", "x", "--unroll", "x=0..18446744073709551616/1"]);
    assert_eq!(v["parts"][0]["dimensions"][0]["type"], "idx<0..1, 0..18446744073709551616>");
}

/// A canonical form is printed with its period, with few terms, and with symbols.
#[test]
fn canonical_forms_are_printed() {
    golden::check(
        "canonical.txt",
        &transcript(&[
            &["canonical", "((2*x + 1)//3 + x//4)//5"],
            &["canonical", "((i + pid)//2)//3 + 2*pid", "--uniform", "pid"],
            &["canonical", "(x + p//2)//2", "--uniform", "p"],
            &["canonical", "i%64*64 + i//64 + pid", "--along", "i", "--json"],
            &["canonical", "7"],
        ]),
    );
    let forms = ["((2*x + 1)//3 + x//4)//5", "(x//2 + p)//3 - (x + 2*p)//6", "((x - p)//4)//2 + x%3", "(x + 3*p)//8"];
    for form in forms {
        let v: Value =
            serde_json::from_str(&quaff_with(&["canonical", "--uniform", "p", "--json"], form.as_bytes()).stdout)
                .expect("valid JSON");
        let sum = v["sum"].as_str().unwrap_or_else(|| panic!("{form}: {v}"));
        assert_eq!(quaff(&["verify", form, sum, "--var", "x=..", "--var", "p=.."]).stdout, "equal\n", "{form}: {sum}");
    }
}
