//! Divisions that round towards zero, for every form into which lowering translates them.

use crate::host::{Case, RANGES};
use quaff::domain::Domain;
use quaff::expr::{Expr, int, var};

/// Divisions that round towards zero, by constants of both signs and by variables. Most numerators may be negative.
pub(crate) fn truncations() -> Vec<Case> {
    let sizes = [1i64, 2, 3, 5, 7, 8, 100, 641, 1 << 20, 1_000_003, i32::MAX.into(), 1 << 31, u32::MAX.into(), 1 << 33];
    let constants = sizes.into_iter().chain([(3 << 33) + 9, i64::MAX - 1]).flat_map(|d| [d, -d]);
    let constants: Vec<i64> = constants.collect();
    let few = [(-20, 13), (-13, 20), (-7, 0), (-1000, -3), (i32::MIN.into(), 0), (-(1 << 40), 5)];
    let mut cases = Vec::new();
    let mut add = |vars: &Domain, x: &Expr, d: &Expr| {
        let vars = vars.resolve().expect("ranges");
        let (q, r) = (x.trunc_div(d), x.trunc_mod(d));
        for roots in [vec![q.clone()], vec![r.clone()], vec![q, r]] {
            let id = format!("{:?} {roots:?}", vars.iter().map(|v| v.interval).collect::<Vec<_>>());
            cases.push(Case { id, vars: vars.clone(), meaning: roots.clone(), lowered: None, roots });
        }
    };
    let x = var("x");
    for range in RANGES.into_iter().chain(few) {
        let domain = Domain::new().with("x", range);
        for &d in &constants {
            add(&domain, &x, &int(d));
        }
        add(&domain, &(&x * 65_539 - 11), &int(100));
        for (lo, hi) in [(1, 1000), (1, i32::MAX.into()), (-50, -1), (5, 1i64 << 40)] {
            let domain = domain.clone().with("n", lo..=hi);
            add(&domain, &x, &var("n"));
            add(&domain.launch_invariant("n"), &x, &var("n"));
        }
    }
    cases
}
