//! The price of whole expressions.

use super::times::{PartialSum, executed};
use super::{Cost, CostModel, Operation};
use crate::domain::Interval;
use crate::expr::{Dag, DagNode, Op};
use rustc_hash::FxHashSet;

/// Where a sum's coefficients leave 64 bits, the sum is priced as this many wide products.
const UNREPRESENTABLE: u32 = 4;

/// Steps that flattening sums may take, so many for each node and so many besides: those of a tree are its nodes.
const MAX_STEPS_PER_NODE: usize = 16;
const MAX_STEPS: usize = 4096;

/// The price of all roots of `dag` together: sums flattened, every shared value once.
///
/// `ranges` are those of the nodes, in order ([`crate::domain::intervals_of`] or tighter); a node without one may be
/// anything. Linear in the size of the DAG: a shared sum is flattened into each of its users, until that takes too many
/// steps; from then on, shared sums are priced as values of their own.
pub fn price(dag: &Dag, ranges: &[Interval], model: &dyn CostModel) -> Cost {
    price_in_loops(dag, ranges, model, Vec::new())
}

/// The price of all roots of `dag` together, each node as often as it is executed: `times`, empty where that is once, says so of every
/// node, 0 of what is known when the code is compiled. Such a constant of an unrolled copy is added for nothing where it is a term of a
/// root, as the offset of an address is.
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

/// Nodes with their ranges.
#[derive(Clone, Copy)]
struct Nodes<'a> {
    nodes: &'a [DagNode],
    ranges: &'a [Interval],
}

impl<'a> Nodes<'a> {
    fn node(self, i: u32) -> &'a DagNode {
        &self.nodes[i as usize]
    }

    fn range(self, i: u32) -> Interval {
        self.ranges[i as usize]
    }

    fn is_wide(self, i: u32) -> bool {
        !self.range(i).within(i32::MIN as i128, i32::MAX as i128)
    }

    /// Whether a node is a sum, a negation, or a product with a number.
    fn is_linear(self, i: u32) -> bool {
        let n = self.node(i);
        match n.op {
            Op::Add | Op::Sub | Op::Neg => true,
            Op::Mul => n.args().iter().any(|&a| self.range(a).as_point().is_some()),
            _ => false,
        }
    }

    /// Which nodes are operands more than once.
    fn shared(self) -> Vec<bool> {
        let (mut used, mut shared) = (vec![false; self.nodes.len()], vec![false; self.nodes.len()]);
        for &a in self.nodes.iter().flat_map(|n| n.args()) {
            shared[a as usize] |= std::mem::replace(&mut used[a as usize], true);
        }
        shared
    }
}

/// Prices nodes from the roots down, each once.
struct Pricing<'a> {
    nodes: Nodes<'a>,
    model: &'a dyn CostModel,
    /// How often each node is executed; empty where that is once.
    times: Vec<u64>,
    /// Parts of sums that are paid for, by their terms and their constant; empty where there are no loops.
    parts: FxHashSet<(Vec<(u32, i128)>, i128)>,
    is_root: Vec<bool>,
    sums: Sums<'a>,
    total: Cost,
    todo: Vec<u32>,
    /// Remainders are priced last: those beside a quotient that is paid for are cheaper.
    remainders: Vec<u32>,
    has_remainders: bool,
    /// Operands of the quotients that are paid for; empty where there are no remainders.
    quotients: FxHashSet<[u32; 2]>,
    /// Numbers that are tested for not being 0.
    tested: FxHashSet<u32>,
}

impl<'a> Pricing<'a> {
    fn new(nodes: &'a [DagNode], ranges: &'a [Interval], model: &'a dyn CostModel, times: Vec<u64>) -> Pricing<'a> {
        let nodes = Nodes { nodes, ranges };
        Pricing {
            nodes,
            model,
            times,
            parts: FxHashSet::default(),
            is_root: Vec::new(),
            sums: Sums::new(nodes),
            total: Cost::ZERO,
            todo: Vec::new(),
            remainders: Vec::new(),
            has_remainders: nodes.nodes.iter().any(|n| n.op == Op::FloorMod),
            quotients: FxHashSet::default(),
            tested: FxHashSet::default(),
        }
    }

    fn all(mut self, roots: &[u32]) -> Cost {
        let mut seen = vec![false; self.nodes.nodes.len()];
        if !self.times.is_empty() {
            self.is_root = vec![false; seen.len()];
            roots.iter().for_each(|&r| self.is_root[r as usize] = true);
        }
        self.todo.extend(roots);
        while let Some(i) = self.todo.pop() {
            if std::mem::replace(&mut seen[i as usize], true) || self.nodes.range(i).as_point().is_some() {
                continue;
            }
            self.test_conditions(i);
            self.node(i);
        }
        for i in std::mem::take(&mut self.remainders) {
            let [a, b, ..] = self.nodes.node(i).args;
            let (numerator, divisor) = (self.nodes.range(a), self.nodes.range(b));
            let quotient = self.quotients.contains(&[a, b]);
            self.pay(i, &Operation::Mod { numerator, divisor, quotient });
        }
        self.total
    }

    /// How often node `i` is executed.
    fn times(&self, i: u32) -> u64 {
        self.times.get(i as usize).copied().unwrap_or(1)
    }

    /// Pays for an operation as often as node `i` is executed.
    fn pay(&mut self, i: u32, operation: &Operation) {
        let price = self.model.price(operation);
        self.total += if self.times.is_empty() { price } else { executed(price, self.times(i)) };
    }

    /// Pays for the parts of the sum that node `i` is, those that are not paid for, and leaves its terms to be done.
    fn pay_parts(&mut self, i: u32) {
        let (constant, wide) = self.sums.collect(i);
        let terms: Vec<(u32, i128)> = self.sums.take_terms().collect();
        self.todo.extend(terms.iter().map(|t| t.0));
        let terms = terms.into_iter().map(|(t, c)| (self.times(t), t, c)).collect();
        let mut so_far = Vec::new();
        for part in PartialSum::parts(terms, constant, self.is_root[i as usize]) {
            so_far.extend(&part.terms);
            if part.has_offset || self.parts.insert((so_far.clone(), constant)) {
                let hoists = |t: u32| {
                    let node = self.nodes.node(t);
                    node.op == Op::Mul && node.args().iter().any(|&a| self.times(a) < part.times)
                };
                self.total += part.price(self.model, wide, hoists);
            }
        }
    }

    /// Pays for a node, and leaves its operands to be done.
    fn node(&mut self, i: u32) {
        let nodes = self.nodes;
        let n = nodes.node(i);
        let wide = n.args().iter().any(|&a| nodes.is_wide(a));
        let operation = match n.op {
            Op::Const(_) | Op::Var(_) => return,
            _ if nodes.is_linear(i) => {
                if !self.times.is_empty() {
                    return self.pay_parts(i);
                }
                let sum = self.sums.flatten(i, &mut self.todo);
                return self.pay(i, &sum);
            }
            Op::FloorMod => {
                self.remainders.push(i);
                return self.todo.extend(n.args());
            }
            // sums have been dealt with: a product of two unknowns is left
            Op::Add | Op::Sub | Op::Neg | Op::Mul => Operation::Product { factors: 2, wide: nodes.is_wide(i) },
            Op::FloorDiv => {
                let [a, b, ..] = n.args;
                if self.has_remainders {
                    self.quotients.insert([a, b]);
                }
                Operation::Div { numerator: nodes.range(a), divisor: nodes.range(b) }
            }
            // the sides are values of their own: several comparisons share them
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => Operation::Compare { products: 0, plain: 0, wide },
            Op::And | Op::Or | Op::Not => Operation::Logic,
            Op::Select => Operation::Select { wide: nodes.is_wide(i) },
            Op::Min | Op::Max => Operation::Extremum { wide },
            Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr => Operation::Bits { wide },
        };
        self.pay(i, &operation);
        self.todo.extend(n.args());
    }

    /// Pays for comparing with 0 the operands of `i` that are conditions and may be other numbers than 0 and 1.
    fn test_conditions(&mut self, i: u32) {
        let n = self.nodes.node(i);
        let conditions = match n.op {
            Op::And | Op::Or | Op::Not => n.args(),
            Op::Select => &n.args()[..1],
            _ => return,
        };
        for &c in conditions {
            let range = self.nodes.range(c);
            // one that is never 0 is no test
            if !range.within(0, 1) && range.contains(0) && self.tested.insert(c) {
                self.pay(c, &Operation::Compare { products: 0, plain: 0, wide: self.nodes.is_wide(c) });
            }
        }
    }
}

/// Flattens sums; what it needs for that is kept from one to the next.
struct Sums<'a> {
    nodes: Nodes<'a>,
    /// Of each node, where it stands in `terms`; [`Sums::NONE`] where it does not.
    places: Vec<u32>,
    /// The terms of the sum with their coefficients.
    terms: Vec<(u32, i128)>,
    stack: Vec<(u32, i128)>,
    /// Steps until shared sums are values of their own.
    steps: usize,
    /// Which nodes have several users; found when it is needed.
    shared: Vec<bool>,
}

impl<'a> Sums<'a> {
    const NONE: u32 = u32::MAX;

    fn new(nodes: Nodes<'a>) -> Sums<'a> {
        let count = nodes.nodes.len();
        Sums {
            nodes,
            places: vec![Sums::NONE; count],
            terms: Vec::with_capacity(16),
            stack: Vec::with_capacity(16),
            steps: MAX_STEPS_PER_NODE.saturating_mul(count).saturating_add(MAX_STEPS),
            shared: Vec::new(),
        }
    }

    /// The sum that a node is; its terms are left to be done.
    fn flatten(&mut self, top: u32, todo: &mut Vec<u32>) -> Operation {
        let (constant, wide) = self.collect(top);
        // what is negated is an instruction of its own where it is no part of another sum
        let negation = constant == 0 && matches!(self.terms[..], [(_, -1)]);
        let (mut products, mut plain) = (0, u32::from(constant != 0 || negation));
        for (i, c) in self.take_terms() {
            match c {
                1 | -1 => plain += 1,
                c => products += if i64::try_from(c).is_ok() { 1 } else { UNREPRESENTABLE },
            }
            todo.push(i);
        }
        Operation::Sum { products, plain, wide }
    }

    /// The terms that were collected, with coefficients that are not 0.
    fn take_terms(&mut self) -> impl Iterator<Item = (u32, i128)> + '_ {
        let places = &mut self.places;
        self.terms.drain(..).inspect(|(i, _)| places[*i as usize] = Sums::NONE).filter(|(_, c)| *c != 0)
    }

    /// Collects the terms of a sum; its constant, and whether any of the sums in it is wide.
    fn collect(&mut self, top: u32) -> (i128, bool) {
        let nodes = self.nodes;
        let (mut constant, mut wide) = (0i128, false);
        self.stack.push((top, 1));
        while let Some((i, f)) = self.stack.pop() {
            if let Some(c) = nodes.range(i).as_point() {
                constant = constant.saturating_add(f.saturating_mul(c as i128));
                continue;
            }
            if self.is_term(i, top) {
                self.add_term(i, f);
                continue;
            }
            wide |= nodes.is_wide(i);
            let minus = f.saturating_neg();
            let [a, b, _] = nodes.node(i).args;
            match nodes.node(i).op {
                Op::Add => self.stack.extend([(b, f), (a, f)]),
                Op::Sub => self.stack.extend([(b, minus), (a, f)]),
                Op::Neg => self.stack.push((a, minus)),
                _ => {
                    let (c, x) = match nodes.range(a).as_point() {
                        Some(c) => (c, b),
                        None => (nodes.range(b).as_point().unwrap_or(1), a),
                    };
                    self.stack.push((x, f.saturating_mul(c as i128)));
                }
            }
        }
        (constant, wide)
    }

    /// Whether a part of the sum `top` is taken as a whole. Takes a step.
    fn is_term(&mut self, i: u32, top: u32) -> bool {
        self.steps = self.steps.saturating_sub(1);
        if self.steps == 0 && self.shared.is_empty() {
            self.shared = self.nodes.shared();
        }
        !self.nodes.is_linear(i) || self.steps == 0 && i != top && self.shared[i as usize]
    }

    fn add_term(&mut self, i: u32, f: i128) {
        let place = &mut self.places[i as usize];
        if *place == Sums::NONE {
            *place = self.terms.len() as u32;
            self.terms.push((i, f));
        } else {
            let coefficient = &mut self.terms[*place as usize].1;
            *coefficient = coefficient.saturating_add(f);
        }
    }
}
