//! Prints expressions as Rust.

use super::high::{Piece, Spelling, binary, checked_ranges, infix, print};
use super::language::Language;
use super::text::Text;
use crate::domain::{Interval, VarFacts};
use crate::expr::{Dag, DagNode, EvalError, Expr, Op, Program, UnknownVariable, precedence as prec};
use crate::lower::{Fault, LowerError, Type};

struct Rust<'d> {
    dag: &'d Dag,
    ranges: Vec<Interval>,
}

impl Rust<'_> {
    fn is_negative(&self, id: u32) -> bool {
        self.ranges[id as usize].hi().is_some_and(|h| h < 0)
    }

    /// The text of a value on which a method is called. A literal needs a type suffix there.
    fn receiver(&self, id: u32) -> Piece {
        match self.dag.nodes()[id as usize].op {
            Op::Const(c) if c < 0 => Piece::Owned(format!("({c}_i64)")),
            Op::Const(c) => Piece::Owned(format!("{c}_i64")),
            _ => Piece::Number(id, prec::ATOM),
        }
    }

    fn call(&self, a: u32, method: &'static str, b: u32) -> (Vec<Piece>, u8) {
        (vec![self.receiver(a), Piece::Text(method), Piece::Number(b, 0), Piece::Text(")")], prec::ATOM)
    }

    /// Prints a floor division as a call of a Euclidean method, which rounds down for positive divisors. For negative
    /// divisors, `x // y == -x // -y`, and the remainders have opposite signs.
    fn euclid(&self, node: &DagNode, method: &'static str, minus: &'static str) -> (Vec<Piece>, u8) {
        let [x, y, _] = node.args;
        if !self.is_negative(y) {
            return self.call(x, method, y);
        }
        let opposite = match self.dag.nodes()[y as usize].op {
            Op::Const(c) if c != i64::MIN => vec![Piece::Owned((-c).to_string())],
            _ => vec![Piece::Text("-"), Piece::Number(y, prec::ATOM)],
        };
        let mut pieces =
            vec![Piece::Text(minus), Piece::Text("(-"), self.receiver(x), Piece::Text(")"), Piece::Text(method)];
        pieces.extend(opposite);
        pieces.push(Piece::Text(")"));
        (pieces, if minus.is_empty() { prec::ATOM } else { prec::UNARY })
    }
}

impl Spelling for Rust<'_> {
    const LANGUAGE: Language = Language::Rust;
    const TYPE: &'static str = "i64";
    /// Always false, because divisors are never 0 and shift counts are in range.
    const LAZY: bool = false;

    fn node(&self, _: u32, node: &DagNode) -> (Vec<Piece>, u8) {
        use Piece::{Number, Owned, Text, Truth};
        let [a, b, c] = node.args;
        match &node.op {
            Op::Shr if !self.ranges[b as usize].within(0, 63) => {
                let amount = vec![self.receiver(b), Text(".min(63)")];
                let mut pieces = vec![Number(a, prec::SHIFT), Text(" >> ")];
                pieces.extend(amount);
                (pieces, prec::SHIFT)
            }
            Op::Const(c) => (vec![Owned(c.to_string())], if *c < 0 { prec::UNARY } else { prec::ATOM }),
            Op::Neg => (vec![Text("-"), self.receiver(a)], prec::UNARY),
            Op::Not => (vec![Text("!"), Truth(a, prec::ATOM)], prec::UNARY),
            Op::And => (vec![Truth(a, prec::AND), Text(" && "), Truth(b, prec::AND + 1)], prec::AND),
            Op::Or => (vec![Truth(a, prec::OR), Text(" || "), Truth(b, prec::OR + 1)], prec::OR),
            Op::FloorDiv => self.euclid(node, ".div_euclid(", ""),
            Op::FloorMod => self.euclid(node, ".rem_euclid(", "-"),
            Op::Min => self.call(a, ".min(", b),
            Op::Max => self.call(a, ".max(", b),
            Op::Select => {
                let parts =
                    [Text("if "), Truth(a, 0), Text(" { "), Number(b, 0), Text(" } else { "), Number(c, 0), Text(" }")];
                (parts.into(), prec::CONDITIONAL)
            }
            op => {
                let sign = match op {
                    Op::TruncDiv => Some((" / ", prec::MUL)),
                    Op::TruncMod => Some((" % ", prec::MUL)),
                    op => binary(op),
                };
                let (sign, own) = sign.unwrap_or((" + ", prec::ADD));
                let (mut pieces, own) = infix(node, sign, own);
                // two literals have no type of their own, and a shift of a literal would have 32 bits
                if matches!(self.dag.nodes()[a as usize].op, Op::Const(_)) {
                    pieces[0] = self.receiver(a);
                }
                (pieces, own)
            }
        }
    }

    fn number_of_truth(&self, value: u32) -> (Vec<Piece>, u8) {
        (vec![Piece::Text("i64::from("), Piece::Truth(value, 0), Piece::Text(")")], prec::ATOM)
    }
}

/// The Rust text of all roots in `i64`, without lowering. Division is `div_euclid`, which rounds down for positive
/// divisors. No step overflows. Opaque values are printed by their names. The time is linear in the nodes of `dag`.
///
/// # Errors
/// [`LowerError`] when
///
/// - a value may leave `i64`, including intermediate values,
/// - a divisor may be 0,
/// - a shift count may be out of range,
/// - or a variable is not in `vars`.
pub fn rust(dag: &Dag, vars: &[VarFacts]) -> Result<Text, LowerError> {
    let ranges = checked_ranges(dag, vars, |_| Interval::ALL)?;
    Ok(print(dag, &Rust { dag, ranges }))
}

/// The values that the [`rust`] text of `roots` computes at points over `variables`. Every part is computed in `i64`
/// and checked for overflow, even in a branch that is not taken.
pub(crate) fn run(
    roots: &[Expr],
    variables: &[&str],
) -> Result<impl Fn(&[i64]) -> Result<Vec<i128>, Fault> + use<>, UnknownVariable> {
    let dag = Dag::with_origins(roots);
    let parts: Vec<Expr> = (0..dag.nodes().len() as u32).map(|i| dag.origin(i).clone()).collect();
    // the operands of floor divisions, which the text negates for a negative divisor
    let divided = |node: &DagNode| (node.op.is_division() && !node.op.is_truncation()).then_some(node.args);
    let negated: Vec<[u32; 3]> = dag.nodes().iter().filter_map(divided).collect();
    let program = Program::new(&parts, variables)?;
    let roots = dag.roots().to_vec();
    Ok(move |point: &[i64]| {
        let point: Vec<i128> = point.iter().copied().map(i128::from).collect();
        let in_64 = |value: i128| match i64::try_from(value) {
            Ok(_) => Ok(value),
            Err(_) => Err(Fault::Overflow { ty: Type::Long, value }),
        };
        let part = |value: Result<i128, EvalError>| match value {
            Ok(value) => in_64(value),
            Err(EvalError::DivisionByZero) => Err(Fault::DivisionByZero),
            Err(EvalError::NoValue) => Err(Fault::NoValue),
            Err(EvalError::Shift) => Err(Fault::Shift { ty: Type::Long, amount: -1 }),
            Err(EvalError::Overflow) => Err(Fault::Overflow { ty: Type::Long, value: i128::MAX }),
        };
        let values = program.eval(&point).into_iter().map(part).collect::<Result<Vec<i128>, Fault>>()?;
        for [x, y, _] in &negated {
            let (x, y) = (values[*x as usize], values[*y as usize]);
            if y < 0 {
                in_64(-x)?;
                in_64(-y)?;
            }
        }
        Ok(roots.iter().map(|r| values[*r as usize]).collect())
    })
}
