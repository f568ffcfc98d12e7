//! The rewrites of plain egg over binary operators: the basic identities behind quaff's normal forms and rules.

use super::analysis::{Facts, Known};
use super::language::Math;
use egg::{Applier, ConditionalApplier, EGraph, Id, Pattern, PatternAst, Rewrite, Subst, Symbol, Var};
use quaff::integer::{floor_div, floor_mod, gcd};

/// A condition on the terms that `?a`, `?b`, `?m` and `?n` match.
#[derive(Clone, Copy)]
enum When {
    Always,
    /// `?n` is a positive number.
    Positive,
    /// `?m` and `?n` are positive numbers.
    BothPositive,
    /// `?n` is a positive number, and `?a` is in `0..n`.
    Below,
    /// `?m` and `?n` are positive numbers, and `?b` is in `0..m`.
    Digit,
}

/// The name, left side, right side and condition of each rule.
const RULES: &[(&str, &str, &str, When)] = &[
    ("add-commutes", "(+ ?a ?b)", "(+ ?b ?a)", When::Always),
    ("add-associates", "(+ (+ ?a ?b) ?c)", "(+ ?a (+ ?b ?c))", When::Always),
    ("mul-commutes", "(* ?a ?b)", "(* ?b ?a)", When::Always),
    ("mul-associates", "(* (* ?a ?b) ?c)", "(* ?a (* ?b ?c))", When::Always),
    ("distribute", "(* ?a (+ ?b ?c))", "(+ (* ?a ?b) (* ?a ?c))", When::Always),
    ("factor", "(+ (* ?a ?b) (* ?a ?c))", "(* ?a (+ ?b ?c))", When::Always),
    ("factor-one", "(+ ?a (* ?a ?b))", "(* ?a (+ 1 ?b))", When::Always),
    ("double", "(+ ?a ?a)", "(* 2 ?a)", When::Always),
    ("sub", "(- ?a ?b)", "(+ ?a (* -1 ?b))", When::Always),
    ("sub-back", "(+ ?a (* -1 ?b))", "(- ?a ?b)", When::Always),
    ("neg", "(- ?a)", "(* -1 ?a)", When::Always),
    ("add-zero", "(+ ?a 0)", "?a", When::Always),
    ("mul-zero", "(* ?a 0)", "0", When::Always),
    ("mul-one", "(* ?a 1)", "?a", When::Always),
    ("div-one", "(// ?a 1)", "?a", When::Always),
    ("div-split-multiple", "(// (+ (* ?a ?n) ?b) ?n)", "(+ ?a (// ?b ?n))", When::Positive),
    ("div-multiple", "(// (* ?a ?n) ?n)", "?a", When::Positive),
    ("div-split-number", "(// (+ ?a ?n) ?n)", "(+ (// ?a ?n) 1)", When::Positive),
    ("nested-division", "(// (// ?a ?m) ?n)", "(// ?a (* ?m ?n))", When::BothPositive),
    ("add-into-division", "(+ ?a (// ?b ?n))", "(// (+ (* ?a ?n) ?b) ?n)", When::Positive),
    ("mod-one", "(% ?a 1)", "0", When::Always),
    ("mod-multiple", "(% (* ?a ?n) ?n)", "0", When::Positive),
    ("mod-split-multiple", "(% (+ (* ?a ?n) ?b) ?n)", "(% ?b ?n)", When::Positive),
    ("mod-of-mod", "(% (% ?a ?n) ?n)", "(% ?a ?n)", When::Positive),
    ("mod-of-multiple-mod", "(% (% ?a (* ?m ?n)) ?n)", "(% ?a ?n)", When::BothPositive),
    ("mod-defined", "(% ?a ?n)", "(+ ?a (* -1 (* ?n (// ?a ?n))))", When::Positive),
    ("mod-recovery", "(+ ?a (* -1 (* ?n (// ?a ?n))))", "(% ?a ?n)", When::Positive),
    ("digits", "(+ (* ?n (// ?a ?n)) (% ?a ?n))", "?a", When::Positive),
    ("min-commutes", "(min ?a ?b)", "(min ?b ?a)", When::Always),
    ("min-associates", "(min (min ?a ?b) ?c)", "(min ?a (min ?b ?c))", When::Always),
    ("min-same", "(min ?a ?a)", "?a", When::Always),
    ("max-commutes", "(max ?a ?b)", "(max ?b ?a)", When::Always),
    ("max-associates", "(max (max ?a ?b) ?c)", "(max ?a (max ?b ?c))", When::Always),
    ("max-same", "(max ?a ?a)", "?a", When::Always),
    ("min-of-sums", "(min (+ ?a ?b) (+ ?a ?c))", "(+ ?a (min ?b ?c))", When::Always),
    ("max-of-sums", "(max (+ ?a ?b) (+ ?a ?c))", "(+ ?a (max ?b ?c))", When::Always),
    ("and-commutes", "(and ?a ?b)", "(and ?b ?a)", When::Always),
    ("and-associates", "(and (and ?a ?b) ?c)", "(and ?a (and ?b ?c))", When::Always),
    ("or-commutes", "(or ?a ?b)", "(or ?b ?a)", When::Always),
    ("or-associates", "(or (or ?a ?b) ?c)", "(or ?a (or ?b ?c))", When::Always),
    ("where-same", "(where ?c ?a ?a)", "?a", When::Always),
    ("where-true", "(where 1 ?a ?b)", "?a", When::Always),
    ("where-false", "(where 0 ?a ?b)", "?b", When::Always),
    ("not-less", "(not (< ?a ?b))", "(<= ?b ?a)", When::Always),
    ("not-at-most", "(not (<= ?a ?b))", "(< ?b ?a)", When::Always),
    ("greater", "(> ?a ?b)", "(< ?b ?a)", When::Always),
    ("at-least", "(>= ?a ?b)", "(<= ?b ?a)", When::Always),
    ("less-cancels", "(< (+ ?a ?b) (+ ?a ?c))", "(< ?b ?c)", When::Always),
];

/// The rules that need ranges.
const OF_RANGES: &[(&str, &str, &str, When)] = &[
    ("small-division", "(// ?a ?n)", "0", When::Below),
    ("small-remainder", "(% ?a ?n)", "?a", When::Below),
    ("digit-of-division", "(// (+ (* ?a ?m) ?b) (* ?m ?n))", "(// ?a ?n)", When::Digit),
    ("digit-of-remainder", "(% (+ (* ?a ?m) ?b) (* ?m ?n))", "(+ (* (% ?a ?n) ?m) ?b)", When::Digit),
];

/// All rewrites of plain egg for these facts.
pub(super) fn all(facts: Facts) -> Vec<Rewrite<Math, Known>> {
    let ranges = if facts == Facts::Ranges { OF_RANGES } else { &[] };
    let mut rules: Vec<Rewrite<Math, Known>> = RULES.iter().chain(ranges).map(rewrite).collect();
    // these rules compute numbers, which the right side of a pattern rule cannot do
    let computed: [(&str, &str, Make); 4] = [
        ("div-gcd", "(// (* ?m ?a) ?n)", |e, s| without_common_factor(e, s, true)),
        ("mod-gcd", "(% (* ?m ?a) ?n)", |e, s| without_common_factor(e, s, false)),
        ("div-factor", "(// ?a ?n)", |e, s| factored(e, s, Math::Div)),
        ("mod-factor", "(% ?a ?n)", |e, s| factored(e, s, Math::Mod)),
    ];
    for (name, left, make) in computed {
        rules.push(Rewrite::new(name, pattern(left), Computed(make)).expect("variables of the left side"));
    }
    rules
}

fn pattern(text: &str) -> Pattern<Math> {
    Pattern::new(text.parse::<PatternAst<Math>>().expect("a pattern"))
}

fn rewrite((name, left, right, when): &(&'static str, &'static str, &'static str, When)) -> Rewrite<Math, Known> {
    let when = *when;
    let condition = move |e: &mut EGraph<Math, Known>, _: Id, s: &Subst| holds(when, e, s);
    let applier = ConditionalApplier { condition, applier: pattern(right) };
    Rewrite::new(*name, pattern(left), applier).expect("variables of the left side")
}

fn var(name: &str) -> Var {
    name.parse().expect("a variable")
}

fn constant(e: &EGraph<Math, Known>, s: &Subst, name: &str) -> Option<i64> {
    e[*s.get(var(name))?].data.constant
}

fn holds(when: When, e: &EGraph<Math, Known>, s: &Subst) -> bool {
    let positive = |name| constant(e, s, name).is_some_and(|c| c > 0);
    let lies = |name: &str, end: Option<i64>| {
        let interval = s.get(var(name)).map(|&id| e[id].data.interval);
        interval.zip(end).is_some_and(|(i, end)| i.lo().is_some_and(|lo| lo >= 0) && i.hi().is_some_and(|hi| hi < end))
    };
    match when {
        When::Always => true,
        When::Positive => positive("?n"),
        When::BothPositive => positive("?m") && positive("?n"),
        When::Below => positive("?n") && lies("?a", constant(e, s, "?n")),
        When::Digit => positive("?m") && positive("?n") && lies("?b", constant(e, s, "?m")),
    }
}

/// The quotient of two positive numbers.
fn quotient(a: i64, b: i64) -> i64 {
    floor_div(a.into(), b.into()) as i64
}

/// A function that adds forms that are equal to the matched term.
type Make = fn(&mut EGraph<Math, Known>, &Subst) -> Vec<Id>;

struct Computed(Make);

impl Applier<Math, Known> for Computed {
    fn apply_one(
        &self,
        e: &mut EGraph<Math, Known>,
        id: Id,
        s: &Subst,
        _: Option<&PatternAst<Math>>,
        _: Symbol,
    ) -> Vec<Id> {
        let made = (self.0)(e, s);
        made.into_iter().filter(|&new| e.union(id, new)).collect()
    }
}

/// Replaces `(g*c*a)//(g*d)` by `(c*a)//d`, and `(g*c*a)%(g*d)` by `g*((c*a)%d)`.
fn without_common_factor(e: &mut EGraph<Math, Known>, s: &Subst, is_division: bool) -> Vec<Id> {
    let (Some(m), Some(n), Some(&a)) = (constant(e, s, "?m"), constant(e, s, "?n"), s.get(var("?a"))) else {
        return Vec::new();
    };
    if m <= 0 || n <= 0 {
        return Vec::new();
    }
    // the greatest common divisor is at most the smaller number, so it fits
    let g = gcd(m.into(), n.into()) as i64;
    if g == 1 {
        return Vec::new();
    }
    let [c, d, g] = [quotient(m, g), quotient(n, g), g].map(|number| e.add(Math::Num(number)));
    let numerator = e.add(Math::Mul([c, a]));
    if is_division {
        return vec![e.add(Math::Div([numerator, d]))];
    }
    let remainder = e.add(Math::Mod([numerator, d]));
    vec![e.add(Math::Mul([g, remainder]))]
}

/// Adds the form `a//(m*k)` to `a//n`, where `m` is the numeric factor of a term of `a`, and `m*k` equals `n`. Rules
/// about products of divisors then match the new form. `a%n` gets a new form in the same way.
fn factored(e: &mut EGraph<Math, Known>, s: &Subst, operation: fn([Id; 2]) -> Math) -> Vec<Id> {
    let (Some(n), Some(&a)) = (constant(e, s, "?n"), s.get(var("?a"))) else { return Vec::new() };
    let mut factors = Vec::new();
    for node in &e[a].nodes {
        let Math::Add(terms) = node else { continue };
        for term in terms.iter().flat_map(|&t| &e[t].nodes) {
            let Math::Mul(operands) = term else { continue };
            factors.extend(operands.iter().filter_map(|&o| e[o].data.constant));
        }
    }
    factors.sort_unstable();
    factors.dedup();
    factors.retain(|&m| m > 1 && m < n && floor_mod(n.into(), m.into()) == 0);
    let product = |e: &mut EGraph<Math, Known>, m: i64| {
        let [m, k] = [m, quotient(n, m)].map(|number| e.add(Math::Num(number)));
        e.add(Math::Mul([m, k]))
    };
    factors
        .into_iter()
        .map(|m| {
            let divisor = product(e, m);
            e.add(operation([a, divisor]))
        })
        .collect()
}
