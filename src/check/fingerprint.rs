//! Computes a hash of a rule's meaning. A recorded check of a rule is valid if the hash is still the same.

use crate::rules::Rule;
use crate::rules::read::{Datum, read};

/// The version of the checker. It is raised when the checker or the meaning of the rule language changes, which makes
/// all earlier records stale.
const CHECKER: &str = "1";

/// A text that identifies a rule: a hash of the rule's text (without name, reasons, comments and layout) and of the
/// version of the checker.
///
/// ```
/// use quaff::check::fingerprint;
/// use quaff::rules::RuleSet;
///
/// let of = |text| Ok::<_, quaff::rules::RuleErrors>(fingerprint(&RuleSet::parse("a.rules", text)?.rules()[0]));
/// let rule = of(r#"(rule a "x ^ x" (match (^ ?x ?x)) (yield 0))"#)?;
/// assert_eq!(rule, of(r#"(rule b "equal bits cancel"  (match (^ ?x ?x)) (yield 0)); so there"#)?);
/// assert_ne!(rule, of(r#"(rule a "x ^ x" (match (^ ?x ?x)) (yield ?x))"#)?);
/// # Ok::<(), quaff::rules::RuleErrors>(())
/// ```
pub fn fingerprint(rule: &Rule) -> String {
    let (data, _) = read(rule.text());
    let clauses = data.first().and_then(Datum::list).unwrap_or_default();
    let says = |d: &&Datum| d.list().and_then(|l| l.first()).and_then(Datum::word) != Some("because");
    let meaning = clauses.iter().skip(2).filter(|d| d.list().is_some()).filter(says);
    let text = meaning.fold(CHECKER.to_string(), |text, d| format!("{text} {d}"));
    // FNV-1a of 128 bits suffices, because texts differ by mistake and not by malice
    let hash = text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |h, b| {
        (h ^ u128::from(b)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    format!("{hash:032x}")
}
