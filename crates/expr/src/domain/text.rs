//! Domains as text. `FromStr` reads the text that `Display` writes.

use super::declare::{bad, trim};
use super::variables::Presence;
use super::{Bounds, Domain, DomainError};
use crate::expr::{Dag, Expr, Op, Parsed, parse};
use std::fmt::{self, Write};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;

/// The word before an assumption.
const ASSUME: &str = "assume";
/// The word before the name of a launch invariant.
const INVARIANT: &str = "invariant";
/// The word before the names of variables that count loops, the outermost first.
const LOOP: &str = "loop";
/// The words before the name of a variable and before the loops in which it gets its value.
const COMPUTED: &str = "computed";
const IN: &str = "in";
/// The word before the name of a variable that counts the copies of an unrolled loop.
const UNROLLED: &str = "unrolled";
/// The word before the name of a variable whose range is never empty.
const NONEMPTY: &str = "nonempty";
/// The declaration that no division by 0 is executed.
const DEFINED: &str = "defined";
/// The word between the range of an opaque value and its text.
const TEXT: &str = "as";

impl FromStr for Domain {
    type Err = DomainError;

    /// Reads declarations, separated by commas, semicolons or ends of lines. The declarations are those of
    /// [`Domain::declare`], and these:
    ///
    /// ```text
    /// q = 0..99 as "rows[i]"     an opaque value and its text in CUDA, `\"` and `\\` escaped
    /// invariant n                fixed for a launch
    /// loop i k                   count the iterations of a loop, and of one in it
    /// computed row in i k        gets its value in these loops
    /// unrolled u                 counts the copies of an unrolled loop
    /// nonempty i                 the range of this variable is never empty
    /// defined                    no expression divides by 0
    /// assume i*4 + j < 72        a condition that holds at every point
    /// ```
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let domain: Domain = "n=1..64, i=0..min(n, 16) - 1; x=0..999 step 4, assume i < x".parse()?;
    /// assert_eq!(domain.vars().collect::<Vec<_>>(), ["n", "i", "x"]);
    /// assert_eq!(domain.to_string(), "n=1..64, i=0..min(n, 16) - 1, x=0..999 step 4, assume i < x");
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// [`DomainError`], for the same reasons as in [`Domain::declare`]. Its place refers to the whole text.
    fn from_str(text: &str) -> Result<Domain, DomainError> {
        let mut domain = Domain::new();
        domain.declare_all(text)?;
        Ok(domain)
    }
}

impl Domain {
    /// Adds the declarations of `text`, in the notation that [`Domain::from_str`] reads. The declarations may name
    /// variables of this domain.
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let mut domain: Domain = "n=1..64, i=0..n-1".parse()?;
    /// domain.declare_all("invariant n; assume i < 16")?;
    /// assert_eq!(domain.to_string(), "n=1..64, i=0..n - 1, invariant n, assume i < 16");
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    ///
    /// # Errors
    /// [`DomainError`], for the same reasons as in [`Domain::declare`]. Its place refers to the whole text. The
    /// declarations before the invalid one are added.
    pub fn declare_all(&mut self, text: &str) -> Result<(), DomainError> {
        for span in clauses(text) {
            let at = trim(text, span);
            if !at.is_empty() {
                self.add_clause(text, at)?;
            }
        }
        Ok(())
    }

    /// The declarations that [`Display`](fmt::Display) writes, as separate strings.
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let domain: Domain = "n=1..64, i=0..min(n, 16) - 1, invariant n".parse()?;
    /// assert_eq!(domain.declarations(), ["n=1..64", "i=0..min(n, 16) - 1", "invariant n"]);
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    pub fn declarations(&self) -> Vec<String> {
        let text = self.to_string();
        clauses(&text).into_iter().map(|span| text[trim(&text, span)].to_string()).filter(|c| !c.is_empty()).collect()
    }

    /// Whether `text` is a declaration that begins with a word, such as `loop i k` or `defined`, and is neither a range
    /// nor a condition.
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// assert!(Domain::is_declaration("loop i k") && Domain::is_declaration("assume i < 4"));
    /// assert!(!Domain::is_declaration("loop=0..3") && !Domain::is_declaration("loop < 4"));
    /// ```
    pub fn is_declaration(text: &str) -> bool {
        let text = text.trim();
        let begins_name = |rest: Range<usize>| text[rest].starts_with(|c: char| c.is_alphabetic() || c == '_');
        let follows = |word| after_word(text, &(0..text.len()), word);
        text == DEFINED
            || follows(ASSUME).is_some()
            || [INVARIANT, LOOP, COMPUTED, UNROLLED, NONEMPTY].into_iter().filter_map(follows).any(begins_name)
    }

    /// Adds the declaration in the bytes `at` of `text`, which have no white space at their ends.
    fn add_clause(&mut self, text: &str, at: Range<usize>) -> Result<(), DomainError> {
        for (word, declare) in [
            (INVARIANT, Domain::launch_invariant as fn(Domain, String) -> Domain),
            (UNROLLED, Domain::unrolled),
            (NONEMPTY, Domain::nonempty),
        ] {
            if let Some(rest) = after_word(text, &at, word) {
                let name = text[rest.clone()].to_string();
                if !self.contains(&name) {
                    return Err(bad("a variable that is declared before", text, rest));
                }
                *self = declare(std::mem::take(self), name);
                return Ok(());
            }
        }
        for word in [LOOP, COMPUTED] {
            if let Some(rest) = after_word(text, &at, word) {
                let names: Vec<&str> = text[rest.clone()].split_whitespace().collect();
                let declared = |names: &[&str]| !names.is_empty() && names.iter().all(|name| self.contains(name));
                *self = match &names[..] {
                    names if word == LOOP && declared(names) => {
                        std::mem::take(self).loop_nest(names.iter().map(|n| n.to_string()))
                    }
                    [name, IN, around @ ..] if word == COMPUTED && self.contains(name) && declared(around) => {
                        let around: Vec<String> = around.iter().map(|n| n.to_string()).collect();
                        std::mem::take(self).computed_in(name.to_string(), around)
                    }
                    _ => return Err(bad("variables that are declared before", text, rest)),
                };
                return Ok(());
            }
        }
        if &text[at.clone()] == DEFINED {
            *self = std::mem::take(self).defined();
            return Ok(());
        }
        if let Some(rest) = after_word(text, &at, ASSUME) {
            let condition = parse(&text[rest.clone()]).map_err(|e| e.within(text, rest.start))?;
            *self = std::mem::take(self).assume(Parsed::into_expr(condition));
            return Ok(());
        }
        let Some((before, written)) = opaque_text(text, &at)? else {
            return self.declare_within(text, at).map(drop);
        };
        let name = self.declare_within(text, before)?;
        *self = std::mem::take(self).opaque(name, written, ..);
        Ok(())
    }
}

/// The byte ranges of `text` between separators. A separator in parentheses or quotes does not count.
fn clauses(text: &str) -> Vec<Range<usize>> {
    let (mut parts, mut start, mut depth, mut quoted, mut escaped) = (Vec::new(), 0, 0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            _ if quoted => {}
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' | ';' | '\n' if depth == 0 => {
                parts.push(start..at);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(start..text.len());
    parts
}

/// The bytes that follow `word` in the part `at` of `text`. `None` if the part does not begin with `word`, or if the
/// part declares a variable of that name.
fn after_word(text: &str, at: &Range<usize>, word: &str) -> Option<Range<usize>> {
    let rest = text[at.clone()].strip_prefix(word)?;
    let separated = rest.starts_with(char::is_whitespace);
    let rest_at = trim(text, at.start + word.len()..at.end);
    let declares = text[rest_at.clone()].starts_with('=');
    (separated && !declares).then_some(rest_at)
}

/// The declaration before `as "text"`, and the text. `None` if the part `at` has no quotes.
fn opaque_text(text: &str, at: &Range<usize>) -> Result<Option<(Range<usize>, String)>, DomainError> {
    let Some(quote) = text[at.clone()].find('"').map(|q| at.start + q) else { return Ok(None) };
    let before = trim(text, at.start..quote);
    let Some(declaration) = text[before.clone()].strip_suffix(TEXT).filter(|d| d.ends_with(char::is_whitespace)) else {
        return Err(bad("`as` before the text of an opaque value", text, quote..quote + 1));
    };
    let mut written = String::new();
    let mut rest = text[quote + 1..at.end].char_indices();
    while let Some((i, c)) = rest.next() {
        match c {
            '"' if quote + 1 + i + 1 == at.end => {
                return Ok(Some((before.start..before.start + declaration.len(), written)));
            }
            '"' => break,
            '\\' => written.extend(rest.next().map(|(_, c)| c)),
            c => written.push(c),
        }
    }
    Err(bad("one text in quotes at the end", text, quote..at.end))
}

impl fmt::Display for Domain {
    /// Writes the declarations in their order, separated by commas, as [`Domain::from_str`] reads them. The domain that
    /// is read is equal to this one under two conditions. All names must be possible names in expressions, and no
    /// expression may exceed [`DISPLAY_LIMIT`](crate::expr::DISPLAY_LIMIT).
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        for v in &self.variables {
            let open = Bounds::default();
            // one declaration has at most one range, one stride and one text, so a variable may need several
            // declarations
            for i in 0..v.bounds.len().max(v.strides.len()).max(v.texts.len()).max(1) {
                write!(f, "{separator}{}={}", v.name, v.bounds.get(i).unwrap_or(&open))?;
                match v.strides.get(i) {
                    Some((modulus, 0)) => write!(f, " step {modulus}")?,
                    Some((modulus, residue)) => write!(f, " step {modulus} from {residue}")?,
                    None => {}
                }
                if let Some(text) = v.texts.get(i) {
                    f.write_str(" as \"")?;
                    for c in text.chars() {
                        if matches!(c, '"' | '\\') {
                            f.write_char('\\')?;
                        }
                        f.write_char(c)?;
                    }
                    f.write_char('"')?;
                }
                separator = ", ";
            }
        }
        for v in self.variables.iter().filter(|v| v.launch_invariant) {
            write!(f, "{separator}{INVARIANT} {}", v.name)?;
            separator = ", ";
        }
        let looped = || self.variables.iter().filter_map(|v| Some((&v.name, v.looped.as_ref()?)));
        let nests: Vec<Vec<Arc<str>>> = looped()
            .filter(|l| l.1.counts)
            .map(|(name, l)| [&l.around[..], std::slice::from_ref(name)].concat())
            .collect();
        // a declaration `loop i k` also declares the shorter nest `loop i`
        for names in nests.iter().filter(|n| !nests.iter().any(|m| m.len() > n.len() && m.starts_with(n))) {
            write!(f, "{separator}{LOOP} {}", names.join(" "))?;
            separator = ", ";
        }
        for (name, looped) in looped().filter(|l| !l.1.counts) {
            write!(f, "{separator}{COMPUTED} {name} {IN} {}", looped.around.join(" "))?;
            separator = ", ";
        }
        for v in self.variables.iter().filter(|v| v.is_unrolled) {
            write!(f, "{separator}{UNROLLED} {}", v.name)?;
            separator = ", ";
        }
        for v in self.variables.iter().filter(|v| v.presence == Presence::Everywhere) {
            write!(f, "{separator}{NONEMPTY} {}", v.name)?;
            separator = ", ";
        }
        for condition in self.assumptions() {
            write!(f, "{separator}{ASSUME} {condition}")?;
            separator = ", ";
        }
        if self.is_defined() {
            write!(f, "{separator}{DEFINED}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Bounds {
    /// Writes a range such as `0..n - 1`, with both ends inclusive. An open end is left out, and a single value is
    /// written alone.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lower(), self.upper()) {
            (Some(lower), Some(upper)) if lower == upper => write_end(f, lower),
            (lower, upper) => {
                lower.map_or(Ok(()), |e| write_end(f, e))?;
                f.write_str("..")?;
                upper.map_or(Ok(()), |e| write_end(f, e))
            }
        }
    }
}

/// Writes `end`. The text is in parentheses if a variable in `end` has the same name as a word of declarations, such as
/// `step`.
fn write_end(f: &mut fmt::Formatter<'_>, end: &Expr) -> fmt::Result {
    let dag = Dag::new(std::slice::from_ref(end));
    let is_word = |op: &Op| matches!(op, Op::Var(name) if matches!(&**name, "step" | "from"));
    if dag.nodes().iter().any(|n| is_word(&n.op)) { write!(f, "({end})") } else { write!(f, "{end}") }
}
