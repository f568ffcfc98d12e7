//! Tests of reading Python kernels: conditions, loops, blocks, and places for new statements.

use super::{facts, range, read, sites, source, uses, variable};
use quaff::domain::Repeats;

#[test]
fn conditions_hold_in_their_blocks() {
    let kernel = read(
        "p, n, k",
        "i = tl.program_id(0)\n\
         if i < n and k // 2 > 0:\n    tl.store(p + i * 2, 0)\n\
         elif i < 7:\n    tl.store(p + i * 3, 0)\n\
         else:\n    tl.store(p + i * 4, 0)\n\
         tl.store(p + i * 5, 0)",
    );
    assert_eq!(
        uses(&kernel),
        [
            "condition i < n and truncdiv(k, 2) > 0",
            "address i*2 if truncdiv(k, 2) > 0; i < n",
            "condition i < 7 if not (i < n and truncdiv(k, 2) > 0)",
            "address i*3 if i < 7; not (i < n and truncdiv(k, 2) > 0)",
            "address i*4 if not i < 7; not (i < n and truncdiv(k, 2) > 0)",
            "address i*5"
        ]
    );
    let places: Vec<_> = kernel.sites.iter().map(|s| s.place.block).collect();
    assert_eq!(places, [0, 0, 1, 0, 2, 3, 0]);
    let branch = kernel.sites[1].place;
    assert_eq!(kernel.blocks[1].parent, Some(branch));
    assert!(kernel.blocks[3].contexts.contains_key(&kernel.sites[5].place.start));
}

#[test]
fn behind_a_return_the_opposite_holds() {
    let kernel =
        read("p, n", "i = tl.program_id(0)\nif i >= n:\n    return\ntl.assume(i != 4)\ntl.store(p + i * 2, 0)");
    assert_eq!(uses(&kernel), ["condition i >= n", "address i*2 if i != 4; not i >= n"]);
}

#[test]
fn conditions_on_values_that_change_do_not_hold() {
    let kernel = read("p, n", "i = tl.program_id(0)\nif i < n:\n    i += 4\n    tl.store(p + i * 2, 0)");
    assert_eq!(uses(&kernel), ["condition i < n", "address i_2*2"]);
    assert!(variable(&kernel, "i").changes && !variable(&kernel, "i_2").changes);
}

#[test]
fn counters_have_ranges_and_loops() {
    let kernel = read(
        "p, K, B: tl.constexpr",
        "# quaff: K in 1..64\n\
         ends = tl.cdiv(K, 4)\n\
         for i in range(ends):\n    for j in range(8, 40, 8):\n        tl.store(p + i * 2 + j, 0)\n\
         for k in range(1, K, B):\n    tl.store(p + k * 2, 0)",
    );
    assert_eq!(uses(&kernel), ["condition ends", "address i*2 + j", "address k*2 if (k - 1)%B == 0"]);
    let (i, j) = (facts(&kernel, "i"), facts(&kernel, "j"));
    assert_eq!(i.upper.unwrap().to_string(), "truncdiv(K + 3, 4) - 1");
    assert_eq!((j.interval.to_string(), j.congruence.modulus()), ("8..32".into(), 8));
    assert_eq!(j.repeats, Repeats::Loop(4 * 16));
    assert_eq!(range(&kernel, "k"), "1..63");
    let loops: Vec<_> = kernel.blocks.iter().map(|b| b.is_loop).collect();
    assert_eq!(loops, [false, true, true, true]);
}

#[test]
fn an_end_that_changes_is_no_end() {
    let kernel = read(
        "p, n",
        "m = n // 2\nfor j in range(4):\n    for i in range(m):\n        tl.store(p + i * 2, 0)\n    m += 1",
    );
    assert_eq!(facts(&kernel, "i").upper, None);
    assert_eq!(range(&kernel, "i"), "0..");
}

#[test]
fn copies_of_a_loop_are_unrolled() {
    let kernel = read("p, n", "for i in tl.static_range(0, 4):\n    tl.store(p + i * n, 0)");
    assert_eq!(uses(&kernel), ["address i*n"]);
    assert_eq!(facts(&kernel, "i").repeats, Repeats::Unrolled(4));
}

#[test]
fn pointers_move_by_integers() {
    let kernel = read(
        "a, K, sk, B: tl.constexpr",
        "offs = tl.arange(0, B)\n\
         ptrs = a + offs * sk\n\
         for k in range(0, K, B):\n    x = tl.load(ptrs, mask=offs < K - k)\n    ptrs += B * sk",
    );
    assert_eq!(
        sites(&kernel),
        ["offs = arange_0_B", "address offs*sk", "condition offs < K - k if k%B == 0", "address B*sk if k%B == 0"]
    );
    assert!(!kernel.variables.contains_key("ptrs"));
}

#[test]
fn statements_are_put_where_there_is_room() {
    let body = "if n > 4: tl.store(p + n * 2, 0)\na = n * 3; b = a * 2\nc = n * 4\ntl.store(p + a + b + c, 0)\nif n > 5:\n    d = n * 5";
    let kernel = read("p, n: int", body);
    let text = source("p, n: int", body);
    assert_eq!(kernel.blocks.iter().map(|b| b.takes_statements).collect::<Vec<_>>(), [true, false, true]);
    let elsewhere: Vec<_> = kernel.definitions.iter().map(|d| (&*d.variable, d.is_used_elsewhere)).collect();
    assert_eq!(elsewhere, [("a", true), ("b", true), ("c", false), ("d", true)]);
    let b = &kernel.sites[kernel.definitions[1].site];
    assert!(text[b.place.start..].starts_with("a = n * 3;"));
    assert_eq!(&text[kernel.definitions[2].removal.statement.clone()], "c = n * 4");
}

#[test]
fn block_pointers_have_integers() {
    let kernel = read(
        "p, M, N, B: tl.constexpr",
        "pid = tl.program_id(0)\n\
         block = tl.make_block_ptr(base=p, shape=(M, N), strides=(N, 1), offsets=(pid * B, 0), block_shape=(B, B * 2), order=(1, 0))\n\
         x = tl.load(block, boundary_check=(0, 1))\n\
         block = tl.advance(block, (0, pid + 1))",
    );
    assert_eq!(uses(&kernel), ["value pid*B", "value pid + 1"]);
}
