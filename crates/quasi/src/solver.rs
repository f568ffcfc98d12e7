//! The installed SMT solvers, and a session with one of them that always ends.

use easy_smt::{Context, ContextBuilder, Response, SExpr};
use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::Deref;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The extra time for a solver that should end itself at its time limit. After this time, the process is killed.
const GRACE: Duration = Duration::from_secs(2);

/// The solvers that were started in this process and did not answer the first command. They are not started again.
static SILENT: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// A solver program that was found in a folder of `PATH`.
#[derive(Clone, Debug)]
pub struct Solver {
    name: &'static str,
    program: PathBuf,
}

impl Solver {
    /// The installed solvers. The preferred one is first.
    pub fn installed() -> Vec<Solver> {
        ["z3", "cvc5"].into_iter().filter_map(|name| Some(Solver { name, program: on_path(name)? })).collect()
    }

    /// The solvers that did not answer.
    pub fn silent() -> Vec<PathBuf> {
        SILENT.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// Starts a session with a new process. The process should end itself after `limit`, even in the middle of a step.
    /// Otherwise the session ends the process soon after.
    ///
    /// # Errors
    /// An [`io::Error`] if the process cannot be started, is not a solver, or did not answer in an earlier session.
    pub fn start(&self, limit: Duration) -> io::Result<Session> {
        let seconds = limit.as_secs_f64().ceil().max(1.0) as u64;
        let millis = limit.as_millis().max(1);
        let args = match self.name {
            "z3" => vec!["-smt2".into(), "-in".into(), "-v:0".into(), format!("-t:{millis}"), format!("-T:{seconds}")],
            _ => vec!["--quiet".into(), "--lang=smt2".into(), "--incremental".into(), format!("--tlimit={millis}")],
        };
        self.first_answer(|| Session::new(self.process(&args, limit)?))
    }

    /// The name and the version, for example `z3 4.13.0`. `None` if the solver prints nothing within `limit`.
    pub fn version(&self, limit: Duration) -> Option<String> {
        let line = self.first_answer(|| self.process(&["--version".into()], limit)?.line()).ok()?;
        let number = line.split_whitespace().find(|w| w.starts_with(|c: char| c.is_ascii_digit()) && w.contains('.'));
        Some(format!("{} {}", self.name, number.unwrap_or("of unknown version")))
    }

    fn process(&self, args: &[String], limit: Duration) -> io::Result<Process> {
        Process::start(Command::new(&self.program).args(args), limit)
    }

    /// Runs `ask`, which starts a process, and returns its result. Returns an error if the solver did not answer in an
    /// earlier session.
    fn first_answer<T>(&self, ask: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
        let silent = || SILENT.lock().unwrap_or_else(PoisonError::into_inner);
        if silent().contains(&self.program) {
            return Err(io::Error::new(io::ErrorKind::TimedOut, format!("{} did not answer before", self.name)));
        }
        let answer = ask();
        if answer.as_ref().is_err_and(|e| e.kind() == io::ErrorKind::TimedOut) {
            silent().insert(self.program.clone());
        }
        answer
    }
}

fn on_path(name: &str) -> Option<PathBuf> {
    let name = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    std::env::split_paths(&std::env::var_os("PATH")?).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// A process that communicates in lines. Neither side can block the other, because separate threads write and read. A
/// thread that waits for a line waits no longer than the limit.
struct Process {
    child: Child,
    orders: Sender<String>,
    lines: Receiver<String>,
    limit: Duration,
    /// The time at which the process is ended. `None` if that time exceeds the range of the clock.
    until: Option<Instant>,
}

impl Process {
    fn start(command: &mut Command, limit: Duration) -> io::Result<Process> {
        let limit = limit.saturating_add(GRACE);
        let until = Instant::now().checked_add(limit);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let (orders, taken) = channel::<String>();
        let (read, lines) = channel();
        std::thread::spawn(move || {
            let Some(mut stdin) = stdin else { return };
            // this thread ends with the process, or when the sender is dropped
            let _ = taken.iter().try_for_each(|order| stdin.write_all(order.as_bytes()).and_then(|()| stdin.flush()));
        });
        std::thread::spawn(move || {
            let lines = stdout.into_iter().flat_map(|out| BufReader::new(out).lines()).map_while(Result::ok);
            // this thread ends with the output, or when the receiver is dropped
            for line in lines {
                if read.send(line).is_err() {
                    return;
                }
            }
        });
        Ok(Process { child, orders, lines, limit, until })
    }

    fn send(&self, order: String) -> io::Result<()> {
        self.orders.send(order).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// The next line that the process prints. If no line arrives in time, the process is killed.
    fn line(&mut self) -> io::Result<String> {
        let line = match self.until {
            Some(until) => self.lines.recv_timeout(until.saturating_duration_since(Instant::now())),
            None => self.lines.recv().map_err(RecvTimeoutError::from),
        };
        line.map_err(|e| match e {
            RecvTimeoutError::Timeout => {
                let _ = self.child.kill();
                let why = format!("it did not answer within {} seconds and was ended", self.limit.as_secs());
                io::Error::new(io::ErrorKind::TimedOut, why)
            }
            // a solver closes its output when it ends itself at its own limit
            RecvTimeoutError::Disconnected => {
                io::Error::new(io::ErrorKind::UnexpectedEof, "it ended without an answer")
            }
        })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A session with a solver. Expressions are made as with [`Context`], and commands are sent to the process. The process
/// ends when this value is dropped.
pub struct Session {
    context: Context,
    listener: Listener,
}

/// The receiver of the commands.
enum Listener {
    Solver(Process),
    /// No process. The commands are recorded, one on each line.
    Paper(String),
}

impl Deref for Session {
    type Target = Context;

    fn deref(&self) -> &Context {
        &self.context
    }
}

impl Session {
    /// A session without a process. The [text](Self::written) of the commands is kept. No question has an answer.
    ///
    /// # Errors
    /// An [`io::Error`] if a [`Context`] without a process cannot be made. No such case is known.
    pub fn on_paper() -> io::Result<Session> {
        Ok(Session { context: ContextBuilder::new().build()?, listener: Listener::Paper(String::new()) })
    }

    /// The recorded commands of a session without a process.
    pub fn written(&self) -> Option<&str> {
        match &self.listener {
            Listener::Solver(_) => None,
            Listener::Paper(text) => Some(text),
        }
    }

    fn new(process: Process) -> io::Result<Session> {
        let mut session = Session { context: ContextBuilder::new().build()?, listener: Listener::Solver(process) };
        session.order("(set-option :print-success true)")?;
        session.order("(set-option :produce-models true)")?;
        Ok(session)
    }

    /// Sends `order` and returns the answer.
    fn ask(&mut self, order: &str) -> io::Result<String> {
        let process = match &mut self.listener {
            Listener::Solver(process) => process,
            Listener::Paper(text) => {
                text.extend([order, "\n"]);
                return Ok(if order == "(check-sat)" { "unknown" } else { "success" }.into());
            }
        };
        process.send(format!("{order}\n"))?;
        let mut answer = String::new();
        loop {
            answer.push_str(&process.line()?);
            if !answer.trim().is_empty() && is_whole(&answer) {
                return Ok(answer);
            }
            answer.push(' ');
        }
    }

    /// Sends a command that the solver only confirms.
    fn order(&mut self, order: &str) -> io::Result<()> {
        match self.ask(order)?.trim() {
            "success" => Ok(()),
            other => Err(unexpected(other)),
        }
    }

    /// Declares the constant `name`.
    pub fn declare_const(&mut self, name: String, sort: SExpr) -> io::Result<SExpr> {
        self.order(&format!("(declare-const {name} {})", self.display(sort)))?;
        Ok(self.atom(name))
    }

    /// Gives `value` the name `name`.
    pub fn define_const(&mut self, name: String, sort: SExpr, value: SExpr) -> io::Result<SExpr> {
        self.order(&format!("(define-fun {name} () {} {})", self.display(sort), self.display(value)))?;
        Ok(self.atom(name))
    }

    /// Adds the assertion `holds`.
    pub fn assert(&mut self, holds: SExpr) -> io::Result<()> {
        self.order(&format!("(assert {})", self.display(holds)))
    }

    /// Begins a frame of assertions.
    pub fn push(&mut self) -> io::Result<()> {
        self.order("(push)")
    }

    /// Removes the assertions of the last frame.
    pub fn pop(&mut self) -> io::Result<()> {
        self.order("(pop)")
    }

    /// Checks whether the assertions can hold.
    pub fn check(&mut self) -> io::Result<Response> {
        match self.ask("(check-sat)")?.trim() {
            "sat" => Ok(Response::Sat),
            "unsat" => Ok(Response::Unsat),
            "unknown" => Ok(Response::Unknown),
            other => Err(unexpected(other)),
        }
    }

    /// The values of `exprs` in a model, in their order. Each value is a number, or another expression that the solver
    /// prints.
    pub fn get_value(&mut self, exprs: &[SExpr]) -> io::Result<Vec<SExpr>> {
        let all: Vec<String> = exprs.iter().map(|e| self.display(*e).to_string()).collect();
        let answer = self.ask(&format!("(get-value ({}))", all.join(" ")))?;
        let pairs = self.read(&answer).and_then(|pairs| {
            let pairs = self.get_list(pairs)?.iter();
            pairs.map(|pair| self.get_list(*pair).filter(|pair| pair.len() == 2).map(|pair| pair[1])).collect()
        });
        pairs.filter(|values: &Vec<SExpr>| values.len() == exprs.len()).ok_or_else(|| unexpected(&answer))
    }

    /// Reads the first expression of `text`, which must not contain quoted text.
    fn read(&self, text: &str) -> Option<SExpr> {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let mut open: Vec<Vec<SExpr>> = Vec::new();
        for word in spaced.split_whitespace() {
            let read = match word {
                "(" => {
                    open.push(Vec::new());
                    continue;
                }
                ")" => self.list(open.pop()?),
                atom => self.atom(atom),
            };
            match open.last_mut() {
                Some(list) => list.push(read),
                None => return Some(read),
            }
        }
        None
    }
}

/// Whether all brackets of `answer` outside of quotes are closed.
fn is_whole(answer: &str) -> bool {
    let (mut depth, mut quoted) = (0_i64, false);
    for c in answer.chars() {
        match c {
            '"' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            _ => {}
        }
    }
    depth <= 0 && !quoted
}

fn unexpected(answer: &str) -> io::Error {
    io::Error::other(format!("it answered `{}`", answer.trim()))
}

/// Reads the number in a model: `7` or `(- 7)`.
pub fn read_number(context: &Context, value: SExpr) -> Option<i64> {
    let magnitude = |e: SExpr| context.get_atom(e)?.parse::<i64>().ok();
    match context.get_list(value) {
        Some([minus, e]) if context.get_atom(*minus) == Some("-") => magnitude(*e)?.checked_neg(),
        Some(_) => None,
        None => magnitude(value),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::{Process, Session, read_number};
    use std::io::ErrorKind;
    use std::process::Command;
    use std::time::Duration;

    /// Starts a session with a script that answers each line.
    fn with(script: &str) -> std::io::Result<Session> {
        Session::new(Process::start(Command::new("sh").args(["-c", script]), Duration::from_secs(300))?)
    }

    #[test]
    fn answers_may_take_several_lines() {
        let script = "read a; echo success; read a; echo; echo success; read a; echo '((x 7)'; echo ' (y (- 12)))'; \
                      read a; echo '(error \"a (bracket\")'";
        let mut session = with(script).expect("it answers");
        let [x, y] = ["x", "y"].map(|name| session.atom(name));
        let values = session.get_value(&[x, y]).expect("two values");
        assert_eq!(values.iter().map(|v| read_number(&session, *v)).collect::<Vec<_>>(), [Some(7), Some(-12)]);
        assert_eq!(session.check().expect_err("no answer to that").to_string(), "it answered `(error \"a (bracket\")`");
    }

    #[test]
    fn a_process_that_ends_or_is_none_is_an_error() {
        assert_eq!(with("read a; echo success; exit 3").err().expect("it ended").kind(), ErrorKind::UnexpectedEof);
        let missing = Process::start(&mut Command::new("/nowhere/z3"), Duration::ZERO);
        assert_eq!(missing.err().expect("not there").kind(), ErrorKind::NotFound);
    }

    /// The process may have children that keep its output open.
    #[test]
    fn a_process_that_does_not_answer_is_ended() {
        for script in ["exec sleep 1000", "sleep 30; true", "read a; echo success; exec sleep 1000"] {
            let started = Process::start(Command::new("sh").args(["-c", script]), Duration::ZERO).expect("it starts");
            let error = Session::new(started).err().expect("no answer");
            assert_eq!(error.kind(), ErrorKind::TimedOut, "{script}");
            assert_eq!(error.to_string(), "it did not answer within 2 seconds and was ended", "{script}");
        }
    }
}
