//! The price of whole expressions.

use super::{CostModel, Operation};
use crate::domain::Interval;
use crate::expr::{Dag, DagNode, Op};
use rustc_hash::FxHashSet;

/// Where a sum's coefficients leave 64 bits, the sum is priced as this many wide products.
const UNREPRESENTABLE: u32 = 4;

/// Steps that flattening sums may take, so many for each node and so many besides: those of a tree are its nodes.
const MAX_STEPS_PER_NODE: usize = 16;
const MAX_STEPS: usize = 4096;

/// Which nodes are operands more than once.
fn shared_nodes(nodes: &[DagNode]) -> Vec<bool> {
    let (mut used, mut shared) = (vec![false; nodes.len()], vec![false; nodes.len()]);
    for &a in nodes.iter().flat_map(|n| n.args()) {
        shared[a as usize] |= std::mem::replace(&mut used[a as usize], true);
    }
    shared
}

/// The price of all roots of `dag` together, in tenths of instructions: sums flattened, every shared value once.
///
/// `ranges` are those of the nodes, in order ([`crate::domain::intervals_of`] or tighter); a node without one may be
/// anything. Linear in the size of the DAG: a shared sum is flattened into each of its users, until that takes too many
/// steps; from then on, shared sums are priced as values of their own.
pub fn price(dag: &Dag, ranges: &[Interval], model: &dyn CostModel) -> u64 {
    let nodes = dag.nodes();
    let completed: Vec<Interval>;
    let ranges = if ranges.len() >= nodes.len() {
        ranges
    } else {
        let missing = std::iter::repeat_n(Interval::ALL, nodes.len() - ranges.len());
        completed = ranges.iter().copied().chain(missing).collect();
        &completed
    };
    let is_linear = |i: u32| {
        let n = &nodes[i as usize];
        match n.op {
            Op::Add | Op::Sub | Op::Neg => true,
            Op::Mul => n.args().iter().any(|&a| ranges[a as usize].as_point().is_some()),
            _ => false,
        }
    };
    // remainders are priced last: those beside a quotient that is paid for are cheaper
    let has_remainders = nodes.iter().any(|n| n.op == Op::FloorMod);
    let mut quotients: FxHashSet<[u32; 2]> = FxHashSet::default();
    let mut remainders: Vec<u32> = Vec::new();
    let narrow = |i: Interval| i.within(i32::MIN as i128, i32::MAX as i128);
    let mut total = 0u64;
    let mut seen = vec![false; nodes.len()];
    let mut todo: Vec<u32> = dag.roots().to_vec();
    // operands of a flattened sum: products, plain terms, width
    const NONE: u32 = u32::MAX;
    let mut places = vec![NONE; nodes.len()];
    let mut terms: Vec<(u32, i128)> = Vec::with_capacity(16);
    let mut stack: Vec<(u32, i128)> = Vec::with_capacity(16);
    let mut steps = MAX_STEPS_PER_NODE.saturating_mul(nodes.len()).saturating_add(MAX_STEPS);
    // which nodes have several users; found when it is needed
    let mut shared: Vec<bool> = Vec::new();
    let mut flatten = |top: u32, todo: &mut Vec<u32>| -> (u32, u32, bool) {
        let mut constant = 0i128;
        let mut wide = false;
        stack.push((top, 1));
        while let Some((i, f)) = stack.pop() {
            let n = &nodes[i as usize];
            if let Some(c) = ranges[i as usize].as_point() {
                constant = constant.saturating_add(f.saturating_mul(c as i128));
                continue;
            }
            steps = steps.saturating_sub(1);
            if steps == 0 && shared.is_empty() {
                shared = shared_nodes(nodes);
            }
            if !is_linear(i) || steps == 0 && i != top && shared[i as usize] {
                let place = &mut places[i as usize];
                if *place == NONE {
                    *place = terms.len() as u32;
                    terms.push((i, f));
                } else {
                    let coefficient = &mut terms[*place as usize].1;
                    *coefficient = coefficient.saturating_add(f);
                }
                continue;
            }
            wide |= !narrow(ranges[i as usize]);
            let minus = f.saturating_neg();
            match n.op {
                Op::Add => stack.extend([(n.args[1], f), (n.args[0], f)]),
                Op::Sub => stack.extend([(n.args[1], minus), (n.args[0], f)]),
                Op::Neg => stack.push((n.args[0], minus)),
                _ => {
                    let (a, b) = (n.args[0], n.args[1]);
                    let (c, x) = match ranges[a as usize].as_point() {
                        Some(c) => (c, b),
                        None => (ranges[b as usize].as_point().unwrap_or(1), a),
                    };
                    stack.push((x, f.saturating_mul(c as i128)));
                }
            }
        }
        // what is negated is an instruction of its own where it is no part of another sum
        let negation = constant == 0 && matches!(terms[..], [(_, -1)]);
        let (mut products, mut plain) = (0, u32::from(constant != 0 || negation));
        for (i, c) in terms.drain(..) {
            places[i as usize] = NONE;
            match c {
                0 => {}
                1 | -1 => {
                    plain += 1;
                    todo.push(i);
                }
                c => {
                    products += if i64::try_from(c).is_ok() { 1 } else { UNREPRESENTABLE };
                    todo.push(i);
                }
            }
        }
        (products, plain, wide)
    };
    // numbers that are tested for not being 0, each once
    let mut tested: FxHashSet<u32> = FxHashSet::default();
    while let Some(i) = todo.pop() {
        if std::mem::replace(&mut seen[i as usize], true) || ranges[i as usize].as_point().is_some() {
            continue;
        }
        let n = &nodes[i as usize];
        let range = |k: usize| ranges[n.args[k] as usize];
        let wide = n.args().iter().any(|&a| !narrow(ranges[a as usize]));
        let operation = match n.op {
            Op::Const(_) | Op::Var(_) => continue,
            Op::Add | Op::Sub | Op::Neg => None,
            Op::Mul if is_linear(i) => None,
            Op::Mul => Some(Operation::Product { factors: 2, wide: !narrow(ranges[i as usize]) }),
            Op::FloorDiv => {
                if has_remainders {
                    quotients.insert([n.args[0], n.args[1]]);
                }
                Some(Operation::Div { numerator: range(0), divisor: range(1) })
            }
            Op::FloorMod => {
                remainders.push(i);
                todo.extend(n.args());
                continue;
            }
            // the sides are values of their own: several comparisons share them
            Op::Lt | Op::Le | Op::Gt | Op::Ge | Op::Eq | Op::Ne => {
                Some(Operation::Compare { products: 0, plain: 0, wide })
            }
            Op::And | Op::Or | Op::Not => Some(Operation::Logic),
            Op::Select => Some(Operation::Select { wide: !narrow(ranges[i as usize]) }),
            Op::Min | Op::Max => Some(Operation::Extremum { wide }),
            Op::BitAnd | Op::BitOr | Op::BitXor | Op::Shl | Op::Shr => Some(Operation::Bits { wide }),
        };
        let conditions = match n.op {
            Op::And | Op::Or | Op::Not => n.args(),
            Op::Select => &n.args()[..1],
            _ => &[],
        };
        for &c in conditions.iter().filter(|&&c| !ranges[c as usize].within(0, 1)) {
            // one that is known is no test
            if ranges[c as usize].contains(0) && tested.insert(c) {
                let wide = !narrow(ranges[c as usize]);
                total += u64::from(model.price(&Operation::Compare { products: 0, plain: 0, wide }));
            }
        }
        match operation {
            Some(o) => {
                total += u64::from(model.price(&o));
                todo.extend(n.args());
            }
            None => {
                let (products, plain, wide) = flatten(i, &mut todo);
                total += u64::from(model.price(&Operation::Sum { products, plain, wide }));
            }
        }
    }
    for i in remainders {
        let [a, b, ..] = nodes[i as usize].args;
        let (numerator, divisor) = (ranges[a as usize], ranges[b as usize]);
        let quotient = quotients.contains(&[a, b]);
        total += u64::from(model.price(&Operation::Mod { numerator, divisor, quotient }));
    }
    total
}
