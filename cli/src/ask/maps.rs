//! `quaff ask map` and `quaff ask disjoint`: maps from variables to indices, and accesses with a common address.

use super::asked::{Asked, each_name, texts};
use crate::input;
use crate::parts::at_commas;
use crate::report::{Failure, Given, Problem};
use clap::Args;
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::expr::Expr;
use quaff_ask::{Answer, Inverse, Values, disjoint, injective, inverse, surjective};
use serde::Serialize;
use serde_json::{Map, Value};

/// Whether a map from variables to indices is injective and surjective, and its inverse
///
/// The map has one or several outputs. With `--onto`, each output is a coordinate of a grid of this size. The map is surjective if it
/// reaches each place of the grid. The inverse gives each input as a function of the outputs. The outputs are called `y0`, `y1` and so on,
/// or have the names of `--names`. The inverse has a condition if some places are padding, which the map does not reach.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask map 'x*n + y' --input x --input y --onto 'm*n' --var n=1..4096 --var m=1..4096 \\
      --var 'x=0..m-1' --var 'y=0..n-1'
  quaff ask map 'i//8, i%8' --input i --onto '4, 8' --names tile,lane --var i=0..27")]
pub(crate) struct Arguments {
    /// The outputs of the map, with commas between them; read from standard input when absent or `-`
    #[arg(value_name = "EXPRS", allow_hyphen_values = true)]
    outputs: Option<String>,

    /// The variables that the map is a function of, such as `x,y`, with ranges that begin at 0; may be given several times
    #[arg(long = "input", value_name = "NAMES", required = true)]
    inputs: Vec<String>,

    /// The size of the grid in each output, with commas between the sizes
    #[arg(long, value_name = "EXPRS")]
    onto: Option<String>,

    /// Names of the outputs in the inverse, with commas between them
    #[arg(long, value_name = "NAMES", requires = "onto")]
    names: Option<String>,

    #[command(flatten)]
    asked: Asked,
}

/// Whether two accesses have no address in common
///
/// The inputs may have different values in the two accesses. All other variables have the same value in both accesses. If the accesses have
/// a common address, the command prints two points with this address.
#[derive(Args)]
#[command(after_help = "Examples:
  quaff ask disjoint 't*2' 't*2 + 1' --input t --var t=0..31")]
pub(crate) struct Disjoint {
    /// The index of one access
    #[arg(value_name = "A", allow_hyphen_values = true)]
    a: String,

    /// The index of the other access
    #[arg(value_name = "B", allow_hyphen_values = true)]
    b: String,

    /// The variables that may differ between the two accesses, such as `x,y`; may be given several times
    #[arg(long = "input", value_name = "NAMES", required = true)]
    inputs: Vec<String>,

    #[command(flatten)]
    asked: Asked,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{outputs} outputs, but {found} {what}")]
#[diagnostic(code(quaff::ask::outputs), help("give one for each output, with commas between them"))]
struct BadCount {
    outputs: usize,
    found: usize,
    what: &'static str,
}

#[derive(Serialize)]
struct AnswerJson {
    /// Whether the map is injective. None when that is not proved.
    injective: Option<bool>,
    /// Two points with the same outputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    same: Option<[Value; 2]>,
    /// Whether the map is surjective, with `--onto`. None when that is not proved.
    surjective: Option<bool>,
    /// A point of the extents in `--onto` that is no output.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Vec<i64>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inverse: Option<InverseJson>,
}

#[derive(Serialize)]
struct InverseJson {
    /// The inputs as expressions, in their order.
    inputs: Vec<String>,
    /// The condition under which a point is an output.
    #[serde(skip_serializing_if = "Option::is_none")]
    inside: Option<String>,
}

#[derive(Serialize)]
struct DisjointJson {
    /// Whether the accesses are disjoint. None when that is not proved.
    disjoint: Option<bool>,
    /// Two points with a common address.
    #[serde(skip_serializing_if = "Option::is_none")]
    meet: Option<[Value; 2]>,
}

pub(super) fn run(args: &Arguments) -> Result<(), Failure> {
    let (text, file) = input::text(args.outputs.as_deref(), "outputs")?;
    let read = |text: &str, file: &'static str| {
        at_commas(text).iter().map(|part| args.asked.known.reading.one(part, file)).collect::<Result<Vec<Given>, _>>()
    };
    let given = read(&text, file)?;
    let onto = args.onto.as_deref().map(|onto| read(onto, "--onto")).transpose()?;
    let domain = args.asked.known.domain(&given.iter().chain(onto.iter().flatten()).collect::<Vec<_>>())?;
    let exprs = |given: &[Given]| given.iter().map(|given| given.parsed.expr().clone()).collect::<Vec<Expr>>();
    let (outputs, extents) = (exprs(&given), onto.as_deref().map(exprs));
    let inputs = each_name(&args.inputs);
    let simplifier = Simplifier::default();
    let names = names(args, outputs.len())?;
    let ask = || {
        let (own, same) = answered(injective(&simplifier, &outputs, &inputs, &domain)?);
        let mut answer =
            AnswerJson { injective: own, same: same.map(points), surjective: None, missing: None, inverse: None };
        if let Some(extents) = &extents {
            let onto = surjective(&simplifier, &outputs, extents, &inputs, &domain)?;
            (answer.surjective, answer.missing) = answered(onto);
            let places: Vec<(&str, Expr)> = names.iter().map(String::as_str).zip(extents.iter().cloned()).collect();
            let found = inverse(&simplifier, &outputs, &places, &inputs, &domain)?;
            answer.inverse = found.map(|Inverse { inputs, inside }| InverseJson {
                inputs: texts(&inputs),
                inside: inside.map(|inside| inside.to_string()),
            });
        }
        Ok(answer)
    };
    let Some(answer) = args.asked.found(ask(), &given[0])? else { return Ok(()) };
    args.asked.print(&answer, || text_of(args, &answer))
}

fn names(args: &Arguments, outputs: usize) -> Result<Vec<String>, Failure> {
    let Some(text) = &args.names else { return Ok((0..outputs).map(|at| format!("y{at}")).collect()) };
    let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
    names.iter().try_for_each(|name| input::named("--names", name))?;
    match names.len() == outputs {
        true => Ok(names),
        false => Err(Problem::new(&BadCount { outputs, found: names.len(), what: "names" }).into()),
    }
}

/// Whether the statement holds (None if that is not decided), and a witness if it does not hold.
fn answered<W>(answer: Answer<W>) -> (Option<bool>, Option<W>) {
    match answer {
        Answer::Yes => (Some(true), None),
        Answer::No(witness) => (Some(false), Some(witness)),
        Answer::NotProved => (None, None),
    }
}

fn points(both: [Values; 2]) -> [Value; 2] {
    both.map(|values| {
        Value::Object(values.into_iter().map(|(name, value)| (name.to_string(), value.into())).collect::<Map<_, _>>())
    })
}

pub(super) fn said(holds: Option<bool>) -> &'static str {
    match holds {
        Some(true) => "yes",
        Some(false) => "no",
        None => "not proved",
    }
}

/// The text of a point, such as `x=1, y=2`.
fn at(point: &Value) -> String {
    let values = point.as_object().into_iter().flatten();
    values.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
}

fn text_of(args: &Arguments, answer: &AnswerJson) -> String {
    let mut lines = vec![format!("injective: {}", said(answer.injective))];
    lines.extend(answer.same.iter().map(|[a, b]| format!("  the same at {} and at {}", at(a), at(b))));
    if args.onto.is_some() {
        lines.push(format!("surjective: {}", said(answer.surjective)));
        let place = |place: &Vec<i64>| place.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        lines.extend(answer.missing.iter().map(|missing| format!("  no output is {}", place(missing))));
        match &answer.inverse {
            None => lines.push("inverse: not found".into()),
            Some(found) => {
                let values = each_name(&args.inputs).into_iter().zip(&found.inputs);
                lines.extend(values.map(|(input, value)| format!("{input} = {value}")));
                lines.extend(found.inside.iter().map(|inside| format!("where {inside}")));
            }
        }
    }
    lines.join("\n") + "\n"
}

pub(super) fn accesses(args: &Disjoint) -> Result<(), Failure> {
    let [a, b] = [
        args.asked.known.expression(Some(&args.a), "expression")?,
        args.asked.known.expression(Some(&args.b), "expression")?,
    ];
    let domain = args.asked.known.domain(&[&a, &b])?;
    let inputs = each_name(&args.inputs);
    let found = disjoint(&Simplifier::default(), a.parsed.expr(), b.parsed.expr(), &inputs, &domain);
    let Some(found) = args.asked.found(found, &a)? else { return Ok(()) };
    let (own, meet) = answered(found);
    let answer = DisjointJson { disjoint: own, meet: meet.map(points) };
    args.asked.print(&answer, || {
        let meet = answer
            .meet
            .as_ref()
            .map_or_else(String::new, |[a, b]| format!("  the first at {} and the second at {}\n", at(a), at(b)));
        format!("disjoint: {}\n{meet}", said(answer.disjoint))
    })
}
