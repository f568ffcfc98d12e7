//! The parts of expressions and domains that the crates of this workspace use.

use crate::hostile::{domain, expression, interval, name, number, op, text, wide};
use crate::{config, show};
use proptest::prelude::*;
use quaff::domain::{self, Domain, Random, RangesByName, Scope};
use quaff::expr::divisor;
use quaff::expr::monomials::{self, Monomial};
use quaff::expr::parse::{self, ParseError};
use quaff::expr::sum::{self, Sum};
use quaff::expr::{Dag, DagNode, Expr, FlatNodes, Interner, Junction, Program, int, name, offset, substitute};
use quaff::quasi::{Along, Decision, Why};
use quaff::{Simplified, Simplifier, emit, integer};
use quaff_expr::names::{self, Names, Words};

proptest! {
    #![proptest_config(config(1_000))]

    #[test]
    fn of_integers(a in wide(), b in wide()) {
        let up = integer::ceil_div(a, b);
        prop_assert!(b <= 0 || up.wrapping_mul(b) >= a || up.checked_mul(b).is_none());
        show(&(integer::lcm(a, b), integer::inverse(a, b), integer::ceil_div(i128::MIN, b), integer::inverse(b, i128::MIN)));
    }

    #[test]
    fn of_expressions(a in expression(), b in expression(), op in op(), k in number(), name in name(), text in text()) {
        let by = substitute::substituted(&a, name, &b);
        show(&(by, substitute::substituted_all(&[a.clone(), b.clone()], |_| Some(a.clone()))));
        let (rest, constant) = offset::split_offset(&a);
        show(&(offset::plus_offset(rest, constant), offset::plus_offset(b.clone(), k)));
        show(&(name::is_readable(&text), text.bytes().filter(|b| name::is_word(*b)).count()));
        show(&divisor::common_divisor(&a, &int(7)).is_ok());
        let all = monomials::monomials(&a).unwrap_or_default();
        show(&monomials::sum_of(&all));
        for monomial in &all {
            show(&Monomial::expr(monomial));
        }
        show(&monomials::terms_and_constant(&b));
        let products = monomials::monomials(&b).unwrap_or_default();
        products.iter().for_each(|m| show(&monomials::Monomial::has_factors_of(m, &products[0])));
        let junction = Junction::of(&op).unwrap_or(Junction::Or);
        show(&(Junction::op(junction), Junction::neutral(junction)));
        let mut interner = Interner::default();
        show(&(Interner::intern(&mut interner, &a) == a, Interner::intern(&mut interner, &b) == b));
        let dag = Dag::with_origins(&[a.clone(), b.clone()]);
        show(&(Dag::exprs(&dag), FlatNodes::of_dag(&dag), Expr::has_several_owners(&a)));
        show(&(Dag::variables(&dag).count(), Dag::use_counts(&dag), Expr::variables(&a)));
        let number = |id: u32| DagNode::as_const(&dag.nodes()[id as usize]);
        let of_node = |n: &DagNode| (DagNode::as_variable(n).cloned(), DagNode::addends(n, number).map(Vec::from_iter));
        show(&dag.nodes().iter().map(of_node).collect::<Vec<_>>());
        show(&Sum::of(dag.nodes(), dag.roots().iter().map(|&root| (root, k)), number, 1_000));
        show(&sum::written([(a.clone(), k), (b.clone(), i64::MIN), (a.clone(), -1)]));
        show(&(Junction::clauses(junction, &a).count(), name::free(name.to_string(), |n: &str| n == name)));
        show(&Program::new(&[a], &["x", "y", "n"]).map(|program| Program::steps(&program)));
        if let Err(e) = parse::parse(&text) {
            show(&(ParseError::within(e.clone(), name, usize::MAX), ParseError::within(e, "", 0)));
        }
        show(&(emit::is_free_name(&text), emit::identifiers(&text).collect::<Vec<_>>()));
    }

    #[test]
    fn of_names(given in prop::collection::vec(name(), 0..9), text in text()) {
        for words in [&names::C, &names::PYTHON, &names::SYMPY, &names::RUST, &names::MLIR, &names::INFIX] {
            show(&(Words::reserves(words, &text), Words::takes(words, &text), names::is_identifier(&text)));
            let mut taken = Names::new(words);
            Names::reserve(&mut taken, &text);
            let written = Names::variables(&mut taken, given.iter().copied().chain([&*text]));
            prop_assert!(written.iter().all(|name| Words::takes(words, name) && Names::is_taken(&taken, name)));
            prop_assert!(Words::iter(words).all(|word| Words::reserves(words, word)));
            show(&(Names::similar(&mut taken, &text), Names::temporary(&mut taken)));
        }
    }

    #[test]
    fn of_domains(d in domain(), a in expression(), range in interval(), kind in wide(), (n, name) in (wide(), name()), at in 0usize..5) {
        let both = [a.clone(), a.clone()];
        let (scope, other) = (Domain::scope_of(&d, &both), Domain::scope_of_variable(&d, name));
        show(&(Domain::conditions(&d), Domain::is_settled(&d), Domain::room(&d, at), Domain::loops_of(&d, name)));
        for scope in [Scope::and(&scope, &other), Scope::filtered(&scope, |p| p > at), Scope::default()] {
            show(&(Scope::has(&scope, usize::MAX), Scope::positions(&scope), Domain::in_scope(&d, &scope)));
        }
        let facts = Domain::resolve(&d).unwrap_or_default();
        let ranges = RangesByName::new(&facts);
        let dag = Dag::new(&both);
        show(&domain::intervals_within(&dag, |name| RangesByName::of(&ranges, name), |_| range));
        let mut random = Random::new(kind as u64);
        show(&(Random::below(&mut random, n), domain::sample(range, kind, &mut random)));
        if let Ok(answer) = Simplifier::simplify(&Simplifier::default(), &a, &d) {
            let cost = |vars| Simplified::executed(&answer, &both, Simplifier::model(&Simplifier::default()), vars);
            show(&(cost(&facts), cost(&[])));
        }
    }

    #[test]
    fn of_the_decision_procedure(a in expression(), first in number(), many: bool) {
        if let Ok(along) = Along::new(&[a.clone(), a], "x") {
            let mut left = 300;
            let stopped = Along::each(&along, first, if many { u64::MAX } else { 20 }, |_, values| {
                left -= 1;
                if left > 0 { Ok(()) } else { Err(values.to_vec()) }
            });
            show(&stopped);
        }
        show(&Decision::not_asked(Why::NothingLeft));
    }
}
