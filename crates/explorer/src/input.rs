//! The state of the page as the library takes it: expressions or accesses, a domain, a simplifier.

use crate::problem::{Field, Problem};
use crate::request::{State, Variable, View};
use miette::Diagnostic;
use quaff::access::Access;
use quaff::domain::{Domain, DomainError};
use quaff::egraph::Limits;
use quaff::expr::{Dag, Expr, Parsed};
use quaff::lower::Target;
use quaff::rules::RuleSet;
use quaff::{Simplifier, SimplifyError, Stage};
use quaff_dialects::{Dialect, Requirement, read};
use quaff_lab::experiment::{Asked, Line, LineError};
use serde_json::json;
use std::ops::Range;
use std::slice::from_ref;
use std::sync::Arc;

/// Expressions that one request may have, and characters of their text.
const EXPRESSIONS: usize = 64;
const CHARACTERS: usize = 1 << 16;

/// A result of the text, with its places.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    parsed: Parsed,
    /// The byte of the text at which the source of `parsed` begins.
    begin: usize,
}

impl Given {
    pub(crate) fn expr(&self) -> &Expr {
        self.parsed.expr()
    }

    /// The bytes of the text that `part` is.
    fn span_of(&self, part: &Expr) -> Option<Range<usize>> {
        let span = self.parsed.span_of(part)?;
        Some(self.begin + span.start..self.begin + span.end)
    }
}

/// A kernel as JSON.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) accesses: Vec<Access>,
    pub(crate) nests: Vec<Vec<Arc<str>>>,
}

/// The text of the page.
#[derive(Clone, Debug)]
pub(crate) enum Text {
    /// Expressions, one or several.
    Expressions(Vec<Given>),
    Kernel(Kernel),
    /// A source file, which only the view of kernels reads.
    Source,
    /// There is none, or it is not understood.
    None,
}

/// All that the views need of the state.
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
    /// Names of the text that nothing declares.
    undeclared: Vec<String>,
}

impl<'s> Input<'s> {
    /// Reads `state`. What is wrong with it is among the problems.
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

    /// The declarations, and the names that are fixed for a launch.
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
            let mut declared = Domain::new();
            match declared.declare(&declaration) {
                Ok(()) => self.domain = std::mem::take(&mut self.domain).and(&declared),
                Err(e) => self.problems.push(Problem::of(&e, field)),
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
        for (line, text) in self.state.assume.iter().enumerate() {
            if text.trim().is_empty() {
                continue;
            }
            let field = Field { name: "assume", line, text };
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
                    self.problems.push(Problem::of(&e, here).at(field, span));
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

    /// Reports the values that mean something else unless they lie in a range, and are not proved to.
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

    fn find_undeclared(&mut self) {
        let roots: Vec<Expr> = match &self.text {
            Text::Expressions(given) => given.iter().map(|g| g.expr().clone()).collect(),
            Text::Kernel(_) | Text::Source | Text::None => Vec::new(),
        };
        let conditions = self.domain.assumptions().to_vec();
        let dag = Dag::new(&[roots, conditions].concat());
        let mut names: Vec<String> = Vec::new();
        // a declaration that is wrong is reported itself
        let given: Vec<&str> =
            self.state.vars.iter().filter_map(|v| v.split_once('=')).map(|(name, _)| name.trim()).collect();
        for name in dag.variables() {
            if !self.domain.contains(name) && !given.contains(&&**name) {
                names.push(name.to_string());
            }
        }
        let declared = |names: &[String]| {
            let new = names.iter().map(|name| format!("{name}=0..1023"));
            json!({"vars": self.state.vars.iter().cloned().chain(new).collect::<Vec<_>>()})
        };
        let field = Field::new("text", &self.state.text);
        let mut problems = Vec::new();
        for name in &names {
            let mut problem = Problem::new(field, format!("the variable `{name}` has no range"))
                .with_help("give its least and its greatest value, both included")
                .with_fix(format!("{name}=0..1023"), declared(from_ref(name)));
            if names.len() > 1 {
                problem = problem.with_fix("all 0..1023", declared(&names));
            }
            let near = self.domain.vars().filter(|known| strsim::jaro_winkler(known, name) > 0.85);
            if let Some(near) =
                near.max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)))
            {
                problem = problem.with_help(format!("`{near}` has a range; is it meant?"));
            }
            problems.push(match self.place_of(name) {
                Some(span) => problem.at(field, span),
                None => problem,
            });
        }
        self.problems.extend(problems);
        self.undeclared = names;
    }

    /// The first place of a variable in the text.
    fn place_of(&self, name: &str) -> Option<Range<usize>> {
        let Text::Expressions(given) = &self.text else { return None };
        given.iter().find_map(|g| {
            let dag = Dag::new(from_ref(g.expr()));
            let id = dag.nodes().iter().position(|n| n.as_variable().is_some_and(|v| **v == *name))?;
            g.span_of(dag.expr(u32::try_from(id).ok()?)?)
        })
    }

    /// The simplifier of this request.
    pub(crate) fn simplifier(&self) -> Simplifier {
        let simplifier = Simplifier::default()
            .with_rules(self.rules.clone())
            .for_target(self.target)
            .with_limits(Limits::effort(self.state.effort));
        self.stages.iter().fold(simplifier, |simplifier, &stage| simplifier.without_stage(stage))
    }

    /// Whether every name is declared, and nothing of the input is wrong.
    pub(crate) fn is_whole(&self) -> bool {
        !self.problems.iter().any(Problem::is_error)
    }

    /// The expressions of the text, or the one index of the kernel that is chosen.
    ///
    /// # Errors
    /// No problem at all where there is no text, or where what is wrong is said already.
    pub(crate) fn expressions(&self) -> Result<Vec<Expr>, Vec<Problem>> {
        match &self.text {
            _ if !self.is_whole() => Err(Vec::new()),
            Text::Expressions(given) => Ok(given.iter().map(|g| g.expr().clone()).collect()),
            Text::Kernel(kernel) => match kernel.accesses.get(self.state.access) {
                Some(access) => Ok(vec![access.index().clone()]),
                None => Err(vec![Problem::new(Field::NONE, "the kernel has no access of this number")]),
            },
            Text::Source => Err(vec![Problem::new(
                Field::new("text", &self.state.text),
                "a source file has several indices: the view `Kernel` shows all of them",
            )]),
            Text::None => Err(Vec::new()),
        }
    }

    /// `expressions`, of which the first is shown.
    pub(crate) fn expression(&self) -> Result<Expr, Vec<Problem>> {
        self.expressions()?.into_iter().next().ok_or_else(Vec::new)
    }

    /// The domain of the expressions: that of the page, with the gate of the access where a kernel has one.
    pub(crate) fn domain_of_expressions(&self) -> Domain {
        let gate = match &self.text {
            Text::Kernel(kernel) => kernel.accesses.get(self.state.access).and_then(|a| a.gate().condition().cloned()),
            _ => None,
        };
        gate.into_iter().fold(self.domain.clone(), Domain::assume)
    }

    /// `error`, at its place in the text.
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

    /// Every variable of the input, with what is known of its range.
    pub(crate) fn variables(&self) -> Vec<Variable> {
        let facts = self.domain.resolve().unwrap_or_default();
        let declared = self.domain.vars().map(|name| {
            let range = facts.iter().find(|f| &*f.name == name).map(|f| f.interval);
            let text = self.state.vars.iter().filter_map(|text| text.split_once('='));
            let text = text.filter(|(n, _)| n.trim() == name).map(|(_, range)| range.trim().to_string()).next();
            Variable {
                name: name.to_string(),
                text: text.or_else(|| range.map(|r| r.to_string())).unwrap_or_default(),
                low: range.and_then(|r| r.lo()),
                high: range.and_then(|r| r.hi()),
            }
        });
        let undeclared = self.undeclared.iter().map(|name| Variable {
            name: name.clone(),
            text: String::new(),
            low: None,
            high: None,
        });
        declared.chain(undeclared).collect()
    }
}

/// The texts of single expressions, each with the byte at which it begins. In infix a line is an expression, unless a bracket is open at its
/// end. A text of another language is read as a whole.
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

/// Whether a text is a source file: functions of CUDA or C, or of Triton.
fn is_source(text: &str) -> bool {
    text.contains("__global__") || text.contains("void ") || text.contains("def ")
}

/// A kernel as JSON, with what it says of its variables.
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
