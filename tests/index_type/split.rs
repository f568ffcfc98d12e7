//! Expressions in the copies of an unrolled loop. They are split into the part that all copies share and the constants
//! of each copy.

use crate::copies::expression;
use crate::samples::Random;
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff_fronts::index_type::{Constant, Idx, Splitter, Types};

/// The shared form of `text`, and the simplified value of each constant in it.
fn split(text: &str, domain: &Domain, unrolled: &[(&str, i64)]) -> (String, Vec<String>) {
    let typed = |types: Types, (name, trips): &(&str, i64)| {
        types.with(*name, Idx::unrolled(0, *trips, *trips).expect("it divides itself"))
    };
    let types = unrolled.iter().fold(Types::new(domain).expect("consistent"), typed);
    let mut splitter = Splitter::new(&types, domain);
    let parts = splitter.split(&text.parse().expect("an expression")).expect("a type");
    let over = unrolled.iter().fold(domain.clone(), |d, (name, trips)| d.with(*name, 0..*trips));
    let simplified = |c: &Constant| Simplifier::default().simplify(c.value(), &over).expect("an answer");
    (parts.to_string(), splitter.constants().iter().map(|c| simplified(c).expr().to_string()).collect())
}

#[test]
fn one_dynamic_part_and_constants() {
    let domain = Domain::new().with("row", 0..4096).stride("row", 8, 0).with("j", 0..64).with("t", 0..256);
    // a typical address: each copy has two constants, and computes one exclusive or
    assert_eq!(
        split("(row + i)//4*32 + (j ^ (row + i)%4)*8", &domain, &[("i", 8)]),
        ("row//4*32 + c0 + (j ^ c1)*8".into(), vec!["i//4*32".into(), "i%4".into()])
    );
    assert_eq!(
        split("(row + i)*64 + u", &domain, &[("i", 8), ("u", 2)]),
        ("row*64 + c0".into(), vec!["i*64 + u".into()])
    );
    // the copies share no subexpression, because the constant is inside of the quotient
    assert_eq!(split("(t + i)//8", &domain, &[("i", 8)]), ("(t + c0)//8".into(), vec!["i".into()]));
    // an index that is not unrolled completely is not split
    let types = Types::new(&domain).expect("consistent").with("i", Idx::unrolled(0, 16, 4).expect("divides"));
    let e: Expr = "(row + i)//4".parse().expect("an expression");
    assert_eq!(Splitter::new(&types, &domain).split(&e), Ok(e));
}

#[test]
fn bits_of_copies_are_the_last_operand_of_an_xor() {
    let domain = Domain::new().with("t", 0..256);
    // the bits of the copy are above the bits of the dynamic part
    assert_eq!(split("t%32 ^ (t//32 + s*8)", &domain, &[("s", 4)]), ("t%32 ^ t//32 ^ c0".into(), vec!["s*8".into()]));
    // `t%32*32` is a multiple of the row length, so it can be moved into the first operand of the exclusive or
    assert_eq!(
        split("t%32*32 + (t%32 ^ (t//32 + s*8))", &domain, &[("s", 4)]),
        ("t%32*32 + (t%32 ^ t//32) ^ c0".into(), vec!["s*8".into()])
    );
    assert_eq!(
        split("(t//32 + s*8)*32 + (t%32 ^ (t//32 + s*8))", &domain, &[("s", 4)]),
        ("(t//32*32 + (t%32 ^ t//32) ^ c0) + c1".into(), vec!["s*8".into(), "s*256".into()])
    );
    // the copy and the dynamic part share bits, so the constant is not the last operand
    assert_eq!(split("t%32 ^ (t//32 + s*4)", &domain, &[("s", 4)]), ("t%32 ^ t//32 + c0".into(), vec!["s*4".into()]));
    // rows of 16 are not multiples of the values of the exclusive or, so the sum is not moved inside
    assert_eq!(
        split("t%32*16 + (t%32 ^ (t//32 + s*8))", &domain, &[("s", 4)]),
        ("t%32*16 + (t%32 ^ t//32 ^ c0)".into(), vec!["s*8".into()])
    );
}

proptest! {
    #[test]
    fn parts_have_the_values_of_the_expression(e in expression()) {
        let domain = Domain::new().with("r", -64..=64).stride("r", 8, 0).with("x", -3..=9);
        let unrolled = [("i", 8), ("j", 3)];
        let typed = |types: Types, (name, trips): (&str, i64)| {
            types.with(name, Idx::unrolled(0, trips, trips).expect("it divides itself"))
        };
        let types = unrolled.into_iter().fold(Types::new(&domain).expect("consistent"), typed);
        let mut splitter = Splitter::new(&types, &domain);
        let Ok(parts) = splitter.split(&e) else { return Ok(()) };
        let facts = splitter.extended().resolve().expect("consistent");
        let mut random = Random(11);
        for _ in 0..40 {
            let copy = [random.within((0, 7)), random.within((0, 2))].map(|v| v as i64);
            let shared = [random.within((-8, 8)) as i64 * 8, random.within((-3, 9)) as i64];
            let of_copy = |name: &str| match name { "i" => Some(copy[0]), "j" => Some(copy[1]), _ => None };
            let mut constants = Vec::new();
            for c in splitter.constants() {
                // the constant depends only on the copy
                let value = c.value().eval(of_copy).expect("a value for each copy");
                let fact = facts.iter().find(|f| &*f.name == c.name()).expect("declared");
                let value = i64::try_from(value).expect("small");
                prop_assert!(fact.interval.contains(value) && fact.congruence.contains(value), "{} = {value}", c.value());
                constants.push((c.name(), value));
            }
            let all = |name: &str| match name {
                "r" => Some(shared[0]),
                "x" => Some(shared[1]),
                _ => of_copy(name).or_else(|| constants.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)),
            };
            if let Ok(value) = e.eval(all) {
                prop_assert_eq!(parts.eval(all).ok(), Some(value), "{} as {}", e, parts);
            }
        }
    }
}
