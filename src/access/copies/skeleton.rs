//! Separates an expression into its structure and its numbers.
//!
//! The input is expressions. The output for each expression is a *skeleton*, in which *holes* replace the numbers, and
//! the list of these numbers. Copies of an unrolled loop have one skeleton and different numbers. A sum is a list of
//! terms. Each term has a coefficient, and the sum has a constant. So `x`, `x + 1` and `2*x` have one skeleton.
//! Divisors and the constant operands of bit operations belong to the skeleton.

use crate::expr::{Compare, Dag, Expr, Op, int};
use crate::integer::{floor_div, floor_mod};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The largest number of holes. An expression with more numbers has no skeleton.
const MAX_NUMBERS: usize = 256;

/// A part of an expression. Parts are numbered, and operands come before their users.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// A number that belongs to the skeleton.
    Number(i64),
    /// A variable, or an operation on parts.
    Operation(Op, Vec<u32>),
    /// A sum of parts. The holes of a sum are its constant, and for each term the coefficient and the holes of the
    /// term.
    Sum(Vec<u32>),
}

/// A skeleton and the numbers in its holes.
#[derive(Clone, Debug)]
pub(super) struct Filled {
    pub(super) skeleton: u32,
    pub(super) numbers: Rc<[i64]>,
}

/// The linear form `constant + Σ coefficient * term`.
#[derive(Clone, Debug)]
struct Sum {
    constant: i64,
    terms: Vec<(i64, Filled)>,
}

impl Sum {
    fn scaled(&self, by: i64) -> Option<Sum> {
        let terms = self.terms.iter().map(|(c, t)| Some((c.checked_mul(by)?, t.clone())));
        Some(Sum { constant: self.constant.checked_mul(by)?, terms: terms.collect::<Option<_>>()? })
    }

    fn plus(&self, other: &Sum) -> Option<Sum> {
        let terms = self.terms.iter().chain(&other.terms).cloned().collect();
        Some(Sum { constant: self.constant.checked_add(other.constant)?, terms })
    }

    fn as_const(&self) -> Option<i64> {
        self.terms.is_empty().then_some(self.constant)
    }
}

/// The value of an operation whose operands are numbers.
fn number(op: &Op, operands: &[Sum]) -> Option<i64> {
    let numbers = operands.iter().map(|o| o.as_const().map(int));
    let e = Expr::new(op.clone(), numbers.collect::<Option<Vec<_>>>()?);
    i64::try_from(e.eval(|_| None).ok()?).ok()
}

/// Moves constants out of a quotient or remainder. In a comparison, moves them to the right side. Returns the constant
/// that must be added to the operation.
fn move_constants(op: &Op, operands: &mut [Sum]) -> Option<i64> {
    let [a, b] = operands else { return Some(0) };
    match op {
        Op::FloorDiv | Op::FloorMod => {
            let Some(d) = b.as_const().filter(|d| *d > 0) else { return Some(0) };
            let outside = floor_div(a.constant.into(), d.into());
            a.constant = i64::try_from(floor_mod(a.constant.into(), d.into())).ok()?;
            if *op == Op::FloorDiv { i64::try_from(outside).ok() } else { Some(0) }
        }
        op if Compare::of(op).is_some_and(Compare::is_order) => {
            b.constant = b.constant.checked_sub(std::mem::take(&mut a.constant))?;
            Some(0)
        }
        _ => Some(0),
    }
}

/// All skeletons found so far.
#[derive(Default)]
pub(super) struct Skeletons {
    parts: Vec<Part>,
    ids: FxHashMap<Part, u32>,
}

impl Skeletons {
    /// The skeleton of `e` and its numbers. `None` when `e` is large, or a number leaves 64 bits.
    pub(super) fn of(&mut self, e: &Expr) -> Option<Filled> {
        let dag = Dag::new(std::slice::from_ref(e));
        let mut sums: Vec<Sum> = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            let of = |k: usize| &sums[node.args[k] as usize];
            let sum = match &node.op {
                Op::Const(c) => Sum { constant: *c, terms: Vec::new() },
                Op::Add => of(0).plus(of(1))?,
                Op::Sub => of(0).plus(&of(1).scaled(-1)?)?,
                Op::Neg => of(0).scaled(-1)?,
                Op::Mul if of(0).as_const().is_some() => of(1).scaled(of(0).constant)?,
                Op::Mul if of(1).as_const().is_some() => of(0).scaled(of(1).constant)?,
                op => {
                    let mut operands: Vec<Sum> = (0..node.args().len()).map(|k| of(k).clone()).collect();
                    match number(op, &operands) {
                        Some(number) => Sum { constant: number, terms: Vec::new() },
                        None => {
                            let constant = move_constants(op, &mut operands)?;
                            Sum { constant, terms: vec![(1, self.operation(op, operands)?)] }
                        }
                    }
                }
            };
            if sum.terms.len() > MAX_NUMBERS {
                return None;
            }
            sums.push(sum);
        }
        let whole = sums.pop()?;
        self.sum(whole)
    }

    fn operation(&mut self, op: &Op, operands: Vec<Sum>) -> Option<Filled> {
        let keeps = op.is_partial() || op.is_bitwise();
        let (mut parts, mut numbers) = (Vec::with_capacity(operands.len()), Vec::new());
        for operand in operands {
            match operand.as_const().filter(|_| keeps) {
                Some(number) => parts.push(self.number_of(Part::Number(number))),
                None => {
                    let filled = self.sum(operand)?;
                    parts.push(filled.skeleton);
                    numbers.extend(filled.numbers.iter());
                }
            }
        }
        let skeleton = self.number_of(Part::Operation(op.clone(), parts));
        (numbers.len() <= MAX_NUMBERS).then(|| Filled { skeleton, numbers: numbers.into() })
    }

    /// The skeleton of a sum. The terms are sorted by their skeletons, so the order in the text does not matter.
    fn sum(&mut self, mut sum: Sum) -> Option<Filled> {
        sum.terms.sort_by_key(|(_, t)| t.skeleton);
        let mut numbers = vec![sum.constant];
        for (c, term) in &sum.terms {
            numbers.push(*c);
            numbers.extend(term.numbers.iter());
        }
        let skeleton = self.number_of(Part::Sum(sum.terms.iter().map(|(_, t)| t.skeleton).collect()));
        (numbers.len() <= MAX_NUMBERS).then(|| Filled { skeleton, numbers: numbers.into() })
    }

    fn number_of(&mut self, part: Part) -> u32 {
        let next = self.parts.len() as u32;
        let id = *self.ids.entry(part.clone()).or_insert(next);
        if id == next {
            self.parts.push(part);
        }
        id
    }

    /// The expression of a skeleton with the expressions `holes` in its holes.
    pub(super) fn expr(&self, skeleton: u32, holes: &[Expr]) -> Expr {
        enum Step {
            Make(u32),
            Take,
            Join(u32),
        }
        let (mut steps, mut made) = (vec![Step::Make(skeleton)], Vec::<Expr>::new());
        let mut holes = holes.iter();
        while let Some(step) = steps.pop() {
            match step {
                Step::Take => made.push(holes.next().cloned().unwrap_or_else(|| int(0))),
                Step::Make(id) => match &self.parts[id as usize] {
                    Part::Number(n) => made.push(int(*n)),
                    Part::Operation(_, operands) => {
                        steps.push(Step::Join(id));
                        steps.extend(operands.iter().rev().map(|&o| Step::Make(o)));
                    }
                    Part::Sum(terms) => {
                        steps.push(Step::Join(id));
                        steps.extend(terms.iter().rev().flat_map(|&t| [Step::Make(t), Step::Take]));
                        steps.push(Step::Take);
                    }
                },
                Step::Join(id) => {
                    let whole = match &self.parts[id as usize] {
                        Part::Number(n) => int(*n),
                        Part::Operation(op, operands) => {
                            Expr::new(op.clone(), made.split_off(made.len() - operands.len()))
                        }
                        Part::Sum(terms) => sum_of(&made.split_off(made.len() - 2 * terms.len() - 1)),
                    };
                    made.push(whole);
                }
            }
        }
        made.pop().unwrap_or_else(|| int(0))
    }
}

/// The sum of `parts`: a constant, followed by coefficients and terms in turns.
fn sum_of(parts: &[Expr]) -> Expr {
    let [constant, products @ ..] = parts else { return int(0) };
    let mut sum: Option<Expr> = None;
    for pair in products.chunks_exact(2) {
        let (c, term) = (&pair[0], &pair[1]);
        sum = match (c.as_const(), sum) {
            (Some(0), sum) => sum,
            (Some(1), None) => Some(term.clone()),
            (Some(1), Some(sum)) => Some(sum + term.clone()),
            (_, None) => Some(term.clone() * c.clone()),
            (_, Some(sum)) => Some(sum + term.clone() * c.clone()),
        };
    }
    match (constant.as_const(), sum) {
        (_, None) => constant.clone(),
        (Some(0), Some(sum)) => sum,
        (_, Some(sum)) => sum + constant.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(skeletons: &mut Skeletons, text: &str) -> Filled {
        skeletons.of(&text.parse().expect("an expression")).expect("small")
    }

    #[test]
    fn copies_have_one_skeleton() {
        let mut skeletons = Skeletons::default();
        let copy = |u: i64| format!("(i*224 + k*7 + {u})//11*64 + (i*224 + k*7 + {u})%11 + {u}*k");
        let [a, b] = [0, 5].map(|u| filled(&mut skeletons, &copy(u)));
        assert_eq!(a.skeleton, b.skeleton);
        assert_eq!(b.numbers.iter().filter(|n| **n == 5).count(), 3, "{b:?}");
        // 13 is 2 more than the divisor. So 2 remains in the quotient, and 1 is added to it
        let d = filled(&mut skeletons, &copy(13));
        assert_eq!((d.skeleton, d.numbers.iter().filter(|n| **n == 2).count()), (a.skeleton, 2), "{d:?}");
        assert!(d.numbers.contains(&64));
        let c = filled(&mut skeletons, "(i*224 + k*7)//11*64 + k*9 + (k*7 + i*224 + 3)%11");
        assert_eq!(a.skeleton, c.skeleton);
        assert_ne!(a.skeleton, filled(&mut skeletons, "(i*224 + k*7)//12*64 + k*9 + (k*7 + i*224 + 3)%11").skeleton);
    }

    #[test]
    fn filled_skeletons_are_what_they_come_from() {
        let mut skeletons = Skeletons::default();
        for text in [
            "x*3 - (y - 4)//7*2 + 1",
            "where(x < 3, x, 2 - y) + min(x, 4)",
            "x*y - y*x*2",
            "7",
            "x & 12",
            "x",
            "(x - 30)//7%4 + (x + 40)%9",
            "x + 5 < y - 3 and 4 >= x - 1",
            "7//2*x + 0*y",
        ] {
            let e: Expr = text.parse().expect("an expression");
            let filled = skeletons.of(&e).expect("small");
            let holes: Vec<Expr> = filled.numbers.iter().map(|&n| int(n)).collect();
            let back = skeletons.expr(filled.skeleton, &holes);
            for (x, y) in [(0, 0), (3, -5), (17, 40), (-9, 2)] {
                let value = |e: &Expr| e.eval(|name| Some(if name == "x" { x } else { y })).expect("a value");
                assert_eq!(value(&e), value(&back), "{text}: {back}");
            }
        }
    }
}
