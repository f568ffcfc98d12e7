//! Reads integer operations of the MLIR dialect `arith`.
//!
//! Values are signed integers, and an `i1` is 0 or 1. If MLIR would compute a value other than the exact integer, a
//! requirement, which the user of the result must prove, excludes the case. For example, a sum that exceeds its type
//! wraps around, and an unsigned operation reads a negative number as a large one. Operations that are undefined in
//! MLIR need no requirement, such as a shift by the width or a division by 0.

use super::lex::Kind;
use super::reader::{Reader, Scope};
use crate::error::ReadError;
use crate::read::Requirement;
use quaff_expr::domain::Interval;
use quaff_expr::expr::{Expr, Op, int};
use std::ops::Range;

/// The meaning of an operation.
#[derive(Clone, Copy)]
enum Arith {
    Node(&'static Op),
    /// The operator. Its result wraps around if it exceeds the type.
    Wraps(&'static Op),
    /// The operator, for operands that are not negative.
    Unsigned(&'static Op),
    TruncDiv,
    TruncMod,
    CeilDiv,
    UnsignedCeilDiv,
    Compare,
    Select,
    /// A conversion: `value : type to type`.
    Convert(Conversion),
    Constant,
}

/// The effect of a conversion besides keeping the value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conversion {
    /// The operand is signed: true as an `i1` is -1.
    Signed,
    Unsigned,
    Truncating,
}

const OPERATIONS: [(&str, Arith); 28] = [
    ("addi", Arith::Wraps(&Op::Add)),
    ("subi", Arith::Wraps(&Op::Sub)),
    ("muli", Arith::Wraps(&Op::Mul)),
    ("shli", Arith::Wraps(&Op::Shl)),
    ("shrsi", Arith::Node(&Op::Shr)),
    ("shrui", Arith::Unsigned(&Op::Shr)),
    ("andi", Arith::Node(&Op::BitAnd)),
    ("ori", Arith::Node(&Op::BitOr)),
    ("xori", Arith::Node(&Op::BitXor)),
    ("minsi", Arith::Node(&Op::Min)),
    ("maxsi", Arith::Node(&Op::Max)),
    ("minui", Arith::Unsigned(&Op::Min)),
    ("maxui", Arith::Unsigned(&Op::Max)),
    ("divsi", Arith::TruncDiv),
    ("remsi", Arith::TruncMod),
    ("floordivsi", Arith::Node(&Op::FloorDiv)),
    ("ceildivsi", Arith::CeilDiv),
    ("divui", Arith::Unsigned(&Op::FloorDiv)),
    ("remui", Arith::Unsigned(&Op::FloorMod)),
    ("ceildivui", Arith::UnsignedCeilDiv),
    ("cmpi", Arith::Compare),
    ("select", Arith::Select),
    ("constant", Arith::Constant),
    ("index_cast", Arith::Convert(Conversion::Signed)),
    ("index_castui", Arith::Convert(Conversion::Unsigned)),
    ("extsi", Arith::Convert(Conversion::Signed)),
    ("extui", Arith::Convert(Conversion::Unsigned)),
    ("trunci", Arith::Convert(Conversion::Truncating)),
];

const COMPARISONS: [(&str, &Op); 10] = [
    ("eq", &Op::Eq),
    ("ne", &Op::Ne),
    ("slt", &Op::Lt),
    ("sle", &Op::Le),
    ("sgt", &Op::Gt),
    ("sge", &Op::Ge),
    ("ult", &Op::Lt),
    ("ule", &Op::Le),
    ("ugt", &Op::Gt),
    ("uge", &Op::Ge),
];

const LEAVES: &str = "wraps around where it leaves its type";
const NEGATIVE: &str = "is taken for a number without a sign, which is another one where it is negative";

impl<'s> Reader<'s> {
    /// Reads an operation whose name begins with `arith.`.
    pub(super) fn arith(&mut self, values: &Scope<'s>) -> Result<Expr, ReadError> {
        let start = self.span();
        let name = self.peek().trim_start_matches("arith.");
        let Some((_, arith)) = OPERATIONS.iter().find(|o| o.0 == name) else {
            let error = self.error(format!("the operation `{}` is not read", self.peek()), start);
            let names: Vec<&str> = OPERATIONS.iter().map(|o| o.0).collect();
            return Err(error.with_help(format!("operations of `arith` are {}", names.join(", "))));
        };
        self.next();
        match *arith {
            Arith::Constant => self.arith_constant(&start),
            Arith::Compare => self.arith_comparison(values, &start),
            Arith::Convert(conversion) => self.conversion(conversion, values, &start),
            Arith::Select => {
                let args = self.operands(3, values)?;
                self.expect(":")?;
                self.bits()?;
                let span = start.start..self.behind();
                Ok(self.nodes.one(Expr::new(Op::Select, args), &span))
            }
            arith => self.arith_of_two(arith, values, &start),
        }
    }

    fn arith_of_two(&mut self, arith: Arith, values: &Scope<'s>, start: &Range<usize>) -> Result<Expr, ReadError> {
        let [a, b] = <[Expr; 2]>::try_from(self.operands(2, values)?).unwrap_or_else(|_| [int(0), int(0)]);
        // with this flag, a result that wraps around is undefined
        let is_exact = self.accept("overflow");
        if is_exact {
            self.list(["<", ">"], |r| r.name("`nsw` or `nuw`"))?;
        }
        self.expect(":")?;
        let bits = self.bits()?;
        let span = start.start..self.behind();
        if matches!(arith, Arith::Unsigned(_) | Arith::UnsignedCeilDiv) {
            self.require_nonneg(&[&a, &b]);
        }
        let value = match arith {
            Arith::Node(op) | Arith::Wraps(op) | Arith::Unsigned(op) => Expr::new(op.clone(), [a, b]),
            Arith::TruncDiv => a.trunc_div(b),
            Arith::TruncMod => a.trunc_mod(b),
            _ => return Ok(self.ceil_div(a, b, &span)),
        };
        let value = self.nodes.one(value, &span);
        if matches!(arith, Arith::Wraps(_)) && !is_exact {
            self.require(&value, within(bits), LEAVES);
        }
        Ok(value)
    }

    fn arith_constant(&mut self, start: &Range<usize>) -> Result<Expr, ReadError> {
        let value = match self.peek() {
            "true" | "false" => i64::from(&self.source[self.next()] == "true"),
            _ => {
                let value = self.integer()?;
                self.expect(":")?;
                self.bits()?;
                value
            }
        };
        Ok(self.nodes.one(int(value), &(start.start..self.behind())))
    }

    fn arith_comparison(&mut self, values: &Scope<'s>, start: &Range<usize>) -> Result<Expr, ReadError> {
        let predicate = self.peek();
        let Some((_, op)) = COMPARISONS.iter().find(|c| c.0 == predicate) else {
            return Err(self.unexpected("eq, ne, slt, sle, sgt, sge, ult, ule, ugt or uge"));
        };
        self.next();
        self.expect(",")?;
        let args = self.operands(2, values)?;
        self.expect(":")?;
        self.bits()?;
        if predicate.starts_with('u') {
            self.require_nonneg(&args.iter().collect::<Vec<_>>());
        }
        let span = start.start..self.behind();
        Ok(self.nodes.one(Expr::new((*op).clone(), args), &span))
    }

    fn conversion(
        &mut self,
        conversion: Conversion,
        values: &Scope<'s>,
        start: &Range<usize>,
    ) -> Result<Expr, ReadError> {
        let value = self.operand_value(values)?;
        self.expect(":")?;
        let from = self.bits()?;
        self.expect("to")?;
        let to = self.bits()?;
        match conversion {
            Conversion::Signed if from == 1 => {
                let span = start.start..self.behind();
                return Ok(self.nodes.one(-value, &span));
            }
            Conversion::Unsigned if from > 1 => self.require_nonneg(&[&value]),
            Conversion::Truncating => self.require(&value, within(to), LEAVES),
            // `index_cast` may truncate an index to fewer bits
            _ if to < from => self.require(&value, within(to), LEAVES),
            _ => {}
        }
        Ok(value)
    }

    /// Reads operands such as `%a, %b`.
    fn operands(&mut self, count: usize, values: &Scope<'s>) -> Result<Vec<Expr>, ReadError> {
        let mut operands = vec![self.operand_value(values)?];
        while operands.len() < count {
            self.expect(",")?;
            operands.push(self.operand_value(values)?);
        }
        Ok(operands)
    }

    fn operand_value(&mut self, values: &Scope<'s>) -> Result<Expr, ReadError> {
        if self.kind() != Kind::Value {
            return Err(self.unexpected("a value such as `%i`"));
        }
        let (name, span) = (self.peek(), self.next());
        self.named(name, &span, values)
    }

    /// Reads an integer type and returns its number of bits.
    fn bits(&mut self) -> Result<u32, ReadError> {
        let name = self.peek();
        let bits = if name == "index" { Some(64) } else { name.strip_prefix('i').and_then(|n| n.parse().ok()) };
        match bits {
            Some(bits @ 1..=64) if self.kind() == Kind::Name => {
                self.next();
                Ok(bits)
            }
            _ => Err(self.unexpected("a type: `index`, or `i1` to `i64`")),
        }
    }

    fn require_nonneg(&mut self, values: &[&Expr]) {
        let range = Interval::new(0, i64::MAX).unwrap_or(Interval::ALL);
        for value in values.iter().filter(|v| v.as_const().is_none_or(|c| c < 0)) {
            self.require(value, range, NEGATIVE);
        }
    }

    fn require(&mut self, value: &Expr, range: Interval, reason: &'static str) {
        self.requirements.push(Requirement { value: value.clone(), part: value.clone(), range, reason });
    }
}

/// The numbers that have `bits` bits: 0 and 1 for one bit, and signed numbers for more bits.
fn within(bits: u32) -> Interval {
    let most = 1i128 << (bits - 1);
    match bits {
        1 => Interval::BOOL,
        // the least and the greatest `i64` represent open ends of intervals, so they are left out
        64 => Interval::new(*Interval::ENDS.start(), *Interval::ENDS.end()).unwrap_or(Interval::ALL),
        _ => Interval::from_wide(-most, most - 1),
    }
}
