//! Expressions as polynomials over atoms: variables, quotients and truth values.
//!
//! Everything is rewritten with three kinds of atoms, by identities that hold for all integers, so that equal parts of
//! two expressions cancel in their difference:
//!
//! * `a % n = a - n*(a//n)`, and quotients by constants in one shape: `(c*q + r)//c = q + r//c`,
//!   `(g*e + s)//(g*d) = (e + s//g)//d`, `(e//a + k)//b = (e + k*a)//(a*b)` for positive constants;
//! * `a < b` and its like are `[p >= 0]` or `[p == 0]` with coprime coefficients, the first one positive, or 1 minus that;
//! * `where(c, a, b) = b + c*(a - b)`, `min(a, b) = a + [a - b >= 0]*(b - a)`, and truth values `c*c = c`.
//!
//! With ranges ([`Terms::new`]'s second argument) quotients and truth values that are constant in the box fold too.

use super::poly::{Mono, Poly};
use crate::domain::{Interval, interval_of_op};
use crate::expr::{Dag, Expr, Op, int};
use rustc_hash::FxHashMap;

/// Terms of a product above which it stays one atom.
const PRODUCT_TERMS: usize = 48;
/// Factors of a monomial above which a product stays one atom.
const PRODUCT_FACTORS: usize = 6;

/// What a polynomial is built of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    Var(u32),
    Quotient(Poly, Poly),
    /// `[p >= 0]`
    NonNegative(Poly),
    /// `[p == 0]`
    Zero(Poly),
    /// Conjunction of truth values, ascending.
    All(Vec<Poly>),
    /// Any other operator.
    Other(Op, Vec<Poly>),
}

impl Atom {
    pub(super) fn operands(&self) -> Vec<&Poly> {
        match self {
            Atom::Var(_) => Vec::new(),
            Atom::Quotient(a, b) => vec![a, b],
            Atom::NonNegative(p) | Atom::Zero(p) => vec![p],
            Atom::All(all) | Atom::Other(_, all) => all.iter().collect(),
        }
    }

    pub(super) fn is_truth(&self) -> bool {
        matches!(self, Atom::NonNegative(_) | Atom::Zero(_) | Atom::All(_))
    }
}

/// Atoms, each once; the operands of an atom have smaller numbers.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    atoms: Vec<Atom>,
    ids: FxHashMap<Atom, u32>,
    /// The range of each atom, [`Interval::ALL`] when ranges are not used.
    ranges: Vec<Interval>,
    /// The variables of each atom, ascending.
    variables: Vec<Vec<u32>>,
    /// The ranges of the variables.
    known: Option<Vec<Interval>>,
}

impl Terms {
    pub(super) fn new(known: Option<Vec<Interval>>) -> Terms {
        Terms { atoms: Vec::new(), ids: FxHashMap::default(), ranges: Vec::new(), variables: Vec::new(), known }
    }

    pub(super) fn atom(&self, id: u32) -> &Atom {
        &self.atoms[id as usize]
    }

    /// Whether ranges are used.
    pub(super) fn has_ranges(&self) -> bool {
        self.known.is_some()
    }

    /// The variables an atom mentions.
    pub(super) fn variables_of(&self, id: u32) -> &[u32] {
        &self.variables[id as usize]
    }

    /// The root polynomials of `dag`, where `leaf` gives the one of a variable. `None` when a coefficient leaves 64 bits.
    pub(super) fn read(&mut self, dag: &Dag, leaf: impl Fn(&mut Terms, &str) -> Option<Poly>) -> Option<Vec<Poly>> {
        let mut all: Vec<Poly> = Vec::with_capacity(dag.nodes().len());
        for node in dag.nodes() {
            let poly = match &node.op {
                Op::Const(c) => Poly::constant(*c),
                Op::Var(name) => leaf(self, name)?,
                op => {
                    let args: SmallArgs = node.args().iter().map(|a| &all[*a as usize]).collect();
                    self.operator(op, &args)?
                }
            };
            all.push(poly);
        }
        Some(dag.roots().iter().map(|r| all[*r as usize].clone()).collect())
    }

    /// `roots` of `from` in these terms, with each atom that `known` gives a value for replaced by it.
    pub(super) fn import(&mut self, from: &Terms, roots: &[Poly], known: &[(u32, Poly)]) -> Option<Vec<Poly>> {
        let mut needed = vec![false; from.atoms.len()];
        let mut stack: Vec<u32> = roots.iter().flat_map(atoms_of).collect();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut needed[id as usize], true) {
                stack.extend(from.atom(id).operands().into_iter().flat_map(atoms_of));
            }
        }
        let mut new: Vec<Poly> = vec![Poly::default(); from.atoms.len()];
        for (id, atom) in from.atoms.iter().enumerate().filter(|(id, _)| needed[*id]) {
            new[id] = match known.iter().find(|(k, _)| *k as usize == id) {
                Some((_, value)) => value.clone(),
                None => {
                    let mut operands = Vec::new();
                    for p in atom.operands() {
                        operands.push(self.substitute(p, &new)?);
                    }
                    match (atom, &operands[..]) {
                        (Atom::Var(v), _) => self.variable(*v),
                        (Atom::Quotient(..), [a, b]) => self.quotient(a, b)?,
                        (Atom::NonNegative(_), [p]) => self.non_negative(p)?,
                        (Atom::Zero(_), [p]) => self.zero(p)?,
                        (Atom::All(_), all) => self.all(all)?,
                        (Atom::Other(op, _), all) => self.operator(op, &all.iter().collect::<SmallArgs>())?,
                        _ => return None,
                    }
                }
            };
        }
        roots.iter().map(|p| self.substitute(p, &new)).collect()
    }

    /// `p` with each atom replaced.
    fn substitute(&mut self, p: &Poly, new: &[Poly]) -> Option<Poly> {
        let mut sum = Poly::constant(p.constant);
        for (mono, c) in &p.terms {
            let mut product = new[mono[0] as usize].clone();
            for factor in &mono[1..] {
                product = self.product(&product, &new[*factor as usize])?;
            }
            sum = sum.plus(*c, &product)?;
        }
        Some(sum)
    }

    pub(super) fn variable(&mut self, v: u32) -> Poly {
        match self.known.as_ref().and_then(|k| k.get(v as usize)).and_then(|r| r.as_point()) {
            Some(c) => Poly::constant(c),
            None => self.intern(Atom::Var(v)),
        }
    }

    pub(super) fn intern(&mut self, atom: Atom) -> Poly {
        if let Some(id) = self.ids.get(&atom) {
            return Poly::atom(*id);
        }
        let range = match (&self.known, &atom) {
            (None, _) => Interval::ALL,
            (Some(known), Atom::Var(v)) => known.get(*v as usize).copied().unwrap_or(Interval::ALL),
            (Some(_), Atom::Quotient(a, b)) => self.range(a).floor_div(self.range(b)).unwrap_or(Interval::ALL),
            (Some(_), Atom::NonNegative(_) | Atom::Zero(_) | Atom::All(_)) => Interval::BOOL,
            (Some(_), Atom::Other(op, all)) => {
                interval_of_op(op, &all.iter().map(|p| self.range(p)).collect::<Vec<_>>())
            }
        };
        let mut variables: Vec<u32> = match &atom {
            Atom::Var(v) => vec![*v],
            other => {
                other.operands().into_iter().flat_map(atoms_of).flat_map(|a| self.variables_of(a).to_vec()).collect()
            }
        };
        variables.sort_unstable();
        variables.dedup();
        let id = self.atoms.len() as u32;
        self.variables.push(variables);
        self.ranges.push(range);
        self.ids.insert(atom.clone(), id);
        self.atoms.push(atom);
        Poly::atom(id)
    }

    /// An interval that holds every value of `p`.
    pub(super) fn range(&self, p: &Poly) -> Interval {
        if self.known.is_none() && !p.terms.is_empty() {
            return Interval::ALL;
        }
        let mut sum = Interval::point(p.constant);
        for (mono, c) in &p.terms {
            let factors = mono.iter().map(|a| self.ranges[*a as usize]);
            let product = factors.reduce(Interval::times).unwrap_or(Interval::point(1));
            sum = sum.plus(product.scaled(*c));
        }
        sum
    }

    fn operator(&mut self, op: &Op, args: &[&Poly]) -> Option<Poly> {
        match (op, args) {
            (Op::Neg, [a]) => a.scaled(-1),
            (Op::Add, [a, b]) => a.plus(1, b),
            (Op::Sub, [a, b]) => a.plus(-1, b),
            (Op::Mul, [a, b]) => self.product(a, b),
            (Op::FloorDiv, [a, b]) => self.quotient(a, b),
            (Op::FloorMod, [a, b]) => self.remainder(a, b),
            (Op::Min | Op::Max, [a, b]) => {
                let (a, b) = if a <= b { (a, b) } else { (b, a) };
                let difference = a.plus(-1, b)?;
                // a - b >= 0: the greater one is a = b + (a - b), the smaller one b = a - (a - b)
                let condition = self.non_negative(&difference)?;
                let part = self.product(&condition, &difference)?;
                if *op == Op::Max { b.plus(1, &part) } else { a.plus(-1, &part) }
            }
            (Op::Lt, [a, b]) => self.non_negative(&b.plus(-1, a)?.plus_constant(-1)?),
            (Op::Gt, [a, b]) => self.non_negative(&a.plus(-1, b)?.plus_constant(-1)?),
            (Op::Le, [a, b]) => self.non_negative(&b.plus(-1, a)?),
            (Op::Ge, [a, b]) => self.non_negative(&a.plus(-1, b)?),
            (Op::Eq, [a, b]) => self.zero(&a.plus(-1, b)?),
            (Op::Ne, [a, b]) => self.zero(&a.plus(-1, b)?)?.opposite(),
            (Op::Not, [a]) => self.truth(a)?.opposite(),
            (Op::And, [a, b]) => {
                let both = [self.truth(a)?, self.truth(b)?];
                self.all(&both)
            }
            (Op::Or, [a, b]) => {
                let neither = [self.truth(a)?.opposite()?, self.truth(b)?.opposite()?];
                self.all(&neither)?.opposite()
            }
            (Op::Select, [c, a, b]) => {
                let condition = self.truth(c)?;
                let part = self.product(&condition, &a.plus(-1, b)?)?;
                b.plus(1, &part)
            }
            (Op::Shl, [a, b]) if b.as_constant().is_some_and(|by| (0..63).contains(&by)) => a.scaled(1 << b.constant),
            (Op::Shr, [a, b]) if b.as_constant().is_some_and(|by| (0..63).contains(&by)) => {
                self.quotient(a, &Poly::constant(1 << b.constant))
            }
            (Op::BitAnd, [a, b]) => match (low_mask(a), low_mask(b)) {
                (_, Some(n)) => self.remainder(a, &Poly::constant(n)),
                (Some(n), _) => self.remainder(b, &Poly::constant(n)),
                _ => self.other(op, args),
            },
            (op, args) => self.other(op, args),
        }
    }

    /// Any other operator: a constant, or an atom of its own.
    pub(super) fn other(&mut self, op: &Op, args: &[&Poly]) -> Option<Poly> {
        let constants: Option<Vec<Expr>> = args.iter().map(|p| p.as_constant().map(int)).collect();
        match constants {
            Some(constants) => {
                let value = Expr::new(op.clone(), constants).eval(|_| None).ok()?;
                Some(Poly::constant(i64::try_from(value).ok()?))
            }
            None => Some(self.intern(Atom::Other(op.clone(), args.iter().map(|p| (*p).clone()).collect()))),
        }
    }

    pub(super) fn product(&mut self, a: &Poly, b: &Poly) -> Option<Poly> {
        match (a.as_constant(), b.as_constant()) {
            (Some(c), _) => return b.scaled(c),
            (_, Some(c)) => return a.scaled(c),
            _ => {}
        }
        let longest = |p: &Poly| p.terms.iter().map(|(mono, _)| mono.len()).max().unwrap_or(0);
        if (a.terms.len() + 1) * (b.terms.len() + 1) > PRODUCT_TERMS || longest(a) + longest(b) > PRODUCT_FACTORS {
            let (a, b) = if a <= b { (a, b) } else { (b, a) };
            return Some(self.intern(Atom::Other(Op::Mul, vec![a.clone(), b.clone()])));
        }
        let mut terms = Vec::new();
        for (x, c) in &a.terms {
            for (y, d) in &b.terms {
                let mut mono: Mono = x.iter().chain(y).copied().collect();
                mono.sort_unstable();
                let mut last = None;
                mono.retain(|id| {
                    let again = last == Some(*id) && self.atoms[*id as usize].is_truth();
                    last = Some(*id);
                    !again
                });
                terms.push((mono, c.checked_mul(*d)?));
            }
            terms.push((x.clone(), c.checked_mul(b.constant)?));
        }
        for (y, d) in &b.terms {
            terms.push((y.clone(), d.checked_mul(a.constant)?));
        }
        Poly::gather(terms, a.constant.checked_mul(b.constant)?)
    }
}

type SmallArgs<'p> = smallvec::SmallVec<[&'p Poly; 3]>;

/// The atoms of a polynomial, with repetitions.
pub(super) fn atoms_of(p: &Poly) -> impl Iterator<Item = u32> {
    p.terms.iter().flat_map(|(mono, _)| mono.iter().copied())
}

/// `2^k` when `p` is the constant `2^k - 1`, of which `x & p = x % 2^k`.
fn low_mask(p: &Poly) -> Option<i64> {
    let n = p.as_constant()?.checked_add(1)?;
    (n > 0 && n & (n - 1) == 0).then_some(n)
}
