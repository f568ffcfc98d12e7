//! `quaff dims`: sizes and indices from a text file.

use crate::dims_file::{Answer, FileError, Program, Why};
use crate::report::{Failure, Problem, io_failure};
use clap::Args;
use miette::Diagnostic;
use quaff::kernel::KernelText;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Example, gemv.toml:
  equations = [\"thread = warp * lane\", \"row = pass * warp\"]
  [sizes]
  thread = 256
  lane = 32
  row = 4096
  [set]
  thread = \"threadIdx.x\"
  [[want]]
  enter = [\"loop pass as i\"]
  get = [\"row\", \"lane\"]

  quaff dims gemv.toml
  quaff dims gemv.toml --why warp
  quaff dims gemv.toml --json";

/// Solve sizes and follow indices, from a file
///
/// The file is TOML: equations between products of dimensions, known sizes, scopes, what is set, what is wanted. Prints
/// the sizes, the wanted indices as built and simplified, and CUDA text.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The file; `-` is standard input
    #[arg(value_name = "FILE.toml")]
    file: PathBuf,

    /// Explain where the size and the index of a dimension come from, or why there is none
    #[arg(long, value_name = "DIM")]
    why: Option<String>,

    /// Print one JSON object: sizes, indices, cuda, accesses, cost; or error
    #[arg(long)]
    json: bool,

    /// Print CUDA text only
    #[arg(long, conflicts_with = "json")]
    cuda: bool,
}

type Outcome = (KernelText, Vec<Answer>, Vec<Why>);

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let mut text = String::new();
    if args.file == Path::new("-") {
        std::io::stdin().read_to_string(&mut text).map_err(io_failure(&args.file))?;
    } else {
        text = std::fs::read_to_string(&args.file).map_err(io_failure(&args.file))?;
    }
    let result = Program::read(&text).and_then(|program| {
        if let Some(why) = &args.why {
            program.check_dim(why)?;
        }
        let outcome = program.answer(args.why.as_deref())?;
        Ok((program, outcome))
    });
    let out = match &result {
        Ok((program, outcome)) if args.json => format!("{:#}\n", as_json(program, outcome)),
        Ok((_, (kernel, ..))) if args.cuda => kernel.source.clone(),
        Ok((program, outcome)) => match &args.why {
            Some(name) => explanation(program, name, &outcome.2),
            None => as_text(program, outcome),
        },
        Err(error) if args.json => format!("{:#}\n", json!({ "error": error_json(error) })),
        Err(_) => String::new(),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    result.map(|_| ()).map_err(|e| Problem::new(&e).into())
}

fn as_text(program: &Program, (kernel, answers, _): &Outcome) -> String {
    let mut out = String::from("sizes\n");
    for (name, size, solved) in &program.sizes {
        let _ = writeln!(out, "  {name} = {size}{}", if *solved { "  (solved)" } else { "" });
    }
    let mut place = None;
    for answer in answers {
        if place != Some(&answer.place) {
            let _ = writeln!(out, "indices, {}", answer.place);
            place = Some(&answer.place);
        }
        let _ = writeln!(out, "  {} = {}", answer.name, answer.raw);
        let _ = writeln!(out, "  {:width$} = {}", "", answer.simplified, width = answer.name.chars().count());
    }
    if !answers.is_empty() {
        let _ = writeln!(out, "cost of all indices: {} instructions, as built {}", kernel.cost, kernel.input_cost);
        let _ = write!(out, "CUDA\n{}", kernel.source);
        if !kernel.host.is_empty() {
            let _ = write!(out, "host\n{}", kernel.host);
        }
    }
    out
}

fn explanation(program: &Program, name: &str, whys: &[Why]) -> String {
    let mut out = String::new();
    if let Some((_, size, solved)) = program.sizes.iter().find(|(n, ..)| n == name) {
        let how = if *solved { "solved by the equations" } else { "stated" };
        let _ = writeln!(out, "size of {name}: {size}, {how}");
    }
    for why in whys {
        let _ = writeln!(out, "{name}, {}: {}", why.place, why.text);
    }
    out
}

fn as_json(program: &Program, (kernel, answers, whys): &Outcome) -> Value {
    let sizes: serde_json::Map<String, Value> =
        program.sizes.iter().map(|(name, size, _)| (name.clone(), (*size).into())).collect();
    let index = |a: &Answer| {
        json!({
            "place": a.place, "name": a.name, "raw": a.raw.to_string(), "simplified": a.simplified.to_string(),
        })
    };
    let mut out = json!({
        "sizes": sizes,
        "indices": answers.iter().map(index).collect::<Vec<_>>(),
        "cost": kernel.cost,
        "input_cost": kernel.input_cost,
        "stop": kernel.stop.as_str(),
        "cuda": kernel.source,
        "host": kernel.host,
    });
    if !whys.is_empty() {
        out["why"] = whys.iter().map(|w| json!({"place": w.place, "text": w.text})).collect();
    }
    out
}

fn error_json(error: &FileError) -> Value {
    json!({
        "code": error.code().map(|c| c.to_string()),
        "message": error.to_string(),
        "help": error.help().map(|h| h.to_string()),
    })
}
