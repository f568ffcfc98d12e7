//! Views: movements, questions and errors.

use crate::hostile::{domain, expression, name, number};
use crate::{config, show};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, int};
use quaff_dialects::Dialect;
use quaff_fronts::dims::Dims;
use quaff_fronts::view::chain::{Chain, ChainError, Movement};
use quaff_fronts::view::{self, View, ViewError, ViewStack};

fn told<T: std::fmt::Debug>(result: Result<T, ViewError>) -> Option<T> {
    if let Err(e) = &result {
        show(&(ViewError::kind(e), ViewError::name(e), ViewError::place(e)));
        let _ = format!("{e} {:?}", miette::Report::new(e.clone()));
    }
    result.ok()
}

/// Mostly small sizes, for which movements are valid, and sometimes sizes of any kind.
fn size() -> impl Strategy<Value = Expr> {
    prop_oneof![
        6 => (0i64..7).prop_map(int),
        1 => number().prop_map(int),
        2 => prop::sample::select(vec!["x", "y", "n", "k"]).prop_map(quaff::expr::var),
        1 => expression(),
    ]
}

fn questions(stack: &ViewStack, indices: &[Expr], name: &str) {
    let _ = (stack.to_string(), ViewStack::rank(stack), ViewStack::is_contiguous(stack), ViewStack::domain(stack));
    show(&(ViewStack::views(stack), ViewStack::shape(stack), ViewStack::as_view(stack)));
    for one in stack.views() {
        show(&(View::shape(one), View::strides(one), View::offset(one), View::mask(one), View::rank(one)));
        show(&told(view::merge_dims(stack.domain(), one.shape(), one.strides(), one.mask())));
    }
    show(&(told(ViewStack::at(stack, indices)), told(ViewStack::load(stack, name, name, indices))));
    show(&(told(ViewStack::index_domain(stack, &vec![name; indices.len()])), told(ViewStack::reach(stack))));
    let names = ViewStack::index_names(stack);
    show(&told(ViewStack::simplify(stack, &Simplifier::default(), &names)));
}

fn text(text: &str, sizes: &Domain) {
    let told = |error: &ChainError| {
        show(&(ChainError::kind(error), ChainError::span(error), ChainError::source_text(error)));
        let _ = format!("{error} {:?}", miette::Report::new(error.clone()));
    };
    for from in [Dialect::C, Dialect::Mlir, Dialect::Python] {
        show(&Chain::read(text, from).map_err(|error| error.to_string()));
    }
    match text.parse::<Chain>() {
        Err(error) => told(&ChainError::naming_dialect(error, |dialect| dialect.to_string())),
        Ok(chain) => {
            show(&(Chain::source_text(&chain), Chain::spans(&chain).count(), chain.to_string()));
            match Chain::stack(&chain, sizes) {
                Err(error) => told(&error),
                Ok(stack) => Chain::movements(&chain).for_each(|m| show(&Movement::apply(m, &stack))),
            }
        }
    }
}

fn harder_questions(stack: &ViewStack, indices: &[Expr], c: i64) {
    show(&(ViewStack::is_one_view(stack), told(ViewStack::svg(stack, "a < b"))));
    let names = vec!["d"; stack.rank()];
    show(&ViewStack::dims(stack, &mut Dims::new(), &names));
    show(&told(ViewStack::merged(stack)));
    show(&(told(ViewStack::real_strides(stack)), told(ViewStack::innermost(stack))));
    show(&told(ViewStack::widest_vector(stack, c as usize & 3, c as u32, 16)));
    show(&told(ViewStack::tile_is_contiguous(stack, indices)));
    show(&told(view::common_loops(&[stack.clone(), stack.clone()])));
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn movements(
        sizes in domain(),
        few in prop::bool::weighted(0.7),
        shape in prop::collection::vec(size(), 0..4),
        args in prop::collection::vec((0u8..7, prop::collection::vec(size(), 0..4), prop::array::uniform4(number())), 0..4),
        name in name(),
    ) {
        let sizes = if few { Domain::new().with("n", 1..=8).with("x", 0..=3) } else { sizes };
        show(&told(ViewStack::row_major(shape.clone())));
        let Some(mut stack) = told(ViewStack::row_major_in(sizes.clone(), shape.clone())) else { return Ok(()) };
        for (kind, given, numbers) in args {
            let axes: Vec<usize> = numbers.iter().map(|n| (n & 3) as usize).take(given.len()).collect();
            let pairs = || given.iter().cloned().zip(given.iter().rev().cloned());
            let moved = match kind {
                0 => ViewStack::reshape(&stack, given.iter().cloned()),
                1 => ViewStack::permute(&stack, &axes),
                2 => ViewStack::expand(&stack, given.iter().cloned()),
                3 => ViewStack::pad(&stack, pairs()),
                4 => ViewStack::shrink(&stack, pairs()),
                5 => ViewStack::flip(&stack, &axes),
                _ => ViewStack::stride(&stack, &numbers[..given.len()]),
            };
            stack = told(moved).unwrap_or(stack);
            let strides: Vec<Expr> = numbers.iter().map(|n| int(*n)).take(given.len()).collect();
            let mask: Vec<(Expr, Expr)> = pairs().collect();
            let other = ViewStack::strided(sizes.clone(), &given, &strides, &int(numbers[0]), Some(&mask));
            show(&told(view::merge_dims(&sizes, &given, &strides, Some(&mask))));
            if let Some(other) = told(other) {
                show(&told(ViewStack::then(&stack, &other)));
                questions(&other, &given, name);
            }
            if let Some(flat) = told(ViewStack::then(&stack, &stack)) {
                questions(&flat, &shape, name);
            }
        }
        questions(&stack, &shape, name);
        harder_questions(&stack, &shape, 3);
    }
}

/// Sizes at the ends of 64 bits, and endless lists of axes.
#[test]
fn extremes() {
    for size in [0, 1, i64::MAX, i64::MAX - 1, 1 << 62] {
        let Some(stack) = told(ViewStack::row_major([size])) else { continue };
        for other in [i64::MIN, -1, 0, 1, 2, i64::MAX] {
            show(&(told(stack.pad([(other, other)])), told(stack.shrink([(0, other)])), told(stack.stride(&[other]))));
            show(&(told(stack.reshape([other])), told(stack.reshape([2, other])), told(stack.expand([other]))));
            let wide = ViewStack::strided(Domain::new(), &[int(size)], &[int(other)], &int(other), None);
            if let Some(wide) = told(wide) {
                show(&(told(wide.flip(&[0])), told(wide.reach()), told(stack.then(&wide))));
                harder_questions(&wide, &[int(other)], 1);
            }
        }
    }
    show(&told(ViewStack::row_major(std::iter::repeat(1))));
    show(&told(ViewStack::row_major([2]).and_then(|s| s.pad(std::iter::repeat((1, 1))))));
}

proptest! {
    #![proptest_config(config(96))]

    #[test]
    fn texts(
        sizes in domain(),
        calls in prop::collection::vec(("shape|reshape|permute|pad|stride|flip|\\PC{0,6}", prop::collection::vec(expression(), 0..4)), 1..5),
        any in "\\PC{0,40}",
    ) {
        text(&any, &sizes);
        let calls = calls.iter().map(|(name, of)| format!("{name}({})", of.iter().map(|e| format!("{e}")).collect::<Vec<_>>().join(",")));
        text(&calls.collect::<Vec<_>>().join("."), &sizes);
        text(&format!("({any}):({any})"), &sizes);
    }
}
