//! A schedule as an expression, CUDA text, a view, dimensions and a kernel. The exact procedure decides that all forms
//! are equal.

#[path = "../support/cuda.rs"]
mod cuda;

use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use quaff::quasi::{Verdict, equivalent};
use quaff_fronts::coalesce::{Access, Digits, Found, Schedule, Warp, search};
use quaff_fronts::dims::{Dims, Unroll};
use quaff_fronts::kernel::{Element, Kernel, KernelError, KernelText, Transfer};

/// Schedules of up to 120 numbers. Each permutes the mixed-radix digits of the numbers, and reverses some digits.
fn digits() -> impl Strategy<Value = Digits> {
    let radices = prop::collection::vec(1..6_i64, 1..5).prop_filter("few", |r| r.iter().product::<i64>() <= 120);
    radices.prop_flat_map(|radices| {
        let count = radices.len();
        let order: Vec<usize> = (0..count).collect();
        (Just(radices), Just(order).prop_shuffle(), prop::collection::vec(any::<bool>(), count))
            .prop_map(|(radices, order, flips)| Digits::new(&radices, &order, &flips).expect("digits"))
    })
}

fn assert_equal(a: &Expr, b: &Expr, extent: i64, what: &str) {
    let lanes = Domain::new().with("u", 0..extent);
    assert_eq!(equivalent(a, b, &lanes), Verdict::Equal, "{what}: {a} and {b}");
}

/// Checks that these forms have the same element index: the CUDA text, the fused digits, the view of the chain, and the
/// dimensions.
fn assert_forms_agree(digits: &Digits) {
    let (raw, extent) = (digits.expr("u"), digits.extent());
    let lanes = Domain::new().with("u", 0..extent);
    let text =
        Simplifier::default().simplify(&raw, &lanes).expect("no divisor is 0").cuda().expect("narrow").to_string();
    assert_equal(&raw, &cuda::returned(&text), extent, &text);
    assert_equal(&raw, &digits.fused().expr("u"), extent, "fused");
    let view = digits.chain().expect("a chain").stack(&Domain::new()).expect("a view");
    let located = view.at(&[var("u")]).expect("an index");
    assert_equal(&raw, &located.address, extent, &digits.chain_text());
    let mut dims = Dims::new();
    match digits.declare(&mut dims, "lane", "element").expect("names") {
        None => assert!(digits.flipped().contains(&true)),
        Some((lane, element)) => {
            let mut indices = dims.init().expect("sizes");
            indices.set(lane, var("u")).expect("in range");
            assert_equal(&raw, &indices.get_raw(element).expect("solved"), extent, "dims, as built");
            assert_equal(&raw, &indices.get(element).expect("solved"), extent, "dims");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn all_forms_of_digits_agree(digits in digits()) {
        assert_forms_agree(&digits);
    }
}

const FUNCTIONS: [(&str, u64); 6] = [
    ("i%64*64 + i//64", 4096),
    ("(i//8)%4*64 + (i%8)*8 + i//32", 256),
    ("255 - i", 256),
    ("3*(i%16) + 2*(i//16)", 64),
    ("(i + 5)//7*3 + i%7", 96),
    ("i%10*24 + i//10", 256),
];

fn found(text: &str, n: u64, warp: Warp) -> Found {
    let access = Access::new(text.parse().expect(text), 4).expect("an access");
    search(&[access], "i", n, warp, &Simplifier::default()).expect(text)
}

#[test]
fn forms_of_found_schedules_agree() {
    for (text, n) in FUNCTIONS {
        for candidate in found(text, n, Warp::default()).candidates() {
            let schedule = candidate.schedule();
            let (raw, extent) = (schedule.expr("u"), schedule.extent());
            assert_equal(candidate.sigma(), &raw, extent, text);
            let printed = candidate.sigma_cuda().expect("narrow").to_string();
            assert_equal(&raw, &cuda::returned(&printed), extent, &printed);
            if let Schedule::Digits(digits) = schedule {
                assert_forms_agree(digits);
            }
        }
    }
}

/// Loads of one element read this element. Loads of vectors read all elements of a lane, in order.
#[test]
fn loads_are_those_of_the_elements() {
    let mut wide = 0;
    for (text, n) in FUNCTIONS {
        for candidate in found(text, n, Warp::default().with_vector(4).expect("16 bytes")).candidates() {
            let vector = i64::from(candidate.vector());
            let lanes = candidate.schedule().extent() / vector;
            let lane = if vector == 1 { "u" } else { "t" };
            let printed = candidate.cuda().expect("narrow").to_string();
            let loads = cuda::loaded(&printed);
            let [(at_once, indices)] = loads.as_slice() else { panic!("one access: {printed}") };
            assert_eq!(*at_once, vector > 1 && candidate.at_once()[0], "{printed}");
            wide += usize::from(*at_once);
            for k in 0..vector {
                let element = candidate.schedule().at(&(var(lane) * vector + k));
                let read = if *at_once { &indices[0] * vector + k } else { indices[k as usize].clone() };
                let domain = Domain::new().with(lane, 0..lanes);
                let expected: Expr = text.replace('i', &format!("({element})")).parse().expect("valid");
                assert_eq!(equivalent(&expected, &read, &domain), Verdict::Equal, "{text} at {k}: {printed}");
            }
        }
    }
    assert!(wide > 2, "{wide} loads of vectors");
}

/// A transposing copy of 8 x 32 elements. Its loop nest runs in the order of `schedule`.
fn copy(schedule: &Schedule, steps: i64) -> Result<KernelText, KernelError> {
    let mut dims = Dims::new();
    let (step, thread) = (dims.dim("step", steps)?, dims.dim("thread", 32)?);
    let (row, column, one) = (dims.dim("row", 8)?, dims.dim("column", 32)?, dims.dim("one", 1)?);
    let lane = dims.dim_eq("lane", (step, thread))?;
    let element = dims.dim_eq("element", (column, row, one))?;
    let address = dims.dim_eq("address", (row, column, one))?;
    let mut kernel = Kernel::new("copy", dims.init()?);
    let from = kernel.input("from", Element::F32)?;
    let to = kernel.output("to", Element::F32)?;
    kernel.body(|b| {
        b.bind(thread, "t", "threadIdx.x")?;
        b.loop_over(step, "s", Unroll::Auto, |b| {
            let lane = b.indices().get_raw(lane)?;
            b.scheduled(element, schedule, lane, |b| {
                b.index("at", address)?;
                b.transfer(&Transfer::new((&to, address), (&from, address), one))
            })
        })
    })?;
    kernel.emit()
}

#[test]
fn the_loop_nest_of_a_kernel_follows_a_schedule() -> Result<(), KernelError> {
    let digits = |radices: &[i64], order: &[usize]| {
        Schedule::Digits(Digits::new(radices, order, &vec![false; radices.len()]).expect("digits"))
    };
    let lanes = Domain::new().with("s", 0..8).with("t", 0..32);
    let rows = digits(&[8, 32], &[1, 0]);
    for (schedule, expected) in [(&digits(&[256], &[0]), "(s*32 + t)%8*32 + (s*32 + t)//8"), (&rows, "s*32 + t")] {
        let text = copy(schedule, 8)?;
        let index = text.indices.iter().find(|i| &*i.name == "at").expect("asked for");
        let expected: Expr = expected.parse().expect("valid");
        assert_eq!(equivalent(&index.simplified, &expected, &lanes), Verdict::Equal, "{}", text.source);
        assert!(!text.source.contains("if ("), "{}", text.source);
    }
    // ten steps of 32 lanes for 256 elements
    let ragged = copy(&digits(&[8, 40], &[1, 0]), 10)?.source;
    assert!(ragged.contains("if ("), "{ragged}");
    let short = copy(&digits(&[8], &[0]), 8);
    assert!(matches!(short, Err(KernelError::Schedule { elements: 256, lanes: 8 })), "{short:?}");
    Ok(())
}
