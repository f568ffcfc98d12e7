//! Runs the program under test.
#![allow(dead_code)] // each test file uses its part

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::mpsc;
use std::time::Duration;

/// The time after which a run counts as hanging. On an idle machine, every test takes less than a tenth of it.
const HANGS: Duration = Duration::from_secs(300);

/// The result of one run.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for Run {
    fn from(o: Output) -> Run {
        Run {
            code: o.status.code().unwrap_or(-1),
            stdout: String::from_utf8(o.stdout).expect("UTF-8"),
            stderr: String::from_utf8(o.stderr).expect("UTF-8"),
        }
    }
}

/// Runs `quaff` without input.
pub(crate) fn quaff(args: &[&str]) -> Run {
    quaff_with(args, b"")
}

/// Runs `quaff` with `input` on standard input. Fails if the program hangs.
pub(crate) fn quaff_with(args: &[&str], input: &[u8]) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_quaff"))
        .args(args)
        .env_remove("RUST_BACKTRACE")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_vec();
    // in a thread, because the program writes while it reads; it may also end before it has read everything
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let id = child.id();
    let (send, receive) = mpsc::channel();
    std::thread::spawn(move || send.send(child.wait_with_output().expect("the program ends")));
    let out = receive.recv_timeout(HANGS).unwrap_or_else(|_| {
        let _ = Command::new("kill").arg(id.to_string()).status();
        panic!("`quaff {}` hangs", args.join(" "))
    });
    writer.join().expect("no panic");
    out.into()
}

/// A text with each command, followed by the exit code, the output and the messages of `quaff`. Spaces at line ends are
/// removed.
pub(crate) fn transcript(commands: &[&[&str]]) -> String {
    let mut text = String::new();
    for command in commands {
        let Run { code, stdout, stderr } = quaff(command);
        let errors: String = stderr.lines().map(|l| l.trim_end().to_string() + "\n").collect();
        text += &format!("$ quaff {}\nexit {code}\n{stdout}{errors}\n", quoted(command));
    }
    text
}

/// The arguments, quoted for a shell.
pub(crate) fn quoted(command: &[&str]) -> String {
    let quote = |a: &&str| if a.contains([' ', '*', '(', '%', '<']) { format!("'{a}'") } else { a.to_string() };
    command.iter().map(quote).collect::<Vec<String>>().join(" ")
}

/// A running `quaff` that is connected by pipes.
pub(crate) struct Talk {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: Lines<BufReader<ChildStdout>>,
}

impl Talk {
    pub(crate) fn start(args: &[&str]) -> Talk {
        Talk::with_messages(args, Stdio::null())
    }

    /// Starts `quaff`, with its messages sent to `stderr`.
    pub(crate) fn with_messages(args: &[&str], stderr: Stdio) -> Talk {
        let mut child = Command::new(env!("CARGO_BIN_EXE_quaff"))
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(stderr)
            .spawn()
            .expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped")).lines();
        Talk { stdin: child.stdin.take(), stdout, child }
    }

    /// Sends bytes, and keeps the pipe open.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        let stdin = self.stdin.as_mut().expect("not closed");
        stdin.write_all(bytes).and_then(|()| stdin.flush()).expect("the program reads");
    }

    /// Waits for the next line of the answer.
    pub(crate) fn line(&mut self) -> String {
        self.stdout.next().expect("a line").expect("UTF-8")
    }

    /// Sends a signal while the program waits for more input. Returns whether the signal ended the program.
    #[cfg(unix)]
    pub(crate) fn end_by(mut self, signal: &str) -> bool {
        use std::os::unix::process::ExitStatusExt;
        let sent = Command::new("kill").args([&format!("-{signal}"), &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|s| s.success()), "kill -{signal}");
        let ended = self.child.wait().expect("it ends");
        ended.signal().is_some() || ended.code() == Some(130)
    }

    /// Closes the pipe. Returns the exit code.
    pub(crate) fn end(mut self) -> i32 {
        self.stdin = None;
        self.child.wait().expect("it ends").code().unwrap_or(-1)
    }
}

/// Runs a line of `sh`, in which `quaff` is the program under test.
pub(crate) fn shell(line: &str) -> Run {
    let folder = std::path::Path::new(env!("CARGO_BIN_EXE_quaff")).parent().expect("in a folder");
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap_or_default());
    Command::new("sh").args(["-c", line]).env("PATH", path).output().expect("sh runs").into()
}
