//! Expressions in both notations, declarations and rule files. Each text must give a result or an error, and the
//! printed result must be read back unchanged.
#![no_main]

use quaff::domain::Domain;
use quaff::expr::{parse, parse_sexp};
use quaff::rules::RuleSet;

/// The most characters of a printed text. A text repeats each shared part, so it may be very long.
const LIMIT: usize = 1 << 16;

libfuzzer_sys::fuzz_target!(|text: &str| {
    if let Ok(parsed) = parse(text)
        && let Ok(printed) = parsed.expr().to_infix(LIMIT)
    {
        // the negation of the number 5 is printed as -5, which is read as a number. So only a text that was read once
        // must stay unchanged
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
