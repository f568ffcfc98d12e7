//! Tests of reading expressions, and of inferring which values are integers.

use super::{facts, range, read, read_with, reasons, sites, source, uses, variable};
use crate::options::Options;
use crate::{Language, rewrite};
use quaff::Simplifier;

#[test]
fn addresses_masks_and_definitions_are_sites() {
    let kernel = read(
        "x_ptr, y_ptr, n, BLOCK: tl.constexpr",
        "pid = tl.program_id(axis=0)\n\
         offs = pid * BLOCK + tl.arange(0, BLOCK)\n\
         mask = offs < n\n\
         x = tl.load(x_ptr + offs * 2 + 1, mask=mask)\n\
         tl.store(y_ptr + (offs + 3), x, mask & (offs > 4))",
    );
    assert_eq!(
        sites(&kernel),
        [
            "pid = program_id_0",
            "offs = pid*BLOCK + arange_0_BLOCK",
            "mask = offs < n",
            "address offs*2 + 1 if mask",
            "condition mask",
            "address offs + 3 if offs > 4; mask",
            "condition mask and offs > 4",
        ]
    );
    assert_eq!(range(&kernel, "program_id_0"), "0..2147483646");
    assert_eq!(facts(&kernel, "arange_0_BLOCK").upper.unwrap().to_string(), "BLOCK - 1");
    assert_eq!(variable(&kernel, "arange_0_BLOCK").spelling, "tl.arange(0, BLOCK)");
    assert_eq!(kernel.assumed, ["32-bit integers do not overflow", "`n` is an integer"]);
    assert!(kernel.definitions.iter().all(|d| d.is_constant && !d.is_used_elsewhere));
}

#[test]
fn spans_and_parentheses_are_those_of_the_text() {
    let body = "tl.store(p + i * 2 - 1, 0)\ntl.store(p + (i * 2), 0)\ntl.store(i * 4 + p, 0)\ntl.store(p - (i + 1), 0)";
    let kernel = read("p, i", body);
    let text = source("p, i", body);
    let found: Vec<_> = kernel.sites.iter().map(|s| (&text[s.span.clone()], s.is_free)).collect();
    assert_eq!(found, [("i * 2 - 1", false), ("(i * 2)", false), ("i * 4", false), ("(i + 1)", false)]);
}

#[test]
fn floats_are_no_sites_and_integers_in_them_are() {
    let kernel = read(
        "x_ptr, scale, n, BLOCK: tl.constexpr",
        "i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n\
         x = tl.load(x_ptr + i)\n\
         y = x * 2 + 1\n\
         z = tl.where(i + 1 < n, y * scale, 0.0) + x / 4\n\
         w = z * (i - 1)\n\
         tl.store(x_ptr + i, w + tl.sum(x) * 3)",
    );
    assert_eq!(uses(&kernel), ["address i", "condition i + 1 < n", "value i - 1", "address i"]);
}

#[test]
fn an_argument_that_may_be_a_float_is_no_integer() {
    let kernel = read(
        "x_ptr, eps, k",
        "i = tl.program_id(0)\nif eps > 0:\n    tl.store(x_ptr + i, i * eps)\nif k // 2 > 0:\n    pass",
    );
    assert_eq!(uses(&kernel), ["address i", "condition truncdiv(k, 2) > 0"]);
}

#[test]
fn division_truncates_and_that_of_the_compiler_is_floor() {
    let kernel = read("p, n, A: tl.constexpr, B: tl.constexpr", "tl.store(p + n // 4 + n % A * ((A - B) // 2), 0)");
    assert_eq!(uses(&kernel), ["address truncdiv(n, 4) + truncmod(n, A)*((A - B)//2)"]);
    let kernel = read("p, n, m", "tl.store(p + triton_helpers.div_floor_integer(n + 1, m) * 3, 0)");
    assert_eq!(uses(&kernel), ["address (n + 1)//m*3"]);
}

#[test]
fn loads_in_indices_are_variables() {
    let kernel = read(
        "table, x_ptr, i",
        "page = tl.load(table + i * 2)\n\
         x = tl.load(x_ptr + page * 16 + tl.load(table + (i + 1)) * 3)\n\
         tl.store(x_ptr + page, x)",
    );
    assert_eq!(uses(&kernel), ["address i*2", "address page*16 + loaded*3", "address i + 1"]);
    assert_eq!(range(&kernel, "page"), "-2147483648..2147483647");
    assert!(!variable(&kernel, "page").changes);
    let part = variable(&kernel, "loaded");
    assert!(part.changes && part.source.is_some());
    assert_eq!(part.spelling, "tl.load(table + (i + 1))");
}

#[test]
fn wide_values_stay_wide() {
    let kernel = read(
        "table, x_ptr, i, stride",
        "page = tl.load(table + i)\n\
         base = page.to(tl.int64) * stride + i\n\
         far = (i * 4).to(tl.int64) * stride\n\
         tl.store(x_ptr + base + far, 0)",
    );
    assert_eq!(sites(&kernel)[..2], ["base = page_wide*stride + i", "far = part*stride"]);
    assert_eq!(sites(&kernel)[2..], ["value i*4", "address base + far"]);
    assert_eq!(variable(&kernel, "page_wide").spelling, "page.to(tl.int64)");
    assert!(kernel.definitions[0].is_constant);
}

#[test]
fn axes_of_tensors_are_variables() {
    let kernel = read(
        "p, sm, sn, B: tl.constexpr",
        "m = tl.program_id(0) * 8 + tl.arange(0, 8)\n\
         n = tl.arange(0, 8)\n\
         at = m[:, None] * sm + n[None, :] * sn\n\
         tl.store(p + at + tl.arange(0, 8)[:, None], 0, mask=(m < B)[:, None])",
    );
    assert_eq!(
        sites(&kernel),
        [
            "m = program_id_0*8 + arange_0_8",
            "n = arange_0_8",
            "at = m_col*sm + n_row*sn",
            "address at + arange_0_8_col if program_id_0*8 + arange_0_8_col < B",
            "condition m < B"
        ]
    );
    assert_eq!(variable(&kernel, "m_col").spelling, "m[:, None]");
    assert_eq!(variable(&kernel, "m_col").axes, ["[:,None]".into()]);
    assert_eq!(variable(&kernel, "at").axes, ["[:,None]".into(), "[None,:]".into()]);
    assert_eq!(range(&kernel, "n_row"), "0..7");
    assert!(kernel.definitions[0].is_used_elsewhere, "its text is part of another variable");
}

#[test]
fn a_mask_along_an_axis_is_what_it_is_along_that_axis() {
    let kernel = read(
        "p, n",
        "i = tl.program_id(0) * 8 + tl.arange(0, 8)\n\
         ok = i < n\n\
         tl.store(p + i[:, None] * 2, 0, ok[:, None])",
    );
    let address = uses(&kernel).remove(0);
    assert_eq!(address, "address i_col*2 if program_id_0*8 + arange_0_8_col < n");
}

#[test]
fn the_compilers_values_are_left_to_it() {
    let kernel = read(
        "p, n, A: tl.constexpr, B: tl.constexpr",
        "HALF: tl.constexpr = A // 2\n\
         sums = tl.zeros((A * 2, B), dtype=tl.float32)\n\
         i = tl.arange(0, A * 2) + HALF * n\n\
         if A % 16 == 0:\n    tl.store(p + i, sums)\n\
         for k in range(0, A * B):\n    tl.store(p + (i + k), sums)",
    );
    assert_eq!(sites(&kernel), ["i = arange_0 + HALF*n", "address i if A%16 == 0", "address i + k"]);
    assert_eq!(facts(&kernel, "arange_0").upper.unwrap().to_string(), "A*2 - 1");
    assert_eq!(facts(&kernel, "HALF").upper.unwrap().to_string(), "A//2");
}

#[test]
fn values_of_flags_and_notes() {
    let options = Options::default().define("A", 64).note("n in 1..9, n % 3 == 0, foreign in 1..2").unwrap();
    let body = "# quaff: B == 4, i >= 2\n# quaff: q in 1..2\ni = tl.program_id(0)\ntl.store(p + i * A + n * B, 0)";
    let kernel = read_with("p, n, A: tl.constexpr, B: tl.constexpr", body, &options);
    assert_eq!(
        (range(&kernel, "A"), range(&kernel, "B"), range(&kernel, "n")),
        ("64..64".into(), "4..4".into(), "1..9".into())
    );
    assert_eq!(uses(&kernel), ["address i*A + n*B if i >= 2"]);
    assert_eq!(kernel.domain.assumptions()[0].to_string(), "n%3 == 0");
    assert_eq!(reasons(&kernel), ["`q` is no variable of this kernel"]);
}

#[test]
fn tensors_of_one_element_are_numbers_in_others() {
    let kernel = read(
        "p, XBLOCK: tl.constexpr",
        "x = tl.arange(0, XBLOCK)[:]\nt = tl.full([1], 20, tl.int64)\nm = x < t\nu = t + 1\ntl.store(p + x, 0, m)",
    );
    assert_eq!(range(&kernel, "t"), "20..20");
    assert_eq!(sites(&kernel)[1..], ["m = x < t", "address x if m", "condition m"]);
    assert_eq!(reasons(&kernel), ["it is a tensor of one element"]);
}

#[test]
fn the_opposite_of_a_truth_value_is_not_its_complement() {
    let kernel = read(
        "p, n, q",
        "i = tl.program_id(0)\nm = i < n\ntl.store(p + (~i + 1), 0, ~m & ~(i > 2))\ntl.store(p + i, 0, m & ~q)",
    );
    assert_eq!(
        uses(&kernel),
        [
            "address -i - 1 + 1 if not i > 2; not m",
            "condition not m and not i > 2",
            "address i if m",
            "condition m & part"
        ]
    );
}

#[test]
fn a_site_with_a_comment_is_left_as_it_is() {
    let kernel = read("p, i", "tl.store(p + (i * 2  # rows\n    + 1), 0)\ntl.store(p + i * 4, 0)");
    assert_eq!(uses(&kernel), ["address i*4"]);
    assert_eq!(reasons(&kernel), ["a comment is inside of it"]);
}

#[test]
fn places_of_sites_do_not_depend_on_the_values() {
    let roles = |offset: &str, mask: &str, end: &str, value: &str| {
        let body = format!(
            "i = tl.program_id(0)\nfor k in range({end}):\n    x = tl.load(p + {offset}, mask={mask})\n    tl.store(p + {offset}, x * ({value}), {mask})"
        );
        read("p, n: int", &body).sites.iter().map(|site| site.role).collect::<Vec<_>>()
    };
    let written = roles("i * 2 + n", "i * 2 < n", "n // 2", "i + n");
    assert_eq!(written.len(), 7);
    assert_eq!(roles("n", "True", "n", "i"), written);
    assert_eq!(roles("0", "i > 0", "4", "n"), written);
}

/// A shift to the left loses the bits above the type, so that a shift back does not restore the value.
#[test]
fn shifts_back_are_not_followed() {
    for (body, is_changed) in [
        ("x = tl.load(p)\ntl.store(p + ((x << 4) >> 4), x)", false),
        ("x = tl.load(p)\ny = x << 4\ntl.store(p + (y >> 4), x)", false),
        ("x = tl.arange(0, 64)\ny = x << 4\ntl.store(p + y // 16 * 3, x)", true),
    ] {
        let text = source("p", body);
        let found = rewrite(&text, Language::Triton, &Options::default(), &Simplifier::default()).unwrap();
        assert_eq!(found.text != text, is_changed, "{}", found.text);
    }
}
