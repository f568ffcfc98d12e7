//! Turns the state of the page into arguments of the library: expressions or accesses, a domain, and a simplifier.

use crate::problem::{Field, Problem};
use crate::request::{State, View, fields_of};
use miette::Diagnostic;
use quaff::access::Access;
use quaff::domain::{Domain, DomainError};
use quaff::egraph::Limits;
use quaff::expr::{Dag, Expr, Parsed};
use quaff::lower::Target;
use quaff::rules::RuleSet;
use quaff::{Simplifier, SimplifyError, Stage};
use quaff_dialects::{Dialect, Requirement, is_assignment, read};
use quaff_lab::experiment::{Asked, Line, LineError};
use quaff_rewrite::{Rewritten, Value};
use serde_json::json;
use std::cell::OnceCell;
use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

/// The most expressions of one request, and the most characters of their text.
const EXPRESSIONS: usize = 64;
const CHARACTERS: usize = 1 << 16;

/// An expression in the text, with the places of its parts.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    parsed: Parsed,
    /// The byte of the whole text at which the text of this expression begins.
    begin: usize,
}

impl Given {
    pub(crate) fn expr(&self) -> &Expr {
        self.parsed.expr()
    }

    /// The byte range of the text from which `part` was read.
    pub(crate) fn span_of(&self, part: &Expr) -> Option<Range<usize>> {
        let span = self.parsed.span_of(part)?;
        Some(self.begin + span.start..self.begin + span.end)
    }
}

/// A kernel that was read from JSON.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) accesses: Vec<Access>,
    pub(crate) nests: Vec<Vec<Arc<str>>>,
}

/// The parsed text of the page.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// One or several expressions.
    Expressions(Vec<Given>),
    Kernel(Kernel),
    /// A source file, which only the kernel view reads.
    Source,
    /// The text is empty or cannot be parsed.
    None,
}

/// The state of the page, parsed into the values that the views need.
#[derive(Debug)]
pub(crate) struct Input<'s> {
    pub(crate) state: &'s State,
    pub(crate) text: Text,
    /// The language of the text.
    pub(crate) from: Dialect,
    pub(crate) domain: Domain,
    pub(crate) target: Target,
    pub(crate) rules: RuleSet,
    pub(crate) stages: Vec<Stage>,
    pub(crate) problems: Vec<Problem>,
    /// The names in the text that are not declared.
    pub(crate) undeclared: Vec<String>,
    /// The integers that the source file computes. They are determined at their first use.
    pub(crate) values: OnceCell<Result<Vec<Value>, Vec<Problem>>>,
    /// The rewritten source file. It is computed at its first use.
    pub(crate) rewritten: OnceCell<Result<Rewritten, Vec<Problem>>>,
}

impl<'s> Input<'s> {
    /// Reads `state`. Errors in it become problems of the input.
    pub(crate) fn read(state: &'s State, view: View) -> Input<'s> {
        let mut input = Input {
            state,
            text: Text::None,
            from: Dialect::default(),
            domain: Domain::new(),
            target: Target::SM_90,
            rules: RuleSet::shipped().clone(),
            stages: Vec::new(),
            problems: Vec::new(),
            undeclared: Vec::new(),
            values: OnceCell::new(),
            rewritten: OnceCell::new(),
        };
        let from = match state.from.parse::<Dialect>() {
            Ok(from) => from,
            Err(e) => {
                input.problems.push(Problem::new(Field::NONE, e.to_string()));
                return input;
            }
        };
        input.from = from;
        match Target::by_name(&state.target) {
            Some(target) => input.target = target,
            None => input.problems.push(Problem::new(Field::NONE, format!("there is no target `{}`", state.target))),
        }
        input.declare(from);
        if view != View::Layout {
            input.read_text(from);
        }
        input.conditions(from);
        input.set_rules();
        input.find_undeclared();
        input
    }

    /// Reads the declarations, and the names that are fixed for a kernel launch.
    fn declare(&mut self, from: Dialect) {
        for (line, text) in self.state.vars.iter().enumerate() {
            if text.trim().is_empty() {
                continue;
            }
            let field = Field { name: "vars", line, text };
            let declaration = match text.split_once('=') {
                Some((name, range)) if from != Dialect::Infix => format!("{}={range}", from.variable(name.trim())),
                _ => text.clone(),
            };
            if let Err(e) = self.domain.declare_all(&declaration) {
                self.problems.push(Problem::of(&e, field));
            }
        }
        for (line, text) in self.state.uniform.iter().enumerate() {
            let name = text.trim();
            match self.domain.contains(name) {
                true => self.domain = std::mem::take(&mut self.domain).launch_invariant(name),
                false if name.is_empty() => {}
                false => {
                    let field = Field { name: "uniform", line, text };
                    self.problems.push(Problem::new(field, format!("`{name}` has no range")));
                }
            }
        }
    }

    fn conditions(&mut self, from: Dialect) {
        if matches!(self.text, Text::Source) {
            // for a source file, the conditions are notes about its kernels, whose names are not known here
            return;
        }
        for (line, text) in self.state.assume.iter().enumerate() {
            if text.trim().is_empty() {
                continue;
            }
            let field = Field { name: "assume", line, text };
            if Domain::is_declaration(text) {
                if let Err(e) = self.domain.declare_all(text) {
                    self.problems.push(Problem::of(&e, field));
                }
                continue;
            }
            if is_assignment(text) {
                self.problems
                    .push(Problem::new(field, "this is an assignment, and no condition").with_help("`==` compares"));
                continue;
            }
            match read(text, from) {
                Err(e) => self.problems.push(Problem::of(&e, field)),
                Ok(found) => match <[Parsed; 1]>::try_from(found.results) {
                    Ok([condition]) => {
                        let domain = std::mem::take(&mut self.domain).and(&found.domain);
                        self.check_requirements(&domain, &found.requirements, field, |part| condition.span_of(part));
                        self.domain = domain.assume(condition.into_expr());
                    }
                    Err(all) => {
                        let why = format!("a condition is one expression, and this text has {}", all.len());
                        self.problems.push(Problem::new(field, why));
                    }
                },
            }
        }
    }

    fn read_text(&mut self, from: Dialect) {
        let text = &self.state.text;
        let field = Field::new("text", text);
        if text.trim().is_empty() {
            return;
        }
        if text.len() > CHARACTERS {
            self.problems.push(Problem::new(field, format!("the text has more than {CHARACTERS} bytes")));
        } else if text.trim_start().starts_with('{') && from != Dialect::Mlir {
            match kernel(text, from) {
                Ok((kernel, domain)) => {
                    self.domain = domain.and(&self.domain);
                    self.text = Text::Kernel(kernel);
                }
                Err(e) => {
                    let at = text.char_indices().nth(e.column.saturating_sub(1)).map_or(text.len(), |(at, _)| at);
                    let problem = Problem::new(field, &e.message).at(field, at..at + 1);
                    self.problems.push(problem.with_help(e.help.unwrap_or_default()));
                }
            }
        } else if is_source(text) {
            self.text = Text::Source;
        } else {
            self.read_expressions(from, field);
        }
    }

    fn read_expressions(&mut self, from: Dialect, field: Field<'_>) {
        let mut all = Vec::new();
        for (begin, piece) in pieces(field.text, from) {
            match read(piece, from) {
                Err(e) => {
                    let here = Field { text: e.source_text(), ..field };
                    let span = begin + e.span().start..begin + e.span().end;
                    let problem = Problem::of(&e, here).at(field, span);
                    let likely = if from == Dialect::Infix { e.likely_dialect() } else { None };
                    self.problems.push(match likely {
                        Some(dialect) => {
                            problem.with_fix(format!("read as {dialect}"), json!({"from": dialect.name()}))
                        }
                        None => problem,
                    });
                }
                Ok(found) => {
                    let domain = std::mem::take(&mut self.domain).and(&found.domain);
                    let given: Vec<Given> = found.results.into_iter().map(|parsed| Given { parsed, begin }).collect();
                    self.check_requirements(&domain, &found.requirements, field, |part| {
                        given.iter().find_map(|g| g.span_of(part))
                    });
                    self.domain = domain;
                    all.extend(given);
                }
            }
        }
        match all.len() {
            0 => {}
            1..=EXPRESSIONS => self.text = Text::Expressions(all),
            more => {
                let why = format!("the text has {more} expressions, and the page shows up to {EXPRESSIONS}");
                self.problems.push(Problem::new(field, why));
            }
        }
    }

    /// Reports each value that must be in a range for the text to have the meaning of the expression, and that is not
    /// proved to be in it.
    fn check_requirements(
        &mut self,
        domain: &Domain,
        all: &[Requirement],
        field: Field<'_>,
        span_of: impl Fn(&Expr) -> Option<Range<usize>>,
    ) {
        if all.is_empty() {
            return;
        }
        let simplifier = Simplifier::default();
        let mut facts = simplifier.facts(domain);
        for Requirement { value, part, reason, range } in all {
            let is_met = facts.bounds(value).is_ok_and(|found| range.hull(found) == *range);
            if !is_met && Dag::new(from_ref(value)).variables().all(|name| domain.contains(name)) {
                let problem = Problem::new(field, format!("this value {reason}")).with_help(
                    "narrow the ranges of its variables, or write the expression in a type that holds all values",
                );
                self.problems.push(match span_of(part) {
                    Some(span) => problem.at(field, span),
                    None => problem,
                });
            }
        }
    }

    /// The simplifier for this request.
    pub(crate) fn simplifier(&self) -> Simplifier {
        let simplifier = Simplifier::default()
            .with_rules(self.rules.clone())
            .for_target(self.target)
            .with_limits(Limits::effort(self.state.effort));
        self.stages.iter().fold(simplifier, |simplifier, &stage| simplifier.without_stage(stage))
    }

    /// Whether all names are declared and the input has no problem.
    pub(crate) fn is_whole(&self) -> bool {
        !self.problems.iter().any(Problem::is_error)
    }

    /// The expressions and their conditions as texts, for the fields `before` and `before_assume`.
    pub(crate) fn as_before(&self) -> (String, Vec<String>) {
        let exprs = self.expressions().unwrap_or_default();
        let texts: Vec<String> = exprs.iter().map(ToString::to_string).collect();
        let conditions = fields_of(&self.domain).into_iter().filter(|(name, _)| *name == "assume");
        (texts.join("\n"), conditions.map(|(_, text)| text).collect())
    }

    /// The expressions of the text. For a kernel, the index expression of the chosen access.
    ///
    /// # Errors
    /// The problems of the text. The list is empty if there is no text, or if its problems are already reported.
    pub(crate) fn expressions(&self) -> Result<Vec<Expr>, Vec<Problem>> {
        match &self.text {
            _ if !self.is_whole() => Err(Vec::new()),
            Text::Expressions(given) => Ok(given.iter().map(|g| g.expr().clone()).collect()),
            Text::Kernel(kernel) => match kernel.accesses.get(self.state.access) {
                Some(access) => Ok(vec![access.index().clone()]),
                None => Err(vec![Problem::new(Field::NONE, "the kernel has no access of this number")]),
            },
            Text::Source => {
                let why = "a source file has several values, which the view `Kernel` shows";
                let problem = Problem::new(Field::new("text", &self.state.text), why);
                Err(vec![problem.with_fix("show the view `Kernel`", json!({"view": "kernel"}))])
            }
            Text::None => Err(Vec::new()),
        }
    }

    /// The expression that the user chose, or the first expression if the chosen number does not exist.
    pub(crate) fn expression(&self) -> Result<Expr, Vec<Problem>> {
        let all = self.expressions()?;
        // for a kernel, the list has only the chosen index
        let chosen = all.get(self.state.access).or(all.first());
        chosen.cloned().ok_or_else(Vec::new)
    }

    /// The expression or the index of the access with the number `at`, and the facts that hold where it is computed.
    pub(crate) fn choice(&self, at: usize) -> Option<(Expr, Domain)> {
        match &self.text {
            Text::Expressions(given) => Some((given.get(at)?.expr().clone(), self.domain.clone())),
            Text::Kernel(kernel) => {
                let access = kernel.accesses.get(at)?;
                let gate = access.gate().condition().cloned();
                Some((access.index().clone(), gate.into_iter().fold(self.domain.clone(), Domain::assume)))
            }
            Text::Source | Text::None => None,
        }
    }

    /// The number of expressions, or of accesses of a kernel, that can be chosen.
    pub(crate) fn choices(&self) -> usize {
        match &self.text {
            Text::Expressions(given) => given.len(),
            Text::Kernel(kernel) => kernel.accesses.len(),
            Text::Source | Text::None => 0,
        }
    }

    /// The domain of the chosen expression: the domain of the page, and for a kernel also the gate (condition) of the
    /// access.
    pub(crate) fn domain_of_expressions(&self) -> Domain {
        self.choice(self.state.access).map_or_else(|| self.domain.clone(), |(_, domain)| domain)
    }

    /// The problems for `error`, which the simplifier returned, at its place in the text.
    pub(crate) fn refused(&self, error: &SimplifyError) -> Vec<Problem> {
        if let SimplifyError::WrongAnswer(_) = error {
            let problem = Problem::new(Field::new("add", &self.state.add), error.to_string());
            return vec![problem.with_fix("remove the added rules", json!({"add": ""}))];
        }
        if let SimplifyError::Domain(DomainError::Empty { name, .. } | DomainError::NoMultiple { name, .. }) = error {
            let of = |text: &String| text.split_once('=').is_some_and(|(n, _)| n.trim() == &**name);
            if let Some(line) = self.state.vars.iter().position(of) {
                let field = Field { name: "vars", line, text: &self.state.vars[line] };
                return vec![Problem::new(field, error.to_string()).at(field, 0..field.text.len())];
            }
        }
        let last = self.state.assume.iter().rposition(|text| !text.trim().is_empty());
        if let (SimplifyError::Domain(DomainError::NeverHolds { .. }), Some(line)) = (error, last) {
            let field = Field { name: "assume", line, text: &self.state.assume[line] };
            return vec![Problem::new(field, error.to_string()).at(field, 0..field.text.len())];
        }
        let field = Field::new("text", &self.state.text);
        let problem =
            Problem::new(field, error.to_string()).with_help(error.help().map(|h| h.to_string()).unwrap_or_default());
        let span = match (&self.text, error.culprit()) {
            (Text::Expressions(given), Some(part)) => given.iter().find_map(|g| g.span_of(part)),
            _ => None,
        };
        vec![match span {
            Some(span) => problem.at(field, span),
            None => problem,
        }]
    }
}

/// The texts of single expressions, each with the byte at which it begins. In infix, each line is an expression, unless
/// a bracket is open at its end. A text in another language is read as a whole.
pub(crate) fn pieces(text: &str, from: Dialect) -> Vec<(usize, &str)> {
    if from != Dialect::Infix {
        return vec![(0, text)];
    }
    let (mut all, mut begin, mut depth) = (Vec::new(), 0, 0_i64);
    for (at, c) in text.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '\n' if depth <= 0 => {
                all.push((begin, &text[begin..at]));
                (begin, depth) = (at + 1, 0);
            }
            _ => {}
        }
    }
    all.push((begin, &text[begin..]));
    all.retain(|(_, piece)| !piece.trim().is_empty());
    all
}

/// Whether a text is a source file with functions of CUDA, C or Triton, not an expression.
///
/// ```
/// assert!(quaff_explorer::is_source("__global__ void f() {}") && !quaff_explorer::is_source("a / 4"));
/// ```
pub fn is_source(text: &str) -> bool {
    text.contains("__global__") || text.contains("void ") || text.contains("def ")
}

/// Reads a kernel as JSON, and the facts about its variables.
fn kernel(text: &str, from: Dialect) -> Result<(Kernel, Domain), LineError> {
    let line = Line::read(text.as_bytes())?.in_dialect(from);
    let (asked, domain) = line.asked()?;
    let nests = line.nests()?.into_iter().map(|nest| nest.into_iter().map(Arc::from).collect()).collect();
    let accesses = match asked {
        Asked::Accesses(_, accesses) => accesses,
        Asked::Expr(part) => vec![Access::load("v0", "in", part.expr().clone())],
        Asked::Exprs(parts) => {
            let load = |(at, part): (usize, &quaff_lab::experiment::Part<'_>)| {
                Access::load(format!("v{at}"), "in", part.expr().clone())
            };
            parts.iter().enumerate().map(load).collect()
        }
    };
    Ok((Kernel { accesses, nests }, domain))
}
