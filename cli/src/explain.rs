//! `quaff explain`: the steps to an answer. `quaff egraph`: the e-graph from which the answer was extracted.

use crate::answer::{EndsJson, NoText};
use crate::blame;
use crate::dialect::{self, Reading};
use crate::exact::{Limits, VerdictJson};
use crate::input::{self, Known};
use crate::json;
use crate::report::{Failure, Given, Problem, io_failure};
use crate::rule_folders::RuleFolders;
use clap::Args;
use quaff::cost::Cost;
use quaff::egraph::StopReason;
use quaff::expr::{DISPLAY_LIMIT, TooLarge};
use quaff::inspect::dot;
use quaff::{Explained, Explanation, Fact, Reason, Simplifier, Source};
use quaff_explorer::Part;
use quaff_lab::inspect::{browse, svg};
use serde::Serialize;
use std::io::Write;
use std::path::Path;

const EXAMPLES: &str = "\
Examples:
  quaff explain '(i*512 + j) // 512' --var i=0..1023 --var j=0..511
  quaff explain 'x // 7 // 8' --var x=0..9999 --json | jq '.steps[].name'";

/// Show the steps from an expression to its answer, and check each step
///
/// The steps are the normal form of the input, the rules that the answer needs, and the choice of the cheapest form. A
/// rule is shown with the facts that satisfied its guards. A part that was simplified under the conditions of its use is
/// one step that contains further steps. A procedure that uses no rules checks each step at the points that satisfy its
/// conditions. The outcome is `checked`, `undecided` or `wrong`. If a step is wrong, the exit code is 65 if a rule of
/// --rules or --add-rules is at fault, and 70 otherwise.
///
/// For a large input, at most 1,024 steps are shown. All checks together may take as much work as two checks that reach
/// the limits below. The output reports steps that are left out or not checked, and the exit code is then 0. Rules that
/// the answer does not need are also shown if finding them would take long.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,

    #[command(flatten)]
    known: Known,

    /// Print one JSON object: input, expr, cost, input_cost, stop, check and steps, and limits (if something was left out). A
    /// step has kind, name, before, after, in, facts and check. A step under conditions also has conditions and steps
    #[arg(long)]
    json: bool,

    /// Print a page with the steps
    #[arg(long, conflicts_with = "json")]
    html: bool,

    #[command(flatten)]
    rules: RuleFolders,

    #[command(flatten)]
    limits: Limits,
}

pub(crate) fn run(args: &Arguments) -> Result<(), Failure> {
    let rules = args.rules.set()?;
    let simplifier = Simplifier::default().with_rules(rules);
    let given = args.known.expression(args.expr.as_deref(), "expression")?;
    let domain = args.known.domain(&[&given])?;
    args.known.warn_of_slips(&[&given], &domain);
    let Given { parsed, file, .. } = given;
    let explanation = simplifier
        .explain(parsed.expr(), &domain, &args.limits.options())
        .map_err(|e| Problem::refused(&e, file, &parsed))?;
    let out = match (args.json, args.html) {
        (true, _) => json::indented(&ExplanationJson::new(&explanation).map_err(|e| Problem::new(&NoText::from(e)))?),
        (_, true) => Part::explanation(&explanation).page(),
        _ => explanation.to_string(),
    };
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))?;
    if !explanation.is_wrong() {
        return Ok(());
    }
    let culprits = simplifier.culprits(parsed.expr(), &domain, &[], &args.limits.options());
    let fault = blame::fault(&culprits);
    if culprits.is_empty() {
        eprintln!("quaff: {fault} a step or the answer is wrong");
        return Err(Failure::Wrong);
    }
    eprintln!("quaff: {fault}");
    Err(Failure::WrongRule)
}

/// The output of `--json`.
#[derive(Serialize)]
struct ExplanationJson<'a> {
    input: String,
    /// The answer.
    expr: String,
    /// The cost of the answer, in instructions.
    cost: Cost,
    /// The cost of the input as written.
    input_cost: Cost,
    /// The reason why the search ended.
    stop: StopReason,
    /// The verdict on whether the input and the answer are equal.
    check: VerdictJson,
    steps: Vec<StepJson<'a>>,
    /// The limits that were reached. For a large input, some steps or their checks are then left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits: Vec<String>,
}

/// One of the steps from the input to the answer.
#[derive(Serialize)]
struct StepJson<'a> {
    #[serde(flatten)]
    reason: ReasonJson<'a>,
    /// The name of the rule or step.
    name: &'a str,
    /// The conditions under which the step holds. Present if the part was simplified under conditions.
    #[serde(skip_serializing_if = "Option::is_none")]
    conditions: Option<Vec<String>>,
    before: String,
    after: String,
    /// The place where the part `before` comes from: `input`, or the number of an earlier step, counted from 1. Null if
    /// `before` is only another spelling of a part.
    #[serde(rename = "in")]
    source: Option<SourceJson>,
    /// The facts that satisfied the guards (conditions) of the rule.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    facts: Vec<FactJson<'a>>,
    check: VerdictJson,
    /// The detailed steps for this part under these conditions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<StepJson<'a>>,
}

/// The justification of a step.
#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ReasonJson<'a> {
    Rule {
        rule: &'a str,
        reason: &'a str,
    },
    Engine {
        reason: &'a str,
    },
    Context {
        reason: &'a str,
    },
    #[serde(rename = "in place")]
    InPlace,
    Choice {
        cost_before: Cost,
        cost_after: Cost,
    },
    #[serde(rename = "normal form")]
    NormalForm,
}

/// The expression that contains a part.
#[derive(Serialize)]
#[serde(untagged)]
enum SourceJson {
    Input(&'static str),
    Step(usize),
}

/// A fact on which a rule relied.
#[derive(Serialize)]
#[serde(untagged)]
enum FactJson<'a> {
    Number {
        name: &'a str,
        value: i64,
    },
    Value {
        name: &'a str,
        expr: Option<String>,
        range: EndsJson,
        /// The residue and the modulus.
        congruence: [i64; 2],
    },
    End {
        end: Option<String>,
    },
    Other(String),
}

impl<'a> ExplanationJson<'a> {
    fn new(explanation: &'a Explanation) -> Result<ExplanationJson<'a>, TooLarge> {
        let answer = explanation.answer();
        Ok(ExplanationJson {
            input: explanation.input().to_string(),
            expr: answer.expr().to_infix(DISPLAY_LIMIT)?,
            cost: answer.cost(),
            input_cost: answer.input_cost(),
            stop: answer.stop(),
            check: explanation.check().into(),
            steps: explanation.steps().iter().map(StepJson::from).collect(),
            limits: explanation.shortened().iter().map(|s| s.to_string()).collect(),
        })
    }
}

impl<'a> From<&'a Explained> for StepJson<'a> {
    fn from(step: &'a Explained) -> StepJson<'a> {
        let [before, after] = step.texts();
        let in_context = matches!(step.reason, Reason::Context { .. });
        StepJson {
            reason: (&step.reason).into(),
            name: step.reason.name(),
            conditions: in_context.then(|| step.conditions.iter().map(|c| c.to_string()).collect()),
            before,
            after,
            source: match step.source {
                Source::Input => Some(SourceJson::Input("input")),
                // steps are counted from 1, as in the printed text
                Source::Step(n) => Some(SourceJson::Step(n + 1)),
                _ => None,
            },
            facts: step.facts.iter().map(FactJson::from).collect(),
            check: (&step.check).into(),
            steps: step.steps.iter().map(StepJson::from).collect(),
        }
    }
}

impl<'a> From<&'a Reason> for ReasonJson<'a> {
    fn from(reason: &'a Reason) -> ReasonJson<'a> {
        match reason {
            Reason::Rule { name, why } => ReasonJson::Rule { rule: name, reason: why },
            Reason::Engine { why, .. } => ReasonJson::Engine { reason: why },
            Reason::Context { why, .. } => ReasonJson::Context { reason: why },
            Reason::InPlace => ReasonJson::InPlace,
            Reason::Choice { from, to } => ReasonJson::Choice { cost_before: *from, cost_after: *to },
            _ => ReasonJson::NormalForm,
        }
    }
}

impl<'a> From<&'a Fact> for FactJson<'a> {
    fn from(fact: &'a Fact) -> FactJson<'a> {
        match fact {
            Fact::Number { name, value } => FactJson::Number { name, value: *value },
            Fact::Value { name, range, congruence, .. } => FactJson::Value {
                name,
                expr: fact.text(),
                range: (*range).into(),
                congruence: [congruence.residue(), congruence.modulus()],
            },
            Fact::End(_) => FactJson::End { end: fact.text() },
            other => FactJson::Other(other.to_string()),
        }
    }
}

const PICTURES: &str = "\
Examples:
  quaff egraph '(i*512 + j) // 512' --var i=0..1023 --var j=0..511 --dot | dot -Tpdf -o egraph.pdf
  quaff egraph 'x // 7 // 8' --var x=0..9999 --svg > egraph.svg
  quaff egraph 'x // 7 // 8' --var x=0..9999 --html > egraph.html";

/// Draw the e-graph of an expression
///
/// Every box is an e-class, which is a class of equal expressions, with its range and congruence. The members that are part
/// of the answer are bold. SVG and the page name operands by their classes, as in `3*e1 + e2 + 5`. Graphviz text has an
/// arrow for each operand, with the number of the operand, counted from 0. In Graphviz text, `sum 3* 1* +5` is 3 times the
/// first operand plus the second operand plus 5.
#[derive(Args)]
#[command(after_help = PICTURES)]
pub(crate) struct Picture {
    /// The expression; read from standard input when absent or `-`
    #[arg(value_name = "EXPR", allow_hyphen_values = true)]
    expr: Option<String>,

    /// The range of a variable, both ends inclusive, written as for `simplify`
    #[arg(long = "var", value_name = "NAME=RANGE")]
    vars: Vec<String>,

    #[command(flatten)]
    reading: Reading,

    /// Print Graphviz text (the default)
    #[arg(long, conflicts_with_all = ["svg", "html"])]
    dot: bool,

    /// Print the picture as SVG
    #[arg(long, conflicts_with = "html")]
    svg: bool,

    /// Print a page in which a click on a class shows its facts, members and users. The page needs no other file or
    /// program
    #[arg(long)]
    html: bool,

    #[command(flatten)]
    rules: RuleFolders,
}

pub(crate) fn picture(args: &Picture) -> Result<(), Failure> {
    let simplifier = Simplifier::default().with_rules(args.rules.set()?);
    let domain = input::declared(&args.vars, &[], &args.reading)?;
    let given = input::expression(args.expr.as_deref(), "expression", &args.reading)?;
    let domain = dialect::known(domain, &[&given])?;
    let Given { parsed, file, .. } = given;
    let exprs = std::slice::from_ref(parsed.expr());
    let text = match (args.html, args.svg) {
        (true, _) => browse(&simplifier, exprs, &domain),
        (_, true) => svg(&simplifier, exprs, &domain),
        _ => dot(&simplifier, exprs, &domain),
    };
    let out = text.map_err(|e| Problem::refused(&e, file, &parsed))?;
    std::io::stdout().lock().write_all(out.as_bytes()).map_err(io_failure(Path::new("-")))
}
