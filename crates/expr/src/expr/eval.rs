//! Exact evaluation over the integers. The result is an integer or an error.

use super::{Dag, Expr, Op};
use crate::integer::{floor_div, floor_mod, trunc_div, trunc_mod};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The reason why an expression has no integer value.
///
/// Only values that depend on an error are errors, too. `where(c, a, b)` ignores an error in the branch that it does
/// not take. `and` and `or` ignore an error in an operand that they do not evaluate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum EvalError {
    /// A division by 0, or a remainder by 0.
    #[error("division by zero")]
    DivisionByZero,
    /// A shift by a count below 0 or above 126.
    #[error("shift by a negative or too large amount")]
    Shift,
    /// A value outside of signed 128-bit integers.
    #[error("value outside of 128 bits")]
    Overflow,
    /// A variable that has no value at the point.
    #[error("variable without a value")]
    NoValue,
}

/// The value of an expression at a point, or an error.
pub type Value = Result<i128, EvalError>;

/// A variable that has no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the variable `{name}` has no value")]
pub struct UnknownVariable {
    /// The name of the variable.
    pub name: Arc<str>,
}

/// The reason why [`Expr::eval`] returns no integer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EvalFailure {
    /// A variable has no value.
    #[error(transparent)]
    Unknown(#[from] UnknownVariable),
    /// The expression has no value at this point.
    #[error(transparent)]
    Undefined(#[from] EvalError),
}

/// Expressions compiled for evaluation at many points.
///
/// ```
/// use quaff_expr::expr::{EvalError, Expr, Program};
///
/// let roots: [Expr; 2] = ["i*16 + j".parse()?, "j // i".parse()?];
/// let program = Program::new(&roots, &["i", "j"])?;
/// assert_eq!(program.eval(&[2, 5]), [Ok(37), Ok(2)]);
/// assert_eq!(program.eval(&[0, 5]), [Ok(5), Err(EvalError::DivisionByZero)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Program {
    steps: Vec<Step>,
    roots: Vec<u32>,
}

#[derive(Clone, Debug)]
enum Step {
    Const(i128),
    Input(u32),
    Node(Op, [u32; 3]),
}

impl Program {
    /// Compiles `roots`. The points of later calls have the values of the variables in the order of `variables`.
    ///
    /// The time is linear in the shared nodes of all roots.
    ///
    /// # Errors
    /// [`UnknownVariable`] when a root uses a variable that is not in `variables`.
    pub fn new(roots: &[Expr], variables: &[&str]) -> Result<Program, UnknownVariable> {
        let dag = Dag::new(roots);
        let inputs: FxHashMap<&str, u32> = variables.iter().enumerate().map(|(i, v)| (*v, i as u32)).collect();
        let mut steps = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            steps.push(match &node.op {
                Op::Const(c) => Step::Const(i128::from(*c)),
                Op::Var(name) => match inputs.get(&**name) {
                    Some(i) => Step::Input(*i),
                    None => return Err(UnknownVariable { name: name.clone() }),
                },
                op => Step::Node(op.clone(), node.args),
            });
        }
        Ok(Program { steps, roots: dag.roots().to_vec() })
    }

    /// The number of steps of one evaluation: one for each shared node of the roots.
    pub fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The value of each root at `point`, which lists the values of the variables in the order given to
    /// [`Program::new`]. The result for a root that depends on a variable without a value is [`EvalError::NoValue`].
    pub fn eval(&self, point: &[i128]) -> Vec<Value> {
        self.eval_into(point, &mut Vec::new()).collect()
    }

    /// The value of each root at `point`, with `buffer` for the intermediate values. A reused buffer avoids
    /// allocations. The former contents of the buffer are lost.
    pub fn eval_into<'a>(
        &'a self,
        point: &[i128],
        buffer: &'a mut Vec<Value>,
    ) -> impl ExactSizeIterator<Item = Value> + use<'a> {
        buffer.clear();
        buffer.reserve(self.steps.len());
        for step in &self.steps {
            let value = match step {
                Step::Const(c) => Ok(*c),
                Step::Input(i) => point.get(*i as usize).copied().ok_or(EvalError::NoValue),
                Step::Node(op, args) => op.eval(args.map(|a| buffer[a as usize])),
            };
            buffer.push(value);
        }
        self.roots.iter().map(|r| buffer[*r as usize])
    }
}

impl Op {
    /// The value of the operator for the values of its operands. Operands past the arity of the operator are ignored.
    /// For a constant or a variable, the result is the first operand.
    ///
    /// ```
    /// use quaff_expr::expr::{EvalError, Op};
    ///
    /// assert_eq!(Op::FloorDiv.eval([Ok(-7), Ok(2), Ok(0)]), Ok(-4));
    /// assert_eq!(Op::FloorDiv.eval([Ok(-7), Ok(0), Ok(0)]), Err(EvalError::DivisionByZero));
    /// ```
    pub fn eval(&self, [a, b, c]: [Value; 3]) -> Value {
        // the lazy operators first, because they evaluate later operands only when necessary
        match self {
            Op::Select => return if a? != 0 { b } else { c },
            Op::And => return Ok(i128::from(a? != 0 && b? != 0)),
            Op::Or => return Ok(i128::from(a? != 0 || b? != 0)),
            Op::Neg => return a?.checked_neg().ok_or(EvalError::Overflow),
            Op::Not => return Ok(i128::from(a? == 0)),
            _ => {}
        }
        let (a, b) = (a?, b?);
        let truth = |t: bool| Ok(i128::from(t));
        let checked = |v: Option<i128>| v.ok_or(EvalError::Overflow);
        match self {
            Op::Add => checked(a.checked_add(b)),
            Op::Sub => checked(a.checked_sub(b)),
            Op::Mul => checked(a.checked_mul(b)),
            Op::FloorDiv => match b {
                0 => Err(EvalError::DivisionByZero),
                -1 => checked(a.checked_neg()),
                _ => Ok(floor_div(a, b)),
            },
            Op::FloorMod => match b {
                0 => Err(EvalError::DivisionByZero),
                -1 => Ok(0),
                _ => Ok(floor_mod(a, b)),
            },
            Op::TruncDiv => match b {
                0 => Err(EvalError::DivisionByZero),
                -1 => checked(a.checked_neg()),
                _ => Ok(trunc_div(a, b)),
            },
            Op::TruncMod => match b {
                0 => Err(EvalError::DivisionByZero),
                _ => Ok(trunc_mod(a, b)),
            },
            Op::Min => Ok(a.min(b)),
            Op::Max => Ok(a.max(b)),
            Op::Lt => truth(a < b),
            Op::Le => truth(a <= b),
            Op::Gt => truth(a > b),
            Op::Ge => truth(a >= b),
            Op::Eq => truth(a == b),
            Op::Ne => truth(a != b),
            Op::BitAnd => Ok(a & b),
            Op::BitOr => Ok(a | b),
            Op::BitXor => Ok(a ^ b),
            Op::Shl | Op::Shr => {
                let by = u32::try_from(b).ok().filter(|by| *by <= 126).ok_or(EvalError::Shift)?;
                if *self == Op::Shr { Ok(a >> by) } else { checked(a.checked_mul(1 << by)) }
            }
            // a leaf, or one of the operators above
            Op::Const(_) | Op::Var(_) | Op::Neg | Op::Not | Op::And | Op::Or | Op::Select => Ok(a),
        }
    }
}

impl Expr {
    /// The value when each variable has the value that `value_of` returns for its name.
    ///
    /// This method evaluates one point. [`Program`] is faster for many points.
    ///
    /// # Errors
    /// [`EvalFailure`] when `value_of` returns no value for a variable, or when the expression has no value at this
    /// point.
    pub fn eval(&self, value_of: impl Fn(&str) -> Option<i64>) -> Result<i128, EvalFailure> {
        let dag = Dag::new(std::slice::from_ref(self));
        let mut values: Vec<Value> = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            let value = match &node.op {
                Op::Const(v) => Ok(i128::from(*v)),
                Op::Var(name) => match value_of(name) {
                    Some(v) => Ok(i128::from(v)),
                    None => return Err(UnknownVariable { name: name.clone() }.into()),
                },
                op => op.eval(node.args.map(|a| values[a as usize])),
            };
            values.push(value);
        }
        Ok(values[dag.roots()[0] as usize]?)
    }
}

#[cfg(test)]
mod tests {
    use super::EvalError;
    use crate::expr::{EvalFailure, Expr, Program};

    fn value(text: &str) -> Result<i128, EvalFailure> {
        text.parse::<Expr>().expect(text).eval(|_| None)
    }

    #[test]
    fn values_like_python() {
        let cases = [
            ("-7 // 2", -4),
            ("-7 % 2", 1),
            ("7 // -2", -4),
            ("7 % -2", -1),
            ("truncdiv(-7, 2)", -3),
            ("truncmod(-7, 2)", -1),
            ("truncdiv(7, -2)", -3),
            ("truncmod(7, -2)", 1),
            ("2 + 3 * 4", 14),
            ("-2 * -3", 6),
            ("~5", -6),
            ("1 << 3 + 1", 16),
            ("-5 >> 1", -3),
            ("6 & 3 | 8 ^ 1", 11),
            ("-1 & 255", 255),
            ("0 <= 3 < 3", 0),
            ("1 < 2 < 3 < 4", 1),
            ("not 0 and 2", 1),
            ("1 or 1 // 0", 1),
            ("0 and 1 // 0", 0),
            ("where(1, 5, 1 // 0)", 5),
            ("5 if 0 else 6 if 1 else 7", 6),
            ("min(3, 1, 2) + max(1, 2, 3)", 4),
            ("abs(-4) + abs(4)", 8),
            ("True + True + False", 2),
            ("9223372036854775807 * 9223372036854775807 // 9223372036854775807", i128::from(i64::MAX)),
        ];
        for (text, expected) in cases {
            assert_eq!(value(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn errors_poison_what_depends_on_them() {
        assert_eq!(value("1 + 1 // 0"), Err(EvalError::DivisionByZero.into()));
        assert_eq!(value("1 % 0"), Err(EvalError::DivisionByZero.into()));
        assert_eq!(value("1 << -1"), Err(EvalError::Shift.into()));
        assert_eq!(value("1 >> 127"), Err(EvalError::Shift.into()));
        assert_eq!(value("2 << 126"), Err(EvalError::Overflow.into()));
        assert_eq!(value("1 << 126"), Ok(1 << 126));
        assert_eq!(value("where(1 // 0, 1, 1)"), Err(EvalError::DivisionByZero.into()));
        assert!(matches!(value("x"), Err(EvalFailure::Unknown(u)) if &*u.name == "x"));
    }

    #[test]
    fn extreme_quotients_do_not_panic() {
        let least = "-(1 << 126) - (1 << 126)";
        assert_eq!(value(least), Ok(i128::MIN));
        assert_eq!(value(&format!("({least}) // -1")), Err(EvalError::Overflow.into()));
        assert_eq!(value(&format!("({least}) % -1")), Ok(0));
        assert_eq!(value(&format!("truncdiv({least}, -1)")), Err(EvalError::Overflow.into()));
        assert_eq!(value(&format!("truncmod({least}, -1)")), Ok(0));
        assert_eq!(value(&format!("-({least})")), Err(EvalError::Overflow.into()));
    }

    #[test]
    fn programs_share_a_buffer() {
        let roots: [Expr; 2] = ["i*n + j".parse().expect("valid"), "i < j".parse().expect("valid")];
        let program = Program::new(&roots, &["j", "n", "i"]).expect("all known");
        let mut buffer = Vec::new();
        for (i, j) in [(0, 0), (3, 4), (5, 1)] {
            let got: Vec<_> = program.eval_into(&[j, 10, i], &mut buffer).collect();
            assert_eq!(got, [Ok(i * 10 + j), Ok(i128::from(i < j))]);
        }
        assert_eq!(&*Program::new(&roots, &["j", "i"]).expect_err("n is missing").name, "n");
    }
}
