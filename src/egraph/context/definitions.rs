//! Bounds sums more tightly than the ranges of their terms do. The bounds also use the definitions of quotients and
//! remainders in the sum, such as `x//n*n <= x`. To compute them for every class would take too long. They are computed
//! only where a tight range matters much, to show that a divisor is never 0 or that a part fits in 32 bits. The input
//! is a sum of the e-graph, and the output is its range.

use crate::domain::{Congruence, Interval};
use crate::egraph::analysis::graph::Graph;
use crate::egraph::analysis::linear_constraints::definition;
use crate::egraph::analysis::term_facts::TermFacts;
use crate::egraph::language::linear_form::LinearForm;
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::EGraph;
use crate::egraph::normal::nonzero::record_nonzero;
use crate::egraph::normal::symbolic_bounds::proves_nonneg;
use crate::integer::{floor_div, floor_mod};
use egg::Id;
use std::borrow::Cow;
use std::rc::Rc;

/// The maximum number of terms of one sum whose definitions are used.
const MAX_DEFINED: usize = 12;

/// The largest depth of nested selections in a divisor that are split into their two branches.
const MAX_SELECTIONS: u32 = 4;

/// The maximum number of integers at which a polynomial is evaluated.
const MAX_VALUES: u64 = 256;

/// Whether `divisor` is never 0. If the answer takes a proof of a tighter range, that range is added to the facts of
/// the class.
pub(crate) fn leaves_out_zero(e: &mut EGraph, divisor: Id) -> bool {
    leaves_out_zero_within(e, divisor, MAX_SELECTIONS)
}

/// Whether `divisor` is never 0, with at most `depth` nested selections split into their branches.
fn leaves_out_zero_within(e: &mut EGraph, divisor: Id, depth: u32) -> bool {
    let known = e.facts(divisor);
    if !known.interval.contains(0) || !known.congruence.contains(0) {
        return true;
    }
    let lin = e.canonical(divisor);
    if lin.is_constant() {
        return false;
    }
    let range = range_by_definitions(e, &lin);
    let proved = !range.contains(0);
    if proved {
        e.sharpen(divisor, range, Congruence::ANY);
        return true;
    }
    by_prover(e, divisor, &lin) || by_factors(e, &lin, depth) || by_branches(e, &lin, depth)
}

/// Whether `lin` has a selection as a term and is never 0 with either branch in place of the selection.
fn by_branches(e: &mut EGraph, lin: &LinearForm, depth: u32) -> bool {
    let selection = lin.terms().iter().enumerate().find_map(|(i, &t)| {
        e.nodes(t).iter().find_map(|node| if let Node::Select([_, a, b]) = *node { Some((i, [a, b])) } else { None })
    });
    let (Some((i, branches)), Some(depth)) = (selection, depth.checked_sub(1)) else { return false };
    branches.into_iter().all(|branch| {
        let with = lin.without(i).plus(lin.coeffs()[i], &LinearForm::atom(branch));
        with.and_then(|l| e.class_of(&l)).is_some_and(|class| leaves_out_zero_within(e, class, depth))
    })
}

/// Whether the factors in `lin` prove that it is never 0. There are two cases. In the first case, `lin` is `f*a + b`,
/// where `a` and `b` are multiples of one sum: `f*2*s + 3*s` is `(2*f + 3)*s`. Then `lin` is never 0 if neither of the
/// two factors is. In the second case, `lin` is a polynomial of a single value, which is evaluated at all integers in
/// the range of that value.
fn by_factors(e: &mut EGraph, lin: &LinearForm, depth: u32) -> bool {
    let mut factors: Vec<Id> = lin.terms().iter().flat_map(|&t| e.factors(t)).collect();
    factors.sort_unstable();
    factors.dedup();
    if let &[f] = &factors[..] {
        return leaves_out_zero_of(e, lin, f);
    }
    let product = factors.into_iter().take(MAX_DEFINED).find_map(|f| {
        let (a, b) = e.split_by_factors(lin, 1, &[f])?;
        let (sum, m, n) = a.common_sum(&b)?;
        Some([sum, LinearForm::term(m, f).plus_constant(n)?])
    });
    let Some(product) = product else { return false };
    product.iter().all(|l| e.class_of(l).is_some_and(|class| leaves_out_zero_within(e, class, depth)))
}

/// Whether `lin`, a polynomial of the value `f` alone, is not 0 at any value of `f`. `f` may have at most
/// [`MAX_VALUES`] values.
fn leaves_out_zero_of(e: &EGraph, lin: &LinearForm, f: Id) -> bool {
    let known = e.facts(f);
    let Some((lo, hi)) = known.interval.bounded().filter(|(lo, hi)| hi.abs_diff(*lo) < MAX_VALUES) else {
        return false;
    };
    let value = |at: i64| {
        lin.iter().try_fold(i128::from(lin.constant), |sum, (c, t)| {
            let power = i128::from(at).checked_pow(e.factors(t).len() as u32)?;
            sum.checked_add(power.checked_mul(c.into())?)
        })
    };
    (lo..=hi).filter(|&at| known.congruence.contains(at)).all(|at| value(at).is_some_and(|v| v != 0))
}

/// Uses that `divisor` is never 0. If 0 is an end of its range, 0 is removed from the range.
pub(crate) fn take_as_nonzero(e: &mut EGraph, divisor: Id) {
    record_nonzero(e, divisor);
    let known = e.facts(divisor).interval;
    let without = match (known.lo(), known.hi()) {
        (Some(0), _) => Interval::new(1, i64::MAX),
        (_, Some(0)) => Interval::new(i64::MIN, -1),
        _ => None,
    };
    if let Some(range) = without.filter(|range| known.meet(*range).is_some()) {
        e.sharpen(divisor, range, Congruence::ANY);
    }
}

/// Whether the prover shows that `lin` is always above 0 or always below 0. `lin` is the canonical form of the class
/// `divisor`.
fn by_prover(e: &mut EGraph, divisor: Id, lin: &LinearForm) -> bool {
    for (sign, range) in [(1, Interval::new(1, i64::MAX)), (-1, Interval::new(i64::MIN, -1))] {
        let goal = lin.scaled(sign).and_then(|l| l.plus_constant(-1));
        if goal.is_some_and(|goal| proves_nonneg(e, &goal)) {
            e.sharpen(divisor, range.unwrap_or(Interval::ALL), Congruence::ANY);
            return true;
        }
    }
    false
}

/// The range of the operand `id`, as tight as can be proved. `plain` is its range by the ranges of variables. A range
/// that had to be proved is added to the facts of the class.
pub(crate) fn closer_range(e: &mut EGraph, id: Id, plain: Interval) -> Interval {
    let proved = range_by_definitions(e, &e.canonical(id));
    for range in [plain, proved] {
        if e.facts(id).interval.meet(range).is_some() {
            e.sharpen(id, range, Congruence::ANY);
        }
    }
    e.facts(id).interval
}

/// The range of `lin` by the assumptions, the definitions of its quotients and the symbolic ends of its variables
/// together. For example, `s - s//2` is at least 1 if `s` is.
pub(crate) fn range_by_definitions(e: &EGraph, lin: &LinearForm) -> Interval {
    let mut constraints = e.graph.analysis.constraints.clone();
    let mut todo: Vec<Id> = lin.terms().to_vec();
    let mut done: Vec<Id> = Vec::new();
    let mut quotients: Vec<(Id, Rc<LinearForm>, i64)> = Vec::new();
    while let Some(t) = todo.pop() {
        let t = e.graph.find(t);
        if done.contains(&t) || done.len() == MAX_DEFINED {
            continue;
        }
        done.push(t);
        for constraint in e.factors(t).iter().flat_map(|&f| definitions_of(e, f)) {
            todo.extend(constraint.terms());
            constraints.push(Rc::new(constraint));
        }
        // `x // (m*n)` is also the quotient of `x // m` by `n`
        let Some((x, n)) = e.graph.division(t) else { continue };
        for (other, _, m) in quotients.iter().filter(|q| q.1 == x) {
            let (outer, inner, n, m) = if n > *m { (t, *other, n, *m) } else { (*other, t, *m, n) };
            if floor_mod(n.into(), m.into()) == 0 {
                let nested = definition(outer, &LinearForm::atom(inner), floor_div(n.into(), m.into()) as i64);
                nested.into_iter().flatten().for_each(|constraint| constraints.push(Rc::new(constraint)));
            }
        }
        quotients.push((t, x, n));
    }
    // contradictory ends mean that there are no points. Such a contradiction must not prove anything about a divisor
    constraints.hull(&e.graph, lin).unwrap_or(Interval::ALL)
}

/// `lin` with current ids: the id of a merged class is replaced by the id of the class that it was merged into. No
/// class is replaced by its linear form.
pub(crate) fn current(graph: &Graph, lin: &LinearForm) -> Option<LinearForm> {
    LinearForm::from_terms(lin.constant, lin.iter().map(|(c, t)| (graph.find(t), c.into())).collect())
}

/// Linear forms that are at least 0 by the definition or the symbolic ends of `t`.
fn definitions_of(e: &EGraph, t: Id) -> Vec<LinearForm> {
    if let Some((x, n)) = e.graph.division(t) {
        return definition(t, &x, n).into_iter().flatten().collect();
    }
    let mut constraints = Vec::new();
    for node in e.nodes(t) {
        match node {
            Node::Var(v) => {
                let (lower, upper) = &e.symbolic[*v as usize];
                let value = LinearForm::atom(t);
                let expanded =
                    |end: &Option<LinearForm>| end.as_ref().and_then(|l| e.canonical_deep(l).map(Cow::into_owned));
                constraints.extend(expanded(lower).and_then(|l| value.plus(-1, &l)));
                constraints.extend(expanded(upper).and_then(|u| u.plus(-1, &value)));
            }
            Node::Div([x, n]) if e.facts(*n).interval.lo().is_some_and(|l| l > 0) => {
                constraints.extend(definition_of_quotient(e, t, &e.canonical(*x), &e.canonical(*n)));
            }
            _ => {}
        }
    }
    constraints
}

/// `n*q <= x` and `x <= n*q + n - 1` for the quotient `q` of `x` by the unknown `n`. Empty if the e-graph lacks a
/// product of `n` and `q`.
fn definition_of_quotient(e: &EGraph, q: Id, x: &LinearForm, n: &LinearForm) -> Vec<LinearForm> {
    // a sum may use the products themselves, or the sums that they represent
    let [mut as_products, mut expanded] = [Some(LinearForm::default()), Some(LinearForm::default())];
    if n.constant != 0 {
        as_products = LinearForm::default().plus(n.constant, &LinearForm::atom(q));
        expanded = as_products.clone();
    }
    for (c, t) in n.iter() {
        let mut factors = e.factors(t);
        factors.extend(e.factors(q));
        factors.sort_unstable();
        let Some(product) = e.graph.lookup(Node::Product(factors)) else { return Vec::new() };
        as_products = as_products.and_then(|l| l.plus(c, &LinearForm::atom(e.graph.find(product))));
        expanded = expanded.and_then(|l| l.plus(c, &e.canonical(product)));
    }
    let mut constraints = Vec::new();
    for multiple in [as_products, expanded].into_iter().flatten() {
        constraints.extend(x.plus(-1, &multiple));
        constraints.extend(multiple.plus(1, n).and_then(|l| l.plus(-1, x)).and_then(|l| l.plus_constant(-1)));
    }
    constraints
}
