//! Proofs with symbolic ends: what `j <= N - 1` says of sums over `j` and `N`.
//!
//! What goes in is a linear form; what comes out is whether it is proved to be at least 0. Terms are replaced by their ends, a
//! few one after the other, until the ranges of what is left decide it.

use crate::egraph::analysis::form_facts::facts_of_form;
use crate::egraph::analysis::term_facts::TermFacts;
use crate::egraph::build::extrema::{has_extrema, range_by_operands};
use crate::egraph::build::graph::EGraph;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::{Ids, Node};
use crate::integer::{floor_div, floor_mod};
use crate::rules::operator::Operator;
use egg::Id;
use std::borrow::Cow;

/// How many symbolic bounds a proof may substitute one after the other.
const MAX_PROOF_DEPTH: u32 = 6;

/// Whether `lin >= 0` follows from intervals and from substituting symbolic ends (`j <= N - 1`).
pub(crate) fn proves_nonneg(e: &EGraph, lin: &LinearForm) -> bool {
    facts_of_form(&e.graph, lin).0.is_nonneg()
        || has_extrema(e, lin) && range_by_operands(e, lin).is_nonneg()
        || e.has_ends && proves(e, lin, MAX_PROOF_DEPTH)
}

fn proves(e: &EGraph, lin: &LinearForm, depth: u32) -> bool {
    if facts_of_form(&e.graph, lin).0.is_nonneg() {
        return true;
    }
    if depth == 0 {
        return false;
    }
    for (i, (c, t)) in lin.iter().enumerate() {
        if by_dividend(e, lin, i, c, t).is_some_and(|l| proves(e, &l, depth - 1)) {
            return true;
        }
        let factors = e.factors(t);
        for (j, &f) in factors.iter().enumerate() {
            let Some(end) = symbolic_end(e, f, c < 0) else { continue };
            let mut others: Ids = factors.clone();
            others.remove(j);
            if !others.iter().all(|&o| e.facts(o).interval.is_nonneg()) {
                continue;
            }
            if let Some(l) = substituted(e, lin, i, c, &end, &others)
                && proves(e, &l, depth - 1)
            {
                return true;
            }
        }
    }
    false
}

/// A lower bound of `lin` in which the dividend stands for term `i`, `k * n * (x//n)`: the product is at most `x`, and
/// at least `x - (n - 1)`.
fn by_dividend(e: &EGraph, lin: &LinearForm, i: usize, c: i64, t: Id) -> Option<LinearForm> {
    let (x, n) = e.graph.division(t)?;
    if floor_mod(c.into(), n.into()) != 0 {
        return None;
    }
    let k = i64::try_from(floor_div(c.into(), n.into())).ok()?;
    let least = lin.without(i).plus(k, &x)?;
    if c > 0 { least.plus_constant(k.checked_mul(n - 1)?.checked_neg()?) } else { Some(least) }
}

/// `lin` with term `i` (`c * f * others`) replaced by `c * end * others`, when no new product is needed.
fn substituted(e: &EGraph, lin: &LinearForm, i: usize, c: i64, end: &LinearForm, others: &Ids) -> Option<LinearForm> {
    let mut out = lin.without(i);
    let mut with = |k: i64, extra: Option<Id>| -> Option<()> {
        let mut ids = others.clone();
        if let Some(extra) = extra {
            ids.extend(e.factors(extra));
        }
        ids.sort_unstable();
        let k = k.checked_mul(c)?;
        out = match &*ids {
            [] => out.clone().plus_constant(k)?,
            &[x] => out.plus(k, &LinearForm::atom(x))?,
            _ => {
                let p = e.graph.lookup(Node::Product(ids))?;
                out.plus(k, &e.canonical(p))?
            }
        };
        Some(())
    };
    if end.constant != 0 {
        with(end.constant, None)?;
    }
    for (k, t) in end.iter() {
        with(k, Some(t))?;
    }
    Some(out)
}

/// The symbolic upper (or lower) end of an atom, where it has one.
fn symbolic_end(e: &EGraph, id: Id, upper: bool) -> Option<LinearForm> {
    let f = e.facts(id);
    if !f.has(Operator::Var) && !f.has(Operator::Mod) {
        return None;
    }
    for n in e.nodes(id) {
        match n {
            Node::Var(v) => {
                let (l, u) = &e.symbolic[*v as usize];
                let end = if upper { u } else { l };
                if let Some(end) = end {
                    return e.expand(end).map(Cow::into_owned);
                }
            }
            // x % n <= n - 1 for a divisor known only at run time
            Node::Mod([_, d])
                if upper && e.facts(*d).constant().is_none() && e.facts(*d).interval.lo().is_some_and(|l| l >= 1) =>
            {
                return e.canonical(*d).as_ref().clone().plus_constant(-1);
            }
            _ => {}
        }
    }
    None
}
