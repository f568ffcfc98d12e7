//! Expressions as polynomials over atoms: variables, quotients and truth values.
//!
//! All operators are rewritten with three kinds of atoms, by identities that hold for all integers. If two expressions
//! have equal parts, these become the same polynomial and cancel in the difference. The identities are:
//!
//! - `a % n = a - n*(a//n)`.
//! - Quotients by positive constants get one shape: `(c*q + r)//c = q + r//c`, `(g*e + s)//(g*d) = (e + s//g)//d`,
//!   `(e//a + k)//b = (e + k*a)//(a*b)`.
//! - `a < b` and similar comparisons become `[p >= 0]` or `[p == 0]`, or 1 minus such a value. The coefficients of `p`
//!   are coprime, and the first one is positive.
//! - `where(c, a, b) = b + c*(a - b)`, `min(a, b) = a + [a - b >= 0]*(b - a)`, and `c*c = c` for truth values `c`.
//!
//! If long sums occur repeatedly in remainders, extrema or selections, multiplying them out would take quadratic time.
//! In that case these operators are atoms.
//!
//! With ranges ([`Terms::narrowed`]), quotients and truth values that are constant in the box are folded, too.

use super::budget::Budget;
use super::poly::{Mono, Poly};
use hashbrown::HashTable;
use quaff_expr::domain::{Interval, interval_of_op};
use quaff_expr::expr::{Expr, Op, int};
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::{Hash, Hasher};

/// A product with more terms than this is not multiplied out: it becomes one atom.
const PRODUCT_TERMS: usize = 48;
/// A monomial with more factors than this is not multiplied out: it becomes one atom.
const PRODUCT_FACTORS: usize = 6;

/// An operand with at most this many terms is multiplied out, however large the expression is.
const SHORT_OPERAND: usize = 32;
/// The most steps for each term of an operand when a remainder, an extremum or a selection is multiplied out. In large
/// expressions, operands with too many terms are not multiplied out, so that the budget suffices for all operators.
const STEPS_FOR_A_TERM: u64 = 8;

/// An atom of a polynomial.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Atom {
    Var(u32),
    Quotient(Poly, Poly),
    /// The truth value `[p >= 0]`.
    NonNegative(Poly),
    /// The truth value `[p == 0]`.
    Zero(Poly),
    /// A conjunction of truth values, in ascending order.
    All(Vec<Poly>),
    /// Any other operator, with its operands.
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

/// The atoms of polynomials, each stored once. The operands of an atom have smaller numbers than the atom.
#[derive(Debug)]
pub(super) struct Terms {
    atoms: Vec<Atom>,
    /// The numbers of the atoms, indexed by the content of the atom.
    ids: HashTable<u32>,
    /// The range of each atom. It is [`Interval::ALL`] if ranges are not used.
    ranges: Vec<Interval>,
    /// The variables of each atom, in ascending order.
    variables: Vec<Vec<u32>>,
    /// The ranges of the variables.
    known: Option<Vec<Interval>>,
    budget: Budget,
    /// A remainder, extremum or selection becomes an atom if an operand has more terms than this.
    longest: usize,
}

impl Terms {
    /// Creates an empty table of terms for expressions that have `nodes` nodes together.
    pub(super) fn new(known: Option<Vec<Interval>>, budget: Budget, nodes: usize) -> Terms {
        let share = budget.left().div_euclid(STEPS_FOR_A_TERM * nodes.max(1) as u64);
        let longest = usize::try_from(share).unwrap_or(usize::MAX).max(SHORT_OPERAND);
        Terms::with(known, budget, longest)
    }

    /// Creates an empty table of terms that uses the ranges `known` for the variables.
    pub(super) fn narrowed(&self, known: Vec<Interval>) -> Terms {
        Terms::with(Some(known), self.budget.clone(), self.longest)
    }

    fn with(known: Option<Vec<Interval>>, budget: Budget, longest: usize) -> Terms {
        Terms {
            atoms: Vec::new(),
            ids: HashTable::new(),
            ranges: Vec::new(),
            variables: Vec::new(),
            known,
            budget,
            longest,
        }
    }

    pub(super) fn budget(&self) -> &Budget {
        &self.budget
    }

    /// Takes steps from the budget: one for each term of `polys`, and one for the result.
    pub(super) fn spend(&self, polys: &[&Poly]) -> Option<()> {
        self.budget.spend(polys.iter().fold(1, |n, p| n + p.terms.len()))
    }

    pub(super) fn atom(&self, id: u32) -> &Atom {
        &self.atoms[id as usize]
    }

    /// Whether ranges are used.
    pub(super) fn has_ranges(&self) -> bool {
        self.known.is_some()
    }

    /// The variables that an atom mentions.
    pub(super) fn variables_of(&self, id: u32) -> &[u32] {
        &self.variables[id as usize]
    }

    /// Copies the polynomials `roots` of `from` into this table of terms. Each atom that has a value in `known` is
    /// replaced by that value. `None` if a coefficient exceeds 64 bits, or if the budget is spent.
    pub(super) fn import(&mut self, from: &Terms, roots: &[Poly], known: &[(u32, Poly)]) -> Option<Vec<Poly>> {
        // if `known` has two values for an atom, the first one is used
        let known: FxHashMap<u32, &Poly> = known.iter().rev().map(|(atom, value)| (*atom, value)).collect();
        self.budget.spend(from.atoms.len())?;
        let mut needed = vec![false; from.atoms.len()];
        let mut stack: Vec<u32> = roots.iter().flat_map(atoms_of).collect();
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut needed[id as usize], true) {
                stack.extend(from.atom(id).operands().into_iter().flat_map(atoms_of));
            }
        }
        let mut new: Vec<Poly> = vec![Poly::default(); from.atoms.len()];
        for (id, atom) in from.atoms.iter().enumerate().filter(|(id, _)| needed[*id]) {
            new[id] = match known.get(&(id as u32)) {
                Some(value) => (*value).clone(),
                None => {
                    let mut operands = Vec::new();
                    for p in atom.operands() {
                        operands.push(self.substitute(p, &new)?);
                    }
                    match (atom, &operands[..]) {
                        (Atom::Var(v), _) => self.variable(*v)?,
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

    /// `p` with each atom replaced by the polynomial in `new`.
    fn substitute(&mut self, p: &Poly, new: &[Poly]) -> Option<Poly> {
        self.spend(&[p])?;
        let mut sum = Sum::of(p.constant);
        for (mono, c) in &p.terms {
            let mut product = new[mono[0] as usize].clone();
            for factor in &mono[1..] {
                product = self.product(&product, &new[*factor as usize])?;
            }
            self.spend(&[&product])?;
            sum.add((*c).into(), &product)?;
        }
        sum.gathered()
    }

    pub(super) fn variable(&mut self, v: u32) -> Option<Poly> {
        match self.known.as_ref().and_then(|k| k.get(v as usize)).and_then(|r| r.as_point()) {
            Some(c) => Some(Poly::constant(c)),
            None => self.intern(Atom::Var(v)),
        }
    }

    /// The atom as a polynomial. `None` if the budget is spent.
    pub(super) fn intern(&mut self, atom: Atom) -> Option<Poly> {
        self.budget.spend(atom.operands().into_iter().fold(1, |n, p| n + p.terms.len()))?;
        let hash = hash(&atom);
        if let Some(id) = self.ids.find(hash, |id| self.atoms[*id as usize] == atom) {
            return Some(Poly::atom(*id));
        }
        let mentioned = atom.operands().into_iter().flat_map(atoms_of).map(|a| self.variables_of(a).len()).sum();
        self.budget.spend(mentioned)?;
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
        variables.shrink_to_fit();
        let id = self.atoms.len() as u32;
        self.variables.push(variables);
        self.ranges.push(range);
        self.atoms.push(atom);
        self.ids.insert_unique(hash, id, |id| self::hash(&self.atoms[*id as usize]));
        Some(Poly::atom(id))
    }

    /// An interval that contains every value of `p`.
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

    pub(super) fn operator(&mut self, op: &Op, args: &[&Poly]) -> Option<Poly> {
        self.spend(args)?;
        let long = args.iter().any(|p| p.terms.len() > self.longest);
        match (op, args) {
            (Op::FloorMod | Op::Min | Op::Max, _) if long => self.other(op, args),
            (Op::Select, [c, a, b]) if long => {
                let condition = self.truth(c)?;
                match condition.as_constant() {
                    Some(c) => Some(if c == 0 { (*b).clone() } else { (*a).clone() }),
                    None => self.other(op, &[&condition, a, b]),
                }
            }
            (Op::Mul, [a, b]) => self.product(a, b),
            (Op::FloorDiv, [a, b]) => self.quotient(a, b),
            (Op::FloorMod, [a, b]) => self.remainder(a, b),
            (op, [a, b]) if op.is_extremum() => {
                let (a, b) = if a <= b { (a, b) } else { (b, a) };
                let difference = a.plus(-1, b)?;
                // if a - b >= 0, the maximum is a = b + (a - b), and the minimum is b = a - (a - b)
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

    /// Builds any other operator: a constant, or a new atom.
    pub(super) fn other(&mut self, op: &Op, args: &[&Poly]) -> Option<Poly> {
        let constants: Option<Vec<Expr>> = args.iter().map(|p| p.as_constant().map(int)).collect();
        match constants {
            Some(constants) => {
                let value = Expr::new(op.clone(), constants).eval(|_| None).ok()?;
                Some(Poly::constant(i64::try_from(value).ok()?))
            }
            None => self.intern(Atom::Other(op.clone(), args.iter().map(|p| (*p).clone()).collect())),
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
            return self.intern(Atom::Other(Op::Mul, vec![a.clone(), b.clone()]));
        }
        self.budget.spend((a.terms.len() + 1) * (b.terms.len() + 1))?;
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
                terms.push((mono, wide(*c, *d)));
            }
            terms.push((x.clone(), wide(*c, b.constant)));
        }
        for (y, d) in &b.terms {
            terms.push((y.clone(), wide(*d, a.constant)));
        }
        Poly::gather(terms, wide(a.constant, b.constant))
    }
}

/// The product of two 64-bit numbers.
fn wide(a: i64, b: i64) -> i128 {
    i128::from(a) * i128::from(b)
}

fn hash(atom: &Atom) -> u64 {
    let mut hasher = FxHasher::default();
    atom.hash(&mut hasher);
    hasher.finish()
}

/// A sum under construction. Its terms are in any order, with repetitions.
pub(super) struct Sum {
    terms: Vec<(Mono, i128)>,
    constant: i128,
}

impl Sum {
    pub(super) fn of(constant: i64) -> Sum {
        Sum { terms: Vec::new(), constant: constant.into() }
    }

    /// Adds `c * p`.
    pub(super) fn add(&mut self, c: i128, p: &Poly) -> Option<()> {
        for (mono, d) in &p.terms {
            self.terms.push((mono.clone(), c.checked_mul((*d).into())?));
        }
        self.constant = self.constant.checked_add(c.checked_mul(p.constant.into())?)?;
        Some(())
    }

    pub(super) fn gathered(self) -> Option<Poly> {
        Poly::gather(self.terms, self.constant)
    }
}

pub(super) type SmallArgs<'p> = smallvec::SmallVec<[&'p Poly; 3]>;

/// The atoms of a polynomial, with repetitions.
pub(super) fn atoms_of(p: &Poly) -> impl Iterator<Item = u32> {
    p.terms.iter().flat_map(|(mono, _)| mono.iter().copied())
}

/// The number `2^k` if `p` is the constant `2^k - 1`. For such a mask, `x & p` is `x % 2^k`.
fn low_mask(p: &Poly) -> Option<i64> {
    let n = p.as_constant()?.checked_add(1)?;
    (n > 0 && n & (n - 1) == 0).then_some(n)
}
