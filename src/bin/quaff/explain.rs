//! `quaff explain`: how an answer comes about. `quaff egraph`: what it was chosen from.

use crate::answer::{self, Language};
use crate::blame::Suspects;
use crate::exact::{self, Limits};
use crate::input::{self, Assumptions, Given};
use crate::report::{Failure, Problem, io_failure};
use crate::rules::RuleFolders;
use clap::Args;
use quaff::{Explained, Explanation, Fact, Reason, Simplifier, Source};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const EXAMPLES: &str = "\
Examples:
  quaff explain '(i*512 + j) // 512' --var i=0..1023 --var j=0..511
  quaff explain 'x // 7 // 8' --var x=0..9999 --json | jq '.steps[].rule'";

/// Show how the answer follows from the input, each step checked
///
/// Steps: the input in normal form, the rules without which the answer would be another one, each with what satisfied
/// its guards, and the choice of the cheapest form. What was found of a part under the conditions it is used under is
/// one step, with steps of its own. Each is checked by a procedure that knows nothing of the rules, where the conditions
/// hold: `checked`, `undecided` or `wrong` (exit code 65 when a rule of --rules or --add-rules is at fault, else 70).
///
/// Of a large input at most 1,024 steps are told, and their checks may take as much work together as two questions that
/// go to the limits below: what is left out or not checked is said, and the exit code is 0. Rules that do not matter are
/// told where it would take long to find out.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,

    /// What is known of a variable, both ends inclusive, as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Variables that are fixed for a kernel launch
    #[arg(long, value_name = "NAME")]
    uniform: Vec<String>,

    #[command(flatten)]
    assumptions: Assumptions,

    /// Print one JSON object: input, expr, cost, input_cost, check, and steps with kind, name, before, after, in, facts
    /// and check; those under conditions have these, and steps; limits where something was left out
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rules: RuleFolders,

    #[command(flatten)]
    limits: Limits,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let rules = args.rules.set()?;
    let suspects = Suspects::new(&rules);
    let simplifier = Simplifier::default().with_rules(rules);
    let domain = input::domain(&args.vars, &args.uniform, &args.assumptions)?;
    let Given { parsed, file } = input::expression(args.expr.as_deref(), "expression")?;
    let explanation = simplifier
        .explain(parsed.expr(), &domain, &args.limits.options())
        .map_err(|e| Problem::refused(&e, file, &parsed))?;
    let out = match args.json {
        true => format!("{:#}\n", as_json(&explanation).map_err(|e| Problem::new(&e))?),
        false => explanation.to_string(),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    if !explanation.is_wrong() {
        return Ok(());
    }
    let question = (parsed.expr(), &domain);
    let (rules, why) = suspects.culprits(&simplifier, question, &args.limits.options(), &[]);
    if rules.is_empty() {
        eprintln!("quaff: internal error, please report it with the input: a step or the answer is wrong");
        return Err(Failure::Wrong);
    }
    eprintln!("quaff: {why}");
    Err(Failure::WrongRule)
}

fn as_json(explanation: &Explanation) -> Result<Value, answer::NoText> {
    let answer = explanation.answer();
    let mut out = json!({
        "input": explanation.input().to_string(),
        "expr": answer::text(answer, Language::Infix)?.trim_end(),
        "cost": answer.cost(),
        "input_cost": answer.input_cost(),
        "stop": answer.stop().as_str(),
        "check": exact::as_json(explanation.check()),
        "steps": explanation.steps().iter().map(step).collect::<Value>(),
    });
    if !explanation.shortened().is_empty() {
        out["limits"] = explanation.shortened().iter().map(|s| s.to_string()).collect();
    }
    Ok(out)
}

fn step(step: &Explained) -> Value {
    let mut out = match &step.reason {
        Reason::Rule { name, why } => json!({"kind": "rule", "rule": name, "reason": why}),
        Reason::Engine { why, .. } => json!({"kind": "engine", "reason": why}),
        Reason::Context { why, .. } => json!({"kind": "context", "reason": why}),
        Reason::InPlace => json!({"kind": "in place"}),
        Reason::Choice { from, to } => json!({"kind": "choice", "cost_before": from, "cost_after": to}),
        _ => json!({"kind": "normal form"}),
    };
    out["name"] = step.reason.name().into();
    if let Reason::Context { .. } = step.reason {
        out["conditions"] = step.conditions.iter().map(|c| c.to_string()).collect();
    }
    let [before, after] = step.texts();
    (out["before"], out["after"]) = (before.into(), after.into());
    out["in"] = match step.source {
        Source::Input => "input".into(),
        // counted from 1, as they are printed
        Source::Step(n) => (n + 1).into(),
        _ => Value::Null,
    };
    if !step.facts.is_empty() {
        out["facts"] = step.facts.iter().map(fact).collect();
    }
    out["check"] = exact::as_json(&step.check).into();
    if !step.steps.is_empty() {
        out["steps"] = step.steps.iter().map(self::step).collect();
    }
    out
}

fn fact(fact: &Fact) -> Value {
    match fact {
        Fact::Number { name, value } => json!({"name": name, "value": value}),
        Fact::Value { name, range, congruence, .. } => json!({
            "name": name,
            "expr": fact.text(),
            "range": [range.lo(), range.hi()],
            "congruence": [congruence.residue(), congruence.modulus()],
        }),
        Fact::End(_) => json!({"end": fact.text()}),
        other => other.to_string().into(),
    }
}

const PICTURES: &str = "\
Examples:
  quaff egraph '(i*512 + j) // 512' --var i=0..1023 --var j=0..511 --dot | dot -Tpdf -o egraph.pdf
  quaff egraph 'x // 7 // 8' --var x=0..9999 --svg > egraph.svg
  quaff egraph 'x // 7 // 8' --var x=0..9999 --html > egraph.html";

/// Show everything that was found equal, as a picture
///
/// Every box is a class of equal expressions with its range and congruence; numbers on arrows count operands, `sum 3* 1*
/// +5` adds 3 times the first operand, the second one and 5. What the answer is made of is bold.
#[derive(Args)]
#[command(after_help = PICTURES)]
pub(crate) struct Picture {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,

    /// What is known of a variable, both ends inclusive, as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    /// Print Graphviz text (the default)
    #[arg(long, conflicts_with_all = ["svg", "html"])]
    dot: bool,

    /// Print SVG; needs the program `dot` of Graphviz
    #[arg(long, conflicts_with = "html")]
    svg: bool,

    /// Print a page to look into: click a class to see its facts, members and users. It needs no other file or program
    #[arg(long)]
    html: bool,

    #[command(flatten)]
    rules: RuleFolders,
}

pub(crate) fn picture(args: &Picture) -> Result<(), Failure> {
    let simplifier = Simplifier::default().with_rules(args.rules.set()?);
    let domain = input::declared(&args.vars, &[])?;
    let Given { parsed, file } = input::expression(args.expr.as_deref(), "expression")?;
    let exprs = std::slice::from_ref(parsed.expr());
    let text = if args.html { simplifier.browse(exprs, &domain) } else { simplifier.dot(exprs, &domain) };
    let text = text.map_err(|e| Problem::refused(&e, file, &parsed))?;
    let out = if args.svg { svg(&text)? } else { text.into_bytes() };
    std::io::stdout().lock().write_all(&out).map_err(io_failure(Path::new("-")))
}

/// `text` drawn by Graphviz.
fn svg(text: &str) -> Result<Vec<u8>, Failure> {
    let failed = |error| Failure::Io { what: "the program `dot` of Graphviz, which `--svg` needs".into(), error };
    let mut child =
        Command::new("dot").arg("-Tsvg").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(failed)?;
    let mut stdin = child.stdin.take();
    let text = text.to_string();
    // a thread, because the program writes while it reads; what it did not read shows in its exit status
    let writer = std::thread::spawn(move || stdin.take().map(|mut s| s.write_all(text.as_bytes())));
    let out = child.wait_with_output().map_err(failed)?;
    let _ = writer.join();
    match out.status.success() {
        true => Ok(out.stdout),
        false => Err(failed(std::io::Error::other(out.status.to_string()))),
    }
}
