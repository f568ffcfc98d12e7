//! Index types, and expressions that are checked with them.

use crate::hostile::{domain, expression, monsters, name, number};
use crate::{config, show};
use proptest::prelude::*;
use quaff::domain::Domain;
use quaff::expr::{Expr, int, parse, var};
use quaff_fronts::banks;
use quaff_fronts::index_type::{
    CheckError, Checked, Constant, General, Idx, IndexError, Lost, Outcome, Part, Parts, Placed, Splitter, Typed, Types,
};

fn idx() -> impl Strategy<Value = Result<Idx, IndexError>> {
    let loops = (number(), number(), number()).prop_map(|(l, h, k)| Idx::unrolled(l, h, k));
    let any = prop::array::uniform4(number()).prop_map(|[a, b, c, d]| Idx::new(a..b, c..d));
    let small = (-9_i64..9, 1_i64..9, -9_i64..9, 1_i64..9).prop_map(|(s, k, d, n)| Idx::new(s..s + k, d..d + n));
    prop_oneof![1 => loops, 1 => any, 3 => small]
}

fn general() -> impl Strategy<Value = Result<General, IndexError>> {
    let statics = prop::collection::vec(prop_oneof![3 => -9_i64..20, 1 => number()], 0..6);
    (statics, number(), number(), number()).prop_map(|(s, m, l, h)| General::new(s, m, l..h))
}

fn shown_idx(ty: &Idx) {
    let _ = format!("{ty} {}", Idx::canonical(ty));
    show(&(Idx::statics(ty), Idx::dynamics(ty), Idx::copies(ty), Idx::values(ty), Idx::is_static(ty)));
    show(&(Idx::set(ty, 0), Idx::set(ty, i128::MIN), Idx::set(ty, ty.dynamics().start), Idx::as_constant(ty)));
    show(&General::from_idx(ty).map(|g| General::to_idx(&g)));
    show(&Idx::first_copy(ty, "i", Domain::new()));
}

fn shown_general(ty: &General) {
    let _ = format!("{ty} {:?}", General::to_idx(ty));
    show(&(General::statics(ty), General::multiplier(ty), General::dynamics(ty), General::bounds(ty)));
    show(&(General::set(ty, 0), General::set(ty, i128::MAX), General::set(ty, ty.dynamics().start)));
}

fn shown(checked: &Checked) {
    show(&(Checked::ty(checked), Checked::len(checked), Checked::is_empty(checked), Checked::shared(checked)));
    show(&(Checked::copies(checked), Checked::copy(checked, 0), Checked::copy(checked, usize::MAX)));
    if let Err(lost) = Checked::together(checked) {
        show(&(Lost::operator(lost), Lost::why(lost)));
        placed(|p| Lost::placed(lost, p));
    }
    show(&(Checked::unrolled(checked).count(), Checked::lost(checked).is_some()));
    match Checked::ty(checked) {
        Outcome::Exact(general) => shown_general(general),
        Outcome::Several(parts) => {
            let _ = format!("{parts}");
            show(&(Parts::offsets(parts), Parts::bounds(parts)));
            Parts::parts(parts).iter().for_each(|p| show(&(Part::base(p).tree_size(), Part::factors(p))));
        }
        Outcome::Integers { .. } => {}
    }
    for banks in [0, 3, u32::MAX] {
        show(&banks::copies_in_grid(&[(checked, banks), (checked, 2)]).is_ok());
    }
}

fn placed(make: impl Fn(&quaff::expr::Parsed) -> Placed) {
    for text in ["x", "y + 1"] {
        let placed = make(&parse(text).expect("valid"));
        show(&Placed::span(&placed));
        let _ = format!("{:?}", miette::Report::new(placed));
    }
}

fn checked(e: &Expr, types: &Types) {
    match quaff_fronts::index_type::check(e, types) {
        Ok(c) => shown(&c),
        Err(e) => {
            show(CheckError::culprit(&e));
            placed(|p| CheckError::placed(&e, p));
        }
    }
}

fn split(exprs: &[Expr], types: &Types, domain: &Domain) {
    let mut splitter = Splitter::new(types, domain);
    for e in exprs {
        show(&Splitter::split(&mut splitter, e).map(|parts| parts.tree_size()));
    }
    for constant in Splitter::constants(&splitter) {
        show(&(Constant::name(constant), Constant::value(constant).tree_size()));
    }
    show(&Splitter::extended(&splitter).resolve().is_ok());
}

proptest! {
    #![proptest_config(config(2_000))]

    #[test]
    fn index_types(a in idx(), b in idx(), (c, d) in (number(), number())) {
        show(&(Idx::constant(c), Idx::integer(c..d), Typed::constant(c), Idx::unrolled_in_parts(c, d, 4)));
        let far = [i128::MIN, i128::from(c), i128::MAX].map(|n| i128::from(d).saturating_add(n));
        show(&far.map(|n| (Idx::unrolled_in_parts(n, far[1], n), Idx::new(c..d, far[1]..n), Idx::integer(far[0]..n))));
        let (Ok(a), Ok(b)) = (a, b) else { return Ok(()) };
        shown_idx(&a);
        let (i, j) = (Typed::new(a, var("d")), Typed::new(b, var("e")));
        show(&(Typed::canonical(&i), Typed::plus(&i, &j), Typed::minus(&i, &j), Typed::times(&i, &j)));
        for result in [Typed::floor_div(&i, c), Typed::floor_mod(&i, c), Typed::constant(c).and_then(|c| i.minus(&c))].into_iter().flatten() {
            shown_idx(Typed::ty(&result));
            show(&(Typed::value(&result), Typed::times(&result, &j), Typed::floor_div(&result, d)));
        }
    }

    #[test]
    fn general_types(a in general(), b in general(), c in number()) {
        show(&General::constant(c));
        let (Ok(a), Ok(b)) = (a, b) else { return Ok(()) };
        shown_general(&a);
        for outcome in [a.plus(&b), a.minus(&b), a.times(&b), a.floor_div(c), a.floor_mod(c)] {
            show(&outcome);
            if let Ok(Outcome::Exact(ty)) = outcome {
                shown_general(&ty);
            }
        }
        show(&(General::plus(&a, &b), General::minus(&a, &b), General::times(&a, &b)));
        show(&(General::floor_div(&a, c), General::floor_mod(&a, c)));
    }

    #[test]
    fn checks(e in expression(), domain in domain(), ty in idx(), name in name()) {
        let Ok(mut types) = Types::new(&domain) else { return Ok(()) };
        for name in [name, "x"] {
            if let Ok(ty) = ty {
                types = Types::with(types, name, ty);
            }
            checked(&e, &types);
            split(std::slice::from_ref(&e), &types, &domain);
        }
    }
}

#[test]
fn monstrous_expressions() {
    let types = Types::new(&Domain::new().with("x", 0..9).with("y", 0..9)).expect("consistent");
    let types = types.with("x", Idx::unrolled(0, 64, 8).expect("divides"));
    for e in monsters(80, 5_000) {
        checked(&e, &types);
    }
    let domain = Domain::new().with("x", 0..9).with("y", 0..9);
    let unrolled = Types::new(&domain).expect("consistent").with("x", Idx::unrolled(0, 9, 9).expect("divides"));
    split(&monsters(80, 5_000).into_iter().collect::<Vec<_>>(), &unrolled, &domain);
    checked(&int(i64::MIN), &types);
}
