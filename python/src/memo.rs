//! `quaff._quaff.Memo`: a memo of answers, in which questions that differ only in variable names are equal.

use crate::arguments::{Asked, Given};
use crate::domain::PyDomain;
use crate::errors;
use crate::expr::PyExpr;
use crate::simplifier::PySimplifier;
use pyo3::prelude::*;
use quaff::domain::{Connected, Domain, Repeats, VarFacts};
use quaff::expr::{Expr, FlatNodes};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A memo of at most `limit` answers.
///
/// A question includes only the part of its domain that is connected with its variables. Most questions of a compiler
/// repeat an earlier question with other names. Therefore a question with numeric ranges and without assumptions is
/// stored with the names `v0`, `v1` and so on, in order of use. Any other question is stored with its own names.
#[pyclass(name = "Memo", module = "quaff", frozen)]
pub(crate) struct PyMemo {
    simplifier: Py<PySimplifier>,
    limit: usize,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    answers: HashMap<Question, Vec<Expr>>,
    /// The connected parts of the domain of the last question, because consecutive questions often have the same
    /// domain.
    last: Option<(Py<PyDomain>, Arc<Connected>)>,
    hits: u64,
    misses: u64,
}

#[derive(Clone, PartialEq, Eq, Hash)]
struct Question {
    /// The expressions as flat nodes. If names do not matter, they have the standard names.
    flat: Vec<i64>,
    names: Vec<Arc<str>>,
    roots: Vec<i64>,
    /// The facts about the variables as numbers, if names do not matter. Otherwise `domain` has them as text.
    facts: Vec<[Option<i64>; 4]>,
    domain: String,
}

/// The facts about a variable as numbers. `None` if other facts are known.
fn numbers(facts: &VarFacts) -> Option<[Option<i64>; 4]> {
    let plain = facts.lower.is_none() && facts.upper.is_none() && facts.text.is_none() && !facts.launch_invariant;
    let (range, congruence) = (facts.interval, facts.congruence);
    (plain && facts.repeats == Repeats::Once)
        .then(|| [range.lo(), range.hi(), Some(congruence.modulus()), Some(congruence.residue())])
}

/// The facts of a question whose names do not matter, and its domain. `None` if the names matter.
fn without_names(flat: &FlatNodes, domain: &Domain) -> Option<(Vec<[Option<i64>; 4]>, Domain)> {
    if !domain.assumptions().is_empty() || domain.is_defined() {
        return None;
    }
    let known = domain.resolve().ok()?;
    // ends that are no numbers may connect further variables
    if known.iter().any(|v| v.lower.is_some() || v.upper.is_some()) {
        return None;
    }
    let facts: Option<Vec<_>> =
        flat.names.iter().map(|name| known.get(domain.position(name)?).and_then(numbers)).collect();
    let facts = facts?;
    let mut renamed = Domain::new();
    for (at, &[lo, hi, modulus, residue]) in facts.iter().enumerate() {
        renamed.add_bounds(stand_in(at), quaff::domain::Bounds::new(lo.map(Expr::from), hi.map(Expr::from)));
        if let (Some(modulus), Some(residue)) = (modulus.filter(|m| *m > 1), residue) {
            renamed.add_stride(stand_in(at), modulus, residue);
        }
    }
    Some((facts, renamed))
}

fn stand_in(at: usize) -> Arc<str> {
    format!("v{at}").into()
}

/// `exprs` with renamed variables.
fn renamed(exprs: &[Expr], name: impl Fn(&Arc<str>) -> Arc<str>) -> Option<Vec<Expr>> {
    let mut flat = FlatNodes::of(exprs);
    flat.names.iter_mut().for_each(|n| *n = name(n));
    flat.exprs().ok()
}

impl PyMemo {
    /// The part of a domain that is connected with `exprs`.
    fn about(&self, py: Python<'_>, given: &Given, exprs: &[Expr]) -> Domain {
        let Given::Held(held) = given else { return Connected::new(given.domain()).about(exprs) };
        let last = self.known().last.as_ref().filter(|(last, _)| last.is(held)).map(|(_, parts)| parts.clone());
        let parts = last.unwrap_or_else(|| {
            let parts = Arc::new(Connected::new(given.domain()));
            self.known().last = Some((held.clone_ref(py), parts.clone()));
            parts
        });
        parts.about(exprs)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyMemo {
    #[new]
    #[pyo3(signature = (simplifier, limit = 65536))]
    fn new(simplifier: Py<PySimplifier>, limit: usize) -> PyMemo {
        PyMemo { simplifier, limit, known: Mutex::default() }
    }

    /// Like `simplify_all`, but returns only the expressions of the answer, and memoises them.
    #[pyo3(signature = (exprs, domain = None))]
    fn simplify_all(&self, py: Python<'_>, exprs: Vec<Asked>, domain: Option<Given>) -> PyResult<Vec<PyExpr>> {
        let given = Given::or_empty(domain);
        let plain: Vec<Expr> = exprs.iter().map(|a| a.expr.clone()).collect();
        let (flat, about) = (FlatNodes::of(&plain), self.about(py, &given, &plain));
        let free = without_names(&flat, &about);
        let question = match &free {
            Some((facts, _)) => Question {
                flat: flat.words.clone(),
                names: Vec::new(),
                roots: flat.roots.clone(),
                facts: facts.clone(),
                domain: String::new(),
            },
            None => Question {
                flat: flat.words.clone(),
                names: flat.names.clone(),
                roots: flat.roots.clone(),
                facts: Vec::new(),
                domain: about.to_string(),
            },
        };
        let back = |answers: &[Expr]| match &free {
            None => Some(answers.to_vec()),
            Some(_) => renamed(answers, |name| {
                let at = name.strip_prefix('v').and_then(|digits| digits.parse::<usize>().ok());
                at.and_then(|at| flat.names.get(at)).unwrap_or(name).clone()
            }),
        };
        {
            let mut known = self.known();
            if let Some(answers) = known.answers.get(&question).and_then(|answers| back(answers)) {
                known.hits += 1;
                return Ok(answers.into_iter().map(PyExpr).collect());
            }
            known.misses += 1;
        }
        let (asked, domain) = match &free {
            None => (plain.clone(), about),
            Some((_, domain)) => {
                let stand_ins: Option<Vec<Expr>> = FlatNodes {
                    names: (0..flat.names.len()).map(stand_in).collect(),
                    words: flat.words.clone(),
                    roots: flat.roots.clone(),
                }
                .exprs()
                .ok();
                (stand_ins.unwrap_or_else(|| plain.clone()), domain.clone())
            }
        };
        let simplifier = &self.simplifier.get().simplifier;
        let answer = match py.detach(|| simplifier.simplify_all(&asked, &domain)) {
            Ok(answer) => answer,
            // the original question is asked again, so that the error has its names and places
            Err(_) => {
                let again = py.detach(|| simplifier.simplify_all(&plain, given.domain()));
                let answer = again.map_err(|e| errors::simplify(&e, &Asked::sources(&exprs)))?;
                return Ok(answer.exprs().iter().cloned().map(PyExpr).collect());
            }
        };
        let mut known = self.known();
        // forget all answers at once, because frequent questions soon return
        if known.answers.len() >= self.limit {
            known.answers.clear();
        }
        let answers = back(answer.exprs()).unwrap_or(plain);
        known.answers.insert(question, answer.exprs().to_vec());
        Ok(answers.into_iter().map(PyExpr).collect())
    }

    /// The counts `(hits, misses, held)` of answers from the memo, of computed answers, and of stored answers.
    fn counts(&self) -> (u64, u64, usize) {
        let known = self.known();
        (known.hits, known.misses, known.answers.len())
    }

    /// Forgets all answers.
    fn clear(&self) {
        *self.known() = Known::default();
    }
}
