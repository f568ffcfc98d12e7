//! Reads notes: comments such as `quaff: n in 1..4096, n % 16 == 0` that state facts about the variables of a kernel.

use quaff::domain::Domain;
use quaff::expr::{Expr, Op, parse, var};

/// One fact of a note, over the names in the source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Fact {
    /// A name and its range, such as `n in 1..4096` or `n in 16..4096 step 16`. The range is a text that
    /// [`Domain::declare`] reads.
    Range { name: String, range: String },
    /// A condition that always holds, such as `n % 16 == 0`.
    Condition(Expr),
}

/// The word at the beginning of a note.
const MARK: &str = "quaff:";

/// The text of the note in `comment`, without the comment signs. `None` if the comment is not a note.
pub(crate) fn note(comment: &str) -> Option<&str> {
    let text = comment.trim_start_matches(['/', '*', '#', ' ', '\t', '!']);
    let text = text.strip_suffix("*/").unwrap_or(text);
    text.strip_prefix(MARK).map(str::trim)
}

/// The facts in the text of a note.
///
/// # Errors
/// A sentence for the user, which quotes the first part of the note that is not a fact.
pub(crate) fn facts(note: &str) -> Result<Vec<Fact>, String> {
    parts(note).into_iter().map(str::trim).filter(|part| !part.is_empty()).map(fact).collect()
}

/// Splits a note at the commas outside of brackets.
fn parts(note: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0usize, 0, Vec::new());
    for (at, c) in note.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(&note[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&note[start..]);
    parts
}

fn fact(part: &str) -> Result<Fact, String> {
    if let Some((name, range)) = part.split_once(" in ") {
        let (name, range) = (name.trim(), range.trim());
        let mut domain = Domain::new();
        return match domain.declare(&format!("{name}={range}")) {
            Ok(()) => Ok(Fact::Range { name: name.into(), range: range.into() }),
            Err(error) => Err(format!("`{part}` is no range: {error}")),
        };
    }
    match parse(part) {
        // the fact `n == 16` becomes a range with one value
        Ok(parsed) if *parsed.expr().op() == Op::Eq && is_number_of_name(parsed.expr()) => {
            let [name, value] = [0, 1].map(|i| parsed.expr().args()[i].to_string());
            Ok(Fact::Range { name, range: format!("{value}..{value}") })
        }
        Ok(parsed) if parsed.expr().op().is_truth() => Ok(Fact::Condition(parsed.expr().clone())),
        Ok(_) => Err(format!("`{part}` is no condition; write `n in 1..64` or `n % 16 == 0`")),
        Err(error) => Err(format!("`{part}` is no condition: {error}")),
    }
}

/// Whether `e` compares a variable with a number for equality, as in `n == 16`.
fn is_number_of_name(e: &Expr) -> bool {
    matches!(e.args(), [name, value] if matches!(name.op(), Op::Var(_)) && value.as_const().is_some())
}

impl Fact {
    /// The names that occur in the fact.
    pub(crate) fn names(&self) -> Vec<String> {
        let conditions = self.conditions();
        let of_conditions = conditions.iter().flat_map(Expr::variables).map(|name| name.to_string());
        let own = if let Fact::Range { name, .. } = self { Some(name.clone()) } else { None };
        own.into_iter().chain(of_conditions).collect()
    }

    /// The fact as conditions. This form is used for names that are defined by expressions. Such names are replaced by
    /// their values, so a range of the name would have no effect.
    pub(crate) fn conditions(&self) -> Vec<Expr> {
        match self {
            Fact::Condition(condition) => vec![condition.clone()],
            Fact::Range { name, range } => {
                let (ends, stride) = match range.split_once(" step ") {
                    Some((ends, stride)) => (ends, Some(stride)),
                    None => (range.as_str(), None),
                };
                let (lo, hi) = ends.split_once("..").unwrap_or((ends, ends));
                let end = |text: &str| parse(text).ok().map(|parsed| parsed.expr().clone());
                let above = end(lo).map(|lo| var(name.as_str()).ge(lo));
                let below = end(hi).map(|hi| var(name.as_str()).le(hi));
                let of_stride = stride.and_then(|stride| {
                    let (modulus, residue) = stride.split_once(" from ").unwrap_or((stride, "0"));
                    Some((var(name.as_str()) % end(modulus)?).equals(end(residue)?))
                });
                above.into_iter().chain(below).chain(of_stride).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fact, facts, note};

    #[test]
    fn a_comment_is_a_note_where_it_says_so() {
        assert_eq!(note("// quaff: n in 1..4"), Some("n in 1..4"));
        assert_eq!(note("/* quaff: n in 1..4 */"), Some("n in 1..4"));
        assert_eq!(note("# quaff: n in 1..4"), Some("n in 1..4"));
        assert_eq!(note("// of quaff: n in 1..4"), None);
    }

    #[test]
    fn parts_are_ranges_and_conditions() {
        let all = facts("n in 1..4096, n % 16 == 0, min(a, b) < n").unwrap();
        assert_eq!(all[0], Fact::Range { name: "n".into(), range: "1..4096".into() });
        let shown = |fact: &Fact| fact.conditions().iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(shown(&all[0]), ["n >= 1", "n <= 4096"]);
        assert_eq!(
            (shown(&all[1]), shown(&all[2])),
            (vec!["n%16 == 0".to_string()], vec!["min(a, b) < n".to_string()])
        );
        assert_eq!(facts("n == 16").unwrap(), facts("n in 16..16").unwrap());
        let stepped = facts("n in 0..64 step 4 from 1").unwrap();
        assert_eq!(shown(&stepped[0]), ["n >= 0", "n <= 64", "n%4 == 1"]);
    }

    #[test]
    fn other_parts_are_quoted() {
        assert_eq!(
            facts("n in 1..4, 3 + n").unwrap_err(),
            "`3 + n` is no condition; write `n in 1..64` or `n % 16 == 0`"
        );
        assert!(facts("2n in 1..4").unwrap_err().starts_with("`2n in 1..4` is no range: "));
    }
}
