//! Answers that are written and read by serde.

use quaff::cost::Truncating;
use quaff::domain::Domain;
use quaff::expr::Expr;
use quaff::lower::Target;
use quaff::{Simplified, Simplifier};

const ASKED: [(&str, &str); 6] = [
    ("(i*16 + j)//32*8 + (i*16 + j)%32//4", "i=0..63, j=0..15"),
    ("(i + 27)%28", "i=0..29, assume i >= 1, assume i < 29"),
    ("j - i", "i=0..7, j=0..1000000000000, assume j >= i, assume j < 3000000000"),
    ("x//n*n + x%n + x//m", "x=0..1000000, n=1..4096, m=1..4096, invariant n"),
    ("(r*w + x)//w*p + (r*w + x)%w", "w=1..4096, p=1..9999, r=0..99, x=0..w-1"),
    ("k*8//8 + u", "k=0..99, u=0..3, loop k, unrolled u"),
];

fn answers() -> impl Iterator<Item = Simplified> {
    let simplifier = Simplifier::default().with_trace(true);
    let truncating = Simplifier::default().with_cost_model(Truncating).for_target(Target::SM_100);
    ASKED.into_iter().flat_map(move |(text, domain)| {
        let (e, domain): (Expr, Domain) = (text.parse().expect(text), domain.parse().expect(domain));
        [&simplifier, &truncating].map(|simplifier| simplifier.simplify(&e, &domain).expect(text))
    })
}

#[test]
fn an_answer_that_is_read_again_says_the_same() {
    for answer in answers() {
        let text = serde_json::to_string(&answer).expect("an answer has a text");
        let again: Simplified = serde_json::from_str(&text).expect(&text);
        assert_eq!(again.exprs(), answer.exprs());
        assert_eq!((again.cost(), again.least_cost()), (answer.cost(), answer.least_cost()));
        assert_eq!((again.input_cost(), again.stop()), (answer.input_cost(), answer.stop()));
        assert_eq!((again.rounds(), again.nodes()), (answer.rounds(), answer.nodes()));
        assert_eq!(again.target(), answer.target());
        assert_eq!((again.vars(), again.ranges()), (answer.vars(), answer.ranges()));
        assert_eq!(again.trace().len(), answer.trace().len());
        let texts =
            |a: &Simplified| [a.cuda(), a.c(), a.rust(), Ok(a.python()), a.triton()].map(|t| t.map(|t| t.to_string()));
        assert_eq!(texts(&again), texts(&answer));
        // writing the answer again after reading gives the same text
        assert_eq!(serde_json::to_string(&again).expect("a text"), text);
    }
}

#[test]
fn a_text_that_is_no_answer_is_an_error() {
    let answer = answers().next().expect("an answer");
    let text = serde_json::to_string(&answer).expect("a text");
    let mut whole: serde_json::Value = serde_json::from_str(&text).expect("an object");
    for (key, value) in [("words", "[99]"), ("roots", "[1000]"), ("cost", "-1"), ("stop", "\"never\""), ("vars", "[1]")]
    {
        let kept = std::mem::replace(&mut whole[key], serde_json::from_str(value).expect(value));
        assert!(serde_json::from_value::<Simplified>(whole.clone()).is_err(), "{key}");
        whole[key] = kept;
    }
    // stored ranges of nodes that do not exist in the answer are ignored
    whole["ranges"] = serde_json::json!([[1000, { "lo": 0, "hi": 1 }]]);
    assert!(serde_json::from_value::<Simplified>(whole).is_ok());
}
