//! Calls with hostile arguments on dimensions and kernels.

use crate::hostile::{expression, name, number, text};
use crate::{config, show};
use proptest::prelude::*;
use quaff::domain::Bounds;
use quaff::expr::{Expr, int, var};
use quaff::{Simplified, Simplifier};
use quaff_fronts::coalesce::{Digits, Schedule};
use quaff_fronts::dims::{
    Dim, Dims, DimsError, Equation, ErrorKind, Exact, Frame, Indices, IntoSide, Options, Scope, Term, Unroll,
};
use quaff_fronts::kernel::{AccessReport, Block, Buffer, Element, Enter, Kernel, Opened, Recorded, Transfer};
use quaff_fronts::view::ViewStack;

fn told<T>(result: Result<T, DimsError>) -> Option<T> {
    if let Err(e) = &result {
        show(&(DimsError::kind(e), DimsError::name(e), DimsError::equations(e)));
        use ErrorKind::{Contradiction, Fractional, Overflow, Root};
        match DimsError::kind(e) {
            Fractional { value: Some(x), .. }
            | Overflow { value: Some(x), .. }
            | Contradiction { factor: Some(x), .. } => {
                show(&(Exact::ratio(x), Exact::is_run_time(x)));
            }
            Root { value, .. } => show(&Exact::ratio(value)),
            _ => {}
        }
        let _ = format!("{e} {:?}", miette::Report::new(e.clone()));
    }
    result.ok()
}

/// Mostly small sizes, for which equations may hold, and sometimes sizes of any kind.
fn size() -> impl Strategy<Value = i64> {
    prop_oneof![3 => prop::sample::select(vec![1, 2, 3, 4, 6, 8, 12, 24]), 1 => number()]
}

fn options() -> impl Strategy<Value = Options> {
    (any::<bool>(), any::<bool>()).prop_map(|(log_linear, digit_alignment)| Options { log_linear, digit_alignment })
}

/// Four dimensions. Some have a given size, and some of these sizes are known at run time.
fn dims(options: Options, sizes: [i64; 4], given: u8, name: &str) -> (Dims, Vec<Dim>) {
    let mut d = Dims::with_options(options);
    let mut all = Vec::new();
    for (i, size) in sizes.into_iter().enumerate() {
        let own = if i == 3 { name } else { "d" };
        let run_time = given >> i & 17 == 17;
        let made = run_time.then(|| Dims::run_time(&mut d, &format!("{own}{i}"), sizes[0]..=sizes[1].max(64), size));
        let made = made.and_then(told);
        let size = (given >> i & 1 == 1).then_some(size);
        all.extend(made.or_else(|| told(Dims::dim(&mut d, own, size))));
    }
    (d, all)
}

fn used(ix: &mut Indices, other: &Indices, dims: &[Dim], e: &Expr, c: i64, text: &str) {
    for &d in dims {
        show(&(told(Indices::size(ix, d)), told(Indices::is_solved(ix, d)), told(Indices::why_solved(ix, d))));
        show(&(told(Indices::get_raw(ix, d)), told(Indices::why_partial(ix, d)), told(Indices::label(ix, d))));
        show(&told(Indices::set(ix, d, e.clone())));
        show(&told(Indices::set(ix, d, var("t"))));
        if let Some(mut frame) = told(Indices::loop_over(ix, d, text, Unroll::By(c as u32))) {
            show(&Frame::opened_loop(&frame));
            // a caller can exchange the indices inside of a frame
            let mut stranger = other.clone();
            std::mem::swap(&mut *frame, &mut stranger);
            show(&Frame::opened_loop(&frame));
            std::mem::swap(&mut *frame, &mut stranger);
        }
        show(&told(Indices::vectorize(ix, d, c)).is_some());
        if let Some(size) = told(Indices::size(ix, d))
            && let Some(vector) = told(Indices::vectorize(ix, d, size))
        {
            show(&(told(Indices::inside(&vector, dims)), told(Indices::get_all(&vector, dims))));
        }
        show(&told(Indices::get(ix, d)));
    }
    Indices::assume(ix, text, Bounds::new(Some(int(c)), Some(e.clone())));
    Indices::assume_stride(ix, text, c, c);
    Indices::assume_that(ix, e.clone());
    show(&(Indices::dim_named(ix, text), Indices::dims(ix).count(), Indices::facts(ix), Indices::settings(ix).count()));
    show(&(Indices::active_scopes(ix), Indices::loops(ix)));
    show(&(told(Indices::inside(ix, dims)), dims.iter().map(|&d| told(Indices::size_expr(ix, d))).collect::<Vec<_>>()));
    show(&told(Indices::get_all(ix, dims)));
    show(&told(Indices::simplified_inside(ix, dims)).map(|s| Simplified::cost(&s)));
    let by = Indices::simplified_inside_by(ix, &Simplifier::default(), dims);
    show(&told(by).map(|s| Simplified::cost(&s)));
    show(&told(Indices::simplified(ix, dims)).map(|s| Simplified::cost(&s)));
    show(&told(Indices::simplified_by(ix, &Simplifier::default(), &dims[..1.min(dims.len())])).is_some());
    drop(Indices::frame(ix));
    Frame::keep(Indices::frame(&mut ix.clone()));
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn equations(sizes in prop::array::uniform4(size()), given: u8, c in size(), (l, r) in (0usize..4, 0usize..4), e in expression(), name in name(), options in options()) {
        let (mut d, all) = dims(options, sizes, given, name);
        let (mut stranger, strangers) = dims(Options::default(), [2; 4], 15, "x");
        let at = |i: usize| all.get(i).copied().unwrap_or(strangers[i]);
        let product = [Term::Dim(at(0)), Term::Dim(at(1)), Term::Int(c)];
        show(&(IntoSide::into_side(at(0)), IntoSide::into_side(c), IntoSide::into_side((at(0), c)), IntoSide::into_side(vec![])));
        let mut dims: Vec<Dim> = all.iter().chain(&strangers[..1]).copied().collect();
        let equation = told(Dims::eq(&mut d, at(l), (at(r), c)));
        dims.extend(told(Dims::dim_eq(&mut d, name, product)));
        show(&told(Dims::dim_eq(&mut d, name, Vec::<Term>::new())));
        show(&told(Dims::covered(&mut d, at(r), (at(l), c))));
        show(&told(Dims::affine(&mut d, at(l), [(at(r), e.clone()), (at(3), int(c))], e.clone())));
        let terms = quaff_fronts::dims::affine_terms(&e, |name| name.strip_prefix('d')?.parse::<usize>().ok().and_then(|at| all.get(at).copied()));
        if let Some((terms, constant)) = told(terms) {
            show(&told(Dims::affine(&mut d, at(r), terms, constant)));
        }
        show(&told(Dims::assume(&mut d, e.clone())));
        show(&told(Dims::assume(&mut d, (var("d0") % c).equals(0))));
        show(&told(Dims::eq(&mut d, strangers[0], all.first().copied().unwrap_or(strangers[1]))));
        let foreign = told(Dims::new_scope(&mut stranger, "s"));
        let scope = told(Dims::new_scope(&mut d, name));
        for s in [scope, foreign].into_iter().flatten() {
            if let Some(mut inside) = told(Dims::scope(&mut d, s)) {
                show(&told(Dims::eq(&mut inside, at(2), (at(3), 2))));
            }
            show(&Scope::index(s));
        }
        show(&(Scope::index(Dims::root(&d)), equation.map(Equation::index), dims.iter().map(|d| Dim::index(*d)).collect::<Vec<_>>()));
        for &dim in &dims {
            show(&(told(Dims::size(&d, dim)), told(Dims::known_size(&d, dim)), told(Dims::name(&d, dim)).map(str::len)));
            show(&told(Dims::size_expr(&d, dim)));
        }
        show(&d);
        let other = told(Dims::init(&mut stranger)).expect("four sizes");
        if let Some(mut ix) = told(Dims::init(&mut d)) {
            show(&equation.map(|e| told(Indices::directions(&ix, e))));
            for s in [scope, foreign].into_iter().flatten() {
                show(&told(Indices::scope(&mut ix, s)).is_some());
            }
            used(&mut ix, &other, &dims, &e, c, name);
            show(&told(Dims::dim(&mut d, "late", 3)));
        }
    }
}

/// Calls all methods of a block. A call that fails is reported, and does not end the other calls.
fn recorded(
    b: &mut Block<'_>,
    dims: &[Dim],
    scope: Scope,
    buffers: &[Buffer],
    e: &Expr,
    c: i64,
    text: &str,
) -> Recorded {
    show(&(Block::indices(b), Block::variable(b, text)));
    let dim = |i: usize| dims[i & 3];
    show(&Block::bind(b, dim(0), text, text));
    show(&(Block::value(b, text, text, c..), Block::code(b, text), Block::code(b, "$x ${y}z $|d| $")));
    Block::expr(b, text, e.clone());
    show(&(Block::set(b, dim(1), e.clone()), Block::index(b, text, dim(1)), Block::index(b, "i", dim(0))));
    Block::sync(b);
    for element in [Element::I8, Element::F64] {
        show(&(
            Block::shared(b, text, element, c),
            Block::registers(b, "r", element, c),
            Block::accumulators(b, text, element, 0),
        ));
    }
    for (to, from) in [(0, 1), (1, 1)] {
        let (to, from) = (&buffers[to], &buffers[from]);
        let t = Transfer::new((to, dim(0)), (from, dim(1)), dim(2));
        show(&Block::transfer(b, &t));
        let t = Transfer::or_zero(Transfer::below(t, dim(3), e.clone()));
        show(&Block::transfer(b, &t));
    }
    let view = ViewStack::row_major([c, 3]).and_then(|v| v.pad([(0, 0), (1, 1)]));
    if let (Ok(view), [buffer, ..]) = (view, buffers) {
        show(&Block::load(b, text, buffer, &view, &[dim(0), dim(1)]));
        show(&Block::load(b, "v", buffer, &view, &[dim(2)]));
    }
    show(&Block::loop_over(b, dim(2), text, Unroll::Full, |b| {
        Block::expr(b, text, e.clone());
        Block::bind(b, dim(3), "t", "threadIdx.x").map(|_| ())
    }));
    show(&Block::loop_over(b, dim(3), "i", Unroll::Auto, |b| Block::guard(b, e.clone(), |b| Block::code(b, "$"))));
    show(&Block::scope(b, scope, |b| Block::index(b, text, dim(0))));
    show(&Block::frame(b, |b| Block::index(b, "again", dim(0))));
    for lanes in [c, b.indices().size(dim(3)).unwrap_or(1)] {
        show(&Block::vectorize(b, dim(3), lanes, |b| {
            show(&Block::inside(b, dims, |b| Block::index(b, "lanes", dim(1))));
            Block::inside_or_each(b, dims, |b| Block::index(b, "lanes", dim(1)), |b| Block::index(b, "one", dim(1)))
        }));
    }
    Block::frame(b, |b| {
        Block::assume(b, e.clone());
        show(&Block::set(b, dim(1), e.clone()));
        Ok(())
    })?;
    for radix in [1, 4, 1 << 20] {
        let schedule = Schedule::Digits(Digits::new(&[radix, 2], &[1, 0], &[true, false]).expect("digits"));
        show(&Block::scheduled(b, dim(2), &schedule, e.clone(), |b| Block::index(b, "scheduled", dim(2))));
    }
    for enter in
        [Enter::Loop(dim(3), text.into(), Unroll::By(2)), Enter::InsideOrEach(dims.to_vec()), Enter::If(e.clone())]
    {
        let (outer, inner) = (Block::open(b, &Enter::Frame)?, Block::open(b, &enter));
        if let Ok(inner) = inner {
            show(&Opened::variable(&inner));
            show(&Block::rest(b, inner).map(|rest| rest.map(|rest| Block::close(b, rest))));
        }
        show(&Block::close(b, outer));
        show(&Block::within(b, &enter, |b| Block::code(b, "$i")));
    }
    show(&Block::transfer(b, &Transfer::one((&buffers[0], dim(0)), (&buffers[1], dim(3)))));
    show(&Block::inside(b, &[dim(0), dim(1)], |b| Block::index(b, "inner", dim(1))));
    show(&Block::guard(b, e.clone(), |b| Block::frame(b, |b| Block::code(b, text))));
    Ok(())
}

proptest! {
    #![proptest_config(config(200))]

    #[test]
    fn kernels(sizes in prop::array::uniform4(size()), c in number(), e in expression(), name in name(), text in text(), fails: bool) {
        let given = if fails { 63 } else { 15 };
        let (mut d, mut all) = dims(Options::default(), sizes.map(|s| s.max(1)), given, name);
        if let [a, b, ..] = all[..] {
            show(&told(Dims::covered(&mut d, a, (b, c))));
        }
        all.extend(told(Dims::dim_eq(&mut d, "whole", &all[..2])));
        all.rotate_right(1);
        let scope = told(Dims::new_scope(&mut d, name)).expect("open");
        let Some(ix) = told(Dims::init(&mut d)) else { return Ok(()) };
        let mut k = Kernel::with_simplifier(Kernel::new(name, ix), Simplifier::default());
        show(&Kernel::indices(&k));
        let buffers = [(0, "to"), (1, "from")].map(|(i, n)| {
            let made = if i == 0 { Kernel::output(&mut k, n, Element::F32) } else { Kernel::input(&mut k, n, Element::F32) };
            Buffer::aligned(made.expect("two names"), c)
        });
        for b in &buffers {
            show(&(Buffer::name(b), Buffer::element(b), Kernel::input(&mut k, name, Buffer::element(b)).is_ok()));
        }
        show(&(Kernel::scalar(&mut k, "n", 0..c), Kernel::scalar(&mut k, name, (int(c), e.clone())), Kernel::multiple(&mut k, "n", c)));
        show(&(Kernel::multiple(&mut k, &text, c), Kernel::parameter(&mut k, &text, name)));
        for _ in 0..2 {
            show(&Kernel::body(&mut k, |b| recorded(b, &all, scope, &buffers, &e, c, name)));
            show(&Kernel::body(&mut k, |b| Block::code(b, &text)));
            show(&(Block::code(&mut Kernel::block(&mut k), &text), Kernel::facts(&k)));
            // the body may fail in the middle of a loop
            show(&Kernel::body(&mut k, |b| Block::loop_over(b, all[0], "j", Unroll::Auto, |b| if fails { Block::index(b, "", all[3]) } else { Ok(()) })));
            show(&Kernel::emit_raw(&k));
            if let Ok(text) = Kernel::emit(&k) {
                show(&text);
                for access in &text.accesses {
                    let _ = format!("{access} {}", AccessReport::is_vector(access));
                }
            }
        }
    }
}

#[test]
fn elements() {
    for element in Element::ALL {
        show(&(Element::bytes(element), Element::c_name(element), Element::header(element)));
        show(&(Element::named(Element::c_name(element)) == Some(element)));
        for lanes in [i64::MIN, -1, 0, 1, 2, 4, 8, 16, i64::MAX] {
            show(&Element::vector(element, lanes));
        }
    }
    let mut d = Dims::new();
    for (size, factor) in [(i64::MAX, i64::MAX), (1 << 62, 4), (7, 3)] {
        let dim = told(Dims::dim(&mut d, "a", size)).expect("a size");
        show(&told(Dims::dim_eq(&mut d, "b", (dim, dim, factor))));
    }
    if let Some(e) = told(Dims::init(&mut d)).is_none().then(|| Dims::init(&mut d).expect_err("too large")) {
        show(&e);
    }
}
