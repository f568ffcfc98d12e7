//! Blocks of kernels that are opened and closed by separate calls, and calls that fail.

use quaff::expr::{Expr, var};
use quaff_fronts::coalesce::{Digits, Schedule};
use quaff_fronts::dims::{Dim, Dims, Scope, Unroll};
use quaff_fronts::kernel::{Block, Buffer, Element, Enter, Kernel, KernelError, Opened, Recorded, Transfer};

/// Dimensions of all kinds, and a buffer of a kernel over these dimensions.
struct Parts {
    n: Dim,
    step: Dim,
    one: Dim,
    lane: Dim,
    element: Dim,
    load: Scope,
    x: Buffer,
}

fn parts() -> Result<(Kernel, Parts), KernelError> {
    let mut dims = Dims::new();
    let (n, block, thread) = (dims.dim("n", 1002)?, dims.dim("block", None)?, dims.dim("thread", 64)?);
    let (step, one, lane, element) =
        (dims.dim("step", 3)?, dims.dim("one", 1)?, dims.dim("lane", 4)?, dims.dim("element", 60)?);
    dims.covered(n, (block, thread, lane))?;
    let load = dims.new_scope("load")?;
    dims.scope(load)?.dim_eq("loaded", (step, lane))?;
    let mut kernel = Kernel::new("k", dims.init()?);
    let x = kernel.output("x", Element::F32)?.aligned(16);
    kernel.body(|b| {
        b.bind(block, "b", "blockIdx.x")?;
        b.bind(thread, "t", "threadIdx.x").map(drop)
    })?;
    Ok((kernel, Parts { n, step, one, lane, element, load, x }))
}

fn schedule() -> Schedule {
    Schedule::Digits(Digits::new(&[8, 8], &[1, 0], &[false, false]).expect("digits"))
}

/// Records blocks of all kinds. Each block is a closure.
fn closures(b: &mut Block<'_>, p: &Parts) -> Recorded {
    b.loop_over(p.step, "i", Unroll::By(2), |b| b.scope(p.load, |b| b.code("use($i);")))?;
    b.loop_over(p.step, "i", Unroll::Full, |b| b.frame(|b| b.code("use($i);")))?;
    b.loop_over(p.one, "j", Unroll::Auto, |b| b.guard(var("t").lt(9), |b| b.code("use($j);")))?;
    b.scheduled(p.element, &schedule(), var("t"), |b| {
        b.index("element", p.element)?;
        b.code("use($element);")
    })?;
    b.vectorize(p.lane, 4, |b| {
        b.inside_or_each(&[p.n], |b| b.index("all", p.n), |b| b.index("each", p.n))?;
        b.frame(|b| b.code("behind();"))
    })?;
    b.loop_over(p.lane, "l", Unroll::Auto, |b| b.inside(&[p.n], |b| b.index("in", p.n)))
}

/// Records the blocks of `closures`. Each block is opened and closed by calls.
fn calls(b: &mut Block<'_>, p: &Parts) -> Recorded {
    let nested = |b: &mut Block<'_>, all: &[Enter]| all.iter().map(|e| b.open(e)).collect::<Recorded<Vec<Opened>>>();
    let closed = |b: &mut Block<'_>, open: Vec<Opened>| open.into_iter().rev().try_for_each(|o| b.close(o));
    let open = nested(b, &[Enter::Loop(p.step, "i".into(), Unroll::By(2)), Enter::Scope(p.load)])?;
    assert_eq!(open[0].variable(), Some(&var("i")));
    b.code("use($i);")?;
    closed(b, open)?;
    let open = nested(b, &[Enter::Loop(p.step, "i".into(), Unroll::Full), Enter::Frame])?;
    // the text already has a variable `i`, so this variable is `i_2`
    assert_eq!((open[0].variable(), b.variable("i")), (Some(&var("i_2")), var("i_2")));
    b.code("use($i);")?;
    closed(b, open)?;
    let open = nested(b, &[Enter::Loop(p.one, "j".into(), Unroll::Auto), Enter::If(var("t").lt(9))])?;
    assert_eq!((open[0].variable(), b.variable("j")), (Some(&Expr::from(0)), 0.into()));
    b.code("use($j);")?;
    closed(b, open)?;
    let open = b.open(&Enter::Scheduled(p.element, schedule(), var("t")))?;
    b.index("element", p.element)?;
    b.code("use($element);")?;
    b.close(open)?;
    let vector = b.open(&Enter::Vector(p.lane, 4))?;
    let guard = b.open(&Enter::InsideOrEach(vec![p.n]))?;
    b.index("all", p.n)?;
    let each = b.rest(guard)?.expect("the end cuts a vector");
    b.index("each", p.n)?;
    assert!(b.rest(each)?.is_none());
    let frame = b.open(&Enter::Frame)?;
    b.code("behind();")?;
    closed(b, vec![vector, frame])?;
    let open = nested(b, &[Enter::Loop(p.lane, "l".into(), Unroll::Auto), Enter::Inside(vec![p.n])])?;
    b.index("in", p.n)?;
    closed(b, open)
}

#[test]
fn blocks_by_calls_are_those_of_closures() -> Result<(), KernelError> {
    let texts = [closures, calls].map(|record| {
        let (mut kernel, parts) = parts()?;
        kernel.body(|b| record(b, &parts))?;
        Ok::<_, KernelError>((kernel.emit()?.source, kernel.emit_raw()?, kernel.facts().to_string()))
    });
    let [a, b] = texts;
    let (a, b) = (a?, b?);
    assert_eq!(a, b);
    assert_eq!(a.0.matches("for (").count(), 4, "{}", a.0);
    assert!(a.2.contains("i_2=0..2"), "{}", a.2);
    Ok(())
}

fn name(made: Result<impl Sized, KernelError>) -> String {
    made.map(drop).expect_err("it is refused").to_string()
}

#[test]
fn blocks_end_in_order() -> Result<(), KernelError> {
    let (mut kernel, p) = parts()?;
    let outer = kernel.block().open(&Enter::Frame)?;
    let inner = kernel.block().open(&Enter::Loop(p.step, "i".into(), Unroll::Auto))?;
    assert_eq!(name(kernel.emit()), "a block of the kernel is open");
    assert_eq!(name(kernel.emit_raw()), "a block of the kernel is open");
    let within = "parameters are declared outside of all blocks";
    assert_eq!(name(kernel.input("late", Element::F32)), within);
    assert_eq!(name(kernel.scalar("late", 0..9)), within);
    assert_eq!(name(kernel.parameter("float", "late")), within);
    assert_eq!(name(kernel.multiple("late", 2)), within);
    assert!(name(kernel.block().close(outer)).contains("another one is the innermost"));
    // if an error leaves a block open, the block ends with the closure around it
    kernel.body(|b| b.code("use($i);"))?;
    let failed = kernel.body(|b| {
        b.frame(|b| {
            b.open(&Enter::Scope(p.load)).map(drop)?;
            b.index("nothing", p.element)
        })
    });
    assert!(matches!(failed, Err(KernelError::Dims(_))));
    // an open block of another kernel is refused
    let (mut other, p) = parts()?;
    let foreign = other.block().open(&Enter::InsideOrEach(vec![p.n]))?;
    assert!(name(kernel.block().rest(foreign)).contains("another one is the innermost"));
    kernel.block().close(inner)?;
    Ok(())
}

/// Calls that must be refused.
fn refused(b: &mut Block<'_>, p: &Parts) -> Vec<Recorded> {
    let (x, lane) = (&p.x, p.lane);
    let tall = Transfer::new((x, p.element), (x, p.element), lane);
    let mut enter = |enter: Enter| b.open(&enter).map(drop);
    let mut all = vec![
        enter(Enter::Loop(p.step, "for".into(), Unroll::Auto)),
        enter(Enter::Vector(lane, 3)),
        enter(Enter::If(var("nowhere").lt(3))),
        enter(Enter::If((var("t") / var("t")).lt(3))),
        // the schedule has too few lanes for `n`
        enter(Enter::Scheduled(p.n, schedule(), var("t"))),
    ];
    all.extend([
        b.bind(p.n, "t", "f()").map(drop),
        b.bind(p.n, "late", "at_2").map(drop),
        b.value("v", "at_2 + $nothing", 0..9).map(drop),
        b.value("q t", "1", 0..9).map(drop),
        b.code("at_2 = $|n|;\nat_3 = $nothing;"),
        b.index("at", p.element),
        b.set(p.element, 60),
        b.transfer(&tall),
        b.shared("x", Element::F32, 4).map(drop),
    ]);
    all
}

#[test]
fn calls_that_fail_change_nothing() -> Result<(), KernelError> {
    let text = |is_wrong: bool| {
        let (mut kernel, p) = parts()?;
        kernel.body(|b| {
            b.loop_over(p.lane, "l", Unroll::Auto, |b| {
                for failed in if is_wrong { refused(b, &p) } else { vec![] } {
                    assert!(failed.is_err());
                }
                b.value("v", "load()", 0..100)?;
                b.index("late", p.n)
            })?;
            b.set(p.element, 7)?;
            if is_wrong {
                // the call fails only after it has checked the condition, because the element is already set
                assert!(b.open(&Enter::Scheduled(p.element, schedule(), var("t"))).is_err());
            }
            b.vectorize(p.lane, 4, |b| b.inside_or_each(&[p.n], |b| b.index("at", p.n), |b| b.index("at", p.n)))
        })?;
        kernel.emit().map(|text| (text.source, text.cost, text.indices.len()))
    };
    let plain = text(false)?;
    assert!(plain.0.contains("at_2"), "{}", plain.0);
    assert_eq!(text(true)?, plain);
    Ok(())
}

#[test]
fn variables_stay_in_their_blocks() -> Result<(), KernelError> {
    let (mut kernel, p) = parts()?;
    kernel.body(|b| {
        b.loop_over(p.step, "i", Unroll::Auto, |b| b.value("v", "load($i)", 0..9).map(drop))?;
        b.loop_over(p.step, "j", Unroll::Auto, |b| {
            b.expr("sum", var("j") + var("v"));
            b.code("use($sum);")
        })
    })?;
    let wanted = "`sum` has the variable `v`, which has no value there";
    assert_eq!((name(kernel.emit()), name(kernel.emit_raw())), (wanted.into(), wanted.into()));
    Ok(())
}

#[test]
fn buffers_stay_in_their_kernels_and_blocks() -> Result<(), KernelError> {
    let (mut kernel, p) = parts()?;
    let foreign = Kernel::new("other", kernel.indices().clone()).input("y", Element::F32)?;
    kernel.body(|b| {
        let mut inner = None;
        b.loop_over(p.lane, "l", Unroll::Auto, |b| {
            let own = b.registers("own", Element::F32, 1002)?;
            b.transfer(&Transfer::one((&own, p.n), (&p.x, p.n)))?;
            inner = Some(own);
            Ok(())
        })?;
        for buffer in inner.iter().chain([&foreign]) {
            let refused = b.transfer(&Transfer::one((&p.x, p.n), (buffer, p.n)));
            assert_eq!(name(refused), format!("`{}` is no buffer that is visible here", buffer.name()));
        }
        Ok(())
    })
}
