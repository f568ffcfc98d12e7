//! Reads the question of a corpus line (the input of one simplifier call): an expression, several expressions, or the
//! accesses of a kernel.

use super::json::members;
use super::line::{Line, LineError};
use quaff::Simplifier;
use quaff::SimplifyError;
use quaff::access::Access;
use quaff::domain::Domain;
use quaff::emit::{is_name, is_type};
use quaff::expr::name::free;
use quaff::expr::{Expr, Parsed};
use quaff_dialects::{Dialect, Requirement};
use rustc_hash::FxHashSet;
use serde_json::value::RawValue;

/// A JSON string of a corpus line, read as an expression.
#[derive(Clone, Debug)]
pub struct Part<'a> {
    parsed: Parsed,
    /// The JSON string.
    value: &'a str,
}

impl Part<'_> {
    pub(super) fn into_parsed(self) -> Parsed {
        self.parsed
    }

    /// The expression.
    pub fn expr(&self) -> &Expr {
        self.parsed.expr()
    }
}

/// The question of a line.
#[derive(Clone, Debug)]
pub enum Asked<'a> {
    /// A single expression: `"expr": TEXT`.
    Expr(Part<'a>),
    /// Several expressions of one kernel: `"exprs": [TEXT...]`.
    Exprs(Vec<Part<'a>>),
    /// The indices and gates of the accesses of one kernel: `"accesses": [{"expr": TEXT, "gate": TEXT or null}...]`.
    /// Buffers may be named in `buf`. An access with the `kind` `store` stores `value`. Any other access loads a value,
    /// which is called `v0`, `v1` and so on, by the position of the access. The parts of an access are the indices of
    /// its lanes and its gate, the condition under which it is executed.
    Accesses(Vec<Vec<Part<'a>>>, Vec<Access>),
}

impl<'a> Asked<'a> {
    /// All texts of the question, in their order. For each access, the indices come before the gate.
    fn parts(&self) -> Vec<&Part<'a>> {
        match self {
            Asked::Expr(part) => vec![part],
            Asked::Exprs(parts) => parts.iter().collect(),
            Asked::Accesses(parts, _) => parts.iter().flatten().collect(),
        }
    }
}

/// The state of reading the texts of a line.
struct Texts<'a, 'l> {
    line: &'l Line<'a>,
    dialect: Dialect,
    /// The facts about variables that follow from the texts and their language.
    domain: Domain,
    /// The conditions under which each expression has the same value as its text in the language of the line. Each
    /// condition has the text that needs it.
    required: Vec<(Requirement, Part<'a>)>,
}

impl<'a> Texts<'a, '_> {
    /// Reads the text in `value`, a JSON string of the line, and returns its results.
    fn parts(&mut self, value: &'a str) -> Result<Vec<Part<'a>>, LineError> {
        let text: String =
            serde_json::from_str(value).map_err(|_| self.line.at(value, "an expression is not a text"))?;
        let found = self.line.meaning(value, &text, self.dialect)?;
        self.domain = std::mem::take(&mut self.domain).and(&found.domain);
        let parts: Vec<Part<'a>> = found.results.into_iter().map(|parsed| Part { parsed, value }).collect();
        if let Some(part) = parts.first() {
            self.required.extend(found.requirements.into_iter().map(|r| (r, part.clone())));
        }
        Ok(parts)
    }

    /// Reads a text that has a single result.
    fn part(&mut self, value: &'a str) -> Result<Part<'a>, LineError> {
        let mut parts = self.parts(value)?;
        match (parts.pop(), parts.len()) {
            (Some(one), 0) => Ok(one),
            (_, more) => Err(self.line.at(value, format!("the text has {} results, and an access has one", more + 1))),
        }
    }

    /// Returns an error unless `domain` proves the conditions in `required`.
    fn check(&self, domain: &Domain) -> Result<(), LineError> {
        if self.required.is_empty() {
            return Ok(());
        }
        let simplifier = Simplifier::default();
        let mut facts = simplifier.facts(domain);
        for (requirement, part) in &self.required {
            let at = part.parsed.span_of(&requirement.value).map_or(0, |span| span.start);
            // if the range cannot be computed, the simplifier later returns an error with the reason
            if facts.bounds(&requirement.value).is_ok_and(|range| !requirement.is_met(range)) {
                return Err(self.line.inside(part.value, at, format!("this value {}", requirement.reason)));
            }
        }
        Ok(())
    }
}

impl<'a> Line<'a> {
    /// The expression in `expr` and the ranges in `vars`, in the order of the file.
    ///
    /// # Errors
    /// An error in the fields `expr` or `vars`, a field that is given twice, or an unsupported field that would change
    /// the meaning of the line.
    pub fn question(&self) -> Result<(Parsed, Domain), LineError> {
        match self.asked()? {
            (Asked::Expr(part), domain) => Ok((part.into_parsed(), domain)),
            _ => Err(self.missing()),
        }
    }

    /// The question of the line, and the facts about the variables. `"kinds": {NAME: KIND}` gives the kinds of
    /// variables. A `loop` counts the iterations of a loop, an `unroll` counts the copies of an unrolled loop, and a
    /// `size` is fixed for a launch. The kinds `block`, `thread` and `data` add no fact. An access may name the `loops`
    /// around it, the outermost first.
    ///
    /// ```
    /// use quaff::Simplifier;
    /// use quaff_lab::experiment::{Asked, Line};
    ///
    /// let line = Line::read(br#"{"vars": {"b": [0, 3], "t": [0, 31]}, "accesses": [{"expr": "b*32 + t", "gate": "b*32 + t < 100"}]}"#)?;
    /// let (Asked::Accesses(_, accesses), domain) = line.asked()? else { panic!("accesses") };
    /// let answer = Simplifier::default().simplify_accesses(&accesses, &domain)?;
    /// assert_eq!(answer.accesses()[0].gate().to_string(), "b*32 + t < 100");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The first error in the line, with its column:
    ///
    /// - a field that is given twice, or an unsupported field that would change the meaning;
    /// - a line with none or several of `expr`, `exprs` and `accesses`;
    /// - a text that cannot be parsed as an expression;
    /// - an unknown kind of a variable;
    /// - a loop that is nested in itself;
    /// - a buffer whose name is not a [name](quaff::emit::is_name).
    pub fn asked(&self) -> Result<(Asked<'a>, Domain), LineError> {
        self.supported()?;
        let asked: Vec<_> = ["expr", "exprs", "accesses"].iter().filter_map(|name| self.field(name)).collect();
        let [field] = asked[..] else {
            return Err(match asked.get(1) {
                Some(second) => self.at(second.key, format!("the line has a field `{}` as well", asked[0].name)),
                None => self.missing(),
            });
        };
        let mut domain = self.domain()?;
        let mut texts = Texts { line: self, dialect: self.dialect()?, domain: Domain::new(), required: Vec::new() };
        if field.name != "accesses" {
            domain = self.kinds(domain, |_| false)?;
        }
        let asked = match &*field.name {
            "exprs" => {
                let mut parts = Vec::new();
                for text in self.list("exprs")? {
                    parts.extend(texts.parts(text.get())?);
                }
                Asked::Exprs(parts)
            }
            "accesses" => {
                let accesses = self.list("accesses")?;
                let nests = accesses.iter().map(|access| self.nest(access, &domain)).collect::<Result<Vec<_>, _>>()?;
                let nested: FxHashSet<&String> = nests.iter().flatten().collect();
                domain = self.kinds(domain, |name| nested.contains(&name.to_string()))?;
                domain = nests.into_iter().fold(domain, Domain::loop_nest);
                let buffers: FxHashSet<String> = accesses.iter().filter_map(|a| self.buffer(a)).collect();
                let parts = accesses.into_iter().enumerate().map(|(i, a)| self.access(a, i, &buffers, &mut texts));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                let (parts, accesses) = parts.into_iter().unzip();
                Asked::Accesses(parts, accesses)
            }
            _ => {
                let parts =
                    texts.parts(field.value).map_err(|e| if is_text(field.value) { e } else { self.missing() })?;
                match <[Part<'a>; 1]>::try_from(parts) {
                    Ok([part]) => Asked::Expr(part),
                    Err(parts) => Asked::Exprs(parts),
                }
            }
        };
        let domain = domain.and(&texts.domain);
        texts.check(&domain)?;
        Ok((asked, domain))
    }

    /// Adds the position in the line to `error`, which the simplifier returned for the question `asked`.
    pub fn refused(&self, error: &SimplifyError, asked: &Asked<'_>) -> LineError {
        let parts = asked.parts();
        let place = |culprit: &Expr| parts.iter().find_map(|p| Some((p.value, p.parsed.span_of(culprit)?)));
        let found = match (error.culprit().and_then(place), parts.first()) {
            (Some((value, span)), _) => self.inside(value, span.start, error.to_string()),
            (None, Some(first)) if !matches!(error, SimplifyError::Domain(_)) => {
                self.at(first.value, error.to_string())
            }
            (None, _) => self.at(self.value_or_line("vars"), error.to_string()),
        };
        found.with(error)
    }

    /// The name of the buffer that `access` accesses, if the line gives one.
    fn buffer(&self, access: &'a RawValue) -> Option<String> {
        let fields = members(access.get()).ok()?;
        serde_json::from_str(fields.iter().find(|f| f.name == "buf")?.value).ok()
    }

    /// Reads an access with its parts. The value that the access loads or stores gets a name that is in none of
    /// `buffers`.
    fn access(
        &self,
        access: &'a RawValue,
        number: usize,
        buffers: &FxHashSet<String>,
        texts: &mut Texts<'a, '_>,
    ) -> Result<(Vec<Part<'a>>, Access), LineError> {
        let fields = members(access.get()).map_err(|_| self.at(access.get(), "an access is not an object"))?;
        self.unique(&fields, "the field")?;
        let field = |name: &str| fields.iter().find(|f| f.name == name && f.value != "null");
        let missing = || self.at(access.get(), "an access has no text in the field `expr`");
        let mut parts = vec![texts.part(field("expr").ok_or_else(missing)?.value)?];
        for text in field("lanes").map_or_else(|| Ok(vec![]), |f| self.texts(f.value))? {
            parts.push(texts.part(text.get())?);
        }
        let lanes: Vec<Expr> = parts.iter().map(|part| part.expr().clone()).collect();
        let gate = match (field("mask"), field("gate")) {
            (Some(_), Some(old)) => {
                return Err(self.at(old.key, "`gate` is the old name of `mask`, and an access has one of them"));
            }
            (mask, gate) => mask.or(gate).map(|f| texts.part(f.value)).transpose()?,
        };
        let text = |name: &str| field(name).map(|f| (f.value, serde_json::from_str::<String>(f.value).ok()));
        let buffer = match text("buf") {
            Some((_, Some(name))) if is_name(&name) => Some(name),
            Some((value, _)) => return Err(self.at(value, "the field `buf` is no free name in C and CUDA")),
            None => None,
        };
        let free = |name: String| free(name, |name| buffers.iter().any(|buffer| **buffer == *name));
        let mut whole = match text("kind").map(|(value, kind)| (value, kind.unwrap_or_default())) {
            Some((_, kind)) if kind == "store" => {
                Access::store(buffer.unwrap_or_else(|| "out".into()), lanes[0].clone(), free("value".into()))
            }
            Some((value, kind)) if kind != "load" => {
                return Err(self.at(value, "the kind of an access is neither `load` nor `store`"));
            }
            _ => Access::load(free(format!("v{number}")), buffer.unwrap_or_else(|| "in".into()), lanes[0].clone()),
        };
        whole = lanes[1..].iter().cloned().fold(whole, Access::lane);
        if let Some(gate) = &gate {
            whole = whole.when(gate.expr().clone());
        }
        if let Some((value, ty)) = text("type") {
            let ty = ty.filter(|ty| is_type(ty));
            whole = whole.element(ty.ok_or_else(|| self.at(value, "the field `type` is no type in C and CUDA"))?);
        }
        if let Some(aligned) = field("aligned") {
            let bytes = serde_json::from_str::<u32>(aligned.value).ok().filter(|&bytes| bytes > 0);
            let wrong = || self.at(aligned.value, "the field `aligned` is no number of bytes, at least 1");
            whole = whole.aligned(bytes.ok_or_else(wrong)?);
        }
        parts.extend(gate);
        Ok((parts, whole))
    }

    /// The texts of the indices of an access's lanes after the first. If the line gives only the number of lanes, the
    /// list is empty.
    fn texts(&self, value: &'a str) -> Result<Vec<&'a RawValue>, LineError> {
        match serde_json::from_str::<u32>(value) {
            Ok(_) => Ok(vec![]),
            Err(_) => serde_json::from_str(value)
                .map_err(|_| self.at(value, "the lanes of an access are not a list of expressions")),
        }
    }

    /// The variables of the loops around each access, the outermost first.
    ///
    /// # Errors
    /// An error in a field `loops`, such as the name of an unknown variable.
    pub fn nests(&self) -> Result<Vec<Vec<String>>, LineError> {
        let domain = self.domain()?;
        self.list("accesses")?.iter().map(|access| self.nest(access, &domain)).collect()
    }

    /// The variables of the loops around `access`.
    fn nest(&self, access: &'a RawValue, domain: &Domain) -> Result<Vec<String>, LineError> {
        let fields = members(access.get()).map_err(|_| self.at(access.get(), "an access is not an object"))?;
        let Some(loops) = fields.iter().find(|f| f.name == "loops" && f.value != "null") else { return Ok(Vec::new()) };
        let wrong = |part: &str| self.at(part, "the loops around an access are not a list of names");
        let parts: Vec<&RawValue> = serde_json::from_str(loops.value).map_err(|_| wrong(loops.value))?;
        let mut names: Vec<String> = Vec::with_capacity(parts.len());
        for part in parts {
            let name: String = serde_json::from_str(part.get()).map_err(|_| wrong(part.get()))?;
            if !domain.contains(&name) {
                return Err(self.undeclared(part.get(), &name));
            }
            if names.contains(&name) {
                return Err(self.at(part.get(), format!("the loop over `{name}` is around itself")));
            }
            names.push(name);
        }
        Ok(names)
    }

    /// Adds the kinds of variables in the field `kinds` to `domain`. Variables that are `nested` in loops are skipped.
    fn kinds(&self, mut domain: Domain, nested: impl Fn(&str) -> bool) -> Result<Domain, LineError> {
        for kind in self.object("kinds")? {
            if !domain.contains(&kind.name) {
                return Err(self.undeclared(kind.key, &kind.name));
            }
            domain = match serde_json::from_str::<String>(kind.value).as_deref() {
                Ok("loop") if nested(&kind.name) => domain,
                Ok("loop") => domain.loop_variable(kind.name),
                Ok("size") => domain.launch_invariant(kind.name),
                Ok("unroll") => domain.unrolled(kind.name),
                Ok("block" | "thread" | "data") => domain,
                _ => {
                    let known = "`block`, `thread`, `loop`, `unroll`, `size` or `data`";
                    return Err(self.at(kind.value, format!("the kind of `{}` is none of {known}", kind.name)));
                }
            };
        }
        Ok(domain)
    }
}

fn is_text(value: &str) -> bool {
    value.starts_with('"')
}
