//! Exports rule sets as rewrites for egg or egglog, or as questions in SMT-LIB. Imports rules of other systems.
//!
//! ```
//! use quaff::rules::RuleSet;
//! use quaff_lab::exchange::{Language, export};
//!
//! let mut rules = RuleSet::shipped().clone();
//! rules = rules.retain(|name| name == "nested-division");
//! let text = export(&rules, &[], Language::Egglog).text;
//! assert!(text.contains("(rewrite (FloorDiv (Add (FloorDiv y (Num m)) r) (Num n))"), "{text}");
//! ```
//!
//! # Export
//! The exported text has the law of each rule (the equality that it states), over binary operators. The pattern `(+
//! PICK... ?r...)` becomes a sum of two operands, whose second operand is a variable. If a clause of the rule splits a
//! sum into parts, the law matches the sum of these parts. Guards about numbers become conditions in each language.
//! Guards about other facts become Rust functions in the text for egg, which its user must implement. The text for
//! egglog leaves out rules with guards about other facts. [`Export::left_out`] lists each rule that is not in the text,
//! and the reason.
//!
//! # Import
//! The import reads `(rewrite ...)` and `(birewrite ...)` of egglog, lines such as `(+ ?a 0) ==> ?a` of Enumo and
//! Ruler, and reports of Ruler in JSON. Operators are recognised by their signs, and by the names that [`export`] gives
//! them. `/` and `%` are read as floor division and floor remainder, so a rule with another rounding becomes wrong.
//! [`mod@quaff::check`] tests a rule on instances, and [`crate::proof`] tries to prove it.

mod egg;
mod egglog;
mod foreign;
mod import;
mod law;
mod rewrite;
#[cfg(feature = "smt")]
mod smt;
mod term;
#[cfg(test)]
mod tests;
mod words;

use crate::proof::Law;
use foreign::Foreign;
use import::Written;
use quaff::rules::{Position, Rule, RuleSet};
use rewrite::{Condition, Rewrite};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use term::Term;

/// A language into which rules are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Language {
    /// A Rust module that uses the macro `rewrite!` of egg.
    Egg,
    /// A program of egglog.
    Egglog,
    /// A script of SMT-LIB with a question for each law. A law is proved if the answer is `unsat`. This needs the
    /// feature `smt`.
    Smt,
}

/// A rule set in another language.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Export {
    /// The whole text.
    pub text: String,
    /// Names of the rules and laws in the text.
    pub written: Vec<String>,
    /// The rules and laws that are not in the text.
    pub left_out: Vec<LeftOut>,
}

/// A rule or law that is not in the exported text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The name of the rule or law.
    pub name: String,
    /// The reason why the rule or law cannot be expressed in the language, in a few words.
    pub why: String,
}

impl Export {
    /// The reasons, each with the names of the rules and laws that are left out because of it. The most frequent reason
    /// is first.
    pub fn reasons(&self) -> Vec<(&str, Vec<&str>)> {
        let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for LeftOut { name, why } in &self.left_out {
            reasons.entry(why).or_default().push(name);
        }
        let mut reasons: Vec<_> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, names)| std::cmp::Reverse(names.len()));
        reasons
    }
}

/// The written form of one rule.
struct Item<'r> {
    name: &'r str,
    /// Comments, one on each line.
    comments: Vec<String>,
    rewrites: Result<Vec<Rewrite>, String>,
}

/// Writes the rules and the laws of normal forms in `language`.
///
/// The time is linear in the size of the text of the rules.
pub fn export(rules: &RuleSet, laws: &[Law], language: Language) -> Export {
    match language {
        Language::Egg => egg_text(&items(rules, laws)),
        Language::Egglog => egglog_text(&items(rules, laws)),
        Language::Smt => smt_text(rules, laws),
    }
}

fn items<'r>(rules: &'r RuleSet, laws: &'r [Law]) -> Vec<Item<'r>> {
    let of_rule = |rule: &'r Rule| Item { name: rule.name(), comments: comments(rule), rewrites: law::rewrites(rule) };
    let of_law = |law: &'r Law| Item { name: law.name(), comments: vec![law.to_string()], rewrites: of_law(law) };
    rules.rules().iter().map(of_rule).chain(laws.iter().map(of_law)).collect()
}

fn comments(rule: &Rule) -> Vec<String> {
    vec![format!("{}:{} {}", rule.file(), rule.position(), rule.reason())]
}

/// The law of a normal form, which the engine applies without a rule, as rewrites.
fn of_law(law: &Law) -> Result<Vec<Rewrite>, String> {
    let sides = law.sides().ok_or("it is not written in integer expressions")?;
    let of = |expr| Term::of_expr(expr, &|_| false);
    let (left, right) = (of(&sides.before), of(&sides.after));
    if !right.variables().is_subset(&left.variables()) {
        return Err("a result of what the pattern does not have".into());
    }
    let conditions = sides.given.iter().map(|given| {
        let given = of(given);
        let (word, a, b) = match (&given, given.operands()) {
            (Term::Apply(quaff::expr::Op::Ne, _), [a, b]) => ("nonzero", a, b),
            (Term::Apply(quaff::expr::Op::Ge, _), [a, b]) => ("nonneg", a, b),
            _ => return Err("a condition that is no comparison".to_string()),
        };
        Ok(Condition::is(word, vec![Term::two(quaff::expr::Op::Sub, a.clone(), b.clone()).tidy()]))
    });
    Ok(vec![Rewrite { left, right, conditions: conditions.collect::<Result<_, _>>()? }])
}

/// The name of rewrite number `at` of a rule that has `of` rewrites.
fn numbered(name: &str, at: usize, of: usize) -> String {
    if of == 1 { name.into() } else { format!("{name}-{}", at + 1) }
}

/// A text under construction, with the names of the rules and laws in it, and those that are left out.
#[derive(Default)]
struct Sheet {
    body: String,
    written: Vec<String>,
    left_out: Vec<LeftOut>,
}

impl Sheet {
    fn add(&mut self, name: &str, comments: &[String], text: Result<String, String>, comment: &str) {
        match text {
            Ok(text) => {
                comments.iter().for_each(|c| self.body.push_str(&format!("{comment} {c}\n")));
                self.body.push_str(&text);
                self.written.push(name.into());
            }
            Err(why) => self.left_out.push(LeftOut { name: name.into(), why }),
        }
    }

    /// The finished export: a head with `target` and `comment`, and then the rewrites between the texts `before` and
    /// `after`.
    fn export(self, target: &str, comment: &str, (before, after): (&str, &str)) -> Export {
        let mut export = Export { text: String::new(), written: self.written, left_out: self.left_out };
        let all = export.written.len() + export.left_out.len();
        let mut head = format!(
            "{comment} Rules of quaff for {target}: {} of {all} rules and laws. `//` and `%` mean floor, on integers without bounds.\n",
            export.written.len()
        );
        for (why, names) in export.reasons() {
            let _ = writeln!(head, "{comment} {} left out for {why}: {}", names.len(), names.join(" "));
        }
        export.text = format!("{head}\n{before}{}{after}", self.body);
        export
    }
}

fn egg_text(items: &[Item<'_>]) -> Export {
    let (mut sheet, mut used) = (Sheet::default(), BTreeSet::new());
    for item in items {
        // add the condition functions of a rule only if the rule can be written
        let mut of_item = used.clone();
        let mut one =
            |(at, rewrite): (usize, &Rewrite), of| egg::written(&numbered(item.name, at, of), rewrite, &mut of_item);
        let text = match &item.rewrites {
            Ok(rewrites) => rewrites.iter().enumerate().map(|r| one(r, rewrites.len())).collect(),
            Err(why) => Err(why.clone()),
        };
        if text.is_ok() {
            used = of_item;
        }
        sheet.add(item.name, &item.comments, text, "        //");
    }
    let (before, after) = egg::frame(&used);
    sheet.export("egg", "//", (&before, after))
}

fn egglog_text(items: &[Item<'_>]) -> Export {
    let (mut sheet, mut known) = (Sheet::default(), BTreeSet::new());
    for item in items {
        let mut comments = vec![format!("{}: {}", item.name, item.comments.join("; "))];
        let text = item.rewrites.clone().and_then(|rewrites| {
            let mut text = String::new();
            for rewrite in &rewrites {
                let (commands, without) = egglog::written(rewrite)?;
                for command in commands {
                    // egglog refuses a rewrite that occurs twice
                    let again = if known.insert(command.clone()) { "" } else { "; is above as well: " };
                    text.extend([again, &command, "\n"]);
                }
                comments.extend(without.iter().map(|guard| format!("without {guard}, which says when it is of use")));
            }
            Ok(text)
        });
        comments.dedup();
        sheet.add(item.name, &comments, text, ";");
    }
    sheet.export("egglog", ";", (&format!("{}\n", egglog::PRELUDE), ""))
}

#[cfg(feature = "smt")]
fn smt_text(rules: &RuleSet, laws: &[Law]) -> Export {
    let mut sheet = Sheet::default();
    for rule in rules.rules() {
        let comments = comments(rule);
        sheet.add(rule.name(), &[format!("{}: {}", rule.name(), comments.join("; "))], smt::of_rule(rule), ";");
    }
    for law in laws {
        sheet.add(law.name(), &[format!("{}: {law}", law.name())], smt::of_law(law), ";");
    }
    sheet.export("SMT-LIB: a law holds where an answer is `unsat`", ";", ("", ""))
}

#[cfg(not(feature = "smt"))]
fn smt_text(rules: &RuleSet, laws: &[Law]) -> Export {
    let names = rules.rules().iter().map(|rule| rule.name()).chain(laws.iter().map(|law| law.name()));
    let mut sheet = Sheet::default();
    names.for_each(|name| sheet.add(name, &[], Err("a program that is built without solvers".into()), ";"));
    sheet.export("SMT-LIB", ";", ("", ""))
}

/// The syntax of rules of another system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// A program of egglog.
    Egglog,
    /// A JSON report of Ruler, or lines with one rule each.
    Ruler,
    /// Lines with one rule each.
    Enumo,
}

impl Source {
    /// The syntax for the extension of a file name: egglog for `egg` and `egglog`, Ruler for `json`, and lines for all
    /// other extensions.
    pub fn of_extension(extension: &str) -> Source {
        match extension {
            "egg" | "egglog" => Source::Egglog,
            "json" => Source::Ruler,
            _ => Source::Enumo,
        }
    }
}

/// Rules that were read from a text.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Import {
    /// The rules that could be read. They include rules whose sides have the same normal form, for which quaff needs no
    /// rule.
    pub rules: Vec<Imported>,
    /// The positions of texts that could not be read as rules, each with the reason.
    pub refused: Vec<(Position, String)>,
}

/// A rule of another system.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Imported {
    /// The position of the rule in the text.
    pub position: Position,
    /// The original text of the rule, on one line.
    pub written: String,
    /// The rule. `None` if both sides have the same normal form, so that no rule is needed.
    pub rule: Option<Rule>,
    /// The text of the rule, with one clause on each line. It is empty if there is no rule.
    pub text: String,
}

/// Reads the rules of another system. Each rule gets the name `STEM-LINE`. Further rules on one line are called
/// `STEM-LINE-2` and so on.
///
/// ```
/// use quaff_lab::exchange::{Source, import};
///
/// let read = import("synth", "(// (* ?a 4) 8) ==> (// ?a 2)\n(+ ?a ?b) <=> (+ ?b ?a)\n(f ?a) ==> ?a\n", Source::Enumo);
/// assert_eq!(read.rules[0].rule.as_ref().unwrap().name(), "synth-1");
/// assert!(read.rules[1].rule.is_none(), "sums have no order");
/// assert_eq!(read.refused[0].1, "`f` with 1 operands is no operation");
/// ```
///
/// The time is linear in the size of the text, and quadratic in the number of terms of one sum.
pub fn import(stem: &str, text: &str, source: Source) -> Import {
    let found = match source {
        Source::Egglog => foreign::program(text),
        Source::Ruler if text.trim_start().starts_with(['{', '[']) => foreign::report(text),
        Source::Ruler | Source::Enumo => foreign::lines(text),
    };
    let stem: String = stem.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' }).collect();
    let (mut import, mut names) = (Import::default(), BTreeMap::new());
    for foreign in found {
        match foreign {
            Ok(foreign) => match imported(&stem, &foreign, &mut names) {
                Ok(imported) => import.rules.push(imported),
                Err(why) => import.refused.push((foreign.position, why)),
            },
            Err(fail) => import.refused.push(fail),
        }
    }
    import
}

fn imported(stem: &str, foreign: &Foreign, names: &mut BTreeMap<u32, usize>) -> Result<Imported, String> {
    let line = foreign.position.line;
    let count = names.entry(line).or_insert(0);
    *count += 1;
    let name = if *count == 1 { format!("{stem}-{line}") } else { format!("{stem}-{line}-{count}") };
    let Foreign { position, written, .. } = foreign.clone();
    let text = match import::written(&name, stem, foreign)? {
        Written::NormalForm => return Ok(Imported { position, written, rule: None, text: String::new() }),
        Written::Rule(text) => text,
    };
    match RuleSet::parse(stem, &text) {
        Ok(set) => Ok(Imported { position, written, rule: set.rules().first().cloned(), text }),
        Err(errors) => {
            let why: Vec<&str> = errors.errors().iter().map(|e| e.message()).collect();
            Err(format!("the language of rules does not say it: {}", why.join("; ")))
        }
    }
}
