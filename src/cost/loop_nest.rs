//! Counts how often operations are executed, if loop-invariant values are computed before their loop.

use super::{Cost, CostModel, Operation};
use crate::domain::{MOST_REPEATS, Repeats, VarFacts};
use crate::expr::{Dag, Op};

/// The loops on which a value depends. They decide how often the value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Dependence {
    /// The number of iterations of the innermost loop that the value depends on. The number is 1 outside of loops.
    trips: u64,
    /// The unrolled variables on which the value depends, as bits. All variables from the 64th on share one bit.
    unrolled: u64,
    /// Whether the value depends only on unrolled variables and constants, so that it is a constant in every copy of an
    /// unrolled loop body.
    is_known: bool,
}

impl Dependence {
    /// The dependence of a constant.
    pub(crate) const NONE: Dependence = Dependence { trips: 1, unrolled: 0, is_known: true };
    /// The dependence of a loop-invariant value.
    pub(crate) const ONCE: Dependence = Dependence { is_known: false, ..Dependence::NONE };

    /// The dependence of a value that is computed from two others.
    pub(crate) fn and(self, other: Dependence) -> Dependence {
        Dependence {
            trips: self.trips.max(other.trips),
            unrolled: self.unrolled | other.unrolled,
            is_known: self.is_known && other.is_known,
        }
    }
}

/// The loops around an expression, by the variables that count them.
#[derive(Clone, Debug, Default)]
pub(crate) struct LoopNest {
    /// The dependence of each variable. Empty if there are no loops.
    of_variables: Vec<Dependence>,
    /// For each unrolled variable, the number of copies of the loop body.
    copies: Vec<u64>,
    /// The number of iterations of the deepest loop.
    all: u64,
}

impl LoopNest {
    /// The loops that the variables `vars` count.
    pub(crate) fn new(vars: &[VarFacts]) -> LoopNest {
        let mut nest = LoopNest { of_variables: Vec::new(), copies: Vec::new(), all: 1 };
        if vars.iter().all(|v| v.repeats == Repeats::Once) {
            return nest;
        }
        for v in vars {
            nest.of_variables.push(match v.repeats {
                Repeats::Once => Dependence::ONCE,
                Repeats::Loop(trips) => {
                    nest.all = nest.all.max(trips);
                    Dependence { trips, ..Dependence::ONCE }
                }
                Repeats::Unrolled(copies) => {
                    let bit = nest.copies.len().min(63);
                    nest.copies.resize(bit + 1, 1);
                    nest.copies[bit] = nest.copies[bit].max(copies);
                    Dependence { unrolled: 1 << bit, ..Dependence::NONE }
                }
            });
        }
        nest
    }

    /// Whether there are no loops.
    pub(crate) fn is_empty(&self) -> bool {
        self.of_variables.is_empty()
    }

    /// The dependence of variable `v`. An unknown variable depends on all loops.
    pub(crate) fn of_variable(&self, v: usize) -> Dependence {
        let unknown = Dependence { trips: self.all, unrolled: 0, is_known: false };
        self.of_variables.get(v).copied().unwrap_or(unknown)
    }

    /// How often a value with the dependence `d` is computed. The result is 0 if the value is known at compile time.
    pub(crate) fn times(&self, d: Dependence) -> u64 {
        if d.is_known {
            return 0;
        }
        let copies = self.copies.iter().enumerate().filter(|(bit, _)| d.unrolled >> bit & 1 == 1);
        copies.fold(d.trips, |times, (_, copies)| times.saturating_mul(*copies)).min(MOST_REPEATS)
    }

    /// How often every node of `dag` is computed. `vars` are its variables, in the order of [`LoopNest::new`].
    pub(crate) fn times_of(&self, dag: &Dag, vars: &[VarFacts]) -> Vec<u64> {
        let mut all: Vec<Dependence> = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            let own = match &node.op {
                Op::Var(name) => {
                    self.of_variable(vars.iter().position(|v| *v.name == **name).unwrap_or(self.of_variables.len()))
                }
                _ => node.args().iter().map(|&a| all[a as usize]).fold(Dependence::NONE, Dependence::and),
            };
            all.push(own);
        }
        all.into_iter().map(|d| self.times(d)).collect()
    }
}

/// The terms of a sum that are computed equally often, and their partial sum.
///
/// A sum is computed in parts. The terms that are computed least often are added up first. Each partial sum is a term
/// of the next one.
pub(crate) struct PartialSum<T> {
    /// How often the partial sum is computed.
    pub(crate) times: u64,
    /// The terms with their coefficients, sorted.
    pub(crate) terms: Vec<(T, i128)>,
    /// In the first part of a sum, the constant of the whole sum. In the other parts, 0.
    pub(crate) constant: i128,
    /// Whether this is the last part of a sum to which the copies of an unrolled loop add constants of their own.
    pub(crate) has_offset: bool,
    /// Whether the previous partial sum is one of the terms of this part.
    pub(crate) continues: bool,
}

impl<T: Copy + Ord> PartialSum<T> {
    /// The parts of the sum of `terms` and `constant`. Each term comes with how often it is computed. If `is_offset`,
    /// an address adds the sum, and the constants that copies of an unrolled loop add are left out.
    pub(crate) fn parts(mut terms: Vec<(u64, T, i128)>, constant: i128, is_offset: bool) -> Vec<PartialSum<T>> {
        terms.sort_unstable();
        let has_offset = terms.first().is_some_and(|t| t.0 == 0) && !is_offset;
        let mut parts: Vec<PartialSum<T>> = Vec::new();
        for (times, term, c) in terms.into_iter().filter(|t| t.0 > 0) {
            match parts.last_mut().filter(|p| p.times == times) {
                Some(part) => part.terms.push((term, c)),
                None => parts.push(PartialSum {
                    times,
                    terms: vec![(term, c)],
                    constant: 0,
                    has_offset: false,
                    continues: false,
                }),
            }
        }
        if let Some(first) = parts.first_mut() {
            first.constant = constant;
        }
        if let Some(last) = parts.last_mut() {
            last.has_offset = has_offset;
        }
        parts.iter_mut().skip(1).for_each(|p| p.continues = true);
        parts
    }

    /// The cost of the partial sum, as often as it is computed, without its terms. `hoists` is true for a term that is
    /// a product with a loop-invariant factor. The coefficient of such a term is multiplied with that factor before the
    /// loop, so this multiplication counts once.
    pub(crate) fn price(&self, model: &dyn CostModel, wide: bool, hoists: impl Fn(T) -> bool) -> Cost {
        let has_factor = |c: i128| !matches!(c, 1 | -1);
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        let hoisted = count(self.terms.iter().filter(|(t, c)| has_factor(*c) && hoists(*t)).count());
        let products = count(self.terms.iter().filter(|(_, c)| has_factor(*c)).count()) - hoisted;
        let negation = self.constant == 0 && !self.continues && matches!(self.terms[..], [(_, -1)]);
        let more = [self.constant != 0, self.has_offset, self.continues, negation].map(u32::from).iter().sum::<u32>();
        let plain = (count(self.terms.len()) - products).saturating_add(more);
        let factors = model.price(&Operation::Sum { products: hoisted, plain: 0, wide });
        factors + executed(model.price(&Operation::Sum { products, plain, wide }), self.times)
    }
}

/// The `price`, multiplied by `times`.
pub(crate) fn executed(price: Cost, times: u64) -> Cost {
    Cost::from_tenths(price.tenths().saturating_mul(times))
}

/// The price of a product. `times` gives how often each factor is computed. The factors that are computed least often
/// are multiplied first.
pub(crate) fn product_price(model: &dyn CostModel, mut times: Vec<u64>, wide: bool) -> Cost {
    times.sort_unstable();
    let pair = model.price(&Operation::Product { factors: 2, wide });
    times.iter().skip(1).fold(Cost::ZERO, |sum, &times| sum + executed(pair, times))
}
