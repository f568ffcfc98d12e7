//! What is computed in every iteration of a loop: the price of an operation counts as often as the loop is taken to run.
//!
//! What goes in are nodes with what they depend on; what comes out are prices.

use super::{Cost, CostModel, Operation};
use crate::expr::{Dag, Op};

/// Iterations that a loop is taken to run while its trip count is not known: how often the price of what depends on a variable of
/// [`Domain::loop_variable`](crate::domain::Domain::loop_variable) counts. What does not is computed once, before the loop.
///
/// ```
/// use quaff::{Simplifier, cost::LOOP_WEIGHT, domain::Domain, expr::Expr};
///
/// let e: Expr = "x // 12".parse()?;
/// let domain = Domain::new().with("x", 0..4096);
/// let once = Simplifier::default().simplify(&e, &domain)?.cost();
/// let each_time = Simplifier::default().simplify(&e, &domain.loop_variable("x"))?.cost();
/// assert_eq!(each_time.tenths(), once.tenths() * LOOP_WEIGHT);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub const LOOP_WEIGHT: u64 = 4;

/// The nodes of `dag` that depend on a variable of a loop; empty where there is none.
pub(super) fn varying(dag: &Dag, is_loop: &dyn Fn(&str) -> bool) -> Vec<bool> {
    let mut varies: Vec<bool> = Vec::with_capacity(dag.nodes().len());
    for node in dag.nodes() {
        let own = matches!(&node.op, Op::Var(name) if is_loop(name));
        let by_operand = node.args().iter().any(|&a| varies.get(a as usize).copied().unwrap_or(true));
        varies.push(own || by_operand);
    }
    if varies.contains(&true) { varies } else { Vec::new() }
}

/// How often something that depends on a loop, or does not, is computed.
pub(crate) fn weighted(cost: Cost, varies: bool) -> Cost {
    if varies { Cost::from_tenths(cost.tenths().saturating_mul(LOOP_WEIGHT)) } else { cost }
}

/// The terms of a sum, sorted by what they depend on.
#[derive(Clone, Copy, Default)]
pub(crate) struct SumInLoop {
    /// Terms with a factor, and without one, that do not depend on the loop; the constant is one of the latter.
    pub(crate) fixed: [u32; 2],
    /// Those that do.
    pub(crate) varying: [u32; 2],
    /// Of the terms with a factor that do, those whose factor can be multiplied with what does not.
    pub(crate) hoisted: u32,
    pub(crate) wide: bool,
}

impl SumInLoop {
    /// Adds a term with the coefficient `c`; `hoists` where it is a product of which one factor does not depend on the loop.
    pub(crate) fn push(&mut self, c: i64, varies: bool, hoists: bool) {
        let has_factor = !matches!(c, 1 | -1);
        let group = if varies { &mut self.varying } else { &mut self.fixed };
        match has_factor {
            true if varies && hoists => {
                self.hoisted += 1;
                group[1] += 1;
            }
            true => group[0] += 1,
            false => group[1] += 1,
        }
    }

    /// The price: what does not depend on the loop is added up before it.
    pub(crate) fn price(self, model: &dyn CostModel) -> Cost {
        let SumInLoop { fixed, varying, hoisted, wide } = self;
        let sum = |[products, plain]: [u32; 2]| model.price(&Operation::Sum { products, plain, wide });
        if varying == [0, 0] {
            return sum(fixed);
        }
        let has_fixed = u32::from(fixed != [0, 0]);
        let factors = model.price(&Operation::Sum { products: hoisted, plain: 0, wide });
        sum(fixed) + factors + weighted(sum([varying[0], varying[1] + has_fixed]), true)
    }
}

/// The price of a product of so many factors that do not depend on the loop, and of so many that do.
pub(crate) fn product_price(model: &dyn CostModel, fixed: u32, varying: u32, wide: bool) -> Cost {
    let product = |factors: u32| match factors {
        0 | 1 => Cost::ZERO,
        _ => model.price(&Operation::Product { factors, wide }),
    };
    product(fixed) + weighted(product(varying + u32::from(fixed > 0 && varying > 0)), varying > 0)
}
