//! [`Domain`]: declarations of variables, in order.

use super::loop_ranges::{Looped, Repeats};
use super::{Bounds, Congruence, Interval};
use crate::expr::{Expr, Op, var};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What is known of each variable, in the order in which the names were first mentioned.
///
/// ```
/// use quaff_expr::domain::Domain;
/// use quaff_expr::expr::var;
///
/// let domain = Domain::new()
///     .with("n", 1..=64)
///     .with("i", (0, var("n") - 1))
///     .with("x", 0..1000)
///     .stride("x", 4, 1)
///     .launch_invariant("n");
/// let facts = domain.resolve()?;
/// assert_eq!(facts[1].interval.bounded(), Some((0, 63)));
/// assert_eq!(facts[1].upper.as_ref().unwrap().to_string(), "n - 1");
/// assert_eq!(facts[2].interval.bounded(), Some((1, 997)));
/// # Ok::<(), quaff_expr::domain::DomainError>(())
/// ```
///
/// Naming a variable again adds facts; all of them hold. Nothing is checked before [`Domain::resolve`]. Two domains are equal
/// when the same was declared in the same order, which is more than that they have the same points.
///
/// # What a declaration promises
/// A point is one value for each variable that an expression uses, such that every value lies in its variable's range and has
/// its stride, and all assumptions hold. Facts are about the points of one expression:
///
/// - The range of a variable is a fact only where the variable is used: in the expressions that mention it, directly or in the
///   end of a range. With `n` in `0..=9` and `i` in `0..=n - 1`, every point of `t//n + i` has `n >= 1`. A point of `t + n` may
///   have `n = 0`: a loop over `i` does not run then, and what it does not contain is computed all the same.
/// - An assumption holds where all its variables have values.
/// - [`Domain::nonempty`] promises that a range is never empty. Then it is a fact everywhere.
///
/// Several expressions of one call each have their own points. `docs/domains.md` says the same of every API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    pub(super) variables: Vec<Variable>,
    positions: FxHashMap<Arc<str>, usize>,
    pub(super) assumptions: Vec<Expr>,
    is_defined: bool,
}

/// Where a variable has a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Presence {
    /// Where an expression uses it.
    #[default]
    WhereUsed,
    /// Where all expressions are that are asked about: they use it.
    InScope,
    /// Everywhere: its range is never empty.
    Everywhere,
    /// Nowhere: no expression uses it.
    Nowhere,
}

/// The facts declared of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: Arc<str>,
    pub(super) bounds: Vec<Bounds>,
    /// Modulus and residue, as declared.
    pub(super) strides: Vec<(i64, i64)>,
    pub(super) texts: Vec<Arc<str>>,
    pub(super) launch_invariant: bool,
    pub(super) looped: Option<Looped>,
    pub(super) is_unrolled: bool,
    pub(super) presence: Presence,
}

/// What [`Domain::resolve`] knows of one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct VarFacts {
    /// The name.
    pub name: Arc<str>,
    /// Every value lies here: symbolic ends are replaced by what they can reach, and both ends satisfy `congruence`.
    pub interval: Interval,
    /// Every value lies here where other variables, whose ranges may be empty, have no values: what a parameter of a kernel may be.
    pub declared: Interval,
    /// Whether no value may lie in the range for some values of the variables in its ends.
    pub may_be_empty: bool,
    /// Every value satisfies this.
    pub congruence: Congruence,
    /// The inclusive lower end, when one was declared that is not constant.
    pub lower: Option<Expr>,
    /// The inclusive upper end, when one was declared that is not constant.
    pub upper: Option<Expr>,
    /// The text of an opaque value, `None` for a variable.
    pub text: Option<Arc<str>>,
    /// Whether the value is the same for all threads of a launch and known before it.
    pub launch_invariant: bool,
    /// How often what depends on it is computed.
    pub repeats: Repeats,
}

impl Domain {
    /// Without variables.
    pub fn new() -> Domain {
        Domain::default()
    }

    /// Declares that `name` lies in `bounds`; where both ends are one expression, that it is equal to it. A range of Rust means what it
    /// means in Rust: `0..16` leaves 16 out, `0..=16` does not. In text ([`Domain::declare`]) both ends are inclusive.
    pub fn with(mut self, name: impl Into<Arc<str>>, bounds: impl Into<Bounds>) -> Domain {
        self.add_bounds(name, bounds);
        self
    }

    /// Declares that `name` is `residue` modulo `modulus` (at least 1).
    pub fn stride(mut self, name: impl Into<Arc<str>>, modulus: i64, residue: i64) -> Domain {
        self.add_stride(name, modulus, residue);
        self
    }

    /// Declares that `name` stands for a value that CUDA code spells `text`, such as `offsets[row]`, and that lies in
    /// `bounds`. It is taken to be the same value wherever it occurs.
    pub fn opaque(mut self, name: impl Into<Arc<str>>, text: impl Into<Arc<str>>, bounds: impl Into<Bounds>) -> Domain {
        let name = name.into();
        self.add_bounds(name.clone(), bounds);
        self.variable(name).texts.push(text.into());
        self
    }

    /// Declares that `name` is fixed for a kernel launch, so that the host can prepare a division by it.
    pub fn launch_invariant(mut self, name: impl Into<Arc<str>>) -> Domain {
        self.variable(name.into()).launch_invariant = true;
        self
    }

    /// Vouches that the expressions asked about divide by 0 at no point of the domain, and shift by no count out of reach.
    ///
    /// Where it is not proved that a divisor is never 0, a call is refused. A caller who has the expressions from a program that
    /// runs may know better. The answer may then rely on it: at a point where the input does divide by 0, the answer means
    /// nothing.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let e: Expr = "(i*n + j)//n*n".parse()?;
    /// let domain = Domain::new().with("i", 0..64).with("n", 0..=64).with("j", 0..64);
    /// assert!(Simplifier::default().simplify(&e, &domain).is_err(), "n may be 0");
    /// assert!(Simplifier::default().simplify(&e, &domain.defined()).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn defined(mut self) -> Domain {
        self.is_defined = true;
        self
    }

    /// Whether [`Domain::defined`] was called.
    pub fn is_defined(&self) -> bool {
        self.is_defined
    }

    /// Takes `condition` to be true (not 0) at every point of the domain: simplification looks at no other points.
    ///
    /// Comparisons of linear forms bound every expression over their terms, several of them together; equalities
    /// substitute; `x % k == r` is a congruence of `x`. What a disjunction says is used only as far as other assumptions
    /// leave one of its sides.
    ///
    /// ```
    /// use quaff::{Simplifier, domain::Domain, expr::Expr};
    ///
    /// let mask: Expr = "i*4 + j >= 8 and i*4 + j < 72".parse()?;
    /// let domain = Domain::new().with("i", 0..20).with("j", 0..4).assume(mask);
    /// let index: Expr = "(i*4 + j + 56) % 64".parse()?;
    /// assert_eq!(Simplifier::default().simplify(&index, &domain)?.expr().to_string(), "i*4 + j - 8");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn assume(mut self, condition: impl Into<Expr>) -> Domain {
        self.assumptions.push(condition.into());
        self
    }

    /// The conditions of [`Domain::assume`], in order.
    pub fn assumptions(&self) -> &[Expr] {
        &self.assumptions
    }

    /// The conditions that this domain assumes after those of `other`; `None` unless it declares the same and begins with the same conditions.
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let outside: Domain = "x=0..9, y=0..9, assume x < y".parse()?;
    /// let inside = outside.clone().assume("y < 5".parse::<quaff_expr::expr::Expr>().unwrap());
    /// assert_eq!(inside.assumptions_beyond(&outside).map(<[_]>::len), Some(1));
    /// assert_eq!(outside.assumptions_beyond(&inside), None);
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    pub fn assumptions_beyond(&self, other: &Domain) -> Option<&[Expr]> {
        let more = self.assumptions.strip_prefix(&other.assumptions[..])?;
        (self.variables == other.variables && self.is_defined == other.is_defined).then_some(more)
    }

    /// All that holds at every point beside ranges of numbers and strides: that variables whose ends are one expression are equal to it,
    /// and what is assumed.
    pub fn conditions(&self) -> Vec<Expr> {
        let present = self.variables.iter().filter(|v| v.presence != Presence::Nowhere);
        let values = present.flat_map(|v| v.bounds.iter().filter_map(move |b| Some((v, b.value()?))));
        let equalities = values.map(|(v, value)| Expr::new(Op::Eq, [var(v.name.clone()), value.clone()]));
        equalities.chain(self.assumptions.iter().cloned()).collect()
    }

    /// [`Domain::with`] in place.
    pub fn add_bounds(&mut self, name: impl Into<Arc<str>>, bounds: impl Into<Bounds>) {
        let (variable, bounds) = (self.variable(name.into()), bounds.into());
        // open on both sides, they say no more than that there is such a variable
        if bounds != Bounds::default() {
            variable.bounds.push(bounds);
        }
    }

    /// [`Domain::stride`] in place.
    pub fn add_stride(&mut self, name: impl Into<Arc<str>>, modulus: i64, residue: i64) {
        self.variable(name.into()).strides.push((modulus, residue));
    }

    /// What both domains declare and assume: a variable of both has a value that lies in both ranges. Variables of `self` come first.
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let given = Domain::new().with("t", 0..256);
    /// let of_the_machine = Domain::new().with("t", 0..1024).with("warpSize", 32..=32);
    /// let both = given.and(&of_the_machine).resolve()?;
    /// assert_eq!((both[0].interval.to_string().as_str(), &*both[1].name), ("0..255", "warpSize"));
    /// # Ok::<(), quaff_expr::domain::DomainError>(())
    /// ```
    pub fn and(mut self, other: &Domain) -> Domain {
        for theirs in &other.variables {
            let ours = self.variable(theirs.name.clone());
            ours.bounds.extend_from_slice(&theirs.bounds);
            ours.strides.extend_from_slice(&theirs.strides);
            ours.texts.extend_from_slice(&theirs.texts);
            ours.launch_invariant |= theirs.launch_invariant;
            ours.is_unrolled |= theirs.is_unrolled;
            ours.looped = ours.looped.take().or_else(|| theirs.looped.clone());
            if ours.presence == Presence::default() {
                ours.presence = theirs.presence;
            }
        }
        self.assumptions.extend_from_slice(&other.assumptions);
        self.is_defined |= other.is_defined;
        self
    }

    pub(super) fn variable(&mut self, name: Arc<str>) -> &mut Variable {
        let at = *self.positions.entry(name.clone()).or_insert(self.variables.len());
        if at == self.variables.len() {
            let (bounds, strides, texts) = (Vec::new(), Vec::new(), Vec::new());
            let (launch_invariant, looped, is_unrolled) = (false, None, false);
            let presence = Presence::default();
            let new = Variable { name, bounds, strides, texts, launch_invariant, looped, is_unrolled, presence };
            self.variables.push(new);
        }
        &mut self.variables[at]
    }

    /// The names, in order.
    pub fn vars(&self) -> impl ExactSizeIterator<Item = &str> {
        self.variables.iter().map(|v| &*v.name)
    }

    /// Number of variables.
    pub fn len(&self) -> usize {
        self.variables.len()
    }

    /// Whether there are no variables.
    pub fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// Whether `name` is declared.
    pub fn contains(&self, name: &str) -> bool {
        self.positions.contains_key(name)
    }

    /// The place of `name` in [`Domain::vars`] and in what [`Domain::resolve`] gives.
    pub fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }
}

impl<N: Into<Arc<str>>, B: Into<Bounds>> Extend<(N, B)> for Domain {
    /// [`Domain::add_bounds`] of each pair.
    fn extend<I: IntoIterator<Item = (N, B)>>(&mut self, pairs: I) {
        pairs.into_iter().for_each(|(name, bounds)| self.add_bounds(name, bounds));
    }
}

impl<N: Into<Arc<str>>, B: Into<Bounds>> FromIterator<(N, B)> for Domain {
    /// One variable for each pair of a name and its range, in order.
    ///
    /// ```
    /// use quaff_expr::domain::Domain;
    ///
    /// let shape = [("row", 512_usize), ("column", 768)];
    /// let domain: Domain = shape.into_iter().map(|(name, size)| (name, 0..size)).collect();
    /// assert_eq!(domain.to_string(), "row=0..511, column=0..767");
    /// ```
    fn from_iter<I: IntoIterator<Item = (N, B)>>(pairs: I) -> Domain {
        let mut domain = Domain::new();
        domain.extend(pairs);
        domain
    }
}
