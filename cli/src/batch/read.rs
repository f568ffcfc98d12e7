//! Reads the lines of a batch, gives them to threads, and returns their answers in order.

use super::line::{Line, answer_line};
use super::service::Service;
use crate::progress::is_stopped;
use rayon::ThreadPool;
use same_file::Handle;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, TryRecvError, channel, sync_channel};
use std::time::Duration;

/// The largest number of lines that are read and whose answers are not yet written. It is large enough to keep all
/// cores busy while one line takes long, and small enough to limit memory.
const UNDER_WAY: usize = 1024;
/// The time between two checks for ^C while the reader waits for an answer.
const LOOKS: Duration = Duration::from_millis(100);

/// The input: a file, or standard input.
pub(super) struct Input {
    pub(super) lines: Box<dyn BufRead + Send>,
    /// The size in bytes, if it is known.
    pub(super) size: Option<u64>,
    pub(super) handle: io::Result<Handle>,
}

impl Input {
    pub(super) fn open(path: &Path) -> io::Result<Input> {
        if path == Path::new("-") {
            let lines = Box::new(BufReader::new(io::stdin()));
            return Ok(Input { lines, size: None, handle: Handle::stdin() });
        }
        let file = File::open(path)?;
        let found = file.metadata()?;
        let handle = file.try_clone().and_then(Handle::from_file);
        let size = found.is_file().then_some(found.len());
        Ok(Input { lines: Box::new(BufReader::new(file)), size, handle })
    }
}

/// A line to answer: its number in the file, and its bytes.
pub(super) type Numbered = (usize, Vec<u8>);

/// The reason why a batch ended early.
pub(super) enum Ended<E> {
    /// ^C was pressed.
    Stopped,
    /// The input could not be read.
    Reading(io::Error),
    /// The answers could not be written.
    Writing(E),
}

/// Answers all lines on the threads of `pool`. A line is answered as soon as it is read, even when no other line
/// follows.
///
/// `take` receives the answers in the order of their lines. It receives `None` when no other answer is ready, and can
/// then flush its output.
pub(super) fn answer_all<E>(
    pool: &Arc<ThreadPool>,
    service: &Arc<Service>,
    lines: impl Iterator<Item = io::Result<Numbered>> + Send + 'static,
    mut take: impl FnMut(Option<Line>) -> Result<(), E>,
) -> Result<(), Ended<E>> {
    let (begin, begun) = sync_channel(UNDER_WAY);
    let (give, given) = channel();
    let (pool, service) = (pool.clone(), service.clone());
    // reading blocks until the next line arrives, so a separate thread reads. Nothing waits for this thread
    std::thread::spawn(move || {
        for (at, line) in lines.enumerate() {
            // this call blocks while `UNDER_WAY` lines are being answered, and fails when no more answers are taken
            if begin.send(()).is_err() {
                return;
            }
            match line {
                Ok((number, bytes)) => {
                    let (give, service) = (give.clone(), service.clone());
                    pool.spawn_fifo(move || drop(give.send((at, Ok(answer_line(&service, number, &bytes))))));
                }
                Err(e) => return drop(give.send((at, Err(e)))),
            }
        }
    });
    let mut ready = BTreeMap::new();
    let mut next = 0;
    loop {
        let (at, answer) = match given.try_recv() {
            Ok(one) => one,
            Err(TryRecvError::Disconnected) => return Ok(()),
            Err(TryRecvError::Empty) => {
                take(None).map_err(Ended::Writing)?;
                match given.recv_timeout(LOOKS) {
                    Ok(one) => one,
                    Err(RecvTimeoutError::Disconnected) => return Ok(()),
                    Err(RecvTimeoutError::Timeout) if is_stopped() => return Err(Ended::Stopped),
                    Err(RecvTimeoutError::Timeout) => continue,
                }
            }
        };
        ready.insert(at, answer);
        while let Some(answer) = ready.remove(&next) {
            if is_stopped() {
                return Err(Ended::Stopped);
            }
            next += 1;
            // one answer is ready, so one more line may begin
            let _ = begun.recv();
            take(Some(answer.map_err(Ended::Reading)?)).map_err(Ended::Writing)?;
        }
    }
}
