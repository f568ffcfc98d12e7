//! `quaff.explore`, and the command line program.

use crate::accesses::PySimplifiedAccesses;
use crate::answer::{PySimplified, Question};
use crate::arguments::{Asked, Given};
use crate::explain::PyExplanation;
use crate::layout::PyLayout;
use crate::linear_layout::PyLinearLayout;
use crate::rewrite::PyRewritten;
use crate::symbolic_layout::PySymbolicLayout;
use crate::view::PyView;
use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};
use quaff::access::{Access, Direction};
use quaff::domain::Domain;
use quaff::expr::{DISPLAY_LIMIT, Dag, Expr};
use quaff_cli::Explorer;
use quaff_explorer::{VIEWS, fields_of, is_source};
use quaff_fronts::view::ViewStack;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A running explorer.
///
/// It is made by `explore`. In a `with` statement it is closed at the end.
///
/// >>> explorer = quaff.explore("(i*4 + j)//4", "i=0..9, j=0..3", browser=False)
/// >>> explorer.address.startswith("http://127.0.0.1:")
/// True
/// >>> explorer.close()
#[pyclass(name = "Explorer", module = "quaff", frozen)]
pub(crate) struct PyExplorer {
    address: String,
    running: Mutex<Option<Explorer>>,
}

impl PyExplorer {
    fn is_closed(&self) -> bool {
        self.running.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

#[pymethods]
impl PyExplorer {
    /// The address of the page, with its inputs. It works only on this machine and while the explorer runs.
    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    /// Ends the server. The page then gets no more answers.
    ///
    /// A second call does nothing.
    ///
    /// Raises:
    ///     OSError: the server failed before.
    ///
    /// >>> explorer = quaff.explore(browser=False)
    /// >>> explorer.close()
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner).take();
        let closed = py.detach(|| running.map_or(Ok(()), Explorer::close));
        closed.map_err(|e| PyOSError::new_err(e.to_string()))
    }

    fn __enter__(slf: Py<PyExplorer>) -> Py<PyExplorer> {
        slf
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: &Bound<'_, PyAny>,
        _value: &Bound<'_, PyAny>,
        _traceback: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        self.close(py)
    }

    fn __repr__(&self) -> String {
        if self.is_closed() { "<Explorer, closed>".into() } else { format!("<Explorer at {}>", self.address) }
    }

    /// A link to the page, while the explorer runs.
    fn _repr_html_(&self) -> String {
        if self.is_closed() {
            return "quaff explorer, closed".into();
        }
        let address = self.address.replace('&', "&amp;");
        format!("<a href=\"{address}\" target=\"_blank\" rel=\"noopener\">quaff explorer</a>")
    }
}

/// Opens the explorer on `what`: a page that shows an index, its answer, the steps to it, and its memory accesses.
///
/// A thread of this process serves the page on the loopback address, until the returned object is closed or
/// garbage-collected.
///
/// Args:
///     what: an answer of `simplify`, `explain`, `simplify_accesses` or `rewrite`, which is shown with its question. It
///         may also be a view, a layout, an expression, or a list of expressions or of answers over one domain. A text
///         is an expression, a kernel as JSON, or a source file with its `language`. With `view="layout"`, a text is a
///         layout or a chain of movements. With None, the page shows its examples.
///     domain: the facts about the variables of expressions.
///     language: the dialect of a text, such as "cuda", "c" or "triton". With None, the text is an expression in
///         quaff's own notation.
///     view: "answer", "story", "memory", "layout", "kernel" or "rules". With None, it is the view that suits `what`.
///     port: the port of the loopback address, in 0..65535. 0 selects a free port.
///     browser: whether to open the page in a browser. Otherwise, `address` of the result has the address of the page.
///
/// Raises:
///     OSError: the port is in use.
///     ValueError: the view, dialect or port does not exist, the answers have several domains, or an expression is too
///         long for a page.
///     TypeError: `what` has another type.
///
/// >>> with quaff.explore(quaff.View([8, 12]).permute([1, 0]), browser=False) as explorer:
/// ...     "view=layout" in explorer.address
/// True
#[pyfunction]
#[pyo3(signature = (what = None, domain = None, *, language = None, view = None, port = 0, browser = true))]
pub(crate) fn explore(
    what: Option<&Bound<'_, PyAny>>,
    domain: Option<Given>,
    language: Option<&str>,
    view: Option<&str>,
    port: i64,
    browser: bool,
) -> PyResult<PyExplorer> {
    let Ok(port) = u16::try_from(port) else {
        return Err(PyValueError::new_err(format!("a port is a number in 0..65535, and not {port}")));
    };
    if let Some(view) = view.filter(|view| !VIEWS.contains(view)) {
        return Err(PyValueError::new_err(format!("no view is called {view:?}: {}", VIEWS.join(", "))));
    }
    let mut page = Page::default();
    if let Some(what) = what {
        page.show(what, language, view)?;
    }
    if let Some(domain) = domain {
        page.declare(domain.domain());
    }
    let running = Explorer::start(port, &page.fields(view)).map_err(|e| PyOSError::new_err(e.to_string()))?;
    if browser {
        running.open().map_err(|e| PyOSError::new_err(format!("no browser was opened: {e}")))?;
    }
    Ok(PyExplorer { address: running.address().into(), running: Mutex::new(Some(running)) })
}

/// The inputs of the page.
#[derive(Default)]
struct Page {
    view: Option<&'static str>,
    /// The names and values in the query of the address.
    inputs: Vec<(String, String)>,
}

impl Page {
    fn add(&mut self, name: &str, value: impl Into<String>) {
        self.inputs.push((name.into(), value.into()));
    }

    fn fields(self, view: Option<&str>) -> Vec<(String, String)> {
        let view = view.or(self.view).map(|view| ("view".to_string(), view.to_string()));
        view.into_iter().chain(self.inputs).collect()
    }

    fn show(&mut self, what: &Bound<'_, PyAny>, language: Option<&str>, view: Option<&str>) -> PyResult<()> {
        if let Ok(text) = what.cast::<PyString>() {
            self.text(&text.to_string_lossy(), language, view)?;
        } else if let Ok(answer) = what.cast::<PySimplified>() {
            self.answer(answer.get())?;
        } else if let Ok(explanation) = what.cast::<PyExplanation>() {
            self.view = Some("story");
            self.question(&explanation.get().question)?;
        } else if let Ok(accesses) = what.cast::<PySimplifiedAccesses>() {
            let accesses = accesses.get();
            self.view = Some("kernel");
            self.add("text", kernel(&accesses.asked)?);
            self.declare(accesses.given.domain());
        } else if let Ok(rewritten) = what.cast::<PyRewritten>() {
            let (text, language, notes) = rewritten.get().asked();
            self.view = Some("kernel");
            self.add("text", text);
            self.add("from", language);
            notes.iter().for_each(|note| self.add("assume", note.as_str()));
        } else if let Ok(layout) = what.cast::<PyLayout>() {
            self.chain(&layout.get().0);
        } else if let Ok(layout) = what.cast::<PyLinearLayout>() {
            self.chain(&layout.get().0);
        } else if let Ok(layout) = what.cast::<PySymbolicLayout>() {
            self.chain(&layout.get().0);
            self.declare(layout.get().0.domain());
        } else if let Ok(view) = what.cast::<PyView>() {
            self.chain(&chain_of(&view.get().0));
            self.declare(view.get().0.domain());
        } else if what.is_instance_of::<PyList>() || what.is_instance_of::<PyTuple>() {
            self.several(what.extract()?)?;
        } else {
            self.exprs(&[expr_of(what)?])?;
        }
        Ok(())
    }

    fn text(&mut self, text: &str, language: Option<&str>, view: Option<&str>) -> PyResult<()> {
        let is_json = text.trim_start().starts_with('{');
        if view == Some("layout") {
            self.chain(&text);
        } else if let Some(language) = language {
            crate::dialects::named(language)?;
            self.view = Some(if is_json || is_source(text) { "kernel" } else { "answer" });
            self.add("text", text);
            self.add("from", language);
        } else if is_json {
            let is_object = serde_json::from_str::<Value>(text);
            is_object
                .map_err(|e| PyValueError::new_err(format!("a text that begins with {{ is a kernel as JSON: {e}")))?;
            self.view = Some("kernel");
            self.add("text", text);
        } else {
            match crate::arguments::read(text) {
                Ok(parsed) => self.exprs(std::slice::from_ref(parsed.expr()))?,
                Err(_) if is_source(text) => {
                    let why = "a source file needs its language: `explore(text, language=\"cuda\")`";
                    return Err(PyValueError::new_err(why));
                }
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    /// Adds expressions as lines, and the questions of answers. All answers must have the same domain.
    fn several(&mut self, all: Vec<Bound<'_, PyAny>>) -> PyResult<()> {
        let (mut exprs, mut domain) = (vec![], None::<Domain>);
        for one in &all {
            match one.cast::<PySimplified>().ok().and_then(|answer| answer.get().question()) {
                Some(question) => {
                    let own = question.given.domain();
                    if domain.as_ref().is_some_and(|domain| domain != own) {
                        return Err(PyValueError::new_err("the answers have several domains, and a page has one"));
                    }
                    domain = Some(own.clone());
                    exprs.extend(question.exprs.iter().cloned());
                }
                None => exprs.push(expr_of(one)?),
            }
        }
        self.exprs(&exprs)?;
        if let Some(domain) = domain {
            self.declare(&domain);
        }
        Ok(())
    }

    /// Adds the question of an answer. If the question is unknown, as for indices of a `Dims`, adds the answer itself.
    fn answer(&mut self, answer: &PySimplified) -> PyResult<()> {
        self.view = Some("answer");
        match answer.question() {
            Some(question) => self.question(question),
            None => {
                let answer = answer.simplified();
                self.exprs(answer.exprs())?;
                let dag = Dag::new(answer.exprs());
                for (node, range) in dag.nodes().iter().zip(answer.ranges()) {
                    if let Some(name) = node.as_variable() {
                        self.add("var", format!("{name}={range}"));
                    }
                }
                Ok(())
            }
        }
    }

    fn question(&mut self, Question { exprs, given }: &Question) -> PyResult<()> {
        self.exprs(exprs)?;
        self.declare(given.domain());
        Ok(())
    }

    fn exprs(&mut self, exprs: &[Expr]) -> PyResult<()> {
        self.view.get_or_insert("answer");
        self.add("text", exprs.iter().map(infix).collect::<PyResult<Vec<_>>>()?.join("\n"));
        Ok(())
    }

    fn chain(&mut self, layout: &dyn std::fmt::Display) {
        self.view = Some("layout");
        self.add("chain", layout.to_string());
    }

    /// Adds the facts of a domain. Ranges have their own fields. Conditions and facts about loops are rows of the
    /// conditions.
    fn declare(&mut self, domain: &Domain) {
        fields_of(domain).into_iter().for_each(|(name, value)| self.add(name, value));
    }
}

/// The expression `what`, or an error that says why the page cannot show `what`.
fn expr_of(what: &Bound<'_, PyAny>) -> PyResult<Expr> {
    let shown = match &*what.get_type().name()?.to_string_lossy() {
        "Dims" => "`dims.get([...])`",
        "Indices" => "`ix.get(...)`",
        "Kernel" => "`k.finish().as_built()` with `language=\"cuda\"`",
        "KernelText" => "`text.as_built()` with `language=\"cuda\"`",
        "Facts" => "expressions with `domain=facts.domain`",
        "Domain" => "expressions with the domain behind them",
        "Simplified" => "answers in a list where their questions are known",
        _ => return Ok(what.extract::<Asked>()?.expr),
    };
    let name = what.get_type().name()?;
    Err(PyTypeError::new_err(format!("the explorer does not show {name}; it shows {shown}")))
}

/// A view as text that the page does not mistake for a layout, because it has a mask or is in row-major order.
fn chain_of(view: &ViewStack) -> String {
    let (text, sizes) = (view.to_string(), view.shape().iter());
    if view.is_contiguous() {
        format!("shape({})", sizes.map(Expr::to_string).collect::<Vec<_>>().join(", "))
    } else if text.contains(", mask") {
        text
    } else {
        text + ", mask" + &sizes.map(|size| format!(" (0, {size})")).collect::<String>()
    }
}

/// The text of an expression, which the page reads back.
fn infix(e: &Expr) -> PyResult<String> {
    e.to_infix(DISPLAY_LIMIT).map_err(|e| PyValueError::new_err(format!("the page cannot show the expression: {e}")))
}

/// The accesses as a kernel in JSON.
fn kernel(accesses: &[Access]) -> PyResult<String> {
    let one = |access: &Access| -> PyResult<Value> {
        let gate = access.gate().condition().map(infix).transpose()?;
        let kind = if matches!(access.direction(), Direction::Load { .. }) { "load" } else { "store" };
        Ok(json!({"expr": infix(access.index())?, "gate": gate, "buf": access.buffer(), "kind": kind}))
    };
    let accesses = accesses.iter().map(one).collect::<PyResult<Vec<_>>>()?;
    Ok(json!({"vars": {}, "accesses": accesses}).to_string())
}

/// Runs the program with the arguments `words`, and returns its exit code. The first word is the name of the program.
/// `library` is the file of this module.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>, library: PathBuf) -> u8 {
    py.detach(|| quaff_cli::run(words, Some(library)))
}
