//! Asks an SMT solver, if one is installed, whether two expressions are equal. The text uses the SMT-LIB theory of
//! unbounded integers.
//!
//! `div` and `mod` of SMT-LIB are Euclidean. For positive divisors they equal floor division. For negative divisors,
//! `floor(a/b) = div(-a, -b)`. In that theory, a division by 0 may have any value. The question therefore also says
//! where `a` and `b` have values. It asks for a point at which `a` has a value and `b` has another value or none.

use super::question::Question;
use super::solver::{Session, Solver, read_number};
use super::verdict::{Outcome, Why};
use easy_smt::{Response, SExpr};
use quaff_expr::expr::{Dag, Op};
use rustc_hash::FxHashMap;
use std::io;
use std::time::Duration;

/// The number of operators above which no solver is used. The time of a solver is limited, but its memory is not.
const MAX_ASKED: usize = 1 << 16;

/// Runs the preferred solver among those in the folders of `PATH`. `None` if there is no solver, or if the question is
/// too long.
pub(super) fn solve(question: &Question, timeout: Duration) -> Option<Outcome> {
    if Dag::new(&question.roots()).nodes().len() > MAX_ASKED {
        return None;
    }
    let solver = Solver::installed().into_iter().next()?;
    let outcome = solver.start(timeout).and_then(|mut context| Query::new(&mut context, question).ask());
    // at its time limit, a solver ends itself or is killed
    Some(outcome.unwrap_or_else(|error| unknown(&error.to_string())))
}

/// The question as text for a solver. `None` if the theory does not have an operator.
pub(super) fn written(question: &Question) -> Option<String> {
    if Dag::new(&question.roots()).nodes().len() > MAX_ASKED {
        return None;
    }
    let mut paper = Session::on_paper().ok()?;
    let outcome = Query::new(&mut paper, question).ask().ok()?;
    // if writing failed, the text lacks its last command and is not returned
    let text = paper.written().filter(|text| text.ends_with("(check-sat)\n"));
    text.filter(|_| matches!(outcome, Outcome::Unknown(_))).map(String::from)
}

fn unknown(message: &str) -> Outcome {
    Outcome::Unknown(Why::Solver { message: message.to_owned() })
}

struct Query<'q> {
    context: &'q mut Session,
    question: &'q Question,
    /// The index of each variable among the unknowns.
    places: FxHashMap<&'q str, usize>,
    /// The value of each node as an integer.
    values: Vec<SExpr>,
    /// The condition under which each node has a value. `None` if it always has one.
    defined: Vec<Option<SExpr>>,
}

impl<'q> Query<'q> {
    fn new(context: &'q mut Session, question: &'q Question) -> Query<'q> {
        let places = question.axes.iter().zip(0..).map(|(axis, at)| (&*axis.name, at)).collect();
        Query { context, question, places, values: Vec::new(), defined: Vec::new() }
    }

    fn ask(mut self) -> io::Result<Outcome> {
        let int = self.context.int_sort();
        let mut unknowns = Vec::new();
        for (i, axis) in self.question.axes.iter().enumerate() {
            let x = self.context.declare_const(format!("x{i}"), int)?;
            if let Some(lo) = axis.range.lo() {
                let lo = self.number(lo);
                self.context.assert(self.context.lte(lo, x))?;
            }
            if let Some(hi) = axis.range.hi() {
                let hi = self.number(hi);
                self.context.assert(self.context.lte(x, hi))?;
            }
            unknowns.push(x);
        }
        let dag = Dag::new(&self.question.roots());
        for (i, node) in dag.nodes().iter().enumerate() {
            let args: Vec<usize> = node.args().iter().map(|a| *a as usize).collect();
            let Some(value) = self.value(&node.op, &args, &unknowns) else {
                return Ok(unknown(&format!("`{}` is not asked about", node.op.symbol())));
            };
            let defined = self.defined(&node.op, &args);
            if args.is_empty() {
                self.values.push(value);
                self.defined.push(None);
                continue;
            }
            // each node gets a name, because nested text would repeat shared nodes
            let sort = self.context.int_sort();
            let named = self.context.define_const(format!("v{i}"), sort, value)?;
            self.values.push(named);
            let defined = match defined {
                Some(d) => Some(self.context.define_const(format!("d{i}"), self.context.bool_sort(), d)?),
                None => None,
            };
            self.defined.push(defined);
        }
        let mut roots = dag.roots().iter().map(|r| *r as usize);
        let (Some(a), Some(b)) = (roots.next(), roots.next()) else { return Ok(unknown("nothing was asked")) };
        for condition in roots {
            self.context.assert(self.truth(condition))?;
            self.assert_all(&[self.defined[condition]])?;
        }
        self.assert_all(&[self.defined[a]])?;
        let different = self.context.not(self.context.eq(self.values[a], self.values[b]));
        let goal = match self.defined[b] {
            Some(d) => self.context.or(different, self.context.not(d)),
            None => different,
        };
        self.context.assert(goal)?;
        match self.context.check()? {
            Response::Unsat => Ok(Outcome::Equal),
            Response::Unknown => Ok(unknown("it gave up, or its time is over")),
            Response::Sat => {
                let values = if unknowns.is_empty() { Vec::new() } else { self.context.get_value(&unknowns)? };
                let point: Option<Vec<i64>> = values.iter().map(|v| read_number(self.context, *v)).collect();
                Ok(point.map_or_else(|| unknown("its witness is outside of 64 bits"), Outcome::Differs))
            }
        }
    }

    fn assert_all(&mut self, all: &[Option<SExpr>]) -> io::Result<()> {
        all.iter().flatten().try_for_each(|e| self.context.assert(*e))
    }

    fn number(&self, c: i64) -> SExpr {
        let magnitude = self.context.numeral(c.unsigned_abs());
        if c < 0 { self.context.negate(magnitude) } else { magnitude }
    }

    /// The condition that node `i` is true, that is, not 0.
    fn truth(&self, i: usize) -> SExpr {
        let zero = self.number(0);
        self.context.not(self.context.eq(self.values[i], zero))
    }

    fn integer(&self, truth: SExpr) -> SExpr {
        self.context.ite(truth, self.number(1), self.number(0))
    }

    /// The value of a node at points where it has one. `None` for operators that the SMT theory does not have.
    fn value(&self, op: &Op, args: &[usize], unknowns: &[SExpr]) -> Option<SExpr> {
        let c = &**self.context;
        let of = |i: usize| self.values[args[i]];
        let truth = |i: usize| self.truth(args[i]);
        Some(match op {
            Op::Const(value) => self.number(*value),
            Op::Var(name) => unknowns[*self.places.get(&**name)?],
            Op::Neg => c.negate(of(0)),
            Op::Add => c.plus(of(0), of(1)),
            Op::Sub => c.sub(of(0), of(1)),
            Op::Mul => c.times(of(0), of(1)),
            Op::FloorDiv => self.floor_div(of(0), of(1)),
            Op::FloorMod => c.sub(of(0), c.times(of(1), self.floor_div(of(0), of(1)))),
            Op::Min => c.ite(c.lte(of(0), of(1)), of(0), of(1)),
            Op::Max => c.ite(c.lte(of(0), of(1)), of(1), of(0)),
            Op::Lt => self.integer(c.lt(of(0), of(1))),
            Op::Le => self.integer(c.lte(of(0), of(1))),
            Op::Gt => self.integer(c.gt(of(0), of(1))),
            Op::Ge => self.integer(c.gte(of(0), of(1))),
            Op::Eq => self.integer(c.eq(of(0), of(1))),
            Op::Ne => self.integer(c.not(c.eq(of(0), of(1)))),
            Op::And => self.integer(c.and(truth(0), truth(1))),
            Op::Or => self.integer(c.or(truth(0), truth(1))),
            Op::Not => self.integer(c.not(truth(0))),
            Op::Select => c.ite(truth(0), of(1), of(2)),
            _ => return None,
        })
    }

    fn floor_div(&self, a: SExpr, b: SExpr) -> SExpr {
        let c = &**self.context;
        let div = |a: SExpr, b: SExpr| c.list(vec![c.atom("div"), a, b]);
        match self.constant(b) {
            Some(c) if c > 0 => div(a, b),
            _ => c.ite(c.gt(b, self.number(0)), div(a, b), div(c.negate(a), c.negate(b))),
        }
    }

    /// The value of an expression that is an unsigned number.
    fn constant(&self, e: SExpr) -> Option<u64> {
        self.context.get_atom(e)?.parse().ok()
    }

    /// The condition that a node has a value. An operand without a value does not matter if the node does not evaluate
    /// it.
    fn defined(&self, op: &Op, args: &[usize]) -> Option<SExpr> {
        let c = &**self.context;
        let of = |i: usize| self.defined[args[i]];
        let both = |a: Option<SExpr>, b: Option<SExpr>| match (a, b) {
            (Some(a), Some(b)) => Some(c.and(a, b)),
            (a, b) => a.or(b),
        };
        match op {
            Op::Const(_) | Op::Var(_) => None,
            Op::Select => {
                let always = c.true_();
                let branches = match (of(1), of(2)) {
                    (None, None) => None,
                    (a, b) => Some(c.ite(self.truth(args[0]), a.unwrap_or(always), b.unwrap_or(always))),
                };
                both(of(0), branches)
            }
            // the second operand is evaluated only if the first one does not decide
            Op::And => both(of(0), of(1).map(|d| c.or(d, c.not(self.truth(args[0]))))),
            Op::Or => both(of(0), of(1).map(|d| c.or(d, self.truth(args[0])))),
            op if op.is_division() => {
                let divisor = match self.constant(self.values[args[1]]) {
                    Some(c) if c > 0 => None,
                    _ => Some(self.truth(args[1])),
                };
                both(both(of(0), of(1)), divisor)
            }
            _ => args.iter().fold(None, |all, a| both(all, self.defined[*a])),
        }
    }
}
