//! Threads and a progress bar for work on many cases.

use crate::report::{Failure, STOPPED as STOPPED_CODE};
use clap::builder::RangedU64ValueParser;
use indicatif::{ProgressBar, ProgressStyle};
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::cell::RefCell;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};

/// A progress bar on standard error. It is hidden when standard error is no terminal, or when the size of the work is
/// unknown.
pub(crate) fn bar(size: Option<u64>) -> ProgressBar {
    let Some(size) = size else { return ProgressBar::hidden() };
    let style = ProgressStyle::with_template("{wide_bar} {percent:>3} %  {msg}  {eta} left");
    match style {
        Ok(style) => ProgressBar::new(size).with_style(style),
        Err(_) => ProgressBar::hidden(),
    }
}

/// The numbers of threads that a command takes: 0 to 1,024. More threads than cores give no speed, and each thread
/// takes memory.
pub(crate) fn threads() -> RangedU64ValueParser<usize> {
    RangedU64ValueParser::new().range(0..=1024)
}

/// A pool of `threads` threads. 0 means one thread for each core.
pub(crate) fn pool(threads: usize) -> Result<ThreadPool, Failure> {
    let built = ThreadPoolBuilder::new().num_threads(threads).build();
    built.map_err(|e| Failure::Io { what: "threads".into(), error: io::Error::other(e) })
}

/// Whether ^C was pressed after a call of [`stop_in_order`].
static STOPPED: AtomicBool = AtomicBool::new(false);

/// After this call, ^C lets the current work finish first. A second ^C ends the program at once.
pub(crate) fn stop_in_order() {
    let stop = || {
        if STOPPED.swap(true, Ordering::Relaxed) {
            std::process::exit(STOPPED_CODE.into());
        }
    };
    // a program that embeds this program may have its own handler, which then takes precedence
    let _ = ctrlc::try_set_handler(stop);
}

pub(crate) fn is_stopped() -> bool {
    STOPPED.load(Ordering::Relaxed)
}

thread_local! {
    static LAST_PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Stores the message of each panic for the report about its line, so that it is not printed over the progress bar.
pub(crate) fn remember_panics() {
    std::panic::set_hook(Box::new(|info| LAST_PANIC.with(|p| *p.borrow_mut() = info.to_string())));
}

/// The message about a case that panicked on this thread.
pub(crate) fn internal_error() -> String {
    format!("internal error {}", LAST_PANIC.with(|p| p.take()))
}
