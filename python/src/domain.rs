//! `quaff.Domain`: variables with their ranges, and conditions on them.

use crate::arguments::{Asked, Given, read, readable};
use crate::errors;
use crate::expr::PyExpr;
use crate::numbers::integer;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyRange, PyRangeMethods, PyString, PyTuple};
use quaff::domain::{Bounds, Domain};
use quaff::expr::{Expr, int};

/// Facts about the variables of expressions.
///
/// Ends of ranges are inclusive, and `None` if nothing is known.
///
/// Args:
///     vars: a dict from names to ranges, or a text: `"n=1..64, i=0..n-1, x=0..999 step 4, assume i < x"`. A range is
///         `(lower, upper)`, where an end is an integer, `None`, an `Expr` or a text such as `"n - 1"`. With
///         `("4*x + 1", "4*x + 1")`, the variable is equal to this expression. An integer is a range of one value, and
///         `None` is any value. A `range` of step 1 excludes its end, as in Python.
///     assume: conditions that hold at every point.
///     step: a dict from names to a modulus, or to `(modulus, residue)`.
///     uniform: names of variables that have one value for a whole launch of the kernel.
///     loop: names of the variables that count nested loops, the outermost first. Several loop nests are given as a
///         list of lists.
///     unrolled: names of variables that count the copies of an unrolled loop.
///     nonempty: names of variables whose ranges are never empty, for all values of the variables in their ends.
///     opaque: a dict from names to the text of the value in CUDA, such as `{"row": "rows[i]"}`.
///     defined: guarantees that no expression divides by 0 in the domain.
///
/// Raises:
///     DomainError: a text cannot be read, with the place. Contradicting facts raise an error at the first question.
///     ValueError: a name cannot be read back from a text.
///     ParseError: an end or a condition is not an expression, with the place.
///
/// >>> domain = quaff.Domain({"n": (1, 64), "i": (0, "n - 1")}, assume="i < 32")
/// >>> domain
/// quaff.Domain('n=1..64, i=0..n - 1, assume i < 32')
/// >>> domain == quaff.Domain("n=1..64, i=0..n - 1, assume i < 32")
/// True
#[pyclass(name = "Domain", module = "quaff", frozen)]
pub(crate) struct PyDomain(pub(crate) Domain);

/// Adds the facts of `object`: a dict, a text or another domain.
pub(crate) fn declare(domain: &mut Domain, object: &Bound<'_, PyAny>) -> PyResult<()> {
    if object.is_none() {
        return Ok(());
    }
    if let Ok(text) = object.cast::<PyString>() {
        let text = text.to_string_lossy();
        return domain.declare_all(&text).map_err(|e| errors::placed("DomainError", &e, Some(&text)));
    }
    if let Ok(more) = object.cast::<PyDomain>() {
        // a domain is added as text, because its text can be read back
        let text = more.get().0.to_string();
        return domain.declare_all(&text).map_err(|e| errors::placed("DomainError", &e, Some(&text)));
    }
    let Ok(dict) = object.cast::<PyDict>() else {
        let ty = object.get_type().name()?;
        return Err(PyTypeError::new_err(format!("the variables are a dict, a text or a Domain, and not {ty}")));
    };
    for (name, range) in dict {
        let name = name.extract::<String>().map_err(|_| PyTypeError::new_err("the names of variables are texts"))?;
        domain.add_bounds(readable(&name)?, bounds(&name, &range)?);
    }
    Ok(())
}

/// The range of a variable.
pub(crate) fn bounds(name: &str, range: &Bound<'_, PyAny>) -> PyResult<Bounds> {
    if range.is_none() {
        return Ok(Bounds::default());
    }
    if let Ok(range) = range.cast::<PyRange>() {
        let (start, stop) = (range.start()? as i64, range.stop()? as i64);
        if range.step()? != 1 {
            return Err(PyValueError::new_err(format!("the range of {name:?} has a step: give it as `step`")));
        }
        return Ok(Bounds::new(Some(int(start)), Some(int(stop.saturating_sub(1)))));
    }
    if let Some(value) = integer(range)? {
        return Ok(Bounds::new(Some(int(value)), Some(int(value))));
    }
    let pair = range.cast::<PyTuple>().map(|t| t.to_list()).or_else(|_| range.cast::<PyList>().cloned());
    match pair {
        Ok(pair) if pair.len() == 2 => Ok(Bounds::new(end(&pair.get_item(0)?)?, end(&pair.get_item(1)?)?)),
        _ => Err(PyTypeError::new_err(format!(
            "the range of {name:?} is (lower, upper) with inclusive ends, an integer, a range or None, and not {}",
            range.get_type().name()?
        ))),
    }
}

fn end(object: &Bound<'_, PyAny>) -> PyResult<Option<Expr>> {
    if object.is_none() { Ok(None) } else { Ok(Some(object.extract::<Asked>()?.expr)) }
}

/// The conditions in an argument, which is one condition or a list.
fn conditions(object: &Bound<'_, PyAny>) -> PyResult<Vec<Expr>> {
    if let Ok(one) = object.cast::<PyString>() {
        return Ok(vec![read(&one.to_string_lossy())?.into_expr()]);
    }
    if let Ok(one) = object.cast::<PyExpr>() {
        return Ok(vec![one.get().0.clone()]);
    }
    object.try_iter()?.map(|item| Ok(item?.extract::<Asked>()?.expr)).collect()
}

/// The names in an argument, which is one name or a list.
fn names(object: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(one) = object.cast::<PyString>() {
        return Ok(vec![one.to_string()]);
    }
    object.try_iter()?.map(|item| item?.extract::<String>()).collect()
}

/// The keyword arguments of the constructor.
struct Said<'a, 'py> {
    assume: Option<&'a Bound<'py, PyAny>>,
    step: Option<&'a Bound<'py, PyDict>>,
    uniform: Option<&'a Bound<'py, PyAny>>,
    loops: Option<&'a Bound<'py, PyAny>>,
    unrolled: Option<&'a Bound<'py, PyAny>>,
    nonempty: Option<&'a Bound<'py, PyAny>>,
    opaque: Option<&'a Bound<'py, PyDict>>,
    defined: bool,
}

impl Said<'_, '_> {
    fn add_to(&self, mut domain: Domain) -> PyResult<Domain> {
        for (name, step) in self.step.into_iter().flatten() {
            let name: String = name.extract()?;
            let (modulus, residue) = match integer(&step)? {
                Some(modulus) => (modulus, 0),
                None => step.extract::<(i64, i64)>()?,
            };
            declared(&domain, &name, "step")?;
            domain.add_stride(name, modulus, residue);
        }
        for (name, text) in self.opaque.into_iter().flatten() {
            domain = domain.opaque(readable(&name.extract::<String>()?)?, text.extract::<String>()?, ..);
        }
        for name in self.uniform.map(names).transpose()?.unwrap_or_default() {
            declared(&domain, &name, "uniform")?;
            domain = domain.launch_invariant(name);
        }
        for nest in self.loops.map(nests).transpose()?.unwrap_or_default() {
            nest.iter().try_for_each(|name| declared(&domain, name, "loop"))?;
            domain = domain.loop_nest(nest);
        }
        for name in self.unrolled.map(names).transpose()?.unwrap_or_default() {
            declared(&domain, &name, "unrolled")?;
            domain = domain.unrolled(name);
        }
        for name in self.nonempty.map(names).transpose()?.unwrap_or_default() {
            declared(&domain, &name, "nonempty")?;
            domain = domain.nonempty(name);
        }
        for condition in self.assume.map(conditions).transpose()?.unwrap_or_default() {
            domain = domain.assume(condition);
        }
        Ok(if self.defined { domain.defined() } else { domain })
    }
}

/// The loop nests in an argument, which is a list of names or a list of such lists.
fn nests(object: &Bound<'_, PyAny>) -> PyResult<Vec<Vec<String>>> {
    if object.cast::<PyString>().is_err() && object.extract::<Vec<String>>().is_err() {
        return object.try_iter()?.map(|nest| names(&nest?)).collect();
    }
    Ok(vec![names(object)?])
}

fn declared(domain: &Domain, name: &str, keyword: &str) -> PyResult<()> {
    match domain.contains(name) {
        true => Ok(()),
        false => Err(PyKeyError::new_err(format!(
            "`{keyword}` names {name:?}, which has no range; declare it, with None when nothing is known"
        ))),
    }
}

/// An end of an interval. An open end is `None`.
type End = Option<i64>;

#[pymethods]
impl PyDomain {
    #[new]
    #[pyo3(signature = (vars = None, *, assume = None, step = None, uniform = None, r#loop = None, unrolled = None, nonempty = None, opaque = None, defined = false))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn new(
        vars: Option<Given>,
        assume: Option<&Bound<'_, PyAny>>,
        step: Option<&Bound<'_, PyDict>>,
        uniform: Option<&Bound<'_, PyAny>>,
        r#loop: Option<&Bound<'_, PyAny>>,
        unrolled: Option<&Bound<'_, PyAny>>,
        nonempty: Option<&Bound<'_, PyAny>>,
        opaque: Option<&Bound<'_, PyDict>>,
        defined: bool,
    ) -> PyResult<PyDomain> {
        let said = Said { assume, step, uniform, loops: r#loop, unrolled, nonempty, opaque, defined };
        Ok(PyDomain(said.add_to(Given::or_empty(vars).domain().clone())?))
    }

    /// This domain with additional variables and facts. The constructor has the same keywords.
    ///
    /// All earlier facts still hold.
    ///
    /// >>> quaff.Domain("i=0..3").extended({"j": (0, 9)}, assume="i < j")
    /// quaff.Domain('i=0..3, j=0..9, assume i < j')
    #[pyo3(signature = (vars = None, *, assume = None, step = None, uniform = None, r#loop = None, unrolled = None, nonempty = None, opaque = None, defined = false))]
    #[allow(clippy::too_many_arguments, reason = "keywords")]
    fn extended(
        &self,
        vars: Option<&Bound<'_, PyAny>>,
        assume: Option<&Bound<'_, PyAny>>,
        step: Option<&Bound<'_, PyDict>>,
        uniform: Option<&Bound<'_, PyAny>>,
        r#loop: Option<&Bound<'_, PyAny>>,
        unrolled: Option<&Bound<'_, PyAny>>,
        nonempty: Option<&Bound<'_, PyAny>>,
        opaque: Option<&Bound<'_, PyDict>>,
        defined: bool,
    ) -> PyResult<PyDomain> {
        let mut domain = self.0.clone();
        if let Some(vars) = vars {
            declare(&mut domain, vars)?;
        }
        let said = Said { assume, step, uniform, loops: r#loop, unrolled, nonempty, opaque, defined };
        said.add_to(domain).map(PyDomain)
    }

    /// The names of the variables, in the order in which they were declared.
    #[getter]
    fn vars(&self) -> Vec<String> {
        self.0.vars().map(str::to_string).collect()
    }

    /// The conditions that are assumed.
    #[getter]
    fn assumptions(&self) -> Vec<PyExpr> {
        self.0.assumptions().iter().cloned().map(PyExpr).collect()
    }

    /// `(lower, upper)` of all values that a variable can have. An open end is None.
    ///
    /// Symbolic ends are replaced by numbers that they can reach.
    ///
    /// Raises:
    ///     KeyError: the variable is not declared.
    ///     DomainError: the facts about the variables contradict each other.
    ///
    /// >>> quaff.Domain("n=1..64, i=0..n - 1").bounds("i")
    /// (0, 63)
    fn bounds(&self, name: &str) -> PyResult<(End, End)> {
        let facts = self.0.resolve().map_err(|e| errors::other("DomainError", &e))?;
        let known = self.0.position(name).and_then(|at| facts.get(at));
        let known = known.ok_or_else(|| PyKeyError::new_err(name.to_string()))?;
        Ok((known.interval.lo(), known.interval.hi()))
    }

    fn __contains__(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<PyDomain>().is_ok_and(|other| other.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.0.vars().for_each(|name| name.hash(&mut hasher));
        hasher.finish()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("quaff.Domain({})", PyString::new(py, &self.0.to_string()).repr()?))
    }

    /// Pickles the domain as text.
    ///
    /// Raises:
    ///     ValueError: a name has other characters than letters, digits, `_` and single dots, so that the text does not
    ///         read back.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let text = slf.get().0.to_string();
        if text.parse::<Domain>().is_ok_and(|again| again == slf.get().0) {
            return Ok((slf.get_type().into_any(), (text,)));
        }
        Err(PyValueError::new_err(format!("a domain with names that text cannot read back does not pickle: {text}")))
    }
}
