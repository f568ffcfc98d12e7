//! Every kind of error. A golden file has its message and its help. The tests also check the fields of errors, and that
//! a failed call changes nothing.
//!
//! `BLESS=1 cargo test --test dims errors::` rewrites `tests/golden/dims_errors/*.txt`.

use miette::Diagnostic;
use quaff::expr::{int, var};
use quaff_fronts::dims::{Dims, DimsError, ErrorKind, Unroll};
use std::fmt::Write;
use std::path::Path;

/// Compares the message with `tests/golden/dims_errors/<name>.txt`. The name of the file must begin with the name of
/// the error.
fn golden<T>(name: &str, result: Result<T, DimsError>) -> DimsError {
    let error = result.err().expect("an error");
    assert!(name.starts_with(error.name()), "{name}: {error}");
    let mut text = format!("error[{}]: {error}\n", error.code().unwrap());
    writeln!(text, "help: {}", error.help().unwrap()).unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/dims_errors").join(format!("{name}.txt"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, &text).unwrap();
    }
    let stored = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, stored, "{name}: run with BLESS=1 to accept the new text");
    error
}

type Outcome = Result<(), DimsError>;

#[test]
fn sizes_below_one() -> Outcome {
    let mut dims = Dims::new();
    golden("bad_size", dims.dim("A", 0));
    let c = dims.dim("C", 2)?;
    golden("bad_size-stride", dims.eq(c, (0, 2)));
    golden("empty_side", dims.eq(c, vec![]));
    // the failed calls left nothing behind, so `C` alone is valid
    dims.init().map(|_| ())
}

#[test]
fn names_that_are_no_words() -> Outcome {
    let mut dims = Dims::new();
    golden("bad_name", dims.dim("a b}", 4));
    golden("bad_name-line", dims.dim_eq("a\n*/", 4));
    for name in ["", "4", "4a", "a#2", "a.b", "é"] {
        assert_eq!(dims.dim(name, 4).unwrap_err().name(), "bad_name", "{name}");
    }
    // a keyword of CUDA may be the name of a dimension, but not of a loop variable
    let output = dims.dim("do", 4)?;
    let mut ix = dims.init()?;
    golden("bad_name-loop", ix.loop_over(output, "for", Unroll::Auto).map(|_| ()));
    for name in ["", "a b", "threadIdx", "quaff_i", "True"] {
        assert_eq!(ix.loop_over(output, name, Unroll::Auto).unwrap_err().name(), "bad_name", "{name}");
    }
    assert_eq!(ix.loops().len(), 0);
    ix.loop_over(output, "i", Unroll::Auto).map(|_| ())
}

#[test]
fn handles_of_another_dims() -> Outcome {
    let (mut other, mut dims) = (Dims::new(), Dims::new());
    let z = other.dim("Z", 4)?;
    let scope = other.new_scope("far")?;
    let a = dims.dim("A", 4)?;
    golden("foreign_dim", dims.eq(a, (z, 2)));
    golden("foreign_dim-size", dims.size(z));
    golden("foreign_dim-scope", dims.scope(scope).map(|_| ()));
    let mut ix = dims.init()?;
    golden("foreign_dim-set", ix.set(z, 0));
    assert!(ix.get_raw(z).is_err() && ix.scope(scope).is_err() && ix.vectorize(z, 4).is_err());
    assert!(ix.loop_over(z, "k", Unroll::Auto).is_err() && ix.why_partial(z).is_err());
    Ok(())
}

#[test]
fn changes_after_init() -> Outcome {
    let mut dims = Dims::new();
    let a = dims.dim("A", 4)?;
    dims.init()?;
    golden("frozen", dims.dim("B", 4));
    golden("frozen-eq", dims.eq(a, 4));
    golden("frozen-scope", dims.new_scope("late"));
    assert_eq!(dims.dim_eq("C", (a, 2)).unwrap_err().name(), "frozen");
    assert_eq!(dims.size(a)?, 4);
    Ok(())
}

#[test]
fn sizes_that_are_no_integers() -> Outcome {
    let mut dims = Dims::new();
    let (x, y) = (dims.dim("X", None)?, dims.dim("Y", 30)?);
    dims.eq((x, 4), y)?;
    let error = golden("fractional", dims.init());
    let ErrorKind::Fractional { dim, value: Some(value), .. } = error.kind() else { panic!("{error}") };
    assert_eq!((dim.dim, value.ratio()), (x, Some((15, 2))));

    let mut dims = Dims::new();
    let (a, b) = (dims.dim("A", None)?, dims.dim("B", None)?);
    dims.eq((a, b), 32)?;
    dims.eq(a, b)?;
    golden("fractional-tied", dims.init());

    let mut dims = Dims::new();
    let a = dims.dim("A", None)?;
    dims.eq((a, a, a), 100)?;
    golden("root", dims.init());
    Ok(())
}

#[test]
fn sizes_that_do_not_fit_together() -> Outcome {
    let mut dims = Dims::new();
    let (n, a, b) = (dims.dim("N", 64)?, dims.dim("A", 8)?, dims.dim("B", 4)?);
    dims.eq(n, (a, b))?;
    golden("contradiction", dims.init());

    let mut dims = Dims::new();
    let (a, b, c) = (dims.dim("A", None)?, dims.dim("B", None)?, dims.dim("C", None)?);
    dims.eq(a, (2, b))?;
    dims.eq((a, c), 64)?;
    dims.eq(a, (3, b))?;
    let error = golden("contradiction-tied", dims.init());
    let ErrorKind::Contradiction { equation, with, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((&equation.text[..], &with[0].text[..], with.len()), ("A = 3 * B", "A = 2 * B", 1));
    assert_eq!(error.equations(), [equation.equation, with[0].equation]);
    assert_eq!(error.equations().iter().map(|e| e.index()).collect::<Vec<_>>(), [2, 0]);
    Ok(())
}

#[test]
fn sizes_left_open() -> Outcome {
    let mut dims = Dims::new();
    let (a, b, c) = (dims.dim("A", None)?, dims.dim("B", None)?, dims.dim("C", None)?);
    dims.eq(64, (a, b))?;
    dims.eq((a, 3), (c, c, 2))?;
    golden("underdetermined", dims.init());
    golden("underdetermined-size", dims.size(b));
    assert_eq!(dims.known_size(b)?, None);
    dims.eq(c, 6)?;
    assert_eq!(dims.init().err().map(|e| e.name()), Some("fractional"));

    let mut dims = Dims::new();
    dims.dim("A", None)?;
    golden("underdetermined-alone", dims.init());

    let mut dims = Dims::new();
    for i in 0..20 {
        dims.dim(&format!("d{i}"), None)?;
    }
    golden("underdetermined-many", dims.init());
    Ok(())
}

#[test]
fn sizes_beyond_64_bits() -> Outcome {
    let mut dims = Dims::new();
    let (a, b) = (dims.dim("A", 1 << 40)?, dims.dim("B", 3 << 40)?);
    let n = dims.dim_eq("N", (a, b))?;
    golden("overflow", dims.size(n));
    assert_eq!(dims.init().err().map(|e| e.name()), Some("overflow"));

    let mut dims = Dims::new();
    let (a, b) = (dims.dim("A", 1 << 40)?, dims.dim("B", 1 << 40)?);
    dims.eq((a, b), (b, a))?;
    golden("overflow-side", dims.init());
    // after the failed `init`, dimensions can still be added
    dims.dim("C", 1)?;

    let mut dims = Dims::new();
    let (a, b) = (dims.dim("A", None)?, dims.dim("B", None)?);
    let most = i64::MAX;
    dims.eq((a, b), (most, most, most))?;
    dims.eq(a, (b, most))?;
    golden("overflow-tied", dims.init());
    Ok(())
}

/// The equation `thread = warp * lane`, and the equation `lane = g * s` in the scope `mma`.
fn threads() -> Result<(Dims, [quaff_fronts::dims::Dim; 5], quaff_fronts::dims::Scope), DimsError> {
    let mut dims = Dims::new();
    let (thread, warp, lane) = (dims.dim("thread", 256)?, dims.dim("warp", None)?, dims.dim("lane", 32)?);
    dims.eq(thread, (warp, lane))?;
    let mma = dims.new_scope("mma")?;
    let mut inner = dims.scope(mma)?;
    let (g, s) = (inner.dim("g", 8)?, inner.dim("s", 4)?);
    inner.eq(lane, (g, s))?;
    drop(inner);
    Ok((dims, [thread, warp, lane, g, s], mma))
}

#[test]
fn indices_known_twice() -> Outcome {
    let (mut dims, [thread, warp, lane, ..], _) = threads()?;
    let mut ix = dims.init()?;
    ix.set(warp, var("w"))?;
    let error = golden("conflict", ix.set(thread, var("t")));
    let ErrorKind::Conflict { left, right, .. } = error.kind() else { panic!("{error}") };
    assert_eq!((left[0].dim.dim, right[0].dim.dim, left.len(), right.len()), (thread, warp, 1, 1));
    assert!(!ix.is_solved(thread)?);
    golden("already_solved", ix.set(warp, 0));
    ix.set(lane, var("l"))?;
    golden("already_solved-derived", ix.set(thread, var("t")));
    golden("already_solved-loop", ix.loop_over(lane, "i", Unroll::Auto).map(|_| ()));
    Ok(())
}

#[test]
fn a_dimension_on_both_sides() -> Outcome {
    let mut dims = Dims::new();
    let (a, b, c) = (dims.dim("A", 7)?, dims.dim("B", None)?, dims.dim("C", 5)?);
    dims.eq((a, b), (a, c))?;
    let mut ix = dims.init()?;
    golden("conflict-both_sides", ix.set(a, var("x")));
    Ok(())
}

#[test]
fn scopes_that_do_not_agree() -> Outcome {
    let mut dims = Dims::new();
    let (n, b, t) = (dims.dim("N", 1 << 20)?, dims.dim("B", 1024)?, dims.dim("T", 1024)?);
    let (tile, swap) = (dims.new_scope("tile")?, dims.new_scope("swap")?);
    dims.scope(tile)?.eq(n, (b, t))?;
    dims.scope(swap)?.eq(n, (t, b))?;
    let mut ix = dims.init()?;
    ix.set(t, var("t"))?;
    ix.set(b, var("b"))?;
    golden("unsolved-scopes", ix.get_raw(n));
    let mut ix = ix.scope(tile)?;
    golden("conflict-scope", ix.scope(swap).map(|_| ()));
    assert_eq!(ix.active_scopes().len(), 1);
    assert_eq!(ix.get_raw(n)?.to_string(), "b*1024 + t");
    Ok(())
}

#[test]
fn a_diagonal_backwards() -> Outcome {
    let mut dims = Dims::new();
    let a = dims.dim("A", 8)?;
    let n = dims.dim_eq("N", (a, a))?;
    let mut ix = dims.init()?;
    golden("overdetermined", ix.set(n, var("n")));
    ix.set(a, var("a"))?;
    assert_eq!(ix.get_raw(n)?.to_string(), "a*8 + a");
    Ok(())
}

#[test]
fn reading_too_early() -> Outcome {
    let (mut dims, [thread, warp, _, g, _], mma) = threads()?;
    let alone = dims.dim("alone", 9)?;
    let mut ix = dims.init()?;
    golden("unsolved-alone", ix.get_raw(alone));
    ix.set(warp, var("w"))?;
    golden("unsolved", ix.get_raw(thread));
    golden("unsolved-inactive", ix.why_solved(g));
    let ix = ix.scope(mma)?;
    golden("unsolved-nothing_set", ix.get_raw(g));
    Ok(())
}

#[test]
fn scopes_out_of_order() -> Outcome {
    let mut dims = Dims::new();
    dims.dim("A", 4)?;
    let (p, q) = (dims.new_scope("p")?, dims.new_scope("q")?);
    let c = dims.scope(p)?.new_scope("c")?;
    let g = dims.scope(c)?.new_scope("g")?;
    let mut ix = dims.init()?;
    golden("scope_parent", ix.scope(c).map(|_| ()));
    let mut ix = ix.scope(q)?;
    let mut ix = ix.scope(p)?;
    golden("scope_parent-active", ix.scope(g).map(|_| ()));
    let mut ix = ix.scope(c)?;
    ix.scope(g).map(|_| ())
}

#[test]
fn loops_and_vectors() -> Outcome {
    let mut dims = Dims::new();
    let (v, k, j) = (dims.dim("v", 4)?, dims.dim("k", 16)?, dims.dim("j", 16)?);
    let mut ix = dims.init()?;
    golden("vector_size", ix.vectorize(v, 8).map(|_| ()));
    let mut ix = ix.loop_over(k, "i", Unroll::Full)?;
    golden("name_taken", ix.loop_over(j, "i", Unroll::Full).map(|_| ()));
    golden("out_of_range", ix.set(v, var("i") + 4));
    golden("out_of_range-constant", ix.set(v, int(4)));
    assert_eq!(ix.loops().len(), 1);
    // `i` is in the range of `v` only in some iterations
    golden("out_of_range-unproved", ix.set(v, var("i")));
    golden("out_of_range-unproved-expression", ix.set(v, var("i").floor_div(3)));
    ix.assume_that(var("i").lt(4));
    ix.set(v, var("i"))
}

#[test]
fn an_index_is_proved_from_all_that_is_known() -> Outcome {
    let mut dims = Dims::new();
    let (n, b, m) = (dims.run_time("N", 1..=1000, 1)?, dims.dim("B", 8)?, dims.dim("M", 8)?);
    let mut ix = dims.init()?;
    ix.assume("q", 0..=100);
    golden("out_of_range-offset", ix.set(b, var("q") + 8));
    assert_eq!(ix.set(b, var("q")).unwrap_err().name(), "out_of_range");
    assert_eq!(ix.set(n, var("q")).unwrap_err().name(), "out_of_range");
    ix.set(b, var("q") % 8)?;
    // `x` has no declared range, so its range follows from the index that is set to it
    ix.set(m, var("x") - 1)?;
    ix.assume_that((var("q") * 3).lt(var("N")));
    ix.set(n, var("q") * 3)
}

#[test]
fn lanes_that_one_access_does_not_cover() -> Outcome {
    let mut dims = Dims::new();
    let (thread, v, w) = (dims.dim("thread", 64)?, dims.dim("v", 4)?, dims.dim("w", 2)?);
    let (rows, columns) = (dims.dim_eq("rows", (thread, v))?, dims.dim_eq("columns", (v, thread))?);
    let (both, swapped) = (dims.dim_eq("both", (thread, v, w))?, dims.dim_eq("swapped", (thread, w, v))?);
    let mut ix = dims.init()?;
    ix.set(thread, var("t"))?;
    let mut ix = ix.vectorize(v, 4)?;
    assert_eq!(ix.get_all(&[rows, thread, v])?.iter().map(ToString::to_string).collect::<Vec<_>>(), ["t*4", "t", "0"]);
    golden("lanes", ix.get(columns));
    assert_eq!(ix.get_raw(columns)?.to_string(), "0*64 + t");
    {
        // the vectors `v` and `w` together are one vector of eight lanes
        let ix = ix.vectorize(w, 2)?;
        assert_eq!(ix.get(both)?.to_string(), "t*8");
        golden("lanes-order", ix.get(swapped));
    }
    // a vector of four elements lies in a row of seven elements, so rows do not begin at a multiple of four
    let mut dims = Dims::new();
    let (thread, v, rest) = (dims.dim("thread", 64)?, dims.dim("v", 4)?, dims.dim("rest", 7)?);
    let whole = dims.dim_eq("whole", (thread, rest))?;
    let scope = dims.new_scope("first")?;
    dims.scope(scope)?.covered(v, rest)?;
    let mut ix = dims.init()?;
    ix.set(thread, var("t"))?;
    let mut ix = ix.vectorize(v, 4)?;
    let ix = ix.scope(scope)?;
    golden("lanes-begin", ix.get(whole));
    Ok(())
}

#[test]
fn indices_that_cannot_be_simplified() -> Outcome {
    let mut dims = Dims::new();
    let n = dims.dim("n", 64)?;
    let mut ix = dims.init()?;
    ix.assume("y", 0..8);
    ix.set(n, var("x") / var("y"))?;
    golden("not_simplified", ix.get(n));
    assert!(ix.get_raw(n).is_ok());
    Ok(())
}

#[test]
fn sizes_known_at_run_time() -> Outcome {
    let mut dims = Dims::new();
    golden("bad_range", dims.run_time("N", 0..=64, 1));
    golden("bad_range-step", dims.run_time("N", 1..=64, 0));
    golden("bad_range-multiple", dims.run_time("N", 1..=7, 8));
    golden("bad_name-run_time", dims.run_time("for", 1..=7, 1));
    let n = dims.run_time("N", 1..=1 << 20, 8)?;
    golden("bad_name-twice", dims.run_time("N", 1..=7, 1));
    golden("bad_name-assumed", dims.assume(var("M").equals(0)));
    let m = dims.run_time("M", 1..=1 << 20, 1)?;
    let (b, t) = (dims.dim("B", None)?, dims.dim("T", 64)?);
    dims.covered(n, (b, t))?;
    golden("run_time-size", dims.size(b));
    let mut ix = dims.init()?;
    golden("run_time-unroll", ix.loop_over(b, "i", Unroll::Full).map(|_| ()));
    golden("run_time-vector", ix.vectorize(b, 4).map(|_| ()));
    golden("out_of_range-run_time", ix.set(b, int(1 << 20)));
    golden("frozen-run_time", dims.run_time("K", 1..=7, 1));
    golden("foreign_dim-guard", Dims::new().init()?.inside(&[m]));
    Ok(())
}

#[test]
fn what_is_not_decided_names_the_fact() -> Outcome {
    let two = || -> Result<_, DimsError> {
        let mut dims = Dims::new();
        let (n, m) = (dims.run_time("N", 1..=4096, 8)?, dims.run_time("M", 1..=4096, 1)?);
        let (a, b) = (dims.dim("A", None)?, dims.dim("B", None)?);
        Ok((dims, n, m, a, b))
    };
    let (mut dims, n, _, _, b) = two()?;
    dims.eq(n, (b, 256))?;
    golden("undecided", dims.size_expr(b));
    let (mut dims, n, m, a, _) = two()?;
    dims.eq(n, (m, a))?;
    golden("undecided-quotient", dims.size_expr(a));
    let (mut dims, n, m, a, _) = two()?;
    dims.eq((n, 2), (m, 4))?;
    golden("undecided-equal", dims.size_expr(a));
    let (mut dims, n, m, a, b) = two()?;
    dims.eq((a, b), n)?;
    dims.eq((a, 2), (b, m))?;
    golden("fractional-run_time", dims.size_expr(a));
    let (mut dims, n, _, a, _) = two()?;
    dims.eq((a, a), n)?;
    golden("root-run_time", dims.size_expr(a));
    let (mut dims, n, m, a, _) = two()?;
    dims.covered(n, (m, 16))?;
    golden("undecided-covered", dims.size_expr(a));
    let (mut dims, n, _, a, b) = two()?;
    dims.covered(n, (a, b))?;
    golden("underdetermined-covered", dims.size_expr(a));
    let (mut dims, n, _, a, _) = two()?;
    dims.covered(8192, n)?;
    golden("uncovered", dims.size_expr(a));
    Ok(())
}
