//! Explanations as text.

use super::explanation::{Explanation, Shortened};
use super::steps::{Explained, Fact, Reason, Source};
use super::text::text;
use crate::domain::Interval;
use crate::quasi::{Verdict, Why};
use std::fmt;

impl fmt::Display for Reason {
    /// Writes a reason, such as `normal form`, `div-self: x // x == 1` or `cheapest: cost 3.2 -> 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::NormalForm => f.write_str("normal form"),
            Reason::Rule { name, why } => write!(f, "{name}: {why}"),
            Reason::Engine { name, why } | Reason::Context { name, why } => write!(f, "{name}: {why}"),
            Reason::InPlace => f.write_str("the parts in place"),
            Reason::Choice { from, to } => write!(f, "cheapest: cost {from} -> {to}"),
        }
    }
}

impl fmt::Display for Fact {
    /// Writes a fact, such as `n = 96`, `s = c in 0..11`, `x = v in 0..600, 0 mod 12` or `c <= w - 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fact::Number { name, value } => write!(f, "{name} = {value}"),
            Fact::End(e) => f.write_str(&text(e)),
            Fact::Value { name, expr, range, congruence } => {
                write!(f, "{name} = {}", text(expr))?;
                if expr.as_const().is_some() || *range == Interval::ALL && congruence.modulus() == 1 {
                    return Ok(());
                }
                write!(f, " in {range}")?;
                match congruence.modulus() {
                    0 | 1 => Ok(()),
                    m => write!(f, ", {} mod {m}", congruence.residue()),
                }
            }
        }
    }
}

impl fmt::Display for Shortened {
    /// Writes one sentence without a full stop.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shortened::AllRules { fired } => {
                write!(f, "all {fired} rules that fired are shown: it is too much work to find those that matter")
            }
            Shortened::Steps { left_out } => write!(f, "limit on steps: {left_out} more firings are not shown"),
            Shortened::Checks { left_out } => write!(f, "limit on checks: {left_out} steps are not checked"),
        }
    }
}

/// The text of a verdict: `checked`, `not checked: ...`, `undecided: ...` or `wrong: different at ...`.
struct Checked<'a>(&'a Verdict);

impl fmt::Display for Checked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Verdict::Equal => f.write_str("checked"),
            Verdict::Differs { .. } => write!(f, "wrong: {}", self.0),
            Verdict::Undecided { why: Why::NothingLeft } => write!(f, "not checked: {}", Why::NothingLeft),
            Verdict::Undecided { .. } => self.0.fmt(f),
        }
    }
}

/// Steps with their numbers. The number of the outer step is a prefix, such as `2.` for the steps within step 2.
struct Numbered<'a>(&'a [Explained], &'a str);

impl fmt::Display for Numbered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Numbered(steps, outer) = self;
        let indent = " ".repeat(if outer.is_empty() { 0 } else { 3 });
        for (i, s) in steps.iter().enumerate() {
            writeln!(f, "{indent}{outer}{}. {} ({})", i + 1, s.reason, Checked(&s.check.verdict))?;
            if !s.conditions.is_empty() {
                let conditions: Vec<String> = s.conditions.iter().map(text).collect();
                writeln!(f, "{indent}     where {}", conditions.join(" and "))?;
            }
            let [before, after] = s.texts();
            writeln!(f, "{indent}     {before}\n{indent}   = {after}")?;
            let source = match s.source {
                // these steps are about the whole expression, so their place is not printed
                _ if matches!(s.reason, Reason::NormalForm | Reason::InPlace | Reason::Choice { .. }) => None,
                Source::Input => Some("in the input".to_string()),
                Source::Step(n) => Some(format!("in step {outer}{}", n + 1)),
                Source::Spelling => None,
            };
            let facts: Vec<String> = s.facts.iter().map(|f| f.to_string()).collect();
            let facts = (!facts.is_empty()).then(|| facts.join("; "));
            let notes: Vec<String> = source.into_iter().chain(facts).collect();
            if !notes.is_empty() {
                writeln!(f, "{indent}     {}", notes.join(": "))?;
            }
            Numbered(&s.steps, &format!("{outer}{}.", i + 1)).fmt(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Explanation {
    /// Writes the numbered steps, with a few lines for each, and then the verdict on the whole answer.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Numbered(&self.steps, "").fmt(f)?;
        self.shortened.iter().try_for_each(|s| writeln!(f, "{s}"))?;
        writeln!(f, "answer and input: {}", Checked(&self.check.verdict))
    }
}
