//! Tests with wrong arguments: NULL, bytes that are no text, texts that are no expressions, and inputs that are too
//! large.

use crate::support::*;
use quaff_c::answer::*;
use quaff_c::domain::*;
use quaff_c::error::*;
use quaff_c::expr::*;
use quaff_c::facts::*;
use quaff_c::failure::quaff_error;
use quaff_c::image::*;
use quaff_c::iters::*;
use quaff_c::lanes::*;
use quaff_c::maps::*;
use quaff_c::node::quaff_node;
use quaff_c::nodes::*;
use quaff_c::op::quaff_op;
use quaff_c::parts::*;
use quaff_c::place::*;
use quaff_c::range::quaff_range;
use quaff_c::ranges::*;
use quaff_c::simplifier::*;
use quaff_c::span::*;
use quaff_c::strides::*;
use quaff_c::subspace::*;
use quaff_c::text::*;
use quaff_c::when::*;

const NO_NAMES: [quaff_str<'static>; 0] = [];

fn names() -> quaff_str_span<'static> {
    quaff_str_span::new(&NO_NAMES)
}

fn none() -> quaff_expr_span<'static> {
    quaff_expr_span::new(&[])
}

#[test]
fn a_handle_that_is_null_is_an_error_that_names_it() {
    let (e, d) = (expr("i"), domain("i=0..3"));
    let (e, d) = (Some(&*e), Some(&*d));
    let (text, ints) = (quaff_str::new("i"), quaff_int_span::new(&[]));
    let null = |name: &str, (status, error): (quaff_status, Option<Failed>)| {
        assert_eq!(status, quaff_status::Null, "{name}");
        let error = error.expect("an error");
        assert_eq!((error.code.as_str(), error.message), ("quaff::c::null", format!("`{name}` is NULL")));
    };
    let handle = |found: (quaff_status, Option<Box<quaff_witness>>, Option<Failed>)| {
        assert!(found.1.is_none());
        (found.0, found.2)
    };
    null("expr", value(|out: Option<&mut _>, err| quaff_expr_text(None, out, err), quaff_str::default()));
    null("expr", value(|out, err| quaff_expr_eval(None, names(), ints, out, err), 7));
    null("domain", changed(|err| quaff_domain_add(None, text, err)));
    null("domain", changed(|err| quaff_domain_range(None, text, 0, 1, err)));
    null("domain", changed(|err| quaff_domain_bounds(None, text, None, None, err)));
    null("domain", changed(|err| quaff_domain_step(None, text, 2, 0, err)));
    null("domain", changed(|err| quaff_domain_assume(None, e, err)));
    null("domain", changed(|err| quaff_domain_uniform(None, text, err)));
    null("domain", changed(|err| quaff_domain_opaque(None, text, text, err)));
    null("domain", changed(|err| quaff_domain_nonempty(None, text, err)));
    null("domain", changed(|err| quaff_domain_loop(None, names(), err)));
    null("domain", changed(|err| quaff_domain_defined(None, err)));
    null("domain", changed(|err| quaff_domain_check(None, err)));
    null("condition", changed(|err| quaff_domain_assume(quaff_domain_new().as_deref_mut(), None, err)));
    null("simplifier", changed(|err| quaff_simplifier_effort(None, 1, err)));
    null("simplifier", changed(|err| quaff_simplifier_target(None, text, err)));
    null("simplifier", changed(|err| quaff_simplifier_cost_model(None, 0, err)));
    null("domain", dropped(made(|out, err| quaff_simplify(None, none(), None, out, err))));
    null("exprs", dropped(made(|out, err| quaff_simplify(None, quaff_expr_span::new(&[None]), d, out, err))));
    let (no_nodes, no_roots) = (quaff_node_span::new(&[]), quaff_id_span::new(&[]));
    null("domain", dropped(made(|out, err| quaff_simplify_nodes(None, no_nodes, names(), no_roots, None, out, err))));
    null("answer", dropped(made(|out, err| quaff_answer_text(None, 0, out, err))));
    null("text", value(|out: Option<&mut _>, err| quaff_text_function(None, text, out, err), quaff_str::default()));
    null("domain", dropped(made(|out, err| quaff_facts_new(None, None, out, err))));
    null("facts", value(|out, err| quaff_facts_bounds(None, e, out, err), quaff_range::default()));
    null("facts", value(|out, err| quaff_facts_congruence(None, e, out, err), quaff_congruence::default()));
    null("facts", value(|out, err| quaff_facts_prove(None, e, out, err), true));
    null("facts", value(|out, err| quaff_facts_equal(None, e, e, out, err), true));
    null("facts", changed(|err| quaff_facts_push(None, err)));
    null("facts", changed(|err| quaff_facts_pop(None, err)));
    null("facts", changed(|err| quaff_facts_assume(None, e, err)));
    null("facts", changed(|err| quaff_facts_add(None, d, err)));
    null("index", value(|out, err| quaff_ask_lanes(None, None, None, text, 16, d, out, err), quaff_lanes::default()));
    null("domain", value(|out, err| quaff_ask_lanes(None, e, None, text, 16, None, out, err), quaff_lanes::default()));
    null("index", dropped(made(|out, err| quaff_ask_parts(None, None, names(), ints, d, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_parts(None, e, names(), ints, None, out, err))));
    null("immediate", dropped(made(|out, err| quaff_ask_base_and_immediate(e, 0, 1, out, None, err))));
    let mut place = std::mem::MaybeUninit::new(7);
    null("offset", dropped(made(|out, err| quaff_ask_base_and_immediate(None, 0, 1, out, Some(&mut place), err))));
    null("index", dropped(made(|out, err| quaff_ask_strides(None, None, names(), d, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_strides(None, e, names(), None, out, err))));
    null("domain", handle(made(|out, err| quaff_ask_injective(None, none(), names(), None, out, err))));
    null("domain", handle(made(|out, err| quaff_ask_surjective(None, none(), none(), names(), None, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_inverse(None, none(), names(), none(), names(), None, out, err))));
    null("a", handle(made(|out, err| quaff_ask_disjoint(None, None, e, names(), d, out, err))));
    null("b", handle(made(|out, err| quaff_ask_disjoint(None, e, None, names(), d, out, err))));
    null("domain", handle(made(|out, err| quaff_ask_disjoint(None, e, e, names(), None, out, err))));
    null("condition", dropped(made(|out, err| quaff_ask_when(None, None, names(), d, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_when(None, e, names(), None, out, err))));
}

#[test]
fn a_handle_that_further_questions_need_is_named() {
    let (e, d) = (expr("i"), domain("i=0..3"));
    let (e, d, i, no) = (Some(&*e), Some(&*d), quaff_str::new("i"), names());
    let null = |name: &str, (status, error): (quaff_status, Option<Failed>)| {
        assert_eq!((status, error.expect("an error").message), (quaff_status::Null, format!("`{name}` is NULL")));
    };
    null("index", dropped(made(|out, err| quaff_ask_when_vector(None, None, None, i, 1, no, d, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_when_vector(None, e, None, i, 1, no, None, out, err))));
    null("a", dropped(made(|out, err| quaff_ask_when_disjoint(None, None, e, no, no, d, out, err))));
    null("b", dropped(made(|out, err| quaff_ask_when_disjoint(None, e, None, no, no, d, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_when_disjoint(None, e, e, no, no, None, out, err))));
    null("when", value(|out: Option<&mut _>, err| quaff_when_code(None, 0, i, out, err), quaff_str::default()));
    null("index", value(|out, err| quaff_ask_image(None, None, d, out, err), quaff_image::default()));
    null("domain", value(|out, err| quaff_ask_image(None, e, None, out, err), quaff_image::default()));
    null("domain", dropped(made(|out, err| quaff_ask_ranges(None, no, None, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_rescale(None, none(), no, None, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_iters(None, none(), no, None, out, err))));
    null("domain", dropped(made(|out, err| quaff_ask_subspace(None, none(), no, no, None, out, err))));
    null("iterator", dropped(made(|out, err| quaff_split(None, e, e, out, err))));
    null("extent", dropped(made(|out, err| quaff_split(e, None, e, out, err))));
    null("factor", dropped(made(|out, err| quaff_split(e, e, None, out, err))));
    let null_exprs = quaff_expr_span::new(&[None]);
    null("exprs", dropped(made(|out, err| quaff_ask_rescale(None, null_exprs, no, d, out, err))));
    null("outputs", dropped(made(|out, err| quaff_ask_iters(None, null_exprs, no, d, out, err))));
    null("outputs", dropped(made(|out, err| quaff_ask_subspace(None, null_exprs, no, no, d, out, err))));
    null("iterators", dropped(made(|out, err| quaff_fuse(null_exprs, none(), out, err))));
    null("extents", dropped(made(|out, err| quaff_fuse(none(), null_exprs, out, err))));
}

fn value<T: Copy>(
    call: impl FnOnce(Option<&mut std::mem::MaybeUninit<T>>, Option<&mut Place<quaff_error>>) -> quaff_status,
    nothing: T,
) -> (quaff_status, Option<Failed>) {
    let (status, _, error) = called(call, nothing);
    (status, error)
}

fn dropped<T>((status, made, error): (quaff_status, Option<Box<T>>, Option<Failed>)) -> (quaff_status, Option<Failed>) {
    assert!(made.is_none());
    (status, error)
}

#[test]
fn a_place_that_is_null_is_an_error_and_an_error_that_nobody_wants_is_none() {
    let d = domain("i=0..3");
    let error = changed(|err| quaff_simplify(None, none(), Some(&d), None, err)).1.expect("an error");
    assert_eq!((error.status, error.message.as_str()), (quaff_status::Null, "`the place of the result` is NULL"));
    assert_eq!(quaff_domain_check(None, None), quaff_status::Null);
    assert_eq!(quaff_expr_parse(quaff_str::new("i +"), None, None), quaff_status::Null);
}

#[test]
fn looks_at_null_find_nothing() {
    assert_eq!(quaff_error_status(None), quaff_status::Ok);
    assert_eq!(quaff_error_place(None), quaff_place::default());
    let texts = [
        quaff_error_message(None),
        quaff_error_code(None),
        quaff_error_help(None),
        quaff_domain_text(None),
        quaff_text_body(None),
        quaff_text_whole(None),
        quaff_text_prelude(None),
        quaff_text_host(None),
        quaff_text_statement(None, 0),
        quaff_text_result(None, 0).text,
        quaff_text_parameter(None, 0).name,
        quaff_text_divisor(None, 0).name,
        quaff_nodes_name(None, 0),
        quaff_witness_name(None, 0, 0),
        quaff_strides_dimension(None, 0).axis,
        quaff_ranges_variable(None, 0).name,
        quaff_rescaled_counted(None, 0).name,
        quaff_rescaled_counted(None, 0).counter,
    ];
    assert!(texts.iter().all(|text| text.as_str() == Some("")));
    let counts = [
        quaff_answer_count(None),
        quaff_text_statement_count(None),
        quaff_text_result_count(None),
        quaff_text_parameter_count(None),
        quaff_text_divisor_count(None),
        quaff_nodes_name_count(None),
        quaff_parts_count(None),
        quaff_parts_mixed_count(None),
        quaff_strides_count(None),
        quaff_witness_count(None),
        quaff_witness_size(None, 0),
        quaff_inverse_count(None),
        quaff_when_count(None),
        quaff_when_condition_count(None, 0),
        quaff_ranges_count(None),
        quaff_rescaled_count(None),
        quaff_rescaled_counted_count(None),
        quaff_iters_count(None),
        quaff_iters_iterator_count(None, 0),
        quaff_iters_padding_count(None),
        quaff_iters_no_iterator_output(None),
        quaff_axes_count(None),
        quaff_subspace_count(None),
        quaff_subspace_outer_condition_count(None),
        quaff_subspace_inner_condition_count(None),
    ];
    assert_eq!(counts, [0; 25]);
    let exprs = [
        quaff_answer_expr(None, 0),
        quaff_parts_part(None, 0),
        quaff_parts_shared(None),
        quaff_parts_mixed(None, 0),
        quaff_strides_offset(None),
        quaff_strides_not_strided(None),
        quaff_inverse_input(None, 0),
        quaff_inverse_inside(None),
        quaff_when_condition(None, 0, 0),
        quaff_when_test(None, 0),
        quaff_rescaled_expr(None, 0),
        quaff_rescaled_counted(None, 0).value,
        quaff_iters_base(None, 0),
        quaff_iters_no_iterator(None),
        quaff_iters_iterator(None, 0, 0).digit,
        quaff_iters_padding(None, 0).source,
        quaff_axes_axis(None, 0).iterator,
        quaff_subspace_division(None, 0).outer,
        quaff_subspace_outer_condition(None, 0),
        quaff_subspace_inner_condition(None, 0),
        quaff_subspace_mixed(None),
    ];
    assert!(exprs.iter().all(Option::is_none));
    assert!(quaff_expr_nodes(None).is_none() && quaff_answer_nodes(None).is_none());
    assert!(quaff_expr_clone(None).is_none() && quaff_domain_clone(None).is_none());
    assert!(quaff_rescaled_domain(None).is_none());
    assert_eq!(quaff_iters_bijective(None), quaff_decision::Unknown);
    assert_eq!(quaff_nodes_all(None).nodes().map(<[_]>::len), Some(0));
    assert_eq!(quaff_nodes_roots(None).ids().map(<[_]>::len), Some(0));
    assert_eq!(quaff_nodes_range(None, 0), quaff_range::default());
    assert_eq!((quaff_witness_value(None, 0, 0), quaff_when_necessity(None, 0)), (0, quaff_necessity::Unknown));
    let costs = [quaff_answer_cost(None), quaff_answer_input_cost(None), quaff_answer_least_cost(None)];
    assert_eq!((costs, quaff_answer_saturated(None)), ([0.0; 3], false));
    quaff_error_free(None);
    quaff_expr_free(None);
    quaff_domain_free(None);
    quaff_simplifier_free(None);
    quaff_answer_free(None);
    quaff_text_free(None);
    quaff_facts_free(None);
    quaff_parts_free(None);
    quaff_strides_free(None);
    quaff_witness_free(None);
    quaff_inverse_free(None);
    quaff_when_free(None);
    quaff_ranges_free(None);
    quaff_rescaled_free(None);
    quaff_iters_free(None);
    quaff_axes_free(None);
    quaff_subspace_free(None);
}

#[test]
fn bytes_that_are_no_text_have_their_place() {
    let (good, bad) = (quaff_str::new("i"), quaff_str::of_bytes(b"i + \xff\xfe"));
    let place = |input| quaff_place { kind: quaff_place_kind::Text, input, begin: 4, end: 5 };
    let is_refused = |error: Option<Failed>, input: usize| {
        let error = error.expect("an error");
        assert_eq!((error.status, error.place), (quaff_status::Utf8, place(input)), "{error:?}");
        assert_eq!(error.code, "quaff::c::utf8");
    };
    is_refused(made(|out, err| quaff_expr_parse(bad, out, err)).2, 0);
    is_refused(made(|out, err| quaff_domain_parse(bad, out, err)).2, 0);
    let mut held = quaff_domain_new().expect("a domain");
    is_refused(changed(|err| quaff_domain_add(Some(&mut held), bad, err)).1, 0);
    is_refused(changed(|err| quaff_domain_range(Some(&mut held), bad, 0, 1, err)).1, 0);
    is_refused(changed(|err| quaff_domain_bounds(Some(&mut held), bad, None, None, err)).1, 0);
    is_refused(changed(|err| quaff_domain_step(Some(&mut held), bad, 2, 0, err)).1, 0);
    is_refused(changed(|err| quaff_domain_uniform(Some(&mut held), bad, err)).1, 0);
    is_refused(changed(|err| quaff_domain_opaque(Some(&mut held), good, bad, err)).1, 0);
    is_refused(changed(|err| quaff_domain_nonempty(Some(&mut held), bad, err)).1, 0);
    let two = [good, bad];
    let second = quaff_str_span::new(&two);
    is_refused(changed(|err| quaff_domain_loop(Some(&mut held), second, err)).1, 1);
    assert_eq!(quaff_domain_text(Some(&held)).as_str(), Some(""));
    let mut settings = quaff_simplifier_new().expect("settings");
    is_refused(changed(|err| quaff_simplifier_target(Some(&mut settings), bad, err)).1, 0);
    let (e, d) = (expr("i"), domain("i=0..3"));
    let (one, e, d) = ([Some(&*e)], Some(&*e), Some(&*d));
    let one = quaff_expr_span::new(&one);
    is_refused(value(|out, err| quaff_ask_lanes(None, e, None, bad, 16, d, out, err), quaff_lanes::default()).1, 0);
    is_refused(made(|out, err| quaff_ask_parts(None, e, second, quaff_int_span::new(&[2]), d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_strides(None, e, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_injective(None, one, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_surjective(None, one, one, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_inverse(None, one, second, one, names(), d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_inverse(None, one, names(), one, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_disjoint(None, e, e, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_when(None, e, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_when_vector(None, e, None, bad, 1, names(), d, out, err)).2, 0);
    is_refused(made(|out, err| quaff_ask_when_vector(None, e, None, good, 1, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_when_disjoint(None, e, e, second, names(), d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_when_disjoint(None, e, e, names(), second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_ranges(None, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_rescale(None, one, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_iters(None, one, second, d, out, err)).2, 1);
    is_refused(made(|out, err| quaff_ask_subspace(None, one, names(), second, d, out, err)).2, 1);
    let nodes = [quaff_node { op: quaff_op::Var as u32, ..quaff_node::default() }];
    is_refused(made(|out, err| quaff_expr_from_nodes(quaff_node_span::new(&nodes), second, 0, out, err)).2, 1);
    is_refused(value(|out, err| quaff_expr_eval(e, second, quaff_int_span::new(&[1, 2]), out, err), 0).1, 1);
}

#[test]
fn texts_that_are_no_expressions_have_their_place() {
    let error = made(|out, err| quaff_expr_parse(quaff_str::new("i + * 3"), out, err)).2.expect("an error");
    assert_eq!((error.status, error.place.begin), (quaff_status::Parse, 4), "{error:?}");
    let error = made(|out, err| quaff_domain_parse(quaff_str::new("i=0..3, j=0.. +"), out, err)).2.expect("an error");
    assert_eq!((error.status, error.place.kind), (quaff_status::Domain, quaff_place_kind::Text), "{error:?}");
    assert!(error.place.begin >= 8, "{error:?}");
}

#[test]
fn divisors_that_can_be_0_have_their_place_in_texts_and_nodes() {
    let (first, second, over) = (expr("i"), expr("(i*4 + 3)//k"), domain("i=0..9, k=0..8"));
    let exprs = [Some(&*first), Some(&*second)];
    let exprs = quaff_expr_span::new(&exprs);
    let error = made(|out, err| quaff_simplify(None, exprs, Some(&over), out, err)).2.expect("an error");
    let place = quaff_place { kind: quaff_place_kind::Text, input: 1, begin: 11, end: 12 };
    assert_eq!((error.status, error.code.as_str()), (quaff_status::Simplify, "quaff::zero_divisor"));
    assert_eq!(error.place, place, "{error:?}");
    let node = |op: quaff_op, operands: [u32; 3], value: i64| quaff_node { op: op as u32, operands, value };
    let nodes = [
        node(quaff_op::Var, [0; 3], 0),
        node(quaff_op::Var, [0; 3], 1),
        node(quaff_op::Sub, [1, 1, 0], 0),
        node(quaff_op::FloorDiv, [0, 2, 0], 0),
    ];
    let names = strs(["i", "k"]);
    let (nodes, names) = (quaff_node_span::new(&nodes), quaff_str_span::new(&names));
    let roots = quaff_id_span::new(&[0, 3]);
    let error = made(|out, err| quaff_simplify_nodes(None, nodes, names, roots, Some(&over), out, err)).2;
    let error = error.expect("an error");
    assert_eq!(error.place, quaff_place { kind: quaff_place_kind::Node, input: 0, begin: 2, end: 3 }, "{error:?}");
    let undeclared = domain("i=0..9");
    let error = made(|out, err| quaff_simplify(None, exprs, Some(&undeclared), out, err)).2.expect("an error");
    assert_eq!((error.code.as_str(), error.place.input), ("quaff::unknown_variable", 1));
}

#[test]
fn nodes_that_are_none_have_their_number() {
    let refused = |nodes: &[quaff_node], root: u32| {
        let names = strs(["i"]);
        let (nodes, names) = (quaff_node_span::new(nodes), quaff_str_span::new(&names));
        let error = made(|out, err| quaff_expr_from_nodes(nodes, names, root, out, err)).2.expect("an error");
        assert_eq!(error.status, quaff_status::Nodes);
        (error.place.kind, error.place.begin, error.message)
    };
    let constant = quaff_node::default();
    let (node, root) = (quaff_place_kind::Node, quaff_place_kind::Root);
    let unknown = quaff_node { op: 99, ..constant };
    assert_eq!(refused(&[constant, unknown], 0), (node, 1, "node 1: no operator has the code 99".into()));
    let nameless = quaff_node { op: quaff_op::Var as u32, value: -1, ..constant };
    assert_eq!(refused(&[nameless], 0), (node, 0, "node 0: there is no name number -1".into()));
    let forward = quaff_node { op: quaff_op::Add as u32, operands: [0, 2, 0], value: 0 };
    assert_eq!(refused(&[constant, forward], 0), (node, 1, "node 1: the operand 2 is no node before it".into()));
    let itself = quaff_node { op: quaff_op::Neg as u32, ..constant };
    assert_eq!(refused(&[itself], 0), (node, 0, "node 0: the operand 0 is no node before it".into()));
    assert_eq!(refused(&[constant], 1), (root, 0, "root 0: there is no node 1".into()));
    assert_eq!(refused(&[], u32::MAX), (root, 0, format!("root 0: there is no node {}", u32::MAX)));
}

#[test]
fn arguments_outside_of_what_is_taken_are_refused() {
    let refused = |status: quaff_status, error: Option<Failed>| {
        assert_eq!(status, quaff_status::Argument);
        error.expect("an error").message
    };
    let mut settings = quaff_simplifier_new().expect("settings");
    let (status, error) = changed(|err| quaff_simplifier_effort(Some(&mut settings), 4, err));
    assert_eq!(refused(status, error), "an effort is a number from 0 to 3");
    let (status, error) = changed(|err| quaff_simplifier_target(Some(&mut settings), quaff_str::new("sm_20"), err));
    assert_eq!(refused(status, error), "no target is called `sm_20`");
    let (status, error) = changed(|err| quaff_simplifier_cost_model(Some(&mut settings), 3, err));
    assert_eq!(refused(status, error), "no cost model has the number 3");
    let (e, d) = (expr("i"), domain("i=0..3"));
    let exprs = [Some(&*e)];
    let (_, answer, _) = made(|out, err| quaff_simplify(None, quaff_expr_span::new(&exprs), Some(&d), out, err));
    let (status, _, error) = made(|out, err| quaff_answer_text(answer.as_deref(), 5, out, err));
    assert_eq!(refused(status, error), "no language has the number 5");
    let (_, text, _) = made(|out, err| quaff_answer_text(answer.as_deref(), 0, out, err));
    let mut text = text.expect("a text");
    let (status, error) =
        value(|out, err| quaff_text_function(Some(&mut text), quaff_str::new("if"), out, err), quaff_str::default());
    assert!(refused(status, error).contains("no function of this text can be called `if`"));
    let (status, error) = value(|out, err| quaff_expr_eval(Some(&e), names(), quaff_int_span::new(&[1]), out, err), 0);
    assert_eq!(refused(status, error), "0 names, but 1 values");
    let i = strs(["i"]);
    for (sizes, said) in [
        (&[2][..], "a set cannot have 2 of the names"),
        (&[-1], "a set cannot have -1 of the names"),
        (&[0], "`i` is in no set: the sizes add up to less"),
    ] {
        let (names, sizes) = (quaff_str_span::new(&i), quaff_int_span::new(sizes));
        let (status, _, error) = made(|out, err| quaff_ask_parts(None, Some(&e), names, sizes, Some(&d), out, err));
        assert_eq!(refused(status, error), said);
    }
}

#[test]
fn values_that_are_none_are_refused() {
    let failed = |text: &str, point: i64| {
        let (e, names, values) = (expr(text), strs(["i"]), [point]);
        let (names, values) = (quaff_str_span::new(&names), quaff_int_span::new(&values));
        let (status, error) = value(|out, err| quaff_expr_eval(Some(&e), names, values, out, err), 0);
        assert_eq!(status, quaff_status::Eval, "{error:?}");
    };
    failed("3//i", 0);
    failed("i*i", i64::MAX);
    failed("j", 0);
}

#[test]
fn contradictions_and_wide_values_are_refused() {
    let d = domain("i=5..3");
    let (status, error) = changed(|err| quaff_domain_check(Some(&d), err));
    assert_eq!((status, error.expect("an error").code.as_str()), (quaff_status::Domain, "quaff::domain::empty"));
    let (e, d) = (expr("i*k"), domain("i=0.., k=0.."));
    let exprs = [Some(&*e)];
    let (_, answer, _) = made(|out, err| quaff_simplify(None, quaff_expr_span::new(&exprs), Some(&d), out, err));
    let (status, _, error) = made(|out, err| quaff_answer_text(answer.as_deref(), 0, out, err));
    assert_eq!((status, error.expect("an error").code.as_str()), (quaff_status::Lower, "quaff::lower::width"));
}

#[test]
fn much_of_everything_is_answered_or_refused() {
    // a deep chain with so many shared parts that its text would fill the memory
    let mut nodes = vec![quaff_node { op: quaff_op::Var as u32, ..quaff_node::default() }];
    for at in 0..10_000 {
        nodes.push(quaff_node { op: quaff_op::Add as u32, operands: [at, at, 0], value: 0 });
    }
    let i = strs(["i"]);
    let (span, names) = (quaff_node_span::new(&nodes), quaff_str_span::new(&i));
    let (status, deep, error) = made(|out, err| quaff_expr_from_nodes(span, names, 10_000, out, err));
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    let (status, error) = value(|out, err| quaff_expr_text(deep.as_deref(), out, err), quaff_str::default());
    assert_eq!(status, quaff_status::Argument, "{error:?}");
    let nodes = quaff_expr_nodes(deep.as_deref());
    assert_eq!(quaff_nodes_all(nodes).nodes().map(<[_]>::len), Some(10_001));
    // more nested parentheses than any stack can hold
    let text = "(".repeat(1_000_000);
    let error = made(|out, err| quaff_expr_parse(quaff_str::new(&text), out, err)).2.expect("an error");
    assert_eq!(error.status, quaff_status::Parse);
    let text = format!("{}1", "1 + ".repeat(100_000));
    let long = expr(&text);
    assert_eq!(quaff_nodes_roots(quaff_expr_nodes(Some(&long))).ids().map(<[_]>::len), Some(1));
}
