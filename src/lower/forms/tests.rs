use super::*;
use crate::integer::floor_mod;
use proptest::prelude::*;

const NVIDIA: Prices = Prices::NVIDIA;
/// The prices of a machine without a signed multiply-high.
const SLOW: Prices = Prices { signed_mulhi: 60, ..Prices::NVIDIA };

fn low(x: i128) -> u32 {
    x as u32
}

fn sext(x: u32) -> i128 {
    x as i32 as i128
}

/// The value that the instructions of `form` compute in machine arithmetic. Panics if a step does not fit its type.
fn run_div(form: DivForm, x: i64, d: i64) -> i128 {
    let c = (d as i128).abs() >> form.pre_shift;
    let mut x = x as i128;
    if form.negate {
        x = -x;
    }
    let biased = matches!(form.kind, DivKind::BiasedMulHi { .. });
    assert!(
        form.wide
            || biased
            || form.kind == DivKind::Identity
            || matches!(form.kind, DivKind::Constant(_))
            || is_narrow(x, x)
    );
    x >>= form.pre_shift;
    let umulhi = |x: u32, m: u32| (x as u64 * m as u64) >> 32;
    match form.kind {
        DivKind::Constant(q) => q as i128,
        DivKind::Identity => x,
        DivKind::Shift(k) => x >> k,
        DivKind::SignBit => x >> 63,
        DivKind::AtLeast { threshold, base } => (x >= threshold as i128) as i128 + base as i128,
        DivKind::MulHi { multiplier, shift } => (umulhi(u32::try_from(x).unwrap(), multiplier) >> shift) as i128,
        DivKind::MulHiAdd { multiplier, shift } => {
            let x = u32::try_from(x).unwrap();
            let t = umulhi(x, multiplier) as u32;
            ((((x - t) >> 1) + t) >> shift) as i128
        }
        DivKind::SignedMulHi(m) => {
            let x = i32::try_from(x).unwrap();
            i32::try_from((x as i64 * m.multiplier as i64 + m.addend) >> m.bits).unwrap() as i128
        }
        DivKind::BiasedMulHi { offset, base, multiplier, shift } => {
            assert_eq!(offset as i128, base as i128 * c);
            (umulhi(low(x).wrapping_sub(low(offset as i128)), multiplier) >> shift) as i128 + base as i128
        }
        DivKind::SignXor { multiplier, shift } => {
            let x = i32::try_from(x).unwrap();
            let s = x >> 31;
            sext((umulhi((x ^ s) as u32, multiplier) >> shift) as u32 ^ s as u32)
        }
        DivKind::MulHi64 { multiplier, shift } => {
            ((u64::try_from(x).unwrap() as u128 * multiplier as u128) >> 64 >> shift) as i128
        }
        DivKind::SignXor64 { multiplier, shift } => {
            let x = i64::try_from(x).unwrap();
            let s = x >> 63;
            (((((x ^ s) as u64 as u128 * multiplier as u128) >> 64 >> shift) as i64) ^ s) as i128
        }
    }
}

fn run_mod(form: ModForm, x: i64, d: i64) -> i128 {
    let (y, c) = if form.negate { (-(x as i128), -(d as i128)) } else { (x as i128, d as i128) };
    let fit = |v: i128| if form.wide { v as i64 as i128 } else { v };
    let wrap = |v: i128| if form.wide { v as u64 as i128 } else { low(v) as i128 };
    let r = match form.kind {
        ModKind::Zero => 0,
        ModKind::Offset(offset) => fit(y - offset as i128),
        ModKind::Mask(mask) => {
            if form.wide {
                y & mask as i128
            } else {
                (low(y) & low(mask as i128)) as i128
            }
        }
        ModKind::UnsignedMin { bucket } => {
            let t = wrap(y - bucket as i128 * c);
            t.min(wrap(t - c))
        }
        ModKind::SharedQuotient => y - c * floor_div(y, c),
        ModKind::Quotient(q) => {
            let t = y - c * run_div(q, x, d);
            assert_eq!(
                if form.wide {
                    t as i64 as i128
                } else if d > 0 {
                    low(t) as i128
                } else {
                    sext(low(t))
                },
                t
            );
            t
        }
    };
    if form.negate { -r } else { r }
}

fn check(lo: i64, hi: i64, d: i64) {
    check_by(&NVIDIA, lo, hi, d);
    check_by(&SLOW, lo, hi, d);
}

fn check_by(prices: &Prices, lo: i64, hi: i64, d: i64) {
    let range = Interval::new(lo, hi).unwrap();
    let form = form_by(range, d, prices);
    let (shared, alone) = (remainder_by(range, d, true, prices), remainder_by(range, d, false, prices));
    assert!(shared.cost(prices) <= alone.cost(prices), "{range} % {d}");
    let mut points = vec![lo, hi];
    let (l, h, c) = (lo as i128, hi as i128, d as i128);
    for anchor in [l, h, 0, (l + h) >> 1] {
        for k in -2..=2 {
            for j in -1..=1 {
                points.extend(i64::try_from((floor_div(anchor, c) + k) * c + j));
            }
        }
    }
    for x in points.into_iter().filter(|&x| range.contains(x)) {
        assert_eq!(run_div(form, x, d), floor_div(x as i128, d as i128), "{x} // {d} on {range}: {form:?}");
        let want = floor_mod(x as i128, d as i128);
        assert_eq!(run_mod(shared, x, d), want, "{x} % {d} on {range}: {shared:?}");
        assert_eq!(run_mod(alone, x, d), want, "{x} % {d} on {range}: {alone:?}");
    }
}

#[test]
fn every_value_of_small_ranges() {
    for d in (-40..=40).filter(|d| *d != 0) {
        for lo in (-90..90).step_by(7) {
            for hi in (lo..120).step_by(11) {
                check(lo, hi, d);
            }
        }
    }
}

#[test]
fn ends_of_the_machine_types() {
    let (int, unsigned, long) = (i32::MAX as i64, u32::MAX as i64, i64::MAX - 1);
    let ends = [0, 1, -1, 1000, -1000, int, int - 1, -int, -int - 1, -int - 2, unsigned, unsigned - 5, unsigned + 1];
    let wide = [1 << 40, -(1 << 40), (1 << 40) + 999, long, -long, 1 << 62];
    let divisors = [
        2,
        3,
        6,
        7,
        12,
        28,
        641,
        1000,
        4096,
        65_537,
        1_000_003,
        int,
        int + 1,
        int + 2,
        unsigned,
        unsigned + 1,
        unsigned + 2,
    ];
    for lo in ends.into_iter().chain(wide) {
        for hi in ends.into_iter().chain(wide).filter(|&hi| hi >= lo) {
            for d in divisors.into_iter().chain([3 << 40, 1 << 62, 5 << 60, i64::MAX, i64::MIN + 1, 1]) {
                check(lo, hi, d);
                check(lo, hi, -d);
            }
            check(lo, hi, i64::MIN);
        }
    }
}

#[test]
fn forms_of_the_table() {
    let form = |lo, hi, d| form_by(Interval::new(lo, hi).unwrap(), d, &NVIDIA);
    assert_eq!(form(0, 6, 7).tenths(&NVIDIA), 0);
    assert_eq!(form(-7, 6, 7).kind, DivKind::SignBit);
    assert_eq!(form(-100, 100, 8), DivForm { negate: false, wide: false, pre_shift: 0, kind: DivKind::Shift(3) });
    assert!(matches!(form(0, i32::MAX as i64, 7).kind, DivKind::MulHi { shift: 2, .. }));
    assert!(matches!(form(-1000, 1000, 7).kind, DivKind::SignedMulHi(MulAdd { bits: 32, .. })));
    let slow = form_by(Interval::new(-1000, 1000).unwrap(), 7, &SLOW);
    assert!(matches!(slow.kind, DivKind::BiasedMulHi { offset: -1001, .. }));
    assert!(matches!(form(0, u32::MAX as i64, 7).kind, DivKind::MulHiAdd { .. }));
    assert!(matches!(form(0, u32::MAX as i64, 28), DivForm { pre_shift: 2, kind: DivKind::MulHi { .. }, .. }));
    assert!(matches!(form(i32::MIN as i64, i32::MAX as i64, 7).kind, DivKind::SignXor { .. }));
    assert!(matches!(form(1 << 40, (1 << 40) + 5000, 7).kind, DivKind::BiasedMulHi { .. }));
    assert!(matches!(form(0, 1 << 40, 7 << 12), DivForm { pre_shift: 12, kind: DivKind::MulHi { .. }, .. }));
    assert!(matches!(form(0, 1 << 40, 7).kind, DivKind::MulHi64 { .. }));
    assert!(matches!(form_by(Interval::ALL, 7, &NVIDIA).kind, DivKind::SignXor64 { .. }));
    let form = |lo, hi, d| remainder_by(Interval::new(lo, hi).unwrap(), d, false, &NVIDIA);
    assert_eq!(form(7, 13, 7).kind, ModKind::Offset(7));
    assert_eq!(form(-7, 6, 7).kind, ModKind::UnsignedMin { bucket: -1 });
    assert_eq!(form(-7, 6, 7).tenths(&NVIDIA), 10);
    assert_eq!(form(-100, 100, 8).kind, ModKind::Mask(7));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]
    #[test]
    fn forms_agree_with_floor(a in any::<i64>(), b in any::<i64>(), d in any::<i64>(), sa in 0u32..64, sb in 0u32..64, sd in 0u32..64) {
        let (a, b, d) = (a >> sa, b >> sb, d >> sd);
        prop_assume!(d != 0 && a.min(b) > i64::MIN && a.max(b) < i64::MAX);
        check(a.min(b), a.max(b), d);
    }
}

#[test]
fn without_an_instruction_for_it_a_minimum_costs_two_and_a_quotient_there_is_used() {
    let x = Interval::new(0, 13).unwrap();
    let of = |shared: bool, prices: &Prices| {
        let form = mod_form(x, 7, shared, prices).unwrap();
        (form.kind, form.cost(prices))
    };
    let minimum = ModKind::UnsignedMin { bucket: 0 };
    assert_eq!(of(false, &NVIDIA), (minimum, Cost::from_tenths(10)));
    assert_eq!(of(true, &NVIDIA), (minimum, Cost::from_tenths(10)));
    assert_eq!(of(false, &Prices::AMPERE), (minimum, Cost::from_tenths(20)));
    assert_eq!(of(true, &Prices::AMPERE), (ModKind::SharedQuotient, Cost::from_tenths(10)));
}
