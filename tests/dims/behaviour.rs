//! Behaviour of dims that the programs in `scenarios.rs` do not cover: leading strides, sizes of 1 in longer chains,
//! digit alignment, facts and directions.

use quaff::domain::Domain;
use quaff::expr::{int, var};
use quaff_fronts::dims::{Dims, DimsError, Direction, Frame, Indices, Options, Origin, Unroll};

type Outcome = Result<(), DimsError>;

fn range_of(facts: &Domain, name: &str) -> String {
    facts.resolve().unwrap()[facts.position(name).expect(name)].interval.to_string()
}

#[test]
fn a_stride_in_front_backwards_keeps_the_remainder_only() -> Outcome {
    let mut dims = Dims::new();
    let (y, x) = (dims.dim("Y", None)?, dims.dim("X", 16)?);
    dims.eq(y, (2, x))?;
    let mut ix = dims.init()?;
    ix.set(y, var("y"))?;
    assert_eq!(ix.get_raw(x)?.to_string(), "y%16");
    Ok(())
}

#[test]
fn equal_sides_say_nothing() -> Outcome {
    let mut dims = Dims::new();
    let a = dims.dim("A", 16)?;
    dims.eq((a, 2), (a, 2))?;
    let mut ix = dims.init()?;
    ix.set(a, var("a"))
}

/// The program `out = kv * 2`, `row = out * t`, which is valid for any size of `kv`.
fn specialised(kv_size: i64) -> Result<(Indices, [quaff_fronts::dims::Dim; 4]), DimsError> {
    let mut dims = Dims::new();
    let (kv, t) = (dims.dim("kv", kv_size)?, dims.dim("t", 32)?);
    let out = dims.dim_eq("out", (kv, 2))?;
    let row = dims.dim_eq("row", (out, t))?;
    let mut ix = dims.init()?;
    ix.set(kv, var("k"))?;
    Ok((ix, [kv, t, out, row]))
}

#[test]
fn specialising_a_size_to_one_keeps_a_kernel_valid() -> Outcome {
    let (mut ix, [_, t, _, row]) = specialised(4)?;
    ix.set(t, var("t"))?;
    assert_eq!(ix.get_raw(row)?.to_string(), "k*2*32 + t");

    let (mut ix, [_, t, out, row]) = specialised(1)?;
    ix.set(t, var("t"))?;
    assert_eq!(ix.get_raw(out)?, int(0));
    assert_eq!(ix.get_raw(row)?.to_string(), "0*32 + t");
    assert!(matches!(ix.why_solved(out)?, Origin::Equation { direction: Direction::Backward, .. }));
    // the index of `out` reads as 0, but it is not set, so a loop may still set it
    assert!(!ix.is_solved(out)?);
    let ix = ix.loop_over(out, "o", Unroll::Auto)?;
    assert_eq!(ix.get_raw(row)?.to_string(), "o*32 + t");
    Ok(())
}

#[test]
fn a_side_that_is_partly_set_does_not_read_as_zero() -> Outcome {
    let mut dims = Dims::new();
    let (one, a, b) = (dims.dim("one", 1)?, dims.dim("a", 2)?, dims.dim("b", 3)?);
    dims.eq((one, 6), (a, b))?;
    let mut ix = dims.init()?;
    assert_eq!(ix.get_raw(b)?, int(0));
    ix.set(a, var("i"))?;
    assert_eq!(ix.get_raw(b).unwrap_err().name(), "unsolved");
    Ok(())
}

#[test]
fn a_side_of_integers_states_a_size_only() -> Outcome {
    let mut dims = Dims::new();
    let it = dims.dim("it", None)?;
    dims.eq(it, 3)?;
    let mut ix = dims.init()?;
    assert_eq!(ix.get_raw(it).unwrap_err().name(), "unsolved");
    let ix = ix.loop_over(it, "i", Unroll::By(3))?;
    let Some(opened) = ix.opened_loop() else { panic!("a loop") };
    assert_eq!((opened.trips.as_const(), opened.unroll, opened.dim), (Some(3), Unroll::By(3), it));
    Ok(())
}

#[test]
fn digit_alignment_solves_each_digit() -> Outcome {
    let program = |align: bool| {
        let mut dims = Dims::with_options(Options { digit_alignment: align, ..Options::default() });
        let [a, b, c, d] = [("a", 6), ("b", 4), ("c", 6), ("d", 4)].map(|(name, size)| dims.dim(name, size));
        let (a, b, c, d) = (a?, b?, c?, d?);
        let equation = dims.eq((a, b), (c, d))?;
        let mut ix = dims.init()?;
        ix.set(b, var("x"))?;
        let conflict = ix.set(c, var("y")).is_err();
        Ok::<_, DimsError>((conflict, ix.get_raw(d).is_ok(), ix.get_raw(a).is_ok(), ix.directions(equation)?))
    };
    assert_eq!(program(false)?, (true, false, false, vec![None]));
    let directions = vec![Some(Direction::Forward), Some(Direction::Backward)];
    assert_eq!(program(true)?, (false, true, true, directions));
    Ok(())
}

#[test]
fn directions_follow_the_settings_and_end_with_the_frame() -> Outcome {
    let mut dims = Dims::new();
    let (thread, warp, lane) = (dims.dim("thread", 256)?, dims.dim("warp", 8)?, dims.dim("lane", 32)?);
    let equation = dims.eq(thread, (warp, lane))?;
    let mut ix = dims.init()?;
    {
        let mut ix = ix.frame();
        ix.set(thread, var("t"))?;
        assert_eq!(ix.directions(equation)?, [Some(Direction::Forward)]);
    }
    assert_eq!(ix.directions(equation)?, [None]);
    ix.set(warp, var("w"))?;
    ix.set(lane, var("l"))?;
    assert_eq!(ix.directions(equation)?, [Some(Direction::Backward)]);
    Ok(())
}

#[test]
fn facts_are_those_of_the_frame() -> Outcome {
    let mut dims = Dims::new();
    let (n, m, k) = (dims.dim("n", 64)?, dims.dim("m", 24)?, dims.dim("k", 9)?);
    let mut ix = dims.init()?;
    ix.set(n, var("t"))?;
    ix.assume("table", 0..=99);
    assert_eq!(range_of(&ix.facts(), "t"), "0..63");
    {
        // this frame is the inside of `if (t < 24)`
        let mut ix = ix.frame();
        assert_eq!(ix.set(m, var("t")).unwrap_err().name(), "out_of_range");
        ix.assume_that(var("t").lt(24));
        ix.set(m, var("t"))?;
        ix.assume("table", 10..=200);
        assert_eq!(range_of(&ix.facts(), "t"), "0..23");
        assert_eq!(range_of(&ix.facts(), "table"), "10..99");
        let ix = ix.loop_over(k, "i", Unroll::Auto)?;
        assert_eq!(range_of(&ix.facts(), "i"), "0..8");
    }
    assert_eq!(range_of(&ix.facts(), "t"), "0..63");
    assert_eq!(range_of(&ix.facts(), "table"), "0..99");
    // outside of the frame, `t` may be up to 63
    assert_eq!(ix.set(m, var("t") - 40).unwrap_err().name(), "out_of_range");
    ix.assume_that(var("t").ge(40));
    ix.set(m, var("t") - 40)?;
    let error = ix.set(k, var("table") + 9);
    assert_eq!(error.unwrap_err().name(), "out_of_range");
    // the check ignores an assumption that cannot hold, and the domain reports it
    ix.assume("table", 500..=600);
    assert!(ix.facts().resolve().is_err());
    assert_eq!(ix.set(k, var("table") + 9).unwrap_err().name(), "out_of_range");
    let settings: Vec<String> = ix.settings().map(|(dim, value, size)| format!("{dim} = {value} < {size}")).collect();
    assert_eq!(settings, ["n = t < 64", "m = t - 40 < 24"]);
    Ok(())
}

#[test]
fn names_may_repeat() -> Outcome {
    let mut dims = Dims::new();
    let (first, second) = (dims.dim("thread", 8)?, dims.dim("thread", None)?);
    dims.eq(second, (first, 2))?;
    let ix = dims.init()?;
    assert_eq!((dims.name(second)?, ix.size(second)?), ("thread", 16));
    let error = ix.get_raw(second).unwrap_err().to_string();
    assert!(error.contains("`thread#2 = thread * 2`"), "{error}");
    Ok(())
}

#[test]
fn init_may_be_repeated() -> Outcome {
    let mut dims = Dims::new();
    let a = dims.dim("a", 8)?;
    let (mut first, second) = (dims.init()?, dims.init()?);
    first.set(a, var("x"))?;
    assert!(second.get_raw(a).is_err());
    Ok(())
}

#[test]
fn siblings_may_be_active_together() -> Outcome {
    let mut dims = Dims::new();
    let (n, m) = (dims.dim("n", 8)?, dims.dim("m", 6)?);
    let (left, right) = (dims.new_scope("left")?, dims.new_scope("right")?);
    let a = dims.scope(left)?.dim_eq("a", (n, 2))?;
    let b = dims.scope(right)?.dim_eq("b", (a, m))?;
    let mut ix = dims.init()?;
    ix.set(n, var("i"))?;
    ix.set(m, var("j"))?;
    let mut ix: Frame<'_> = ix.scope(right)?;
    assert!(ix.get_raw(b).is_err());
    let ix = ix.scope(left)?;
    assert_eq!(ix.get_raw(b)?.to_string(), "i*2*6 + j");
    Ok(())
}

#[test]
fn handles_cross_threads_and_show_themselves() -> Outcome {
    fn shared<T: Send + Sync>(_: &T) {}
    let mut dims = Dims::new();
    let (n, b) = (dims.dim("n", 64)?, dims.dim("b", 8)?);
    let inner = dims.new_scope("inner")?;
    dims.scope(inner)?.dim_eq("m", (n, b))?;
    let mut ix = dims.init()?;
    ix.set(n, var("i"))?;
    shared(&dims);
    shared(&ix);
    assert_eq!(format!("{dims:?} {ix:?}"), "[\"inner: m = n * b\"] {n: Expr(i)}");
    Ok(())
}

#[test]
fn equations_beyond_those_that_determine_all_sizes_are_checked() -> Outcome {
    // every equation mentions all twelve dimensions, and the i-th dimension twice. The last equation is redundant or
    // contradictory
    for (last, holds) in [(8, true), (16, false)] {
        let mut dims = Dims::new();
        let all = (0..12).map(|i| dims.dim(&format!("d{i}"), None)).collect::<Result<Vec<_>, _>>()?;
        for (i, &d) in all.iter().enumerate() {
            let twice: Vec<_> = all.iter().copied().chain([d]).collect();
            dims.eq(&twice[..], if i < 3 { 16 } else { 8 })?;
        }
        dims.eq(&all[..], last)?;
        let size = dims.size(all[0]);
        assert_eq!(size.as_ref().map_err(|e| e.name()).copied(), if holds { Ok(2) } else { Err("contradiction") });
    }
    Ok(())
}

#[test]
fn copies_of_unrolled_loops_share_what_they_can() -> Result<(), DimsError> {
    for (unroll, index) in
        [(Unroll::Auto, "t%32*32 + (t%32 ^ s*8 + t//32)"), (Unroll::Full, "s*8 ^ t%32*32 + (t//32 ^ t%32)")]
    {
        let mut dims = Dims::new();
        let (thread, step) = (dims.dim("thread", 256)?, dims.dim("step", 4)?);
        let (warp, lane) = (dims.dim("warp", None)?, dims.dim("lane", 32)?);
        dims.eq(thread, (warp, lane))?;
        let (row, swizzled) = (dims.dim_eq("row", (step, warp))?, dims.dim("swizzled", 1024)?);
        let mut ix = dims.init()?;
        ix.set(thread, var("t"))?;
        let mut ix = ix.loop_over(step, "s", unroll)?;
        let (row, lane) = (ix.get_raw(row)?, ix.get_raw(lane)?);
        ix.set(swizzled, &lane * 32 + (lane ^ row))?;
        assert_eq!(ix.get(swizzled)?.to_string(), index, "{unroll:?}");
    }
    Ok(())
}
