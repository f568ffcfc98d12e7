//! `quaff.Expr`: integer expressions.

use crate::arguments::{Asked, readable};
use crate::building::{failed, made, or_not_implemented, parsed, power, shifted};
use crate::function::PyFunction;
use crate::substitution::{renamed, substituted};
use pyo3::basic::CompareOp;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use quaff::expr::{self, Dag, Expr, Op};
use std::hash::{DefaultHasher, Hash, Hasher};

/// An integer index expression over mathematical integers. `//` is floor division and `%` floor modulo, as in Python.
///
/// `Expr("(i*16 + j) // 4")` reads text, `Expr.var("i")` is a variable, and `Expr(5)` is a constant. The operators
/// `+ - * // % & | ^ << >>`, unary `-` and the comparisons `< <= > >=` build expressions. The other operand may be an
/// integer. `==` compares structure and returns a bool, so that expressions can be keys of dicts. `a.eq(b)` and
/// `a.ne(b)` build comparisons. A condition is 1 or 0.
///
/// >>> i = quaff.Expr.var("i")
/// >>> (i*16 + 3)//4
/// quaff.Expr('(i*16 + 3)//4')
/// >>> quaff.Expr("(i*16 + 3)//4") == (i*16 + 3)//4
/// True
#[pyclass(name = "Expr", module = "quaff", frozen)]
#[derive(Clone)]
pub(crate) struct PyExpr(pub(crate) Expr);

/// The largest number of bytes of text in `str` and `repr`.
const SHOWN: usize = 1 << 16;

impl PyExpr {
    pub(crate) fn text(e: &Expr) -> String {
        e.to_infix(SHOWN).unwrap_or_else(|_| format!("<expression of {} nodes>", e.tree_size()))
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
    ///     ValueError: the name cannot be read back from a text.
    ///
    /// >>> quaff.Expr.var("threadIdx.x") + 1
    /// quaff.Expr('threadIdx.x + 1')
    #[staticmethod]
    fn var(name: &str) -> PyResult<PyExpr> {
        readable(name).map(|name| PyExpr(expr::var(name)))
    }

    /// The node `op(*args)`. `op` is the name of an operator in `quaff.OPERATORS`. `Expr.make("var", "i")` and
    /// `Expr.make("const", 5)` are leaves.
    ///
    /// Raises:
    ///     ValueError: the operator is unknown.
    ///     TypeError: the operator takes another number of operands.
    ///
    /// >>> quaff.Expr.make("min", "i", 3)
    /// quaff.Expr('min(i, 3)')
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

    /// The expression in `text`, which is infix text with the grammar of Python. A text that begins with `(` and an
    /// operator is an s-expression.
    ///
    /// With a `dialect`, such as "cuda", the text has the grammar and the meaning of that language.
    ///
    /// Raises:
    ///     ParseError: the text cannot be read, with the place.
    ///     ValueError: the dialect is unknown, or the text has several results, or its meaning depends on the ranges of
    ///         its variables. `quaff.read` returns these ranges.
    ///
    /// >>> quaff.Expr.parse("(// (+ i 1) 4)")
    /// quaff.Expr('(i + 1)//4')
    /// >>> quaff.Expr.parse("a / 4", dialect="c")
    /// quaff.Expr('truncdiv(a, 4)')
    #[staticmethod]
    #[pyo3(signature = (text, dialect = None))]
    fn parse(text: &str, dialect: Option<&str>) -> PyResult<PyExpr> {
        parsed(text, dialect)
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

    /// The value of a constant, otherwise None.
    #[getter]
    fn value(&self) -> Option<i64> {
        self.0.as_const()
    }

    /// The name of a variable, otherwise None.
    #[getter]
    fn name(&self) -> Option<&str> {
        match self.0.op() {
            Op::Var(name) => Some(name),
            _ => None,
        }
    }

    /// The names of the variables in the order in which they first appear. Each name appears once.
    #[getter]
    fn variables(&self) -> Vec<String> {
        let flat = expr::FlatNodes::of(std::slice::from_ref(&self.0));
        flat.names.iter().map(|name| name.to_string()).collect()
    }

    /// `a == b` as an expression: 1 or 0.
    ///
    /// >>> quaff.Expr("i").eq("j + 1")
    /// quaff.Expr('i == j + 1')
    fn eq(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.equals(other.expr))
    }

    /// `a != b` as an expression: 1 or 0.
    ///
    /// >>> quaff.Expr("i").ne(0)
    /// quaff.Expr('i != 0')
    fn ne(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.differs(other.expr))
    }

    /// 1 if this expression is 0, else 0.
    ///
    /// >>> quaff.Expr("i < 4").logical_not().eval(i=4)
    /// 1
    fn logical_not(&self) -> PyExpr {
        PyExpr(self.0.not())
    }

    /// 1 if both this expression and `other` are not 0, else 0.
    ///
    /// The bitwise operator `&` gives the same result for conditions.
    ///
    /// >>> quaff.Expr("i").logical_and("j").eval(i=1, j=2)
    /// 1
    fn logical_and(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.and(other.expr))
    }

    /// 1 if this expression or `other` is not 0, else 0.
    ///
    /// >>> quaff.Expr("i < 4").logical_or("i > 8")
    /// quaff.Expr('i < 4 or i > 8')
    fn logical_or(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.or(other.expr))
    }

    /// `then` if this expression is not 0, else `otherwise`.
    ///
    /// >>> quaff.Expr("i < 4").select("i", 0)
    /// quaff.Expr('where(i < 4, i, 0)')
    fn select(&self, then: Asked, otherwise: Asked) -> PyExpr {
        PyExpr(expr::select(self.0.clone(), then.expr, otherwise.expr))
    }

    /// The smaller of this expression and `other`.
    ///
    /// >>> quaff.Expr("i").min(3)
    /// quaff.Expr('min(i, 3)')
    fn min(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.min(other.expr))
    }

    /// The larger of this expression and `other`.
    ///
    /// >>> quaff.Expr("i").max("j").eval(i=2, j=5)
    /// 5
    fn max(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.max(other.expr))
    }

    /// This expression divided by `other`, rounded towards zero as in C.
    ///
    /// >>> quaff.Expr("i").trunc_div(4).eval(i=-7), quaff.Expr("i//4").eval(i=-7)
    /// (-1, -2)
    fn trunc_div(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.trunc_div(other.expr))
    }

    /// The remainder of `trunc_div`, which has the sign of this expression.
    ///
    /// >>> quaff.Expr("i").trunc_mod(4).eval(i=-7), quaff.Expr("i%4").eval(i=-7)
    /// (-3, 1)
    fn trunc_mod(&self, other: Asked) -> PyExpr {
        PyExpr(self.0.trunc_mod(other.expr))
    }

    /// The value of the expression at a point. `values` is a dict from names to integers.
    ///
    /// Raises:
    ///     KeyError: a variable has no value.
    ///     ZeroDivisionError: a divisor is 0.
    ///     quaff.EvalError: a value is outside of 128 bits, or a shift amount is invalid.
    ///
    /// >>> quaff.Expr("i*16 + j").eval(i=2, j=3)
    /// 35
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

    /// This expression with some parts replaced by other expressions. All parts are replaced at once.
    ///
    /// Args:
    ///     parts: a dict from the name of a variable, or from a part that is an `Expr`, to an expression, an integer or
    ///         a text. The largest parts are replaced first.
    ///     named: replacements of variables, as keywords: `e.subs(i=3)`.
    ///
    /// >>> quaff.Expr("i*16 + j").subs(i="k//2", j=3)
    /// quaff.Expr('k//2*16 + 3')
    #[pyo3(signature = (parts = None, /, **named))]
    fn subs(&self, parts: Option<&Bound<'_, PyDict>>, named: Option<&Bound<'_, PyDict>>) -> PyResult<PyExpr> {
        substituted(&self.0, [parts, named]).map(PyExpr)
    }

    /// This expression with renamed variables: `e.rename(i="x", j="y")`.
    ///
    /// Two variables may exchange their names.
    ///
    /// Raises:
    ///     ValueError: two variables would get the same name, or a name cannot be read back from a text.
    ///
    /// >>> quaff.Expr("i*16 + j").rename(i="j", j="i")
    /// quaff.Expr('j*16 + i')
    #[pyo3(signature = (names = None, /, **named))]
    fn rename(&self, names: Option<&Bound<'_, PyDict>>, named: Option<&Bound<'_, PyDict>>) -> PyResult<PyExpr> {
        renamed(&self.0, [names, named]).map(PyExpr)
    }

    /// All parts of the expression, each after its operands. The last part is the expression itself.
    ///
    /// A shared part appears once.
    ///
    /// >>> [str(part) for part in quaff.Expr("(i + 1)*4").walk()]
    /// ['i', '1', 'i + 1', '4', '(i + 1)*4']
    fn walk<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let dag = Dag::with_origins(std::slice::from_ref(&self.0));
        let parts = (0..).take(dag.nodes().len()).map(|id| PyExpr(dag.origin(id).clone()));
        Ok(PyList::new(py, parts)?.try_iter()?.into_any())
    }

    /// A function of the values of `names`, by default of `variables`. It takes integers or arrays of integers, which
    /// are broadcast as in numpy.
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
    ///     OverflowError: the text is longer than 16 million characters.
    ///
    /// >>> quaff.Expr("(i*16 + j)//4").sexp()
    /// '(// (+ (* i 16) j) 4)'
    fn sexp(&self) -> PyResult<String> {
        let text = self.0.to_sexp(expr::DISPLAY_LIMIT);
        text.map_err(|e| PyOverflowError::new_err(e.to_string()))
    }

    /// The number of nodes. A shared subexpression counts as often as it occurs.
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

    /// The product of `exponent` factors.
    ///
    /// Raises:
    ///     ValueError: the exponent is negative or above 64, or there is a modulus.
    fn __pow__(&self, py: Python<'_>, exponent: &Bound<'_, PyAny>, modulus: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, power(&self.0, exponent, modulus.is_some())?)
    }

    /// `2**e`, or a power of another power of 2, as a shift.
    fn __rpow__(&self, py: Python<'_>, base: &Bound<'_, PyAny>, modulus: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        or_not_implemented(py, shifted(base, &self.0, modulus.is_some())?)
    }

    /// The absolute value.
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
        // all bits of -1 are set, so `^` inverts every bit
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

    /// The text of the expression, formatted by `spec` like a string.
    fn __format__<'py>(&self, py: Python<'py>, spec: &str) -> PyResult<Bound<'py, PyAny>> {
        PyString::new(py, &PyExpr::text(&self.0)).call_method1("__format__", (spec,))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("quaff.Expr({})", PyString::new(py, &PyExpr::text(&self.0)).repr()?))
    }

    /// Pickles the expression as flat nodes, which keep shared parts.
    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyTuple>)> {
        let py = slf.py();
        let read = py.import("quaff._errors")?.getattr("_unpickled_expr")?;
        let flat = expr::FlatNodes::of(std::slice::from_ref(&slf.get().0));
        let names: Vec<&str> = flat.names.iter().map(|n| &**n).collect();
        Ok((read, (flat.words, names, flat.roots).into_pyobject(py)?))
    }
}
