//! Tests that each question has the answer of the library.

use crate::support::*;
use quaff::domain::{Domain, Interval};
use quaff::expr::{Expr, int};
use quaff::{Facts, Simplifier};
use quaff_ask::{Answer, AskError, Strides, Values};
use quaff_c::facts::*;
use quaff_c::handle::quaff_expr;
use quaff_c::lanes::*;
use quaff_c::maps::*;
use quaff_c::parts::*;
use quaff_c::place::quaff_status;
use quaff_c::range::quaff_range;
use quaff_c::span::*;
use quaff_c::strides::*;
use quaff_c::when::*;

fn parsed(text: &str) -> Expr {
    text.parse().expect("an expression")
}

fn own_facts(over: &str) -> Facts {
    Simplifier::default().facts(&over.parse::<Domain>().expect("a domain"))
}

fn facts(over: &str) -> Box<quaff_facts> {
    let (status, facts, error) = made(|out, err| quaff_facts_new(None, Some(&domain(over)), out, err));
    assert_eq!(status, quaff_status::Ok, "{error:?}");
    facts.expect("facts")
}

fn status_of(found: Option<bool>) -> (quaff_status, bool) {
    found.map_or((quaff_status::NotProved, false), |holds| (quaff_status::Ok, holds))
}

#[test]
fn ranges_and_congruences() {
    for (text, over) in [
        ("(m + n)*32 - m*n", "m=1..64, n=1..64"),
        ("r*ld + 20", "r=0..99, ld=8..8192 step 8"),
        ("x", "x=.."),
        ("x//4*4 + 3", "x=0.."),
        ("7 + 0*x", "x=0..9"),
    ] {
        let (e, own, mut held) = (expr(text), parsed(text), facts(over));
        let (status, range, _) =
            called(|out, err| quaff_facts_bounds(Some(&mut held), Some(&e), out, err), quaff_range::default());
        let bounds = own_facts(over).bounds(&own).unwrap();
        let ends = (bounds.lo().unwrap_or(i64::MIN), bounds.hi().unwrap_or(i64::MAX));
        assert_eq!((status, (range.lower, range.upper)), (quaff_status::Ok, ends), "{text}");
        let (status, found, _) =
            called(|out, err| quaff_facts_congruence(Some(&mut held), Some(&e), out, err), quaff_congruence::default());
        let own = own_facts(over).congruence(&own).unwrap();
        assert_eq!((status, found.residue, found.modulus), (quaff_status::Ok, own.residue(), own.modulus()), "{text}");
    }
}

#[test]
fn conditions_and_equalities() {
    let over = "m=1..64, n=1..64, pid=0..m*n-1, h=1..64, d=1..64, x=0..99999";
    let mut held = facts(over);
    let mut statuses = vec![];
    for text in ["pid//n < m", "pid//n >= m", "pid < 3"] {
        let e = expr(text);
        let (status, holds, _) = called(|out, err| quaff_facts_prove(Some(&mut held), Some(&e), out, err), true);
        assert_eq!((status, holds), status_of(own_facts(over).prove(&parsed(text)).unwrap()), "{text}");
        statuses.push((status, holds));
    }
    use quaff_status::{NotProved, Ok};
    assert_eq!(statuses, [(Ok, true), (Ok, false), (NotProved, false)]);
    for (a, b) in [("x%(h*d)//d", "x//d%h"), ("x", "x + 1"), ("x", "m")] {
        let both = (expr(a), expr(b));
        let (status, holds, _) =
            called(|out, err| quaff_facts_equal(Some(&mut held), Some(&both.0), Some(&both.1), out, err), true);
        assert_eq!((status, holds), status_of(own_facts(over).equal(&parsed(a), &parsed(b)).unwrap()), "{a}, {b}");
    }
    let unknown = expr("y < 3");
    let (status, _, error) = called(|out, err| quaff_facts_prove(Some(&mut held), Some(&unknown), out, err), true);
    assert_eq!((status, error.expect("an error").place.end), (quaff_status::Simplify, 1));
}

#[test]
fn conditions_that_hold_for_a_while() {
    let mut held = facts("n=1..4096, x=0..9999");
    let condition = expr("x < n");
    let is_proved = |held: &mut quaff_facts, asked: &str| {
        let asked = expr(asked);
        let (status, holds, _) = called(|out, err| quaff_facts_prove(Some(held), Some(&asked), out, err), false);
        (status, holds) == (quaff_status::Ok, true)
    };
    assert!(!is_proved(&mut held, "x//n == 0"));
    assert_eq!(changed(|err| quaff_facts_push(Some(&mut held), err)).0, quaff_status::Ok);
    assert_eq!(changed(|err| quaff_facts_assume(Some(&mut held), Some(&condition), err)).0, quaff_status::Ok);
    assert_eq!(changed(|err| quaff_facts_add(Some(&mut held), Some(&domain("i=0..n - 1")), err)).0, quaff_status::Ok);
    assert!(is_proved(&mut held, "x//n == 0") && is_proved(&mut held, "i//n == 0"));
    assert_eq!(changed(|err| quaff_facts_pop(Some(&mut held), err)).0, quaff_status::Ok);
    assert!(!is_proved(&mut held, "x//n == 0"));
    let (status, error) = changed(|err| quaff_facts_pop(Some(&mut held), err));
    assert_eq!((status, error.is_some()), (quaff_status::Argument, true));
}

#[test]
fn lanes_and_vectors() {
    for (index, mask, over, most) in [
        ("pid*128 + t", Some("pid*128 + t < n"), "t=0..127, pid=0..65535, n=16..1048576 step 16", 16),
        ("pid*128 + t", Some("pid*128 + t < n"), "t=0..127, pid=0..65535, n=1..1048576", 8),
        ("(pid*128 + t)%m", None, "t=0..127, pid=0..99, m=128..8192 step 128", 4),
        ("t*2", None, "t=0..31", 16),
    ] {
        let own: Vec<Expr> = std::iter::once(index).chain(mask).map(parsed).collect();
        let own = quaff_ask::lanes(&Simplifier::default(), &own, "t", &over.parse().unwrap()).unwrap();
        let (index, mask, d) = (expr(index), mask.map(expr), domain(over));
        let (status, found, error) = called(
            |out, err| {
                let t = quaff_str::new("t");
                quaff_ask_lanes(None, Some(&index), mask.as_deref(), t, most, Some(&d), out, err)
            },
            quaff_lanes::default(),
        );
        let expected = quaff_lanes {
            count: own[0].count,
            contiguity: own[0].contiguity,
            constancy: own[0].constancy,
            divisibility: own[0].divisibility(),
            mask_constancy: own.get(1).map_or(0, |mask| mask.constancy),
            vector: quaff_ask::widest_vector(&own[0], own.get(1), most),
        };
        assert_eq!((status, found), (quaff_status::Ok, expected), "{error:?}");
    }
    let (e, d) = (expr("t"), domain("t=1..9"));
    let (status, _, error) = called(
        |out, err| quaff_ask_lanes(None, Some(&e), None, quaff_str::new("t"), 16, Some(&d), out, err),
        quaff_lanes::default(),
    );
    assert_eq!(status, quaff_status::Ask, "{error:?}");
}

fn texts<'a>(count: usize, at: impl Fn(usize) -> Option<&'a quaff_expr>) -> Vec<String> {
    assert!(at(count).is_none());
    (0..count).map(|n| text_of(at(n))).collect()
}

fn printed(exprs: &[Expr]) -> Vec<String> {
    exprs.iter().map(ToString::to_string).collect()
}

#[test]
fn parts_of_a_sum() {
    for (index, over) in [
        ("(wg*32 + t//8)*K + t%8*8 + 4100", "wg=0..1023, t=0..255, k=0..3, K=8..8192"),
        ("(wg*3 + t)//16 + t*2 + k", "wg=0..1023, k=0..3, t=0..255"),
    ] {
        let (e, d, names) = (expr(index), domain(over), strs(["wg", "k", "t"]));
        let own =
            quaff_ask::parts(&Simplifier::default(), &parsed(index), &[&["wg", "k"], &["t"]], &over.parse().unwrap());
        let own = own.unwrap();
        let (status, found, error) = made(|out, err| {
            let (names, sizes) = (quaff_str_span::new(&names), quaff_int_span::new(&[2, 1]));
            quaff_ask_parts(None, Some(&e), names, sizes, Some(&d), out, err)
        });
        assert_eq!(status, quaff_status::Ok, "{error:?}");
        let found = found.as_deref();
        assert_eq!(texts(quaff_parts_count(found), |at| quaff_parts_part(found, at)), printed(&own.parts));
        assert_eq!(text_of(quaff_parts_shared(found)), own.shared.to_string());
        assert_eq!(texts(quaff_parts_mixed_count(found), |at| quaff_parts_mixed(found, at)), printed(&own.mixed));
    }
    let (e, d, twice) = (expr("t"), domain("t=0..9"), strs(["t", "t"]));
    let (status, _, error) = made(|out, err| {
        let (names, sizes) = (quaff_str_span::new(&twice), quaff_int_span::new(&[1, 1]));
        quaff_ask_parts(None, Some(&e), names, sizes, Some(&d), out, err)
    });
    assert_eq!((status, error.unwrap().message.as_str()), (quaff_status::Ask, "`t` is given twice"));
}

#[test]
fn bases_and_immediates() {
    let split = |text: &str, lower, upper| {
        let e = expr(text);
        let mut immediate = std::mem::MaybeUninit::new(-1);
        let (status, base, _) =
            made(|out, err| quaff_ask_base_and_immediate(Some(&e), lower, upper, out, Some(&mut immediate), err));
        (status, base.map(|base| text_of(Some(&base))))
    };
    let range = Interval::new(0, 4095).unwrap();
    let (own, _) = quaff_ask::base_and_immediate(&parsed("t*16 + 4100"), range).unwrap();
    assert_eq!(split("t*16 + 4100", 0, 4095), (quaff_status::Ok, Some(own.to_string())));
    assert_eq!(split("t*16 + 4100", 0, i64::MAX), (quaff_status::NotProved, None));
    assert_eq!(split("t*16 + 4100", 3, 2), (quaff_status::Argument, None));
}

#[test]
fn strides_of_axes() {
    for (index, axes, over) in [
        ("i//8*64 + i%8*2", &["i"][..], "i=0..63"),
        ("(pid*128 + t)%M*K + k", &["t", "k"], "pid=0..99, t=0..127, k=0..63, M=1..8192, K=64..4096"),
        ("i//8*64 + i%8*2 + p", &["i"], "i=0..27, p=0..9"),
        ("i//8*64 + i%8*2", &["i"], "i=0.."),
        ("(t + pid)//8 + t*2", &["t"], "pid=0..99, t=0..127"),
    ] {
        let own = quaff_ask::strides(&Simplifier::default(), &parsed(index), axes, &over.parse().unwrap()).unwrap();
        let (e, d) = (expr(index), domain(over));
        let names: Vec<_> = axes.iter().map(|axis| quaff_str::new(axis)).collect();
        let (status, found, error) =
            made(|out, err| quaff_ask_strides(None, Some(&e), quaff_str_span::new(&names), Some(&d), out, err));
        let found = found.as_deref();
        match own {
            Strides::Not(term) => {
                assert_eq!(status, quaff_status::NotProved, "{error:?}");
                assert_eq!(text_of(quaff_strides_not_strided(found)), term.to_string());
                assert!(quaff_strides_offset(found).is_none() && quaff_strides_count(found) == 0);
            }
            Strides::Strided(own) => {
                assert_eq!(status, quaff_status::Ok, "{error:?}");
                assert!(quaff_strides_not_strided(found).is_none());
                assert_eq!(text_of(quaff_strides_offset(found)), own.offset.to_string());
                assert_eq!(quaff_strides_count(found), own.dimensions.len());
                for (at, own) in own.dimensions.iter().enumerate() {
                    let d = quaff_strides_dimension(found, at);
                    assert_eq!(d.axis.as_str(), Some(&*own.axis));
                    assert_eq!((d.below, d.partial), (own.below, own.partial));
                    let of = |e: Option<&quaff_expr>| e.map(|e| text_of(Some(e)));
                    assert_eq!(of(d.stride), Some(own.stride.to_string()));
                    assert_eq!(of(d.extent), own.extent.as_ref().map(ToString::to_string));
                    assert_eq!(of(d.wrap_origin), own.wrap.as_ref().map(|wrap| wrap.origin.to_string()));
                    assert_eq!(of(d.wrap_extent), own.wrap.as_ref().map(|wrap| wrap.extent.to_string()));
                }
            }
        }
    }
}

type Points = Vec<Vec<(String, i64)>>;
type Witness = (quaff_status, Option<Box<quaff_witness>>, Option<Failed>);

/// The status, and the points of a witness.
fn witnessed((status, witness, _): Witness) -> (quaff_status, Option<Points>) {
    let points = witness.map(|witness| {
        let witness = Some(&*witness);
        let value = |point, at| {
            let name = quaff_witness_name(witness, point, at).as_str().expect("UTF-8").to_string();
            (name, quaff_witness_value(witness, point, at))
        };
        let point = |point| (0..quaff_witness_size(witness, point)).map(|at| value(point, at)).collect();
        (0..quaff_witness_count(witness)).map(point).collect()
    });
    (status, points)
}

fn expected<W>(own: Result<Answer<W>, AskError>, points: impl Fn(W) -> Points) -> (quaff_status, Option<Points>) {
    match own.expect("an answer") {
        Answer::Yes => (quaff_status::Ok, None),
        Answer::No(witness) => (quaff_status::Ok, Some(points(witness))),
        Answer::NotProved => (quaff_status::NotProved, None),
    }
}

fn two(points: [Values; 2]) -> Points {
    points.map(|point| point.into_iter().map(|(name, value)| (name.to_string(), value)).collect()).into()
}

#[test]
fn maps_that_are_injective() {
    let mut found = vec![];
    for (text, over) in [
        ("x*n + y", "n=1..4096, x=0..99, y=0..n-1"),
        ("x*3 + y*2", "n=1..2, x=0..9, y=0..9"),
        ("x*x + y*n", "n=1..4096, x=0..9999, y=0..9999"),
    ] {
        let (e, d, inputs) = (expr(text), domain(over), strs(["x", "y"]));
        let outputs = [Some(&*e)];
        let (outputs, inputs) = (quaff_expr_span::new(&outputs), quaff_str_span::new(&inputs));
        let answer = witnessed(made(|out, err| quaff_ask_injective(None, outputs, inputs, Some(&d), out, err)));
        let domain = over.parse().unwrap();
        let own = quaff_ask::injective(&Simplifier::default(), &[parsed(text)], &["x", "y"], &domain);
        assert_eq!(answer, expected(own, two), "{text}");
        found.push((answer.0, answer.1.is_some()));
    }
    use quaff_status::{NotProved, Ok};
    assert_eq!(found, [(Ok, false), (Ok, true), (NotProved, false)]);
}

#[test]
fn maps_that_are_surjective() {
    for (text, end) in [("x*4 + y", 32), ("x*8 + y", 32), ("x*4 + y", 33)] {
        let (e, extent, d, inputs) = (expr(text), expr(&end.to_string()), domain("x=0..7, y=0..3"), strs(["x", "y"]));
        let (outputs, extents) = ([Some(&*e)], [Some(&*extent)]);
        let (outputs, extents) = (quaff_expr_span::new(&outputs), quaff_expr_span::new(&extents));
        let inputs = quaff_str_span::new(&inputs);
        let answer =
            witnessed(made(|out, err| quaff_ask_surjective(None, outputs, extents, inputs, Some(&d), out, err)));
        let domain = "x=0..7, y=0..3".parse().unwrap();
        let own = quaff_ask::surjective(&Simplifier::default(), &[parsed(text)], &[int(end)], &["x", "y"], &domain);
        let place = |place: Vec<i64>| vec![place.into_iter().map(|value| (String::new(), value)).collect()];
        assert_eq!(answer, expected(own, place), "{text}");
    }
}

#[test]
fn accesses_that_meet() {
    for (a, b) in [("t*2", "t*2 + 1"), ("t", "t*t + 5"), ("t*n", "t*n + 1")] {
        let over = "t=0..31, n=1..64";
        let (first, second, d, inputs) = (expr(a), expr(b), domain(over), strs(["t"]));
        let inputs = quaff_str_span::new(&inputs);
        let answer = witnessed(made(|out, err| {
            quaff_ask_disjoint(None, Some(&first), Some(&second), inputs, Some(&d), out, err)
        }));
        let own = quaff_ask::disjoint(&Simplifier::default(), &parsed(a), &parsed(b), &["t"], &over.parse().unwrap());
        assert_eq!(answer, expected(own, two), "{a}, {b}");
    }
}

#[test]
fn maps_that_have_an_inverse() {
    for (outputs, over) in [(["i//8", "i%8"], "i=0..27"), (["i//8", "i%8"], "i=0..31"), (["i*i", "i%8"], "i=0..31")] {
        let (first, second, d) = (expr(outputs[0]), expr(outputs[1]), domain(over));
        let (four, eight) = (expr("4"), expr("8"));
        let (handles, extents) = ([Some(&*first), Some(&*second)], [Some(&*four), Some(&*eight)]);
        let (names, inputs) = (strs(["tile", "lane"]), strs(["i"]));
        let (status, found, error) = made(|out, err| {
            let (handles, extents) = (quaff_expr_span::new(&handles), quaff_expr_span::new(&extents));
            let (names, inputs) = (quaff_str_span::new(&names), quaff_str_span::new(&inputs));
            quaff_ask_inverse(None, handles, names, extents, inputs, Some(&d), out, err)
        });
        let places = [("tile", int(4)), ("lane", int(8))];
        let own =
            quaff_ask::inverse(&Simplifier::default(), &outputs.map(parsed), &places, &["i"], &over.parse().unwrap());
        let found = found.as_deref();
        match own.unwrap() {
            None => assert_eq!((status, found.is_some()), (quaff_status::NotProved, false), "{error:?}"),
            Some(own) => {
                assert_eq!(status, quaff_status::Ok, "{error:?}");
                let inputs = texts(quaff_inverse_count(found), |at| quaff_inverse_input(found, at));
                assert_eq!(inputs, printed(&own.inputs));
                let inside = quaff_inverse_inside(found).map(|e| text_of(Some(e)));
                assert_eq!(inside, own.inside.map(|e| e.to_string()));
            }
        }
    }
}

#[test]
fn conditions_on_sizes() {
    for (condition, sizes, over) in [
        ("i*32 + l < n", &["n"][..], "n=1..64, i=0..(n + 31)//32 - 1, l=0..31"),
        ("(row*ld + s*k)%8 == 0", &["ld", "s"], "row=0..9, k=0..9, ld=1..16, s=1..16"),
        ("row*ld + t < 2147483648", &["ld"], "row=0..99999, t=0..31, ld=1..999999"),
        ("n >= 1", &["n"], "n=1..9"),
        ("x < 0", &["n"], "n=1..9, x=0..5"),
    ] {
        let own = quaff_ask::when(&Simplifier::default(), &parsed(condition), sizes, &over.parse().unwrap()).unwrap();
        let (e, d) = (expr(condition), domain(over));
        let names: Vec<_> = sizes.iter().map(|size| quaff_str::new(size)).collect();
        let (status, found, error) =
            made(|out, err| quaff_ask_when(None, Some(&e), quaff_str_span::new(&names), Some(&d), out, err));
        let found = found.as_deref();
        let expected = if own.is_empty() { quaff_status::NotProved } else { quaff_status::Ok };
        assert_eq!((status, quaff_when_count(found)), (expected, own.len()), "{error:?}");
        for (at, own) in own.iter().enumerate() {
            let count = quaff_when_condition_count(found, at);
            assert_eq!(texts(count, |n| quaff_when_condition(found, at, n)), printed(&own.conditions));
            let necessity = match own.necessary {
                None => quaff_necessity::Unknown,
                Some(true) => quaff_necessity::Necessary,
                Some(false) => quaff_necessity::Sufficient,
            };
            assert_eq!(quaff_when_necessity(found, at), necessity);
        }
    }
}
