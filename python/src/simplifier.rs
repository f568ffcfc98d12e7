//! `quaff.Simplifier`: what a call is made with, and the questions it answers.

use crate::accesses::{PyAccess, PySimplifiedAccesses};
use crate::answer::PySimplified;
use crate::arguments::{Asked, Given};
use crate::errors;
use crate::explain::PyExplanation;
use crate::expr::PyExpr;
use crate::facts::PyFacts;
use crate::many;
use crate::nodes::{self, Names, Words};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quaff::cost::{OpCount, Truncating};
use quaff::domain::Domain;
use quaff::egraph::Limits;
use quaff::expr::Expr;
use quaff::inspect::dot;
use quaff::lower::Target;
use quaff::rules::RuleSet;
use quaff::{Simplifier, SimplifyError};
use std::path::PathBuf;

/// Simplifies expressions and answers questions about them. One object serves any number of threads; the functions of the module
/// are the methods of one with the defaults.
///
/// Args:
///     rules: a folder of rule files that take the place of those that quaff ships.
///     add_rules: a folder of rule files that are used besides.
///     leave_out: names of rules that are not used.
///     trust_rules: take the rules of ``rules`` and ``add_rules`` for right. Without this, answers under rules that quaff does not ship are
///         compared with their questions, and one that is wrong is a `SimplifyError` that names the rule.
///     effort: how much work an answer may take. 0 is one short pass, 1 suits a compiler that asks often, 2 and 3 search four and
///         sixteen times as many forms. An answer never costs more than that of a lower effort.
///     work: instructions that rules may take in a call; the best form that was found by then is the answer.
///     nodes: e-nodes that rules may add in a call.
///     rounds: rounds of saturation.
///     target: the machine that answers are for, with its prices and the spellings of its texts: "sm_80", "sm_90", "sm_100" or "plain";
///         "sm_90+mulhi=20" is one with another price, in tenths of an addition.
///     cost: what answers are chosen by: "gpu", the instructions of the division-free text; "truncating", what a host pays that prints
///         `//` and `%` in a language where they round towards zero, and corrects those of what may be negative; or "operations",
///         their number.
///
/// Raises:
///     RuleError: a rule file is wrong, with the place.
#[pyclass(name = "Simplifier", module = "quaff", frozen)]
pub(crate) struct PySimplifier {
    pub(crate) simplifier: Simplifier,
}

fn rules_in(folder: PathBuf) -> PyResult<RuleSet> {
    RuleSet::load(&folder).map_err(|e| errors::other("RuleError", &e))
}

/// An end of a range, where it is closed.
pub(crate) type End = Option<i64>;

#[pymethods]
impl PySimplifier {
    #[new]
    #[pyo3(signature = (*, rules = None, add_rules = None, leave_out = None, trust_rules = false, effort = 1, work = None, nodes = None, rounds = None, target = None, cost = None))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn new(
        rules: Option<PathBuf>,
        add_rules: Option<PathBuf>,
        leave_out: Option<Vec<String>>,
        trust_rules: bool,
        effort: u8,
        work: Option<u64>,
        nodes: Option<usize>,
        rounds: Option<u32>,
        target: Option<&str>,
        cost: Option<&str>,
    ) -> PyResult<PySimplifier> {
        let target = match target {
            None => Target::default(),
            Some(name) => {
                Target::by_name(name).ok_or_else(|| PyValueError::new_err(format!("no target is called {name:?}")))?
            }
        };
        let simplifier = Simplifier::default().for_target(target);
        let mut simplifier = match cost {
            None | Some("gpu") => simplifier,
            Some("truncating") => simplifier.with_cost_model(Truncating),
            Some("operations") => simplifier.with_cost_model(OpCount),
            Some(name) => return Err(PyValueError::new_err(format!("no cost model is called {name:?}"))),
        };
        if rules.is_some() || add_rules.is_some() || leave_out.is_some() {
            let mut set = rules.map_or_else(|| Ok(RuleSet::shipped().clone()), rules_in)?;
            if let Some(more) = add_rules {
                set = set.and(rules_in(more)?);
            }
            let out = leave_out.unwrap_or_default();
            if let Some(unknown) = out.iter().find(|name| set.get(name).is_none()) {
                return Err(PyValueError::new_err(format!("no rule is called {unknown:?}")));
            }
            simplifier = simplifier.with_rules(set.retain(|name| !out.iter().any(|o| o == name)));
        }
        if trust_rules {
            simplifier = simplifier.trusting_rules();
        }
        if effort > Limits::MAX_EFFORT {
            return Err(PyValueError::new_err(format!("an effort is a number from 0 to {}", Limits::MAX_EFFORT)));
        }
        let mut limits = Limits::effort(effort);
        limits.work = work.unwrap_or(limits.work);
        limits.nodes = nodes.unwrap_or(limits.nodes);
        limits.rounds = rounds.unwrap_or(limits.rounds);
        Ok(PySimplifier { simplifier: simplifier.with_limits(limits) })
    }

    /// The names of the rules in use.
    #[getter]
    fn rules(&self) -> Vec<String> {
        self.simplifier.rules().rules().iter().map(|rule| rule.name().to_string()).collect()
    }

    /// The cheapest found expression with the values of `expr` at every point of `domain`; never costlier than `expr`.
    ///
    /// With `trace`, the answer tells which rules fired.
    ///
    /// Raises:
    ///     ParseError: the text is no expression.
    ///     DomainError: what is said of the variables cannot be true.
    ///     SimplifyError: a variable is not declared, a divisor can be 0, or a shift is out of reach.
    #[pyo3(signature = (expr, domain = None, *, trace = false))]
    fn simplify(&self, py: Python<'_>, expr: Asked, domain: Option<Given>, trace: bool) -> PyResult<PySimplified> {
        self.together(py, &[expr], domain, trace)
    }

    /// Several expressions of one kernel together: what they share is counted once. `.exprs` of the answer has one for each.
    ///
    /// Raises:
    ///     Those of `simplify`.
    #[pyo3(signature = (exprs, domain = None, *, trace = false))]
    fn simplify_all(
        &self,
        py: Python<'_>,
        exprs: Vec<Asked>,
        domain: Option<Given>,
        trace: bool,
    ) -> PyResult<PySimplified> {
        self.together(py, &exprs, domain, trace)
    }

    /// `simplify_all` of the expressions of a flat list, as `from_nodes` takes it, without an `Expr` for each:
    /// `.to_nodes()` of the answer is a flat list, too.
    ///
    /// Raises:
    ///     ValueError: with the place in the list.
    ///     Those of `simplify`.
    #[pyo3(signature = (words, names, roots, domain = None))]
    fn simplify_nodes(
        &self,
        py: Python<'_>,
        words: Words,
        names: Names,
        roots: Words,
        domain: Option<Given>,
    ) -> PyResult<PySimplified> {
        let exprs = nodes::exprs(words, names, roots)?;
        let given = Given::or_empty(domain);
        let domain = given.domain();
        let answer = py.detach(|| self.simplifier.simplify_all(&exprs, domain));
        let answer = answer.map_err(|e| errors::simplify(&e, &[]))?;
        Ok(PySimplified::new(answer))
    }

    /// The accesses of one kernel together: gates on their own, and indices where their gates hold.
    ///
    /// Raises:
    ///     Those of `simplify`.
    #[pyo3(signature = (accesses, domain = None))]
    fn simplify_accesses(
        &self,
        py: Python<'_>,
        accesses: Vec<Py<PyAccess>>,
        domain: Option<Given>,
    ) -> PyResult<PySimplifiedAccesses> {
        let given = Given::or_empty(domain);
        let domain = given.domain();
        let asked: Vec<_> = accesses.iter().map(|a| a.get().0.clone()).collect();
        let answer = py.detach(|| self.simplifier.simplify_accesses(&asked, domain));
        let answer = answer.map_err(|e| errors::simplify(&e, &[]))?;
        Ok(PySimplifiedAccesses(answer))
    }

    /// Many expressions, each on its own, on several threads and without the interpreter's lock.
    ///
    /// Args:
    ///     exprs: the expressions.
    ///     domains: one domain for all, or a list with one for each.
    ///     threads: how many; one for each core where it is None.
    ///     progress: a function that gets `(done, total)` some ten times a second.
    ///
    /// Returns:
    ///     For each expression an answer, or the exception that `simplify` would have raised.
    ///
    /// Raises:
    ///     KeyboardInterrupt: at ^C, within a tenth of a second after the calls under way.
    #[pyo3(signature = (exprs, domains = None, *, threads = None, progress = None))]
    fn simplify_many<'py>(
        &self,
        py: Python<'py>,
        exprs: Vec<Asked>,
        domains: Option<&Bound<'py, PyAny>>,
        threads: Option<usize>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Vec<Py<PyAny>>> {
        many::simplify_many(self, py, &exprs, domains, threads, progress)
    }

    /// How the answer for `expr` follows from it, each step checked by a procedure that knows nothing of the rules.
    ///
    /// Raises:
    ///     Those of `simplify`.
    #[pyo3(signature = (expr, domain = None))]
    fn explain(&self, py: Python<'_>, expr: Asked, domain: Option<Given>) -> PyResult<PyExplanation> {
        let options = quaff::quasi::Options::default();
        self.ask(py, &[expr], domain, |e, d| self.simplifier.explain(&e[0], d, &options)).map(PyExplanation)
    }

    /// The e-graph that one search makes of `exprs`, as text for Graphviz: every class with its range and its
    /// members, those of the answer in bold.
    ///
    /// Raises:
    ///     Those of `simplify`.
    #[pyo3(signature = (exprs, domain = None))]
    fn dot(&self, py: Python<'_>, exprs: Vec<Asked>, domain: Option<Given>) -> PyResult<String> {
        self.ask(py, &exprs, domain, |e, d| dot(&self.simplifier, e, d))
    }

    /// What is known at the points of `domain`, kept from question to question.
    #[pyo3(signature = (domain = None))]
    fn facts(&self, domain: Option<Given>) -> PyFacts {
        PyFacts(self.simplifier.facts(Given::or_empty(domain).domain()))
    }

    /// Whether `condition` holds at every point of `domain` (True), or at none (False); None where neither is proved. With `empty_ok`, True where the
    /// domain has no point.
    #[pyo3(signature = (condition, domain = None, *, empty_ok = false))]
    fn prove(&self, py: Python<'_>, condition: Asked, domain: Option<Given>, empty_ok: bool) -> PyResult<Option<bool>> {
        let found =
            self.ask(py, &[condition], domain, |e, d| or_empty(empty_ok, self.simplifier.facts(d).prove(&e[0])))?;
        Ok(found.unwrap_or(Some(true)))
    }

    /// Whether `a` and `b` are equal at every point of `domain` (True), or at none (False); None where neither is proved. With `empty_ok`, True where the
    /// domain has no point.
    #[pyo3(signature = (a, b, domain = None, *, empty_ok = false))]
    fn equal(
        &self,
        py: Python<'_>,
        a: Asked,
        b: Asked,
        domain: Option<Given>,
        empty_ok: bool,
    ) -> PyResult<Option<bool>> {
        let found =
            self.ask(py, &[a, b], domain, |e, d| or_empty(empty_ok, self.simplifier.facts(d).equal(&e[0], &e[1])))?;
        Ok(found.unwrap_or(Some(true)))
    }

    /// `(lower, upper)` between which all values of `expr` lie, both inclusive; None where an end is open. With `empty_ok`, None in the place of the pair
    /// where the domain has no point.
    #[pyo3(signature = (expr, domain = None, *, empty_ok = false))]
    fn bounds(
        &self,
        py: Python<'_>,
        expr: Asked,
        domain: Option<Given>,
        empty_ok: bool,
    ) -> PyResult<Option<(End, End)>> {
        let range = self.ask(py, &[expr], domain, |e, d| or_empty(empty_ok, self.simplifier.facts(d).bounds(&e[0])))?;
        Ok(range.map(|range| (range.lo(), range.hi())))
    }

    /// `(residue, modulus)` that all values of `expr` have: `(0, 1)` where nothing is found, `(value, 0)` where there is one value. With `empty_ok`, None
    /// where the domain has no point.
    #[pyo3(signature = (expr, domain = None, *, empty_ok = false))]
    fn congruence(
        &self,
        py: Python<'_>,
        expr: Asked,
        domain: Option<Given>,
        empty_ok: bool,
    ) -> PyResult<Option<(i64, i64)>> {
        let found =
            self.ask(py, &[expr], domain, |e, d| or_empty(empty_ok, self.simplifier.facts(d).congruence(&e[0])))?;
        Ok(found.map(|found| (found.residue(), found.modulus())))
    }

    /// Whether `n` is proved to divide every value of `expr`. With `empty_ok`, True where the domain has no point.
    #[pyo3(signature = (expr, n, domain = None, *, empty_ok = false))]
    fn is_multiple_of(
        &self,
        py: Python<'_>,
        expr: Asked,
        n: i64,
        domain: Option<Given>,
        empty_ok: bool,
    ) -> PyResult<bool> {
        let found = self
            .ask(py, &[expr], domain, |e, d| or_empty(empty_ok, self.simplifier.facts(d).is_multiple_of(&e[0], n)))?;
        Ok(found.unwrap_or(true))
    }

    /// What `expr` is in the first iteration of the loop that `variable` counts, and by what it changes: `(base, kind, steps)`, where
    /// `kind` is "step" (one step), "periodic" (several, one after the other) or "wrapping" (the step and the modulus). None where it
    /// changes in another way.
    #[pyo3(signature = (expr, variable, domain = None))]
    fn split_by(&self, py: Python<'_>, expr: Asked, variable: &str, domain: Option<Given>) -> PyResult<Option<Split>> {
        let found = self.ask(py, &[expr], domain, |e, d| self.simplifier.split_by(&e[0], variable, d))?;
        Ok(found.map(|found| {
            use quaff::induction::Change;
            let (kind, steps) = match found.change {
                Change::Step(step) => ("step", vec![step]),
                Change::Periodic(steps) => ("periodic", steps),
                Change::Wrapping { step, modulus } => ("wrapping", vec![step, modulus.into()]),
            };
            (PyExpr(found.base), kind, steps.into_iter().map(PyExpr).collect())
        }))
    }
}

/// `question` with the settings of `simplifier`, or with the defaults, without the interpreter's lock.
pub(crate) fn unlocked<T: Send>(
    py: Python<'_>,
    simplifier: Option<&Py<PySimplifier>>,
    question: impl FnOnce(&Simplifier) -> T + Send,
) -> T {
    let with = simplifier.map(|s| s.get());
    py.detach(|| match with {
        None => question(&Simplifier::default()),
        Some(with) => question(&with.simplifier),
    })
}

/// None where the domain has no point, if that is an answer.
fn or_empty<T>(empty_ok: bool, found: Result<T, SimplifyError>) -> Result<Option<T>, SimplifyError> {
    match found {
        Err(error) if empty_ok && error.is_empty_domain() => Ok(None),
        found => found.map(Some),
    }
}

/// The base, the kind of change, and the steps.
type Split = (PyExpr, &'static str, Vec<PyExpr>);

impl PySimplifier {
    /// One question about expressions, without the interpreter's lock.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        asked: &[Asked],
        domain: Option<Given>,
        question: impl Fn(&[Expr], &Domain) -> Result<T, SimplifyError> + Send + Sync,
    ) -> PyResult<T> {
        let given = Given::or_empty(domain);
        let domain = given.domain();
        let exprs: Vec<Expr> = asked.iter().map(|a| a.expr.clone()).collect();
        let answer = py.detach(|| question(&exprs, domain));
        answer.map_err(|e| errors::simplify(&e, &Asked::sources(asked)))
    }

    fn together(&self, py: Python<'_>, asked: &[Asked], domain: Option<Given>, trace: bool) -> PyResult<PySimplified> {
        let traced = trace.then(|| self.simplifier.clone().with_trace(true));
        let simplifier = traced.as_ref().unwrap_or(&self.simplifier);
        let answer = self.ask(py, asked, domain, |e, d| simplifier.simplify_all(e, d))?;
        Ok(PySimplified::new(answer))
    }
}
