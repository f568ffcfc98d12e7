//! The text of expressions: infix (Python's grammar, as [`parse`](super::parse()) reads it) and s-expressions.

use super::{Expr, Op, precedence};
use std::fmt::{self, Write};

/// The largest number of characters that [`Display`](fmt::Display) prints, 16 Mi. A longer text is replaced by
/// `<expression of N nodes>`.
pub const DISPLAY_LIMIT: usize = 1 << 24;

/// The error for an expression whose text is longer than the caller allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the text of an expression of {nodes} nodes is longer than {limit} characters")]
pub struct TooLarge {
    /// The result of [`Expr::tree_size`].
    pub nodes: u64,
    /// The limit that the text exceeds, in bytes. If all names are ASCII, one byte is one character.
    pub limit: usize,
}

/// A piece of the text that is still to be printed. The last task of the stack is printed first.
enum Task<'e> {
    Text(&'static str),
    /// An expression, and the lowest precedence at which it is printed without parentheses.
    Infix(&'e Expr, u8),
    Sexp(&'e Expr),
}

impl Expr {
    /// The infix text, with only the necessary parentheses. [`parse`](super::parse()) reads an equal expression from
    /// it.
    ///
    /// The negation of the constant 5 is written `-(5)`, because `-5` is a constant. Names are printed unchanged. A
    /// name can be read back only if it consists of words of letters, digits and `_` with single dots between them. The
    /// time is linear in the text.
    ///
    /// # Errors
    /// [`TooLarge`] when the text is longer than `limit` bytes. The text repeats shared parts, so it can be
    /// exponentially longer than the expression.
    pub fn to_infix(&self, limit: usize) -> Result<String, TooLarge> {
        self.print(Task::Infix(self, 0), limit)
    }

    /// The s-expression, for example `(// (+ (* i 16) j) 4)`. [`parse_sexp`](super::parse_sexp) reads an equal
    /// expression from it.
    ///
    /// # Errors
    /// [`TooLarge`] when the text is longer than `limit` bytes.
    pub fn to_sexp(&self, limit: usize) -> Result<String, TooLarge> {
        self.print(Task::Sexp(self), limit)
    }

    fn print(&self, first: Task<'_>, limit: usize) -> Result<String, TooLarge> {
        let mut out = String::new();
        let mut tasks = vec![first];
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(text) => out.push_str(text),
                Task::Infix(e, least) => infix(e, least, &mut out, &mut tasks),
                Task::Sexp(e) => sexp(e, &mut out, &mut tasks),
            }
            if out.len() > limit {
                return Err(TooLarge { nodes: self.tree_size(), limit });
            }
        }
        Ok(out)
    }
}

fn leaf(op: &Op, out: &mut String) {
    match op {
        // writing to a string cannot fail
        Op::Const(c) => drop(write!(out, "{c}")),
        Op::Var(name) => out.push_str(name),
        _ => {}
    }
}

fn infix<'e>(e: &'e Expr, least: u8, out: &mut String, tasks: &mut Vec<Task<'e>>) {
    let own = e.op().precedence();
    if own < least {
        out.push('(');
        tasks.push(Task::Text(")"));
    }
    match (e.op(), e.args()) {
        (op, []) => leaf(op, out),
        (op, [a]) => {
            out.push_str(op.sign());
            // a minus directly before a number would be read as the sign of the number
            let is_read_as_sign = *op == Op::Neg && a.as_const().is_some_and(|c| c > 0);
            tasks.push(Task::Infix(a, if is_read_as_sign { precedence::ATOM + 1 } else { own }));
        }
        (op, args) if op.is_call() => {
            out.push_str(op.symbol());
            tasks.push(Task::Text(")"));
            for (i, a) in args.iter().enumerate().rev() {
                tasks.push(Task::Infix(a, 0));
                tasks.push(Task::Text(if i == 0 { "(" } else { ", " }));
            }
        }
        (op, [a, b]) => {
            // all operators except comparisons group to the left. A comparison as an operand of a comparison needs
            // parentheses, because the text would be a chain without them
            let left = if own == precedence::COMPARE { own + 1 } else { own };
            tasks.push(Task::Infix(b, own + 1));
            tasks.push(Task::Text(op.sign()));
            tasks.push(Task::Infix(a, left));
        }
        _ => {}
    }
}

fn sexp<'e>(e: &'e Expr, out: &mut String, tasks: &mut Vec<Task<'e>>) {
    if e.args().is_empty() {
        return leaf(e.op(), out);
    }
    out.push('(');
    out.push_str(e.op().symbol());
    tasks.push(Task::Text(")"));
    for a in e.args().iter().rev() {
        tasks.push(Task::Sexp(a));
        tasks.push(Task::Text(" "));
    }
}

impl fmt::Display for Expr {
    /// Writes [`Expr::to_infix`] up to [`DISPLAY_LIMIT`] characters. A longer text is replaced by
    /// `<expression of N nodes>`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_infix(DISPLAY_LIMIT) {
            Ok(text) => f.pad(&text),
            Err(TooLarge { nodes, .. }) => write!(f, "<expression of {nodes} nodes>"),
        }
    }
}

impl fmt::Debug for Expr {
    /// Writes the infix text. A derived `Debug` would recurse, and its text would be too long to read.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expr({self})")
    }
}

#[cfg(test)]
mod tests {
    use crate::expr::{Expr, int, select, var};

    #[test]
    fn parentheses_stand_only_where_needed() {
        let (a, b, c) = (&var("a"), &var("b"), &var("c"));
        let cases = [
            ((a + b) * c, "(a + b)*c"),
            (a + b * c, "a + b*c"),
            (a - (b - c), "a - (b - c)"),
            ((a - b) - c, "a - b - c"),
            (a + (b + c), "a + (b + c)"),
            (a / (b / c), "a//(b//c)"),
            ((a * b) / c % 5, "a*b//c%5"),
            (a * (b % c), "a*(b%c)"),
            (-(a * b), "-(a*b)"),
            ((-a) * b, "-a*b"),
            (-(-a), "--a"),
            (a - int(-5), "a - -5"),
            (int(-5) * a, "-5*a"),
            (-int(-5), "--5"),
            (-int(5) + a, "-(5) + a"),
            (-int(0), "-0"),
            (a.lt(b).lt(c), "(a < b) < c"),
            (a.lt(b).and(b.le(c)), "a < b and b <= c"),
            (a.lt(b).not(), "not a < b"),
            (a.not() + 1, "(not a) + 1"),
            (a.and(b).not(), "not (a and b)"),
            (a.or(b).and(c), "(a or b) and c"),
            (a.and(b.and(c)), "a and (b and c)"),
            ((a & b) | c, "a & b | c"),
            (a & (b | c), "a & (b | c)"),
            ((a << 2) + b, "(a << 2) + b"),
            (a << (b + 2), "a << b + 2"),
            (select(a.lt(b), a + 1, b).min(c), "min(where(a < b, a + 1, b), c)"),
        ];
        for (e, text) in cases {
            assert_eq!(e.to_string(), text);
            assert_eq!(text.parse::<Expr>().expect(text), e);
        }
    }

    #[test]
    fn exponential_text_becomes_a_placeholder() {
        let e = (0..80).fold(var("x"), |e, _| &e + &e);
        assert_eq!(e.to_string(), format!("<expression of {} nodes>", u64::MAX));
        assert!(e.to_infix(100).is_err());
        assert_eq!((var("x") + 1).to_infix(5).as_deref(), Ok("x + 1"));
        assert!((var("x") + 1).to_infix(4).is_err());
    }

    #[test]
    fn s_expressions() {
        let e: Expr = "where(not a < b, -(i*16 + j) // 4, min(a, b) % 3)".parse().expect("valid");
        let text = "(where (not (< a b)) (// (- (+ (* i 16) j)) 4) (% (min a b) 3))";
        assert_eq!(e.to_sexp(1000).as_deref(), Ok(text));
    }
}
