//! Finds the conditions that could make a part simpler.
//!
//! A condition concerns a part in two cases. In the first case, an operation of the part other than a sum uses a
//! variable of the condition, directly or through other conditions. In the second case, the condition leaves a variable
//! or sub-expression only one value, which can then replace it.

use super::syntax::for_each_node;
use crate::domain::{Domain, Interval, VarFacts, intervals_of};
use crate::expr::monomials::{sum_of, terms_and_constant};
use crate::expr::{Dag, Expr, Op};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::rc::Rc;

/// Positions of variables in the domain.
type Positions = SmallVec<[u32; 8]>;

/// The variables of an expression, and the way in which the expression uses them.
pub(super) struct Dependencies {
    pub(super) variables: Positions,
    /// The variables that some operation inside the outermost sum uses.
    pub(super) inner: Positions,
    /// Whether the expression is a sum of variables and constants, or consists of comparisons of such sums. Tighter
    /// ranges of its variables cannot make such an expression simpler.
    pub(super) linear: bool,
    /// Whether some part is used under a condition.
    pub(super) conditional: bool,
}

impl Dependencies {
    pub(super) fn of(e: &Expr, domain: &Domain) -> Dependencies {
        let (mut variables, mut inner) = (Positions::new(), Positions::new());
        let (mut linear, mut conditional) = (true, false);
        let add = |positions: &mut Positions, position: u32| {
            if !positions.contains(&position) {
                positions.push(position);
            }
        };
        for_each_node(std::slice::from_ref(e), |node, is_inner| match node.op() {
            Op::Var(name) => {
                if let Some(position) = domain.position(name) {
                    add(&mut variables, position as u32);
                    if is_inner {
                        add(&mut inner, position as u32);
                    }
                }
                is_inner
            }
            Op::Mul if node.args().iter().all(|a| a.as_const().is_none()) => {
                linear = false;
                is_inner
            }
            Op::Const(_) | Op::Add | Op::Sub | Op::Neg | Op::Mul => is_inner,
            op => {
                linear &= op.is_comparison();
                conditional |= op.is_lazy();
                true
            }
        });
        Dependencies { variables, inner, linear, conditional }
    }

    fn share_variables_with(&self, variables: &[u32]) -> bool {
        self.variables.iter().any(|v| variables.contains(v))
    }
}

/// Finds the conditions that concern an expression, over one domain.
pub(super) struct Relevance<'a> {
    domain: &'a Domain,
    vars: &'a [VarFacts],
    /// Dependencies by address, with the expression at that address. While the expression is kept, no other expression
    /// can have its address.
    known: FxHashMap<usize, (Expr, Rc<Dependencies>)>,
}

impl<'a> Relevance<'a> {
    pub(super) fn new(domain: &'a Domain, vars: &'a [VarFacts]) -> Relevance<'a> {
        Relevance { domain, vars, known: FxHashMap::default() }
    }

    pub(super) fn dependencies(&mut self, e: &Expr) -> Rc<Dependencies> {
        let new = || (e.clone(), Rc::new(Dependencies::of(e, self.domain)));
        self.known.entry(e.address()).or_insert_with(new).1.clone()
    }

    /// The `conditions` that share a variable with `variables`, directly or through other such conditions.
    pub(super) fn about(&mut self, variables: &[u32], conditions: &[Expr]) -> Vec<Expr> {
        let mut known: Positions = variables.into();
        let mut rest: Vec<(&Expr, Rc<Dependencies>)> = conditions.iter().map(|c| (c, self.dependencies(c))).collect();
        let mut out = Vec::new();
        loop {
            let (near, far): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(_, d)| d.share_variables_with(&known));
            if near.is_empty() {
                return out;
            }
            for (c, dependencies) in near {
                out.push(c.clone());
                known.extend_from_slice(&dependencies.variables);
            }
            rest = far;
        }
    }

    /// Whether `conditions`, which are about variables of `e`, could make it simpler.
    pub(super) fn concerns(&mut self, conditions: &[Expr], e: &Dependencies) -> bool {
        !self.about(&e.inner, conditions).is_empty() || conditions.iter().any(|c| self.leaves_one_value(c))
    }

    /// Whether one of `conditions` uses only variables of lower digits of the sum that `e` compares. The largest
    /// coefficient is the radix of the digits. For example, `y < 10` is about the lower digit of `x*10 + y < z*10`.
    pub(super) fn bounds_digit(&mut self, conditions: &[Expr], e: &Expr) -> bool {
        let [a, b] = e.args() else { return false };
        let Some((terms, _)) = terms_and_constant(&(a.clone() - b.clone())) else { return false };
        let coefficients = terms.iter().map(|t| t.coefficient.unsigned_abs());
        let Some(radix) = coefficients.max().filter(|radix| *radix > 1) else { return false };
        let lower = terms.iter().filter(|t| !t.coefficient.unsigned_abs().is_multiple_of(radix));
        let lower = self.dependencies(&sum_of(lower)).variables.clone();
        conditions.iter().any(|c| self.dependencies(c).variables.iter().all(|v| lower.contains(v)))
    }

    /// Whether `condition` leaves a variable or sub-expression only one value, which can then replace it.
    pub(super) fn leaves_one_value(&self, condition: &Expr) -> bool {
        let negated = || &condition.args()[0];
        match condition.op() {
            Op::Eq => true,
            // `not n` for a number `n` means that `n` is 0, which is only one value
            Op::Not if !negated().op().is_truth() || negated().op() == &Op::Ne => true,
            Op::Not if !negated().op().is_comparison() => false,
            op if op.is_comparison() || op == &Op::Not => {
                let dag = Dag::new(std::slice::from_ref(condition));
                let range_of = |name: &str| self.domain.position(name).map_or(Interval::ALL, |p| self.vars[p].interval);
                holds_at_one_end(&dag, &intervals_of(&dag, range_of))
            }
            _ => false,
        }
    }
}

/// Whether a comparison holds only if each side is at an end of its range, as `x >= 9` for `x` in 0..9. The root of
/// `dag` is the comparison or its negation.
fn holds_at_one_end(dag: &Dag, ranges: &[Interval]) -> bool {
    let node = |i: u32| &dag.nodes()[i as usize];
    let root = node(dag.roots()[0]);
    let (comparison, negated) = if root.op == Op::Not { (node(root.args[0]), true) } else { (root, false) };
    let [a, b] = [comparison.args[0], comparison.args[1]].map(|i| ranges[i as usize]);
    // the comparison is `most >= least`, or `most > least` if `strict` is 1
    let (most, least, strict) = match (&comparison.op, negated) {
        (Op::Ge, false) | (Op::Lt, true) => (a.hi(), b.lo(), 0),
        (Op::Gt, false) | (Op::Le, true) => (a.hi(), b.lo(), 1),
        (Op::Le, false) | (Op::Gt, true) => (b.hi(), a.lo(), 0),
        (Op::Lt, false) | (Op::Ge, true) => (b.hi(), a.lo(), 1),
        _ => return false,
    };
    most.zip(least).is_some_and(|(most, least)| i128::from(most) == i128::from(least) + strict)
}
