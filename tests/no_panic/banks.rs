//! Banks: accesses, layouts, searches and swizzles.

use crate::hostile::{domain, expression, name, number, text, wide};
use crate::{config, show};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::{Expr, var};
use quaff_fronts::banks::{
    self, Access, BankError, Candidate, Decided, Found, Layout, Machine, Memory, Service, Swizzle, Tile, TileAccess,
};
use quaff_fronts::index_type::{Idx, Types, check};

fn told<T>(result: Result<T, BankError>) -> Option<T> {
    if let Err(e) = &result {
        let _ = format!("{e} {:?} {:?}", BankError::access(e), miette::Report::new(e.clone()));
    }
    result.ok()
}

fn small() -> impl Strategy<Value = u32> {
    prop_oneof![4 => prop::sample::select(vec![0, 1, 2, 3, 4, 8, 16, 32, 64]), 1 => any::<u32>()]
}

fn memory() -> impl Strategy<Value = Option<Memory>> {
    (small(), small()).prop_map(|(count, bytes)| told(Memory::new(count, bytes)))
}

fn shown(service: &Service, memory: Memory) {
    show(&(Service::phases(service), Service::degree(service), Service::transactions(service)));
    show(&(Service::broadcast(service), Service::conflicts(service), Service::words(service)));
    show(&(Service::text(service, memory, &[i64::MIN]).len(), Service::svg(service, memory, &[]).len()));
    // the text and the picture of the access for another memory
    let other = Memory::new(3, 1).expect("there is one");
    show(&(Service::text(service, other, &[]).len(), Service::svg(service, other, &[7, 7]).len()));
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn machines(name in name(), width in small(), phases in prop::collection::vec(prop::collection::vec(0_u32..9, 0..9), 0..4), addresses in prop::collection::vec(prop::option::of(wide()), 0..80)) {
        show(&Machine::named(name).is_some());
        let known = Machine::NAMES.iter().filter_map(|name| Machine::named(name));
        let own = told(Machine::with_phases(Machine::default(), width, phases));
        for machine in known.chain(own) {
            show(&(Machine::memory(&machine), Machine::groups(&machine, width, addresses.len())));
            if let Some(service) = told(Machine::serve(&machine, &addresses, width)) {
                shown(&service, machine.memory());
            }
        }
    }

    #[test]
    fn services(memory in memory(), addresses in prop::collection::vec(prop::option::of(wide()), 0..40), width in small()) {
        let memory = memory.unwrap_or_default();
        show(&(Memory::count(&memory), Memory::bytes(&memory), Memory::row_bytes(&memory)));
        if let Some(service) = told(Memory::serve(&memory, &addresses, width)) {
            shown(&service, memory);
        }
        let aligned: Vec<_> = addresses.iter().map(|a| a.map(|a| a & !15)).collect();
        if let Some(service) = told(Memory::serve(&memory, &aligned, width)) {
            shown(&service, memory);
        }
    }

    #[test]
    fn decisions(e in expression(), domain in domain(), memory in memory(), (bytes, width) in (small(), small()), lane in name()) {
        let memory = memory.unwrap_or_default();
        let domain = Domain::with(domain, "t", 0..32);
        for (e, lane) in [(e.clone(), lane), (e + var("t"), "t")] {
            let access = told(Access::new(e, bytes).and_then(|a| Access::wide(a, width)));
            let decided = access.and_then(|a| told(banks::decide(&a, lane, &domain, memory)));
            if let Some(d) = decided {
                show(&(Decided::at(&d), Decided::lanes(&d), Decided::points(&d)));
                shown(Decided::service(&d), memory);
            }
        }
    }

    #[test]
    fn swizzles(bits in small(), base in small(), shift in any::<i32>(), near in -9..9, x in number(), text in text()) {
        for swizzle in [Swizzle::new(bits, base, shift), Swizzle::new(bits, base, near), text.parse()] {
            let Some(swizzle) = told(swizzle) else { continue };
            show(&(Swizzle::bits(&swizzle), Swizzle::base(&swizzle), Swizzle::shift(&swizzle)));
            show(&(Swizzle::apply(&swizzle, x), Swizzle::index(&swizzle, &var("x"))));
            let _ = swizzle.to_string();
        }
    }

    #[test]
    fn layouts(sides in prop::array::uniform3(small()), layout in prop::array::uniform3(small()), (row, col) in (number(), number())) {
        let Some(tile) = told(Tile::new(sides[0], sides[1], sides[2])) else { return Ok(()) };
        show(&(Tile::rows(&tile), Tile::cols(&tile), Tile::bytes(&tile)));
        let [bits, base, skip] = layout;
        for layout in [Layout::Padding(bits), Layout::Xor { bits, base, skip }] {
            show(&(Layout::element(&layout, &tile, row, col), Layout::bytes(&layout, &tile), Layout::swizzle(&layout, &tile)));
            show(&Layout::index(&layout, &tile, &var("r"), &var("c")));
            let _ = layout.to_string();
        }
    }

    #[test]
    fn copies(e in expression(), domain in domain(), banks in any::<u32>()) {
        let Ok(types) = Types::new(&domain) else { return Ok(()) };
        let types = types.with("x", Idx::unrolled(0, 64, 8).expect("divides"));
        if let Ok(checked) = check(&e, &types) {
            show(&[banks, 0, 1, 32].map(|b| banks::copies_in_banks(&checked, b)));
        }
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn searches(row in expression(), col in expression(), domain in domain(), memory in memory(), sides in prop::array::uniform3(small()), width in small()) {
        let domain = Domain::with(domain, "t", 0..32);
        let (rows, cols) = (sides[0].clamp(1, 64), sides[1].clamp(1, 64));
        let Some(tile) = told(Tile::new(rows, cols, sides[2])) else { return Ok(()) };
        let inside = |e: Expr, side: u32| e.floor_mod(i64::from(side));
        for (row, col) in [(row.clone(), col.clone()), (inside(row + var("t"), rows), inside(col, cols))] {
            let Some(access) = told(TileAccess::new(row, col, width)) else { continue };
            let found = banks::search(&tile, &[access], "t", &domain, memory.unwrap_or_default(), &Simplifier::default());
            let Some(found) = told(found) else { continue };
            show(&Found::tried(&found));
            for c in Found::candidates(&found) {
                show(&(Candidate::layout(c), Candidate::bytes(c), Candidate::degrees(c), Candidate::is_free(c)));
                show(&(Candidate::cost(c), Candidate::indices(c)));
            }
        }
    }
}
