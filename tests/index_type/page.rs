//! The examples of docs/index-types.md.

use quaff::domain::Domain;
use quaff_fronts::index_type::{Idx, Types, check};

fn types(line: &str) -> Types {
    let (mut domain, mut unrolled) = (Domain::new(), Vec::new());
    for declared in line.split(',').map(str::trim) {
        let Some((name, rest)) = declared.split_once(" in ") else {
            domain.declare(declared).expect(declared);
            continue;
        };
        let (range, factor) = rest.split_once(" unroll ").expect(declared);
        let (low, high) = range.split_once("..").expect(declared);
        let number = |t: &str| t.parse::<i64>().expect(declared);
        unrolled.push((name.to_string(), Idx::unrolled(number(low), number(high), number(factor)).expect(declared)));
    }
    let types = Types::new(&domain).expect("consistent");
    unrolled.into_iter().fold(types, |types, (name, ty)| types.with(name, ty))
}

#[test]
fn examples_have_the_types_that_the_page_shows() {
    let page = include_str!("../../docs/index-types.md");
    let (mut examples, mut declared) = (0, None);
    let inside = page.split("```types\n").skip(1).filter_map(|rest| rest.split("```").next());
    for line in inside.flat_map(str::lines) {
        let Some(types) = &declared else {
            declared = Some(types(line));
            continue;
        };
        let (expr, shown) = line.split_once("  ").expect("two columns");
        let checked = check(&expr.parse().expect(expr), types).expect(expr);
        let lost = checked.together().err().map(|l| format!(", after `{}`: {}", l.operator(), l.why()));
        assert_eq!(format!("{}{}", checked.ty(), lost.unwrap_or_default()), shown.trim(), "{expr}");
        examples += 1;
    }
    assert!(examples >= 15, "only {examples} examples found");
}
