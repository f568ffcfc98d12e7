//! From expressions to the e-graph.
//!
//! Sums are collected as sums before any node is made, and operations are added in an order that depends on structure
//! alone (depth, then a hash that ignores the order and grouping of commutative operands), so that the e-graph, and
//! with it the answer, is the same for every way of writing the operands down.

use super::graph::{EClasses, SHORT_SUM};
use super::lin::{Lin, Terms};
use super::node::Node;
use crate::domain::Interval;
use crate::expr::{Dag, DagNode, Expr, Op};
use egg::Id;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

/// Terms of shared sums that may be copied into the sums that use them, for each node of the expression, and in all. They are
/// as many as the text has that repeats such sums; only an expression built with shared parts has more.
const COPIED_TERMS_PER_NODE: usize = 64;
const MAX_COPIED_TERMS: usize = 1 << 18;

/// Why an expression cannot enter; the offending sub-expression first.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    UnknownVariable(Expr),
    DivisorMayBeZero(Expr, Interval),
    ShiftOutOfRange(Expr, Interval),
    /// Sums that share terms would have too many of them.
    TooManyTerms,
}

/// Expressions that have entered.
pub(crate) struct Ingested {
    /// The values of the roots as linear combinations.
    pub(crate) roots: Vec<Rc<Lin>>,
    /// Those of the nodes that are operations, shared sums or operands of divisions.
    pub(crate) values: Vec<Option<Rc<Lin>>>,
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Constant(i64),
    Linear,
    Operation,
}

pub(super) struct Shape {
    kind: Kind,
    height: u32,
    /// Adds up over sums, so grouping and order of terms do not matter.
    pub(super) hash: u64,
    pub(super) uses: u32,
}

/// Adds all roots. `ranges` are those of the nodes.
pub(crate) fn ingest(
    e: &mut EClasses,
    dag: &Dag,
    ranges: &[Interval],
    position: &dyn Fn(&str) -> Option<usize>,
) -> Result<Ingested, Refused> {
    let shapes = shapes(dag, ranges, position);
    let nodes = dag.nodes();
    // a part of a longer chain is collected by the top of the chain, and a comparison by what negates it
    let mut inlined = vec![false; nodes.len()];
    for (i, n) in nodes.iter().enumerate() {
        if n.op == Op::Not && opposite(&nodes[n.args[0] as usize].op).is_some() {
            inlined[n.args[0] as usize] |= shapes[n.args[0] as usize].uses == 1;
        }
        if matches!(n.op, Op::And | Op::Or | Op::Mul) && shapes[i].kind == Kind::Operation {
            for &a in n.args() {
                inlined[a as usize] |= nodes[a as usize].op == n.op && shapes[a as usize].uses == 1;
            }
        }
    }
    let mut order: Vec<u32> = (0..nodes.len() as u32)
        .filter(|&i| {
            let s = &shapes[i as usize];
            !inlined[i as usize]
                && match s.kind {
                    Kind::Constant(_) => false,
                    Kind::Operation => true,
                    Kind::Linear => s.uses > 1,
                }
        })
        .collect();
    order.sort_by_key(|&i| {
        let s = &shapes[i as usize];
        let linear = s.kind == Kind::Linear;
        (s.height, linear, if linear { u64::from(i) } else { mix(s.hash) })
    });
    let copies_left = Some(COPIED_TERMS_PER_NODE.saturating_mul(nodes.len()).saturating_add(MAX_COPIED_TERMS));
    let mut c = Collector { e, dag, ranges, shapes: &shapes, position, values: vec![None; nodes.len()], copies_left };
    for i in order {
        let value = match c.shapes[i as usize].kind {
            Kind::Linear => c.collect(i),
            _ => c.operation(i)?,
        };
        let value = value.unwrap_or_else(|| c.opaque(i));
        c.values[i as usize] = Some(Rc::new(value));
    }
    let roots = dag.roots().iter().map(|&r| c.value(r)).collect();
    if c.copies_left.is_none() {
        return Err(Refused::TooManyTerms);
    }
    Ok(Ingested { roots, values: c.values })
}

/// What node `n` computes, and from what: the negation of a comparison is the opposite one.
fn meaning<'a>(nodes: &'a [DagNode], n: &'a DagNode) -> (Cow<'a, Op>, &'a [u32]) {
    if n.op == Op::Not {
        let inner = &nodes[n.args[0] as usize];
        if let Some(op) = opposite(&inner.op) {
            return (Cow::Owned(op), inner.args());
        }
    }
    (Cow::Borrowed(&n.op), n.args())
}

/// The comparison that holds where `op` does not.
fn opposite(op: &Op) -> Option<Op> {
    match op {
        Op::Lt => Some(Op::Ge),
        Op::Le => Some(Op::Gt),
        Op::Gt => Some(Op::Le),
        Op::Ge => Some(Op::Lt),
        _ => None,
    }
}

pub(super) fn shapes(dag: &Dag, ranges: &[Interval], position: &dyn Fn(&str) -> Option<usize>) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::with_capacity(dag.nodes().len());
    for (i, n) in dag.nodes().iter().enumerate() {
        for &a in n.args() {
            shapes[a as usize].uses += 1;
        }
        let arg = |k: usize| &shapes[n.args[k] as usize];
        let constant = |k: usize| match arg(k).kind {
            Kind::Constant(c) => Some(c),
            _ => None,
        };
        let undefined = matches!(n.op, Op::FloorDiv | Op::FloorMod | Op::Shl | Op::Shr);
        let folded = match &n.op {
            Op::Const(c) => Some(*c),
            // a point range of a division by something that can be 0 must not hide the error
            _ if undefined && n.args().iter().any(|&a| ranges[a as usize].as_point().is_none()) => None,
            Op::FloorDiv | Op::FloorMod if constant(1) == Some(0) => None,
            _ => ranges[i].as_point(),
        };
        let kind = match (folded, &n.op) {
            (Some(c), _) => Kind::Constant(c),
            (_, Op::Add | Op::Sub | Op::Neg) => Kind::Linear,
            (_, Op::Mul) if constant(0).is_some() || constant(1).is_some() => Kind::Linear,
            (_, Op::Shl) if constant(1).is_some_and(|k| (0..=62).contains(&k)) => Kind::Linear,
            _ => Kind::Operation,
        };
        let (op, args) = meaning(dag.nodes(), n);
        let deepest = args.iter().map(|&a| shapes[a as usize].height).max().unwrap_or(0);
        let (height, hash) = match kind {
            Kind::Constant(c) => (0, (c as u64).wrapping_mul(ONE)),
            Kind::Linear => (
                deepest,
                match n.op {
                    Op::Add => arg(0).hash.wrapping_add(arg(1).hash),
                    Op::Sub => arg(0).hash.wrapping_sub(arg(1).hash),
                    Op::Neg => arg(0).hash.wrapping_neg(),
                    Op::Shl => arg(0).hash.wrapping_mul(1u64 << constant(1).unwrap_or(0)),
                    _ => match (constant(0), constant(1)) {
                        (Some(c), _) => arg(1).hash.wrapping_mul(c as u64),
                        (_, Some(c)) => arg(0).hash.wrapping_mul(c as u64),
                        _ => 0,
                    },
                },
            ),
            Kind::Operation => (deepest + 1, operation_hash(&op, args, &shapes, position)),
        };
        shapes.push(Shape { kind, height, hash, uses: 0 });
    }
    for &r in dag.roots() {
        shapes[r as usize].uses += 1;
    }
    shapes
}

/// The hash of the constant 1.
const ONE: u64 = 0x9e37_79b9_7f4a_7c15;

pub(super) fn mix(x: u64) -> u64 {
    // the finaliser of splitmix64 (Steele, Lea, Flood 2014)
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn operation_hash(op: &Op, args: &[u32], shapes: &[Shape], position: &dyn Fn(&str) -> Option<usize>) -> u64 {
    let tag = |t: u64| mix(t.wrapping_mul(0xd6e8_feb8_6659_fd93));
    let h = |k: usize| mix(shapes[args[k] as usize].hash);
    let ordered =
        |t: u64| args.iter().enumerate().fold(tag(t), |acc, (k, _)| mix(acc.wrapping_mul(31).wrapping_add(h(k))));
    let unordered = |t: u64| mix(tag(t).wrapping_add((0..args.len()).fold(0u64, |s, k| s.wrapping_add(h(k)))));
    let raw = |k: usize| shapes[args[k] as usize].hash;
    let nonneg = |d: u64| mix(tag(14).wrapping_add(mix(d)));
    let equality = |t: u64| {
        let d = raw(0).wrapping_sub(raw(1));
        mix(tag(t).wrapping_add(mix(d)).wrapping_add(mix(d.wrapping_neg())))
    };
    match op {
        Op::Const(c) => (*c as u64).wrapping_mul(ONE),
        Op::Var(name) => mix(tag(1).wrapping_add(position(name).map_or(u64::MAX, |p| p as u64))),
        Op::Mul => unordered(2),
        Op::Min => unordered(3),
        Op::Max => unordered(4),
        Op::And => unordered(5),
        Op::Or => unordered(6),
        Op::Eq => equality(7),
        Op::Ne => equality(8),
        Op::BitAnd => unordered(9),
        Op::BitOr => unordered(10),
        Op::BitXor => unordered(11),
        Op::FloorDiv => ordered(12),
        Op::FloorMod => ordered(13),
        // all comparisons are `difference >= 0`, whichever way round they were written
        Op::Lt => nonneg(raw(1).wrapping_sub(raw(0)).wrapping_sub(ONE)),
        Op::Le => nonneg(raw(1).wrapping_sub(raw(0))),
        Op::Gt => nonneg(raw(0).wrapping_sub(raw(1)).wrapping_sub(ONE)),
        Op::Ge => nonneg(raw(0).wrapping_sub(raw(1))),
        Op::Select => ordered(18),
        Op::Shl => ordered(19),
        Op::Shr => ordered(20),
        Op::Not => ordered(21),
        Op::Neg | Op::Add | Op::Sub => ordered(22),
    }
}

struct Collector<'a> {
    e: &'a mut EClasses,
    dag: &'a Dag,
    ranges: &'a [Interval],
    shapes: &'a [Shape],
    position: &'a dyn Fn(&str) -> Option<usize>,
    values: Vec<Option<Rc<Lin>>>,
    /// Terms of shared sums that may still be copied; `None` when there were more.
    copies_left: Option<usize>,
}

impl Collector<'_> {
    fn origin(&self, i: u32) -> Expr {
        self.dag.origin(i).clone()
    }

    fn value(&mut self, i: u32) -> Rc<Lin> {
        if let Some(v) = &self.values[i as usize] {
            return v.clone();
        }
        Rc::new(match self.shapes[i as usize].kind {
            Kind::Constant(c) => Lin::constant(c),
            _ => self.collect(i).unwrap_or_else(|| self.opaque(i)),
        })
    }

    /// Node `i` as it is written: its normal form needs more than 64 bits.
    fn opaque(&mut self, i: u32) -> Lin {
        Lin::atom(self.e.opaque(self.origin(i), self.ranges[i as usize]))
    }

    /// The sum below node `top`, down to operations and shared sums; `None` when it needs more than 64 bits or too
    /// many copies of terms.
    fn collect(&mut self, top: u32) -> Option<Lin> {
        let mut constant: i128 = 0;
        let mut terms = Terms::new();
        let mut todo: Vec<(u32, i128)> = vec![(top, 1)];
        while let Some((i, f)) = todo.pop() {
            let n = &self.dag.nodes()[i as usize];
            let known = if i == top { None } else { self.values[i as usize].as_ref() };
            if let Some(l) = known {
                self.copies_left = self.copies_left.and_then(|left| left.checked_sub(l.len()));
                self.copies_left?;
                constant = f.checked_mul(l.constant as i128).and_then(|c| constant.checked_add(c))?;
                for (c, t) in l.iter() {
                    terms.push((t, f.checked_mul(c as i128)?));
                }
                continue;
            }
            let constant_of = |k: usize| match self.shapes[n.args[k] as usize].kind {
                Kind::Constant(c) => Some(c as i128),
                _ => None,
            };
            if let Kind::Constant(c) = self.shapes[i as usize].kind {
                constant = f.checked_mul(c as i128).and_then(|c| constant.checked_add(c))?;
                continue;
            }
            let scaled = |c: i128| f.checked_mul(c).filter(|p| p.unsigned_abs() < 1 << 100);
            match n.op {
                Op::Add => todo.extend([(n.args[0], f), (n.args[1], f)]),
                Op::Sub => todo.extend([(n.args[0], f), (n.args[1], scaled(-1)?)]),
                Op::Neg => todo.push((n.args[0], scaled(-1)?)),
                Op::Shl => todo.push((n.args[0], scaled(1 << constant_of(1).unwrap_or(0))?)),
                _ => match (constant_of(0), constant_of(1)) {
                    (Some(0), _) | (_, Some(0)) => {}
                    (Some(c), _) => todo.push((n.args[1], scaled(c)?)),
                    (_, Some(c)) => todo.push((n.args[0], scaled(c)?)),
                    // an operation always has its value by now
                    _ => return None,
                },
            }
        }
        Lin::from_terms(i64::try_from(constant).ok()?, terms)
    }

    /// Terms of the sum at node `top` as it is written, `most` of them at most.
    fn own_terms(&self, top: u32, most: usize) -> usize {
        let (mut terms, mut todo) = (0, vec![top]);
        while let Some(i) = todo.pop() {
            if self.shapes[i as usize].kind == Kind::Linear {
                todo.extend(self.dag.nodes()[i as usize].args());
            } else {
                terms += 1;
            }
            if terms + todo.len() >= most {
                return most;
            }
        }
        terms
    }

    /// The class of `operand`, whose value is `arg`.
    fn operand(&mut self, operand: u32, arg: &mut Rc<Lin>) -> Option<Id> {
        if self.e.class_of(arg).is_none() {
            *arg = Rc::new(self.opaque(operand));
        }
        self.e.class_of(arg)
    }

    /// What operation `i` computes; `None` when its normal form needs more than 64 bits.
    fn operation(&mut self, i: u32) -> Result<Option<Lin>, Refused> {
        let dag = self.dag;
        let (op, operands) = meaning(dag.nodes(), &dag.nodes()[i as usize]);
        let op = &*op;
        if let Op::Var(name) = op {
            let p = (self.position)(name).ok_or_else(|| Refused::UnknownVariable(self.origin(i)))?;
            return Ok(Some(Lin::atom(self.e.var(p))));
        }
        if let Op::And | Op::Or = op {
            return Ok(self.junction(i));
        }
        if *op == Op::Mul {
            return Ok(self.product(i));
        }
        let mut operands: SmallVec<[u32; 3]> = operands.into();
        if matches!(op, Op::Min | Op::Max | Op::BitAnd | Op::BitOr | Op::BitXor) {
            // classes are made in an order that does not depend on how the operands were written down
            operands.sort_by_key(|&a| mix(self.shapes[a as usize].hash));
        }
        let mut args: SmallVec<[Rc<Lin>; 3]> = SmallVec::new();
        for &a in &operands {
            args.push(self.value(a));
        }
        // what must be known of an operand before the operation is made
        let last = match op {
            Op::FloorDiv | Op::FloorMod | Op::Shl | Op::Shr => self.operand(operands[1], &mut args[1]),
            _ => None,
        };
        if let (Op::FloorDiv | Op::FloorMod, Some(divisor)) = (op, last) {
            if !self.e.leaves_out_zero(divisor) {
                let range = self.e.facts(divisor).interval;
                return Err(Refused::DivisorMayBeZero(dag.origin(operands[1]).clone(), range));
            }
            // lowering and prices ask what is known of both
            for (&operand, arg) in operands.iter().zip(&args) {
                self.values[operand as usize].get_or_insert_with(|| arg.clone());
            }
        }
        let difference = |x: usize, y: usize, k: i64| args[x].plus(-1, &args[y]).and_then(|l| l.plus_constant(k));
        let e = &mut *self.e;
        let out = match op {
            Op::FloorDiv | Op::FloorMod => {
                let remainder = *op == Op::FloorMod;
                if remainder && args[0].len() > SHORT_SUM {
                    let repeated = args[0].len() - self.own_terms(operands[0], args[0].len());
                    if !self.e.may_repeat(repeated) {
                        return Ok(self.e.remainder_as_it_is(&args[0], &args[1]));
                    }
                }
                let e = &mut *self.e;
                if remainder && EClasses::is_polynomial(&args[1]) {
                    // what is a multiple of the divisor leaves; no rule finds the remainder in a sum of its products
                    let Some(x) = e.expand(&args[0]).map(Cow::into_owned) else { return Ok(None) };
                    let least = e.divide_out(&x, &args[1]).map_or(x, |(_, r)| r);
                    return Ok(e.modulo(&least, &args[1]));
                }
                if !remainder {
                    e.div(&args[0], &args[1])
                } else {
                    // the definition alone: a rule writes remainders where they pay
                    e.div_for_remainder(&args[0], &args[1])
                        .and_then(|q| e.mul(&q, &args[1]))
                        .and_then(|m| args[0].plus(-1, &m))
                }
            }
            Op::Min | Op::Max => {
                let pair = e.class_of(&args[0]).zip(e.class_of(&args[1]));
                pair.map(|(a, b)| Lin::atom(e.extremum(*op == Op::Min, a, b)))
            }
            Op::Lt => difference(1, 0, -1).and_then(|l| e.nonneg(&l)).map(Lin::atom),
            Op::Le => difference(1, 0, 0).and_then(|l| e.nonneg(&l)).map(Lin::atom),
            Op::Gt => difference(0, 1, -1).and_then(|l| e.nonneg(&l)).map(Lin::atom),
            Op::Ge => difference(0, 1, 0).and_then(|l| e.nonneg(&l)).map(Lin::atom),
            Op::Eq => difference(0, 1, 0).and_then(|l| e.zero(&l)).map(Lin::atom),
            Op::Ne => difference(0, 1, 0).and_then(|l| e.zero(&l)).and_then(|z| e.not(z)).map(Lin::atom),
            Op::Not => e.class_of(&args[0]).and_then(|x| e.condition(x)).and_then(|x| e.not(x)).map(Lin::atom),
            Op::Select => {
                let c = e.class_of(&args[0]).and_then(|x| e.condition(x));
                let branches = e.class_of(&args[1]).zip(e.class_of(&args[2]));
                c.zip(branches).map(|(c, (a, b))| Lin::atom(e.select(c, a, b)))
            }
            Op::BitAnd | Op::BitOr | Op::BitXor => e.class_of(&args[0]).zip(e.class_of(&args[1])).map(|(a, b)| {
                let pair = if a <= b { [a, b] } else { [b, a] };
                Lin::atom(e.add(match op {
                    Op::BitAnd => Node::BitAnd(pair),
                    Op::BitOr => Node::BitOr(pair),
                    _ => Node::BitXor(pair),
                }))
            }),
            Op::Shl | Op::Shr => {
                let Some(count) = last else { return Ok(None) };
                let mut range = e.facts(count).interval;
                if !range.within(0, 126) {
                    range = e.closer_range(count, self.ranges[operands[1] as usize]);
                }
                if !range.within(0, 126) {
                    return Err(Refused::ShiftOutOfRange(dag.origin(operands[1]).clone(), range));
                }
                match (range.as_point(), op) {
                    (Some(k), Op::Shr) if k <= 62 => e.div(&args[0], &Lin::constant(1 << k)),
                    (_, op) => e.class_of(&args[0]).map(|x| {
                        Lin::atom(e.add(if *op == Op::Shl { Node::Shl([x, count]) } else { Node::Shr([x, count]) }))
                    }),
                }
            }
            _ => None,
        };
        Ok(out)
    }

    /// A whole chain of `and` (or of `or`) as one n-ary node.
    fn junction(&mut self, top: u32) -> Option<Lin> {
        let and = self.dag.nodes()[top as usize].op == Op::And;
        let mut clauses = Vec::new();
        for i in self.chain(top) {
            let l = self.value(i);
            clauses.push(self.e.class_of(&l).and_then(|x| self.e.truth(x))?);
        }
        clauses.sort_unstable();
        clauses.dedup();
        Some(Lin::atom(self.e.junction(and, &clauses)))
    }

    /// A whole chain of multiplications at once.
    fn product(&mut self, top: u32) -> Option<Lin> {
        let factors: Vec<_> = self.chain(top).into_iter().map(|i| self.value(i)).collect();
        self.e.mul_all(&factors)
    }

    /// The operands of a chain of one commutative operator, in an order that does not depend on how it was written.
    fn chain(&self, top: u32) -> Vec<u32> {
        let op = &self.dag.nodes()[top as usize].op;
        let mut leaves = Vec::new();
        let mut todo = vec![top];
        while let Some(i) = todo.pop() {
            let n = &self.dag.nodes()[i as usize];
            let inner = n.op == *op && self.shapes[i as usize].kind == Kind::Operation;
            if inner && (i == top || self.values[i as usize].is_none()) {
                todo.extend(n.args());
            } else {
                leaves.push(i);
            }
        }
        leaves.sort_by_key(|&i| mix(self.shapes[i as usize].hash));
        leaves
    }
}
