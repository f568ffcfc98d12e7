//! Prints expressions for Triton, whose `//` and `%` round towards zero, and whose values have 32 or 64 bits.

use super::high::{Piece, Spelling, binary, checked_ranges, print};
use super::language::Language;
use super::text::Text;
use crate::domain::{Interval, VarFacts};
use crate::expr::{Dag, DagNode, Op, precedence as prec};
use crate::lower::LowerError;

/// The definitions that a text needs once per file.
const IMPORTS: &str = "import triton\nimport triton.language as tl\n";

/// The spelling of a division by a positive number. `//` rounds down for values that Triton knows at compile time, and
/// otherwise towards zero. Each form is right in both cases.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// The numerator is never negative.
    Plain,
    /// The divisor is a power of two, with this exponent.
    Bits(u32),
    /// Adding a multiple of the divisor makes the numerator positive. The fields are the multiple, and the multiple
    /// divided by the divisor.
    Moved(i64, i64),
    /// The numerator may have either sign. The text uses `x // y == -1 - (-1 - x) // y`.
    Both,
}

struct Triton<'d> {
    dag: &'d Dag,
    ranges: Vec<Interval>,
    /// Whether the operation of each node is computed in 64 bits.
    wide: Vec<bool>,
    /// Whether each node is certainly a tensor. A parameter may be a number that Triton knows at compile time.
    tensor: Vec<bool>,
}

/// The Triton text of a variable such as `program_id_0`, `num_programs_0` or `arange_0_128`.
fn builtin(name: &str) -> Option<String> {
    let number = |digits: &str| {
        let is_number = digits == "0" || !digits.is_empty() && !digits.starts_with('0') && digits.len() < 10;
        is_number.then(|| digits.parse::<u32>().ok())?
    };
    for function in ["program_id", "num_programs"] {
        if let Some(axis) = name.strip_prefix(function).and_then(|rest| number(rest.strip_prefix('_')?)) {
            return (axis < 3).then(|| format!("tl.{function}({axis})"));
        }
    }
    let (from, to) = name.strip_prefix("arange_")?.split_once('_')?;
    let (from, to) = (number(from)?, number(to)?);
    // Triton supports no other ranges
    (from < to && (to - from).is_power_of_two()).then(|| format!("tl.arange({from}, {to})"))
}

impl<'d> Triton<'d> {
    fn new(dag: &'d Dag, ranges: Vec<Interval>) -> Triton<'d> {
        let mut triton = Triton { dag, ranges, wide: Vec::new(), tensor: Vec::new() };
        for (id, node) in (0..).zip(dag.nodes()) {
            let wide = triton.needs_64_bits(id, node);
            let tensor = match &node.op {
                Op::Var(name) => triton.builtin(id, name).is_some(),
                _ => node.args().iter().any(|&a| triton.tensor[a as usize]),
            };
            triton.wide.push(wide);
            triton.tensor.push(tensor);
        }
        triton
    }

    /// Whether an operation needs 64 bits, because its result, an operand or an intermediate value may exceed 32 bits.
    fn needs_64_bits(&self, id: u32, node: &DagNode) -> bool {
        let range = |at: usize| self.ranges[node.args[at] as usize];
        let operands = if matches!(node.op, Op::Select) { &node.args()[1..] } else { node.args() };
        let least = i64::from(i32::MIN);
        let beyond = match &node.op {
            Op::Const(_) | Op::Var(_) | Op::And | Op::Or | Op::Not => false,
            Op::Shl | Op::Shr => !range(1).within(0, 31),
            op if op.is_division() => {
                let is_negated = range(1).hi().is_some_and(|hi| hi < 0);
                is_negated && [0, 1].iter().any(|&at| range(at).contains(least))
            }
            _ => false,
        };
        let number = |a: u32| !self.dag.nodes()[a as usize].op.is_truth();
        let holds = |a: &&u32| number(**a) && (self.wide[**a as usize] || !self.ranges[**a as usize].fits_i32());
        let is_wide = !node.op.is_truth() && !self.ranges[id as usize].fits_i32();
        is_wide || beyond || operands.iter().any(|a| holds(&a))
    }

    fn is_leaf_or_truth(&self, id: u32) -> bool {
        let op = &self.dag.nodes()[id as usize].op;
        op.arity() == 0 || op.is_truth()
    }

    fn is_constant(&self, id: u32) -> bool {
        matches!(self.dag.nodes()[id as usize].op, Op::Const(_))
    }

    /// The value `id`, converted to `ty`. A tensor is converted by `.to`. Other values may be known at compile time, so
    /// they are converted by a function that also takes numbers.
    fn converted(&self, id: u32, piece: Piece, ty: &'static str) -> Vec<Piece> {
        let (before, after) = match self.tensor[id as usize] {
            true => ("", ".to("),
            false => ("tl.cast(", ", "),
        };
        vec![Piece::Text(before), piece, Piece::Text(after), Piece::Text(ty), Piece::Text(")")]
    }

    fn widened(&self, id: u32) -> Vec<Piece> {
        let least = if self.tensor[id as usize] { prec::ATOM } else { 0 };
        self.converted(id, Piece::Number(id, least), "tl.int64")
    }

    /// The numeric operands of a node. If the operation needs 64 bits and no operand has them, the first operand that
    /// is no constant is converted. Triton then converts the others itself.
    fn operands(&self, id: u32, least: [u8; 2]) -> [Vec<Piece>; 2] {
        let node = &self.dag.nodes()[id as usize];
        let args = &node.args()[usize::from(matches!(node.op, Op::Select))..];
        // a parameter has as many bits as its value needs
        let is_typed = args.iter().any(|&a| self.wide[a as usize] && !self.is_leaf_or_truth(a));
        let to_convert =
            args.iter().position(|&a| !self.is_constant(a)).filter(|_| self.wide[id as usize] && !is_typed);
        [0, 1].map(|at| match args.get(at) {
            None => Vec::new(),
            Some(&a) if to_convert == Some(at) => self.widened(a),
            Some(&a) => vec![Piece::Number(a, least[at])],
        })
    }

    fn infix(&self, id: u32, sign: &'static str, own: u8) -> (Vec<Piece>, u8) {
        let left = if own == prec::COMPARE { own + 1 } else { own };
        let [left, right] = self.operands(id, [left, own + 1]);
        ([left, vec![Piece::Text(sign)], right].concat(), own)
    }

    fn call(&self, id: u32, function: &'static str) -> (Vec<Piece>, u8) {
        let [left, right] = self.operands(id, [0, 0]);
        let parts = [vec![Piece::Text(function)], left, vec![Piece::Text(", ")], right, vec![Piece::Text(")")]];
        (parts.concat(), prec::ATOM)
    }

    /// The form of a division, and whether both operands are negated for it.
    fn form(&self, id: u32) -> (Form, bool) {
        let node = &self.dag.nodes()[id as usize];
        let [x, y] = [0, 1].map(|at| self.ranges[node.args[at] as usize]);
        let is_negated = y.hi().is_some_and(|hi| hi < 0);
        let ends = |r: Interval| r.bounded().map(|(lo, hi)| (i128::from(lo), i128::from(hi)));
        let opposite = |(lo, hi): (i128, i128)| if is_negated { (-hi, -lo) } else { (lo, hi) };
        let Some(((lo, hi), y)) = ends(x).map(opposite).zip(ends(y).map(opposite)) else {
            return (Form::Both, is_negated);
        };
        let constant = Some(y.0).filter(|_| y.0 == y.1);
        let most = i128::from(if self.wide[id as usize] { i64::MAX } else { i32::MAX.into() });
        let form = match constant {
            _ if lo >= 0 => Form::Plain,
            Some(d) if d & (d - 1) == 0 => Form::Bits(d.trailing_zeros()),
            Some(d) if hi.max(0) + (d - 1 - lo) / d * d <= most => {
                let by = (d - 1 - lo) / d;
                // both numbers are at most the greatest number of the type
                Form::Moved((by * d) as i64, by as i64)
            }
            _ => Form::Both,
        };
        (form, is_negated)
    }

    /// The operand `a` of the operation `id`, in the type of the operation.
    fn in_type_of(&self, id: u32, a: u32) -> Vec<Piece> {
        let is_typed = !self.wide[id as usize] || self.wide[a as usize] && !self.is_leaf_or_truth(a);
        if is_typed || self.is_constant(a) { vec![Piece::Number(a, prec::ATOM)] } else { self.widened(a) }
    }

    /// The negated operand `a` of the operation `id`, in the type of the operation.
    fn opposite(&self, id: u32, a: u32) -> Vec<Piece> {
        match self.dag.nodes()[a as usize].op {
            Op::Const(c) if c < 0 => vec![Piece::Owned(c.unsigned_abs().to_string())],
            _ => [vec![Piece::Text("(-")], self.in_type_of(id, a), vec![Piece::Text(")")]].concat(),
        }
    }

    /// The text of `x // y` or `x % y`.
    fn division(&self, id: u32, is_remainder: bool) -> (Vec<Piece>, u8) {
        let (form, is_negated) = self.form(id);
        let [a, b, _] = self.dag.nodes()[id as usize].args;
        let [x, y] = match form {
            _ if is_negated => [a, b].map(|operand| self.opposite(id, operand)),
            Form::Both => [self.in_type_of(id, a), vec![Piece::Number(b, prec::ATOM)]],
            _ => self.operands(id, [prec::ATOM, prec::ATOM]),
        };
        let top = if self.wide[id as usize] { 63 } else { 31 };
        let (pieces, own) = divided(form, &x, &y, is_remainder, top);
        match is_negated && is_remainder {
            true => ([vec![Piece::Text("-(")], pieces, vec![Piece::Text(")")]].concat(), prec::UNARY),
            false => (pieces, own),
        }
    }
}

/// The quotient or the remainder of `x` by `y`. The sign of `x` is its bit `top`. The texts of both operands need no
/// parentheses.
fn divided(form: Form, x: &[Piece], y: &[Piece], is_remainder: bool, top: u32) -> (Vec<Piece>, u8) {
    let text = |text: String| vec![Piece::Owned(text)];
    let sign = || text(if is_remainder { " % ".into() } else { " // ".into() });
    match form {
        Form::Plain => ([x.to_vec(), sign(), y.to_vec()].concat(), prec::MUL),
        Form::Bits(bits) if is_remainder => {
            ([x.to_vec(), text(format!(" & {}", (1u64 << bits) - 1))].concat(), prec::BIT_AND)
        }
        Form::Bits(bits) => ([x.to_vec(), text(format!(" >> {bits}"))].concat(), prec::SHIFT),
        Form::Moved(by, count) => {
            let moved = [text("(".into()), x.to_vec(), text(format!(" + {by})")), sign(), y.to_vec()].concat();
            match is_remainder {
                true => (moved, prec::MUL),
                false => ([moved, text(format!(" - {count}"))].concat(), prec::ADD),
            }
        }
        Form::Both => {
            // all ones if `x` is negative, and the exclusive or of `x` with them is then `-1 - x`
            let ones = || [text("(".into()), x.to_vec(), text(format!(" >> {top})"))].concat();
            let xor = || text(" ^ ".into());
            let divided =
                [text("(".into()), x.to_vec(), xor(), ones(), text(")".into()), sign(), y.to_vec(), xor(), ones()];
            let divided = divided.concat();
            match is_remainder {
                true => {
                    let rest =
                        [text(") + (".into()), y.to_vec(), text(" & ".into()), ones(), text(")".into())].concat();
                    ([text("(".into()), divided, rest].concat(), prec::ADD)
                }
                false => (divided, prec::BIT_XOR),
            }
        }
    }
}

impl Spelling for Triton<'_> {
    const LANGUAGE: Language = Language::Triton;
    const TYPE: &'static str = "";
    /// Always false. `tl.where` computes both branches, and may do so: divisors are never 0, shift counts are in range,
    /// and no step overflows.
    const LAZY: bool = false;

    fn builtin(&self, id: u32, name: &str) -> Option<String> {
        builtin(name).filter(|_| self.ranges[id as usize].fits_i32())
    }

    fn repeats(&self, id: u32) -> u32 {
        let is_floored = matches!(self.dag.nodes()[id as usize].op, Op::FloorDiv | Op::FloorMod);
        if is_floored && matches!(self.form(id).0, Form::Both) { 3 } else { 1 }
    }

    fn node(&self, id: u32, node: &DagNode) -> (Vec<Piece>, u8) {
        use Piece::{Number, Owned, Text, Truth};
        let [a, b, _] = node.args;
        match &node.op {
            Op::Const(c) => (vec![Owned(c.to_string())], if *c < 0 { prec::UNARY } else { prec::ATOM }),
            Op::Neg => {
                let [operand, _] = self.operands(id, [prec::UNARY, 0]);
                ([vec![Text("-")], operand].concat(), prec::UNARY)
            }
            Op::Not => (vec![Text("not "), Truth(a, prec::NOT)], prec::NOT),
            // Triton's `and` accepts no tensors
            Op::And => (vec![Truth(a, prec::BIT_AND), Text(" & "), Truth(b, prec::BIT_AND + 1)], prec::BIT_AND),
            Op::Or => (vec![Truth(a, prec::BIT_OR), Text(" | "), Truth(b, prec::BIT_OR + 1)], prec::BIT_OR),
            Op::FloorDiv => self.division(id, false),
            Op::FloorMod => self.division(id, true),
            // Triton's operators round towards zero
            Op::TruncDiv => self.infix(id, " // ", prec::MUL),
            Op::TruncMod => self.infix(id, " % ", prec::MUL),
            Op::Min => self.call(id, "tl.minimum("),
            Op::Max => self.call(id, "tl.maximum("),
            Op::Select => {
                let [then, otherwise] = self.operands(id, [0, 0]);
                let condition = vec![Text("tl.where("), Truth(a, 0), Text(", ")];
                ([condition, then, vec![Text(", ")], otherwise, vec![Text(")")]].concat(), prec::ATOM)
            }
            Op::Shr if !self.ranges[b as usize].within(0, 63) => {
                let [left, _] = self.operands(id, [prec::SHIFT, 0]);
                ([left, vec![Text(" >> tl.minimum("), Number(b, 0), Text(", 63)")]].concat(), prec::SHIFT)
            }
            op => {
                let (sign, own) = binary(op).unwrap_or((" + ", prec::ADD));
                self.infix(id, sign, own)
            }
        }
    }

    fn number_of_truth(&self, value: u32) -> (Vec<Piece>, u8) {
        let least = if self.tensor[value as usize] { prec::ATOM } else { 0 };
        (self.converted(value, Piece::Truth(value, least), "tl.int32"), prec::ATOM)
    }
}

/// The Triton text of all roots. Values beyond 32 bits are computed in `tl.int64`. Division is exact for all signs, and
/// no step overflows. Variables such as `program_id_0`, `num_programs_0` and `arange_0_128` are replaced by Triton's
/// own functions. The time is linear in the nodes of `dag`.
///
/// ```
/// use quaff::{domain::Domain, emit, expr::{Dag, Expr}};
///
/// let text = |expr: &str, domain: Domain| -> Result<String, Box<dyn std::error::Error>> {
///     Ok(emit::triton(&Dag::new(&[expr.parse::<Expr>()?]), &domain.resolve()?)?.to_string())
/// };
/// let domain = Domain::new().with("program_id_0", 0..4096).with("arange_0_128", 0..128);
/// assert_eq!(text("(program_id_0*128 + arange_0_128)//3", domain)?, "return (tl.program_id(0) * 128 + tl.arange(0, 128)) // 3\n");
/// assert_eq!(text("x//8 + x%3", Domain::new().with("x", -9..9))?, "return (x >> 3) + (x + 9) % 3\n");
/// assert_eq!(text("x*8192", Domain::new().with("x", 0..1 << 20))?, "return tl.cast(x, tl.int64) * 8192\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`LowerError`] when
///
/// - a value may leave 64 bits, including intermediate values,
/// - a divisor may be 0,
/// - a shift count may be out of range,
/// - or a variable is not in `vars`.
pub fn triton(dag: &Dag, vars: &[VarFacts]) -> Result<Text, LowerError> {
    triton_with(dag, vars, |_| Interval::ALL)
}

/// Like [`triton()`], but with additional facts. `facts` returns an interval for each node of `dag` that holds for all
/// values of the variables.
///
/// # Errors
/// [`LowerError`], for the same reasons as in [`triton()`].
pub fn triton_with(dag: &Dag, vars: &[VarFacts], facts: impl Fn(u32) -> Interval) -> Result<Text, LowerError> {
    let ranges = checked_ranges(dag, vars, facts)?;
    let mut text = print(dag, &Triton::new(dag, ranges));
    text.prelude = IMPORTS.into();
    Ok(text)
}
