//! Examines the names of an input: finds undeclared and unused names, and the ranges of all names.

use crate::input::{Input, Text};
use crate::problem::{Field, Problem};
use crate::request::Variable;
use quaff::domain::{Domain, Repeats};
use quaff::expr::{Dag, Expr, Op};
use serde_json::json;
use std::ops::Range;
use std::slice::from_ref;

impl Input<'_> {
    pub(crate) fn find_undeclared(&mut self) {
        let roots: Vec<Expr> = match &self.text {
            Text::Expressions(given) => given.iter().map(|g| g.expr().clone()).collect(),
            Text::Kernel(_) | Text::Source | Text::None => Vec::new(),
        };
        let conditions = self.domain.assumptions().to_vec();
        let dag = Dag::new(&[roots, conditions].concat());
        let mut names: Vec<String> = Vec::new();
        // an invalid declaration is already reported as a problem
        let given: Vec<&str> =
            self.state.vars.iter().filter_map(|v| v.split_once('=')).map(|(name, _)| name.trim()).collect();
        for name in dag.variables() {
            if !self.domain.contains(name) && !given.contains(&&**name) {
                names.push(name.to_string());
            }
        }
        let divisors: Vec<Expr> = dag
            .nodes()
            .iter()
            .filter(|node| matches!(node.op, Op::FloorDiv | Op::FloorMod))
            .filter_map(|node| dag.expr(*node.args().get(1)?).cloned())
            .collect();
        let divides = |name: &str| Dag::new(&divisors).variables().any(|v| **v == *name);
        // the suggested range of a divisor excludes 0
        let range = |name: &String| format!("{name}={}..1023", i64::from(divides(name)));
        let declared = |names: &[String]| {
            let new = names.iter().map(range);
            json!({"vars": self.state.vars.iter().cloned().chain(new).collect::<Vec<_>>()})
        };
        let field = Field::new("text", &self.state.text);
        let mut problems = Vec::new();
        for name in &names {
            let mut problem = Problem::new(field, format!("the variable `{name}` has no range"))
                .with_help("give its least and its greatest value, both included")
                .with_fix(range(name), declared(from_ref(name)));
            if names.len() > 1 {
                problem = problem.with_fix("all up to 1023", declared(&names));
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
        if matches!(self.text, Text::Expressions(_)) && self.is_whole() {
            self.find_unused(&dag);
        }
    }

    /// Reports the declared variables that neither the expressions nor the other facts use.
    fn find_unused(&mut self, dag: &Dag) {
        let facts = self.domain.resolve().unwrap_or_default();
        let ends: Vec<Expr> = facts.into_iter().flat_map(|f| [f.lower, f.upper]).flatten().collect();
        let ends = Dag::new(&ends);
        let words = self.state.assume.iter().filter(|text| Domain::is_declaration(text));
        let named: Vec<&str> = words.flat_map(|text| text.split_whitespace()).collect();
        for (line, text) in self.state.vars.iter().enumerate() {
            let name = text.split_once('=').map_or("", |(name, _)| name.trim());
            let is_used = dag.variables().chain(ends.variables()).any(|v| **v == *name) || named.contains(&name);
            if !is_used && self.domain.contains(name) {
                let field = Field { name: "vars", line, text };
                let others: Vec<&String> =
                    self.state.vars.iter().enumerate().filter(|(at, _)| *at != line).map(|(_, v)| v).collect();
                let problem = Problem::new(field, format!("no expression uses `{name}`")).warning();
                self.problems.push(problem.at(field, 0..text.len()).with_fix("remove it", json!({"vars": others})));
            }
        }
    }

    /// The place of the first occurrence of a variable in the text.
    fn place_of(&self, name: &str) -> Option<Range<usize>> {
        let Text::Expressions(given) = &self.text else { return None };
        given.iter().find_map(|g| {
            let dag = Dag::new(from_ref(g.expr()));
            let id = dag.nodes().iter().position(|n| n.as_variable().is_some_and(|v| **v == *name))?;
            g.span_of(dag.expr(u32::try_from(id).ok()?)?)
        })
    }

    /// Every variable of the input, with the facts about its range.
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
        let mut all: Vec<Variable> = declared.chain(undeclared).collect();
        let of_source = if matches!(self.text, Text::Source) { self.values().as_deref() } else { Ok(&[][..]) };
        let of_source = of_source.unwrap_or_default().iter();
        for facts in of_source.filter_map(|v| v.domain.resolve().ok()).flatten() {
            // the range of a loop variable follows from the text
            if !all.iter().any(|v| *v.name == *facts.name) && facts.repeats == Repeats::Once {
                let (low, high) = (facts.interval.lo(), facts.interval.hi());
                all.push(Variable { name: facts.name.to_string(), text: facts.interval.to_string(), low, high });
            }
        }
        all
    }
}
