//! A schedule as expression, view, dimensions and kernel: all say the same, which is decided by periods.

use proptest::prelude::*;
use quaff::Simplifier;
use quaff::coalesce::{Access, Digits, Schedule, Warp, search};
use quaff::dims::{Dims, Unroll};
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use quaff::kernel::{Element, Kernel, KernelError, KernelText, Transfer};
use quaff::quasi::{Verdict, equivalent};

/// Digits of up to 120 numbers, in any order, some reversed.
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

/// The index of the element as the engine prints the chain, and as dimensions say it.
fn assert_forms_agree(digits: &Digits) {
    let (raw, extent) = (digits.expr("u"), digits.extent());
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

#[test]
fn forms_of_found_schedules_agree() {
    for (text, n) in [("i%64*64 + i//64", 4096), ("(i//8)%4*64 + (i%8)*8 + i//32", 256), ("255 - i", 256)] {
        let access = Access::new(text.parse().expect(text), 4).expect("an access");
        let found = search(&[access], "i", n, Warp::default(), &Simplifier::default()).expect(text);
        for candidate in found.candidates() {
            let schedule = candidate.schedule();
            assert_equal(candidate.sigma(), &schedule.expr("u"), schedule.extent(), text);
            if let Schedule::Digits(digits) = schedule {
                assert_forms_agree(digits);
            }
        }
    }
}

/// A transposed copy of 8 x 32 elements, its loop nest in the order of `schedule`.
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
    // ten times 32 lanes for 256 elements
    let ragged = copy(&digits(&[8, 40], &[1, 0]), 10)?.source;
    assert!(ragged.contains("if ("), "{ragged}");
    let short = copy(&digits(&[8], &[0]), 8);
    assert!(matches!(short, Err(KernelError::Schedule { elements: 256, lanes: 8 })), "{short:?}");
    Ok(())
}
