//! `quaff layout`: operations on layouts `shape:stride` and on functions of bits, and facts about their results.

mod linear;
mod refused;
mod report;

use crate::dialect::Reading;
use crate::input::{self, Assumptions};
use crate::json;
use crate::output::write_whole;
use crate::report::{Failure, Given, Problem, io_failure};
use clap::Args;
use quaff::domain::Domain;
use quaff_fronts::layout::{Evaluated, Layout, LayoutError, Value, evaluate_in};
use refused::{Refused, refused, said};
use report::Report;
use std::io::Write as _;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
A layout is `shape:stride` in nested tuples. A number `8` is the layout `8:1`. The leftmost mode
varies fastest. `A o B` applies B, then A, and `Swizzle<3,3,3> o A` is a swizzled layout. TILES is
one layout, or one layout for each mode: `(32, 16)` or `<32:1, 16:2>`. Operations:
  coalesce(A), coalesce_modes(A), flatten(A), complement(A, END), compose(A, B)
  left_inverse(A), right_inverse(A)
  logical_divide(A, TILES), zipped_divide, tiled_divide, flat_divide
  logical_product(A, B), blocked_product, raked_product
  row_major(SIZES), col_major(SIZES), make_layout(A, ..), mode(A, NUMBER)

A function of bits, as in Triton, has the bases of each input, and a size for each output:
`{x: [(1,0), (2,2)], y: [(0,1)]} -> {row: 4, column: 4}`. Without sizes, the outputs are called
dim0, dim1 and so on. `A o B` applies B, then A, and `A * B` is the product. Operations:
  invert(A), left_inverse, right_inverse
  invert_and_compose(A, B), divide_left(A, B), divide_right(A, B)
  sublayout(A, [x], [row]), transpose_ins(A, [y, x]), transpose_outs
  reshape_ins(A, {x: 8}), reshape_outs, flatten_ins(A, x), flatten_outs
  identity(SIZE, x, y), strided(SIZE, STRIDE, x, y), zeros(SIZE, x, y, OUT_SIZE)
  linear(LAYOUT, [x, y], z), and layout(A), which is A as `shape:stride`

Sizes and strides may be expressions with the names of `--var`: `(M,N//4):(N,1)`. The engine proves
the conditions of an operation, or reports a condition that is not proved.

Examples:
  quaff layout '(4,8):(8,1) o 32:1'
  quaff layout 'complement((4,2):(1,8), 64)'
  quaff layout 'zipped_divide((64,64):(64,1), (32,16))' --draw tiles.svg
  quaff layout 'invert({register: [1, 2], lane: [4, 9, 16]})'
  quaff layout 'zipped_divide((M,N):(N,1), (8,N))' --var 'M=8..4096 step 8' --var N=1..4096
  quaff layout --index 'i%4*8 + i//4 + j*32' --var i=0..7 --var j=0..1";

/// Compute with CuTe layouts `shape:stride`: compose, complement, divide, invert
///
/// Prints the layout, its size and cosize, whether the layout is injective and surjective, and the index as CUDA text. A layout is
/// injective if different coordinates have different indices. A layout is surjective if each number from the least to the greatest index is
/// an index. If the result of an operation is no layout, the error names a coordinate at which it fails.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The layout, or operations on layouts; read from standard input when absent or `-`
    #[arg(value_name = "LAYOUT", conflicts_with = "index", allow_hyphen_values = true)]
    layout: Option<String>,

    /// Find the layout of this index. Each variable of `--var` becomes one mode of the layout
    #[arg(long, value_name = "EXPR", allow_hyphen_values = true, requires = "vars")]
    index: Option<String>,

    /// The range of a name in a size or a stride, written as for `simplify`. With `--index`, the name is a coordinate, and its range begins
    /// at 0; may be given several times
    #[arg(long = "var", help_heading = "Variables and conditions", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    #[command(flatten)]
    assumptions: Assumptions,

    #[command(flatten)]
    reading: Reading,

    /// Names of the coordinates in the text: one for each mode, or one that counts through all modes. With `--index`, the default is the
    /// variables of `--var`. Otherwise it is `c` for one mode, or `c0`, `c1` and so on
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    names: Vec<String>,

    /// Draw the index of each coordinate
    #[arg(long, value_name = "FILE")]
    draw: Option<PathBuf>,

    /// Print one JSON object: layout, coalesced, size, cosize, injective, surjective, coordinates, index, cost, input_cost and notes. The
    /// object also has these fields of `simplify`: cuda, params, results, divisors and renamed. The object for a function of bits has
    /// linear, ins, outs, rank, injective, surjective, free, index, cost, input_cost and the fields of `simplify`
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let mut names = args.names.clone();
    let Evaluated { value, notes } = match &args.index {
        Some(index) => {
            let coordinates = coordinates(args)?;
            if names.is_empty() {
                names = coordinates.iter().map(|(name, _)| name.clone()).collect();
            }
            Evaluated { value: Value::Layout(found(args, index, &coordinates)?), notes: Vec::new() }
        }
        None => {
            let (text, file) = input::text(args.layout.as_deref(), "layout")?;
            let text = text.trim_end();
            let domain = input::domain(&args.vars, &[], &args.assumptions, &args.reading)?;
            let evaluated = evaluate_in(text, &domain).map_err(|e| Problem::in_file(&e, file, text))?;
            for note in &evaluated.notes {
                Problem::at_place(&Refused::Beyond { help: said(note) }, file, text, note.span.clone()).warn();
            }
            evaluated
        }
    };
    let out = match value {
        Value::Layout(layout) => {
            if let Some(path) = &args.draw {
                let picture = layout.svg(&layout.to_string()).map_err(refused)?;
                write_whole(path, |out| out.write_all(picture.as_bytes()))?;
            }
            Report::of_numbers(&names, &layout, &notes)?.printed(args.json)
        }
        Value::Symbolic(_) if args.draw.is_some() => return Err(Problem::new(&Refused::Names).into()),
        Value::Symbolic(layout) => Report::of_names(&names, &layout, &notes)?.printed(args.json),
        Value::Linear(_) if args.draw.is_some() => {
            return Err(Problem::new(&Refused::Linear { what: "picture" }).into());
        }
        Value::Linear(_) if !names.is_empty() => {
            return Err(Problem::new(&Refused::Linear { what: "other names" }).into());
        }
        Value::Linear(layout) => {
            let report = linear::Report::new(&layout)?;
            if args.json { json::indented(&report) } else { report.text() }
        }
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}

/// The variables of `--var`, with the sizes of their ranges.
fn coordinates(args: &Arguments) -> Result<Vec<(String, i64)>, Failure> {
    let mut domain = Domain::new();
    input::declare(&mut domain, &args.vars, &args.reading)?;
    let facts = domain.resolve().map_err(|e| Problem::new(&e))?;
    let mut coordinates = Vec::new();
    for name in domain.vars() {
        let fact = facts.iter().find(|fact| &*fact.name == name && fact.lower.is_none() && fact.upper.is_none());
        let fact = fact.filter(|fact| fact.congruence.modulus() == 1);
        let range = fact.and_then(|fact| fact.interval.bounded()).filter(|(low, _)| *low == 0);
        let size = range.and_then(|(_, high)| high.checked_add(1));
        let size = size.ok_or_else(|| Problem::new(&Refused::Range { name: name.to_string() }))?;
        coordinates.push((name.to_string(), size));
    }
    Ok(coordinates)
}

/// The layout that `--index` describes.
fn found(args: &Arguments, index: &str, coordinates: &[(String, i64)]) -> Result<Layout, Failure> {
    let given: Given = args.reading.one(index, "--index")?;
    let coordinates: Vec<(&str, i64)> = coordinates.iter().map(|(name, size)| (name.as_str(), *size)).collect();
    let found = Layout::of_index(given.parsed.expr(), &coordinates);
    found.map_err(|e| match &e {
        LayoutError::Unknown(unknown) => {
            Problem::at_variable(&e, &given, &unknown.name).unwrap_or_else(|| Problem::new(&e)).into()
        }
        _ => Problem::at_whole(&e, &given).into(),
    })
}
