//! Makes short names for expressions, such as `h_w` for `h*w`.

use crate::expr::{Expr, Op};

/// The number of bytes after which no more words are added to a name.
const ENOUGH: usize = 20;

/// A part of the name that is still to be written.
enum Part<'e> {
    Of(&'e Expr),
    Word(&'static str),
}

/// A short name of `e`, made of its words in order, such as `w3` for `w*3`, `h_w` for `h*w`, or `n_plus_1` for `n + 1`.
/// Variables keep their names, even if these are no identifiers.
pub(super) fn short_name(e: &Expr) -> String {
    let mut name = String::new();
    let mut is_after_variable = false;
    let mut stack = vec![Part::Of(e)];
    while let Some(part) = stack.pop().filter(|_| name.len() < ENOUGH) {
        let word = match part {
            Part::Word(word) => word.to_string(),
            Part::Of(e) => match e.op() {
                Op::Var(variable) => variable.to_string(),
                Op::Const(c) if *c < 0 => format!("minus_{}", c.unsigned_abs()),
                Op::Const(c) => c.to_string(),
                op => {
                    let mut operands = e.args().iter().rev().map(Part::Of);
                    stack.extend(operands.next());
                    stack.extend(between(op).map(Part::Word));
                    stack.extend(operands);
                    continue;
                }
            },
        };
        let is_factor = is_after_variable && word.starts_with(|c: char| c.is_ascii_digit());
        if !name.is_empty() && (!is_factor || name.ends_with(|c: char| c.is_ascii_digit())) {
            name.push('_');
        }
        name += &word;
        is_after_variable = matches!(part, Part::Of(e) if matches!(e.op(), Op::Var(_)));
    }
    name
}

/// The word between the operands of `op`. A product has none.
fn between(op: &Op) -> Option<&'static str> {
    match op {
        Op::Mul => None,
        Op::Add => Some("plus"),
        Op::Sub => Some("minus"),
        op => Some(op.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_say_what_they_stand_for() {
        for (given, wanted) in [
            ("n", "n"),
            ("w*3", "w3"),
            ("h*w", "h_w"),
            ("x2*3", "x2_3"),
            ("h*w*64", "h_w64"),
            ("n + 1", "n_plus_1"),
            ("a - b*2", "a_minus_b2"),
            ("n*-4", "n_minus_4"),
            ("(alpha + beta)*(gamma + delta)*epsilon", "alpha_plus_beta_gamma"),
        ] {
            let e: Expr = given.parse().unwrap();
            assert_eq!(short_name(&e), wanted, "{given}");
        }
    }

    #[test]
    fn a_name_of_a_large_expression_takes_little_time() {
        let mut e: Expr = crate::expr::var("n");
        for _ in 0..200 {
            e = &e * &e;
        }
        assert_eq!(short_name(&e), "n_n_n_n_n_n_n_n_n_n_n");
    }
}
