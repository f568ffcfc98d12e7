//! Tests of names with several values, and of uses outside of sites (parts that compute integers).

use super::{read, reasons, sites, uses, variable};

#[test]
fn one_name_in_two_loops_is_two_variables() {
    let kernel = read(
        "p, n",
        "for k in range(4):\n    i = k * 2\n    tl.store(p + i, 0)\n\
         for k in range(8):\n    i = k * 3\n    tl.store(p + i, 0)",
    );
    assert_eq!(sites(&kernel), ["i = k*2", "address i", "i_2 = k_2*3", "address i_2"]);
    assert_eq!(variable(&kernel, "k_2").spelling, "k");
    assert!(!variable(&kernel, "i").changes);
}

#[test]
fn values_that_loops_carry_change() {
    let kernel = read("p, n", "at = n * 2\nfor k in range(4):\n    tl.store(p + at * 3, 0)\n    at = at + k");
    assert_eq!(uses(&kernel), ["value n*2", "address at*3"]);
    assert!(variable(&kernel, "at").changes);
    let carried = &kernel.definitions[0];
    assert_eq!(&*carried.variable, "at_2");
    assert!(carried.is_used_elsewhere && !carried.is_constant);
}

#[test]
fn a_definition_of_a_value_that_changes_is_not_moved() {
    let kernel =
        read("p, n", "at = n // 2\nfor k in range(4):\n    next = at + k\n    tl.store(p + next, 0)\n    at += 1");
    let next = kernel.definitions.iter().find(|d| *d.variable == *"next").unwrap();
    assert!(!next.is_constant);
}

#[test]
fn behind_branches_a_name_has_the_value_of_one() {
    let kernel = read(
        "p, n",
        "if n // 2 > 0:\n    i = n * 2\n    tl.store(p + i * 3, 0)\nelse:\n    i = n * 3\ntl.store(p + i * 4, 0)",
    );
    assert_eq!(uses(&kernel)[1..], ["address i*3 if truncdiv(n, 2) > 0", "address i_3*4"]);
    assert!(kernel.definitions.iter().all(|d| d.is_used_elsewhere && d.is_constant));
    let behind = variable(&kernel, "i_3");
    assert!(!behind.changes);
    assert_eq!(behind.declared.start, kernel.sites[0].place.start);
}

#[test]
fn between_its_values_a_name_changes() {
    let kernel = read(
        "p, n",
        "i = n // 2\nfor k in range(4):\n    if n > k:\n        tl.store(p + i * 4, 0)\n    i += 1\ntl.store(p + i * 5, 0)",
    );
    let uses = uses(&kernel);
    assert_eq!(uses[2..], ["address i*4 if n > k", "address i_2*5"]);
    assert!(variable(&kernel, "i").changes && !variable(&kernel, "i_2").changes);
}

#[test]
fn an_argument_that_is_replaced_at_once_is_a_definition() {
    let kernel = read("p, n", "n = 64\ni = tl.program_id(0) % n\ntl.store(p + i, 0)");
    assert_eq!(sites(&kernel)[0], "n = 64");
    let kernel = read("p, n", "n = n + 64\ni = tl.program_id(0) % n\ntl.store(p + i, 0)");
    assert!(variable(&kernel, "n").changes);
}

#[test]
fn several_names_at_once() {
    let kernel = read("p, n: int, m: int", "a, b = n // m, n % m\nc, d = index(n, m)\ntl.store(p + a * b + c * d, 0)");
    assert_eq!(sites(&kernel), ["a = truncdiv(n, m)", "b = truncmod(n, m)", "address a*b + c*d"]);
    assert!(kernel.definitions.iter().all(|d| d.is_used_elsewhere));
    assert!(!variable(&kernel, "c").changes);
}

#[test]
fn kept_texts_use_their_names() {
    let body = "a = n * 2\nb = n * 3\nc = n * 4\nd = n * 5\n\
                tl.device_print(f\"{a}\", b + 1)\ntl.static_assert(c > 2)\ntl.store(p + a + b + c + d, 0)";
    let kernel = read("p, n: int", body);
    let elsewhere: Vec<bool> = kernel.definitions.iter().map(|d| d.is_used_elsewhere).collect();
    assert_eq!(elsewhere, [true, true, true, false]);
    assert_eq!(uses(&kernel), ["address a + b + c + d if c > 2"]);
}

#[test]
fn names_are_words_that_nothing_else_has() {
    let kernel = read("p, m_col: int, part: int", "m = tl.arange(0, 8) + part\ntl.store(p + m[:, None] * m_col, 0)");
    assert_eq!(uses(&kernel), ["address m_col_2*m_col"]);
    assert!(kernel.words.contains(&"m_col".to_string()));
}

#[test]
fn notes_hold_where_their_names_have_values() {
    let kernel = read(
        "p, n",
        "# quaff: n in 1..64, k >= 1, i % 2 == 0, j < i\n\
         for k in range(n):\n    i = k * n\n    tl.store(p + i, 0)\n    j = i // 2\n    tl.store(p + j, 0)",
    );
    assert_eq!(uses(&kernel)[1..], ["address j if j < i; i%2 == 0; k >= 1"]);
    let kernel = read("p, n", "# quaff: n ==\ntl.store(p + n * 2, 0)");
    assert_eq!(reasons(&kernel).len(), 1);
}
