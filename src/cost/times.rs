//! How often operations are executed.

use crate::expr::{Dag, Op};

/// The loops that a value depends on.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Loops {
    /// Bit `i` for loop `i`.
    pub(crate) bits: u64,
    /// Whether it is a constant once all loops are unrolled that are unrolled completely.
    pub(crate) constant: bool,
}

impl Loops {
    /// Loop `i`; all from the 64th on are taken for one.
    pub(crate) fn bit(i: usize) -> u64 {
        1 << i.min(63)
    }
}

/// How often each node of a DAG is executed; 0 for what is known when the code is compiled.
///
/// What is known then costs nothing, and neither does adding it to a sum that is a root, as the offset of an address is. A sum
/// whose terms are executed differently often is added up in that order: what is executed less often is a sum of its own.
pub(crate) struct Times(Vec<u64>);

impl Times {
    /// Everything once.
    pub(crate) fn once() -> Times {
        Times(Vec::new())
    }

    /// Each node as often as the loops run that its variables depend on: loop `i` runs `trips[i]` times.
    pub(crate) fn in_loops(dag: &Dag, trips: &[i64], loops_of: impl Fn(&str) -> Loops) -> Times {
        let mut loops: Vec<Loops> = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            let own = match &node.op {
                Op::Var(name) => loops_of(name),
                _ => node.args().iter().map(|&a| loops[a as usize]).fold(Loops { bits: 0, constant: true }, |a, b| {
                    Loops { bits: a.bits | b.bits, constant: a.constant && b.constant }
                }),
            };
            loops.push(own);
        }
        let times = |l: &Loops| {
            let running = trips.iter().enumerate().filter(|(i, _)| l.bits & Loops::bit(*i) != 0);
            running.fold(1u64, |n, (_, trips)| n.saturating_mul(trips.unsigned_abs()))
        };
        Times(loops.iter().map(|l| if l.constant { 0 } else { times(l) }).collect())
    }

    pub(super) fn is_once(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn of(&self, node: u32) -> u64 {
        self.0.get(node as usize).copied().unwrap_or(1)
    }
}
