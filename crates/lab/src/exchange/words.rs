//! The vocabulary of other systems: operators, numbers and variables.

use super::rewrite::Condition;
use super::term::Term;
use quaff::expr::Op;
use quaff::internals::rules::{Datum, Fail};

type Read<T> = Result<T, Fail>;

/// The operator that other systems call `word`, for `arity` operands.
fn operator(word: &str, arity: usize) -> Option<Op> {
    let op = match (word, arity) {
        ("-" | "Sub", 1) => Op::Neg,
        ("/" | "Div" | "div", 2) => Op::FloorDiv,
        ("%" | "Mod" | "mod", 2) => Op::FloorMod,
        ("!", 1) => Op::Not,
        ("&&", 2) => Op::And,
        ("||", 2) => Op::Or,
        ("select" | "if" | "ite" | "If" | "Ite", 3) => Op::Select,
        _ => {
            let named = |op: &&Op| format!("{op:?}") == word || (op.symbol() == word && **op != Op::Neg);
            Op::all().iter().find(named)?.clone()
        }
    };
    (op.arity() == arity).then_some(op)
}

fn variable(word: &str, datum: &Datum) -> Read<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    match !word.is_empty() && word.chars().all(fits) && !word.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
        true => Ok(word.into()),
        false => Err((datum.position(), format!("`{datum}` is no variable"))),
    }
}

fn applied(datum: &Datum, items: &[Datum], term: &dyn Fn(&Datum) -> Read<Term>) -> Read<Term> {
    let word = items.first().and_then(Datum::word).unwrap_or_default();
    let operands = items.iter().skip(1).map(term).collect::<Read<Vec<_>>>()?;
    let why = match word {
        "~" => "`~` is the negation of numbers, of truths or of bits, each in another domain".into(),
        _ => format!("`{word}` with {} operands is no operation", operands.len()),
    };
    match operator(word, operands.len()) {
        Some(op) => Ok(Term::Apply(op, operands)),
        None => Err((datum.position(), why)),
    }
}

/// Reads a side of a rule in a line of Enumo or Ruler. Variables begin with `?`.
pub(super) fn in_line(datum: &Datum) -> Read<Term> {
    match datum {
        Datum::List(_, items) => applied(datum, items, &in_line),
        Datum::Text(..) => Err((datum.position(), "text is no term".into())),
        Datum::Word(_, word) => match (word.parse(), &word[..]) {
            (Ok(n), _) => Ok(Term::Int(n)),
            (_, "true") => Ok(Term::Int(1)),
            (_, "false") => Ok(Term::Int(0)),
            _ => match word.strip_prefix('?') {
                Some(name) => Ok(Term::Any(variable(name, datum)?)),
                None => Err((datum.position(), format!("`{word}` is no variable: these begin with `?`"))),
            },
        },
    }
}

/// Reads the condition in a line of Enumo or Ruler: one comparison, or several joined by `&&`.
pub(super) fn in_condition(datum: &Datum) -> Read<Vec<Condition>> {
    let term = in_line(datum)?;
    let mut all = Vec::new();
    let mut open = vec![term];
    while let Some(term) = open.pop() {
        let difference = |a: &Term, b: &Term| vec![Term::two(Op::Sub, a.clone(), b.clone()).tidy()];
        all.push(match (&term, term.operands()) {
            (Term::Apply(Op::And, _), [a, b]) => {
                open.extend([b.clone(), a.clone()]);
                continue;
            }
            (Term::Apply(Op::Lt, _), [a, b]) | (Term::Apply(Op::Gt, _), [b, a]) => {
                Condition::is("positive", difference(b, a))
            }
            (Term::Apply(Op::Le, _), [a, b]) | (Term::Apply(Op::Ge, _), [b, a]) => {
                Condition::is("nonneg", difference(b, a))
            }
            (Term::Apply(Op::Ne, _), [a, b]) => Condition::is("nonzero", difference(a, b)),
            (Term::Apply(Op::Eq, _), [a, b]) => Condition::is("equal", vec![a.clone(), b.clone()]),
            _ => return Err((datum.position(), format!("`{datum}` is no condition that a guard says"))),
        });
    }
    Ok(all)
}

/// Reads a term of egglog. Variables are plain words, and a number is the argument of a constructor.
pub(super) fn in_program(datum: &Datum) -> Read<Term> {
    match datum {
        Datum::Text(..) => Err((datum.position(), "text is no term".into())),
        Datum::Word(_, word) => match word.parse() {
            Ok(n) => Ok(Term::Int(n)),
            Err(_) => Ok(Term::Any(variable(word, datum)?)),
        },
        Datum::List(_, items) => match (items.first().and_then(Datum::word), items.get(1), items.len()) {
            (Some("Num" | "Const" | "Lit" | "Int" | "Number"), Some(n), 2) => match number_in_program(n)? {
                Term::Fact(what, _) => Err((n.position(), format!("a number that says whether `{what}`"))),
                number => Ok(number),
            },
            (Some("Var"), ..) => Err((datum.position(), "one variable of a program is no pattern".into())),
            _ => applied(datum, items, &in_program),
        },
    }
}

/// Reads a number of egglog. In egglog, `/` and `%` round towards zero. They are read only where they compute a floor
/// division or test divisibility. For example, `(% b a)` compared with 0 is the condition that `a` divides `b`, and `(&
/// a (- a 1))` compared with 0 is the condition that `a` is a power of two.
pub(super) fn number_in_program(datum: &Datum) -> Read<Term> {
    let Datum::List(at, items) = datum else {
        let word = datum.word().ok_or_else(|| (datum.position(), "text is no number".to_string()))?;
        return match word.parse() {
            Ok(n) => Ok(Term::Int(n)),
            Err(_) => Ok(Term::Number(variable(word, datum)?)),
        };
    };
    let operands = items.iter().skip(1).map(number_in_program).collect::<Read<Vec<_>>>()?;
    let two = |op: Op, a: &Term, b: &Term| Ok(Term::two(op, a.clone(), b.clone()));
    let divides = |a: &Term, b: &Term| Term::Fact("divides".into(), vec![a.clone(), b.clone()]);
    match (items.first().and_then(Datum::word).unwrap_or_default(), &operands[..]) {
        // the remainder is (a % b + b) % b, and the quotient is (a - remainder) / b
        ("%", [Term::Apply(Op::Add, sum), b]) if is_remainder(sum, b) => match &sum[0] {
            Term::Fact(_, of) => two(Op::FloorMod, &of[1], b),
            _ => Err((*at, "no remainder".into())),
        },
        ("%", [a, b]) if !has_fact(&operands) => Ok(divides(b, a)),
        ("/", [Term::Apply(Op::Sub, sides), b])
            if sides.get(1) == Some(&Term::two(Op::FloorMod, sides[0].clone(), b.clone())) =>
        {
            two(Op::FloorDiv, &sides[0], b)
        }
        // the quotient is assumed to be exact. If no condition ensures this, a later check of the rule fails
        ("/", [a, b]) if !has_fact(&operands) => two(Op::FloorDiv, a, b),
        ("&", [a, Term::Apply(Op::Sub, sides)]) if sides[..] == [a.clone(), Term::Int(1)] => {
            Ok(Term::Fact("power-of-two".into(), vec![a.clone()]))
        }
        ("-", [Term::Int(0), a]) => Ok(Term::Apply(Op::Neg, vec![a.clone()])),
        ("-", [a]) => Ok(Term::Apply(Op::Neg, vec![a.clone()])),
        // the sum of a remainder and its divisor is a part of a floor division
        ("+", [a @ Term::Fact(..), b]) => two(Op::Add, a, b),
        (word @ ("+" | "-" | "*" | "min" | "max"), [a, b]) if !has_fact(&operands) => {
            two(operator(word, 2).unwrap_or(Op::Sub), a, b)
        }
        _ => Err((*at, format!("`{datum}` is no number that a rule computes"))),
    }
}

/// Whether `sum` has the operands of `(+ (% a b) b)`, for the divisor `by`.
fn is_remainder(sum: &[Term], by: &Term) -> bool {
    matches!(sum, [Term::Fact(what, of), b] if what == "divides" && b == by && of.first() == Some(by))
}

fn has_fact(terms: &[Term]) -> bool {
    terms.iter().any(|t| t.parts().into_iter().any(|p| matches!(p, Term::Fact(..))))
}
