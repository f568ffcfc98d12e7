//! Encodes a rule as a question to an SMT solver. The question is about the values of the rule's terms at one point of
//! an unknown domain.
//!
//! In the question, every integer, class and sum of a rule is an unknown integer. Each instruction of the compiled rule
//! becomes a hypothesis, such as an equality of the pattern or the interval of a value. An instruction that is not
//! about values, such as a guard on the number of terms of a sum, adds no hypothesis. A proof therefore covers at least
//! the cases that the engine matches.

mod guards;
mod instructions;
mod values;

use easy_smt::SExpr;
use quaff::internals::rules::Operator;
use quaff::internals::rules::{Instr, IntExpr, Slot};
use quaff::quasi::solver::Session;
use rustc_hash::FxHashMap;
use std::io;

/// The exponents of the powers of two in 64 bits.
pub(super) const POWERS: std::ops::RangeInclusive<u32> = 0..=62;

/// The reason why a rule cannot be encoded.
#[derive(Debug)]
pub(super) enum Stop {
    Io(io::Error),
    Unsupported(&'static str),
}

impl From<io::Error> for Stop {
    fn from(e: io::Error) -> Stop {
        Stop::Io(e)
    }
}

pub(super) type Encoded<T> = Result<T, Stop>;

/// A sum of terms with numeric factors, plus a constant.
#[derive(Clone, Copy)]
struct Sum {
    value: SExpr,
    /// The constant part of the sum.
    constant: SExpr,
    /// A truth value: whether the sum has terms besides the constant. Without terms, its value is the constant.
    terms: SExpr,
}

/// The further operands of an `and` or `or`, which the pattern does not name one by one.
#[derive(Clone, Copy)]
struct Others {
    all: SExpr,
    any: SExpr,
}

/// Selects the part of a rule that is encoded.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum How {
    /// The whole rule.
    Full,
    /// The rule with only the guards that compare integers or test divisibility. Integers that only the other guards
    /// use are left out, too. With fewer hypotheses, a proof also proves the rule.
    Lean,
}

pub(super) struct Encoder<'c, 'r> {
    pub(super) c: &'c mut Session,
    ints: FxHashMap<Slot, SExpr>,
    classes: FxHashMap<Slot, SExpr>,
    sums: FxHashMap<Slot, Sum>,
    lists: FxHashMap<Slot, Others>,
    /// The facts and quotients in the question, by their texts. A repeated use gets the same value.
    known: FxHashMap<String, SExpr>,
    count: usize,
    /// The divisors in the result of the rule. The result has a value only if none of them is 0.
    divisors: Vec<SExpr>,
    /// Integers that the pattern or a clause chooses, and moduli of facts, in order.
    pub(super) chosen: Vec<(String, SExpr)>,
    /// The given values of some chosen integers, by name.
    given: &'r [(String, i64)],
    /// The integers that guards restrict to powers of two.
    pub(super) powers: Vec<SExpr>,
    /// The numerator, divisor and quotient of all quotients in the question.
    quotients: Vec<[SExpr; 3]>,
    /// Triples of a positive divisor, its cofactor, and their product.
    divisors_of: Vec<[SExpr; 3]>,
    /// The two operands of each bit operation, and an integer with the bits that both operands have.
    pub(super) common: Vec<[SExpr; 3]>,
    /// The two operands and the result of each `^` that the pattern matches.
    xors: Vec<[SExpr; 3]>,
    /// For each sum, the greatest common divisor of the factors of its terms.
    contents: FxHashMap<Slot, SExpr>,
    how: How,
    /// Integers that the rule computes and that are not yet used.
    computed: FxHashMap<Slot, &'r IntExpr>,
}

impl<'c, 'r> Encoder<'c, 'r> {
    /// Creates an encoder with values for some of the constants that the rule chooses.
    pub(super) fn new(c: &'c mut Session, how: How, given: &'r [(String, i64)]) -> Encoder<'c, 'r> {
        Encoder {
            c,
            ints: FxHashMap::default(),
            classes: FxHashMap::default(),
            sums: FxHashMap::default(),
            lists: FxHashMap::default(),
            known: FxHashMap::default(),
            count: 0,
            divisors: Vec::new(),
            chosen: Vec::new(),
            given,
            powers: Vec::new(),
            quotients: Vec::new(),
            divisors_of: Vec::new(),
            common: Vec::new(),
            xors: Vec::new(),
            contents: FxHashMap::default(),
            how,
            computed: FxHashMap::default(),
        }
    }

    /// Asserts all facts that hold when the rule executes `yield` number `which`, which returns a result. Returns a
    /// statement that is true exactly if this result is wrong. `None` if there is no such `yield`.
    pub(super) fn wrong(&mut self, operator: Operator, code: &'r [Instr], which: usize) -> Encoded<Option<SExpr>> {
        let root = self.class(0)?;
        if operator == Operator::Sum {
            let sum = self.sum(0)?;
            self.equal(sum.value, root)?;
        }
        // a chosen integer with a given value becomes a number, so that products with it are linear
        for instr in code {
            if let Instr::Constant { class, to } = instr
                && let Some(v) = self.given(&format!("#{to}"))
            {
                self.classes.insert(*class, v);
            }
        }
        let mut yields = 0;
        for instr in code {
            match instr {
                Instr::Yield(result) if yields == which => {
                    let result = self.term(result)?.value;
                    let mut wrong = vec![self.c.not(self.c.eq(root, result))];
                    let zero = self.number(0);
                    wrong.extend(self.divisors.iter().map(|d| self.c.eq(*d, zero)));
                    self.quotient_is(root, result)?;
                    self.quotients_compose()?;
                    self.xors_share_bits()?;
                    return Ok(Some(self.c.or_many(wrong)));
                }
                Instr::Yield(_) => yields += 1,
                _ => self.instr(instr, code)?,
            }
        }
        Ok(None)
    }

    // ---- building blocks

    pub(super) fn number(&self, n: i64) -> SExpr {
        let magnitude = self.c.numeral(n.unsigned_abs());
        if n < 0 { self.c.negate(magnitude) } else { magnitude }
    }

    pub(super) fn fresh(&mut self) -> Encoded<SExpr> {
        self.count += 1;
        Ok(self.c.declare_const(format!("v{}", self.count), self.c.int_sort())?)
    }

    fn fresh_truth(&mut self) -> Encoded<SExpr> {
        self.count += 1;
        Ok(self.c.declare_const(format!("t{}", self.count), self.c.bool_sort())?)
    }

    pub(super) fn assert(&mut self, e: SExpr) -> Encoded<()> {
        Ok(self.c.assert(e)?)
    }

    pub(super) fn equal(&mut self, a: SExpr, b: SExpr) -> Encoded<()> {
        self.assert(self.c.eq(a, b))
    }

    fn nonzero(&mut self, a: SExpr) -> Encoded<()> {
        let zero = self.number(0);
        self.assert(self.c.not(self.c.eq(a, zero)))
    }

    /// The statement `lo <= x < hi`.
    fn between(&self, lo: SExpr, x: SExpr, hi: SExpr) -> SExpr {
        self.c.and(self.c.lte(lo, x), self.c.lt(x, hi))
    }

    fn integer(&self, truth: SExpr) -> SExpr {
        self.c.ite(truth, self.number(1), self.number(0))
    }

    fn truth(&self, value: SExpr) -> SExpr {
        self.c.not(self.c.eq(value, self.number(0)))
    }

    /// The statement that `q` is the quotient of `a` by `b`.
    fn is_quotient(&self, q: SExpr, a: SExpr, b: SExpr) -> SExpr {
        let c = &*self.c;
        let below = c.times(b, q);
        let above = c.plus(below, b);
        let zero = self.number(0);
        c.ite(c.gt(b, zero), self.between(below, a, above), c.and(c.lt(above, a), c.lte(a, below)))
    }

    /// The floor quotient of `a` by `b`. Its value is arbitrary if `b` is 0. Repeated calls return the same quotient.
    fn quotient(&mut self, a: SExpr, b: SExpr) -> Encoded<SExpr> {
        let key = format!("{} // {}", self.c.display(a), self.c.display(b));
        if let Some(q) = self.known.get(&key) {
            return Ok(*q);
        }
        let q = self.fresh()?;
        let zero = self.number(0);
        let holds = self.is_quotient(q, a, b);
        self.assert(self.c.or(self.c.eq(b, zero), holds))?;
        self.known.insert(key, q);
        self.quotients.push([a, b, q]);
        Ok(q)
    }

    /// Asserts that division by `g * d` is division by `g` followed by division by `d`. The other assertions imply this
    /// equality, but it helps the solver.
    fn quotients_compose(&mut self) -> Encoded<()> {
        for [g, d, product] in self.divisors_of.clone() {
            let of_product: Vec<_> = self.quotients.iter().filter(|[_, b, _]| *b == product).copied().collect();
            for [a, _, q] in of_product {
                let inner = self.quotient(a, g)?;
                let outer = self.quotient(inner, d)?;
                let zero = self.number(0);
                let positive = self.c.and(self.c.gt(g, zero), self.c.gt(d, zero));
                self.assert(self.c.imp(positive, self.c.eq(q, outer)))?;
            }
        }
        Ok(())
    }

    /// If `root` is a quotient, asserts that no other value satisfies its definition. The other assertions imply the
    /// uniqueness, but stating it helps the solver.
    fn quotient_is(&mut self, root: SExpr, result: SExpr) -> Encoded<()> {
        let key = format!("root {}", self.c.display(root));
        let (Some(a), Some(b)) = (self.known.get(&format!("{key} a")), self.known.get(&format!("{key} b"))) else {
            return Ok(());
        };
        let unique = self.is_quotient(result, *a, *b);
        self.assert(self.c.or(self.c.eq(root, result), self.c.not(unique)))
    }

    /// The quotient or the remainder of `a` by `b`, with the rounding of `operator`.
    fn divided(&mut self, operator: Operator, a: SExpr, b: SExpr) -> Encoded<SExpr> {
        let quotient = match operator {
            Operator::TruncDiv | Operator::TruncMod => self.truncated(a, b)?,
            _ => self.quotient(a, b)?,
        };
        Ok(match operator {
            Operator::Div | Operator::TruncDiv => quotient,
            _ => self.c.sub(a, self.c.times(b, quotient)),
        })
    }

    /// The quotient rounded towards zero. If the signs agree, it is the floor quotient. Otherwise it is minus the floor
    /// quotient of `-a`.
    fn truncated(&mut self, a: SExpr, b: SExpr) -> Encoded<SExpr> {
        let (same, opposite) = (self.quotient(a, b)?, self.quotient(self.c.negate(a), b)?);
        let zero = self.number(0);
        let agree = self.c.eq(self.c.gte(a, zero), self.c.gt(b, zero));
        Ok(self.c.ite(agree, same, self.c.negate(opposite)))
    }

    // ---- slots

    fn class(&mut self, slot: Slot) -> Encoded<SExpr> {
        if let Some(v) = self.classes.get(&slot) {
            return Ok(*v);
        }
        let v = self.fresh()?;
        self.classes.insert(slot, v);
        Ok(v)
    }

    fn int_slot(&mut self, slot: Slot) -> Encoded<SExpr> {
        if let Some(v) = self.ints.get(&slot) {
            return Ok(*v);
        }
        let v = match self.computed.get(&slot) {
            Some(value) => self.int(value)?,
            None => self.fresh()?,
        };
        self.ints.insert(slot, v);
        Ok(v)
    }

    fn choose(&mut self, slot: Slot) -> Encoded<SExpr> {
        let name = format!("#{slot}");
        let v = match self.given(&name) {
            Some(v) => v,
            None => self.int_slot(slot)?,
        };
        self.ints.insert(slot, v);
        self.chosen.push((name, v));
        Ok(v)
    }

    fn given(&self, name: &str) -> Option<SExpr> {
        self.given.iter().find(|g| g.0 == name).map(|g| self.number(g.1))
    }

    fn sum(&mut self, slot: Slot) -> Encoded<Sum> {
        if let Some(s) = self.sums.get(&slot) {
            return Ok(*s);
        }
        let value = self.fresh()?;
        let s = self.opaque(value)?;
        self.sums.insert(slot, s);
        Ok(s)
    }

    /// A sum with unknown terms and an unknown constant, of which only the value is known.
    fn opaque(&mut self, value: SExpr) -> Encoded<Sum> {
        let (constant, terms) = (self.fresh()?, self.fresh_truth()?);
        self.assert(self.c.or(terms, self.c.eq(value, constant)))?;
        Ok(Sum { value, constant, terms })
    }

    /// Asserts `x == by * q + r` for a clause that splits the sum `x`. The constant of `x` is split by floor division.
    fn split(&mut self, x: Sum, by: SExpr, q: Slot, r: Slot) -> Encoded<()> {
        let (q, r, zero) = (self.sum(q)?, self.sum(r)?, self.number(0));
        self.assert(self.c.gt(by, zero))?;
        self.equal(x.value, self.c.plus(self.c.times(by, q.value), r.value))?;
        self.equal(x.constant, self.c.plus(self.c.times(by, q.constant), r.constant))?;
        let residue = self.between(zero, r.constant, by);
        self.assert(residue)
    }
}
