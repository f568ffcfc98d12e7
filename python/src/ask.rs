//! `quaff.ask`: questions about indices whose answers are proved.

use crate::arguments::{Asked, Given};
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::{PySimplifier, unlocked};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff_ask::{Answer, AskError, Detected, Dimension, Divided, Image, IterTerm, Strides, Values};

/// The exception for a failed question.
fn failed(error: &AskError, asked: &[Asked]) -> PyErr {
    match error {
        AskError::Simplify(error) => errors::simplify(error, &Asked::sources(asked)),
        AskError::Domain(error) => errors::other(errors::domain_class(error), error),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// Asks one question, with the interpreter's lock released.
pub(crate) fn ask<T: Send>(
    py: Python<'_>,
    asked: &[Asked],
    domain: &Given,
    simplifier: Option<Py<PySimplifier>>,
    question: impl Fn(&Simplifier, &[Expr], &Domain) -> Result<T, AskError> + Send + Sync,
) -> PyResult<T> {
    let domain = domain.domain();
    let exprs: Vec<Expr> = asked.iter().map(|a| a.expr.clone()).collect();
    let found = unlocked(py, simplifier.as_ref(), |s| question(s, &exprs, domain));
    found.map_err(|e| failed(&e, asked))
}

pub(crate) fn names(all: &[String]) -> Vec<&str> {
    all.iter().map(String::as_str).collect()
}

/// Contiguity, constancy and divisibility of an index along the variable `lane`, whose range begins at 0, and the
/// widest vector.
///
/// In each group of `contiguity` lanes, the index grows by 1 from lane to lane. In each group of `constancy` lanes, the
/// index is the same. `divisibility` divides the first value of each contiguous group. `mask` is the condition of the
/// access, and `mask_constancy` is the constancy of the mask. `vector` is the largest number of lanes, a power of two
/// up to `most`, that one access covers.
///
/// Raises:
///     ValueError: the lane has no range that begins at 0 and has an end.
///
/// >>> found = quaff.ask.lanes("pid*128 + t", "t", "pid=0..9, t=0..127", mask="pid*128 + t < 1024")
/// >>> found["contiguity"], found["vector"], found["mask_constancy"]
/// (128, 16, 128)
#[pyfunction]
#[pyo3(signature = (index, lane, domain, mask = None, *, most = 16, simplifier = None))]
pub(crate) fn lanes<'py>(
    py: Python<'py>,
    index: Asked,
    lane: &str,
    domain: Given,
    mask: Option<Asked>,
    most: i64,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Bound<'py, PyDict>> {
    let asked: Vec<Asked> = std::iter::once(index).chain(mask).collect();
    let found = ask(py, &asked, &domain, simplifier, |s, e, d| quaff_ask::lanes(s, e, lane, d))?;
    let answer = PyDict::new(py);
    if let Some((own, mask)) = found.split_first() {
        answer.set_item("lanes", own.count)?;
        answer.set_item("contiguity", own.contiguity)?;
        answer.set_item("constancy", own.constancy)?;
        answer.set_item("divisibility", own.divisibility())?;
        answer.set_item("mask_constancy", mask.first().map(|mask| mask.constancy))?;
        answer.set_item("vector", quaff_ask::widest_vector(own, mask.first(), most))?;
    }
    Ok(answer)
}

/// An index as a sum of parts, one for each set of variables: `{"parts": [...], "shared": ..., "mixed": [...]}`.
///
/// A part contains the variables of its set, and may contain variables that are in no set. `shared` contains only
/// variables that are in no set. `mixed` is a list of the terms for which no split was proved.
///
/// Raises:
///     ValueError: a variable is in two sets.
///
/// >>> found = quaff.ask.parts("(i*8 + j)//4 + n", [["i"], ["j"]], "i=0..9, j=0..7, n=0..99")
/// >>> found["parts"], found["shared"], found["mixed"]
/// ([quaff.Expr('i*2'), quaff.Expr('j//4')], quaff.Expr('n'), [])
#[pyfunction]
#[pyo3(signature = (index, sets, domain, *, simplifier = None))]
pub(crate) fn parts<'py>(
    py: Python<'py>,
    index: Asked,
    sets: Vec<Vec<String>>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Bound<'py, PyDict>> {
    let sets: Vec<Vec<&str>> = sets.iter().map(|set| names(set)).collect();
    let sets: Vec<&[&str]> = sets.iter().map(Vec::as_slice).collect();
    let found = ask(py, &[index], &domain, simplifier, |s, e, d| quaff_ask::parts(s, &e[0], &sets, d))?;
    let answer = PyDict::new(py);
    answer.set_item("parts", exprs(found.parts))?;
    answer.set_item("shared", PyExpr(found.shared))?;
    answer.set_item("mixed", exprs(found.mixed))?;
    Ok(answer)
}

pub(crate) fn exprs(all: Vec<Expr>) -> Vec<PyExpr> {
    all.into_iter().map(PyExpr).collect()
}

/// An index as a strided access along the variables `axes`, whose ranges begin at 0: `{"dimensions": [...], "offset": ...}`, or
/// `{"not_strided": term}`.
///
/// A dimension has `axis`, `below`, `extent`, `partial`, `stride` and `wrap`. The coordinate is the digit
/// `axis//below%extent`. `partial` says whether the last coordinate has fewer elements than the other coordinates. With
/// `wrap`, which is `(origin, extent)`, the coordinate `c` is `(origin + c)%extent`.
///
/// >>> found = quaff.ask.strides("i//8*64 + i%8 + 5", ["i"], "i=0..63")
/// >>> [(d["below"], d["extent"], d["stride"]) for d in found["dimensions"]], found["offset"]
/// ([(8, quaff.Expr('8'), quaff.Expr('64')), (1, quaff.Expr('8'), quaff.Expr('1'))], quaff.Expr('5'))
#[pyfunction]
#[pyo3(signature = (index, axes, domain, *, simplifier = None))]
pub(crate) fn strides<'py>(
    py: Python<'py>,
    index: Asked,
    axes: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Bound<'py, PyDict>> {
    let axes = names(&axes);
    let found = ask(py, &[index], &domain, simplifier, |s, e, d| quaff_ask::strides(s, &e[0], &axes, d))?;
    let answer = PyDict::new(py);
    match found {
        Strides::Not(term) => answer.set_item("not_strided", PyExpr(term))?,
        Strides::Strided(found) => {
            let dimensions = found.dimensions.into_iter().map(|d| dimension(py, d));
            answer.set_item("dimensions", dimensions.collect::<PyResult<Vec<_>>>()?)?;
            answer.set_item("offset", PyExpr(found.offset))?;
        }
    }
    Ok(answer)
}

fn dimension(py: Python<'_>, found: Dimension) -> PyResult<Bound<'_, PyDict>> {
    let dimension = PyDict::new(py);
    dimension.set_item("axis", &*found.axis)?;
    dimension.set_item("below", found.below)?;
    dimension.set_item("extent", found.extent.map(PyExpr))?;
    dimension.set_item("partial", found.partial)?;
    dimension.set_item("stride", PyExpr(found.stride))?;
    dimension.set_item("wrap", found.wrap.map(|wrap| (PyExpr(wrap.origin), PyExpr(wrap.extent))))?;
    Ok(dimension)
}

/// Whether the claim holds, with a counterexample if it does not. It is None if neither is proved.
fn answered<W>(answer: Answer<W>) -> (Option<bool>, Option<W>) {
    match answer {
        Answer::Yes => (Some(true), None),
        Answer::No(witness) => (Some(false), Some(witness)),
        Answer::NotProved => (None, None),
    }
}

/// Two points. Each maps variables to values.
type Pair<'py> = (Bound<'py, PyDict>, Bound<'py, PyDict>);

fn pair<'py>(py: Python<'py>, [a, b]: [Values; 2]) -> PyResult<Pair<'py>> {
    let point = |values: Values| {
        let point = PyDict::new(py);
        values.iter().try_for_each(|(name, value)| point.set_item(&**name, value)).map(|()| point)
    };
    Ok((point(a)?, point(b)?))
}

/// Whether different inputs have different outputs. The answer is `(True, None)`, or `(False, (point, point))` with two
/// points that have equal outputs, or `(None, None)` if neither is proved.
///
/// >>> quaff.ask.injective(["i*4 + j"], ["i", "j"], "i=0..9, j=0..3")
/// (True, None)
/// >>> quaff.ask.injective(["i*4 + j"], ["i", "j"], "i=0..9, j=0..4")
/// (False, ({'i': 0, 'j': 4}, {'i': 1, 'j': 0}))
#[pyfunction]
#[pyo3(signature = (outputs, inputs, domain, *, simplifier = None))]
pub(crate) fn injective<'py>(
    py: Python<'py>,
    outputs: Vec<Asked>,
    inputs: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<(Option<bool>, Option<Pair<'py>>)> {
    let inputs = names(&inputs);
    let found = ask(py, &outputs, &domain, simplifier, |s, e, d| quaff_ask::injective(s, e, &inputs, d))?;
    let (is_so, witness) = answered(found);
    Ok((is_so, witness.map(|both| pair(py, both)).transpose()?))
}

/// Whether a map reaches each place. A place has a number from 0 to `extent - 1` for each output.
///
/// The answer is `(True, None)`, or `(False, place)` with a place that is no output, or `(None, None)` if neither is
/// proved.
///
/// >>> quaff.ask.surjective(["i*4 + j"], [40], ["i", "j"], "i=0..9, j=0..3")
/// (True, None)
/// >>> quaff.ask.surjective(["i*4"], [40], ["i"], "i=0..9")
/// (False, [1])
#[pyfunction]
#[pyo3(signature = (outputs, extents, inputs, domain, *, simplifier = None))]
pub(crate) fn surjective(
    py: Python<'_>,
    outputs: Vec<Asked>,
    extents: Vec<Asked>,
    inputs: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<(Option<bool>, Option<Vec<i64>>)> {
    let (inputs, count) = (names(&inputs), outputs.len());
    let asked: Vec<Asked> = outputs.into_iter().chain(extents).collect();
    let found = ask(py, &asked, &domain, simplifier, |s, e, d| {
        let (outputs, extents) = e.split_at(count);
        quaff_ask::surjective(s, outputs, extents, &inputs, d)
    })?;
    Ok(answered(found))
}

/// The inverse of a map onto places. Each place is given by a name and the number of its values.
///
/// The answer is `(values, inside)`. `values` has an expression in the places for each input. `inside` is the condition
/// that a place is an output, or None if each place is an output. The answer is None if no inverse is proved.
///
/// >>> quaff.ask.inverse(["i*4 + j"], [("p", 40)], ["i", "j"], "i=0..9, j=0..3")
/// ([quaff.Expr('p//4'), quaff.Expr('p%4')], None)
#[pyfunction]
#[pyo3(signature = (outputs, places, inputs, domain, *, simplifier = None))]
pub(crate) fn inverse(
    py: Python<'_>,
    outputs: Vec<Asked>,
    places: Vec<(String, Asked)>,
    inputs: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Option<(Vec<PyExpr>, Option<PyExpr>)>> {
    let inputs = names(&inputs);
    let places: Vec<(&str, Expr)> = places.iter().map(|(name, extent)| (name.as_str(), extent.expr.clone())).collect();
    let found = ask(py, &outputs, &domain, simplifier, |s, e, d| quaff_ask::inverse(s, e, &places, &inputs, d))?;
    Ok(found.map(|found| (exprs(found.inputs), found.inside.map(PyExpr))))
}

/// A map as sums of iterators: `{"outputs": [...], "padding": [...], "bijective": ...}`, or `{"no_iterator": part}`.
///
/// Each output is `{"iterators": [...], "base": ...}`, a base and a sum of `scale * digit`. A `digit` is
/// `source//lower%modulus`, with values in `0..extent`. Digits that fit together form one iterator. `bijective` is True
/// if inputs and digits determine each other, and all combinations of digits occur. It is None if that is not decided.
///
/// >>> found = quaff.ask.detect(["i*4 + j"], ["i", "j"], "i=0..9, j=0..3")
/// >>> [(it["digit"], it["extent"], it["scale"]) for it in found["outputs"][0]["iterators"]], found["bijective"]
/// ([(quaff.Expr('i*4 + j'), quaff.Expr('40'), quaff.Expr('1'))], True)
#[pyfunction]
#[pyo3(signature = (outputs, inputs, domain, *, simplifier = None))]
pub(crate) fn detect<'py>(
    py: Python<'py>,
    outputs: Vec<Asked>,
    inputs: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Bound<'py, PyDict>> {
    let inputs = names(&inputs);
    let found = ask(py, &outputs, &domain, simplifier, |s, e, d| quaff_ask::detect(s, e, &inputs, d))?;
    let answer = PyDict::new(py);
    let found = match found {
        Detected::Not { part, .. } => {
            answer.set_item("no_iterator", PyExpr(part))?;
            return Ok(answer);
        }
        Detected::Map(found) => found,
    };
    let sums = found.outputs.into_iter().map(|sum| {
        let own = PyDict::new(py);
        let iterators = sum.iterators.into_iter().map(|one| iterator(py, one)).collect::<PyResult<Vec<_>>>()?;
        own.set_item("iterators", iterators)?;
        own.set_item("base", PyExpr(sum.base)).map(|()| own)
    });
    answer.set_item("outputs", sums.collect::<PyResult<Vec<_>>>()?)?;
    let padding = found.padding.into_iter().map(|padding| {
        let own = PyDict::new(py);
        own.set_item("source", PyExpr(padding.source))?;
        own.set_item("lower", PyExpr(padding.lower))?;
        own.set_item("left", PyExpr(padding.left))?;
        own.set_item("right", PyExpr(padding.right)).map(|()| own)
    });
    answer.set_item("padding", padding.collect::<PyResult<Vec<_>>>()?)?;
    answer.set_item("bijective", found.is_bijective)?;
    Ok(answer)
}

fn iterator(py: Python<'_>, found: IterTerm) -> PyResult<Bound<'_, PyDict>> {
    let own = PyDict::new(py);
    own.set_item("digit", PyExpr(found.digit()))?;
    own.set_item("source", PyExpr(found.source))?;
    own.set_item("lower", PyExpr(found.lower))?;
    own.set_item("modulus", found.modulus.map(PyExpr))?;
    own.set_item("extent", PyExpr(found.extent))?;
    own.set_item("scale", PyExpr(found.scale))?;
    Ok(own)
}

/// Divides a map into a map of the inputs in `inner` and a map of all other inputs.
///
/// The answer is `{"outputs": [...], "outer_conditions": [...], "inner_conditions": [...]}`, or `{"mixed": part}` with
/// a part that cannot be divided.
///
/// Each output has `outer`, `outer_extent`, `stride`, `inner` and `inner_extent`, and is `outer * stride + inner`.
///
/// >>> found = quaff.ask.subspace_divide(["i*4 + j"], ["i", "j"], ["j"], "i=0..9, j=0..3")
/// >>> found["outputs"][0]["outer"], found["outputs"][0]["stride"], found["outputs"][0]["inner"]
/// (quaff.Expr('i'), quaff.Expr('4'), quaff.Expr('j'))
#[pyfunction]
#[pyo3(signature = (outputs, inputs, inner, domain, *, simplifier = None))]
pub(crate) fn subspace_divide<'py>(
    py: Python<'py>,
    outputs: Vec<Asked>,
    inputs: Vec<String>,
    inner: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (inputs, inner) = (names(&inputs), names(&inner));
    let found = ask(py, &outputs, &domain, simplifier, |s, e, d| quaff_ask::subspace_divide(s, e, &inputs, &inner, d))?;
    let answer = PyDict::new(py);
    match found {
        Divided::Not { part } => answer.set_item("mixed", PyExpr(part))?,
        Divided::Map(found) => {
            let outputs = found.outputs.into_iter().map(|one| {
                let own = PyDict::new(py);
                own.set_item("outer", PyExpr(one.outer))?;
                own.set_item("outer_extent", PyExpr(one.outer_extent))?;
                own.set_item("stride", PyExpr(one.stride))?;
                own.set_item("inner", PyExpr(one.inner))?;
                own.set_item("inner_extent", PyExpr(one.inner_extent)).map(|()| own)
            });
            answer.set_item("outputs", outputs.collect::<PyResult<Vec<_>>>()?)?;
            answer.set_item("outer_conditions", exprs(found.outer_conditions))?;
            answer.set_item("inner_conditions", exprs(found.inner_conditions))?;
        }
    }
    Ok(answer)
}

/// The values of an index: `{"least", "greatest", "ends_are_values", "stride", "dense", "hole", "count"}`.
///
/// All values are from `least` to `greatest`, which are None if open. `stride` divides the differences of the values.
/// `dense` says whether each number between the ends, in steps of the stride, is a value. `hole` is one of these
/// numbers that is not a value. `dense` and `count` are None if they are not decided.
///
/// >>> found = quaff.ask.image("i*4 + 1", "i=0..9")
/// >>> found["least"], found["greatest"], found["stride"], found["count"]
/// (1, 37, 4, 10)
#[pyfunction]
#[pyo3(signature = (index, domain, *, simplifier = None))]
pub(crate) fn image<'py>(
    py: Python<'py>,
    index: Asked,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<Bound<'py, PyDict>> {
    let found = ask(py, &[index], &domain, simplifier, |s, e, d| quaff_ask::image(s, &e[0], d))?;
    let Image { range, has_ends, stride, is_dense, count } = found;
    let (dense, hole) = answered(is_dense);
    let answer = PyDict::new(py);
    answer.set_item("least", range.lo())?;
    answer.set_item("greatest", range.hi())?;
    answer.set_item("ends_are_values", has_ends)?;
    answer.set_item("stride", stride)?;
    answer.set_item("dense", dense)?;
    answer.set_item("hole", hole)?;
    answer.set_item("count", count)?;
    Ok(answer)
}

/// Whether two accesses never have a common address. The inputs may have different values in the two accesses.
///
/// The answer is `(True, None)`, or `(False, (point, point))` with two points that have the same address, or
/// `(None, None)` if neither is proved.
///
/// >>> quaff.ask.disjoint("i*2", "i*2 + 1", ["i"], "i=0..9")
/// (True, None)
/// >>> quaff.ask.disjoint("i", "i + 3", ["i"], "i=0..9")
/// (False, ({'i': 3}, {'i': 0}))
#[pyfunction]
#[pyo3(signature = (a, b, inputs, domain, *, simplifier = None))]
pub(crate) fn disjoint<'py>(
    py: Python<'py>,
    a: Asked,
    b: Asked,
    inputs: Vec<String>,
    domain: Given,
    simplifier: Option<Py<PySimplifier>>,
) -> PyResult<(Option<bool>, Option<Pair<'py>>)> {
    let inputs = names(&inputs);
    let found = ask(py, &[a, b], &domain, simplifier, |s, e, d| quaff_ask::disjoint(s, &e[0], &e[1], &inputs, d))?;
    let (is_so, witness) = answered(found);
    Ok((is_so, witness.map(|both| pair(py, both)).transpose()?))
}
