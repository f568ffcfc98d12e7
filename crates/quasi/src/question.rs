//! A question: whether two expressions are equal at all points of a domain.

use super::truncation::floored;
use super::verdict::Why;
use super::witness::Witness;
use quaff_expr::domain::{Domain, Interval, error_of_op, intervals_of};
use quaff_expr::expr::substitute::substituted_all;
use quaff_expr::expr::{Dag, DagNode, EvalError, Expr, Program, UnknownVariable, int, var};
use quaff_expr::integer::floor_div;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A variable with the values `base + step*t`, where `t` is an integer in `range`.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    pub(super) name: Arc<str>,
    base: i64,
    step: i64,
    pub(super) range: Interval,
}

/// Two expressions over axes. A point has one integer `t` for each axis.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) a: Expr,
    pub(super) b: Expr,
    /// Truth values that restrict the points. A point counts only if all of them hold.
    pub(super) conditions: Vec<Expr>,
    pub(super) axes: Vec<Axis>,
    /// Whether every operator has a value at every point of the box.
    pub(super) total: bool,
}

impl Question {
    /// Builds the question. Its axes are the variables of `a` and `b`, and all variables that symbolic bounds connect
    /// with them, directly or through other variables. The axes have the order of the domain.
    pub(super) fn new(a: &Expr, b: &Expr, domain: &Domain) -> Result<Question, Why> {
        let facts = domain.resolve().map_err(Why::Domain)?;
        let mut used = vec![false; facts.len()];
        let mut todo = mentioned(&[a.clone(), b.clone()], domain)?;
        // each bound with the variables that it mentions, and for each variable the indices of the bounds that mention
        // it
        let mut bounds: Vec<(Expr, Vec<usize>)> = Vec::new();
        let mut of: Vec<Vec<usize>> = vec![Vec::new(); facts.len()];
        for fact in &facts {
            let name = var(fact.name.clone());
            let lower = fact.lower.as_ref().map(|l| name.ge(l));
            let upper = fact.upper.as_ref().map(|u| name.le(u));
            for bound in lower.into_iter().chain(upper) {
                let variables = mentioned(std::slice::from_ref(&bound), domain)?;
                variables.iter().for_each(|v| of[*v].push(bounds.len()));
                bounds.push((bound, variables));
            }
        }
        // a used variable makes all bounds that mention it used, and each used bound makes its variables used
        let mut touched = vec![false; bounds.len()];
        while let Some(v) = todo.pop() {
            if std::mem::replace(&mut used[v], true) {
                continue;
            }
            for &bound in &of[v] {
                if !std::mem::replace(&mut touched[bound], true) {
                    todo.extend(&bounds[bound].1);
                }
            }
        }
        let conditions: Vec<Expr> = bounds.into_iter().zip(touched).filter(|(_, t)| *t).map(|((b, _), _)| b).collect();
        let axes: Vec<Axis> = facts
            .iter()
            .zip(&used)
            .filter(|(_, used)| **used)
            .map(|(f, _)| Axis::new(f.name.clone(), f.interval, f.congruence.modulus(), f.congruence.residue()))
            .collect();
        let mut roots: Vec<Expr> = [a, b].into_iter().chain(&conditions).cloned().collect();
        if axes.iter().any(|axis| axis.step != 1 || axis.base != 0) {
            roots = in_steps(&roots, &axes);
        }
        let known: FxHashMap<&str, Interval> = axes.iter().map(|axis| (&*axis.name, axis.range)).collect();
        let range_of = |name: &str| known.get(name).copied().unwrap_or(Interval::ALL);
        let mut roots = floored(roots, range_of);
        let total = is_total(&Dag::new(&roots), range_of);
        let conditions = roots.split_off(2);
        let [a, b]: [Expr; 2] = roots.try_into().map_err(|_| Why::Unrepresentable)?;
        Ok(Question { a, b, conditions, axes, total })
    }

    pub(super) fn names(&self) -> Vec<&str> {
        self.axes.iter().map(|axis| &*axis.name).collect()
    }

    pub(super) fn roots(&self) -> Vec<Expr> {
        [&self.a, &self.b].into_iter().chain(&self.conditions).cloned().collect()
    }

    pub(super) fn checker(&self) -> Result<Checker<'_>, Why> {
        let program = Program::new(&self.roots(), &self.names()).map_err(Why::Unknown)?;
        Ok(Checker { question: self, program })
    }
}

/// The most points that are tried for a witness with smaller values, and the most operators that are evaluated for each
/// of them.
const SHRINK_POINTS: i128 = 256;
const SHRINK_OPERATORS: i128 = 1 << 20;

/// Evaluates both expressions at a point, independently of the code that found the point.
pub(super) struct Checker<'q> {
    question: &'q Question,
    program: Program,
}

impl Checker<'_> {
    /// The number of operators that the check of one point evaluates.
    pub(super) fn operators(&self) -> u64 {
        self.program.steps() as u64
    }

    /// Evaluates both expressions at `point`. Returns a witness if the point satisfies the conditions, the first
    /// expression has a value there, and the second has another value or none.
    pub(super) fn witness(&self, point: &[i64]) -> Option<Witness> {
        let wide: Vec<i128> = point.iter().copied().map(i128::from).collect();
        let values = self.program.eval(&wide);
        let (&first, &second) = (values.first()?, values.get(1)?);
        let allowed = values[2..].iter().all(|v| matches!(v, Ok(c) if *c != 0));
        let inside = self.question.axes.iter().zip(point).all(|(axis, t)| axis.range.contains(*t));
        if !allowed || !inside || second == Err(EvalError::Overflow) || first == second {
            return None;
        }
        let axes = self.question.axes.iter().zip(wide);
        let value = |axis: &Axis, t: i128| i64::try_from(i128::from(axis.base) + i128::from(axis.step) * t).ok();
        let values = axes.map(|(axis, t)| Some((axis.name.clone(), value(axis, t)?))).collect::<Option<_>>()?;
        Some(Witness { values, first: first.ok()?, second })
    }
}

impl Checker<'_> {
    /// A witness with small values. The search begins with the witness `point`, and moves each variable towards 0: by the
    /// whole distance, by half of it, and so on. The expressions must still differ.
    pub(super) fn small_witness(&self, point: &[i64]) -> Option<Witness> {
        let (mut witness, mut point) = (self.witness(point)?, point.to_vec());
        let mut tries = SHRINK_POINTS.min(floor_div(SHRINK_OPERATORS, self.operators().max(1).into()));
        let mut is_moved = true;
        while std::mem::take(&mut is_moved) {
            for (at, axis) in self.question.axes.iter().enumerate() {
                let from = point[at];
                let distance = i128::from(axis.nearest_to_zero()) - i128::from(from);
                let halved = |halvings| distance.signum() * floor_div(distance.abs(), 1i128 << halvings);
                for by in (0..u64::BITS).map(halved).take_while(|by| *by != 0) {
                    if tries == 0 {
                        return Some(witness);
                    }
                    tries -= 1;
                    // the new value lies between two values of the range, so it fits
                    point[at] = (i128::from(from) + by) as i64;
                    if let Some(smaller) = self.witness(&point) {
                        (witness, is_moved) = (smaller, true);
                        break;
                    }
                    point[at] = from;
                }
            }
        }
        Some(witness)
    }
}

impl Axis {
    /// The `t` in the range for which the axis is nearest to 0, or a neighbour of this `t`.
    fn nearest_to_zero(&self) -> i64 {
        let zero = floor_div(-i128::from(self.base), i128::from(self.step));
        let zero = zero.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        let zero = self.range.lo().map_or(zero, |lo| zero.max(lo));
        self.range.hi().map_or(zero, |hi| zero.min(hi))
    }

    fn new(name: Arc<str>, range: Interval, modulus: i64, residue: i64) -> Axis {
        let plain = Axis { name: name.clone(), base: 0, step: 1, range };
        if modulus <= 1 {
            return plain;
        }
        let steps = |width: i128| floor_div(width, modulus.into());
        let (base, range) = match (range.lo(), range.hi()) {
            (Some(lo), Some(hi)) => (lo, Interval::from_wide(0, steps(i128::from(hi) - i128::from(lo)))),
            (Some(lo), None) => (lo, Interval::from_wide(0, i64::MAX.into())),
            (None, Some(hi)) => (hi, Interval::from_wide(i64::MIN.into(), 0)),
            (None, None) => (residue, Interval::ALL),
        };
        Axis { base, step: modulus, range, ..plain }
    }

    fn value(&self) -> Expr {
        let t = var(self.name.clone());
        let scaled = if self.step == 1 { t } else { int(self.step) * t };
        if self.base == 0 { scaled } else { scaled + int(self.base) }
    }
}

/// The positions of the variables that the expressions mention.
fn mentioned(roots: &[Expr], domain: &Domain) -> Result<Vec<usize>, Why> {
    let unknown = |name: &Arc<str>| Why::Unknown(UnknownVariable { name: name.clone() });
    Dag::new(roots).variables().map(|name| domain.position(name).ok_or_else(|| unknown(name))).collect()
}

/// Replaces each variable by `base + step*t`, where the variable `t` counts the steps.
fn in_steps(roots: &[Expr], axes: &[Axis]) -> Vec<Expr> {
    let values: FxHashMap<&str, Expr> = axes.iter().map(|axis| (&*axis.name, axis.value())).collect();
    substituted_all(roots, |name| values.get(name).cloned())
}

fn is_total(dag: &Dag, range_of: impl Fn(&str) -> Interval) -> bool {
    let ranges = intervals_of(dag, range_of);
    let error = |node: &DagNode| error_of_op(&node.op, &node.args.map(|i| ranges[i as usize]));
    dag.nodes().iter().all(|node| error(node).is_none())
}
