//! Questions about hostile indices.

use crate::hostile::{domain, expression, name, number};
use crate::{config, show};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Interval;
use quaff::expr::Expr;
use quaff_ask::{Answer, AskError, Detected, IterTerm, Lanes, Parts, When};

fn lanes(found: &[Lanes], most: i64) {
    for own in found {
        show(&(own, Lanes::divisibility(own), Lanes::vector(own, most)));
        show(&(quaff_ask::widest_vector(own, None, most), quaff_ask::widest_vector(own, found.first(), most)));
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn questions(a in expression(), b in expression(), domain in domain(), (x, y) in (name(), name()), (m, n) in (number(), number())) {
        let simplifier = Simplifier::default();
        let both = [a.clone(), b.clone()];
        show(&quaff_ask::lanes(&simplifier, &both, x, &domain).map(|found| lanes(&found, m)));
        show(&quaff_ask::parts(&simplifier, &a, &[&[x], &[y]], &domain).map(|found| (Parts::is_whole(&found), found)));
        show(&Interval::new(m, n).map(|range| quaff_ask::base_and_immediate(&a, range)));
        show(&quaff_ask::base_and_immediate(&b, Interval::ALL));
        show(&quaff_ask::strides(&simplifier, &a, &[x, y], &domain));
        show(&quaff_ask::injective(&simplifier, &both, &[x], &domain).map(|answer| Answer::is_yes(&answer)));
        show(&quaff_ask::surjective(&simplifier, &both, &[Expr::from(m), b.clone()], &[x, y], &domain));
        show(&quaff_ask::surjective(&simplifier, &both, &[], &[x, y], &domain));
        show(&quaff_ask::inverse(&simplifier, &both, &[("p", Expr::from(m)), ("q", b.clone())], &[x, y], &domain));
        show(&quaff_ask::when(&simplifier, &a, &[x], &domain));
        show(&quaff_ask::when(&simplifier, &a.lt(&b), &[x, y], &domain));
        show(&quaff_ask::when_vector(&simplifier, &a, Some(&b), (x, m), &[y], &domain));
        show(&quaff_ask::when_disjoint(&simplifier, &a, &b, &[x], &[y], &domain));
        let when = When { conditions: both.to_vec(), necessary: None };
        show(&(When::test(&when), When::code(&when, quaff_dialects::Dialect::C, &domain)));
        show(&quaff_ask::disjoint(&simplifier, &a, &b, &[x], &domain));
        if let Ok(Detected::Map(found)) = quaff_ask::detect(&simplifier, &both, &[x, y], &domain) {
            found.outputs.iter().flat_map(|sum| &sum.iterators).for_each(|one| show(&IterTerm::digit(one)));
        }
        show(&quaff_ask::fuse(&[(a.clone(), b.clone()), (b.clone(), Expr::from(m))]));
        show(&quaff_ask::split(&a, &b, &Expr::from(n)));
        show(&quaff_ask::subspace_divide(&simplifier, &both, &[x, y], &[y], &domain));
        show(&quaff_ask::ranges(&simplifier, &[x, y], &domain));
        show(&quaff_ask::rescale(&simplifier, &both, &[x, y], &domain));
        show(&quaff_ask::image(&simplifier, &a, &domain).map_err(|e| (AskError::is_empty_domain(&e), e)));
    }
}
