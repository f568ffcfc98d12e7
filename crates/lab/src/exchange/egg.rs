//! Writes rewrites as Rust text for the library egg.

use super::rewrite::{Condition, Rewrite};
use super::term::Term;
use std::collections::BTreeSet;

/// A condition of a rewrite: its word in the rule language, its Rust function's name and parameters, and the case in
/// which it holds.
type Function = (&'static str, &'static str, &'static [&'static str], &'static str);

const FUNCTIONS: [Function; 24] = [
    ("number", "number", &["x"], "`x` is a number"),
    ("constant", "constant", &["x"], "`x` is a number"),
    ("=", "same_number", &["a", "b"], "the numbers are equal"),
    ("!=", "other_number", &["a", "b"], "the numbers differ"),
    ("<", "less", &["a", "b"], "the number `a` is below the number `b`"),
    ("<=", "at_most", &["a", "b"], "the number `a` is not above the number `b`"),
    (">", "greater", &["a", "b"], "the number `a` is above the number `b`"),
    (">=", "at_least", &["a", "b"], "the number `a` is not below the number `b`"),
    ("divides", "divides", &["a", "b"], "the number `a` is not 0 and divides the number `b`"),
    ("power-of-two", "power_of_two", &["a"], "the number `a` is 1, 2, 4 and so on"),
    ("within", "within", &["x", "lo", "hi"], "`lo <= x < hi` for all values"),
    ("nonneg", "nonneg", &["x"], "`x >= 0` for all values"),
    ("positive", "positive", &["x"], "`x > 0` for all values"),
    ("nonzero", "nonzero", &["x"], "`x` is never 0"),
    ("boolean", "boolean", &["x"], "`x` is 0 or 1 for all values"),
    ("disjoint-bits", "disjoint_bits", &["a", "b"], "no bit can be 1 in both"),
    ("equal", "equal", &["a", "b"], "both are known to be equal"),
    ("one-bucket", "one_bucket", &["x", "n"], "`x // n` has one value, which is known"),
    ("multiple-of", "multiple_of", &["x", "n"], "the number `n` is known to divide `x`"),
    ("has-terms", "has_terms", &["x"], "of use only: `x` is no number"),
    ("nontrivial", "nontrivial", &["x"], "of use only: `x` is not the number 0"),
    ("terms-in", "terms_in", &["x", "y"], "of use only: each term of `x` is one of `y`"),
    ("unknown", "unknown", &["x"], "of use only: `x` is not known to be a number"),
    ("tighter", "tighter", &["a", "b"], "of use only: the terms of `a` bound it better than those of `b`"),
];

fn function(word: &str) -> Result<&'static Function, String> {
    FUNCTIONS.iter().find(|f| f.0 == word).ok_or_else(|| format!("the guard `{word}`"))
}

/// The text before and after the rewrites. The text declares the condition functions in `used`.
pub(super) fn frame(used: &BTreeSet<&'static str>) -> (String, &'static str) {
    let mut head = String::from(
        "use egg::{Analysis, Condition, FromOp, Language, Rewrite, rewrite};\n\n\
         /// The conditions of the rewrites. A term is an s-expression over variables of the pattern. In a condition, `lowest` and\n\
         /// `highest` are the ends of a term's range, `modulus` and `residue-of` what is known of it by a modulus, `terms` the number\n\
         /// of its terms, `gcd` and `abs` as named.\n\
         pub trait Guards<L: Language, N: Analysis<L>> {\n\
         \x20   /// What a condition is.\n\
         \x20   type Guard: Condition<L, N> + Send + Sync + 'static;\n\
         \x20   /// The condition does not hold.\n\
         \x20   fn not(&self, guard: Self::Guard) -> Self::Guard;\n\
         \x20   /// One of the conditions holds.\n\
         \x20   fn any(&self, guards: Vec<Self::Guard>) -> Self::Guard;\n",
    );
    for (_, name, parameters, holds) in FUNCTIONS.iter().filter(|f| used.contains(f.1)) {
        let parameters: String = parameters.iter().map(|p| format!(", {p}: &str")).collect();
        head.push_str(&format!("    /// Where {holds}.\n    fn {name}(&self{parameters}) -> Self::Guard;\n"));
    }
    head.push_str("}\n\n/// All rewrites.\npub fn rules<L, N, G>(when: &G) -> Vec<Rewrite<L, N>>\nwhere\n");
    head.push_str("    L: Language + FromOp + Send + Sync + 'static,\n    N: Analysis<L> + 'static,\n    G: Guards<L, N>,\n{\n    vec![\n");
    (head, "    ]\n}\n")
}

/// Writes the rewrite as an element of a `vec!`, and adds the condition functions of the rewrite to `used`.
pub(super) fn written(name: &str, rewrite: &Rewrite, used: &mut BTreeSet<&'static str>) -> Result<String, String> {
    let mut conditions = Vec::new();
    for variable in rewrite.left.variables() {
        if let Term::Number(_) = variable {
            conditions.push(Condition::is("number", vec![variable.clone()]));
        }
    }
    conditions.extend(rewrite.conditions.iter().cloned());
    let conditions = conditions.iter().map(|c| called(c, used)).collect::<Result<Vec<_>, _>>()?;
    let conditions: String = conditions.iter().map(|c| format!("\n            if {c}")).collect();
    Ok(format!("        rewrite!({name:?}; \"{}\" => \"{}\"{conditions}),\n", rewrite.left, rewrite.right))
}

/// Writes the condition as a call of its Rust function.
fn called(condition: &Condition, used: &mut BTreeSet<&'static str>) -> Result<String, String> {
    match condition {
        Condition::Is { holds: false, word, terms } => {
            Ok(format!("when.not({})", called(&Condition::is(word, terms.clone()), used)?))
        }
        Condition::Is { word, terms, .. } => {
            let (_, name, ..) = function(word)?;
            used.insert(name);
            let terms: Vec<String> = terms.iter().map(|t| format!("\"{t}\"")).collect();
            Ok(format!("when.{name}({})", terms.join(", ")))
        }
        Condition::Any(some) => {
            let some = some.iter().map(|c| called(c, used)).collect::<Result<Vec<_>, _>>()?;
            Ok(format!("when.any(vec![{}])", some.join(", ")))
        }
    }
}
