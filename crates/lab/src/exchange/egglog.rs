//! Writes rewrites as commands of the language egglog.

use super::rewrite::{Condition, Rewrite};
use super::term::Term;
use quaff::expr::Op;

/// The beginning of every egglog text: the declaration of the sort `Math` of all terms.
pub(super) const PRELUDE: &str = "\
(datatype Math
  (Num i64) (Var String)
  (Add Math Math) (Sub Math Math) (Neg Math) (Mul Math Math)
  (FloorDiv Math Math) (FloorMod Math Math) (TruncDiv Math Math) (TruncMod Math Math)
  (Min Math Math) (Max Math Math)
  (Lt Math Math) (Le Math Math) (Gt Math Math) (Ge Math Math) (Eq Math Math) (Ne Math Math)
  (And Math Math) (Or Math Math) (Not Math) (Select Math Math Math)
  (BitAnd Math Math) (BitOr Math Math) (BitXor Math Math) (Shl Math Math) (Shr Math Math))
";

/// Facts after `:when` in a command of egglog. All of them must hold.
type Facts = Vec<String>;

/// Writes the rewrite as commands, one for each alternative of its conditions. The second list has the guards that only
/// say when a rule is useful. The commands do not contain these guards.
pub(super) fn written(rewrite: &Rewrite) -> Result<(Vec<String>, Vec<String>), String> {
    let exact: Vec<[&Term; 2]> = rewrite.conditions.iter().filter_map(divides).collect();
    let (mut alternatives, mut without): (Vec<Facts>, _) = (vec![Vec::new()], Vec::new());
    for condition in &rewrite.conditions {
        if condition.is_of_use() {
            without.push(condition.to_string());
            continue;
        }
        let some = facts(condition, &exact)?;
        alternatives =
            alternatives.iter().flat_map(|all| some.iter().map(move |one| [&all[..], one].concat())).collect();
    }
    let (left, right) = (matched(&rewrite.left)?, made(&rewrite.right, &exact)?);
    let command = |facts: &Facts| match facts.is_empty() {
        true => format!("(rewrite {left} {right})"),
        false => format!("(rewrite {left} {right} :when ({}))", facts.join(" ")),
    };
    Ok((alternatives.iter().map(command).collect(), without))
}

fn divides(condition: &Condition) -> Option<[&Term; 2]> {
    match condition {
        Condition::Is { holds: true, word, terms } if word == "divides" => {
            <[&Term; 2]>::try_from(terms.iter().collect::<Vec<_>>()).ok()
        }
        _ => None,
    }
}

/// The condition as facts about numbers for `:when`. Each item of the result is one alternative, in which all facts
/// must hold.
fn facts(condition: &Condition, exact: &[[&Term; 2]]) -> Result<Vec<Facts>, String> {
    let (holds, word, terms) = match condition {
        Condition::Is { holds, word, terms } => (*holds, &word[..], &terms[..]),
        Condition::Any(some) => {
            let some = some.iter().map(|c| facts(c, exact)).collect::<Result<Vec<_>, _>>()?;
            return Ok(some.concat());
        }
    };
    if let ("equal", [a, b], true) = (word, terms, holds) {
        return Ok(vec![vec![format!("(= {} {})", made(a, exact)?, made(b, exact)?)]]);
    }
    let n = terms.iter().map(|t| number(t, exact)).collect::<Result<Vec<_>, _>>();
    // egglog computes these facts from numbers, so a condition on a term that is no number is an error
    let n = n.map_err(|why| if terms.iter().all(Term::is_number) { why } else { format!("the fact `{word}`") })?;
    let one = match (word, &n[..], holds) {
        ("=", [a, b], true) | ("!=", [a, b], false) | ("equal", [a, b], true) => vec![format!("(= {a} {b})")],
        ("!=", [a, b], true) | ("=", [a, b], false) => vec![format!("(!= {a} {b})")],
        ("<" | "<=" | ">" | ">=", [a, b], true) => vec![format!("({word} {a} {b})")],
        ("nonneg", [a], true) => vec![format!("(>= {a} 0)")],
        ("positive", [a], true) => vec![format!("(> {a} 0)")],
        ("nonzero", [a], true) => vec![format!("(!= {a} 0)")],
        ("within", [x, lo, hi], true) => vec![format!("(<= {lo} {x})"), format!("(< {x} {hi})")],
        ("divides", [a, b], true) | ("multiple-of", [b, a], true) => {
            vec![format!("(!= {a} 0)"), format!("(= 0 (% {b} {a}))")]
        }
        ("divides", [a, b], false) => vec![format!("(!= 0 (% {b} {a}))")],
        ("power-of-two", [a], true) => vec![format!("(> {a} 0)"), format!("(= 0 (& {a} (- {a} 1)))")],
        ("power-of-two", [a], false) => vec![format!("(!= 0 (& {a} (- {a} 1)))")],
        ("one-bucket", [_, n], true) => vec![format!("(!= {n} 0)")],
        _ => return Err(format!("the fact `{word}`")),
    };
    Ok(vec![one])
}

/// Writes a term as a pattern on the left side of a rewrite.
fn matched(term: &Term) -> Result<String, String> {
    match term {
        Term::Int(n) => Ok(format!("(Num {n})")),
        Term::Number(name) => Ok(format!("(Num {name})")),
        Term::Any(name) => Ok(name.clone()),
        Term::Apply(op, _) if term.is_number() => Err(format!("a number made by `{}` in a pattern", op.symbol())),
        Term::Apply(op, operands) => applied(op, operands, &matched),
        Term::Fact(name, _) => Err(format!("the fact `{name}`")),
    }
}

/// Writes a term on the right side of a rewrite. egglog computes operations on numbers.
fn made(term: &Term, exact: &[[&Term; 2]]) -> Result<String, String> {
    match term {
        Term::Apply(op, operands) => match number(term, exact).ok().filter(|_| term.is_number()) {
            Some(number) => Ok(format!("(Num {number})")),
            None => applied(op, operands, &|t| made(t, exact)),
        },
        other => matched(other),
    }
}

fn applied(op: &Op, operands: &[Term], text: &dyn Fn(&Term) -> Result<String, String>) -> Result<String, String> {
    let operands = operands.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    Ok(format!("({op:?} {})", operands.join(" ")))
}

/// Writes a number that egglog computes. In egglog, `/` and `%` round towards zero.
fn number(term: &Term, exact: &[[&Term; 2]]) -> Result<String, String> {
    let (op, operands) = match term {
        Term::Int(n) => return Ok(n.to_string()),
        Term::Number(name) => return Ok(name.clone()),
        Term::Any(_) => return Err("a computed number that the pattern does not match as one".into()),
        Term::Fact(name, _) => return Err(format!("the fact `{name}`")),
        Term::Apply(op, operands) => (op, operands),
    };
    let n = operands.iter().map(|t| number(t, exact)).collect::<Result<Vec<_>, _>>()?;
    let floor_mod = |a: &str, b: &str| format!("(% (+ (% {a} {b}) {b}) {b})");
    Ok(match (op, &n[..]) {
        (Op::Add, [a, b]) => format!("(+ {a} {b})"),
        (Op::Sub, [a, b]) => format!("(- {a} {b})"),
        (Op::Neg, [a]) => format!("(- 0 {a})"),
        (Op::Mul, [a, b]) => format!("(* {a} {b})"),
        (Op::Min, [a, b]) => format!("(min {a} {b})"),
        (Op::Max, [a, b]) => format!("(max {a} {b})"),
        (Op::FloorDiv, [a, b]) if exact.iter().any(|[d, n]| *d == &operands[1] && *n == &operands[0]) => {
            format!("(/ {a} {b})")
        }
        (Op::FloorDiv, [a, b]) => format!("(/ (- {a} {}) {b})", floor_mod(a, b)),
        (Op::FloorMod, [a, b]) => floor_mod(a, b),
        _ => return Err(format!("a number made by `{}`", op.symbol())),
    })
}
