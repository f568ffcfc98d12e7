//! Tests that questions about sizes, values of indices, ranges and iterators have the answers of the library.

use crate::support::*;
use quaff::Simplifier;
use quaff::domain::{Domain, Interval};
use quaff::expr::Expr;
use quaff_ask::{Answer, Detected, Divided, When};
use quaff_c::domain::{quaff_domain, quaff_domain_text};
use quaff_c::expr::quaff_expr_clone;
use quaff_c::handle::quaff_expr;
use quaff_c::image::*;
use quaff_c::iters::*;
use quaff_c::place::{quaff_decision, quaff_status};
use quaff_c::range::quaff_range;
use quaff_c::ranges::*;
use quaff_c::span::*;
use quaff_c::subspace::*;
use quaff_c::when::*;

fn parsed(text: &str) -> Expr {
    text.parse().expect("an expression")
}

fn known(text: &str) -> Domain {
    text.parse().expect("a domain")
}

fn of(e: Option<&quaff_expr>) -> Option<String> {
    e.map(|e| text_of(Some(e)))
}

fn range_of(range: Interval) -> quaff_range {
    quaff_range { lower: range.lo().unwrap_or(i64::MIN), upper: range.hi().unwrap_or(i64::MAX) }
}

fn decided(found: Option<bool>) -> quaff_decision {
    match found {
        None => quaff_decision::Unknown,
        Some(true) => quaff_decision::Yes,
        Some(false) => quaff_decision::No,
    }
}

/// Compares alternatives, and the texts of their tests in C.
fn is_same(own: &[When], over: &str, (status, found, error): (quaff_status, Option<Box<quaff_when>>, Option<Failed>)) {
    let expected = if own.is_empty() { quaff_status::NotProved } else { quaff_status::Ok };
    assert_eq!((status, quaff_when_count(found.as_deref())), (expected, own.len()), "{error:?}");
    assert!(quaff_when_test(found.as_deref(), own.len()).is_none());
    let Some(mut found) = found else { return };
    for (at, own) in own.iter().enumerate() {
        assert_eq!(text_of(quaff_when_test(Some(&found), at)), own.test().to_string());
        for (language, dialect) in [("c", quaff_dialects::Dialect::C), ("python", quaff_dialects::Dialect::Python)] {
            let (status, text, error) = called(
                |out: Option<&mut _>, err| quaff_when_code(Some(&mut found), at, quaff_str::new(language), out, err),
                quaff_str::default(),
            );
            assert_eq!(status, quaff_status::Ok, "{error:?}");
            assert_eq!(text.as_str(), Some(own.code(dialect, &known(over)).expect("a text").text.as_str()));
        }
    }
    let mut refused = |at: usize, language: &str| {
        let (status, _, error) = called(
            |out: Option<&mut _>, err| quaff_when_code(Some(&mut found), at, quaff_str::new(language), out, err),
            quaff_str::default(),
        );
        (status, error.expect("an error").message)
    };
    let none = format!("no alternative has the number {}", own.len());
    assert_eq!(refused(own.len(), "c"), (quaff_status::Argument, none));
    let (status, message) = refused(0, "cobol");
    assert!(status == quaff_status::Argument && message.starts_with("`cobol` is no dialect"), "{message}");
    assert_eq!(refused(0, "mlir").0, quaff_status::Lower);
}

#[test]
fn conditions_for_vectors() {
    let over = "row=0..99, t=0..127, ld=1..4096, n=1..4096";
    for (mask, width) in [(Some("t < n"), 4), (None, 8)] {
        let (index, size) = (parsed("row*ld + t"), ["ld", "n"]);
        let own_mask = mask.map(parsed);
        let own = quaff_ask::when_vector(
            &Simplifier::default(),
            &index,
            own_mask.as_ref(),
            ("t", width),
            &size,
            &known(over),
        );
        let (e, mask, d, names) = (expr("row*ld + t"), mask.map(expr), domain(over), strs(size));
        let found = made(|out, err| {
            let (t, names) = (quaff_str::new("t"), quaff_str_span::new(&names));
            quaff_ask_when_vector(None, Some(&e), mask.as_deref(), t, width, names, Some(&d), out, err)
        });
        is_same(&own.expect("an answer"), over, found);
    }
    let (e, d) = (expr("t"), domain(over));
    let (status, _, error) = made(|out, err| {
        let t = quaff_str::new("t");
        quaff_ask_when_vector(None, Some(&e), None, t, 3, quaff_str_span::new(&[]), Some(&d), out, err)
    });
    assert_eq!(status, quaff_status::Ask, "{error:?}");
}

#[test]
fn conditions_for_accesses_that_do_not_meet() {
    for (b, over) in [("t + d", "t=0..31, d=0..99"), ("t*2 + d*0", "t=0..31, d=0..99")] {
        let own =
            quaff_ask::when_disjoint(&Simplifier::default(), &parsed("t"), &parsed(b), &["t"], &["d"], &known(over));
        let (first, second, d, inputs, sizes) = (expr("t"), expr(b), domain(over), strs(["t"]), strs(["d"]));
        let found = made(|out, err| {
            let (inputs, sizes) = (quaff_str_span::new(&inputs), quaff_str_span::new(&sizes));
            quaff_ask_when_disjoint(None, Some(&first), Some(&second), inputs, sizes, Some(&d), out, err)
        });
        is_same(&own.expect("an answer"), over, found);
    }
}

#[test]
fn images_of_indices() {
    for (index, over) in [
        ("i*20 + j*2 + 7", "i=0..99999, j=0..9"),
        ("i*20 + j", "i=0..99999, j=0..9"),
        ("i*j*4", "i=0..9999, j=0..9999"),
        ("i", "i=0.."),
    ] {
        let own = quaff_ask::image(&Simplifier::default(), &parsed(index), &known(over)).expect("an answer");
        let (e, d) = (expr(index), domain(over));
        let (status, found, error) =
            called(|out, err| quaff_ask_image(None, Some(&e), Some(&d), out, err), quaff_image::default());
        let (dense, hole) = match own.is_dense {
            Answer::Yes => (quaff_decision::Yes, 0),
            Answer::No(hole) => (quaff_decision::No, hole),
            Answer::NotProved => (quaff_decision::Unknown, 0),
        };
        let (range, count) = (range_of(own.range), own.count.unwrap_or(0));
        let wanted = quaff_image { range, has_ends: own.has_ends, stride: own.stride, dense, hole, count };
        assert_eq!((status, found), (quaff_status::Ok, wanted), "{error:?}");
    }
}

#[test]
fn ranges_of_variables() {
    for over in ["s=-99..99, t=0..9, assume s//-3 >= -11, assume s//-3 <= -5, assume (s + t)%4 == 1", "s=0.., t=0..9"] {
        let own = quaff_ask::ranges(&Simplifier::default(), &["t", "s"], &known(over)).expect("an answer");
        let (d, names) = (domain(over), strs(["t", "s"]));
        let (status, found, error) =
            made(|out, err| quaff_ask_ranges(None, quaff_str_span::new(&names), Some(&d), out, err));
        assert_eq!(status, quaff_status::Ok, "{error:?}");
        assert_eq!(quaff_ranges_count(found.as_deref()), 2);
        for (at, own) in own.iter().enumerate() {
            let one = quaff_ranges_variable(found.as_deref(), at);
            assert_eq!((one.name.as_str(), one.range), (Some(&*own.name), range_of(own.range)));
            let congruence = (one.congruence.residue, one.congruence.modulus);
            assert_eq!(congruence, (own.congruence.residue(), own.congruence.modulus()));
            assert_eq!(one.has_ends, own.has_ends);
        }
        assert_eq!(quaff_ranges_variable(found.as_deref(), 2).name.as_str(), Some(""));
    }
    let (d, names) = (domain("s=0..9, assume s > 20"), strs(["s"]));
    let (status, _, error) = made(|out, err| quaff_ask_ranges(None, quaff_str_span::new(&names), Some(&d), out, err));
    assert_eq!(status, quaff_status::Domain, "{error:?}");
}

#[test]
fn rescaled_variables() {
    let over = "s=0..99, t=0..3, u=5..5, assume s%6 == 3, assume s + t < 80";
    let (index, names) = (parsed("s//3*4 + t + u"), ["s", "t", "u"]);
    let own =
        quaff_ask::rescale(&Simplifier::default(), &[index.clone(), index], &names, &known(over)).expect("an answer");
    let (e, d, names) = (expr("s//3*4 + t + u"), domain(over), strs(names));
    let exprs = [Some(&*e), Some(&*e)];
    let (status, found, error) = made(|out, err| {
        quaff_ask_rescale(None, quaff_expr_span::new(&exprs), quaff_str_span::new(&names), Some(&d), out, err)
    });
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    let found = found.as_deref();
    let exprs: Vec<_> = (0..3).map(|at| of(quaff_rescaled_expr(found, at))).collect();
    let wanted = own.exprs[0].to_string();
    assert_eq!((quaff_rescaled_count(found), exprs), (2, vec![Some(wanted.clone()), Some(wanted), None]));
    let text = |domain: Option<&quaff_domain>| quaff_domain_text(domain).as_str().map(str::to_owned);
    assert_eq!(text(quaff_rescaled_domain(found)), Some(own.domain.to_string()));
    assert_eq!((quaff_rescaled_counted_count(found), own.counted.len()), (2, 2));
    for (at, own) in own.counted.iter().enumerate() {
        let one = quaff_rescaled_counted(found, at);
        assert_eq!(
            (one.name.as_str(), one.counter.as_str()),
            (Some(&*own.name), Some(own.counter.as_deref().unwrap_or("")))
        );
        assert_eq!((of(one.value), of(one.count)), (Some(own.value.to_string()), Some(own.count.to_string())));
    }
    assert!(quaff_rescaled_counted(found, 2).value.is_none());
}

#[test]
fn maps_as_sums_of_iterators() {
    for (outputs, over) in [
        (["(i*8 + j)//4 + 3", "(i*8 + j)%4"], "i=0..15, j=0..7"),
        (["(i + 7)//32", "j"], "i=0..44, j=0..7"),
        (["i", "i*j + j"], "i=0..44, j=0..7"),
    ] {
        let own = quaff_ask::detect(&Simplifier::default(), &outputs.map(parsed), &["i", "j"], &known(over));
        let (first, second, d, inputs) = (expr(outputs[0]), expr(outputs[1]), domain(over), strs(["i", "j"]));
        let handles = [Some(&*first), Some(&*second)];
        let (status, found, error) = made(|out, err| {
            quaff_ask_iters(None, quaff_expr_span::new(&handles), quaff_str_span::new(&inputs), Some(&d), out, err)
        });
        let found = found.as_deref();
        match own.expect("an answer") {
            Detected::Not { output, part } => {
                assert_eq!((status, quaff_iters_count(found)), (quaff_status::NotProved, 0), "{error:?}");
                let at_fault = (quaff_iters_no_iterator_output(found), of(quaff_iters_no_iterator(found)));
                assert_eq!(at_fault, (output, Some(part.to_string())));
            }
            Detected::Map(own) => {
                assert_eq!((status, quaff_iters_count(found)), (quaff_status::Ok, own.outputs.len()), "{error:?}");
                assert_eq!(quaff_iters_bijective(found), decided(own.is_bijective));
                assert!(quaff_iters_no_iterator(found).is_none() && quaff_iters_base(found, 2).is_none());
                for (output, own) in own.outputs.iter().enumerate() {
                    assert_eq!(text_of(quaff_iters_base(found, output)), own.base.to_string());
                    assert_eq!(quaff_iters_iterator_count(found, output), own.iterators.len());
                    for (at, own) in own.iterators.iter().enumerate() {
                        let one = quaff_iters_iterator(found, output, at);
                        let parts = [one.digit, one.source, one.lower, one.extent, one.scale].map(of);
                        let wanted = [&own.digit(), &own.source, &own.lower, &own.extent, &own.scale];
                        assert_eq!(parts, wanted.map(|e| Some(e.to_string())));
                        assert_eq!(of(one.modulus), own.modulus.as_ref().map(ToString::to_string));
                    }
                    assert!(quaff_iters_iterator(found, output, own.iterators.len()).digit.is_none());
                }
                assert_eq!(quaff_iters_padding_count(found), own.padding.len());
                for (at, own) in own.padding.iter().enumerate() {
                    let one = quaff_iters_padding(found, at);
                    let wanted = [&own.source, &own.lower, &own.left, &own.right];
                    assert_eq!(
                        [one.source, one.lower, one.left, one.right].map(of),
                        wanted.map(|e| Some(e.to_string()))
                    );
                }
            }
        }
    }
}

#[test]
fn iterators_that_are_fused_and_split() {
    let axes = |found: Option<Box<quaff_axes>>| {
        let found = found.as_deref();
        let axis = |at| {
            let one = quaff_axes_axis(found, at);
            [one.iterator, one.extent].map(of)
        };
        assert_eq!(axis(quaff_axes_count(found)), [None, None]);
        (0..quaff_axes_count(found)).map(axis).collect::<Vec<_>>()
    };
    let texts =
        |pairs: &[(Expr, Expr)]| pairs.iter().map(|(a, b)| [a, b].map(|e| Some(e.to_string()))).collect::<Vec<_>>();
    let (i, j, m, n) = (expr("i"), expr("j"), expr("4"), expr("n"));
    let (iterators, extents) = ([Some(&*i), Some(&*j)], [Some(&*m), Some(&*n)]);
    let (iterators, extents) = (quaff_expr_span::new(&iterators), quaff_expr_span::new(&extents));
    let (status, found, error) = made(|out, err| quaff_fuse(iterators, extents, out, err));
    let own = quaff_ask::fuse(&[(parsed("i"), parsed("4")), (parsed("j"), parsed("n"))]);
    assert_eq!((status, axes(found)), (quaff_status::Ok, texts(&[own])), "{error:?}");
    let (status, found, error) = made(|out, err| quaff_split(Some(&i), Some(&n), Some(&m), out, err));
    let own = quaff_ask::split(&parsed("i"), &parsed("n"), &parsed("4"));
    assert_eq!((status, axes(found)), (quaff_status::Ok, texts(&own)), "{error:?}");
    let none = quaff_expr_span::new(&[]);
    let (status, _, error) = made(|out, err| quaff_fuse(iterators, none, out, err));
    assert_eq!((status, error.unwrap().message.as_str()), (quaff_status::Argument, "2 iterators, but 0 extents"));
    let zero = expr("0");
    let (status, _, error) = made(|out, err| quaff_split(Some(&i), Some(&n), Some(&zero), out, err));
    assert_eq!((status, error.unwrap().message.as_str()), (quaff_status::Argument, "an iterator cannot be split by 0"));
}

#[test]
fn maps_that_are_divided() {
    for (output, inner, over) in [
        ("z*12 + y*3 + x + c", "x", "z=0..4, y=0..3, x=0..2, c=0..99, assume z < 4, assume x < 2"),
        ("z*12 + y*3 + x", "y", "z=0..4, y=0..3, x=0..2"),
    ] {
        let inputs = ["x", "y", "z"];
        let own =
            quaff_ask::subspace_divide(&Simplifier::default(), &[parsed(output)], &inputs, &[inner], &known(over));
        let (e, d, inputs, inner) = (expr(output), domain(over), strs(inputs), strs([inner]));
        let outputs = [Some(&*e)];
        let (status, found, error) = made(|out, err| {
            let (inputs, inner) = (quaff_str_span::new(&inputs), quaff_str_span::new(&inner));
            quaff_ask_subspace(None, quaff_expr_span::new(&outputs), inputs, inner, Some(&d), out, err)
        });
        let found = found.as_deref();
        match own.expect("an answer") {
            Divided::Not { part } => {
                assert_eq!(
                    (status, of(quaff_subspace_mixed(found))),
                    (quaff_status::NotProved, Some(part.to_string()))
                );
                assert_eq!(quaff_subspace_count(found), 0);
            }
            Divided::Map(own) => {
                assert_eq!((status, quaff_subspace_count(found)), (quaff_status::Ok, own.outputs.len()), "{error:?}");
                assert!(quaff_subspace_mixed(found).is_none() && quaff_subspace_division(found, 1).outer.is_none());
                for (at, own) in own.outputs.iter().enumerate() {
                    let one = quaff_subspace_division(found, at);
                    let parts = [one.outer, one.outer_extent, one.stride, one.inner, one.inner_extent].map(of);
                    let wanted = [&own.outer, &own.outer_extent, &own.stride, &own.inner, &own.inner_extent];
                    assert_eq!(parts, wanted.map(|e| Some(e.to_string())));
                }
                let outer: Vec<_> = (0..2).map(|at| of(quaff_subspace_outer_condition(found, at))).collect();
                let inner: Vec<_> = (0..2).map(|at| of(quaff_subspace_inner_condition(found, at))).collect();
                assert_eq!(outer, [Some(own.outer_conditions[0].to_string()), None]);
                assert_eq!(inner, [Some(own.inner_conditions[0].to_string()), None]);
                let counts = [quaff_subspace_outer_condition_count(found), quaff_subspace_inner_condition_count(found)];
                assert_eq!(counts, [own.outer_conditions.len(), own.inner_conditions.len()]);
            }
        }
    }
}

#[test]
fn what_is_borrowed_lives_on_as_a_copy() {
    let (d, s, e) = (domain("s=0..9 step 3"), strs(["s"]), expr("s"));
    let exprs = [Some(&*e)];
    let (_, found, _) = made(|out, err| {
        quaff_ask_rescale(None, quaff_expr_span::new(&exprs), quaff_str_span::new(&s), Some(&d), out, err)
    });
    let kept = quaff_expr_clone(quaff_rescaled_counted(found.as_deref(), 0).value);
    quaff_rescaled_free(found);
    assert_eq!(of(kept.as_deref()), Some("s_k*3".into()));
}
