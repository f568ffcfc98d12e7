//! Intervals, congruences, declarations, instruction forms and prices.

use crate::hostile::{
    congruence, domain, expression, interval, limits, monsters, name, number, op, prices, text, wide,
};
use crate::{config, show};
use proptest::prelude::*;
use quaff::cost::{self, Cost, CostModel, Fused, Gpu, OpCount, Operation, Truncating};
use quaff::domain::{self, Bounds, Congruence, Connected, Domain, Interval};
use quaff::expr::{Dag, int};
use quaff::integer;
use quaff::lower::Prices;
use quaff::lower::forms::{self, DivForm, DivKind, ModForm, ModKind};
use quaff::lower::magic::{self, MulAdd};

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn integers(a in wide(), b in wide()) {
        let (q, r, g) = (integer::floor_div(a, b), integer::floor_mod(a, b), integer::gcd(a, b));
        prop_assert_eq!(b.wrapping_mul(q).wrapping_add(r), a);
        prop_assert!(g >= 0);
        prop_assert!(b == 0 || r == 0 || (r < 0) == (b < 0) && r.unsigned_abs() < b.unsigned_abs());
        let (q, r) = (integer::trunc_div(a, b), integer::trunc_mod(a, b));
        prop_assert_eq!(b.wrapping_mul(q).wrapping_add(r), a);
        prop_assert!(b == 0 || r == 0 || (r < 0) == (a < 0) && r.unsigned_abs() < b.unsigned_abs());
    }

    #[test]
    fn intervals(a in interval(), b in interval(), (lo, hi) in (wide(), wide()), (c, d) in (number(), number()), op in op(), few in 0usize..5) {
        prop_assert!(Interval::from_wide(lo, hi) == Interval::from_wide(hi, lo));
        show(&(Interval::new(c, d), Interval::point(c), Interval::from_wide(5, 1)));
        show(&(Interval::lo(a), Interval::hi(a), Interval::bounded(a), Interval::as_point(a), Interval::count(a)));
        show(&(Interval::within(a, lo, hi), Interval::contains(a, c), Interval::is_nonneg(a), Interval::fits_i32(a)));
        show(&(Interval::meet(a, b), Interval::hull(a, b), Interval::plus(a, b), Interval::scaled(a, c)));
        show(&(Interval::times(a, b), Interval::floor_div(a, b), Interval::floor_mod(a, b)));
        show(&(Interval::trunc_div(a, b), Interval::trunc_mod(a, b)));
        show(&(Interval::min(a, b), Interval::max(a, b), Interval::bit_and(a, b), Interval::bit_or(a, b)));
        show(&(Interval::bit_xor(a, b), Interval::complement(a), Interval::shift_left(a, b), Interval::shift_right(a, b)));
        show(&domain::interval_of_op(&op, &[a, b, a, b][..few.min(4)]));
        show(&domain::error_of_op(&op, &[a, b, a, b][..few.min(4)]));
        let _ = format!("{a} {b:?}");
    }

    #[test]
    fn congruences(a in congruence(), b in congruence(), c in number(), m in number(), i in interval()) {
        show(&(Congruence::new(m, c), Congruence::point(c), Congruence::modulus(a), Congruence::residue(a)));
        show(&(Congruence::residue_mod(a, c), Congruence::residue_mod(a, 0), Congruence::contains(a, c)));
        show(&(Congruence::meet(a, b), Congruence::join(a, b), Congruence::plus(a, b), Congruence::scaled(a, c)));
        show(&(Congruence::times(a, b), Congruence::floor_div(a, c), Congruence::floor_div(a, 0), Congruence::tighten(a, i)));
    }

    #[test]
    fn forms_and_multipliers(x in interval(), d in number(), (c, hi, shift) in (any::<u32>(), any::<u32>(), any::<u32>()), (lo, to) in (any::<i32>(), any::<i32>()), quotient: bool) {
        // the sum of prices of any size must not overflow
        let [simple, mulhi, mul_add64] = [c, hi, u32::MAX];
        let prices = Prices { simple, mulhi, mul_add64, simple64: hi ^ c, ..Prices::NVIDIA };
        let form = forms::div_form(x, d, &prices);
        prop_assert_eq!(form.is_none(), d == 0);
        let form = form.unwrap_or(DivForm {
            negate: quotient,
            wide: false,
            pre_shift: c,
            kind: DivKind::SignedMulHi(MulAdd { multiplier: c as i32, addend: d, bits: shift }),
        });
        show(&(DivForm::cost(form, &prices), DivForm::takes_wrapped(form)));
        let form = forms::mod_form(x, d, quotient, &prices);
        let form = form.unwrap_or(ModForm { negate: true, wide: true, kind: ModKind::UnsignedMin { bucket: d } });
        show(&ModForm::cost(form, &prices));
        for c in [c, c >> (hi & 31), 0, 1, 2, u32::MAX] {
            for shift in [shift, shift & 63, 0, 31, 32] {
                show(&(magic::mulhi(c, shift), magic::mulhi_for(c, hi)));
                let wide = u64::from(c) << (shift & 31) ^ u64::from(hi);
                show(&(magic::mulhi64(wide, shift), magic::mulhi64_for(wide, u64::from(hi) << (c & 31))));
                show(&magic::mulhi64_for(wide, u64::MAX));
            }
            for (lo, to) in [(lo, to), (lo.min(to), lo.max(to)), (i32::MIN, i32::MAX), (to, to)] {
                show(&(magic::signed_mulhi(c, lo, to), magic::mul_shift(c, lo, to)));
            }
        }
    }

    #[test]
    fn operations(
        (a, b) in (interval(), interval()),
        (products, plain, wide) in (any::<u32>(), any::<u32>(), any::<bool>()),
        model in prices(),
        coefficients in prop::collection::vec((number(), number(), number()), 4),
    ) {
        let operations = [
            Operation::Sum { products, plain, wide },
            Operation::Product { factors: products, wide },
            Operation::Product { factors: 0, wide },
            Operation::Div { numerator: a, divisor: b },
            Operation::Mod { numerator: a, divisor: b, quotient: wide },
            Operation::TruncDiv { numerator: a, divisor: b },
            Operation::TruncMod { numerator: a, divisor: b, quotient: wide },
            Operation::Compare { wide },
            Operation::Extremum { wide },
            Operation::Select { wide },
            Operation::Logic,
            Operation::Bits { wide },
        ];
        for o in operations {
            show(&(CostModel::price(&Gpu, &o), CostModel::price(&OpCount, &o), CostModel::price(&model, &o)));
            show(&CostModel::price(&Truncating, &o));
        }
        for (factor, constant, divisor) in coefficients {
            let of_sum = Fused::QuotientOfSum { terms: products, range: a, factor, constant, divisor };
            for o in [of_sum, Fused::ClearedBits { numerator: b }] {
                show(&(CostModel::fused(&Gpu, &o), CostModel::fused(&OpCount, &o), CostModel::fused(&model, &o)));
            }
        }
    }

    #[test]
    fn costs(tenths in prop_oneof![any::<u64>(), Just(u64::MAX)], other in any::<u64>(), precision in 0usize..40) {
        let cost = Cost::from_tenths(tenths);
        let mut sum = cost + Cost::from_tenths(other);
        sum += [cost, Cost::MAX, sum].into_iter().sum();
        show(&(Cost::tenths(cost), Cost::instructions(sum), cost.to_string(), format!("{sum:>precision$.precision$}")));
        prop_assert_eq!(sum, Cost::MAX);
    }

    #[test]
    fn prices_of_expressions(e in expression(), known in prop::collection::vec(interval(), 0..30), model in prices()) {
        let dag = Dag::new(&[e.clone(), e]);
        show(&(cost::price(&dag, &known, &model), cost::price(&dag, &known, &Gpu), cost::price(&dag, &[], &OpCount)));
    }

    #[test]
    fn declarations(d in domain(), text in text(), name in name(), (a, b) in (number(), number()), e in expression(), i in interval()) {
        let mut d = Domain::opaque(d, name, text.as_str(), ..);
        show(&Domain::declare(&mut d, &text));
        show(&Domain::declare_all(&mut d, &format!("{text}; defined, {text}")));
        show(&Domain::declarations(&d));
        show(&Domain::is_declaration(&text));
        show(&Domain::declare(&mut d, &format!("{name}={a}..{b}%{a}")));
        Domain::add_bounds(&mut d, name, Bounds::new(Some(int(a)), Some(e.clone())));
        Domain::add_bounds(&mut d, "y", a..b);
        Domain::add_stride(&mut d, name, a, b);
        show(&(Domain::len(&d), Domain::is_empty(&d), Domain::contains(&d, name), Domain::position(&d, "q")));
        show(&domain::Points::new(&d, 7).map(|points| points.take(5).count()));
        show(&(Domain::vars(&d).count(), Domain::assumptions(&d), Domain::resolve(&d)));
        show(&Domain::resolve(&Domain::seen_from(&d, std::slice::from_ref(&e))));
        let connected = Connected::new(&d);
        show(&(Connected::domain(&connected), Connected::about(&connected, [&e]), Connected::about(&connected, [])));
        let bounds = Bounds::from((e.clone(), a));
        show(&(Bounds::lower(&bounds), Bounds::upper(&bounds), Bounds::from(..b), Bounds::from(..=b), Bounds::from(a..)));
        show(&(Bounds::from(i), Bounds::from(e.clone()..int(b)), Bounds::from(a..i64::MIN), Bounds::from(..int(i64::MIN))));
        show(&domain::interval_of(&e, |_| i));
        show(&domain::intervals_of(&Dag::new(&[]), |_| i));
    }

    #[test]
    fn limits_are_plain_numbers(l in limits(), effort: u8) {
        show(&quaff::egraph::Limits::effort(effort));
        show(&l);
    }
}

#[test]
fn no_declarations() {
    show(&Domain::resolve(&Domain::new()));
    for e in monsters(60, 50_000) {
        show(&domain::interval_of(&e, |_| Interval::ALL));
        show(&Domain::resolve(&Domain::new().with("x", (0, e))));
    }
}
