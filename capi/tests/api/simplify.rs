//! Tests that answers, their texts and their nodes equal the results of the library.

use crate::support::*;
use quaff::Simplifier;
use quaff::domain::{Bounds, Domain};
use quaff::expr::Expr;
use quaff_c::answer::*;
use quaff_c::domain::*;
use quaff_c::expr::*;
use quaff_c::handle::quaff_expr;
use quaff_c::nodes::*;
use quaff_c::op::quaff_op;
use quaff_c::place::quaff_status;
use quaff_c::simplifier::*;
use quaff_c::span::*;
use quaff_c::text::*;

fn simplified(texts: &[&str], over: &str) -> Box<quaff_answer> {
    let exprs: Vec<_> = texts.iter().map(|text| expr(text)).collect();
    let exprs: Vec<Option<&quaff_expr>> = exprs.iter().map(|e| Some(&**e)).collect();
    let domain = domain(over);
    let (status, answer, error) =
        made(|out, error| quaff_simplify(None, quaff_expr_span::new(&exprs), Some(&domain), out, error));
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    answer.expect("an answer")
}

#[test]
fn answers_are_those_of_the_library() {
    for (texts, over) in [
        (&["(t*12 + c)//96*128 + (t*12 + c)%96"][..], "t=0..8191, c=0..11"),
        (&["x//12*16 + x%12"], "x=0..1048575"),
        (&["(i*4 + j)//4", "(i*4 + j)%4", "x//n"], "i=0..15, j=0..3, n=1..99, x=0..9999, invariant n"),
    ] {
        let answer = simplified(texts, over);
        let exprs: Vec<Expr> = texts.iter().map(|text| text.parse().unwrap()).collect();
        let own = Simplifier::default().simplify_all(&exprs, &over.parse().unwrap()).unwrap();
        assert_eq!(quaff_answer_count(Some(&answer)), own.exprs().len());
        for (at, e) in own.exprs().iter().enumerate() {
            assert_eq!(text_of(quaff_answer_expr(Some(&answer), at)), e.to_string());
        }
        assert!(quaff_answer_expr(Some(&answer), texts.len()).is_none());
        assert_eq!(quaff_answer_cost(Some(&answer)), own.cost().instructions());
        assert_eq!(quaff_answer_input_cost(Some(&answer)), own.input_cost().instructions());
        assert_eq!(quaff_answer_least_cost(Some(&answer)), own.least_cost().instructions());
        assert!(quaff_answer_saturated(Some(&answer)));
        let own_texts = [own.cuda(), own.c(), own.rust(), Ok(own.python()), own.triton()];
        for (language, own) in own_texts.into_iter().enumerate() {
            compare_text(&answer, language as u32, &own.unwrap());
        }
    }
}

fn compare_text(answer: &quaff_answer, language: u32, own: &quaff::emit::Text) {
    let (status, text, error) = made(|out, error| quaff_answer_text(Some(answer), language, out, error));
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    let mut text = text.expect("a text");
    let str = |str: quaff_str<'_>| str.as_str().expect("UTF-8").to_string();
    assert_eq!(str(quaff_text_body(Some(&text))), own.to_string());
    assert_eq!(str(quaff_text_whole(Some(&text))), own.whole());
    assert_eq!(str(quaff_text_prelude(Some(&text))), own.prelude);
    assert_eq!(str(quaff_text_host(Some(&text))), own.host);
    let statements = (0..quaff_text_statement_count(Some(&text))).map(|at| str(quaff_text_statement(Some(&text), at)));
    assert_eq!(statements.collect::<Vec<_>>(), own.statements);
    assert_eq!(quaff_text_result_count(Some(&text)), own.results.len());
    for (at, result) in own.results.iter().enumerate() {
        let found = quaff_text_result(Some(&text), at);
        assert_eq!((str(found.text), str(found.type_name)), (result.text.clone(), result.ty.to_string()));
    }
    let contract = own.contract();
    let parameters = (0..quaff_text_parameter_count(Some(&text))).map(|at| {
        let parameter = quaff_text_parameter(Some(&text), at);
        (str(parameter.name), str(parameter.type_name))
    });
    let of_contract = contract.params.iter().map(|p| (p.name.clone(), p.ty.clone()));
    assert_eq!(parameters.collect::<Vec<_>>(), of_contract.collect::<Vec<_>>());
    assert_eq!(quaff_text_divisor_count(Some(&text)), contract.divisors.len());
    for (at, divisor) in contract.divisors.iter().enumerate() {
        let found = quaff_text_divisor(Some(&text), at);
        let found = (str(found.name), str(found.divisor), str(found.setup));
        assert_eq!(found, (divisor.name.clone(), divisor.divisor.clone(), divisor.setup()));
    }
    let function = called(
        |out, error| quaff_text_function(Some(&mut text), quaff_str::new("f_of_it"), out, error),
        quaff_str::default(),
    );
    assert_eq!(str(function.1), own.function("f_of_it").unwrap());
}

#[test]
fn texts_end_with_a_zero_that_is_not_counted() {
    let text = quaff_c::error::quaff_version();
    assert_eq!(text.as_str(), Some(env!("CARGO_PKG_VERSION")));
    assert_eq!(quaff_domain_text(Some(&domain("i=0..3"))).as_str(), Some("i=0..3"));
}

#[test]
fn nodes_go_both_ways_and_have_ranges() {
    let answer = simplified(&["(i*4 + j)//4*8 + n", "i - j"], "i=0..15, j=0..3, n=1..9");
    let nodes = quaff_answer_nodes(Some(&answer)).expect("nodes");
    let all = quaff_nodes_all(Some(nodes));
    let roots = quaff_nodes_roots(Some(nodes)).ids().expect("roots");
    let names: Vec<_> = (0..quaff_nodes_name_count(Some(nodes))).map(|at| quaff_nodes_name(Some(nodes), at)).collect();
    assert_eq!(roots.len(), 2);
    for (at, root) in roots.iter().enumerate() {
        let names = quaff_str_span::new(&names);
        let (status, back, error) = made(|out, error| quaff_expr_from_nodes(all, names, *root, out, error));
        assert_eq!(status, quaff_status::Ok, "{error:?}");
        assert_eq!(text_of(back.as_deref()), text_of(quaff_answer_expr(Some(&answer), at)));
    }
    let of_i = all.nodes().expect("nodes").iter().position(|node| node.op == quaff_op::Var as u32).expect("a variable");
    let range = quaff_nodes_range(Some(nodes), of_i as u32);
    assert_eq!((range.lower, range.upper), (0, 15));
    let difference = quaff_nodes_range(Some(nodes), roots[1]);
    assert_eq!((difference.lower, difference.upper), (-3, 15));
    let alone = expr("i + 1");
    let open = quaff_nodes_range(quaff_expr_nodes(Some(&alone)), 0);
    assert_eq!((open.lower, open.upper), (i64::MIN, i64::MAX));
}

#[test]
fn nodes_are_simplified_as_their_expressions_are() {
    let asked = expr("(i*4 + j)//4*8 + (i*4 + j)%4");
    let nodes = quaff_expr_nodes(Some(&asked));
    let names: Vec<_> = (0..quaff_nodes_name_count(nodes)).map(|at| quaff_nodes_name(nodes, at)).collect();
    let domain = domain("i=0..15, j=0..3");
    let (all, roots) = (quaff_nodes_all(nodes), quaff_nodes_roots(nodes));
    let (status, answer, error) = made(|out, error| {
        quaff_simplify_nodes(None, all, quaff_str_span::new(&names), roots, Some(&domain), out, error)
    });
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    assert_eq!(text_of(quaff_answer_expr(answer.as_deref(), 0)), "i*8 + j");
}

#[test]
fn a_domain_is_built_step_by_step() {
    let mut held = quaff_domain_new().expect("a domain");
    let (four, upper, condition) = (expr("4"), expr("n - 1"), expr("i < x"));
    let name = quaff_str::new;
    let ok = |(status, error): (quaff_status, Option<Failed>)| assert_eq!(status, quaff_status::Ok, "{error:?}");
    ok(changed(|e| quaff_domain_range(Some(&mut held), name("n"), 1, 64, e)));
    ok(changed(|e| quaff_domain_range(Some(&mut held), name("m"), i64::MIN, i64::MAX, e)));
    ok(changed(|e| quaff_domain_bounds(Some(&mut held), name("i"), None, Some(&upper), e)));
    ok(changed(|e| quaff_domain_bounds(Some(&mut held), name("i"), Some(&four), None, e)));
    ok(changed(|e| quaff_domain_add(Some(&mut held), name("x=0..999"), e)));
    ok(changed(|e| quaff_domain_step(Some(&mut held), name("x"), 4, 1, e)));
    ok(changed(|e| quaff_domain_assume(Some(&mut held), Some(&condition), e)));
    ok(changed(|e| quaff_domain_uniform(Some(&mut held), name("n"), e)));
    ok(changed(|e| quaff_domain_nonempty(Some(&mut held), name("i"), e)));
    ok(changed(|e| quaff_domain_opaque(Some(&mut held), name("q"), name("rows[i]"), e)));
    ok(changed(|e| quaff_domain_loop(Some(&mut held), quaff_str_span::new(&strs(["i"])), e)));
    ok(changed(|e| quaff_domain_defined(Some(&mut held), e)));
    ok(changed(|e| quaff_domain_check(Some(&held), e)));
    let e = |text: &str| text.parse::<Expr>().unwrap();
    let own = Domain::new()
        .with("n", 1..=64)
        .with("m", ..)
        .with("i", Bounds::new(None, Some(e("n - 1"))))
        .with("i", Bounds::new(Some(e("4")), None))
        .and(&"x=0..999".parse().unwrap())
        .stride("x", 4, 1)
        .assume(e("i < x"))
        .launch_invariant("n")
        .nonempty("i")
        .opaque("q", "rows[i]", ..)
        .loop_nest(["i"])
        .defined();
    assert_eq!(quaff_domain_text(Some(&held)).as_str(), Some(&*own.to_string()));
    let copy = quaff_domain_clone(Some(&held));
    ok(changed(|e| quaff_domain_range(Some(&mut held), name("late"), 0, 1, e)));
    assert_eq!(quaff_domain_text(copy.as_deref()).as_str(), Some(&*own.to_string()));
    assert!(quaff_domain_text(Some(&held)).as_str().unwrap().contains("late=0..1"));
}

#[test]
fn settings_are_those_of_the_library() {
    let (text, over) = ("where(a >= 1 and b >= 1 and c >= 1, a + b + c, -1)", "a=0..7, b=0..7, c=0..7");
    let mut settings = quaff_simplifier_new().expect("settings");
    let (status, error) = changed(|e| quaff_simplifier_target(Some(&mut settings), quaff_str::new("sm_100"), e));
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    let (status, error) = changed(|e| quaff_simplifier_effort(Some(&mut settings), 2, e));
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    let (asked, domain) = (expr(text), domain(over));
    let asked = [Some(&*asked)];
    let simplified = |settings: &quaff_simplifier| {
        let exprs = quaff_expr_span::new(&asked);
        made(|out, error| quaff_simplify(Some(settings), exprs, Some(&domain), out, error)).1.expect("an answer")
    };
    let answer = simplified(&settings);
    let (_, made_text, _) = made(|out, error| quaff_answer_text(Some(&answer), 0, out, error));
    let result = quaff_text_result(made_text.as_deref(), 0);
    assert_eq!(result.text.as_str(), Some("b >= 1 && (a >= 1 && c >= 1) ? a + b + c : -1"));
    let (status, error) =
        changed(|e| quaff_simplifier_cost_model(Some(&mut settings), quaff_cost_model::Operations as u32, e));
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    let own = Simplifier::default().for_target(quaff::lower::Target::SM_100).with_cost_model(quaff::cost::OpCount);
    let own = own.simplify(&text.parse().unwrap(), &over.parse().unwrap()).unwrap();
    assert_eq!(quaff_answer_cost(Some(&simplified(&settings))), own.cost().instructions());
}

#[test]
fn expressions_have_values_and_copies() {
    let asked = expr("(i*7 - j)%5");
    let copy = quaff_expr_clone(Some(&asked));
    drop(asked);
    let (names, values) = (strs(["j", "i"]), [3, -2]);
    let (status, value, error) = called(
        |out, error| {
            let values = quaff_int_span::new(&values);
            quaff_expr_eval(copy.as_deref(), quaff_str_span::new(&names), values, out, error)
        },
        0,
    );
    assert_eq!((status, value), (quaff_status::Ok, 3), "{error:?}");
}

#[test]
fn threads_share_what_is_const() {
    let (asked, domain) = (expr("(t*12 + c)//96*128 + (t*12 + c)%96"), domain("t=0..8191, c=0..11"));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let exprs = [Some(&*asked)];
                let exprs = quaff_expr_span::new(&exprs);
                let (_, answer, _) = made(|out, error| quaff_simplify(None, exprs, Some(&domain), out, error));
                assert_eq!(text_of(quaff_answer_expr(answer.as_deref(), 0)), "t*12 + c + t//8*32");
                assert_eq!(text_of(Some(&asked)), "(t*12 + c)//96*128 + (t*12 + c)%96");
            });
        }
    });
}
