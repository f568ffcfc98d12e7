//! Adds expressions to the e-graph.
//!
//! The input is the roots of a DAG of expressions. The output is their values as linear forms over classes of the
//! e-graph. Terms of sums are collected before any node is made. Operations are added in an order that depends only on
//! structure. They are sorted by depth and then by a hash that ignores the order and grouping of commutative operands.
//! So the e-graph and the answer do not depend on the order in which operands are written.

use crate::domain::{Congruence, Interval, interval_of_op};
use crate::egraph::context::definitions::{closer_range, leaves_out_zero, take_as_nonzero};
use crate::egraph::ingest::shapes::{Kind, Shape, constant_of, meaning, mix, opposite, shapes};
use crate::egraph::language::linear_form::{LinearForm, Terms};
use crate::egraph::language::node::Node;
use crate::egraph::normal::graph::{EGraph, SHORT_SUM};
use crate::expr::{Dag, Expr, Junction, Op};
use crate::rules::operator::Operator;
use egg::Id;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Together, these give the maximum number of terms of shared sums that may be copied into the sums that use them. It
/// is `COPIED_TERMS_PER_NODE` times the number of nodes, plus `MAX_COPIED_TERMS`. An expression that was parsed from
/// text stays below these limits, because its text already repeats such sums. Only an expression that was built with
/// shared parts can exceed them.
const COPIED_TERMS_PER_NODE: usize = 64;
const MAX_COPIED_TERMS: usize = 1 << 18;

/// The reason why an expression cannot be added, with the offending sub-expression.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    UnknownVariable(Expr),
    DivisorMayBeZero(Expr, Interval),
    ShiftOutOfRange(Expr, Interval),
    /// Sums with shared terms would have too many terms.
    TooManyTerms,
}

/// The values of expressions in the e-graph to which they were added.
pub(crate) struct Ingested {
    /// The values of the roots as linear forms.
    pub(crate) roots: Vec<Rc<LinearForm>>,
    /// The values of the nodes that are operations, shared sums or operands of divisions.
    pub(crate) values: Vec<Option<Rc<LinearForm>>>,
}

/// Adds all roots to the e-graph. `ranges` are the ranges of the nodes.
pub(crate) fn ingest(
    e: &mut EGraph,
    dag: &Dag,
    ranges: &[Interval],
    position: &dyn Fn(&str) -> Option<usize>,
    is_defined: bool,
) -> Result<Ingested, Refused> {
    let shapes = shapes(dag, ranges, position);
    let nodes = dag.nodes();
    // nodes that are not added by themselves. The top of a chain of one operator adds the rest of the chain, and a
    // negation adds its comparison in negated form
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
    let vouched = if is_defined { always_used(dag) } else { Vec::new() };
    let values = vec![None; nodes.len()];
    let mut c = Collector { e, dag, ranges, shapes: &shapes, position, is_defined, vouched, values, copies_left };
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

/// The state of adding expressions to the e-graph.
struct Collector<'a> {
    e: &'a mut EGraph,
    dag: &'a Dag,
    ranges: &'a [Interval],
    shapes: &'a [Shape],
    position: &'a dyn Fn(&str) -> Option<usize>,
    /// Whether the caller guarantees that no evaluated division has the divisor 0.
    is_defined: bool,
    /// For each node whether it is evaluated at every point, so that the guarantee covers it. Empty without the
    /// guarantee.
    vouched: Vec<bool>,
    /// The values of the nodes that were added.
    values: Vec<Option<Rc<LinearForm>>>,
    /// The number of terms of shared sums that may still be copied. `None` if the limit was exceeded.
    copies_left: Option<usize>,
}

impl Collector<'_> {
    fn origin(&self, i: u32) -> Expr {
        self.dag.origin(i).clone()
    }

    /// The value of node `i`. The value of an operation was computed before, and the terms of a sum are collected here.
    fn value(&mut self, i: u32) -> Rc<LinearForm> {
        if let Some(v) = &self.values[i as usize] {
            return v.clone();
        }
        Rc::new(match self.shapes[i as usize].kind {
            Kind::Constant(c) => LinearForm::constant(c),
            _ => self.collect(i).unwrap_or_else(|| self.opaque(i)),
        })
    }

    /// Node `i` as an opaque part, because its normal form needs more than 64 bits.
    fn opaque(&mut self, i: u32) -> LinearForm {
        LinearForm::atom(self.e.opaque(self.origin(i), self.ranges[i as usize]))
    }

    /// The sum at node `top`, down to operations and shared sums. `None` if it needs more than 64 bits or too many
    /// copies of terms.
    fn collect(&mut self, top: u32) -> Option<LinearForm> {
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
            let number = |i: u32| constant_of(&self.shapes[i as usize]);
            if let Some(c) = number(i) {
                constant = f.checked_mul(c as i128).and_then(|c| constant.checked_add(c))?;
                continue;
            }
            // operations have their values already, so this is a sum or a product with a number
            for (x, c) in n.addends(number)?.filter(|(_, c)| *c != 0) {
                todo.push((x, f.checked_mul(c.into()).filter(|p| p.unsigned_abs() < 1 << 100)?));
            }
        }
        LinearForm::from_terms(i64::try_from(constant).ok()?, terms)
    }

    /// The number of terms of the sum at node `top` as written, at most `most`.
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
    fn operand(&mut self, operand: u32, arg: &mut Rc<LinearForm>) -> Option<Id> {
        if self.e.class_of(arg).is_none() {
            *arg = Rc::new(self.opaque(operand));
        }
        self.e.class_of(arg)
    }

    /// The value of operation `i`. `None` if its normal form needs more than 64 bits.
    fn operation(&mut self, i: u32) -> Result<Option<LinearForm>, Refused> {
        let dag = self.dag;
        let (op, operands) = meaning(dag.nodes(), &dag.nodes()[i as usize]);
        match (&*op, operands) {
            (Op::Var(name), _) => {
                let position = (self.position)(name).ok_or_else(|| Refused::UnknownVariable(self.origin(i)))?;
                Ok(Some(LinearForm::atom(self.e.var(position))))
            }
            (Op::Mul, _) => Ok(self.product(i)),
            (op @ (Op::And | Op::Or), _) => Ok(Junction::of(op).and_then(|junction| self.junction(i, junction))),
            (op, &[x, divisor]) if op.is_division() => self.division(i, op, x, divisor),
            (op, &[x, count]) if op.is_shift() => self.shift(op, x, count),
            (op, operands) => Ok(self.total_operation(op, operands)),
        }
    }

    /// The value of an operation that is defined for all operands.
    fn total_operation(&mut self, op: &Op, operands: &[u32]) -> Option<LinearForm> {
        let mut operands: SmallVec<[u32; 3]> = operands.into();
        if op.is_associative() {
            // makes the classes in an order that does not depend on the written order of the operands
            operands.sort_by_key(|&a| mix(self.shapes[a as usize].hash));
        }
        let mut args: SmallVec<[Rc<LinearForm>; 3]> = SmallVec::new();
        for &a in &operands {
            args.push(self.value(a));
        }
        let difference = |x: usize, y: usize, k: i64| args[x].plus(-1, &args[y]).and_then(|l| l.plus_constant(k));
        let e = &mut *self.e;
        let id = match op {
            Op::Lt => e.nonneg(&difference(1, 0, -1)?),
            Op::Le => e.nonneg(&difference(1, 0, 0)?),
            Op::Gt => e.nonneg(&difference(0, 1, -1)?),
            Op::Ge => e.nonneg(&difference(0, 1, 0)?),
            Op::Eq => e.zero(&difference(0, 1, 0)?),
            Op::Ne => e.zero(&difference(0, 1, 0)?).and_then(|z| e.not(z)),
            Op::Not => e.class_of(&args[0]).and_then(|x| e.condition(x)).and_then(|x| e.not(x)),
            Op::Select => {
                let condition = e.class_of(&args[0]).and_then(|x| e.condition(x));
                let branches = e.class_of(&args[1]).zip(e.class_of(&args[2]));
                condition.zip(branches).map(|(c, (a, b))| e.select(c, a, b))
            }
            _ => {
                let operator = Operator::of(op)?;
                let (a, b) = e.class_of(&args[0]).zip(e.class_of(&args[1]))?;
                e.commuted(operator, a, b)
            }
        };
        id.map(LinearForm::atom)
    }

    /// `x // divisor` or `x % divisor`, which is node `i`. An error if the divisor may be 0.
    fn division(&mut self, i: u32, op: &Op, x: u32, divisor: u32) -> Result<Option<LinearForm>, Refused> {
        let (numerator, mut by) = (self.value(x), self.value(divisor));
        if let Some(class) = self.operand(divisor, &mut by) {
            if !leaves_out_zero(self.e, class) && !self.leaves_out_zero_as_written(divisor, class) {
                if !self.is_defined {
                    let range = self.e.facts(class).interval;
                    return Err(Refused::DivisorMayBeZero(self.origin(divisor), range));
                }
                if !self.vouched[i as usize] {
                    // the value of the division at other points must not be used here. The branch that uses it is
                    // simplified separately
                    return Ok(Some(self.opaque(i)));
                }
                take_as_nonzero(self.e, class);
            }
            // lowering and prices need the facts of both operands
            for (operand, value) in [(x, &numerator), (divisor, &by)] {
                self.values[operand as usize].get_or_insert_with(|| value.clone());
            }
        }
        Ok(match op {
            Op::FloorDiv => self.e.div(&numerator, &by),
            Op::TruncDiv => self.e.trunc_div(&numerator, &by),
            Op::TruncMod => self.truncated_remainder(x, &numerator, &by),
            _ => self.remainder(x, &numerator, &by),
        })
    }

    /// Whether the written form of `top`, whose class is `class`, shows that it is never 0. For example, a product is
    /// not 0 if no factor is 0, and a selection is not 0 if no branch is 0. This can prove more than the normal form of
    /// a product, which is a sum.
    fn leaves_out_zero_as_written(&mut self, top: u32, class: Id) -> bool {
        let nodes = self.dag.nodes();
        // the operands of node `i`. If all of them are nonzero, node `i` is nonzero. Empty for a node that is checked
        // directly
        let parts = |i: u32| match (&nodes[i as usize].op, nodes[i as usize].args()) {
            (Op::Mul | Op::Min | Op::Max | Op::Neg, args) => args,
            (Op::Shl, args) => &args[..1],
            (Op::Select, args) => &args[1..],
            _ => &[],
        };
        let (mut found, mut todo) = (FxHashMap::default(), vec![top]);
        while let Some(i) = todo.pop() {
            if found.insert(i, self.ranges[i as usize]).is_none() {
                todo.extend(parts(i));
            }
        }
        let mut order: Vec<u32> = found.keys().copied().collect();
        // operands come before their users
        order.sort_unstable();
        for i in order {
            let mut range = self.ranges[i as usize];
            if parts(i).is_empty() {
                let value = self.value(i);
                let Some(class) = self.e.class_of(&value) else { return false };
                if range.contains(0) && !leaves_out_zero(self.e, class) {
                    return false;
                }
                range = range.meet(self.e.facts(class).interval).unwrap_or(range);
            } else {
                let node = &nodes[i as usize];
                let operand = |a: &u32| found.get(a).copied().unwrap_or(self.ranges[*a as usize]);
                let operands: SmallVec<[Interval; 3]> = node.args().iter().map(operand).collect();
                range = range.meet(interval_of_op(&node.op, &operands)).unwrap_or(range);
            }
            found.insert(i, range);
        }
        if let Some(range) = found.get(&top).filter(|range| !range.contains(0)) {
            self.e.sharpen(class, *range, Congruence::ANY);
        }
        true
    }

    /// `x % by`, where `x` is the value of `node`. The result is the definition `x - by*(x//by)`, because a rule
    /// introduces a remainder if that is cheaper.
    fn remainder(&mut self, node: u32, x: &LinearForm, by: &LinearForm) -> Option<LinearForm> {
        if x.len() > SHORT_SUM {
            let repeated = x.len() - self.own_terms(node, x.len());
            if !self.e.may_repeat(repeated) {
                return self.e.remainder_as_it_is(x, by);
            }
        }
        let divisor = self.e.canonical_deep(by)?.into_owned();
        if EGraph::is_polynomial(&divisor) {
            // the multiple of the divisor is dropped here, because no rule finds the remainder in a sum of products
            let x = self.e.canonical_deep(x)?.into_owned();
            let least = self.e.divide_out(&x, &divisor).map_or(x, |(_, r)| r);
            return self.e.modulo(&least, by);
        }
        let quotient = self.e.div_for_remainder(x, by)?;
        x.plus(-1, &self.e.mul(&quotient, by)?)
    }

    /// `truncmod(x, by)`, where `x` is the value of `node`.
    fn truncated_remainder(&mut self, node: u32, x: &LinearForm, by: &LinearForm) -> Option<LinearForm> {
        let oriented = self.e.oriented(x, by)?;
        if oriented.is_floor && !oriented.rounds_up() {
            // the remainder has the sign of the numerator
            return self.remainder(node, &oriented.numerator, &oriented.divisor)?.scaled(oriented.signs.numerator);
        }
        let quotient = self.e.trunc_div(x, by)?;
        x.plus(-1, &self.e.mul(&quotient, by)?)
    }

    /// `x << count` or `x >> count`. An error if the count may be outside of 0..=126.
    fn shift(&mut self, op: &Op, x: u32, count: u32) -> Result<Option<LinearForm>, Refused> {
        let (value, mut by) = (self.value(x), self.value(count));
        let Some(class) = self.operand(count, &mut by) else { return Ok(None) };
        let e = &mut *self.e;
        let mut range = e.facts(class).interval;
        if !range.within(0, 126) {
            range = closer_range(e, class, self.ranges[count as usize]);
        }
        if !range.within(0, 126) {
            return Err(Refused::ShiftOutOfRange(self.origin(count), range));
        }
        if let (Op::Shr, Some(k @ ..=62)) = (op, range.as_point()) {
            return Ok(e.div(&value, &LinearForm::constant(1 << k)));
        }
        let node = e.class_of(&value).and_then(|x| Node::pair(Operator::of(op)?, [x, class]));
        Ok(node.map(|node| LinearForm::atom(e.add(node))))
    }

    /// A whole chain of `and` (or of `or`) as one n-ary node.
    fn junction(&mut self, top: u32, junction: Junction) -> Option<LinearForm> {
        let mut clauses = Vec::new();
        for i in self.chain(top) {
            let l = self.value(i);
            clauses.push(self.e.class_of(&l).and_then(|x| self.e.truth(x))?);
        }
        clauses.sort_unstable();
        clauses.dedup();
        Some(LinearForm::atom(self.e.junction(junction, &clauses)))
    }

    /// A whole chain of multiplications at once.
    fn product(&mut self, top: u32) -> Option<LinearForm> {
        let factors: Vec<_> = self.chain(top).into_iter().map(|i| self.value(i)).collect();
        self.e.mul_all(&factors)
    }

    /// The operands of a chain of one commutative operator, in an order that does not depend on how the chain was
    /// written.
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

/// The nodes that every evaluation uses. Such a node is in no branch of a selection. In a junction, it is in the first
/// clause, because that clause may decide the result.
fn always_used(dag: &Dag) -> Vec<bool> {
    let mut used = vec![false; dag.nodes().len()];
    let mut todo: Vec<u32> = dag.roots().to_vec();
    while let Some(i) = todo.pop() {
        if std::mem::replace(&mut used[i as usize], true) {
            continue;
        }
        let node = &dag.nodes()[i as usize];
        let strict = if node.op.is_lazy() { 1 } else { node.args().len() };
        todo.extend(&node.args()[..strict]);
    }
    used
}
