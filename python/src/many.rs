//! Simplifies many expressions on several threads.

use crate::answer::{PySimplified, Question};
use crate::arguments::{Asked, Given};
use crate::domain::PyDomain;
use crate::errors;
use crate::simplifier::PySimplifier;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use quaff::domain::Domain;
use quaff::{Simplified, SimplifyError};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The time between two checks for ^C, and between two reports of progress.
const TICK: Duration = Duration::from_millis(100);

/// The domains of expressions: one for all expressions, or one for each.
enum Domains {
    Same(Given),
    Each(Vec<Given>),
}

impl Domains {
    fn of(given: Option<&Bound<'_, PyAny>>, exprs: usize) -> PyResult<Domains> {
        let Some(given) = given else { return Ok(Domains::Same(Given::Made(Domain::new()))) };
        let is_one =
            given.cast::<PyDomain>().is_ok() || given.cast::<PyDict>().is_ok() || given.cast::<PyString>().is_ok();
        if is_one {
            return Ok(Domains::Same(given.extract()?));
        }
        let each: Vec<Given> = given.extract()?;
        if each.len() != exprs {
            return Err(PyValueError::new_err(format!("there are {exprs} expressions and {} domains", each.len())));
        }
        Ok(Domains::Each(each))
    }

    fn given(&self, place: usize) -> &Given {
        match self {
            Domains::Same(given) => given,
            Domains::Each(each) => &each[place],
        }
    }
}

type Answer = Result<Simplified, SimplifyError>;

/// The implementation of [`PySimplifier::simplify_many`].
pub(crate) fn simplify_many<'py>(
    with: &PySimplifier,
    py: Python<'py>,
    exprs: &[Asked],
    domains: Option<&Bound<'py, PyAny>>,
    threads: Option<usize>,
    progress: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Py<PyAny>>> {
    let domains = Domains::of(domains, exprs.len())?;
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = threads.filter(|n| *n > 0).unwrap_or(cores).min(exprs.len().max(1)).min(MAX_THREADS);
    let tell = |done: usize| progress.map_or(Ok(()), |f| f.call1((done, exprs.len())).map(drop));
    tell(0)?;
    let answers = answered(with, py, exprs, &domains, threads, tell)?;
    tell(exprs.len())?;
    let question = |at: usize| Question { exprs: vec![exprs[at].expr.clone()], given: domains.given(at).clone_ref(py) };
    let given_back = |(at, answer): (usize, Option<Answer>)| match answer {
        Some(Ok(answer)) => Ok(Py::new(py, PySimplified::new(answer, question(at).into()))?.into_any()),
        Some(Err(e)) => Ok(errors::simplify(&e, &[exprs[at].parsed.as_ref()]).into_value(py).into_any()),
        None => Err(pyo3::exceptions::PyRuntimeError::new_err("a thread ended before its work")),
    };
    answers.into_iter().enumerate().map(given_back).collect()
}

/// The maximum number of threads of a call. More threads than cores do not help, and many take memory.
const MAX_THREADS: usize = 1024;

/// Answers each of `exprs` on `threads` threads. After every [`TICK`], the interpreter checks for ^C, and `tell`
/// receives the number of answers. An error in one of these two calls ends the threads after their current calls.
fn answered(
    with: &PySimplifier,
    py: Python<'_>,
    exprs: &[Asked],
    domains: &Domains,
    threads: usize,
    tell: impl Fn(usize) -> PyResult<()>,
) -> PyResult<Vec<Option<Answer>>> {
    let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
    let mut answers: Vec<Option<Answer>> = Vec::new();
    answers.resize_with(exprs.len(), || None);
    // many answers share one message, so that the thread of the interpreter is rarely woken
    let (give, given) = channel::<Vec<(usize, Answer)>>();
    // values used without the interpreter's lock must be shareable between threads
    let given = Mutex::new(given);
    let work = |give: std::sync::mpsc::Sender<Vec<(usize, Answer)>>| {
        loop {
            let first = next.fetch_add(CHUNK, Ordering::Relaxed);
            if first >= exprs.len() || stopped.load(Ordering::Relaxed) {
                return;
            }
            let mut done = Vec::with_capacity(CHUNK);
            for (at, asked) in exprs.iter().enumerate().skip(first).take(CHUNK) {
                if stopped.load(Ordering::Relaxed) {
                    return;
                }
                done.push((at, with.simplifier.simplify(&asked.expr, domains.given(at).domain())));
            }
            if give.send(done).is_err() {
                return;
            }
        }
    };
    let outcome = std::thread::scope(|scope| {
        for _ in 0..threads {
            let give = give.clone();
            let work = &work;
            scope.spawn(move || work(give));
        }
        drop(give);
        let (mut done, mut looked) = (0, Instant::now());
        let collected = loop {
            let left = TICK.saturating_sub(looked.elapsed());
            match py.detach(|| given.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(left)) {
                Ok(some) => {
                    done += some.len();
                    some.into_iter().for_each(|(at, answer)| answers[at] = Some(answer));
                }
                Err(RecvTimeoutError::Disconnected) => break Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
            }
            // the clock is checked after every message, because messages may arrive at intervals below `TICK` for
            // minutes
            if looked.elapsed() < TICK {
                continue;
            }
            looked = Instant::now();
            if let Err(e) = py.check_signals().and_then(|()| tell(done)) {
                stopped.store(true, Ordering::Relaxed);
                break Err(e);
            }
        };
        // the threads end after their current calls, and need no lock
        collected
    });
    outcome.map(|()| answers)
}

/// The number of expressions that a thread takes at a time.
const CHUNK: usize = 16;
