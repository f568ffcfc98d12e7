//! Expressions in both notations, declarations and rule files: an answer or an error, and what is printed reads back.
#![no_main]

use quaff::domain::Domain;
use quaff::expr::{parse, parse_sexp};
use quaff::rules::RuleSet;

/// Characters beyond which a text is not printed: what is shared is written out.
const LIMIT: usize = 1 << 16;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(parsed) = parse(text)
        && let Ok(printed) = parsed.expr().to_infix(LIMIT)
    {
        // the negation of the number 5 prints as -5 and reads back as that; what has been read back stays as it is
        let again = parse(&printed).expect(&printed);
        let twice = again.expr().to_infix(LIMIT).expect("no longer than before");
        assert_eq!(parse(&twice).expect(&twice).expr(), again.expr(), "{text} printed as {printed}");
    }
    if let Ok(parsed) = parse_sexp(text)
        && let Ok(printed) = parsed.expr().to_sexp(LIMIT)
    {
        assert_eq!(parse_sexp(&printed).expect(&printed).expr(), parsed.expr(), "{text} printed as {printed}");
    }
    let _ = Domain::new().declare(text);
    if let Ok(rules) = RuleSet::parse("fuzz.rules", text) {
        for rule in rules.rules() {
            RuleSet::parse("again.rules", rule.text()).expect("a rule's text is a rule");
        }
    }
});
