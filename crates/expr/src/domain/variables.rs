//! [`Domain`]: the declarations of variables, in order.

use super::loop_ranges::{Looped, Repeats};
use super::{Bounds, Congruence, Interval};
use crate::expr::{Expr, Op, var};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The facts about each variable, in the order in which the names were first mentioned.
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
/// A second declaration of a variable adds facts, and all of them hold. Nothing is checked before [`Domain::resolve`].
/// Two domains are equal when they have the same declarations in the same order. Domains with the same points may still
/// be unequal.
///
/// # What a declaration promises
/// A point is one value for each variable that an expression uses. Every value lies in the range of its variable and
/// has its stride, and all assumptions hold. The facts that hold depend on the expression:
///
/// - The range of a variable is a fact only in the expressions that use the variable, directly or in the end of a
///   range. With `n` in `0..=9` and `i` in `0..=n - 1`, every point of `t//n + i` has `n >= 1`. A point of `t + n` may
///   have `n = 0`. With `n = 0`, a loop over `i` has no iterations, but an expression outside of the loop is still
///   computed.
/// - An assumption holds at the points at which all its variables have values.
/// - [`Domain::nonempty`] promises that a range is never empty. Such a range is a fact for every expression, even for
///   one without the variable.
///
/// Several expressions of one call each have their own points. `docs/domains.md` describes this for every API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domain {
    pub(super) variables: Vec<Variable>,
    positions: FxHashMap<Arc<str>, usize>,
    pub(super) assumptions: Vec<Expr>,
    is_defined: bool,
}

/// The expressions in which a variable has a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Presence {
    /// The expressions that use the variable.
    #[default]
    WhereUsed,
    /// All expressions of the present call, because they use the variable.
    InScope,
    /// All expressions, because the range of the variable is never empty.
    Everywhere,
    /// No expression, because none uses the variable.
    Nowhere,
}

/// The facts declared about one variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Variable {
    pub(super) name: Arc<str>,
    pub(super) bounds: Vec<Bounds>,
    /// The modulus and the residue of each stride, as declared.
    pub(super) strides: Vec<(i64, i64)>,
    pub(super) texts: Vec<Arc<str>>,
    pub(super) launch_invariant: bool,
    pub(super) looped: Option<Looped>,
    pub(super) is_unrolled: bool,
    pub(super) presence: Presence,
}

/// The facts about one variable that [`Domain::resolve`] finds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct VarFacts {
    /// The name of the variable.
    pub name: Arc<str>,
    /// An interval that contains every value. A symbolic end is replaced by a number: the least possible value of a
    /// lower end, or the greatest of an upper end. Both ends satisfy `congruence`.
    pub interval: Interval,
    /// An interval that also holds where other variables have no values because their ranges are empty. For a parameter
    /// of a kernel, this is the range that the caller declared.
    pub declared: Interval,
    /// Whether the range may contain no value for some values of the variables in its ends.
    pub may_be_empty: bool,
    /// A congruence that every value satisfies.
    pub congruence: Congruence,
    /// The inclusive lower end as an expression. `None` if the end is a number or open.
    pub lower: Option<Expr>,
    /// The inclusive upper end as an expression. `None` if the end is a number or open.
    pub upper: Option<Expr>,
    /// The CUDA text of an opaque value, such as `offsets[row]`. `None` for an ordinary variable.
    pub text: Option<Arc<str>>,
    /// Whether the value is the same for all threads of a launch, and known before the launch.
    pub launch_invariant: bool,
    /// How often a value that depends on the variable is computed.
    pub repeats: Repeats,
}

impl Domain {
    /// A domain without variables.
    pub fn new() -> Domain {
        Domain::default()
    }

    /// Declares that `name` lies in `bounds`. If both ends are the same expression, `name` equals this expression. A
    /// Rust range keeps its meaning: `0..16` excludes 16, and `0..=16` includes it. In text ([`Domain::declare`]), both
    /// ends are inclusive.
    pub fn with(mut self, name: impl Into<Arc<str>>, bounds: impl Into<Bounds>) -> Domain {
        self.add_bounds(name, bounds);
        self
    }

    /// Declares that `name` is `residue` modulo `modulus`, which is at least 1.
    pub fn stride(mut self, name: impl Into<Arc<str>>, modulus: i64, residue: i64) -> Domain {
        self.add_stride(name, modulus, residue);
        self
    }

    /// Declares that `name` is an opaque value in `bounds`, which CUDA code writes as `text`, such as `offsets[row]`.
    /// All occurrences of the name have the same value.
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

    /// Promises that the expressions of a call divide by 0 at no point of the domain, and that all their shift counts
    /// are valid.
    ///
    /// Without this promise, a call is refused unless it is proved that no divisor is 0. The promise is for callers
    /// whose expressions come from a running program. The answer may rely on the promise. At a point at which the input
    /// divides by 0, the answer may have any value.
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

    /// Assumes that `condition` is true (not 0) at every point of the domain. Simplification considers no other points.
    ///
    /// A comparison such as `x + 2*y < n` bounds every expression over the terms of the comparison, and several
    /// comparisons are combined. An equality lets one of its sides replace the other. `x % k == r` gives the residue of
    /// `x` modulo `k`. A disjunction is used only if other assumptions refute all of its sides but one.
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

    /// The conditions that this domain assumes in addition to those of `other`. `None` unless both domains have the
    /// same declarations and this one begins with the conditions of `other`.
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

    /// All facts that hold at every point, without the numeric ranges and the strides. They are the assumptions, and an
    /// equality for each variable whose two ends are the same expression.
    pub fn conditions(&self) -> Vec<Expr> {
        let present = self.variables.iter().filter(|v| v.presence != Presence::Nowhere);
        let values = present.flat_map(|v| v.bounds.iter().filter_map(move |b| Some((v, b.value()?))));
        let equalities = values.map(|(v, value)| Expr::new(Op::Eq, [var(v.name.clone()), value.clone()]));
        equalities.chain(self.assumptions.iter().cloned()).collect()
    }

    /// Like [`Domain::with`], but changes this domain in place.
    pub fn add_bounds(&mut self, name: impl Into<Arc<str>>, bounds: impl Into<Bounds>) {
        let (variable, bounds) = (self.variable(name.into()), bounds.into());
        // bounds that are open on both sides only declare that the variable exists
        if bounds != Bounds::default() {
            variable.bounds.push(bounds);
        }
    }

    /// Like [`Domain::stride`], but changes this domain in place.
    pub fn add_stride(&mut self, name: impl Into<Arc<str>>, modulus: i64, residue: i64) {
        self.variable(name.into()).strides.push((modulus, residue));
    }

    /// The domain with the declarations and assumptions of both. If both declare a variable, its value lies in both
    /// ranges. The variables of `self` come first.
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

    /// The names of the variables, in the order in which they were first mentioned.
    pub fn vars(&self) -> impl ExactSizeIterator<Item = &str> {
        self.variables.iter().map(|v| &*v.name)
    }

    /// The number of variables.
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

    /// The position of `name` in [`Domain::vars`] and in the result of [`Domain::resolve`].
    pub fn position(&self, name: &str) -> Option<usize> {
        self.positions.get(name).copied()
    }
}

impl<N: Into<Arc<str>>, B: Into<Bounds>> Extend<(N, B)> for Domain {
    /// Calls [`Domain::add_bounds`] for each pair of a name and a range.
    fn extend<I: IntoIterator<Item = (N, B)>>(&mut self, pairs: I) {
        pairs.into_iter().for_each(|(name, bounds)| self.add_bounds(name, bounds));
    }
}

impl<N: Into<Arc<str>>, B: Into<Bounds>> FromIterator<(N, B)> for Domain {
    /// A domain with one variable for each pair of a name and its range, in order.
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
