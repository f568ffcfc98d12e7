//! Names of variables that a language does not allow, or for which it has its own text.

use crate::texts::written;
use quaff_dialects::{Dialect, write};
use quaff_expr::domain::Interval;
use quaff_expr::expr::{Expr, var};
use std::collections::BTreeSet;

#[track_caller]
fn renames(names: &[&str], dialect: Dialect, expected: &[&str]) {
    let roots: Vec<Expr> = names.iter().map(|name| var(*name)).collect();
    let written = write(&roots, dialect, &|_| Interval::new(0, 9).unwrap()).unwrap();
    let found: Vec<&str> = names.iter().map(|n| written.renamed.get(*n).map_or(*n, String::as_str)).collect();
    assert_eq!(found, expected, "{dialect}");
    let distinct: BTreeSet<&&str> = found.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{dialect}: {found:?}");
    if !matches!(dialect, Dialect::Mlir | Dialect::Xla) {
        assert_eq!(written.text.lines().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn words_and_dots() {
    renames(&["threadIdx.x", "threadIdx_x", "int", "i"], Dialect::C, &["threadIdx_x_2", "threadIdx_x", "int_2", "i"]);
    renames(
        &["threadIdx.x", "shape.x", "blockIdx", "__x"],
        Dialect::Cuda,
        &["threadIdx.x", "shape_x", "blockIdx_2", "v__x"],
    );
    renames(
        &["program_id_0", "program_id_3", "arange_0_128", "tl"],
        Dialect::Triton,
        &["tl.program_id(0)", "program_id_3", "tl.arange(0, 128)", "tl_2"],
    );
    renames(&["warpSize", "EAGAIN", "quaff_x"], Dialect::Cuda, &["warpSize", "EAGAIN_2", "v_quaff_x"]);
    renames(&["T", "id", "np"], Dialect::Triton, &["T", "id_2", "np_2"]);
    renames(&["T", "abs"], Dialect::Tvm, &["T_2", "abs_2"]);
    renames(&["lambda", "a.b", "min"], Dialect::Python, &["lambda_2", "a_b", "min_2"]);
    renames(&["beta", "x"], Dialect::Sympy, &["beta_2", "x"]);
    renames(&["mod", "a.b"], Dialect::Mlir, &["mod_2", "a.b"]);
    renames(&["mod", "a.b", "in"], Dialect::Xla, &["mod_2", "a_b", "in_2"]);
    renames(&["a.b", "a b", "and", "", "min"], Dialect::Infix, &["a.b", "a_b", "and_2", "v", "min"]);
    renames(&["select", "true"], Dialect::Halide, &["select_2", "true_2"]);
}

#[test]
fn temporaries_take_no_name_of_a_variable() {
    let text = "(t0*y + t1*t0)//7 + (t0*y + t1*t0)%5";
    let text = written(text, "t0=0..9, y=0..9, t1=0..9", Dialect::Python).unwrap().text;
    assert_eq!(text, "t2 = t0*y + t1*t0\nt2//7 + t2%5");
}

#[test]
fn hostile_names_are_written_as_words() {
    let hostile = ["", " ", "9", "a;b", "é", "_", "__", "_X", "a.b.c", "if", "int", "x\ny", "(", "Mod", "T", "quaff"];
    for dialect in Dialect::ALL {
        let sum = hostile.iter().map(|name| var(*name)).reduce(|a, b| a + b).unwrap();
        let written = write(&[sum], dialect, &|_| Interval::new(0, 9).unwrap()).unwrap();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " _+().,:>[]-<".contains(c);
        assert!(written.text.chars().all(is_plain), "{dialect}: {}", written.text);
    }
}
