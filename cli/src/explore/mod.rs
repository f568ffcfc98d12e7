//! `quaff explore`: the explorer in a browser, served on the loopback address.

mod server;

use crate::dialect;
use crate::input;
use crate::output::print_text;
use crate::report::{Failure, io_failure};
use clap::Args;
use quaff_dialects::Dialect;
use quaff_rewrite::Language;
use server::Server;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
The page has six views of one input: the answer, the steps to it, its memory accesses, layouts, whole kernels, and the rules. Its
address holds all inputs. `Save as page` writes one HTML file that needs no server.

Nothing but the loopback address is listened on, and the address has a random token. ^C ends the server.

Examples:
  quaff explore
  quaff explore kernel.cu
  quaff explore --port 8080 --no-browser";

/// Show an index, its answer and its memory accesses in the browser
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// A file to begin with: expressions, a kernel as JSON, or a source file of CUDA, C or Triton
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// Language of the file; by default that of its ending, else `infix`
    #[arg(long, value_name = "DIALECT", value_parser = dialect::dialects(), requires = "file")]
    from: Option<Dialect>,

    /// Port to listen on; 0 takes a free one
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    port: u16,

    /// Open no browser
    #[arg(long)]
    no_browser: bool,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let fragment = args.file.as_deref().map(|file| fragment(file, args.from)).transpose()?.unwrap_or_default();
    let failed = |error| Failure::Io { what: format!("the port {} of the loopback address", args.port), error };
    let server = Server::bind(args.port).map_err(failed)?;
    let address = server.address() + &fragment;
    print_text(&format!("{address}\n"))?;
    eprintln!("quaff: the explorer is at this address; ^C ends it");
    if !args.no_browser
        && let Err(e) = open::that_detached(&address)
    {
        eprintln!("quaff: no browser was opened: {e}");
    }
    server.run().map_err(failed)
}

/// The fragment of the address that holds the text of `file`.
fn fragment(file: &Path, from: Option<Dialect>) -> Result<String, Failure> {
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
    let from = from.unwrap_or(of_ending);
    let mut pairs = form_urlencoded::Serializer::for_suffix(String::from("#"), 1);
    pairs.append_pair("view", view).append_pair("text", &text).append_pair("from", from.name());
    Ok(pairs.finish())
}
