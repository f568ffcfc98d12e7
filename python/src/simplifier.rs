//! `quaff.Simplifier`: the settings of calls, and the questions that it answers.

use crate::accesses::{PyAccess, PySimplifiedAccesses};
use crate::answer::{PySimplified, Question};
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

/// Simplifies expressions and answers questions about them.
///
/// Several threads may use one object. The functions of the module are the methods of an object with the defaults.
///
/// Args:
///     rules: a folder of rule files that replace the rules of quaff.
///     add_rules: a folder of rule files that are used in addition.
///     leave_out: names of rules that are not used.
///     trust_rules: assumes that the rules of ``rules`` and ``add_rules`` are right. Otherwise, answers under these
///         rules are compared with their questions. A wrong answer is a `SimplifyError` that names the rule.
///     effort: the amount of work for an answer. 0 is one short pass, and 1 suits a compiler with many calls. 2 and 3
///         search four and sixteen times as many forms. An answer never costs more than the answer with a lower effort.
///     work: the number of instructions that rules may take in a call. The answer is the best form that was found until
///         then.
///     nodes: the number of e-nodes that rules may add in a call.
///     rounds: the number of rounds of saturation.
///     target: the target machine, with its prices and the spellings of its texts: "sm_80", "sm_90", "sm_100" or
///         "plain". "sm_90+mulhi=20" is a machine with another price, in tenths of an addition.
///     cost: the cost by which answers are chosen. "gpu" counts the instructions of the division-free text.
///         "truncating" is the cost on a host whose `//` and `%` round towards zero. Such a host needs a correction for
///         operands that may be negative. "operations" is the number of operations.
///
/// Raises:
///     RuleError: a rule file is wrong, with the place.
///
/// >>> quick = quaff.Simplifier(effort=0, leave_out=["nested-division"])
/// >>> quick.simplify("(i*4 + j)//4", "i=0..9, j=0..3").expr
/// quaff.Expr('i')
#[pyclass(name = "Simplifier", module = "quaff", frozen)]
pub(crate) struct PySimplifier {
    pub(crate) simplifier: Simplifier,
}

fn rules_in(folder: PathBuf) -> PyResult<RuleSet> {
    RuleSet::load(&folder).map_err(|e| errors::other("RuleError", &e))
}

/// An end of a range. An open end is `None`.
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

    /// The cheapest expression found with the values of `expr` at every point of `domain`. It never costs more than
    /// `expr`.
    ///
    /// With `trace`, the answer shows which rules fired.
    ///
    /// Raises:
    ///     ParseError: the text is not an expression.
    ///     DomainError: the facts about the variables contradict each other.
    ///     SimplifyError: a variable is not declared, a divisor can be 0, or a shift amount is invalid.
    ///
    /// >>> quaff.simplify("(i*4 + j)//4", {"i": (0, 9), "j": (0, 3)})
    /// <Simplified i, cost 0 of 2>
    #[pyo3(signature = (expr, domain = None, *, trace = false))]
    fn simplify(&self, py: Python<'_>, expr: Asked, domain: Option<Given>, trace: bool) -> PyResult<PySimplified> {
        self.together(py, &[expr], domain, trace)
    }

    /// Simplifies several expressions of one kernel together. Their shared parts are counted once.
    ///
    /// `exprs` of the answer has one expression for each input.
    ///
    /// Raises: The exceptions of `simplify`.
    ///
    /// >>> quaff.simplify_all(["(i*4 + j)//4", "(i*4 + j)%4"], "i=0..9, j=0..3").exprs
    /// [quaff.Expr('i'), quaff.Expr('j')]
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

    /// `simplify_all` for the expressions of a flat list as in `from_nodes`, without an `Expr` for each.
    ///
    /// `to_nodes()` of the answer is also a flat list.
    ///
    /// Raises:
    ///     ValueError: the list is invalid, with the place. The exceptions of `simplify`.
    ///
    /// >>> words, names, roots = quaff.to_nodes(["i*4//4"])
    /// >>> quaff.simplify_nodes(words, names, roots, "i=0..9").to_nodes()
    /// ([1, 0], ['i'], [0])
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
        Ok(PySimplified::new(answer, Some(Question { exprs, given })))
    }

    /// Simplifies the accesses of one kernel together. Where the gate of an access does not hold, its index may have
    /// any value.
    ///
    /// Raises: The exceptions of `simplify`.
    ///
    /// >>> load = quaff.Access("t//4*4 + t%4", "t < 100", buffer="data")
    /// >>> print(quaff.simplify_accesses([load], "t=0..127").cuda())
    /// const float value = t < 100 ? data[t] : 0;
    /// <BLANKLINE>
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
        Ok(PySimplifiedAccesses { answer, asked, given, simplifier: self.simplifier.clone() })
    }

    /// Simplifies many expressions independently, on several threads and with the interpreter's lock released.
    ///
    /// Args:
    ///     exprs: the expressions.
    ///     domains: one domain for all, or a list with one for each.
    ///     threads: the number of threads. None means one for each core.
    ///     progress: a function that receives `(done, total)` about ten times a second.
    ///
    /// Returns:
    ///     For each expression an answer, or the exception that `simplify` would have raised.
    ///
    /// Raises:
    ///     KeyboardInterrupt: ^C was pressed. It is raised after the current calls.
    ///
    /// >>> quaff.Simplifier().simplify_many(["i*4//4", "i//k"], "i=0..9, k=1..8", threads=1)
    /// [<Simplified i, cost 0 of 2>, <Simplified i//k, cost 18 of 18>]
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

    /// The steps from `expr` to its answer. Each step is checked by a procedure that does not use the rules.
    ///
    /// Raises: The exceptions of `simplify`.
    ///
    /// >>> print(quaff.explain("x//7//8", "x=0..9999"))
    /// x//7//8
    ///   normal-form: x//7//8 = x//56  [equal]
    ///     quotient-of-quotient: x//7//8 = x//56  [equal]
    ///   cheapest: x//56 = x//56  [equal]
    /// = x//56  [equal]
    #[pyo3(signature = (expr, domain = None))]
    fn explain(&self, py: Python<'_>, expr: Asked, domain: Option<Given>) -> PyResult<PyExplanation> {
        let options = quaff::quasi::Options::default();
        let (explanation, question) =
            self.ask_and_keep(py, &[expr], domain, |e, d| self.simplifier.explain(&e[0], d, &options))?;
        Ok(PyExplanation { explanation, question })
    }

    /// The e-graph of a search for `exprs`, as text for Graphviz.
    ///
    /// It shows every e-class with its range and its members. Members in the answer are bold.
    ///
    /// Raises: The exceptions of `simplify`.
    ///
    /// >>> quaff.Simplifier().dot(["i*4//4"], "i=0..9").startswith("digraph")
    /// True
    #[pyo3(signature = (exprs, domain = None))]
    fn dot(&self, py: Python<'_>, exprs: Vec<Asked>, domain: Option<Given>) -> PyResult<String> {
        self.ask(py, &exprs, domain, |e, d| dot(&self.simplifier, e, d))
    }

    /// An object that answers questions about the points of `domain`, and keeps what it proves for later questions.
    ///
    /// >>> quaff.facts("i=0..15").bounds("2*i + 1")
    /// (1, 31)
    #[pyo3(signature = (domain = None))]
    fn facts(&self, domain: Option<Given>) -> PyFacts {
        PyFacts(self.simplifier.facts(Given::or_empty(domain).domain()))
    }

    /// True if `condition` holds at every point of `domain`, False if it holds at none. None if neither is proved.
    ///
    /// With `empty_ok`, the answer is True if the domain has no point.
    ///
    /// >>> domain = "i=0..15, j=0..3"
    /// >>> quaff.prove("i*4 + j < 64", domain), quaff.prove("i < 0", domain), quaff.prove("i > 3", domain)
    /// (True, False, None)
    #[pyo3(signature = (condition, domain = None, *, empty_ok = false))]
    fn prove(&self, py: Python<'_>, condition: Asked, domain: Option<Given>, empty_ok: bool) -> PyResult<Option<bool>> {
        let found =
            self.ask(py, &[condition], domain, |e, d| or_empty(empty_ok, self.simplifier.facts(d).prove(&e[0])))?;
        Ok(found.unwrap_or(Some(true)))
    }

    /// True if `a` and `b` are equal at every point of `domain`, False if they are equal at none. None if neither is
    /// proved.
    ///
    /// With `empty_ok`, the answer is True if the domain has no point.
    ///
    /// >>> quaff.equal("(i*4 + j)//4", "i", "i=0..15, j=0..3")
    /// True
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

    /// `(lower, upper)` that contains all values of `expr`, both inclusive. An open end is None.
    ///
    /// With `empty_ok`, the answer is None instead of a pair if the domain has no point.
    ///
    /// >>> quaff.bounds("2*i + 1", "i=0..15"), quaff.bounds("-x", "x=0..")
    /// ((1, 31), (None, 0))
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

    /// `(residue, modulus)`: each value of `expr` is `residue` plus a multiple of `modulus`. It is `(0, 1)` if nothing
    /// is found, and `(value, 0)` if there is only one value.
    ///
    /// With `empty_ok`, the answer is None if the domain has no point.
    ///
    /// >>> quaff.congruence("4*i + 3", "i=0..15")
    /// (3, 4)
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

    /// Whether `n` is proved to divide every value of `expr`.
    ///
    /// With `empty_ok`, the answer is True if the domain has no point.
    ///
    /// >>> quaff.is_multiple_of("12*i + 8", 4, "i=0..15")
    /// True
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

    /// The value of `expr` in the first iteration of the loop that `variable` counts, and the change of this value:
    /// `(base, kind, steps)`.
    ///
    /// `kind` is "step" (one step), "periodic" (several steps in turn) or "wrapping" (the step and the modulus). The
    /// answer is None if `expr` changes in another way.
    ///
    /// >>> quaff.split_by("i*64 + t", "i", "i=0..15, t=0..63")
    /// (quaff.Expr('t'), 'step', [quaff.Expr('64')])
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

/// Runs `question` with the settings of `simplifier` or with the defaults, with the interpreter's lock released.
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

/// The answer. If `empty_ok`, it is None for a domain without points.
fn or_empty<T>(empty_ok: bool, found: Result<T, SimplifyError>) -> Result<Option<T>, SimplifyError> {
    match found {
        Err(error) if empty_ok && error.is_empty_domain() => Ok(None),
        found => found.map(Some),
    }
}

/// The base, the kind of change, and the steps.
type Split = (PyExpr, &'static str, Vec<PyExpr>);

impl PySimplifier {
    /// Asks one question about expressions, with the interpreter's lock released.
    fn ask<T: Send>(
        &self,
        py: Python<'_>,
        asked: &[Asked],
        domain: Option<Given>,
        question: impl Fn(&[Expr], &Domain) -> Result<T, SimplifyError> + Send + Sync,
    ) -> PyResult<T> {
        self.ask_and_keep(py, asked, domain, question).map(|(answer, _)| answer)
    }

    /// The answer, together with its question.
    fn ask_and_keep<T: Send>(
        &self,
        py: Python<'_>,
        asked: &[Asked],
        domain: Option<Given>,
        question: impl Fn(&[Expr], &Domain) -> Result<T, SimplifyError> + Send + Sync,
    ) -> PyResult<(T, Question)> {
        let given = Given::or_empty(domain);
        let domain = given.domain();
        let exprs: Vec<Expr> = asked.iter().map(|a| a.expr.clone()).collect();
        let answer = py.detach(|| question(&exprs, domain));
        let answer = answer.map_err(|e| errors::simplify(&e, &Asked::sources(asked)))?;
        Ok((answer, Question { exprs, given }))
    }

    fn together(&self, py: Python<'_>, asked: &[Asked], domain: Option<Given>, trace: bool) -> PyResult<PySimplified> {
        let traced = trace.then(|| self.simplifier.clone().with_trace(true));
        let simplifier = traced.as_ref().unwrap_or(&self.simplifier);
        let (answer, question) = self.ask_and_keep(py, asked, domain, |e, d| simplifier.simplify_all(e, d))?;
        Ok(PySimplified::new(answer, Some(question)))
    }
}
