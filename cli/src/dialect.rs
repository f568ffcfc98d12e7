//! The options `--from`, `--to` and `--let`: the languages of expressions, and definitions in them.

use crate::report::{Failure, Given, Problem, shortened};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use miette::Diagnostic;
use quaff::Simplifier;
use quaff::domain::Domain;
use quaff::expr::substitute::substituted_all;
use quaff::expr::{Expr, Parsed};
use quaff_dialects::{Dialect, Read, Requirement, read};
use quaff_fronts::view::chain::Chain;
use rustc_hash::{FxHashMap, FxHashSet};

/// `--from`.
#[derive(Args, Clone, Copy, Default)]
#[command(next_help_heading = "Language of the input")]
pub(crate) struct Language {
    /// Language of the expressions; the meaning of `/`, `%` and precedence depends on it. `infix` is Python's grammar with
    /// floor division. An affine map in `mlir` or `xla` may have several results
    #[arg(long, value_name = "DIALECT", default_value = "infix", value_parser = dialects())]
    pub(crate) from: Dialect,
}

impl Language {
    /// The chain of movements in `text`.
    pub(crate) fn chain(self, text: &str) -> Result<Chain, Failure> {
        Chain::read(text, self.from).map_err(|error| {
            let error = if self.from == Dialect::Infix { error.naming_dialect(flag) } else { error };
            Problem::chain(&error, text).into()
        })
    }
}

/// How texts of expressions are read.
#[derive(Args, Default)]
#[command(next_help_heading = "Language of the input")]
pub(crate) struct Reading {
    #[command(flatten)]
    language: Language,

    /// A name that is replaced by an expression: `--let row=i//96`. The expression may use the names defined before it; may be
    /// given several times
    #[arg(long = "let", value_name = "NAME=EXPR")]
    definitions: Vec<String>,
}

impl Reading {
    /// The dialect of the texts.
    pub(crate) fn dialect(&self) -> Dialect {
        self.language.from
    }
}

/// The flag that selects `dialect`, as text for messages.
fn flag(dialect: Dialect) -> String {
    format!("--from {dialect}")
}

/// The parser of dialect names.
pub(crate) fn dialects() -> impl TypedValueParser<Value = Dialect> {
    PossibleValuesParser::new(Dialect::ALL.map(Dialect::name)).try_map(|name| name.parse::<Dialect>())
}

/// The largest number of variables in a message that are shown with places, flags and similar names.
const SHOWN: usize = 16;

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("`--let` needs a name and an expression, as in `--let row=i//96`")]
#[diagnostic(code(quaff::definition))]
struct NoDefinition;

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("the text has {results} results, and one expression is needed here")]
#[diagnostic(code(quaff::results))]
struct Several {
    results: usize,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("this value {reason}")]
#[diagnostic(
    code(quaff::requirement),
    help(
        "narrow the ranges of its variables, give their steps, or write the expression in a type that holds all values"
    )
)]
struct Unproved {
    reason: &'static str,
}

#[derive(Debug, thiserror::Error, Diagnostic)]
#[error("{}", self.message())]
#[diagnostic(code(quaff::unknown_variable))]
struct Undeclared {
    names: Vec<String>,
    #[help]
    help: String,
}

impl Undeclared {
    fn message(&self) -> String {
        match self.names.as_slice() {
            [name] => format!("the variable `{name}` is not declared"),
            names => format!("{} variables are not declared: {}", names.len(), shortened(&names.join(", "))),
        }
    }

    /// The error that `names` are not declared. It shows the flags that declare them, and the most similar names in
    /// `known`.
    fn new(names: Vec<String>, known: &[&str]) -> Undeclared {
        let flag = |name: &String| match name.contains(|c: char| !c.is_alphanumeric() && c != '_' && c != '.') {
            true => format!("--var '{name}=0..1023'"),
            false => format!("--var {name}=0..1023"),
        };
        let flags: Vec<String> = names.iter().take(SHOWN).map(flag).collect();
        let mut help = format!("declare the range of each, such as `{}`; `..` alone says nothing", flags.join(" "));
        for name in names.iter().take(SHOWN) {
            if let Some(near) = nearest(name, known) {
                help += &format!("\n`{near}` is declared and near `{name}`");
            }
        }
        if !known.is_empty() {
            let quoted: Vec<String> = known.iter().map(|k| format!("`{k}`")).collect();
            help += &format!("\ndeclared are {}", shortened(&quoted.join(", ")));
        }
        Undeclared { names, help }
    }
}

/// The name in `known` that is probably the meaning of a misspelt `name`.
pub(crate) fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    let distance = |k: &str| strsim::osa_distance(&name.to_lowercase(), &k.to_lowercase());
    let near = known.iter().copied().min_by_key(|k| distance(k))?;
    (distance(near) <= name.len() / 3).then_some(near)
}

/// The definitions of `--let`: expressions by name, with the facts and requirements of their texts.
#[derive(Default)]
struct Definitions {
    values: FxHashMap<String, Expr>,
    domain: Domain,
    requirements: Vec<Requirement>,
}

impl Definitions {
    /// The results of `text`, with these definitions substituted. The first result has the facts and requirements of
    /// all definitions.
    fn put_in(&self, text: Read, file: &'static str) -> Vec<Given> {
        let Read { results, domain, requirements } = text;
        let put_in =
            |e: &Expr| substituted_all(std::slice::from_ref(e), |name| self.values.get(name).cloned()).remove(0);
        let required =
            requirements.into_iter().map(|r| Requirement { value: put_in(&r.value), part: put_in(&r.part), ..r });
        let requirements = self.requirements.iter().cloned().chain(required).collect();
        let (mut domain, mut requirements) = (self.domain.clone().and(&domain), requirements);
        let given = |parsed: Parsed| {
            let expr = put_in(parsed.expr());
            let (domain, requirements) = (std::mem::take(&mut domain), std::mem::take(&mut requirements));
            Given { parsed: parsed.with_expr(expr), file, domain, requirements }
        };
        results.into_iter().map(given).collect()
    }
}

impl From<Language> for Reading {
    /// A reader of texts in `language`, without definitions.
    fn from(language: Language) -> Reading {
        Reading { language, definitions: Vec::new() }
    }
}

impl Reading {
    /// The declaration `text`, with its name replaced by the variable that it means in this dialect: `tl.program_id(0)=0..7`
    /// declares `program_id_0`.
    pub(crate) fn declaration(&self, text: &str) -> String {
        match text.split_once('=') {
            Some((name, range)) if self.language.from != Dialect::Infix => {
                format!("{}={range}", self.language.from.variable(name.trim()))
            }
            _ => text.into(),
        }
    }

    /// The results of `text`, which comes from `file`.
    pub(crate) fn all(&self, text: &str, file: &'static str) -> Result<Vec<Given>, Failure> {
        let found = self.read(text, file)?;
        Ok(self.definitions()?.put_in(found, file))
    }

    /// Reads `text` without substituting definitions.
    fn read(&self, text: &str, file: &str) -> Result<Read, Failure> {
        let from = self.language.from;
        read(text, from).map_err(|error| {
            let error = if from == Dialect::Infix { error.naming_dialect(flag) } else { error };
            Problem::unread(&error, file).into()
        })
    }

    /// The only result of `text`. A text with several results is refused.
    pub(crate) fn one(&self, text: &str, file: &'static str) -> Result<Given, Failure> {
        let mut results = self.all(text, file)?;
        match (results.pop(), results.len()) {
            (Some(one), 0) => Ok(one),
            (_, more) => Err(Problem::at_value(&Several { results: more + 1 }, file, text).into()),
        }
    }

    fn definitions(&self) -> Result<Definitions, Failure> {
        let mut definitions = Definitions::default();
        for text in &self.definitions {
            let (name, value) = text.split_once('=').ok_or_else(|| Problem::at_value(&NoDefinition, "--let", text))?;
            let mut given = definitions.put_in(self.read(value, "--let")?, "--let");
            let (Some(one), 0) = (given.pop(), given.len()) else {
                return Err(Problem::at_value(&Several { results: given.len() + 1 }, "--let", text).into());
            };
            (definitions.domain, definitions.requirements) = (one.domain, one.requirements);
            definitions.values.insert(self.language.from.variable(name.trim()), one.parsed.into_expr());
        }
        Ok(definitions)
    }
}

/// The domain `declared`, with the facts in the texts of `given`.
///
/// # Errors
/// An error that lists all undeclared variables. If all are declared, an error about the first requirement that is not
/// proved.
pub(crate) fn known(declared: Domain, given: &[&Given]) -> Result<Domain, Failure> {
    known_but(declared, given, &[])
}

/// Like [`known`], but the variables in `but` need no declaration.
pub(crate) fn known_but(declared: Domain, given: &[&Given], but: &[String]) -> Result<Domain, Failure> {
    let domain = given.iter().fold(declared, |domain, g| domain.and(&g.domain));
    undeclared(&domain, given, but)?;
    given.iter().try_for_each(|g| unproved(&domain, g))?;
    Ok(domain)
}

/// Checks that all variables of `given` are declared or among `but`.
fn undeclared(domain: &Domain, given: &[&Given], but: &[String]) -> Result<(), Failure> {
    let (mut names, mut first) = (Vec::new(), None);
    let mut seen: FxHashSet<String> = but.iter().cloned().collect();
    for g in given {
        for name in g.variables() {
            if !domain.contains(&name) && seen.insert(name.clone()) {
                names.push(name);
                first = first.or(Some(*g));
            }
        }
    }
    let Some(g) = first else { return Ok(()) };
    let known: Vec<&str> = domain.vars().collect();
    let error = Undeclared::new(names, &known);
    let shown = error.names.iter().take(SHOWN);
    let places = shown.filter_map(|name| Some(("not declared", g.place_of(name)?))).collect();
    Err(Problem::at_places(&error, g, places).into())
}

/// Checks that all requirements of `given` hold in `domain`.
pub(crate) fn unproved(domain: &Domain, given: &Given) -> Result<(), Failure> {
    if given.requirements.is_empty() {
        return Ok(());
    }
    let simplifier = Simplifier::default();
    let mut facts = simplifier.facts(domain);
    for requirement in &given.requirements {
        let Requirement { value, part, reason, .. } = requirement;
        let range = match facts.bounds(value) {
            // the caller reports a domain without points
            Err(e) if e.is_empty_domain() => return Ok(()),
            range => range.map_err(|e| Problem::refused(&e, given.file, &given.parsed))?,
        };
        if !requirement.is_met(range) {
            let place = given.parsed.span_of(part).map(|span| ("here", span)).into_iter().collect();
            return Err(Problem::at_places(&Unproved { reason }, given, place).into());
        }
    }
    Ok(())
}
