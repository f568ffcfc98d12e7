//! Reads expressions as polynomials.

use super::poly::Poly;
use super::terms::{SmallArgs, Sum, Terms};
use quaff_expr::expr::{Dag, Op};

/// A family of operators that are read together when they are nested, such as a chain of n sums. Read one by one, each
/// sum of the chain would write all earlier terms again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Family {
    /// Sums, differences, negations, products with a number, and shifts by a number.
    Linear,
    And,
    Or,
}

fn family(dag: &Dag, at: usize) -> Option<Family> {
    let node = &dag.nodes()[at];
    match node.op {
        Op::And => Some(Family::And),
        Op::Or => Some(Family::Or),
        _ => node.addends(|i| dag.nodes()[i as usize].as_const()).map(|_| Family::Linear),
    }
}

struct Reader<'d> {
    dag: &'d Dag,
    /// The number of remaining uses of each node.
    uses: Vec<u32>,
    /// Whether a node is read as a part of its only user, because both have operators of the same family.
    inner: Vec<bool>,
    /// The polynomials that are still needed. The polynomial of a node is dropped after its last use.
    done: Vec<Option<Poly>>,
}

impl Terms {
    /// The polynomials of the roots of `dag`. The function `leaf` gives the polynomial of a variable. `None` if a
    /// coefficient exceeds 64 bits, or if the budget is spent.
    pub(super) fn read(&mut self, dag: &Dag, leaf: impl Fn(&mut Terms, &str) -> Option<Poly>) -> Option<Vec<Poly>> {
        let mut reader = Reader::new(dag);
        for (at, node) in dag.nodes().iter().enumerate() {
            if reader.inner[at] {
                continue;
            }
            let poly = match (&node.op, family(dag, at)) {
                (Op::Const(c), _) => Poly::constant(*c),
                (Op::Var(name), _) => leaf(self, name)?,
                (_, Some(Family::Linear)) => reader.sum(self, at)?,
                (_, Some(family)) => reader.junction(self, at, family)?,
                (op, None) => {
                    let args = node.args().iter().map(|a| reader.of(*a)).collect::<Option<SmallArgs>>()?;
                    let poly = self.operator(op, &args)?;
                    drop(args);
                    node.args().iter().for_each(|a| reader.used(*a));
                    poly
                }
            };
            reader.done[at] = Some(poly);
        }
        dag.roots().iter().map(|r| reader.of(*r).cloned()).collect()
    }
}

impl<'d> Reader<'d> {
    fn new(dag: &'d Dag) -> Reader<'d> {
        let count = dag.nodes().len();
        let (uses, mut inner) = (dag.use_counts(), vec![false; count]);
        for (at, node) in dag.nodes().iter().enumerate() {
            let of = family(dag, at);
            for a in node.args().iter().map(|a| *a as usize) {
                inner[a] |= of.is_some() && uses[a] == 1 && family(dag, a) == of;
            }
        }
        Reader { dag, uses, inner, done: vec![None; count] }
    }

    fn of(&self, at: u32) -> Option<&Poly> {
        self.done[at as usize].as_ref()
    }

    fn used(&mut self, at: u32) {
        self.uses[at as usize] -= 1;
        if self.uses[at as usize] == 0 {
            self.done[at as usize] = None;
        }
    }

    /// Reads the tree of sums whose root is `top`.
    fn sum(&mut self, terms: &mut Terms, top: usize) -> Option<Poly> {
        let dag = self.dag;
        let mut sum = Sum::of(0);
        let mut todo: Vec<(usize, i128)> = vec![(top, 1)];
        while let Some((at, c)) = todo.pop() {
            for (operand, by) in dag.nodes()[at].addends(|i| dag.nodes()[i as usize].as_const())? {
                let c = c.checked_mul(by.into())?;
                if self.inner[operand as usize] {
                    todo.push((operand as usize, c));
                    continue;
                }
                let poly = self.of(operand)?;
                terms.spend(&[poly])?;
                sum.add(c, poly)?;
                self.used(operand);
            }
        }
        sum.gathered()
    }

    /// Reads the tree of conjunctions, or of disjunctions, whose root is `top`.
    fn junction(&mut self, terms: &mut Terms, top: usize, family: Family) -> Option<Poly> {
        let mut truths: Vec<Poly> = Vec::new();
        let mut todo: Vec<u32> = vec![top as u32];
        while let Some(at) = todo.pop() {
            if at as usize == top || self.inner[at as usize] {
                todo.extend(self.dag.nodes()[at as usize].args());
                continue;
            }
            let poly = self.of(at)?;
            terms.spend(&[poly])?;
            let truth = terms.truth(poly)?;
            truths.push(if family == Family::And { truth } else { truth.opposite()? });
            self.used(at);
        }
        let all = terms.all(&truths)?;
        if family == Family::And { Some(all) } else { all.opposite() }
    }
}
