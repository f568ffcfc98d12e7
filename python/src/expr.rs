//! `quaff.Expr`.

use crate::arguments::{Asked, operand, read, readable};
use crate::dialects;
use crate::errors;
use crate::function::PyFunction;
use crate::substitution::{renamed, substituted};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyKeyError, PyOverflowError, PyTypeError, PyValueError, PyZeroDivisionError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use quaff::expr::{self, Dag, Expr, Op};
use std::hash::{DefaultHasher, Hash, Hasher};

/// An integer index expression over mathematical integers; `//` is floor division and `%` floor modulo, as in Python.
///
/// `Expr("(i*16 + j) // 4")` reads text, `Expr.var("i")` is a variable, `Expr(5)` a constant. The operators `+ - * // % & | ^ << >>`,
/// unary `-` and the comparisons `< <= > >=` build expressions; the other operand may be an integer. `==` compares structure and
/// is a bool, so that expressions can be keys; the expressions are `a.eq(b)` and `a.ne(b)`. A condition is 1 or 0.
#[pyclass(name = "Expr", module = "quaff", frozen)]
#[derive(Clone)]
pub(crate) struct PyExpr(pub(crate) Expr);

/// Text that is printed at most, in `str` and `repr`.
const SHOWN: usize = 1 << 16;

impl PyExpr {
    pub(crate) fn text(e: &Expr) -> String {
        e.to_infix(SHOWN).unwrap_or_else(|_| format!("<expression of {} nodes>", e.tree_size()))
    }

    fn built(&self, op: Op, other: &Bound<'_, PyAny>, is_left: bool) -> PyResult<Option<PyExpr>> {
        let Some(other) = operand(other)? else { return Ok(None) };
        let args = if is_left { [self.0.clone(), other] } else { [other, self.0.clone()] };
        made(op, args).map(Some)
    }

    fn quotient_and_remainder(&self, py: Python<'_>, other: &Bound<'_, PyAny>, is_left: bool) -> PyResult<Py<PyAny>> {
        match (self.built(Op::FloorDiv, other, is_left)?, self.built(Op::FloorMod, other, is_left)?) {
            (Some(quotient), Some(remainder)) => Ok((quotient, remainder).into_pyobject(py)?.into_any().unbind()),
            _ => Ok(py.NotImplemented()),
        }
    }
}

fn made(op: Op, args: impl IntoIterator<Item = Expr>) -> PyResult<PyExpr> {
    Expr::try_new(op, args).map(PyExpr).map_err(|e| PyTypeError::new_err(e.to_string()))
}

/// `NotImplemented` where the other operand is none, so that Python asks it.
fn or_not_implemented(py: Python<'_>, made: Option<PyExpr>) -> PyResult<Py<PyAny>> {
    match made {
        Some(e) => Ok(Py::new(py, e)?.into_any()),
        None => Ok(py.NotImplemented()),
    }
}

#[pymethods]
impl PyExpr {
    #[new]
    fn new(value: Asked) -> PyExpr {
        PyExpr(value.expr)
    }

    /// The variable `name`: letters, digits, `_` and single dots, such as `threadIdx.x`.
    ///
    /// Raises:
    ///     ValueError: texts cannot read the name back.
    #[staticmethod]
    fn var(name: &str) -> PyResult<PyExpr> {
        readable(name).map(|name| PyExpr(expr::var(name)))
    }

    /// The node `op(*args)`, with the name of an operator from `quaff.OPERATORS`; `Expr.make("var", "i")` and
    /// `Expr.make("const", 5)` are leaves.
    ///
    /// Raises:
    ///     ValueError: there is no such operator.
    ///     TypeError: it takes another number of operands.
    #[staticmethod]
    #[pyo3(signature = (op, *args))]
    fn make(op: &str, args: &Bound<'_, PyTuple>) -> PyResult<PyExpr> {
        match op {
            "var" => PyExpr::var(&args.extract::<(String,)>()?.0),
            "const" => Ok(PyExpr(args.extract::<(Asked,)>()?.0.expr)),
            _ => {
                let Some(op) = Op::named(op) else {
                    return Err(PyValueError::new_err(format!("no operator is called {op:?}")));
                };
                made(op, args.extract::<Vec<Asked>>()?.into_iter().map(|a| a.expr))
            }
        }
    }

    /// The expression that `text` is, as infix text (Python's grammar) or, where it begins with `(` and an operator, as an
    /// s-expression. With a `dialect`, such as "cuda", the text has the grammar and the meaning of that language.
    ///
    /// Raises:
    ///     ParseError: with the place.
    ///     ValueError: there is no such dialect; the text has several results or relies on the ranges of its variables, and `quaff.read`
    ///         says on what.
    #[staticmethod]
    #[pyo3(signature = (text, dialect = None))]
    fn parse(text: &str, dialect: Option<&str>) -> PyResult<PyExpr> {
        if let Some(dialect) = dialect {
            let (mut results, requirements) = {
                let found = dialects::found(text, dialect)?;
                (found.results, found.requirements)
            };
            return match (results.pop(), results.is_empty() && requirements.is_empty()) {
                (Some(one), true) => Ok(PyExpr(one.into_expr())),
                _ => Err(PyValueError::new_err("the text has several results or relies on ranges: see `quaff.read`")),
            };
        }
        if !text.trim_start().starts_with('(') {
            return read(text).map(|parsed| PyExpr(parsed.into_expr()));
        }
        let error = match expr::parse_sexp(text) {
            Ok(parsed) => return Ok(PyExpr(parsed.into_expr())),
            Err(error) => error,
        };
        match expr::parse(text) {
            Ok(parsed) => Ok(PyExpr(parsed.into_expr())),
            // what it was meant to be is what was read further
            Err(infix) if infix.span().start >= error.span().start => Err(errors::unread(infix, text)),
            Err(_) => Err(errors::placed("ParseError", &error, Some(text))),
        }
    }

    /// The name of the operator: one of `quaff.OPERATORS`, `"var"` or `"const"`.
    #[getter]
    fn op(&self) -> &'static str {
        self.0.op().name()
    }

    /// The operands, a tuple of `Expr`.
    #[getter]
    fn args<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.0.args().iter().cloned().map(PyExpr))
    }

    /// The value of a constant, else None.
    #[getter]
    fn value(&self) -> Option<i64> {
        self.0.as_const()
    }

    /// The name of a variable, else None.
    #[getter]
    fn name(&self) -> Option<&str> {
        match self.0.op() {
            Op::Var(name) => Some(name),
            _ => None,
        }
    }

    /// The names of the variables, each once, in the order in which they stand.
    #[getter]
    fn variables(&self) -> Vec<String> {
        let flat = expr::FlatNodes::of(std::slice::from_ref(&self.0));
        flat.names.iter().map(|name| name.to_string()).collect()
    }

    /// `a == b` as an expression: 1 or 0.
    fn eq(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.equals(other.expr))
    }

    /// `a != b` as an expression: 1 or 0.
    fn ne(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.differs(other.expr))
    }

    /// 1 where this is 0, else 0.
    fn logical_not(&self) -> PyExpr {
        PyExpr(self.0.not())
    }

    /// 1 where this and `other` are not 0, else 0. `&` is the bitwise one, which is the same of conditions.
    fn logical_and(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.and(other.expr))
    }

    /// 1 where this or `other` is not 0, else 0.
    fn logical_or(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.or(other.expr))
    }

    /// `then` where this is not 0, else `otherwise`.
    fn select(&self, then: Asked, otherwise: Asked) -> PyExpr {
        PyExpr(expr::select(self.0.clone(), then.expr, otherwise.expr))
    }

    /// The smaller of this and `other`.
    fn min(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.min(other.expr))
    }

    /// The larger of this and `other`.
    fn max(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.max(other.expr))
    }

    /// This divided by `other`, rounded towards zero as in C.
    fn trunc_div(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.trunc_div(other.expr))
    }

    /// The remainder of `trunc_div`, which has the sign of this.
    fn trunc_mod(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.trunc_mod(other.expr))
    }

    /// The value where each variable has the value in `values`, a dict of integers.
    ///
    /// Raises:
    ///     KeyError: a variable has no value.
    ///     ZeroDivisionError: something divides by 0.
    ///     quaff.EvalError: a value is outside of 128 bits, or a shift is out of reach.
    #[pyo3(signature = (values = None, **named))]
    fn eval(&self, values: Option<&Bound<'_, PyDict>>, named: Option<&Bound<'_, PyDict>>) -> PyResult<i128> {
        let mut known = std::collections::BTreeMap::new();
        for dict in [values, named].into_iter().flatten() {
            for (name, value) in dict {
                known.insert(name.extract::<String>()?, value.extract::<i64>()?);
            }
        }
        self.0.eval(|name| known.get(name).copied()).map_err(|failure| failed(&failure))
    }

    /// This with other expressions in the place of parts, all at once.
    ///
    /// Args:
    ///     parts: a dict from the name of a variable, or from a part that is an `Expr`, to an expression, an integer or a text. The largest
    ///         parts are replaced first.
    ///     named: the same for names: `e.subs(i=3)`.
    #[pyo3(signature = (parts = None, /, **named))]
    fn subs(&self, parts: Option<&Bound<'_, PyDict>>, named: Option<&Bound<'_, PyDict>>) -> PyResult<PyExpr> {
        substituted(&self.0, [parts, named]).map(PyExpr)
    }

    /// This with other names of its variables: `e.rename(i="x", j="y")`. Names may be exchanged.
    ///
    /// Raises:
    ///     ValueError: two variables would have one name, or texts cannot read a name.
    #[pyo3(signature = (names = None, /, **named))]
    fn rename(&self, names: Option<&Bound<'_, PyDict>>, named: Option<&Bound<'_, PyDict>>) -> PyResult<PyExpr> {
        renamed(&self.0, [names, named]).map(PyExpr)
    }

    /// Its parts, operands before what is made of them, and this last. A shared part is there once.
    fn walk<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dag = Dag::with_origins(std::slice::from_ref(&self.0));
        let parts = (0..).take(dag.nodes().len()).map(|id| PyExpr(dag.origin(id).clone()));
        Ok(PyList::new(py, parts)?.try_iter()?.into_any())
    }

    /// A function of the values of `names`, by default of `variables`. It takes integers, and arrays of them as numpy broadcasts them.
    ///
    /// >>> import quaff
    /// >>> quaff.Expr("i*16 + j").lambdify("i", "j")(2, 5)
    /// 37
    ///
    /// Raises:
    ///     KeyError: a variable is not among `names`.
    #[pyo3(signature = (*names))]
    fn lambdify(&self, names: Vec<String>) -> PyResult<PyFunction> {
        PyFunction::new(&self.0, if names.is_empty() { self.variables() } else { names })
    }

    /// The s-expression, for example `(// (+ (* i 16) j) 4)`.
    ///
    /// Raises:
    ///     OverflowError: it is longer than 16 million characters.
    fn sexp(&self) -> PyResult<String> {
        let text = self.0.to_sexp(expr::DISPLAY_LIMIT);
        text.map_err(|e| PyOverflowError::new_err(e.to_string()))
    }

    /// The number of nodes when shared parts are counted as often as they occur.
    #[getter]
    fn tree_size(&self) -> u64 {
        self.0.tree_size()
    }

    fn __add__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Add, other, true)?)
    }

    fn __radd__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Add, other, false)?)
    }

    fn __sub__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Sub, other, true)?)
    }

    fn __rsub__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Sub, other, false)?)
    }

    fn __mul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Mul, other, true)?)
    }

    fn __rmul__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Mul, other, false)?)
    }

    fn __floordiv__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::FloorDiv, other, true)?)
    }

    fn __rfloordiv__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::FloorDiv, other, false)?)
    }

    fn __mod__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::FloorMod, other, true)?)
    }

    fn __rmod__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::FloorMod, other, false)?)
    }

    fn __and__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::BitAnd, other, true)?)
    }

    fn __rand__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::BitAnd, other, false)?)
    }

    fn __or__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::BitOr, other, true)?)
    }

    fn __ror__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::BitOr, other, false)?)
    }

    fn __xor__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::BitXor, other, true)?)
    }

    fn __rxor__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::BitXor, other, false)?)
    }

    fn __lshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Shl, other, true)?)
    }

    fn __rlshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Shl, other, false)?)
    }

    fn __rshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Shr, other, true)?)
    }

    fn __rrshift__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, self.built(Op::Shr, other, false)?)
    }

    /// The quotient and the remainder.
    fn __divmod__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.quotient_and_remainder(py, other, true)
    }

    fn __rdivmod__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        self.quotient_and_remainder(py, other, false)
    }

    /// The product of so many factors.
    ///
    /// Raises:
    ///     ValueError: the exponent is negative or above 64, or there is a modulus.
    fn __pow__(&self, py: Python<'_>, exponent: &Bound<'_, PyAny>, modulus: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let Some(exponent) = operand(exponent)?.and_then(|exponent| exponent.as_const()) else {
            return Ok(py.NotImplemented());
        };
        if !(0..=64).contains(&exponent) || modulus.is_some() {
            return Err(PyValueError::new_err("a power has an exponent from 0 to 64, and no modulus"));
        }
        let power =
            (0..exponent).fold(None, |all: Option<Expr>, _| Some(all.map_or(self.0.clone(), |all| all * &self.0)));
        or_not_implemented(py, Some(PyExpr(power.unwrap_or_else(|| expr::int(1)))))
    }

    /// `2**e` and powers of other powers of 2 as shifts.
    fn __rpow__(&self, py: Python<'_>, base: &Bound<'_, PyAny>, modulus: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        let power_of_2 = |base: &i64| *base > 0 && base.count_ones() == 1;
        match operand(base)?.and_then(|base| base.as_const()).filter(power_of_2) {
            Some(base) if modulus.is_none() => {
                let bits = &self.0 * expr::int(base.trailing_zeros().into());
                or_not_implemented(py, Some(made(Op::Shl, [expr::int(1), bits])?))
            }
            _ => Ok(py.NotImplemented()),
        }
    }

    /// The larger of this and its negative.
    fn __abs__(&self) -> PyExpr {
        PyExpr(self.0.max(-&self.0))
    }

    fn __neg__(&self) -> PyExpr {
        PyExpr(-&self.0)
    }

    fn __pos__(&self) -> PyExpr {
        self.clone()
    }

    fn __invert__(&self) -> PyResult<PyExpr> {
        // -1 has all bits
        made(Op::BitXor, [self.0.clone(), expr::int(-1)])
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Py<PyAny>> {
        let ordered = match op {
            CompareOp::Lt => Op::Lt,
            CompareOp::Le => Op::Le,
            CompareOp::Gt => Op::Gt,
            CompareOp::Ge => Op::Ge,
            CompareOp::Eq | CompareOp::Ne => {
                let same = other.cast::<PyExpr>().is_ok_and(|other| other.get().0 == self.0);
                return Ok((same == matches!(op, CompareOp::Eq)).into_pyobject(py)?.to_owned().into_any().unbind());
            }
        };
        or_not_implemented(py, self.built(ordered, other, true)?)
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.0.hash(&mut hasher);
        hasher.finish()
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err(
            "an expression is neither true nor false: `quaff.prove(condition, domain)` says whether it always holds; write \
             `a.logical_and(b)` for `a and b`, and two comparisons for `a < b < c`",
        ))
    }

    fn __str__(&self) -> String {
        PyExpr::text(&self.0)
    }

    /// The text, within the width and with the fill that `spec` says for texts.
    fn __format__<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        PyString::new(py, &PyExpr::text(&self.0)).call_method1("__format__", (spec,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("quaff.Expr({})", PyString::new(py, &PyExpr::text(&self.0)).repr()?))
    }

    /// Pickles as flat nodes, which keep what is shared.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let read = py.import("quaff._errors")?.getattr("_unpickled_expr")?;
        let flat = expr::FlatNodes::of(std::slice::from_ref(&slf.get().0));
        let names: Vec<&str> = flat.names.iter().map(|n| &**n).collect();
        Ok((read, (flat.words, names, flat.roots).into_pyobject(py)?))
    }
}

pub(crate) fn failed(failure: &expr::EvalFailure) -> PyErr {
    use quaff::expr::{EvalError, EvalFailure};
    let text = failure.to_string();
    match failure {
        EvalFailure::Unknown(_) => PyKeyError::new_err(text),
        EvalFailure::Undefined(EvalError::DivisionByZero) => PyZeroDivisionError::new_err(text),
        EvalFailure::Undefined(_) => errors::plain("EvalError", &text),
    }
}
