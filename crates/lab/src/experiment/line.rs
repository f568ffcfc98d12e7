//! One line of a corpus: a JSON object with an expression and the ranges of its variables.

use super::json::{Member, column, members, string_offset};
use miette::Diagnostic;
use quaff::domain::{Bounds, Domain};
use quaff::expr::name::is_readable;
use quaff::expr::{self, Expr, ParseError};
use quaff_dialects::{Dialect, Read, ReadError, UnknownDialect, read};
use serde_json::Value;
use serde_json::value::RawValue;

/// The fields of a line that are read.
const READ: [&str; 14] = [
    "id", "from", "vars", "expr", "exprs", "accesses", "kinds", "assume", "uniform", "step", "symbolic", "loop",
    "nonempty", "defined",
];
/// Fields that change the meaning of a line and are not supported. A line with one of them is an error.
const UNSUPPORTED: [&str; 2] = ["mask", "gate"];
/// Fields of known corpora that are ignored. Their names are similar to the names of fields that are read, but they are
/// not typing errors.
const NO_SLIPS: [&str; 4] = ["gated", "idx", "steps", "loops"];

/// The reason why a corpus line cannot be read or has no answer, with the position in the line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("column {column}: {message}")]
#[non_exhaustive]
pub struct LineError {
    /// The column, counted in characters from 1.
    pub column: usize,
    /// The error message.
    pub message: String,
    /// The suggested correction, if there is one.
    pub help: Option<String>,
    /// The kind of error, such as `quaff::parse`, if it has a name.
    pub code: Option<String>,
}

impl LineError {
    /// Adds the help and the code of `error` to this error.
    pub(super) fn with(self, error: &dyn Diagnostic) -> LineError {
        LineError { help: error.help().map(|h| h.to_string()), code: error.code().map(|c| c.to_string()), ..self }
    }

    pub(super) fn new(column: usize, message: impl Into<String>) -> LineError {
        LineError { column, message: message.into(), help: None, code: None }
    }
}

/// One line of a corpus, parsed only as JSON.
///
/// ```
/// use quaff_lab::experiment::Line;
///
/// let question = |text: &str| Line::read(text.as_bytes()).and_then(|l| l.question()).map_err(|e| e.to_string());
/// assert!(question(r#"{"vars": {"x": [0, 9]}, "expr": "x*2", "origin": "by hand"}"#).is_ok());
/// assert_eq!(question(r#"{"vars": {"x": [0, 9]}, "expr": "x +* 2"}"#).unwrap_err(),
///     "column 37: expected a number, a name or `(`, found `*`");
/// assert_eq!(question(r#"{"vars": {"x": [0, 9]}, "expr": "x", "gate": "x > 2"}"#).unwrap_err(),
///     "column 38: the field `gate` is not supported, and the line means something else without it");
/// ```
#[derive(Clone, Debug)]
pub struct Line<'a> {
    /// The field `id` as written, and `null` if there is none.
    pub id: &'a RawValue,
    text: &'a str,
    fields: Vec<Member<'a>>,
    /// The language of the expressions if the line has no field `from`.
    from: Dialect,
}

/// The byte position of `part`, which is a slice of `text`.
fn offset_of(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize)
}

impl<'a> Line<'a> {
    /// Reads a line. The argument is bytes, so that a line that is not UTF-8 does not affect other lines.
    ///
    /// # Errors
    /// A [`LineError`] if the line is not a JSON object.
    pub fn read(bytes: &'a [u8]) -> Result<Line<'a>, LineError> {
        let text = std::str::from_utf8(bytes).map_err(|e| {
            let column = String::from_utf8_lossy(&bytes[..e.valid_up_to()]).chars().count() + 1;
            LineError::new(column, "not JSON: not UTF-8")
        })?;
        let fields = members(text).map_err(|(at, message)| LineError::new(column(text, at), message))?;
        let id = fields.iter().find(|f| f.name == "id").and_then(|f| serde_json::from_str(f.value).ok());
        Ok(Line { id: id.unwrap_or(RawValue::NULL), text, fields, from: Dialect::Infix })
    }

    /// The same line, with `from` as the language of its expressions if it has no field `from`.
    pub fn in_dialect(self, from: Dialect) -> Line<'a> {
        Line { from, ..self }
    }

    pub(super) fn field(&self, name: &str) -> Option<&Member<'a>> {
        self.fields.iter().find(|f| f.name == name)
    }

    /// An error with the position of `part`, which is a slice of the line.
    pub(super) fn at(&self, part: &str, message: impl Into<String>) -> LineError {
        LineError::new(column(self.text, offset_of(self.text, part)), message)
    }

    /// An error at byte `at` of the decoded string whose JSON text is `part`.
    pub(super) fn inside(&self, part: &str, at: usize, message: impl Into<String>) -> LineError {
        let at = offset_of(self.text, part) + string_offset(part, at);
        LineError::new(column(self.text, at), message)
    }

    pub(super) fn syntax(&self, part: &str, before: &str, error: &ParseError) -> LineError {
        self.unread(part, before, &ReadError::from(error.clone()))
    }

    fn unread(&self, part: &str, before: &str, error: &ReadError) -> LineError {
        self.inside(part, error.span().start, format!("{before}{error}")).with(error)
    }

    /// Reads `text` as expressions in the language `dialect`. `text` is the decoded value of the JSON string `part`.
    pub(super) fn meaning(&self, part: &str, text: &str, dialect: Dialect) -> Result<Read, LineError> {
        read(text, dialect).map_err(|error| match dialect {
            Dialect::Infix => self.unread(part, "", &error.naming_dialect(|d| format!("\"from\": \"{d}\""))),
            _ => self.unread(part, "", &error),
        })
    }

    /// The language of the expressions, as the field `from` names it.
    pub(super) fn dialect(&self) -> Result<Dialect, LineError> {
        let Some(field) = self.field("from").filter(|f| f.value != "null") else { return Ok(self.from) };
        let name: String = serde_json::from_str(field.value)
            .map_err(|_| self.at(field.value, "the field `from` is not the name of a dialect"))?;
        name.parse().map_err(|e: UnknownDialect| self.at(field.value, e.to_string()))
    }

    /// Returns an error if a field is given twice, or if an unsupported field would change the meaning.
    pub(super) fn supported(&self) -> Result<(), LineError> {
        self.unique(&self.fields, "the field")?;
        match self.fields.iter().find(|f| UNSUPPORTED.contains(&&*f.name)) {
            Some(f) => {
                let why =
                    format!("the field `{}` is not supported, and the line means something else without it", f.name);
                Err(self.at(f.key, why))
            }
            None => Ok(()),
        }
    }

    /// The error that the line has no expression.
    pub(super) fn missing(&self) -> LineError {
        self.at(self.value_or_line("expr"), "there is no text in the field `expr`")
    }

    /// The value of a field, or the whole line if there is no such field.
    pub(super) fn value_or_line(&self, name: &str) -> &'a str {
        self.field(name).map_or(self.text, |f| f.value)
    }

    /// The ignored fields whose names are one edit away from a field that is read. Each item has the name in the line
    /// and the name that may be meant.
    pub fn slips(&self) -> impl Iterator<Item = (&str, &'static str)> {
        self.fields.iter().filter_map(|f| slip(&f.name).map(|meant| (&*f.name, meant)))
    }

    /// Returns an error if two of `members` have the same name.
    pub(super) fn unique(&self, members: &[Member<'a>], what: &str) -> Result<(), LineError> {
        let mut seen = rustc_hash::FxHashSet::default();
        match members.iter().find(|m| !seen.insert(&*m.name)) {
            Some(twice) => Err(self.at(twice.key, format!("{what} `{}` is given twice", twice.name))),
            None => Ok(()),
        }
    }

    /// The ranges in `vars`, and the facts about the variables in other fields.
    pub(super) fn domain(&self) -> Result<Domain, LineError> {
        let (mut domain, dialect) = (Domain::new(), self.dialect()?);
        let ends = self.object("symbolic")?;
        for Member { name, key, value } in &self.object("vars")? {
            let name = &dialect.variable(name);
            if !is_readable(name) {
                return Err(self.at(key, format!("`{}` cannot be the name of a variable", name.escape_debug())));
            }
            let [lower, upper]: [&RawValue; 2] = serde_json::from_str(value)
                .map_err(|_| self.at(value, format!("the range of `{name}` is not a list of two ends")))?;
            let upper = ends.iter().find(|e| e.name == *name).map_or(upper.get(), |e| e.value);
            let ends = (self.end(name, lower.get())?, self.end(name, upper)?);
            domain.add_bounds(&**name, Bounds::new(ends.0, ends.1));
        }
        if let Some(end) = ends.iter().find(|e| !domain.contains(&e.name)) {
            return Err(self.undeclared(end.key, &end.name));
        }
        for Member { name, key, value } in &self.object("step")? {
            if !domain.contains(name) {
                return Err(self.undeclared(key, name));
            }
            let [step, from]: [i64; 2] = serde_json::from_str(value)
                .map_err(|_| self.at(value, format!("the step of `{name}` is not a list of two 64-bit integers")))?;
            domain.add_stride(&**name, step, from);
        }
        for text in self.list("uniform")? {
            let name = self.variable(&domain, text)?;
            domain = domain.launch_invariant(name);
        }
        for text in self.list("loop")? {
            let name = self.variable(&domain, text)?;
            domain = domain.loop_variable(name);
        }
        for text in self.list("nonempty")? {
            let name = self.variable(&domain, text)?;
            domain = domain.nonempty(name);
        }
        for text in self.list("assume")? {
            let condition: String = serde_json::from_str(text.get())
                .map_err(|_| self.at(text.get(), "a condition of the field `assume` is not a text"))?;
            let found = self.meaning(text.get(), &condition, dialect)?;
            if let Some(r) = found.requirements.first() {
                return Err(
                    self.at(text.get(), format!("a value of this condition {}; write it in a signed type", r.reason))
                );
            }
            domain = domain.and(&found.domain);
            domain = found.results.into_iter().fold(domain, |domain, parsed| domain.assume(parsed.into_expr()));
        }
        match self.field("defined").map(|f| (f.value, serde_json::from_str(f.value))) {
            Some((_, Ok(true))) => domain = domain.defined(),
            Some((value, Err(_))) => return Err(self.at(value, "the field `defined` is neither true nor false")),
            Some((_, Ok(false))) | None => {}
        }
        Ok(domain)
    }

    /// The members of the object in the field `name`. There are none if the field is missing.
    pub(super) fn object(&self, name: &str) -> Result<Vec<Member<'a>>, LineError> {
        let Some(field) = self.field(name).filter(|f| f.value != "null") else { return Ok(Vec::new()) };
        let found =
            members(field.value).map_err(|_| self.at(field.value, format!("the field `{name}` is not an object")))?;
        // the keys are slices of the line, so errors about them have positions
        self.unique(&found, "the variable")?;
        Ok(found)
    }

    /// The elements of the list in the field `name`. There are none if the field is missing.
    pub(super) fn list(&self, name: &str) -> Result<Vec<&'a RawValue>, LineError> {
        let Some(field) = self.field(name).filter(|f| f.value != "null") else { return Ok(Vec::new()) };
        serde_json::from_str(field.value).map_err(|_| self.at(field.value, format!("the field `{name}` is not a list")))
    }

    /// The variable that `text`, an element of a list, names. An error if it is not declared.
    fn variable(&self, domain: &Domain, text: &RawValue) -> Result<String, LineError> {
        let name: String = serde_json::from_str(text.get())
            .map_err(|_| self.at(text.get(), "the name of a variable is not a text"))?;
        if domain.contains(&name) { Ok(name) } else { Err(self.undeclared(text.get(), &name)) }
    }

    pub(super) fn undeclared(&self, part: &str, name: &str) -> LineError {
        self.at(part, format!("the variable `{}` has no range in the field `vars`", name.escape_debug()))
    }

    fn end(&self, name: &str, text: &str) -> Result<Option<Expr>, LineError> {
        let bad = |what: &str| self.at(text, format!("an end of the range of `{name}` is {what}"));
        match serde_json::from_str(text) {
            Ok(Value::Null) => Ok(None),
            Ok(Value::Number(n)) => match n.as_i64() {
                Some(c) => Ok(Some(c.into())),
                None => Err(bad(&format!("not a 64-bit integer: {n}"))),
            },
            Ok(Value::String(s)) => match expr::parse(&s) {
                Ok(e) => Ok(Some(e.into_expr())),
                Err(e) => Err(self.syntax(text, &format!("an end of the range of `{name}`: "), &e)),
            },
            _ => Err(bad("neither an integer, an expression nor null")),
        }
    }

    /// The expression and the ranges as written in the file.
    pub(super) fn shown(&self) -> (String, String) {
        let text = self.field("expr").and_then(|f| serde_json::from_str(f.value).ok()).unwrap_or_default();
        let end = |v: &RawValue| match serde_json::from_str(v.get()) {
            Ok(Value::Null) => String::new(),
            Ok(Value::String(s)) => s,
            _ => v.get().to_string(),
        };
        let vars = self.field("vars").and_then(|f| members(f.value).ok()).unwrap_or_default();
        let ranges = vars.iter().filter_map(|m| {
            let [lower, upper]: [&RawValue; 2] = serde_json::from_str(m.value).ok()?;
            Some(format!("{}={}..{}", m.name, end(lower), end(upper)))
        });
        (text, ranges.collect::<Vec<_>>().join(", "))
    }
}

/// The field that the unknown field `name` may mean. A line may have many unknown fields, so the function allocates
/// nothing and mostly compares only lengths.
fn slip(name: &str) -> Option<&'static str> {
    let mut known = READ.into_iter().chain(UNSUPPORTED);
    if NO_SLIPS.contains(&name) || known.clone().any(|k| k == name) {
        return None;
    }
    known.find(|k| is_one_edit_away(name.as_bytes(), k.as_bytes()))
}

/// Whether the names differ by at most one added, missing or changed letter, or by one swap of neighbours. Upper and
/// lower case are equal.
fn is_one_edit_away(a: &[u8], b: &[u8]) -> bool {
    if a.len().abs_diff(b.len()) > 1 {
        return false;
    }
    let alike = |(x, y): &(&u8, &u8)| x.eq_ignore_ascii_case(y);
    let shorter = a.len().min(b.len());
    let head = a.iter().zip(b).take_while(alike).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(alike).count().min(shorter - head);
    match (&a[head..a.len() - tail], &b[head..b.len() - tail]) {
        ([] | [_], [] | [_]) => true,
        ([p, q], [r, s]) => alike(&(p, s)) && alike(&(q, r)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{READ, UNSUPPORTED, is_one_edit_away, slip};

    #[test]
    fn fields_with_a_meaning_are_no_slips() {
        for name in READ.into_iter().chain(UNSUPPORTED).chain(["origin", "gated", "idx", "steps", "", "kernel", "é"]) {
            assert_eq!(slip(name), None, "{name}");
        }
        for (name, meant) in [
            ("exp", "expr"),
            ("Expr", "expr"),
            ("epxr", "expr"),
            ("var", "vars"),
            ("asume", "assume"),
            ("gates", "gate"),
            ("masks", "mask"),
        ] {
            assert_eq!(slip(name), Some(meant), "{name}");
        }
    }

    /// The result agrees with the edit distance that allows swaps of neighbours.
    #[test]
    fn one_edit_is_one_edit() {
        let words: Vec<String> =
            ["", "a", "b", "ab", "ba", "aab", "aba", "abab", "abba", "expr", "exrp", "xepr", "exppr"]
                .map(String::from)
                .into_iter()
                .chain((0..81).map(|n: u32| (0..4).map(|i| char::from(b'a' + (n / 3_u32.pow(i) % 3) as u8)).collect()))
                .collect();
        for a in &words {
            for b in &words {
                let near = strsim::osa_distance(a, b) <= 1;
                assert_eq!(is_one_edit_away(a.as_bytes(), b.as_bytes()), near, "{a} {b}");
            }
        }
    }
}
