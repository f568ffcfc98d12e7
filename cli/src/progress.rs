//! Work on many cases: threads, and how far it is.

use crate::report::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::io;

/// A bar on standard error when that is a terminal and the size of the work is known.
pub(crate) fn bar(size: Option<u64>) -> ProgressBar {
    let Some(size) = size else { return ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  {eta}");
    match style {
        Ok(style) => ProgressBar::new(size).with_style(style),
        Err(_) => ProgressBar::hidden(),
    }
}

/// So many threads; 0 means one for each core.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|e| Failure::Io { what: "threads".into(), error: io::Error::other(e) })
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps a panic's message for the line that caused it, in place of printing it among the progress.
pub(crate) fn remember_panics() {
    std::panic::set_hook(Box::new(|info| LAST_PANIC.with(|p| *p.borrow_mut() = info.to_string())));
}

/// What to say of a case that panicked on this thread.
pub(crate) fn internal_error() -> String {
    format!("internal error {}", LAST_PANIC.with(|p| p.take()))
}
