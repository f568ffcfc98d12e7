//! The lines of a batch: where they come from, and how they get to the threads and back in order.

use super::line::{Line, answer_line};
use super::service::Service;
use rayon::ThreadPool;
use same_file::Handle;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{TryRecvError, channel, sync_channel};

/// Lines that are read and not yet written: enough to keep all cores busy while one line takes long, few enough that
/// memory stays small.
const UNDER_WAY: usize = 1024;

/// A file, or standard input.
pub(super) struct Input {
    pub(super) lines: Box<dyn BufRead + Send>,
    /// In bytes, where it is known.
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

/// Why answering ended early.
pub(super) enum Ended<E> {
    /// The input could not be read.
    Reading(io::Error),
    /// Whoever takes the answers wants no more.
    Writing(E),
}

/// Answers all lines on the threads of `pool`, each when it has been read, whether or not another follows.
///
/// `take` gets the answers in the order of their lines, and `None` when no other is ready: whoever waits for those that
/// are can have them then.
pub(super) fn answer_all<E>(
    pool: &Arc<ThreadPool>,
    service: &Arc<Service>,
    lines: impl Iterator<Item = io::Result<Numbered>> + Send + 'static,
    mut take: impl FnMut(Option<Line>) -> Result<(), E>,
) -> Result<(), Ended<E>> {
    let (begin, begun) = sync_channel(UNDER_WAY);
    let (give, given) = channel();
    let (pool, service) = (pool.clone(), service.clone());
    // reading waits for whoever sends the next line, so it has a thread of its own; nobody waits for that
    std::thread::spawn(move || {
        for (at, line) in lines.enumerate() {
            // waits while so many are under way; fails when nobody wants the answers any more
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
                let Ok(one) = given.recv() else { return Ok(()) };
                one
            }
        };
        ready.insert(at, answer);
        while let Some(answer) = ready.remove(&next) {
            next += 1;
            // as many answers as lines were begun
            let _ = begun.recv();
            take(Some(answer.map_err(Ended::Reading)?)).map_err(Ended::Writing)?;
        }
    }
}
