//! `quaff explore`: serves the explorer on the loopback address and opens it in a browser.

mod explorer;
mod server;

use crate::dialect;
use crate::input;
use crate::output::print_text;
use crate::report::{Failure, io_failure};
use clap::Args;
pub use explorer::Explorer;
use quaff_dialects::Dialect;
use quaff_rewrite::Language;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The page has six views of one input: the answer, the steps to it, its memory accesses, layouts,
whole kernels, and the rules. The address of the page contains all inputs. `Save as page` writes
one HTML file that needs no server.

The server listens only on the loopback address, and the address of the page has a random token.
^C ends the server.

Examples:
  quaff explore
  quaff explore kernel.cu
  quaff explore --port 8080 --no-browser";

/// Show an index, its answer and its memory accesses in the browser
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file that the page shows first: expressions, a kernel as JSON, or a source file of CUDA, C or Triton
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Language of the file; the default follows from the ending of its name, and is `infix` for other endings
    #[arg(long, value_name = "DIALECT", value_parser = dialect::dialects(), requires = "file")]
    from: Option<Dialect>,

    /// Port to listen on; 0 chooses a free port
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Do not open a browser
    #[arg(long)]
    no_browser: bool,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let fields = args.file.as_deref().map(|file| fields(file, args.from)).transpose()?.unwrap_or_default();
    let failed = |error| Failure::Io { what: format!("the port {} of the loopback address", args.port), error };
    // a panic in a request ends only that request, and the server continues
    std::panic::set_hook(Box::new(|info| {
        eprintln!("quaff: internal error, please report it with the input: {info}");
    }));
    let explorer = Explorer::start(args.port, &fields).map_err(failed)?;
    print_text(&format!("{}\n", explorer.address()))?;
    eprintln!("quaff: the explorer is at this address; ^C ends it");
    if !args.no_browser
        && let Err(e) = explorer.open()
    {
        eprintln!("quaff: no browser was opened: {e}");
    }
    explorer.wait().map_err(failed)
}

/// The fields of the page, filled with the text of `file`.
fn fields(file: &Path, from: Option<Dialect>) -> Result<Vec<(String, String)>, Failure> {
    let text = input::read(file)?;
    if text.len() > quaff_explorer::MAX_REQUEST / 4 {
        let error =
            std::io::Error::other(format!("the explorer takes up to {} bytes", quaff_explorer::MAX_REQUEST / 4));
        return Err(io_failure(file)(error));
    }
    let (of_ending, view) = match Language::of(file) {
        Some(Language::Cuda) => (Dialect::Cuda, "kernel"),
        Some(Language::C) => (Dialect::C, "kernel"),
        Some(Language::Triton) => (Dialect::Triton, "kernel"),
        None if file.extension().is_some_and(|e| e == "json") => (Dialect::Infix, "kernel"),
        None => (Dialect::Infix, "answer"),
    };
    let from = from.unwrap_or(of_ending).name().to_string();
    Ok([("view", view.to_string()), ("text", text), ("from", from)].map(|(name, value)| (name.into(), value)).into())
}
