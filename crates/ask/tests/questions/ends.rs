//! Compares the ends of ranges from `bounds` with proofs of orders: `bounds` should find each end that `prove` can
//! prove.

use crate::support::{cases, domain, index, points, value};
use proptest::prelude::*;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;

/// Some `c` in `loose+1..=exact` for which `e >= c` is proved, if one is found.
fn proved_beyond(e: &Expr, loose: Option<i64>, exact: i64, domain: &Domain) -> Option<i64> {
    let next = loose.map_or(exact, |loose| loose + 1);
    let between = next + (exact - next) / 2;
    let mut facts = Simplifier::default().facts(domain);
    let mut tried: Vec<i64> = [next, between, exact].into_iter().filter(|c| next <= *c && *c <= exact).collect();
    tried.dedup();
    tried.into_iter().find(|c| facts.prove(&e.ge(*c)).unwrap() == Some(true))
}

/// Describes an end that is looser than the end that a proof shows.
fn looser(e: &Expr, domain: &Domain, values: &[i64]) -> Option<String> {
    let (least, greatest) = (*values.iter().min()?, *values.iter().max()?);
    let range = Simplifier::default().facts(domain).bounds(e).unwrap();
    let negated = -e;
    let below = proved_beyond(e, range.lo(), least, domain).map(|c| format!("{e} in {range} is at least {c}"));
    let high = range.hi().and_then(i64::checked_neg);
    below.or_else(|| {
        proved_beyond(&negated, high, -greatest, domain).map(|c| format!("{e} in {range} is at most {}", -c))
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(60) as u32, ..ProptestConfig::default() })]

    #[test]
    fn no_end_is_looser_than_a_proof(e in index(), other in index(), bound in -5i64..60, assumed: bool) {
        let condition = other.lt(bound);
        let domain = if assumed { domain().assume(condition.clone()) } else { domain() };
        let kept = points().filter(|at| !assumed || value(&condition, *at) != 0);
        let values: Vec<i64> = kept.map(|at| value(&e, at)).collect();
        if !values.is_empty() {
            let found = looser(&e, &domain, &values);
            prop_assert!(found.is_none(), "{found:?} where {condition} ({assumed})");
        }
    }
}
