//! The price of whole expressions.

use super::fused::{cleared_bits, clears_bits, left_of_constant, may_fuse, quotient_of_sum};
use super::loop_nest::{PartialSum, executed};
use super::shared_subsums::{Addends, saved};
use super::sums::{Nodes, Sums};
use super::{Cost, CostModel, Operation};
use crate::domain::Interval;
use crate::expr::{Dag, DagNode, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// The price of all roots of `dag` together. Sums are flattened, and every shared value is paid once.
///
/// `ranges` are the ranges of the nodes, in order ([`crate::domain::intervals_of`] or tighter). A node without a range
/// may have any value. The time is linear in the size of the DAG. A shared sum is flattened into each of its users, up
/// to a limit of steps. After that limit, shared sums are priced as values of their own.
pub fn price(dag: &Dag, ranges: &[Interval], model: &dyn CostModel) -> Cost {
    price_in_loops(dag, ranges, model, Vec::new())
}

/// The price of all roots of `dag` together, with the price of each node multiplied by how often the node is executed.
/// `times` has this number for every node. The number is 0 for a value that is known at compile time. `times` is empty
/// if each node is executed once. A constant that each copy of an unrolled loop adds costs nothing as a term of a root
/// of `dag`, because it becomes the offset of an address.
pub(crate) fn price_in_loops(dag: &Dag, ranges: &[Interval], model: &dyn CostModel, times: Vec<u64>) -> Cost {
    let nodes = dag.nodes();
    let completed: Vec<Interval>;
    let ranges = if ranges.len() >= nodes.len() {
        ranges
    } else {
        let missing = std::iter::repeat_n(Interval::ALL, nodes.len() - ranges.len());
        completed = ranges.iter().copied().chain(missing).collect();
        &completed
    };
    Pricing::new(nodes, ranges, model, times).all(dag.roots())
}

/// Like [`price_in_loops`], but for a whole kernel, in which sums share their common parts. A compiler shares such
/// parts when it compiles the whole kernel.
pub(crate) fn price_of_kernel(dag: &Dag, ranges: &[Interval], model: &dyn CostModel, times: Vec<u64>) -> Cost {
    Pricing { paid: Some(Vec::new()), ..Pricing::new(dag.nodes(), ranges, model, times) }.all(dag.roots())
}

/// The state while nodes are priced from the roots down. A node is *paid* when its price is added to the total, which
/// happens once.
struct Pricing<'a> {
    nodes: Nodes<'a>,
    model: &'a dyn CostModel,
    /// How often each node is executed. Empty if each is executed once.
    times: Vec<u64>,
    /// The number of each partial sum that is already paid. Its terms and its constant are the key. Empty if there are
    /// no loops.
    parts: FxHashMap<(Vec<(u32, i128)>, i128), u32>,
    is_root: Vec<bool>,
    sums: Sums<'a>,
    total: Cost,
    todo: Vec<u32>,
    /// The remainders. They are priced last, because a remainder whose quotient is already paid costs less.
    remainders: Vec<u32>,
    has_remainders: bool,
    has_quotients: bool,
    /// The operands of the quotients that are paid, and whether each truncates. Empty if there are no remainders.
    quotients: FxHashSet<(bool, [u32; 2])>,
    /// Numbers that are compared with 0 because they are conditions.
    tested: FxHashSet<u32>,
    /// Truth values that are converted to numbers.
    numbers: FxHashSet<u32>,
    /// The sums that are paid, if sums may share their common parts.
    paid: Option<Vec<Addends>>,
    /// Nodes that are priced or in `todo`.
    seen: Vec<bool>,
    /// Sums with terms `±2^k * (x // 2^k)`, which clear low bits of `x`. They are priced when all other users of the
    /// quotients in them are known.
    clearing: Vec<ClearingSum>,
    /// Quotients in terms that clear bits, in the order in which they are found.
    cleared: Vec<u32>,
    /// Quotients whose only users are terms that clear bits.
    only_cleared: FxHashSet<u32>,
    /// Quotients of sums. A machine may compute such a quotient in one instruction with its sum.
    of_sums: Vec<QuotientOfSum>,
}

/// A sum with terms `±2^k * (x // 2^k)`.
struct ClearingSum {
    node: u32,
    terms: Vec<(u32, i128)>,
    constant: i128,
}

/// A quotient that may be fused with its numerator, which is a sum.
struct QuotientOfSum {
    node: u32,
    numerator: u32,
    /// The price of the quotient and its numerator together.
    fused: Cost,
}

impl<'a> Pricing<'a> {
    fn new(nodes: &'a [DagNode], ranges: &'a [Interval], model: &'a dyn CostModel, times: Vec<u64>) -> Pricing<'a> {
        let nodes = Nodes { nodes, ranges };
        let (mut has_remainders, mut has_quotients) = (false, false);
        for node in nodes.nodes {
            has_remainders |= matches!(node.op, Op::FloorMod | Op::TruncMod);
            has_quotients |= node.op == Op::FloorDiv;
        }
        Pricing {
            nodes,
            model,
            times,
            parts: FxHashMap::default(),
            is_root: Vec::new(),
            sums: Sums::new(nodes),
            total: Cost::ZERO,
            todo: Vec::new(),
            remainders: Vec::new(),
            has_remainders,
            has_quotients,
            quotients: FxHashSet::default(),
            tested: FxHashSet::default(),
            numbers: FxHashSet::default(),
            paid: None,
            seen: vec![false; nodes.nodes.len()],
            clearing: Vec::new(),
            cleared: Vec::new(),
            only_cleared: FxHashSet::default(),
            of_sums: Vec::new(),
        }
    }

    fn all(mut self, roots: &[u32]) -> Cost {
        if !self.times.is_empty() {
            self.is_root = vec![false; self.seen.len()];
            roots.iter().for_each(|&r| self.is_root[r as usize] = true);
        }
        self.todo.extend(roots);
        self.visit();
        if !self.clearing.is_empty() {
            self.pay_cleared();
        }
        if !self.of_sums.is_empty() {
            self.pay_quotients_of_sums();
        }
        for i in std::mem::take(&mut self.remainders) {
            let [a, b, ..] = self.nodes.node(i).args;
            let (numerator, divisor) = (self.nodes.range(a), self.nodes.range(b));
            let truncates = self.nodes.node(i).op.is_truncation();
            let quotient = self.quotients.contains(&(truncates, [a, b]));
            let remainder = match truncates {
                true => Operation::TruncMod { numerator, divisor, quotient },
                false => Operation::Mod { numerator, divisor, quotient },
            };
            self.pay(i, &remainder);
        }
        let saved = self.paid.map_or(Cost::ZERO, |sums| saved(self.model, sums));
        Cost::from_tenths(self.total.tenths().saturating_sub(saved.tenths()))
    }

    /// Pays for all nodes in `todo`, and for their operands.
    fn visit(&mut self) {
        while let Some(i) = self.todo.pop() {
            if std::mem::replace(&mut self.seen[i as usize], true) {
                if !self.only_cleared.is_empty() && self.only_cleared.remove(&i) {
                    self.node(i);
                }
            } else if self.nodes.range(i).as_point().is_none() {
                self.test_conditions(i);
                self.node(i);
            }
        }
    }

    /// Pays for terms that clear bits, and for the sums that contain them. If the quotient in such a term has another
    /// user, the term is not fused: the quotient is computed and multiplied.
    fn pay_cleared(&mut self) {
        let mut met = 0;
        while let Some(&q) = self.cleared.get(met) {
            met += 1;
            if !std::mem::replace(&mut self.seen[q as usize], true) {
                self.only_cleared.insert(q);
                self.todo.push(self.nodes.node(q).args[0]);
                self.visit();
            }
        }
        let mut paid = FxHashSet::default();
        for q in std::mem::take(&mut self.cleared) {
            if !self.only_cleared.contains(&q) || !paid.insert(q) {
                continue;
            }
            let price = cleared_bits(self.model, self.nodes.range(self.nodes.node(q).args[0]));
            self.add(q, price.unwrap_or(Cost::ZERO));
        }
        for sum in std::mem::take(&mut self.clearing) {
            self.pay_clearing(sum);
        }
    }

    /// How often node `i` is executed.
    fn times(&self, i: u32) -> u64 {
        self.times.get(i as usize).copied().unwrap_or(1)
    }

    /// Adds a price, multiplied by how often node `i` is executed.
    fn add(&mut self, i: u32, price: Cost) {
        self.total += if self.times.is_empty() { price } else { executed(price, self.times(i)) };
    }

    /// Pays for an operation, multiplied by how often node `i` is executed.
    fn pay(&mut self, i: u32, operation: &Operation) {
        self.add(i, self.model.price(operation));
    }

    /// Pays for the sum at node `i`, and adds its terms to `todo`.
    fn pay_sum(&mut self, i: u32) {
        let (constant, wide) = self.sums.collect(i);
        self.make_terms_numbers();
        if !wide && self.has_quotients && self.sums.terms().iter().any(|t| self.clears_bits(*t)) {
            let terms: Vec<(u32, i128)> = self.sums.take_terms().collect();
            for &(t, c) in &terms {
                if self.clears_bits((t, c)) { self.cleared.push(t) } else { self.todo.push(t) }
            }
            self.clearing.push(ClearingSum { node: i, terms, constant });
        } else if self.times.is_empty() {
            if let Some(paid) = self.paid.as_mut().filter(|_| !wide) {
                let terms = self.sums.terms().iter().filter(|t| t.1 != 0).copied().collect();
                paid.push(Addends { times: 1, terms, constant });
            }
            let sum = self.sums.operation(constant, wide, &mut self.todo);
            self.pay(i, &sum);
        } else {
            let terms: Vec<(u32, i128)> = self.sums.take_terms().collect();
            self.todo.extend(terms.iter().map(|t| t.0));
            self.pay_parts(i, terms, constant, wide);
        }
    }

    /// Pays for the conversion of truth values among the terms of the collected sum.
    fn make_terms_numbers(&mut self) {
        let terms = self.sums.terms().iter().filter(|(t, c)| *c != 0 && self.nodes.node(*t).op.is_truth());
        let truths: Vec<u32> = terms.map(|t| t.0).collect();
        truths.into_iter().for_each(|t| self.make_number(t));
    }

    /// Pays once for the conversion of a truth value to a number.
    fn make_number(&mut self, truth: u32) {
        if self.numbers.insert(truth) {
            self.pay(truth, &Operation::Number);
        }
    }

    /// Whether a term of a sum is a number with its low bits cleared.
    fn clears_bits(&self, (t, coefficient): (u32, i128)) -> bool {
        if !coefficient.unsigned_abs().is_power_of_two() {
            return false;
        }
        let node = self.nodes.node(t);
        let divisor = || self.nodes.range(node.args[1]).as_point();
        node.op == Op::FloorDiv
            && divisor().is_some_and(|d| clears_bits(coefficient, d))
            && cleared_bits(self.model, self.nodes.range(node.args[0])).is_some()
    }

    /// Pays for a sum. A term that clears bits counts as a plain term if its quotient has no other user.
    fn pay_clearing(&mut self, sum: ClearingSum) {
        let ClearingSum { node, terms, constant } = sum;
        let is_plain = |t: &(u32, i128)| self.only_cleared.contains(&t.0) && self.clears_bits(*t);
        let clearing = terms.iter().filter(|t| is_plain(t)).map(|t| t.1);
        let constant = left_of_constant(clearing, constant);
        let priced = |t: (u32, i128)| if is_plain(&t) { (t.0, t.1.signum()) } else { t };
        let terms: Vec<(u32, i128)> = terms.into_iter().map(priced).collect();
        if !self.times.is_empty() {
            return self.pay_parts(node, terms, constant, false);
        }
        let products = terms.iter().filter(|t| !matches!(t.1, 1 | -1)).count();
        let negation = constant == 0 && matches!(terms[..], [(_, -1)]);
        let plain = terms.len() - products + usize::from(constant != 0 || negation);
        let [products, plain] = [products, plain].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
        if let Some(paid) = &mut self.paid {
            paid.push(Addends { times: 1, terms, constant });
        }
        self.pay(node, &Operation::Sum { products, plain, wide: false });
    }

    /// Pays for the partial sums of a sum, except those that an earlier sum has paid.
    fn pay_parts(&mut self, i: u32, terms: Vec<(u32, i128)>, constant: i128, wide: bool) {
        let terms = terms.into_iter().map(|(t, c)| (self.times(t), t, c)).collect();
        let (mut so_far, mut before) = (Vec::new(), None);
        for part in PartialSum::parts(terms, constant, self.is_root[i as usize]) {
            so_far.extend(&part.terms);
            // partial sums are numbered after the nodes
            let next = self.nodes.nodes.len() + self.parts.len();
            let (number, is_new) = match self.parts.entry((so_far.clone(), constant)) {
                Entry::Occupied(known) => (*known.get(), false),
                Entry::Vacant(new) => (*new.insert(u32::try_from(next).unwrap_or(u32::MAX)), true),
            };
            if part.has_offset || is_new {
                if let Some(paid) = self.paid.as_mut().filter(|_| !wide) {
                    let terms = part.terms.iter().copied().chain(before).collect();
                    paid.push(Addends { times: part.times, terms, constant: part.constant });
                }
                let hoists = |t: u32| {
                    let node = self.nodes.node(t);
                    node.op == Op::Mul && node.args().iter().any(|&a| self.times(a) < part.times)
                };
                self.total += part.price(self.model, wide, hoists);
            }
            // a single term with the coefficient 1 or -1 needs no partial sum
            before = Some(match part.terms[..] {
                [(t, c @ (1 | -1))] if part.constant == 0 && before.is_none() => (t, c),
                _ => (number, 1),
            });
        }
    }

    /// Records a quotient that may be fused with its numerator, and adds the terms of the numerator to `todo`. Returns
    /// whether the quotient may be fused.
    fn quotient_of_sum(&mut self, i: u32) -> bool {
        let [a, b, ..] = self.nodes.node(i).args;
        let Some(divisor) = self.nodes.range(b).as_point().filter(|_| self.nodes.is_linear(a)) else { return false };
        let Some((constant, terms)) = self.numerator(a) else { return false };
        let with_ranges: Vec<(i64, Interval)> = terms.iter().map(|&(t, c)| (c, self.nodes.range(t))).collect();
        let fused = quotient_of_sum(self.model, &with_ranges, constant, self.nodes.range(a), divisor);
        let Some(fused) = fused else { return false };
        self.todo.extend(terms.iter().map(|t| t.0));
        self.of_sums.push(QuotientOfSum { node: i, numerator: a, fused });
        true
    }

    /// The constant and the terms of a sum that may be fused with a quotient. `None` if a term clears bits, or if some
    /// terms are computed more often than others.
    fn numerator(&mut self, a: u32) -> Option<(i64, Vec<(u32, i64)>)> {
        let (constant, wide) = self.sums.collect(a);
        let terms: Vec<(u32, i128)> = self.sums.take_terms().collect();
        let times = terms.first().map(|t| self.times(t.0))?;
        if wide || terms.iter().any(|&t| self.clears_bits(t) || self.times(t.0) != times) {
            return None;
        }
        let terms = terms.into_iter().map(|(t, c)| Some((t, i64::try_from(c).ok()?))).collect::<Option<_>>()?;
        Some((i64::try_from(constant).ok()?, terms))
    }

    /// Pays for quotients, fused with their numerators or not. A numerator is computed separately if it has another
    /// user or if that costs less.
    fn pay_quotients_of_sums(&mut self) {
        let mut quotients = std::mem::take(&mut self.of_sums);
        quotients.sort_by_key(|q| q.numerator);
        for group in quotients.chunk_by(|a, b| a.numerator == b.numerator) {
            let a = group[0].numerator;
            let apart = |q: &QuotientOfSum| {
                let divisor = self.nodes.range(self.nodes.node(q.node).args[1]);
                self.model.price(&Operation::Div { numerator: self.nodes.range(a), divisor })
            };
            let apart: Vec<Cost> = group.iter().map(apart).collect();
            let least: Vec<Cost> = group.iter().zip(&apart).map(|(q, apart)| q.fused.min(*apart)).collect();
            let is_there = self.seen[a as usize];
            let sum = |costs: &mut dyn Iterator<Item = Cost>| costs.fold(Cost::ZERO, |a, b| a + b);
            let fused = sum(&mut group.iter().map(|q| q.fused));
            let computes = !is_there && {
                let (constant, wide) = self.sums.collect(a);
                let numerator = self.sums.operation(constant, wide, &mut self.todo);
                self.model.price(&numerator) + sum(&mut least.iter().copied()) < fused
            };
            let costs = if is_there || computes { least } else { group.iter().map(|q| q.fused).collect() };
            if computes {
                self.todo.push(a);
            }
            for (q, cost) in group.iter().zip(costs) {
                self.add(q.node, cost);
            }
            self.visit();
        }
    }

    /// Pays for a node, and adds its operands to `todo`.
    fn node(&mut self, i: u32) {
        let nodes = self.nodes;
        let n = nodes.node(i);
        let wide = n.args().iter().any(|&a| nodes.is_wide(a));
        let operation = match n.op {
            Op::Const(_) | Op::Var(_) => return,
            _ if nodes.is_linear(i) => {
                return self.pay_sum(i);
            }
            Op::FloorMod | Op::TruncMod => {
                self.remainders.push(i);
                return self.todo.extend(n.args());
            }
            // sums were handled above, so this is a product of two unknowns
            Op::Add | Op::Sub | Op::Neg | Op::Mul => Operation::Product { factors: 2, wide: nodes.is_wide(i) },
            Op::FloorDiv => {
                let [a, b, ..] = n.args;
                if self.has_remainders {
                    self.quotients.insert((false, [a, b]));
                }
                let quotient = Operation::Div { numerator: nodes.range(a), divisor: nodes.range(b) };
                let price = self.model.price(&quotient);
                if !may_fuse(price) || !self.quotient_of_sum(i) {
                    self.add(i, price);
                    self.todo.extend(n.args());
                }
                return;
            }
            Op::TruncDiv => {
                let [a, b, ..] = n.args;
                if self.has_remainders {
                    self.quotients.insert((true, [a, b]));
                }
                Operation::TruncDiv { numerator: nodes.range(a), divisor: nodes.range(b) }
            }
            // the sides of a comparison are values of their own, because several comparisons may share them
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => {
                // a truth value may be compared with a constant without a conversion to a number
                if n.args().iter().all(|&a| nodes.range(a).as_point().is_none()) {
                    let truths = n.args().iter().filter(|&&a| nodes.node(a).op.is_truth());
                    truths.for_each(|&a| self.make_number(a));
                }
                Operation::Compare { wide }
            }
            Op::And | Op::Or | Op::Not => Operation::Logic,
            Op::Select => Operation::Select { wide: nodes.is_wide(i) },
            Op::Min | Op::Max => Operation::Extremum { wide },
            Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr => Operation::Bits { wide },
        };
        self.pay(i, &operation);
        self.todo.extend(n.args());
    }

    /// Pays for comparisons with 0 of those operands of `i` that are numbers used as conditions. A number in 0..1 that
    /// is no truth value is compared as well.
    fn test_conditions(&mut self, i: u32) {
        let n = self.nodes.node(i);
        let conditions = match n.op {
            Op::And | Op::Or | Op::Not => n.args(),
            Op::Select => &n.args()[..1],
            _ => return,
        };
        for &c in conditions {
            // a number that is never 0 needs no comparison
            if !self.nodes.node(c).op.is_truth() && self.nodes.range(c).contains(0) && self.tested.insert(c) {
                self.pay(c, &Operation::Compare { wide: self.nodes.is_wide(c) });
            }
        }
    }
}
