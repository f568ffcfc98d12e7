//! Rewrites over binary operators: equalities with conditions.

use super::term::Term;
use std::fmt;

/// An equality of two terms, with the conditions under which it holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rewrite {
    pub(super) left: Term,
    pub(super) right: Term,
    pub(super) conditions: Vec<Condition>,
}

/// A condition on the values or terms that variables match.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Condition {
    Is {
        /// `true` if the condition must hold, and `false` if it must not hold.
        holds: bool,
        /// The name of the guard in the rule language, or `equal`, `one-bucket` or `multiple-of`.
        word: String,
        terms: Vec<Term>,
    },
    Any(Vec<Condition>),
}

/// Guards that only restrict a rule to matches where it is useful. The law of a rule holds without them.
const OF_USE: [&str; 6] = ["has-terms", "nontrivial", "terms-in", "unknown", "tighter", "terms"];

impl Condition {
    pub(super) fn is(word: &str, terms: Vec<Term>) -> Condition {
        Condition::Is { holds: true, word: word.into(), terms }
    }

    /// Whether the condition only restricts the rule to matches where it is useful, so that the law holds without it.
    pub(super) fn is_of_use(&self) -> bool {
        match self {
            Condition::Is { word, terms, .. } => {
                let counts =
                    |t: &Term| t.parts().into_iter().any(|p| matches!(p, Term::Fact(name, _) if name == "terms"));
                OF_USE.contains(&&word[..]) || terms.iter().any(counts)
            }
            Condition::Any(some) => some.iter().any(Condition::is_of_use),
        }
    }

    pub(super) fn map(&self, change: &impl Fn(&Term) -> Term) -> Condition {
        match self {
            Condition::Is { holds, word, terms } => {
                Condition::Is { holds: *holds, word: word.clone(), terms: terms.iter().map(change).collect() }
            }
            Condition::Any(some) => Condition::Any(some.iter().map(|c| c.map(change)).collect()),
        }
    }

    pub(super) fn terms(&self) -> Vec<&Term> {
        match self {
            Condition::Is { terms, .. } => terms.iter().collect(),
            Condition::Any(some) => some.iter().flat_map(Condition::terms).collect(),
        }
    }
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, parts): (&str, Vec<String>) = match self {
            Condition::Is { holds: false, word, terms } => {
                return write!(f, "(not {})", Condition::is(word, terms.clone()));
            }
            Condition::Is { word, terms, .. } => (word, terms.iter().map(Term::to_string).collect()),
            Condition::Any(some) => ("any", some.iter().map(Condition::to_string).collect()),
        };
        write!(f, "({word} {})", parts.join(" "))
    }
}
