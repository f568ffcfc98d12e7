//! Every kind of error, with its message and help in a golden file.
//!
//! `BLESS=1 cargo test --test view errors::` writes `tests/golden/view_errors.txt`.

use crate::golden;
use miette::Diagnostic;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff_fronts::view::{ErrorKind, ViewError, ViewStack, common_loops};
use std::fmt::Write;

/// The name of the error, a description, and the call that fails.
type Case = (&'static str, &'static str, Result<ViewStack, ViewError>);

fn row_major<const N: usize>(shape: [i64; N]) -> ViewStack {
    ViewStack::row_major(shape).unwrap()
}

fn symbolic<const N: usize>(shape: [Expr; N]) -> Result<ViewStack, ViewError> {
    ViewStack::row_major_in(Domain::new().with("n", 1..=64).with("m", 1..=64).with("d", -4..=4), shape)
}

fn shapes() -> Vec<Case> {
    let start = row_major([8, 12]);
    vec![
        ("reshape", "of one axis too small", start.reshape([4, 2, 10])),
        ("reshape", "that no one axis mends", start.reshape([5, 7])),
        ("reshape", "to one element", start.reshape(Vec::<i64>::new())),
        (
            "reshape",
            "later in the chain",
            start.flip(&[0]).and_then(|s| s.permute(&[1, 0])).and_then(|s| s.reshape([12, 9])),
        ),
        (
            "undecided",
            "reshape, mixed symbolic sizes",
            symbolic([var("n") * 4]).and_then(|s| s.reshape([var("m"), int(4)])),
        ),
        ("reshape", "a variable too many", symbolic([var("n")]).and_then(|s| s.reshape([var("n"), int(2)]))),
        ("negative_size", "of a shape", ViewStack::row_major([8, -1])),
        ("negative_size", "of a reshape", start.reshape([-8, -12])),
        ("undecided", "a size of unknown sign", symbolic([var("d")])),
        ("undeclared", "a variable of a size", ViewStack::row_major([var("k")])),
        ("expand", "an axis that has a size", start.expand([8, 24])),
        ("expand", "an axis of a variable size", symbolic([var("n")]).and_then(|s| s.expand([var("m")]))),
        ("too_many_axes", "axes without end", ViewStack::row_major(std::iter::repeat(1))),
        ("overflow", "the number of elements", ViewStack::row_major([1i64 << 40, 1 << 40])),
        ("domain", "sizes that contradict themselves", ViewStack::row_major_in(Domain::new().with("n", (1, 0)), [1])),
    ]
}

fn arguments() -> Vec<Case> {
    let start = row_major([8, 12]);
    let mask = |pairs: &[(i64, i64)]| {
        let pairs: Vec<_> = pairs.iter().map(|(b, e)| (int(*b), int(*e))).collect();
        ViewStack::strided(Domain::new(), &[int(4), int(5)], &[int(5), int(1)], &int(0), Some(&pairs))
    };
    vec![
        ("rank", "permute", start.permute(&[0])),
        ("rank", "of one axis", row_major([3]).pad([(0, 0), (1, 1)])),
        ("axis", "permute", start.permute(&[0, 2])),
        ("axis", "flip without axes", row_major([]).flip(&[0])),
        ("repeated_axis", "permute", start.permute(&[1, 1])),
        ("repeated_axis", "flip", row_major([2]).flip(&[0, 0])),
        ("negative_pad", "pad", start.pad([(0, 0), (-1, 1)])),
        ("undecided", "pad by what may be negative", symbolic([var("n")]).and_then(|s| s.pad([(var("d"), int(0))]))),
        ("bounds", "shrink too far", start.shrink([(0, 8), (4, 16)])),
        ("bounds", "shrink the wrong way round", start.shrink([(6, 2), (0, 12)])),
        ("undecided", "shrink by a variable", symbolic([var("n")]).and_then(|s| s.shrink([(int(0), var("m"))]))),
        ("step", "stride", start.stride(&[1, 0])),
        ("mask", "behind the end", mask(&[(0, 4), (2, 6)])),
        ("mask", "the wrong way round", mask(&[(3, 1), (0, 5)])),
        ("rank", "a mask of one pair", mask(&[(0, 4)])),
        ("chained", "a view that reaches too far", row_major([4]).then(&row_major([5]))),
    ]
}

#[test]
fn messages() {
    let mut text = String::new();
    for (name, what, result) in shapes().into_iter().chain(arguments()) {
        let error = result.err().unwrap_or_else(|| panic!("{name}, {what}: no error"));
        assert_eq!(error.name(), name, "{what}: {error}");
        writeln!(text, "# {what}\nerror[{}]: {error}", error.code().unwrap()).unwrap();
        writeln!(text, "help: {}\n", error.help().unwrap()).unwrap();
    }
    let start = row_major([8, 12]);
    let others = [
        common_loops(&[start.clone(), row_major([12, 8])]).unwrap_err(),
        start.at(&[var("i")]).unwrap_err(),
        symbolic([var("n")]).unwrap().index_domain(&["n"]).unwrap_err(),
        common_loops(&[symbolic([int(1)]).unwrap(), row_major([1])]).unwrap_err(),
    ];
    for error in others {
        writeln!(text, "error[{}]: {error}\nhelp: {}\n", error.code().unwrap(), error.help().unwrap()).unwrap();
    }
    golden::check("view_errors.txt", &text);
}

/// A reshape to the suggested nearest shape is valid.
#[test]
fn the_nearest_shape_is_one() {
    for asked in [vec![5, 7], vec![4, 2, 10], vec![96, 2], vec![1000], vec![3, 3, 3], vec![0, 4]] {
        let start = row_major([8, 12]);
        let error = start.reshape(asked.clone()).unwrap_err();
        let ErrorKind::Reshape { nearest: Some(nearest), .. } = error.kind() else { panic!("{asked:?}: {error}") };
        assert!(start.reshape(nearest.clone()).is_ok(), "{asked:?}: {nearest:?}");
        assert_eq!(error.place().map(|p| (p.position, p.movement)), Some((1, "reshape")));
    }
}
