//! Questions about memory: contiguity, the distance of neighbours, and the widest vector loads.

use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};
use quaff_fronts::view::{ObstacleKind, ViewStack};

fn rows(shape: [i64; 2]) -> ViewStack {
    ViewStack::row_major(shape).unwrap()
}

#[test]
fn contiguous_is_all_in_order() {
    let stack = rows([8, 12]);
    assert!(stack.is_contiguous());
    assert!(stack.reshape([96]).unwrap().reshape([2, 48]).unwrap().is_contiguous());
    assert!(!stack.permute(&[1, 0]).unwrap().is_contiguous());
    assert!(!stack.shrink([(1, 8), (0, 12)]).unwrap().is_contiguous());
    assert!(!stack.pad([(0, 1), (0, 0)]).unwrap().is_contiguous());
}

#[test]
fn strides_of_several_views() {
    // a group of four elements may cross the end of a row of the transposed matrix, so the stride changes within a
    // group
    let stack = rows([6, 8]).permute(&[1, 0]).unwrap().reshape([12, 4]).unwrap();
    assert_eq!(stack.views().len(), 2);
    let strides = stack.real_strides().unwrap();
    assert_eq!(strides, [None, None]);
    let stack = rows([4, 6]).permute(&[1, 0]).unwrap().reshape([3, 8]).unwrap();
    assert_eq!(stack.real_strides().unwrap()[0], Some(int(2)));
}

#[test]
fn addresses_that_are_read() {
    let reach = |stack: &ViewStack| stack.reach().unwrap().map(|(a, b)| (a.as_const().unwrap(), b.as_const().unwrap()));
    assert_eq!(reach(&rows([8, 12])), Some((0, 95)));
    assert_eq!(reach(&rows([8, 12]).flip(&[0, 1]).unwrap()), Some((0, 95)));
    assert_eq!(reach(&rows([8, 12]).shrink([(2, 4), (1, 3)]).unwrap().pad([(5, 5), (5, 5)]).unwrap()), Some((25, 38)));
    assert_eq!(reach(&rows([0, 12])), None);
    let n = Domain::new().with("n", 1..=64);
    let stack = ViewStack::row_major_in(n, [var("n"), int(4)]).unwrap();
    assert_eq!(stack.reach().unwrap().unwrap().1.to_string(), "n*4 - 1");
}

#[test]
fn vectors_of_one_view() {
    let widest = |stack: &ViewStack, axis| {
        let found = stack.widest_vector(axis, 4, 16).unwrap();
        (found.lanes, found.obstacle.map(|o| (o.kind, o.certain)))
    };
    assert_eq!(widest(&rows([8, 12]), 1), (4, None));
    assert_eq!(widest(&rows([8, 6]), 1), (2, Some((ObstacleKind::Size, true))));
    assert_eq!(widest(&rows([8, 12]), 0), (1, Some((ObstacleKind::Stride, true))));
    let shifted = rows([8, 14]).shrink([(0, 8), (2, 14)]).unwrap();
    assert_eq!(widest(&shifted, 1), (2, Some((ObstacleKind::Alignment, true))));
    let padded = rows([8, 12]).pad([(1, 1), (2, 2)]).unwrap();
    assert_eq!(widest(&padded, 1), (2, Some((ObstacleKind::Mask, true))));
    assert_eq!(widest(&rows([8, 12]).pad([(1, 1), (4, 4)]).unwrap(), 1), (4, None));
    assert_eq!(widest(&rows([8, 12]).flip(&[1]).unwrap(), 1), (1, Some((ObstacleKind::Stride, true))));
    assert_eq!(rows([8, 12]).widest_vector(2, 4, 16).unwrap_err().name(), "axis");
    assert_eq!(rows([8, 12]).widest_vector(1, 0, 0).unwrap().lanes, 1);
}

#[test]
fn vectors_of_several_views_and_variable_sizes() {
    // a transposed matrix in tiles of 8 elements, which needs two views
    let stack = rows([6, 16]).permute(&[1, 0]).unwrap().reshape([96]).unwrap().reshape([12, 8]).unwrap();
    assert_eq!(stack.views().len(), 2);
    assert_eq!(stack.widest_vector(1, 2, 16).unwrap().lanes, 1);
    let quads = ViewStack::row_major([5, 6, 4]).unwrap().permute(&[1, 0, 2]).unwrap().reshape([3, 40]).unwrap();
    let quads = quads.reshape([15, 8]).unwrap();
    assert_eq!(quads.views().len(), 2, "{quads}");
    let found = quads.widest_vector(1, 4, 16).unwrap();
    assert_eq!(found.lanes, 4, "{found:?}");

    let sizes = Domain::new().with("n", 1..=4096);
    let stack = ViewStack::row_major_in(sizes, [var("n"), var("n") * 8]).unwrap();
    assert_eq!(stack.widest_vector(1, 4, 16).unwrap().lanes, 4);
    let odd = ViewStack::row_major_in(Domain::new().with("n", 1..=4096), [var("n"), var("n")]).unwrap();
    let found = odd.widest_vector(1, 4, 16).unwrap();
    assert_eq!((found.lanes, found.obstacle.map(|o| (o.kind, o.certain))), (1, Some((ObstacleKind::Size, true))));
}

#[test]
fn tiles() {
    let tile = |stack: &ViewStack, sizes: &[i64]| {
        let sizes: Vec<Expr> = sizes.iter().copied().map(int).collect();
        stack.tile_is_contiguous(&sizes).unwrap()
    };
    assert_eq!(tile(&rows([8, 12]), &[1, 4]), Some(true));
    assert_eq!(tile(&rows([8, 12]), &[4, 12]), Some(true));
    assert_eq!(tile(&rows([8, 12]), &[4, 4]), Some(false));
    assert_eq!(tile(&rows([8, 12]).pad([(0, 0), (2, 2)]).unwrap(), &[1, 4]), Some(false));
    assert_eq!(tile(&rows([8, 12]).pad([(0, 0), (4, 4)]).unwrap(), &[1, 4]), Some(true));
    let sizes = Domain::new().with("n", 1..=4096);
    let stack = ViewStack::row_major_in(sizes, [int(8), var("n")]).unwrap();
    assert_eq!(stack.tile_is_contiguous(&[int(2), var("n")]).unwrap(), Some(true));
    assert_eq!(rows([8, 12]).tile_is_contiguous(&[int(0), int(1)]).unwrap_err().name(), "negative_size");
}

#[test]
fn what_is_written_is_read_again() {
    let sizes = Domain::new().with("n", 3..=64);
    let symbolic = ViewStack::row_major_in(sizes, [var("n"), int(8)]).unwrap().pad([(1, 0), (0, 0)]).unwrap();
    let several = rows([8, 12]).permute(&[1, 0]).unwrap().reshape([96]).unwrap().pad([(1, 2)]).unwrap();
    let none = rows([2, 3]).pad([(0, 0), (3, 0)]).unwrap().shrink([(0, 2), (0, 3)]).unwrap();
    for stack in [symbolic, several, none, rows([0, 4]), ViewStack::row_major([0i64; 0]).unwrap()] {
        let text = serde_json::to_string(&stack).unwrap();
        let read: ViewStack = serde_json::from_str(&text).unwrap();
        assert_eq!(read, stack, "{text}");
    }
    let text = serde_json::to_string(&rows([2, 3]).pad([(1, 0), (0, 0)]).unwrap()).unwrap();
    let expected = r#"{"sizes":"","views":[{"shape":[3,3],"strides":[3,1],"offset":-3,"mask":[[1,3],[0,3]]}]}"#;
    assert_eq!(text, expected);
    for wrong in ["[]", r#"[{"shape":[2],"strides":[],"offset":0,"mask":null}]"#] {
        let text = format!(r#"{{"sizes":"","views":{wrong}}}"#);
        assert!(serde_json::from_str::<ViewStack>(&text).is_err(), "{text}");
    }
    let reaching = text.replace("}]", r#"},{"shape":[2],"strides":[9],"offset":0,"mask":null}]"#);
    let error = serde_json::from_str::<ViewStack>(&reaching).unwrap_err();
    assert!(error.to_string().contains("reaches 0 to 9"), "{error}");
}
